// SPDX-License-Identifier: MIT

/// @file record.h
/// How much a recording holds and where its bytes go: what a match, a peer, the lab and a writer
/// are given. The writer itself stands in replay_writer.h, the reader in replay_reader.h.
///
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
    /// Write bytes at an offset, not buffered: when it returns, a crash of this process no longer
    /// loses them. An offset may lie before the end (the tail is written anew in place).
    /// @return BKS_OK, BKS_ERR_IO: nothing more is written then, also when there is room again. The
    ///         recording is what it were if the process had been killed in this write
    bks_status (*write)(void *context, uint64_t offset_bytes, const void *bytes, size_t count);
    void *context; ///< handed to write, may be NULL
} bks_sink;

/// Most bytes of values that are recorded of a tick, or 4 for each page.
#define BKS_VALUES_BYTES_MAX 16384

/// How much a recording holds. {0} is inputs and hashes alone; 0 is each field's default.
typedef struct bks_replay_detail {
    uint32_t hash_bits;       ///< kept of each hash, 1..64, default 16
    uint32_t full_hash_ticks; ///< ticks from one hash kept in full (64 bits) to the next, default a
                              ///< second's
    uint32_t chunk_ticks;     ///< most ticks sealed together, 1..1024, default four seconds';
                              ///< readers of a growing file lag behind by as many
    uint32_t keyframe_ticks;  ///< least ticks between two keyframes, 1..1000000; 0 (default): no
                              ///< keyframes; BKS_AUTO: spaced for seeking, ten seconds, less with
                              ///< keyframe_bytes above 64 KiB (ten seconds * 64 KiB /
                              ///< keyframe_bytes, at least a quarter of a second), and never so far
                              ///< that the ticks between two take over a second to step, as
                              ///< bks_replay_writer_step_cost() reports it
    uint64_t keyframe_bytes;  ///< what keyframes may take, a minute from the first tick on: at no
                              ///< time have they taken more, they come less often. 0 (default): 64
                              ///< KiB; with BKS_AUTO more where a seek would step for
                              ///< over a second, up to 4 MiB and the first minute's at once
    bool page_hashes; ///< 32 bits of the hash of every page at every tick; for states of up to 16
                      ///< MiB in a region
    bool rollbacks;   ///< every rollback, with the guesses that were wrong
    bool values;      ///< the values of the game's ranges that are marked for it (is_recorded), at
                      ///< the start of every tick; together at most BKS_VALUES_BYTES_MAX
} bks_replay_detail;

#endif // BACKSTITCH_RECORD_H
