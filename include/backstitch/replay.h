// SPDX-License-Identifier: MIT

/// @file replay.h
/// Recordings of a match, `.bks`: written so that a crash at any moment loses nothing but the tick
/// in hand, read without trusting a byte. The bytes are described in docs/spec/replay.md.
///
///     bks_replay *replay = NULL;
///     if (bks_replay_open(bytes, count, NULL, &replay, &error) == BKS_OK) {
///         const bks_playback_config config = {.replay = replay, .game = &duel_game};
///         bks_verify_result result;
///         status = bks_replay_verify(&config, NULL, &result, &error);
///     }
///     bks_replay_close(replay);
///
/// Thread rule: a writer or a replay belongs to one thread at a time, a playback to the thread that
/// has its replay.

#ifndef BACKSTITCH_REPLAY_H
#define BACKSTITCH_REPLAY_H

#include "backstitch/game.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where a recording goes.
typedef struct bks_sink {
    /// Write bytes at an offset, not buffered: when it returns, a crash of this process no longer
    /// loses them. An offset may lie before the end (the tail is written anew in place).
    /// @return BKS_OK, BKS_ERR_IO: nothing more is written then, also when there is room again. The
    ///         recording is what it were if the process had been killed in this write
    bks_status (*write)(void *context, uint64_t offset_bytes, const void *bytes, size_t count);
    void *context; ///< handed to write, may be NULL
} bks_sink;

/// Most bytes of values that are recorded of a tick, or 4 for each page.
#define BKS_VALUES_BYTES_MAX 16384

/// Keyframes as far apart as is good for seeking: ten seconds, less with a budget above 64 KiB (ten
/// seconds * 64 KiB / budget, a quarter of a second at least), and always so near that the ticks
/// from one to the next take a second to step, as bks_replay_writer_step_cost() says.
#define BKS_KEYFRAMES_AUTO UINT32_MAX

/// How much a recording holds. {0} is inputs and hashes alone; 0 is each field's default.
typedef struct bks_replay_detail {
    uint32_t hash_bits;       ///< kept of each hash, 1..64, default 16
    uint32_t full_hash_ticks; ///< all 64 bits every so many ticks, default a second's
    uint32_t chunk_ticks;     ///< most ticks sealed together, 1..1024, default four seconds';
                              ///< readers of a growing file lag behind by as many
    uint32_t keyframe_ticks;  ///< least ticks between two keyframes, 1..1000000;
                              ///< BKS_KEYFRAMES_AUTO: by budget and cost; 0 (default): none
    uint64_t keyframe_bytes;  ///< what keyframes may take, a minute from the first tick on: at no
                              ///< time have they taken more, they come less often. 0 (default): 64
                              ///< KiB; with BKS_KEYFRAMES_AUTO more where a seek would step for
                              ///< over a second, up to 4 MiB and the first minute's at once
    bool page_hashes; ///< 32 bits of the hash of every page at every tick; for states of up to 16
                      ///< MiB in a region
    bool rollbacks;   ///< every rollback, with the guesses that were wrong
    bool values;      ///< the values of the game's ranges that are marked for it (is_recorded), at
                      ///< the start of every tick; together at most BKS_VALUES_BYTES_MAX
} bks_replay_detail;

/// Most entries that tell where a match was recorded.
#define BKS_REPLAY_ENVIRONMENT_MAX 16

/// A name and its value, such as an option's.
typedef struct bks_replay_pair {
    char name[64];  ///< zero-terminated
    char value[64]; ///< zero-terminated
} bks_replay_pair;

/// What a recording begins with.
typedef struct bks_replay_config {
    const bks_game *game;           ///< required
    uint64_t seed;                  ///< as in bks_start
    uint32_t players;               ///< 1..players_max
    uint32_t tick_rate_hz;          ///< 1..1000
    bks_tick first_tick;            ///< the recording begins at, default 0, and `state` is that at
                                    ///< its start: a part of another one, or a match gone on with
    bks_option_values options;      ///< as in bks_start
    const char *build;              ///< names the game's build, up to 63 bytes; NULL: empty
    uint32_t unconfirmed_ticks_max; ///< most ticks that may be used and not yet confirmed: window +
                                    ///< delay + 1; 1..512
    bool pointers; ///< the state holds raw pointers, also where game->pointers does not say so: no
                   ///< state is written, and first_tick is 0
    const void *state;           ///< the state at first_tick, as bytes; with pointers it may be
                                 ///< NULL
    size_t state_bytes;          ///< 1..1 GiB
    const uint64_t *page_hashes; ///< of that state; NULL when there are none
    size_t page_count;           ///< length of page_hashes
    size_t state_bytes_max;      ///< with keyframes: most bytes a state takes, at least
                                 ///< state_bytes; 0 (default): state_bytes
    bks_replay_detail detail;    ///< what else is kept
    const bks_replay_pair *environment; ///< where it was recorded, for one that is written from
                                        ///< another; NULL (default): here
    uint32_t environment_count;         ///< length of it, 0..BKS_REPLAY_ENVIRONMENT_MAX
    bks_sink sink;                      ///< required
    bks_allocator allocator;            ///< default malloc and free
} bks_replay_config;

/// Writes one recording.
typedef struct bks_replay_writer bks_replay_writer;

/// Begin a recording: the header is written before this returns. All memory is taken here.
/// @param config  copied
/// @param out     receives the writer, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_IO
/// Owned by the caller; release with bks_replay_writer_destroy().
BKS_API BKS_NODISCARD bks_status bks_replay_writer_create(const bks_replay_config *config,
                                                          bks_replay_writer **out,
                                                          bks_error *error);

/// Release a writer; what is written stays as it is. NULL is allowed.
BKS_API void bks_replay_writer_destroy(bks_replay_writer *writer);

/// Say what the ticks from the first unconfirmed one on are about to be stepped with, before they
/// are: written to the sink when it returns. Takes the place of what was said before.
/// @param first   the first tick not yet confirmed by bks_replay_writer_confirm()
/// @param count   ticks, 0..unconfirmed_ticks_max
/// @param inputs  count * players * field_count values, tick by tick
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_use(bks_replay_writer *writer, bks_tick first, uint32_t count,
                                         const int32_t *inputs);

/// One tick is final: its inputs, and the hash of the state at its start. Ticks come in order,
/// first_tick first. Written with the next bks_replay_writer_use(), bks_replay_writer_flush() or at
/// the end.
/// @param inputs  players * field_count values
/// @param hash    NULL when this tick was not hashed
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_confirm(bks_replay_writer *writer, bks_tick tick,
                                             const int32_t *inputs, const uint64_t *hash);

/// What the recorded ranges hold at the start of the tick that is confirmed next, one behind the
/// other. Zeros when it is not said. Without such ranges nothing happens.
/// @param tick    the first tick not yet confirmed
/// @param values  so many bytes as the ranges have together
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_values(bks_replay_writer *writer, bks_tick tick,
                                            const void *values);

/// The same for hashes of the state's pages, of which the lower half is kept. Without
/// detail.page_hashes nothing happens.
/// @param tick    the first tick not yet confirmed
/// @param hashes  by page
/// @param count   pages in use, up to those of state_bytes_max
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_pages(bks_replay_writer *writer, bks_tick tick,
                                           const uint64_t *hashes, size_t count);

/// A rollback: some ticks had been stepped with guesses of which one was wrong, and are stepped
/// again. Written with the ticks that are sealed next. Without detail.rollbacks nothing happens.
/// @param present  the tick at whose start the game stood
/// @param from     the first tick that was stepped with a wrong guess, up to unconfirmed_ticks_max
///                 before `present`
/// @param inputs   what the ticks from there up to `present` had been stepped with
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_rollback(bks_replay_writer *writer, bks_tick present,
                                              bks_tick from, const int32_t *inputs);

/// Say what a step costs: each tick confirmed from now on takes so long to step again. With
/// BKS_KEYFRAMES_AUTO a keyframe is due when those since the last one take a second. When the
/// budget has no room for it and they take two, a warning ("replay.keyframes") says so, once.
/// @param step_ns  of this machine or of a model; 0 (at first): not known, it asks for no keyframe;
///                 above a second counts as a second
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_writer_step_cost(bks_replay_writer *writer, uint64_t step_ns);

/// Whether a keyframe is due. The state of a tick to come will do as well.
/// @return the first tick whose state is wanted, as soon as that tick is the first unconfirmed one
///         or lies before it; BKS_TICK_NONE when none is wanted yet, or NULL is given
BKS_API bks_tick bks_replay_writer_keyframe_due(const bks_replay_writer *writer);

/// Keep the state at the start of a tick, for seeking. Written when it returns; or left out, where
/// it takes more than detail.keyframe_bytes has room for by then, and one is due again later.
/// @param tick   bks_replay_writer_keyframe_due() .. the first unconfirmed tick
/// @param state  as bytes, 1..state_bytes_max
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_keyframe(bks_replay_writer *writer, bks_tick tick,
                                              const void *state, size_t state_bytes);

/// Write what is not yet written.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_flush(bks_replay_writer *writer);

/// End the recording: it is complete from now on. Ticks used and not confirmed are dropped. Where
/// the match does not end with them, write a BKS_REPLAY_CLOSED event first.
/// @param final_hash  of the state at the start of the tick after the last confirmed one; NULL when
///                    it was not hashed
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_finish(bks_replay_writer *writer, const uint64_t *final_hash);

/// What happened in a match, beside its inputs.
typedef enum bks_replay_event_kind {
    BKS_REPLAY_JOINED = 0, ///< `peer` is in the match
    BKS_REPLAY_LEFT = 1,   ///< `peer` is out from `tick` on: its players' inputs are neutral
    BKS_REPLAY_DELAY = 2,  ///< the recording peer's input delay was `a` ticks and is `b` now
    BKS_REPLAY_DESYNC = 3, ///< the state differs from that of `peer`: `a` is its own hash, `b` the
                           ///< peer's
    BKS_REPLAY_NOTE = 4,   ///< `text`, by whoever recorded
    BKS_REPLAY_CLOSED = 5, ///< `peer`, which recorded, closed the recording at `tick`, before the
                           ///< match's end: `a` is a bks_replay_closed, `text` a sentence
} bks_replay_event_kind;

/// Why a recording was closed before the end of its match.
typedef enum bks_replay_closed {
    BKS_CLOSED_QUIT = 0,    ///< the program ended, without a goodbye
    BKS_CLOSED_LEFT = 1,    ///< the peer left by goodbye
    BKS_CLOSED_DROPPED = 2, ///< the others went on without the peer
    BKS_CLOSED_PART = 3,    ///< it was taken from another recording, which has more ticks, or was
                            ///< closed early or not at all
    BKS_CLOSED_FAILED = 4,  ///< the peer's game could not go on after the last tick's inputs: the
                            ///< event's text says why
} bks_replay_closed;

/// Name of a kind of event, such as "desync", as bks_event_kind_name(). Never NULL, never freed.
/// @return the name, "unknown" for a number that is none
BKS_API const char *bks_replay_event_kind_name(bks_replay_event_kind kind);

/// One event. Start from {0}.
typedef struct bks_replay_event {
    bks_replay_event_kind kind; ///< what happened
    bks_tick tick;              ///< when, 0 or above
    uint32_t peer;              ///< whom it concerns, 0..255
    uint64_t a;                 ///< as the kind says
    uint64_t b;                 ///< as the kind says
    char text[128];             ///< one line of printable ASCII for people, zero-terminated
} bks_replay_event;

/// Write down what happened. Written when it returns; in the order of the calls.
/// @param event  not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_event(bks_replay_writer *writer,
                                           const bks_replay_event *event);

/// A step was told a fact from outside (bks_ask()): written when it returns, before the step goes
/// on.
/// @param tick      being stepped, not less than in an earlier call
/// @param question  as the game asked; once for each tick
/// @param bytes     the answer
/// @param count     1..BKS_ANSWER_BYTES_MAX
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_fact(bks_replay_writer *writer, bks_tick tick,
                                          uint32_t question, const void *bytes, size_t count);

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
typedef struct bks_replay_info {
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
    bks_tick confirmed;           ///< one past the last of these that is final; the rest was
                                  ///< stepped with guesses when the recording stopped: inputs,
                                  ///< hashes and keyframes before it never are
    bks_tick end;                 ///< one past the last tick that is there at all: above `ticks`
                                  ///< where damage left a gap
    bool is_complete;             ///< ended by bks_replay_writer_finish(), and nothing is damaged:
                                  ///< all that was recorded is there
    bks_replay_ending ending;     ///< whether that was the match's end
    bool is_damaged;              ///< bytes are there but wrong
    uint64_t damage_offset_bytes; ///< of the first record or block that is wrong
    uint32_t lost_count;          ///< damaged parts that were passed over: bks_replay_get_lost()
    uint64_t bytes;               ///< of the whole file
    uint64_t input_bytes;         ///< of these, the inputs
    uint64_t hash_bytes;          ///< of these, the hashes
    uint64_t state_bytes;    ///< of the state at the first tick, unpacked; 0 when the file ends
                             ///< before
    bool has_pointers;       ///< no state is recorded, since it holds raw pointers: `init` makes
                             ///< the first one
    uint32_t keyframes;      ///< states besides the one at the first tick
    uint64_t keyframe_bytes; ///< of the file, these
    uint32_t event_count;    ///< what happened: bks_replay_get_event()
    uint32_t rollback_count; ///< as they happened: bks_replay_get_rollback()
    uint32_t hash_bits;      ///< kept of most hashes
    const bks_state_range *ranges;      ///< what the bytes of the state are called
    uint32_t range_count;               ///< length of it
    const bks_field *fields;            ///< the layout: names, bits, signs, neutrals and groups
    uint32_t field_count;               ///< length of it
    const bks_replay_pair *options;     ///< the game's options by name
    uint32_t option_count;              ///< length of it
    const bks_replay_pair *environment; ///< compiler, architecture, byte order, library, …
    uint32_t environment_count;         ///< length of it
} bks_replay_info;

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
/// bks_replay_get_lost() tells what is missing.
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
///     fetch(want.offset_bytes, everything);            // the last piece: what is sealed from
///     there bks_replay_open_growing(pieces, count, …);
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

/// Read a recording that is still being written: what is sealed. Then bks_replay_refresh() as it
/// grows. What ends in the middle of a record is waited for.
/// @param pieces  of the file, the first from its beginning on, each beginning behind the one
///                before; borrowed until bks_replay_refresh() or bks_replay_close()
/// @param count   1..BKS_REPLAY_PIECES_MAX
/// @return as bks_replay_open()
/// Owned by the caller; release with bks_replay_close().
BKS_API BKS_NODISCARD bks_status bks_replay_open_growing(const bks_replay_piece *pieces,
                                                         uint32_t count,
                                                         const bks_allocator *allocator,
                                                         bks_replay **out, bks_error *error);

/// More of a growing recording has come: take in what is sealed by now. What bks_replay_get_info()
/// points to is told anew.
/// @param pieces  as for bks_replay_open_growing(), with more bytes in the last; they may lie
///                elsewhere now
/// @param count   as then
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED, BKS_ERR_OUT_OF_MEMORY (close it then),
///         BKS_ERR_BAD_ARGUMENT (also for a replay that was not opened as growing)
BKS_API bks_status bks_replay_refresh(bks_replay *replay, const bks_replay_piece *pieces,
                                      uint32_t count, bks_error *error);

/// Unpack all inputs and hashes once: right checks do not say that what they cover makes sense.
/// What does not is lost from now on, as damage is. A file of version 1 was unpacked when opened.
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (as bks_replay_open()),
/// BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_check(bks_replay *replay, bks_error *error);

/// Release a replay. NULL is allowed.
BKS_API void bks_replay_close(bks_replay *replay);

/// What is in it.
/// @return the facts, valid until bks_replay_close(); NULL for NULL
BKS_API const bks_replay_info *bks_replay_get_info(const bks_replay *replay);

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
BKS_API bks_status bks_replay_get_lost(const bks_replay *replay, uint32_t index,
                                       bks_replay_lost *out);

/// A state in the file besides the one at its first tick.
typedef struct bks_replay_keyframe {
    bks_tick tick;         ///< it is that at the start of this tick
    bool is_whole;         ///< else it is told by what differs from the keyframe before it
    bool is_usable;        ///< all keyframes that it is told by are there too
    uint64_t offset_bytes; ///< of its record
    uint64_t bytes;        ///< of its record
    uint64_t state_bytes;  ///< unpacked
} bks_replay_keyframe;

/// One keyframe.
/// @param index  0..info->keyframes-1, in the order of ticks
/// @param out    receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_get_keyframe(const bks_replay *replay, uint32_t index,
                                           bks_replay_keyframe *out);

/// Unpack a keyframe and what it is told by, 16 at most.
/// @param index     0..info->keyframes-1
/// @param out       receives state_bytes bytes, not NULL
/// @param capacity  at least the state_bytes of the keyframe and of all that it is told by
/// @param error     may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED
BKS_API BKS_NODISCARD bks_status bks_replay_keyframe_state(const bks_replay *replay, uint32_t index,
                                                           void *out, size_t capacity,
                                                           bks_error *error);

/// One event.
/// @param index  0..info->event_count-1, in the order in which they were written
/// @param out    receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_get_event(const bks_replay *replay, uint32_t index,
                                        bks_replay_event *out);

/// A rollback of the peer that recorded.
typedef struct bks_replay_rollback {
    bks_tick present; ///< the tick at whose start the game stood
    bks_tick from;    ///< the first tick that had been stepped with a wrong guess
} bks_replay_rollback;

/// One rollback.
/// @param index  0..info->rollback_count-1, in the order in which they happened
/// @param out    receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_get_rollback(const bks_replay *replay, uint32_t index,
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

/// What the outside answered to a question of a step. A playback gives it by itself.
/// @param out_bytes  receives the answer, in the bytes of the file: valid as long as they are and
///                   until bks_replay_refresh(); NULL when there is none
/// @param out_count  receives its bytes, 1..BKS_ANSWER_BYTES_MAX, 0 when there is none
/// @return BKS_OK, also when there is none; BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_replay_fact(const bks_replay *replay, bks_tick tick, uint32_t question,
                                   const void **out_bytes, size_t *out_count);

/// The inputs of one tick. Cheap in order, either way; a jump unpacks up to some minutes of ticks,
/// at a small part of what stepping them costs.
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

/// Whether a hash is the one that was recorded, as far as that was.
/// @param hash  computed
/// @return false only when the tick was hashed and the recorded bits differ
BKS_API bool bks_replay_hash_agrees(bks_replay *replay, bks_tick tick, uint64_t hash);

/// Unpack the state at the first tick.
/// @param out       receives info->state_bytes bytes
/// @param capacity  at least that
/// @param error     may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED
///         (damage, as bks_replay_open() told it; or info->has_pointers), BKS_ERR_INCOMPLETE (the
///         file ends before the state does, or was opened from a keyframe on)
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

/// Where two recordings first differ, as far as both confirm. Each kind of thing is compared for
/// itself; a tick is BKS_TICK_NONE when none differs. What only one of them holds is not compared.
typedef struct bks_replay_comparison {
    bks_tick first; ///< the first tick that both have
    bks_tick until; ///< the tick up to which both confirm; below `first`: none is in both

    bks_tick inputs_compared;   ///< ticks whose inputs were; 0 when the layouts differ
    bks_input_difference input; ///< the first that differs

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

    bks_tick lost; ///< ticks before `until` whose inputs one of them has lost

    bks_tick guesses_compared;  ///< ticks from `until` on that both have, guessed by one at least
    bks_input_difference guess; ///< the first input that differs there
} bks_replay_comparison;

/// Compare two recordings: of two peers of a match, or of the same inputs stepped by two builds.
/// @param a, b   not NULL, may be the same
/// @param out    receives what was found, not NULL
/// @param error  may be NULL
/// @return BKS_OK, whether they differ or not; BKS_ERR_BAD_ARGUMENT; BKS_ERR_OUT_OF_MEMORY
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

/// With which knowledge a playback steps.
typedef enum bks_playback_view {
    BKS_VIEW_STRAIGHT = 0,  ///< every tick once, with the inputs that were played
    BKS_VIEW_AS_PLAYER = 1, ///< as one player's machine: the others' inputs are known late, guessed
                            ///< until then as in a session, and rolled back when they were wrong
    BKS_VIEW_AS_RECORDED = 2, ///< as the machine that recorded, with the rollbacks in the recording
} bks_playback_view;

/// What a playback needs. Start from {0}.
typedef struct bks_playback_config {
    bks_replay *replay;       ///< required, must outlive the playback, serves one at a time
    const bks_game *game;     ///< required, must outlive the playback
    bool any_version;         ///< true: play the inputs with another version of the game, and with
                              ///< defaults for options the recording does not know
    bool from_recorded_state; ///< true: start from the state in the file, not from `init`
    bks_playback_view view;   ///< default BKS_VIEW_STRAIGHT. In the others the state is what that
                              ///< machine had, guesses included, and it cannot go back
    uint32_t player;          ///< BKS_VIEW_AS_PLAYER: who, 0..info->players-1
    uint32_t late_ticks;      ///< BKS_VIEW_AS_PLAYER: how late the others' inputs are, 1..250;
                              ///< 0 (default): 6
    size_t memory_bytes;     ///< states to keep besides the keyframes in the file, to go back to; 0
                             ///< (default): none, or 16 MiB where raw pointers keep states out of
                             ///< files (bks_game.pointers). Taken when the playback is created
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

/// Release a playback. NULL is allowed.
BKS_API void bks_playback_destroy(bks_playback *playback);

/// Step one tick. Behind the last one, in a view that guesses, it is rolled back for good: the
/// state is then as if nothing had been guessed.
/// @return BKS_OK; BKS_ERR_OVER when the recording has no more; BKS_ERR_DAMAGED when the tick is
///         lost, or a seek failed and no state could be taken since; BKS_ERR_GAME when the game
///         said that it cannot go on, a log line says why: the playback stays at that tick until it
///         seeks; BKS_ERR_BAD_ARGUMENT for NULL
BKS_API bks_status bks_playback_step(bks_playback *playback);

/// The same with the inputs of that tick at hand, which are then not read here: unpacking them is
/// what a step costs beside the game's own, and another thread can do it ahead of this one, by
/// bks_replay_inputs() on a replay of its own.
/// @param inputs  as bks_replay_inputs() gives them; not NULL
/// @return BKS_OK; BKS_ERR_OVER; BKS_ERR_GAME; BKS_ERR_DAMAGED when a seek failed and no state
///         could be taken since; BKS_ERR_BAD_ARGUMENT for NULL, and in a view that guesses
BKS_API bks_status bks_playback_step_with(bks_playback *playback, const int32_t *inputs);

/// Go to any tick, forwards or backwards: from the nearest state before it that is at hand, by
/// steps. What these leave behind is not heard.
/// @param tick   info->first..info->end; one back is bks_playback_tick() - 1. In a view that
///               guesses it is refused
/// @param error  may be NULL
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT; BKS_ERR_DAMAGED when ticks before it are lost and no
///         keyframe stands behind them, or the recorded state is refused: its arena or a pool is
///         not sound, or the game's `check` says no; BKS_ERR_INCOMPLETE; BKS_ERR_OUT_OF_MEMORY.
///         After a failure the playback stands at some tick that can be played, if there is one
BKS_API bks_status bks_playback_seek(bks_playback *playback, bks_tick tick, bks_error *error);

/// What a playback did so far.
typedef struct bks_playback_costs {
    uint64_t steps;     ///< ticks stepped, again too
    uint64_t rollbacks; ///< in a view that guesses
    uint64_t keyframes; ///< keyframes of the file unpacked
    uint64_t starts;    ///< times that the state of the first tick was taken up
    uint64_t kept;      ///< states kept in memory
} bks_playback_costs;

/// What it did so far.
/// @param out  receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_playback_get_costs(const bks_playback *playback, bks_playback_costs *out);

/// The state as bytes, from which another match can go on: see bks_peer_config.
/// @param out       receives the bytes; NULL asks for the most that they ever take in this
///                  recording, whatever the tick
/// @param capacity  bytes at `out`
/// @return bytes written; with a NULL `out` the most there ever are; 0 when capacity is too small,
///         the game could not save, its state holds raw pointers (logged), or playback is NULL
BKS_API size_t bks_playback_export(bks_playback *playback, void *out, size_t capacity);

/// Ticks stepped: the state is at the start of this tick.
/// @return the tick, 0 for NULL
BKS_API bks_tick bks_playback_tick(const bks_playback *playback);

/// Ticks that will not be stepped again: fewer than bks_playback_tick() in a view that guesses.
/// @return one past the last of them, 0 for NULL
BKS_API bks_tick bks_playback_confirmed(const bks_playback *playback);

/// The state as it is. Read only, stays at one address.
/// @return the state, NULL for NULL
BKS_API const void *bks_playback_state(const bks_playback *playback);

/// Hash of the state as it is.
/// @return the hash, 0 for NULL
BKS_API uint64_t bks_playback_hash(bks_playback *playback);

/// Listen to marks and notes from now on; NULL stops. Copied.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_playback_listen(bks_playback *playback,
                                       const bks_playback_listener *listener);

/// What verifying a replay found.
typedef struct bks_verify_result {
    bool is_same;             ///< nothing differed
    bks_tick stepped;         ///< ticks stepped
    bks_tick compared;        ///< hashes compared
    uint32_t keyframes;       ///< keyframes compared
    bks_tick first_different; ///< the first tick whose state differs, BKS_TICK_NONE when none does
    uint64_t recorded;        ///< at that tick, `recorded_bits` of it
    uint32_t recorded_bits;   ///< as recorded; 0 when the state at tick 0 or a keyframe tells it
    uint64_t computed;        ///< at that tick
    uint32_t page;            ///< the first page that differs at tick 0 when recorded_bits is 0
} bks_verify_result;

/// Which part of a replay is verified, and who hears how far it is. {0}: all of it.
typedef struct bks_verify_part {
    bks_tick from;  ///< compare from this tick on, 0..info->confirmed; stepped is from the newest
                    ///< keyframe before it
    bks_tick until; ///< compare up to this tick, itself included: from..info->end; 0: all
    /// Called now and then with the ticks done and the last one; false ends it. NULL: nobody hears.
    bool (*progress)(void *context, bks_tick done, bks_tick last);
    void *context; ///< handed to progress, may be NULL
} bks_verify_part;

/// Step a replay again and compare the state at tick 0, every hash and, for games without a hash of
/// their own, every keyframe. A recording that begins later is stepped from the state in it. Ticks
/// that were not confirmed have no hash and are not stepped. Behind lost ticks it goes on from the
/// next keyframe.
/// @param config  as for bks_playback_create(); from_recorded_state must be false
/// @param part    NULL: all
/// @param result  receives what was found, not NULL; also with BKS_ERR_DESYNC and BKS_ERR_DAMAGED
/// @param error   may be NULL
/// @return BKS_OK: all is the same as far as the file goes; BKS_ERR_DESYNC: it is not;
///         BKS_ERR_DAMAGED: bytes of the file are wrong, `result` tells what stands before them;
///         BKS_ERR_OVER: progress ended it; BKS_ERR_GAME: the game failed where it did not when it
///         was recorded; the codes of bks_playback_create()
BKS_API BKS_NODISCARD bks_status bks_replay_verify(const bks_playback_config *config,
                                                   const bks_verify_part *part,
                                                   bks_verify_result *result, bks_error *error);

/// Cut a replay into parts that can be verified at the same time, each by a thread with a
/// bks_replay of its own over the same bytes. Each part but the first begins with a keyframe, which
/// the part before compares; so when all parts are the same, the whole is. Part i is from the tick
/// behind untils[i - 1], part 0 from 0.
/// @param config  as for bks_replay_verify()
/// @param parts   most parts, at least 1
/// @param untils  receives `until` of each part
/// @return how many parts, of about as many ticks each; 1 when it has no keyframes, has lost ticks,
///         is in a view that guesses, or the game has a hash of its own, by which keyframes are not
///         compared; 0 for NULL
BKS_API uint32_t bks_replay_split(const bks_playback_config *config, uint32_t parts,
                                  bks_tick *untils);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_REPLAY_H
