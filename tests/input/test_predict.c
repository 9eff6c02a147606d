// SPDX-License-Identifier: MIT

#include "input/predict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "input/some_input.h"
#include "input/timeline.h"
#include "support/counting_allocator.h"

enum { AXIS, JUMP, MODE, TRIGGER, FIELDS };

static const bks_field fields[FIELDS] = {
    {.name = "axis",
     .bits = 8,
     .is_signed = true,
     .kind = BKS_FIELD_AXIS,
     .limit = 100,
     .predictor = BKS_PREDICT_LINEAR},
    {.name = "jump", .bits = 1, .predictor = BKS_PREDICT_RELEASE},
    {.name = "mode", .bits = 4, .neutral = 5},
    {.name = "trigger", .bits = 8, .predictor = BKS_PREDICT_VOTE},
};

static const bks_allocator libc = {0};

typedef struct one_player {
    bksi_layout layout;
    bksi_prediction prediction;
    bksi_timeline timeline;
} one_player;

static void open_player(one_player *p, const bks_field *table, uint32_t count,
                        const bks_allocator *allocator)
{
    assert_int_equal(bksi_layout_init(&p->layout, table, count, NULL), BKS_OK);
    assert_int_equal(bksi_prediction_create(&p->prediction, &p->layout, NULL, 0, allocator, NULL),
                     BKS_OK);
    assert_int_equal(bksi_timeline_create(&p->timeline, &p->layout, 256, allocator), BKS_OK);
    assert_int_equal(bksi_timeline_predict_by(&p->timeline, &p->prediction, allocator), BKS_OK);
}

static void close_player(one_player *p, const bks_allocator *allocator)
{
    bksi_timeline_destroy(&p->timeline, allocator);
    bksi_prediction_destroy(&p->prediction, allocator);
}

static int setup(void **state)
{
    static one_player player;
    open_player(&player, fields, FIELDS, &libc);
    *state = &player;
    return 0;
}

static int teardown(void **state)
{
    close_player(*state, &libc);
    return 0;
}

static void confirm(one_player *p, int32_t axis, int32_t jump, int32_t mode, int32_t trigger)
{
    const int32_t values[FIELDS] = {axis, jump, mode, trigger};
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    assert_int_equal(bksi_layout_pack(&p->layout, values, packed, NULL), BKS_OK);
    (void)bksi_timeline_append(&p->timeline, packed);
}

static void guess(one_player *p, bks_tick tick, int32_t *values)
{
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    bksi_timeline_at(&p->timeline, tick, packed);
    bksi_layout_unpack(&p->layout, packed, values);
}

static void before_the_first_input_all_is_neutral(void **state)
{
    one_player *p = *state;
    int32_t values[FIELDS];
    guess(p, 7, values);
    assert_int_equal(values[AXIS], 0);
    assert_int_equal(values[JUMP], 0);
    assert_int_equal(values[MODE], 5);
    assert_int_equal(values[TRIGGER], 0);
}

static void each_field_is_guessed_by_its_own_predictor(void **state)
{
    one_player *p = *state;
    for (int i = 0; i < 12; i++) {
        confirm(p, 0, 0, 5, 40);
        confirm(p, 0, 0, 5, 200);
        confirm(p, 0, 0, 5, 0);
    }
    confirm(p, 10, 1, 7, 40);
    int32_t values[FIELDS];
    guess(p, p->timeline.head, values);
    assert_int_equal(values[AXIS], 20);
    assert_int_equal(values[JUMP], 0);
    assert_int_equal(values[MODE], 7);
    assert_int_equal(values[TRIGGER], 200);
    // Two ahead: the line continues, and each vote builds on the vote before it.
    guess(p, p->timeline.head + 1, values);
    assert_int_equal(values[AXIS], 30);
    assert_int_equal(values[MODE], 7);
    assert_int_equal(values[TRIGGER], 0);
    guess(p, p->timeline.head + 100, values);
    assert_int_equal(values[AXIS], 100);
}

static void a_guess_stands_while_inputs_come_as_guessed(void **state)
{
    one_player *p = *state;
    for (int i = 0; i < 8; i++) {
        confirm(p, 0, 0, 5, 40);
        confirm(p, 0, 0, 5, 200);
        confirm(p, 0, 0, 5, 0);
    }
    const bks_tick head = p->timeline.head;
    int32_t early[6][FIELDS];
    for (bks_tick i = 0; i < 6; i++) {
        guess(p, head + i, early[i]);
    }
    for (bks_tick i = 0; i < 6; i++) {
        int32_t late[FIELDS];
        guess(p, head + 5, late);
        assert_memory_equal(late, early[5], sizeof(late));
        confirm(p, early[i][AXIS], early[i][JUMP], early[i][MODE], early[i][TRIGGER]);
    }
}

static void a_spline_that_came_true_is_not_drawn_anew(void **state)
{
    (void)state;
    bks_field axis = fields[AXIS];
    axis.predictor = BKS_PREDICT_SPLINE;
    one_player p;
    open_player(&p, &axis, 1, &libc);
    static const int32_t moved[] = {0, 40, 60, 70, 79}; // the last is as guessed from the others
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    int32_t early = 0;
    int32_t late = 0;
    for (uint32_t i = 0; i < 5; i++) {
        bksi_layout_pack_clamped(&p.layout, &moved[i], packed);
        (void)bksi_timeline_append(&p.timeline, packed);
        bksi_timeline_at(&p.timeline, 5, packed);
        bksi_layout_unpack(&p.layout, packed, i < 4 ? &early : &late);
    }
    assert_int_equal(early, 87);
    assert_int_equal(late, 87); // from the last four alone it would be 88
    close_player(&p, &libc);
}

static void a_surprise_makes_all_guesses_anew(void **state)
{
    one_player *p = *state;
    confirm(p, 0, 0, 5, 0);
    confirm(p, 10, 0, 5, 0);
    int32_t values[FIELDS];
    guess(p, 4, values);
    assert_int_equal(values[AXIS], 40);
    confirm(p, 9, 0, 5, 0); // not 20
    guess(p, 4, values);
    assert_int_equal(values[AXIS], 7);
}

static void looking_ahead_learns_nothing(void **state)
{
    one_player *p = *state;
    one_player other;
    open_player(&other, fields, FIELDS, &libc);
    for (int i = 0; i < 3000; i++) {
        const int32_t axis = (int32_t)some_below(201) - 100;
        const int32_t trigger = (int32_t)some_below(4) * 30;
        confirm(p, axis, 0, 5, trigger);
        confirm(&other, axis, 0, 5, trigger);
        int32_t values[FIELDS];
        guess(p, p->timeline.head + (bks_tick)some_below(200), values);
    }
    const size_t bytes = bksi_votes_write(&p->prediction.votes, NULL, 0);
    assert_int_equal(bytes, bksi_votes_write(&other.prediction.votes, NULL, 0));
    uint8_t *a = malloc(bytes);
    uint8_t *b = malloc(bytes);
    assert_int_equal(bksi_votes_write(&p->prediction.votes, a, bytes), bytes);
    assert_int_equal(bksi_votes_write(&other.prediction.votes, b, bytes), bytes);
    assert_memory_equal(a, b, bytes);
    free(a);
    free(b);
    close_player(&other, &libc);
}

static void players_teach_each_other(void **state)
{
    one_player *p = *state;
    bksi_timeline second;
    assert_int_equal(bksi_timeline_create(&second, &p->layout, 256, &libc), BKS_OK);
    assert_int_equal(bksi_timeline_predict_by(&second, &p->prediction, &libc), BKS_OK);
    for (int i = 0; i < 12; i++) {
        confirm(p, 0, 0, 5, 40);
        confirm(p, 0, 0, 5, 200);
        confirm(p, 0, 0, 5, 0);
    }
    const int32_t values[FIELDS] = {0, 0, 5, 40};
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    int32_t guessed[FIELDS];
    assert_int_equal(bksi_layout_pack(&p->layout, values, packed, NULL), BKS_OK);
    (void)bksi_timeline_append(&second, packed);
    bksi_timeline_at(&second, 1, packed);
    bksi_layout_unpack(&p->layout, packed, guessed);
    assert_int_equal(guessed[TRIGGER], 200);
    bksi_timeline_destroy(&second, &libc);
}

static void a_gap_starts_the_history_anew(void **state)
{
    one_player *p = *state;
    bksi_predictor *predictor = p->timeline.predictor;
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    int32_t values[FIELDS] = {10, 0, 5, 0};
    assert_int_equal(bksi_layout_pack(&p->layout, values, packed, NULL), BKS_OK);
    bksi_predictor_learn(predictor, 0, packed);
    values[AXIS] = 20;
    assert_int_equal(bksi_layout_pack(&p->layout, values, packed, NULL), BKS_OK);
    bksi_predictor_learn(predictor, 500, packed);
    bksi_predictor_guess(predictor, 501, packed);
    bksi_layout_unpack(&p->layout, packed, values);
    assert_int_equal(values[AXIS], 20); // not 30
}

/// Any table with any predictors: the same history gives the same guesses, all in their ranges.
static void random_layouts_guess_alike_and_within_their_ranges(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        bks_field table[BKS_FIELDS_MAX];
        const uint32_t count = some_fields(table);
        for (uint32_t i = 0; i < count; i++) {
            if (some_below(2) == 0) {
                table[i].predictor = BKS_PREDICT_VOTE;
            } else if (some_below(2) == 0) {
                table[i].kind = BKS_FIELD_AXIS;
                table[i].predictor = some_below(2) == 0 ? BKS_PREDICT_LINEAR : BKS_PREDICT_SPLINE;
            }
        }
        one_player a;
        one_player b;
        open_player(&a, table, count, &libc);
        open_player(&b, table, count, &libc);
        int32_t values[BKS_FIELDS_MAX];
        bksi_layout_neutral(&a.layout, values);
        for (int i = 0; i < 200; i++) {
            uint8_t packed[BKSI_INPUT_BYTES_MAX];
            uint8_t guessed[BKSI_INPUT_BYTES_MAX];
            values[some_below(count)] = some_value(&table[0]);
            bksi_layout_pack_clamped(&a.layout, values, packed);
            (void)bksi_timeline_append(&a.timeline, packed);
            (void)bksi_timeline_append(&b.timeline, packed);
            const bks_tick tick = a.timeline.head + (bks_tick)some_below(20);
            bksi_timeline_at(&a.timeline, tick, packed);
            bksi_timeline_at(&b.timeline, tick, guessed);
            assert_memory_equal(packed, guessed, a.layout.bytes);
            // Padding stays zero, else equal inputs would not compare equal.
            int32_t unpacked[BKS_FIELDS_MAX];
            bksi_layout_unpack(&a.layout, packed, unpacked);
            assert_int_equal(bksi_layout_pack(&a.layout, unpacked, guessed, NULL), BKS_OK);
            assert_memory_equal(packed, guessed, a.layout.bytes);
        }
        close_player(&a, &libc);
        close_player(&b, &libc);
    }
}

static void all_memory_is_taken_at_first_and_a_lack_of_it_is_reported(void **state)
{
    (void)state;
    counting_allocator counter;
    const bks_allocator counted = counting_allocator_hooks(&counter);
    one_player p;
    open_player(&p, fields, FIELDS, &counted);
    const uint32_t allocs = counter.allocs;
    for (int i = 0; i < 5000; i++) {
        int32_t values[FIELDS];
        confirm(&p, (int32_t)some_below(256) - 128, 0, 5, (int32_t)some_below(256));
        guess(&p, p.timeline.head + (bks_tick)some_below(300), values);
    }
    assert_int_equal(counter.allocs, allocs);
    close_player(&p, &counted);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);

    bksi_layout layout;
    assert_int_equal(bksi_layout_init(&layout, fields, FIELDS, NULL), BKS_OK);
    for (uint32_t i = 0; i < allocs; i++) {
        bksi_prediction prediction = {0};
        bksi_timeline timeline = {0};
        counter.fail_after = i;
        bks_status status = bksi_prediction_create(&prediction, &layout, NULL, 0, &counted, NULL);
        if (status == BKS_OK) {
            status = bksi_timeline_create(&timeline, &layout, 256, &counted);
        }
        if (status == BKS_OK) {
            status = bksi_timeline_predict_by(&timeline, &prediction, &counted);
        }
        assert_int_equal(status, BKS_ERR_OUT_OF_MEMORY);
        bksi_timeline_destroy(&timeline, &counted);
        bksi_prediction_destroy(&prediction, &counted);
        assert_int_equal(counter.live_bytes, 0);
        assert_false(counter.is_wrong);
    }
}

#define WITH_PLAYER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(int argc, char **argv)
{
    some_begin(argc, argv, 20273);
    const struct CMUnitTest tests[] = {
        WITH_PLAYER(before_the_first_input_all_is_neutral),
        WITH_PLAYER(each_field_is_guessed_by_its_own_predictor),
        WITH_PLAYER(a_guess_stands_while_inputs_come_as_guessed),
        cmocka_unit_test(a_spline_that_came_true_is_not_drawn_anew),
        WITH_PLAYER(a_surprise_makes_all_guesses_anew),
        WITH_PLAYER(looking_ahead_learns_nothing),
        WITH_PLAYER(players_teach_each_other),
        WITH_PLAYER(a_gap_starts_the_history_anew),
        cmocka_unit_test(random_layouts_guess_alike_and_within_their_ranges),
        cmocka_unit_test(all_memory_is_taken_at_first_and_a_lack_of_it_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
