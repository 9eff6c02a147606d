// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

#include "backstitch/base.h"
#include "base/altered_system.h"
#include "base/posix/real_call.h"

enum {
    LONGEST_US = 400,
    // Limit for all pauses together between two calls of thread_pause_next_stretch().
    STRETCH_US = 2000,
};

static atomic_bool is_on;
static _Atomic uint64_t draws;
static _Atomic uint64_t pauses;
static _Atomic uint32_t slept_us;
static uint64_t pause_seed;

void thread_pause_begin(uint64_t seed)
{
    (void)real_syscall(SYS_gettid, 0, 0, 0, 0); // finds the C library's function
    pause_seed = seed;
    atomic_store(&is_on, true);
}

bool thread_pause_is_on(void)
{
    return atomic_load_explicit(&is_on, memory_order_relaxed);
}

void thread_pause_next_stretch(void)
{
    atomic_store(&slept_us, 0);
}

uint64_t thread_pause_count(void)
{
    return atomic_load(&pauses);
}

// Pause the calling thread: a third of the calls do nothing, a third yield, a third sleep.
void thread_pause(void)
{
    const uint64_t drawn = bks_hash64_pair(pause_seed, atomic_fetch_add(&draws, 1));
    if (drawn % 3 == 0) {
        return;
    }
    atomic_fetch_add(&pauses, 1);
    const uint32_t us = 1 + (uint32_t)(drawn >> 32) % LONGEST_US;
    if (drawn % 3 == 1 || atomic_fetch_add(&slept_us, us) > STRETCH_US) {
        (void)real_syscall(SYS_sched_yield, 0, 0, 0, 0);
        return;
    }
    const struct timespec time = {.tv_nsec = (long)us * 1000};
    (void)real_syscall(SYS_nanosleep, (long)(uintptr_t)&time, 0, 0, 0);
}
