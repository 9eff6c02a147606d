// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "session/queries.h"
#include "session/session_internal.h"

static bks_session session;
static bksi_tick_hash own[16];

/// Peer 1 of three in a match that runs, with the hashes of ticks 0..9 published.
static void begin(void)
{
    memset(&session, 0, sizeof(session));
    session.common.phase.stage = STAGE_RUNNING;
    session.common.seats =
        (session_seats){.all = 0x7, .self = 1, .players = 4, .seed = 77, .end_tick = 600};
    bksi_membership_begin(&session.common.membership, 0, 0, 0x7);
    session.common.seats.peers[2] = (session_peer){.first_player = 2, .player_count = 2};
    for (bks_tick tick = 0; tick < 16; tick++) {
        own[tick] = (bksi_tick_hash){tick == 3 ? BKS_TICK_NONE : tick, 100 + (uint64_t)tick, 0, 0};
    }
    session.common.engine.settled =
        (bksi_settled){.hashes = own, .capacity_ticks = 16, .every = 1, .published = 9};
}

static void a_hash_is_there_once_it_is_published_and_while_it_is_kept(void **state)
{
    (void)state;
    begin();
    uint64_t hash = 0;
    assert_int_equal(bks_session_published(&session), 9);
    assert_int_equal(bks_session_hash(&session, 9, &hash), BKS_OK);
    assert_int_equal(hash, 109);
    assert_int_equal(bks_session_hash(&session, 10, &hash), BKS_ERR_NOT_CONFIRMED);
    assert_int_equal(bks_session_hash(&session, 3, &hash), BKS_ERR_TICK_TOO_OLD);
    assert_int_equal(bks_session_hash(&session, -1, &hash), BKS_ERR_BAD_ARGUMENT);
}

static void the_status_says_how_it_ended(void **state)
{
    (void)state;
    begin();
    assert_int_equal(bks_session_status(&session), BKS_OK);
    session.common.phase.outcome = OUTCOME_ENDED;
    assert_int_equal(bks_session_status(&session), BKS_OVER);
    session.checking.has_desynced = true;
    assert_int_equal(bks_session_status(&session), BKS_ERR_DESYNC);
    session.common.phase.outcome = OUTCOME_FAILED;
    assert_int_equal(bks_session_status(&session), BKS_ERR_PEER_LOST);
    session.common.engine.settled.published = BKS_TICK_NONE;
    assert_int_equal(bks_session_status(&session), BKS_ERR_REFUSED);
    (void)strcpy(session.failure.problem, "no fuel");
    assert_string_equal(bksi_session_problem(&session), "");
    session.failure.is_final = true;
    assert_int_equal(bks_session_status(&session), BKS_ERR_GAME);
    assert_string_equal(bksi_session_problem(&session), "no fuel");
}

static void a_roster_has_its_peers_once_all_are_known(void **state)
{
    (void)state;
    begin();
    bks_roster roster;
    session.common.phase.stage = STAGE_GATHERING;
    assert_int_equal(bks_session_roster(&session, &roster), BKS_OK);
    assert_int_equal(roster.peers, 0);
    assert_int_equal(roster.players, 4);
    assert_int_equal(roster.seed, 77);
    assert_int_equal(roster.ticks, 600);
    session.common.phase.stage = STAGE_LINKING;
    const bks_tick ends[BKS_PEERS_MAX] = {50};
    next_view next;
    bksi_membership_plan(&next, PEER_BIT(0), ends);
    bksi_membership_enter(&session.common.membership, 1, &next);
    assert_int_equal(bks_session_roster(&session, &roster), BKS_OK);
    assert_int_equal(roster.peers, 3);
    assert_int_equal(roster.self, 1);
    assert_int_equal(roster.first_player[2], 2);
    assert_int_equal(roster.player_count[2], 2);
    assert_false(roster.is_in[0]);
    assert_true(roster.is_in[1]);
    assert_int_equal(roster.end[0], 50);
    assert_int_equal(roster.end[1], BKS_TICK_NONE);
    assert_int_equal(roster.host, 1);
    assert_int_equal(roster.view, 1);
}

static void a_recorder_may_ask_what_a_session_knows(void **state)
{
    (void)state;
    begin();
    session.tempo.pace.delay.now = 3;
    session.tempo.budget.costs[BKS_OP_STEP].mean_ns = 1500.0;
    session.common.engine.settled.tick = 8;
    session.common.engine.progress.front = 12;
    session.common.engine.known.confirmed = 10;
    assert_int_equal(bksi_session_delay(&session), 3);
    assert_int_equal(bksi_session_step_ns(&session), 1500);
    assert_int_equal(bksi_session_peers(&session), 7);
    assert_int_equal(bksi_session_settled(&session), 8);
    assert_int_equal(bks_session_tick(&session), 12);
    assert_int_equal(bks_session_confirmed(&session), 10);
    bks_event event;
    uint64_t number = 0;
    bksi_events_raise_seated(&session.common.events, 1);
    assert_true(bksi_session_event_after(&session, &number, &event));
    assert_int_equal(event.kind, BKS_EVENT_JOINED);
    assert_false(bksi_session_event_after(&session, &number, &event));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hash_is_there_once_it_is_published_and_while_it_is_kept),
        cmocka_unit_test(the_status_says_how_it_ended),
        cmocka_unit_test(a_roster_has_its_peers_once_all_are_known),
        cmocka_unit_test(a_recorder_may_ask_what_a_session_knows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
