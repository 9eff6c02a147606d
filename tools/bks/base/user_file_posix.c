// SPDX-License-Identifier: MIT

#include "base/user_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"

bool user_file_path(const char *variable, const char *under_home, const char *name, char *path,
                    size_t capacity)
{
    const char *folder = getenv(variable);
    const char *home = getenv("HOME");
    int bytes = -1;
    if (folder != NULL && folder[0] == '/') { // others are to be ignored, by its specification
        bytes = snprintf(path, capacity, "%s/bks/%s", folder, name);
    } else if (home != NULL && home[0] == '/') {
        bytes = snprintf(path, capacity, "%s/%s/bks/%s", home, under_home, name);
    }
    return bytes >= 0 && (size_t)bytes < capacity;
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
