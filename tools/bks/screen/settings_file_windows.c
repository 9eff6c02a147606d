// SPDX-License-Identifier: MIT

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "base/tool.h"
#include "base/user_file.h"
#include "screen/settings.h"

enum { PATH_BYTES = 4096 };

#define USUAL "; so the usual settings count"

static bool find(char path[PATH_BYTES])
{
    return user_file_path("APPDATA", "", "settings", path, PATH_BYTES);
}

// Read a file; without one there are the usual settings.
// @param error  receives why it was refused
static bool load(const char *path, user_settings *out, bks_error *error)
{
    char text[SETTINGS_BYTES_MAX + 1];
    settings_usual(out);
    FILE *file = fopen(path, "rb");
    if (file == NULL && errno != ENOENT) {
        snprintf(error->text, sizeof(error->text), "cannot be read: %s" USUAL, strerror(errno));
    }
    if (file == NULL) {
        return error->text[0] == '\0';
    }
    const size_t bytes = fread(text, 1, sizeof(text), file);
    const bool is_read = !ferror(file);
    (void)fclose(file);
    if (!is_read) {
        snprintf(error->text, sizeof(error->text), "cannot be read" USUAL);
    }
    return is_read && settings_read(text, bytes, out, error) == BKS_OK;
}

void settings_load(user_settings *out)
{
    char path[PATH_BYTES];
    bks_error error = {0};
    settings_usual(out);
    if (find(path) && !load(path, out, &error)) {
        tool_complain(path, "%s", error.text);
    }
}

// The old file stays whole until the new one is.
static bool replace(const char *path, const char *text, size_t bytes)
{
    char other[PATH_BYTES + 8];
    snprintf(other, sizeof(other), "%s.new", path);
    FILE *file = fopen(other, "wb");
    if (file == NULL) {
        return false;
    }
    bool is_done = fwrite(text, 1, bytes, file) == bytes;
    is_done &= fclose(file) == 0;
    is_done = is_done && MoveFileExA(other, path, MOVEFILE_REPLACE_EXISTING);
    if (!is_done) {
        (void)remove(other);
    }
    return is_done;
}

// What the user wrote there and we cannot read is not ours to throw away.
static bool put_aside(const char *path)
{
    char other[PATH_BYTES + 8];
    snprintf(other, sizeof(other), "%s.old", path);
    if (!MoveFileExA(path, other, MOVEFILE_REPLACE_EXISTING)) {
        return false;
    }
    tool_complain(path, "could not be read whole: it is now called %s", other);
    return true;
}

bool settings_save(const user_settings *from)
{
    char path[PATH_BYTES];
    char text[SETTINGS_BYTES_MAX];
    const size_t bytes = settings_write(from, text);
    user_settings old;
    bks_error error = {0};
    if (!find(path)) {
        tool_complain(NULL, "no folder for settings by APPDATA");
        return false;
    }
    if (!user_file_folders(path)) {
        tool_complain(path, "cannot make this folder for settings: %s", strerror(errno));
        return false;
    }
    if ((!load(path, &old, &error) && !put_aside(path)) || !replace(path, text, bytes)) {
        tool_complain(path, "cannot be written");
        return false;
    }
    return true;
}
