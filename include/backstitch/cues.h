// SPDX-License-Identifier: MIT

/// @file cues.h
/// Things that must happen once, however often a tick is stepped: what the steps of a game asked
/// for by bks_cue(), reported as it becomes true, moves or turns out wrong. A match, a peer and a
/// playback collect cues themselves (bks_match_cue()); a program that carries out a session's
/// operations by itself has a collector of its own:
///
///     bks_cues_begin(cues, op.tick);                  // before the step of BKS_OP_STEP
///     …                                               // in it: bks_cues_ask(), for each cue
///     bks_cues_update(cues, bks_session_tick(session), bks_session_confirmed(session));
///     while (bks_cues_next(cues, &event)) { … }       // once bks_session_next() gave the last
///
/// With BKS_ON_DESYNC_RESYNC a repair may step confirmed ticks again, but none before the newest
/// published one: there pass bks_session_published() instead, and have `ticks` 384 larger.
///
/// Nothing of a collector flows back into the state: a step cannot learn whether there is one.
/// Reported at once, by tick and event: [INVERSUS, Audio Segregation] (docs/sources.md); that a cue
/// moves by a few ticks and is still the same one is our own. Of several of one key as many as
/// possible stay, in the order of their ticks. What the ticks after an update will ask for is not
/// foreseen: of two that moved, one of them out of the update, one may start again.
///
/// Thread rule: a collector belongs to one thread at a time.

#ifndef BACKSTITCH_CUES_H
#define BACKSTITCH_CUES_H

#include "backstitch/game.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most cues of a tick.
#define BKS_CUES_PER_TICK_MAX 1024

/// Most ticks that a collector looks back.
#define BKS_CUES_TICKS_MAX 4096

/// Largest tick of a collector: a year and 49 days at 60 Hz.
#define BKS_CUES_TICK_MAX (INT32_MAX - 1)

/// What became of a cue.
typedef enum bks_cue_event_kind {
    BKS_CUE_STARTED = 0,   ///< it happens. Of BKS_CUE_CONFIRMED and BKS_CUE_SEEN all that comes
    BKS_CUE_CHANGED = 1,   ///< one that was started has another tick or payload
    BKS_CUE_CANCELLED = 2, ///< one that was started did not happen: fade it out
} bks_cue_event_kind;

/// One thing to do. Plain data.
typedef struct bks_cue_event {
    bks_cue_event_kind kind; ///< what became of it
    uint32_t id;             ///< which cue, an index of bks_game.cues
    uint64_t key;            ///< as the step gave it
    bks_tick tick;           ///< whose step asked for it; of CHANGED the new one
    uint32_t late_ticks;     ///< how long ago that was when it became known, 0: it is the newest
    uint64_t serial;         ///< the same for all events of one started cue, never 0
    uint32_t bytes;          ///< of payload, 0..BKS_CUE_BYTES_MAX
    uint8_t payload[BKS_CUE_BYTES_MAX]; ///< as the step gave it, zeros behind it
} bks_cue_event;

/// What a collector needs, copied by bks_cues_create(). Start from {0}.
typedef struct bks_cues_config {
    const bks_game *game; ///< required, with `cues`; must outlive the collector
    uint32_t per_tick;    ///< required, most cues of one tick, 1..BKS_CUES_PER_TICK_MAX. About
                          ///< 300 bytes for each, times `ticks`, are taken at create
    uint32_t ticks;       ///< required, how far back ticks may be stepped again,
                          ///< 1..BKS_CUES_TICKS_MAX: two windows and 16 more. What comes of older
                          ///< ticks counts as lost
    bks_allocator allocator; ///< default malloc and free
} bks_cues_config;

/// A collector. Opaque.
typedef struct bks_cues bks_cues;

/// Create a collector.
/// @param config  copied
/// @param out     receives it, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with bks_cues_destroy().
BKS_API BKS_NODISCARD bks_status bks_cues_create(const bks_cues_config *config, bks_cues **out,
                                                 bks_error *error);

/// Release a collector. NULL is allowed.
BKS_API void bks_cues_destroy(bks_cues *cues);

/// A tick is stepped, for the first time or again: what its last step asked for no longer counts.
/// @param tick  0..BKS_CUES_TICK_MAX; cues of a larger one count as lost
BKS_API void bks_cues_begin(bks_cues *cues, bks_tick tick);

/// What bks_cue() does within a step.
/// @param payload  may be NULL when bytes is 0
/// @return false when it was not taken: a bad argument, or there is no room (logged once), or its
///         tick is before that of bks_cues_reset()
BKS_API bool bks_cues_ask(bks_cues *cues, uint32_t id, uint64_t key, const void *payload,
                          size_t bytes);

/// All steps of an update are done: work out what they changed.
/// @param present    the tick at whose start the state is: those from it on that were stepped are
///                   going to be stepped again
/// @param confirmed  ticks before it are never stepped again
BKS_API void bks_cues_update(bks_cues *cues, bks_tick present, bks_tick confirmed);

/// The match has ended: what was withdrawn is not asked for again, and is cancelled.
BKS_API void bks_cues_end(bks_cues *cues);

/// Begin at a tick, after a seek for instance: no cue of a tick before it is reported, and all that
/// was known is forgotten, events that were not taken too.
/// @param tick  0..BKS_CUES_TICK_MAX, else the nearer end
BKS_API void bks_cues_reset(bks_cues *cues, bks_tick tick);

/// Take the next event, in the order in which they became known.
/// @param event  receives it, not NULL
/// @return false when there is none
BKS_API bool bks_cues_next(bks_cues *cues, bks_cue_event *event);

/// Cues and events that found no room, cues confirmed later than config.ticks, and ticks older than
/// that which were stepped again: what these started may ring on. Those that were withdrawn have
/// room for config.ticks * config.per_tick, too: beyond it the oldest is cancelled at once, and
/// counts. The log names the first.
/// @return how many, 0 for NULL
BKS_API uint64_t bks_cues_lost(const bks_cues *cues);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_CUES_H
