// SPDX-License-Identifier: MIT

/// @file some_views.h
/// A toy network whose peers drop others soon, and what those who are left must be like.

#ifndef TESTS_SOME_VIEWS_H
#define TESTS_SOME_VIEWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/one_network.h"
#include "wire/packet.h"

#define SECONDS (1000 * TOY_MS)
#define DROP_MS 1200u

static bks_tick tuned_ticks;

static inline void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = tuned_ticks;
    config->tuning.notify_after_ms = 100;
    config->tuning.drop_after_ms = DROP_MS;
}

static inline void begin(uint32_t peers, uint64_t seed)
{
    tuned_ticks = 0;
    toy_create(&network, peers, seed, tune);
}

static inline void run_until_started(void)
{
    for (uint32_t i = 0; i < network.peer_count; i++) {
        while (bks_session_phase(session_of(i)) == BKS_PHASE_GATHERING) {
            assert_true(network.now_ns < 60 * SECONDS);
            run_for(10);
        }
    }
}

static inline uint32_t lowest_of(uint32_t peers)
{
    uint32_t lowest = 0;
    while ((peers >> lowest & 1) == 0) {
        lowest++;
    }
    return lowest;
}

/// The state at a peer's newest published tick is that of a straight run in which each leaver ends
/// where the peer says.
static inline void assert_is_straight(uint32_t index)
{
    bks_roster roster = roster_of(index);
    bks_tick ends[BKS_PLAYERS_MAX];
    for (uint32_t i = 0; i < roster.peers; i++) {
        for (uint32_t p = 0; p < roster.player_count[i]; p++) {
            ends[roster.first_player[i] + p] = roster.end[i];
        }
    }
    bks_tick tick = bks_session_published(session_of(index));
    uint64_t hash = 0;
    assert_int_equal(bks_session_hash(session_of(index), tick, &hash), BKS_OK);
    assert_true(hash == toy_straight_run_from(roster.players, network.first_tick, tick,
                                              network.hold_input_ticks, ends));
}

/// The peers of a mask are in one view, they alone, and play at full rate.
static inline void assert_play_on(uint32_t members)
{
    bks_tick before[TOY_PEERS_MAX];
    for (uint32_t i = 0; i < network.peer_count; i++) {
        before[i] = bks_session_confirmed(session_of(i));
    }
    run_for(500);
    bks_roster first = roster_of(lowest_of(members));
    for (uint32_t i = 0; i < network.peer_count; i++) {
        if ((members >> i & 1) == 0) {
            continue;
        }
        bks_roster roster = roster_of(i);
        assert_int_equal(bks_session_phase(session_of(i)), BKS_PHASE_RUNNING);
        assert_true(bks_session_confirmed(session_of(i)) >= before[i] + 25);
        assert_int_equal(roster.view, first.view);
        assert_int_equal(roster.host, lowest_of(members));
        for (uint32_t k = 0; k < network.peer_count; k++) {
            assert_int_equal(roster.is_in[k], members >> k & 1);
            assert_int_equal(roster.end[k], first.end[k]);
        }
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        assert_is_straight(i);
    }
}

static inline uint32_t type_bit(bksi_packet_type type)
{
    return 1u << type;
}

static inline void freeze(uint32_t peer)
{
    network.peers[peer].is_frozen = true;
}

#endif
