// SPDX-License-Identifier: MIT

#include "game/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/// Return what report_print_json() or report_print_text() writes.
static const char *printed(const report_match *match, bool is_json)
{
    static char text[16384];
    FILE *file = tmpfile();
    assert_non_null(file);
    if (is_json) {
        assert_true(report_print_json(match, file));
    } else {
        report_print_text(match, file, false);
    }
    rewind(file);
    const size_t count = fread(text, 1, sizeof(text) - 1, file);
    text[count] = '\0';
    fclose(file);
    return text;
}

static void assert_says(const char *text, const char *wanted)
{
    if (strstr(text, wanted) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", text, wanted);
    }
}

static report_peer some_peer(void)
{
    return (report_peer){
        .id = 1,
        .first_player = 2,
        .player_count = 2,
        .ticks = 100,
        .confirmed = 100,
        .stats = {.rollbacks = 8,
                  .rollback_depth_sum = 20,
                  .rollback_depth_max = 5,
                  .link_count = 2,
                  .links = {{.has_peer = true, .round_trip_ms = 12.5}}},
        .costs = {.updates = 100, .update_ns_sum = 700000, .game_ns_sum = 200000},
        .allocations_after_start = 3,
    };
}

static void a_match_without_others_shows_nothing_of_a_network(void **state)
{
    (void)state;
    static const char *const rows[] = {"connected",   "agreed",  "rollbacks", "depth in ticks",
                                       "resimulated", "stalled", "starved",   "lag",
                                       "advantage",   "packets", "payload",   "of them"};
    report_peer peer = some_peer();
    const report_match match = {.game = "tag",
                                .mode = "rollback",
                                .ticks = 100,
                                .is_agreed = true,
                                .has_final_hash = true,
                                .final_hash = 10,
                                .peers = &peer,
                                .peer_count = 1};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_says(printed(&match, false), rows[i]);
    }
    peer.stats.link_count = 1;
    const char *text = printed(&match, false);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strstr(text, rows[i]) != NULL) {
            fail_msg("\"%s\" says \"%s\"", text, rows[i]);
        }
    }
    assert_says(text, "ended in order, final 000000000000000a\n");
    assert_says(text, "input delay");
    assert_says(text, "update time us, p50");
}

static void every_key_of_the_contract_is_there(void **state)
{
    (void)state;
    static const char *const keys[] = {"game",
                                       "mode",
                                       "seed",
                                       "ticks",
                                       "virtual_s",
                                       "paused_s",
                                       "wall_s",
                                       "agreed",
                                       "compared",
                                       "final_hash",
                                       "connect_ms",
                                       "desync",
                                       "faults",
                                       "loss",
                                       "moments",
                                       "handover",
                                       "relayed",
                                       "rebind",
                                       "early_end",
                                       "peers",
                                       "id",
                                       "players",
                                       "confirmed",
                                       "rollbacks",
                                       "rollback_depth_mean",
                                       "rollback_depth_max",
                                       "resimulated",
                                       "stalled_ticks",
                                       "starved_ticks",
                                       "input_delay_mean",
                                       "input_delay_max",
                                       "hitches",
                                       "hitch_ms_max",
                                       "tick_interval_ms",
                                       "stall_gaps",
                                       "lag_mean",
                                       "advantage_abs_mean",
                                       "advantage_abs_max",
                                       "first_tick_ms",
                                       "packets_sent",
                                       "payload_bytes_sent",
                                       "input_bytes_sent",
                                       "sealed",
                                       "seal_bytes_sent",
                                       "packets_refused",
                                       "update_us",
                                       "p50",
                                       "p99",
                                       "max",
                                       "library_us_per_tick",
                                       "allocations_after_start"};
    const report_peer peer = some_peer();
    const bks_lab_count faults[] = {{"loss", 7}};
    const report_match match = {.game = "pad",
                                .mode = "rollback",
                                .peers = &peer,
                                .peer_count = 1,
                                .faults = faults,
                                .fault_count = 1};
    const char *text = printed(&match, true);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        char quoted[64];
        (void)snprintf(quoted, sizeof(quoted), "\"%s\": ", keys[i]);
        assert_says(text, quoted);
    }
    assert_says(text, "\"players\": [2, 3]");
    assert_says(text, "\"rollback_depth_mean\": 2.5");
    assert_says(text, "\"loss\": 7");
    assert_says(text, "\"desync\": null");
    assert_says(text, "\"final_hash\": null");
    assert_says(text, "\"library_us_per_tick\": 5");
    assert_says(text, "\"allocations_after_start\": 3");
    assert_says(text, "\"round_trip_ms\": 12.5");
}

static void a_link_that_is_not_known_is_null(void **state)
{
    (void)state;
    report_peer peer = some_peer();
    const report_match match = {.game = "pad", .mode = "rollback", .peers = &peer, .peer_count = 1};
    assert_says(printed(&match, true), "\"round_trip_ms_mean\": null");
    assert_says(printed(&match, true), "\"bytes\": null");
    peer.links[0] =
        (report_link){.is_known = true, .packets = 21, .bytes = 1021, .round_trip_ms_mean = 101.5};
    const char *text = printed(&match, true);
    assert_null(strstr(text, "\"round_trip_ms_mean\": null"));
    assert_says(text, "\"round_trip_ms_mean\": 101.5");
    assert_says(text, "\"packets\": 21");
    assert_says(text, "\"bytes\": 1021");
    assert_says(text, "\"capacity_bits_per_s\": null");
    peer.links[0].round_trip_ms_mean = -1.0;
    assert_says(printed(&match, true), "\"round_trip_ms_mean\": null");
    assert_says(printed(&match, true), "\"packets\": 21");
    // Without a lab's network the peer's own measurements count.
    peer.links[0] = (report_link){0};
    peer.stats.links[0].round_trip_ms_mean = 84.5;
    peer.stats.links[0].packets_per_s = 27.5;
    peer.stats.links[0].capacity_bits_per_s = 12000.0;
    assert_says(printed(&match, true), "\"round_trip_ms_mean\": 84.5");
    assert_says(printed(&match, true), "\"packets\": null");
    assert_says(printed(&match, true), "\"packets_per_s\": 27.5");
    assert_says(printed(&match, true), "\"capacity_bits_per_s\": 12000");
}

static void a_stream_has_seconds_and_a_share_or_null(void **state)
{
    (void)state;
    const report_peer peer = some_peer();
    bks_lab_bulk_result bulk = {.from = 2,
                                .to = 1,
                                .bytes = 1000000,
                                .took_ns = UINT64_C(4000000000),
                                .rate_bits_per_s = 8000000};
    const report_match match = {.game = "pad",
                                .mode = "rollback",
                                .peers = &peer,
                                .peer_count = 1,
                                .bulk = &bulk,
                                .bulk_count = 1};
    assert_says(printed(&match, true), "\"from\": 2");
    assert_says(printed(&match, true), "\"seconds\": 4");
    assert_says(printed(&match, true), "\"share_of_rate\": 0.25");
    assert_says(printed(&match, false),
                "stream   2>1: 1000000 bytes in 4.00 s, 25.0 % of the rate");
    bulk.rate_bits_per_s = 0;
    assert_says(printed(&match, true), "\"share_of_rate\": null");
    assert_says(printed(&match, false), "1000000 bytes in 4.00 s\n");
    bulk.took_ns = 0;
    bulk.arrived = 77;
    assert_says(printed(&match, true), "\"seconds\": null");
    assert_says(printed(&match, false), "not finished, 77 of 1000000 bytes");
}

static void a_desync_names_tick_and_peers(void **state)
{
    (void)state;
    report_match match = {
        .game = "pad",
        .mode = "lockstep",
        .has_final_hash = true,
        .final_hash = 0xabc,
        .has_desync = true,
        .desync = {.tick = 600, .found_at_tick = 604, .peer_count = 2, .peers = {1, 3}}};
    const char *text = printed(&match, true);
    assert_says(text, "\"tick\": 600");
    assert_says(text, "\"found_at_tick\": 604");
    assert_says(text, "\"peers\": [1, 3]");
    assert_says(text, "\"mark\": null");
    assert_says(text, "\"object\": null");
    assert_says(text, "\"field\": null");
    assert_says(text, "\"final_hash\": \"0000000000000abc\"");
    match.desync.found_at_tick = BKS_TICK_NONE;
    assert_says(printed(&match, true), "\"found_at_tick\": null");
    assert_says(printed(&match, false), "from tick 600 on, between peer 1, 3 and the others");
}

static void uncounted_allocations_are_null(void **state)
{
    (void)state;
    report_peer peer = some_peer();
    peer.allocations_after_start = -1;
    const report_match match = {.game = "pad", .mode = "", .peers = &peer, .peer_count = 1};
    assert_says(printed(&match, true), "\"allocations_after_start\": null");
}

static void percentiles_come_from_the_histogram(void **state)
{
    (void)state;
    bks_costs costs = {.update_ns_max = 900000};
    assert_true(report_update_us(&costs, 0.5) == 0.0); // nothing measured
    costs.histogram_us[16] = 98;                       // of 16 us and more
    costs.histogram_us[28] = 2;                        // of 128 us and more
    const double median = report_update_us(&costs, 0.5);
    const double rare = report_update_us(&costs, 0.99);
    assert_true(median > 16.0 && median < 19.1);
    assert_true(rare > 128.0 && rare < 152.3);
    costs.update_ns_max = 130000;
    assert_true(report_update_us(&costs, 0.99) == 130.0); // never above the greatest
}

static void people_get_a_table_with_a_column_for_each_peer(void **state)
{
    (void)state;
    const report_peer peers[2] = {some_peer(), some_peer()};
    const report_match match = {.game = "pad",
                                .mode = "rollback",
                                .virtual_s = 2.0,
                                .is_agreed = true,
                                .compared = 100,
                                .peers = peers,
                                .peer_count = 2};
    const char *text = printed(&match, false);
    assert_says(text, "all 100 hashes the same");
    assert_says(text, "peer 1     peer 1");
    assert_says(text, "rollbacks a second                4.0        4.0");
    assert_null(strchr(text, '\x1b'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_without_others_shows_nothing_of_a_network),
        cmocka_unit_test(every_key_of_the_contract_is_there),
        cmocka_unit_test(a_link_that_is_not_known_is_null),
        cmocka_unit_test(a_stream_has_seconds_and_a_share_or_null),
        cmocka_unit_test(a_desync_names_tick_and_peers),
        cmocka_unit_test(uncounted_allocations_are_null),
        cmocka_unit_test(percentiles_come_from_the_histogram),
        cmocka_unit_test(people_get_a_table_with_a_column_for_each_peer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
