// SPDX-License-Identifier: MIT

/// @file replay_reader.h
/// What this room knows of an open replay besides what bks_replay_info tells.

#ifndef BKSI_REPLAY_READER_H
#define BKSI_REPLAY_READER_H

#include "replay/replay_head.h"
#include "replay/replay_run.h"
#include "replay/replay_state.h"

/// A run of ticks in the file.
typedef struct bksi_replay_part {
    bksi_run run;
    bks_tick begin; ///< first tick that this part serves: those before are sealed elsewhere
    bks_tick end;   ///< one past the last
} bksi_replay_part;

struct bks_replay {
    bks_allocator allocator;
    const uint8_t *bytes; ///< the whole file, borrowed
    size_t count;
    bksi_replay_head head;
    bksi_layout layout;
    bksi_run_shape shape;
    size_t tick_bytes;
    bks_replay_info info;
    bool has_state;
    bksi_replay_state state;
    bool has_final_hash;
    uint64_t final_hash;
    const char *damage; ///< what is wrong, NULL when nothing is
    bks_status damage_status;
    bks_error error; ///< what bks_replay_open() said of the damage

    bksi_replay_part *parts; ///< in order, without gaps; the tail last
    size_t part_count;
    size_t part_capacity;
    uint8_t *tail; ///< bytes of the newest tail write
    size_t tail_bytes;

    uint32_t room_ticks; ///< longest run: room in the three below
    size_t unpacked;     ///< which part lies there, part_count for none
    uint8_t *inputs;     ///< packed, by tick
    uint64_t *hashes;    ///< by tick
    uint8_t *hash_bits;  ///< by tick
};

#endif
