// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/altered_system.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "backstitch/base.h"
#include "base/posix/real_call.h"

enum { ENTROPY_MAX = 256 };

static const uint64_t step = 0x9E3779B97F4A7C15; // increment of splitmix64

static bool is_fixed;
static _Atomic uint64_t next;
static bool is_answered;
static uint64_t answer; // number with which every request for random bytes is answered

void random_fix_begin(uint64_t seed)
{
    atomic_store(&next, seed * step * step);
    is_fixed = true;
}

void random_fix_answer(uint64_t number)
{
    answer = number;
    is_answered = true;
    is_fixed = true;
}

static uint64_t draw(void)
{
    if (is_answered) {
        return answer;
    }
    uint64_t number = atomic_fetch_add(&next, step) + step;
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9;
    number = (number ^ number >> 27) * 0x94D049BB133111EB;
    return number ^ number >> 31;
}

// Fill a buffer with random bytes.
// @return number of bytes filled, or -1 with errno set
static ssize_t fill(void *out, size_t count, unsigned flags)
{
    uint8_t *bytes = out;
    if (!is_fixed) {
        return (ssize_t)real_syscall(SYS_getrandom, (long)(uintptr_t)out, (long)count, (long)flags,
                                     0);
    }
    for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
        const uint64_t number = draw();
        for (size_t k = 0; k < sizeof(number) && i + k < count; k++) {
            bytes[i + k] = (uint8_t)(number >> 8 * k);
        }
    }
    return (ssize_t)count;
}

// Fill the whole buffer: the system may interrupt a long request.
static bool fill_all(void *out, size_t count)
{
    uint8_t *bytes = out;
    while (count > 0) {
        const ssize_t filled = fill(bytes, count, 0);
        if (filled < 0 && errno != EINTR) {
            return false;
        }
        bytes += filled > 0 ? filled : 0;
        count -= filled > 0 ? (size_t)filled : 0;
    }
    return true;
}

BKS_API ssize_t getrandom(void *out, size_t count, unsigned flags)
{
    return fill(out, count, flags);
}

BKS_API int getentropy(void *out, size_t count)
{
    if (count > ENTROPY_MAX) {
        errno = EIO;
        return -1;
    }
    return fill_all(out, count) ? 0 : -1;
}

#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 36) // glibc before 2.36 has no arc4random()

// The arc4random functions cannot report an error.
BKS_API void arc4random_buf(void *out, size_t count)
{
    if (!fill_all(out, count)) {
        abort();
    }
}

BKS_API uint32_t arc4random(void)
{
    uint32_t number = 0;
    arc4random_buf(&number, sizeof(number));
    return number;
}

BKS_API uint32_t arc4random_uniform(uint32_t bound)
{
    const uint32_t rest = bound > 0 ? (UINT32_MAX - bound + 1) % bound : 0;
    uint32_t number = arc4random();
    while (number < rest && !is_answered) { // draw again, so that each result is equally likely
        number = arc4random();
    }
    return bound > 0 ? number % bound : 0;
}

#endif
#endif
