// SPDX-License-Identifier: MIT

// bks-check: program of the processes that `bks check`, `bks doctor` and `bks replay diff` start.
// The program links neither window nor web, so it starts in a seventh of the time that bks takes.

#include "base/crash.h"
#include "base/tool.h"
#include "diagnose/check/check_run.h"
#include "diagnose/doctor/doctor_play.h"
#include "diagnose/processes/check_task.h"

int main(void)
{
    tool_guard_streams();
    tool_log_open(false);
    crash_catch();
    const check_task task = check_task_read();
    return tool_close_output(task.role == CHECK_PLAYS ? doctor_play_process(&task)
                                                      : check_run_process(&task));
}
