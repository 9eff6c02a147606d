// SPDX-License-Identifier: MIT

/// @file input_stream.h
/// One player's inputs as they are sent, again and again until they are acknowledged. The model is
/// asked once for each input. The decisions that coded it are kept, so that to encode it again
/// costs next to nothing and gives the same bits, however much was learnt since.
///
/// All peers that know a player's inputs before a tick have the same stream. So a peer that decodes
/// from any tick on gets the same inputs, whichever peer encoded them. See docs/spec/wire.md.

#ifndef BKSI_INPUT_STREAM_H
#define BKSI_INPUT_STREAM_H

#include "input/model.h"

/// The newest ticks are kept; a message that begins before them is coded plainly.
#define BKSI_INPUT_STREAM_TICKS 128u

/// No tick takes more decisions.
#define BKSI_INPUT_STREAM_DECISIONS_MAX 256u

/// What ticks take, modulo 2^32.
typedef struct bksi_input_cost {
    uint32_t coded; ///< at most, in 1/256 bits
    uint32_t plain; ///< bits by input/codec.h
} bksi_input_cost;

/// How one tick is coded.
typedef struct bksi_input_code {
    uint64_t groups;        ///< bits: which changed
    uint32_t at;            ///< where its decisions are
    uint32_t count;         ///< of them
    bksi_input_cost before; ///< the cost of the ticks before it
} bksi_input_code;

typedef struct bksi_input_stream {
    const bksi_layout *layout;
    bks_tick head;        ///< one past the newest tick
    bks_tick coded_from;  ///< later ticks took no more decisions than are kept
    bks_tick counted;     ///< the costs of the ticks before this one are known
    bksi_input_cost cost; ///< of these ticks
    bksi_model *model;
    bksi_draft *draft; ///< of the input of tick `head`, if there is one
    bool has_draft;
    uint32_t decisions_max;         ///< kept of a tick
    bksi_range_decision *decisions; ///< a ring; those of a tick are not parted
    uint32_t decisions_at;          ///< where those of tick `head` go
    uint32_t decisions_end;         ///< where the ring ended when it last began again
    bksi_input_code codes[BKSI_INPUT_STREAM_TICKS];
} bksi_input_stream;

/// @param layout  must outlive the stream
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_input_stream_create(bksi_input_stream *stream, const bksi_layout *layout,
                                    const bks_allocator *allocator);
/// NULL and a stream that was never created are allowed.
void bksi_input_stream_destroy(bksi_input_stream *stream, const bks_allocator *allocator);

/// The first input is that of this tick; 0 otherwise. Before the first input.
void bksi_input_stream_begin(bksi_input_stream *stream, bks_tick first);

/// Take the input of tick `head`.
void bksi_input_stream_learn(bksi_input_stream *stream, const uint8_t *packed);

/// Most bits that encoding the ticks from `first` to before `head` takes.
/// @param plain_bits  receives the bits they take by input/codec.h
/// @return UINT32_MAX, and plain_bits as it was, when one cannot be encoded: it is too old or
///         took too many decisions
uint32_t bksi_input_stream_bits(bksi_input_stream *stream, bks_tick first, uint32_t *plain_bits);

/// Encode the ticks from `first` to before `until`, which can be.
void bksi_input_stream_encode(const bksi_input_stream *stream, bks_tick first, bks_tick until,
                              bksi_range_encoder *encoder);

/// Read over these ticks, all below `head`. If another input is coded there, or one cannot be
/// coded, decoder->failed is set.
void bksi_input_stream_skip(const bksi_input_stream *stream, bks_tick first, bks_tick until,
                            bksi_range_decoder *decoder);

/// Decode the input of tick `head`, without taking it: bksi_input_stream_learn() does, of this or
/// another. What no stream encodes sets decoder->failed.
void bksi_input_stream_decode(bksi_input_stream *stream, bksi_range_decoder *decoder,
                              uint8_t *packed);

#endif
