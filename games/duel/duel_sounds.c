// SPDX-License-Identifier: MIT

#include "duel/duel_sounds.h"

#include <string.h>

#include "duel/duel_state.h"
#include "duel/synth.h"

#define MS(ms) ((ms) * (BKS_SOUND_RATE_HZ / 1000u))

/// Loudness of all sounds, which leaves room for those of four players at once.
#define HEADROOM 0.5f

enum { BEATS = 16, BEAT_MS = 500, MUSIC_MS = BEATS * BEAT_MS };

const uint32_t duel_sound_frames[DUEL_SOUNDS] = {
    [DUEL_CUE_SHOT] = MS(160),         [DUEL_CUE_VOLLEY] = MS(400),
    [DUEL_CUE_CHARGED] = MS(180),      [DUEL_CUE_SHIELD] = MS(350),
    [DUEL_CUE_LOSS] = MS(900),         [DUEL_CUE_BACK] = MS(400),
    [DUEL_CUE_PICKUP] = MS(300),       [DUEL_CUE_ROUND] = MS(1200),
    [DUEL_CUE_MATCH] = MS(2400),       [DUEL_SOUND_CALM] = MS(MUSIC_MS),
    [DUEL_SOUND_FIGHT] = MS(MUSIC_MS), [DUEL_SOUND_FLIPS] = MS(1000),
    [DUEL_SOUND_CHARGE] = MS(600), // length of DUEL_CHARGE_TICKS
};

/// A tone as a part of a sound.
typedef struct part {
    duel_cue cue;
    float begin;
    synth_tone tone;
} part;

static const part parts[] = {
    {DUEL_CUE_SHOT, 0.0f, {880.0f, 220.0f, 0.12f, 0.30f, 0.05f, 0.002f}},
    {DUEL_CUE_VOLLEY, 0.0f, {660.0f, 110.0f, 0.25f, 0.35f, 0.10f, 0.002f}},
    {DUEL_CUE_VOLLEY, 0.02f, {990.0f, 165.0f, 0.25f, 0.15f, 0.08f, 0.002f}},
    {DUEL_CUE_CHARGED, 0.0f, {1320.0f, 1320.0f, 0.1f, 0.10f, 0.04f, 0.004f}},
    {DUEL_CUE_CHARGED, 0.06f, {1760.0f, 1760.0f, 0.1f, 0.10f, 0.04f, 0.004f}},
    {DUEL_CUE_SHIELD, 0.0f, {1480.0f, 1400.0f, 0.3f, 0.15f, 0.09f, 0.002f}},
    {DUEL_CUE_SHIELD, 0.0f, {2217.0f, 2100.0f, 0.3f, 0.08f, 0.06f, 0.002f}},
    {DUEL_CUE_LOSS, 0.0f, {160.0f, 40.0f, 0.5f, 0.45f, 0.22f, 0.003f}},
    {DUEL_CUE_BACK, 0.0f, {220.0f, 880.0f, 0.3f, 0.15f, 0.20f, 0.02f}},
    {DUEL_CUE_PICKUP, 0.0f, {660.0f, 660.0f, 0.1f, 0.16f, 0.06f, 0.003f}},
    {DUEL_CUE_PICKUP, 0.06f, {880.0f, 880.0f, 0.1f, 0.16f, 0.06f, 0.003f}},
    {DUEL_CUE_PICKUP, 0.12f, {1320.0f, 1320.0f, 0.1f, 0.16f, 0.06f, 0.003f}},
    {DUEL_CUE_ROUND, 0.0f, {440.0f, 440.0f, 0.1f, 0.16f, 0.30f, 0.005f}},
    {DUEL_CUE_ROUND, 0.12f, {554.0f, 554.0f, 0.1f, 0.16f, 0.30f, 0.005f}},
    {DUEL_CUE_ROUND, 0.24f, {659.0f, 659.0f, 0.1f, 0.16f, 0.30f, 0.005f}},
    {DUEL_CUE_MATCH, 0.0f, {440.0f, 440.0f, 0.1f, 0.16f, 0.60f, 0.005f}},
    {DUEL_CUE_MATCH, 0.2f, {554.0f, 554.0f, 0.1f, 0.16f, 0.60f, 0.005f}},
    {DUEL_CUE_MATCH, 0.4f, {659.0f, 659.0f, 0.1f, 0.16f, 0.60f, 0.005f}},
    {DUEL_CUE_MATCH, 0.6f, {880.0f, 880.0f, 0.1f, 0.20f, 0.60f, 0.005f}},
};

/// Music: two bars of four chords, with the notes of bass and lead in each.
static const float chords_hz[4][3] = {{220.0f, 261.6f, 329.6f},
                                      {174.6f, 220.0f, 261.6f},
                                      {130.8f, 196.0f, 261.6f},
                                      {196.0f, 246.9f, 293.7f}};

static void make_calm(float *samples, uint32_t frames)
{
    for (uint32_t chord = 0; chord < 4; chord++) {
        for (uint32_t note = 0; note < 3; note++) {
            const float hz = chords_hz[chord][note];
            const synth_tone tone = {hz, hz, 1.0f, 0.16f, 0.6f, 0.15f};
            synth_add_tone(samples, frames, (float)chord * 2.0f, &tone);
        }
    }
}

static void make_fight(float *samples, uint32_t frames)
{
    for (uint32_t beat = 0; beat < 2 * BEATS; beat++) {
        const float begin = (float)beat * (float)BEAT_MS / 2000.0f;
        const float *chord = chords_hz[beat / 8];
        const synth_tone bass = {chord[0] / 2.0f, chord[0] / 2.0f, 0.1f, 0.3f, 0.10f, 0.004f};
        const synth_tone lead = {
            chord[beat % 3] * 2.0f, chord[beat % 3] * 2.0f, 0.1f, 0.1f, 0.07f, 0.004f};
        synth_add_tone(samples, frames, begin, &bass);
        synth_add_tone(samples, frames, begin, &lead);
        if (beat % 2 == 0) {
            const synth_tone drum = {120.0f, 45.0f, 0.1f, 0.35f, 0.06f, 0.003f};
            synth_add_tone(samples, frames, begin, &drum);
        }
    }
}

/// Fill in the sound of flipping tiles: many small clicks.
static void make_flips(float *samples, uint32_t frames)
{
    for (uint32_t tick = 0; tick < 40; tick++) {
        const float hz = 700.0f + (float)(tick * 7 % 13) * 90.0f;
        const synth_tone tone = {hz, hz * 0.7f, 0.02f, 0.3f, 0.006f, 0.002f};
        synth_add_tone(samples, frames, (float)tick * 0.025f, &tone);
    }
}

static void make_charge(float *samples, uint32_t frames)
{
    const synth_tone low = {110.0f, 330.0f, 0.6f, 0.35f, 10.0f, 0.45f};
    const synth_tone high = {220.5f, 661.0f, 0.6f, 0.2f, 10.0f, 0.55f};
    synth_add_tone(samples, frames, 0.0f, &low);
    synth_add_tone(samples, frames, 0.0f, &high);
}

static void make_cue(uint32_t cue, float *samples, uint32_t frames)
{
    for (uint32_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i].cue == (duel_cue)cue) {
            synth_add_tone(samples, frames, parts[i].begin, &parts[i].tone);
        }
    }
    if (cue == DUEL_CUE_LOSS || cue == DUEL_CUE_VOLLEY || cue == DUEL_CUE_SHIELD) {
        synth_add_noise(samples, frames, cue == DUEL_CUE_LOSS ? 1.2f : 0.4f, 0.93f, 0.12f);
    }
}

void duel_sound_make(uint32_t sound, float *samples)
{
    const uint32_t frames = duel_sound_frames[sound];
    memset(samples, 0, frames * sizeof(*samples));
    switch (sound) {
    case DUEL_SOUND_CALM:
        make_calm(samples, frames);
        break;
    case DUEL_SOUND_FIGHT:
        make_fight(samples, frames);
        break;
    case DUEL_SOUND_FLIPS:
        make_flips(samples, frames);
        break;
    case DUEL_SOUND_CHARGE:
        make_charge(samples, frames);
        break;
    default:
        make_cue(sound, samples, frames);
        break;
    }
    for (uint32_t i = 0; i < frames; i++) {
        samples[i] *= HEADROOM;
    }
    synth_end(samples, frames);
}

bool duel_hear(const void *state, const bks_cue_event *event, bks_cue_sound *out)
{
    const duel_state *duel = state;
    duel_cue_payload payload;
    memcpy(&payload, event->payload, sizeof(payload));
    const bool has_place = event->id != DUEL_CUE_ROUND && event->id != DUEL_CUE_MATCH;
    const float half = (float)duel->width * (float)DUEL_TILE / 2.0f;
    *out = (bks_cue_sound){
        .sound = event->id,
        .volume = 1.0f,
        .pan = has_place ? ((float)payload.x - half) / half * 0.5f : 0.0f,
        .is_inside = event->id == DUEL_CUE_BACK, // it may start late, because its quiet beginning
                                                 // can be skipped
    };
    return true;
}

void duel_voices(const void *state, bks_voice *out)
{
    const duel_state *duel = state;
    memcpy(out, duel->voice, sizeof(duel->voice));
}
