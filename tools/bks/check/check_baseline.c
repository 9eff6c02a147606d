// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "check/check_baseline.h"

#include <signal.h>
#include <stdio.h>

#include "check/check_watch.h"

static void find(check_tape *tape, pid_t process, const char *why)
{
    check_finding *found = &tape->result.found;
    const char *mark =
        tape->mark_count > 0 ? tape->marks[tape->mark_count - 1].name : CHECK_MARK_START;
    *found = (check_finding){.tick = tape->tick, .is_of_baseline = true};
    (void)snprintf(found->mark, sizeof(found->mark), "%s", mark);
    (void)snprintf(found->b, sizeof(found->b), "does not end");
    (void)snprintf(found->note, sizeof(found->note), "%s", why);
    check_watch_where(process, tape->addresses.code, &found->written_b);
    tape->result.same = CHECK_DIFFERS;
}

bool check_baseline_hangs(check_baseline *baseline, check_tape *tape, pid_t process)
{
    const uint32_t stretch = tape->stretch;
    char why[160];
    if (stretch != baseline->stretch) {
        // Before its addresses are known it loads the game and makes its state.
        const check_allowance allowance =
            tape->addresses.code == 0 ? CHECK_FOR_A_START : CHECK_FOR_THE_FIRST;
        baseline->stretch = stretch;
        check_look_begin(&baseline->look, process, allowance, tape->baseline_most_ns);
    }
    if (stretch == 0 || !check_look_hangs(&baseline->look, why, sizeof(why))) {
        return false;
    }
    find(tape, process, why);
    (void)kill(process, SIGKILL);
    return true;
}
