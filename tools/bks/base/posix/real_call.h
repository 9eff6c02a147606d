// SPDX-License-Identifier: MIT

/// @file real_call.h Functions of the C library that this program defines in its place, and calls
/// all the same.

#ifndef BKS_TOOL_REAL_CALL_H
#define BKS_TOOL_REAL_CALL_H

#include <features.h> // defines __GLIBC__

#if defined(__has_feature)
#define BKS_HAS_FEATURE(name) __has_feature(name)
#else
#define BKS_HAS_FEATURE(name) 0
#endif

// Some sanitizers need the calls of threads for themselves.
#if defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) && !BKS_HAS_FEATURE(address_sanitizer) && \
    !BKS_HAS_FEATURE(thread_sanitizer) && !BKS_HAS_FEATURE(memory_sanitizer)
#define BKS_DEFINES_THREAD_CALLS 1
#else
#define BKS_DEFINES_THREAD_CALLS 0
#endif

/// A function of the C library that this program defines, too. Start from {name}.
typedef struct real_call {
    const char *name;
    void *volatile found; ///< the C library's function, NULL: not looked for yet
} real_call;

/// Declare a pointer `real` to the C library's own function of a name.
#define DECLARE_REAL(function)                         \
    static real_call found_call = {.name = #function}; \
    __typeof__(&function) real;                        \
    real_call_find(&found_call, &real)

/// Find the C library's own function.
/// @param out  pointer to a function pointer
void real_call_find(real_call *call, void *out);

/// Call the system itself.
/// @return its answer, -1 with errno set if it refuses
long real_syscall(long number, long a, long b, long c, long d);

#endif
