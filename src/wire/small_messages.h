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

#endif
