// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/format/replay_format.h"
#include "replay/format/replay_keyframe.h"
#include "support/counting_allocator.h"

#define BYTES 5000u

static uint8_t states[3][BYTES];

static int make_states(void **state)
{
    (void)state;
    uint32_t random = 3;
    for (size_t i = 0; i < BYTES; i++) {
        random = random * 1664525u + 1013904223u;
        states[0][i] = (uint8_t)(random >> 24);
    }
    memcpy(states[1], states[0], BYTES);
    memcpy(states[2], states[0], BYTES);
    states[1][77] ^= 1;
    memset(states[2] + 1000, 9, 400);
    return 0;
}

static bksi_keyframe_packer *packer;

static int begin(void **state)
{
    const bks_allocator none = {0};
    (void)make_states(state);
    packer = bksi_keyframe_packer_create(BYTES, &none);
    return packer != NULL ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    bksi_keyframe_packer_destroy(packer);
    return 0;
}

/// Pack a state and return a copy of its payload.
static uint8_t *pack(bks_tick tick, uint64_t before, const uint8_t *state, size_t state_bytes,
                     size_t *out_count)
{
    const bksi_keyframe keyframe = {.tick = tick, .before = before, .start = 7};
    *out_count = bksi_keyframe_pack(packer, &keyframe, state, state_bytes);
    bksi_keyframe_taken(packer, state, state_bytes);
    uint8_t *payload = malloc(*out_count);
    assert_non_null(payload);
    memcpy(payload, bksi_keyframe_record(packer) + BKSI_RECORD_HEAD_BYTES, *out_count);
    return payload;
}

/// Unpack a payload onto `state`.
static bool unpack(const uint8_t *payload, size_t count, uint8_t *state, size_t *state_bytes)
{
    bksi_keyframe keyframe;
    if (!bksi_keyframe_read(&keyframe, payload, count)) {
        return false;
    }
    uint8_t *scratch = malloc(bksi_keyframe_scratch_bytes(&keyframe) + 1);
    assert_non_null(scratch);
    const bool is_right = bksi_keyframe_apply(&keyframe, state, *state_bytes, BYTES, scratch);
    *state_bytes = keyframe.state_bytes;
    free(scratch);
    return is_right;
}

static void states_come_back_one_coded_by_the_other(void **state)
{
    (void)state;
    static const size_t sizes[] = {BYTES, BYTES - 1234, BYTES, 1};
    uint8_t unpacked[BYTES];
    size_t unpacked_bytes = 0;
    for (uint32_t i = 0; i < 4; i++) {
        size_t count = 0;
        uint8_t *payload =
            pack((bks_tick)i * 10, i == 0 ? 0 : 500 + i, states[i % 3], sizes[i], &count);
        bksi_keyframe keyframe;
        assert_true(bksi_keyframe_read(&keyframe, payload, count));
        assert_int_equal(keyframe.tick, i * 10);
        assert_int_equal(keyframe.state_bytes, sizes[i]);
        assert_int_equal(keyframe.before, i == 0 ? 0 : 500 + i);
        assert_int_equal(keyframe.start, 7);
        assert_true(unpack(payload, count, unpacked, &unpacked_bytes));
        assert_memory_equal(unpacked, states[i % 3], sizes[i]);
        free(payload);
    }
}

static void small_differences_take_little(void **state)
{
    (void)state;
    size_t counts[3];
    for (uint32_t i = 0; i < 3; i++) {
        free(pack((bks_tick)i, i, states[i], BYTES, &counts[i]));
    }
    assert_true(counts[0] >= BYTES); // noise does not pack
    assert_true(counts[1] < 50);     // one byte differs
    assert_true(counts[2] < 500);
}

static void wrong_bytes_are_found_out(void **state)
{
    (void)state;
    size_t count = 0;
    uint8_t *whole = pack(1, 0, states[0], BYTES, &count);
    uint8_t unpacked[BYTES];
    size_t unpacked_bytes = 0;
    bksi_keyframe keyframe;
    for (size_t cut = 0; cut < 40; cut++) {
        assert_false(bksi_keyframe_read(&keyframe, whole, cut));
    }
    whole[100] ^= 1;
    assert_false(unpack(whole, count, unpacked, &unpacked_bytes)); // its own hash shows it
    whole[100] ^= 1;
    assert_true(unpack(whole, count, unpacked, &unpacked_bytes));
    size_t delta_count = 0;
    uint8_t *delta = pack(2, 9, states[2], BYTES, &delta_count);
    for (size_t i = 12; i < delta_count; i++) {
        memcpy(unpacked, states[0], BYTES);
        unpacked_bytes = BYTES;
        delta[i] ^= 0x40;
        const bool is_link = i < 28; // before and start only say where other records are
        if (unpack(delta, delta_count, unpacked, &unpacked_bytes)) {
            assert_true(is_link);
        }
        delta[i] ^= 0x40;
    }
    memcpy(unpacked, states[1], BYTES); // coded by another state than this
    unpacked_bytes = BYTES;
    assert_false(unpack(delta, delta_count, unpacked, &unpacked_bytes));
    free(delta);
    free(whole);
}

static void state_beyond_the_capacity_is_refused(void **state)
{
    (void)state;
    size_t count = 0;
    uint8_t *whole = pack(1, 0, states[0], BYTES, &count);
    bksi_keyframe keyframe;
    assert_true(bksi_keyframe_read(&keyframe, whole, count));
    uint8_t unpacked[BYTES];
    assert_false(bksi_keyframe_apply(&keyframe, unpacked, 0, BYTES - 1, unpacked));
    free(whole);
}

static void memory_comes_from_the_hooks_and_goes_back(void **state)
{
    (void)state;
    counting_allocator counter;
    const bks_allocator hooks = counting_allocator_hooks(&counter);
    bksi_keyframe_packer *counted = bksi_keyframe_packer_create(BYTES, &hooks);
    const uint32_t allocs = counter.allocs;
    const bksi_keyframe keyframe = {.tick = 1};
    assert_true(bksi_keyframe_pack(counted, &keyframe, states[0], BYTES) > 0);
    assert_int_equal(counter.allocs, allocs);
    bksi_keyframe_packer_destroy(counted);
    assert_int_equal(counter.live_bytes, 0);
    for (uint32_t i = 0; i < allocs; i++) {
        counter.fail_after = i;
        assert_null(bksi_keyframe_packer_create(BYTES, &hooks));
        assert_int_equal(counter.live_bytes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(states_come_back_one_coded_by_the_other, begin, end),
        cmocka_unit_test_setup_teardown(small_differences_take_little, begin, end),
        cmocka_unit_test_setup_teardown(wrong_bytes_are_found_out, begin, end),
        cmocka_unit_test_setup_teardown(state_beyond_the_capacity_is_refused, begin, end),
        cmocka_unit_test_setup(memory_comes_from_the_hooks_and_goes_back, make_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
