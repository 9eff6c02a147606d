// SPDX-License-Identifier: MIT

// The cost of forged packets, which no peer may take and which change nothing.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc_count.h"
#include "base/args.h"
#include "base/json.h"
#include "base/tool.h"
#include "game/loader.h"
#include "workshop/bench/bench.h"
#include "workshop/bench/bench_forged_run.h"

/// What a packet may cost, in nanoseconds: the goal.
#define GOAL_NS 1500.0

#define PACKETS_MAX 1000000000

static const struct {
    const char *key;
    const char *name;
} kinds[FORGED_KINDS] = {
    {"made_up", "made up, 40 bytes"},
    {"made_up_long", "made up, 1200 bytes"},
    {"cut", "cut"},
    {"flipped", "a bit flipped"},
    {"replayed", "replayed"},
    {"reflected", "reflected"},
    {"call", "a stranger's call, 420 bytes"},
    {"call_long", "a stranger's call, 1200 bytes"},
    {"call_replayed", "a call replayed"},
};

static double cost_ns(const forged_result *result, forged_kind kind)
{
    return result->count[kind] > 0 ? result->ns[kind] / (double)result->count[kind] : 0;
}

static double mean_ns(const forged_result *result)
{
    double sum = 0;
    for (forged_kind kind = 0; kind < FORGED_KINDS; kind++) {
        sum += result->ns[kind];
    }
    return result->packets > 0 ? sum / (double)result->packets : 0;
}

/// What did not go as it must, or NULL.
static const char *fault_of(const forged_result *attacked, const forged_result *quiet)
{
    if (attacked->taken > 0) {
        return "some were taken";
    }
    if (attacked->answered > 0) {
        return "some were answered";
    }
    if (attacked->allocations > 0) {
        return "memory was allocated";
    }
    if (attacked->log_lines > 0) {
        return "lines were logged";
    }
    if (memcmp(attacked->hashes, quiet->hashes, sizeof(quiet->hashes)) != 0 ||
        attacked->hashes[0] != attacked->hashes[1] || attacked->steps != quiet->steps ||
        attacked->sent != quiet->sent) {
        return "the match ran differently from one without them";
    }
    return NULL;
}

static void print_text(const forged_result *result)
{
    printf("%" PRIu64 " packets into a match of two, %" PRIu32 " ticks long\n", result->packets,
           result->ticks);
    for (forged_kind kind = 0; kind < FORGED_KINDS; kind++) {
        printf("  %-30s %7.0f ns each\n", kinds[kind].name, cost_ns(result, kind));
    }
    printf("  %-30s %7.0f ns (goal: under %.0f)\n\n", "all of them", mean_ns(result), GOAL_NS);
    printf("taken                 %" PRIu64 "\n", result->taken);
    printf("answered              %" PRIu64 "\n", result->answered);
    printf("ticks late            %" PRIu32 ", the longest took %.2f of %.2f ms\n",
           result->ticks_late, result->tick_ms_max, 1000.0 / 60.0);
    if (alloc_count_works()) {
        printf("allocations           %" PRIu64 "\n", result->allocations);
    }
    if (result->memory_bytes != -1) {
        printf("memory                %+" PRId64 " KiB\n", result->memory_bytes / 1024);
    }
}

static bool print_json(const forged_result *result, const char *fault)
{
    json out;
    json_begin(&out, stdout);
    json_text(&out, "bench", "forged");
    json_uint(&out, "packets", result->packets);
    json_uint(&out, "ticks", result->ticks);
    json_object(&out, "ns");
    for (forged_kind kind = 0; kind < FORGED_KINDS; kind++) {
        json_number(&out, kinds[kind].key, cost_ns(result, kind), 1);
    }
    json_close(&out);
    json_number(&out, "ns_mean", mean_ns(result), 1);
    json_number(&out, "goal_ns", GOAL_NS, 0);
    json_uint(&out, "taken", result->taken);
    json_uint(&out, "answered", result->answered);
    json_uint(&out, "ticks_late", result->ticks_late);
    json_number(&out, "tick_ms_max", result->tick_ms_max, 3);
    json_uint(&out, "allocations", result->allocations);
    json_int(&out, "memory_bytes", result->memory_bytes);
    json_uint(&out, "log_lines", result->log_lines);
    json_text(&out, "fault", fault);
    return json_end(&out);
}

int bench_forged(int argc, char **argv)
{
    int64_t packets = 1000000;
    const char *game_name = "pad";
    bool is_json = false;
    const args_option options[] = {
        ARGS_INT("--packets", "N", &packets, 1, PACKETS_MAX, "number of packets (default 1000000)"),
        ARGS_TEXT("--game", "GAME", &game_name, "the game of the running match (default pad)"),
        ARGS_JSON(&is_json),
    };
    const args_spec spec = {
        .command = "bench forged",
        .usage = "[options]",
        .about =
            "Send packets into a running match that it must reject: made up, cut, flipped,\n"
            "replayed, reflected, and calls without the key. Print what each costs, and whether\n"
            "the match runs as it does without them: if not, the exit status is 1.",
        ARGS_OPTIONS(options),
    };
    int status = args_parse(&spec, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    loaded_game game;
    forged_result attacked;
    forged_result quiet;
    status = loader_open(game_name, &game);
    if (status == TOOL_OK) {
        status = forged_run(game.game, (uint64_t)packets, 0, &attacked);
    }
    if (status == TOOL_OK) {
        status = forged_run(game.game, 0, attacked.ticks, &quiet);
    }
    if (status != TOOL_OK) {
        return status;
    }
    const char *fault = fault_of(&attacked, &quiet);
    if (!is_json) {
        print_text(&attacked);
    } else if (!print_json(&attacked, fault)) {
        return TOOL_DAMAGED;
    }
    if (fault != NULL) {
        tool_complain("forged", "%s", fault);
    }
    return fault == NULL ? TOOL_OK : TOOL_NO;
}
