// SPDX-License-Identifier: MIT

#include "rollback/gathering.h"

#include <string.h>

#include "base/memory.h"

static size_t packed_bytes(const bksi_gathering *gathering)
{
    return (size_t)gathering->players_max * gathering->layout->bytes;
}

static size_t values_bytes(const bksi_gathering *gathering)
{
    return (size_t)gathering->players_max * gathering->layout->field_count * sizeof(int32_t);
}

static size_t guess_bytes(const bksi_gathering *gathering)
{
    return 2 * (size_t)gathering->layout->field_count * sizeof(int32_t);
}

static void unpack_player(bksi_gathering *gathering, uint32_t player, const uint8_t *packed)
{
    const bksi_layout *layout = gathering->layout;
    memcpy(gathering->last_packed + (size_t)player * layout->bytes, packed, layout->bytes);
    bksi_layout_unpack(layout, packed,
                       gathering->step_values + (size_t)player * layout->field_count);
}

static bool create_queues(bksi_gathering *gathering, const bksi_command_config *commands,
                          const bks_allocator *allocator)
{
    bks_status status = BKS_OK;
    for (uint32_t i = 0; status == BKS_OK && i < gathering->players_max; i++) {
        status = bksi_command_queue_create(&gathering->queues[i], commands, allocator);
    }
    return status == BKS_OK;
}

bks_status bksi_gathering_create(bksi_gathering *gathering, const bksi_layout *layout,
                                 uint32_t players_max, const bksi_command_config *commands,
                                 const bks_allocator *allocator)
{
    *gathering = (bksi_gathering){.layout = layout, .players_max = players_max};
    gathering->step_packed = bksi_alloc(allocator, packed_bytes(gathering), 16);
    gathering->last_packed = bksi_alloc(allocator, packed_bytes(gathering), 16);
    gathering->sampled = bksi_alloc(allocator, packed_bytes(gathering), 16);
    gathering->step_values = bksi_alloc(allocator, values_bytes(gathering), 16);
    gathering->guess = bksi_alloc(allocator, guess_bytes(gathering), 16);
    bool has_all = gathering->step_packed != NULL && gathering->last_packed != NULL &&
                   gathering->sampled != NULL && gathering->step_values != NULL &&
                   gathering->guess != NULL;
    if (!has_all || !create_queues(gathering, commands, allocator)) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    for (uint32_t p = 0; p < players_max; p++) {
        unpack_player(gathering, p, layout->neutral);
    }
    return BKS_OK;
}

void bksi_gathering_destroy(bksi_gathering *gathering, const bks_allocator *allocator)
{
    if (gathering->layout == NULL) {
        return;
    }
    for (uint32_t i = 0; i < gathering->players_max; i++) {
        bksi_command_queue_destroy(&gathering->queues[i], allocator);
    }
    bksi_free(allocator, gathering->guess, guess_bytes(gathering));
    bksi_free(allocator, gathering->step_values, values_bytes(gathering));
    bksi_free(allocator, gathering->sampled, packed_bytes(gathering));
    bksi_free(allocator, gathering->last_packed, packed_bytes(gathering));
    bksi_free(allocator, gathering->step_packed, packed_bytes(gathering));
    *gathering = (bksi_gathering){0};
}

const int32_t *bksi_gathering_values(bksi_gathering *gathering, uint32_t players)
{
    const bksi_layout *layout = gathering->layout;
    for (uint32_t p = 0; p < players; p++) {
        const uint8_t *packed = bksi_gathering_packed(gathering, p);
        if (memcmp(packed, gathering->last_packed + (size_t)p * layout->bytes, layout->bytes) !=
            0) {
            unpack_player(gathering, p, packed);
        }
    }
    return gathering->step_values;
}

const uint8_t *bksi_gathering_guess(bksi_gathering *gathering, const int32_t *values)
{
    uint8_t *packed = bksi_gathering_packed(gathering, gathering->next_player);
    bksi_layout_pack_clamped(gathering->layout, values != NULL ? values : gathering->guess, packed);
    gathering->next_player++;
    return packed;
}

uint8_t *bksi_gathering_sample(bksi_gathering *gathering, const int32_t *values)
{
    const bksi_layout *layout = gathering->layout;
    uint8_t *packed = gathering->sampled + (size_t)gathering->next_local * layout->bytes;
    gathering->next_local++;
    if (values != NULL) {
        bksi_layout_pack_clamped(layout, values, packed);
    } else {
        memcpy(packed, layout->neutral, layout->bytes);
    }
    return packed;
}

bks_commands *bksi_gathering_commands(bksi_gathering *gathering)
{
    return gathering->step_commands;
}

bksi_command_queue *bksi_gathering_queue(bksi_gathering *gathering, uint32_t local_player)
{
    return &gathering->queues[local_player];
}
