// SPDX-License-Identifier: MIT

/// @file replay_format.h
/// The frame of a `.bks` file: the preamble, and records that carry a check of their own length, so
/// that a cut file is distinguished from a damaged one. See docs/spec/replay.md.

#ifndef BKSI_REPLAY_FORMAT_H
#define BKSI_REPLAY_FORMAT_H

#include "backstitch/replay.h"

#define BKSI_REPLAY_VERSION     2u  ///< what is written
#define BKSI_REPLAY_VERSION_MIN 1u  ///< what is read, from here on
#define BKSI_PREAMBLE_BYTES     16u ///< magic, version, check
#define BKSI_RECORD_HEAD_BYTES  12u ///< type, length, check of both
#define BKSI_RECORD_CHECK_BYTES 8u  ///< behind the payload
#define BKSI_RECORD_BYTES_MAX   ((UINT64_C(1) << 30) + (UINT64_C(1) << 26)) ///< of a payload
#define BKSI_RECORD_EXTRA_BYTES (BKSI_RECORD_HEAD_BYTES + BKSI_RECORD_CHECK_BYTES)

/// Four letters as they stand in the file.
#define BKSI_RECORD_TYPE(a, b, c, d) \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define BKSI_RECORD_HEAD  BKSI_RECORD_TYPE('H', 'E', 'A', 'D') ///< what the match is
#define BKSI_RECORD_STATE BKSI_RECORD_TYPE('S', 'T', 'A', 'T') ///< the state at tick 0
#define BKSI_RECORD_TICKS BKSI_RECORD_TYPE('T', 'I', 'C', 'K') ///< a run of confirmed ticks
#define BKSI_RECORD_DONE  BKSI_RECORD_TYPE('D', 'O', 'N', 'E') ///< the end of a complete file
// Since version 2. Without it ticks cannot be stepped again.
#define BKSI_RECORD_FACT BKSI_RECORD_TYPE('F', 'A', 'C', 'T') ///< what the outside answered
// A small letter: inputs and hashes can be read without it.
#define BKSI_RECORD_KEYFRAME  BKSI_RECORD_TYPE('k', 'e', 'y', 'f') ///< the state at a tick
#define BKSI_RECORD_INDEX     BKSI_RECORD_TYPE('i', 'n', 'd', 'x') ///< where the keyframes are
#define BKSI_RECORD_EVENT     BKSI_RECORD_TYPE('e', 'v', 'n', 't') ///< what happened
#define BKSI_RECORD_VALUES    BKSI_RECORD_TYPE('v', 'a', 'l', 's') ///< of the state, by tick
#define BKSI_RECORD_PAGES     BKSI_RECORD_TYPE('p', 'a', 'g', 's') ///< hashes of pages, by tick
#define BKSI_RECORD_MARKS     BKSI_RECORD_TYPE('m', 'a', 'r', 'k') ///< states at marks, by tick
#define BKSI_RECORD_EVIDENCE  BKSI_RECORD_TYPE('e', 'v', 'i', 'd') ///< of a state that differed
#define BKSI_RECORD_LOG       BKSI_RECORD_TYPE('m', 'l', 'o', 'g') ///< what led to it
#define BKSI_RECORD_REPAIR    BKSI_RECORD_TYPE('r', 'p', 'a', 'r') ///< a state was put right
#define BKSI_RECORD_ROLLBACKS BKSI_RECORD_TYPE('r', 'o', 'l', 'l') ///< rollbacks as they happened

/// Payload of BKSI_RECORD_DONE: ticks, whether there is a final hash, the hash; since version 2
/// the offset of the index, 0 for none.
#define BKSI_DONE_BYTES_1 13u
#define BKSI_DONE_BYTES   21u

/// Write the preamble, BKSI_PREAMBLE_BYTES.
void bksi_preamble_write(uint8_t *at);

/// @param out_version  receives BKSI_REPLAY_VERSION_MIN..BKSI_REPLAY_VERSION
/// @return BKS_OK; BKS_ERR_DAMAGED; BKS_ERR_INCOMPLETE; BKS_ERR_UNSUPPORTED (another version, or
///         no replay at all)
bks_status bksi_preamble_check(const uint8_t *bytes, size_t count, uint32_t *out_version,
                               bks_error *error);

/// Put head and check around a payload that lies at `at` + BKSI_RECORD_HEAD_BYTES.
/// @param offset  where in the file the record will begin; it enters both checks, so that a record
///                in the wrong place is found too
/// @return bytes of the whole record
size_t bksi_record_finish(uint8_t *at, uint32_t type, size_t payload_bytes, uint64_t offset);

/// How reading a record went.
typedef enum bksi_record_status {
    BKSI_RECORD_OK,
    BKSI_RECORD_END,         ///< no byte there: the file ends between two records
    BKSI_RECORD_CUT,         ///< the file ends inside it
    BKSI_RECORD_BAD_HEAD,    ///< type, length or their check is wrong
    BKSI_RECORD_BAD_PAYLOAD, ///< the payload or its check is wrong; the record is where it should
} bksi_record_status;

typedef struct bksi_record {
    uint32_t type;
    const uint8_t *payload;
    size_t payload_bytes;
    uint64_t offset; ///< of the record in the file
    uint64_t end;    ///< of what follows it
} bksi_record;

/// Read the record at `offset` of the file, which lies in `piece` or where that ends; `record` is
/// filled as far as its head could be read.
bksi_record_status bksi_record_read(const bks_replay_piece *piece, uint64_t offset,
                                    bksi_record *record);

/// The same without looking at the payload's check: to walk over records fast.
bksi_record_status bksi_record_skim(const bks_replay_piece *piece, uint64_t offset,
                                    bksi_record *record);

/// Behind damage: the next offset above `offset` where the head of a record stands.
/// @return the end of the piece when there is none
uint64_t bksi_record_find(const bks_replay_piece *piece, uint64_t offset);

/// Whether a reader may pass over records of a type that it does not know: as in PNG, one that
/// begins with a small letter.
static inline bool bksi_record_may_be_passed(uint32_t type)
{
    return (type & 0x20) != 0;
}

#endif
