// SPDX-License-Identifier: MIT

/// @file inspect_change.h
/// Changes as a user types them: "window=8", "delay=auto", "pace=stall", "link=delay=50ms,loss=2%",
/// and the token that allows them.

#ifndef BKS_TOOL_INSPECT_CHANGE_H
#define BKS_TOOL_INSPECT_CHANGE_H

#include <stdbool.h>

#include "backstitch/toolkit/inspector.h"

/// Read a token of 32 hexadecimal digits.
/// @return whether it is one
bool inspect_read_token(const char *text, uint8_t out[BKS_INSPECT_TOKEN_BYTES]);

/// Read a change into a request.
/// @param why  receives what is wrong with it, static
/// @return whether it is one
bool inspect_read_change(const char *text, bks_inspect_request *request, const char **why);

/// Why a change was refused that is out of the range.
/// @param summary  of the match, with its range
void inspect_range_text(const bks_inspect_request *request, const bks_inspect_summary *summary,
                        char *out, size_t capacity);

/// What became of a change, for people.
const char *inspect_status_text(bks_inspect_status status);

/// Find the token: in a file or the environment, which other users of the machine cannot read, or
/// in the arguments, which they can. Errors, and a warning of one in the arguments, go to stderr.
/// @param given     of `--token`: the token, or "@FILE" with it in the first line; NULL: the
///                  environment variable BKS_INSPECT_TOKEN, which may be unset
/// @param is_there  receives whether there is one
/// @param out       receives it
/// @return TOOL_OK, TOOL_MISUSE (it is no token), TOOL_DAMAGED (the file cannot be read)
int inspect_token_find(const char *given, bool *is_there, uint8_t out[BKS_INSPECT_TOKEN_BYTES]);

#endif
