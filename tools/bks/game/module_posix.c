// SPDX-License-Identifier: MIT

#include "game/module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void *module_open(const char *path, char *why, size_t capacity)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL) {
        const char *said = dlerror();
        (void)snprintf(why, capacity, "cannot be loaded: %s",
                       said != NULL ? said : "unknown reason");
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

bool module_is_path(const char *name)
{
    const size_t length = strlen(name);
    return strchr(name, '/') != NULL || (length > 3 && strcmp(name + length - 3, ".so") == 0);
}
