// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L // for the type ssize_t

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/system.h"
#include "base/tool.h"
#include "screen/window/settings.h"

enum { PATH_BYTES = 4096 };

/// Environment variable that names the folder of the settings file.
#define FOLDER "XDG_CONFIG_HOME"

#define USUAL "; so the usual settings count"

static bool find(char path[PATH_BYTES])
{
    return user_file_path(FOLDER, ".config", "settings", path, PATH_BYTES);
}

// Read settings from a file. If there is no file, use the usual settings.
// @param error  receives the reason why the file was refused
static bool load(const char *path, user_settings *out, bks_error *error)
{
    settings_usual(out);
    const int file = system_open_read(path);
    if (file < 0 && errno != ENOENT) {
        snprintf(error->text, sizeof(error->text), "cannot be read: %s" USUAL, strerror(errno));
    }
    if (file < 0) {
        return error->text[0] == '\0';
    }
    char text[SETTINGS_BYTES_MAX + 1];
    size_t bytes = 0;
    ssize_t more = 1;
    while (bytes < sizeof(text) &&
           (more = read(file, text + bytes, (unsigned)(sizeof(text) - bytes))) > 0) {
        bytes += (size_t)more;
    }
    const int cause = errno;
    (void)close(file);
    if (more < 0) {
        snprintf(error->text, sizeof(error->text), "cannot be read: %s" USUAL, strerror(cause));
    }
    return more >= 0 && settings_read(text, bytes, out, error) == BKS_OK;
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

static bool write_all(int file, const char *text, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t written = write(file, text, (unsigned)bytes);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        text += written > 0 ? written : 0;
        bytes -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

// Replace the file. The old file stays complete until the new one is.
static bool replace(const char *path, const char *text, size_t bytes)
{
    char other[PATH_BYTES + 8];
    snprintf(other, sizeof(other), "%s.new", path);
    const int file = system_open_private(other);
    if (file < 0) {
        return false;
    }
    bool is_done = write_all(file, text, bytes);
    is_done &= close(file) == 0;
    is_done = is_done && system_replace(other, path);
    const int cause = errno;
    if (!is_done) {
        (void)unlink(other);
    }
    errno = cause;
    return is_done;
}

// Rename a file that has errors, because it may contain text that the user wrote.
static bool put_aside(const char *path)
{
    char other[PATH_BYTES + 8];
    snprintf(other, sizeof(other), "%s.old", path);
    if (!system_replace(path, other)) {
        return false;
    }
    tool_complain(path, "could not be read whole: it is now called %s", strrchr(other, '/') + 1);
    return true;
}

// Resolve a symbolic link to the file, so that saving keeps the link.
// @return false after an error was reported, because the path is no file that may be written
static bool resolve(char path[PATH_BYTES])
{
    char *real = system_real_path(path);
    system_face found;
    const int cause = errno;
    if (real == NULL && cause == ENOENT && !system_is_there(path)) {
        return true; // accept the path, because the file does not exist yet
    }
    if (real == NULL) {
        tool_complain(path, "cannot be reached: %s; so the settings are not kept", strerror(cause));
        return false;
    }
    const bool fits = strlen(real) < PATH_BYTES;
    if (fits) {
        strcpy(path, real);
    }
    free(real);
    if (!fits || !system_file_face(path, &found) || !found.is_file) {
        tool_complain(path, "is no file, so the settings are not kept");
        return false;
    }
    if (!system_may_write(path)) {
        tool_complain(path, "may not be written, so the settings are not kept");
        return false;
    }
    return true;
}

bool settings_save(const user_settings *from)
{
    char path[PATH_BYTES];
    char text[SETTINGS_BYTES_MAX];
    const size_t bytes = settings_write(from, text);
    if (!find(path)) {
        tool_complain(NULL, "no folder for settings by %s", system_user_folder_by(FOLDER));
        return false;
    }
    if (!user_file_folders(path)) {
        tool_complain(path, "cannot make this folder for settings: %s", strerror(errno));
        return false;
    }
    user_settings old;
    bks_error error = {0};
    if (!resolve(path)) {
        return false;
    }
    if ((!load(path, &old, &error) && !put_aside(path)) || !replace(path, text, bytes)) {
        tool_complain(path, "cannot be written: %s", strerror(errno));
        return false;
    }
    return true;
}
