// SPDX-License-Identifier: MIT

// Frames between the ticks of a playback.

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recording.h"

#define TICKS 120

static memory_file file;
static bks_replay *replay;
static bks_playback *playback;

static void begin(bool interpolates)
{
    const bks_replay_detail detail = {.keyframe_ticks = 40};
    memory_file_init(&file);
    walk_record_with(&file, TICKS, true, &detail);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    const bks_playback_config config = {
        .replay = replay, .game = &walk_game, .interpolates = interpolates};
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
}

static void end(void)
{
    bks_playback_destroy(playback);
    bks_replay_close(replay);
    memory_file_free(&file);
}

static bks_frame frame_at(float share)
{
    bks_frame frame;
    assert_int_equal(bks_playback_frame(playback, share, &frame), BKS_OK);
    assert_int_equal(frame.tick, bks_playback_tick(playback));
    assert_ptr_equal(frame.state, bks_playback_state(playback));
    assert_false(frame.is_corrected);
    return frame;
}

static void expect_between(bks_tick tick)
{
    const bks_frame frame = frame_at(0.25f);
    assert_true(frame.share == 0.25f && frame.before != frame.state);
    assert_memory_equal(frame.before, &walk_what_happened()->states[tick - 1], sizeof(walk_state));
    assert_memory_equal(frame.state, &walk_what_happened()->states[tick], sizeof(walk_state));
}

static void expect_newest_alone(void)
{
    const bks_frame frame = frame_at(0.25f);
    assert_ptr_equal(frame.before, frame.state);
    assert_true(frame.share == 0.0f);
}

static void a_picture_lies_between_the_two_newest_ticks(void **state)
{
    (void)state;
    begin(true);
    expect_newest_alone();
    for (bks_tick tick = 1; tick <= TICKS; tick++) {
        assert_int_equal(bks_playback_step(playback), BKS_OK);
        expect_between(tick);
        assert_true(bks_playback_hash(playback) == walk_what_happened()->hashes[tick]);
    }
    assert_int_equal(bks_playback_step(playback), BKS_OVER);
    expect_between(TICKS);
    end();
}

static void after_a_seek_it_is_the_newest_state_until_the_next_step(void **state)
{
    (void)state;
    begin(true);
    static const bks_tick ticks[] = {70, 10, 11, 10, 0, 119};
    for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
        assert_int_equal(bks_playback_seek(playback, ticks[i], NULL), BKS_OK);
        expect_newest_alone();
        assert_int_equal(bks_playback_step(playback), BKS_OK);
        expect_between(ticks[i] + 1);
    }
    end();
}

static void unless_it_is_asked_for_nothing_is_kept(void **state)
{
    (void)state;
    begin(false);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(bks_playback_step(playback), BKS_OK);
        expect_newest_alone();
    }
    end();
}

static void hash_speed(const void *state, bks_hasher *hasher)
{
    const walk_state *walk = state;
    bks_hash_add(hasher, &walk->speed, sizeof(walk->speed));
}

static void a_game_whose_states_cannot_be_copied_is_refused(void **state)
{
    (void)state;
    memory_file_init(&file);
    walk_record(&file, 10, true);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    bks_game pointing = walk_game;
    pointing.pointers = true;
    pointing.hash = hash_speed; // games with pointers need a hash function
    const bks_playback_config config = {.replay = replay, .game = &pointing, .interpolates = true};
    bks_error error = {0};
    playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "interpolates");
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_lies_between_the_two_newest_ticks),
        cmocka_unit_test(after_a_seek_it_is_the_newest_state_until_the_next_step),
        cmocka_unit_test(unless_it_is_asked_for_nothing_is_kept),
        cmocka_unit_test(a_game_whose_states_cannot_be_copied_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
