// SPDX-License-Identifier: MIT

/// @file replay_evidence.h
/// The records `evid` and `mlog`. An `evid` record is evidence about a peer whose state differed;
/// its content is a list of parts. An `mlog` record has entries of the match log before the
/// difference. See docs/spec/replay.md.

#ifndef BKSI_REPLAY_EVIDENCE_H
#define BKSI_REPLAY_EVIDENCE_H

#include "backstitch/base.h"
#include "backstitch/toolkit/recording.h"

#include "base/bytes.h"
#include "replay/format/packer.h"

#define BKSI_LOG_HEAD_BYTES_MAX  20u ///< most bytes of the head of an `mlog` record: two varints
#define BKSI_LOG_ENTRY_BYTES_MIN 6u
#define BKSI_LOG_ENTRY_BYTES_MAX 24u ///< most bytes of an `mlog` entry: three bytes, three varints
#define BKSI_LOG_ENTRIES_MAX     (1u << 19) ///< most entries of all `mlog` records of a file
#define BKSI_LOG_BYTES_MAX       BKS_EVIDENCE_BYTES_MAX

/// Position among the entries of an `mlog` record, for writing and reading. Each entry is coded
/// against the previous entry.
typedef struct bksi_log_cursor {
    uint64_t time_us; ///< time of the previous log entry
    bks_tick tick;    ///< tick of the previous log entry
} bksi_log_cursor;

void bksi_log_write_head(bksi_byte_writer *writer, uint64_t time_us, uint32_t count);
/// Add an entry of the match log to the content of an `mlog` record.
void bksi_log_write(bksi_byte_writer *writer, bksi_log_cursor *cursor, const bks_log_entry *entry);

/// Read the payload of an `mlog` record without unpacking anything.
/// @param cursor  receives the position before the first entry
/// @return false when the payload is wrong
bool bksi_log_read(bksi_log_cursor *cursor, uint32_t *out_count, bksi_packed *content,
                   const uint8_t *bytes, size_t count);
/// Read the next entry of an unpacked `mlog` content. The entry may be of any kind, even an unknown
/// one.
/// @return false when the entry is wrong
bool bksi_log_next(bksi_byte_reader *content, bksi_log_cursor *cursor, bks_log_entry *entry);

#define BKSI_EVIDENCE_BLOCK_BYTES 64u
/// Most bytes of the head of an `evid` record: three varints and a byte.
#define BKSI_EVIDENCE_HEAD_BYTES_MAX 26u

/// Fields of an `evid` record before its content.
typedef struct bksi_evidence_head {
    bks_tick tick;
    uint32_t peer;
    uint64_t own_bytes;
    uint64_t peer_bytes;
} bksi_evidence_head;

void bksi_evidence_write_head(bksi_byte_writer *writer, const bksi_evidence_head *head);

/// Write a part of the content of an `evid` record. A part that does not fit sets the writer's
/// `failed`.
void bksi_evidence_write_text(bksi_byte_writer *writer, const char *text);
void bksi_evidence_write_environment(bksi_byte_writer *writer, const bks_replay_pair *pair);
/// Write a part of the evidence: the bytes of the block with the index `number` in both peers'
/// states.
/// @param own, peer  BKSI_EVIDENCE_BLOCK_BYTES each
void bksi_evidence_write_block(bksi_byte_writer *writer, uint32_t number, const uint8_t *own,
                               const uint8_t *peer);
/// Begin a part of the evidence that holds bytes of our state from `offset` on: write its head and
/// reserve `count` bytes.
/// @return address at which to put the `count` bytes; NULL when they do not fit
uint8_t *bksi_evidence_begin_state(bksi_byte_writer *writer, uint64_t offset, size_t count);
/// Begin a part of the evidence that holds hashes of the pages of our state at `tick`: write its
/// head and reserve 4 bytes for each page.
/// @return address at which to put the hashes; NULL when they do not fit
uint8_t *bksi_evidence_begin_pages(bksi_byte_writer *writer, bks_tick tick, size_t pages);

/// Read the payload of an `evid` record without unpacking anything.
/// @return false when the payload is wrong
bool bksi_evidence_read(bksi_evidence_head *head, bksi_packed *content, const uint8_t *bytes,
                        size_t count);

/// Most parts of an `evid` record, those of later versions included. Each may have a few bytes.
#define BKSI_EVIDENCE_PARTS_MAX 256u
/// Most entries of the environment, and most blocks, of an `evid` record.
#define BKSI_EVIDENCE_PARTS_OF_KIND_MAX 64u

/// Position in the unpacked content of an `evid` record.
typedef struct bksi_evidence_cursor {
    bksi_byte_reader content;
    uint32_t parts;  ///< parts read so far
    uint32_t pairs;  ///< entries of the environment read so far
    uint32_t blocks; ///< blocks read so far
} bksi_evidence_cursor;

/// Read the next part of an unpacked content, skipping parts of later versions.
/// @return false at the end of the content; false with content.failed set when the bytes are wrong
///         or the parts are too many
bool bksi_evidence_next(bksi_evidence_cursor *cursor, bks_evidence_part *part);

#endif
