// SPDX-License-Identifier: MIT

// Time from a watcher's call to its first picture.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "duel/duel.h"
#include "feed/feed_match.h"
#include "pad/pad.h"

#define SEEDS    8u
#define WATCHERS 8u

/// Let a watcher come, and wait until it has a state.
/// @return the time in ms
static uint32_t come_and_wait(feed_network *network, uint32_t index)
{
    const uint64_t came_ns = network->net.now_ns;
    feed_come(network, index);
    while (network->watchers[index].receiver.count == 0) {
        feed_run_until(network, network->net.now_ns);
        assert_true(network->net.now_ns - came_ns < 3 * SECOND_NS);
    }
    network->watchers[index].is_stopped = true;
    return (uint32_t)((network->net.now_ns - came_ns) / NET_MS);
}

/// Return the mean time of many newcomers to duel, in ms. Each comes alone.
static uint32_t mean_ms(uint64_t delay_ms, uint32_t loss_percent)
{
    uint32_t sum = 0;
    uint32_t most = 0;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        const bksi_feed_source_config config = feed_config(WATCHERS);
        const feed_match match = {
            .peers = 2, .at = 1, .ticks = 2400, .window_ticks = 20, .game = &duel_game};
        feed_network *network = feed_open_as(&match, &config);
        network->net.random = seed;
        for (uint32_t i = 0; i < WATCHERS; i++) {
            network->watchers[i].delay_ns = delay_ms * NET_MS;
            network->watchers[i].loss_percent = loss_percent;
            feed_run_until(network, (3000 + 3000 * i + 37 * seed) * NET_MS);
            const uint32_t took = come_and_wait(network, i);
            sum += took;
            most = took > most ? took : most;
        }
        feed_close(network);
    }
    print_message("%u ms each way, %u %% lost: %u ms in the mean, %u ms at most\n",
                  (uint32_t)delay_ms, loss_percent, sum / (SEEDS * WATCHERS), most);
    return sum / (SEEDS * WATCHERS);
}

static void the_first_picture_of_duel_comes_within_a_second(void **state)
{
    (void)state;
    assert_true(mean_ms(20, 0) < 350);
    assert_true(mean_ms(100, 0) < 750);
    assert_true(mean_ms(100, 5) < 950);
}

/// Rate of a line of 10 Mbit/s.
#define LINE_BYTES_PER_S 1250000u

/// Wait until a watcher has a state.
/// @return the time in seconds
static double wait_for_state(feed_network *network, const feed_watcher *watcher)
{
    const uint64_t came_ns = network->net.now_ns;
    while (watcher->receiver.count == 0) {
        feed_run_until(network, network->net.now_ns);
        assert_true(network->net.now_ns - came_ns < 60 * SECOND_NS);
    }
    return (double)(network->net.now_ns - came_ns) * 1e-9;
}

static void a_state_of_16_mib_comes_over_10_mbit_and_the_watcher_catches_up(void **state)
{
    (void)state;
    static const bks_option options[] = {{"state", "16MiB", ""}, {"touch", "0.1%", ""}};
    bks_game large = pad_game;
    large.options = options;
    bksi_feed_source_config config = feed_config(1);
    config.bytes_per_s = 4 * LINE_BYTES_PER_S;
    const feed_match match = {.peers = 2, .at = 1, .ticks = 2400, .game = &large};
    feed_network *network = feed_open_as(&match, &config);
    feed_watcher *watcher = &network->watchers[0];
    watcher->line_bytes_per_s = LINE_BYTES_PER_S;
    feed_run_until(network, 3 * SECOND_NS);
    feed_come(network, 0);
    const double took_s = wait_for_state(network, watcher);
    const double line_s = (double)watcher->receiver.count / LINE_BYTES_PER_S;
    print_message("%.1f s, %.0f %% of the line\n", took_s, 100 * line_s / took_s);
    assert_true(watcher->receiver.count > (size_t)16 << 20);
    assert_true(took_s < 2.0 + line_s / 0.7);
    // Ticks played meanwhile come at ten times their speed or faster.
    feed_run_until(network, network->net.now_ns + (uint64_t)(took_s / 10) * SECOND_NS);
    assert_in_range(network->settled - watcher->end, 0, 24);
    watcher->jitter_ns = 20 * NET_MS;
    watcher->came_ns = network->net.now_ns;
    watcher->behind_ns_most = 0;
    feed_run_until(network, network->net.now_ns + 8 * SECOND_NS);
    print_message("%.0f ms behind at most\n", (double)watcher->behind_ns_most / 1e6);
    assert_in_range(watcher->behind_ns_most, 1, 400 * NET_MS);
    feed_close(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_picture_of_duel_comes_within_a_second),
        cmocka_unit_test(a_state_of_16_mib_comes_over_10_mbit_and_the_watcher_catches_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
