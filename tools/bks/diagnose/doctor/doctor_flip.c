// SPDX-License-Identifier: MIT

// Tries all states that differ in one bit from the state that this machine gets. A state's hash is
// made of the hashes of its pages, so each try hashes a single page again.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/stop.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_calls.h"
#include "diagnose/doctor/doctor_recorded.h"
#include "diagnose/doctor/doctor_steps.h"
#include "diagnose/doctor/doctor_verdict.h"
#include "diagnose/variants/variants.h"

enum { CANDIDATES_MAX = 64, BITS_OF_BYTE = 8, WHOLE_BITS = 64, STATE_BYTES_MAX = 4 << 20 };

/// Fewest bits of hashes that must agree: more than DOCTOR_BITS_MIN, because there are millions of
/// tries.
enum { FLIP_BITS_MIN = 52 };

typedef struct flips {
    bks_compared_state state;
    uint8_t *bytes; ///< copy of the state, in which bits are flipped
    size_t pages;
    uint64_t *page_hashes;
    uint64_t wanted;
    uint32_t wanted_bits;
    uint64_t differing; ///< number of bits in which the recorded states differ; 0: unknown
    uint32_t count;
    uint64_t found[CANDIDATES_MAX]; ///< indices of the bits that give the wanted hash if flipped
} flips;

static size_t page_bytes(const flips *f, size_t page)
{
    const size_t left = f->state.count - page * BKS_PAGE_BYTES;
    return left < BKS_PAGE_BYTES ? left : BKS_PAGE_BYTES;
}

static void flip(flips *f, uint64_t number)
{
    f->bytes[number / BITS_OF_BYTE] ^= (uint8_t)(1u << (number % BITS_OF_BYTE));
}

static void try_page(flips *f, size_t page)
{
    const size_t begin = page * BKS_PAGE_BYTES;
    const uint64_t plain = f->page_hashes[page];
    const size_t count = page_bytes(f, page);
    for (uint64_t i = 0; i < count * BITS_OF_BYTE && f->count < CANDIDATES_MAX; i++) {
        const uint64_t number = begin * BITS_OF_BYTE + i;
        flip(f, number);
        f->page_hashes[page] = bks_page_hash(f->bytes + begin, count);
        const uint64_t hash = bks_pages_hash(f->page_hashes, f->pages, f->state.count);
        if (doctor_hashes_agree(hash, f->wanted, f->wanted_bits)) {
            f->found[f->count++] = number;
        }
        flip(f, number);
    }
    f->page_hashes[page] = plain;
}

static bool begin(flips *f)
{
    f->pages = (f->state.count + BKS_PAGE_BYTES - 1) / BKS_PAGE_BYTES;
    f->bytes = malloc(f->state.count);
    f->page_hashes = malloc(f->pages * sizeof(*f->page_hashes));
    if (f->bytes == NULL || f->page_hashes == NULL) {
        return false;
    }
    memcpy(f->bytes, f->state.bytes, f->state.count);
    for (size_t page = 0; page < f->pages; page++) {
        f->page_hashes[page] = bks_page_hash(f->bytes + page * BKS_PAGE_BYTES, page_bytes(f, page));
    }
    return true;
}

// Return true if the state with one bit flipped also gives all later hashes of the other side.
static bool leads_to_side(const doctor_case *c, flips *f, uint64_t number, int other)
{
    static doctor_try t;
    flip(f, number);
    const bks_compared_state state = {.bytes = f->bytes, .count = f->state.count};
    t = (doctor_try){.variant = check_variant_find("baseline"), .first = c->hash_tick};
    (void)doctor_try_step(c, &state, &t);
    flip(f, number);
    // No process could be started from the flipped state, so the later hashes were not compared.
    // The hash of the flipped state agrees with the wanted one. That is enough only if all 64 bits
    // of the wanted hash are known.
    if (!t.is_run) {
        return f->wanted_bits == WHOLE_BITS;
    }
    return t.turned.is_same[other] && t.turned.bits[other] >= FLIP_BITS_MIN;
}

// If the recordings hold both states, read from them in which bits they differ.
static void read_bits(const doctor_case *c, const doctor_play *straight, flips *f)
{
    mark_list lists[2] = {{0}, {0}};
    const bool has_both = doctor_recorded_read(c, straight, lists) &&
                          lists[0].bytes_count == f->state.count &&
                          lists[1].bytes_count == f->state.count;
    for (size_t i = 0; has_both && i < f->state.count; i++) {
        const unsigned differing = lists[0].bytes[i] ^ lists[1].bytes[i];
        for (uint32_t bit = 0; differing != 0 && bit < BITS_OF_BYTE; bit++) {
            if ((differing >> bit & 1) != 0) {
                f->found[0] = i * BITS_OF_BYTE + bit;
                f->differing++;
            }
        }
    }
    // A recorded state at a mark may be older than the flip of the bit, so try all bits of a small
    // state.
    f->differing = f->differing > 1 && f->state.count <= STATE_BYTES_MAX ? 0 : f->differing;
    f->count = f->differing == 1 ? 1 : 0;
    mark_list_end(&lists[0]);
    mark_list_end(&lists[1]);
}

static void note_search(doctor_case *c, const flips *f, int plain, uint32_t good)
{
    doctor_note(c,
                "of %zu single bits of the state at tick %" PRId32 ", turning %" PRIu32
                " gives %s of the hash of %s, %" PRIu32 " of them also all later hashes",
                f->state.count * BITS_OF_BYTE, c->hash_tick, f->count,
                f->wanted_bits == WHOLE_BITS ? "all bits" : "the recorded bits",
                c->sides[1 - plain].name, good);
}

static bool find(doctor_case *c, flips *f, int plain, uint64_t *out_bit)
{
    for (size_t page = 0; f->differing == 0 && page < f->pages && !stop_is_wanted(); page++) {
        try_page(f, page);
    }
    uint32_t good = 0;
    uint64_t found = 0;
    for (uint32_t i = 0; i < f->count && !stop_is_wanted(); i++) {
        if (leads_to_side(c, f, f->found[i], 1 - plain)) {
            found = f->found[i];
            good++;
        }
    }
    if (f->differing > 0) {
        doctor_note(c,
                    "recorded states: at tick %" PRId32 " A and B differ in %" PRIu64
                    " bit%s; turning it gives %s of the hash of %s and all later hashes: %s",
                    c->hash_tick, f->differing, TOOL_PLURAL(f->differing),
                    f->wanted_bits == WHOLE_BITS ? "all bits" : "the recorded bits",
                    c->sides[1 - plain].name, good == 1 ? "yes" : "no");
    } else {
        note_search(c, f, plain, good);
    }
    if (good != 1 || stop_is_wanted()) {
        return false;
    }
    *out_bit = found;
    flip(f, found);
    const bks_compared_state flipped = {.bytes = f->bytes, .count = f->state.count};
    const bks_compared_state *states[2] = {&f->state, &flipped};
    if (c->verdict.value.place.object[0] == '\0') { // the recordings do not name the place
        (void)doctor_verdict_place(c, c->hash_tick, CHECK_MARK_START, states[plain],
                                   states[1 - plain]);
    }
    return true;
}

static const char *why_not(const doctor_case *c, const flips *f, const doctor_match *match)
{
    const bks_game *game = c->game.game;
    return game->create != NULL || game->hash != NULL || game->pointers
               ? "single bits: not tried: the hash is not one of pages of a region"
           : f->state.count == 0 ? "single bits: not tried: the state there is not known"
           : f->differing == 0 && f->state.count > STATE_BYTES_MAX
               ? "single bits: not tried: the state is larger than 4 MiB, and the recordings do "
                 "not hold what differs"
           : f->differing > 1 ? "single bits: not tried: the recorded states differ in several"
           : !match->is_same[0] && !match->is_same[1]
               ? "single bits: not tried: this machine comes to a third result"
               : NULL;
}

// ---- check that no step wrote the flipped bit ----

// First and last value of one byte in the recorded states of a tick.
typedef struct byte_of_tick {
    uint64_t offset;
    uint32_t count; ///< number of states that the values were read from
    uint8_t first;
    uint8_t last;
} byte_of_tick;

static bool read_byte(void *context, const char *mark, const void *state, size_t count)
{
    byte_of_tick *b = context;
    (void)mark;
    if (b->offset >= count) {
        return false;
    }
    b->last = ((const uint8_t *)state)[b->offset];
    b->first = b->count == 0 ? b->last : b->first;
    b->count++;
    return true;
}

// Return true if the step on this machine wrote nothing after its last mark.
static bool ends_with_its_mark(const doctor_play *straight, const bks_compared_state *there)
{
    bks_compared_state last = {0};
    for (uint32_t i = 0; doctor_play_mark(straight, i, &last) != NULL; i++) {
    }
    return last.count > 0 && last.count == there->count &&
           memcmp(last.bytes, there->bytes, there->count) == 0;
}

// Return true if the side's recorded marks show that the bit flipped between two steps, where no
// code of the game runs.
static bool is_outside_of_steps(const doctor_case *c, const flips *f, const doctor_play *straight,
                                int side, uint64_t bit)
{
    const replay_file *file = &c->sides[side].file;
    const uint8_t plain = ((const uint8_t *)f->state.bytes)[bit / BITS_OF_BYTE];
    byte_of_tick before = {.offset = bit / BITS_OF_BYTE};
    byte_of_tick there = before;
    if (file->replay == NULL || file->info->mark_ticks == 0 ||
        bks_replay_marks(file->replay, c->hash_tick - 1, read_byte, &before) != BKS_OK ||
        bks_replay_marks(file->replay, c->hash_tick, read_byte, &there) != BKS_OK) {
        tool_log_drop();
        return false;
    }
    return before.count > 1 && before.last == plain && there.count > 0 &&
           there.first == (plain ^ (1u << (bit % BITS_OF_BYTE))) &&
           ends_with_its_mark(straight, &f->state);
}

static void advise_more(doctor_case *c, const char *writer)
{
    const char *keep = doctor_advice_not_kept(c);
    const bool lacks_marks = keep != NULL && strstr(keep, "marks") != NULL;
    static const char begin[] = "one flipped bit comes to the other side's hashes, so it may be a "
                                "memory fault or a write from outside, but";
    if (writer != NULL) {
        (void)snprintf(c->advice, sizeof(c->advice), "%s %s could have written it, too", begin,
                       writer);
    } else {
        (void)snprintf(c->advice, sizeof(c->advice),
                       "%s code that runs there alone could have written it, too: ask that machine "
                       "(bks doctor --here, taken by --answer)%s",
                       begin, lacks_marks ? ", or record with --keep marks" : "");
    }
    c->verdict.next = c->advice;
}

// Return which code of the game may have written a bit outside of the steps that were tried here,
// NULL if there is none.
static const char *other_writer(const doctor_case *c, const doctor_play *straight)
{
    return straight->tape->threads > 0 ? "a thread of the game's own"
           : !c->is_drawn && vary_drawn_can(c->game.plugin)
               ? "draw, hear or another function that gets the state between steps, which was not "
                 "called here,"
               : NULL;
}

// Return true if the flipped bit proves a memory fault. The bit proves nothing if it may have been
// written by code of the game that ran only on the other machine.
static bool is_proof(doctor_case *c, const flips *f, const doctor_play *straight, int other,
                     uint64_t bit)
{
    const bool is_outside = is_outside_of_steps(c, f, straight, other, bit);
    const char *writer = other_writer(c, straight);
    const char *source = is_outside ? NULL : doctor_calls_objection(c, straight, "once");
    if (c->sensitive_to != NULL) {
        doctor_note(c, "single bits: not proven, since the change %s makes a difference, too",
                    c->sensitive_to);
    } else if (writer != NULL) {
        doctor_note(c, "single bits: not proven, since %s could have written it", writer);
    } else if (source != NULL) {
        doctor_note(c, "single bits: not proven, since %s", source);
    } else if (is_outside) {
        doctor_note(c,
                    "recorded marks: in %s the bit is unchanged at the last mark of tick "
                    "%" PRId32 ", and turned at the start of the next: no step wrote it",
                    c->sides[other].name, c->hash_tick - 1);
    } else if (!c->is_not_repeated[other]) {
        doctor_note(c, "single bits: not proven, since code that runs there alone could have "
                       "written it");
    }
    const bool is_proven = c->sensitive_to == NULL && writer == NULL && source == NULL &&
                           c->verdict.suspects[0] == '\0' &&
                           (is_outside || c->is_not_repeated[other]);
    if (!is_proven && c->verdict.suspects[0] == '\0') {
        advise_more(c, writer);
    }
    return is_proven;
}

bool doctor_proof_flip(doctor_case *c, const doctor_play *straight)
{
    flips f = {0};
    doctor_proof proof = {.means = DOCTOR_BY_BIT};
    const doctor_match match = doctor_play_match(c, straight);
    const int plain = match.is_same[0] ? 0 : 1;
    (void)doctor_play_state(straight, DOCTOR_STATE_THERE, &f.state);
    read_bits(c, straight, &f);
    const char *why = why_not(c, &f, &match);
    if (why != NULL) {
        doctor_note(c, "%s", why);
        return false;
    }
    const uint32_t evidence = c->evidence_count;
    f.wanted_bits = doctor_hash_of(c, 1 - plain, c->hash_tick, &f.wanted);
    const bool is_found = f.wanted_bits > 0 && begin(&f) && find(c, &f, plain, &proof.bit);
    free(f.bytes);
    free(f.page_hashes);
    proof.turns = 1 - plain;
    if (is_found && is_proof(c, &f, straight, 1 - plain, proof.bit)) {
        doctor_verdict_prove(c, "once", &proof);
        doctor_note_proof(c, evidence, evidence);
    } else if (is_found) {
        // Report the flipped bit as a suspicion, because nothing is proven.
        c->verdict.proof = proof;
    }
    return c->verdict.is_proven;
}
