// SPDX-License-Identifier: MIT

#include "diagnose/processes/check_timeout.h"

#include <stdio.h>

#include "base/process.h"

enum {
    // Allowed processor time of a variant's tick, as a multiple of the baseline's longest tick: a
    // variant may step a tick ten times, or run under valgrind.
    TIMES_MAX = 1000,
    LOOK_MS = 50,
};

static const uint64_t second_ns = UINT64_C(1000000000);
static const uint64_t look_ns = LOOK_MS * UINT64_C(1000000);
static const uint64_t more_s[] = {[CHECK_FOR_A_STEP] = 2,
                                  [CHECK_FOR_THE_FIRST] = 10,
                                  [CHECK_FOR_A_START] = 60,
                                  [CHECK_FOR_A_COPY] = 5};

// Seconds without any processor time after which a process counts as hanging.
static const uint64_t idle_s[] = {[CHECK_FOR_A_STEP] = 8,
                                  [CHECK_FOR_THE_FIRST] = 8,
                                  [CHECK_FOR_A_START] = 8,
                                  [CHECK_FOR_A_COPY] = 1};

void check_timeout_begin(check_timeout *timeout)
{
    timeout->begun_ns = process_time_own_ns();
}

void check_timeout_end(check_timeout *timeout)
{
    const uint64_t took_ns = process_time_own_ns() - timeout->begun_ns;
    timeout->most_ns = took_ns > timeout->most_ns ? took_ns : timeout->most_ns;
}

void check_observer_begin(check_observer *observer, pid_t process, check_allowance allowance,
                          uint64_t most_ns)
{
    const uint64_t begun_ns = process_time_ns(process);
    *observer = (check_observer){.process = process,
                                 .allowed_ns = TIMES_MAX * most_ns + more_s[allowance] * second_ns,
                                 .begun_ns = begun_ns,
                                 .last_ns = begun_ns,
                                 .idle_max_ns = idle_s[allowance] * second_ns,
                                 .looked_ns = process_time_now_ns(),
                                 .most_ns = most_ns};
}

bool check_observer_hangs(check_observer *observer, char *why, size_t capacity)
{
    const uint64_t here_ns = process_time_now_ns();
    if (here_ns < observer->looked_ns + look_ns) {
        return false;
    }
    observer->looked_ns = here_ns;
    const uint64_t now_ns = process_time_ns(observer->process);
    const bool is_idle = now_ns == observer->last_ns && process_time_rests(observer->process);
    // If the process is idle, add one interval to its idle time, even if more time has passed since
    // the last check.
    observer->idle_ns = is_idle ? observer->idle_ns + look_ns : 0;
    observer->last_ns = now_ns;
    if (now_ns > observer->begun_ns + observer->allowed_ns) {
        (void)snprintf(why, capacity,
                       "its step has not ended after %.1f s of processor time, the longest of "
                       "the baseline took %.3f ms",
                       (double)(now_ns - observer->begun_ns) / 1e9,
                       (double)observer->most_ns / 1e6);
        return true;
    }
    // If the processor time of other processes cannot be read, allow as much clock time as
    // processor time.
    const bool is_known = now_ns > 0;
    const bool is_longer = observer->allowed_ns > observer->idle_max_ns;
    const uint64_t most_ns = !is_known && is_longer ? observer->allowed_ns : observer->idle_max_ns;
    if (observer->idle_ns < most_ns) {
        return false;
    }
    const unsigned seconds = (unsigned)(most_ns / second_ns);
    (void)snprintf(why, capacity,
                   is_known ? "its step waits for something that does not come: %u s without any "
                              "processor time"
                            : "its step has not ended after %u s",
                   seconds);
    return true;
}

check_wait check_timeout_await(const check_timeout *timeout, check_allowance allowance,
                               pid_t process, const check_pipe *pipe, char *why, size_t capacity)
{
    check_observer observer;
    check_observer_begin(&observer, process, allowance, timeout->most_ns);
    for (;;) {
        const check_wait heard = check_pipe_await(pipe, process, LOOK_MS);
        if (heard != CHECK_HANGS) {
            return heard;
        }
        if (check_observer_hangs(&observer, why, capacity)) {
            return CHECK_HANGS;
        }
    }
}
