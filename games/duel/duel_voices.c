// SPDX-License-Identifier: MIT

#include "duel/duel_voices.h"

#include "duel/duel_sounds.h"
#include "duel/rounds.h"

enum {
    FULL = (int)BKS_VOICE_FULL,
    CALM = FULL / 3,
    CALM_IN_FIGHT = FULL / 5,
    FIGHT = FULL / 4,
    FIGHT_AT_END = FULL / 2, ///< intensity when the board falls away
    MUSIC_STEP = FULL / 90,  ///< change of the music in a tick
    FLIP = FULL / 6,         ///< loudness of one flipped tile
    FLIPS_MOST = FULL / 2,
    CHARGE = FULL / 6,
};

static uint16_t approach(uint16_t volume, int32_t wanted, int32_t most)
{
    const int32_t way = wanted - volume;
    return (uint16_t)(volume + (way > most ? most : way < -most ? -most : way));
}

static bks_voice loop(uint32_t sound)
{
    return (bks_voice){.sound = (uint16_t)sound, .is_on = 1, .is_loop = 1};
}

void duel_voices_begin(duel_state *duel)
{
    duel->voice[DUEL_VOICE_CALM] = loop(DUEL_SOUND_CALM);
    duel->voice[DUEL_VOICE_FIGHT] = loop(DUEL_SOUND_FIGHT);
    duel->voice[DUEL_VOICE_FLIPS] = loop(DUEL_SOUND_FLIPS);
}

void duel_voices_move(duel_state *duel, const bks_step *step)
{
    bks_voices_step(duel->voice, DUEL_VOICES, step);
    duel->flipped = 0;
}

static void follow_match(duel_state *duel)
{
    const bool is_fight = duel->phase == DUEL_PHASE_PLAY;
    const int32_t fight = duel->rings_gone > 0 ? FIGHT_AT_END : FIGHT;
    bks_voice *voices = duel->voice;
    voices[DUEL_VOICE_CALM].volume =
        approach(voices[DUEL_VOICE_CALM].volume, is_fight ? CALM_IN_FIGHT : CALM, MUSIC_STEP);
    voices[DUEL_VOICE_FIGHT].volume =
        approach(voices[DUEL_VOICE_FIGHT].volume, is_fight ? fight : 0, MUSIC_STEP);
}

static void follow_flips(duel_state *duel)
{
    bks_voice *voice = &duel->voice[DUEL_VOICE_FLIPS];
    const int32_t louder = voice->volume - voice->volume / 4 + duel->flipped * FLIP;
    voice->volume = (uint16_t)(louder < FLIPS_MOST ? louder : FLIPS_MOST);
}

static int16_t pan_of(const duel_state *duel, int32_t x)
{
    const int32_t half = duel->width * DUEL_TILE / 2;
    return (int16_t)((x - half) * (BKS_VOICE_RIGHT / 2) / half);
}

static void follow_charge(const duel_state *duel, const duel_ship *ship, bks_voice *voice)
{
    if (ship->charge_ticks == 0 || !ship->is_alive) {
        *voice = (bks_voice){0};
        return;
    }
    if (voice->is_on == 0) {
        *voice = (bks_voice){.sound = DUEL_SOUND_CHARGE, .volume = CHARGE, .is_on = 1};
    }
    voice->pan = pan_of(duel, ship->x);
}

void duel_voices_step(duel_state *duel)
{
    follow_match(duel);
    follow_flips(duel);
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        follow_charge(duel, duel_ship_of(duel, seat), &duel->voice[DUEL_VOICE_CHARGE + seat]);
    }
}
