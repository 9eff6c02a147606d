// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_here.h"

#include <inttypes.h>
#include <stdio.h>

#include "backstitch/toolkit/writer.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_answer.h"
#include "diagnose/doctor/doctor_memory.h"
#include "diagnose/doctor/doctor_open.h"
#include "game/loader.h"

// What a recording made here would say of this machine.
static void print_environment(const bks_game *game)
{
    doctor_memory memory = {0};
    const uint8_t state = 0;
    bks_replay_config config = {.game = game,
                                .players = game->players_max,
                                .tick_rate_hz = game->tick_rate_hz,
                                .unconfirmed_ticks_max = 1,
                                .state = &state,
                                .state_bytes = 1,
                                .sink = doctor_memory_sink(&memory)};
    bks_replay_writer *writer = NULL;
    bks_replay *replay = NULL;
    (void)bks_option_values_default(game, &config.options);
    if (bks_replay_writer_create(&config, &writer, NULL) == BKS_OK &&
        bks_replay_open(memory.bytes, memory.count, NULL, &replay, NULL) == BKS_OK) {
        const bks_recording *info = bks_replay_info(replay);
        for (uint32_t i = 0; i < info->environment_count; i++) {
            printf("environment %s %s\n", info->environment[i].name, info->environment[i].value);
        }
    }
    bks_replay_close(replay);
    bks_replay_writer_destroy(writer);
    doctor_memory_free(&memory);
}

// In this very process: another one would have what `bks check` sets, not what is here.
static void print_hashes(const doctor_case *c, bks_tick first)
{
    const replay_file *file = &c->sides[0].file;
    const bks_playback_config config = {.replay = file->replay, .game = c->game.game};
    bks_playback *playback = NULL;
    if (bks_playback_create(&config, &playback, NULL) == BKS_OK &&
        bks_playback_seek(playback, first, NULL) == BKS_OK) {
        for (bks_tick tick = first; tick - first < DOCTOR_ANSWER_HASHES_MAX; tick++) {
            printf("hash %" PRId32 " %016" PRIx64 "\n", tick, bks_playback_hash(playback));
            if (tick >= file->info->confirmed || bks_playback_step(playback) != BKS_OK) {
                break;
            }
        }
    }
    bks_playback_destroy(playback);
}

int doctor_here_write(doctor_case *c)
{
    bks_verify_result result;
    const replay_file *file = &c->sides[0].file;
    const int status = doctor_open_here(c, &result);
    if (status != TOOL_OK) {
        return status;
    }
    printf("%s\nrecording %016" PRIx64 "\ngame %s\nbuild %s\n", DOCTOR_ANSWER_MAGIC,
           bks_hash64(file->bytes, file->count, 0), c->game.game->name, c->game.build);
    print_environment(c->game.game);
    printf("ticks %" PRId32 "\n", result.compared);
    if (result.first_different == BKS_TICK_NONE) {
        printf("differs none\n");
        return TOOL_OK;
    }
    printf("differs %" PRId32 "\n", result.first_different);
    print_hashes(c, result.first_different);
    return TOOL_OK;
}
