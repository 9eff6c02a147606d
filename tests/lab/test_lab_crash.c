// SPDX-License-Identifier: MIT

// Peers crash at 500 random moments: any of them, the host, two within a round trip, the proposer
// or an answerer in the middle of a ballot. The remaining peers agree and play on within 2 s after
// drop_after. `lab_test_lab_crash SEED` runs the matches of one seed.

#include "some_lab.h"
#include "support/seed.h"

#include "lab/lab_internal.h"
#include "session/session_internal.h"

#define MS_NS         UINT64_C(1000000)
#define DROP_AFTER_NS (5 * SOME_SECOND_NS)
#define GOES_ON_NS    (2 * SOME_SECOND_NS)
#define MATCH_TICKS   480

typedef enum crash_kind {
    ANY,
    HOST,
    TWO,
    PROPOSER,
    ANSWERER,
    KINDS,
} crash_kind;

static const struct {
    const char *name;
    uint32_t wanted;
} kinds[KINDS] = {
    {"of any peer", 150},
    {"of the host", 100},
    {"of two within a round trip", 100},
    {"of the proposer in the middle of a ballot", 75},
    {"of an answerer in the middle of a ballot", 75},
};

static uint64_t only_seed;
static bks_lab_config config;
static bks_lab *lab;
static uint32_t delay_ms;
static uint64_t crashed_ns; ///< time of the newest crash

static void run_for(uint64_t span_ns)
{
    assert_true(bks_lab_advance(lab, bks_lab_now(lab) + span_ns));
}

static bks_session *session_of(uint32_t peer)
{
    return lab->peers[peer].session;
}

static void crash(uint32_t index)
{
    lab_peer *peer = &lab->peers[index];
    bksi_lab_watch_crash(lab, index);
    peer->is_crashed = true;
    peer->crashed_ns = crashed_ns = bks_lab_now(lab);
    peer->wake_ns = UINT64_MAX;
}

static uint32_t other_than(uint32_t peer)
{
    uint32_t other;
    do {
        other = seed_below(config.peers);
    } while (other == peer || lab->peers[other].is_crashed);
    return other;
}

static void begin(uint64_t seed)
{
    static const uint32_t losses[] = {0, 0, 2, 10, 20};
    char link[64];
    delay_ms = 5 + seed_below(90);
    (void)snprintf(link, sizeof(link), "delay=%ums,jitter=%ums,loss=%u%%", delay_ms,
                   seed_below(delay_ms < 20 ? delay_ms : 20), losses[seed_below(5)]);
    config = some_lab_config(seed, 3 + seed_below(3), MATCH_TICKS);
    lab = some_lab(&config, link, NULL);
    while (lab->first_tick_ns == UINT64_MAX) {
        run_for(10 * MS_NS);
    }
    run_for(SOME_SECOND_NS / 2 + seed_below(2000000) * UINT64_C(1000));
}

static bool is_proposing(uint32_t peer)
{
    return bksi_ballots_proposed(&session_of(peer)->views.ballots, &session_of(peer)->common) != 0;
}

/// Run until a peer proposes to drop the crashed one.
static uint32_t wait_for_ballot(void)
{
    for (;;) {
        assert_true(bks_lab_now(lab) - crashed_ns < DROP_AFTER_NS + GOES_ON_NS);
        run_for(MS_NS);
        for (uint32_t i = 0; i < config.peers; i++) {
            if (!lab->peers[i].is_crashed && is_proposing(i)) {
                return i;
            }
        }
    }
}

/// @return true if a peer of that kind crashed; a ballot may be over too soon
static bool crash_in_ballot(bool is_proposer)
{
    crash(seed_below(config.peers));
    const uint32_t proposer = wait_for_ballot();
    run_for(seed_below(2 * delay_ms * 1000) * UINT64_C(1000));
    const bool is_in_time = is_proposing(proposer);
    crash(is_proposer ? proposer : other_than(proposer));
    return is_in_time && lab->moments[LAB_MOMENT_BALLOT_CRASH] > 0;
}

static bool crash_some(crash_kind kind)
{
    switch (kind) {
    case ANY:
        crash(seed_below(config.peers));
        return true;
    case HOST:
        crash(0);
        return lab->moments[LAB_MOMENT_HOST_CRASH] > 0;
    case TWO: {
        const uint32_t first = seed_below(config.peers);
        crash(first);
        run_for(seed_below(2 * delay_ms * 1000) * UINT64_C(1000));
        crash(other_than(first));
        return lab->moments[LAB_MOMENT_TWIN_CRASH] > 0;
    }
    default:
        return crash_in_ballot(kind == PROPOSER);
    }
}

/// Check that exactly the living peers are in one view, and step.
static void check_going_on(uint64_t seed)
{
    const bks_session *first = NULL;
    bks_tick before[BKS_PEERS_MAX];
    for (uint32_t i = 0; i < config.peers; i++) {
        before[i] = bks_session_confirmed(session_of(i));
    }
    run_for(SOME_SECOND_NS / 2);
    for (uint32_t i = 0; i < config.peers; i++) {
        const bks_session *session = session_of(i);
        if (lab->peers[i].is_crashed) {
            continue;
        }
        first = first == NULL ? session : first;
        bool is_well = bksi_phase_is_running(&session->common.phase) &&
                       session->common.membership.view == first->common.membership.view &&
                       bksi_inspect_same_view(session, first) &&
                       bks_session_confirmed(session) >= before[i] + 24;
        for (uint32_t k = 0; k < config.peers; k++) {
            is_well &= bksi_common_has(&session->common, k) != lab->peers[k].is_crashed;
        }
        if (!is_well) {
            fail_msg("seed %u: peer %u stands in view %u at tick %d, was at %d", (uint32_t)seed, i,
                     session->common.membership.view, bks_session_confirmed(session), before[i]);
        }
    }
}

static bool crash_at_a_random_moment(crash_kind kind, uint64_t seed)
{
    seed_state = seed * KINDS + kind;
    begin(seed);
    const bool is_of_kind = crash_some(kind);
    run_for(DROP_AFTER_NS + GOES_ON_NS);
    check_going_on(seed);
    while (bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS)) {
    }
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    if (!result.agreed || result.compared != MATCH_TICKS) {
        fail_msg("seed %u: %s", (uint32_t)seed, result.reason);
    }
    bks_lab_destroy(lab);
    return is_of_kind;
}

static void after_any_crash_at_any_time_the_rest_agrees_and_plays_on(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        const uint64_t first = only_seed != 0 ? only_seed : 1;
        const uint32_t wanted = only_seed != 0 ? 1 : seed_rounds(kinds[kind].wanted);
        uint32_t count = 0;
        uint32_t matches = 0;
        for (; count < wanted && matches < 3 * wanted; matches++) {
            count += crash_at_a_random_moment((crash_kind)kind, first + matches) ? 1 : 0;
        }
        print_message("%u crashes %s, in %u matches from seed %u on\n", count, kinds[kind].name,
                      matches, (uint32_t)first);
        if (only_seed == 0) {
            assert_int_equal(count, wanted);
        }
    }
}

int main(int argc, char **argv)
{
    only_seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_any_crash_at_any_time_the_rest_agrees_and_plays_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
