// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/format/replay_event.h"

static bks_replay_agreed most[BKS_REPLAY_AGREED_MAX];
static const bks_replay_agreed three[] = {{40, 1}, {41, UINT64_MAX}, {69, 3}};

/// Make a repair of the most bytes.
static bks_replay_repair largest(void)
{
    for (uint32_t i = 0; i < BKS_REPLAY_AGREED_MAX; i++) {
        most[i] = (bks_replay_agreed){(bks_tick)((i + 1) << 22), UINT64_MAX - i};
    }
    return (bks_replay_repair){.peer = 255,
                               .from = 255,
                               .bytes = UINT64_MAX,
                               .since = 1,
                               .tick = INT32_MAX,
                               .until = INT32_MAX,
                               .agreed_count = BKS_REPLAY_AGREED_MAX};
}

static void expect_same_repair(const bks_replay_repair *a, const bks_replay_repair *b)
{
    assert_int_equal(a->peer, b->peer);
    assert_int_equal(a->from, b->from);
    assert_true(a->bytes == b->bytes);
    assert_int_equal(a->since, b->since);
    assert_int_equal(a->tick, b->tick);
    assert_int_equal(a->until, b->until);
    assert_int_equal(a->agreed_count, b->agreed_count);
}

static void repair_reads_as_written(void **state)
{
    (void)state;
    const struct {
        bks_replay_repair repair;
        const bks_replay_agreed *agreed;
    } all[] = {
        {{.peer = 1, .since = 0, .tick = 1}, NULL},
        {{.peer = 1, .from = 0, .bytes = 512, .since = 40, .tick = 60, .until = 40}, NULL},
        {{.peer = 2, .from = 2, .since = 40, .tick = 60, .until = 70, .agreed_count = 3}, three},
        {largest(), most},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        uint8_t bytes[BKSI_REPAIR_BYTES_MAX + 1];
        bks_replay_repair read;
        bks_replay_agreed agreed[BKS_REPLAY_AGREED_MAX];
        assert_int_equal(bksi_repair_check(&all[i].repair, all[i].agreed, "test"), BKS_OK);
        const size_t count = bksi_repair_write(bytes, &all[i].repair, all[i].agreed);
        assert_in_range(count, 7, BKSI_REPAIR_BYTES_MAX);
        assert_true(bksi_repair_read(&read, agreed, bytes, count));
        expect_same_repair(&read, &all[i].repair);
        for (uint32_t k = 0; k < read.agreed_count; k++) {
            assert_int_equal(agreed[k].tick, all[i].agreed[k].tick);
            assert_true(agreed[k].hash == all[i].agreed[k].hash);
        }
        for (size_t cut = 0; cut < count; cut++) {
            assert_false(bksi_repair_read(&read, agreed, bytes, cut));
        }
        bytes[count] = 0;
        assert_false(bksi_repair_read(&read, agreed, bytes, count + 1));
    }
}

static void expect_refused(bks_replay_repair repair, const bks_replay_agreed *agreed)
{
    assert_int_equal(bksi_repair_check(&repair, agreed, "test"), BKS_ERR_BAD_ARGUMENT);
}

static void repair_out_of_its_ranges_is_refused(void **state)
{
    (void)state;
    const bks_replay_repair right = {
        .peer = 1, .since = 40, .tick = 60, .until = 70, .agreed_count = 3};
    assert_int_equal(bksi_repair_check(&right, three, "test"), BKS_OK);
    assert_int_equal(bksi_repair_check(NULL, three, "test"), BKS_ERR_BAD_ARGUMENT);
    expect_refused(right, NULL);
    bks_replay_repair wrong = right;
    wrong.peer = 256;
    expect_refused(wrong, three);
    wrong = right;
    wrong.from = 256;
    expect_refused(wrong, three);
    wrong = right;
    wrong.since = -1;
    expect_refused(wrong, three);
    wrong = right;
    wrong.tick = 40;
    expect_refused(wrong, three);
    wrong = right;
    wrong.until = 69; // one of the hashes is of that tick
    expect_refused(wrong, three);
    wrong = right;
    wrong.until = 39;
    wrong.agreed_count = 0;
    expect_refused(wrong, three);
    wrong = right;
    wrong.since = 41; // one is of a tick before
    expect_refused(wrong, three);
    wrong = largest();
    wrong.agreed_count++;
    expect_refused(wrong, most);
    const bks_replay_agreed twice[] = {{40, 1}, {40, 1}, {69, 3}};
    expect_refused(right, twice);
}

static void bytes_that_no_writer_makes_are_wrong(void **state)
{
    (void)state;
    bks_replay_repair read;
    bks_replay_agreed agreed[BKS_REPLAY_AGREED_MAX];
    const struct {
        const char *bytes;
        size_t count;
    } all[] = {
        {"\1\0\0\x28\0\0\0", 7},                                // put right before it was wrong
        {"\1\0\0\xff\xff\xff\xff\x07\1\0\0", 11},               // at no tick
        {"\1\0\0\x28\1\xff\xff\xff\xff\x07\0", 11},             // wrong for too long
        {"\1\0\0\x28\1\2\3\0........\0........\0........", 34}, // hashes of ticks behind
        {"\1\0\0\x28\1\2\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1........", 25}, // likewise, far
        {"\1\0\0\x28\1\2\x81\2", 8},                                            // 257 hashes
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        assert_false(bksi_repair_read(&read, agreed, (const uint8_t *)all[i].bytes, all[i].count));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repair_reads_as_written),
        cmocka_unit_test(repair_out_of_its_ranges_is_refused),
        cmocka_unit_test(bytes_that_no_writer_makes_are_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
