// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_examine.h"

// Cheapest first: what the files say of themselves, whose hash this machine comes to, the rollbacks
// that were recorded, then the stretch under one change at a time. A cause is proven when both
// sides' hashes come out here, and what lies between them is that one change.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/tool.h"
#include "diagnose/doctor/doctor_answer.h"
#include "diagnose/doctor/doctor_kept.h"
#include "diagnose/doctor/doctor_open.h"
#include "diagnose/doctor/doctor_proof.h"
#include "diagnose/doctor/doctor_verdict.h"

// ---- what the files say ----

static bool is_beginning(const replay_diff_header *header)
{
    return header->counts &&
           (strcmp(header->name, "seed") == 0 || strcmp(header->name, "players") == 0 ||
            strncmp(header->name, "option ", 7) == 0);
}

// Whether this machine comes to each side's hashes with what its file says; then where they part.
static bool each_comes_to_its_own(doctor_case *c)
{
    static doctor_play plays[2];
    bool does = true;
    for (int s = 0; s < 2; s++) {
        doctor_play_run(c, s, DOCTOR_STRAIGHT, false, &plays[s]);
        const doctor_match match =
            plays[s].is_done ? doctor_play_match(c, &plays[s]) : (doctor_match){0};
        does = does && match.is_same[s] && match.bits[s] >= DOCTOR_BITS_MIN;
        doctor_note(c, "with the header and inputs of %s this machine comes to %s",
                    c->sides[s].name, plays[s].is_done ? doctor_whose(c, &match) : plays[s].why);
    }
    if (does) {
        (void)doctor_verdict_plays(c, &plays[0], &plays[1]);
    }
    doctor_play_close(&plays[0]);
    doctor_play_close(&plays[1]);
    return does;
}

// What the files say that decides what is stepped, and not the same.
// @return the cause that it would be; NULL: there is none, or there are two
static const char *what_files_say(doctor_case *c)
{
    const replay_diff *d = &c->diff;
    const bks_tick input = d->found.input.tick;
    const bool has_other_inputs =
        input != BKS_TICK_NONE && (c->hash_tick == BKS_TICK_NONE || input < c->hash_tick);
    bool has_other_beginning = false;
    for (uint32_t i = 0; i < d->header_count; i++) {
        has_other_beginning = has_other_beginning || is_beginning(&d->headers[i]);
    }
    if (has_other_beginning && has_other_inputs) {
        doctor_note(c, "options or seed differ, and inputs before the hashes do: which of them it "
                       "is stays open");
        return NULL;
    }
    return has_other_beginning ? "initial-state" : has_other_inputs ? "inputs" : NULL;
}

// @return whether the verdict is made
static bool look_at_files(doctor_case *c)
{
    const char *cause = what_files_say(c);
    c->verdict.tick = c->hash_tick;
    if (cause == NULL || c->hash_tick == BKS_TICK_NONE || !each_comes_to_its_own(c)) {
        return false;
    }
    doctor_verdict_prove(c, cause, &(doctor_way_of_proof){.means = DOCTOR_BY_FILES});
    return true;
}

// ---- what this machine says ----

// States at marks that both recorded need no stepping.
static void take_recorded_marks(doctor_case *c)
{
    const replay_diff_marks *marks = &c->diff.marks;
    const doctor_verdict *v = &c->verdict;
    if (!c->has_two || c->sides[0].file.info->mark_ticks == 0 ||
        c->sides[1].file.info->mark_ticks == 0) {
        return;
    }
    if (!c->diff.state.is_stepped) {
        (void)replay_diff_step(&c->sides[0].file, &c->sides[1].file, c->game_name, &c->diff);
    }
    const replay_diff_notes *notes = &c->diff.notes;
    if (notes->tick != BKS_TICK_NONE) {
        doctor_note(c,
                    "recorded notes: the first that differs, at tick %" PRId32
                    ", is \"%.90s\" in A, \"%.90s\" in B",
                    notes->tick, notes->a, notes->b);
    }
    const bool is_named = marks->value.name[0] != '\0';
    if (marks->tick == BKS_TICK_NONE || (!is_named && v->object[0] != '\0')) {
        return;
    }
    doctor_note(c,
                "recorded marks: %s differs at tick %" PRId32 ", mark %s: %.60s in A, %.60s in B%s",
                is_named ? marks->value.name : "the state", marks->tick, marks->mark,
                marks->value.a, marks->value.b,
                marks->is_late ? "; of the step before the first hash that differs there are none "
                                 "in both"
                               : "");
    if (marks->is_late) {
        return; // what came of it, not where it began
    }
    doctor_verdict_marks(c, marks);
}

// Step the stretch a few times, each time in a fresh process.
// @param out  receives the first of them
// @return whether it could be stepped
static bool ask_this_machine(doctor_case *c, doctor_play *out)
{
    static doctor_play moved;
    doctor_play_run(c, 0, DOCTOR_STRAIGHT, false, out);
    if (!out->is_done) {
        doctor_note(c, "this machine cannot step the recording: %s", out->why);
        return false;
    }
    if (!c->has_two && c->sides[1].event_tick == BKS_TICK_NONE) {
        const check_span *span = &out->tape->span;
        c->sides[1].here_count = span->counts[0];
        memcpy(c->sides[1].here, span->hashes[0], span->counts[0] * sizeof(span->hashes[0][0]));
    }
    const doctor_match match = doctor_play_match(c, out);
    doctor_play_run(c, 0, DOCTOR_STRAIGHT, true, &moved);
    const bool varies =
        moved.is_done && memcmp(moved.tape->span.hashes[0], out->tape->span.hashes[0],
                                out->tape->span.counts[0] * sizeof(uint64_t)) != 0;
    doctor_note(c, "stepped here from tick %" PRId32 " on: %s%s", c->sides[0].file.info->first,
                doctor_whose(c, &match),
                varies ? "; another process at other addresses comes to another" : "");
    doctor_play_close(&moved);
    return true;
}

static void look_at_steps(doctor_case *c)
{
    static doctor_play straight;
    doctor_verdict *v = &c->verdict;
    v->tick = c->hash_tick;
    doctor_verdict_leave_open(c);
    doctor_kept_place(c);
    const bool is_proven = ask_this_machine(c, &straight) &&
                           (doctor_proof_rollbacks(c, &straight) ||
                            doctor_proof_variants(c, &straight) || doctor_proof_flip(c, &straight));
    if (!is_proven || v->object[0] == '\0') {
        take_recorded_marks(c);
    }
    doctor_kept_note(c);
    if (v->mark[0] == '\0') {
        (void)snprintf(v->mark, sizeof(v->mark), "%s", CHECK_MARK_START);
    }
    doctor_play_close(&straight);
}

int doctor_examine(doctor_case *c)
{
    int status = doctor_open_game(c);
    if (status == TOOL_OK) {
        status = doctor_open_compare(c);
    }
    if (status == TOOL_OK) {
        status = doctor_answer_take(c, c->answers);
    }
    if (status != TOOL_OK) {
        return status;
    }
    c->verdict = (doctor_verdict){.tick = BKS_TICK_NONE};
    const bool are_same =
        c->hash_tick == BKS_TICK_NONE && (!c->has_two || replay_diff_is_same(&c->diff));
    if (are_same) {
        c->verdict.is_same = true;
        return TOOL_OK;
    }
    const bool is_settled = c->has_two && look_at_files(c);
    if (!is_settled && c->hash_tick == BKS_TICK_NONE) {
        doctor_verdict_leave_open(c);
        doctor_note(c, "no hash differs, so there is nothing to prove");
    } else if (!is_settled) {
        look_at_steps(c);
    }
    return TOOL_OK;
}
