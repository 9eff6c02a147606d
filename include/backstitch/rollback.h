// SPDX-License-Identifier: MIT

/// @file rollback.h
/// The operations by which a session rolls a game back and advances it. bks_session_next() hands
/// them out one at a time, and the program that owns the game carries them out; see session.h.
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

/// Most slots for kept states that a session asks for.
#define BKS_KEPT_SLOTS_MAX (BKS_KEEP_TICKS_MAX + 3)

/// Not to be kept.
#define BKS_KEEP_NONE 0xFFFFFFFFu

/// What the program that owns the game must do next.
typedef enum bks_op_kind {
    BKS_OP_START = 0,   ///< make the state of the match's first tick, `tick`, from `seed`,
                        ///< `players` and `setup`; may allocate
    BKS_OP_SAMPLE = 1,  ///< give the input of local `player` for `tick`
    BKS_OP_SAVE = 2,    ///< copy the state into snapshot slot `slot`
    BKS_OP_LOAD = 3,    ///< restore the state from snapshot slot `slot`
    BKS_OP_STEP = 4,    ///< step `tick` with `inputs`
    BKS_OP_HASH = 5,    ///< give the hash of the present state, and unless `keep` is BKS_KEEP_NONE
                        ///< keep a copy of it in slot `keep` of those for kept states
    BKS_OP_PREDICT = 6, ///< only with custom_prediction, before a STEP: guess the input of
                        ///< `player` for `tick`. The state is at the start of `tick`; the newest
                        ///< known input of the player is that of `last_tick`
    BKS_OP_RANGES = 7, ///< the peers' states of the first tick differ: give the hash of each of the
                       ///< first BKS_START_RANGES_MAX `ranges` of the config, or if it has none of
                       ///< as many pieces of the state. Any pieces and any hash function will do,
                       ///< the same on all peers; docs/spec/wire.md has those of bks_peer.
                       ///< With hash_count 0 no player reads where the states differ
    BKS_OP_PARTS = 8,  ///< our state and that of a peer differ: give the hashes of parts of the
                       ///< state in slot `keep` of those for kept states. Parts have 64 << `shift`
                       ///< bytes; for each of `count` runs give those of 64 parts from
                       ///< `firsts` on, 0 behind the end. Any hash function will do, the same on
                       ///< all peers. With count 0 only state_bytes is wanted
    BKS_OP_READ = 9,   ///< likewise: give the 64 bytes of each block of 64 that `firsts` names,
                       ///< zeros behind the end of the state
    BKS_OP_NAME = 10,  ///< say what the state in slot `keep` and that of peer `player` differ in,
                       ///< which is as ours, but for `bytes` in the blocks that `firsts` names and
                       ///< for its end. Without a name players read where the bytes lie
    BKS_OP_WRITE = 11, ///< only with BKS_ON_DESYNC_RESYNC: change the state in slot `keep` to
                       ///< `state_bytes` bytes, new ones zero, and the blocks that `firsts` names
                       ///< to `bytes`. No other slot changes. With count 0 only its size changes
    BKS_OP_RESTORE = 12, ///< likewise: make the state in slot `keep` the present one, as LOAD does.
                         ///< Parts of it came from another peer, so it may be no state at all
    BKS_OP_CHECK = 13, ///< likewise: say whether the state in slot `keep`, which is our own, is one
                       ///< that the game would take from a peer
} bks_op_kind;

/// What of a kept state is to be looked at.
typedef struct bks_look {
    uint32_t shift;         ///< PARTS: 0, 6, 12, 18 or 24
    uint32_t count;         ///< of `firsts`. PARTS: runs, 0..4; READ, NAME: blocks, 1..12; WRITE:
                            ///< blocks, 0..12
    const uint32_t *firsts; ///< rising. PARTS: the first part of each run, a multiple of 64; READ,
                            ///< NAME, WRITE: blocks
    const uint8_t *bytes;   ///< NAME, WRITE: count * 64 bytes of the peer's state, zeros behind its
                            ///< end
    uint64_t state_bytes;   ///< NAME, WRITE: size of the peer's state, at least 1; may be anything
    uint64_t hash;          ///< RESTORE: the state must have this one
} bks_look;

/// One operation. Pointers are valid until bks_session_done().
typedef struct bks_op {
    bks_op_kind kind;      ///< what to do
    bks_tick tick;         ///< SAMPLE, STEP, PREDICT: the tick of the inputs; others: the tick at
                           ///< whose start the state is
    uint32_t player;       ///< SAMPLE, PREDICT: the seat, 0..players-1; NAME: the peer
    uint32_t slot;         ///< SAVE, LOAD: 0..bks_session_slots()-1
    uint32_t keep;         ///< HASH: 0..bks_session_kept_slots()-1; BKS_KEEP_NONE. PARTS and all
                           ///< that follow: likewise, a slot that the last HASH of `tick` filled
    const int32_t *inputs; ///< STEP: players * field_count values; PREDICT: field_count values, the
                           ///< player's input of `last_tick`, or neutral if that is -1
    const int32_t *guess;  ///< PREDICT: field_count values, the guess of the fields' predictors
    bks_tick last_tick;    ///< PREDICT: newest tick before `tick` whose input is known, -1: none
    uint64_t seed;         ///< START: the host's seed
    uint32_t players;      ///< START: seats of the match
    const void *setup;     ///< START: the host's setup bytes
    size_t setup_bytes;    ///< START: size of setup
    const bks_look *look;  ///< PARTS and all that follow: what is to be looked at, or written
} bks_op;

/// The result of an operation. Start from {0}.
typedef struct bks_op_result {
    const int32_t *input; ///< SAMPLE, PREDICT: field_count values, which the session clamps to
                          ///< their ranges; NULL stands for neutral (SAMPLE) or `guess` (PREDICT)
    uint64_t hash;        ///< HASH: states with equal hashes count as equal
    bool is_kept;         ///< HASH: the state is in slot `keep`; false: it was not kept, or there
                          ///< is no room for it, which counts in bks_stats.kept_lost
    uint64_t cost_ns;     ///< how long the operation took; 0: not measured. BKS_SAVE_AUTO and the
                          ///< budget use it; peers need not agree on it
    uint32_t slots; ///< START: with BKS_SAVE_AUTO, how many snapshot slots there is memory for,
                    ///< 2 or more; 0: for all of bks_session_slots()
    const char *problem; ///< NULL: the operation succeeded. Otherwise one sentence that says why it
                         ///< failed, copied; the match ends for this peer with BKS_ERR_GAME. A
                         ///< failure of STEP, SAVE, HASH or PREDICT counts once the state it
                         ///< happened on is certain, and is forgotten if that state came from a
                         ///< wrong guess; until then only LOAD and SAMPLE follow. A failure of any
                         ///< other operation counts at once. Before the match starts the host, or
                         ///< the guest, reads the sentence too
    const uint64_t *hashes; ///< RANGES: `hash_count` hashes, read before bks_session_done() returns
    uint32_t hash_count;    ///< RANGES: 0..BKS_START_RANGES_MAX
    uint64_t state_bytes;   ///< PARTS, READ: size of the state; 0: it cannot be looked at. WRITE:
                            ///< likewise, 0: it could not be written. RESTORE: likewise; 0: what is
                            ///< in the slot has not that hash, and the state is as it was. CHECK:
                            ///< likewise; 0: the game would not take it
    const uint32_t *parts;  ///< PARTS: look->count * 64 hashes, read before bks_session_done()
                            ///< returns, as all that follow
    const uint8_t *bytes;   ///< READ: look->count * 64 bytes
    bool is_same;           ///< NAME: nothing differs: the peer's bytes are ours
    const char *object;     ///< NAME: of what differs, such as "shots[3]"; NULL: there is no name
    const char *field;      ///< NAME: of what differs in it, such as "x"; NULL: likewise
    const char *own_value;  ///< NAME: what our state holds there, as text; may be NULL
    const char *peer_value; ///< NAME: what the peer's does; may be NULL
    uint64_t offset_bytes;  ///< NAME: of its first byte from the state's start
} bks_op_result;

#ifdef __cplusplus
}
#endif

#endif
