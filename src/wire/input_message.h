// SPDX-License-Identifier: MIT

/// @file input_message.h
/// INPUT: the one packet per peer and tick. Its head carries now and then the echo of a packet
/// number (round trip), the sender's head, the tick of the receiver's it needs next (the
/// acknowledgement), and a state hash; the inputs follow [Fiedler; INVERSUS, Input Communication].
/// All of it is one stream of the range coder. See docs/spec/wire.md.

#ifndef BKSI_INPUT_MESSAGE_H
#define BKSI_INPUT_MESSAGE_H

#include "base/range_coder.h"
#include "wire/small_messages.h"

/// Most bytes the head takes.
#define BKSI_INPUT_HEAD_BYTES_MAX 64u

typedef enum bksi_hash_kind {
    BKSI_HASH_NONE = 0,
    BKSI_HASH_SHORT = 1, ///< the state's lowest 16 bits
    BKSI_HASH_FULL = 2,  ///< 64 bits of the state, 64 of the inputs before it
} bksi_hash_kind;

/// A state hash as it is sent.
typedef struct bksi_input_hash {
    bks_tick tick; ///< at most the `need` of its head; BKS_TICK_NONE without a hash
    bksi_hash_kind kind;
    uint64_t state;
    uint64_t inputs;
} bksi_input_hash;

/// Where the sender stands in the match. Of one in view 0 that lacks ticks nothing is sent, but for
/// the hash to begin with, unless the match is to stop.
typedef struct bksi_input_standing {
    uint32_t view;      ///< 16 bits
    uint32_t view_hash; ///< lowest 32 bits; 0 in view 0: not said
    bool is_complete;   ///< it has every tick of a match with an end
    bks_tick stop;      ///< the match is to end before this tick; 0: not known to
} bksi_input_standing;

typedef struct bksi_input_head {
    bool has_echo;
    bksi_echo echo;
    bks_tick head;  ///< one past the sender's newest input
    bks_tick need;  ///< first tick of the receiver's that the sender does not have
    bks_tick first; ///< tick of the first input here, at most `head`
    uint32_t count; ///< ticks of inputs here, at most head - first
    bksi_input_hash hash;
    bksi_input_standing standing;
} bksi_input_head;

void bksi_input_head_write(bksi_range_encoder *encoder, const bksi_input_head *head);

/// @param least  the first tick of the match: no tick lies before it
/// @param near   a tick close to the sender's head, to expand the 12 bits that travel
/// @return false when the bits are no input head
bool bksi_input_head_read(bksi_range_decoder *decoder, bks_tick least, bks_tick near,
                          bksi_input_head *head);

/// Before the inputs, if there are any: the chance, in 1/65536, of a 0: they are coded by what was
/// learnt of the players (input/input_stream.h); a 1: they are plain.
#define BKSI_INPUT_CODED 61440u

/// Bits that were written elsewhere, with their number: lowest first.
void bksi_input_bits_write(bksi_range_encoder *encoder, const uint8_t *bytes, size_t bits);

/// @param bytes  receives them, `capacity` bytes
/// @return how many bits; SIZE_MAX when they do not fit
size_t bksi_input_bits_read(bksi_range_decoder *decoder, uint8_t *bytes, size_t capacity);

#endif
