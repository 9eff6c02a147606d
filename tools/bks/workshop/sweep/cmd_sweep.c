// SPDX-License-Identifier: MIT

// `bks sweep`: a match in the lab for every seed, with everything drawn from the seed. Several
// processes take the seeds one after the other from shared memory, and count results there. The
// failure with the smallest seed ends the sweep. Processes with smaller seeds finish these first,
// so the output does not depend on which process is faster.

#define _GNU_SOURCE

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/command.h"
#include "base/json.h"
#include "base/stop.h"
#include "base/tool.h"
#include "game/loader.h"
#include "game/match_options.h"
#include "map/game_map.h"
#include "workshop/lab/lab_plant.h"
#include "workshop/sweep/sweep_case.h"
#include "workshop/sweep/sweep_list.h"

#define SECOND_NS UINT64_C(1000000000)

enum { JOBS_MAX = 64, LINE_BYTES = 16384, SHRINK_S = 45 };

/// Report of one worker process, in shared memory.
typedef struct worker {
    _Atomic uint64_t seed; ///< seed that the worker judges now
    _Atomic uint64_t done;
    _Atomic uint64_t begun_ns; ///< processor time of the worker when it began `seed`; 0: not begun
    double peer_hours;
    int status;
    bool has_failed;
    uint64_t failed_seed;
    uint64_t watchers; ///< watchers that saw something of a match
    uint64_t turns;    ///< number of times that they went on with another source
    /// Sums of the results of the worker's matches. Only the counts of faults and moments are used.
    bks_lab_result sum;
} worker;

typedef struct shared {
    _Atomic uint64_t next;  ///< next seed to judge
    _Atomic uint64_t until; ///< one past the last seed to judge; smaller after a failure
    worker workers[JOBS_MAX];
} shared;

/// State of a sweep.
typedef struct sweep {
    sweep_settings settings;
    uint64_t first;
    uint64_t last;
    int64_t jobs;
    bool is_json;
    bool no_shrink; ///< true: a failure is printed as drawn, without shrinking it
    bool is_each;
    shared *shared;
    sweep_list list; ///< rows to print if `is_each`
    pid_t processes[JOBS_MAX];
    uint64_t begun_ns;
    bool has_failed;
    bool is_stopped; ///< true: a signal ended the sweep before all seeds were done
    sweep_case failed;
    bks_oracle_verdict verdict;
    uint64_t failed_seed;
    double wall_s;
    double shrink_s;
} sweep;

// ---- the command line ----

static bool read_seeds(const char *text, sweep *s)
{
    int64_t first = 0;
    int64_t last = 0;
    if (!args_range(text, &first, &last) || first < 0 || last == INT64_MAX) {
        return false;
    }
    s->first = (uint64_t)first;
    s->last = (uint64_t)last;
    return true;
}

static int read_arguments(int argc, char **argv, sweep *s)
{
    const char *seeds = NULL;
    const char *plant = NULL;
    uint32_t on_desync = ON_DESYNC_NOT_GIVEN;
    args_list positionals = {0};
    const args_option options[] = {
        ARGS_TEXT("--seeds", "A..B", &seeds, "first and last seed (default 1..100)"),
        ARGS_INT("--jobs", "N", &s->jobs, 1, JOBS_MAX,
                 "processes that share the work (default: one for each processor)"),
        ARGS_INT("--ticks", "N", &s->settings.ticks, 1, 10000000,
                 "length of every match (default: random)"),
        ARGS_LIST("--input", "P=SOURCE", &s->settings.inputs,
                  "where player P's inputs come from, as for bks lab (default *=monkey)"),
        ARGS_LIST("--option", "NAME=VALUE", &s->settings.given_options,
                  "set an option of the game"),
        ARGS_CHOICE("--on-desync", ON_DESYNC_WORDS, &on_desync,
                    "what every match does once states differ, with bits that flip in most "
                    "(default: drawn, with flips in few)"),
        ARGS_FLAG("--watched", &s->settings.is_watched,
                  "let watchers come to every match (default: to one in four)"),
        ARGS_TEXT(
            "--plant", "NAME", &plant,
            "in builds with tests: switch on a mutant of the session, which the sweep must find: "
            "window-off-by-one, ack-early and others; a wrong name lists all"),
        ARGS_FLAG("--no-shrink", &s->no_shrink, "print a failure as drawn, without shrinking it"),
        ARGS_FLAG(
            "--each", &s->is_each,
            "print a line for each seed instead of the totals: seed, final hash, ticks of all "
            "peers, packets, bytes, a digest of all packets and one of all recordings"),
        ARGS_JSON(&s->is_json),
    };
    const args_spec spec = {
        .command = "sweep",
        .usage = "GAME [options]",
        .about =
            "Run a match in the lab for every seed; the seed draws its peers, players, links,\n"
            "faults, tick rate, frames, windows, delays, drop time and mode, and whether the game\n"
            "predicts or saves by itself, and in some bits that flip and what the match does "
            "then.\n"
            "Every match must be safe (no peers disagree) and alive\n"
            "(at full rate again after its faults). Stop at the first that is not,\n"
            "shrink it and print the bks lab command that reproduces it.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&positionals, 1, 1),
        .more =
            "exit status: 0 all matches passed; 1 one failed, as it must with --plant, or Ctrl-C\n"
            "stopped the sweep, which then prints what is done; 2 wrong usage, or --plant in a\n"
            "build without mutants\n"
            "\n"
            "examples:\n"
            "  bks sweep duel --seeds 1..1000\n"
            "  bks sweep pad --seeds 1..200 --plant ack-early",
    };
    int status = args_parse(&spec, argc, argv);
    if (status == ARGS_GO && seeds != NULL && !read_seeds(seeds, s)) {
        tool_complain("--seeds", "is '%s', expected A..B with whole numbers, A at most B", seeds);
        status = TOOL_MISUSE;
    }
    if (status == ARGS_GO) {
        status = lab_plant(plant);
        s->settings.plant = plant;
    }
    s->settings.has_policy = on_desync != ON_DESYNC_NOT_GIVEN;
    s->settings.on_desync =
        s->settings.has_policy ? (bks_on_desync)on_desync : BKS_ON_DESYNC_REPORT;
    s->settings.game_name = positionals.items[0];
    return status;
}

static int open_sweep(int argc, char **argv, sweep *s)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    s->first = 1;
    s->last = 100;
    s->jobs = processors < 1 ? 1 : processors > JOBS_MAX ? JOBS_MAX : processors;
    int status = read_arguments(argc, argv, s);
    if (status != ARGS_GO) {
        return status;
    }
    loaded_game game;
    status = loader_open(s->settings.game_name, &game);
    if (status != TOOL_OK) {
        return status;
    }
    s->settings.game = game.game;
    s->settings.map = game_map_of(&game);
    status = loader_options(game.game, s->settings.given_options.items,
                            s->settings.given_options.count, &s->settings.options);
    if (status != TOOL_OK) {
        return status;
    }
    if (game.game->players_max < 2) {
        tool_complain(game.game->name, "is for one player, expected a game for two or more");
        return TOOL_MISUSE;
    }
    s->shared =
        mmap(NULL, sizeof(*s->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s->shared == MAP_FAILED) {
        s->shared = NULL;
        tool_complain("sweep", "no memory to share: %s", strerror(errno));
        return TOOL_DAMAGED;
    }
    s->settings.is_irreparable = !sweep_case_may_repair(&s->settings);
    if (s->settings.is_irreparable && s->settings.on_desync == BKS_ON_DESYNC_RESYNC) {
        tool_complain("--on-desync", "is resync, but the states of %s cannot be repaired",
                      game.game->name);
        return TOOL_MISUSE;
    }
    atomic_store(&s->shared->next, s->first);
    atomic_store(&s->shared->until, s->last + 1);
    return s->is_each ? sweep_list_open(s->first, s->last, &s->list) : ARGS_GO;
}

// ---- in a worker process ----

static void add_each(bks_lab_count *sum, const bks_lab_count *added, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        // The pointer is valid here, because a name has the same address in every process.
        sum[i].name = added[i].name;
        sum[i].count += added[i].count;
    }
}

static void add_counts(bks_lab_result *sum, const bks_lab_result *added)
{
    sum->fault_count = added->fault_count;
    sum->moment_count = added->moment_count;
    add_each(sum->faults, added->faults, added->fault_count);
    add_each(sum->moments, added->moments, added->moment_count);
}

static void count_watchers(worker *own, const bks_lab_result *result)
{
    for (uint32_t i = 0; i < result->watcher_count; i++) {
        own->watchers += result->watchers[i].first_tick != BKS_TICK_NONE ? 1 : 0;
        own->turns += result->watchers[i].turns;
    }
}

/// Tell all processes to begin no seed that is `seed` or greater.
static void stop_at(shared *memory, uint64_t seed)
{
    uint64_t until = atomic_load(&memory->until);
    while (seed < until && !atomic_compare_exchange_weak(&memory->until, &until, seed)) {
    }
}
/// Return the processor time of a process, in ns; 0: the process has ended.
/// @param process  id of the process; 0: the calling process
static uint64_t processor_ns(pid_t process)
{
    clockid_t clock = 0;
    struct timespec time = {0};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) {
        return 0;
    }
    return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

static void work(const sweep *s, worker *own)
{
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    bks_log_clear_sink(); // drop log lines, because faults are normal in a sweep
    bks_oracle_verdict *verdict = calloc(1, sizeof(*verdict));
    if (verdict == NULL) {
        own->status = TOOL_DAMAGED;
        return;
    }
    for (;;) {
        const uint64_t seed = atomic_fetch_add(&s->shared->next, 1);
        if (seed >= atomic_load(&s->shared->until) || stop_is_wanted()) {
            break;
        }
        atomic_store(&own->begun_ns, processor_ns(0));
        atomic_store(&own->seed, seed);
        sweep_case drawn;
        sweep_case_draw(&s->settings, seed, &drawn);
        own->status = sweep_case_run(&s->settings, &drawn, verdict);
        if (own->status != TOOL_OK) {
            stop_at(s->shared, s->first);
            break;
        }
        if (s->is_each) {
            sweep_list_note(&s->list, seed, verdict);
        }
        own->peer_hours += verdict->peer_hours;
        add_counts(&own->sum, &verdict->result);
        count_watchers(own, &verdict->result);
        atomic_fetch_add(&own->done, 1);
        if (verdict->kind != BKS_ORACLE_GOOD) {
            own->has_failed = true;
            own->failed_seed = seed;
            stop_at(s->shared, seed);
        }
    }
    free(verdict);
}

// ---- in the parent process ----

static void take_exit_status(sweep *s, uint32_t index, int wait_status)
{
    worker *own = &s->shared->workers[index];
    s->processes[index] = 0;
    if (WIFSIGNALED(wait_status)) {
        own->has_failed = true; // the failed seed is run again later, to see how it fails
        own->failed_seed = atomic_load(&own->seed);
        stop_at(s->shared, own->failed_seed);
    }
}

/// Kill a worker whose match does not end. Its processor time decides, because real time also grows
/// when the machine is busy.
static void kill_if_stuck(const sweep *s, uint32_t index)
{
    const uint64_t begun_ns = atomic_load(&s->shared->workers[index].begun_ns);
    const uint64_t now_ns = processor_ns(s->processes[index]);
    if (begun_ns != 0 && now_ns > begun_ns && now_ns - begun_ns > SWEEP_MATCH_S_MAX * SECOND_NS) {
        (void)kill(s->processes[index], SIGKILL);
    }
}

static void wait_for_workers(sweep *s)
{
    progress bar;
    progress_begin(&bar, "sweep", s->last - s->first + 1);
    for (uint32_t left = 1; left > 0;) {
        uint64_t done = 0;
        left = 0;
        for (uint32_t i = 0; i < (uint32_t)s->jobs; i++) {
            done += atomic_load(&s->shared->workers[i].done);
            int wait_status = 0;
            if (s->processes[i] > 0 &&
                waitpid(s->processes[i], &wait_status, WNOHANG) == s->processes[i]) {
                take_exit_status(s, i, wait_status);
            } else if (s->processes[i] > 0) {
                kill_if_stuck(s, i);
                left++;
            }
        }
        if (stop_is_wanted()) {
            stop_at(s->shared, s->first);
        }
        progress_show(&bar, done);
        tool_sleep_ns(SECOND_NS / 100);
    }
    progress_end(&bar);
}

static int run_workers(sweep *s)
{
    s->begun_ns = tool_clock_ns(NULL);
    (void)fflush(NULL);
    for (uint32_t i = 0; i < (uint32_t)s->jobs; i++) {
        s->processes[i] = fork();
        if (s->processes[i] == 0) {
            work(s, &s->shared->workers[i]);
            _exit(0);
        }
        if (s->processes[i] < 0) {
            tool_complain("--jobs", "no process: %s", strerror(errno));
            s->processes[i] = 0;
            stop_at(s->shared, s->first);
            wait_for_workers(s);
            return TOOL_DAMAGED;
        }
    }
    wait_for_workers(s);
    s->wall_s = (double)(tool_clock_ns(NULL) - s->begun_ns) / 1e9;
    int status = TOOL_OK;
    for (uint32_t i = 0; i < (uint32_t)s->jobs; i++) {
        const worker *own = &s->shared->workers[i];
        status = status == TOOL_OK ? own->status : status;
        if (own->has_failed && (!s->has_failed || own->failed_seed < s->failed_seed)) {
            s->has_failed = true;
            s->failed_seed = own->failed_seed;
        }
    }
    return status;
}

/// Run the failed match again, and shrink it.
static int rerun_failure(sweep *s)
{
    sweep_case_draw(&s->settings, s->failed_seed, &s->failed);
    const int status = sweep_case_try(&s->settings, &s->failed, SWEEP_MATCH_S_MAX, &s->verdict);
    if (status != TOOL_OK) {
        return status;
    }
    if (s->verdict.kind == BKS_ORACLE_GOOD) {
        s->verdict.kind = BKS_ORACLE_VARIES;
        snprintf(s->verdict.why, sizeof(s->verdict.why),
                 "it failed in the sweep but not when run again");
        return TOOL_OK;
    }
    if (!s->no_shrink) {
        const uint64_t begun_ns = tool_clock_ns(NULL);
        sweep_case_shrink(&s->settings, &s->failed, &s->verdict, SHRINK_S * SECOND_NS);
        s->shrink_s = (double)(tool_clock_ns(NULL) - begun_ns) / 1e9;
    }
    return TOOL_OK;
}

// ---- printing the result ----

/// Sums over all processes.
typedef struct totals {
    uint64_t seeds;
    double peer_hours;
    uint64_t watchers;
    uint64_t turns;
    bks_lab_result sum;
} totals;

static totals add_up(const sweep *s)
{
    totals all = {0};
    for (uint32_t i = 0; i < (uint32_t)s->jobs; i++) {
        const worker *own = &s->shared->workers[i];
        all.seeds += atomic_load(&own->done);
        all.peer_hours += own->peer_hours;
        all.watchers += own->watchers;
        all.turns += own->turns;
        if (own->sum.fault_count > 0) {
            add_counts(&all.sum, &own->sum);
        }
    }
    return all;
}

static uint64_t seeds_not_run(const sweep *s)
{
    return s->last - s->first + 1 - add_up(s).seeds;
}

/// Return the last seed that --each prints. Later seeds than a failed one are left out: how many of
/// them were judged depends on which process was faster.
static uint64_t last_listed(const sweep *s)
{
    return s->has_failed ? s->failed_seed : s->last;
}

static void json_counts(json *j, const char *key, const bks_lab_count *counts, uint32_t count)
{
    json_object(j, key);
    for (uint32_t i = 0; i < count; i++) {
        json_uint(j, counts[i].name, counts[i].count);
    }
    json_close(j);
}

static bool print_json(const sweep *s, const totals *all, const char *line)
{
    json j;
    json_begin(&j, stdout);
    json_text(&j, "game", s->settings.game->name);
    if (s->is_each) {
        sweep_list_json(&s->list, last_listed(s), &j);
    }
    json_uint(&j, "seeds", all->seeds);
    json_uint(&j, "not_run", seeds_not_run(s));
    json_number(&j, "peer_hours", all->peer_hours, 3);
    json_number(&j, "wall_s", s->wall_s, 3);
    json_counts(&j, "faults", all->sum.faults, all->sum.fault_count);
    json_counts(&j, "moments", all->sum.moments, all->sum.moment_count);
    json_uint(&j, "watchers", all->watchers);
    json_uint(&j, "turns", all->turns);
    if (s->has_failed) {
        json_object(&j, "failed");
        json_uint(&j, "seed", s->failed_seed);
        json_number(&j, "shrink_s", s->shrink_s, 3);
        json_text(&j, "why", s->verdict.why);
        json_text(&j, "line", line);
        json_close(&j);
    } else {
        json_null(&j, "failed");
    }
    return json_end(&j);
}

static void print_counts(const char *before, const bks_lab_count *counts, uint32_t count)
{
    printf("%s", before);
    for (uint32_t i = 0; i < count; i++) {
        printf("%s%s %" PRIu64, i > 0 ? ", " : "", counts[i].name, counts[i].count);
    }
    printf("\n");
}

static void print_sums(const sweep *s, const totals *all)
{
    printf("%s: %" PRIu64 " match%s, %.2f peer-hours in %.1f s", s->settings.game->name, all->seeds,
           TOOL_PLURAL_ES(all->seeds), all->peer_hours, s->wall_s);
    printf(", %.0f peer-hours an hour\n",
           s->wall_s > 0.0 ? all->peer_hours * 3600.0 / s->wall_s : 0.0);
    print_counts("faults   ", all->sum.faults, all->sum.fault_count);
    print_counts("moments  ", all->sum.moments, all->sum.moment_count);
    printf("watchers %" PRIu64 ", %" PRIu64 " turn%s to another source\n", all->watchers,
           all->turns, TOOL_PLURAL(all->turns));
    if (!s->has_failed && !s->is_stopped) {
        printf("all good\n");
    }
}

static void print_text(const sweep *s, const totals *all, const char *line)
{
    if (s->is_each) { // the rows contain no times, so the lists of two sweeps can be compared
        sweep_list_print(&s->list, last_listed(s));
    } else {
        print_sums(s, all);
    }
    if (!s->has_failed) {
        return;
    }
    printf("seed %" PRIu64 " failed: %s\n%s\n", s->failed_seed, s->verdict.why, line);
}

static int print_results(const sweep *s)
{
    static char line[LINE_BYTES];
    const totals all = add_up(s);
    if (s->has_failed) {
        sweep_case_line(&s->settings, &s->failed, line, sizeof(line));
    }
    if (s->is_json && !print_json(s, &all, line)) {
        return TOOL_DAMAGED;
    }
    if (!s->is_json) {
        print_text(s, &all, line);
    }
    if (s->is_stopped) {
        tool_complain("sweep", "stopped, %" PRIu64 " of %" PRIu64 " seed%s were not run",
                      seeds_not_run(s), s->last - s->first + 1,
                      TOOL_PLURAL(s->last - s->first + 1));
    }
    return s->has_failed || s->is_stopped ? TOOL_NO : TOOL_OK;
}

int cmd_sweep(int argc, char **argv)
{
    sweep *s = calloc(1, sizeof(*s));
    if (s == NULL) {
        tool_complain("sweep", "no memory");
        return TOOL_DAMAGED;
    }
    int status = open_sweep(argc, argv, s);
    if (status == ARGS_GO) {
        stop_catch();
        status = run_workers(s);
        if (status == TOOL_OK && s->has_failed) {
            status = rerun_failure(s);
        }
        s->is_stopped = stop_is_wanted() && !s->has_failed && seeds_not_run(s) > 0;
        if (status == TOOL_OK) {
            status = print_results(s);
        }
    }
    if (s->shared != NULL) {
        (void)munmap(s->shared, sizeof(*s->shared));
    }
    sweep_list_close(&s->list);
    (void)lab_plant(NULL);
    free(s);
    return status;
}
