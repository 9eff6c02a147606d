// SPDX-License-Identifier: MIT

// The lowest peer lies: it proposes ballots and decides views. Once another has left it may part
// the honest peers, so not all of them must stay; but those that play on are in one view, at full
// rate, and blame no other.

#include "session/some_drafts.h"

#define PEERS 5u
#define LIAR  0u
#define DEAD  4u

static void say(uint32_t victim, draft *made)
{
    inside_say(session_of(victim), network.now_ns, session_of(LIAR), BKSI_PACKET_VIEW, made->bytes,
               bksi_bit_writer_bytes(&made->writer));
}

static void say_propose(uint32_t victim, uint32_t number, uint32_t leavers)
{
    draft made;
    bksi_propose message = {.base = view_at(victim), .number = number, .leavers = leavers};
    bksi_propose_write(begin_draft(&made), &message);
    say(victim, &made);
}

/// @param more  inputs of each leaver that no peer sampled
static void say_commit(uint32_t victim, uint32_t leavers, uint32_t more)
{
    draft made;
    bksi_bit_writer *writer = begin_draft(&made);
    bksi_commit message = {.base = view_at(victim), .leavers = leavers};
    message.members = bksi_common_members(&session_of(victim)->common) & ~leavers;
    for (uint32_t i = 0; i < PEERS; i++) {
        message.ends[i] = head_at(victim, i) + (bks_tick)more;
    }
    bksi_commit_write(writer, &message);
    EACH_PEER (i, leavers) {
        write_invented_run(writer, head_at(victim, i), more);
    }
    say(victim, &made);
}

/// A peer crashes, and the liar's own messages about views get lost.
static void begin_lie(void)
{
    begin(PEERS, 1);
    network.delay_ns = 20 * TOY_MS;
    run_until_started();
    run_for(2000);
    network.lost_types[LIAR] = type_bit(BKSI_PACKET_VIEW);
    freeze(DEAD);
    run_for(DROP_MS / 2 + 100);
}

/// @return the honest peers that play on, once the liar is gone
static uint32_t settle(void)
{
    freeze(LIAR);
    run_for(3 * DROP_MS + 2000);
    uint32_t running = 0;
    for (uint32_t i = 0; i < PEERS; i++) {
        bool is_running = !network.peers[i].is_frozen && phase_of(i) == BKS_PHASE_RUNNING;
        running |= is_running ? 1u << i : 0;
    }
    assert_true(running != 0);
    for (uint32_t i = 0; i < PEERS; i++) {
        assert_int_equal(network.peers[i].desynced_from & running, 0);
    }
    return running;
}

/// Each is sent another end of the dead peer, and inputs of it up to there that it did not sample.
static void ends_that_differ_leave_one_side(void **context)
{
    (void)context;
    begin_lie();
    for (uint32_t i = 1; i < DEAD; i++) {
        say_propose(i, 1, 1u << DEAD);
    }
    run_for(100);
    for (uint32_t i = 1; i < DEAD; i++) {
        say_commit(i, 1u << DEAD, 4 * i);
    }
    run_for(300);
    uint32_t running = settle();
    bks_tick before = bks_session_confirmed(session_of(lowest_of(running)));
    run_for(500);
    EACH_PEER (i, running) {
        assert_int_equal(bksi_common_members(&session_of(i)->common), running);
        assert_true(bks_session_confirmed(session_of(i)) >= before + 25);
    }
    toy_destroy(&network);
}

/// Two are sent a decision, each without the other.
static void decisions_without_each_other_leave_one_side(void **context)
{
    (void)context;
    begin_lie();
    for (uint32_t i = 1; i < DEAD; i++) {
        say_propose(i, 1, 1u << DEAD);
    }
    run_for(DROP_MS + 100); // then its word counts more
    say_propose(1, 2, 1u << DEAD | 1u << 2);
    say_propose(2, 2, 1u << DEAD | 1u << 1);
    say_propose(3, 2, 1u << DEAD | 1u << 1);
    run_for(100);
    say_commit(1, 1u << DEAD | 1u << 2, 0);
    say_commit(2, 1u << DEAD | 1u << 1, 0);
    run_for(300);
    uint32_t running = settle();
    assert_play_on(running);
    toy_destroy(&network);
}

/// A ballot about each in turn, each taken back: the numbers are used up, and all are heard.
static void ballots_that_are_taken_back_hold_no_one_for_good(void **context)
{
    (void)context;
    begin(PEERS, 1);
    network.delay_ns = 20 * TOY_MS;
    run_until_started();
    run_for(2000);
    network.lost_types[LIAR] = type_bit(BKSI_PACKET_VIEW);
    for (uint32_t n = 1; n <= 40; n++) {
        for (uint32_t i = 1; i < PEERS; i++) {
            uint32_t other = 1 + (i + n) % (PEERS - 1);
            say_propose(i, n < 40 ? n : UINT32_MAX, other != i ? 1u << other : 0);
        }
        run_for(30);
    }
    uint32_t honest = (1u << PEERS) - 1 - (1u << LIAR);
    assert_int_equal(settle(), honest);
    assert_play_on(honest);
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_that_differ_leave_one_side),
        cmocka_unit_test(decisions_without_each_other_leave_one_side),
        cmocka_unit_test(ballots_that_are_taken_back_hold_no_one_for_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
