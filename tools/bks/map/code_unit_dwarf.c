// SPDX-License-Identifier: MIT

#include "map/code_unit_dwarf.h"

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
