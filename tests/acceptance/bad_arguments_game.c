// SPDX-License-Identifier: MIT

#include <limits.h>
#include <math.h>
#include <string.h>

#include "backstitch/det.h"
#include "backstitch/game.h"
#include "backstitch/plugin.h"
#include "backstitch/present.h"
#include "backstitch/state.h"
#include "backstitch/toolkit/runner.h"
#include "backstitch/toolkit/state_map.h"
#include "bad_arguments.h"

static void of_hashes(void)
{
    REFUSES(bks_hash64(NULL, 1, 0) == 0, "bytes", NULL);
    ALLOWS(bks_hash64(NULL, 0, 0) == bks_hash64("", 0, 0));
    ALLOWS(bks_hash64_pair(1, 2) != bks_hash64_pair(2, 1));
    char id[BKS_BUILD_ID_CHARS];
    REFUSES(!bks_build_id(NULL, NULL), "out", NULL);
    ALLOWS(!bks_build_id(id, id));
}

static void of_det(void)
{
    bks_random random;
    bks_random_seed(&random, 1, 1);
    REFUSES((bks_random_seed(NULL, 1, 1), true), "random", NULL);
    REFUSES(bks_random_next(NULL) == 0, "random", NULL);
    REFUSES(bks_random_below(NULL, 6) == 0, "random", NULL);
    REFUSES(bks_random_below(&random, 0) == 0, "bound", "at least 1");
    REFUSES(bks_random_between(NULL, 1, 6) == 1, "random", NULL);
    REFUSES(bks_random_between(&random, 6, 1) == 6, "least", "at most 1");
}

static void of_pictures(void)
{
    ALLOWS(bks_blend(1.0f, 2.0f, 0.5f, -1.0f) == 1.5f);
    REFUSES(bks_blend_angle(1.0f, 2.0f, 0.5f, 0.0f) == 2.0f, "turn", "above 0");
    ALLOWS(bks_smooth_show(NULL, 3.0f, 0.0f, false, 0) == 3.0f);
    ALLOWS(bks_picture_of(NULL).frame.state == NULL);
}

static void of_cues(void)
{
    static const bks_cue_type types[] = {{.name = "shot"}};
    static const bks_game cued = {.name = "cued", .cues = types, .cue_count = 1};
    const bks_cues_config config = {.game = &cued, .per_tick = 1, .ticks = 1};
    bks_cues_config bad = config;
    bks_cues *cues = NULL;
    bks_cue_event event;
    cues = (void *)&wrong;
    REFUSES(bks_cues_create(NULL, &cues, &wrong) == BKS_ERR_BAD_ARGUMENT && cues == NULL, "config",
            NULL);
    REFUSES(bks_cues_create(&config, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    bad.per_tick = 0;
    REFUSES(bks_cues_create(&bad, &cues, &wrong) == BKS_ERR_BAD_CONFIG, "per_tick", "1..1024");
    ALLOWS((bks_cues_destroy(NULL), true));
    REFUSES((bks_cues_begin(NULL, 0), true), "cues", NULL);
    REFUSES(!bks_cues_ask(NULL, 0, 0, NULL, 0), "cues", NULL);
    REFUSES((bks_cues_update(NULL, 0, 0), true), "cues", NULL);
    REFUSES((bks_cues_end(NULL), true), "cues", NULL);
    REFUSES((bks_cues_reset(NULL, 0), true), "cues", NULL);
    REFUSES(!bks_cues_next(NULL, &event), "cues", NULL);
    REFUSES(bks_cues_lost(NULL) == 0, "cues", NULL);
}

static void of_sounds(void)
{
    static const float samples[] = {0.0f};
    static const bks_sound sounds[] = {{samples, 1}};
    const bks_mixer_config config = {.sounds = sounds, .sound_count = 1, .tick_rate_hz = 60};
    bks_mixer_config bad = config;
    bks_mixer *mixer = NULL;
    const bks_cue_event event = {0};
    const bks_cue_sound cue = {0};
    float out[2];
    mixer = (void *)&wrong;
    REFUSES(bks_mixer_create(NULL, &mixer, &wrong) == BKS_ERR_BAD_ARGUMENT && mixer == NULL,
            "config", NULL);
    REFUSES(bks_mixer_create(&config, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    bad.tick_rate_hz = 0;
    REFUSES(bks_mixer_create(&bad, &mixer, &wrong) == BKS_ERR_BAD_CONFIG, "tick_rate_hz",
            "1..1000");
    ALLOWS((bks_mixer_destroy(NULL), true));
    REFUSES((bks_mixer_voices(NULL, 0, NULL, 0), true), "mixer", NULL);
    REFUSES((bks_mixer_cue(NULL, &event, &cue), true), "mixer", NULL);
    REFUSES((bks_mixer_volume(NULL, 1.0f), true), "mixer", NULL);
    REFUSES(bks_mixer_lost(NULL) == 0, "mixer", NULL);
    REFUSES((bks_mixer_mix(NULL, out, 1), true), "mixer", NULL);
    REFUSES((bks_voices_step(NULL, 0, NULL), true), "step", NULL);
    REFUSES(bks_tone(NULL, 1, 440.0f, 440.0f).frames == 0, "samples", NULL);
    REFUSES(bks_tone(out, 0, 440.0f, 440.0f).frames == 0, "frames", "1..");
    REFUSES(bks_tone(out, 1, 440.0f, 0.0f).frames == 0, "to_hz", "1..20000");
}

static void of_text(void)
{
    bks_text_box boxes[1];
    ALLOWS(bks_text_boxes("more than one box", 0.0f, 0.0f, 1.0f, boxes, 1) == 1);
    REFUSES(bks_text_boxes(NULL, 0.0f, 0.0f, 1.0f, boxes, 1) == 0, "text", NULL);
    REFUSES(bks_text_boxes("text", 0.0f, 0.0f, 1.0f, NULL, 1) == 0, "boxes", NULL);
    REFUSES((bks_text_dots('a', NULL), true), "rows", NULL);
}

static void of_step(void)
{
    bks_option_values values;
    bad_arguments_need(bks_option_values_default(&good_game, &values) == BKS_OK, "default options");
    const bks_start start = {
        .game = &good_game, .players = 2, .tick_rate_hz = 60, .options = &values};
    REFUSES(strcmp(bks_start_option(NULL, "speed"), "") == 0, "start", NULL);
    REFUSES(strcmp(bks_start_option(&start, NULL), "") == 0, "name", NULL);
    REFUSES(strcmp(bks_start_option(&start, "sped"), "") == 0, "name", "sped");

    const bks_step step = {.tick_rate_hz = 60, .players = 2, .field_count = 1};
    ALLOWS(bks_step_input(&step, 2) == NULL);
    bks_command no_command = {.player = 2};
    ALLOWS(!bks_step_command(&step, &no_command));
    REFUSES((bks_mark(NULL, "physics"), true), "step", NULL);
    REFUSES(bks_step_workers(NULL) == NULL, "step", NULL);
    REFUSES((bks_cue(NULL, 0, 0, NULL, 0), true), "step", NULL);
    REFUSES(bks_ask(NULL, 1, NULL, 0) == 0, "step", NULL);
    REFUSES(bks_ask(&step, 1, NULL, 8) == 0, "answer", NULL);
    REFUSES((bks_note(NULL, "%d", 1), true), "step", NULL);
    REFUSES((bks_fail(NULL, "no memory"), true), "step", NULL);
    const bks_command command = {.bytes = (const uint8_t *)"a", .count = 1};
    REFUSES((bks_refuse(NULL, &command, 0), true), "step", NULL);
    REFUSES((bks_refuse(&step, NULL, 0), true), "command", NULL);
    ALLOWS((bks_refuse(&step, &command, 0), true));
    ALLOWS((bks_fail(&step, NULL), true)); // a step made by hand has no runner
    ALLOWS((bks_mark(&step, NULL), true)); // one branch without a listener
    ALLOWS(!bks_stepping(NULL));           // asked by signal handlers, which must not log
    ALLOWS((bks_note(&step, NULL), true));
}

static bool pass(void *context, const bks_map_place *place)
{
    (void)context;
    return place != NULL;
}

static void of_state_values(const bks_state_names *names, const bks_compared_state *one)
{
    const bks_map_place place = {.end_bytes = 4};
    bks_state_difference found;
    char text[8];
    REFUSES(bks_state_value(NULL, one, &place, text, 8) == BKS_ERR_BAD_ARGUMENT, "names", NULL);
    REFUSES(bks_state_value(names, NULL, &place, text, 8) == BKS_ERR_BAD_ARGUMENT, "state", NULL);
    REFUSES(bks_state_value(names, one, NULL, text, 8) == BKS_ERR_BAD_ARGUMENT, "place", NULL);
    REFUSES(bks_state_value(names, one, &place, NULL, 8) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_state_value(names, one, &place, text, 0) == BKS_ERR_BAD_ARGUMENT, "capacity",
            "at least 1");
    REFUSES(bks_state_difference_find(NULL, one, one, &found) == BKS_ERR_BAD_ARGUMENT, "names",
            NULL);
    REFUSES(bks_state_difference_find(names, NULL, one, &found) == BKS_ERR_BAD_ARGUMENT, "a", NULL);
    REFUSES(bks_state_difference_find(names, one, NULL, &found) == BKS_ERR_BAD_ARGUMENT, "b", NULL);
    REFUSES(bks_state_difference_find(names, one, one, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    ALLOWS(bks_state_difference_find(names, one, one, &found) == BKS_OVER);
}

static void of_state_map(void)
{
    const bks_map_type type = {.name = "u", .kind = BKS_MAP_UINT, .bytes = 4};
    const bks_state_map map = {.types = &type, .type_count = 1};
    bks_map_place place = {0};
    char text[8];
    REFUSES(bks_state_map_check(NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "map", NULL);
    REFUSES(bks_state_map_find(NULL, "abcd", 4, 0, 0, &place) == BKS_ERR_BAD_ARGUMENT, "map", NULL);
    REFUSES(bks_state_map_find(&map, NULL, 4, 0, 0, &place) == BKS_ERR_BAD_ARGUMENT, "state", NULL);
    REFUSES(bks_state_map_find(&map, "abcd", 4, 0, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_state_map_find(&map, "abcd", 4, 0, 8, &place) == BKS_ERR_BAD_ARGUMENT, "bit",
            "0..7");
    ALLOWS(bks_state_map_find(&map, "abcd", 4, 9, 0, &place) == BKS_OK);
    uint64_t of_map = 0;
    REFUSES(bks_state_map_hash(NULL, "abcd", 4, &of_map, NULL) == BKS_ERR_BAD_ARGUMENT, "map",
            NULL);
    REFUSES(bks_state_map_hash(&map, NULL, 4, &of_map, NULL) == BKS_ERR_BAD_ARGUMENT, "state",
            NULL);
    REFUSES(bks_state_map_hash(&map, "abcd", 4, NULL, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_state_map_value(NULL, "abcd", 4, &place, text, 8) == BKS_ERR_BAD_ARGUMENT, "map",
            NULL);
    REFUSES(bks_state_map_value(&map, "abcd", 4, NULL, text, 8) == BKS_ERR_BAD_ARGUMENT, "place",
            NULL);
    REFUSES(bks_state_map_value(&map, "abcd", 4, &place, NULL, 8) == BKS_ERR_BAD_ARGUMENT, "out",
            NULL);
    REFUSES(bks_state_map_value(&map, "abcd", 4, &place, text, 0) == BKS_ERR_BAD_ARGUMENT,
            "capacity", "at least 1");
    const bks_state_names names = {.map = &map};
    const bks_compared_state one = {.bytes = "abcd", .count = 4};
    bks_state_comparison found;
    REFUSES(bks_state_compare(NULL, &one, &one, &place, 1, &found) == BKS_ERR_BAD_ARGUMENT, "names",
            NULL);
    REFUSES(bks_state_compare(&names, NULL, &one, &place, 1, &found) == BKS_ERR_BAD_ARGUMENT, "a",
            NULL);
    REFUSES(bks_state_compare(&names, &one, NULL, &place, 1, &found) == BKS_ERR_BAD_ARGUMENT, "b",
            NULL);
    REFUSES(bks_state_compare(&names, &one, &one, NULL, 1, &found) == BKS_ERR_BAD_ARGUMENT, "out",
            NULL);
    REFUSES(bks_state_compare(&names, &one, &one, &place, 1, NULL) == BKS_ERR_BAD_ARGUMENT, "found",
            NULL);
    ALLOWS(bks_state_compare(&names, &one, &one, NULL, 0, &found) == BKS_OK);
    of_state_values(&names, &one);
    REFUSES(bks_state_walk(NULL, "abcd", 4, pass, NULL) == BKS_ERR_BAD_ARGUMENT, "names", NULL);
    REFUSES(bks_state_walk(&names, NULL, 4, pass, NULL) == BKS_ERR_BAD_ARGUMENT, "state", NULL);
    REFUSES(bks_state_walk(&names, "abcd", 4, NULL, NULL) == BKS_ERR_BAD_ARGUMENT, "visit", NULL);
    REFUSES(bks_state_name(NULL, "abcd", 4, 0, 0, &place) == BKS_ERR_BAD_ARGUMENT, "names", NULL);
    REFUSES(bks_state_name(&names, NULL, 4, 0, 0, &place) == BKS_ERR_BAD_ARGUMENT, "state", NULL);
    REFUSES(bks_state_name(&names, "abcd", 4, 0, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_state_name(&names, "abcd", 4, 0, 8, &place) == BKS_ERR_BAD_ARGUMENT, "bit", "0..7");
    REFUSES(bks_type_entries_check(NULL, 1, &wrong) == BKS_ERR_BAD_CONFIG, "types", "0..1024");
}

static void of_runner(void)
{
    bks_runner_config config = {.game = &good_game, .players = 1, .snapshots = 257};
    bks_runner *runner = NULL;
    const int32_t inputs[] = {1};
    runner = (void *)&wrong;
    REFUSES(bks_runner_create(NULL, &runner, &wrong) == BKS_ERR_BAD_ARGUMENT && runner == NULL,
            "config", NULL);
    REFUSES(bks_runner_create(&config, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_runner_create(&config, &runner, &wrong) == BKS_ERR_BAD_CONFIG, "snapshots",
            "0..256");
    config.snapshots = 1;
    config.players = 9;
    REFUSES(bks_runner_create(&config, &runner, &wrong) == BKS_ERR_BAD_CONFIG, "players", "1..2");
    config.players = 1;
    config.game = NULL;
    REFUSES(bks_runner_create(&config, &runner, &wrong) == BKS_ERR_BAD_ARGUMENT, "game", NULL);
    config.game = &good_game;
    bad_arguments_need(bks_runner_create(&config, &runner, NULL) == BKS_OK, "a runner");
    REFUSES(bks_runner_step(NULL, 0, inputs, &wrong) == BKS_ERR_BAD_ARGUMENT, "runner", NULL);
    REFUSES(bks_runner_step(runner, 0, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "inputs", NULL);
    REFUSES(bks_runner_step(runner, -1, inputs, &wrong) == BKS_ERR_BAD_ARGUMENT, "tick",
            "at least 0");
    REFUSES(bks_runner_hash(NULL) == 0, "runner", NULL);
    REFUSES(bks_runner_state(NULL) == NULL, "runner", NULL);
    const void *moved = NULL;
    REFUSES(bks_runner_extrapolate(NULL, 0, inputs, 0.5f, &moved, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "runner", NULL);
    REFUSES(bks_runner_extrapolate(runner, 0, NULL, 0.5f, &moved, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "inputs", NULL);
    REFUSES(bks_runner_extrapolate(runner, 0, inputs, 0.5f, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "out", NULL);
    REFUSES(bks_runner_extrapolate(runner, -1, inputs, 0.5f, &moved, &wrong) ==
                BKS_ERR_BAD_ARGUMENT,
            "tick", "at least 0");
    REFUSES(bks_runner_extrapolate(runner, 0, inputs, 1.5f, &moved, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "share", "at most 1");
    REFUSES(bks_runner_export(NULL, NULL, 0) == 0, "runner", NULL);
    REFUSES(bks_runner_import(NULL, "ab", 2, &wrong) == BKS_ERR_BAD_ARGUMENT, "runner", NULL);
    REFUSES(bks_runner_import(runner, NULL, 2, &wrong) == BKS_ERR_BAD_ARGUMENT, "bytes", NULL);
    REFUSES(bks_runner_save(NULL, 0, &wrong) == BKS_ERR_BAD_ARGUMENT, "runner", NULL);
    REFUSES(bks_runner_save(runner, 1, &wrong) == BKS_ERR_BAD_ARGUMENT, "snapshot", "below 1");
    REFUSES(bks_runner_load(NULL, 0, &wrong) == BKS_ERR_BAD_ARGUMENT, "runner", NULL);
    REFUSES(bks_runner_load(runner, 0, &wrong) == BKS_ERR_BAD_ARGUMENT, "snapshot", "was saved");
    REFUSES(bks_runner_set_floats(NULL, BKS_RUNNER_FLOATS_GUARDED, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "runner", NULL);
    REFUSES(bks_runner_set_floats(runner, (bks_runner_floats)3, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "floats", "0..2");
    REFUSES(bks_runner_float_faults(NULL) == 0, "runner", NULL);
    bks_runner_destroy(runner);
    ALLOWS((bks_runner_destroy(NULL), true));
}

/// A game with one member changed.
static bks_game game_with(size_t offset, const void *value, size_t bytes)
{
    bks_game game = good_game;
    memcpy((char *)&game + offset, value, bytes);
    return game;
}
#define GAME_WITH(member, type, value) \
    game_with(offsetof(bks_game, member), &(type){value}, sizeof(type))

static void of_game(void)
{
    bks_game game = GAME_WITH(name, const char *, NULL);
    REFUSES(bks_game_check(NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "game", NULL);
    REFUSES(bks_game_check(&game, &wrong) == BKS_ERR_BAD_CONFIG, "name", "1..31");
    game = GAME_WITH(name, const char *, "a name of more than thirty-one bytes");
    REFUSES(bks_game_check(&game, &wrong) == BKS_ERR_BAD_CONFIG, "name", "1..31");
    game = GAME_WITH(tick_rate_hz, uint32_t, 0);
    REFUSES(bks_game_check(&game, NULL) == BKS_ERR_BAD_CONFIG, "tick_rate_hz", "1..1000");
    game = GAME_WITH(tick_rate_hz, uint32_t, 1001);
    REFUSES(bks_game_check(&game, &wrong) == BKS_ERR_BAD_CONFIG, "tick_rate_hz", "1..1000");
    game = GAME_WITH(players_max, uint32_t, 17);
    REFUSES(bks_game_check(&game, &wrong) == BKS_ERR_BAD_CONFIG, "players_max", "1..16");
    game = GAME_WITH(players_min, uint32_t, 3);
    REFUSES(bks_game_check(&game, &wrong) == BKS_ERR_BAD_CONFIG, "players_m", "..");
    game = GAME_WITH(fields, const bks_field *, NULL);
    REFUSES(bks_game_check(&game, &wrong) == BKS_ERR_BAD_CONFIG, "fields", NULL);
    game = GAME_WITH(field_count, uint32_t, 65);
    REFUSES(bks_game_check(&game, &wrong) == BKS_ERR_BAD_CONFIG, "field_count", "1..64");
    game = GAME_WITH(option_count, uint32_t, 17);
    REFUSES(bks_game_check(&game, &wrong) == BKS_ERR_BAD_CONFIG, "option_count", "0..16");
    game = GAME_WITH(options, const bks_option *, NULL);
    REFUSES(bks_game_check(&game, &wrong) == BKS_ERR_BAD_CONFIG, "options", NULL);
    game = GAME_WITH(state_bytes, size_t, 0);
    REFUSES(bks_game_check(&game, &wrong) == BKS_ERR_BAD_CONFIG, "state_bytes", "1..1073741824");
    game = GAME_WITH(root_bytes, size_t, SIZE_MAX);
    REFUSES(bks_game_check(&game, &wrong) == BKS_ERR_BAD_CONFIG, "root_bytes", "..");
    game = good_game;
    game.init = NULL;
    REFUSES(bks_game_check(&game, &wrong) == BKS_ERR_BAD_CONFIG, "init", NULL);
    game = good_game;
    game.step = NULL;
    REFUSES(bks_game_check(&game, &wrong) == BKS_ERR_BAD_CONFIG, "step", NULL);
}

static void of_options(void)
{
    bks_option_values values;
    char long_value[BKS_OPTION_VALUE_BYTES + 1];
    memset(long_value, 'x', sizeof(long_value));
    long_value[BKS_OPTION_VALUE_BYTES] = '\0';
    const bks_game *game = &good_game;
    REFUSES(bks_option_values_default(NULL, &values) == BKS_ERR_BAD_ARGUMENT, "game", NULL);
    REFUSES(bks_option_values_default(game, NULL) == BKS_ERR_BAD_ARGUMENT, "values", NULL);
    bad_arguments_need(bks_option_values_default(game, &values) == BKS_OK, "default options");
    REFUSES(bks_option_values_set(NULL, &values, "speed", "2", &wrong) == BKS_ERR_BAD_ARGUMENT,
            "game", NULL);
    REFUSES(bks_option_values_set(game, NULL, "speed", "2", &wrong) == BKS_ERR_BAD_ARGUMENT,
            "values", NULL);
    REFUSES(bks_option_values_set(game, &values, NULL, "2", &wrong) == BKS_ERR_BAD_ARGUMENT, "name",
            NULL);
    REFUSES(bks_option_values_set(game, &values, "speed", NULL, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "value", NULL);
    REFUSES(bks_option_values_set(game, &values, "sped", "2", &wrong) == BKS_ERR_BAD_ARGUMENT,
            "name", "speed");
    REFUSES(bks_option_values_set(game, &values, "speed", long_value, &wrong) ==
                BKS_ERR_BAD_ARGUMENT,
            "value", "0..63");
}

static void of_fields(void)
{
    bks_field field = {.name = "run", .bits = 33, .is_signed = true};
    int32_t least;
    int32_t greatest;
    REFUSES(bks_fields_check(NULL, 1, &wrong) == BKS_ERR_BAD_CONFIG, "fields", NULL);
    REFUSES(bks_fields_check(NULL, 0, &wrong) == BKS_ERR_BAD_CONFIG, "field_count", "1..64");
    REFUSES(bks_fields_check(&field, 65, &wrong) == BKS_ERR_BAD_CONFIG, "field_count", "1..64");
    REFUSES(bks_fields_check(&field, 1, &wrong) == BKS_ERR_BAD_CONFIG, "bits", "1..32");
    REFUSES(bks_field_range(&field, &least, &greatest) == BKS_ERR_BAD_ARGUMENT, "bits", "1..32");
    field = (bks_field){.name = "run", .bits = 32};
    REFUSES(bks_fields_check(&field, 1, NULL) == BKS_ERR_BAD_CONFIG, "bits", "1..31");
    field = (bks_field){.name = "no spaces", .bits = 1};
    REFUSES(bks_fields_check(&field, 1, &wrong) == BKS_ERR_BAD_CONFIG, "name", "1..31");
    field = (bks_field){.name = "run", .bits = 2, .neutral = 4};
    REFUSES(bks_fields_check(&field, 1, &wrong) == BKS_ERR_BAD_CONFIG, "neutral", "0..3");
    field = (bks_field){.name = "run", .bits = 2, .group = 256};
    REFUSES(bks_fields_check(&field, 1, &wrong) == BKS_ERR_BAD_CONFIG, "group", "0..255");
    field = (bks_field){.name = "run", .bits = 2, .kind = (bks_field_kind)9};
    REFUSES(bks_fields_check(&field, 1, &wrong) == BKS_ERR_BAD_CONFIG, "kind", "0..5");
    field = (bks_field){.name = "run", .bits = 2, .kind = BKS_FIELD_AXIS, .dead_zone = 1.0f};
    REFUSES(bks_fields_check(&field, 1, &wrong) == BKS_ERR_BAD_CONFIG, "dead_zone", "0..0.95");
    field = (bks_field){.name = "run", .bits = 2, .kind = BKS_FIELD_AXIS, .limit = 4};
    REFUSES(bks_fields_check(&field, 1, &wrong) == BKS_ERR_BAD_CONFIG, "limit", "0..3");
    field = (bks_field){.name = "run", .bits = 2, .predictor = (bks_predictor)5};
    REFUSES(bks_fields_check(&field, 1, &wrong) == BKS_ERR_BAD_CONFIG, "predictor", "0..4");
    field = (bks_field){.name = "run", .bits = 2, .predictor = BKS_PREDICT_LINEAR};
    REFUSES(bks_fields_check(&field, 1, &wrong) == BKS_ERR_BAD_CONFIG, "predictor",
            "BKS_PREDICT_RELEASE or BKS_PREDICT_VOTE");
    REFUSES(bks_field_range(NULL, &least, &greatest) == BKS_ERR_BAD_ARGUMENT, "field", NULL);
    ALLOWS(bks_field_range(good_game.fields, NULL, NULL) == BKS_OK);
}

static void of_sources(void)
{
    const bks_field *fields = good_game.fields;
    const float raw[1] = {NAN};
    int32_t values[1];
    REFUSES(bks_input_quantise(NULL, 1, raw, values) == BKS_ERR_BAD_ARGUMENT, "fields", NULL);
    REFUSES(bks_input_quantise(fields, 65, raw, values) == BKS_ERR_BAD_ARGUMENT, "count", "1..64");
    REFUSES(bks_input_quantise(fields, 1, NULL, values) == BKS_ERR_BAD_ARGUMENT, "raw", NULL);
    REFUSES(bks_input_quantise(fields, 1, raw, NULL) == BKS_ERR_BAD_ARGUMENT, "values", NULL);
    ALLOWS(bks_input_quantise(fields, 1, raw, values) == BKS_OK && values[0] == 0);

    bks_monkey monkey;
    REFUSES(bks_monkey_init(NULL, fields, 1, 1, 0, 1, 2, &wrong) == BKS_ERR_BAD_ARGUMENT, "monkey",
            NULL);
    REFUSES(bks_monkey_init(&monkey, NULL, 1, 1, 0, 1, 2, &wrong) == BKS_ERR_BAD_ARGUMENT, "fields",
            NULL);
    REFUSES(bks_monkey_init(&monkey, fields, 0, 1, 0, 1, 2, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "field_count", "1..64");
    REFUSES(bks_monkey_init(&monkey, fields, 1, 1, 16, 1, 2, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "player", "0..15");
    REFUSES(bks_monkey_init(&monkey, fields, 1, 1, 0, 3, 2, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "hold_min_ticks", "1..2");
    REFUSES(bks_monkey_init(&monkey, fields, 1, 1, 0, 0, 2, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "hold_min_ticks", "1..2");
    REFUSES(bks_monkey_init(&monkey, fields, 1, 1, 0, 1, 100001, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "hold_max_ticks", "1..100000");
    const bks_field_value too_large = {.field = 0, .value = INT32_MAX};
    ALLOWS(bks_monkey_init(&monkey, fields, 1, 1, 0, 1, 2, &wrong) == BKS_OK);
    REFUSES(bks_monkey_forbid(NULL, &too_large, 1, &wrong) == BKS_ERR_BAD_ARGUMENT, "monkey", NULL);
    REFUSES(bks_monkey_forbid(&monkey, NULL, 1, &wrong) == BKS_ERR_BAD_ARGUMENT, "together", NULL);
    REFUSES(bks_monkey_forbid(&monkey, &too_large, 0, &wrong) == BKS_ERR_BAD_ARGUMENT, "count",
            "1..8");
    REFUSES(bks_monkey_forbid(&monkey, &too_large, 1, &wrong) == BKS_ERR_BAD_ARGUMENT,
            fields[0].name, NULL);
    bks_source source = {0};
    REFUSES((source = bks_monkey_source(NULL)).sample != NULL, "monkey", NULL);
    const bks_sample sample = {.field_count = 1};
    values[0] = 0;
    source.sample(source.context, &sample, values); // stays neutral
    bad_arguments_need(values[0] == 0, "a monkey that is not there plays nothing");

    const bks_game no_bots = {.name = "botless"};
    bks_bot bot;
    REFUSES(bks_bot_init(NULL, &no_bots, &wrong) == BKS_ERR_BAD_ARGUMENT, "bot", NULL);
    REFUSES(bks_bot_init(&bot, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "game", NULL);
    REFUSES(bks_bot_init(&bot, &no_bots, &wrong) == BKS_ERR_BAD_ARGUMENT, "game", "botless");
    REFUSES((source = bks_bot_source(NULL)).sample != NULL, "bot", NULL);
    source.sample(source.context, &sample, values); // stays neutral
    bad_arguments_need(values[0] == 0, "a bot that is not there plays nothing");
}

static void of_arena(void)
{
    static _Alignas(4096) uint8_t region[8192];
    bks_ref ref = {0};
    REFUSES(bks_ref_set(NULL, region) == BKS_ERR_BAD_ARGUMENT, "ref", NULL);
    REFUSES(bks_ref_set(&ref, &ref) == BKS_ERR_BAD_ARGUMENT, "target", "itself");
    ALLOWS(bks_ref_set(&ref, NULL) == BKS_OK);
    ALLOWS(bks_ref_get(NULL) == NULL);
    ALLOWS(!bks_ref_is_pool(NULL, NULL, 16, 1) && !bks_ref_in_pool(NULL, NULL) &&
           !bks_ref_in_arena(NULL, 1, 1));
    ALLOWS(bks_state_bytes(NULL) == 0 && bks_state_bytes(region) == 0);
    REFUSES(bks_library_join(NULL) == BKS_ERR_BAD_ARGUMENT, "library", NULL);
    ALLOWS(bks_library_join(bks_library_here()) == BKS_OK);

    REFUSES(bks_arena_of(NULL, 64) == NULL, "state", NULL);
    REFUSES(bks_arena_of(region, 64) == NULL, "root_bytes", "64");
    REFUSES(bks_arena_alloc(NULL, 1, 1) == NULL, "arena", NULL);
    REFUSES(bks_arena_used_bytes(NULL) == 0, "arena", NULL);
    REFUSES(bks_arena_capacity_bytes(NULL) == 0, "arena", NULL);
    REFUSES(bks_arena_inspect(NULL, NULL, 0) == 0, "arena", NULL);
    REFUSES(bks_arena_fill_free(NULL, 1) == 0, "arena", NULL);
    bks_memory_part part;
    REFUSES(bks_state_memory(NULL, 1, 0, &part, 1) == 0, "state", NULL);
    REFUSES(bks_state_memory(&part, sizeof(part), 0, NULL, 1) == 0, "out", NULL);
    ALLOWS((bks_arena_baseline(NULL), true));
    REFUSES(bks_pool_create(NULL, "shots", 16, 8) == NULL, "arena", NULL);
    REFUSES(bks_pool_add(NULL, NULL) == 0, "pool", NULL);
    REFUSES(bks_pool_get(NULL, 1) == NULL, "pool", NULL);
    REFUSES(!bks_pool_remove(NULL, 1), "pool", NULL);
    REFUSES(bks_pool_next(NULL, &(uint32_t){0}, NULL) == NULL, "pool", NULL);
    REFUSES(bks_pool_count(NULL) == 0, "pool", NULL);
    REFUSES((bks_hash_add(NULL, region, 1), true), "hasher", NULL);
    REFUSES(bks_page_hash(NULL, 1) == 0, "bytes", NULL);
    REFUSES(bks_page_hash(region, BKS_PAGE_BYTES + 1) == 0, "count", "4096");
    ALLOWS(bks_page_hash(NULL, 0) != 0);
    REFUSES(bks_pages_hash(NULL, 1, 1) == 0, "hashes", NULL);
    ALLOWS(bks_pages_hash(NULL, 0, 0) != 0);
}

/// An arena is only to be had inside a game, so these are called from its `init` and `hash`.
static void arena_init(void *state, const bks_start *start)
{
    (void)start;
    bks_arena *arena = bks_arena_of(state, good_game.state_bytes);
    bad_arguments_need(arena != NULL, "an arena");
    REFUSES(bks_arena_of(state, 32) == NULL, "root_bytes", "32");
    REFUSES(bks_arena_alloc(arena, 0, 1) == NULL, "bytes", "at least 1");
    REFUSES(bks_arena_alloc(arena, 1, 3) == NULL, "alignment", "1..4096");
    REFUSES(bks_arena_alloc(arena, 1, 8192) == NULL, "alignment", "1..4096");
    REFUSES(bks_arena_alloc(arena, SIZE_MAX, 1) == NULL, "bytes", "left");
    REFUSES(bks_pool_create(arena, NULL, 16, 8) == NULL, "name", NULL);
    REFUSES(bks_pool_create(arena, "shots", 0, 8) == NULL, "item_bytes", "1..1048576");
    REFUSES(bks_pool_create(arena, "shots", 16, 0) == NULL, "capacity", "1..65535");
    REFUSES(bks_pool_create(arena, "shots", 1048576, 65535) == NULL, "capacity", NULL);

    bks_pool *pool = bks_pool_create(arena, "shots", 16, 1);
    bad_arguments_need(pool != NULL, "a pool");
    const bks_id id = bks_pool_add(pool, NULL);
    ALLOWS(bks_pool_add(pool, NULL) == 0); // full: as a game must expect
    ALLOWS(bks_pool_get(pool, 0) == NULL && bks_pool_get(pool, UINT32_MAX) == NULL);
    ALLOWS(bks_pool_remove(pool, id) && !bks_pool_remove(pool, id) &&
           bks_pool_get(pool, id) == NULL);
    REFUSES(bks_pool_next(pool, NULL, NULL) == NULL, "cursor", NULL);
    uint32_t cursor = UINT32_MAX;
    ALLOWS(bks_pool_next(pool, &cursor, NULL) == NULL);
    bks_pool_usage usage;
    ALLOWS(bks_arena_inspect(arena, NULL, 5) == 1 && bks_arena_inspect(arena, &usage, 0) == 1);
}

static void arena_hash(const void *state, bks_hasher *hasher)
{
    REFUSES((bks_hash_add(hasher, NULL, 1), true), "bytes", NULL);
    ALLOWS((bks_hash_add(hasher, NULL, 0), true));
    bks_hash_add(hasher, state, 4);
}

void bad_arguments_of_game(void)
{
    of_hashes();
    of_det();
    of_step();
    of_pictures();
    of_cues();
    of_sounds();
    of_text();
    of_state_map();
    of_runner();
    of_game();
    of_options();
    of_fields();
    of_sources();
    of_arena();
}

/// See bad_arguments_of_match(): the game is run there.
bks_game bad_arguments_arena_game(void);

bks_game bad_arguments_arena_game(void)
{
    bks_game game = good_game;
    game.state_bytes = 65536;
    game.root_bytes = good_game.state_bytes;
    game.init = arena_init;
    game.hash = arena_hash;
    return game;
}
