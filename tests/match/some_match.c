// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "match/some_match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void some_init(void *state, const bks_start *start)
{
    some_state *some = state;
    some->mixed = start->seed;
}

static void some_step(void *state, const bks_step *step)
{
    some_state *some = state;
    for (uint32_t player = 0; player < step->players; player++) {
        const some_input *input = bks_step_input(step, player);
        some->pushed[player] = input->x;
        some->sum[player] += input->x;
        some->mixed = (some->mixed ^ (uint64_t)(uint32_t)(input->x * 2 + input->y)) *
                      UINT64_C(0x9e3779b97f4a7c15);
    }
}

static const bks_field some_fields[] = {
    {.name = "x", .bits = 4, .is_signed = true},
    {.name = "y", .bits = 1},
};

const bks_game some_game = {.name = "some",
                            .version = 3,
                            .tick_rate_hz = 500,
                            .players_max = 2,
                            .fields = some_fields,
                            .field_count = 2,
                            .state_bytes = sizeof(some_state),
                            .init = some_init,
                            .step = some_step};

const bks_game some_later_game = {.name = "some",
                                  .version = 4,
                                  .tick_rate_hz = 500,
                                  .players_max = 2,
                                  .fields = some_fields,
                                  .field_count = 2,
                                  .state_bytes = sizeof(some_state),
                                  .init = some_init,
                                  .step = some_step};

bks_match_config some_config(void)
{
    bks_match_config config = bks_match_config_default();
    config.game = &some_game;
    config.bind_address = "127.0.0.1:0";
    config.record = false;
    return config;
}

bks_match *some_open(const bks_match_config *config)
{
    bks_match *match = NULL;
    bks_error error = {0};
    if (bks_match_open(config, &match, &error) != BKS_OK) {
        fail_msg("bks_match_open: %s", error.text);
    }
    return match;
}

uint64_t some_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 * SOME_MS + (uint64_t)now.tv_nsec;
}

static bks_status update(bks_match *match)
{
    return match != NULL ? bks_match_update(match) : BKS_OVER;
}

void some_play(bks_match *a, bks_match *b, uint64_t limit_ms, bks_status *status_a,
               bks_status *status_b)
{
    uint64_t end_ns = some_clock_ns() + limit_ms * SOME_MS;
    do {
        *status_a = update(a);
        *status_b = update(b);
        // Two matches in one thread: one is waited for, the other has its turn soon enough.
        assert_int_equal(bks_match_wait(b == NULL || *status_a == BKS_OK ? a : b), BKS_OK);
    } while ((*status_a == BKS_OK || *status_b == BKS_OK) && some_clock_ns() < end_ns);
}

void some_start(bks_match *a, bks_match *b)
{
    uint64_t end_ns = some_clock_ns() + 5000 * SOME_MS;
    while (!bks_match_started(a) || !bks_match_started(b)) {
        assert_true(some_clock_ns() < end_ns);
        assert_int_equal(bks_match_update(a), BKS_OK);
        assert_int_equal(bks_match_update(b), BKS_OK);
        assert_int_equal(bks_match_wait(a), BKS_OK);
    }
}

bool some_event(bks_match *match, bks_event_kind kind, bks_event *event)
{
    while (bks_match_event(match, event)) {
        if (event->kind == kind) {
            return true;
        }
    }
    return false;
}

uint64_t some_final_hash(bks_match *match, bks_tick *tick)
{
    const bks_session *session = bks_peer_session(bks_match_peer(match));
    uint64_t hash = 0;
    *tick = bks_session_published(session);
    assert_int_equal(bks_session_hash(session, *tick, &hash), BKS_OK);
    return hash;
}

static bks_status end_send(void *context, const bks_address *to, const void *bytes, size_t count)
{
    struct some_end *end = context;
    struct some_end *other = &end->wire->ends[1 - end->side];
    uint32_t room = sizeof(other->packets) / sizeof(other->packets[0]);
    assert_true(count >= 1 && count <= BKS_PACKET_BYTES_MAX);
    if (end->wire->is_cut || other->waiting == room || !bks_address_equal(to, &other->address)) {
        return BKS_OK;
    }
    struct some_packet *packet = &other->packets[(other->first + other->waiting) % room];
    packet->count = count;
    memcpy(packet->bytes, bytes, count);
    other->waiting++;
    return BKS_OK;
}

static size_t end_receive(void *context, bks_address *from, void *bytes, size_t capacity)
{
    struct some_end *end = context;
    if (end->waiting == 0) {
        return 0;
    }
    uint32_t room = sizeof(end->packets) / sizeof(end->packets[0]);
    const struct some_packet *packet = &end->packets[end->first];
    assert_true(packet->count <= capacity);
    *from = end->wire->ends[1 - end->side].address;
    memcpy(bytes, packet->bytes, packet->count);
    end->first = (end->first + 1) % room;
    end->waiting--;
    return packet->count;
}

void some_wire_init(some_wire *wire)
{
    memset(wire, 0, sizeof(*wire));
    for (uint32_t side = 0; side < 2; side++) {
        wire->ends[side].wire = wire;
        wire->ends[side].side = side;
        wire->ends[side].address = (bks_address){.length = 3, .bytes = {'e', 'n', (uint8_t)side}};
    }
}

bks_transport some_wire_end(some_wire *wire, uint32_t side)
{
    return (bks_transport){.send = end_send, .receive = end_receive, .context = &wire->ends[side]};
}
