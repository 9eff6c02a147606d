// SPDX-License-Identifier: MIT

/// @file replay_fact.h
/// The record FACT: what the outside answered to a step. See docs/spec/replay.md.

#ifndef BKSI_REPLAY_FACT_H
#define BKSI_REPLAY_FACT_H

#include "replay/format/replay_format.h"

/// Payload before the answer: tick, question.
#define BKSI_FACT_HEAD_BYTES 8u

/// Where an answer stands.
typedef struct bksi_fact_place {
    uint64_t offset; ///< of its bytes in the file
    bks_tick tick;
    uint32_t question;
    uint32_t count; ///< its bytes
} bksi_fact_place;

/// Read a record.
/// @return false when it holds what it cannot
bool bksi_fact_read(bksi_fact_place *fact, const bksi_record *record);

#endif
