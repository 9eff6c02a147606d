// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/processors.h"

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>

static cpu_set_t all;
static cpu_set_t one;

void processors_keep(void)
{
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof(all), &all) != 0) {
        CPU_ZERO(&all);
    }
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
        }
    }
}

bool processors_use(bool is_one, bool others)
{
    const cpu_set_t *wanted = is_one ? &one : &all;
    if (CPU_COUNT(&all) < 2 || sched_setaffinity(0, sizeof(*wanted), wanted) != 0) {
        return false;
    }
    DIR *tasks = others ? opendir("/proc/self/task") : NULL;
    for (const struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
        const long id = strtol(task->d_name, NULL, 10);
        if (id > 0) {
            (void)sched_setaffinity((pid_t)id, sizeof(*wanted), wanted);
        }
    }
    if (tasks != NULL) {
        (void)closedir(tasks);
    }
    return true;
}
