// SPDX-License-Identifier: MIT

#include "diagnose/processes/check_patience.h"

#include <stdio.h>

#include "base/process.h"

enum {
    TIMES_MAX = 1000, // times the baseline: a variant steps a tick ten times, or under valgrind
    LOOK_MS = 50,
};

static const uint64_t second_ns = UINT64_C(1000000000);
static const uint64_t look_ns = LOOK_MS * UINT64_C(1000000);
static const uint64_t more_s[] = {[CHECK_FOR_A_STEP] = 2,
                                  [CHECK_FOR_THE_FIRST] = 10,
                                  [CHECK_FOR_A_START] = 60,
                                  [CHECK_FOR_A_COPY] = 5};

// Seconds without any processor time after which a process hangs.
static const uint64_t idle_s[] = {[CHECK_FOR_A_STEP] = 8,
                                  [CHECK_FOR_THE_FIRST] = 8,
                                  [CHECK_FOR_A_START] = 8,
                                  [CHECK_FOR_A_COPY] = 1};

void check_patience_begin(check_patience *patience)
{
    patience->begun_ns = process_time_own_ns();
}

void check_patience_end(check_patience *patience)
{
    const uint64_t took_ns = process_time_own_ns() - patience->begun_ns;
    patience->most_ns = took_ns > patience->most_ns ? took_ns : patience->most_ns;
}

void check_look_begin(check_look *look, pid_t process, check_allowance allowance, uint64_t most_ns)
{
    const uint64_t begun_ns = process_time_ns(process);
    *look = (check_look){.process = process,
                         .allowed_ns = TIMES_MAX * most_ns + more_s[allowance] * second_ns,
                         .begun_ns = begun_ns,
                         .last_ns = begun_ns,
                         .idle_max_ns = idle_s[allowance] * second_ns,
                         .looked_ns = process_time_now_ns(),
                         .most_ns = most_ns};
}

bool check_look_hangs(check_look *look, char *why, size_t capacity)
{
    const uint64_t here_ns = process_time_now_ns();
    if (here_ns < look->looked_ns + look_ns) {
        return false;
    }
    look->looked_ns = here_ns;
    const uint64_t now_ns = process_time_ns(look->process);
    const bool is_idle = now_ns == look->last_ns && process_time_rests(look->process);
    look->idle_ns = is_idle ? look->idle_ns + look_ns : 0; // a late look counts as one interval
    look->last_ns = now_ns;
    if (now_ns > look->begun_ns + look->allowed_ns) {
        (void)snprintf(why, capacity,
                       "its step has not ended after %.1f s of processor time, the longest of "
                       "the baseline took %.3f ms",
                       (double)(now_ns - look->begun_ns) / 1e9, (double)look->most_ns / 1e6);
        return true;
    }
    // Wait for the whole allowance if the system does not tell the processor time of other
    // processes.
    const bool is_known = now_ns > 0;
    const bool is_longer = look->allowed_ns > look->idle_max_ns;
    const uint64_t most_ns = !is_known && is_longer ? look->allowed_ns : look->idle_max_ns;
    if (look->idle_ns < most_ns) {
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

check_wait check_patience_wait(const check_patience *patience, check_allowance allowance,
                               pid_t process, const check_talk *talk, char *why, size_t capacity)
{
    check_look look;
    check_look_begin(&look, process, allowance, patience->most_ns);
    for (;;) {
        const check_wait heard = check_talk_hear(talk, process, LOOK_MS);
        if (heard != CHECK_HANGS) {
            return heard;
        }
        if (check_look_hangs(&look, why, capacity)) {
            return CHECK_HANGS;
        }
    }
}
