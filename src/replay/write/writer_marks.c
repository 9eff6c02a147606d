// SPDX-License-Identifier: MIT

// The state at every mark, on request: rows that come coded, gathered until a record of them is
// full or their ticks are appended.

#include "backstitch/toolkit/writer.h"
#include "base/report.h"
#include "replay/write/writer.h"

bks_status bksi_writer_marks_begin(bks_replay_writer *writer, const bks_replay_config *config,
                                   bks_error *error)
{
    if (!config->detail.marks || config->pointers) {
        return BKS_OK;
    }
    writer->marks = bksi_mark_packer_create(BKSI_MARK_ROW_BYTES_MAX, &writer->allocator);
    return writer->marks != NULL ? BKS_OK
                                 : bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "replay.create", NULL,
                                             "no memory for the states at marks");
}

void bksi_writer_marks_end(bks_replay_writer *writer)
{
    bksi_mark_packer_destroy(writer->marks);
}

bks_status bksi_writer_marks_append(bks_replay_writer *writer)
{
    if (writer->marks == NULL) {
        return BKS_OK;
    }
    const size_t bytes = bksi_mark_packer_pack(writer->marks, writer->marks_end);
    return bytes > 0 ? bksi_writer_append(writer, bksi_mark_packer_record(writer->marks),
                                          BKSI_RECORD_MARKS, bytes)
                     : BKS_OK;
}

// Ticks without a row have an empty one.
static bks_status add(bks_replay_writer *writer, bks_tick tick, const uint8_t *row, size_t count)
{
    bks_status status = BKS_OK;
    if (!bksi_mark_packer_fits(writer->marks, count)) {
        status = bksi_writer_marks_append(writer);
    }
    bksi_mark_packer_add(writer->marks, row, count);
    writer->marks_end = tick + 1;
    return status;
}

bks_status bksi_writer_marks_confirm(bks_replay_writer *writer, bks_tick tick)
{
    return writer->marks != NULL && writer->marks_end <= tick ? add(writer, tick, NULL, 0) : BKS_OK;
}

bks_status bks_replay_writer_marks(bks_replay_writer *writer, bks_tick tick, const void *row,
                                   size_t count)
{
    static const char call[] = "bks_replay_writer_marks";
    const bks_status status = bksi_writer_check_open(writer, call);
    if (status != BKS_OK) {
        return status;
    }
    if (row == NULL && count > 0) {
        return bksi_fail_null(NULL, call, "row");
    }
    if (tick != bksi_writer_next(writer)) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be %d", tick,
                         bksi_writer_next(writer));
    }
    if (count > BKSI_MARK_ROW_BYTES_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "count", "count is %zu, must be 0..%u",
                         count, BKSI_MARK_ROW_BYTES_MAX);
    }
    if (writer->marks == NULL || writer->marks_end > tick) {
        return BKS_OK;
    }
    return add(writer, tick, row, count);
}
