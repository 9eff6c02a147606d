// SPDX-License-Identifier: MIT

// The inspector answers requests about a match, and reads and writes the packets of requests and
// answers. A request may come from anyone: answering it takes bounded work and one packet, and
// nothing changes without the token.

#include "backstitch/toolkit/inspector.h"

#include "backstitch/toolkit/state_map.h"

#include <string.h>

#include "base/bytes.h"
#include "base/report.h"
#include "session/queries.h"

#define REQUEST_MAGIC 0x51534b42u ///< "BKSQ" in little-endian bytes
#define ANSWER_MAGIC  0x41534b42u ///< "BKSA" in little-endian bytes
#define VERSION       1u

/// Size of a pool's name in an answer, in bytes.
#define NAME_BYTES 24u

_Static_assert(sizeof(((bks_memory_part *)0)->name) == NAME_BYTES, "as the answer has it");

// ---- reading and writing numbers and texts ----

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

/// Convert bits to a float; NaN and infinity become 0.
static float float_of(uint32_t bits)
{
    float value;
    if ((bits & 0x7F800000u) == 0x7F800000u) {
        return 0.0f;
    }
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/// Write a text into a part of a packet that has a fixed size, filled up with zeros.
static void write_field(bksi_byte_writer *writer, const char *text, size_t bytes)
{
    const size_t length = strlen(text);
    const size_t kept = length < bytes ? length : bytes - 1;
    bksi_write_bytes(writer, text, kept);
    for (size_t i = kept; i < bytes; i++) {
        bksi_write_u8(writer, 0);
    }
}

/// Read a text from a part of a packet that has a fixed size. Fail unless the text is printable,
/// has a terminating zero, and is followed by zeros.
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

/// Read a number from a packet. Fail if the number is above `most`.
static uint32_t read_up_to(bksi_byte_reader *reader, uint32_t most)
{
    const uint32_t value = bksi_read_u32(reader);
    reader->failed |= value > most;
    return reader->failed ? 0 : value;
}

// ---- packets with requests ----

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

/// Read a request.
/// @return false: the packet is no request
static bool bksi_inspect_read_request(const void *bytes, size_t count, bks_inspect_request *out)
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

// ---- packets with answers ----

/// Write the head of an answer. After the head come the contents for the answer's status and kind,
/// then zeros up to the end of the packet.
static void bksi_inspect_write_head(bksi_byte_writer *writer, const bks_inspect_request *request,
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

static void bksi_inspect_write_summary(bksi_byte_writer *writer, const bks_inspect_summary *s)
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

/// Write a figure. Its history is sent as the upper halves of floats, which hold about two
/// significant digits.
static void bksi_inspect_write_figure(bksi_byte_writer *writer, const bks_figure *figure)
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

static void bksi_inspect_write_part(bksi_byte_writer *writer, const bks_memory_part *part)
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

/// Most parts of a state that the inspector lists. A list may take several answers.
#define PARTS_MAX 64u

// ---- filling in the summary ----

static void fill_roster(bks_inspect_summary *s, const bks_session *session)
{
    bks_roster roster;
    (void)bks_session_roster(session, &roster);
    s->ticks = roster.ticks;
    s->players = roster.players;
    s->self = roster.self;
    s->host = roster.host;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        s->peers_in |= roster.is_in[i] ? 1u << i : 0;
    }
}

static void fill_stats(bks_inspect_summary *s, const bks_session *session)
{
    bks_stats stats;
    bks_repair repairs[BKS_REPAIRS_MAX];
    (void)bks_session_stats(session, &stats);
    s->rollbacks = stats.rollbacks;
    s->resimulated = stats.resimulated;
    s->stalled_ticks = stats.stalled_ticks;
    s->starved_ticks = stats.starved_ticks;
    s->repairs = bks_session_repairs(session, repairs, BKS_REPAIRS_MAX);
    s->repair = s->repairs > 0 ? repairs[s->repairs - 1] : (bks_repair){0};
}

uint32_t bks_inspected_window_max(const bks_inspected *inspected)
{
    return bksi_session_window_max(inspected->session);
}

static void fill_tuning(bks_inspect_summary *s, const bks_inspected *inspected)
{
    bks_tuning tuning;
    (void)bks_session_tuning(inspected->session, &tuning);
    s->window_ticks = tuning.window_ticks;
    s->window_max = bks_inspected_window_max(inspected);
    s->delay_ticks = tuning.delay_ticks;
    s->pace = tuning.pace;
    s->is_changeable = inspected->token != NULL;
    s->has_link = inspected->change_link != NULL && inspected->link != NULL;
    const char *link = s->has_link ? inspected->link(inspected->context) : "";
    strncpy(s->link, link, sizeof(s->link) - 1);
}

static uint32_t memory_of(const bks_inspected *inspected, bks_memory_part *out, uint32_t capacity)
{
    const size_t count = inspected->state != NULL ? inspected->state_bytes : 0;
    return bks_state_memory(inspected->state, count, inspected->root_bytes, out, capacity);
}

static bks_inspect_summary summary_of(const bks_inspected *inspected)
{
    const bks_session *session = inspected->session;
    const bks_figures *figures = inspected->figures;
    bks_inspect_summary s = {
        .tick_rate_hz = inspected->tick_rate_hz,
        .phase = bks_session_phase(session),
        .tick = bks_session_tick(session),
        .confirmed = bks_session_confirmed(session),
        .published = bks_session_published(session),
        .window_ms = figures != NULL ? figures->window_ms : 0,
        .state_bytes = inspected->state != NULL ? inspected->state_bytes : 0,
        .parts = memory_of(inspected, NULL, 0),
    };
    strncpy(s.game, inspected->game != NULL ? inspected->game : "", sizeof(s.game) - 1);
    if (s.published != BKS_TICK_NONE && bks_session_hash(session, s.published, &s.hash) != BKS_OK) {
        s.published = BKS_TICK_NONE;
    }
    for (uint32_t i = 0; figures != NULL && i < BKS_PEERS_MAX; i++) {
        s.links |= figures->links[i].has_peer ? 1u << i : 0;
    }
    fill_roster(&s, session);
    fill_stats(&s, session);
    fill_tuning(&s, inspected);
    return s;
}

// ---- filling in figures and memory ----

static const bks_figure *figure_of(const bks_figures *f, const bks_inspect_request *request)
{
    const bool is_there =
        f != NULL && (request->peer == BKS_PEERS_MAX ||
                      (request->peer < BKS_PEERS_MAX && f->links[request->peer].has_peer));
    return is_there ? bks_figure_of(f, request->peer, request->index) : NULL;
}

static void write_memory(bksi_byte_writer *writer, const bks_inspected *inspected, uint32_t first)
{
    bks_memory_part parts[PARTS_MAX];
    const uint32_t there = memory_of(inspected, parts, PARTS_MAX);
    const uint32_t listed = there < PARTS_MAX ? there : PARTS_MAX;
    const uint32_t left = first < listed ? listed - first : 0;
    const uint32_t count = left < BKS_INSPECT_PARTS_MAX ? left : BKS_INSPECT_PARTS_MAX;
    bksi_write_u32(writer, count);
    for (uint32_t i = 0; i < count; i++) {
        bksi_inspect_write_part(writer, &parts[first + i]);
    }
}

// ---- carrying out changes ----

/// Return true if the request has the right token. The comparison takes constant time.
static bool is_allowed(const bks_inspected *inspected, const bks_inspect_request *request)
{
    uint8_t differ = 0;
    for (size_t i = 0; inspected->token != NULL && i < BKS_INSPECT_TOKEN_BYTES; i++) {
        differ = (uint8_t)(differ | (inspected->token[i] ^ request->token[i]));
    }
    return inspected->token != NULL && differ == 0;
}

static bks_inspect_status retune(const bks_inspected *inspected, const bks_inspect_request *request)
{
    bks_tuning tuning;
    (void)bks_session_tuning(inspected->session, &tuning);
    const uint32_t value = request->value;
    const bks_inspect_change what = request->change;
    const uint32_t pace = what == BKS_INSPECT_PACE ? value : (uint32_t)tuning.pace;
    if (pace > BKS_PACE_NONE) {
        return BKS_INSPECT_OUT_OF_RANGE;
    }
    const bks_status status = bks_session_retune(
        inspected->session, what == BKS_INSPECT_WINDOW ? value : tuning.window_ticks,
        what == BKS_INSPECT_DELAY ? value : tuning.delay_ticks, (bks_pace)pace, NULL);
    return status == BKS_OK ? BKS_INSPECT_OK : BKS_INSPECT_OUT_OF_RANGE;
}

static bks_inspect_status change(const bks_inspected *inspected, const bks_inspect_request *request)
{
    if (!is_allowed(inspected, request)) {
        return BKS_INSPECT_NOT_ALLOWED;
    }
    if (request->change != BKS_INSPECT_LINK) {
        return retune(inspected, request);
    }
    if (inspected->change_link == NULL || inspected->link == NULL) {
        return BKS_INSPECT_NOT_THERE;
    }
    return inspected->change_link(inspected->context, request->link) ? BKS_INSPECT_OK
                                                                     : BKS_INSPECT_OUT_OF_RANGE;
}

// ---- answering a request ----

static void write_answer(bksi_byte_writer *writer, const bks_inspected *inspected,
                         const bks_inspect_request *request)
{
    bks_inspect_status status = BKS_INSPECT_OK;
    const bks_figure *figure = NULL;
    if (request->kind == BKS_INSPECT_CHANGE) {
        status = change(inspected, request);
    } else if (request->kind == BKS_INSPECT_FIGURE) {
        figure = figure_of(inspected->figures, request);
        status = figure != NULL ? BKS_INSPECT_OK : BKS_INSPECT_NOT_THERE;
    }
    bksi_inspect_write_head(writer, request, status);
    if (status != BKS_INSPECT_OK) {
        return;
    }
    if (figure != NULL) {
        bksi_inspect_write_figure(writer, figure);
    } else if (request->kind == BKS_INSPECT_MEMORY) {
        write_memory(writer, inspected, request->index);
    } else {
        const bks_inspect_summary summary = summary_of(inspected);
        bksi_inspect_write_summary(writer, &summary);
    }
}

size_t bks_inspect_answer(const bks_inspected *inspected, const void *bytes, size_t count,
                          void *out)
{
    if (inspected == NULL || inspected->session == NULL || out == NULL ||
        (bytes == NULL && count > 0)) {
        (void)bksi_fail_null(NULL, "bks_inspect_answer",
                             inspected == NULL            ? "inspected"
                             : inspected->session == NULL ? "inspected->session"
                             : out == NULL                ? "out"
                                                          : "bytes");
        return 0;
    }
    bks_inspect_request request;
    if (!bksi_inspect_read_request(bytes, count, &request)) {
        return 0;
    }
    memset(out, 0, BKS_INSPECT_BYTES);
    bksi_byte_writer writer = bksi_byte_writer_over(out, BKS_INSPECT_BYTES);
    write_answer(&writer, inspected, &request);
    return BKS_INSPECT_BYTES;
}
