// SPDX-License-Identifier: MIT

#include "peer/tick_samples.h"

#include <string.h>

#include "backstitch/toolkit/writer.h"
#include "base/memory.h"
#include "replay/format/replay_samples.h"

bks_status bksi_tick_samples_create(bksi_tick_samples *samples, const bksi_runner *runner,
                                    const bks_replay_detail *detail, uint32_t capacity_ticks,
                                    const bks_allocator *allocator)
{
    const bks_game *game = bksi_runner_start(runner)->game;
    *samples = (bksi_tick_samples){
        .ranges = game->ranges,
        .range_count = game->range_count,
        .capacity_ticks = capacity_ticks,
        .values_bytes =
            detail->values ? (size_t)bksi_ranges_bytes(game->ranges, game->range_count) : 0,
        .state_bytes_max = bksi_runner_export_bytes_max(runner),
    };
    bool has_memory = true;
    if (samples->values_bytes > 0) {
        samples->values = bksi_alloc(allocator, capacity_ticks * samples->values_bytes, 16);
        samples->state =
            game->create != NULL ? bksi_alloc(allocator, samples->state_bytes_max, 64) : NULL;
        has_memory = samples->values != NULL && (game->create == NULL || samples->state != NULL);
    }
    if (detail->page_hashes && game->create == NULL) {
        samples->pages_max = bksi_pages(samples->state_bytes_max);
        samples->pages =
            bksi_alloc(allocator, capacity_ticks * samples->pages_max * sizeof(uint64_t), 8);
        samples->page_counts = bksi_alloc(allocator, capacity_ticks * sizeof(uint32_t), 4);
        has_memory = has_memory && samples->pages != NULL && samples->page_counts != NULL;
    }
    return has_memory ? BKS_OK : BKS_ERR_OUT_OF_MEMORY;
}

void bksi_tick_samples_destroy(bksi_tick_samples *samples, const bks_allocator *allocator)
{
    bksi_free(allocator, samples->values, samples->capacity_ticks * samples->values_bytes);
    bksi_free(allocator, samples->pages,
              samples->capacity_ticks * samples->pages_max * sizeof(uint64_t));
    bksi_free(allocator, samples->page_counts, samples->capacity_ticks * sizeof(uint32_t));
    bksi_free(allocator, samples->state, samples->state_bytes_max);
    *samples = (bksi_tick_samples){0};
}

static size_t place_of(const bksi_tick_samples *samples, bks_tick tick)
{
    return (uint32_t)tick % samples->capacity_ticks;
}

static void take_values(bksi_tick_samples *samples, bksi_runner *runner, bks_tick tick)
{
    const uint8_t *state = bksi_runner_state(runner);
    size_t bytes = bksi_runner_used_bytes(runner);
    if (samples->state != NULL) {
        state = samples->state;
        bytes = bksi_runner_export(runner, samples->state, samples->state_bytes_max);
    }
    bksi_ranges_take(samples->ranges, samples->range_count, state, bytes,
                     samples->values + place_of(samples, tick) * samples->values_bytes);
}

void bksi_tick_samples_take(bksi_tick_samples *samples, bksi_runner *runner, bks_tick tick)
{
    if (samples->values_bytes > 0) {
        take_values(samples, runner, tick);
    }
    if (samples->pages_max > 0) {
        size_t place = place_of(samples, tick);
        samples->page_counts[place] = (uint32_t)bksi_runner_page_hashes(
            runner, samples->pages + place * samples->pages_max, samples->pages_max);
    }
}

bks_status bksi_tick_samples_give(const bksi_tick_samples *samples, bks_tick tick,
                                  bks_replay_writer *writer)
{
    size_t place = place_of(samples, tick);
    bks_status status = BKS_OK;
    if (samples->values_bytes > 0) {
        status =
            bks_replay_writer_values(writer, tick, samples->values + place * samples->values_bytes);
    }
    if (status == BKS_OK && samples->pages_max > 0) {
        status = bks_replay_writer_pages(writer, tick, samples->pages + place * samples->pages_max,
                                         samples->page_counts[place]);
    }
    return status;
}

void bksi_costs_add_update(bks_costs *costs, uint64_t cost_ns)
{
    costs->updates++;
    costs->update_ns_sum += cost_ns;
    if (cost_ns > costs->update_ns_max) {
        costs->update_ns_max = cost_ns;
    }
    // Bucket b begins at 2^(b/4) microseconds; 1.189 is the fourth root of 2.
    double bound_us = 1.189207115;
    uint32_t bucket = 0;
    while (bucket < 63 && (double)cost_ns / 1000.0 >= bound_us) {
        bound_us *= 1.189207115;
        bucket++;
    }
    costs->histogram_us[bucket]++;
}

void bksi_costs_add_game(bks_costs *costs, uint64_t cost_ns)
{
    costs->game_ns_sum += cost_ns;
}

void bksi_costs_add_op(bks_costs *costs, bksi_again *again, const bks_op *op, uint64_t cost_ns)
{
    if (op->kind == BKS_OP_LOAD) {
        again->is_again = true;
    } else if (op->kind == BKS_OP_STEP && op->tick >= again->end) {
        again->is_again = false;
        again->end = op->tick + 1;
    } else if (op->kind == BKS_OP_SAMPLE) {
        return; // A SAMPLE between two steps does not count as resimulation.
    }
    costs->resimulation_ns_sum += again->is_again ? cost_ns : 0;
}
