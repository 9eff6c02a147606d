// SPDX-License-Identifier: MIT

/// @file check_task_system.h
/// Between check_task_start.c and how a process is started, for each kind of system in a file of
/// its own, which also has check_task_fixes_addresses().

#ifndef BKS_TOOL_CHECK_TASK_SYSTEM_H
#define BKS_TOOL_CHECK_TASK_SYSTEM_H

#include "diagnose/processes/check_task.h"

/// Words in front of a command line that runs under a tool.
enum { CHECK_TOOL_WORDS = 8 };

/// Begin a command line with the tool that watches the process, where that is wanted and can be
/// had.
/// @param how    bits of check_process
/// @param words  receives CHECK_TOOL_WORDS of them
/// @return the tool's path; NULL: none, and no words
const char *check_task_tool(uint32_t how, char *words[CHECK_TOOL_WORDS]);

/// Start a program at the addresses, and for the processor, that are wanted.
/// @return whether it runs; if not, stderr says why
bool check_task_spawn(uint32_t how, const char *path, char *const *words, child *process);

#endif
