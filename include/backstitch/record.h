// SPDX-License-Identifier: MIT

/// @file record.h
/// What a recording holds and where its bytes go: settings that the configs of a match, a peer, the
/// lab and a writer share. replay_writer.h has the writer, replay_reader.h the reader.
///
///     bks_peer_config config = bks_peer_config_default();
///     config.record = (bks_sink){.write = write_to_disk, .context = file};
///     config.record_detail.keyframe_ticks = BKS_AUTO;
///     config.record_detail.values = true;
///
/// Thread rule: a sink is called by the thread that calls the writer.

#ifndef BACKSTITCH_RECORD_H
#define BACKSTITCH_RECORD_H

#include "backstitch/base.h"

/// Where a recording goes.
typedef struct bks_sink {
    /// Write bytes at an offset, unbuffered: once this returns, a crash of the process cannot
    /// lose them. The offset may lie before the end, as the tail is rewritten in place.
    /// @return BKS_OK; BKS_ERR_IO: the library writes nothing more, even if there is room again.
    ///         The file is then as if the process had been killed in this write
    bks_status (*write)(void *context, uint64_t offset_bytes, const void *bytes, size_t count);
    void *context; ///< handed to write, may be NULL
} bks_sink;

/// Most bytes recorded of one tick by `values`, and by `page_hashes` (4 bytes for each page).
#define BKS_VALUES_BYTES_MAX 16384

/// What a recording holds. {0}: inputs and hashes alone. In every field 0 selects the default.
typedef struct bks_replay_detail {
    uint32_t hash_bits;       ///< bits kept of each state hash, 1..64, default 16
    uint32_t full_hash_ticks; ///< ticks from one hash kept in full (64 bits) to the next,
                              ///< 1..2147483647, default one second of ticks
    uint32_t chunk_ticks; ///< most ticks in one chunk (appended to the file as a whole), 1..1024,
                          ///< default four seconds of ticks; readers of a growing file lag
                          ///< behind by that many
    uint32_t keyframe_ticks; ///< least ticks between two keyframes, 1..1000000; 0 (default): no
                             ///< keyframes; BKS_AUTO: ten seconds, or less: where the ticks between
                             ///< two keyframes would take over a second to step (by
                             ///< bks_replay_writer_step_cost()), and with keyframe_bytes above
                             ///< 64 KiB (ten seconds * 64 KiB / keyframe_bytes, at least a quarter
                             ///< of a second)
    uint64_t keyframe_bytes; ///< bytes that keyframes may take for each minute since the first
                             ///< tick, up to 1 TiB. They never take more, but come less often.
                             ///< 0 (default): 64 KiB, and with BKS_AUTO up to 4 MiB where a seek
                             ///< would step for over a second, the first minute's share available
                             ///< at once
    bool page_hashes; ///< 32 bits of the hash of every page at every tick; for states in a region,
                      ///< of at most 16 MiB
    bool rollbacks;   ///< every rollback, with the guesses that were stepped
    bool marks; ///< the state at every mark of every tick, by what differs from the one before,
                ///< and every note, for states of at most 16 MiB without raw pointers; of a tick
                ///< that changes more than 1 MiB, or has states of over 128 MiB, nothing. Each
                ///< mark then costs a pass over the state, each note its formatting. Of games
                ///< with `create`, what `save` writes at the start of each tick instead of the
                ///< states at marks
    bks_tick marks_from;  ///< with `marks`: the first tick of which they are kept; default 0
    bks_tick marks_until; ///< one past the last, above marks_from; 0 (default): the match's end
    bool values; ///< the contents of the game's ranges that set is_recorded, at the start of
                 ///< every tick; together at most BKS_VALUES_BYTES_MAX
} bks_replay_detail;

#endif // BACKSTITCH_RECORD_H
