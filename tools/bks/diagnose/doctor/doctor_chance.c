// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_chance.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/stop.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_verdict.h"
#include "diagnose/variants/variants.h"

/// Plays that are counted to say how often each result comes.
enum { COUNTED_PLAYS = 7 };

bool doctor_chance_are_alike(const doctor_case *c, const doctor_play *a, const doctor_play *b)
{
    const check_span *span_a = &a->tape->span;
    const check_span *span_b = &b->tape->span;
    const uint32_t count = (uint32_t)(c->hash_tick - c->first + 1);
    return span_a->counts[0] >= count && span_b->counts[0] >= count &&
           memcmp(span_a->hashes[0], span_b->hashes[0], count * sizeof(span_a->hashes[0][0])) == 0;
}

bool doctor_chance_repeats(const doctor_case *c, const doctor_play *play, int side,
                           doctor_play_mode mode, bool is_moved)
{
    static doctor_play again;
    if (stop_is_wanted()) {
        return false;
    }
    doctor_play_run(c, side, mode, is_moved, &again);
    const bool does = again.is_done && doctor_chance_are_alike(c, play, &again);
    doctor_play_close(&again);
    return does;
}

bool doctor_chance_is_plain(doctor_case *c, const doctor_play *straight, uint32_t runs)
{
    for (uint32_t i = 0; i < runs; i++) {
        if (!doctor_chance_repeats(c, straight, 0, DOCTOR_STRAIGHT, false)) {
            c->varies = true;
            return false;
        }
    }
    return true;
}

// Count the plain processes that come to each side, and those that come to the same as `straight`.
static uint32_t count_plays(const doctor_case *c, const doctor_play *straight, uint32_t of_side[2],
                            uint32_t *alike)
{
    static doctor_play play;
    uint32_t runs = 0;
    for (; runs < COUNTED_PLAYS && !stop_is_wanted(); runs++) {
        doctor_play_run(c, 0, DOCTOR_STRAIGHT, false, &play);
        const doctor_match match =
            play.is_done ? doctor_play_match(c, &play) : (doctor_match){.wrong = BKS_TICK_NONE};
        of_side[0] += match.is_same[0] ? 1 : 0;
        of_side[1] += match.is_same[1] ? 1 : 0;
        *alike += play.is_done && doctor_chance_are_alike(c, straight, &play) ? 1 : 0;
        doctor_play_close(&play);
    }
    return runs;
}

bool doctor_chance_suspect(doctor_case *c, const doctor_play *straight)
{
    doctor_verdict *v = &c->verdict;
    const doctor_match plain = doctor_play_match(c, straight);
    uint32_t of_side[2] = {plain.is_same[0] ? 1 : 0, plain.is_same[1] ? 1 : 0};
    uint32_t alike = 1;
    const bool is_world = strstr(v->suspects, "environment") != NULL;
    if (v->suspects[0] != '\0' && !is_world) {
        return false;
    }
    const uint32_t runs = count_plays(c, straight, of_side, &alike) + 1;
    if (alike == runs) {
        return false;
    }
    c->varies = true;
    for (int s = 0; s < 2; s++) {
        c->has_here[s] = c->has_here[s] || of_side[s] > 0;
    }
    doctor_note(c,
                "of %" PRIu32 " plain processes at the same addresses %" PRIu32
                " come to the hash of A, %" PRIu32 " to that of %s, %" PRIu32 " to others",
                runs, of_side[0], of_side[1], c->sides[1].name, runs - of_side[0] - of_side[1]);
    doctor_verdict_suspect(
        c, "%s%s%s, not proven: the same recording comes to several results from run to run%s",
        is_world ? "a clock or random numbers" : "environment",
        straight->tape->threads > 0 ? ", threads" : "", is_world ? "" : " or uninitialised",
        is_world || c->varies_plainly
            ? ""
            : ", and to one if clock, random numbers and fresh memory are the same");
    v->next = vary_world.advice;
    return true;
}
