// SPDX-License-Identifier: MIT

#include "feed/feed_network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer/peer_inspect.h"
#include "session/queries.h"

/// Longest queue of a watcher's line.
#define LINE_QUEUE_NS (200 * NET_MS)

static void require(bool condition, const char *what)
{
    if (!condition) {
        (void)fprintf(stderr, "feed_network: %s\n", what);
        abort();
    }
}

static bks_address address_of(uint32_t number)
{
    return (bks_address){.length = 2, .bytes = {9, (uint8_t)number}};
}

const uint8_t feed_match_key[BKS_KEY_BYTES] = {5, 5, 5};

bksi_feed_source_config feed_config(uint32_t watchers)
{
    bksi_feed_source_config config = {.watchers = watchers, .bytes_per_s = 64000, .build = "test"};
    bksi_feed_key(feed_match_key, config.key);
    memset(config.entropy, 77, sizeof(config.entropy));
    return config;
}

void feed_create(feed_network *network, uint32_t at, const bksi_feed_source_config *config)
{
    uint8_t identity[BKS_KEY_BYTES];
    memset(identity, 33, sizeof(identity));
    bool is_first = true;
    for (uint32_t i = 0; i < NET_PEERS_MAX; i++) {
        is_first &= !network->servers[i].is_there;
    }
    network->at = is_first ? at : network->at;
    feed_server *server = &network->servers[at];
    server->is_there = true;
    require(bksi_feed_source_create(&server->source, config, identity) == BKS_OK, "no memory");
}

void feed_destroy(feed_network *network)
{
    for (uint32_t i = 0; i < FEED_WATCHERS; i++) {
        feed_watcher *watcher = &network->watchers[i];
        bks_replay_close(watcher->replay);
        free(watcher->packets);
        if (watcher->is_there) {
            bksi_feed_receiver_destroy(&watcher->receiver);
        }
    }
    for (uint32_t i = 0; i < NET_PEERS_MAX; i++) {
        if (network->servers[i].is_there) {
            bksi_feed_source_destroy(&network->servers[i].source);
        }
    }
}

void feed_crash(feed_network *network, uint32_t peer)
{
    network->servers[peer].is_cut = true;
    network->net.peers[peer].is_frozen = true;
}

void feed_come(feed_network *network, uint32_t index)
{
    uint8_t key[BKS_KEY_BYTES];
    bksi_feed_key(feed_match_key, key);
    feed_come_with(network, index, key);
}

void feed_come_with(feed_network *network, uint32_t index, const uint8_t key[BKS_KEY_BYTES])
{
    feed_watcher *watcher = &network->watchers[index];
    bksi_feed_receiver_config config = {.source = net_address(network->at),
                                        .timeout_ns = 10000 * NET_MS,
                                        .bytes_max = (size_t)64 << 20};
    memcpy(config.key, key, BKS_KEY_BYTES);
    memset(config.identity, (int)index + 50, sizeof(config.identity));
    memset(config.entropy, (int)index + 90, sizeof(config.entropy));
    require(bksi_feed_receiver_create(&watcher->receiver, &config) == BKS_OK, "no memory");
    watcher->packets = calloc(FEED_PACKETS, sizeof(feed_packet));
    require(watcher->packets != NULL, "no memory");
    watcher->is_there = true;
    watcher->came_ns = network->net.now_ns;
}

static uint32_t random_below(feed_network *network, uint32_t bound)
{
    uint64_t *random = &network->net.random;
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return bound > 0 ? (uint32_t)(*random >> 33) % bound : 0;
}

/// Return how long a packet to a watcher waits for its line and takes on it, UINT64_MAX: it is
/// dropped, because too many wait.
static uint64_t line_ns(feed_network *network, feed_watcher *watcher, size_t count)
{
    if (watcher->line_bytes_per_s == 0) {
        return 0;
    }
    const uint64_t now_ns = network->net.now_ns;
    const uint64_t begin_ns = watcher->line_free_ns > now_ns ? watcher->line_free_ns : now_ns;
    if (begin_ns - now_ns > LINE_QUEUE_NS) {
        return UINT64_MAX;
    }
    watcher->line_free_ns =
        begin_ns + (count + BKSI_DATAGRAM_HEAD_BYTES) * 1000 * NET_MS / watcher->line_bytes_per_s;
    return watcher->line_free_ns - now_ns;
}

static void put(feed_network *network, feed_watcher *watcher, uint32_t peer, bool is_to_source,
                const uint8_t *bytes, size_t count)
{
    const uint64_t waits_ns = is_to_source ? 0 : line_ns(network, watcher, count);
    if (random_below(network, 100) < watcher->loss_percent || waits_ns == UINT64_MAX) {
        return;
    }
    require(watcher->packet_count < FEED_PACKETS, "too many packets");
    feed_packet *packet = &watcher->packets[watcher->packet_count++];
    const uint32_t jitter_us = random_below(network, (uint32_t)(watcher->jitter_ns / 500) + 1);
    *packet = (feed_packet){.is_to_source = is_to_source, .peer = peer, .count = count};
    packet->arrives_ns = network->net.now_ns + waits_ns + watcher->delay_ns - watcher->jitter_ns +
                         (uint64_t)jitter_us * 1000;
    memcpy(packet->bytes, bytes, count);
}

static void deliver(feed_network *network, uint32_t index)
{
    feed_watcher *watcher = &network->watchers[index];
    for (size_t i = 0; i < watcher->packet_count;) {
        const feed_packet packet = watcher->packets[i];
        if (packet.arrives_ns > network->net.now_ns) {
            i++;
            continue;
        }
        watcher->packets[i] = watcher->packets[--watcher->packet_count];
        require(bksi_feed_is_packet(packet.bytes, packet.count), "a packet without the mark");
        feed_server *server = &network->servers[packet.peer];
        if (packet.is_to_source && server->is_there && !server->is_cut) {
            const bks_address from = address_of(index + 1);
            bksi_feed_source_receive(&server->source, network->net.now_ns, &from, packet.bytes,
                                     packet.count);
        } else if (!packet.is_to_source && !watcher->is_stopped) {
            const bks_address from = net_address(packet.peer);
            bksi_feed_receiver_receive(&watcher->receiver, network->net.now_ns, &from, packet.bytes,
                                       packet.count);
        }
    }
}

/// Read what the watcher has, and note how late each tick is.
static void look(feed_network *network, feed_watcher *watcher)
{
    const bksi_feed_receiver *receiver = &watcher->receiver;
    if (receiver->count == 0) {
        return;
    }
    const bks_replay_piece piece = {.bytes = receiver->bytes, .count = receiver->count};
    bks_error error = {0};
    const bks_status status =
        watcher->replay == NULL ? bks_replay_open_growing(&piece, 1, NULL, &watcher->replay, &error)
                                : bks_replay_refresh(watcher->replay, &piece, 1, &error);
    require(status == BKS_OK, error.text);
    const bks_recording *info = bks_replay_info(watcher->replay);
    for (bks_tick t = watcher->end; watcher->end > 0 && t < info->end; t++) {
        if (network->settled_ns[t] < watcher->came_ns + 1500 * NET_MS) {
            continue; // it catches up
        }
        const uint64_t behind_ns = network->net.now_ns - network->settled_ns[t];
        watcher->behind_ns_sum += behind_ns;
        watcher->behind_ns_most =
            behind_ns > watcher->behind_ns_most ? behind_ns : watcher->behind_ns_most;
        watcher->ticks++;
    }
    watcher->end = info->end;
}

static void update_watcher(feed_network *network, uint32_t index)
{
    feed_watcher *watcher = &network->watchers[index];
    const size_t before = watcher->receiver.count;
    watcher->status = bksi_feed_receiver_update(&watcher->receiver, network->net.now_ns);
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    size_t count;
    while ((count = bksi_feed_receiver_send(&watcher->receiver, &to, packet, network->net.now_ns)) >
           0) {
        require(to.length == 2 && to.bytes[0] == 7 && to.bytes[1] < NET_PEERS_MAX, "no member");
        put(network, watcher, to.bytes[1], true, packet, count);
    }
    if (watcher->receiver.count != before) {
        look(network, watcher);
    }
}

/// Note when the first source settles each tick.
static void note_settled(feed_network *network)
{
    const bks_session *session = net_session(&network->net, network->at);
    for (; network->settled < bksi_session_settled(session); network->settled++) {
        network->settled_ns[network->settled % 4096] = network->net.now_ns;
    }
}

static void update_source(feed_network *network, uint32_t at)
{
    feed_server *server = &network->servers[at];
    bks_peer *peer = network->net.peers[at].peer;
    bks_session *session = bks_peer_session(peer);
    if (!server->is_started && bks_peer_started(peer)) {
        server->is_started = true;
        bksi_feed_source_start(&server->source, bksi_peer_runner(peer));
    }
    bksi_feed_source_update(&server->source, session, bksi_peer_runner(peer), network->net.now_ns);
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    size_t count;
    while ((count = bksi_feed_source_send(&server->source, &to, packet, network->net.now_ns)) > 0) {
        require(to.length == 2 && to.bytes[1] > 0, "a packet to nowhere");
        feed_watcher *watcher = &network->watchers[to.bytes[1] - 1];
        watcher->bytes_to += count + BKSI_DATAGRAM_HEAD_BYTES;
        server->bytes_to += count + BKSI_DATAGRAM_HEAD_BYTES;
        put(network, watcher, at, false, packet, count);
    }
    // Otherwise a program would update again and again, and nothing would be sent.
    require(bksi_feed_source_wake(&server->source) > network->net.now_ns,
            "a source that has nothing to send is due");
}

void feed_run_until(feed_network *network, uint64_t until_ns)
{
    while (network->net.now_ns <= until_ns) {
        const uint64_t now_ns = network->net.now_ns;
        net_run_until(&network->net, now_ns);
        network->net.now_ns = now_ns;
        for (uint32_t i = 0; i < FEED_WATCHERS; i++) {
            feed_watcher *watcher = &network->watchers[i];
            if (watcher->is_there) {
                deliver(network, i);
            }
            if (watcher->is_there && !watcher->is_stopped && now_ns / NET_MS % 5 == i % 5) {
                update_watcher(network, i);
            }
        }
        note_settled(network);
        for (uint32_t i = 0; i < NET_PEERS_MAX; i++) {
            const feed_server *server = &network->servers[i];
            if (server->is_there && !server->is_cut && now_ns / NET_MS % 2 == 0) {
                update_source(network, i);
            }
        }
        network->net.now_ns = now_ns + NET_MS;
    }
}
