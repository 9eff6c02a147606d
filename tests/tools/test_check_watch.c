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
#include <sys/syscall.h>
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
typedef struct target {
    uint8_t before[144]; ///< fxsave puts xmm0 behind 160 bytes, to words[2] and words[3]
    volatile uint64_t words[8];
    uint8_t behind[4096 - 144 - 64];
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

/// Store 512 bytes of registers at once, and then once more with another xmm7. The fault that the
/// page raises may be at any of the bytes.
static void store_registers(target *at)
{
    const wide value = {0, 9};
    __asm__ volatile("movdqu %1, %%xmm0\n\t"
                     "xorps %%xmm7, %%xmm7\n\t"
                     "fxsave64 %0\n\t"
                     "movdqu %1, %%xmm7\n\t"
                     "fxsave64 %0"
                     : "+m"(*(volatile uint8_t(*)[512])at)
                     : "m"(value)
                     : "xmm0", "xmm7");
}

/// Store a part of the vector alone.
static void store_masked(target *at)
{
    const wide mask = {0, UINT64_MAX};
    const wide value = {9, 9};
    __asm__ volatile("movdqu %0, %%xmm0\n\tmovdqu %1, %%xmm1\n\tmaskmovdqu %%xmm1, %%xmm0"
                     :
                     : "m"(value), "m"(mask), "D"(&at->words[2])
                     : "xmm0", "xmm1", "memory");
}

/// Let the system write 7 to words[3], after a store of something else.
static void read_over_a_store(target *at)
{
    int ends[2];
    const uint64_t sent = 7;
    at->words[3] = 5;
    if (pipe(ends) != 0 || write(ends[1], &sent, sizeof(sent)) != (ssize_t)sizeof(sent) ||
        read(ends[0], (void *)(uintptr_t)&at->words[3], sizeof(sent)) != (ssize_t)sizeof(sent)) {
        at->words[2] = 1;
    }
}

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
    (void)number;
    signals++;
}

/// Let the system write the mask of blocked signals to words[3], and send the one that waits.
static void unblock_a_signal(target *at)
{
    (void)signal(SIGUSR1, count_signal);
    sigset_t blocked;
    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &blocked, NULL);
    (void)raise(SIGUSR1);
    (void)sigemptyset(&blocked);
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, &at->words[3], sizeof(uint64_t));
    at->words[4] = (uint64_t)signals + 1;
}

/// Read that a thread makes into the page.
typedef struct page_read {
    target *at;
    int ends[2];
    bool is_good;
} page_read;

static void *read_when_told(void *context)
{
    page_read *r = context;
    r->is_good = read(r->ends[0], (void *)(uintptr_t)&r->at->words[5], 8) == 8;
    return NULL;
}

/// Let the system write to the page for two threads, of which one waits for the other.
static void read_in_two_threads(target *at)
{
    static const uint64_t sent = 7, wait_ns = 20000000;
    page_read first = {.at = at};
    page_read second = {.at = at};
    pthread_t thread;
    if (pipe(first.ends) != 0 || pipe(second.ends) != 0 || write(first.ends[1], &sent, 8) != 8 ||
        pthread_create(&thread, NULL, read_when_told, &second) != 0) {
        return;
    }
    tool_sleep_ns(wait_ns);
    (void)read_when_told(&first);
    const bool is_told = write(second.ends[1], &sent, 8) == 8;
    (void)pthread_join(thread, NULL);
    at->words[3] = is_told && first.is_good && second.is_good ? 1 : 2;
}

static void *read_the_watched(void *context)
{
    page_read *r = context;
    r->is_good = read(r->ends[0], (void *)(uintptr_t)&r->at->words[3], 8) == 8;
    return NULL;
}

/// Let the system write to words[3] for a thread, while the first one makes calls that write
/// nothing.
static void read_beside_other_calls(target *at)
{
    enum { CALLS = 300 };
    static const uint64_t sent = 7;
    page_read reader = {.at = at};
    pthread_t thread;
    if (pipe(reader.ends) != 0 || pthread_create(&thread, NULL, read_the_watched, &reader) != 0) {
        return;
    }
    tool_sleep_ns(look_ns);
    const bool is_told = write(reader.ends[1], &sent, 8) == 8;
    for (int i = 0; i < CALLS; i++) {
        (void)syscall(SYS_getppid);
    }
    (void)pthread_join(thread, NULL);
    at->words[2] = is_told && reader.is_good ? 0 : 1;
}

static void *store_when_told(void *context)
{
    target *at = context;
    while (at->words[6] == 0) {
        tool_sleep_ns(look_ns);
    }
    at->words[4] = 2;
    return NULL;
}

static void store_in_two_threads(target *at)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, store_when_told, at) == 0) {
        tool_sleep_ns(look_ns);
        at->words[4] = 1;
        at->words[6] = 1;
        (void)pthread_join(thread, NULL);
    }
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

/// Number of writes to other values to count as made before a watch begins.
static uint32_t others_before;

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
    volatile bool *may_store = (volatile bool *)(void *)&at[1];
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
                         .hits = hits,
                         .other_hits = others_before};
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

static void assert_written(check_watch_way way, store_function *store, uint32_t writes,
                           uint64_t left)
{
    int status = 0;
    code_line line = {0};
    const check_watch watch = watch_a_store(way, 0, store, &status, &line);
    if (way == CHECK_WATCH_REGISTERS && way_found("") != (int)way) {
        skip(); // this machine's hardware watchpoints do not fire
    }
    assert_int_equal(watch.section_caught, 1);
    assert_int_equal(watch.writes.of[0].count, writes);
    assert_int_equal(watch.writes.of[0].bits[writes - 1], left);
    assert_int_equal(watch.left[0], left);
    assert_int_equal(WEXITSTATUS(status), 1);
}

static void a_store_is_seen_wherever_on_the_page_it_faults(void **state)
{
    (void)state;
    assert_written(CHECK_WATCH_PAGE, store_registers, 2, 9);
    assert_written(CHECK_WATCH_PAGE, store_masked, 1, 9);
}

static void a_system_call_is_seen_and_writes_what_it_writes_unwatched(void **state)
{
    (void)state;
    assert_written(CHECK_WATCH_PAGE, read_over_a_store, 2, 7);
}

static void a_system_call_is_seen_beside_hardware_watchpoints(void **state)
{
    (void)state;
    assert_written(CHECK_WATCH_REGISTERS, read_over_a_store, 2, 7);
}

static void a_system_call_of_a_thread_is_not_taken_for_one_of_another(void **state)
{
    (void)state;
    if (way_found("") != (int)CHECK_WATCH_REGISTERS) {
        skip(); // this machine's hardware watchpoints do not fire
    }
    for (int i = 0; i < 12; i++) {
        int status = 0;
        code_line line = {0};
        const check_watch watch =
            watch_a_store(CHECK_WATCH_REGISTERS, 0, read_beside_other_calls, &status, &line);
        assert_int_equal(watch.writes.of[0].count, 1);
        assert_true(watch.has_threads);
    }
}

static void a_signal_comes_though_the_page_is_closed_after_a_call(void **state)
{
    (void)state;
    int status = 0;
    code_line line = {0};
    const check_watch watch = watch_a_store(CHECK_WATCH_PAGE, 0, unblock_a_signal, &status, &line);
    assert_int_equal(watch.left[0], UINT64_C(1) << (SIGUSR1 - 1));
    assert_int_equal(watch.left[1], 2);
}

static void the_page_stays_open_for_all_calls_that_may_write_to_it(void **state)
{
    (void)state;
    int status = 0;
    code_line line = {0};
    const check_watch watch =
        watch_a_store(CHECK_WATCH_PAGE, 0, read_in_two_threads, &status, &line);
    assert_int_equal(watch.left[0], 1);
}

static void after_too_many_other_writes_no_thread_notes_them(void **state)
{
    (void)state;
    int status = 0;
    code_line line = {0};
    others_before = CHECK_WATCH_OTHER_HITS_MAX - 1;
    const check_watch watch =
        watch_a_store(CHECK_WATCH_REGISTERS, 0, store_in_two_threads, &status, &line);
    others_before = 0;
    if (watch.section_caught == 0) {
        skip(); // this machine's hardware watchpoints do not fire
    }
    assert_int_equal(watch.writes.of[1].count, 1);
    assert_int_equal(watch.writes.of[1].bits[0], 1);
}

// Assert what is said of the first value if its value at the mark is another than that seen.
static void assert_foreign(store_function *store, uint64_t seen)
{
    int status = 0;
    code_line line = {0};
    check_writes writes;
    watched_marks marks = {.is_known = true, .after = {seen}};
    check_watch watch = watch_a_store(CHECK_WATCH_PAGE, 0, store, &status, &line);
    watch.marks = &marks;
    check_watch_writes(&watch, 1, &writes);
    assert_false(writes.is_unknown);
    marks.after[0] = seen + 1;
    check_watch_writes(&watch, 1, &writes);
    assert_true(writes.is_unknown);
    check_watch_name(&watch, 0, 1, &line);
    assert_string_equal(line.why, CHECK_WATCH_FOREIGN);
    assert_string_equal(line.line, "");
}

static void a_value_at_the_mark_that_no_write_left_has_no_line(void **state)
{
    (void)state;
    assert_foreign(store_watched, 7);
    assert_foreign(store_beside, 0);
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
        cmocka_unit_test(a_store_is_seen_wherever_on_the_page_it_faults),
        cmocka_unit_test(a_system_call_is_seen_and_writes_what_it_writes_unwatched),
        cmocka_unit_test(a_system_call_is_seen_beside_hardware_watchpoints),
        cmocka_unit_test(a_system_call_of_a_thread_is_not_taken_for_one_of_another),
        cmocka_unit_test(a_signal_comes_though_the_page_is_closed_after_a_call),
        cmocka_unit_test(the_page_stays_open_for_all_calls_that_may_write_to_it),
        cmocka_unit_test(after_too_many_other_writes_no_thread_notes_them),
        cmocka_unit_test(a_value_at_the_mark_that_no_write_left_has_no_line),
        cmocka_unit_test(writes_beside_the_watched_bytes_are_none_of_them),
        cmocka_unit_test(writes_to_two_values_are_seen_in_their_order),
        cmocka_unit_test(writes_to_two_values_of_a_page_are_seen_in_their_order),
        cmocka_unit_test(one_store_may_write_two_values_of_a_page),
        cmocka_unit_test(too_many_writes_are_said_and_the_process_runs_on),
        cmocka_unit_test(a_machine_whose_watchpoints_never_fire_uses_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
