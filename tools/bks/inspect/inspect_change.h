// SPDX-License-Identifier: MIT

/// @file inspect_change.h
/// Changes as a user types them: "window=8", "delay=auto", "pace=stall", "link=delay=50ms,loss=2%".

#ifndef BKS_TOOL_INSPECT_CHANGE_H
#define BKS_TOOL_INSPECT_CHANGE_H

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

#endif
