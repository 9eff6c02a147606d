// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/tool.h"
#include "doctor/doctor_proof.h"
#include "doctor/doctor_verdict.h"

// Whether a name on a tape is that of a mark of the game.
static bool is_mark(const check_mark *mark)
{
    return mark->name[0] != '(' && mark->count > 0;
}

static const check_mark *mark_at(const check_tape *tape, uint32_t number)
{
    for (uint32_t i = 0; i < tape->mark_count; i++) {
        if (is_mark(&tape->marks[i]) && number-- == 0) {
            return &tape->marks[i];
        }
    }
    return NULL;
}

static bks_compared_state state_of(check_tape *tape, const check_mark *mark)
{
    return (bks_compared_state){.bytes = check_tape_states(tape) + mark->begin_bytes,
                                .count = (size_t)mark->count};
}

// Name what differs at the first mark of the last step.
static void name_marks(doctor_case *c, check_tape *a, check_tape *b)
{
    for (uint32_t i = 0;; i++) {
        const check_mark *mark_a = mark_at(a, i);
        const check_mark *mark_b = mark_at(b, i);
        if (mark_a == NULL || mark_b == NULL || strcmp(mark_a->name, mark_b->name) != 0) {
            return;
        }
        const bks_compared_state state_a = state_of(a, mark_a);
        const bks_compared_state state_b = state_of(b, mark_b);
        if (doctor_verdict_place(c, c->hash_tick - 1, mark_a->name, &state_a, &state_b)) {
            return;
        }
    }
}

// Whether two places have the same name.
static bool is_there(const doctor_case *c, const check_finding *found)
{
    return strcmp(c->verdict.object, found->object) == 0 &&
           strcmp(c->verdict.field, found->field) == 0;
}

// Steps that no guess came into differ too: then it is more than what guesses leave.
static void choose_cause(doctor_case *c, const doctor_play *straight)
{
    static const char *const names[] = {"resim", "again", "observed"};
    static doctor_try t;
    const char *cause = "prediction-leak";
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (doctor_try_run(c, straight, names[i], NULL, c->first, &t) != TOOL_OK || !t.is_run ||
            t.result.same != CHECK_DIFFERS) {
            continue;
        }
        doctor_try_line(c, straight, &t);
        doctor_note(c, "the variant %s of bks check differs at tick %" PRId32 " in %s%s%s",
                    names[i], t.result.found.tick, t.result.found.object,
                    t.result.found.object[0] != '\0' ? " " : "", t.result.found.field);
        if (is_there(c, &t.result.found) && c->verdict.line[0] == '\0') {
            (void)snprintf(c->verdict.line, sizeof(c->verdict.line), "%s",
                           t.result.found.written_b.line);
            (void)snprintf(c->verdict.function, sizeof(c->verdict.function), "%s",
                           t.result.found.written_b.function);
        }
        cause = t.variant->cause;
        break;
    }
    doctor_verdict_cause(c, cause, true, NULL);
}

bool doctor_proof_rollbacks(doctor_case *c, const doctor_play *straight)
{
    static doctor_play rolled[2];
    const doctor_match plain = doctor_play_match(c, straight);
    check_tape *by[2] = {NULL, NULL};
    uint32_t tried = 0;
    for (int s = 0; s < 2; s++) {
        const replay_file *file = &c->sides[s].file;
        by[s] = plain.is_same[s] && plain.bits[s] >= DOCTOR_BITS_MIN ? straight->tape : NULL;
        rolled[s] = (doctor_play){.descriptor = -1};
        if (file->replay == NULL || file->info->rollback_count == 0) {
            doctor_note(c, "%s holds no rollbacks (--keep rollbacks)", c->sides[s].name);
            c->is_detail[c->evidence_count - 1] = true;
            continue;
        }
        doctor_play_run(c, s, true, false, &rolled[s]);
        tried++;
        if (!rolled[s].is_done) {
            doctor_note(c, "%s cannot be played with its rollbacks: %s", c->sides[s].name,
                        rolled[s].why);
            continue;
        }
        const doctor_match match = doctor_play_match(c, &rolled[s]);
        doctor_note(c, "%s with its %" PRIu32 " rollbacks comes to %s (%" PRIu32 " bits agree)",
                    c->sides[s].name, file->info->rollback_count, doctor_whose(c, &match),
                    match.bits[match.is_same[0] ? 0 : 1]);
        if (by[s] == NULL && match.is_same[s] && match.bits[s] >= DOCTOR_BITS_MIN) {
            by[s] = rolled[s].tape;
        }
    }
    const bool is_proven = by[0] != NULL && by[1] != NULL && by[0] != by[1];
    if (is_proven) {
        name_marks(c, by[0], by[1]);
        choose_cause(c, straight);
    }
    doctor_play_close(&rolled[0]);
    doctor_play_close(&rolled[1]);
    return is_proven && tried > 0;
}
