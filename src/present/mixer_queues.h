// SPDX-License-Identifier: MIT

/// @file mixer_queues.h
/// Queues from the game's thread to the mixer's, neither of which waits: cue orders and voices.

#ifndef BKSI_MIXER_QUEUES_H
#define BKSI_MIXER_QUEUES_H

#include <stdatomic.h>

#include "backstitch/present.h"

/// Orders that may wait, a power of two.
#define BKSI_CUE_ORDERS 256u

/// Of them, those that only a cancel may take: what is not heard is a lesser fault than what rings
/// on.
#define BKSI_CUE_ORDERS_CANCEL 64u

typedef struct bksi_cue_order {
    bks_cue_event_kind kind;
    uint32_t sound;
    uint64_t serial;
    uint64_t cursor; ///< the frame to start at
    float volume;
    float pan;
} bksi_cue_order;

/// Zeroed it is empty.
typedef struct bksi_cue_orders {
    bksi_cue_order ring[BKSI_CUE_ORDERS];
    _Atomic uint32_t put;   ///< how many were, modulo 2^32
    _Atomic uint32_t taken; ///< likewise
} bksi_cue_orders;

/// @return false when there is no room
bool bksi_cue_orders_put(bksi_cue_orders *orders, const bksi_cue_order *order);

/// @return false when there is none
bool bksi_cue_orders_take(bksi_cue_orders *orders, bksi_cue_order *out);

// The newest voices, from one thread to another, neither of which waits. Of three copies one
// belongs to the writer, one to the reader, and the third is exchanged for theirs.

/// The voices of one state.
typedef struct bksi_voices {
    bks_tick present;
    uint32_t count;
    bks_voice voices[BKS_MIXER_VOICES_MAX];
} bksi_voices;

typedef struct bksi_voice_post {
    bksi_voices copies[3];
    uint32_t written;      ///< the writer's
    uint32_t read;         ///< the reader's
    _Atomic uint32_t free; ///< the third; with BKSI_VOICE_POST_NEW the reader has not seen it
} bksi_voice_post;

#define BKSI_VOICE_POST_NEW 4u

void bksi_voice_post_begin(bksi_voice_post *post);

/// The copy to fill before bksi_voice_post_publish().
static inline bksi_voices *bksi_voice_post_next(bksi_voice_post *post)
{
    return &post->copies[post->written];
}

void bksi_voice_post_publish(bksi_voice_post *post);

/// The newest one, valid until the next call.
/// @return NULL: none is new
const bksi_voices *bksi_voice_post_take(bksi_voice_post *post);

#endif
