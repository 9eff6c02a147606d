// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/tool.h"
#include "diagnose/doctor/doctor_chance.h"
#include "diagnose/doctor/doctor_steps.h"
#include "diagnose/doctor/doctor_unset.h"
#include "diagnose/doctor/doctor_verdict.h"
#include "diagnose/variants/variants.h"

// Play a side with right guesses, and compare its hashes with those of the straight play.
// @return 1 if the hashes are the same, 0 if they differ, -1 if the side cannot be played
static int compare_right(doctor_case *c, const doctor_play *straight, int side)
{
    static doctor_play right;
    doctor_play_run(c, side, DOCTOR_RIGHT_GUESSES, false, &right);
    const bool is_done = right.is_done;
    const int is_alike = is_done ? doctor_chance_are_alike(c, straight, &right) : -1;
    doctor_note(c, "%s with its rollbacks, but every guess right: %s", c->sides[side].name,
                !is_done   ? right.why
                : is_alike ? "the same state as without rollbacks, so here it is wrong guesses "
                             "that leave something behind"
                           : "still another state than without rollbacks, so any step that is "
                             "taken back leaves something behind");
    doctor_play_close(&right);
    return is_alike;
}

// ---- controls of the proof ----

// Return true if two plain processes come to the same, and if a change that has nothing to do with
// rollbacks does not give the hashes of a side that only rollbacks are to give.
static bool control_agrees(doctor_case *c, const doctor_play *straight, const char *name,
                           const bool is_rolled[2])
{
    static doctor_try t;
    const bool is_plain = strcmp(name, "baseline") == 0;
    if (doctor_try_run(c, straight, name, NULL, c->first, &t) != TOOL_OK || !t.is_run) {
        return true; // a control that cannot be run shows nothing
    }
    for (int s = 0; s < 2; s++) {
        if (is_rolled[s] && t.turned.is_same[s]) {
            return false;
        }
    }
    return !is_plain || t.result.same != CHECK_DIFFERS;
}

// Repeat all plays, those with rollbacks and without in turn: if the game varies from process to
// process, the hashes agree by chance, and one of the first repeats shows it. One of those without
// rollbacks lies at other addresses.
// @return NULL if all plays come to the same again, or else what does not
static const char *find_varying(doctor_case *c, const doctor_play *straight,
                                const doctor_play rolled[2], const bool is_rolled[2])
{
    for (uint32_t i = 0; i < DOCTOR_CHANCE_PLAYS; i++) {
        if (!doctor_chance_repeats(c, straight, 0, DOCTOR_STRAIGHT, i == 0)) {
            c->varies = true;
            return "without rollbacks another process comes to something else";
        }
        for (int s = 0; s < 2; s++) {
            if (is_rolled[s] && !doctor_chance_repeats(c, &rolled[s], s, DOCTOR_ROLLED, false)) {
                return "the rollbacks, played once more, come to something else";
            }
        }
    }
    return NULL;
}

// Return true if the proof survives its controls: each play gives the same hashes again, and no
// change without rollbacks gives those of a side that only rollbacks are to give.
static bool survives_controls(doctor_case *c, const doctor_play *straight,
                              const doctor_play rolled[2], const bool is_rolled[2])
{
    static const char *const names[] = {"baseline", "world"};
    const char *failed = find_varying(c, straight, rolled, is_rolled);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && failed == NULL; i++) {
        if (!control_agrees(c, straight, names[i], is_rolled)) {
            failed = strcmp(names[i], "baseline") == 0
                         ? "two plain processes come to different states"
                         : "the change world, without rollbacks, comes to it, too";
        }
    }
    doctor_note(c, "control: %s",
                failed != NULL
                    ? failed
                    : "played 3 times more the rollbacks come to the same, and neither 4 plain "
                      "processes nor the change world come to it");
    return failed == NULL;
}

// Choose the cause if steps that were rolled back wrote data outside the state. Either all of these
// steps write such data, or only steps with wrong guesses do.
// @return the cause; NULL if the plays do not tell which of the two it is
static const char *choose_cause(doctor_case *c, const doctor_play *straight,
                                const bool is_rolled[2])
{
    const char *cause = "prediction-leak";
    for (int s = 0; s < 2; s++) {
        const int is_alike = is_rolled[s] ? compare_right(c, straight, s) : 1;
        if (is_alike < 0) {
            return NULL;
        }
        cause = is_alike == 0 ? "hidden-state" : cause;
    }
    return cause;
}

// Return true if two names are equal except for the numbers in brackets.
static bool names_alike(const char *a, const char *b)
{
    for (;; a++, b++) {
        if (*a == '[' && *b == '[') {
            a += strcspn(a, "]");
            b += strcspn(b, "]");
        }
        if (*a != *b || *a == '\0') {
            return *a == *b;
        }
    }
}

// Return true if steps whose guesses are all right, repeated at other ticks than in the match,
// leave something behind in the same object, too.
static bool any_step_leaves(doctor_case *c, const doctor_play *straight)
{
    static doctor_try t;
    const bks_map_place *place = &c->verdict.value.place;
    const check_finding *found = &t.result.found;
    if (doctor_try_run(c, straight, "resim", NULL, c->first, &t) != TOOL_OK || !t.is_run ||
        t.result.same != CHECK_DIFFERS || !names_alike(place->object, found->object) ||
        !doctor_try_stays(c, straight, &t, DOCTOR_TRY_REPEATS)) {
        return false;
    }
    doctor_note(c,
                "the variant resim of bks check, from tick %" PRId32
                ", whose guesses are all right, differs at tick %" PRId32
                " in %s, so any step that is taken back leaves something behind",
                c->first, found->tick, found->object);
    return true;
}

// Choose the cause if the rollbacks of the match show that wrong guesses leave something behind.
// A value that the game's own `load` does not restore shows at few ticks, also after right
// guesses.
// @return the cause; NULL if it is not known
static const char *choose_leak(doctor_case *c, const doctor_play *straight)
{
    if (any_step_leaves(c, straight)) {
        return "hidden-state";
    }
    if (c->game.game->load != NULL) {
        doctor_note(c, "what the game's own load leaves as it is comes to the same, so wrong "
                       "guesses are not proven to be the cause");
        return NULL;
    }
    return "prediction-leak";
}

// Check that the value that differs does not come from memory that was never written.
// @return `cause`; "uninitialised" if it does, whose line is entered into the verdict; NULL if it
// may
static const char *rule_out_unset(doctor_case *c, const doctor_play *straight, const char *cause)
{
    static doctor_try t;
    const bks_map_place *place = &c->verdict.value.place;
    if (cause == NULL || !doctor_unset_alters(c, straight, place->object, place->field, &t)) {
        return cause;
    }
    doctor_note(c, "other bytes in fresh memory alter that value, too");
    if (!doctor_unset_is_seen(c, straight, &t)) {
        return NULL;
    }
    (void)doctor_try_line(c, straight, &t);
    doctor_verdict_line(c, &t);
    return "uninitialised";
}

// ---- search for the source line that wrote the difference ----

/// Search for a variant that differs at the place in the state that the verdict names.
typedef struct line_search {
    doctor_case *c;
    const doctor_play *straight;
    const char *cause;
    /// Try of a variant that differs in another item of the same kind, such as shots[2] for
    /// shots[3]. Its `variant` is NULL if there is none.
    doctor_try alike;
} line_search;

// Write into the verdict the source line that wrote a variant's difference.
// @return true if the line is known
static bool take_line(line_search *s, doctor_try *t)
{
    (void)doctor_try_line(s->c, s->straight, t);
    doctor_verdict_line(s->c, t);
    return s->c->verdict.line[0] != '\0';
}

// Run a variant. If it differs at the verdict's place, write its source line into the verdict.
// @return true if the source line is known
static bool try_for_line(line_search *s, const char *name, bks_tick first)
{
    static doctor_try t;
    const doctor_verdict *v = &s->c->verdict;
    const bool is_leak = strcmp(s->cause, "prediction-leak") == 0;
    if ((is_leak && strcmp(check_variant_find(name)->cause, s->cause) != 0) ||
        doctor_try_run(s->c, s->straight, name, NULL, first, &t) != TOOL_OK || !t.is_run ||
        t.result.same != CHECK_DIFFERS) {
        return false;
    }
    const check_finding *found = &t.result.found;
    char place[STATE_NAME_BYTES];
    state_name_join(found->object, found->field, place, sizeof(place));
    doctor_note(s->c,
                "the variant %s of bks check, from tick %" PRId32 ", differs at tick %" PRId32
                " in %.200s",
                name, first, found->tick, place);
    if (strcmp(v->value.place.object, found->object) == 0 &&
        strcmp(v->value.place.field, found->field) == 0 &&
        (found->tick == v->tick || strcmp(found->mark, v->mark) == 0)) {
        return take_line(s, &t);
    }
    if (s->alike.variant == NULL && strcmp(v->mark, found->mark) == 0 &&
        names_alike(v->value.place.object, found->object) &&
        names_alike(v->value.place.field, found->field)) {
        s->alike = t;
    }
    return false;
}

// Find the source line that wrote the difference, with the help of a variant that differs at the
// verdict's place or, failing that, in another item of the same kind at the same mark.
static void find_line(doctor_case *c, const doctor_play *straight, const char *cause)
{
    static const char *const names[] = {"resim", "again", "observed"};
    static line_search s;
    const bks_tick begins[] = {c->first, c->hash_tick - 1};
    s = (line_search){.c = c, .straight = straight, .cause = cause};
    (void)snprintf(c->verdict.line_why, sizeof(c->verdict.line_why),
                   "no variant of bks check differs there: what the rollbacks leave behind is not "
                   "seen by stepping this stretch");
    for (size_t b = 0; b < sizeof(begins) / sizeof(begins[0]); b++) {
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            const bool is_new = b == 0 || begins[b] > begins[0];
            if (is_new && try_for_line(&s, names[i], begins[b])) {
                return;
            }
        }
    }
    if (s.alike.variant != NULL) {
        (void)take_line(&s, &s.alike);
    }
}

// Play one side with its recorded rollbacks.
// @return true if the play gives the side's own hashes
static bool play_rolled(doctor_case *c, int side, doctor_play *out)
{
    const doctor_side *of = &c->sides[side];
    *out = (doctor_play){.tape_number = -1};
    if (of->file.replay == NULL) {
        return false;
    }
    if (of->file.info->rollback_count == 0) {
        doctor_note(c, "%s holds no rollbacks (--keep rollbacks)", of->name);
        doctor_note_detail(c);
        return false;
    }
    doctor_play_run(c, side, DOCTOR_ROLLED, false, out);
    if (!out->is_done) {
        doctor_note(c, "%s cannot be played with its rollbacks: %s", of->name, out->why);
        return false;
    }
    const doctor_match match = doctor_play_match(c, out);
    char bits[40] = "";
    for (int s = 0; s < 2; s++) {
        c->is_settled[s] = c->is_settled[s] || (match.is_same[s] && !match.is_same[1 - s]);
    }
    if (match.is_same[0] || match.is_same[1]) {
        (void)snprintf(bits, sizeof(bits), " (%" PRIu32 " bits agree)",
                       match.bits[match.is_same[0] ? 0 : 1]);
    }
    doctor_note(c, "%s with its %" PRIu32 " rollback%s comes to %s%s", of->name,
                of->file.info->rollback_count, TOOL_PLURAL(of->file.info->rollback_count),
                doctor_match_text(c, &match), bits);
    return match.is_same[side] && match.bits[side] >= DOCTOR_BITS_MIN;
}

bool doctor_proof_rollbacks(doctor_case *c, const doctor_play *straight)
{
    static doctor_play rolled[2];
    const doctor_match plain = doctor_play_match(c, straight);
    const doctor_play *by[2] = {NULL, NULL};
    bool is_rolled[2] = {false, false};
    uint32_t evidence[2];
    for (int s = 0; s < 2; s++) {
        evidence[s] = c->evidence_count;
        by[s] = plain.is_same[s] && plain.bits[s] >= DOCTOR_BITS_MIN ? straight : NULL;
        is_rolled[s] = play_rolled(c, s, &rolled[s]) && by[s] == NULL;
        by[s] = is_rolled[s] ? &rolled[s] : by[s];
    }
    const bool survives = by[0] != NULL && by[1] != NULL && by[0] != by[1] &&
                          survives_controls(c, straight, rolled, is_rolled);
    const char *cause = survives ? choose_cause(c, straight, is_rolled) : NULL;
    if (cause != NULL) {
        (void)doctor_verdict_plays(c, by[0], by[1]);
        cause = strcmp(cause, "prediction-leak") == 0 ? choose_leak(c, straight) : cause;
        cause = rule_out_unset(c, straight, cause);
    }
    if (survives && cause == NULL) {
        doctor_verdict_suspect(c, "hidden-state, prediction-leak or uninitialised, not proven: the "
                                  "recorded rollbacks alone turn one side into the other");
    }
    if (cause != NULL) {
        const doctor_proof proof = {.means = DOCTOR_BY_ROLLBACKS,
                                    .is_rolled = {is_rolled[0], is_rolled[1]}};
        doctor_verdict_prove(c, cause, &proof);
        for (int s = 0; s < 2; s++) {
            if (is_rolled[s]) {
                doctor_note_proof(c, evidence[s], evidence[s]);
            }
        }
        if (c->verdict.line[0] == '\0') {
            find_line(c, straight, cause);
        }
    }
    doctor_play_close(&rolled[0]);
    doctor_play_close(&rolled[1]);
    return cause != NULL;
}
