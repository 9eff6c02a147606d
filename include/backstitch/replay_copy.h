// SPDX-License-Identifier: MIT

/// @file replay_copy.h
/// Writes a part of a recording as a recording of its own: the minute around a bug, or what is
/// intact of a damaged file. Ticks keep their numbers. Everything is copied as it was recorded:
/// inputs, hashes, facts, keyframes, events, repairs, values, page hashes and rollbacks, and the
/// evidence of a desync (replay_evidence.h) where the states differ in the part. What was wrong in
/// the whole is wrong in the copy too. No game is needed.
///
///     const bks_replay_copy_config config = {
///         .replay = replay, .from = 3600, .until = 7200,     // a keyframe holds the state of 3600
///         .sink = bks_record_file_sink(&file),
///     };
///     status = bks_replay_copy(&config, NULL, &error);
///
/// Thread rule: a copy belongs to the thread that has its replay.

#ifndef BACKSTITCH_REPLAY_COPY_H
#define BACKSTITCH_REPLAY_COPY_H

#include "backstitch/record.h"
#include "backstitch/replay_reader.h"

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

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_REPLAY_COPY_H
