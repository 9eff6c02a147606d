// SPDX-License-Identifier: MIT

#include "base/crash_windows.h"

#include <signal.h>
#include <windows.h>

#include "base/crash_report.h"

static LPTOP_LEVEL_EXCEPTION_FILTER before;

const char *crash_name(uint32_t code)
{
    switch (code) {
    case EXCEPTION_ACCESS_VIOLATION:
        return "access violation";
    case EXCEPTION_STACK_OVERFLOW:
        return "stack overflow";
    case EXCEPTION_INT_DIVIDE_BY_ZERO:
        return "division by zero";
    case EXCEPTION_ILLEGAL_INSTRUCTION:
        return "illegal instruction";
    case CRASH_ABORTED:
        return "abort";
    case CRASH_ENDED:
        return "ended by another process";
    default:
        return "exception";
    }
}

/// In the thread that crashed. The system ends the program afterwards.
static LONG WINAPI catch_exception(EXCEPTION_POINTERS *exception)
{
    (void)crash_report("crashed", crash_name(exception->ExceptionRecord->ExceptionCode));
    return before != NULL ? before(exception) : EXCEPTION_CONTINUE_SEARCH;
}

static void catch_abort(int number)
{
    (void)number;
    (void)crash_report("crashed", "SIGABRT");
    (void)TerminateProcess(GetCurrentProcess(), CRASH_ABORTED);
}

void crash_system_catch(void)
{
    before = SetUnhandledExceptionFilter(catch_exception);
    (void)signal(SIGABRT, catch_abort);
}

void crash_system_release(void)
{
    (void)SetUnhandledExceptionFilter(before);
    (void)signal(SIGABRT, SIG_DFL);
}
