// SPDX-License-Identifier: MIT

#include "input/teller.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/memory.h"
#include "base/report.h"

static size_t decision_bytes(const bksi_teller *teller)
{
    return sizeof(uint16_t) * teller->decisions_max * BKSI_TELLER_TICKS;
}

bks_status bksi_teller_create(bksi_teller *teller, const bksi_layout *layout,
                              const bks_allocator *allocator)
{
    const uint32_t decisions = bksi_model_decisions_max(layout);
    *teller = (bksi_teller){
        .layout = layout,
        .decisions_max =
            decisions < BKSI_TELLER_DECISIONS_MAX ? decisions : BKSI_TELLER_DECISIONS_MAX,
    };
    teller->model = bksi_alloc(allocator, bksi_model_bytes(layout), 16);
    teller->draft = bksi_alloc(allocator, sizeof(*teller->draft), 16);
    teller->decisions = bksi_alloc(allocator, decision_bytes(teller), 16);
    if (teller->model == NULL || teller->draft == NULL || teller->decisions == NULL) {
        bksi_teller_destroy(teller, allocator);
        return bksi_fail(NULL, BKS_ERR_OUT_OF_MEMORY, "input.teller", NULL,
                         "no memory for %zu bytes of a player's model", bksi_model_bytes(layout));
    }
    bksi_model_init(teller->model, layout);
    return BKS_OK;
}

void bksi_teller_destroy(bksi_teller *teller, const bks_allocator *allocator)
{
    if (teller == NULL || teller->layout == NULL) {
        return;
    }
    bksi_free(allocator, teller->model, bksi_model_bytes(teller->layout));
    bksi_free(allocator, teller->draft, sizeof(*teller->draft));
    bksi_free(allocator, teller->decisions, decision_bytes(teller));
    *teller = (bksi_teller){0};
}

static uint32_t slot_of(bks_tick tick)
{
    return (uint32_t)tick % BKSI_TELLER_TICKS;
}

static const uint16_t *decisions_at(const bksi_teller *teller, bks_tick tick)
{
    return teller->decisions + (size_t)slot_of(tick) * teller->decisions_max;
}

/// Of a bit that had this chance, in 1/256 bits: never less than it takes. The logarithm by
/// straight lines errs upwards, and the coder, which cuts its range to 8 bits at worst, loses below
/// 2/256.
static uint32_t cost_of(uint32_t chance)
{
    const uint32_t whole = bksi_highest_bit(chance);
    return (17 - whole) * 256 - (chance << 8 >> whole) + 2;
}

/// The newest input by input/codec.h.
static uint32_t plain_bits(const bksi_teller *teller)
{
    uint64_t groups = bksi_model_changed(teller->model);
    uint32_t bits = groups == 0 ? 1 : 1 + teller->layout->group_count;
    for (uint32_t group = 0; groups != 0; group++, groups >>= 1) {
        bits += (groups & 1) != 0 ? teller->layout->group_bits[group] : 0;
    }
    return bits;
}

void bksi_teller_learn(bksi_teller *teller, const uint8_t *packed)
{
    bksi_draft *draft = teller->draft;
    if (!teller->has_draft || memcmp(draft->place.packed, packed, teller->layout->bytes) != 0) {
        bksi_model_draft(teller->model, teller->layout, packed, draft);
    }
    bksi_model_take(teller->model, draft);
    teller->has_draft = false;
    const uint32_t slot = slot_of(teller->head++);
    bksi_told *told = &teller->told[slot];
    *told = (bksi_told){.plain_bits = plain_bits(teller), .count = draft->told_count};
    if (told->count > teller->decisions_max) {
        return;
    }
    memcpy(teller->decisions + (size_t)slot * teller->decisions_max, draft->told,
           told->count * sizeof(draft->told[0]));
    for (uint32_t i = 0; i < told->count; i++) {
        const uint32_t one = draft->told[i] & ~1u;
        told->cost += cost_of((draft->told[i] & 1) != 0 ? one : 65536 - one);
    }
}

/// Whether all that was decided is kept.
static bool can_tell(const bksi_teller *teller, bks_tick tick)
{
    return teller->head - tick <= (bks_tick)BKSI_TELLER_TICKS &&
           teller->told[slot_of(tick)].count <= teller->decisions_max;
}

uint32_t bksi_teller_bits(const bksi_teller *teller, bks_tick first, bks_tick until,
                          uint32_t *out_plain_bits)
{
    uint32_t cost = 0;
    uint32_t plain = 0;
    for (bks_tick tick = first; tick < until; tick++) {
        if (!can_tell(teller, tick)) {
            return UINT32_MAX;
        }
        cost += teller->told[slot_of(tick)].cost;
        plain += teller->told[slot_of(tick)].plain_bits;
    }
    *out_plain_bits = plain;
    return (cost + 255) / 256;
}

void bksi_teller_tell(const bksi_teller *teller, bks_tick tick, bksi_range_encoder *encoder)
{
    BKS_ASSERT(can_tell(teller, tick));
    const uint16_t *decisions = decisions_at(teller, tick);
    for (uint32_t i = 0; i < teller->told[slot_of(tick)].count; i++) {
        bksi_range_encode(encoder, 65536 - (decisions[i] & ~1u), decisions[i] & 1);
    }
}

void bksi_teller_skip(const bksi_teller *teller, bks_tick tick, bksi_range_decoder *decoder)
{
    const uint16_t *decisions = decisions_at(teller, tick);
    bool is_same = can_tell(teller, tick);
    for (uint32_t i = 0; is_same && i < teller->told[slot_of(tick)].count; i++) {
        is_same = bksi_range_decode(decoder, 65536 - (decisions[i] & ~1u)) == (decisions[i] & 1u);
    }
    decoder->failed = decoder->failed || !is_same;
}

void bksi_teller_hear(bksi_teller *teller, bksi_range_decoder *decoder, uint8_t *packed)
{
    bksi_draft *draft = teller->draft;
    bksi_model_draft_decoded(teller->model, teller->layout, decoder, draft);
    decoder->failed = decoder->failed || draft->told_count > teller->decisions_max;
    teller->has_draft = !decoder->failed;
    memcpy(packed, draft->place.packed, teller->layout->bytes);
}
