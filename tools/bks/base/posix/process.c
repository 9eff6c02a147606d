// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/uio.h>
#endif

#include "base/altered_system.h"

static cpu_set_t all;
static cpu_set_t one;

void processors_keep(void)
{
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof(all), &all) != 0) {
        CPU_ZERO(&all);
    }
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
        }
    }
}

bool processors_use(bool is_one, bool others)
{
    const cpu_set_t *wanted = is_one ? &one : &all;
    if (CPU_COUNT(&all) < 2 || sched_setaffinity(0, sizeof(*wanted), wanted) != 0) {
        return false;
    }
    DIR *tasks = others ? opendir("/proc/self/task") : NULL;
    for (const struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
        const long id = strtol(task->d_name, NULL, 10);
        if (id > 0) {
            (void)sched_setaffinity((pid_t)id, sizeof(*wanted), wanted);
        }
    }
    if (tasks != NULL) {
        (void)closedir(tasks);
    }
    return true;
}

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec time = {0};
    // Do not use clock_gettime(): its clocks may be stopped for the game.
    clock_shift_real(clock, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

uint64_t process_time_now_ns(void)
{
    return nanoseconds(CLOCK_MONOTONIC);
}

uint64_t process_time_own_ns(void)
{
    return nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t process_time_ns(pid_t process)
{
    clockid_t clock;
    return clock_getcpuclockid(process, &clock) == 0 ? nanoseconds(clock) : 0;
}

bool process_time_rests(pid_t process)
{
    char path[64];
    char line[512] = "";
    (void)snprintf(path, sizeof(path), "/proc/%ld/stat", (long)process);
    // Do not use fopen(), which allocates: the baseline calls this on a busy machine only, and then
    // its game's blocks would lie elsewhere than the variant's.
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, line, sizeof(line) - 1) : 0;
    if (file >= 0) {
        (void)close(file);
    }
    const char *name_end = length > 0 ? strrchr(line, ')') : NULL;
    return name_end == NULL ||
           (strncmp(name_end, ") R", 3) != 0 && strncmp(name_end, ") D", 3) != 0);
}

size_t process_read(pid_t process, uint64_t address, void *out, size_t bytes)
{
#ifdef __linux__
    const struct iovec to = {.iov_base = out, .iov_len = bytes};
    const struct iovec from = {.iov_base = (void *)(uintptr_t)address, .iov_len = bytes};
    const ssize_t count = process_vm_readv(process, &to, 1, &from, 1, 0);
    return count > 0 ? (size_t)count : 0;
#else
    (void)process;
    (void)address;
    (void)out;
    (void)bytes;
    return 0;
#endif
}

int shared_memory_make(size_t bytes)
{
    const int descriptor = memfd_create("bks-check", 0);
    if (descriptor >= 0 && ftruncate(descriptor, (off_t)bytes) != 0) {
        (void)close(descriptor);
        return -1;
    }
    return descriptor;
}

void *shared_memory_map(int number, size_t bytes)
{
    const int flags = MAP_SHARED | MAP_NORESERVE;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, number, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

bool shared_memory_ready(void *place, size_t bytes)
{
    (void)place, (void)bytes; // the system allocates each page at its first write
    return true;
}

void shared_memory_unmap(void *memory, size_t bytes)
{
    (void)munmap(memory, bytes);
}

bool shared_memory_is_open(int number)
{
    return fcntl(number, F_GETFD) >= 0;
}

void shared_memory_close(int number)
{
    (void)close(number);
}
