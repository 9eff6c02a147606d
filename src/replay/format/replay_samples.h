// SPDX-License-Identifier: MIT

/// @file replay_samples.h
/// The records `vals` and `pags`: a sample of bytes for each tick, with values of the state or
/// hashes of its pages. Each sample is coded as a delta against the previous sample. See
/// docs/spec/replay.md.

#ifndef BKSI_REPLAY_SAMPLES_H
#define BKSI_REPLAY_SAMPLES_H

#include "backstitch/record.h"
#include "backstitch/state.h"
#include "replay/format/packer.h"

#define BKSI_SAMPLE_BYTES_MAX BKS_VALUES_BYTES_MAX

/// Most bytes of the samples of one kind in a file: these, and so many for each byte of the file.
/// A tick's hash takes two bytes or more, so this leaves room for a sample of each tick, however
/// well the samples are packed.
#define BKSI_SAMPLES_FILE_BYTES  (UINT64_C(1) << 28)
#define BKSI_SAMPLES_FILE_FACTOR (BKSI_SAMPLE_BYTES_MAX / 2)

/// Samples as stored in a file. Pointers point into the file's bytes.
typedef struct bksi_packed_samples {
    bks_tick first;
    uint32_t ticks;
    size_t sample_bytes;
    bksi_packed deltas; ///< deltas of all samples; unpacked, ticks * sample_bytes bytes
} bksi_packed_samples;

/// Packer that gathers samples. All memory is allocated at create.
typedef struct bksi_sample_packer bksi_sample_packer;

/// Create a packer for up to `ticks_max` samples of `sample_bytes_max` bytes.
/// @return NULL when there is no memory
bksi_sample_packer *bksi_sample_packer_create(uint32_t ticks_max, size_t sample_bytes_max,
                                              const bks_allocator *allocator);
void bksi_sample_packer_destroy(bksi_sample_packer *packer);

/// Return the sample of the next tick to fill in, of sample_bytes_max bytes, all zero at first.
uint8_t *bksi_sample_packer_next(bksi_sample_packer *packer);

/// Add the sample that was filled in. Bytes that are not used must be zero.
void bksi_sample_packer_add(bksi_sample_packer *packer, size_t sample_bytes);

/// Write the payload of all gathered samples, and forget the samples. The first gathered sample
/// must be that of tick `first`.
/// @return bytes of the payload, from bksi_sample_packer_record() + BKSI_RECORD_HEAD_BYTES on; 0
///         when there are no samples, or no sample has a byte
size_t bksi_sample_packer_pack(bksi_sample_packer *packer, bks_tick first);

/// Return the record that holds the payload, with room for its head and check. The record is valid
/// until the next bksi_sample_packer_pack().
uint8_t *bksi_sample_packer_record(bksi_sample_packer *packer);

/// Return true if a file may have so many bytes of samples of one kind before `offset` and in the
/// record that begins there.
static inline bool bksi_samples_may_have(uint64_t samples_bytes, uint64_t offset)
{
    return bksi_packed_may_have(samples_bytes, offset, BKSI_SAMPLES_FILE_BYTES,
                                BKSI_SAMPLES_FILE_FACTOR);
}

/// Read the payload of a record of samples without unpacking anything.
/// @return false when the bytes are not those of samples
bool bksi_samples_read(bksi_packed_samples *samples, const uint8_t *bytes, size_t count);

/// Unpack all samples into `out`, ticks * sample_bytes.
/// @return false when the bytes are wrong
bool bksi_samples_unpack(const bksi_packed_samples *samples, uint8_t *out);

/// Return the number of bytes of all ranges that are recorded.
uint64_t bksi_ranges_bytes(const bks_state_range *ranges, uint32_t count);

/// Copy the recorded ranges out of a state. Bytes beyond the end of the state count as zero.
void bksi_ranges_take(const bks_state_range *ranges, uint32_t count, const uint8_t *state,
                      size_t state_bytes, uint8_t *out);

#endif
