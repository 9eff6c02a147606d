// SPDX-License-Identifier: MIT

// Takes any table of fields and tries inputs with it: they are packed, coded against each other,
// coded by the model, read from any bits, guessed, and made from any device. Packing and coding
// must give the input back, and no value may leave the range of its field.
//
// The input: the number of fields (1 byte); for each field its bits, its flags (sign, predictor,
// kind), its group and its neutral value (4 bytes); then bytes that serve as inputs and as bits.

#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/runner.h"
#include "input/codec.h"
#include "input/layout.h"
#include "input/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#define INPUTS 8u

typedef struct source {
    const uint8_t *bytes;
    size_t count;
} source;

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static uint32_t take(source *from, uint32_t bytes)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        if (from->count == 0) {
            return value;
        }
        value |= (uint32_t)*from->bytes++ << 8 * i;
        from->count--;
    }
    return value;
}

static uint32_t take_fields(source *from, bks_field *table, char names[][4])
{
    uint32_t count = take(from, 1) % (BKS_FIELDS_MAX + 2);
    for (uint32_t i = 0; i < count && i < BKS_FIELDS_MAX; i++) {
        uint32_t bits = take(from, 1);
        uint32_t flags = take(from, 1);
        names[i][0] = (char)('a' + i / 8);
        names[i][1] = (char)('a' + i % 8);
        table[i] = (bks_field){
            .name = names[i],
            .bits = bits % 40,
            .is_signed = (flags & 1) != 0,
            .predictor = (bks_predictor)(flags >> 1 & 3),
            .kind = (bks_field_kind)(flags >> 3 & 7),
            .dead_zone = (float)(flags >> 6) * 0.3f,
            .group = take(from, 1),
            .neutral = (bits & 0x80) != 0 ? (int32_t)take(from, 4) : 0,
        };
    }
    return count;
}

static void must_be_in_range(const bks_field *table, uint32_t count, const int32_t *values)
{
    for (uint32_t i = 0; i < count; i++) {
        int32_t least = 0;
        int32_t greatest = 0;
        must(bks_field_range(&table[i], &least, &greatest) == BKS_OK);
        must(values[i] >= least && values[i] <= greatest);
    }
}

/// Unpack any bytes as an input, pack it, and check that unpacking gives the same values again.
static void take_input(source *from, const bksi_layout *layout, uint8_t *packed)
{
    uint8_t any[BKSI_INPUT_BYTES_MAX];
    int32_t values[BKS_FIELDS_MAX];
    int32_t again[BKS_FIELDS_MAX];
    for (uint32_t i = 0; i < layout->bytes; i++) {
        any[i] = (uint8_t)take(from, 1);
    }
    bksi_layout_unpack(layout, any, values);
    must_be_in_range(layout->fields, layout->field_count, values);
    must(bksi_layout_pack(layout, values, packed, NULL) == BKS_OK);
    bksi_layout_unpack(layout, packed, again);
    must(memcmp(values, again, layout->field_count * sizeof(int32_t)) == 0);
}

static void write_and_read(source *from, const bksi_layout *layout)
{
    uint8_t inputs[INPUTS][BKSI_INPUT_BYTES_MAX];
    uint8_t stream[INPUTS * (BKSI_INPUT_BYTES_MAX + BKS_FIELDS_MAX / 8 + 1)];
    const uint8_t *before = layout->neutral;
    bksi_bit_writer writer = bksi_bit_writer_over(stream, sizeof(stream));
    for (uint32_t i = 0; i < INPUTS; i++) {
        take_input(from, layout, inputs[i]);
        size_t begin = writer.at_bits;
        bksi_codec_write(&writer, layout, before, inputs[i]);
        must(!writer.failed && writer.at_bits - begin <= bksi_codec_bits_max(layout));
        before = inputs[i];
    }
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    memcpy(packed, layout->neutral, layout->bytes);
    bksi_bit_reader reader = bksi_bit_reader_over(stream, sizeof(stream));
    for (uint32_t i = 0; i < INPUTS; i++) {
        bksi_codec_read(&reader, layout, packed, packed);
        must(!reader.failed && memcmp(packed, inputs[i], layout->bytes) == 0);
    }
    must(reader.at_bits == writer.at_bits);
}

/// Read inputs from any bits until one is refused. Each accepted one must be written in as many
/// bits.
static void read_any_bits(const source *from, const bksi_layout *layout)
{
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    memcpy(packed, layout->neutral, layout->bytes);
    bksi_bit_reader reader = bksi_bit_reader_over(from->bytes, from->count);
    while (!reader.failed) {
        uint8_t before[BKSI_INPUT_BYTES_MAX];
        uint8_t wrote[BKSI_INPUT_BYTES_MAX + BKS_FIELDS_MAX / 8 + 1];
        memcpy(before, packed, layout->bytes);
        size_t begin = reader.at_bits;
        bksi_codec_read(&reader, layout, packed, packed);
        if (reader.failed) {
            must(memcmp(packed, before, layout->bytes) == 0); // a refused input changes nothing
            break;
        }
        bksi_bit_writer writer = bksi_bit_writer_over(wrote, sizeof(wrote));
        bksi_codec_write(&writer, layout, before, packed);
        must(writer.at_bits == reader.at_bits - begin); // an input has one code
    }
}

/// Decode inputs from any bytes by the model. Encoding them must bring the writer's model to the
/// same state as the reader's, and the encoded inputs must decode again.
static void learn_any_bytes(const source *from, const bksi_layout *layout)
{
    static uint8_t wrote[INPUTS * 8 * BKSI_INPUT_BYTES_MAX];
    size_t bytes = bksi_model_bytes(layout);
    bksi_model *reads = malloc(bytes);
    bksi_model *writes = malloc(bytes);
    must(reads != NULL && writes != NULL);
    bksi_model_init(reads, layout);
    bksi_model_init(writes, layout);
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, from->bytes, from->count);
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, wrote, sizeof(wrote));
    uint8_t inputs[INPUTS][BKSI_INPUT_BYTES_MAX];
    uint32_t count = 0;
    for (; count < INPUTS; count++) {
        bksi_model_decode(reads, layout, &decoder, inputs[count]);
        int32_t values[BKS_FIELDS_MAX];
        bksi_layout_unpack(layout, inputs[count], values);
        must_be_in_range(layout->fields, layout->field_count, values);
        if (decoder.failed) {
            break;
        }
        bksi_model_encode(writes, layout, &encoder, inputs[count]);
        must(memcmp(reads, writes, bytes) == 0);
    }
    size_t written = bksi_range_encoder_finish(&encoder);
    must(!encoder.failed);
    bksi_range_decoder_init(&decoder, wrote, written);
    bksi_model_init(reads, layout);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        bksi_model_decode(reads, layout, &decoder, packed);
        must(memcmp(packed, inputs[i], layout->bytes) == 0);
    }
    must(bksi_range_decoder_is_done(&decoder));
    free(reads);
    free(writes);
}

static void quantise_and_guess(source *from, const bksi_layout *layout)
{
    float raw[BKS_FIELDS_MAX];
    int32_t values[BKS_FIELDS_MAX];
    for (uint32_t i = 0; i < layout->field_count; i++) {
        uint32_t bits = take(from, 4);
        memcpy(&raw[i], &bits, sizeof(bits));
    }
    must(bks_input_quantise(layout->fields, layout->field_count, raw, values) == BKS_OK);
    must_be_in_range(layout->fields, layout->field_count, values);
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    must(bksi_layout_pack(layout, values, packed, NULL) == BKS_OK);
    bksi_layout_predict(layout, packed, packed);
    bksi_layout_unpack(layout, packed, values);
    must_be_in_range(layout->fields, layout->field_count, values);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    source from = {bytes, count};
    bks_field table[BKS_FIELDS_MAX];
    char names[BKS_FIELDS_MAX][4] = {{0}};
    uint32_t fields = take_fields(&from, table, names);
    bks_error error = {0};
    bksi_layout layout;
    bks_status status = bks_fields_check(table, fields, &error);
    must(status == BKS_OK || (status == BKS_ERR_BAD_CONFIG && error.text[0] != '\0'));
    must(bksi_layout_init(&layout, table, fields, NULL) == status);
    if (status != BKS_OK) {
        return 0;
    }
    must(layout.bits >= 1 && layout.bits <= BKS_INPUT_BITS_MAX);
    must(bksi_layout_hash(&layout) == bksi_layout_hash(&layout));
    write_and_read(&from, &layout);
    quantise_and_guess(&from, &layout);
    read_any_bits(&from, &layout);
    learn_any_bytes(&from, &layout);
    return 0;
}
