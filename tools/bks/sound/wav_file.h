// SPDX-License-Identifier: MIT

/// @file wav_file.h
/// A sound file: RIFF WAVE, 16-bit PCM, stereo, 48 kHz.

#ifndef BKS_TOOL_WAV_FILE_H
#define BKS_TOOL_WAV_FILE_H

#include <stdbool.h>
#include <stdint.h>

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

/// Whether more can be written: not when it is full, or could not be written.
bool wav_file_takes_more(const wav_file *file);

/// Write its length and close it. NULL is allowed. Errors go to stderr.
/// @return false when it is not complete
bool wav_file_close(wav_file *file);

#endif
