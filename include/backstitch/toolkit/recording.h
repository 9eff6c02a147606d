// SPDX-License-Identifier: MIT

/// @file recording.h
/// Writes a part of a recording as a recording of its own: the minute around a bug, or what is
/// intact of a damaged file. Ticks keep their numbers. Everything is copied as it was recorded:
/// inputs, hashes, facts, keyframes, events, repairs, values, page hashes and rollbacks, and the
/// evidence of a desync (toolkit/recording.h) where the states differ in the part. What was wrong
/// in the whole is wrong in the copy too. No game is needed.
///
///     const bks_replay_copy_config config = {
///         .replay = replay, .from = 3600, .until = 7200,     // a keyframe holds the state of 3600
///         .sink = bks_record_file_sink(&file),
///     };
///     status = bks_replay_copy(&config, NULL, &error);
///
/// Thread rule: a copy belongs to the thread that has its replay.

#ifndef BACKSTITCH_TOOLKIT_RECORDING_H
#define BACKSTITCH_TOOLKIT_RECORDING_H

#include "backstitch/record.h"
#include "backstitch/replay.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Which part is copied, and where it goes. Start from {0}.
typedef struct bks_replay_copy_config {
    bks_replay *replay; ///< required
    bks_tick from;      ///< the first tick of the copy: one that is there and final. If the state
                        ///< holds raw pointers, it must be 0
    bks_tick until;     ///< one past the last tick, above `from`: every tick up to it is there and
                        ///< final (bks_replay_ticks_from()); 0 (default): up to the first that is
                        ///< not
    const void *state;  ///< at the start of `from`, as bks_playback_export() gives it; NULL
                        ///< (default): as in the recording, at its first tick or in a keyframe
    size_t state_bytes; ///< size of state, 1..1 GiB; not read without state
    const uint64_t *final_hash; ///< of the state at the start of `until`; NULL (default): the
                                ///< recorded one where all 64 bits are kept, else none
    bool no_evidence;           ///< leave out the evidence of a desync and the log
    bks_sink sink;              ///< required
    bks_allocator allocator;    ///< default malloc and free
} bks_replay_copy_config;

/// Copy a part of a recording. Where it ends before the recording does, a BKS_REPLAY_CLOSED event
/// says so. Returns when all of it is written.
/// @param config    not NULL
/// @param out_lost  receives the first tick whose values or page hashes the recording has lost to
///                  damage, so that zeros stand in the copy; BKS_TICK_NONE: none. May be NULL: a
///                  log line says so then
/// @param error     may be NULL
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT (config is NULL); BKS_ERR_BAD_CONFIG;
///         BKS_ERR_INCOMPLETE (no state of `from` is in the recording); BKS_ERR_DAMAGED (that state
///         or another part does not unpack); BKS_ERR_UNSUPPORTED (a later `from`, and the state
///         holds raw pointers); BKS_ERR_OUT_OF_MEMORY; BKS_ERR_IO
BKS_API BKS_NODISCARD bks_status bks_replay_copy(const bks_replay_copy_config *config,
                                                 bks_tick *out_lost, bks_error *error);

// What a recording holds of a desync besides its inputs and hashes: the bytes in which two states
// differ, the state itself, where it was made, and a log of what the recording peer did in the
// seconds before. A recording of a match without a desync holds none of it.
//
//     for (uint32_t i = 0; i < bks_replay_info(replay)->evidence_count; i++) {
//         bks_replay_evidence evidence;
//         status = bks_replay_evidence_at(replay, i, &evidence);
//         status = bks_replay_evidence_parts(replay, i, print_part, NULL);
//     }
//     status = bks_replay_log(replay, print_entry, NULL);
//
// Thread rule: a replay belongs to one thread at a time.

/// Most bytes of one evidence, unpacked, and of one part of it.
#define BKS_EVIDENCE_BYTES_MAX 131072

/// What a recording holds of one peer whose state differed.
typedef struct bks_replay_evidence {
    bks_tick tick;       ///< at whose start the states differ: the earliest that could be looked at
    uint32_t peer;       ///< whose state is not ours, 0..255
    uint64_t own_bytes;  ///< size of the recording peer's state; 0: it was not at hand
    uint64_t peer_bytes; ///< size of the other one; 0: not known
    uint64_t bytes;      ///< of the file, this evidence
} bks_replay_evidence;

/// One evidence. There is one for each peer that differed.
/// @param index  0..info->evidence_count-1, in the order in which they were found
/// @param out    receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_evidence_at(const bks_replay *replay, uint32_t index,
                                          bks_replay_evidence *out);

/// Kinds of parts.
typedef enum bks_evidence_kind {
    BKS_EVIDENCE_TEXT = 1,        ///< a sentence for people: what differs, as far as it was named
    BKS_EVIDENCE_ENVIRONMENT = 2, ///< an entry that says on what machine it happened
    BKS_EVIDENCE_BLOCK = 3,       ///< 64 bytes in which the states differ, of both
    BKS_EVIDENCE_STATE = 4,       ///< bytes of the recording peer's state: all of them, or pages
    BKS_EVIDENCE_PAGES = 5,       ///< hashes of the pages of that peer's state at a tick around
} bks_evidence_kind;

/// A part of an evidence. What a kind does not name is zero.
typedef struct bks_evidence_part {
    bks_evidence_kind kind; ///< which of the others it has
    char name[64];          ///< ENVIRONMENT: such as "locale"
    char text[128];         ///< TEXT; ENVIRONMENT: its value
    uint64_t offset_bytes;  ///< BLOCK, STATE: where in the state the bytes stand
    const uint8_t *own;     ///< BLOCK, STATE: of the recording peer. Zeros behind a state's end
    const uint8_t *peer;    ///< BLOCK: of the other one
    size_t count;           ///< BLOCK: 64; STATE: bytes of `own`; PAGES: hashes
    bks_tick tick;          ///< PAGES: at whose start
    const uint8_t *hashes;  ///< PAGES: the lower 4 bytes of each, little-endian, by page
} bks_evidence_part;

/// Visit the parts of an evidence, in the order of the file.
/// @param index    0..info->evidence_count-1
/// @param visit    gets each, valid during the call; false ends it. Not NULL
/// @param context  handed to visit, may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_DAMAGED (what is right of it was visited),
///         BKS_ERR_OUT_OF_MEMORY
BKS_API BKS_NODISCARD bks_status bks_replay_evidence_parts(
    const bks_replay *replay, uint32_t index,
    bool (*visit)(void *context, const bks_evidence_part *part), void *context);

/// What a peer did.
typedef enum bks_entry_kind {
    BKS_ENTRY_UPDATE = 0,   ///< an update began; `tick` is the next to be stepped
    BKS_ENTRY_SAMPLED = 1,  ///< the input of its own player `number` for `tick` was sampled
    BKS_ENTRY_SENT = 2,     ///< a packet of `value` bytes went to peer `number`; `tick` is one past
                            ///< the newest of its own inputs, which packets carry until they came
    BKS_ENTRY_CAME = 3,     ///< a packet of `value` bytes came from peer `number` (255: from none);
                            ///< `tick` is one past the newest input known of that peer
    BKS_ENTRY_INPUTS = 4,   ///< `value` inputs of player `number` became known, from `tick` on
    BKS_ENTRY_WRONG = 5,    ///< player `number` had been predicted wrong: `tick` is the first such
    BKS_ENTRY_ROLLBACK = 6, ///< `tick` is the first wrong one, `value` ticks before the present;
                            ///< player `number` was predicted wrong (255: another reason)
    BKS_ENTRY_LOAD = 7,     ///< the state of `tick` was loaded; `reason` is a bks_load_reason
    BKS_ENTRY_SAVE = 8,     ///< the state of `tick` was saved; `reason` is a bks_save_reason
    BKS_ENTRY_STEP = 9,     ///< `tick` was stepped: `reason` 1: again; `value` has a bit for each
                            ///< player whose input was predicted
    BKS_ENTRY_HASH = 10,    ///< `value` is the lower half of the hash of the state of `tick`;
                            ///< `reason` 1: the state was kept for comparison
    BKS_ENTRY_DELAY = 11,   ///< the input delay is `value` ticks from now on
    BKS_ENTRY_EVENT = 12,   ///< the bks_event_kind `value` was reported of peer `number` and `tick`
} bks_entry_kind;

/// Why a state was loaded.
typedef enum bks_load_reason {
    BKS_LOAD_ROLLBACK = 0, ///< to step again what was predicted wrong
    BKS_LOAD_AS_WAS = 1,   ///< the states came out as before: on with the newest snapshot
    BKS_LOAD_MOVES = 2,    ///< the only snapshot moves on (BKS_SAVE_ONE)
} bks_load_reason;

/// Why a state was saved.
typedef enum bks_save_reason {
    BKS_SAVED_SPACED = 0,  ///< the last snapshot is far enough away
    BKS_SAVED_CERTAIN = 1, ///< it is the newest one that no rollback takes away
    BKS_SAVED_MOVES = 2,   ///< the only snapshot moves on (BKS_SAVE_ONE)
} bks_save_reason;

/// Name of a kind of entry, such as "rollback". Never NULL, never freed.
/// @return the name, "unknown" for any other number
BKS_API const char *bks_entry_kind_name(bks_entry_kind kind);

/// One entry of a log.
typedef struct bks_log_entry {
    bks_entry_kind kind; ///< what happened
    uint64_t time_us;    ///< when, in microseconds since the first update of the running match
    bks_tick tick;       ///< as the kind says; BKS_TICK_NONE: none
    uint32_t number;     ///< as the kind says, 0..255
    uint32_t reason;     ///< as the kind says, 0..255
    uint32_t value;      ///< as the kind says
} bks_log_entry;

/// Visit the log: what the recording peer did in the ten seconds before each desync, or less where
/// much happened. Kinds of later versions are passed over.
/// @param visit    gets each entry, in the order in which they happened; false ends it. Not NULL
/// @param context  handed to visit, may be NULL
/// @return BKS_OK, also when there is none (info->log_count); BKS_ERR_BAD_ARGUMENT;
///         BKS_ERR_DAMAGED (what is right of it was visited); BKS_ERR_OUT_OF_MEMORY
BKS_API BKS_NODISCARD bks_status bks_replay_log(const bks_replay *replay,
                                                bool (*visit)(void *context,
                                                              const bks_log_entry *entry),
                                                void *context);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_RECORDING_H
