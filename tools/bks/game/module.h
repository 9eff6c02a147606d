// SPDX-License-Identifier: MIT

/// @file module.h
/// Shared objects. Each kind of system has its own source for these functions.

#ifndef BKS_TOOL_MODULE_H
#define BKS_TOOL_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define MODULE_SUFFIX       ".dll"
#define MODULE_LIST_DIVIDER ';'    ///< character between the folders in a list of folders
#define MODULE_FOLDER_MARKS "/\\:" ///< characters that occur in paths, but not in names of games
#else
#define MODULE_SUFFIX       ".so"
#define MODULE_LIST_DIVIDER ':'
#define MODULE_FOLDER_MARKS "/"
#endif

/// Load a shared object.
/// @param path  must have a slash, otherwise the system searches its own folders
/// @param why   receives the reason if the object cannot be loaded
/// @return the module; NULL if it cannot be loaded
void *module_open(const char *path, char *why, size_t capacity);

/// Find an exported symbol by its name.
/// @return the symbol's address; NULL: the module does not export it
void *module_symbol(void *module, const char *name);

void module_close(void *module);

/// Range of addresses of a loaded module.
typedef struct module_place {
    uintptr_t begin;
    uintptr_t end;
} module_place;

/// Return the address range of the module that holds an address. All fields are 0 if no module
/// does.
module_place module_of(const void *address);

/// Return true if a text is the path of a file, not the name of a game: it has folders in it, or
/// ends with MODULE_SUFFIX.
bool module_is_path(const char *name);

#endif
