// SPDX-License-Identifier: MIT

#include "session/toy_network.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/inspect.h"

static const bks_field toy_fields[] = {
    {.name = "move", .bits = 9, .is_signed = true},
    {.name = "jump", .bits = 1},
};

static uint64_t mix(uint64_t value)
{
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdull;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53ull;
    return value ^ (value >> 33);
}

uint32_t toy_random(toy_network *network, uint32_t bound)
{
    network->random += 0x9e3779b97f4a7c15ull;
    return (uint32_t)(mix(network->random) % bound);
}

int32_t toy_input(uint32_t player, bks_tick tick, uint32_t hold_ticks)
{
    return (int32_t)(mix(player * 7919u + (uint64_t)tick / hold_ticks) % 511) - 255;
}

static uint64_t toy_step(uint64_t state, const int32_t *inputs, uint32_t players)
{
    for (uint32_t p = 0; p < players; p++) {
        state = mix(state * 31 + (uint64_t)(uint32_t)inputs[p * 2] * 2 +
                    (uint64_t)(uint32_t)inputs[p * 2 + 1]);
    }
    return state;
}

uint64_t toy_straight_run_from(uint32_t players, bks_tick first, bks_tick until,
                               uint32_t hold_ticks, const bks_tick *ends)
{
    uint64_t state = 1;
    for (bks_tick t = first; t < until; t++) {
        int32_t inputs[BKS_PLAYERS_MAX * 2];
        for (uint32_t p = 0; p < players; p++) {
            bool has_ended = ends != NULL && ends[p] != BKS_TICK_NONE && t >= ends[p];
            inputs[p * 2] = has_ended ? 0 : toy_input(p, t, hold_ticks);
            inputs[p * 2 + 1] = inputs[p * 2] & 1;
        }
        state = toy_step(state, inputs, players);
    }
    return state;
}

uint64_t toy_straight_run_ending(uint32_t players, bks_tick ticks, uint32_t hold_ticks,
                                 const bks_tick *ends)
{
    return toy_straight_run_from(players, 0, ticks, hold_ticks, ends);
}

uint64_t toy_straight_run(uint32_t players, bks_tick ticks, uint32_t hold_ticks)
{
    return toy_straight_run_ending(players, ticks, hold_ticks, NULL);
}

bks_address toy_address(uint32_t peer)
{
    bks_address address = {.length = 1, .bytes = {(uint8_t)(peer + 1)}};
    return address;
}

bks_session_config toy_config(uint32_t peer, uint32_t peer_count)
{
    bks_session_config config = bks_session_config_default();
    config.game_name = "toy";
    config.game_version = 1;
    config.fields = toy_fields;
    config.field_count = 2;
    memset(config.key, 77, sizeof(config.key));
    memset(config.identity, (int)peer + 1, sizeof(config.identity));
    memset(config.entropy, (int)peer + 101, sizeof(config.entropy));
    config.nonce = 1000 + peer;
    config.is_host = peer == 0;
    config.host = toy_address(0);
    config.first_player = peer == 0 ? BKS_AUTO : peer;
    config.players = peer_count;
    config.ticks = 600;
    config.tuning.delay_ticks = 0;
    return config;
}

/// Sessions number a peer that asks for a seat as we do, the first of those that ask for the same.
static void number_as_ours(toy_network *network, uint32_t first_player, uint32_t number)
{
    if (first_player < BKS_PLAYERS_MAX && (network->numbered >> first_player & 1) == 0) {
        network->numbered |= 1u << first_player;
        bksi_inspect_reserve(network->peers[0].session, first_player, number);
    }
}

void toy_create(toy_network *network, uint32_t peer_count, uint64_t seed,
                void (*tune)(bks_session_config *config, uint32_t peer))
{
    memset(network, 0, sizeof(*network));
    network->peer_count = peer_count;
    network->random = seed;
    network->delay_ns = 50 * TOY_MS;
    network->hold_input_ticks = 4;
    network->packets = calloc(TOY_PACKETS_MAX, sizeof(toy_packet));
    assert(network->packets != NULL);
    for (uint32_t i = 0; i < peer_count; i++) {
        bks_session_config config = toy_config(i, peer_count);
        if (tune != NULL) {
            tune(&config, i);
        }
        toy_peer *peer = &network->peers[i];
        network->first_tick = i == 0 ? config.first_tick : network->first_tick;
        peer->seen = network->first_tick;
        peer->flip_tick = BKS_TICK_NONE;
        bks_error error;
        if (bks_session_create(&config, &peer->session, &error) != BKS_OK) {
            abort();
        }
        number_as_ours(network, config.first_player, i);
    }
}

void toy_destroy(toy_network *network)
{
    for (uint32_t i = 0; i < network->peer_count; i++) {
        bks_session_destroy(network->peers[i].session);
    }
    free(network->packets);
}

/// Return true if a narrow link has no room left.
static bool is_full(toy_network *network, uint32_t from, uint32_t to)
{
    toy_peer *peer = &network->peers[from];
    bool is_first = to < TOY_PEERS_MAX && (peer->sent_to >> to & 1) == 0;
    if (to >= TOY_PEERS_MAX || (network->narrow[from] >> to & 1) == 0) {
        return false;
    }
    peer->sent_to |= 1u << to;
    peer->updates[to] += is_first ? 1 : 0;
    return !is_first || peer->updates[to] % network->narrow_every != 0;
}

/// Return true if a packet gets lost because of its contents.
static bool is_lost(const toy_network *network, uint32_t from, uint32_t to, const uint8_t *bytes,
                    size_t count)
{
    return (network->lost_types[from] >> (bytes[0] >> 4) & 1) != 0 ||
           (network->loses != NULL && to < network->peer_count &&
            network->loses(network, from, to, bytes, count));
}

static void post(toy_network *network, uint32_t from, uint32_t to, const uint8_t *bytes,
                 size_t count)
{
    if (is_full(network, from, to)) {
        return;
    }
    if (toy_random(network, 100) < network->loss_percent ||
        is_lost(network, from, to, bytes, count)) {
        return;
    }
    uint32_t copies = toy_random(network, 100) < network->duplicate_percent ? 2 : 1;
    for (uint32_t i = 0; i < copies; i++) {
        assert(network->packet_count < TOY_PACKETS_MAX);
        toy_packet *packet = &network->packets[network->packet_count++];
        uint64_t jitter =
            network->jitter_ns == 0 ? 0 : toy_random(network, (uint32_t)(2 * network->jitter_ns));
        uint64_t busy_ns = network->peers[from].busy_until_ns;
        uint64_t leaves_ns = busy_ns > network->now_ns ? busy_ns : network->now_ns;
        const uint64_t far_ns =
            network->far_ns[from] + (to < TOY_PEERS_MAX ? network->far_ns[to] : 0);
        packet->arrives_ns = leaves_ns + network->delay_ns + jitter + far_ns;
        packet->serial = network->serial++;
        packet->from = from;
        packet->to = to;
        packet->count = count;
        memcpy(packet->bytes, bytes, count);
        if (toy_random(network, 100) < network->corrupt_percent) {
            packet->bytes[toy_random(network, (uint32_t)count)] ^=
                (uint8_t)(1u << toy_random(network, 8));
        }
    }
}

static void note_final_hashes(toy_peer *peer)
{
    while (peer->seen <= bks_session_published(peer->session) && peer->seen < TOY_TICKS_MAX) {
        if (bks_session_hash(peer->session, peer->seen, &peer->published[peer->seen]) != BKS_OK) {
            peer->published[peer->seen] = 0;
        }
        peer->seen++;
    }
}

/// Convert a moment of the network's clock to a peer's own clock; or the other way round.
static uint64_t own_time(const toy_peer *peer, uint64_t now_ns)
{
    return (uint64_t)((double)now_ns * (1.0 + peer->drift_ppm / 1e6));
}

static uint64_t network_time(const toy_peer *peer, uint64_t own_ns)
{
    if (own_ns == UINT64_MAX || peer->drift_ppm == 0) {
        return own_ns;
    }
    return (uint64_t)((double)own_ns / (1.0 + peer->drift_ppm / 1e6)) + 2;
}

static void take_events(toy_peer *peer)
{
    bks_event event;
    while (bks_session_event(peer->session, &event)) {
        peer->events[event.kind]++;
        peer->last[event.kind] = event;
        peer->desynced_from |= event.kind == BKS_EVENT_DESYNC ? 1u << event.peer : 0;
    }
}

/// A state is 8 bytes, its hash those.
static void look_up(toy_peer *peer, const bks_op *op, bks_op_result *result)
{
    static uint32_t parts[4 * 64];
    static uint8_t blocks[12 * 64];
    static char values[2][32];
    const uint64_t state = peer->kept[op->keep];
    memset(parts, 0, sizeof(parts));
    memset(blocks, 0, sizeof(blocks));
    peer->look_ops++;
    if (peer->kept_ticks[op->keep] != op->tick) {
        abort();
    }
    parts[0] = (uint32_t)(state ^ state >> 32);
    memcpy(blocks, &state, sizeof(state));
    blocks[1] ^= peer->lies ? 1 : 0;
    result->state_bytes = sizeof(state);
    result->parts = parts;
    result->bytes = blocks;
    if (op->kind == BKS_OP_NAME) {
        uint64_t other = 0;
        memcpy(&other, op->look->bytes, sizeof(other));
        result->is_same = other == state;
        (void)snprintf(values[0], sizeof(values[0]), "%016llx", (unsigned long long)state);
        (void)snprintf(values[1], sizeof(values[1]), "%016llx", (unsigned long long)other);
        result->object = "toy";
        result->field = "state";
        result->own_value = values[0];
        result->peer_value = values[1];
    }
}

static void hash(toy_peer *peer, const bks_op *op, bks_op_result *result)
{
    result->hash = peer->state;
    result->is_kept = op->keep != BKS_KEEP_NONE;
    if (result->is_kept) {
        peer->kept[op->keep] = peer->state;
        peer->kept_ticks[op->keep] = op->tick;
    }
}

/// Check a kept state as if another peer had sent it: a refused one has 0 bytes.
static void check(const toy_peer *peer, const bks_op *op, bks_op_result *result)
{
    if (peer->kept_ticks[op->keep] != op->tick) {
        abort();
    }
    const uint64_t kept = peer->kept[op->keep];
    result->state_bytes =
        peer->refuses == NULL || !peer->refuses(op->tick, kept) ? sizeof(kept) : 0;
}

/// Bytes of another peer come into a kept state, and it becomes the present one.
static void mend(toy_peer *peer, const bks_op *op, bks_op_result *result)
{
    uint64_t *kept = &peer->kept[op->keep];
    if (peer->kept_ticks[op->keep] != op->tick) {
        abort();
    }
    if (op->kind == BKS_OP_WRITE) {
        peer->write_ops++;
        if (op->look->count > 0 && op->look->firsts[0] == 0) {
            memcpy(kept, op->look->bytes, sizeof(*kept));
        }
        result->state_bytes = sizeof(*kept);
    } else if (*kept == op->look->hash &&
               (peer->refuses == NULL || !peer->refuses(op->tick, *kept))) {
        peer->restore_ops++;
        peer->state = *kept;
        result->state_bytes = sizeof(*kept);
    }
}

static void carry_out(toy_network *network, toy_peer *peer, const bks_op *op)
{
    bks_op_result result = {0};
    int32_t input[BKS_FIELDS_MAX] = {0};
    result.problem = peer->fails != NULL ? peer->fails(peer, op) : NULL;
    if (result.problem != NULL) {
        if (bks_session_done(peer->session, op, &result) != BKS_OK) {
            abort();
        }
        return;
    }
    switch (op->kind) {
    case BKS_OP_START:
        peer->state = 1 + peer->skew;
        result.slots = network->slots;
        result.problem = peer->problem;
        break;
    case BKS_OP_SAMPLE:
        input[0] = toy_input(op->player, op->tick, network->hold_input_ticks);
        input[1] = input[0] & 1;
        if (network->sample != NULL) {
            network->sample(op->player, op->tick, input);
        }
        result.input = input;
        peer->sample_count[op->tick]++;
        break;
    case BKS_OP_SAVE:
        peer->slots[op->slot] = peer->state;
        peer->slot_most = op->slot > peer->slot_most ? op->slot : peer->slot_most;
        peer->slot_ticks[op->slot] = op->tick;
        peer->save_ops++;
        break;
    case BKS_OP_LOAD: {
        bks_tick distance = bks_session_tick(peer->session) - op->tick;
        peer->oldest_load = distance > peer->oldest_load ? distance : peer->oldest_load;
        peer->state = peer->slots[op->slot];
        peer->wrong_loads += peer->slot_ticks[op->slot] != op->tick;
        peer->load_ops++;
        break;
    }
    case BKS_OP_STEP: {
        bks_roster roster;
        (void)bks_session_roster(peer->session, &roster);
        peer->state = network->step != NULL
                          ? network->step(peer->state, op->tick, op->inputs, roster.players)
                          : toy_step(peer->state, op->inputs, roster.players);
        peer->stepped[op->tick] = peer->state;
        peer->step_count[op->tick]++;
        peer->step_ops++;
        if (op->tick + 1 == peer->flip_tick) {
            peer->state ^= 1;
        }
        break;
    }
    case BKS_OP_HASH:
        hash(peer, op, &result);
        break;
    case BKS_OP_RANGES:
        result.hashes = peer->ranges;
        result.hash_count = peer->range_count;
        break;
    case BKS_OP_PARTS:
    case BKS_OP_READ:
    case BKS_OP_NAME:
        look_up(peer, op, &result);
        break;
    case BKS_OP_WRITE:
    case BKS_OP_RESTORE:
        mend(peer, op, &result);
        break;
    case BKS_OP_CHECK:
        check(peer, op, &result);
        break;
    case BKS_OP_PREDICT:
        peer->predict_ops++;
        if (network->predict != NULL) {
            network->predict(network, peer, op, input);
        }
        result.input = network->predict != NULL ? input : NULL;
        break;
    }
    if (network->cost_ns != NULL) {
        result.cost_ns = network->cost_ns(network, peer, op->kind);
    }
    peer->work_ns += result.cost_ns;
    if (bks_session_done(peer->session, op, &result) != BKS_OK) {
        abort();
    }
}

/// The peer that has an address now; there may be none.
static uint32_t peer_at(const toy_network *network, uint32_t number)
{
    for (uint32_t i = 0; i < network->peer_count; i++) {
        if (i + network->peers[i].moved == number) {
            return i;
        }
    }
    return UINT32_MAX;
}

static void update(toy_network *network, uint32_t index)
{
    toy_peer *peer = &network->peers[index];
    if (bks_session_update(peer->session, own_time(peer, network->now_ns)) != BKS_OK) {
        abort();
    }
    bks_op op;
    peer->work_ns = 0;
    while (bks_session_next(peer->session, &op)) {
        carry_out(network, peer, &op);
    }
    peer->work_ns_max = peer->work_ns > peer->work_ns_max ? peer->work_ns : peer->work_ns_max;
    if (network->costs_take_time) {
        peer->busy_until_ns = network->now_ns + peer->work_ns;
    }
    note_final_hashes(peer);
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    bks_address to;
    size_t count;
    peer->sent_to = 0;
    if (network->before_sending != NULL) {
        network->before_sending(network, peer);
    }
    while ((count = bks_session_send(peer->session, &to, bytes, sizeof(bytes))) > 0) {
        peer->packets_sent++;
        post(network, index, peer_at(network, (uint32_t)to.bytes[0] - 1), bytes, count);
    }
    take_events(peer);
}

static void deliver(toy_network *network, size_t place)
{
    toy_packet packet = network->packets[place];
    network->packets[place] = network->packets[--network->packet_count];
    if (packet.to >= network->peer_count || network->is_cut ||
        (network->cut[packet.from] >> packet.to & 1) != 0 || network->peers[packet.to].is_frozen) {
        return;
    }
    bks_address from = toy_address(packet.from + network->peers[packet.from].moved);
    const toy_peer *peer = &network->peers[packet.to];
    if (bks_session_receive(peer->session, own_time(peer, network->now_ns), &from, packet.bytes,
                            packet.count) != BKS_OK) {
        abort();
    }
    take_events(&network->peers[packet.to]);
}

/// Packets for a busy peer wait in its socket.
static uint64_t arrival(const toy_network *network, const toy_packet *packet)
{
    uint64_t busy_ns =
        packet->to < network->peer_count ? network->peers[packet->to].busy_until_ns : 0;
    return packet->arrives_ns > busy_ns ? packet->arrives_ns : busy_ns;
}

/// The earliest packet to a running peer; ties by serial.
static size_t earliest_packet(const toy_network *network)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < network->packet_count; i++) {
        const toy_packet *packet = &network->packets[i];
        if (packet->to < network->peer_count && network->peers[packet->to].is_stopped) {
            continue;
        }
        uint64_t time = arrival(network, packet);
        uint64_t best_time = best == SIZE_MAX ? 0 : arrival(network, &network->packets[best]);
        if (best == SIZE_MAX || time < best_time ||
            (time == best_time && packet->serial < network->packets[best].serial)) {
            best = i;
        }
    }
    return best;
}

/// One event of the network; false when there is none until `until_ns`.
static bool advance(toy_network *network, uint64_t until_ns)
{
    size_t packet = earliest_packet(network);
    uint64_t packet_ns =
        packet == SIZE_MAX ? UINT64_MAX : arrival(network, &network->packets[packet]);
    uint32_t waking = 0;
    uint64_t wake_ns = UINT64_MAX;
    for (uint32_t i = 0; i < network->peer_count; i++) {
        // Late packets come now, before the update, as from a socket.
        uint64_t wake =
            network->peers[i].is_frozen || network->peers[i].is_stopped
                ? UINT64_MAX
                : network_time(&network->peers[i], bks_session_wake(network->peers[i].session));
        wake = wake > network->now_ns ? wake : network->now_ns;
        wake = wake > network->peers[i].busy_until_ns ? wake : network->peers[i].busy_until_ns;
        if (wake < wake_ns) {
            wake_ns = wake;
            waking = i;
        }
    }
    packet_ns = packet_ns > network->now_ns ? packet_ns : network->now_ns;
    uint64_t next_ns = packet_ns <= wake_ns ? packet_ns : wake_ns;
    if (next_ns > until_ns) {
        return false;
    }
    network->now_ns = next_ns;
    if (packet_ns <= wake_ns) {
        deliver(network, packet);
    } else {
        update(network, waking);
    }
    return true;
}

void toy_cut(toy_network *network, uint32_t a, uint32_t b, bool is_cut)
{
    network->cut[a] = is_cut ? network->cut[a] | 1u << b : network->cut[a] & ~(1u << b);
    network->cut[b] = is_cut ? network->cut[b] | 1u << a : network->cut[b] & ~(1u << a);
}

void toy_run_until(toy_network *network, uint64_t now_ns)
{
    while (advance(network, now_ns)) {
    }
    network->now_ns = now_ns;
}

bool toy_run_to_end(toy_network *network, uint64_t limit_ns)
{
    for (;;) {
        bool all_ended = true;
        for (uint32_t i = 0; i < network->peer_count; i++) {
            all_ended &= bks_session_phase(network->peers[i].session) == BKS_PHASE_ENDED;
        }
        if (all_ended) {
            return true;
        }
        if (!advance(network, limit_ns)) {
            return false;
        }
    }
}
