// SPDX-License-Identifier: MIT

#include "diagnose/processes/check_seat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/system.h"
#include "base/tool.h"
#include "diagnose/processes/check_seat_system.h"

static const char seat_name[] = "BKS_CHECK_SEAT";

enum { ARGUMENTS_MAX = 256 };

check_seat check_seat_read(void)
{
    check_seat seat = {0};
    check_seat read = {0};
    uint32_t role = 0;
    const char *text = getenv(seat_name);
    if (text != NULL && sscanf(text, "%" SCNu32 ":%" SCNu32 ":%d:%d:%d", &role, &read.variant,
                               &read.tape, &read.talk.receives, &read.talk.sends) == 5) {
        seat = read;
        seat.role = role == CHECK_BASELINE ? CHECK_BASELINE
                    : role == CHECK_PLAYS  ? CHECK_PLAYS
                                           : CHECK_VARIES;
    }
    return seat;
}

bool check_seat_start(const check_seat *seat, char **argv, uint32_t how, child *process)
{
    static char name[] = "bks";
    char *words[CHECK_TOOL_WORDS + ARGUMENTS_MAX + 2] = {0};
    const char *tool = check_seat_tool(how, words);
    const int before_name = tool != NULL ? CHECK_TOOL_WORDS : 0;
    words[before_name] = tool != NULL ? (char *)(uintptr_t)tool_program_path() : name;
    for (int i = 0; i < ARGUMENTS_MAX && argv[i] != NULL; i++) {
        words[before_name + i + 1] = argv[i];
    }
    // As long as any other: what lies behind it on the stack is where it would be.
    char text[64];
    (void)snprintf(text, sizeof(text), "%02d:%02" PRIu32 ":%06d:%06d:%06d", (int)seat->role,
                   seat->variant, seat->tape, seat->talk.receives, seat->talk.sends);
    (void)system_set_environment(seat_name, text);
    const bool is_started =
        check_seat_spawn(how, tool != NULL ? tool : tool_program_path(), words, process);
    (void)system_set_environment(seat_name, NULL);
    return is_started;
}
