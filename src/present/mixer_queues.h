// SPDX-License-Identifier: MIT

/// @file mixer_queues.h
/// Queues from the game's thread to the sound thread, for orders about cues and for voices. Neither
/// thread ever waits.

#ifndef BKSI_MIXER_QUEUES_H
#define BKSI_MIXER_QUEUES_H

#include <stdatomic.h>

#include "backstitch/present.h"

/// Number of orders for which the queue has room, a power of two.
#define BKSI_CUE_ORDERS 256u

/// Room in the queue that only cancellations may take: a missing sound is better than one that
/// never stops.
#define BKSI_CUE_ORDERS_CANCEL 64u

typedef struct bksi_cue_order {
    bks_cue_event_kind kind;
    uint32_t sound;
    uint64_t serial;
    uint64_t cursor; ///< sound frame at which the track begins
    float volume;
    float pan;
} bksi_cue_order;

/// Queue of orders about cues. A zeroed queue is empty.
typedef struct bksi_cue_orders {
    bksi_cue_order ring[BKSI_CUE_ORDERS];
    _Atomic uint32_t put;   ///< number of orders put so far, modulo 2^32
    _Atomic uint32_t taken; ///< number of orders taken so far, modulo 2^32
} bksi_cue_orders;

/// Put an order into the queue.
/// @return false when there is no room
bool bksi_cue_orders_put(bksi_cue_orders *orders, const bksi_cue_order *order);

/// Take the oldest order out of the queue.
/// @return false when there is no order
bool bksi_cue_orders_take(bksi_cue_orders *orders, bksi_cue_order *out);

// Triple buffer ("post") that hands the newest voices from a writer thread to a reader thread.
// Neither ever waits. There are three copies of voices: the writer owns one, the reader owns one,
// and each exchanges its own for the third.

/// Voices of one state.
typedef struct bksi_voices {
    bks_tick present;
    uint32_t count;
    bks_voice voices[BKS_MIXER_VOICES_MAX];
} bksi_voices;

typedef struct bksi_voice_post {
    bksi_voices copies[3];
    uint32_t written;      ///< index of the copy that the writer owns
    uint32_t read;         ///< index of the copy that the reader owns
    _Atomic uint32_t free; ///< index of the third copy, plus BKSI_VOICE_POST_NEW if unread
} bksi_voice_post;

#define BKSI_VOICE_POST_NEW 4u

void bksi_voice_post_begin(bksi_voice_post *post);

/// Return the copy to fill before bksi_voice_post_publish().
static inline bksi_voices *bksi_voice_post_next(bksi_voice_post *post)
{
    return &post->copies[post->written];
}

void bksi_voice_post_publish(bksi_voice_post *post);

/// Take the newest published voices, valid until the next call.
/// @return the voices; NULL if none are new
const bksi_voices *bksi_voice_post_take(bksi_voice_post *post);

#endif
