// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "record/run/run_times.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/altered_system.h"
#include "base/child.h"
#include "base/heap.h"
#include "base/stop.h"
#include "base/system.h"
#include "base/text.h"
#include "base/tool.h"

// ---- what a process varies ----

enum {
    PAGE_BYTES = 4096,
    STACK_BYTES = 32768,
    PAGES_APART = 1237,
    HEAP_APART_BYTES = 70001,
    DAY_S = 86400,
};

const char *run_times_varied(void)
{
    return alloc_count_works()
               ? "ticks stepped before, heap fill, stack, addresses, clock, random numbers of the "
                 "C library"
               : "ticks stepped before, stack, addresses, clock, random numbers of the C library";
}

// Return the byte with which a run fills fresh memory, never 0.
static uint8_t pattern_of(uint32_t run)
{
    return (uint8_t)(run * 89u % 255u + 1u);
}

// Move addresses, in case the system does not randomise them.
static void move_addresses(uint32_t run)
{
    system_take_addresses((size_t)run * PAGES_APART * PAGE_BYTES);
    // Never free this block, so that all later allocations get other addresses.
    static void *volatile kept;
    kept = malloc((size_t)(run % 1000u) * HEAP_APART_BYTES);
    (void)kept;
}

static void vary(uint32_t run)
{
    if (run == 0) {
        return;
    }
    move_addresses(run);
    alloc_count_fill(pattern_of(run));
    // Shift the day and the time, and speed the clock up for games that only use time differences.
    clock_shift_begin((int64_t)run * (41 * DAY_S + 25627), 1 + 997 * run);
    srand(run * 7919u);
    srand48((long)run * 104729);
}

__attribute__((noinline)) void run_times_fill_stack(uint32_t run)
{
    if (run > 0) {
        volatile uint8_t bytes[STACK_BYTES];
        for (size_t i = 0; i < sizeof(bytes); i += sizeof(bytes) / 512) {
            memset((uint8_t *)(uintptr_t)(bytes + i), pattern_of(run), sizeof(bytes) / 512);
        }
    }
}

// ---- which run a process is ----

// Name of the environment variable whose value is "RUN:DESCRIPTOR".
static const char task_name[] = "BKS_RUN_TASK";

enum { LOOK_NS = 2000000, LAST_WORDS_MS = 500 };

run_task run_times_task(void)
{
    run_task task = {.descriptor = -1};
    const char *text = getenv(task_name);
    if (text != NULL && sscanf(text, "%" SCNu32 ":%d", &task.index, &task.descriptor) == 2) {
        task.is_one_of_many = true;
        (void)unsetenv(task_name);
        vary(task.index);
        // Each run except the first steps extra ticks. Their number differs from run to run, and is
        // always odd.
        const uint32_t r = task.index % 100u;
        task.ticks_before = (bks_tick)(2u * r * r);
        task.ticks_behind = task.index == 0 ? 0 : (bks_tick)(2u * (task.index % 1000u) + 1u);
    }
    return task;
}

// ---- passing the outcome through a file ----

bool run_times_send(const run_task *task, const run_outcome *outcome, const uint64_t *hashes,
                    bks_tick ticks, const run_stats *stats)
{
    FILE *file = fdopen(task->descriptor, "wb");
    const bool is_sent =
        file != NULL && fwrite(outcome, sizeof(*outcome), 1, file) == 1 &&
        fwrite(hashes, sizeof(*hashes), (size_t)ticks + 1, file) == (size_t)ticks + 1 &&
        run_stats_send(stats, file) && fflush(file) == 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return is_sent;
}

// Data of several runs, and the hashes by which the runs are compared.
typedef struct all_runs {
    int argc;
    char **argv;
    bks_tick ticks;
    uint64_t *first;   ///< hash of the first run's state at each tick
    uint64_t *present; ///< hash of the present run's state at each tick
    run_stats *stats;
} all_runs;

static bks_tick find_apart(const all_runs *all)
{
    for (bks_tick tick = 0; tick <= all->ticks; tick++) {
        if (all->first[tick] != all->present[tick]) {
            return tick;
        }
    }
    return BKS_TICK_NONE;
}

static bool receive(const all_runs *all, uint32_t index, int descriptor, run_outcome *out)
{
    uint64_t *hashes = index == 0 ? all->first : all->present;
    const size_t count = (size_t)all->ticks + 1;
    FILE *file = lseek(descriptor, 0, SEEK_SET) == 0 ? fdopen(descriptor, "rb") : NULL;
    const bool is_received = file != NULL && fread(out, sizeof(*out), 1, file) == 1 &&
                             fread(hashes, sizeof(*hashes), count, file) == count &&
                             run_stats_receive(all->stats, file);
    if (file != NULL) {
        (void)fclose(file);
    } else {
        (void)close(descriptor);
    }
    out->apart = is_received && index > 0 ? find_apart(all) : BKS_TICK_NONE;
    return is_received;
}

// ---- one process after the other ----

static bool start(const all_runs *all, uint32_t index, int descriptor, child *process)
{
    char *words[64] = {all->argv[0]}; // name of the program, as typed
    char task[48];
    int count = 1;
    for (int i = 0; i < all->argc && count < 63; i++) {
        words[count++] = all->argv[i];
    }
    TEXT_SET(task, "%" PRIu32 ":%d", index, descriptor);
    (void)setenv(task_name, task, 1);
    const bool is_started = child_start(process, words);
    (void)unsetenv(task_name);
    return is_started;
}

static int run_once(const all_runs *all, uint32_t index, run_outcome *out)
{
    child *process = calloc(1, sizeof(*process));
    const int descriptor = memfd_create("bks-run", 0); // the child process inherits this file
    int status = TOOL_DAMAGED;
    if (process == NULL || descriptor < 0 || !start(all, index, descriptor, process)) {
        tool_complain("--times", "run %" PRIu32 " cannot be started", index + 1);
    } else {
        while (!child_has_ended(process) && !stop_is_wanted()) {
            tool_sleep_ns(LOOK_NS);
        }
        child_finish(process, LAST_WORDS_MS);
        status = process->status < 0 ? TOOL_NO : process->status;
        const bool is_received = receive(all, index, descriptor, out);
        if (!is_received && !stop_is_wanted()) {
            fprintf(stderr, "%s%s", process->complaint, process->complaint[0] != '\0' ? "\n" : "");
            tool_complain("--times", "run %" PRIu32 " %s", index + 1,
                          process->status < 0 ? "crashed" : "failed");
            status = status == TOOL_OK ? TOOL_NO : status;
        } else {
            status = is_received ? TOOL_OK : TOOL_NO;
        }
    }
    free(process);
    return status;
}

int run_times_all(int argc, char **argv, uint32_t times, bks_tick ticks, run_outcome *outcomes,
                  run_stats *stats, uint32_t *out_count)
{
    all_runs all = {
        .argc = argc,
        .argv = argv,
        .ticks = ticks,
        .first = calloc((size_t)ticks + 1, sizeof(uint64_t)),
        .present = calloc((size_t)ticks + 1, sizeof(uint64_t)),
        .stats = stats,
    };
    progress bar;
    progress_begin(&bar, "running", times);
    *out_count = 0;
    int status = all.first != NULL && all.present != NULL ? TOOL_OK : TOOL_DAMAGED;
    for (uint32_t i = 0; i < times && status == TOOL_OK && !stop_is_wanted(); i++) {
        status = run_once(&all, i, &outcomes[i]);
        *out_count += status == TOOL_OK ? 1 : 0;
        progress_show(&bar, i + 1);
    }
    progress_end(&bar);
    free(all.first);
    free(all.present);
    return status;
}
