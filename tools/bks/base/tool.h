// SPDX-License-Identifier: MIT

/// @file tool.h
/// What every command of `bks` shares: exit statuses, errors, the log and the progress bar on
/// stderr, the clock, the program's own path.

#ifndef BKS_TOOL_H
#define BKS_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "backstitch/base.h"

/// Exit statuses, part of the command line's contract.
typedef enum tool_exit {
    TOOL_OK = 0,        ///< as asked
    TOOL_NO = 1,        ///< the answer is "no": diverged, not finished, not verified
    TOOL_MISUSE = 2,    ///< wrong usage
    TOOL_DAMAGED = 3,   ///< an input cannot be read or is damaged, an output cannot be written
    TOOL_STOPPED = 130, ///< Ctrl-C or its kin came before there was an answer; as shells report it
} tool_exit;

/// Ending of a plural: "s", or "" for one.
#define TOOL_PLURAL(count) ((count) == 1 ? "" : "s")

/// Ending of a plural of words such as "hash".
#define TOOL_PLURAL_ES(count) ((count) == 1 ? "" : "es")

/// "are", or "is" of one.
#define TOOL_ARE(count) ((count) == 1 ? "is" : "are")

/// Say what is wrong: `bks: WHAT: SENTENCE` on stderr.
/// @param what  a file, an option with its value, a game; NULL leaves it out
void tool_complain(const char *what, const char *format, ...) BKS_PRINTF(2, 3);

/// The newest of them, from its WHAT on, to be shown elsewhere, too; cut where it is long, ""
/// before the first.
/// @return the same memory each time
const char *tool_complaint(void);

/// Forget it.
void tool_complaint_forget(void);

/// The same for the error of a library call; its log line is not printed twice.
/// @param error  as filled in by the call; an empty text is replaced by the code's
void tool_complain_error(const char *what, const bks_error *error);

/// The same for the error of a value that was typed. The option and the value stand for the
/// library's field and offset, which the user does not know.
/// @param option  NULL: the value stands alone
void tool_complain_value(const char *option, const char *value, const bks_error *error);

/// The exit status for a library call's error about a recording.
/// @return TOOL_DAMAGED when its bytes are wrong, else TOOL_NO
int tool_status_of(const bks_error *error);

/// Report that a recording holds less than was played. The library's log said why.
/// @return TOOL_DAMAGED
int tool_complain_recording(const char *path);

/// See to it that no file that is opened later becomes stdin, stdout or stderr, because the program
/// was started without them. Call it first of all.
void tool_guard_streams(void);

/// Keep errno as the reason of the first failed write to stdout, if one has failed. Call it right
/// behind writes.
void tool_note_output(void);

/// Write out what is left for stdout. If any of it could not be written, since the program began,
/// stderr says so.
/// @param status  else the exit status
/// @return status; TOOL_DAMAGED when output is lost
int tool_close_output(int status);

/// Send the library's log to stderr: warnings and errors, and everything when verbose. Call it
/// once, before other threads run.
void tool_log_open(bool is_verbose);

/// Show all of the library's log from now on.
void tool_log_verbose(void);

/// Add a line of the program's own to the log, shown when all of it is.
/// @param id  static, such as "run"
void tool_log(const char *id, const char *format, ...) BKS_PRINTF(2, 3);

/// Leave lines of this id out of the log, unless all of it is shown: the program says the same in
/// its own words. One id at a time.
/// @param id  static, such as "session.desync"
void tool_log_leave(const char *id);

/// Show lines of this id, though they matter little: the user asked for them. One id at a time.
/// @param id  static, such as "figures"
void tool_log_show(const char *id);

/// Several peers write to the log: each line begins with the one that says it, and a warning that
/// was there in the same words, of this peer or of another, is left out.
/// @param speaker  number of the peer that runs now, UINT32_MAX: none; NULL: no more
void tool_log_of_peers(uint32_t (*speaker)(const void *context), const void *context);

/// Print an error line of this thread that is still held back in case the caller words it better.
void tool_log_flush(void);

/// Keep lines for stderr back, or print what was kept: the terminal shows a picture meanwhile.
void tool_log_hold(bool is_held);

/// Forget an error line of this thread that is held back: the caller has said it in its own words.
void tool_log_drop(void);

/// A clock that never goes back, in nanoseconds. `context` is not used: it fits bks_peer_config.
uint64_t tool_clock_ns(void *context);

/// Sleep; a signal ends it early.
void tool_sleep_ns(uint64_t duration_ns);

/// Absolute path of this program.
/// @return a text that lives as long as the program, "" when the system does not say
const char *tool_program_path(void);

/// Return true if a stream may have colours: it is a terminal, NO_COLOR is unset, TERM is not
/// "dumb".
/// @param descriptor  1 for stdout, 2 for stderr
bool tool_has_colour(int descriptor);

/// Return the columns for lines of stdout: COLUMNS of the environment, else the terminal's,
/// else 80.
/// @return 40 to 160
int tool_columns(void);

/// Return true if a line of the log equals one of the last different lines, and remember it. Call
/// it from one thread at a time.
bool is_repeated(const char *text);

// ---- a progress bar on stderr, if that is a terminal ----

/// A progress bar. Plain data.
typedef struct progress {
    const char *label;   ///< borrowed
    uint64_t total;      ///< amount at which the bar is full
    uint64_t begun_ns;   ///< when
    uint64_t shown_ns;   ///< when it was drawn last
    bool is_on;          ///< stderr is a terminal
    bool has_been_drawn; ///< it has been drawn and must be wiped away
} progress;

/// Begin a bar; nothing is drawn before half a second has passed.
void progress_begin(progress *bar, const char *label, uint64_t total);

/// Show how far it is. Cheap to call often: it draws ten times a second at most.
void progress_show(progress *bar, uint64_t done);

/// Wipe the bar away.
void progress_end(progress *bar);

#endif
