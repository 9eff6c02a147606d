// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "replay/replay_format.h"

static void preamble_is_told_from_other_files(void **state)
{
    (void)state;
    uint8_t bytes[BKSI_PREAMBLE_BYTES];
    bks_error error = {0};
    bksi_preamble_write(bytes);
    assert_int_equal(bksi_preamble_check(bytes, sizeof(bytes), &error), BKS_OK);
    const uint8_t *text = (const uint8_t *)"#!/bin/sh and so on";
    assert_int_equal(bksi_preamble_check(text, 19, &error), BKS_ERR_UNSUPPORTED);
    for (size_t count = 0; count < sizeof(bytes); count++) {
        assert_int_equal(bksi_preamble_check(bytes, count, &error), BKS_ERR_INCOMPLETE);
    }
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] ^= 0x10;
        assert_int_not_equal(bksi_preamble_check(bytes, sizeof(bytes), &error), BKS_OK);
        assert_true(error.offset_bytes <= i);
        bytes[i] ^= 0x10;
    }
}

static void later_version_is_unsupported_not_damaged(void **state)
{
    (void)state;
    uint8_t bytes[BKSI_PREAMBLE_BYTES];
    bks_error error = {0};
    bksi_preamble_write(bytes);
    bksi_put_u32(bytes + 8, 2);
    assert_int_equal(bksi_preamble_check(bytes, sizeof(bytes), &error), BKS_ERR_DAMAGED);
    bksi_put_u32(bytes + 12, bksi_check32(bytes, 12, 0));
    assert_int_equal(bksi_preamble_check(bytes, sizeof(bytes), &error), BKS_ERR_UNSUPPORTED);
    assert_int_equal(error.offset_bytes, 8);
}

/// A record of 5 bytes at offset 7 of a file.
static size_t make_record(uint8_t *file)
{
    memset(file, 0xaa, 7);
    memcpy(file + 7 + BKSI_RECORD_HEAD_BYTES, "hello", 5);
    const size_t bytes = bksi_record_seal(file + 7, BKSI_RECORD_TICKS, 5, 7);
    assert_int_equal(bytes, 25);
    return 7 + bytes;
}

static void record_reads_as_written(void **state)
{
    (void)state;
    uint8_t file[64];
    const size_t count = make_record(file);
    bksi_record record;
    assert_int_equal(bksi_record_read(file, count, 7, &record), BKSI_RECORD_OK);
    assert_int_equal(record.type, BKSI_RECORD_TICKS);
    assert_int_equal(record.payload_bytes, 5);
    assert_memory_equal(record.payload, "hello", 5);
    assert_int_equal(record.end, count);
    assert_int_equal(bksi_record_read(file, count, count, &record), BKSI_RECORD_END);
}

static void cut_record_is_told_from_a_wrong_one(void **state)
{
    (void)state;
    uint8_t file[64];
    bksi_record record;
    const size_t count = make_record(file);
    assert_int_equal(bksi_record_read(file, 7, 7, &record), BKSI_RECORD_END);
    for (size_t cut = 8; cut < count; cut++) {
        assert_int_equal(bksi_record_read(file, cut, 7, &record), BKSI_RECORD_CUT);
    }
    for (size_t i = 7; i < count; i++) {
        for (uint32_t bit = 0; bit < 8; bit++) {
            file[i] ^= (uint8_t)(1u << bit);
            assert_int_equal(bksi_record_read(file, count, 7, &record),
                             i < 7 + BKSI_RECORD_HEAD_BYTES ? BKSI_RECORD_BAD_HEAD
                                                            : BKSI_RECORD_BAD_PAYLOAD);
            file[i] ^= (uint8_t)(1u << bit);
        }
    }
}

static void record_in_the_wrong_place_is_wrong(void **state)
{
    (void)state;
    uint8_t file[64];
    uint8_t moved[64];
    bksi_record record;
    const size_t count = make_record(file);
    memcpy(moved, file + 7, count - 7);
    assert_int_equal(bksi_record_read(moved, count - 7, 0, &record), BKSI_RECORD_BAD_HEAD);
}

static void absurd_length_is_refused_even_with_a_right_check(void **state)
{
    (void)state;
    uint8_t file[64] = {0};
    bksi_record record;
    bksi_put_u32(file, BKSI_RECORD_TICKS);
    bksi_put_u32(file + 4, 0xfffffff0);
    bksi_put_u32(file + 8, bksi_check32(file, 8, 0));
    assert_int_equal(bksi_record_read(file, sizeof(file), 0, &record), BKSI_RECORD_BAD_HEAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(preamble_is_told_from_other_files),
        cmocka_unit_test(later_version_is_unsupported_not_damaged),
        cmocka_unit_test(record_reads_as_written),
        cmocka_unit_test(cut_record_is_told_from_a_wrong_one),
        cmocka_unit_test(record_in_the_wrong_place_is_wrong),
        cmocka_unit_test(absurd_length_is_refused_even_with_a_right_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
