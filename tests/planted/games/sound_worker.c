// SPDX-License-Identifier: MIT

// The game has a thread of its own and a handler of SIGALRM. In a forked copy of the process, a
// step waits for the thread in vain.

#define _GNU_SOURCE

#include <pthread.h>
#include <signal.h>

#include "planted.h"

typedef struct worker_state {
    planted_base base;
    uint32_t done;
} worker_state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_asked;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void ring(int number)
{
    (void)number;
}

static void *work(void *context)
{
    (void)context;
    (void)pthread_mutex_lock(&lock);
    for (;;) {
        while (!is_asked) {
            (void)pthread_cond_wait(&changed, &lock);
        }
        is_asked = false;
        (void)pthread_cond_broadcast(&changed);
    }
    return NULL;
}

static void begin(void)
{
    const struct sigaction action = {.sa_handler = ring};
    pthread_t thread;
    (void)sigaction(SIGALRM, &action, NULL);
    (void)pthread_create(&thread, NULL, work, NULL);
}

static void worker_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
    (void)pthread_once(&once, begin);
}

static void worker_step(void *state, const bks_step *step)
{
    worker_state *worker = state;
    planted_move(&worker->base, step);
    (void)pthread_mutex_lock(&lock);
    is_asked = true;
    (void)pthread_cond_broadcast(&changed);
    while (is_asked) {
        (void)pthread_cond_wait(&changed, &lock);
    }
    (void)pthread_mutex_unlock(&lock);
    worker->done++;
    bks_mark(step, "work");
}

PLANTED("sound_worker", worker_state, .state_bytes = sizeof(worker_state), .init = worker_init,
        .step = worker_step);
