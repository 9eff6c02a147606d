// SPDX-License-Identifier: MIT

/// @file engine.h
/// A rollback engine without a network. The caller passes in inputs as they become known and ticks
/// as they become due; the engine hands out what to do with the game, one operation at a time:
///
///     bksi_rollback_append(&engine, player, input, blob);      // for each input that came
///     bksi_rollback_schedule(&engine, &(bksi_schedule){.due_ticks = 1});
///     while (bksi_rollback_next(&engine, &op)) {               // SAMPLE, LOAD, PREDICT, STEP, …
///         result = carry_out(&op);
///         bksi_rollback_done(&engine, &op, &result);
///     }
///     bksi_rollback_settle(&engine);
///
/// Each player's inputs are known up to the head of its timeline and predicted beyond it. An input
/// that differs from its prediction makes its tick wrong: the next update loads a snapshot from
/// before it and steps to the present again, or until the states are equal again. Ticks before the
/// least head are confirmed; once stepped with confirmed inputs they are settled, and their hashes
/// are published.
///
/// The engine knows no clock, no peers and no game, and allocates nothing once created.
///
/// Source: Ben Hunter, "Rollback Networking in INVERSUS": Input Prediction, Rolling State Buffers,
/// Network Starvation, Desync Detection.

#ifndef BKSI_ENGINE_H
#define BKSI_ENGINE_H

#include "backstitch/session.h"
#include "rollback/gathering.h"
#include "rollback/kept_states.h"
#include "rollback/known.h"
#include "rollback/progress.h"
#include "rollback/settled.h"
#include "rollback/slots.h"

/// Players and end of a match, known when it starts.
typedef struct bksi_rollback_match {
    uint32_t players;     ///< number of players, 1..players_max
    uint32_t first_local; ///< first of the local players, whose inputs SAMPLE gets
    uint32_t local_count; ///< number of local players
    bks_tick end;         ///< last tick, whose state is still hashed; 0: no end
    uint32_t hash_every;  ///< ticks from one hash to the next
    bool has_others;      ///< true if other peers must agree on the states
} bksi_rollback_match;

/// Work of one update.
typedef struct bksi_schedule {
    uint32_t due_ticks;   ///< number of new ticks to step
    uint32_t delay_ticks; ///< ticks between sampling an input and stepping with it
    /// Save policy `one`: ticks by which the snapshot may be newer than the beginning of the
    /// window. The snapshot is always of a tick whose state no rollback can change.
    uint32_t newer_ticks;
    bool samples_only; ///< the first due tick is sampled without a step, which raises the delay
    uint32_t command_bytes; ///< most bytes of commands that all samples may take from queues
} bksi_schedule;

/// State of the engine. Only the files of rollback use the members; others use the functions below.
typedef struct bksi_rollback {
    bksi_rollback_config config;
    bksi_rollback_match match;
    bks_tick first; ///< first tick of the match
    bksi_known known;
    bksi_slots slots;
    bksi_settled settled;
    bksi_kept_states kept;
    bksi_gathering gathering;
    bksi_progress progress;
    bksi_schedule schedule; ///< work of this update that is left
    bks_look restored;      ///< hash that the kept state to restore must have
    bool is_starved;        ///< a due tick of this update could not be stepped
    /// Ticks that the game may run ahead now: 1 up to the config's window; 0: lockstep.
    uint32_t window_ticks;
} bksi_rollback;

/// Create an engine in zeroed memory, and allocate all memory that it needs.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY; BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (table of votes, see
///         input/votes.h)
bks_status bksi_rollback_create(bksi_rollback *engine, const bksi_rollback_config *config,
                                bks_error *error);
/// Free all memory of the engine. This also works for an engine that is zeroed or was created only
/// in part.
void bksi_rollback_destroy(bksi_rollback *engine);

/// Set the first tick of the match, 0 by default. Call it before the first input.
void bksi_rollback_begin(bksi_rollback *engine, bks_tick first);
/// Start the match. The caller has the state of the match's first tick.
void bksi_rollback_start(bksi_rollback *engine, const bksi_rollback_match *match);

/// End the match at a tick beyond the present. That tick is not stepped, but its state is still
/// hashed.
static inline void bksi_rollback_end_at(bksi_rollback *engine, bks_tick end)
{
    engine->match.end = end;
    bksi_settled_end_at(&engine->settled, end);
}

static inline bool bksi_rollback_has_started(const bksi_rollback *engine)
{
    return engine->match.players > 0;
}

// ---- inputs ----

/// Return true if the tick at a player's head may have this blob, by the rule of admission
/// (input/command_log.h). A tick with any other blob must not be appended.
static inline bool bksi_rollback_admits(const bksi_rollback *engine, uint32_t player,
                                        const bksi_blob *blob)
{
    return bksi_known_admits(&engine->known, player, blob);
}

/// Append a player's known input at its head. A tick stepped with another one is marked as wrong.
/// @param blob  commands for which bksi_rollback_admits() is true; NULL: none
static inline void bksi_rollback_append(bksi_rollback *engine, uint32_t player,
                                        const uint8_t *packed, const bksi_blob *blob)
{
    bksi_known_append(&engine->known, player, packed, blob);
}

/// Return true if the queue of a local player, counted from 0, has room for a command.
/// @param count  1..bytes_max of the config
static inline bool bksi_rollback_has_room_for(const bksi_rollback *engine, uint32_t local,
                                              uint32_t count)
{
    return bksi_command_queue_has_room(&engine->gathering.queues[local], count);
}

/// Get the queue of a local player, counted from 0. A command in it becomes part of the next tick
/// that is sampled and has room for its last byte.
static inline bksi_command_queue *bksi_rollback_queue(bksi_rollback *engine, uint32_t local)
{
    return bksi_gathering_queue(&engine->gathering, local);
}

/// Mark all ticks from `tick` on as wrong, whatever their inputs are.
static inline void bksi_rollback_doubt(bksi_rollback *engine, bks_tick tick)
{
    bksi_known_doubt(&engine->known, tick);
}

/// Return true if there is room for a tick without dropping ticks that may be stepped again.
static inline bool bksi_rollback_has_room(const bksi_rollback *engine, bks_tick tick)
{
    int64_t oldest = (int64_t)engine->progress.front - 2 * (int64_t)engine->config.window_ticks - 2;
    return tick - oldest < (int64_t)engine->config.capacity_ticks;
}

/// Get the inputs of all players at a tick, known or guessed. They must still be held.
void bksi_rollback_inputs(const bksi_rollback *engine, bks_tick tick, uint8_t *packed);

/// Return one past the newest tick whose input of a player is known.
static inline bks_tick bksi_rollback_head(const bksi_rollback *engine, uint32_t player)
{
    return bksi_known_head(&engine->known, player);
}

/// Return true if the known input of a tick below the head is still held. The input before the
/// first tick is neutral.
static inline bool bksi_rollback_holds(const bksi_rollback *engine, uint32_t player, bks_tick tick)
{
    return bksi_known_holds(&engine->known, player, tick);
}

/// Return a known input. It must still be held.
static inline const uint8_t *bksi_rollback_known(const bksi_rollback *engine, uint32_t player,
                                                 bks_tick tick)
{
    return bksi_known_input(&engine->known, player, tick);
}

/// Return true if the game has commands.
static inline bool bksi_rollback_has_commands(const bksi_rollback *engine)
{
    return bksi_command_log_is_on(&engine->known.commands);
}

/// Return the commands of a known tick. They must still be held.
static inline bks_commands bksi_rollback_commands(const bksi_rollback *engine, uint32_t player,
                                                  bks_tick tick)
{
    return bksi_command_log_commands(&engine->known.commands, player, tick);
}

/// Return the blob of a known tick. It must still be held.
static inline bksi_blob bksi_rollback_blob(const bksi_rollback *engine, uint32_t player,
                                           bks_tick tick)
{
    return bksi_command_log_blob(&engine->known.commands, player, tick);
}

/// Return the first tick of the match.
static inline bks_tick bksi_rollback_first(const bksi_rollback *engine)
{
    return engine->first;
}

/// Return the first tick for which an input of any player is not known.
bks_tick bksi_rollback_confirmed(const bksi_rollback *engine);

/// Return for how many ticks inputs and hashes are held.
static inline bks_tick bksi_rollback_capacity(const bksi_rollback *engine)
{
    return (bks_tick)engine->config.capacity_ticks;
}

/// Most ticks that may pass while a tick is held back. The inputs of all of them must still be
/// held, so that they can be stepped again. A recording has room for this many ticks that are not
/// final, in addition to a window.
#define BKSI_HELD_TICKS_MAX 384

// ---- operations ----

/// Begin an update. All operations of the last one must be done.
void bksi_rollback_schedule(bksi_rollback *engine, const bksi_schedule *schedule);
/// Hand out the next operation of the update.
/// @return false when all is done, or a due tick cannot be stepped (bksi_rollback_is_starved())
bool bksi_rollback_next(bksi_rollback *engine, bks_op *op);
/// Report the result of the last operation handed out. result->problem is not NULL if the operation
/// failed.
/// @param result  may be NULL, except for HASH
void bksi_rollback_done(bksi_rollback *engine, const bks_op *op, const bks_op_result *result);
/// Settle the ticks whose states are final now. Call this between two updates.
void bksi_rollback_settle(bksi_rollback *engine);

/// Return the present: one past the newest tick that was stepped.
static inline bks_tick bksi_rollback_front(const bksi_rollback *engine)
{
    return engine->progress.front;
}

/// Return true if a due tick of this update could not be stepped.
static inline bool bksi_rollback_is_starved(const bksi_rollback *engine)
{
    return engine->is_starved;
}

/// Return how many ticks the game may run ahead of confirmed inputs now.
static inline uint32_t bksi_rollback_window(const bksi_rollback *engine)
{
    return engine->window_ticks;
}
/// Change how many ticks the game may run ahead of confirmed inputs.
/// @param ticks  1 up to the config's window, which is not 0
static inline void bksi_rollback_limit(bksi_rollback *engine, uint32_t ticks)
{
    engine->window_ticks = ticks;
}

/// Return true if the window is used up, or if too many ticks have passed while a tick is held
/// back.
bool bksi_rollback_is_blocked(const bksi_rollback *engine);
/// Return true if BKSI_HELD_TICKS_MAX ticks have passed while a tick is held back.
static inline bool bksi_rollback_is_held_up(const bksi_rollback *engine)
{
    const bks_tick held = engine->settled.held;
    return held != BKS_TICK_NONE && engine->progress.front - held >= BKSI_HELD_TICKS_MAX;
}
/// Return true if this update steps another new tick.
bool bksi_rollback_advances(const bksi_rollback *engine);

/// Return true if the state of a tick came from a failed operation and must not be used.
static inline bool bksi_rollback_is_spoilt(const bksi_rollback *engine, bks_tick tick)
{
    return bksi_progress_is_spoilt(&engine->progress, tick);
}

/// Return the packed inputs of the current STEP, players * layout bytes.
static inline const uint8_t *bksi_rollback_step_inputs(const bksi_rollback *engine)
{
    return engine->gathering.step_packed;
}

static inline const bksi_rollback_counts *bksi_rollback_statistics(const bksi_rollback *engine)
{
    return &engine->progress.counts;
}

// ---- snapshots ----

/// With policy `auto`, reduce the number of slots to `count`, but not below 2. Other policies keep
/// their number.
static inline void bksi_rollback_limit_slots(bksi_rollback *engine, uint32_t count)
{
    bksi_slots_limit(&engine->slots, count);
}

/// Set the ticks from one snapshot to the next.
static inline void bksi_rollback_space_slots(bksi_rollback *engine, bks_tick spacing)
{
    bksi_slots_space(&engine->slots, spacing);
}

/// Return the number of slots needed for snapshots that are `spacing` ticks apart.
static inline uint32_t bksi_rollback_slots_needed(const bksi_rollback *engine, bks_tick spacing)
{
    return bksi_slots_needed(&engine->slots, spacing);
}

/// Find the newest snapshot of the ticks from..until. Skip snapshots that were taken before a
/// rollback and count as valid only because the hash of their tick stayed the same.
/// @param tick  receives the snapshot's tick
/// @return the snapshot's slot, -1: there is none
static inline int32_t bksi_rollback_surest(const bksi_rollback *engine, bks_tick from,
                                           bks_tick until, bks_tick *tick)
{
    const int32_t slot = bksi_slots_surest(&engine->slots, from, until);
    *tick = slot >= 0 ? engine->slots.ticks[slot] : *tick;
    return slot;
}

static inline uint32_t bksi_rollback_slots(const bksi_rollback *engine)
{
    return engine->slots.count;
}

/// Return the ticks from one snapshot to the next.
static inline bks_tick bksi_rollback_spacing(const bksi_rollback *engine)
{
    return engine->slots.spacing;
}

// ---- a state on which the peers meet ----

/// Hold back a tick that is not published yet, until the peers agree on its state. The tick's state
/// is kept. Neither the tick nor a later one is published until bksi_rollback_let_go().
void bksi_rollback_hold(bksi_rollback *engine, bks_tick tick);
/// Release the tick that is held back, after the peers agreed on its state or gave up.
/// @param is_agreed  true if the peers agreed; the running hash of published hashes then restarts,
///                   because earlier states may differ
void bksi_rollback_let_go(bksi_rollback *engine, bool is_agreed);
/// Return true if the state of a tick is hashed.
static inline bool bksi_rollback_has_hash(const bksi_rollback *engine, bks_tick tick)
{
    const bks_tick end = engine->match.end;
    return bksi_settled_wants(&engine->settled, tick) && (end == 0 || tick <= end);
}
/// Return the hash of the tick that is held back if that tick is final, so that only the agreement
/// of the peers is missing.
/// @return NULL when the tick is not final yet, or no tick is held back
static inline const bksi_tick_hash *bksi_rollback_waiting(const bksi_rollback *engine)
{
    return bksi_settled_is_waiting(&engine->settled) && !engine->progress.wants_hash
               ? bksi_settled_waiting(&engine->settled)
               : NULL;
}
/// Return the running hash of all published hashes since it was last restarted.
static inline uint64_t bksi_rollback_chain(const bksi_rollback *engine)
{
    return engine->settled.states;
}
/// Return true if the peers meet on the state of `tick` or of an earlier tick.
static inline bool bksi_rollback_meets_before(const bksi_rollback *engine, bks_tick tick)
{
    return engine->kept.met_in != BKS_TICK_NONE && tick >= engine->kept.met_in;
}
/// Return true if the engine can still step from the tick that is held back to the present: the
/// kept state of that tick, and all known inputs from it on, are still held.
bool bksi_rollback_can_restore(const bksi_rollback *engine);
/// Request that the game continues from the kept state of the tick that is held back, which a
/// repair has changed.
/// @param hash  hash that this state must have
void bksi_rollback_restore(bksi_rollback *engine, uint64_t hash);
/// Cancel a restore that has not happened yet.
void bksi_rollback_forget_restore(bksi_rollback *engine);
static inline bool bksi_rollback_is_restoring(const bksi_rollback *engine)
{
    return engine->progress.restore != BKS_TICK_NONE;
}

// ---- kept states ----

static inline uint32_t bksi_rollback_kept_slots(const bksi_rollback *engine)
{
    return bksi_kept_states_slots(&engine->kept);
}

/// Register that all peers agree on the states up to a tick, so these states need not be kept.
static inline void bksi_rollback_agree(bksi_rollback *engine, bks_tick tick)
{
    bksi_kept_states_agree(&engine->kept, tick);
}

/// Return the number of states that were not kept because they did not fit, or that were
/// overwritten before the peers agreed on them.
static inline uint64_t bksi_rollback_lost(const bksi_rollback *engine)
{
    return bksi_kept_states_lost(&engine->kept);
}

/// Find the slot that holds the final state of a tick.
/// @return the slot, BKS_KEEP_NONE: none
static inline uint32_t bksi_rollback_find_kept(const bksi_rollback *engine, bks_tick tick)
{
    const bool is_final = tick <= engine->settled.published ||
                          (tick == engine->settled.held && bksi_rollback_waiting(engine) != NULL);
    return is_final ? bksi_kept_states_find(&engine->kept, tick) : BKS_KEEP_NONE;
}

/// Keep the state of a tick in which a descent searches for a difference, until the descent
/// searches in another tick.
static inline void bksi_rollback_look_at(bksi_rollback *engine, bks_tick tick)
{
    bksi_kept_states_look_at(&engine->kept, tick);
}

/// Mark the kept state of a tick as overwritten.
static inline void bksi_rollback_spoil_kept(bksi_rollback *engine, bks_tick tick)
{
    bksi_kept_states_spoil(&engine->kept, tick);
}

/// Find the oldest settled tick from `from` on whose state is kept.
/// @return the tick, BKS_TICK_NONE: none
static inline bks_tick bksi_rollback_oldest_kept(const bksi_rollback *engine, bks_tick from)
{
    return bksi_kept_states_oldest(&engine->kept, from, engine->settled.published);
}

// ---- settled ticks ----

/// Return the newest tick whose state, and all inputs before it, are final.
static inline bks_tick bksi_rollback_settled(const bksi_rollback *engine)
{
    return engine->settled.tick;
}

/// Return the newest settled tick with a hash, BKS_TICK_NONE: none yet.
static inline bks_tick bksi_rollback_published(const bksi_rollback *engine)
{
    return engine->settled.published;
}

/// Return the published hash of a tick.
/// @return NULL when the tick's hash is not published, does not exist, or is too old
static inline const bksi_tick_hash *bksi_rollback_hash(const bksi_rollback *engine, bks_tick tick)
{
    return bksi_settled_hash(&engine->settled, tick);
}

/// Return the newest published hash.
/// @return NULL when no hash is published, or the hash of a later tick has replaced the published
///         one
static inline const bksi_tick_hash *bksi_rollback_newest_hash(const bksi_rollback *engine)
{
    return bksi_settled_newest(&engine->settled);
}

#endif
