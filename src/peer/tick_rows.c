// SPDX-License-Identifier: MIT

#include "peer/tick_rows.h"

#include <string.h>

#include "base/memory.h"
#include "replay/format/replay_rows.h"

bks_status bksi_tick_rows_create(bksi_tick_rows *rows, const bksi_runner *runner,
                                 const bks_replay_detail *detail, uint32_t capacity_ticks,
                                 const bks_allocator *allocator)
{
    const bks_game *game = bksi_runner_start(runner)->game;
    *rows = (bksi_tick_rows){
        .ranges = game->ranges,
        .range_count = game->range_count,
        .capacity_ticks = capacity_ticks,
        .values_bytes =
            detail->values ? (size_t)bksi_ranges_bytes(game->ranges, game->range_count) : 0,
        .state_bytes_max = bksi_runner_export_bytes_max(runner),
    };
    bool has_memory = true;
    if (rows->values_bytes > 0) {
        rows->values = bksi_alloc(allocator, capacity_ticks * rows->values_bytes, 16);
        rows->state =
            game->create != NULL ? bksi_alloc(allocator, rows->state_bytes_max, 64) : NULL;
        has_memory = rows->values != NULL && (game->create == NULL || rows->state != NULL);
    }
    if (detail->page_hashes && game->create == NULL) {
        rows->pages_max = bksi_pages(rows->state_bytes_max);
        rows->pages = bksi_alloc(allocator, capacity_ticks * rows->pages_max * sizeof(uint64_t), 8);
        rows->page_counts = bksi_alloc(allocator, capacity_ticks * sizeof(uint32_t), 4);
        has_memory = has_memory && rows->pages != NULL && rows->page_counts != NULL;
    }
    return has_memory ? BKS_OK : BKS_ERR_OUT_OF_MEMORY;
}

void bksi_tick_rows_destroy(bksi_tick_rows *rows, const bks_allocator *allocator)
{
    bksi_free(allocator, rows->values, rows->capacity_ticks * rows->values_bytes);
    bksi_free(allocator, rows->pages, rows->capacity_ticks * rows->pages_max * sizeof(uint64_t));
    bksi_free(allocator, rows->page_counts, rows->capacity_ticks * sizeof(uint32_t));
    bksi_free(allocator, rows->state, rows->state_bytes_max);
    *rows = (bksi_tick_rows){0};
}

static size_t place_of(const bksi_tick_rows *rows, bks_tick tick)
{
    return (uint32_t)tick % rows->capacity_ticks;
}

static void take_values(bksi_tick_rows *rows, bksi_runner *runner, bks_tick tick)
{
    const uint8_t *state = bksi_runner_state(runner);
    size_t bytes = bksi_runner_used_bytes(runner);
    if (rows->state != NULL) {
        state = rows->state;
        bytes = bksi_runner_export(runner, rows->state, rows->state_bytes_max);
    }
    bksi_ranges_take(rows->ranges, rows->range_count, state, bytes,
                     rows->values + place_of(rows, tick) * rows->values_bytes);
}

void bksi_tick_rows_take(bksi_tick_rows *rows, bksi_runner *runner, bks_tick tick)
{
    if (rows->values_bytes > 0) {
        take_values(rows, runner, tick);
    }
    if (rows->pages_max > 0) {
        size_t place = place_of(rows, tick);
        rows->page_counts[place] = (uint32_t)bksi_runner_page_hashes(
            runner, rows->pages + place * rows->pages_max, rows->pages_max);
    }
}

bks_status bksi_tick_rows_give(const bksi_tick_rows *rows, bks_tick tick, bks_replay_writer *writer,
                               bks_tick as)
{
    size_t place = place_of(rows, tick);
    bks_status status = BKS_OK;
    if (rows->values_bytes > 0) {
        status = bks_replay_writer_values(writer, as, rows->values + place * rows->values_bytes);
    }
    if (status == BKS_OK && rows->pages_max > 0) {
        status = bks_replay_writer_pages(writer, as, rows->pages + place * rows->pages_max,
                                         rows->page_counts[place]);
    }
    return status;
}
