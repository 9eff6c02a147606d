// SPDX-License-Identifier: MIT

#include "present/voice_post.h"

void bksi_voice_post_begin(bksi_voice_post *post)
{
    post->written = 0;
    post->read = 1;
    atomic_init(&post->free, 2u);
}

void bksi_voice_post_publish(bksi_voice_post *post)
{
    post->written = atomic_exchange_explicit(&post->free, post->written | BKSI_VOICE_POST_NEW,
                                             memory_order_acq_rel) &
                    ~BKSI_VOICE_POST_NEW;
}

const bksi_voices *bksi_voice_post_take(bksi_voice_post *post)
{
    if ((atomic_load_explicit(&post->free, memory_order_relaxed) & BKSI_VOICE_POST_NEW) == 0) {
        return NULL;
    }
    post->read = atomic_exchange_explicit(&post->free, post->read, memory_order_acq_rel) &
                 ~BKSI_VOICE_POST_NEW;
    return &post->copies[post->read];
}
