// SPDX-License-Identifier: MIT

/// @file system.h
/// What the program asks of the system, for each kind of system in a file of its own.

#ifndef BKS_TOOL_SYSTEM_H
#define BKS_TOOL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/// Make sure of stdin, stdout and stderr, so that no file that is opened later is taken for one.
void system_guard_streams(void);

/// Sleep. A signal may end it early.
void system_sleep_ns(uint64_t duration_ns);

/// The path of this program, "" when it is not known.
void system_program_path(char *out, size_t capacity);

/// The size of a terminal in characters.
/// @param descriptor  of stdout or stderr
/// @return false when there is none or it does not say
bool system_terminal_size(int descriptor, uint32_t *columns, uint32_t *rows);

/// How many processors this process may use, at least 1.
uint32_t system_processors(void);

/// Bytes that no one can guess, at most 256.
/// @return false: errno says why
bool system_random(void *out, size_t count);

/// Make a folder; one that is there already is fine.
/// @param is_private  for this user alone
/// @return false: errno says why
bool system_make_folder(const char *path, bool is_private);

/// Where a path leads when links are followed.
/// @return text to be freed; NULL: there is no such file
char *system_real_path(const char *path);

/// Open a file in memory, to be written.
/// @param text, count  receive what was written when it is closed
FILE *system_memory_open(char **text, size_t *count);

/// Close it.
/// @param text, count  as given when it was opened; `*text` is to be freed
/// @return false: it is not whole
bool system_memory_close(FILE *file, char **text, size_t *count);

/// Let nothing come to stderr, where a library of another's would write to it.
/// @return what system_stderr_restore() takes
int system_stderr_silence(void);

void system_stderr_restore(int kept);

/// What a file looks like from outside: when this changes it was written to.
typedef struct system_face {
    int64_t bytes;
    struct timespec written;
    bool is_file; ///< and not a folder or device
} system_face;

/// @return false when there is none
bool system_file_face(const char *path, system_face *out);

/// Open a file to be read and written, as bytes; what it holds stays. It is made when it is
/// missing.
/// @return NULL: errno says why
FILE *system_open_update(const char *path);

#endif
