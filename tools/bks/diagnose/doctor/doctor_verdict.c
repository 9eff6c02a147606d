// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_verdict.h"

#include <stdio.h>
#include <string.h>

#include "diagnose/doctor/doctor_advice.h"

// What is said of bytes that are no value: of which item they were, or of which pool.
static const char *note_of(const char *object, const char *note)
{
    static const char *const others[] = {"(padding)", "(free)", "(arena)", "(unnamed)"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strcmp(object, others[i]) == 0) {
            return note;
        }
    }
    return "";
}

bool doctor_verdict_place(doctor_case *c, bks_tick tick, const char *mark,
                          const bks_compared_state *a, const bks_compared_state *b)
{
    doctor_verdict *v = &c->verdict;
    state_difference found;
    if (!state_difference_find(&c->names, a, b, &found)) {
        return false;
    }
    v->tick = tick;
    (void)snprintf(v->mark, sizeof(v->mark), "%s", mark);
    (void)snprintf(v->object, sizeof(v->object), "%s", found.place.object);
    (void)snprintf(v->field, sizeof(v->field), "%s", found.place.field);
    (void)snprintf(v->note, sizeof(v->note), "%s", note_of(v->object, found.note));
    (void)snprintf(v->a, sizeof(v->a), "%s", found.a);
    (void)snprintf(v->b, sizeof(v->b), "%s", found.b);
    return true;
}

void doctor_verdict_marks(doctor_case *c, const replay_diff_marks *marks)
{
    doctor_verdict *v = &c->verdict;
    const replay_diff_value *value = &marks->value;
    v->tick = marks->tick;
    (void)snprintf(v->mark, sizeof(v->mark), "%s", marks->mark);
    (void)snprintf(v->object, sizeof(v->object), "%s", value->object);
    (void)snprintf(v->field, sizeof(v->field), "%s", value->field);
    (void)snprintf(v->note, sizeof(v->note), "%s", note_of(value->object, value->note));
    (void)snprintf(v->a, sizeof(v->a), "%s", value->a);
    (void)snprintf(v->b, sizeof(v->b), "%s", value->b);
}

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

bool doctor_verdict_plays(doctor_case *c, const doctor_play *a, const doctor_play *b)
{
    for (uint32_t i = 0;; i++) {
        const check_mark *mark_a = mark_at(a->tape, i);
        const check_mark *mark_b = mark_at(b->tape, i);
        if (mark_a == NULL || mark_b == NULL || strcmp(mark_a->name, mark_b->name) != 0) {
            break;
        }
        const bks_compared_state state_a = state_of(a->tape, mark_a);
        const bks_compared_state state_b = state_of(b->tape, mark_b);
        if (doctor_verdict_place(c, c->hash_tick - 1, mark_a->name, &state_a, &state_b)) {
            return true;
        }
    }
    bks_compared_state there[2];
    return doctor_play_state(a, DOCTOR_STATE_THERE, &there[0]) &&
           doctor_play_state(b, DOCTOR_STATE_THERE, &there[1]) &&
           doctor_verdict_place(c, c->hash_tick, CHECK_MARK_START, &there[0], &there[1]);
}

void doctor_verdict_line(doctor_case *c, const doctor_try *t)
{
    const check_finding *found = &t->result.found;
    const code_line *line =
        found->written_b.line[0] != '\0' ? &found->written_b : &found->written_a;
    doctor_verdict *v = &c->verdict;
    const bool has_line = line->line[0] != '\0';
    (void)snprintf(v->line, sizeof(v->line), "%s", line->line);
    (void)snprintf(v->function, sizeof(v->function), "%s", line->function);
    (void)snprintf(v->source, sizeof(v->source), "%s", line->text);
    (void)snprintf(v->line_why, sizeof(v->line_why), "%s", has_line ? "" : found->written_b.why);
}

void doctor_verdict_found(doctor_case *c, const doctor_try *t)
{
    doctor_verdict *v = &c->verdict;
    const check_finding *found = &t->result.found;
    const bool is_swapped = t->turned.is_same[0];
    v->tick = found->tick;
    (void)snprintf(v->mark, sizeof(v->mark), "%s", found->mark);
    (void)snprintf(v->object, sizeof(v->object), "%s", found->object);
    (void)snprintf(v->field, sizeof(v->field), "%s", found->field);
    (void)snprintf(v->note, sizeof(v->note), "%s", note_of(v->object, found->note));
    (void)snprintf(v->a, sizeof(v->a), "%s", is_swapped ? found->b : found->a);
    (void)snprintf(v->b, sizeof(v->b), "%s", is_swapped ? found->a : found->b);
    doctor_verdict_line(c, t);
}

void doctor_verdict_prove(doctor_case *c, const char *cause, const doctor_way_of_proof *proof)
{
    c->verdict.cause = cause;
    c->verdict.is_proven = true;
    c->verdict.proof = *proof;
    c->verdict.next = doctor_advice_proven(c, cause, proof);
}

void doctor_verdict_leave_open(doctor_case *c)
{
    c->verdict.cause = "unattributed";
    c->verdict.is_proven = false;
    c->verdict.next = doctor_advice_open(c);
}
