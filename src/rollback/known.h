// SPDX-License-Identifier: MIT

/// @file known.h
/// What is known of the players' inputs, and the oldest tick that was stepped with something else.

#ifndef BKSI_KNOWN_H
#define BKSI_KNOWN_H

#include "backstitch/session.h"

#include "input/layout.h"
#include "input/timeline.h"

typedef struct bksi_rollback_config {
    const bksi_layout *layout; ///< must outlive the engine
    uint32_t players_max;      ///< room for this many
    uint32_t capacity_ticks;   ///< inputs and hashes kept, a power of two
    uint32_t window_ticks;     ///< steps ahead of what is confirmed; 0 is lockstep
    bks_save_policy save;
    uint32_t keep_ticks;    ///< hashed ticks whose states are kept until all agree; 0: none
    bool custom_prediction; ///< guesses are asked for by PREDICT
    const void *votes;      ///< see bksi_prediction_create(); not kept
    size_t votes_bytes;
    bks_allocator allocator;
} bksi_rollback_config;

typedef struct bksi_known {
    bksi_timeline timelines[BKS_PLAYERS_MAX];
    bksi_prediction prediction; ///< what they share; empty for layouts without history
    uint32_t room;              ///< timelines there are
    uint32_t players;           ///< those in use; 0: the match has not begun
    bks_tick confirmed;         ///< the least head
    bks_tick wrong;             ///< oldest tick stepped with a wrong guess, or none
} bksi_known;

/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY; BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (the votes)
bks_status bksi_known_create(bksi_known *known, const bksi_rollback_config *config,
                             bks_error *error);
void bksi_known_destroy(bksi_known *known, const bks_allocator *allocator);
/// The match begins with this tick; 0 otherwise. Before the first input.
void bksi_known_begin(bksi_known *known, bks_tick first);
/// The match begins.
void bksi_known_start(bksi_known *known, uint32_t players);

/// The input of a player at its head is known. If its tick was stepped with another, it is wrong.
void bksi_known_append(bksi_known *known, uint32_t player, const uint8_t *packed);
/// What was stepped from this tick on is not to stay.
void bksi_known_doubt(bksi_known *known, bks_tick tick);
/// The oldest tick that is wrong, or BKS_TICK_NONE; from now on none is.
bks_tick bksi_known_take_wrong(bksi_known *known);
/// Whether the ticks from..until were stepped with what they would be stepped with now.
/// @param has_guesses  whether what is not known yet can be guessed here; if not, it counts as new
bool bksi_known_is_as_used(const bksi_known *known, bks_tick from, bks_tick until,
                           bool has_guesses);
/// A mutant: the newest input of a player is lost.
#ifdef BKSI_WITH_MUTANTS
void bksi_known_lose(bksi_known *known, uint32_t player);
#else
#define bksi_known_lose(known, player) ((void)(known))
#endif

/// A player's input that a tick is stepped with, known or guessed.
static inline void bksi_known_use(bksi_known *known, uint32_t player, bks_tick tick,
                                  const uint8_t *packed)
{
    bksi_timeline_use(&known->timelines[player], tick, packed);
}

/// One past the newest tick whose input of a player is known.
static inline bks_tick bksi_known_head(const bksi_known *known, uint32_t player)
{
    return known->timelines[player].head;
}

/// Whether the known input of a tick below the head is still here; that of the tick before the
/// first is neutral.
static inline bool bksi_known_holds(const bksi_known *known, uint32_t player, bks_tick tick)
{
    const bksi_timeline *timeline = &known->timelines[player];
    return tick < timeline->head && tick >= timeline->first - 1 &&
           tick >= timeline->head - (bks_tick)timeline->capacity_ticks;
}

/// It, where it is here.
static inline const uint8_t *bksi_known_input(const bksi_known *known, uint32_t player,
                                              bks_tick tick)
{
    return bksi_timeline_confirmed(&known->timelines[player], tick);
}

/// The input of a tick, known or guessed.
static inline void bksi_known_at(const bksi_known *known, uint32_t player, bks_tick tick,
                                 uint8_t *packed)
{
    bksi_timeline_at(&known->timelines[player], tick, packed);
}

#endif
