// SPDX-License-Identifier: MIT

/// @file voice_post.h
/// The newest voices, from one thread to another, neither of which waits. Of three copies one
/// belongs to the writer, one to the reader, and the third is exchanged for theirs.

#ifndef BKSI_VOICE_POST_H
#define BKSI_VOICE_POST_H

#include <stdatomic.h>

#include "backstitch/present.h"

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
