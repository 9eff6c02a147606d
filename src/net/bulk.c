// SPDX-License-Identifier: MIT

#include "net/bulk.h"

#include <string.h>

#include "base/memory.h"
#include "net/units.h"

// Receiving: each byte is copied to its place in the ring at once, and `came` records which bytes
// arrived. A sender that respects the limit never meets a full ring.

/// Delay of a report of arrived bytes after the first byte that it reports.
#define REPORT_NS (20 * MS)

/// Limits of reports of arrived bytes on a narrow line: size of a report with headers and seal;
/// share of the line's rate that reports take (one eighth); longest delay of a report.
#define REPORT_BYTES  100
#define REPORTS_SHARE 8
#define REPORT_NS_MAX (200 * MS)

/// Set up the receiving side of a bulk stream.
/// @param ring  `room` bytes, owned by the caller
static void bulk_in_init(bksi_bulk_in *in, uint8_t *ring, size_t room)
{
    *in = (bksi_bulk_in){.ring = ring, .room = room, .limit = room, .report_gap_ns = REPORT_NS};
}

/// Adapt the delay of reports to the line's capacity.
/// @param capacity_bits_per_s  capacity of the line that carries the reports; 0: no limit
static void bulk_in_update(bksi_bulk_in *in, uint64_t capacity_bits_per_s)
{
    const uint64_t bits = UINT64_C(8) * REPORT_BYTES * REPORTS_SHARE;
    const uint64_t gap_ns = capacity_bits_per_s > 0 ? bits * SECOND / capacity_bits_per_s : 0;
    in->report_gap_ns = gap_ns < REPORT_NS       ? REPORT_NS
                        : gap_ns < REPORT_NS_MAX ? gap_ns
                                                 : REPORT_NS_MAX;
}

static void owe_report(bksi_bulk_in *in, uint64_t at_ns)
{
    in->report_at_ns = in->owes_report && in->report_at_ns < at_ns ? in->report_at_ns : at_ns;
    in->owes_report = true;
}

static void bulk_in_fill(bksi_bulk_in *in, bksi_bulk_report *report)
{
    in->limit = in->read + in->room;
    in->owes_report = false;
    in->is_asked = false;
    report->floor = (uint32_t)in->floor;
    report->window = (uint32_t)(in->limit - in->floor);
    report->count = in->came.count < BKSI_BULK_PARTS_MAX ? in->came.count : BKSI_BULK_PARTS_MAX;
    for (uint32_t i = 0; i < report->count; i++) {
        report->parts[i].begin = (uint32_t)(in->came.extents[i].begin - in->floor);
        report->parts[i].end = (uint32_t)(in->came.extents[i].end - in->floor);
    }
}

/// Return true if the bytes of a message are below the limit that we offered. Bytes that arrived
/// before are allowed.
static bool bulk_in_check(const bksi_bulk_in *in, const bksi_bulk_message *message)
{
    uint64_t begin = bksi_bulk_place(in->floor, message->place);
    // A position before the stream's first byte wraps to one far above every limit.
    return begin <= in->limit && message->bytes <= in->limit - begin;
}

static void bulk_in_take(bksi_bulk_in *in, const bksi_bulk_message *message, uint64_t now_ns)
{
    uint64_t begin = bksi_bulk_place(in->floor, message->place);
    uint64_t end = begin + message->bytes;
    if (end <= in->floor) {
        in->is_asked |= message->bytes == 0;
        owe_report(in, message->bytes == 0 ? now_ns : now_ns + in->report_gap_ns);
        return;
    }
    const uint8_t *data = message->data;
    if (begin < in->floor) {
        data += in->floor - begin;
        begin = in->floor;
    }
    if (begin > in->floor && !bksi_extents_add(&in->came, begin, end)) {
        return; // too many gaps; the bytes will be sent again
    }
    bksi_bulk_ring_put(in->ring, in->room, begin, data, (size_t)(end - begin));
    if (begin == in->floor) {
        in->floor = end;
        (void)bksi_extents_remove(&in->came, 0, end);
        if (in->came.count > 0 && in->came.extents[0].begin == end) {
            in->floor = in->came.extents[0].end;
            (void)bksi_extents_remove(&in->came, 0, in->floor);
        }
    }
    owe_report(in, now_ns + in->report_gap_ns);
}

/// Read the next received bytes of a bulk stream.
/// @return bytes read, 0 if there are none
static size_t bulk_in_read(bksi_bulk_in *in, void *bytes, size_t room, uint64_t now_ns)
{
    uint64_t there = in->floor - in->read;
    size_t count = there < room ? (size_t)there : room;
    if (count == 0) {
        return 0; // `bytes` may be NULL
    }
    bksi_bulk_ring_get(in->ring, in->room, in->read, bytes, count);
    in->read += count;
    // Report a larger limit, because the sender may have stopped at the old one.
    if (in->limit - in->floor < in->room / 2 && in->read + in->room - in->floor >= in->room / 2) {
        owe_report(in, now_ns);
    }
    return count;
}

// A segment is lost if it is not reported although a segment that was sent later is. The time
// between the two decides, not the count of later segments, so packets reordered by a few
// milliseconds cause no resend. If no report arrives at all, one empty segment is sent a few times
// per second to ask for a report.
//
// Source: RACK (RFC 8985) also detects losses by the time of sending.

#define PART_BYTES_MIN 128u

/// Time after the last change of the packet size until longer packets are tried.
#define LENGTHEN_NS (5 * SECOND)

/// Time, beyond a quarter of a round trip, by which the report of a segment may be late because
/// packets were reordered.
#define REORDER_NS (10 * MS)

/// Time without a report after which the first segments count as lost, while no round trip is known
/// (RFC 6298).
#define FIRST_SILENT_NS SECOND

/// Time between segments while something else goes first.
#define HELD_NS SECOND

/// Rules of a kind of streams.
typedef struct bulk_kind {
    bksi_bulk_pace_config pace; ///< without the highest rate
    /// Time between segments while the match's own rate is reduced, because the match then needs
    /// the whole line.
    uint64_t yielding_ns;
    /// Number of round trips, and time beyond them, without a report after which all segments count
    /// as lost.
    uint64_t silent_trips;
    uint64_t silent_ns;
    uint64_t ask_ns; ///< time between requests for a report
} bulk_kind;

static const bulk_kind of_owner = {
    .pace =
        {
            .first = 3e3,
            .blind_growth = 1.05,
            .probe_every_ns = SECOND,
            .cuts_to_capacity = true,
        },
    .yielding_ns = SECOND,
    .silent_trips = 2,
    .silent_ns = 200 * MS,
    .ask_ns = 250 * MS,
};
static const bulk_kind of_lane = {
    .pace = {.first = 16e3, .blind_growth = 1.25, .probe_every_ns = 200 * MS},
    .yielding_ns = 200 * MS,
    .silent_trips = 1,
    .silent_ns = 60 * MS,
    .ask_ns = 120 * MS,
};

/// Pace of streams on lines without a match: much as that of lanes, because jitter would slow the
/// other down for good. More probes cost a fast line a tenth of its rate.
static const bksi_bulk_pace_config alone = {
    .first = 16e3, .blind_growth = 1.25, .probe_every_ns = 500 * MS, .bears_jitter = true};

static const bulk_kind *kind_of(const bksi_bulk_out *out)
{
    return out->is_lane ? &of_lane : &of_owner;
}

void bksi_bulk_out_init(bksi_bulk_out *out, uint8_t *ring, const bksi_bulk_config *config,
                        uint64_t now_ns)
{
    memset(out, 0, sizeof(*out));
    out->ring = ring;
    out->room = config->send_bytes;
    out->part_most = BKS_PACKET_BYTES_MAX;
    out->is_lane = config->is_lane;
    bksi_bulk_pace_config pace = config->bears_jitter ? alone : kind_of(out)->pace;
    pace.most = config->most;
    pace.first = config->first > 0.0 ? config->first : pace.first;
    bksi_bulk_pace_init(&out->pace, &pace, now_ns);
}

size_t bksi_bulk_out_write(bksi_bulk_out *out, const void *bytes, size_t count)
{
    size_t free = out->room - (size_t)(out->written - out->floor);
    count = count < free ? count : free;
    bksi_bulk_ring_put(out->ring, out->room, out->written, bytes, count);
    out->written += count;
    return count;
}

static void bulk_out_copy(const bksi_bulk_out *out, bksi_extent extent, uint8_t *to)
{
    bksi_bulk_ring_get(out->ring, out->room, extent.begin, to, (size_t)(extent.end - extent.begin));
}

// ---- segments under way ----

static bksi_bulk_segment *segment_of(bksi_bulk_out *out, uint64_t number)
{
    return &out->segments[number % BKSI_BULK_SEGMENTS];
}

static bool is_under_way(const bksi_bulk_out *out)
{
    return out->first_segment < out->next_segment;
}

static void retire_segments(bksi_bulk_out *out)
{
    while (is_under_way(out) && segment_of(out, out->first_segment)->is_settled) {
        out->first_segment++;
    }
}

/// Queue the bytes of a segment for resending, except bytes before `floor`, which have all arrived.
/// If the list of lost bytes is full, the segment stays under way and is checked again later.
static void lose(bksi_bulk_out *out, bksi_bulk_segment *segment)
{
    const bksi_extent extent = segment->extent;
    const uint64_t begin = extent.begin > out->floor ? extent.begin : out->floor;
    segment->is_settled = bksi_extents_add(&out->lost, begin, extent.end);
}

static bool has_come(const bksi_bulk_out *out, bksi_extent extent)
{
    return extent.end <= out->floor ||
           bksi_extents_has(&out->came, extent.begin > out->floor ? extent.begin : out->floor,
                            extent.end);
}

/// Mark the segments that arrived, so that they are not sent again.
/// @return the latest sending time of the segments that arrived
static uint64_t settle_those_that_came(bksi_bulk_out *out)
{
    uint64_t newest_ns = 0;
    for (uint64_t i = out->first_segment; i < out->next_segment; i++) {
        bksi_bulk_segment *segment = segment_of(out, i);
        if (!segment->is_settled && has_come(out, segment->extent)) {
            segment->is_settled = true;
            newest_ns = segment->sent_ns;
        }
    }
    return newest_ns;
}

static void lose_before(bksi_bulk_out *out, uint64_t sent_ns)
{
    for (uint64_t i = out->first_segment; i < out->next_segment; i++) {
        bksi_bulk_segment *segment = segment_of(out, i);
        if (segment->sent_ns >= sent_ns) {
            break;
        }
        if (!segment->is_settled) {
            lose(out, segment);
        }
    }
}

// ---- reports of arrived bytes ----

bool bksi_bulk_out_reported(bksi_bulk_out *out, const bksi_bulk_report *report, uint64_t now_ns)
{
    uint64_t floor = bksi_bulk_place(out->floor, report->floor);
    uint32_t last = report->count > 0 ? report->parts[report->count - 1].end : 0;
    if (floor > out->sent || last > out->sent - floor) {
        // Positions before the stream's first byte wrap to ones far beyond it.
        return false;
    }
    uint64_t limit = floor + report->window;
    out->limit = limit > out->limit ? limit : out->limit;
    if (floor < out->floor) {
        return true; // this report was overtaken by a newer one
    }
    out->floor = floor;
    out->is_presumed = false;
    out->reported_ns = now_ns;
    (void)bksi_extents_remove(&out->came, 0, floor);
    (void)bksi_extents_remove(&out->lost, 0, floor);
    for (uint32_t i = 0; i < report->count; i++) {
        uint64_t begin = floor + report->parts[i].begin;
        uint64_t end = floor + report->parts[i].end;
        // If `came` has no room, the arrival is forgotten; that is no error, because the receiver
        // reports these bytes again.
        (void)bksi_extents_add(&out->came, begin, end);
        (void)bksi_extents_remove(&out->lost, begin, end);
    }
    uint64_t newest_ns = settle_those_that_came(out);
    uint64_t order_ns = out->round_trip_ns / 4 + REORDER_NS;
    if (newest_ns > order_ns) {
        lose_before(out, newest_ns - order_ns);
    }
    retire_segments(out);
    return true;
}

// ---- the next segment ----

static bool is_silent(const bksi_bulk_out *out, uint64_t now_ns)
{
    const bulk_kind *kind = kind_of(out);
    const uint64_t silent_ns = out->is_presumed
                                   ? FIRST_SILENT_NS
                                   : kind->silent_trips * out->round_trip_ns + kind->silent_ns;
    return now_ns - out->reported_ns > silent_ns;
}

/// Halve the maximum size of a segment, because no report arrives: the segments may be too long for
/// the path.
static void shorten_parts(bksi_bulk_out *out, uint64_t now_ns)
{
    const size_t half = out->part_most / 2;
    out->part_most = half > PART_BYTES_MIN ? half : PART_BYTES_MIN;
    out->part_most_ns = now_ns;
}

static void lengthen_parts(bksi_bulk_out *out, uint64_t now_ns)
{
    if (out->part_most < BKS_PACKET_BYTES_MAX && now_ns - out->part_most_ns > LENGTHEN_NS) {
        out->part_most *= 2;
        out->part_most_ns = now_ns;
    }
}

static bool has_room_to_send(const bksi_bulk_out *out)
{
    return out->sent < out->written && out->sent < out->limit;
}

static bool is_open(const bksi_bulk_out *out)
{
    return out->next_segment - out->first_segment < BKSI_BULK_SEGMENTS;
}

static bool has_more(const bksi_bulk_out *out)
{
    return is_open(out) && (out->lost.count > 0 || has_room_to_send(out));
}

/// Return true if some written bytes are not acknowledged yet.
static bool is_unfinished(const bksi_bulk_out *out)
{
    return out->written > out->floor;
}

/// Set the minimum time between packets on a detour, and the waiting time at carriers that does not
/// count as a queue. 0: none.
static void bulk_out_set_detour(bksi_bulk_out *out, uint64_t gap_ns, uint64_t wait_ns)
{
    out->pace.gap_ns = gap_ns;
    out->pace.wait_ns = wait_ns;
}

static void bulk_out_update(bksi_bulk_out *out, const bksi_line *line, bool yields, uint64_t now_ns)
{
    out->round_trip_ns = bksi_line_round_trip_ns(line);
    if (is_unfinished(out)) {
        // Do not probe while the match reduces its own rate: a queue of other packets would hide
        // the result.
        const bool may_probe = has_more(out) && !yields && !out->is_held && !is_silent(out, now_ns);
        bksi_bulk_pace_update(&out->pace, line, may_probe, now_ns);
    }
    out->yields = yields;
    if (yields) {
        bksi_bulk_pace_yield(&out->pace);
    }
    if (!is_unfinished(out)) {
        out->reported_ns = now_ns; // all bytes are acknowledged, so no report is expected
    } else if (is_silent(out, now_ns) && is_under_way(out)) {
        lose_before(out, now_ns);
        retire_segments(out);
        if (!out->is_lane) { // segments of a lane fit every path
            shorten_parts(out, now_ns);
        }
    }
    lengthen_parts(out, now_ns);
}

static uint64_t bulk_out_due_ns(const bksi_bulk_out *out, uint64_t now_ns)
{
    if (!is_unfinished(out)) {
        return UINT64_MAX;
    }
    if (bksi_bulk_pace_asks(&out->pace)) {
        return now_ns;
    }
    uint64_t next_ns = bksi_bulk_pace_next_ns(&out->pace);
    const bulk_kind *kind = kind_of(out);
    const uint64_t gap_ns = out->is_held ? HELD_NS : out->yields ? kind->yielding_ns : 0;
    if (gap_ns > 0 && next_ns < out->asked_ns + gap_ns) {
        next_ns = out->asked_ns + gap_ns;
    }
    uint64_t ask_ns = out->asked_ns + kind->ask_ns;
    if (is_silent(out, now_ns) || (!has_more(out) && !is_under_way(out))) {
        return next_ns > ask_ns ? next_ns : ask_ns;
    }
    return has_more(out) ? next_ns : UINT64_MAX;
}

static size_t part_bytes(const bksi_bulk_out *out, size_t room)
{
    size_t bytes = bksi_bulk_pace_packet_bytes(&out->pace);
    bytes = bytes < PART_BYTES_MIN ? PART_BYTES_MIN : bytes;
    room = room < out->part_most ? room : out->part_most;
    return bytes < room ? bytes : room;
}

bool bksi_bulk_out_next(bksi_bulk_out *out, size_t room, uint64_t now_ns, bksi_extent *extent)
{
    if (now_ns < bulk_out_due_ns(out, now_ns)) {
        return false;
    }
    // Before bytes of a presumed window ask for a report, so that the line is measured soon.
    const bool is_first = out->is_presumed && out->asked_ns == 0;
    out->asked_ns = now_ns;
    const bool goes = is_open(out) && !bksi_bulk_pace_asks(&out->pace) && !is_first;
    size_t bytes = part_bytes(out, room);
    if (goes && out->lost.count > 0) {
        *extent = out->lost.extents[0];
    } else if (goes && has_room_to_send(out)) {
        uint64_t end = out->written < out->limit ? out->written : out->limit;
        *extent = (bksi_extent){out->sent, end};
    } else {
        *extent = (bksi_extent){out->floor, out->floor}; // an empty segment asks for a report
        bksi_bulk_pace_asked(&out->pace);
        return true;
    }
    extent->end = extent->end - extent->begin > bytes ? extent->begin + bytes : extent->end;
    out->sent = extent->end > out->sent ? extent->end : out->sent;
    (void)bksi_extents_remove(&out->lost, extent->begin, extent->end);
    *segment_of(out, out->next_segment++) =
        (bksi_bulk_segment){.extent = *extent, .sent_ns = now_ns};
    return true;
}

/// Record that a segment was sent in a packet of `bytes` bytes, headers included.
/// @param number  the packet's number on the line
static void bulk_out_sent(bksi_bulk_out *out, size_t bytes, uint64_t number, uint64_t now_ns)
{
    bksi_bulk_pace_sent(&out->pace, bytes, number, now_ns);
}

bks_status bksi_bulk_create(bksi_bulk *bulk, const bksi_bulk_config *config,
                            const bks_allocator *allocator)
{
    memset(bulk, 0, sizeof(*bulk));
    bulk->allocator = *allocator;
    bksi_bulk_out_init(&bulk->out, bksi_alloc(allocator, config->send_bytes, 1), config, 0);
    bulk_in_init(&bulk->in, bksi_alloc(allocator, config->receive_bytes, 1), config->receive_bytes);
    if (bulk->out.ring == NULL || bulk->in.ring == NULL) {
        bksi_bulk_destroy(bulk);
        return BKS_ERR_OUT_OF_MEMORY;
    }
    return BKS_OK;
}

void bksi_bulk_destroy(bksi_bulk *bulk)
{
    bksi_free(&bulk->allocator, bulk->out.ring, bulk->out.room);
    bksi_free(&bulk->allocator, bulk->in.ring, bulk->in.room);
}

void bksi_bulk_restart(bksi_bulk *bulk, uint64_t now_ns)
{
    const bksi_bulk_config config = {.send_bytes = bulk->out.room,
                                     .most = bulk->out.pace.config.most,
                                     .is_lane = bulk->out.is_lane,
                                     .bears_jitter = bulk->out.pace.config.bears_jitter,
                                     .first = bulk->out.pace.config.first};
    bksi_bulk_out_init(&bulk->out, bulk->out.ring, &config, now_ns);
    bulk_in_init(&bulk->in, bulk->in.ring, bulk->in.room);
    bulk->was_report = false;
}

size_t bksi_bulk_write(bksi_bulk *bulk, const void *bytes, size_t count)
{
    return bksi_bulk_out_write(&bulk->out, bytes, count);
}

size_t bksi_bulk_read(bksi_bulk *bulk, void *bytes, size_t room, uint64_t now_ns)
{
    return bulk_in_read(&bulk->in, bytes, room, now_ns);
}

void bksi_bulk_set_detour(bksi_bulk *bulk, uint64_t gap_ns, uint64_t wait_ns)
{
    bulk_out_set_detour(&bulk->out, gap_ns, wait_ns);
}

void bksi_bulk_update(bksi_bulk *bulk, const bksi_line *line, bool yields, uint64_t now_ns)
{
    bulk_in_update(&bulk->in, yields ? bksi_line_capacity_bits_per_s(line) : 0);
    bulk_out_update(&bulk->out, line, yields, now_ns);
}

uint64_t bksi_bulk_due_ns(const bksi_bulk *bulk, uint64_t now_ns)
{
    uint64_t due_ns = bulk_out_due_ns(&bulk->out, now_ns);
    bool reports = bulk->in.owes_report && bulk->in.report_at_ns < due_ns;
    return reports ? bulk->in.report_at_ns : due_ns;
}

size_t bksi_bulk_send(bksi_bulk *bulk, uint8_t *body, size_t room, uint64_t now_ns)
{
    uint8_t data[BKS_PACKET_BYTES_MAX];
    bksi_bulk_message message = {
        .is_lane = bulk->out.is_lane,
        .has_report = bulk->in.owes_report && now_ns >= bulk->in.report_at_ns,
    };
    bksi_byte_writer writer = bksi_byte_writer_over(body, room);
    bulk->was_report = message.has_report;
    if (message.has_report) {
        bulk_in_fill(&bulk->in, &message.report);
        bksi_bulk_message_write(&writer, &message);
        // Send no data with the report, because only the rate of the stream (net/bulk_pace.h)
        // decides when data is sent.
        return writer.at;
    }
    bksi_extent extent;
    if (room <= BKSI_BULK_HEAD_BYTES_MAX ||
        !bksi_bulk_out_next(&bulk->out, room - BKSI_BULK_HEAD_BYTES_MAX, now_ns, &extent)) {
        return 0;
    }
    message.has_data = true;
    message.place = (uint32_t)extent.begin;
    message.bytes = (size_t)(extent.end - extent.begin);
    message.data = data;
    bulk_out_copy(&bulk->out, extent, data);
    bksi_bulk_message_write(&writer, &message);
    return writer.at;
}

void bksi_bulk_sent(bksi_bulk *bulk, size_t bytes, uint64_t number, uint64_t now_ns)
{
    // Do not charge reports to the outgoing stream's rate. Otherwise the reports about a fast
    // incoming stream would leave no rate for a slow outgoing one.
    if (!bulk->was_report) {
        bulk_out_sent(&bulk->out, bytes, number, now_ns);
    }
}

bool bksi_bulk_receive(bksi_bulk *bulk, const uint8_t *body, size_t count, uint64_t now_ns)
{
    bksi_byte_reader reader = bksi_byte_reader_over(body, count);
    bksi_bulk_message message;
    if (!bksi_bulk_message_read(&reader, &message) || message.is_lane != bulk->out.is_lane ||
        (message.has_data && !bulk_in_check(&bulk->in, &message)) ||
        (message.has_report && !bksi_bulk_out_reported(&bulk->out, &message.report, now_ns))) {
        return false;
    }
    if (message.has_data) {
        bulk_in_take(&bulk->in, &message, now_ns);
    }
    return true;
}
