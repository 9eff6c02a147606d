// SPDX-License-Identifier: MIT

/// @file cue_orders.h
/// What is to become of cues, in order, from one thread to another, neither of which waits.

#ifndef BKSI_CUE_ORDERS_H
#define BKSI_CUE_ORDERS_H

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

#endif
