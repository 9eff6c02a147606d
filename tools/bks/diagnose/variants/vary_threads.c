// SPDX-License-Identifier: MIT

#include "diagnose/variants/variants.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/det.h"
#include "base/altered_system.h"
#include "base/process.h"
#include "base/text.h"
#include "diagnose/processes/variant_process.h"

/// Numbers of workers. Each tick uses the next number, and after the last one the first.
static const uint32_t worker_counts[] = {1, 2, 8};
enum { WORKER_COUNTS = sizeof(worker_counts) / sizeof(worker_counts[0]) };

/// Data of the variant `threads`. It is static, because a process runs one variant.
static struct {
    /// Threads for each number in worker_counts, made when a step has jobs for the first time.
    bks_threads *threads[WORKER_COUNTS];
    uint32_t turn;     ///< index in `threads` for this tick
    uint64_t runs;     ///< number of times that a step ran several jobs
    bks_random random; ///< random numbers that decide the order of jobs
    /// Reason why no threads can be made. NULL: threads can be made.
    const char *why;
    /// True: put all threads on one processor, and vary nothing else.
    bool is_of_processors;
} varied;

// ---- running jobs in another order ----

/// Jobs that a step runs in one call, and the order in which the variant runs them.
typedef struct shuffled_run {
    void (*job)(void *work, uint32_t number);
    void *work;
    uint32_t order[BKS_JOBS_MAX];
} shuffled_run;

static void run_shuffled(void *context, uint32_t number)
{
    shuffled_run *run = context;
    thread_pause();
    run->job(run->work, run->order[number]);
}

static void shuffle(uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t other = bks_random_below(&varied.random, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
}

static bool has_threads(uint32_t turn)
{
    bks_error error = {0};
    if (varied.threads[turn] == NULL &&
        bks_threads_create(worker_counts[turn], NULL, &varied.threads[turn], &error) != BKS_OK) {
        static char why[sizeof(error.text)];
        TEXT_SET(why, "%s", error.text);
        varied.why = why;
    }
    return varied.threads[turn] != NULL;
}

static void run_jobs(void *context, uint32_t jobs, void (*job)(void *work, uint32_t number),
                     void *work)
{
    static shuffled_run run; // static, because a step runs only one list of jobs at a time
    (void)context;
    run.job = job;
    run.work = work;
    shuffle(run.order, jobs);
    varied.runs += jobs > 1 ? 1 : 0;
    const bks_workers workers = has_threads(varied.turn)
                                    ? bks_threads_workers(varied.threads[varied.turn])
                                    : (bks_workers){0};
    (void)bks_jobs_run(&workers, jobs, run_shuffled, &run);
}

// ---- the variant `threads` ----

static void begin_threads(variant_process *variant)
{
    static const bks_workers workers = {.run = run_jobs};
    const uint64_t seed = (uint64_t)variant->stepper.options->seed;
    const char *value = variant->stepper.options->value;
    processors_keep();
    varied.is_of_processors = value != NULL && strcmp(value, VARY_THREADS_PROCESSORS) == 0;
    if (varied.is_of_processors) {
        return;
    }
    variant->stepper.config.workers = &workers;
    bks_random_seed(&varied.random, seed, 0);
    thread_pause_begin(seed);
}

static void step_on_one(variant_process *variant, bks_tick tick)
{
    variant->tape->result.perturbed += processors_use(true, thread_pause_alive() > 0) ? 1 : 0;
    variant_step(variant, tick);
}

static void step_threads(variant_process *variant, bks_tick tick)
{
    check_result *result = &variant->tape->result;
    if (varied.is_of_processors) {
        step_on_one(variant, tick);
        return;
    }
    const uint64_t pauses = thread_pause_count();
    const uint64_t runs = varied.runs;
    varied.turn = (uint32_t)tick % WORKER_COUNTS;
    thread_pause_next_stretch();
    const bool is_one = varied.turn == 0;
    const bool is_placed = processors_use(is_one, thread_pause_alive() > 0);
    variant_step(variant, tick);
    const bool is_on_one = is_one && is_placed && thread_pause_alive() > 0;
    result->perturbed += varied.runs > runs || thread_pause_count() > pauses || is_on_one ? 1 : 0;
    if (result->perturbed == 0 && tick + 1 == (bks_tick)variant->stepper.options->ticks) {
        TEXT_SET(result->why, "%s",
                 varied.why != NULL ? varied.why
                                    : "no step ran jobs (bks_jobs_run) or made a thread");
    }
}

const check_variant vary_threads = {
    .name = "threads",
    .about = "jobs of steps run by 1, 2 and 8 workers in another order, with random pauses; the "
             "game's own threads are delayed, or all run on one processor",
    .unit = "tick",
    .perturbed = "with jobs in another order or threads held up",
    .cause = "threads",
    .explained_by = {"address"},
    .advice = "look for results taken in the order in which threads are done, for what two jobs "
              "both write, and for work divided by the number of processors; gather results by "
              "job and index (bks_gather_add())",
    .after_load = begin_threads,
    .step = step_threads,
};

// ---- entries of another machine's environment ----

static const char *why_not_set(const variant_process *variant)
{
    return variant->stepper.options->value == NULL ? "no value is given" : NULL;
}

// The value is a zone and may name a clock, as in "<EST>5:00@1767225600".
static void set_zone(variant_process *variant)
{
    const char *value = variant->stepper.options->value;
    char zone[64];
    int64_t begun_s = 0;
    if (value == NULL) {
        return;
    }
    TEXT_SET(zone, "%.*s", (int)strcspn(value, "@"), value);
    if (sscanf(value + strcspn(value, "@"), "@%" SCNd64, &begun_s) == 1) {
        variant->stepper.clock_ahead_s = begun_s - CLOCK_SHIFT_BEGUN_S;
    }
    vary_zone_set(zone);
}

static void set_locale(variant_process *variant)
{
    const char *value = variant->stepper.options->value;
    char numbers[32] = "C";
    char order[32] = "C";
    if (value != NULL && sscanf(value, "numbers %31[^,], order %31s", numbers, order) == 2 &&
        !vary_locale_set(numbers, order)) {
        TEXT_SET(variant->tape->result.why, "this machine has no locale %s: install it",
                 strcmp(numbers, order) == 0 ? numbers : value);
    }
}

const check_variant vary_zone = {
    .name = "zone-is",
    .cause = "environment",
    .advice = "look for a step that asks for the local time or the time zone: localtime, mktime, "
              "tzset, strftime. Days and hours come from the tick, an input or a fact (bks_ask())",
    .before_load = set_zone,
    .why_not = why_not_set,
    .step = variant_step_counted,
};

const check_variant vary_locale = {
    .name = "locale-is",
    .cause = "environment",
    .advice = "look for a step that reads, prints or sorts by the locale: atof, strtod, printf, "
              "strcoll, toupper. Use text and order of the game's own",
    .before_load = set_locale,
    .why_not = why_not_set,
    .step = variant_step_counted,
};

const check_variant vary_world = {
    .name = "world",
    .about = "another locale, time zone, environment, folder, clock and system's random "
             "numbers: steps that ask the system",
    .unit = "tick",
    .perturbed = "in another place and at another time",
    .cause = "environment",
    .explained_by = {"address"},
    .advice = "look for a call that asks the system: time, getenv, setlocale, a file. What a "
              "step must know is an input, an option or a fact (bks_ask()); random numbers come "
              "from the seed (bks_random)",
    .before_load = vary_world_prepare,
    .after_load = vary_world_loaded,
    .step = variant_step_counted,
};
