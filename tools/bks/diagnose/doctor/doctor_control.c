// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_control.h"

#include <string.h>

#include "diagnose/doctor/doctor_calls.h"
#include "diagnose/doctor/doctor_chance.h"
#include "diagnose/doctor/doctor_race.h"
#include "diagnose/doctor/doctor_unset.h"

static bool is_explained_by(const doctor_try *t, const doctor_try *other)
{
    const char *const *names = t->variant->explained_by;
    return (names[0] != NULL && strcmp(names[0], other->variant->name) == 0) ||
           (names[1] != NULL && strcmp(names[1], other->variant->name) == 0);
}

// Return true if two changes alter the same value first, at the same mark.
static bool alter_the_same(const doctor_try *t, const doctor_try *other)
{
    const check_finding *a = &t->result.found;
    const check_finding *b = &other->result.found;
    return other->result.same == CHECK_DIFFERS && a->tick == b->tick &&
           strcmp(a->mark, b->mark) == 0 && strcmp(a->object, b->object) == 0 &&
           strcmp(a->field, b->field) == 0;
}

static bool is_third(const doctor_match *match)
{
    return !match->is_same[0] && !match->is_same[1];
}

bool doctor_control_is_shared(const doctor_tries *all, const doctor_try *t)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const doctor_try *other = &all->items[i];
        if (other->is_run && other->first == t->first && alter_the_same(t, other) &&
            strcmp(other->variant->cause, t->variant->cause) != 0 && !is_explained_by(t, other)) {
            return true;
        }
    }
    return false;
}

// Return why a change proves nothing, NULL if it does: each of the plain processes that were
// stepped beside a change must give the hashes of one side, and no change of another cause may
// alter the value, unless it explains the change.
// @param cause  receives the cause, that of a change that explains this one
static const char *why_no_control(const doctor_tries *all, const doctor_try *found,
                                  const char **cause)
{
    const int side = doctor_try_turns_into(found);
    uint32_t controls = 0;
    *cause = found->variant->cause;
    if (doctor_control_is_shared(all, found)) {
        return "a change of another cause alters the same value";
    }
    for (uint32_t i = 0; i < all->count; i++) {
        const doctor_try *t = &all->items[i];
        if (!t->is_run || t->first != found->first) {
            continue;
        }
        if (!t->plain.is_same[1 - side]) {
            return is_third(&t->plain) && is_third(&found->plain)
                       ? "the plain game comes to a third result"
                       : "the plain game varies from process to process";
        }
        const bool is_other = strcmp(t->variant->cause, found->variant->cause) != 0;
        const bool alters_it = is_other && alter_the_same(found, t);
        *cause = alters_it ? t->variant->cause : *cause;
        controls += is_other && !alters_it ? 1 : 0;
    }
    return controls == 0 ? "no other change could be tried beside it" : NULL;
}

// Return true if a cause says that the game keeps something outside its state.
static bool is_of_game(const char *cause)
{
    return strcmp(cause, "hidden-state") == 0 || strcmp(cause, "prediction-leak") == 0;
}

bool doctor_control_survived(doctor_case *c, const doctor_play *straight, const doctor_tries *all,
                             doctor_try *found, const char **cause)
{
    static doctor_try unset;
    const char *why = why_no_control(all, found, cause);
    if (why == NULL && !doctor_try_line(c, straight, found)) {
        why = "stepped once more, it does not come to the same";
    }
    // doctor_try_line() has repeated it once.
    if (why == NULL && !doctor_try_stays(c, straight, found, DOCTOR_TRY_REPEATS - 1)) {
        why = "tried again, processes come to something else";
    }
    // In the processes of changes clocks and random numbers are the same each time, so a game that
    // varies by them seems not to vary there.
    if (why == NULL && strcmp(*cause, "environment") != 0 &&
        !doctor_chance_is_plain(c, straight, DOCTOR_CHANCE_PLAYS)) {
        why = "the plain game varies from process to process";
    }
    if (why == NULL && doctor_race_explains(c, straight, found)) {
        why = "with the game's threads one after another it makes no difference";
    }
    if (why == NULL && strcmp(*cause, "uninitialised") == 0 &&
        !doctor_unset_is_seen(c, straight, found)) {
        why = "no read of unset memory was seen there";
    }
    if (why == NULL && is_of_game(*cause) && found->result.found.tick == c->hash_tick - 1 &&
        doctor_unset_alters(c, straight, found->result.found.object, found->result.found.field,
                            &unset)) {
        why = "other bytes in fresh memory alter the value, too";
    }
    if (why == NULL) {
        why = doctor_calls_objection(c, straight, *cause);
    }
    if (why != NULL) {
        doctor_note(c, "%s comes to the hash of %s, which proves nothing: %s", found->variant->name,
                    c->sides[doctor_try_turns_into(found)].name, why);
        return false;
    }
    doctor_note(
        c,
        "control: %s comes to it %d times more, no plain process does, nor does a change of "
        "another cause",
        found->variant->name, DOCTOR_TRY_REPEATS);
    return true;
}
