// SPDX-License-Identifier: MIT

#include "workshop/lab/lab_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/lab.h"
#include "backstitch/toolkit/oracle.h"
#include "backstitch/toolkit/writer.h"
#include "base/command.h"
#include "base/crash.h"
#include "base/heap.h"
#include "base/stop.h"
#include "base/tool.h"
#include "sound/sound_file.h"

/// Sound of the first peer, for a WAV file. Start from {0}.
typedef struct lab_sound {
    sound_file *file; ///< sound file; NULL: no sound is wanted
    bks_lab *lab;     ///< the lab, set after it is created
} lab_sound;

static void report_cue(void *context, uint32_t peer, const bks_cue_event *event)
{
    const lab_sound *sound = context;
    bks_peer *first = peer == 0 ? bks_lab_peer(sound->lab, 0) : NULL;
    if (first == NULL || !bks_peer_started(first)) {
        return;
    }
    const void *state = bks_peer_state(first);
    if (event != NULL) {
        sound_file_cue(sound->file, state, event);
    } else {
        sound_file_advance(sound->file, state, bks_session_tick(bks_peer_session(first)));
    }
}

/// Create the sound file, and let the lab report cues to it. Errors go to stderr.
/// @param sound  must stay at its address
/// @param path   path of the file, which must outlive `sound`
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
static int lab_sound_open(lab_sound *sound, const bks_plugin *plugin, const char *path,
                          bks_lab_config *config)
{
    const uint32_t rate_hz = config->game->tick_rate_hz;
    const int status = sound_file_open(plugin, rate_hz, config->first_tick, path, &sound->file);
    if (status == TOOL_OK) {
        config->cues_per_tick = game_sound_cues(plugin);
        config->cue = report_cue;
        config->cue_context = sound;
    }
    return status;
}

/// Finish the sound file. Call this before the lab is destroyed.
/// @return TOOL_OK, TOOL_DAMAGED
static int lab_sound_close(lab_sound *sound)
{
    const int status = sound_file_close(sound->file);
    sound->file = NULL;
    return status;
}

/// Limit for the states of all peers that the lab stores to name differences, in bytes. For duel or
/// pad, two windows of states take a few MiB.
#define HISTORY_BYTES (UINT64_C(512) << 20)

/// A lab with its links, faults and recordings.
typedef struct lab_run {
    bks_lab *lab;
    bks_record_file files[BKS_PEERS_MAX];
    lab_sound sound;
} lab_run;

/// Return the peer that the lab is updating now, so that log lines can name it; UINT32_MAX: none.
static uint32_t acting_peer(const void *context)
{
    const lab_run *b = context;
    const uint32_t peer = b != NULL && b->lab != NULL ? bks_lab_acting(b->lab) : BKS_PEERS_MAX;
    return peer < BKS_PEERS_MAX ? peer : UINT32_MAX;
}

/// Finish the sound, the lab and its recordings.
/// @return TOOL_OK; TOOL_DAMAGED: a recording or the sound could not be written completely
static int lab_run_close(lab_run *b, const lab_setup *setup)
{
    int status = lab_sound_close(&b->sound);
    crash_lab(NULL, NULL, 0);
    // After the lab is closed, keep leaving out repeated warnings: a strict run of the same match
    // would log them again.
    tool_log_of_peers(acting_peer, NULL);
    bks_lab_destroy(b->lab); // destroying the lab also completes the recordings
    for (uint32_t i = 0; setup->record_dir != NULL && i < setup->config.peers; i++) {
        bks_record_file_close(&b->files[i]);
        if (b->files[i].is_failed) {
            status = tool_complain_recording(b->files[i].path);
        }
    }
    return status;
}

static int lab_run_open(lab_run *b, const lab_setup *setup)
{
    bks_error error = {0};
    bks_lab_config config = setup->config;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        b->files[i].descriptor = -1;
    }
    for (uint32_t i = 0; setup->record_dir != NULL && i < config.peers; i++) {
        const int status = lab_setup_record(setup, i, &b->files[i]);
        if (status != TOOL_OK) {
            return status;
        }
        config.records[i] = bks_record_file_sink(&b->files[i]);
    }
    if (setup->wav_path != NULL) {
        const int status = lab_sound_open(&b->sound, setup->game.plugin, setup->wav_path, &config);
        if (status != TOOL_OK) {
            return status;
        }
    }
    config.history_bytes = HISTORY_BYTES;
    bks_status status = bks_lab_create(&config, &b->lab, &error);
    b->sound.lab = b->lab;
    crash_lab(b->lab, setup->record_dir, config.peers);
    for (uint32_t i = 0; status == BKS_OK && i < setup->links.count; i++) {
        status = bks_lab_link(b->lab, setup->links.items[i], &error);
    }
    for (uint32_t i = 0; status == BKS_OK && i < setup->faults.count; i++) {
        status = bks_lab_fault(b->lab, setup->faults.items[i], &error);
    }
    for (uint32_t i = 0; status == BKS_OK && i < setup->bulk.count; i++) {
        status = bks_lab_bulk(b->lab, setup->bulk.items[i], &error);
    }
    for (uint32_t i = 0; status == BKS_OK && i < setup->watchers.count; i++) {
        status = bks_lab_watch(b->lab, setup->watchers.items[i], &error);
    }
    if (status != BKS_OK) {
        tool_complain_error(config.game->name, &error);
        return TOOL_MISUSE;
    }
    return TOOL_OK;
}

/// Return the mean time that packets were under way, in ms; below 0: no packet arrived.
static double transit_ms(const bks_lab_link_result *link)
{
    return link->delivered > 0 ? (double)link->transit_ns_sum / (double)link->delivered / 1e6
                               : -1.0;
}

static void take_links(const bks_lab_result *from, uint32_t peer, report_peer *to)
{
    for (uint32_t i = 0; i < from->peer_count; i++) {
        const double there_ms = transit_ms(&from->links[peer][i]);
        const double back_ms = transit_ms(&from->links[i][peer]);
        to->links[i] = (report_link){
            .is_known = i != peer,
            .packets = from->links[peer][i].packets,
            .bytes = from->links[peer][i].bytes,
            .round_trip_ms_mean = there_ms >= 0.0 && back_ms >= 0.0 ? there_ms + back_ms : -1.0,
        };
    }
}

static bool is_bulk_finished(const bks_lab_result *result)
{
    for (uint32_t i = 0; i < result->bulk_count; i++) {
        if (result->bulk[i].took_ns == 0) {
            return false;
        }
    }
    return true;
}

static void take_difference(const bks_lab_difference *from, report_desync *to)
{
    if (!from->is_named) {
        return;
    }
    to->mark = from->mark;
    to->object = from->place.object;
    to->field = from->place.field;
    to->name = from->place.name;
    to->note = from->place.note;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        to->values[i] = (from->value_peers >> i & 1u) != 0 ? from->values[i] : NULL;
    }
}

static void take_result(lab_outcome *to)
{
    const bks_lab_result *from = &to->result;
    report_match *match = &to->match;
    match->virtual_s = (double)from->match_ns / 1e9;
    match->connect_ms = (double)from->connect_ns / 1e6;
    lab_outcome_take(to);
    take_difference(&from->difference, &match->desync);
    match->moments = from->moments;
    match->moment_count = from->moment_count;
    for (uint32_t i = 0; i < from->peer_count; i++) {
        const bks_lab_peer_result *peer = &from->peers[i];
        to->peers[i] = (report_peer){
            .id = i,
            .first_player = peer->first_player,
            .player_count = peer->player_count,
            .ticks = peer->ticks,
            .confirmed = peer->confirmed,
            .stats = peer->stats,
            .costs = peer->costs,
            .first_tick_ms = (double)peer->first_tick_ns / 1e6,
            .allocations_after_start =
                alloc_count_works() ? (int64_t)peer->allocations_after_start : -1,
            .work_ns_sum = peer->work_ns_sum,
            .work_ns_max = peer->work_ns_max,
            .desync = peer->desync,
        };
        take_links(from, i, &to->peers[i]);
    }
}

/// Sample the figures of all peers, from the first tick of the match on.
static void sample_series(bks_lab *lab, bks_tick first, uint64_t *begun_ns, lab_outcome *outcome)
{
    if (bks_lab_progress(lab) == outcome->match.ticks) {
        return; // after the last tick only goodbyes follow
    }
    for (uint32_t i = 0; i < outcome->match.peer_count && *begun_ns == 0; i++) {
        if (bks_session_tick(bks_peer_session(bks_lab_peer(lab, i))) > first) {
            *begun_ns = bks_lab_now(lab);
        }
    }
    for (uint32_t i = 0; i < outcome->match.peer_count && *begun_ns != 0; i++) {
        lab_series_sample(&outcome->series[i], bks_lab_now(lab) - *begun_ns, bks_lab_peer(lab, i));
    }
}

/// Run the match on virtual time.
static int run_virtual(const lab_setup *setup, lab_outcome *outcome)
{
    lab_run b = {0};
    int status = lab_run_open(&b, setup);
    tool_log_of_peers(acting_peer, &b);
    if (status == TOOL_OK) {
        const uint64_t begun_ns = tool_clock_ns(NULL);
        // Stop at every tick if graphs are wanted. The progress bar alone needs fewer stops.
        const uint64_t step_ns =
            outcome->series[0].width_ns * (setup->report_path != NULL ? 1 : 30);
        uint64_t first_tick_ns = 0;
        progress bar;
        progress_begin(&bar, "lab", (uint64_t)setup->config.ticks);
        while (!stop_is_wanted() && bks_lab_advance(b.lab, bks_lab_now(b.lab) + step_ns)) {
            progress_show(&bar, (uint64_t)bks_lab_progress(b.lab));
            if (setup->report_path != NULL) {
                sample_series(b.lab, setup->config.first_tick, &first_tick_ns, outcome);
            }
        }
        progress_end(&bar);
        outcome->match.wall_s = (double)(tool_clock_ns(NULL) - begun_ns) / 1e9;
        (void)bks_lab_outcome(b.lab, &outcome->result);
        take_result(outcome);
        status = lab_outcome_check_flips(&outcome->result);
    }
    outcome->recording = lab_run_close(&b, setup);
    return status;
}

/// Run the same match again and let the oracle judge it, as `bks sweep` does.
static int run_strict(const lab_setup *setup, lab_outcome *outcome)
{
    uint32_t players = 0;
    for (uint32_t i = 0; i < setup->config.peers; i++) {
        players += setup->config.players_on[i];
    }
    const bks_oracle_match match = {.config = setup->config,
                                    .links = setup->links.items,
                                    .link_count = setup->links.count,
                                    .faults = setup->faults.items,
                                    .fault_count = setup->faults.count,
                                    .streams = setup->bulk.items,
                                    .stream_count = setup->bulk.count,
                                    .watchers = setup->watchers.items,
                                    .watcher_count = setup->watchers.count,
                                    .is_scripted = source_set_is_scripted(setup->sources, players),
                                    .is_repeated = true,
                                    .rewind = source_set_rewind_context,
                                    .rewind_context = setup->sources};
    bks_oracle_verdict *verdict = calloc(1, sizeof(*verdict));
    if (verdict == NULL) {
        tool_complain("lab", "no memory");
        return TOOL_DAMAGED;
    }
    bks_error error = {0};
    int status = TOOL_OK;
    if (bks_oracle_run(&match, verdict, &error) != BKS_OK) {
        tool_complain_error("lab", &error);
        status = TOOL_MISUSE;
    }
    outcome->match.oracle = REPORT_ORACLE_GOOD;
    if (verdict->kind != BKS_ORACLE_GOOD) {
        outcome->match.oracle = outcome->why;
        outcome->match.is_agreed = false;
        memcpy(outcome->why, verdict->why, sizeof(outcome->why));
        outcome->match.reason = outcome->why;
    }
    free(verdict);
    return status;
}

/// Print the outcome.
static int print_outcome(const lab_setup *setup, const lab_outcome *outcome)
{
    if (setup->is_json) {
        if (!report_print_json(&outcome->match, stdout)) {
            return TOOL_DAMAGED;
        }
    } else {
        report_print_text(&outcome->match, stdout, tool_has_colour(1));
    }
    if (setup->report_path != NULL) {
        const int status = lab_html_write(setup, outcome);
        if (status != TOOL_OK) {
            return status;
        }
    }
    const bool is_good = report_is_good(&outcome->match) && is_bulk_finished(&outcome->result);
    return outcome->recording != TOOL_OK ? outcome->recording : is_good ? TOOL_OK : TOOL_NO;
}

static int run(const lab_setup *setup, lab_outcome *outcome)
{
    lab_outcome_begin(outcome, setup);
    stop_catch();
    int status = setup->is_udp ? lab_udp_run(setup, outcome) : run_virtual(setup, outcome);
    if (status == TOOL_OK && setup->is_strict && !stop_is_wanted()) {
        status = run_strict(setup, outcome);
    }
    if (status == TOOL_OK) {
        status = source_set_failed(setup->sources);
    }
    if (status == TOOL_OK && stop_is_wanted()) {
        tool_complain("lab", "stopped before the match was over");
        status = TOOL_NO;
    }
    return status == TOOL_OK ? print_outcome(setup, outcome) : status;
}

int cmd_lab(int argc, char **argv)
{
    lab_setup setup;
    int status = lab_setup_open(argc, argv, &setup);
    if (status != ARGS_GO) {
        return status;
    }
    lab_outcome *outcome = calloc(1, sizeof(*outcome));
    if (outcome == NULL) {
        tool_complain("lab", "no memory");
        status = TOOL_DAMAGED;
    } else {
        status = run(&setup, outcome);
    }
    free(outcome);
    lab_setup_close(&setup);
    return status;
}
