// SPDX-License-Identifier: MIT

/// @file game_sound.h
/// The sounds of a plug-in and a mixer for them.

#ifndef BKS_TOOL_GAME_SOUND_H
#define BKS_TOOL_GAME_SOUND_H

#include "backstitch/plugin.h"
#include "backstitch/present.h"

/// Maximum number of cues of one tick that are played, for cues_per_tick of a match's config.
enum { GAME_SOUND_CUES_PER_TICK = 64 };

/// Sounds of a game with their mixer. Opaque.
typedef struct game_sound game_sound;

/// Return true if a game has sounds.
bool game_sound_is_there(const bks_plugin *plugin);

/// Return the most cues of one tick that a match must report, for cues_per_tick of its config.
/// @return 0 if the game names no cues
uint32_t game_sound_cues(const bks_plugin *plugin);

/// Generate all sounds of a game that has some. Errors go to stderr.
/// @param tick_rate_hz  tick rate of the match
/// @return NULL if memory ran out or a sound cannot be played
/// Owned by the caller; release with game_sound_close().
game_sound *game_sound_open(const bks_plugin *plugin, uint32_t tick_rate_hz);

/// Release the sounds of a game. NULL is allowed.
void game_sound_close(game_sound *sound);

/// Find the sound of a cue.
/// @param state  the newest state
/// @return false if the cue is silent
bool game_sound_hear(const game_sound *sound, const void *state, const bks_cue_event *event,
                     bks_cue_sound *out);

/// Handle an event about a cue: play the cue or cancel it.
/// @param state  the newest state
void game_sound_cue(game_sound *sound, const void *state, const bks_cue_event *event);

/// Play the voices of a state.
/// @param present  tick at whose start the state is
void game_sound_show(game_sound *sound, const void *state, bks_tick present);

/// Return the mixer of a game's sounds.
bks_mixer *game_sound_mixer(game_sound *sound);

#endif
