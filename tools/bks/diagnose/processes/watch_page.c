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

/// WATCHED_MAX: most watched bytes. STORE_MAX: bytes of the widest store, a register of AVX-512.
enum { WATCHED_MAX = 8, STORE_MAX = 64, PAGE = 4096, EVENT_SHIFT = 16 };

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
    r.rdi = page->address & ~(uint64_t)(PAGE - 1);
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

/// Store that faulted, and the memory from its first byte on the page to the last watched byte.
typedef struct page_store {
    uint64_t fault; // address of the first byte that the store writes on the page
    size_t count;   // size of `before` in bytes; 0: the store cannot reach the watched bytes
    struct user_regs_struct registers;       // registers before the store
    uint8_t before[STORE_MAX + WATCHED_MAX]; // memory before the store
} page_store;

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
    if (ptrace(PTRACE_GETSIGINFO, thread, NULL, &info) != 0 || info.si_code != SEGV_ACCERR ||
        ptrace(PTRACE_GETREGS, thread, NULL, &out->registers) != 0) {
        return false;
    }
    out->fault = (uint64_t)(uintptr_t)info.si_addr;
    const uint64_t end = page->address + page->bytes;
    const bool is_near = out->fault < end && out->fault + STORE_MAX > page->address;
    out->count = is_near ? (size_t)(end - out->fault) : 0;
    return (out->fault ^ page->address) < PAGE &&
           (!is_near || copy_in(thread, out->fault, out->before, out->count));
}

// Execute a store a second time, over inverted watched bytes. This tells a store that missed the
// watched bytes from one that wrote the values that were already there. Then restore memory and
// registers to those after the first time.
// @param after  memory after the store, as long as store->before
// @return true if the store writes watched bytes
static bool writes_again(const watch_page *page, pid_t thread, const page_store *store,
                         const uint8_t *after)
{
    struct user_regs_struct registers = {0};
    struct user_fpregs_struct numbers = {0};
    uint8_t other[sizeof(store->before)];
    uint8_t again[sizeof(store->before)] = {0};
    const size_t watched_from = store->count - page->bytes;
    int status = 0;
    memcpy(other, store->before, store->count);
    for (size_t i = watched_from; i < store->count; i++) {
        other[i] = (uint8_t)~other[i];
    }
    if (ptrace(PTRACE_GETREGS, thread, NULL, &registers) != 0 ||
        ptrace(PTRACE_GETFPREGS, thread, NULL, &numbers) != 0) {
        return false;
    }
    const bool is_repeated = copy_out(thread, store->fault, other, store->count) &&
                             ptrace(PTRACE_SETREGS, thread, NULL, &store->registers) == 0 &&
                             run_to_stop(thread, PTRACE_SINGLESTEP, &status) &&
                             copy_in(thread, store->fault, again, store->count);
    (void)copy_out(thread, store->fault, after, store->count);
    (void)ptrace(PTRACE_SETREGS, thread, NULL, &registers);
    (void)ptrace(PTRACE_SETFPREGS, thread, NULL, &numbers);
    return is_repeated && memcmp(again + watched_from, other + watched_from, page->bytes) != 0;
}

// Return true if a store, which the thread has just executed, wrote watched bytes.
static bool has_written(const watch_page *page, pid_t thread, const page_store *store)
{
    uint8_t after[sizeof(store->before)];
    if (store->count == 0 || !copy_in(thread, store->fault, after, store->count)) {
        return false;
    }
    const size_t watched_from = store->count > page->bytes ? store->count - page->bytes : 0;
    return watched_from == 0 ||
           memcmp(after + watched_from, store->before + watched_from, page->bytes) != 0 ||
           writes_again(page, thread, store, after);
}

watch_page_stop watch_page_take(const watch_page *page, pid_t thread, int *status, int *out_signal)
{
    page_store store = {0};
    int now = 0;
    *out_signal = 0;
    if (!read_store(page, thread, &store) || !watch_page_open(page, thread)) {
        return WATCH_PAGE_OTHER;
    }
    if (!run_to_stop(thread, PTRACE_SINGLESTEP, &now)) {
        *status = now;
        return WATCH_PAGE_OTHER;
    }
    const bool is_stored = WSTOPSIG(now) == SIGTRAP;
    const bool is_written = is_stored && has_written(page, thread, &store);
    (void)watch_page_close(page, thread);
    if (!is_stored) {
        *status = now; // the instruction faults elsewhere, too, or a signal came before it
        return WATCH_PAGE_OTHER;
    }
    *out_signal = (store.registers.eflags & trap_flag) != 0 ? SIGTRAP : 0;
    return is_written ? WATCH_PAGE_WRITTEN : WATCH_PAGE_PASSED;
}

#else

uint64_t watch_page_gate(void)
{
    return 0;
}

#endif
