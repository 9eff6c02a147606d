// SPDX-License-Identifier: MIT

/// @file toolkit/writer.h Writes a recording of a match, `.bks`, so that a crash at any moment
/// loses only the tick being written. docs/spec/replay.md describes the bytes.
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
    const bks_game *game;  ///< the game, required
    uint64_t seed;         ///< seed of the match, as in bks_start
    uint32_t players;      ///< number of players, 1..players_max
    uint32_t tick_rate_hz; ///< tick rate of the match in Hz, 1..1000
    /// First tick of the recording, default 0; `state` is the state at its start. Above 0 for a
    /// part of another recording, or for a match that continues one.
    bks_tick first_tick;
    bks_option_values options; ///< option values of the match, as in bks_start
    const char *build;         ///< name of the game's build, up to 63 bytes; NULL: empty
    /// Most ticks that can be used and not yet confirmed: window + delay + 1 of the match, 1..512.
    uint32_t unconfirmed_ticks_max;
    /// True if the state holds raw pointers, even if game->pointers is false: no state is written,
    /// and first_tick is 0.
    bool pointers;
    /// The state at first_tick, as bytes; may be NULL if `pointers` is true.
    const void *state;
    size_t state_bytes;          ///< size of `state`, 1..1 GiB
    const uint64_t *page_hashes; ///< page hashes of `state`; NULL: none
    size_t page_count;           ///< length of `page_hashes`
    /// Maximum size of a state, at least state_bytes; needed for keyframes; 0 (default):
    /// state_bytes.
    size_t state_bytes_max;
    bks_replay_detail detail; ///< contents of the recording besides inputs and hashes
    /// Description of the machine, when a recording is written from another one; NULL (default):
    /// this machine.
    const bks_replay_pair *environment;
    uint32_t environment_count; ///< length of `environment`, 0..BKS_REPLAY_ENVIRONMENT_MAX
    bks_sink sink;              ///< destination of the recording, required
    bks_allocator allocator;    ///< memory hooks, default malloc and free
} bks_replay_config;

/// Writer of one recording. Opaque.
typedef struct bks_replay_writer bks_replay_writer;

/// Begin a recording: the call writes the header, and allocates all memory.
/// @param config  copied
/// @param out     receives the writer, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_IO
/// Owned by the caller; release with bks_replay_writer_destroy().
BKS_NODISCARD bks_status bks_replay_writer_create(const bks_replay_config *config,
                                                  bks_replay_writer **out, bks_error *error);

/// Release a writer; the bytes written so far stay. NULL is allowed.
void bks_replay_writer_destroy(bks_replay_writer *writer);

/// Pass the inputs with which the ticks from the first unconfirmed one on will be stepped, before
/// they are stepped. When the call returns, the inputs have been written to the sink; they replace
/// those passed before.
/// @param first   the first tick not yet confirmed by bks_replay_writer_confirm()
/// @param count   number of ticks, 0..unconfirmed_ticks_max
/// @param inputs  count * players * field_count values, tick by tick
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_use(bks_replay_writer *writer, bks_tick first, uint32_t count,
                                 const int32_t *inputs);

/// Confirm one tick as final: its inputs, and the hash of the state at its start. Confirm ticks in
/// order, from first_tick on. The tick is written by the next bks_replay_writer_use(),
/// bks_replay_writer_flush() or at the end.
/// @param inputs  players * field_count values
/// @param hash    NULL when this tick was not hashed
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_confirm(bks_replay_writer *writer, bks_tick tick,
                                     const int32_t *inputs, const uint64_t *hash);

/// Pass the contents of all recorded ranges at the start of the tick that will be confirmed next,
/// one range after the other. Without this call they are recorded as zeros. If no range is
/// recorded, the call does nothing.
/// @param tick    the first tick not yet confirmed
/// @param values  the bytes of all recorded ranges together
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_values(bks_replay_writer *writer, bks_tick tick, const void *values);

/// Pass the hashes of the state's pages at the start of the tick that will be confirmed next; their
/// lower half is recorded. Without detail.page_hashes the call does nothing.
/// @param tick    the first tick not yet confirmed
/// @param hashes  hashes by page
/// @param count   number of pages in use, up to that of state_bytes_max
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_pages(bks_replay_writer *writer, bks_tick tick, const uint64_t *hashes,
                                   size_t count);

/// Pass the state at the marks of the tick that will be confirmed next, as a row of
/// docs/spec/replay.md. Without detail.marks the call does nothing; a tick without this call has no
/// row.
/// @param tick   the first tick not yet confirmed
/// @param row    may be NULL when count is 0
/// @param count  size of `row`, up to 1 MiB
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_marks(bks_replay_writer *writer, bks_tick tick, const void *row,
                                   size_t count);

/// Record a rollback: ticks that had been stepped with guesses, one of them wrong, are stepped
/// again. It is written together with the next ticks. Without detail.rollbacks the call does
/// nothing.
/// @param present  present tick at the time of the rollback
/// @param from     the first tick that was stepped with a wrong guess, up to unconfirmed_ticks_max
///                 before `present`
/// @param inputs   inputs with which the ticks `from` to `present` - 1 had been stepped
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_rollback(bks_replay_writer *writer, bks_tick present, bks_tick from,
                                      const int32_t *inputs);

/// Tell the writer the cost of a step: each tick confirmed from now on takes `step_ns` to step
/// again. With BKS_AUTO a keyframe is due when the ticks since the last one take a second. If the
/// budget for keyframes is used up and the ticks since the last keyframe take two seconds, one
/// warning ("replay.keyframes") says so.
/// @param step_ns  duration of a step, measured or modelled; 0 (initially): not known, so no
///                 keyframe becomes due because of it; more than a second counts as a second
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_replay_writer_step_cost(bks_replay_writer *writer, uint64_t step_ns);

/// Get the tick at which a keyframe is due. The state of a later tick will do as well.
/// @return first tick whose state is wanted for bks_replay_writer_keyframe(), which accepts it once
///         the tick is final or is the first unconfirmed one. BKS_TICK_NONE when no keyframe is
///         due, or for NULL
bks_tick bks_replay_writer_keyframe_due(const bks_replay_writer *writer);

/// Write a keyframe: the state at the start of a tick, for seeking. It has been written when the
/// call returns, unless it would exceed detail.keyframe_bytes; then it is left out and another is
/// due later.
/// @param tick   from bks_replay_writer_keyframe_due() to the first unconfirmed tick
/// @param state  the state as bytes, 1..state_bytes_max
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_keyframe(bks_replay_writer *writer, bks_tick tick, const void *state,
                                      size_t state_bytes);

/// Write everything that is not yet written.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_flush(bks_replay_writer *writer);

/// End the recording, which is then complete. Ticks that were used and not confirmed are dropped.
/// If the match has not ended, write a BKS_REPLAY_CLOSED event first.
/// @param final_hash  hash of the state at the start of the tick after the last confirmed one; NULL
///                    when it was not hashed
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_finish(bks_replay_writer *writer, const uint64_t *final_hash);

/// Record an event. It has been written when the call returns, in the order of the calls.
/// @param event  not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_event(bks_replay_writer *writer, const bks_replay_event *event);

/// Record a repair. It has been written when the call returns. After a repair of the recording
/// peer's own state (`until` above `since`) a keyframe is due, so that a playback can continue from
/// the right state.
/// @param repair  not NULL. Among repairs whose `until` is above `since`, neither value may
///                decrease from one repair to the next, and `until` is at most the first
///                unconfirmed tick
/// @param agreed  repair->agreed_count hashes, their ticks rising, `since` up to the one before
///                `until`; may be NULL when there is none
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_repair(bks_replay_writer *writer, const bks_replay_repair *repair,
                                    const bks_replay_agreed *agreed);

/// Record the commands of a tick, before the tick is passed or confirmed. A tick without commands
/// needs no call. The game's command_bytes_max must be above 0.
/// @param tick      tick of the commands, greater than in all earlier calls
/// @param commands  an entry for each player
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_commands(bks_replay_writer *writer, bks_tick tick,
                                      const bks_commands *commands);

/// Record a fact that a step received from outside (bks_ask()). It has been written when the call
/// returns, before the step continues.
/// @param tick      tick being stepped, not less than in an earlier call
/// @param question  number of the question; each at most once in a tick
/// @param bytes     the answer
/// @param count     size of the answer, 1..BKS_ANSWER_BYTES_MAX
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bks_replay_writer_fact(bks_replay_writer *writer, bks_tick tick, uint32_t question,
                                  const void *bytes, size_t count);

// A file as the sink of a recording, as a match opens it for `record_path`: for peers, labs and
// writers, which take any sink. Every write reaches the system before it returns, so a crash of
// this process loses nothing that was written. An older file with the same name is kept until the
// first write; a new file without any write is removed.
//
//     bks_record_file file;
//     if (bks_record_file_open(&file, "match.bks", "tag", &error) != BKS_OK) …
//     config.record = bks_record_file_sink(&file);
//     …                                              // play, destroy the peer
//     bks_record_file_close(&file);
//     if (file.is_failed) …                          // the recording is not whole
//
// Thread rule: a file belongs to one thread at a time.

/// Size of the longest path, its terminating zero included.
#define BKS_RECORD_PATH_BYTES_MAX 4096

/// A file being written, set up by bks_record_file_open(). Read its fields only; {.descriptor = -1}
/// is a closed file.
typedef struct bks_record_file {
    int descriptor; ///< file descriptor of the open file, -1: closed
    bool is_new;    ///< true if bks_record_file_open() created the file
    /// True after the first complete write: the file is a valid recording.
    bool is_written;
    bool is_failed; ///< true after a failed or incomplete write
    /// Path of the file, "" when closed.
    char path[BKS_RECORD_PATH_BYTES_MAX];
} bks_record_file;

/// Open the file for a recording.
/// @param file       receives the file; closed on failure
/// @param path       path of the file; NULL: GAME-DATE-TIME-PID.bks in the working folder, with a
///                   name not yet used
/// @param game_name  name of the game, for the file name; required when `path` is NULL
/// @param error      may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (the path is too long or empty),
///         BKS_ERR_IO
BKS_NODISCARD bks_status bks_record_file_open(bks_record_file *file, const char *path,
                                              const char *game_name, bks_error *error);

/// Close the file. A file without a complete write is removed if bks_record_file_open() created it.
/// A closed file and NULL are allowed.
void bks_record_file_close(bks_record_file *file);

/// Get the file as a sink. Do not move or copy `file` while the sink is used.
/// @return the sink; for NULL one without `write`
bks_sink bks_record_file_sink(bks_record_file *file);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_WRITER_H
