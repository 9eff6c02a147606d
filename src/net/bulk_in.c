// SPDX-License-Identifier: MIT

// Bytes that come are copied to their place in the ring at once; what they are in order is known by
// extents. A sender that keeps to the limit never meets a full ring.

#include "net/bulk_in.h"

#include "net/bulk_ring.h"
#include "net/units.h"

/// A report goes so long after the first byte that it reports.
#define REPORT_NS (20 * MS)

/// On a narrow line reports take an eighth of the rate. Bytes of one, headers and seal included.
#define REPORT_BYTES  100
#define REPORTS_SHARE 8
#define REPORT_NS_MAX (200 * MS)

void bksi_bulk_in_init(bksi_bulk_in *in, uint8_t *ring, size_t room)
{
    *in = (bksi_bulk_in){.ring = ring, .room = room, .limit = room, .report_gap_ns = REPORT_NS};
}

void bksi_bulk_in_update(bksi_bulk_in *in, uint64_t capacity_bits_per_s)
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

void bksi_bulk_in_fill(bksi_bulk_in *in, bksi_bulk_report *report)
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

/// Old parts may come again; none lies beyond what was offered.
bool bksi_bulk_in_check(const bksi_bulk_in *in, const bksi_bulk_message *message)
{
    uint64_t begin = bksi_bulk_place(in->floor, message->place);
    // One before the stream's first byte is far beyond every limit.
    return begin <= in->limit && message->bytes <= in->limit - begin;
}

void bksi_bulk_in_take(bksi_bulk_in *in, const bksi_bulk_message *message, uint64_t now_ns)
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
        return; // too many holes; it comes again
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

size_t bksi_bulk_in_read(bksi_bulk_in *in, void *bytes, size_t room, uint64_t now_ns)
{
    uint64_t there = in->floor - in->read;
    size_t count = there < room ? (size_t)there : room;
    bksi_bulk_ring_get(in->ring, in->room, in->read, bytes, count);
    in->read += count;
    // A sender that had to stop may continue.
    if (count > 0 && in->limit - in->floor < in->room / 2 &&
        in->read + in->room - in->floor >= in->room / 2) {
        owe_report(in, now_ns);
    }
    return count;
}
