// SPDX-License-Identifier: MIT

#include "play/play_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/tool.h"
#include "game/match_options.h"
#include "play/play.h"
#include "watch/watch.h"
#include "watch/watch_source.h"

static int parse_shots(const play_options *o, play_view_shot *shots)
{
    if (o->screenshots.count > PLAY_VIEW_SHOTS_MAX) {
        tool_complain("--screenshot", "given more than %d times", PLAY_VIEW_SHOTS_MAX);
        return TOOL_MISUSE;
    }
    for (uint32_t i = 0; i < o->screenshots.count; i++) {
        const char *text = o->screenshots.items[i];
        const char *at = strrchr(text, '@');
        int64_t tick = 0;
        if (at == NULL || at == text || (size_t)(at - text) >= sizeof(shots[i].path) ||
            !args_number(at + 1, &tick) || tick < 0 || tick > INT32_MAX) {
            char what[256];
            snprintf(what, sizeof(what), "--screenshot '%s'", text);
            tool_complain(what, "names no tick, expected FILE.png@TICK");
            return TOOL_MISUSE;
        }
        snprintf(shots[i].path, sizeof(shots[i].path), "%.*s", (int)(at - text), text);
        shots[i].tick = (bks_tick)tick;
    }
    return TOOL_OK;
}

static uint32_t count_seats(const play_options *o, const bks_game *game)
{
    if (o->host == NULL) {
        const uint32_t fewest = game->players_min > 0 ? game->players_min : 1;
        return o->local != PLAY_NOT_GIVEN ? (uint32_t)o->local : fewest;
    }
    if (o->players != PLAY_NOT_GIVEN) {
        return (uint32_t)o->players;
    }
    return game->players_max < 2 ? game->players_max : 2;
}

static uint32_t count_local(const play_options *o, bool is_alone, uint32_t seats)
{
    return is_alone ? seats : o->local != PLAY_NOT_GIVEN ? (uint32_t)o->local : 1;
}

// Return true if a player may press keys, so that each match gets another seed.
static bool may_play_by_hand(const play_options *o)
{
    bool has_all = false;
    for (uint32_t i = 0; i < o->inputs.count; i++) {
        const char *equals = strchr(o->inputs.items[i], '=');
        if (equals != NULL && strcmp(equals + 1, "device") == 0) {
            return true;
        }
        has_all |= strncmp(o->inputs.items[i], "*=", 2) == 0;
    }
    return !has_all && !o->is_headless;
}

play_view_kind play_start_view(const play_options *o)
{
    if (o->is_headless) {
        return PLAY_VIEW_NONE;
    }
    const play_view_kind best = play_view_best();
    // The terminal's picture and one JSON object cannot share stdout.
    return best == PLAY_VIEW_TERM && o->is_json ? PLAY_VIEW_LINES : best;
}

static play_view_config view_of(const play_options *o, user_settings *settings, window *shown)
{
    const play_view_kind kind = play_start_view(o);
    const bool is_watched = kind == PLAY_VIEW_TERM && may_play_by_hand(o);
    return (play_view_config){
        .kind = kind,
        .window = shown,
        .settings = settings,
        .has_overlay = o->has_overlay || (settings != NULL && settings->has_overlay),
        .remark = is_watched ? "no display: players with a device stay idle" : NULL,
        .lines_to_stderr = o->is_json,
        .pictures_hz = (uint32_t)o->pictures,
    };
}

// Lines to print when a match is open.
typedef struct announcement {
    bool is_host;
    bool shows_watching; ///< also print an invitation that opens no seat
} announcement;

static int print_invitation(void *context, const char *invitation)
{
    const announcement *invited = context;
    // The invitation is "" if all seats are at this machine.
    if (invited->is_host && invitation[0] != '\0') {
        printf("%s\n", invitation);
        fflush(stdout);
    }
    char text[BKS_INVITATION_BYTES_MAX];
    if (invited->shows_watching && invitation[0] != '\0' &&
        bks_invitation_to_watch(invitation, text, sizeof(text)) == BKS_OK) {
        fprintf(stderr, "bks: to watch: %s\n", text);
    }
    return TOOL_OK;
}

static void print_result(const play_options *o, const play_result *result)
{
    if (o->is_json) {
        (void)report_print_json(&result->report, stdout);
    } else {
        report_print_text(&result->report, stdout, tool_has_colour(1));
        for (uint32_t i = 0; i < result->roster.players; i++) {
            if (result->scores[i][0] != '\0') {
                printf("player %" PRIu32 ": %s\n", i, result->scores[i]);
            }
        }
    }
    if (result->has_started && result->record_path[0] != '\0') {
        fprintf(o->is_json ? stderr : stdout, "recorded %s\n", plain_name(result->record_path));
    }
}

// Read the screenshots to make and the details to record.
static int read_output(const play_options *o, play_view_shot *shots, bks_replay_detail *detail)
{
    *detail = (bks_replay_detail){0};
    record_detail_keyframes(o->keyframes, detail);
    const int status = parse_shots(o, shots);
    return status == TOOL_OK ? record_detail_read(o->kept, detail) : status;
}

/// @param from  beginning of the match, NULL: as usual
static int play(const play_options *o, const loaded_game *game, const play_from *from,
                user_settings *settings, window *shown, char recorded[PLAY_RECORDED_BYTES])
{
    bks_option_values values;
    play_view_shot shots[PLAY_VIEW_SHOTS_MAX];
    int status = loader_options(game->game, o->game_options.items, o->game_options.count, &values);
    bks_replay_detail detail;
    if (status == TOOL_OK) {
        status = read_output(o, shots, &detail);
    }
    bks_match_config usual = bks_match_config_default();
    if (status == TOOL_OK) {
        status =
            silence_read(&o->silence, &usual.tuning.notify_after_ms, &usual.tuning.drop_after_ms);
    }
    if (status != TOOL_OK) {
        return status;
    }
    announcement invited = {.is_host = o->host != NULL, .shows_watching = o->watchers > 0};
    const bool is_alone = o->host == NULL && o->join == NULL;
    const uint32_t seats = from != NULL ? from->players : count_seats(o, game->game);
    const int64_t seed = o->seed != PLAY_NOT_GIVEN ? o->seed : may_play_by_hand(o) ? 0 : 1;
    const play_config config = {
        .game = *game,
        .net = {.is_alone = is_alone,
                .bind = o->host,
                .invitation = o->join,
                .link = o->link,
                .link_out = o->link_out,
                .may_change = o->inspect != NULL,
                .seed = (uint64_t)seed},
        .options = from != NULL ? &from->options : &values,
        .from = from,
        .players = seats,
        .local_players = count_local(o, is_alone, seats),
        .inputs = &o->inputs,
        .input_fallback = "device",
        .seed = (uint64_t)seed,
        .ticks = (bks_tick)o->ticks,
        .delay_ticks = o->delay == PLAY_DELAY_AUTO ? BKS_AUTO : (uint32_t)o->delay,
        .window_ticks = (uint32_t)o->window,
        .save = (bks_save_policy)o->save,
        .on_desync = o->on_desync != ON_DESYNC_NOT_GIVEN ? (bks_on_desync)o->on_desync
                                                         : BKS_ON_DESYNC_REPORT,
        .budget_us = (uint32_t)o->budget,
        .sync_test_ticks = (uint32_t)o->sync_test,
        .watchers = o->watchers != PLAY_NOT_GIVEN ? (uint32_t)o->watchers : usual.watchers,
        .watch_delay_ms = (uint32_t)o->watch_delay,
        .inspect = o->inspect,
        .figures_log_ms = (uint32_t)o->figures_s * 1000,
        .notify_after_ms = usual.tuning.notify_after_ms,
        .drop_after_ms = usual.tuning.drop_after_ms,
        .is_recorded = !o->is_unrecorded,
        .record_detail = detail,
        .record_path = o->record,
        .view = view_of(o, settings, shown),
        .wav_path = o->wav,
        .shots = shots,
        .shot_count = o->screenshots.count,
        .opened = print_invitation,
        .context = &invited,
    };
    play_result result;
    status = play_run(&config, &result);
    const bool is_filled = result.report.game != NULL; // true: the match was opened
    if (result.has_started) {
        snprintf(recorded, PLAY_RECORDED_BYTES, "%s", result.record_path);
    }
    if (result.has_started || (o->is_json && is_filled)) {
        print_result(o, &result);
    }
    return status;
}

/// Write the address of an invitation, without its key, which is a secret.
static const char *address_of(const char *invitation, char room[PLAY_RECORDED_BYTES])
{
    const size_t scheme_bytes = sizeof("bks://") - 1;
    const size_t bytes = scheme_bytes + strcspn(invitation + scheme_bytes, "/");
    snprintf(room, PLAY_RECORDED_BYTES, "%.*s", (int)(bytes < 300 ? bytes : 300), invitation);
    return room;
}

static int watch(const play_options *o, const loaded_game *game, user_settings *settings,
                 window *shown, char recorded[PLAY_RECORDED_BYTES])
{
    play_view_shot shots[PLAY_VIEW_SHOTS_MAX];
    bks_replay_detail detail;
    int status = read_output(o, shots, &detail);
    if (status != TOOL_OK) {
        return status;
    }
    char address[PLAY_RECORDED_BYTES];
    const char *where = o->watch != NULL ? o->watch : o->take_over;
    const bool is_match = watch_bks_is_invitation(where);
    const watch_config config = {
        .game = *game,
        .game_name = o->positionals.count > 0 ? o->positionals.items[0] : NULL,
        .where = is_match ? address_of(where, address) : where,
        .invitation = is_match ? where : NULL,
        .feed_path = is_match ? o->record : NULL,
        .serve_address = is_match ? o->host : NULL,
        .from = o->take_over == NULL ? (bks_tick)o->from : BKS_TICK_NONE,
        .until = (bks_tick)o->ticks,
        .view = play_start_view(o),
        .window = shown,
        .settings = settings,
        .pictures_hz = (uint32_t)o->pictures,
        .has_overlay = o->has_overlay || (settings != NULL && settings->has_overlay),
        .lines_to_stderr = o->is_json,
        .wav_path = o->wav,
        .shots = shots,
        .shot_count = o->screenshots.count,
        .take_over = o->take_over != NULL ? (bks_tick)o->from : BKS_TICK_NONE,
        .take = {.inputs = &o->inputs,
                 .seed = (uint64_t)(o->seed != PLAY_NOT_GIVEN ? o->seed : 1),
                 .is_recorded = !o->is_unrecorded,
                 .record_path = is_match ? NULL : o->record,
                 .record_detail = detail},
    };
    watch_result result;
    status = watch_run(&config, &result);
    snprintf(recorded, PLAY_RECORDED_BYTES, "%s", result.record_path);
    if (result.is_shown && !o->is_json) {
        watch_report_text(&config, &result, stdout);
    } else if (result.is_shown && !watch_report_json(&config, &result, stdout)) {
        status = TOOL_DAMAGED;
    }
    return status;
}

/// Go on with a recorded match over the network.
static int take_over(const play_options *o, const loaded_game *game, user_settings *settings,
                     window *shown, char recorded[PLAY_RECORDED_BYTES])
{
    loaded_game same = *game;
    play_from from;
    int status =
        play_from_open(o->take_over, (bks_tick)o->from, o->positionals.items[0], &same, &from);
    if (status == TOOL_OK && o->local != PLAY_NOT_GIVEN && o->local > (int64_t)from.players) {
        tool_complain("--local",
                      "is %" PRId64 ", expected at most %" PRIu32 ": the recording has no more "
                      "players",
                      o->local, from.players);
        status = TOOL_MISUSE;
    }
    if (status == TOOL_OK) {
        status = play(o, &same, &from, settings, shown, recorded);
    }
    play_from_close(&from);
    return status;
}

// Return true if a recording is shown, or taken over by this machine alone.
static bool is_watched(const play_options *o)
{
    return o->watch != NULL || (o->take_over != NULL && o->host == NULL);
}

int play_start(const play_options *o, const loaded_game *game, user_settings *settings,
               window *shown, char recorded[PLAY_RECORDED_BYTES])
{
    recorded[0] = '\0';
    return is_watched(o)          ? watch(o, game, settings, shown, recorded)
           : o->take_over != NULL ? take_over(o, game, settings, shown, recorded)
                                  : play(o, game, NULL, settings, shown, recorded);
}
