// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/format/replay_format.h"
#include "replay/format/replay_samples.h"
#include "support/counting_allocator.h"

#define ROW 40u

static const bks_allocator none;

/// Fill in one tick's sample.
static void fill(bks_tick tick, uint8_t *sample)
{
    for (uint32_t i = 0; i < ROW; i++) {
        sample[i] = (uint8_t)(i % 4 == 0 ? (uint32_t)tick : i);
    }
}

static bool unpack(const uint8_t *payload, size_t count, bksi_packed_samples *samples,
                   uint8_t **out)
{
    *out = NULL;
    if (!bksi_samples_read(samples, payload, count)) {
        return false;
    }
    *out = malloc(samples->ticks * samples->sample_bytes);
    assert_non_null(*out);
    return bksi_samples_unpack(samples, *out);
}

static void rows_come_back_and_the_one_at_hand_stays(void **state)
{
    (void)state;
    bksi_sample_packer *packer = bksi_sample_packer_create(50, ROW, &none);
    assert_non_null(packer);
    bks_tick tick = 7;
    static const uint32_t counts[] = {50, 1, 3, 50};
    for (uint32_t round = 0; round < 4; round++) {
        const bks_tick first = tick;
        for (uint32_t i = 0; i < counts[round]; i++, tick++) {
            if (i > 0 || round == 0) {
                fill(tick, bksi_sample_packer_next(packer));
            }
            bksi_sample_packer_add(packer, ROW);
        }
        fill(tick, bksi_sample_packer_next(packer)); // given before the ones before are appended
        const size_t bytes = bksi_sample_packer_pack(packer, first);
        assert_true(bytes > 0);
        bksi_packed_samples samples;
        uint8_t *out;
        assert_true(unpack(bksi_sample_packer_record(packer) + BKSI_RECORD_HEAD_BYTES, bytes,
                           &samples, &out));
        assert_int_equal(samples.first, first);
        assert_int_equal(samples.ticks, counts[round]);
        assert_int_equal(samples.sample_bytes, ROW);
        for (uint32_t i = 0; i < samples.ticks; i++) {
            uint8_t wanted[ROW];
            fill(first + (bks_tick)i, wanted);
            assert_memory_equal(out + i * ROW, wanted, ROW);
        }
        assert_true(counts[round] < 50 || bytes < 50 * ROW / 4); // what stays is free
        free(out);
    }
    bksi_sample_packer_destroy(packer);
}

static void rows_are_as_long_as_the_longest(void **state)
{
    (void)state;
    bksi_sample_packer *packer = bksi_sample_packer_create(10, ROW, &none);
    assert_non_null(packer);
    assert_int_equal(bksi_sample_packer_pack(packer, 0), 0); // there are none
    bksi_sample_packer_add(packer, 0);
    assert_int_equal(bksi_sample_packer_pack(packer, 0), 0); // nothing in it
    static const size_t lengths[] = {4, 12, 8};
    for (uint32_t i = 0; i < 3; i++) {
        memset(bksi_sample_packer_next(packer), (int)i + 1, lengths[i]);
        bksi_sample_packer_add(packer, lengths[i]);
    }
    const size_t bytes = bksi_sample_packer_pack(packer, 0);
    bksi_packed_samples samples;
    uint8_t *out;
    assert_true(
        unpack(bksi_sample_packer_record(packer) + BKSI_RECORD_HEAD_BYTES, bytes, &samples, &out));
    assert_int_equal(samples.sample_bytes, 12);
    for (uint32_t i = 0; i < 3; i++) {
        for (size_t b = 0; b < 12; b++) {
            assert_int_equal(out[i * 12 + b], b < lengths[i] ? i + 1 : 0);
        }
    }
    free(out);
    bksi_sample_packer_destroy(packer);
}

static void wrong_rows_are_refused(void **state)
{
    (void)state;
    bksi_sample_packer *packer = bksi_sample_packer_create(50, ROW, &none);
    assert_non_null(packer);
    for (bks_tick tick = 0; tick < 50; tick++) {
        fill(tick, bksi_sample_packer_next(packer));
        bksi_sample_packer_add(packer, ROW);
    }
    const size_t bytes = bksi_sample_packer_pack(packer, 0);
    uint8_t *payload = malloc(bytes + 1);
    assert_non_null(payload);
    memcpy(payload, bksi_sample_packer_record(packer) + BKSI_RECORD_HEAD_BYTES, bytes);
    bksi_packed_samples samples;
    for (size_t cut = 0; cut < bytes; cut++) {
        uint8_t *exact = malloc(cut + 1);
        assert_non_null(exact);
        memcpy(exact, payload, cut);
        uint8_t *out;
        assert_false(unpack(exact, cut, &samples, &out));
        free(out);
        free(exact);
    }
    free(payload);
    bksi_sample_packer_destroy(packer);
    const uint8_t none_at_all[] = {0, 0, 4, 0};
    const uint8_t too_many[] = {0, 0x81, 8, 1, 0};
    const uint8_t no_bytes[] = {0, 1, 0, 0};
    const uint8_t too_long[] = {0, 1, 0x81, 0x80, 1, 0};
    const uint8_t packing[] = {0, 1, 1, 2, 5};
    const uint8_t other_length[] = {0, 1, 1, 0, 5, 5};
    const uint8_t beyond[] = {0xff, 0xff, 0xff, 0xff, 7, 1, 1, 0, 5};
    const uint8_t right[] = {0, 1, 1, 0, 5};
    assert_false(bksi_samples_read(&samples, none_at_all, sizeof(none_at_all)));
    assert_false(bksi_samples_read(&samples, too_many, sizeof(too_many)));
    assert_false(bksi_samples_read(&samples, no_bytes, sizeof(no_bytes)));
    assert_false(bksi_samples_read(&samples, too_long, sizeof(too_long)));
    assert_false(bksi_samples_read(&samples, packing, sizeof(packing)));
    assert_false(bksi_samples_read(&samples, other_length, sizeof(other_length)));
    assert_false(bksi_samples_read(&samples, beyond, sizeof(beyond)));
    assert_true(bksi_samples_read(&samples, right, sizeof(right)));
}

static void recorded_ranges_are_taken_one_behind_the_other(void **state)
{
    (void)state;
    static const bks_state_range ranges[] = {
        {.name = "a", .offset_bytes = 2, .count = 2, .type = BKS_STATE_U8, .is_recorded = true},
        {.name = "b", .offset_bytes = 0, .count = 2, .type = BKS_STATE_U64},
        {.name = "c", .offset_bytes = 6, .count = 1, .type = BKS_STATE_U32, .is_recorded = true},
        {.name = "d", .offset_bytes = 90, .count = 1, .type = BKS_STATE_U8, .is_recorded = true},
    };
    assert_int_equal(bksi_ranges_bytes(ranges, 4), 7);
    assert_int_equal(bksi_ranges_bytes(ranges, 2), 2);
    uint8_t bytes[100]; // of a state of 8
    for (uint8_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)(10 + i);
    }
    uint8_t out[7];
    memset(out, 99, sizeof(out));
    bksi_ranges_take(ranges, 4, bytes, 8, out);
    const uint8_t wanted[7] = {12, 13, 16, 17, 0, 0, 0}; // what lies behind the state is zero
    assert_memory_equal(out, wanted, sizeof(wanted));
}

static void memory_comes_from_the_hooks_and_goes_back(void **state)
{
    (void)state;
    counting_allocator counter;
    const bks_allocator hooks = counting_allocator_hooks(&counter);
    bksi_sample_packer *packer = bksi_sample_packer_create(10, ROW, &hooks);
    const uint32_t allocs = counter.allocs;
    bksi_sample_packer_add(packer, ROW);
    assert_true(bksi_sample_packer_pack(packer, 0) > 0);
    assert_int_equal(counter.allocs, allocs);
    bksi_sample_packer_destroy(packer);
    assert_int_equal(counter.live_bytes, 0);
    for (uint32_t i = 0; i < allocs; i++) {
        counter.fail_after = i;
        assert_null(bksi_sample_packer_create(10, ROW, &hooks));
        assert_int_equal(counter.live_bytes, 0);
    }
}

static void a_file_may_have_rows_for_its_size(void **state)
{
    (void)state;
    assert_true(bksi_samples_may_have(BKSI_SAMPLES_FILE_BYTES, 0));
    assert_false(bksi_samples_may_have(BKSI_SAMPLES_FILE_BYTES + 3 * BKSI_SAMPLES_FILE_FACTOR, 3));
    assert_true(
        bksi_samples_may_have(BKSI_SAMPLES_FILE_BYTES + 3 * BKSI_SAMPLES_FILE_FACTOR - 1, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_back_and_the_one_at_hand_stays),
        cmocka_unit_test(rows_are_as_long_as_the_longest),
        cmocka_unit_test(wrong_rows_are_refused),
        cmocka_unit_test(recorded_ranges_are_taken_one_behind_the_other),
        cmocka_unit_test(a_file_may_have_rows_for_its_size),
        cmocka_unit_test(memory_comes_from_the_hooks_and_goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
