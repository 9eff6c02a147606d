// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_case.h"
#include "backstitch/toolkit/recording.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WHOLE_BITS = 64 };

static void note(doctor_case *c, bool is_answer, const char *format, va_list arguments)
{
    if (c->evidence_count == DOCTOR_EVIDENCE_MAX) {
        return;
    }
    doctor_evidence *out = &c->evidence[c->evidence_count++];
    *out = (doctor_evidence){.is_answer = is_answer};
    (void)vsnprintf(out->text, sizeof(out->text), format, arguments);
}

void doctor_note(doctor_case *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(c, false, format, arguments);
    va_end(arguments);
}

void doctor_note_detail(doctor_case *c)
{
    c->evidence[c->evidence_count - 1].is_detail = true;
}

void doctor_note_proof(doctor_case *c, uint32_t index, uint32_t to)
{
    const doctor_evidence moved = c->evidence[index];
    memmove(&c->evidence[to + 1], &c->evidence[to], (index - to) * sizeof(moved));
    c->evidence[to] = moved;
    c->evidence[to].is_detail = false;
    c->evidence[to].is_proof = true;
}

void doctor_answer(doctor_case *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(c, true, format, arguments);
    va_end(arguments);
}

uint32_t doctor_hash_of(const doctor_case *c, int number, bks_tick tick, uint64_t *out)
{
    const doctor_side *side = &c->sides[number];
    uint32_t bits = 0;
    if (side->event_tick == tick) {
        *out = side->event_hash;
        return WHOLE_BITS;
    }
    if (tick >= c->first && (uint32_t)(tick - c->first) < side->here_count) {
        *out = side->here[tick - c->first];
        return WHOLE_BITS;
    }
    const bks_replay *only = c->sides[0].file.replay;
    if (side->file.replay == NULL && only != NULL &&
        bks_replay_agreed_hash(only, tick, out) == BKS_OK) {
        return WHOLE_BITS; // what the peers agreed on instead
    }
    if (side->file.replay == NULL || tick > side->file.info->confirmed ||
        bks_replay_hash(side->file.replay, tick, out, &bits) != BKS_OK) {
        return 0;
    }
    return bits;
}

bool doctor_hashes_agree(uint64_t a, uint64_t b, uint32_t bits)
{
    const uint64_t mask = bits < WHOLE_BITS ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    return ((a ^ b) & mask) == 0;
}

// Whether both sides are known at a tick and differ.
static bool are_apart(const doctor_case *c, bks_tick tick)
{
    uint64_t hashes[2] = {0};
    const uint32_t a = doctor_hash_of(c, 0, tick, &hashes[0]);
    const uint32_t b = doctor_hash_of(c, 1, tick, &hashes[1]);
    return !doctor_hashes_agree(hashes[0], hashes[1], a < b ? a : b);
}

doctor_match doctor_compare(const doctor_case *c, bks_tick first, const uint64_t *hashes,
                            uint32_t count)
{
    doctor_match out = {.is_same = {true, true}, .wrong = BKS_TICK_NONE};
    bool goes_on[2] = {true, true};
    for (uint32_t i = 0; i < count; i++) {
        const bks_tick tick = first + (bks_tick)i;
        for (int s = 0; s < 2; s++) {
            uint64_t known = 0;
            const uint32_t bits = doctor_hash_of(c, s, tick, &known);
            const bool agrees = doctor_hashes_agree(hashes[i], known, bits);
            out.is_same[s] = out.is_same[s] && (agrees || tick > c->hash_tick);
            goes_on[s] = goes_on[s] && agrees;
            out.bits[s] += goes_on[s] && tick >= c->hash_tick && are_apart(c, tick) ? bits : 0;
        }
        if (!out.is_same[0] && !out.is_same[1] && out.wrong == BKS_TICK_NONE) {
            out.wrong = tick;
        }
    }
    for (int s = 0; s < 2; s++) {
        out.is_same[s] = out.is_same[s] && out.bits[s] > 0;
    }
    return out;
}

const char *doctor_whose(const doctor_case *c, const doctor_match *match)
{
    static char text[64];
    const int side = match->is_same[0] ? 0 : 1;
    if (!match->is_same[side]) {
        return "a third result";
    }
    (void)snprintf(text, sizeof(text), "the hash of %s", c->sides[side].name);
    return text;
}
