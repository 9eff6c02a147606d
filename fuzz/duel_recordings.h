// SPDX-License-Identifier: MIT

/// @file duel_recordings.h
/// Two recordings of a match whose states differ, in files of a folder of their own. The program is
/// linked to the fuzz target; it prints nothing and starts no process.

#ifndef FUZZ_DUEL_RECORDINGS_H
#define FUZZ_DUEL_RECORDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DUEL_FILE_BYTES_MAX (256u * 1024)

/// A recording as this program keeps it.
typedef struct duel_recording {
    uint8_t bytes[DUEL_FILE_BYTES_MAX];
    size_t count;
} duel_recording;

/// Play the match, and read both recordings, which are peer-0.bks and peer-1.bks. The folder is
/// removed when the program ends.
void duel_recordings_make(duel_recording out[2]);

/// Return the path of a file in the folder.
/// @param name  one of those that duel_recordings.c lists
/// @return a text that stays valid
const char *duel_file(const char *name);

/// Write a file into the folder.
void duel_file_write(const char *name, const uint8_t *bytes, size_t count);

#endif
