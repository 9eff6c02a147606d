// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/check_watch.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/tool.h"
#include "diagnose/processes/watch_page.h"
#include "diagnose/processes/watch_way.h"

enum { ROUNDS = 200, LOOKS_MAX = 20000, STORES = 50 };

static const uint64_t look_ns = 100000;

/// What the child counts; the parent sees it.
typedef struct shared {
    volatile uint64_t begun;
    volatile bool may_begin;
} shared;

static void *pass_by(void *context)
{
    return context;
}

static void begin_threads(shared *counted)
{
    pthread_attr_t detached;
    (void)pthread_attr_init(&detached);
    (void)pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    while (!counted->may_begin) {
        tool_sleep_ns(look_ns);
    }
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, &detached, pass_by, NULL) == 0) {
            counted->begun++;
        }
    }
}

static pid_t begin_child(shared *counted)
{
    const pid_t child = fork();
    if (child == 0) {
        begin_threads(counted);
    }
    return child;
}

static bool runs_on(const shared *counted)
{
    const uint64_t before = counted->begun;
    for (int i = 0; i < LOOKS_MAX && counted->begun == before; i++) {
        tool_sleep_ns(look_ns);
    }
    return counted->begun != before;
}

static void a_process_that_begins_threads_is_watched_and_runs_on(void **state)
{
    (void)state;
    shared *counted =
        mmap(NULL, sizeof(*counted), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(counted, MAP_FAILED);
    const pid_t child = begin_child(counted);
    assert_true(child > 0);
    check_watch watch = {.process = child};
    code_line why = {0};
    if (!check_watch_begin(&watch, &why)) {
        (void)kill(child, SIGKILL);
        skip(); // this system lets no program trace its children
    }
    check_watch_end(&watch);
    counted->may_begin = true;
    for (int i = 0; i < ROUNDS; i++) {
        watch = (check_watch){.process = child};
        assert_true(runs_on(counted));
        if (!check_watch_begin(&watch, &why)) {
            fail_msg("round %d: %s", i, why.why);
        }
        check_watch_end(&watch);
    }
    assert_true(runs_on(counted));
    (void)kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)munmap(counted, sizeof(*counted));
}

/// Bytes that the child stores to. Nothing else lies in their page.
typedef union target {
    volatile uint64_t words[8];
    uint8_t page[4096];
} target;

/// Vector that one instruction stores as a whole.
typedef uint64_t wide __attribute__((vector_size(16), aligned(16)));

/// Function that the child runs while it is watched.
typedef void store_function(target *at);

static void store_watched(target *at)
{
    at->words[3] = 7;
}

static void store_the_same(target *at)
{
    at->words[3] = 0;
}

static void store_beside(target *at)
{
    at->words[2] = 7;
    at->words[5] = 7;
}

static void store_wide(target *at)
{
    *(volatile wide *)(void *)(uintptr_t)&at->words[2] = (wide){0};
}

/// Store what was there to both watched words by one instruction.
static void store_both(target *at)
{
    __asm__ volatile("xorps %%xmm0, %%xmm0\n\tmovups %%xmm0, %0"
                     : "=m"(*(volatile uint8_t(*)[16]) & at->words[3])
                     :
                     : "xmm0");
}

static void store_often(target *at)
{
    for (uint64_t i = 0; i < STORES; i++) {
        at->words[5] = i;
    }
}

static void store_in_turn(target *at)
{
    at->words[4] = 1;
    at->words[3] = 2;
    at->words[4] = 3;
}

static void add_nothing(target *at)
{
    __asm__ volatile("lock addq $0, %0" : "+m"(at->words[3]));
}

static uint32_t only_section(void *context)
{
    (void)context;
    return 1;
}

static void be_the_child(target *at, const volatile bool *may_store, store_function *store)
{
    while (!*may_store) {
        tool_sleep_ns(look_ns);
    }
    store(at);
    check_watch_stand();
    _exit(at->words[3] == 0 && at->words[2] == 0 ? 0 : 1);
}

/// Watch a child that stores, and let it end.
/// @param hits        number of writes to count as made before the watch begins
/// @param out_status  receives the child's exit status, 0 if the words that are watched and before
///                    are still 0
static check_watch watch_a_store(check_watch_way way, uint32_t hits, store_function *store,
                                 int *out_status, code_line *out)
{
    target *at =
        mmap(NULL, sizeof(*at) * 2, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(at, MAP_FAILED);
    volatile bool *may_store = (volatile bool *)at[1].page;
    const pid_t child = fork();
    if (child == 0) {
        be_the_child(at, may_store, store);
    }
    check_watch watch = {.process = child,
                         .watched = {{(uint64_t)(uintptr_t)&at->words[3], 8},
                                     {(uint64_t)(uintptr_t)&at->words[4], 8}},
                         .way = way,
                         .gate = watch_page_gate(),
                         .section = only_section,
                         .hits = hits};
    if (!check_watch_begin(&watch, out)) {
        (void)kill(child, SIGKILL);
        skip(); // this system lets no program trace its children
    }
    *may_store = true;
    assert_true(check_watch_wait(&watch));
    if (watch.section_caught == 0) {
        check_watch_name(&watch, 0, 1, out);
    }
    check_watch_end(&watch);
    assert_int_equal(waitpid(child, out_status, 0), child);
    (void)munmap(at, sizeof(*at) * 2);
    return watch;
}

static void a_protected_page_shows_a_write(void **state)
{
    (void)state;
    int status = 0;
    code_line line = {0};
    assert_int_equal(
        watch_a_store(CHECK_WATCH_PAGE, 0, store_watched, &status, &line).section_caught, 1);
    assert_int_equal(status, 1 << 8);
}

static void a_write_of_the_same_value_is_a_write(void **state)
{
    (void)state;
    store_function *const stores[] = {store_the_same, store_wide, add_nothing};
    for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
        int status = 0;
        code_line line = {0};
        assert_int_equal(
            watch_a_store(CHECK_WATCH_PAGE, 0, stores[i], &status, &line).section_caught, 1);
        assert_int_equal(status, 0);
    }
}

static void writes_beside_the_watched_bytes_are_none_of_them(void **state)
{
    (void)state;
    int status = 0;
    code_line line = {0};
    assert_int_equal(
        watch_a_store(CHECK_WATCH_PAGE, 0, store_beside, &status, &line).section_caught, 0);
    assert_string_equal(line.why, CHECK_WATCH_UNWRITTEN);
    assert_int_equal(status, 1 << 8);
}

static void too_many_writes_are_said_and_the_process_runs_on(void **state)
{
    (void)state;
    int status = 1;
    code_line line = {0};
    (void)watch_a_store(CHECK_WATCH_PAGE, CHECK_WATCH_STORES_MAX - STORES / 2, store_often, &status,
                        &line);
    assert_string_equal(line.why,
                        "its page was written 50000 times in the tick, too often to watch");
    assert_int_equal(status, 0);
}

static void assert_order_is_seen(check_watch_way way)
{
    int status = 0;
    code_line line = {0};
    check_writes writes;
    const check_watch watch = watch_a_store(way, 0, store_in_turn, &status, &line);
    if (watch.section_caught == 0) {
        skip(); // this machine's hardware watchpoints do not fire
    }
    check_watch_writes(&watch, 1, &writes);
    assert_false(writes.is_unknown);
    assert_int_equal(writes.of[0].count, 1);
    assert_int_equal(writes.of[0].at[0], 2);
    assert_int_equal(writes.of[0].bits[0], 2);
    assert_int_equal(writes.of[1].count, 2);
    assert_int_equal(writes.of[1].at[1], 3);
    assert_int_equal(writes.of[1].bits[0], 1);
    assert_int_equal(writes.of[1].bits[1], 3);
    check_watch_writes(&watch, 2, &writes);
    assert_int_equal(writes.stores, 0); // another section has none
}

static void writes_to_two_values_are_seen_in_their_order(void **state)
{
    (void)state;
    assert_order_is_seen(CHECK_WATCH_REGISTERS);
}

static void writes_to_two_values_of_a_page_are_seen_in_their_order(void **state)
{
    (void)state;
    assert_order_is_seen(CHECK_WATCH_PAGE);
}

static void one_store_may_write_two_values_of_a_page(void **state)
{
    (void)state;
    int status = 0;
    code_line line = {0};
    check_writes writes;
    const check_watch watch = watch_a_store(CHECK_WATCH_PAGE, 0, store_both, &status, &line);
    check_watch_writes(&watch, 1, &writes);
    assert_int_equal(writes.stores, 1);
    assert_int_equal(writes.of[0].count, 1);
    assert_int_equal(writes.of[1].count, 1);
    assert_int_equal(status, 0);
}

// Return the way that watch_way_find() finds in a new child, because a process keeps its first
// answer.
static int way_found(const char *pretended)
{
    int status = 0;
    (void)setenv(WATCH_WAY_VARIABLE, pretended, 1);
    const pid_t child = fork();
    if (child == 0) {
        code_line line = {0};
        const check_watch_way way = watch_way_find(&line);
        const bool is_said = (way == CHECK_WATCH_NONE) == (line.why[0] != '\0');
        _exit(is_said ? (int)way : 99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
}

static void a_machine_whose_watchpoints_never_fire_uses_the_page(void **state)
{
    (void)state;
    const int best = way_found("");
    if (best == CHECK_WATCH_NONE) {
        skip(); // this machine cannot watch bytes
    }
    assert_true(best == CHECK_WATCH_REGISTERS || best == CHECK_WATCH_PAGE);
    assert_int_equal(way_found("page"), CHECK_WATCH_PAGE);
    assert_int_equal(way_found("none"), CHECK_WATCH_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_begins_threads_is_watched_and_runs_on),
        cmocka_unit_test(a_protected_page_shows_a_write),
        cmocka_unit_test(a_write_of_the_same_value_is_a_write),
        cmocka_unit_test(writes_beside_the_watched_bytes_are_none_of_them),
        cmocka_unit_test(writes_to_two_values_are_seen_in_their_order),
        cmocka_unit_test(writes_to_two_values_of_a_page_are_seen_in_their_order),
        cmocka_unit_test(one_store_may_write_two_values_of_a_page),
        cmocka_unit_test(too_many_writes_are_said_and_the_process_runs_on),
        cmocka_unit_test(a_machine_whose_watchpoints_never_fire_uses_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
