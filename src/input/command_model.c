// SPDX-License-Identifier: MIT

#include "input/command_model.h"

#include <string.h>

/// Largest logarithm of odds, in 1/256. The least one is its negative.
#define STRETCHED_MAX 2047

#define FIRST_WEIGHT 20000   // the sum of all is above 1, because contexts that agree are surer
#define WEIGHT_MAX   4000000 // bound that hostile bytes cannot exceed
#define LEARN_RATE   8       // of weights
#define USES_MAX     5u // a chance that was used more often moves as slowly as one that was not

/// Return the chance of a 1 in 1/4096 whose odds have this logarithm: 4096 / (1 + e^(-odds / 256)),
/// between the values of the table by straight lines: 1..4095.
static int32_t squash(int64_t odds)
{
    static const int16_t table[33] = {1,    2,    4,    6,    10,   17,   27,   45,   74,
                                      120,  194,  311,  488,  747,  1102, 1546, 2048, 2550,
                                      2994, 3349, 3608, 3785, 3902, 3976, 4022, 4051, 4069,
                                      4079, 4086, 4090, 4092, 4094, 4095};
    if (odds > STRETCHED_MAX || odds < -STRETCHED_MAX) {
        return odds > 0 ? 4095 : 1;
    }
    const int32_t from = (int32_t)odds + 2048;
    const int32_t part = from % 128;
    return (table[from / 128] * (128 - part) + table[from / 128 + 1] * part + 64) / 128;
}

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint32_t hash = a * 0x9E3779B1u ^ b * 0x85EBCA77u;
    hash = (hash ^ hash >> 15) * 0xC2B2AE3Du;
    return hash ^ hash >> 13;
}

static uint32_t byte_at(const bksi_command_model *model, uint32_t offset)
{
    return model->history[offset % BKSI_COMMAND_HISTORY];
}

/// Return the newest bytes as a number, the newest one lowest.
static uint32_t newest(const bksi_command_model *model, uint32_t count)
{
    uint32_t bytes = 0;
    for (uint32_t i = count; i > 0; i--) {
        bytes = bytes << 8 | byte_at(model, model->at - i);
    }
    return bytes;
}

static uint32_t weights_place(const bksi_command_model *model)
{
    return model->place < BKSI_COMMAND_PLACES ? model->place : BKSI_COMMAND_PLACES - 1;
}

/// Prepare the prediction of the next byte.
static void begin_byte(bksi_command_model *model)
{
    const uint32_t like = model->like[model->kind];
    const uint32_t above = like != 0 ? byte_at(model, like - 1 + model->place) : 0;
    const uint32_t field = weights_place(model) | (model->place > 2 ? model->kind << 8 : 0);
    const uint32_t repeats = model->copy_length < 15 ? model->copy_length : 15;
    const uint32_t copied =
        model->copy_length > 0 ? 256 | byte_at(model, model->copy_at) | repeats << 9 : 0;
    model->hashes[0] = mix(newest(model, 2), 1);
    model->hashes[1] = mix(newest(model, 4), 2);
    model->hashes[2] = mix(field, 3 + (model->length & 255) * 128);
    model->hashes[3] = mix(field | above << 16, 4 + newest(model, 1) * 128);
    model->hashes[4] = mix(field | above << 16, 5);
    model->hashes[5] = mix(copied, 6);
    model->bits = 1;
}

void bksi_command_model_init(bksi_command_model *model)
{
    memset(model, 0, sizeof(*model));
    for (uint32_t i = 0; i < BKSI_COMMAND_CONTEXTS; i++) {
        for (uint32_t k = 0; k < BKSI_COMMAND_CHANCES; k++) {
            model->chances[i][k] = 2048u << 4;
        }
        for (uint32_t k = 0; k < BKSI_COMMAND_PLACES; k++) {
            model->weights[k][i] = FIRST_WEIGHT;
        }
    }
    int32_t chance = 0;
    for (int32_t odds = -STRETCHED_MAX; odds <= STRETCHED_MAX; odds++) {
        for (const int32_t until = squash(odds); chance <= until; chance++) {
            model->stretched[chance] = (int16_t)odds;
        }
    }
    for (; chance < 4096; chance++) {
        model->stretched[chance] = STRETCHED_MAX;
    }
    begin_byte(model);
}

uint32_t bksi_command_model_predict(bksi_command_model *model)
{
    const int32_t *weights = model->weights[weights_place(model)];
    int64_t odds = 0;
    for (uint32_t i = 0; i < BKSI_COMMAND_CONTEXTS; i++) {
        const uint32_t hash = mix(model->hashes[i], model->bits);
        model->used[i] = &model->chances[i][hash % BKSI_COMMAND_CHANCES];
        model->inputs[i] = model->stretched[*model->used[i] >> 4];
        odds += (int64_t)weights[i] * model->inputs[i];
    }
    model->predicted = squash(odds / 65536);
    return 65536 - 16 * (uint32_t)model->predicted;
}

/// Move a chance towards a bit, the less the more often it was used.
static void learn_chance(uint16_t *chance, uint32_t bit)
{
    static const int32_t rates[USES_MAX + 1] = {40960, 25206, 18204, 14246, 11702, 9929};
    const uint32_t uses = *chance & 15u;
    const int32_t old = *chance & ~15;
    const int32_t moved =
        old + (int32_t)(((bit != 0 ? 65520 : 0) - old) * (int64_t)rates[uses] / 65536);
    *chance = (uint16_t)((uint32_t)moved & ~15u) | (uint16_t)(uses < USES_MAX ? uses + 1 : uses);
}

/// Find an earlier copy of the newest bytes, whose next byte may come again.
static void find_copy(bksi_command_model *model, uint8_t byte)
{
    uint32_t *last = &model->copies[mix(newest(model, 4), 7) % BKSI_COMMAND_COPIES];
    if (model->copy_length > 0 && byte_at(model, model->copy_at) == byte) {
        model->copy_length++;
        model->copy_at++;
    } else {
        model->copy_length = 0;
        model->copy_at = *last;
        while (*last != 0 && model->copy_length < 20 &&
               byte_at(model, *last - 1 - model->copy_length) ==
                   byte_at(model, model->at - 1 - model->copy_length)) {
            model->copy_length++;
        }
    }
    *last = model->at;
}

/// Follow the bounds of commands.
static void pass_byte(bksi_command_model *model, uint8_t byte)
{
    if (model->place == 0) {
        model->length = byte;
        model->begun = model->at;
    } else if (model->place == 1) {
        model->length |= (uint32_t)byte << 8;
    } else if (model->place == 2) {
        model->kind = byte;
    }
    model->place++;
    if (model->place >= 2 && model->place == model->length + 2) {
        model->like[model->kind] = model->begun;
        model->place = model->length = 0;
    }
}

void bksi_command_model_learn(bksi_command_model *model, uint32_t bit)
{
    int32_t *weights = model->weights[weights_place(model)];
    const int32_t error = ((int32_t)(bit << 12) - model->predicted) * LEARN_RATE;
    for (uint32_t i = 0; i < BKSI_COMMAND_CONTEXTS; i++) {
        const int32_t weight = weights[i] + model->inputs[i] * error / 16384;
        weights[i] = weight > WEIGHT_MAX ? WEIGHT_MAX : weight < -WEIGHT_MAX ? -WEIGHT_MAX : weight;
        learn_chance(model->used[i], bit);
    }
    model->bits = model->bits << 1 | bit;
    if (model->bits >= 256) {
        const uint8_t byte = (uint8_t)model->bits;
        model->history[model->at % BKSI_COMMAND_HISTORY] = byte;
        model->at++;
        find_copy(model, byte);
        pass_byte(model, byte);
        begin_byte(model);
    }
}
