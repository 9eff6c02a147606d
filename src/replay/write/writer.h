// SPDX-License-Identifier: MIT

/// @file writer.h
/// What the files of the writer share. Each writes its own part of the file: writer_setup.c the
/// beginning, writer_tail.c what is not appended yet, writer_chunk.c the ticks that are,
/// writer_samples.c what was asked for of each of them, writer_keyframes.c the states,
/// writer_facts.c the answers from outside, writer_repairs.c what was put right; all of them by
/// writer_append.c. replay_writer.c says when.

#ifndef BKSI_WRITER_H
#define BKSI_WRITER_H

#include "backstitch/record.h"
#include "backstitch/toolkit/writer.h"
#include "base/bits.h"
#include "replay/format/replay_chunk.h"
#include "replay/format/replay_format.h"
#include "replay/format/replay_keyframe.h"
#include "replay/format/replay_marks.h"
#include "replay/format/replay_rollback.h"
#include "replay/format/replay_run.h"
#include "replay/format/replay_samples.h"
#include "replay/format/replay_tail.h"

/// When keyframes are due, and what they cost.
typedef struct bksi_writer_keyframes {
    bksi_keyframe_packer *packer; ///< NULL: there are none
    bks_tick first_tick;          ///< of the recording
    bks_tick spacing_ticks;       ///< from one to the next, where its cost does not ask for less
    uint64_t seek_ns;             ///< the same in time of stepping, UINT64_MAX: the cost is nothing
    uint64_t bytes_per_minute;    ///< most
    bool is_budget_own;           ///< automatic: more where a seek would take too long
    size_t state_bytes_max;
    bks_tick due;         ///< first tick whose state is wanted
    bks_tick last;        ///< of the newest one, BKS_TICK_NONE: there is none
    uint64_t spent_bytes; ///< by all so far
    uint32_t count;       ///< since the last whole one, that included; 0: the next is whole
    uint64_t last_offset; ///< of the newest one's record
    uint64_t start;       ///< where readers must begin for the newest whole one, 0: none yet
    uint64_t next_start;  ///< the same for the whole one that is due, 0: none is
    uint64_t step_ns;     ///< what a step costs now, 0: not known
    uint64_t stepping_ns; ///< to step the ticks confirmed since the newest one
    uint64_t wanted_ns;   ///< the next one is due when that is reached, UINT64_MAX: by `due` alone
    uint64_t tried_bytes; ///< of the last one that there was no room for
    bool has_said;        ///< that the budget is too small
} bksi_writer_keyframes;

struct bks_replay_writer {
    bks_allocator allocator;
    bks_sink sink;
    bksi_layout layout;
    bksi_run_shape shape;
    size_t tick_bytes; ///< packed inputs of all players
    uint32_t tick_rate_hz;
    uint32_t used_max;
    uint32_t chunk_ticks;
    bks_tick fact_tick;   ///< of the newest fact
    bks_tick wrong_since; ///< of the newest repair of the recording peer itself
    bks_tick wrong_until; ///< likewise
    bool is_failed;       ///< the sink refused: nothing more is written
    bool is_finished;     ///< nothing more is taken
    bool is_dirty;        ///< something is not written yet

    bks_tick first;           ///< first tick that is not appended yet
    uint32_t confirmed;       ///< confirmed ticks from there on
    uint32_t used;            ///< ticks used behind them
    bksi_bit_writer inputs;   ///< of the confirmed ticks and the first `used_coded` used ones
    size_t confirmed_bits;    ///< of `inputs`
    uint32_t used_coded;      ///< used ticks that stand in `inputs` as they are now
    size_t *used_bits;        ///< where each of them ends there
    bksi_models models;       ///< behind the confirmed ticks
    bksi_range_encoder coded; ///< inputs of the confirmed ticks, as they are appended
    bool restarts;            ///< the chunk at hand needs none before it
    bool must_restart;        ///< the next one shall
    bks_tick stretch;         ///< first tick of the newest restart
    bksi_bit_writer hashes;   ///< of the confirmed ticks, for the tail
    uint64_t *hash_values;    ///< of the confirmed ticks, for the chunk
    bool *is_hashed;          ///< by confirmed tick
    uint8_t *last;            ///< inputs of the newest confirmed tick, packed
    uint8_t *used_inputs;     ///< used_max ticks of packed inputs, `used` of them kept

    uint64_t tail_offset;
    size_t slot_blocks;
    uint32_t sequence;      ///< of the newest tail write
    size_t slot_high[2];    ///< blocks ever written to each slot
    uint64_t end;           ///< where the next record goes
    uint8_t *record;        ///< room for a record, or for the run that goes into the tail
    uint8_t *blocks;        ///< room for one slot
    size_t input_bytes_max; ///< of `inputs`
    size_t hash_bytes_max;  ///< of `hashes`
    size_t record_bytes_max;

    bksi_writer_keyframes keyframes;
    bksi_sample_packer *values; ///< of the confirmed ticks, NULL: not kept
    size_t values_bytes;        ///< of each tick
    bksi_sample_packer *pages;  ///< hashes of pages of the confirmed ticks, NULL: not kept
    size_t pages_max;           ///< pages of a state
    size_t page_bytes;          ///< of the sample at hand
    bksi_mark_packer *marks;    ///< rows of the confirmed ticks, NULL: not kept
    bks_tick marks_end;         ///< one past the tick of the newest row
    bksi_rollback_packer rollbacks;
    uint8_t *rolled_inputs; ///< room for used_max ticks of packed inputs
    bksi_index *index;      ///< what is not in an index yet
};

/// Take all memory and write the beginning of the file.
/// @return BKS_OK, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_IO
bks_status bksi_writer_set_up(bks_replay_writer *writer, const bks_replay_config *config,
                              bks_error *error);

/// Check a config.
/// @return BKS_OK, BKS_ERR_BAD_CONFIG
bks_status bksi_writer_check_config(const bks_replay_config *config, bks_error *error);

/// Write to the sink; after a failure the recording has ended.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_put(bks_replay_writer *writer, uint64_t offset, const void *bytes,
                           size_t count);

/// Append a record whose payload lies at `record` + BKSI_RECORD_HEAD_BYTES.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_append(bks_replay_writer *writer, uint8_t *record, uint32_t type,
                              size_t payload_bytes);

/// Write what is not in an index yet into one.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_write_index(bks_replay_writer *writer);

/// Inputs of a used tick, packed.
static inline uint8_t *bksi_writer_used_tick(const bks_replay_writer *writer, uint32_t index)
{
    return writer->used_inputs + index * writer->tick_bytes;
}

/// Forget the bits of all used ticks but the first `count`.
void bksi_writer_keep_used_bits(bks_replay_writer *writer, uint32_t count);

/// Add a confirmed tick to `inputs`. Costs nothing when it was used as it is confirmed now.
void bksi_writer_confirm_bits(bks_replay_writer *writer, const uint8_t *packed);

/// The confirmed ticks are appended: the next one is the first in `inputs` and `hashes`.
void bksi_writer_begin_bits(bks_replay_writer *writer);

/// Whether a tail slot holds all confirmed ticks that are not appended yet.
bool bksi_writer_fits_slot(const bks_replay_writer *writer);

/// Put together in `record` what goes into the tail: all that is not appended yet, and where a
/// reader finds the rest.
/// @return bytes, which may be more than a slot holds
size_t bksi_writer_gather_tail(bks_replay_writer *writer);

/// Write what was gathered into the next slot.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_put_tail(bks_replay_writer *writer, size_t bytes);

/// Wipe both slots, as far as they were ever written.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_wipe_tail(bks_replay_writer *writer);

/// Append what is confirmed as a chunk.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_append_chunk(bks_replay_writer *writer);

/// Remember where a record stands; writes an index when enough have come together.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_note(bks_replay_writer *writer, bksi_index_kind kind, bks_tick tick,
                            uint64_t offset);

/// What every call but create and destroy asks first.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_IO
bks_status bksi_writer_check_open(const bks_replay_writer *writer, const char *call);

/// Pack the inputs of all players.
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT when a value is out of its range
bks_status bksi_writer_pack_tick(const bks_replay_writer *writer, const int32_t *values,
                                 uint8_t *packed);

/// First tick that is not confirmed.
static inline bks_tick bksi_writer_next(const bks_replay_writer *writer)
{
    return writer->first + (bks_tick)writer->confirmed;
}

/// Make values, pages and rollbacks ready, if the config asks for any.
/// @return BKS_OK, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_writer_samples_begin(bks_replay_writer *writer, const bks_replay_config *config,
                                     bks_error *error);
void bksi_writer_samples_end(bks_replay_writer *writer);

/// The same for the states at marks.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_writer_marks_begin(bks_replay_writer *writer, const bks_replay_config *config,
                                   bks_error *error);
void bksi_writer_marks_end(bks_replay_writer *writer);

/// A tick is about to be confirmed: it has a row now, if only an empty one.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_marks_confirm(bks_replay_writer *writer, bks_tick tick);

/// Append the rows at hand.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_marks_append(bks_replay_writer *writer);

/// A tick was confirmed: its samples belong to the next one from now on.
void bksi_writer_samples_confirm(bks_replay_writer *writer);

/// Before the confirmed ticks are appended: append what belongs to them.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_samples_append(bks_replay_writer *writer);

/// Make keyframes ready, if the config asks for any.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_writer_keyframes_begin(bks_replay_writer *writer, const bks_replay_config *config,
                                       bks_error *error);
void bksi_writer_keyframes_end(bks_replay_writer *writer);

/// A keyframe is wanted: of the first unconfirmed tick or a later one, and of none before.
void bksi_writer_keyframes_want(bks_replay_writer *writer);

/// A tick was confirmed: once a keyframe is due, begin what needs nothing before.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_keyframes_confirm(bks_replay_writer *writer);

#endif
