// SPDX-License-Identifier: MIT

// A small recording with everything in it, cut at every length and changed at every byte, then
// opened, verified and played as a user would. The ticks that can be reached follow from the places
// of the records; all of them must be reached and equal the match.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/writer.h"
#include "game/runner.h"
#include "recording.h"

#define TICKS       100
#define EVERY       5 ///< ticks from one keyframe to the next
#define CHUNK_TICKS 4
#define PLAYERS     2

typedef struct tiny_state {
    uint64_t sum;
    int32_t x[PLAYERS];
} tiny_state;

static void tiny_init(void *state, const bks_start *start)
{
    ((tiny_state *)state)->sum = start->seed;
}

static void tiny_step(void *state, const bks_step *step)
{
    tiny_state *tiny = state;
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *input = bks_step_input(step, i);
        tiny->x[i] += input[0];
        tiny->sum = tiny->sum * 31 + (uint64_t)tiny->x[i];
    }
}

static const bks_field tiny_fields[] = {{.name = "x", .bits = 4, .is_signed = true}};

static const bks_state_range tiny_ranges[] = {BKS_RANGE(tiny_state, sum, true)};

static const bks_game tiny_game = {
    .name = "tiny",
    .tick_rate_hz = 20,
    .players_max = PLAYERS,
    .fields = tiny_fields,
    .field_count = 1,
    .state_bytes = sizeof(tiny_state),
    .ranges = tiny_ranges,
    .range_count = 1,
    .init = tiny_init,
    .step = tiny_step,
};

/// Truth of the match, by tick.
static int32_t inputs[TICKS][PLAYERS];
static uint64_t hashes[TICKS + 1];
static tiny_state states[TICKS + 1];

static memory_file file;

static void take_state(bksi_runner *runner, bks_tick tick)
{
    hashes[tick] = bksi_runner_hash(runner);
    memcpy(&states[tick], bksi_runner_state(runner), sizeof(states[tick]));
}

static void confirm(bks_replay_writer *writer, bks_tick tick)
{
    uint64_t page = hashes[tick];
    if (tick >= 3 && tick % 10 == 0) {
        assert_int_equal(bks_replay_writer_rollback(writer, tick, tick - 3, inputs[0]), BKS_OK);
        const bks_replay_event event = {.kind = BKS_REPLAY_NOTE, .tick = tick, .text = "here"};
        assert_int_equal(bks_replay_writer_event(writer, &event), BKS_OK);
    }
    if (tick == 33 || tick == 34) {
        // Record a repair of the peer itself one tick later, when a keyframe is due anyway. Its
        // states were right: the agreed hash is the recorded one.
        const bks_replay_agreed agreed = {32, hashes[32]};
        const bks_replay_repair repair = {.peer = 1,
                                          .bytes = 8,
                                          .since = 31,
                                          .tick = 33,
                                          .until = tick == 33 ? 31 : 34,
                                          .agreed_count = tick == 33 ? 0 : 1};
        assert_int_equal(bks_replay_writer_repair(writer, &repair, &agreed), BKS_OK);
    }
    assert_int_equal(bks_replay_writer_values(writer, tick, &states[tick].sum), BKS_OK);
    assert_int_equal(bks_replay_writer_pages(writer, tick, &page, 1), BKS_OK);
    assert_int_equal(bks_replay_writer_confirm(writer, tick, inputs[tick], &hashes[tick]), BKS_OK);
    if (bks_replay_writer_keyframe_due(writer) != BKS_TICK_NONE) {
        assert_int_equal(
            bks_replay_writer_keyframe(writer, tick + 1, &states[tick + 1], sizeof(tiny_state)),
            BKS_OK);
    }
}

/// Play the match and record it with everything that can be recorded.
static void record(bool finish)
{
    bksi_runner_config runner_config = {
        .game = &tiny_game, .seed = 7, .players = PLAYERS, .tick_rate_hz = 20};
    bks_replay_config config = {
        .game = &tiny_game,
        .seed = 7,
        .players = PLAYERS,
        .tick_rate_hz = 20,
        .unconfirmed_ticks_max = 8,
        .state = &states[0],
        .state_bytes = sizeof(tiny_state),
        .detail = {.chunk_ticks = CHUNK_TICKS,
                   .keyframe_ticks = EVERY,
                   .keyframe_bytes = UINT64_C(1) << 40,
                   .page_hashes = true,
                   .rollbacks = true,
                   .values = true},
        .sink = memory_file_sink(&file),
    };
    bksi_runner *runner = NULL;
    bks_replay_writer *writer = NULL;
    memory_file_init(&file);
    assert_int_equal(bks_option_values_default(&tiny_game, &runner_config.options), BKS_OK);
    config.options = runner_config.options;
    assert_int_equal(bksi_runner_create(&runner_config, &runner, NULL), BKS_OK);
    take_state(runner, 0);
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        inputs[tick][0] = tick / 7 % 16 - 8;
        inputs[tick][1] = tick / 3 * 5 % 16 - 8;
        assert_int_equal(bks_replay_writer_use(writer, tick, 1, inputs[tick]), BKS_OK);
        bksi_runner_step(runner, tick, inputs[tick]);
        take_state(runner, tick + 1);
        confirm(writer, tick);
    }
    if (finish) {
        assert_int_equal(bks_replay_writer_finish(writer, &hashes[TICKS]), BKS_OK);
    } else {
        assert_int_equal(bks_replay_writer_flush(writer), BKS_OK);
    }
    bks_replay_writer_destroy(writer);
    bksi_runner_destroy(runner);
}

static uint32_t u32_at(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/// A record after the slots, read by docs/spec/replay.md.
typedef struct record_place {
    size_t begin;
    size_t end;
    bool has_ticks;
    bool is_restart;
    bks_tick first;
    bks_tick ticks;
} record_place;

/// List all records after the slots.
static size_t find_records(record_place *out, size_t capacity)
{
    const size_t stat = 16 + 12 + u32_at(file.bytes + 20) + 8;
    const size_t slots = (stat + 12 + u32_at(file.bytes + stat + 4) + 8 + 511) / 512 * 512;
    // The first one is an indx, TICK or another record with a letter: what is before is slots.
    size_t at = slots;
    while (memcmp(file.bytes + at, "vals", 4) != 0) {
        at += 512;
    }
    size_t count = 0;
    for (; at < file.count; count++) {
        assert_true(count < capacity);
        const uint8_t *payload = file.bytes + at + 12;
        out[count] = (record_place){.begin = at, .end = at + 20 + u32_at(file.bytes + at + 4)};
        if (memcmp(file.bytes + at, "TICK", 4) == 0) {
            // Both varints have one byte, because there are few ticks.
            out[count].has_ticks = true;
            out[count].first = payload[0];
            out[count].ticks = payload[1];
            out[count].is_restart = (payload[2] & 2) != 0;
        }
        at = out[count].end;
    }
    return count;
}

/// Return one past the ticks that are lost with a record: those up to the next restart.
static bks_tick lost_end(const record_place *records, size_t count, size_t lost)
{
    for (size_t i = lost + 1; i < count; i++) {
        if (records[i].is_restart) {
            return records[i].first;
        }
    }
    return TICKS;
}

/// Return true if a tick can be reached when the ticks from `first` up to `end` are lost.
static bool is_within_reach(bks_tick tick, bks_tick first, bks_tick end)
{
    const bks_tick key = tick / EVERY * EVERY;
    return tick <= first || tick == key || key >= end;
}

/// Seek to every tick, one after the other, and compare it with the match.
/// @param first, end  ticks that must be lost; equal: none
static void play_all(bks_replay *replay, bks_tick ticks, bks_tick first, bks_tick end, size_t where)
{
    const bks_playback_config config = {.replay = replay, .game = &tiny_game};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    for (bks_tick tick = 0; tick <= ticks; tick++) {
        const bks_status status = bks_playback_seek(playback, tick, NULL);
        const bool must = first == end || is_within_reach(tick, first, end);
        if (status != (must ? BKS_OK : BKS_ERR_DAMAGED)) {
            print_error("byte %zu: tick %d is %s\n", where, tick, bks_status_name(status));
            fail();
        }
        if (must && bks_playback_hash(playback) != hashes[tick]) {
            print_error("byte %zu: tick %d is another state\n", where, tick);
            fail();
        }
    }
    bks_playback_destroy(playback);
}

/// A wrong byte in a record behind the tail slots is reported and skipped, and nothing wrong is
/// played.
static void look_at_changed(size_t where, const record_place *records, size_t count, size_t index)
{
    const record_place *record = &records[index];
    bks_replay *replay = NULL;
    bks_error error = {0};
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, &error),
                     BKS_ERR_DAMAGED);
    assert_int_equal(error.offset_bytes, record->begin);
    const bks_recording *info = bks_replay_info(replay);
    assert_true(info->is_damaged);
    assert_false(info->is_complete);
    const bks_tick first = record->has_ticks ? record->first : TICKS;
    const bks_tick end = record->has_ticks ? lost_end(records, count, index) : TICKS;
    // The newest ticks are lost for good only where DONE does not count them.
    assert_int_equal(info->ticks, first);
    play_all(replay, end == TICKS && info->end < TICKS ? first : TICKS, first, end, where);
    const bks_playback_config config = {.replay = replay, .game = &tiny_game};
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, &error), BKS_ERR_DAMAGED);
    assert_true(result.is_same);
    assert_int_equal(result.stepped, first + TICKS - end);
    bks_replay_close(replay);
}

static void a_changed_byte_is_reported_and_play_resumes_at_a_keyframe(void **state)
{
    (void)state;
    static record_place records[256];
    record(true);
    const size_t count = find_records(records, 256);
    assert_true(count > 60);
    size_t restarts = 0;
    for (size_t i = 0; i < count; i++) {
        restarts += records[i].is_restart;
        for (size_t at = records[i].begin; at < records[i].end; at++) {
            file.bytes[at] ^= 0x10;
            look_at_changed(at, records, count, i);
            file.bytes[at] ^= 0x10;
        }
    }
    assert_int_equal(restarts, 3); // the first of all, and before each whole keyframe
    memory_file_free(&file);
}

static void changed_byte_before_the_records_loses_no_tick_or_the_file_is_refused(void **state)
{
    (void)state;
    static record_place records[256];
    record(true);
    (void)find_records(records, 256);
    const size_t stat = 16 + 12 + u32_at(file.bytes + 20) + 8;
    for (size_t at = 0; at < records[0].begin; at++) {
        bks_replay *replay = NULL;
        bks_error error = {0};
        file.bytes[at] ^= 0x10;
        const bks_status status = bks_replay_open(file.bytes, file.count, NULL, &replay, &error);
        if (at < stat) {
            assert_true(status == BKS_ERR_DAMAGED || status == BKS_ERR_UNSUPPORTED ||
                        status == BKS_ERR_INCOMPLETE);
            assert_null(replay);
        } else {
            assert_int_equal(status, BKS_ERR_DAMAGED);
            assert_true(error.offset_bytes <= at);
            play_all(replay, TICKS, 0, 0, at);
        }
        bks_replay_close(replay);
        file.bytes[at] ^= 0x10;
    }
    memory_file_free(&file);
}

/// Play as far as a file goes that ends too early.
static bks_tick look_at_cut(size_t count)
{
    uint8_t *bytes = malloc(count + 1); // so that a sanitizer sees reads beyond the bytes
    assert_non_null(bytes);
    memcpy(bytes, file.bytes, count);
    bks_replay *replay = NULL;
    bks_error error = {0};
    const bks_status status = bks_replay_open(bytes, count, NULL, &replay, &error);
    bks_tick ticks = 0;
    if (replay == NULL) {
        assert_int_equal(status, BKS_ERR_INCOMPLETE);
        assert_int_equal(error.offset_bytes, count);
    } else {
        assert_int_equal(status, BKS_OK);
        const bks_recording *info = bks_replay_info(replay);
        ticks = info->ticks;
        assert_int_equal(info->end, ticks);
        play_all(replay, info->confirmed, 0, 0, count);
        const bks_playback_config config = {.replay = replay, .game = &tiny_game};
        bks_verify_result result;
        assert_int_equal(bks_replay_verify(&config, NULL, &result, &error), BKS_OK);
        assert_int_equal(result.stepped, info->confirmed);
    }
    bks_replay_close(replay);
    free(bytes);
    return ticks;
}

static void file_cut_anywhere_is_played_as_far_as_it_goes(void **state)
{
    (void)state;
    static record_place records[256];
    record(true);
    const size_t record_count = find_records(records, 256);
    size_t next = 0;
    bks_tick appended = 0;
    for (size_t count = 0; count <= file.count; count++) {
        for (; next < record_count && records[next].end <= count; next++) {
            appended += records[next].ticks;
        }
        assert_int_equal(look_at_cut(count), appended);
    }
    assert_int_equal(appended, TICKS);
    memory_file_free(&file);
}

static void stopped_recording_cut_or_changed_anywhere_is_true_as_far_as_it_goes(void **state)
{
    (void)state;
    record(false);
    for (size_t count = 0; count <= file.count; count++) {
        const bks_tick ticks = look_at_cut(count);
        assert_true(count < file.count || ticks == TICKS);
    }
    for (size_t at = 0; at < file.count; at++) {
        bks_replay *replay = NULL;
        bks_error error = {0};
        file.bytes[at] ^= 0x10;
        assert_true(bks_replay_open(file.bytes, file.count, NULL, &replay, &error) < 0);
        assert_true(error.offset_bytes <= at);
        const bks_playback_config config = {.replay = replay, .game = &tiny_game};
        bks_verify_result result;
        if (replay != NULL) {
            assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_ERR_DAMAGED);
            assert_true(result.is_same);
        }
        bks_replay_close(replay);
        file.bytes[at] ^= 0x10;
    }
    memory_file_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_byte_is_reported_and_play_resumes_at_a_keyframe),
        cmocka_unit_test(changed_byte_before_the_records_loses_no_tick_or_the_file_is_refused),
        cmocka_unit_test(file_cut_anywhere_is_played_as_far_as_it_goes),
        cmocka_unit_test(stopped_recording_cut_or_changed_anywhere_is_true_as_far_as_it_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
