// SPDX-License-Identifier: MIT

#include "diagnose/processes/check_baseline.h"

#include <stdio.h>
#include <string.h>

#include "base/child.h"
#include "diagnose/processes/check_watch.h"

static check_finding *find(check_tape *tape, const char *what)
{
    check_finding *found = &tape->result.found;
    const char *mark =
        tape->mark_count > 0 ? tape->marks[tape->mark_count - 1].name : CHECK_MARK_START;
    *found = (check_finding){.tick = tape->tick, .is_of_baseline = true};
    (void)snprintf(found->mark, sizeof(found->mark), "%s", mark);
    (void)snprintf(found->b, sizeof(found->b), "%s", what);
    tape->result.same = CHECK_DIFFERS;
    return found;
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
    check_finding *found = find(tape, "does not end");
    (void)snprintf(found->note, sizeof(found->note), "%s", why);
    check_watch_where(process, tape->addresses.code, &found->written_b);
    child_kill(process);
    return true;
}

void check_baseline_ended(check_tape *tape, int signal_number)
{
    char what[64] = "ends the program";
    if (signal_number != 0) {
        child_crash_text(signal_number, what, sizeof(what));
    }
    check_finding *found = find(tape, what);
    found->has_crashed = true;
    found->written_b = tape->crashed;
    if (signal_number == 0 && !tape->request.is_wanted) {
        (void)snprintf(found->written_b.why, sizeof(found->written_b.why),
                       "it ends without a signal; `repeat` records it for a debugger");
    }
}
