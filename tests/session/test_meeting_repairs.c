// SPDX-License-Identifier: MIT

// Repairs that members list, where one of them lies about it, and where some leave around it.

#include <inttypes.h>
#include <string.h>

#include "session/common/seats.h"
#include "session/inside.h"
#include "session/one_network.h"
#include "session/session_internal.h"

enum { FLIP = 100, SEEDS = 12, TICKS = 300 };

static uint32_t seed;

static void tune(bks_session_config *config, uint32_t peer)
{
    config->ticks = TICKS;
    config->tuning.on_desync = peer == 0 ? BKS_ON_DESYNC_RESYNC : BKS_ON_DESYNC_REPORT;
    config->tuning.keep_ticks = 64;
    config->tuning.drop_after_ms = 2000;
}

static void begin(uint32_t peers, uint32_t odd)
{
    toy_create(&network, peers, seed, tune);
    network.delay_ns = (10 + seed * 13 % 110) * TOY_MS;
    network.jitter_ns = seed * 7 % 30 * TOY_MS;
    network.loss_percent = seed * 5 % 16;
    network.peers[odd].flip_tick = FLIP + (bks_tick)(seed % 4);
}

static uint32_t repairs_of(uint32_t peer, bks_repair *out)
{
    memset(out, 0, BKS_REPAIRS_MAX * sizeof(*out));
    return bks_session_repairs(session_of(peer), out, BKS_REPAIRS_MAX);
}

static void print_repairs(uint32_t peer)
{
    bks_repair own[BKS_REPAIRS_MAX];
    const uint32_t count = repairs_of(peer, own);
    print_message("  peer %u, view %u, ends with %d:", peer,
                  session_of(peer)->common.membership.view,
                  (int)bks_session_status(session_of(peer)));
    for (uint32_t i = 0; i < count; i++) {
        print_message(" [%d: %u since %d, %" PRIu64 " of %u]", (int)own[i].tick, own[i].peer,
                      (int)own[i].since, own[i].bytes, own[i].from);
    }
    print_message("\n");
}

// ---- one lies ----

static uint32_t liar, liars_odd;
static bks_tick lie_since, lie_same;

/// Report of the liar about the others in meetings. As far as they can see, it has found so itself.
static void lie(toy_network *net, const toy_peer *peer)
{
    bks_session *session = net->peers[liar].session;
    bksi_meet_message *own = &session->meeting.own;
    if (peer != &net->peers[liar] || !session->meeting.is_on || own->stage == BKSI_MEET_HEARD) {
        return;
    }
    own->known = own->differing = 0xF & ~PEER_BIT(liar);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        own->since[i] = lie_since < own->tick ? lie_since : own->tick;
        own->same[i] = lie_same < own->tick ? lie_same : own->tick;
    }
}

static void play_with_liar(uint32_t peers)
{
    const bks_tick lies[][2] = {{1, 0}, {1, TICKS}, {TICKS, 0}, {TICKS, TICKS}};
    for (seed = 1; seed <= SEEDS; seed++) {
        liars_odd = 1 + seed % (peers - 1);
        liar = seed / 2 % peers;
        lie_since = lies[seed % 4][0], lie_same = lies[seed % 4][1];
        begin(peers, liars_odd);
        network.before_sending = lie;
        assert_true(toy_run_to_end(&network, 120000 * TOY_MS));
        const bks_tick flip = network.peers[liars_odd].flip_tick;
        for (uint32_t i = 0; i < peers; i++) {
            bks_repair own[BKS_REPAIRS_MAX];
            const uint32_t count = repairs_of(i, own);
            if (i == liar) {
                continue;
            }
            // Lost packets keep them from knowing it to the tick.
            if (count != 1 || own[0].since < flip - 20 || own[0].since > flip) {
                print_repairs(i);
                fail_msg("seed %u: the flip was at %d, peer %u lies", seed, (int)flip, liar);
            }
        }
        toy_destroy(&network);
    }
}

static void a_liar_among_three_moves_no_span(void **state)
{
    (void)state;
    play_with_liar(3);
}

static void a_liar_among_four_moves_no_span(void **state)
{
    (void)state;
    play_with_liar(4);
}

static void a_liar_moves_no_span_of_the_only_other(void **state)
{
    (void)state;
    play_with_liar(2);
}

/// The liar lists repairs of all possible numbers, with bytes of the last of them.
static void list_all(toy_network *net, const toy_peer *peer)
{
    bksi_meet_message *own = &net->peers[0].session->meeting.own;
    if (peer != &net->peers[0] || own->stage != BKSI_MEET_ENDED) {
        return;
    }
    own->repaired = 0xFF;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        own->repairs[i] = (bksi_meet_repair){.since = 1, .from = BKS_PEERS_MAX - 1, .bytes = 9};
    }
}

static void a_host_lists_no_repair_of_a_peer_that_never_was(void **state)
{
    (void)state;
    for (seed = 1; seed <= 4; seed++) {
        begin(3, 2);
        network.before_sending = list_all;
        assert_true(toy_run_to_end(&network, 120000 * TOY_MS));
        for (uint32_t i = 1; i < 3; i++) {
            bks_repair own[BKS_REPAIRS_MAX];
            assert_int_equal(repairs_of(i, own), 1);
            assert_int_equal(own[0].peer, 2);
        }
        toy_destroy(&network);
    }
}

// ---- some leave ----

/// All that stay list the same, of whatever they have seen end.
static bool are_listed_alike(uint32_t peers, uint32_t gone)
{
    bks_repair first[BKS_REPAIRS_MAX];
    uint32_t first_count = UINT32_MAX;
    bool are = true;
    for (uint32_t i = 0; i < peers; i++) {
        bks_repair own[BKS_REPAIRS_MAX];
        const uint32_t count = repairs_of(i, own);
        if ((gone >> i & 1) != 0) {
            continue;
        }
        are &= first_count == UINT32_MAX ||
               (count == first_count && memcmp(own, first, count * sizeof(own[0])) == 0);
        memcpy(first, own, sizeof(first));
        first_count = count;
    }
    return are;
}

static uint32_t leave_once(uint32_t peers, uint32_t odd, uint32_t gone, uint32_t after_ms)
{
    begin(peers, odd);
    network.loss_percent = 35;
    while (network.peers[0].events[BKS_EVENT_DESYNC] == 0) {
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
    run_for(after_ms);
    EACH_PEER (i, gone) {
        assert_int_equal(bks_session_leave(session_of(i)), BKS_OK);
    }
    if (!toy_run_to_end(&network, 120000 * TOY_MS)) {
        fail_msg("seed %u: it does not end", seed);
    }
    const bool are = are_listed_alike(peers, gone);
    if (!are) {
        print_message("seed %u, %u peers, %u odd, %x leave after %u ms:\n", seed, peers, odd, gone,
                      after_ms);
        for (uint32_t i = 0; i < peers; i++) {
            print_repairs(i);
        }
    }
    toy_destroy(&network);
    return are ? 0 : 1;
}

/// The repaired one leaves, or another, or the host, or the host and the repaired one.
static void members_that_stay_list_the_same_whichever_leave(void **state)
{
    (void)state;
    uint32_t wrong = 0;
    for (seed = 10000; seed < 10000 + 5 * SEEDS; seed++) {
        const uint32_t peers = 3 + seed % 3;
        const uint32_t odd = seed / 3 % peers;
        const uint32_t leavers[] = {PEER_BIT(odd), PEER_BIT((odd + 1) % peers), 1,
                                    1 | PEER_BIT(odd)};
        wrong += leave_once(peers, odd, leavers[seed % 4], seed * 37 % 700);
    }
    assert_int_equal(wrong, 0);
}

// ---- another one follows ----

enum { CALM_PEERS = 4, DEAF = 1, SECOND_ODD = 2, FIRST_ODD = 3 };

static bks_tick first_tick; ///< that they meet in
static bool hides_second;   ///< the deaf member does not hear the host call the second meeting

/// The liar never hears either that the repaired one is done.
static bool is_deaf(const toy_network *net, uint32_t from, uint32_t to, const uint8_t *bytes,
                    size_t count)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    size_t n = 0;
    if (to != DEAF ||
        inside_read(net->peers[to].session, bytes, count, body, &n) != BKSI_PACKET_MEET) {
        return false;
    }
    bksi_byte_reader reader = bksi_byte_reader_over(body, n);
    bksi_meet_message message;
    assert_true(bksi_meet_read(&reader, &message));
    return (from == FIRST_ODD && message.stage >= BKSI_MEET_DONE) ||
           (from == 0 && hides_second && message.tick > first_tick);
}

/// A meeting has ended for all but one, another peer differs, and the others meet again.
static void meet_twice(void)
{
    seed = 4;
    begin(CALM_PEERS, FIRST_ODD);
    network.loss_percent = 0;
    network.loses = is_deaf;
    first_tick = INT32_MAX;
    while (session_of(0)->meeting.own.stage != BKSI_MEET_ENDED) {
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
    first_tick = session_of(0)->meeting.own.tick;
    network.peers[SECOND_ODD].flip_tick = bks_session_tick(session_of(SECOND_ODD)) + 2;
    const uint32_t last = hides_second ? FIRST_ODD : 0; // to begin it
    while (session_of(last)->meeting.own.tick == first_tick) {
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
    assert_true(session_of(DEAF)->meeting.is_on);
    assert_int_equal(session_of(DEAF)->meeting.own.tick, first_tick);
}

static void assert_listed_both(uint32_t from)
{
    for (uint32_t i = from; i < CALM_PEERS; i++) {
        bks_repair own[BKS_REPAIRS_MAX];
        assert_int_equal(repairs_of(i, own), 2);
        assert_int_equal(own[0].peer, FIRST_ODD);
        assert_int_equal(own[1].peer, SECOND_ODD);
        assert_int_equal(bks_session_status(session_of(i)), BKS_OVER);
    }
    assert_true(are_listed_alike(CALM_PEERS, from));
}

static void a_meeting_ends_for_all_before_the_next_one_begins(void **state)
{
    (void)state;
    hides_second = false;
    meet_twice();
    assert_true(toy_run_to_end(&network, 120000 * TOY_MS));
    assert_listed_both(0);
    assert_int_equal(network.peers[0].desynced_from & PEER_BIT(DEAF), 0);
    toy_destroy(&network);
}

static void so_it_does_for_the_next_host(void **state)
{
    (void)state;
    hides_second = true;
    meet_twice();
    network.loses = NULL;
    network.peers[0].is_frozen = true;
    network.cut[0] = ~0u;
    const uint64_t limit_ns = network.now_ns + 120000 * TOY_MS;
    while (phase_of(1) == BKS_PHASE_RUNNING || phase_of(2) == BKS_PHASE_RUNNING ||
           phase_of(3) == BKS_PHASE_RUNNING) {
        run_for(10);
        assert_true(network.now_ns < limit_ns);
    }
    assert_listed_both(1);
    toy_destroy(&network);
}

// ---- it lasts ----

static void tune_fast(bks_session_config *config, uint32_t peer)
{
    tune(config, peer);
    config->tick_rate_hz = 240;
    config->ticks = 3000;
}

static bool has_waited(uint32_t peer)
{
    const toy_peer *own = &network.peers[peer];
    return own->events[BKS_EVENT_STARVED] > 0 &&
           strstr(own->last[BKS_EVENT_STARVED].text, "repair") != NULL;
}

/// The other waits as well, and its inputs are here.
static void a_match_that_waits_for_a_meeting_blames_no_peer(void **state)
{
    (void)state;
    seed = 1;
    toy_create(&network, 2, seed, tune_fast);
    network.delay_ns = 10 * TOY_MS;
    network.peers[1].flip_tick = FLIP;
    while (!session_of(1)->meeting.is_on) {
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
    network.lost_types[1] = 1u << BKSI_PACKET_MEET;
    run_for(2500);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(has_waited(i));
        assert_int_equal(network.peers[i].last[BKS_EVENT_STARVED].peer, i);
        assert_int_equal(stats_of(i).links[!i].waited_ticks, 0);
    }
    toy_destroy(&network);
}

/// A meeting waits for a silent member until that member is dropped, which takes longer on a line
/// that is slower.
static void a_member_that_vanishes_on_a_slow_line_stops_no_match(void **state)
{
    (void)state;
    seed = 1;
    begin(4, 3);
    while (session_of(0)->meeting.waiting_ns == 0) {
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
    network.peers[1].is_frozen = true;
    network.cut[1] = ~0u;
    for (uint32_t i = 0; i < 4; i++) {
        session_of(i)->common.links.peers[1].link.round_trip_ns = 8e9;
    }
    run_for(40000);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(i == 1 || bks_session_status(session_of(i)) == BKS_OVER);
    }
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_liar_among_three_moves_no_span),
        cmocka_unit_test(a_liar_among_four_moves_no_span),
        cmocka_unit_test(a_liar_moves_no_span_of_the_only_other),
        cmocka_unit_test(a_host_lists_no_repair_of_a_peer_that_never_was),
        cmocka_unit_test(members_that_stay_list_the_same_whichever_leave),
        cmocka_unit_test(a_meeting_ends_for_all_before_the_next_one_begins),
        cmocka_unit_test(so_it_does_for_the_next_host),
        cmocka_unit_test(a_match_that_waits_for_a_meeting_blames_no_peer),
        cmocka_unit_test(a_member_that_vanishes_on_a_slow_line_stops_no_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
