// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L // mkdir

#include "play/play_identity.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/tool.h"

// Make the folders above a file. Those that are there stay as they are.
static bool make_folders(char *path)
{
    for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        const bool is_there = mkdir(path, 0700) == 0 || errno == EEXIST;
        const int cause = errno;
        if (!is_there) {
            tool_complain(path, "cannot make this folder, so a restart is another player: %s",
                          strerror(cause));
            return false;
        }
        *at = '/';
    }
    return true;
}

bool play_identity_path(char *path, size_t capacity)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    int bytes = -1;
    if (state != NULL && state[0] == '/') { // others are to be ignored, by its specification
        bytes = snprintf(path, capacity, "%s/bks/identity", state);
    } else if (home != NULL && home[0] == '/') {
        bytes = snprintf(path, capacity, "%s/.local/state/bks/identity", home);
    }
    if (bytes < 0 || (size_t)bytes >= capacity) {
        tool_complain(NULL, "no state folder by XDG_STATE_HOME or HOME, so a restart is another "
                            "player");
        return false;
    }
    return make_folders(path);
}
