// SPDX-License-Identifier: MIT
//
// The first match that new users see: four peers over a bad connection. Each peer is a process of
// its own, and they use real UDP sockets of this machine. With a display, the user plays one of the
// four.

#define _GNU_SOURCE

#include "play/demo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/stop.h"
#include "base/tool.h"
#include "play/play.h"

enum {
    PEERS = 4,
    TICKS_UNSEEN = 1800, ///< ticks of a demo without a window: half a minute at 60 Hz
    TICKS_NONE = -1,
    PATIENCE_MS = 4000,
    PATH_BYTES = 4096,
};

#define LINK "delay=50ms,jitter=10ms,loss=2%"

typedef struct demo {
    const char *game;
    int64_t ticks;
    bool has_window;
    window *window; ///< window that is already open, for the demo to use; NULL: the demo opens one
    user_settings *settings;
    const char *wav;
    child others[PEERS - 1];
    char record_path[PATH_BYTES];
} demo;

// Figures of a peer, read from the JSON report of its process.
typedef struct figures {
    bool is_there;
    char final_hash[17];
    double seconds;
    double ticks;
    double rollbacks;
    double depth_mean;
    double depth_max;
    double resimulated;
    double bytes;
    double lag;
    double delay;
} figures;

static int start_others(void *context, const char *invitation)
{
    demo *d = context;
    for (int i = 0; i < PEERS - 1; i++) {
        char seed[16];
        char address[512];
        snprintf(seed, sizeof(seed), "%d", i + 2);
        snprintf(address, sizeof(address), "%s", invitation);
        char game[PATH_BYTES];
        snprintf(game, sizeof(game), "%s", d->game);
        char *arguments[] = {
            (char[]){"bks"},
            (char[]){"play"},
            game,
            (char[]){"--join"},
            address,
            (char[]){"--input"},
            (char[]){"*=bot"},
            (char[]){"--seed"},
            seed,
            (char[]){"--link-out"},
            (char[]){LINK},
            (char[]){"--headless"},
            (char[]){"--json"},
            (char[]){"--no-record"},
            NULL,
        };
        if (!child_start(&d->others[i], arguments)) {
            return TOOL_NO;
        }
    }
    return TOOL_OK;
}

// Find the first value of a key in JSON that this program wrote. NULL if the key is missing.
static const char *find_value(const char *text, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof(quoted), "\"%s\": ", key);
    const char *at = strstr(text, quoted);
    return at != NULL ? at + strlen(quoted) : NULL;
}

static double find_number(const char *text, const char *key)
{
    const char *value = find_value(text, key);
    return value != NULL ? strtod(value, NULL) : 0.0;
}

static void read_figures(const child *other, figures *out)
{
    const char *hash = find_value(other->text, "final_hash");
    out->is_there = find_value(other->text, "virtual_s") != NULL;
    if (hash != NULL && hash[0] == '"' && strlen(hash) > 17) {
        memcpy(out->final_hash, hash + 1, 16);
    }
    const char *peer = find_value(other->text, "peers");
    out->seconds = find_number(other->text, "virtual_s");
    if (peer != NULL) {
        out->ticks = find_number(peer, "ticks");
        out->rollbacks = find_number(peer, "rollbacks");
        out->depth_mean = find_number(peer, "rollback_depth_mean");
        out->depth_max = find_number(peer, "rollback_depth_max");
        out->resimulated = find_number(peer, "resimulated");
        out->bytes = find_number(peer, "payload_bytes_sent");
        out->lag = find_number(peer, "lag_mean");
        out->delay = find_number(peer, "input_delay_mean");
    }
}

static void own_figures(const play_result *result, figures *out)
{
    const bks_stats *stats = &result->peer.stats;
    *out = (figures){
        .is_there = true,
        .seconds = result->report.virtual_s,
        .ticks = result->peer.ticks,
        .rollbacks = (double)stats->rollbacks,
        .depth_max = stats->rollback_depth_max,
        .resimulated = (double)stats->resimulated,
        .bytes = (double)stats->payload_bytes_sent,
        .lag = stats->lag_mean,
        .delay = stats->input_delay_mean,
    };
    if (stats->rollbacks > 0) {
        out->depth_mean = (double)stats->rollback_depth_sum / out->rollbacks;
    }
    if (result->report.has_final_hash) {
        snprintf(out->final_hash, sizeof(out->final_hash), "%016" PRIx64,
                 result->report.final_hash);
    }
}

// Return true if all four peers report the same hash of the last state.
static bool is_agreed(const play_result *result, const figures all[PEERS])
{
    for (int i = 0; i < PEERS; i++) {
        if (!all[i].is_there || all[i].final_hash[0] == '\0' ||
            strcmp(all[i].final_hash, all[0].final_hash) != 0) {
            return false;
        }
    }
    return result->report.is_agreed;
}

static void print_verdict(const demo *d, const play_result *result, const figures all[PEERS])
{
    const bool has_colour = tool_has_colour(STDOUT_FILENO);
    const char *plain = has_colour ? "\033[0m" : "";
    if (is_agreed(result, all)) {
        printf("  %sagreed%s      all four computed the same %" PRId32
               " states, and all four say that the\n              last is %s\n",
               has_colour ? "\033[1;32m" : "", plain, result->roster.ticks, all[0].final_hash);
        return;
    }
    if (result->status == BKS_OK && !result->report.has_desync) {
        printf("  %sagreed%s      as far as it went: ended by you at tick %" PRId32
               ", the states the same up to\n              tick %" PRId32 "\n",
               has_colour ? "\033[1;32m" : "", plain, result->peer.ticks, result->report.compared);
        return;
    }
    printf("  %snot agreed%s  %s\n", has_colour ? "\033[1;31m" : "", plain,
           result->report.reason != NULL ? result->report.reason : "the final hashes differ");
    for (int i = 0; i < PEERS; i++) {
        printf("              peer %d: %s\n", i,
               all[i].final_hash[0] != '\0' ? all[i].final_hash : "did not come to the end");
    }
    for (int i = 0; i < PEERS - 1; i++) {
        if (d->others[i].complaint[0] != '\0') {
            printf("              %s\n", d->others[i].complaint);
        }
    }
}

static double per_second(double count, const figures *peer)
{
    return peer->seconds > 0.0 ? count / peer->seconds : 0.0;
}

static void print_figures(const figures all[PEERS])
{
    printf("\n              ");
    for (int i = 0; i < PEERS; i++) {
        printf("     %s %d", i == 0 ? "this" : "peer", i);
    }
    printf("\n  rollbacks   ");
    for (int i = 0; i < PEERS; i++) {
        printf("%9.1f/s", per_second(all[i].rollbacks, &all[i]));
    }
    printf("\n  their depth ");
    for (int i = 0; i < PEERS; i++) {
        printf("%6.1f ticks", all[i].depth_mean);
    }
    printf("\n  at most     ");
    for (int i = 0; i < PEERS; i++) {
        printf("%6.0f ticks", all[i].depth_max);
    }
    printf("\n  resimulated ");
    for (int i = 0; i < PEERS; i++) {
        printf("%9.0f %%", all[i].ticks > 0.0 ? 100.0 * all[i].resimulated / all[i].ticks : 0.0);
    }
    printf("\n  input delay ");
    for (int i = 0; i < PEERS; i++) {
        printf("%6.1f ticks", all[i].delay);
    }
    printf("\n  sent        ");
    for (int i = 0; i < PEERS; i++) {
        printf("%7.0f B/s", per_second(all[i].bytes, &all[i]));
    }
    printf("\n  lag         ");
    for (int i = 0; i < PEERS; i++) {
        printf("%6.1f ticks", all[i].lag);
    }
    printf("\n");
}

// Shorten a path to a relative one if it lies in the current folder.
static const char *from_here(const char *path)
{
    char here[PATH_BYTES];
    if (getcwd(here, sizeof(here)) == NULL) {
        return path;
    }
    const size_t length = strlen(here);
    return strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

static void print_summary(const demo *d, const play_result *result)
{
    figures all[PEERS] = {{0}};
    own_figures(result, &all[0]);
    for (int i = 1; i < PEERS; i++) {
        read_figures(&d->others[i - 1], &all[i]);
    }
    printf("\n"
           "Four peers, each in its own process, played %s for %.0f s over UDP of this machine,\n"
           "made worse: " DEMO_LINK_TEXT ".\n\n",
           result->report.game, result->report.virtual_s);
    print_verdict(d, result, all);
    for (uint32_t i = 0; i < result->roster.players; i++) {
        if (result->scores[i][0] != '\0') {
            printf("  player %" PRIu32 "    %s%s\n", i, result->scores[i],
                   d->has_window && i == 0 ? "  (you)" : "");
        }
    }
    print_figures(all);
    printf("\n  rollbacks:   an input came that was not as guessed, so the game went back and "
           "stepped\n"
           "               the ticks since then again, before the next picture\n"
           "  resimulated: ticks stepped again, as a share of the match\n"
           "  input delay: ticks from pressing to acting, found from the lag\n"
           "  lag:         how far behind the others' inputs were\n");
    if (result->record_path[0] != '\0') {
        printf("\nRecorded in %s. Step it again and compare every hash:\n"
               "  %s replay verify %s\n",
               from_here(result->record_path), from_here(tool_program_path()),
               from_here(result->record_path));
    }
}

// Choose the path of the recording. Use the program's folder, so that no folder of the user fills
// up.
static void choose_record_path(demo *d)
{
    if (d->record_path[0] != '\0') {
        return;
    }
    char folder[PATH_BYTES];
    snprintf(folder, sizeof(folder), "%s", tool_program_path());
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    if (slash != NULL && access(folder, W_OK) == 0) {
        snprintf(d->record_path, sizeof(d->record_path), "%.4000s/demo.bks", folder);
        return;
    }
    const char *temporary = getenv("TMPDIR");
    snprintf(d->record_path, sizeof(d->record_path), "%.4000s/bks-demo-%u.bks",
             temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp", (unsigned)getuid());
}

static int run_demo(demo *d, char recorded[PLAY_RECORDED_BYTES])
{
    loaded_game game;
    int status = loader_open(d->game, &game);
    if (status != TOOL_OK) {
        return status;
    }
    bks_option_values values;
    status = loader_options(game.game, NULL, 0, &values);
    if (status != TOOL_OK) {
        return status;
    }
    const args_list inputs = {.count = 1, .items = {d->has_window ? "0=device" : "0=bot"}};
    const play_config config = {
        .game = game,
        .net = {.bind = "127.0.0.1:0", .link_out = LINK, .seed = 1},
        .options = &values,
        .players = PEERS,
        .local_players = 1,
        .inputs = &inputs,
        .input_fallback = "idle",
        .seed = d->has_window ? 0 : 1,
        .ticks = d->ticks == TICKS_NONE ? 0 : (bks_tick)d->ticks,
        .window_ticks = 20,
        .delay_ticks = BKS_AUTO,
        .save = BKS_SAVE_AUTO,
        .budget_us = BKS_AUTO,
        .may_end_early = true,
        .is_recorded = true,
        .record_detail = {.keyframe_ticks = BKS_AUTO},
        .record_path = d->record_path,
        .wav_path = d->wav,
        .view = {.kind = d->has_window                        ? PLAY_VIEW_WINDOW
                         : play_view_best() == PLAY_VIEW_TERM ? PLAY_VIEW_TERM
                                                              : PLAY_VIEW_LINES,
                 .window = d->window,
                 .settings = d->settings,
                 .has_overlay = d->has_window,
                 .remark = d->has_window ? NULL : "four bots over UDP, 100 ms, 2 % lost"},
        .opened = start_others,
        .context = d,
    };
    play_result result;
    status = play_run(&config, &result);
    // End the other peers, because they would play on without the user.
    const bool comes_to_its_end =
        result.has_started && result.status != BKS_OK && !stop_is_wanted();
    for (int i = 0; i < PEERS - 1; i++) {
        child_finish(&d->others[i], comes_to_its_end ? PATIENCE_MS : 0);
    }
    if (result.has_started) {
        print_summary(d, &result);
        snprintf(recorded, PLAY_RECORDED_BYTES, "%s", from_here(result.record_path));
    }
    return status;
}

int demo_run(const demo_config *config, char recorded[PLAY_RECORDED_BYTES])
{
    recorded[0] = '\0';
    static demo d; // static, because a `demo` is too large for the stack
    d = (demo){.game = config->game,
               .ticks = config->ticks,
               .has_window = config->has_window,
               .window = config->window,
               .settings = config->settings,
               .wav = config->wav};
    if (d.ticks == 0) {
        d.ticks = d.has_window ? TICKS_NONE : TICKS_UNSEEN;
    }
    if (config->record != NULL) {
        snprintf(d.record_path, sizeof(d.record_path), "%s", config->record);
    }
    choose_record_path(&d);
    return run_demo(&d, recorded);
}
