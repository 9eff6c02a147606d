// SPDX-License-Identifier: MIT

// Two peers with different inputs find the difference, on any link.

#include "some_lab.h"

#include "lab/lab_internal.h"
#include "lab/lab_link.h"
#include "session/session_internal.h"

#define MS_NS      UINT64_C(1000000)
#define TWO_TICKS  (2 * SOME_SECOND_NS / 60)
#define LIAR       0u
#define VICTIM     1u
#define SEEDS      40u
#define GIVE_UP_NS (20 * SOME_SECOND_NS)

static bks_lab_config config;

static const lab_finding *finding(const bks_lab *lab)
{
    return &lab->findings[LIAR][VICTIM];
}

static bool is_found(const bks_lab *lab)
{
    return lab->peers[LIAR].finding.is_found || lab->peers[VICTIM].finding.is_found;
}

static void step(bks_lab *lab)
{
    assert_true(bks_lab_advance(lab, bks_lab_now(lab) + MS_NS));
    assert_true(bks_lab_now(lab) < GIVE_UP_NS);
}

/// Create a lab with a liar, and run until the liar and its victim have confirmed the tick.
static bks_lab *lie_and_confirm(uint64_t seed, uint32_t peers, const char *link)
{
    char fault[32];
    (void)snprintf(fault, sizeof(fault), "lie=0@%ums", 2000 + (uint32_t)(seed * 37 % 1000));
    config = some_lab_config(seed, peers, 1200);
    bks_lab *lab = some_lab(&config, link, fault);
    while (!finding(lab)->is_there) {
        step(lab);
    }
    return lab;
}

static void on_clean_links_within_a_round_trip_and_two_ticks(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        const uint32_t delay_ms = seed * 29 % 160;
        char link[32];
        (void)snprintf(link, sizeof(link), "delay=%ums", delay_ms);
        bks_lab *lab = lie_and_confirm(seed, 2 + seed % 3, link);
        const uint64_t since_ns = bks_lab_now(lab);
        while (!is_found(lab)) {
            step(lab);
        }
        const uint64_t took_ns = bks_lab_now(lab) - since_ns;
        if (took_ns > 2 * delay_ms * MS_NS + TWO_TICKS + MS_NS) {
            fail_msg("seed %u: found after %u ms at %s", seed, (uint32_t)(took_ns / MS_NS), link);
        }
        assert_string_equal(lab->invariant_error, "");
        bks_lab_destroy(lab);
    }
}

static uint64_t delivered(const bks_lab *lab, uint32_t from, uint32_t to)
{
    return bksi_lab_link_get_counters(lab->links[from][to])->delivered;
}

/// Return the number of packets that were lost in both directions.
static uint64_t lost(const bks_lab *lab)
{
    return bksi_lab_link_get_counters(lab->links[LIAR][VICTIM])->lost +
           bksi_lab_link_get_counters(lab->links[VICTIM][LIAR])->lost;
}

/// Return the number of packets under way. Without reordering, packets that arrive after them were
/// sent later.
static uint64_t under_way(const bks_lab *lab, uint32_t from, uint32_t to)
{
    const bks_lab_link_counters *counters = bksi_lab_link_get_counters(lab->links[from][to]);
    return counters->sent - counters->lost - counters->delivered;
}

// One of the two peers finds the difference by the first packet with inputs that was sent after
// both had confirmed the tick. This takes one link delay and two ticks if no more packets are lost,
// and a second at most.
static void on_lossy_links_by_the_first_packet_that_is_heard(void **state)
{
    (void)state;
    uint32_t worst_ms = 0;
    uint32_t after_loss = 0;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        const uint32_t delay_ms = 10 + seed * 29 % 100;
        char link[64];
        (void)snprintf(link, sizeof(link), "delay=%ums,loss=%u%%,burst=%u", delay_ms,
                       10 + seed * 13 % 50, 2 + seed % 8);
        bks_lab *lab = lie_and_confirm(seed, 2, link);
        const uint64_t from_ns = bks_lab_now(lab);
        const uint64_t there = delivered(lab, LIAR, VICTIM) + under_way(lab, LIAR, VICTIM);
        const uint64_t back = delivered(lab, VICTIM, LIAR) + under_way(lab, VICTIM, LIAR);
        while (!is_found(lab) && delivered(lab, LIAR, VICTIM) <= there &&
               delivered(lab, VICTIM, LIAR) <= back) {
            step(lab);
        }
        const uint64_t heard_ns = bks_lab_now(lab);
        const uint64_t lost_before = lost(lab);
        uint64_t bound_ns = heard_ns + delay_ms * MS_NS + TWO_TICKS + MS_NS;
        while (!is_found(lab) && bks_lab_now(lab) < bound_ns) {
            step(lab);
        }
        if (!is_found(lab) && lost(lab) > lost_before) {
            after_loss++;
            bound_ns = heard_ns + SOME_SECOND_NS + TWO_TICKS;
            while (!is_found(lab) && bks_lab_now(lab) < bound_ns) {
                step(lab);
            }
        }
        if (!is_found(lab)) {
            fail_msg("seed %u: not found at %s", seed, link);
        }
        assert_string_equal(lab->invariant_error, "");
        const uint32_t took_ms = (uint32_t)((bks_lab_now(lab) - from_ns) / MS_NS);
        worst_ms = took_ms > worst_ms ? took_ms : worst_ms;
        bks_lab_destroy(lab);
    }
    print_message("worst %u ms, %u of %u needed more than the first hashes\n", worst_ms, after_loss,
                  SEEDS);
    assert_true(after_loss > 0 && after_loss < SEEDS);
}

static void a_lie_takes_the_detour_and_is_found(void **state)
{
    (void)state;
    static const char *const faults[] = {"cut=0-1@2s+5s,lie=0@4s", "lie=0@4s"};
    for (uint32_t i = 0; i < 2; i++) {
        config = some_lab_config(1, 3, 900);
        const bks_lab_result result = some_match(&config, "delay=20ms", faults[i]);
        assert_false(result.agreed);
        assert_int_equal(fault_count(&result, "lie"), 1);
        assert_int_not_equal(result.desync_found_tick, BKS_TICK_NONE);
    }
}

static void a_peer_that_ignores_other_hashes_breaks_a_promise(void **state)
{
    (void)state;
    bks_lab *lab = lie_and_confirm(1, 2, "delay=30ms");
    while (!lab->peers[LIAR].session->checking.peers[VICTIM].differs) {
        step(lab);
    }
    lab->peers[LIAR].session->checking.peers[VICTIM].differs = false; // as if the session had not
                                                                      // seen the difference
    step(lab);
    while (lab->invariant_error[0] == '\0') {
        step(lab);
    }
    assert_non_null(strstr(lab->invariant_error, "received a packet that shows it"));
    bks_lab_destroy(lab);
}

static void a_peer_that_reports_no_difference_breaks_a_promise(void **state)
{
    (void)state;
    bks_lab *lab = lie_and_confirm(1, 2, "delay=30ms");
    session_checking_peer *other = &lab->peers[LIAR].session->checking.peers[VICTIM];
    while (!other->differs) {
        step(lab);
    }
    other->differs_ns = UINT64_MAX - 2 * SOME_SECOND_NS; // the difference is never reported
    other->is_reported = true;
    for (uint32_t ms = 0; ms < 500; ms++) {
        step(lab);
    }
    assert_string_equal(lab->invariant_error, "");
    other->is_reported = false;
    other->differs_ns = bks_lab_now(lab) - 2 * SOME_SECOND_NS;
    other->differs_tick = BKS_TICK_NONE;
    for (uint32_t ms = 0; ms < 100 && lab->invariant_error[0] == '\0'; ms++) {
        step(lab);
    }
    assert_non_null(strstr(lab->invariant_error, "does not say so"));
    bks_lab_destroy(lab);
}

static void a_peer_that_sees_nothing_in_a_hundred_packets_breaks_a_promise(void **state)
{
    (void)state;
    bks_lab *lab = lie_and_confirm(1, 2, "delay=30ms");
    session_checking_peer *other = &lab->peers[LIAR].session->checking.peers[VICTIM];
    for (uint32_t ms = 0; ms < 4000 && lab->invariant_error[0] == '\0'; ms++) {
        step(lab);
        other->differs = false;
        for (uint32_t i = 0; i < REMOTE_HASHES_KEPT; i++) {
            other->hashes[i].kind = BKSI_HASH_NONE; // as if no hash came with the inputs
        }
    }
    assert_non_null(strstr(lab->invariant_error, "received a hundred packets"));
    bks_lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_clean_links_within_a_round_trip_and_two_ticks),
        cmocka_unit_test(on_lossy_links_by_the_first_packet_that_is_heard),
        cmocka_unit_test(a_lie_takes_the_detour_and_is_found),
        cmocka_unit_test(a_peer_that_ignores_other_hashes_breaks_a_promise),
        cmocka_unit_test(a_peer_that_reports_no_difference_breaks_a_promise),
        cmocka_unit_test(a_peer_that_sees_nothing_in_a_hundred_packets_breaks_a_promise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
