// SPDX-License-Identifier: MIT

// States that the recordings took as evidence when the states of peers differed.

#include "diagnose/doctor/doctor_recorded.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"
#include "diagnose/diff/replay_diff_marks.h"
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

// Read a piece of recorded evidence. Restore the state of the recording peer and, if the bytes that
// differ are recorded, that of the other peer. Of a large state only the pages that differ are
// recorded: take the others from `here`, or restore nothing.
// @param here  state of this machine; {0}: unknown
// @return false if the evidence cannot be read
static bool open_states(const doctor_side *side, uint32_t index, const bks_compared_state *here,
                        recorded_states *k)
{
    bks_replay *replay = side->file.replay;
    *k = (recorded_states){0};
    if (bks_replay_evidence_at(replay, index, &k->evidence) != BKS_OK ||
        bks_replay_evidence_parts(replay, index, measure, k) != BKS_OK) {
        return false;
    }
    const uint64_t count = k->evidence.own_bytes;
    const bool is_filled = k->known < count;
    if (count == 0 || count > SIZE_MAX || (is_filled && here->count != (size_t)count)) {
        return true;
    }
    const bool has_peer = k->bits > 0 && k->evidence.peer_bytes == count;
    k->bytes[0] = calloc(1, (size_t)count);
    k->bytes[1] = has_peer ? calloc(1, (size_t)count) : NULL;
    for (int i = 0; i < 2 && is_filled && k->bytes[i] != NULL; i++) {
        memcpy(k->bytes[i], here->bytes, (size_t)count);
    }
    if (k->bytes[0] == NULL || (has_peer && k->bytes[1] == NULL) ||
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

// Return the state of this machine at the tick at which the sides differ, {0} if it is unknown.
static bks_compared_state state_here(const doctor_play *straight)
{
    bks_compared_state here = {0};
    if (straight->is_done) {
        (void)doctor_play_state(straight, DOCTOR_STATE_THERE, &here);
    }
    return here;
}

// Take over the states of one piece of evidence as those of the sides, as far as they are.
static void take_sides(const doctor_case *c, int recorder, recorded_states *k, mark_list out[2])
{
    for (int number = 0; number < 2; number++) {
        mark_list *list = &out[number == 0 ? recorder : 1 - recorder];
        if (list->bytes == NULL && k->bytes[number] != NULL &&
            is_of_side(c, k, number, recorder, number == 0 ? recorder : 1 - recorder)) {
            list->bytes = k->bytes[number];
            list->bytes_count = (size_t)k->evidence.own_bytes;
            k->bytes[number] = NULL;
        }
    }
}

static void read_evidence(const doctor_case *c, const bks_compared_state *here, mark_list out[2])
{
    for (int s = 0; s < 2; s++) {
        const doctor_side *side = &c->sides[s];
        const uint32_t count = side->file.replay != NULL ? side->file.info->evidence_count : 0;
        for (uint32_t i = 0; i < count; i++) {
            recorded_states k;
            if (open_states(side, i, here, &k) && k.evidence.tick == c->hash_tick) {
                take_sides(c, s, &k, out);
            }
            close_states(&k);
        }
    }
}

bool doctor_recorded_read(const doctor_case *c, const doctor_play *straight, mark_list out[2])
{
    const bks_compared_state here = state_here(straight);
    const bool has_marks = c->has_two && replay_diff_read_marks(&c->diff, c->hash_tick, 0, out);
    if (!has_marks || out[0].bytes == NULL || out[1].bytes == NULL) {
        mark_list_end(&out[0]);
        mark_list_end(&out[1]);
        read_evidence(c, &here, out);
    }
    return out[0].bytes != NULL && out[1].bytes != NULL;
}

void doctor_recorded_place(doctor_case *c, const doctor_play *straight)
{
    static mark_list lists[2];
    bks_compared_state states[2];
    const bks_compared_state here = state_here(straight);
    const doctor_match match = here.count > 0 ? doctor_play_match(c, straight) : (doctor_match){0};
    read_evidence(c, &here, lists);
    bool has_both = lists[0].bytes != NULL || lists[1].bytes != NULL;
    for (int s = 0; s < 2; s++) {
        const bool is_here = lists[s].bytes == NULL && match.is_same[s];
        has_both = has_both && (lists[s].bytes != NULL || is_here);
        states[s] =
            is_here ? here
                    : (bks_compared_state){.bytes = lists[s].bytes, .count = lists[s].bytes_count};
    }
    if (has_both) {
        (void)doctor_verdict_place(c, c->hash_tick, CHECK_MARK_START, &states[0], &states[1]);
    }
    mark_list_end(&lists[0]);
    mark_list_end(&lists[1]);
}

// Return true if a side's record of two states is about the other side.
static bool is_of_other_side(const doctor_case *c, const doctor_side *side,
                             const recorded_states *k)
{
    return k->bytes[0] != NULL && k->bytes[1] != NULL &&
           (c->has_two
                ? side->file.info->players == 2
                : k->evidence.tick == side->event_tick && k->evidence.peer == side->event_peer);
}

// Enter into the verdict where the states differ that a side recorded.
// @return true if the recording holds both sides' states
static bool place_by_side(doctor_case *c, int s, const bks_compared_state *here)
{
    const doctor_side *side = &c->sides[s];
    bool is_placed = false;
    for (uint32_t i = 0; i < side->file.info->evidence_count && !is_placed; i++) {
        recorded_states k;
        is_placed = open_states(side, i, here, &k) && is_of_other_side(c, side, &k);
        if (is_placed) {
            const bks_compared_state a = state_of(&k, s);
            const bks_compared_state b = state_of(&k, 1 - s);
            (void)doctor_verdict_place(c, k.evidence.tick, CHECK_MARK_START, &a, &b);
        }
        close_states(&k);
    }
    return is_placed;
}

void doctor_recorded_place_peers(doctor_case *c, const doctor_play *straight)
{
    const bks_compared_state here = state_here(straight);
    bool is_placed = c->verdict.is_proven || c->verdict.value.place.name[0] != '\0';
    if (!is_placed && !c->has_two && place_by_side(c, 0, &here)) {
        c->sides[1].name = "the other side";
        doctor_open_event(c, 0);
    }
    for (int s = 0; s < 2 && c->has_two && !is_placed; s++) {
        is_placed = place_by_side(c, s, &here);
    }
}

// ---- recorded states as evidence ----

static void note_one(doctor_case *c, const doctor_side *side, const recorded_states *k)
{
    state_difference found;
    const bks_compared_state own = state_of(k, 0);
    const bks_compared_state other = state_of(k, 1);
    const bool is_named =
        k->bytes[1] != NULL && state_difference_find(&c->names, &own, &other, &found);
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

void doctor_recorded_note(doctor_case *c, const doctor_play *straight)
{
    const bks_compared_state here = state_here(straight);
    uint32_t logs = 0;
    for (int s = 0; s < 2; s++) {
        const doctor_side *side = &c->sides[s];
        const bks_recording *info = side->file.replay != NULL ? side->file.info : NULL;
        for (uint32_t i = 0; info != NULL && i < info->evidence_count; i++) {
            recorded_states k;
            if (open_states(side, i, &here, &k) && k.bits > 0) {
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
