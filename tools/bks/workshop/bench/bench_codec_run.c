// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "workshop/bench/bench_codec_run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <zlib.h>
#include <zstd.h>

#include "base/report.h"
#include "input/codec.h"
#include "input/model.h"

/// More than any code takes for an input: a step of 32 bits is coded bit by bit, twice.
#define CODE_BYTES_MAX (4u * BKSI_INPUT_BYTES_MAX)

/// One player's match.
typedef struct player {
    bksi_layout layout;
    size_t ticks;
    uint8_t *inputs; ///< ticks, packed
    uint8_t *coded;  ///< room for any code of them
    size_t coded_bytes;
    bksi_model *model;
} player;

/// Processor time: others are at work on the machine too.
static double now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static const uint8_t *input_at(const player *p, size_t tick)
{
    return p->inputs + tick * p->layout.bytes;
}

static const uint8_t *before(const player *p, size_t tick)
{
    return tick == 0 ? p->layout.neutral : input_at(p, tick - 1);
}

/// Bits of the groups that changed.
static uint32_t changed_bits(const player *p, const uint8_t *was, const uint8_t *is)
{
    int32_t old_values[BKS_FIELDS_MAX];
    int32_t new_values[BKS_FIELDS_MAX];
    bksi_layout_unpack(&p->layout, was, old_values);
    bksi_layout_unpack(&p->layout, is, new_values);
    uint32_t bits = 0;
    for (uint32_t group = 0; group < p->layout.group_count; group++) {
        const uint32_t first = p->layout.group_first[group];
        const uint32_t fields = p->layout.group_first[group + 1] - first;
        if (memcmp(&old_values[first], &new_values[first], fields * sizeof(int32_t)) != 0) {
            bits += p->layout.group_bits[group];
        }
    }
    return bits;
}

static void count_plain(const player *p, code_count *count)
{
    double fiedler = 0;
    double inversus = 0;
    for (size_t tick = 0; tick < p->ticks; tick++) {
        const bool is_same = memcmp(before(p, tick), input_at(p, tick), p->layout.bytes) == 0;
        fiedler += 1 + (is_same ? 0 : p->layout.bits);
        inversus += p->layout.group_count +
                    (is_same ? 0 : changed_bits(p, before(p, tick), input_at(p, tick)));
    }
    count->bytes[CODED_RAW] += (double)(p->ticks * p->layout.bits) / 8;
    count->bytes[CODED_FIEDLER] += fiedler / 8;
    count->bytes[CODED_INVERSUS] += inversus / 8;
    bksi_bit_writer writer = bksi_bit_writer_over(p->coded, p->coded_bytes);
    const double begun_ns = now_ns();
    for (size_t tick = 0; tick < p->ticks; tick++) {
        bksi_codec_write(&writer, &p->layout, before(p, tick), input_at(p, tick));
    }
    count->plain_ns += now_ns() - begun_ns;
    count->bytes[CODED_TWO_LEVEL] += (double)writer.at_bits / 8;
}

static bks_status count_packers(const player *p, code_count *count, bks_error *error)
{
    const size_t bytes = p->ticks * p->layout.bytes;
    uLongf zlib_bytes = (uLongf)p->coded_bytes;
    const bool has_zlib =
        compress2(p->coded, &zlib_bytes, p->inputs, (uLong)bytes, Z_BEST_COMPRESSION) == Z_OK;
    const size_t zstd_bytes = ZSTD_compress(p->coded, p->coded_bytes, p->inputs, bytes, 19);
    if (!has_zlib || ZSTD_isError(zstd_bytes)) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "bench", NULL, "no memory to compress");
    }
    count->bytes[CODED_ZLIB] += (double)zlib_bytes;
    count->bytes[CODED_ZSTD] += (double)zstd_bytes;
    return BKS_OK;
}

static bks_status count_learnt(const player *p, code_count *count, bks_error *error)
{
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, p->coded, p->coded_bytes);
    bksi_model_init(p->model, &p->layout);
    double begun_ns = now_ns();
    for (size_t tick = 0; tick < p->ticks; tick++) {
        bksi_model_encode(p->model, &p->layout, &encoder, input_at(p, tick));
    }
    count->encode_ns += now_ns() - begun_ns;
    const size_t bytes = bksi_range_encoder_finish(&encoder);
    count->bytes[CODED_LEARNT] += (double)bytes;

    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, p->coded, bytes);
    bksi_model_init(p->model, &p->layout);
    bool is_same = true;
    begun_ns = now_ns();
    for (size_t tick = 0; tick < p->ticks; tick++) {
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        bksi_model_decode(p->model, &p->layout, &decoder, packed);
        is_same = is_same && memcmp(packed, input_at(p, tick), p->layout.bytes) == 0;
    }
    count->decode_ns += now_ns() - begun_ns;
    if (encoder.failed || !is_same || !bksi_range_decoder_is_done(&decoder)) {
        return bksi_fail(error, BKS_ERR_DAMAGED, "bench", NULL, "inputs did not come back");
    }
    return BKS_OK;
}

static bks_status code_player(const player *p, code_count *count, bks_error *error)
{
    count_plain(p, count);
    bks_status status = count_packers(p, count, error);
    if (status == BKS_OK) {
        status = count_learnt(p, count, error);
    }
    return status;
}

bks_status code_match(const played_match *match, const bks_field *fields, uint32_t field_count,
                      code_count *count, bks_error *error)
{
    player p = {.ticks = (size_t)match->ticks};
    bks_status status = bksi_layout_init(&p.layout, fields, field_count, error);
    if (status != BKS_OK) {
        return status;
    }
    p.inputs = malloc(p.ticks * p.layout.bytes);
    p.coded_bytes = p.ticks * CODE_BYTES_MAX + ZSTD_compressBound(p.ticks * p.layout.bytes);
    p.coded = malloc(p.coded_bytes);
    p.model = malloc(bksi_model_bytes(&p.layout));
    if (p.inputs == NULL || p.coded == NULL || p.model == NULL) {
        status = bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "bench", NULL, "no memory for a match");
    }
    for (uint32_t i = 0; i < match->players && status == BKS_OK; i++) {
        for (size_t tick = 0; tick < p.ticks; tick++) {
            const size_t input = tick * match->players + i;
            bksi_layout_pack_clamped(&p.layout, match->values + input * field_count,
                                     p.inputs + tick * p.layout.bytes);
        }
        status = code_player(&p, count, error);
        count->inputs += p.ticks;
        count->player_seconds += (double)p.ticks / match->tick_rate_hz;
    }
    free(p.inputs);
    free(p.coded);
    free(p.model);
    return status;
}
