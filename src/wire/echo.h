// SPDX-License-Identifier: MIT

/// @file echo.h
/// What a receiver reports of the newest packet that came from a peer. INPUT and BULK carry it. It
/// is fit for 1000 packets a second: its numbers wrap after 65 s, its stamps after 17 s.

#ifndef BKSI_ECHO_H
#define BKSI_ECHO_H

#include "base/bytes.h"

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

#endif
