// SPDX-License-Identifier: MIT

/// @file replay_repair.h
/// The record `rpar`: a peer's state that was not that of the others, and was put right. See
/// docs/spec/replay.md.

#ifndef BKSI_REPLAY_REPAIR_H
#define BKSI_REPLAY_REPAIR_H

#include "backstitch/record.h"

#define BKSI_REPAIR_FIXED_BYTES_MAX 32u ///< of the payload, before the hashes
#define BKSI_REPAIR_HASH_BYTES_MAX  13u ///< of each hash
#define BKSI_REPAIR_BYTES_MAX \
    (BKSI_REPAIR_FIXED_BYTES_MAX + BKS_REPLAY_AGREED_MAX * BKSI_REPAIR_HASH_BYTES_MAX)

/// @param agreed  repair->agreed_count of them
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT when a value is out of its range
bks_status bksi_repair_check(const bks_replay_repair *repair, const bks_replay_agreed *agreed,
                             const char *call);

/// Write the payload of a repair that passed the check.
/// @param out  BKSI_REPAIR_BYTES_MAX
/// @return its bytes
size_t bksi_repair_write(uint8_t *out, const bks_replay_repair *repair,
                         const bks_replay_agreed *agreed);

/// Read the payload.
/// @param agreed  BKS_REPLAY_AGREED_MAX, receives repair->agreed_count of them
/// @return false when the bytes are wrong
bool bksi_repair_read(bks_replay_repair *repair, bks_replay_agreed *agreed, const uint8_t *bytes,
                      size_t count);

#endif
