// SPDX-License-Identifier: MIT

/// @file two_guards.h
/// Guards over a network that the test is in the middle of: what they send flies until the test
/// lets it arrive.

#ifndef TESTS_TWO_GUARDS_H
#define TESTS_TWO_GUARDS_H

#include "net/guard.h"

#define MS      UINT64_C(1000000)
#define SECONDS (1000 * MS)

#define TWO_CARRIER 7u

typedef struct two_packet {
    size_t count;
    uint32_t from, to; ///< numbers of addresses
    bool is_carried;   ///< by peer TWO_CARRIER; then they are numbers of peers
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
} two_packet;

/// A guard that says "name and a counter" to its channels and keeps what it hears.
typedef struct two_side {
    bksi_guard guard;
    uint32_t at;          ///< its address, and its number as a peer
    bool is_detoured;     ///< what it has sealed goes through the carrier
    bksi_channel channel; ///< the one it talks on, 0: that of the newest message
    uint32_t said;
    size_t more_bytes;       ///< its messages are longer by these, up to 600
    uint32_t heard;          ///< messages
    uint32_t heard_unproven; ///< of them
    uint8_t last[16];
    uint64_t last_age_ns; ///< by what the guard says
} two_side;

/// Packets of this moment's.
extern two_packet two_flying[64];
extern size_t two_flying_count;
extern uint64_t two_now_ns;

bks_address two_address(uint32_t number);
/// A side with keys of its own.
void two_make_side(two_side *s, uint8_t number, uint8_t key_byte);
/// Nothing flies, a second after the clock began.
void two_begin(void);
/// Everything a side has to send now, on top of what flies.
void two_send_all(two_side *s, bool speaks);
/// A packet reaches a side, as a copy of just its size.
bksi_guard_verdict two_hear(two_side *s, const two_packet *p);
/// A moment: both speak, what flies arrives, some of it is lost. Returns packets that flew.
size_t two_pass(two_side *a, two_side *b, uint32_t loss_percent);
/// Return true if a side has keys and no handshake is under way.
bool two_is_open(const two_side *s);
/// Two sides with the same key, A calling B.
void two_make(two_side *a, two_side *b);
void two_connect(two_side *a, two_side *b);

#endif
