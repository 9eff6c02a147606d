// SPDX-License-Identifier: MIT

// The only threads of the library. Threads know nothing of a game: bks_jobs_run() hands out numbers
// of jobs, and any thread may take any number.

#define _POSIX_C_SOURCE 200809L // makes the headers of the system declare pthread_sigmask()

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "backstitch/det.h"
#include "base/memory.h"
#include "base/report.h"

struct bks_threads {
    bks_allocator allocator;
    /// Mutex held by the thread that called bks_jobs_run() for the current run.
    pthread_mutex_t running;
    pthread_mutex_t lock; ///< mutex that protects the fields from here to `is_ending`
    pthread_cond_t begun;
    pthread_cond_t done;
    uint32_t run; ///< number of the current run, counted from the creation
    uint32_t busy;
    bool is_ending;
    void (*job)(void *work, uint32_t number);
    void *work;
    uint32_t jobs;
    _Atomic uint32_t next; ///< number of the next job to begin
    uint32_t count;        ///< number of created threads
    pthread_t threads[BKS_THREADS_MAX];
};

static void do_jobs(bks_threads *threads)
{
    for (;;) {
        const uint32_t number = atomic_fetch_add_explicit(&threads->next, 1, memory_order_relaxed);
        if (number >= threads->jobs) {
            return;
        }
        threads->job(threads->work, number);
    }
}

/// Wait until a run other than `*last` begins.
/// @return false when the threads must end
static bool wait_for_run(bks_threads *threads, uint32_t *last)
{
    (void)pthread_mutex_lock(&threads->lock);
    while (threads->run == *last && !threads->is_ending) {
        (void)pthread_cond_wait(&threads->begun, &threads->lock);
    }
    const bool is_ending = threads->is_ending;
    *last = threads->run;
    (void)pthread_mutex_unlock(&threads->lock);
    return !is_ending;
}

static void *thread_main(void *context)
{
    bks_threads *threads = context;
    uint32_t last = 0;
    while (wait_for_run(threads, &last)) {
        do_jobs(threads);
        (void)pthread_mutex_lock(&threads->lock);
        threads->busy--;
        if (threads->busy == 0) {
            (void)pthread_cond_signal(&threads->done);
        }
        (void)pthread_mutex_unlock(&threads->lock);
    }
    return NULL;
}

static void run_with_all(bks_threads *threads, uint32_t jobs,
                         void (*job)(void *work, uint32_t number), void *work)
{
    (void)pthread_mutex_lock(&threads->lock);
    threads->job = job;
    threads->work = work;
    threads->jobs = jobs;
    threads->busy = threads->count;
    atomic_store_explicit(&threads->next, 0, memory_order_relaxed);
    threads->run++;
    (void)pthread_cond_broadcast(&threads->begun);
    (void)pthread_mutex_unlock(&threads->lock);
    do_jobs(threads);
    (void)pthread_mutex_lock(&threads->lock);
    while (threads->busy > 0) {
        (void)pthread_cond_wait(&threads->done, &threads->lock);
    }
    (void)pthread_mutex_unlock(&threads->lock);
}

static void run(void *context, uint32_t jobs, void (*job)(void *work, uint32_t number), void *work)
{
    bks_threads *threads = context;
    const bool has_threads = threads->count > 0 && jobs > 1;
    if (has_threads && pthread_mutex_trylock(&threads->running) == 0) {
        run_with_all(threads, jobs, job, work);
        (void)pthread_mutex_unlock(&threads->running);
        return;
    }
    for (uint32_t number = 0; number < jobs; number++) {
        job(work, number);
    }
}

/// Create threads until there are `count` threads.
static void add_threads(bks_threads *threads, uint32_t count)
{
    while (threads->count < count &&
           pthread_create(&threads->threads[threads->count], NULL, thread_main, threads) == 0) {
        threads->count++;
    }
}

#ifdef _WIN32 // Windows delivers no signals to these threads
static bool make_threads(bks_threads *threads, uint32_t count)
{
    add_threads(threads, count);
    return threads->count == count;
}
#else
/// Create the threads with signals blocked, because signals are for the program's own threads.
/// Signals of faults are not blocked.
static bool make_threads(bks_threads *threads, uint32_t count)
{
    sigset_t none;
    sigset_t before;
    (void)sigfillset(&none);
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        (void)sigdelset(&none, faults[i]);
    }
    (void)pthread_sigmask(SIG_SETMASK, &none, &before);
    add_threads(threads, count);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return threads->count == count;
}
#endif

static bks_status check_arguments(uint32_t workers, const bks_allocator *allocator,
                                  bks_error *error)
{
    static const char call[] = "bks_threads_create";
    if (workers > BKS_THREADS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "workers",
                         "workers is %u, must be 0..%u", workers, BKS_THREADS_MAX);
    }
    if (!bksi_allocator_ok(allocator)) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    return BKS_OK;
}

bks_status bks_threads_create(uint32_t workers, const bks_allocator *allocator, bks_threads **out,
                              bks_error *error)
{
    static const char call[] = "bks_threads_create";
    const bks_allocator memory = allocator != NULL ? *allocator : (bks_allocator){0};
    BKSI_REFUSE_NULL(error, out);
    *out = NULL;
    const bks_status status = check_arguments(workers, &memory, error);
    if (status != BKS_OK) {
        return status;
    }
    bks_threads *threads = bksi_alloc(&memory, sizeof(*threads), _Alignof(bks_threads));
    if (threads == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, "allocator",
                         "allocator has no %zu bytes", sizeof(*threads));
    }
    threads->allocator = memory;
    (void)pthread_mutex_init(&threads->running, NULL);
    (void)pthread_mutex_init(&threads->lock, NULL);
    (void)pthread_cond_init(&threads->begun, NULL);
    (void)pthread_cond_init(&threads->done, NULL);
    const uint32_t wanted = workers > 1 ? workers - 1 : 0;
    if (!make_threads(threads, wanted)) {
        const uint32_t made = threads->count;
        bks_threads_destroy(threads);
        return bksi_fail(error, BKS_ERR_IO, call, "workers",
                         "the system gave %u threads, expected %u: ask for fewer workers", made,
                         wanted);
    }
    *out = threads;
    return BKS_OK;
}

bks_workers bks_threads_workers(bks_threads *threads)
{
    return threads != NULL ? (bks_workers){.run = run, .context = threads} : (bks_workers){0};
}

void bks_threads_destroy(bks_threads *threads)
{
    if (threads == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&threads->lock);
    threads->is_ending = true;
    (void)pthread_cond_broadcast(&threads->begun);
    (void)pthread_mutex_unlock(&threads->lock);
    for (uint32_t i = 0; i < threads->count; i++) {
        (void)pthread_join(threads->threads[i], NULL);
    }
    (void)pthread_cond_destroy(&threads->done);
    (void)pthread_cond_destroy(&threads->begun);
    (void)pthread_mutex_destroy(&threads->lock);
    (void)pthread_mutex_destroy(&threads->running);
    const bks_allocator allocator = threads->allocator;
    bksi_free(&allocator, threads, sizeof(*threads));
}
