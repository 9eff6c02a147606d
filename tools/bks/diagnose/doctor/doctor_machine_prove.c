// SPDX-License-Identifier: MIT

// Proves that an entry of the machines is the cause, such as the locale: with the entry of A's
// machine this machine comes to the hashes of A, with that of B's to those of B, whatever it comes
// to by its own.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/stop.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_chance.h"
#include "diagnose/doctor/doctor_control.h"
#include "diagnose/doctor/doctor_machine.h"
#include "diagnose/doctor/doctor_race.h"
#include "diagnose/doctor/doctor_verdict.h"
#include "diagnose/variants/variants.h"

/// Hours of the day at which both time zones are tried.
enum { HOURS = 24, SECONDS_OF_HOUR = 3600 };

/// Tries with the entries of both machines, by side.
typedef struct entry_tries {
    doctor_machine_change entries[2];
    doctor_try tries[2];
} entry_tries;

static bool comes_to(const doctor_try *t, int side)
{
    return t->is_run && t->turned.is_same[side] && !t->turned.is_same[1 - side] &&
           t->turned.bits[side] >= DOCTOR_BITS_MIN;
}

// Try the entries of A and of B, each of which must come to its side.
// @return false if one does not
static bool try_both(const doctor_case *c, const doctor_play *straight, entry_tries *e)
{
    for (int s = 0; s < 2; s++) {
        if (stop_is_wanted() ||
            doctor_try_run(c, straight, e->entries[s].variant, e->entries[s].value, c->first,
                           &e->tries[s]) != TOOL_OK ||
            !comes_to(&e->tries[s], s)) {
            return false;
        }
    }
    return true;
}

// Find the entries of a kind in which the machines differ.
static bool find_entries(const doctor_case *c, const char *variant, entry_tries *out)
{
    static doctor_machine_change entries[DOCTOR_MACHINE_CHANGES_MAX];
    const uint32_t count = doctor_machine_changes(c, entries);
    bool has[2] = {false, false};
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(entries[i].variant, variant) == 0) {
            out->entries[entries[i].side] = entries[i];
            has[entries[i].side] = true;
        }
    }
    return has[0] && has[1];
}

// Return when the match began: its ticks before the file was written last, which may be its copy's
// time.
static int64_t begun_s(const doctor_case *c)
{
    struct stat file;
    const bks_recording *info = c->sides[0].file.info;
    const int64_t ticks = (int64_t)info->confirmed - info->first;
    return stat(c->sides[0].file.path, &file) == 0
               ? (int64_t)file.st_mtime - ticks / (int64_t)info->tick_rate_hz
               : (int64_t)time(NULL);
}

// Give both zones a clock, too, at each hour of a day, since a step may ask for the hour that it is
// there. The first is the one at which the match began, if the file's time tells it.
static bool try_clocks(doctor_case *c, const doctor_play *straight, entry_tries *e)
{
    const int64_t begun = begun_s(c);
    const entry_tries plain = *e;
    for (int hour = 0; hour < HOURS && !stop_is_wanted(); hour++) {
        for (int s = 0; s < 2; s++) {
            (void)snprintf(e->entries[s].value, sizeof(e->entries[s].value), "%.80s@%" PRId64,
                           plain.entries[s].value, begun - (int64_t)hour * SECONDS_OF_HOUR);
        }
        if (try_both(c, straight, e)) {
            return true;
        }
    }
    doctor_note(c, "zone-is: at none of the %d hours of a day both zones come to their sides",
                HOURS);
    doctor_note_detail(c);
    return false;
}

// Return true if a change of the machine alters the step after which the sides differ.
static bool is_of_machine(const doctor_case *c, const doctor_tries *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const doctor_try *t = &all->items[i];
        if (t->is_run && t->result.same == CHECK_DIFFERS &&
            t->result.found.tick == c->hash_tick - 1 &&
            strcmp(t->variant->cause, "environment") == 0) {
            return true;
        }
    }
    return false;
}

// Return why the entries prove nothing, NULL if they do.
static const char *why_not(doctor_case *c, const doctor_play *straight, const doctor_tries *all,
                           const entry_tries *e)
{
    for (int s = 0; s < 2; s++) {
        if (doctor_control_is_shared(all, &e->tries[s])) {
            return "a change of another cause alters the same value";
        }
        if (doctor_race_explains(c, straight, &e->tries[s])) {
            return "with the game's threads one after another it makes no difference";
        }
        if (!doctor_try_stays(c, straight, &e->tries[s], DOCTOR_TRY_REPEATS)) {
            return "tried again, it comes to something else";
        }
    }
    return NULL;
}

// Enter into the verdict the line and the mark of a try that alters the value in which the sides
// differ.
static void enter_place(doctor_case *c, const doctor_play *straight, entry_tries *e)
{
    doctor_verdict *v = &c->verdict;
    for (int s = 0; s < 2 && v->line[0] == '\0'; s++) {
        const check_finding *found = &e->tries[s].result.found;
        if (e->tries[s].result.same == CHECK_DIFFERS && found->tick == c->hash_tick - 1 &&
            strcmp(found->object, v->value.place.object) == 0 &&
            strcmp(found->field, v->value.place.field) == 0) {
            (void)doctor_try_line(c, straight, &e->tries[s]);
            doctor_verdict_line(c, &e->tries[s]);
            doctor_verdict_at_mark(c, found->tick, found->mark);
        }
    }
}

static bool prove(doctor_case *c, const doctor_play *straight, const doctor_tries *all,
                  entry_tries *e)
{
    const char *name = e->entries[0].variant;
    const char *why = why_not(c, straight, all, e);
    doctor_proof proof = {.means = DOCTOR_BY_SETTING, .change = name, .first = c->first};
    if (why != NULL) {
        doctor_note(c, "%s comes to the hashes of both sides, which proves nothing: %s", name, why);
        return false;
    }
    for (int s = 0; s < 2; s++) {
        (void)snprintf(proof.set[s], sizeof(proof.set[s]), "%s", e->entries[s].value);
    }
    enter_place(c, straight, e);
    doctor_note(c,
                "%s: %s comes to the hash of A (%" PRIu32 " bits agree), %s to that of B (%" PRIu32
                "), %d times more, too",
                name, proof.set[0], e->tries[0].turned.bits[0], proof.set[1],
                e->tries[1].turned.bits[1], DOCTOR_TRY_REPEATS);
    doctor_verdict_prove(c, "environment", &proof);
    return true;
}

bool doctor_machine_prove(doctor_case *c, const doctor_play *straight, const doctor_tries *all)
{
    static entry_tries e;
    if (c->varies_plainly || !is_of_machine(c, all)) {
        return false;
    }
    if (find_entries(c, vary_locale.name, &e) && try_both(c, straight, &e) &&
        prove(c, straight, all, &e)) {
        return true;
    }
    return find_entries(c, vary_zone.name, &e) &&
           (try_both(c, straight, &e) || try_clocks(c, straight, &e)) &&
           prove(c, straight, all, &e);
}
