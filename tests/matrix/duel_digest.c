// SPDX-License-Identifier: MIT

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/runner.h"
#include "backstitch/toolkit/state_map.h"
#include "duel/duel.h"
#include "matrix/duel_inputs.h"
#include "matrix/matrix.h"

enum { EVERY_TICKS = 600 };

extern const bks_state_map duel_state_map;

static bool fail(const char *what, const bks_error *error)
{
    (void)fprintf(stderr, "duel: %s: %s\n", what, error->text);
    return false;
}

static uint32_t digit(char c)
{
    return (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void read_inputs(uint32_t tick, duel_input inputs[DUEL_INPUT_PLAYERS])
{
    uint32_t at = tick * DUEL_INPUT_PLAYERS * DUEL_INPUT_CHARS;
    for (uint32_t player = 0; player < DUEL_INPUT_PLAYERS; player++) {
        uint32_t bits = 0;
        for (uint32_t i = 0; i < DUEL_INPUT_CHARS; i++, at++) {
            bits = bits << 5 |
                   digit(duel_inputs[at / DUEL_INPUT_LINE_CHARS][at % DUEL_INPUT_LINE_CHARS]);
        }
        inputs[player] = (duel_input){.move_x = (int32_t)(bits >> 9) - 32,
                                      .move_y = (int32_t)(bits >> 3 & 63) - 32,
                                      .fire = (int32_t)(bits & 7)};
    }
}

static bool print_hash(bks_runner *runner, uint32_t tick, uint8_t *room, size_t capacity)
{
    char name[16] = "duel";
    uint64_t hash = 0;
    bks_error error = {0};
    const size_t count = bks_runner_export(runner, room, capacity);
    if (bks_state_map_hash(&duel_state_map, room, count, &hash, &error) != BKS_OK) {
        return fail("no hash", &error);
    }
    if (tick < DUEL_INPUT_TICKS) {
        (void)snprintf(name, sizeof(name), "duel_%u", (unsigned)tick);
    }
    matrix_print(name, hash);
    return true;
}

static bool play(bks_runner *runner, uint8_t *room, size_t capacity)
{
    for (uint32_t tick = 0; tick < DUEL_INPUT_TICKS; tick++) {
        duel_input inputs[DUEL_INPUT_PLAYERS];
        bks_error error = {0};
        read_inputs(tick, inputs);
        if (bks_runner_step(runner, (bks_tick)tick, &inputs[0].move_x, &error) != BKS_OK) {
            return fail("no step", &error);
        }
        if ((tick + 1) % EVERY_TICKS == 0 && !print_hash(runner, tick + 1, room, capacity)) {
            return false;
        }
    }
    return true;
}

bool matrix_duel(void)
{
    bks_runner_config config = {
        .game = &duel_game, .has_options = true, .seed = 1, .players = DUEL_INPUT_PLAYERS};
    bks_runner *runner = NULL;
    bks_error error = {0};
    (void)bks_option_values_default(&duel_game, &config.options);
    if (bks_option_values_set(&duel_game, &config.options, "mode", "arcade", &error) != BKS_OK ||
        bks_state_map_check(&duel_state_map, &error) != BKS_OK ||
        bks_runner_create(&config, &runner, &error) != BKS_OK) {
        return fail("no match", &error);
    }
    const size_t capacity = bks_runner_export(runner, NULL, 0);
    uint8_t *room = malloc(capacity);
    const bool has_ended = room != NULL && play(runner, room, capacity);
    free(room);
    bks_runner_destroy(runner);
    return has_ended;
}
