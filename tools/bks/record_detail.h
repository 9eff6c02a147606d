// SPDX-License-Identifier: MIT

/// @file record_detail.h
/// The option --keep: what recordings hold on request.

#ifndef BKS_TOOL_RECORD_DETAIL_H
#define BKS_TOOL_RECORD_DETAIL_H

#include "backstitch/replay.h"

/// What the help says of it.
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
