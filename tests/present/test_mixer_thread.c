// SPDX-License-Identifier: MIT

// A match on one thread, its sound on another, mainly for the thread sanitizer. It also shows that
// no voice is torn.

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include <cmocka.h>

#include "backstitch/present.h"

enum { FRAMES = 4800, TICKS = 4000, VOICES = 3, MIXED_LEAST = 500 };

static float samples[FRAMES];

typedef struct listener {
    bks_mixer *mixer;
    _Atomic uint32_t mixed; ///< number of mixes
    _Atomic bool is_over;
    bool is_torn;
} listener;

/// All voices have equal gain, left and right. A torn one would not.
static void *listen(void *context)
{
    listener *l = context;
    float out[2 * 256];
    while (!atomic_load(&l->is_over)) {
        bks_mixer_mix(l->mixer, out, 256);
        (void)atomic_fetch_add(&l->mixed, 1);
        for (uint32_t i = 0; i < 256; i++) {
            l->is_torn |= out[2 * i] != out[2 * i + 1] || !(out[2 * i] >= 0.0f);
        }
    }
    return NULL;
}

static void a_match_and_its_sound_share_nothing_but_what_is_published(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FRAMES; i++) {
        samples[i] = 0.1f;
    }
    const bks_sound sound = {samples, FRAMES};
    const bks_mixer_config config = {.sounds = &sound, .sound_count = 1, .tick_rate_hz = 60};
    listener l = {0};
    assert_int_equal(bks_mixer_create(&config, &l.mixer, NULL), BKS_OK);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, listen, &l), 0);
    bks_voice voices[VOICES] = {0};
    for (bks_tick tick = 0; tick < TICKS || atomic_load(&l.mixed) < MIXED_LEAST; tick++) {
        const bks_step step = {.tick = tick, .tick_rate_hz = 60};
        bks_voices_step(voices, VOICES, &step);
        voices[tick % VOICES] = (bks_voice){.volume = (uint16_t)(tick % 3 * 10000),
                                            .is_on = tick % 5 != 0,
                                            .is_loop = tick % 2 == 0};
        bks_mixer_voices(l.mixer, tick + 1, voices, VOICES);
        const bks_cue_sound cue = {.volume = 1.0f, .is_inside = tick % 3 == 0};
        const bks_cue_event started = {.kind = BKS_CUE_STARTED,
                                       .serial = (uint64_t)tick + 1,
                                       .late_ticks = (uint32_t)tick % 4};
        const bks_cue_event cancelled = {.kind = BKS_CUE_CANCELLED, .serial = (uint64_t)tick / 2};
        bks_mixer_cue(l.mixer, &started, &cue);
        bks_mixer_cue(l.mixer, &cancelled, &cue);
        bks_mixer_volume(l.mixer, (float)(tick % 10) / 10.0f);
        (void)bks_mixer_lost(l.mixer);
    }
    atomic_store(&l.is_over, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    bks_mixer_destroy(l.mixer);
    assert_false(l.is_torn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_and_its_sound_share_nothing_but_what_is_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
