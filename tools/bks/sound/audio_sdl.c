// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include <SDL.h>
#include <stdlib.h>

#include "base/system.h"
#include "base/tool.h"
#include "sound/audio.h"

enum { CALLBACK_FRAMES = 512 }; // frames of sound in one callback of SDL: 11 ms at 48 kHz

struct audio {
    bks_mixer *mixer;
    SDL_AudioDeviceID device;
};

static void SDLCALL pull(void *context, Uint8 *out, int bytes)
{
    const audio *a = context;
    bks_mixer_mix(a->mixer, (float *)(void *)out, (uint32_t)bytes / (2u * sizeof(float)));
}

static bool open_device(audio *a)
{
    const SDL_AudioSpec wanted = {.freq = (int)BKS_SOUND_RATE_HZ,
                                  .format = AUDIO_F32SYS,
                                  .channels = 2,
                                  .samples = CALLBACK_FRAMES,
                                  .callback = pull,
                                  .userdata = a};
    SDL_AudioSpec got;
    SDL_SetMainReady();
    if (SDL_InitSubSystem(SDL_INIT_AUDIO) != 0) {
        return false;
    }
    a->device = SDL_OpenAudioDevice(NULL, 0, &wanted, &got, 0);
    if (a->device == 0) {
        SDL_QuitSubSystem(SDL_INIT_AUDIO);
    }
    return a->device != 0;
}

audio *audio_open(bks_mixer *mixer)
{
    audio *a = calloc(1, sizeof(*a));
    if (a == NULL) {
        tool_complain("sound", "out of memory");
        return NULL;
    }
    a->mixer = mixer;
    // Without a card, ALSA writes many lines to stderr, although SDL reports the error.
    const int kept = system_stderr_silence();
    const bool is_open = open_device(a);
    system_stderr_restore(kept);
    if (!is_open) {
        tool_complain("sound", "cannot be played, no sound card opens: %s", SDL_GetError());
        free(a);
        return NULL;
    }
    SDL_PauseAudioDevice(a->device, 0);
    return a;
}

void audio_close(audio *a)
{
    if (a != NULL) {
        SDL_CloseAudioDevice(a->device);
        SDL_QuitSubSystem(SDL_INIT_AUDIO);
        free(a);
    }
}
