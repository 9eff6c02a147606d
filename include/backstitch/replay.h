// SPDX-License-Identifier: MIT

/// @file replay.h
/// Reads recordings of a match, `.bks`, without trusting a byte: what is damaged is passed over,
/// what is right can be read. The bytes are described in docs/spec/replay.md.
///
///     bks_replay *replay = NULL;
///     if (bks_replay_open(bytes, count, NULL, &replay, &error) == BKS_OK) {
///         const bks_recording *info = bks_replay_info(replay);
///         for (bks_tick tick = info->first; tick < info->end; tick++) {
///             status = bks_replay_inputs(replay, tick, values);
///         }
///     }
///     bks_replay_close(replay);
///
/// Thread rule: a replay belongs to one thread at a time.

#ifndef BACKSTITCH_REPLAY_H
#define BACKSTITCH_REPLAY_H

#include "backstitch/game.h"
#include "backstitch/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A recording that can be read. Opaque.
typedef struct bks_replay bks_replay;

/// How a recording ends.
typedef enum bks_replay_ending {
    BKS_REPLAY_CUT_OFF = 0,    ///< without a closing record: its process died, or still writes
    BKS_REPLAY_LEFT_EARLY = 1, ///< closed in order before the match's end: the BKS_REPLAY_CLOSED
                               ///< event says why
    BKS_REPLAY_COMPLETE = 2,   ///< closed at the match's end; of a match without set length, when
                               ///< the last player who was in it closed it
    BKS_REPLAY_UNKNOWN = 3,    ///< damage may hide how
} bks_replay_ending;

/// What is in a recording.
typedef struct bks_recording {
    uint32_t format;              ///< version of the file's format
    const char *game;             ///< its name
    uint32_t version;             ///< of the game
    const char *build;            ///< of the game, may be ""
    uint32_t players;             ///< seats
    uint32_t tick_rate_hz;        ///< ticks a second
    uint64_t seed;                ///< as in bks_start
    bks_tick first;               ///< the first tick that is there: the recording's, or that from
                                  ///< which a growing file was opened
    bks_tick ticks;               ///< one past the last tick that is there without a gap
    bks_tick confirmed;           ///< one past the last of these that is final. Up to it no input,
                                  ///< hash or keyframe is a guess; the rest was stepped with
                                  ///< guesses when the recording stopped
    bks_tick end;                 ///< one past the last tick that is there at all: above `ticks`
                                  ///< where damage left a gap
    bool is_complete;             ///< ended by bks_replay_writer_finish(), and nothing is damaged:
                                  ///< all that was recorded is there
    bks_replay_ending ending;     ///< whether that was the match's end
    bool is_damaged;              ///< bytes are there but wrong
    uint64_t damage_offset_bytes; ///< of the first record or block that is wrong
    uint32_t lost_count;          ///< damaged parts that were passed over: bks_replay_lost_at()
    uint64_t bytes;               ///< of the whole file
    uint64_t input_bytes;         ///< of these, the inputs
    uint64_t hash_bytes;          ///< of these, the hashes
    uint64_t packed_state_bytes;  ///< of these, the state at the first tick
    uint64_t state_bytes;         ///< of that state, unpacked; 0 when the file ends before
    bool has_pointers;        ///< no state is recorded, since it holds raw pointers: `init` makes
                              ///< the first one
    uint32_t keyframes;       ///< states besides the one at the first tick
    uint64_t keyframe_bytes;  ///< of the file, these
    uint32_t event_count;     ///< what happened: bks_replay_event_at()
    uint32_t repair_count;    ///< of peers' states: bks_replay_repair_at()
    uint32_t rollback_count;  ///< as they happened: bks_replay_rollback_at()
    uint64_t rollback_bytes;  ///< of the file, these
    uint32_t fact_count;      ///< answers from outside: bks_replay_fact()
    uint64_t fact_bytes;      ///< of the file, these
    uint32_t evidence_count;  ///< peers whose states differed: bks_replay_evidence_at()
    uint64_t evidence_bytes;  ///< of the file, these, and the log
    uint32_t log_count;       ///< entries of the log: bks_replay_log()
    bks_tick value_ticks;     ///< ticks whose values are there: bks_replay_values()
    uint64_t value_bytes;     ///< of the file, these
    bks_tick page_hash_ticks; ///< ticks whose page hashes are there: bks_replay_page_hashes()
    uint64_t page_hash_bytes; ///< of the file, these
    bks_tick mark_ticks;      ///< ticks for which the states at marks may be there:
                              ///< bks_replay_marks()
    uint64_t mark_bytes;      ///< of the file, these
    uint32_t pages_max;       ///< most page hashes of one tick
    uint32_t hash_bits;       ///< kept of most hashes
    const bks_state_range *ranges;      ///< what the bytes of the state are called
    uint32_t range_count;               ///< length of it
    const bks_field *fields;            ///< the layout: names, bits, signs, neutrals and groups
    uint32_t field_count;               ///< length of it
    const bks_replay_pair *options;     ///< the game's options by name
    uint32_t option_count;              ///< length of it
    const bks_replay_pair *environment; ///< compiler, architecture, byte order, library, …
    uint32_t environment_count;         ///< length of it
} bks_recording;

/// A part of a file in memory.
typedef struct bks_replay_piece {
    uint64_t offset_bytes; ///< where in the file it begins
    const void *bytes;     ///< not NULL when count is above 0
    size_t count;          ///< its bytes
} bks_replay_piece;

/// Most pieces that a replay is read from.
#define BKS_REPLAY_PIECES_MAX 4

/// Read a recording from memory. Every byte is compared with its check now; what the checks cover
/// is unpacked when it is asked for, or by bks_replay_check(). Damaged parts are passed over:
/// bks_replay_lost_at() lists what is missing.
/// @param bytes      borrowed until bks_replay_close()
/// @param count      its bytes
/// @param allocator  NULL: malloc and free
/// @param out        receives the replay; NULL on failure, but for a file whose beginning is right
///                   it is there with BKS_ERR_DAMAGED and BKS_ERR_UNSUPPORTED too: what is right
///                   can be read
/// @param error      may be NULL; offset_bytes says where
/// @return BKS_OK, also for a file that ends inside its last record: is_complete is false then;
///         BKS_ERR_INCOMPLETE (the file ends before it says what it is), BKS_ERR_DAMAGED,
///         BKS_ERR_UNSUPPORTED (no replay, or a later version's), BKS_ERR_OUT_OF_MEMORY,
///         BKS_ERR_BAD_ARGUMENT
/// Owned by the caller; release with bks_replay_close().
BKS_API BKS_NODISCARD bks_status bks_replay_open(const void *bytes, size_t count,
                                                 const bks_allocator *allocator, bks_replay **out,
                                                 bks_error *error);

/// What a latecomer needs of a file that is being written: from the newest whole keyframe on, not
/// all of it. Asks for one range after the other:
///
///     bks_replay_range want;
///     while (bks_replay_plan(pieces, count, &want, &error) == BKS_ERR_INCOMPLETE)
///         fetch(want.offset_bytes, want.count);        // add it as a piece, or extend one
///     fetch(want.offset_bytes, everything);            // the last piece
///     bks_replay_open_growing(pieces, count, …);       // the records from there
typedef struct bks_replay_range {
    uint64_t offset_bytes; ///< where it begins
    uint64_t count;        ///< its bytes, 0: all that there are
} bks_replay_range;

/// Find out what to fetch next.
/// @param pieces  what there is so far, each beginning behind the one before; they may overlap
/// @param count   0..BKS_REPLAY_PIECES_MAX
/// @param out     receives what is wanted, not NULL; after BKS_OK where the last piece must begin,
///                0 when that is the whole file
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_INCOMPLETE (fetch `out`, anew when it was there: it was being written),
///         BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (also for files of version 1), BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_replay_plan(const bks_replay_piece *pieces, uint32_t count,
                                                 bks_replay_range *out, bks_error *error);

/// Read a recording that is still being written: its records. Then bks_replay_refresh() as it
/// grows. A record that is cut at the end is read once the rest has come.
/// @param pieces  of the file, the first from its beginning on, each beginning behind the one
///                before; borrowed until bks_replay_refresh() or bks_replay_close()
/// @param count   1..BKS_REPLAY_PIECES_MAX
/// @return as bks_replay_open()
/// Owned by the caller; release with bks_replay_close().
BKS_API BKS_NODISCARD bks_status bks_replay_open_growing(const bks_replay_piece *pieces,
                                                         uint32_t count,
                                                         const bks_allocator *allocator,
                                                         bks_replay **out, bks_error *error);

/// More of a growing recording has come: take in the records that are there by now. What
/// bks_replay_info() points to is replaced.
/// @param pieces  as for bks_replay_open_growing(), with more bytes in the last; they may lie
///                elsewhere now
/// @param count   as then
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED, BKS_ERR_OUT_OF_MEMORY (close it then),
///         BKS_ERR_BAD_ARGUMENT (also for a replay that was not opened as growing)
BKS_API bks_status bks_replay_refresh(bks_replay *replay, const bks_replay_piece *pieces,
                                      uint32_t count, bks_error *error);

/// Unpack all inputs and hashes once: right checks do not prove that the content makes sense.
/// Content that does not counts as lost from now on, like damage. A file of version 1 was unpacked
/// when opened.
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (as bks_replay_open()),
///         BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_check(bks_replay *replay, bks_error *error);

/// Release a replay. NULL is allowed.
BKS_API void bks_replay_close(bks_replay *replay);

/// What the recording holds.
/// @return its description, valid until bks_replay_close(); NULL for NULL
BKS_API const bks_recording *bks_replay_info(const bks_replay *replay);

/// Ticks that are there without a gap. Damage leaves gaps between them.
typedef struct bks_replay_ticks {
    bks_tick first;     ///< the first
    bks_tick confirmed; ///< one past the last that is final; `first` when none is
    bks_tick end;       ///< one past the last
} bks_replay_ticks;

/// The ticks that are there from one on, up to the next gap: all ticks of a recording that may be
/// damaged, and none that is lost.
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
BKS_API BKS_NODISCARD bks_status bks_replay_ticks_from(const bks_replay *replay, bks_tick tick,
                                                       bks_replay_ticks *out);

/// A damaged part of a file.
typedef struct bks_replay_lost {
    uint64_t offset_bytes; ///< where it begins
    uint64_t bytes;        ///< until the next record that is right
    bks_tick first;        ///< the first tick that cannot be read for it
    bks_tick ticks;        ///< how many, 0 when none was lost
} bks_replay_lost;

/// One damaged part.
/// @param index  0..info->lost_count-1, in the order of the file
/// @param out    receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_lost_at(const bks_replay *replay, uint32_t index,
                                      bks_replay_lost *out);

/// A state in the file besides the one at its first tick.
typedef struct bks_replay_keyframe {
    bks_tick tick;  ///< it is that at the start of this tick
    bool is_whole;  ///< false: encoded as its differences from the keyframe before it
    bool is_usable; ///< all keyframes that it is encoded against are there too
    bool is_wrong;  ///< it was written before a repair (bks_replay_is_repaired(), and in the tick
                    ///< of its `until` where that is so): nothing is played from it
    uint64_t offset_bytes; ///< of its record
    uint64_t bytes;        ///< of its record
    uint64_t state_bytes;  ///< unpacked
} bks_replay_keyframe;

/// One keyframe.
/// @param index  0..info->keyframes-1, in the order of ticks
/// @param out    receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_keyframe_at(const bks_replay *replay, uint32_t index,
                                          bks_replay_keyframe *out);

/// Unpack a keyframe and those it is encoded against, 16 at most.
/// @param index     0..info->keyframes-1
/// @param out       receives state_bytes bytes, not NULL
/// @param capacity  at least the state_bytes of the keyframe and of all it is encoded against
/// @param error     may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED
BKS_API BKS_NODISCARD bks_status bks_replay_keyframe_state(const bks_replay *replay, uint32_t index,
                                                           void *out, size_t capacity,
                                                           bks_error *error);

/// One event.
/// @param index  0..info->event_count-1, in the order in which they were written
/// @param out    receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_event_at(const bks_replay *replay, uint32_t index,
                                       bks_replay_event *out);

/// One repair.
/// @param index  0..info->repair_count-1, in the order in which they were written
/// @param out    receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_repair_at(const bks_replay *replay, uint32_t index,
                                        bks_replay_repair *out);

/// Whether what is recorded of the state at the start of a tick was written before the peer that
/// recorded was repaired: it may not be what the others had.
/// @return true from the `since` of such a repair up to the tick before its `until`; false for NULL
BKS_API bool bks_replay_is_repaired(const bks_replay *replay, bks_tick tick);

/// The right hash of the state at the start of such a tick, as the peers agreed on it.
/// @param out_hash  receives it, not NULL; untouched on failure
/// @return BKS_OK; BKS_ERR_INCOMPLETE (the recording does not know it, or bks_replay_is_repaired()
///         is false); BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_replay_agreed_hash(const bks_replay *replay, bks_tick tick,
                                                        uint64_t *out_hash);

/// A rollback of the peer that recorded.
typedef struct bks_replay_rollback {
    bks_tick present; ///< the tick at whose start the game stood
    bks_tick from;    ///< the first tick that had been stepped with a wrong guess
} bks_replay_rollback;

/// One rollback.
/// @param index  0..info->rollback_count-1, in the order in which they happened
/// @param out    receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_rollback_at(const bks_replay *replay, uint32_t index,
                                          bks_replay_rollback *out);

/// What a tick had been stepped with before a rollback.
/// @param index   0..info->rollback_count-1
/// @param tick    its from..present-1
/// @param values  receives players * field_count values
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_rollback_inputs(const bks_replay *replay, uint32_t index,
                                              bks_tick tick, int32_t *values);

/// What a recorded range of the state held at the start of a tick.
/// @param range     number of a range of info->ranges that is recorded
/// @param out       receives its count elements
/// @param capacity  bytes there is room for
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL, BKS_ERR_INCOMPLETE (nothing is recorded
///         of this tick), BKS_ERR_DAMAGED, BKS_ERR_OUT_OF_MEMORY
BKS_API BKS_NODISCARD bks_status bks_replay_values(bks_replay *replay, bks_tick tick,
                                                   uint32_t range, void *out, size_t capacity);

/// The lower 32 bits of the hash of each page of the state at the start of a tick. Pages that are
/// not in use yet are 0.
/// @param out        receives them
/// @param capacity   length of out
/// @param out_count  receives how many there are, also with BKS_ERR_TOO_SMALL
/// @return as bks_replay_values()
BKS_API BKS_NODISCARD bks_status bks_replay_page_hashes(bks_replay *replay, bks_tick tick,
                                                        uint32_t *out, size_t capacity,
                                                        size_t *out_count);

/// Visit the states of a tick: at its start, then at every mark. Fast for ticks in order.
/// @param visit    gets each: the mark's name, "" for the start, and the state's bytes, valid
///                 during the call; false ends it. Not NULL
/// @param context  handed to visit, may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_INCOMPLETE (they are not recorded of this tick),
///         BKS_ERR_DAMAGED, BKS_ERR_OUT_OF_MEMORY
BKS_API BKS_NODISCARD bks_status bks_replay_marks(bks_replay *replay, bks_tick tick,
                                                  bool (*visit)(void *context, const char *mark,
                                                                const void *state, size_t count),
                                                  void *context);

/// Visit what a tick noted (bks_note()), in order. The states that the tick has beside them are not
/// unpacked for it.
/// @param visit    gets each: how many states of bks_replay_marks() stand before it, at least 1,
///                 and its text, printable ASCII, valid during the call; false ends it. Not NULL
/// @param context  handed to visit, may be NULL
/// @return as bks_replay_marks(); BKS_OK also when the tick noted nothing
BKS_API BKS_NODISCARD bks_status bks_replay_notes(
    bks_replay *replay, bks_tick tick,
    bool (*visit)(void *context, uint32_t states_before, const char *text), void *context);

/// What the outside answered to a question of a step. A playback gives it by itself.
/// @param out_bytes  receives the answer, in the bytes of the file: valid as long as they are and
///                   until bks_replay_refresh(); NULL when there is none
/// @param out_count  receives its bytes, 1..BKS_ANSWER_BYTES_MAX, 0 when there is none
/// @return BKS_OK, also when there is none; BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_fact(const bks_replay *replay, bks_tick tick, uint32_t question,
                                   const void **out_bytes, size_t *out_count);

/// The inputs of one tick. Cheap for consecutive ticks, forwards or backwards; a jump unpacks up to
/// some minutes of ticks, at a small part of what stepping them costs.
/// @param tick    info->first..info->end-1
/// @param values  receives players * field_count values
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_DAMAGED (the tick is lost)
BKS_API BKS_NODISCARD bks_status bks_replay_inputs(bks_replay *replay, bks_tick tick,
                                                   int32_t *values);

/// The recorded hash of the state at the start of a tick.
/// @param tick      info->first..info->end; after the last tick of a complete recording stands
///                  its final hash
/// @param out_hash  receives the recorded bits, the lowest ones of the hash
/// @param out_bits  receives how many: 64, info->hash_bits, or 0 when this tick was not hashed or
///                  is lost
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_replay_hash(bks_replay *replay, bks_tick tick,
                                                 uint64_t *out_hash, uint32_t *out_bits);

/// Whether a hash is the one that was recorded, as far as that was. Of a tick whose state was wrong
/// until a repair (bks_replay_is_repaired()) the hash on which the peers agreed will do as well,
/// and any where that is not known.
/// @param hash  computed
/// @return false only when the tick was hashed and the recorded bits differ
BKS_API bool bks_replay_hash_agrees(bks_replay *replay, bks_tick tick, uint64_t hash);

/// Unpack the state at the first tick.
/// @param out       receives info->state_bytes bytes
/// @param capacity  at least that
/// @param error     may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED
///         (damage, as bks_replay_open() reported it; or info->has_pointers), BKS_ERR_INCOMPLETE
///         (the file ends before the state does, or was opened from a keyframe on)
BKS_API BKS_NODISCARD bks_status bks_replay_state(const bks_replay *replay, void *out,
                                                  size_t capacity, bks_error *error);

/// The first input that differs.
typedef struct bks_input_difference {
    bks_tick tick;   ///< BKS_TICK_NONE: none
    uint32_t player; ///< whose
    uint32_t field;  ///< number of the field
    int32_t a;       ///< in one recording
    int32_t b;       ///< in the other
} bks_input_difference;

/// Where two recordings first differ, as far as both confirm. Each kind of content is compared on
/// its own; a tick is BKS_TICK_NONE when none differs. What only one of them holds is not compared.
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
    uint64_t hash_a;          ///< in one recording, the lowest hash_bits
    uint64_t hash_b;          ///< in the other

    bks_tick pages_compared; ///< ticks whose page hashes were
    bks_tick page_tick;      ///< the first with a page that differs
    uint32_t page;           ///< the first page that differs there, of 4096 bytes each
    uint32_t pages_differ;   ///< pages that differ there

    bks_tick values_compared; ///< ticks whose recorded values were; 0 when the ranges differ
    bks_tick value_tick;      ///< the first with a value that differs
    uint32_t value_range;     ///< number of the first range that differs there
    uint32_t value_element;   ///< and of its element
    uint32_t value_ranges;    ///< ranges that differ there

    uint32_t states_compared;   ///< states in both files: that at the first tick, and keyframes
    bks_tick state_tick;        ///< of the first that differs
    uint64_t state_offset;      ///< of its first byte that differs
    uint64_t state_differ;      ///< bytes that differ there; what only the longer one has counts
    uint32_t states_unreadable; ///< states in both files, damaged in one of them: not compared
    uint32_t states_skipped;    ///< states in both files behind 16 damaged ones: not tried

    bks_tick lost; ///< ticks before `until` whose inputs one of them has lost

    bks_tick guesses_compared;  ///< ticks from `until` on that both have, guessed by one at least
    bks_input_difference guess; ///< the first input that differs there
} bks_replay_comparison;

/// Compare two recordings: of two peers of a match, or of the same inputs stepped by two builds.
/// @param a, b   not NULL, may be the same
/// @param out    receives what was found, not NULL
/// @param error  may be NULL
/// @return BKS_OK, also when they differ; BKS_ERR_BAD_ARGUMENT; BKS_ERR_OUT_OF_MEMORY
BKS_API BKS_NODISCARD bks_status bks_replay_compare(bks_replay *a, bks_replay *b,
                                                    bks_replay_comparison *out, bks_error *error);

/// A state in a file: that at its first tick or a keyframe.
/// @param tick       of it
/// @param out        receives the bytes; NULL asks for the room that unpacking it needs
/// @param capacity   of out, at least that room
/// @param out_count  receives its bytes, or that room when out is NULL; not NULL
/// @param error      may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED;
///         BKS_ERR_INCOMPLETE (no state of that tick is there)
BKS_API BKS_NODISCARD bks_status bks_replay_state_at(const bks_replay *replay, bks_tick tick,
                                                     void *out, size_t capacity, size_t *out_count,
                                                     bks_error *error);

/// One player's inputs of a replay as a source for another match. Plain data.
typedef struct bks_replay_player {
    bks_replay *replay; ///< as given, must outlive the source
    uint32_t player;    ///< as given
    bks_tick missing;   ///< the first tick that was asked for and is not in the replay, which got a
                        ///< neutral input; BKS_TICK_NONE as long as there is none
} bks_replay_player;

/// Choose a player of a replay.
/// @param player        receives it, not NULL
/// @param replay        must outlive it
/// @param index         whose inputs, 0..info->players-1
/// @param fields, count the layout of the match it will serve: must hold the replay's fields with
///                      their bits and signs
/// @param error         may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_UNSUPPORTED (the layouts differ)
BKS_API BKS_NODISCARD bks_status bks_replay_player_init(bks_replay_player *player,
                                                        bks_replay *replay, uint32_t index,
                                                        const bks_field *fields, uint32_t count,
                                                        bks_error *error);

/// The player as a source. It must outlive the source.
BKS_API bks_source bks_replay_player_source(bks_replay_player *player);

// Steps a game through the inputs of a recording, to any tick and back, and verifies that the
// states are those that were recorded.
//
//     const bks_playback_config config = {.replay = replay, .game = &duel_game};
//     bks_playback *playback = NULL;
//     if (bks_playback_create(&config, &playback, &error) == BKS_OK) {
//         status = bks_playback_seek(playback, 3600, &error);
//         draw(bks_playback_state(playback));
//     }
//     bks_playback_destroy(playback);
//
// Thread rule: a playback belongs to the thread that has its replay.

/// Hears what the steps of a playback leave behind. A function may be NULL.
typedef struct bks_playback_listener {
    /// A mark was reached, before its state is hashed; alone it costs a call, so it can take times.
    void (*reached)(void *context, bks_tick tick, const char *name);
    /// A mark, and the hash of the state there.
    void (*mark)(void *context, bks_tick tick, const char *name, uint64_t hash);
    /// A note's text, valid during the call.
    void (*note)(void *context, bks_tick tick, const char *text);
    void *context; ///< handed to all, may be NULL
} bks_playback_listener;

/// Whose knowledge of the inputs a playback steps with.
typedef enum bks_playback_perspective {
    /// No player's: every tick once, with the inputs that were played.
    BKS_PERSPECTIVE_REFERENCE = 0,
    /// One player's machine: the others' inputs arrive late and are guessed until then, as in a
    /// session; ticks with a wrong guess are rolled back.
    BKS_PERSPECTIVE_PLAYER = 1,
    /// The machine that recorded, with the rollbacks in the recording.
    BKS_PERSPECTIVE_RECORDER = 2,
} bks_playback_perspective;

/// What a playback needs. Start from {0}.
typedef struct bks_playback_config {
    bks_replay *replay;       ///< required, must outlive the playback, serves one at a time
    const bks_game *game;     ///< required, must outlive the playback
    bool any_version;         ///< true: play the inputs with another version of the game, and with
                              ///< defaults for options the recording does not know
    bool from_recorded_state; ///< true: start from the state in the file, not from `init`
    /// Default BKS_PERSPECTIVE_REFERENCE. From the others the state is what that machine had,
    /// guesses included, and the playback cannot go back.
    bks_playback_perspective perspective;
    uint32_t player;         ///< BKS_PERSPECTIVE_PLAYER: whose machine, 0..info->players-1
    uint32_t late_ticks;     ///< BKS_PERSPECTIVE_PLAYER: how late the others' inputs are, 1..250;
                             ///< 0 (default): 6
    size_t memory_bytes;     ///< states to keep besides the keyframes in the file, to go back to; 0
                             ///< (default): none, or 16 MiB where raw pointers keep states out of
                             ///< files (bks_game.pointers). Taken when the playback is created
    uint32_t cues_per_tick;  ///< most cues of one tick that are reported by bks_playback_cue(),
                             ///< 0..BKS_CUES_PER_TICK_MAX, with a game that names cues. 0
                             ///< (default): no one listens
    bool interpolates;       ///< keep the state a tick before the newest for bks_playback_frame(),
                             ///< of a game whose state lies in a region and holds no raw pointers:
                             ///< the memory of one state, and a copy of it for each step
    bks_allocator allocator; ///< default malloc and free
} bks_playback_config;

/// Steps a game through the inputs of a replay. Opaque.
typedef struct bks_playback bks_playback;

/// Begin a playback at the first tick: with `init` when that is 0, else with the state in the file;
/// or at the first keyframe, where that state is damaged, and of a growing file that was opened
/// from one on.
/// @param config  copied
/// @param out     receives the playback, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK; BKS_ERR_UNSUPPORTED when the recording is of another game, version, layout or
///         set of options (error says which); BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG,
///         BKS_ERR_OUT_OF_MEMORY; BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE for the recorded state, also
///         when no keyframe is there yet
/// Owned by the caller; release with bks_playback_destroy().
BKS_API BKS_NODISCARD bks_status bks_playback_create(const bks_playback_config *config,
                                                     bks_playback **out, bks_error *error);

/// The recorded options as values for the game that is to play them, in the order of its table: for
/// a match that continues a recording.
/// @param config  as for bks_playback_create(): replay, game and any_version are read
/// @param out     receives them, not NULL
/// @param error   may be NULL
/// @return BKS_OK; BKS_ERR_UNSUPPORTED when the recording is of another game, version, layout or
///         set of options (error says which); BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (the game)
BKS_API BKS_NODISCARD bks_status bks_playback_options(const bks_playback_config *config,
                                                      bks_option_values *out, bks_error *error);

/// Release a playback. NULL is allowed.
BKS_API void bks_playback_destroy(bks_playback *playback);

/// Step one tick. Behind the last one, from a perspective that guesses, it is rolled back for good:
/// the state is then as if nothing had been guessed.
/// @return BKS_OK; BKS_OVER when the recording has no more; BKS_ERR_DAMAGED when the tick is lost,
///         or a seek failed and no state could be taken since; BKS_ERR_GAME when the game said that
///         it cannot continue; a log line says why: the playback stays at that tick until it seeks;
///         BKS_ERR_BAD_ARGUMENT for NULL
BKS_API bks_status bks_playback_step(bks_playback *playback);

/// The same with the inputs of that tick at hand, which are then not read here: unpacking them is
/// what a step costs beside the game's own, and another thread can do it ahead of this one, by
/// bks_replay_inputs() on a replay of its own.
/// @param inputs  as bks_replay_inputs() gives them; not NULL
/// @return BKS_OK; BKS_OVER; BKS_ERR_GAME; BKS_ERR_DAMAGED when a seek failed and no state
///         could be taken since; BKS_ERR_BAD_ARGUMENT for NULL, and from a perspective that guesses
BKS_API bks_status bks_playback_step_with(bks_playback *playback, const int32_t *inputs);

/// Go to any tick, forwards or backwards: from the nearest state before it that is at hand, by
/// steps. Their marks and notes are not reported.
/// @param tick   info->first..info->end; one back is bks_playback_tick() - 1. Refused
///               from a perspective that guesses
/// @param error  may be NULL
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT; BKS_ERR_DAMAGED when ticks before it are lost and no
///         keyframe stands behind them, or the recorded state is refused: its arena or a pool is
///         not sound, or the game's `check` says no; BKS_ERR_INCOMPLETE; BKS_ERR_OUT_OF_MEMORY.
///         After a failure the playback stands at some tick that can be played, if there is one
BKS_API bks_status bks_playback_seek(bks_playback *playback, bks_tick tick, bks_error *error);

/// What a playback did so far.
typedef struct bks_playback_counts {
    uint64_t steps;     ///< ticks stepped, again too
    uint64_t rollbacks; ///< from a perspective that guesses
    uint64_t keyframes; ///< keyframes of the file unpacked
    uint64_t starts;    ///< times that the state of the first tick was taken up
    uint64_t kept;      ///< states kept in memory
} bks_playback_counts;

/// What it did so far.
/// @param out  receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_playback_costs(const bks_playback *playback, bks_playback_counts *out);

/// The state as bytes, from which another match can continue: see bks_peer_config.
/// @param out       receives the bytes; NULL asks for the most that they ever take in this
///                  recording, whatever the tick
/// @param capacity  bytes at `out`
/// @return bytes written; with a NULL `out` the most there ever are; 0 when capacity is too small,
///         the game could not save, its state holds raw pointers (logged), or playback is NULL
BKS_API size_t bks_playback_export(bks_playback *playback, void *out, size_t capacity);

/// Ticks stepped: the state is at the start of this tick.
/// @return the tick, 0 for NULL
BKS_API bks_tick bks_playback_tick(const bks_playback *playback);

/// Ticks that will not be stepped again: fewer than bks_playback_tick() from a perspective that
/// guesses.
/// @return one past the last of them, 0 for NULL
BKS_API bks_tick bks_playback_confirmed(const bks_playback *playback);

/// What to draw between the newest tick and the one before it: see game.h, interpolated. After
/// bks_playback_create() and a seek, from a perspective that guesses, and without `interpolates`,
/// it is the newest state alone.
/// @param share  of the way from the state before to the newest, 0..1
/// @param frame  receives it, not NULL; its states are valid until the playback steps or seeks
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_playback_frame(const bks_playback *playback, float share, bks_frame *frame);

/// The state as it is. Read only, stays at one address.
/// @return the state, NULL for NULL
BKS_API const void *bks_playback_state(const bks_playback *playback);

/// Hash of the state as it is.
/// @return the hash, 0 for NULL
BKS_API uint64_t bks_playback_hash(bks_playback *playback);

/// Final hash of the state at the start of a tick. From a perspective that guesses,
/// bks_playback_hash() is of a state that may still change; this hash never does.
/// @param tick      0..bks_playback_confirmed(). Only the newest are kept: at least those that the
///                  last step made final. BKS_PERSPECTIVE_REFERENCE keeps bks_playback_tick() alone
/// @param out_hash  not NULL; untouched on failure
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_NOT_CONFIRMED; BKS_ERR_TICK_TOO_OLD, also when the
///         state was lost because the game failed
BKS_API BKS_NODISCARD bks_status bks_playback_confirmed_hash(bks_playback *playback, bks_tick tick,
                                                             uint64_t *out_hash);

/// Listen to marks and notes from now on; NULL stops. Copied.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_playback_listen(bks_playback *playback,
                                       const bks_playback_listener *listener);

/// Take what is to be reported of cues, after each step: see present.h. After a seek no cue of the
/// past is reported, and what was not taken before is gone.
/// @param event  receives it, not NULL
/// @return false when there is none, also with cues_per_tick 0
BKS_API bool bks_playback_cue(bks_playback *playback, bks_cue_event *event);

/// What verifying a replay found.
typedef struct bks_verify_result {
    bool is_same;             ///< nothing differed
    bks_tick stepped;         ///< ticks stepped
    bks_tick compared;        ///< hashes compared
    uint32_t keyframes;       ///< keyframes compared
    bks_tick repaired;        ///< of the hashes compared, those of ticks that were wrong until a
                              ///< repair: compared with what the peers agreed on
    bks_tick repeated;        ///< of these, those that differ from it, being what the peer had: the
                              ///< fault shows here too
    bks_tick first_different; ///< the first tick whose state differs, BKS_TICK_NONE when none does
    uint64_t recorded;        ///< at that tick, `recorded_bits` of it
    uint32_t recorded_bits;   ///< as recorded; 0 when the state at tick 0 or a keyframe differs
    uint64_t computed;        ///< at that tick
    uint32_t page;            ///< the first page that differs at tick 0 when recorded_bits is 0
} bks_verify_result;

/// Which part of a replay is verified, and a callback for its progress. {0}: all of it.
typedef struct bks_verify_part {
    bks_tick from;  ///< compare from this tick on, 0..info->confirmed; stepped is from the newest
                    ///< keyframe before it
    bks_tick until; ///< compare up to this tick, itself included: from..info->end; 0: all
    /// Called now and then with the ticks done and the last one; false ends it. NULL: no callback.
    bool (*progress)(void *context, bks_tick done, bks_tick last);
    void *context; ///< handed to progress, may be NULL
} bks_verify_part;

/// Step a replay again and compare the state at tick 0, every hash and, for games without a hash of
/// their own, every keyframe. A recording that begins later is stepped from the state in it. Ticks
/// that were not confirmed have no hash and are not stepped. Behind lost ticks it continues from
/// the next keyframe. At a tick whose state was wrong until a repair (bks_replay_is_repaired()) the
/// hash that the peers agreed on is right, and what the peer had is no difference either: where
/// that comes out here again, the repaired state is taken from the next keyframe.
/// @param config  as for bks_playback_create(); from_recorded_state must be false
/// @param part    NULL: all
/// @param result  receives what was found, not NULL; also with BKS_ERR_DESYNC and BKS_ERR_DAMAGED
/// @param error   may be NULL
/// @return BKS_OK: all is the same as far as the file goes; BKS_ERR_DESYNC: it is not;
///         BKS_ERR_DAMAGED: bytes of the file are wrong, `result` holds what was compared before
///         them; BKS_OVER: progress ended it; BKS_ERR_GAME: the game failed where it did not when
///         it was recorded; the codes of bks_playback_create()
BKS_API BKS_NODISCARD bks_status bks_replay_verify(const bks_playback_config *config,
                                                   const bks_verify_part *part,
                                                   bks_verify_result *result, bks_error *error);

/// Cut a replay into parts that can be verified at the same time, each by a thread with a
/// bks_replay of its own over the same bytes. Each part but the first begins with a keyframe, which
/// the part before compares; so when all parts verify, the recording does. Part i is from the tick
/// behind untils[i - 1], part 0 from 0.
/// @param config  as for bks_replay_verify()
/// @param parts   most parts, at least 1
/// @param untils  receives `until` of each part
/// @return the number of parts, each of about the same number of ticks; 1 when it has no keyframes,
///         has lost ticks, is from a perspective that guesses, or the game has a hash of its own,
///         by which keyframes are not compared; 0 for NULL
BKS_API uint32_t bks_replay_split(const bks_playback_config *config, uint32_t parts,
                                  bks_tick *untils);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_REPLAY_H
