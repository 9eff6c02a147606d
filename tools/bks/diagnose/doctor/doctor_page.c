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
#include "diagnose/doctor/doctor_verdict.h"

enum { BITS_OF_BYTE = 8 };

/// Evidence that a peer recorded when its state differed from another peer's: the bytes of both
/// states.
typedef struct recorded_states {
    bks_replay_evidence evidence;
    uint32_t blocks; ///< number of blocks that differ
    uint32_t bits;   ///< number of bits that differ
    uint64_t first;  ///< index of the first bit that differs
    uint64_t known;  ///< number of recorded bytes of the recording peer's state
    /// States of the recording peer and of the other peer. NULL: not all bytes of the state are
    /// recorded.
    uint8_t *bytes[2];
} recorded_states;

static void put(uint8_t *state, uint64_t state_bytes, uint64_t offset, const uint8_t *bytes,
                size_t count)
{
    if (state != NULL && offset < state_bytes) {
        const uint64_t room = state_bytes - offset;
        memcpy(state + offset, bytes, count < room ? count : (size_t)room);
    }
}

static bool measure(void *context, const bks_evidence_part *part)
{
    recorded_states *k = context;
    k->known += part->kind == BKS_EVIDENCE_STATE ? part->count : 0;
    if (part->kind != BKS_EVIDENCE_BLOCK) {
        return true;
    }
    k->blocks++;
    for (uint64_t i = 0; i < BITS_OF_BYTE * (uint64_t)part->count; i++) {
        if (((part->own[i / BITS_OF_BYTE] ^ part->peer[i / BITS_OF_BYTE]) >> i % BITS_OF_BYTE &
             1) != 0) {
            k->first = k->bits == 0 ? BITS_OF_BYTE * part->offset_bytes + i : k->first;
            k->bits++;
        }
    }
    return true;
}

static bool take_state(void *context, const bks_evidence_part *part)
{
    recorded_states *k = context;
    for (int i = 0; i < 2 && part->kind == BKS_EVIDENCE_STATE; i++) {
        put(k->bytes[i], k->evidence.own_bytes, part->offset_bytes, part->own, part->count);
    }
    return true;
}

// Write the recorded bytes of a differing block into both states. Blocks that were not recorded are
// equal in both.
static bool take_block(void *context, const bks_evidence_part *part)
{
    recorded_states *k = context;
    if (part->kind == BKS_EVIDENCE_BLOCK) {
        put(k->bytes[0], k->evidence.own_bytes, part->offset_bytes, part->own, part->count);
        put(k->bytes[1], k->evidence.own_bytes, part->offset_bytes, part->peer, part->count);
    }
    return true;
}

static void close_states(recorded_states *k)
{
    free(k->bytes[0]);
    free(k->bytes[1]);
    *k = (recorded_states){0};
}

// Read a piece of recorded evidence. Restore both states if all of their bytes are recorded.
// @return false if nothing differs or the evidence cannot be read
static bool open_states(const doctor_side *side, uint32_t index, recorded_states *k)
{
    bks_replay *replay = side->file.replay;
    *k = (recorded_states){0};
    if (bks_replay_evidence_at(replay, index, &k->evidence) != BKS_OK ||
        bks_replay_evidence_parts(replay, index, measure, k) != BKS_OK || k->bits == 0) {
        return false;
    }
    const uint64_t count = k->evidence.own_bytes;
    if (k->known < count || k->evidence.peer_bytes != count || count > SIZE_MAX) {
        return true;
    }
    k->bytes[0] = calloc(1, (size_t)count);
    k->bytes[1] = calloc(1, (size_t)count);
    if (k->bytes[0] == NULL || k->bytes[1] == NULL ||
        bks_replay_evidence_parts(replay, index, take_state, k) != BKS_OK ||
        bks_replay_evidence_parts(replay, index, take_block, k) != BKS_OK) {
        close_states(k);
        return false;
    }
    return true;
}

static bks_compared_state state_of(const recorded_states *k, int number)
{
    return (bks_compared_state){.bytes = k->bytes[number], .count = (size_t)k->evidence.own_bytes};
}

// ---- which recorded state belongs to which side ----

// Return true if a recorded state has a side's hash. If this machine cannot compute the hash of the
// recorded state, take the hash that the recorder's desync event has for it.
// @param number    0: the state of the recording peer; 1: that of the other peer
// @param recorder  side that recorded both states
static bool is_of_side(const doctor_case *c, const recorded_states *k, int number, int recorder,
                       int side)
{
    const bks_game *game = c->game.game;
    uint64_t known = 0;
    const uint32_t bits = doctor_hash_of(c, side, k->evidence.tick, &known);
    const size_t count = (size_t)k->evidence.own_bytes;
    const size_t pages = (count + BKS_PAGE_BYTES - 1) / BKS_PAGE_BYTES;
    if (game == NULL || game->create != NULL || game->hash != NULL || game->pointers) {
        const doctor_side *by = &c->sides[recorder];
        const uint64_t event_hash = number == 0 ? by->event_hash : by->event_peer_hash;
        return bits > 0 && by->event_tick == k->evidence.tick &&
               (number == 0 || by->event_peer == k->evidence.peer) &&
               doctor_hashes_agree(event_hash, known, bits);
    }
    uint64_t *hashes = malloc(pages * sizeof(*hashes));
    for (size_t i = 0; hashes != NULL && i < pages; i++) {
        const size_t left = count - i * BKS_PAGE_BYTES;
        hashes[i] = bks_page_hash(k->bytes[number] + i * BKS_PAGE_BYTES,
                                  left < BKS_PAGE_BYTES ? left : BKS_PAGE_BYTES);
    }
    const bool is_it = bits > 0 && hashes != NULL &&
                       doctor_hashes_agree(bks_pages_hash(hashes, pages, count), known, bits);
    free(hashes);
    return is_it;
}

// Enter into the verdict the place at which both sides differ: by two recorded states, or by one of
// them and that of this machine.
// @param here  state of this machine, of side 1 - side; NULL: none
static bool place(doctor_case *c, int side, const recorded_states *k,
                  const bks_compared_state *here)
{
    if (k->bytes[0] == NULL || k->evidence.tick != c->hash_tick ||
        !is_of_side(c, k, 0, side, side)) {
        return false;
    }
    bks_compared_state states[2] = {state_of(k, 0), state_of(k, 1)};
    if (here != NULL) {
        states[1] = *here;
    } else if (!is_of_side(c, k, 1, side, 1 - side)) {
        return false;
    }
    return doctor_verdict_place(c, c->hash_tick, CHECK_MARK_START, &states[side],
                                &states[1 - side]);
}

// At the first tick whose hashes differ, compare the states of both sides, and enter into the
// verdict the place at which they differ.
// @param straight  play of side A; it may hold the state of this machine
static void place_recorded(doctor_case *c, const doctor_play *straight)
{
    bool is_placed = false;
    bks_compared_state here;
    const bool has_here =
        straight->is_done && doctor_play_state(straight, DOCTOR_STATE_THERE, &here);
    const doctor_match match = has_here ? doctor_play_match(c, straight) : (doctor_match){0};
    for (int s = 0; s < 2; s++) {
        const doctor_side *side = &c->sides[s];
        const uint32_t count = side->file.replay != NULL ? side->file.info->evidence_count : 0;
        for (uint32_t i = 0; i < count && !is_placed; i++) {
            recorded_states k;
            is_placed = open_states(side, i, &k) &&
                        (place(c, s, &k, NULL) || (match.is_same[1 - s] && place(c, s, &k, &here)));
            close_states(&k);
        }
    }
}

void doctor_page_place_peers(doctor_case *c)
{
    doctor_side *side = &c->sides[0];
    const uint32_t count = c->has_two ? 0 : side->file.info->evidence_count;
    bool is_placed = c->verdict.is_proven || c->verdict.value.place.name[0] != '\0';
    for (uint32_t i = 0; i < count && !is_placed; i++) {
        recorded_states k;
        is_placed = open_states(side, i, &k) && k.bytes[0] != NULL &&
                    k.evidence.tick == side->event_tick && k.evidence.peer == side->event_peer;
        if (is_placed) {
            const bks_compared_state own = state_of(&k, 0);
            const bks_compared_state peer = state_of(&k, 1);
            (void)doctor_verdict_place(c, k.evidence.tick, CHECK_MARK_START, &own, &peer);
            c->sides[1].name = "the other side";
            doctor_open_event(c, 0);
        }
        close_states(&k);
    }
}

// ---- recorded states as evidence ----

static void note_one(doctor_case *c, const doctor_side *side, const recorded_states *k)
{
    state_difference found;
    const bks_compared_state own = state_of(k, 0);
    const bks_compared_state other = state_of(k, 1);
    const bool is_named =
        k->bytes[0] != NULL && state_difference_find(&c->names, &own, &other, &found);
    char what[160];
    char name[STATE_NAME_BYTES] = "";
    if (is_named) {
        state_name_join(found.place.object, found.place.field, name, sizeof(name));
    }
    (void)snprintf(what, sizeof(what), "%" PRIu32 " bit%s of %" PRIu32 " block%s", k->bits,
                   k->bits == 1 ? "" : "s", k->blocks, k->blocks == 1 ? "" : "s");
    if (name[0] != '\0') {
        doctor_note(c,
                    "recorded in %s when it happened: at tick %" PRId32
                    " %.90s was %.60s in its own "
                    "state, %.60s in that of peer %" PRIu32 "; they differ in %s",
                    side->name, k->evidence.tick, name, found.a, found.b, k->evidence.peer, what);
    } else {
        doctor_note(c,
                    "recorded in %s when it happened: at tick %" PRId32
                    " its state and that of peer "
                    "%" PRIu32 " differed in %s, first in byte %" PRIu64 ", bit %" PRIu64,
                    side->name, k->evidence.tick, k->evidence.peer, what, k->first / BITS_OF_BYTE,
                    k->first % BITS_OF_BYTE);
    }
}

void doctor_page_note_recorded(doctor_case *c)
{
    uint32_t logs = 0;
    for (int s = 0; s < 2; s++) {
        const doctor_side *side = &c->sides[s];
        const bks_recording *info = side->file.replay != NULL ? side->file.info : NULL;
        for (uint32_t i = 0; info != NULL && i < info->evidence_count; i++) {
            recorded_states k;
            if (open_states(side, i, &k)) {
                note_one(c, side, &k);
            }
            close_states(&k);
        }
        logs += info != NULL && info->log_count > 0 ? 1 : 0;
    }
    if (logs > 0) {
        doctor_note(c, "%s hold%s a log of the ten seconds before: bks replay log prints %s",
                    logs == 2 ? "both recordings" : "one recording", logs == 2 ? "" : "s",
                    logs == 2 ? "them side by side" : "it");
    }
}

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

// Step each side with its own header and inputs. If each side gets its own recorded hashes, enter
// into the verdict the place at which their states differ.
// @return true if enough bits of hashes agree for a proof
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
    c->varies = varies;
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
        place_recorded(c, straight);
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
    if (v->mark[0] == '\0') {
        (void)snprintf(v->mark, sizeof(v->mark), "%s", mark);
    }
}

void doctor_page(doctor_case *c, doctor_play *straight)
{
    doctor_verdict *v = &c->verdict;
    *straight = (doctor_play){.tape_number = -1};
    *v = (doctor_verdict){.tick = BKS_TICK_NONE};
    v->is_same = c->hash_tick == BKS_TICK_NONE && (!c->has_two || replay_diff_is_same(&c->diff));
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
