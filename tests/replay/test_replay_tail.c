// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/format/replay_tail.h"

#define OFFSET 1024u
#define BLOCKS 5u
#define SLOT   (BLOCKS * BKSI_BLOCK_BYTES)
#define COUNT  (OFFSET + 2 * SLOT)

static uint8_t file[COUNT];
static uint8_t said[BLOCKS * BKSI_BLOCK_ROOM];

/// Write `count` bytes that depend on the number of the write.
static void write_once(uint32_t sequence, size_t count)
{
    const size_t offset = OFFSET + sequence % 2 * SLOT;
    for (size_t i = 0; i < count; i++) {
        said[i] = (uint8_t)(i * 7 + sequence);
    }
    bksi_tail_write(file + offset, offset, sequence, said, count);
}

static void assert_newest(uint32_t sequence, size_t count)
{
    bksi_tail tail;
    uint8_t out[sizeof(said)];
    bksi_tail_read(file + OFFSET, COUNT - OFFSET, OFFSET, BLOCKS, &tail);
    assert_false(tail.is_damaged);
    assert_true(tail.has_write);
    assert_int_equal(tail.sequence, sequence);
    assert_int_equal(tail.payload_bytes, count);
    bksi_tail_copy(&tail, out);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(out[i], (uint8_t)(i * 7 + sequence));
    }
}

static int clear_file(void **state)
{
    (void)state;
    memset(file, 0, sizeof(file));
    return 0;
}

static void empty_slots_hold_nothing(void **state)
{
    (void)state;
    bksi_tail tail;
    bksi_tail_read(file + OFFSET, COUNT - OFFSET, OFFSET, BLOCKS, &tail);
    assert_true(tail.is_zero);
    assert_false(tail.has_write);
    assert_false(tail.is_damaged);
    assert_false(tail.is_cut);
}

static void newest_write_counts_whatever_its_length(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 495, 496, 497, 992, 2480, 3, 1500};
    for (uint32_t i = 0; i < 9; i++) {
        write_once(i + 1, counts[i]);
        assert_newest(i + 1, counts[i]);
    }
}

static void numbers_may_wrap_around(void **state)
{
    (void)state;
    write_once(UINT32_MAX - 1, 10);
    write_once(UINT32_MAX, 20);
    assert_newest(UINT32_MAX, 20);
    write_once(2, 30);
    assert_newest(2, 30);
}

static void torn_write_leaves_the_one_before_and_is_no_damage(void **state)
{
    (void)state;
    static uint8_t before[COUNT];
    static uint8_t after[COUNT];
    write_once(1, 2000);
    write_once(2, 1900);
    memcpy(before, file, COUNT);
    write_once(3, 2100);
    memcpy(after, file, COUNT);
    const size_t slot = OFFSET + SLOT;
    for (size_t blocks = 0; blocks < 5; blocks++) {
        memcpy(file, before, COUNT);
        memcpy(file + slot, after + slot, blocks * BKSI_BLOCK_BYTES);
        assert_newest(2, 1900);
    }
    memcpy(file, after, COUNT);
    assert_newest(3, 2100);
}

static void every_changed_byte_is_damage_at_its_block(void **state)
{
    (void)state;
    write_once(1, 2000);
    write_once(2, 700);
    for (size_t i = OFFSET; i < COUNT; i++) {
        bksi_tail tail;
        file[i] ^= 0x04;
        bksi_tail_read(file + OFFSET, COUNT - OFFSET, OFFSET, BLOCKS, &tail);
        file[i] ^= 0x04;
        assert_true(tail.is_damaged);
        assert_int_equal(tail.damage_offset, i / BKSI_BLOCK_BYTES * BKSI_BLOCK_BYTES);
        assert_true(tail.has_write);
    }
}

static void cut_slots_are_read_as_far_as_they_go(void **state)
{
    (void)state;
    write_once(1, 700); // second slot
    write_once(2, 900); // first slot
    for (size_t count = OFFSET; count < COUNT; count++) {
        bksi_tail tail;
        bksi_tail_read(file + OFFSET, count - OFFSET, OFFSET, BLOCKS, &tail);
        assert_true(tail.is_cut);
        assert_false(tail.is_damaged);
        assert_int_equal(tail.has_write, count >= OFFSET + 1024);
    }
}

static void half_wiped_slots_hold_nothing_or_the_older_write(void **state)
{
    (void)state;
    write_once(1, 2000);
    write_once(2, 2000);
    memset(file + OFFSET, 0, BKSI_BLOCK_BYTES);
    assert_newest(1, 2000);
    memset(file + OFFSET, 0, SLOT);
    assert_newest(1, 2000);
    memset(file + OFFSET + SLOT, 0, 2 * BKSI_BLOCK_BYTES);
    bksi_tail tail;
    bksi_tail_read(file + OFFSET, COUNT - OFFSET, OFFSET, BLOCKS, &tail);
    assert_false(tail.has_write);
    assert_false(tail.is_damaged);
    assert_false(tail.is_zero);
    assert_int_equal(tail.used_offset, OFFSET + SLOT + 2 * BKSI_BLOCK_BYTES);
}

static void head_of_a_tail_reads_as_written(void **state)
{
    (void)state;
    uint8_t bytes[BKSI_TAIL_HEAD_BYTES_MAX];
    uint64_t records_end = 0;
    uint64_t start = 0;
    const size_t count = bksi_tail_head_write(bytes, UINT64_C(70000000000), 300);
    assert_int_equal(count, 8);
    assert_int_equal(bksi_tail_head_read(bytes, count, &records_end, &start), count);
    assert_true(records_end == UINT64_C(70000000000));
    assert_int_equal(start, 300);
    for (size_t cut = 0; cut < count; cut++) {
        assert_int_equal(bksi_tail_head_read(bytes, cut, &records_end, &start), 0);
    }
    const size_t lie = bksi_tail_head_write(bytes, 5, 6);
    assert_int_equal(bksi_tail_head_read(bytes, lie, &records_end, &start), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_of_a_tail_reads_as_written),
        cmocka_unit_test_setup(empty_slots_hold_nothing, clear_file),
        cmocka_unit_test_setup(newest_write_counts_whatever_its_length, clear_file),
        cmocka_unit_test_setup(numbers_may_wrap_around, clear_file),
        cmocka_unit_test_setup(torn_write_leaves_the_one_before_and_is_no_damage, clear_file),
        cmocka_unit_test_setup(every_changed_byte_is_damage_at_its_block, clear_file),
        cmocka_unit_test_setup(cut_slots_are_read_as_far_as_they_go, clear_file),
        cmocka_unit_test_setup(half_wiped_slots_hold_nothing_or_the_older_write, clear_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
