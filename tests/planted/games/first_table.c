// SPDX-License-Identifier: MIT

// `init` calculates a table with the C library.

#include <math.h>

#include "planted.h"

typedef struct table_state {
    planted_base base;
    uint32_t table;
} table_state;

static void table_init(void *state, const bks_start *start)
{
    (void)start;
    table_state *table = state;
    for (int32_t i = 0; i < 5000; i++) {
        const double value = sin(i * 0.01) + exp(i * 0.001);
        uint8_t bytes[sizeof(value)];
        memcpy(bytes, &value, sizeof(value));
        for (size_t k = 0; k < sizeof(bytes); k++) {
            table->table = table->table * 31u + bytes[k];
        }
    }
}

static void table_step(void *state, const bks_step *step)
{
    planted_move(state, step);
}

PLANTED("first_table", table_state, .state_bytes = sizeof(table_state), .init = table_init,
        .step = table_step);
