// SPDX-License-Identifier: MIT

#include "replay/format/replay_event.h"

#include <string.h>

#include "base/bytes.h"
#include "base/report.h"

#define PEER_MAX 255u

/// Return true if the numbers of a repair, which come from a caller or a file, agree with each
/// other.
static bool is_sound(const bks_replay_repair *repair)
{
    return repair->since >= 0 && repair->tick > repair->since && repair->until >= repair->since &&
           repair->peer <= PEER_MAX && repair->from <= PEER_MAX &&
           repair->agreed_count <= BKS_REPLAY_AGREED_MAX;
}

bks_status bksi_repair_check(const bks_replay_repair *repair, const bks_replay_agreed *agreed,
                             const char *call)
{
    if (repair == NULL || (agreed == NULL && repair->agreed_count > 0)) {
        return bksi_fail_null(NULL, call, repair == NULL ? "repair" : "agreed");
    }
    if (!is_sound(repair)) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "repair",
                         "repair of peer %u by peer %u, since %d, tick %d, until %d, with %u "
                         "hashes: peers must be 0..%u, since 0 or above, tick above it, until not "
                         "before it, hashes 0..%d",
                         repair->peer, repair->from, repair->since, repair->tick, repair->until,
                         repair->agreed_count, PEER_MAX, BKS_REPLAY_AGREED_MAX);
    }
    bks_tick next = repair->since;
    for (uint32_t i = 0; i < repair->agreed_count; i++) {
        if (agreed[i].tick < next || agreed[i].tick >= repair->until) {
            return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "agreed",
                             "agreed[%u].tick is %d, must be %d..%d", i, agreed[i].tick, next,
                             repair->until - 1);
        }
        next = agreed[i].tick + 1;
    }
    return BKS_OK;
}

size_t bksi_repair_write(uint8_t *out, const bks_replay_repair *repair,
                         const bks_replay_agreed *agreed)
{
    bksi_byte_writer writer = bksi_byte_writer_over(out, BKSI_REPAIR_BYTES_MAX);
    bksi_write_u8(&writer, (uint8_t)repair->peer);
    bksi_write_u8(&writer, (uint8_t)repair->from);
    bksi_write_varint(&writer, repair->bytes);
    bksi_write_varint(&writer, (uint32_t)repair->since);
    bksi_write_varint(&writer, (uint32_t)(repair->tick - repair->since));
    bksi_write_varint(&writer, (uint32_t)(repair->until - repair->since));
    bksi_write_varint(&writer, repair->agreed_count);
    bks_tick next = repair->since;
    for (uint32_t i = 0; i < repair->agreed_count; i++) {
        bksi_write_varint(&writer, (uint32_t)(agreed[i].tick - next));
        bksi_write_u64(&writer, agreed[i].hash);
        next = agreed[i].tick + 1;
    }
    return writer.at;
}

/// Read a tick that is coded as its distance from another tick.
static bks_tick tick_after(bksi_byte_reader *reader, uint64_t base)
{
    const uint64_t after = bksi_read_varint(reader);
    const bool is_right = base <= INT32_MAX && after <= INT32_MAX - base;
    reader->failed = reader->failed || !is_right;
    return is_right ? (bks_tick)(base + after) : 0;
}

bool bksi_repair_read(bks_replay_repair *repair, bks_replay_agreed *agreed, const uint8_t *bytes,
                      size_t count)
{
    memset(repair, 0, sizeof(*repair));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    repair->peer = bksi_read_u8(&reader);
    repair->from = bksi_read_u8(&reader);
    repair->bytes = bksi_read_varint(&reader);
    repair->since = tick_after(&reader, 0);
    repair->tick = tick_after(&reader, (uint64_t)repair->since);
    repair->until = tick_after(&reader, (uint64_t)repair->since);
    const uint64_t hashes = bksi_read_varint(&reader);
    if (reader.failed || hashes > BKS_REPLAY_AGREED_MAX) {
        return false;
    }
    repair->agreed_count = (uint32_t)hashes;
    uint64_t next = (uint64_t)repair->since;
    for (uint32_t i = 0; i < repair->agreed_count; i++) {
        agreed[i].tick = tick_after(&reader, next);
        agreed[i].hash = bksi_read_u64(&reader);
        if (agreed[i].tick >= repair->until) {
            return false;
        }
        next = (uint64_t)agreed[i].tick + 1;
    }
    return !reader.failed && bksi_byte_reader_left(&reader) == 0 && is_sound(repair);
}

#define PEER_MAX 255u

const char *bks_replay_event_kind_name(bks_replay_event_kind kind)
{
    switch (kind) {
    case BKS_REPLAY_JOINED:
        return "joined";
    case BKS_REPLAY_LEFT:
        return "left";
    case BKS_REPLAY_DELAY:
        return "delay";
    case BKS_REPLAY_DESYNC:
        return "desync";
    case BKS_REPLAY_NOTE:
        return "note";
    case BKS_REPLAY_CLOSED:
        return "closed";
    }
    return "unknown";
}

bks_status bksi_event_check(const bks_replay_event *event, const char *call)
{
    if (event == NULL) {
        return bksi_fail_null(NULL, call, "event");
    }
    if ((uint32_t)event->kind > BKS_REPLAY_CLOSED) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "kind", "kind is %d, must be 0..%d",
                         (int)event->kind, (int)BKS_REPLAY_CLOSED);
    }
    if (event->tick < 0 || event->peer > PEER_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, event->tick < 0 ? "tick" : "peer",
                         "tick is %d and peer %u, must be 0 or above and 0..%u", event->tick,
                         event->peer, PEER_MAX);
    }
    for (size_t i = 0; i < sizeof(event->text); i++) {
        if (event->text[i] == '\0') {
            return BKS_OK;
        }
        if (event->text[i] < 0x20 || event->text[i] > 0x7e) {
            break;
        }
    }
    return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "text",
                     "text is not 0..%zu bytes of printable ASCII with a zero behind them",
                     sizeof(event->text) - 1);
}

size_t bksi_event_write(uint8_t *out, const bks_replay_event *event)
{
    bksi_byte_writer writer = bksi_byte_writer_over(out, BKSI_EVENT_BYTES_MAX);
    bksi_write_varint(&writer, (uint32_t)event->tick);
    bksi_write_u8(&writer, (uint8_t)event->kind);
    bksi_write_u8(&writer, (uint8_t)event->peer);
    bksi_write_varint(&writer, event->a);
    bksi_write_varint(&writer, event->b);
    bksi_write_text(&writer, event->text);
    return writer.at;
}

bksi_event_status bksi_event_read(bks_replay_event *event, const uint8_t *bytes, size_t count)
{
    memset(event, 0, sizeof(*event));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    const uint64_t tick = bksi_read_varint(&reader);
    const uint32_t kind = bksi_read_u8(&reader);
    event->peer = bksi_read_u8(&reader);
    if (!reader.failed && kind > BKS_REPLAY_CLOSED) {
        return BKSI_EVENT_UNKNOWN;
    }
    event->a = bksi_read_varint(&reader);
    event->b = bksi_read_varint(&reader);
    bksi_read_text(&reader, event->text, sizeof(event->text));
    if (reader.failed || bksi_byte_reader_left(&reader) != 0 || tick > INT32_MAX) {
        return BKSI_EVENT_WRONG;
    }
    event->tick = (bks_tick)tick;
    event->kind = (bks_replay_event_kind)kind;
    return BKSI_EVENT_OK;
}

bool bksi_fact_read(bksi_fact_place *fact, const bksi_record *record)
{
    if (record->payload_bytes <= BKSI_FACT_HEAD_BYTES ||
        record->payload_bytes > BKSI_FACT_HEAD_BYTES + BKS_ANSWER_BYTES_MAX) {
        return false;
    }
    const uint32_t tick = bksi_get_u32(record->payload);
    *fact = (bksi_fact_place){
        .offset = record->offset + BKSI_RECORD_HEAD_BYTES + BKSI_FACT_HEAD_BYTES,
        .tick = (bks_tick)tick,
        .question = bksi_get_u32(record->payload + 4),
        .count = (uint32_t)(record->payload_bytes - BKSI_FACT_HEAD_BYTES),
    };
    return tick <= INT32_MAX;
}
