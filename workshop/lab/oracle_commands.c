// SPDX-License-Identifier: MIT

#include "lab/oracle_commands.h"

#include <string.h>

#include "base/hash.h"

/// Most bytes of most commands; one in LARGE_ONE_IN has up to LARGE_BYTES. Of each BURST commands
/// in a row, one in BURSTS_ONE_IN times all have up to BURST_BYTES and come together: 64 KiB.
#define SMALL_BYTES   40u
#define LARGE_BYTES   2000u
#define LARGE_ONE_IN  64u
#define BURST_BYTES   8192u
#define BURST         8u
#define BURSTS_ONE_IN 8u

/// Most ticks between two commands. Every fourth comes together with the one before it.
#define GAP_TICKS 40u

/// A drawn command.
typedef struct draw {
    uint64_t bits;  ///< decides its bytes
    uint32_t count; ///< size in bytes
    bks_tick gap;   ///< ticks from it to the next one
} draw;

static draw draw_command(const oracle_commands *commands, uint32_t player, uint32_t number)
{
    const uint64_t seed = bksi_hash64_pair(commands->seed, player);
    const uint64_t bits = bksi_hash64_pair(seed, number);
    const bool is_burst = bksi_hash64_pair(~seed, number / BURST) % BURSTS_ONE_IN == 0;
    const uint32_t large = bits % LARGE_ONE_IN == 0 ? LARGE_BYTES : SMALL_BYTES;
    const uint32_t drawn = is_burst ? BURST_BYTES : large;
    const uint32_t most = drawn < commands->bytes_max ? drawn : commands->bytes_max;
    return (draw){.bits = bits,
                  .count = 1 + (uint32_t)(bits >> 8 & 0xFFFF) % most,
                  .gap =
                      is_burst || (bits >> 24) % 4 == 0 ? 0 : (bks_tick)((bits >> 32) % GAP_TICKS)};
}

static uint8_t byte_of(const draw *command, uint32_t at)
{
    return (uint8_t)((command->bits >> at % 57) + at);
}

size_t bksi_oracle_commands_give(oracle_commands *commands, const bks_sample *asked, void *bytes)
{
    const uint32_t player = asked->player;
    if (asked->tick < commands->seats[player].next) {
        return 0;
    }
    const draw drawn = draw_command(commands, player, commands->seats[player].given++);
    commands->seats[player].next = asked->tick + drawn.gap;
    for (uint32_t i = 0; i < drawn.count; i++) {
        ((uint8_t *)bytes)[i] = byte_of(&drawn, i);
    }
    return drawn.count;
}

static bool is_drawn(const draw *drawn, const uint8_t *bytes, uint32_t count)
{
    bool is_same = drawn->count == count;
    for (uint32_t i = 0; is_same && i < count; i++) {
        is_same = bytes[i] == byte_of(drawn, i);
    }
    return is_same;
}

/// Get the command at an offset of those of a tick, and the offset of the next one.
static bks_command command_at(const bks_commands *all, uint32_t *at)
{
    const uint8_t *head = all->bytes + *at;
    const uint32_t count = head[0] | (uint32_t)head[1] << 8;
    *at += 2 + count;
    return (bks_command){.bytes = head + 2, .count = count};
}

bool bksi_oracle_commands_follow(const oracle_commands *commands, uint32_t player,
                                 const bks_commands *recorded, uint32_t *number)
{
    for (uint32_t at = 0; at < recorded->count;) {
        const bks_command command = command_at(recorded, &at);
        const draw drawn = draw_command(commands, player, (*number)++);
        if (!is_drawn(&drawn, command.bytes, command.count)) {
            return false;
        }
    }
    return true;
}

size_t bksi_oracle_recorded_give(oracle_recorded *recorded, const bks_sample *asked, void *bytes,
                                 size_t capacity)
{
    bks_commands all[BKS_PLAYERS_MAX];
    bool has_any = false;
    if (recorded->replay == NULL ||
        bks_replay_commands(recorded->replay, asked->tick, all, &has_any) != BKS_OK || !has_any) {
        return 0;
    }
    uint32_t *at = &recorded->seats[asked->player].at;
    if (recorded->seats[asked->player].tick != asked->tick) {
        recorded->seats[asked->player].tick = asked->tick;
        *at = 0;
    }
    if (*at >= all[asked->player].count) {
        return 0;
    }
    const bks_command command = command_at(&all[asked->player], at);
    if (command.count > capacity) {
        return 0;
    }
    memcpy(bytes, command.bytes, command.count);
    return command.count;
}
