// SPDX-License-Identifier: MIT

/// @file check_watch.h
/// A hardware watchpoint in a child process: the last write of some bytes within a stretch of its
/// run, or the place where it crashed. It works where a process may trace its own children, on
/// x86-64.

#ifndef BKS_TOOL_CHECK_WATCH_H
#define BKS_TOOL_CHECK_WATCH_H

#include <stdbool.h>

#include "map/code_line.h"

/// Why there is no line where the last write came before the section.
#define CHECK_WATCH_UNWRITTEN "no instruction wrote it between this mark and the one before"

/// One watch. Start from {0}.
typedef struct check_watch {
    pid_t process;
    uint64_t address;
    uint32_t bytes;                     ///< 1, 2, 4 or 8; 0: only crashes are looked for
    uint64_t code;                      ///< an address within the game's plug-in
    uint32_t (*section)(void *context); ///< which section runs now, 0: one that does not count
    void *context;
    bool is_on;
    uint32_t section_caught; ///< of `caught`, 0: nothing was
    uint32_t hits;
    code_frame caught; ///< at the last write that counts
    code_line crashed; ///< where the process got a signal that ends it
} check_watch;

/// Whether there are watchpoints in this program at all.
/// @param out  receives why there are none
bool check_watch_is_possible(code_line *out);

/// In the process that is watched: its stretch has ended. It stands still until the watch ends.
void check_watch_stand(void);

/// Begin: the process runs on, until it calls check_watch_stand().
/// @param watch  process, address, bytes, code, section and context are set
/// @param out    receives why, when it does not work
/// @return whether it watches
bool check_watch_begin(check_watch *watch, code_line *out);

/// Wait until the stretch or the process has ended.
/// @return whether the process is alive: it stands still now
bool check_watch_wait(check_watch *watch);

/// Name the line of what was caught in a section; only while it stands still.
void check_watch_name(const check_watch *watch, uint32_t section, code_line *out);

/// Let the process run on, watched no more.
void check_watch_end(check_watch *watch);

/// Name the line at which a child process is now, which ends there.
/// @param code  an address within the game's plug-in
void check_watch_where(pid_t process, uint64_t code, code_line *out);

#endif
