// SPDX-License-Identifier: MIT

#include "sound/ears.h"

#include <stdlib.h>

#include "base/tool.h"
#include "sound/audio.h"
#include "sound/sound_file.h"

enum { VOLUME_FULL = 10 };

struct ears {
    const bks_plugin *plugin;
    sound_file *file;  ///< WAV file that the sound is written to, NULL: none
    game_sound *sound; ///< sound for the card, NULL: none
    audio *card;
    int32_t *volume; ///< volume, 0..VOLUME_FULL; points to `usual` if the caller gave none
    int32_t usual;
    bool is_muted;
};

static void set_loudness(ears *e)
{
    bks_mixer_volume(game_sound_mixer(e->sound),
                     e->is_muted ? 0.0f : (float)*e->volume / (float)VOLUME_FULL);
}

static bool open_card(ears *e, const ears_config *config)
{
    e->sound = game_sound_open(config->plugin, config->tick_rate_hz);
    e->card = e->sound != NULL ? audio_open(game_sound_mixer(e->sound)) : NULL;
    if (e->card == NULL) {
        game_sound_close(e->sound);
        e->sound = NULL;
    }
    if (e->card != NULL) {
        set_loudness(e);
    }
    return e->card != NULL;
}

int ears_open(const ears_config *config, ears **out)
{
    *out = NULL;
    const bool has_card = config->has_card && game_sound_is_there(config->plugin);
    if (!has_card && config->wav_path == NULL) {
        return TOOL_OK;
    }
    ears *e = calloc(1, sizeof(*e));
    if (e == NULL) {
        tool_complain("sound", "out of memory");
        return TOOL_DAMAGED;
    }
    e->plugin = config->plugin;
    e->usual = VOLUME_FULL;
    e->volume = config->volume != NULL ? config->volume : &e->usual;
    int status = TOOL_OK;
    if (config->wav_path != NULL) {
        status = sound_file_open(config->plugin, config->tick_rate_hz, config->first,
                                 config->wav_path, &e->file);
    }
    const bool is_heard = status == TOOL_OK && has_card && open_card(e, config);
    if (status != TOOL_OK || (!is_heard && e->file == NULL)) {
        (void)ears_close(e);
        return status;
    }
    *out = e;
    return TOOL_OK;
}

uint32_t ears_cues_per_tick(const ears *e)
{
    return e != NULL ? game_sound_cues(e->plugin) : 0;
}

void ears_cue(ears *e, const void *state, const bks_cue_event *event)
{
    if (e != NULL && e->file != NULL) {
        sound_file_cue(e->file, state, event);
    }
    if (e != NULL && e->sound != NULL) {
        game_sound_cue(e->sound, state, event);
    }
}

void ears_show(ears *e, const void *state, bks_tick present, bool is_in_time)
{
    if (e != NULL && e->file != NULL) {
        sound_file_advance(e->file, state, present);
    }
    if (e != NULL && e->sound != NULL && is_in_time) {
        game_sound_show(e->sound, state, present);
    } else if (!is_in_time) {
        ears_hush(e);
    }
}

void ears_hush(ears *e)
{
    if (e != NULL && e->sound != NULL) {
        bks_mixer_voices(game_sound_mixer(e->sound), 0, NULL, 0);
    }
}

static const char *describe(const ears *e)
{
    static const char *const texts[VOLUME_FULL + 1] = {
        "sound at 0 %",  "sound at 10 %", "sound at 20 %", "sound at 30 %",
        "sound at 40 %", "sound at 50 %", "sound at 60 %", "sound at 70 %",
        "sound at 80 %", "sound at 90 %", "sound at 100 %"};
    return e->is_muted ? "sound off, M turns it on" : texts[*e->volume];
}

const char *ears_key(ears *e, uint8_t key)
{
    const int32_t louder = key == '+' || key == '=' ? 1 : key == '-' ? -1 : 0;
    if (e == NULL || e->sound == NULL || (key != 'm' && louder == 0)) {
        return NULL;
    }
    e->is_muted = key == 'm' && !e->is_muted;
    const int32_t volume = *e->volume + louder;
    *e->volume = volume < 0 ? 0 : volume > VOLUME_FULL ? VOLUME_FULL : volume;
    set_loudness(e);
    return describe(e);
}

int ears_close(ears *e)
{
    if (e == NULL) {
        return TOOL_OK;
    }
    audio_close(e->card);
    game_sound_close(e->sound);
    const int status = sound_file_close(e->file);
    free(e);
    return status;
}
