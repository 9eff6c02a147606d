// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "check/check_patience.h"

#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock_shift.h"

enum {
    TIMES_MAX = 1000, // as long as the baseline: a variant steps a tick ten times, or under a tool
    LOOK_MS = 50,
    IDLE_LOOKS = 160, // without any processor time: 8 s of looking
};

static const uint64_t floor_ns = UINT64_C(2000000000);
static const uint64_t start_ns = UINT64_C(60000000000);

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec time = {0};
    clock_shift_real(clock, &time); // the game's clocks stand
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

void check_patience_begin(check_patience *patience)
{
    patience->begun_ns = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
}

void check_patience_end(check_patience *patience)
{
    const uint64_t took_ns = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - patience->begun_ns;
    patience->most_ns = took_ns > patience->most_ns ? took_ns : patience->most_ns;
}

static uint64_t time_of(pid_t process)
{
    clockid_t clock;
    return clock_getcpuclockid(process, &clock) == 0 ? nanoseconds(clock) : 0;
}

// Whether it sleeps, rather than waits for a processor.
static bool sleeps(pid_t process)
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
    return name_end == NULL || strncmp(name_end, ") S", 3) == 0;
}

check_wait check_patience_wait(const check_patience *patience, check_allowance allowance,
                               pid_t process, int answers, char *why, size_t capacity)
{
    const uint64_t most_ns =
        TIMES_MAX * patience->most_ns + (allowance == CHECK_FOR_A_START ? start_ns : floor_ns);
    const uint64_t begun_ns = time_of(process);
    uint64_t last_ns = begun_ns;
    uint32_t idle = 0;
    struct pollfd look = {.fd = answers, .events = POLLIN};
    while (poll(&look, 1, LOOK_MS) <= 0) {
        const uint64_t now_ns = time_of(process);
        idle = now_ns == last_ns && sleeps(process) ? idle + 1 : 0;
        last_ns = now_ns;
        if (now_ns > begun_ns + most_ns) {
            (void)snprintf(why, capacity,
                           "its step has not ended after %.1f s of processor time, that of the "
                           "baseline took %.3f ms at most",
                           (double)(now_ns - begun_ns) / 1e9, (double)patience->most_ns / 1e6);
            return CHECK_HANGS;
        }
        if (idle == IDLE_LOOKS) {
            (void)snprintf(why, capacity,
                           "its step waits for something that does not come: %d s without any "
                           "processor time",
                           IDLE_LOOKS * LOOK_MS / 1000);
            return CHECK_HANGS;
        }
    }
    char byte;
    return read(answers, &byte, 1) == 1 ? CHECK_ANSWERED : CHECK_GONE;
}
