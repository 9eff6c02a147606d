// SPDX-License-Identifier: MIT

#include "present/channel.h"

#include "base/mutant.h"

static const float STEP = 1.0f / (float)BKSI_FADE_FRAMES;

static void want(bksi_channel *channel, float volume, float pan)
{
    channel->wanted[0] = pan > 0.0f ? volume * (1.0f - pan) : volume;
    channel->wanted[1] = pan < 0.0f ? volume * (1.0f + pan) : volume;
}

void bksi_channel_begin(bksi_channel *channel, const bks_sound *sound, uint64_t cursor,
                        float volume, float pan)
{
    const bool is_inside = cursor > 0 && !bksi_mutated(BKSI_MUTANT_MIX_CUTS_IN);
    *channel = (bksi_channel){
        .sound = sound,
        .cursor = cursor,
        .level = is_inside ? 0.0f : 1.0f,
        .level_step = STEP,
    };
    want(channel, volume, pan);
    channel->gain[0] = channel->wanted[0];
    channel->gain[1] = channel->wanted[1];
}

void bksi_channel_loudness(bksi_channel *channel, float volume, float pan)
{
    want(channel, volume, pan);
}

void bksi_channel_leave(bksi_channel *channel)
{
    if (bksi_mutated(BKSI_MUTANT_MIX_RINGS_ON)) {
        return;
    }
    channel->level_step = bksi_mutated(BKSI_MUTANT_MIX_CUTS_OFF) ? -1.0f : -STEP;
    channel->is_leaving = true;
}

/// Add frames that follow each other in the sound.
static void add(bksi_channel *channel, const float *samples, float *out, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; i++) {
        const float sample = samples[i] * channel->level;
        for (uint32_t side = 0; side < 2; side++) {
            out[2 * i + side] += sample * channel->gain[side];
            channel->gain[side] = bksi_approach(channel->gain[side], channel->wanted[side], STEP);
        }
        const float level = channel->level + channel->level_step;
        channel->level = level < 0.0f ? 0.0f : level > 1.0f ? 1.0f : level;
    }
}

void bksi_channel_mix(bksi_channel *channel, float *out, uint32_t frames)
{
    const bks_sound *sound = channel->sound;
    const uint64_t end = channel->cursor + frames;
    while (channel->cursor < end && (channel->is_loop || channel->cursor < sound->frames)) {
        const uint32_t at = (uint32_t)(channel->cursor % sound->frames);
        const uint64_t left = end - channel->cursor;
        const uint32_t count = left < sound->frames - at ? (uint32_t)left : sound->frames - at;
        add(channel, sound->samples + at, out, count);
        out += 2 * (size_t)count;
        channel->cursor += count;
    }
    channel->cursor = end;
    const bool has_ended = !channel->is_loop && end >= sound->frames && channel->serial != 0;
    if (has_ended || (channel->is_leaving && channel->level == 0.0f)) {
        channel->sound = NULL;
    }
}
