// SPDX-License-Identifier: MIT

/// @file input_message.h
/// INPUT: the one packet per peer and tick. It has the sender's head and the first tick of the
/// receiver's inputs that the sender lacks (the acknowledgement); in some packets also the echo of
/// a packet (to measure the round trip) and the hash of a state. Then come the inputs [Fiedler;
/// INVERSUS, Input Communication]. The whole message is one stream of the range coder. See
/// docs/spec/wire.md.

#ifndef BKSI_INPUT_MESSAGE_H
#define BKSI_INPUT_MESSAGE_H

#include "base/range_coder.h"
#include "wire/small_messages.h"
#include "wire/speed.h"

/// Maximum number of bytes of an INPUT before its inputs.
#define BKSI_INPUT_HEAD_BYTES_MAX 64u

typedef enum bksi_hash_kind {
    BKSI_HASH_NONE = 0,
    BKSI_HASH_SHORT = 1, ///< lowest 16 bits of the state's hash
    /// 64 bits of the state's hash, and 64 bits of the hash of all inputs before it.
    BKSI_HASH_FULL = 2,
} bksi_hash_kind;

/// State hash in an INPUT.
typedef struct bksi_input_hash {
    /// Tick of the hashed state, at most `need` of the same message; BKS_TICK_NONE: no hash is
    /// sent.
    bks_tick tick;
    bksi_hash_kind kind;
    uint64_t state;
    uint64_t inputs;
} bksi_input_hash;

/// View and progress of the sender. Not sent while all fields are 0.
typedef struct bksi_input_standing {
    uint32_t view; ///< number of the view, 16 bits
    /// Lowest 32 bits of the view's hash; 0: the message has no hash, as may be in view 0.
    uint32_t view_hash;
    bool is_complete;          ///< the sender has every tick of a match with an end
    bks_tick stop;             ///< the match is to end before this tick; 0: no such tick is known
    bksi_speed_decision speed; ///< newest decision of the host; number 0: none is sent
    bksi_speed_wish wish;      ///< wish of a guest; number 0: none is sent
} bksi_input_standing;

typedef struct bksi_input_head {
    bool has_echo;
    bksi_echo echo;
    bks_tick head;  ///< one past the sender's newest input
    bks_tick need;  ///< first tick of the receiver's inputs that the sender does not have
    bks_tick first; ///< tick of the first input in this message, at most `head`
    uint32_t count; ///< number of ticks whose inputs this message has, at most head - first
    bksi_input_hash hash;
    bksi_input_standing standing;
} bksi_input_head;

void bksi_input_head_write(bksi_range_encoder *encoder, const bksi_input_head *head);

/// Read the fields of an INPUT before its inputs.
/// @param least  first tick of the match
/// @param near   tick close to the sender's head, to expand the 12 bits that are sent
/// @return false when the bits are no valid fields
bool bksi_input_head_read(bksi_range_decoder *decoder, bks_tick least, bks_tick near,
                          bksi_input_head *head);

/// Probability, in 1/65536, that the bit before the inputs is 0. The bit is 0 if the inputs are
/// coded by models of the players (input/input_stream.h), and 1 if they are in the plain codec
/// (input/codec.h).
#define BKSI_INPUT_CODED 61440u

/// Write a number of bits, then the bits themselves, the lowest first.
void bksi_input_bits_write(bksi_range_encoder *encoder, const uint8_t *bytes, size_t bits);

/// Read bits that bksi_input_bits_write() wrote.
/// @param bytes  receives the bits, `capacity` bytes
/// @return number of bits; SIZE_MAX when they do not fit
size_t bksi_input_bits_read(bksi_range_decoder *decoder, uint8_t *bytes, size_t capacity);

#endif
