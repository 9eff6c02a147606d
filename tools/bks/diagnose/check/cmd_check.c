// SPDX-License-Identifier: MIT

#include "base/command.h"

// The same inputs are stepped by a baseline and by each variant, which is perturbed in one way that
// a deterministic game does not notice. Each pair is two processes, so that a variant finds its own
// kind of fault and no other: addresses, clock and fresh memory are the same in all of them, but
// where that is what is varied.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/stop.h"
#include "base/tool.h"
#include "diagnose/check/check_report.h"
#include "diagnose/check/check_run.h"
#include "diagnose/check/check_screen.h"
#include "diagnose/check/check_text.h"
#include "diagnose/check/check_until.h"
#include "diagnose/check/check_variants.h"
#include "diagnose/processes/stepper.h"
#include "diagnose/variants/variants.h"
#include "map/state_names.h"

/// Variants that were chosen.
typedef struct check_choice {
    bool is_chosen[CHECK_VARIANTS_MAX];
    const char *values[CHECK_VARIANTS_MAX]; ///< behind the names, static; NULL: none
} check_choice;

// One of the list: its name, and what stands behind '='.
typedef struct list_word {
    const char *name;
    const char *value; ///< NULL: none
} list_word;

static int complain_name(const char *name)
{
    char names[512] = "";
    for (uint32_t i = 0; i < check_variant_count; i++) {
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "",
                       check_variants[i]->name);
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

// Cut the next one from a list.
static list_word next_word(char **list)
{
    char *text = *list;
    list_word next = {.name = text};
    const size_t length = strcspn(text, ",");
    *list = text[length] == ',' ? text + length + 1 : NULL;
    text[length] = '\0';
    char *equals = strchr(text, '=');
    if (equals != NULL) {
        *equals = '\0';
        next.value = equals + 1;
    }
    return next;
}

/// Read a list; errors go to stderr.
/// @param list   as typed, NULL: all variants
/// @param ticks  of the check
/// @return TOOL_OK, TOOL_MISUSE
static int check_choice_read(const char *list, int64_t ticks, check_choice *out)
{
    static char text[8192];
    *out = (check_choice){0};
    for (uint32_t i = 0; list == NULL && i < check_variant_count; i++) {
        out->is_chosen[i] = true;
    }
    if (list != NULL && (size_t)snprintf(text, sizeof(text), "%s", list) >= sizeof(text)) {
        tool_complain("--variants", "is longer than %zu bytes", sizeof(text) - 1);
        return TOOL_MISUSE;
    }
    for (char *at = list != NULL ? text : NULL; at != NULL;) {
        const list_word next = next_word(&at);
        const check_variant *variant = check_variant_find(next.name);
        const uint32_t i = check_variant_number(variant);
        if (i >= check_variant_count) {
            return complain_name(next.name);
        }
        if (check_value(variant, next.value, ticks) != TOOL_OK) {
            return TOOL_MISUSE;
        }
        out->is_chosen[i] = true;
        out->values[i] = next.value;
    }
    return TOOL_OK;
}

enum { HELP_COLUMNS = 80 };

// What the help says behind the options.
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

/// The command line.
typedef struct check_command {
    args_list positionals;
    check_options options;
    check_choice choice;
    const char *variants; ///< a list, NULL: all
    const char *until;    ///< how long seeds are checked one after the other; NULL: one seed alone
    int64_t jobs;         ///< of those at a time, 0: one for each processor
    bool is_json;
} check_command;

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
    status = check_choice_read(c->variants, o->ticks, &c->choice);
    return status == TOOL_OK ? ARGS_GO : status;
}

// @return TOOL_OK, also when it was stopped: the report says so
static int run_all(check_run *run, const check_options *options, const check_choice *choice,
                   check_outcome *outcomes, check_report *report)
{
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < check_variant_count; i++) {
        wanted += choice->is_chosen[i] ? 1 : 0;
    }
    int status = TOOL_OK;
    bool is_over = false;
    progress_begin(&run->bar, "checking", wanted * (uint64_t)options->ticks);
    for (uint32_t i = 0; i < check_variant_count && status == TOOL_OK; i++) {
        if (!choice->is_chosen[i]) {
            continue;
        }
        check_outcome *outcome = &outcomes[report->count];
        *outcome = (check_outcome){.variant = check_variants[i], .value = choice->values[i]};
        const bool is_run = !is_over && !stop_is_wanted();
        run->value = choice->values[i];
        status =
            is_run ? check_run_variant(run, check_variants[i], &outcome->result) : TOOL_STOPPED;
        if (status == TOOL_STOPPED) {
            report->left[report->left_count++] = check_variants[i]->name;
            status = TOOL_OK;
            continue;
        }
        is_over = outcome->result.found.is_of_baseline; // beside each of them
        report->count++;
        run->done += (uint64_t)options->ticks;
    }
    report->is_stopped = stop_is_wanted() && report->left_count > 0;
    return status;
}

// Another game is no other build: that is said before anything is stepped.
static int check_builds(const check_choice *choice, const bks_game *game)
{
    int status = TOOL_OK;
    for (uint32_t i = 0; i < check_variant_count && status == TOOL_OK; i++) {
        if (choice->is_chosen[i] && check_variants[i]->takes == CHECK_TAKES_GAME &&
            choice->values[i] != NULL) {
            status = vary_build_check(choice->values[i], game);
        }
    }
    return status;
}

// Ask a variant that was not chosen, to find a cause.
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

// What differs may do so by itself, or be due to addresses, as the heap's in another process.
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
    const int status = is_wanted ? ask(run, report, "baseline") : TOOL_OK;
    return is_wanted && status == TOOL_OK ? ask(run, report, "address") : status;
}

static int repeat(const check_command *command, const char *game)
{
    uint64_t seconds = 0;
    if (!check_until_read(command->until, &seconds)) {
        tool_complain("--until-broken",
                      "is '%s', expected a time such as 90s, 10m or 2h, at most a year",
                      command->until);
        return TOOL_MISUSE;
    }
    const check_until_config config = {.options = &command->options,
                                       .variants = command->variants,
                                       .game = game,
                                       .seconds = seconds,
                                       .jobs = command->jobs,
                                       .is_json = command->is_json};
    return check_until(&config);
}

static int print(const check_report *report, bool is_json)
{
    if (!is_json) {
        check_screen_print(report);
    } else if (!check_report_json(report)) {
        return TOOL_DAMAGED;
    }
    if (report->is_stopped) {
        tool_complain("check", "stopped, %" PRIu32 " of %" PRIu32 " variants were not run",
                      report->left_count, report->left_count + report->count);
    }
    return !check_report_is_deterministic(report) ? TOOL_NO
           : report->is_stopped                   ? TOOL_STOPPED
                                                  : TOOL_OK;
}

static int check(const check_command *command)
{
    const check_options *options = &command->options;
    const check_choice *choice = &command->choice;
    check_outcome outcomes[CHECK_VARIANTS_MAX] = {0};
    static check_stepper stepper;
    int status = stepper_load(&stepper, options);
    if (status != TOOL_OK) {
        return status;
    }
    status = check_builds(choice, stepper.game.game);
    if (status != TOOL_OK) {
        return status;
    }
    if (command->until != NULL) {
        return repeat(command, stepper.game.game->name);
    }
    static state_names names;
    state_names_find(&stepper.game, &names);
    check_report report = {.options = options,
                           .game = stepper.game.game->name,
                           .has_hash = stepper.game.game->hash != NULL,
                           .players = stepper.players,
                           .no_types = names.why,
                           .has_fixed_addresses = check_task_fixes_addresses(),
                           .outcomes = outcomes};
    check_imports_read(stepper.game.path, &report.imports);
    check_run run = {.options = options};
    stop_catch();
    status = run_all(&run, options, choice, outcomes, &report);
    if (status == TOOL_OK && !stop_is_wanted()) {
        status = ask_for_causes(&run, &report);
        status = status == TOOL_STOPPED ? TOOL_OK : status; // what was found stands
    }
    progress_end(&run.bar);
    report.log = run.log;
    return status == TOOL_OK ? print(&report, command->is_json) : status;
}

int cmd_check(int argc, char **argv)
{
    static check_command command;
    const check_task task = check_task_read();
    if (task.role != CHECK_COMMAND) {
        return check_run_process(&task);
    }
    command = (check_command){.options = {.ticks = 3600, .seed = 1, .input = "monkey"}};
    const int status = parse(&command, argc, argv);
    return status == ARGS_GO ? check(&command) : status;
}
