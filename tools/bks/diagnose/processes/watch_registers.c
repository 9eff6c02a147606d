// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/watch_registers.h"

#if defined(__linux__) && defined(__x86_64__)

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

static bool poke(pid_t thread, int index, uint64_t value)
{
    const size_t at = offsetof(struct user, u_debugreg) + (size_t)index * sizeof(uint64_t);
    return ptrace(PTRACE_POKEUSER, thread, (void *)at, (void *)(uintptr_t)value) == 0;
}

bool watch_registers_set(pid_t thread, const watched_bytes watched[CHECK_WATCHED_MAX])
{
    static const uint64_t lengths[9] = {[1] = 0, [2] = 1, [4] = 3, [8] = 2};
    static const uint64_t enable = 1, writes = UINT64_C(1) << 16, length_shift = 18;
    uint64_t control = 0;
    for (int i = 0; i < CHECK_WATCHED_MAX; i++) {
        const uint32_t bytes = watched[i].bytes;
        control |=
            bytes == 0 ? 0 : enable << 2 * i | (writes | lengths[bytes] << length_shift) << 4 * i;
        if (bytes != 0 && !poke(thread, i, watched[i].address)) {
            return false;
        }
    }
    return poke(thread, 7, control);
}

bool watch_registers_clear(pid_t thread)
{
    return poke(thread, 7, 0);
}

// Return true if a watchpoint has stopped the thread although its bit in the debug status register
// is not set: some virtual machines lose the bit once in some thousand traps. The signal code shows
// it, because a breakpoint instruction, a single step and a sent signal have other codes.
static bool is_unexplained(pid_t thread)
{
    siginfo_t info = {0};
    return ptrace(PTRACE_GETSIGINFO, thread, NULL, &info) == 0 && info.si_code == TRAP_BRKPT;
}

uint32_t watch_registers_take(pid_t thread, bool *out_is_lost)
{
    static const uint32_t all = (1u << CHECK_WATCHED_MAX) - 1;
    const size_t at = offsetof(struct user, u_debugreg) + 6 * sizeof(uint64_t);
    errno = 0;
    const long status = ptrace(PTRACE_PEEKUSER, thread, (void *)at, NULL);
    const bool is_known = errno == 0;
    const uint32_t taken = is_known ? (uint32_t)status & all : 0;
    (void)poke(thread, 6, 0);
    *out_is_lost = is_known && taken == 0 && is_unexplained(thread);
    return taken;
}

#endif
