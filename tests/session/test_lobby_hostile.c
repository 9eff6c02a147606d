// SPDX-License-Identifier: MIT

// Harm that one member can do to others before the first tick: a host that names strangers, a guest
// that calls in another's name, a guest that says the match has begun.

#include <string.h>

#include "session/inside.h"
#include "session/lobby/lobby_messages.h"
#include "session/some_views.h"
#include "wire/roster.h"

// ---- a host ----

static void tune_eight(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->players = 8;
}

/// A roster of the guest and six strangers.
static size_t write_roster(bksi_roster_stage stage, uint32_t change, uint8_t *body)
{
    const session_common *guest = &session_of(1)->common;
    static bksi_roster_message roster;
    roster = (bksi_roster_message){.stage = stage,
                                   .change = change,
                                   .self = 1,
                                   .members = 0xff,
                                   .players = 8,
                                   .seed = guest->seats.seed,
                                   .first_tick = guest->seats.first_tick,
                                   .ticks = bksi_seats_ticks(&guest->seats),
                                   .hash_every_ticks = 1};
    for (uint32_t i = 0; i < 8; i++) {
        bksi_roster_peer *peer = &roster.peers[i];
        peer->joined = i == 1 ? 1 : change & 255;
        peer->first_player = i;
        peer->player_count = 1;
        memset(peer->identity, (int)i + 1, BKSI_IDENTITY_BYTES);
        memcpy(peer->identity, &change, sizeof(change));
        peer->address = i == 0 ? (bks_address){0}
                               : (bks_address){.length = 6, .bytes = {9, 9, 9, 9, 1, (uint8_t)i}};
    }
    memcpy(roster.peers[1].identity, guest->guard.identity, BKSI_IDENTITY_BYTES);
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_roster_write(&writer, &roster);
    return writer.at;
}

/// @return how many packets go to strangers
static uint32_t update_guest(void)
{
    bks_session *guest = session_of(1);
    assert_int_equal(bks_session_update(guest, network.now_ns), BKS_OK);
    bks_op op;
    while (bks_session_next(guest, &op)) {
        const bks_op_result result = {0};
        assert_int_equal(bks_session_done(guest, &op, &result), BKS_OK);
    }
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    bks_address to;
    uint32_t packets = 0;
    while (bks_session_send(guest, &to, bytes, sizeof(bytes)) > 0) {
        packets += to.length == 6 ? 1 : 0;
    }
    return packets;
}

/// Each roster has other peers at the same addresses.
static void a_host_that_names_others_all_the_time_does_not_make_a_guest_call_more(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_eight);
    run_for(1000);
    const uint64_t drawn = session_of(1)->common.guard.drawn;
    uint32_t packets = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        uint8_t body[BKSI_BODY_BYTES_MAX];
        const bksi_roster_stage stage = i % 2 == 0 ? BKSI_ROSTER_GATHERING : BKSI_ROSTER_COMPLETE;
        const size_t count = write_roster(stage, 100 + i, body);
        inside_say(session_of(1), network.now_ns, session_of(0), BKSI_PACKET_ROSTER, body, count);
        packets += update_guest();
        network.now_ns += TOY_MS;
    }
    print_message("2000 rosters in 2 s: %u packets to strangers\n", packets);
    assert_in_range(packets, 20, 60); // 20 at once, and 20 a second
    assert_in_range(session_of(1)->common.guard.drawn - drawn, 20, 60);
    toy_destroy(&network);
}

/// One of before the last guest came, which was overtaken.
static void a_roster_older_than_the_newest_changes_nothing(void **context)
{
    (void)context;
    static session_common before;
    begin(4, 1);
    while (!bksi_phase_is_linking(&session_of(1)->common.phase)) {
        run_for(1);
    }
    const bks_session *host = session_of(0);
    before = host->common;
    before.seats.all = 7;
    before.phase.stage = STAGE_GATHERING;
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_lobby_write_roster(&before, &host->lobby.start, 0, host->lobby.outbox.change - 1, 1,
                            &writer);
    inside_say(session_of(1), network.now_ns, host, BKSI_PACKET_ROSTER, body, writer.at);
    assert_true(bksi_phase_is_linking(&session_of(1)->common.phase));
    assert_int_equal(session_of(1)->common.seats.all, 15);
    toy_destroy(&network);
}

// ---- a guest ----

static void tune_four(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->players = 4;
    config->tuning.drop_after_ms = DROP_MS;
    config->tuning.notify_after_ms = DROP_MS;
}

/// A first message in the name of a guest that was killed, each half second.
static void calls_in_the_name_of_a_dead_guest_do_not_keep_its_seat(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, tune_four);
    run_for(1000);
    freeze(2);
    const bks_session *host = session_of(0);
    const bksi_channel channel = host->common.seats.peers[2].channel;
    for (uint32_t i = 0; i < 40; i++) {
        run_for(500);
        const bksi_link_message link = {.stamp_us = 12345};
        uint8_t body[BKSI_BODY_BYTES_MAX];
        bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
        bksi_link_message_write(&writer, &link);
        const bksi_guard_message message = {
            .channel = channel, .type = BKSI_PACKET_LINK, .body = body, .body_bytes = writer.at};
        (void)bksi_packets_take(session_of(0), &message);
        // As the guard notes for each such call.
        session_of(0)->common.guard.channels[channel % BKSI_CHANNELS].heard_ns = network.now_ns;
    }
    assert_int_equal(host->common.seats.all, 3);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
    toy_destroy(&network);
}

/// A first message in the name of a guest that the host has not heard of yet says that the way to
/// it takes 8 s: the host would wait half of that.
static void a_call_in_a_guests_name_measures_no_way(void **context)
{
    (void)context;
    begin(3, 1);
    while (!bksi_phase_is_linking(&session_of(0)->common.phase)) {
        run_for(1);
    }
    session_common *host = &session_of(0)->common;
    for (uint32_t guest = 1; guest < 3; guest++) {
        const bksi_link_message link = {
            .stamp_us = 12345, .has_echo = true, .echo_us = bksi_common_now_us(host) - 8000000};
        uint8_t body[BKSI_BODY_BYTES_MAX];
        bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
        bksi_link_message_write(&writer, &link);
        const bksi_guard_message message = {.channel = host->seats.peers[guest].channel,
                                            .type = BKSI_PACKET_LINK,
                                            .body = body,
                                            .body_bytes = writer.at};
        assert_true(bksi_packets_take(session_of(0), &message));
    }
    run_for(600);
    assert_play_on(7);
    toy_destroy(&network);
}

/// Before the host has said go. The liar then falls silent, and its seat is free.
static void inputs_of_a_guest_begin_no_match_without_the_host(void **context)
{
    (void)context;
    begin(4, 1);
    while (!session_of(1)->lobby.start.is_made ||
           !bksi_phase_is_linking(&session_of(1)->common.phase)) {
        run_for(1);
    }
    assert_false(bksi_phase_has_start(&session_of(0)->common.phase));
    const bksi_input_head head = {.head = 1, .count = 1, .hash.tick = BKS_TICK_NONE};
    uint8_t body[BKSI_BODY_BYTES_MAX];
    inside_say(session_of(1), network.now_ns, session_of(3), BKSI_PACKET_INPUT, body,
               inside_input(&head, body));
    freeze(3);
    run_for(6000);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(phase_of(i), BKS_PHASE_GATHERING);
        assert_int_equal(session_of(i)->common.seats.all, 7);
        assert_int_equal(network.peers[i].events[BKS_EVENT_STARTED], 0);
    }
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_that_names_others_all_the_time_does_not_make_a_guest_call_more),
        cmocka_unit_test(a_roster_older_than_the_newest_changes_nothing),
        cmocka_unit_test(calls_in_the_name_of_a_dead_guest_do_not_keep_its_seat),
        cmocka_unit_test(a_call_in_a_guests_name_measures_no_way),
        cmocka_unit_test(inputs_of_a_guest_begin_no_match_without_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
