// SPDX-License-Identifier: MIT

/// @file replay_marks.h
/// What the state was at every mark of every tick, and what the step noted (record `mark`): a row
/// of bytes for each tick, each state coded by what differs from the one before. See
/// docs/spec/replay.md.

#ifndef BKSI_REPLAY_MARKS_H
#define BKSI_REPLAY_MARKS_H

#include "backstitch/record.h"
#include "replay/format/packer.h"

#define BKSI_MARKS_BYTES_MAX       (1u << 22) ///< of all rows of a record, with their lengths
#define BKSI_MARK_ROW_BYTES_MAX    (1u << 20) ///< of one row
#define BKSI_MARK_STATE_BYTES_MAX  (1u << 24) ///< of a state
#define BKSI_MARK_STATES_BYTES_MAX (1u << 27) ///< of all states of one row

/// Whole ticks come so often at least: a reader goes back no further.
#define BKSI_MARK_WHOLE_TICKS 256

/// Rows as they lie in a file. Pointers go into its bytes.
typedef struct bksi_packed_marks {
    bks_tick first;
    uint32_t ticks;
    bksi_packed rows; ///< each with its length before it
} bksi_packed_marks;

/// Read the payload without unpacking anything.
/// @return false when the bytes are not those of rows
bool bksi_marks_read(bksi_packed_marks *marks, const uint8_t *bytes, size_t count);

/// Gathers rows and packs them. All memory is taken at create.
typedef struct bksi_mark_packer bksi_mark_packer;

/// @param row_bytes_max  of one row, up to BKSI_MARK_ROW_BYTES_MAX
/// @return NULL when there is no memory
bksi_mark_packer *bksi_mark_packer_create(size_t row_bytes_max, const bks_allocator *allocator);
void bksi_mark_packer_destroy(bksi_mark_packer *packer);

/// Whether one more row of this length fits.
bool bksi_mark_packer_fits(const bksi_mark_packer *packer, size_t row_bytes);

/// Add the row of the next tick; of 0 bytes when nothing is known of it.
void bksi_mark_packer_add(bksi_mark_packer *packer, const uint8_t *row, size_t row_bytes);

/// Write the payload of all rows, of the ticks before `end`, and forget them.
/// @return its bytes, from bksi_mark_packer_record() + BKSI_RECORD_HEAD_BYTES on; 0 when no row has
///         a byte
size_t bksi_mark_packer_pack(bksi_mark_packer *packer, bks_tick end);

/// Room for a record with the payload in it, valid until the next bksi_mark_packer_pack().
uint8_t *bksi_mark_packer_record(bksi_mark_packer *packer);

/// One state of a row, or a note.
typedef struct bksi_mark_entry {
    char name[256]; ///< of the mark; "": the start of the tick; of a note its text
    bool is_note;   ///< no state
    bool is_whole;  ///< coded against nothing, not against the state before
    size_t state_bytes;
    const uint8_t *delta; ///< written by bksi_delta_write()
    size_t delta_bytes;
} bksi_mark_entry;

/// Append a state or a note to a row.
/// @param row    holds *count bytes, gets more
/// @param entry  a byte of its name that is no printable ASCII is written as \xHH; the name is cut
///               behind 255 characters
/// @return false when it does not fit: the row is as it was
bool bksi_mark_entry_write(uint8_t *row, size_t capacity, size_t *count,
                           const bksi_mark_entry *entry);

/// Whether a row is right, from its first state to its end. This takes no longer than its bytes are
/// many, so it comes before the states, which a few bytes may make large.
bool bksi_mark_row_is_right(const uint8_t *row, size_t count);

/// Read the entry at `*at` of a row.
/// @return false at the row's end, and, with `*at` not there, when the bytes are wrong
bool bksi_mark_entry_read(const uint8_t *row, size_t count, size_t *at, bksi_mark_entry *out);

#endif
