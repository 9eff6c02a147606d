// SPDX-License-Identifier: MIT

// Facts go to the file at once: the step that asked may be the last.

#include <string.h>

#include "backstitch/toolkit/writer.h"
#include "base/bytes.h"
#include "base/report.h"
#include "replay/format/replay_fact.h"
#include "replay/write/writer.h"

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
