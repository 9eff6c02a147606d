// SPDX-License-Identifier: MIT

/// @file game_sound.h
/// The sounds of a plug-in and a mixer for them.

#ifndef BKS_TOOL_GAME_SOUND_H
#define BKS_TOOL_GAME_SOUND_H

#include "backstitch/plugin.h"
#include "backstitch/present.h"

/// Most cues of a tick that are heard, for configs.
enum { GAME_SOUND_CUES_PER_TICK = 64 };

/// Sounds of a game with their mixer. Opaque.
typedef struct game_sound game_sound;

/// Return true if a game has sounds.
bool game_sound_is_there(const bks_plugin *plugin);

/// How many cues a tick to listen to, for a config.
/// @return 0 when the game names none
uint32_t game_sound_cues(const bks_plugin *plugin);

/// Make all sounds of a game that has some. Errors go to stderr.
/// @param tick_rate_hz  of the match
/// @return NULL: out of memory, or a sound that cannot be played
/// Owned by the caller; release with game_sound_close().
game_sound *game_sound_open(const bks_plugin *plugin, uint32_t tick_rate_hz);

/// Release it. NULL is allowed.
void game_sound_close(game_sound *sound);

/// How a cue sounds.
/// @param state  the newest
/// @return false: it does not
bool game_sound_hear(const game_sound *sound, const void *state, const bks_cue_event *event,
                     bks_cue_sound *out);

/// Hear what became of a cue.
/// @param state  the newest
void game_sound_cue(game_sound *sound, const void *state, const bks_cue_event *event);

/// Hear the voices of a state.
/// @param present  the tick at whose start it is
void game_sound_show(game_sound *sound, const void *state, bks_tick present);

/// The mixer to pull from.
bks_mixer *game_sound_mixer(game_sound *sound);

#endif
