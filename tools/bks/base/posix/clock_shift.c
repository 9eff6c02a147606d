// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/altered_system.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "backstitch/base.h"
#include "base/posix/real_call.h"

enum { SECOND_NS = 1000000000, SECOND_US = 1000000, ASKED_MAX = 1000 };

static struct {
    bool stands;
    int64_t stands_us; ///< time that all stopped clocks show, in µs
    uint32_t asked;    ///< number of reads since the clocks stopped
    int64_t creep_us;  ///< µs by which stopped clocks advance at each read; 0: the default
} shift;

typedef int clock_function(clockid_t clock, struct timespec *out);

// Find the C library's own clock_gettime(), which needs no system call.
static clock_function *find_real(void)
{
    static clock_function *volatile found;
    if (found == NULL) {
        void *symbol = dlsym(RTLD_NEXT, "clock_gettime");
        clock_function *function = NULL;
        _Static_assert(sizeof(function) == sizeof(symbol), "as POSIX says");
        __builtin_memcpy(&function, &symbol, sizeof(function));
        found = function;
    }
    return found;
}

static int ask(clockid_t clock, struct timespec *out)
{
    clock_function *real = find_real();
    return real != NULL ? real(clock, out)
                        : (int)real_syscall(SYS_clock_gettime, clock, (long)(uintptr_t)out, 0, 0);
}

void clock_shift_real(clockid_t clock, struct timespec *out)
{
    (void)ask(clock, out);
}

void clock_shift_stand(int64_t us)
{
    shift.stands = true;
    shift.stands_us = us;
    shift.asked = 0;
}

void clock_shift_creep(int64_t us)
{
    shift.creep_us = us;
}

static void apply(clockid_t clock, struct timespec *time)
{
    if (!shift.stands) {
        return;
    }
    shift.asked++;
    shift.stands_us += shift.creep_us > 0 ? shift.creep_us : shift.asked > ASKED_MAX ? 1 : 0;
    const bool is_of_processor =
        clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
    time->tv_sec =
        (time_t)(shift.stands_us / SECOND_US - (is_of_processor ? CLOCK_SHIFT_BEGUN_S : 0));
    time->tv_nsec = (long)(shift.stands_us % SECOND_US * 1000);
}

BKS_API int clock_gettime(clockid_t clock, struct timespec *out)
{
    const int status = ask(clock, out);
    if (status == 0) {
        apply(clock, out);
    }
    return status;
}

BKS_API int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    (void)zone;
    struct timespec now = {0};
    const int status = clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return status;
}

BKS_API time_t time(time_t *out)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL) {
        *out = now.tv_sec;
    }
    return now.tv_sec;
}

BKS_API int timespec_get(struct timespec *out, int base)
{
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, out) == 0 ? base : 0;
}

static clock_t count_of(const struct timespec *time, int64_t a_second)
{
    return (clock_t)((int64_t)time->tv_sec * a_second +
                     (int64_t)time->tv_nsec / (SECOND_NS / a_second));
}

BKS_API clock_t clock(void)
{
    struct timespec now = {0};
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0 ? count_of(&now, CLOCKS_PER_SEC)
                                                              : (clock_t)-1;
}

BKS_API clock_t times(struct tms *out)
{
    const clock_t real = (clock_t)real_syscall(SYS_times, (long)(uintptr_t)out, 0, 0, 0);
    struct timespec now = {0};
    if (!shift.stands) {
        return real;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    const clock_t count = count_of(&now, sysconf(_SC_CLK_TCK));
    if (out != NULL) {
        *out = (struct tms){.tms_utime = count};
    }
    return count;
}
