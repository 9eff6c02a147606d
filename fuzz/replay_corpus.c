// SPDX-License-Identifier: MIT

// Runs a fuzz target over the files of some folders, without libFuzzer and with any compiler, so
// that faults found once are tested for ever. With -runs=N it then runs N random inputs of up to
// -max_len=L bytes from seed -seed=S; libFuzzer has the same names. With -one=I it runs only the
// random input of index I.

#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int LLVMFuzzerInitialize(int *argc, char ***argv);

// A target without anything to prepare does not define LLVMFuzzerInitialize().
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

static uint64_t option(const char *text, const char *name, uint64_t otherwise)
{
    size_t count = strlen(name);
    return strncmp(text, name, count) == 0 ? strtoull(text + count, NULL, 10) : otherwise;
}

static uint64_t next_random(uint64_t *random)
{
    *random += 0x9e3779b97f4a7c15u; // splitmix64
    uint64_t mixed = *random;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

static uint64_t running; ///< index of the random input that runs now

static void say_which(int number)
{
    (void)number;
    (void)fprintf(stderr, "it was -one=%llu\n", (unsigned long long)running);
}

static void run_random(uint64_t seed, uint64_t run, size_t most)
{
    uint64_t random = seed * 1000003 + run;
    size_t count = (size_t)(next_random(&random) % ((uint64_t)most + 1));
    uint8_t *bytes = malloc(count > 0 ? count : 1);
    if (bytes == NULL) {
        fail("memory", "is short");
    }
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)next_random(&random);
    }
    (void)LLVMFuzzerTestOneInput(bytes, count);
    free(bytes);
}

int main(int argc, char **argv)
{
    if (LLVMFuzzerInitialize != NULL) {
        (void)LLVMFuzzerInitialize(&argc, &argv);
    }
    int files = 0;
    uint64_t runs = 0;
    uint64_t seed = 1;
    uint64_t most = 256;
    uint64_t one = UINT64_MAX;
    for (int i = 1; i < argc; i++) {
        runs = option(argv[i], "-runs=", runs);
        seed = option(argv[i], "-seed=", seed);
        most = option(argv[i], "-max_len=", most);
        one = option(argv[i], "-one=", one);
        files += argv[i][0] == '-' ? 0 : run_folder(argv[i]);
    }
    (void)signal(SIGABRT, say_which);
    for (uint64_t run = 0; run < runs; run++) {
        if (one == UINT64_MAX || one == run) {
            running = run;
            run_random(seed, run, (size_t)most);
        }
    }
    (void)printf("%d files, %llu random inputs\n", files, (unsigned long long)runs);
    return files > 0 || runs > 0 ? 0 : 1;
}
