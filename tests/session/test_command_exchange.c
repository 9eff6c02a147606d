// SPDX-License-Identifier: MIT

// Commands between machines, through the public calls: all peers step the same ones at the same
// ticks, and no line keeps a command back for good.

#include <stdint.h>

enum { PEERS = 3, SEATS = PEERS, LONGEST = 900, TICKS = 600 };

#include "session/command_match.h"

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->command_bytes_max = LONGEST;
    config->tuning.window_ticks = 12;
}

static void begin(uint64_t seed)
{
    begin_match(PEERS, seed, tune);
}

static void every_peer_steps_the_same_commands_at_the_same_ticks(void **state)
{
    (void)state;
    begin(1);
    network.loss_percent = 10;
    network.jitter_ns = 30 * TOY_MS;
    for (uint32_t i = 0; i < 750; i++) {
        for (uint32_t seat = 0; seat < PEERS; seat++) {
            if (seed_below(30) == 0) {
                give(seat, seed_below(20) == 0 ? LONGEST : 1 + seed_below(40));
            }
        }
        run_for(10);
    }
    assert_true(toy_run_to_end(&network, network.now_ns + 20000 * TOY_MS));
    for (uint32_t seat = 0; seat < PEERS; seat++) {
        assert_true(given_count[seat] > 300);
    }
    expect_same(7, TICKS, 7);
    toy_destroy(&network);
}

/// All commands that wait go on, a part with each round trip. Ticks do not wait for them.
static void a_burst_delays_no_tick(void **state)
{
    (void)state;
    begin(2);
    run_for(2000);
    const bks_tick before = bks_session_tick(session_of(2));
    for (uint32_t i = 0; i < 10; i++) {
        give(1, LONGEST);
    }
    run_for(5000);
    assert_in_range(bks_session_tick(session_of(2)) - before, 298, 302);
    assert_int_equal(stats_of(2).starved_ticks, 0);
    expect_same(7, before + 280, 2);
    toy_destroy(&network);
}

static void a_line_that_was_cut_brings_all_commands_after_it(void **state)
{
    (void)state;
    begin(3);
    run_for(1500);
    toy_cut(&network, 0, 1, true);
    toy_cut(&network, 1, 2, true); // peer 1 is cut off
    for (uint32_t i = 0; i < 40; i++) {
        give(i % PEERS, 50);
        run_for(20);
    }
    toy_cut(&network, 0, 1, false);
    toy_cut(&network, 1, 2, false);
    assert_true(toy_run_to_end(&network, network.now_ns + 20000 * TOY_MS));
    expect_same(7, TICKS, 7);
    toy_destroy(&network);
}

/// Peer 2 falls silent towards one peer first. The other one hands over its last commands.
static void the_last_commands_of_a_leaver_reach_all_by_those_who_have_them(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 20; round++) {
        begin(10 + round);
        run_for(1500 + 7 * round);
        toy_cut(&network, 2, round % 2, true);
        for (uint32_t i = 0; i < 12; i++) {
            give(2, 1 + seed_below(120));
            run_for(10);
        }
        network.peers[2].is_frozen = true;
        for (uint32_t i = 0; i < PEERS; i++) {
            toy_cut(&network, 2, i, i != 2);
        }
        assert_false(toy_run_to_end(&network, network.now_ns + 25000 * TOY_MS)); // peer 2 does not
        assert_int_equal(phase_of(0), BKS_PHASE_ENDED);
        assert_int_equal(phase_of(1), BKS_PHASE_ENDED);
        assert_false(roster_of(0).is_in[2]);
        expect_same(3, TICKS, 0);
        toy_destroy(&network);
    }
}

static uint32_t liar; ///< peer in whose name forged ticks are told

/// Let the liar send a peer an INPUT without ticks, as if it had sampled nothing new.
static void say_nothing(uint32_t to)
{
    const session_common *victim = &session_of(to)->common;
    say_tick(to, liar, bksi_common_head(victim, liar), bksi_common_head(victim, to),
             &(bksi_blob){0});
}

static bool is_taken_packed(const uint8_t *bytes, uint32_t count)
{
    return is_taken_by(0, liar, &(bksi_blob){.bytes = bytes, .count = count});
}

/// Tell peer 0 that the liar sampled one more tick, with the same fields and a blob.
/// @return true if peer 0 took the tick
static bool is_taken(const uint8_t *bytes, uint32_t count)
{
    // A copy of what the liar has learnt, because its own packer must go on with what it samples.
    static bksi_command_packer packer;
    uint8_t packed[1024 + BKSI_PACKED_EXTRA_BYTES];
    packer = session_of(0)->inputs.runs.packed.packers[liar];
    const bksi_blob blob = {.bytes = bytes, .count = count};
    return is_taken_packed(packed, bksi_command_packer_pack(&packer, &blob, packed));
}

/// Begin a match in which a peer tells forged ticks and is silent else.
static void begin_with_liar(uint32_t peer)
{
    begin(5);
    run_for(1500);
    liar = peer;
    network.peers[liar].is_frozen = true;
    run_for(200);
}

static void a_tick_with_forbidden_commands_is_not_taken(void **state)
{
    (void)state;
    static const uint8_t none[] = {0, 0, 'x'}, one[] = {1, 0, 'x'};
    static const uint8_t longer[] = {(LONGEST + 1) & 255, (LONGEST + 1) >> 8};
    static const uint8_t many[512] = {LONGEST & 255, LONGEST >> 8};
    begin_with_liar(2);
    const uint32_t most = bksi_seats_blob_bytes(&session_of(0)->common.layout, 1);
    assert_in_range(most, LONGEST / 4, sizeof(many) - 1);
    assert_true(is_taken(one, sizeof(one)));
    assert_true(is_taken(many, most));
    toy_destroy(&network);
    const bksi_blob forbidden[] = {
        {.bytes = none, .count = sizeof(none)},
        {.bytes = longer, .count = sizeof(longer)},
        {.bytes = many, .count = most + 1},
        {.bytes = many, .count = sizeof(many)},
    };
    for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++) {
        begin_with_liar(2);
        assert_true(is_taken(one, sizeof(one)));
        assert_false(is_taken(forbidden[i].bytes, forbidden[i].count));
        assert_false(is_taken(one, sizeof(one))); // it was learnt with what was refused
        toy_destroy(&network);
    }
}

static void packed_commands_that_are_malformed_are_not_taken(void **state)
{
    (void)state;
    static const uint8_t one[] = {1, 0, 'x'};
    for (uint32_t i = 0; i < 20; i++) {
        begin_with_liar(2);
        uint8_t bytes[64];
        for (uint32_t k = 0; k < sizeof(bytes); k++) {
            bytes[k] = (uint8_t)seed_next();
        }
        assert_false(is_taken_packed(bytes, 1 + seed_below(sizeof(bytes))));
        assert_false(is_taken(one, sizeof(one)));
        toy_destroy(&network);
    }
}

/// Let the liar send what is no commands, to some peers, and after that INPUTs without ticks to
/// all.
/// @param witness  peer that gets the commands
/// @param other    peer that plays on with the witness
/// @return silence that the witness has counted when the two play on without the liar, in ms; 0:
///         they do not
static uint64_t time_until_dropped(uint32_t to, uint32_t witness, uint32_t other)
{
    static const uint8_t damaged[] = {255, 255, 255, 255};
    for (uint32_t i = 0; i < PEERS; i++) {
        const bksi_blob blob = {.bytes = damaged, .count = sizeof(damaged)};
        assert_true((to >> i & 1) == 0 || !is_taken_by(i, liar, &blob));
    }
    for (uint32_t ms = 0; ms < 20000; ms += 50) {
        say_nothing(witness);
        say_nothing(other);
        run_for(50);
        if (!roster_of(witness).is_in[liar] && !roster_of(other).is_in[liar]) {
            const bks_session *session = session_of(witness);
            return bksi_liveness_silence_ns(&session->inputs.liveness, &session->common, liar) /
                   TOY_MS;
        }
    }
    return 0;
}

/// The liar is dropped like a peer that sends nothing, although its packets come.
static void a_peer_whose_commands_break_the_rules_is_dropped(void **state)
{
    (void)state;
    static const struct {
        uint32_t liar, to, witness, other;
    } cases[] = {{2, 3, 0, 1}, {2, 1, 0, 1}, {0, 6, 1, 2}}; // to all, to the host alone, the host
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const uint32_t witness = cases[i].witness;
        begin_with_liar(cases[i].liar);
        assert_in_range(time_until_dropped(cases[i].to, witness, cases[i].other), 5000, 5500);
        assert_int_equal(network.peers[witness].events[BKS_EVENT_LOST], 1);
        assert_int_equal(network.peers[witness].events[BKS_EVENT_SILENT], 0);
        assert_int_equal(network.peers[witness].events[BKS_EVENT_DESYNC], 0);
        const bks_tick before = bks_session_confirmed(session_of(witness));
        run_for(1000);
        assert_in_range(bks_session_confirmed(session_of(witness)) - before, 55, 65);
        toy_destroy(&network);
    }
}

/// No peer can hold another's commands back for good: without them it could not go on itself.
static void a_peer_that_never_acknowledges_commands_is_dropped(void **state)
{
    (void)state;
    begin_with_liar(2);
    const bks_tick need = bksi_common_head(&session_of(0)->common, 0);
    give(0, LONGEST);
    bool is_in = true;
    for (uint32_t ms = 0; is_in && ms < 20000; ms += 16) {
        for (uint32_t i = 0; i < 2; i++) {
            const session_common *victim = &session_of(i)->common;
            const bks_tick head = bksi_common_head(victim, liar);
            const bks_tick acknowledged = i == 0 ? need : bksi_common_head(victim, 1);
            say_tick(i, liar, head + 1, acknowledged, &(bksi_blob){0});
        }
        run_for(16);
        is_in = roster_of(0).is_in[2] || roster_of(1).is_in[2];
    }
    assert_false(is_in);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LOST], 1);
    (void)toy_run_to_end(&network, network.now_ns + 20000 * TOY_MS); // peer 2 does not
    expect_same(3, TICKS, 1);
    toy_destroy(&network);
}

static void tune_other_sizes(bks_session_config *config, uint32_t peer)
{
    config->command_bytes_max = LONGEST + peer;
}

static void peers_whose_commands_have_other_sizes_are_refused(void **state)
{
    (void)state;
    toy_create(&network, 2, 4, tune_other_sizes);
    run_for(3000);
    assert_int_equal(phase_of(1), BKS_PHASE_FAILED);
    assert_int_equal(phase_of(0), BKS_PHASE_GATHERING);
    toy_destroy(&network);
}

static void a_machine_has_room_for_fewer_players_in_a_game_with_commands(void **state)
{
    (void)state;
    bks_field wide[6];
    for (uint32_t i = 0; i < 6; i++) {
        static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
        wide[i] = (bks_field){.name = names[i], .bits = 32, .is_signed = true};
    }
    bks_session_config config = toy_config(0, BKS_PLAYERS_MAX);
    config.fields = wide;
    config.field_count = 6;
    config.local_players = BKS_PLAYERS_MAX - 1;
    bks_session *session = NULL;
    assert_int_equal(bks_session_create(&config, &session, NULL), BKS_OK);
    bks_session_destroy(session);
    config.command_bytes_max = LONGEST;
    bks_error error = {0};
    assert_int_equal(bks_session_create(&config, &session, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "local_players");
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 31);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_peer_steps_the_same_commands_at_the_same_ticks),
        cmocka_unit_test(a_burst_delays_no_tick),
        cmocka_unit_test(a_line_that_was_cut_brings_all_commands_after_it),
        cmocka_unit_test(the_last_commands_of_a_leaver_reach_all_by_those_who_have_them),
        cmocka_unit_test(a_tick_with_forbidden_commands_is_not_taken),
        cmocka_unit_test(packed_commands_that_are_malformed_are_not_taken),
        cmocka_unit_test(a_peer_whose_commands_break_the_rules_is_dropped),
        cmocka_unit_test(a_peer_that_never_acknowledges_commands_is_dropped),
        cmocka_unit_test(peers_whose_commands_have_other_sizes_are_refused),
        cmocka_unit_test(a_machine_has_room_for_fewer_players_in_a_game_with_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
