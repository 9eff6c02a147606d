// SPDX-License-Identifier: MIT

#include "check/check_imports.h"

void check_imports_read(const char *path, check_imports *out)
{
    (void)path;
    *out = (check_imports){.why = "this bks is built without libelf (libelf-dev)"};
}

uint64_t check_imports_of(const char *path, const char *const *names, uint32_t count)
{
    (void)path;
    (void)names;
    (void)count;
    return 0;
}
