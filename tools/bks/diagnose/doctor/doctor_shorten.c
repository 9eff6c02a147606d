// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backstitch/record.h"
#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "base/stop.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_case.h"
#include "diagnose/doctor/doctor_steps.h"

/// Number of ticks to keep after the difference, because a proof needs their hashes.
enum { TAIL_TICKS = 12 };

typedef struct shortening {
    doctor_case *c;
    bks_playback *playback; ///< playback of side A
    uint8_t *state;         ///< first state of the shortened recordings
    size_t room;
    size_t state_bytes; ///< size of `state`; 0: begin with the first state of the whole recording
} shortening;

static int count_sides(const doctor_case *c)
{
    return c->has_two ? 2 : 1;
}

// Return true if files can be made in a folder, or the folder can be made.
static bool can_have(const char *folder)
{
    struct stat about;
    if (mkdir(folder, 0777) == 0) {
        return rmdir(folder) == 0;
    }
    if (errno == EEXIST && stat(folder, &about) == 0 && !S_ISDIR(about.st_mode)) {
        errno = ENOTDIR;
        return false;
    }
    return errno == EEXIST && access(folder, W_OK | X_OK) == 0;
}

int doctor_shorten_check(doctor_case *c, const char *folder)
{
    if (!can_have(folder)) {
        tool_complain(folder, "is no folder to write to: %s", strerror(errno));
        return TOOL_MISUSE;
    }
    for (int s = 0; s < count_sides(c); s++) {
        char *path = c->shortened[s];
        const int length =
            snprintf(path, DOCTOR_PATH_BYTES, "%s/%s.bks", folder, s == 0 ? "A" : "B");
        if (length >= DOCTOR_PATH_BYTES || access(path, F_OK) == 0) {
            tool_complain(path, "is there already, expected a folder without it");
            return TOOL_MISUSE;
        }
    }
    return TOOL_OK;
}

// Store the state at the start of a tick, if this machine gets the recorded hash of the tick.
static bool take_state(shortening *s, bks_tick tick)
{
    const replay_file *file = &s->c->sides[0].file;
    if (bks_playback_seek(s->playback, tick, NULL) != BKS_OK ||
        !bks_replay_hash_agrees(file->replay, tick, bks_playback_hash(s->playback))) {
        return false;
    }
    s->state_bytes = bks_playback_export(s->playback, s->state, s->room);
    return s->state_bytes > 0;
}

static bks_tick end_of_part(const doctor_case *c, int side)
{
    const bks_tick until = c->hash_tick + TAIL_TICKS;
    const bks_tick end = c->sides[side].file.info->confirmed;
    return until < end ? until : end;
}

static bool write_part(const shortening *s, int side, bks_tick from)
{
    const replay_file *file = &s->c->sides[side].file;
    bks_record_file out = {.descriptor = -1};
    (void)unlink(s->c->shortened[side]);
    if (bks_record_file_open(&out, s->c->shortened[side], file->info->game, NULL) != BKS_OK) {
        return false;
    }
    const bks_replay_copy_config part = {.replay = file->replay,
                                         .from = from,
                                         .until = end_of_part(s->c, side),
                                         .state = s->state_bytes > 0 ? s->state : NULL,
                                         .state_bytes = s->state_bytes,
                                         .sink = bks_record_file_sink(&out)};
    const bool is_written = bks_replay_copy(&part, NULL, NULL) == BKS_OK;
    bks_record_file_close(&out);
    return is_written;
}

static bool is_same_verdict(const doctor_verdict *a, const doctor_verdict *b)
{
    return strcmp(a->cause, b->cause) == 0 && a->tick == b->tick && strcmp(a->mark, b->mark) == 0 &&
           strcmp(a->value.place.name, b->value.place.name) == 0;
}

// Return true if the shortened recordings lead to the same verdict as the whole ones.
static bool is_as_before(const doctor_case *c)
{
    static doctor_case part;
    part = (doctor_case){.build = c->build};
    const bool is_same = doctor_open(&part, c->game_name, c->shortened[0],
                                     c->has_two ? c->shortened[1] : NULL) == TOOL_OK &&
                         doctor_examine(&part) == TOOL_OK && part.verdict.is_proven &&
                         part.hash_tick == c->hash_tick &&
                         is_same_verdict(&part.verdict, &c->verdict);
    doctor_close(&part);
    return is_same;
}

static bool try_from(shortening *s, bks_tick from)
{
    bool is_written = true;
    for (int side = 0; side < count_sides(s->c); side++) {
        is_written = is_written && write_part(s, side, from);
    }
    tool_log_drop();
    if (is_written && is_as_before(s->c)) {
        s->c->shortened_first = from;
    }
    return s->c->shortened_first != BKS_TICK_NONE;
}

// Cut off only the end of the recordings. Keep the beginning, because the game may keep data
// outside the state since any earlier tick.
static bool try_beginning(shortening *s)
{
    const doctor_case *c = s->c;
    bool is_shorter = false;
    for (int side = 0; side < count_sides(c); side++) {
        const bks_recording *info = c->sides[side].file.info;
        is_shorter = is_shorter || end_of_part(c, side) < info->end;
    }
    s->state_bytes = 0;
    return is_shorter && try_from(s, c->sides[0].file.info->first);
}

// Try first ticks, beginning with the tick before the difference. Each further try goes twice as
// far back.
static bool search(shortening *s)
{
    const doctor_case *c = s->c;
    const bks_tick begin = c->sides[0].file.info->first;
    for (bks_tick back = 1; c->hash_tick - back > begin && !stop_is_wanted(); back *= 2) {
        const bks_tick from = c->hash_tick - back;
        if (take_state(s, from) && try_from(s, from)) {
            return true;
        }
    }
    return !stop_is_wanted() && try_beginning(s);
}

static void search_in(shortening *s, const char *folder)
{
    doctor_case *c = s->c;
    const bool is_made = mkdir(folder, 0777) == 0;
    if (search(s)) {
        doctor_note_shortening(
            c, "shortened: the ticks from %" PRId32 " to %" PRId32 " come to the same verdict",
            c->shortened_first, end_of_part(c, 0) - 1);
        return;
    }
    for (int side = 0; side < count_sides(c); side++) {
        (void)unlink(c->shortened[side]);
    }
    if (is_made) {
        (void)rmdir(folder);
    }
    doctor_note_shortening(c, "not shortened: no shorter part comes to the same verdict");
}

int doctor_shorten(doctor_case *c, const char *folder)
{
    shortening s = {.c = c};
    const replay_file *file = &c->sides[0].file;
    if (!c->verdict.is_proven || file->info->has_pointers) {
        doctor_note_shortening(
            c, "not shortened: %s",
            c->verdict.is_proven ? "no file can hold the state"
                                 : "nothing is proven that a shorter part or a C test could show");
        return TOOL_OK;
    }
    const bks_playback_config config = {.replay = file->replay, .game = c->game.game};
    bks_error error = {0};
    if (bks_playback_create(&config, &s.playback, &error) == BKS_OK) {
        s.room = bks_playback_export(s.playback, NULL, 0);
        s.state = malloc(s.room + 1);
    }
    if (s.state != NULL) {
        search_in(&s, folder);
    } else {
        doctor_note_shortening(c, "not shortened: %s",
                               s.playback != NULL ? "out of memory" : error.text);
        tool_log_drop();
    }
    bks_playback_destroy(s.playback);
    free(s.state);
    return stop_is_wanted() ? TOOL_STOPPED : TOOL_OK;
}
