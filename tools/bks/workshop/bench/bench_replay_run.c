// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "workshop/bench/bench_replay_run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backstitch/peer.h"
#include "backstitch/replay.h"
#include "base/progress.h"
#include "base/tool.h"
#include "game/runner.h"
#include "record/recording/ahead.h"

/// A recording in memory.
typedef struct memory_file {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
} memory_file;

/// Everything of one call.
typedef struct run {
    const replay_bench *bench;
    memory_file file;
    int32_t *inputs; ///< of all ticks and players
    uint64_t final_hash;
    bool is_same;
} run;

static double now_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

// ---- recording ----

static bks_status write_memory(void *context, uint64_t offset_bytes, const void *bytes,
                               size_t count)
{
    memory_file *file = context;
    const size_t end = (size_t)offset_bytes + count;
    if (end > file->capacity) {
        uint8_t *more = realloc(file->bytes, 2 * end);
        if (more == NULL) {
            return BKS_ERR_IO;
        }
        file->bytes = more;
        file->capacity = 2 * end;
    }
    memcpy(file->bytes + offset_bytes, bytes, count);
    file->count = end > file->count ? end : file->count;
    return BKS_OK;
}

static int record(run *r)
{
    const replay_bench *bench = r->bench;
    bks_peer_config config = bks_peer_config_default();
    config.game = bench->game;
    config.options = bench->options;
    config.has_options = true;
    // No peer joins: any keys do, but there must be some.
    config.session.key[0] = config.session.identity[0] = config.session.entropy[0] = 1;
    config.session.is_host = true;
    config.session.players = bench->players;
    config.session.local_players = bench->players;
    config.session.seed = bench->seed;
    config.session.ticks = bench->ticks;
    config.session.tuning.window_ticks = 0;
    config.session.tuning.delay_ticks = 0;
    config.session.tuning.hash_every_ticks = 1;
    config.record = (bks_sink){.write = write_memory, .context = &r->file};
    for (uint32_t i = 0; i < bench->players; i++) {
        config.sources[i] = source_set_source(bench->sources);
    }
    bks_error error = {0};
    bks_peer *peer = NULL;
    if (bks_peer_create(&config, &peer, &error) != BKS_OK) {
        tool_complain_error(bench->game->name, &error);
        return TOOL_MISUSE;
    }
    bks_session *session = bks_peer_session(peer);
    progress bar;
    progress_begin(&bar, "recording", (uint64_t)bench->ticks);
    bks_status status = BKS_OK;
    for (uint64_t now = 0; status == BKS_OK; now = bks_peer_wake(peer)) {
        status = bks_peer_update(peer, now);
        progress_show(&bar, (uint64_t)bks_session_tick(session));
    }
    progress_end(&bar);
    const bool is_over =
        status == BKS_OVER && bks_session_hash(session, bench->ticks, &r->final_hash) == BKS_OK;
    bks_peer_destroy(peer);
    if (!is_over) {
        tool_complain(bench->game->name, "the match ended early: %s", bks_status_text(status));
        return TOOL_NO;
    }
    return source_set_failed(bench->sources);
}

// ---- the ways of playing it ----

static bks_status step_ahead(ahead *inputs, bks_playback *playback, bks_tick tick)
{
    const int32_t *values = inputs != NULL ? ahead_inputs(inputs, tick) : NULL;
    return values != NULL ? bks_playback_step_with(playback, values) : BKS_ERR_DAMAGED;
}

static bool play(run *r, replay_way way)
{
    bks_replay *replay = NULL;
    bks_playback *playback = NULL;
    ahead *inputs = NULL;
    bool is_right = bks_replay_open(r->file.bytes, r->file.count, NULL, &replay, NULL) == BKS_OK;
    if (is_right && way == REPLAY_AHEAD) {
        inputs = ahead_open(r->file.bytes, bks_replay_info(replay), r->bench->ticks);
    }
    const bks_playback_config config = {.replay = replay, .game = r->bench->game};
    is_right = is_right && bks_playback_create(&config, &playback, NULL) == BKS_OK;
    for (bks_tick tick = 0; tick < r->bench->ticks && is_right; tick++) {
        is_right = way != REPLAY_VERIFIED ||
                   bks_replay_hash_agrees(replay, tick, bks_playback_hash(playback));
        const bks_status status =
            way == REPLAY_AHEAD ? step_ahead(inputs, playback, tick) : bks_playback_step(playback);
        is_right = is_right && status == BKS_OK;
    }
    is_right = is_right && bks_playback_hash(playback) == r->final_hash;
    ahead_close(inputs);
    bks_playback_destroy(playback);
    bks_replay_close(replay);
    return is_right;
}

/// @param values  of all ticks and players, NULL: not kept
static bool read_inputs(const run *r, int32_t *values)
{
    const size_t stride = values != NULL ? r->bench->players * r->bench->game->field_count : 0;
    int32_t nowhere[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    int32_t *row = values != NULL ? values : nowhere;
    bks_replay *replay = NULL;
    bool is_right = bks_replay_open(r->file.bytes, r->file.count, NULL, &replay, NULL) == BKS_OK;
    for (bks_tick tick = 0; tick < r->bench->ticks && is_right; tick++) {
        is_right = bks_replay_inputs(replay, tick, row) == BKS_OK;
        row += stride;
    }
    bks_replay_close(replay);
    return is_right;
}

static bool step_bare(run *r)
{
    const replay_bench *bench = r->bench;
    const bksi_runner_config config = {
        .game = bench->game,
        .seed = bench->seed,
        .players = bench->players,
        .tick_rate_hz = bench->game->tick_rate_hz,
        .options = bench->options,
    };
    bksi_runner *runner = NULL;
    if (bksi_runner_create(&config, &runner, NULL) != BKS_OK) {
        return false;
    }
    void *state = bksi_runner_state(runner);
    const size_t stride = bench->players * bench->game->field_count;
    for (bks_tick tick = 0; tick < bench->ticks; tick++) {
        const bks_step step = {
            .tick = tick,
            .tick_rate_hz = config.tick_rate_hz,
            .players = bench->players,
            .field_count = bench->game->field_count,
            .inputs = r->inputs + (size_t)tick * stride,
        };
        bench->game->step(state, &step);
    }
    const bool is_right = bksi_runner_hash(runner) == r->final_hash;
    bksi_runner_destroy(runner);
    return is_right;
}

static bool go(run *r, replay_way way)
{
    switch (way) {
    case REPLAY_BARE:
        return step_bare(r);
    case REPLAY_READ:
        return read_inputs(r, NULL);
    default:
        return play(r, way);
    }
}

/// Every other pass goes through the ways backwards: what grows slower meanwhile does so for all.
static void time_all(run *r, replay_result *result)
{
    progress bar;
    progress_begin(&bar, "playing", (uint64_t)r->bench->passes);
    for (uint32_t pass = 0; pass < r->bench->passes; pass++) {
        for (uint32_t i = 0; i < REPLAY_WAYS; i++) {
            const replay_way way = (replay_way)(pass % 2 == 0 ? i : REPLAY_WAYS - 1 - i);
            const double begun_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
            const double begun_wall_ns = now_ns(CLOCK_MONOTONIC);
            r->is_same = go(r, way) && r->is_same;
            result->ns[way][pass] = now_ns(CLOCK_THREAD_CPUTIME_ID) - begun_ns;
            result->wall_ns[way][pass] = now_ns(CLOCK_MONOTONIC) - begun_wall_ns;
        }
        progress_show(&bar, pass + 1);
    }
    progress_end(&bar);
}

int replay_bench_run(const replay_bench *bench, replay_result *result)
{
    run r = {.bench = bench, .is_same = true};
    int status = record(&r);
    r.inputs =
        malloc((size_t)bench->ticks * bench->players * bench->game->field_count * sizeof(int32_t));
    if (status == TOOL_OK && (r.inputs == NULL || !read_inputs(&r, r.inputs))) {
        tool_complain(bench->game->name, "out of memory");
        status = TOOL_DAMAGED;
    }
    if (status == TOOL_OK) {
        time_all(&r, result);
        result->file_bytes = r.file.count;
        result->is_same = r.is_same;
    }
    free(r.inputs);
    free(r.file.bytes);
    return status;
}
