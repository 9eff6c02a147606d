// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/stop.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

static volatile sig_atomic_t wanted;
static void (*volatile restore_now)(void);

void stop_restore(void)
{
    void (*restore)(void) = restore_now;
    restore_now = NULL;
    if (restore != NULL) {
        restore();
    }
}

static void remember(int number)
{
    if (wanted && number == SIGINT) {
        stop_restore();
        (void)signal(SIGINT, SIG_DFL);
        (void)raise(SIGINT);
    }
    wanted = 1;
}

static void quit(int number)
{
    stop_restore();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

void stop_catch(void)
{
    // No SA_RESTART: a sleep or poll ends, so that the program answers at once.
    struct sigaction action = {.sa_handler = remember};
    sigemptyset(&action.sa_mask);
    static const int asked[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        (void)sigaction(asked[i], &action, NULL);
    }
}

bool stop_is_wanted(void)
{
    return wanted != 0;
}

void stop_at_end(void (*restore)(void))
{
    static bool is_installed;
    restore_now = restore;
    if (is_installed || restore == NULL) {
        return;
    }
    is_installed = true;
    (void)atexit(stop_restore);
    struct sigaction action = {.sa_handler = quit, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    (void)sigaction(SIGQUIT, &action, NULL);
}
