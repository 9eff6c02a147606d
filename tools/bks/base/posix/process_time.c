// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/process_time.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock_shift.h"

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec time = {0};
    clock_shift_real(clock, &time); // the game's clocks stand
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
    FILE *file = fopen(path, "re");
    const size_t length = file != NULL ? fread(line, 1, sizeof(line) - 1, file) : 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    const char *name_end = length > 0 ? strrchr(line, ')') : NULL;
    return name_end == NULL ||
           (strncmp(name_end, ") R", 3) != 0 && strncmp(name_end, ") D", 3) != 0);
}
