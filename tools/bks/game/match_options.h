// SPDX-License-Identifier: MIT

/// @file match_options.h
/// Options of commands that play a match: --notify-after and --drop-after (how long a peer may be
/// silent), --on-desync, --keyframes and --keep (what recordings hold beside inputs and hashes).

#ifndef BKS_TOOL_MATCH_OPTIONS_H
#define BKS_TOOL_MATCH_OPTIONS_H

#include <stdint.h>

#include "backstitch/toolkit/recording.h"

/// Values of --notify-after and --drop-after as typed.
typedef struct silence_limits {
    int64_t notify_ms; ///< value of --notify-after, SILENCE_NOT_GIVEN: the default
    int64_t drop_ms;   ///< value of --drop-after, SILENCE_NOT_GIVEN: the default
} silence_limits;

enum { SILENCE_NOT_GIVEN = -1 };

/// Rows of a table of `args_option` for --notify-after and --drop-after.
/// @param limits  silence_limits that receive the values, an lvalue
#define SILENCE_OPTIONS(limits)                                                                    \
    ARGS_INT("--notify-after", "MS", &(limits).notify_ms, 100, 60000,                              \
             "report a peer that is silent for this many milliseconds (default 1000)"),            \
        ARGS_INT("--drop-after", "MS", &(limits).drop_ms, 100, 600000,                             \
                 "drop a peer that is silent for this many milliseconds, at least --notify-after " \
                 "(default 5000); raised to what the line needs, 1000 and a round trip")

/// Replace defaults by the values that were given; errors go to stderr.
/// @param notify_after_ms  bks_tuning.notify_after_ms, with its default before the call
/// @param drop_after_ms    bks_tuning.drop_after_ms, with its default before the call
/// @return TOOL_OK, TOOL_MISUSE
int silence_read(const silence_limits *limits, uint32_t *notify_after_ms, uint32_t *drop_after_ms);

/// Values of --on-desync, in the order of bks_on_desync.
#define ON_DESYNC_WORDS "report|stop|resync"

#define ON_DESYNC_NOT_GIVEN UINT32_MAX

#define ON_DESYNC_HELP                                                                     \
    "what the match does once states were found to differ: plays on, ends for all at the " \
    "same tick, or repairs them and plays on (default report)"

/// Stand-ins for the value of --keyframes: not given, and off.
enum { RECORD_KEYFRAMES_AUTO = -1, RECORD_KEYFRAMES_OFF = 0 };

/// Text about --keyframes in the help.
#define RECORD_KEYFRAMES_HELP                                                                     \
    "bytes of keyframes in a recording, a minute; more bytes place them closer (default: 65536, " \
    "and more if a seek would otherwise step for over a second)"

/// Set how many keyframes a recording holds.
/// @param bytes  value of --keyframes, RECORD_KEYFRAMES_AUTO or RECORD_KEYFRAMES_OFF
void record_detail_keyframes(int64_t bytes, bks_replay_detail *out);

/// Text about --keep in the help.
#define RECORD_DETAIL_HELP                                                                        \
    "what else recordings hold, with commas between: rollbacks (each as it happened, with its "   \
    "wrong guesses), pages (a hash of every page of the state at every tick), values (of the "    \
    "ranges that the game marks, such as scores, at every tick), marks (the state at every mark " \
    "of every tick, for replay diff), marks@A..B (the same from tick A to tick B)"

/// Read the value of --keep; errors go to stderr.
/// @param list  value as typed, NULL: not given
/// @param out   receives the flags of the words in the list
/// @return TOOL_OK, TOOL_MISUSE
int record_detail_read(const char *list, bks_replay_detail *out);

#endif
