// SPDX-License-Identifier: MIT

/// @file input_stream.h
/// Coding of one player's inputs, which are sent again until they are acknowledged. The model is
/// asked once for each input. The decisions that coded it are kept, so encoding it again costs
/// little and gives the same bits, whatever was learnt since.
///
/// All peers that know a player's inputs before a tick have the same stream. So a peer can decode
/// from any tick on, whichever peer encoded. See docs/spec/wire.md.

#ifndef BKSI_INPUT_STREAM_H
#define BKSI_INPUT_STREAM_H

#include "input/model.h"

/// Number of newest ticks whose coding decisions are kept. A message that begins with an older tick
/// uses the plain codec (input/codec.h).
#define BKSI_INPUT_STREAM_TICKS 128u

/// Most coding decisions of a tick.
#define BKSI_INPUT_STREAM_DECISIONS_MAX 256u

/// Cost of coding the inputs of some ticks, modulo 2^32.
typedef struct bksi_input_cost {
    uint32_t coded; ///< upper bound of the cost with the model, in 1/256 bits
    uint32_t plain; ///< cost with the plain codec (input/codec.h), in bits
} bksi_input_cost;

/// Code of the input of one tick.
typedef struct bksi_input_code {
    uint64_t groups;        ///< groups that changed, one bit for each
    uint32_t at;            ///< index of the tick's first decision in the ring
    uint32_t count;         ///< number of the tick's decisions
    bksi_input_cost before; ///< cost of coding all earlier ticks
} bksi_input_code;

typedef struct bksi_input_stream {
    const bksi_layout *layout;
    bks_tick head;        ///< one past the newest tick whose input was learnt
    bks_tick coded_from;  ///< first tick from which on the ring has all decisions
    bks_tick counted;     ///< first tick whose coding cost is not computed yet
    bksi_input_cost cost; ///< cost of coding the ticks before `counted`
    bksi_model *model;
    bksi_draft *draft; ///< draft of the input of tick `head`, if there is one
    bool has_draft;
    uint32_t decisions_max;         ///< room for the decisions of one tick
    bksi_range_decision *decisions; ///< ring of decisions; those of one tick are contiguous
    uint32_t decisions_at;          ///< index in the ring for the decisions of tick `head`
    uint32_t decisions_end;         ///< index at which the ring last wrapped
    bksi_input_code codes[BKSI_INPUT_STREAM_TICKS];
} bksi_input_stream;

/// Create a stream without inputs.
/// @param layout  must outlive the stream
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_input_stream_create(bksi_input_stream *stream, const bksi_layout *layout,
                                    const bks_allocator *allocator);
/// Destroy a stream. NULL and a stream that was never created are allowed.
void bksi_input_stream_destroy(bksi_input_stream *stream, const bks_allocator *allocator);

/// Set the tick of the first input, 0 by default. Call this before the first input.
void bksi_input_stream_begin(bksi_input_stream *stream, bks_tick first);

/// Append the input of tick `head`, and learn from it.
void bksi_input_stream_learn(bksi_input_stream *stream, const uint8_t *packed);

/// Return the most bits that encoding the ticks from `first` to before `head` takes.
/// @param plain_bits  receives the bits that the plain codec (input/codec.h) takes for these ticks
/// @return UINT32_MAX, with plain_bits unchanged, if one of these ticks cannot be encoded, because
///         it is too old or needs too many decisions
uint32_t bksi_input_stream_bits(bksi_input_stream *stream, bks_tick first, uint32_t *plain_bits);

/// Encode the inputs of the ticks from `first` to before `until`. The caller must have called
/// bksi_input_stream_bits() for `first`, and it must not have returned UINT32_MAX.
void bksi_input_stream_encode(const bksi_input_stream *stream, bks_tick first, bks_tick until,
                              bksi_range_encoder *encoder);

/// Advance a decoder over the coded inputs of the ticks from `first` to before `until`, which must
/// be below `head`. Set decoder->failed if the bytes code other inputs, or if a tick cannot be
/// coded.
void bksi_input_stream_skip(const bksi_input_stream *stream, bks_tick first, bks_tick until,
                            bksi_range_decoder *decoder);

/// Decode the input of tick `head` without appending it: call bksi_input_stream_learn() to append
/// this or another input. Bytes that no stream encodes set decoder->failed.
void bksi_input_stream_decode(bksi_input_stream *stream, bksi_range_decoder *decoder,
                              uint8_t *packed);

#endif
