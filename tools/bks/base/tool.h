// SPDX-License-Identifier: MIT

/// @file tool.h
/// Functions that every command of `bks` uses: exit statuses, errors, the log and the progress bar
/// on stderr, the clock, the program's own path.

#ifndef BKS_TOOL_H
#define BKS_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "backstitch/base.h"

/// Exit statuses, part of the command line's contract.
typedef enum tool_exit {
    TOOL_OK = 0, ///< the command succeeded
    TOOL_NO = 1, ///< the command ran, but its result is negative: a difference, an unfinished match
    TOOL_MISUSE = 2,    ///< the command line is wrong
    TOOL_DAMAGED = 3,   ///< an input cannot be read or is damaged, an output cannot be written
    TOOL_STOPPED = 130, ///< Ctrl-C or a similar signal ended the command; shells use 130, too
} tool_exit;

/// Ending of a noun after a count: "s", or "" if the count is 1.
#define TOOL_PLURAL(count) ((count) == 1 ? "" : "s")

/// Ending of a noun such as "hash" after a count: "es", or "" if the count is 1.
#define TOOL_PLURAL_ES(count) ((count) == 1 ? "" : "es")

/// Verb after a count: "is" if the count is 1, else "are".
#define TOOL_ARE(count) ((count) == 1 ? "is" : "are")

/// Print an error, `bks: WHAT: SENTENCE`, to stderr.
/// @param what  a file, an option with its value, a game; NULL: print only the sentence
void tool_complain(const char *what, const char *format, ...) BKS_PRINTF(2, 3);

/// Return the newest error that tool_complain() printed, as `WHAT: SENTENCE` without "bks: ", to
/// show it in a window or page. A long text is cut.
/// @return a static buffer, overwritten by the next tool_complain(); "" before the first
const char *tool_complaint(void);

/// Forget the text that tool_complaint() returns.
void tool_complaint_forget(void);

/// Print the error of a library call to stderr, as tool_complain() does. The error's log line is
/// not printed again.
/// @param error  as the call filled it in; an empty text is replaced by the text of the code
void tool_complain_error(const char *what, const bks_error *error);

/// Print the error of a library call about a value that was typed. Name the option and the value
/// instead of the library's field and offset, which the user does not know.
/// @param option  NULL: print the value without an option
void tool_complain_value(const char *option, const char *value, const bks_error *error);

/// Return the exit status for an error that a library call gave about a recording.
/// @return TOOL_DAMAGED if the recording's bytes are wrong, else TOOL_NO
int tool_status_of(const bks_error *error);

/// Report that a recording lacks some of what was played. The library's log has given the cause.
/// @return TOOL_DAMAGED
int tool_complain_recording(const char *path);

/// Open stdin, stdout and stderr if the program was started without them, so that no file that is
/// opened later takes their descriptors. Call this function before all others.
void tool_guard_streams(void);

/// Keep errno as the reason of the first failed write to stdout, if one has failed. Call it right
/// after writes.
void tool_note_output(void);

/// Write out the rest of stdout. Report on stderr if any output since the program began could not
/// be written.
/// @param status  exit status of the command
/// @return `status`, or TOOL_DAMAGED if output is lost
int tool_close_output(int status);

/// Send the library's log to stderr: warnings and errors, and everything when verbose. Call it
/// once, before other threads run.
void tool_log_open(bool is_verbose);

/// Show all of the library's log from now on.
void tool_log_verbose(void);

/// Add a line of the program's own to the log. It is shown only if the whole log is shown.
/// @param id  static, such as "run"
void tool_log(const char *id, const char *format, ...) BKS_PRINTF(2, 3);

/// Leave lines of this id out of the log, because the program says the same in its own words. They
/// are still shown if the whole log is shown. Only one id at a time.
/// @param id  static, such as "session.desync"
void tool_log_leave(const char *id);

/// Show log lines of this id whatever their severity, because the user asked for them. Only one id
/// at a time.
/// @param id  static, such as "figures"
void tool_log_show(const char *id);

/// Begin each log line with the name of its peer, because several peers write to the log. Leave out
/// a warning if any peer has logged one with the same words before.
/// @param speaker  returns the number of the peer that runs now, UINT32_MAX: none; NULL: from now
///                 on the log has only one peer
void tool_log_of_peers(uint32_t (*speaker)(const void *context), const void *context);

/// Print this thread's error line that is held back so that the caller can reword it, if there is
/// one.
void tool_log_flush(void);

/// Hold back lines for stderr while the terminal shows a picture, or print the lines held back.
void tool_log_hold(bool is_held);

/// Discard this thread's error line that is held back, because the caller has reported the error in
/// its own words.
void tool_log_drop(void);

/// Read a clock that never goes back, in ns. `context` is unused; the signature fits
/// bks_peer_config.
uint64_t tool_clock_ns(void *context);

/// Sleep. A signal may end the sleep early.
void tool_sleep_ns(uint64_t duration_ns);

/// Return the absolute path of this program.
/// @return a text that lives as long as the program, "" if the path is not known
const char *tool_program_path(void);

/// Return true if a stream may have colours: it is a terminal, NO_COLOR is unset, TERM is not
/// "dumb".
/// @param descriptor  1 for stdout, 2 for stderr
bool tool_has_colour(int descriptor);

/// Return the width of stdout's lines in columns: COLUMNS of the environment, else the terminal's
/// width, else 80.
/// @return 40 to 160
int tool_columns(void);

/// Return true if a log line has the same text as one of the last few lines that were stored here.
/// Otherwise store the line and return false. Call it from one thread at a time.
bool is_repeated(const char *text);

// ---- a progress bar on stderr, if that is a terminal ----

/// A progress bar. Change it only through the functions.
typedef struct progress {
    const char *label;   ///< text before the progress bar; borrowed
    uint64_t total;      ///< amount at which the bar is full
    uint64_t begun_ns;   ///< time at which the bar began
    uint64_t shown_ns;   ///< time at which the bar was drawn last
    bool is_on;          ///< true if stderr is a terminal, so the bar is shown
    bool has_been_drawn; ///< true if the bar is on the screen and must be erased
} progress;

/// Begin a progress bar. Nothing is drawn in the first half second.
void progress_begin(progress *bar, const char *label, uint64_t total);

/// Show the progress. It draws at most ten times a second, so it may be called often.
void progress_show(progress *bar, uint64_t done);

/// Erase the progress bar.
void progress_end(progress *bar);

#endif
