// SPDX-License-Identifier: MIT

/// @file sound_file.h
/// Writes the sound of a match into a WAV file (RIFF WAVE, 16-bit PCM, stereo, 48 kHz). Each tick
/// has its nominal length in the file, however long it took to play.

#ifndef BKS_TOOL_SOUND_FILE_H
#define BKS_TOOL_SOUND_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "sound/game_sound.h"

/// A file being written. Opaque.
typedef struct sound_file sound_file;

/// Create a file for the sound of a match. Errors go to stderr.
/// @param plugin  a plug-in without sounds is refused
/// @param tick_rate_hz  tick rate of the match
/// @param first   first tick that is written, BKS_TICK_NONE: the first that is stepped
/// @param path    must outlive the file
/// @param out     receives the file
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
/// Owned by the caller; release with sound_file_close().
int sound_file_open(const bks_plugin *plugin, uint32_t tick_rate_hz, bks_tick first,
                    const char *path, sound_file **out);

/// Handle an event about a cue: play the cue or cancel it, from the tick on in which the event
/// became known.
/// @param state  the newest state
void sound_file_cue(sound_file *file, const void *state, const bks_cue_event *event);

/// Write the sound up to the present tick of a match. If the match has gone back to an earlier
/// tick, continue from that tick.
void sound_file_advance(sound_file *file, const void *state, bks_tick present);

/// Complete and close the file. NULL is allowed. Errors go to stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int sound_file_close(sound_file *file);

// ---- the WAV file, independent of a match ----

/// A WAV file being written. Opaque.
typedef struct wav_file wav_file;

/// Size of the header, which precedes the samples, in bytes.
enum { WAV_HEAD_BYTES = 44 };

/// Open a file for writing. An existing WAV file is overwritten at the first write. A file with
/// other contents is refused. Errors go to stderr.
/// @param path  must outlive the file
/// @return NULL if the file cannot be written
/// Owned by the caller; release with wav_file_close().
wav_file *wav_file_open(const char *path);

/// Append frames. Frames beyond the format's limit of 4 GiB are left out, and reported.
/// @param samples  left and right alternating, -1..1
void wav_file_write(wav_file *file, const float *samples, uint32_t frames);

/// Return true if more frames can be written: the file is not full, and no write has failed.
bool wav_file_takes_more(const wav_file *file);

/// Write the final lengths into the file's header, and close the file. NULL is allowed. Errors go
/// to stderr.
/// @return false if the file is not complete
bool wav_file_close(wav_file *file);

#endif
