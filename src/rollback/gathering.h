// SPDX-License-Identifier: MIT

/// @file gathering.h
/// Inputs that are gathered over several operations and must survive between them: the inputs with
/// which a tick is stepped, some of them guessed by the game, the samples of a tick so far, and the
/// commands of local players that wait for a tick.

#ifndef BKSI_GATHERING_H
#define BKSI_GATHERING_H

#include "input/command_queue.h"
#include "input/layout.h"

typedef struct bksi_gathering {
    const bksi_layout *layout;
    uint32_t players_max;
    uint8_t *step_packed; ///< packed inputs for the next STEP; players * layout bytes
    /// Packed inputs from which `step_values` was unpacked; players * layout bytes.
    uint8_t *last_packed;
    int32_t *step_values; ///< inputs that STEP hands out; players * fields
    /// Number of players whose inputs are gathered, which is also the index of the next player.
    uint32_t next_player;
    int32_t *guess; ///< guess, then newest known input, both handed out by PREDICT; 2 * fields
    /// Packed samples of the local players for the tick at their heads; local players * layout
    /// bytes.
    uint8_t *sampled;
    uint32_t next_local;                         ///< number of local players that have been sampled
    bks_commands step_commands[BKS_PLAYERS_MAX]; ///< commands that STEP hands out
    bksi_command_queue queues[BKS_PLAYERS_MAX];  ///< commands of local players, counted from 0
} bksi_gathering;

/// Allocate all memory for up to `players_max` players.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_gathering_create(bksi_gathering *gathering, const bksi_layout *layout,
                                 uint32_t players_max, const bksi_command_config *commands,
                                 const bks_allocator *allocator);
void bksi_gathering_destroy(bksi_gathering *gathering, const bks_allocator *allocator);

/// Begin an update, in which no player has been sampled yet.
static inline void bksi_gathering_begin(bksi_gathering *gathering)
{
    gathering->next_local = 0;
}

/// Note that the inputs of the players below `player` are gathered for the next STEP, and the input
/// of `player` is still to come; 0: gather the inputs of another tick next.
static inline void bksi_gathering_wait(bksi_gathering *gathering, uint32_t player)
{
    gathering->next_player = player;
}

/// Return the memory of a player's packed input for the next STEP.
static inline uint8_t *bksi_gathering_packed(const bksi_gathering *gathering, uint32_t player)
{
    return gathering->step_packed + (size_t)player * gathering->layout->bytes;
}

/// Return all inputs of the next STEP. Unpack only inputs that differ from those of the last STEP.
const int32_t *bksi_gathering_values(bksi_gathering *gathering, uint32_t players);

/// Store the game's guess for the player for whom PREDICT asked. NULL stands for the guess of the
/// fields' predictors.
/// @return the input, packed
const uint8_t *bksi_gathering_guess(bksi_gathering *gathering, const int32_t *values);

/// Store the next local player's sample. NULL stands for the neutral input.
/// @return the input, packed
uint8_t *bksi_gathering_sample(bksi_gathering *gathering, const int32_t *values);

/// Return the packed sample of a local player. The number `local` counts local players only, from
/// 0.
static inline const uint8_t *bksi_gathering_sampled(const bksi_gathering *gathering, uint32_t local)
{
    return gathering->sampled + (size_t)local * gathering->layout->bytes;
}

/// Get the room for the commands that the next STEP hands out, by player.
bks_commands *bksi_gathering_commands(bksi_gathering *gathering);

/// Get the queue of commands of a local player, counted from 0.
bksi_command_queue *bksi_gathering_queue(bksi_gathering *gathering, uint32_t local_player);

#endif
