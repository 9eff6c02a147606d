// SPDX-License-Identifier: MIT

#define _GNU_SOURCE // makes the headers of the system declare getrandom()

#include "match/system.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/report.h"

#define NS_PER_S 1000000000u

uint64_t bksi_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void bksi_sleep_ns(uint64_t duration_ns)
{
    struct timespec duration = {.tv_sec = (time_t)(duration_ns / NS_PER_S),
                                .tv_nsec = (long)(duration_ns % NS_PER_S)};
    nanosleep(&duration, NULL);
}

bool bksi_local_time(struct tm *out)
{
    const time_t now = time(NULL);
    return localtime_r(&now, out) != NULL;
}

intmax_t bksi_process_number(void)
{
    return (intmax_t)getpid();
}

intmax_t bksi_thread_number(void)
{
#if defined(__linux__)
    return (intmax_t)syscall(SYS_gettid);
#else
    return (intmax_t)(uintptr_t)pthread_self();
#endif
}

bks_status bksi_system_random(void *out, size_t count, bks_error *error)
{
    ssize_t got = 0;
    do {
        got = getrandom(out, count, 0);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)count) {
        return bksi_fail(error, BKS_ERR_IO, "match.random", NULL,
                         "the system gives no random numbers: %s", strerror(errno));
    }
    return BKS_OK;
}
