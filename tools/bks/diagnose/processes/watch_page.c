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

/// STORE_MAX: bytes of the widest store, a register of AVX-512.
enum { STORE_MAX = 64, PAGE = 4096, EVENT_SHIFT = 16 };

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
    r.rdi = page->watched[0].address & ~(uint64_t)(PAGE - 1);
    r.rsi = PAGE;
    r.rdx = protection;
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
    if (other != 0) {
        (void)syscall(SYS_tgkill, getpid(), thread, other);
    }
    return is_good;
}

bool watch_page_close(const watch_page *page, pid_t thread)
{
    return protect(page, thread, PROT_READ);
}

bool watch_page_open(const watch_page *page, pid_t thread)
{
    return protect(page, thread, PROT_READ | PROT_WRITE);
}

// ---- a store to the page ----

/// Store that faulted, and the memory from its first byte on the page on that it may reach.
typedef struct page_store {
    uint64_t fault; // address of the first byte that the store writes on the page
    size_t count;   // size of `before` in bytes
    struct user_regs_struct registers; // registers before the store
    uint8_t before[STORE_MAX];         // memory before the store
} page_store;

/// Part of a page_store's memory that belongs to a watched value.
typedef struct part {
    size_t begin;
    size_t end; // 0: the store cannot reach the value
} part;

static bool copy_in(pid_t thread, uint64_t address, void *out, size_t count)
{
    const struct iovec to = {.iov_base = out, .iov_len = count};
    const struct iovec from = {.iov_base = (void *)(uintptr_t)address, .iov_len = count};
    return process_vm_readv(thread, &to, 1, &from, 1, 0) == (ssize_t)count;
}

static bool copy_out(pid_t thread, uint64_t address, const void *bytes, size_t count)
{
    const struct iovec from = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = count};
    const struct iovec to = {.iov_base = (void *)(uintptr_t)address, .iov_len = count};
    return process_vm_writev(thread, &from, 1, &to, 1, 0) == (ssize_t)count;
}

// Read the store at which a thread has faulted.
// @return false if SIGSEGV has another reason than the page
static bool read_store(const watch_page *page, pid_t thread, page_store *out)
{
    siginfo_t info = {0};
    const uint64_t first = page->watched[0].address;
    if (ptrace(PTRACE_GETSIGINFO, thread, NULL, &info) != 0 || info.si_code != SEGV_ACCERR ||
        ptrace(PTRACE_GETREGS, thread, NULL, &out->registers) != 0) {
        return false;
    }
    out->fault = (uint64_t)(uintptr_t)info.si_addr;
    const size_t left = PAGE - (size_t)(out->fault & (PAGE - 1));
    out->count = left < STORE_MAX ? left : STORE_MAX;
    return (out->fault & ~(uint64_t)(PAGE - 1)) == (first & ~(uint64_t)(PAGE - 1)) &&
           copy_in(thread, out->fault, out->before, out->count);
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

// Execute a store a second time, over inverted bytes of the values that it may have written. This
// tells a store that missed a value from one that wrote what was already there. Then restore memory
// and registers to those after the first time.
// @param after   memory after the store, as long as store->before
// @param unsure  bit i: value i may be written
// @return bit i: value i is written
static uint32_t writes_again(const part parts[CHECK_WATCHED_MAX], pid_t thread,
                             const page_store *store, const uint8_t *after, uint32_t unsure)
{
    struct user_regs_struct registers = {0};
    struct user_fpregs_struct numbers = {0};
    uint8_t other[sizeof(store->before)];
    uint8_t again[sizeof(store->before)] = {0};
    int status = 0;
    uint32_t written = 0;
    memcpy(other, store->before, store->count);
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX; i++) {
        for (size_t k = parts[i].begin; (unsure >> i & 1) != 0 && k < parts[i].end; k++) {
            other[k] = (uint8_t)~store->before[k];
        }
    }
    if (ptrace(PTRACE_GETREGS, thread, NULL, &registers) != 0 ||
        ptrace(PTRACE_GETFPREGS, thread, NULL, &numbers) != 0) {
        return 0;
    }
    const bool is_repeated = copy_out(thread, store->fault, other, store->count) &&
                             ptrace(PTRACE_SETREGS, thread, NULL, &store->registers) == 0 &&
                             run_to_stop(thread, PTRACE_SINGLESTEP, &status) &&
                             copy_in(thread, store->fault, again, store->count);
    (void)copy_out(thread, store->fault, after, store->count);
    (void)ptrace(PTRACE_SETREGS, thread, NULL, &registers);
    (void)ptrace(PTRACE_SETFPREGS, thread, NULL, &numbers);
    for (uint32_t i = 0; is_repeated && i < CHECK_WATCHED_MAX; i++) {
        written |= (unsure >> i & 1) != 0 && differs(&parts[i], again, other) ? 1u << i : 0;
    }
    return written;
}

// Find the values that a store, which the thread has just executed, wrote.
// @return bit i: value i
static uint32_t find_written(const watch_page *page, pid_t thread, const page_store *store)
{
    uint8_t after[sizeof(store->before)];
    part parts[CHECK_WATCHED_MAX];
    uint32_t written = 0;
    uint32_t unsure = 0;
    if (!copy_in(thread, store->fault, after, store->count)) {
        return 0;
    }
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX; i++) {
        parts[i] = part_of(&page->watched[i], store);
        if (parts[i].end == 0) {
            continue;
        }
        // The store writes the byte at which it faulted.
        const bool is_sure = parts[i].begin == 0 || differs(&parts[i], after, store->before);
        written |= is_sure ? 1u << i : 0;
        unsure |= is_sure ? 0 : 1u << i;
    }
    return written | (unsure != 0 ? writes_again(parts, thread, store, after, unsure) : 0);
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
