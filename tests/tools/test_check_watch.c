// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/check_watch.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/tool.h"

enum { ROUNDS = 200, LOOKS_MAX = 20000 };

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_begins_threads_is_watched_and_runs_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
