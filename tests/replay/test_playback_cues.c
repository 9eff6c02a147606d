// SPDX-License-Identifier: MIT

// Cues of a playback: each is heard once, and a seek leaves none behind.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "recording.h"
#include "support/catch_log.h"

enum { TICKS = 120, AT_ONCE = 0, CONFIRMED = 1, SEEN = 2, KINDS = 3 };

static const bks_cue_type cue_types[KINDS] = {
    [AT_ONCE] = {.name = "shot", .when = BKS_CUE_AT_ONCE},
    [CONFIRMED] = {.name = "score", .when = BKS_CUE_CONFIRMED},
    [SEEN] = {.name = "glint", .when = BKS_CUE_SEEN},
};

static memory_file file;
static bks_replay *replay;
static bks_playback *playback;
static bks_game cued;

/// Emit one cue of each kind in each tick.
static void cued_step(void *state, const bks_step *step)
{
    walk_game.step(state, step);
    for (uint32_t id = 0; id < KINDS; id++) {
        bks_cue(step, id, (uint64_t)step->tick, NULL, 0);
    }
}

static int begin(void **state)
{
    (void)state;
    const bks_replay_detail detail = {.keyframe_ticks = 40};
    memory_file_init(&file);
    walk_record_with(&file, TICKS, true, &detail);
    cued = walk_game;
    cued.step = cued_step;
    cued.cues = cue_types;
    cued.cue_count = KINDS;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    const bks_playback_config config = {.replay = replay, .game = &cued, .cues_per_tick = KINDS};
    return bks_playback_create(&config, &playback, NULL) == BKS_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    bks_playback_destroy(playback);
    bks_replay_close(replay);
    memory_file_free(&file);
    return 0;
}

static void expect_no_cue(void)
{
    bks_cue_event event;
    if (bks_playback_cue(playback, &event)) {
        fail_msg("cue %u of tick %d is heard", event.id, event.tick);
    }
}

/// Step once, and take the cues of that tick.
static void step_and_hear(bks_tick tick)
{
    uint32_t heard = 0;
    assert_int_equal(bks_playback_tick(playback), tick);
    assert_int_equal(bks_playback_step(playback), BKS_OK);
    for (bks_cue_event event; bks_playback_cue(playback, &event);) {
        assert_int_equal(event.kind, BKS_CUE_STARTED);
        assert_int_equal(event.tick, tick);
        assert_int_equal(event.late_ticks, 0);
        assert_int_equal(heard & 1U << event.id, 0);
        heard |= 1U << event.id;
    }
    assert_int_equal(heard, (1U << KINDS) - 1);
}

static void every_tick_is_heard_once(void **state)
{
    (void)state;
    expect_no_cue();
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        step_and_hear(tick);
    }
    assert_int_equal(bks_playback_step(playback), BKS_OVER);
    expect_no_cue();
}

/// Seek forwards and back, to keyframes and between them, with cues that were not taken. Skipped
/// cues do not count as lost.
static void after_a_seek_no_cue_of_the_past_is_heard(void **state)
{
    (void)state;
    static const bks_tick ticks[] = {70, 10, 11, 9, 10, 40, 0, 119, 80, 118};
    catch_log log;
    catch_log_begin(&log);
    for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
        assert_int_equal(bks_playback_seek(playback, ticks[i], NULL), BKS_OK);
        expect_no_cue();
        step_and_hear(ticks[i]);
        if (ticks[i] + 1 < TICKS) {
            assert_int_equal(bks_playback_step(playback), BKS_OK); // its cues wait
        }
    }
    bks_log_clear_sink();
    assert_string_equal(log.text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_tick_is_heard_once, begin, end),
        cmocka_unit_test_setup_teardown(after_a_seek_no_cue_of_the_past_is_heard, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
