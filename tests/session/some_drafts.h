// SPDX-License-Identifier: MIT

/// @file some_drafts.h
/// Messages written bit by bit, in the words of the peer that is to get them.

#ifndef TESTS_SOME_DRAFTS_H
#define TESTS_SOME_DRAFTS_H

#include <string.h>

#include "session/inside.h"
#include "session/some_views.h"
#include "wire/view_messages.h"

typedef struct draft {
    bksi_bit_writer writer;
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
} draft;

static inline bksi_bit_writer *begin_draft(draft *made)
{
    memset(made->bytes, 0, sizeof(made->bytes));
    made->writer = bksi_bit_writer_over(made->bytes, sizeof(made->bytes));
    return &made->writer;
}

static inline bks_tick head_at(uint32_t victim, uint32_t peer)
{
    return bksi_common_head(&session_of(victim)->common, peer);
}

static inline bksi_view_name view_at(uint32_t peer)
{
    const session_membership *membership = &session_of(peer)->common.membership;
    return bksi_membership_name(membership, membership->view);
}

/// Inputs that no peer sampled: all like the one before.
static inline void write_invented_run(bksi_bit_writer *writer, bks_tick first, uint32_t count)
{
    bksi_write_bits(writer, (uint32_t)first, 32);
    bksi_write_bits(writer, count, 12);
    bksi_write_bits(writer, count, 14);
    for (uint32_t i = 0; i < count; i++) {
        bksi_write_bits(writer, 0, 1);
    }
}

#endif
