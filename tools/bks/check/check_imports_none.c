// SPDX-License-Identifier: MIT

#include "check/check_imports.h"

void check_imports_read(const char *path, check_imports *out)
{
    (void)path;
    *out = (check_imports){.why = "this bks is built without libelf (libelf-dev)"};
}
