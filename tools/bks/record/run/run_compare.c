// SPDX-License-Identifier: MIT

#include "record/run/run_compare.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"
#include "base/tool.h"

// TIMES: runs of each build in a round. ROUNDS: limit for the rounds on a busy machine. TIMES_MIN:
// fewest runs of each build for a verdict.
enum { TIMES = 10, ROUNDS = 8, TIMES_MIN = 4 };

// Limits for differences that chance explains, as shares of a step's time. IN_TURNS: between equal
// builds that were measured in turns. CALM: between the two halves of a calm measurement. APART:
// between runs at different times.
static const double IN_TURNS = 0.03;
static const double CALM = 0.01;
static const double APART = 1.0;

// ---- loading the other build ----

static void read_least(const cJSON *root, run_compare *out)
{
    const cJSON *least = cJSON_GetObjectItem(root, "least_us");
    const cJSON *times = cJSON_GetObjectItem(root, "times");
    if (cJSON_IsNumber(least) && cJSON_IsNumber(times) && least->valuedouble > 0 &&
        times->valuedouble >= 1) {
        out->before_us = least->valuedouble;
        out->times = times->valuedouble < INT32_MAX ? (uint32_t)times->valuedouble : INT32_MAX;
    }
}

// Find the build that was measured earlier: it may be the present build, or else the file of its
// plug-in may still hold it.
static void find_build(const cJSON *root, const loaded_game *present, run_compare *out)
{
    const char *build = cJSON_GetStringValue(cJSON_GetObjectItem(root, "build"));
    const char *plugin = cJSON_GetStringValue(cJSON_GetObjectItem(root, "plugin"));
    if (build == NULL || build[0] == '\0') {
        return;
    }
    if (strcmp(build, present->build) == 0) {
        out->game = *present;
        return;
    }
    loaded_game other;
    if (plugin != NULL && access(plugin, R_OK) == 0 && loader_open(plugin, &other) == TOOL_OK &&
        strcmp(other.build, build) == 0) {
        out->game = other;
    }
}

static bool read_root(const cJSON *root, const loaded_game *present, run_compare *out)
{
    const char *recording = cJSON_GetStringValue(cJSON_GetObjectItem(root, "recording"));
    char *end = NULL;
    if (recording == NULL || strlen(recording) != 16 ||
        cJSON_GetObjectItem(root, "runs_us") == NULL) {
        return false;
    }
    const cJSON *ticks = cJSON_GetObjectItem(root, "ticks");
    out->measured.ticks =
        cJSON_IsNumber(ticks) && ticks->valuedouble >= 0 && ticks->valuedouble <= INT32_MAX
            ? (int64_t)ticks->valuedouble
            : -1;
    const cJSON *player = cJSON_GetObjectItem(root, "as_player");
    out->measured.player = cJSON_IsString(player)   ? RUN_AS_RECORDED
                           : cJSON_IsNumber(player) ? (int64_t)player->valueint
                                                    : RUN_AS_NONE;
    out->measured.has_marks = cJSON_IsTrue(cJSON_GetObjectItem(root, "stats"));
    out->measured.recording = strtoull(recording, &end, 16);
    read_least(root, out);
    find_build(root, present, out);
    return *end == '\0';
}

static int read_json(const char *path, const loaded_game *present, run_compare *out)
{
    uint8_t *bytes = NULL;
    size_t count = 0;
    int status = file_read(path, &bytes, &count);
    if (status != TOOL_OK) {
        return status;
    }
    cJSON *root = cJSON_ParseWithLength((const char *)bytes, count);
    if (root == NULL || !read_root(root, present, out)) {
        tool_complain(path, "has no times, expected what 'bks run --json' printed, or a plug-in");
        status = TOOL_DAMAGED;
    }
    cJSON_Delete(root);
    free(bytes);
    return status;
}

static bool is_plugin(const char *path)
{
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".so") == 0;
}

int run_compare_open(const char *path, const loaded_game *present, run_compare *out)
{
    *out = (run_compare){.path = path};
    if (!is_plugin(path)) {
        return read_json(path, present, out);
    }
    const int status = loader_open(path, &out->game);
    if (status == TOOL_OK && strcmp(out->game.game->name, present->game->name) != 0) {
        tool_complain(path, "is the game %s, expected another build of %s", out->game.game->name,
                      present->game->name);
        return TOOL_MISUSE;
    }
    return status;
}

int run_compare_check(const run_compare *c, const char *path, const run_measured *now)
{
    const run_measured *other = &c->measured;
    if (is_plugin(c->path)) {
        return TOOL_OK;
    }
    if (other->recording != now->recording) {
        tool_complain(c->path, "is of another recording than %s, expected the same one", path);
        return TOOL_MISUSE;
    }
    if (other->ticks >= 0 && other->ticks != now->ticks) {
        tool_complain(c->path,
                      "was measured up to tick %" PRId64 ", expected the same stretch: now it is "
                      "%" PRId64,
                      other->ticks, now->ticks);
        return TOOL_MISUSE;
    }
    if (other->player != now->player) {
        tool_complain(c->path, "was played with another --as-player, expected the same now");
        return TOOL_MISUSE;
    }
    if (other->has_marks != now->has_marks) {
        tool_complain(c->path, "was measured with%s --stats, expected the same now",
                      other->has_marks ? "" : "out");
        return TOOL_MISUSE;
    }
    return TOOL_OK;
}

// ---- judging the measurement ----

// Return how far the ratios of the even and of the odd runs lie at most from the ratio of all runs.
static double scatter_of(const run_compare *c)
{
    return c->is_in_turns && c->times > 1
               ? fmax(fabs(c->half_ratio[0] - c->ratio), fabs(c->half_ratio[1] - c->ratio))
               : 0;
}

run_verdict run_compare_judge(const run_compare *c)
{
    run_verdict verdict = {.word = "unknown", .noise = c->is_in_turns ? IN_TURNS : APART};
    if (c->before_us <= 0 || c->now_us <= 0) {
        return verdict;
    }
    verdict.ratio = c->ratio;
    // Both halves of the runs must show a difference greater than their scatter.
    const double scatter = scatter_of(c);
    verdict.noise = fmax(verdict.noise, scatter);
    if (c->times >= TIMES_MIN) {
        verdict.word = c->ratio - scatter > 1.0 + verdict.noise             ? "slower"
                       : (c->ratio + scatter) * (1.0 + verdict.noise) < 1.0 ? "faster"
                                                                            : "same";
    }
    return verdict;
}

// ---- measuring both builds ----

static void take(run_compare *c, const run_least *before, const run_least *now, run_turns *turns)
{
    c->ratio = samples_share(&turns->all, 0.5);
    c->half_ratio[0] = samples_share(&turns->half[0], 0.5);
    c->half_ratio[1] = samples_share(&turns->half[1], 0.5);
    c->before_us = run_least_mean_us(before);
    c->now_us = run_least_mean_us(now);
    c->times = now->run_count;
    c->is_in_turns = true;
}

// Return true if the measurement is calm. If it shows a difference, a second round is needed,
// because chance seldom shows the same difference twice.
static bool is_settled(const run_compare *c, uint32_t rounds)
{
    return scatter_of(c) <= CALM && (rounds > 1 || strcmp(run_compare_judge(c).word, "same") == 0);
}

static int measure_in_turns(run_compare *c, const run_pair_config *config)
{
    run_least before = {0};
    run_least now = {0};
    run_turns turns = {0};
    bks_error error = {0};
    const bool is_open = run_least_open(&before, config->first, config->end) &&
                         run_least_open(&now, config->first, config->end);
    bks_status status = is_open ? BKS_OK : BKS_ERR_OUT_OF_MEMORY;
    for (uint32_t rounds = 0; status == BKS_OK && rounds < ROUNDS && !stop_is_wanted();) {
        status = run_pair_measure(config, &before, &now, &turns, &error);
        take(c, &before, &now, &turns);
        if (is_settled(c, ++rounds)) {
            break;
        }
    }
    if (status != BKS_OK) {
        tool_complain(c->path, "%s", error.text[0] != '\0' ? error.text : bks_status_text(status));
    }
    run_least_free(&before);
    run_least_free(&now);
    run_turns_free(&turns);
    return status == BKS_OK ? TOOL_OK : TOOL_NO;
}

int run_compare_measure(run_compare *c, run_pair_config config, const loaded_game *present,
                        const run_least *now)
{
    if (c->game.plugin == NULL) {
        c->now_us = run_least_mean_us(now);
        c->ratio = c->before_us > 0 ? c->now_us / c->before_us : 0;
        c->times = now->run_count < c->times ? now->run_count : c->times;
        return TOOL_OK;
    }
    config.before = c->game.game;
    config.now = present->game;
    config.playback.any_version = true;
    config.times = config.times > TIMES ? config.times : TIMES;
    return measure_in_turns(c, &config);
}

void run_compare_json(json *j, const run_compare *c)
{
    const run_verdict verdict = run_compare_judge(c);
    json_object(j, "compare");
    json_text(j, "other", c->path);
    json_bool(j, "in_turns", c->is_in_turns);
    json_uint(j, "times", c->times);
    json_number(j, "before_us", c->before_us, 4);
    json_number(j, "now_us", c->now_us, 4);
    json_number(j, "ratio", verdict.ratio, 4);
    json_number(j, "noise", verdict.noise, 4);
    json_text(j, "verdict", verdict.word);
    json_close(j);
}

void run_compare_print(const run_compare *c)
{
    const run_verdict verdict = run_compare_judge(c);
    printf("\n  compared with %s, %" PRIu32 " runs%s: at its quickest a step took %.3f us there, "
           "%.3f us here\n",
           c->path, c->times, c->is_in_turns ? " in turns" : "", c->before_us, c->now_us);
    if (!c->is_in_turns) {
        printf(
            "  the build it was measured with is not there any more, and the machine was another "
            "one then:\n  keep that build and give it, --compare OTHER.so\n");
    }
    if (strcmp(verdict.word, "unknown") == 0) {
        printf("  %.2f times as long; too few runs to measure the noise: give --times %d\n",
               verdict.ratio, TIMES);
    } else {
        printf("  %.2f times as long, +-%.2f: %s\n", verdict.ratio, verdict.noise,
               strcmp(verdict.word, "same") == 0 ? "no difference beyond the noise" : verdict.word);
    }
}
