// SPDX-License-Identifier: MIT

// Reading of CMDS records, which hold the commands of ticks.

#include <stddef.h>

#include "backstitch/toolkit/recording.h"
#include "base/report.h"
#include "replay/format/replay_commands.h"
#include "replay/read/reader.h"

bool bksi_replay_take_commands(bks_replay *replay, const bksi_record *record,
                               const char **out_wrong)
{
    bksi_commands_place place = {.payload = record->offset + BKSI_RECORD_HEAD_BYTES,
                                 .payload_bytes = record->payload_bytes};
    if (!bksi_commands_read_head(&place, record->payload, record->payload_bytes)) {
        *out_wrong = "a CMDS record has invalid contents";
        return true;
    }
    const bksi_commands_place *last = bksi_list_last(&replay->commands);
    if (last != NULL && place.tick <= last->tick) {
        *out_wrong = "a CMDS record is not of a later tick than the one before";
        return true;
    }
    const uint64_t unpacked =
        replay->command_unpacked_bytes + (place.is_packed ? place.content_bytes : 0);
    if (!bksi_commands_may_have(unpacked, record->offset)) {
        *out_wrong = "a CMDS record packs more than a file of this size may have";
        return true;
    }
    replay->command_unpacked_bytes = unpacked;
    replay->command_bytes += record->end - record->offset;
    return bksi_list_add(&replay->commands, &place, &replay->allocator);
}

/// Make room for the unpacked content of a CMDS record.
/// @return false if there is no memory
static bool make_room(bks_replay *replay, size_t bytes)
{
    if (replay->command_room_bytes >= bytes) {
        return true;
    }
    uint8_t *room = bksi_alloc(&replay->allocator, bytes, 16);
    if (room == NULL) {
        return false;
    }
    bksi_free(&replay->allocator, replay->command_room, replay->command_room_bytes);
    replay->command_room = room;
    replay->command_room_bytes = bytes;
    return true;
}

bks_status bks_replay_commands(bks_replay *replay, bks_tick tick,
                               bks_commands commands[BKS_PLAYERS_MAX], bool *out_any)
{
    BKSI_REFUSE_NULL(NULL, replay);
    BKSI_REFUSE_NULL(NULL, commands);
    BKSI_REFUSE_NULL(NULL, out_any);
    *out_any = false;
    const size_t i =
        bksi_list_find_tick(&replay->commands, offsetof(bksi_commands_place, tick), tick);
    const bksi_commands_place *place =
        i < replay->commands.count ? bksi_list_at(&replay->commands, i) : NULL;
    if (place == NULL || place->tick != tick) {
        for (uint32_t p = 0; p < replay->info.players; p++) {
            commands[p] = (bks_commands){0};
        }
        return BKS_OK;
    }
    if (!make_room(replay, place->content_bytes)) {
        return bksi_fail(NULL, BKS_ERR_OUT_OF_MEMORY, "bks_replay_commands", NULL,
                         "no memory for %zu bytes of commands", place->content_bytes);
    }
    if (!bksi_commands_unpack(bksi_replay_bytes_at(replay, place->payload), place->payload_bytes,
                              replay->command_room, replay->info.players, commands)) {
        bksi_replay_note_damage(replay, BKS_ERR_DAMAGED, place->payload - BKSI_RECORD_HEAD_BYTES,
                                "a CMDS record cannot be unpacked");
        return BKS_ERR_DAMAGED;
    }
    *out_any = true;
    return BKS_OK;
}

void bksi_replay_check_commands(bks_replay *replay)
{
    for (size_t i = 0; i < replay->commands.count; i++) {
        const bksi_commands_place *place = bksi_list_at(&replay->commands, i);
        bks_commands commands[BKS_PLAYERS_MAX];
        bool has_any = false;
        (void)!bks_replay_commands(replay, place->tick, commands, &has_any);
    }
}
