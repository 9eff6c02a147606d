// SPDX-License-Identifier: MIT

/// @file child.h
/// Other processes of this program, whose output is gathered. They end with this one, however it
/// ends.

#ifndef BKS_TOOL_CHILD_H
#define BKS_TOOL_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CHILD_TEXT_BYTES = 32768 };

/// One process. Start from {0}.
typedef struct child {
    pid_t pid;  ///< 0: none; on Windows its handle
    int out;    ///< file its stdout goes to
    int err;    ///< file its stderr goes to
    int status; ///< exit status once it ended, -1 when a signal ended it
    int signal; ///< that ended it, 0: none; on Windows an exception's code
    bool has_ended;
    char text[CHILD_TEXT_BYTES]; ///< its stdout, once it ended
    char complaint[4096];        ///< the last line it wrote to stderr, once it ended, with the
                                 ///< indented ones behind it, such as a crash report's
} child;

/// Start this program anew.
/// @param arguments  of it, argv[0] included, NULL at the end
/// @return whether it runs; if not, stderr says why
bool child_start(child *process, char *const *arguments);

/// Start another program, as child_start() does.
/// @param path  its file
bool child_start_program(child *process, const char *path, char *const *arguments);

/// Return true if it has ended, without waiting. child_finish() reads its output.
bool child_has_ended(child *process);

/// Wait for its end, and read its output.
/// @param patience_ms  time after which it is asked to end; a second later it is killed
void child_finish(child *process, int patience_ms);

/// End a process at once.
void child_kill(pid_t process);

/// Read its stderr so far, cut at its end if it does not fit.
/// @return bytes; a zero stands behind them
size_t child_peek(const child *process, char *out, size_t capacity);

/// Write that a signal ended a process: "crashes (SIGSEGV)", "crashes (signal 37)".
void child_crash_text(int signal_number, char *out, size_t capacity);

// ---- between child.c and what starts and ends processes on each kind of system ----

/// Ask a process to end, which it may do in its own time.
void child_ask_to_end(pid_t process);

/// Close the files that were to gather what it writes.
void child_close_streams(child *process);

/// Give back what the system keeps of a process that has ended.
void child_forget(pid_t process);

#endif
