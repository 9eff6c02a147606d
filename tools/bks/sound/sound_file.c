// SPDX-License-Identifier: MIT

#include "sound/sound_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "base/tool.h"
#include "sound/wav_file.h"

enum { CHUNK_FRAMES = 1024, CUES_MAX = 1024 };

/// A cue that waits for its tick to be written.
typedef struct waiting_cue {
    bks_cue_event event;
    bks_cue_sound sound;
} waiting_cue;

struct sound_file {
    game_sound *sound;
    wav_file *wav;
    uint32_t tick_rate_hz;
    bool has_begun;
    bks_tick written; ///< ticks before it are, once it has begun
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

/// Give the mixer the cues that were known in a tick, or before.
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
    // An update may have stepped several ticks, and a damaged recording may jump by any number.
    while (file->written < present - 1 && wav_file_takes_more(file->wav) && !stop_is_wanted()) {
        write_tick(file);
    }
    game_sound_show(file->sound, state, present);
    if (file->written < present) {
        write_tick(file);
    }
    if (file->written > present) { // it continues from an earlier one
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
