// SPDX-License-Identifier: MIT

// A peer whose states of the past are kept elsewhere loads those instead of copies of its own, and
// plays the same match.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "game/runner.h"
#include "game/some_game.h"
#include "peer/peer_inspect.h"
#include "peer/peer_network.h"

enum { KEPT = 64, BYTES_MAX = 4096 };

typedef struct kept_state {
    bks_tick tick;
    size_t count;
    uint8_t bytes[BYTES_MAX];
} kept_state;

static peer_network network;
static kept_state kept_states[KEPT];
static uint32_t lent;

static void entered(void *context, bks_tick tick, const int32_t *inputs)
{
    (void)inputs;
    bksi_runner *runner = bksi_peer_runner(context);
    kept_state *kept = &kept_states[tick % KEPT];
    kept->tick = tick;
    kept->count = bksi_runner_used_bytes(runner);
    assert_in_range(kept->count, 1, BYTES_MAX);
    memcpy(kept->bytes, bksi_runner_state(runner), kept->count);
}

static const void *lend(void *context, bks_tick tick, size_t *out_count)
{
    (void)context;
    const kept_state *kept = &kept_states[tick % KEPT];
    *out_count = kept->count;
    lent += kept->tick == tick;
    return kept->tick == tick ? kept->bytes : NULL;
}

/// Changes every ten ticks, so most guesses are right.
static void hold(void *context, const bks_sample *sample, int32_t *values)
{
    (void)context;
    values[0] = sample->tick / 10 % 5;
}

static void tune(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->sources[0] = (bks_source){.sample = hold};
    config->session.tuning.save = BKS_SAVE_EVERY;
}

/// The hash of peer 1's state when it has played so long, with one bit flipped.
static uint64_t play(bool lends, bks_tick flip_tick)
{
    net_create(&network, 2, tune);
    network.delay_ns = 100 * NET_MS;
    bks_peer *peer = network.peers[1].peer;
    const bksi_flip flip = {
        .tick = flip_tick, .is_once = true, .offset = offsetof(some_state, inits), .bit = 1};
    bksi_peer_flip(peer, &flip);
    memset(kept_states, 0xff, sizeof(kept_states));
    lent = 0;
    bksi_peer_listen_ticks(peer, entered, peer);
    if (lends) {
        bksi_peer_lend_states(peer, lend, peer);
    }
    net_run_until(&network, 3000 * NET_MS);
    const uint64_t hash = bksi_runner_hash(bksi_peer_runner(peer));
    net_destroy(&network);
    return hash;
}

static void a_match_with_lent_states_is_the_same(void **context)
{
    (void)context;
    const uint64_t plain = play(false, BKS_TICK_NONE);
    assert_int_equal(lent, 0);
    assert_true(play(true, BKS_TICK_NONE) == plain);
    assert_in_range(lent, 20, 1000);
}

/// It is in the slots, too, whoever has their bytes.
static void a_flip_of_the_memory_stays_although_states_are_lent(void **context)
{
    (void)context;
    for (bks_tick tick = 40; tick < 60; tick++) {
        const uint64_t plain = play(false, tick);
        assert_true(play(true, tick) == plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_with_lent_states_is_the_same),
        cmocka_unit_test(a_flip_of_the_memory_stays_although_states_are_lent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
