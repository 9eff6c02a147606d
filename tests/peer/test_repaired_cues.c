// SPDX-License-Identifier: MIT

// A meeting holds ticks back and has them stepped again. What was reported as confirmed must be
// that of their last stepping, of each tick once, also for the peer whose state was repaired.

#include <stddef.h>

#include "peer/peer_inspect.h"
#include "peer/some_records.h"

enum { TICKS = 300, FLIPPED = 100 };

static const bks_cue_type cue_types[] = {{.name = "sum", .when = BKS_CUE_CONFIRMED}};

/// Each tick says what its state comes to.
static void summing_step(void *state, const bks_step *step)
{
    some_step(state, step);
    const some_state *some = state;
    int64_t sum = 0;
    for (uint32_t player = 0; player < step->players; player++) {
        sum += some->x[player];
    }
    bks_cue(step, 0, 0, &sum, sizeof(sum));
}

static bks_game summing;
static uint32_t tuned_window;

static void tune(bks_peer_config *config, uint32_t peer)
{
    summing = some_game;
    summing.step = summing_step;
    summing.cues = cue_types;
    summing.cue_count = 1;
    config->game = &summing;
    config->cues_per_tick = 64;
    config->session.tuning.window_ticks = tuned_window;
    config->session.tuning.on_desync = peer == 0 ? BKS_ON_DESYNC_RESYNC : BKS_ON_DESYNC_REPORT;
}

/// Sums of the cues that a peer heard, by tick.
typedef struct heard {
    bks_tick next; ///< in order, each once
    int64_t sums[TICKS];
} heard;

static void take_cues(uint32_t peer, heard *out)
{
    bks_cue_event event;
    while (bks_peer_cue(network.peers[peer].peer, &event)) {
        assert_int_equal(event.kind, BKS_CUE_STARTED);
        assert_int_equal(event.tick, out->next);
        assert_in_range(event.tick, 0, TICKS - 1);
        memcpy(&out->sums[event.tick], event.payload, sizeof(int64_t));
        out->next++;
    }
}

/// @return the tick at which peer 1 is repaired
static bks_tick play(uint64_t delay_ms, heard *out)
{
    net_create(&network, 2, tune);
    network.delay_ns = delay_ms * NET_MS;
    const bksi_flip flip = {.tick = FLIPPED, .offset = offsetof(some_state, x), .bit = 5};
    bksi_peer_flip(network.peers[1].peer, &flip);
    while (out[0].next < TICKS || out[1].next < TICKS) {
        net_run_until(&network, network.now_ns + NET_MS);
        assert_true(network.now_ns < 20000 * NET_MS);
        take_cues(0, &out[0]);
        take_cues(1, &out[1]);
    }
    bks_repair repairs[BKS_REPAIRS_MAX];
    assert_int_equal(bks_session_repairs(net_session(&network, 1), repairs, BKS_REPAIRS_MAX), 1);
    assert_int_equal(repairs[0].peer, 1);
    assert_int_equal(repairs[0].since, FLIPPED);
    assert_int_equal(bks_peer_cues_lost(network.peers[1].peer), 0);
    net_destroy(&network);
    return repairs[0].tick;
}

static void check(uint64_t delay_ms)
{
    heard by[2] = {{0}};
    const bks_tick repaired = play(delay_ms, by);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        const bool is_wrong = tick >= FLIPPED && tick < repaired;
        if ((by[0].sums[tick] != by[1].sums[tick]) != is_wrong) {
            fail_msg("delay %d ms, repaired at tick %d: of tick %d confirmed %lld and %lld",
                     (int)delay_ms, (int)repaired, (int)tick, (long long)by[0].sums[tick],
                     (long long)by[1].sums[tick]);
        }
    }
}

static void what_a_repaired_peer_confirms_is_what_the_others_do(void **state)
{
    (void)state;
    tuned_window = 20;
    check(10);
    check(60);
}

/// More ticks pass in it than two windows.
static void a_long_meeting_loses_no_confirmed_cue(void **state)
{
    (void)state;
    tuned_window = 4;
    check(100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_repaired_peer_confirms_is_what_the_others_do),
        cmocka_unit_test(a_long_meeting_loses_no_confirmed_cue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
