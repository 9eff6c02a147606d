// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "check/check_seat.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "base/tool.h"

static const char seat_name[] = "BKS_CHECK_SEAT";

enum { ARGUMENTS_MAX = 256, VALGRIND_WORDS = 8 };

check_seat check_seat_read(void)
{
    check_seat seat = {0};
    check_seat read = {0};
    uint32_t role = 0;
    const char *text = getenv(seat_name);
    if (text != NULL && sscanf(text, "%" SCNu32 ":%" SCNu32 ":%d:%d:%d", &role, &read.variant,
                               &read.tape, &read.receives, &read.sends) == 5) {
        seat = read;
        seat.role = role == CHECK_BASELINE ? CHECK_BASELINE
                    : role == CHECK_PLAYS  ? CHECK_PLAYS
                                           : CHECK_VARIES;
    }
    return seat;
}

bool check_seat_fixes_addresses(void)
{
    const int base = personality(0xffffffff);
    const bool can = base >= 0 && personality((unsigned long)base | ADDR_NO_RANDOMIZE) >= 0;
    if (can) {
        (void)personality((unsigned long)base);
    }
    return can;
}

// Say which of the processor's features the C library may use: by them it chooses its mathematics.
// What is allowed is as long as what is not, so that nothing else differs.
static void choose_processor(bool is_lesser)
{
    static const char name[] = "GLIBC_TUNABLES";
    static const char plain[] = "glibc.cpu.hwcaps=-avx2,-fma,-fma4"; // no features, so none is lost
    static const char lesser[] = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4";
    static char text[1024];
    const char *theirs = getenv(name);
    const char *ours = theirs != NULL ? strstr(theirs, plain) : NULL;
    const size_t kept = ours != NULL     ? (size_t)(ours - theirs)
                        : theirs != NULL ? strlen(theirs)
                                         : 0;
    const bool needs_colon = kept > 0 && theirs[kept - 1] != ':';
    const size_t room = sizeof(text) - sizeof(plain) - 1;
    (void)snprintf(text, sizeof(text), "%.*s%s%s", (int)(kept < room ? kept : 0),
                   kept > 0 ? theirs : "", needs_colon ? ":" : "", is_lesser ? lesser : plain);
    (void)setenv(name, text, 1);
}

// Find a program in the folders of PATH.
static bool find_program(const char *name, char *out, size_t capacity)
{
    const char *at = getenv("PATH");
    while (at != NULL && at[0] != '\0') {
        const size_t length = strcspn(at, ":");
        (void)snprintf(out, capacity, "%.*s/%s", (int)length, at, name);
        if (length > 0 && access(out, X_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':' ? 1 : 0);
    }
    return false;
}

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||   \
    HAS_FEATURE(address_sanitizer) || HAS_FEATURE(memory_sanitizer) || \
    HAS_FEATURE(thread_sanitizer)
static const bool is_sanitized = true; // what valgrind cannot run
#else
static const bool is_sanitized = false;
#endif

// Begin a command line with valgrind, where it can be had.
// @param out   receives its path
// @return words taken
static int prepend_valgrind(char **words, char *out, size_t capacity)
{
    // bks has a malloc of its own.
    static char options[][48] = {"valgrind",
                                 "--quiet",
                                 "--tool=memcheck",
                                 "--leak-check=no",
                                 "--track-origins=yes",
                                 "--error-limit=no",
                                 "--soname-synonyms=somalloc=NONE",
                                 "--"};
    _Static_assert(sizeof(options) / sizeof(options[0]) == VALGRIND_WORDS, "all of them");
    if (is_sanitized || !find_program("valgrind", out, capacity)) {
        return 0;
    }
    for (int i = 0; i < VALGRIND_WORDS; i++) {
        words[i] = options[i];
    }
    return VALGRIND_WORDS;
}

bool check_seat_start(const check_seat *seat, char **argv, uint32_t how, child *process)
{
    static char name[] = "bks";
    char *words[VALGRIND_WORDS + ARGUMENTS_MAX + 2] = {0};
    char valgrind[PATH_MAX];
    const int before_name =
        (how & CHECK_WATCHED) != 0 ? prepend_valgrind(words, valgrind, sizeof(valgrind)) : 0;
    words[before_name] = before_name > 0 ? (char *)(uintptr_t)tool_program_path() : name;
    for (int i = 0; i < ARGUMENTS_MAX && argv[i] != NULL; i++) {
        words[before_name + i + 1] = argv[i];
    }
    // As long as any other: what lies behind it on the stack is where it would be.
    char text[64];
    (void)snprintf(text, sizeof(text), "%02d:%02" PRIu32 ":%06d:%06d:%06d", (int)seat->role,
                   seat->variant, seat->tape, seat->receives, seat->sends);
    (void)setenv(seat_name, text, 1);
    choose_processor((how & CHECK_LESSER) != 0);
    const int before = personality(0xffffffff);
    const unsigned long fixed = (unsigned long)ADDR_NO_RANDOMIZE;
    const unsigned long base = before >= 0 ? (unsigned long)before : 0;
    // Where the system does not allow it, addresses differ everywhere; that is no mistake.
    (void)personality((how & CHECK_MOVED) != 0 ? base & ~fixed : base | fixed);
    const bool is_started =
        child_start_program(process, before_name > 0 ? valgrind : tool_program_path(), words);
    (void)personality(base);
    (void)unsetenv(seat_name);
    return is_started;
}
