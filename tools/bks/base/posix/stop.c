// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/stop.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "backstitch/game.h"

static volatile sig_atomic_t asked_by;
/// Tick of the step that ran at the last check. BKS_TICK_NONE: no step ran.
static volatile bks_tick stepped;

static bks_tick stepping(void)
{
    bks_step_place place;
    return bks_stepping(&place) ? place.tick : BKS_TICK_NONE;
}

/// Check whether the game's step ended since the last check, STOP_STEP_S ago. If not, end the
/// program.
static void look_again(int number)
{
    (void)number;
    const bks_tick tick = stepping();
    if (tick == BKS_TICK_NONE || tick != stepped) {
        stepped = tick;
        (void)alarm(STOP_STEP_S);
        return;
    }
    static const char text[] = STOP_STEP_TEXT;
    stop_restore();
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    (void)signal(asked_by, SIG_DFL);
    (void)raise(asked_by);
}

static void watch_step(int number)
{
    struct sigaction action = {.sa_handler = look_again};
    sigemptyset(&action.sa_mask);
    asked_by = number;
    stepped = stepping();
    (void)sigaction(SIGALRM, &action, NULL);
    (void)alarm(STOP_STEP_S);
}

static void remember(int number)
{
    const bool was_wanted = stop_remember();
    if (was_wanted && number == SIGINT) {
        stop_restore();
        (void)signal(SIGINT, SIG_DFL);
        (void)raise(SIGINT);
    }
    if (!was_wanted) {
        watch_step(number);
    }
}

static void quit(int number)
{
    stop_restore();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

void stop_catch(void)
{
    // Without SA_RESTART, a signal ends a sleep or poll, so the program answers at once.
    struct sigaction action = {.sa_handler = remember};
    sigemptyset(&action.sa_mask);
    static const int asked[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        (void)sigaction(asked[i], &action, NULL);
    }
}

void stop_at_end(void (*restore)(void))
{
    if (!stop_keep(restore)) {
        return;
    }
    struct sigaction action = {.sa_handler = quit, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    (void)sigaction(SIGQUIT, &action, NULL);
}
