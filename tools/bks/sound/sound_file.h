// SPDX-License-Identifier: MIT

/// @file sound_file.h
/// What is heard of a match, written into a WAV file: each tick as long as it is, however long it
/// took here.

#ifndef BKS_TOOL_SOUND_FILE_H
#define BKS_TOOL_SOUND_FILE_H

#include "sound/game_sound.h"

/// A file being written. Opaque.
typedef struct sound_file sound_file;

/// Create it. Errors go to stderr.
/// @param plugin  one without sounds is refused
/// @param tick_rate_hz  of the match
/// @param first   tick from which on it is written, BKS_TICK_NONE: the first that is stepped
/// @param path    must outlive it
/// @param out     receives it
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
/// Owned by the caller; release with sound_file_close().
int sound_file_open(const bks_plugin *plugin, uint32_t tick_rate_hz, bks_tick first,
                    const char *path, sound_file **out);

/// Hear what became of a cue, from the tick on in which it became known.
/// @param state  the newest
void sound_file_cue(sound_file *file, const void *state, const bks_cue_event *event);

/// A match has stepped up to a tick, or is still there: write what was heard since the last one.
/// One before that begins a new count.
void sound_file_advance(sound_file *file, const void *state, bks_tick present);

/// Finish it. NULL is allowed. Errors go to stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int sound_file_close(sound_file *file);

#endif
