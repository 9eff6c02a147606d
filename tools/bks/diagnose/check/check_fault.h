// SPDX-License-Identifier: MIT

/// @file check_fault.h
/// Faults of a game: what several variants find at the same place, and of the same class, is one.

#ifndef BKS_TOOL_CHECK_FAULT_H
#define BKS_TOOL_CHECK_FAULT_H

#include "diagnose/check/check_run.h"
#include "diagnose/check/check_words.h"
#include "diagnose/processes/check_imports.h"

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
    uint32_t count;           ///< of outcomes that are known
    uint32_t chosen;          ///< outcomes that are to be known, those not run behind the others
    check_outcome *outcomes;
    bool is_stopped; ///< by Ctrl-C or its kin, before all were run
} check_report;

/// Another variant that found a fault.
typedef struct check_finder {
    const char *name;
    bks_tick tick; ///< at which it did
} check_finder;

/// Texts of a fault, in the order of their keys in JSON.
enum {
    FAULT_CAUSE, ///< class of the fault
    FAULT_BY,    ///< the variant that the rest is of
    FAULT_MARK,
    FAULT_NAME,          ///< of what differs, such as "shots[3].x"
    FAULT_A,             ///< of the baseline
    FAULT_B,             ///< of the variant
    FAULT_LINE,          ///< where the variant wrote it
    FAULT_FUNCTION,      ///< that the line is in
    FAULT_SOURCE,        ///< text of the line
    FAULT_LINE_WHY,      ///< why no line is known
    FAULT_BASELINE_LINE, ///< where the baseline wrote it, when that is another line
    FAULT_BASELINE_FUNCTION,
    FAULT_BASELINE_SOURCE,
    FAULT_NOTE,
    FAULT_NEXT, ///< what to do; empty: a fault before says it
    FAULT_TEXTS
};
extern const char *const check_fault_keys[FAULT_TEXTS];

/// One fault, as people read it. It may point into itself, so it is never copied.
typedef struct check_fault {
    const char *texts[FAULT_TEXTS]; ///< empty where they are not known
    check_finder others[CHECK_VARIANTS_MAX];
    uint32_t other_count;
    bks_tick tick;
    bool is_crash_of_baseline;
    int64_t ticks;      ///< for --ticks, to find it again
    char variants[512]; ///< the same for --variants
    char name[288];
    char note[640];
} check_fault;

/// Class of the fault that an outcome shows: of its variant, or of the one that explains it.
const char *check_fault_cause(const check_report *report, const check_outcome *outcome);

/// Ticks of a check that comes to the same difference.
/// @param tick   of the difference
/// @param ticks  of the check that found it
int64_t check_fault_ticks(const check_variant *variant, bks_tick tick, int64_t ticks);

/// The next fault of a report.
/// @param at  which outcome to look at first, 0 at the beginning; receives where to continue
/// @return whether there is one
bool check_fault_next(const check_report *report, uint32_t *at, check_fault *out);

/// The command that shows a fault again. The report's options must outlive the words.
void check_fault_words(const check_report *report, const check_fault *fault, check_words *out);

#endif
