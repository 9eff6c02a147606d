// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/crash.h"

#include <signal.h>
#include <stddef.h>

enum { STACK_BYTES = 65536, SIGNALS = 5 };

static const int numbers[SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static const char *const names[SIGNALS] = {"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT"};
static struct sigaction before[SIGNALS];

static void report(int number, siginfo_t *info, void *context)
{
    (void)context;
    size_t index = 0;
    while (index + 1 < SIGNALS && numbers[index] != number) {
        index++;
    }
    (void)crash_report("crashed", names[index]);
    // With the default action restored, the program ends as usual: the faulting instruction faults
    // again, abort() continues, and a signal from another process is sent once more.
    (void)sigaction(number, &before[index], NULL);
    if (info->si_code <= 0) {
        (void)raise(number);
    }
}

void crash_system_catch(void)
{
    // Give the handler a stack of its own, because a step may have used up the thread's stack.
    static char stack[STACK_BYTES];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
    (void)sigaltstack(&other, NULL);
    struct sigaction action = {.sa_sigaction = report, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNALS; i++) {
        (void)sigaction(numbers[i], &action, &before[i]);
    }
}

void crash_system_release(void)
{
    for (size_t i = 0; i < SIGNALS; i++) {
        (void)sigaction(numbers[i], &before[i], NULL);
    }
}
