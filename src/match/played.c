// SPDX-License-Identifier: MIT

#include "match/played.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/report.h"
#include "match/record_file.h"
#include "replay/play/playback.h"

static const char call[] = "bks_match_open";

static size_t answer(void *context, bks_tick tick, uint32_t question, void *out)
{
    const bksi_played *played = context;
    const void *bytes = NULL;
    size_t count = 0;
    if (bks_replay_fact(played->replay, tick, question, &bytes, &count) == BKS_OK && count > 0) {
        memcpy(out, bytes, count);
    }
    return count;
}

static bks_status open_file(bksi_played *played, const char *path, bks_error *error)
{
    bks_status status = bksi_record_file_read(path, "play_path", &played->allocator, &played->bytes,
                                              &played->count, error);
    if (status != BKS_OK) {
        return status;
    }
    bks_error why = {0};
    status =
        bks_replay_open(played->bytes, played->count, &played->allocator, &played->replay, &why);
    // What is right before the damage can be played.
    if (status == BKS_ERR_DAMAGED && played->replay != NULL) {
        status = BKS_OK;
    }
    if (status == BKS_OK) {
        const bks_recording *info = bks_replay_info(played->replay);
        if (info->ticks > info->first) {
            return BKS_OK;
        }
        return bksi_fail(error, BKS_ERR_INCOMPLETE, call, "play_path", "there is no tick in '%s'",
                         path);
    }
    return bksi_fail(error, status, call, "play_path", "cannot play '%s': %s", path, why.text);
}

/// A recording that begins later is gone on with from the state in it.
static bks_status take_state(bksi_played *played, bks_match_config *config, bks_error *error)
{
    const bks_recording *info = bks_replay_info(played->replay);
    played->first = info->first;
    if (info->first == 0) {
        return BKS_OK;
    }
    played->state_bytes = (size_t)info->state_bytes;
    played->state = bksi_alloc(&played->allocator, played->state_bytes, 16);
    if (played->state == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, "play_path",
                         "no memory for a state of %zu bytes", played->state_bytes);
    }
    config->start_state = played->state;
    config->start_state_bytes = played->state_bytes;
    config->start_tick = info->first;
    return bks_replay_state(played->replay, played->state, played->state_bytes, error);
}

static bks_status take_players(bksi_played *played, bks_match_config *config, bks_error *error)
{
    const bks_recording *info = bks_replay_info(played->replay);
    const bks_game *game = config->game;
    bks_status status = BKS_OK;
    for (uint32_t i = 0; i < info->players && status == BKS_OK; i++) {
        status = bks_replay_player_init(&played->players[i], played->replay, i, game->fields,
                                        game->field_count, error);
        config->sources[i] = bks_replay_player_source(&played->players[i]);
    }
    config->players = info->players;
    config->local_players = info->players;
    return status;
}

bks_status bksi_played_open(bksi_played *played, bks_match_config *config, bks_error *error)
{
    *played = (bksi_played){.allocator = config->allocator};
    if (config->play_path == NULL) {
        return BKS_OK;
    }
    bks_status status = open_file(played, config->play_path, error);
    if (status != BKS_OK) {
        return status;
    }
    const bks_recording *info = bks_replay_info(played->replay);
    const bks_playback_config wanted = {.replay = played->replay, .game = config->game};
    status = bksi_playback_match(info, &wanted, error);
    if (status == BKS_OK) {
        status = bksi_playback_options(info, &wanted, &config->options, error);
    }
    if (status == BKS_OK) {
        status = take_state(played, config, error);
    }
    if (status == BKS_OK) {
        status = take_players(played, config, error);
    }
    const bks_tick ticks = info->ticks - info->first;
    config->ticks = config->ticks > 0 && config->ticks < ticks ? config->ticks : ticks;
    config->seed = info->seed;
    config->has_options = true;
    config->answer = answer;
    config->answer_context = played;
    config->tuning.delay_ticks = 0; // the inputs are those of their ticks already
    return status;
}

void bksi_played_close(bksi_played *played)
{
    bks_replay_close(played->replay);
    if (played->bytes != NULL) {
        bksi_free(&played->allocator, played->bytes, played->count);
    }
    if (played->state != NULL) {
        bksi_free(&played->allocator, played->state, played->state_bytes);
    }
    *played = (bksi_played){0};
}

uint32_t bksi_played_tick_rate_hz(const bksi_played *played)
{
    return played->replay != NULL ? bks_replay_info(played->replay)->tick_rate_hz : 0;
}

static void tell(bks_event *event, bks_tick tick, bks_tick present, uint64_t own, uint64_t recorded)
{
    *event = (bks_event){.kind = BKS_EVENT_DESYNC,
                         .tick = tick,
                         .found_tick = present,
                         .own_hash = own,
                         .peer_hash = recorded};
    snprintf(event->text, sizeof(event->text), "the state at tick %d is not as recorded",
             (int)tick);
    bksi_log(BKS_LOG_WARNING, "match.desync", "%s", event->text);
}

bool bksi_played_compare(bksi_played *played, const bks_session *session, bks_event *event)
{
    if (played->replay == NULL || played->has_differed) {
        return false;
    }
    for (; played->compared <= bks_session_published(session); played->compared++) {
        const bks_tick tick = played->first + played->compared;
        uint64_t own = 0;
        uint64_t recorded = 0;
        uint32_t bits = 0;
        if (bks_session_hash(session, played->compared, &own) != BKS_OK ||
            bks_replay_hash(played->replay, tick, &recorded, &bits) != BKS_OK || bits == 0) {
            continue;
        }
        if (!bks_replay_hash_agrees(played->replay, tick, own)) {
            tell(event, tick, played->first + bks_session_tick(session), own, recorded);
            played->has_differed = true;
            return true;
        }
    }
    return false;
}
