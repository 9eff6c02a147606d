// SPDX-License-Identifier: MIT

// How many bytes a second a player's inputs take, coded in several ways.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/tool.h"
#include "workshop/bench/bench.h"
#include "workshop/bench/bench_codec_run.h"

static const char *const coding_names[CODINGS] = {"raw",  "Fiedler",  "INVERSUS", "two-level",
                                                  "zlib", "zstd -19", "adaptive"};
static const char *const coding_keys[CODINGS] = {"raw",  "fiedler", "inversus", "two_level",
                                                 "zlib", "zstd_19", "adaptive"};

/// Bytes a second that the adaptive code must stay under on matches of the games that are known:
/// 1.1 times what a range coder with small contexts reached, counted in ideal code lengths.
static const struct {
    const char *group;
    double bytes_per_s;
} limits[] = {{"slippi", 45.65}, {"doom", 14.85}, {"heretic", 18.04}};

/// @return 0 when there is none
static double limit_of(const char *group)
{
    for (uint32_t i = 0; i < ARGS_COUNT(limits); i++) {
        if (strcmp(limits[i].group, group) == 0) {
            return limits[i].bytes_per_s;
        }
    }
    return 0;
}

static double per_second(const code_count *count, coding coded)
{
    return count->player_seconds > 0 ? count->bytes[coded] / count->player_seconds : 0;
}

static double per_input(const code_count *count, double ns)
{
    return count->inputs > 0 ? ns / (double)count->inputs : 0;
}

static void print_group(const bench_matches *played, const played_match *first,
                        const code_count *count)
{
    const uint32_t files = bench_files_of(played, first->group);
    printf("%s, %" PRIu32 " Hz, %" PRIu32 " match%s, %.0f minutes of players\n", first->game,
           first->tick_rate_hz, files, TOOL_PLURAL_ES(files), count->player_seconds / 60);
    printf("  code          bytes/s   against two-level\n");
    for (coding coded = 0; coded < CODINGS; coded++) {
        printf("  %-10s %10.1f   %15.0f %%\n", coding_names[coded], per_second(count, coded),
               100.0 * count->bytes[coded] / count->bytes[CODED_TWO_LEVEL]);
    }
    if (limit_of(first->group) > 0) {
        printf("  %-10s %10.1f   for adaptive\n", "limit", limit_of(first->group));
    }
    printf("  an input takes %.0f ns to encode and %.0f to decode, two-level %.0f\n\n",
           per_input(count, count->encode_ns), per_input(count, count->decode_ns),
           per_input(count, count->plain_ns));
}

static void json_group(json *out, const bench_matches *played, const played_match *first,
                       const code_count *count)
{
    json_object(out, NULL);
    json_text(out, "game", first->game);
    json_text(out, "group", first->group);
    json_uint(out, "tick_rate_hz", first->tick_rate_hz);
    json_uint(out, "files", bench_files_of(played, first->group));
    json_uint(out, "inputs", count->inputs);
    json_object(out, "bytes_per_s");
    for (coding coded = 0; coded < CODINGS; coded++) {
        json_number(out, coding_keys[coded], per_second(count, coded), 2);
    }
    json_close(out);
    if (limit_of(first->group) > 0) {
        json_number(out, "adaptive_limit", limit_of(first->group), 2);
    }
    json_number(out, "two_level_ns", per_input(count, count->plain_ns), 1);
    json_number(out, "encode_ns", per_input(count, count->encode_ns), 1);
    json_number(out, "decode_ns", per_input(count, count->decode_ns), 1);
    json_close(out);
}

/// All matches of a game.
static int measure_group(const bench_matches *played, const char *group, progress *bar,
                         uint64_t *done, code_count *count)
{
    memset(count, 0, sizeof(*count));
    for (uint32_t i = 0; i < played->match_count; i++) {
        bks_error error = {0};
        if (strcmp(played->matches[i].group, group) == 0 &&
            code_match(&played->matches[i], played->game->fields, played->game->field_count, count,
                       &error) != BKS_OK) {
            tool_complain_error("codec", &error);
            return TOOL_DAMAGED;
        }
        *done += strcmp(played->matches[i].group, group) == 0 ? 1 : 0;
        progress_show(bar, *done);
    }
    return TOOL_OK;
}

static int measure_all(const bench_matches *played, bool is_json)
{
    json out;
    if (is_json) {
        json_begin(&out, stdout);
        json_text(&out, "bench", "codec");
        json_uint(&out, "skipped", played->skipped);
        json_array(&out, "games");
    }
    int status = TOOL_OK;
    uint64_t done = 0;
    progress bar;
    progress_begin(&bar, "codec", played->match_count);
    for (uint32_t i = 0; i < played->match_count && status == TOOL_OK; i++) {
        code_count count;
        if (!bench_is_first_of_group(played, i)) {
            continue;
        }
        status = measure_group(played, played->matches[i].group, &bar, &done, &count);
        progress_end(&bar); // wipes it away; the next progress_show() draws it again
        if (status == TOOL_OK && is_json) {
            json_group(&out, played, &played->matches[i], &count);
        } else if (status == TOOL_OK) {
            print_group(played, &played->matches[i], &count);
        }
    }
    progress_end(&bar);
    if (is_json) {
        json_close(&out);
        return json_end(&out) ? status : TOOL_DAMAGED;
    }
    if (played->skipped > 0) {
        printf("%" PRIu32 " files were skipped: they are not input logs.\n", played->skipped);
    }
    return status;
}

static int parse(int argc, char **argv, args_list *files, const char **game, bool *is_json)
{
    const args_option options[] = {
        BENCH_GAME_OPTION(game),
        ARGS_JSON(is_json),
    };
    const args_spec spec = {
        .command = "bench codec",
        .usage = "[options] [FILE...]",
        .about =
            "Print how many bytes a second a player's recorded inputs take, coded in several ways\n"
            "without packet headers. The inputs are those of the files, or of every input log in\n"
            "the folder that BKS_TRACES names, and a scripted one. Files whose names are the same\n"
            "up to the first _ count as one game.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(files, 0, ARGS_LIST_MAX),
    };
    return args_parse(&spec, argc, argv);
}

int bench_codec(int argc, char **argv)
{
    args_list files = {0};
    const char *game_name = NULL;
    bool is_json = false;
    int status = parse(argc, argv, &files, &game_name, &is_json);
    if (status != ARGS_GO) {
        return status;
    }
    const char *folder = getenv("BKS_TRACES");
    if (files.count == 0 && (folder == NULL || folder[0] == '\0')) {
        (void)fprintf(stderr, "bks: codec: no files named and no BKS_TRACES, so only the scripted "
                              "inputs\n");
    }
    bench_matches *played = NULL;
    status = bench_matches_open("codec", game_name, &files, &played);
    if (status == TOOL_OK) {
        status = measure_all(played, is_json);
    }
    bench_matches_close(played);
    return status;
}
