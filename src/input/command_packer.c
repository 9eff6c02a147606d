// SPDX-License-Identifier: MIT

#include "input/command_packer.h"

#include "base/range_coder.h"

/// Chance that a blob is packed by the model, in 1/65536.
#define BY_MODEL 64512u

/// Order of the Exp-Golomb code of a blob's size.
#define COUNT_ORDER 5u

void bksi_command_packer_init(bksi_command_packer *packer)
{
    packer->is_broken = false;
    bksi_command_model_init(&packer->model);
}

void bksi_command_packer_learn(bksi_command_packer *packer, const bksi_blob *blob)
{
    for (uint32_t i = 0; i < 8 * blob->count; i++) {
        (void)bksi_command_model_predict(&packer->model);
        bksi_command_model_learn(&packer->model, blob->bytes[i / 8] >> (7 - i % 8) & 1);
    }
}

/// Write the pending bytes. At least one byte is needed, because an empty blob means no commands.
static uint32_t finish(bksi_range_encoder *encoder)
{
    const size_t count = bksi_range_encoder_finish(encoder);
    if (count > 0) {
        return (uint32_t)count;
    }
    encoder->bytes[0] = 0; // as the decoder reads a byte that is missing
    return 1;
}

static void begin(bksi_range_encoder *encoder, uint8_t *bytes, const bksi_blob *blob, bool is_plain)
{
    bksi_range_encoder_init(encoder, bytes, blob->count + BKSI_PACKED_EXTRA_BYTES);
    bksi_range_encode(encoder, BY_MODEL, is_plain);
    bksi_range_encode_number(encoder, blob->count - 1, COUNT_ORDER);
}

uint32_t bksi_command_packer_pack(bksi_command_packer *packer, const bksi_blob *blob,
                                  uint8_t *bytes)
{
    bksi_range_encoder encoder;
    begin(&encoder, bytes, blob, false);
    for (uint32_t i = 0; i < 8 * blob->count; i++) {
        const uint32_t bit = blob->bytes[i / 8] >> (7 - i % 8) & 1;
        bksi_range_encode(&encoder, bksi_command_model_predict(&packer->model), bit);
        bksi_command_model_learn(&packer->model, bit);
    }
    const uint32_t count = finish(&encoder);
    if (!encoder.failed) {
        return count;
    }
    begin(&encoder, bytes, blob, true);
    for (uint32_t i = 0; i < blob->count; i++) {
        bksi_range_encode_bits(&encoder, blob->bytes[i], 8);
    }
    const uint32_t plain_count = finish(&encoder);
    BKS_ASSERT(!encoder.failed);
    return plain_count;
}

static void unpack_by_model(bksi_command_model *model, bksi_range_decoder *decoder, uint8_t *bytes,
                            uint32_t count)
{
    for (uint32_t i = 0; i < 8 * count && !decoder->failed; i++) {
        const uint32_t bit = bksi_range_decode(decoder, bksi_command_model_predict(model));
        bksi_command_model_learn(model, bit);
        bytes[i / 8] = (uint8_t)((uint32_t)bytes[i / 8] << 1 | bit);
    }
}

uint32_t bksi_command_packer_unpack(bksi_command_packer *packer, const bksi_blob *packed,
                                    uint32_t most, uint8_t *bytes)
{
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, packed->bytes, packed->count);
    const bool is_plain = bksi_range_decode(&decoder, BY_MODEL) != 0;
    const uint64_t count = UINT64_C(1) + bksi_range_decode_number(&decoder, COUNT_ORDER);
    packer->is_broken |= decoder.failed || count > most;
    if (packer->is_broken) {
        return 0;
    }
    if (!is_plain) {
        unpack_by_model(&packer->model, &decoder, bytes, (uint32_t)count);
    }
    for (uint32_t i = 0; is_plain && i < count; i++) {
        bytes[i] = (uint8_t)bksi_range_decode_bits(&decoder, 8);
    }
    packer->is_broken = !bksi_range_decoder_is_done(&decoder);
    if (is_plain && !packer->is_broken) {
        bksi_command_packer_learn(packer, &(bksi_blob){.bytes = bytes, .count = (uint32_t)count});
    }
    return packer->is_broken ? 0 : (uint32_t)count;
}
