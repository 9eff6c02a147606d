// SPDX-License-Identifier: MIT

// Confirmed ticks as a record of their own, which does not change any more.

#include "backstitch/toolkit/writer.h"
#include "base/assert.h"
#include "replay/format/replay_chunk.h"
#include "replay/write/writer.h"

/// What a chunk may take more than plain bits, beside a quarter.
#define CODED_MORE_BYTES 64u

bks_status bksi_writer_append_chunk(bks_replay_writer *writer)
{
    BKS_ASSERT(writer->confirmed > 0);
    bks_status status = bksi_writer_samples_append(writer);
    if (status == BKS_OK) {
        status = bksi_writer_marks_append(writer);
    }
    if (status != BKS_OK) {
        return status;
    }
    bksi_writer_keep_used_bits(writer, 0);
    const size_t plain_bytes = bksi_bit_writer_bytes(&writer->inputs);
    const size_t coded_bytes = bksi_range_encoder_finish(&writer->coded);
    // While little is learnt it takes more: only what will never pay is given up.
    const bool is_coded =
        !writer->coded.failed && coded_bytes <= plain_bytes + plain_bytes / 4 + CODED_MORE_BYTES;
    const bksi_chunk chunk = {
        .first = writer->first,
        .ticks = writer->confirmed,
        .is_coded = is_coded,
        .is_restart = writer->restarts || !is_coded,
        .inputs = is_coded ? writer->coded.bytes : writer->inputs.bytes,
        .input_bytes = is_coded ? coded_bytes : plain_bytes,
    };
    // A reader of plain inputs learns nothing from them.
    writer->must_restart = writer->must_restart || !is_coded;
    const size_t bytes = bksi_chunk_write(
        writer->record + BKSI_RECORD_HEAD_BYTES, writer->record_bytes_max - BKSI_RECORD_EXTRA_BYTES,
        &writer->shape, &chunk, writer->hash_values, writer->is_hashed);
    BKS_ASSERT(bytes > 0);
    const uint64_t offset = writer->end;
    writer->first += (bks_tick)writer->confirmed;
    writer->confirmed = 0;
    bksi_writer_begin_bits(writer);
    status = bksi_writer_append(writer, writer->record, BKSI_RECORD_TICKS, bytes);
    return status == BKS_OK && chunk.is_restart
               ? bksi_writer_note(writer, BKSI_INDEX_RESTART, chunk.first, offset)
               : status;
}
