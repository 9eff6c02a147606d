// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/crash.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/crash_report.h"
#include "base/stop.h"
#include "base/tool.h"

enum { STACK_BYTES = 65536, SIGNALS = 5 };

static const int numbers[SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static const char *const names[SIGNALS] = {"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT"};
static struct sigaction before[SIGNALS];
static volatile sig_atomic_t is_caught;
static volatile sig_atomic_t is_reporting;

static void report(int number, siginfo_t *info, void *context)
{
    (void)context;
    size_t index = 0;
    while (index + 1 < SIGNALS && numbers[index] != number) {
        index++;
    }
    bks_step_place place;
    if (!is_reporting) {
        is_reporting = 1;
        stop_restore();
        if (bks_stepping(&place)) {
            crash_report_write("crashed", names[index], &place);
        }
    }
    // The default action follows: the instruction faults again, abort() continues, and a signal of
    // another process is sent once more.
    (void)sigaction(number, &before[index], NULL);
    if (info->si_code <= 0) {
        (void)raise(number);
    }
}

// A step that ends the program would look like a command that went well.
static void report_exit(void)
{
    bks_step_place place;
    if (!is_caught || is_reporting || !bks_stepping(&place)) {
        return;
    }
    is_reporting = 1;
    stop_restore();
    crash_report_write("ended the program", "exit", &place);
    _exit(TOOL_NO);
}

void crash_catch(void)
{
    static char stack[STACK_BYTES]; // a step may have used up its own
    if (is_caught) {
        return;
    }
    is_caught = 1;
    (void)atexit(report_exit);
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
    (void)sigaltstack(&other, NULL);
    struct sigaction action = {.sa_sigaction = report, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNALS; i++) {
        (void)sigaction(numbers[i], &action, &before[i]);
    }
}

void crash_release(void)
{
    for (size_t i = 0; is_caught && i < SIGNALS; i++) {
        (void)sigaction(numbers[i], &before[i], NULL);
    }
    is_caught = 0;
}
