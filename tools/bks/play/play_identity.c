// SPDX-License-Identifier: MIT

#include "play/play_identity.h"

#include <errno.h>
#include <string.h>

#include "base/system.h"
#include "base/tool.h"
#include "base/user_file.h"

/// Names the folder of what a program keeps of its doings.
#define FOLDER "XDG_STATE_HOME"

bool play_identity_path(char *path, size_t capacity)
{
    if (!user_file_path(FOLDER, ".local/state", "identity", path, capacity)) {
        tool_complain(NULL, "no state folder by %s, so a restart is another player",
                      system_user_folder_by(FOLDER));
        return false;
    }
    if (!user_file_folders(path)) {
        tool_complain(path, "cannot make this folder, so a restart is another player: %s",
                      strerror(errno));
        return false;
    }
    return true;
}
