// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "backstitch/present.h"
#include "support/catch_log.h"

enum { SHOT, BLAST, SCORE, FLASH };

static const bks_cue_type types[] = {
    [SHOT] = {.name = "shot"},
    [BLAST] = {.name = "blast", .moves_ticks = 2},
    [SCORE] = {.name = "score", .when = BKS_CUE_CONFIRMED},
    [FLASH] = {.name = "flash", .when = BKS_CUE_SEEN},
};

static const bks_game game = {.name = "cued", .cues = types, .cue_count = 4};

static bks_cues *make(uint32_t per_tick, uint32_t ticks)
{
    const bks_cues_config config = {.game = &game, .per_tick = per_tick, .ticks = ticks};
    bks_cues *cues = NULL;
    assert_int_equal(bks_cues_create(&config, &cues, NULL), BKS_OK);
    return cues;
}

static int set_up(void **state)
{
    *state = make(8, 32);
    return 0;
}

static int tear_down(void **state)
{
    bks_cues_destroy(*state);
    bks_log_clear_sink();
    return 0;
}

/// Step a range of ticks in which nothing is asked for.
static void step_over(bks_cues *cues, bks_tick from, bks_tick until)
{
    for (bks_tick tick = from; tick < until; tick++) {
        bks_cues_begin(cues, tick);
    }
}

static void ask(bks_cues *cues, bks_tick tick, uint32_t id, uint64_t key)
{
    bks_cues_begin(cues, tick);
    assert_true(bks_cues_ask(cues, id, key, NULL, 0));
}

static void expect(bks_cues *cues, bks_cue_event_kind kind, uint32_t id, uint64_t key,
                   bks_tick tick, uint32_t late_ticks)
{
    bks_cue_event event;
    assert_true(bks_cues_next(cues, &event));
    assert_int_equal(event.kind, kind);
    assert_int_equal(event.id, id);
    assert_int_equal(event.key, key);
    assert_int_equal(event.tick, tick);
    assert_int_equal(event.late_ticks, late_ticks);
    assert_true(event.serial > 0);
}

static void expect_none(bks_cues *cues)
{
    bks_cue_event event;
    assert_false(bks_cues_next(cues, &event));
}

static void test_starts_once_however_often_its_tick_is_stepped(void **state)
{
    bks_cues *cues = *state;
    for (uint32_t i = 0; i < 3; i++) {
        ask(cues, 4, SHOT, 1);
        bks_cues_update(cues, 5, 0);
    }
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 4, 0);
    expect_none(cues);
}

static void test_says_how_late_it_became_known(void **state)
{
    bks_cues *cues = *state;
    step_over(cues, 0, 10);
    bks_cues_update(cues, 10, 4);
    ask(cues, 4, SHOT, 1);
    step_over(cues, 5, 11);
    bks_cues_update(cues, 11, 5);
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 4, 6);
    expect_none(cues);
}

static void test_is_cancelled_when_a_corrected_past_does_not_ask(void **state)
{
    bks_cues *cues = *state;
    ask(cues, 4, SHOT, 1);
    step_over(cues, 5, 12);
    bks_cues_update(cues, 12, 4);
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 4, 7);
    step_over(cues, 4, 12);
    bks_cues_update(cues, 12, 5);
    expect(cues, BKS_CUE_CANCELLED, SHOT, 1, 4, 7);
    expect_none(cues);
}

static void test_waits_to_cancel_while_a_tick_to_come_may_ask(void **state)
{
    bks_cues *cues = *state;
    ask(cues, 4, SHOT, 1);
    bks_cues_update(cues, 5, 0);
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 4, 0);
    step_over(cues, 4, 10);
    bks_cues_update(cues, 10, 5);
    expect_none(cues);
    step_over(cues, 10, 11);
    bks_cues_update(cues, 11, 5);
    expect(cues, BKS_CUE_CANCELLED, SHOT, 1, 4, 6);
}

static void test_moves_without_a_new_start(void **state)
{
    bks_cues *cues = *state;
    ask(cues, 10, SHOT, 1);
    bks_cues_update(cues, 11, 0);
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 10, 0);
    // earlier, in the same update
    ask(cues, 7, SHOT, 1);
    step_over(cues, 8, 12);
    bks_cues_update(cues, 12, 0);
    expect(cues, BKS_CUE_CHANGED, SHOT, 1, 7, 4);
    expect_none(cues);
    // later, in a tick that is stepped only then
    step_over(cues, 7, 12);
    bks_cues_update(cues, 12, 7);
    ask(cues, 12, SHOT, 1);
    bks_cues_update(cues, 13, 7);
    expect(cues, BKS_CUE_CHANGED, SHOT, 1, 12, 0);
    expect_none(cues);
}

static void test_two_of_one_key_that_both_moved_stay_two(void **state)
{
    bks_cues *cues = *state;
    for (bks_tick tick = 0; tick < 20; tick++) {
        bks_cues_begin(cues, tick);
        assert_true((tick != 10 && tick != 14) || bks_cues_ask(cues, SHOT, 1, NULL, 0));
        bks_cues_update(cues, tick + 1, 0);
    }
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 10, 0);
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 14, 0);
    for (bks_tick tick = 8; tick < 20; tick++) {
        bks_cues_begin(cues, tick);
        assert_true((tick != 13 && tick != 17) || bks_cues_ask(cues, SHOT, 1, NULL, 0));
    }
    bks_cues_update(cues, 20, 0);
    expect(cues, BKS_CUE_CHANGED, SHOT, 1, 13, 6);
    expect(cues, BKS_CUE_CHANGED, SHOT, 1, 17, 2);
    expect_none(cues);
}

/// Step 8 to 19 again, with other shots, and expect that none starts or is cancelled.
static void expect_moved(bks_cues *cues, const bks_tick *before, const bks_tick *after,
                         size_t count)
{
    uint64_t serials[4];
    for (uint32_t turn = 0; turn < 2; turn++) {
        const bks_tick *shots = turn == 0 ? before : after;
        for (bks_tick tick = 8; tick < 20; tick++) {
            bks_cues_begin(cues, tick);
            for (size_t i = 0; i < count; i++) {
                assert_true(tick != shots[i] || bks_cues_ask(cues, SHOT, 1, NULL, 0));
            }
        }
        bks_cues_update(cues, 20, 0);
        for (size_t i = 0; i < count; i++) {
            if (before[i] == after[i] && turn == 1) {
                continue;
            }
            bks_cue_event event;
            assert_true(bks_cues_next(cues, &event));
            assert_int_equal(event.kind, turn == 0 ? BKS_CUE_STARTED : BKS_CUE_CHANGED);
            assert_int_equal(event.tick, shots[i]);
            assert_true(turn == 0 || event.serial == serials[i]);
            serials[i] = event.serial;
        }
        expect_none(cues);
    }
}

/// The first is asked for where the second was.
static void test_shots_that_moved_by_their_distance_are_the_same(void **state)
{
    static const bks_tick two[][2] = {{10, 14}, {14, 18}}, back[][2] = {{14, 18}, {10, 14}};
    static const bks_tick three[][3] = {{9, 12, 15}, {12, 15, 18}},
                          stays[][3] = {{9, 11, 19}, {11, 13, 19}};
    expect_moved(*state, two[0], two[1], 2);
    bks_cues_reset(*state, 0);
    expect_moved(*state, back[0], back[1], 2);
    bks_cues_reset(*state, 0);
    expect_moved(*state, three[0], three[1], 3);
    bks_cues_reset(*state, 0);
    expect_moved(*state, stays[0], stays[1], 3);
}

static void test_one_less_of_a_key_leaves_the_others_in_order(void **state)
{
    bks_cues *cues = *state;
    static const bks_tick before[] = {5, 11, 12}, after[] = {10, 11, 11};
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (bks_tick tick = 0; tick < 20; tick++) {
            bks_cues_begin(cues, tick);
            for (uint32_t i = 0; i < 3 - turn; i++) {
                const bool is_asked = tick == (turn == 0 ? before[i] : after[i]);
                assert_true(!is_asked || bks_cues_ask(cues, SHOT, 1, NULL, 0));
            }
        }
        bks_cues_update(cues, 20, 0);
    }
    uint64_t serials[3];
    for (uint32_t i = 0; i < 3; i++) {
        bks_cue_event event;
        assert_true(bks_cues_next(cues, &event));
        serials[i] = event.serial;
    }
    for (uint32_t i = 0; i < 2; i++) {
        bks_cue_event event;
        assert_true(bks_cues_next(cues, &event));
        assert_int_equal(event.kind, BKS_CUE_CHANGED);
        assert_int_equal(event.tick, after[i]);
        assert_true(event.serial == serials[i + 1]);
    }
    expect(cues, BKS_CUE_CANCELLED, SHOT, 1, 5, 14);
    expect_none(cues);
}

static void test_all_of_one_key_and_tick_stay_when_those_of_another_do_not_come(void **state)
{
    bks_cues *cues = *state;
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (bks_tick tick = 10; tick < 20; tick++) {
            bks_cues_begin(cues, tick);
            const bool is_asked = tick == 11 || (turn == 0 && (tick == 10 || tick == 12));
            for (uint32_t i = 0; is_asked && i < 8; i++) {
                assert_true(bks_cues_ask(cues, SHOT, 1, &tick, sizeof(tick)));
            }
        }
        bks_cues_update(cues, 20, 0);
    }
    for (uint32_t i = 0; i < 24; i++) {
        expect(cues, BKS_CUE_STARTED, SHOT, 1, 10 + (bks_tick)i / 8, 9 - i / 8);
    }
    for (uint32_t i = 0; i < 16; i++) {
        expect(cues, BKS_CUE_CANCELLED, SHOT, 1, i < 8 ? 10 : 12, i < 8 ? 9 : 7);
    }
    expect_none(cues);
}

static void test_one_more_of_a_key_is_the_new_one(void **state)
{
    bks_cues *cues = *state;
    for (uint32_t i = 0; i < 2; i++) {
        for (bks_tick tick = 8; tick < 20; tick++) {
            bks_cues_begin(cues, tick);
            const bool is_asked = tick == 12 || tick == 15 || (i == 1 && tick == 10);
            assert_true(!is_asked || bks_cues_ask(cues, SHOT, 1, NULL, 0));
        }
        bks_cues_update(cues, 20, 0);
    }
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 12, 7);
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 15, 4);
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 10, 9);
    expect_none(cues);
}

static void test_the_last_tick_is_taken_and_none_beyond(void **state)
{
    bks_cues *cues = *state;
    catch_log log;
    catch_log_begin(&log);
    bks_cues_reset(cues, BKS_CUES_TICK_MAX - 1);
    ask(cues, BKS_CUES_TICK_MAX - 1, SHOT, 1);
    ask(cues, BKS_CUES_TICK_MAX, SCORE, 2);
    bks_cues_update(cues, INT32_MAX, INT32_MAX);
    expect(cues, BKS_CUE_STARTED, SHOT, 1, BKS_CUES_TICK_MAX - 1, 1);
    expect(cues, BKS_CUE_STARTED, SCORE, 2, BKS_CUES_TICK_MAX, 0);
    assert_int_equal(log.count, 0);
    bks_cues_begin(cues, INT32_MAX);
    assert_false(bks_cues_ask(cues, SHOT, 1, NULL, 0));
    bks_cues_update(cues, INT32_MAX, INT32_MAX);
    expect_none(cues);
    assert_int_equal(bks_cues_lost(cues), 2);
    assert_string_equal(log.id, "game.cues");
    bks_cues_reset(cues, INT32_MIN);
    bks_cues_begin(cues, INT32_MIN);
    assert_false(bks_cues_ask(cues, SHOT, 1, NULL, 0));
    ask(cues, 0, SHOT, 3);
    bks_cues_update(cues, 1, INT32_MIN);
    expect(cues, BKS_CUE_STARTED, SHOT, 3, 0, 0);
}

static void test_ticks_far_apart_take_no_longer(void **state)
{
    bks_cues *cues = *state;
    const clock_t began = clock();
    ask(cues, 0, SCORE, 1);
    ask(cues, BKS_CUES_TICK_MAX, SCORE, 2);
    bks_cues_update(cues, INT32_MAX, INT32_MAX);
    expect(cues, BKS_CUE_STARTED, SCORE, 1, 0, BKS_CUES_TICK_MAX);
    expect(cues, BKS_CUE_STARTED, SCORE, 2, BKS_CUES_TICK_MAX, 0);
    expect_none(cues);
    assert_true(clock() - began < CLOCKS_PER_SEC);
}

static void test_moves_no_further_than_its_type_says(void **state)
{
    bks_cues *cues = *state;
    ask(cues, 10, BLAST, 1);
    step_over(cues, 11, 14);
    bks_cues_update(cues, 14, 0);
    expect(cues, BKS_CUE_STARTED, BLAST, 1, 10, 3);
    step_over(cues, 10, 13);
    ask(cues, 13, BLAST, 1);
    bks_cues_update(cues, 14, 0);
    expect(cues, BKS_CUE_CANCELLED, BLAST, 1, 10, 3);
    expect(cues, BKS_CUE_STARTED, BLAST, 1, 13, 0);
    expect_none(cues);
}

static void test_keys_keep_apart_and_two_of_a_tick_are_two(void **state)
{
    bks_cues *cues = *state;
    for (uint32_t i = 0; i < 2; i++) {
        ask(cues, 3, SHOT, 1);
        assert_true(bks_cues_ask(cues, SHOT, 2, NULL, 0));
        assert_true(bks_cues_ask(cues, SHOT, 1, NULL, 0));
        bks_cues_update(cues, 4, 0);
    }
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 3, 0);
    expect(cues, BKS_CUE_STARTED, SHOT, 2, 3, 0);
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 3, 0);
    expect_none(cues);
    // one of the two is withdrawn
    ask(cues, 3, SHOT, 1);
    assert_true(bks_cues_ask(cues, SHOT, 2, NULL, 0));
    step_over(cues, 4, 12);
    bks_cues_update(cues, 12, 0);
    expect(cues, BKS_CUE_CANCELLED, SHOT, 1, 3, 8);
    expect_none(cues);
}

/// Of cues of one key the nearest is the same one: each tick keeps its own.
static void test_the_same_tick_goes_before_a_nearby_one(void **state)
{
    bks_cues *cues = *state;
    const uint8_t at[] = {3, 5};
    for (uint32_t i = 0; i < 2; i++) {
        bks_cues_begin(cues, 3);
        if (i == 0) {
            assert_true(bks_cues_ask(cues, SHOT, 1, &at[0], 1));
        }
        bks_cues_begin(cues, 4);
        bks_cues_begin(cues, 5);
        assert_true(bks_cues_ask(cues, SHOT, 1, &at[1], 1));
        step_over(cues, 6, 20);
        bks_cues_update(cues, 20, 0);
    }
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 3, 16);
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 5, 14);
    expect(cues, BKS_CUE_CANCELLED, SHOT, 1, 3, 16);
    expect_none(cues);
}

static void test_a_changed_payload_is_reported_with_its_serial(void **state)
{
    bks_cues *cues = *state;
    const uint32_t where[] = {7, 9};
    bks_cue_event first, changed;
    for (uint32_t i = 0; i < 2; i++) {
        bks_cues_begin(cues, 3);
        assert_true(bks_cues_ask(cues, SHOT, 1, &where[i], sizeof(where[i])));
        bks_cues_update(cues, 4, 0);
        assert_true(bks_cues_next(cues, i == 0 ? &first : &changed));
    }
    assert_int_equal(first.kind, BKS_CUE_STARTED);
    assert_int_equal(changed.kind, BKS_CUE_CHANGED);
    assert_int_equal(changed.serial, first.serial);
    assert_int_equal(changed.bytes, sizeof(where[1]));
    assert_memory_equal(changed.payload, &where[1], sizeof(where[1]));
    expect_none(cues);
}

static void test_ticks_that_a_short_resimulation_left_alone_keep_theirs(void **state)
{
    bks_cues *cues = *state;
    ask(cues, 2, SHOT, 1);
    step_over(cues, 3, 8);
    ask(cues, 8, SHOT, 2);
    step_over(cues, 9, 20);
    bks_cues_update(cues, 20, 0);
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 2, 17);
    expect(cues, BKS_CUE_STARTED, SHOT, 2, 8, 11);
    step_over(cues, 4, 6); // came to the same state at 6
    bks_cues_update(cues, 20, 6);
    expect_none(cues);
}

static void test_confirmed_ones_come_in_order_and_once(void **state)
{
    bks_cues *cues = *state;
    ask(cues, 0, SCORE, 1);
    ask(cues, 1, SCORE, 2);
    assert_true(bks_cues_ask(cues, SCORE, 3, NULL, 0));
    bks_cues_update(cues, 2, 0);
    expect_none(cues);
    ask(cues, 1, SCORE, 4); // the guess was wrong
    step_over(cues, 2, 5);
    bks_cues_update(cues, 5, 2);
    expect(cues, BKS_CUE_STARTED, SCORE, 1, 0, 4);
    expect(cues, BKS_CUE_STARTED, SCORE, 4, 1, 3);
    bks_cues_update(cues, 5, 5);
    expect_none(cues);
}

/// Inputs of ticks that were not stepped yet may be confirmed.
static void test_all_ticks_that_are_kept_may_be_confirmed_at_once(void **state)
{
    (void)state;
    bks_cues *cues = make(1, 56);
    for (bks_tick tick = 0; tick < 56; tick++) {
        ask(cues, tick, SCORE, 1);
        bks_cues_update(cues, tick + 1, 0);
    }
    bks_cues_update(cues, 56, 56);
    for (bks_tick tick = 0; tick < 56; tick++) {
        expect(cues, BKS_CUE_STARTED, SCORE, 1, tick, (uint32_t)(55 - tick));
    }
    expect_none(cues);
    assert_int_equal(bks_cues_lost(cues), 0);
    bks_cues_destroy(cues);
}

static void test_confirmed_ones_are_reported_once_stepped(void **state)
{
    bks_cues *cues = *state;
    bks_cues_update(cues, 0, 9);
    ask(cues, 0, SCORE, 1);
    bks_cues_update(cues, 1, 9);
    expect(cues, BKS_CUE_STARTED, SCORE, 1, 0, 0);
    expect_none(cues);
}

static void test_seen_ones_come_from_the_newest_tick_alone(void **state)
{
    bks_cues *cues = *state;
    ask(cues, 0, FLASH, 1);
    ask(cues, 1, FLASH, 2);
    bks_cues_update(cues, 2, 0);
    expect(cues, BKS_CUE_STARTED, FLASH, 2, 1, 0);
    ask(cues, 1, FLASH, 3); // stepped again, and no new tick
    bks_cues_update(cues, 2, 0);
    expect_none(cues);
}

static void test_no_cue_of_the_past_comes_after_a_reset(void **state)
{
    bks_cues *cues = *state;
    ask(cues, 4, SHOT, 1);
    bks_cues_update(cues, 5, 0);
    bks_cues_reset(cues, 100);
    expect_none(cues);
    bks_cues_begin(cues, 99);
    assert_false(bks_cues_ask(cues, SHOT, 1, NULL, 0));
    ask(cues, 100, SHOT, 2);
    assert_true(bks_cues_ask(cues, SCORE, 3, NULL, 0));
    bks_cues_update(cues, 101, 101);
    expect(cues, BKS_CUE_STARTED, SHOT, 2, 100, 0);
    expect(cues, BKS_CUE_STARTED, SCORE, 3, 100, 0);
    expect_none(cues);
}

static void test_a_tick_before_a_reset_is_not_reported_and_not_lost(void **state)
{
    bks_cues *cues = *state;
    bks_cues_reset(cues, 100);
    bks_cues_begin(cues, 50);
    assert_false(bks_cues_ask(cues, SHOT, 1, NULL, 0));
    assert_int_equal(bks_cues_lost(cues), 0);
    ask(cues, 100, SHOT, 1);
    bks_cues_update(cues, 101, 0);
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 100, 0);
}

static void test_moves_back_from_ticks_that_are_yet_to_be_stepped_again(void **state)
{
    bks_cues *cues = *state;
    for (bks_tick tick = 0; tick < 20; tick++) {
        bks_cues_begin(cues, tick);
        assert_true((tick != 13 && tick != 15) || bks_cues_ask(cues, SHOT, 1, NULL, 0));
    }
    bks_cues_update(cues, 20, 0);
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 13, 6);
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 15, 4);
    step_over(cues, 8, 12);
    ask(cues, 12, SHOT, 1);
    bks_cues_update(cues, 13, 0); // a program that has no time for more
    expect(cues, BKS_CUE_CHANGED, SHOT, 1, 12, 7);
    expect_none(cues);
    step_over(cues, 13, 14);
    ask(cues, 14, SHOT, 1);
    step_over(cues, 15, 20);
    bks_cues_update(cues, 20, 0);
    expect(cues, BKS_CUE_CHANGED, SHOT, 1, 14, 5);
    expect_none(cues);
}

static void test_the_end_cancels_what_was_withdrawn(void **state)
{
    bks_cues *cues = *state;
    ask(cues, 4, SHOT, 1);
    bks_cues_update(cues, 5, 0);
    expect(cues, BKS_CUE_STARTED, SHOT, 1, 4, 0);
    step_over(cues, 4, 5);
    bks_cues_update(cues, 5, 5);
    expect_none(cues);
    bks_cues_end(cues);
    expect(cues, BKS_CUE_CANCELLED, SHOT, 1, 4, 0);
}

static void test_more_than_there_is_room_for_is_counted_and_said_once(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    bks_cues *cues = make(2, 4);
    bks_cues_begin(cues, 0);
    assert_true(bks_cues_ask(cues, SHOT, 1, NULL, 0));
    assert_true(bks_cues_ask(cues, SHOT, 2, NULL, 0));
    assert_false(bks_cues_ask(cues, SHOT, 3, NULL, 0));
    assert_false(bks_cues_ask(cues, SHOT, 4, NULL, 0));
    assert_int_equal(bks_cues_lost(cues), 2);
    assert_int_equal(log.count, 1);
    assert_string_equal(log.id, "game.cues");
    assert_string_equal(log.text, "a cue of cued is lost: its tick has more cues and refusals than "
                                  "cues_per_tick");
    // a tick that another has taken the place of
    step_over(cues, 1, 8);
    bks_cues_begin(cues, 2);
    assert_false(bks_cues_ask(cues, SHOT, 1, NULL, 0));
    // events that no one takes
    for (bks_tick tick = 8; tick < 30; tick++) {
        ask(cues, tick, SHOT, 1);
        bks_cues_update(cues, tick + 1, 0);
    }
    // and the two of tick 0, which no update settled, and tick 2 itself
    assert_int_equal(bks_cues_lost(cues), 6 + 22 - 16);
    bks_cues_destroy(cues);
}

static void test_a_lost_refusal_is_named(void **state)
{
    (void)state;
    static const bks_game refusing = {.name = "orders", .command_bytes_max = 8};
    const bks_cues_config config = {.game = &refusing, .per_tick = 1, .ticks = 4};
    bks_cues *cues = NULL;
    catch_log log;
    assert_int_equal(bks_cues_create(&config, &cues, NULL), BKS_OK);
    catch_log_begin(&log);
    ask(cues, 0, BKS_CUE_REFUSED, 1);
    assert_false(bks_cues_ask(cues, BKS_CUE_REFUSED, 2, NULL, 0));
    assert_string_equal(log.text, "a refusal (bks_refuse) of orders is lost: its tick has more "
                                  "cues and refusals than cues_per_tick");
    bks_cues_destroy(cues);
}

/// One update, in which each of a range of ticks asks for a key, one larger than that before.
static void ask_range(bks_cues *cues, bks_tick from, bks_tick until, uint64_t key)
{
    for (bks_tick tick = from; tick < until; tick++) {
        ask(cues, tick, SHOT, key + (uint64_t)(tick - from));
    }
    bks_cues_update(cues, 4, 0);
}

static void test_the_oldest_that_waits_is_lost_when_too_many_were_withdrawn(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    bks_cues *cues = make(1, 4);
    ask_range(cues, 0, 4, 10);
    ask_range(cues, 2, 4, 22);
    ask_range(cues, 0, 2, 20);
    for (uint32_t i = 0; i < 8; i++) {
        bks_cue_event event;
        assert_true(bks_cues_next(cues, &event));
        assert_int_equal(event.kind, BKS_CUE_STARTED);
    }
    assert_int_equal(bks_cues_lost(cues), 0);
    ask(cues, 0, SHOT, 20); // as before, and what waits fills the room
    ask(cues, 1, SHOT, 31);
    bks_cues_update(cues, 4, 0);
    expect(cues, BKS_CUE_CANCELLED, SHOT, 10, 0, 3);
    expect(cues, BKS_CUE_CANCELLED, SHOT, 11, 1, 2);
    expect(cues, BKS_CUE_STARTED, SHOT, 31, 1, 2);
    expect_none(cues);
    assert_int_equal(bks_cues_lost(cues), 2);
    assert_int_equal(log.count, 1);
    bks_cues_destroy(cues);
}

static void test_what_is_confirmed_later_than_ticks_are_kept_is_counted(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    bks_cues *cues = make(2, 16);
    for (bks_tick tick = 0; tick < 40; tick++) {
        ask(cues, tick, SCORE, 1);
        bks_cues_update(cues, tick + 1, tick < 39 ? 0 : 40);
    }
    assert_int_equal(bks_cues_lost(cues), 24);
    uint32_t reported = 0;
    for (bks_cue_event event; bks_cues_next(cues, &event);) {
        reported += event.kind == BKS_CUE_STARTED ? 1 : 0;
    }
    assert_int_equal(reported, 16);
    bks_cues_destroy(cues);
}

static void test_a_tick_stepped_again_that_is_no_longer_kept_is_counted(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    bks_cues *cues = make(2, 16);
    ask(cues, 3, SHOT, 1);
    bks_cues_update(cues, 4, 0);
    for (bks_tick tick = 4; tick < 20; tick++) {
        step_over(cues, tick, tick + 1);
        bks_cues_update(cues, tick + 1, 0);
    }
    assert_int_equal(bks_cues_lost(cues), 0);
    step_over(cues, 3, 20); // without the shot, which no one can cancel any more
    bks_cues_update(cues, 20, 0);
    assert_int_equal(bks_cues_lost(cues), 1);
    bks_cues_destroy(cues);
}

static void test_a_wrong_ask_is_refused_and_said_once(void **state)
{
    bks_cues *cues = *state;
    catch_log log;
    catch_log_begin(&log);
    bks_cues_begin(cues, 0);
    uint8_t bytes[BKS_CUE_BYTES_MAX + 1] = {0};
    assert_false(bks_cues_ask(cues, 4, 1, NULL, 0));
    assert_string_equal(log.text, "id is 4, must be 0..3: an index of bks_game.cues");
    assert_false(bks_cues_ask(cues, SHOT, 1, bytes, sizeof(bytes)));
    assert_false(bks_cues_ask(cues, SHOT, 1, NULL, 1));
    assert_int_equal(log.count, 1);
    assert_true(bks_cues_ask(cues, SHOT, 1, bytes, BKS_CUE_BYTES_MAX));
}

static void test_a_wrong_config_names_the_range(void **state)
{
    (void)state;
    static const bks_game silent = {.name = "silent"};
    const struct {
        bks_cues_config config;
        const char *text;
    } cases[] = {
        {{.game = &silent, .per_tick = 1, .ticks = 1},
         "silent has neither cues nor commands: bks_game.cues names none, and command_bytes_max is "
         "0"},
        {{.game = &game, .per_tick = 0, .ticks = 1}, "per_tick is 0, must be 1..1024"},
        {{.game = &game, .per_tick = 1025, .ticks = 1}, "per_tick is 1025, must be 1..1024"},
        {{.game = &game, .per_tick = 1, .ticks = 0}, "ticks is 0, must be 1..4096"},
        {{.game = &game, .per_tick = 1, .ticks = 4097}, "ticks is 4097, must be 1..4096"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bks_cues *cues = NULL;
        bks_error error = {0};
        assert_int_equal(bks_cues_create(&cases[i].config, &cues, &error), BKS_ERR_BAD_CONFIG);
        assert_string_equal(error.text, cases[i].text);
        assert_null(cues);
    }
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_starts_once_however_often_its_tick_is_stepped),
        CASE(test_says_how_late_it_became_known),
        CASE(test_is_cancelled_when_a_corrected_past_does_not_ask),
        CASE(test_waits_to_cancel_while_a_tick_to_come_may_ask),
        CASE(test_moves_without_a_new_start),
        CASE(test_two_of_one_key_that_both_moved_stay_two),
        CASE(test_shots_that_moved_by_their_distance_are_the_same),
        CASE(test_one_less_of_a_key_leaves_the_others_in_order),
        CASE(test_all_of_one_key_and_tick_stay_when_those_of_another_do_not_come),
        CASE(test_one_more_of_a_key_is_the_new_one),
        CASE(test_the_last_tick_is_taken_and_none_beyond),
        CASE(test_ticks_far_apart_take_no_longer),
        CASE(test_moves_no_further_than_its_type_says),
        CASE(test_keys_keep_apart_and_two_of_a_tick_are_two),
        CASE(test_the_same_tick_goes_before_a_nearby_one),
        CASE(test_a_changed_payload_is_reported_with_its_serial),
        CASE(test_ticks_that_a_short_resimulation_left_alone_keep_theirs),
        CASE(test_confirmed_ones_come_in_order_and_once),
        CASE(test_all_ticks_that_are_kept_may_be_confirmed_at_once),
        CASE(test_confirmed_ones_are_reported_once_stepped),
        CASE(test_seen_ones_come_from_the_newest_tick_alone),
        CASE(test_no_cue_of_the_past_comes_after_a_reset),
        CASE(test_a_tick_before_a_reset_is_not_reported_and_not_lost),
        CASE(test_moves_back_from_ticks_that_are_yet_to_be_stepped_again),
        CASE(test_the_end_cancels_what_was_withdrawn),
        CASE(test_more_than_there_is_room_for_is_counted_and_said_once),
        CASE(test_a_lost_refusal_is_named),
        CASE(test_the_oldest_that_waits_is_lost_when_too_many_were_withdrawn),
        CASE(test_what_is_confirmed_later_than_ticks_are_kept_is_counted),
        CASE(test_a_tick_stepped_again_that_is_no_longer_kept_is_counted),
        CASE(test_a_wrong_ask_is_refused_and_said_once),
        CASE(test_a_wrong_config_names_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
