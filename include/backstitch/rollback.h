// SPDX-License-Identifier: MIT

/// @file rollback.h
/// The operations that the owner of a game carries out, one at a time, to go back and forth in it.
/// bks_session_next() hands them out; see session.h.
///
/// Thread rule: plain values, copied.

#ifndef BACKSTITCH_ROLLBACK_H
#define BACKSTITCH_ROLLBACK_H

#include "backstitch/base.h"
#include "backstitch/tuning.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most ranges whose hashes are compared when peers start from different states.
#define BKS_START_RANGES_MAX 120

/// Most snapshot slots a session asks for.
#define BKS_SLOTS_MAX (BKS_WINDOW_MAX + 2)

/// What the owner of the game must do next.
typedef enum bks_op_kind {
    BKS_OP_START =
        0, ///< run `init` with `seed`, `players` and `setup`: the state of tick 0; may allocate
    BKS_OP_SAMPLE = 1,  ///< give the input of local `player` for `tick`
    BKS_OP_SAVE = 2,    ///< keep the state in `slot`
    BKS_OP_LOAD = 3,    ///< bring back the state of `slot`
    BKS_OP_STEP = 4,    ///< step `tick` with `inputs`
    BKS_OP_HASH = 5,    ///< give the hash of the state as it is
    BKS_OP_PREDICT = 6, ///< with custom_prediction alone, before a STEP: guess the input of
                        ///< `player` for `tick`; the state is that tick's, the player's last known
                        ///< input that of `last_tick`
    BKS_OP_RANGES = 7,  ///< peers start from different states: give the hash of each of the first
                        ///< BKS_START_RANGES_MAX `ranges` of the config, or of the state's pages
                        ///< when it has none, in the state of tick 0. Any hash will do that is the
                        ///< same on all peers; no answer (hash_count 0) means that nobody
                        ///< learns in what they differ
} bks_op_kind;

/// One operation. Pointers are valid until bks_session_done().
typedef struct bks_op {
    bks_op_kind kind; ///< what to do
    bks_tick
        tick; ///< SAMPLE, STEP: that tick; SAVE, LOAD, HASH: the tick the state is at the start of
    uint32_t player;       ///< SAMPLE, PREDICT: the seat, 0..players-1
    uint32_t slot;         ///< SAVE, LOAD: 0..bks_session_slots()-1
    const int32_t *inputs; ///< STEP: players * field_count values; PREDICT: field_count values, the
                           ///< player's input of `last_tick`, neutral when that is -1
    const int32_t *guess;  ///< PREDICT: field_count values, as the fields' own predictors guess
    bks_tick last_tick;    ///< PREDICT: newest tick below `tick` whose input is known, -1: none
    uint64_t seed;         ///< START
    uint32_t players;      ///< START: seats of the match
    const void *setup;     ///< START: the host's bytes
    size_t setup_bytes;    ///< START
} bks_op;

/// What came of an operation. Start from {0}.
typedef struct bks_op_result {
    const int32_t *input; ///< SAMPLE, PREDICT: field_count values, clamped to their ranges; NULL is
                          ///< neutral (SAMPLE) or `guess` (PREDICT)
    uint64_t hash;        ///< HASH: states of one hash are taken for one
    uint64_t cost_ns;     ///< how long it took; 0: not measured. Decides where snapshots lie with
                          ///< BKS_SAVE_AUTO, and nothing that peers must agree on
    uint32_t slots;      ///< START: with BKS_SAVE_AUTO, slots that there is room for, from 2 on; 0:
                         ///< for all of bks_session_slots()
    const char *problem; ///< NULL: it is done. Else why it is not, one sentence, copied; the match
                         ///< ends for this peer, BKS_ERR_GAME. START, and what is asked before the
                         ///< match starts: the other side gets it too.
                         ///< STEP, SAVE, HASH, PREDICT: counts once the state is certain, is
                         ///< forgotten when it came of a wrong guess; until then no operation but
                         ///< LOAD and SAMPLE follows. LOAD, SAMPLE: counts at once
    const uint64_t *hashes; ///< RANGES: `hash_count` hashes, read before bks_session_done() returns
    uint32_t hash_count;    ///< RANGES: 0..BKS_START_RANGES_MAX
} bks_op_result;

#ifdef __cplusplus
}
#endif

#endif
