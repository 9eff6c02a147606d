// SPDX-License-Identifier: MIT

/// @file vary_build.h
/// The variant `build`: another build of the same game.

#ifndef BKS_TOOL_VARY_BUILD_H
#define BKS_TOOL_VARY_BUILD_H

#include "diagnose/processes/check_parts.h"

/// Whether a file holds another build of a game, not another game; errors go to stderr.
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
int vary_build_check(const char *path, const bks_game *game);

void vary_build_prepare(variant_process *variant);
void vary_build_loaded(variant_process *variant);
const char *vary_build_why_not(const variant_process *variant);

#endif
