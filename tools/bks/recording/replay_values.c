// SPDX-License-Identifier: MIT

#include "recording/replay_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_CHARS = REPLAY_VALUES_TEXT_BYTES };

/// A whole number of 1, 2, 4 or 8 bytes. Recorded in the byte order of a machine, and read on one
/// of the same.
static uint64_t whole_of(const uint8_t *at, uint32_t bytes)
{
    uint16_t u16 = 0;
    uint32_t u32 = 0;
    uint64_t u64 = 0;
    switch (bytes) {
    case 1:
        return *at;
    case 2:
        memcpy(&u16, at, sizeof(u16));
        return u16;
    case 4:
        memcpy(&u32, at, sizeof(u32));
        return u32;
    default:
        memcpy(&u64, at, sizeof(u64));
        return u64;
    }
}

static bool is_whole(bks_state_type type)
{
    return type >= BKS_STATE_U8 && type <= BKS_STATE_I64;
}

static bool is_signed(bks_state_type type)
{
    return type == BKS_STATE_I8 || type == BKS_STATE_I16 || type == BKS_STATE_I32 ||
           type == BKS_STATE_I64;
}

static int64_t signed_of(const uint8_t *at, uint32_t bytes)
{
    const uint32_t shift = 64 - 8 * bytes;
    return (int64_t)(whole_of(at, bytes) << shift) >> shift;
}

void replay_values_text(bks_state_type type, const uint8_t *at, char out[REPLAY_VALUES_TEXT_BYTES])
{
    const uint32_t bytes = bks_state_type_bytes(type);
    float f32 = 0;
    double f64 = 0;
    if (type == BKS_STATE_F32) {
        memcpy(&f32, at, sizeof(f32));
        snprintf(out, NUMBER_CHARS, "%.9g", (double)f32);
    } else if (type == BKS_STATE_F64) {
        memcpy(&f64, at, sizeof(f64));
        snprintf(out, NUMBER_CHARS, "%.17g", f64);
    } else if (type == BKS_STATE_BYTES) {
        snprintf(out, NUMBER_CHARS, "%02x", *at);
    } else if (is_signed(type)) {
        snprintf(out, NUMBER_CHARS, "%" PRId64, signed_of(at, bytes));
    } else {
        snprintf(out, NUMBER_CHARS, "%" PRIu64, whole_of(at, bytes));
    }
}

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
            char number[NUMBER_CHARS];
            replay_values_text(range->type, values + e * bks_state_type_bytes(range->type), number);
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

static void json_element(json *j, bks_state_type type, const uint8_t *at)
{
    const uint32_t bytes = bks_state_type_bytes(type);
    if (is_whole(type) && is_signed(type)) {
        json_int(j, NULL, signed_of(at, bytes));
    } else if (is_whole(type)) {
        json_uint(j, NULL, whole_of(at, bytes));
    } else {
        char text[NUMBER_CHARS];
        replay_values_text(type, at, text);
        json_text(j, NULL, text);
    }
}

static void json_range(json *j, const bks_state_range *range, const uint8_t *values)
{
    json_row(j, range->name);
    for (uint32_t e = 0; e < range->count; e++) {
        json_element(j, range->type, values + e * bks_state_type_bytes(range->type));
    }
    json_close(j);
}

static void json_tick(json *j, const replay_file *file, bks_tick tick)
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
            json_tick(j, file, tick);
        }
    }
    json_close(j);
}
