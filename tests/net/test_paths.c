// SPDX-License-Identifier: MIT

// Peers over links that are cut, on virtual time: every peer that can be reached is reached soon,
// and then the ways stay as they are.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mesh_model.h"
#include "net/path_state.h"
#include "net/paths.h"
#include "support/seed.h"

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

static mesh_model mesh;

/// Only these links carry; the mesh is made anew.
static void begin(uint32_t count, uint64_t delay_ms)
{
    mesh_model_init(&mesh, count, delay_ms, seed_next());
}

static void cut_all(void)
{
    for (uint32_t a = 0; a < mesh.count; a++) {
        for (uint32_t b = 0; b < mesh.count; b++) {
            mesh.is_cut[a][b] = true;
        }
    }
}

static void assert_flows(const char *what, uint64_t gap_ms_max)
{
    uint64_t gap_ms = mesh_model_gap_ns(&mesh) / MS;
    if (gap_ms > gap_ms_max) {
        fail_msg("%s: nothing came for %u ms, at most %u", what, (unsigned)gap_ms,
                 (unsigned)gap_ms_max);
    }
    mesh_model_reset(&mesh);
}

/// The ways are found within a time, and change no more.
static void assert_settles(const char *what, double seconds)
{
    mesh_model_run(&mesh, seconds);
    mesh_model_reset(&mesh);
    uint64_t changes = mesh_model_changes(&mesh);
    mesh_model_run(&mesh, 30.0);
    assert_flows(what, 20);
    assert_true(mesh_model_changes(&mesh) - changes <= 2);
}

static void all_go_straight_while_all_is_well(void **context)
{
    (void)context;
    begin(8, 40);
    mesh_model_run(&mesh, 30.0);
    assert_true(mesh_model_changes(&mesh) == 0);
    assert_true(mesh.hops == mesh.sent);
    mesh.jitter_ns = 40 * MS;
    mesh_model_run(&mesh, 30.0);
    assert_true(mesh_model_changes(&mesh) == 0);
}

static void a_cut_is_passed_by_before_a_window_of_20_ticks_ends(void **context)
{
    (void)context;
    for (uint64_t delay_ms = 10; delay_ms <= 80; delay_ms *= 2) {
        begin(3, delay_ms);
        mesh_model_run(&mesh, 5.0);
        mesh_model_reset(&mesh);
        mesh_model_cut(&mesh, 0, 1, true);
        mesh_model_run(&mesh, 3.0);
        // 100 ms of silence, then twice the way and a tick or two.
        assert_flows("cut", 100 + 2 * delay_ms + 50);
        assert_settles("after a cut", 0.0);
        assert_int_equal(bksi_paths_route(&mesh.paths[0], 1)->carriers, 1);
        mesh_model_cut(&mesh, 0, 1, false);
        mesh_model_run(&mesh, 4.0);
        assert_int_equal(bksi_paths_route(&mesh.paths[0], 1)->carriers, 0);
        assert_int_equal(bksi_paths_route(&mesh.paths[1], 0)->carriers, 0);
        assert_flows("healed", 20 + delay_ms);
        assert_settles("after healing", 0.0);
    }
}

static void a_link_that_comes_and_goes_is_left_alone(void **context)
{
    (void)context;
    begin(3, 30);
    mesh_model_run(&mesh, 3.0);
    uint64_t before = mesh_model_changes(&mesh);
    for (int i = 0; i < 60; i++) {
        mesh_model_cut(&mesh, 0, 1, i % 2 == 0);
        mesh_model_run(&mesh, 0.8);
    }
    // 48 s of it: to the third peer and, at most every few seconds, back.
    assert_true(mesh_model_changes(&mesh) - before <= 40);
    assert_true(mesh_model_gap_ns(&mesh) < SECOND);
}

static void a_one_sided_cut_takes_its_own_direction_out_and_no_other(void **context)
{
    (void)context;
    begin(3, 40);
    mesh_model_run(&mesh, 3.0);
    mesh_model_reset(&mesh);
    mesh.is_cut[0][1] = true;
    mesh_model_run(&mesh, 3.0);
    assert_flows("one-sided", 350);
    assert_int_equal(bksi_paths_route(&mesh.paths[0], 1)->carriers, 1);
    mesh_model_run(&mesh, 3.0);
    assert_int_equal(bksi_paths_route(&mesh.paths[1], 0)->carriers, 0);
    assert_settles("one-sided", 1.0);
}

static void lines_stars_and_rings_are_found(void **context)
{
    (void)context;
    begin(4, 40);
    cut_all();
    for (uint32_t i = 0; i < 3; i++) {
        mesh_model_cut(&mesh, i, i + 1, false);
    }
    assert_settles("a line of four", 2.0);
    begin(8, 40);
    cut_all();
    for (uint32_t i = 1; i < 8; i++) {
        mesh_model_cut(&mesh, 0, i, false);
    }
    assert_settles("a star of eight", 2.0);
    for (uint32_t count = 3; count <= 8; count++) {
        begin(count, 20);
        cut_all();
        for (uint32_t i = 0; i < count; i++) {
            mesh.is_cut[i][(i + 1) % count] = false;
        }
        assert_settles("a ring in one direction", 3.0);
    }
}

static void cut_some(uint32_t percent)
{
    for (uint32_t a = 0; a < mesh.count; a++) {
        for (uint32_t b = 0; b < mesh.count; b++) {
            mesh.is_cut[a][b] = seed_below(100) < percent;
        }
    }
}

static bool is_strongly_connected(void)
{
    bool reaches[BKS_PEERS_MAX][BKS_PEERS_MAX];
    uint32_t count = mesh.count;
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = 0; b < count; b++) {
            reaches[a][b] = a == b || !mesh.is_cut[a][b];
        }
    }
    bool all = true;
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t a = 0; a < count; a++) {
            for (uint32_t b = 0; b < count; b++) {
                reaches[a][b] |= reaches[a][k] && reaches[k][b];
                all &= reaches[a][b] || k + 1 < count;
            }
        }
    }
    return all;
}

static void whatever_is_connected_at_all_is_connected_soon(void **context)
{
    (void)context;
    uint32_t found = 0;
    while (found < 40) {
        begin(3 + seed_below(6), 5 + seed_below(40));
        cut_some(55);
        if (is_strongly_connected()) {
            assert_settles("a random graph", 5.0);
            found++;
        }
    }
}

static void a_carrier_that_drops_what_it_should_carry_is_left(void **context)
{
    (void)context;
    begin(4, 40);
    mesh_model_run(&mesh, 3.0);
    mesh_model_reset(&mesh);
    mesh_model_cut(&mesh, 0, 1, true);
    mesh.drops_carried[2] = true;
    mesh_model_run(&mesh, 3.0);
    assert_flows("a carrier that drops", 900);
    assert_settles("a carrier that drops", 0.0);
}

static void a_carrier_that_dies_is_left(void **context)
{
    (void)context;
    begin(4, 40);
    mesh_model_cut(&mesh, 0, 1, true);
    mesh_model_run(&mesh, 5.0);
    uint32_t carrier = bksi_paths_route(&mesh.paths[0], 1)->peers[0];
    mesh.is_dead[carrier] = true;
    mesh_model_reset(&mesh);
    mesh_model_run(&mesh, 5.0);
    assert_flows("a carrier that dies", 800);
}

static void what_a_liar_says_of_others_harms_none_of_them(void **context)
{
    (void)context;
    for (uint32_t liar = 2; liar < 5; liar++) {
        begin(5, 40);
        mesh.lies[liar] = true;
        mesh_model_run(&mesh, 3.0);
        mesh_model_reset(&mesh);
        mesh_model_run(&mesh, 10.0);
        assert_flows("a liar", 20);
        mesh_model_cut(&mesh, 0, 1, true);
        mesh_model_run(&mesh, 3.0);
        assert_flows("a liar and a cut", 600);
        mesh_model_run(&mesh, 30.0);
        assert_flows("a liar and a cut, later", 400);
    }
}

static void loss_alone_moves_few(void **context)
{
    (void)context;
    begin(4, 40);
    mesh.loss_of_1000 = 250;
    mesh_model_run(&mesh, 120.0);
    assert_true(mesh_model_changes(&mesh) < 30);
    assert_flows("25 % loss", 400);
    mesh.loss_of_1000 = 0;
    mesh_model_run(&mesh, 10.0);
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t k = 0; k < 4; k++) {
            assert_int_equal(bksi_paths_route(&mesh.paths[i], k)->carriers, 0);
        }
    }
}

/// Nothing that a peer sends gets out for a while; then the links are as they were before.
static void silence(uint32_t peer, uint64_t span_ms)
{
    bool before[BKS_PEERS_MAX];
    memcpy(before, mesh.is_cut[peer], sizeof(before));
    for (uint32_t to = 0; to < mesh.count; to++) {
        mesh.is_cut[peer][to] = true;
    }
    mesh_model_run(&mesh, (double)span_ms / 1e3);
    memcpy(mesh.is_cut[peer], before, sizeof(before));
}

static void what_goes_through_a_peer_flows_as_soon_as_that_is_heard_again(void **context)
{
    (void)context;
    for (uint32_t silent = 0; silent < 3; silent++) {
        for (uint64_t delay_ms = 10; delay_ms <= 90; delay_ms += 40) {
            for (uint64_t span_ms = 100; span_ms <= 1000; span_ms += 150) {
                begin(3, delay_ms);
                mesh_model_cut(&mesh, 1, 2, true);
                mesh_model_run(&mesh, 3.0);
                mesh_model_reset(&mesh);
                silence(silent, span_ms);
                mesh_model_run(&mesh, 2.0);
                assert_flows("silence", span_ms + 2 * delay_ms + 20);
            }
        }
    }
}

/// The peer that falls silent may be the only one that carries, or no one's carrier.
static void in_any_graph_a_moments_silence_of_a_peer_costs_no_more_than_itself(void **context)
{
    (void)context;
    uint32_t found = 0;
    while (found < 40) {
        const uint64_t delay_ms = 5 + seed_below(80);
        begin(3 + seed_below(4), delay_ms);
        cut_some(50);
        if (!is_strongly_connected()) {
            continue;
        }
        found++;
        mesh_model_run(&mesh, 6.0);
        mesh_model_reset(&mesh);
        const uint64_t span_ms = 50 + seed_below(1000);
        silence(seed_below(mesh.count), span_ms);
        mesh_model_run(&mesh, 4.0);
        assert_flows("silence in a graph", span_ms + (mesh.count + 1) * delay_ms + 50);
    }
}

// ---- one peer's own view ----

static const uint64_t trips_ns[BKS_PEERS_MAX] = {0, 40 * MS, 40 * MS, 40 * MS};

static void a_peers_own_word_counts_before_what_others_say(void **context)
{
    (void)context;
    bksi_paths paths;
    bksi_paths_init(&paths, 0, 0x7, SECOND);
    bksi_route route;
    bksi_paths_search(&paths, 1, &route);
    assert_int_equal(route.carriers, 0);
    bksi_paths_heard(&paths, 1, true, SECOND);
    bksi_paths_report(&paths, 1, 1, 7, 0x6, SECOND); // hears 2, not us
    bksi_paths_report(&paths, 2, 1, 9, 0x7, SECOND); // a hint that it does
    bksi_paths_heard(&paths, 2, true, SECOND);
    bksi_paths_report(&paths, 2, 2, 1, 0x7, SECOND);
    bksi_paths_search(&paths, 1, &route);
    assert_int_equal(route.carriers, 1);
    assert_int_equal(route.peers[0], 2);
    // An older word changes nothing.
    bksi_paths_report(&paths, 1, 1, 6, 0x7, SECOND);
    bksi_paths_search(&paths, 1, &route);
    assert_int_equal(route.carriers, 1);
    bksi_paths_report(&paths, 1, 1, 8, 0x7, SECOND);
    bksi_paths_search(&paths, 1, &route);
    assert_int_equal(route.carriers, 0);
    // Of ourselves no one else speaks.
    uint16_t number;
    uint32_t peers;
    bksi_paths_report(&paths, 1, 0, 99, 0, SECOND);
    assert_true(bksi_paths_known(&paths, 0, &number, &peers));
    assert_int_equal(peers, 0x7);
}

static void a_way_without_echoes_is_left_and_not_taken_again_at_once(void **context)
{
    (void)context;
    bksi_paths paths;
    bksi_paths_init(&paths, 0, 0xF, SECOND);
    uint64_t now_ns = SECOND;
    uint32_t seen[3] = {0};
    for (uint32_t i = 0; i < 60; i++) {
        now_ns += 10 * MS;
        for (uint32_t peer = 1; peer < 4; peer++) {
            bksi_paths_heard(&paths, peer, true, now_ns);
        }
        bksi_paths_update(&paths, trips_ns, now_ns);
        seen[bksi_paths_route(&paths, 1)->carriers]++;
        assert_true(paths.peers[1].echoed_ns == 0);
    }
    assert_in_range(seen[0], 15, 30); // 200 ms straight, then one carrier after the other
    assert_in_range(seen[1], 30, 50);
    bksi_paths_echoed(&paths, 1, BKSI_PATH_NO_ID, now_ns);
    assert_true(paths.peers[1].echoed_ns == 0);
    uint32_t id = bksi_paths_id(&paths, 1);
    bksi_route route = *bksi_paths_route(&paths, 1);
    bksi_paths_echoed(&paths, 1, id, now_ns);
    assert_true(paths.peers[1].echoed_ns == now_ns);
    bksi_paths_update(&paths, trips_ns, now_ns + 150 * MS);
    assert_true(bksi_route_equals(bksi_paths_route(&paths, 1), &route));
}

/// How long a straight way without echoes is kept while packets come, straight or by others.
static uint64_t kept_ms(bool is_straight)
{
    bksi_paths paths;
    bksi_paths_init(&paths, 0, 0xF, SECOND);
    uint64_t now_ns = SECOND;
    for (uint32_t i = 0; i < 100; i++) {
        now_ns += 10 * MS;
        bksi_paths_heard(&paths, 1, true, now_ns);
        bksi_paths_echoed(&paths, 1, bksi_paths_id(&paths, 1), now_ns);
        bksi_paths_update(&paths, trips_ns, now_ns);
    }
    for (uint64_t ms = 10;; ms += 10) {
        now_ns += 10 * MS;
        bksi_paths_heard(&paths, 1, is_straight, now_ns);
        bksi_paths_update(&paths, trips_ns, now_ns);
        if (!bksi_route_is_direct(bksi_paths_route(&paths, 1)) || ms > 10000) {
            return ms;
        }
    }
}

static void a_way_by_which_nothing_comes_any_more_is_left_in_half_the_time(void **context)
{
    (void)context;
    const uint64_t heard_ms = kept_ms(true);
    assert_in_range(heard_ms, 100, 1000);
    assert_in_range(kept_ms(false), heard_ms / 2 - 10, heard_ms / 2 + 20);
}

static bksi_paths some;
static uint64_t some_ns;

static void begin_some(uint32_t members)
{
    bksi_paths_init(&some, 0, members, SECOND);
    some_ns = SECOND;
}

/// @param heard  bits: the peers that peer 0 hears straight
static void run_heard(uint64_t ms, uint32_t heard, bool echoes)
{
    for (uint64_t end_ns = some_ns + ms * MS; some_ns < end_ns;) {
        some_ns += 10 * MS;
        for (uint32_t peer = 1; peer < BKS_PEERS_MAX; peer++) {
            if ((heard >> peer & 1) != 0) {
                bksi_paths_heard(&some, peer, true, some_ns);
            }
        }
        if (echoes) {
            bksi_paths_echoed(&some, 1, bksi_paths_id(&some, 1), some_ns);
        }
        bksi_paths_update(&some, trips_ns, some_ns);
    }
}

static void run_some(uint64_t ms, bool echoes)
{
    run_heard(ms, 0xFE, echoes);
}

/// A peer says whom it hears, and all that follows is done.
static void say(uint32_t peer, uint16_t number, uint32_t hears)
{
    bksi_paths_report(&some, peer, peer, number, hears, some_ns);
    bksi_paths_update(&some, trips_ns, some_ns);
}

static void assert_carrier(uint32_t carrier)
{
    const bksi_route *route = bksi_paths_route(&some, 1);
    assert_int_equal(route->carriers, 1);
    assert_int_equal(route->peers[0], carrier);
}

/// Return the number of carriers on the route to peer 1 after 130 ms without a straight packet.
static uint32_t carriers_after_a_silence(double loss)
{
    begin_some(0x7);
    say(2, 1, 0x7);
    bksi_paths_set_loss(&some, 1, loss);
    run_some(1000, true);
    run_heard(130, 0xFC, false);
    return bksi_paths_route(&some, 1)->carriers;
}

static void a_silence_that_losses_explain_moves_nothing(void **context)
{
    (void)context;
    assert_int_equal(carriers_after_a_silence(0.0), 1);
    assert_int_equal(carriers_after_a_silence(0.25), 0);
}

/// A peer that stood still was silent by every way, so the straight one has not failed.
static void a_peer_that_stood_still_is_reached_straight_as_soon_as_it_comes(void **context)
{
    (void)context;
    begin_some(0x7);
    say(2, 1, 0x7);
    run_some(1000, true);
    run_heard(1500, 0x4, false);
    assert_carrier(2);
    bksi_paths_heard(&some, 1, true, some_ns);
    assert_int_equal(bksi_paths_route(&some, 1)->carriers, 0);
}

/// While a detour brings packets, a straight one alone does not end it.
static void a_peer_that_came_by_a_detour_is_not_reached_straight_at_once(void **context)
{
    (void)context;
    begin_some(0x7);
    say(2, 1, 0x7);
    run_some(1000, true);
    run_heard(1500, 0x4, false);
    bksi_paths_heard(&some, 1, false, some_ns);
    bksi_paths_heard(&some, 1, true, some_ns);
    assert_carrier(2);
}

/// Return true if our own report still says that we hear peer 1 after a time without packets.
/// @param has_woken  true: the paths are told before that time that we stood still
static bool is_heard_after_freeze(bool has_woken, uint64_t silent_ms)
{
    begin_some(0x7);
    run_some(1000, true);
    if (has_woken) {
        bksi_paths_woke(&some, trips_ns, some_ns);
    }
    run_heard(silent_ms, 0, true);
    uint16_t number = 0;
    uint32_t hears = 0;
    assert_true(bksi_paths_known(&some, 0, &number, &hears));
    return (hears & 2) != 0;
}

static void after_a_freeze_of_ours_no_peer_is_missed_for_a_round_trip(void **context)
{
    (void)context;
    const uint64_t trip_ms = trips_ns[1] / MS;
    assert_false(is_heard_after_freeze(false, 100 + trip_ms));
    assert_true(is_heard_after_freeze(true, 90 + trip_ms));
    assert_false(is_heard_after_freeze(true, 300 + trip_ms));
}

/// Return true if the straight route is in use again after 24 probes, of which a third is lost.
/// @param loss  loss that the straight route is known to have
static bool is_back_although_a_third_is_lost(double loss)
{
    begin_some(0x7);
    say(2, 1, 0x7);
    run_some(1000, true);
    say(1, 1, 0x6);
    assert_carrier(2);
    say(1, 2, 0x7);
    bksi_paths_set_loss(&some, 1, loss);
    for (uint32_t probes = 0; probes < 24 && bksi_paths_route(&some, 1)->carriers > 0;) {
        bksi_route route;
        uint32_t id;
        run_some(10, true);
        if (bksi_paths_probe(&some, 1, some_ns, &route, &id) && ++probes % 3 != 0) {
            bksi_paths_echoed(&some, 1, id, some_ns);
        }
    }
    return bksi_paths_route(&some, 1)->carriers == 0;
}

static void the_straight_way_is_back_if_it_is_no_worse_than_the_one_in_use(void **context)
{
    (void)context;
    assert_false(is_back_although_a_third_is_lost(0.0));
    assert_true(is_back_although_a_third_is_lost(0.25));
}

static void where_all_ways_are_denied_the_one_in_use_is_kept(void **context)
{
    (void)context;
    begin_some(0x7);
    say(2, 1, 0x7);
    run_some(1000, true);
    say(1, 1, 0x6);
    assert_carrier(2);
    run_some(1000, true);
    const uint32_t id = bksi_paths_id(&some, 1);
    say(1, 2, 0x2);
    run_some(1000, false);
    assert_carrier(2);
    say(1, 3, 0x6);
    run_some(1000, true);
    assert_carrier(2);
    assert_int_equal(bksi_paths_id(&some, 1), id);
}

static void a_way_that_a_hearer_denied_has_not_failed(void **context)
{
    (void)context;
    begin_some(0xF);
    say(2, 1, 0xF);
    say(3, 1, 0xE); // it does not hear us
    run_some(1000, true);
    say(1, 1, 0xE);
    assert_carrier(2);
    run_some(1000, true);
    say(3, 2, 0xF);
    say(1, 2, 0xA);
    assert_carrier(3);
    run_some(600, true);
    say(1, 3, 0x6);
    assert_carrier(2);
}

/// After two and a half seconds of silence the carrier hears no one yet, and says so of itself and
/// of the target.
static void a_way_that_is_kept_for_want_of_another_has_not_failed(void **context)
{
    (void)context;
    begin_some(0x7);
    say(2, 1, 0x7);
    run_some(1000, true);
    say(1, 1, 0x6);
    run_some(1000, true);
    run_heard(2500, 0, false);
    assert_carrier(2);
    bksi_paths_heard(&some, 2, true, some_ns);
    bksi_paths_report(&some, 2, 1, 2, 0x2, some_ns);
    say(2, 2, 0x4);
    for (uint32_t i = 0; i < 50 && bksi_paths_route(&some, 1)->carriers > 0; i++) {
        run_heard(10, 0x4, false);
    }
    assert_int_equal(bksi_paths_route(&some, 1)->carriers, 0);
    bksi_paths_report(&some, 2, 1, 3, 0x6, some_ns);
    say(2, 3, 0x7);
    assert_carrier(2);
}

static void peers_that_leave_carry_no_more(void **context)
{
    (void)context;
    begin(3, 20);
    mesh_model_cut(&mesh, 0, 1, true);
    mesh_model_run(&mesh, 3.0);
    bksi_paths *paths = &mesh.paths[0];
    assert_int_equal(bksi_paths_route(paths, 1)->carriers, 1);
    bksi_paths_set_members(paths, 0x3, SECOND);
    bksi_paths_update(paths, trips_ns, mesh.now_ns + 1000 * MS);
    assert_int_equal(bksi_paths_route(paths, 1)->carriers, 0);
    bksi_paths_heard(paths, 2, true, mesh.now_ns + 1000 * MS);
    bksi_paths_heard(paths, 99, true, mesh.now_ns + 1000 * MS);
    bksi_paths_report(paths, 1, 99, 0, 0, mesh.now_ns + 1000 * MS);
    bksi_paths_echoed(paths, 7, 99, mesh.now_ns + 1000 * MS);
}

/// What others said of the one that had a number before is not said of its heir.
static void hints_of_a_peer_go_with_it(void **context)
{
    (void)context;
    static bksi_paths heirs;
    const uint64_t ms = 1000000;
    bksi_paths_init(&heirs, 0, 0xF, 1000 * ms);
    bksi_paths_report(&heirs, 1, 3, 0x7000, 0, 1000 * ms);
    bksi_paths_set_members(&heirs, 0x7, 2000 * ms);
    bksi_paths_set_members(&heirs, 0xF, 3000 * ms);
    bksi_paths_report(&heirs, 3, 3, 1, 0xF, 3100 * ms);
    bksi_paths_heard(&heirs, 3, true, 3100 * ms);
    bksi_paths_heard(&heirs, 1, true, 3300 * ms);
    uint16_t number = 0;
    uint32_t peers = 0;
    assert_true(bksi_paths_known(&heirs, 3, &number, &peers));
    assert_int_equal(number, 1);
    assert_int_equal(peers, 0xF);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 16);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hints_of_a_peer_go_with_it),
        cmocka_unit_test(all_go_straight_while_all_is_well),
        cmocka_unit_test(a_cut_is_passed_by_before_a_window_of_20_ticks_ends),
        cmocka_unit_test(a_link_that_comes_and_goes_is_left_alone),
        cmocka_unit_test(a_one_sided_cut_takes_its_own_direction_out_and_no_other),
        cmocka_unit_test(lines_stars_and_rings_are_found),
        cmocka_unit_test(whatever_is_connected_at_all_is_connected_soon),
        cmocka_unit_test(a_carrier_that_drops_what_it_should_carry_is_left),
        cmocka_unit_test(a_carrier_that_dies_is_left),
        cmocka_unit_test(what_a_liar_says_of_others_harms_none_of_them),
        cmocka_unit_test(loss_alone_moves_few),
        cmocka_unit_test(what_goes_through_a_peer_flows_as_soon_as_that_is_heard_again),
        cmocka_unit_test(in_any_graph_a_moments_silence_of_a_peer_costs_no_more_than_itself),
        cmocka_unit_test(a_peers_own_word_counts_before_what_others_say),
        cmocka_unit_test(a_way_without_echoes_is_left_and_not_taken_again_at_once),
        cmocka_unit_test(a_way_by_which_nothing_comes_any_more_is_left_in_half_the_time),
        cmocka_unit_test(a_silence_that_losses_explain_moves_nothing),
        cmocka_unit_test(a_peer_that_stood_still_is_reached_straight_as_soon_as_it_comes),
        cmocka_unit_test(a_peer_that_came_by_a_detour_is_not_reached_straight_at_once),
        cmocka_unit_test(after_a_freeze_of_ours_no_peer_is_missed_for_a_round_trip),
        cmocka_unit_test(the_straight_way_is_back_if_it_is_no_worse_than_the_one_in_use),
        cmocka_unit_test(where_all_ways_are_denied_the_one_in_use_is_kept),
        cmocka_unit_test(a_way_that_a_hearer_denied_has_not_failed),
        cmocka_unit_test(a_way_that_is_kept_for_want_of_another_has_not_failed),
        cmocka_unit_test(peers_that_leave_carry_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
