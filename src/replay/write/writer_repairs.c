// SPDX-License-Identifier: MIT

// What was wrong in the recording until the peer's state was put right.

#include "backstitch/toolkit/writer.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_repair.h"
#include "replay/write/writer.h"

/// What this recording says of the peer's own states.
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
