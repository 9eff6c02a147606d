// SPDX-License-Identifier: MIT

// The input delay rises and falls all the time. Each player's inputs count up, one with every
// sample, and the game looks whether it gets each of them once and in order.

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mutant.h"
#include "peer/peer_network.h"
#include "session/session_internal.h"

#define PEERS 3
#define TICKS 3600

/// The way is short and long by turns, each time for so long.
#define SWING_MS 2600u

static const bks_field fields[] = {{.name = "number", .bits = 16}, {.name = "spare", .bits = 1}};

typedef struct counting_state {
    int32_t newest[BKS_PLAYERS_MAX]; ///< number of the newest input
    uint32_t broken;                 ///< inputs that were not the one after the one before
} counting_state;

static void counting_init(void *state, const bks_start *start)
{
    (void)start;
    memset(state, 0, sizeof(counting_state));
}

static void counting_step(void *state, const bks_step *step)
{
    counting_state *counting = state;
    for (uint32_t p = 0; p < step->players; p++) {
        const int32_t *input = bks_step_input(step, p);
        counting->broken += input[0] == counting->newest[p] + 1 ? 0 : 1;
        counting->newest[p] = input[0];
    }
}

static const bks_game counting_game = {.name = "counting",
                                       .tick_rate_hz = 60,
                                       .players_max = PEERS,
                                       .fields = fields,
                                       .field_count = 2,
                                       .state_bytes = sizeof(counting_state),
                                       .init = counting_init,
                                       .step = counting_step};

static peer_network network;
static int32_t sampled[PEERS];
static uint64_t starved_ticks[PEERS];
static uint32_t tuned_window;

static void count_up(void *context, const bks_sample *sample, int32_t *values)
{
    (void)sample;
    int32_t *count = context;
    values[0] = ++*count;
}

static void tune(bks_peer_config *config, uint32_t peer)
{
    sampled[peer] = 0;
    config->game = &counting_game;
    config->record = (bks_sink){0};
    config->sources[0] = (bks_source){.sample = count_up, .context = &sampled[peer]};
    config->session.ticks = TICKS;
    config->session.tuning.delay_ticks = BKS_AUTO;
    config->session.tuning.window_ticks = tuned_window;
}

/// In lockstep the automatic delay is lowered only after 20 s without need. So it is automatic
/// while the way is long, and short while the way is short.
static void retune(bool is_short)
{
    for (uint32_t i = 0; i < PEERS; i++) {
        bks_session *session = net_session(&network, i);
        assert_int_equal(bks_session_retune(session, 0, is_short ? 1 : BKS_AUTO,
                                            session->common.config.tuning.pace, NULL),
                         BKS_OK);
    }
}

/// Play with a way of 4 and of 150 ms by turns.
/// @return how often the delay of the peer changed for which it did least often
static uint32_t play(uint32_t window_ticks)
{
    uint32_t changes[PEERS] = {0};
    uint32_t delays[PEERS] = {0};
    tuned_window = window_ticks;
    net_create(&network, PEERS, tune);
    network.loss_percent = 4;
    bool is_over = false;
    for (uint64_t ms = 0; !is_over && ms < 120000; ms += 2) {
        network.delay_ns = (ms / SWING_MS % 2 == 0 ? 4 : 150) * NET_MS;
        if (window_ticks == 0 && ms > 0 && ms % SWING_MS == 0) {
            retune(ms / SWING_MS % 2 == 0);
        }
        net_run_until(&network, ms * NET_MS);
        is_over = true;
        for (uint32_t i = 0; i < PEERS; i++) {
            const bks_session *session = net_session(&network, i);
            changes[i] +=
                bks_session_tick(session) > 0 && session->tempo.pace.delay.now != delays[i] ? 1 : 0;
            delays[i] = session->tempo.pace.delay.now;
            is_over &= bksi_phase_seen(&session->common.phase) == BKS_PHASE_ENDED;
        }
    }
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < PEERS; i++) {
        least = changes[i] < least ? changes[i] : least;
    }
    return least;
}

/// Return a copy of the state that a peer holds.
static counting_state end_of(uint32_t peer)
{
    counting_state end;
    memcpy(&end, bks_peer_state(network.peers[peer].peer), sizeof(end));
    return end;
}

static void every_sample_is_stepped_once_in(uint32_t window_ticks, uint32_t changes_min)
{
    uint32_t changes = play(window_ticks);
    print_message("the delay changed %u times at least\n", changes);
    assert_true(changes >= changes_min);
    for (uint32_t i = 0; i < PEERS; i++) {
        counting_state end = end_of(i);
        assert_int_equal(network.peers[i].status, BKS_OVER);
        assert_int_equal(bks_session_tick(net_session(&network, i)), TICKS);
        assert_int_equal(sampled[i], TICKS);
        starved_ticks[i] = net_session(&network, i)->clock.starved_ticks;
        assert_int_equal(end.broken, 0);
        for (uint32_t p = 0; p < PEERS; p++) {
            assert_int_equal(end.newest[p], TICKS);
        }
    }
    net_destroy(&network);
}

static void in_rollback_every_sample_is_stepped_once_however_the_delay_changes(void **state)
{
    (void)state;
    every_sample_is_stepped_once_in(20, 40);
}

static void while_it_starves_every_sample_is_stepped_once_however_the_delay_changes(void **state)
{
    (void)state;
    every_sample_is_stepped_once_in(4, 20);
    uint64_t starved = 0;
    for (uint32_t i = 0; i < PEERS; i++) {
        starved += starved_ticks[i];
    }
    assert_true(starved > 200);
}

static void in_lockstep_every_sample_is_stepped_once_however_the_delay_changes(void **state)
{
    (void)state;
    every_sample_is_stepped_once_in(0, 40);
}

/// Raising the delay repeats an input, or lowering it takes one back: the game must see it.
static void a_sample_repeated_or_taken_back_is_seen(void **state)
{
    (void)state;
    static const bksi_mutant mutants[] = {BKSI_MUTANT_SAMPLE, BKSI_MUTANT_DELAY};
    for (uint32_t i = 0; i < 4; i++) {
        (void)bksi_mutant_set(mutants[i % 2]);
        (void)play(i < 2 ? 20 : 0);
        (void)bksi_mutant_set(BKSI_MUTANT_NONE);
        uint32_t broken = 0;
        for (uint32_t k = 0; k < PEERS; k++) {
            broken += end_of(k).broken;
        }
        assert_true(broken > 0);
        net_destroy(&network);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_rollback_every_sample_is_stepped_once_however_the_delay_changes),
        cmocka_unit_test(while_it_starves_every_sample_is_stepped_once_however_the_delay_changes),
        cmocka_unit_test(in_lockstep_every_sample_is_stepped_once_however_the_delay_changes),
        cmocka_unit_test(a_sample_repeated_or_taken_back_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
