// SPDX-License-Identifier: MIT

/// @file check_watch.h Watchpoints in a child process. They find the writes to some values before
/// the process calls check_watch_stand(), or the place of a crash. A system call that changes a
/// value counts as a write. They work only on Linux on x86-64, and only if a process may trace its
/// children. See watch_way.h for machines whose hardware watchpoints do not fire.

#ifndef BKS_TOOL_CHECK_WATCH_H
#define BKS_TOOL_CHECK_WATCH_H

#include <stdbool.h>

#include "diagnose/processes/check_writes.h"
#include "diagnose/processes/watch_registers.h"
#include "map/code_line.h"

/// Reason why the source line is not known, if nothing wrote the bytes in the watched section.
#define CHECK_WATCH_UNWRITTEN "no instruction wrote it between this mark and the one before"

/// Reason why the source line is not known, if the value at the mark is not the one that the last
/// caught write left.
#define CHECK_WATCH_FOREIGN                                                                     \
    "no instruction was seen to write this value: a system call (read, recv), another process " \
    "or a second mapping of its memory did"

/// CHECK_WATCH_HITS_MAX: number of writes to the watched bytes after which the process runs on
/// without a watchpoint. CHECK_WATCH_STORES_MAX: the same for writes to their page in the way
/// CHECK_WATCH_PAGE, each of which takes about 0.2 ms. CHECK_WATCH_OTHER_HITS_MAX: number of writes
/// to the other values after which only the first one is watched. CHECK_WATCH_CALLS_MAX: number of
/// system calls after which no more of them are watched. CHECK_WATCH_CALLERS_MAX: most threads in
/// system calls that may write to the page at the same time.
enum {
    CHECK_WATCH_HITS_MAX = 200000,
    CHECK_WATCH_STORES_MAX = 50000,
    CHECK_WATCH_OTHER_HITS_MAX = 5000,
    CHECK_WATCH_CALLS_MAX = 20000,
    CHECK_WATCH_CALLERS_MAX = 16
};

/// Ways to watch bytes.
typedef enum check_watch_way {
    CHECK_WATCH_REGISTERS = 0, ///< hardware watchpoint
    CHECK_WATCH_PAGE,          ///< write-protected page, see watch_page.h
    CHECK_WATCH_NONE,          ///< this machine cannot watch bytes
} check_watch_way;

/// Watched values at the two marks around a section, as the watched process itself has them.
typedef struct watched_marks {
    bool has_before; ///< true if `before` is known
    bool is_known;   ///< true if both are known
    uint64_t before[CHECK_WATCHED_MAX];
    uint64_t after[CHECK_WATCHED_MAX];
} watched_marks;

/// Watchpoints on one process, which also watch for crashes. Start from {0}.
typedef struct check_watch {
    pid_t process;
    /// Values to watch. If the first has 0 bytes, watch only for crashes. CHECK_WATCH_PAGE watches
    /// those that lie on the first one's page.
    watched_bytes watched[CHECK_WATCHED_MAX];
    uint64_t code; ///< any address within the game's plug-in
    check_watch_way way;
    uint64_t gate; ///< watch_page_gate() of the process, for CHECK_WATCH_PAGE
    /// Function that returns the number of the section that the process runs now. 0: ignore writes.
    uint32_t (*section)(void *context);
    void *context;
    /// Points to true while the process does what is to be compared with another's writes. NULL:
    /// always.
    const bool *compares;
    /// Points to the values around the section to name. NULL: not known.
    const watched_marks *marks;
    bool is_on;
    uint32_t section_caught; ///< section of the last caught write, 0: none was caught
    /// Number of writes to the first value; for CHECK_WATCH_PAGE, to its page.
    uint32_t hits;
    uint32_t other_hits; ///< number of writes to the other values
    uint32_t calls;      ///< number of system calls
    /// Threads in a system call that may write a watched value, 0: none.
    pid_t writers[CHECK_WATCH_CALLERS_MAX];
    /// Threads in a system call for which CHECK_WATCH_PAGE keeps the page open, 0: none.
    pid_t callers[CHECK_WATCH_CALLERS_MAX];
    uint64_t seen[CHECK_WATCHED_MAX]; ///< values at the last stop for a write or a system call
    bool has_threads;                 ///< true if another thread than the first was seen
    bool has_lost;       ///< true if it is not known of a write which value was written
    check_writes writes; ///< writes in that section to be compared
    /// Stack frame of the last caught write to each value in that section.
    code_frame caught[CHECK_WATCHED_MAX];
    bool is_caught[CHECK_WATCHED_MAX]; ///< true if such a write was caught
    uint64_t left[CHECK_WATCHED_MAX];  ///< value that this write left
    code_line crashed;                 ///< source line at which a signal ends the process
} check_watch;

/// Stop this process, so that the process that watches it can end the watch. Called by the watched
/// process.
void check_watch_stand(void);

/// Begin to watch a process. The process runs on until it calls check_watch_stand().
/// @param watch  the watch, with process, watched, code, section and context set
/// @param out    receives the reason on failure
/// @return false if the process cannot be watched
bool check_watch_begin(check_watch *watch, code_line *out);

/// Wait until the watched process calls check_watch_stand(), or ends.
/// @return true if the process is alive; it is then stopped
bool check_watch_wait(check_watch *watch);

/// Find the source line of the last write to a value that was caught in a section. The process must
/// be stopped.
/// @param index  index of the value in `watched`
void check_watch_name(const check_watch *watch, uint32_t index, uint32_t section, code_line *out);

/// Copy the writes to be compared that were caught in a section.
void check_watch_writes(const check_watch *watch, uint32_t section, check_writes *out);

/// End the watch, and let the process run on.
void check_watch_end(check_watch *watch);

/// Stop a child process, and find the source line that it executes now. The process stays stopped.
/// @param code  any address within the game's plug-in
void check_watch_where(pid_t process, uint64_t code, code_line *out);

#endif
