// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/format/replay_tail.h"

static void index_reads_as_written(void **state)
{
    (void)state;
    static bksi_index index;
    static bksi_index read;
    uint8_t bytes[BKSI_INDEX_BYTES_MAX];
    index.before = 12345678901;
    for (uint32_t i = 0; i < BKSI_INDEX_ENTRIES_MAX; i++) {
        index.entries[i] = (bksi_index_entry){(bksi_index_kind)(i % 3), (bks_tick)(i * 7),
                                              index.before + 1 + i * UINT64_C(100000)};
    }
    for (uint32_t count = 0; count <= BKSI_INDEX_ENTRIES_MAX; count++) {
        index.count = count;
        const size_t written = bksi_index_write(bytes, &index);
        assert_int_equal(written, 8 + 13 * count);
        assert_true(bksi_index_read(&read, bytes, written));
        assert_true(read.before == index.before);
        assert_int_equal(read.count, count);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(read.entries[i].kind, i % 3);
            assert_int_equal(read.entries[i].tick, i * 7);
            assert_true(read.entries[i].offset == index.entries[i].offset);
        }
    }
}

static void wrong_index_is_refused(void **state)
{
    (void)state;
    static bksi_index index = {.before = 100,
                               .count = 2,
                               .entries = {{BKSI_INDEX_WHOLE, 5, 101}, {BKSI_INDEX_DELTA, 6, 102}}};
    static bksi_index read;
    uint8_t bytes[BKSI_INDEX_BYTES_MAX + 13];
    const size_t count = bksi_index_write(bytes, &index);
    for (size_t cut = 0; cut <= count; cut++) {
        assert_int_equal(bksi_index_read(&read, bytes, cut),
                         cut == 8 || cut == 8 + 13 || cut == 8 + 26);
    }
    index.entries[1].offset = 101; // not behind the first
    assert_false(bksi_index_read(&read, bytes, bksi_index_write(bytes, &index)));
    index.entries[1].offset = 102;
    index.before = 101; // nor that behind the index before
    assert_false(bksi_index_read(&read, bytes, bksi_index_write(bytes, &index)));
    index.before = 0;
    index.entries[0].kind = (bksi_index_kind)3;
    assert_false(bksi_index_read(&read, bytes, bksi_index_write(bytes, &index)));
    index.entries[0].kind = BKSI_INDEX_WHOLE;
    index.entries[0].tick = -1;
    assert_false(bksi_index_read(&read, bytes, bksi_index_write(bytes, &index)));
    index.entries[0].tick = 5;
    assert_true(bksi_index_read(&read, bytes, bksi_index_write(bytes, &index)));
    memset(bytes, 0, sizeof(bytes));
    for (uint32_t i = 0; i <= BKSI_INDEX_ENTRIES_MAX; i++) {
        bytes[8 + i * 13 + 5] = (uint8_t)(i + 1);
        bytes[8 + i * 13 + 6] = (uint8_t)((i + 1) >> 8);
    }
    assert_true(bksi_index_read(&read, bytes, sizeof(bytes) - 13));
    assert_false(bksi_index_read(&read, bytes, sizeof(bytes)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_reads_as_written),
        cmocka_unit_test(wrong_index_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
