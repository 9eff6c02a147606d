// SPDX-License-Identifier: MIT

#include "peer/peer_network.h"

#include "game/some_game.h"

#define PACKETS_MAX 4096

/// In every build: the tests rest on it.
static void require(bool condition, const char *what)
{
    if (condition) {
        return;
    }
    (void)fprintf(stderr, "peer_network: %s\n", what);
    abort();
}

bks_status memory_sink_write(void *context, uint64_t offset, const void *bytes, size_t count)
{
    memory_sink *sink = context;
    if (sink->writes++ >= sink->fail_from) {
        return BKS_ERR_IO;
    }
    if (offset + count > sink->capacity) {
        sink->capacity = (size_t)(offset + count) * 2;
        sink->bytes = realloc(sink->bytes, sink->capacity);
        require(sink->bytes != NULL, "memory");
    }
    require(offset <= sink->count, "a gap in the recording");
    memcpy(sink->bytes + offset, bytes, count);
    sink->count = offset + count > sink->count ? (size_t)(offset + count) : sink->count;
    return BKS_OK;
}

uint64_t net_clock(void *context)
{
    net_peer *peer = context;
    peer->clock_ns += 3000;
    return peer->clock_ns;
}

bks_address net_address(uint32_t peer)
{
    return (bks_address){.length = 2, .bytes = {7, (uint8_t)peer}};
}

bks_session *net_session(const peer_network *network, uint32_t peer)
{
    return bks_peer_session(network->peers[peer].peer);
}

bks_peer_config net_config(peer_network *network, uint32_t index)
{
    net_peer *peer = &network->peers[index];
    bks_peer_config config = bks_peer_config_default();
    config.game = &some_game;
    memset(config.session.key, 5, sizeof(config.session.key));
    memset(config.session.identity, (int)index + 1, sizeof(config.session.identity));
    memset(config.session.entropy, (int)index + 101, sizeof(config.session.entropy));
    config.session.nonce = 100 + index;
    config.session.is_host = index == 0;
    config.session.host = net_address(0);
    config.session.first_player = index == 0 ? BKS_AUTO : index;
    config.session.players = network->peer_count;
    config.session.seed = 42;
    config.session.ticks = 300;
    config.record = (bks_sink){memory_sink_write, &peer->record};
    config.build = "test";
    config.sources[0] = bks_monkey_source(&peer->monkey);
    return config;
}

void net_create(peer_network *network, uint32_t peer_count,
                void (*tune)(bks_peer_config *config, uint32_t peer))
{
    memset(network, 0, sizeof(*network));
    network->peer_count = peer_count;
    network->delay_ns = 30 * NET_MS;
    network->random = 1;
    network->packets = calloc(PACKETS_MAX, sizeof(net_packet));
    require(network->packets != NULL, "memory");
    for (uint32_t i = 0; i < peer_count; i++) {
        net_peer *peer = &network->peers[i];
        peer->record.fail_from = UINT32_MAX;
        bks_status status = bks_monkey_init(&peer->monkey, some_fields, 2, 9, i, 1, 12, NULL);
        require(status == BKS_OK, bks_status_text(status));
        bks_peer_config config = net_config(network, i);
        if (tune != NULL) {
            tune(&config, i);
        }
        bks_error error = {0};
        status = bks_peer_create(&config, &peer->peer, &error);
        if (status != BKS_OK) {
            (void)fprintf(stderr, "peer %u: %s\n", i, error.text);
            abort();
        }
    }
}

void net_destroy(peer_network *network)
{
    for (uint32_t i = 0; i < network->peer_count; i++) {
        bks_peer_destroy(network->peers[i].peer);
        free(network->peers[i].record.bytes);
    }
    free(network->packets);
}

static uint32_t random_below(peer_network *network, uint32_t bound)
{
    network->random = network->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(network->random >> 33) % bound;
}

static void take_events(net_peer *peer)
{
    bks_event event;
    while (bks_session_event(bks_peer_session(peer->peer), &event)) {
        peer->events[event.kind]++;
        peer->last[event.kind] = event;
    }
}

static void deliver(peer_network *network)
{
    for (size_t i = 0; i < network->packet_count;) {
        net_packet packet = network->packets[i];
        if (packet.arrives_ns > network->now_ns) {
            i++;
            continue;
        }
        network->packets[i] = network->packets[--network->packet_count];
        if (packet.to >= network->peer_count || network->peers[packet.to].is_frozen) {
            continue;
        }
        bks_address from = net_address(packet.from);
        bks_status status = bks_peer_receive(network->peers[packet.to].peer, network->now_ns, &from,
                                             packet.bytes, packet.count);
        require(status == BKS_OK, bks_status_text(status));
        network->peers[packet.to].is_due = true;
    }
}

/// Keep what the update stepped with.
static void note_inputs(net_peer *peer)
{
    bks_session *session = bks_peer_session(peer->peer);
    peer->tick = bks_session_tick(session);
    peer->confirmed_before = peer->confirmed;
    peer->confirmed = bks_session_confirmed(session);
    peer->confirmed = peer->confirmed < peer->tick ? peer->confirmed : peer->tick;
    require(peer->tick - peer->confirmed < NET_NEWEST, "more guesses than a window");
    for (bks_tick t = peer->confirmed; t < peer->tick; t++) {
        bks_status status = bks_session_inputs(session, t, peer->newest[t - peer->confirmed]);
        require(status == BKS_OK, bks_status_text(status));
    }
}

static void update(peer_network *network, uint32_t index)
{
    net_peer *peer = &network->peers[index];
    peer->is_due = false;
    peer->status = bks_peer_update(peer->peer, network->now_ns);
    note_inputs(peer);
    take_events(peer);
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    bks_address to;
    size_t count;
    while ((count = bks_peer_send(peer->peer, &to, bytes, sizeof(bytes))) > 0) {
        if (random_below(network, 100) < network->loss_percent) {
            continue;
        }
        require(network->packet_count < PACKETS_MAX, "too many packets");
        net_packet *packet = &network->packets[network->packet_count++];
        *packet = (net_packet){.arrives_ns = network->now_ns + network->delay_ns,
                               .from = index,
                               .to = to.bytes[1],
                               .count = count};
        memcpy(packet->bytes, bytes, count);
    }
}

void net_run_until(peer_network *network, uint64_t now_ns)
{
    for (; network->now_ns <= now_ns; network->now_ns += NET_MS) {
        deliver(network);
        for (uint32_t i = 0; i < network->peer_count; i++) {
            net_peer *peer = &network->peers[i];
            if (!peer->is_frozen &&
                (peer->is_due || bks_peer_wake(peer->peer) <= network->now_ns)) {
                update(network, i);
            }
        }
    }
}

bool net_run_to_end(peer_network *network, uint64_t limit_ns)
{
    while (network->now_ns <= limit_ns) {
        net_run_until(network, network->now_ns + 20 * NET_MS);
        bool all = true;
        for (uint32_t i = 0; i < network->peer_count; i++) {
            all &= network->peers[i].status != BKS_OK;
        }
        if (all) {
            return true;
        }
    }
    return false;
}
