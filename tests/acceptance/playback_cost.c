// SPDX-License-Identifier: MIT

// Plays a duel of bots in one of several ways, for playback_cost.py to count the instructions:
//
//     playback_cost record FILE     record a minute
//     playback_cost WAY FILE        play it: bare, played, ahead, or planted, which reads all twice
//
// What is counted is playback_cost_counted().

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "duel/duel.h"
#include "game/runner.h"

enum { TICKS = 3600, PLAYERS = 2, FIELDS_MAX = 8 };

typedef enum way { BARE, PLAYED, AHEAD, PLANTED, WAYS } way;
static const char *const way_names[WAYS] = {"bare", "played", "ahead", "planted"};

typedef struct play {
    way way;
    bksi_runner *runner; ///< of the bare loop
    bks_replay *replay;
    bks_replay *second; ///< read as well where a fault is planted
    bks_playback *playback;
    int32_t inputs[TICKS][PLAYERS * FIELDS_MAX];
} play;

void playback_cost_counted(play *p);

static void need(bool is_so, const char *what)
{
    if (!is_so) {
        (void)fprintf(stderr, "playback_cost: %s\n", what);
        exit(1);
    }
}

static bksi_runner *new_runner(void)
{
    bksi_runner_config config = {
        .game = &duel_game, .seed = 1, .players = PLAYERS, .tick_rate_hz = 60};
    bksi_runner *runner = NULL;
    need(bks_option_values_default(&duel_game, &config.options) == BKS_OK, "no options");
    need(bksi_runner_create(&config, &runner, NULL) == BKS_OK, "no runner");
    return runner;
}

static bks_status write_file(void *context, uint64_t offset_bytes, const void *bytes, size_t count)
{
    FILE *file = context;
    const bool is_written =
        fseek(file, (long)offset_bytes, SEEK_SET) == 0 && fwrite(bytes, 1, count, file) == count;
    return is_written ? BKS_OK : BKS_ERR_IO;
}

static void record(const char *path)
{
    FILE *file = fopen(path, "wb");
    need(file != NULL, "no file");
    bksi_runner *runner = new_runner();
    bks_replay_config config = {
        .game = &duel_game,
        .seed = 1,
        .players = PLAYERS,
        .tick_rate_hz = 60,
        .options = *bksi_runner_start(runner)->options,
        .unconfirmed_ticks_max = 1,
        .state = bksi_runner_state(runner),
        .state_bytes = bksi_runner_used_bytes(runner),
        .sink = {.write = write_file, .context = file},
    };
    bks_replay_writer *writer = NULL;
    need(bks_replay_writer_create(&config, &writer, NULL) == BKS_OK, "no writer");
    uint64_t memory[PLAYERS][8] = {{0}};
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        int32_t inputs[PLAYERS * FIELDS_MAX];
        for (uint32_t player = 0; player < PLAYERS; player++) {
            duel_game.bot(bksi_runner_state(runner), player, tick, memory[player],
                          &inputs[player * duel_game.field_count]);
        }
        const uint64_t hash = bksi_runner_hash(runner);
        need(bks_replay_writer_confirm(writer, tick, inputs, &hash) == BKS_OK, "no tick");
        bksi_runner_step(runner, tick, inputs);
    }
    const uint64_t final_hash = bksi_runner_hash(runner);
    need(bks_replay_writer_finish(writer, &final_hash) == BKS_OK, "no end");
    bks_replay_writer_destroy(writer);
    bksi_runner_destroy(runner);
    need(fclose(file) == 0, "not written");
}

static void step_bare(play *p, bks_tick tick)
{
    const bks_step step = {
        .tick = tick,
        .tick_rate_hz = 60,
        .players = PLAYERS,
        .field_count = duel_game.field_count,
        .inputs = p->inputs[tick],
    };
    duel_game.step(bksi_runner_state(p->runner), &step);
}

__attribute__((noinline)) void playback_cost_counted(play *p)
{
    int32_t again[PLAYERS * FIELDS_MAX];
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        bks_status status = BKS_OK;
        if (p->way == BARE) {
            step_bare(p, tick);
        } else if (p->way == AHEAD) {
            status = bks_playback_step_with(p->playback, p->inputs[tick]);
        } else {
            status = bks_playback_step(p->playback);
        }
        if (p->way == PLANTED) {
            status = bks_replay_inputs(p->second, tick, again);
        }
        need(status == BKS_OK, "no step");
    }
}

static void count(way chosen, const char *path)
{
    static play p;
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    need(file != NULL, "no file");
    const size_t size = fread(bytes, 1, sizeof(bytes), file);
    (void)fclose(file);
    p.way = chosen;
    p.runner = new_runner();
    need(bks_replay_open(bytes, size, NULL, &p.replay, NULL) == BKS_OK, "no recording");
    need(bks_replay_open(bytes, size, NULL, &p.second, NULL) == BKS_OK, "no recording");
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        need(bks_replay_inputs(p.second, tick, p.inputs[tick]) == BKS_OK, "no inputs");
    }
    bks_replay_close(p.second);
    need(bks_replay_open(bytes, size, NULL, &p.second, NULL) == BKS_OK, "no recording");
    // What builds with asserts ask the game after each step is no cost of playing.
    bks_game game = duel_game;
    game.check = NULL;
    const bks_playback_config config = {.replay = p.replay, .game = &game};
    need(bks_playback_create(&config, &p.playback, NULL) == BKS_OK, "no playback");
    playback_cost_counted(&p);
    const uint64_t reached =
        chosen == BARE ? bksi_runner_hash(p.runner) : bks_playback_hash(p.playback);
    need(bks_replay_hash_agrees(p.replay, TICKS, reached), "it ended elsewhere");
    bks_playback_destroy(p.playback);
    bks_replay_close(p.replay);
    bks_replay_close(p.second);
    bksi_runner_destroy(p.runner);
}

int main(int argc, char **argv)
{
    need(argc == 3, "usage: playback_cost record|bare|played|ahead|planted FILE");
    if (strcmp(argv[1], "record") == 0) {
        record(argv[2]);
    }
    for (way i = 0; i < WAYS; i++) {
        if (strcmp(argv[1], way_names[i]) == 0) {
            count(i, argv[2]);
        }
    }
    return 0;
}
