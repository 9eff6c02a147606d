// SPDX-License-Identifier: MIT

#include "recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "game/runner.h"

static const bks_field walk_fields[WALK_FIELDS] = {
    {.name = "x", .bits = 3, .is_signed = true, .group = 1},
    {.name = "y", .bits = 3, .is_signed = true, .group = 1},
    {.name = "aim", .bits = 9, .neutral = 90},
    {.name = "fire", .bits = 1},
};

static const bks_option walk_options[] = {
    {.name = "speed", .default_value = "3", .help = "1..9"},
    {.name = "map", .default_value = "", .help = "any"},
};

static void walk_init(void *state, const bks_start *start)
{
    walk_state *walk = state;
    walk->noise = start->seed;
    walk->speed = atoi(bks_start_option(start, "speed"));
}

static void walk_step(void *state, const bks_step *step)
{
    walk_state *walk = state;
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *input = bks_step_input(step, i);
        walk->x[i] += input[0] * walk->speed;
        walk->y[i] += input[1] * walk->speed;
        walk->shots[i] += (uint32_t)input[3];
        walk->noise = walk->noise * UINT64_C(6364136223846793005) + (uint64_t)input[2] + 1;
        walk->trail[(walk->noise >> 33) % sizeof(walk->trail)] ^= (uint8_t)(step->tick + 1);
    }
    bks_mark(step, "walk");
    bks_note(step, "player 0 at %d", walk->x[0]);
}

const bks_state_range walk_ranges[3] = {
    {.name = "x",
     .offset_bytes = offsetof(walk_state, x),
     .count = WALK_PLAYERS,
     .type = BKS_STATE_I32,
     .is_recorded = true},
    {.name = "noise",
     .offset_bytes = offsetof(walk_state, noise),
     .count = 1,
     .type = BKS_STATE_U64,
     .is_recorded = true},
    {.name = "trail", .offset_bytes = offsetof(walk_state, trail), .count = 9000},
};

bks_game walk_game_with(const bks_state_range *ranges, uint32_t count)
{
    bks_game game = walk_game;
    game.ranges = ranges;
    game.range_count = count;
    return game;
}

const bks_game walk_game = {
    .name = "walk",
    .version = 3,
    .tick_rate_hz = WALK_TICK_RATE_HZ,
    .players_max = WALK_PLAYERS,
    .fields = walk_fields,
    .field_count = WALK_FIELDS,
    .options = walk_options,
    .option_count = 2,
    .state_bytes = sizeof(walk_state),
    .init = walk_init,
    .step = walk_step,
};

/// Fill in inputs that are held for some ticks, as people play.
static void fill_inputs(bks_tick tick, int32_t values[WALK_VALUES])
{
    for (int32_t player = 0; player < (int32_t)WALK_PLAYERS; player++) {
        int32_t *input = values + player * (int32_t)WALK_FIELDS;
        input[0] = (tick / (7 + player) * 5 + player) % 8 - 4;
        input[1] = (tick / 11 * 3 + player) % 8 - 4;
        input[2] = (tick * (player + 1) / 3 * 31) % 512;
        input[3] = (tick / 4 + player) % 2;
    }
}

static bksi_runner *make_runner(void)
{
    bksi_runner_config config = {
        .game = &walk_game,
        .seed = WALK_SEED,
        .players = WALK_PLAYERS,
        .tick_rate_hz = WALK_TICK_RATE_HZ,
    };
    bksi_runner *runner = NULL;
    assert_int_equal(bks_option_values_default(&walk_game, &config.options), BKS_OK);
    assert_int_equal(bksi_runner_create(&config, &runner, NULL), BKS_OK);
    return runner;
}

const walk_truth *walk_what_happened(void)
{
    static walk_truth truth;
    static bool is_known;
    if (!is_known) {
        bksi_runner *runner = make_runner();
        for (bks_tick tick = 0; tick < WALK_TICKS_MAX; tick++) {
            truth.hashes[tick] = bksi_runner_hash(runner);
            memcpy(&truth.states[tick], bksi_runner_state(runner), sizeof(walk_state));
            assert_int_equal(bksi_runner_page_hashes(runner, truth.pages[tick], WALK_PAGES),
                             WALK_PAGES);
            fill_inputs(tick, truth.inputs[tick]);
            bksi_runner_step(runner, tick, truth.inputs[tick]);
        }
        truth.hashes[WALK_TICKS_MAX] = bksi_runner_hash(runner);
        memcpy(&truth.states[WALK_TICKS_MAX], bksi_runner_state(runner), sizeof(walk_state));
        bksi_runner_destroy(runner);
        is_known = true;
    }
    return &truth;
}

void walk_guess(bks_tick tick, bks_tick known, int32_t values[WALK_VALUES])
{
    fill_inputs(tick, values);
    if (tick >= known) {
        int32_t newest[WALK_VALUES] = {0, 0, 90, 0, 0, 0, 90, 0};
        if (known > 0) {
            fill_inputs(known - 1, newest);
        }
        memcpy(values + WALK_FIELDS, newest + WALK_FIELDS, WALK_FIELDS * sizeof(*values));
    }
}

void memory_file_init(memory_file *file)
{
    *file = (memory_file){.writes_left = SIZE_MAX};
}

void memory_file_free(memory_file *file)
{
    for (size_t i = 0; i < file->write_count && file->writes != NULL; i++) {
        free(file->writes[i].bytes);
    }
    free(file->writes);
    free(file->bytes);
    memory_file_init(file);
}

void memory_file_apply(memory_file *file, const memory_write *write, size_t count)
{
    const size_t end = (size_t)write->offset + count;
    if (count == 0) {
        return;
    }
    if (end > file->capacity) {
        file->capacity = 2 * end;
        file->bytes = realloc(file->bytes, file->capacity);
        assert_non_null(file->bytes);
    }
    if (end > file->count) {
        memset(file->bytes + file->count, 0, end - file->count);
        file->count = end;
    }
    memcpy(file->bytes + write->offset, write->bytes, count);
}

static bks_status memory_write_bytes(void *context, uint64_t offset, const void *bytes,
                                     size_t count)
{
    memory_file *file = context;
    if (file->writes_left == 0) {
        return BKS_ERR_IO;
    }
    file->writes_left -= file->writes_left != SIZE_MAX;
    memory_write write = {
        .offset = offset, .count = count, .bytes = malloc(count), .announced = file->announced};
    assert_non_null(write.bytes);
    memcpy(write.bytes, bytes, count);
    memory_file_apply(file, &write, count);
    file->write_count++;
    if (!file->keeps_writes) {
        free(write.bytes);
        return BKS_OK;
    }
    file->writes = realloc(file->writes, file->write_count * sizeof(*file->writes));
    assert_non_null(file->writes);
    file->writes[file->write_count - 1] = write;
    return BKS_OK;
}

bks_sink memory_file_sink(memory_file *file)
{
    return (bks_sink){.write = memory_write_bytes, .context = file};
}

bks_replay_config walk_replay_config(bks_sink sink)
{
    static uint8_t state[sizeof(walk_state)];
    static uint64_t pages[8];
    bksi_runner *runner = make_runner();
    bks_replay_config config = {
        .game = &walk_game,
        .seed = WALK_SEED,
        .players = WALK_PLAYERS,
        .tick_rate_hz = WALK_TICK_RATE_HZ,
        .build = "walk 3 test",
        .unconfirmed_ticks_max = 8,
        .state = state,
        .page_hashes = pages,
        .sink = sink,
    };
    config.options = *bksi_runner_start(runner)->options;
    config.state_bytes = bksi_runner_export(runner, state, sizeof(state));
    config.page_count = bksi_runner_page_hashes(runner, pages, 8);
    assert_int_equal(config.state_bytes, sizeof(state));
    bksi_runner_destroy(runner);
    return config;
}

/// Record the values of a tick's state and, at some ticks, a rollback.
static bks_status say(bks_replay_writer *writer, bks_tick tick, bks_tick first)
{
    const walk_truth *truth = walk_what_happened();
    uint8_t values[sizeof(truth->states[0].x) + sizeof(uint64_t)];
    memcpy(values, truth->states[tick].x, sizeof(truth->states[0].x));
    memcpy(values + sizeof(truth->states[0].x), &truth->states[tick].noise, sizeof(uint64_t));
    bks_status status = bks_replay_writer_values(writer, tick, values);
    if (status == BKS_OK) {
        status = bks_replay_writer_pages(writer, tick, truth->pages[tick], WALK_PAGES);
    }
    if (status == BKS_OK && tick - 3 >= first && tick % 5 == 0) {
        int32_t guesses[3][WALK_VALUES];
        for (bks_tick t = tick - 3; t < tick; t++) {
            walk_guess(t, tick - 3, guesses[t - (tick - 3)]);
        }
        status = bks_replay_writer_rollback(writer, tick, tick - 3, guesses[0]);
    }
    return status;
}

/// Confirm one tick, and record the keyframe that is due and, at some ticks, an event.
static bks_status confirm(bks_replay_writer *writer, bks_tick tick, bks_tick first, bool has_events)
{
    const walk_truth *truth = walk_what_happened();
    bks_status status = say(writer, tick, first);
    if (status == BKS_OK) {
        status = bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]);
    }
    if (status == BKS_OK && bks_replay_writer_keyframe_due(writer) != BKS_TICK_NONE) {
        status = bks_replay_writer_keyframe(writer, tick + 1, &truth->states[tick + 1],
                                            sizeof(walk_state));
    }
    if (status == BKS_OK && has_events && tick > 0 && tick % 5 == 0 && tick <= 25) {
        const bks_replay_event event = {.kind = (bks_replay_event_kind)(tick / 5 - 1),
                                        .tick = tick,
                                        .peer = 1,
                                        .a = (uint64_t)tick,
                                        .b = UINT64_MAX,
                                        .text = "as it happened"};
        status = bks_replay_writer_event(writer, &event);
    }
    return status;
}

static bks_status record_ticks(bks_replay_writer *writer, volatile bks_tick *announced,
                               bks_tick first, bks_tick ticks, bool finish, bool has_events)
{
    bks_status status = BKS_OK;
    bks_tick confirmed = first;
    for (bks_tick tick = first; status == BKS_OK && tick < ticks; tick++) {
        int32_t guesses[8][WALK_VALUES];
        for (bks_tick t = confirmed; t <= tick; t++) {
            walk_guess(t, confirmed, guesses[t - confirmed]);
        }
        status =
            bks_replay_writer_use(writer, confirmed, (uint32_t)(tick - confirmed + 1), guesses[0]);
        if (status != BKS_OK) {
            return status;
        }
        *announced = tick + 1;
        // A game would step the tick here.
        if (tick - confirmed >= WALK_LAG) {
            status = confirm(writer, confirmed, first, has_events);
            confirmed++;
        }
    }
    for (; finish && status == BKS_OK && confirmed < ticks; confirmed++) {
        status = confirm(writer, confirmed, first, has_events);
    }
    return finish && status == BKS_OK
               ? bks_replay_writer_finish(writer, &walk_what_happened()->hashes[ticks])
               : status;
}

void walk_record(memory_file *file, bks_tick ticks, bool finish)
{
    walk_record_with(file, ticks, finish, NULL);
}

static bks_status record_part(bks_sink sink, volatile bks_tick *announced, bks_tick first,
                              bks_tick end, bool finish, const bks_replay_detail *detail)
{
    bks_replay_config config = walk_replay_config(sink);
    const bks_game named = walk_game_with(walk_ranges, 3);
    if (detail != NULL) {
        config.detail = *detail;
        config.game = detail->values ? &named : config.game;
    }
    if (first > 0) {
        config.first_tick = first;
        config.state = &walk_what_happened()->states[first];
        config.page_hashes = walk_what_happened()->pages[first];
    }
    bks_replay_writer *writer = NULL;
    bks_status status = bks_replay_writer_create(&config, &writer, NULL);
    if (status == BKS_OK) {
        status = record_ticks(writer, announced, first, end, finish, detail != NULL);
    }
    bks_replay_writer_destroy(writer);
    return status;
}

void walk_record_part(memory_file *file, bks_tick first, bks_tick end, bool finish,
                      const bks_replay_detail *detail)
{
    const bks_sink sink = memory_file_sink(file);
    assert_int_equal(record_part(sink, &file->announced, first, end, finish, detail), BKS_OK);
}

void walk_record_with(memory_file *file, bks_tick ticks, bool finish,
                      const bks_replay_detail *detail)
{
    walk_record_part(file, 0, ticks, finish, detail);
}

bks_status walk_record_into(bks_sink sink, volatile bks_tick *announced, bks_tick ticks,
                            bool finish, const bks_replay_detail *detail)
{
    return record_part(sink, announced, 0, ticks, finish, detail);
}

static void assert_tick_true(bks_replay *replay, bks_tick tick)
{
    const walk_truth *truth = walk_what_happened();
    int32_t values[WALK_VALUES];
    const bks_status status = bks_replay_inputs(replay, tick, values);
    if (status == BKS_ERR_DAMAGED) {
        assert_true(bks_replay_info(replay)->is_damaged);
        return;
    }
    assert_int_equal(status, BKS_OK);
    uint64_t hash = 0;
    uint32_t bits = 0;
    assert_int_equal(bks_replay_hash(replay, tick, &hash, &bits), BKS_OK);
    if (tick >= bks_replay_info(replay)->confirmed && bits == 0) {
        return; // guessed ticks have no hash
    }
    assert_memory_equal(values, truth->inputs[tick], sizeof(values));
    if (bits == 0 && (tick % 3 != 0 || bks_replay_info(replay)->hash_bytes == 0)) {
        return; // only every third tick has a hash, or none
    }
    const bool is_long = tick % (bks_tick)WALK_TICK_RATE_HZ == 0;
    assert_int_equal(bits, is_long ? 64 : bks_replay_info(replay)->hash_bits);
    assert_true(bits == 64 ? hash == truth->hashes[tick]
                           : hash == (truth->hashes[tick] & ((UINT64_C(1) << bits) - 1)));
}

/// Check the details recorded of a tick, if there are any.
static void assert_rows_true(bks_replay *replay, bks_tick tick)
{
    const walk_truth *truth = walk_what_happened();
    int32_t x[WALK_PLAYERS];
    uint32_t pages[WALK_PAGES];
    size_t count = 0;
    bks_status status = bks_replay_values(replay, tick, 0, x, sizeof(x));
    if (status == BKS_OK) {
        assert_memory_equal(x, truth->states[tick].x, sizeof(x));
    } else {
        assert_int_equal(status, BKS_ERR_INCOMPLETE);
    }
    status = bks_replay_page_hashes(replay, tick, pages, WALK_PAGES, &count);
    if (status != BKS_OK) {
        assert_int_equal(status, BKS_ERR_INCOMPLETE);
        return;
    }
    assert_int_equal(count, WALK_PAGES);
    for (uint32_t i = 0; i < WALK_PAGES; i++) {
        assert_int_equal(pages[i], (uint32_t)truth->pages[tick][i]);
    }
}

static void assert_rollbacks_true(const bks_replay *replay)
{
    for (uint32_t i = 0; i < bks_replay_info(replay)->rollback_count; i++) {
        bks_replay_rollback rollback;
        assert_int_equal(bks_replay_rollback_at(replay, i, &rollback), BKS_OK);
        for (bks_tick tick = rollback.from; tick < rollback.present; tick++) {
            int32_t guess[WALK_VALUES];
            int32_t values[WALK_VALUES];
            walk_guess(tick, rollback.from, guess);
            assert_int_equal(bks_replay_rollback_inputs(replay, i, tick, values), BKS_OK);
            assert_memory_equal(values, guess, sizeof(guess));
        }
    }
}

void walk_assert_true(bks_replay *replay)
{
    const bks_recording info = *bks_replay_info(replay);
    for (bks_tick tick = info.first; tick < info.end && tick < WALK_TICKS_MAX; tick++) {
        assert_tick_true(replay, tick);
        if (info.range_count > 0) {
            assert_rows_true(replay, tick);
        }
    }
    assert_rollbacks_true(replay);
    static walk_state unpacked;
    for (uint32_t i = 0; i < info.keyframes; i++) {
        bks_replay_keyframe key;
        assert_int_equal(bks_replay_keyframe_at(replay, i, &key), BKS_OK);
        const bks_status status =
            bks_replay_keyframe_state(replay, i, &unpacked, sizeof(unpacked), NULL);
        assert_int_equal(status, key.is_usable ? BKS_OK : BKS_ERR_DAMAGED);
        if (key.is_usable) {
            assert_memory_equal(&unpacked, &walk_what_happened()->states[key.tick],
                                sizeof(unpacked));
        }
    }
}

uint8_t *read_whole_file(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        print_error("%s cannot be opened\n", path);
        fail();
    }
    size_t capacity = 4096;
    uint8_t *bytes = malloc(capacity);
    *count = 0;
    while (bytes != NULL) {
        *count += fread(bytes + *count, 1, capacity - *count, file);
        if (*count < capacity) {
            break;
        }
        capacity *= 2;
        bytes = realloc(bytes, capacity);
    }
    assert_non_null(bytes);
    fclose(file);
    return bytes;
}
