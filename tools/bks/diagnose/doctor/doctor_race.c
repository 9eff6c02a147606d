// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_race.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/stop.h"
#include "base/tool.h"
#include "diagnose/check/check_race.h"
#include "diagnose/doctor/doctor_calls.h"
#include "diagnose/doctor/doctor_verdict.h"
#include "diagnose/variants/variants.h"

static bool differs(const doctor_try *t, const char *cause)
{
    return t->is_run && t->result.same == CHECK_DIFFERS && strcmp(t->variant->cause, cause) == 0;
}

// Return true if a change alters the value in which the sides differ, in the step after which they
// do; if that value is not recorded, any value.
static bool alters_it(const doctor_case *c, const doctor_try *t)
{
    const check_finding *found = &t->result.found;
    const bks_map_place *place = &c->verdict.value.place;
    const bool is_known = place->object[0] != '\0';
    return found->tick == c->hash_tick - 1 &&
           (!is_known ||
            (strcmp(found->object, place->object) == 0 && strcmp(found->field, place->field) == 0));
}

// Return the name of a change of another cause that alters the value, too, NULL if none does. If
// two plain processes differ, every change does, and only the controls tell.
static const char *find_other(const doctor_case *c, const doctor_tries *all, bool *varies)
{
    const char *name = NULL;
    *varies = false;
    for (uint32_t i = 0; i < all->count; i++) {
        const doctor_try *t = &all->items[i];
        *varies = *varies || differs(t, "unattributed");
        if (t->is_run && t->result.same == CHECK_DIFFERS && !differs(t, "threads") &&
            alters_it(c, t)) {
            name = t->variant->name;
        }
    }
    return *varies ? NULL : name;
}

// Step under a change, beginning with tick t->first.
// @return false if that did not work
static bool try_once(const doctor_case *c, const doctor_play *straight, doctor_try *t)
{
    bks_compared_state state;
    return !stop_is_wanted() && doctor_try_begin(c, straight, t->first, &state) &&
           doctor_try_step(c, &state, t) == TOOL_OK && t->is_run;
}

/// Runs of a step with threads held up.
typedef struct race_count {
    uint32_t runs;
    uint32_t races;   ///< runs that alter the value in which the sides differ
    doctor_try first; ///< the first of these
} race_count;

// Step the tick after which the sides differ several times with threads held up.
static void count_races(const doctor_case *c, const doctor_play *straight, race_count *out)
{
    *out = (race_count){0};
    while (check_race_wants_plain(out->runs, out->races) && !stop_is_wanted()) {
        doctor_try t = {.variant = &vary_threads, .first = c->hash_tick - 1};
        out->runs++;
        if (try_once(c, straight, &t) && differs(&t, "threads") && alters_it(c, &t)) {
            out->first = out->races == 0 ? t : out->first;
            out->races++;
        }
    }
}

// Return true if two processes, each with its threads one after another and in some runs one of
// them in another world, come to the same in all of some runs.
static bool is_serial_same(const doctor_case *c, const doctor_play *straight, uint32_t runs)
{
    for (uint32_t i = 0; i < runs; i++) {
        doctor_try t = {
            .variant = check_race_serial_variant(i), .first = c->hash_tick - 1, .is_serial = true};
        if (!try_once(c, straight, &t) || t.result.same != CHECK_SAME) {
            return false;
        }
    }
    return true;
}

// Enter into the verdict where the race is. Keep the values of both sides if they are recorded, and
// leave them out otherwise, because those of this machine are neither side's.
static void enter_place(doctor_case *c, const doctor_try *race)
{
    state_difference *value = &c->verdict.value;
    if (value->place.object[0] != '\0') {
        doctor_verdict_line(c, race);
        doctor_verdict_at_mark(c, race->result.found.tick, race->result.found.mark);
        return;
    }
    doctor_verdict_found(c, race);
    value->a[0] = '\0';
    value->b[0] = '\0';
}

/// Most times that a race's line is looked for: it comes to the same only now and then.
enum { LINE_TRIES_MAX = 6 };

bool doctor_race_prove(doctor_case *c, const doctor_play *straight, const doctor_tries *all)
{
    static race_count counted;
    bool varies = false;
    const char *other = find_other(c, all, &varies);
    bool has_race = false;
    for (uint32_t i = 0; i < all->count; i++) {
        has_race = has_race || differs(&all->items[i], "threads");
    }
    if (!has_race) {
        return false;
    }
    count_races(c, straight, &counted);
    doctor_try *race = &counted.first;
    const uint32_t runs = check_race_runs_needed(counted.runs, counted.races);
    if (counted.races == 0) {
        return false;
    }
    if (other != NULL) {
        doctor_note(c, "both threads and %s change that value", other);
        return false;
    }
    if (race->threads == 0) {
        return false; // the order of jobs matters, and the game has no threads to order
    }
    if (runs > CHECK_RACE_SERIAL_MAX) {
        doctor_note(c,
                    "threads change that value in %" PRIu32 " of %" PRIu32
                    " runs, too few to prove a race",
                    counted.races, counted.runs);
        return false;
    }
    if (!is_serial_same(c, straight, runs)) {
        doctor_note(c, "threads change that value, which proves nothing: with threads one after "
                       "another two processes still differ");
        return false;
    }
    const char *why = doctor_calls_objection(c, straight, "threads");
    if (why != NULL) {
        doctor_note(c, "threads change that value, which proves nothing: %s", why);
        return false;
    }
    for (uint32_t i = 0; i < LINE_TRIES_MAX && !doctor_try_line(c, straight, race); i++) {
    }
    enter_place(c, race);
    doctor_verdict_prove(c, "threads",
                         &(doctor_proof){.means = DOCTOR_BY_RACE, .change = "threads"});
    doctor_note(c,
                "threads: the step of tick %" PRId32 ", with the same state and inputs, comes to "
                "another result in %" PRIu32 " of %" PRIu32 " runs with threads held up%s, and in "
                "none of %" PRIu32 " with threads one after another, in another world, too",
                race->result.found.tick, counted.races, counted.runs,
                varies ? ", even if nothing is varied" : "", runs);
    return true;
}

bool doctor_race_explains(const doctor_case *c, const doctor_play *straight, const doctor_try *t)
{
    doctor_try again = {
        .variant = t->variant, .value = t->value, .first = t->first, .is_serial = true};
    return t->threads > 0 && !differs(t, "threads") && try_once(c, straight, &again) &&
           again.result.same != CHECK_DIFFERS;
}

void doctor_race_suspect(doctor_case *c, const doctor_play *straight)
{
    doctor_verdict *v = &c->verdict;
    const bool is_first = v->suspects[0] == '\0';
    if (v->is_proven || straight->tape->threads == 0 || strstr(v->suspects, "threads") != NULL) {
        return;
    }
    doctor_verdict_suspect(c,
                           "threads, not proven: the game makes %" PRIu32
                           " of its own, which may write at any time",
                           straight->tape->threads);
    if (is_first && v->next != c->advice) { // keep the advice about a flipped bit
        v->next = "look for a thread of the game's own that writes to the state, or to what a step "
                  "reads, while a step runs or between two steps";
    }
}
