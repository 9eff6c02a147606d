// SPDX-License-Identifier: MIT

/// @file map_dwarf.h
/// Reads types from the debug information (DWARF) of a plug-in's file. The file may be damaged:
/// what is read is bounded, and what makes no sense is refused.

#ifndef BKS_TOOL_MAP_DWARF_H
#define BKS_TOOL_MAP_DWARF_H

#include "map/map_types.h"

/// An open file.
typedef struct map_dwarf map_dwarf;

/// Open the debug information of a file.
/// @param types  receives the types, or an error
/// @return NULL with types->error set when there is none
map_dwarf *map_dwarf_open(const char *path, map_types *types);

/// Add a type and those of its members.
/// @param name   such as "ship" or "struct ship"
/// @return its number, MAP_TYPE_NONE with the error set
uint32_t map_dwarf_type(map_dwarf *dwarf, const char *name);

/// Whether there is a type of this name; no error is set.
bool map_dwarf_has(map_dwarf *dwarf, const char *name);

/// Close the file; the types stay. NULL is allowed.
void map_dwarf_close(map_dwarf *dwarf);

#endif
