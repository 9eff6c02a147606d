// SPDX-License-Identifier: MIT

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/present.h"
#include "base/mutant.h"
#include "support/catch_log.h"
#include "support/counting_allocator.h"

enum {
    TICK = 800, ///< frames, at 60 Hz
    FADE = 960, ///< frames
    LONG = 96000,
    SHORT = 4800,
    ROOM = 1 << 16,
};

enum { TONE, FLAT, BLIP, SOUNDS };

static float tone_samples[LONG]; // 220 Hz, a whole number of rounds
static float flat_samples[LONG]; // 1 throughout, so every cut shows
static float blip_samples[SHORT];
static const bks_sound sounds[SOUNDS] = {
    [TONE] = {tone_samples, LONG}, [FLAT] = {flat_samples, LONG}, [BLIP] = {blip_samples, SHORT}};
static float out[2 * ROOM];

static int set_up_sounds(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < LONG; i++) {
        tone_samples[i] = (float)sin(6.283185307179586 * 220.0 * i / 48000.0);
        flat_samples[i] = 0.75f;
    }
    for (uint32_t i = 0; i < SHORT; i++) {
        blip_samples[i] = 0.5f;
    }
    return 0;
}

static bks_mixer *make(void)
{
    const bks_mixer_config config = {.sounds = sounds, .sound_count = SOUNDS, .tick_rate_hz = 60};
    bks_mixer *mixer = NULL;
    assert_int_equal(bks_mixer_create(&config, &mixer, NULL), BKS_OK);
    return mixer;
}

static int set_up(void **state)
{
    *state = make();
    return 0;
}

static int tear_down(void **state)
{
    (void)bksi_mutant_set(BKSI_MUTANT_NONE);
    bks_log_clear_sink();
    bks_mixer_destroy(*state);
    return 0;
}

/// Mix more frames after those that were mixed so far.
static uint32_t mix(bks_mixer *mixer, uint32_t at, uint32_t frames)
{
    assert_true(at + frames <= ROOM);
    bks_mixer_mix(mixer, out + 2 * (size_t)at, frames);
    return at + frames;
}

/// Return the largest step from one frame to the next, on the left.
static float largest_step(uint32_t from, uint32_t until)
{
    float most = 0.0f;
    for (uint32_t i = from; i < until; i++) {
        most = fmaxf(most, fabsf(out[2 * i] - (i > 0 ? out[2 * i - 2] : 0.0f)));
    }
    return most;
}

static bool is_silent(uint32_t from, uint32_t until)
{
    for (uint32_t i = from; i < until; i++) {
        if (out[2 * i] != 0.0f || out[2 * i + 1] != 0.0f) {
            return false;
        }
    }
    return true;
}

static void cue(bks_mixer *mixer, bks_cue_event_kind kind, uint64_t serial, uint32_t late_ticks,
                const bks_cue_sound *sound)
{
    const bks_cue_event event = {.kind = kind, .serial = serial, .late_ticks = late_ticks};
    bks_mixer_cue(mixer, &event, sound);
}

static const bks_cue_sound tone_cue = {.sound = TONE, .volume = 1.0f};
static const bks_cue_sound flat_cue = {.sound = FLAT, .volume = 1.0f};

// ---- cues ----

static void a_cue_is_heard_whole_also_when_it_is_late(void **state)
{
    for (uint32_t late = 0; late < 12; late += 5) {
        cue(*state, BKS_CUE_STARTED, late + 1, late, &tone_cue);
        mix(*state, 0, LONG / 2);
        mix(*state, 0, 100); // still that sound
        cue(*state, BKS_CUE_CANCELLED, late + 1, late, &tone_cue);
        mix(*state, 0, 2 * FADE);
        cue(*state, BKS_CUE_STARTED, late + 100, late, &tone_cue);
        mix(*state, 0, 1000);
        for (uint32_t i = 0; i < 1000; i++) {
            assert_true(out[2 * i] == tone_samples[i]);
        }
        cue(*state, BKS_CUE_CANCELLED, late + 100, late, &tone_cue);
        mix(*state, 0, 2 * FADE);
    }
}

static void a_late_cue_may_begin_inside_with_a_fade(void **state)
{
    const bks_cue_sound inside = {.sound = TONE, .volume = 1.0f, .is_inside = true};
    cue(*state, BKS_CUE_STARTED, 1, 4, &inside);
    mix(*state, 0, 3000);
    assert_true(fabsf(out[0]) < 0.01f);
    for (uint32_t i = FADE + 1; i < 3000; i++) {
        assert_true(out[2 * i] == tone_samples[4 * TICK + i]);
    }
}

static void a_cue_in_time_that_may_begin_inside_begins_at_its_beginning(void **state)
{
    const bks_cue_sound inside = {.sound = FLAT, .volume = 1.0f, .is_inside = true};
    cue(*state, BKS_CUE_STARTED, 1, 0, &inside);
    mix(*state, 0, 10);
    assert_true(out[0] == 0.75f);
}

static void a_cue_that_is_over_before_it_is_known_is_not_heard(void **state)
{
    const bks_cue_sound inside = {.sound = BLIP, .volume = 1.0f, .is_inside = true};
    cue(*state, BKS_CUE_STARTED, 1, 6, &inside);
    mix(*state, 0, 1000);
    assert_true(is_silent(0, 1000));
    assert_int_equal(bks_mixer_lost(*state), 0);
}

static void a_cue_is_dropped_beyond_the_ticks_it_names(void **state)
{
    const bks_cue_sound fresh = {.sound = FLAT, .volume = 1.0f, .drop_after_ticks = 3};
    cue(*state, BKS_CUE_STARTED, 1, 4, &fresh);
    cue(*state, BKS_CUE_CANCELLED, 1, 4, &fresh);
    mix(*state, 0, 100);
    assert_true(is_silent(0, 100));
    cue(*state, BKS_CUE_STARTED, 2, 3, &fresh);
    mix(*state, 0, 100);
    assert_false(is_silent(0, 1));
}

static void a_cancelled_cue_fades_within_50_ms_and_does_not_click(void **state)
{
    cue(*state, BKS_CUE_STARTED, 1, 0, &flat_cue);
    uint32_t at = mix(*state, 0, 3000);
    cue(*state, BKS_CUE_CANCELLED, 1, 7, &flat_cue);
    at = mix(*state, at, 6000);
    assert_true(largest_step(1, at) < 1.0f / FADE);
    assert_true(is_silent(3000 + 2400, at));
}

static void a_changed_cue_gets_its_new_loudness_and_does_not_begin_again(void **state)
{
    cue(*state, BKS_CUE_STARTED, 1, 0, &tone_cue);
    uint32_t at = mix(*state, 0, 3000);
    const bks_cue_sound aside = {.sound = TONE, .volume = 1.0f, .pan = 1.0f};
    cue(*state, BKS_CUE_CHANGED, 1, 2, &aside);
    at = mix(*state, at, 3000);
    assert_true(out[2 * (at - 1)] == 0.0f);
    assert_true(out[2 * (at - 1) + 1] == tone_samples[at - 1]);
}

static void cues_without_room_are_counted(void **state)
{
    for (uint64_t i = 0; i < BKS_MIXER_CUES_MAX + 3; i++) {
        cue(*state, BKS_CUE_STARTED, i + 1, 0, &flat_cue);
    }
    mix(*state, 0, 10);
    assert_int_equal(bks_mixer_lost(*state), 3);
    const bks_cue_sound missing = {.sound = SOUNDS, .volume = 1.0f};
    catch_log log;
    catch_log_begin(&log);
    cue(*state, BKS_CUE_STARTED, 999, 0, &missing);
    cue(*state, BKS_CUE_STARTED, 1000, 0, &missing);
    bks_log_clear_sink();
    assert_non_null(strstr(log.text, "must be 0.."));
    assert_int_equal(log.count, 1);
    assert_int_equal(bks_mixer_lost(*state), 5);
}

static void what_is_too_loud_is_cut_without_a_larger_step(void **state)
{
    for (uint64_t i = 1; i <= 8; i++) {
        cue(*state, BKS_CUE_STARTED, i, 0, &tone_cue);
    }
    mix(*state, 0, 4800);
    float most = 0.0f;
    for (uint32_t i = 0; i < 4800; i++) {
        most = fmaxf(most, fabsf(out[2 * i]));
    }
    assert_true(most == 1.0f);
    assert_true(largest_step(0, 4800) < 8.0f * 0.0289f);
}

/// A cut, which the tests above look for, would be seen.
static void planted_faults_are_heard(void **state)
{
    (void)bksi_mutant_set(BKSI_MUTANT_MIX_CUTS_OFF);
    cue(*state, BKS_CUE_STARTED, 1, 0, &flat_cue);
    uint32_t at = mix(*state, 0, 3000);
    cue(*state, BKS_CUE_CANCELLED, 1, 7, &flat_cue);
    at = mix(*state, at, 6000);
    assert_true(largest_step(1, at) > 0.5f);

    (void)bksi_mutant_set(BKSI_MUTANT_MIX_CUTS_IN);
    const bks_cue_sound inside = {.sound = FLAT, .volume = 1.0f, .is_inside = true};
    cue(*state, BKS_CUE_STARTED, 2, 4, &inside);
    mix(*state, 0, 100);
    assert_true(largest_step(0, 100) > 0.5f);

    (void)bksi_mutant_set(BKSI_MUTANT_MIX_RINGS_ON);
    cue(*state, BKS_CUE_CANCELLED, 2, 7, &inside);
    at = mix(*state, 0, 6000);
    assert_false(is_silent(2400, at));

    (void)bksi_mutant_set(BKSI_MUTANT_NONE);
    cue(*state, BKS_CUE_CANCELLED, 2, 7, &inside);
    mix(*state, 0, 2 * FADE);
    (void)bksi_mutant_set(BKSI_MUTANT_MIX_LATE_IS_LOST);
    cue(*state, BKS_CUE_STARTED, 3, 1, &flat_cue);
    mix(*state, 0, 100);
    assert_true(is_silent(0, 100));
}

// ---- voices ----

static void publish(bks_mixer *mixer, bks_tick present, const bks_voice *voice)
{
    bks_mixer_voices(mixer, present, voice, voice != NULL ? 1 : 0);
}

/// Play a voice as a match that steps a tick between two mixes.
static uint32_t play(bks_mixer *mixer, bks_voice *voice, bks_tick *present, uint32_t at,
                     uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        publish(mixer, *present, voice);
        at = mix(mixer, at, TICK);
        const bks_step step = {.tick = *present, .tick_rate_hz = 60};
        bks_voices_step(voice, 1, &step);
        (*present)++;
    }
    return at;
}

static void a_voice_is_heard_as_its_sound_without_a_seam(void **state)
{
    bks_voice voice = {.sound = TONE, .volume = BKS_VOICE_FULL, .is_on = 1, .is_loop = 1};
    bks_tick present = 0;
    const uint32_t at = play(*state, &voice, &present, 0, 60);
    for (uint32_t i = 0; i < at; i++) {
        assert_true(out[2 * i] == tone_samples[i % LONG]);
    }
}

static void assert_sides(const float *frame, float left, float right)
{
    assert_true(fabsf(frame[0] - left) < 1e-5f && fabsf(frame[1] - right) < 1e-5f);
}

static void a_voice_is_heard_at_its_side_and_as_loud_as_it_says(void **state)
{
    bks_voice voice = {.sound = FLAT,
                       .volume = BKS_VOICE_FULL / 2,
                       .pan = BKS_VOICE_RIGHT,
                       .is_on = 1,
                       .is_loop = 1};
    bks_tick present = 0;
    uint32_t at = play(*state, &voice, &present, 0, 2);
    assert_sides(out, 0.0f, 0.375f);
    assert_sides(out + 2 * (size_t)(at - 1), 0.0f, 0.375f);
    voice.volume = BKS_VOICE_FULL;
    voice.pan = -BKS_VOICE_RIGHT;
    at = play(*state, &voice, &present, at, 2);
    assert_sides(out + 2 * (size_t)(at - 1), 0.75f, 0.0f);
}

/// Check that only the tone was heard, from its beginning.
static void assert_is_tone(uint32_t frames)
{
    for (uint32_t i = 0; i < frames; i++) {
        assert_true(out[2 * i] == tone_samples[i]);
    }
}

/// A voice follows the mixed frames, whenever snapshots are published.
static void a_cursor_that_is_a_little_off_changes_nothing(void **state)
{
    bks_voice voice = {.sound = TONE, .volume = BKS_VOICE_FULL, .is_on = 1, .is_loop = 1};
    static const int32_t off[] = {0, 900, -1100, 2300, 400, -2300};
    uint32_t at = 0;
    for (bks_tick present = 0; present < 60; present++) {
        const int64_t cursor = present * TICK + off[present % 6];
        voice.cursor = cursor > 0 ? (uint64_t)cursor : 0;
        publish(*state, present, &voice);
        at = mix(*state, at, TICK);
    }
    assert_is_tone(at);
}

/// Ticks may take too long, because the pace is adjusted or the machine is slow.
static void a_match_slower_than_its_tick_rate_does_not_move_its_voices(void **state)
{
    static const uint32_t tick_frames[] = {816, 1100, 1700, 780};
    for (uint32_t i = 0; i < sizeof(tick_frames) / sizeof(tick_frames[0]); i++) {
        bks_mixer *mixer = make();
        bks_voice voice = {.sound = TONE, .volume = BKS_VOICE_FULL, .is_on = 1, .is_loop = 1};
        uint64_t heard = 0;
        for (bks_tick present = 0; present < 600; present++) {
            publish(mixer, present, &voice);
            (void)mix(mixer, 0, tick_frames[i]);
            for (uint32_t k = 0; k < tick_frames[i]; k++) {
                assert_true(out[2 * k] == tone_samples[heard++ % LONG]);
            }
            const bks_step step = {.tick = present, .tick_rate_hz = 60};
            bks_voices_step(&voice, 1, &step);
        }
        bks_mixer_destroy(mixer);
    }
    (void)state;
}

/// There are more snapshots than ticks, and a correction may come between two of the same tick.
static void a_voice_moved_while_the_tick_stands_jumps(void **state)
{
    bks_voice voice = {.sound = TONE, .volume = BKS_VOICE_FULL, .is_on = 1, .is_loop = 1};
    bks_tick present = 0;
    uint32_t at = play(*state, &voice, &present, 0, 20);
    publish(*state, present, &voice);
    at = mix(*state, at, TICK / 2);
    voice.cursor = 48000 - 55;
    publish(*state, present, &voice);
    const uint32_t jumped = at;
    at = mix(*state, at, 2 * TICK);
    for (uint32_t i = jumped + FADE + 1; i < at; i++) {
        assert_true(out[2 * i] == tone_samples[48000 - 55 + i - jumped]);
    }
}

/// After a seek in a recording, a piece of music plays from the place of the tick.
static void a_seek_is_heard_where_it_leads(void **state)
{
    bks_voice voice = {.sound = FLAT, .volume = BKS_VOICE_FULL, .is_on = 1};
    bks_tick present = 0;
    (void)play(*state, &voice, &present, 0, 10);
    voice.cursor = LONG - 1200; // and 108 ticks later, two seconds
    present = 118;
    publish(*state, present, &voice);
    (void)mix(*state, 0, 2 * TICK);
    assert_true(out[2 * 1100] > 0.0f);
    assert_true(is_silent(1300, 2 * TICK));
}

static void a_jump_of_a_cursor_fades_over_and_does_not_click(void **state)
{
    bks_voice voice = {.sound = TONE, .volume = BKS_VOICE_FULL, .is_on = 1, .is_loop = 1};
    bks_tick present = 0;
    uint32_t at = play(*state, &voice, &present, 0, 20);
    voice.cursor = 48000 - 55; // the other half of a round: the worst place
    const uint32_t jumped = at;
    at = play(*state, &voice, &present, at, 20);
    // The step of the tone itself and of the two fades.
    assert_true(largest_step(1, at) <= 0.0288f + 2.0f / FADE);
    for (uint32_t i = jumped + FADE + 1; i < at; i++) {
        assert_true(out[2 * i] == tone_samples[48000 - 55 + i - jumped]);
    }
}

static void a_voice_over_the_end_of_its_loop_does_not_jump(void **state)
{
    bks_voice voice = {.sound = BLIP, .volume = BKS_VOICE_FULL, .is_on = 1, .is_loop = 1};
    bks_tick present = 0;
    const uint32_t at = play(*state, &voice, &present, 0, 40);
    assert_true(largest_step(1, at) == 0.0f);
}

static void a_match_that_waits_does_not_go_back_to_the_same_place(void **state)
{
    bks_voice voice = {.sound = TONE, .volume = BKS_VOICE_FULL, .is_on = 1, .is_loop = 1};
    bks_tick present = 0;
    uint32_t at = play(*state, &voice, &present, 0, 10);
    for (uint32_t i = 0; i < 12; i++) {
        publish(*state, present, &voice);
        at = mix(*state, at, TICK);
    }
    assert_is_tone(at);
}

static void a_voice_switched_off_or_unpublished_fades_out(void **state)
{
    bks_voice voice = {.sound = FLAT, .volume = BKS_VOICE_FULL, .is_on = 1, .is_loop = 1};
    bks_tick present = 0;
    uint32_t at = play(*state, &voice, &present, 0, 5);
    voice.is_on = 0;
    at = play(*state, &voice, &present, at, 5);
    assert_true(largest_step(1, at) < 1.0f / FADE);
    assert_true(is_silent(5 * TICK + 2400, at));
    voice = (bks_voice){.sound = FLAT, .volume = BKS_VOICE_FULL, .is_on = 1};
    at = play(*state, &voice, &present, at, 5);
    publish(*state, present, NULL);
    at = mix(*state, at, 4800);
    assert_true(is_silent(at - 2400, at));
}

/// After a rollback a voice may have begun some ticks ago.
static void a_voice_that_is_known_late_fades_in_where_it_is(void **state)
{
    const bks_voice voice = {
        .cursor = 6 * TICK, .sound = TONE, .volume = BKS_VOICE_FULL, .is_on = 1};
    publish(*state, 30, &voice);
    mix(*state, 0, 4000);
    assert_true(largest_step(0, 4000) <= 0.0288f + 1.0f / FADE);
    assert_true(out[2 * 2000] == tone_samples[6 * TICK + 2000]);
}

static void the_beginning_of_a_voice_is_heard_when_its_picture_is_late(void **state)
{
    const bks_voice voice = {.cursor = TICK, .sound = FLAT, .volume = BKS_VOICE_FULL, .is_on = 1};
    publish(*state, 1, &voice);
    mix(*state, 0, 10);
    assert_true(out[0] == 0.75f);
}

static void a_voice_that_ended_does_not_begin_again(void **state)
{
    bks_voice voice = {.sound = BLIP, .volume = BKS_VOICE_FULL, .is_on = 1};
    bks_tick present = 0;
    const uint32_t at = play(*state, &voice, &present, 0, 20);
    assert_true(is_silent(SHORT, at));
    voice.cursor = 0; // but when it is started again
    play(*state, &voice, &present, 0, 1);
    assert_true(out[0] == 0.5f);
}

/// Use a voice for minutes: it ends, is switched off, and begins again.
static void a_voice_may_end_and_begin_again_for_ever(void **state)
{
    bks_tick present = 0;
    for (uint32_t use = 0; use < 2 * (BKS_MIXER_CUES_MAX + 3 * BKS_MIXER_VOICES_MAX); use++) {
        bks_voice voice = {.sound = BLIP, .volume = BKS_VOICE_FULL, .is_on = 1};
        publish(*state, ++present, &voice);
        assert_false(is_silent(0, mix(*state, 0, TICK)));
        voice.cursor = SHORT;
        publish(*state, ++present, &voice);
        (void)mix(*state, 0, SHORT);
        voice.is_on = use % 2 == 0; // or at once
        publish(*state, ++present, &voice);
        (void)mix(*state, 0, TICK);
    }
    assert_int_equal(bks_mixer_lost(*state), 0);
}

static void voices_without_room_are_counted_once(void **state)
{
    static bks_voice voices[BKS_MIXER_VOICES_MAX];
    for (uint32_t i = 0; i < BKS_MIXER_VOICES_MAX; i++) {
        voices[i] = (bks_voice){.sound = TONE, .is_on = 1, .is_loop = 1};
    }
    // Each voice jumps before the fade of its last jump has ended.
    for (bks_tick present = 0; present < 6; present++) {
        for (uint32_t i = 0; i < BKS_MIXER_VOICES_MAX; i++) {
            voices[i].cursor = (uint64_t)present % 2 * (LONG / 2);
        }
        bks_mixer_voices(*state, present, voices, BKS_MIXER_VOICES_MAX);
        (void)mix(*state, 0, 1);
    }
    assert_int_equal(bks_mixer_lost(*state), BKS_MIXER_VOICES_MAX);
    // All tracks of cues are free.
    for (uint64_t i = 0; i < BKS_MIXER_CUES_MAX; i++) {
        cue(*state, BKS_CUE_STARTED, i + 1, 0, &flat_cue);
    }
    (void)mix(*state, 0, 1);
    assert_int_equal(bks_mixer_lost(*state), BKS_MIXER_VOICES_MAX);
    assert_false(is_silent(0, 1));
}

static void a_voice_of_a_sound_that_there_is_not_is_counted_and_said_once(void **state)
{
    bks_voice voice = {.sound = SOUNDS, .volume = BKS_VOICE_FULL, .is_on = 1, .is_loop = 1};
    bks_tick present = 0;
    catch_log log;
    catch_log_begin(&log);
    (void)play(*state, &voice, &present, 0, 3);
    assert_int_equal(bks_mixer_lost(*state), 1);
    assert_int_equal(log.count, 1);
    assert_string_equal(log.id, "bks_mixer_voices");
    assert_non_null(strstr(log.text, "sound is 3, must be 0..2: the voice is not heard"));
    voice.is_on = 0;
    (void)play(*state, &voice, &present, 0, 3);
    voice.is_on = 1;
    (void)play(*state, &voice, &present, 0, 3);
    bks_log_clear_sink();
    assert_int_equal(bks_mixer_lost(*state), 2);
    assert_int_equal(log.count, 1);
}

/// A forgotten bks_voices_step() is reported.
static void a_cursor_that_stands_still_while_ticks_pass_is_said_once(void **state)
{
    bks_voice voice = {.cursor = 7, .volume = BKS_VOICE_FULL, .is_on = 1, .is_loop = 1};
    catch_log log;
    catch_log_begin(&log);
    for (uint32_t picture = 0; picture < 200; picture++) {
        publish(*state, 5, &voice); // a match that waits
    }
    publish(*state, 500, &voice); // seeks
    publish(*state, 5, &voice);
    for (bks_tick present = 6; present < 34; present++) {
        publish(*state, present, &voice);
    }
    voice.is_on = 0;
    publish(*state, 34, &voice);
    voice.is_on = 1;
    for (bks_tick present = 35; present < 65; present++) {
        publish(*state, present, &voice);
        assert_int_equal(log.count, 0);
    }
    publish(*state, 65, &voice);
    assert_int_equal(log.count, 1);
    assert_int_equal(log.level, BKS_LOG_WARNING);
    assert_non_null(strstr(log.text, "voice 0 is on, but its cursor has stood at 7 for 30 ticks"));
    for (bks_tick present = 66; present < 200; present++) {
        publish(*state, present, &voice);
    }
    bks_log_clear_sink();
    assert_int_equal(log.count, 1);
}

static void more_than_can_be_counted_stays_the_most(void **state)
{
    const bks_voice voices[BKS_MIXER_VOICES_MAX] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        bks_mixer_voices(*state, 0, voices, UINT32_MAX);
    }
    assert_true(bks_mixer_lost(*state) == UINT32_MAX);
}

static void a_voice_with_another_sound_fades_over(void **state)
{
    bks_voice voice = {.sound = FLAT, .volume = BKS_VOICE_FULL, .is_on = 1, .is_loop = 1};
    bks_tick present = 0;
    uint32_t at = play(*state, &voice, &present, 0, 5);
    voice.sound = TONE; // which begins with silence
    voice.cursor = 0;
    at = play(*state, &voice, &present, at, 5);
    assert_true(largest_step(1, at) <= 0.0288f + 1.0f / FADE);
    assert_true(out[2 * (at - 1)] == tone_samples[5 * TICK - 1]);
}

static void any_bytes_in_voices_are_heard_as_something(void **state)
{
    bks_voice voices[BKS_MIXER_VOICES_MAX + 2];
    for (uint32_t turn = 0; turn < 64; turn++) {
        memset(voices, (int)(turn * 37 % 256), sizeof(voices));
        voices[turn].sound = (uint16_t)(turn % 4);
        bks_mixer_voices(*state, (bks_tick)turn, voices, BKS_MIXER_VOICES_MAX + 2);
        mix(*state, 0, 333);
    }
    // Two voices too many in each round, and one count for each voice without a sound.
    assert_int_equal(bks_mixer_lost(*state), 2 * 64 + 110);
}

// ---- all ----

static void the_whole_is_muted_without_a_click(void **state)
{
    cue(*state, BKS_CUE_STARTED, 1, 0, &flat_cue);
    uint32_t at = mix(*state, 0, 1000);
    bks_mixer_volume(*state, 0.0f);
    at = mix(*state, at, 3000);
    assert_true(is_silent(at - 1000, at));
    bks_mixer_volume(*state, 0.5f);
    at = mix(*state, at, 3000);
    assert_true(largest_step(1, at) < 1.0f / FADE);
    assert_true(out[2 * (at - 1)] == 0.375f);
}

static void nothing_is_allocated_once_it_is_created(void **state)
{
    (void)state;
    counting_allocator counter;
    const bks_mixer_config config = {.sounds = sounds,
                                     .sound_count = SOUNDS,
                                     .tick_rate_hz = 60,
                                     .allocator = counting_allocator_hooks(&counter)};
    bks_mixer *mixer = NULL;
    assert_int_equal(bks_mixer_create(&config, &mixer, NULL), BKS_OK);
    const uint32_t before = counter.allocs;
    bks_voice voice = {.sound = TONE, .volume = BKS_VOICE_FULL, .is_on = 1};
    bks_tick present = 0;
    cue(mixer, BKS_CUE_STARTED, 1, 0, &flat_cue);
    play(mixer, &voice, &present, 0, 20);
    assert_int_equal(counter.allocs, before);
    bks_mixer_destroy(mixer);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
}

static void a_wrong_config_is_refused_and_named(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    static const float odd[] = {0.0f, NAN};
    static const float loud[] = {0.0f, 1.5f};
    static const bks_sound bad[] = {{odd, 2}, {loud, 2}, {NULL, 2}, {tone_samples, 0}};
    bks_mixer *mixer = NULL;
    bks_error error;
    for (uint32_t i = 0; i < 4; i++) {
        const bks_mixer_config config = {.sounds = &bad[i], .sound_count = 1, .tick_rate_hz = 60};
        assert_int_equal(bks_mixer_create(&config, &mixer, &error), BKS_ERR_BAD_CONFIG);
        assert_string_equal(error.field, "sounds");
    }
    bks_mixer_config config = {.sounds = sounds, .sound_count = SOUNDS};
    assert_int_equal(bks_mixer_create(&config, &mixer, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "tick_rate_hz");
    config = (bks_mixer_config){.sounds = sounds, .tick_rate_hz = 60};
    assert_int_equal(bks_mixer_create(&config, &mixer, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "sound_count");
    config = (bks_mixer_config){.sound_count = 1, .tick_rate_hz = 60};
    assert_int_equal(bks_mixer_create(&config, &mixer, &error), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_mixer_create(NULL, &mixer, &error), BKS_ERR_BAD_ARGUMENT);
    assert_null(mixer);
    bks_mixer_destroy(NULL);
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    counting_allocator counter;
    const bks_mixer_config config = {.sounds = sounds,
                                     .sound_count = SOUNDS,
                                     .tick_rate_hz = 60,
                                     .allocator = counting_allocator_hooks(&counter)};
    bks_mixer *mixer = NULL;
    counter.fail_after = 0;
    assert_int_equal(bks_mixer_create(&config, &mixer, NULL), BKS_ERR_OUT_OF_MEMORY);
    assert_null(mixer);
}

static void a_loudness_out_of_range_is_said_once(void **state)
{
    (void)state;
    static const float sample = 0.5f;
    const bks_sound one = {&sample, 1};
    const bks_mixer_config config = {.sounds = &one, .sound_count = 1, .tick_rate_hz = 60};
    const bks_cue_event event = {.kind = BKS_CUE_STARTED, .serial = 1};
    catch_log log;
    for (uint32_t i = 0; i < 3; i++) {
        bks_mixer *mixer = NULL;
        assert_int_equal(bks_mixer_create(&config, &mixer, NULL), BKS_OK);
        catch_log_begin(&log);
        for (uint32_t again = 0; again < 2; again++) {
            if (i < 2) {
                bks_mixer_cue(
                    mixer, &event,
                    &(bks_cue_sound){.volume = i == 0 ? 2.5f : 1.0f, .pan = i == 1 ? -2.0f : 0.0f});
            } else {
                bks_mixer_volume(mixer, 100.0f);
            }
        }
        bks_log_clear_sink();
        assert_int_equal(log.count, 1);
        static const char *const said[] = {"volume is 2.5, must be 0..2: 2 is heard",
                                           "pan is -2, must be -1..1: -1 is heard",
                                           "volume is 100, must be 0..1: 1 is heard"};
        assert_string_equal(log.text, said[i]);
        bks_mixer_destroy(mixer);
    }
}

static void missing_arguments_are_logged(void **state)
{
    catch_log log;
    catch_log_begin(&log);
    bks_mixer_cue(*state, NULL, &flat_cue);
    bks_mixer_voices(*state, 0, NULL, 1);
    bks_mixer_volume(NULL, 1.0f);
    bks_mixer_mix(*state, NULL, 1);
    assert_int_equal(log.count, 4);
    assert_int_equal(bks_mixer_lost(NULL), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_cue_is_heard_whole_also_when_it_is_late),
        TEST(a_late_cue_may_begin_inside_with_a_fade),
        TEST(a_cue_in_time_that_may_begin_inside_begins_at_its_beginning),
        TEST(a_cue_that_is_over_before_it_is_known_is_not_heard),
        TEST(a_cue_is_dropped_beyond_the_ticks_it_names),
        TEST(a_cancelled_cue_fades_within_50_ms_and_does_not_click),
        TEST(a_changed_cue_gets_its_new_loudness_and_does_not_begin_again),
        TEST(cues_without_room_are_counted),
        TEST(what_is_too_loud_is_cut_without_a_larger_step),
        TEST(planted_faults_are_heard),
        TEST(a_voice_is_heard_as_its_sound_without_a_seam),
        TEST(a_voice_is_heard_at_its_side_and_as_loud_as_it_says),
        TEST(a_cursor_that_is_a_little_off_changes_nothing),
        TEST(a_match_slower_than_its_tick_rate_does_not_move_its_voices),
        TEST(a_voice_moved_while_the_tick_stands_jumps),
        TEST(a_seek_is_heard_where_it_leads),
        TEST(a_jump_of_a_cursor_fades_over_and_does_not_click),
        TEST(a_voice_over_the_end_of_its_loop_does_not_jump),
        TEST(a_match_that_waits_does_not_go_back_to_the_same_place),
        TEST(a_voice_switched_off_or_unpublished_fades_out),
        TEST(a_voice_that_is_known_late_fades_in_where_it_is),
        TEST(the_beginning_of_a_voice_is_heard_when_its_picture_is_late),
        TEST(a_voice_that_ended_does_not_begin_again),
        TEST(a_voice_may_end_and_begin_again_for_ever),
        TEST(voices_without_room_are_counted_once),
        TEST(a_voice_of_a_sound_that_there_is_not_is_counted_and_said_once),
        TEST(a_cursor_that_stands_still_while_ticks_pass_is_said_once),
        TEST(more_than_can_be_counted_stays_the_most),
        TEST(a_voice_with_another_sound_fades_over),
        TEST(any_bytes_in_voices_are_heard_as_something),
        TEST(the_whole_is_muted_without_a_click),
        TEST(nothing_is_allocated_once_it_is_created),
        TEST(a_wrong_config_is_refused_and_named),
        TEST(no_memory_is_reported),
        TEST(a_loudness_out_of_range_is_said_once),
        TEST(missing_arguments_are_logged),
    };
    return cmocka_run_group_tests(tests, set_up_sounds, NULL);
}
