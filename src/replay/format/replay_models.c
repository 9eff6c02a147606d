// SPDX-License-Identifier: MIT

#include "replay/format/replay_models.h"

#include "base/memory.h"

#define ALIGNMENT 64u

static bksi_model *model_of(const bksi_models *models, uint32_t player)
{
    return (bksi_model *)(void *)(models->bytes + player * models->stride_bytes);
}

bks_status bksi_models_create(bksi_models *models, const bksi_layout *layout, uint32_t players,
                              const bks_allocator *allocator)
{
    const size_t bytes = bksi_model_bytes(layout);
    *models = (bksi_models){
        .layout = layout,
        .players = players,
        .stride_bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT,
    };
    models->bytes = bksi_alloc(allocator, players * models->stride_bytes, ALIGNMENT);
    if (models->bytes == NULL) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    bksi_models_restart(models);
    return BKS_OK;
}

void bksi_models_destroy(bksi_models *models, const bks_allocator *allocator)
{
    bksi_free(allocator, models->bytes, models->players * models->stride_bytes);
    *models = (bksi_models){0};
}

void bksi_models_restart(bksi_models *models)
{
    for (uint32_t player = 0; player < models->players; player++) {
        bksi_model_init(model_of(models, player), models->layout);
    }
}

void bksi_models_encode(bksi_models *models, bksi_range_encoder *encoder, const uint8_t *packed)
{
    for (uint32_t player = 0; player < models->players; player++) {
        bksi_model_encode(model_of(models, player), models->layout, encoder,
                          packed + (size_t)player * models->layout->bytes);
    }
}

void bksi_models_decode(bksi_models *models, bksi_range_decoder *decoder, uint8_t *packed)
{
    for (uint32_t player = 0; player < models->players; player++) {
        bksi_model_decode(model_of(models, player), models->layout, decoder,
                          packed + (size_t)player * models->layout->bytes);
    }
}
