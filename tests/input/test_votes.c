// SPDX-License-Identifier: MIT

#include "input/votes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "input/some_input.h"

static const bks_allocator libc = {0};

static const bks_field fields[] = {
    {.name = "b0", .bits = 1, .group = 1, .predictor = BKS_PREDICT_VOTE},
    {.name = "b1", .bits = 1, .group = 1, .predictor = BKS_PREDICT_VOTE},
    {.name = "b2", .bits = 1, .group = 2, .predictor = BKS_PREDICT_VOTE},
    {.name = "x", .bits = 8, .is_signed = true, .kind = BKS_FIELD_STICK_X, .group = 3},
    {.name = "y", .bits = 8, .is_signed = true, .kind = BKS_FIELD_STICK_Y, .group = 3},
    {.name = "angle", .bits = 20, .kind = BKS_FIELD_ANGLE, .predictor = BKS_PREDICT_VOTE},
    {.name = "length", .bits = 20, .kind = BKS_FIELD_MAGNITUDE, .predictor = BKS_PREDICT_VOTE},
    {.name = "trigger", .bits = 8, .predictor = BKS_PREDICT_VOTE},
};
enum { STICK = 2, TRIGGER = 5 }; // units when all fields are voted on

static bksi_layout layout;

static int setup(void **state)
{
    static bksi_votes votes;
    *state = &votes;
    if (bksi_layout_init(&layout, fields, sizeof(fields) / sizeof(fields[0]), NULL) != BKS_OK) {
        return -1;
    }
    return bksi_votes_create(&votes, &layout, true, &libc) == BKS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    bksi_votes_destroy(*state, &libc);
    bksi_votes_destroy(*state, &libc); // a second time does no harm
    return 0;
}

static uint32_t stick(int32_t x, int32_t y)
{
    return (uint32_t)(uint8_t)x | (uint32_t)(uint8_t)y << 8;
}

/// Show a sequence of a unit's values, and what is guessed to come after it.
static uint32_t show(bksi_votes *votes, uint32_t unit, const uint32_t *values, uint32_t count)
{
    bksi_unit_past past = {0};
    for (uint32_t i = 0; i < count; i++) {
        bksi_votes_learn(votes, unit, &past, values[i]);
        bksi_unit_past_push(&past, values[i]);
    }
    return bksi_votes_guess(votes, unit, &past);
}

static void what_belongs_together_is_one_unit(void **state)
{
    const bksi_votes *votes = *state;
    // b0 b1 | b2 | stick | angle, too wide with | its length | trigger
    static const uint8_t bits[] = {2, 1, 16, 20, 20, 8};
    static const uint16_t offsets[] = {0, 2, 3, 19, 39, 59};
    assert_int_equal(votes->unit_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(votes->units[i].bits, bits[i]);
        assert_int_equal(votes->units[i].offset_bits, offsets[i]);
    }
    assert_int_equal(votes->units[STICK].first_bits, 8);
    assert_true(votes->units[STICK].is_mirrored);
    assert_false(votes->units[TRIGGER].is_mirrored);
    bksi_votes some;
    assert_int_equal(bksi_votes_create(&some, &layout, false, &libc), BKS_OK);
    assert_int_equal(some.unit_count, 5); // all but the stick
    assert_true(some.identity == votes->identity);
    bksi_votes_destroy(&some, &libc);
}

static void a_unit_reads_and_writes_its_bits_alone(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        const uint8_t bits = (uint8_t)(1 + some_below(32));
        const bksi_unit unit = {.offset_bits = (uint16_t)some_below(100), .bits = bits};
        uint8_t packed[20];
        uint8_t before[20];
        for (uint32_t k = 0; k < sizeof(packed); k++) {
            packed[k] = (uint8_t)some_number();
        }
        memcpy(before, packed, sizeof(packed));
        const uint32_t old = bksi_unit_read(&unit, packed);
        const uint32_t value = (uint32_t)(some_number() & ((UINT64_C(1) << bits) - 1));
        bksi_unit_write(&unit, value, packed);
        assert_int_equal(bksi_unit_read(&unit, packed), value);
        bksi_unit_write(&unit, old, packed);
        assert_memory_equal(packed, before, sizeof(packed));
    }
}

static void an_empty_table_says_hold(void **state)
{
    const bksi_votes *votes = *state;
    const bksi_unit_past past = {.value = 77, .before = 3, .held_ticks = 2};
    assert_int_equal(bksi_votes_guess(votes, TRIGGER, &past), 77);
}

static void a_button_is_released_after_as_long_as_it_was_held_before(void **state)
{
    bksi_votes *votes = *state;
    static const uint32_t tap[] = {1, 1, 1, 0, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < 10; i++) {
        (void)show(votes, 0, tap, 10);
    }
    static const uint32_t held[] = {1, 1, 1};
    assert_int_equal(show(votes, 0, held, 2), 1);
    assert_int_equal(show(votes, 0, held, 3), 0);
    // Of another button nothing was learnt.
    assert_int_equal(show(votes, 1, held, 3), 1);
}

static void what_is_learnt_on_one_side_counts_on_the_other(void **state)
{
    bksi_votes *votes = *state;
    const uint32_t flick[] = {stick(0, 0), stick(50, -7), stick(80, 0), stick(80, 0), stick(0, 0)};
    for (int i = 0; i < 10; i++) {
        (void)show(votes, STICK, flick, 5);
    }
    const uint32_t same[] = {stick(0, 0), stick(50, -7)};
    assert_int_equal(show(votes, STICK, same, 2), stick(80, 0));
    const uint32_t mirrored[] = {stick(0, 0), stick(-50, 7)};
    assert_int_equal(show(votes, STICK, mirrored, 2), stick(-80, 0));
    const uint32_t turned[] = {stick(0, 0), stick(-50, -7)};
    assert_int_equal(show(votes, STICK, turned, 2), stick(-80, 0));
}

static void a_movement_never_seen_exactly_is_guessed_by_its_kind(void **state)
{
    bksi_votes *votes = *state;
    for (int32_t i = 0; i < 40; i++) {
        const uint32_t flick[] = {stick(0, 0), stick(40 + i % 20, 0), stick(80, 0), stick(0, 0)};
        (void)show(votes, STICK, flick, 4);
    }
    const uint32_t fresh[] = {stick(0, 0), stick(61, 0)};
    assert_int_equal(show(votes, STICK, fresh, 2), stick(80, 0));
}

static void new_habits_replace_old_ones(void **state)
{
    bksi_votes *votes = *state;
    static const uint32_t old[] = {5, 9, 0, 0, 0};
    static const uint32_t fresh[] = {5, 11, 0, 0, 0};
    for (int i = 0; i < 200; i++) {
        (void)show(votes, TRIGGER, old, 5);
    }
    assert_int_equal(show(votes, TRIGGER, old, 1), 9);
    for (int i = 0; i < 60; i++) {
        (void)show(votes, TRIGGER, fresh, 5);
    }
    assert_int_equal(show(votes, TRIGGER, fresh, 1), 11);
}

/// Far more contexts than the table has places: it keeps learning, and guesses stay in the bits.
static void a_full_table_still_learns(void **state)
{
    bksi_votes *votes = *state;
    bksi_unit_past past = {0};
    for (int i = 0; i < 300000; i++) {
        const uint32_t value = some_below(1u << 16);
        bksi_votes_learn(votes, STICK, &past, value);
        bksi_unit_past_push(&past, value);
        assert_true(bksi_votes_guess(votes, STICK, &past) < 1u << 16);
    }
    static const uint32_t habit[] = {5, 9, 0, 0, 0};
    for (int i = 0; i < 30; i++) {
        (void)show(votes, TRIGGER, habit, 5);
    }
    assert_int_equal(show(votes, TRIGGER, habit, 1), 9);
}

static uint8_t *written(const bksi_votes *votes, size_t *count)
{
    *count = bksi_votes_write(votes, NULL, 0);
    uint8_t *bytes = malloc(*count);
    assert_non_null(bytes);
    assert_int_equal(bksi_votes_write(votes, bytes, *count - 1), 0);
    assert_int_equal(bksi_votes_write(votes, bytes, *count), *count);
    return bytes;
}

static void a_shipped_table_knows_what_was_learnt(void **state)
{
    bksi_votes *votes = *state;
    static const uint32_t habit[] = {5, 9, 0, 0, 0};
    for (int i = 0; i < 30; i++) {
        (void)show(votes, TRIGGER, habit, 5);
    }
    size_t count = 0;
    uint8_t *bytes = written(votes, &count);
    bksi_votes other;
    assert_int_equal(bksi_votes_create(&other, &layout, false, &libc), BKS_OK);
    const bksi_unit_past past = {.value = 5};
    assert_int_equal(bksi_votes_guess(&other, TRIGGER - 1, &past), 5);
    assert_int_equal(bksi_votes_read(&other, bytes, count, NULL), BKS_OK);
    assert_int_equal(bksi_votes_guess(&other, TRIGGER - 1, &past), 9); // one unit fewer: no stick
    size_t again_count = 0;
    uint8_t *again = written(&other, &again_count);
    assert_int_equal(again_count, count);
    assert_memory_equal(again, bytes, count);
    free(again);
    free(bytes);
    bksi_votes_destroy(&other, &libc);
}

static void a_table_of_another_layout_or_version_is_refused(void **state)
{
    bksi_votes *votes = *state;
    size_t count = 0;
    uint8_t *bytes = written(votes, &count);
    bks_error error = {0};
    bytes[4]++;
    assert_int_equal(bksi_votes_read(votes, bytes, count, &error), BKS_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "version 2"));
    bytes[4]--;
    bytes[8] ^= 1;
    assert_int_equal(bksi_votes_read(votes, bytes, count, &error), BKS_ERR_UNSUPPORTED);
    bytes[8] ^= 1;
    bytes[0] = 'X';
    assert_int_equal(bksi_votes_read(votes, bytes, count, &error), BKS_ERR_DAMAGED);
    free(bytes);
}

/// Cut, longer, or with any byte changed: taken in or refused, and then empty; never a crash.
static void damaged_tables_are_refused_whole(void **state)
{
    bksi_votes *votes = *state;
    bksi_unit_past past = {0};
    for (int i = 0; i < 3000; i++) {
        const uint32_t value = some_below(6);
        bksi_votes_learn(votes, TRIGGER, &past, value);
        bksi_unit_past_push(&past, value);
    }
    size_t count = 0;
    uint8_t *bytes = written(votes, &count);
    const size_t empty_count = 20;
    for (size_t cut = 0; cut < count; cut += 1 + cut / 20) {
        assert_int_not_equal(bksi_votes_read(votes, bytes, cut, NULL), BKS_OK);
        assert_int_equal(bksi_votes_write(votes, NULL, 0), empty_count);
    }
    for (int i = 0; i < 3000; i++) {
        const uint32_t at = some_below((uint32_t)count);
        const uint8_t was = bytes[at];
        bytes[at] = (uint8_t)some_number();
        if (bksi_votes_read(votes, bytes, count, NULL) != BKS_OK) {
            assert_int_equal(bksi_votes_write(votes, NULL, 0), empty_count);
        }
        (void)bksi_votes_guess(votes, some_below(6), &past);
        bksi_votes_learn(votes, TRIGGER, &past, some_below(256));
        bytes[at] = was;
    }
    static const struct {
        size_t at;
        uint8_t with;
    } spoilt[] = {{22, 1}, {24, 0xC0}, {25, 8}, {26, 0xC0}}; // tag, times seen, values, count
    for (size_t i = 0; i < sizeof(spoilt) / sizeof(spoilt[0]); i++) {
        bytes[spoilt[i].at] ^= spoilt[i].with;
        assert_int_equal(bksi_votes_read(votes, bytes, count, NULL), BKS_ERR_DAMAGED);
        bytes[spoilt[i].at] ^= spoilt[i].with;
    }
    uint8_t *longer = calloc(1, count + 1);
    assert_non_null(longer);
    memcpy(longer, bytes, count);
    assert_int_equal(bksi_votes_read(votes, longer, count + 1, NULL), BKS_ERR_DAMAGED);
    assert_int_equal(bksi_votes_read(votes, bytes, count, NULL), BKS_OK);
    free(longer);
    free(bytes);
}

#define WITH_VOTES(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(int argc, char **argv)
{
    some_begin(argc, argv, 20272);
    const struct CMUnitTest tests[] = {
        WITH_VOTES(what_belongs_together_is_one_unit),
        WITH_VOTES(a_unit_reads_and_writes_its_bits_alone),
        WITH_VOTES(an_empty_table_says_hold),
        WITH_VOTES(a_button_is_released_after_as_long_as_it_was_held_before),
        WITH_VOTES(what_is_learnt_on_one_side_counts_on_the_other),
        WITH_VOTES(a_movement_never_seen_exactly_is_guessed_by_its_kind),
        WITH_VOTES(new_habits_replace_old_ones),
        WITH_VOTES(a_full_table_still_learns),
        WITH_VOTES(a_shipped_table_knows_what_was_learnt),
        WITH_VOTES(a_table_of_another_layout_or_version_is_refused),
        WITH_VOTES(damaged_tables_are_refused_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
