// SPDX-License-Identifier: MIT

/// @file replay_models.h
/// What is learnt of each player of a recording (input/model.h), from restart to restart.

#ifndef BKSI_REPLAY_MODELS_H
#define BKSI_REPLAY_MODELS_H

#include "input/model.h"

typedef struct bksi_models {
    const bksi_layout *layout;
    uint32_t players;
    size_t stride_bytes;
    uint8_t *bytes; ///< a model each stride
} bksi_models;

/// @param layout  must outlive the models
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_models_create(bksi_models *models, const bksi_layout *layout, uint32_t players,
                              const bks_allocator *allocator);
void bksi_models_destroy(bksi_models *models, const bks_allocator *allocator);

/// Nothing is learnt.
void bksi_models_restart(bksi_models *models);

/// Encode all players' inputs of the next tick, players * layout->bytes.
void bksi_models_encode(bksi_models *models, bksi_range_encoder *encoder, const uint8_t *packed);

/// Decode them. Check decoder->failed afterwards.
void bksi_models_decode(bksi_models *models, bksi_range_decoder *decoder, uint8_t *packed);

#endif
