// SPDX-License-Identifier: MIT

/// @file on_desync.h
/// What `--on-desync` takes, and what its help says, in every command that has it.

#ifndef TOOL_ON_DESYNC_H
#define TOOL_ON_DESYNC_H

/// In the order of bks_on_desync.
#define ON_DESYNC_WORDS "report|stop|resync"

#define ON_DESYNC_NOT_GIVEN UINT32_MAX

#define ON_DESYNC_HELP                                                                     \
    "what the match does once states were found to differ: plays on, ends for all at the " \
    "same tick, or repairs them and plays on (default report)"

#endif
