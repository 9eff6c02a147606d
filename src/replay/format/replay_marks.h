// SPDX-License-Identifier: MIT

/// @file replay_marks.h
/// The record `mark`: states at every mark of every tick, and notes of the step. Each tick has one
/// row of bytes. Each state is coded as a delta against the previous state. See
/// docs/spec/replay.md.

#ifndef BKSI_REPLAY_MARKS_H
#define BKSI_REPLAY_MARKS_H

#include "backstitch/record.h"
#include "replay/format/packer.h"

#define BKSI_MARKS_BYTES_MAX       (1u << 22) ///< most bytes of all rows of a record
#define BKSI_MARK_ROW_BYTES_MAX    (1u << 20) ///< most bytes of one row of states
#define BKSI_MARK_STATE_BYTES_MAX  (1u << 24) ///< most bytes of one state
#define BKSI_MARK_STATES_BYTES_MAX (1u << 27) ///< most bytes of all states of one row together

/// Most bytes of the states of all rows of a file: these, and so many for each byte of the file.
/// Unpacked, a byte of a file of zstd becomes as many at most.
#define BKSI_MARK_FILE_STATES_BYTES (UINT64_C(1) << 29)
#define BKSI_MARK_FILE_FACTOR       (UINT64_C(1) << 15)

/// Most ticks from one whole row to the next. To read a row, a reader goes back at most this far.
#define BKSI_MARK_WHOLE_TICKS 256

/// Rows as stored in a file. Pointers point into the file's bytes.
typedef struct bksi_packed_marks {
    bks_tick first;
    uint32_t ticks;
    bksi_packed rows; ///< rows, each with its length before it
} bksi_packed_marks;

/// Read the payload of a `mark` record without unpacking anything.
/// @return false when the bytes are not those of rows
bool bksi_marks_read(bksi_packed_marks *marks, const uint8_t *bytes, size_t count);

/// Packer that gathers rows. All memory is allocated at create.
typedef struct bksi_mark_packer bksi_mark_packer;

/// Create a packer of rows.
/// @param row_bytes_max  most bytes of one row, up to BKSI_MARK_ROW_BYTES_MAX
/// @return NULL when there is no memory
bksi_mark_packer *bksi_mark_packer_create(size_t row_bytes_max, const bks_allocator *allocator);
void bksi_mark_packer_destroy(bksi_mark_packer *packer);

/// Return true if one more row of `row_bytes` bytes fits.
bool bksi_mark_packer_fits(const bksi_mark_packer *packer, size_t row_bytes);

/// Add the row of the next tick, of 0 bytes for a tick without a row.
void bksi_mark_packer_add(bksi_mark_packer *packer, const uint8_t *row, size_t row_bytes);

/// Write the payload of all gathered rows, and forget the rows. The last gathered row must be that
/// of tick `end` - 1.
/// @return bytes of the payload, from bksi_mark_packer_record() + BKSI_RECORD_HEAD_BYTES on; 0 when
///         no row has a byte
size_t bksi_mark_packer_pack(bksi_mark_packer *packer, bks_tick end);

/// Return the record that holds the payload, with room for its head and check. The record is valid
/// until the next bksi_mark_packer_pack().
uint8_t *bksi_mark_packer_record(bksi_mark_packer *packer);

/// Entry of a row: a state or a note.
typedef struct bksi_mark_entry {
    char name[256]; ///< name of the mark, "" at the start of the tick; text of a note
    bool is_note;   ///< the entry is a note, without a state
    bool is_whole;  ///< true: coded against an empty state; false: against the previous state
    size_t state_bytes;
    const uint8_t *delta; ///< delta written by bksi_delta_write()
    size_t delta_bytes;
} bksi_mark_entry;

/// Append a state or a note to a row.
/// @param row    row of *count bytes; receives the bytes of the entry after them
/// @param entry  entry to append; bytes of its name that are not printable ASCII are written as
///               \xHH; at most 255 characters are kept
/// @return false when the entry does not fit: the row is unchanged
bool bksi_mark_entry_write(uint8_t *row, size_t capacity, size_t *count,
                           const bksi_mark_entry *entry);

/// Return true if all entries of a row are valid. The check takes time in proportion to the row's
/// bytes. Call it before unpacking states, because a few bytes can make a state large.
bool bksi_mark_row_is_right(const uint8_t *row, size_t count);

/// Return the bytes of all states of a row together, as far as its entries are valid. Takes time in
/// proportion to the row's bytes.
uint64_t bksi_mark_row_states_bytes(const uint8_t *row, size_t count);

/// Return true if the first state of a row is coded against an empty state.
bool bksi_mark_row_is_whole(const uint8_t *row, size_t count);

/// Return true if the states of all rows of a file may have so many bytes together.
/// @param file_bytes  size of the file
static inline bool bksi_marks_may_have(uint64_t states_bytes, uint64_t file_bytes)
{
    return bksi_packed_may_have(states_bytes, file_bytes, BKSI_MARK_FILE_STATES_BYTES,
                                BKSI_MARK_FILE_FACTOR);
}

/// Read the entry at `*at` of a row.
/// @return false at the end of the row; false with `*at` before the end when the bytes are wrong
bool bksi_mark_entry_read(const uint8_t *row, size_t count, size_t *at, bksi_mark_entry *out);

#endif
