// SPDX-License-Identifier: MIT

#include "map/code_line_dwarf.h"

#include <elfutils/libdwfl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "map/code_unit_dwarf.h"

static void look_up(Dwfl *dwfl, Dwarf_Addr address, code_line_place *out)
{
    Dwfl_Module *module = dwfl_addrmodule(dwfl, address);
    if (module == NULL) {
        return;
    }
    const char *function = dwfl_module_addrname(module, address);
    if (function != NULL) {
        (void)snprintf(out->function, sizeof(out->function), "%s", function);
    }
    int line = 0;
    const char *file = code_unit_line(module, address, &line);
    if (file != NULL) {
        out->line = line;
        (void)snprintf(out->file, sizeof(out->file), "%s", file);
    }
}

void code_line_find(const void *address, code_line_place *out)
{
    static char *no_path = NULL;
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_linux_proc_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .debuginfo_path = &no_path,
    };
    Dwfl *dwfl = dwfl_begin(&callbacks);
    if (dwfl != NULL && dwfl_linux_proc_report(dwfl, getpid()) == 0 &&
        dwfl_report_end(dwfl, NULL, NULL) == 0) {
        look_up(dwfl, (Dwarf_Addr)(uintptr_t)address, out);
    }
    dwfl_end(dwfl);
}
