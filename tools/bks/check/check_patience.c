// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "check/check_patience.h"

#include <errno.h>
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
};

static const uint64_t second_ns = UINT64_C(1000000000);
static const uint64_t look_ns = LOOK_MS * UINT64_C(1000000);
static const uint64_t more_s[] = {[CHECK_FOR_A_STEP] = 2,
                                  [CHECK_FOR_THE_FIRST] = 10,
                                  [CHECK_FOR_A_START] = 60,
                                  [CHECK_FOR_A_COPY] = 5};

// Of looking, without any processor time.
static const uint64_t idle_s[] = {[CHECK_FOR_A_STEP] = 8,
                                  [CHECK_FOR_THE_FIRST] = 8,
                                  [CHECK_FOR_A_START] = 8,
                                  [CHECK_FOR_A_COPY] = 1};

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

// Whether it sleeps, was stopped or has ended, rather than waits for a processor or a disk.
static bool rests(pid_t process)
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

void check_look_begin(check_look *look, pid_t process, check_allowance allowance, uint64_t most_ns)
{
    const uint64_t begun_ns = time_of(process);
    *look = (check_look){.process = process,
                         .allowed_ns = TIMES_MAX * most_ns + more_s[allowance] * second_ns,
                         .begun_ns = begun_ns,
                         .last_ns = begun_ns,
                         .idle_max_ns = idle_s[allowance] * second_ns,
                         .looked_ns = nanoseconds(CLOCK_MONOTONIC),
                         .most_ns = most_ns};
}

bool check_look_hangs(check_look *look, char *why, size_t capacity)
{
    const uint64_t here_ns = nanoseconds(CLOCK_MONOTONIC);
    if (here_ns < look->looked_ns + look_ns) {
        return false;
    }
    look->looked_ns = here_ns;
    const uint64_t now_ns = time_of(look->process);
    const bool is_idle = now_ns == look->last_ns && rests(look->process);
    look->idle_ns = is_idle ? look->idle_ns + look_ns : 0; // a look that came late counts once
    look->last_ns = now_ns;
    if (now_ns > look->begun_ns + look->allowed_ns) {
        (void)snprintf(why, capacity,
                       "its step has not ended after %.1f s of processor time, the longest of "
                       "the baseline took %.3f ms",
                       (double)(now_ns - look->begun_ns) / 1e9, (double)look->most_ns / 1e6);
        return true;
    }
    if (look->idle_ns >= look->idle_max_ns) {
        (void)snprintf(why, capacity,
                       "its step waits for something that does not come: %u s without any "
                       "processor time",
                       (unsigned)(look->idle_max_ns / second_ns));
        return true;
    }
    return false;
}

check_wait check_patience_wait(const check_patience *patience, check_allowance allowance,
                               pid_t process, int answers, char *why, size_t capacity)
{
    check_look look;
    struct pollfd wanted = {.fd = answers, .events = POLLIN};
    check_look_begin(&look, process, allowance, patience->most_ns);
    while (poll(&wanted, 1, LOOK_MS) <= 0) {
        if (check_look_hangs(&look, why, capacity)) {
            return CHECK_HANGS;
        }
    }
    char byte;
    ssize_t count = 0;
    do { // a game may have a timer whose signals interrupt
        count = read(answers, &byte, 1);
    } while (count < 0 && errno == EINTR);
    return count == 1 ? CHECK_ANSWERED : CHECK_GONE;
}
