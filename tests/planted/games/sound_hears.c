// SPDX-License-Identifier: MIT

// `hear` and `voices` only read the state, and no step asks for a cue.

#include "planted.h"

enum { SOUND_FRAMES = 480 };

typedef struct quiet_state {
    planted_base base;
    int32_t prize;
} quiet_state;

static void quiet_init(void *state, const bks_start *start)
{
    (void)start;
    ((quiet_state *)state)->prize = 1;
}

static void quiet_step(void *state, const bks_step *step)
{
    quiet_state *quiet = state;
    planted_move(&quiet->base, step);
    quiet->prize += quiet->base.x[0] > 0 ? 1 : 2;
    bks_mark(step, "prize");
}

static bool quiet_hear(const void *state, const bks_cue_event *event, bks_cue_sound *out)
{
    out->volume = ((const quiet_state *)state)->prize > 50 ? 0.5f : 1.0f;
    return event->kind == BKS_CUE_STARTED;
}

static void quiet_voices(const void *state, bks_voice *out)
{
    *out = (bks_voice){.volume = ((const quiet_state *)state)->prize > 50 ? 1 : 2};
}

static void quiet_make(uint32_t sound, float *samples)
{
    (void)sound;
    memset(samples, 0, SOUND_FRAMES * sizeof(*samples));
}

static const uint32_t quiet_frames[] = {SOUND_FRAMES};
static const bks_cue_type quiet_cues[] = {{.name = "beep"}};

#undef PLANTED_MORE
#define PLANTED_MORE                                                            \
    , .sound_frames = quiet_frames, .sound_count = 1, .make_sound = quiet_make, \
      .hear = quiet_hear, .voices = quiet_voices, .voice_count = 1

PLANTED("sound_hears", quiet_state, .state_bytes = sizeof(quiet_state), .cues = quiet_cues,
        .cue_count = 1, .init = quiet_init, .step = quiet_step);
