// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include <SDL.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/tool.h"
#include "sound/audio.h"

enum { CALLBACK_FRAMES = 512 }; // 11 ms

struct audio {
    bks_mixer *mixer;
    SDL_AudioDeviceID device;
};

static void SDLCALL pull(void *context, Uint8 *out, int bytes)
{
    const audio *a = context;
    bks_mixer_mix(a->mixer, (float *)(void *)out, (uint32_t)bytes / (2u * sizeof(float)));
}

// Without a card ALSA writes a page to stderr, whatever SDL returns.
static int silence_stderr(void)
{
    const int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (kept >= 0 && nowhere >= 0) {
        (void)dup2(nowhere, STDERR_FILENO);
    }
    if (nowhere >= 0) {
        (void)close(nowhere);
    }
    return kept;
}

static void restore_stderr(int kept)
{
    if (kept >= 0) {
        (void)dup2(kept, STDERR_FILENO);
        (void)close(kept);
    }
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
    const int kept = silence_stderr();
    const bool is_open = open_device(a);
    restore_stderr(kept);
    if (!is_open) {
        tool_complain("sound", "no card plays it: %s", SDL_GetError());
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
