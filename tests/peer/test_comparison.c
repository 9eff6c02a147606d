// SPDX-License-Identifier: MIT

#include "peer/comparison.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { PAGE = 4096, STATE = 3 * PAGE + 100, SLOTS = 4 };

typedef struct looked_at {
    uint8_t bytes[STATE];
} looked_at;

static const bks_field fields[] = {{.name = "push", .bits = 1}};
static const bks_state_range ranges[] = {
    {.name = "score", .offset_bytes = 2 * PAGE + 8, .type = BKS_STATE_U32, .count = 4},
};

static void init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void step(void *state, const bks_step *step)
{
    (void)state;
    (void)step;
}

static bks_game some_game(void)
{
    return (bks_game){.name = "looked_at",
                      .version = 1,
                      .state_bytes = STATE,
                      .tick_rate_hz = 60,
                      .players_max = 1,
                      .fields = fields,
                      .field_count = 1,
                      .ranges = ranges,
                      .range_count = 1,
                      .init = init,
                      .step = step};
}

static bks_game game;
static bksi_runner *runner;
static bksi_comparison comparison;
static const bks_allocator by_default;

static void begin(void)
{
    const bksi_runner_config config = {
        .game = &game, .players = 1, .tick_rate_hz = 60, .kept_slots = SLOTS};
    assert_int_equal(bksi_runner_create(&config, &runner, NULL), BKS_OK);
    memset(&comparison, 0, sizeof(comparison));
    assert_int_equal(bksi_comparison_fit(&comparison, runner, NULL, &by_default), BKS_OK);
}

static int end(void **state)
{
    (void)state;
    bksi_comparison_destroy(&comparison);
    bksi_runner_destroy(runner);
    return 0;
}

static uint8_t *bytes(void)
{
    return ((looked_at *)bksi_runner_state(runner))->bytes;
}

static void keep(uint32_t slot)
{
    (void)bksi_runner_hash(runner);
    assert_true(bksi_runner_keep(runner, slot));
}

static bks_op_result carry_out(const bks_op *op)
{
    bks_op_result result = {0};
    bksi_comparison_carry_out(&comparison, runner, op, &result);
    return result;
}

// ---- a game that keeps its state to itself ----

static uint32_t object[4];

static void *create(const bks_start *start)
{
    (void)start;
    return object;
}

static void destroy(void *state)
{
    (void)state;
}

static size_t save(const void *state, void *out, size_t capacity)
{
    assert_true(capacity >= sizeof(object));
    memcpy(out, state, sizeof(object));
    return sizeof(object);
}

static uint32_t refuses_load; ///< so many loads

static bool load(void *state, const void *saved, size_t count)
{
    if (refuses_load > 0) {
        refuses_load--;
        return false;
    }
    memcpy(state, saved, count);
    return true;
}

static void hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(object));
}

static int setup_object(void **state)
{
    (void)state;
    static const bks_state_range own[] = {
        {.name = "score", .offset_bytes = 4, .type = BKS_STATE_U32, .count = 3}};
    game = some_game();
    game.state_bytes = 0;
    game.save_bytes_max = STATE;
    game.create = create;
    game.destroy = destroy;
    game.save = save;
    game.load = load;
    game.hash = hash;
    game.ranges = own;
    memset(object, 0, sizeof(object));
    begin();
    return 0;
}

static void of_a_game_without_a_region_it_is_what_save_writes(void **state)
{
    (void)state;
    static const uint32_t first[] = {0};
    object[2] = 7;
    keep(0);
    object[2] = 8;
    keep(1);
    const bks_op read = {
        .kind = BKS_OP_READ, .keep = 1, .look = &(bks_look){.firsts = first, .count = 1}};
    const bks_op_result other = carry_out(&read);
    assert_int_equal(other.state_bytes, sizeof(object));
    uint8_t theirs[64];
    memcpy(theirs, other.bytes, sizeof(theirs));
    const bks_op name = {
        .kind = BKS_OP_NAME,
        .keep = 0,
        .look = &(bks_look){
            .firsts = first, .count = 1, .bytes = theirs, .state_bytes = sizeof(object)}};
    const bks_op_result named = carry_out(&name);
    assert_string_equal(named.object, "score");
    assert_string_equal(named.field, "[1]");
    assert_string_equal(named.own_value, "7");
    assert_string_equal(named.peer_value, "8");
}

static int setup(void **state)
{
    (void)state;
    game = some_game();
    begin();
    return 0;
}

static void two_states_differ_in_the_parts_that_changed_alone(void **state)
{
    (void)state;
    static const uint32_t shifts[] = {0, 6, 12, 24};
    static const uint32_t firsts[] = {128};
    keep(0);
    bytes()[2 * PAGE + 8] = 1; // the first of block 128
    keep(1);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t top[] = {0};
        bks_op op = {
            .kind = BKS_OP_PARTS,
            .keep = 0,
            .look = &(bks_look){.shift = shifts[i], .firsts = i == 0 ? firsts : top, .count = 1}};
        uint32_t parts[64];
        const bks_op_result one = carry_out(&op);
        assert_int_equal(one.state_bytes, STATE);
        memcpy(parts, one.parts, sizeof(parts));
        op.keep = 1;
        const bks_op_result other = carry_out(&op);
        for (uint32_t k = 0; k < 64; k++) {
            const uint32_t changed = i == 1 ? 2 : 0;
            assert_int_equal(parts[k] == other.parts[k], k != changed);
            const bool is_there = i == 0 || (i == 1 ? k < 4 : k < 1);
            assert_int_equal(parts[k] != 0, is_there);
        }
    }
}

static void blocks_are_read_with_zeros_behind_the_end(void **state)
{
    (void)state;
    static const uint32_t blocks[] = {0, 3 * 64 + 1, 1000};
    memset(bytes(), 7, STATE);
    keep(2);
    const bks_op op = {
        .kind = BKS_OP_READ, .keep = 2, .look = &(bks_look){.firsts = blocks, .count = 3}};
    const bks_op_result read = carry_out(&op);
    assert_int_equal(read.bytes[0], 7);
    assert_int_equal(read.bytes[64 + 35], 7); // 100 - 64 bytes of it
    assert_int_equal(read.bytes[64 + 36], 0);
    assert_int_equal(read.bytes[128], 0);
}

static void what_differs_is_named_with_both_values(void **state)
{
    (void)state;
    static const uint32_t blocks[] = {128};
    uint8_t other[64] = {0};
    keep(0);
    other[8 + 4] = 9;
    const bks_op op = {
        .kind = BKS_OP_NAME,
        .keep = 0,
        .look = &(bks_look){.firsts = blocks, .count = 1, .bytes = other, .state_bytes = STATE}};
    const bks_op_result named = carry_out(&op);
    assert_string_equal(named.object, "score");
    assert_string_equal(named.field, "[1]");
    assert_string_equal(named.own_value, "0");
    assert_string_equal(named.peer_value, "9");
    assert_int_equal(named.offset_bytes, 2 * PAGE + 12);
}

static void whatever_a_peer_says_its_state_is_nothing_beyond_the_room_is_touched(void **state)
{
    (void)state;
    static const uint32_t blocks[] = {0, 255, UINT32_MAX};
    static const uint64_t sizes[] = {1, 63, STATE, STATE + 5000, UINT64_MAX};
    uint8_t other[3 * 64];
    memset(other, 0xFF, sizeof(other));
    keep(0);
    for (uint32_t i = 0; i < 5; i++) {
        const bks_op op = {
            .kind = BKS_OP_NAME,
            .keep = 0,
            .look =
                &(bks_look){.firsts = blocks, .count = 3, .bytes = other, .state_bytes = sizes[i]}};
        assert_non_null(carry_out(&op).object);
    }
    memset(other, 0, sizeof(other));
    const bks_op same = {
        .kind = BKS_OP_NAME,
        .keep = 0,
        .look = &(bks_look){.firsts = blocks, .count = 1, .bytes = other, .state_bytes = STATE}};
    assert_true(carry_out(&same).is_same); // the bytes of a liar: there is no difference
}

static void where_only_the_size_differs_it_is_named(void **state)
{
    (void)state;
    static const uint32_t blocks[] = {STATE / 64};
    const uint8_t other[64] = {0};
    keep(0);
    const bks_op op = {.kind = BKS_OP_NAME,
                       .keep = 0,
                       .look = &(bks_look){
                           .firsts = blocks, .count = 1, .bytes = other, .state_bytes = STATE + 1}};
    const bks_op_result named = carry_out(&op);
    assert_false(named.is_same);
    assert_string_equal(named.object, "(unnamed)");
    assert_string_equal(named.field, "size");
    assert_string_equal(named.own_value, "12388 bytes");
    assert_string_equal(named.peer_value, "12389 bytes");
    assert_int_equal(named.offset_bytes, STATE);
}

static void states_with_raw_pointers_are_shown_to_no_one(void **state)
{
    (void)state;
    static const uint32_t first[] = {0};
    keep(0);
    game.pointers = true;
    const bks_op op = {
        .kind = BKS_OP_PARTS, .keep = 0, .look = &(bks_look){.firsts = first, .count = 1}};
    assert_int_equal(carry_out(&op).state_bytes, 0);
    assert_null(carry_out(&op).parts);
}

// ---- what a peer's bytes mend ----

static bks_op_result write_blocks(uint32_t slot, const uint32_t *blocks, uint32_t count,
                                  const uint8_t *theirs, uint64_t state_bytes)
{
    const bks_op op = {
        .kind = BKS_OP_WRITE,
        .keep = slot,
        .look = &(bks_look){
            .firsts = blocks, .count = count, .bytes = theirs, .state_bytes = state_bytes}};
    return carry_out(&op);
}

static bks_op_result restore(uint32_t slot, uint64_t hash_of_state)
{
    const bks_op op = {
        .kind = BKS_OP_RESTORE, .keep = slot, .look = &(bks_look){.hash = hash_of_state}};
    bks_op_result result = {0};
    bksi_comparison_restore(&comparison, runner, &op, &result);
    return result;
}

static void a_kept_state_gets_the_blocks_of_a_peer_and_becomes_the_present_one(void **state)
{
    (void)state;
    static const uint32_t blocks[] = {1, 192};
    static uint8_t theirs[2 * 64];
    const size_t count = bksi_runner_used_bytes(runner);
    bytes()[70] = 1;
    bytes()[192 * 64 + 3] = 2;
    const uint64_t wanted = bksi_runner_hash(runner);
    memcpy(theirs, bytes() + 64, 64);
    memcpy(theirs + 64, bytes() + 192 * 64, 64);
    bytes()[70] = 9;
    bytes()[192 * 64 + 3] = 9;
    keep(0);
    assert_int_equal(restore(0, wanted).state_bytes, 0);
    assert_int_equal(bytes()[70], 9); // it is not what it must be
    assert_int_equal(write_blocks(0, blocks, 2, theirs, count).state_bytes, count);
    bytes()[70] = 5;
    assert_int_equal(restore(0, wanted).state_bytes, count);
    assert_int_equal(bytes()[70], 1);
    assert_int_equal(bytes()[192 * 64 + 3], 2);
    assert_true(bksi_runner_hash(runner) == wanted);
}

static void whatever_a_peer_gives_nothing_beyond_the_room_is_written(void **state)
{
    (void)state;
    static const uint32_t far[] = {UINT32_MAX};
    static uint8_t theirs[64];
    keep(0);
    assert_int_equal(write_blocks(0, far, 1, theirs, UINT64_MAX).state_bytes, 0);
    assert_int_equal(write_blocks(0, far, 1, theirs, 0).state_bytes, 0);
    assert_int_equal(write_blocks(0, far, 1, theirs, STATE).state_bytes, STATE);
    assert_int_equal(write_blocks(BKS_KEEP_NONE, far, 1, theirs, STATE).state_bytes, 0);
}

static void bytes_that_are_no_state_are_a_problem(void **state)
{
    (void)state;
    static const uint32_t first[] = {0};
    static uint8_t theirs[64];
    object[2] = 7;
    keep(0);
    theirs[8] = 3;
    assert_int_equal(write_blocks(0, first, 1, theirs, sizeof(object)).state_bytes, sizeof(object));
    refuses_load = 1;
    const bks_op_result refused = restore(0, 1);
    assert_int_equal(refused.state_bytes, 0);
    assert_null(refused.problem); // the present one is there
    assert_int_equal(object[2], 7);
    refuses_load = 2;
    const bks_op_result failed = restore(0, 1);
    assert_int_equal(failed.state_bytes, 0);
    assert_non_null(failed.problem);
}

/// The game's own hash is known once it has the bytes, and they are a liar's.
static void bytes_that_have_not_the_hash_do_not_stay_in_the_game(void **state)
{
    (void)state;
    static const uint32_t first[] = {0};
    static uint8_t theirs[64];
    object[2] = 3;
    const uint64_t wanted = bksi_runner_hash(runner);
    object[2] = 7;
    keep(0);
    object[2] = 8;
    theirs[8] = 4;
    (void)write_blocks(0, first, 1, theirs, sizeof(object));
    const bks_op_result lie = restore(0, wanted);
    assert_int_equal(lie.state_bytes, 0);
    assert_null(lie.problem);
    assert_int_equal(object[2], 8);
    theirs[8] = 3;
    (void)write_blocks(0, first, 1, theirs, sizeof(object));
    assert_int_equal(restore(0, wanted).state_bytes, sizeof(object));
    assert_int_equal(object[2], 3);
}

static const char *check(const void *state)
{
    return ((const uint8_t *)state)[70] == 9 ? "byte 70 is 9" : NULL;
}

static bks_op_result check_kept(uint32_t slot)
{
    const bks_op op = {.kind = BKS_OP_CHECK, .keep = slot, .look = &(bks_look){0}};
    bks_op_result result = {0};
    bksi_comparison_check(&comparison, runner, &op, &result);
    assert_null(result.problem);
    return result;
}

static void of_a_kept_state_it_is_said_whether_the_game_would_take_it(void **state)
{
    (void)state;
    game.check = check;
    bytes()[70] = 1;
    keep(0);
    bytes()[70] = 9;
    keep(1);
    bytes()[70] = 5;
    const uint64_t present = bksi_runner_hash(runner);
    assert_int_equal(check_kept(0).state_bytes, bksi_runner_used_bytes(runner));
    assert_int_equal(check_kept(1).state_bytes, 0);
    assert_int_equal(check_kept(BKS_KEEP_NONE).state_bytes, 0);
    assert_int_equal(bytes()[70], 5);
    assert_true(bksi_runner_hash(runner) == present);
}

static void so_it_is_of_what_load_would_refuse(void **state)
{
    (void)state;
    object[2] = 7;
    keep(0);
    object[2] = 8;
    assert_int_equal(check_kept(0).state_bytes, sizeof(object));
    refuses_load = 1;
    assert_int_equal(check_kept(0).state_bytes, 0);
    assert_int_equal(object[2], 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_states_differ_in_the_parts_that_changed_alone, setup,
                                        end),
        cmocka_unit_test_setup_teardown(blocks_are_read_with_zeros_behind_the_end, setup, end),
        cmocka_unit_test_setup_teardown(what_differs_is_named_with_both_values, setup, end),
        cmocka_unit_test_setup_teardown(
            whatever_a_peer_says_its_state_is_nothing_beyond_the_room_is_touched, setup, end),
        cmocka_unit_test_setup_teardown(where_only_the_size_differs_it_is_named, setup, end),
        cmocka_unit_test_setup_teardown(of_a_game_without_a_region_it_is_what_save_writes,
                                        setup_object, end),
        cmocka_unit_test_setup_teardown(
            a_kept_state_gets_the_blocks_of_a_peer_and_becomes_the_present_one, setup, end),
        cmocka_unit_test_setup_teardown(whatever_a_peer_gives_nothing_beyond_the_room_is_written,
                                        setup, end),
        cmocka_unit_test_setup_teardown(bytes_that_are_no_state_are_a_problem, setup_object, end),
        cmocka_unit_test_setup_teardown(bytes_that_have_not_the_hash_do_not_stay_in_the_game,
                                        setup_object, end),
        cmocka_unit_test_setup_teardown(of_a_kept_state_it_is_said_whether_the_game_would_take_it,
                                        setup, end),
        cmocka_unit_test_setup_teardown(so_it_is_of_what_load_would_refuse, setup_object, end),
        cmocka_unit_test_setup_teardown(states_with_raw_pointers_are_shown_to_no_one, setup, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
