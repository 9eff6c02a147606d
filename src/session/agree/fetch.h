// SPDX-License-Identifier: MIT

/// @file fetch.h
/// Repair of our kept state of a tick from a peer's state: every differing block is fetched. Like a
/// descent, a fetch goes from the hashes of large parts down to the bytes of blocks. Unlike a
/// descent, it follows all differing parts, with several questions at once. Only fetch.c changes
/// session_fetch.

#ifndef BKSI_FETCH_H
#define BKSI_FETCH_H

#include "session/agree/retry.h"
#include "session/common/common.h"
#include "wire/compare_message.h"

/// Maximum number of questions that wait for an answer at once.
#define FETCH_ASKED_MAX 16u

/// Maximum number of pages that one answer compares.
#define FETCH_PAGES (BKSI_COMPARE_RUNS_MAX * BKSI_COMPARE_RUN)

/// Number of part sizes above a block: a page, 64 pages, and so on.
#define FETCH_LEVELS (BKSI_COMPARE_SHIFT_MAX / BKSI_COMPARE_RUN_SHIFT)

typedef enum session_fetch_stage {
    FETCH_RESTS = 0,
    FETCH_MEASURES, ///< the owner finds out the size of our state
    FETCH_RESIZES,  ///< the owner resizes our state to the size of the peer's
    FETCH_ASKS,
    FETCH_HAS_ALL, ///< no part differs any more
    FETCH_FAILED,
} session_fetch_stage;

typedef enum session_fetch_step {
    FETCH_IS_FREE = 0,
    FETCH_HASHES_OWN, ///< the owner hashes the parts of our state that the question compares
    FETCH_IS_ASKED,
    FETCH_IS_ANSWERED, ///< the owner writes the blocks of the answer
} session_fetch_step;

/// Question, kept until its answer has come and been used.
typedef struct session_fetch_slot {
    session_fetch_step step;
    bksi_compare_question question;
    session_retry retry;
    bksi_compare_answer answer;
    uint32_t blocks[BKSI_COMPARE_BLOCKS_MAX]; ///< blocks whose bytes the answer holds
    uint32_t block_count;
} session_fetch_slot;

/// Runs of parts of one size, and the parts among them that must still be compared.
typedef struct session_fetch_level {
    uint32_t count;
    uint32_t firsts[BKSI_COMPARE_RUNS_MAX];
    /// By run of 64 parts: bit i is set if part i of the run differs.
    uint64_t differ[BKSI_COMPARE_RUNS_MAX];
} session_fetch_level;

typedef struct session_fetch {
    session_fetch_stage stage;
    bks_tick tick;
    uint32_t peer;
    /// True once the bytes of answers may be written into our kept state. Until then the answers
    /// wait, because the fetch may not be needed.
    bool may_write;
    uint64_t state_bytes;   ///< size of our state; once it is resized, that of the peer's state
    bool is_as_long;        ///< our state has the peer's size
    bool has_written;       ///< blocks of the peer's state were written into our kept state
    uint64_t bytes;         ///< bytes written into our kept state so far
    uint64_t resized_bytes; ///< bytes that resizing adds to `bytes`
    uint64_t heard_ns;      ///< time of the newest answer
    session_fetch_slot slots[FETCH_ASKED_MAX];
    /// Differing parts by their size: pages, 64 pages, and so on.
    session_fetch_level levels[FETCH_LEVELS];
    /// By page of levels[0]: bits of the page's blocks that are still to be fetched.
    uint64_t blocks[FETCH_PAGES];
    bool is_working;  ///< the owner is carrying out an operation of the fetch
    uint32_t working; ///< slot that the operation belongs to

    /// Look-up in our kept state that the owner carries out for the fetch.
    bks_look look;
} session_fetch;

/// Begin to fetch the differing blocks of a tick's kept state from a peer. Blocks of this tick that
/// an earlier fetch wrote stay, and stay counted in `bytes`. Nothing is written before
/// bksi_fetch_take().
void bksi_fetch_begin(session_fetch *fetch, const session_common *common, bks_tick tick,
                      uint32_t peer);
/// Allow writing, because the meeting chose the peer's state. Begin the fetch, or continue the one
/// that bksi_fetch_begin() began.
void bksi_fetch_take(session_fetch *fetch, const session_common *common, bks_tick tick,
                     uint32_t peer);
/// Return true if this peer's state of this tick is being fetched.
static inline bool bksi_fetch_is_of(const session_fetch *fetch, bks_tick tick, uint32_t peer)
{
    return fetch->stage != FETCH_RESTS && fetch->stage != FETCH_FAILED && fetch->tick == tick &&
           fetch->peer == peer;
}
/// Return true if the peer has left our questions unanswered for too long.
bool bksi_fetch_is_silent(const session_fetch *fetch, const session_common *common);
/// Stop fetching a peer's state.
void bksi_fetch_end(session_fetch *fetch);
/// Stop fetching. If something was written into the kept state, mark this state as unusable.
/// @param is_taken  true if the kept state is complete, so it stays usable
void bksi_fetch_drop(session_fetch *fetch, bksi_rollback *engine, bool is_taken);

/// Get the operation that our owner must do next.
/// @return false if no operation is due
bool bksi_fetch_next(session_fetch *fetch, const session_common *common, bks_op *op);
/// Return true if the last operation handed out belongs to the fetch.
static inline bool bksi_fetch_works(const session_fetch *fetch)
{
    return fetch->is_working;
}
void bksi_fetch_done(session_fetch *fetch, const session_common *common, const bks_op *op,
                     const bks_op_result *result);

/// Handle a peer's answer to one of our questions.
void bksi_fetch_heard(session_fetch *fetch, const session_common *common, uint32_t peer,
                      const bksi_compare_answer *answer);

/// Get the peer that must be sent a question now, as a bit; 0: none.
uint32_t bksi_fetch_peers(const session_fetch *fetch, const session_common *common);
void bksi_fetch_write(session_fetch *fetch, const session_common *common, bksi_byte_writer *writer);

#endif
