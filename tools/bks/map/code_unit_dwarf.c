// SPDX-License-Identifier: MIT

#include "map/code_unit_dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

Dwarf_Die *code_unit_find(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *out_bias)
{
    Dwarf_Die *unit = NULL;
    while ((unit = dwfl_module_nextcu(module, unit, out_bias)) != NULL) {
        if (dwarf_haspc(unit, address - *out_bias) == 1) {
            return unit;
        }
    }
    return NULL;
}

const char *code_unit_line(Dwfl_Module *module, Dwarf_Addr address, int *out_line)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = code_unit_find(module, address, &bias);
    Dwarf_Line *line = unit != NULL ? dwarf_getsrc_die(unit, address - bias) : NULL;
    const char *file = line != NULL ? dwarf_linesrc(line, NULL, NULL) : NULL;
    return file != NULL && dwarf_lineno(line, out_line) == 0 && *out_line > 0 ? file : NULL;
}

bool code_unit_defines(Dwarf_Die *unit, bool (*is_wanted)(const char *name))
{
    Dwarf_Die child;
    for (int found = dwarf_child(unit, &child); found == 0;
         found = dwarf_siblingof(&child, &child)) {
        const char *name = dwarf_tag(&child) == DW_TAG_subprogram ? dwarf_diename(&child) : NULL;
        if (name != NULL && dwarf_hasattr(&child, DW_AT_external) &&
            !dwarf_hasattr(&child, DW_AT_declaration) && is_wanted(name)) {
            return true;
        }
    }
    return false;
}
