// SPDX-License-Identifier: MIT

/// @file module.h
/// A shared object as the system loads it: with other names on each kind of system.

#ifndef BKS_TOOL_MODULE_H
#define BKS_TOOL_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define MODULE_SUFFIX       ".dll"
#define MODULE_LIST_DIVIDER ';'    ///< between the folders of a list
#define MODULE_FOLDER_MARKS "/\\:" ///< characters that only a path has
#else
#define MODULE_SUFFIX       ".so"
#define MODULE_LIST_DIVIDER ':'
#define MODULE_FOLDER_MARKS "/"
#endif

/// Load a file.
/// @param path  with a slash in it, so that the system's own folders are not searched
/// @param why   receives what is wrong when it cannot be loaded
/// @return NULL when it cannot
void *module_open(const char *path, char *why, size_t capacity);

/// @return what it exports under that name, NULL when it does not
void *module_symbol(void *module, const char *name);

void module_close(void *module);

/// Where a module lies in memory.
typedef struct module_place {
    uintptr_t begin;
    uintptr_t end;
} module_place;

/// The one that an address lies in, all 0 when there is none.
module_place module_of(const void *address);

/// Return true if a text names a file and not a game: it has folders in it, or a module's suffix.
bool module_is_path(const char *name);

#endif
