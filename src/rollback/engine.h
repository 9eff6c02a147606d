// SPDX-License-Identifier: MIT

/// @file engine.h
/// A rollback engine without a network. It is given inputs as they become known and ticks as they
/// become due, and says what the owner of a game must do next, one operation at a time:
///
///     bksi_rollback_append(&engine, player, input);            // for each input that came
///     bksi_rollback_schedule(&engine, &(bksi_schedule){.due_ticks = 1});
///     while (bksi_rollback_next(&engine, &op)) {               // SAMPLE, LOAD, PREDICT, STEP, …
///         result = carry_out(&op);
///         bksi_rollback_done(&engine, &op, &result);
///     }
///     bksi_rollback_settle(&engine);
///
/// Each player's inputs are known up to the head of its timeline and predicted beyond it. An input
/// that is not as it was predicted makes its tick wrong: the next string of operations loads a
/// snapshot from before it and steps to the present again, until the states are equal again. Ticks
/// before the least head are confirmed; once stepped with that they are settled, and their hashes
/// published.
///
/// It knows no clock, no peers and no game, and allocates nothing once created.
///
/// Source: Ben Hunter, "Rollback Networking in INVERSUS": Input Prediction, Rolling State Buffers,
/// Network Starvation, Desync Detection.

#ifndef BKSI_ENGINE_H
#define BKSI_ENGINE_H

#include "backstitch/session.h"
#include "rollback/gathering.h"
#include "rollback/kept.h"
#include "rollback/known.h"
#include "rollback/progress.h"
#include "rollback/settled.h"
#include "rollback/slots.h"

/// Whose inputs there are, known when the match starts.
typedef struct bksi_rollback_match {
    uint32_t players;     ///< 1..players_max
    uint32_t first_local; ///< those to sample: from this player on
    uint32_t local_count; ///< of `local`
    bks_tick end;         ///< the last state is that of this tick; 0: no end
    uint32_t hash_every;  ///< ticks from one hash to the next
    bool has_others;      ///< to agree with on the states
} bksi_rollback_match;

/// What is due in one update.
typedef struct bksi_schedule {
    uint32_t due_ticks;   ///< new ticks to step
    uint32_t delay_ticks; ///< between sampling an input and stepping with it
    bool samples_only;    ///< the first due tick raises the delay: a sample without a step
} bksi_schedule;

/// Written and read by this room alone. Others ask by the functions below.
typedef struct bksi_rollback {
    bksi_rollback_config config;
    bksi_rollback_match match;
    bks_tick first; ///< tick of the match
    bksi_known known;
    bksi_slots slots;
    bksi_settled settled;
    bksi_kept kept;
    bksi_gathering gathering;
    bksi_progress progress;
    bksi_schedule schedule; ///< what is left of it
    bks_look restored;      ///< what the kept state to continue from must be
    bool is_starved;        ///< a due tick of this update could not be stepped
    uint32_t window_ticks;  ///< as it is now: 1 up to the config's, or both 0
} bksi_rollback;

/// All memory is taken here. The engine's own must be zero.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY; BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (the votes)
bks_status bksi_rollback_create(bksi_rollback *engine, const bksi_rollback_config *config,
                                bks_error *error);
/// One that was never created, or only in part, is fine.
void bksi_rollback_destroy(bksi_rollback *engine);

/// The match begins with this tick; 0 otherwise. Before the first input.
void bksi_rollback_begin(bksi_rollback *engine, bks_tick first);
/// The match begins: the owner has the state of its first tick.
void bksi_rollback_start(bksi_rollback *engine, const bksi_rollback_match *match);

/// The match ends before this tick, which lies beyond the present: its state is still to be hashed.
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

/// The input of a player at its head is known. If its tick was stepped with another, it is wrong.
static inline void bksi_rollback_append(bksi_rollback *engine, uint32_t player,
                                        const uint8_t *packed)
{
    bksi_known_append(&engine->known, player, packed);
}

/// What was stepped from this tick on is not to stay, whatever the inputs say.
static inline void bksi_rollback_doubt(bksi_rollback *engine, bks_tick tick)
{
    bksi_known_doubt(&engine->known, tick);
}

/// Whether there is room for the input of a tick while all that may still be resimulated stays.
static inline bool bksi_rollback_has_room(const bksi_rollback *engine, bks_tick tick)
{
    int64_t oldest = (int64_t)engine->progress.front - 2 * (int64_t)engine->config.window_ticks - 2;
    return tick - oldest < (int64_t)engine->config.capacity_ticks;
}

/// The inputs of a tick of all players, known or guessed; none may be too old.
void bksi_rollback_inputs(const bksi_rollback *engine, bks_tick tick, uint8_t *packed);

/// One past the newest tick whose input of a player is known.
static inline bks_tick bksi_rollback_head(const bksi_rollback *engine, uint32_t player)
{
    return bksi_known_head(&engine->known, player);
}

/// Whether the known input of a tick below the head is still here; that of the tick before the
/// first is neutral.
static inline bool bksi_rollback_holds(const bksi_rollback *engine, uint32_t player, bks_tick tick)
{
    return bksi_known_holds(&engine->known, player, tick);
}

/// It, where it is here.
static inline const uint8_t *bksi_rollback_known(const bksi_rollback *engine, uint32_t player,
                                                 bks_tick tick)
{
    return bksi_known_input(&engine->known, player, tick);
}

/// The first tick of the match.
static inline bks_tick bksi_rollback_first(const bksi_rollback *engine)
{
    return engine->first;
}

/// Ticks before this one have known inputs of every player.
bks_tick bksi_rollback_confirmed(const bksi_rollback *engine);

/// How many ticks of inputs and hashes are kept.
static inline bks_tick bksi_rollback_capacity(const bksi_rollback *engine)
{
    return (bks_tick)engine->config.capacity_ticks;
}

/// Ticks that may pass while one is held back, at most: their inputs must still be there to step
/// them again, and a recording has room for this many that are not final, beside a window.
#define BKSI_HELD_TICKS_MAX 384

// ---- operations ----

/// Begin an update. All operations of the last one are done.
void bksi_rollback_schedule(bksi_rollback *engine, const bksi_schedule *schedule);
/// @return false when all is done, or a due tick cannot be stepped (bksi_rollback_is_starved())
bool bksi_rollback_next(bksi_rollback *engine, bks_op *op);
/// What bksi_rollback_next() handed out last was carried out, or failed: result->problem.
/// @param result  may be NULL, but for HASH
void bksi_rollback_done(bksi_rollback *engine, const bks_op *op, const bks_op_result *result);
/// Between two updates: take what has become certain for settled.
void bksi_rollback_settle(bksi_rollback *engine);

/// The present: one past the newest tick that was stepped.
static inline bks_tick bksi_rollback_front(const bksi_rollback *engine)
{
    return engine->progress.front;
}

/// Whether a due tick of this update could not be stepped.
static inline bool bksi_rollback_is_starved(const bksi_rollback *engine)
{
    return engine->is_starved;
}

/// How far the game may run ahead now: memory is for the config's window.
static inline uint32_t bksi_rollback_window(const bksi_rollback *engine)
{
    return engine->window_ticks;
}
/// Let it run less far ahead from now on, or as far as the config says again.
/// @param ticks  1 up to the config's window, which is not 0
static inline void bksi_rollback_limit(bksi_rollback *engine, uint32_t ticks)
{
    engine->window_ticks = ticks;
}

/// Whether the window is used up, or as many ticks have passed as may while one is held back.
bool bksi_rollback_is_blocked(const bksi_rollback *engine);
/// Whether as many ticks have passed as may while one is held back.
static inline bool bksi_rollback_is_held_up(const bksi_rollback *engine)
{
    const bks_tick held = engine->settled.held;
    return held != BKS_TICK_NONE && engine->progress.front - held >= BKSI_HELD_TICKS_MAX;
}
/// Whether this update steps another new tick.
bool bksi_rollback_advances(const bksi_rollback *engine);

/// Whether the state of a tick came of what failed: it must not be used.
static inline bool bksi_rollback_is_spoilt(const bksi_rollback *engine, bks_tick tick)
{
    return bksi_progress_is_spoilt(&engine->progress, tick);
}

/// What the STEP at hand is stepped with: players * layout bytes.
static inline const uint8_t *bksi_rollback_step_inputs(const bksi_rollback *engine)
{
    return engine->gathering.step_packed;
}

static inline const bksi_rollback_counts *bksi_rollback_statistics(const bksi_rollback *engine)
{
    return &engine->progress.counts;
}

// ---- snapshots ----

/// There is room for no more slots than this; with policy `auto` fewer are enough, from 2 on.
static inline void bksi_rollback_limit_slots(bksi_rollback *engine, uint32_t count)
{
    bksi_slots_limit(&engine->slots, count);
}

/// The ticks from one snapshot to the next, from now on.
static inline void bksi_rollback_space_slots(bksi_rollback *engine, bks_tick spacing)
{
    bksi_slots_space(&engine->slots, spacing);
}

/// Slots that snapshots so far apart need.
static inline uint32_t bksi_rollback_slots_needed(const bksi_rollback *engine, bks_tick spacing)
{
    return bksi_slots_needed(&engine->slots, spacing);
}

/// The newest snapshot of from..until that is true by more than its hash.
/// @param tick  receives its tick
/// @return its slot, -1: there is none
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

/// Ticks from one snapshot to the next.
static inline bks_tick bksi_rollback_spacing(const bksi_rollback *engine)
{
    return engine->slots.spacing;
}

// ---- a state that the peers meet in ----

/// The peers are to agree on the state of this tick, which is not published yet: until it is let go
/// neither it nor a later one is, and it is kept.
void bksi_rollback_hold(bksi_rollback *engine, bks_tick tick);
/// Its state is what it is to be, or there is no agreement.
/// @param is_agreed  the states before it do not count any more
void bksi_rollback_let_go(bksi_rollback *engine, bool is_agreed);
/// Whether the state of a tick is hashed.
static inline bool bksi_rollback_has_hash(const bksi_rollback *engine, bks_tick tick)
{
    const bks_tick end = engine->match.end;
    return bksi_settled_wants(&engine->settled, tick) && (end == 0 || tick <= end);
}
/// The hash of the tick that is held, once it is final but for the agreement.
/// @return NULL when it is not, or none is held
static inline const bksi_tick_hash *bksi_rollback_waiting(const bksi_rollback *engine)
{
    return bksi_settled_is_waiting(&engine->settled) && !engine->progress.wants_hash
               ? bksi_settled_waiting(&engine->settled)
               : NULL;
}
/// The chain over the hashes of all states that are published, since it began anew.
static inline uint64_t bksi_rollback_chain(const bksi_rollback *engine)
{
    return engine->settled.states;
}
/// Whether the newest tick to agree on is this one, or lies before it.
static inline bool bksi_rollback_meets_before(const bksi_rollback *engine, bks_tick tick)
{
    return engine->kept.met_in != BKS_TICK_NONE && tick >= engine->kept.met_in;
}
/// Whether it can still be stepped from there to the present.
bool bksi_rollback_can_restore(const bksi_rollback *engine);
/// Its kept state was changed: the game continues from it.
void bksi_rollback_restore(bksi_rollback *engine, uint64_t hash);
/// It is not to be taken any more.
void bksi_rollback_forget_restore(bksi_rollback *engine);
static inline bool bksi_rollback_is_restoring(const bksi_rollback *engine)
{
    return engine->progress.restore != BKS_TICK_NONE;
}

// ---- kept states ----

static inline uint32_t bksi_rollback_kept_slots(const bksi_rollback *engine)
{
    return bksi_kept_slots(&engine->kept);
}

/// All peers agree on the states up to this tick: they need not be kept.
static inline void bksi_rollback_agree(bksi_rollback *engine, bks_tick tick)
{
    bksi_kept_agree(&engine->kept, tick);
}

/// States of ticks not yet agreed on that did not fit, or no longer.
static inline uint64_t bksi_rollback_lost(const bksi_rollback *engine)
{
    return bksi_kept_lost(&engine->kept);
}

/// The slot that holds the final state of a tick.
/// @return the slot, BKS_KEEP_NONE: none
static inline uint32_t bksi_rollback_find_kept(const bksi_rollback *engine, bks_tick tick)
{
    const bool is_final = tick <= engine->settled.published ||
                          (tick == engine->settled.held && bksi_rollback_waiting(engine) != NULL);
    return is_final ? bksi_kept_find(&engine->kept, tick) : BKS_KEEP_NONE;
}

/// The state of this tick is being looked at: it stays until another one is.
static inline void bksi_rollback_look_at(bksi_rollback *engine, bks_tick tick)
{
    bksi_kept_look_at(&engine->kept, tick);
}

/// What is kept of a tick is its state no more.
static inline void bksi_rollback_spoil_kept(bksi_rollback *engine, bks_tick tick)
{
    bksi_kept_spoil(&engine->kept, tick);
}

/// The oldest settled tick from one on whose state is kept.
/// @return the tick, BKS_TICK_NONE: none
static inline bks_tick bksi_rollback_oldest_kept(const bksi_rollback *engine, bks_tick from)
{
    return bksi_kept_oldest(&engine->kept, from, engine->settled.published);
}

// ---- what is settled ----

/// The state at the start of this tick and all inputs before it are final.
static inline bks_tick bksi_rollback_settled(const bksi_rollback *engine)
{
    return engine->settled.tick;
}

/// The newest settled tick with a hash, BKS_TICK_NONE: none yet.
static inline bks_tick bksi_rollback_published(const bksi_rollback *engine)
{
    return engine->settled.published;
}

/// The published hash of a tick.
/// @return NULL when it is not published, has none, or is too old
static inline const bksi_tick_hash *bksi_rollback_hash(const bksi_rollback *engine, bks_tick tick)
{
    return bksi_settled_hash(&engine->settled, tick);
}

/// The newest published hash.
/// @return NULL when there is none, or a later tick's, soon to be published, lies in its place
static inline const bksi_tick_hash *bksi_rollback_newest_hash(const bksi_rollback *engine)
{
    return bksi_settled_newest(&engine->settled);
}

#endif
