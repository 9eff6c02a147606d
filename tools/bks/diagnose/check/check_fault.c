// SPDX-License-Identifier: MIT

#include "diagnose/check/check_fault.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "diagnose/variants/variants.h"
#include "map/state_names.h"

static bool differs(const check_outcome *outcome)
{
    return outcome->result.same == CHECK_DIFFERS;
}

// ---- class of a fault ----

// Return true if an outcome may explain others: if it differs, and that is no race of the game's
// threads. Two plain runs that nothing orders explain all others, too.
static bool may_explain(const check_outcome *outcome)
{
    return differs(outcome) && outcome->by_threads != CHECK_GOES &&
           (outcome->by_threads != CHECK_VARIES || outcome->variant == &vary_baseline);
}

static const check_outcome *find_among(const check_outcome *outcomes, uint32_t count,
                                       const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (may_explain(&outcomes[i]) && strcmp(outcomes[i].variant->name, name) == 0) {
            return &outcomes[i];
        }
    }
    return NULL;
}

// Find the outcome of a variant by the variant's name. NULL: the variant was not run, or explains
// nothing.
static const check_outcome *find(const check_report *report, const char *name)
{
    if (name == NULL) {
        return NULL;
    }
    const check_outcome *chosen = find_among(report->outcomes, report->count, name);
    return chosen != NULL ? chosen : find_among(report->asked, report->asked_count, name);
}

// Description of a baseline whose step does not end.
static const check_variant hangs = {
    .name = "baseline",
    .cause = "hang",
    .advice = "the step hangs although nothing was varied: look at the line, or attach a "
              "debugger while it runs; then check the game again",
};

// Description of a baseline whose step crashes.
static const check_variant crashes = {
    .name = "baseline",
    .cause = "crash",
    .advice = "the step crashes although nothing was varied: the line below records it and "
              "prints the line that stops a debugger before that tick",
};

// Description of a game that crashes before its first step.
static const check_variant crashes_early = {
    .name = "baseline",
    .cause = "crash",
    .advice = "the game crashes before its first step, in create, init or what these call: look at "
              "the line; then check the game again",
};

// Description of a game that ends in a match of fewer players than the checked one has. The variant
// `again` steps such a match.
static const check_variant needs_more_players = {
    .name = "again",
    .cause = "crash",
    .advice = "the match beside the checked one has fewer players: if the game cannot be played by "
              "so few, set bks_game.players_min; otherwise look at the line",
};

static bool is_at_or_before(const check_finding *a, const check_finding *b)
{
    return a->tick < b->tick || (a->tick == b->tick && a->mark_index <= b->mark_index);
}

// Return true if differing addresses may have caused a finding: the variant `address` differs from
// the baseline at the same mark as the finding, or earlier.
static bool is_by_address(const check_report *report, const check_finding *found)
{
    const check_outcome *address = find(report, "address");
    if (address == NULL) {
        return false;
    }
    const check_finding *there = &address->result.found;
    const bool is_same_mark = found->mark[0] != '(' && strcmp(found->mark, there->mark) == 0;
    return is_same_mark || is_at_or_before(there, found);
}

// Description of the fault that a step uses freed memory. In the variant `defined`, valgrind
// detects this.
static const check_variant dangles = {
    .name = "defined",
    .cause = "dangling",
    .advice =
        "look for a pointer into memory that was freed, or an index beyond it; name things by "
        "index or id, and forget these when they are removed",
};

// Description of the fault that a step writes its inputs. The variant `resim` detects this.
static const check_variant writes_inputs = {
    .name = "resim",
    .cause = "inputs",
    .advice = "look for a cast that takes const away, and keep what a step makes of an input in a "
              "variable or in the state",
};

// Return true if the variant `defined` found that the game never wrote this field. The field's
// bytes are then garbage, even if they look like an address.
static bool is_unwritten(const check_report *report, const check_finding *found)
{
    const check_outcome *defined = find(report, "defined");
    const check_finding *there = defined != NULL ? &defined->result.found : NULL;
    return there != NULL && !there->uses_freed && found->object[0] != '\0' &&
           strcmp(found->object, there->object) == 0 && strcmp(found->field, there->field) == 0;
}

// Return true if a finding is an event, such as a crash, rather than bytes that differ.
static bool is_event(const check_finding *found)
{
    return found->object[0] == '\0';
}

static bool is_same_place(const check_finding *a, const check_finding *b)
{
    if (strcmp(a->mark, b->mark) != 0 || strcmp(a->object, b->object) != 0 ||
        strcmp(a->field, b->field) != 0) {
        return false;
    }
    return !is_event(a) ||
           (strcmp(a->b, b->b) == 0 && strcmp(a->written_b.function, b->written_b.function) == 0);
}

// Description of a difference that does not come if the game's threads run one after another, where
// no race is proven, or of one that comes at another place each time.
static const check_variant may_race = {
    .name = "threads",
    .cause = "unattributed",
    .advice = "the game's own threads may race: look for what two of them write, and for results "
              "taken in the order in which they are done; no other cause is named while they may",
};

// Return the description of a race of the game's threads if it explains an outcome, NULL otherwise.
static const check_variant *find_race(const check_report *report, const check_outcome *outcome)
{
    const bool is_proven = report->race.is_proven;
    switch (outcome->by_threads) {
    case CHECK_GOES:
        return is_proven ? &vary_threads : &may_race;
    case CHECK_VARIES:
        return &may_race;
    default:
        return is_proven && outcome->variant == &vary_threads ? &vary_threads : NULL;
    }
}

// Find the variant that explains why two processes differ although no variant changed either.
// @return `defined` if that variant found, at the same mark or earlier, bytes that the game never
//         wrote; else `baseline`; NULL if two such processes do not differ
static const check_outcome *by_itself(const check_report *report)
{
    const check_outcome *baseline = find(report, "baseline");
    const check_outcome *defined = find(report, "defined");
    const bool is_unwritten = baseline != NULL && defined != NULL &&
                              !defined->result.found.uses_freed &&
                              is_at_or_before(&defined->result.found, &baseline->result.found);
    return is_unwritten ? defined : baseline;
}

// Return the variant that names the class of an outcome's fault: the outcome's own variant, or
// another variant that explains the difference.
static const check_variant *blamed(const check_report *report, const check_outcome *outcome)
{
    const check_result *result = &outcome->result;
    if (result->found.is_of_baseline) {
        return !result->found.has_crashed  ? &hangs
               : result->found.is_at_start ? &crashes_early
                                           : &crashes;
    }
    if (result->found.uses_freed) {
        return &dangles;
    }
    if (result->found.is_input) {
        return &writes_inputs;
    }
    const check_variant *race = find_race(report, outcome);
    if (race != NULL && outcome->variant->compare == NULL) {
        return race;
    }
    if (result->found.is_of_fewer) {
        return &needs_more_players;
    }
    if (strcmp(result->found.mark, CHECK_MARK_BETWEEN) == 0) {
        return check_variant_find("drawn");
    }
    if (outcome->variant->compare != NULL) {
        // The variant does not compare its states with the baseline's, so no difference between two
        // processes explains its finding.
        return outcome->variant;
    }
    if (is_unwritten(report, &result->found)) {
        return check_variant_find("defined");
    }
    // If addresses are not fixed, every process has other addresses. Then a finding of the variant
    // `address` explains the findings of all other variants.
    const check_outcome *by = report->has_fixed_addresses ? NULL : find(report, "address");
    // If two processes differ that no variant changed, that explains all other findings too.
    by = by != NULL ? by : by_itself(report);
    const bool is_pointer = result->found.is_pointer && (by == NULL || !report->has_threads);
    if (is_pointer || (by == NULL && (is_by_address(report, &result->found) ||
                                      (result->has_pointers && outcome->variant->imports)))) {
        return check_variant_find("address");
    }
    for (uint32_t i = 0; i < 2 && by == NULL; i++) {
        by = find(report, outcome->variant->explained_by[i]);
    }
    return by != NULL ? by->variant : outcome->variant;
}

const char *check_fault_cause(const check_report *report, const check_outcome *outcome)
{
    return blamed(report, outcome)->cause;
}

int64_t check_fault_ticks(const check_variant *variant, bks_tick tick, int64_t ticks)
{
    // A variant that imports the state chooses the ticks of its imports by the number of ticks. So
    // repeat its check with the same number.
    return variant->imports ? ticks : (int64_t)tick + 1;
}

// ---- place of a fault ----

// Return true if the same line of the game wrote the values of both findings.
static bool is_same_line(const check_finding *a, const check_finding *b)
{
    return a->written_b.line[0] != '\0' && strcmp(a->written_b.line, b->written_b.line) == 0;
}

// Return true if a fault of this cause comes from data outside the state. The variants cannot tell
// such causes apart.
static bool is_kept_outside(const char *cause)
{
    return strcmp(cause, "hidden-state") == 0 || strcmp(cause, "prediction-leak") == 0;
}

static bool is_same_cause(const char *a, const char *b)
{
    return strcmp(a, b) == 0 || (is_kept_outside(a) && is_kept_outside(b));
}

static bool is_same_fault(const check_report *report, uint32_t a, uint32_t b)
{
    const check_outcome *one = &report->outcomes[a];
    const check_outcome *other = &report->outcomes[b];
    return differs(one) && differs(other) &&
           is_same_cause(check_fault_cause(report, one), check_fault_cause(report, other)) &&
           (is_same_place(&one->result.found, &other->result.found) ||
            is_same_line(&one->result.found, &other->result.found));
}

// Return the index of the first outcome that shows the same fault as the outcome `index`. Two
// outcomes also share a fault if each of them shares it with a third outcome.
static uint32_t first_of(const check_report *report, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++) {
        if (is_same_fault(report, i, index)) {
            return first_of(report, i);
        }
    }
    return index;
}

// ---- texts of a fault ----

const char *const check_fault_keys[FAULT_TEXTS] = {"cause",
                                                   "found_by",
                                                   "mark",
                                                   "name",
                                                   "a",
                                                   "b",
                                                   "line",
                                                   "function",
                                                   "source",
                                                   "line_why",
                                                   "baseline_line",
                                                   "baseline_function",
                                                   "baseline_source",
                                                   "note",
                                                   "next"};

// Return the advice for an outcome. If addresses are not fixed, addresses alone can make two
// processes with the unchanged game differ, so the advice names both addresses and data that is new
// in each run.
static const char *advice_of(const check_report *report, const check_outcome *outcome)
{
    const check_variant *variant = blamed(report, outcome);
    const bool is_by_either = strcmp(variant->name, "address") == 0 &&
                              !report->has_fixed_addresses && find(report, "baseline") != NULL;
    return is_by_either ? "two plain runs differ, too, and addresses are not fixed here: look for "
                          "an address that is stored, hashed, compared or sorted by (use bks_ref, "
                          "an id of a pool or an index instead), and for what is new each time: "
                          "a clock, a file, a device"
                        : variant->advice;
}

// Add to the note of a fault how its difference relates to the game's threads.
static void add_race(const check_report *report, const check_outcome *lead, check_fault *out)
{
    const check_race *race = &report->race;
    const char *between = out->note[0] != '\0' ? "; " : "";
    if (find_race(report, lead) == NULL) {
        return;
    }
    if (lead->by_threads == CHECK_VARIES) {
        TEXT_ADD(out->note,
                 "%sthe game makes threads, and nothing shows that this is not their race",
                 between);
        return;
    }
    TEXT_ADD(out->note,
             "%sthe same inputs come to several results in %" PRIu32 " of %" PRIu32
             " plain runs%s, in %" PRIu32 " of %" PRIu32 " with threads one after another",
             between, race->plain_differ, race->plain,
             race->is_held_up ? " with threads held up" : "", race->serial_differ, race->serial);
    if (!race->is_proven) {
        TEXT_ADD(out->note, ", which proves no race");
    }
}

static void take_lead(const check_report *report, const check_outcome *lead, check_fault *out)
{
    static const code_line none;
    const check_finding *found = &lead->result.found;
    const check_named named = check_finding_named(found);
    const code_line *here = named.written_b;
    const code_line *there = named.written_a;
    there = there->line[0] != '\0' && strcmp(there->line, here->line) != 0 ? there : &none;
    *out = (check_fault){
        .tick = found->tick,
        .is_crash_of_baseline = found->is_of_baseline && found->has_crashed && !found->is_at_start,
        .is_at_start = found->is_at_start,
        .ticks = check_fault_ticks(lead->variant, found->tick, report->options->ticks),
        .texts = {[FAULT_CAUSE] = check_fault_cause(report, lead),
                  [FAULT_BY] = check_outcome_name(lead),
                  [FAULT_MARK] = found->mark,
                  [FAULT_NAME] = out->name,
                  [FAULT_A] = named.a,
                  [FAULT_B] = named.b,
                  [FAULT_LINE] = here->line,
                  [FAULT_FUNCTION] = here->function,
                  [FAULT_SOURCE] = here->text,
                  [FAULT_LINE_WHY] = here->line[0] == '\0' ? here->why : "",
                  [FAULT_BASELINE_LINE] = there->line,
                  [FAULT_BASELINE_FUNCTION] = there->function,
                  [FAULT_BASELINE_SOURCE] = there->text,
                  [FAULT_NOTE] = out->note,
                  [FAULT_NEXT] = advice_of(report, lead)}};
    TEXT_SET(out->variants, "%s%s%s", lead->variant->name, lead->value != NULL ? "=" : "",
             lead->value != NULL ? lead->value : "");
    state_name_join(named.object, named.field, out->name, sizeof(out->name));
    TEXT_SET(out->note, "%s", found->note);
    add_race(report, lead, out);
}

static void take_other(const check_outcome *outcome, check_fault *out)
{
    const check_finding *found = &outcome->result.found;
    if (out->other_count < CHECK_VARIANTS_MAX) {
        out->others[out->other_count++] =
            (check_finder){.name = check_outcome_name(outcome), .tick = found->tick};
    }
    if (out->note[0] == '\0' && found->note[0] != '\0') {
        TEXT_SET(out->note, "%s: %s", outcome->variant->name, found->note);
    }
}

void check_fault_arguments(const check_report *report, const check_fault *fault,
                           check_arguments *out)
{
    const check_options *options = report->options;
    if (fault->is_crash_of_baseline) {
        check_arguments_record(options, report->players, (int64_t)fault->tick + 1, out);
    } else {
        check_arguments_write(options, options->seed, fault->ticks, fault->variants, out);
    }
}

// ---- all faults of a report ----

static bool is_of_fault(const check_report *report, uint32_t first, uint32_t index)
{
    return differs(&report->outcomes[index]) && first_of(report, index) == first;
}

static bool is_first_of_fault(const check_report *report, uint32_t index)
{
    return differs(&report->outcomes[index]) && first_of(report, index) == index;
}

// Return true if an earlier outcome has the same class and so the same advice.
static bool is_advised(const check_report *report, uint32_t index)
{
    const char *cause = check_fault_cause(report, &report->outcomes[index]);
    for (uint32_t i = 0; i < index; i++) {
        if (differs(&report->outcomes[i]) &&
            strcmp(check_fault_cause(report, &report->outcomes[i]), cause) == 0) {
            return true;
        }
    }
    return false;
}

// Choose the outcome that represents a fault in the report. Prefer an outcome with a known source
// line, then one whose own variant names the class of the fault.
static uint32_t choose_lead(const check_report *report, uint32_t first)
{
    uint32_t lead = first;
    int most = -1;
    for (uint32_t i = first; i < report->count; i++) {
        const check_outcome *outcome = &report->outcomes[i];
        const int worth = (outcome->result.found.written_b.line[0] != '\0' ? 2 : 0) +
                          (blamed(report, outcome) == outcome->variant ? 1 : 0);
        if (is_of_fault(report, first, i) && worth > most) {
            lead = i;
            most = worth;
        }
    }
    return lead;
}

bool check_fault_next(const check_report *report, uint32_t *at, check_fault *out)
{
    uint32_t first = *at;
    while (first < report->count && !is_first_of_fault(report, first)) {
        first++;
    }
    *at = first + 1;
    if (first >= report->count) {
        return false;
    }
    const uint32_t lead = choose_lead(report, first);
    take_lead(report, &report->outcomes[lead], out);
    for (uint32_t i = first; i < report->count; i++) {
        if (i != lead && is_of_fault(report, first, i)) {
            take_other(&report->outcomes[i], out);
        }
    }
    if (is_advised(report, first)) {
        out->texts[FAULT_NEXT] = "";
    }
    return true;
}
