// SPDX-License-Identifier: MIT

/// @file child.h Child processes that run this program and whose output is captured. They end when
/// this process ends, even if it crashes.

#ifndef BKS_TOOL_CHILD_H
#define BKS_TOOL_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CHILD_TEXT_BYTES = 32768 };

/// A child process. Start from {0}.
typedef struct child {
    pid_t pid;  ///< process id, on Windows a handle; 0: no child
    int out;    ///< file that captures the child's stdout
    int err;    ///< file that captures the child's stderr
    int status; ///< exit status after the child has ended, -1 if a signal ended it
    int signal; ///< signal that ended the child, 0: none; on Windows an exception's code
    bool has_ended;
    char text[CHILD_TEXT_BYTES]; ///< the child's stdout; empty until it has ended
    /// Last line of the child's stderr that is not indented, and the indented lines after it, as of
    /// a crash report.
    char complaint[4096];
} child;

/// Start this program as a child process.
/// @param arguments  arguments of the child, from argv[0] on, with NULL at the end
/// @return true if the child runs; otherwise stderr says why not
bool child_start(child *process, char *const *arguments);

/// Start another program as a child process, in the same way as child_start().
/// @param path  file of the program
bool child_start_program(child *process, const char *path, char *const *arguments);

/// Return true if a child has ended, without waiting. child_finish() reads the child's output.
bool child_has_ended(child *process);

/// Wait until a child ends, and read its output.
/// @param patience_ms  time until the child is asked to end; it is killed one second later
void child_finish(child *process, int patience_ms);

/// End a process at once.
void child_kill(pid_t process);

/// Read a child's stderr so far, cut at its end if it does not fit.
/// @return bytes read; a terminating 0 follows them
size_t child_peek(const child *process, char *out, size_t capacity);

/// Write that a signal ended a process: "crashes (SIGSEGV)", "crashes (signal 37)".
void child_crash_text(int signal_number, char *out, size_t capacity);

// ---- functions that child.c uses, with a source for each kind of system ----

/// Ask a process to end by itself.
void child_ask_to_end(pid_t process);

/// Close the files that capture a child's output.
void child_close_streams(child *process);

/// Release the system's record of a process that has ended.
void child_forget(pid_t process);

#endif
