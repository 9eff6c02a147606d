// SPDX-License-Identifier: MIT

#include "watch/watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "base/text.h"
#include "base/tool.h"
#include "screen/player/play_view.h"
#include "screen/window/controls.h"
#include "watch/watch_view.h"

// Longest time between two checks of the keys.
static const uint64_t WAIT_NS = UINT64_C(20000000);
// Longest time between two pictures when playing is late.
static const uint64_t LATE_SHOW_NS = UINT64_C(250000000);
// Time for which a match's backlog is taken before it is shown.
static const uint64_t BACKLOG_NS = UINT64_C(400000000);
static const float TOUCHED_LEAST = 0.5F;

// A recording being watched, and the game that takes over from it.
typedef struct watch {
    const watch_config *config;
    watch_feed *feed;
    loaded_game game;
    watch_player player;
    ears *heard;
    watch_view *view;
    /// Game that players continue after taking it over; NULL: the recording plays.
    watch_take *take;
    bks_tick taken_over;
    /// True: the user has taken over the game, and it waits until a player presses a control.
    bool is_held;
    int32_t *inputs;
    uint32_t shots_taken; ///< bit i: screenshot i of the configuration has been taken
    bool wants_quit;
    bool is_over;
    int problem; ///< exit status after an error
} watch;

// ---- set-up of watching ----

// Check that a tick of an option lies in the recording.
// @param may_come  true: accept a tick that may still be recorded later
static int check_tick(const watch *w, const char *option, bks_tick tick, bool may_come)
{
    const bks_recording *info = w->player.info;
    // The length of a growing recording is not known yet, so accept a later tick.
    if (tick == BKS_TICK_NONE || (tick >= info->first && tick <= info->end) ||
        (may_come && w->feed->is_growing && tick > info->end)) {
        return TOOL_OK;
    }
    tool_complain(
        w->config->where, "has no tick %" PRId32 "%s, expected %s %" PRId32 " to %" PRId32, tick,
        w->feed->is_growing && tick > info->end ? " yet" : "", option, info->first, info->end);
    return TOOL_MISUSE;
}

// Return true if a user watches, so that the view stays open at the end of the recording.
static bool has_watcher(const watch *w)
{
    return w->config->view == PLAY_VIEW_WINDOW || w->config->view == PLAY_VIEW_TERM;
}

// Take what a match has sent while the window opened: late ticks would make the playout buffer take
// the line for a bad one.
static void take_backlog(watch *w)
{
    const uint64_t until_ns = tool_clock_ns(NULL) + BACKLOG_NS;
    while (w->config->invitation != NULL && has_watcher(w) && w->feed->is_growing &&
           tool_clock_ns(NULL) < until_ns) {
        (void)w->feed->poll(w->feed, tool_clock_ns(NULL));
        tool_sleep_ns(BACKLOG_NS / 100);
    }
}

static void go_to_start(watch *w)
{
    watch_player *player = &w->player;
    if (w->config->from != BKS_TICK_NONE) {
        watch_player_wait_for(player, w->config->from);
        // If the seek failed, set the exit status. The error itself is printed at the end.
        w->problem = player->refused[0] != '\0' ? TOOL_DAMAGED : TOOL_OK;
        if (player->wanted > player->info->end && !has_watcher(w)) {
            fprintf(stderr,
                    "bks: %s: tick %" PRId32 " is not recorded yet, waiting; there are %" PRId32
                    "\n",
                    w->config->where, player->wanted, player->info->end);
        }
    } else if (w->feed->is_growing) {
        take_backlog(w);
        const uint64_t now_ns = tool_clock_ns(NULL);
        watch_player_advance(player, now_ns);
        watch_player_follow(player, now_ns);
    }
}

static int open_ears(watch *w)
{
    user_settings *settings = w->config->settings;
    const ears_config config = {.plugin = w->game.plugin,
                                .tick_rate_hz = bks_replay_info(w->feed->replay)->tick_rate_hz,
                                .first = BKS_TICK_NONE,
                                .volume = settings != NULL ? &settings->volume : NULL,
                                .wav_path = w->config->wav_path,
                                .has_card = w->config->view == PLAY_VIEW_WINDOW};
    return ears_open(&config, &w->heard);
}

static int open_all(watch *w)
{
    const watch_config *config = w->config;
    const watch_match match = {.invitation = config->invitation,
                               .where = config->where,
                               .record_path = config->feed_path,
                               .serve_address = config->serve_address,
                               .game = config->game.game};
    int status = config->invitation != NULL ? watch_bks_open(&match, &w->feed)
                                            : watch_feed_open(config->where, &w->feed);
    if (status == TOOL_OK) {
        const bks_recording *info = bks_replay_info(w->feed->replay);
        status = loader_open_recorded(config->where, config->game_name, info, &w->game);
    }
    if (status == TOOL_OK) {
        status = open_ears(w);
    }
    if (status == TOOL_OK) {
        status = watch_player_open(&w->player, w->feed, w->game.game, config->where, w->heard,
                                   has_watcher(w) && view_pictures_interpolate(w->game.plugin));
    }
    if (status == TOOL_OK) {
        status = check_tick(w, "--from", config->from, true);
    }
    if (status == TOOL_OK) {
        status = check_tick(w, "--from", config->take_over, false);
    }
    if (status == TOOL_OK && config->until > 0 && config->take_over == BKS_TICK_NONE) {
        status = check_tick(w, "--ticks", config->until, true);
    }
    if (status != TOOL_OK) {
        return status;
    }
    const bks_recording *info = w->player.info;
    w->inputs = calloc((size_t)info->players * info->field_count, sizeof(*w->inputs));
    w->player.until = config->until > 0 ? config->until : INT32_MAX;
    snprintf(w->player.message, sizeof(w->player.message), "%s", w->feed->why);
    char title[128];
    snprintf(title, sizeof(title), "%s - bks", w->game.game->name);
    const watch_view_config view = {.kind = config->view,
                                    .title = title,
                                    .window = config->window,
                                    .settings = config->settings,
                                    .pictures_hz = config->pictures_hz,
                                    .lines_to_stderr = config->lines_to_stderr,
                                    .can_aim = controls_can_aim(w->game.plugin),
                                    .heard = w->heard};
    w->view = w->inputs != NULL ? watch_view_open(&view) : NULL;
    if (w->view == NULL) {
        return TOOL_NO;
    }
    go_to_start(w);
    return TOOL_OK;
}

// ---- taking over a recorded game ----

static void take_over(watch *w, bks_tick tick)
{
    if (w->take != NULL) {
        return;
    }
    watch_take_config config = w->config->take;
    config.heard = w->heard;
    config.game = w->game;
    config.pictures = has_watcher(w) ? view_pictures_kind(w->game.plugin) : BKS_PICTURES_NONE;
    config.replay = w->feed->replay;
    config.tick = tick;
    config.ticks = w->config->until;
    w->problem = watch_take_begin(&config, &w->take);
    w->wants_quit |= w->problem != TOOL_OK;
    w->taken_over = tick;
    w->player.is_paused = false;
}

// Hold a game that was just taken over until a player presses a control, so that players can find
// the keys.
static void hold_for_hands(watch *w)
{
    for (uint32_t i = 0; w->take != NULL && i < w->player.info->players; i++) {
        w->is_held |= w->config->view == PLAY_VIEW_WINDOW &&
                      source_set_kind(watch_take_sources(w->take), i) == SOURCE_DEVICE;
    }
}

static void sample_devices(watch *w)
{
    const bks_plugin *plugin = w->game.plugin;
    source_set *sources = watch_take_sources(w->take);
    const uint32_t players = w->player.info->players;
    uint32_t seats = 0;
    for (uint32_t i = 0; i < players; i++) {
        seats += source_set_kind(sources, i) == SOURCE_DEVICE ? 1 : 0;
    }
    for (uint32_t i = 0, seat = 0; i < players; i++) {
        if (source_set_kind(sources, i) == SOURCE_DEVICE) {
            float controls[WINDOW_CONTROLS];
            watch_view_controls(w->view, seat++, seats, controls);
            controls_to_input(plugin, controls, source_set_device(sources, i));
            for (uint32_t k = 0; k < WINDOW_CONTROLS; k++) {
                w->is_held &= fabsf(controls[k]) < TOUCHED_LEAST;
            }
        }
    }
}

// ---- the loop that plays the recording ----

static void obey(watch *w, const watch_order *order)
{
    watch_player *player = &w->player;
    const bks_tick tick = bks_playback_tick(player->playback);
    if (order->wish == WATCH_WISH_QUIT) {
        w->wants_quit = true;
    }
    if (w->take != NULL && order->wish != WATCH_WISH_PAUSE) {
        return; // a game that was taken over cannot seek
    }
    switch (order->wish) {
    case WATCH_WISH_QUIT:
        break;
    case WATCH_WISH_PAUSE:
        player->is_paused = !player->is_paused;
        break;
    case WATCH_WISH_STEP:
        player->is_paused = true;
        watch_player_go(player, (int64_t)tick + order->amount);
        break;
    case WATCH_WISH_SKIP:
        watch_player_go(player,
                        tick + (int64_t)order->amount * (int64_t)player->info->tick_rate_hz);
        break;
    case WATCH_WISH_GO:
        watch_player_go(player, order->amount);
        break;
    case WATCH_WISH_GO_END:
        watch_player_go(player, INT32_MAX);
        break;
    case WATCH_WISH_SPEED:
        player->speed += order->amount;
        player->speed = player->speed < WATCH_SPEED_MIN   ? WATCH_SPEED_MIN
                        : player->speed > WATCH_SPEED_MAX ? WATCH_SPEED_MAX
                                                          : player->speed;
        break;
    case WATCH_WISH_TAKE:
        take_over(w, tick);
        hold_for_hands(w);
        break;
    }
}

static watch_picture make_picture(watch *w)
{
    watch_picture picture = {
        .plugin = w->game.plugin,
        .inputs = w->inputs,
        .player = &w->player,
        .live_from = BKS_TICK_NONE,
        .has_overlay = w->config->has_overlay,
    };
    if (w->take != NULL) {
        picture.live_from = w->taken_over;
        picture.is_held = w->is_held;
        picture.live_tick = watch_take_tick(w->take);
        picture.frame = watch_take_frame(w->take);
        (void)watch_take_inputs(w->take, w->inputs);
        return picture;
    }
    const bks_tick tick = bks_playback_tick(w->player.playback);
    picture.frame = watch_player_frame(&w->player);
    if (picture.plugin->draw == NULL &&
        (tick == w->player.info->first ||
         bks_replay_inputs(w->feed->replay, tick - 1, w->inputs) != BKS_OK)) {
        memset(w->inputs, 0,
               (size_t)w->player.info->players * w->player.info->field_count * sizeof(*w->inputs));
    }
    return picture;
}

// Draw a picture into a file. It always shows a whole tick.
static int take_shot(const watch *w, watch_picture picture, const char *path)
{
    picture.frame = bks_picture_of(w->take != NULL ? watch_take_state(w->take)
                                                   : bks_playback_state(w->player.playback))
                        .frame;
    return watch_view_screenshot(&picture, path);
}

static void show(watch *w)
{
    const watch_picture picture = make_picture(w);
    const bks_tick tick =
        w->take != NULL ? picture.live_tick : bks_playback_tick(w->player.playback);
    watch_view_show(w->view, &picture);
    for (uint32_t i = 0; i < w->config->shot_count; i++) {
        if ((w->shots_taken & 1U << i) == 0 && tick >= w->config->shots[i].tick) {
            w->shots_taken |= 1U << i;
            const int status = take_shot(w, picture, w->config->shots[i].path);
            w->problem = status != TOOL_OK ? status : w->problem;
        }
    }
}

static void update(watch *w, uint64_t now_ns)
{
    if (w->take != NULL) {
        bool is_there = false;
        w->problem = watch_take_catch_up(w->take, &is_there);
        if (w->problem != TOOL_OK || !is_there) {
            return;
        }
        sample_devices(w);
        w->is_over = !w->is_held && !watch_take_update(w->take, now_ns, w->player.is_paused);
        return;
    }
    watch_player_advance(&w->player, now_ns);
    const bool is_at_ticks = bks_playback_tick(w->player.playback) >= w->player.until;
    w->is_over = watch_player_has_ended(&w->player) && (is_at_ticks || !has_watcher(w));
}

// Wait for the next tick, picture or check of the keys.
// @param checked_ns  time of the last check for ticks that are due
static void wait(const watch *w, uint64_t checked_ns)
{
    const uint64_t now_ns = tool_clock_ns(NULL);
    const uint64_t idle_ns = w->take != NULL ? UINT64_C(1000000) : watch_player_idle_ns(&w->player);
    uint64_t until_ns = now_ns + WAIT_NS;
    until_ns = checked_ns + idle_ns < until_ns ? checked_ns + idle_ns : until_ns;
    // The next picture may be due before the next tick, because it may show a time between ticks.
    const bool has_due = w->config->view == PLAY_VIEW_WINDOW;
    until_ns =
        has_due && watch_view_due_ns(w->view) < until_ns ? watch_view_due_ns(w->view) : until_ns;
    if (until_ns > now_ns) {
        tool_sleep_ns(until_ns - now_ns);
    }
}

static void loop(watch *w)
{
    uint64_t shown_ns = 0;
    while (!w->is_over && !w->wants_quit && w->problem == TOOL_OK) {
        watch_order orders[WATCH_ORDERS_MAX];
        const uint32_t count = watch_view_poll(w->view, &w->player, orders);
        for (uint32_t i = 0; i < count; i++) {
            obey(w, &orders[i]);
        }
        const uint64_t now_ns = tool_clock_ns(NULL);
        update(w, now_ns);
        // Draw fewer pictures while playing is late.
        if (w->take != NULL || !watch_player_is_late(&w->player) ||
            now_ns - shown_ns >= LATE_SHOW_NS) {
            show(w);
            shown_ns = now_ns;
        }
        wait(w, now_ns);
    }
}

// ---- result of watching ----

static void fill_result(watch *w, watch_result *out)
{
    const watch_player *player = &w->player;
    out->is_shown = true;
    out->end = player->info->end;
    out->confirmed = player->info->confirmed;
    out->compared = player->compared;
    out->first_different = player->first_different;
    out->lost = player->lost;
    out->depth_max = player->depth_max;
    out->misses = player->playout.misses;
    out->received_bytes = player->feed->received_bytes;
    out->is_complete = player->info->is_complete;
    out->seed = player->info->seed;
    snprintf(out->why, sizeof(out->why), "%s", w->feed->why);
    if (w->take != NULL) {
        out->taken_over = w->taken_over;
        out->tick = watch_take_tick(w->take);
        out->has_hash = watch_take_hash(w->take, &out->hash);
        snprintf(out->record_path, sizeof(out->record_path), "%s",
                 watch_take_lost_recording(w->take) ? "" : watch_take_record_path(w->take));
        out->is_finished = w->is_over;
    } else {
        out->tick = bks_playback_tick(player->playback);
        out->has_hash = true;
        out->hash = bks_playback_hash(player->playback);
        out->is_finished = watch_player_has_ended(player);
    }
    if (w->config->from != BKS_TICK_NONE && player->wanted == BKS_TICK_NONE) {
        // Count from the tick that was asked for, because it may have been recorded only after the
        // player began.
        out->from = w->config->from;
    }
    out->played_s = (double)(out->tick - out->from) / (double)player->info->tick_rate_hz;
}

static int verdict(const watch *w, const watch_result *result)
{
    const char *where = w->config->where;
    int status = w->problem;
    if (result->why[0] != '\0') {
        tool_log_drop(); // the next statement reports the error
        if (w->feed->status != TOOL_OK) {
            tool_complain(where, "%s", result->why);
        } else {
            tool_complain(where, "incomplete: %s", result->why);
        }
        status = w->feed->status > status ? w->feed->status : status;
    }
    if (w->player.refused[0] != '\0') {
        tool_log_drop();
        tool_complain(where, "%s", w->player.refused);
        status = TOOL_DAMAGED;
    }
    if (result->first_different != BKS_TICK_NONE) {
        tool_complain(where, "the state at tick %" PRId32 " is not the recorded one",
                      result->first_different);
        loader_compare_builds(where, w->player.info, &w->game);
        status = status > TOOL_NO ? status : TOOL_NO;
    }
    if (w->take != NULL && watch_take_lost_recording(w->take)) {
        const int lost = tool_complain_recording(watch_take_record_path(w->take));
        status = status > lost ? status : lost;
    }
    if (w->config->from > result->end && status == TOOL_OK) {
        tool_complain(where, "has no tick %" PRId32 ": it ended at tick %" PRId32, w->config->from,
                      result->tick);
        return TOOL_NO;
    }
    const bool is_short = w->config->until > 0 && result->tick < w->config->until;
    if (is_short && status == TOOL_OK) {
        tool_complain(where, "not finished: ended at tick %" PRId32 " of %" PRId32, result->tick,
                      w->config->until);
        status = TOOL_NO;
    }
    return status;
}

int watch_run(const watch_config *config, watch_result *out)
{
    *out = (watch_result){.first_different = BKS_TICK_NONE, .taken_over = BKS_TICK_NONE};
    watch w = {.config = config, .taken_over = BKS_TICK_NONE};
    const uint64_t begun = tool_clock_ns(NULL);
    stop_catch();
    int status = open_all(&w);
    if (status == TOOL_OK) {
        out->from = bks_playback_tick(w.player.playback);
        if (config->take_over != BKS_TICK_NONE) {
            take_over(&w, config->take_over);
        }
        loop(&w);
        fill_result(&w, out);
        out->wall_s = (double)(tool_clock_ns(NULL) - begun) * 1e-9;
    }
    // Close the sound before the window, because closing the window ends all of SDL.
    const int heard = ears_close(w.heard);
    w.heard = NULL;
    watch_view_close(w.view);
    if (status == TOOL_OK) {
        status = verdict(&w, out);
    }
    watch_take_end(w.take);
    watch_player_close(&w.player);
    watch_feed_close(w.feed);
    free(w.inputs);
    return status > heard ? status : heard;
}

static const char *reason(const watch_config *config, const watch_result *result)
{
    if (result->first_different != BKS_TICK_NONE) {
        return "a state is not the recorded one";
    }
    if (config->until > 0 && result->tick < config->until) {
        return "ended before its last tick";
    }
    const bool is_watched = result->taken_over == BKS_TICK_NONE;
    return is_watched && result->compared == 0 ? "no hash was compared" : NULL;
}

static void json_desync(json *j, const watch_result *result)
{
    if (result->first_different == BKS_TICK_NONE) {
        json_null(j, "desync");
        return;
    }
    json_object(j, "desync");
    json_int(j, "tick", result->first_different);
    json_int(j, "found_at_tick", result->first_different);
    json_row(j, "peers");
    json_close(j);
    json_null(j, "mark");
    json_null(j, "object");
    json_null(j, "field");
    json_close(j);
}

bool watch_report_json(const watch_config *config, const watch_result *result, FILE *out)
{
    const char *why = reason(config, result);
    json j;
    json_begin(&j, out);
    json_text(&j, "game", config->game.game->name);
    json_text(&j, "mode", result->taken_over == BKS_TICK_NONE ? "watch" : "take-over");
    json_text(&j, "file", config->where);
    json_uint(&j, "seed", result->seed);
    json_int(&j, "from", result->from);
    json_int(&j, "ticks", result->tick);
    json_number(&j, "virtual_s", result->played_s, 6);
    json_number(&j, "wall_s", result->wall_s, 3);
    json_bool(&j, "agreed", why == NULL);
    json_text(&j, "reason", why);
    json_int(&j, "compared", result->compared);
    json_hash_if(&j, "final_hash", result->has_hash, result->hash);
    json_desync(&j, result);
    json_bool(&j, "finished", result->is_finished);
    json_bool(&j, "complete", result->is_complete);
    json_int(&j, "confirmed", result->confirmed);
    json_int(&j, "lost", result->lost);
    json_uint(&j, "misses", result->misses);
    json_int(&j, "depth_ticks_max", result->depth_max);
    json_uint(&j, "received_bytes", result->received_bytes);
    json_text(&j, "why", result->why[0] != '\0' ? result->why : NULL);
    json_tick(&j, "taken_over", result->taken_over);
    json_text(&j, "record", result->record_path[0] != '\0' ? result->record_path : NULL);
    json_array(&j, "peers");
    json_close(&j);
    return json_end(&j);
}

static void print_hash(const watch_result *result, FILE *out)
{
    if (result->has_hash) {
        fprintf(out, ", hash %016" PRIx64, result->hash);
    }
    fprintf(out, "\n");
}

void watch_report_text(const watch_config *config, const watch_result *result, FILE *out)
{
    const bool is_watched = result->taken_over == BKS_TICK_NONE;
    fprintf(out, "%s: %s from tick %" PRId32 " to %" PRId32 " of %" PRId32,
            plain_name(config->where), config->game.game->name, result->from,
            is_watched ? result->tick : result->taken_over, result->end);
    if (!is_watched) {
        fprintf(out, ", then played on to tick %" PRId32, result->tick);
    }
    print_hash(result, out);
    if (result->first_different != BKS_TICK_NONE) {
        fprintf(out, "  not as recorded from tick %" PRId32 " on\n", result->first_different);
    } else if (result->compared > 0) {
        fprintf(out, "  %" PRId32 " hash%s compared, all the same\n", result->compared,
                TOOL_PLURAL_ES(result->compared));
    } else if (is_watched) {
        fprintf(out, "  no hash was compared\n");
    }
    if (result->lost > 0) {
        fprintf(out, "  %" PRId32 " tick%s lost and skipped\n", result->lost,
                result->lost == 1 ? " was" : "s were");
    }
    if (!result->is_complete) {
        fprintf(out, "  the recording is not complete, %" PRId32 " tick%s of it %s confirmed\n",
                result->confirmed, TOOL_PLURAL(result->confirmed), TOOL_ARE(result->confirmed));
    }
    if (result->record_path[0] != '\0') {
        fprintf(out, "recorded %s\n", plain_name(result->record_path));
    }
}
