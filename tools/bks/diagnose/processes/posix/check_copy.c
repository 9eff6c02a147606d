// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/check_copy.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tool.h"
#include "diagnose/processes/check_patience.h"

enum { TRY_S = 8 };

static const uint64_t wait_ns = 200000;

bool check_copy_is_possible(void)
{
    return true;
}

pid_t check_copy_make(void)
{
    const pid_t process = fork();
    if (process == 0) {
        sigset_t alarms;
        (void)sigemptyset(&alarms);
        (void)sigaddset(&alarms, SIGALRM);
        (void)signal(SIGALRM, SIG_DFL);
        (void)sigprocmask(SIG_UNBLOCK, &alarms, NULL);
        (void)alarm(TRY_S);
    }
    return process;
}

// The game may have a timer whose signals interrupt.
bool check_copy_wait(const variant_process *variant, pid_t process)
{
    int status = 0;
    char why[160];
    check_look look;
    pid_t ended = 0;
    check_look_begin(&look, process, CHECK_FOR_A_COPY, variant->tape->baseline_most_ns);
    while (process > 0 && (ended = waitpid(process, &status, WNOHANG)) != process &&
           (ended == 0 || errno == EINTR)) {
        if (check_look_hangs(&look, why, sizeof(why))) {
            (void)kill(process, SIGKILL);
        }
        tool_sleep_ns(wait_ns);
    }
    // Of a game that ignores SIGCHLD there is no status, and it counts as ended by itself.
    return process > 0 && !WIFSIGNALED(status);
}
