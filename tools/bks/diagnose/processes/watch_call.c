// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/watch_call.h"

#if defined(__linux__) && defined(__x86_64__)

#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

/// CALL_INFO: PTRACE_GET_SYSCALL_INFO, which old headers lack. RECORD_BYTES: bytes of a record
/// without a count among the arguments, such as that of fstat(). ITEM_BYTES: most bytes of an item
/// whose count is an argument, such as that of epoll_wait().
enum { CALL_INFO = 0x420e, INFO_BYTES = 128, RECORD_BYTES = 4096, ITEM_BYTES = 16 };

/// Arguments above this are no counts.
static const uint64_t count_max = INT32_MAX;

/// Numbers of calls that headers may lack.
enum { CALL_PREADV2 = 327, CALL_IO_URING_ENTER = 426, CALL_CLONE3 = 435 };

/// Calls that must not be begun again, or that may wait for another thread and write nothing.
static const long untouched[] = {SYS_rt_sigreturn, SYS_clone, CALL_CLONE3,    SYS_fork, SYS_vfork,
                                 SYS_execve,       SYS_exit,  SYS_exit_group, SYS_futex};

/// Calls that find the addresses to write to in other memory.
static const long indirect[] = {
    SYS_readv, SYS_preadv,       CALL_PREADV2,         SYS_recvmsg,           SYS_recvmmsg,
    SYS_ioctl, SYS_io_getevents, SYS_process_vm_readv, SYS_process_vm_writev, CALL_IO_URING_ENTER};

static bool has(const long *calls, size_t count, unsigned long long call)
{
    size_t i = 0;
    while (i < count && (unsigned long long)calls[i] != call) {
        i++;
    }
    return i < count;
}

watch_call_stage watch_call_at(pid_t thread)
{
    uint8_t info[INFO_BYTES] = {0};
    if (ptrace((enum __ptrace_request)CALL_INFO, thread, (void *)sizeof(info), info) <= 0) {
        return WATCH_CALL_UNKNOWN;
    }
    return info[0] == 1 ? WATCH_CALL_BEGINS : info[0] == 2 ? WATCH_CALL_ENDS : WATCH_CALL_UNKNOWN;
}

bool watch_call_may_write(pid_t thread, uint64_t address, uint64_t bytes)
{
    struct user_regs_struct r = {0};
    uint64_t reach = RECORD_BYTES;
    if (ptrace(PTRACE_GETREGS, thread, NULL, &r) != 0 ||
        has(untouched, sizeof(untouched) / sizeof(untouched[0]), r.orig_rax)) {
        return false;
    }
    const uint64_t arguments[6] = {r.rdi, r.rsi, r.rdx, r.r10, r.r8, r.r9};
    for (int i = 0; i < 6; i++) {
        const uint64_t counted = arguments[i] <= count_max ? arguments[i] * ITEM_BYTES : 0;
        reach = counted > reach ? counted : reach;
    }
    bool may = has(indirect, sizeof(indirect) / sizeof(indirect[0]), r.orig_rax);
    for (int i = 0; i < 6; i++) {
        may |= arguments[i] < address + bytes && arguments[i] + reach > address;
    }
    return may;
}

#endif
