// SPDX-License-Identifier: MIT

// Plays a match on one machine that holds all seats. The recorded inputs are stepped as fast as
// possible, then new ones in real time. Sources of input are read from tick 0 on, as in every
// match, so a monkey's inputs do not depend on when it took over.

#include "watch/watch_take.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/record.h"
#include "backstitch/toolkit/peer.h"
#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "base/crash.h"
#include "base/tool.h"
#include "watch/watch_player.h"

struct watch_take {
    watch_take_config config;
    uint32_t players;
    source_set *sources;
    bks_source source;
    bks_record_file file;
    bks_peer *peer;
    bks_session *session;
    bks_tick cached;                             ///< tick whose recorded inputs are in `inputs`
    int32_t *inputs;                             ///< recorded inputs of tick `cached`
    bks_replay_player recorded[BKS_PLAYERS_MAX]; ///< recorded players, for their commands
    bks_tick first;                              ///< first tick of the recording
    uint8_t *state;  ///< state at tick `first`, if the recording does not begin at tick 0
    bool is_damaged; ///< true: the recording lacks inputs that are needed
    bool is_over;
    uint64_t now_ns;    ///< present time of the match
    uint64_t offset_ns; ///< real time minus the match's time; 0: not set
};

static void sample(void *context, const bks_sample *sample, int32_t *values)
{
    watch_take *take = context;
    const size_t bytes = sample->field_count * sizeof(*values);
    int32_t neutral[BKS_FIELDS_MAX];
    memcpy(neutral, values, bytes);
    take->source.sample(take->source.context, sample, values);
    if (sample->tick >= take->config.tick) {
        return;
    }
    if (take->cached != sample->tick) {
        take->cached = sample->tick;
        take->is_damaged |=
            bks_replay_inputs(take->config.replay, sample->tick, take->inputs) != BKS_OK;
    }
    memcpy(values, take->is_damaged ? neutral : take->inputs + sample->player * sample->field_count,
           bytes);
}

// Give a recorded command up to the tick of the take-over, then one of the source.
static size_t command(void *context, const bks_sample *sample, void *bytes, size_t capacity)
{
    watch_take *take = context;
    const bks_source from = sample->tick < take->config.tick
                                ? bks_replay_player_source(&take->recorded[sample->player])
                                : take->source;
    return from.command != NULL ? from.command(from.context, sample, bytes, capacity) : 0;
}

// Answer a question of the game with the fact in the recording. The tool itself has no answers.
static size_t answer(void *context, bks_tick tick, uint32_t question, void *out)
{
    const watch_take *take = context;
    const void *bytes = NULL;
    size_t count = 0;
    if (tick < take->config.tick &&
        bks_replay_fact(take->config.replay, tick, question, &bytes, &count) == BKS_OK &&
        count > 0) {
        memcpy(out, bytes, count);
    }
    return count;
}

// If the recording does not begin at tick 0, begin the match with the first state that it holds. It
// begins later if its match did, or if only the newest part of the file was fetched.
static int take_up_state(watch_take *take, const bks_playback_config *from, bks_peer_config *config)
{
    take->first = bks_replay_info(take->config.replay)->first;
    if (take->first == 0) {
        return TOOL_OK;
    }
    bks_error error = {0};
    bks_playback *playback = NULL;
    if (bks_playback_create(from, &playback, &error) != BKS_OK) {
        tool_complain_error(config->game->name, &error);
        return TOOL_DAMAGED;
    }
    take->first = bks_playback_tick(playback);
    const size_t most = bks_playback_export(playback, NULL, 0);
    take->state = malloc(most > 0 ? most : 1);
    config->start_state = take->state;
    config->start_state_bytes =
        take->state != NULL ? bks_playback_export(playback, take->state, most) : 0;
    config->start_tick = take->first;
    bks_playback_destroy(playback);
    if (config->start_state_bytes == 0) {
        tool_complain("--take-over",
                      "the state at tick %" PRId32
                      " cannot be taken over: the game could not save it, or it holds raw pointers",
                      take->first);
        return TOOL_NO;
    }
    return TOOL_OK;
}

static int fill_match(watch_take *take, bks_peer_config *config)
{
    const bks_recording *info = bks_replay_info(take->config.replay);
    const bks_playback_config playback = {.replay = take->config.replay,
                                          .game = take->config.game.game};
    bks_error error = {0};
    config->game = take->config.game.game;
    config->pictures = take->config.pictures;
    config->build = take->config.game.build;
    config->session.arithmetic = take->config.game.arithmetic;
    config->has_options = true;
    if (bks_playback_options(&playback, &config->options, &error) != BKS_OK) {
        tool_complain_error(config->game->name, &error);
        return TOOL_NO;
    }
    const int status = take_up_state(take, &playback, config);
    if (status != TOOL_OK) {
        return status;
    }
    // Set the match's secret keys to any value but zero, because no other peer joins.
    config->session.key[0] = config->session.identity[0] = config->session.entropy[0] = 1;
    config->session.is_host = true;
    config->session.players = info->players;
    config->session.local_players = info->players;
    config->session.seed = info->seed;
    config->session.tick_rate_hz = info->tick_rate_hz;
    config->session.ticks = take->config.ticks > 0 ? take->config.ticks - take->first : 0;
    config->session.tuning.window_ticks = 0;
    config->session.tuning.delay_ticks = 0;
    config->session.tuning.hash_every_ticks = 1;
    config->record_detail = take->config.record_detail;
    config->session.tuning.budget_us = 0;
    // The recorder needs a clock, because it chooses keyframe intervals by the time that a step
    // takes.
    config->clock_ns = tool_clock_ns;
    for (uint32_t i = 0; i < info->players; i++) {
        if (bks_replay_player_init(&take->recorded[i], take->config.replay, i, config->game->fields,
                                   config->game->field_count, &error) != BKS_OK) {
            tool_complain_error(config->game->name, &error);
            return TOOL_MISUSE;
        }
        config->sources[i] = (bks_source){.sample = sample, .context = take, .command = command};
    }
    config->answer = answer;
    config->answer_context = take;
    return TOOL_OK;
}

static int open_sources(watch_take *take)
{
    const source_env env = {
        .game = take->config.game.game, .players = take->players, .seed = take->config.seed};
    int status = source_set_open(take->config.inputs, "device", &env, &take->sources);
    if (status == TOOL_OK) {
        status = source_set_check(take->sources, 0, take->players, take->config.ticks);
    }
    if (status == TOOL_OK) {
        take->source = source_set_source(take->sources);
    }
    return status;
}

static int open_match(watch_take *take)
{
    bks_error error = {0};
    bks_peer_config config = bks_peer_config_default();
    const int status = fill_match(take, &config);
    if (status != TOOL_OK) {
        return status;
    }
    if (take->config.is_recorded) {
        if (bks_record_file_open(&take->file, take->config.record_path, config.game->name,
                                 &error) != BKS_OK) {
            tool_complain_error("--record", &error);
            return TOOL_MISUSE;
        }
        config.record = bks_record_file_sink(&take->file);
        crash_recording(take->file.path);
    }
    config.cues_per_tick = ears_cues_per_tick(take->config.heard);
    if (bks_peer_create(&config, &take->peer, &error) != BKS_OK) {
        tool_complain_error(config.game->name, &error);
        return TOOL_NO;
    }
    take->session = bks_peer_session(take->peer);
    return TOOL_OK;
}

int watch_take_begin(const watch_take_config *config, watch_take **out)
{
    *out = NULL;
    watch_take *take = calloc(1, sizeof(*take));
    const bks_recording *info = bks_replay_info(config->replay);
    if (take != NULL) {
        take->config = *config;
        take->file.descriptor = -1;
        take->players = info->players;
        take->cached = BKS_TICK_NONE;
        take->inputs = calloc((size_t)info->players * info->field_count, sizeof(*take->inputs));
    }
    if (take == NULL || take->inputs == NULL) {
        tool_complain("--take-over", "out of memory");
        watch_take_end(take);
        return TOOL_NO;
    }
    int status = open_sources(take);
    if (status == TOOL_OK) {
        status = open_match(take);
    }
    if (status != TOOL_OK) {
        watch_take_end(take);
        return status;
    }
    *out = take;
    return TOOL_OK;
}

int watch_take_catch_up(watch_take *take, bool *out_is_there)
{
    const uint64_t begun_ns = tool_clock_ns(NULL);
    bks_status status = BKS_OK;
    while (status == BKS_OK && watch_take_tick(take) < take->config.tick &&
           tool_clock_ns(NULL) - begun_ns < WATCH_PICTURE_NS_MAX) {
        status = bks_peer_update(take->peer, take->now_ns);
        take->now_ns = bks_peer_wake(take->peer);
        for (bks_cue_event event; bks_peer_cue(take->peer, &event);) {
            // drop the event, because the player has already played this tick's sound
        }
    }
    *out_is_there = watch_take_tick(take) >= take->config.tick;
    if (take->is_damaged) {
        tool_complain("--take-over",
                      "ticks before %" PRId32 " are lost, expected a tick before the damage",
                      take->config.tick);
        return TOOL_DAMAGED;
    }
    if (status != BKS_OK) {
        tool_complain("--take-over", "tick %" PRId32 " could not be reached: %s", take->config.tick,
                      bks_status_text(status));
        return TOOL_NO;
    }
    return source_set_failed(take->sources);
}

static void listen(watch_take *take)
{
    const void *state = watch_take_state(take);
    for (bks_cue_event event; bks_peer_cue(take->peer, &event);) {
        ears_cue(take->config.heard, state, &event);
    }
    ears_show(take->config.heard, state, watch_take_tick(take), true);
}

bool watch_take_update(watch_take *take, uint64_t now_ns, bool is_paused)
{
    if (take->is_over) {
        return false;
    }
    if (is_paused || take->offset_ns == 0) {
        // Keep the match's time unchanged while it is paused.
        take->offset_ns = now_ns - take->now_ns;
        ears_hush(take->config.heard);
    }
    take->now_ns = now_ns - take->offset_ns;
    take->is_over = bks_peer_update(take->peer, take->now_ns) != BKS_OK;
    if (!is_paused) {
        listen(take);
    }
    return !take->is_over && source_set_failed(take->sources) == TOOL_OK;
}

void watch_take_end(watch_take *take)
{
    if (take != NULL) {
        bks_peer_destroy(take->peer);
        bks_record_file_close(&take->file);
        source_set_close(take->sources);
        free(take->state);
        free(take->inputs);
        free(take);
    }
}

const void *watch_take_state(const watch_take *take)
{
    return bks_peer_state(take->peer);
}

bks_frame watch_take_frame(const watch_take *take)
{
    bks_frame frame = {0};
    (void)bks_peer_frame(take->peer, take->now_ns, &frame);
    return frame;
}

bks_tick watch_take_tick(const watch_take *take)
{
    return bks_session_tick(take->session);
}

bool watch_take_inputs(const watch_take *take, int32_t *values)
{
    const bks_tick tick = bks_session_tick(take->session);
    return tick > take->first && bks_session_inputs(take->session, tick - 1, values) == BKS_OK;
}

bool watch_take_hash(const watch_take *take, uint64_t *out)
{
    return bks_session_hash(take->session, bks_session_tick(take->session), out) == BKS_OK;
}

source_set *watch_take_sources(watch_take *take)
{
    return take->sources;
}

const char *watch_take_record_path(const watch_take *take)
{
    return take->file.path;
}

bool watch_take_lost_recording(const watch_take *take)
{
    return take->file.is_failed;
}
