// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_report.h"

#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"
#include "diagnose/variants/variants.h"

enum { TICKS_BEFORE = 4, BITS_OF_BYTE = 8 };

static void drop_one(doctor_states *states, uint32_t index)
{
    free(states->bytes[index]);
    states->bytes[index] = NULL;
    states->counts[index] = 0;
}

// ---- recorded states ----

typedef struct starting {
    doctor_states *out;
    uint32_t index;
} starting;

// Store the first of a tick's states, which is the state at the tick's start.
static bool take_start(void *context, const char *mark, const void *state, size_t count)
{
    const starting *s = context;
    (void)mark;
    doctor_states_keep(s->out, s->index, state, count);
    return false;
}

static void take_recorded(const doctor_case *c, int side, doctor_states *out)
{
    const replay_file *file = &c->sides[side].file;
    out->first = c->keep_from;
    for (uint32_t i = 0; file->replay != NULL && i < CHECK_KEPT_MAX; i++) {
        starting s = {.out = out, .index = i};
        const bks_tick tick = c->keep_from + (bks_tick)i;
        if (file->info->mark_ticks > 0 && tick < file->info->confirmed) {
            (void)!bks_replay_marks(file->replay, tick, take_start, &s);
        }
    }
    tool_log_drop();
}

// ---- states from repeating the proof ----

static void take_play(const doctor_case *c, int side, doctor_play_mode mode, doctor_states *out)
{
    static doctor_play play;
    doctor_play_run(c, side, mode, false, &play);
    if (play.is_done) {
        doctor_states_take(play.tape, 0, out);
    }
    doctor_play_close(&play);
}

// Repeat the run with the change that proved the cause, and store its states.
static void take_change(const doctor_case *c, const doctor_play *straight, doctor_states out[2])
{
    static doctor_try t;
    const doctor_proof *proof = &c->verdict.proof;
    bks_compared_state state;
    t = (doctor_try){.variant = check_variant_find(proof->change),
                     .value = proof->value,
                     .first = proof->first,
                     .keep_from = c->keep_from};
    t.keep[1] = &out[proof->turns];
    if (doctor_try_begin(c, straight, proof->first, &state)) {
        (void)doctor_try_step(c, &state, &t);
    }
}

// Repeat the run with the flipped bit that proved the cause. Until the flip both sides have the
// same states.
static void take_bit(const doctor_case *c, doctor_states out[2])
{
    static doctor_try t;
    const doctor_proof *proof = &c->verdict.proof;
    doctor_states *from = &out[1 - proof->turns];
    doctor_states *to = &out[proof->turns];
    const uint32_t there = (uint32_t)(c->hash_tick - c->keep_from);
    to->first = from->first;
    for (uint32_t i = 0; i <= there; i++) {
        doctor_states_keep(to, i, from->bytes[i], from->counts[i]);
    }
    if (to->counts[there] == 0) {
        return;
    }
    to->bytes[there][proof->bit / BITS_OF_BYTE] ^= (uint8_t)(1u << (proof->bit % BITS_OF_BYTE));
    const bks_compared_state state = {.bytes = to->bytes[there], .count = to->counts[there]};
    t = (doctor_try){.variant = check_variant_find("baseline"),
                     .first = c->hash_tick,
                     .keep_from = c->keep_from};
    t.keep[0] = to;
    (void)doctor_try_step(c, &state, &t);
}

static void take_straight(doctor_case *c, doctor_states out[2])
{
    static doctor_play straight;
    doctor_play_run(c, 0, DOCTOR_STRAIGHT, false, &straight);
    if (!straight.is_done) {
        doctor_play_close(&straight);
        return;
    }
    const doctor_match match = doctor_play_match(c, &straight);
    const uint32_t there = (uint32_t)(c->hash_tick - c->keep_from);
    for (int s = 0; s < 2; s++) {
        doctor_states_take(straight.tape, 0, &out[s]);
        // Before hash_tick both sides have these states. From there on, only a side with the
        // hashes of this play has them.
        for (uint32_t i = match.is_same[s] ? CHECK_KEPT_MAX : there; i < CHECK_KEPT_MAX; i++) {
            drop_one(&out[s], i);
        }
    }
    if (c->verdict.proof.means == DOCTOR_BY_CHANGE) {
        take_change(c, &straight, out);
    } else if (c->verdict.proof.means == DOCTOR_BY_BIT) {
        take_bit(c, out);
    }
    doctor_play_close(&straight);
}

// ---- states whose hash is not the side's ----

bks_runner *doctor_states_runner(const doctor_case *c)
{
    const replay_file *file = &c->sides[0].file;
    const bks_playback_config playback = {
        .replay = file->replay, .game = c->game.game, .any_version = true};
    bks_runner_config config = {.game = c->game.game,
                                .has_options = true,
                                .seed = file->info->seed,
                                .players = file->info->players};
    bks_runner *runner = NULL;
    return bks_playback_options(&playback, &config.options, NULL) == BKS_OK &&
                   bks_runner_create(&config, &runner, NULL) == BKS_OK
               ? runner
               : NULL;
}

// Drop the states whose hash is not the side's. A run that gets the side's hash at one tick may get
// another hash later.
static void drop_others(const doctor_case *c, int side, bks_runner *runner, doctor_states *states)
{
    for (uint32_t i = 0; i < CHECK_KEPT_MAX; i++) {
        uint64_t hash = 0;
        const uint32_t bits = doctor_hash_of(c, side, c->keep_from + (bks_tick)i, &hash);
        if (states->counts[i] > 0 &&
            bks_runner_import(runner, states->bytes[i], states->counts[i], NULL) == BKS_OK &&
            !doctor_hashes_agree(bks_runner_hash(runner), hash, bits)) {
            drop_one(states, i);
        }
    }
}

void doctor_states_collect(doctor_case *c, doctor_states out[2])
{
    const doctor_proof *proof = &c->verdict.proof;
    const bks_tick begin = c->sides[0].file.info->first;
    if (c->hash_tick == BKS_TICK_NONE) {
        return;
    }
    c->keep_from = c->hash_tick - begin > TICKS_BEFORE ? c->hash_tick - TICKS_BEFORE : begin;
    if (proof->means == DOCTOR_BY_FILES || proof->means == DOCTOR_BY_ROLLBACKS) {
        for (int s = 0; s < 2; s++) {
            const int of = c->has_two ? s : 0;
            take_play(c, of, proof->is_rolled[s] ? DOCTOR_ROLLED : DOCTOR_STRAIGHT, &out[s]);
        }
    } else {
        take_straight(c, out);
    }
    bks_runner *runner = doctor_states_runner(c);
    for (int s = 0; s < 2; s++) {
        take_recorded(c, s, &out[s]);
        if (runner != NULL) {
            drop_others(c, s, runner, &out[s]);
        }
    }
    bks_runner_destroy(runner);
}
