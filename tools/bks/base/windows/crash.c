// SPDX-License-Identifier: MIT

#include "base/crash.h"

#include <signal.h>
#include <stdio.h>
#include <windows.h>

#include "base/stop.h"

/// Bytes of stack that Windows reserves, so that a stack overflow can be reported.
enum { STACK_BYTES = 65536 };

static LPTOP_LEVEL_EXCEPTION_FILTER before;

bool crash_is(uint32_t status)
{
    return (status >> 31 & 1) == 1 && (status >> 28 & 1) == 0;
}

const char *crash_name(uint32_t code, char out[CRASH_NAME_BYTES])
{
    switch (code) {
    case EXCEPTION_DATATYPE_MISALIGNMENT:
        return "misaligned address";
    case EXCEPTION_BREAKPOINT:
        return "breakpoint";
    case EXCEPTION_ACCESS_VIOLATION:
        return "access violation";
    case EXCEPTION_STACK_OVERFLOW:
        return "stack overflow";
    case EXCEPTION_INT_DIVIDE_BY_ZERO:
        return "division by zero";
    case EXCEPTION_ILLEGAL_INSTRUCTION:
        return "illegal instruction";
    case EXCEPTION_PRIV_INSTRUCTION:
        return "privileged instruction";
    case EXCEPTION_IN_PAGE_ERROR:
        return "page that cannot be read";
    case CRASH_ABORTED:
        return "abort";
    case STOP_ENDED:
        return "ended by another process";
    default:
        (void)snprintf(out, CRASH_NAME_BYTES, "exception 0x%08x", (unsigned)code);
        return out;
    }
}

/// Report a crash, in the thread that crashed. The system then ends the program with the
/// exception's code as exit status. No debugger starts, because its text would interrupt the
/// report.
static LONG WINAPI catch_exception(EXCEPTION_POINTERS *exception)
{
    char name[CRASH_NAME_BYTES];
    (void)crash_report("crashed", crash_name(exception->ExceptionRecord->ExceptionCode, name));
    return EXCEPTION_EXECUTE_HANDLER;
}

static void catch_abort(int number)
{
    (void)number;
    (void)crash_report("crashed", "SIGABRT");
    (void)TerminateProcess(GetCurrentProcess(), CRASH_ABORTED);
}

void crash_system_catch(void)
{
    // Reserve stack for the handler, because a step may have used up the thread's stack.
    ULONG bytes = STACK_BYTES;
    (void)SetThreadStackGuarantee(&bytes);
    before = SetUnhandledExceptionFilter(catch_exception);
    (void)signal(SIGABRT, catch_abort);
}

void crash_system_release(void)
{
    (void)SetUnhandledExceptionFilter(before);
    (void)signal(SIGABRT, SIG_DFL);
}
