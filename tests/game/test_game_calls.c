// SPDX-License-Identifier: MIT

#include "game/game_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "game/runner.h"
#include "support/catch_log.h"
#include "support/odd_floats.h"

// A game whose every call notes the environment that it finds.

typedef struct float_state {
    uint32_t faults; ///< of all calls together
    uint32_t sets;   ///< the step leaves an odd environment
    float third;
} float_state;

static volatile float one = 1.0f, three = 3.0f;
static uint32_t faults_seen; // by calls that must not change the state
static bool sets_from_tick_3;
static bool writes_inputs;
static bool asks_for_cue;

static void note_init(void *state, const bks_start *start)
{
    (void)start;
    ((float_state *)state)->faults |= bks_float_faults();
}

static void note_step(void *state, const bks_step *step)
{
    float_state *floats = state;
    floats->faults |= bks_float_faults();
    floats->third = one / three;
    if (writes_inputs) {
        *(int32_t *)(uintptr_t)step->inputs += 1;
    }
    if (asks_for_cue) {
        bks_cue(step, 3, 0, NULL, 0);
    }
    bks_mark(step, "thirds");
    if (sets_from_tick_3 && step->tick >= 3) {
        (void)odd_floats_set();
    }
}

static void note_hash(const void *state, bks_hasher *hasher)
{
    faults_seen |= bks_float_faults();
    bks_hash_add(hasher, state, sizeof(float_state));
}

static const char *note_check(const void *state)
{
    (void)state;
    faults_seen |= bks_float_faults();
    return NULL;
}

static void *note_create(const bks_start *start)
{
    (void)start;
    faults_seen |= bks_float_faults();
    return calloc(1, sizeof(float_state));
}

static size_t note_save(const void *state, void *bytes, size_t capacity)
{
    (void)capacity;
    faults_seen |= bks_float_faults();
    memcpy(bytes, state, sizeof(float_state));
    return sizeof(float_state);
}

static bool note_load(void *state, const void *bytes, size_t count)
{
    faults_seen |= bks_float_faults();
    memcpy(state, bytes, count);
    return true;
}

static const bks_field fields[] = {{.name = "move", .bits = 1}};

static const bks_game region_game = {.name = "floats",
                                     .tick_rate_hz = 60,
                                     .players_max = 1,
                                     .fields = fields,
                                     .field_count = 1,
                                     .state_bytes = sizeof(float_state),
                                     .init = note_init,
                                     .step = note_step,
                                     .hash = note_hash,
                                     .check = note_check};
static const bks_game object_game = {.name = "floats",
                                     .tick_rate_hz = 60,
                                     .players_max = 1,
                                     .fields = fields,
                                     .field_count = 1,
                                     .create = note_create,
                                     .destroy = free,
                                     .save = note_save,
                                     .load = note_load,
                                     .save_bytes_max = sizeof(float_state),
                                     .init = note_init,
                                     .step = note_step,
                                     .hash = note_hash,
                                     .check = note_check};

static bks_runner *make(const bks_game *game)
{
    const bks_runner_config config = {.game = game, .players = 1, .snapshots = 1};
    bks_runner *runner = NULL;
    faults_seen = 0;
    sets_from_tick_3 = false;
    assert_int_equal(bks_runner_create(&config, &runner, NULL), BKS_OK);
    return runner;
}

static const float_state *step(bks_runner *runner, bks_tick tick)
{
    static const int32_t input = 0;
    assert_int_equal(bks_runner_step(runner, tick, &input, NULL), BKS_OK);
    return bks_runner_state(runner);
}

static void every_call_of_a_game_finds_the_known_environment(void **state)
{
    (void)state;
    const bks_game *games[] = {&region_game, &object_game};
    for (int i = 0; i < 2; i++) {
        uint8_t bytes[sizeof(float_state)];
        const uint32_t set = odd_floats_set();
        bks_runner *runner = make(games[i]);
        const uint32_t stepped = step(runner, 0)->faults;
        (void)bks_runner_hash(runner);
        const bks_status saved = bks_runner_save(runner, 0, NULL);
        const bks_status loaded = bks_runner_load(runner, 0, NULL);
        const size_t count = bks_runner_export(runner, bytes, sizeof(bytes));
        const bks_status imported = bks_runner_import(runner, bytes, count, NULL);
        const uint32_t behind = bks_float_faults();
        odd_floats_clear();
        bks_runner_destroy(runner);
        assert_int_equal(stepped, 0);
        assert_int_equal(faults_seen, 0);
        assert_int_equal(saved, BKS_OK);
        assert_int_equal(loaded, BKS_OK);
        assert_int_equal(imported, BKS_OK);
        assert_int_equal(behind, set);
    }
}

static void results_are_those_of_any_other_caller(void **state)
{
    (void)state;
    bks_runner *runner = make(&region_game);
    const float third = step(runner, 0)->third;
    (void)odd_floats_set();
    const float guarded = step(runner, 1)->third;
    assert_int_equal(bks_runner_set_floats(runner, BKS_RUNNER_FLOATS_AS_THEY_ARE, NULL), BKS_OK);
    const float bare = step(runner, 2)->third;
    odd_floats_clear();
    bks_runner_destroy(runner);
    assert_true(guarded <= third && guarded >= third);
    assert_true(bare < third);
}

static void a_step_that_changes_the_environment_is_logged_once_and_mended(void **state)
{
    (void)state;
    bks_runner *runner = make(&region_game);
    catch_log log;
    catch_log_begin(&log);
    sets_from_tick_3 = true;
    for (bks_tick tick = 0; tick < 3; tick++) {
        (void)step(runner, tick);
        assert_int_equal(bks_runner_float_faults(runner), 0);
    }
    assert_int_equal(log.count, 0);
    (void)step(runner, 3);
    assert_true((bks_runner_float_faults(runner) & BKS_FLOAT_ROUNDS) != 0);
    assert_int_equal(bks_float_faults(), 0);
    assert_int_equal(step(runner, 4)->faults, 0);
    bks_log_clear_sink();
    bks_runner_destroy(runner);
    assert_int_equal(log.count, 1);
    assert_string_equal(log.id, "game.floats");
    assert_non_null(strstr(log.text, "step of floats at tick 3, the last mark is thirds"));
    assert_non_null(strstr(log.text, "rounds otherwise than to nearest"));
    assert_non_null(strstr(log.text, "bks check --variants float names it")); // it is not cut
}

static void a_step_that_writes_its_inputs_is_logged_once_and_reaches_no_caller(void **state)
{
    (void)state;
    bks_runner *runner = make(&region_game);
    catch_log log;
    catch_log_begin(&log);
    int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX] = {0};
    assert_int_equal(bks_runner_step(runner, 0, inputs, NULL), BKS_OK);
    assert_int_equal(log.count, 0);
    writes_inputs = true;
    assert_int_equal(bks_runner_step(runner, 1, inputs, NULL), BKS_OK);
    assert_int_equal(bks_runner_step(runner, 2, inputs, NULL), BKS_OK);
    writes_inputs = false;
    bks_log_clear_sink();
    bks_runner_destroy(runner);
    assert_int_equal(inputs[0], 0);
    assert_int_equal(log.count, 1);
    assert_string_equal(log.id, "game.inputs");
    assert_non_null(strstr(log.text, "step of floats at tick 1, the last mark is thirds"));
}

static void a_cue_of_a_game_that_names_none_is_logged_once(void **state)
{
    (void)state;
    bks_runner *runner = make(&region_game);
    catch_log log;
    catch_log_begin(&log);
    const int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX] = {0};
    asks_for_cue = true;
    assert_int_equal(bks_runner_step(runner, 0, inputs, NULL), BKS_OK);
    assert_int_equal(bks_runner_step(runner, 1, inputs, NULL), BKS_OK);
    asks_for_cue = false;
    bks_log_clear_sink();
    bks_runner_destroy(runner);
    assert_int_equal(log.count, 1);
    assert_string_equal(log.id, "bks_cue");
    assert_non_null(strstr(log.text, "asks for cue 3, but its game names no cues"));
}

static void a_runner_can_have_invalid_operations_trapped(void **state)
{
    (void)state;
    bks_runner *runner = make(&region_game);
    assert_int_equal(bks_runner_set_floats(runner, BKS_RUNNER_FLOATS_TRAPPED, NULL), BKS_OK);
    const uint32_t inside = step(runner, 0)->faults;
    const uint32_t changed = bks_runner_float_faults(runner);
    bks_runner_destroy(runner);
#if defined(__SSE2__)
    assert_int_equal(inside, BKS_FLOAT_TRAPS);
#else
    assert_int_equal(inside, 0);
#endif
    assert_int_equal(changed, 0);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    bks_runner *runner = make(&region_game);
    bks_error error = {0};
    assert_int_equal(bks_runner_set_floats(runner, (bks_runner_floats)3, &error),
                     BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(error.field, "floats");
    assert_int_equal(bks_runner_set_floats(NULL, BKS_RUNNER_FLOATS_GUARDED, &error),
                     BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(error.field, "runner");
    assert_int_equal(bks_runner_float_faults(NULL), 0);
    assert_string_equal(log.id, "bks_runner_float_faults");
    bks_log_clear_sink();
    bks_runner_destroy(runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_of_a_game_finds_the_known_environment),
        cmocka_unit_test(results_are_those_of_any_other_caller),
        cmocka_unit_test(a_step_that_changes_the_environment_is_logged_once_and_mended),
        cmocka_unit_test(a_step_that_writes_its_inputs_is_logged_once_and_reaches_no_caller),
        cmocka_unit_test(a_cue_of_a_game_that_names_none_is_logged_once),
        cmocka_unit_test(a_runner_can_have_invalid_operations_trapped),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
