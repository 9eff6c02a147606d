// SPDX-License-Identifier: MIT

#include "match/replay_check.h"

#include <stdio.h>
#include <string.h>

#include "backstitch/replay.h"
#include "backstitch/toolkit/recording.h"
#include "base/memory.h"
#include "base/report.h"
#include "match/record_file.h"

static const char call[] = "bks_match_open";

static size_t answer(void *context, bks_tick tick, uint32_t question, void *out)
{
    const bksi_replay_check *check = context;
    const void *bytes = NULL;
    size_t count = 0;
    if (bks_replay_fact(check->replay, tick, question, &bytes, &count) == BKS_OK && count > 0) {
        memcpy(out, bytes, count);
    }
    return count;
}

static bks_status open_file(bksi_replay_check *check, const char *path, bks_error *error)
{
    BKSI_TRY(bksi_record_file_read(path, "play_path", &check->allocator, &check->bytes,
                                   &check->count, error));
    bks_error why = {0};
    bks_status status =
        bks_replay_open(check->bytes, check->count, &check->allocator, &check->replay, &why);
    // Play a damaged recording up to the damage.
    if (status == BKS_ERR_DAMAGED && check->replay != NULL) {
        status = BKS_OK;
    }
    if (status == BKS_OK) {
        const bks_recording *info = bks_replay_info(check->replay);
        if (info->ticks > info->first) {
            return BKS_OK;
        }
        return bksi_fail(error, BKS_ERR_INCOMPLETE, call, "play_path", "there is no tick in '%s'",
                         path);
    }
    return bksi_fail(error, status, call, "play_path", "cannot play '%s': %s", path, why.text);
}

/// Start from the state in a recording that does not begin at tick 0.
static bks_status take_state(bksi_replay_check *check, bks_match_config *config, bks_error *error)
{
    const bks_recording *info = bks_replay_info(check->replay);
    check->compared = info->first;
    if (info->first == 0) {
        return BKS_OK;
    }
    check->state_bytes = (size_t)info->state_bytes;
    check->state = bksi_alloc(&check->allocator, check->state_bytes, 16);
    if (check->state == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, "play_path",
                         "no memory for a state of %zu bytes", check->state_bytes);
    }
    config->start_state = check->state;
    config->start_state_bytes = check->state_bytes;
    config->start_tick = info->first;
    return bks_replay_state(check->replay, check->state, check->state_bytes, error);
}

static bks_status take_players(bksi_replay_check *check, bks_match_config *config, bks_error *error)
{
    const bks_recording *info = bks_replay_info(check->replay);
    const bks_game *game = config->game;
    bks_status status = BKS_OK;
    for (uint32_t i = 0; i < info->players && status == BKS_OK; i++) {
        status = bks_replay_player_init(&check->players[i], check->replay, i, game->fields,
                                        game->field_count, error);
        config->sources[i] = bks_replay_player_source(&check->players[i]);
    }
    config->players = info->players;
    config->local_players = info->players;
    return status;
}

bks_status bksi_replay_check_open(bksi_replay_check *check, bks_match_config *config,
                                  bks_error *error)
{
    *check = (bksi_replay_check){.allocator = config->allocator};
    if (config->play_path == NULL) {
        return BKS_OK;
    }
    BKSI_TRY(open_file(check, config->play_path, error));
    const bks_recording *info = bks_replay_info(check->replay);
    const bks_playback_config wanted = {.replay = check->replay, .game = config->game};
    BKSI_TRY(bks_playback_options(&wanted, &config->options, error));
    BKSI_TRY(take_state(check, config, error));
    BKSI_TRY(take_players(check, config, error));
    const bks_tick ticks = info->ticks - info->first;
    config->ticks = config->ticks > 0 && config->ticks < ticks ? config->ticks : ticks;
    config->seed = info->seed;
    config->has_options = true;
    config->answer = answer;
    config->answer_context = check;
    // No input delay: the recording has each input at the tick that uses it.
    config->tuning.delay_ticks = 0;
    return BKS_OK;
}

void bksi_replay_check_close(bksi_replay_check *check)
{
    bks_replay_close(check->replay);
    if (check->bytes != NULL) {
        bksi_free(&check->allocator, check->bytes, check->count);
    }
    if (check->state != NULL) {
        bksi_free(&check->allocator, check->state, check->state_bytes);
    }
    *check = (bksi_replay_check){0};
}

uint32_t bksi_replay_check_tick_rate_hz(const bksi_replay_check *check)
{
    return check->replay != NULL ? bks_replay_info(check->replay)->tick_rate_hz : 0;
}

static void report_difference(bks_event *event, bks_tick tick, bks_tick present, uint64_t own,
                              uint64_t recorded)
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

bool bksi_replay_check_compare(bksi_replay_check *check, const bks_session *session,
                               bks_event *event)
{
    if (check->replay == NULL || check->has_differed) {
        return false;
    }
    for (; check->compared <= bks_session_published(session); check->compared++) {
        const bks_tick tick = check->compared;
        uint64_t own = 0;
        uint64_t recorded = 0;
        uint32_t bits = 0;
        if (bks_session_hash(session, tick, &own) != BKS_OK ||
            bks_replay_hash(check->replay, tick, &recorded, &bits) != BKS_OK || bits == 0) {
            continue;
        }
        if (!bks_replay_hash_agrees(check->replay, tick, own)) {
            report_difference(event, tick, bks_session_tick(session), own, recorded);
            check->has_differed = true;
            return true;
        }
    }
    return false;
}
