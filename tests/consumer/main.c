// SPDX-License-Identifier: MIT

// The smallest game of somebody else, played by the installed library.

#include <stdio.h>

#include <backstitch/backstitch.h>

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
    bks_mark(step, "count");
}

static const bks_field counter_fields[] = {{.name = "press", .bits = 1}};

int main(void)
{
    const bks_game counter = {
        .name = "counter",
        .version = 1,
        .tick_rate_hz = 60,
        .players_max = 1,
        .fields = counter_fields,
        .field_count = 1,
        .state_bytes = sizeof(counter_state),
        .init = counter_init,
        .step = counter_step,
    };
    bks_match_config config = bks_match_config_default();
    config.game = &counter;
    config.ticks = 10;
    config.record = false;
    config.tick_per_update = true;
    bks_match *match = NULL;
    bks_error error = {0};
    bks_status status = bks_match_open(&config, &match, &error);
    while (status == BKS_OK) {
        status = bks_match_update(match);
    }
    bks_match_close(match);
    printf("%s: %s\n", bks_status_name(status), status == BKS_OVER ? "it links" : error.text);
    return status == BKS_OVER ? 0 : 1;
}
