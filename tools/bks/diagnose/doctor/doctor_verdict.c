// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_verdict.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/text.h"
#include "base/tool.h"
#include "diagnose/variants/variants.h"
#include "map/code_line.h"

// Complete the verdict's place: tick, mark and full name. The value that differs is already stored.
static void say_where(doctor_verdict *v, bks_tick tick, const char *mark)
{
    state_difference *value = &v->value;
    v->tick = tick;
    (void)snprintf(v->mark, sizeof(v->mark), "%s", mark);
    state_name_join(value->place.object, value->place.field, value->place.name,
                    sizeof(value->place.name));
    if (value->place.object[0] != '(') {
        value->note[0] = '\0'; // a value with a name needs no note
    }
}

bool doctor_verdict_place(doctor_case *c, bks_tick tick, const char *mark,
                          const bks_compared_state *a, const bks_compared_state *b)
{
    doctor_verdict *v = &c->verdict;
    if (!state_difference_find(&c->names, a, b, &v->value)) {
        return false;
    }
    say_where(v, tick, mark);
    return true;
}

void doctor_verdict_at_mark(doctor_case *c, bks_tick tick, const char *mark)
{
    say_where(&c->verdict, tick, mark);
}

void doctor_verdict_marks(doctor_case *c, const replay_diff_marks *marks)
{
    c->verdict.value = marks->value;
    say_where(&c->verdict, marks->tick, marks->mark);
}

bool doctor_verdict_plays(doctor_case *c, const doctor_play *a, const doctor_play *b)
{
    bks_compared_state at[2];
    for (uint32_t i = 0;; i++) {
        const char *mark_a = doctor_play_mark(a, i, &at[0]);
        const char *mark_b = doctor_play_mark(b, i, &at[1]);
        if (mark_a == NULL || mark_b == NULL || strcmp(mark_a, mark_b) != 0) {
            break;
        }
        if (doctor_verdict_place(c, c->hash_tick - 1, mark_a, &at[0], &at[1])) {
            return true;
        }
    }
    return doctor_play_state(a, DOCTOR_STATE_THERE, &at[0]) &&
           doctor_play_state(b, DOCTOR_STATE_THERE, &at[1]) &&
           doctor_verdict_place(c, c->hash_tick, CHECK_MARK_START, &at[0], &at[1]);
}

// Return true if a value has a name, as those of an enumeration do: "JUMP (3)", but not 'a' (97) or
// 1.5 (0x3fc00000).
static bool has_name(const char *value)
{
    return isalpha((unsigned char)value[0]) && strstr(value, " (") != NULL;
}

// Return true if a change wrote another named value than either side's: then other code did.
static bool writes_another(const doctor_verdict *v, const char *written)
{
    return has_name(written) && has_name(v->value.a) && has_name(v->value.b) &&
           strcmp(written, v->value.a) != 0 && strcmp(written, v->value.b) != 0;
}

// If a change wrote another value than the first in the state differently first, write that value
// into a verdict that names the latter, as it is in the states of both sides: the same one, or the
// same field of the verdict's object.
// @return true if the verdict names the value that was written differently first
static bool follow_origin(doctor_verdict *v, const check_finding *found)
{
    const check_named origin = check_finding_named(found);
    state_difference *value = &v->value;
    const bool is_of_object = strcmp(origin.object, found->object) == 0;
    const char *object = is_of_object ? value->place.object : origin.object;
    const bool names_first = strcmp(value->place.field, found->field) == 0;
    for (uint32_t i = 0; i < value->also_count && found->origin > 0 && names_first; i++) {
        if (strcmp(value->also[i].place.object, object) == 0 &&
            strcmp(value->also[i].place.field, origin.field) == 0) {
            state_difference_choose(value, i);
            return true;
        }
    }
    return strcmp(value->place.object, origin.object) == 0 &&
           strcmp(value->place.field, origin.field) == 0;
}

void doctor_verdict_line(doctor_case *c, const doctor_try *t)
{
    const check_finding *found = &t->result.found;
    doctor_verdict *v = &c->verdict;
    const check_named named =
        follow_origin(v, found) ? check_finding_named(found) : check_finding_first(found);
    const bool is_b = named.written_b->line[0] != '\0';
    const code_line *line = is_b ? named.written_b : named.written_a;
    const char *written = is_b ? named.b : named.a;
    const bool has_line = line->line[0] != '\0';
    if (has_line && writes_another(v, written)) {
        (void)snprintf(v->line_why, sizeof(v->line_why),
                       "the variant %s shows only the line that writes %.60s", t->variant->name,
                       written);
        return;
    }
    (void)snprintf(v->line, sizeof(v->line), "%s", line->line);
    (void)snprintf(v->function, sizeof(v->function), "%s", line->function);
    (void)snprintf(v->source, sizeof(v->source), "%s", line->text);
    (void)snprintf(v->line_why, sizeof(v->line_why), "%s", has_line ? "" : named.written_b->why);
}

void doctor_verdict_why_no_line(doctor_case *c)
{
    doctor_verdict *v = &c->verdict;
    const bool has_no_line = v->is_proven && strcmp(v->cause, "once") == 0;
    if (!v->is_same && !has_no_line && c->hash_tick != BKS_TICK_NONE && v->line[0] == '\0' &&
        v->line_why[0] == '\0' && v->proof.means != DOCTOR_BY_FILES) {
        (void)snprintf(v->line_why, sizeof(v->line_why),
                       "no change that was tried alters this value in the step of tick %" PRId32,
                       c->hash_tick - 1);
    }
}

// Write into the verdict the value that a change wrote differently first.
static void take_value(doctor_verdict *v, const doctor_try *t)
{
    const check_finding *found = &t->result.found;
    const check_named named = check_finding_named(found);
    const bool is_swapped = t->turned.is_same[0];
    state_difference *value = &v->value;
    *value = found->values;
    (void)snprintf(value->place.object, sizeof(value->place.object), "%s", named.object);
    (void)snprintf(value->place.field, sizeof(value->place.field), "%s", named.field);
    (void)snprintf(value->note, sizeof(value->note), "%s", found->note);
    (void)snprintf(value->a, sizeof(value->a), "%s", is_swapped ? named.b : named.a);
    (void)snprintf(value->b, sizeof(value->b), "%s", is_swapped ? named.a : named.b);
    say_where(v, found->tick, found->mark);
}

void doctor_verdict_found(doctor_case *c, const doctor_try *t)
{
    doctor_verdict *v = &c->verdict;
    // Do not replace a place with a name, which the recordings gave, by one without.
    if (t->result.found.object[0] != '\0' || v->value.place.object[0] == '\0') {
        take_value(v, t);
    }
    doctor_verdict_line(c, t);
}

void doctor_verdict_prove(doctor_case *c, const char *cause, const doctor_proof *proof)
{
    c->verdict.cause = cause;
    c->verdict.suspects[0] = '\0';
    c->verdict.is_proven = true;
    c->verdict.proof = *proof;
    c->verdict.next = doctor_advice_proven(c, cause, proof);
}

void doctor_verdict_suspect(doctor_case *c, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    TEXT_ADD(c->verdict.suspects, "%s%s", c->verdict.suspects[0] != '\0' ? "; " : "", text);
}

void doctor_verdict_leave_open(doctor_case *c)
{
    const bool is_crash = c->has_crashed && c->hash_tick == BKS_TICK_NONE;
    c->verdict.cause = c->is_diff ? NULL : is_crash ? "crash" : "unattributed";
    c->verdict.next = c->is_diff ? NULL
                      : is_crash ? "run `bks check` on the game: it names the line of a crash"
                                 : doctor_advice_open(c);
}

// ---- advice for a proven cause ----

/// Advice for each cause.
static const char *const of_causes[][2] = {
    {"inputs", "the inputs are the session's or the file's, not the game's: report it with both "
               "recordings"},
    {"initial-state", "start both sides with the same options and seed"},
    {"environment",
     "builds and inputs are equal, so look for what a step reads of its machine: data "
     "files and configuration, language, time zone, a driver or another library. "
     "What a step must know is an input, an option or a fact (bks_ask())"},
    {"hidden-state", "look for what the game keeps outside its state: static and global "
                     "variables, rand(), what save leaves out. Keep it in the state"},
    {"prediction-leak", "look for what a step writes outside the state: a wrong guess stays "
                        "there when its tick is rolled back"},
    {"once", "one bit of one machine's memory: no code of the game repeats it. Look for a "
             "write from outside the step, or test that machine's memory"},
};

/// Advice for changes that tell more about the fault than their cause does.
static const char *const of_changes[][2] = {
    {"processors", "look for work that a step divides by the number of processors or workers: "
                   "divide it by a number of the game's own, and gather results by job and index "
                   "(bks_gather_add())"},
    {"random-is", "look for a call that asks the system for random numbers: getrandom, "
                  "/dev/urandom, arc4random, rand_s. Those of a step come from the seed "
                  "(bks_random)"},
    {"clock-is", "look for a clock that a step or init reads: time(), clock_gettime(), os.time(), "
                 "std::chrono. Time in a step is step->tick; what must be the date is an option "
                 "or a fact (bks_ask())"},
    {"code-at", "look for the address of a function or of a static variable that is stored, "
                "hashed, compared or sorted by; use an index or a number of the game's own"},
    {"stack-at", "look for the address of a local variable that is stored, hashed, compared or "
                 "sorted by; use an index or a number of the game's own"},
    {"heap-at", "look for the address of what malloc or new gave that is stored, hashed, "
                "compared or sorted by; use bks_ref, an id of a pool or an index instead"},
};

static const char *find(const char *const (*texts)[2], size_t count, const char *name)
{
    for (size_t i = 0; name != NULL && i < count; i++) {
        if (strcmp(name, texts[i][0]) == 0) {
            return texts[i][1];
        }
    }
    return NULL;
}

static const char *of_uninitialised(doctor_case *c)
{
    (void)snprintf(c->advice, sizeof(c->advice),
                   "look for a variable or fresh memory that is read before it is written%s%s: "
                   "`bks check %.160s --variants defined` names the line that reads it",
                   c->unset_origin[0] != '\0' ? "; " : "", c->unset_origin, c->game_name);
    return c->advice;
}

// Name the game's own save and load: most of what such a game hides is left out there.
static void name_save(const doctor_case *c, char *save, char *load, size_t capacity)
{
    code_line_write((const void *)(uintptr_t)c->game.game->save, save, capacity);
    code_line_write((const void *)(uintptr_t)c->game.game->load, load, capacity);
}

static const char *of_hidden_state(doctor_case *c)
{
    char save[160];
    char load[160];
    name_save(c, save, load, sizeof(save));
    (void)snprintf(c->advice, sizeof(c->advice),
                   "compare what %s writes and %s reads with all that a step reads: what save "
                   "leaves out or rounds, or load leaves as it is, differs after a rollback. Then "
                   "look for static and global variables and rand()",
                   save, load);
    return c->advice;
}

const char *doctor_advice_proven(doctor_case *c, const char *cause, const doctor_proof *proof)
{
    if (strcmp(cause, "uninitialised") == 0) {
        return of_uninitialised(c);
    }
    if (strcmp(cause, "hidden-state") == 0 && c->game.game->load != NULL) {
        return of_hidden_state(c);
    }
    const size_t changes = sizeof(of_changes) / sizeof(of_changes[0]);
    const char *text = find(of_changes, changes, proof->value);
    text = text != NULL ? text : find(of_changes, changes, proof->change);
    if (text == NULL && proof->change != NULL) {
        const check_variant *variant = check_variant_find(proof->change);
        text = strcmp(variant->cause, cause) == 0 ? variant->advice : NULL;
    }
    return text != NULL ? text : find(of_causes, sizeof(of_causes) / sizeof(of_causes[0]), cause);
}

// ---- advice without a proven cause ----

static bool pass_note(void *context, uint32_t states_before, const char *text)
{
    (void)context;
    (void)states_before;
    (void)text;
    return false;
}

// Return true if the recordings hold the states at marks around the first difference.
static bool have_marks(const doctor_case *c)
{
    bool have = c->hash_tick != BKS_TICK_NONE;
    for (int s = 0; have && s < (c->has_two ? 2 : 1); s++) {
        bks_replay *replay = c->sides[s].file.replay;
        have = bks_replay_notes(replay, c->hash_tick - 1, pass_note, NULL) == BKS_OK &&
               bks_replay_notes(replay, c->hash_tick, pass_note, NULL) == BKS_OK;
    }
    tool_log_drop();
    return have;
}

static bool have_rollbacks(const doctor_case *c)
{
    bool have = true;
    for (int s = 0; s < (c->has_two ? 2 : 1); s++) {
        have = have && c->sides[s].file.info->rollback_count > 0;
    }
    return have;
}

const char *doctor_advice_not_kept(const doctor_case *c)
{
    const bool marks = !have_marks(c) && !c->sides[0].file.info->has_pointers;
    const bool rollbacks = !have_rollbacks(c);
    return marks && rollbacks ? "rollbacks,marks"
           : marks            ? "marks"
           : rollbacks        ? "rollbacks"
                              : NULL;
}

enum { ADVICE_PART_BYTES = 256, ADVICE_PARTS_MAX = 6 };

// Return true if a build that recorded a side is not given.
static bool lacks_build(const doctor_case *c)
{
    const bks_recording *a = c->sides[0].file.info;
    const char *other = c->has_two ? c->sides[1].file.info->build : c->game.build;
    return c->build == NULL && strcmp(a->build, other) != 0;
}

// Return the side of a recording whose hashes neither a play here gives nor a machine like its own
// has answered about, -1: none.
static int unanswered(const doctor_case *c)
{
    for (int s = c->has_two ? 1 : 0; s >= 0; s--) {
        if (!c->has_here[s] && !c->is_settled[s]) {
            return s;
        }
    }
    return -1;
}

void doctor_advise_machines(doctor_case *c)
{
    if (c->has_two && !c->lacks_locale && unanswered(c) >= 0) {
        c->verdict.next =
            "compare data files, configuration, language and time zone of both machines: a step or "
            "init seems to read one. To prove it, run `bks doctor --here` on each with its own "
            "recording, and give both outputs here, by --answer twice";
    }
}

static void write_step_there(const doctor_case *c, int side, char out[ADVICE_PART_BYTES])
{
    (void)snprintf(out, ADVICE_PART_BYTES,
                   "step %s on its own machine (bks doctor --here %s.bks) and give the output by "
                   "--answer",
                   c->sides[side].name, c->sides[side].name);
}

const char *doctor_advice_open(doctor_case *c)
{
    const char *keep = doctor_advice_not_kept(c);
    const int side = unanswered(c);
    char parts[ADVICE_PARTS_MAX][ADVICE_PART_BYTES];
    uint32_t count = 0;
    if (c->game.game != NULL && c->game.game->load != NULL &&
        strstr(c->verdict.suspects, "hidden-state") != NULL) {
        char save[96];
        char load[96];
        name_save(c, save, load, sizeof(save));
        (void)snprintf(parts[count++], sizeof(parts[0]),
                       "see what %s leaves out or %s leaves as it is", save, load);
    }
    if (keep != NULL) {
        (void)snprintf(parts[count++], sizeof(parts[0]), "record once more with --keep %s", keep);
    }
    if (lacks_build(c)) {
        (void)snprintf(parts[count++], sizeof(parts[0]),
                       c->has_two ? "give the other side's build by --build"
                                  : "give the build that recorded it by --build");
    }
    if (c->lacks_locale) {
        (void)snprintf(parts[count++], sizeof(parts[0]), "install the locales of both machines");
    }
    if (side >= 0 && c->hash_tick != BKS_TICK_NONE) {
        write_step_there(c, side, parts[count++]);
    }
    if (c->sensitive_to != NULL || c->is_unstepped || count == 0) {
        (void)snprintf(parts[count++], sizeof(parts[0]), "run `bks check` on the game");
    }
    c->advice_open[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        const char *between = i == 0 ? "" : i + 1 < count ? ", " : count > 2 ? ", and " : " and ";
        const size_t used = strlen(c->advice_open);
        (void)snprintf(c->advice_open + used, sizeof(c->advice_open) - used, "%s%s", between,
                       parts[i]);
    }
    return c->advice_open;
}

void doctor_advice_complete(doctor_case *c)
{
    doctor_verdict *v = &c->verdict;
    const int side = unanswered(c);
    if (v->is_proven || v->next == NULL || c->hash_tick == BKS_TICK_NONE) {
        return;
    }
    if (v->next == c->advice_open) {
        v->next = doctor_advice_open(c);
    } else if (side >= 0 && !c->varies && strstr(v->next, "--here") == NULL) {
        char step_there[ADVICE_PART_BYTES];
        write_step_there(c, side, step_there);
        (void)snprintf(c->advice_open, sizeof(c->advice_open), "%s; %s", v->next, step_there);
        v->next = c->advice_open;
    }
}

const char *doctor_advice_diff(doctor_case *c)
{
    const char *keep = doctor_advice_not_kept(c);
    const bool needs_marks =
        c->verdict.value.place.name[0] == '\0' && keep != NULL && strstr(keep, "marks") != NULL;
    (void)snprintf(c->advice, sizeof(c->advice),
                   "%s`bks doctor %.64s` with both looks for the cause",
                   needs_marks ? "record once more with --keep marks to see what differs; " : "",
                   doctor_game_name(c));
    return c->advice;
}
