// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/posix/thread_serial.h"

#include <dirent.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/altered_system.h"

// A thread that is not done after LOOKS_MAX looks, a second or more, may spin until this one does
// something. After GIVE_UPS_MAX such threads nothing is waited for any more.
enum { LOOK_US = 50, LOOKS_MAX = 10000, GIVE_UPS_MAX = 3, THREADS_MAX = 256 };

enum {
    FREE = 0,
    RUNS = 1,
    AT_TURN = 2,
    WAITS = 3, ///< waits at a condition
};

/// Entry of a thread. Both processes of a check make the same threads in the same order, so numbers
/// and turns are the same in both.
typedef struct serial_thread {
    _Atomic int state;
    _Atomic long id;         ///< number that the system gave it, 0: it has not begun yet
    _Atomic uint64_t number; ///< number of threads made before it
    _Atomic uint64_t turns;  ///< turns that it has had, with those of the thread that made it
    _Atomic(const void *) condition;
    _Atomic uint64_t since; ///< order in which threads began to wait
    _Atomic uint32_t woken; ///< 1 once the condition was signalled to it
} serial_thread;

static serial_thread threads[THREADS_MAX];
static _Atomic uint64_t numbers;
static _Atomic uint64_t waits;
static _Atomic uint32_t give_ups;
static atomic_bool is_on;
static _Thread_local serial_thread *self;

bool serial_is_on(void)
{
    return atomic_load_explicit(&is_on, memory_order_relaxed);
}

void serial_begin(void)
{
    serial_enter(serial_reserve());
    atomic_store(&is_on, true);
}

// ---- entries ----

int serial_reserve(void)
{
    for (int i = 0; i < THREADS_MAX; i++) {
        int expected = FREE;
        serial_thread *thread = &threads[i];
        if (atomic_compare_exchange_strong(&thread->state, &expected, RUNS)) {
            atomic_store(&thread->id, 0);
            atomic_store(&thread->number, atomic_fetch_add(&numbers, 1));
            atomic_store(&thread->turns, self != NULL ? atomic_load(&self->turns) : 0);
            return i;
        }
    }
    return -1;
}

void serial_enter(int index)
{
    self = index >= 0 ? &threads[index] : NULL;
    if (self != NULL) {
        atomic_store(&self->id, (long)gettid());
    }
}

void serial_release(int index)
{
    if (index >= 0) {
        atomic_store(&threads[index].state, FREE);
    }
}

void serial_leave(void)
{
    if (self != NULL) {
        atomic_store(&self->state, FREE);
    }
    self = NULL;
}

// ---- turns ----

// Return true if the thread with this number, of this process, runs or could run.
static bool is_running(long id)
{
    char path[64];
    char text[128] = "";
    (void)snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", id);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    (void)!fread(text, 1, sizeof(text) - 1, file);
    (void)fclose(file);
    const char *name_end = strrchr(text, ')');
    return name_end != NULL && name_end[1] == ' ' && name_end[2] == 'R';
}

static const serial_thread *find(long id)
{
    for (int i = 0; i < THREADS_MAX; i++) {
        if (atomic_load(&threads[i].state) != FREE && atomic_load(&threads[i].id) == id) {
            return &threads[i];
        }
    }
    return NULL;
}

// Return true if a thread must be waited for. Of threads at their turns the one that has had fewest
// goes on, of several the one that was made first.
static bool goes_first(long id)
{
    const serial_thread *other = find(id);
    const int state = other != NULL ? atomic_load(&other->state) : RUNS;
    if (state == WAITS) {
        return false;
    }
    if (state != AT_TURN) {
        return is_running(id);
    }
    const uint64_t own_turns = atomic_load(&self->turns);
    const uint64_t turns = atomic_load(&other->turns);
    return turns < own_turns ||
           (turns == own_turns && atomic_load(&other->number) < atomic_load(&self->number));
}

static bool others_go_first(void)
{
    DIR *tasks = opendir("/proc/self/task");
    bool do_go = false;
    const struct dirent *entry;
    while (tasks != NULL && !do_go && (entry = readdir(tasks)) != NULL) {
        const long id = strtol(entry->d_name, NULL, 10);
        do_go = id > 0 && id != (long)gettid() && goes_first(id);
    }
    if (tasks != NULL) {
        (void)closedir(tasks);
    }
    return do_go;
}

bool serial_take_turn(void)
{
    if (!serial_is_on() || self == NULL) {
        return false;
    }
    atomic_store(&self->state, AT_TURN);
    return true;
}

void serial_end_turn(void)
{
    const struct timespec time = {.tv_nsec = LOOK_US * 1000L};
    uint32_t looks = 0;
    while (atomic_load(&give_ups) < GIVE_UPS_MAX && others_go_first()) {
        (void)nanosleep(&time, NULL);
        if (++looks == LOOKS_MAX) {
            atomic_fetch_add(&give_ups, 1);
            break;
        }
    }
    atomic_fetch_add(&self->turns, 1);
    atomic_store(&self->state, RUNS);
}

// ---- conditions ----
//
// Threads wait for conditions here and not in the C library: there the system would choose which of
// several woken threads gets the mutex.

bool serial_begin_wait(const void *condition)
{
    if (!serial_is_on() || self == NULL) {
        return false;
    }
    atomic_store(&self->condition, condition);
    atomic_store(&self->since, atomic_fetch_add(&waits, 1));
    atomic_store(&self->woken, 0);
    atomic_store(&self->state, WAITS);
    return true;
}

void serial_end_wait(void)
{
    while (atomic_load(&self->woken) == 0) {
        (void)syscall(SYS_futex, &self->woken, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    }
    serial_end_turn();
}

bool serial_wake(const void *condition)
{
    serial_thread *first = NULL;
    for (int i = 0; i < THREADS_MAX; i++) {
        serial_thread *thread = &threads[i];
        if (atomic_load(&thread->state) == WAITS && atomic_load(&thread->condition) == condition &&
            (first == NULL || atomic_load(&thread->since) < atomic_load(&first->since))) {
            first = thread;
        }
    }
    int expected = WAITS;
    if (first == NULL || !atomic_compare_exchange_strong(&first->state, &expected, AT_TURN)) {
        return false;
    }
    atomic_store(&first->woken, 1);
    (void)syscall(SYS_futex, &first->woken, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    return true;
}
