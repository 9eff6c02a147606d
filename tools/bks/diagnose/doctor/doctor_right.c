// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_right.h"
#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"

#include <stdlib.h>

enum { DEPTH_MAX = 512 };

typedef struct copying {
    bks_replay *from;
    const bks_recording *info;
    bks_replay_writer *to;
    uint32_t next_rollback;
    int32_t *inputs; ///< of DEPTH_MAX ticks
} copying;

static bool create(const replay_file *file, const bks_game *game, const void *state, copying *c,
                   doctor_right *out)
{
    const bks_recording *info = file->info;
    const bks_playback_config playback = {.replay = file->replay, .game = game};
    bks_replay_config config = {
        .game = game,
        .seed = info->seed,
        .players = info->players,
        .tick_rate_hz = info->tick_rate_hz,
        .first_tick = info->first,
        .build = info->build,
        .unconfirmed_ticks_max = DEPTH_MAX,
        .pointers = info->has_pointers,
        .state = state,
        .state_bytes = state != NULL ? (size_t)info->state_bytes : 0,
        .detail = {.rollbacks = true},
        .environment = info->environment,
        .environment_count = info->environment_count,
        .sink = doctor_memory_sink(&out->memory),
    };
    return bks_playback_options(&playback, &config.options, NULL) == BKS_OK &&
           bks_replay_writer_create(&config, &c->to, NULL) == BKS_OK;
}

// The rollbacks that happened before a tick was stepped for the first time.
static bool copy_rollbacks(copying *c, bks_tick tick)
{
    const size_t values = (size_t)c->info->players * c->info->field_count;
    for (; c->next_rollback < c->info->rollback_count; c->next_rollback++) {
        bks_replay_rollback r;
        if (bks_replay_rollback_at(c->from, c->next_rollback, &r) != BKS_OK ||
            r.present - r.from > DEPTH_MAX) {
            return false;
        }
        if (r.present > tick) {
            return true;
        }
        if (r.from < c->info->first) {
            continue;
        }
        for (bks_tick t = r.from; t < r.present; t++) {
            if (bks_replay_inputs(c->from, t, c->inputs + (size_t)(t - r.from) * values) !=
                BKS_OK) {
                return false;
            }
        }
        if (bks_replay_writer_rollback(c->to, r.present, r.from, c->inputs) != BKS_OK) {
            return false;
        }
    }
    return true;
}

static bool copy_ticks(copying *c)
{
    for (bks_tick tick = c->info->first; tick < c->info->confirmed; tick++) {
        if (!copy_rollbacks(c, tick) || bks_replay_inputs(c->from, tick, c->inputs) != BKS_OK ||
            bks_replay_writer_confirm(c->to, tick, c->inputs, NULL) != BKS_OK) {
            return false;
        }
    }
    return copy_rollbacks(c, c->info->confirmed) && bks_replay_writer_finish(c->to, NULL) == BKS_OK;
}

static bool copy(const replay_file *file, const bks_game *game, uint8_t *state, copying *c,
                 doctor_right *out)
{
    const bks_recording *info = file->info;
    if (state != NULL &&
        bks_replay_state(file->replay, state, (size_t)info->state_bytes, NULL) != BKS_OK) {
        return false;
    }
    const bool is_written = create(file, game, state, c, out) && copy_ticks(c);
    bks_replay_writer_destroy(c->to);
    return is_written && bks_replay_open(out->memory.bytes, out->memory.count, NULL, &out->replay,
                                         NULL) == BKS_OK;
}

bool doctor_right_make(const replay_file *file, const bks_game *game, doctor_right *out)
{
    const bks_recording *info = file->info;
    const bool has_state = !info->has_pointers && info->state_bytes > 0;
    copying c = {.from = file->replay,
                 .info = info,
                 .inputs = calloc(DEPTH_MAX, sizeof(int32_t) * info->players * info->field_count)};
    uint8_t *state = has_state ? malloc((size_t)info->state_bytes) : NULL;
    const bool is_made = info->fact_count == 0 && c.inputs != NULL &&
                         (state != NULL) == has_state && copy(file, game, state, &c, out);
    free(c.inputs);
    free(state);
    return is_made;
}

void doctor_right_free(doctor_right *right)
{
    bks_replay_close(right->replay);
    doctor_memory_free(&right->memory);
    right->replay = NULL;
}
