// SPDX-License-Identifier: MIT

// Compares the files of two recordings, and adds the result to the evidence.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/tool.h"
#include "diagnose/diff/replay_diff_marks.h"
#include "diagnose/doctor/doctor_steps.h"
#include "record/recording/replay_print.h"

enum { VALUE_BYTES = 1024 };

// Add to the evidence that a number of ticks are the same. Add nothing if no tick was compared.
static void note_same(doctor_case *c, const char *what, bks_tick ticks)
{
    if (ticks > 0) {
        doctor_note(c, "%s: the same, %" PRId32 " tick%s", what, ticks, TOOL_PLURAL(ticks));
    }
}

// Return a value as ": score[1] (note): 0 in A, 8 in B", or "" if no value is known.
static const char *value_text(const state_difference *value)
{
    static char out[VALUE_BYTES];
    const bool has_note = value->note[0] != '\0';
    out[0] = '\0';
    if (value->place.name[0] != '\0') {
        (void)snprintf(out, sizeof(out), ": %s%s%s%s: %s in A, %s in B", value->place.name,
                       has_note ? " (" : "", value->note, has_note ? ")" : "", value->a, value->b);
    }
    return out;
}

static const char *text_or_none(const char *text)
{
    return text[0] != '\0' ? text : "none";
}

static void note_headers(doctor_case *c)
{
    const replay_diff *d = &c->diff;
    bool differs = false;
    for (uint32_t i = 0; i < d->header_count; i++) {
        const replay_diff_header *header = &d->headers[i];
        differs = differs || header->counts;
        doctor_note(c, "%s: %s in A, %s in B%s", header->name, text_or_none(header->a),
                    text_or_none(header->b), header->counts ? "" : " (not counted)");
    }
    if (!differs) {
        doctor_note(c, "game, version, layout, options and seed are the same");
    }
}

static void note_input(doctor_case *c, const char *what, const bks_input_difference *input,
                       const char *field, const diff_command *command)
{
    if (command->text[0][0] != '\0') {
        doctor_note(c,
                    "%s: differ first at tick %" PRId32 ", player %" PRIu32 ", command %" PRIu32
                    ", byte %" PRIu32 ": %s in A, %s in B",
                    what, input->tick, input->player, command->number, command->byte,
                    command->text[0], command->text[1]);
        return;
    }
    doctor_note(c,
                "%s: differ first at tick %" PRId32 ", player %" PRIu32 ", %s: %" PRId32
                " in A, %" PRId32 " in B",
                what, input->tick, input->player, field, input->a, input->b);
}

static void note_inputs(doctor_case *c)
{
    const replay_diff *d = &c->diff;
    const bks_replay_comparison *found = &d->found;
    note_same(c, "inputs", found->input.tick == BKS_TICK_NONE ? found->inputs_compared : 0);
    if (found->input.tick != BKS_TICK_NONE) {
        note_input(c, "inputs", &found->input, d->input_field, &d->input_command);
    } else if (found->inputs_compared == 0) {
        doctor_note(c, "inputs: not compared: %s",
                    found->until <= found->first ? "no tick is confirmed in both"
                                                 : "their layouts or numbers of players differ");
    }
    if (found->lost > 0) {
        doctor_note(c, "inputs: lost in one of them in %" PRId32 " tick%s", found->lost,
                    TOOL_PLURAL(found->lost));
    }
    if (found->guess.tick != BKS_TICK_NONE) {
        note_input(c, "guesses, not counted", &found->guess, d->guess_field, &d->guess_command);
    } else if (found->guesses_compared > 0) {
        doctor_note(c,
                    "guesses, not counted: the same, %" PRId32 " tick%s from tick %" PRId32 " on",
                    found->guesses_compared, TOOL_PLURAL(found->guesses_compared), found->until);
    }
}

static void note_hashes(doctor_case *c)
{
    const bks_replay_comparison *found = &c->diff.found;
    const int digits = (int)(found->hash_bits + 3) / 4;
    if (found->hash_tick != BKS_TICK_NONE) {
        doctor_note(c,
                    "hashes: differ first at tick %" PRId32 ", of %" PRId32 " compared: %0*" PRIx64
                    " in A, %0*" PRIx64 " in B",
                    found->hash_tick, found->hashes_compared, digits, found->hash_a, digits,
                    found->hash_b);
    } else if (found->hashes_compared == 0) {
        doctor_note(c, "hashes: no tick is hashed in both recordings");
    } else {
        doctor_note(c, "hashes: the same, %" PRId32 " compared", found->hashes_compared);
    }
}

// Add the comparison of pages and values to the evidence. A recording holds them only on request.
static void note_rows(doctor_case *c)
{
    const replay_diff *d = &c->diff;
    const bks_replay_comparison *found = &d->found;
    if (found->page_tick != BKS_TICK_NONE) {
        doctor_note(c,
                    "pages: differ first at tick %" PRId32 ": page %" PRIu32 "%s%s%s, of %" PRIu32
                    " that differ",
                    found->page_tick, found->page, d->page[0] != '\0' ? " (" : "", d->page,
                    d->page[0] != '\0' ? ")" : "", found->pages_differ);
    } else {
        note_same(c, "pages", found->pages_compared);
    }
    if (found->value_tick != BKS_TICK_NONE) {
        doctor_note(c, "values: differ first at tick %" PRId32 "%s", found->value_tick,
                    value_text(&d->value));
    } else {
        note_same(c, "values", found->values_compared);
    }
}

// Return the sizes of the states of a tick as ", of 100 bytes in A, 104 in B", or "" if they are
// equal or not known.
static const char *sizes_text(const doctor_case *c, bks_tick tick)
{
    static char out[80];
    size_t counts[2] = {0, 0};
    for (int s = 0; s < 2; s++) {
        free(replay_file_state(&c->sides[s].file, tick, &counts[s]));
    }
    out[0] = '\0';
    if (counts[0] != counts[1] && counts[0] > 0 && counts[1] > 0) {
        TEXT_SET(out, ", of %zu bytes in A, %zu in B", counts[0], counts[1]);
    }
    return out;
}

static void note_keyframes(doctor_case *c)
{
    const bks_replay_comparison *found = &c->diff.found;
    if (found->state_tick != BKS_TICK_NONE) {
        doctor_note(c, "%s at tick %" PRId32 ", %" PRIu64 " byte%s%s%s",
                    found->state_tick == found->first ? "first state: differs"
                                                      : "keyframes: differ first",
                    found->state_tick, found->state_differ, TOOL_PLURAL(found->state_differ),
                    sizes_text(c, found->state_tick), value_text(&c->diff.keyframe_value));
    } else if (found->states_compared > 0) {
        doctor_note(c, "keyframes: the same, %" PRIu32 " state%s", found->states_compared,
                    TOOL_PLURAL(found->states_compared));
    }
    if (found->states_unreadable > 0) {
        doctor_note(c, "keyframes: %" PRIu32 " cannot be unpacked in one of them",
                    found->states_unreadable);
    }
    if (found->states_skipped > 0) {
        doctor_note(c, "keyframes: %" PRIu32 " not tried after so many", found->states_skipped);
    }
}

static void note_events(doctor_case *c)
{
    const replay_diff *d = &c->diff;
    if (d->has_other_event) {
        doctor_note(c, "events: differ first: %s in A, %s in B", text_or_none(d->event[0]),
                    text_or_none(d->event[1]));
    } else {
        doctor_note(c, "events: the same");
    }
    for (int i = 0; i < 2; i++) {
        if (d->desync[i][0] != '\0') {
            doctor_note(c, "events: noted in %c: %s", 'A' + i, d->desync[i]);
        }
    }
}

static void note_lengths(doctor_case *c)
{
    for (int i = 0; i < 2; i++) {
        const replay_file *file = &c->sides[i].file;
        const char *ending = replay_file_ending(file->info);
        doctor_note(c, "%c: confirmed from tick %" PRId32 " to %" PRId32 ", %s: %s", 'A' + i,
                    file->info->first, file->info->confirmed, ending != NULL ? ending : "damaged",
                    plain_name(file->path));
    }
}

// Mark the evidence from an index on as details.
static void make_details(doctor_case *c, uint32_t index)
{
    for (; index < c->evidence_count; index++) {
        c->evidence[index].is_detail = true;
    }
}

static void note_files(doctor_case *c)
{
    note_headers(c);
    note_inputs(c);
    note_hashes(c);
    const uint32_t details = c->evidence_count;
    note_rows(c);
    note_keyframes(c);
    note_events(c);
    note_lengths(c);
    make_details(c, details);
}

void doctor_files_note_notes(doctor_case *c)
{
    const replay_diff_notes *notes = &c->diff.notes;
    const uint32_t details = c->evidence_count;
    if (notes->tick == BKS_TICK_NONE) {
        note_same(c, "notes", notes->compared);
    } else {
        doctor_note(c,
                    "notes: differ first in tick %" PRId32 ", behind mark %s: '%s' in A, '%s' in B",
                    notes->tick, notes->mark[0] != '\0' ? notes->mark : "(unknown)", notes->text[0],
                    notes->text[1]);
    }
    make_details(c, details);
    if (notes->is_first) {
        // Print the notes before all other evidence: they say why the states differ later.
        doctor_note_proof(c, details, 0);
    }
}

static void note_marks(doctor_case *c)
{
    const replay_diff_marks *marks = &c->diff.marks;
    const uint32_t details = c->evidence_count;
    if (marks->tick != BKS_TICK_NONE) {
        doctor_note(c, "marks: differ first in tick %" PRId32 ", at mark %s%s%s", marks->tick,
                    marks->mark, marks->is_late ? ", with no marks in both before it" : "",
                    value_text(&marks->value));
    } else {
        note_same(c, "marks", marks->compared);
    }
    if (marks->lost > 0) {
        doctor_note(c, "marks: not in both in %" PRId32 " tick%s", marks->lost,
                    TOOL_PLURAL(marks->lost));
    }
    make_details(c, details);
    doctor_files_note_notes(c);
}

// ---- repairs ----

// Return the first tick whose hashes differ, among the ticks that a repair corrected later. Return
// BKS_TICK_NONE if none differs.
static bks_tick first_apart(const doctor_case *c, const bks_replay_repair *repair)
{
    for (bks_tick tick = repair->since; tick < repair->until; tick++) {
        uint64_t hashes[2] = {0};
        const uint32_t a = doctor_hash_of(c, 0, tick, &hashes[0]);
        const uint32_t b = doctor_hash_of(c, 1, tick, &hashes[1]);
        if (!doctor_hashes_agree(hashes[0], hashes[1], a < b ? a : b)) {
            return tick;
        }
    }
    return BKS_TICK_NONE;
}

static void take_repair(doctor_case *c, int s, const bks_replay_repair *repair)
{
    char text[REPLAY_REPAIR_TEXT_BYTES];
    replay_repair_text(repair, text);
    doctor_note(c, "%s: %s", c->sides[s].name, text);
    // `bks replay diff` counts repaired ticks as the same.
    const bks_tick tick = c->is_diff ? BKS_TICK_NONE : first_apart(c, repair);
    if (tick != BKS_TICK_NONE && (c->hash_tick == BKS_TICK_NONE || tick < c->hash_tick)) {
        c->hash_tick = tick;
        c->diff.includes_repaired = true;
        c->diff.found.hash_tick = tick;
    }
}

// Add all repairs to the evidence. If hashes differ at a repaired tick before hash_tick, make that
// tick the new hash_tick.
static void take_repairs(doctor_case *c)
{
    for (int s = 0; s < 2; s++) {
        const replay_file *file = &c->sides[s].file;
        for (uint32_t i = 0; file->replay != NULL && i < file->info->repair_count; i++) {
            bks_replay_repair repair;
            (void)bks_replay_repair_at(file->replay, i, &repair);
            take_repair(c, s, &repair);
        }
    }
}

// ---- the whole comparison ----

// Step the recording of side A in a process of its own, which may crash, and compare the hashes.
// @return TOOL_OK, also if the process crashes or hangs; otherwise its exit status
static int verify_here(doctor_case *c, bks_verify_result *out)
{
    static doctor_play play;
    doctor_play_run(c, 0, DOCTOR_VERIFIED, false, &play);
    *out =
        play.is_done ? play.tape->verified : (bks_verify_result){.first_different = BKS_TICK_NONE};
    const bool is_refused = play.status == TOOL_MISUSE || play.status == TOOL_DAMAGED;
    const int status = is_refused ? play.status : TOOL_OK;
    c->is_unstepped = !play.is_done;
    c->has_crashed = play.has_crashed && !play.is_done;
    if (is_refused) {
        (void)fprintf(stderr, "%s\n", play.why);
    } else if (!play.is_done) {
        doctor_note(c, "this machine cannot step the recording: %s", play.why);
    }
    doctor_play_close(&play);
    return status;
}

// Compare one recording with the hashes that this machine gets from it. If they agree, compare the
// recording with the peer that its desync event names.
static int compare_with_here(doctor_case *c)
{
    bks_verify_result result;
    const int status = verify_here(c, &result);
    if (status != TOOL_OK) {
        return status;
    }
    const bks_tick event = c->sides[0].event_tick;
    doctor_open_look(c, result.first_different);
    const bool is_late = event != BKS_TICK_NONE && c->hash_tick > event;
    if (c->hash_tick != BKS_TICK_NONE) {
        doctor_note(c,
                    "this machine comes to another state than the recording at tick %" PRId32 "%s",
                    c->hash_tick, is_late ? ", after the difference between the peers" : "");
    } else if (!c->is_unstepped) {
        doctor_note(c, "this machine comes to all %" PRId32 " hash%s that were recorded",
                    result.compared, TOOL_PLURAL_ES(result.compared));
    }
    if (c->hash_tick != BKS_TICK_NONE && !is_late) {
        c->sides[1].name = "this machine";
        c->sides[1].event_tick = BKS_TICK_NONE;
    } else {
        c->hash_tick = c->sides[0].event_tick;
        take_repairs(c);
        doctor_open_look(c, c->hash_tick);
    }
    return TOOL_OK;
}

// Load the game for `bks replay diff` if a difference must be named or stepped. If --game is not
// given and the game cannot be found, go on without it: the recordings name what they can.
static int find_game(doctor_case *c)
{
    const bks_recording *a = c->sides[0].file.info;
    const bks_recording *b = c->sides[1].file.info;
    const bool has_marks = a->mark_ticks > 0 && b->mark_ticks > 0;
    if (strcmp(a->game, b->game) != 0 || (replay_diff_is_same(&c->diff) && !has_marks)) {
        return TOOL_OK;
    }
    const int status = doctor_open_game(c);
    return c->game.game != NULL || c->game_name != NULL ? status : TOOL_OK;
}

// If one recording ends before the difference that the other one holds as a desync event, as that
// of a program that was killed does, take tick and hash from this event.
static void take_event(doctor_case *c)
{
    for (int s = 0; s < 2 && c->hash_tick == BKS_TICK_NONE && !c->is_diff; s++) {
        const doctor_side *side = &c->sides[s];
        if (side->event_tick == BKS_TICK_NONE ||
            side->event_tick <= c->sides[1 - s].file.info->confirmed) {
            continue;
        }
        doctor_note(c,
                    "%s ends before tick %" PRId32 ", at which %s holds that the state of peer "
                    "%" PRIu32 " differed from its own",
                    c->sides[1 - s].name, side->event_tick, side->name, side->event_peer);
        c->hash_tick = side->event_tick;
        doctor_open_event(c, s);
    }
}

int doctor_files_compare(doctor_case *c)
{
    if (!c->has_two) {
        return compare_with_here(c);
    }
    int status = replay_diff_make(&c->sides[0].file, &c->sides[1].file, &c->diff);
    if (status == TOOL_OK && c->is_diff) {
        status = find_game(c);
    }
    if (status != TOOL_OK) {
        return status;
    }
    replay_diff_name_all(&c->names, &c->diff);
    c->hash_tick = c->diff.found.hash_tick;
    note_files(c);
    take_repairs(c);
    take_event(c);
    doctor_open_look(c, c->hash_tick);
    replay_diff_marks_compare(&c->names, &c->diff);
    note_marks(c);
    return TOOL_OK;
}
