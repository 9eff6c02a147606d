// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backstitch/toolkit/runner.h"
#include "some_game.h"

enum { PLAYERS = 2, VALUES = PLAYERS * 2, BYTES_MAX = 100000 };

static const int32_t moves[VALUES] = {1, 1, 2, 0};
static const int32_t other_moves[VALUES] = {-3, 1, 0, 1};

static bks_runner *make(const bks_game *game, void (*marked)(void *, bks_tick, const char *),
                        void *context)
{
    const bks_runner_config config = {.game = game,
                                      .seed = 7,
                                      .players = PLAYERS,
                                      .snapshots = 2,
                                      .marked = marked,
                                      .context = context};
    bks_runner *runner = NULL;
    assert_int_equal(bks_runner_create(&config, &runner, NULL), BKS_OK);
    return runner;
}

static void step(bks_runner *runner, bks_tick tick, const int32_t *inputs)
{
    assert_int_equal(bks_runner_step(runner, tick, inputs, NULL), BKS_OK);
}

static void loaded_snapshot_steps_to_the_same_state(void **state)
{
    (void)state;
    const bks_game *games[] = {&some_game, &own_game};
    for (size_t i = 0; i < 2; i++) {
        bks_runner *runner = make(games[i], NULL, NULL);
        step(runner, 0, moves);
        assert_int_equal(bks_runner_save(runner, 1, NULL), BKS_OK);
        step(runner, 1, moves);
        const uint64_t hash = bks_runner_hash(runner);
        assert_int_equal(bks_runner_load(runner, 1, NULL), BKS_OK);
        step(runner, 1, other_moves);
        assert_true(bks_runner_hash(runner) != hash);
        assert_int_equal(bks_runner_load(runner, 1, NULL), BKS_OK);
        step(runner, 1, moves);
        assert_true(bks_runner_hash(runner) == hash);
        bks_runner_destroy(runner);
    }
}

static void exported_state_runs_on_in_another_runner(void **state)
{
    (void)state;
    static uint8_t bytes[BYTES_MAX];
    const bks_game *games[] = {&some_game, &own_game};
    for (size_t i = 0; i < 2; i++) {
        bks_runner *first = make(games[i], NULL, NULL);
        bks_runner *second = make(games[i], NULL, NULL);
        step(first, 0, moves);
        const size_t most = bks_runner_export(first, NULL, 0);
        assert_in_range(most, 1, sizeof(bytes));
        const size_t count = bks_runner_export(first, bytes, sizeof(bytes));
        assert_in_range(count, 1, most);
        assert_int_equal(bks_runner_import(second, bytes, count, NULL), BKS_OK);
        step(first, 1, other_moves);
        step(second, 1, other_moves);
        assert_true(bks_runner_hash(first) == bks_runner_hash(second));
        bks_runner_destroy(first);
        bks_runner_destroy(second);
    }
}

static size_t answer_by_tick(void *context, bks_tick tick, uint32_t question, void *out)
{
    *(bks_tick *)context = tick;
    *(uint32_t *)out = question + 1;
    return question == 7 ? sizeof(uint32_t) : 0;
}

static void asking_step(void *state, const bks_step *step)
{
    uint32_t *kept = state;
    uint32_t bytes = 0;
    kept[0] = (uint32_t)bks_ask(step, 7, &bytes, sizeof(bytes));
    kept[1] = bytes;
    kept[2] = (uint32_t)bks_ask(step, 8, NULL, 0);
}

static void questions_of_a_step_are_answered_by_the_config(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.step = asking_step;
    bks_tick asked = BKS_TICK_NONE;
    bks_runner_config config = {.game = &game, .seed = 7, .players = PLAYERS};
    bks_runner *runner = NULL;
    for (int is_answered = 0; is_answered < 2; is_answered++) {
        config.answer = is_answered ? answer_by_tick : NULL;
        config.answer_context = &asked;
        assert_int_equal(bks_runner_create(&config, &runner, NULL), BKS_OK);
        step(runner, 5, moves);
        const uint32_t *kept = bks_runner_state(runner);
        assert_int_equal(kept[0], is_answered ? sizeof(uint32_t) : 0);
        assert_int_equal(kept[1], is_answered ? 8 : 0);
        assert_int_equal(kept[2], 0);
        bks_runner_destroy(runner);
    }
    assert_int_equal(asked, 5);
}

static void refused_bytes_leave_the_first_state(void **state)
{
    (void)state;
    bks_runner *runner = make(&some_game, NULL, NULL);
    const uint64_t hash = bks_runner_hash(runner);
    step(runner, 0, moves);
    bks_error error = {0};
    assert_int_equal(bks_runner_import(runner, "nothing", 7, &error), BKS_ERR_DAMAGED);
    assert_true(error.text[0] != '\0');
    assert_true(bks_runner_hash(runner) == hash);
    bks_runner_destroy(runner);
}

typedef struct marks_heard {
    uint32_t count;
    bks_tick tick;
    char names[64];
} marks_heard;

static void hear(void *context, bks_tick tick, const char *name)
{
    marks_heard *heard = context;
    heard->count++;
    heard->tick = tick;
    strncat(heard->names, name, sizeof(heard->names) - strlen(heard->names) - 1);
}

static void marks_are_heard_in_order(void **state)
{
    (void)state;
    marks_heard heard = {0};
    bks_runner *runner = make(&some_game, hear, &heard);
    step(runner, 41, moves);
    assert_int_equal(heard.count, 2);
    assert_int_equal(heard.tick, 41);
    assert_string_equal(heard.names, "moveshots");
    bks_runner_destroy(runner);
}

static void what_was_not_saved_is_not_loaded(void **state)
{
    (void)state;
    bks_runner *runner = make(&some_game, NULL, NULL);
    bks_error error = {0};
    assert_int_equal(bks_runner_load(runner, 1, &error), BKS_ERR_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "was not saved"));
    assert_int_equal(bks_runner_save(runner, 2, &error), BKS_ERR_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "below 2"));
    bks_runner_destroy(runner);
}

static void input_out_of_its_range_is_not_stepped(void **state)
{
    (void)state;
    bks_runner *runner = make(&some_game, NULL, NULL);
    const uint64_t hash = bks_runner_hash(runner);
    const int32_t wild[VALUES] = {0, 0, 99, 0};
    bks_error error = {0};
    assert_int_equal(bks_runner_step(runner, 0, wild, &error), BKS_ERR_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "99"));
    assert_true(bks_runner_hash(runner) == hash);
    bks_runner_destroy(runner);
}

static void failing_save_is_reported(void **state)
{
    (void)state;
    bks_runner *runner = make(&own_game, NULL, NULL);
    own.is_save_failing = true;
    assert_int_equal(bks_runner_save(runner, 0, NULL), BKS_ERR_GAME);
    own.is_save_failing = false;
    assert_int_equal(bks_runner_load(runner, 0, NULL), BKS_ERR_BAD_ARGUMENT);
    bks_runner_destroy(runner);
}

static void add_share(void *state, const bks_step *step, float share)
{
    some_state *some = state;
    some->x[0] += 1000 * step->inputs[0] + (int64_t)(100.0f * share);
    bks_pool *shots = bks_ref_get(&some->shots);
    assert_true(bks_pool_add(shots, NULL) != 0); // the arena and pools of a copy are sound
}

static void a_picture_moves_a_copy_alone(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.extrapolate = add_share;
    bks_runner *runner = make(&game, NULL, NULL);
    step(runner, 0, moves);
    const uint64_t hash = bks_runner_hash(runner);
    const some_state *now = bks_runner_state(runner);
    for (uint32_t i = 0; i < 2; i++) {
        const void *moved = NULL;
        assert_int_equal(bks_runner_extrapolate(runner, 1, moves, 0.25f, &moved, NULL), BKS_OK);
        assert_ptr_not_equal(moved, now);
        assert_int_equal(((const some_state *)moved)->x[0], now->x[0] + 1000 * moves[0] + 25);
        assert_true(bks_runner_hash(runner) == hash);
    }
    bks_runner_destroy(runner);
}

static void games_without_pictures_say_so(void **state)
{
    (void)state;
    const void *moved = &moved;
    bks_error error = {0};
    const bks_game *games[] = {&some_game, &own_game};
    for (size_t i = 0; i < 2; i++) {
        bks_game game = *games[i];
        game.extrapolate = i == 0 ? NULL : add_share;
        bks_runner *runner = make(&game, NULL, NULL);
        assert_int_equal(bks_runner_extrapolate(runner, 0, moves, 0.5f, &moved, &error),
                         BKS_ERR_UNSUPPORTED);
        assert_null(moved);
        assert_non_null(strstr(error.text, i == 0 ? "no extrapolate" : "outside of a region"));
        bks_runner_destroy(runner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_moves_a_copy_alone),
        cmocka_unit_test(games_without_pictures_say_so),
        cmocka_unit_test(loaded_snapshot_steps_to_the_same_state),
        cmocka_unit_test(exported_state_runs_on_in_another_runner),
        cmocka_unit_test(questions_of_a_step_are_answered_by_the_config),
        cmocka_unit_test(refused_bytes_leave_the_first_state),
        cmocka_unit_test(marks_are_heard_in_order),
        cmocka_unit_test(what_was_not_saved_is_not_loaded),
        cmocka_unit_test(input_out_of_its_range_is_not_stepped),
        cmocka_unit_test(failing_save_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
