// SPDX-License-Identifier: MIT

#include "base/crash.h"

#include <signal.h>
#include <stdlib.h>
#include <windows.h>

#include "base/crash_report.h"
#include "base/stop.h"
#include "base/tool.h"

static volatile LONG is_caught;
static volatile LONG is_reporting;
static LPTOP_LEVEL_EXCEPTION_FILTER before;

static const char *name_of(DWORD code)
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
    default:
        return "exception";
    }
}

static void report(const char *what, const char *detail)
{
    bks_step_place place;
    if (InterlockedExchange(&is_reporting, 1) == 0) {
        stop_restore();
        if (bks_stepping(&place)) {
            crash_report_write(what, detail, &place);
        }
    }
}

/// In the thread that crashed. The system ends the program afterwards.
static LONG WINAPI catch_exception(EXCEPTION_POINTERS *exception)
{
    report("crashed", name_of(exception->ExceptionRecord->ExceptionCode));
    return before != NULL ? before(exception) : EXCEPTION_CONTINUE_SEARCH;
}

static void catch_abort(int number)
{
    (void)number;
    report("crashed", "SIGABRT"); // abort() continues
}

/// A step that ends the program would look like a command that went well.
static void report_exit(void)
{
    bks_step_place place;
    if (is_caught && !is_reporting && bks_stepping(&place)) {
        report("ended the program", "exit");
        _exit(TOOL_NO);
    }
}

void crash_catch(void)
{
    if (is_caught) {
        return;
    }
    is_caught = 1;
    (void)atexit(report_exit);
    before = SetUnhandledExceptionFilter(catch_exception);
    (void)signal(SIGABRT, catch_abort);
}

void crash_release(void)
{
    if (is_caught) {
        (void)SetUnhandledExceptionFilter(before);
        (void)signal(SIGABRT, SIG_DFL);
    }
    is_caught = 0;
}
