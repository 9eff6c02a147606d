// SPDX-License-Identifier: MIT

#include "sound/sound_file.h"

#include <stdlib.h>

#include "base/tool.h"
#include "sound/wav_file.h"

enum { CHUNK_FRAMES = 1024 };

struct sound_file {
    game_sound *sound;
    wav_file *wav;
    uint32_t tick_rate_hz;
    bks_tick written; ///< ticks before it are, BKS_TICK_NONE: none
};

int sound_file_open(const bks_plugin *plugin, uint32_t tick_rate_hz, const char *path,
                    sound_file **out)
{
    *out = NULL;
    if (!game_sound_is_there(plugin)) {
        tool_complain("--wav", "given for %s, which has no sounds", plugin->game->name);
        return TOOL_MISUSE;
    }
    sound_file *file = calloc(1, sizeof(*file));
    if (file == NULL) {
        tool_complain(path, "out of memory");
        return TOOL_DAMAGED;
    }
    file->tick_rate_hz = tick_rate_hz;
    file->written = BKS_TICK_NONE;
    file->sound = game_sound_open(plugin, tick_rate_hz);
    file->wav = file->sound != NULL ? wav_file_open(path) : NULL;
    if (file->wav == NULL) {
        (void)sound_file_close(file);
        return TOOL_DAMAGED;
    }
    *out = file;
    return TOOL_OK;
}

void sound_file_cue(sound_file *file, const void *state, const bks_cue_event *event)
{
    game_sound_cue(file->sound, state, event);
}

static uint64_t frames_until(const sound_file *file, bks_tick tick)
{
    return (uint64_t)tick * BKS_SOUND_RATE_HZ / file->tick_rate_hz;
}

/// Write up to the start of a tick.
static void write_until(sound_file *file, bks_tick tick)
{
    uint64_t frames = frames_until(file, tick) - frames_until(file, file->written);
    file->written = tick;
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
    const bool is_on = file->written != BKS_TICK_NONE && present > file->written;
    if (is_on) {
        write_until(file, present - 1); // an update may have stepped several ticks
    }
    game_sound_show(file->sound, state, present);
    if (is_on) {
        write_until(file, present);
    }
    file->written = present;
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
