// SPDX-License-Identifier: MIT

#include "present/track.h"

#include "base/mutant.h"

static const float STEP = 1.0f / (float)BKSI_FADE_FRAMES;

static void want(bksi_track *track, float volume, float pan)
{
    track->wanted[0] = pan > 0.0f ? volume * (1.0f - pan) : volume;
    track->wanted[1] = pan < 0.0f ? volume * (1.0f + pan) : volume;
}

void bksi_track_begin(bksi_track *track, const bks_sound *sound, uint64_t cursor, float volume,
                      float pan)
{
    const bool is_inside = cursor > 0 && !bksi_mutated(BKSI_MUTANT_MIX_CUTS_IN);
    *track = (bksi_track){
        .sound = sound,
        .cursor = cursor,
        .level = is_inside ? 0.0f : 1.0f,
        .level_step = STEP,
    };
    want(track, volume, pan);
    track->gain[0] = track->wanted[0];
    track->gain[1] = track->wanted[1];
}

void bksi_track_loudness(bksi_track *track, float volume, float pan)
{
    want(track, volume, pan);
}

void bksi_track_leave(bksi_track *track)
{
    if (bksi_mutated(BKSI_MUTANT_MIX_RINGS_ON)) {
        return;
    }
    track->level_step = bksi_mutated(BKSI_MUTANT_MIX_CUTS_OFF) ? -1.0f : -STEP;
    track->is_leaving = true;
}

/// Add consecutive frames of the track's sound to `out`.
static void add(bksi_track *track, const float *samples, float *out, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; i++) {
        const float sample = samples[i] * track->level;
        for (uint32_t side = 0; side < 2; side++) {
            out[2 * i + side] += sample * track->gain[side];
            track->gain[side] = bksi_approach(track->gain[side], track->wanted[side], STEP);
        }
        const float level = track->level + track->level_step;
        track->level = level < 0.0f ? 0.0f : level > 1.0f ? 1.0f : level;
    }
}

void bksi_track_mix(bksi_track *track, float *out, uint32_t frames)
{
    const bks_sound *sound = track->sound;
    const uint64_t end = track->cursor + frames;
    while (track->cursor < end && (track->is_loop || track->cursor < sound->frames)) {
        const uint32_t at = (uint32_t)(track->cursor % sound->frames);
        const uint64_t left = end - track->cursor;
        const uint32_t count = left < sound->frames - at ? (uint32_t)left : sound->frames - at;
        add(track, sound->samples + at, out, count);
        out += 2 * (size_t)count;
        track->cursor += count;
    }
    track->cursor = end;
    const bool has_ended = !track->is_loop && end >= sound->frames;
    const bool has_faded = track->is_leaving && track->level == 0.0f;
    if (has_faded || (has_ended && (track->is_leaving || track->serial != 0))) {
        track->sound = NULL;
    }
}
