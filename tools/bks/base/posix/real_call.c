// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/posix/real_call.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void real_call_find(real_call *call, void *out)
{
    // Functions of conditions have several versions: take the one that programs are linked to. Ask
    // for no other function's version: a version that is not there is an error, which allocates.
    static const char versioned[] = "pthread_cond_";
    void *symbol = call->found;
    if (symbol == NULL && strncmp(call->name, versioned, sizeof(versioned) - 1) == 0) {
        symbol = dlvsym(RTLD_NEXT, call->name, "GLIBC_2.3.2");
    }
    symbol = symbol != NULL ? symbol : dlsym(RTLD_NEXT, call->name);
    if (symbol == NULL) {
        abort(); // this cannot happen: the symbol is always in the C library
    }
    call->found = symbol;
    memcpy(out, &symbol, sizeof(symbol));
}

long real_syscall(long number, long a, long b, long c, long d)
{
#if BKS_DEFINES_THREAD_CALLS
    DECLARE_REAL(syscall);
    return real(number, a, b, c, d, 0L, 0L);
#else
    return syscall(number, a, b, c, d, 0L, 0L);
#endif
}
