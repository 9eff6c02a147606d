// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/format/replay_keyframe.h"

#define BYTES_MAX 600u

static uint32_t random_state = 5;

static uint32_t draw(uint32_t bound)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % bound;
}

/// Write the delta of `now` against `before` and apply it, in buffers of exactly their sizes.
static size_t there_and_back(const uint8_t *before, size_t before_bytes, const uint8_t *now,
                             size_t now_bytes)
{
    const size_t capacity = bksi_delta_bytes_max(now_bytes);
    const size_t longer = before_bytes > now_bytes ? before_bytes : now_bytes;
    uint8_t *delta = malloc(capacity);
    uint8_t *state = malloc(longer + 1);
    assert_non_null(delta);
    assert_non_null(state);
    const size_t count = bksi_delta_write(delta, capacity, before, before_bytes, now, now_bytes);
    assert_true(count <= capacity);
    memcpy(state, before, before_bytes);
    assert_true(bksi_delta_apply(delta, count, state, before_bytes, now_bytes, longer));
    assert_memory_equal(state, now, now_bytes);
    for (size_t cut = 0; cut < count; cut++) {
        // A damaged delta may be valid by chance, but never writes beyond the buffers.
        uint8_t *exact = malloc(cut + 1);
        assert_non_null(exact);
        memcpy(exact, delta, cut);
        (void)bksi_delta_apply(exact, cut, state, before_bytes, now_bytes, longer);
        free(exact);
    }
    free(state);
    free(delta);
    return count;
}

static void states_come_back_whatever_changed(void **state)
{
    (void)state;
    static uint8_t before[BYTES_MAX];
    static uint8_t now[BYTES_MAX];
    for (uint32_t round = 0; round < 400; round++) {
        const size_t before_bytes = draw(BYTES_MAX);
        const size_t now_bytes = 1 + draw(BYTES_MAX - 1);
        for (size_t i = 0; i < BYTES_MAX; i++) {
            before[i] = (uint8_t)draw(256);
        }
        memcpy(now, before, BYTES_MAX);
        for (uint32_t changes = draw(1u << draw(10)); changes > 0; changes--) {
            now[draw(BYTES_MAX)] = (uint8_t)draw(256);
        }
        (void)there_and_back(before, before_bytes, now, now_bytes);
    }
}

static void equal_states_take_next_to_nothing(void **state)
{
    (void)state;
    static uint8_t before[BYTES_MAX];
    static uint8_t now[BYTES_MAX];
    assert_int_equal(there_and_back(before, BYTES_MAX, now, BYTES_MAX), 0);
    now[300] = 1;
    assert_int_equal(there_and_back(before, BYTES_MAX, now, BYTES_MAX), 4);
    now[309] = 1; // eight zeros between them: a pair of its own
    assert_int_equal(there_and_back(before, BYTES_MAX, now, BYTES_MAX), 4 + 3);
    now[305] = 1; // fewer: all coded together
    assert_int_equal(there_and_back(before, BYTES_MAX, now, BYTES_MAX), 3 + 10);
}

static void worst_state_fits_the_bound(void **state)
{
    (void)state;
    static uint8_t before[BYTES_MAX];
    static uint8_t now[BYTES_MAX];
    // A changed byte after every eight unchanged ones.
    for (size_t i = 0; i < BYTES_MAX; i += 9) {
        now[i] = 1;
    }
    (void)there_and_back(before, BYTES_MAX, now, BYTES_MAX);
    memset(now, 1, sizeof(now));
    assert_int_equal(there_and_back(before, BYTES_MAX, now, BYTES_MAX), 3 + BYTES_MAX);
}

static void delta_that_leaves_the_state_is_refused(void **state)
{
    (void)state;
    uint8_t bytes[16] = {0};
    const uint8_t too_far[] = {15, 2, 1, 1};
    const uint8_t too_many_zeros[] = {17, 1, 1};
    const uint8_t nothing_differs[] = {0, 0};
    const uint8_t missing[] = {0, 3, 1};
    const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1, 1};
    assert_false(bksi_delta_apply(too_far, sizeof(too_far), bytes, 16, 16, 16));
    assert_false(bksi_delta_apply(too_many_zeros, sizeof(too_many_zeros), bytes, 16, 16, 16));
    assert_false(bksi_delta_apply(nothing_differs, sizeof(nothing_differs), bytes, 16, 16, 16));
    assert_false(bksi_delta_apply(missing, sizeof(missing), bytes, 16, 16, 16));
    assert_false(bksi_delta_apply(huge, sizeof(huge), bytes, 16, 16, 16));
    assert_false(bksi_delta_apply(NULL, 0, bytes, 16, 17, 16));
    assert_false(bksi_delta_apply(NULL, 0, bytes, 17, 16, 16));
    assert_true(bksi_delta_apply(NULL, 0, bytes, 3, 16, 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_come_back_whatever_changed),
        cmocka_unit_test(equal_states_take_next_to_nothing),
        cmocka_unit_test(worst_state_fits_the_bound),
        cmocka_unit_test(delta_that_leaves_the_state_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
