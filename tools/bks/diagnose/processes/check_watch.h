// SPDX-License-Identifier: MIT

/// @file check_watch.h A hardware watchpoint in a child process. It finds the last write to some
/// bytes before the process calls check_watch_stand(), or the place of a crash. It works only on
/// Linux on x86-64, and only if a process may trace its children.

#ifndef BKS_TOOL_CHECK_WATCH_H
#define BKS_TOOL_CHECK_WATCH_H

#include <stdbool.h>

#include "map/code_line.h"

/// Reason why the source line is not known, if nothing wrote the bytes in the watched section.
#define CHECK_WATCH_UNWRITTEN "no instruction wrote it between this mark and the one before"

/// Hardware watchpoint on one process, which also watches for crashes. Start from {0}.
typedef struct check_watch {
    pid_t process;
    uint64_t address;
    uint32_t bytes; ///< number of watched bytes: 1, 2, 4 or 8; 0: watch only for crashes
    uint64_t code;  ///< any address within the game's plug-in
    /// Function that returns the number of the section that the process runs now. 0: ignore writes.
    uint32_t (*section)(void *context);
    void *context;
    bool is_on;
    uint32_t section_caught; ///< section of the write in `caught`, 0: no write was caught
    uint32_t hits;
    code_frame caught; ///< stack frame of the last caught write
    code_line crashed; ///< source line at which a signal ends the process
} check_watch;

/// Return true if this program can set watchpoints.
/// @param out  receives the reason if this program cannot
bool check_watch_is_possible(code_line *out);

/// Stop this process, so that the process that watches it can end the watch. Called by the watched
/// process.
void check_watch_stand(void);

/// Begin to watch a process. The process runs on until it calls check_watch_stand().
/// @param watch  the watch, with process, address, bytes, code, section and context set
/// @param out    receives the reason on failure
/// @return false if the process cannot be watched
bool check_watch_begin(check_watch *watch, code_line *out);

/// Wait until the watched process calls check_watch_stand(), or ends.
/// @return true if the process is alive; it is then stopped
bool check_watch_wait(check_watch *watch);

/// Find the source line of the last write that was caught in a section. The process must be
/// stopped.
void check_watch_name(const check_watch *watch, uint32_t section, code_line *out);

/// End the watch, and let the process run on.
void check_watch_end(check_watch *watch);

/// Stop a child process, and find the source line that it executes now. The process stays stopped.
/// @param code  any address within the game's plug-in
void check_watch_where(pid_t process, uint64_t code, code_line *out);

#endif
