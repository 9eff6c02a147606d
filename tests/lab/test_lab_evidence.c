// SPDX-License-Identifier: MIT

// Peers whose states differ send each other hashes beside the inputs, to find where. The match must
// not suffer from that.

#include "some_lab.h"

enum { TICKS = 1500, SEEDS = 5 };

/// Ticks by which a run may differ: one packet may go at another moment.
#define TICKS_BESIDE 8

typedef struct evidence_case {
    const char *name;
    uint32_t peers;
    bks_tuning tuning;
    const char *link;
    const char *fault; ///< fault; NULL: none
} evidence_case;

/// Return the sum of the ticks that peers starved.
static uint32_t starved_ticks(const evidence_case *c, uint64_t seed, bool has_flip)
{
    bks_lab_config config = some_lab_config(seed, c->peers, TICKS);
    config.tuning = c->tuning;
    bks_lab *lab = some_lab(&config, c->link, c->fault);
    if (has_flip) {
        assert_int_equal(bks_lab_fault(lab, "flip=0@1200:byte", NULL), BKS_OK);
    }
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    bks_lab_destroy(lab);
    assert_int_equal(result.desync_tick, has_flip ? 1200 : BKS_TICK_NONE);
    assert_int_equal(some_moment(&result, "desync") > 0, has_flip);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < c->peers; i++) {
        sum += (uint32_t)result.peers[i].stats.starved_ticks;
    }
    return sum;
}

static void assert_costs_nothing(const evidence_case *c)
{
    uint32_t without = 0;
    uint32_t with = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        without += starved_ticks(c, seed, false);
        with += starved_ticks(c, seed, true);
    }
    print_message("%s: %u ticks starved, with a desync %u\n", c->name, without, with);
    assert_true(with <= without + SEEDS * TICKS_BESIDE);
}

static void hashes_starve_no_peer_whose_line_is_narrow(void **state)
{
    (void)state;
    bks_tuning tuning = bks_lab_config_default().tuning;
    tuning.keep_ticks = 0; // no other packets go
    const evidence_case cases[] = {
        {"16 kbit", 2, tuning, "delay=30ms,rate=16kbit", NULL},
        {"24 kbit", 2, tuning, "delay=30ms,rate=24kbit", NULL},
        {"48 kbit", 2, tuning, "delay=30ms,rate=48kbit", NULL},
        {"64 kbit", 2, tuning, "delay=30ms,rate=64kbit", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_costs_nothing(&cases[i]);
    }
}

#define CARRIES    "cut=1-2@1s+2s,rate=0-1@4s:24kbit,rate=0-1@9s:1mbit"
#define WAS_NARROW "rate=0-1@4s:24kbit,rate=0-1@9s:1mbit"

/// The estimated rate is of bytes: a large packet must not count for those that follow it.
static void hashes_starve_no_peer_whose_line_was_narrow_and_carried_or_is_far(void **state)
{
    (void)state;
    bks_tuning tuning = bks_lab_config_default().tuning;
    tuning.keep_ticks = 0;
    bks_tuning lockstep = tuning;
    lockstep.window_ticks = 0;
    lockstep.delay_ticks = 4;
    const evidence_case cases[] = {
        {"carried", 3, tuning, "delay=20ms,rate=1mbit", CARRIES},
        {"carried, lockstep", 3, lockstep, "delay=5ms,rate=1mbit", CARRIES},
        {"far", 2, tuning, "delay=230ms,rate=1mbit", WAS_NARROW},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_costs_nothing(&cases[i]);
    }
}

/// Large answers come after a round trip: a peer that asked again before would get them twice.
static void to_look_up_where_states_differ_starves_no_peer(void **state)
{
    (void)state;
    const bks_tuning tuning = bks_lab_config_default().tuning;
    const evidence_case cases[] = {
        {"24 kbit", 2, tuning, "delay=30ms,rate=24kbit", NULL},
        {"48 kbit", 2, tuning, "delay=30ms,rate=48kbit", NULL},
        {"carried", 3, tuning, "delay=20ms,rate=1mbit", CARRIES},
        {"far", 2, tuning, "delay=230ms,rate=1mbit", WAS_NARROW},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_costs_nothing(&cases[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_starve_no_peer_whose_line_is_narrow),
        cmocka_unit_test(hashes_starve_no_peer_whose_line_was_narrow_and_carried_or_is_far),
        cmocka_unit_test(to_look_up_where_states_differ_starves_no_peer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
