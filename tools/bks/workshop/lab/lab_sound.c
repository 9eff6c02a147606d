// SPDX-License-Identifier: MIT

#include "workshop/lab/lab_sound.h"

#include "base/tool.h"

static void hear(void *context, uint32_t peer, const bks_cue_event *event)
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

int lab_sound_open(lab_sound *sound, const bks_plugin *plugin, const char *path,
                   bks_lab_config *config)
{
    const uint32_t rate_hz = config->game->tick_rate_hz;
    const int status = sound_file_open(plugin, rate_hz, config->first_tick, path, &sound->file);
    if (status == TOOL_OK) {
        config->cues_per_tick = game_sound_cues(plugin);
        config->cue = hear;
        config->cue_context = sound;
    }
    return status;
}

int lab_sound_close(lab_sound *sound)
{
    const int status = sound_file_close(sound->file);
    sound->file = NULL;
    return status;
}
