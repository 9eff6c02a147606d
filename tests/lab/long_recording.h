// SPDX-License-Identifier: MIT

/// @file long_recording.h
/// A recording in memory of any length. Include it behind some_lab.h.

#ifndef TEST_LONG_RECORDING_H
#define TEST_LONG_RECORDING_H

#include <stdlib.h>

#include "backstitch/replay.h"
#include "some_lab.h"

/// A recording that grows as it is written.
typedef struct long_recording {
    uint8_t *bytes;
    size_t count;
} long_recording;

static inline bks_status long_record(void *context, uint64_t offset_bytes, const void *bytes,
                                     size_t count)
{
    long_recording *to = context;
    const size_t end = (size_t)offset_bytes + count;
    if (end > to->count) {
        to->bytes = realloc(to->bytes, end);
        assert_non_null(to->bytes);
        memset(to->bytes + to->count, 0, end - to->count);
        to->count = end;
    }
    memcpy(to->bytes + offset_bytes, bytes, count);
    return BKS_OK;
}

/// Playback of the recording, with its cues. Close it with long_recording_end().
typedef struct long_playback {
    bks_replay *replay;
    bks_playback *playback;
} long_playback;

static inline long_playback long_recording_play(const long_recording *recording,
                                                const bks_game *game, uint32_t cues_per_tick)
{
    long_playback p = {0};
    assert_int_equal(bks_replay_open(recording->bytes, recording->count, NULL, &p.replay, NULL),
                     BKS_OK);
    const bks_playback_config config = {
        .replay = p.replay, .game = game, .cues_per_tick = cues_per_tick};
    assert_int_equal(bks_playback_create(&config, &p.playback, NULL), BKS_OK);
    return p;
}

static inline void long_recording_end(long_playback *p)
{
    bks_playback_destroy(p->playback);
    bks_replay_close(p->replay);
}

#endif
