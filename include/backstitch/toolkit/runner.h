// SPDX-License-Identifier: MIT

/// @file toolkit/runner.h One running game without a session: check it, step it, save and load it,
/// receive its marks; and use its bot as a source of input. For tests and tools that step a game by
/// hand, such as `bks check`; a match needs none of it.
///
///     bks_runner_config config = {.game = &duel_game, .players = 2, .seed = 1};
///     bks_runner *runner = NULL;
///     if (bks_runner_create(&config, &runner, &error) == BKS_OK) {
///         status = bks_runner_step(runner, 0, inputs, &error);
///     }
///     bks_runner_destroy(runner);
///
/// Thread rule: a runner belongs to one thread at a time.

#ifndef BACKSTITCH_TOOLKIT_RUNNER_H
#define BACKSTITCH_TOOLKIT_RUNNER_H

#include "backstitch/game.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Maximum number of snapshots of a runner.
#define BKS_RUNNER_SNAPSHOTS_MAX 256

/// Configuration of a runner, copied by bks_runner_create(). Start from {0}.
typedef struct bks_runner_config {
    const bks_game *game; ///< the game, required, must outlive the runner
    /// Option values of the match, start from bks_option_values_default().
    bks_option_values options;
    /// True: use `options`; false (default): use the game's default options.
    bool has_options;
    uint64_t seed; ///< seed passed to `init`
    /// Number of players, required, players_min..players_max of the game.
    uint32_t players;
    /// Ticks a second, 1..1000; 0 (default): the game's own number.
    uint32_t tick_rate_hz;
    /// Number of snapshots for bks_runner_save(), 0 (default)..BKS_RUNNER_SNAPSHOTS_MAX.
    uint32_t snapshots;

    /// Called when a step reaches a mark: you may hash, read and export the state. NULL: no
    /// callback.
    void (*marked)(void *context, bks_tick tick, const char *name);
    void *context; ///< passed to `marked`, may be NULL

    /// Answer a question of a step (bks_ask()). NULL (default): questions get no answer.
    /// @param out  receives the answer, up to BKS_ANSWER_BYTES_MAX bytes
    /// @return size of the answer in bytes, 0: there is no answer
    size_t (*answer)(void *context, bks_tick tick, uint32_t question, void *out);
    void *answer_context; ///< passed to `answer`, may be NULL
    /// Collector of the steps' cues (present.h), which must outlive the steps. NULL (default): cues
    /// are not collected.
    struct bks_cues *cues;
    /// Workers for the jobs of steps (det.h); copied; their context must outlive the runner. NULL
    /// (default): jobs run on the calling thread.
    const struct bks_workers *workers;
    bks_allocator allocator; ///< memory hooks, default malloc and free
} bks_runner_config;

/// Floating-point environments in which a runner can call its game (see bks_float_enter()).
typedef enum bks_runner_floats {
    /// The game is called in the environment that bks_float_enter() sets (default).
    BKS_RUNNER_FLOATS_GUARDED = 0,
    /// The environment is as with BKS_RUNNER_FLOATS_GUARDED, but an invalid operation, such as one
    /// that makes a NaN from numbers, or a conversion to an integer that does not fit, raises
    /// SIGFPE; on x86 alone, elsewhere the same as guarded.
    BKS_RUNNER_FLOATS_TRAPPED = 1,
    BKS_RUNNER_FLOATS_AS_THEY_ARE = 2 ///< the game is called in the caller's environment, unchanged
} bks_runner_floats;

/// One running game. Opaque.
typedef struct bks_runner bks_runner;

/// Make the state of tick 0 by `init`. Its questions (bks_ask()) get no answer.
/// @param config  copied
/// @param out     receives the runner, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with bks_runner_destroy().
BKS_NODISCARD bks_status bks_runner_create(const bks_runner_config *config, bks_runner **out,
                                           bks_error *error);

/// Release a runner. NULL is allowed.
void bks_runner_destroy(bks_runner *runner);

/// Step any tick.
/// @param tick    0 or above
/// @param inputs  players * field_count values, each within its field's range; not NULL
/// @param error   may be NULL
/// @return BKS_OK; BKS_ERR_GAME when the game reported that it cannot continue: then load a
///         snapshot; BKS_ERR_BAD_ARGUMENT: nothing was stepped
BKS_NODISCARD bks_status bks_runner_step(bks_runner *runner, bks_tick tick, const int32_t *inputs,
                                         bks_error *error);

/// Set the commands of the next step. They apply to that step only: call this again for another.
/// @param commands  an entry for each player, must be valid until that step is done; NULL: none
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT when the length of a command is 0, above the game's
///         command_bytes_max, or longer than the bytes that follow: the next step has no commands
bks_status bks_runner_commands(bks_runner *runner, const bks_commands *commands);

/// Hash the present state, by the game's own `hash`, or by pages.
/// @return the hash, 0 for NULL
uint64_t bks_runner_hash(bks_runner *runner);

/// Get the present state. Read only; its address never changes.
/// @return the state, NULL for NULL
const void *bks_runner_state(const bks_runner *runner);

/// Extrapolate a copy of the state by a part of the next tick, as for a picture (game.h), by the
/// game's `extrapolate`. The first call allocates the memory of one more state.
/// @param tick    the next tick, 0 or above
/// @param inputs  inputs of the newest tick, as for bks_runner_step(); not NULL
/// @param share   part of a tick, above 0, at most 1
/// @param out     receives the copy, read only, valid until the next call and bks_runner_destroy();
///                NULL on failure
/// @param error   may be NULL
/// @return BKS_OK; BKS_ERR_UNSUPPORTED: the game has no `extrapolate`, no region, or raw pointers;
///         BKS_ERR_OUT_OF_MEMORY; BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_runner_extrapolate(bks_runner *runner, bks_tick tick,
                                                const int32_t *inputs, float share,
                                                const void **out, bks_error *error);

/// Write the state as bytes: the region's part in use, or what the game's `save` writes.
/// @param out       receives the bytes; NULL asks for the largest size that they can have
/// @param capacity  size of `out`
/// @return number of bytes written; with a NULL `out` the largest possible number; 0 when capacity
///         is too small, the game could not save, or runner is NULL
size_t bks_runner_export(bks_runner *runner, void *out, size_t capacity);

/// Load a state from bytes, which may be any: the runner validates arena and pools, then calls
/// bks_game.check. If the bytes are refused, the state is the one that `init` makes, or, for a game
/// without a region, whatever its `load` left.
/// @param bytes  bytes that bks_runner_export() wrote, not NULL
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_runner_import(bks_runner *runner, const void *bytes, size_t count,
                                           bks_error *error);

/// Save the present state in a snapshot.
/// @param snapshot  0..snapshots-1
/// @param error     may be NULL
/// @return BKS_OK, BKS_ERR_GAME (the game could not save), BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_runner_save(bks_runner *runner, uint32_t snapshot, bks_error *error);

/// Restore the state saved in a snapshot.
/// @param snapshot  a snapshot that was saved
/// @param error     may be NULL
/// @return BKS_OK; BKS_ERR_GAME: the game could not load, and its state must not be stepped;
///         BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_runner_load(bks_runner *runner, uint32_t snapshot, bks_error *error);

/// Choose in which floating-point environment the game is called from now on.
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_runner_set_floats(bks_runner *runner, bks_runner_floats floats,
                                               bks_error *error);

/// Get the changes of the floating-point environment that the game's newest `create`, `init` or
/// `step` made and did not undo.
/// @return bits of bks_float_fault (det.h), 0 for no change and for NULL. With
///         BKS_RUNNER_FLOATS_AS_THEY_ARE, all faults present after the call
uint32_t bks_runner_float_faults(const bks_runner *runner);

/// Size of a page, the unit in which a state in a region is hashed (docs/spec/state-hash.md).
#define BKS_PAGE_BYTES 4096

/// Hash one page, for tools that look at a state page by page.
/// @param bytes  not NULL when count is above 0
/// @param count  length of `bytes`, up to BKS_PAGE_BYTES; zeros are appended
/// @return the hash, 0 for a bad argument
uint64_t bks_page_hash(const void *bytes, size_t count);

/// Hash a state in a region from the hashes of its pages, as bks_runner_hash() does for a game
/// without its own hash.
/// @param hashes  hashes of the pages, not NULL when count is above 0
/// @param count   number of pages
/// @param bytes   size of the state
/// @return the hash, 0 for a bad argument
uint64_t bks_pages_hash(const uint64_t *hashes, size_t count, uint64_t bytes);

/// Get the least and greatest value of a field, by its bits and sign. Each of the two outputs may
/// be NULL.
/// @param field  not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_field_range(const bks_field *field, int32_t *out_least, int32_t *out_greatest);

/// Check a game's description.
/// @param game   not NULL
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (error names the field and the range)
BKS_NODISCARD bks_status bks_game_check(const bks_game *game, bks_error *error);

/// The bot of a game, playing one seat. Plain data.
typedef struct bks_bot {
    const bks_game *game; ///< game passed to bks_bot_init(), must outlive the bot
    uint64_t memory[8];   ///< memory of the bot
} bks_bot;

/// Make a bot.
/// @param bot    receives the bot, not NULL
/// @param game   a game that has `bot`
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_bot_init(bks_bot *bot, const bks_game *game, bks_error *error);

/// Make a source of inputs from a bot. The bot must outlive the source.
bks_source bks_bot_source(bks_bot *bot);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_RUNNER_H
