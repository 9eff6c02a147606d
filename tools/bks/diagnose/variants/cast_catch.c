// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/variants/cast_catch.h"

#ifndef _WIN32
#include <dlfcn.h>
#endif
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/base.h"
#include "base/text.h"

static cast_catch *_Atomic wanted;
static atomic_bool is_of_check;

void cast_catch_begin(cast_catch *out)
{
    atomic_store(&is_of_check, true);
    atomic_store(&wanted, out);
}

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

// A program with sanitizers of its own has this function already.
#if !defined(_WIN32) && !defined(__SANITIZE_ADDRESS__) && !HAS_FEATURE(address_sanitizer) && \
    !HAS_FEATURE(undefined_behavior_sanitizer) && !HAS_FEATURE(thread_sanitizer) &&          \
    !HAS_FEATURE(memory_sanitizer)

/// Description of a type as gcc and clang write it.
typedef struct cast_type {
    uint16_t kind;
    uint16_t info; ///< of a floating-point type its size in bits
    char name[];   ///< name in quotes
} cast_type;

/// Description of a checked conversion as gcc and clang write it.
typedef struct cast_check {
    const char *file;
    uint32_t line;
    uint32_t column;
    const cast_type *from;
    const cast_type *to;
} cast_check;

static void write_number(const cast_type *type, uintptr_t bits, char out[32])
{
    float single = 0;
    double number = 0;
    if (type->info == 8 * sizeof(single)) {
        memcpy(&single, &bits, sizeof(single));
        number = (double)single;
    } else if (type->info == 8 * sizeof(number) && sizeof(bits) == sizeof(number)) {
        memcpy(&number, &bits, sizeof(number));
    } else {
        (void)snprintf(out, 32, "a number"); // `bits` is its address
        return;
    }
    (void)snprintf(out, 32, "%.9g", number);
}

typedef void cast_handler(const cast_check *check, uintptr_t bits);

// Let the compilers' run-time library print the conversion, if the game is linked to it.
static void pass_on(const cast_check *check, uintptr_t bits)
{
    cast_handler *real = NULL;
    void *symbol = dlsym(RTLD_NEXT, "__ubsan_handle_float_cast_overflow");
    _Static_assert(sizeof(real) == sizeof(symbol), "as POSIX says");
    memcpy(&real, &symbol, sizeof(real));
    if (real != NULL) {
        real(check, bits);
    }
}

// The name is that of the run-time library's function. A game calls this one even if it is linked
// to that library, because the program comes first.
BKS_API cast_handler __ubsan_handle_float_cast_overflow;

BKS_API void __ubsan_handle_float_cast_overflow(const cast_check *check, uintptr_t bits)
{
    cast_catch *out = atomic_exchange(&wanted, NULL);
    char number[32];
    if (!atomic_load(&is_of_check)) {
        pass_on(check, bits);
    }
    if (out == NULL) {
        return;
    }
    write_number(check->from, bits, number);
    TEXT_SET(out->text, "%s is converted to %.40s", number, check->to->name);
    out->address = (const uint8_t *)__builtin_return_address(0) - 1;
}

#endif
