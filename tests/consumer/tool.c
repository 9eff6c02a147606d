// SPDX-License-Identifier: MIT

// The smallest tool of somebody else: a match of two peers in the installed toolkit's lab.

#include <stdio.h>

#include <backstitch/toolkit/lab.h>

typedef struct counter_state {
    uint32_t pressed_count;
} counter_state;

static void counter_init(void *state, const bks_start *start)
{
    counter_state *counter = state;
    counter->pressed_count = (uint32_t)start->seed;
}

static void counter_step(void *state, const bks_step *step)
{
    counter_state *counter = state;
    const int32_t *input = bks_step_input(step, 0);
    counter->pressed_count += (uint32_t)input[0];
}

static const bks_field counter_fields[] = {{.name = "press", .bits = 1}};

int main(void)
{
    const bks_game counter = {
        .name = "counter",
        .version = 1,
        .tick_rate_hz = 60,
        .players_max = 2,
        .fields = counter_fields,
        .field_count = 1,
        .state_bytes = sizeof(counter_state),
        .init = counter_init,
        .step = counter_step,
    };
    bks_lab_config config = bks_lab_config_default();
    config.game = &counter;
    config.ticks = 120;
    bks_lab *lab = NULL;
    bks_error error = {0};
    bks_status status = bks_lab_create(&config, &lab, &error);
    if (status == BKS_OK) {
        status = bks_lab_link(lab, "delay=50ms,loss=2%", &error);
    }
    while (status == BKS_OK && bks_lab_advance(lab, bks_lab_now(lab) + 1000000000)) {
    }
    static bks_lab_result result;
    const bool is_right =
        status == BKS_OK && bks_lab_outcome(lab, &result) == BKS_OK && result.agreed;
    printf("%s\n", is_right ? "the two peers agree" : error.text);
    bks_lab_destroy(lab);
    return is_right ? 0 : 1;
}
