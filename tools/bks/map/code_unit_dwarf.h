// SPDX-License-Identifier: MIT

/// @file code_unit_dwarf.h
/// The unit of debug information that code belongs to. clang writes no table of the units'
/// addresses (.debug_aranges) unless it is asked to, so libdw's own search does not find them.

#ifndef BKS_TOOL_CODE_UNIT_DWARF_H
#define BKS_TOOL_CODE_UNIT_DWARF_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/// @param out_bias  receives what the address is larger by than those of debug information
/// @return NULL: no unit has it
Dwarf_Die *code_unit_find(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *out_bias);

/// The source line of an address.
/// @param out_line  receives its number, from 1
/// @return the file as the compiler had it, NULL: not known
const char *code_unit_line(Dwfl_Module *module, Dwarf_Addr address, int *out_line);

/// Whether a unit defines an external function of a wanted name.
bool code_unit_defines(Dwarf_Die *unit, bool (*is_wanted)(const char *name));

#endif
