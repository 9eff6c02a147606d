// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "game/listener.h"
#include "game/runner.h"

#include <cmocka.h>

#include "support/catch_log.h"

/// A game whose step marks, notes, and shows whether its note was formatted: %n stores how much
/// was.
static int note_wrote;
static uint32_t hash_calls;

static void marking_init(void *state, const bks_start *start)
{
    (void)start;
    *(uint64_t *)state = 5;
}

static bks_step_place places[2]; ///< before the first mark, behind the last one
static bool was_stepping[2];

static void marking_step(void *state, const bks_step *step)
{
    (*(uint64_t *)state)++;
    was_stepping[0] = bks_stepping(&places[0]);
    bks_mark(step, "one");
    bks_note(step, "tick %d%n", step->tick, &note_wrote);
    (*(uint64_t *)state)++;
    bks_mark(step, "two");
    was_stepping[1] = bks_stepping(&places[1]);
}

static void marking_hash(const void *state, bks_hasher *hasher)
{
    hash_calls++;
    bks_hash_add(hasher, state, sizeof(uint64_t));
}

static const bks_field fields[] = {{.name = "a", .bits = 1}};

static const bks_game marking = {
    .name = "marking",
    .tick_rate_hz = 60,
    .players_max = 1,
    .fields = fields,
    .field_count = 1,
    .state_bytes = sizeof(uint64_t),
    .init = marking_init,
    .step = marking_step,
    .hash = marking_hash,
};

typedef struct heard {
    char text[256]; ///< all that was heard, in order
    uint64_t hashes[8];
    uint32_t marks;
} heard;

static void hear_mark(void *context, bks_tick tick, const char *name, uint64_t hash)
{
    heard *ear = context;
    size_t length = strlen(ear->text);
    (void)snprintf(ear->text + length, sizeof(ear->text) - length, "%d %s;", tick, name);
    ear->hashes[ear->marks++] = hash;
}

static void hear_note(void *context, bks_tick tick, const char *text)
{
    heard *ear = context;
    size_t length = strlen(ear->text);
    (void)snprintf(ear->text + length, sizeof(ear->text) - length, "%d '%s';", tick, text);
}

static int set_up(void **state)
{
    const bksi_runner_config config = {.game = &marking, .players = 1, .tick_rate_hz = 60};
    note_wrote = -1;
    hash_calls = 0;
    return bksi_runner_create(&config, (bksi_runner **)state, NULL);
}

static int tear_down(void **state)
{
    bksi_runner_destroy(*state);
    return 0;
}

static uint64_t hash_of(uint64_t value)
{
    bks_hasher hasher = bksi_hasher_begin();
    bks_hash_add(&hasher, &value, sizeof(value));
    return bksi_hasher_end(&hasher);
}

static void nothing_is_hashed_or_formatted_without_a_listener(void **state)
{
    const int32_t inputs[1] = {0};
    bksi_runner_step(*state, 0, inputs);
    assert_int_equal(hash_calls, 0);
    assert_int_equal(note_wrote, -1);
}

static void a_thread_says_where_its_step_is(void **state)
{
    const int32_t inputs[1] = {0};
    bks_step_place place;
    assert_false(bks_stepping(&place));
    assert_false(bks_stepping(NULL));
    bksi_runner_step(*state, 5, inputs);
    bksi_runner_step(*state, 6, inputs);
    assert_true(was_stepping[0]);
    assert_null(places[0].mark); // not that of the tick before
    assert_true(was_stepping[1]);
    assert_string_equal(places[1].mark, "two");
    for (uint32_t i = 0; i < 2; i++) {
        assert_string_equal(places[i].game, "marking");
        assert_int_equal(places[i].tick, 6);
        assert_ptr_equal(places[i].state, bksi_runner_state(*state));
    }
    assert_false(bks_stepping(&place));
}

static void a_listener_hears_marks_with_hashes_and_notes_in_order(void **state)
{
    heard ear = {0};
    const bksi_trace_sink sink = {.mark = hear_mark, .note = hear_note, .context = &ear};
    const int32_t inputs[1] = {0};
    bksi_runner_listen(*state, &sink);
    bksi_runner_step(*state, 0, inputs);
    bksi_runner_step(*state, 1, inputs);
    assert_string_equal(ear.text, "0 one;0 'tick 0';0 two;1 one;1 'tick 1';1 two;");
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(ear.hashes[i] == hash_of(6 + i));
    }
    assert_true(bksi_runner_hash(*state) == ear.hashes[3]);

    bksi_runner_listen(*state, NULL);
    hash_calls = 0;
    bksi_runner_step(*state, 2, inputs);
    assert_int_equal(hash_calls, 0);
    assert_int_equal(ear.marks, 4);
}

static void a_listener_of_one_kind_pays_for_one_kind(void **state)
{
    heard ear = {0};
    const int32_t inputs[1] = {0};
    const bksi_trace_sink only_notes = {.note = hear_note, .context = &ear};
    bksi_runner_listen(*state, &only_notes);
    bksi_runner_step(*state, 7, inputs);
    assert_string_equal(ear.text, "7 'tick 7';");
    assert_int_equal(hash_calls, 0);

    note_wrote = -1;
    const bksi_trace_sink only_marks = {.mark = hear_mark, .context = &ear};
    bksi_runner_listen(*state, &only_marks);
    bksi_runner_step(*state, 8, inputs);
    assert_int_equal(note_wrote, -1);
    assert_int_equal(hash_calls, 2);
}

/// The address and all else a step is given, as bytes.
static bks_step seen[2];
static uint32_t seen_count;

static void looking_step(void *state, const bks_step *step)
{
    (void)state;
    memcpy(&seen[seen_count++], step, sizeof(*step));
}

static void a_step_cannot_see_whether_anybody_listens(void **state)
{
    (void)state;
    bks_game looking = marking;
    looking.step = looking_step;
    const bksi_runner_config config = {.game = &looking, .players = 1, .tick_rate_hz = 60};
    bksi_runner *runner;
    assert_int_equal(bksi_runner_create(&config, &runner, NULL), BKS_OK);
    const int32_t inputs[1] = {1};
    heard ear = {0};
    const bksi_trace_sink sink = {.mark = hear_mark, .note = hear_note, .context = &ear};
    seen_count = 0;
    bksi_runner_step(runner, 3, inputs);
    bksi_runner_listen(runner, &sink);
    bksi_runner_step(runner, 3, inputs);
    assert_non_null(seen[0].listener);
    assert_ptr_equal(seen[0].listener, seen[1].listener);
    assert_int_equal(seen[0].tick, seen[1].tick);
    assert_ptr_equal(seen[0].inputs, seen[1].inputs);
    bksi_runner_destroy(runner);
}

static void babbling_step(void *state, const bks_step *step)
{
    (void)state;
    bks_note(step, "%0300d", 7);
    bks_note(step, NULL);
    bks_mark(step, NULL);
}

static void count_bytes(void *context, bks_tick tick, const char *text)
{
    (void)tick;
    *(size_t *)context = strlen(text);
}

static void a_long_note_is_cut_and_a_missing_text_logged(void **state)
{
    (void)state;
    bks_game babbling = marking;
    babbling.step = babbling_step;
    const bksi_runner_config config = {.game = &babbling, .players = 1, .tick_rate_hz = 60};
    bksi_runner *runner;
    assert_int_equal(bksi_runner_create(&config, &runner, NULL), BKS_OK);
    size_t length = 0;
    const bksi_trace_sink sink = {.mark = hear_mark, .note = count_bytes, .context = &length};
    bksi_runner_listen(runner, &sink);
    catch_log log;
    catch_log_begin(&log);
    bksi_runner_step(runner, 0, (const int32_t[]){0});
    bks_log_clear_sink();
    assert_int_equal(length, 255);
    assert_int_equal(log.count, 2);
    bksi_runner_destroy(runner);
}

static void misuse_is_logged_and_a_step_by_hand_is_fine(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    const bks_step by_hand = {.tick = 4};
    bks_mark(&by_hand, "move");
    bks_note(&by_hand, "text");
    assert_int_equal(log.count, 0);
    bks_mark(NULL, "move");
    assert_string_equal(log.id, "bks_mark");
    bks_note(NULL, "text");
    assert_string_equal(log.id, "bks_note");
    bks_log_clear_sink();
    assert_int_equal(log.count, 2);
}

static struct bksi_runner *const elsewhere = (struct bksi_runner *)&note_wrote;
static const char *failure;

static void fail_elsewhere(struct bksi_runner *runner, const char *text)
{
    assert_ptr_equal(runner, elsewhere);
    failure = text;
}

static uint64_t hash_elsewhere(struct bksi_runner *runner)
{
    assert_ptr_equal(runner, elsewhere);
    return 77;
}

static void hear_hash(void *context, bks_tick tick, const char *name, uint64_t hash)
{
    (void)tick;
    (void)name;
    *(uint64_t *)context = hash;
}

/// As in a plug-in whose library lays out a runner in another way than the program's.
static void a_step_reaches_the_runner_of_the_program_by_its_listener(void **state)
{
    (void)state;
    uint64_t hash = 0;
    const char *mark = NULL;
    const bks_listener listener = {.sink = {.mark = hear_hash, .context = &hash},
                                   .runner = elsewhere,
                                   .hash = hash_elsewhere,
                                   .fail = fail_elsewhere,
                                   .mark = &mark};
    const bks_step step = {.listener = &listener};
    bks_mark(&step, "move");
    assert_int_equal(hash, 77);
    bks_fail(&step, "no more");
    assert_string_equal(failure, "no more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_reaches_the_runner_of_the_program_by_its_listener),
        cmocka_unit_test_setup_teardown(nothing_is_hashed_or_formatted_without_a_listener, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_listener_hears_marks_with_hashes_and_notes_in_order,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_thread_says_where_its_step_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_listener_of_one_kind_pays_for_one_kind, set_up,
                                        tear_down),
        cmocka_unit_test(a_step_cannot_see_whether_anybody_listens),
        cmocka_unit_test(a_long_note_is_cut_and_a_missing_text_logged),
        cmocka_unit_test(misuse_is_logged_and_a_step_by_hand_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
