// SPDX-License-Identifier: MIT

// A peer falls silent, the lowest proposes to let it go, it comes back, and the lowest crashes
// before all have heard that its ballot is taken back. Those that agreed and those that did not
// must go one way.

#include "session/inside.h"
#include "session/some_views.h"

#define PROPOSER 0u
#define SLEEPER  1u

/// Drawn properties of a match.
typedef struct schedule {
    uint32_t peers;
    uint32_t asleep_ms;
    uint32_t crash_ms; ///< loss of the proposer, after the sleeper fell silent
    uint32_t loss_percent;
} schedule;

static uint32_t find_running(void)
{
    uint32_t running = 0;
    for (uint32_t i = 0; i < network.peer_count; i++) {
        bool is_running = !network.peers[i].is_frozen && phase_of(i) == BKS_PHASE_RUNNING;
        running |= is_running ? 1u << i : 0;
    }
    return running;
}

/// @return the peers that play on, once all must
static uint32_t play(const schedule *s, uint64_t seed)
{
    begin(s->peers, seed);
    network.jitter_ns = 10 * TOY_MS;
    run_until_started();
    run_for(1000);
    network.loss_percent = s->loss_percent;
    network.peers[SLEEPER].is_frozen = true;
    uint64_t asleep_ns = network.now_ns;
    uint64_t back_ns = asleep_ns + s->asleep_ms * TOY_MS;
    uint64_t crash_ns = asleep_ns + s->crash_ms * TOY_MS;
    toy_run_until(&network, back_ns < crash_ns ? back_ns : crash_ns);
    network.peers[SLEEPER].is_frozen = back_ns >= crash_ns;
    network.peers[PROPOSER].is_frozen = back_ns >= crash_ns;
    toy_run_until(&network, back_ns < crash_ns ? crash_ns : back_ns);
    network.peers[SLEEPER].is_frozen = false;
    network.peers[PROPOSER].is_frozen = true;
    run_for(2 * DROP_MS + 500);
    network.loss_percent = 0;
    run_for(1500);
    uint32_t running = find_running();
    assert_play_on(running);
    toy_destroy(&network);
    return running;
}

static void no_match_waits_for_a_ballot_whose_proposer_crashed(void **context)
{
    (void)context;
    uint32_t back = 0;
    uint32_t out = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        begin(1, seed); // to draw from
        schedule s = {.peers = 4 + (uint32_t)(seed % 3 == 0),
                      .asleep_ms = DROP_MS - 50 + toy_random(&network, 300),
                      .loss_percent = 20 * (uint32_t)(seed % 2)};
        s.crash_ms = s.asleep_ms - 100 + toy_random(&network, 300);
        toy_destroy(&network);
        uint32_t rest = ((1u << s.peers) - 1) & ~(1u << PROPOSER | 1u << SLEEPER);
        uint32_t running = play(&s, seed);
        print_message("seed %u: asleep %u, crash %u, loss %u: %x\n", (unsigned)seed, s.asleep_ms,
                      s.crash_ms, s.loss_percent, running);
        assert_int_equal(running & rest, rest);
        assert_int_equal(running & 1u << PROPOSER, 0);
        back += running >> SLEEPER & 1;
        out += 1 - (running >> SLEEPER & 1);
    }
    print_message("%u came back, %u were out\n", back, out);
    assert_true(back > 10);
    assert_true(out > 10);
}

/// The proposer's COMMITs reach the highest peer alone.
static bool loses_most_commits(const toy_network *on, uint32_t from, uint32_t to,
                               const uint8_t *bytes, size_t count)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    size_t body_bytes = 0;
    return from == PROPOSER && to != on->peer_count - 1 &&
           inside_read(on->peers[to].session, bytes, count, body, &body_bytes) ==
               BKSI_PACKET_VIEW &&
           body[0] == BKSI_VIEW_COMMIT;
}

/// Those who agreed to the ballot hear lower peers than the one that has its view: these cannot
/// know whether it was taken back either.
static void a_view_whose_proposer_left_comes_from_any_that_has_it(void **context)
{
    (void)context;
    begin(5, 1);
    run_until_started();
    run_for(1000);
    network.loses = loses_most_commits;
    freeze(SLEEPER);
    while (roster_of(4).view == 0) {
        run_for(1);
    }
    assert_int_equal(roster_of(2).view, 0);
    assert_int_equal(bks_session_leave(session_of(PROPOSER)), BKS_OK);
    run_for(3 * DROP_MS);
    assert_play_on(1u << 2 | 1u << 3 | 1u << 4);
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_match_waits_for_a_ballot_whose_proposer_crashed),
        cmocka_unit_test(a_view_whose_proposer_left_comes_from_any_that_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
