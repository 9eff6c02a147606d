// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/stop.h"
#include "base/tool.h"
#include "diagnose/diff/replay_diff_marks.h"
#include "diagnose/doctor/doctor_control.h"
#include "diagnose/doctor/doctor_machine.h"
#include "diagnose/doctor/doctor_race.h"
#include "diagnose/doctor/doctor_recorded.h"
#include "diagnose/doctor/doctor_set.h"
#include "diagnose/doctor/doctor_steps.h"
#include "diagnose/doctor/doctor_try.h"
#include "diagnose/doctor/doctor_verdict.h"
#include "diagnose/variants/variants.h"

/// States of both recordings and of this machine at the first mark that differs or, without
/// recorded marks, at the end of the step that made the difference.
typedef struct mark_states {
    const char *mark; ///< name of the mark; NULL: any mark of the step
    bks_tick tick;    ///< tick of the step
    mark_list lists[2];
    bks_compared_state here;
} mark_states;

static bool find_at_mark(const doctor_case *c, const doctor_play *straight, mark_states *m)
{
    const replay_diff_marks *marks = &c->diff.marks;
    m->mark = marks->mark;
    return marks->tick == m->tick && marks->number > 0 &&
           replay_diff_read_marks(&c->diff, m->tick, marks->number, m->lists) &&
           m->lists[0].bytes != NULL && m->lists[1].bytes != NULL &&
           doctor_play_mark(straight, marks->number - 1, &m->here) != NULL;
}

static bool find_states(const doctor_case *c, const doctor_play *straight, mark_states *m)
{
    m->tick = c->hash_tick - 1;
    bool are_found = c->has_two && find_at_mark(c, straight, m);
    if (!are_found && c->has_two && c->diff.marks.tick == BKS_TICK_NONE) {
        m->mark = NULL;
        are_found = doctor_recorded_read(c, straight, m->lists) &&
                    doctor_play_state(straight, DOCTOR_STATE_THERE, &m->here);
    }
    return are_found && m->lists[0].bytes_count == m->lists[1].bytes_count &&
           m->here.count == m->lists[0].bytes_count;
}

/// Size of an aligned word, in bytes.
enum { WORD_BYTES = 8 };

// Return true if the states of A, B and this machine are equal outside the given bytes and the
// aligned word that they begin in: one cause may write small fields side by side.
static bool are_same_outside(const mark_states *m, uint64_t offset, uint32_t count)
{
    const uint8_t *here = m->here.bytes;
    for (size_t i = 0; i < m->here.count; i++) {
        const bool is_inside =
            (i >= offset && i - offset < count) || i / WORD_BYTES == offset / WORD_BYTES;
        if (!is_inside &&
            (m->lists[0].bytes[i] != m->lists[1].bytes[i] || m->lists[0].bytes[i] != here[i])) {
            return false;
        }
    }
    return true;
}

static bool differs_at_mark(const mark_states *m, const doctor_try *t)
{
    const check_finding *found = &t->result.found;
    return t->is_run && t->result.same == CHECK_DIFFERS && found->tick == m->tick &&
           (m->mark == NULL || strcmp(found->mark, m->mark) == 0) && found->watched[0].bytes > 0 &&
           are_same_outside(m, found->watched[0].offset, found->watched[0].bytes);
}

// Return true if a change has no effect when it begins only with the step that caused the
// difference. Then it may alter the value through earlier work of the process, such as allocating
// memory.
static bool needs_earlier_steps(const doctor_try *t, const doctor_try *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].variant == t->variant && items[i].first > t->first && items[i].is_run &&
            items[i].result.same != CHECK_DIFFERS) {
            return true;
        }
    }
    return false;
}

static bool baseline_differs(const doctor_try *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].is_run && items[i].result.same == CHECK_DIFFERS &&
            strcmp(items[i].variant->name, "baseline") == 0) {
            return true;
        }
    }
    return false;
}

typedef struct choice {
    doctor_try *found;
    doctor_try *other; ///< second suspected change, of another cause than `found`; NULL: none
} choice;

static choice choose(const mark_states *m, doctor_try *items, uint32_t count,
                     bool with_earlier_steps)
{
    choice chosen = {NULL, NULL};
    for (uint32_t i = 0; i < count; i++) {
        doctor_try *t = &items[i];
        if (!differs_at_mark(m, t) ||
            (!with_earlier_steps && needs_earlier_steps(t, items, count))) {
            continue;
        }
        const bool is_other =
            chosen.found != NULL && strcmp(chosen.found->variant->cause, t->variant->cause) != 0;
        chosen.other = is_other ? t : chosen.other;
        chosen.found = chosen.found != NULL ? chosen.found : t;
    }
    return chosen;
}

static doctor_try *choose_suspect(doctor_case *c, const mark_states *m, doctor_try *items,
                                  uint32_t count)
{
    if (baseline_differs(items, count)) {
        doctor_note(c, "the plain game differs from process to process: nothing is suspected");
        return NULL;
    }
    choice chosen = choose(m, items, count, false);
    if (chosen.found == NULL) {
        chosen = choose(m, items, count, true);
    }
    if (chosen.other != NULL) {
        doctor_note(c, "both %s and %s change that value", chosen.found->variant->name,
                    chosen.other->variant->name);
        return NULL;
    }
    return chosen.found;
}

// Find the only suspected change, and add it to the evidence. A change is suspected if A, B and
// this machine differ in only one value at the first mark that differs, if the change alters that
// value there, and if no change of another cause alters it.
// @return NULL if no change is suspected, or several are
static doctor_try *find_suspect(doctor_case *c, const doctor_play *straight, doctor_try *items,
                                uint32_t count)
{
    static mark_states m;
    doctor_try *found = NULL;
    if (find_states(c, straight, &m)) {
        found = choose_suspect(c, &m, items, count);
    }
    if (found != NULL && m.mark != NULL) {
        doctor_note(
            c,
            "recorded marks: at mark %s A, B and this machine differ in one value only, and "
            "of all changes %s alone changes it",
            m.mark, found->variant->name);
    } else if (found != NULL) {
        doctor_note(c,
                    "recorded states: at tick %" PRId32
                    " A, B and this machine differ in one value only, and of all changes %s alone "
                    "changes it, at tick %" PRId32 ", mark %s",
                    c->hash_tick, found->variant->name, m.tick, found->result.found.mark);
        doctor_verdict_at_mark(c, m.tick, found->result.found.mark);
    }
    mark_list_end(&m.lists[0]);
    mark_list_end(&m.lists[1]);
    return found;
}

// Changes to try, all of them variants of `bks check`, cheap ones first. Variants that step a tick
// more often than the match did (again, resim, observed) come last.
static const char *const changes[] = {"baseline",  "build", "world",   "cpu",     "float",
                                      "undefined", "fill",  "address", "freed",   "threads",
                                      "drawn",     "again", "resim",   "observed"};
enum { CHANGES = sizeof(changes) / sizeof(changes[0]) };
_Static_assert(2 * (CHANGES + DOCTOR_MACHINE_CHANGES_MAX) <= DOCTOR_TRIES_MAX,
               "all changes are tried from two ticks on");

static void note_one(doctor_case *c, const doctor_try *t)
{
    const char *name = t->variant->name;
    const char *value = t->value != NULL ? t->value : "";
    const char *equals = t->value != NULL ? "=" : "";
    if (!t->is_run) {
        doctor_note(c, "%s%s%s: not tried: %s", name, equals, value, t->why);
        return;
    }
    const int side = t->turned.is_same[0] ? 0 : 1;
    char found[200] = "";
    if (t->result.same == CHECK_DIFFERS) {
        const check_finding *f = &t->result.found;
        char place[STATE_NAME_BYTES];
        state_name_join(f->object, f->field, place, sizeof(place));
        (void)snprintf(found, sizeof(found),
                       ", first differs at tick %" PRId32 ", mark %.40s: %.100s", f->tick, f->mark,
                       place[0] != '\0' ? place : f->b);
    }
    if (t->turned.is_same[side]) {
        doctor_note(c, "%s%s%s from tick %" PRId32 ": %s (%" PRIu32 " bits agree)%s", name, equals,
                    value, t->first, doctor_match_text(c, &t->turned), t->turned.bits[side], found);
    } else {
        doctor_note(c, "%s%s%s from tick %" PRId32 ": a third result from tick %" PRId32 " on%s",
                    name, equals, value, t->first, t->turned.wrong, found);
    }
}

// Add the result of a change to the evidence. If it changed nothing, print it only in JSON.
static void note(doctor_case *c, doctor_try *t)
{
    const bool has_differed = t->is_run && t->result.same == CHECK_DIFFERS;
    c->sensitive_to = has_differed && c->sensitive_to == NULL ? t->variant->name : c->sensitive_to;
    const bool is_of_machine = strcmp(t->variant->cause, "environment") == 0;
    c->has_other_suspects = c->has_other_suspects || (has_differed && !is_of_machine);
    c->is_drawn =
        c->is_drawn || (t->variant == &vary_drawn && t->is_run && t->result.info[0] == '\0');
    note_one(c, t);
    t->evidence = c->evidence_count - 1;
    const bool is_of_game = c->varies_plainly && !t->turned.is_same[0] && !t->turned.is_same[1];
    if (!has_differed || is_of_game) {
        doctor_note_detail(c);
    }
    if (has_differed && strcmp(t->variant->name, "baseline") == 0 && !c->varies_plainly) {
        doctor_note(c, "the plain game differs from process to process, so a change that comes to "
                       "a third result shows nothing");
        c->varies_plainly = true;
    }
}

// Try each entry of the environment in which the machines of both sides differ.
static int run_machines(doctor_case *c, const doctor_play *straight, bks_tick first,
                        doctor_tries *out)
{
    static doctor_machine_change entries[DOCTOR_MACHINE_CHANGES_MAX];
    const uint32_t count = doctor_machine_changes(c, entries);
    for (uint32_t i = 0; i < count && !stop_is_wanted(); i++) {
        doctor_try *t = &out->items[out->count];
        if (doctor_try_run(c, straight, entries[i].variant, entries[i].value, first, t) !=
            TOOL_OK) {
            return TOOL_STOPPED;
        }
        note(c, t);
        if (!t->is_run && t->variant == &vary_locale) {
            c->lacks_locale = true;
            c->evidence[t->evidence].is_detail = false;
        }
        out->count++;
    }
    return stop_is_wanted() ? TOOL_STOPPED : TOOL_OK;
}

static int run_all(doctor_case *c, const doctor_play *straight, bks_tick first, doctor_tries *out)
{
    for (size_t i = 0; i < CHANGES && !stop_is_wanted(); i++) {
        const bool is_build = strcmp(changes[i], "build") == 0;
        if (is_build && c->build == NULL) {
            continue;
        }
        doctor_try *t = &out->items[out->count];
        if (doctor_try_run(c, straight, changes[i], is_build ? c->build : NULL, first, t) !=
            TOOL_OK) {
            return TOOL_STOPPED;
        }
        note(c, t);
        out->count++;
    }
    return stop_is_wanted() ? TOOL_STOPPED : run_machines(c, straight, first, out);
}

static bool turned_by(const doctor_tries *all, const char *name)
{
    for (uint32_t i = 0; name != NULL && i < all->count; i++) {
        if (strcmp(all->items[i].variant->name, name) == 0 &&
            doctor_try_turns_into(&all->items[i]) >= 0) {
            return true;
        }
    }
    return false;
}

// Return true if the effect of a change is explained by another change that also turns the hashes
// of one side into those of the other.
static bool is_explained(const doctor_tries *all, const doctor_try *t)
{
    return turned_by(all, t->variant->explained_by[0]) ||
           turned_by(all, t->variant->explained_by[1]);
}

// Return true if the game gives a side's hashes on this machine without a change.
static bool is_plain(const doctor_tries *all, int side)
{
    for (uint32_t i = 0; i < all->count; i++) {
        if (strcmp(all->items[i].variant->name, "baseline") == 0 && all->items[i].is_run &&
            all->items[i].plain.is_same[side] && all->items[i].turned.is_same[side]) {
            return true;
        }
    }
    return false;
}

// Find the change under which this machine gets the hashes of one side, while without a change it
// gets those of the other side.
// @return the first such change; NULL if there is none, or if there are several with different
//         causes
static doctor_try *find_cause(doctor_case *c, doctor_tries *all)
{
    doctor_try *found = NULL;
    bool has[2] = {is_plain(all, 0), is_plain(all, 1)};
    for (uint32_t i = 0; i < all->count; i++) {
        doctor_try *t = &all->items[i];
        const int side = doctor_try_turns_into(t);
        if (side < 0 || is_explained(all, t)) {
            continue;
        }
        if (found != NULL && strcmp(found->variant->cause, t->variant->cause) != 0) {
            doctor_note(c, "changes of several causes give that result (%s, %s): none is proven",
                        found->variant->name, t->variant->name);
            return NULL;
        }
        has[side] = true;
        found = found != NULL ? found : t;
    }
    if (found != NULL && (!has[0] || !has[1])) {
        doctor_note(c,
                    "%s gives one of the two hashes, but nothing here gives the other: not proven",
                    found->variant->name);
        return NULL;
    }
    return found != NULL && strcmp(found->variant->name, "baseline") != 0 ? found : NULL;
}

// ---- suspected changes ----

static bool differs(const doctor_try *t)
{
    return t->is_run && t->result.same == CHECK_DIFFERS;
}

static bool differs_by(const doctor_tries *all, const char *name)
{
    for (uint32_t i = 0; name != NULL && i < all->count; i++) {
        if (strcmp(all->items[i].variant->name, name) == 0 && differs(&all->items[i])) {
            return true;
        }
    }
    return false;
}

// Add a word to a list, unless the list contains it.
static void list(char *out, size_t capacity, const char *between, const char *word)
{
    const size_t used = strlen(out);
    if (strstr(out, word) == NULL) {
        (void)snprintf(out + used, capacity - used, "%s%s", used > 0 ? between : "", word);
    }
}

// Return true if recorded states of A and B differ in some bytes too.
static bool both_differ(const mark_list lists[2], uint64_t offset, uint32_t count)
{
    return lists[0].bytes_count == lists[1].bytes_count && count > 0 &&
           offset + count <= lists[0].bytes_count &&
           memcmp(lists[0].bytes + offset, lists[1].bytes + offset, count) != 0;
}

// Name the value that a change alters at a mark within the step, and the mark, if A and B differ in
// that value at the end of the step, too. A value that lies before it in memory may only follow
// from it.
static void take_mark_within(doctor_case *c, const doctor_play *straight, const doctor_try *t)
{
    const check_finding *found = &t->result.found;
    static mark_list lists[2];
    const bool is_within = found->tick == c->hash_tick - 1 && c->verdict.tick == c->hash_tick &&
                           strcmp(found->mark, CHECK_MARK_START) != 0;
    if (is_within && doctor_recorded_read(c, straight, lists) &&
        both_differ(lists, found->watched[0].offset, found->watched[0].bytes)) {
        // With equal bytes before it, it differs first.
        memcpy(lists[0].bytes, lists[1].bytes, (size_t)found->watched[0].offset);
        const bks_compared_state a = {.bytes = lists[0].bytes, .count = lists[0].bytes_count};
        const bks_compared_state b = {.bytes = lists[1].bytes, .count = lists[1].bytes_count};
        (void)doctor_verdict_place(c, found->tick, found->mark, &a, &b);
    }
    mark_list_end(&lists[0]);
    mark_list_end(&lists[1]);
}

// List all changes that make any difference as suspects. If one of them changes the value in which
// the sides differ, store the source line that wrote it, too.
static void suspect_all(doctor_case *c, const doctor_play *straight, doctor_tries *all)
{
    doctor_verdict *v = &c->verdict;
    char causes[96] = "";
    char names[96] = "";
    if (differs_by(all, "baseline")) {
        return; // even two processes without a change differ
    }
    for (uint32_t i = 0; i < all->count; i++) {
        doctor_try *t = &all->items[i];
        if (!differs(t)) {
            continue;
        }
        list(names, sizeof(names), ", ", t->variant->name);
        if (differs_by(all, t->variant->explained_by[0]) ||
            differs_by(all, t->variant->explained_by[1])) {
            continue;
        }
        list(causes, sizeof(causes), " or ",
             doctor_race_explains(c, straight, t) ? "threads" : t->variant->cause);
        take_mark_within(c, straight, t);
        if (v->line[0] == '\0' && t->result.found.tick == c->hash_tick - 1 &&
            strcmp(v->value.place.object, t->result.found.object) == 0 &&
            strcmp(v->value.place.field, t->result.found.field) == 0) {
            (void)doctor_try_line(c, straight, t);
            doctor_verdict_line(c, t);
        }
    }
    if (causes[0] != '\0') {
        doctor_verdict_suspect(
            c, "%s, not proven: of all changes tried only %s made any difference", causes, names);
    }
    if (strcmp(causes, "environment") == 0) {
        doctor_advise_machines(c);
    }
}

// Name the suspected changes. If only one is suspected, try to prove it: find two values of the
// quantity that it varies, one that gives the state of A and one that gives the state of B.
// @return true if a cause is proven
static bool suspect(doctor_case *c, const doctor_play *straight, doctor_tries *all)
{
    doctor_verdict *v = &c->verdict;
    doctor_try *suspected = find_suspect(c, straight, all->items, all->count);
    if (suspected == NULL) {
        suspect_all(c, straight, all);
        return false;
    }
    (void)doctor_try_line(c, straight, suspected);
    doctor_verdict_line(c, suspected);
    if (doctor_race_explains(c, straight, suspected)) {
        v->next = vary_threads.advice;
        doctor_verdict_suspect(c,
                               "threads, not proven: %s alone gives the value that differs "
                               "another, and does not with the game's threads one after another",
                               suspected->variant->name);
        return false;
    }
    v->next = suspected->variant->advice;
    if (doctor_set_prove(c, straight, suspected)) {
        return true;
    }
    if (suspected->variant == &vary_world) {
        doctor_advise_machines(c);
    }
    doctor_verdict_suspect(c,
                           "%s, not proven: of all changes %s alone gives the value that differs "
                           "another, but neither side's",
                           suspected->variant->cause, suspected->variant->name);
    return false;
}

// ---- narrowing a change to one of its parts ----

// Try whether changing only the number of processors has the same effect as the variant `threads`.
// @return the narrowest change with the effect
static doctor_try *narrow(doctor_case *c, const doctor_play *straight, doctor_try *found)
{
    static doctor_try t;
    if (strcmp(found->variant->name, "threads") != 0 ||
        doctor_try_run(c, straight, "threads", VARY_THREADS_PROCESSORS, found->first, &t) !=
            TOOL_OK) {
        return found;
    }
    note(c, &t);
    return doctor_try_turns_into(&t) == doctor_try_turns_into(found) ? &t : found;
}

bool doctor_proof_variants(doctor_case *c, const doctor_play *straight)
{
    static doctor_tries all;
    const uint32_t first_evidence = c->evidence_count;
    all.count = 0;
    const char *cause = NULL;
    int status = run_all(c, straight, c->first, &all);
    doctor_try *found = status == TOOL_OK ? find_cause(c, &all) : NULL;
    if (status == TOOL_OK && found == NULL && c->hash_tick - 1 > c->first) {
        status = run_all(c, straight, c->hash_tick - 1, &all);
        found = status == TOOL_OK ? find_cause(c, &all) : NULL;
    }
    if (found != NULL) {
        found = narrow(c, straight, found);
        found = doctor_control_survived(c, straight, &all, found, &cause) ? found : NULL;
    }
    if (found != NULL) {
        doctor_verdict_found(c, found);
        const doctor_proof proof = {.means = DOCTOR_BY_CHANGE,
                                    .turns = doctor_try_turns_into(found),
                                    .change = found->variant->name,
                                    .value = found->value,
                                    .first = found->first};
        doctor_verdict_prove(c, cause, &proof);
        doctor_note_proof(c, found->evidence, first_evidence);
        return true;
    }
    const bool is_set = status == TOOL_OK &&
                        (doctor_race_prove(c, straight, &all) ||
                         doctor_machine_prove(c, straight, &all) || suspect(c, straight, &all));
    if (is_set) {
        doctor_note_proof(c, c->evidence_count - 1, first_evidence);
    }
    return is_set;
}
