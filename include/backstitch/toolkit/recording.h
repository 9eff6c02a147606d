// SPDX-License-Identifier: MIT

/// @file toolkit/recording.h Advanced use of recordings: copy a part of one, read the evidence of a
/// desync and everything else besides inputs and hashes, and compare two recordings. replay.h reads
/// and plays what a game needs.
///
/// Thread rule: these calls belong to the thread of the replay or playback that they get.

#ifndef BACKSTITCH_TOOLKIT_RECORDING_H
#define BACKSTITCH_TOOLKIT_RECORDING_H

#include "backstitch/record.h"
#include "backstitch/replay.h"

#ifdef __cplusplus
extern "C" {
#endif

// Copying a part of a recording: the minute around a bug, or the intact part of a damaged file.
// Ticks keep their numbers. Everything is copied as it was recorded: inputs, hashes, facts,
// keyframes, events, repairs, values, page hashes and rollbacks, and the evidence of a desync if
// the states differ in the part. What was wrong in the original is wrong in the copy, too. No game
// is needed.
//
//     const bks_replay_copy_config config = {
//         .replay = replay, .from = 3600, .until = 7200,     // a keyframe holds the state of 3600
//         .sink = bks_record_file_sink(&file),
//     };
//     status = bks_replay_copy(&config, NULL, &error);
//
// Thread rule: a copy belongs to the thread that uses its replay.

/// Part to copy, and its destination. Start from {0}.
typedef struct bks_replay_copy_config {
    bks_replay *replay; ///< recording to copy from, required
    /// First tick of the copy: the recording must have it, and it must be final. If the state holds
    /// raw pointers, the first tick must be 0.
    bks_tick from;
    /// One past the last tick, above `from`: the recording must have every tick up to it, all final
    /// (bks_replay_ticks_from()); 0 (default): up to the first tick that is missing or not final.
    bks_tick until;
    /// State at the start of `from`, as bks_playback_export() writes it; NULL (default): the state
    /// in the recording, at its first tick or in a keyframe.
    const void *state;
    size_t state_bytes; ///< size of `state`, 1..1 GiB; ignored if `state` is NULL
    /// Hash of the state at the start of `until`; NULL (default): the recorded one if all of its 64
    /// bits are recorded, else none.
    const uint64_t *final_hash;
    bool no_evidence;        ///< true: leave out the evidence of a desync and the match log
    bks_sink sink;           ///< destination of the copy, required
    bks_allocator allocator; ///< memory hooks, default malloc and free
} bks_replay_copy_config;

/// Copy a part of a recording. If the copy ends before the recording, a BKS_REPLAY_CLOSED event
/// says so. Returns when everything is written.
/// @param config    not NULL
/// @param out_lost  receives the first tick whose values or page hashes are lost to damage, so the
///                  copy has zeros for them; BKS_TICK_NONE: none. May be NULL: then a log line
///                  reports it
/// @param error     may be NULL
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT (config is NULL); BKS_ERR_BAD_CONFIG; BKS_ERR_INCOMPLETE
///         (the recording has no state of `from`); BKS_ERR_DAMAGED (that state or another part does
///         not unpack); BKS_ERR_UNSUPPORTED (`from` is not the first tick, and the state holds raw
///         pointers); BKS_ERR_OUT_OF_MEMORY; BKS_ERR_IO
BKS_NODISCARD bks_status bks_replay_copy(const bks_replay_copy_config *config, bks_tick *out_lost,
                                         bks_error *error);

// Evidence of a desync in a recording: the bytes in which two states differ, the state itself, a
// description of the machine, and a log of what the recording peer did in the seconds before. A
// recording of a match without a desync has no evidence.
//
//     for (uint32_t i = 0; i < bks_replay_info(replay)->evidence_count; i++) {
//         bks_replay_evidence evidence;
//         status = bks_replay_evidence_at(replay, i, &evidence);
//         status = bks_replay_evidence_parts(replay, i, print_part, NULL);
//     }
//     status = bks_replay_log(replay, print_entry, NULL);
//
// Thread rule: a replay belongs to one thread at a time.

/// Maximum size of an evidence, unpacked, and of one part of it, in bytes.
#define BKS_EVIDENCE_BYTES_MAX 131072

/// Evidence about one peer whose state differed.
typedef struct bks_replay_evidence {
    /// Tick at whose start the states differ: the earliest that both peers still had.
    bks_tick tick;
    /// Number of the peer whose state differs from the recording peer's, 0..255.
    uint32_t peer;
    /// Size of the recording peer's state in bytes; 0: the state was not available.
    uint64_t own_bytes;
    uint64_t peer_bytes; ///< size of the state of `peer` in bytes; 0: not known
    uint64_t bytes;      ///< number of bytes of the file that this evidence takes
} bks_replay_evidence;

/// Get one evidence. There is one for each peer whose state differed.
/// @param index  0..info->evidence_count-1, in the order in which the differences were found
/// @param out    receives the evidence, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_evidence_at(const bks_replay *replay, uint32_t index,
                                  bks_replay_evidence *out);

/// Kinds of parts of an evidence.
typedef enum bks_evidence_kind {
    /// A sentence that describes the difference, by name if it has one.
    BKS_EVIDENCE_TEXT = 1,
    BKS_EVIDENCE_ENVIRONMENT = 2, ///< one property of the recording machine, such as its locale
    BKS_EVIDENCE_BLOCK = 3,       ///< 64 bytes of both states, in which they differ
    /// Bytes of the recording peer's state: all of them, or some pages.
    BKS_EVIDENCE_STATE = 4,
    /// Hashes of the pages of the recording peer's state, at a tick near the difference.
    BKS_EVIDENCE_PAGES = 5,
} bks_evidence_kind;

/// A part of an evidence. Members that the kind does not use are zero.
typedef struct bks_evidence_part {
    bks_evidence_kind kind; ///< kind of the part, which decides which of the members below are used
    /// BKS_EVIDENCE_ENVIRONMENT: name of the property, such as "locale".
    char name[64];
    /// BKS_EVIDENCE_TEXT: the sentence; BKS_EVIDENCE_ENVIRONMENT: value of the property.
    char text[128];
    /// BKS_EVIDENCE_BLOCK, BKS_EVIDENCE_STATE: offset of the bytes in the state.
    uint64_t offset_bytes;
    /// BKS_EVIDENCE_BLOCK, BKS_EVIDENCE_STATE: bytes of the recording peer's state, zeros after its
    /// end.
    const uint8_t *own;
    /// BKS_EVIDENCE_BLOCK: bytes of the other peer's state, zeros after its end.
    const uint8_t *peer;
    /// Size of the bytes or number of hashes. BKS_EVIDENCE_BLOCK: 64; BKS_EVIDENCE_STATE: length of
    /// `own`; BKS_EVIDENCE_PAGES: number of hashes.
    size_t count;
    bks_tick tick; ///< BKS_EVIDENCE_PAGES: tick at whose start the hashes are
    /// BKS_EVIDENCE_PAGES: the lower 4 bytes of each page's hash, little-endian, by page.
    const uint8_t *hashes;
} bks_evidence_part;

/// Visit the parts of an evidence, in the order of the file.
/// @param index    0..info->evidence_count-1
/// @param visit    called for each part, which is valid during the call; return false to stop. Not
///                 NULL
/// @param context  passed to `visit`, may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_DAMAGED (the intact parts were visited),
///         BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_replay_evidence_parts(const bks_replay *replay, uint32_t index,
                                                   bool (*visit)(void *context,
                                                                 const bks_evidence_part *part),
                                                   void *context);

/// Kinds of entry in a match log.
typedef enum bks_entry_kind {
    BKS_ENTRY_UPDATE = 0, ///< an update began; `tick` is the next tick to step
    /// The input of the recording peer's own player `number` for `tick` was sampled.
    BKS_ENTRY_SAMPLED = 1,
    /// A packet of `value` bytes was sent to peer `number`; `tick` is one past the newest input of
    /// the sender. Each packet repeats the inputs that the receiver has not acknowledged.
    BKS_ENTRY_SENT = 2,
    /// A packet of `value` bytes arrived from peer `number` (255: the sender is no peer); `tick` is
    /// one past the newest known input of that peer.
    BKS_ENTRY_CAME = 3,
    BKS_ENTRY_INPUTS = 4, ///< `value` inputs of player `number` became known, from `tick` on
    BKS_ENTRY_WRONG = 5,  ///< player `number` had been predicted wrong, first at `tick`
    /// Rollback to `tick`, the first wrong tick, `value` ticks before the present; player `number`
    /// was predicted wrong (255: another reason).
    BKS_ENTRY_ROLLBACK = 6,
    BKS_ENTRY_LOAD = 7, ///< the state of `tick` was loaded; `reason` is a bks_load_reason
    BKS_ENTRY_SAVE = 8, ///< the state of `tick` was saved; `reason` is a bks_save_reason
    /// `tick` was stepped, again if `reason` is 1; `value` has a bit for each player whose input
    /// was predicted.
    BKS_ENTRY_STEP = 9,
    /// `value` is the lower half of the hash of the state of `tick`; with `reason` 1 the state was
    /// kept for comparison.
    BKS_ENTRY_HASH = 10,
    BKS_ENTRY_DELAY = 11, ///< the input delay is `value` ticks from now on
    /// The event of kind `value` (bks_event_kind) was reported for peer `number` and `tick`.
    BKS_ENTRY_EVENT = 12,
} bks_entry_kind;

/// Reasons for loading a state.
typedef enum bks_load_reason {
    /// The state is loaded to step again the ticks that were predicted wrong.
    BKS_LOAD_ROLLBACK = 0,
    /// The resimulated state equals the earlier one, so the session continues with the newest
    /// snapshot.
    BKS_LOAD_AS_WAS = 1,
    /// The state is loaded to move the only snapshot to a later tick (BKS_SAVE_ONE).
    BKS_LOAD_MOVES = 2,
} bks_load_reason;

/// Reasons for saving a state.
typedef enum bks_save_reason {
    /// The state is saved because enough ticks have passed since the last snapshot.
    BKS_SAVED_SPACED = 0,
    /// The state is saved because it is the newest one that no rollback can discard.
    BKS_SAVED_CERTAIN = 1,
    /// The state is saved to move the only snapshot to a later tick (BKS_SAVE_ONE).
    BKS_SAVED_MOVES = 2,
} bks_save_reason;

/// Get the name of a kind of log entry, such as "rollback". Never NULL, never freed.
/// @return the name, "unknown" for any other number
const char *bks_entry_kind_name(bks_entry_kind kind);

/// One entry of a match log.
typedef struct bks_log_entry {
    bks_entry_kind kind; ///< kind of entry
    uint64_t time_us;    ///< time in microseconds since the first update of the running match
    bks_tick tick;       ///< meaning depends on `kind`: see bks_entry_kind; BKS_TICK_NONE: no tick
    uint32_t number;     ///< meaning depends on `kind`: see bks_entry_kind; 0..255
    uint32_t reason;     ///< meaning depends on `kind`: see bks_entry_kind; 0..255
    uint32_t value;      ///< meaning depends on `kind`: see bks_entry_kind
} bks_log_entry;

/// Visit the match log: what the recording peer did in the ten seconds before each desync, or in
/// less if much happened. Kinds of entry from later versions are skipped.
/// @param visit    called for each entry, in the order of time; return false to stop. Not NULL
/// @param context  passed to `visit`, may be NULL
/// @return BKS_OK, also when the recording has no log (info->log_count); BKS_ERR_BAD_ARGUMENT;
///         BKS_ERR_DAMAGED (the intact entries were visited); BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_replay_log(const bks_replay *replay,
                                        bool (*visit)(void *context, const bks_log_entry *entry),
                                        void *context);

// Reading of everything that a recording contains. replay.h opens and closes it.
//
// Thread rule: a replay belongs to one thread at a time.

/// Range of a growing file that a late reader must fetch: the file from its newest complete
/// keyframe on, instead of all of it. Ask for one range after the other:
///
///     bks_replay_range want;
///     while (bks_replay_plan(pieces, count, &want, &error) == BKS_ERR_INCOMPLETE)
///         fetch(want.offset_bytes, want.count);        // add it as a piece, or extend one
///     fetch(want.offset_bytes, everything);            // the last piece
///     bks_replay_open_growing(pieces, count, …);       // the records from there
typedef struct bks_replay_range {
    uint64_t offset_bytes; ///< offset of the range in the file
    uint64_t count;        ///< size of the range in bytes, 0: up to the file's present end
} bks_replay_range;

/// Find out which range of a growing file to fetch next.
/// @param pieces  pieces fetched so far, each beginning after the one before; they may overlap
/// @param count   0..BKS_REPLAY_PIECES_MAX
/// @param out     receives the range to fetch next, not NULL
/// @param error   may be NULL
/// @return BKS_ERR_INCOMPLETE: fetch `out`, add it to the pieces, then call this again; if you have
///         that range already, the file was being written there when you fetched it, or your piece
///         is too short: fetch it anew. BKS_OK: only one piece is left to fetch, from
///         out->offset_bytes to the file's present end (0: the whole file); then call
///         bks_replay_open_growing(). BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (also for files of
///         version 1), BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_replay_plan(const bks_replay_piece *pieces, uint32_t count,
                                         bks_replay_range *out, bks_error *error);

/// Unpack and check all inputs, commands and hashes now, because correct checksums do not prove
/// that the contents make sense. Contents that do not make sense count as lost from now on, like
/// damage. A file of version 1 was already unpacked when it was opened.
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (as bks_replay_open()),
///         BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_check(bks_replay *replay, bks_error *error);

/// Consecutive ticks of a recording, without a gap. Damage leaves gaps between such runs.
typedef struct bks_replay_ticks {
    bks_tick first;     ///< first tick of the run
    bks_tick confirmed; ///< one past the last final tick; equals `first` when no tick is final
    bks_tick end;       ///< one past the last tick of the run
} bks_replay_ticks;

/// Find the ticks from a given one up to the next gap. The loop visits all ticks of a recording
/// that may be damaged, except lost ones:
///
///     bks_replay_ticks ticks = {0};
///     while (bks_replay_ticks_from(replay, ticks.end, &ticks) == BKS_OK) {
///         for (bks_tick tick = ticks.first; tick < ticks.end; tick++) {
///             status = bks_replay_inputs(replay, tick, values);
///         }
///     }
///
/// Unpacking may find further damage, unless bks_replay_check() has found it already.
/// @param tick  0 or above; out->first is this tick, or the next one that is not lost
/// @param out   receives the ticks, not NULL; untouched on failure
/// @return BKS_OK; BKS_OVER when the recording has no tick from this one on; BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_replay_ticks_from(const bks_replay *replay, bks_tick tick,
                                               bks_replay_ticks *out);

/// A damaged part of a file.
typedef struct bks_replay_lost {
    uint64_t offset_bytes; ///< offset of the damaged part in the file
    uint64_t bytes;        ///< size of the damaged part: bytes up to the next intact record
    bks_tick first;        ///< first tick that cannot be read because of the damage
    bks_tick ticks;        ///< number of ticks lost by the damage, may be 0
} bks_replay_lost;

/// Get one damaged part.
/// @param index  0..info->lost_count-1, in the order of the file
/// @param out    receives the damaged part, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_lost_at(const bks_replay *replay, uint32_t index, bks_replay_lost *out);

/// Unpack a keyframe and the keyframes that it is encoded against, 16 at most.
/// @param index     0..info->keyframes-1
/// @param out       receives state_bytes bytes, not NULL
/// @param capacity  at least the state_bytes of the keyframe and of each keyframe that it is
///                  encoded against
/// @param error     may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED
BKS_NODISCARD bks_status bks_replay_keyframe_state(const bks_replay *replay, uint32_t index,
                                                   void *out, size_t capacity, bks_error *error);

/// Get one repair.
/// @param index  0..info->repair_count-1, in the order in which they were written
/// @param out    receives the repair, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_repair_at(const bks_replay *replay, uint32_t index, bks_replay_repair *out);

/// Return true if the state at the start of a tick was recorded before a repair of the recording
/// peer, so it may differ from what the others had.
/// @return true from `since` of the repair up to the tick before its `until`; false for NULL
bool bks_replay_is_repaired(const bks_replay *replay, bks_tick tick);

/// Get the right hash of the state at the start of a tick for which bks_replay_is_repaired() is
/// true: the hash on which the peers agreed.
/// @param out_hash  receives the hash, not NULL; untouched on failure
/// @return BKS_OK; BKS_ERR_INCOMPLETE (the recording does not have the hash, or
///         bks_replay_is_repaired() is false); BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_replay_agreed_hash(const bks_replay *replay, bks_tick tick,
                                                uint64_t *out_hash);

/// A rollback of the peer that recorded.
typedef struct bks_replay_rollback {
    bks_tick present; ///< present tick at the time of the rollback
    bks_tick from;    ///< first tick that had been stepped with a wrong guess
} bks_replay_rollback;

/// Get one rollback.
/// @param index  0..info->rollback_count-1, in the order in which they happened
/// @param out    receives the rollback, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_rollback_at(const bks_replay *replay, uint32_t index,
                                  bks_replay_rollback *out);

/// Get the inputs with which a tick had been stepped before a rollback.
/// @param index   0..info->rollback_count-1
/// @param tick    `from` to `present` - 1 of the rollback
/// @param values  receives players * field_count values
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_rollback_inputs(const bks_replay *replay, uint32_t index, bks_tick tick,
                                      int32_t *values);

/// Get the contents of a recorded range of the state at the start of a tick.
/// @param range     index in info->ranges of a range that is recorded
/// @param out       receives the elements of the range
/// @param capacity  size of `out` in bytes
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL, BKS_ERR_INCOMPLETE (no values of this
///         tick are recorded), BKS_ERR_DAMAGED, BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_replay_values(bks_replay *replay, bks_tick tick, uint32_t range,
                                           void *out, size_t capacity);

/// Get the lower 32 bits of the hash of each page of the state at the start of a tick. The value
/// for a page not yet in use is 0.
/// @param out        receives the hashes
/// @param capacity   length of out
/// @param out_count  receives the number of pages, also with BKS_ERR_TOO_SMALL
/// @return a status as for bks_replay_values()
BKS_NODISCARD bks_status bks_replay_page_hashes(bks_replay *replay, bks_tick tick, uint32_t *out,
                                                size_t capacity, size_t *out_count);

/// Visit the states of a tick: at its start, then at every mark. Fast if ticks are visited in
/// order.
/// @param visit    called for each state, with the mark's name ("" for the start) and the state's
///                 bytes, valid during the call; return false to stop. Not NULL
/// @param context  passed to `visit`, may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_INCOMPLETE (no states at marks are recorded of
///         this tick), BKS_ERR_DAMAGED, BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_replay_marks(bks_replay *replay, bks_tick tick,
                                          bool (*visit)(void *context, const char *mark,
                                                        const void *state, size_t count),
                                          void *context);

/// Visit the notes of a tick (bks_note()), in order. This does not unpack the states at the tick's
/// marks.
/// @param visit    called for each note, with the number of states of bks_replay_marks() before it,
///                 at least 1, and its text, printable ASCII, valid during the call; return false
///                 to stop. Not NULL
/// @param context  passed to `visit`, may be NULL
/// @return a status as for bks_replay_marks(); BKS_OK also when the tick has no notes
BKS_NODISCARD bks_status bks_replay_notes(bks_replay *replay, bks_tick tick,
                                          bool (*visit)(void *context, uint32_t states_before,
                                                        const char *text),
                                          void *context);

/// Get the commands of a tick. A playback needs no such call, because it reads them itself.
/// @param commands  receives an entry for each player, valid until the next call or
///                  bks_replay_refresh()
/// @param out_any   receives true if any player has commands
/// @return BKS_OK, also when the tick has none; BKS_ERR_DAMAGED, BKS_ERR_OUT_OF_MEMORY,
///         BKS_ERR_BAD_ARGUMENT
BKS_NODISCARD bks_status bks_replay_commands(bks_replay *replay, bks_tick tick,
                                             bks_commands commands[BKS_PLAYERS_MAX], bool *out_any);

/// Get the recorded answer to a question of a step. A playback uses recorded answers by itself.
/// @param out_bytes  receives a pointer into the bytes of the file, at the answer; valid as long as
///                   these bytes, at most until bks_replay_refresh(); NULL when there is no answer
/// @param out_count  receives the size of the answer, 1..BKS_ANSWER_BYTES_MAX, 0 when there is no
///                   answer
/// @return BKS_OK, also when there is no answer; BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_fact(const bks_replay *replay, bks_tick tick, uint32_t question,
                           const void **out_bytes, size_t *out_count);

/// Return true if a hash agrees with the recorded bits of it. For a tick whose state was wrong
/// until a repair (bks_replay_is_repaired()) the hash on which the peers agreed is accepted as
/// well, or any hash if that one is not known.
/// @param hash  computed hash of the state
/// @return false only when the tick's hash was recorded and its recorded bits differ
bool bks_replay_hash_agrees(bks_replay *replay, bks_tick tick, uint64_t hash);

/// First input that differs between two recordings: a field, or the commands of a player.
typedef struct bks_input_difference {
    bks_tick tick;   ///< tick of the input, BKS_TICK_NONE: no input differs
    uint32_t player; ///< seat of the player whose input differs
    uint32_t field;  ///< index of the field that differs; field_count: the commands differ
    int32_t a;       ///< value of the field in recording a, or size of the commands there in bytes
    int32_t b;       ///< value of the field in recording b, or size of the commands there in bytes
} bks_input_difference;

/// First differences of two recordings, up to the last tick that both confirm. Each kind of content
/// is compared on its own; its tick is BKS_TICK_NONE when nothing differs. Content that only one of
/// them holds is not compared.
typedef struct bks_replay_comparison {
    bks_tick first; ///< first tick that both recordings have
    /// One past the last tick whose inputs both recordings confirm, and so the last tick at whose
    /// start both states are final. Below `first`: the recordings have no such tick in common.
    bks_tick until;

    /// Number of ticks whose inputs were compared; 0 when the layouts differ.
    bks_tick inputs_compared;
    bks_input_difference input; ///< first input that differs

    /// Number of ticks whose state is wrong in one of the recordings, because it was recorded
    /// before a repair (bks_replay_is_repaired()), up to the first hash that differs. Of these
    /// ticks only inputs and hashes are compared, using the hashes on which the peers agreed.
    bks_tick repaired;

    bks_tick hashes_compared; ///< number of ticks whose hashes were compared
    bks_tick hash_tick;       ///< first tick whose hashes differ
    /// Number of lowest bits of the hash at hash_tick that both recordings hold, 1..64; only these
    /// are compared.
    uint32_t hash_bits;
    uint64_t hash_a; ///< hash at hash_tick in recording a, its lowest hash_bits
    uint64_t hash_b; ///< hash at hash_tick in recording b, its lowest hash_bits

    bks_tick pages_compared; ///< number of ticks whose page hashes were compared
    bks_tick page_tick;      ///< first tick with a page that differs
    /// Index of the first page of 4096 bytes that differs at page_tick.
    uint32_t page;
    uint32_t pages_differ; ///< number of pages that differ at page_tick

    /// Number of ticks whose recorded values were compared; 0 when the ranges differ.
    bks_tick values_compared;
    bks_tick value_tick;  ///< first tick with a value that differs
    uint32_t value_range; ///< index of the first range that differs at value_tick
    /// Index of the first element whose value differs in the range `value_range`.
    uint32_t value_element;
    uint32_t value_ranges; ///< number of ranges that differ at value_tick

    /// Number of states compared: those in both files, at the first tick and in keyframes.
    uint32_t states_compared;
    bks_tick state_tick; ///< tick of the first state that differs
    /// Offset of the first byte that differs in the state at state_tick.
    uint64_t state_offset;
    /// Number of bytes that differ in the state at state_tick; bytes that only the longer state has
    /// count.
    uint64_t state_differ;
    /// Number of states in both files that were not compared because one is damaged.
    uint32_t states_unreadable;
    /// Number of states in both files that were not compared, because 16 damaged states had come
    /// before.
    uint32_t states_skipped;

    bks_tick lost; ///< number of ticks before `until` whose inputs one of the recordings has lost

    /// Number of ticks from `until` on that both recordings have and at least one of them guessed.
    bks_tick guesses_compared;
    bks_input_difference guess; ///< first input that differs in the ticks from `until` on
} bks_replay_comparison;

/// Compare two recordings: of two peers of a match, or of the same inputs stepped by two builds.
/// @param a, b   not NULL, may be the same
/// @param out    receives the result, not NULL
/// @param error  may be NULL
/// @return BKS_OK, also when the recordings differ; BKS_ERR_BAD_ARGUMENT; BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_replay_compare(bks_replay *a, bks_replay *b,
                                            bks_replay_comparison *out, bks_error *error);

/// Unpack no larger states of a recording than its game can have: a few kilobytes of a file can
/// claim a gigabyte. bks_playback_create() sets the limit of its game; before that there is none.
/// @param bytes_max  most bytes of a state
void bks_replay_limit_states(bks_replay *replay, uint64_t bytes_max);

/// Get a state from the file: the one at its first tick, or a keyframe.
/// @param tick       tick at whose start the state is
/// @param out        receives the bytes; NULL asks for the size that unpacking needs
/// @param capacity   size of `out`, at least what unpacking needs
/// @param out_count  receives the size of the state, or, when `out` is NULL, the size that
///                   unpacking needs; not NULL
/// @param error      may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED
///         (also for a state above the limit); BKS_ERR_INCOMPLETE (the file has no state of that
///         tick)
BKS_NODISCARD bks_status bks_replay_state_at(const bks_replay *replay, bks_tick tick, void *out,
                                             size_t capacity, size_t *out_count, bks_error *error);

/// Listener to the marks and notes of a playback's steps. Each function may be NULL.
typedef struct bks_playback_listener {
    /// Called before a tick is stepped, also when a rollback steps it again. The playback has the
    /// state at the start of this tick.
    void (*begun)(void *context, bks_tick tick);
    /// Called at a mark, before its state is hashed. If only this one is set, a mark costs no more
    /// than the call, so it can measure times.
    void (*reached)(void *context, bks_tick tick, const char *name);
    /// Called at a mark, with the hash of the state there.
    void (*mark)(void *context, bks_tick tick, const char *name, uint64_t hash);
    /// Called for a note; its text is valid during the call.
    void (*note)(void *context, bks_tick tick, const char *text);
    void *context; ///< passed to all functions, may be NULL
} bks_playback_listener;

/// Step one tick as bks_playback_step() does, with inputs that the caller has read. So another
/// thread can unpack inputs in advance, by bks_replay_inputs() on a replay of its own.
/// @param inputs  values as from bks_replay_inputs(), not NULL
/// @return BKS_OK; BKS_OVER; BKS_ERR_GAME; BKS_ERR_DAMAGED when a seek failed and there has been no
///         playable state since; BKS_ERR_BAD_ARGUMENT for NULL, and from a perspective that guesses
bks_status bks_playback_step_with(bks_playback *playback, const int32_t *inputs);

/// Counts of a playback so far.
typedef struct bks_playback_counts {
    uint64_t steps;     ///< number of ticks stepped, counting repeated steps
    uint64_t rollbacks; ///< number of rollbacks, from a perspective that guesses
    uint64_t keyframes; ///< number of keyframes of the file that were unpacked
    uint64_t starts;    ///< number of times that the playback began again at its first tick
    uint64_t kept;      ///< number of states kept in memory
} bks_playback_counts;

/// Get counts of the work that a playback has done so far.
/// @param out  receives the counts, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_playback_costs(const bks_playback *playback, bks_playback_counts *out);

/// Set the listener to marks and notes; NULL removes it. The struct is copied.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_playback_listen(bks_playback *playback, const bks_playback_listener *listener);

/// Divide a replay into parts that can be verified at the same time, each by a thread with a
/// bks_replay of its own over the same bytes. Each part but the first begins with a keyframe, which
/// the part before compares; so when all parts verify, the recording does. Part i begins at the
/// tick after untils[i - 1], part 0 at tick 0.
/// @param config  as for bks_replay_verify()
/// @param parts   maximum number of parts, at least 1
/// @param untils  receives bks_verify_part.until of each part
/// @return the number of parts, each of about the same number of ticks; 1 when the replay has no
///         keyframes or has lost ticks, when config asks for a perspective that guesses, or when
///         the game has its own hash, because keyframes are then not compared; 0 for NULL
uint32_t bks_replay_split(const bks_playback_config *config, uint32_t parts, bks_tick *untils);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_RECORDING_H
