// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/watch_way.h"

#include "base/text.h"

#if defined(__linux__) && defined(__x86_64__)

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tool.h"
#include "diagnose/processes/watch_page.h"

/// LOOKS_MAX: number of times that the test process checks if it may store, about 10 s in all.
enum { LOOKS_MAX = 100000 };

static const uint64_t look_ns = 100000;

/// Memory that this process shares with the test process, which stores to `stored` while it is
/// watched. `stored` has a page of its own, so that no other store touches the watched page.
typedef struct trial {
    _Alignas(4096) volatile uint64_t stored;
    _Alignas(4096) volatile bool may_store;
} trial;

static _Noreturn void store(trial *shared)
{
    for (int i = 0; i < LOOKS_MAX && !shared->may_store; i++) {
        tool_sleep_ns(look_ns);
    }
    shared->stored = 1;
    check_watch_stand();
    _exit(0);
}

static uint32_t only_section(void *context)
{
    (void)context;
    return 1;
}

// Watch the test process while it stores.
// @return true if the store was caught
static bool catches(trial *shared, pid_t process, check_watch_way way, code_line *out)
{
    check_watch watch = {
        .process = process,
        .watched = {{(uint64_t)(uintptr_t)&shared->stored, sizeof(shared->stored)}},
        .way = way,
        .gate = watch_page_gate(),
        .section = only_section};
    if (!check_watch_begin(&watch, out)) {
        return false;
    }
    shared->may_store = true;
    const bool is_caught = check_watch_wait(&watch) && watch.section_caught != 0;
    check_watch_end(&watch);
    return is_caught;
}

// Return true if this machine can watch bytes in a way, by trying it on a new process.
// @param out  receives the reason if no process can be watched in any way
static bool works(check_watch_way way, code_line *out)
{
    trial *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        return false;
    }
    const pid_t process = fork();
    if (process == 0) {
        store(shared);
    }
    const bool is_caught = process > 0 && catches(shared, process, way, out);
    if (process > 0) {
        (void)kill(process, SIGKILL);
        (void)waitpid(process, NULL, 0);
    }
    (void)munmap(shared, sizeof(*shared));
    return is_caught;
}

static check_watch_way find(code_line *out)
{
    const char *pretended = getenv(WATCH_WAY_VARIABLE);
    const bool is_none = pretended != NULL && strcmp(pretended, "none") == 0;
    const bool is_page = pretended != NULL && strcmp(pretended, "page") == 0;
    code_line no_registers = {0}; // dropped, because the page may still work
    code_line refused = {0};
    if (!is_none && !is_page && works(CHECK_WATCH_REGISTERS, &no_registers)) {
        return CHECK_WATCH_REGISTERS;
    }
    if (!is_none && works(CHECK_WATCH_PAGE, &refused)) {
        return CHECK_WATCH_PAGE;
    }
    if (refused.why[0] == '\0') {
        TEXT_SET(refused.why, "this machine cannot name lines: neither a watchpoint nor a "
                              "protected page stops a program here");
    }
    *out = refused;
    return CHECK_WATCH_NONE;
}

#else

static check_watch_way find(code_line *out)
{
    TEXT_SET(out->why, "lines are found on Linux for x86-64 alone");
    return CHECK_WATCH_NONE;
}

#endif

check_watch_way watch_way_find(code_line *out)
{
    static bool is_known;
    static check_watch_way way;
    static code_line why;
    if (!is_known) {
        way = find(&why);
        is_known = true;
    }
    if (way == CHECK_WATCH_NONE) {
        *out = why;
    }
    return way;
}
