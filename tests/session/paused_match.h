// SPDX-License-Identifier: MIT

/// @file paused_match.h
/// A match for tests of pauses and speeds.

#ifndef TESTS_PAUSED_MATCH_H
#define TESTS_PAUSED_MATCH_H

#include "session/inside.h"
#include "session/one_network.h"
#include "support/catch_log.h"

#define HZ 60

enum { WINDOW = 20 };

static uint32_t seed;
static bks_tick tuned_ticks;
static uint32_t tuned_pauses;
static bks_on_desync tuned_desync;
static bool is_lockstep;
static bool is_mixed; ///< each peer has a window and a delay of its own

static inline uint32_t some(uint32_t bound, uint32_t peer)
{
    return (seed * 7919 + peer * 104729) % bound;
}

static inline void tune(bks_session_config *config, uint32_t peer)
{
    config->ticks = tuned_ticks;
    config->tuning.drop_after_ms = 2000;
    config->tuning.guest_pauses = peer == 0 ? tuned_pauses : 3;
    config->tuning.on_desync = tuned_desync;
    config->tuning.delay_ticks = BKS_AUTO;
    if (is_lockstep) {
        config->tuning.window_ticks = 0;
    } else if (is_mixed) {
        config->tuning.window_ticks = some(BKS_WINDOW_MAX + 1, peer);
        config->tuning.delay_ticks = some(3, peer) == 0 ? some(90, peer + 9) : BKS_AUTO;
    }
}

static inline void begin(uint32_t peers)
{
    toy_create(&network, peers, seed, tune);
    network.delay_ns = 30 * TOY_MS;
}

static inline int reset(void **state)
{
    (void)state;
    seed = 1;
    tuned_ticks = 0;
    tuned_pauses = 3;
    tuned_desync = BKS_ON_DESYNC_REPORT;
    is_lockstep = is_mixed = false;
    return 0;
}

static inline bks_tick tick_of(uint32_t peer)
{
    return bks_session_tick(session_of(peer));
}

static inline void pause_by(uint32_t peer, bool is_paused)
{
    assert_int_equal(bks_session_pause(session_of(peer), is_paused), BKS_OK);
}

/// Assert that each peer of a mask has paused, at the same tick, with no guess left before it.
/// @return the tick
static inline bks_tick assert_paused(uint32_t peers, uint32_t by)
{
    bks_tick tick = BKS_TICK_NONE;
    EACH_PEER (i, peers) {
        const bks_roster roster = roster_of(i);
        tick = tick == BKS_TICK_NONE ? tick_of(i) : tick;
        if (!roster.is_paused || tick_of(i) != tick || roster.paused_tick != tick) {
            fail_msg("seed %u: peer %u at %d, paused %d at %d, the first at %d", seed, i,
                     (int)tick_of(i), roster.is_paused, (int)roster.paused_tick, (int)tick);
        }
        assert_int_equal(roster.paused_by, by);
        assert_int_equal(network.peers[i].last[BKS_EVENT_SPEED].tick, tick);
        assert_int_equal(network.peers[i].last[BKS_EVENT_SPEED].peer, by);
        assert_true(bks_session_confirmed(session_of(i)) >= tick);
    }
    return tick;
}

/// Assert that the peers of a mask have the states of a straight run, and agree on them.
static inline void assert_states(uint32_t peers)
{
    const bks_tick until = network.peers[bksi_peers_lowest(peers)].seen - 1;
    EACH_PEER (i, peers) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        assert_int_equal(network.peers[i].events[BKS_EVENT_LEFT], 0);
        if (network.peers[i].seen > until) {
            assert_true(network.peers[i].published[until] ==
                        toy_straight_run(network.peer_count, until, 4));
        }
    }
}

#endif
