// SPDX-License-Identifier: MIT

#include "base/assert.h"
#include "replay/read/reader.h"

const bks_replay_piece *bksi_replay_piece_at(const bks_replay *replay, uint64_t offset)
{
    uint32_t index = replay->piece_count - 1;
    while (index > 0 && replay->pieces[index].offset_bytes > offset) {
        index--;
    }
    return &replay->pieces[index];
}

uint64_t bksi_replay_bytes(const bks_replay *replay)
{
    const bks_replay_piece *last = &replay->pieces[replay->piece_count - 1];
    return last->offset_bytes + last->count;
}

const uint8_t *bksi_replay_bytes_at(const bks_replay *replay, uint64_t offset)
{
    const bks_replay_piece *piece = bksi_replay_piece_at(replay, offset);
    BKS_ASSERT(offset - piece->offset_bytes <= piece->count);
    return (const uint8_t *)piece->bytes + (offset - piece->offset_bytes);
}
