// SPDX-License-Identifier: MIT

/// @file bulk_in.h
/// The other side's stream of bytes: what of it came, and is not read yet.

#ifndef BKSI_BULK_IN_H
#define BKSI_BULK_IN_H

#include "net/extents.h"
#include "wire/bulk_message.h"

/// Their bytes.
typedef struct bksi_bulk_in {
    uint8_t *ring;
    size_t room;
    uint64_t read;  ///< one past the last byte that was read
    uint64_t floor; ///< all before this came
    uint64_t limit; ///< what was offered to the sender
    bksi_extents came;
    uint64_t report_gap_ns; ///< how long a report waits for what else comes
    bool owes_report;
    bool is_asked; ///< by a question
    uint64_t report_at_ns;
} bksi_bulk_in;

/// @param ring  room bytes, the caller's
void bksi_bulk_in_init(bksi_bulk_in *in, uint8_t *ring, size_t room);
/// @param capacity_bits_per_s  of the line that reports take, 0: it has room for them
void bksi_bulk_in_update(bksi_bulk_in *in, uint64_t capacity_bits_per_s);
/// Take the next bytes.
/// @return bytes read, 0: none are there
size_t bksi_bulk_in_read(bksi_bulk_in *in, void *bytes, size_t room, uint64_t now_ns);
void bksi_bulk_in_fill(bksi_bulk_in *in, bksi_bulk_report *report);
bool bksi_bulk_in_check(const bksi_bulk_in *in, const bksi_bulk_message *message);
void bksi_bulk_in_take(bksi_bulk_in *in, const bksi_bulk_message *message, uint64_t now_ns);

#endif
