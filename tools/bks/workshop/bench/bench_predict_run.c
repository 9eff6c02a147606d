// SPDX-License-Identifier: MIT

#include "workshop/bench/bench_matches.h"

#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "input/timeline.h"

/// Length of the timelines in ticks, which is above any delay that is tried.
#define RING_TICKS 256u

/// Timelines of all players of a match.
typedef struct table {
    const played_match *match;
    bksi_layout layout;
    bksi_prediction prediction;
    bksi_timeline timelines[BKS_PLAYERS_MAX];
} table;

static const bks_allocator libc = {0};

static const int32_t *values_at(const table *t, bks_tick tick, uint32_t player)
{
    const size_t input = (size_t)tick * t->match->players + player;
    return t->match->values + input * t->layout.field_count;
}

static void table_close(table *t)
{
    for (uint32_t i = 0; i < t->match->players; i++) {
        bksi_timeline_destroy(&t->timelines[i], &libc);
    }
    bksi_prediction_destroy(&t->prediction, &libc);
}

static bks_status table_open(table *t, const played_match *match, const bks_field *fields,
                             uint32_t field_count, const void *votes, size_t votes_bytes,
                             bks_error *error)
{
    *t = (table){.match = match};
    bks_status status = bksi_layout_init(&t->layout, fields, field_count, error);
    if (status == BKS_OK && t->layout.has_history) {
        status =
            bksi_prediction_create(&t->prediction, &t->layout, votes, votes_bytes, &libc, error);
    }
    for (uint32_t i = 0; i < match->players && status == BKS_OK; i++) {
        status = bksi_timeline_create(&t->timelines[i], &t->layout, RING_TICKS, &libc);
        if (status == BKS_OK && t->layout.has_history) {
            status = bksi_timeline_predict_by(&t->timelines[i], &t->prediction, &libc);
        }
    }
    if (status != BKS_OK) {
        table_close(t);
    }
    return status;
}

static void step(bksi_timeline *timeline, bks_tick tick)
{
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    bksi_timeline_at(timeline, tick, packed);
    bksi_timeline_use(timeline, tick, packed);
}

/// Let one input of each player arrive.
/// @return bit i: a guess of player i's input was wrong
static uint32_t arrive(table *t, bks_tick tick, bks_tick now)
{
    uint32_t missed = 0;
    for (uint32_t i = 0; i < t->match->players; i++) {
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        bksi_layout_pack_clamped(&t->layout, values_at(t, tick, i), packed);
        const bks_tick wrong = bksi_timeline_append(&t->timelines[i], packed);
        missed |= wrong != BKS_TICK_NONE ? 1u << i : 0;
        for (bks_tick again = wrong; wrong != BKS_TICK_NONE && again < now; again++) {
            step(&t->timelines[i], again);
        }
    }
    return missed;
}

/// Count wrong guesses and rollbacks. Each player is watched by all others, and a lone player by
/// one watcher without a seat.
static void count_missed(const played_match *match, uint32_t missed, guess_count *count)
{
    if (match->players == 1) {
        count->rollbacks += missed;
    }
    for (uint32_t i = 0; i < match->players; i++) {
        count->misses += missed >> i & 1;
        count->rollbacks += match->players > 1 && (missed & ~(1u << i)) != 0 ? 1 : 0;
    }
}

bks_status guess_match(const played_match *match, const bks_field *fields, uint32_t field_count,
                       uint32_t delay_ticks, const void *votes, size_t votes_bytes,
                       guess_count *count, bks_error *error)
{
    table *t = malloc(sizeof(*t));
    if (t == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "bench", NULL, "no memory for a match");
    }
    const bks_status status = table_open(t, match, fields, field_count, votes, votes_bytes, error);
    if (status == BKS_OK) {
        const bks_tick delay = (bks_tick)delay_ticks;
        for (bks_tick now = 0; now < match->ticks + delay; now++) {
            if (now >= delay) {
                count_missed(match, arrive(t, now - delay, now), count);
            }
            for (uint32_t i = 0; i < match->players; i++) {
                step(&t->timelines[i], now);
            }
        }
        const double seconds = (double)match->ticks / match->tick_rate_hz * match->players;
        count->inputs += (uint64_t)match->ticks * match->players;
        count->player_seconds += seconds;
        count->watcher_seconds += seconds;
        table_close(t);
    }
    free(t);
    return status;
}

bks_status votes_learn(const played_match *const *matches, uint32_t match_count,
                       const bks_field *fields, uint32_t field_count, uint8_t **out,
                       size_t *out_bytes, bks_error *error)
{
    *out = NULL;
    bksi_layout layout;
    bks_status status = bksi_layout_init(&layout, fields, field_count, error);
    if (status != BKS_OK) {
        return status;
    }
    bksi_prediction prediction = {.layout = &layout};
    status = bksi_votes_create(&prediction.votes, &layout, true, &libc);
    for (uint32_t m = 0; m < match_count && status == BKS_OK; m++) {
        const played_match *match = matches[m];
        bksi_predictor players[BKS_PLAYERS_MAX] = {{0}};
        for (uint32_t i = 0; i < match->players && status == BKS_OK; i++) {
            status = bksi_predictor_create(&players[i], &prediction, &libc);
        }
        const size_t inputs = status == BKS_OK ? (size_t)match->ticks * match->players : 0;
        for (size_t i = 0; i < inputs; i++) {
            uint8_t packed[BKSI_INPUT_BYTES_MAX];
            bksi_layout_pack_clamped(&layout, match->values + i * field_count, packed);
            bksi_predictor_learn(&players[i % match->players], (bks_tick)(i / match->players),
                                 packed);
        }
        for (uint32_t i = 0; i < match->players; i++) {
            bksi_predictor_destroy(&players[i], &libc);
        }
    }
    if (status == BKS_OK) {
        *out_bytes = bksi_votes_write(&prediction.votes, NULL, 0);
        *out = malloc(*out_bytes);
        status = *out == NULL ? BKS_ERR_OUT_OF_MEMORY : BKS_OK;
    }
    if (status == BKS_OK) {
        (void)bksi_votes_write(&prediction.votes, *out, *out_bytes);
    }
    bksi_prediction_destroy(&prediction, &libc);
    return status;
}
