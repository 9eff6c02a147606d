// SPDX-License-Identifier: MIT

#include "base/crash.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/crash_report.h"
#include "base/tool.h"

static bool is_caught;

// A step that ends the program would look like a command that went well.
static void report_exit(void)
{
    bks_step_place place;
    if (is_caught && bks_stepping(&place) && crash_report("ended the program", "exit")) {
        _exit(TOOL_NO);
    }
}

void crash_catch(void)
{
    if (is_caught) {
        return;
    }
    is_caught = true;
    (void)atexit(report_exit);
    crash_system_catch();
}

void crash_release(void)
{
    if (is_caught) {
        crash_system_release();
    }
    is_caught = false;
}
