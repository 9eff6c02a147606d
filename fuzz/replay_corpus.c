// SPDX-License-Identifier: MIT

// Runs a fuzz target over the files of some folders, without libFuzzer and with any compiler: what
// was once found stays found.

#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int LLVMFuzzerInitialize(int *argc, char ***argv);

// Targets that have nothing to prepare leave it out.
#pragma weak LLVMFuzzerInitialize

static void fail(const char *path, const char *what)
{
    (void)fprintf(stderr, "%s: %s\n", path, what);
    exit(1);
}

static void run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat facts;
    if (file == NULL || stat(path, &facts) != 0) {
        fail(path, "cannot be opened");
    }
    size_t count = (size_t)facts.st_size;
    uint8_t *bytes = malloc(count > 0 ? count : 1);
    if (bytes == NULL || fread(bytes, 1, count, file) != count) {
        fail(path, "cannot be read");
    }
    (void)fclose(file);
    (void)LLVMFuzzerTestOneInput(bytes, count);
    free(bytes);
}

static int run_folder(const char *folder)
{
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        fail(folder, "no such folder");
    }
    int files = 0;
    const struct dirent *entry;
    while ((entry = readdir(entries)) != NULL) {
        char path[4096];
        struct stat facts;
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) {
            continue;
        }
        run_file(path);
        files++;
    }
    (void)closedir(entries);
    return files;
}

int main(int argc, char **argv)
{
    if (LLVMFuzzerInitialize != NULL) {
        (void)LLVMFuzzerInitialize(&argc, &argv);
    }
    int files = 0;
    for (int i = 1; i < argc; i++) {
        files += run_folder(argv[i]);
    }
    (void)printf("%d files\n", files);
    return files > 0 ? 0 : 1;
}
