// SPDX-License-Identifier: MIT

#include "input/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "input/some_input.h"

#define CAPACITY 16u

static const bks_field fields[] = {
    {.name = "stick", .bits = 8, .is_signed = true},
    {.name = "jump", .bits = 1, .predictor = BKS_PREDICT_RELEASE},
    {.name = "stance", .bits = 2, .neutral = 2, .predictor = BKS_PREDICT_RELEASE},
};

static bksi_layout layout;
static const bks_allocator libc = {0};

static int setup(void **state)
{
    static bksi_timeline timeline;
    *state = &timeline;
    if (bksi_layout_init(&layout, fields, 3, NULL) != BKS_OK) {
        return -1;
    }
    return bksi_timeline_create(&timeline, &layout, CAPACITY, &libc) == BKS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    bksi_timeline_destroy(*state, &libc);
    bksi_timeline_destroy(*state, &libc); // a second time does no harm
    return 0;
}

static void packed(uint8_t out[2], int32_t stick, int32_t jump, int32_t stance)
{
    const int32_t values[3] = {stick, jump, stance};
    assert_int_equal(bksi_layout_pack(&layout, values, out, NULL), BKS_OK);
}

static bks_tick append(bksi_timeline *timeline, int32_t stick, int32_t jump, int32_t stance)
{
    uint8_t bytes[2];
    packed(bytes, stick, jump, stance);
    return bksi_timeline_append(timeline, bytes);
}

static void use(bksi_timeline *timeline, bks_tick tick, int32_t stick, int32_t jump, int32_t stance)
{
    uint8_t bytes[2];
    packed(bytes, stick, jump, stance);
    bksi_timeline_use(timeline, tick, bytes);
}

static void assert_at(const bksi_timeline *timeline, bks_tick tick, int32_t stick, int32_t jump,
                      int32_t stance)
{
    uint8_t bytes[2] = {0xFF, 0xFF};
    int32_t values[3];
    bksi_timeline_at(timeline, tick, bytes);
    bksi_layout_unpack(&layout, bytes, values);
    assert_int_equal(values[0], stick);
    assert_int_equal(values[1], jump);
    assert_int_equal(values[2], stance);
}

static void empty_timeline_predicts_neutral(void **state)
{
    const bksi_timeline *timeline = *state;
    assert_int_equal(timeline->head, 0);
    assert_at(timeline, 0, 0, 0, 2);
    assert_at(timeline, 1000, 0, 0, 2);
    assert_memory_equal(bksi_timeline_confirmed(timeline, -1), layout.neutral, layout.bytes);
}

static void confirmed_below_the_head_predicted_from_there_on(void **state)
{
    bksi_timeline *timeline = *state;
    assert_int_equal(append(timeline, -5, 1, 3), BKS_TICK_NONE);
    assert_int_equal(append(timeline, 70, 1, 0), BKS_TICK_NONE);
    assert_int_equal(timeline->head, 2);
    assert_at(timeline, 0, -5, 1, 3);
    assert_at(timeline, 1, 70, 1, 0);
    // Held stick, released jump and stance: at the head and however far beyond.
    assert_at(timeline, 2, 70, 0, 2);
    assert_at(timeline, 3, 70, 0, 2);
    assert_at(timeline, 12, 70, 0, 2);
}

static void append_names_the_tick_that_was_stepped_with_something_else(void **state)
{
    bksi_timeline *timeline = *state;
    append(timeline, 10, 0, 2);
    use(timeline, 0, 10, 0, 2);
    use(timeline, 1, 10, 0, 2);
    use(timeline, 2, 10, 0, 2);
    use(timeline, 3, 10, 0, 2);
    assert_int_equal(append(timeline, 10, 0, 2), BKS_TICK_NONE); // guessed right
    assert_int_equal(append(timeline, 10, 1, 2), 2);             // guessed wrong
    use(timeline, 2, 10, 1, 2);                                  // resimulated
    use(timeline, 3, 11, 0, 2);
    assert_int_equal(timeline->used_head, 4);
    assert_int_equal(append(timeline, 11, 0, 2), BKS_TICK_NONE);
    assert_int_equal(append(timeline, 99, 1, 1), BKS_TICK_NONE); // not stepped yet
}

static void what_was_stepped_is_compared_with_what_is_known_and_guessed_now(void **state)
{
    bksi_timeline *timeline = *state;
    append(timeline, 10, 0, 2);
    for (bks_tick tick = 0; tick < 5; tick++) {
        use(timeline, tick, 10, 0, 2);
    }
    assert_true(bksi_timeline_is_as_used(timeline, 0, 5));
    append(timeline, 10, 1, 2); // a tap: known to be another, and the same guesses after it
    assert_false(bksi_timeline_is_as_used(timeline, 0, 5));
    assert_false(bksi_timeline_is_as_used(timeline, 1, 2));
    assert_true(bksi_timeline_is_as_used(timeline, 0, 1));
    assert_true(bksi_timeline_is_as_used(timeline, 2, 5));
    append(timeline, 11, 0, 2); // held: guessed differently from here on
    assert_false(bksi_timeline_is_as_used(timeline, 4, 5));
    assert_true(bksi_timeline_is_as_used(timeline, 5, 5));
}

static void last_bit_of_an_input_counts(void **state)
{
    bksi_timeline *timeline = *state;
    use(timeline, 0, 0, 0, 2);
    assert_int_equal(append(timeline, 0, 0, 0), 0);
}

static void ring_keeps_the_newest_ticks(void **state)
{
    bksi_timeline *timeline = *state;
    for (int32_t tick = 0; tick < 1000; tick++) {
        append(timeline, tick % 100, tick & 1, tick & 3);
        const int32_t oldest = tick >= (int32_t)CAPACITY ? tick - (int32_t)CAPACITY + 1 : 0;
        for (int32_t back = oldest; back <= tick; back++) {
            assert_at(timeline, back, back % 100, back & 1, back & 3);
        }
    }
    uint8_t bytes[2];
    packed(bytes, 99, 1, 3);
    assert_memory_equal(bksi_timeline_confirmed(timeline, 999), bytes, 2);
    packed(bytes, 84, 0, 0);
    assert_memory_equal(bksi_timeline_confirmed(timeline, 1000 - (int32_t)CAPACITY), bytes, 2);
}

/// A plain model of the same: every input and every step kept forever.
static void random_steps_and_arrivals_find_exactly_the_wrong_guesses(void **state)
{
    bksi_timeline *timeline = *state;
    uint8_t truth[2000][2];
    uint8_t stepped[2000][2];
    bks_tick head = 0;
    bks_tick now = 0;
    while (head < 1900) {
        const bks_tick ahead = now - head; // as far as the ring remembers, either way
        if (ahead <= -(bks_tick)CAPACITY || (ahead < (bks_tick)CAPACITY && some_below(2) == 0)) {
            bksi_timeline_at(timeline, now, stepped[now]);
            bksi_timeline_use(timeline, now, stepped[now]);
            now++;
            continue;
        }
        if (head > 0 && some_below(3) != 0) {
            memcpy(truth[head], truth[head - 1], 2);
        } else {
            const int32_t values[3] = {some_value(&fields[0]), some_value(&fields[1]),
                                       some_value(&fields[2])};
            bksi_layout_pack_clamped(&layout, values, truth[head]);
        }
        const bool is_wrong = head < now && memcmp(truth[head], stepped[head], 2) != 0;
        const bks_tick wrong = bksi_timeline_append(timeline, truth[head]);
        assert_int_equal(wrong, is_wrong ? head : BKS_TICK_NONE);
        head++;
        for (bks_tick tick = is_wrong ? wrong : now; tick < now; tick++) {
            bksi_timeline_at(timeline, tick, stepped[tick]);
            bksi_timeline_use(timeline, tick, stepped[tick]);
        }
    }
}

static void a_timeline_begins_at_any_tick(void **state)
{
    bksi_timeline *timeline = *state;
    uint8_t bytes[2];
    uint8_t neutral[2];
    packed(neutral, 0, 0, 2);
    bksi_timeline_begin(timeline, 1000);
    assert_int_equal(timeline->head, 1000);
    assert_memory_equal(bksi_timeline_confirmed(timeline, 999), neutral, 2);
    bksi_timeline_at(timeline, 1000, bytes);
    assert_memory_equal(bytes, neutral, 2);
    use(timeline, 1000, 0, 0, 2);
    use(timeline, 1001, 0, 0, 2);
    assert_int_equal(append(timeline, 0, 0, 2), BKS_TICK_NONE);
    assert_int_equal(append(timeline, 5, 0, 2), 1001);
    assert_true(bksi_timeline_is_as_used(timeline, 1000, 1001));
    assert_false(bksi_timeline_is_as_used(timeline, 1000, 1002));
    assert_memory_equal(bksi_timeline_confirmed(timeline, 999), neutral, 2);
}

static void *no_memory(void *context, size_t bytes, size_t alignment)
{
    (void)alignment;
    int *calls_left = context;
    return (*calls_left)-- > 0 ? calloc(1, bytes) : NULL;
}

static void give_back(void *context, void *memory, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(memory);
}

static void create_without_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    for (int calls = 0; calls < 2; calls++) {
        int calls_left = calls;
        const bks_allocator allocator = {no_memory, give_back, &calls_left};
        bksi_timeline timeline;
        assert_int_equal(bksi_timeline_create(&timeline, &layout, 8, &allocator),
                         BKS_ERR_OUT_OF_MEMORY);
        assert_null(timeline.inputs);
        assert_null(timeline.used);
    }
    bksi_timeline_destroy(NULL, &libc);
}

int main(int argc, char **argv)
{
    some_begin(argc, argv, 20262);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(empty_timeline_predicts_neutral, setup, teardown),
        cmocka_unit_test_setup_teardown(confirmed_below_the_head_predicted_from_there_on, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(append_names_the_tick_that_was_stepped_with_something_else,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            what_was_stepped_is_compared_with_what_is_known_and_guessed_now, setup, teardown),
        cmocka_unit_test_setup_teardown(last_bit_of_an_input_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(ring_keeps_the_newest_ticks, setup, teardown),
        cmocka_unit_test_setup_teardown(a_timeline_begins_at_any_tick, setup, teardown),
        cmocka_unit_test_setup_teardown(random_steps_and_arrivals_find_exactly_the_wrong_guesses,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(create_without_memory_leaves_nothing_behind, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
