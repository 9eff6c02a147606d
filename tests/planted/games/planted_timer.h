// SPDX-License-Identifier: MIT

/// @file planted_timer.h
/// A timer whose signals interrupt whoever waits. Define _GNU_SOURCE before all headers.

#ifndef BKS_PLANTED_TIMER_H
#define BKS_PLANTED_TIMER_H

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static inline void planted_hear_timer(int number)
{
    (void)number;
}

/// Begin: a SIGALRM every millisecond.
static inline void planted_begin_timer(void)
{
    const struct sigaction action = {.sa_handler = planted_hear_timer};
    (void)sigaction(SIGALRM, &action, NULL);
    const struct itimerval often = {{0, 1000}, {0, 1000}};
    (void)setitimer(ITIMER_REAL, &often, NULL);
}

#endif
