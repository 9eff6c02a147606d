// SPDX-License-Identifier: MIT

/// @file other_options.h
/// Options and players of a match that is another one of the same game.

#ifndef BKS_TOOL_OTHER_OPTIONS_H
#define BKS_TOOL_OTHER_OPTIONS_H

#include "backstitch/toolkit/runner.h"

/// Change every option to another value that its help names or, where it begins with a number, to
/// the next number, and take another number of players. What the game refuses, or what is not known
/// to be a value, stays.
void other_options(bks_runner_config *config);

#endif
