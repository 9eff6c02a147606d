// SPDX-License-Identifier: MIT

/// @file sound_file.h
/// What is heard of a match, written into a WAV file (RIFF WAVE, 16-bit PCM, stereo, 48 kHz): each
/// tick as long as it is, however long it took here.

#ifndef BKS_TOOL_SOUND_FILE_H
#define BKS_TOOL_SOUND_FILE_H

#include <stdbool.h>
#include <stdint.h>

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

// ---- the file by itself ----

/// A file being written. Opaque.
typedef struct wav_file wav_file;

/// Bytes before the samples.
enum { WAV_HEAD_BYTES = 44 };

/// Create a file, or write over a sound file, once there is something to write. What is no sound
/// file stays. Errors go to stderr.
/// @param path  must outlive it
/// @return NULL when it cannot be written
/// Owned by the caller; release with wav_file_close().
wav_file *wav_file_open(const char *path);

/// Append frames. What does not fit into the 4 GiB of the format is left out, and reported.
/// @param samples  left and right in turn, -1..1
void wav_file_write(wav_file *file, const float *samples, uint32_t frames);

/// Return true if more can be written: it is not full, and no write has failed.
bool wav_file_takes_more(const wav_file *file);

/// Write its length and close it. NULL is allowed. Errors go to stderr.
/// @return false when it is not complete
bool wav_file_close(wav_file *file);

#endif
