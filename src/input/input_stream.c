// SPDX-License-Identifier: MIT

#include "input/input_stream.h"

#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/report.h"

/// Return the size of the ring: room for the decisions of the newest ticks, and for the entries
/// that stay unused where the ring wraps.
static uint32_t ring_size(const bksi_input_stream *stream)
{
    return stream->decisions_max * (BKSI_INPUT_STREAM_TICKS + 1);
}

static size_t ring_bytes(const bksi_input_stream *stream)
{
    return sizeof(bksi_range_decision) * ring_size(stream);
}

bks_status bksi_input_stream_create(bksi_input_stream *stream, const bksi_layout *layout,
                                    const bks_allocator *allocator)
{
    const uint32_t decisions = bksi_model_decisions_max(layout);
    *stream = (bksi_input_stream){
        .layout = layout,
        .decisions_max = decisions < BKSI_INPUT_STREAM_DECISIONS_MAX
                             ? decisions
                             : BKSI_INPUT_STREAM_DECISIONS_MAX,
    };
    stream->model = bksi_alloc(allocator, bksi_model_bytes(layout), 16);
    stream->draft = bksi_alloc(allocator, sizeof(*stream->draft), 16);
    stream->decisions = bksi_alloc(allocator, ring_bytes(stream), 16);
    if (stream->model == NULL || stream->draft == NULL || stream->decisions == NULL) {
        bksi_input_stream_destroy(stream, allocator);
        return bksi_fail(NULL, BKS_ERR_OUT_OF_MEMORY, "input.stream", NULL,
                         "no memory for %zu bytes of a player's model", bksi_model_bytes(layout));
    }
    bksi_model_init(stream->model, layout);
    return BKS_OK;
}

void bksi_input_stream_destroy(bksi_input_stream *stream, const bks_allocator *allocator)
{
    if (stream == NULL || stream->layout == NULL) {
        return;
    }
    bksi_free(allocator, stream->model, bksi_model_bytes(stream->layout));
    bksi_free(allocator, stream->draft, sizeof(*stream->draft));
    bksi_free(allocator, stream->decisions, ring_bytes(stream));
    *stream = (bksi_input_stream){0};
}

void bksi_input_stream_begin(bksi_input_stream *stream, bks_tick first)
{
    stream->head = stream->coded_from = stream->counted = first;
}

static uint32_t slot_of(bks_tick tick)
{
    return (uint32_t)tick % BKSI_INPUT_STREAM_TICKS;
}

/// Return an upper bound of the cost of a bit with this chance, in 1/256 bits. The logarithm is
/// approximated by straight lines, which are never too low. In the worst case the coder uses only 8
/// bits of its range, and so loses less than 2/256 bit.
static uint32_t cost_of(uint32_t chance)
{
    const uint32_t whole = bksi_highest_bit(chance);
    return (17 - whole) * 256 - (chance << 8 >> whole) + 2;
}

static uint32_t coded_cost(const bksi_range_decision *decisions, uint32_t count)
{
    uint32_t cost = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t zero = bksi_range_probability(decisions[i]);
        cost += cost_of((decisions[i] & 1) != 0 ? 65536 - zero : zero);
    }
    return cost;
}

static uint32_t plain_cost(const bksi_layout *layout, uint64_t groups)
{
    uint32_t bits = groups == 0 ? 1 : 1 + layout->group_count;
    for (uint32_t group = 0; groups != 0; group++, groups >>= 1) {
        bits += (groups & 1) != 0 ? layout->group_bits[group] : 0;
    }
    return bits;
}

/// Store the decisions of tick `head` in the ring.
static void keep_decisions(bksi_input_stream *stream, const bksi_draft *draft)
{
    if (stream->decisions_at + stream->decisions_max > ring_size(stream)) {
        stream->decisions_end = stream->decisions_at;
        stream->decisions_at = 0;
    }
    const bool are_too_many = draft->decision_count > stream->decisions_max;
    const uint32_t count = are_too_many ? 0 : draft->decision_count;
    memcpy(stream->decisions + stream->decisions_at, draft->decisions,
           count * sizeof(draft->decisions[0]));
    stream->codes[slot_of(stream->head)] =
        (bksi_input_code){.groups = draft->groups, .at = stream->decisions_at, .count = count};
    stream->decisions_at += count;
    stream->coded_from = are_too_many ? stream->head + 1 : stream->coded_from;
}

void bksi_input_stream_learn(bksi_input_stream *stream, const uint8_t *packed)
{
    bksi_draft *draft = stream->draft;
    if (!stream->has_draft || memcmp(draft->packed, packed, stream->layout->bytes) != 0) {
        bksi_model_draft(stream->model, stream->layout, packed, draft);
    }
    bksi_model_take(stream->model, stream->layout, draft);
    stream->has_draft = false;
    keep_decisions(stream, draft);
    stream->head++;
}

/// Return true if the ring still has the decisions of all ticks from `tick` on.
static bool can_encode(const bksi_input_stream *stream, bks_tick tick)
{
    return tick >= stream->coded_from && stream->head - tick <= (bks_tick)BKSI_INPUT_STREAM_TICKS;
}

static void count_costs(bksi_input_stream *stream)
{
    const bks_tick oldest = stream->head - (bks_tick)BKSI_INPUT_STREAM_TICKS;
    bks_tick tick = stream->counted > oldest ? stream->counted : oldest;
    for (; tick < stream->head; tick++) {
        bksi_input_code *code = &stream->codes[slot_of(tick)];
        code->before = stream->cost;
        stream->cost.coded += coded_cost(stream->decisions + code->at, code->count);
        stream->cost.plain += plain_cost(stream->layout, code->groups);
    }
    stream->counted = stream->head;
}

uint32_t bksi_input_stream_bits(bksi_input_stream *stream, bks_tick first, uint32_t *out_plain_bits)
{
    if (!can_encode(stream, first)) {
        return UINT32_MAX;
    }
    count_costs(stream);
    const bksi_input_cost before =
        first < stream->head ? stream->codes[slot_of(first)].before : stream->cost;
    *out_plain_bits = stream->cost.plain - before.plain;
    return (stream->cost.coded - before.coded + 255) / 256;
}

/// Decisions of consecutive ticks that are contiguous in the ring.
typedef struct span {
    const bksi_range_decision *decisions;
    uint32_t count;
} span;

/// Find the decisions of a range of ticks: one span, or two where the ring wraps.
/// @return number of spans
static uint32_t find_spans(const bksi_input_stream *stream, bks_tick first, bks_tick until,
                           span spans[2])
{
    if (first >= until) {
        return 0;
    }
    const uint32_t begin = stream->codes[slot_of(first)].at;
    const bksi_input_code *last = &stream->codes[slot_of(until - 1)];
    const uint32_t end = last->at + last->count;
    if (last->at >= begin) {
        spans[0] = (span){stream->decisions + begin, end - begin};
        return 1;
    }
    spans[0] = (span){stream->decisions + begin, stream->decisions_end - begin};
    spans[1] = (span){stream->decisions, end};
    return 2;
}

void bksi_input_stream_encode(const bksi_input_stream *stream, bks_tick first, bks_tick until,
                              bksi_range_encoder *encoder)
{
    BKS_ASSERT(can_encode(stream, first));
    span spans[2];
    const uint32_t count = find_spans(stream, first, until, spans);
    for (uint32_t i = 0; i < count; i++) {
        bksi_range_encode_decisions(encoder, spans[i].decisions, spans[i].count);
    }
}

void bksi_input_stream_skip(const bksi_input_stream *stream, bks_tick first, bks_tick until,
                            bksi_range_decoder *decoder)
{
    if (!can_encode(stream, first)) {
        decoder->failed = true;
        return;
    }
    span spans[2];
    const uint32_t count = find_spans(stream, first, until, spans);
    for (uint32_t i = 0; i < count; i++) {
        bksi_range_skip_decisions(decoder, spans[i].decisions, spans[i].count);
    }
}

void bksi_input_stream_decode(bksi_input_stream *stream, bksi_range_decoder *decoder,
                              uint8_t *packed)
{
    bksi_draft *draft = stream->draft;
    bksi_model_draft_decoded(stream->model, stream->layout, decoder, draft);
    decoder->failed = decoder->failed || draft->decision_count > stream->decisions_max;
    stream->has_draft = !decoder->failed;
    memcpy(packed, draft->packed, stream->layout->bytes);
}
