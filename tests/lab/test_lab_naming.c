// SPDX-License-Identifier: MIT

#include "some_lab.h"

/// A game of plain numbers, with a pool and three marks.
typedef struct named_root {
    int32_t x[2];
    uint32_t score;
    uint32_t hidden; ///< takes part in `score`
    bks_ref shots;
} named_root;

typedef struct named_shot {
    int32_t age;
} named_shot;

static const bks_field named_fields[] = {{.name = "move", .bits = 7, .is_signed = true}};

static const bks_state_range named_ranges[] = {
    BKS_RANGE(named_root, x, false),
    BKS_RANGE(named_root, score, false),
    BKS_RANGE(named_root, hidden, false),
};

/// A static variable that a faulty game keeps outside its state.
static uint32_t outside;
static bks_tick outside_from;

static void named_init(void *state, const bks_start *start)
{
    named_root *root = state;
    (void)start;
    bks_arena *arena = bks_arena_of(state, sizeof(*root));
    bks_pool *shots = bks_pool_create(arena, "shots", sizeof(named_shot), 4);
    (void)bks_ref_set(&root->shots, shots);
    (void)bks_pool_add(shots, NULL);
}

static void named_step(void *state, const bks_step *step)
{
    named_root *root = state;
    bks_mark(step, "begin");
    for (uint32_t i = 0; i < 2; i++) {
        const int32_t *input = bks_step_input(step, i);
        root->x[i] += input[0];
    }
    bks_mark(step, "move");
    root->score += (uint32_t)(root->x[0] ^ root->x[1]) + root->hidden;
    if (step->tick >= outside_from) {
        root->score += outside++;
    }
    bks_mark(step, "score");
}

static const bks_game named_game = {
    .name = "named",
    .version = 1,
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = named_fields,
    .field_count = 1,
    .state_bytes = 4096,
    .root_bytes = sizeof(named_root),
    .init = named_init,
    .step = named_step,
    .ranges = named_ranges,
    .range_count = 3,
};

static bks_lab_config named_config(uint64_t history_bytes)
{
    bks_lab_config config = some_lab_config(1, 2, 200);
    config.game = &named_game;
    config.history_bytes = history_bytes;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(bks_monkey_init(&some_monkeys[i], named_fields, 1, 1, i, 1, 1, NULL),
                         BKS_OK);
        config.sources[i] = bks_monkey_source(&some_monkeys[i]);
    }
    outside_from = INT32_MAX;
    return config;
}

static bks_lab_result named_match(uint64_t history_bytes, const char *fault)
{
    const bks_lab_config config = named_config(history_bytes);
    return some_match(&config, "delay=30ms,jitter=10ms,loss=2%", fault);
}

static void expect_difference(const bks_lab_result *result, const char *mark, const char *name)
{
    assert_true(result->difference.is_named);
    assert_string_equal(result->difference.mark, mark);
    assert_string_equal(result->difference.place.name, name);
    assert_int_equal(result->difference.value_peers, 3);
    assert_string_not_equal(result->difference.values[0], result->difference.values[1]);
}

static void a_flipped_bit_has_its_name_and_both_values(void **state)
{
    (void)state;
    char fault[64];
    (void)snprintf(fault, sizeof(fault), "flip=1@100:byte:%u:3",
                   (unsigned)offsetof(named_root, x) + 5);
    const bks_lab_result result = named_match(1 << 20, fault);
    assert_int_equal(result.flip_count, 1);
    const bks_lab_flip_result *flip = &result.flips[0];
    assert_int_equal(flip->peer, 1);
    assert_int_equal(flip->tick, 100);
    assert_int_equal(flip->offset_bytes, offsetof(named_root, x) + 5);
    assert_int_equal(flip->bit, 3);
    assert_true(flip->is_reached && flip->is_named && !flip->is_beyond);
    assert_string_equal(flip->place.name, "x[1]");
    assert_int_equal(result.desync_tick, 100);
    assert_int_equal(result.desync_peers, 2);
    expect_difference(&result, "(start)", "x[1]");
}

static void a_flipped_bit_of_the_first_tick_differs_from_the_start(void **state)
{
    (void)state;
    char fault[64];
    (void)snprintf(fault, sizeof(fault), "flip=0@0:byte:%u:0",
                   (unsigned)offsetof(named_root, hidden));
    const bks_lab_result result = named_match(1 << 20, fault);
    assert_int_equal(result.desync_tick, 0);
    expect_difference(&result, "(start)", "root.hidden");
}

static void other_inputs_differ_at_the_mark_behind_them(void **state)
{
    (void)state;
    const bks_lab_result result = named_match(1 << 20, "lie=0@1s");
    assert_int_not_equal(result.desync_tick, BKS_TICK_NONE);
    expect_difference(&result, "move", "x[0]");
}

/// Both peers are in one process and share the variable, so they see different values of it.
static void what_lies_outside_the_state_is_not_repeated(void **state)
{
    (void)state;
    const bks_lab_config config = named_config(1 << 20);
    outside_from = 50;
    outside = 1;
    const bks_lab_result result = some_match(&config, NULL, NULL);
    assert_int_equal(result.desync_tick, 51);
    assert_string_equal(result.difference.place.name, "root.score");
    assert_true(strcmp(result.difference.mark, "score") == 0 ||
                strcmp(result.difference.mark, "(step)") == 0);
}

static void an_offset_behind_the_state_changes_nothing_and_is_said(void **state)
{
    (void)state;
    const bks_lab_result result = named_match(0, "flip=1@100:byte:4000:3");
    assert_agreed(&result, 200);
    assert_true(result.flips[0].is_reached && result.flips[0].is_beyond);
    assert_in_range(result.flips[0].used_bytes, sizeof(named_root) + 64, 3999);
}

static void without_room_for_states_nothing_has_a_name(void **state)
{
    (void)state;
    static const uint64_t rooms[] = {0, 8191};
    for (size_t i = 0; i < 2; i++) {
        const bks_lab_result result = named_match(rooms[i], "flip=1@100:byte:0:3");
        assert_int_equal(result.desync_tick, 100);
        assert_false(result.difference.is_named);
        assert_false(result.flips[0].is_named);
    }
}

/// Play a match whose peers predict far ahead.
static bks_lab_result guessing_match(uint64_t history_bytes)
{
    bks_lab_config config = named_config(history_bytes);
    config.tuning.delay_ticks = 0;
    return some_match(&config, "delay=100ms", "flip=1@100:byte:0:3");
}

/// A tick whose state is no longer retained must not get a wrong name.
static void little_room_gives_no_names_or_right_ones(void **state)
{
    (void)state;
    const bks_lab_result wide = guessing_match(1 << 20);
    uint32_t named = 0;
    for (uint64_t states = 4; states <= 64; states *= 2) {
        const bks_lab_result result = guessing_match(states * 4200);
        assert_int_equal(result.desync_tick, 100);
        if (result.difference.is_named) {
            expect_difference(&result, "(start)", "x[0]");
            assert_string_equal(result.difference.values[0], wide.difference.values[0]);
            assert_string_equal(result.difference.values[1], wide.difference.values[1]);
            named++;
        }
    }
    assert_in_range(named, 1, 4);
}

static void names_change_nothing_in_a_match(void **state)
{
    (void)state;
    const bks_lab_result without = named_match(0, NULL);
    const bks_lab_result with = named_match(1 << 20, NULL);
    assert_agreed(&with, 200);
    assert_true(without.packet_digest == with.packet_digest);
    assert_true(without.final_hash == with.final_hash);
}

static void a_bit_of_bookkeeping_is_the_arenas(void **state)
{
    (void)state;
    char fault[64];
    const unsigned arena = (sizeof(named_root) + 15) / 16 * 16;
    (void)snprintf(fault, sizeof(fault), "flip=1@100:byte:%u:6",
                   arena + 64 + 2); // the magic number of a pool
    const bks_lab_result result = named_match(1 << 20, fault);
    assert_string_equal(result.flips[0].place.object, "(pool shots)");
    assert_string_equal(result.difference.place.object, "(pool shots)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flipped_bit_has_its_name_and_both_values),
        cmocka_unit_test(a_flipped_bit_of_the_first_tick_differs_from_the_start),
        cmocka_unit_test(other_inputs_differ_at_the_mark_behind_them),
        cmocka_unit_test(what_lies_outside_the_state_is_not_repeated),
        cmocka_unit_test(an_offset_behind_the_state_changes_nothing_and_is_said),
        cmocka_unit_test(without_room_for_states_nothing_has_a_name),
        cmocka_unit_test(little_room_gives_no_names_or_right_ones),
        cmocka_unit_test(names_change_nothing_in_a_match),
        cmocka_unit_test(a_bit_of_bookkeeping_is_the_arenas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
