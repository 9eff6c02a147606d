// SPDX-License-Identifier: MIT

// `hear` takes random numbers from the generator in the state. No cue is asked for before tick 90.

#include "backstitch/det.h"
#include "planted.h"

enum { FIRST_CUE = 90, EVERY_TICKS = 4, SOUND_FRAMES = 480 };

typedef struct heard_state {
    planted_base base;
    bks_random random;
} heard_state;

static void heard_init(void *state, const bks_start *start)
{
    bks_random_seed(&((heard_state *)state)->random, start->seed, 1);
}

static void heard_step(void *state, const bks_step *step)
{
    heard_state *heard = state;
    planted_move(&heard->base, step);
    if (step->tick >= FIRST_CUE && step->tick % EVERY_TICKS == 0) {
        bks_cue(step, 0, 0, NULL, 0);
    }
    bks_mark(step, "cue");
}

static bool heard_hear(const void *state, const bks_cue_event *event, bks_cue_sound *out)
{
    heard_state *heard = (void *)(uintptr_t)state;
    out->volume = (float)bks_random_between(&heard->random, 50, 100) / 100.0f;
    return event->kind == BKS_CUE_STARTED;
}

static void heard_make(uint32_t sound, float *samples)
{
    (void)sound;
    memset(samples, 0, SOUND_FRAMES * sizeof(*samples));
}

static const uint32_t heard_frames[] = {SOUND_FRAMES};
static const bks_cue_type heard_cues[] = {{.name = "beep"}};

#undef PLANTED_MORE
#define PLANTED_MORE \
    , .sound_frames = heard_frames, .sound_count = 1, .make_sound = heard_make, .hear = heard_hear

PLANTED("hears", heard_state, .state_bytes = sizeof(heard_state), .cues = heard_cues,
        .cue_count = 1, .init = heard_init, .step = heard_step);
