// SPDX-License-Identifier: MIT

/// @file codec.h
/// Inputs of consecutive ticks as bits, each coded by its changes: one bit for the input, one for
/// each group of fields, then the values of the changed groups [Fiedler; INVERSUS, Input
/// Communication]. The codec is used on the wire and in recordings. A learning model codes better:
/// input/model.h. See docs/spec/input-codec.md.

#ifndef BKSI_CODEC_H
#define BKSI_CODEC_H

#include "base/bits.h"
#include "input/layout.h"

/// Return the groups in which two packed inputs differ, one bit for each.
uint64_t bksi_codec_changed(const bksi_layout *layout, const uint8_t *before,
                            const uint8_t *packed);

/// Write one input, coded against `before` (the tick before it, or neutral for the first).
void bksi_codec_write(bksi_bit_writer *writer, const bksi_layout *layout, const uint8_t *before,
                      const uint8_t *packed);

/// Read one input; `packed` may be the same memory as `before`. Check reader->failed afterwards.
void bksi_codec_read(bksi_bit_reader *reader, const bksi_layout *layout, const uint8_t *before,
                     uint8_t *packed);

/// Return the largest number of bits that one coded input takes.
uint32_t bksi_codec_bits_max(const bksi_layout *layout);

#endif
