// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A recorded match of duel, played again as each of its players saw it.

#include "duel/duel.h"
#include "lab/some_lab.h"
#include "replay/recording.h"

#define PEERS 4u
#define TICKS 1200

static bks_replay *record(memory_file *file)
{
    bks_lab_config config = some_lab_config(3, PEERS, TICKS);
    config.game = &duel_game;
    for (uint32_t i = 0; i < PEERS; i++) {
        assert_int_equal(bks_monkey_init(&some_monkeys[i], duel_game.fields, duel_game.field_count,
                                         3, i, 5, 30, NULL),
                         BKS_OK);
    }
    memory_file_init(file);
    config.records[0] = memory_file_sink(file);
    config.record_detail.rollbacks = true;
    const bks_lab_result result = some_match(&config, "delay=60ms,jitter=10ms,loss=3%", NULL);
    assert_agreed(&result, TICKS);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file->bytes, file->count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_info(replay)->ticks, TICKS);
    return replay;
}

static void duel_comes_out_the_same_from_every_perspective(void **state)
{
    (void)state;
    memory_file file;
    bks_replay *replay = record(&file);
    for (uint32_t perspective = 0; perspective < PEERS + 2; perspective++) {
        bks_playback_config config = {.replay = replay, .game = &duel_game};
        config.perspective = perspective == 0           ? BKS_PERSPECTIVE_REFERENCE
                             : perspective == PEERS + 1 ? BKS_PERSPECTIVE_RECORDER
                                                        : BKS_PERSPECTIVE_PLAYER;
        config.player = perspective > 0 && perspective <= PEERS ? perspective - 1 : 0;
        bks_verify_result result;
        bks_error error = {0};
        if (bks_replay_verify(&config, NULL, &result, &error) != BKS_OK) {
            fail_msg("perspective %u: %s", perspective, error.text);
        }
        assert_int_equal(result.compared, TICKS + 1);
    }
    bks_replay_close(replay);
    memory_file_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(duel_comes_out_the_same_from_every_perspective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
