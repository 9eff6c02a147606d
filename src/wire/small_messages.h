// SPDX-License-Identifier: MIT

/// @file small_messages.h
/// LINK: before the start, two peers check that they reach each other and measure the round trip;
/// two guests also check that they have the same roster. HASHES: final hashes of many ticks, sent
/// once two peers know that they differ. BYE: a peer needs nothing more, or leaves. SLOW: a peer
/// needs longer ticks.

#ifndef BKSI_SMALL_MESSAGES_H
#define BKSI_SMALL_MESSAGES_H

#include "base/bytes.h"

// An echo tells the sender of packets about its newest packet that arrived. INPUT and BULK have
// echoes. This works for up to 1000 packets per second: at that rate their numbers wrap after 65 s.
// Stamps wrap after 17 s.

/// Hold time that means "too long to measure with", and the unit of hold times.
#define BKSI_HOLD_NONE    255u
#define BKSI_HOLD_UNIT_NS 500000u

typedef struct bksi_echo {
    uint16_t number; ///< lowest 16 bits of the packet's number
    /// Time at which the packet arrived, by the clock of its receiver: bksi_line_stamp().
    uint16_t stamp;
    uint8_t came; ///< number of packets that arrived so far, lowest 8 bits
    uint8_t hold; ///< time from the packet's arrival to the echo, in BKSI_HOLD_UNIT_NS
} bksi_echo;

/// Bytes of an echo in a BULK.
#define BKSI_ECHO_BYTES 6u

void bksi_echo_write(bksi_byte_writer *writer, const bksi_echo *echo);
/// Read an echo. The reader fails when there are too few bytes.
bksi_echo bksi_echo_read(bksi_byte_reader *reader);

typedef struct bksi_link_message {
    uint32_t stamp_us; ///< clock of the sender in us, lowest 32 bits
    bool has_echo;
    bool is_loading;  ///< the sender has not made the state of the first tick yet
    uint32_t echo_us; ///< newest stamp that arrived from the receiver
    uint32_t hold_us; ///< time since `echo_us` arrived
    bool has_roster;  ///< `change` and `roster` are sent, as in every LINK between guests
    uint32_t change;  ///< `change` of the newest ROSTER that the sender has
    uint64_t roster;  ///< hash of the newest ROSTER that the sender has
} bksi_link_message;

void bksi_link_message_write(bksi_byte_writer *writer, const bksi_link_message *message);
bool bksi_link_message_read(bksi_byte_reader *reader, bksi_link_message *message);

/// Maximum number of ticks whose hashes one HASHES has, so that it fits a message of the match.
#define BKSI_HASHES_MAX 28u

typedef struct bksi_hashes_message {
    bks_tick first;
    uint32_t step_ticks; ///< ticks from one hash to the next
    uint32_t count;      ///< number of hashes, 1..BKSI_HASHES_MAX
    uint64_t state[BKSI_HASHES_MAX];
    uint64_t inputs[BKSI_HASHES_MAX];
} bksi_hashes_message;

void bksi_hashes_write(bksi_byte_writer *writer, const bksi_hashes_message *message);
bool bksi_hashes_read(bksi_byte_reader *reader, bksi_hashes_message *message);

typedef enum bksi_bye {
    BKSI_BYE_LEAVES = 0, ///< the sender leaves before the end
    BKSI_BYE_COMPLETE =
        1, ///< the sender has every tick, and knows that the receiver has all inputs of the sender
    BKSI_BYE_HEARD = 2, ///< the sender knows that the receiver leaves
} bksi_bye;

/// Unit of a stretch, by which ticks become longer: 64ths of a tick; and the largest stretch.
#define BKSI_STRETCH_ONE 64u
#define BKSI_STRETCH_MAX (3 * BKSI_STRETCH_ONE)

/// Write a SLOW.
/// @param stretch  how much longer the sender's ticks must be, in 1 / BKSI_STRETCH_ONE of a tick,
///                 up to BKSI_STRETCH_MAX
void bksi_slow_write(bksi_byte_writer *writer, uint32_t stretch);
bool bksi_slow_read(bksi_byte_reader *reader, uint32_t *stretch);

void bksi_bye_write(bksi_byte_writer *writer, bksi_bye bye);
bool bksi_bye_read(bksi_byte_reader *reader, bksi_bye *bye);

// Body of a BULK after its echo: bytes of the stream from the sender to the receiver, a report
// which bytes of the stream in the other direction have arrived, or both.

/// Maximum number of ranges of arrived bytes that one message reports.
#define BKSI_BULK_PARTS_MAX 32u

/// Maximum number of bytes that come before the data in the body of a BULK without a report.
#define BKSI_BULK_HEAD_BYTES_MAX 5u

/// Largest number of bytes that a receiver accepts beyond the gapless beginning of the stream.
#define BKSI_BULK_WINDOW_MAX (1u << 28)

/// Range of bytes that arrived, counted from `floor`.
typedef struct bksi_bulk_part {
    uint32_t begin;
    uint32_t end;
} bksi_bulk_part;

/// Report to the sender of a stream: which of its bytes have arrived, and how many more are
/// accepted.
typedef struct bksi_bulk_report {
    uint32_t floor;  ///< all bytes before this place in the stream arrived; lowest 32 bits
    uint32_t window; ///< bytes that are accepted from `floor` on, 0..BKSI_BULK_WINDOW_MAX

    /// Number of ranges of bytes that arrived beyond `floor`, 0..BKSI_BULK_PARTS_MAX.
    uint32_t count;
    /// Ranges in order; none touches another or the floor.
    bksi_bulk_part parts[BKSI_BULK_PARTS_MAX];
} bksi_bulk_report;

typedef struct bksi_bulk_message {
    bool is_lane; ///< the message belongs to the lane of commands, not to the owner's stream
    bool has_report;
    bksi_bulk_report report;
    bool has_data;
    uint32_t place;      ///< place in the stream of the first byte of data, lowest 32 bits
    size_t bytes;        ///< number of bytes of data; 0: the sender only wants a report
    const uint8_t *data; ///< data of the message; after reading, it points into the message
} bksi_bulk_message;

/// Return the position in a stream that is nearest to `known`, of those whose lowest 32 bits are
/// `low`.
static inline uint64_t bksi_bulk_place(uint64_t known, uint32_t low)
{
    return known + (uint64_t)(int64_t)(int32_t)(low - (uint32_t)known);
}

void bksi_bulk_message_write(bksi_byte_writer *writer, const bksi_bulk_message *message);
/// Return true if the body of a BULK after its echo belongs to the lane of commands.
bool bksi_bulk_message_is_lane(const uint8_t *body, size_t count);
/// Read the body of a BULK after its echo.
/// @return false when the bytes are no bulk message
bool bksi_bulk_message_read(bksi_byte_reader *reader, bksi_bulk_message *message);

#endif
