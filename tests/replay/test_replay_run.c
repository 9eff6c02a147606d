// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recording.h"
#include "replay/format/replay_run.h"

#define FIRST 37
#define TICKS 30u

typedef struct written {
    bksi_layout layout;
    bksi_run_shape shape;
    uint8_t packed[TICKS][WALK_PLAYERS * BKSI_INPUT_BYTES_MAX];
    uint8_t bytes[4096];
    size_t count;
} written;

/// Make a run of TICKS ticks, 20 of them confirmed, of which every third has no hash.
static void write_some(written *run)
{
    const walk_truth *truth = walk_what_happened();
    assert_int_equal(bksi_layout_init(&run->layout, walk_game.fields, WALK_FIELDS, NULL), BKS_OK);
    run->shape = (bksi_run_shape){.layout = &run->layout,
                                  .players = WALK_PLAYERS,
                                  .hash_bits = 16,
                                  .full_hash_ticks = WALK_TICK_RATE_HZ};
    uint8_t inputs[2048];
    uint8_t hashes[512];
    bksi_bit_writer input_bits = bksi_bit_writer_over(inputs, sizeof(inputs));
    bksi_bit_writer hash_bits = bksi_bit_writer_over(hashes, sizeof(hashes));
    for (uint32_t i = 0; i < TICKS; i++) {
        for (uint32_t player = 0; player < WALK_PLAYERS; player++) {
            bksi_layout_pack_clamped(&run->layout, truth->inputs[FIRST + i] + player * WALK_FIELDS,
                                     run->packed[i] + player * run->layout.bytes);
        }
        bksi_run_write_inputs(&input_bits, &run->shape, i > 0 ? run->packed[i - 1] : NULL,
                              run->packed[i]);
        if (i < 20) {
            const bks_tick tick = FIRST + (bks_tick)i;
            bksi_run_write_hash(&hash_bits, &run->shape, tick,
                                i % 3 == 0 ? NULL : &truth->hashes[tick]);
        }
    }
    const bksi_run whole = {.first = FIRST,
                            .confirmed = 20,
                            .used = 10,
                            .inputs = inputs,
                            .input_bytes = bksi_bit_writer_bytes(&input_bits),
                            .hashes = hashes,
                            .hash_bytes = bksi_bit_writer_bytes(&hash_bits)};
    run->count = bksi_run_write(run->bytes, sizeof(run->bytes), &whole);
    assert_true(run->count > 0);
    assert_true(run->count <= bksi_run_bytes_max(&run->shape, 20, 10));
}

/// @return true if all of it was valid
static bool read_all(const written *run, const uint8_t *bytes, size_t count)
{
    bksi_run read;
    if (!bksi_run_read(bytes, count, &read)) {
        return false;
    }
    bksi_run_cursor cursor;
    bksi_run_begin(&cursor, &run->shape, &read);
    uint8_t packed[WALK_PLAYERS * BKSI_INPUT_BYTES_MAX];
    uint64_t hash;
    uint32_t bits;
    for (uint32_t i = 0; i < read.confirmed + read.used; i++) {
        if (!bksi_run_next(&cursor, packed, &hash, &bits)) {
            return false;
        }
    }
    return bksi_run_is_used_up(&cursor);
}

static void run_reads_as_written(void **state)
{
    (void)state;
    written *run = calloc(1, sizeof(*run));
    assert_non_null(run);
    write_some(run);
    bksi_run read;
    assert_true(bksi_run_read(run->bytes, run->count, &read));
    assert_int_equal(read.first, FIRST);
    assert_int_equal(read.confirmed, 20);
    assert_int_equal(read.used, 10);
    bksi_run_cursor cursor;
    bksi_run_begin(&cursor, &run->shape, &read);
    for (uint32_t i = 0; i < TICKS; i++) {
        uint8_t packed[WALK_PLAYERS * BKSI_INPUT_BYTES_MAX];
        uint64_t hash;
        uint32_t bits;
        assert_true(bksi_run_next(&cursor, packed, &hash, &bits));
        assert_memory_equal(packed, run->packed[i], WALK_PLAYERS * run->layout.bytes);
        const bks_tick tick = FIRST + (bks_tick)i;
        const bool is_hashed = i < 20 && i % 3 != 0;
        const bool is_long = tick % (bks_tick)WALK_TICK_RATE_HZ == 0;
        assert_int_equal(bits, !is_hashed ? 0 : is_long ? 64 : 16);
        const uint64_t whole = walk_what_happened()->hashes[tick];
        assert_int_equal(hash, !is_hashed ? 0 : is_long ? whole : whole & 0xffff);
    }
    assert_true(bksi_run_is_used_up(&cursor));
    uint64_t hash;
    uint32_t bits;
    assert_false(bksi_run_next(&cursor, NULL, &hash, &bits));
    free(run);
}

static void cut_run_is_never_right(void **state)
{
    (void)state;
    written *run = calloc(1, sizeof(*run));
    assert_non_null(run);
    write_some(run);
    assert_true(read_all(run, run->bytes, run->count));
    for (size_t cut = 0; cut < run->count; cut++) {
        uint8_t *exact = malloc(cut + 1);
        assert_non_null(exact);
        memcpy(exact, run->bytes, cut);
        assert_false(read_all(run, exact, cut));
        free(exact);
    }
    free(run);
}

static void run_with_bytes_left_over_is_wrong(void **state)
{
    (void)state;
    written *run = calloc(1, sizeof(*run));
    assert_non_null(run);
    write_some(run);
    run->bytes[run->count] = 0;
    assert_false(read_all(run, run->bytes, run->count + 1));
    free(run);
}

static void absurd_numbers_are_refused(void **state)
{
    (void)state;
    bksi_run read;
    const uint8_t first_beyond[] = {0xff, 0xff, 0xff, 0xff, 0x0f, 1, 0, 0};
    assert_false(bksi_run_read(first_beyond, sizeof(first_beyond), &read));
    const uint8_t end_beyond[] = {0xff, 0xff, 0xff, 0xff, 0x07, 1, 0, 0};
    assert_false(bksi_run_read(end_beyond, sizeof(end_beyond), &read));
    const uint8_t too_many[] = {0, 0x81, 0x20, 0, 0};
    assert_false(bksi_run_read(too_many, sizeof(too_many), &read));
    const uint8_t too_many_together[] = {0, 0x80, 0x20, 1, 0};
    assert_false(bksi_run_read(too_many_together, sizeof(too_many_together), &read));
    const uint8_t inputs_beyond[] = {0, 1, 0, 2, 0};
    assert_false(bksi_run_read(inputs_beyond, sizeof(inputs_beyond), &read));
}

static void run_that_does_not_fit_writes_nothing(void **state)
{
    (void)state;
    uint8_t out[8];
    const uint8_t inputs[8] = {0};
    const bksi_run run = {.confirmed = 1, .inputs = inputs, .input_bytes = 8, .hashes = inputs};
    assert_int_equal(bksi_run_write(out, sizeof(out), &run), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_reads_as_written),
        cmocka_unit_test(cut_run_is_never_right),
        cmocka_unit_test(run_with_bytes_left_over_is_wrong),
        cmocka_unit_test(absurd_numbers_are_refused),
        cmocka_unit_test(run_that_does_not_fit_writes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
