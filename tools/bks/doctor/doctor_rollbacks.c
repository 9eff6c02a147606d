// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <string.h>

#include "base/tool.h"
#include "check/check_variants.h"
#include "doctor/doctor_proof.h"
#include "doctor/doctor_verdict.h"

// Whether two plays came to the same hashes, whole ones, up to the tick that differs.
static bool are_alike(const doctor_case *c, const doctor_play *a, const doctor_play *b)
{
    const check_span *span_a = &a->tape->span;
    const check_span *span_b = &b->tape->span;
    const uint32_t count = (uint32_t)(c->hash_tick - c->first + 1);
    return span_a->counts[0] >= count && span_b->counts[0] >= count &&
           memcmp(span_a->hashes[0], span_b->hashes[0], count * sizeof(span_a->hashes[0][0])) == 0;
}

// Play it once more in the same way as a straight one, or with right guesses.
// @return 1: it comes to the same as the straight play; 0: to something else; -1: it cannot be
//         played
static int compare_again(doctor_case *c, const doctor_play *straight, int side, doctor_way way)
{
    static doctor_play again;
    doctor_play_run(c, side, way, false, &again);
    const bool is_done = again.is_done;
    const int is_alike = is_done ? are_alike(c, straight, &again) : -1;
    if (way == DOCTOR_RIGHT) {
        doctor_note(c, "%s with its rollbacks, but every guess right: %s", c->sides[side].name,
                    !is_done   ? again.why
                    : is_alike ? "the state that differs is as without rollbacks"
                               : "the state that differs is not as without rollbacks, either");
    } else if (!is_alike) {
        doctor_note(c, "%s stepped once more without rollbacks comes to something else",
                    c->sides[side].name);
    }
    doctor_play_close(&again);
    return is_alike;
}

// Steps that are taken back leave something behind: right ones too, or wrong guesses alone.
// @return the cause, NULL: that stays open
static const char *choose_cause(doctor_case *c, const doctor_play *straight,
                                const bool is_rolled[2])
{
    const char *cause = "prediction-leak";
    if (compare_again(c, straight, 0, DOCTOR_STRAIGHT) != 1) {
        return NULL;
    }
    for (int s = 0; s < 2; s++) {
        const int is_alike = is_rolled[s] ? compare_again(c, straight, s, DOCTOR_RIGHT) : 1;
        if (is_alike < 0) {
            return NULL;
        }
        cause = is_alike == 0 ? "hidden-state" : cause;
    }
    return cause;
}

// The line of source, by a variant that differs at the same place.
static void find_line(doctor_case *c, const doctor_play *straight, const char *cause)
{
    static const char *const names[] = {"resim", "again", "observed"};
    static doctor_try t;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(check_variant_find(names[i])->cause, cause) != 0 ||
            doctor_try_run(c, straight, names[i], NULL, c->first, &t) != TOOL_OK || !t.is_run ||
            t.result.same != CHECK_DIFFERS) {
            continue;
        }
        const check_finding *found = &t.result.found;
        char place[STATE_NAME_BYTES];
        state_name_join(found->object, found->field, place, sizeof(place));
        doctor_note(c, "the variant %s of bks check differs at tick %" PRId32 " in %.200s",
                    names[i], found->tick, place);
        if (strcmp(c->verdict.object, found->object) == 0 &&
            strcmp(c->verdict.field, found->field) == 0) {
            doctor_try_line(c, straight, &t);
            doctor_verdict_line(c, &t);
            return;
        }
    }
}

// Play one side with its rollbacks.
// @return whether it comes to that side's hashes
static bool play_rolled(doctor_case *c, int side, doctor_play *out)
{
    const doctor_side *of = &c->sides[side];
    *out = (doctor_play){.descriptor = -1};
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
    doctor_note(c, "%s with its %" PRIu32 " rollbacks comes to %s (%" PRIu32 " bits agree)",
                of->name, of->file.info->rollback_count, doctor_whose(c, &match),
                match.bits[match.is_same[0] ? 0 : 1]);
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
    const char *cause = NULL;
    if (by[0] != NULL && by[1] != NULL && by[0] != by[1]) {
        cause = choose_cause(c, straight, is_rolled);
    }
    if (cause != NULL) {
        (void)doctor_verdict_plays(c, by[0], by[1]);
        const doctor_way_of_proof proof = {.means = DOCTOR_BY_ROLLBACKS,
                                           .is_rolled = {is_rolled[0], is_rolled[1]}};
        doctor_verdict_prove(c, cause, &proof, NULL);
        for (int s = 0; s < 2; s++) {
            if (is_rolled[s]) {
                doctor_note_proof(c, evidence[s], evidence[s]);
            }
        }
        find_line(c, straight, cause);
    }
    doctor_play_close(&rolled[0]);
    doctor_play_close(&rolled[1]);
    return cause != NULL;
}
