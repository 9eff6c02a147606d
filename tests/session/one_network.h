// SPDX-License-Identifier: MIT

/// @file one_network.h
/// The one toy network of a test, and what tests ask of its peers.

#ifndef TESTS_ONE_NETWORK_H
#define TESTS_ONE_NETWORK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/toy_network.h"

static toy_network network;

/// A match without an end.
static inline void tune_endless(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = 0;
}

static inline void run_for(uint64_t ms)
{
    toy_run_until(&network, network.now_ns + ms * TOY_MS);
}

static inline bks_session *session_of(uint32_t peer)
{
    return network.peers[peer].session;
}

static inline bks_phase phase_of(uint32_t peer)
{
    return bks_session_phase(session_of(peer));
}

static inline bks_roster roster_of(uint32_t peer)
{
    bks_roster roster;
    assert_int_equal(bks_session_roster(session_of(peer), &roster), BKS_OK);
    return roster;
}

static inline bks_stats stats_of(uint32_t peer)
{
    bks_stats stats;
    assert_int_equal(bks_session_stats(session_of(peer), &stats), BKS_OK);
    return stats;
}

#endif
