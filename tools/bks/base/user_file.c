// SPDX-License-Identifier: MIT

#include "base/user_file.h"

#include <stdio.h>
#include <string.h>

#include "base/system.h"

bool user_file_path(const char *variable, const char *under_home, const char *name, char *path,
                    size_t capacity)
{
    if (!system_user_folder(variable, under_home, path, capacity)) {
        return false;
    }
    const size_t used = strlen(path);
    const int more = snprintf(path + used, capacity - used, "/bks/%s", name);
    return more >= 0 && used + (size_t)more < capacity;
}

bool user_file_folders(char *path)
{
    for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        if (!system_make_folder(path, true)) {
            return false;
        }
        *at = '/';
    }
    return true;
}
