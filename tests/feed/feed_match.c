// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "feed/feed_match.h"
#include "game/some_game.h"

/// The match that is being opened.
static feed_match set;

static void set_up(bks_peer_config *config, uint32_t peer)
{
    const uint32_t local = set.local_players > 0 ? set.local_players : 1;
    config->session.local_players = local;
    config->session.players = local * set.peers;
    config->session.first_player = peer == 0 ? BKS_AUTO : local * peer;
    config->game = set.game;
    config->session.ticks = set.ticks;
    config->session.tuning.window_ticks = set.window_ticks;
    config->session.tuning.save = set.save;
    config->session.tuning.hash_every_ticks = 1;
}

bks_status feed_configure_large(const bks_start *start, size_t *out_state_bytes, bks_error *error)
{
    const bks_status status = some_configure(start, out_state_bytes, error);
    *out_state_bytes = (size_t)1 << 20;
    return status;
}

feed_network *feed_open_as(const feed_match *match, const bksi_feed_source_config *config)
{
    set = *match;
    feed_network *network = test_calloc(1, sizeof(*network));
    net_create(&network->net, match->peers, set_up);
    feed_create(network, match->at, config);
    for (uint32_t i = 0; i < FEED_WATCHERS; i++) {
        network->watchers[i].delay_ns = 50 * NET_MS;
    }
    return network;
}

feed_network *feed_open(uint32_t peers, bks_tick ticks, const bksi_feed_source_config *config)
{
    const feed_match match = {.peers = peers,
                              .at = peers - 1,
                              .ticks = ticks,
                              .window_ticks = bks_tuning_default().window_ticks,
                              .save = BKS_SAVE_AUTO,
                              .game = &some_game};
    return feed_open_as(&match, config);
}

void feed_close(feed_network *network)
{
    feed_destroy(network);
    net_destroy(&network->net);
    test_free(network);
}

void feed_leave(feed_network *network, uint32_t index)
{
    feed_watcher *watcher = &network->watchers[index];
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    const bks_address from = {.length = 2, .bytes = {9, (uint8_t)(index + 1)}};
    const size_t count =
        bksi_feed_receiver_leave(&watcher->receiver, &to, packet, network->net.now_ns);
    assert_true(count > 0);
    bksi_feed_source_receive(feed_source(network), network->net.now_ns, &from, packet, count);
    watcher->is_stopped = true;
}

void feed_assert_is_true(feed_network *network, const feed_watcher *watcher, bool is_whole)
{
    bks_replay *replay = NULL;
    bks_replay *of_source = NULL;
    bks_error error = {0};
    bks_status status =
        bks_replay_open(watcher->receiver.bytes, watcher->receiver.count, NULL, &replay, &error);
    assert_int_equal(status, BKS_OK);
    const net_peer *source = &network->net.peers[network->at];
    status = bks_replay_open(source->record.bytes, source->record.count, NULL, &of_source, &error);
    assert_true(status == BKS_OK || status == BKS_ERR_INCOMPLETE);
    const bks_recording *info = bks_replay_info(replay);
    assert_int_equal(info->is_complete, is_whole);
    const bks_playback_config config = {.replay = replay, .game = set.game};
    bks_verify_result result;
    if (bks_replay_verify(&config, NULL, &result, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(result.stepped, info->end - info->first);
    assert_true(result.compared >= info->end - info->first);
    for (bks_tick t = info->first; t < info->end; t++) {
        int32_t ours[2 * BKS_PLAYERS_MAX];
        int32_t theirs[2 * BKS_PLAYERS_MAX];
        assert_int_equal(bks_replay_inputs(replay, t, ours), BKS_OK);
        assert_int_equal(bks_replay_inputs(of_source, t, theirs), BKS_OK);
        assert_memory_equal(ours, theirs, info->players * 2 * sizeof(int32_t));
    }
    bks_replay_close(replay);
    bks_replay_close(of_source);
}
