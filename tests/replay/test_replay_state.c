// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <zstd.h>

#include "base/bytes.h"
#include "replay/format/replay_state.h"

static void round_trip(const uint8_t *bytes, size_t count, bool is_packed)
{
    const uint64_t pages[] = {1, UINT64_C(0x123456789abcdef0)};
    const size_t capacity = bksi_replay_state_bytes_max(count, 2);
    uint8_t *payload = malloc(capacity);
    uint8_t *out = malloc(count);
    assert_non_null(payload);
    assert_non_null(out);
    const size_t written = bksi_replay_state_write(payload, capacity, bytes, count, pages, 2);
    assert_in_range(written, 1, capacity);
    bksi_replay_state state;
    assert_int_equal(bksi_replay_state_read(&state, payload, written, 0, NULL), BKS_OK);
    assert_int_equal(state.state_bytes, count);
    assert_int_equal(state.page_count, 2);
    assert_true(bksi_get_u64(state.page_hashes + 8) == pages[1]);
    assert_int_equal(state.is_packed, is_packed);
    assert_int_equal(bksi_replay_state_unpack(&state, out, NULL), BKS_OK);
    assert_memory_equal(out, bytes, count);
    for (size_t cut = 0; cut < written && cut < 64; cut++) {
        if (bksi_replay_state_read(&state, payload, cut, 0, NULL) == BKS_OK) {
            assert_int_equal(bksi_replay_state_unpack(&state, out, NULL), BKS_ERR_DAMAGED);
        }
    }
    free(payload);
    free(out);
}

static void state_of_zeros_is_packed(void **state)
{
    (void)state;
    static const uint8_t zeros[100000];
    round_trip(zeros, sizeof(zeros), true);
}

static void state_that_does_not_shrink_is_stored(void **state)
{
    (void)state;
    uint8_t noise[1000];
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof(noise); i++) {
        random = random * 1664525u + 1013904223u;
        noise[i] = (uint8_t)(random >> 24);
    }
    round_trip(noise, sizeof(noise), false);
    round_trip(noise, 1, false);
}

/// Make a payload without pages around a zstd frame of `count` zeros that claims to have `claim`
/// bytes.
static size_t make_claim(uint8_t *payload, size_t capacity, size_t count, uint64_t claim)
{
    uint8_t *zeros = calloc(1, count);
    assert_non_null(zeros);
    bksi_put_u64(payload, claim);
    bksi_put_u32(payload + 8, 0);
    payload[12] = 1;
    const size_t bytes = ZSTD_compress(payload + 13, capacity - 13, zeros, count, 1);
    assert_false(ZSTD_isError(bytes));
    free(zeros);
    return 13 + bytes;
}

static void bomb_is_not_unpacked_beyond_what_it_claims(void **state)
{
    (void)state;
    uint8_t payload[4096];
    bksi_replay_state read;
    bks_error error;
    // 10 MB that claim to be 100 bytes.
    size_t bytes = make_claim(payload, sizeof(payload), 10000000, 100);
    assert_int_equal(bksi_replay_state_read(&read, payload, bytes, 50, &error), BKS_ERR_DAMAGED);
    assert_int_equal(error.offset_bytes, 50);
    // Two frames, of which the first is valid.
    bytes = make_claim(payload, sizeof(payload), 100, 100);
    const size_t frame = bytes - 13;
    memcpy(payload + bytes, payload + 13, frame);
    assert_int_equal(bksi_replay_state_read(&read, payload, bytes + frame, 50, &error), BKS_OK);
    uint8_t out[100];
    assert_int_equal(bksi_replay_state_unpack(&read, out, &error), BKS_ERR_DAMAGED);
    assert_int_equal(error.offset_bytes, 50);
}

static void absurd_sizes_are_damage(void **state)
{
    (void)state;
    uint8_t payload[64] = {0};
    bksi_replay_state read;
    assert_int_equal(bksi_replay_state_read(&read, payload, sizeof(payload), 0, NULL),
                     BKS_ERR_DAMAGED);
    bksi_put_u64(payload, (UINT64_C(1) << 30) + 1);
    assert_int_equal(bksi_replay_state_read(&read, payload, sizeof(payload), 0, NULL),
                     BKS_ERR_DAMAGED);
    bksi_put_u64(payload, 51);
    assert_int_equal(bksi_replay_state_read(&read, payload, sizeof(payload), 0, NULL), BKS_OK);
    bksi_put_u32(payload + 8, 0x40001);
    assert_int_equal(bksi_replay_state_read(&read, payload, sizeof(payload), 0, NULL),
                     BKS_ERR_DAMAGED);
    bksi_put_u32(payload + 8, 0);
    payload[12] = 2;
    assert_int_equal(bksi_replay_state_read(&read, payload, sizeof(payload), 0, NULL),
                     BKS_ERR_DAMAGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state_of_zeros_is_packed),
        cmocka_unit_test(state_that_does_not_shrink_is_stored),
        cmocka_unit_test(bomb_is_not_unpacked_beyond_what_it_claims),
        cmocka_unit_test(absurd_sizes_are_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
