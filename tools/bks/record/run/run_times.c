// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "record/run/run_times.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/child.h"
#include "base/stop.h"
#include "base/tool.h"
#include "record/run/vary.h"

// "RUN:DESCRIPTOR", in the environment of such a process until it has read it.
static const char seat_name[] = "BKS_RUN_SEAT";

enum { LOOK_NS = 2000000, LAST_WORDS_MS = 500 };

run_seat run_times_seat(void)
{
    run_seat seat = {.descriptor = -1};
    const char *text = getenv(seat_name);
    if (text != NULL && sscanf(text, "%" SCNu32 ":%d", &seat.index, &seat.descriptor) == 2) {
        seat.is_one_of_many = true;
        (void)unsetenv(seat_name);
        vary_begin(seat.index);
    }
    return seat;
}

// ---- through the file ----

bool run_times_send(const run_seat *seat, const run_outcome *outcome, const uint64_t *hashes,
                    bks_tick ticks, const run_stats *stats)
{
    FILE *file = fdopen(seat->descriptor, "wb");
    const bool is_sent =
        file != NULL && fwrite(outcome, sizeof(*outcome), 1, file) == 1 &&
        fwrite(hashes, sizeof(*hashes), (size_t)ticks + 1, file) == (size_t)ticks + 1 &&
        run_stats_send(stats, file) && fflush(file) == 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return is_sent;
}

// All runs, and what the first one's states were.
typedef struct all_runs {
    int argc;
    char **argv;
    bks_tick ticks;
    uint64_t *first;   ///< hashes by tick
    uint64_t *present; ///< the same of the run in hand
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
    char *words[64] = {all->argv[0]}; // the program's name
    char seat[48];
    int count = 1;
    for (int i = 0; i < all->argc && count < 63; i++) {
        words[count++] = all->argv[i];
    }
    snprintf(seat, sizeof(seat), "%" PRIu32 ":%d", index, descriptor);
    (void)setenv(seat_name, seat, 1);
    const bool is_started = child_start(process, words);
    (void)unsetenv(seat_name);
    return is_started;
}

static int run_once(const all_runs *all, uint32_t index, run_outcome *out)
{
    child *process = calloc(1, sizeof(*process));
    const int descriptor = memfd_create("bks-run", 0); // the process inherits it
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
