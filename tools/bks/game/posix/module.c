// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "game/module.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

void *module_open(const char *path, char *why, size_t capacity)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL) {
        const char *reason = dlerror();
        (void)snprintf(why, capacity, "cannot be loaded: %s",
                       reason != NULL ? reason : "unknown reason");
    }
    return module;
}

void *module_symbol(void *module, const char *name)
{
    return dlsym(module, name);
}

void module_close(void *module)
{
    (void)dlclose(module);
}

static int find_object(struct dl_phdr_info *object, size_t bytes, void *context)
{
    (void)bytes;
    module_place *place = context;
    uintptr_t begin = UINTPTR_MAX;
    uintptr_t end = 0;
    for (uint32_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const uintptr_t at = (uintptr_t)(object->dlpi_addr + part->p_vaddr);
        if (part->p_type == PT_LOAD) {
            begin = at < begin ? at : begin;
            end = at + part->p_memsz > end ? at + part->p_memsz : end;
        }
    }
    if (place->begin < begin || place->begin >= end) {
        return 0;
    }
    *place = (module_place){.begin = begin, .end = end};
    return 1;
}

module_place module_of(const void *address)
{
    module_place place = {.begin = (uintptr_t)address};
    return dl_iterate_phdr(find_object, &place) != 0 ? place : (module_place){0};
}

bool module_is_path(const char *name)
{
    const size_t length = strlen(name);
    return strchr(name, '/') != NULL || (length > 3 && strcmp(name + length - 3, ".so") == 0);
}
