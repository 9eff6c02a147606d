// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/altered_system.h"

#include <stddef.h>

#ifdef __GLIBC__

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK_BYTES = 8 << 20 };

static struct {
    uint8_t *begin;
    size_t bytes;
    void (*function)(void *context);
    void *context;
    ucontext_t back;
    ucontext_t there;
} other;

bool other_stack_make(uint64_t end)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const uintptr_t top = ((uintptr_t)end + page - 1) / page * page;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    if (end > UINTPTR_MAX - page || end < (uint64_t)2 * STACK_BYTES) {
        return false;
    }
    void *wanted = (void *)(top - STACK_BYTES);
    void *at = mmap(wanted, STACK_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (at == MAP_FAILED || at != wanted) { // an old kernel may choose another address
        return false;
    }
    other.begin = at;
    other.bytes = (size_t)((uintptr_t)end - (uintptr_t)at);
    return true;
}

static void run(void)
{
    other.function(other.context);
}

void other_stack_call(void (*function)(void *context), void *context)
{
    other.function = function;
    other.context = context;
    // Get the context at each call, because it includes the rounding mode.
    (void)getcontext(&other.there);
    other.there.uc_stack = (stack_t){.ss_sp = other.begin, .ss_size = other.bytes};
    other.there.uc_link = &other.back;
    makecontext(&other.there, run, 0);
    (void)swapcontext(&other.back, &other.there);
}

#else

bool other_stack_make(uint64_t end)
{
    (void)end;
    return false;
}

void other_stack_call(void (*function)(void *context), void *context)
{
    function(context);
}

#endif
