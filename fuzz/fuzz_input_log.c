// SPDX-License-Identifier: MIT

// Reads any text as a table of inputs, and as a command trace. Every input of the table lies within
// its field's range, and every command of the trace has a player, a tick and bytes.

#include <stdlib.h>

#include "backstitch/toolkit/runner.h"
#include "game/command_trace.h"
#include "game/input_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const bks_field fields[] = {
    {.name = "b0", .bits = 1},
    {.name = "b1", .bits = 1},
    {.name = "b12", .bits = 1},
    {.name = "ax1", .bits = 8, .is_signed = true},
    {.name = "ax2", .bits = 8, .is_signed = true},
    {.name = "trig1", .bits = 8},
    {.name = "wide", .bits = 32, .is_signed = true},
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void sample_all(const input_log *table)
{
    for (uint32_t player = 0; player < input_log_players(table); player++) {
        bks_tick ticks = input_log_ticks(table, player);
        must(ticks >= 0);
        must((input_log_check(table, player, ticks, NULL) == BKS_OK) || ticks == 0);
        for (bks_tick tick = 0; tick <= ticks && tick < 2000; tick++) {
            int32_t values[FIELDS] = {0};
            must(input_log_sample(table, player, tick, values) == (tick < ticks));
            for (size_t i = 0; i < FIELDS; i++) {
                int32_t least = 0;
                int32_t greatest = 0;
                must(bks_field_range(&fields[i], &least, &greatest) == BKS_OK);
                must(values[i] >= least && values[i] <= greatest);
            }
        }
    }
}

static void read_commands(const char *text, size_t count)
{
    enum { LARGEST = 100 };
    command_list list = {0};
    bks_error error = {0};
    const bks_status status = command_trace_parse(text, count, LARGEST, &list, &error);
    must(status == BKS_OK || (error.code == status && error.offset_bytes <= count));
    must((status == BKS_OK) == (list.count > 0));
    uint32_t given = 0;
    for (uint32_t player = 0; player < BKS_PLAYERS_MAX; player++) {
        command_cursor cursor = {true, command_list_find(&list, player, 0)};
        uint8_t command[LARGEST];
        while (command_list_give(&list, &cursor, player, INT32_MAX, command, LARGEST) > 0) {
            given++;
        }
    }
    must(given == list.count);
    command_list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    input_log *table = NULL;
    bks_error error = {0};
    if (command_trace_is((const char *)bytes, count)) {
        read_commands((const char *)bytes, count);
    }
    bks_status status = input_log_parse(bytes, count, &table, &error);
    must((status == BKS_OK) == (table != NULL));
    must(status == BKS_OK || (error.code == status && error.offset_bytes <= count));
    if (table != NULL && input_log_bind(table, fields, FIELDS, &error) == BKS_OK) {
        sample_all(table);
    }
    input_log_free(table);
    return 0;
}
