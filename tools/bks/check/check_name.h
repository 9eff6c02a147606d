// SPDX-License-Identifier: MIT

/// @file check_name.h
/// Which object and field two states differ in.

#ifndef BKS_TOOL_CHECK_NAME_H
#define BKS_TOOL_CHECK_NAME_H

#include "check/check_tape.h"
#include "game/loader.h"

/// One state's bytes.
typedef struct check_state {
    const uint8_t *bytes;
    size_t count;
} check_state;

/// Name the first live value that differs, or else the first byte, with both values.
/// @param found  receives object, field, a, b and note; left alone when nothing differs
void check_name(const loaded_game *game, check_state a, check_state b, check_finding *found);

#endif
