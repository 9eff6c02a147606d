// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/watch_page.h"

#if defined(__linux__) && defined(__x86_64__)

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "diagnose/processes/watch_call.h"

/// STORE_MAX: bytes of the widest plain store, a register of AVX-512. CALL_BYTES: bytes of the
/// instruction of a system call.
enum { STORE_MAX = 64, PAGE = 4096, EVENT_SHIFT = 16, CALL_BYTES = 2 };

static const unsigned long long no_system_call = ~0ULL;
/// Flag of the processor that a program sets to single-step itself.
static const unsigned long long trap_flag = 0x100;

static __attribute__((naked, noinline, used)) void gate(void)
{
    __asm__ volatile("syscall; int3");
}

uint64_t watch_page_gate(void)
{
    return (uint64_t)(uintptr_t)gate;
}

uint64_t watch_page_begin(const watch_page *page)
{
    return page->watched[0].address & ~(uint64_t)(PAGE - 1);
}

uint64_t watch_page_bytes(void)
{
    return PAGE;
}

bool watch_page_has(const watch_page *page, uint32_t index)
{
    const watched_bytes *value = &page->watched[index];
    const uint64_t begin = watch_page_begin(page);
    return value->bytes != 0 && value->address >= begin &&
           value->address + value->bytes <= begin + PAGE;
}

// ---- letting a thread run to its next stop ----

// Let a thread run until it stops by SIGTRAP or a signal that the caller must handle. The thread
// runs a few instructions that cannot wait, so it stops soon. The reports of stops by the job
// control of a shell are skipped.
// @return false if the thread has ended
static bool run_to_stop(pid_t thread, enum __ptrace_request how, int *status)
{
    do {
        if (ptrace(how, thread, NULL, NULL) != 0) {
            return false;
        }
        while (waitpid(thread, status, __WALL) < 0) {
            if (errno != EINTR) {
                return false;
            }
        }
        if (!WIFSTOPPED(*status)) {
            return false;
        }
    } while (*status >> EVENT_SHIFT != 0);
    return true;
}

// Send a thread a signal that was held back. 0: none.
static void send_again(pid_t thread, int number)
{
    if (number != 0) {
        (void)syscall(SYS_tkill, thread, number);
    }
}

static void set_arguments(const watch_page *page, uint32_t protection, struct user_regs_struct *out)
{
    out->rdi = watch_page_begin(page);
    out->rsi = PAGE;
    out->rdx = protection;
}

// Let a thread call mprotect() for the page, and nothing else. A signal that comes in between is
// sent again.
static bool protect(const watch_page *page, pid_t thread, uint32_t protection)
{
    struct user_regs_struct before = {0};
    if (ptrace(PTRACE_GETREGS, thread, NULL, &before) != 0) {
        return false;
    }
    struct user_regs_struct r = before;
    r.rip = page->gate;
    r.rax = SYS_mprotect;
    r.orig_rax = no_system_call; // otherwise the system would begin an interrupted call again here
    set_arguments(page, protection, &r);
    r.eflags &= ~trap_flag;
    bool is_good = ptrace(PTRACE_SETREGS, thread, NULL, &r) == 0;
    int status = 0;
    int other = 0;
    do {
        is_good = is_good && run_to_stop(thread, PTRACE_CONT, &status);
        other = is_good && WSTOPSIG(status) != SIGTRAP ? WSTOPSIG(status) : other;
    } while (is_good && WSTOPSIG(status) != SIGTRAP);
    is_good = is_good && ptrace(PTRACE_GETREGS, thread, NULL, &r) == 0 && r.rax == 0;
    (void)ptrace(PTRACE_SETREGS, thread, NULL, &before);
    send_again(thread, other);
    return is_good;
}

bool watch_page_close(const watch_page *page, pid_t thread)
{
    return page->stays_open || protect(page, thread, PROT_READ);
}

bool watch_page_open(const watch_page *page, pid_t thread)
{
    return protect(page, thread, PROT_READ | PROT_WRITE);
}

// ---- a system call that may write to the page ----

// Let a thread run to the beginning or the end of a system call.
// @param out_other  receives a signal that came in between, and is held back; 0: none
static bool run_to_call(pid_t thread, int *out_other)
{
    int status = 0;
    bool is_good = true;
    do {
        is_good = run_to_stop(thread, PTRACE_SYSCALL, &status);
        const bool is_other = is_good && WSTOPSIG(status) != WATCH_CALL_SIGNAL;
        *out_other = is_other ? WSTOPSIG(status) : *out_other;
    } while (is_good && WSTOPSIG(status) != WATCH_CALL_SIGNAL);
    return is_good;
}

// The thread calls mprotect() in place of its own call, then goes back to the instruction before
// and begins its own call again.
bool watch_page_open_for_call(const watch_page *page, pid_t thread)
{
    struct user_regs_struct before = {0};
    int other = 0;
    if (ptrace(PTRACE_GETREGS, thread, NULL, &before) != 0) {
        return false;
    }
    struct user_regs_struct r = before;
    r.orig_rax = SYS_mprotect;
    set_arguments(page, PROT_READ | PROT_WRITE, &r);
    bool is_good = ptrace(PTRACE_SETREGS, thread, NULL, &r) == 0 && run_to_call(thread, &other) &&
                   ptrace(PTRACE_GETREGS, thread, NULL, &r) == 0 && r.rax == 0;
    r = before;
    r.rip -= CALL_BYTES;
    r.rax = before.orig_rax;
    r.orig_rax = no_system_call;
    is_good =
        ptrace(PTRACE_SETREGS, thread, NULL, &r) == 0 && run_to_call(thread, &other) && is_good;
    send_again(thread, other);
    return is_good;
}

// ---- a store to the page ----

/// Store that faulted, and the memory from its first byte on the page on that it may reach.
typedef struct page_store {
    uint64_t fault; // address of the first byte that the store writes on the page
    size_t count;   // size of `before` in bytes
    struct user_regs_struct registers;  // registers before the store
    uint8_t before[STORE_MAX];          // memory before the store
    uint64_t values[CHECK_WATCHED_MAX]; // values on the page before the store
    uint8_t page[PAGE];                 // the page before the store
} page_store;

/// Part of a page_store's memory that belongs to a watched value.
typedef struct part {
    size_t begin;
    size_t end; // 0: the store cannot reach the value
} part;

static bool copy_out(pid_t thread, uint64_t address, const void *bytes, size_t count)
{
    const struct iovec from = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = count};
    const struct iovec to = {.iov_base = (void *)(uintptr_t)address, .iov_len = count};
    return process_vm_writev(thread, &from, 1, &to, 1, 0) == (ssize_t)count;
}

// Read the values on the page.
static bool read_values(const watch_page *page, pid_t thread, uint64_t out[CHECK_WATCHED_MAX])
{
    bool is_good = true;
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX; i++) {
        const watched_bytes *value = &page->watched[i];
        out[i] = 0;
        is_good &= !watch_page_has(page, i) ||
                   process_read(thread, value->address, &out[i], value->bytes) == value->bytes;
    }
    return is_good;
}

// Read the store at which a thread has faulted.
// @return false if SIGSEGV has another reason than the page
static bool read_store(const watch_page *page, pid_t thread, page_store *out)
{
    siginfo_t info = {0};
    if (ptrace(PTRACE_GETSIGINFO, thread, NULL, &info) != 0 || info.si_code != SEGV_ACCERR ||
        ptrace(PTRACE_GETREGS, thread, NULL, &out->registers) != 0) {
        return false;
    }
    out->fault = (uint64_t)(uintptr_t)info.si_addr;
    const size_t left = PAGE - (size_t)(out->fault & (PAGE - 1));
    out->count = left < STORE_MAX ? left : STORE_MAX;
    return (out->fault & ~(uint64_t)(PAGE - 1)) == watch_page_begin(page) &&
           process_read(thread, out->fault, out->before, out->count) == out->count &&
           process_read(thread, watch_page_begin(page), out->page, PAGE) == PAGE &&
           read_values(page, thread, out->values);
}

static part part_of(const watched_bytes *value, const page_store *store)
{
    const uint64_t reach = store->fault + store->count;
    const uint64_t end = value->address + value->bytes;
    if (value->bytes == 0 || end <= store->fault || value->address >= reach) {
        return (part){0, 0};
    }
    return (part){value->address > store->fault ? (size_t)(value->address - store->fault) : 0,
                  (size_t)((end < reach ? end : reach) - store->fault)};
}

static bool differs(const part *at, const uint8_t *a, const uint8_t *b)
{
    return memcmp(a + at->begin, b + at->begin, at->end - at->begin) != 0;
}

// Execute a store a second time. Then restore the registers to those after the first time.
static bool step_again(pid_t thread, const page_store *store)
{
    struct user_regs_struct registers = {0};
    struct user_fpregs_struct numbers = {0};
    int status = 0;
    if (ptrace(PTRACE_GETREGS, thread, NULL, &registers) != 0 ||
        ptrace(PTRACE_GETFPREGS, thread, NULL, &numbers) != 0) {
        return false;
    }
    const bool is_good = ptrace(PTRACE_SETREGS, thread, NULL, &store->registers) == 0 &&
                         run_to_stop(thread, PTRACE_SINGLESTEP, &status);
    (void)ptrace(PTRACE_SETREGS, thread, NULL, &registers);
    (void)ptrace(PTRACE_SETFPREGS, thread, NULL, &numbers);
    return is_good;
}

// Execute a store a second time, over inverted bytes of the values that it may have written. This
// tells a store that missed a value from one that wrote what was already there. Then restore memory
// and registers to those after the first time.
// @param after   memory after the store, as long as store->before
// @param unsure  bit i: value i may be written
// @return bit i: value i is written
static uint32_t writes_again(const part parts[CHECK_WATCHED_MAX], pid_t thread,
                             const page_store *store, const uint8_t *after, uint32_t unsure)
{
    uint8_t other[sizeof(store->before)];
    uint8_t again[sizeof(store->before)] = {0};
    uint32_t written = 0;
    memcpy(other, store->before, store->count);
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX; i++) {
        for (size_t k = parts[i].begin; (unsure >> i & 1) != 0 && k < parts[i].end; k++) {
            other[k] = (uint8_t)~store->before[k];
        }
    }
    const bool is_repeated =
        copy_out(thread, store->fault, other, store->count) && step_again(thread, store) &&
        process_read(thread, store->fault, again, store->count) == store->count;
    (void)copy_out(thread, store->fault, after, store->count);
    for (uint32_t i = 0; is_repeated && i < CHECK_WATCHED_MAX; i++) {
        written |= (unsure >> i & 1) != 0 && differs(&parts[i], again, other) ? 1u << i : 0;
    }
    return written;
}

// Write some values of the page.
// @param values   bit i: write value i
// @param inverts  bits to invert in each value
static bool write_values(const watch_page *page, pid_t thread, uint32_t values,
                         const uint64_t bits[CHECK_WATCHED_MAX], uint64_t inverts)
{
    bool is_good = true;
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX; i++) {
        const watched_bytes *value = &page->watched[i];
        const uint64_t written = bits[i] ^ inverts;
        is_good &=
            (values >> i & 1) == 0 || copy_out(thread, value->address, &written, value->bytes);
    }
    return is_good;
}

// As writes_again(), for values that are not close behind the fault.
// @param after   memory after the store, as long as store->before
// @param values  values after the store
static uint32_t writes_far_again(const watch_page *page, pid_t thread, const page_store *store,
                                 const uint8_t *after, const uint64_t values[CHECK_WATCHED_MAX],
                                 uint32_t unsure)
{
    uint64_t other[CHECK_WATCHED_MAX] = {0};
    uint64_t again[CHECK_WATCHED_MAX] = {0};
    uint32_t written = 0;
    const bool is_repeated = write_values(page, thread, unsure, values, UINT64_MAX) &&
                             read_values(page, thread, other) && step_again(thread, store) &&
                             read_values(page, thread, again);
    (void)write_values(page, thread, unsure, values, 0);
    (void)copy_out(thread, store->fault, after, store->count);
    for (uint32_t i = 0; is_repeated && i < CHECK_WATCHED_MAX; i++) {
        written |= (unsure >> i & 1) != 0 && again[i] != other[i] ? 1u << i : 0;
    }
    return written;
}

// Return true if a store wrote to the page outside of the bytes from its fault on, as fxsave and
// vpscatter do.
static bool has_far_bytes(const watch_page *page, pid_t thread, const page_store *store)
{
    uint8_t after[PAGE];
    const size_t begin = (size_t)(store->fault & (PAGE - 1));
    const size_t end = begin + store->count;
    return process_read(thread, watch_page_begin(page), after, PAGE) == PAGE &&
           (memcmp(after, store->page, begin) != 0 ||
            memcmp(after + end, store->page + end, PAGE - end) != 0);
}

// Find the values that a store, which the thread has just executed, wrote.
// @return bit i: value i
static uint32_t find_written(const watch_page *page, pid_t thread, const page_store *store)
{
    uint8_t after[sizeof(store->before)];
    uint64_t values[CHECK_WATCHED_MAX];
    part parts[CHECK_WATCHED_MAX];
    uint32_t written = 0;
    uint32_t unsure = 0;
    uint32_t far = 0;
    if (process_read(thread, store->fault, after, store->count) != store->count ||
        !read_values(page, thread, values)) {
        return 0;
    }
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX; i++) {
        const uint32_t bit = 1u << i;
        parts[i] = part_of(&page->watched[i], store);
        const bool is_near = parts[i].end != 0;
        // The store writes the byte at which it faulted.
        const bool is_sure = (is_near && parts[i].begin == 0) || values[i] != store->values[i];
        written |= is_sure ? bit : 0;
        unsure |= is_near && !is_sure ? bit : 0;
        far |= !is_near && !is_sure && watch_page_has(page, i) ? bit : 0;
    }
    written |= unsure != 0 ? writes_again(parts, thread, store, after, unsure) : 0;
    if (far != 0 && has_far_bytes(page, thread, store)) {
        written |= writes_far_again(page, thread, store, after, values, far);
    }
    return written;
}

bool watch_page_take(const watch_page *page, pid_t thread, int *status, int *out_signal,
                     uint32_t *out_values)
{
    page_store store = {0};
    int now = 0;
    *out_signal = 0;
    *out_values = 0;
    if (!read_store(page, thread, &store) || !watch_page_open(page, thread)) {
        return false;
    }
    if (!run_to_stop(thread, PTRACE_SINGLESTEP, &now)) {
        *status = now;
        return false;
    }
    const bool is_stored = WSTOPSIG(now) == SIGTRAP;
    *out_values = is_stored ? find_written(page, thread, &store) : 0;
    (void)watch_page_close(page, thread);
    if (!is_stored) {
        *status = now; // the instruction faults elsewhere, too, or a signal came before it
        return false;
    }
    *out_signal = (store.registers.eflags & trap_flag) != 0 ? SIGTRAP : 0;
    return true;
}

#else

uint64_t watch_page_gate(void)
{
    return 0;
}

#endif
