// SPDX-License-Identifier: MIT

/// @file writer.h
/// The writer as its source files share it. writer_setup.c writes the beginning of a recording,
/// writer_tail.c the tail and the chunks, writer_samples.c optional details of each tick,
/// writer_keyframes.c states, writer_commands.c commands, and writer_evidence.c evidence, facts and
/// repairs. All of these write through writer_append.c. replay_writer.c calls all of them.

#ifndef BKSI_WRITER_H
#define BKSI_WRITER_H

#include "backstitch/record.h"
#include "backstitch/toolkit/writer.h"
#include "base/bits.h"
#include "replay/format/replay_chunk.h"
#include "replay/format/replay_commands.h"
#include "replay/format/replay_format.h"
#include "replay/format/replay_keyframe.h"
#include "replay/format/replay_marks.h"
#include "replay/format/replay_rollback.h"
#include "replay/format/replay_run.h"
#include "replay/format/replay_samples.h"
#include "replay/format/replay_tail.h"

/// Schedule and cost of keyframes.
typedef struct bksi_writer_keyframes {
    bksi_keyframe_packer *packer; ///< packer of keyframes; NULL: no keyframes are written
    bks_tick first_tick;          ///< first tick of the recording
    bks_tick spacing_ticks;       ///< most ticks from one keyframe to the next
    uint64_t seek_ns; ///< most time to step from one keyframe to the next, UINT64_MAX: no limit
    uint64_t bytes_per_minute; ///< most bytes of keyframes for each minute

    /// The budget of keyframe bytes was chosen automatically: it grows where a seek would take too
    /// long.
    bool is_budget_own;
    size_t state_bytes_max;
    bks_tick due;         ///< tick from which on a keyframe is due
    bks_tick last;        ///< tick of the newest keyframe, BKS_TICK_NONE: none yet
    uint64_t spent_bytes; ///< bytes of all keyframes so far
    /// Number of keyframes since the last whole one, including that one. 0: the next keyframe is
    /// whole.
    uint32_t count;
    uint64_t last_offset; ///< offset of the newest keyframe's record
    uint64_t start; ///< offset of the first record that the newest whole keyframe needs, 0: none
    uint64_t next_start;  ///< `start` of the whole keyframe that is due, 0: none is due
    uint64_t step_ns;     ///< time that a step takes at present, 0: unknown
    uint64_t stepping_ns; ///< time to step the ticks confirmed since the newest keyframe
    uint64_t wanted_ns;   ///< stepping_ns at which a keyframe is due, UINT64_MAX: only `due` counts
    uint64_t tried_bytes; ///< size of the newest keyframe that the budget had no room for
    bool has_warned;      ///< the warning that the budget is too small was logged
} bksi_writer_keyframes;

struct bks_replay_writer {
    bks_allocator allocator;
    bks_sink sink;
    bksi_layout layout;
    bksi_run_shape shape;
    size_t tick_bytes; ///< bytes of the packed inputs of all players
    uint32_t tick_rate_hz;
    uint32_t used_max;
    uint32_t chunk_ticks;
    bks_tick fact_tick;             ///< tick of the newest fact
    bksi_packer *commands;          ///< packer of commands; NULL: the game has no commands
    bks_tick command_tick;          ///< tick of the newest commands
    uint64_t commands_packed_bytes; ///< bytes of all packed contents of CMDS records, unpacked
    bks_tick wrong_since; ///< first tick of the newest repair of the recording peer's own states
    bks_tick wrong_until; ///< one past the last tick of the repair that begins at wrong_since
    bool is_failed;       ///< the sink failed, so nothing more is written
    bool is_finished;     ///< the recording is finished: nothing more is accepted
    bool is_dirty;        ///< the tail slots in the file lack inputs that were passed to the writer

    bks_tick first;         ///< first tick that is not appended yet
    uint32_t confirmed;     ///< number of confirmed ticks, from `first` on
    uint32_t used;          ///< number of used ticks, which follow the confirmed ones
    bksi_bit_writer inputs; ///< bits of the confirmed ticks and of the first `used_coded` used ones
    size_t confirmed_bits;  ///< number of bits of the confirmed ticks in `inputs`
    uint32_t used_coded;    ///< number of used ticks whose present bits are in `inputs`
    size_t *used_bits;      ///< end of the bits of each coded used tick in `inputs`
    bksi_models models;     ///< state of the coder after the confirmed ticks
    bksi_range_encoder coded; ///< coded inputs of the confirmed ticks, for the chunk
    bool is_plain;            ///< no chunk is coded by the models
    bool restarts;            ///< true if the coder restarted for the present chunk
    bool must_restart;        ///< true if the coder must restart for the next chunk
    bks_tick stretch;         ///< first tick after the newest restart of the coder
    bksi_bit_writer hashes;   ///< hashes of the confirmed ticks, for the tail
    uint64_t *hash_values;    ///< hashes of the confirmed ticks, for the chunk
    bool *is_hashed;          ///< for each confirmed tick: true if it has a hash
    uint8_t *last;            ///< packed inputs of the newest confirmed tick
    uint8_t *used_inputs;     ///< packed inputs of up to used_max ticks, of which `used` are set

    uint64_t tail_offset;
    size_t slot_blocks;
    uint32_t sequence; ///< sequence number of the newest tail write
    /// Number of blocks of each slot, from its first one on, that were ever written.
    size_t slot_high[2];
    uint64_t end;           ///< offset in the file of the next record
    uint8_t *record;        ///< room for a record, or for the bytes of a tail write
    uint8_t *blocks;        ///< room for one tail slot
    size_t input_bytes_max; ///< size of the memory of `inputs` in bytes
    size_t hash_bytes_max;  ///< size of the memory of `hashes` in bytes
    size_t record_bytes_max;

    bksi_writer_keyframes keyframes;
    bksi_sample_packer *values; ///< values of the confirmed ticks, NULL: none are recorded
    size_t values_bytes;        ///< bytes of the values of a tick
    uint64_t values_total;      ///< bytes of the values of all ticks appended so far
    bksi_sample_packer *pages;  ///< page hashes of the confirmed ticks, NULL: none are recorded
    size_t pages_max;           ///< most pages of a state
    size_t page_bytes;          ///< bytes of the page hashes of the next tick
    uint64_t pages_total;       ///< bytes of the page hashes of all ticks appended so far
    bksi_mark_packer *marks;    ///< rows of states at marks, NULL: none are recorded
    bks_tick marks_end;         ///< one past the tick of the newest row in `marks`
    uint32_t log_count;         ///< entries of the match log so far
    uint64_t marks_bytes;       ///< bytes of the states of all rows so far
    bool marks_are_lost;        ///< the newest rows were left out, up to the next whole one
    bksi_rollback_packer rollbacks;
    /// Newest rollbacks, uncoded, in case they are wanted later; NULL: all are recorded, or none.
    uint8_t *spare;
    size_t spare_bytes;     ///< bytes of the rollbacks in `spare`
    bool wants_rollbacks;   ///< rollbacks are recorded from now on, not kept in `spare`
    uint8_t *rolled_inputs; ///< room for used_max ticks of packed inputs
    bksi_index *index;      ///< index that is being filled
};

/// Allocate all memory and write the beginning of the file.
/// @return BKS_OK, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_IO
bks_status bksi_writer_set_up(bks_replay_writer *writer, const bks_replay_config *config,
                              bks_error *error);

/// Check the config of a writer.
/// @return BKS_OK, BKS_ERR_BAD_CONFIG
bks_status bksi_writer_check_config(const bks_replay_config *config, bks_error *error);

/// Write to the sink. A failure ends the recording.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_put(bks_replay_writer *writer, uint64_t offset, const void *bytes,
                           size_t count);

/// Append a record whose payload lies at `record` + BKSI_RECORD_HEAD_BYTES.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_append(bks_replay_writer *writer, uint8_t *record, uint32_t type,
                              size_t payload_bytes);

/// Write the index that is being filled, and begin the next one.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_write_index(bks_replay_writer *writer);

/// Return the packed inputs of a used tick.
static inline uint8_t *bksi_writer_used_tick(const bks_replay_writer *writer, uint32_t index)
{
    return writer->used_inputs + index * writer->tick_bytes;
}

/// Forget the bits of all used ticks except the first `count`.
void bksi_writer_keep_used_bits(bks_replay_writer *writer, uint32_t count);

/// Add a confirmed tick to `inputs`. This is fast if the tick was used with the same inputs.
void bksi_writer_confirm_bits(bks_replay_writer *writer, const uint8_t *packed);

/// Empty `inputs` and `hashes` after their ticks were appended.
void bksi_writer_begin_bits(bks_replay_writer *writer);

/// Return true if the confirmed ticks that are not appended yet fit into a tail slot.
bool bksi_writer_fits_slot(const bks_replay_writer *writer);

/// Put together a tail write in `record`: all ticks that are not appended yet, and the offsets
/// where a reader finds the rest.
/// @return bytes of the write, which may be more than a slot holds
size_t bksi_writer_gather_tail(bks_replay_writer *writer);

/// Write the gathered tail write into the next slot.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_put_tail(bks_replay_writer *writer, size_t bytes);

/// Write zeros over both tail slots, as far as they were ever written.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_wipe_tail(bks_replay_writer *writer);

/// Append the confirmed ticks as a chunk.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_append_chunk(bks_replay_writer *writer);

/// Add a record to the index that is being filled, and write the index once it is full.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_note(bks_replay_writer *writer, bksi_index_kind kind, bks_tick tick,
                            uint64_t offset);

/// Check that the recording is open. Every call except create and destroy does this first.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bksi_writer_check_open(const bks_replay_writer *writer, const char *call);

/// Pack the inputs of all players.
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT when a value is out of its range
bks_status bksi_writer_pack_tick(const bks_replay_writer *writer, const int32_t *values,
                                 uint8_t *packed);

/// Return the first unconfirmed tick.
static inline bks_tick bksi_writer_next(const bks_replay_writer *writer)
{
    return writer->first + (bks_tick)writer->confirmed;
}

/// Prepare the recording of values, page hashes and rollbacks that the config asks for.
/// @return BKS_OK, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_writer_samples_begin(bks_replay_writer *writer, const bks_replay_config *config,
                                     bks_error *error);
void bksi_writer_samples_end(bks_replay_writer *writer);

/// Prepare the recording of states at marks, if the config asks for them.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_writer_marks_begin(bks_replay_writer *writer, const bks_replay_config *config,
                                   bks_error *error);
void bksi_writer_marks_end(bks_replay_writer *writer);

/// Add an empty row of states at marks for a tick that is about to be confirmed, if the tick has no
/// row yet.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_marks_confirm(bks_replay_writer *writer, bks_tick tick);

/// Append the gathered rows of states at marks.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_marks_append(bks_replay_writer *writer);

/// Close the samples of a tick that was confirmed, and begin those of the next tick.
void bksi_writer_samples_confirm(bks_replay_writer *writer);

/// Append the gathered samples and rollbacks. Call this function before their ticks are appended.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_samples_append(bks_replay_writer *writer);

/// Prepare the recording of commands, if the game has any.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_writer_commands_begin(bks_replay_writer *writer, const bks_replay_config *config,
                                      bks_error *error);
void bksi_writer_commands_end(bks_replay_writer *writer);

/// Prepare keyframes, if the config asks for any.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_writer_keyframes_begin(bks_replay_writer *writer, const bks_replay_config *config,
                                       bks_error *error);
void bksi_writer_keyframes_end(bks_replay_writer *writer);

/// Make a keyframe due at the first unconfirmed tick. No keyframe of an earlier tick is due any
/// more.
void bksi_writer_keyframes_want(bks_replay_writer *writer);

/// Account for a confirmed tick. Once a keyframe is due, append the ticks before the keyframe and
/// restart the coder.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_keyframes_confirm(bks_replay_writer *writer);

#endif
