// SPDX-License-Identifier: MIT

#include "match_model.h"

#include <string.h>

#define STEP_NS (MODEL_MS / 4)

#define ECHO_BYTES 6.0

/// Contents of a packet.
typedef struct message {
    uint64_t number;
    int64_t first;
    int64_t head;
    int64_t need;
    bool has_echo;
    bksi_line_echo echo;
} message;

match_model_config match_model_default(void)
{
    return (match_model_config){
        .hz = 60.0, .window_ticks = 20, .packet_bytes = 24.0, .input_bytes = 1.1, .follows = true};
}

void match_model_init(match_model *match, const match_model_config *config)
{
    match->config = *config;
    match->now_ns = MODEL_SECOND;
    match->trips_ns = 0.0;
    match->trips = 0;
    for (int i = 0; i < 2; i++) {
        model_peer *peer = &match->peers[i];
        memset(peer, 0, sizeof(*peer));
        bksi_line_init(&peer->line);
        bksi_line_rate_config rate =
            bksi_line_match_config(config->hz < 120.0 ? config->hz : 120, 0.0);
        rate.first = config->first > 0.0 ? config->first : rate.first;
        bksi_line_rate_init(&peer->rate, &rate, match->now_ns);
        peer->due_ns = (double)match->now_ns + i * 3.0e6;
    }
}

static void send(match_model *match, int self)
{
    model_peer *peer = &match->peers[self];
    uint64_t now_ns = match->now_ns;
    message m = {.number = peer->number++, .first = peer->other_has, .head = peer->tick};
    m.need = peer->has;
    uint64_t trip_ns = bksi_line_round_trip_ns(&peer->line) + 60 * MODEL_MS;
    if (match->config.follows && bksi_line_rate_is_sparing(&peer->rate) &&
        now_ns - peer->began_ns < trip_ns) {
        m.first = m.first > peer->sent_heads[1] ? m.first : peer->sent_heads[1];
    } else {
        peer->began_ns = now_ns;
    }
    peer->sent_heads[1] = peer->sent_heads[0];
    peer->sent_heads[0] = m.head;
    bksi_link *link = &peer->link;
    m.has_echo = bksi_link_owes_echo(link, now_ns);
    if (m.has_echo) {
        (void)bksi_link_echo(link, now_ns);
        // The two have clocks of their own.
        m.echo = (bksi_line_echo){
            .number = link->newest_number,
            .stamp = bksi_line_stamp(link->newest.came_ns + (uint64_t)self * 12345678901),
            .came = (uint8_t)link->received,
            .hold_ns = now_ns - link->newest.came_ns};
    }
    double bytes = match->config.packet_bytes + (m.has_echo ? ECHO_BYTES : 0.0) +
                   match->config.input_bytes * (double)(m.head - m.first);
    bytes = bytes > 1200.0 ? 1200.0 : bytes;
    size_t wire_bytes = (size_t)bytes + MODEL_HEADER_BYTES;
    bksi_line_sent(&peer->line, m.number, wire_bytes, 0, now_ns);
    bksi_line_rate_sent(&peer->rate, wire_bytes, now_ns);
    peer->packets++;
    queue_model_send(&match->ways[self], &m, sizeof(m), wire_bytes, now_ns);
}

static void take(match_model *match, int self, const message *m)
{
    model_peer *peer = &match->peers[self];
    bksi_link_received(&peer->link, m->number, m->number == 0, 0, match->now_ns);
    if (m->first <= peer->has && m->head > peer->has) {
        peer->has = m->head;
    }
    peer->other_has = m->need > peer->other_has ? m->need : peer->other_has;
    if (m->has_echo) {
        bksi_line_echoed(&peer->line, &m->echo, match->now_ns);
        match->trips_ns += self == 0 ? peer->line.newest_round_trip_ns : 0.0;
        match->trips += self == 0;
    }
}

static void receive(match_model *match, int self)
{
    uint8_t body[MODEL_PACKET_BYTES];
    while (queue_model_receive(&match->ways[1 - self], body, match->now_ns) > 0) {
        message m;
        memcpy(&m, body, sizeof(m));
        take(match, self, &m);
    }
}

static void update(match_model *match, int self)
{
    model_peer *peer = &match->peers[self];
    double now_ns = (double)match->now_ns;
    bool is_due = now_ns >= peer->due_ns;
    if (is_due && peer->tick < peer->has + (int64_t)match->config.window_ticks) {
        peer->tick++;
        peer->due_ns += 1.0e9 / match->config.hz;
    } else if (is_due) {
        // A tick that could not be stepped delays all after it.
        peer->starved_ticks++;
        peer->due_ns = now_ns + 1.0e9 / match->config.hz / 4.0;
    }
    bksi_line_rate_update(&peer->rate, &peer->line, match->now_ns);
    if (is_due &&
        (!match->config.follows || match->now_ns >= bksi_line_rate_next_ns(&peer->rate))) {
        send(match, self);
    }
}

void match_model_play(match_model *match, double seconds)
{
    uint64_t end_ns = match->now_ns + (uint64_t)(seconds * 1.0e9);
    for (; match->now_ns < end_ns; match->now_ns += STEP_NS) {
        for (int i = 0; i < 2; i++) {
            receive(match, i);
            update(match, i);
        }
    }
}

double match_model_slower(const match_model *match, int64_t from_tick, double seconds)
{
    double wanted = seconds * match->config.hz;
    double had = (double)(match->peers[0].tick - from_tick);
    return wanted / had - 1.0;
}
