// SPDX-License-Identifier: MIT

// Compares lockstep of this library with lockstep over TCP, on the same lines.

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/json.h"
#include "base/tool.h"
#include "workshop/bench/bench.h"
#include "workshop/bench/bench_lockstep_plot.h"

#define SECOND_NS UINT64_C(1000000000)
#define TICK_NS   (SECOND_NS / LOCKSTEP_HZ)

enum { SEEDS_MAX = 10 };

static const lockstep_line lines[LOCKSTEP_LINES] = {
    {"100 ms, 1 %", "delay=100ms,loss=1%", 100},
    {"250 ms, 5 %", "delay=250ms,loss=5%", 250},
    {"2 s, 25 %", "delay=2s,loss=25%", 2000},
};

static const char *const ways[LOCKSTEP_WAYS] = {
    [LOCKSTEP_OURS] = "ours",
    [LOCKSTEP_TCP_SAME] = "TCP, delay of ours",
    [LOCKSTEP_TCP_LONG] = "TCP, long delay",
};

/// Sums over the matches that were played in one way, such as over TCP, on one line.
typedef struct found {
    uint64_t steps;
    uint64_t hitching;   ///< number of tick periods in which a peer stepped no tick
    uint64_t longest_ns; ///< longest time by which a tick was stepped late
    uint64_t input_ns; ///< time from sampling an input to stepping it, summed over `inputs` inputs
    uint64_t inputs;
    uint64_t bytes;
    double seconds; ///< length of the matches, summed over matches and peers
    uint32_t delay_ticks;
    uint32_t begun; ///< number of matches in which both peers reached the first tick
} found;

typedef struct lockstep_bench {
    uint32_t seconds;
    uint32_t seeds;
    bool is_tcp; ///< true: TCP could be measured on this machine
    lockstep_tcp_facts tcp;
    lockstep_run runs[LOCKSTEP_LINES][LOCKSTEP_WAYS][SEEDS_MAX];
    found found[LOCKSTEP_LINES][LOCKSTEP_WAYS];
} lockstep_bench;

// ---- playing and measuring matches ----

static void add_gap(found *sum, uint64_t gap_ns)
{
    const uint64_t frames = (gap_ns + TICK_NS / 2) / TICK_NS;
    sum->hitching += frames > 1 ? frames - 1 : 0;
    const uint64_t late_ns = gap_ns > TICK_NS ? gap_ns - TICK_NS : 0;
    sum->longest_ns = frames > 1 && late_ns > sum->longest_ns ? late_ns : sum->longest_ns;
}

static void add_trace(found *sum, const lockstep_trace *trace, uint64_t end_ns)
{
    uint64_t last_ns = 0;
    for (uint32_t tick = 0; tick < trace->steps && trace->stepped_ns[tick] <= end_ns; tick++) {
        const uint64_t at_ns = trace->stepped_ns[tick];
        add_gap(sum, at_ns - last_ns);
        last_ns = at_ns;
        sum->steps++;
        if (trace->sampled_ns[tick] <= at_ns) {
            sum->input_ns += at_ns - trace->sampled_ns[tick];
            sum->inputs++;
        }
    }
    add_gap(sum, end_ns - last_ns);
}

static void add_run(found *sum, const lockstep_run *run)
{
    sum->delay_ticks += run->delay_ticks;
    sum->begun += run->has_begun ? 1 : 0;
    sum->bytes += run->bytes;
    sum->seconds += LOCKSTEP_PEERS * (double)run->seconds;
    for (uint32_t i = 0; run->has_begun && i < LOCKSTEP_PEERS; i++) {
        add_trace(sum, &run->traces[i], run->seconds * SECOND_NS);
    }
}

/// Prepare the matches of all seeds on one line, all played in the same way, such as over TCP.
static bool open_runs(lockstep_bench *b, uint32_t line, lockstep_way way)
{
    bool is_good = true;
    for (uint32_t i = 0; i < b->seeds; i++) {
        lockstep_run *run = &b->runs[line][way][i];
        *run = (lockstep_run){.spec = lines[line].spec, .seed = i + 1, .seconds = b->seconds};
        is_good = lockstep_run_open(run) && is_good;
        // The long delay allows one retransmission: TCP notices a lost packet after a round trip
        // and three more packets.
        run->delay_ticks = way == LOCKSTEP_TCP_LONG
                               ? 3 * lines[line].delay_ms * LOCKSTEP_HZ / 1000 + 4
                               : b->runs[line][LOCKSTEP_OURS][i].delay_ticks;
    }
    return is_good;
}

static bool measure_ours(lockstep_bench *b)
{
    for (uint32_t line = 0; line < LOCKSTEP_LINES; line++) {
        if (!open_runs(b, line, LOCKSTEP_OURS)) {
            return false;
        }
        for (uint32_t i = 0; i < b->seeds; i++) {
            if (!lockstep_ours(&b->runs[line][LOCKSTEP_OURS][i])) {
                return false;
            }
        }
    }
    return true;
}

/// Play all matches over TCP, all at the same time, because each takes as long as a real match.
static bool measure_tcp(lockstep_bench *b)
{
    const uint32_t most = LOCKSTEP_LINES * (LOCKSTEP_WAYS - 1) * SEEDS_MAX;
    lockstep_run *all = calloc(most, sizeof(*all));
    uint32_t count = 0;
    bool is_good = all != NULL;
    for (uint32_t line = 0; is_good && line < LOCKSTEP_LINES; line++) {
        for (uint32_t way = LOCKSTEP_TCP_SAME; way < LOCKSTEP_WAYS; way++) {
            is_good = open_runs(b, line, (lockstep_way)way) && is_good;
            memcpy(all + count, b->runs[line][way], b->seeds * sizeof(*all));
            count += b->seeds;
        }
    }
    b->is_tcp = is_good && lockstep_tcp(all, count, &b->tcp);
    count = 0;
    for (uint32_t line = 0; is_good && line < LOCKSTEP_LINES; line++) {
        for (uint32_t way = LOCKSTEP_TCP_SAME; way < LOCKSTEP_WAYS; way++) {
            memcpy(b->runs[line][way], all + count, b->seeds * sizeof(*all));
            count += b->seeds;
        }
    }
    free(all);
    return is_good;
}

static void add_up(lockstep_bench *b)
{
    for (uint32_t line = 0; line < LOCKSTEP_LINES; line++) {
        for (uint32_t way = 0; way < LOCKSTEP_WAYS; way++) {
            for (uint32_t i = 0; i < b->seeds; i++) {
                add_run(&b->found[line][way], &b->runs[line][way][i]);
            }
        }
    }
}

// ---- printing results ----

static double share(const found *f)
{
    const uint64_t frames = f->steps + f->hitching;
    return frames > 0 ? 100.0 * (double)f->hitching / (double)frames : 100.0;
}

/// Return the mean time from sampling an input to stepping it. There must be such an input.
static double input_ms(const found *f)
{
    return (double)f->input_ns / (double)f->inputs / 1e6;
}

static double delay(const lockstep_bench *b, const found *f)
{
    return (double)f->delay_ticks / b->seeds;
}

static void print_table(const lockstep_bench *b)
{
    printf("lockstep of two peers at %u Hz, %u s, %u seed%s\n\n"
           "  line (one way, loss)  by                  delay  hitching  longest  input to step   "
           "bytes\n"
           "                                            ticks  frames %%       ms             ms  "
           "B/s, peer\n",
           LOCKSTEP_HZ, b->seconds, b->seeds, TOOL_PLURAL(b->seeds));
    for (uint32_t line = 0; line < LOCKSTEP_LINES; line++) {
        for (uint32_t way = 0; way < (b->is_tcp ? LOCKSTEP_WAYS : 1u); way++) {
            const found *f = &b->found[line][way];
            char input[32] = "-";
            if (f->inputs > 0) {
                snprintf(input, sizeof(input), "%.1f", input_ms(f));
            }
            printf("  %-20s  %-18s  %5.0f  %8.3f  %7.0f  %13s  %9.0f%s\n", lines[line].name,
                   ways[way], delay(b, f), share(f), (double)f->longest_ns / 1e6, input,
                   (double)f->bytes / f->seconds, f->begun < b->seeds ? "  not connected" : "");
        }
    }
    if (b->is_tcp) {
        printf(
            "\nTCP is measured: the kernel's with %s, Nagle off, in real time; its line is "
            "emulated, "
            "at most\n%.1f ms late. Ours is played on the same line in the lab, on virtual time.\n",
            b->tcp.congestion, (double)b->tcp.late_ns / 1e6);
    } else {
        printf("\nTCP is not measured here: %s. It needs network namespaces and /dev/net/tun: run "
               "it as root.\n",
               b->tcp.why);
    }
}

static void json_found(const lockstep_bench *b, uint32_t line, uint32_t way, json *out)
{
    const found *f = &b->found[line][way];
    json_object(out, NULL);
    json_text(out, "line", lines[line].spec);
    json_text(out, "by", way == LOCKSTEP_OURS ? "ours" : "tcp");
    json_bool(out, "is_measured", way != LOCKSTEP_OURS);
    json_number(out, "delay_ticks", delay(b, f), 1);
    json_number(out, "hitching_percent", share(f), 4);
    json_number(out, "longest_ms", (double)f->longest_ns / 1e6, 1);
    json_number(out, "input_ms", f->inputs > 0 ? input_ms(f) : NAN, 2);
    json_number(out, "bytes_per_s", (double)f->bytes / f->seconds, 1);
    json_int(out, "begun", f->begun);
    json_close(out);
}

static bool print_json(const lockstep_bench *b)
{
    json out;
    json_begin(&out, stdout);
    json_text(&out, "bench", "lockstep-transport");
    json_int(&out, "seconds", b->seconds);
    json_int(&out, "seeds", b->seeds);
    json_text(&out, "no_tcp", b->is_tcp ? NULL : b->tcp.why);
    json_text(&out, "congestion", b->is_tcp ? b->tcp.congestion : NULL);
    json_number(&out, "line_late_ms", (double)b->tcp.late_ns / 1e6, 3);
    json_array(&out, "found");
    for (uint32_t line = 0; line < LOCKSTEP_LINES; line++) {
        for (uint32_t way = 0; way < (b->is_tcp ? LOCKSTEP_WAYS : 1u); way++) {
            json_found(b, line, way, &out);
        }
    }
    json_close(&out);
    return json_end(&out);
}

static int plot(const lockstep_bench *b, FILE *out, const char *path)
{
    lockstep_plot picture = {.seconds = b->seconds, .ways = b->is_tcp ? LOCKSTEP_WAYS : 1};
    for (uint32_t line = 0; line < LOCKSTEP_LINES; line++) {
        picture.names[line] = lines[line].name;
        for (uint32_t way = 0; way < LOCKSTEP_WAYS; way++) {
            picture.traces[line][way] = &b->runs[line][way][0].traces[0];
        }
    }
    for (uint32_t way = 0; way < LOCKSTEP_WAYS; way++) {
        picture.ways_names[way] = ways[way];
    }
    return lockstep_plot_write(&picture, out, path);
}

/// Measure and print. The drawing's file is opened before, so that a path which cannot be written
/// does not end a long run.
static int measure(lockstep_bench *b, const char *plot_path, bool is_json)
{
    FILE *file = plot_path != NULL ? fopen(plot_path, "w") : NULL;
    if (plot_path != NULL && file == NULL) {
        tool_complain(plot_path, "cannot be written: %s", strerror(errno));
        return TOOL_DAMAGED;
    }
    int status = TOOL_OK;
    if (!measure_ours(b) || !measure_tcp(b)) {
        tool_complain("lockstep-transport", "no memory");
        if (file != NULL) {
            (void)fclose(file);
        }
        return TOOL_DAMAGED;
    }
    add_up(b);
    if (is_json) {
        status = print_json(b) ? TOOL_OK : TOOL_DAMAGED;
    } else {
        print_table(b);
    }
    if (file != NULL) {
        const int plotted = plot(b, file, plot_path);
        status = status == TOOL_OK ? plotted : status;
    }
    return status;
}

int bench_lockstep(int argc, char **argv)
{
    bool is_json = false;
    const char *plot_path = NULL;
    int64_t seconds = 60;
    int64_t seeds = 1;
    const args_option options[] = {
        ARGS_INT("--seconds", "N", &seconds, 1, 3600, "length of each match (default 60)"),
        ARGS_INT("--seeds", "N", &seeds, 1, SEEDS_MAX, "matches on each line (default 1)"),
        ARGS_TEXT("--plot", "FILE.svg", &plot_path, "draw the time of play over real time"),
        ARGS_JSON(&is_json),
    };
    const args_spec spec = {
        .command = "bench lockstep-transport",
        .usage = "[options]",
        .about = "Play lockstep over TCP and by this library on the same bad lines. TCP is the\n"
                 "kernel's, with Nagle's algorithm off, in real time over a line that this\n"
                 "program emulates between network namespaces, which needs root and\n"
                 "/dev/net/tun: without them TCP is left out, and the table says so. This\n"
                 "library plays on virtual time, on the same line as 'bks lab'.",
        ARGS_OPTIONS(options),
    };
    int status = args_parse(&spec, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    lockstep_bench *b = calloc(1, sizeof(*b));
    if (b == NULL) {
        tool_complain("lockstep-transport", "no memory");
        return TOOL_DAMAGED;
    }
    b->seconds = (uint32_t)seconds;
    b->seeds = (uint32_t)seeds;
    status = measure(b, plot_path, is_json);
    for (uint32_t i = 0; i < LOCKSTEP_LINES * LOCKSTEP_WAYS * SEEDS_MAX; i++) {
        lockstep_run_close(
            &b->runs[i / SEEDS_MAX / LOCKSTEP_WAYS][i / SEEDS_MAX % LOCKSTEP_WAYS][i % SEEDS_MAX]);
    }
    free(b);
    return status;
}
