// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pad/pad.h"
#include "replay/write/packed_writer.h"
#include "support/says.h"

static const bks_replay_detail most = {.hash_bits = 64,
                                       .full_hash_ticks = INT32_MAX,
                                       .chunk_ticks = 1024,
                                       .keyframe_ticks = 1000000,
                                       .keyframe_bytes = UINT64_C(1) << 40};

static void assert_refused(const bks_replay_detail *detail, const char *field, const char *says)
{
    bks_error error = {0};
    assert_int_equal(bksi_record_detail_check(detail, &pad_game, "test", &error),
                     BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, field);
    assert_says(error.text, field);
    assert_says(error.text, says);
}

static void the_ends_of_every_range_are_taken(void **state)
{
    (void)state;
    const bks_replay_detail least = {0}, with_auto = {.keyframe_ticks = BKS_AUTO};
    assert_int_equal(bksi_record_detail_check(&least, &pad_game, "test", NULL), BKS_OK);
    assert_int_equal(bksi_record_detail_check(&most, &pad_game, "test", NULL), BKS_OK);
    assert_int_equal(bksi_record_detail_check(&with_auto, &pad_game, "test", NULL), BKS_OK);
}

static void a_number_beyond_its_range_is_refused_with_value_and_range(void **state)
{
    (void)state;
    bks_replay_detail d = most;
    d.hash_bits = 65;
    assert_refused(&d, "record_detail.hash_bits", "is 65, must be 0..64");
    d = most, d.full_hash_ticks = UINT32_C(1) << 31;
    assert_refused(&d, "record_detail.full_hash_ticks", "is 2147483648, must be 0..2147483647");
    d = most, d.chunk_ticks = 1025;
    assert_refused(&d, "record_detail.chunk_ticks", "is 1025, must be 0..1024");
    d = most, d.keyframe_ticks = 1000001;
    assert_refused(&d, "record_detail.keyframe_ticks",
                   "is 1000001, must be 0..1000000 or BKS_AUTO");
    d = most, d.keyframe_bytes++;
    assert_refused(&d, "record_detail.keyframe_bytes",
                   "is 1099511627777, must be 0..1099511627776");
    d = most, d.marks_from = -1;
    assert_refused(&d, "record_detail.marks_from", "is -1, must be 0 or above");
    d = most, d.marks_from = d.marks_until = 7;
    assert_refused(&d, "record_detail.marks_until", "is 7, must be 0 or above marks_from, 7");
    d.marks_until = -1;
    assert_refused(&d, "record_detail.marks_until", "is -1, must be 0 or above marks_from, 7");
}

static void a_writers_config_names_the_field_as_its_own(void **state)
{
    (void)state;
    const bks_replay_detail wrong = {.hash_bits = 65};
    bks_error error = {0};
    assert_int_equal(bksi_detail_check(&wrong, &pad_game, 1, false, "test", &error),
                     BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "detail.hash_bits");
    assert_says(error.text, "detail.hash_bits is 65, must be 0..64");
}

static void values_are_refused_when_a_tick_of_them_takes_too_many_bytes(void **state)
{
    (void)state;
    bks_state_range range = {
        .name = "all", .count = BKS_VALUES_BYTES_MAX, .type = BKS_STATE_U8, .is_recorded = true};
    bks_game game = pad_game;
    game.ranges = &range, game.range_count = 1;
    const bks_replay_detail detail = {.values = true};
    assert_int_equal(bksi_record_detail_check(&detail, &game, "test", NULL), BKS_OK);
    range.count++;
    bks_error error = {0};
    assert_int_equal(bksi_record_detail_check(&detail, &game, "test", &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "record_detail.values");
    assert_says(error.text, "16385 bytes together, must have 0..16384");
}

static void page_hashes_are_refused_for_states_above_16_MiB(void **state)
{
    (void)state;
    bks_game game = pad_game;
    const bks_replay_detail detail = {.page_hashes = true};
    game.configure = NULL;
    game.state_bytes = (size_t)16 << 20;
    assert_int_equal(bksi_record_detail_check(&detail, &game, "test", NULL), BKS_OK);
    game.state_bytes++;
    bks_error error = {0};
    assert_int_equal(bksi_record_detail_check(&detail, &game, "test", &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "record_detail.page_hashes");
    assert_says(error.text, "4097 pages, must be false above 4096");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ends_of_every_range_are_taken),
        cmocka_unit_test(a_number_beyond_its_range_is_refused_with_value_and_range),
        cmocka_unit_test(a_writers_config_names_the_field_as_its_own),
        cmocka_unit_test(values_are_refused_when_a_tick_of_them_takes_too_many_bytes),
        cmocka_unit_test(page_hashes_are_refused_for_states_above_16_MiB),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
