// SPDX-License-Identifier: MIT

#include "net/bulk.h"

#include <string.h>

#include "base/memory.h"

bks_status bksi_bulk_create(bksi_bulk *bulk, const bksi_bulk_config *config,
                            const bks_allocator *allocator)
{
    memset(bulk, 0, sizeof(*bulk));
    bulk->allocator = *allocator;
    bksi_bulk_out_init(&bulk->out, bksi_alloc(allocator, config->send_bytes, 1), config, 0);
    bksi_bulk_in_init(&bulk->in, bksi_alloc(allocator, config->receive_bytes, 1),
                      config->receive_bytes);
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

size_t bksi_bulk_write(bksi_bulk *bulk, const void *bytes, size_t count)
{
    return bksi_bulk_out_write(&bulk->out, bytes, count);
}

size_t bksi_bulk_read(bksi_bulk *bulk, void *bytes, size_t room, uint64_t now_ns)
{
    return bksi_bulk_in_read(&bulk->in, bytes, room, now_ns);
}

void bksi_bulk_set_detour(bksi_bulk *bulk, uint64_t gap_ns, uint64_t wait_ns)
{
    bksi_bulk_out_set_detour(&bulk->out, gap_ns, wait_ns);
}

void bksi_bulk_update(bksi_bulk *bulk, const bksi_line *line, bool yields, uint64_t now_ns)
{
    bksi_bulk_in_update(&bulk->in, yields ? bksi_line_capacity_bits_per_s(line) : 0);
    bksi_bulk_out_update(&bulk->out, line, yields, now_ns);
}

uint64_t bksi_bulk_due_ns(const bksi_bulk *bulk, uint64_t now_ns)
{
    uint64_t due_ns = bksi_bulk_out_due_ns(&bulk->out, now_ns);
    bool reports = bulk->in.owes_report && bulk->in.report_at_ns < due_ns;
    return reports ? bulk->in.report_at_ns : due_ns;
}

size_t bksi_bulk_send(bksi_bulk *bulk, uint8_t *body, size_t room, uint64_t now_ns)
{
    uint8_t data[BKS_PACKET_BYTES_MAX];
    bksi_bulk_message message = {.has_report =
                                     bulk->in.owes_report && now_ns >= bulk->in.report_at_ns};
    bksi_byte_writer writer = bksi_byte_writer_over(body, room);
    bulk->was_report = message.has_report;
    if (message.has_report) {
        bksi_bulk_in_fill(&bulk->in, &message.report);
        bksi_bulk_message_write(&writer, &message);
        return writer.at; // alone: the data's pace is another's
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
    bksi_bulk_out_copy(&bulk->out, extent, data);
    bksi_bulk_message_write(&writer, &message);
    return writer.at;
}

void bksi_bulk_sent(bksi_bulk *bulk, size_t bytes, uint64_t number, uint64_t now_ns)
{
    // A slow stream would never go beside reports of a fast one.
    if (!bulk->was_report) {
        bksi_bulk_out_sent(&bulk->out, bytes, number, now_ns);
    }
}

bool bksi_bulk_receive(bksi_bulk *bulk, const uint8_t *body, size_t count, uint64_t now_ns)
{
    bksi_byte_reader reader = bksi_byte_reader_over(body, count);
    bksi_bulk_message message;
    if (!bksi_bulk_message_read(&reader, &message) ||
        (message.has_data && !bksi_bulk_in_check(&bulk->in, &message)) ||
        (message.has_report && !bksi_bulk_out_reported(&bulk->out, &message.report, now_ns))) {
        return false;
    }
    if (message.has_data) {
        bksi_bulk_in_take(&bulk->in, &message, now_ns);
    }
    return true;
}
