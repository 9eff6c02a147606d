// SPDX-License-Identifier: MIT

/// @file record_detail.h
/// The options --keyframes and --keep: what recordings hold besides inputs and hashes.

#ifndef BKS_TOOL_RECORD_DETAIL_H
#define BKS_TOOL_RECORD_DETAIL_H

#include "backstitch/replay.h"

/// What --keyframes is when it is not given, and when it is off.
enum { RECORD_KEYFRAMES_AUTO = -1, RECORD_KEYFRAMES_OFF = 0 };

/// What the help says of --keyframes.
#define RECORD_KEYFRAMES_HELP                                                         \
    "what states to seek by may take in a recording, a minute; more of it, more of\n" \
    "them (default: 65536, and what it takes that a seek steps for a second at most)"

/// Set what is kept to seek by.
/// @param bytes  as typed, or one of the two
void record_detail_keyframes(int64_t bytes, bks_replay_detail *out);

/// What the help says of --keep.
#define RECORD_DETAIL_HELP                                                            \
    "what recordings hold besides, with commas between them: rollbacks (each as it\n" \
    "happened, with the guesses that were wrong), pages (a hash of every page of\n"   \
    "the state at every tick), values (of what the game\n"                            \
    "names for it, such as scores, at every tick)"

/// Read a list; what is wrong is said on stderr.
/// @param list  as typed, NULL: nothing besides
/// @param out   its flags are set
/// @return TOOL_OK, TOOL_MISUSE
int record_detail_read(const char *list, bks_replay_detail *out);

#endif
