// SPDX-License-Identifier: MIT

/// @file record_detail.h
/// The options --keyframes and --keep: what recordings hold beside inputs and hashes.

#ifndef BKS_TOOL_RECORD_DETAIL_H
#define BKS_TOOL_RECORD_DETAIL_H

#include "backstitch/toolkit/recording.h"

/// What --keyframes is when it is not given, and when it is off.
enum { RECORD_KEYFRAMES_AUTO = -1, RECORD_KEYFRAMES_OFF = 0 };

/// What the help says of --keyframes.
#define RECORD_KEYFRAMES_HELP                                                                     \
    "bytes of keyframes in a recording, a minute; more bytes place them closer (default: 65536, " \
    "and more if a seek would otherwise step for over a second)"

/// Set what is kept to seek by.
/// @param bytes  as typed, or one of the two
void record_detail_keyframes(int64_t bytes, bks_replay_detail *out);

/// What the help says of --keep.
#define RECORD_DETAIL_HELP                                                                        \
    "what else recordings hold, with commas between: rollbacks (each as it happened, with its "   \
    "wrong guesses), pages (a hash of every page of the state at every tick), values (of the "    \
    "ranges that the game marks, such as scores, at every tick), marks (the state at every mark " \
    "of every tick, for replay diff), marks@A..B (the same from tick A to tick B)"

/// Read a list; errors go to stderr.
/// @param list  as typed, NULL: nothing besides
/// @param out   its flags are set
/// @return TOOL_OK, TOOL_MISUSE
int record_detail_read(const char *list, bks_replay_detail *out);

#endif
