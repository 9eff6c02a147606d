// SPDX-License-Identifier: MIT

/// @file place_dwarf.h
/// Where a member lies, and how large types are whose size debug information (DWARF) does not
/// state.

#ifndef BKS_TOOL_PLACE_DWARF_H
#define BKS_TOOL_PLACE_DWARF_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/// Where a member or a base class begins, in bytes from the start of its struct: a number, or as
/// DWARF 2 has it an expression that adds one.
/// @return false: it is to be computed in another way
bool dwarf_place(Dwarf_Die *die, uint64_t *out);

/// Size of a type.
/// @return false: it is not known
bool dwarf_size(Dwarf_Die *die, uint64_t *out);

/// Whether the debug information lies in another file (-gsplit-dwarf).
bool dwarf_is_split(Dwarf *dwarf);

#endif
