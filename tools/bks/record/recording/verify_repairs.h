// SPDX-License-Identifier: MIT

/// @file verify_repairs.h
/// What verifying a recording says of the spans that were wrong until its peer was repaired.

#ifndef BKS_TOOL_VERIFY_REPAIRS_H
#define BKS_TOOL_VERIFY_REPAIRS_H

#include "base/json.h"
#include "record/recording/replay_file.h"

enum { VERIFY_REPAIRS_MAX = 16 };

/// The spans among the ticks that were verified.
typedef struct verify_repairs {
    uint32_t count; ///< all of them
    bks_replay_repair first[VERIFY_REPAIRS_MAX];
} verify_repairs;

/// @param from, until  ticks that were verified, both included
void verify_repairs_take(const replay_file *file, bks_tick from, bks_tick until,
                         verify_repairs *out);

/// Print a line for each.
void verify_repairs_print(const char *path, const verify_repairs *repairs,
                          const bks_verify_result *result);

/// Write the keys "repairs", "repaired" and "repeated".
void verify_repairs_json(json *j, const verify_repairs *repairs, const bks_verify_result *result);

#endif
