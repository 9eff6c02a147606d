// SPDX-License-Identifier: MIT

#include "sound/game_sound.h"

#include <stdlib.h>

#include "base/tool.h"

struct game_sound {
    const bks_plugin *plugin;
    bks_mixer *mixer;
    float *samples; ///< samples of all sounds
    bks_sound *sounds;
};

bool game_sound_is_there(const bks_plugin *plugin)
{
    return plugin->sound_frames != NULL && plugin->sound_count > 0 && plugin->make_sound != NULL;
}

uint32_t game_sound_cues(const bks_plugin *plugin)
{
    return plugin->game->cue_count > 0 ? GAME_SOUND_CUES_PER_TICK : 0;
}

static bool make_sounds(game_sound *sound)
{
    const bks_plugin *plugin = sound->plugin;
    size_t frames = 0;
    for (uint32_t i = 0; i < plugin->sound_count; i++) {
        frames += plugin->sound_frames[i];
    }
    sound->sounds = calloc(plugin->sound_count, sizeof(*sound->sounds));
    sound->samples = calloc(frames > 0 ? frames : 1, sizeof(*sound->samples));
    if (sound->sounds == NULL || sound->samples == NULL) {
        tool_complain(plugin->game->name, "out of memory for its sounds");
        return false;
    }
    float *samples = sound->samples;
    for (uint32_t i = 0; i < plugin->sound_count; i++) {
        plugin->make_sound(i, samples);
        sound->sounds[i] = (bks_sound){.samples = samples, .frames = plugin->sound_frames[i]};
        samples += plugin->sound_frames[i];
    }
    return true;
}

/// Report a mistake in a plug-in that silences its sounds or its cues.
static void complain_of_silence(const bks_plugin *plugin)
{
    if (plugin->hear != NULL && plugin->game->cue_count == 0) {
        tool_complain(plugin->game->name, "no cue is heard: bks_plugin.hear is set and "
                                          "bks_game.cue_count is 0, expected the names "
                                          "of its cues in bks_game.cues");
    }
    if (plugin->hear == NULL && plugin->voices == NULL) {
        tool_complain(
            plugin->game->name,
            "nothing is heard: bks_plugin.sound_count is %u, expected bks_plugin.hear or voices",
            plugin->sound_count);
    }
}

game_sound *game_sound_open(const bks_plugin *plugin, uint32_t tick_rate_hz)
{
    game_sound *sound = calloc(1, sizeof(*sound));
    if (sound == NULL) {
        tool_complain(plugin->game->name, "out of memory for its sounds");
        return NULL;
    }
    sound->plugin = plugin;
    complain_of_silence(plugin);
    if (plugin->voice_count > BKS_MIXER_VOICES_MAX) {
        tool_complain(plugin->game->name, "voice_count is %u, must be 0..%d", plugin->voice_count,
                      BKS_MIXER_VOICES_MAX);
        free(sound);
        return NULL;
    }
    if (!make_sounds(sound)) {
        game_sound_close(sound);
        return NULL;
    }
    const bks_mixer_config config = {
        .sounds = sound->sounds, .sound_count = plugin->sound_count, .tick_rate_hz = tick_rate_hz};
    bks_error error = {0};
    if (bks_mixer_create(&config, &sound->mixer, &error) != BKS_OK) {
        tool_complain_error(plugin->game->name, &error);
        game_sound_close(sound);
        return NULL;
    }
    return sound;
}

void game_sound_close(game_sound *sound)
{
    if (sound != NULL) {
        if (sound->mixer != NULL && bks_mixer_lost(sound->mixer) > 0) {
            tool_complain(sound->plugin->game->name,
                          "%llu cue%s or voice%s not heard: too many at a time, or the sound does "
                          "not exist",
                          (unsigned long long)bks_mixer_lost(sound->mixer),
                          TOOL_PLURAL(bks_mixer_lost(sound->mixer)),
                          TOOL_PLURAL(bks_mixer_lost(sound->mixer)));
        }
        bks_mixer_destroy(sound->mixer);
        free(sound->samples);
        free(sound->sounds);
        free(sound);
    }
}

bool game_sound_hear(const game_sound *sound, const void *state, const bks_cue_event *event,
                     bks_cue_sound *out)
{
    *out = (bks_cue_sound){0};
    return sound->plugin->hear != NULL && sound->plugin->hear(state, event, out);
}

void game_sound_cue(game_sound *sound, const void *state, const bks_cue_event *event)
{
    bks_cue_sound cue;
    if (game_sound_hear(sound, state, event, &cue)) {
        bks_mixer_cue(sound->mixer, event, &cue);
    }
}

void game_sound_show(game_sound *sound, const void *state, bks_tick present)
{
    bks_voice voices[BKS_MIXER_VOICES_MAX];
    if (sound->plugin->voices != NULL) {
        sound->plugin->voices(state, voices);
        bks_mixer_voices(sound->mixer, present, voices, sound->plugin->voice_count);
    }
}

bks_mixer *game_sound_mixer(game_sound *sound)
{
    return sound->mixer;
}
