// SPDX-License-Identifier: MIT

/// @file command_packer.h
/// Packs the blobs of one player (command_log.h) for the wire, each by what the blobs before it
/// have taught a model. A blob that the model would make longer is packed as it is. The receiver
/// has a packer of its own, and both must see the same blobs in the same order. A blob that came
/// plain is learnt instead of unpacked. See docs/spec/input-codec.md.

#ifndef BKSI_COMMAND_PACKER_H
#define BKSI_COMMAND_PACKER_H

#include "input/command_log.h"
#include "input/command_model.h"

/// Bytes by which a packed blob may be longer than the plain one.
#define BKSI_PACKED_EXTRA_BYTES 6u

typedef struct bksi_command_packer {
    bksi_command_model model;
    bool is_broken; ///< a blob could not be unpacked, so no later one can be
} bksi_command_packer;

void bksi_command_packer_init(bksi_command_packer *packer);
/// Pack a blob that is not empty.
/// @param bytes  receives the packed bytes: room for blob->count + BKSI_PACKED_EXTRA_BYTES
/// @return number of packed bytes
uint32_t bksi_command_packer_pack(bksi_command_packer *packer, const bksi_blob *blob,
                                  uint8_t *bytes);
/// Unpack a blob. If that fails, all later ones fail, too.
/// @param most   most plain bytes that the blob may have
/// @param bytes  receives the plain bytes: room for `most`
/// @return number of plain bytes; 0: the packed bytes are malformed, or stand for more than `most`
uint32_t bksi_command_packer_unpack(bksi_command_packer *packer, const bksi_blob *packed,
                                    uint32_t most, uint8_t *bytes);
/// Learn a blob that came plain.
void bksi_command_packer_learn(bksi_command_packer *packer, const bksi_blob *blob);

#endif
