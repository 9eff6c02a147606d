// SPDX-License-Identifier: MIT

/// @file check_fault.h Faults of a game. Several variants may find the same fault: their findings
/// have the same class and the same place.

#ifndef BKS_TOOL_CHECK_FAULT_H
#define BKS_TOOL_CHECK_FAULT_H

#include "diagnose/check/check_run.h"
#include "diagnose/check/check_text.h"
#include "diagnose/processes/check_imports.h"

/// Relation of a difference to the threads that the game makes.
typedef enum check_by_threads {
    CHECK_NOT_TRIED =
        0,            ///< not tried with threads one after another, as for a game without threads
    CHECK_STAYS = 1,  ///< the same with threads one after another, in several runs
    CHECK_GOES = 2,   ///< not found then, or a value in which runs without a change differ, too
    CHECK_VARIES = 3, ///< perhaps a race: nothing orders these threads, or time was up
} check_by_threads;

/// A variant and its result.
typedef struct check_outcome {
    const check_variant *variant;
    const char *value; ///< value that the user gave the variant, as in NAME=VALUE; NULL: none
    check_result result;
    check_by_threads by_threads;
} check_outcome;

/// Runs without a change that show whether the game's threads race. All are 0 if the game makes no
/// threads, or nothing differs.
typedef struct check_race {
    uint32_t plain;         ///< runs with the threads as they come
    uint32_t plain_differ;  ///< those of them that differ from their baseline
    uint32_t serial;        ///< runs with the threads one after another
    uint32_t serial_differ; ///< those of them that differ from their baseline
    bool is_held_up;        ///< true: the threads of the plain runs were held up
    bool is_proven;         ///< true: only a race makes these numbers likely
} check_race;

/// Return the name of the process in which the finding was made: the name of the variant, or
/// "baseline".
static inline const char *check_outcome_name(const check_outcome *outcome)
{
    return outcome->result.found.is_of_baseline ? "baseline" : outcome->variant->name;
}

/// Everything that a check reports.
typedef struct check_report {
    const check_options *options;
    const char *game;
    bool has_hash; ///< true if the game has a hash function of its own
    uint32_t players;
    check_imports imports;
    /// Reason why the types of the state are unknown, "" if they are known.
    const char *no_types;
    /// True if processes have fixed addresses unless a variant moves them.
    bool has_fixed_addresses;
    check_log log;        ///< log of the first baseline that logged anything
    uint32_t asked_count; ///< number of outcomes in `asked`
    /// Outcomes of variants that the user did not choose, run to find a cause.
    check_outcome asked[2];
    bool has_threads; ///< true if the game makes threads
    check_race race;
    uint32_t count; ///< number of chosen variants that were run
    /// Number of variants that the user chose; the last may not have been run.
    uint32_t chosen;
    check_outcome *outcomes;
    bool is_stopped; ///< true if Ctrl-C or another signal came before all variants were run
} check_report;

/// Another variant that found a fault.
typedef struct check_finder {
    const char *name;
    bks_tick tick; ///< tick at which this variant found the fault
} check_finder;

/// Texts of a fault, in the order of their keys in JSON.
enum {
    FAULT_CAUSE, ///< class of the fault
    FAULT_BY,    ///< name of the variant whose finding the other texts describe
    FAULT_MARK,
    FAULT_NAME,     ///< name of the value that differs, such as shots[3].x
    FAULT_A,        ///< value of the differing field in the baseline
    FAULT_B,        ///< value of the differing field in the variant
    FAULT_LINE,     ///< line of source at which the variant wrote the value
    FAULT_FUNCTION, ///< function that contains the line in FAULT_LINE
    FAULT_SOURCE,   ///< source text of the line in FAULT_LINE
    FAULT_LINE_WHY, ///< reason why FAULT_LINE is not known
    /// Source line at which the baseline wrote the value; empty if it is FAULT_LINE.
    FAULT_BASELINE_LINE,
    FAULT_BASELINE_FUNCTION,
    FAULT_BASELINE_SOURCE,
    FAULT_NOTE,
    FAULT_NEXT, ///< advice on where to look; empty if an earlier fault has the same advice
    FAULT_TEXTS
};
extern const char *const check_fault_keys[FAULT_TEXTS];

/// Texts and numbers of one fault. Do not copy the struct, because its texts may point into it.
typedef struct check_fault {
    const char *texts[FAULT_TEXTS]; ///< texts by FAULT_CAUSE to FAULT_NEXT, empty if not known
    check_finder others[CHECK_VARIANTS_MAX];
    uint32_t other_count;
    bks_tick tick;
    bool is_crash_of_baseline; ///< true if a step of the baseline crashes
    bool is_at_start;          ///< true if the baseline ends before its first step
    int64_t ticks;             ///< value of --ticks that finds the fault again
    char variants[512];        ///< value of --variants that finds the fault again
    char name[288];
    char note[640];
} check_fault;

/// Return the class of the fault that an outcome shows: the class of the outcome's own variant, or
/// of another variant that explains the difference.
const char *check_fault_cause(const check_report *report, const check_outcome *outcome);

/// Return the number of ticks that a check must step to find a difference again.
/// @param tick   tick of the difference
/// @param ticks  number of ticks of the check that found it
int64_t check_fault_ticks(const check_variant *variant, bks_tick tick, int64_t ticks);

/// Find the next fault of a report.
/// @param at  index of the outcome to begin with, 0 at first; receives the index to continue with
/// @return false if there are no more faults
bool check_fault_next(const check_report *report, uint32_t *at, check_fault *out);

/// Write the command that shows a fault again. The options in `report` must outlive `out`.
void check_fault_arguments(const check_report *report, const check_fault *fault,
                           check_arguments *out);

#endif
