// SPDX-License-Identifier: MIT

// Each rule by which the oracle judges watchers fails once: a good match is spoilt after its end.

#include "some_lab.h"

#include "lab/lab_feed.h"
#include "lab/oracle_internal.h"
#include "replay/format/replay_format.h"

#define TICKS  900
#define SOURCE 1 // peer that the watcher watches

static bks_lab *lab;
static lab_watcher *watcher;
static bks_game another_game;

static void run_lab(void)
{
    const bks_lab_config config = some_lab_config(3, 3, TICKS);
    bks_error error = {0};
    lab = some_lab(&config, "delay=20ms", NULL);
    assert_int_equal(bks_lab_watch(lab, "1@2s", &error), BKS_OK);
    while (bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS)) {
    }
    watcher = &lab->feed->watchers[0];
    another_game = pad_game;
}

/// Judge the watcher: the reason contains `why`, "": it is good.
static void judge(const char *name, const char *why)
{
    static bks_oracle_verdict verdict;
    memset(&verdict, 0, sizeof(verdict));
    assert_int_equal(bks_lab_outcome(lab, &verdict.result), BKS_OK);
    bksi_oracle_judge_watchers(lab, &verdict);
    const bool is_good = verdict.kind == BKS_ORACLE_GOOD;
    if (is_good != (why[0] == '\0') || (!is_good && strstr(verdict.why, why) == NULL)) {
        fail_msg("%s: %s", name, is_good ? "good" : verdict.why);
    }
}

// ---- what it has ----

static void step_otherwise(void *state, const bks_step *step)
{
    pad_game.step(state, step);
    ((pad_state *)state)->ticks += step->tick == 500 ? 7 : 0;
}

static void step_until_500(void *state, const bks_step *step)
{
    pad_game.step(state, step);
    if (step->tick == 500) {
        bks_fail(step, "no more");
    }
}

static void spoil_head(void)
{
    watcher->receiver.bytes[BKSI_PREAMBLE_BYTES + BKSI_RECORD_HEAD_BYTES] ^= 1;
}

static void spoil_records(void)
{
    watcher->receiver.bytes[watcher->receiver.count - 400] ^= 1;
}

static void say_another_end(void)
{
    watcher->next++;
}

static void step_something_else(void)
{
    lab->config.game = &another_game;
    another_game.step = step_otherwise;
}

static void take_another_version(void)
{
    lab->config.game = &another_game;
    another_game.version++;
}

static void take_a_game_that_fails(void)
{
    lab->config.game = &another_game;
    another_game.step = step_until_500;
}

// ---- opinions ----

static void hear_that_they_differ(void)
{
    assert_true(watcher->opinion_count > 0);
    watcher->opinions[0].agrees = false;
}

static void differ_for_no_reason(void)
{
    hear_that_they_differ();
    const bks_tick tick = watcher->opinions[0].tick;
    lab->peers[SOURCE].hashes[tick] ^= 1;
    watcher->part_count = 0; // the recording is not looked at
}

// ---- times and ends ----

static void never_end(void)
{
    watcher->has_ended = false;
}

static void wait_long(void)
{
    watcher->waited_ns[0] = 7 * SOME_SECOND_NS;
}

static void search_long(void)
{
    watcher->waited_ns[1] = 28 * SOME_SECOND_NS;
}

static void search_long_on_a_bad_line(void)
{
    search_long();
    watcher->spec.line.delay_ns = SOME_SECOND_NS;
}

static void get_nonsense(void)
{
    watcher->receiver.status = BKS_ERR_DAMAGED;
}

static void just_end(void)
{
    watcher->receiver.status = BKS_OK;
}

static void time_out(void)
{
    watcher->receiver.status = BKS_ERR_TIMEOUT;
}

static void time_out_of_a_lost_source(void)
{
    time_out();
    watcher->was_lost = true;
}

static void miss_the_end(void)
{
    lab->feed->sources[SOURCE].end++;
}

static void stay_open(void)
{
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        lab->feed->sources[i].closes_ns = UINT64_MAX;
    }
}

static void serve_nobody(void)
{
    lab->config.watchers = 0;
}

static void have_no_tape(void)
{
    lab->feed->sources[SOURCE].watching.source->has_tape = false;
}

static void hold_nothing(void)
{
    bksi_feed_tape *tape = &lab->feed->sources[SOURCE].watching.source->tape;
    tape->ring.first = tape->ring.end;
    watcher->next = 0;
    watcher->part_count = 0;
    tape->ring.room = 0;
}

/// Faults of a watcher, and the ends of its feed.
typedef struct spoilt {
    const char *name;
    void (*spoil)(void);
    uint32_t reason; ///< the feed is refused for this reason; BKSI_FEED_REASONS: it is not
    const char *why;
} spoilt;

#define NONE BKSI_FEED_REASONS

static const spoilt all[] = {
    {"nothing", NULL, NONE, ""},
    {"spoil_head", spoil_head, NONE, "what watcher 0 has cannot be read"},
    {"spoil_records", spoil_records, NONE, "what watcher 0 has cannot be read"},
    {"say_another_end", say_another_end, NONE, "ends at tick 900, must be 901"},
    {"step_something_else", step_something_else, NONE, "has another state at tick 501"},
    {"take_another_version", take_another_version, NONE, "what watcher 0 has cannot be played"},
    {"take_a_game_that_fails", take_a_game_that_fails, NONE, "cannot step tick 500"},
    {"hear_that_they_differ", hear_that_they_differ, NONE, "at tick 600, which is wrong"},
    {"differ_for_no_reason", differ_for_no_reason, NONE, "which is no fault of either"},
    {"never_end", never_end, NONE, "still waits at tick 900"},
    {"wait_long", wait_long, NONE, "though its source had more, must be at most 6000"},
    {"search_long", search_long, NONE, "though its source was lost, must be at most 27000"},
    {"search_long_on_a_bad_line", search_long_on_a_bad_line, NONE, ""},
    {"get_nonsense", get_nonsense, NONE, "for no reason"},
    {"just_end", just_end, NONE, "for no reason"},
    {"time_out", time_out, NONE, "for no reason"},
    {"time_out_of_a_lost_source", time_out_of_a_lost_source, NONE, ""},
    {"miss_the_end", miss_the_end, NONE, "for no reason"},
    {"over, open", stay_open, BKSI_FEED_OVER, "for no reason"},
    {"over", NULL, BKSI_FEED_OVER, ""},
    {"leaves, open", stay_open, BKSI_FEED_LEAVES, "for no reason"},
    {"leaves", NULL, BKSI_FEED_LEAVES, ""},
    {"full, with places", NULL, BKSI_FEED_FULL, "for no reason"},
    {"full", serve_nobody, BKSI_FEED_FULL, ""},
    {"nobody, with places", NULL, BKSI_FEED_NOBODY, "for no reason"},
    {"nobody", serve_nobody, BKSI_FEED_NOBODY, ""},
    {"no state, with a tape", NULL, BKSI_FEED_NO_STATE, "for no reason"},
    {"no state", have_no_tape, BKSI_FEED_NO_STATE, ""},
    {"too slow, with all held", NULL, BKSI_FEED_TOO_SLOW, "for no reason"},
    {"too slow", hold_nothing, BKSI_FEED_TOO_SLOW, ""},
    {"repaired, without a repair", NULL, BKSI_FEED_REPAIRED, "for no reason"},
    {"another version", NULL, BKSI_FEED_VERSIONS, "for no reason"},
    {"not held", NULL, BKSI_FEED_NOT_HELD, "for no reason"},
};

static void each_rule_about_watchers_can_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        run_lab();
        bksi_feed_source *source = lab->feed->sources[SOURCE].watching.source;
        const bool has_tape = source->has_tape;
        if (all[i].reason != NONE) {
            watcher->receiver.status = BKS_ERR_REFUSED;
            watcher->receiver.reason = all[i].reason;
        }
        if (all[i].spoil != NULL) {
            all[i].spoil();
        }
        judge(all[i].name, all[i].why);
        lab->config.game = &pad_game;
        source->has_tape = has_tape;
        bks_lab_destroy(lab);
    }
}

/// The only snapshot of the save policy `one` is a window behind the newest tick.
static void a_newcomer_begins_whatever_the_window_and_the_policy_of_snapshots(void **state)
{
    (void)state;
    static const bks_save_policy policies[] = {BKS_SAVE_ONE, BKS_SAVE_TWO, BKS_SAVE_EVERY,
                                               BKS_SAVE_AUTO};
    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
        bks_lab_config config = some_lab_config(3, 2, TICKS);
        bks_error error = {0};
        config.tuning.window_ticks = BKS_WINDOW_MAX;
        config.tuning.delay_ticks = 0;
        config.tuning.save = policies[i];
        lab = some_lab(&config, "delay=150ms", NULL);
        assert_int_equal(bks_lab_watch(lab, "1@3s", &error), BKS_OK);
        while (bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS)) {
        }
        const uint64_t waited_ms = lab->feed->watchers[0].waited_ns[0] / 1000000;
        print_message("policy %u: %u ms\n", (uint32_t)policies[i], (uint32_t)waited_ms);
        assert_in_range(waited_ms, 0, 3000);
        bks_lab_destroy(lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_about_watchers_can_fail),
        cmocka_unit_test(a_newcomer_begins_whatever_the_window_and_the_policy_of_snapshots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
