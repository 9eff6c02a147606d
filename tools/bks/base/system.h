// SPDX-License-Identifier: MIT

/// @file system.h
/// Calls of the operating system. Each kind of system has its own source file.

#ifndef BKS_TOOL_SYSTEM_H
#define BKS_TOOL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/// Open stdin, stdout and stderr if they are closed, so that no later file takes their descriptors.
/// Turn off the system's dialog boxes about errors.
void system_guard_streams(void);

/// Sleep. A signal may end it early.
void system_sleep_ns(uint64_t duration_ns);

/// Write the path of this program, "" if it is not known.
void system_program_path(char *out, size_t capacity);

/// Read the size of a terminal in characters.
/// @param descriptor  descriptor of stdout or stderr
/// @return false if the descriptor is no terminal or the terminal does not report its size
bool system_terminal_size(int descriptor, uint32_t *columns, uint32_t *rows);

/// Return the number of processors that this process may use, at least 1.
uint32_t system_processors(void);

/// Read random bytes that cannot be predicted, at most 256.
/// @return false on failure; errno says why
bool system_random(void *out, size_t count);

/// Make a folder, unless it exists.
/// @param is_private  only this user may open it
/// @return false on failure; errno says why
bool system_make_folder(const char *path, bool is_private);

/// Find the user's folder for one kind of files: $VARIABLE or $HOME/UNDER_HOME. Windows has one
/// folder for all kinds.
/// @param variable    such as "XDG_STATE_HOME"; a path that is not absolute is ignored
/// @param under_home  such as ".local/state"
/// @param out         receives the path, with '/' between its parts
/// @return false if neither environment variable is set, or the path does not fit
bool system_user_folder(const char *variable, const char *under_home, char *out, size_t capacity);

/// Return the names of the environment variables that name the folder of system_user_folder(), for
/// a message.
/// @param variable  as in system_user_folder()
const char *system_user_folder_by(const char *variable);

/// Resolve the links of a path.
/// @return the path, to be released with free(); NULL on failure: errno says why
char *system_real_path(const char *path);

/// Return true if a file, a folder or a link of this name exists, also a link to nothing.
bool system_is_there(const char *path);

/// Return true if a file may be written. Root may write any file, so the file's mode must also
/// allow it.
bool system_may_write(const char *path);

/// Open a file to read it, without waiting for the writer of a pipe.
/// @return a descriptor; negative on failure: errno says why
int system_open_read(const char *path);

/// Make an empty file, or empty an existing one, and open it to write. Only this user may read it.
/// @return a descriptor; negative on failure: errno says why
int system_open_private(const char *path);

/// Rename a file, and replace an existing file of the new name.
/// @return false on failure; errno says why
bool system_replace(const char *from, const char *to);

/// Reserve addresses until the process ends, so that later mappings get other addresses. This takes
/// no memory.
void system_take_addresses(size_t bytes);

/// Reserve the addresses around `address`, at which another process has loaded a module, so that
/// this process loads the module elsewhere. No effect on systems that choose other addresses by
/// themselves.
void system_take_place(uint64_t address);

/// Set an environment variable, which processes started later inherit.
/// @param value  NULL: remove the variable
/// @return true on success
bool system_set_environment(const char *name, const char *value);

/// Open a file in memory to write it.
/// @param text, count  receive the bytes written when the file is closed
FILE *system_memory_open(char **text, size_t *count);

/// Close a file of system_memory_open().
/// @param text, count  as given to system_memory_open(); release `*text` with free()
/// @return false if some of the text could not be written
bool system_memory_close(FILE *file, char **text, size_t *count);

/// Discard output to stderr, for a library that would write to it.
/// @return the argument for system_stderr_restore()
int system_stderr_silence(void);

void system_stderr_restore(int kept);

/// Size, time and kind of a file. If they change, the file was written to.
typedef struct system_face {
    int64_t bytes;
    struct timespec written;
    bool is_file; ///< true for a regular file, false for a folder or device
} system_face;

/// Read size, time and kind of a file.
/// @return false if there is no file
bool system_file_face(const char *path, system_face *out);

/// Open a file to read and write it as bytes, with its contents kept. Make the file if it is
/// missing.
/// @return NULL on failure; errno says why
FILE *system_open_update(const char *path);

/// Return true if a debugger is attached to this process.
bool system_has_debugger(void);

/// Stop this process in the attached debugger.
void system_stop_in_debugger(void);

#ifdef _WIN32
/// Make a temporary file in the user's folder. It is deleted when its last handle is closed.
/// tmpfile() of the C run-time would use the root of the drive, where users may not write.
/// @param out_appender  may be NULL; receives a second, inheritable HANDLE that appends to the
///                      file, INVALID_HANDLE_VALUE on failure
/// @return a descriptor to read and write the file; negative on failure: GetLastError() says why
int system_temp_file(void **out_appender);
#endif

#endif
