// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "recording.h"
#include "support/counting_allocator.h"

static memory_file file;
static bks_replay *replay;

static int open_recording(void **state)
{
    (void)state;
    memory_file_init(&file);
    walk_record(&file, 60, true);
    return bks_replay_open(file.bytes, file.count, NULL, &replay, NULL) == BKS_OK ? 0 : -1;
}

static int close_recording(void **state)
{
    (void)state;
    bks_replay_close(replay);
    memory_file_free(&file);
    return 0;
}

static bks_playback *begin(bks_playback_config config)
{
    bks_playback *playback = NULL;
    config.replay = replay;
    config.game = config.game != NULL ? config.game : &walk_game;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    return playback;
}

static void playback_goes_where_the_match_went(void **state)
{
    (void)state;
    for (int from_file = 0; from_file < 2; from_file++) {
        bks_playback *playback = begin((bks_playback_config){.from_recorded_state = from_file});
        for (bks_tick tick = 0; tick < 60; tick++) {
            assert_int_equal(bks_playback_tick(playback), tick);
            uint64_t hash = 0;
            assert_true(bks_playback_hash(playback) == walk_what_happened()->hashes[tick]);
            assert_int_equal(bks_playback_confirmed_hash(playback, tick, &hash), BKS_OK);
            assert_true(hash == walk_what_happened()->hashes[tick]);
            assert_int_equal(bks_playback_confirmed_hash(playback, tick + 1, &hash),
                             BKS_ERR_NOT_CONFIRMED);
            assert_int_equal(bks_playback_step(playback), BKS_OK);
            assert_int_equal(bks_playback_confirmed_hash(playback, tick, &hash),
                             BKS_ERR_TICK_TOO_OLD);
        }
        assert_true(bks_playback_hash(playback) == walk_what_happened()->hashes[60]);
        assert_int_equal(bks_playback_step(playback), BKS_OVER);
        assert_int_equal(bks_playback_tick(playback), 60);
        bks_playback_destroy(playback);
    }
}

static void inputs_at_hand_are_stepped_with_as_those_read(void **state)
{
    (void)state;
    bks_playback *playback = begin((bks_playback_config){0});
    int32_t inputs[WALK_VALUES];
    for (bks_tick tick = 0; tick < 60; tick++) {
        assert_true(bks_playback_hash(playback) == walk_what_happened()->hashes[tick]);
        assert_int_equal(bks_replay_inputs(replay, tick, inputs), BKS_OK);
        assert_int_equal(bks_playback_step_with(playback, inputs), BKS_OK);
        assert_int_equal(bks_playback_tick(playback), tick + 1);
    }
    assert_true(bks_playback_hash(playback) == walk_what_happened()->hashes[60]);
    assert_int_equal(bks_playback_step_with(playback, inputs), BKS_OVER);
    bks_playback_counts costs;
    assert_int_equal(bks_playback_costs(playback, &costs), BKS_OK);
    assert_int_equal(costs.steps, 60);
    bks_playback_destroy(playback);

    // Inputs that differ from the recorded ones lead to another state.
    playback = begin((bks_playback_config){0});
    assert_int_equal(bks_replay_inputs(replay, 0, inputs), BKS_OK);
    inputs[0] = inputs[0] == 0;
    assert_int_equal(bks_playback_step_with(playback, inputs), BKS_OK);
    assert_true(bks_playback_hash(playback) != walk_what_happened()->hashes[1]);
    bks_playback_destroy(playback);

    playback = begin((bks_playback_config){.perspective = BKS_PERSPECTIVE_PLAYER});
    assert_int_equal(bks_playback_step_with(playback, inputs), BKS_ERR_BAD_ARGUMENT);
    bks_playback_destroy(playback);
}

static void recorded_state_is_taken_when_asked_for(void **state)
{
    (void)state;
    memory_file other;
    memory_file_init(&other);
    bks_replay_config recorded = walk_replay_config(memory_file_sink(&other));
    walk_state start;
    memcpy(&start, recorded.state, sizeof(start));
    start.x[1] = 4711;
    recorded.state = &start;
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&recorded, &writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    bks_replay *moved = NULL;
    assert_int_equal(bks_replay_open(other.bytes, other.count, NULL, &moved, NULL), BKS_OK);
    bks_playback_config config = {.replay = moved, .game = &walk_game, .from_recorded_state = true};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    const walk_state *walk = bks_playback_state(playback);
    assert_int_equal(walk->x[1], 4711);
    bks_playback_destroy(playback);

    // A state larger than the game's is not even unpacked.
    bks_game smaller = walk_game;
    smaller.state_bytes = sizeof(walk_state) - 1;
    config.game = &smaller;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_ERR_DAMAGED);
    bks_replay_close(moved);
    memory_file_free(&other);
}

typedef struct heard {
    uint32_t marks;
    uint32_t notes;
    bks_tick tick;
    uint64_t hash;
    char text[64];
} heard;

static void hear_mark(void *context, bks_tick tick, const char *name, uint64_t hash)
{
    heard *ear = context;
    assert_string_equal(name, "walk");
    ear->marks++;
    ear->tick = tick;
    ear->hash = hash;
}

static void hear_note(void *context, bks_tick tick, const char *text)
{
    heard *ear = context;
    ear->notes++;
    ear->tick = tick;
    snprintf(ear->text, sizeof(ear->text), "%s", text);
}

static void listener_hears_marks_and_notes(void **state)
{
    (void)state;
    heard ear = {0};
    bks_playback *playback = begin((bks_playback_config){0});
    const bks_playback_listener both = {.mark = hear_mark, .note = hear_note, .context = &ear};
    assert_int_equal(bks_playback_listen(playback, &both), BKS_OK);
    assert_int_equal(bks_playback_step(playback), BKS_OK);
    assert_int_equal(ear.marks, 1);
    assert_int_equal(ear.notes, 1);
    assert_int_equal(ear.tick, 0);
    assert_true(ear.hash == bks_playback_hash(playback));
    assert_non_null(strstr(ear.text, "player 0 at "));
    const bks_playback_listener one = {.note = hear_note, .context = &ear};
    assert_int_equal(bks_playback_listen(playback, &one), BKS_OK);
    assert_int_equal(bks_playback_step(playback), BKS_OK);
    assert_int_equal(ear.marks, 1);
    assert_int_equal(ear.notes, 2);
    assert_int_equal(bks_playback_listen(playback, NULL), BKS_OK);
    assert_int_equal(bks_playback_step(playback), BKS_OK);
    assert_int_equal(ear.notes, 2);
    bks_playback_destroy(playback);
}

static void another_game_is_refused_by_what_differs(void **state)
{
    (void)state;
    bks_field fields[WALK_FIELDS];
    memcpy(fields, walk_game.fields, sizeof(fields));
    const bks_option options[] = {{.name = "speed", .default_value = "3"},
                                  {.name = "size", .default_value = "1"}};
    bks_error error;
    bks_playback *playback = NULL;
#define REFUSED(WORD, ...)                                                                      \
    do {                                                                                        \
        bks_game game = walk_game;                                                              \
        game.fields = fields;                                                                   \
        __VA_ARGS__;                                                                            \
        const bks_playback_config config = {.replay = replay, .game = &game};                   \
        assert_int_equal(bks_playback_create(&config, &playback, &error), BKS_ERR_UNSUPPORTED); \
        assert_non_null(strstr(error.text, WORD));                                              \
        assert_null(playback);                                                                  \
        memcpy(fields, walk_game.fields, sizeof(fields));                                       \
    } while (0)
    REFUSED("stroll", game.name = "stroll");
    REFUSED("version", game.version = 4);
    REFUSED("players", game.players_max = 1);
    REFUSED("players", game.players_min = 3; game.players_max = 4);
    REFUSED("3", game.field_count = 3);
    REFUSED("goal", fields[2].name = "goal");
    REFUSED("aim", fields[2].bits = 10);
    REFUSED("fire", fields[3].is_signed = true);
    REFUSED("map", game.option_count = 1);
    REFUSED("size", game.options = options);
#undef REFUSED
}

static void devices_and_prediction_of_fields_may_differ(void **state)
{
    (void)state;
    bks_field fields[WALK_FIELDS];
    memcpy(fields, walk_game.fields, sizeof(fields));
    fields[3].predictor = BKS_PREDICT_RELEASE;
    fields[2].neutral = 1;
    fields[0].group = fields[1].group = 0;
    bks_game game = walk_game;
    game.fields = fields;
    bks_playback *playback = begin((bks_playback_config){.game = &game});
    while (bks_playback_step(playback) == BKS_OK) {
    }
    assert_true(bks_playback_hash(playback) == walk_what_happened()->hashes[60]);
    bks_playback_destroy(playback);
}

static void another_version_plays_when_asked_to(void **state)
{
    (void)state;
    const bks_option options[] = {{.name = "size", .default_value = "1"},
                                  {.name = "speed", .default_value = "5"}};
    bks_game game = walk_game;
    game.version = 9;
    game.options = options;
    bks_playback *playback = begin((bks_playback_config){.game = &game, .any_version = true});
    const walk_state *walk = bks_playback_state(playback);
    assert_int_equal(walk->speed, 3); // matched by its name
    bks_playback_destroy(playback);

    bks_option_values values;
    const bks_playback_config config = {.replay = replay, .game = &game, .any_version = true};
    assert_int_equal(bks_playback_options(&config, &values, NULL), BKS_OK);
    assert_string_equal(values.text[0], "1");
    assert_string_equal(values.text[1], "3");
}

static void player_of_a_replay_is_a_source(void **state)
{
    (void)state;
    bks_replay_player player;
    assert_int_equal(
        bks_replay_player_init(&player, replay, 1, walk_game.fields, WALK_FIELDS, NULL), BKS_OK);
    const bks_source source = bks_replay_player_source(&player);
    for (bks_tick tick = 0; tick < 62; tick++) {
        int32_t values[WALK_FIELDS] = {9, 9, 9, 9};
        const bks_sample sample = {.tick = tick, .player = 0, .field_count = WALK_FIELDS};
        source.sample(source.context, &sample, values);
        if (tick < 60) {
            assert_memory_equal(values, walk_what_happened()->inputs[tick] + WALK_FIELDS,
                                sizeof(values));
            assert_int_equal(player.missing, BKS_TICK_NONE);
        } else {
            assert_int_equal(values[0], 9); // left unchanged
            assert_int_equal(player.missing, 60);
        }
    }
    bks_error error;
    assert_int_equal(
        bks_replay_player_init(&player, replay, 2, walk_game.fields, WALK_FIELDS, &error),
        BKS_ERR_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "0..1"));
    assert_int_equal(
        bks_replay_player_init(&player, replay, 0, walk_game.fields + 1, WALK_FIELDS - 1, NULL),
        BKS_ERR_UNSUPPORTED);
    assert_int_equal(bks_replay_player_init(NULL, replay, 0, walk_game.fields, WALK_FIELDS, NULL),
                     BKS_ERR_BAD_ARGUMENT);
}

static void memory_comes_from_the_hooks_and_goes_back(void **state)
{
    (void)state;
    counting_allocator counter;
    const bks_playback_config config = {.replay = replay,
                                        .game = &walk_game,
                                        .from_recorded_state = true,
                                        .allocator = counting_allocator_hooks(&counter)};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    const uint32_t allocs = counter.allocs;
    assert_int_equal(bks_playback_step(playback), BKS_OK);
    assert_int_equal(counter.allocs, allocs);
    bks_playback_destroy(playback);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
    for (uint32_t i = 0; i < allocs; i++) {
        counter.fail_after = i;
        assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_ERR_OUT_OF_MEMORY);
        assert_null(playback);
        assert_int_equal(counter.live_bytes, 0);
    }
}

static void misuse_is_refused(void **state)
{
    (void)state;
    bks_playback *playback = NULL;
    const bks_playback_config good = {.replay = replay, .game = &walk_game};
    bks_playback_config config = good;
    assert_int_equal(bks_playback_create(NULL, &playback, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_playback_create(&good, NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    config.replay = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_ERR_BAD_ARGUMENT);
    config = good;
    config.game = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_ERR_BAD_ARGUMENT);
    config = good;
    config.allocator.alloc = counting_alloc;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_ERR_BAD_CONFIG);
    assert_int_equal(bks_playback_step(NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_playback_listen(NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_playback_tick(NULL), 0);
    assert_null(bks_playback_state(NULL));
    assert_int_equal(bks_playback_hash(NULL), 0);
    bks_playback_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(playback_goes_where_the_match_went),
        cmocka_unit_test(inputs_at_hand_are_stepped_with_as_those_read),
        cmocka_unit_test(recorded_state_is_taken_when_asked_for),
        cmocka_unit_test(listener_hears_marks_and_notes),
        cmocka_unit_test(another_game_is_refused_by_what_differs),
        cmocka_unit_test(devices_and_prediction_of_fields_may_differ),
        cmocka_unit_test(another_version_plays_when_asked_to),
        cmocka_unit_test(player_of_a_replay_is_a_source),
        cmocka_unit_test(memory_comes_from_the_hooks_and_goes_back),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, open_recording, close_recording);
}
