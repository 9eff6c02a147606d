// SPDX-License-Identifier: MIT

// GONE, the word that others play on without us: which peers may say it, what it does, and to whom
// it goes.

#include <string.h>

#include "session/inside.h"
#include "session/some_views.h"
#include "wire/carried.h"

/// As views.c has them.
#define OURS_MS       1000u
#define GONE_REPLY_MS 250u

static uint32_t first_hash(uint32_t peer)
{
    return (uint32_t)bksi_membership_roster(&session_of(peer)->common.membership);
}

/// Hand a peer the newest two views of a log that parts from its own after view 0.
static void say_gone(uint32_t to, uint32_t from, uint32_t before, uint32_t members)
{
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
    const bksi_gone message = {
        .view = 1, .count = 2, .hashes = {first_hash(to), 77}, .members = {before, members}};
    bksi_gone_write(&writer, &message);
    inside_say(session_of(to), network.now_ns, session_of(from), BKSI_PACKET_VIEW, bytes,
               bksi_bit_writer_bytes(&writer));
}

static uint64_t refused_by(uint32_t peer)
{
    return stats_of(peer).packets_refused;
}

static void begin_four(void)
{
    begin(4, 1);
    run_for(2000);
}

// ---- who may say it ----

static void
only_a_member_of_the_newest_view_may_say_it_and_only_to_a_peer_that_is_none(void **context)
{
    (void)context;
    begin_four();
    uint64_t refused = refused_by(0);
    say_gone(0, 1, 15, 12); // 1 is not in it itself
    assert_int_equal(refused_by(0), ++refused);
    say_gone(0, 1, 15, 7); // we are
    assert_int_equal(refused_by(0), ++refused);
    assert_int_equal(phase_of(0), BKS_PHASE_RUNNING);
    say_gone(0, 1, 15, 14);
    assert_int_equal(refused_by(0), refused);
    toy_destroy(&network);
}

static void a_log_that_does_not_part_from_ours_is_refused(void **context)
{
    (void)context;
    begin_four();
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
    const bksi_gone message = {.view = 0, .count = 1, .hashes = {first_hash(0)}, .members = {14}};
    bksi_gone_write(&writer, &message);
    const uint64_t refused = refused_by(0);
    inside_say(session_of(0), network.now_ns, session_of(1), BKSI_PACKET_VIEW, bytes,
               bksi_bit_writer_bytes(&writer));
    assert_int_equal(refused_by(0), refused + 1);
    assert_play_on(15);
    toy_destroy(&network);
}

/// The others are heard in our view: of where they are each alone may speak.
static void one_alone_cannot_say_it_of_others_that_we_hear(void **context)
{
    (void)context;
    begin_four();
    say_gone(0, 1, 15, 14);
    say_gone(0, 2, 15, 14);
    run_for(10);
    say_gone(0, 1, 15, 14); // again is no more
    assert_int_equal(phase_of(0), BKS_PHASE_RUNNING);
    assert_int_equal(network.peers[0].events[BKS_EVENT_DROPPED], 0);
    say_gone(0, 3, 15, 14);
    run_for(10);
    assert_int_equal(phase_of(0), BKS_PHASE_FAILED);
    assert_int_equal(bks_session_status(session_of(0)), BKS_ERR_PEER_LOST);
    assert_int_equal(network.peers[0].events[BKS_EVENT_DROPPED], 1);
    assert_int_equal(network.peers[0].last[BKS_EVENT_DROPPED].peer, 3);
    toy_destroy(&network);
}

static void of_a_peer_that_we_do_not_hear_another_may_say_it(void **context)
{
    (void)context;
    begin(3, 1);
    run_for(2000);
    toy_cut(&network, 0, 1, true);
    toy_cut(&network, 2, 1, true);
    run_for(OURS_MS / 2);
    say_gone(0, 2, 7, 6);
    assert_int_equal(phase_of(0), BKS_PHASE_RUNNING); // 1 was heard a moment ago
    run_for(OURS_MS / 4);
    assert_int_equal(phase_of(0), BKS_PHASE_RUNNING);
    freeze(1);
    freeze(2); // so that no ballot begins
    run_for(OURS_MS / 4 + 50);
    say_gone(0, 2, 7, 6);
    run_for(10);
    assert_int_equal(phase_of(0), BKS_PHASE_FAILED);
    toy_destroy(&network);
}

// ---- what it does ----

static void one_that_plays_on_alone_is_let_go(void **context)
{
    (void)context;
    begin_four();
    freeze(0);
    run_for(100); // its INPUTs in our view would take the word back
    for (uint32_t i = 1; i < 4; i++) {
        say_gone(i, 0, 15, 1);
    }
    run_for(DROP_MS / 2); // by no silence: that would take longer
    assert_play_on(14);
    assert_int_equal(roster_of(1).view, 1);
    toy_destroy(&network);
}

static void of_two_halves_the_one_without_the_lowest_peer_ends(void **context)
{
    (void)context;
    begin_four();
    for (uint32_t i = 0; i < 2; i++) {
        say_gone(i, 2, 15, 12);
        say_gone(i, 3, 15, 12);
        say_gone(2 + i, 0, 15, 3);
        say_gone(2 + i, 1, 15, 3);
    }
    run_for(10);
    for (uint32_t i = 2; i < 4; i++) {
        assert_int_equal(phase_of(i), BKS_PHASE_FAILED);
        assert_int_equal(network.peers[i].events[BKS_EVENT_DROPPED], 1);
    }
    run_for(500);
    assert_play_on(3);
    toy_destroy(&network);
}

// ---- to whom it goes ----

static uint32_t gones[TOY_PEERS_MAX]; ///< GONEs by receiver

static bool count_and_lose(const toy_network *on, uint32_t from, uint32_t to, const uint8_t *bytes,
                           size_t count)
{
    (void)from;
    uint8_t body[BKSI_BODY_BYTES_MAX];
    size_t body_bytes = 0;
    const bool is_gone =
        inside_read(on->peers[to].session, bytes, count, body, &body_bytes) == BKSI_PACKET_VIEW &&
        body[0] == BKSI_VIEW_GONE;
    gones[to] += is_gone;
    return is_gone;
}

static void count_gones(void)
{
    memset(gones, 0, sizeof(gones));
    network.loses = count_and_lose;
}

/// Messages in a packet for its receiver: several where it carries others' too.
static uint32_t pieces_in(const bks_session *to, const uint8_t *bytes, size_t count)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    size_t body_bytes = 0;
    if (inside_read(to, bytes, count, body, &body_bytes) != BKSI_PACKET_CARRIED) {
        return 1;
    }
    bksi_byte_reader reader = bksi_byte_reader_over(body, body_bytes);
    bksi_carried_piece piece;
    uint32_t pieces = 0;
    while (bksi_carried_read(&reader, &piece)) {
        pieces++;
    }
    return pieces;
}

/// Nothing but GONE goes to one that was dropped.
static bool count_all_and_lose(const toy_network *on, uint32_t from, uint32_t to,
                               const uint8_t *bytes, size_t count)
{
    (void)from;
    gones[to] += pieces_in(on->peers[to].session, bytes, count);
    return to == 3;
}

static void a_dropped_peer_that_wakes_learns_it_at_once(void **context)
{
    (void)context;
    begin_four();
    freeze(3);
    run_for(DROP_MS + 1000);
    assert_int_equal(roster_of(0).view, 1);
    network.peers[3].is_frozen = false;
    run_for(200); // two ways and an update
    assert_int_equal(phase_of(3), BKS_PHASE_FAILED);
    assert_int_equal(network.peers[3].events[BKS_EVENT_DROPPED], 1);
    assert_play_on(7);
    // The peer gets no more GONE once it has said goodbye.
    run_for(500);
    count_gones();
    run_for(3000);
    assert_int_equal(gones[3], 0);
    toy_destroy(&network);
}

static void a_peer_that_does_not_hear_it_gets_it_again_but_not_often(void **context)
{
    (void)context;
    begin_four();
    freeze(3);
    run_for(DROP_MS + 1000);
    memset(gones, 0, sizeof(gones));
    network.loses = count_all_and_lose;
    network.peers[3].is_frozen = false;
    run_for(700); // the peer plays, and each of the three answers that
    assert_in_range(gones[3], 3 * 2, 3 * (700 / GONE_REPLY_MS + 1));
    gones[3] = 0;
    run_for(3000); // the peer has let all others go
    assert_in_range(gones[3], 3 * 3, 3 * 4);
    assert_int_equal(phase_of(3), BKS_PHASE_RUNNING);
    toy_destroy(&network);
}

static void a_peer_that_left_by_goodbye_gets_none(void **context)
{
    (void)context;
    begin_four();
    count_gones();
    assert_int_equal(bks_session_leave(session_of(3)), BKS_OK);
    run_for(3000);
    assert_int_equal(roster_of(0).view, 1);
    assert_int_equal(gones[3], 0);
    assert_int_equal(phase_of(3), BKS_PHASE_ENDED);
    toy_destroy(&network);
}

static void members_never_get_one(void **context)
{
    (void)context;
    begin_four();
    count_gones();
    toy_cut(&network, 0, 1, true);
    run_for(4 * DROP_MS);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(gones[i], 0);
    }
    assert_play_on(15);
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            only_a_member_of_the_newest_view_may_say_it_and_only_to_a_peer_that_is_none),
        cmocka_unit_test(a_log_that_does_not_part_from_ours_is_refused),
        cmocka_unit_test(one_alone_cannot_say_it_of_others_that_we_hear),
        cmocka_unit_test(of_a_peer_that_we_do_not_hear_another_may_say_it),
        cmocka_unit_test(one_that_plays_on_alone_is_let_go),
        cmocka_unit_test(of_two_halves_the_one_without_the_lowest_peer_ends),
        cmocka_unit_test(a_dropped_peer_that_wakes_learns_it_at_once),
        cmocka_unit_test(a_peer_that_does_not_hear_it_gets_it_again_but_not_often),
        cmocka_unit_test(a_peer_that_left_by_goodbye_gets_none),
        cmocka_unit_test(members_never_get_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
