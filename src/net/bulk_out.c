// SPDX-License-Identifier: MIT

// What was sent and is not reported while something sent later is, was lost: by time, not by
// counting, so reordering of a few milliseconds resends nothing. When no report comes at all, a
// single part asks for one a few times a second.
//
// Source: loss by time of sending is that of RACK (RFC 8985).

#include "net/bulk_out.h"

#include <string.h>

#include "net/bulk_ring.h"
#include "net/units.h"

/// A line that the match needs for itself takes a part this often.
#define YIELDING_NS SECOND

#define PART_BYTES_MIN 128u

/// Longer packets are tried again after this.
#define LENGTHEN_NS (5 * SECOND)

/// Later packets overtake by less than a quarter of a round trip and this.
#define REORDER_NS (10 * MS)

/// Without a report for two round trips and this all is taken for lost.
#define SILENCE_NS (200 * MS)
#define ASK_NS     (250 * MS)

void bksi_bulk_out_init(bksi_bulk_out *out, uint8_t *ring, const bksi_bulk_config *config,
                        uint64_t now_ns)
{
    memset(out, 0, sizeof(*out));
    out->ring = ring;
    out->room = config->send_bytes;
    out->part_most = BKS_PACKET_BYTES_MAX;
    bksi_bulk_pace_init(&out->pace, config->most, now_ns);
}

size_t bksi_bulk_out_write(bksi_bulk_out *out, const void *bytes, size_t count)
{
    size_t free = out->room - (size_t)(out->written - out->floor);
    count = count < free ? count : free;
    bksi_bulk_ring_put(out->ring, out->room, out->written, bytes, count);
    out->written += count;
    return count;
}

void bksi_bulk_out_copy(const bksi_bulk_out *out, bksi_extent extent, uint8_t *to)
{
    bksi_bulk_ring_get(out->ring, out->room, extent.begin, to, (size_t)(extent.end - extent.begin));
}

// ---- what is under way ----

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

/// What of it is behind the floor goes again. Without room in the list of what is lost it stays
/// under way, and is looked at again.
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

/// @return when the newest of those that came went
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

// ---- reports ----

bool bksi_bulk_out_reported(bksi_bulk_out *out, const bksi_bulk_report *report, uint64_t now_ns)
{
    uint64_t floor = bksi_bulk_place(out->floor, report->floor);
    uint32_t last = report->count > 0 ? report->parts[report->count - 1].end : 0;
    if (floor > out->sent || last > out->sent - floor) {
        // Those before the stream's first byte are far beyond it.
        return false;
    }
    uint64_t limit = floor + report->window;
    out->limit = limit > out->limit ? limit : out->limit;
    if (floor < out->floor) {
        return true; // overtaken by a newer one
    }
    out->floor = floor;
    out->reported_ns = now_ns;
    (void)bksi_extents_remove(&out->came, 0, floor);
    (void)bksi_extents_remove(&out->lost, 0, floor);
    for (uint32_t i = 0; i < report->count; i++) {
        uint64_t begin = floor + report->parts[i].begin;
        uint64_t end = floor + report->parts[i].end;
        // What finds no room is reported again.
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

// ---- what goes next ----

static bool is_silent(const bksi_bulk_out *out, uint64_t now_ns)
{
    return now_ns - out->reported_ns > 2 * out->round_trip_ns + SILENCE_NS;
}

/// Nothing comes back: perhaps the packets are too long for the path.
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

/// Whether there is anything of which the receiver should know.
static bool is_unfinished(const bksi_bulk_out *out)
{
    return out->written > out->floor;
}

void bksi_bulk_out_set_detour(bksi_bulk_out *out, uint64_t gap_ns, uint64_t wait_ns)
{
    out->pace.gap_ns = gap_ns;
    out->pace.wait_ns = wait_ns;
}

void bksi_bulk_out_update(bksi_bulk_out *out, const bksi_line *line, bool yields, uint64_t now_ns)
{
    out->round_trip_ns = bksi_line_round_trip_ns(line);
    if (is_unfinished(out)) {
        // A queue that was there without us says nothing of our pace.
        const bool may_probe = has_more(out) && !yields && !is_silent(out, now_ns);
        bksi_bulk_pace_update(&out->pace, line, may_probe, now_ns);
    }
    out->yields = yields;
    if (yields) {
        bksi_bulk_pace_yield(&out->pace);
    }
    if (!is_unfinished(out)) {
        out->reported_ns = now_ns; // nothing is awaited
    } else if (is_silent(out, now_ns) && is_under_way(out)) {
        lose_before(out, now_ns);
        retire_segments(out);
        shorten_parts(out, now_ns);
    }
    lengthen_parts(out, now_ns);
}

uint64_t bksi_bulk_out_due_ns(const bksi_bulk_out *out, uint64_t now_ns)
{
    if (!is_unfinished(out)) {
        return UINT64_MAX;
    }
    if (bksi_bulk_pace_asks(&out->pace)) {
        return now_ns;
    }
    uint64_t next_ns = bksi_bulk_pace_next_ns(&out->pace);
    if (out->yields && next_ns < out->asked_ns + YIELDING_NS) {
        next_ns = out->asked_ns + YIELDING_NS;
    }
    uint64_t ask_ns = out->asked_ns + ASK_NS;
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
    if (now_ns < bksi_bulk_out_due_ns(out, now_ns)) {
        return false;
    }
    out->asked_ns = now_ns;
    const bool goes = is_open(out) && !bksi_bulk_pace_asks(&out->pace);
    size_t bytes = part_bytes(out, room);
    if (goes && out->lost.count > 0) {
        *extent = out->lost.extents[0];
    } else if (goes && has_room_to_send(out)) {
        uint64_t end = out->written < out->limit ? out->written : out->limit;
        *extent = (bksi_extent){out->sent, end};
    } else {
        *extent = (bksi_extent){out->floor, out->floor}; // a question
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

void bksi_bulk_out_sent(bksi_bulk_out *out, size_t bytes, uint64_t number, uint64_t now_ns)
{
    bksi_bulk_pace_sent(&out->pace, bytes, number, now_ns);
}
