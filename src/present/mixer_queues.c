// SPDX-License-Identifier: MIT

#include "present/mixer_queues.h"

bool bksi_cue_orders_put(bksi_cue_orders *orders, const bksi_cue_order *order)
{
    const uint32_t put = atomic_load_explicit(&orders->put, memory_order_relaxed);
    const uint32_t room =
        BKSI_CUE_ORDERS - (put - atomic_load_explicit(&orders->taken, memory_order_acquire));
    if (room <= (order->kind == BKS_CUE_CANCELLED ? 0 : BKSI_CUE_ORDERS_CANCEL)) {
        return false;
    }
    orders->ring[put % BKSI_CUE_ORDERS] = *order;
    atomic_store_explicit(&orders->put, put + 1, memory_order_release);
    return true;
}

bool bksi_cue_orders_take(bksi_cue_orders *orders, bksi_cue_order *out)
{
    const uint32_t taken = atomic_load_explicit(&orders->taken, memory_order_relaxed);
    if (taken == atomic_load_explicit(&orders->put, memory_order_acquire)) {
        return false;
    }
    *out = orders->ring[taken % BKSI_CUE_ORDERS];
    atomic_store_explicit(&orders->taken, taken + 1, memory_order_release);
    return true;
}

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
