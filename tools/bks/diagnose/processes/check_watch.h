// SPDX-License-Identifier: MIT

/// @file check_watch.h A watchpoint in a child process. It finds the last write to some bytes
/// before the process calls check_watch_stand(), or the place of a crash. It works only on Linux on
/// x86-64, and only if a process may trace its children. See watch_way.h for machines whose
/// hardware watchpoints do not fire.

#ifndef BKS_TOOL_CHECK_WATCH_H
#define BKS_TOOL_CHECK_WATCH_H

#include <stdbool.h>

#include "map/code_line.h"

/// Reason why the source line is not known, if nothing wrote the bytes in the watched section.
#define CHECK_WATCH_UNWRITTEN "no instruction wrote it between this mark and the one before"

/// CHECK_WATCH_HITS_MAX: number of writes to the watched bytes after which the process runs on
/// without a watchpoint. CHECK_WATCH_STORES_MAX: the same for writes to their page in the way
/// CHECK_WATCH_PAGE, each of which takes about 0.2 ms.
enum { CHECK_WATCH_HITS_MAX = 200000, CHECK_WATCH_STORES_MAX = 50000 };

/// Ways to watch bytes.
typedef enum check_watch_way {
    CHECK_WATCH_REGISTERS = 0, ///< hardware watchpoint
    CHECK_WATCH_PAGE,          ///< write-protected page, see watch_page.h
    CHECK_WATCH_NONE,          ///< this machine cannot watch bytes
} check_watch_way;

/// Watchpoint on one process, which also watches for crashes. Start from {0}.
typedef struct check_watch {
    pid_t process;
    uint64_t address;
    uint32_t bytes; ///< number of watched bytes: 1, 2, 4 or 8; 0: watch only for crashes
    uint64_t code;  ///< any address within the game's plug-in
    check_watch_way way;
    uint64_t gate; ///< watch_page_gate() of the process, for CHECK_WATCH_PAGE
    /// Function that returns the number of the section that the process runs now. 0: ignore writes.
    uint32_t (*section)(void *context);
    void *context;
    bool is_on;
    uint32_t section_caught; ///< section of the write in `caught`, 0: no write was caught
    uint32_t hits;           ///< number of writes to the bytes; for CHECK_WATCH_PAGE, to their page
    bool has_threads;        ///< true if another thread than the first was seen
    code_frame caught;       ///< stack frame of the last caught write
    code_line crashed;       ///< source line at which a signal ends the process
} check_watch;

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
