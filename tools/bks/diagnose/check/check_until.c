// SPDX-License-Identifier: MIT

#include "diagnose/check/check_until.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/stop.h"
#include "base/system.h"
#include "base/text.h"
#include "base/tool.h"
#include "diagnose/check/check_report.h"
#include "diagnose/check/check_text.h"
#include "diagnose/variants/variants.h"

enum { JOBS_MAX = 64, LINE_BYTES = 16384, LOOK_NS = 2000000, FIRST_MORE_S = 600 };

static const uint64_t second_ns = UINT64_C(1000000000);

/// Check of one seed, in a child process.
typedef struct job {
    child process;
    int64_t seed;
    bool is_running;
} job;

typedef struct until {
    const check_until_config *config;
    const check_options *options;
    uint32_t jobs;
    int64_t next_seed;
    uint64_t begun_ns;
    uint64_t checks;   ///< number of checks with a result
    bool is_exercised; ///< true if some check perturbed something
    cJSON *found;      ///< report of the first check that found a difference; NULL: none
    int64_t seed;      ///< seed of the check in `found`
    char error[512];   ///< error of a check that ended without a report, empty if none did
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

// ---- check of one seed ----

static bool start(until *u, job *j)
{
    static check_arguments command;
    static char *arguments[sizeof(command.items) / sizeof(command.items[0])];
    check_arguments_write(u->options, u->next_seed, u->options->ticks, u->config->variants,
                          &command);
    command.items[command.count++] = "--json";
    command.items[command.count] = NULL;
    // child_start() needs writable pointers, but does not change the texts.
    memcpy(arguments, command.items, sizeof(arguments));
    j->process = (child){0};
    j->seed = u->next_seed++;
    j->is_running = child_start(&j->process, arguments);
    return j->is_running;
}

// Read the result of a check that has ended.
static int take(until *u, job *j)
{
    child *process = &j->process;
    child_finish(process, 0);
    j->is_running = false;
    if (process->status == TOOL_OK) {
        cJSON *report = cJSON_Parse(process->text);
        u->is_exercised |= cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(report, "deterministic"));
        cJSON_Delete(report);
        u->checks++;
        return TOOL_OK;
    }
    if (process->status == TOOL_STOPPED || stop_is_wanted()) {
        return TOOL_STOPPED; // Ctrl-C ends the child processes, too
    }
    if (process->status != TOOL_NO) {
        fprintf(stderr, "%s\n", process->complaint);
        return process->status > 0 ? process->status : TOOL_DAMAGED;
    }
    u->checks++;
    if (u->found == NULL && u->error[0] == '\0') {
        u->seed = j->seed;
        u->found = cJSON_Parse(process->text);
        if (u->found == NULL) {
            TEXT_SET(u->error, "%.*s", (int)strcspn(process->complaint, "\n"), process->complaint);
        }
    }
    return TOOL_NO;
}

// ---- checks of all seeds ----

static uint64_t passed_ns(const until *u)
{
    return tool_clock_ns(NULL) - u->begun_ns;
}

// Return true if there is time for another check. Until the first check has a result, allow ten
// minutes more than the user gave.
static bool has_time(const until *u)
{
    return passed_ns(u) < (u->config->seconds + (u->checks == 0 ? FIRST_MORE_S : 0)) * second_ns;
}

static int run(until *u)
{
    progress bar;
    progress_begin(&bar, "checking seed after seed", u->config->seconds * second_ns);
    int status = TOOL_OK;
    while (status == TOOL_OK && has_time(u) && !stop_is_wanted()) {
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
    const bool is_stopped = stop_is_wanted() || u->checks == 0;
    return status == TOOL_OK && is_stopped ? TOOL_STOPPED : status;
}

// ---- report of the checks ----

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static bool differs(const cJSON *variant)
{
    return cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(variant, "same"));
}

// Write the command that finds the fault of `found` again.
static void write_repeat(const until *u, check_arguments *out)
{
    static char variants[512];
    int64_t ticks = 0;
    variants[0] = '\0';
    const cJSON *variant = NULL;
    cJSON_ArrayForEach(variant, cJSON_GetObjectItemCaseSensitive(u->found, "variants"))
    {
        const cJSON *tick = cJSON_GetObjectItemCaseSensitive(variant, "tick");
        const check_variant *found = check_variant_find(text_of(variant, "name"));
        if (differs(variant) && cJSON_IsNumber(tick) && found != NULL) {
            const int64_t needs = check_fault_ticks(found, tick->valueint, u->options->ticks);
            TEXT_ADD(variants, "%s%s", variants[0] != '\0' ? "," : "", found->name);
            ticks = needs > ticks ? needs : ticks;
        }
    }
    const char *asked = u->config->variants;
    const bool has_values = asked != NULL && strchr(asked, '=') != NULL;
    check_arguments_write(u->options, u->seed, ticks > 0 ? ticks : u->options->ticks,
                          variants[0] != '\0' && !has_values ? variants : asked, out);
}

static bks_tick tick_of(const cJSON *from)
{
    return (bks_tick)cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(from, "tick"));
}

static void print_fault(const cJSON *from)
{
    check_fault fault = {.tick = tick_of(from)};
    for (uint32_t i = 0; i < FAULT_TEXTS; i++) {
        fault.texts[i] = text_of(from, check_fault_keys[i]);
    }
    const cJSON *other = NULL;
    cJSON_ArrayForEach(other, cJSON_GetObjectItemCaseSensitive(from, "also_found_by"))
    {
        if (fault.other_count < CHECK_VARIANTS_MAX) {
            fault.others[fault.other_count++] =
                (check_finder){.name = text_of(other, "variant"), .tick = tick_of(other)};
        }
    }
    check_report_fault(&fault, NULL);
}

static const char *verdict(const until *u, int status)
{
    const bool is_empty = u->checks == 0;
    return status == TOOL_NO ? "NOT deterministic"
           : status == TOOL_STOPPED
               ? is_empty ? "stopped before one check was done" : "stopped, nothing has differed"
           : u->is_exercised ? "nothing differed"
                             : "nothing was varied, so nothing is known";
}

static void print(const until *u, int status)
{
    static check_arguments command;
    char text[1024];
    TEXT_SET(text,
             "%s: %s, %" PRIu64 " check%s of %" PRId64 " tick%s from seed %" PRId64
             " on, %u at a time, in %.0f s",
             u->config->game, verdict(u, status), u->checks, TOOL_PLURAL(u->checks),
             u->options->ticks, TOOL_PLURAL(u->options->ticks), u->options->seed, (unsigned)u->jobs,
             (double)passed_ns(u) / (double)second_ns);
    check_text_wrap(stdout, tool_columns(), 0, 2, text);
    if (status != TOOL_NO) {
        return;
    }
    const cJSON *fault = NULL;
    cJSON_ArrayForEach(fault, cJSON_GetObjectItemCaseSensitive(u->found, "faults"))
    {
        print_fault(fault);
    }
    if (u->error[0] != '\0') {
        check_text_write(stdout, tool_columns(), "note", u->error);
    }
    write_repeat(u, &command);
    check_text_command(stdout, tool_columns(), "repeat", command.items, command.count);
    check_text_write(stdout, tool_columns(), "", "(a race between threads may take many runs)");
}

static bool print_json(const until *u, int status)
{
    static check_arguments command;
    static char line[LINE_BYTES];
    cJSON *root = cJSON_CreateObject();
    (void)cJSON_AddStringToObject(root, "game", u->config->game);
    (void)cJSON_AddNumberToObject(root, "ticks", (double)u->options->ticks);
    (void)cJSON_AddNumberToObject(root, "first_seed", (double)u->options->seed);
    (void)cJSON_AddNumberToObject(root, "checks", (double)u->checks);
    (void)cJSON_AddNumberToObject(root, "jobs", (double)u->jobs);
    (void)cJSON_AddNumberToObject(root, "seconds", (double)(passed_ns(u) / second_ns));
    (void)cJSON_AddBoolToObject(root, "stopped", status == TOOL_STOPPED);
    (void)cJSON_AddItemToObject(root, "deterministic",
                                status == TOOL_NO                      ? cJSON_CreateFalse()
                                : status == TOOL_OK && u->is_exercised ? cJSON_CreateTrue()
                                                                       : cJSON_CreateNull());
    if (status != TOOL_NO) {
        (void)cJSON_AddNullToObject(root, "seed");
        (void)cJSON_AddNullToObject(root, "line");
        (void)cJSON_AddNullToObject(root, "found");
    } else {
        write_repeat(u, &command);
        check_arguments_join(&command, line, sizeof(line));
        (void)cJSON_AddNumberToObject(root, "seed", (double)u->seed);
        (void)cJSON_AddStringToObject(root, "line", line);
        (void)cJSON_AddItemToObject(root, "found",
                                    u->found != NULL ? cJSON_Duplicate(u->found, true)
                                                     : cJSON_CreateString(u->error));
    }
    char *text = cJSON_Print(root);
    const bool is_written = text != NULL && printf("%s\n", text) > 0;
    cJSON_free(text);
    cJSON_Delete(root);
    return is_written;
}

int check_until(const check_until_config *config)
{
    static until u;
    const int64_t jobs = config->jobs > 0 ? config->jobs : system_processors();
    u = (until){.config = config,
                .options = config->options,
                .jobs = (uint32_t)(jobs > JOBS_MAX ? JOBS_MAX : jobs),
                .next_seed = config->options->seed,
                .begun_ns = tool_clock_ns(NULL)};
    stop_catch();
    int status = run(&u);
    if (status != TOOL_MISUSE && status != TOOL_DAMAGED) {
        if (!config->is_json) {
            print(&u, status);
        } else if (!print_json(&u, status)) {
            status = TOOL_DAMAGED;
        }
    }
    cJSON_Delete(u.found);
    return status;
}
