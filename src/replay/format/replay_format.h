// SPDX-License-Identifier: MIT

/// @file replay_format.h
/// The frame of a `.bks` file: the preamble, and records that carry a check of their own length, so
/// that a cut file is distinguished from a damaged one. See docs/spec/replay.md.

#ifndef BKSI_REPLAY_FORMAT_H
#define BKSI_REPLAY_FORMAT_H

#include "backstitch/replay.h"

#define BKSI_REPLAY_VERSION     2u  ///< version of the format that is written
#define BKSI_REPLAY_VERSION_MIN 1u  ///< oldest version of the format that can be read
#define BKSI_PREAMBLE_BYTES     16u ///< size of a file's preamble: magic, version and check
#define BKSI_RECORD_HEAD_BYTES  12u ///< size of a record's head: type, length, and a check of both
#define BKSI_RECORD_CHECK_BYTES 8u  ///< size of the payload's check, which follows the payload
#define BKSI_RECORD_BYTES_MAX \
    ((UINT64_C(1) << 30) + (UINT64_C(1) << 26)) ///< most bytes of a record's payload
#define BKSI_RECORD_EXTRA_BYTES (BKSI_RECORD_HEAD_BYTES + BKSI_RECORD_CHECK_BYTES)

/// Type of a record: four letters, in the order of the file.
#define BKSI_RECORD_TYPE(a, b, c, d) \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define BKSI_RECORD_HEAD  BKSI_RECORD_TYPE('H', 'E', 'A', 'D') ///< record describing the match
#define BKSI_RECORD_STATE BKSI_RECORD_TYPE('S', 'T', 'A', 'T') ///< record of the first state
#define BKSI_RECORD_TICKS BKSI_RECORD_TYPE('T', 'I', 'C', 'K') ///< record of consecutive ticks
#define BKSI_RECORD_DONE  BKSI_RECORD_TYPE('D', 'O', 'N', 'E') ///< record that ends a complete file

// A FACT record exists since version 2. Without its answer the ticks cannot be stepped again.
#define BKSI_RECORD_FACT BKSI_RECORD_TYPE('F', 'A', 'C', 'T') ///< record of an answer to bks_ask()

// CMDS records exist since version 2. A tick with commands cannot be stepped again without them.
#define BKSI_RECORD_COMMANDS \
    BKSI_RECORD_TYPE('C', 'M', 'D', 'S') ///< record of the commands of a tick

// Types that begin with a small letter are optional: inputs and hashes can be read without these
// records.
#define BKSI_RECORD_KEYFRAME  BKSI_RECORD_TYPE('k', 'e', 'y', 'f') ///< record of a state to seek by
#define BKSI_RECORD_INDEX     BKSI_RECORD_TYPE('i', 'n', 'd', 'x') ///< index: offsets of records
#define BKSI_RECORD_EVENT     BKSI_RECORD_TYPE('e', 'v', 'n', 't') ///< record of a match event
#define BKSI_RECORD_VALUES    BKSI_RECORD_TYPE('v', 'a', 'l', 's') ///< record of contents of ranges
#define BKSI_RECORD_PAGES     BKSI_RECORD_TYPE('p', 'a', 'g', 's') ///< record of page hashes
#define BKSI_RECORD_MARKS     BKSI_RECORD_TYPE('m', 'a', 'r', 'k') ///< record of states at marks
#define BKSI_RECORD_EVIDENCE  BKSI_RECORD_TYPE('e', 'v', 'i', 'd') ///< record of desync evidence
#define BKSI_RECORD_LOG       BKSI_RECORD_TYPE('m', 'l', 'o', 'g') ///< record of match log entries
#define BKSI_RECORD_REPAIR    BKSI_RECORD_TYPE('r', 'p', 'a', 'r') ///< record of a state's repair
#define BKSI_RECORD_ROLLBACKS BKSI_RECORD_TYPE('r', 'o', 'l', 'l') ///< record of rollbacks

/// Size of the payload of BKSI_RECORD_DONE, in version 1 and since version 2: number of ticks, 1 if
/// there is a final hash, the hash; since version 2 also the offset of the newest index, 0 for
/// none.
#define BKSI_DONE_BYTES_1 13u
#define BKSI_DONE_BYTES   21u

/// Write the preamble of a file, BKSI_PREAMBLE_BYTES long.
void bksi_preamble_write(uint8_t *at);

/// Check the preamble of a file.
/// @param out_version  receives BKSI_REPLAY_VERSION_MIN..BKSI_REPLAY_VERSION
/// @return BKS_OK; BKS_ERR_DAMAGED; BKS_ERR_INCOMPLETE; BKS_ERR_UNSUPPORTED (another version, or
///         no replay at all)
bks_status bksi_preamble_check(const uint8_t *bytes, size_t count, uint32_t *out_version,
                               bks_error *error);

/// Write the head and the check of a record around its payload at `at` + BKSI_RECORD_HEAD_BYTES.
/// @param offset  offset of the record in the file; it enters both checks, so a record in the wrong
///                place fails its checks
/// @return bytes of the whole record
size_t bksi_record_finish(uint8_t *at, uint32_t type, size_t payload_bytes, uint64_t offset);

/// Result of reading a record.
typedef enum bksi_record_status {
    BKSI_RECORD_OK,
    BKSI_RECORD_END,         ///< the file ends at the offset, between two records
    BKSI_RECORD_CUT,         ///< the file ends within the record
    BKSI_RECORD_BAD_HEAD,    ///< the record's type or length, or their check, is wrong
    BKSI_RECORD_BAD_PAYLOAD, ///< the record's payload or its check is wrong, but not its head
} bksi_record_status;

typedef struct bksi_record {
    uint32_t type;
    const uint8_t *payload;
    size_t payload_bytes;
    uint64_t offset; ///< offset of this record in the file
    uint64_t end;    ///< offset of the next record in the file
} bksi_record;

/// Read the record at `offset` of the file. The offset must lie in `piece` or at the end of
/// `piece`. `record` is filled as far as the record's head could be read.
bksi_record_status bksi_record_read(const bks_replay_piece *piece, uint64_t offset,
                                    bksi_record *record);

/// Read a record as bksi_record_read() does, without verifying the payload's check: a fast walk
/// over records.
bksi_record_status bksi_record_skim(const bks_replay_piece *piece, uint64_t offset,
                                    bksi_record *record);

/// Find the next offset above `offset` with a valid head of a record, to continue after damage.
/// @return offset of the head; the end of the piece when there is none
uint64_t bksi_record_find(const bks_replay_piece *piece, uint64_t offset);

/// Return true if a reader may skip records of an unknown type: the type begins with a small
/// letter, as in PNG.
static inline bool bksi_record_may_be_passed(uint32_t type)
{
    return (type & 0x20) != 0;
}

#endif
