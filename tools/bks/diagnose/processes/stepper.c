// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/stepper.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/runner.h"
#include "base/altered_system.h"
#include "base/heap.h"
#include "base/tool.h"
#include "diagnose/processes/watch_page.h"
#include "game/module.h"

enum { STACK_BYTES = 65536, LOWERED_BYTES = 524288, SECOND_US = 1000000, RELOAD_TICKS = 8 };

// The game, with its functions replaced by functions that fill the stack with known bytes and then
// call the game's own. The replacing functions have no context argument, so their data is static: a
// process has one stepper.
static bks_game on_known_stack;
static const bks_game *own;
static void (*own_marked)(void *context, bks_tick tick, const char *name);
static uint8_t stack_pattern;
static uint64_t stack_word; // word that fills the stack instead of `stack_pattern`, 0: none
static bool skips_stack;
static bool has_other_stack;

// Inputs of a step, at a fixed address, so that a watchpoint can be set on them.
static int32_t handed[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
// Commands of a tick by player, each with its size in two bytes in front.
static uint8_t sampled[BKS_PLAYERS_MAX][2 * (2 + BKS_COMMAND_BYTES_MAX)];
static volatile size_t room_bytes =
    512;                    // volatile, so that the compiler cannot drop the allocation
static uintptr_t stack_top; // stack frame below which the game is called, 0: not known

static __attribute__((noinline)) void fill_stack(void)
{
    volatile uint64_t words[STACK_BYTES / sizeof(uint64_t)];
    if (skips_stack) {
        return;
    }
    memset((void *)(uintptr_t)words, stack_pattern, sizeof(words));
    for (size_t i = 0; stack_word != 0 && i < STACK_BYTES / sizeof(uint64_t); i++) {
        words[i] = stack_word;
    }
    __asm__ volatile("" : : "r"(words) : "memory");
}

// Return how many bytes of the stack lie between a frame and the fixed depth at which the game is
// called. At a fixed depth, local variables of the game have the same addresses in two processes
// with the same stack.
static size_t bytes_to_known(const void *frame)
{
    const uintptr_t at = (uintptr_t)frame;
    const bool can = stack_top > LOWERED_BYTES && at > stack_top - LOWERED_BYTES && at < stack_top;
    return can ? (size_t)(at - (stack_top - LOWERED_BYTES)) : 1;
}

// Move the stack pointer down to the fixed depth and fill the stack below. Then reserve a little
// room, so that the next frame begins within the filled bytes.
#define BEGIN_ON_KNOWN_STACK()                                                                \
    volatile uint8_t *lowered = __builtin_alloca(bytes_to_known(__builtin_frame_address(0))); \
    lowered[0] = 0;                                                                           \
    fill_stack();                                                                             \
    volatile uint8_t *room = __builtin_alloca(room_bytes);                                    \
    room[0] = 0

static void *create_on_known_stack(const bks_start *start)
{
    BEGIN_ON_KNOWN_STACK();
    return own->create(start);
}

static void init_on_known_stack(void *state, const bks_start *start)
{
    BEGIN_ON_KNOWN_STACK();
    own->init(state, start);
}

typedef struct step_call {
    void *state;
    const bks_step *step;
} step_call;

static void step_now(void *context)
{
    const step_call *call = context;
    BEGIN_ON_KNOWN_STACK();
    own->step(call->state, call->step);
}

static void step_on_known_stack(void *state, const bks_step *step)
{
    bks_step with_handed = *step;
    step_call call = {.state = state, .step = &with_handed};
    memcpy(handed, step->inputs, (size_t)step->players * step->field_count * sizeof(*handed));
    with_handed.inputs = handed;
    if (has_other_stack) {
        other_stack_call(step_now, &call);
    } else {
        step_now(&call);
    }
}

static size_t save_on_known_stack(const void *state, void *bytes, size_t capacity_bytes)
{
    BEGIN_ON_KNOWN_STACK();
    return own->save(state, bytes, capacity_bytes);
}

static bool load_on_known_stack(void *state, const void *bytes, size_t count_bytes)
{
    BEGIN_ON_KNOWN_STACK();
    return own->load(state, bytes, count_bytes);
}

static void hash_on_known_stack(const void *state, bks_hasher *hasher)
{
    BEGIN_ON_KNOWN_STACK();
    own->hash(state, hasher);
}

// Call a mark's listener, then fill the stack again, because the listener leaves its own bytes
// there.
static void marked_on_known_stack(void *context, bks_tick tick, const char *name)
{
    own_marked(context, tick, name);
    fill_stack();
}

static const bks_game *with_known_stack(const bks_game *game)
{
    own = game;
    on_known_stack = *game;
    on_known_stack.create = game->create != NULL ? create_on_known_stack : NULL;
    on_known_stack.init = init_on_known_stack;
    on_known_stack.step = step_on_known_stack;
    on_known_stack.save = game->save != NULL ? save_on_known_stack : NULL;
    on_known_stack.load = game->load != NULL ? load_on_known_stack : NULL;
    on_known_stack.hash = game->hash != NULL ? hash_on_known_stack : NULL;
    return &on_known_stack;
}

static void set_clock(const check_stepper *stepper, bks_tick tick)
{
    if (stepper->set.kind == CHECK_SET_CLOCK) {
        clock_shift_stand((int64_t)stepper->set.value);
        return;
    }
    clock_shift_stand((CLOCK_SHIFT_BEGUN_S + stepper->clock_ahead_s) * SECOND_US +
                      (stepper->clock_rate > 0 ? stepper->clock_rate : 1) * tick * SECOND_US /
                          stepper->game.game->tick_rate_hz);
}

static int open_sources(check_stepper *stepper)
{
    if (stepper->options->recording != NULL) {
        return TOOL_OK;
    }
    const source_env env = {.game = stepper->game.game,
                            .players = stepper->players,
                            .seed = (uint64_t)stepper->options->seed};
    static const args_list none;
    int status = source_set_open(&none, stepper->options->input, &env, &stepper->sources);
    if (status == TOOL_OK) {
        status = source_set_check(stepper->sources, 0, stepper->players,
                                  (bks_tick)stepper->options->ticks);
    }
    return status;
}

// Answer a question of the game with the answer in the recording.
static size_t answer(void *context, bks_tick tick, uint32_t question, void *out)
{
    const replay_file *recording = context;
    const void *bytes = NULL;
    size_t count = 0;
    if (bks_replay_fact(recording->replay, tick, question, &bytes, &count) == BKS_OK && count > 0) {
        memcpy(out, bytes, count);
    }
    return count;
}

void stepper_stand_below(const void *frame)
{
    stack_top = (uintptr_t)frame;
}

static int load_game(check_stepper *stepper)
{
    const char *path = stepper->path != NULL ? stepper->path : stepper->options->game;
    if (stepper->set.kind != CHECK_SET_CODE_AT) {
        return loader_open(path, &stepper->game);
    }
    stepper->set.is_refused = !code_place_begin(stepper->set.value);
    const int status = loader_open(path, &stepper->game);
    code_place_end();
    return status;
}

// Apply a setting that must hold from the first state on.
static void set_now(check_stepper *stepper)
{
    check_set *set = &stepper->set;
    if (set->kind == CHECK_SET_STACK) {
        stack_word = set->value;
    } else if (set->kind == CHECK_SET_STACK_AT) {
        has_other_stack = other_stack_make(set->value);
        set->is_refused = !has_other_stack;
    } else if (set->kind == CHECK_SET_HEAP_AT) {
        set->is_refused = !heap_reverse_begin_below(set->value);
    }
}

// Take the options, the seed and the tick rate of the match from the recording, or else from the
// command line and the game.
static int choose_start(check_stepper *stepper)
{
    const check_options *options = stepper->options;
    bks_runner_config *config = &stepper->config;
    if (options->recording == NULL) {
        config->seed = (uint64_t)options->seed;
        return loader_options(stepper->game.game, options->given_options.items,
                              options->given_options.count, &config->options);
    }
    const bks_playback_config playback = {
        .replay = options->recording->replay, .game = stepper->game.game, .any_version = true};
    bks_error error = {0};
    config->seed = options->recording->info->seed;
    config->tick_rate_hz = options->recording->info->tick_rate_hz;
    if (bks_playback_options(&playback, &config->options, &error) != BKS_OK) {
        tool_complain_error(options->recorded, &error);
        return tool_status_of(&error);
    }
    return TOOL_OK;
}

int stepper_load(check_stepper *stepper, const check_options *options)
{
    stepper->options = options;
    random_fix_begin(stepper->random_seed);
    if (stepper->set.kind == CHECK_SET_RANDOM) {
        random_fix_answer(stepper->set.value);
    }
    int status = load_game(stepper);
    if (status == TOOL_OK) {
        status = loader_players(stepper->game.game,
                                options->recording != NULL ? options->recording->info->players
                                                           : options->players,
                                stepper->game.game->players_max, &stepper->players);
    }
    if (status == TOOL_OK) {
        stepper->config = (bks_runner_config){
            .game =
                stepper->leaves_stack ? stepper->game.game : with_known_stack(stepper->game.game),
            .has_options = true,
            .players = stepper->players,
            .snapshots = CHECK_SNAPSHOTS,
            .answer = options->recording != NULL ? answer : NULL,
            .answer_context = (void *)(uintptr_t)options->recording,
        };
        status = choose_start(stepper);
    }
    return status == TOOL_OK ? open_sources(stepper) : status;
}

int stepper_start(check_stepper *stepper,
                  void (*marked)(void *context, bks_tick tick, const char *name), void *context)
{
    bks_error error = {0};
    set_now(stepper);
    set_clock(stepper, 0);
    own_marked = marked;
    stack_pattern = stepper->stack_pattern;
    stepper->config.marked =
        stepper->leaves_stack || marked == NULL ? marked : marked_on_known_stack;
    stepper->config.context = context;
    if (bks_runner_create(&stepper->config, &stepper->runner, &error) != BKS_OK) {
        tool_complain_error(stepper->game.game->name, &error);
        return TOOL_MISUSE;
    }
    stepper->state_bytes_max = bks_runner_export(stepper->runner, NULL, 0);
    return TOOL_OK;
}

void stepper_close(check_stepper *stepper)
{
    source_set_close(stepper->sources);
    bks_runner_destroy(stepper->runner);
}

// Take the commands that a source gives a player at a tick.
static bks_commands sample_commands(const bks_source *source, const bks_sample *sample,
                                    uint32_t largest)
{
    uint8_t *bytes = sampled[sample->player];
    uint32_t used = 0;
    while (largest > 0 && sizeof(sampled[0]) - used >= 2 + (size_t)largest) {
        const size_t count = source->command(source->context, sample, bytes + used + 2, largest);
        if (count == 0 || count > largest) {
            break;
        }
        bytes[used] = (uint8_t)count;
        bytes[used + 1] = (uint8_t)(count >> 8);
        used += 2 + (uint32_t)count;
    }
    return (bks_commands){.bytes = bytes, .count = used};
}

static void clamp(const bks_game *game, int32_t *values)
{
    for (uint32_t i = 0; i < game->field_count; i++) {
        int32_t least = 0;
        int32_t greatest = 0;
        (void)bks_field_range(&game->fields[i], &least, &greatest);
        values[i] = values[i] < least ? least : values[i];
        values[i] = values[i] > greatest ? greatest : values[i];
    }
}

void stepper_sample(const check_stepper *stepper, bks_tick tick, int32_t *inputs,
                    bks_commands commands[BKS_PLAYERS_MAX])
{
    const bks_game *game = stepper->game.game;
    memset(commands, 0, BKS_PLAYERS_MAX * sizeof(*commands));
    if (stepper->options->recording != NULL) {
        // Reading cannot fail: replay_file_check() has unpacked the whole file.
        bks_replay *replay = stepper->options->recording->replay;
        bool has_any = false;
        (void)!bks_replay_inputs(replay, tick, inputs);
        (void)!bks_replay_commands(replay, tick, commands, &has_any);
        return;
    }
    const bks_source source = source_set_source(stepper->sources);
    for (uint32_t player = 0; player < stepper->players; player++) {
        int32_t *values = inputs + (size_t)player * game->field_count;
        for (uint32_t i = 0; i < game->field_count; i++) {
            values[i] = game->fields[i].neutral;
        }
        const bks_sample sample = {.tick = tick,
                                   .player = player,
                                   .state = bks_runner_state(stepper->runner),
                                   .field_count = game->field_count};
        source.sample(source.context, &sample, values);
        clamp(game, values);
        commands[player] = sample_commands(&source, &sample, game->command_bytes_max);
    }
}

void stepper_step(check_stepper *stepper, bks_tick tick, const int32_t *inputs,
                  const bks_commands *commands, char why[160])
{
    bks_error error = {0};
    why[0] = '\0';
    set_clock(stepper, tick);
    stack_pattern = stepper->stack_pattern;
    skips_stack = stepper->skips_stack;
    if (bks_runner_commands(stepper->runner, commands) != BKS_OK) {
        (void)snprintf(why, 160, "a command is above command_bytes_max %" PRIu32,
                       stepper->game.game->command_bytes_max);
    } else if (bks_runner_step(stepper->runner, tick, inputs, &error) != BKS_OK) {
        (void)snprintf(why, 160, "%.150s", error.text);
    }
}

void stepper_reload(check_stepper *stepper, bks_tick tick)
{
    const bool is_wanted =
        stepper->game.game->load != NULL && tick % RELOAD_TICKS == RELOAD_TICKS - 1;
    stack_pattern = stepper->stack_pattern;
    if (is_wanted && bks_runner_save(stepper->runner, 0, NULL) == BKS_OK) {
        (void)!bks_runner_load(stepper->runner, 0,
                               NULL); // ignore a failure: the next step then fails, too
    }
}

bool stepper_has_hash(const check_stepper *stepper)
{
    return stepper->game.game->hash != NULL;
}

size_t stepper_bytes(const check_stepper *stepper, uint8_t *out, size_t capacity)
{
    return bks_runner_export(stepper->runner, out, capacity);
}

bool stepper_has_pointers(const check_stepper *stepper, const uint8_t *bytes, size_t count)
{
    const bks_game *game = stepper->game.game;
    const uintptr_t begin = (uintptr_t)bks_runner_state(stepper->runner);
    bool has_some = false;
    const module_place plugin =
        module_of(stepper->game.plugin); // the plug-in's addresses include functions and vtables
    for (size_t at = 0; at + sizeof(uintptr_t) <= count && !has_some; at += sizeof(uintptr_t)) {
        uintptr_t word = 0;
        memcpy(&word, bytes + at, sizeof(word));
        has_some =
            (word >= begin && word - begin < count) || (word >= plugin.begin && word < plugin.end);
    }
    return has_some && !game->pointers && game->create == NULL;
}

const int32_t *stepper_inputs(void)
{
    return handed;
}

check_addresses stepper_addresses(const check_stepper *stepper)
{
    return (check_addresses){
        .state = (uint64_t)(uintptr_t)bks_runner_state(stepper->runner),
        .code = (uint64_t)(uintptr_t)stepper->game.plugin,
        .inputs = (uint64_t)(uintptr_t)handed,
        .gate = watch_page_gate(),
    };
}
