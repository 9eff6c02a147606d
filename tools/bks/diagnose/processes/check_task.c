// SPDX-License-Identifier: MIT

#include "diagnose/processes/check_task.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/system.h"
#include "base/tool.h"

static const char task_name[] = "BKS_CHECK_TASK";

check_task check_task_read(void)
{
    check_task task = {0};
    check_task read = {0};
    uint32_t role = 0;
    const char *text = getenv(task_name);
    if (text != NULL && sscanf(text, "%" SCNu32 ":%" SCNu32 ":%d:%d:%d", &role, &read.variant,
                               &read.tape, &read.talk.receives, &read.talk.sends) == 5) {
        task = read;
        task.role = role == CHECK_BASELINE ? CHECK_BASELINE
                    : role == CHECK_PLAYS  ? CHECK_PLAYS
                                           : CHECK_VARIANT;
    }
    return task;
}

bool check_task_start(const check_task *task, uint32_t how, child *process)
{
    static char name[] = "bks";
    static char check[] = "check";
    static char doctor[] = "doctor";
    char *words[CHECK_TOOL_WORDS + 3] = {0};
    const char *tool = check_task_tool(how, words);
    const int before_name = tool != NULL ? CHECK_TOOL_WORDS : 0;
    words[before_name] = tool != NULL ? (char *)(uintptr_t)tool_program_path() : name;
    words[before_name + 1] = task->role == CHECK_PLAYS ? doctor : check;
    // As long as any other: what lies behind it on the stack is where it would be.
    char text[64];
    (void)snprintf(text, sizeof(text), "%02d:%02" PRIu32 ":%06d:%06d:%06d", (int)task->role,
                   task->variant, task->tape, task->talk.receives, task->talk.sends);
    (void)system_set_environment(task_name, text);
    const bool is_started =
        check_task_spawn(how, tool != NULL ? tool : tool_program_path(), words, process);
    (void)system_set_environment(task_name, NULL);
    return is_started;
}
