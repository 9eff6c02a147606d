// SPDX-License-Identifier: MIT

#include "base/command.h"

#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/tool.h"
#include "workshop/bench/bench.h"

typedef struct benchmark {
    const char *name;
    const char *about;
    int (*run)(int argc, char **argv);
} benchmark;

static const benchmark benchmarks[] = {
    {"codec", "bytes and time that inputs take, coded in several ways", bench_codec},
    {"det", "the cost of the library's mathematics beside the C library's", bench_det},
    {"forged", "the cost of packets that must be rejected, and that they change nothing",
     bench_forged},
    {"latency", "from a key to the first picture that shows it", bench_latency},
    {"lockstep-transport", "lockstep over TCP beside this library, on bad lines", bench_lockstep},
    {"predict", "how often each predictor is right, on inputs of real players", bench_predict},
    {"present", "the cost of pictures between ticks beside playing the match", bench_present},
    {"replay", "the cost of playing a recording beside stepping the game", bench_replay},
};

static void print_list(void)
{
    for (uint32_t i = 0; i < ARGS_COUNT(benchmarks); i++) {
        printf("  %-20s%s\n", benchmarks[i].name, benchmarks[i].about);
    }
}

static int complain_unknown(const char *name)
{
    const char *known[ARGS_COUNT(benchmarks)];
    for (uint32_t i = 0; i < ARGS_COUNT(benchmarks); i++) {
        known[i] = benchmarks[i].name;
    }
    const uint32_t nearest = args_nearest(name, known, ARGS_COUNT(known));
    if (nearest != UINT32_MAX) {
        tool_complain(name, "no such benchmark, did you mean '%s'?", known[nearest]);
    } else {
        tool_complain(name, "no such benchmark, expected one of 'bks bench'");
    }
    return TOOL_MISUSE;
}

int cmd_bench(int argc, char **argv)
{
    if (argc < 2) {
        print_list();
        return TOOL_OK;
    }
    for (uint32_t i = 0; i < ARGS_COUNT(benchmarks); i++) {
        if (strcmp(argv[1], benchmarks[i].name) == 0) {
            return benchmarks[i].run(argc - 1, argv + 1);
        }
    }
    if (argv[1][0] != '-') {
        return complain_unknown(argv[1]);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        printf("usage: bks bench [NAME] [arguments]\n"
               "\n"
               "Run one of the benchmarks; without a name, list them. 'bks bench NAME --help' "
               "lists\n"
               "the options of one.\n"
               "\n"
               "benchmarks:\n");
        print_list();
        return TOOL_OK;
    }
    tool_complain(argv[1], "no such option, expected a benchmark of 'bks bench'");
    return TOOL_MISUSE;
}
