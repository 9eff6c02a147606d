// SPDX-License-Identifier: MIT

// One player's machine: a session, a game and a recorder, driven by hand.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "backstitch/replay.h"
#include "backstitch/toolkit/runner.h"
#include "game/some_game.h"
#include "peer/give_roster.h"
#include "peer/peer_inspect.h"
#include "peer/peer_network.h"
#include "support/catch_log.h"
#include "support/says.h"
#include "wire/roster.h"

#define TICKS 300

static peer_network network;

static const some_state *state_of(uint32_t peer)
{
    return bks_peer_state(network.peers[peer].peer);
}

/// All have played to the end and have the same states.
static void assert_all_agree(void)
{
    uint64_t first = 0;
    for (uint32_t i = 0; i < network.peer_count; i++) {
        uint64_t hash = 0;
        assert_int_equal(network.peers[i].status, BKS_OVER);
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        assert_int_equal(bks_session_hash(net_session(&network, i), TICKS, &hash), BKS_OK);
        first = i == 0 ? hash : first;
        assert_true(hash == first);
        assert_memory_equal(state_of(i), state_of(0), sizeof(some_state));
    }
}

/// The position of a player after all ticks by its monkey, apart from any match.
static int64_t monkeys_way(uint32_t player)
{
    bks_monkey monkey;
    assert_int_equal(bks_monkey_init(&monkey, some_fields, 2, 9, player, 1, 12, NULL), BKS_OK);
    bks_source source = bks_monkey_source(&monkey);
    int64_t x = 0;
    for (bks_tick t = 0; t < TICKS; t++) {
        bks_sample sample = {.tick = t, .player = player, .field_count = 2};
        int32_t values[2] = {0};
        source.sample(source.context, &sample, values);
        x += values[0];
    }
    return x;
}

// ---- playing ----

static bks_game seer;
static const some_state *seer_states[NET_PEERS_MAX];
static uint32_t seer_calls;

/// A game that sees what its players do next: how far one has come says which tick it is.
static void see(const void *state, uint32_t player, bks_tick tick, bks_tick last_tick,
                const int32_t *last, int32_t *guess)
{
    seer_calls++;
    assert_true(last_tick < tick && player < 2);
    assert_true(state == seer_states[0] || state == seer_states[1]);
    assert_memory_equal(guess, last, 2 * sizeof(int32_t)); // both fields hold
    bks_monkey monkey;
    assert_int_equal(bks_monkey_init(&monkey, some_fields, 2, 9, player, 1, 12, NULL), BKS_OK);
    bks_source source = bks_monkey_source(&monkey);
    int64_t x = 0;
    for (bks_tick t = 0; t <= tick; t++) {
        bks_sample sample = {.tick = t, .player = player, .field_count = 2};
        int32_t values[2] = {0};
        source.sample(source.context, &sample, values);
        memcpy(guess, values, sizeof(values));
        x += t < tick ? values[0] : 0;
    }
    assert_int_equal(((const some_state *)state)->x[player], x); // the state of that very tick
}

static void tune_seer(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    seer = some_game;
    seer.predict = see;
    config->game = &seer;
}

static void a_game_that_predicts_sees_the_state_and_is_not_rolled_back(void **context)
{
    (void)context;
    net_create(&network, 2, tune_seer);
    for (uint32_t i = 0; i < 2; i++) {
        seer_states[i] = state_of(i);
    }
    seer_calls = 0;
    network.loss_percent = 10;
    assert_true(net_run_to_end(&network, 30000 * NET_MS));
    assert_all_agree();
    for (uint32_t i = 0; i < 2; i++) {
        bks_stats stats;
        assert_int_equal(bks_session_stats(net_session(&network, i), &stats), BKS_OK);
        assert_int_equal(stats.rollbacks, 0);
    }
    assert_true(seer_calls > TICKS);
    net_destroy(&network);
}

static void peers_agree_and_end_where_the_inputs_lead(void **context)
{
    (void)context;
    net_create(&network, 3, NULL);
    network.loss_percent = 15;
    assert_true(net_run_to_end(&network, 30000 * NET_MS));
    assert_all_agree();
    bks_stats stats;
    assert_int_equal(bks_session_stats(net_session(&network, 0), &stats), BKS_OK);
    assert_true(stats.rollbacks > 10); // or it says little
    for (uint32_t p = 0; p < 3; p++) {
        assert_int_equal(state_of(1)->x[p], monkeys_way(p));
    }
    assert_true(state_of(2)->seed == 42);
    assert_int_equal(state_of(2)->inits, 1);
    net_destroy(&network);
}

static void tune_own_state(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->game = &own_game;
    config->record.write = NULL;
}

static void a_game_with_a_state_of_its_own_agrees_too(void **context)
{
    (void)context;
    net_create(&network, 2, tune_own_state);
    assert_true(net_run_to_end(&network, 30000 * NET_MS));
    const own_state *a = bks_peer_state(network.peers[0].peer);
    const own_state *b = bks_peer_state(network.peers[1].peer);
    assert_int_equal(a->sum, b->sum);
    assert_int_equal(a->sum, 42 + monkeys_way(0) + monkeys_way(1));
    assert_int_equal(own.alive, 2);
    net_destroy(&network);
    assert_int_equal(own.alive, 0);
}

static uint32_t init_calls;
static bks_game counted_game;

static void counted_init(void *state, const bks_start *start)
{
    init_calls++;
    some_game.init(state, start);
}

static void tune_init_counted(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->game = &counted_game;
    config->record.write = NULL;
}

static void tune_init_counted_repairs(bks_peer_config *config, uint32_t peer)
{
    tune_init_counted(config, peer);
    config->session.tuning.on_desync = BKS_ON_DESYNC_RESYNC;
}

/// Loading takes time: each machine does it once.
static void each_peer_runs_init_once(void **context)
{
    (void)context;
    counted_game = some_game;
    counted_game.init = counted_init;
    for (uint32_t repairs = 0; repairs < 2; repairs++) {
        init_calls = 0;
        net_create(&network, 3, repairs != 0 ? tune_init_counted_repairs : tune_init_counted);
        assert_in_range(init_calls, 0, repairs); // a host checks that states can be repaired
        assert_true(net_run_to_end(&network, 30000 * NET_MS));
        assert_all_agree();
        assert_int_equal(init_calls, 3);
        net_destroy(&network);
    }
}

static void tune_by_hand(bks_peer_config *config, uint32_t peer)
{
    if (peer == 0) {
        config->sources[0].sample = NULL;
    }
}

static void a_local_player_without_a_source_holds_what_was_set(void **context)
{
    (void)context;
    net_create(&network, 2, tune_by_hand);
    bks_peer *peer = network.peers[0].peer;
    net_run_until(&network, 1000 * NET_MS);
    assert_int_equal(state_of(0)->x[0], 0); // neutral before anything is set
    some_input input = {.move = 7, .fire = 1};
    assert_int_equal(bks_peer_input(peer, 0, &input, NULL), BKS_OK);
    net_run_until(&network, 2000 * NET_MS);
    input.move = -16;
    assert_int_equal(bks_peer_input(peer, 0, &input, NULL), BKS_OK);
    assert_true(net_run_to_end(&network, 30000 * NET_MS));
    assert_all_agree();
    bks_replay *replay = NULL;
    const memory_sink *record = &network.peers[1].record;
    assert_int_equal(bks_replay_open(record->bytes, record->count, NULL, &replay, NULL), BKS_OK);
    uint32_t held[3] = {0};
    int32_t before = 0;
    for (bks_tick t = 0; t < TICKS; t++) {
        int32_t values[4];
        assert_int_equal(bks_replay_inputs(replay, t, values), BKS_OK);
        assert_true(values[0] == 0 || values[0] == 7 || values[0] == -16);
        assert_true(values[0] == before || (before == 0 && values[0] == 7) ||
                    (before == 7 && values[0] == -16));
        held[values[0] == 0 ? 0 : values[0] == 7 ? 1 : 2]++;
        before = values[0];
    }
    bks_replay_close(replay);
    // A second of each, more or less by the delay and the start; the rest is of the last one.
    assert_in_range(held[0], 36, 65);
    assert_in_range(held[1], 58, 62);
    net_destroy(&network);
}

static void a_source_outranks_what_was_set(void **context)
{
    (void)context;
    net_create(&network, 2, NULL);
    some_input input = {.move = 7};
    assert_int_equal(bks_peer_input(network.peers[0].peer, 0, &input, NULL), BKS_OK);
    assert_true(net_run_to_end(&network, 30000 * NET_MS));
    assert_int_equal(state_of(1)->x[0], monkeys_way(0));
    net_destroy(&network);
}

static bks_tick asked_next[NET_PEERS_MAX];
static uint32_t asked_wrong;

static void sample_watched(void *context, const bks_sample *sample, int32_t *values)
{
    bks_tick *next = context;
    asked_wrong += sample->tick != *next || sample->state == NULL || sample->field_count != 2 ||
                   values[0] != 0 || values[1] != 0;
    (*next)++;
    values[0] = 1000; // beyond the field: clamped to 15
}

static void tune_watched(bks_peer_config *config, uint32_t peer)
{
    asked_next[peer] = 0;
    config->sources[0] = (bks_source){.sample = sample_watched, .context = &asked_next[peer]};
}

static void a_source_is_asked_once_for_each_tick_in_order_and_clamped(void **context)
{
    (void)context;
    asked_wrong = 0;
    net_create(&network, 2, tune_watched);
    network.loss_percent = 10;
    assert_true(net_run_to_end(&network, 30000 * NET_MS));
    assert_int_equal(asked_wrong, 0);
    assert_int_equal(asked_next[0], TICKS);
    assert_int_equal(asked_next[1], TICKS);
    assert_int_equal(state_of(0)->x[1], 15 * TICKS);
    net_destroy(&network);
}

static void tune_two_seats(bks_peer_config *config, uint32_t peer)
{
    config->session.players = 3;
    if (peer == 0) {
        return;
    }
    config->session.local_players = 2;
    config->session.first_player = 1;
    config->sources[0].sample = NULL;
    config->sources[1].sample = NULL;
}

static void inputs_of_two_local_players_stay_apart(void **context)
{
    (void)context;
    net_create(&network, 2, tune_two_seats);
    some_input forth = {.move = 3};
    some_input back = {.move = -2};
    assert_int_equal(bks_peer_input(network.peers[1].peer, 0, &forth, NULL), BKS_OK);
    assert_int_equal(bks_peer_input(network.peers[1].peer, 1, &back, NULL), BKS_OK);
    assert_true(net_run_to_end(&network, 30000 * NET_MS));
    assert_all_agree();
    assert_int_equal(state_of(0)->x[1], 3 * TICKS);
    assert_int_equal(state_of(0)->x[2], -2 * TICKS);
    net_destroy(&network);
}

// ---- options ----

static void tune_huge(bks_peer_config *config, uint32_t peer)
{
    if (peer > 0) {
        return; // guests know nothing of it
    }
    config->has_options = true;
    assert_int_equal(bks_option_values_default(&some_game, &config->options), BKS_OK);
    assert_int_equal(bks_option_values_set(&some_game, &config->options, "map", "huge", NULL),
                     BKS_OK);
    assert_int_equal(bks_option_values_set(&some_game, &config->options, "lives", "7", NULL),
                     BKS_OK);
}

static void options_of_the_host_reach_the_guest(void **context)
{
    (void)context;
    net_create(&network, 2, tune_huge);
    size_t plain = bksi_runner_export_bytes_max(bksi_peer_runner(network.peers[1].peer));
    net_run_until(&network, 1000 * NET_MS);
    size_t huge = bksi_runner_export_bytes_max(bksi_peer_runner(network.peers[1].peer));
    assert_true(huge > 5 * plain); // the state was made anew at the size the option asks for
    assert_true(net_run_to_end(&network, 30000 * NET_MS));
    assert_all_agree();
    assert_int_equal(state_of(1)->lives, 7);
    assert_int_equal(state_of(1)->inits, 1);
    net_destroy(&network);
}

/// Hand the guest a complete roster with these bytes of setup, and let it make its state.
static bks_status start_guest_with(const void *setup, size_t setup_bytes, uint32_t players)
{
    net_create(&network, 2, NULL);
    network.peers[0].is_frozen = true; // the roster is ours
    net_run_until(&network, 20 * NET_MS);
    bksi_roster_message roster = {.stage = BKSI_ROSTER_COMPLETE,
                                  .self = 1,
                                  .members = 3,
                                  .players = players,
                                  .seed = 42,
                                  .ticks = 300,
                                  .hash_every_ticks = 1,
                                  .setup_bytes = setup_bytes};
    memcpy(roster.setup, setup, setup_bytes);
    roster.peers[0] = (bksi_roster_peer){.player_count = players - 1};
    roster.peers[1] = (bksi_roster_peer){
        .first_player = players - 1, .player_count = 1, .address = net_address(1)};
    assert_true(give_roster(net_session(&network, 1), &roster));
    bks_status status = bks_peer_update(network.peers[1].peer, network.now_ns);
    bks_address to;
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    while (bks_peer_send(network.peers[1].peer, &to, packet, sizeof(packet)) > 0) {
    } // the others are told first
    assert_int_equal(status, BKS_OK);
    status = bks_peer_update(network.peers[1].peer, network.now_ns);
    if (status != BKS_OK) { // what failed stays failed
        assert_int_equal(bks_peer_update(network.peers[1].peer, network.now_ns), status);
        assert_int_equal(bks_session_phase(net_session(&network, 1)), BKS_PHASE_FAILED);
    }
    net_destroy(&network);
    return status;
}

static void hostile_setups_are_refused(void **context)
{
    (void)context;
    assert_int_equal(start_guest_with("\2\5plain\0013", 9, 2), BKS_OK);
    assert_int_equal(start_guest_with("", 0, 2), BKS_ERR_REFUSED);
    assert_int_equal(start_guest_with("\2", 1, 2), BKS_ERR_REFUSED);
    assert_int_equal(start_guest_with("\1\5plain", 7, 2), BKS_ERR_REFUSED);
    assert_int_equal(start_guest_with("\2\5plain\0013?", 10, 2), BKS_ERR_REFUSED);
    assert_int_equal(start_guest_with("\2\5pla\nn\0013", 9, 2), BKS_ERR_REFUSED);
    assert_int_equal(start_guest_with("\2\377plain\0013", 9, 2), BKS_ERR_REFUSED);
    assert_int_equal(start_guest_with("\2\4moon\0013", 8, 2), BKS_ERR_BAD_CONFIG);
    uint8_t noise[BKS_SETUP_BYTES_MAX];
    memset(noise, 0xff, sizeof(noise));
    assert_int_equal(start_guest_with(noise, sizeof(noise), 2), BKS_ERR_REFUSED);
}

static void more_players_than_the_game_has_are_refused(void **context)
{
    (void)context;
    assert_int_equal(start_guest_with("\2\5plain\0013", 9, 4), BKS_OK);
    assert_int_equal(start_guest_with("\2\5plain\0013", 9, 5), BKS_ERR_BAD_CONFIG);
    assert_int_equal(start_guest_with("\2\5plain\0013", 9, 16), BKS_ERR_BAD_CONFIG);
}

static bks_status refuse_all(const bks_start *start, size_t *out_state_bytes, bks_error *error)
{
    static uint32_t asked;
    *out_state_bytes = 10000;
    (void)snprintf(error->text, sizeof(error->text), "map is %s, must be plain",
                   bks_start_option(start, "map"));
    // Create asks first, and the default options are good; the host's are not.
    return asked++ == 0 ? BKS_OK : BKS_ERR_BAD_CONFIG;
}

static void tune_one_unable(bks_peer_config *config, uint32_t peer)
{
    static bks_game unable;
    config->session.players = 2;
    config->session.first_player = BKS_AUTO;
    config->session.tuning.drop_after_ms = 1000;
    if (peer != 1) {
        return;
    }
    unable = some_game;
    unable.configure = refuse_all;
    config->game = &unable;
}

static void a_guest_that_cannot_make_the_game_gives_its_seat_back(void **context)
{
    (void)context;
    net_create(&network, 3, tune_one_unable);
    network.peers[2].is_frozen = true;
    net_run_until(&network, 2000 * NET_MS);
    assert_int_equal(network.peers[1].status, BKS_ERR_BAD_CONFIG);
    assert_int_equal(network.peers[0].status, BKS_OK);
    assert_false(bks_peer_started(network.peers[0].peer));
    assert_string_equal(network.peers[0].last[BKS_EVENT_REFUSED].text,
                        "peer 1 cannot make the match: map is plain, must be plain");
    assert_string_equal(network.peers[1].last[BKS_EVENT_REFUSED].text,
                        "the match cannot be made, map is plain, must be plain");
    network.peers[2].is_frozen = false;
    assert_true(net_run_to_end(&network, 30000 * NET_MS));
    assert_int_equal(network.peers[0].status, BKS_OVER);
    assert_int_equal(network.peers[2].status, BKS_OVER);
    assert_memory_equal(state_of(0), state_of(2), sizeof(some_state));
    net_destroy(&network);
}

// ---- outcomes ----

static void tune_other_version(bks_peer_config *config, uint32_t peer)
{
    static bks_game other;
    other = some_game;
    other.version = 9;
    if (peer == 1) {
        config->game = &other;
    }
}

static void updates_return_how_it_came_out(void **context)
{
    (void)context;
    net_create(&network, 2, tune_other_version);
    net_run_until(&network, 500 * NET_MS);
    assert_int_equal(network.peers[1].status, BKS_ERR_REFUSED);
    assert_int_equal(network.peers[0].status, BKS_OK);
    net_destroy(&network);

    net_create(&network, 2, NULL);
    net_run_until(&network, 1000 * NET_MS);
    network.peers[1].is_frozen = true;
    net_run_until(&network, 8000 * NET_MS);
    assert_int_equal(network.peers[0].status, BKS_OK);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
    network.peers[1].is_frozen = false;
    net_run_until(&network, 9500 * NET_MS);
    assert_int_equal(network.peers[1].status, BKS_ERR_PEER_LOST);
    assert_int_equal(network.peers[1].events[BKS_EVENT_DROPPED], 1);
    net_destroy(&network);

    net_create(&network, 2, NULL);
    net_run_until(&network, 1000 * NET_MS);
    assert_int_equal(bks_peer_leave(network.peers[1].peer), BKS_OK);
    net_run_until(&network, 1500 * NET_MS);
    assert_int_equal(network.peers[1].status, BKS_OVER);
    assert_int_equal(network.peers[0].status, BKS_OK);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
    net_destroy(&network);
}

static void a_match_has_started_once_its_first_state_is_final(void **context)
{
    (void)context;
    net_create(&network, 2, NULL);
    net_run_until(&network, 50 * NET_MS);
    assert_false(bks_peer_started(network.peers[0].peer));
    assert_false(bks_peer_started(network.peers[1].peer));
    net_run_until(&network, 1000 * NET_MS);
    assert_true(bks_peer_started(network.peers[0].peer));
    assert_true(bks_peer_started(network.peers[1].peer));
    net_destroy(&network);
}

static void a_planted_flip_is_found_at_its_tick_by_both(void **context)
{
    (void)context;
    net_create(&network, 2, NULL);
    const bksi_flip flip = {.tick = 120, .offset = offsetof(some_state, lives)};
    bksi_peer_flip(network.peers[1].peer, &flip);
    (void)net_run_to_end(&network, 8000 * NET_MS);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 1);
        assert_int_equal(network.peers[i].last[BKS_EVENT_DESYNC].tick, 120);
        assert_int_equal(network.peers[i].last[BKS_EVENT_DESYNC].peer, 1 - i);
    }
    net_destroy(&network);
}

static void tune_clock(bks_peer_config *config, uint32_t peer)
{
    config->clock_ns = net_clock;
    config->clock_context = &network.peers[peer];
}

static void costs_are_counted_when_there_is_a_clock(void **context)
{
    (void)context;
    net_create(&network, 2, tune_clock);
    assert_true(net_run_to_end(&network, 30000 * NET_MS));
    bks_costs costs;
    assert_int_equal(bks_peer_costs(network.peers[0].peer, &costs), BKS_OK);
    assert_in_range(costs.updates, 150, 400);
    assert_true(costs.update_ns_sum >= costs.updates * 3000);
    assert_true(costs.update_ns_max >= 3000 && costs.update_ns_max <= costs.update_ns_sum);
    assert_true(costs.game_ns_sum >= 300 * 3000 && costs.game_ns_sum < costs.update_ns_sum);
    uint64_t counted = 0;
    for (uint32_t i = 0; i < 64; i++) {
        counted += costs.histogram_us[i];
    }
    assert_int_equal(counted, costs.updates);
    bks_stats stats;
    assert_int_equal(bks_session_stats(bks_peer_session(network.peers[0].peer), &stats), BKS_OK);
    assert_in_range(stats.save_spacing, 1, 5); // a copy costs as much as a step here
    net_destroy(&network);

    net_create(&network, 2, NULL);
    assert_true(net_run_to_end(&network, 30000 * NET_MS));
    assert_int_equal(bks_peer_costs(network.peers[0].peer, &costs), BKS_OK);
    assert_true(costs.update_ns_sum + costs.update_ns_max + costs.game_ns_sum == 0);
    assert_int_equal(bks_session_stats(bks_peer_session(network.peers[0].peer), &stats), BKS_OK);
    assert_int_equal(stats.save_spacing, 20);
    net_destroy(&network);
}

// ---- memory ----

static void tune_counted(bks_peer_config *config, uint32_t peer)
{
    config->session.allocator = counting_allocator_hooks(&network.peers[peer].counter);
    if (peer == 0) {
        tune_huge(config, peer);
    }
}

static void nothing_is_allocated_after_the_first_tick(void **context)
{
    (void)context;
    net_create(&network, 2, tune_counted);
    network.loss_percent = 10;
    while (bks_session_tick(net_session(&network, 0)) < 1 ||
           bks_session_tick(net_session(&network, 1)) < 1) {
        net_run_until(&network, network.now_ns + NET_MS);
    }
    uint32_t allocs[2] = {network.peers[0].counter.allocs, network.peers[1].counter.allocs};
    assert_true(allocs[0] > 0 && allocs[1] > 0);
    while (bks_session_tick(net_session(&network, 0)) < TICKS - 10) {
        net_run_until(&network, network.now_ns + NET_MS);
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(network.peers[i].counter.allocs, allocs[i]);
    }
    assert_true(net_run_to_end(&network, 30000 * NET_MS));
    assert_all_agree();
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(network.peers[i].counter.allocs, allocs[i]);
    }
    net_destroy(&network);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(network.peers[i].counter.live_bytes, 0);
        assert_false(network.peers[i].counter.is_wrong);
    }
}

static void any_allocation_of_create_that_fails_is_reported(void **context)
{
    (void)context;
    counting_allocator counter;
    uint32_t failed = 0;
    for (uint32_t succeed = 0;; succeed++) {
        memset(&network, 0, sizeof(network));
        network.peer_count = 2;
        bks_peer_config config = net_config(&network, 0);
        config.session.allocator = counting_allocator_hooks(&counter);
        counter.fail_after = succeed;
        bks_peer *peer = (bks_peer *)&peer;
        bks_error error = {0};
        bks_status status = bks_peer_create(&config, &peer, &error);
        if (status == BKS_OK) {
            bks_peer_destroy(peer);
            break;
        }
        failed++;
        assert_int_equal(status, BKS_ERR_OUT_OF_MEMORY);
        assert_null(peer);
        assert_int_equal(error.code, BKS_ERR_OUT_OF_MEMORY);
        assert_int_equal(counter.live_bytes, 0);
    }
    assert_true(failed > 8);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
}

static void
memory_that_ends_at_the_start_costs_the_recording_or_the_match_and_no_more(void **context)
{
    (void)context;
    uint32_t refused = 0;
    uint32_t unrecorded = 0;
    for (uint32_t succeed = 0; succeed < 40; succeed++) {
        net_create(&network, 2, tune_counted);
        network.peers[1].counter.fail_after = succeed;
        net_run_until(&network, 1000 * NET_MS);
        refused += network.peers[1].status == BKS_ERR_OUT_OF_MEMORY;
        unrecorded += network.peers[1].status == BKS_OK && network.peers[1].record.writes == 0;
        network.peers[1].counter.fail_after = UINT32_MAX;
        net_run_until(&network, 1500 * NET_MS);
        if (network.peers[1].status == BKS_OK) {
            assert_true(bks_peer_started(network.peers[1].peer));
        }
        net_destroy(&network);
        assert_int_equal(network.peers[1].counter.live_bytes, 0);
    }
    assert_true(refused > 0);
    assert_true(unrecorded > 0);
}

// ---- arguments ----

static catch_log caught;

static void assert_refused(bks_status status, const char *call, const char *argument)
{
    assert_int_equal(status, BKS_ERR_BAD_ARGUMENT);
    assert_true(caught.count >= 1);
    assert_string_equal(caught.id, call);
    assert_says(caught.text, argument);
    caught.count = 0;
}

static void null_is_refused_and_logged_by_every_call(void **context)
{
    (void)context;
    net_create(&network, 2, NULL);
    bks_peer *peer = network.peers[0].peer;
    bks_peer_config config = net_config(&network, 0);
    bks_peer *out = NULL;
    bks_address address = net_address(1);
    bks_costs costs;
    uint8_t packet[BKS_PACKET_BYTES_MAX] = {0};
    some_input input = {0};
    catch_log_begin(&caught);
    assert_refused(bks_peer_create(NULL, &out, NULL), "bks_peer_create", "config");
    assert_refused(bks_peer_create(&config, NULL, NULL), "bks_peer_create", "out");
    config.game = NULL;
    assert_refused(bks_peer_create(&config, &out, NULL), "bks_game_check", "game");
    bks_peer_destroy(NULL);
    assert_refused(bks_peer_update(NULL, 0), "bks_peer_update", "peer");
    assert_refused(bks_peer_receive(NULL, 0, &address, packet, 1), "bks_peer_receive", "peer");
    assert_refused(bks_peer_receive(peer, 0, NULL, packet, 1), "bks_session_receive", "from");
    assert_int_equal(bks_peer_send(NULL, &address, packet, sizeof(packet)), 0);
    assert_refused(BKS_ERR_BAD_ARGUMENT, "bks_peer_send", "peer");
    assert_int_equal(bks_peer_send(peer, NULL, packet, sizeof(packet)), 0);
    assert_refused(BKS_ERR_BAD_ARGUMENT, "bks_session_send", "to");
    assert_refused(bks_peer_input(NULL, 0, &input, NULL), "bks_peer_input", "peer");
    assert_refused(bks_peer_input(peer, 0, NULL, NULL), "bks_peer_input", "input");
    assert_refused(bks_peer_leave(NULL), "bks_peer_leave", "peer");
    assert_refused(bks_peer_costs(NULL, &costs), "bks_peer_costs", "peer");
    assert_refused(bks_peer_costs(peer, NULL), "bks_peer_costs", "out");
    assert_true(bks_peer_wake(NULL) == UINT64_MAX);
    assert_null(bks_peer_state(NULL));
    assert_null(bks_peer_session(NULL));
    assert_false(bks_peer_started(NULL));
    bks_log_clear_sink();
    net_destroy(&network);
}

static void inputs_out_of_range_are_refused_with_field_value_and_range(void **context)
{
    (void)context;
    net_create(&network, 2, NULL);
    bks_peer *peer = network.peers[0].peer;
    bks_error error = {0};
    some_input input = {.move = 16};
    assert_int_equal(bks_peer_input(peer, 0, &input, &error), BKS_ERR_BAD_ARGUMENT);
    assert_says(error.text, "move");
    assert_says(error.text, "16");
    assert_says(error.text, "-16..15");
    input = (some_input){.fire = 2};
    assert_int_equal(bks_peer_input(peer, 0, &input, &error), BKS_ERR_BAD_ARGUMENT);
    assert_says(error.text, "fire");
    input = (some_input){0};
    assert_int_equal(bks_peer_input(peer, 1, &input, &error), BKS_ERR_BAD_ARGUMENT);
    assert_says(error.text, "local_player is 1, must be 0..0");
    assert_int_equal(bks_peer_input(peer, 0, &input, &error), BKS_OK);
    net_destroy(&network);
}

static bks_option many_options[BKS_OPTIONS_MAX];
static char long_value[BKS_OPTION_VALUE_BYTES];

static void configs_that_no_match_can_start_from_are_refused(void **context)
{
    (void)context;
    memset(&network, 0, sizeof(network));
    network.peer_count = 2;
    bks_peer *peer = (bks_peer *)&peer;
    bks_error error = {0};
    bks_peer_config config = net_config(&network, 0);
    config.session.players = 5; // the game has four
    assert_int_equal(bks_peer_create(&config, &peer, &error), BKS_ERR_BAD_CONFIG);
    assert_null(peer);
    assert_string_equal(error.field, "players");
    assert_says(error.text, "players is 5, must be 1..4");

    config = net_config(&network, 0);
    config.game = &own_game;
    config.session.players = 1; // at least two
    assert_int_equal(bks_peer_create(&config, &peer, &error), BKS_ERR_BAD_CONFIG);
    assert_says(error.text, "must be 2..2");

    config = net_config(&network, 0);
    config.session.tuning.window_ticks = 65; // the session's own checks
    assert_int_equal(bks_peer_create(&config, &peer, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "tuning.window_ticks");

    config = net_config(&network, 0);
    tune_huge(&config, 0);
    assert_int_equal(bks_option_values_set(&some_game, &config.options, "map", "moon", NULL),
                     BKS_OK);
    assert_int_equal(bks_peer_create(&config, &peer, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "map");

    static char names[BKS_OPTIONS_MAX][8];
    memset(long_value, 'x', sizeof(long_value) - 1);
    bks_game game = some_game;
    for (uint32_t i = 0; i < BKS_OPTIONS_MAX; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "o%u", i);
        many_options[i] = (bks_option){names[i], long_value, "any"};
    }
    game.options = many_options;
    game.option_count = BKS_OPTIONS_MAX;
    game.configure = NULL;
    game.state_bytes = 10000;
    config = net_config(&network, 0);
    config.game = &game;
    assert_int_equal(bks_peer_create(&config, &peer, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "options");
    assert_says(error.text, "768");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_game_that_predicts_sees_the_state_and_is_not_rolled_back),
        cmocka_unit_test(peers_agree_and_end_where_the_inputs_lead),
        cmocka_unit_test(a_game_with_a_state_of_its_own_agrees_too),
        cmocka_unit_test(each_peer_runs_init_once),
        cmocka_unit_test(a_local_player_without_a_source_holds_what_was_set),
        cmocka_unit_test(a_source_outranks_what_was_set),
        cmocka_unit_test(a_source_is_asked_once_for_each_tick_in_order_and_clamped),
        cmocka_unit_test(inputs_of_two_local_players_stay_apart),
        cmocka_unit_test(options_of_the_host_reach_the_guest),
        cmocka_unit_test(hostile_setups_are_refused),
        cmocka_unit_test(more_players_than_the_game_has_are_refused),
        cmocka_unit_test(a_guest_that_cannot_make_the_game_gives_its_seat_back),
        cmocka_unit_test(updates_return_how_it_came_out),
        cmocka_unit_test(a_match_has_started_once_its_first_state_is_final),
        cmocka_unit_test(a_planted_flip_is_found_at_its_tick_by_both),
        cmocka_unit_test(costs_are_counted_when_there_is_a_clock),
        cmocka_unit_test(nothing_is_allocated_after_the_first_tick),
        cmocka_unit_test(any_allocation_of_create_that_fails_is_reported),
        cmocka_unit_test(
            memory_that_ends_at_the_start_costs_the_recording_or_the_match_and_no_more),
        cmocka_unit_test(null_is_refused_and_logged_by_every_call),
        cmocka_unit_test(inputs_out_of_range_are_refused_with_field_value_and_range),
        cmocka_unit_test(configs_that_no_match_can_start_from_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
