// SPDX-License-Identifier: MIT

/// @file inspect_token.h
/// Where the token comes from that allows changes: a file or the environment, which other users of
/// the machine cannot read, or the arguments, which they can.

#ifndef BKS_TOOL_INSPECT_TOKEN_H
#define BKS_TOOL_INSPECT_TOKEN_H

#include <stdbool.h>

#include "backstitch/toolkit/inspector.h"

/// Find it. Errors, and a warning of one in the arguments, go to stderr.
/// @param given     of `--token`: the token, or "@FILE" with it in the first line; NULL: the
///                  environment variable BKS_INSPECT_TOKEN, which may be unset
/// @param is_there  receives whether there is one
/// @param out       receives it
/// @return TOOL_OK, TOOL_MISUSE (it is no token), TOOL_DAMAGED (the file cannot be read)
int inspect_token_find(const char *given, bool *is_there, uint8_t out[BKS_INSPECT_TOKEN_BYTES]);

#endif
