// SPDX-License-Identifier: MIT

#include "replay/replay_fact.h"

#include <string.h>

#include "base/bytes.h"
#include "base/report.h"
#include "replay/replay_reader.h"
#include "replay/writer.h"

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

bks_status bks_replay_writer_fact(bks_replay_writer *writer, bks_tick tick, uint32_t question,
                                  const void *bytes, size_t count)
{
    static const char call[] = "bks_replay_writer_fact";
    const bks_status status = bksi_writer_check_open(writer, call);
    if (status != BKS_OK) {
        return status;
    }
    if (bytes == NULL) {
        return bksi_fail_null(NULL, call, "bytes");
    }
    if (count < 1 || count > BKS_ANSWER_BYTES_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "count", "count is %zu, must be 1..%d",
                         count, BKS_ANSWER_BYTES_MAX);
    }
    if (tick < writer->fact_tick) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be %d or more",
                         tick, writer->fact_tick);
    }
    writer->fact_tick = tick;
    uint8_t record[BKSI_RECORD_EXTRA_BYTES + BKSI_FACT_HEAD_BYTES + BKS_ANSWER_BYTES_MAX];
    uint8_t *payload = record + BKSI_RECORD_HEAD_BYTES;
    bksi_put_u32(payload, (uint32_t)tick);
    bksi_put_u32(payload + 4, question);
    memcpy(payload + BKSI_FACT_HEAD_BYTES, bytes, count);
    return bksi_writer_append(writer, record, BKSI_RECORD_FACT, BKSI_FACT_HEAD_BYTES + count);
}

static const bksi_fact_place *fact_at(const bks_replay *replay, size_t index)
{
    return bksi_list_at(&replay->facts, index);
}

/// The first fact of a tick or of a later one.
static size_t first_from(const bks_replay *replay, bks_tick tick)
{
    size_t low = 0;
    for (size_t high = replay->facts.count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (fact_at(replay, middle)->tick < tick) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bks_status bks_replay_fact(const bks_replay *replay, bks_tick tick, uint32_t question,
                           const void **out_bytes, size_t *out_count)
{
    static const char call[] = "bks_replay_fact";
    if (replay == NULL || out_bytes == NULL || out_count == NULL) {
        return bksi_fail_null(NULL, call,
                              replay == NULL      ? "replay"
                              : out_bytes == NULL ? "out_bytes"
                                                  : "out_count");
    }
    *out_bytes = NULL;
    *out_count = 0;
    for (size_t i = first_from(replay, tick); i < replay->facts.count; i++) {
        const bksi_fact_place *fact = fact_at(replay, i);
        if (fact->tick != tick) {
            break;
        }
        if (fact->question == question) {
            *out_bytes = bksi_replay_bytes_at(replay, fact->offset);
            *out_count = fact->count;
            break;
        }
    }
    return BKS_OK;
}
