// SPDX-License-Identifier: MIT

#include "run_compare.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "run_options.h"
#include "tool.h"

static bool read_runs(const cJSON *runs, run_compare *out)
{
    const int count = cJSON_GetArraySize(runs);
    if (!cJSON_IsArray(runs) || count < 1 || count > RUN_STATS_RUNS_MAX) {
        return false;
    }
    const cJSON *mean = NULL;
    cJSON_ArrayForEach(mean, runs)
    {
        if (!cJSON_IsNumber(mean) || mean->valuedouble <= 0) {
            return false;
        }
        out->run_mean_us[out->run_count++] = mean->valuedouble;
    }
    return true;
}

static bool read_root(const cJSON *root, run_compare *out)
{
    const char *recording = cJSON_GetStringValue(cJSON_GetObjectItem(root, "recording"));
    char *end = NULL;
    if (recording == NULL || strlen(recording) != 16) {
        return false;
    }
    const cJSON *ticks = cJSON_GetObjectItem(root, "ticks");
    out->ticks = cJSON_IsNumber(ticks) && ticks->valuedouble >= 0 && ticks->valuedouble <= INT32_MAX
                     ? (int64_t)ticks->valuedouble
                     : -1;
    const cJSON *player = cJSON_GetObjectItem(root, "as_player");
    out->player = cJSON_IsString(player)   ? RUN_AS_RECORDED
                  : cJSON_IsNumber(player) ? (int64_t)player->valueint
                                           : RUN_AS_NONE;
    out->has_marks = cJSON_IsTrue(cJSON_GetObjectItem(root, "stats"));
    out->recording = strtoull(recording, &end, 16);
    return *end == '\0' && read_runs(cJSON_GetObjectItem(root, "runs_us"), out);
}

int run_compare_read(const char *path, run_compare *out)
{
    *out = (run_compare){.path = path};
    uint8_t *bytes = NULL;
    size_t count = 0;
    int status = file_read(path, &bytes, &count);
    if (status != TOOL_OK) {
        return status;
    }
    cJSON *root = cJSON_ParseWithLength((const char *)bytes, count);
    if (root == NULL || !read_root(root, out)) {
        tool_complain(path, "has no times, expected what 'bks run --json' printed");
        status = TOOL_DAMAGED;
    }
    cJSON_Delete(root);
    free(bytes);
    return status;
}

static double share(run_stats_spread spread)
{
    return (spread.high_us - spread.low_us) / 2 / spread.median_us;
}

run_verdict run_compare_judge(const run_compare *before, const run_stats *now)
{
    run_verdict verdict = {
        .word = "unknown",
        .before = run_stats_scatter(before->run_mean_us, before->run_count),
        .now = run_stats_scatter(now->run_mean_us, now->run_count),
    };
    if (verdict.before.median_us <= 0 || verdict.now.median_us <= 0) {
        return verdict;
    }
    verdict.ratio = verdict.now.median_us / verdict.before.median_us;
    verdict.noise = share(verdict.before) + share(verdict.now);
    if (before->run_count > 1 && now->run_count > 1) {
        verdict.word = verdict.now.high_us < verdict.before.low_us   ? "faster"
                       : verdict.now.low_us > verdict.before.high_us ? "slower"
                                                                     : "same";
    }
    return verdict;
}

void run_compare_json(json *j, const run_compare *before, const run_stats *now)
{
    const run_verdict verdict = run_compare_judge(before, now);
    json_object(j, "compare");
    json_text(j, "other", before->path);
    json_number(j, "before_us", verdict.before.median_us, 4);
    json_number(j, "now_us", verdict.now.median_us, 4);
    json_number(j, "ratio", verdict.ratio, 4);
    json_number(j, "noise", verdict.noise, 4);
    json_text(j, "verdict", verdict.word);
    json_close(j);
}

void run_compare_print(const run_compare *before, const run_stats *now)
{
    const run_verdict verdict = run_compare_judge(before, now);
    printf("\n  compared with %s: a step took %.3f us before, %.3f us now\n", before->path,
           verdict.before.median_us, verdict.now.median_us);
    if (strcmp(verdict.word, "unknown") == 0) {
        printf(
            "  %.2f times as long; one run does not tell its noise: give --times 10 both times\n",
            verdict.ratio);
    } else {
        printf("  %.2f times as long, +-%.2f by the scatter of %" PRIu32 " and %" PRIu32
               " runs: %s\n",
               verdict.ratio, verdict.noise, before->run_count, now->run_count,
               strcmp(verdict.word, "same") == 0 ? "no difference beyond the noise" : verdict.word);
    }
}
