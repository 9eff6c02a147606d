// SPDX-License-Identifier: MIT

/// @file check_watch.h
/// A hardware watchpoint in a child process. It finds the last write of some bytes within a stretch
/// of the run, or the place of a crash. Linux on x86-64 only, where a process may trace its
/// children.

#ifndef BKS_TOOL_CHECK_WATCH_H
#define BKS_TOOL_CHECK_WATCH_H

#include <stdbool.h>

#include "map/code_line.h"

/// Reason why no line is known, if the last write came before the watched section.
#define CHECK_WATCH_UNWRITTEN "no instruction wrote it between this mark and the one before"

/// Watch of one process. Start from {0}.
typedef struct check_watch {
    pid_t process;
    uint64_t address;
    uint32_t bytes; ///< number of watched bytes: 1, 2, 4 or 8; 0: catch only crashes
    uint64_t code;  ///< an address within the game's plug-in
    uint32_t (*section)(
        void *context); ///< number of the section that runs now, 0: one that is ignored
    void *context;
    bool is_on;
    uint32_t section_caught; ///< section of `caught`, 0: nothing was caught
    uint32_t hits;
    code_frame caught; ///< frame of the last write
    code_line crashed; ///< line at which a signal ends the process
} check_watch;

/// Return true if this program has watchpoints.
/// @param out  receives why it has none
bool check_watch_is_possible(code_line *out);

/// Stop in the watched process at the end of the stretch, until the watch ends.
void check_watch_stand(void);

/// Begin to watch. The process runs until it calls check_watch_stand().
/// @param watch  process, address, bytes, code, section and context are set
/// @param out    receives the reason on failure
/// @return false: the process cannot be watched
bool check_watch_begin(check_watch *watch, code_line *out);

/// Wait until the stretch or the process has ended.
/// @return true if the process is alive, and stopped
bool check_watch_wait(check_watch *watch);

/// Name the line of the write that was caught in a section. The process must be stopped.
void check_watch_name(const check_watch *watch, uint32_t section, code_line *out);

/// Let the process run on without the watch.
void check_watch_end(check_watch *watch);

/// Name the line at which a child process is now. The process is not continued.
/// @param code  an address within the game's plug-in
void check_watch_where(pid_t process, uint64_t code, code_line *out);

#endif
