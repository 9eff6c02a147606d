// SPDX-License-Identifier: MIT

/// @file toolkit/writer.h
/// Writes a recording of a match, `.bks`, so that a crash at any moment loses nothing but the tick
/// in hand. The bytes are described in docs/spec/replay.md.
///
///     bks_replay_config config = {.game = &duel_game, .players = 2, .tick_rate_hz = 60};
///     config.state = state; // that at the start of the first tick
///     config.state_bytes = state_bytes;
///     config.unconfirmed_ticks_max = 1;
///     config.sink = sink;
///     bks_option_values_default(&duel_game, &config.options);
///     status = bks_replay_writer_create(&config, &writer, &error);
///     for (bks_tick tick = 0; tick < ticks; tick++) {
///         bks_replay_writer_use(writer, tick, 1, inputs);        // before the step
///         bks_replay_writer_confirm(writer, tick, inputs, NULL); // once it is final
///     }
///     bks_replay_writer_finish(writer, NULL);
///     bks_replay_writer_destroy(writer);
///
/// Thread rule: a writer belongs to one thread at a time.

#ifndef BACKSTITCH_TOOLKIT_WRITER_H
#define BACKSTITCH_TOOLKIT_WRITER_H

#include "backstitch/game.h"
#include "backstitch/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Configuration of a recording.
typedef struct bks_replay_config {
    const bks_game *game;           ///< required
    uint64_t seed;                  ///< as in bks_start
    uint32_t players;               ///< 1..players_max
    uint32_t tick_rate_hz;          ///< 1..1000
    bks_tick first_tick;            ///< the recording begins at, default 0, and `state` is that at
                                    ///< its start: above 0 for a part of another recording, or a
                                    ///< match that continues one
    bks_option_values options;      ///< as in bks_start
    const char *build;              ///< names the game's build, up to 63 bytes; NULL: empty
    uint32_t unconfirmed_ticks_max; ///< most ticks that may be used and not yet confirmed: window +
                                    ///< delay + 1; 1..512
    bool pointers; ///< the state holds raw pointers, also where game->pointers does not say so: no
                   ///< state is written, and first_tick is 0
    const void *state;           ///< the state at first_tick, as bytes; with pointers it may be
                                 ///< NULL
    size_t state_bytes;          ///< 1..1 GiB
    const uint64_t *page_hashes; ///< page hashes of that state; NULL when there are none
    size_t page_count;           ///< length of page_hashes
    size_t state_bytes_max;      ///< most bytes a state takes, at least state_bytes; needed for
                                 ///< keyframes; 0 (default): state_bytes
    bks_replay_detail detail;    ///< further detail that is kept
    const bks_replay_pair *environment; ///< environment in which it was recorded, for one that is
                                        ///< written from another; NULL (default): this one
    uint32_t environment_count;         ///< length of `environment`, 0..BKS_REPLAY_ENVIRONMENT_MAX
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
BKS_NODISCARD bks_status bks_replay_writer_create(const bks_replay_config *config,
                                                  bks_replay_writer **out, bks_error *error);

/// Release a writer; what is written stays as it is. NULL is allowed.
void bks_replay_writer_destroy(bks_replay_writer *writer);

/// Pass the inputs with which the ticks from the first unconfirmed one on are about to be stepped,
/// before they are. They are written to the sink when it returns, and replace those passed before.
/// @param first   the first tick not yet confirmed by bks_replay_writer_confirm()
/// @param count   ticks, 0..unconfirmed_ticks_max
/// @param inputs  count * players * field_count values, tick by tick
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_use(bks_replay_writer *writer, bks_tick first, uint32_t count,
                                 const int32_t *inputs);

/// Confirm one tick as final: its inputs, and the hash of the state at its start. Ticks come in
/// order, first_tick first. Written with the next bks_replay_writer_use(),
/// bks_replay_writer_flush() or at the end.
/// @param inputs  players * field_count values
/// @param hash    NULL when this tick was not hashed
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_confirm(bks_replay_writer *writer, bks_tick tick,
                                     const int32_t *inputs, const uint64_t *hash);

/// Pass the contents of the recorded ranges at the start of the tick that is confirmed next, one
/// after the other. Without a call they are zeros. Without such ranges nothing happens.
/// @param tick    the first tick not yet confirmed
/// @param values  the bytes of all these ranges together
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_values(bks_replay_writer *writer, bks_tick tick, const void *values);

/// Pass the hashes of the state's pages at the start of the tick that is confirmed next; their
/// lower half is kept. Without detail.page_hashes nothing happens.
/// @param tick    the first tick not yet confirmed
/// @param hashes  by page
/// @param count   pages in use, up to those of state_bytes_max
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_pages(bks_replay_writer *writer, bks_tick tick, const uint64_t *hashes,
                                   size_t count);

/// Pass the state at the marks of the tick that is confirmed next, as a row of docs/spec/replay.md.
/// Without detail.marks nothing happens; a tick without a call has no row.
/// @param tick   the first tick not yet confirmed
/// @param row    may be NULL when count is 0
/// @param count  its bytes, up to 1 MiB
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_marks(bks_replay_writer *writer, bks_tick tick, const void *row,
                                   size_t count);

/// Record a rollback: some ticks had been stepped with guesses of which one was wrong, and are
/// stepped again. Written with the ticks that are appended next. Without detail.rollbacks nothing
/// happens.
/// @param present  the tick at whose start the game stood
/// @param from     the first tick that was stepped with a wrong guess, up to unconfirmed_ticks_max
///                 before `present`
/// @param inputs   inputs with which the ticks from there up to `present` had been stepped
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_rollback(bks_replay_writer *writer, bks_tick present, bks_tick from,
                                      const int32_t *inputs);

/// Report the cost of a step: each tick confirmed from now on takes `step_ns` to step again. With
/// BKS_AUTO a keyframe is due when those since the last one take a second. When the budget has no
/// room for it and they take two, a warning ("replay.keyframes") says so, once.
/// @param step_ns  time of a step on this machine or by a model; 0 (at first): not known, it asks
///                 for no keyframe; above a second counts as a second
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_writer_step_cost(bks_replay_writer *writer, uint64_t step_ns);

/// Find out whether a keyframe is due. The state of a later tick will do as well.
/// @return the first tick whose state is wanted, as soon as that tick is the first unconfirmed one
///         or lies before it; BKS_TICK_NONE when none is wanted yet, or NULL is given
bks_tick bks_replay_writer_keyframe_due(const bks_replay_writer *writer);

/// Keep the state at the start of a tick, for seeking. Written when it returns; or left out, where
/// it takes more than detail.keyframe_bytes has room for by then, and one is due again later.
/// @param tick   bks_replay_writer_keyframe_due() .. the first unconfirmed tick
/// @param state  as bytes, 1..state_bytes_max
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_keyframe(bks_replay_writer *writer, bks_tick tick, const void *state,
                                      size_t state_bytes);

/// Write what is not yet written.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_flush(bks_replay_writer *writer);

/// End the recording: it is complete from now on. Ticks used and not confirmed are dropped. Where
/// the match does not end with them, write a BKS_REPLAY_CLOSED event first.
/// @param final_hash  hash of the state at the start of the tick after the last confirmed one; NULL
///                    when it was not hashed
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_finish(bks_replay_writer *writer, const uint64_t *final_hash);

/// Record an event. Written when it returns; in the order of the calls.
/// @param event  not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_event(bks_replay_writer *writer, const bks_replay_event *event);

/// Record a repair. Written when it returns. After one of the recording peer's own state (`until`
/// above `since`) a keyframe is due, so that playing can continue from the right state.
/// @param repair  not NULL. Of those whose `until` is above `since` neither of these two may be
/// less
///                than in the one before, and `until` is at most the first unconfirmed tick
/// @param agreed  repair->agreed_count hashes, their ticks rising, `since` up to the one before
///                `until`; may be NULL when there is none
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_repair(bks_replay_writer *writer, const bks_replay_repair *repair,
                                    const bks_replay_agreed *agreed);

/// Record a fact that a step received from outside (bks_ask()): written when this returns, before
/// the step continues.
/// @param tick      being stepped, not less than in an earlier call
/// @param question  as the game asked; once for each tick
/// @param bytes     the answer
/// @param count     1..BKS_ANSWER_BYTES_MAX
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_fact(bks_replay_writer *writer, bks_tick tick, uint32_t question,
                                  const void *bytes, size_t count);

// A file as the sink of a recording, as a match opens it for `record_path`: for peers, labs and
// writers, which take any sink. Every write reaches the system before it returns, so a crash of
// this process loses nothing that was written. An older file of the name is kept until the first
// write; a file that nothing was written to does not stay.
//
//     bks_record_file file;
//     if (bks_record_file_open(&file, "match.bks", "tag", &error) != BKS_OK) …
//     config.record = bks_record_file_sink(&file);
//     …                                              // play, destroy the peer
//     bks_record_file_close(&file);
//     if (file.is_failed) …                          // the recording is not whole
//
// Thread rule: a file belongs to one thread at a time.

/// Longest path, its terminating zero included.
#define BKS_RECORD_PATH_BYTES_MAX 4096

/// A file being written. Set by bks_record_file_open(), to be read only; {.descriptor = -1} is
/// closed.
typedef struct bks_record_file {
    int descriptor;                       ///< -1: closed
    bool is_new;                          ///< made by bks_record_file_open()
    bool is_written;                      ///< a write was whole: the file says what it is
    bool is_failed;                       ///< a write was not
    char path[BKS_RECORD_PATH_BYTES_MAX]; ///< "" when there is none
} bks_record_file;

/// Open the file of a recording.
/// @param file       receives it; closed on failure
/// @param path       NULL: GAME-DATE-TIME-PID.bks in the working folder, a name not yet taken
/// @param game_name  for that name; required when `path` is NULL
/// @param error      may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (the path is too long or empty),
///         BKS_ERR_IO
BKS_NODISCARD bks_status bks_record_file_open(bks_record_file *file, const char *path,
                                              const char *game_name, bks_error *error);

/// Close the file; a file without a whole write is removed if it was made by
/// bks_record_file_open(). Closed already and NULL are allowed.
void bks_record_file_close(bks_record_file *file);

/// Get the file as a sink; `file` must stay where it is.
/// @return the sink; for NULL one without `write`
bks_sink bks_record_file_sink(bks_record_file *file);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_WRITER_H
