// SPDX-License-Identifier: MIT

/// @file small_messages.h
/// LINK: two peers make sure they reach each other and measure the way before the start; two guests
/// also that they have the same roster.
/// HASHES: final hashes of many ticks, sent once two peers know that they differ.
/// BYE: a peer needs nothing more, or goes.
/// SLOW: a peer needs longer ticks.

#ifndef BKSI_SMALL_MESSAGES_H
#define BKSI_SMALL_MESSAGES_H

#include "base/bytes.h"

// What a receiver reports of the newest packet that came from a peer. INPUT and BULK carry it. It
// is fit for 1000 packets a second: its numbers wrap after 65 s, its stamps after 17 s.

/// Hold time of an echo counts half milliseconds; this value says "too long to measure by".
#define BKSI_HOLD_NONE    255u
#define BKSI_HOLD_UNIT_NS 500000u

typedef struct bksi_echo {
    uint16_t number; ///< lowest 16 bits of the packet's number
    uint16_t stamp;  ///< when it came, by the receiver's clock: bksi_line_stamp()
    uint8_t came;    ///< packets that came so far, lowest 8 bits
    uint8_t hold;    ///< how long ago it came, in BKSI_HOLD_UNIT_NS
} bksi_echo;

/// In a BULK.
#define BKSI_ECHO_BYTES 6u

void bksi_echo_write(bksi_byte_writer *writer, const bksi_echo *echo);
/// The reader fails when there are too few bytes.
bksi_echo bksi_echo_read(bksi_byte_reader *reader);

typedef struct bksi_link_message {
    uint32_t stamp_us; ///< the sender's clock, lowest 32 bits of its microseconds
    bool has_echo;
    uint32_t echo_us; ///< the newest stamp that came from the receiver
    uint32_t hold_us; ///< and how long ago
    bool has_roster;  ///< from guest to guest:
    uint32_t change;  ///< number of the sender's newest ROSTER
    uint64_t roster;  ///< hash of what it says
} bksi_link_message;

void bksi_link_message_write(bksi_byte_writer *writer, const bksi_link_message *message);
bool bksi_link_message_read(bksi_byte_reader *reader, bksi_link_message *message);

/// Most ticks of one HASHES.
#define BKSI_HASHES_MAX 64u

typedef struct bksi_hashes_message {
    bks_tick first;
    uint32_t step_ticks; ///< distance between the ticks
    uint32_t count;      ///< 1..BKSI_HASHES_MAX
    uint64_t state[BKSI_HASHES_MAX];
    uint64_t inputs[BKSI_HASHES_MAX];
} bksi_hashes_message;

void bksi_hashes_write(bksi_byte_writer *writer, const bksi_hashes_message *message);
bool bksi_hashes_read(bksi_byte_reader *reader, bksi_hashes_message *message);

typedef enum bksi_bye {
    BKSI_BYE_LEAVES = 0,   ///< the sender goes before the end
    BKSI_BYE_COMPLETE = 1, ///< it has every tick and knows that we have all of its own
    BKSI_BYE_HEARD = 2,    ///< it heard that we go
} bksi_bye;

/// How much longer ticks may become, in 64ths of a tick.
#define BKSI_STRETCH_ONE 64u
#define BKSI_STRETCH_MAX (3 * BKSI_STRETCH_ONE)

/// @param stretch  in 1 / BKSI_STRETCH_ONE of a tick: how much longer the sender's ticks must be,
///                 up to BKSI_STRETCH_MAX
void bksi_slow_write(bksi_byte_writer *writer, uint32_t stretch);
bool bksi_slow_read(bksi_byte_reader *reader, uint32_t *stretch);

void bksi_bye_write(bksi_byte_writer *writer, bksi_bye bye);
bool bksi_bye_read(bksi_byte_reader *reader, bksi_bye *bye);

// BULK, after its echo: a part of a stream of bytes, which parts of the other direction's have
// come, or both.

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
