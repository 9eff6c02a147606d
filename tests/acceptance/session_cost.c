// SPDX-License-Identifier: MIT

// Sessions alone, without a game, files or sockets, for session_cost.py to count their
// instructions:
//
//     session_cost PEERS TICKS
//
// Each peer has one player, whose 22 fields (those of `pad`) a monkey holds for 15 to 90 ticks.
// Between them lies a network of virtual time: 50 ms each way, 2 % packets are lost. The state is
// one number. It prints the ticks that all peers stepped, those again, and the packets.

#include <backstitch/session.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pad/pad.h"

enum { PEERS_MAX = 4, PACKETS_MAX = 1024, LOST_OF_100 = 2 };

#define MS_NS    UINT64_C(1000000)
#define DELAY_NS (50 * MS_NS)
#define END_NS   (120000 * MS_NS)

static void need(bool is_so, const char *what)
{
    if (!is_so) {
        (void)fprintf(stderr, "session_cost: %s\n", what);
        exit(1);
    }
}

// ---- the network ----

typedef struct flying_packet {
    uint64_t arrives_ns; ///< 0: this place is free
    uint8_t from, to;
    size_t count;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
} flying_packet;

static flying_packet network[PACKETS_MAX];
static uint64_t packets_sent;

static uint32_t chance(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33);
}

static void network_send(uint8_t from, uint8_t to, const void *bytes, size_t count, uint64_t now_ns)
{
    packets_sent++;
    if (chance() % 100 < LOST_OF_100) {
        return;
    }
    for (int i = 0; i < PACKETS_MAX; i++) {
        flying_packet *packet = &network[i];
        if (packet->arrives_ns == 0) {
            *packet = (flying_packet){
                .arrives_ns = now_ns + DELAY_NS, .from = from, .to = to, .count = count};
            memcpy(packet->bytes, bytes, count);
            return;
        }
    }
    need(false, "too many packets are under way");
}

// ---- a machine ----

typedef struct machine {
    uint8_t number;
    bks_session *session;
    bks_monkey monkey;
    uint64_t state;
    uint64_t snapshots[BKS_SLOTS_MAX];
    uint64_t steps;   ///< resimulated ones too
    uint64_t wake_ns; ///< when the next update has something to do
} machine;

static bks_address address_of(uint8_t number)
{
    return (bks_address){.length = 1, .bytes = {number}};
}

static void machine_create(machine *m, uint8_t number, uint32_t peers, bks_tick ticks)
{
    bks_session_config config = bks_session_config_default();
    config.game_name = "pad";
    config.fields = pad_game.fields;
    config.field_count = pad_game.field_count;
    config.is_host = number == 0;
    config.host = address_of(0);
    config.players = peers;
    config.nonce = number;
    memset(config.key, 1, sizeof(config.key));
    memset(config.identity, 10 + number, sizeof(config.identity));
    memset(config.entropy, 20 + number, sizeof(config.entropy));
    config.ticks = ticks;
    m->number = number;
    need(bks_session_create(&config, &m->session, NULL) == BKS_OK, "no session");
    need(bks_monkey_init(&m->monkey, pad_game.fields, pad_game.field_count, 1, number, 15, 90,
                         NULL) == BKS_OK,
         "no monkey");
}

static void carry_out(machine *m, const bks_op *op)
{
    bks_op_result result = {0};
    int32_t input[BKS_FIELDS_MAX] = {0};
    if (op->kind == BKS_OP_SAMPLE) {
        const bks_source source = bks_monkey_source(&m->monkey);
        const bks_sample wanted = {
            .tick = op->tick, .player = op->player, .field_count = pad_game.field_count};
        source.sample(source.context, &wanted, input);
        result.input = input;
    } else if (op->kind == BKS_OP_SAVE) {
        m->snapshots[op->slot] = m->state;
    } else if (op->kind == BKS_OP_LOAD) {
        m->state = m->snapshots[op->slot];
    } else if (op->kind == BKS_OP_STEP) {
        for (uint32_t i = 0; i < op->players * pad_game.field_count; i++) {
            m->state = (m->state ^ (uint32_t)op->inputs[i]) * UINT64_C(0x100000001b3);
        }
        m->steps++;
    } else if (op->kind == BKS_OP_HASH) {
        result.hash = m->state;
        result.is_kept = op->keep != BKS_KEEP_NONE;
    }
    need(bks_session_done(m->session, op, &result) == BKS_OK, "an operation is refused");
}

static bool receive_all(machine *m, uint64_t now_ns)
{
    bool did_come = false;
    for (int i = 0; i < PACKETS_MAX; i++) {
        flying_packet *packet = &network[i];
        if (packet->arrives_ns != 0 && packet->arrives_ns <= now_ns && packet->to == m->number) {
            const bks_address from = address_of(packet->from);
            (void)bks_session_receive(m->session, now_ns, &from, packet->bytes, packet->count);
            packet->arrives_ns = 0;
            did_come = true;
        }
    }
    return did_come;
}

static void machine_update(machine *m, uint64_t now_ns)
{
    if (!receive_all(m, now_ns) && now_ns < m->wake_ns) {
        return;
    }
    need(bks_session_update(m->session, now_ns) == BKS_OK, "an update is refused");
    bks_op op;
    while (bks_session_next(m->session, &op)) {
        carry_out(m, &op);
    }
    bks_address to;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    size_t count = 0;
    while ((count = bks_session_send(m->session, &to, bytes, sizeof(bytes))) > 0) {
        network_send(m->number, to.bytes[0], bytes, count, now_ns);
    }
    m->wake_ns = bks_session_wake(m->session);
}

int main(int argc, char **argv)
{
    need(argc == 3, "usage: session_cost PEERS TICKS");
    const uint32_t peers = (uint32_t)strtoul(argv[1], NULL, 10);
    const bks_tick ticks = (bks_tick)strtol(argv[2], NULL, 10);
    need(peers >= 2 && peers <= PEERS_MAX, "2..4 peers");
    static machine machines[PEERS_MAX];
    for (uint8_t i = 0; i < peers; i++) {
        machine_create(&machines[i], i, peers, ticks);
    }
    for (uint64_t now_ns = MS_NS; now_ns < END_NS && bks_session_tick(machines[0].session) < ticks;
         now_ns += MS_NS) {
        for (uint32_t i = 0; i < peers; i++) {
            machine_update(&machines[i], now_ns);
        }
    }
    uint64_t steps = 0;
    uint64_t forward = 0;
    for (uint32_t i = 0; i < peers; i++) {
        steps += machines[i].steps;
        forward += (uint64_t)bks_session_tick(machines[i].session);
        bks_session_destroy(machines[i].session);
    }
    need(forward + 8 * peers >= (uint64_t)ticks * peers, "the match did not get to its end");
    (void)printf("%llu %llu %llu\n", (unsigned long long)forward,
                 (unsigned long long)(steps - forward), (unsigned long long)packets_sent);
    return 0;
}
