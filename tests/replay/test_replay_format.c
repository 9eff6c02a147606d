// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "replay/format/replay_format.h"

static void the_preamble_is_distinguished_from_other_files(void **state)
{
    (void)state;
    uint8_t bytes[BKSI_PREAMBLE_BYTES];
    bks_error error = {0};
    uint32_t version = 0;
    bksi_preamble_write(bytes);
    assert_int_equal(bksi_preamble_check(bytes, sizeof(bytes), &version, &error), BKS_OK);
    const uint8_t *text = (const uint8_t *)"#!/bin/sh and so on";
    assert_int_equal(bksi_preamble_check(text, 19, &version, &error), BKS_ERR_UNSUPPORTED);
    for (size_t count = 0; count < sizeof(bytes); count++) {
        assert_int_equal(bksi_preamble_check(bytes, count, &version, &error), BKS_ERR_INCOMPLETE);
    }
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] ^= 0x10;
        assert_int_not_equal(bksi_preamble_check(bytes, sizeof(bytes), &version, &error), BKS_OK);
        assert_true(error.offset_bytes <= i);
        bytes[i] ^= 0x10;
    }
}

static void later_version_is_unsupported_not_damaged(void **state)
{
    (void)state;
    uint8_t bytes[BKSI_PREAMBLE_BYTES];
    bks_error error = {0};
    uint32_t version = 0;
    bksi_preamble_write(bytes);
    bksi_put_u32(bytes + 8, 3);
    assert_int_equal(bksi_preamble_check(bytes, sizeof(bytes), &version, &error), BKS_ERR_DAMAGED);
    bksi_put_u32(bytes + 12, bksi_check32(bytes, 12, 0));
    assert_int_equal(bksi_preamble_check(bytes, sizeof(bytes), &version, &error),
                     BKS_ERR_UNSUPPORTED);
    assert_int_equal(error.offset_bytes, 8);
    bksi_put_u32(bytes + 8, 0);
    bksi_put_u32(bytes + 12, bksi_check32(bytes, 12, 0));
    assert_int_equal(bksi_preamble_check(bytes, sizeof(bytes), &version, &error),
                     BKS_ERR_UNSUPPORTED);
    for (uint32_t known = 1; known <= 2; known++) {
        bksi_put_u32(bytes + 8, known);
        bksi_put_u32(bytes + 12, bksi_check32(bytes, 12, 0));
        assert_int_equal(bksi_preamble_check(bytes, sizeof(bytes), &version, &error), BKS_OK);
        assert_int_equal(version, known);
    }
}

static bksi_record_status read_at(const uint8_t *bytes, size_t count, uint64_t offset,
                                  bksi_record *record)
{
    const bks_replay_piece piece = {.bytes = bytes, .count = count};
    return bksi_record_read(&piece, offset, record);
}

/// Make a record of 5 bytes at offset 7 of a file.
static size_t make_record(uint8_t *file)
{
    memset(file, 0xaa, 7);
    memcpy(file + 7 + BKSI_RECORD_HEAD_BYTES, "hello", 5);
    const size_t bytes = bksi_record_finish(file + 7, BKSI_RECORD_TICKS, 5, 7);
    assert_int_equal(bytes, 25);
    return 7 + bytes;
}

static void record_reads_as_written(void **state)
{
    (void)state;
    uint8_t file[64];
    const size_t count = make_record(file);
    bksi_record record;
    assert_int_equal(read_at(file, count, 7, &record), BKSI_RECORD_OK);
    assert_int_equal(record.type, BKSI_RECORD_TICKS);
    assert_int_equal(record.payload_bytes, 5);
    assert_memory_equal(record.payload, "hello", 5);
    assert_int_equal(record.end, count);
    assert_int_equal(read_at(file, count, count, &record), BKSI_RECORD_END);
}

static void a_cut_record_is_distinguished_from_a_wrong_one(void **state)
{
    (void)state;
    uint8_t file[64];
    bksi_record record;
    const size_t count = make_record(file);
    assert_int_equal(read_at(file, 7, 7, &record), BKSI_RECORD_END);
    for (size_t cut = 8; cut < count; cut++) {
        assert_int_equal(read_at(file, cut, 7, &record), BKSI_RECORD_CUT);
    }
    for (size_t i = 7; i < count; i++) {
        for (uint32_t bit = 0; bit < 8; bit++) {
            file[i] ^= (uint8_t)(1u << bit);
            assert_int_equal(read_at(file, count, 7, &record), i < 7 + BKSI_RECORD_HEAD_BYTES
                                                                   ? BKSI_RECORD_BAD_HEAD
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
    assert_int_equal(read_at(moved, count - 7, 0, &record), BKSI_RECORD_BAD_HEAD);
}

static void absurd_length_is_refused_even_with_a_right_check(void **state)
{
    (void)state;
    uint8_t file[64] = {0};
    bksi_record record;
    bksi_put_u32(file, BKSI_RECORD_TICKS);
    bksi_put_u32(file + 4, 0xfffffff0);
    bksi_put_u32(file + 8, bksi_check32(file, 8, 0));
    assert_int_equal(read_at(file, sizeof(file), 0, &record), BKSI_RECORD_BAD_HEAD);
}

static void record_is_found_behind_what_is_none(void **state)
{
    (void)state;
    uint8_t file[64];
    const size_t count = make_record(file);
    const bks_replay_piece whole = {.bytes = file, .count = count};
    assert_int_equal(bksi_record_find(&whole, 0), 7);
    assert_int_equal(bksi_record_find(&whole, 6), 7);
    assert_int_equal(bksi_record_find(&whole, 7), count);
    const bks_replay_piece later = {.offset_bytes = 3, .bytes = file + 3, .count = count - 3};
    assert_int_equal(bksi_record_find(&later, 3), 7);
    const bks_replay_piece cut = {.bytes = file, .count = 7 + BKSI_RECORD_HEAD_BYTES - 1};
    assert_int_equal(bksi_record_find(&cut, 0), cut.count);
    bksi_record record;
    assert_int_equal(bksi_record_read(&later, 7, &record), BKSI_RECORD_OK);
    assert_memory_equal(record.payload, "hello", 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_preamble_is_distinguished_from_other_files),
        cmocka_unit_test(later_version_is_unsupported_not_damaged),
        cmocka_unit_test(record_reads_as_written),
        cmocka_unit_test(a_cut_record_is_distinguished_from_a_wrong_one),
        cmocka_unit_test(record_in_the_wrong_place_is_wrong),
        cmocka_unit_test(record_is_found_behind_what_is_none),
        cmocka_unit_test(absurd_length_is_refused_even_with_a_right_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
