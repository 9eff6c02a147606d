// SPDX-License-Identifier: MIT

/// @file menu_files.h
/// Finds the recordings that the start menu lists.

#ifndef BKS_TOOL_MENU_FILES_H
#define BKS_TOOL_MENU_FILES_H

#include <stdint.h>

enum { MENU_FILES_MAX = 100 }; ///< maximum number of recordings that the menu lists

/// The newest recordings of a folder.
typedef struct menu_files {
    uint32_t count;
    uint32_t older;                    ///< number of recordings that are too old for the list
    const char *names[MENU_FILES_MAX]; ///< file names, newest first; they point into `rooms`
    char rooms[MENU_FILES_MAX][256];
} menu_files;

/// Find the newest recordings of a game in a folder: files named *.bks whose first bytes name the
/// game. Files that cannot be read are left out.
void menu_files_find(const char *folder, const char *game, menu_files *out);

#endif
