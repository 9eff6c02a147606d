// SPDX-License-Identifier: MIT

// Watchers of matches in the lab, and the oracle's checks of them.

#include "some_lab.h"

#include "backstitch/toolkit/oracle.h"
#include "base/mutant.h"
#include "lab/lab_feed.h"

#define TICKS 900

static bks_lab_result watched(const bks_lab_config *config, const char *fault,
                              const char *const *watchers, uint32_t count)
{
    bks_error error = {0};
    bks_lab *lab = some_lab(config, "delay=20ms", fault);
    for (uint32_t i = 0; i < count; i++) {
        if (bks_lab_watch(lab, watchers[i], &error) != BKS_OK) {
            fail_msg("%s", error.text);
        }
    }
    while (bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS)) {
    }
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    bks_lab_destroy(lab);
    return result;
}

static void watchers_see_the_match_and_the_peers_send_the_same_packets(void **state)
{
    (void)state;
    static const char *const specs[] = {"lobby:0@0ms", "1@3s:delay=40ms,loss=5%", "0@4s+2s"};
    bks_lab_config config = some_lab_config(3, 3, TICKS);
    const bks_lab_result alone = some_match(&config, "delay=20ms", "full=1@5s+500ms");
    config = some_lab_config(3, 3, TICKS);
    const bks_lab_result result = watched(&config, "full=1@5s+500ms", specs, 3);
    assert_agreed(&result, TICKS);
    assert_true(result.packet_digest == alone.packet_digest);
    assert_true(result.packets == alone.packets && result.match_ns == alone.match_ns);
    assert_int_equal(result.watcher_count, 3);
    const bks_lab_watcher_result *early = &result.watchers[0];
    const bks_lab_watcher_result *late = &result.watchers[1];
    const bks_lab_watcher_result *leaver = &result.watchers[2];
    assert_in_range(early->first_tick, 0, 30);
    assert_in_range(late->first_tick, 100, 240);
    assert_int_equal(early->end_tick, TICKS);
    assert_int_equal(late->end_tick, TICKS);
    assert_in_range(leaver->end_tick, 300, 360);
    assert_string_equal(late->text, "the match is over");
    assert_string_equal(leaver->text, "it left");
    assert_true(early->has_ended && late->has_ended && leaver->has_ended);
    assert_in_range(early->behind_ns_mean / 1000000, 30, 200);
    assert_true(late->behind_ns_max >= late->behind_ns_mean && late->turns == 0);
}

static void a_watcher_goes_on_with_another_peer_when_its_source_crashes_or_leaves(void **state)
{
    (void)state;
    static const char *const specs[] = {"1@2s"};
    static const char *const faults[] = {"crash=1@5s", "leave=1@5s", "crash=1@5s,rebind=0@7s"};
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        const bks_lab_config config = some_lab_config(4, 3, TICKS);
        const bks_lab_result result = watched(&config, faults[i], specs, 1);
        const bks_lab_watcher_result *watcher = &result.watchers[0];
        assert_int_equal(watcher->peer, 1);
        assert_true(watcher->source != 1);
        assert_int_equal(watcher->turns, 1);
        assert_int_equal(watcher->end_tick, TICKS);
    }
}

/// Press a button from time to time.
static void sample_ticks(void *context, const bks_sample *asked, int32_t *values)
{
    (void)context;
    values[0] = asked->tick * 5 / 7 % 2;
}

/// Peer 0 leaves while it is cut off: it has played ticks of which peer 1 lacks its inputs.
static void a_watcher_does_not_go_on_with_a_peer_that_played_other_ticks(void **state)
{
    (void)state;
    static const char *const watchers[] = {"0@1s:delay=50ms"};
    static const char *const faults[] = {"cut=0>1@4s+5s", "leave=0@4500ms"};
    static bks_oracle_verdict verdict;
    bks_oracle_match match = {.config = some_lab_config(9, 2, TICKS)};
    memset(match.config.sources, 0, sizeof(match.config.sources));
    match.config.sources[0] = (bks_source){.sample = sample_ticks};
    match.faults = faults;
    match.fault_count = 2;
    match.watchers = watchers;
    match.watcher_count = 1;
    assert_int_equal(bks_oracle_run(&match, &verdict, NULL), BKS_OK);
    assert_string_equal(verdict.why, "");
    const bks_lab_watcher_result *watcher = &verdict.result.watchers[0];
    assert_int_equal(watcher->source, 0);
    assert_in_range(watcher->end_tick, 200, 290);
    assert_string_equal(watcher->text, "the match is over"); // that of its source
}

static void those_without_a_place_or_a_match_end_and_say_why(void **state)
{
    (void)state;
    static const char *const specs[] = {"0@1s", "0@2s", "0@100s"};
    bks_lab_config config = some_lab_config(4, 2, TICKS);
    config.watchers = 1;
    const bks_lab_result result = watched(&config, "crash=1@500ms", specs, 3);
    assert_true(result.watchers[0].end_tick == TICKS);
    assert_true(result.watchers[1].has_ended);
    assert_int_equal(result.watchers[1].first_tick, BKS_TICK_NONE);
    assert_non_null(strstr(result.watchers[1].text, "all places"));
    assert_false(result.watchers[2].has_come);
    assert_string_equal(result.watchers[2].text, "the match was over before it came");
    bks_error error = {0};
    config.watchers = BKS_WATCHERS_MAX + 1;
    assert_int_equal(bks_lab_config_check(&config, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "watchers");
}

static void specs_are_read_or_refused_with_what_they_must_be(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 3, TICKS);
    bks_lab_watch_spec spec;
    bks_error error = {0};
    assert_int_equal(bks_lab_watch_parse(&config, "lobby:2@1.5s+80ms:delay=4ms", &spec, &error),
                     BKS_OK);
    assert_true(spec.in_lobby && spec.peer == 2 && spec.at_ns == 1500000000);
    assert_true(spec.span_ns == 80000000 && spec.line.delay_ns == 4000000);
    assert_int_equal(bks_lab_watch_parse(&config, "0@0ms", &spec, &error), BKS_OK);
    assert_true(!spec.in_lobby && spec.span_ns == 0 && spec.line.delay_ns == 0);
    static const char *const bad[] = {"",        "3@1s",   "x@1s",         "0",       "0@",
                                      "0@1s+0s", "0@1s+:", "0@1s:delay=x", "0@1s 2s", "00@1s"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        error.text[0] = '\0';
        assert_int_equal(bks_lab_watch_parse(&config, bad[i], &spec, &error), BKS_ERR_BAD_ARGUMENT);
        assert_non_null(strstr(error.text, "must be"));
    }
    bks_lab *lab = some_lab(&config, NULL, NULL);
    for (uint32_t i = 0; i < BKS_LAB_WATCHERS_MAX; i++) {
        assert_int_equal(bks_lab_watch(lab, "0@1s", &error), BKS_OK);
    }
    assert_int_equal(bks_lab_watch(lab, "0@1s", &error), BKS_ERR_BAD_ARGUMENT);
    bks_lab_destroy(lab);
}

// ---- the oracle ----

static void judge(const char *fault, const char *watcher, bks_source source,
                  bks_oracle_verdict *verdict)
{
    bks_oracle_match match = {.config = some_lab_config(5, 3, TICKS)};
    memset(match.config.sources, 0, sizeof(match.config.sources));
    match.faults = &fault;
    match.fault_count = 1;
    match.watchers = &watcher;
    match.watcher_count = 1;
    match.config.sources[0] = source;
    assert_int_equal(bks_oracle_run(&match, verdict, NULL), BKS_OK);
}

static void a_feed_that_is_broken_is_found_and_named(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    static const struct {
        bksi_mutant mutant;
        const char *fault;
        const char *why;
    } broken[] = {
        {BKSI_MUTANT_NONE, "crash=1@6s", ""},
        {BKSI_MUTANT_NONE, "flip=1@400:byte", ""},
        {BKSI_MUTANT_FEED_SKIPS, "heal@1s", "another state"},
        {BKSI_MUTANT_FEED_DOUBLES, "crash=1@6s", "watcher 0"},
        {BKSI_MUTANT_FEED_WAITS, "crash=1@6s", "still waits"},
        {BKSI_MUTANT_FEED_REFUSES, "heal@1s", "for no reason: all places"},
        {BKSI_MUTANT_FEED_MISHEARS, "heal@1s", "differ at tick 600, which is wrong"},
        {BKSI_MUTANT_FEED_MISHEARS, "flip=1@400:byte", "agree at tick 600, which is wrong"},
    };
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        (void)bksi_mutant_set(broken[i].mutant);
        judge(broken[i].fault, "1@2s:delay=30ms", (bks_source){.sample = sample_ticks}, &verdict);
        (void)bksi_mutant_set(BKSI_MUTANT_NONE);
        if (strstr(verdict.why, broken[i].why) == NULL ||
            (broken[i].why[0] == '\0') != (verdict.kind == BKS_ORACLE_GOOD)) {
            fail_msg("%s: %s", broken[i].fault, verdict.why);
        }
    }
}

/// Give other inputs in each match. The context counts the matches.
static void sample_anew(void *context, const bks_sample *asked, int32_t *values)
{
    uint32_t *matches = context;
    *matches += asked->tick == 0 ? 1 : 0;
    values[0] = (int32_t)(*matches & 1u) & asked->tick;
}

static void a_match_that_is_another_one_with_watchers_is_found(void **state)
{
    (void)state;
    static bks_oracle_verdict verdict;
    uint32_t matches = 0;
    judge("heal@1s", "1@2s", (bks_source){.sample = sample_anew, .context = &matches}, &verdict);
    assert_int_equal(matches, 2);
    assert_string_equal(verdict.why, "the match is another one without its watchers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watchers_see_the_match_and_the_peers_send_the_same_packets),
        cmocka_unit_test(a_watcher_goes_on_with_another_peer_when_its_source_crashes_or_leaves),
        cmocka_unit_test(a_watcher_does_not_go_on_with_a_peer_that_played_other_ticks),
        cmocka_unit_test(those_without_a_place_or_a_match_end_and_say_why),
        cmocka_unit_test(specs_are_read_or_refused_with_what_they_must_be),
        cmocka_unit_test(a_feed_that_is_broken_is_found_and_named),
        cmocka_unit_test(a_match_that_is_another_one_with_watchers_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
