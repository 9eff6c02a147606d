// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "check/check_until.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/progress.h"
#include "base/stop.h"
#include "base/tool.h"
#include "check/check_text.h"

enum { JOBS_MAX = 64, WORDS_MAX = 64, LINE_BYTES = 2048, LOOK_NS = 2000000 };

static const uint64_t second_ns = UINT64_C(1000000000);

/// One check of one seed.
typedef struct job {
    child process;
    int64_t seed;
    bool is_running;
} job;

typedef struct until {
    const check_options *options;
    const char *game;
    uint32_t jobs;
    int64_t next_seed;
    uint64_t begun_ns;
    uint64_t checks; ///< that came to an answer
    cJSON *found;    ///< the answer of the first that differs; NULL: none does
    int64_t seed;    ///< of it
    char said[512];  ///< by a baseline that crashed
    job job[JOBS_MAX];
} until;

bool check_until_read(const char *text, uint64_t *out_seconds)
{
    static const uint64_t year_s = UINT64_C(365) * 24 * 3600;
    char *end = NULL;
    const bool is_number = text[0] >= '0' && text[0] <= '9';
    const unsigned long long count = is_number ? strtoull(text, &end, 10) : 0;
    const char *unit = is_number ? end : "?";
    const uint64_t times = unit[0] == '\0' || strcmp(unit, "s") == 0 ? 1
                           : strcmp(unit, "m") == 0                  ? 60
                           : strcmp(unit, "h") == 0                  ? 3600
                                                                     : 0;
    if (times == 0 || count < 1 || count > year_s / times) {
        return false;
    }
    *out_seconds = count * times;
    return true;
}

// ---- one check ----

// The words of a check of one seed, as a command line has them behind "bks".
static uint32_t word_check(const check_options *o, const char *seed, const char *ticks,
                           const char *variants, const char *words[WORDS_MAX])
{
    static char players[24];
    uint32_t count = 0;
    words[count++] = "check";
    words[count++] = o->positionals.items[0];
    const char *const pairs[][2] = {{"--seed", seed},
                                    {"--ticks", ticks},
                                    {"--variants", variants},
                                    {"--input", strcmp(o->input, "monkey") == 0 ? NULL : o->input},
                                    {"--players", o->players > 0 ? players : NULL}};
    (void)snprintf(players, sizeof(players), "%" PRId64, o->players);
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (pairs[i][1] != NULL) {
            words[count++] = pairs[i][0];
            words[count++] = pairs[i][1];
        }
    }
    for (uint32_t i = 0; i < o->given_options.count && count + 4 < WORDS_MAX; i++) {
        words[count++] = "--option";
        words[count++] = o->given_options.items[i];
    }
    return count;
}

static bool start(until *u, job *j)
{
    char seed[24];
    char ticks[24];
    const char *words[WORDS_MAX + 2] = {"bks"};
    (void)snprintf(seed, sizeof(seed), "%" PRId64, u->next_seed);
    (void)snprintf(ticks, sizeof(ticks), "%" PRId64, u->options->ticks);
    const uint32_t count = word_check(u->options, seed, ticks, u->options->variants, words + 1);
    words[count + 1] = "--json";
    words[count + 2] = NULL;
    j->process = (child){0};
    j->seed = u->next_seed++;
    char *arguments[WORDS_MAX + 2];
    memcpy(arguments, words, sizeof(arguments)); // child_start() changes none of them
    j->is_running = child_start(&j->process, arguments);
    return j->is_running;
}

// Take the answer of a check that has ended.
static int take(until *u, job *j)
{
    child *process = &j->process;
    child_finish(process, 0);
    j->is_running = false;
    if (process->status == TOOL_OK) {
        u->checks++;
        return TOOL_OK;
    }
    if (process->status != TOOL_NO) {
        fprintf(stderr, "%s\n", process->complaint);
        return process->status > 0 ? process->status : TOOL_DAMAGED;
    }
    u->checks++;
    if (u->found == NULL && u->said[0] == '\0') {
        u->seed = j->seed;
        u->found = cJSON_Parse(process->text);
        if (u->found == NULL) {
            (void)snprintf(u->said, sizeof(u->said), "%.*s", (int)strcspn(process->complaint, "\n"),
                           process->complaint);
        }
    }
    return TOOL_NO;
}

// ---- all of them ----

static uint64_t passed_ns(const until *u)
{
    return tool_clock_ns(NULL) - u->begun_ns;
}

static int run(until *u, uint64_t seconds)
{
    progress bar;
    progress_begin(&bar, "checking seed after seed", seconds * second_ns);
    int status = TOOL_OK;
    while (status == TOOL_OK && passed_ns(u) < seconds * second_ns && !stop_is_wanted()) {
        for (uint32_t i = 0; i < u->jobs && status == TOOL_OK; i++) {
            job *j = &u->job[i];
            if (!j->is_running) {
                status = start(u, j) ? TOOL_OK : TOOL_DAMAGED;
            } else if (child_has_ended(&j->process)) {
                status = take(u, j);
            }
        }
        progress_show(&bar, passed_ns(u));
        tool_sleep_ns(LOOK_NS);
    }
    progress_end(&bar);
    for (uint32_t i = 0; i < u->jobs; i++) {
        child_finish(&u->job[i].process, 0);
    }
    return status;
}

// ---- what is said ----

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static bool differs(const cJSON *variant)
{
    return cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(variant, "same"));
}

// The line that repeats what was found.
static void write_line(const until *u, char *out, size_t capacity)
{
    char seed[24];
    char ticks[24];
    char variants[512] = "";
    int last = -1;
    const cJSON *variant = NULL;
    cJSON_ArrayForEach(variant, cJSON_GetObjectItemCaseSensitive(u->found, "variants"))
    {
        const cJSON *tick = cJSON_GetObjectItemCaseSensitive(variant, "tick");
        if (differs(variant) && cJSON_IsNumber(tick)) {
            const size_t used = strlen(variants);
            (void)snprintf(variants + used, sizeof(variants) - used, "%s%s", used > 0 ? "," : "",
                           text_of(variant, "name"));
            last = tick->valueint > last ? tick->valueint : last;
        }
    }
    (void)snprintf(seed, sizeof(seed), "%" PRId64, u->seed);
    (void)snprintf(ticks, sizeof(ticks), "%" PRId64,
                   last >= 0 ? (int64_t)last + 1 : u->options->ticks);
    const char *words[WORDS_MAX];
    const char *asked = u->options->variants;
    const bool has_values = asked != NULL && strchr(asked, '=') != NULL;
    const uint32_t count =
        word_check(u->options, seed, ticks, last >= 0 && !has_values ? variants : asked, words);
    size_t used = (size_t)snprintf(out, capacity, "bks");
    for (uint32_t i = 0; i < count && used < capacity; i++) {
        used += (size_t)snprintf(out + used, capacity - used, " %s", words[i]);
    }
}

static void print_part(const char *label, const char *text)
{
    char lines[2 * LINE_BYTES] = "";
    if (text[0] != '\0') {
        check_text_add(lines, sizeof(lines), label, text);
        (void)fputs(lines, stdout);
    }
}

static void print_variant(const cJSON *variant)
{
    char text[512];
    const char *field = text_of(variant, "field");
    printf("\n%s\n", text_of(variant, "name"));
    print_part("cause", text_of(variant, "cause"));
    (void)snprintf(text, sizeof(text), "%d, at the mark %s",
                   cJSON_GetObjectItemCaseSensitive(variant, "tick")->valueint,
                   text_of(variant, "mark"));
    print_part("tick", text);
    (void)snprintf(text, sizeof(text), "%s%s%s", text_of(variant, "object"),
                   field[0] != '\0' && field[0] != '[' ? "." : "", field);
    print_part("where", text);
    print_part("baseline", text_of(variant, "a"));
    print_part("here", text_of(variant, "b"));
    const char *function = text_of(variant, "function");
    const char *line = text_of(variant, "line");
    (void)snprintf(text, sizeof(text), "%s%s%s", line[0] != '\0' ? line : "not known: ",
                   line[0] == '\0'       ? text_of(variant, "line_why")
                   : function[0] != '\0' ? ", in "
                                         : "",
                   line[0] != '\0' ? function : "");
    print_part("line", text);
    print_part("note", text_of(variant, "note"));
}

static void print(const until *u, bool is_good)
{
    char line[LINE_BYTES];
    printf("%s: %s, %" PRIu64 " check%s of %" PRId64 " ticks from seed %" PRId64
           " on, %u at a time, in %.0f s\n",
           u->game, is_good ? "nothing differed" : "NOT deterministic", u->checks,
           u->checks == 1 ? "" : "s", u->options->ticks, u->options->seed, (unsigned)u->jobs,
           (double)passed_ns(u) / (double)second_ns);
    if (is_good) {
        return;
    }
    const cJSON *variant = NULL;
    cJSON_ArrayForEach(variant, cJSON_GetObjectItemCaseSensitive(u->found, "variants"))
    {
        if (differs(variant)) {
            print_variant(variant);
        }
    }
    print_part("note", u->said);
    write_line(u, line, sizeof(line));
    printf("\nto repeat it (a race between threads may take many runs):\n  %s\n", line);
}

static bool print_json(const until *u, bool is_good)
{
    char line[LINE_BYTES];
    cJSON *root = cJSON_CreateObject();
    (void)cJSON_AddStringToObject(root, "game", u->game);
    (void)cJSON_AddNumberToObject(root, "ticks", (double)u->options->ticks);
    (void)cJSON_AddNumberToObject(root, "first_seed", (double)u->options->seed);
    (void)cJSON_AddNumberToObject(root, "checks", (double)u->checks);
    (void)cJSON_AddNumberToObject(root, "jobs", (double)u->jobs);
    (void)cJSON_AddNumberToObject(root, "seconds", (double)(passed_ns(u) / second_ns));
    (void)cJSON_AddBoolToObject(root, "deterministic", is_good);
    if (is_good) {
        (void)cJSON_AddNullToObject(root, "seed");
        (void)cJSON_AddNullToObject(root, "line");
        (void)cJSON_AddNullToObject(root, "found");
    } else {
        write_line(u, line, sizeof(line));
        (void)cJSON_AddNumberToObject(root, "seed", (double)u->seed);
        (void)cJSON_AddStringToObject(root, "line", line);
        (void)cJSON_AddItemToObject(root, "found",
                                    u->found != NULL ? cJSON_Duplicate(u->found, true)
                                                     : cJSON_CreateString(u->said));
    }
    char *text = cJSON_Print(root);
    const bool is_written = text != NULL && printf("%s\n", text) > 0;
    cJSON_free(text);
    cJSON_Delete(root);
    return is_written;
}

int check_until(const check_options *options, const char *game, uint64_t seconds)
{
    static until u;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int64_t jobs = options->jobs > 0 ? options->jobs : processors > 0 ? processors : 1;
    u = (until){.options = options,
                .game = game,
                .jobs = (uint32_t)(jobs > JOBS_MAX ? JOBS_MAX : jobs),
                .next_seed = options->seed,
                .begun_ns = tool_clock_ns(NULL)};
    stop_catch();
    int status = run(&u, seconds);
    if (status == TOOL_OK && stop_is_wanted()) {
        tool_complain(game, "stopped after %" PRIu64 " checks, in which nothing differed",
                      u.checks);
        return TOOL_NO;
    }
    if (status != TOOL_MISUSE && status != TOOL_DAMAGED) {
        if (!options->is_json) {
            print(&u, status == TOOL_OK);
        } else if (!print_json(&u, status == TOOL_OK)) {
            status = TOOL_DAMAGED;
        }
    }
    cJSON_Delete(u.found);
    return status;
}
