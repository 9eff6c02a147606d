// SPDX-License-Identifier: MIT

// States at marks that cannot be kept. That those kept are true, test_recorder.c shows.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "peer/some_records.h"
#include "support/catch_log.h"

static void tune_marks_of_own(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->game = &own_game;
    config->record_detail = (bks_replay_detail){.marks = true};
}

typedef struct start_state {
    uint32_t count;
    size_t bytes;
    uint64_t hash;
} start_state;

static bool take_start(void *context, const char *mark, const void *state, size_t count)
{
    start_state *start = context;
    assert_string_equal(mark, "");
    start->count++;
    start->bytes = count;
    start->hash = bks_hash64(state, count, 0);
    return true;
}

/// Though most ticks were stepped with guesses at first.
static void a_game_without_a_region_has_what_save_writes_at_each_tick_and_is_said_so(void **context)
{
    (void)context;
    catch_log caught;
    catch_log_begin(&caught);
    net_create(&network, 2, tune_marks_of_own);
    network.delay_ns = 60 * NET_MS;
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    bks_log_clear_sink();
    assert_int_equal(caught.count, 2);
    assert_string_equal(caught.id, "peer.record");
    bks_replay *replay = open_record(0);
    const bks_playback_config config = {.replay = replay, .game = &own_game};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    for (bks_tick tick = 0; tick < bks_replay_info(replay)->confirmed; tick++) {
        static uint8_t bytes[1 << 16];
        const size_t count = bks_playback_export(playback, bytes, sizeof(bytes));
        start_state start = {0};
        assert_int_equal(bks_replay_marks(replay, tick, take_start, &start), BKS_OK);
        assert_int_equal(start.count, 1);
        assert_int_equal(start.bytes, count);
        assert_true(start.hash == bks_hash64(bytes, count, 0));
        assert_int_equal(bks_playback_step(playback), BKS_OK);
    }
    bks_playback_destroy(playback);
    bks_replay_close(replay);
    net_destroy(&network);
}

static void tune_marks_of_pointers(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    static bks_game pointing;
    pointing = *config->game;
    pointing.pointers = true;
    pointing.hash = own_game.hash;
    config->game = &pointing;
    config->record_detail = (bks_replay_detail){.marks = true};
}

static void a_game_of_raw_pointers_is_said_to_have_no_states_at_marks(void **context)
{
    (void)context;
    catch_log caught;
    catch_log_begin(&caught);
    net_create(&network, 2, tune_marks_of_pointers);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    bks_log_clear_sink();
    assert_int_equal(caught.count, 2);
    assert_non_null(strstr(caught.text, "raw pointers"));
    bks_replay *replay = open_record(0);
    assert_int_equal(bks_replay_info(replay)->mark_ticks, 0);
    bks_replay_close(replay);
    net_destroy(&network);
}

enum { WIDE_BYTES = 1 << 20, WIDE_MARKS = (1 << 27) / WIDE_BYTES };

static void wide_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

/// Ticks 40 and 80 have more marks than may be kept of so large a state.
static void wide_step(void *state, const bks_step *step)
{
    uint64_t *sum = state;
    *sum += (uint64_t)(uint32_t)step->inputs[0];
    const bool is_busy = step->tick == 40 || step->tick == 80;
    for (int i = 0; i < (is_busy ? WIDE_MARKS : 1); i++) {
        bks_mark(step, "some");
    }
}

static void tune_wide_marks(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    static bks_game wide;
    wide = (bks_game){.name = "wide",
                      .tick_rate_hz = 60,
                      .players_max = NET_PEERS_MAX,
                      .fields = some_fields,
                      .field_count = 2,
                      .state_bytes = WIDE_BYTES,
                      .init = wide_init,
                      .step = wide_step};
    config->game = &wide;
    config->record_detail = (bks_replay_detail){.marks = true};
}

static bool count_mark(void *context, const char *mark, const void *state, size_t count)
{
    (void)mark;
    (void)state;
    assert_int_equal(count, WIDE_BYTES);
    ++*(uint32_t *)context;
    return true;
}

static void ticks_of_too_many_states_are_left_out_with_one_warning(void **context)
{
    (void)context;
    catch_log caught;
    catch_log_begin(&caught);
    net_create(&network, 2, tune_wide_marks);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    bks_log_clear_sink();
    assert_int_equal(caught.count, 2); // one of each peer
    assert_string_equal(caught.id, "peer.record");
    assert_non_null(strstr(caught.text, "tick 40"));
    bks_replay *replay = open_record(0);
    for (bks_tick tick = 0; tick < 100; tick++) {
        uint32_t count = 0;
        const bool is_busy = tick == 40 || tick == 80;
        assert_int_equal(bks_replay_marks(replay, tick, count_mark, &count),
                         is_busy ? BKS_ERR_INCOMPLETE : BKS_OK);
        assert_int_equal(count, is_busy ? 0 : 2);
    }
    bks_replay_close(replay);
    net_destroy(&network);
}

static void tune_windows(bks_peer_config *config, uint32_t peer)
{
    static const bks_replay_detail details[] = {
        {.marks = true, .marks_from = 100, .marks_until = 140},
        {.marks = true},
    };
    config->record_detail = details[peer];
}

typedef struct mark_sum {
    uint32_t count;
    uint64_t hash; ///< of the hashes of all states
} mark_sum;

static bool add_mark(void *context, const char *mark, const void *state, size_t count)
{
    mark_sum *sum = context;
    (void)mark;
    const uint64_t hashes[] = {sum->hash, bks_hash64(state, count, 0)};
    sum->hash = bks_hash64(hashes, sizeof(hashes), 0);
    sum->count++;
    return true;
}

/// Though it goes back and forth over both ends of the window.
static void a_window_of_ticks_holds_what_a_recording_of_all_ticks_does(void **context)
{
    (void)context;
    net_create(&network, 2, tune_windows);
    network.delay_ns = 60 * NET_MS;
    network.loss_percent = 10;
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    bks_replay *replays[] = {open_record(0), open_record(1)};
    const bks_recording *infos[] = {bks_replay_info(replays[0]), bks_replay_info(replays[1])};
    assert_in_range(infos[0]->mark_bytes, 1, infos[1]->mark_bytes / 4);
    for (bks_tick tick = 0; tick < infos[0]->confirmed; tick++) {
        mark_sum sums[2] = {{0}};
        const bool is_inside = tick >= 100 && tick < 140;
        assert_int_equal(bks_replay_marks(replays[0], tick, add_mark, &sums[0]),
                         is_inside ? BKS_OK : BKS_ERR_INCOMPLETE);
        assert_int_equal(bks_replay_marks(replays[1], tick, add_mark, &sums[1]), BKS_OK);
        assert_int_equal(sums[0].count, is_inside ? 3 : 0);
        assert_int_equal(sums[1].count, 3);
        assert_true(!is_inside || sums[0].hash == sums[1].hash);
    }
    bks_replay_close(replays[0]);
    bks_replay_close(replays[1]);
    net_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_game_without_a_region_has_what_save_writes_at_each_tick_and_is_said_so),
        cmocka_unit_test(a_game_of_raw_pointers_is_said_to_have_no_states_at_marks),
        cmocka_unit_test(ticks_of_too_many_states_are_left_out_with_one_warning),
        cmocka_unit_test(a_window_of_ticks_holds_what_a_recording_of_all_ticks_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
