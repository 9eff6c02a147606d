// SPDX-License-Identifier: MIT

/// @file menu_files.h
/// The recordings of a folder, for the start menu.

#ifndef BKS_TOOL_MENU_FILES_H
#define BKS_TOOL_MENU_FILES_H

#include "play/menu_list.h"

/// Some recordings.
typedef struct menu_files {
    uint32_t count;
    uint32_t older;                    ///< how many there are besides
    const char *names[MENU_FILES_MAX]; ///< newest first, within the folder; point into `rooms`
    char rooms[MENU_FILES_MAX][256];
} menu_files;

/// Find the newest files of a folder that are called *.bks and whose beginning says that they are
/// recordings of a game. What cannot be read is left out.
void menu_files_find(const char *folder, const char *game, menu_files *out);

#endif
