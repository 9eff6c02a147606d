// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "map/code_line.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

void code_line_write(const void *address, char *out, size_t capacity)
{
    code_line line = {0};
    Dl_info info = {0};
    const bool is_loaded = dladdr(address, &info) != 0;
    code_line_find(getpid(), (uint64_t)(uintptr_t)address, &line);
    if (line.function[0] == '\0' && is_loaded && info.dli_sname != NULL) {
        (void)snprintf(line.function, sizeof(line.function), "%s", info.dli_sname);
    }
    const char *function = line.function[0] != '\0' ? line.function : "a function without a name";
    if (line.line[0] != '\0') {
        (void)snprintf(out, capacity, "%s (%s)", function, line.line);
    } else if (is_loaded && info.dli_fname != NULL) {
        (void)snprintf(out, capacity, "%s in %s", function, base_name(info.dli_fname));
    } else {
        (void)snprintf(out, capacity, "an unknown place");
    }
}

const void *code_line_choose(void *const *frames, int count, const void *inside)
{
    Dl_info wanted = {0};
    const bool is_known = dladdr(inside, &wanted) != 0;
    for (int i = 0; is_known && i < count; i++) {
        const void *address = i == 0 ? frames[0] : (const uint8_t *)frames[i] - 1;
        Dl_info info = {0};
        if (dladdr(address, &info) != 0 && info.dli_fbase == wanted.dli_fbase) {
            return address;
        }
    }
    return frames[0];
}
