// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/posix/thread_serial.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/posix/real_call.h"

// CALLS_MAX: calls of serial_may_pass() in a turn. TIMED_TURNS: turns after which a timed wait
// ends.
enum { THREADS_MAX = 256, CALLS_MAX = 100, TIMED_TURNS = 1000 };

// A thread that sleeps for ASLEEP_NS in a call that is not known here, or calculates for SPINS_NS,
// may wait for another one, so it loses its turn. That is never so because a machine is busy: a
// thread that waits for a processor neither sleeps nor calculates. After LOSSES_MAX such turns the
// order is given up. Waiting threads look for such a thread every LOOK_NS.
enum {
    LOSSES_MAX = 3,
    NAP_NS = 50000,
    LOOK_NS = 20000000,
    ASLEEP_NS = 300000000,
    SPINS_NS = 1000000000
};

typedef enum serial_state {
    FREE = 0,
    READY = 1,
    WAITS = 2,       ///< waits for an object
    WAITS_TIMED = 3, ///< waits for an object or some turns
    OUTSIDE = 4,     ///< has lost its turn
} serial_state;

/// Entry of a thread. Both processes of a check make the same threads in the same order, so indexes
/// and turns are the same in both.
typedef struct serial_thread {
    serial_state state;
    long id;          ///< number that the system gave it, 0: it has not begun yet
    uintptr_t handle; ///< POSIX's handle of it, 0: not known
    const void *object;
    uint64_t since;        ///< turn in which it began to wait
    bool is_woken;         ///< true once the object that it waits for was signalled to it
    _Atomic uint32_t goes; ///< 1 once it has the turn
} serial_thread;

/// Observation of the thread that has the turn.
typedef struct turn_look {
    uint64_t turn;
    uint64_t begun_ns;  ///< processor time that the thread had used at the first look
    uint64_t used_ns;   ///< processor time that it had used at the last look
    uint64_t asleep_ns; ///< time since when it sleeps, 0: it does not
} turn_look;

static atomic_bool has_begun;
static atomic_bool is_over = true; // true before serial_begin() and after the order was given up
static atomic_bool first_rests;

// Lock of all that follows. It is held for a few instructions, or while a thread is looked at.
static atomic_flag lock = ATOMIC_FLAG_INIT;
static serial_thread threads[THREADS_MAX];
static serial_thread *holder; // thread that has the turn, NULL: none could run
static uint64_t turns;
static uint32_t calls; // calls of serial_may_pass() in this turn
static uint32_t losses;
static turn_look last_look;
static _Thread_local serial_thread *self;

static void begin_change(void)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
        (void)real_syscall(SYS_sched_yield, 0, 0, 0, 0);
    }
}

static void end_change(void)
{
    atomic_flag_clear_explicit(&lock, memory_order_release);
}

bool serial_has_begun(void)
{
    return atomic_load_explicit(&has_begun, memory_order_relaxed);
}

bool serial_has_entry(void)
{
    return self != NULL;
}

bool serial_takes_turns(void)
{
    return self != NULL && !atomic_load_explicit(&is_over, memory_order_relaxed) &&
           !(self == &threads[0] && atomic_load_explicit(&first_rests, memory_order_relaxed));
}

// ---- turns ----

static void let_go(serial_thread *thread)
{
    atomic_store(&thread->goes, 1);
    (void)real_syscall(SYS_futex, (long)(uintptr_t)&thread->goes, FUTEX_WAKE_PRIVATE, 1, 0);
}

static void give_turn(serial_thread *next)
{
    holder = next;
    turns++;
    calls = 0;
    if (next != NULL) {
        next->state = READY;
        let_go(next);
    }
}

static bool is_due(const serial_thread *thread)
{
    return thread->state == READY ||
           (thread->state == WAITS_TIMED && turns - thread->since > TIMED_TURNS);
}

// Return the next thread that can run, in the order of their entries from a thread's on. If none
// can, return the timed one that has waited longest, or NULL.
static serial_thread *find_next(const serial_thread *from)
{
    serial_thread *timed = NULL;
    const size_t first = (size_t)(from - threads);
    for (size_t i = 1; i < THREADS_MAX; i++) {
        serial_thread *thread = &threads[(first + i) % THREADS_MAX];
        if (is_due(thread)) {
            return thread;
        }
        if (thread->state == WAITS_TIMED && (timed == NULL || thread->since < timed->since)) {
            timed = thread;
        }
    }
    return timed;
}

static void give_up(void)
{
    atomic_store(&is_over, true);
    for (size_t i = 0; i < THREADS_MAX; i++) {
        if (threads[i].state == READY || threads[i].state == WAITS_TIMED) {
            threads[i].state = READY;
            let_go(&threads[i]);
        }
    }
}

// Return true if a thread of this process sleeps. Do not use fopen(), which allocates: the game's
// blocks would lie elsewhere than those of another run.
static bool is_asleep(long id)
{
    char text[512] = "";
    (void)snprintf(text, sizeof(text), "/proc/self/task/%ld/stat", id);
    const int file = open(text, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, text, sizeof(text) - 1) : 0;
    if (file >= 0) {
        (void)close(file);
    }
    text[length > 0 ? length : 0] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end != NULL && strncmp(name_end, ") S", 3) == 0;
}

static uint64_t time_ns(clockid_t clock)
{
    struct timespec time = {0};
    // Ask the system, because the process's clocks may be stopped for the game.
    (void)real_syscall(SYS_clock_gettime, clock, (long)(uintptr_t)&time, 0, 0);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

// Return the processor time that a thread of this process has used.
static uint64_t used_ns(long id)
{
    return time_ns((clockid_t)((~(unsigned)id << 3) | 6)); // as the kernel numbers these clocks
}

// Return true if the thread that has the turn may wait for another one.
static bool is_stuck(void)
{
    turn_look *last = &last_look;
    const uint64_t used = used_ns(holder->id);
    const uint64_t now = time_ns(CLOCK_MONOTONIC);
    if (last->turn != turns) {
        *last = (turn_look){.turn = turns, .begun_ns = used};
    }
    const bool sleeps = used == last->used_ns && is_asleep(holder->id);
    last->asleep_ns = !sleeps ? 0 : last->asleep_ns != 0 ? last->asleep_ns : now;
    last->used_ns = used;
    return used - last->begun_ns > SPINS_NS || (sleeps && now - last->asleep_ns > ASLEEP_NS);
}

static void look(void)
{
    begin_change();
    const bool is_watched = holder != NULL && holder != self && holder->id != 0 &&
                            !(atomic_load(&first_rests) && holder == &threads[0]);
    serial_thread *next = is_watched ? find_next(holder) : NULL;
    if (next != NULL && !atomic_load(&is_over) && is_stuck()) {
        holder->state = OUTSIDE;
        give_turn(next);
        if (++losses == LOSSES_MAX) {
            give_up();
        }
    }
    end_change();
}

// Wait for the calling thread's turn, or for serial_wake() once the order was given up.
static void await_turn(void)
{
    const struct timespec time = {.tv_nsec = LOOK_NS};
    while (atomic_load(&self->goes) == 0) {
        (void)real_syscall(SYS_futex, (long)(uintptr_t)&self->goes, FUTEX_WAIT_PRIVATE, 0,
                           (long)(uintptr_t)&time);
        if (atomic_load(&self->goes) == 0) {
            look();
        }
    }
}

// Give the turn away, or ask for one without having it, and wait for the next.
static void change_turn(serial_state state)
{
    const int error = errno;
    self->state = state;
    atomic_store(&self->goes, atomic_load(&is_over) && state == READY ? 1 : 0);
    const bool is_given = holder == self || holder == NULL;
    serial_thread *next = is_given ? find_next(self) : NULL;
    if (is_given) {
        give_turn(next != NULL ? next : state != WAITS ? self : NULL);
    }
    end_change();
    if (is_given && next == NULL && state == WAITS_TIMED) {
        const struct timespec time = {.tv_nsec = NAP_NS}; // a thread without turns may do something
        (void)real_syscall(SYS_nanosleep, (long)(uintptr_t)&time, 0, 0, 0);
    }
    await_turn();
    errno = error;
}

bool serial_pass(void)
{
    begin_change();
    const bool has_other = serial_takes_turns() && (holder != self || find_next(self) != NULL);
    if (has_other) {
        change_turn(READY);
    } else {
        end_change();
    }
    return has_other;
}

void serial_may_pass(void)
{
    begin_change();
    const bool is_wanted = holder != self || ++calls >= CALLS_MAX;
    end_change();
    if (is_wanted) {
        (void)serial_pass();
    }
}

void serial_begin_wait(const void *object)
{
    begin_change();
    self->object = object;
    self->since = turns;
    self->is_woken = false;
    self->state = WAITS;
    end_change();
}

bool serial_end_wait(bool is_timed)
{
    begin_change();
    const bool is_given_up = atomic_load(&is_over) && is_timed;
    change_turn(self->is_woken || is_given_up ? READY : is_timed ? WAITS_TIMED : WAITS);
    return self->is_woken;
}

static bool waits_for(const serial_thread *thread, const void *object)
{
    return (thread->state == WAITS || thread->state == WAITS_TIMED) && thread->object == object;
}

// Wake the thread that has waited longest for an object; the lock is held.
static bool wake(const void *object)
{
    serial_thread *first = NULL;
    for (size_t i = 0; i < THREADS_MAX; i++) {
        serial_thread *thread = &threads[i];
        if (waits_for(thread, object) && (first == NULL || thread->since < first->since)) {
            first = thread;
        }
    }
    if (first == NULL) {
        return false;
    }
    first->state = READY;
    first->is_woken = true;
    if (atomic_load(&is_over)) {
        let_go(first);
    } else if (holder == NULL) {
        give_turn(first);
    }
    return true;
}

bool serial_wake(const void *object)
{
    begin_change();
    const bool is_woken = wake(object);
    end_change();
    return is_woken;
}

void serial_rest(bool is_resting)
{
    atomic_store(&first_rests, is_resting);
}

// ---- entries ----

void serial_begin(void)
{
    self = &threads[0];
    self->state = READY;
    self->id = real_syscall(SYS_gettid, 0, 0, 0, 0);
    atomic_store(&self->goes, 1);
    holder = self;
    atomic_store(&is_over, false);
    atomic_store(&has_begun, true);
}

int serial_reserve(void)
{
    int index = -1;
    begin_change();
    for (int i = 0; i < THREADS_MAX && index < 0 && !atomic_load(&is_over); i++) {
        if (threads[i].state == FREE) {
            threads[i] = (serial_thread){.state = READY};
            index = i;
        }
    }
    end_change();
    return index;
}

void serial_made(int index, uintptr_t handle)
{
    if (index >= 0) {
        begin_change();
        threads[index].handle = handle;
        end_change();
    }
}

void serial_release(int index)
{
    if (index >= 0) {
        begin_change();
        threads[index].state = FREE;
        end_change();
    }
}

void serial_enter(int index)
{
    if (index >= 0) {
        begin_change();
        self = &threads[index];
        self->id = real_syscall(SYS_gettid, 0, 0, 0, 0);
        if (atomic_load(&is_over)) {
            atomic_store(&self->goes, 1);
        } else if (holder == NULL) {
            give_turn(self);
        }
        end_change();
        await_turn();
    }
}

void serial_leave(void)
{
    if (self == NULL) {
        return;
    }
    begin_change();
    while (self->handle != 0 && wake((const void *)self->handle)) {
    }
    self->state = FREE;
    if (holder == self) {
        give_turn(find_next(self));
    }
    end_change();
    self = NULL;
}

bool serial_is_alive(uintptr_t handle)
{
    bool is_alive = false;
    begin_change();
    for (size_t i = 0; i < THREADS_MAX && !is_alive; i++) {
        is_alive = threads[i].state != FREE && threads[i].handle == handle;
    }
    end_change();
    return is_alive;
}
