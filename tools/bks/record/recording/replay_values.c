// SPDX-License-Identifier: MIT

#include "record/recording/replay_values.h"

#include <inttypes.h>
#include <stdio.h>

#include "map/range_value.h"

/// The elements of a range at a tick.
/// @return false when nothing is recorded of it
static bool read_range(const replay_file *file, bks_tick tick, uint32_t index, const uint8_t **out)
{
    static uint8_t values[BKS_VALUES_BYTES_MAX];
    *out = values;
    return file->info->ranges[index].is_recorded &&
           bks_replay_values(file->replay, tick, index, values, sizeof(values)) == BKS_OK;
}

static void print_tick(const replay_file *file, bks_tick tick)
{
    for (uint32_t i = 0; i < file->info->range_count; i++) {
        const bks_state_range *range = &file->info->ranges[i];
        const uint8_t *values = NULL;
        if (!read_range(file, tick, i, &values)) {
            continue;
        }
        printf("# value: %" PRId32 " %s", tick, range->name);
        for (uint32_t e = 0; e < range->count; e++) {
            char number[RANGE_VALUE_BYTES];
            range_value_text(range->type, values + e * bks_state_type_bytes(range->type), number);
            printf("%s%s", range->type != BKS_STATE_BYTES || e == 0 ? " " : "", number);
        }
        printf("\n");
    }
}

void replay_values_print(const replay_file *file, bks_tick from, bks_tick until)
{
    bks_replay_ticks ticks = {.end = from};
    while (replay_file_ticks(file, until, &ticks)) {
        for (bks_tick tick = ticks.first; tick < ticks.end; tick++) {
            print_tick(file, tick);
        }
    }
}

static void json_range(json *j, const bks_state_range *range, const uint8_t *values)
{
    json_row(j, range->name);
    for (uint32_t e = 0; e < range->count; e++) {
        range_value_json(j, range->type, values + e * bks_state_type_bytes(range->type));
    }
    json_close(j);
}

static void write_json_tick(json *j, const replay_file *file, bks_tick tick)
{
    json_object(j, NULL);
    json_int(j, "tick", tick);
    for (uint32_t i = 0; i < file->info->range_count; i++) {
        const uint8_t *values = NULL;
        if (read_range(file, tick, i, &values)) {
            json_range(j, &file->info->ranges[i], values);
        }
    }
    json_close(j);
}

void replay_values_json(json *j, const replay_file *file, bks_tick from, bks_tick until)
{
    json_array(j, "values");
    bks_replay_ticks ticks = {.end = from};
    while (replay_file_ticks(file, until, &ticks)) {
        for (bks_tick tick = ticks.first; tick < ticks.end; tick++) {
            write_json_tick(j, file, tick);
        }
    }
    json_close(j);
}
