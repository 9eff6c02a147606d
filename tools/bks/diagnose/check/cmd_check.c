// SPDX-License-Identifier: MIT

#include "base/command.h"

// A baseline and a variant step the same inputs, each in its own process. The variant is perturbed
// in one way that a deterministic game does not notice. All else is the same in both, such as
// addresses, clock and fresh memory, so that each variant finds only its own kind of fault.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/tool.h"
#include "diagnose/check/check_race.h"
#include "diagnose/check/check_report.h"
#include "diagnose/check/check_run.h"
#include "diagnose/check/check_text.h"
#include "diagnose/check/check_until.h"
#include "diagnose/processes/stepper.h"
#include "diagnose/variants/variants.h"
#include "map/state_names.h"

/// Parsed command line.
typedef struct check_command {
    args_list positionals;
    check_options options;
    const char *variants; ///< list of variants, NULL: all variants
    /// Time for which further seeds are checked, such as 10m. NULL: check one seed.
    const char *until;
    int64_t jobs; ///< number of checks that run at the same time, 0: one for each processor
    bool is_json;
    uint32_t chosen; ///< number of chosen variants, the length of `outcomes`
    check_outcome outcomes[CHECK_VARIANTS_MAX];
} check_command;

static int complain_name(const char *name)
{
    char names[512] = "";
    for (uint32_t i = 0; i < check_variant_count; i++) {
        TEXT_ADD(names, "%s%s", i > 0 ? ", " : "", check_variants[i]->name);
    }
    tool_complain("--variants", "has '%s', expected some of %s, with commas between them", name,
                  names);
    return TOOL_MISUSE;
}

static int check_value(const check_variant *variant, const char *value, int64_t ticks)
{
    const char *name = variant->name;
    int64_t number = 0;
    if (value != NULL && variant->takes == CHECK_TAKES_NOTHING) {
        tool_complain("--variants", "has '%s=%s', but '%s' takes no value", name, value, name);
    } else if (value == NULL && variant->takes == CHECK_TAKES_GAME) {
        tool_complain("--variants", "has '%s' without a value, expected another build: %s=OTHER.so",
                      name, name);
    } else if (value != NULL && variant->takes == CHECK_TAKES_TICK &&
               (!args_number(value, &number) || number < 1 || number >= ticks)) {
        tool_complain("--variants", "has '%s=%s', expected a tick from 1 to %" PRId64, name, value,
                      ticks - 1);
    } else {
        return TOOL_OK;
    }
    return TOOL_MISUSE;
}

// Prepare an outcome for each variant that the user listed, or for all variants if the user listed
// none.
static int choose(check_command *c)
{
    static char text[8192];
    bool is_chosen[CHECK_VARIANTS_MAX] = {false};
    const char *values[CHECK_VARIANTS_MAX] = {NULL};
    const char *list = c->variants != NULL ? c->variants : "";
    if ((size_t)snprintf(text, sizeof(text), "%s", list) >= sizeof(text)) {
        tool_complain("--variants", "is longer than %zu bytes", sizeof(text) - 1);
        return TOOL_MISUSE;
    }
    for (char *name = c->variants != NULL ? text : NULL, *next; name != NULL; name = next) {
        next = strchr(name, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        char *value = strchr(name, '=');
        if (value != NULL) {
            *value++ = '\0';
        }
        const uint32_t i = check_variant_number(check_variant_find(name));
        if (i >= check_variant_count) {
            return complain_name(name);
        }
        if (check_value(check_variants[i], value, c->options.ticks) != TOOL_OK) {
            return TOOL_MISUSE;
        }
        is_chosen[i] = true;
        values[i] = value;
    }
    for (uint32_t i = 0; i < check_variant_count; i++) {
        if (c->variants == NULL || is_chosen[i]) {
            c->outcomes[c->chosen++] =
                (check_outcome){.variant = check_variants[i], .value = values[i]};
        }
    }
    return TOOL_OK;
}

/// HELP_COLUMNS: width of the help. TRACED_TICKS: most ticks in which calls of imports are traced.
enum { HELP_COLUMNS = 80, TRACED_TICKS = 600 };

// Print the variants and examples at the end of the help.
static void print_more(void)
{
    printf("variants:\n");
    for (uint32_t i = 0; i < check_variant_count; i++) {
        check_text_write(stdout, HELP_COLUMNS, check_variants[i]->name, check_variants[i]->about);
    }
    printf("\nexamples:\n"
           "  bks check duel\n"
           "  bks check ./my.so --ticks 600 --variants again,resim\n"
           "  bks check ./my.so --ticks 600 --until-broken 10m --jobs 2\n");
}

static int parse(check_command *c, int argc, char **argv)
{
    check_options *o = &c->options;
    const args_option options[] = {
        ARGS_INT("--ticks", "N", &o->ticks, 1, INT32_MAX, "length in ticks (default 3600)"),
        ARGS_INT("--seed", "S", &o->seed, 0, INT64_MAX,
                 "seed of the game and of the monkeys (default 1)"),
        ARGS_INT("--players", "N", &o->players, 1, BKS_PLAYERS_MAX,
                 "seats (default: all of the game)"),
        ARGS_TEXT("--input", "SOURCE", &o->input,
                  "where the inputs of all seats come from (default monkey), see bks lab --help"),
        ARGS_LIST("--option", "NAME=VALUE", &o->given_options, "set an option of the game"),
        ARGS_TEXT("--variants", "LIST", &c->variants,
                  "only these, with commas between them (default: all)"),
        ARGS_TEXT("--until-broken", "TIME", &c->until,
                  "check one seed after the other until something differs or the time is up, such "
                  "as 90s, 10m or 2h"),
        ARGS_INT("--jobs", "N", &c->jobs, 1, 64,
                 "with --until-broken: seeds at a time (default: one for each processor)"),
        ARGS_JSON(&c->is_json),
    };
    const args_spec spec = {
        .command = "check",
        .usage = "GAME [options]",
        .about =
            "Is this game deterministic, and where is it not? The same inputs are stepped plainly\n"
            "and once for each variant, which is perturbed in one way that a deterministic game\n"
            "does not notice. The states are compared at every mark; the first difference is\n"
            "named. Exit status 0: all are the same; 1: one differs; 130: stopped before that was "
            "known.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&c->positionals, 1, 1),
        .print_more = print_more,
    };
    int status = args_parse(&spec, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    o->game = c->positionals.items[0];
    if (strcmp(o->input, "device") == 0) {
        tool_complain("--input", "is 'device', which no one holds here, expected idle, monkey, "
                                 "bot, trace:FILE or replay:FILE.bks");
        return TOOL_MISUSE;
    }
    if (c->jobs > 0 && c->until == NULL) {
        tool_complain("--jobs",
                      "goes with --until-broken alone: one check takes one after the other");
        return TOOL_MISUSE;
    }
    status = choose(c);
    return status == TOOL_OK ? ARGS_GO : status;
}

// Run the chosen variants. Stop if the baseline crashes or hangs, because every variant has the
// same baseline.
// @return TOOL_OK, also if the user stopped it
static int run_all(check_run *run, check_report *report)
{
    const uint64_t ticks = (uint64_t)report->options->ticks;
    int status = TOOL_OK;
    bool is_over = false;
    progress_begin(&run->bar, "checking", report->chosen * ticks);
    while (report->count < report->chosen && status == TOOL_OK && !is_over && !stop_is_wanted()) {
        check_outcome *outcome = &report->outcomes[report->count];
        run->value = outcome->value;
        status = check_run_variant(run, outcome->variant, &outcome->result);
        if (status == TOOL_OK) {
            is_over = outcome->result.found.is_of_baseline;
            report->count++;
            run->done += ticks;
        }
    }
    report->is_stopped = stop_is_wanted() && report->count < report->chosen;
    return status == TOOL_STOPPED ? TOOL_OK : status;
}

// Before anything is stepped, check the value of the variant `build`, and refuse it if it is the
// plug-in of another game.
static int check_builds(const check_command *c, const bks_game *game)
{
    int status = TOOL_OK;
    for (uint32_t i = 0; i < c->chosen && status == TOOL_OK; i++) {
        const check_outcome *outcome = &c->outcomes[i];
        if (outcome->variant->takes == CHECK_TAKES_GAME && outcome->value != NULL) {
            status = vary_build_check(outcome->value, game);
        }
    }
    return status;
}

// Run a variant that the user did not choose, to find the cause of a difference.
static int ask(check_run *run, check_report *report, const char *name)
{
    for (uint32_t i = 0; i < report->count; i++) {
        if (strcmp(report->outcomes[i].variant->name, name) == 0) {
            return TOOL_OK;
        }
    }
    const check_request none = {0};
    run->value = NULL;
    check_outcome *asked = &report->asked[report->asked_count++];
    asked->variant = check_variant_find(name);
    return check_run_once(run, asked->variant, &none, &asked->result);
}

// If anything differs, run the variants `baseline` and `address`, which may explain the difference.
// If the game makes threads, find out whether they race.
static int ask_for_causes(check_run *run, check_report *report)
{
    bool is_wanted = false;
    for (uint32_t i = 0; i < report->count; i++) {
        const check_result *result = &report->outcomes[i].result;
        if (result->found.is_of_baseline) {
            return TOOL_OK;
        }
        is_wanted |= result->same == CHECK_DIFFERS;
    }
    int status = is_wanted ? ask(run, report, "baseline") : TOOL_OK;
    if (is_wanted && status == TOOL_OK) {
        status = ask(run, report, "address");
    }
    report->has_threads = run->threads > 0;
    return is_wanted && status == TOOL_OK && report->has_threads ? check_race_find(run, report)
                                                                 : status;
}

static void take_calls(void *context, check_tape *tape)
{
    check_report *report = context;
    check_imports_take(&report->imports, tape);
}

// Find out which imports the steps call, if the game itself has any.
static int trace_imports(check_report *report)
{
    static check_span span;
    static const check_request none;
    check_options options = *report->options;
    check_result result;
    bool has_any = false;
    for (uint32_t i = 0; i < report->imports.count; i++) {
        has_any |= !report->imports.is_of_library[i];
    }
    options.ticks = options.ticks < TRACED_TICKS ? options.ticks : TRACED_TICKS;
    span = (check_span){.until = (bks_tick)options.ticks};
    check_run run = {.options = &options, .span = &span, .ended = take_calls, .context = report};
    return has_any ? check_run_once(&run, &vary_calls, &none, &result) : TOOL_OK;
}

static int repeat(const check_command *c, const char *game)
{
    uint64_t seconds = 0;
    if (!check_until_read(c->until, &seconds)) {
        tool_complain("--until-broken",
                      "is '%s', expected a time such as 90s, 10m or 2h, at most a year", c->until);
        return TOOL_MISUSE;
    }
    const check_until_config config = {.options = &c->options,
                                       .variants = c->variants,
                                       .game = game,
                                       .seconds = seconds,
                                       .jobs = c->jobs,
                                       .is_json = c->is_json};
    return check_until(&config);
}

static int print(const check_report *report, bool is_json)
{
    if (!is_json) {
        check_report_print(report);
    } else if (!check_report_json(report)) {
        return TOOL_DAMAGED;
    }
    if (report->is_stopped) {
        tool_complain("check", "stopped, %" PRIu32 " of %" PRIu32 " variants were not run",
                      report->chosen - report->count, report->chosen);
    }
    return !check_report_is_deterministic(report) ? TOOL_NO
           : report->is_stopped                   ? TOOL_STOPPED
                                                  : TOOL_OK;
}

static int check(check_command *c)
{
    static check_stepper stepper;
    static state_names names;
    const check_options *options = &c->options;
    int status = stepper_load(&stepper, options);
    if (status == TOOL_OK) {
        status = check_builds(c, stepper.game.game);
    }
    if (status != TOOL_OK) {
        return status;
    }
    if (c->until != NULL) {
        return repeat(c, stepper.game.game->name);
    }
    state_names_find(&stepper.game, &names);
    check_report report = {.options = options,
                           .game = stepper.game.game->name,
                           .has_hash = stepper.game.game->hash != NULL,
                           .players = stepper.players,
                           .no_types = names.why,
                           .has_fixed_addresses = check_task_fixes_addresses(),
                           .chosen = c->chosen,
                           .outcomes = c->outcomes};
    check_imports_read(stepper.game.path, &report.imports);
    check_run run = {.options = options};
    stop_catch();
    status = run_all(&run, &report);
    if (status == TOOL_OK && !stop_is_wanted()) {
        status = ask_for_causes(&run, &report);
        // If the user stopped the search for causes, the findings are still reported.
        status = status == TOOL_STOPPED ? TOOL_OK : status;
    }
    if (status == TOOL_OK && !stop_is_wanted()) {
        (void)trace_imports(&report); // without it, all imports are reported as one list
    }
    progress_end(&run.bar);
    report.log = run.log;
    return status == TOOL_OK ? print(&report, c->is_json) : status;
}

int cmd_check(int argc, char **argv)
{
    static check_command c;
    const check_task task = check_task_read();
    if (task.role != CHECK_COMMAND) {
        return check_run_process(&task);
    }
    c = (check_command){.options = {.ticks = 3600, .seed = 1, .input = "monkey"}};
    const int status = parse(&c, argc, argv);
    return status == ARGS_GO ? check(&c) : status;
}
