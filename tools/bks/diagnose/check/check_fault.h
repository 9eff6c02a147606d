// SPDX-License-Identifier: MIT

/// @file check_fault.h
/// Faults of a game. Findings of several variants of the same class at the same place are one
/// fault.

#ifndef BKS_TOOL_CHECK_FAULT_H
#define BKS_TOOL_CHECK_FAULT_H

#include "diagnose/check/check_run.h"
#include "diagnose/check/check_text.h"
#include "diagnose/processes/check_imports.h"

/// A variant and its result.
typedef struct check_outcome {
    const check_variant *variant;
    const char *value; ///< value behind its name, NULL: none
    check_result result;
} check_outcome;

/// Return the name of the process that the finding is about: the variant, or "baseline".
static inline const char *check_outcome_name(const check_outcome *outcome)
{
    return outcome->result.found.is_of_baseline ? "baseline" : outcome->variant->name;
}

/// Everything that a check reports.
typedef struct check_report {
    const check_options *options;
    const char *game;
    bool has_hash; ///< the game has a hash function of its own
    uint32_t players;
    check_imports imports;
    const char *no_types;     ///< why no types of the state are known, "" if they are
    bool has_fixed_addresses; ///< processes have fixed addresses unless a variant moves them
    check_log log;            ///< log of the first baseline that wrote any
    uint32_t asked_count;     ///< variants in `asked`
    check_outcome asked[2];   ///< variants that were not chosen but run to find a cause
    uint32_t count;           ///< variants that were run
    uint32_t chosen;          ///< variants that were chosen; the last of them may not have been run
    check_outcome *outcomes;
    bool is_stopped; ///< Ctrl-C or a signal came before all variants were run
} check_report;

/// Another variant that found a fault.
typedef struct check_finder {
    const char *name;
    bks_tick tick; ///< tick of its finding
} check_finder;

/// Texts of a fault, in the order of their keys in JSON.
enum {
    FAULT_CAUSE, ///< class of the fault
    FAULT_BY,    ///< variant that the other texts are from
    FAULT_MARK,
    FAULT_NAME,          ///< name of what differs, such as "shots[3].x"
    FAULT_A,             ///< value of the baseline
    FAULT_B,             ///< value of the variant
    FAULT_LINE,          ///< line at which the variant wrote it
    FAULT_FUNCTION,      ///< function of that line
    FAULT_SOURCE,        ///< text of the line
    FAULT_LINE_WHY,      ///< why no line is known
    FAULT_BASELINE_LINE, ///< line at which the baseline wrote it, if it is another one
    FAULT_BASELINE_FUNCTION,
    FAULT_BASELINE_SOURCE,
    FAULT_NOTE,
    FAULT_NEXT, ///< advice; empty if an earlier fault has the same
    FAULT_TEXTS
};
extern const char *const check_fault_keys[FAULT_TEXTS];

/// Texts and numbers of one fault. Do not copy it: texts may point into it.
typedef struct check_fault {
    const char *texts[FAULT_TEXTS]; ///< empty where they are not known
    check_finder others[CHECK_VARIANTS_MAX];
    uint32_t other_count;
    bks_tick tick;
    bool is_crash_of_baseline;
    int64_t ticks;      ///< value of --ticks that finds the fault again
    char variants[512]; ///< value of --variants that finds the fault again
    char name[288];
    char note[640];
} check_fault;

/// Return the class of the fault that an outcome shows: that of its variant, or of another variant
/// that explains the difference.
const char *check_fault_cause(const check_report *report, const check_outcome *outcome);

/// Return the ticks that a check needs to find a difference again.
/// @param tick   tick of the difference
/// @param ticks  ticks of the check that found it
int64_t check_fault_ticks(const check_variant *variant, bks_tick tick, int64_t ticks);

/// Find the next fault of a report.
/// @param at  outcome to begin with, 0 at first; receives where to continue
/// @return false: there are no more faults
bool check_fault_next(const check_report *report, uint32_t *at, check_fault *out);

/// Write the command that shows a fault again. The report's options must outlive it.
void check_fault_arguments(const check_report *report, const check_fault *fault,
                           check_arguments *out);

#endif
