// SPDX-License-Identifier: MIT

// A match is watched: by several, late, over bad lines, and by those who stop.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "feed/feed_network.h"
#include "game/some_game.h"

#define SECOND_NS (1000 * NET_MS)

static bks_tick match_ticks = 600;

static void lengthen(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->session.ticks = match_ticks;
}

static feed_network *open_network(uint32_t peers, uint32_t at, const bksi_feed_source_config *config)
{
    feed_network *network = test_calloc(1, sizeof(*network));
    net_create(&network->net, peers, lengthen);
    feed_create(network, at, config);
    for (uint32_t i = 0; i < FEED_WATCHERS; i++) {
        network->watchers[i].delay_ns = 50 * NET_MS;
    }
    return network;
}

static void close_network(feed_network *network)
{
    feed_destroy(network);
    net_destroy(&network->net);
    test_free(network);
}

/// All that a watcher has is what its source computed.
static void assert_is_true(const feed_network *network, const feed_watcher *watcher, bool is_whole)
{
    bks_replay *replay = NULL;
    bks_replay *of_source = NULL;
    bks_error error = {0};
    bks_status status = bks_replay_open(watcher->receiver.bytes, watcher->receiver.count, NULL,
                                        &replay, &error);
    assert_int_equal(status, is_whole ? BKS_OK : BKS_ERR_INCOMPLETE);
    const net_peer *source = &network->net.peers[network->at];
    status = bks_replay_open(source->record.bytes, source->record.count, NULL, &of_source, &error);
    assert_true(status == BKS_OK || status == BKS_ERR_INCOMPLETE);
    const bks_recording *info = bks_replay_info(replay);
    assert_int_equal(info->is_complete, is_whole);
    const bks_playback_config config = {.replay = replay, .game = &some_game};
    bks_verify_result result;
    if (bks_replay_verify(&config, NULL, &result, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(result.stepped, info->end - info->first);
    assert_true(result.compared >= info->end - info->first);
    for (bks_tick t = info->first; t < info->end; t++) {
        int32_t ours[2 * NET_PEERS_MAX];
        int32_t theirs[2 * NET_PEERS_MAX];
        assert_int_equal(bks_replay_inputs(replay, t, ours), BKS_OK);
        assert_int_equal(bks_replay_inputs(of_source, t, theirs), BKS_OK);
        assert_memory_equal(ours, theirs, info->players * 2 * sizeof(int32_t));
    }
    bks_replay_close(replay);
    bks_replay_close(of_source);
}

static void watchers_see_what_their_source_computed(void **state)
{
    (void)state;
    const bksi_feed_source_config config = feed_config(4);
    feed_network *network = open_network(2, 1, &config);
    uint8_t key[BKS_KEY_BYTES];
    feed_key_of_match(key);
    feed_come(network, 0, key); // before the match
    feed_run_until(network, 3 * SECOND_NS);
    feed_come(network, 1, key);
    feed_run_until(network, 4 * SECOND_NS);
    feed_come(network, 2, key); // takes the same beginning
    feed_run_until(network, 7 * SECOND_NS);
    feed_come(network, 3, key);
    feed_run_until(network, 20 * SECOND_NS);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(network->watchers[i].status, BKS_OVER);
        assert_is_true(network, &network->watchers[i], true);
    }
    assert_true(bks_replay_info(network->watchers[1].replay)->first > 60);
    assert_int_equal(bks_replay_info(network->watchers[1].replay)->first,
                     bks_replay_info(network->watchers[2].replay)->first);
    assert_true(bks_replay_info(network->watchers[3].replay)->first >
                bks_replay_info(network->watchers[2].replay)->first);
    close_network(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watchers_see_what_their_source_computed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
