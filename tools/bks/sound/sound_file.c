// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L

#include "sound/sound_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backstitch/game.h"
#include "base/stop.h"
#include "base/system.h"
#include "base/tool.h"

enum { CHUNK_FRAMES = 1024, CUES_MAX = 1024 };

/// A cue whose tick is not written to the file yet.
typedef struct waiting_cue {
    bks_cue_event event;
    bks_cue_sound sound;
} waiting_cue;

struct sound_file {
    game_sound *sound;
    wav_file *wav;
    uint32_t tick_rate_hz;
    bool has_begun;
    bks_tick written; ///< one past the last tick whose sound was written, once the file has begun
    uint32_t cue_count;
    waiting_cue cues[CUES_MAX];
};

int sound_file_open(const bks_plugin *plugin, uint32_t tick_rate_hz, bks_tick first,
                    const char *path, sound_file **out)
{
    *out = NULL;
    if (!game_sound_is_there(plugin)) {
        tool_complain("--wav", "given for %s, which has no sounds", plugin->game->name);
        return TOOL_MISUSE;
    }
    if (strcmp(path, "-") == 0) {
        tool_complain("--wav", "given -, expected the path of a file: its lengths are written into "
                               "its head at the end");
        return TOOL_MISUSE;
    }
    sound_file *file = calloc(1, sizeof(*file));
    if (file == NULL) {
        tool_complain(path, "out of memory");
        return TOOL_DAMAGED;
    }
    file->tick_rate_hz = tick_rate_hz;
    file->has_begun = first != BKS_TICK_NONE;
    file->written = first;
    file->sound = game_sound_open(plugin, tick_rate_hz);
    file->wav = file->sound != NULL ? wav_file_open(path) : NULL;
    if (file->wav == NULL) {
        (void)sound_file_close(file);
        return TOOL_DAMAGED;
    }
    *out = file;
    return TOOL_OK;
}

/// Pass the cues that became known in a tick, or earlier, to the mixer.
static void take_cues(sound_file *file, bks_tick tick)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < file->cue_count; i++) {
        const waiting_cue *cue = &file->cues[i];
        if ((int64_t)cue->event.tick + cue->event.late_ticks <= tick) {
            bks_mixer_cue(game_sound_mixer(file->sound), &cue->event, &cue->sound);
        } else {
            file->cues[kept++] = *cue;
        }
    }
    file->cue_count = kept;
}

void sound_file_cue(sound_file *file, const void *state, const bks_cue_event *event)
{
    waiting_cue cue = {.event = *event};
    if (game_sound_hear(file->sound, state, event, &cue.sound)) {
        if (file->cue_count == CUES_MAX) {
            take_cues(file, INT32_MAX);
        }
        file->cues[file->cue_count++] = cue;
    }
}

static uint64_t frames_until(const sound_file *file, bks_tick tick)
{
    return (uint64_t)tick * BKS_SOUND_RATE_HZ / file->tick_rate_hz;
}

static void write_tick(sound_file *file)
{
    const bks_tick tick = file->written++;
    uint64_t frames = frames_until(file, tick + 1) - frames_until(file, tick);
    take_cues(file, tick);
    float samples[2 * CHUNK_FRAMES];
    while (frames > 0) {
        const uint32_t count = frames < CHUNK_FRAMES ? (uint32_t)frames : CHUNK_FRAMES;
        bks_mixer_mix(game_sound_mixer(file->sound), samples, count);
        wav_file_write(file->wav, samples, count);
        frames -= count;
    }
}

void sound_file_advance(sound_file *file, const void *state, bks_tick present)
{
    if (!file->has_begun) {
        file->has_begun = true;
        file->written = present > 0 ? present - 1 : 0;
    }
    // Write all ticks before the present one. They are several if an update has stepped several
    // ticks, or very many after a jump over the damage of a recording: so check for a signal.
    while (file->written < present - 1 && wav_file_takes_more(file->wav) && !stop_is_wanted()) {
        write_tick(file);
    }
    game_sound_show(file->sound, state, present);
    if (file->written < present) {
        write_tick(file);
    }
    if (file->written > present) { // the match continues from an earlier tick
        take_cues(file, INT32_MAX);
        file->written = present;
    }
}

int sound_file_close(sound_file *file)
{
    if (file == NULL) {
        return TOOL_OK;
    }
    const bool is_complete = wav_file_close(file->wav);
    game_sound_close(file->sound);
    free(file);
    return is_complete ? TOOL_OK : TOOL_DAMAGED;
}

enum { FRAME_BYTES = 4, WAV_CHUNK_FRAMES = 1024 };

/// Maximum size of all samples in bytes. It follows from the header, whose two lengths have 32
/// bits.
#define DATA_BYTES_MAX (UINT32_MAX - WAV_HEAD_BYTES)

struct wav_file {
    FILE *file; ///< the file; an existing one is not changed before the first frames are written
    bool has_begun;
    const char *path;
    uint32_t data_bytes;
    bool is_full;
    bool has_failed;
};

static void put(uint8_t *to, uint32_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        to[i] = (uint8_t)(value >> 8 * i);
    }
}

static void write_head(wav_file *file)
{
    uint8_t head[WAV_HEAD_BYTES] = "RIFF    WAVEfmt                     data";
    put(head + 4, WAV_HEAD_BYTES - 8 + file->data_bytes, 4);
    put(head + 16, 16, 4); // size of the format chunk in bytes
    put(head + 20, 1, 2);  // format of the samples: PCM
    put(head + 22, 2, 2);  // number of channels: stereo
    put(head + 24, BKS_SOUND_RATE_HZ, 4);
    put(head + 28, BKS_SOUND_RATE_HZ * FRAME_BYTES, 4);
    put(head + 32, FRAME_BYTES, 2);
    put(head + 34, 16, 2); // number of bits in a sample
    put(head + 40, file->data_bytes, 4);
    file->has_failed |= fwrite(head, 1, sizeof(head), file->file) != sizeof(head);
}

/// Return true if the file may be overwritten: it is a WAV file, or empty, or no regular file.
static bool may_go(FILE *file)
{
    struct stat is;
    if (fstat(fileno(file), &is) != 0 || !S_ISREG(is.st_mode) || is.st_size == 0) {
        return true;
    }
    char head[12];
    return fread(head, 1, sizeof(head), file) == sizeof(head) && memcmp(head, "RIFF", 4) == 0 &&
           memcmp(head + 8, "WAVE", 4) == 0;
}

wav_file *wav_file_open(const char *path)
{
    wav_file *file = calloc(1, sizeof(*file));
    if (file != NULL) {
        file->path = path;
        file->file = system_open_update(path);
    }
    if (file == NULL || file->file == NULL) {
        tool_complain(path, "cannot be written: %s", strerror(errno));
        free(file);
        return NULL;
    }
    if (!may_go(file->file)) {
        tool_complain(path, "is there and is no sound file, expected a path to write to");
        (void)fclose(file->file);
        free(file);
        return NULL;
    }
    return file;
}

static void begin(wav_file *file)
{
    file->has_begun = true;
    struct stat is;
    if (fstat(fileno(file->file), &is) == 0 && S_ISREG(is.st_mode)) {
        file->has_failed |=
            fseek(file->file, 0, SEEK_SET) != 0 || ftruncate(fileno(file->file), 0) != 0;
    }
    write_head(file);
}

/// Remove the file of a match that never began.
static void drop(wav_file *file)
{
    struct stat is;
    const bool is_empty =
        fstat(fileno(file->file), &is) == 0 && S_ISREG(is.st_mode) && is.st_size == 0;
    (void)fclose(file->file);
    if (is_empty) {
        (void)unlink(file->path);
    }
    free(file);
}

/// Return the nearest 16-bit value of a sample.
static uint32_t pcm(float sample)
{
    const float scaled = sample * 32767.0f;
    return (uint32_t)(int32_t)(scaled < 0.0f ? scaled - 0.5f : scaled + 0.5f);
}

static void write_chunk(wav_file *file, const float *samples, uint32_t frames)
{
    uint8_t bytes[WAV_CHUNK_FRAMES * FRAME_BYTES];
    for (uint32_t i = 0; i < 2 * frames; i++) {
        put(bytes + 2 * (size_t)i, pcm(samples[i]), 2);
    }
    const size_t count = (size_t)frames * FRAME_BYTES;
    file->has_failed |= fwrite(bytes, 1, count, file->file) != count;
    file->data_bytes += (uint32_t)count;
}

void wav_file_write(wav_file *file, const float *samples, uint32_t frames)
{
    if (!file->has_begun) {
        begin(file);
    }
    while (frames > 0 && !file->is_full) {
        const uint32_t count = frames < WAV_CHUNK_FRAMES ? frames : WAV_CHUNK_FRAMES;
        file->is_full = DATA_BYTES_MAX - file->data_bytes < count * FRAME_BYTES;
        if (!file->is_full) {
            write_chunk(file, samples, count);
        }
        samples += 2 * (size_t)count;
        frames -= count;
    }
}

bool wav_file_takes_more(const wav_file *file)
{
    return !file->is_full && !file->has_failed;
}

bool wav_file_close(wav_file *file)
{
    if (file == NULL) {
        return true;
    }
    if (!file->has_begun) {
        drop(file);
        return true;
    }
    file->has_failed |= fseek(file->file, 0, SEEK_SET) != 0;
    write_head(file);
    file->has_failed |= fclose(file->file) != 0;
    const bool is_complete = !file->has_failed && !file->is_full;
    if (!is_complete) {
        tool_complain(file->path, "%s",
                      file->has_failed ? "cannot be written to its end"
                                       : "ends after six hours, as the format does");
    }
    free(file);
    return is_complete;
}
