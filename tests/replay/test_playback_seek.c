// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recording.h"

#define TICKS 400

static memory_file file;
static bks_replay *replay;
static bks_playback *playback;
static uint32_t random_state;

static bks_tick draw(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (bks_tick)((random_state >> 8) % (TICKS + 1));
}

static void begin(uint32_t keyframe_ticks, size_t memory_bytes)
{
    const bks_replay_detail detail = {.keyframe_ticks = keyframe_ticks,
                                      .keyframe_bytes = UINT64_C(1) << 40};
    memory_file_init(&file);
    walk_record_with(&file, TICKS, true, &detail);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    const bks_playback_config config = {
        .replay = replay, .game = &walk_game, .memory_bytes = memory_bytes};
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    random_state = 1;
}

static void end(void)
{
    bks_playback_destroy(playback);
    bks_replay_close(replay);
    memory_file_free(&file);
}

/// Go to a tick; what that took.
static bks_playback_costs seek(bks_tick tick)
{
    bks_playback_costs before;
    bks_playback_costs after;
    assert_int_equal(bks_playback_get_costs(playback, &before), BKS_OK);
    assert_int_equal(bks_playback_seek(playback, tick, NULL), BKS_OK);
    assert_int_equal(bks_playback_tick(playback), tick);
    assert_true(bks_playback_hash(playback) == walk_what_happened()->hashes[tick]);
    assert_memory_equal(bks_playback_state(playback), &walk_what_happened()->states[tick],
                        sizeof(walk_state));
    assert_int_equal(bks_playback_get_costs(playback, &after), BKS_OK);
    return (bks_playback_costs){.steps = after.steps - before.steps,
                                .keyframes = after.keyframes - before.keyframes,
                                .starts = after.starts - before.starts};
}

static void any_tick_costs_a_spacing_of_steps_and_16_keyframes_at_most(void **state)
{
    (void)state;
    begin(11, 0);
    for (uint32_t i = 0; i < 500; i++) {
        const bks_playback_costs costs = seek(draw());
        assert_true(costs.steps < 11);
        assert_true(costs.keyframes <= 16);
        assert_true(costs.starts <= 1);
    }
    end();
}

static void without_keyframes_it_starts_again_unless_it_goes_on(void **state)
{
    (void)state;
    begin(0, 0);
    bks_tick here = 0;
    for (uint32_t i = 0; i < 100; i++) {
        const bks_tick tick = draw();
        const bks_playback_costs costs = seek(tick);
        assert_int_equal(costs.starts, tick < here);
        assert_int_equal(costs.steps, tick < here ? tick : tick - here);
        assert_int_equal(costs.keyframes, 0);
        here = tick;
    }
    end();
}

static void kept_states_stand_in_for_keyframes(void **state)
{
    (void)state;
    begin(0, 64 * sizeof(walk_state));
    assert_int_equal(seek(TICKS).steps, TICKS);
    for (uint32_t i = 0; i < 500; i++) {
        const bks_tick tick = draw();
        const bks_playback_costs costs = seek(tick);
        assert_true(costs.steps < 64);
        assert_true(costs.starts == 0 || tick < 64); // before the first kept one: init
    }
    bks_playback_costs costs;
    assert_int_equal(bks_playback_get_costs(playback, &costs), BKS_OK);
    assert_true(costs.kept > 6);
    end();
}

static void stepping_back_tick_by_tick_is_cheap(void **state)
{
    (void)state;
    begin(50, 100 * sizeof(walk_state));
    (void)seek(TICKS);
    uint64_t steps = 0;
    for (bks_tick tick = TICKS - 1; tick >= 0; tick--) {
        steps += seek(tick).steps;
    }
    // 32 states are kept on each way back: a spacing of steps for 33 ticks.
    assert_true(steps < 2 * TICKS);
    end();
}

static void less_memory_than_a_state_keeps_none(void **state)
{
    (void)state;
    begin(0, sizeof(walk_state) - 1);
    (void)seek(TICKS);
    assert_int_equal(seek(100).starts, 1);
    end();
}

static uint32_t heard;

static void hear_mark(void *context, bks_tick tick, const char *name, uint64_t hash)
{
    (void)context, (void)name, (void)hash;
    assert_int_equal(tick, 200);
    heard++;
}

static void steps_of_a_search_are_not_heard(void **state)
{
    (void)state;
    begin(0, 0);
    const bks_playback_listener listener = {.mark = hear_mark};
    assert_int_equal(bks_playback_listen(playback, &listener), BKS_OK);
    (void)seek(200);
    assert_int_equal(heard, 0);
    assert_int_equal(bks_playback_step(playback), BKS_OK);
    assert_int_equal(heard, 1);
    end();
}

static void exported_state_is_that_of_the_tick(void **state)
{
    (void)state;
    begin(25, 0);
    static walk_state bytes;
    (void)seek(123);
    assert_int_equal(bks_playback_export(playback, NULL, 0), sizeof(bytes));
    assert_int_equal(bks_playback_export(playback, &bytes, sizeof(bytes)), sizeof(bytes));
    assert_memory_equal(&bytes, &walk_what_happened()->states[123], sizeof(bytes));
    assert_int_equal(bks_playback_export(playback, &bytes, sizeof(bytes) - 1), 0);
    assert_int_equal(bks_playback_export(NULL, &bytes, sizeof(bytes)), 0);
    end();
}

static void going_nowhere_is_refused(void **state)
{
    (void)state;
    begin(25, 0);
    assert_int_equal(bks_playback_seek(playback, -1, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_playback_seek(playback, TICKS + 1, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_playback_seek(NULL, 0, NULL), BKS_ERR_BAD_ARGUMENT);
    bks_playback_costs costs;
    assert_int_equal(bks_playback_get_costs(NULL, &costs), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_playback_get_costs(playback, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_playback_tick(playback), 0);
    end();
}

/// A game that keeps its state to itself.
static void *own_create(const bks_start *start)
{
    (void)start;
    return calloc(1, sizeof(walk_state));
}
static void own_destroy(void *state)
{
    free(state);
}
static void own_init(void *state, const bks_start *start)
{
    memset(state, 0, sizeof(walk_state));
    walk_game.init(state, start);
}
static void own_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(walk_state));
}
static size_t own_save(const void *state, void *bytes, size_t capacity)
{
    if (capacity < sizeof(walk_state)) {
        return 0;
    }
    memcpy(bytes, state, sizeof(walk_state));
    return sizeof(walk_state);
}
static bool own_load(void *state, const void *bytes, size_t count)
{
    memcpy(state, bytes, sizeof(walk_state));
    return count == sizeof(walk_state);
}

static void game_that_keeps_its_state_to_itself_goes_back_too(void **state)
{
    (void)state;
    bks_game own = walk_game;
    own.state_bytes = 0;
    own.create = own_create;
    own.destroy = own_destroy;
    own.init = own_init;
    own.hash = own_hash;
    own.save_bytes_max = sizeof(walk_state);
    own.save = own_save;
    own.load = own_load;
    begin(0, 0);
    const bks_playback_config config = {
        .replay = replay, .game = &own, .memory_bytes = 20 * sizeof(walk_state)};
    bks_playback *other = NULL;
    bks_playback_destroy(playback);
    assert_int_equal(bks_playback_create(&config, &other, NULL), BKS_OK);
    for (uint32_t i = 0; i < 100; i++) {
        const bks_tick tick = draw();
        assert_int_equal(bks_playback_seek(other, tick, NULL), BKS_OK);
        assert_memory_equal(bks_playback_state(other), &walk_what_happened()->states[tick],
                            sizeof(walk_state));
    }
    playback = other;
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_tick_costs_a_spacing_of_steps_and_16_keyframes_at_most),
        cmocka_unit_test(without_keyframes_it_starts_again_unless_it_goes_on),
        cmocka_unit_test(kept_states_stand_in_for_keyframes),
        cmocka_unit_test(stepping_back_tick_by_tick_is_cheap),
        cmocka_unit_test(less_memory_than_a_state_keeps_none),
        cmocka_unit_test(steps_of_a_search_are_not_heard),
        cmocka_unit_test(exported_state_is_that_of_the_tick),
        cmocka_unit_test(going_nowhere_is_refused),
        cmocka_unit_test(game_that_keeps_its_state_to_itself_goes_back_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
