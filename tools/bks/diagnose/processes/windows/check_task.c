// SPDX-License-Identifier: MIT

#include <stddef.h>

#include "diagnose/processes/check_task.h"

bool check_task_fixes_addresses(void)
{
    return false;
}

const char *check_task_tool(uint32_t how, char *words[CHECK_TOOL_WORDS])
{
    (void)how, (void)words;
    return NULL;
}

bool check_task_spawn(uint32_t how, const char *path, char *const *words, child *process)
{
    (void)how;
    return child_start_program(process, path, words);
}
