// SPDX-License-Identifier: MIT

/// @file system.h
/// Calls of the operating system, for each kind of system in a file of its own.

#ifndef BKS_TOOL_SYSTEM_H
#define BKS_TOOL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/// Make sure of stdin, stdout and stderr, so that no file that is opened later is taken for one,
/// and that no window of the system's asks about what goes wrong.
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

/// Find the folder of a user's files of one kind: $VARIABLE or $HOME/UNDER_HOME. Windows has one
/// for all kinds.
/// @param variable    such as "XDG_STATE_HOME"; a path that is not absolute is ignored
/// @param under_home  such as ".local/state"
/// @param out         receives it, with '/' between its parts
/// @return false: there is neither, or it does not fit
bool system_user_folder(const char *variable, const char *under_home, char *out, size_t capacity);

/// Return the names of the environment variables that name that folder, for a message.
/// @param variable  as above
const char *system_user_folder_by(const char *variable);

/// Resolve the links of a path.
/// @return text to be freed; NULL: there is no such file, errno says why
char *system_real_path(const char *path);

/// Return true if there is a file, a folder or a link of this name; the link may lead nowhere.
bool system_is_there(const char *path);

/// Return true if a file may be written. Root may write all, so the file's mode counts, too.
bool system_may_write(const char *path);

/// Open a file to be read; a pipe is not waited for.
/// @return a descriptor; negative: errno says why
int system_open_read(const char *path);

/// Open a file to be written, for this user alone, empty.
/// @return a descriptor; negative: errno says why
int system_open_private(const char *path);

/// Give a file another name, and remove what had it.
/// @return false: errno says why
bool system_replace(const char *from, const char *to);

/// Take addresses, with no memory behind them, until the process ends: what comes later lies
/// elsewhere.
void system_take_addresses(size_t bytes);

/// The same of what lies around one address, where the system would put a module there that another
/// process has there. Without effect where it puts modules elsewhere by itself.
void system_take_place(uint64_t address);

/// Set a variable of the environment, which processes that are started later inherit.
/// @param value  NULL: take it away
/// @return whether that could be done
bool system_set_environment(const char *name, const char *value);

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

/// Size, time and kind of a file: a change shows that it was written to.
typedef struct system_face {
    int64_t bytes;
    struct timespec written;
    bool is_file; ///< a regular file, not a folder or device
} system_face;

/// @return false when there is none
bool system_file_face(const char *path, system_face *out);

/// Open a file to be read and written, as bytes; what it holds stays. It is made when it is
/// missing.
/// @return NULL: errno says why
FILE *system_open_update(const char *path);

/// Return true if a debugger watches this process.
bool system_has_debugger(void);

/// Stop in it.
void system_stop_in_debugger(void);

#ifdef _WIN32
/// Make a file in the user's folder for temporary ones that vanishes with its last handle. The C
/// run-time's tmpfile() makes its own in the root of the drive, where users may not write.
/// @param out_appender  may be NULL; receives a second HANDLE, which other processes inherit and
///                      which has a place of its own, at the end; INVALID_HANDLE_VALUE on failure
/// @return a descriptor to read and write it; negative: GetLastError() says why
int system_temp_file(void **out_appender);
#endif

#endif
