// SPDX-License-Identifier: MIT

#include "input/predict.h"

#include <string.h>

#include "base/memory.h"
#include "base/report.h"

_Static_assert((BKSI_CHAIN_MAX & (BKSI_CHAIN_MAX - 1)) == 0, "places are taken modulo the length");

static bool has_predictor(const bksi_layout *layout, bks_predictor predictor)
{
    for (uint32_t i = 0; i < layout->field_count; i++) {
        if (layout->fields[i].predictor == predictor) {
            return true;
        }
    }
    return false;
}

bks_status bksi_prediction_create(bksi_prediction *prediction, const bksi_layout *layout,
                                  const void *votes, size_t votes_bytes,
                                  const bks_allocator *allocator, bks_error *error)
{
    *prediction = (bksi_prediction){.layout = layout};
    if (!has_predictor(layout, BKS_PREDICT_VOTE)) {
        return BKS_OK;
    }
    bks_status status = bksi_votes_create(&prediction->votes, layout, false, allocator);
    if (status == BKS_OK && votes != NULL) {
        status = bksi_votes_read(&prediction->votes, votes, votes_bytes, error);
    }
    if (status != BKS_OK) {
        bksi_prediction_destroy(prediction, allocator);
    }
    return status;
}

void bksi_prediction_destroy(bksi_prediction *prediction, const bks_allocator *allocator)
{
    bksi_votes_destroy(&prediction->votes, allocator);
    *prediction = (bksi_prediction){0};
}

// ---- creating and destroying predictors ----

static size_t samples_bytes(const bksi_predictor *predictor)
{
    return BKSI_SAMPLES_MAX * (size_t)predictor->prediction->layout->bytes;
}

static size_t chain_bytes(const bksi_predictor *predictor)
{
    return BKSI_CHAIN_MAX * (size_t)predictor->prediction->layout->bytes;
}

/// Return the size of an array of bksi_unit_past with one element for each unit, and one more so
/// that the size is never 0.
static size_t past_bytes(const bksi_predictor *predictor)
{
    return (predictor->prediction->votes.unit_count + 1) * sizeof(*predictor->past);
}

/// Forget all inputs and guesses. Before the first input every field is neutral.
static void forget(bksi_predictor *predictor)
{
    const bksi_prediction *prediction = predictor->prediction;
    predictor->sample_count = 0;
    predictor->chain_length = 0;
    memcpy(predictor->samples, prediction->layout->neutral, prediction->layout->bytes);
    for (uint32_t i = 0; i < prediction->votes.unit_count; i++) {
        const uint32_t value =
            bksi_unit_read(&prediction->votes.units[i], prediction->layout->neutral);
        predictor->past[i] = (bksi_unit_past){.value = value, .before = value};
    }
}

bks_status bksi_predictor_create(bksi_predictor *predictor, bksi_prediction *prediction,
                                 const bks_allocator *allocator)
{
    *predictor = (bksi_predictor){.prediction = prediction};
    predictor->samples = bksi_alloc(allocator, samples_bytes(predictor), 16);
    predictor->chain = bksi_alloc(allocator, chain_bytes(predictor), 16);
    predictor->past = bksi_alloc(allocator, past_bytes(predictor), 16);
    predictor->ahead = bksi_alloc(allocator, past_bytes(predictor), 16);
    if (predictor->samples == NULL || predictor->chain == NULL || predictor->past == NULL ||
        predictor->ahead == NULL) {
        bksi_predictor_destroy(predictor, allocator);
        return bksi_fail(NULL, BKS_ERR_OUT_OF_MEMORY, "input.predict", NULL,
                         "no memory for a player's predictor");
    }
    forget(predictor);
    return BKS_OK;
}

void bksi_predictor_destroy(bksi_predictor *predictor, const bks_allocator *allocator)
{
    if (predictor == NULL || predictor->prediction == NULL) {
        return;
    }
    bksi_free(allocator, predictor->samples, samples_bytes(predictor));
    bksi_free(allocator, predictor->chain, chain_bytes(predictor));
    bksi_free(allocator, predictor->past, past_bytes(predictor));
    bksi_free(allocator, predictor->ahead, past_bytes(predictor));
    *predictor = (bksi_predictor){0};
}

void bksi_predictor_begin(bksi_predictor *predictor, bks_tick first)
{
    predictor->head = first;
}

// ---- learning confirmed inputs ----

static void learn_votes(bksi_predictor *predictor, const uint8_t *packed)
{
    bksi_votes *votes = &predictor->prediction->votes;
    for (uint32_t i = 0; i < votes->unit_count; i++) {
        const uint32_t value = bksi_unit_read(&votes->units[i], packed);
        bksi_votes_learn(votes, i, &predictor->past[i], value);
        bksi_unit_past_push(&predictor->past[i], value);
    }
}

static uint8_t *guess_at(const bksi_predictor *predictor, uint32_t index)
{
    const uint32_t place = (predictor->chain_first + index) % BKSI_CHAIN_MAX;
    return predictor->chain + (size_t)place * predictor->prediction->layout->bytes;
}

void bksi_predictor_learn(bksi_predictor *predictor, bks_tick tick, const uint8_t *packed)
{
    const size_t bytes = predictor->prediction->layout->bytes;
    if (tick != predictor->head) {
        forget(predictor);
    }
    learn_votes(predictor, packed);
    memmove(predictor->samples + bytes, predictor->samples, (BKSI_SAMPLES_MAX - 1) * bytes);
    memcpy(predictor->samples, packed, bytes);
    predictor->sample_count += predictor->sample_count < BKSI_SAMPLES_MAX ? 1 : 0;
    predictor->head = tick + 1;
    if (predictor->chain_length > 0 && memcmp(guess_at(predictor, 0), packed, bytes) == 0) {
        predictor->chain_first = (predictor->chain_first + 1) % BKSI_CHAIN_MAX;
        predictor->chain_length--;
    } else {
        predictor->chain_length = 0;
    }
}

// ---- guessing inputs ----

static uint32_t width_of(const bks_field *field)
{
    return field->kind == BKS_FIELD_STICK_X || field->kind == BKS_FIELD_ANGLE ? 2 : 1;
}

/// Guess the fields that continue their movement.
static void guess_movement(const bksi_predictor *predictor, uint32_t steps, uint8_t *guess)
{
    const bksi_layout *layout = predictor->prediction->layout;
    int32_t samples[BKSI_SAMPLES_MAX][BKS_FIELDS_MAX];
    int32_t values[BKS_FIELDS_MAX];
    for (uint32_t k = 0; k < predictor->sample_count; k++) {
        bksi_layout_unpack(layout, predictor->samples + (size_t)k * layout->bytes, samples[k]);
    }
    bksi_layout_unpack(layout, guess, values);
    for (uint32_t i = 0; i < layout->field_count; i += width_of(&layout->fields[i])) {
        const bks_field *field = &layout->fields[i];
        if (field->predictor != BKS_PREDICT_LINEAR && field->predictor != BKS_PREDICT_SPLINE) {
            continue;
        }
        const uint32_t width = width_of(field);
        int32_t recent[BKSI_SAMPLES_MAX][2] = {{0}};
        int32_t next[2];
        for (uint32_t k = 0; k < predictor->sample_count; k++) {
            memcpy(recent[k], &samples[k][i], width * sizeof(int32_t));
        }
        bksi_extrapolate(field, (const int32_t(*)[2])recent, predictor->sample_count, steps, next);
        memcpy(&values[i], next, width * sizeof(int32_t));
    }
    bksi_layout_pack_clamped(layout, values, guess);
}

/// Guess the fields whose predictor is BKS_PREDICT_VOTE: their past inputs vote.
static void guess_votes(bksi_predictor *predictor, uint8_t *guess)
{
    const bksi_votes *votes = &predictor->prediction->votes;
    for (uint32_t i = 0; i < votes->unit_count; i++) {
        const uint32_t value = bksi_votes_guess(votes, i, &predictor->ahead[i]);
        bksi_unit_write(&votes->units[i], value, guess);
        bksi_unit_past_push(&predictor->ahead[i], value);
    }
}

static void extend(bksi_predictor *predictor)
{
    const bksi_layout *layout = predictor->prediction->layout;
    if (predictor->chain_length == 0) {
        memcpy(predictor->ahead, predictor->past, past_bytes(predictor));
    }
    uint8_t *guess = guess_at(predictor, predictor->chain_length);
    bksi_layout_predict(layout, predictor->samples, guess);
    if (layout->has_movement && predictor->sample_count > 0) {
        guess_movement(predictor, predictor->chain_length + 1, guess);
    }
    guess_votes(predictor, guess);
    predictor->chain_length++;
}

void bksi_predictor_guess(bksi_predictor *predictor, bks_tick tick, uint8_t *packed)
{
    BKS_ASSERT(tick >= predictor->head);
    bks_tick index = tick - predictor->head;
    if (index >= (bks_tick)BKSI_CHAIN_MAX) {
        index = (bks_tick)BKSI_CHAIN_MAX - 1;
    }
    while (predictor->chain_length <= (uint32_t)index) {
        extend(predictor);
    }
    memcpy(packed, guess_at(predictor, (uint32_t)index), predictor->prediction->layout->bytes);
}
