// SPDX-License-Identifier: MIT

/// @file replay.h
/// Recordings of a match, `.bks`: written so that a crash at any moment loses nothing but the tick
/// in hand, read without trusting a byte. The bytes are described in docs/spec/replay.md.
///
/// Thread rule: a writer or a replay belongs to one thread at a time.

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
    /// @return BKS_OK, BKS_ERR_IO
    bks_status (*write)(void *context, uint64_t offset_bytes, const void *bytes, size_t count);
    void *context; ///< handed to write, may be NULL
} bks_sink;

/// What a recording begins with.
typedef struct bks_replay_config {
    const bks_game *game;           ///< required
    uint64_t seed;                  ///< as in bks_start
    uint32_t players;               ///< 1..players_max
    uint32_t tick_rate_hz;          ///< 1..1000
    bks_option_values options;      ///< as in bks_start
    const char *build;              ///< names the game's build, up to 63 bytes; NULL: empty
    uint32_t unconfirmed_ticks_max; ///< most ticks that may be used and not yet confirmed: window +
                                    ///< delay + 1; 1..512
    const void *state;              ///< the state at tick 0, as bytes
    size_t state_bytes;             ///< 1..1 GiB
    const uint64_t *page_hashes;    ///< of the state at tick 0; NULL when there are none
    size_t page_count;              ///< length of page_hashes
    bks_sink sink;                  ///< required
    bks_allocator allocator;        ///< default malloc and free
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

/// One tick is final: its inputs, and the hash of the state at its start. Ticks come in order, 0
/// first. Written with the next bks_replay_writer_use(), bks_replay_writer_flush() or at the end.
/// @param inputs  players * field_count values
/// @param hash    NULL when this tick was not hashed
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_confirm(bks_replay_writer *writer, bks_tick tick,
                                             const int32_t *inputs, const uint64_t *hash);

/// Write what is not yet written.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_flush(bks_replay_writer *writer);

/// End the recording: it is complete from now on. Ticks used and not confirmed are dropped.
/// @param final_hash  of the state at the start of the tick after the last confirmed one; NULL when
///                    it was not hashed
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
BKS_API bks_status bks_replay_writer_finish(bks_replay_writer *writer, const uint64_t *final_hash);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_REPLAY_H
