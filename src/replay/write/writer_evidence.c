// SPDX-License-Identifier: MIT

// Evidence goes to the file at once: the program may end before the match does.

#include "backstitch/toolkit/writer.h"
#include "replay/write/packed_writer.h"
#include "replay/write/writer.h"

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
    return append(writer, record, BKSI_RECORD_LOG, payload_bytes);
}
