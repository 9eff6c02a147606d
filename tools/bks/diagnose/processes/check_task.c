// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/check_task.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <limits.h>
#include <sys/personality.h>
#include <unistd.h>
#endif

#include "base/system.h"
#include "base/text.h"
#include "base/tool.h"

/// Number of arguments in front of a command line that run it under valgrind.
enum { TOOL_ARGUMENTS = 8 };

#ifdef _WIN32

bool check_task_fixes_addresses(void)
{
    return false;
}

// If `how` asks for valgrind and it is installed, write valgrind and its options into the command
// line.
// @return valgrind's path; NULL if nothing was written
static const char *find_tool(uint32_t how, char *arguments[TOOL_ARGUMENTS])
{
    (void)how, (void)arguments;
    return NULL;
}

static const char *process_program(void)
{
    return tool_program_path();
}

// Start a program with the addresses and processor features that `how` asks for.
static bool spawn(uint32_t how, const char *path, char *const *arguments, child *process)
{
    (void)how;
    return child_start_program(process, path, arguments);
}

#else

bool check_task_fixes_addresses(void)
{
    const int base = personality(0xffffffff);
    const bool can = base >= 0 && personality((unsigned long)base | ADDR_NO_RANDOMIZE) >= 0;
    if (can) {
        (void)personality((unsigned long)base);
    }
    return can;
}

// Set which features of the processor the C library may use, because its mathematics depend on
// them. Both settings have the same length, so that the environment has the same size.
static void choose_processor(bool is_lesser)
{
    static const char name[] = "GLIBC_TUNABLES";
    static const char plain[] =
        "glibc.cpu.hwcaps=-avx2,-fma,-fma4"; // no effect: glibc's feature names are in upper case
    static const char lesser[] = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4";
    static char text[1024];
    const char *theirs = getenv(name);
    const char *ours = theirs != NULL ? strstr(theirs, plain) : NULL;
    const size_t kept = ours != NULL     ? (size_t)(ours - theirs)
                        : theirs != NULL ? strlen(theirs)
                                         : 0;
    const bool needs_colon = kept > 0 && theirs[kept - 1] != ':';
    const size_t room = sizeof(text) - sizeof(plain) - 1;
    TEXT_SET(text, "%.*s%s%s", (int)(kept < room ? kept : 0), kept > 0 ? theirs : "",
             needs_colon ? ":" : "", is_lesser ? lesser : plain);
    (void)setenv(name, text, 1);
}

// Find a program in the folders of PATH.
static bool find_program(const char *name, char *out, size_t capacity)
{
    const char *at = getenv("PATH");
    while (at != NULL && at[0] != '\0') {
        const size_t length = strcspn(at, ":");
        (void)snprintf(out, capacity, "%.*s/%s", (int)length, at, name);
        if (length > 0 && access(out, X_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':' ? 1 : 0);
    }
    return false;
}

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||   \
    HAS_FEATURE(address_sanitizer) || HAS_FEATURE(memory_sanitizer) || \
    HAS_FEATURE(thread_sanitizer)
static const bool is_sanitized = true; // valgrind cannot run a build with sanitizers
#else
static const bool is_sanitized = false;
#endif

// If `how` asks for valgrind and it is installed, write valgrind and its options into the command
// line.
// @return valgrind's path; NULL if nothing was written
static const char *find_tool(uint32_t how, char *arguments[TOOL_ARGUMENTS])
{
    static char out[PATH_MAX];
    // The option somalloc=NONE keeps valgrind from replacing malloc, which bks defines itself.
    static char options[][48] = {"valgrind",
                                 "--quiet",
                                 "--tool=memcheck",
                                 "--leak-check=no",
                                 "--track-origins=yes",
                                 "--error-limit=no",
                                 "--soname-synonyms=somalloc=NONE",
                                 "--"};
    _Static_assert(sizeof(options) / sizeof(options[0]) == TOOL_ARGUMENTS, "all of them");
    if ((how & CHECK_WATCHED) == 0 || is_sanitized || !find_program("valgrind", out, sizeof(out))) {
        return NULL;
    }
    for (int i = 0; i < TOOL_ARGUMENTS; i++) {
        arguments[i] = options[i];
    }
    return out;
}

// Return the path of the program that the processes run: bks-check in the folder of this program,
// or this program if bks-check is not there.
static const char *process_program(void)
{
    static char path[PATH_MAX];
    if (path[0] == '\0') {
        const char *own = tool_program_path();
        const char *name = strrchr(own, '/');
        TEXT_SET(path, "%.*s/bks-check", name != NULL ? (int)(name - own) : 0, own);
        if (access(path, X_OK) != 0) {
            TEXT_SET(path, "%s", own);
        }
    }
    return path;
}

// Start a program with the addresses and processor features that `how` asks for.
static bool spawn(uint32_t how, const char *path, char *const *arguments, child *process)
{
    choose_processor((how & CHECK_LESSER) != 0);
    const int before = personality(0xffffffff);
    const unsigned long fixed = (unsigned long)ADDR_NO_RANDOMIZE;
    const unsigned long base = before >= 0 ? (unsigned long)before : 0;
    // If the system refuses fixed addresses, all processes have different addresses. The report
    // says so.
    (void)personality((how & CHECK_MOVED) != 0 ? base & ~fixed : base | fixed);
    const bool is_started = child_start_program(process, path, arguments);
    (void)personality(base);
    return is_started;
}

#endif

// ---- code for every system ----

static const char task_name[] = "BKS_CHECK_TASK";

check_task check_task_read(void)
{
    check_task task = {0};
    check_task read = {0};
    uint32_t role = 0;
    const char *text = getenv(task_name);
    if (text != NULL && sscanf(text, "%" SCNu32 ":%" SCNu32 ":%d:%d:%d", &role, &read.variant,
                               &read.tape, &read.pipe.receives, &read.pipe.sends) == 5) {
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
    static char replay[] = "replay";
    static char diff[] = "diff";
    char *arguments[TOOL_ARGUMENTS + 4] = {0};
    const char *tool = find_tool(how, arguments);
    const int before_name = tool != NULL ? TOOL_ARGUMENTS : 0;
    arguments[before_name] = tool != NULL ? (char *)(uintptr_t)process_program() : name;
    arguments[before_name + 1] = task->role == CHECK_PLAYS ? replay : check;
    arguments[before_name + 2] = task->role == CHECK_PLAYS ? diff : NULL;
    // The variable's text always has the same length, so that the stack begins at the same address
    // in each process.
    char text[64];
    TEXT_SET(text, "%02d:%02" PRIu32 ":%06d:%06d:%06d", (int)task->role, task->variant, task->tape,
             task->pipe.receives, task->pipe.sends);
    (void)system_set_environment(task_name, text);
    const bool is_started = spawn(how, tool != NULL ? tool : process_program(), arguments, process);
    (void)system_set_environment(task_name, NULL);
    return is_started;
}
