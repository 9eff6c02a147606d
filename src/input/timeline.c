// SPDX-License-Identifier: MIT

#include "input/timeline.h"

#include <string.h>

#include "base/memory.h"
#include "base/report.h"

/// Return the offset of a tick in a ring of inputs; the capacity is a power of two.
static size_t place(const bksi_timeline *timeline, bks_tick tick)
{
    const uint32_t at = (uint32_t)tick & (timeline->capacity_ticks - 1);
    return (size_t)at * timeline->layout->bytes;
}

static size_t ring_bytes(const bksi_timeline *timeline)
{
    return (size_t)timeline->capacity_ticks * timeline->layout->bytes;
}

bks_status bksi_timeline_create(bksi_timeline *timeline, const bksi_layout *layout,
                                uint32_t capacity_ticks, const bks_allocator *allocator)
{
    BKS_ASSERT(capacity_ticks >= 2);
    BKS_ASSERT((capacity_ticks & (capacity_ticks - 1)) == 0);
    *timeline = (bksi_timeline){.layout = layout, .capacity_ticks = capacity_ticks};
    const size_t bytes = ring_bytes(timeline);
    timeline->inputs = bksi_alloc(allocator, bytes, 16);
    timeline->used = bksi_alloc(allocator, bytes, 16);
    if (timeline->inputs == NULL || timeline->used == NULL) {
        bksi_timeline_destroy(timeline, allocator);
        return bksi_fail(NULL, BKS_ERR_OUT_OF_MEMORY, "input.timeline", NULL,
                         "no memory for 2 x %zu bytes of timeline", bytes);
    }
    return BKS_OK;
}

void bksi_timeline_destroy(bksi_timeline *timeline, const bks_allocator *allocator)
{
    if (timeline == NULL || timeline->layout == NULL) {
        return;
    }
    bksi_predictor_destroy(timeline->predictor, allocator);
    bksi_free(allocator, timeline->predictor, sizeof(*timeline->predictor));
    bksi_free(allocator, timeline->inputs, ring_bytes(timeline));
    bksi_free(allocator, timeline->used, ring_bytes(timeline));
    *timeline = (bksi_timeline){0};
}

bks_status bksi_timeline_predict_by(bksi_timeline *timeline, bksi_prediction *prediction,
                                    const bks_allocator *allocator)
{
    BKS_ASSERT(timeline->head == timeline->first);
    timeline->predictor = bksi_alloc(allocator, sizeof(*timeline->predictor), 16);
    if (timeline->predictor == NULL) {
        return bksi_fail(NULL, BKS_ERR_OUT_OF_MEMORY, "input.timeline", NULL,
                         "no memory for a predictor");
    }
    return bksi_predictor_create(timeline->predictor, prediction, allocator);
}

void bksi_timeline_begin(bksi_timeline *timeline, bks_tick first)
{
    BKS_ASSERT(timeline->head == timeline->first);
    timeline->first = timeline->head = timeline->used_head = first;
    if (timeline->predictor != NULL) {
        bksi_predictor_begin(timeline->predictor, first);
    }
}

bks_tick bksi_timeline_append(bksi_timeline *timeline, const uint8_t *packed)
{
    const bks_tick tick = timeline->head;
    const size_t at = place(timeline, tick);
    memcpy(timeline->inputs + at, packed, timeline->layout->bytes);
    timeline->head = tick + 1;
    if (timeline->predictor != NULL) {
        bksi_predictor_learn(timeline->predictor, tick, packed);
    }
    if (tick >= timeline->used_head) {
        return BKS_TICK_NONE;
    }
    // The ring still has the tick, unless the caller stepped too far beyond the head.
    BKS_ASSERT(timeline->used_head - tick <= (bks_tick)timeline->capacity_ticks);
    const bool is_as_used = memcmp(timeline->used + at, packed, timeline->layout->bytes) == 0;
    return is_as_used ? BKS_TICK_NONE : tick;
}

void bksi_timeline_at(const bksi_timeline *timeline, bks_tick tick, uint8_t *packed)
{
    if (tick < timeline->head) {
        memcpy(packed, bksi_timeline_confirmed(timeline, tick), timeline->layout->bytes);
    } else if (timeline->predictor != NULL && timeline->predictor->head == timeline->head) {
        bksi_predictor_guess(timeline->predictor, tick, packed);
    } else {
        const uint8_t *last = bksi_timeline_confirmed(timeline, timeline->head - 1);
        bksi_layout_predict(timeline->layout, last, packed);
    }
}

const uint8_t *bksi_timeline_confirmed(const bksi_timeline *timeline, bks_tick tick)
{
    BKS_ASSERT(tick >= timeline->first - 1);
    BKS_ASSERT(tick < timeline->head);
    if (tick < timeline->first) {
        return timeline->layout->neutral;
    }
    BKS_ASSERT(timeline->head - tick <= (bks_tick)timeline->capacity_ticks);
    return timeline->inputs + place(timeline, tick);
}

bool bksi_timeline_is_as_used(const bksi_timeline *timeline, bks_tick from, bks_tick until)
{
    BKS_ASSERT(from >= timeline->first);
    BKS_ASSERT(until <= timeline->used_head);
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    for (bks_tick tick = from; tick < until; tick++) {
        bksi_timeline_at(timeline, tick, packed);
        if (memcmp(timeline->used + place(timeline, tick), packed, timeline->layout->bytes) != 0) {
            return false;
        }
    }
    return true;
}

void bksi_timeline_use(bksi_timeline *timeline, bks_tick tick, const uint8_t *packed)
{
    BKS_ASSERT(tick >= timeline->first);
    memcpy(timeline->used + place(timeline, tick), packed, timeline->layout->bytes);
    if (tick >= timeline->used_head) {
        timeline->used_head = tick + 1;
    }
}
