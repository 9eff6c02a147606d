// SPDX-License-Identifier: MIT

#include "play/play.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crash.h"
#include "base/file.h"
#include "base/heap.h"
#include "base/stop.h"
#include "base/system.h"
#include "base/tool.h"
#include "game/report.h"
#include "game/report_finding.h"
#include "map/state_names.h"
#include "screen/window/frame_pace.h"

/// Maximum size of a path in bytes, with its terminating zero.
#define PLAY_IDENTITY_PATH_BYTES 4096

/// Environment variable that names the folder of state files.
#define FOLDER "XDG_STATE_HOME"

/// Write the path of the file with this player's identity: $XDG_STATE_HOME/bks/identity, or
/// $HOME/.local/state/bks/identity, on Windows %APPDATA%/bks/identity. Missing folders are made. On
/// failure, stderr has the reason; a restarted program then counts as another player.
/// @return false on failure
static bool play_identity_path(char *path, size_t capacity)
{
    if (!user_file_path(FOLDER, ".local/state", "identity", path, capacity)) {
        tool_complain(NULL, "%s names no state folder: after a restart you join as a new player",
                      system_user_folder_by(FOLDER));
        return false;
    }
    if (!user_file_folders(path)) {
        tool_complain(path,
                      "cannot make this folder, so after a restart you join as a new player: %s",
                      strerror(errno));
        return false;
    }
    return true;
}

// Time for which the last picture stays on the screen after the match.
static const uint64_t LINGER_NS = UINT64_C(2000000000);

// One match being played.
typedef struct play {
    const play_config *config;
    bks_game game; ///< the game, with the map that names the bytes of its states
    source_set *sources;
    play_net *net;
    bks_match *match;
    bks_session *session; ///< session of the match
    play_view *view;
    ears *heard;
    tuner tuner;
    picture_meter pictures;
    play_result *result;
    bool has_checked_seats;
    uint32_t device_seats[BKS_PLAYERS_MAX];
    uint32_t device_count;
    uint32_t shots_taken; ///< bit i: screenshot i of the configuration has been taken
    bks_tick shown_tick;  ///< tick that the last picture showed
    uint64_t begun_ns;
    uint64_t started_ns; ///< time of the match's first tick
    uint64_t ended_ns;
    uint64_t leave_ns; ///< time at which to leave the match; UINT64_MAX: not yet
    int problem;       ///< exit status that an error set; TOOL_OK: no error
    uint64_t allocations;
    bks_lab_finding finding; ///< first desync that was found in the match
    bool is_open;            ///< true: a desync was found and not repaired
    bool is_recording_lost;  ///< true: the recording, or a part of it, could not be written
} play;

static uint32_t seats_possible(const play_config *config)
{
    return config->net.invitation != NULL ? config->game.game->players_max : config->players;
}

static int open_sources(play *p)
{
    const play_config *config = p->config;
    const source_env env = {
        .game = config->game.game, .players = seats_possible(config), .seed = config->seed};
    int status = source_set_open(config->inputs, config->input_fallback, &env, &p->sources);
    // A host has the first seats; a guest learns its own from the host.
    if (status == TOOL_OK && config->net.invitation == NULL) {
        status = source_set_check(p->sources, 0, config->local_players, config->ticks);
    }
    return status;
}

static bks_insight insight_of(const play *p)
{
    const play_config *config = p->config;
    bks_insight insight = {.log_every_ms = config->figures_log_ms,
                           .inspect = config->inspect,
                           .inspect_changes = config->inspect != NULL};
    if (play_net_can_change(p->net)) {
        insight.change_link = play_net_change;
        insight.link = play_net_link;
        insight.context = p->net;
    }
    return insight;
}

static void invite_inspector(const play *p)
{
    if (p->config->inspect != NULL) {
        fprintf(stderr, "bks: look at it with: BKS_INSPECT_TOKEN=%s bks inspect %s\n",
                bks_match_inspect_token(p->match), bks_match_inspect_address(p->match));
    }
}

static void tune(const play_config *config, bks_tuning *tuning)
{
    tuning->window_ticks = config->window_ticks;
    tuning->delay_ticks = config->delay_ticks;
    tuning->save = config->save;
    tuning->on_desync = config->on_desync;
    tuning->budget_us = config->budget_us;
    if (config->notify_after_ms > 0 && config->drop_after_ms > 0) {
        tuning->notify_after_ms = config->notify_after_ms;
        tuning->drop_after_ms = config->drop_after_ms;
    }
}

/// Set with what the match begins and ends.
static void begin_with(const play_config *config, bks_match_config *match)
{
    const play_from *from = config->from;
    match->seed = config->seed;
    match->ticks = config->ticks;
    if (from != NULL) {
        match->seed = from->seed;
        match->ticks -= match->ticks > 0 ? from->tick : 0;
        match->start_state = from->state;
        match->start_state_bytes = from->state_bytes;
        match->start_tick = from->tick;
    }
}

/// Report why no match could be opened, and name the option if the error is about its value.
static void complain_open(const play_config *config, const bks_error *error)
{
    const struct {
        const char *field, *option, *value;
    } options[] = {{"bind_address", "--host", config->net.bind},
                   {"invitation", "--join", config->net.invitation},
                   {"insight.inspect", "--inspect", config->inspect}};
    for (size_t i = 0; error->field != NULL && i < sizeof(options) / sizeof(options[0]); i++) {
        if (strcmp(error->field, options[i].field) == 0 && options[i].value != NULL) {
            tool_complain_value(options[i].option, options[i].value, error);
            return;
        }
    }
    tool_complain_error(config->game.game->name, error);
}

static int open_match(play *p)
{
    const play_config *config = p->config;
    bks_match_config match = bks_match_config_default();
    p->game = *config->game.game;
    if (config->sync_test_ticks > 0 ||
        !config->net.is_alone) { // with the game's state map the match can name a difference
        state_names names;
        state_names_find(&config->game, &names);
        p->game.map = names.names.map;
    }
    match.game = &p->game;
    match.sync_test_ticks = config->sync_test_ticks;
    match.watchers = config->net.is_alone ? 0 : config->watchers;
    match.watch_delay_ms = config->watch_delay_ms;
    match.build = config->game.build;
    match.arithmetic = config->game.arithmetic;
    match.players = config->players;
    match.local_players = config->local_players;
    if (config->options != NULL) {
        match.options = *config->options;
        match.has_options = true;
    }
    begin_with(config, &match);
    tune(config, &match.tuning);
    match.record = config->is_recorded;
    match.record_path = config->record_path;
    match.record_detail = config->record_detail;
    for (uint32_t i = 0; i < config->local_players && i < BKS_PLAYERS_MAX; i++) {
        match.sources[i] = source_set_source(p->sources);
    }
    const int status = play_net_open(&config->net, &match, &p->net);
    if (status != TOOL_OK) {
        return status;
    }
    const bks_insight insight = insight_of(p);
    match.insight = &insight;
    char identity[PLAY_IDENTITY_PATH_BYTES];
    if (!config->net.is_alone && play_identity_path(identity, sizeof(identity))) {
        match.identity_path = identity;
    }
    match.cues_per_tick = ears_cues_per_tick(p->heard);
    play_view_config view = config->view;
    view.plugin = config->game.plugin;
    match.pictures = play_view_between(&view);
    bks_error error = {0};
    bks_status opened = bks_match_open(&match, &p->match, &error);
    if (opened == BKS_ERR_IO && error.field != NULL && strcmp(error.field, "identity_path") == 0) {
        tool_complain(config->game.game->name, "%s; so after a restart you join as a new player",
                      error.text);
        match.identity_path = NULL;
        opened = bks_match_open(&match, &p->match, &error);
    }
    if (opened != BKS_OK) {
        complain_open(config, &error);
        return opened == BKS_ERR_BAD_CONFIG || opened == BKS_ERR_BAD_ARGUMENT ? TOOL_MISUSE
                                                                              : TOOL_DAMAGED;
    }
    p->session = bks_match_session(p->match);
    const bool has_link = play_net_can_change(p->net);
    tuner_open(&p->tuner, p->session, has_link ? play_net_change : NULL,
               has_link ? play_net_link : NULL, p->net);
    invite_inspector(p);
    snprintf(p->result->record_path, sizeof(p->result->record_path), "%s",
             bks_match_record_path(p->match));
    crash_recording(p->result->record_path);
    return TOOL_OK;
}

static int open_ears(play *p)
{
    user_settings *settings = p->config->view.settings;
    const ears_config config = {.plugin = p->config->game.plugin,
                                .tick_rate_hz = p->config->game.game->tick_rate_hz,
                                .volume = settings != NULL ? &settings->volume : NULL,
                                .wav_path = p->config->wav_path,
                                .has_card = p->config->view.kind == PLAY_VIEW_WINDOW};
    return ears_open(&config, &p->heard);
}

static int open_view(play *p)
{
    play_view_config view = p->config->view;
    view.heard = p->heard;
    view.tuner = &p->tuner;
    view.plugin = p->config->game.plugin;
    for (uint32_t i = 0; i < seats_possible(p->config); i++) {
        view.has_devices |= source_set_kind(p->sources, i) == SOURCE_DEVICE;
    }
    p->view = play_view_open(&view);
    return p->view != NULL ? TOOL_OK : TOOL_NO;
}

// Once the roster is known, find the seats that are played by hand, warn of inputs for other
// machines' seats, and check that files of inputs last until the end of the match.
static int check_seats(play *p)
{
    bks_roster *roster = &p->result->roster;
    if (p->has_checked_seats || bks_session_roster(p->session, roster) != BKS_OK ||
        roster->peers == 0) {
        return TOOL_OK;
    }
    p->has_checked_seats = true;
    const uint32_t first = roster->first_player[roster->self];
    const uint32_t count = roster->player_count[roster->self];
    for (uint32_t i = first; i < first + count; i++) {
        if (source_set_kind(p->sources, i) == SOURCE_DEVICE) {
            p->device_seats[p->device_count++] = i;
        }
    }
    source_set_warn(p->sources, first, count);
    const bks_tick end = roster->ticks > 0 ? roster->first_tick + roster->ticks : 0;
    return source_set_check(p->sources, first, count, end);
}

static void take_events(play *p)
{
    bks_event event;
    while (bks_match_event(p->match, &event)) {
        p->is_open |= event.kind == BKS_EVENT_DESYNC;
        if (event.kind == BKS_EVENT_REPAIRED) {
            p->is_open = false;
            tool_complain(p->config->game.game->name, "%s", event.text);
        }
        if (event.kind == BKS_EVENT_DESYNC && !p->finding.is_found) {
            tool_complain(p->config->game.game->name, "%s", event.text);
        }
        p->shown_tick = event.kind == BKS_EVENT_SPEED ? BKS_TICK_NONE : p->shown_tick;
        report_finding_take(&p->finding, p->session, &event, tool_clock_ns(NULL));
        const bool is_fleeting = event.kind == BKS_EVENT_RESUMED ||
                                 event.kind == BKS_EVENT_STARTED || event.kind == BKS_EVENT_ENDED;
        if (event.text[0] != '\0' && !is_fleeting) {
            play_view_say(p->view, event.text);
            snprintf(p->result->reason, sizeof(p->result->reason), "%s", event.text);
        }
    }
}

// Play the cues of the last update and the voices of the newest state. Before the first tick there
// are none.
static void listen(play *p)
{
    bks_cue_event event;
    while (p->heard != NULL && bks_match_cue(p->match, &event)) {
        ears_cue(p->heard, bks_match_state(p->match), &event);
    }
    if (bks_match_started(p->match)) {
        ears_show(p->heard, bks_match_state(p->match), bks_session_tick(p->session), true);
    }
}

// Return the number of pictures a second that are wanted: one for each tick if the game draws only
// at its ticks, but never more than the screen shows.
static double pictures_wanted(const play *p)
{
    const uint64_t every_ns = p->view != NULL ? play_view_every_ns(p->view) : 0;
    const double screen_hz = every_ns > 0 ? 1e9 / (double)every_ns : 0.0;
    play_view_config view = p->config->view;
    view.plugin = p->config->game.plugin;
    const double ticks_hz = p->pictures.rate.ticks_hz;
    const bool is_of_ticks = play_view_between(&view) == BKS_PICTURES_NONE;
    return is_of_ticks && ticks_hz < screen_hz ? ticks_hz : screen_hz;
}

static void gather_figures(play *p, overlay_figures *figures)
{
    *figures = (overlay_figures){
        .tick_rate_hz = p->config->game.game->tick_rate_hz,
        .root_bytes = p->config->game.game->root_bytes,
        .tuner = &p->tuner,
        .pictures = p->pictures.rate,
        .pictures_hz = pictures_wanted(p),
    };
    if (p->started_ns > 0) {
        const uint64_t until = p->ended_ns > 0 ? p->ended_ns : tool_clock_ns(NULL);
        figures->seconds = (double)(until - p->started_ns) * 1e-9;
    }
    overlay_gather(p->match, figures);
}

static int take_shots(play *p, const overlay_figures *figures)
{
    for (uint32_t i = 0; i < p->config->shot_count; i++) {
        const play_view_shot *shot = &p->config->shots[i];
        const bool is_taken = (p->shots_taken & 1U << i) != 0;
        if (!is_taken && figures->tick >= shot->tick) {
            p->shots_taken |= 1U << i;
            const int status = play_view_screenshot(p->match, p->config->game.plugin, figures,
                                                    p->config->view.has_overlay, shot->path);
            if (status != TOOL_OK) {
                return status;
            }
        }
    }
    return TOOL_OK;
}

// Record the time of the match's first tick, and take screenshots that are due.
static int look(play *p)
{
    if (!bks_match_started(p->match)) {
        return TOOL_OK;
    }
    if (p->started_ns == 0) {
        p->started_ns = tool_clock_ns(NULL);
    }
    if (p->config->shot_count == 0) {
        return TOOL_OK;
    }
    overlay_figures figures;
    gather_figures(p, &figures);
    return take_shots(p, &figures);
}

// Run one update of the match. From the second tick on, count its allocations, as the lab does.
static bks_status update(play *p)
{
    const bks_tick before = bks_session_tick(p->session);
    const uint64_t allocations = alloc_count_thread();
    const bks_status status = bks_match_update(p->match);
    if (before >= 1) {
        p->allocations += alloc_count_thread() - allocations;
    }
    return status;
}

static bool has_device_here(const play *p)
{
    return p->device_count > 0 && p->config->view.kind == PLAY_VIEW_WINDOW;
}

// Check that the recording can still be written. If not, end the recording, but not the match.
static void look_after_recording(play *p)
{
    if (p->is_recording_lost || bks_match_record_status(p->match) == BKS_OK) {
        return;
    }
    p->is_recording_lost = true;
    p->result->record_path[0] = '\0';
    play_view_say(p->view, "the recording ends here: it cannot be written");
}

// ---- the loop of a match ----

static uint64_t turn_now(void *context)
{
    (void)context;
    return tool_clock_ns(NULL);
}

static void turn_wait(void *context, uint64_t until_ns)
{
    const play *p = context;
    play_net_wait(p->net, p->match, until_ns);
}

// Pause the match for all players, or end its pause. The log says why if that is refused.
static void pause_match(play *p)
{
    bks_roster roster;
    if (bks_session_roster(p->session, &roster) == BKS_OK && bks_match_started(p->match) &&
        bks_match_pause(p->match, !roster.is_paused) < BKS_OK) {
        play_view_say(p->view, roster.is_paused ? "only the host and the player who paused go on"
                                                : "we have no pause left, or the host alone has");
    }
}

static bool turn_sample(void *context)
{
    play *p = context;
    if (!play_view_poll(p->view)) {
        return false;
    }
    if (play_view_takes_pause(p->view)) {
        pause_match(p);
    }
    play_view_sample(p->view, p->device_seats, p->device_count, p->sources);
    return true;
}

static bool turn_step(void *context)
{
    play *p = context;
    const bks_status status = update(p);
    take_events(p);
    listen(p);
    look_after_recording(p);
    p->problem = check_seats(p);
    p->problem = p->problem == TOOL_OK ? source_set_failed(p->sources) : p->problem;
    p->problem = p->problem == TOOL_OK ? look(p) : p->problem;
    if (p->problem != TOOL_OK) {
        return false;
    }
    if (status != BKS_OK && p->leave_ns == UINT64_MAX) {
        p->result->status = status;
        p->ended_ns = tool_clock_ns(NULL);
        p->leave_ns = p->ended_ns + (has_device_here(p) ? LINGER_NS : 0);
    }
    return true;
}

static bool turn_has_picture(void *context)
{
    const play *p = context;
    const bool has_stepped =
        !bks_match_started(p->match) || bks_session_tick(p->session) != p->shown_tick;
    return play_view_has_picture(p->view, has_stepped);
}

// Draw a picture of the match, or the waiting page before the first tick.
static void turn_draw(void *context, uint64_t now_ns)
{
    play *p = context;
    if (!bks_match_started(p->match)) {
        play_view_gather(p->view, play_net_invitation(p->net, p->match));
        return;
    }
    const bks_tick tick = bks_session_tick(p->session);
    picture_meter_take(&p->pictures, tool_clock_ns(NULL), play_view_pace(p->view), tick);
    overlay_figures figures;
    gather_figures(p, &figures);
    play_view_draw(p->view, p->match, &figures, now_ns);
    p->shown_tick = tick;
}

static bool turn_present(void *context)
{
    const play *p = context;
    return play_view_present(p->view);
}

// Play until the match or the user ends it.
static int loop(play *p)
{
    frame_loop turns = {.context = p,
                        .now = turn_now,
                        .wait = turn_wait,
                        .sample = turn_sample,
                        .step = turn_step,
                        .has_picture = turn_has_picture,
                        .draw = turn_draw,
                        .present = turn_present,
                        .pace = play_view_pace(p->view)};
    p->leave_ns = UINT64_MAX;
    p->shown_tick = BKS_TICK_NONE;
    do {
        turns.every_ns = play_view_every_ns(p->view);
    } while (frame_loop_turn(&turns) && tool_clock_ns(NULL) < p->leave_ns);
    p->ended_ns = p->ended_ns > 0 ? p->ended_ns : tool_clock_ns(NULL);
    return p->problem;
}

static void fill_desync(const play *p, report_match *report)
{
    report->repairs = p->result->repairs;
    report->repair_count = bks_session_repairs(p->session, p->result->repairs, BKS_REPAIRS_MAX);
    p->result->peer.desync = p->finding;
    const bks_lab_finding *finding = &p->result->peer.desync;
    report->has_desync = finding->is_found;
    if (finding->is_found) {
        report->desync.tick = finding->tick;
        report->desync.found_at_tick = finding->found_tick;
        report->desync.peer_count = 1;
        report->desync.peers[0] = finding->peer;
        report_finding_fill(finding, p->result->roster.self, &report->desync);
    }
}

static void fill_scores(const play *p)
{
    const bks_plugin *plugin = p->config->game.plugin;
    for (uint32_t i = 0; plugin->score != NULL && i < p->result->roster.players; i++) {
        if (p->started_ns > 0 && i < BKS_PLAYERS_MAX) {
            plugin->score(bks_match_state(p->match), i, p->result->scores[i]);
        }
    }
}

static const char *reason(const play *p)
{
    const play_result *result = p->result;
    if (result->report.is_agreed) {
        return NULL;
    }
    if (p->is_open) {
        return "the states differ";
    }
    if (result->status == BKS_OK) {
        return "ended here before its last tick";
    }
    if (result->status == BKS_OVER && result->roster.is_minority) {
        return "peers that fell silent are as many as those here, or more, and may have played on "
               "to another end";
    }
    return result->reason[0] != '\0' ? result->reason : bks_status_text(result->status);
}

// Fill in the number of ticks whose hashes were compared. If the match has no end, it is reported
// to end with the last of them.
static void fill_agreement(play *p, const overlay_figures *figures)
{
    report_match *report = &p->result->report;
    const bks_tick first = figures->roster.first_tick;
    const bks_tick end = figures->published != BKS_TICK_NONE ? figures->published : first;
    report->compared = end - first;
    report->ticks = figures->end > 0 ? figures->end : end;
    report->has_final_hash =
        figures->published != BKS_TICK_NONE &&
        bks_session_hash(p->session, report->ticks, &report->final_hash) == BKS_OK;
    const bks_status status = p->result->status;
    const bool is_over = status == BKS_OVER || (status == BKS_OK && figures->end == 0);
    report->is_agreed =
        report->has_final_hash && !p->is_open && is_over && !figures->roster.is_minority;
}

static void fill_result(play *p)
{
    play_result *result = p->result;
    report_match *report = &result->report;
    overlay_figures figures;
    gather_figures(p, &figures);
    result->has_started = p->started_ns > 0;
    result->roster = figures.roster;
    result->peer = (report_peer){.allocations_after_start = -1};
    (void)report_peer_collect(bks_match_peer(p->match), &result->peer);
    if (alloc_count_works()) {
        result->peer.allocations_after_start = (int64_t)p->allocations;
    }
    const char *names[PLAY_FAULTS_MAX];
    uint64_t counts[PLAY_FAULTS_MAX];
    report->fault_count = play_net_faults(p->net, names, counts, PLAY_FAULTS_MAX);
    for (uint32_t i = 0; i < report->fault_count; i++) {
        result->faults[i] = (bks_lab_count){.name = names[i], .count = counts[i]};
    }
    report->faults = result->faults;
    report->game = p->config->game.game->name;
    report->mode = p->config->window_ticks > 0 ? "rollback" : "lockstep";
    report->tick_rate_hz = p->config->game.game->tick_rate_hz;
    report->seed = figures.roster.seed;
    report->virtual_s = figures.seconds;
    report->wall_s = (double)(p->ended_ns - p->begun_ns) * 1e-9;
    report->connect_ms = (double)figures.stats.connect_ns * 1e-6;
    fill_agreement(p, &figures);
    report->peers = &result->peer;
    report->peer_count = 1;
    fill_desync(p, report);
    fill_scores(p);
    report->reason = reason(p);
}

// Print the whole report of a sync test, because the match's event holds only a part of it.
static void report_sync_test(const play *p, const bks_sync_difference *found)
{
    tool_complain(p->config->game.game->name,
                  "NOT deterministic: a tick came out differently when it was taken back\n"
                  "  tick   %d, at the mark %s, taken back from tick %d\n  where  %s\n  first  "
                  "%s\n  again  %s",
                  (int)found->tick, found->mark, (int)found->found_tick, found->place.name,
                  found->values[0], found->values[1]);
}

static int verdict(const play *p)
{
    const play_result *result = p->result;
    if (p->is_open) {
        return TOOL_NO; // the desync was reported when it was found
    }
    if (result->report.is_agreed) {
        return TOOL_OK;
    }
    const bool has_end = result->roster.ticks > 0 || p->config->ticks > 0;
    if (result->status == BKS_OK && (!has_end || p->config->may_end_early)) {
        return TOOL_OK; // a match without an end is complete when the user ends it
    }
    if (result->status == BKS_OVER && !has_end) {
        return TOOL_OK; // a match without an end ends when another player ends it
    }
    if (result->status == BKS_ERR_REFUSED || result->status == BKS_ERR_BAD_CONFIG) {
        tool_log_drop(); // no log line: the next statement reports the error
        tool_complain(p->config->game.game->name, "%s", result->report.reason);
        return TOOL_NO;
    }
    bks_sync_difference found;
    if (bks_peer_sync_difference(bks_match_peer(p->match), &found)) {
        tool_log_drop(); // no log line: the next statement reports the error
        report_sync_test(p, &found);
        return TOOL_NO;
    }
    tool_complain(p->config->game.game->name, "not finished: %s", result->report.reason);
    return TOOL_NO;
}

static void close_all(play *p)
{
    play_view_close(p->view);
    bks_match_close(p->match);
    play_net_close(p->net);
    source_set_close(p->sources);
}

int play_run(const play_config *config, play_result *out)
{
    *out = (play_result){0};
    play p = {.config = config, .result = out, .begun_ns = tool_clock_ns(NULL)};
    stop_catch();
    // Do not show the log's lines on desyncs, because the report at the end holds them.
    tool_log_leave(config->sync_test_ticks > 0 ? "peer.sync_test" : "session.desync");
    tool_log_show("figures");
    int status = open_sources(&p);
    if (status == TOOL_OK) {
        status = open_ears(&p);
    }
    if (status == TOOL_OK) {
        status = open_match(&p);
    }
    if (status == TOOL_OK && config->opened != NULL) {
        status = config->opened(config->context, play_net_invitation(p.net, p.match));
    }
    if (status == TOOL_OK) {
        status = open_view(&p);
    }
    if (status == TOOL_OK) {
        status = loop(&p);
        fill_result(&p);
    }
    // Close the sound before the window, because closing the window shuts down all of SDL.
    const int heard = ears_close(p.heard);
    play_view_close(p.view);
    p.view = NULL;
    if (status == TOOL_OK) {
        status = verdict(&p);
    }
    if (p.is_recording_lost) {
        const int lost = tool_complain_recording(bks_match_record_path(p.match));
        status = status > lost ? status : lost;
    }
    close_all(&p);
    return status > heard ? status : heard;
}
