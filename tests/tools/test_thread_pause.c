// SPDX-License-Identifier: MIT

#include "base/altered_system.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { THREADS = 8, ROUNDS = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t count;

static void *add(void *context)
{
    (void)pthread_mutex_lock(&lock);
    count++;
    (void)pthread_mutex_unlock(&lock);
    return context;
}

static void *leave_early(void *context)
{
    pthread_exit(context);
}

static void run_threads(void *(*start)(void *context))
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, start, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, &numbers[i]);
    }
}

// The tests run in this order: what was switched on stays on.

static void no_thread_is_held_up_before_it_is_asked_for(void **state)
{
    (void)state;
    run_threads(add);
    assert_int_equal(thread_pause_count(), 0);
    assert_int_equal(thread_pause_alive(), 0);
}

static void locks_of_a_program_without_threads_do_not_pause(void **state)
{
    (void)state;
    thread_pause_begin(7);
    (void)add(NULL);
    assert_int_equal(thread_pause_count(), 0);
}

static void threads_pause_and_do_all_their_work(void **state)
{
    (void)state;
    count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t before = thread_pause_count();
        thread_pause_next_stretch();
        run_threads(add);
        assert_true(thread_pause_count() > before);
    }
    assert_int_equal(count, ROUNDS * THREADS);
    assert_int_equal(thread_pause_alive(), 0);
}

static void a_thread_that_exits_early_is_counted(void **state)
{
    (void)state;
    run_threads(leave_early);
    assert_int_equal(thread_pause_alive(), 0);
}

int main(void)
{
    if (!thread_pause_works()) {
        print_message("threads cannot be held up in this build\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_thread_is_held_up_before_it_is_asked_for),
        cmocka_unit_test(locks_of_a_program_without_threads_do_not_pause),
        cmocka_unit_test(threads_pause_and_do_all_their_work),
        cmocka_unit_test(a_thread_that_exits_early_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
