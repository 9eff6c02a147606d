// SPDX-License-Identifier: MIT

/// @file check_name.h
/// Which object and field two states differ in.

#ifndef BKS_TOOL_CHECK_NAME_H
#define BKS_TOOL_CHECK_NAME_H

#include "backstitch/toolkit/state_map.h"
#include "diagnose/processes/check_tape.h"
#include "game/loader.h"

/// Name the first live value that differs, or else the first byte, with both values.
/// @param found  receives object, field, a, b and note; left alone when nothing differs
void check_name(const loaded_game *game, const bks_compared_state *a, const bks_compared_state *b,
                check_finding *found);

#endif
