// SPDX-License-Identifier: MIT

/// @file toolkit/recording.h
/// Recordings in depth: copying a part of one, the evidence of a desync, all that a recording keeps
/// beside inputs and hashes, and two of them compared. replay.h reads and plays what a game needs.
///
/// Thread rule: as the replay or playback that is given.

#ifndef BACKSTITCH_TOOLKIT_RECORDING_H
#define BACKSTITCH_TOOLKIT_RECORDING_H

#include "backstitch/record.h"
#include "backstitch/replay.h"

#ifdef __cplusplus
extern "C" {
#endif

// Copies of a part of a recording: the minute around a bug, or what is intact of a damaged file.
// Ticks keep their numbers. Everything is copied as it was recorded: inputs, hashes, facts,
// keyframes, events, repairs, values, page hashes and rollbacks, and the evidence of a desync where
// the states differ in the part. What was wrong in the whole is wrong in the copy too. No game is
// needed.
//
//     const bks_replay_copy_config config = {
//         .replay = replay, .from = 3600, .until = 7200,     // a keyframe holds the state of 3600
//         .sink = bks_record_file_sink(&file),
//     };
//     status = bks_replay_copy(&config, NULL, &error);
//
// Thread rule: a copy belongs to the thread that has its replay.

/// Part to copy, and its destination. Start from {0}.
typedef struct bks_replay_copy_config {
    bks_replay *replay; ///< required
    bks_tick from;      ///< the first tick of the copy: one that is there and final. If the state
                        ///< holds raw pointers, it must be 0
    bks_tick until;     ///< one past the last tick, above `from`: every tick up to it is there and
                        ///< final (bks_replay_ticks_from()); 0 (default): up to the first that is
                        ///< not
    const void *state;  ///< state at the start of `from`, as bks_playback_export() gives it; NULL
                        ///< (default): as in the recording, at its first tick or in a keyframe
    size_t state_bytes; ///< size of state, 1..1 GiB; not read without state
    const uint64_t *final_hash; ///< hash of the state at the start of `until`; NULL (default): the
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
BKS_NODISCARD bks_status bks_replay_copy(const bks_replay_copy_config *config, bks_tick *out_lost,
                                         bks_error *error);

// Evidence of a desync in a recording: the bytes in which two states differ, the state itself,
// where it was made, and a log of what the recording peer did in the seconds before. A recording of
// a match without a desync holds none of it.
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

/// Evidence about one peer whose state differed.
typedef struct bks_replay_evidence {
    bks_tick tick;       ///< tick at whose start the states differ: the earliest that could be
                         ///< looked at
    uint32_t peer;       ///< peer whose state is not ours, 0..255
    uint64_t own_bytes;  ///< size of the recording peer's state; 0: it was not at hand
    uint64_t peer_bytes; ///< size of the other one; 0: not known
    uint64_t bytes;      ///< bytes of this evidence in the file
} bks_replay_evidence;

/// Get one evidence. There is one for each peer that differed.
/// @param index  0..info->evidence_count-1, in the order in which they were found
/// @param out    receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_evidence_at(const bks_replay *replay, uint32_t index,
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
    bks_evidence_kind kind; ///< kind, which says which of the members below it has
    char name[64];          ///< ENVIRONMENT: such as "locale"
    char text[128];         ///< TEXT; ENVIRONMENT: its value
    uint64_t offset_bytes;  ///< BLOCK, STATE: offset of the bytes in the state
    const uint8_t *own;     ///< BLOCK, STATE: of the recording peer. Zeros after a state's end
    const uint8_t *peer;    ///< BLOCK: of the other one
    size_t count;           ///< BLOCK: 64; STATE: bytes of `own`; PAGES: hashes
    bks_tick tick;          ///< PAGES: tick at whose start the hashes are
    const uint8_t *hashes;  ///< PAGES: the lower 4 bytes of each, little-endian, by page
} bks_evidence_part;

/// Visit the parts of an evidence, in the order of the file.
/// @param index    0..info->evidence_count-1
/// @param visit    gets each, valid during the call; false ends it. Not NULL
/// @param context  handed to visit, may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_DAMAGED (what is right of it was visited),
///         BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_replay_evidence_parts(const bks_replay *replay, uint32_t index,
                                                   bool (*visit)(void *context,
                                                                 const bks_evidence_part *part),
                                                   void *context);

/// Kinds of entry in the log of a match.
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
    BKS_SAVED_CERTAIN = 1, ///< the snapshot is the newest one that no rollback takes away
    BKS_SAVED_MOVES = 2,   ///< the only snapshot moves on (BKS_SAVE_ONE)
} bks_save_reason;

/// Get the name of a kind of entry, such as "rollback". Never NULL, never freed.
/// @return the name, "unknown" for any other number
const char *bks_entry_kind_name(bks_entry_kind kind);

/// One entry of a log.
typedef struct bks_log_entry {
    bks_entry_kind kind; ///< kind of entry
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
BKS_NODISCARD bks_status bks_replay_log(const bks_replay *replay,
                                        bool (*visit)(void *context, const bks_log_entry *entry),
                                        void *context);

// Everything that a recording keeps, to be read. replay.h opens and closes it.
//
// Thread rule: a replay belongs to one thread at a time.

/// Range of a growing file that a latecomer needs: from the newest whole keyframe on, not all of
/// it. Ask for one range after the other:
///
///     bks_replay_range want;
///     while (bks_replay_plan(pieces, count, &want, &error) == BKS_ERR_INCOMPLETE)
///         fetch(want.offset_bytes, want.count);        // add it as a piece, or extend one
///     fetch(want.offset_bytes, everything);            // the last piece
///     bks_replay_open_growing(pieces, count, …);       // the records from there
typedef struct bks_replay_range {
    uint64_t offset_bytes; ///< offset where it begins
    uint64_t count;        ///< size of the range, 0: all bytes that there are
} bks_replay_range;

/// Find out what to fetch next.
/// @param pieces  pieces that are there so far, each beginning after the one before; they may
///                overlap
/// @param count   0..BKS_REPLAY_PIECES_MAX
/// @param out     receives what is wanted, not NULL; after BKS_OK where the last piece must begin,
///                0 when that is the whole file
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_INCOMPLETE (fetch `out`, anew when it was there: it was being written),
///         BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (also for files of version 1), BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_replay_plan(const bks_replay_piece *pieces, uint32_t count,
                                         bks_replay_range *out, bks_error *error);

/// Unpack all inputs and hashes once: right checks do not prove that the content makes sense.
/// Content that does not counts as lost from now on, like damage. A file of version 1 was unpacked
/// when opened.
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (as bks_replay_open()),
///         BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_check(bks_replay *replay, bks_error *error);

/// Ticks that are there without a gap. Damage leaves gaps between them.
typedef struct bks_replay_ticks {
    bks_tick first;     ///< the first
    bks_tick confirmed; ///< one past the last final tick; `first` when none is
    bks_tick end;       ///< one past the last tick
} bks_replay_ticks;

/// Count the ticks that are there from one on, up to the next gap: all ticks of a recording that
/// may be damaged, and none that is lost.
///
///     bks_replay_ticks ticks = {0};
///     while (bks_replay_ticks_from(replay, ticks.end, &ticks) == BKS_OK) {
///         for (bks_tick tick = ticks.first; tick < ticks.end; tick++) {
///             status = bks_replay_inputs(replay, tick, values);
///         }
///     }
///
/// Unpacking may find further damage, unless bks_replay_check() did.
/// @param tick  0 or above; out->first is this tick, or a later one where it is lost
/// @param out   receives them, not NULL; untouched on failure
/// @return BKS_OK; BKS_OVER when no tick is there from this one on; BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_replay_ticks_from(const bks_replay *replay, bks_tick tick,
                                               bks_replay_ticks *out);

/// A damaged part of a file.
typedef struct bks_replay_lost {
    uint64_t offset_bytes; ///< offset where it begins
    uint64_t bytes;        ///< bytes up to the next sound record
    bks_tick first;        ///< the first tick that cannot be read for it
    bks_tick ticks;        ///< number of lost ticks, 0 when none was lost
} bks_replay_lost;

/// Get one damaged part.
/// @param index  0..info->lost_count-1, in the order of the file
/// @param out    receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_lost_at(const bks_replay *replay, uint32_t index, bks_replay_lost *out);

/// Unpack a keyframe and those it is encoded against, 16 at most.
/// @param index     0..info->keyframes-1
/// @param out       receives state_bytes bytes, not NULL
/// @param capacity  at least the state_bytes of the keyframe and of all it is encoded against
/// @param error     may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED
BKS_NODISCARD bks_status bks_replay_keyframe_state(const bks_replay *replay, uint32_t index,
                                                   void *out, size_t capacity, bks_error *error);

/// Get one repair.
/// @param index  0..info->repair_count-1, in the order in which they were written
/// @param out    receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_repair_at(const bks_replay *replay, uint32_t index, bks_replay_repair *out);

/// Return true if the state at the start of a tick was recorded before the recording peer was
/// repaired: it may not be what the others had.
/// @return true from the `since` of such a repair up to the tick before its `until`; false for NULL
bool bks_replay_is_repaired(const bks_replay *replay, bks_tick tick);

/// Get the right hash of the state at the start of such a tick, as the peers agreed on it.
/// @param out_hash  receives it, not NULL; untouched on failure
/// @return BKS_OK; BKS_ERR_INCOMPLETE (the recording does not know it, or bks_replay_is_repaired()
///         is false); BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_replay_agreed_hash(const bks_replay *replay, bks_tick tick,
                                                uint64_t *out_hash);

/// A rollback of the peer that recorded.
typedef struct bks_replay_rollback {
    bks_tick present; ///< the tick at whose start the game stood
    bks_tick from;    ///< the first tick that had been stepped with a wrong guess
} bks_replay_rollback;

/// Get one rollback.
/// @param index  0..info->rollback_count-1, in the order in which they happened
/// @param out    receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_rollback_at(const bks_replay *replay, uint32_t index,
                                  bks_replay_rollback *out);

/// Get the inputs with which a tick had been stepped before a rollback.
/// @param index   0..info->rollback_count-1
/// @param tick    its from..present-1
/// @param values  receives players * field_count values
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_rollback_inputs(const bks_replay *replay, uint32_t index, bks_tick tick,
                                      int32_t *values);

/// Get the contents of a recorded range of the state at the start of a tick.
/// @param range     number of a range of info->ranges that is recorded
/// @param out       receives its count elements
/// @param capacity  bytes there is room for
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL, BKS_ERR_INCOMPLETE (nothing is recorded
///         of this tick), BKS_ERR_DAMAGED, BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_replay_values(bks_replay *replay, bks_tick tick, uint32_t range,
                                           void *out, size_t capacity);

/// Get the lower 32 bits of the hash of each page of the state at the start of a tick. Pages that
/// are not in use yet are 0.
/// @param out        receives them
/// @param capacity   length of out
/// @param out_count  receives how many there are, also with BKS_ERR_TOO_SMALL
/// @return as bks_replay_values()
BKS_NODISCARD bks_status bks_replay_page_hashes(bks_replay *replay, bks_tick tick, uint32_t *out,
                                                size_t capacity, size_t *out_count);

/// Visit the states of a tick: at its start, then at every mark. Fast for ticks in order.
/// @param visit    gets each: the mark's name, "" for the start, and the state's bytes, valid
///                 during the call; false ends it. Not NULL
/// @param context  handed to visit, may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_INCOMPLETE (they are not recorded of this tick),
///         BKS_ERR_DAMAGED, BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_replay_marks(bks_replay *replay, bks_tick tick,
                                          bool (*visit)(void *context, const char *mark,
                                                        const void *state, size_t count),
                                          void *context);

/// Visit what a tick noted (bks_note()), in order. The states that the tick has beside them are not
/// unpacked for it.
/// @param visit    gets each: how many states of bks_replay_marks() stand before it, at least 1,
///                 and its text, printable ASCII, valid during the call; false ends it. Not NULL
/// @param context  handed to visit, may be NULL
/// @return as bks_replay_marks(); BKS_OK also when the tick noted nothing
BKS_NODISCARD bks_status bks_replay_notes(bks_replay *replay, bks_tick tick,
                                          bool (*visit)(void *context, uint32_t states_before,
                                                        const char *text),
                                          void *context);

/// Get the recorded answer to a question of a step. A playback gives it by itself.
/// @param out_bytes  receives the answer, in the bytes of the file: valid as long as they are and
///                   until bks_replay_refresh(); NULL when there is none
/// @param out_count  receives its bytes, 1..BKS_ANSWER_BYTES_MAX, 0 when there is none
/// @return BKS_OK, also when there is none; BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_fact(const bks_replay *replay, bks_tick tick, uint32_t question,
                           const void **out_bytes, size_t *out_count);

/// Return true if a hash agrees with the recorded bits of it. For a tick whose state was wrong
/// until a repair (bks_replay_is_repaired()) the hash on which the peers agreed counts as well, or
/// any hash if that is not known.
/// @param hash  computed
/// @return false only when the tick was hashed and the recorded bits differ
bool bks_replay_hash_agrees(bks_replay *replay, bks_tick tick, uint64_t hash);

/// The first input that differs.
typedef struct bks_input_difference {
    bks_tick tick;   ///< BKS_TICK_NONE: none
    uint32_t player; ///< player whose input differs
    uint32_t field;  ///< number of the field
    int32_t a;       ///< value in one recording
    int32_t b;       ///< value in the other recording
} bks_input_difference;

/// First differences of two recordings, as far as both confirm. Each kind of content is compared on
/// its own; a tick is BKS_TICK_NONE when none differs. Content that only one of them holds is not
/// compared.
typedef struct bks_replay_comparison {
    bks_tick first; ///< the first tick that both have
    bks_tick until; ///< the tick up to which both confirm; below `first`: none is in both

    bks_tick inputs_compared;   ///< ticks whose inputs were; 0 when the layouts differ
    bks_input_difference input; ///< the first that differs

    bks_tick repaired; ///< ticks that one of them recorded wrongly until a repair
                       ///< (bks_replay_is_repaired()), up to the first hash that differs. Of these
                       ///< only inputs and hashes are compared, by what the peers agreed on

    bks_tick hashes_compared; ///< ticks whose hashes were
    bks_tick hash_tick;       ///< the first whose hashes differ
    uint32_t hash_bits;       ///< lowest bits that both recorded of it, 1..64; only these count
    uint64_t hash_a;          ///< hash in one recording, the lowest hash_bits
    uint64_t hash_b;          ///< hash in the other recording

    bks_tick pages_compared; ///< ticks whose page hashes were
    bks_tick page_tick;      ///< the first with a page that differs
    uint32_t page;           ///< the first page that differs there, of 4096 bytes each
    uint32_t pages_differ;   ///< pages that differ there

    bks_tick values_compared; ///< ticks whose recorded values were; 0 when the ranges differ
    bks_tick value_tick;      ///< the first with a value that differs
    uint32_t value_range;     ///< number of the first range that differs there
    uint32_t value_element;   ///< element of that value
    uint32_t value_ranges;    ///< ranges that differ there

    uint32_t states_compared;   ///< states in both files: that at the first tick, and keyframes
    bks_tick state_tick;        ///< tick of the first state that differs
    uint64_t state_offset;      ///< offset of its first byte that differs
    uint64_t state_differ;      ///< bytes that differ there; what only the longer one has counts
    uint32_t states_unreadable; ///< states in both files, damaged in one of them: not compared
    uint32_t states_skipped;    ///< states in both files after 16 damaged ones: not tried

    bks_tick lost; ///< ticks before `until` whose inputs one of them has lost

    bks_tick guesses_compared;  ///< ticks from `until` on that both have, guessed by one at least
    bks_input_difference guess; ///< the first input that differs there
} bks_replay_comparison;

/// Compare two recordings: of two peers of a match, or of the same inputs stepped by two builds.
/// @param a, b   not NULL, may be the same
/// @param out    receives what was found, not NULL
/// @param error  may be NULL
/// @return BKS_OK, also when they differ; BKS_ERR_BAD_ARGUMENT; BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_replay_compare(bks_replay *a, bks_replay *b,
                                            bks_replay_comparison *out, bks_error *error);

/// Get a state that is in the file: that at its first tick or a keyframe.
/// @param tick       tick at whose start the state is
/// @param out        receives the bytes; NULL asks for the room that unpacking it needs
/// @param capacity   size of out, at least that room
/// @param out_count  receives its bytes, or that room when out is NULL; not NULL
/// @param error      may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED;
///         BKS_ERR_INCOMPLETE (no state of that tick is there)
BKS_NODISCARD bks_status bks_replay_state_at(const bks_replay *replay, bks_tick tick, void *out,
                                             size_t capacity, size_t *out_count, bks_error *error);

/// Listener to the marks and notes of a playback's steps. A function may be NULL.
typedef struct bks_playback_listener {
    /// A mark was reached, before its state is hashed; alone it costs a call, so it can take times.
    void (*reached)(void *context, bks_tick tick, const char *name);
    /// A mark, and the hash of the state there.
    void (*mark)(void *context, bks_tick tick, const char *name, uint64_t hash);
    /// A note's text, valid during the call.
    void (*note)(void *context, bks_tick tick, const char *text);
    void *context; ///< handed to all, may be NULL
} bks_playback_listener;

/// Step one tick as bks_playback_step() does, with inputs that the caller has read: another thread
/// can unpack them ahead of this one, by bks_replay_inputs() on a replay of its own.
/// @param inputs  as bks_replay_inputs() gives them; not NULL
/// @return BKS_OK; BKS_OVER; BKS_ERR_GAME; BKS_ERR_DAMAGED when a seek failed and no state
///         could be taken since; BKS_ERR_BAD_ARGUMENT for NULL, and from a perspective that guesses
bks_status bks_playback_step_with(bks_playback *playback, const int32_t *inputs);

/// Counts of a playback so far.
typedef struct bks_playback_counts {
    uint64_t steps;     ///< ticks stepped, again too
    uint64_t rollbacks; ///< rollbacks, from a perspective that guesses
    uint64_t keyframes; ///< keyframes of the file unpacked
    uint64_t starts;    ///< times that the playback began again at its first tick
    uint64_t kept;      ///< states kept in memory
} bks_playback_counts;

/// Get what a playback did so far.
/// @param out  receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_playback_costs(const bks_playback *playback, bks_playback_counts *out);

/// Listen to marks and notes from now on; NULL stops. Copied.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_playback_listen(bks_playback *playback, const bks_playback_listener *listener);

/// Cut a replay into parts that can be verified at the same time, each by a thread with a
/// bks_replay of its own over the same bytes. Each part but the first begins with a keyframe, which
/// the part before compares; so when all parts verify, the recording does. Part i is from the tick
/// after untils[i - 1], part 0 from 0.
/// @param config  as for bks_replay_verify()
/// @param parts   most parts, at least 1
/// @param untils  receives `until` of each part
/// @return the number of parts, each of about the same number of ticks; 1 when it has no keyframes,
///         has lost ticks, is from a perspective that guesses, or the game has a hash of its own,
///         by which keyframes are not compared; 0 for NULL
uint32_t bks_replay_split(const bks_playback_config *config, uint32_t parts, bks_tick *untils);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_RECORDING_H
