// SPDX-License-Identifier: MIT

#include "base/user_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"

/// Windows has one folder for all that a program keeps for its user.
bool user_file_path(const char *variable, const char *under_home, const char *name, char *path,
                    size_t capacity)
{
    (void)variable, (void)under_home;
    const char *folder = getenv("APPDATA");
    if (folder == NULL || folder[0] == '\0') {
        return false;
    }
    const int bytes = snprintf(path, capacity, "%s/bks/%s", folder, name);
    for (char *at = path; bytes > 0 && (size_t)bytes < capacity && *at != '\0'; at++) {
        *at = *at == '\\' ? '/' : *at;
    }
    return bytes >= 0 && (size_t)bytes < capacity;
}

bool user_file_folders(char *path)
{
    for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        const bool is_there = system_make_folder(path, true);
        *at = '/';
        if (!is_there) {
            return false;
        }
    }
    return true;
}
