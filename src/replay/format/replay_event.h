// SPDX-License-Identifier: MIT

/// @file replay_event.h
/// The record `evnt`: one event of the match. See docs/spec/replay.md.

#ifndef BKSI_REPLAY_EVENT_H
#define BKSI_REPLAY_EVENT_H

#include "backstitch/record.h"

#include "replay/format/replay_format.h"

#define BKSI_REPAIR_FIXED_BYTES_MAX 32u ///< most bytes of a repair's payload before the hashes
#define BKSI_REPAIR_HASH_BYTES_MAX  13u ///< most bytes of each hash in a repair's payload
#define BKSI_REPAIR_BYTES_MAX \
    (BKSI_REPAIR_FIXED_BYTES_MAX + BKS_REPLAY_AGREED_MAX * BKSI_REPAIR_HASH_BYTES_MAX)

/// Check a repair.
/// @param agreed  repair->agreed_count hashes on which the peers agreed
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT when a value is out of its range
bks_status bksi_repair_check(const bks_replay_repair *repair, const bks_replay_agreed *agreed,
                             const char *call);

/// Write the payload of a repair that passed the check.
/// @param out  room for BKSI_REPAIR_BYTES_MAX bytes
/// @return bytes of the payload
size_t bksi_repair_write(uint8_t *out, const bks_replay_repair *repair,
                         const bks_replay_agreed *agreed);

/// Read the payload of a repair.
/// @param agreed  room for BKS_REPLAY_AGREED_MAX hashes; receives repair->agreed_count of them
/// @return false when the bytes are wrong
bool bksi_repair_read(bks_replay_repair *repair, bks_replay_agreed *agreed, const uint8_t *bytes,
                      size_t count);

#define BKSI_EVENT_BYTES_MAX 160u ///< most bytes of an event's payload

/// Check an event.
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT when a value is out of its range
bks_status bksi_event_check(const bks_replay_event *event, const char *call);

/// Write the payload of an event that passed the check.
/// @param out  room for BKSI_EVENT_BYTES_MAX bytes
/// @return bytes of the payload
size_t bksi_event_write(uint8_t *out, const bks_replay_event *event);

/// Result of reading the payload of an event.
typedef enum bksi_event_status {
    BKSI_EVENT_OK,
    BKSI_EVENT_UNKNOWN, ///< the kind of the event is known to later versions only
    BKSI_EVENT_WRONG,
} bksi_event_status;

/// Read the payload of an event.
bksi_event_status bksi_event_read(bks_replay_event *event, const uint8_t *bytes, size_t count);

/// Bytes of a FACT record's payload before the answer: tick, question.
#define BKSI_FACT_HEAD_BYTES 8u

/// Place in a file of a fact (FACT record): the recorded answer to a question of a step.
typedef struct bksi_fact_place {
    uint64_t offset; ///< offset of the answer's bytes in the file
    bks_tick tick;
    uint32_t question;
    uint32_t count; ///< bytes of the answer
} bksi_fact_place;

/// Read a FACT record.
/// @return false when the bytes are wrong
bool bksi_fact_read(bksi_fact_place *fact, const bksi_record *record);

#endif
