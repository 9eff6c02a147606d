// SPDX-License-Identifier: MIT

#include "game/runner.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "game/cues_check.h"
#include "game/game_calls.h"
#include "game/listener.h"
#include "game/live_byte.h"
#include "game/stepping.h"

#define STATE_BYTES_MAX (UINT64_C(1) << 30)

/// Memory for kept states: enough for two states, but at least KEPT_BYTES and at most
/// KEPT_BYTES_MOST.
#define KEPT_BYTES      (UINT64_C(16) << 20)
#define KEPT_BYTES_MOST (UINT64_C(256) << 20)

/// Room for the reason why an operation failed, its terminating zero included.
#define PROBLEM_BYTES 160

/// Let the game check its state after every step: see BKS_CHECK_STEPS in CMakeLists.txt.
#ifndef BKS_CHECK_STEPS
#ifdef NDEBUG
#define BKS_CHECK_STEPS 0
#else
#define BKS_CHECK_STEPS 1
#endif
#endif

struct bksi_runner {
    const bks_game *game;
    bksi_game_calls calls;
    bks_allocator allocator;
    bks_option_values options;
    bks_start start; ///< `start.options` points to `options`
    bksi_layout layout;
    bksi_region region; ///< `region.bytes` is NULL if the game manages its own state
    void *object;       ///< state of a game that manages its own state; NULL after a failed restart
    size_t state_bytes_max;
    uint32_t slots_wanted;
    size_t slots_bytes_max;
    uint32_t more_slots;
    uint32_t slot_count; ///< number of slots in `snapshots`, without more_slots
    bksi_snapshots *snapshots;
    uint32_t kept_slots;
    bksi_kept_pages *kept;
    /// Memory for a state without a region, which is saved here before it is kept; NULL with a
    /// region.
    uint8_t *saved;
    bks_listener listener;
    const bks_commands *commands; ///< commands of the next step by player, NULL: none
    bks_tick tick;                ///< tick of the newest step
    const char *mark;             ///< last mark of the newest step, NULL: none
    bool has_warned_pointers;     ///< true if the warning that the state has pointers was logged
    char problem[PROBLEM_BYTES];  ///< reason why the last operation failed; empty if it succeeded
    bool is_unsound;              ///< true if the game found its state wrong and that was logged
};

static bool has_region(const bksi_runner *runner)
{
    return runner->game->create == NULL;
}

/// Copy options, which may come from a network. Each copied value ends within its bytes, and zeros
/// follow its end, so that equal values have equal bytes.
static void copy_options(bks_option_values *to, const bks_option_values *from)
{
    memset(to, 0, sizeof(*to));
    for (size_t i = 0; i < BKS_OPTIONS_MAX; i++) {
        for (size_t at = 0; at + 1 < BKS_OPTION_VALUE_BYTES && from->text[i][at] != '\0'; at++) {
            to->text[i][at] = from->text[i][at];
        }
    }
}

/// Let the game check the options, and ask it for the most bytes of its state.
static bks_status ask_size(const bks_start *start, size_t *out_bytes, bks_error *error)
{
    const bks_game *game = start->game;
    size_t bytes = game->state_bytes;
    if (game->configure != NULL) {
        bks_error refusal = {0};
        bks_status status = game->configure(start, &bytes, &refusal);
        if (status != BKS_OK) {
            refusal.text[sizeof(refusal.text) - 1] = '\0';
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, "game.configure", refusal.field, "%s",
                             refusal.text[0] != '\0' ? refusal.text
                                                     : "the game refuses these options");
        }
    }
    if (game->create != NULL) {
        bytes = game->save_bytes_max;
    }
    if (bytes < 1 || bytes > STATE_BYTES_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, "game.configure", "state_bytes",
                         "the game asks for a state of %zu bytes, must be 1..%llu", bytes,
                         (unsigned long long)STATE_BYTES_MAX);
    }
    *out_bytes = bytes;
    return BKS_OK;
}

static uint32_t slots_for(const bksi_runner *runner, size_t bytes)
{
    size_t room = runner->slots_bytes_max > 0 ? runner->slots_bytes_max / bytes : SIZE_MAX;
    room = room > 2 ? room : 2;
    return room < runner->slots_wanted ? (uint32_t)room : runner->slots_wanted;
}

static void destroy_kept(bksi_runner *runner)
{
    bksi_kept_pages_destroy(runner->kept);
    bksi_free(&runner->allocator, runner->saved, runner->state_bytes_max);
}

/// Allocate memory to keep states of `bytes`. On failure nothing changes.
static bks_status make_kept(bksi_runner *runner, size_t bytes)
{
    const uint64_t two = 2 * (uint64_t)bytes;
    const uint64_t most = two > KEPT_BYTES_MOST ? KEPT_BYTES_MOST : two;
    bksi_kept_pages *kept = NULL;
    bks_status status = bksi_kept_pages_create(runner->kept_slots, bytes,
                                               (size_t)(most > KEPT_BYTES ? most : KEPT_BYTES),
                                               &runner->allocator, &kept);
    uint8_t *saved = NULL;
    if (status == BKS_OK && !has_region(runner) && runner->kept_slots > 0) {
        saved = bksi_alloc(&runner->allocator, bytes, 64);
        status = saved != NULL ? BKS_OK : BKS_ERR_OUT_OF_MEMORY;
    }
    if (status != BKS_OK) {
        bksi_kept_pages_destroy(kept);
        return status;
    }
    destroy_kept(runner);
    runner->kept = kept;
    runner->saved = saved;
    return BKS_OK;
}

/// Allocate region and snapshots for states of `bytes`. On failure nothing changes.
static bks_status make_state(bksi_runner *runner, size_t bytes, bks_error *error)
{
    bksi_region region = {0};
    bksi_snapshots *snapshots = NULL;
    if (has_region(runner)) {
        bks_status status =
            bksi_region_create(&region, bytes, runner->game->root_bytes, &runner->allocator, error);
        if (status != BKS_OK) {
            return status;
        }
    }
    uint32_t slot_count = slots_for(runner, bytes);
    const uint32_t all_slots = slot_count + runner->more_slots;
    bks_status status = bksi_snapshots_create(all_slots, bytes, &runner->allocator, &snapshots);
    if (status == BKS_OK) {
        status = make_kept(runner, bytes);
    }
    if (status != BKS_OK) {
        bksi_region_destroy(&region);
        bksi_snapshots_destroy(snapshots);
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "runner.create", "state_bytes",
                         "no memory for %u snapshots of %zu bytes", all_slots, bytes);
    }
    bksi_region_destroy(&runner->region);
    bksi_snapshots_destroy(runner->snapshots);
    runner->region = region;
    runner->snapshots = snapshots;
    runner->slot_count = slot_count;
    runner->state_bytes_max = bytes;
    return BKS_OK;
}

static bks_status check_players(const bks_game *game, uint32_t players, bks_error *error)
{
    uint32_t least = game->players_min > 0 ? game->players_min : 1;
    if (players < least || players > game->players_max) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, "runner.config", "players",
                         "players is %u, must be %u..%u", players, least, game->players_max);
    }
    return BKS_OK;
}

static bks_status check_config(const bksi_runner_config *config, bks_error *error)
{
    static const char id[] = "runner.config";
    if (config->tick_rate_hz < 1 || config->tick_rate_hz > 1000) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "tick_rate_hz",
                         "tick_rate_hz is %u, must be 1..1000", config->tick_rate_hz);
    }
    if (config->slot_count > 256) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "slot_count",
                         "slot_count is %u, must be 0..256", config->slot_count);
    }
    if (config->more_slots > 256 - config->slot_count) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "more_slots",
                         "more_slots is %u, must be 0..%u with %u others", config->more_slots,
                         256 - config->slot_count, config->slot_count);
    }
    if (!bksi_allocator_ok(&config->allocator)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    return BKS_OK;
}

/// Create a new object of a game that manages its own state.
static bks_status make_object(bksi_runner *runner, bks_error *error)
{
    // Destroy the old object first: some engines can exist only once in a process.
    if (runner->object != NULL) {
        runner->game->destroy(runner->object);
    }
    runner->object = bksi_call_create(&runner->calls, &runner->start);
    if (runner->object == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "runner.restart", "create",
                         "create of %s returned NULL", runner->game->name);
    }
    return BKS_OK;
}

/// Let the game check its state if BKS_CHECK_STEPS is set, and log when the state becomes wrong.
/// States from a file or another machine are checked in every build.
static void look_at_state(bksi_runner *runner, bks_tick tick)
{
    if (!BKS_CHECK_STEPS || runner->game->check == NULL) {
        return;
    }
    const char *fault = bksi_call_check(&runner->calls, bksi_runner_state(runner));
    if (fault != NULL && !runner->is_unsound) {
        bksi_log(BKS_LOG_ERROR, "game.check", "the state of %s at tick %d is not valid: %s",
                 runner->game->name, tick, fault);
    }
    runner->is_unsound = fault != NULL;
}

/// Let the game make its first state, and check for writes beyond it.
/// @return BKS_OK, BKS_ERR_GAME
static bks_status call_init(bksi_runner *runner, bks_error *error)
{
    const char *overrun = NULL;
    if (has_region(runner)) {
        bksi_region_watch(&runner->region);
    }
    bksi_call_init(&runner->calls, bksi_runner_state(runner), &runner->start);
    if (has_region(runner)) {
        overrun = bksi_region_unwatch(&runner->region);
    }
    if (runner->calls.float_faults != 0) {
        bksi_game_calls_report(&runner->calls, BKS_TICK_NONE, NULL);
    }
    return overrun == NULL
               ? BKS_OK
               : bksi_fail(error, BKS_ERR_GAME, "game.init", NULL,
                           "init of %s wrote past the end of its %s", runner->game->name, overrun);
}

bks_status bksi_runner_ask_bytes_max(const bksi_runner *runner, uint64_t seed, uint32_t players,
                                     const bks_option_values *options, size_t *out_bytes,
                                     bks_error *error)
{
    bks_option_values values;
    copy_options(&values, options);
    bks_start start = runner->start;
    start.seed = seed;
    start.players = players;
    start.options = &values;
    BKSI_TRY(check_players(runner->game, players, error));
    return ask_size(&start, out_bytes, error);
}

/// Take the values that the next state is made from, and allocate memory for it. A region holds
/// zeros from then on.
static bks_status prepare(bksi_runner *runner, uint64_t seed, uint32_t players,
                          const bks_option_values *options, bks_error *error)
{
    size_t bytes = 0;
    BKSI_TRY(bksi_runner_ask_bytes_max(runner, seed, players, options, &bytes, error));
    bks_option_values values; // `options` may be those of the runner
    copy_options(&values, options);
    if (bytes != runner->state_bytes_max) {
        BKSI_TRY(make_state(runner, bytes, error));
    }
    runner->options = values;
    runner->start.seed = seed;
    runner->start.players = players;
    if (has_region(runner)) {
        bksi_region_reset(&runner->region);
    }
    return BKS_OK;
}

bks_status bksi_runner_restart(bksi_runner *runner, uint64_t seed, uint32_t players,
                               const bks_option_values *options, bks_error *error)
{
    BKSI_TRY(prepare(runner, seed, players, options, error));
    if (!has_region(runner)) {
        BKSI_TRY(make_object(runner, error));
    }
    BKSI_TRY(call_init(runner, error));
    look_at_state(runner, 0);
    return BKS_OK;
}

/// Store the reason that a step gave for being unable to continue, unless one is stored already.
static void take_failure(bksi_runner *runner, const char *text)
{
    if (runner->problem[0] == '\0') {
        (void)snprintf(runner->problem, sizeof(runner->problem), "%s",
                       text[0] != '\0' ? text : "no reason given");
    }
}

bks_status bksi_runner_create(const bksi_runner_config *config, bksi_runner **out, bks_error *error)
{
    *out = NULL;
    BKSI_TRY(check_config(config, error));
    bksi_runner *runner = bksi_alloc(&config->allocator, sizeof(*runner), sizeof(uint64_t));
    if (runner == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "runner.create", NULL,
                         "no memory for a runner of %zu bytes", sizeof(*runner));
    }
    runner->game = config->game;
    runner->calls.game = config->game;
    runner->allocator = config->allocator;
    runner->slots_wanted = config->slot_count;
    runner->slots_bytes_max = config->slots_bytes_max;
    runner->more_slots = config->more_slots;
    runner->kept_slots = config->kept_slots;
    runner->listener.runner = runner;
    runner->listener.hash = bksi_runner_hash;
    runner->listener.fail = take_failure;
    runner->listener.mark = &runner->mark;
    runner->listener.workers = config->workers;
    runner->listener.cue = bksi_cues_unnamed(config->game);
    runner->start = (bks_start){
        .game = config->game,
        .tick_rate_hz = config->tick_rate_hz,
        .options = &runner->options,
    };
    bks_status status =
        bksi_layout_init(&runner->layout, config->game->fields, config->game->field_count, error);
    if (status == BKS_OK) {
        // The state's size is still 0, so this allocates everything that depends on the size.
        status = (config->has_no_state ? prepare : bksi_runner_restart)(
            runner, config->seed, config->players, &config->options, error);
    }
    if (status != BKS_OK) {
        bksi_runner_destroy(runner);
        return status;
    }
    *out = runner;
    return BKS_OK;
}

void bksi_runner_destroy(bksi_runner *runner)
{
    if (runner == NULL) {
        return;
    }
    if (runner->object != NULL) {
        runner->game->destroy(runner->object);
    }
    bks_allocator allocator = runner->allocator;
    bksi_region_destroy(&runner->region);
    bksi_snapshots_destroy(runner->snapshots);
    destroy_kept(runner);
    bksi_free(&allocator, runner, sizeof(*runner));
}

const bks_start *bksi_runner_start(const bksi_runner *runner)
{
    return &runner->start;
}

const bksi_layout *bksi_runner_layout(const bksi_runner *runner)
{
    return &runner->layout;
}

void *bksi_runner_state(bksi_runner *runner)
{
    return has_region(runner) ? runner->region.bytes : runner->object;
}

const bksi_region *bksi_runner_region(const bksi_runner *runner)
{
    return has_region(runner) ? &runner->region : NULL;
}

/// Runner that the current thread is stepping, for bks_stepping() and stepping.h alone.
static _Thread_local const bksi_runner *volatile stepping;

bool bks_stepping(bks_step_place *out)
{
    const bksi_runner *runner = stepping;
    if (runner == NULL || out == NULL) {
        return false;
    }
    *out = (bks_step_place){
        .game = runner->game->name,
        .tick = runner->tick,
        .mark = runner->mark,
        .state = has_region(runner) ? runner->region.bytes : runner->object,
    };
    return true;
}

bksi_stepping_place bksi_stepping_here(void)
{
    return &stepping;
}

bks_tick bksi_stepping_tick(bksi_stepping_place place)
{
    const bksi_runner *runner = *place;
    return runner != NULL ? runner->tick : BKS_TICK_NONE;
}

/// Fail a step that wrote past the end of its memory, because the damage is unknown.
static void fail_overrun(bksi_runner *runner, const char *what)
{
    (void)snprintf(runner->problem, sizeof(runner->problem),
                   "step of %s wrote past the end of its %s at tick %d, %s%s", runner->game->name,
                   what, runner->tick, bksi_last_mark_is(runner->mark),
                   runner->mark != NULL ? runner->mark : "");
    // Log the overrun even if the step is a guess that will be undone, because it is a mistake in
    // the game anyway.
    bksi_log(BKS_LOG_ERROR, "game.overrun", "%s", runner->problem);
}

/// Run the game's step and check for writes beyond its state.
static void step_watched(bksi_runner *runner, bks_step *step)
{
    const bksi_runner *outer = stepping; // restored below: a game may step another game
    bksi_region *region = has_region(runner) ? &runner->region : NULL;
    const char *overrun = NULL;
    runner->tick = step->tick;
    runner->mark = NULL;
    stepping = runner;
    if (region != NULL) {
        bksi_region_watch(region);
        bksi_call_step(&runner->calls, region->bytes, step);
        overrun = bksi_region_unwatch(region);
    } else {
        bksi_call_step(&runner->calls, runner->object, step);
    }
    stepping = outer;
    if (runner->calls.float_faults != 0 || runner->calls.wrote_inputs) {
        bksi_game_calls_report(&runner->calls, runner->tick, runner->mark);
    }
    if (overrun != NULL) {
        fail_overrun(runner, overrun);
    }
}

const char *bksi_runner_problem(const bksi_runner *runner)
{
    return runner->problem[0] != '\0' ? runner->problem : NULL;
}

bks_status bksi_runner_step(bksi_runner *runner, bks_tick tick, const int32_t *inputs)
{
    BKS_ASSERT(tick >= 0);
    runner->problem[0] = '\0';
    if (runner->listener.cues != NULL) {
        bks_cues_begin(runner->listener.cues, tick);
    }
    bks_step step = {
        .tick = tick,
        .tick_rate_hz = runner->start.tick_rate_hz,
        .players = runner->start.players,
        .field_count = runner->layout.field_count,
        .inputs = inputs,
        .listener = &runner->listener,
        .commands = runner->commands,
    };
    runner->commands = NULL;
    step_watched(runner, &step);
    look_at_state(runner, tick + 1);
    return runner->problem[0] == '\0' ? BKS_OK : BKS_ERR_GAME;
}

void bksi_runner_commands(bksi_runner *runner, const bks_commands *commands)
{
    runner->commands = commands;
}

void bksi_runner_extrapolate(bksi_runner *runner, void *copy, bks_tick tick, const int32_t *inputs,
                             float share)
{
    const bks_step step = {
        .tick = tick,
        .tick_rate_hz = runner->start.tick_rate_hz,
        .players = runner->start.players,
        .field_count = runner->layout.field_count,
        .inputs = inputs,
    };
    bksi_call_extrapolate(&runner->calls, copy, &step, share);
}

uint64_t bksi_runner_hash(bksi_runner *runner)
{
    if (runner->game->hash == NULL) {
        return bksi_region_hash(&runner->region);
    }
    bks_hasher hasher = bksi_hasher_begin();
    bksi_call_hash(&runner->calls, bksi_runner_state(runner), &hasher);
    return bksi_hasher_end(&hasher);
}

/// Call the game's save.
/// @return bytes saved; 0 if the save failed, or claims to have written more bytes than fit
static size_t save_object(bksi_runner *runner, uint8_t *bytes, size_t capacity)
{
    runner->problem[0] = '\0';
    size_t count = bksi_call_save(&runner->calls, runner->object, bytes, capacity);
    if (count >= 1 && count <= capacity) {
        return count;
    }
    (void)snprintf(runner->problem, sizeof(runner->problem),
                   "save of %s returned %zu, must be 1..%zu", runner->game->name, count, capacity);
    bksi_log(BKS_LOG_WARNING, "game.save", "%s", runner->problem);
    return 0;
}

/// Call the game's load with bytes from its save.
static bool load_object(bksi_runner *runner, const uint8_t *bytes, size_t count)
{
    runner->problem[0] = '\0';
    if (count > 0 && bksi_call_load(&runner->calls, runner->object, bytes, count)) {
        return true;
    }
    (void)snprintf(runner->problem, sizeof(runner->problem), "%s could not load its %zu bytes",
                   runner->game->name, count);
    return false;
}

uint32_t bksi_runner_slots(const bksi_runner *runner)
{
    return runner->slot_count;
}

size_t bksi_runner_used_bytes(const bksi_runner *runner)
{
    return has_region(runner) ? bksi_region_used(&runner->region) : runner->state_bytes_max;
}

size_t bksi_runner_save(bksi_runner *runner, uint32_t slot)
{
    if (has_region(runner)) {
        return bksi_snapshots_save(runner->snapshots, slot, &runner->region);
    }
    uint8_t *bytes = bksi_snapshots_room(runner->snapshots, slot);
    size_t count = save_object(runner, bytes, runner->state_bytes_max);
    bksi_snapshots_set_count(runner->snapshots, slot, count);
    return count;
}

void bksi_runner_borrow(bksi_runner *runner, uint32_t slot, const void *bytes, size_t count)
{
    bksi_snapshots_borrow(runner->snapshots, slot, bytes, count);
}

bks_status bksi_runner_load(bksi_runner *runner, uint32_t slot)
{
    if (has_region(runner)) {
        bksi_snapshots_load(runner->snapshots, slot, &runner->region);
        return BKS_OK;
    }
    size_t count = bksi_snapshots_count(runner->snapshots, slot);
    if (load_object(runner, bksi_snapshots_bytes(runner->snapshots, slot), count)) {
        return BKS_OK;
    }
    bksi_log(BKS_LOG_ERROR, "game.load", "%s", runner->problem);
    return BKS_ERR_GAME;
}

bool bksi_runner_keep(bksi_runner *runner, uint32_t slot)
{
    if (!has_region(runner)) {
        const size_t count = save_object(runner, runner->saved, runner->state_bytes_max);
        return count > 0 && bksi_kept_pages_put(runner->kept, slot, runner->saved, count, NULL);
    }
    const bksi_region *region = &runner->region;
    const uint8_t *hashes = runner->game->hash == NULL ? bksi_region_hashed_pages(region) : NULL;
    return bksi_kept_pages_put(runner->kept, slot, region->bytes, bksi_region_used(region), hashes);
}

const bksi_kept_pages *bksi_runner_kept_pages(const bksi_runner *runner)
{
    return runner->kept;
}

bool bksi_runner_resize_kept(bksi_runner *runner, uint32_t slot, size_t count)
{
    return bksi_kept_pages_resize(runner->kept, slot, count);
}

bool bksi_runner_write_kept(bksi_runner *runner, uint32_t slot, size_t offset, const void *bytes,
                            size_t count)
{
    return bksi_kept_pages_write(runner->kept, slot, offset, bytes, count);
}

size_t bksi_runner_export_bytes_max(const bksi_runner *runner)
{
    return runner->state_bytes_max;
}

const void *bksi_runner_slot(bksi_runner *runner, uint32_t slot, size_t *out_bytes)
{
    *out_bytes = bksi_snapshots_count(runner->snapshots, slot);
    return *out_bytes > 0 ? bksi_snapshots_bytes(runner->snapshots, slot) : NULL;
}

size_t bksi_runner_export(bksi_runner *runner, void *bytes, size_t capacity)
{
    if (!has_region(runner)) {
        return save_object(runner, bytes, capacity);
    }
    size_t used = bksi_region_used(&runner->region);
    if (used > capacity) {
        return 0;
    }
    memcpy(bytes, runner->region.bytes, used);
    return used;
}

bool bksi_runner_has_pointers(bksi_runner *runner, const void *bytes, size_t count)
{
    if (runner->game->pointers) {
        return true;
    }
    if (!has_region(runner) || !bksi_region_has_pointers(&runner->region, bytes, count)) {
        return false;
    }
    if (!runner->has_warned_pointers) {
        runner->has_warned_pointers = true;
        bksi_log(BKS_LOG_WARNING, "game.pointers",
                 "the state of %s holds raw pointers, so no state of it is written: seeking in its "
                 "recordings is slow. Use bks_ref, or set `pointers` and `hash` in the bks_game",
                 runner->game->name);
    }
    return true;
}

bool bksi_runner_points_to_itself(const bksi_runner *runner)
{
    return has_region(runner) && bksi_region_has_pointers(&runner->region, runner->region.bytes,
                                                          bksi_region_used(&runner->region));
}

/// Load bytes from a file or another machine into the object of a game that manages its own state.
static bks_status import_object(bksi_runner *runner, const void *bytes, size_t count,
                                bks_error *error)
{
    if (count < 1 || count > runner->state_bytes_max) {
        return bksi_fail(error, BKS_ERR_DAMAGED, "runner.import", NULL,
                         "a state of %s has %zu bytes, must be 1..%zu", runner->game->name, count,
                         runner->state_bytes_max);
    }
    if (!load_object(runner, bytes, count)) {
        return bksi_fail(error, BKS_ERR_DAMAGED, "runner.import", NULL, "%s", runner->problem);
    }
    return BKS_OK;
}

/// Restore a valid state after a bad import, because the game may be stepped and drawn anyway.
static void begin_anew(bksi_runner *runner)
{
    if (has_region(runner)) {
        bksi_region_reset(&runner->region);
        (void)call_init(runner, NULL); // the caller reports the failed import
    }
}

bks_status bksi_runner_import(bksi_runner *runner, const void *bytes, size_t count,
                              bks_error *error)
{
    bks_status status = has_region(runner)
                            ? bksi_region_restore(&runner->region, bytes, count, error)
                            : import_object(runner, bytes, count, error);
    if (status == BKS_OK && runner->game->check != NULL) {
        const char *fault = bksi_call_check(&runner->calls, bksi_runner_state(runner));
        status = fault == NULL ? BKS_OK
                               : bksi_fail(error, BKS_ERR_DAMAGED, "game.check", NULL,
                                           "%zu bytes are not a state of %s: %s", count,
                                           runner->game->name, fault);
    }
    if (status != BKS_OK) {
        begin_anew(runner);
    }
    return status;
}

bool bksi_runner_put_back(bksi_runner *runner, const void *bytes, size_t count)
{
    if (!has_region(runner)) {
        return load_object(runner, bytes, count);
    }
    bksi_region_put_back(&runner->region, bytes, count);
    return true;
}

size_t bksi_runner_page_hashes(bksi_runner *runner, uint64_t *out, size_t capacity)
{
    return has_region(runner) ? bksi_region_page_hashes(&runner->region, out, capacity) : 0;
}

void bksi_runner_flip(bksi_runner *runner, uint64_t offset, uint32_t bit)
{
    if (has_region(runner)) {
        bksi_region_flip(&runner->region, (size_t)(offset % bksi_region_used(&runner->region)),
                         bit);
    }
}

uint64_t bksi_runner_draw_offset(const bksi_runner *runner, const bks_state_map *map, uint64_t draw,
                                 uint32_t bit)
{
    uint64_t offset = 0;
    if (!has_region(runner)) {
        return 0;
    }
    const bksi_region *region = &runner->region;
    return map != NULL && bksi_live_byte_draw(map, region->bytes, bksi_region_used(region), draw,
                                              bit, &offset)
               ? offset
               : bksi_region_draw_offset(region, draw);
}

void bksi_runner_set_floats(bksi_runner *runner, bks_runner_floats floats)
{
    runner->calls.floats = floats;
}

uint32_t bksi_runner_float_faults(const bksi_runner *runner)
{
    return runner->calls.float_faults;
}

void bksi_runner_answer(bksi_runner *runner, const bksi_answers *answers)
{
    runner->listener.answers = answers != NULL ? *answers : (bksi_answers){0};
}

bksi_trace_sink bksi_runner_listening(const bksi_runner *runner)
{
    return runner->listener.sink;
}

void bksi_runner_collect(bksi_runner *runner, bks_cues *cues)
{
    runner->listener.cue = cues != NULL ? bks_cues_ask : bksi_cues_unnamed(runner->game);
    runner->listener.cues = cues;
}

void bksi_runner_listen(bksi_runner *runner, const bksi_trace_sink *sink)
{
    runner->listener.sink = sink != NULL ? *sink : (bksi_trace_sink){0};
}
