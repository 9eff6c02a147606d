// SPDX-License-Identifier: MIT

#include "play/play_identity.h"

#include <errno.h>
#include <string.h>

#include "base/tool.h"
#include "base/user_file.h"

bool play_identity_path(char *path, size_t capacity)
{
    if (!user_file_path("XDG_STATE_HOME", ".local/state", "identity", path, capacity)) {
        tool_complain(NULL, "no state folder by XDG_STATE_HOME or HOME, so a restart is another "
                            "player");
        return false;
    }
    if (!user_file_folders(path)) {
        tool_complain(path, "cannot make this folder, so a restart is another player: %s",
                      strerror(errno));
        return false;
    }
    return true;
}
