// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_set.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/stop.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_calls.h"
#include "diagnose/doctor/doctor_recorded.h"
#include "diagnose/doctor/doctor_unset.h"
#include "diagnose/doctor/doctor_verdict.h"
#include "diagnose/variants/variants.h"

enum { BITS_OF_BYTE = 8, PAGE_BYTES = 4096, WORD_BYTES = 4 };

/// A quantity that a process gets from the system and that a variant can set, such as an address.
typedef struct setting {
    const char *varied_by;
    const char *name; ///< name of the variant that sets the quantity
    void (*guess)(const doctor_probe *probe, uint64_t wanted, doctor_values *out);
    uint64_t probes[2];
    uint64_t align;
} setting;

// Times that probe() sets, in µs since 1970: the first at the beginning of an hour.
#define FIRST_CLOCK  UINT64_C(1769904000000000)
#define SECOND_CLOCK (FIRST_CLOCK + UINT64_C(7777123457))

// First of the two addresses that probe() sets. Both are far from all memory in use.
#define FIRST_PLACE UINT64_C(0x300000000000)

static const setting settings[] = {
    {"fill", "stack-holds", doctor_values_of_stack, {0x1f2e3d4c1b2a3948, 0x56a7b8c9d4e5f607}, 1},
    {"world", "random-is", doctor_values_of_random, {0x3c6ef372a54ff53a, 0x9b05688c5be0cd19}, 1},
    {"world", "clock-is", doctor_values_of_clock, {FIRST_CLOCK, SECOND_CLOCK}, 1},
    {"address", "stack-at", doctor_values_of_place, {FIRST_PLACE, FIRST_PLACE + 0x123457890}, 16},
    {"address", "heap-at", doctor_values_of_place, {FIRST_PLACE, FIRST_PLACE + 0x123457890}, 16},
    {"address",
     "code-at",
     doctor_values_of_place,
     {FIRST_PLACE, FIRST_PLACE + 0x123457000},
     PAGE_BYTES},
};

/// Search for the two values of a setting that give the states of A and B.
typedef struct search {
    doctor_case *c;
    const doctor_play *straight;
    const setting *setting;
    bks_compared_state begin; ///< state before the step that caused the difference
    mark_list recorded[2];    ///< states of both sides after the step that caused the difference
    size_t offset;            ///< offset of the value that differs, in bytes
    size_t count;             ///< size of the value that differs: 1, 2, 4 or 8 bytes
    uint32_t tries;
} search;

static uint64_t read_value(const uint8_t *at, size_t count)
{
    uint8_t byte = 0;
    uint16_t half = 0;
    uint32_t word = 0;
    uint64_t whole = 0;
    void *const rooms[] = {&byte, &half, &word, &whole};
    const size_t room = count == 1 ? 0 : count == 2 ? 1 : count == WORD_BYTES ? 2 : 3;
    memcpy(rooms[room], at, count);
    return byte | half | word | whole;
}

// ---- reading the recorded states ----

static bool is_same_but_value(const search *s, const uint8_t *bytes, size_t count)
{
    const mark_list *a = &s->recorded[0];
    const size_t behind = s->offset + s->count;
    return count == a->bytes_count && behind <= count && memcmp(bytes, a->bytes, s->offset) == 0 &&
           memcmp(bytes + behind, a->bytes + behind, count - behind) == 0;
}

// Use the aligned `count` bytes around the difference as the value.
static bool widen(search *s, size_t count, const bks_compared_state *b)
{
    s->offset = s->offset / count * count;
    s->count = count;
    return is_same_but_value(s, b->bytes, b->count);
}

// Find the field that differs, or else the aligned 4 or 8 bytes around the difference, and check
// that nothing else differs: a value that was never written may be copied into several fields.
static bool find_value(search *s)
{
    state_difference found;
    bks_compared_state states[2];
    for (int side = 0; side < 2; side++) {
        const mark_list *list = &s->recorded[side];
        states[side] = (bks_compared_state){.bytes = list->bytes, .count = list->bytes_count};
    }
    if (!state_difference_find(&s->c->names, &states[0], &states[1], &found)) {
        return false;
    }
    s->offset = (size_t)found.place.begin_bytes;
    s->count = (size_t)(found.place.end_bytes - found.place.begin_bytes);
    const bool is_word =
        s->count == 1 || s->count == 2 || s->count == WORD_BYTES || s->count == sizeof(uint64_t);
    return (is_word && is_same_but_value(s, states[1].bytes, states[1].count)) ||
           widen(s, WORD_BYTES, &states[1]) || widen(s, sizeof(uint64_t), &states[1]);
}

// ---- trying one value of the setting ----

// Make the step that caused the difference, with the setting at a given value.
// @param states  receives the state after the step; the caller releases it
static bool run(search *s, uint64_t value, doctor_states *states, doctor_try *t)
{
    static char text[DOCTOR_SET_BYTES];
    (void)snprintf(text, sizeof(text), "0x%" PRIx64, value);
    *states = (doctor_states){0};
    *t = (doctor_try){.variant = check_variant_find(s->setting->name),
                      .value = text,
                      .first = s->c->hash_tick - 1,
                      .keep = {NULL, states},
                      .keep_from = s->c->hash_tick};
    (void)doctor_try_step(s->c, &s->begin, t);
    s->tries++;
    return t->is_run && states->counts[0] > 0;
}

// Play the game twice, with two values of the quantity, such as two addresses. Return true if the
// differing field comes out differently, and the rest of the state the same.
static bool probe(search *s, doctor_probe *out)
{
    static doctor_try t;
    doctor_states states;
    bool is_alone = true;
    *out = (doctor_probe){.bits = (uint32_t)s->count * BITS_OF_BYTE, .align = s->setting->align};
    for (int i = 0; i < 2 && is_alone; i++) {
        out->set[i] = s->setting->probes[i];
        is_alone = run(s, out->set[i], &states, &t) &&
                   is_same_but_value(s, states.bytes[0], states.counts[0]);
        out->read[i] = is_alone ? read_value(states.bytes[0] + s->offset, s->count) : 0;
        doctor_states_free(&states);
    }
    if (!t.is_run) {
        doctor_note(s->c, "%s: not tried: %s", s->setting->name, t.why);
    } else if (!is_alone) {
        doctor_note(s->c, "%s: another value changes more than what differs", s->setting->name);
    } else if (out->read[0] == out->read[1]) {
        doctor_note(s->c, "%s: another value changes nothing", s->setting->name);
    } else {
        return true;
    }
    doctor_note_detail(s->c);
    return false;
}

// Return true if the setting at a given value leads to a side's state, byte for byte, and to its
// hash.
static bool comes_to(search *s, int side, uint64_t value)
{
    static doctor_try t;
    doctor_states states;
    const mark_list *wanted = &s->recorded[side];
    const bool does = run(s, value, &states, &t) && states.counts[0] == wanted->bytes_count &&
                      memcmp(states.bytes[0], wanted->bytes, wanted->bytes_count) == 0 &&
                      t.turned.is_same[side] && !t.turned.is_same[1 - side];
    doctor_states_free(&states);
    return does;
}

static bool find_of_side(search *s, int side, const doctor_probe *probe, uint64_t *out)
{
    doctor_values values;
    s->setting->guess(probe, read_value(s->recorded[side].bytes + s->offset, s->count), &values);
    for (uint32_t i = 0; i < values.count && !stop_is_wanted(); i++) {
        if (comes_to(s, side, values.items[i])) {
            *out = values.items[i];
            return true;
        }
    }
    doctor_note(s->c,
                "%s: two settings give two other values, but none of %" PRIu32
                " settings gives the state of %s",
                s->setting->name, values.count, s->c->sides[side].name);
    return false;
}

// Return true if both values come to their side's state each time. The first time they were found
// among many guesses.
static bool stays(search *s, const uint64_t found[2])
{
    for (uint32_t i = 0; i < DOCTOR_TRY_REPEATS; i++) {
        if (!comes_to(s, 0, found[0]) || !comes_to(s, 1, found[1])) {
            return false;
        }
    }
    return true;
}

static bool prove_by(search *s, const doctor_try *suspected)
{
    doctor_case *c = s->c;
    doctor_probe probed;
    doctor_proof proof = {.means = DOCTOR_BY_SETTING, .change = s->setting->name};
    s->tries = 0;
    uint64_t found[2];
    if (!probe(s, &probed) || !find_of_side(s, 0, &probed, &found[0]) ||
        !find_of_side(s, 1, &probed, &found[1])) {
        return false;
    }
    if (!stays(s, found)) {
        doctor_note(c, "%s: tried again, a setting comes to something else", s->setting->name);
        return false;
    }
    if (strcmp(suspected->variant->cause, "uninitialised") == 0 &&
        !doctor_unset_is_seen(c, s->straight, suspected)) {
        return false;
    }
    const char *why = doctor_calls_objection(c, s->straight, suspected->variant->cause);
    if (why != NULL) {
        doctor_note(c, "%s comes to the states of both sides, which proves nothing: %s",
                    s->setting->name, why);
        return false;
    }
    for (int side = 0; side < 2; side++) {
        (void)snprintf(proof.set[side], sizeof(proof.set[side]), "0x%" PRIx64, found[side]);
    }
    doctor_note(c,
                "%s: %s comes to the state of A at tick %" PRId32
                ", every byte of it, %s to that of B; other values change what differs and nothing "
                "else (%" PRIu32 " tries)",
                s->setting->name, proof.set[0], c->hash_tick, proof.set[1], s->tries);
    doctor_verdict_prove(c, suspected->variant->cause, &proof);
    return true;
}

bool doctor_set_prove(doctor_case *c, const doctor_play *straight, const doctor_try *suspected)
{
    static search s;
    s = (search){.c = c, .straight = straight};
    bool is_proven = false;
    if (doctor_recorded_read(c, straight, s.recorded) &&
        doctor_try_begin(c, straight, c->hash_tick - 1, &s.begin) && find_value(&s)) {
        for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]) && !is_proven; i++) {
            s.setting = &settings[i];
            is_proven = strcmp(s.setting->varied_by, suspected->variant->name) == 0 &&
                        !stop_is_wanted() && prove_by(&s, suspected);
        }
    }
    mark_list_end(&s.recorded[0]);
    mark_list_end(&s.recorded[1]);
    return is_proven;
}

enum { WHOLE_BITS = 64, SEEN_BITS = 8, SHIFTS_OF_PLACE = 17, NS_OF_US = 1000 };

/// least_place: lowest address that a program may use. most_place: one past the highest.
static const uint64_t least_place = UINT64_C(1) << 32;
static const uint64_t most_place = UINT64_C(1) << 47;

static uint64_t low(uint64_t value, uint32_t bits)
{
    return bits < WHOLE_BITS ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static uint64_t with_sign(uint64_t value, uint32_t bits)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    return (low(value, bits) ^ sign) - sign;
}

static void add(doctor_values *out, uint64_t value)
{
    for (uint32_t i = 0; i < out->count; i++) {
        if (out->items[i] == value) {
            return;
        }
    }
    if (out->count < DOCTOR_VALUES_MAX) {
        out->items[out->count++] = value;
    }
}

// ---- guessing bytes on the stack ----

static uint64_t repeated(uint64_t value, uint32_t bits)
{
    uint64_t word = low(value, bits);
    for (uint32_t have = bits; have < WHOLE_BITS; have *= 2) {
        word |= word << have;
    }
    return word;
}

void doctor_values_of_stack(const doctor_probe *probe, uint64_t wanted, doctor_values *out)
{
    out->count = 0;
    add(out, repeated(wanted, probe->bits));
    // Try several widths, because the variable on the stack may be wider or narrower than the
    // field.
    for (uint32_t bits = SEEN_BITS; bits <= WHOLE_BITS; bits *= 2) {
        if (low(with_sign(wanted, bits), probe->bits) == low(wanted, probe->bits) ||
            low(wanted, bits) == low(wanted, probe->bits)) {
            add(out, repeated(with_sign(wanted, probe->bits), bits));
            add(out, repeated(wanted, bits));
        }
    }
}

// ---- guessing random numbers ----

// Return true if the field holds the bits of the random number from bit `shift` on.
static bool has_bits_from(const doctor_probe *probe, uint32_t shift)
{
    return low(probe->read[0] ^ probe->set[0] >> shift, SEEN_BITS) == 0 &&
           low(probe->read[1] ^ probe->set[1] >> shift, SEEN_BITS) == 0;
}

void doctor_values_of_random(const doctor_probe *probe, uint64_t wanted, doctor_values *out)
{
    out->count = 0;
    for (uint32_t shift = 0; shift < WHOLE_BITS; shift++) {
        if (has_bits_from(probe, shift)) {
            add(out, wanted << shift);
        }
    }
    // Try the field's own value, in case the game took the random number modulo something.
    add(out, wanted);
}

// ---- guessing times ----

// Return true if between the two tried values the field grew by `by`, or by 1 more or less because
// of what was rounded.
static bool grew_by(const doctor_probe *probe, uint64_t by)
{
    return low(probe->read[1] - probe->read[0] - by + 1, probe->bits) <= 2;
}

void doctor_values_of_clock(const doctor_probe *probe, uint64_t wanted, doctor_values *out)
{
    static const uint64_t units_us[] = {1, 1000, 10000, 1000000, 60000000, 3600000000};
    const uint64_t later_us = probe->set[1] - probe->set[0];
    const uint64_t more = with_sign(wanted - probe->read[0], probe->bits);
    out->count = 0;
    for (int i = 0; i < 2; i++) {
        if (low(probe->read[i], probe->bits) == low(wanted, probe->bits)) {
            add(out, probe->set[i]); // one of few values, such as heads and tails
        }
    }
    for (size_t i = 0; i < sizeof(units_us) / sizeof(units_us[0]); i++) {
        if (grew_by(probe, later_us / units_us[i])) {
            add(out, probe->set[0] + more * units_us[i]);
        }
    }
    if (grew_by(probe, later_us * NS_OF_US)) {
        add(out, probe->set[0] + (uint64_t)((int64_t)more / NS_OF_US));
    }
}

// ---- guessing addresses ----

// Return true if the field may hold the address's bits from bit `shift` on: between the two tried
// addresses it grew by as much as these bits, or by 1 more or less because of a carry from lower
// bits.
static bool grew_with(const doctor_probe *probe, uint32_t shift)
{
    return grew_by(probe, (probe->set[1] - probe->set[0]) >> shift);
}

static void add_place(const doctor_probe *probe, uint64_t place, doctor_values *out)
{
    if (place >= least_place && place < most_place && place % probe->align == 0) {
        add(out, place);
    }
}

void doctor_values_of_place(const doctor_probe *probe, uint64_t wanted, doctor_values *out)
{
    out->count = 0;
    for (uint32_t shift = 0; shift < SHIFTS_OF_PLACE; shift++) {
        const uint64_t slide = with_sign(wanted - probe->read[0], probe->bits) << shift;
        if (!grew_with(probe, shift)) {
            continue;
        }
        add_place(probe, probe->set[0] + slide, out);
        // Also guess the next higher and lower address, because the field lacks the address's
        // higher bits.
        if (probe->bits + shift < WHOLE_BITS) {
            add_place(probe, probe->set[0] + slide + (UINT64_C(1) << (probe->bits + shift)), out);
            add_place(probe, probe->set[0] + slide - (UINT64_C(1) << (probe->bits + shift)), out);
        }
    }
}
