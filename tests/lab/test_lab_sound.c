// SPDX-License-Identifier: MIT

// What a player at 100 ms hears of a match, beside the same match without a network. The same cues
// and voices go through three mixers: one with the sounds of duel; one whose sounds are how far a
// sound steps from sample to sample, which gives what the sounds themselves have at each frame; and
// one in which each cue is a plain 1/64 for a second, which counts those that are heard.

#include "some_lab.h"

#include <math.h>

#include "backstitch/mixer.h"
#include "backstitch/playback.h"
#include "base/mutant.h"
#include "duel/duel.h"
#include "duel/duel_sounds.h"
#include "duel/duel_state.h"
#include "long_recording.h"

enum {
    TICKS = 1500,
    FRAMES = 800, ///< of a tick
    PER_TICK = 64,
    COUNTED = 48000, ///< frames
    FADED = 2400,    ///< 50 ms
};

/// What fades add to the steps of sounds, all of them: a fade of one is 1/960 of it.
static const float FADES = 2.0f / 960.0f;

enum { REAL, STEPS, COUNTS, MIXERS };

static bks_sound sounds[MIXERS][DUEL_SOUNDS];

// ---- sounds ----

static float *make_samples(uint32_t frames)
{
    float *samples = calloc(frames, sizeof(*samples));
    assert_non_null(samples);
    return samples;
}

/// The larger of a sample's steps from the one before and to the next; around them is silence, or,
/// of a loop, it again.
static void make_steps(const bks_sound *sound, bool is_loop, float *steps)
{
    const uint32_t last = sound->frames - 1;
    for (uint32_t i = 0; i <= last; i++) {
        const float *s = sound->samples;
        const float before = i > 0 ? s[i - 1] : is_loop ? s[last] : 0.0f;
        const float after = i < last ? s[i + 1] : is_loop ? s[0] : 0.0f;
        steps[i] = fmaxf(fabsf(s[i] - before), fabsf(after - s[i]));
    }
}

static int set_up(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < DUEL_SOUNDS; i++) {
        const uint32_t frames = duel_sound_frames[i];
        float *real = make_samples(frames);
        float *steps = make_samples(frames);
        duel_sound_make(i, real);
        sounds[REAL][i] = (bks_sound){real, frames};
        make_steps(&sounds[REAL][i], i >= DUEL_SOUND_CALM && i <= DUEL_SOUND_FLIPS, steps);
        sounds[STEPS][i] = (bks_sound){steps, frames};
        float *counts = make_samples(COUNTED);
        for (uint32_t k = 0; i < DUEL_CUES && k < COUNTED; k++) {
            counts[k] = 1.0f / 64.0f;
        }
        sounds[COUNTS][i] = (bks_sound){counts, COUNTED};
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MIXERS * DUEL_SOUNDS; i++) {
        free((void *)(uintptr_t)sounds[i / DUEL_SOUNDS][i % DUEL_SOUNDS].samples);
    }
    return 0;
}

// ---- ears ----

/// One that was started.
typedef struct heard_cue {
    uint64_t serial;
    uint32_t id;
    uint64_t key;
    uint32_t from;  ///< frame
    uint32_t until; ///< frame: it has ended, or was cancelled
    bool is_cancelled;
} heard_cue;

enum { CUES_MAX = 4096 };

/// What one player hears, all of it.
typedef struct ears {
    bks_lab *lab;
    bks_mixer *mixers[MIXERS];
    float *out[MIXERS]; ///< both sides in turn
    uint32_t frames;    ///< so far
    bks_tick present;
    uint32_t count;
    heard_cue cues[CUES_MAX];
} ears;

static ears *open_ears(void)
{
    ears *e = calloc(1, sizeof(*e));
    assert_non_null(e);
    for (uint32_t i = 0; i < MIXERS; i++) {
        const bks_mixer_config config = {
            .sounds = sounds[i], .sound_count = DUEL_SOUNDS, .tick_rate_hz = 60};
        assert_int_equal(bks_mixer_create(&config, &e->mixers[i], NULL), BKS_OK);
        e->out[i] = make_samples(2 * FRAMES * (TICKS + 1));
    }
    return e;
}

static void close_ears(ears *e)
{
    for (uint32_t i = 0; i < MIXERS; i++) {
        assert_int_equal(bks_mixer_lost(e->mixers[i]), 0);
        bks_mixer_destroy(e->mixers[i]);
        free(e->out[i]);
    }
    free(e);
}

static void note(ears *e, const bks_cue_event *event)
{
    if (event->kind == BKS_CUE_STARTED) {
        assert_true(e->count < CUES_MAX);
        e->cues[e->count++] = (heard_cue){.serial = event->serial,
                                          .id = event->id,
                                          .key = event->key,
                                          .from = e->frames,
                                          .until = e->frames + COUNTED};
    }
    for (uint32_t i = 0; event->kind == BKS_CUE_CANCELLED && i < e->count; i++) {
        if (e->cues[i].serial == event->serial && e->frames < e->cues[i].until) {
            e->cues[i].until = e->frames;
            e->cues[i].is_cancelled = true;
        }
    }
}

static void hear_cue(ears *e, const void *state, const bks_cue_event *event)
{
    bks_cue_sound cue;
    note(e, event);
    assert_true(duel_hear(state, event, &cue));
    bks_mixer_cue(e->mixers[REAL], event, &cue);
    bks_mixer_cue(e->mixers[STEPS], event, &cue);
    cue.pan = 0.0f;
    cue.is_inside = false;
    bks_mixer_cue(e->mixers[COUNTS], event, &cue);
}

/// A match has come to a tick.
static void hear_until(ears *e, const void *state, bks_tick present)
{
    bks_voice voices[DUEL_VOICES];
    duel_voices(state, voices);
    for (uint32_t i = 0; i < MIXERS; i++) {
        const uint32_t frames = (uint32_t)(present - e->present) * FRAMES;
        bks_mixer_voices(e->mixers[i], present, voices, DUEL_VOICES);
        bks_mixer_mix(e->mixers[i], e->out[i] + 2 * (size_t)e->frames, frames);
    }
    e->frames += (uint32_t)(present - e->present) * FRAMES;
    e->present = present;
}

// ---- matches ----

static void hear_peer(void *context, uint32_t peer, const bks_cue_event *event)
{
    ears *e = context;
    bks_peer *first = peer == 0 ? bks_lab_peer(e->lab, 0) : NULL;
    if (first == NULL || !bks_peer_started(first)) {
        return;
    }
    if (event != NULL) {
        hear_cue(e, bks_peer_state(first), event);
    } else {
        hear_until(e, bks_peer_state(first), bks_session_tick(bks_peer_session(first)));
    }
}

/// A match of two bots at 100 ms, as the first hears it.
static ears *play(uint64_t seed, long_recording *recording)
{
    static bks_bot bots[2];
    ears *e = open_ears();
    bks_lab_config config = bks_lab_config_default();
    config.game = &duel_game;
    config.seed = seed;
    config.ticks = TICKS;
    config.cues_per_tick = PER_TICK;
    config.cue = hear_peer;
    config.cue_context = e;
    config.records[0] = (bks_sink){.write = long_record, .context = recording};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(bks_bot_init(&bots[i], &duel_game, NULL), BKS_OK);
        config.sources[i] = bks_bot_source(&bots[i]);
    }
    assert_int_equal(bks_lab_create(&config, &e->lab, NULL), BKS_OK);
    assert_int_equal(bks_lab_link(e->lab, "delay=100ms,jitter=10ms", NULL), BKS_OK);
    while (bks_lab_advance(e->lab, bks_lab_now(e->lab) + UINT64_C(1000000000))) {
    }
    bks_lab_destroy(e->lab);
    return e;
}

/// The same inputs, stepped once.
static ears *play_straight(const long_recording *recording)
{
    ears *e = open_ears();
    long_playback p = long_recording_play(recording, &duel_game, PER_TICK);
    bks_playback *playback = p.playback;
    while (bks_playback_step(playback) == BKS_OK) {
        for (bks_cue_event event; bks_playback_cue(playback, &event);) {
            hear_cue(e, bks_playback_state(playback), &event);
        }
        hear_until(e, bks_playback_state(playback), bks_playback_tick(playback));
    }
    long_recording_end(&p);
    return e;
}

// ---- what must hold ----

/// The most that a step from frame to frame is larger than all that the sounds have there.
static float largest_excess(const ears *e)
{
    float most = -1.0f;
    for (uint32_t i = 2; i < 2 * e->frames; i++) {
        const float step = fabsf(e->out[REAL][i] - e->out[REAL][i - 2]);
        const float own = fmaxf(e->out[STEPS][i], e->out[STEPS][i - 2]);
        most = fmaxf(most, step - own);
    }
    return most;
}

static bool is_fading(const ears *e, uint32_t frame)
{
    for (uint32_t i = 0; i < e->count; i++) {
        const heard_cue *one = &e->cues[i];
        if (one->is_cancelled && frame >= one->until && frame < one->until + FADED) {
            return true;
        }
    }
    return false;
}

/// Frames in which another number of cues is heard than there is, but for 50 ms after one was
/// cancelled. Looked at are the first and the last frame between two ticks.
static uint32_t wrong_counts(const ears *e)
{
    uint32_t wrong = 0;
    for (uint32_t frame = 0; frame < e->frames; frame += frame % FRAMES == 0 ? FRAMES - 1 : 1) {
        uint32_t live = 0;
        for (uint32_t i = 0; i < e->count; i++) {
            live += frame >= e->cues[i].from && frame < e->cues[i].until ? 1 : 0;
        }
        const float heard = e->out[COUNTS][2 * (size_t)frame] * 64.0f;
        wrong += heard != (float)live && !is_fading(e, frame) ? 1 : 0;
    }
    return wrong;
}

/// Shots of one match that no shot of the other is, of the same ship, from 6 ticks earlier to
/// `late_ticks` later.
static uint32_t missing_shots(const ears *straight, const ears *e, uint32_t late_ticks)
{
    uint32_t missing = 0;
    for (uint32_t i = 0; i < straight->count; i++) {
        const heard_cue *shot = &straight->cues[i];
        bool is_there = shot->id != DUEL_CUE_SHOT && shot->id != DUEL_CUE_VOLLEY;
        for (uint32_t k = 0; k < e->count && !is_there; k++) {
            const heard_cue *one = &e->cues[k];
            is_there = one->id == shot->id && one->key == shot->key && !one->is_cancelled &&
                       one->from + BKS_CUE_MOVES_TICKS * FRAMES >= shot->from &&
                       one->from <= shot->from + late_ticks * FRAMES;
        }
        missing += is_there || shot->from > (TICKS - 30) * FRAMES ? 0 : 1;
    }
    return missing;
}

static uint32_t count_cancelled(const ears *e)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        count += e->cues[i].is_cancelled ? 1 : 0;
    }
    return count;
}

static void a_match_at_100_ms_sounds_as_the_same_without_a_network(void **state)
{
    (void)state;
    uint32_t cancelled = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        long_recording recording = {0};
        ears *far = play(seed, &recording);
        ears *straight = play_straight(&recording);
        print_message("seed %d: %u cues at 100 ms, %u of them wrong, %u straight; the largest step "
                      "above the sounds' own is %.5f and %.5f\n",
                      (int)seed, far->count, count_cancelled(far), straight->count,
                      (double)largest_excess(far), (double)largest_excess(straight));
        assert_int_equal(far->frames, straight->frames);
        assert_true(straight->count > 50);
        cancelled += count_cancelled(far);
        assert_true(largest_excess(far) <= FADES);
        assert_true(largest_excess(straight) <= FADES);
        assert_int_equal(wrong_counts(far), 0);
        assert_int_equal(wrong_counts(straight), 0);
        assert_int_equal(missing_shots(straight, far, 20), 0);
        close_ears(far);
        close_ears(straight);
        free(recording.bytes);
    }
    assert_true(cancelled > 0);
}

static void planted_faults_of_the_mixer_are_heard(void **state)
{
    (void)state;
    for (bksi_mutant mutant = BKSI_MUTANT_MIX_CUTS_IN; mutant <= BKSI_MUTANT_MIX_LATE_IS_LOST;
         mutant++) {
        long_recording recording = {0};
        (void)bksi_mutant_set(mutant);
        ears *far = play(1, &recording);
        (void)bksi_mutant_set(BKSI_MUTANT_NONE);
        print_message("mutant %d: step %.5f, %u wrong counts\n", (int)mutant,
                      (double)largest_excess(far), wrong_counts(far));
        const bool clicks = mutant == BKSI_MUTANT_MIX_CUTS_IN || mutant == BKSI_MUTANT_MIX_CUTS_OFF;
        assert_int_equal(largest_excess(far) > FADES, clicks);
        assert_int_equal(wrong_counts(far) > 0, !clicks);
        close_ears(far);
        free(recording.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_at_100_ms_sounds_as_the_same_without_a_network),
        cmocka_unit_test(planted_faults_of_the_mixer_are_heard),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
