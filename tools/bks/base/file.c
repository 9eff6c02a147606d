// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/system.h"
#include "base/tool.h"

static int fail(const char *path, FILE *file)
{
    tool_complain(path, "cannot be read: %s", strerror(errno));
    if (file != NULL) {
        fclose(file);
    }
    return TOOL_DAMAGED;
}

int file_read(const char *path, uint8_t **out, size_t *count)
{
    *out = NULL;
    *count = 0;
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (file == NULL || fstat(fileno(file), &about) != 0) {
        return fail(path, file);
    }
    if (S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return fail(path, file);
    }
    // A pipe or device has no size, so the buffer grows as bytes arrive.
    size_t capacity = about.st_size > 0 ? (size_t)about.st_size + 1 : 65536;
    uint8_t *bytes = malloc(capacity);
    size_t length = 0;
    while (bytes != NULL) {
        length += fread(bytes + length, 1, capacity - length, file);
        if (length < capacity) {
            break;
        }
        capacity *= 2;
        uint8_t *larger = realloc(bytes, capacity);
        if (larger == NULL) {
            free(bytes);
        }
        bytes = larger;
    }
    if (bytes == NULL || ferror(file)) {
        free(bytes);
        return fail(path, file);
    }
    fclose(file);
    *out = bytes;
    *count = length;
    return TOOL_OK;
}

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
