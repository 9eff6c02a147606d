// SPDX-License-Identifier: MIT

// One of four in the lobby lies, in all messages that there are, to all others; then it leaves or
// falls silent, and another guest gets its seat. What is left must play, be what was sampled, and
// blame no other. Or the host lies: then no guest breaks, and few packets go to strangers.
//
//     session_test_lobby_liar [SEED]

#include <string.h>

#include "session/inside.h"
#include "session/lobby/lobby_messages.h"
#include "session/one_network.h"
#include "support/seed.h"
#include "wire/carried.h"
#include "wire/join.h"
#include "wire/packet.h"
#include "wire/roster.h"
#include "wire/small_messages.h"
#include "wire/view_messages.h"

#define HEIR    4u
#define DROP_MS 1500u
#define RUNS    seed_rounds(400)

static uint32_t liar;
static uint32_t said[16];

static void tune(bks_session_config *config, uint32_t peer)
{
    config->players = 4;
    config->first_player = peer == 0 ? (uint32_t)BKS_AUTO : peer < HEIR ? peer : liar;
    config->ticks = 0;
    config->tuning.notify_after_ms = 500;
    config->tuning.drop_after_ms = DROP_MS;
    config->tuning.bulk_bytes = 4096;
}

static uint32_t some(uint32_t usual)
{
    static const uint32_t odd[] = {0, 1, 2, 63, 64, 4095, 4096, INT32_MAX, UINT32_MAX};
    return seed_below(3) == 0 ? odd[seed_below(9)] : seed_below(usual + 1);
}

static size_t lie_join(uint8_t *body)
{
    const bks_session *from = session_of(liar);
    bksi_join join = {.compat = from->common.compat,
                      .nonce = from->common.config.nonce + seed_below(2),
                      .local_players = 1 + seed_below(3),
                      .first_player = seed_below(2) == 0 ? -1 : (int32_t)seed_below(4),
                      .start_hash = 1};
    join.ready = seed_below(3);
    join.parts.count = join.ready == BKSI_EXPLAINS ? seed_below(BKSI_PARTS_MAX + 1) : 0;
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_join_write(&writer, &join);
    return writer.at;
}

static size_t lie_refuse(uint8_t *body)
{
    bksi_refuse refuse = {.reason = BKSI_REFUSED_START,
                          .nonce = session_of(liar)->common.config.nonce + seed_below(2),
                          .compat = session_of(liar)->common.compat,
                          .seats_free = seed_below(17),
                          .text = "no"};
    if (liar == 0) {
        refuse.reason = 1 + seed_below(12);
        refuse.nonce = 1000 + seed_below(6);
        refuse.text[0] = refuse.reason == BKSI_REFUSED_START ? 'n' : '\0';
        refuse.difference.peers = refuse.reason == BKSI_REFUSED_UNEQUAL ? 2u << seed_below(7) : 0;
    }
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_refuse_write(&writer, &refuse);
    return writer.at;
}

/// The one that it would say, with something else in it.
static size_t lie_roster(uint32_t to, uint8_t *body)
{
    const bks_session *host = session_of(0);
    const session_seats *seats = &session_of(to)->common.seats;
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    const uint32_t self = seats->players > 0 ? seats->self : to < HEIR ? to : liar;
    static bksi_roster_message roster;
    bksi_lobby_write_roster(&host->common, &host->lobby.start, network.now_ns,
                            host->lobby.outbox.change + seed_below(4), self, &writer);
    bksi_byte_reader reader = bksi_byte_reader_over(body, writer.at);
    if (!bksi_roster_read(&reader, &roster)) {
        return writer.at;
    }
    for (uint32_t n = seed_below(4); n > 0; n--) {
        bksi_roster_peer *peer = &roster.peers[seed_below(8)];
        switch (seed_below(12)) {
        case 0:
            roster.stage = (bksi_roster_stage)seed_below(4);
            break;
        case 1:
            roster.members |= 1u << seed_below(8);
            break;
        case 2:
            roster.members &= ~(1u << seed_below(8));
            break;
        case 3:
            roster.players = 1 + seed_below(16);
            break;
        case 4:
            roster.first_tick = (bks_tick)some(1000);
            break;
        case 5:
            roster.ticks = (bks_tick)some(1000);
            break;
        case 6:
            roster.hash_every_ticks = 1 + seed_below(1000);
            break;
        case 7:
            memcpy(peer->identity, roster.peers[seed_below(8)].identity, 16);
            break;
        case 8:
            peer->first_player = seed_below(16);
            peer->player_count = 1 + seed_below(3);
            break;
        case 9:
            peer->joined = seed_below(256);
            break;
        case 10:
            roster.self = seed_below(8);
            break;
        default:
            peer->address = toy_address(seed_below(9));
            roster.go_delay_us = some(10000000);
            break;
        }
    }
    if (seed_below(2) == 0) { // all seats taken, by someone
        uint32_t next = 0;
        for (uint32_t i = 0; i < 8; i++) {
            if ((roster.members >> i & 1) != 0) {
                roster.peers[i].first_player = next++;
                roster.peers[i].player_count = 1;
            }
        }
        roster.players = next;
    }
    writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_roster_write(&writer, &roster);
    return writer.at;
}

static size_t lie_view(uint8_t *body)
{
    memset(body, 0, BKSI_BODY_BYTES_MAX);
    bksi_bit_writer writer = bksi_bit_writer_over(body, BKSI_BODY_BYTES_MAX);
    const bksi_view_name base = {.view = seed_below(2), .hash = 0};
    const bksi_propose propose = {.base = base, .number = some(3), .leavers = seed_below(16)};
    const bksi_answer answer = {.base = base, .number = some(3), .frozen = seed_below(16)};
    const bksi_commit commit = {
        .base = base, .members = 1 + seed_below(15), .leavers = seed_below(16)};
    const bksi_gone gone = {.view = 1, .count = 1 + seed_below(2), .members = {15, seed_below(16)}};
    switch (seed_below(4)) {
    case 0:
        bksi_propose_write(&writer, &propose);
        break;
    case 1:
        bksi_answer_write(&writer, &answer);
        break;
    case 2:
        bksi_commit_write(&writer, &commit);
        break;
    default:
        bksi_gone_write(&writer, &gone);
        break;
    }
    return bksi_bit_writer_bytes(&writer);
}

static size_t lie_word(uint8_t *body)
{
    memset(body, 0, BKSI_BODY_BYTES_MAX);
    bksi_bit_writer writer = bksi_bit_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_hears hears = {0};
    for (uint32_t i = 0; i < 4; i++) {
        hears.of[i] =
            (bksi_hears_entry){seed_below(2) == 0, (uint16_t)some(65535), seed_below(256)};
    }
    bksi_hears_write(&writer, &hears);
    return bksi_bit_writer_bytes(&writer);
}

static size_t lie_bulk(uint8_t *body)
{
    static const uint8_t data[600];
    bksi_bulk_message bulk = {.has_report = seed_below(2) == 0};
    bulk.has_data = !bulk.has_report || seed_below(2) == 0;
    bulk.report.floor = some(10);
    bulk.report.window = seed_below(1u << 28);
    bulk.report.count = seed_below(3);
    bulk.report.parts[0] = (bksi_bulk_part){5, 9};
    bulk.report.parts[1] = (bksi_bulk_part){11, 200};
    bulk.place = some(4096);
    bulk.bytes = seed_below(600);
    bulk.data = data;
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    const bksi_echo echo = {.number = (uint16_t)some(5), .hold = (uint8_t)some(255)};
    bksi_echo_write(&writer, &echo);
    bksi_bulk_message_write(&writer, &bulk);
    return writer.at;
}

static size_t lie_carried(uint32_t to, uint8_t *body)
{
    bksi_routed routed = {.route = {.carriers = 1 + seed_below(2)}, .passed = 1};
    routed.route.peers[0] = (uint8_t)session_of(liar)->common.seats.self;
    routed.route.peers[1] = (uint8_t)seed_below(4);
    routed.origin = seed_below(4);
    routed.target = seed_below(2) == 0 ? to : seed_below(4);
    uint8_t packet[BKSI_CARRIED_PACKET_BYTES_MAX];
    for (size_t i = 0; i < sizeof(packet); i++) {
        packet[i] = (uint8_t)seed_next();
    }
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_carried_write_packet(&writer, bksi_routed_bits(&routed), true, packet,
                              1 + seed_below(BKSI_CARRIED_PACKET_BYTES_MAX));
    return writer.at;
}

static void lie(uint32_t to)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    uint32_t type = 1 + seed_below(14);
    size_t count = 0;
    if (type == BKSI_PACKET_JOIN) {
        count = lie_join(body);
    } else if (type == BKSI_PACKET_ROSTER) {
        count = lie_roster(to, body);
    } else if (type == BKSI_PACKET_REFUSE) {
        if (seed_below(4) != 0) {
            return;
        }
        count = lie_refuse(body);
    } else if (type == BKSI_PACKET_LINK) {
        const bksi_link_message link = {
            .stamp_us = some(UINT32_MAX - 1),
            .has_echo = seed_below(2) == 0,
            .echo_us = some(UINT32_MAX - 1),
            .hold_us = some(1000),
            .has_roster = liar != 0 && to != 0,
            .change = session_of(to)->lobby.outbox.change + seed_below(2),
            .roster = bksi_membership_roster(&session_of(to)->common.membership) + seed_below(2)};
        bksi_link_message_write(&writer, &link);
        count = writer.at;
    } else if (type == BKSI_PACKET_INPUT) {
        const bksi_input_head head = {
            .head = (bks_tick)seed_below(70), .count = 0, .hash.tick = BKS_TICK_NONE};
        count = inside_input(&head, body);
    } else if (type == BKSI_PACKET_HASHES) {
        bksi_hashes_message hashes = {.first = (bks_tick)seed_below(50),
                                      .step_ticks = 1 + seed_below(3),
                                      .count = 1 + seed_below(BKSI_HASHES_MAX)};
        bksi_hashes_write(&writer, &hashes);
        count = writer.at;
    } else if (type == BKSI_PACKET_BYE) {
        if (seed_below(4) != 0) {
            return;
        }
        bksi_bye_write(&writer, (bksi_bye)seed_below(3));
        count = writer.at;
    } else if (type == BKSI_PACKET_VIEW) {
        count = lie_view(body);
    } else if (type == BKSI_PACKET_BULK) {
        count = lie_bulk(body);
    } else if (type == BKSI_PACKET_CARRIED) {
        count = lie_carried(to, body);
    } else if (type == BKSI_PACKET_HEARS) {
        count = lie_word(body);
    } else {
        type = BKSI_PACKET_SLOW;
        bksi_slow_write(&writer, seed_below(BKSI_STRETCH_MAX + 1));
        count = writer.at;
    }
    said[type]++;
    inside_say(session_of(to), network.now_ns, session_of(liar), type, body, count);
}

/// @return whether all honest peers play together
static bool play(uint32_t honest)
{
    for (uint32_t i = 0; i < 5; i++) {
        if ((honest >> i & 1) != 0 && phase_of(i) != BKS_PHASE_RUNNING) {
            return false;
        }
    }
    return true;
}

static void say_what_is(uint64_t seed, uint32_t honest)
{
    print_message("seed %llu, liar %u\n", (unsigned long long)seed, liar);
    for (uint32_t i = 0; i < 5; i++) {
        const toy_peer *peer = &network.peers[i];
        print_message("  %u%s: phase %d, stage %d, %u bits here, refused '%s' lost '%s' dropped "
                      "'%s' desync '%s' left '%s'\n",
                      i, (honest >> i & 1) != 0 ? "" : " (not)", (int)phase_of(i),
                      (int)session_of(i)->common.phase.stage, session_of(i)->common.seats.all,
                      peer->last[BKS_EVENT_REFUSED].text, peer->last[BKS_EVENT_LOST].text,
                      peer->last[BKS_EVENT_DROPPED].text, peer->last[BKS_EVENT_DESYNC].text,
                      peer->last[BKS_EVENT_LEFT].text);
    }
}

/// @return whether all is well
static bool run_guest(uint64_t seed)
{
    seed_state = seed;
    liar = 1 + seed_below(3);
    const uint32_t honest = 31u & ~(1u << liar);
    toy_create(&network, 5, seed_next(), tune);
    network.delay_ns = seed_below(100) * TOY_MS;
    network.jitter_ns = seed_below(2) * 20 * TOY_MS;
    network.loss_percent = seed_below(2) * 10;
    network.peers[HEIR].is_frozen = true;
    const uint64_t until_ns = (300 + seed_below(1500)) * TOY_MS;
    bool has_begun = false;
    while (network.now_ns < until_ns && !has_begun) {
        run_for(1 + seed_below(60));
        for (uint32_t n = seed_below(8); n > 0; n--) {
            const uint32_t to = seed_below(4);
            if (to != liar) {
                lie(to);
            }
        }
        has_begun = bksi_phase_has_start(&session_of(0)->common.phase);
    }
    if (has_begun) { // that is test_insider.c's
        toy_destroy(&network);
        return true;
    }
    bool leaves = seed_below(2) == 0;
    if (leaves) {
        (void)bks_session_leave(session_of(liar));
        run_for(1000);
    }
    network.peers[liar].is_frozen = true;
    run_for(leaves ? 500 : DROP_MS + 1000);
    if (bksi_phase_has_start(&session_of(0)->common.phase)) { // with the liar, which is let go
        toy_destroy(&network);
        return true;
    }
    network.peers[HEIR].is_frozen = false;
    for (uint32_t s = 0; s < 200 && !play(honest); s++) {
        run_for(50);
    }
    bool is_fine = play(honest);
    bks_tick before[5] = {0};
    for (uint32_t i = 0; i < 5; i++) {
        before[i] = bks_session_confirmed(session_of(i));
    }
    run_for(3000);
    for (uint32_t i = 0; i < 5; i++) {
        if ((honest >> i & 1) == 0) {
            continue;
        }
        uint64_t hash = 0;
        const bks_tick tick = bks_session_published(session_of(i));
        is_fine &= phase_of(i) == BKS_PHASE_RUNNING && network.peers[i].desynced_from == 0 &&
                   bks_session_confirmed(session_of(i)) >= before[i] + 120 &&
                   bks_session_hash(session_of(i), tick, &hash) == BKS_OK &&
                   hash == toy_straight_run(4, tick, network.hold_input_ticks);
    }
    for (uint32_t i = 0; i < 5; i++) { // a member may take seats before others
        is_fine |= (honest >> i & 1) != 0 && network.peers[i].events[BKS_EVENT_REFUSED] > 0 &&
                   (strstr(network.peers[i].last[BKS_EVENT_REFUSED].text, "taken") != NULL ||
                    strstr(network.peers[i].last[BKS_EVENT_REFUSED].text, "full") != NULL);
    }
    if (!is_fine) {
        say_what_is(seed, honest);
        for (uint32_t i = 0; i < 5; i++) {
            print_message("  %u: confirmed %d, %d before\n", i,
                          (int)bks_session_confirmed(session_of(i)), (int)before[i]);
        }
    }
    toy_destroy(&network);
    return is_fine;
}

static uint64_t first_seed;

static void a_guest_that_lied_and_left_is_forgotten(void **context)
{
    (void)context;
    uint32_t failed = 0;
    for (uint64_t i = 0; i < RUNS; i++) {
        failed += run_guest(first_seed + i) ? 0 : 1;
    }
    print_message("%u of %u failed; said by type:", failed, RUNS);
    for (uint32_t i = 1; i < 15; i++) {
        print_message(" %u", said[i]);
    }
    print_message("\n");
    assert_int_equal(failed, 0);
}

static void a_host_that_lies_breaks_no_guest(void **context)
{
    (void)context;
    liar = 0;
    uint32_t played = 0;
    for (uint64_t k = 0; k < RUNS; k++) {
        seed_state = first_seed + k;
        toy_create(&network, 5, seed_next(), tune);
        network.delay_ns = seed_below(100) * TOY_MS;
        const uint32_t span = seed_below(60) + 1;
        while (network.now_ns < 4000 * TOY_MS) {
            run_for(1 + seed_below(span));
            for (uint32_t n = seed_below(8); n > 0; n--) {
                lie(1 + seed_below(4));
            }
        }
        for (uint32_t i = 1; i < 5; i++) {
            played += phase_of(i) == BKS_PHASE_RUNNING;
        }
        toy_destroy(&network);
    }
    print_message("%u guests play\n", played);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    first_seed = seed_state;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guest_that_lied_and_left_is_forgotten),
        cmocka_unit_test(a_host_that_lies_breaks_no_guest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
