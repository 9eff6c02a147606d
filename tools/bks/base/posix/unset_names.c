// SPDX-License-Identifier: MIT

// The program defines getenv() and secure_getenv(), so that a plug-in and the libraries that come
// with it call these.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/base.h"
#include "base/altered_system.h"

enum { OBJECTS_MAX = 256 };

extern char **environ;

// Objects that were loaded before the plug-in. They read the environment as it is.
static struct {
    bool is_on;
    uint32_t count;
    uintptr_t bases[OBJECTS_MAX];
} own;

static int add_object(struct dl_phdr_info *info, size_t bytes, void *context)
{
    Dl_info object;
    (void)bytes;
    (void)context;
    for (int i = 0; i < info->dlpi_phnum && own.count < OBJECTS_MAX; i++) {
        const void *at = (const void *)(uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        if (info->dlpi_phdr[i].p_type == PT_LOAD && dladdr(at, &object) != 0) {
            own.bases[own.count++] = (uintptr_t)object.dli_fbase;
            break;
        }
    }
    return 0;
}

void unset_names_answer(void)
{
    own.count = 0;
    (void)dl_iterate_phdr(add_object, NULL);
    own.is_on = own.count < OBJECTS_MAX;
}

// Return true if code that was loaded with the plug-in asks.
static bool is_of_game(const void *caller)
{
    Dl_info object;
    if (!own.is_on || dladdr(caller, &object) == 0) {
        return false;
    }
    for (uint32_t i = 0; i < own.count; i++) {
        if (own.bases[i] == (uintptr_t)object.dli_fbase) {
            return false;
        }
    }
    return true;
}

static char *find(const char *name, const void *caller)
{
    static char answer[] = "1";
    const size_t length = strlen(name);
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') {
            return *entry + length + 1;
        }
    }
    return is_of_game(caller) ? answer : NULL;
}

BKS_API char *getenv(const char *name)
{
    return find(name, __builtin_return_address(0));
}

BKS_API char *secure_getenv(const char *name)
{
    return find(name, __builtin_return_address(0));
}
