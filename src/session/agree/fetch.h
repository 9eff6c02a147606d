// SPDX-License-Identifier: MIT

/// @file fetch.h
/// All that our state of a tick differs in from that of a peer is fetched from it, block by block,
/// into the kept state: from the hash of large parts down to the bytes of blocks, as a descent
/// goes, but to every block, and with several questions on their way. fetch.c alone writes this.

#ifndef BKSI_FETCH_H
#define BKSI_FETCH_H

#include "session/agree/retry.h"
#include "session/common/common.h"
#include "wire/compare_message.h"

/// Questions on their way.
#define FETCH_ASKED_MAX 8u

/// Pages of one answer.
#define FETCH_PAGES (BKSI_COMPARE_RUNS_MAX * BKSI_COMPARE_RUN)

/// Parts of one size above a block: pages, 64 pages, and so on.
#define FETCH_LEVELS (BKSI_COMPARE_SHIFT_MAX / BKSI_COMPARE_RUN_SHIFT)

typedef enum session_fetch_stage {
    FETCH_RESTS = 0,
    FETCH_MEASURES, ///< the owner is to say how long our state is
    FETCH_RESIZES,  ///< the owner is to make it as long as the peer's
    FETCH_ASKS,
    FETCH_HAS_ALL, ///< nothing differs any more
    FETCH_FAILED,
} session_fetch_stage;

typedef enum session_fetch_step {
    FETCH_IS_FREE = 0,
    FETCH_HASHES_OWN, ///< the owner is to hash our parts, with which the question goes
    FETCH_IS_ASKED,
    FETCH_IS_ANSWERED, ///< the owner is to write the blocks of the answer
} session_fetch_step;

/// A question, until what was answered is taken.
typedef struct session_fetch_slot {
    session_fetch_step step;
    bksi_compare_question question;
    session_retry retry;
    bksi_compare_answer answer;
    uint32_t blocks[BKSI_COMPARE_BLOCKS_MAX]; ///< of the answer
    uint32_t block_count;
} session_fetch_slot;

/// Runs of parts, and which parts are to be looked at further.
typedef struct session_fetch_level {
    uint32_t count;
    uint32_t firsts[BKSI_COMPARE_RUNS_MAX];
    uint64_t differ[BKSI_COMPARE_RUNS_MAX]; ///< bits, by run
} session_fetch_level;

typedef struct session_fetch {
    session_fetch_stage stage;
    bks_tick tick;
    uint32_t peer;
    bool may_write;         ///< else what comes waits: it may be that nothing is to be fetched
    uint64_t state_bytes;   ///< of our state, once it is as long as the peer's
    bool is_as_long;        ///< it is
    bool has_written;       ///< the kept state is not ours any more
    uint64_t bytes;         ///< written so far
    uint64_t resized_bytes; ///< what making it as long adds to that
    uint64_t heard_ns;      ///< when an answer came last
    session_fetch_slot slots[FETCH_ASKED_MAX];
    session_fetch_level levels[FETCH_LEVELS]; ///< of pages, of 64 pages, ...
    uint64_t blocks[FETCH_PAGES];             ///< bits: blocks to fetch, by page of the first level
    bool is_working;                          ///< the owner does what was handed out last
    uint32_t working;                         ///< the slot whose answer that is about
    bks_look look;                            ///< the same for the owner
} session_fetch;

/// Fetch from a peer what the kept state of a tick differs in. What was written before stays, and
/// is counted on. Nothing is written before bksi_fetch_take().
void bksi_fetch_begin(session_fetch *fetch, const session_common *common, bks_tick tick,
                      uint32_t peer);
/// It is the state of that peer that is to be had: begin, or continue what has begun, and write.
void bksi_fetch_take(session_fetch *fetch, const session_common *common, bks_tick tick,
                     uint32_t peer);
/// Whether that peer's state of that tick is being fetched.
static inline bool bksi_fetch_is_of(const session_fetch *fetch, bks_tick tick, uint32_t peer)
{
    return fetch->stage != FETCH_RESTS && fetch->stage != FETCH_FAILED && fetch->tick == tick &&
           fetch->peer == peer;
}
/// Whether the peer has not answered for long.
bool bksi_fetch_is_silent(const session_fetch *fetch, const session_common *common);
/// Nothing is to be fetched any more.
void bksi_fetch_end(session_fetch *fetch);
/// The same, and what was fetched becomes no state.
/// @param is_taken  it is one already
void bksi_fetch_drop(session_fetch *fetch, bksi_rollback *engine, bool is_taken);

/// What the owner of the state must do next.
/// @return false: nothing
bool bksi_fetch_next(session_fetch *fetch, const session_common *common, bks_op *op);
/// Whether that is what it has done now; then take it.
static inline bool bksi_fetch_works(const session_fetch *fetch)
{
    return fetch->is_working;
}
void bksi_fetch_done(session_fetch *fetch, const session_common *common, const bks_op *op,
                     const bks_op_result *result);

/// A peer answers.
void bksi_fetch_heard(session_fetch *fetch, const session_common *common, uint32_t peer,
                      const bksi_compare_answer *answer);

/// Bit of the peer to which a question is to be sent now, or 0.
uint32_t bksi_fetch_peers(const session_fetch *fetch, const session_common *common);
void bksi_fetch_write(session_fetch *fetch, const session_common *common, bksi_byte_writer *writer);

#endif
