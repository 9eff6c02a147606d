// SPDX-License-Identifier: MIT

/// @file bulk_message.h
/// BULK, after its echo: a part of a stream of bytes, which parts of the other direction's have
/// come, or both.

#ifndef BKSI_BULK_MESSAGE_H
#define BKSI_BULK_MESSAGE_H

#include "base/bytes.h"

/// Most parts that one message reports.
#define BKSI_BULK_PARTS_MAX 32u

/// Bytes before the data, at most, in a message without a report.
#define BKSI_BULK_HEAD_BYTES_MAX 5u

/// The window of a receiver, at most.
#define BKSI_BULK_WINDOW_MAX (1u << 28)

/// Bytes that came, counted from `floor`.
typedef struct bksi_bulk_part {
    uint32_t begin;
    uint32_t end;
} bksi_bulk_part;

/// What has come of the receiver's stream.
typedef struct bksi_bulk_report {
    uint32_t floor;  ///< all before this; lowest 32 bits of the place in the stream
    uint32_t window; ///< from there on so much is taken, 0..BKSI_BULK_WINDOW_MAX
    uint32_t count;  ///< of parts beyond, 0..BKSI_BULK_PARTS_MAX
    bksi_bulk_part parts[BKSI_BULK_PARTS_MAX]; ///< in order, none touches another or the floor
} bksi_bulk_report;

typedef struct bksi_bulk_message {
    bool has_report;
    bksi_bulk_report report;
    bool has_data;
    uint32_t place;      ///< of the first byte, lowest 32 bits
    size_t bytes;        ///< 0: a question, to be answered with a report
    const uint8_t *data; ///< read: within the message
} bksi_bulk_message;

/// The place in a stream nearest to one that is known, by its lowest 32 bits.
static inline uint64_t bksi_bulk_place(uint64_t known, uint32_t low)
{
    return known + (uint64_t)(int64_t)(int32_t)(low - (uint32_t)known);
}

void bksi_bulk_message_write(bksi_byte_writer *writer, const bksi_bulk_message *message);
/// @return false when the bytes are no bulk message
bool bksi_bulk_message_read(bksi_byte_reader *reader, bksi_bulk_message *message);

#endif
