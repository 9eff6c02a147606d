// SPDX-License-Identifier: MIT

// Evidence, facts (answers to bks_ask()) and repairs are written to the file at once, because the
// program may end before the match does.

#include "backstitch/toolkit/writer.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_event.h"
#include "replay/format/replay_evidence.h"
#include "replay/write/packed_writer.h"
#include "replay/write/writer.h"
#include <string.h>

static bks_status append(bks_replay_writer *writer, uint8_t *record, uint32_t type,
                         size_t payload_bytes)
{
    return writer->is_failed ? BKS_ERR_IO : bksi_writer_append(writer, record, type, payload_bytes);
}

bks_status bksi_writer_append_evidence(bks_replay_writer *writer, uint8_t *record,
                                       size_t payload_bytes)
{
    return append(writer, record, BKSI_RECORD_EVIDENCE, payload_bytes);
}

bks_status bksi_writer_append_log(bks_replay_writer *writer, uint8_t *record, size_t payload_bytes)
{
    bksi_log_cursor cursor;
    bksi_packed content;
    uint32_t count = 0;
    (void)bksi_log_read(&cursor, &count, &content, record + BKSI_RECORD_HEAD_BYTES, payload_bytes);
    if (count > BKSI_LOG_ENTRIES_MAX - writer->log_count) {
        return BKS_OK; // a reader would refuse the record
    }
    writer->log_count += count;
    return append(writer, record, BKSI_RECORD_LOG, payload_bytes);
}

bks_status bks_replay_writer_fact(bks_replay_writer *writer, bks_tick tick, uint32_t question,
                                  const void *bytes, size_t count)
{
    static const char call[] = "bks_replay_writer_fact";
    const bks_status status = bksi_writer_check_open(writer, call);
    if (status != BKS_OK) {
        return status;
    }
    BKSI_REFUSE_NULL(NULL, bytes);
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

/// Check a repair of the recording peer's own states.
static bks_status check_own(const bks_replay_writer *writer, const bks_replay_repair *repair,
                            const char *call)
{
    if (repair->since < writer->wrong_since || repair->until < writer->wrong_until) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "repair",
                         "repair is since %d, until %d, must not be before that of the one before, "
                         "%d and %d",
                         repair->since, repair->until, writer->wrong_since, writer->wrong_until);
    }
    if (repair->until > bksi_writer_next(writer)) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "until",
                         "until is %d, must be at most %d, the first unconfirmed tick",
                         repair->until, bksi_writer_next(writer));
    }
    return BKS_OK;
}

bks_status bks_replay_writer_repair(bks_replay_writer *writer, const bks_replay_repair *repair,
                                    const bks_replay_agreed *agreed)
{
    static const char call[] = "bks_replay_writer_repair";
    bks_status status = bksi_writer_check_open(writer, call);
    if (status == BKS_OK) {
        status = bksi_repair_check(repair, agreed, call);
    }
    if (status != BKS_OK) {
        return status;
    }
    if (repair->until > repair->since) {
        status = check_own(writer, repair, call);
        if (status != BKS_OK) {
            return status;
        }
        writer->wrong_since = repair->since;
        writer->wrong_until = repair->until;
        bksi_writer_keyframes_want(writer);
    }
    uint8_t record[BKSI_RECORD_EXTRA_BYTES + BKSI_REPAIR_BYTES_MAX];
    const size_t bytes = bksi_repair_write(record + BKSI_RECORD_HEAD_BYTES, repair, agreed);
    return bksi_writer_append(writer, record, BKSI_RECORD_REPAIR, bytes);
}
