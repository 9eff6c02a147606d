// SPDX-License-Identifier: MIT

#include "doctor/doctor_shorten.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backstitch/record_file.h"
#include "base/stop.h"
#include "base/tool.h"
#include "doctor/doctor_examine.h"
#include "doctor/doctor_open.h"

/// Ticks kept behind the difference: their hashes are what a proof needs.
enum { TAIL_TICKS = 12, WORDS_MAX = 7 };

typedef struct shortening {
    doctor_case *c;
    bks_playback *playback; ///< of side A, at ticks where both sides agree
    uint8_t *state;
    size_t room;
    size_t state_bytes;
} shortening;

// Whether there is a place for both parts, and nothing stands there.
static int make_places(doctor_case *c, const char *folder)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        tool_complain(folder, "cannot be made: %s", strerror(errno));
        return TOOL_MISUSE;
    }
    for (int s = 0; s < (c->has_two ? 2 : 1); s++) {
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

// Go to a tick, whose state this machine must come to as it was recorded.
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

static bool write_part(const shortening *s, int side, bks_tick from)
{
    const replay_file *file = &s->c->sides[side].file;
    const bks_tick until = s->c->hash_tick + TAIL_TICKS;
    bks_record_file out = {.descriptor = -1};
    (void)unlink(s->c->shortened[side]);
    if (bks_record_file_open(&out, s->c->shortened[side], file->info->game, NULL) != BKS_OK) {
        return false;
    }
    const bks_replay_copy_config part = {
        .replay = file->replay,
        .from = from,
        .until = until < file->info->confirmed ? until : file->info->confirmed,
        .state = s->state,
        .state_bytes = s->state_bytes,
        .sink = bks_record_file_sink(&out)};
    const bool is_written = bks_replay_copy(&part, NULL, NULL) == BKS_OK;
    bks_record_file_close(&out);
    return is_written;
}

// Whether the parts come to the verdict that the whole comes to.
static bool is_as_before(const doctor_case *c)
{
    static doctor_case part;
    static char word[] = "doctor";
    static char build[] = "--build";
    char *argv[WORDS_MAX] = {word, (char *)(uintptr_t)c->game_name,
                             (char *)(uintptr_t)c->shortened[0]};
    int count = 3;
    if (c->has_two) {
        argv[count++] = (char *)(uintptr_t)c->shortened[1];
    }
    if (c->build != NULL) {
        argv[count++] = build;
        argv[count++] = (char *)(uintptr_t)c->build;
    }
    part = (doctor_case){.argv = argv, .build = c->build};
    const bool is_same = doctor_open(&part, c->game_name, c->shortened[0],
                                     c->has_two ? c->shortened[1] : NULL) == TOOL_OK &&
                         doctor_examine(&part) == TOOL_OK && part.verdict.is_proven &&
                         part.hash_tick == c->hash_tick &&
                         strcmp(part.verdict.cause, c->verdict.cause) == 0;
    doctor_close(&part);
    return is_same;
}

static bool try_from(const shortening *s, bks_tick from)
{
    bool is_written = true;
    for (int side = 0; side < (s->c->has_two ? 2 : 1); side++) {
        is_written = is_written && write_part(s, side, from);
    }
    tool_log_drop();
    return is_written && is_as_before(s->c);
}

// From the last tick before the difference back, in steps twice as far each.
static void search(shortening *s)
{
    doctor_case *c = s->c;
    const bks_tick begin = c->sides[0].file.info->first;
    for (bks_tick back = 1; c->hash_tick - back > begin && !stop_is_wanted(); back *= 2) {
        const bks_tick from = c->hash_tick - back;
        if (take_state(s, from) && try_from(s, from)) {
            c->shortened_first = from;
            doctor_note(c, "shortened: the ticks from %" PRId32 " on come to the same verdict",
                        from);
            return;
        }
    }
    (void)unlink(c->shortened[0]);
    (void)unlink(c->shortened[1]);
    doctor_note(c, "not shortened: no later beginning comes to the same verdict");
}

int doctor_shorten(doctor_case *c, const char *folder)
{
    shortening s = {.c = c};
    const replay_file *file = &c->sides[0].file;
    if (!c->verdict.is_proven || file->info->has_pointers) {
        doctor_note(c, "not shortened: %s",
                    c->verdict.is_proven ? "no file can hold the state" : "nothing is proven");
        return TOOL_OK;
    }
    const int status = make_places(c, folder);
    if (status != TOOL_OK) {
        return status;
    }
    const bks_playback_config config = {.replay = file->replay, .game = c->game.game};
    if (bks_playback_create(&config, &s.playback, NULL) == BKS_OK) {
        s.room = bks_playback_export(s.playback, NULL, 0);
        s.state = malloc(s.room + 1);
        if (s.state != NULL) {
            search(&s);
        }
    }
    bks_playback_destroy(s.playback);
    free(s.state);
    return stop_is_wanted() ? TOOL_STOPPED : TOOL_OK;
}
