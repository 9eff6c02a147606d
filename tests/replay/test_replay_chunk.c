// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recording.h"
#include "replay/format/replay_chunk.h"

#define FIRST 35
#define TICKS 30u

typedef struct written {
    bksi_layout layout;
    bksi_run_shape shape;
    uint8_t packed[TICKS][WALK_PLAYERS * BKSI_INPUT_BYTES_MAX];
    bool is_hashed[TICKS];
    uint64_t hashes[TICKS];
    uint8_t bytes[4096];
    size_t count;
} written;

static const bks_allocator none;

/// Bits of plain inputs, and coded inputs.
enum { PLAIN, CODED };

/// Make a chunk of TICKS ticks, every `every`th of them hashed.
static written *write_some(uint32_t every, int coding)
{
    const walk_truth *truth = walk_what_happened();
    written *w = calloc(1, sizeof(*w));
    assert_non_null(w);
    assert_int_equal(bksi_layout_init(&w->layout, walk_game.fields, WALK_FIELDS, NULL), BKS_OK);
    w->shape = (bksi_run_shape){
        .layout = &w->layout, .players = WALK_PLAYERS, .hash_bits = 11, .full_hash_ticks = 10};
    uint8_t inputs[2048];
    uint8_t coded[2048];
    bksi_bit_writer bits = bksi_bit_writer_over(inputs, sizeof(inputs));
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, coded, sizeof(coded));
    bksi_models models;
    assert_int_equal(bksi_models_create(&models, &w->layout, WALK_PLAYERS, &none), BKS_OK);
    for (uint32_t i = 0; i < TICKS; i++) {
        for (uint32_t player = 0; player < WALK_PLAYERS; player++) {
            bksi_layout_pack_clamped(&w->layout, truth->inputs[FIRST + i] + player * WALK_FIELDS,
                                     w->packed[i] + player * w->layout.bytes);
        }
        bksi_run_write_inputs(&bits, &w->shape, i > 0 ? w->packed[i - 1] : NULL, w->packed[i]);
        bksi_models_encode(&models, &encoder, w->packed[i]);
        w->is_hashed[i] = every > 0 && i % every == 0;
        w->hashes[i] = truth->hashes[FIRST + i];
    }
    const bksi_chunk chunk = {.first = FIRST,
                              .ticks = TICKS,
                              .is_coded = coding == CODED,
                              .is_restart = true,
                              .inputs = coding == CODED ? coded : inputs,
                              .input_bytes = coding == CODED ? bksi_range_encoder_finish(&encoder)
                                                             : bksi_bit_writer_bytes(&bits)};
    w->count =
        bksi_chunk_write(w->bytes, sizeof(w->bytes), &w->shape, &chunk, w->hashes, w->is_hashed);
    assert_true(w->count > 0);
    assert_true(w->count <= bksi_chunk_bytes_max(chunk.input_bytes, TICKS));
    bksi_models_destroy(&models, &none);
    return w;
}

static bool read_all(const written *w, const uint8_t *bytes, size_t count)
{
    bksi_chunk chunk;
    const bksi_tick_arrays nowhere = {0};
    bksi_models models;
    assert_int_equal(bksi_models_create(&models, &w->layout, WALK_PLAYERS, &none), BKS_OK);
    const bool is_right = bksi_chunk_read(bytes, count, &w->shape, &chunk) &&
                          bksi_chunk_unpack(&w->shape, &chunk, &models, &nowhere);
    bksi_models_destroy(&models, &none);
    return is_right;
}

static void check_reads_as_written(uint32_t every, int coding)
{
    static const bksi_hash_mode modes[] = {BKSI_HASHES_NONE, BKSI_HASHES_ALL, BKSI_HASHES_SOME,
                                           BKSI_HASHES_SOME};
    written *w = write_some(every, coding);
    bksi_chunk chunk;
    assert_true(bksi_chunk_read(w->bytes, w->count, &w->shape, &chunk));
    assert_int_equal(chunk.first, FIRST);
    assert_int_equal(chunk.ticks, TICKS);
    assert_true(chunk.is_restart);
    assert_int_equal(chunk.is_coded, coding == CODED);
    assert_int_equal(chunk.hash_mode, modes[every]);
    uint8_t inputs[TICKS * WALK_PLAYERS * BKSI_INPUT_BYTES_MAX];
    uint64_t hashes[TICKS];
    uint8_t hash_bits[TICKS];
    const bksi_tick_arrays arrays = {inputs, hashes, hash_bits};
    bksi_models models;
    assert_int_equal(bksi_models_create(&models, &w->layout, WALK_PLAYERS, &none), BKS_OK);
    // Unpack twice: a restart forgets what was learnt.
    assert_true(bksi_chunk_unpack(&w->shape, &chunk, &models, &arrays));
    assert_true(bksi_chunk_unpack(&w->shape, &chunk, &models, &arrays));
    bksi_models_destroy(&models, &none);
    const size_t tick_bytes = bksi_run_tick_bytes(&w->shape);
    for (uint32_t i = 0; i < TICKS; i++) {
        assert_memory_equal(inputs + i * tick_bytes, w->packed[i], tick_bytes);
        const bool is_full = (FIRST + i) % 10 == 0;
        assert_int_equal(hash_bits[i], !w->is_hashed[i] ? 0 : is_full ? 64 : 11);
        assert_true(hashes[i] == (!w->is_hashed[i] ? 0
                                  : is_full        ? w->hashes[i]
                                                   : w->hashes[i] % (1u << 11)));
    }
    free(w);
}

static void chunk_reads_as_written_however_many_ticks_were_hashed(void **state)
{
    (void)state;
    for (uint32_t every = 0; every < 4; every++) {
        check_reads_as_written(every, PLAIN);
        check_reads_as_written(every, CODED);
    }
}

static void hashing_every_tick_takes_no_bit_to_say_so(void **state)
{
    (void)state;
    written *w = write_some(1, PLAIN);
    bksi_chunk chunk;
    assert_true(bksi_chunk_read(w->bytes, w->count, &w->shape, &chunk));
    assert_int_equal(chunk.hash_bytes, (27 * 11 + 3 * 64 + 7) / 8);
    free(w);
}

static void cut_or_stretched_chunk_is_never_right(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 6; round++) {
        written *w = write_some(round / 2, round % 2 == 0 ? PLAIN : CODED);
        assert_true(read_all(w, w->bytes, w->count));
        for (size_t cut = 0; cut < w->count; cut++) {
            uint8_t *exact = malloc(cut + 1);
            assert_non_null(exact);
            memcpy(exact, w->bytes, cut);
            assert_false(read_all(w, exact, cut));
            free(exact);
        }
        w->bytes[w->count] = 0;
        assert_false(read_all(w, w->bytes, w->count + 1));
        free(w);
    }
}

static bool reads(const uint8_t *bytes, size_t count)
{
    const bksi_run_shape shape = {.players = 1, .hash_bits = 16, .full_hash_ticks = 60};
    bksi_chunk chunk;
    return bksi_chunk_read(bytes, count, &shape, &chunk);
}

static void absurd_numbers_are_refused(void **state)
{
    (void)state;
    const uint8_t right[] = {0, 1, 2, 0};
    assert_true(reads(right, sizeof(right)));
    const uint8_t end_beyond[] = {0xff, 0xff, 0xff, 0xff, 0x07, 1, 2, 0};
    assert_false(reads(end_beyond, sizeof(end_beyond)));
    const uint8_t no_ticks[] = {0, 0, 2, 0};
    assert_false(reads(no_ticks, sizeof(no_ticks)));
    const uint8_t too_many[] = {0, 0x81, 8, 2, 0};
    assert_false(reads(too_many, sizeof(too_many)));
    const uint8_t mode[] = {0, 1, 2 | 3 << 2, 0};
    assert_false(reads(mode, sizeof(mode)));
    const uint8_t later_flag[] = {0, 1, 2 | 16, 0};
    assert_false(reads(later_flag, sizeof(later_flag)));
    const uint8_t plain_without_restart[] = {0, 1, 0, 0};
    assert_false(reads(plain_without_restart, sizeof(plain_without_restart)));
    const uint8_t hashes_beyond[] = {0, 1, 2 | 1 << 2, 1, 2, 3, 4, 5, 6, 7};
    assert_false(reads(hashes_beyond, sizeof(hashes_beyond)));
    const uint8_t marks_beyond[] = {1, 9, 2 | 2 << 2, 0};
    assert_false(reads(marks_beyond, sizeof(marks_beyond)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunk_reads_as_written_however_many_ticks_were_hashed),
        cmocka_unit_test(hashing_every_tick_takes_no_bit_to_say_so),
        cmocka_unit_test(cut_or_stretched_chunk_is_never_right),
        cmocka_unit_test(absurd_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
