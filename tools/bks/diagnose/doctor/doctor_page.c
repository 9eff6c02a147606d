// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_steps.h"

// Finds the first difference, cheapest first: in the files, by stepping both with their own header
// and inputs, in recorded states, and by this machine's own hash. doctor_examine.c goes on from
// there.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"
#include "diagnose/doctor/doctor_case.h"
#include "diagnose/doctor/doctor_chance.h"
#include "diagnose/doctor/doctor_recorded.h"
#include "diagnose/doctor/doctor_verdict.h"

// ---- stepping both recordings ----

static doctor_play_mode straight_mode(const doctor_case *c)
{
    return c->is_diff ? DOCTOR_SOUGHT : DOCTOR_STRAIGHT;
}

// Play both sides, each with its own header and inputs.
// @return true if both plays were finished, with no hash that differs from a recorded one
static bool play_both(doctor_case *c, doctor_play plays[2])
{
    bool fits = true;
    for (int s = 0; s < 2; s++) {
        doctor_play_close(&plays[s]);
        doctor_play_run(c, s, straight_mode(c), false, &plays[s]);
        fits = fits && plays[s].is_done;
        for (uint32_t i = 0; fits && i < plays[s].tape->span.counts[0]; i++) {
            fits = bks_replay_hash_agrees(c->sides[s].file.replay, c->first + (bks_tick)i,
                                          plays[s].tape->span.hashes[0][i]);
        }
    }
    return fits;
}

// Return the first tick whose hashes differ between two plays, BKS_TICK_NONE if it is not among the
// compared ticks.
static bks_tick first_apart(const doctor_case *c, const doctor_play plays[2])
{
    const check_span *a = &plays[0].tape->span;
    const check_span *b = &plays[1].tape->span;
    for (uint32_t i = 0; i < a->counts[0] && i < b->counts[0]; i++) {
        if (a->hashes[0][i] != b->hashes[0][i]) {
            // If the first compared tick differs, an earlier one may differ, too.
            return i > 0 || c->first == c->diff.found.first ? c->first + (bks_tick)i
                                                            : BKS_TICK_NONE;
        }
    }
    return BKS_TICK_NONE;
}

// Find the first note that differs in the last step whose hashes agree, unless the recordings hold
// notes themselves.
static void compare_notes(doctor_case *c, const doctor_play plays[2])
{
    replay_diff_notes *notes = &c->diff.notes;
    for (uint32_t i = 0; notes->compared == 0; i++) {
        bks_compared_state texts[2] = {{.bytes = ""}, {.bytes = ""}};
        const char *mark_a = doctor_play_note(&plays[0], i, &texts[0]);
        const char *mark_b = doctor_play_note(&plays[1], i, &texts[1]);
        if (mark_a == NULL && mark_b == NULL) {
            return;
        }
        if (texts[0].count == texts[1].count &&
            memcmp(texts[0].bytes, texts[1].bytes, texts[0].count) == 0) {
            continue;
        }
        notes->compared = 1;
        notes->tick = c->hash_tick - 1;
        (void)snprintf(notes->mark, sizeof(notes->mark), "%s", mark_a != NULL ? mark_a : mark_b);
        for (int s = 0; s < 2; s++) {
            (void)snprintf(notes->text[s], sizeof(notes->text[s]), "%.*s", (int)texts[s].count,
                           (const char *)texts[s].bytes);
        }
        doctor_files_note_notes(c);
    }
}

// Return true if both plays come to the same once more: a game that varies from run to run may come
// to the hashes of both sides by chance.
static bool both_stay(doctor_case *c, const doctor_play plays[2])
{
    for (int i = 0; i < 2 * DOCTOR_CHANCE_PLAYS; i++) {
        const int side = i % 2;
        if (!doctor_chance_repeats(c, &plays[side], side, straight_mode(c), false)) {
            doctor_note(c,
                        "with the header and inputs of %s another process comes to something else",
                        c->sides[side].name);
            c->varies = true;
            return false;
        }
    }
    return true;
}

// Step each side with its own header and inputs. If each side gets its own recorded hashes, enter
// into the verdict the place at which their states differ.
// @return true if enough bits of hashes agree for a proof, and repeats come to the same
static bool each_comes_to_its_own(doctor_case *c)
{
    static doctor_play plays[2] = {{.tape_number = -1}, {.tape_number = -1}};
    bool fits = play_both(c, plays);
    const bks_tick apart = fits ? first_apart(c, plays) : BKS_TICK_NONE;
    if (apart != BKS_TICK_NONE && apart != c->hash_tick) {
        // Recorded hashes are short and not at every tick, so the first difference may be earlier.
        doctor_open_look(c, apart);
        fits = play_both(c, plays);
    }
    bool does = fits && c->hash_tick != BKS_TICK_NONE;
    for (int s = 0; s < 2; s++) {
        const doctor_match match =
            plays[s].is_done ? doctor_play_match(c, &plays[s]) : (doctor_match){0};
        does = does && match.is_same[s] && match.bits[s] >= DOCTOR_BITS_MIN;
        doctor_note(c, "with the header and inputs of %s this machine comes to %s",
                    c->sides[s].name,
                    !plays[s].is_done               ? plays[s].why
                    : c->hash_tick == BKS_TICK_NONE ? "no hash that differs"
                                                    : doctor_match_text(c, &match));
    }
    if (fits && c->hash_tick != BKS_TICK_NONE) {
        (void)doctor_verdict_plays(c, &plays[0], &plays[1]);
        compare_notes(c, plays);
    }
    does = does && both_stay(c, plays);
    doctor_play_close(&plays[0]);
    doctor_play_close(&plays[1]);
    return does;
}

// If the recordings' headers or inputs differ, step both, and try to prove that this difference is
// the cause.
static void examine_files(doctor_case *c)
{
    const bks_tick input = c->diff.found.input.tick;
    const bool has_other_inputs =
        input != BKS_TICK_NONE && (c->hash_tick == BKS_TICK_NONE || input < c->hash_tick);
    const bool has_other_beginning = replay_diff_starts_differ(&c->diff);
    if ((!has_other_inputs && !has_other_beginning) || c->diff.found.until <= c->diff.found.first ||
        !each_comes_to_its_own(c)) {
        return;
    }
    if (has_other_beginning && has_other_inputs) {
        doctor_note(c,
                    "options or seed differ, and inputs differ before the hashes do: either may be "
                    "the cause");
        return;
    }
    doctor_verdict_prove(c, has_other_beginning ? "initial-state" : "inputs",
                         &(doctor_proof){.means = DOCTOR_BY_FILES});
}

// ---- stepping one recording ----

// Write into the verdict the first place at which the recorded states at marks differ. Leave the
// verdict unchanged if its present place has a name and the new place has none.
static void take_recorded_marks(doctor_case *c)
{
    const replay_diff_marks *marks = &c->diff.marks;
    const bool has_name =
        marks->value.place.name[0] != '\0' || c->verdict.value.place.name[0] == '\0';
    // A mark later than the first difference shows only a consequence of it.
    if (c->has_two && marks->tick != BKS_TICK_NONE && !marks->is_late && has_name) {
        doctor_verdict_marks(c, marks);
    }
}

// Step side A twice, each time in a new process, and add to the evidence whose hashes this machine
// gets.
// @param out  receives the first play
static void step_here(doctor_case *c, doctor_play *out)
{
    static doctor_play moved;
    doctor_play_run(c, 0, straight_mode(c), false, out);
    if (!out->is_done) {
        c->is_unstepped = true;
        c->has_crashed = out->has_crashed;
        doctor_note(c, "this machine cannot step the recording: %s", out->why);
        return;
    }
    if (!c->has_two && c->sides[1].event_tick == BKS_TICK_NONE) {
        const check_span *span = &out->tape->span;
        c->sides[1].here_count = span->counts[0];
        memcpy(c->sides[1].here, span->hashes[0], span->counts[0] * sizeof(span->hashes[0][0]));
    }
    const doctor_match match = doctor_play_match(c, out);
    for (int s = 0; s < 2; s++) {
        const replay_file *file = &c->sides[s].file;
        c->has_here[s] = match.is_same[s];
        c->is_repeated[s] = c->is_repeated[s] ||
                            (match.is_same[s] && match.bits[s] >= DOCTOR_BITS_MIN &&
                             file->replay != NULL && strcmp(c->game.build, file->info->build) == 0);
    }
    doctor_play_run(c, 0, straight_mode(c), true, &moved);
    const bool varies =
        moved.is_done && memcmp(moved.tape->span.hashes[0], out->tape->span.hashes[0],
                                out->tape->span.counts[0] * sizeof(uint64_t)) != 0;
    c->varies = c->varies || varies;
    doctor_note(c, "stepped here from tick %" PRId32 " on: %s%s",
                c->is_diff ? c->first : c->sides[0].file.info->first, doctor_match_text(c, &match),
                varies ? "; another process at other addresses comes to another" : "");
    doctor_play_close(&moved);
}

// ---- the whole page ----

// Find the place in recorded states and marks. Then step side A, to find whose hashes this machine
// gets.
static void examine_states(doctor_case *c, doctor_play *straight)
{
    doctor_verdict *v = &c->verdict;
    v->tick = v->tick != BKS_TICK_NONE ? v->tick : c->hash_tick;
    if (c->hash_tick != BKS_TICK_NONE && c->game.game != NULL) {
        step_here(c, straight);
    }
    if (v->value.place.name[0] == '\0') {
        doctor_recorded_place(c, straight);
    }
    take_recorded_marks(c);
}

// Fill in the verdict's tick and mark. If no state differs, take the first tick at which anything
// else differs.
static void complete_place(doctor_case *c)
{
    doctor_verdict *v = &c->verdict;
    const replay_diff_notes *notes = &c->diff.notes;
    const char *mark = CHECK_MARK_START;
    if (v->tick == BKS_TICK_NONE && c->has_two) {
        v->tick = replay_diff_first(&c->diff);
        mark = v->tick != BKS_TICK_NONE && v->tick == notes->tick ? notes->mark : "";
    }
    if (v->mark[0] == '\0' && v->tick != BKS_TICK_NONE) {
        (void)snprintf(v->mark, sizeof(v->mark), "%s", mark);
    }
}

void doctor_page(doctor_case *c, doctor_play *straight)
{
    doctor_verdict *v = &c->verdict;
    *straight = (doctor_play){.tape_number = -1};
    *v = (doctor_verdict){.tick = BKS_TICK_NONE};
    v->is_same = c->hash_tick == BKS_TICK_NONE && !c->is_unstepped &&
                 (!c->has_two || replay_diff_is_same(&c->diff));
    if (v->is_same) {
        return;
    }
    doctor_verdict_leave_open(c);
    if (c->game.game == NULL) {
        doctor_note(c, "not stepped: no game was found that can step both recordings");
    } else if (c->has_two) {
        examine_files(c);
    }
    if (!v->is_proven) {
        examine_states(c, straight);
    }
    complete_place(c);
    if (c->is_diff && !v->is_proven && c->diff.found.inputs_compared > 0 &&
        c->hash_tick != BKS_TICK_NONE) {
        v->next = doctor_advice_diff(c);
    }
}
