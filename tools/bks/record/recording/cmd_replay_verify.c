// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/args.h"
#include "base/command.h"
#include "base/json.h"
#include "base/system.h"
#include "base/text.h"
#include "base/tool.h"
#include "game/loader.h"
#include "map/state_names.h"
#include "record/recording/replay_file.h"
#include "record/recording/replay_print.h"
#include "record/recording/verify_parts.h"

enum { VERIFY_REPAIRS_MAX = 16 };

/// Repaired spans among the verified ticks.
typedef struct verify_repairs {
    uint32_t count; ///< number of all repaired spans
    bks_replay_repair first[VERIFY_REPAIRS_MAX];
} verify_repairs;

/// Collect the repaired spans that overlap the verified ticks.
/// @param from, until  verified ticks, both included
static void verify_repairs_take(const replay_file *file, bks_tick from, bks_tick until,
                                verify_repairs *out)
{
    out->count = 0;
    for (uint32_t i = 0; i < file->info->repair_count; i++) {
        bks_replay_repair repair;
        if (bks_replay_repair_at(file->replay, i, &repair) != BKS_OK ||
            repair.until == repair.since || repair.until <= from || repair.since > until) {
            continue;
        }
        if (out->count < VERIFY_REPAIRS_MAX) {
            out->first[out->count] = repair;
        }
        out->count++;
    }
}

static uint32_t shown(const verify_repairs *repairs)
{
    return repairs->count < VERIFY_REPAIRS_MAX ? repairs->count : VERIFY_REPAIRS_MAX;
}

// Print how the states that this machine stepped in repaired spans compare: as wrong as before the
// repairs, or equal to those of the other peers.
static void print_stepped(const verify_repairs *repairs, const bks_verify_result *result)
{
    if (repairs->count > shown(repairs)) {
        printf("; and %" PRIu32 " more such spans", repairs->count - shown(repairs));
    }
    if (result->repeated > 0) {
        printf("; stepped here: wrong again, at %" PRId32 " of %" PRId32 " hash%s",
               result->repeated, result->repaired, TOOL_PLURAL_ES(result->repaired));
    } else {
        printf("; stepped here: as the others have it, at all %" PRId32 " hash%s known of them",
               result->repaired, TOOL_PLURAL_ES(result->repaired));
    }
}

/// Print a line for each repaired span.
static void verify_repairs_print(const char *path, const verify_repairs *repairs,
                                 const bks_verify_result *result)
{
    for (uint32_t i = 0; i < shown(repairs); i++) {
        char text[REPLAY_REPAIR_TEXT_BYTES];
        replay_repair_text(&repairs->first[i], text);
        printf("%s: %s", plain_name(path), text);
        if (i + 1 == shown(repairs)) {
            print_stepped(repairs, result);
        }
        printf("\n");
    }
}

/// Write "repairs", "repaired" and "repeated" into the open JSON object.
static void verify_repairs_json(json *j, const verify_repairs *repairs,
                                const bks_verify_result *result)
{
    json_array(j, "repairs");
    for (uint32_t i = 0; i < shown(repairs); i++) {
        replay_repair_json(j, &repairs->first[i]);
    }
    json_close(j);
    json_int(j, "repaired", result->repaired);
    json_int(j, "repeated", result->repeated);
}

/// First difference between recorded and stepped states, by name. Start from {0}.
typedef struct verify_difference {
    bool is_known; ///< true: a difference was found, and the members below describe it
    /// Tick whose step makes the difference, or at whose start the states differ.
    bks_tick tick;
    char mark[64];          ///< name of the mark; `(start)`: start of the tick; empty: not known
    state_difference value; ///< differing value, a: as recorded, b: as stepped here
} verify_difference;

// Search for the name of a difference between recorded states and states stepped here.
typedef struct difference_search {
    const replay_file *file;
    const loaded_game *game;
    bks_playback *playback;
    uint8_t *bytes; ///< room for the bytes of one state
    size_t room;
    mark_list recorded;
    mark_list stepped;
} difference_search;

static void take(difference_search *n, const char *mark)
{
    const size_t count = bks_playback_export(n->playback, n->bytes, n->room);
    (void)mark_list_add(&n->stepped, mark, n->bytes, count);
}

static void at_mark(void *context, bks_tick tick, const char *name)
{
    (void)tick;
    take(context, name);
}

// Read the recorded state at the start of a tick.
static bool read_start(difference_search *n, bks_tick tick)
{
    size_t count = 0;
    // For a game without a region, `--keep marks` records only the state at the start of each tick,
    // not those at marks.
    if (n->game->game->create != NULL && n->file->info->mark_ticks > 0 &&
        bks_replay_marks(n->file->replay, tick, mark_list_add, &n->recorded) == BKS_OK) {
        return true;
    }
    uint8_t *bytes = replay_file_state(n->file, tick, &count);
    const bool is_read = bytes != NULL && mark_list_add(&n->recorded, "", bytes, count);
    free(bytes);
    return is_read;
}

// List the recorded and the stepped states of one step: at its start, at each mark, and at the
// start of the next tick.
// @return false: the states are not recorded
static bool list_step(difference_search *n, bks_tick tick, uint32_t wanted)
{
    mark_list_begin(&n->recorded, wanted);
    mark_list_begin(&n->stepped, wanted);
    if (n->file->info->mark_ticks == 0 ||
        bks_replay_marks(n->file->replay, tick, mark_list_add, &n->recorded) != BKS_OK) {
        return false;
    }
    mark_list next = {.wanted = 0};
    if (bks_replay_marks(n->file->replay, tick + 1, mark_list_add, &next) == BKS_OK) {
        (void)mark_list_add(&n->recorded, "", next.bytes, next.bytes_count);
    } else {
        (void)read_start(n, tick + 1);
    }
    mark_list_end(&next);
    const bks_playback_listener listener = {.reached = at_mark, .context = n};
    if (bks_playback_seek(n->playback, tick, NULL) != BKS_OK) {
        return false;
    }
    take(n, "");
    (void)bks_playback_listen(n->playback, &listener);
    const bks_status status = bks_playback_step(n->playback);
    (void)bks_playback_listen(n->playback, NULL);
    take(n, "");
    return status == BKS_OK;
}

// List two states at the start of a tick: the recorded one, and the one that this machine gets when
// it steps the tick before.
static bool list_start(difference_search *n, bks_tick tick, uint32_t wanted)
{
    const bks_tick first = n->file->info->first;
    mark_list_begin(&n->recorded, wanted);
    mark_list_begin(&n->stepped, wanted);
    if (!read_start(n, tick) ||
        bks_playback_seek(n->playback, tick > first ? tick - 1 : first, NULL) != BKS_OK ||
        (tick > first && bks_playback_step(n->playback) != BKS_OK)) {
        return false;
    }
    take(n, "");
    return true;
}

static void name(difference_search *n, verify_difference *out)
{
    state_names names;
    const bks_compared_state recorded = {.bytes = n->recorded.bytes,
                                         .count = n->recorded.bytes_count};
    const bks_compared_state stepped = {.bytes = n->stepped.bytes, .count = n->stepped.bytes_count};
    state_names_find(n->game, &names);
    out->is_known = recorded.count > 0 && stepped.count > 0 &&
                    state_difference_find(&names, &recorded, &stepped, &out->value);
}

static bool find_in_step(difference_search *n, bks_tick tick, verify_difference *out)
{
    if (n->game->game->create != NULL || !list_step(n, tick, MARK_LIST_NONE)) {
        return false;
    }
    const uint32_t number = mark_list_compare(&n->recorded, &n->stepped);
    if (number == MARK_LIST_NONE || number >= n->recorded.count || !list_step(n, tick, number)) {
        return false;
    }
    const bool is_next = number > 0 && number + 1 == n->recorded.count;
    out->tick = tick + (is_next ? 1 : 0);
    (void)snprintf(out->mark, sizeof(out->mark), "%s", n->recorded.names[number]);
    name(n, out);
    return out->is_known;
}

static void find(difference_search *n, bks_tick first_different, verify_difference *out)
{
    const bks_tick first = n->file->info->first;
    if (first_different > first && find_in_step(n, first_different - 1, out)) {
        return;
    }
    if (list_start(n, first_different, 0)) {
        out->tick = first_different;
        // Name no mark if this is not the recording's first tick: the step before it may have made
        // the difference at any mark, and the file has only the state after that step.
        (void)snprintf(out->mark, sizeof(out->mark), "%s",
                       first_different == first ? "(start)" : "");
        name(n, out);
    }
}

/// Name the first difference by the states that the recording holds: at marks, at the first tick,
/// or in a keyframe.
/// @param first_different  first tick whose state at its start differs
/// @param out              unchanged if the recording holds no state there
static void verify_name(const replay_file *file, const loaded_game *game, bks_tick first_different,
                        verify_difference *out)
{
    difference_search *n = calloc(1, sizeof(*n));
    const bks_playback_config config = {.replay = file->replay, .game = game->game};
    if (n != NULL && bks_playback_create(&config, &n->playback, NULL) == BKS_OK) {
        n->file = file;
        n->game = game;
        n->room = bks_playback_export(n->playback, NULL, 0);
        n->bytes = n->room > 0 ? malloc(n->room) : NULL;
        if (n->bytes != NULL) {
            find(n, first_different, out);
        }
        free(n->bytes);
        mark_list_end(&n->recorded);
        mark_list_end(&n->stepped);
        bks_playback_destroy(n->playback);
    }
    tool_log_drop();
    free(n);
}

// Result of verifying one file.
typedef struct verdict {
    const char *path;
    int status; ///< exit status of this file alone
    bool is_open;
    bool is_compared; ///< true: `result` is filled in
    /// True: the file differed while other threads ran, so it is verified again alone.
    bool is_doubted;
    char game[32];
    bks_tick first;
    bks_tick ticks;
    bks_tick confirmed;
    bool is_complete;
    bool is_damaged;
    uint64_t damage_offset;
    bool has_final_hash;
    uint64_t final_hash;
    bks_tick from; ///< first tick that was verified
    bks_tick until;
    bks_verify_result result;
    verify_difference difference; ///< first difference, by name
    verify_repairs repairs;       ///< repaired spans that overlap the verified ticks
    char why[192];                ///< reason why verifying failed, "" if it did not
} verdict;

// Data that all verifying threads share.
typedef struct work {
    verdict *verdicts;
    uint32_t count;
    bks_tick from;
    bks_tick until; ///< last tick to compare; a tick beyond the end: compare all
    uint32_t threads;
    bool is_again;         ///< true: files are being verified again, each alone
    const char *game_name; ///< name of the game as typed; NULL: the name in the recording
    atomic_uint next;      ///< index of the next file to verify
    pthread_mutex_t lock;  ///< protects the loader, stderr and `done`
    uint32_t done;         ///< number of verified files
    progress bar;
} work;

static void take_facts(verdict *v, const replay_file *file)
{
    const bks_recording *info = file->info;
    v->is_open = true;
    snprintf(v->game, sizeof(v->game), "%s", info->game);
    v->first = info->first;
    v->ticks = info->ticks;
    v->confirmed = info->confirmed;
    v->is_complete = info->is_complete;
    v->is_damaged = info->is_damaged;
    v->damage_offset = info->damage_offset_bytes;
    uint32_t bits = 0;
    v->has_final_hash =
        info->is_complete &&
        bks_replay_hash(file->replay, info->ticks, &v->final_hash, &bits) == BKS_OK && bits == 64;
}

static void name_difference(verdict *v, const replay_file *file, const loaded_game *game)
{
    const verify_difference *d = &v->difference;
    verify_name(file, game, v->result.first_different, &v->difference);
    if (d->is_known) {
        const char *mark = d->mark[0] != '\0' ? d->mark : "not known";
        tool_complain(v->path, "in tick %" PRId32 " (mark: %s) %s is %s, recorded %s", d->tick,
                      mark, d->value.place.name, d->value.b, d->value.a);
    } else {
        tool_complain(v->path, "what differs is not known: record with --keep marks");
    }
}

static void complain(work *w, verdict *v, const bks_error *error, int status,
                     const replay_file *file, const loaded_game *game)
{
    pthread_mutex_lock(&w->lock);
    progress_end(&w->bar);
    tool_complain_error(v->path, error);
    if (error->code == BKS_ERR_DESYNC) {
        name_difference(v, file, game);
    }
    loader_compare_builds(v->path, file->info, game);
    pthread_mutex_unlock(&w->lock);
    snprintf(v->why, sizeof(v->why), "%s", error->text);
    v->status = status > v->status ? status : v->status;
}

// Report that one of several files has none of the ticks to compare, so nothing of it was compared.
static void complain_nothing(work *w, verdict *v)
{
    const bool is_short = w->from > v->confirmed;
    snprintf(v->why, sizeof(v->why),
             "has no tick %" PRId32 ", so nothing was compared; its ticks are %" PRId32
             " to %" PRId32,
             is_short ? w->from : w->until, v->first + (is_short ? 0 : 1), v->confirmed);
    pthread_mutex_lock(&w->lock);
    progress_end(&w->bar);
    tool_complain(v->path, "%s", v->why);
    pthread_mutex_unlock(&w->lock);
    v->status = v->status > TOOL_NO ? v->status : TOOL_NO;
}

static void verify_open(work *w, verdict *v, replay_file *file)
{
    take_facts(v, file);
    loaded_game game;
    pthread_mutex_lock(&w->lock);
    const int loaded = loader_open_recorded(v->path, w->game_name, file->info, &game);
    pthread_mutex_unlock(&w->lock);
    if (loaded != TOOL_OK) {
        snprintf(v->why, sizeof(v->why), "the game could not be loaded");
        v->status = loaded > v->status ? loaded : v->status;
        return;
    }
    const bool has_until =
        w->until == INT32_MAX || (w->until > v->first && w->until <= v->confirmed);
    const bool has_from = w->from == 0 || (w->from >= v->first && w->from <= v->confirmed);
    const bool has_none = (w->from > 0 && w->from > v->confirmed) || w->until <= v->first;
    if (has_none && w->count > 1) {
        complain_nothing(w, v);
        return;
    }
    if (w->count == 1 && (!has_from || !has_until)) {
        snprintf(v->why, sizeof(v->why),
                 "has no tick %" PRId32 ", expected --%s %" PRId32 " to %" PRId32,
                 has_until ? w->from : w->until, has_until ? "from" : "until",
                 has_until ? v->first : v->first + 1, v->confirmed);
        tool_complain(v->path, "%s", v->why);
        v->status = v->status > TOOL_MISUSE ? v->status : TOOL_MISUSE;
        return;
    }
    const bks_tick from = w->from < v->confirmed ? w->from : v->confirmed;
    const bks_tick begin = from > v->first ? from : v->first;
    const bool is_cut = w->until < v->confirmed;
    v->from = begin;
    v->until = !is_cut ? v->confirmed : w->until > begin ? w->until : begin;
    const bool is_alone = w->count == 1;
    const verify_job job = {
        .path = v->path,
        .game_name = w->game_name,
        .bytes = file->bytes,
        .count = file->count,
        .replay = file->replay,
        .game = game.game,
        .from = from,
        .until = is_cut ? v->until : 0,
        .threads = is_alone && !w->is_again ? w->threads : 1,
        .bar = is_alone ? &w->bar : NULL,
    };
    if (is_alone) {
        progress_begin(&w->bar, "verifying", (uint64_t)v->until);
    }
    bks_error error = {0};
    const bks_status status = verify_parts(&job, &v->result, &error);
    // Damage was reported when the file was opened. The undamaged rest may still be equal.
    const bool is_file_damaged = status == BKS_ERR_DAMAGED && file->info->is_damaged;
    v->is_compared = status == BKS_OK || status == BKS_ERR_DESYNC || is_file_damaged;
    verify_repairs_take(file, v->from, v->until, &v->repairs);
    v->is_doubted = status == BKS_ERR_DESYNC && w->threads > 1 && !w->is_again;
    if (v->is_doubted) {
        tool_log_drop();
    } else if (is_file_damaged) {
        v->status = TOOL_DAMAGED;
        snprintf(v->why, sizeof(v->why), "%s", error.text);
    } else if (status != BKS_OK) {
        complain(w, v, &error, status == BKS_ERR_DAMAGED ? TOOL_DAMAGED : TOOL_NO, file, &game);
    }
    progress_end(&w->bar);
}

static bool is_same(const verdict *v)
{
    return v->is_compared && v->result.is_same;
}

static void verify_file(work *w, verdict *v)
{
    replay_file file;
    const bool is_open = replay_file_open(v->path, &file) == TOOL_OK;
    v->status = file.status;
    snprintf(v->why, sizeof(v->why), "%s", file.why);
    if (is_open) {
        verify_open(w, v, &file);
    }
    replay_file_close(&file);
}

// Verify again, alone, the files that differed beside other threads: a game that keeps data outside
// its state may step wrongly when several threads step it at once.
static void verify_again(work *w)
{
    w->is_again = true;
    for (uint32_t i = 0; i < w->count; i++) {
        verdict *v = &w->verdicts[i];
        if (!v->is_doubted) {
            continue;
        }
        verify_file(w, v);
        if (is_same(v)) {
            tool_complain(v->path,
                          "is the same alone, and differs when several threads step %s at once: "
                          "does it keep anything outside its state?",
                          v->game);
        }
    }
}

static void *verify_files(void *context)
{
    work *w = context;
    for (;;) {
        const uint32_t index = atomic_fetch_add(&w->next, 1);
        if (index >= w->count) {
            return NULL;
        }
        verify_file(w, &w->verdicts[index]);
        pthread_mutex_lock(&w->lock);
        w->done++;
        if (w->count > 1) {
            progress_show(&w->bar, w->done);
        }
        pthread_mutex_unlock(&w->lock);
    }
}

static void verify_all(work *w)
{
    pthread_t others[VERIFY_THREADS_MAX];
    uint32_t running = 0;
    if (w->count > 1) {
        progress_begin(&w->bar, "verifying files", w->count);
    }
    while (running + 1 < w->threads && running + 1 < w->count &&
           pthread_create(&others[running], NULL, verify_files, w) == 0) {
        running++;
    }
    (void)verify_files(w);
    for (uint32_t i = 0; i < running; i++) {
        (void)pthread_join(others[i], NULL);
    }
    progress_end(&w->bar);
    verify_again(w);
}

static void print_verdict(const verdict *v)
{
    if (!is_same(v)) {
        return; // no text: errors were reported on stderr
    }
    const char *path = plain_name(v->path);
    if (v->from > 0 || v->until < v->confirmed) {
        printf("%s: the same from tick %" PRId32 " to %" PRId32 "%s\n", path, v->from, v->until,
               v->is_damaged    ? ", damaged"
               : v->is_complete ? ""
                                : ", incomplete");
    } else if (v->is_damaged) {
        printf("%s: the same up to the damage, %" PRId32 " tick%s\n", path, v->confirmed,
               TOOL_PLURAL(v->confirmed));
    } else if (v->is_complete) {
        printf("%s: the same, %" PRId32 " tick%s\n", path, v->ticks, TOOL_PLURAL(v->ticks));
    } else {
        printf("%s: the same as far as it goes, %" PRId32 " tick%s; incomplete, %" PRId32
               " more were not confirmed\n",
               path, v->confirmed, TOOL_PLURAL(v->confirmed), v->ticks - v->confirmed);
    }
    verify_repairs_print(path, &v->repairs, &v->result);
}

static void json_difference(json *j, const bks_verify_result *result)
{
    json_int(j, "first_different", result->first_different);
    if (result->recorded_bits == 0) {
        json_uint(j, "page", result->page);
        json_null(j, "recorded");
    } else {
        char recorded[20];
        snprintf(recorded, sizeof(recorded), "%0*" PRIx64, (int)result->recorded_bits / 4,
                 result->recorded);
        json_text(j, "recorded", recorded);
    }
    json_hash(j, "computed", result->computed);
}

static void json_name(json *j, const verify_difference *d)
{
    const bks_map_place *place = &d->value.place;
    json_text(j, "mark", d->is_known && d->mark[0] != '\0' ? d->mark : NULL);
    json_text(j, "object", d->is_known ? place->object : NULL);
    json_text(j, "field", d->is_known ? place->field : NULL);
    json_text(j, "value_recorded", d->is_known ? d->value.a : NULL);
    json_text(j, "value_computed", d->is_known ? d->value.b : NULL);
}

static void json_verdict(json *j, const verdict *v)
{
    json_text(j, "file", v->path);
    json_bool(j, "same", is_same(v));
    json_bool(j, "complete", v->is_complete);
    json_text(j, "why", v->why[0] != '\0' ? v->why : NULL);
    if (!v->is_open) {
        return;
    }
    json_text(j, "game", v->game);
    json_int(j, "ticks", v->ticks);
    json_int(j, "confirmed", v->confirmed);
    json_int(j, "stepped", v->result.stepped);
    json_int(j, "compared", v->result.compared);
    verify_repairs_json(j, &v->repairs, &v->result);
    if (v->is_damaged) {
        json_uint(j, "damage_offset", v->damage_offset);
    } else {
        json_null(j, "damage_offset");
    }
    json_hash_if(j, "final_hash", v->has_final_hash, v->final_hash);
    if (v->is_compared && !v->result.is_same) {
        json_difference(j, &v->result);
        json_name(j, &v->difference);
    } else {
        json_null(j, "first_different");
    }
}

static bool print_json(const work *w, int status)
{
    json out;
    json_begin(&out, stdout);
    if (w->count == 1) {
        json_verdict(&out, &w->verdicts[0]);
        return json_end(&out);
    }
    bool all_same = true;
    for (uint32_t i = 0; i < w->count; i++) {
        all_same = all_same && is_same(&w->verdicts[i]);
    }
    json_bool(&out, "same", all_same);
    json_int(&out, "exit", status);
    json_array(&out, "files");
    for (uint32_t i = 0; i < w->count; i++) {
        json_object(&out, NULL);
        json_verdict(&out, &w->verdicts[i]);
        json_close(&out);
    }
    json_close(&out);
    return json_end(&out);
}

static int run_verify(const args_list *files, work *w, bool is_json)
{
    w->count = files->count;
    w->verdicts = calloc(w->count, sizeof(*w->verdicts));
    if (w->verdicts == NULL) {
        tool_complain(NULL, "out of memory");
        return TOOL_DAMAGED;
    }
    for (uint32_t i = 0; i < w->count; i++) {
        w->verdicts[i].path = files->items[i];
    }
    verify_all(w);
    int status = TOOL_OK;
    for (uint32_t i = 0; i < w->count; i++) {
        status = w->verdicts[i].status > status ? w->verdicts[i].status : status;
        if (!is_json) {
            print_verdict(&w->verdicts[i]);
        }
    }
    if (is_json && !print_json(w, status)) {
        status = TOOL_DAMAGED;
    }
    free(w->verdicts);
    return status;
}

int cmd_replay_verify(int argc, char **argv)
{
    bool is_json = false;
    int64_t from = 0;
    int64_t until = INT32_MAX;
    int64_t threads = system_processors();
    threads = threads > VERIFY_THREADS_MAX ? VERIFY_THREADS_MAX : threads;
    const char *game_name = NULL;
    args_list files = {0};
    const args_option options[] = {
        ARGS_INT("--from", "TICK", &from, 0, INT32_MAX,
                 "compare from this tick on (default 0), stepping from the keyframe before it"),
        ARGS_INT("--until", "TICK", &until, 1, INT32_MAX, "compare up to this tick (default: all)"),
        ARGS_INT("--threads", "N", &threads, 1, VERIFY_THREADS_MAX,
                 "number of files verified at the same time, or of parts of one file (default: one "
                 "for each processor)"),
        ARGS_RECORDED_GAME(&game_name),
        ARGS_FLAG("--json", &is_json, "print one JSON object; of several files, an array in it"),
    };
    args_spec spec = {
        .command = "replay verify",
        .about = "Step recordings again and compare the state at tick 0 and every hash. Exit\n"
                 "status 0 if all is the same up to the end of the file, 1 if it is not, 3 if\n"
                 "bytes are damaged. A folder stands for all its *.bks.",
        ARGS_OPTIONS(options),
    };
    const int status = replay_file_parse(&spec, argc, argv, &files);
    if (status != ARGS_GO) {
        return status;
    }
    if (until < from) {
        tool_complain("--until", "is %" PRId64 ", expected --from (%" PRId64 ") or more", until,
                      from);
        return TOOL_MISUSE;
    }
    work w = {
        .from = (bks_tick)from,
        .until = (bks_tick)until,
        .threads = (uint32_t)threads,
        .game_name = game_name,
        .lock = PTHREAD_MUTEX_INITIALIZER,
    };
    return run_verify(&files, &w, is_json);
}
