// SPDX-License-Identifier: MIT

/// @file known.h
/// Known inputs of the players, fields and commands, and the oldest tick that was stepped with an
/// input that turned out wrong. A tick of a player is known once both its fields and its blob are
/// known. A tick that is not known has no commands.

#ifndef BKSI_KNOWN_H
#define BKSI_KNOWN_H

#include "backstitch/session.h"

#include "input/command_log.h"
#include "input/command_queue.h"
#include "input/layout.h"
#include "input/timeline.h"

typedef struct bksi_rollback_config {
    const bksi_layout *layout; ///< layout of inputs; must outlive the engine
    uint32_t players_max;      ///< maximum number of players
    uint32_t capacity_ticks;   ///< ticks for which inputs and hashes are held, a power of two
    uint32_t window_ticks;     ///< most ticks stepped ahead of confirmed inputs; 0: lockstep
    bks_save_policy save;
    uint32_t keep_ticks; ///< number of hashed ticks whose states are kept until all agree; 0: none
    bool custom_prediction; ///< true: PREDICT asks the game for guesses
    bksi_command_config commands;
    const void *votes; ///< votes for bksi_prediction_create(), used only during create
    size_t votes_bytes;
    bks_allocator allocator;
} bksi_rollback_config;

typedef struct bksi_known {
    bksi_timeline timelines[BKS_PLAYERS_MAX];
    /// Data for prediction, shared by the timelines; empty if the layout needs no history.
    bksi_prediction prediction;
    bksi_command_log commands;
    uint32_t room;      ///< number of timelines created
    uint32_t players;   ///< number of timelines in use; 0: the match has not begun
    bks_tick confirmed; ///< first tick for which an input is not known: the least head
    bks_tick wrong;     ///< oldest tick stepped with a wrong guess, BKS_TICK_NONE: none
} bksi_known;

/// Create the players' timelines and the prediction that they share.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY; BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (table of votes, see
///         input/votes.h)
bks_status bksi_known_create(bksi_known *known, const bksi_rollback_config *config,
                             bks_error *error);
void bksi_known_destroy(bksi_known *known, const bks_allocator *allocator);
/// Set the first tick of the match, 0 by default. Call it before the first input.
void bksi_known_begin(bksi_known *known, bks_tick first);
/// Start the match.
void bksi_known_start(bksi_known *known, uint32_t players);

/// Append the known input of a player at its head. If the tick was stepped with another input, mark
/// it as wrong.
/// @param blob  commands for which bksi_known_admits() is true; NULL: none
void bksi_known_append(bksi_known *known, uint32_t player, const uint8_t *packed,
                       const bksi_blob *blob);
/// Append the inputs of the local players at their heads, with as many bytes of their queued
/// commands as the ticks have room for. The players have equal shares of the bytes that may be
/// taken. Bytes that travel ahead of their ticks do not count. The game must have commands.
/// @param first   first of `count` players
/// @param packed  packed inputs of the players
/// @param queues  queues of the players
/// @param most    most bytes of commands to take
/// @return number of bytes of `most` that were not taken
uint32_t bksi_known_append_local(bksi_known *known, uint32_t first, uint32_t count,
                                 const uint8_t *packed, bksi_command_queue *queues, uint32_t most);
/// Mark the ticks from `tick` on as wrong.
void bksi_known_doubt(bksi_known *known, bks_tick tick);
/// Return the oldest wrong tick, or BKS_TICK_NONE, and forget it.
bks_tick bksi_known_take_wrong(bksi_known *known);
/// Return true if the ticks from..until were stepped with the same inputs that they would get now.
/// @param has_guesses  true if unknown inputs can be guessed; otherwise a tick with an unknown
///                     input counts as different
bool bksi_known_is_as_used(const bksi_known *known, bks_tick from, bks_tick until,
                           bool has_guesses);
/// Lose the newest input of a player, for a mutant.
#ifdef BKSI_WITH_MUTANTS
void bksi_known_lose(bksi_known *known, uint32_t player);
#else
#define bksi_known_lose(known, player) ((void)(known))
#endif

/// Note a player's input, known or guessed, with which a tick is stepped.
static inline void bksi_known_use(bksi_known *known, uint32_t player, bks_tick tick,
                                  const uint8_t *packed)
{
    bksi_timeline_use(&known->timelines[player], tick, packed);
}

/// Return one past the newest tick whose input of a player is known.
static inline bks_tick bksi_known_head(const bksi_known *known, uint32_t player)
{
    return known->timelines[player].head;
}

/// Return true if the known input of a tick below the head is still held. The input before the
/// first tick is neutral.
static inline bool bksi_known_holds(const bksi_known *known, uint32_t player, bks_tick tick)
{
    const bksi_timeline *timeline = &known->timelines[player];
    return tick < timeline->head && tick >= timeline->first - 1 &&
           tick >= timeline->head - (bks_tick)timeline->capacity_ticks;
}

/// Return true if the tick at a player's head may have this blob.
static inline bool bksi_known_admits(const bksi_known *known, uint32_t player,
                                     const bksi_blob *blob)
{
    return blob->count == 0 ||
           (bksi_command_log_is_on(&known->commands) &&
            bksi_command_log_admits(&known->commands, player, known->timelines[player].head, blob));
}

/// Return true if fields and commands of a tick below the head are still held.
static inline bool bksi_known_holds_all(const bksi_known *known, uint32_t player, bks_tick tick)
{
    return bksi_known_holds(known, player, tick) &&
           (!bksi_command_log_is_on(&known->commands) ||
            bksi_command_log_holds(&known->commands, player, tick, known->timelines[player].head));
}

/// Get the commands with which a tick is stepped, an entry for each player, and note that the tick
/// is stepped with them. The game must have commands.
/// @return false if no player has commands
bool bksi_known_use_commands(bksi_known *known, bks_tick tick, bks_commands *commands);

/// Return a known input that is still held.
static inline const uint8_t *bksi_known_input(const bksi_known *known, uint32_t player,
                                              bks_tick tick)
{
    return bksi_timeline_confirmed(&known->timelines[player], tick);
}

/// Get a player's input of a tick, known or guessed.
static inline void bksi_known_at(const bksi_known *known, uint32_t player, bks_tick tick,
                                 uint8_t *packed)
{
    bksi_timeline_at(&known->timelines[player], tick, packed);
}

#endif
