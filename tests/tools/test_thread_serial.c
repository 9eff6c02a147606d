// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/futex.h>

#include <cmocka.h>

#include "base/altered_system.h"

enum { THREADS = 5, ROUNDS = 12, SLEEPS = 4, LINE_BYTES = 128, DELAY_US = 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t tokens;
static _Atomic uint32_t word;
static uint32_t turn;
static _Atomic uint32_t drawn = 1;
static char order[LINE_BYTES];

// Hold the calling thread up for a random time, as a busy machine does. It sleeps by a system call
// that no C library's function makes, so that only the time tells that it goes on later.
static void be_held_up(void)
{
    const uint32_t number = atomic_fetch_add(&drawn, 1) * 2654435761u;
    const struct timespec time = {.tv_nsec = (long)(number % DELAY_US) * 1000};
    (void)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
}

static void note(uint32_t number)
{
    const size_t length = strlen(order);
    assert_true(length + 1 < sizeof(order));
    order[length] = (char)('a' + number);
}

static void use_mutex(uint32_t number)
{
    be_held_up();
    (void)pthread_mutex_lock(&lock);
    be_held_up();
    note(number);
    (void)pthread_mutex_unlock(&lock);
}

static void use_condition(uint32_t number)
{
    (void)pthread_mutex_lock(&lock);
    while (turn != THREADS - 1 - number) {
        (void)pthread_cond_wait(&changed, &lock);
        be_held_up();
    }
    turn++;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
    use_mutex(number);
}

static void use_timed_condition(uint32_t number)
{
    const struct timespec past = {0};
    (void)pthread_mutex_lock(&lock);
    be_held_up();
    note(number);
    (void)pthread_cond_timedwait(&changed, &lock, &past);
    note(number);
    (void)pthread_mutex_unlock(&lock);
}

static void use_semaphore(uint32_t number)
{
    (void)sem_wait(&tokens);
    be_held_up();
    note(number);
    (void)sem_post(&tokens);
}

static void use_table(uint32_t number)
{
    be_held_up();
    (void)pthread_rwlock_wrlock(&table);
    be_held_up();
    note(number);
    (void)pthread_rwlock_unlock(&table);
    (void)sched_yield();
    (void)pthread_rwlock_rdlock(&table);
    note(number);
    (void)pthread_rwlock_unlock(&table);
}

static void use_barrier(uint32_t number)
{
    be_held_up();
    (void)pthread_barrier_wait(&barrier);
    be_held_up();
    note(number);
}

static void spin(uint32_t number)
{
    while (atomic_load(&word) != number) {
        (void)sched_yield();
    }
    note(number);
    be_held_up();
    atomic_fetch_add(&word, 1);
}

static void use_futex(uint32_t number)
{
    for (uint32_t value = 0; (value = atomic_load(&word)) != number;) {
        (void)syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
    }
    be_held_up();
    note(number);
    atomic_fetch_add(&word, 1);
    (void)syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
    use_mutex(number);
}

static void sleep_a_little(uint32_t number)
{
    const struct timespec time = {.tv_nsec = 1000 * (long)(number + 1)};
    for (uint32_t i = 0; i < SLEEPS; i++) {
        (void)nanosleep(&time, NULL);
        note(number);
    }
}

static void (*work)(uint32_t number);

static void *run(void *context)
{
    be_held_up();
    work((uint32_t)(uintptr_t)context);
    be_held_up();
    return context;
}

// Run threads, and write into `order` how they came.
static void run_threads(void (*function)(uint32_t number))
{
    pthread_t threads[THREADS];
    work = function;
    memset(order, 0, sizeof(order));
    atomic_store(&word, 0);
    turn = 0;
    for (uintptr_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, run, (void *)i), 0);
        be_held_up();
    }
    for (uintptr_t i = 0; i < THREADS; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, (void *)i);
    }
    note(THREADS);
}

static void expect_order(void (*function)(uint32_t number))
{
    char first[LINE_BYTES];
    run_threads(function);
    memcpy(first, order, sizeof(first));
    for (uint32_t round = 1; round < ROUNDS; round++) {
        run_threads(function);
        assert_string_equal(order, first);
    }
}

static void threads_keep_their_order(void **state)
{
    (void)state;
    static void (*const functions[])(uint32_t number) = {
        use_mutex,   use_condition, use_timed_condition, use_semaphore, use_table,
        use_barrier, spin,          use_futex,           sleep_a_little};
    assert_int_equal(sem_init(&tokens, 0, 2), 0);
    assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        expect_order(functions[i]);
    }
}

// ---- threads that nothing orders ----

static int ends[2];

static void *write_late(void *context)
{
    (void)pthread_mutex_lock(&lock);
    (void)pthread_mutex_unlock(&lock);
    atomic_store(&word, 1);
    return write(ends[1], "", 1) == 1 ? context : NULL;
}

// Make a thread that runs only once the calling one has lost its turn.
static pthread_t begin_writer(void)
{
    pthread_t thread;
    atomic_store(&word, 0);
    assert_int_equal(pthread_create(&thread, NULL, write_late, &word), 0);
    return thread;
}

static void end_writer(pthread_t thread)
{
    void *result = NULL;
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &word);
}

static void a_thread_that_waits_otherwise_keeps_no_other_from_its_work(void **state)
{
    (void)state;
    char byte = 1;
    assert_int_equal(pipe(ends), 0);
    pthread_t writer = begin_writer();
    assert_int_equal(read(ends[0], &byte, 1), 1);
    end_writer(writer);
    writer = begin_writer();
    while (atomic_load(&word) == 0) { // without sched_yield()
    }
    end_writer(writer);
    writer = begin_writer();
    while (atomic_load(&word) == 0) {
    }
    end_writer(writer);
    // The order was given up. All threads run on nevertheless.
    run_threads(use_mutex);
    assert_int_equal(strlen(order), THREADS + 1);
    run_threads(use_condition);
    assert_int_equal(strlen(order), THREADS + 1);
    run_threads(use_barrier);
    assert_int_equal(strlen(order), THREADS + 1);
}

int main(void)
{
    if (!thread_pause_works()) {
        print_message("threads cannot be ordered in this build\n");
        return 0;
    }
    thread_serial_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_keep_their_order),
        cmocka_unit_test(a_thread_that_waits_otherwise_keeps_no_other_from_its_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
