// SPDX-License-Identifier: MIT
//
// Rejects options that only Linux supports: those that fork processes, watch them, or start them at
// other addresses. commands.c rejects whole commands.

#include <string.h>

#include "base/tool.h"
#include "diagnose/doctor/doctor_report.h"
#include "play/demo.h"
#include "watch/watch_source.h"
#include "workshop/lab/lab_parts.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static int refuse(const char *what)
{
    tool_complain(what, "does not work on Windows, only on Linux");
    return TOOL_MISUSE;
}

void doctor_c_test_command(const doctor_case *c, char out[DOCTOR_C_TEST_COMMAND_BYTES])
{
    out[0] = '\0';
}

int demo_run(const demo_config *config, char recorded[PLAY_RECORDED_BYTES])
{
    return refuse("the demo");
}

int lab_udp_run(const lab_setup *setup, lab_outcome *outcome)
{
    return refuse("--udp");
}

bool watch_http_is_url(const char *where)
{
    return strncmp(where, "http://", 7) == 0 || strncmp(where, "https://", 8) == 0;
}

int watch_http_open(const char *where, watch_feed **out)
{
    *out = NULL;
    tool_complain(where, "cannot be watched by its URL on Windows, only a file can");
    return TOOL_MISUSE;
}
