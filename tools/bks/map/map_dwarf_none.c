// SPDX-License-Identifier: MIT

// Functions of map_types.h and code_line.h for a program that was built without libdw.

#include <stdio.h>

#include "map/code_line.h"
#include "map/map_types.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

map_dwarf *map_dwarf_open(const char *path, map_types *types)
{
#ifdef _WIN32
    static const char why[] = "cannot be read for debug information on Windows, expected a game "
                              "with bks_game.map";
#else
    static const char why[] = "cannot be read for debug information: this program was built "
                              "without libdw (libdw-dev), expected one with it, or a game with "
                              "bks_game.map";
#endif
    (void)map_types_fail(types, "%s", why);
    return NULL;
}

uint32_t map_dwarf_type(map_dwarf *dwarf, const char *name)
{
    return MAP_TYPE_NONE;
}

bool map_dwarf_has(map_dwarf *dwarf, const char *name)
{
    return false;
}

void map_dwarf_close(map_dwarf *dwarf)
{
}

void code_line_find(pid_t process, uint64_t address, code_line *out)
{
    (void)snprintf(out->why, sizeof(out->why), "bks was built without libdw");
}

void code_line_unwind(pid_t process, const code_frame *frame, uint64_t code, code_line *out)
{
    code_line_find(process, code, out);
}

#ifdef _WIN32

void code_line_write(const void *address, char *out, size_t capacity)
{
    (void)snprintf(out, capacity, "an unknown place");
}

const void *code_line_choose(void *const *frames, int count, const void *inside)
{
    return frames[0];
}

#endif
