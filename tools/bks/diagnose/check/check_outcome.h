// SPDX-License-Identifier: MIT

/// @file check_outcome.h
/// What a check came to.

#ifndef BKS_TOOL_CHECK_OUTCOME_H
#define BKS_TOOL_CHECK_OUTCOME_H

#include "diagnose/processes/check_imports.h"
#include "diagnose/processes/check_log.h"
#include "diagnose/processes/check_parts.h"

/// One variant and what came of it.
typedef struct check_outcome {
    const check_variant *variant;
    const char *value; ///< behind its name, NULL: none
    check_result result;
} check_outcome;

/// Name of what differs: the variant, or "baseline".
static inline const char *check_outcome_name(const check_outcome *outcome)
{
    return outcome->result.found.is_of_baseline ? "baseline" : outcome->variant->name;
}

/// All of a check.
typedef struct check_report {
    const check_options *options;
    const char *game;
    bool has_hash; ///< the game has one of its own
    uint32_t players;
    check_imports imports;
    const char *no_types;     ///< why no types of the state are known, "": they are
    bool has_fixed_addresses; ///< of all processes but those that are to lie elsewhere
    check_log log;            ///< of the first baseline that wrote any
    uint32_t asked_count;     ///< of variants that were not chosen
    check_outcome asked[2];   ///< but asked, to find a cause
    uint32_t count;           ///< of outcomes
    const check_outcome *outcomes;
    bool is_stopped;                      ///< by Ctrl-C or its kin, before all were run
    uint32_t left_count;                  ///< of variants that were not run
    const char *left[CHECK_VARIANTS_MAX]; ///< their names
} check_report;

#endif
