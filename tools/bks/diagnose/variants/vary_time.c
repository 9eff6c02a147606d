// SPDX-License-Identifier: MIT

#include "diagnose/variants/variants.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/runner.h"
#include "base/args.h"
#include "base/heap.h"
#include "base/text.h"
#include "base/tool.h"
#include "diagnose/processes/variant_process.h"

// ---- options of another match ----

// Return true if the game accepts the options, or does not check options.
static bool takes(const bks_runner_config *config)
{
    const bks_game *game = config->game;
    const bks_start start = {.game = game,
                             .seed = config->seed,
                             .players = config->players,
                             .tick_rate_hz = game->tick_rate_hz,
                             .options = &config->options};
    size_t bytes = game->state_bytes;
    bks_error error = {0};
    return game->configure == NULL || game->configure(&start, &bytes, &error) == BKS_OK;
}

static bool put(bks_runner_config *config, uint32_t option, const char *value)
{
    char *text = config->options.text[option];
    char own[BKS_OPTION_VALUE_BYTES];
    memcpy(own, text, sizeof(own));
    memset(text, 0, BKS_OPTION_VALUE_BYTES);
    (void)snprintf(text, BKS_OPTION_VALUE_BYTES, "%s", value);
    if (takes(config)) {
        return true;
    }
    memcpy(text, own, sizeof(own));
    return false;
}

// Read the range that a help text gives, such as "1 to 9" or "1..9".
static void read_range(const char *help, long *least, long *most)
{
    *least = LONG_MIN;
    *most = LONG_MAX;
    for (const char *at = help; *at != '\0'; at++) {
        const bool begins =
            isdigit((unsigned char)*at) && (at == help || !isalnum((unsigned char)at[-1]));
        if (begins && (sscanf(at, "%ld to %ld", least, most) == 2 ||
                       sscanf(at, "%ld..%ld", least, most) == 2)) {
            return;
        }
    }
    *least = LONG_MIN;
    *most = LONG_MAX;
}

// Change a number by one, within its range. Keep a unit that follows the number.
static bool put_number(bks_runner_config *config, uint32_t option)
{
    char own[BKS_OPTION_VALUE_BYTES];
    char value[BKS_OPTION_VALUE_BYTES + 32];
    char *unit = own;
    long least = 0;
    long most = 0;
    memcpy(own, config->options.text[option], sizeof(own));
    const long number = strtol(own, &unit, 10);
    const char *help = config->game->options[option].help;
    if (unit == own || number == LONG_MAX || number == LONG_MIN) {
        return false;
    }
    read_range(help != NULL ? help : "", &least, &most);
    for (long step = 1; step >= -1; step -= 2) {
        TEXT_SET(value, "%ld%s", number + step, unit);
        if (number + step >= least && number + step <= most &&
            strlen(value) < BKS_OPTION_VALUE_BYTES && put(config, option, value)) {
            return true;
        }
    }
    return false;
}

// Return true if a word of a help text is a value of the option, as in "plain, cross or lanes" or
// "on: with wind".
static bool is_value(const char *help, const char *word, size_t length)
{
    const bool is_last_of_some = word - help >= 3 && strncmp(word - 3, "or ", 3) == 0;
    const char next = word[length];
    return is_last_of_some || next == ',' || next == ':' || strncmp(word + length, " or ", 4) == 0;
}

// Choose another value from the help text, if the text lists the current value.
static void put_word(bks_runner_config *config, uint32_t option)
{
    char own[BKS_OPTION_VALUE_BYTES];
    memcpy(own, config->options.text[option], sizeof(own));
    const char *help = config->game->options[option].help;
    bool is_listed = false;
    for (int pass = 0; pass < 2 && help != NULL; pass++) {
        for (const char *at = help; *at != '\0';) {
            const size_t length = strcspn(at, " ,:;");
            char value[BKS_OPTION_VALUE_BYTES] = "";
            if (length > 0 && length < sizeof(value) && is_value(help, at, length)) {
                memcpy(value, at, length);
            }
            is_listed |= value[0] != '\0' && strcmp(value, own) == 0;
            if (pass == 1 && is_listed && value[0] != '\0' && strcmp(value, own) != 0 &&
                put(config, option, value)) {
                return;
            }
            at += length + (at[length] != '\0' ? 1 : 0);
        }
    }
}

static void put_players(bks_runner_config *config)
{
    const uint32_t own = config->players;
    const uint32_t least = config->game->players_min > 0 ? config->game->players_min : 1;
    config->players = own > least ? own - 1 : own < config->game->players_max ? own + 1 : own;
    if (!takes(config)) {
        config->players = own;
    }
}

void other_options(bks_runner_config *config)
{
    for (uint32_t i = 0; i < config->game->option_count; i++) {
        if (!put_number(config, i)) {
            put_word(config, i);
        }
    }
    put_players(config);
}

// ---- the variant `again` ----

/// OTHER_TICKS: length of the first match beside the checked one, in ticks. Each further match is
/// twice as long, up to OTHER_TICKS_MAX, so that both early and late ticks are stepped.
/// SAME_OPTIONS: number, modulo 3, of matches with the options and players of the checked one.
enum { OTHER_TICKS = 61, OTHER_TICKS_MAX = 1 << 20, SAME_OPTIONS = 2 };

/// Numbers of steps of the other match before a step of the checked match. Each step of the checked
/// match uses the next number, so that the ratio varies.
static const uint8_t other_steps[] = {1, 2, 0};

// Begin another match beside the checked one.
static bool begin_other(variant_process *variant)
{
    bks_runner_config config = variant->stepper.config;
    config.marked = NULL;
    config.snapshots = 0;
    config.seed++;
    bks_runner_destroy(variant->other);
    variant->other = NULL;
    variant->other_tick = 0;
    if (variant->others++ % 3 != SAME_OPTIONS) {
        other_options(&config);
    }
    variant->other_players = config.players;
    variant->tape->other_players = config.players;
    if (config.players != variant->stepper.players) {
        TEXT_SET(variant->tape->result.info, "some of them for %" PRIu32 " player%s, not %" PRIu32,
                 config.players, TOOL_PLURAL(config.players), variant->stepper.players);
    }
    if (bks_runner_create(&config, &variant->other, NULL) == BKS_OK) {
        return true;
    }
    config.options = variant->stepper.config.options; // the game refused the changed options
    config.players = variant->other_players = variant->stepper.players;
    variant->tape->other_players = config.players;
    return bks_runner_create(&config, &variant->other, NULL) == BKS_OK;
}

// Return inputs for the other match: each player gets the inputs of the next player in the checked
// match.
static const int32_t *inputs_of_other(const variant_process *variant, bks_tick tick)
{
    static int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    const int32_t *own = variant_inputs(variant, tick);
    const uint32_t fields = variant->stepper.game.game->field_count;
    for (uint32_t player = 0; player < variant->other_players; player++) {
        memcpy(inputs + (size_t)player * fields,
               own + (size_t)((player + 1) % variant->stepper.players) * fields,
               fields * sizeof(*inputs));
    }
    return inputs;
}

// Return commands for the other match, from the next player as inputs_of_other() does.
static const bks_commands *commands_of_other(const variant_process *variant, bks_tick tick)
{
    static bks_commands commands[BKS_PLAYERS_MAX];
    for (uint32_t player = 0; player < variant->other_players; player++) {
        commands[player] = variant_commands(tick)[(player + 1) % variant->stepper.players];
    }
    return commands;
}

static void begin_again(variant_process *variant)
{
    variant->other_ticks = OTHER_TICKS;
    if (!begin_other(variant)) {
        TEXT_SET(variant->tape->result.why, "%s", CHECK_ONE_IN_A_PROCESS);
    }
}

// Step the match that runs beside the checked one.
// @return false if the step failed
static bool step_other(variant_process *variant, bks_tick tick)
{
    if (variant->other_tick >= variant->other_ticks) {
        variant->other_ticks *= variant->other_ticks < OTHER_TICKS_MAX ? 2 : 1;
        if (!begin_other(variant)) {
            return false;
        }
    }
    const bool has_stepped =
        bks_runner_commands(variant->other, commands_of_other(variant, tick)) == BKS_OK &&
        bks_runner_step(variant->other, variant->other_tick, inputs_of_other(variant, tick),
                        NULL) == BKS_OK;
    // After a failed step, begin the next match.
    variant->other_tick = has_stepped ? variant->other_tick + 1 : variant->other_ticks;
    return has_stepped;
}

static void step_again(variant_process *variant, bks_tick tick)
{
    variant->tape->is_in_other = true;
    for (uint32_t i = 0; i < other_steps[(uint32_t)tick % sizeof(other_steps)]; i++) {
        if (variant->other != NULL && step_other(variant, tick)) {
            variant->tape->result.perturbed++;
        }
    }
    variant->tape->is_in_other = false;
    variant_step(variant, tick);
}

// ---- the variant of `bks run` ----

enum { DAY_S = 86400 };

static uint8_t pattern_of(uint32_t number)
{
    return (uint8_t)((number + 1) * 89u % 255u + 1u);
}

static void prepare_run(variant_process *variant)
{
    int64_t number = 0;
    (void)args_number(variant->stepper.options->value, &number);
    vary_address.before_load(variant);
    alloc_count_fill(pattern_of((uint32_t)number));
    // Shift the day and the time, and speed the clock up for games that only use time differences.
    variant->stepper.clock_ahead_s = number * (41 * DAY_S + 25627);
    variant->stepper.clock_rate = 1 + 997 * number;
    variant->stepper.random_seed = (uint64_t)number;
}

static void begin_run(variant_process *variant)
{
    vary_address.after_load(variant);
}

static void step_run(variant_process *variant, bks_tick tick)
{
    // Begin the other match after the checked one, because some games can be created only once.
    // The first other match has the checked one's options, so that both share what options choose.
    if (variant->others == 0) {
        variant->others = SAME_OPTIONS;
        variant->other_ticks = OTHER_TICKS;
        (void)begin_other(variant);
    }
    variant->stepper.stack_pattern =
        pattern_of((uint32_t)variant->stepper.clock_rate + (uint32_t)tick);
    variant->tape->result.perturbed++;
    step_again(variant, tick);
}

// ---- the variant `resim` ----

enum { BACK_TICKS = 8 };

// Load the state at the start of an earlier tick, which was saved when that tick began.
static bool go_back(variant_process *variant, bks_tick tick)
{
    bks_error error = {0};
    if (bks_runner_load(variant->stepper.runner, (uint32_t)tick % BACK_TICKS, &error) != BKS_OK) {
        variant_find(variant, variant->tape->tick, CHECK_MARK_START, "was saved", error.text);
        return false;
    }
    return true;
}

// Step a tick again. The step succeeded the first time, so a failure is a difference.
static bool step_as_before(variant_process *variant, bks_tick tick)
{
    char why[160];
    const bool has_stepped = variant_step_blind(variant, tick, variant_inputs(variant, tick), why);
    if (!has_stepped) {
        variant_find(variant, tick, CHECK_MARK_END, "the step succeeds", why);
    }
    return has_stepped;
}

static void step_resim(variant_process *variant, bks_tick tick)
{
    bks_error error = {0};
    if (bks_runner_save(variant->stepper.runner, (uint32_t)tick % BACK_TICKS, &error) != BKS_OK) {
        variant_find(variant, tick, CHECK_MARK_START, "", error.text);
        return;
    }
    variant_step(variant, tick);
    if (!go_back(variant, tick)) {
        return;
    }
    variant_step(variant, tick);
    variant->tape->result.perturbed++;
    const bool was_saved = tick - BACK_TICKS + 1 >= variant->stepper.options->first;
    if (tick % BACK_TICKS == BACK_TICKS - 1 && was_saved &&
        go_back(variant, tick - BACK_TICKS + 1)) {
        for (bks_tick t = tick - BACK_TICKS + 1; t < tick; t++) {
            if (!step_as_before(variant, t)) {
                return;
            }
        }
        variant_step(variant, tick);
        variant->tape->result.perturbed += BACK_TICKS;
    }
}

// ---- the variants `import` and `rejoin` ----

static const char *why_not_import(const variant_process *variant)
{
    return variant->stepper.game.game->pointers
               ? "the state holds raw pointers (bks_game.pointers): no other process can take it"
               : NULL;
}

static void step_rejoined(variant_process *variant, bks_tick tick)
{
    // Count the tick as perturbed, unless a state is imported at its start: the import has already
    // counted it.
    variant_step(variant, tick);
    variant->tape->result.perturbed += variant->tape->has_start ? 0 : 1;
}

// ---- the variant `observed` ----

/// Number of ticks for which a guess stays the same.
enum { GUESS_TICKS = 5 };

/// Numbers of ticks to step with guesses before a tick of the check. Each tick of the check uses
/// the next number, so the last guessed tick is sometimes the tick itself and sometimes a later
/// one.
static const uint8_t ahead_ticks[] = {3, 1, 2};

static const char *why_not_observed(const variant_process *variant)
{
    return variant->stepper.players < 2 ? "with one player nothing is guessed" : NULL;
}

// Guess inputs as the machine of player `self` would. The guesses for the other players are the
// ends of the fields' ranges.
// @return true if a guess is wrong
static bool guess(const variant_process *variant, bks_tick tick, uint32_t self, int32_t *inputs)
{
    const bks_game *game = variant->stepper.game.game;
    const size_t count = (size_t)variant->stepper.players * game->field_count;
    memcpy(inputs, variant_inputs(variant, tick), count * sizeof(*inputs));
    for (size_t i = 0; i < count; i++) {
        int32_t least = 0;
        int32_t greatest = 0;
        (void)bks_field_range(&game->fields[i % game->field_count], &least, &greatest);
        if (i / game->field_count != self) {
            inputs[i] = ((uint32_t)tick / GUESS_TICKS + i) % 2 == 0 ? greatest : least;
        }
    }
    return memcmp(inputs, variant_inputs(variant, tick), count * sizeof(*inputs)) != 0;
}

static void step_observed(variant_process *variant, bks_tick tick)
{
    int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    const uint32_t players = variant->stepper.players;
    const bool is_wrong = guess(variant, tick, (uint32_t)tick % players, inputs);
    const bks_tick ahead = ahead_ticks[(uint32_t)tick / players % sizeof(ahead_ticks)];
    bks_error error = {0};
    if (bks_runner_save(variant->stepper.runner, 0, &error) != BKS_OK) {
        variant_find(variant, tick, CHECK_MARK_START, "", error.text);
        return;
    }
    char why[160];
    bool has_stepped =
        true; // if the game fails on a guess, the runner can step again after a state is loaded
    for (bks_tick t = tick; t < tick + ahead && has_stepped; t++) {
        has_stepped = variant_step_blind(variant, t, inputs, why);
    }
    if (bks_runner_load(variant->stepper.runner, 0, &error) != BKS_OK) {
        variant_find(variant, tick, CHECK_MARK_START, "was saved", error.text);
        return;
    }
    variant_step(variant, tick);
    variant->tape->result.perturbed += is_wrong ? 1 : 0;
}

const check_variant vary_baseline = {
    .name = "baseline",
    .about = "the plain game a second time: differences from run to run, such as those of "
             "threads that race",
    .unit = "tick",
    .perturbed = "stepped plainly a second time",
    .cause = "unattributed",
    .advice = "two plain runs differ, so what the other variants show may be the same fault: "
              "look for threads that race, the number of the process, a device, a file that "
              "was written in between",
    .step = variant_step_counted,
};

const check_variant vary_again = {
    .name = "again",
    .about = "beside another match in one process, of other options and players too: static "
             "variables, rand()",
    .unit = "tick",
    .perturbed = "of another match in the process",
    .cause = "hidden-state",
    .explained_by = {"address"},
    .advice = "look for what two matches in one process share: static and global variables, "
              "rand(), a library's own state; and for what is new each time: a clock, a "
              "device. Keep it in the state, or ask for it by bks_ask()",
    .after_load = begin_again,
    .step = step_again,
};

const check_variant vary_run = {
    .name = "run",
    .process = CHECK_MOVED,
    .before_load = prepare_run,
    .after_load = begin_run,
    .step = step_run,
};

const check_variant vary_resim = {
    .name = "resim",
    .about = "every tick saved, stepped, restored and stepped again, up to 8 at once: state "
             "outside the region, a save that misses a field",
    .unit = "tick",
    .perturbed = "stepped again",
    .cause = "hidden-state",
    .advice = "look for what a restored snapshot does not bring back: variables outside the "
              "state, a field that save or load leaves out",
    .keeps_inputs = true,
    .step = step_resim,
};

const check_variant vary_import = {
    .name = "import",
    .about = "a new process loads the state and continues: values outside the state that only "
             "the old process had",
    .unit = "state",
    .perturbed = "taken up by a fresh process",
    .cause = "hidden-state",
    .explained_by = {"address", "derived"},
    .process = CHECK_MOVED,
    .advice = "look for what the state does not hold: static variables that init fills, a "
              "field that save or load leaves out; a raw pointer in the state",
    .imports = true,
    .why_not = why_not_import,
    .step = variant_step,
};

const check_variant vary_rejoin = {
    .name = "rejoin",
    .takes = CHECK_TAKES_TICK,
    .about = "rejoin=N: a new process loads the state of tick N and continues to the end "
             "(default: a third of the ticks): faults that show late after a join",
    .unit = "tick",
    .perturbed = "in a process that joined late",
    .cause = "hidden-state",
    .explained_by = {"address", "derived"},
    .process = CHECK_MOVED,
    .advice = "look for what load begins anew and a step uses much later: a timer, a cache, a "
              "table that grows; keep it in the state",
    .imports = true,
    .runs_on = true,
    .why_not = why_not_import,
    .step = step_rejoined,
};

const check_variant vary_observed = {
    .name = "observed",
    .about = "before each tick 1, 2 or 3 ticks are stepped with wrong guesses and taken back: "
             "traces of guesses",
    .unit = "tick",
    .perturbed = "after wrong guesses",
    .cause = "prediction-leak",
    .explained_by = {"resim"},
    .advice = "look for what a step writes outside the state, such as a best score; it may "
              "come from a guess that was taken back",
    .why_not = why_not_observed,
    .step = step_observed,
};
