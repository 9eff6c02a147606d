// SPDX-License-Identifier: MIT

/// @file replay_log.h
/// The record `mlog`: entries of a peer's log, one behind the other. See docs/spec/replay.md.

#ifndef BKSI_REPLAY_LOG_H
#define BKSI_REPLAY_LOG_H

#include "backstitch/toolkit/recording.h"
#include "replay/format/replay_pack.h"

#define BKSI_LOG_HEAD_BYTES_MAX  20u ///< two varints
#define BKSI_LOG_ENTRY_BYTES_MIN 6u
#define BKSI_LOG_ENTRY_BYTES_MAX 24u ///< three bytes and three varints
#define BKSI_LOG_BYTES_MAX       BKS_EVIDENCE_BYTES_MAX

/// Goes over the entries of a record, to write or to read them: each continues from the one before.
typedef struct bksi_log_cursor {
    uint64_t time_us; ///< of the entry before
    bks_tick tick;    ///< likewise
} bksi_log_cursor;

void bksi_log_write_head(bksi_byte_writer *writer, uint64_t time_us, uint32_t count);
/// Add an entry to the content.
void bksi_log_write(bksi_byte_writer *writer, bksi_log_cursor *cursor, const bks_log_entry *entry);

/// Read the payload without unpacking anything.
/// @param cursor  receives where its content begins
/// @return false when it is wrong
bool bksi_log_read(bksi_log_cursor *cursor, uint32_t *out_count, bksi_packed *content,
                   const uint8_t *bytes, size_t count);
/// The next entry of an unpacked content, of any kind.
/// @return false when it is wrong
bool bksi_log_next(bksi_byte_reader *content, bksi_log_cursor *cursor, bks_log_entry *entry);

#endif
