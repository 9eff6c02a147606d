// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

void system_guard_streams(void)
{
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
        if (fcntl(i, F_GETFD) < 0 && errno == EBADF) {
            // Descriptor `i` is closed, and the next open() gets it. Open it in the wrong
            // direction, so that output to it fails with an error instead of getting lost silently.
            (void)open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

void system_sleep_ns(uint64_t duration_ns)
{
    const struct timespec duration = {.tv_sec = (time_t)(duration_ns / UINT64_C(1000000000)),
                                      .tv_nsec = (long)(duration_ns % UINT64_C(1000000000))};
    nanosleep(&duration, NULL);
}

void system_program_path(char *out, size_t capacity)
{
    const ssize_t length = readlink("/proc/self/exe", out, capacity - 1);
    out[length > 0 ? length : 0] = '\0';
}

bool system_terminal_size(int descriptor, uint32_t *columns, uint32_t *rows)
{
    struct winsize size = {0};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) {
        return false;
    }
    *columns = size.ws_col;
    *rows = size.ws_row;
    return size.ws_col > 0 && size.ws_row > 0;
}

uint32_t system_processors(void)
{
    cpu_set_t cores;
    const int count = sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
    return count > 1 ? (uint32_t)count : 1;
}

bool system_random(void *out, size_t count)
{
    return getrandom(out, count, 0) == (ssize_t)count;
}

bool system_make_folder(const char *path, bool is_private)
{
    return mkdir(path, is_private ? 0700 : 0777) == 0 || errno == EEXIST;
}

bool system_file_face(const char *path, system_face *out)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        return false;
    }
    *out = (system_face){
        .bytes = about.st_size, .written = about.st_mtim, .is_file = S_ISREG(about.st_mode)};
    return true;
}

FILE *system_open_update(const char *path)
{
    const int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    return descriptor >= 0 ? fdopen(descriptor, "r+b") : NULL;
}

bool system_user_folder(const char *variable, const char *under_home, char *out, size_t capacity)
{
    const char *folder = getenv(variable);
    const char *home = getenv("HOME");
    int bytes = -1;
    if (folder != NULL && folder[0] == '/') { // the XDG specification says to ignore relative paths
        bytes = snprintf(out, capacity, "%s", folder);
    } else if (home != NULL && home[0] == '/') {
        bytes = snprintf(out, capacity, "%s/%s", home, under_home);
    }
    return bytes >= 0 && (size_t)bytes < capacity;
}

const char *system_user_folder_by(const char *variable)
{
    static char text[64];
    (void)snprintf(text, sizeof(text), "%s or HOME", variable);
    return text;
}

char *system_real_path(const char *path)
{
    return realpath(path, NULL);
}

bool system_is_there(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

bool system_may_write(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && (about.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) != 0 &&
           faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

int system_open_read(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

int system_open_private(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

bool system_replace(const char *from, const char *to)
{
    return rename(from, to) == 0;
}

void system_take_addresses(size_t bytes)
{
    (void)mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

void system_take_place(uint64_t address)
{
    (void)address;
}

bool system_set_environment(const char *name, const char *value)
{
    return (value != NULL ? setenv(name, value, 1) : unsetenv(name)) == 0;
}

FILE *system_memory_open(char **text, size_t *count)
{
    return open_memstream(text, count);
}

bool system_memory_close(FILE *file, char **text, size_t *count)
{
    (void)text, (void)count; // open_memstream() sets `*text` and `*count`
    return fclose(file) == 0;
}

int system_stderr_silence(void)
{
    const int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (kept >= 0 && nowhere >= 0) {
        (void)dup2(nowhere, STDERR_FILENO);
    }
    if (nowhere >= 0) {
        (void)close(nowhere);
    }
    return kept;
}

void system_stderr_restore(int kept)
{
    if (kept >= 0) {
        (void)dup2(kept, STDERR_FILENO);
        (void)close(kept);
    }
}

bool system_has_debugger(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    int tracer = 0;
    while (status != NULL && tracer == 0 && fgets(line, sizeof(line), status) != NULL) {
        if (sscanf(line, "TracerPid: %d", &tracer) == 1) {
            break;
        }
    }
    if (status != NULL) {
        fclose(status);
    }
    return tracer != 0;
}

void system_stop_in_debugger(void)
{
    (void)raise(SIGTRAP);
}
