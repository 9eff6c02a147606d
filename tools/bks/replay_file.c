// SPDX-License-Identifier: MIT

#include "replay_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "file.h"
#include "tool.h"

int replay_file_open(const char *path, replay_file *out)
{
    *out = (replay_file){.path = path};
    out->status = file_read(path, &out->bytes, &out->count);
    if (out->status != TOOL_OK) {
        snprintf(out->why, sizeof(out->why), "cannot be read");
        return out->status;
    }
    bks_error error = {0};
    if (bks_replay_open(out->bytes, out->count, NULL, &out->replay, &error) != BKS_OK) {
        tool_complain_error(path, &error);
        snprintf(out->why, sizeof(out->why), "%s", error.text);
        out->status = TOOL_DAMAGED;
    }
    if (out->replay == NULL) {
        free(out->bytes);
        out->bytes = NULL;
        return TOOL_DAMAGED;
    }
    out->info = bks_replay_get_info(out->replay);
    return TOOL_OK;
}

void replay_file_check(replay_file *file)
{
    bks_error error = {0};
    if (file->replay == NULL || file->status != TOOL_OK ||
        bks_replay_check(file->replay, &error) == BKS_OK) {
        return;
    }
    tool_complain_error(file->path, &error);
    snprintf(file->why, sizeof(file->why), "%s", error.text);
    file->status = TOOL_DAMAGED;
}

void replay_file_close(replay_file *file)
{
    if (file != NULL) {
        bks_replay_close(file->replay);
        free(file->bytes);
        *file = (replay_file){0};
    }
}
