// SPDX-License-Identifier: MIT

#include "present/inspect_packet.h"

#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "base/report.h"

#define REQUEST_MAGIC 0x51534b42u ///< "BKSQ" in little-endian bytes
#define ANSWER_MAGIC  0x41534b42u ///< "BKSA"
#define VERSION       1u

/// The name of a pool.
#define NAME_BYTES 24u

_Static_assert(sizeof(((bks_memory_part *)0)->name) == NAME_BYTES, "as the answer has it");

// ---- numbers and texts ----

static void write_tick(bksi_byte_writer *writer, bks_tick tick)
{
    bksi_write_u32(writer, (uint32_t)tick);
}

static bks_tick read_tick(bksi_byte_reader *reader)
{
    return (bks_tick)bksi_read_u32(reader);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/// No answer holds what is no number.
static float float_of(uint32_t bits)
{
    float value;
    if ((bits & 0x7F800000u) == 0x7F800000u) {
        return 0.0f;
    }
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/// A text in a field of a fixed size, zeros behind it.
static void write_field(bksi_byte_writer *writer, const char *text, size_t bytes)
{
    const size_t length = strlen(text);
    const size_t kept = length < bytes ? length : bytes - 1;
    bksi_write_bytes(writer, text, kept);
    for (size_t i = kept; i < bytes; i++) {
        bksi_write_u8(writer, 0);
    }
}

/// Fails unless it is printable, ends, and has zeros behind its end.
static void read_field(bksi_byte_reader *reader, char *out, size_t bytes)
{
    const uint8_t *from = bksi_read_bytes(reader, bytes);
    out[0] = '\0';
    if (from == NULL) {
        return;
    }
    bool has_ended = false;
    for (size_t i = 0; i < bytes; i++) {
        has_ended |= from[i] == 0;
        reader->failed |= has_ended ? from[i] != 0 : from[i] < 0x20 || from[i] > 0x7E;
    }
    reader->failed |= !has_ended;
    if (!reader->failed) {
        memcpy(out, from, bytes);
    }
}

/// A number up to a bound.
static uint32_t read_up_to(bksi_byte_reader *reader, uint32_t most)
{
    const uint32_t value = bksi_read_u32(reader);
    reader->failed |= value > most;
    return reader->failed ? 0 : value;
}

// ---- requests ----

bks_status bks_inspect_request_write(const bks_inspect_request *request, void *out)
{
    BKSI_REFUSE_NULL(NULL, request);
    BKSI_REFUSE_NULL(NULL, out);
    memset(out, 0, BKS_INSPECT_BYTES);
    bksi_byte_writer writer = bksi_byte_writer_over(out, BKS_INSPECT_BYTES);
    bksi_write_u32(&writer, REQUEST_MAGIC);
    bksi_write_u32(&writer, VERSION);
    bksi_write_u32(&writer, request->serial);
    bksi_write_u32(&writer, (uint32_t)request->kind);
    bksi_write_u32(&writer, request->peer);
    bksi_write_u32(&writer, request->index);
    bksi_write_bytes(&writer, request->token, sizeof(request->token));
    bksi_write_u32(&writer, (uint32_t)request->change);
    bksi_write_u32(&writer, request->value);
    write_field(&writer, request->link, sizeof(request->link));
    return BKS_OK;
}

bool bksi_inspect_read_request(const void *bytes, size_t count, bks_inspect_request *out)
{
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    *out = (bks_inspect_request){0};
    if (count != BKS_INSPECT_BYTES || bksi_read_u32(&reader) != REQUEST_MAGIC ||
        bksi_read_u32(&reader) != VERSION) {
        return false;
    }
    out->serial = bksi_read_u32(&reader);
    out->kind = (bks_inspect_kind)read_up_to(&reader, BKS_INSPECT_CHANGE);
    out->peer = bksi_read_u32(&reader);
    out->index = bksi_read_u32(&reader);
    const uint8_t *token = bksi_read_bytes(&reader, sizeof(out->token));
    if (token != NULL) {
        memcpy(out->token, token, sizeof(out->token));
    }
    out->change = (bks_inspect_change)read_up_to(&reader, BKS_INSPECT_LINK);
    out->value = bksi_read_u32(&reader);
    read_field(&reader, out->link, sizeof(out->link));
    return !reader.failed && out->kind >= BKS_INSPECT_SUMMARY;
}

// ---- answers ----

void bksi_inspect_write_head(bksi_byte_writer *writer, const bks_inspect_request *request,
                             bks_inspect_status status)
{
    bksi_write_u32(writer, ANSWER_MAGIC);
    bksi_write_u32(writer, VERSION);
    bksi_write_u32(writer, request->serial);
    bksi_write_u32(writer, (uint32_t)request->kind);
    bksi_write_u32(writer, (uint32_t)status);
    bksi_write_u32(writer, request->peer);
    bksi_write_u32(writer, request->index);
}

void bksi_inspect_write_summary(bksi_byte_writer *writer, const bks_inspect_summary *s)
{
    write_field(writer, s->game, sizeof(s->game));
    bksi_write_u32(writer, s->tick_rate_hz);
    bksi_write_u32(writer, (uint32_t)s->phase);
    write_tick(writer, s->tick);
    write_tick(writer, s->confirmed);
    write_tick(writer, s->ticks);
    write_tick(writer, s->published);
    bksi_write_u64(writer, s->hash);
    const uint32_t numbers[] = {s->players,
                                s->self,
                                s->host,
                                s->peers_in,
                                s->links,
                                s->window_ms,
                                s->window_ticks,
                                s->window_max,
                                s->delay_ticks,
                                (uint32_t)s->pace,
                                s->is_changeable ? 1 : 0,
                                s->has_link ? 1 : 0};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        bksi_write_u32(writer, numbers[i]);
    }
    write_field(writer, s->link, sizeof(s->link));
    bksi_write_u64(writer, s->rollbacks);
    bksi_write_u64(writer, s->resimulated);
    bksi_write_u64(writer, s->stalled_ticks);
    bksi_write_u64(writer, s->starved_ticks);
    bksi_write_u32(writer, s->repairs);
    write_tick(writer, s->repair.tick);
    write_tick(writer, s->repair.since);
    bksi_write_u32(writer, s->repair.peer);
    bksi_write_u32(writer, s->repair.from);
    bksi_write_u64(writer, s->repair.bytes);
    bksi_write_u64(writer, s->state_bytes);
    bksi_write_u32(writer, s->parts);
}

static void read_summary(bksi_byte_reader *reader, bks_inspect_summary *s)
{
    read_field(reader, s->game, sizeof(s->game));
    s->tick_rate_hz = bksi_read_u32(reader);
    s->phase = (bks_phase)read_up_to(reader, BKS_PHASE_FAILED);
    s->tick = read_tick(reader);
    s->confirmed = read_tick(reader);
    s->ticks = read_tick(reader);
    s->published = read_tick(reader);
    s->hash = bksi_read_u64(reader);
    uint32_t *const numbers[] = {&s->players,      &s->self,       &s->host,
                                 &s->peers_in,     &s->links,      &s->window_ms,
                                 &s->window_ticks, &s->window_max, &s->delay_ticks};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        *numbers[i] = bksi_read_u32(reader);
    }
    s->pace = (bks_pace)read_up_to(reader, BKS_PACE_NONE);
    s->is_changeable = read_up_to(reader, 1) == 1;
    s->has_link = read_up_to(reader, 1) == 1;
    read_field(reader, s->link, sizeof(s->link));
    s->rollbacks = bksi_read_u64(reader);
    s->resimulated = bksi_read_u64(reader);
    s->stalled_ticks = bksi_read_u64(reader);
    s->starved_ticks = bksi_read_u64(reader);
    s->repairs = bksi_read_u32(reader);
    s->repair.tick = read_tick(reader);
    s->repair.since = read_tick(reader);
    s->repair.peer = bksi_read_u32(reader);
    s->repair.from = bksi_read_u32(reader);
    s->repair.bytes = bksi_read_u64(reader);
    s->state_bytes = bksi_read_u64(reader);
    s->parts = bksi_read_u32(reader);
}

/// The upper half of a float: two digits.
void bksi_inspect_write_figure(bksi_byte_writer *writer, const bks_figure *figure)
{
    const float values[] = {figure->now, figure->least, figure->mean, figure->most};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        bksi_write_u32(writer, bits_of(values[i]));
    }
    for (uint32_t i = 0; i < BKS_FIGURE_POINTS; i++) {
        const bks_figure_point *point = &figure->history[i];
        bksi_write_u8(writer, point->weight > 0.0f ? 1 : 0);
        bksi_write_u16(writer, (uint16_t)(bits_of(point->least) >> 16));
        bksi_write_u16(writer, (uint16_t)(bits_of(point->mean) >> 16));
        bksi_write_u16(writer, (uint16_t)(bits_of(point->most) >> 16));
    }
}

static void read_figure(bksi_byte_reader *reader, bks_figure *figure)
{
    float *const values[] = {&figure->now, &figure->least, &figure->mean, &figure->most};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        *values[i] = float_of(bksi_read_u32(reader));
    }
    for (uint32_t i = 0; i < BKS_FIGURE_POINTS; i++) {
        bks_figure_point *point = &figure->history[i];
        const uint8_t has_value = bksi_read_u8(reader);
        reader->failed |= has_value > 1;
        point->weight = has_value == 1 ? 1.0f : 0.0f;
        point->least = float_of((uint32_t)bksi_read_u16(reader) << 16);
        point->mean = float_of((uint32_t)bksi_read_u16(reader) << 16);
        point->most = float_of((uint32_t)bksi_read_u16(reader) << 16);
    }
}

void bksi_inspect_write_part(bksi_byte_writer *writer, const bks_memory_part *part)
{
    bksi_write_u32(writer, (uint32_t)part->kind);
    write_field(writer, part->name, NAME_BYTES);
    bksi_write_u64(writer, part->offset_bytes);
    bksi_write_u64(writer, part->bytes);
    bksi_write_u64(writer, part->item_bytes);
    bksi_write_u32(writer, part->capacity);
    bksi_write_u32(writer, part->live);
    bksi_write_u32(writer, part->high_water);
    bksi_write_u32(writer, part->leaked);
    bksi_write_u64(writer, part->added);
}

static void read_part(bksi_byte_reader *reader, bks_memory_part *part)
{
    part->kind = (bks_memory_kind)read_up_to(reader, BKS_MEMORY_FREE);
    read_field(reader, part->name, NAME_BYTES);
    part->offset_bytes = bksi_read_u64(reader);
    part->bytes = bksi_read_u64(reader);
    part->item_bytes = bksi_read_u64(reader);
    part->capacity = bksi_read_u32(reader);
    part->live = bksi_read_u32(reader);
    part->high_water = bksi_read_u32(reader);
    part->leaked = bksi_read_u32(reader);
    part->added = bksi_read_u64(reader);
}

static void read_body(bksi_byte_reader *reader, bks_inspect_answer_read *out)
{
    switch (out->kind) {
    case BKS_INSPECT_SUMMARY:
    case BKS_INSPECT_CHANGE:
        read_summary(reader, &out->summary);
        break;
    case BKS_INSPECT_FIGURE:
        read_figure(reader, &out->figure);
        break;
    case BKS_INSPECT_MEMORY:
        out->part_count = read_up_to(reader, BKS_INSPECT_PARTS_MAX);
        for (uint32_t i = 0; i < out->part_count; i++) {
            read_part(reader, &out->parts[i]);
        }
        break;
    }
}

bks_status bks_inspect_read(const void *bytes, size_t count, bks_inspect_answer_read *out)
{
    if (out == NULL || (bytes == NULL && count > 0)) {
        return bksi_fail_null(NULL, "bks_inspect_read", out == NULL ? "out" : "bytes");
    }
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    *out = (bks_inspect_answer_read){0};
    if (count != BKS_INSPECT_BYTES || bksi_read_u32(&reader) != ANSWER_MAGIC ||
        bksi_read_u32(&reader) != VERSION) {
        return BKS_ERR_DAMAGED;
    }
    out->serial = bksi_read_u32(&reader);
    const uint32_t kind = read_up_to(&reader, BKS_INSPECT_CHANGE);
    out->status = (bks_inspect_status)read_up_to(&reader, BKS_INSPECT_NOT_THERE);
    out->peer = bksi_read_u32(&reader);
    out->index = bksi_read_u32(&reader);
    if (reader.failed || kind < BKS_INSPECT_SUMMARY) {
        return BKS_ERR_DAMAGED;
    }
    out->kind = (bks_inspect_kind)kind;
    if (out->status == BKS_INSPECT_OK) {
        read_body(&reader, out);
    }
    return reader.failed ? BKS_ERR_DAMAGED : BKS_OK;
}
