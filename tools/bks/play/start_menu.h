// SPDX-License-Identifier: MIT

/// @file start_menu.h
/// The start menu in a window, and the matches that it leads to.

#ifndef BKS_TOOL_START_MENU_H
#define BKS_TOOL_START_MENU_H

#include "game/loader.h"
#include "play/play_options.h"
#include "screen/window/settings.h"

/// Show the menu, and again after each match, until the user quits.
/// @param o  what every match has in common; it names none. Its game is the one that was typed
/// @param kept  the settings; what is changed is saved
/// @return what the last match came to; TOOL_OK without one, TOOL_NO when no window opens
int start_menu(const play_options *o, const loaded_game *game, const user_settings *kept);

#endif
