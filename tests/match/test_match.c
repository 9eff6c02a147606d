// SPDX-License-Identifier: MIT
//
// Matches in this process, over UDP on the loopback and over a transport of the test's own.

#define _POSIX_C_SOURCE 200809L // mkdtemp, access

#include "backstitch/match.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "match/some_match.h"
#include "support/counting_allocator.h"

/// Open a guest of `host` and play `ticks` to the end; both must come to the same.
static void play_to_the_end(bks_match_config *host_config, bks_match_config *guest_config)
{
    bks_match *host = some_open(host_config);
    assert_int_equal(strncmp(bks_match_invitation(host), "bks://", 6), 0);
    guest_config->invitation = bks_match_invitation(host);
    bks_match *guest = some_open(guest_config);
    assert_string_equal(bks_match_invitation(guest), bks_match_invitation(host));
    assert_false(bks_match_started(host));

    const some_input push[2] = {{.x = 3, .y = 1}, {.x = -2, .y = 0}};
    assert_int_equal(bks_match_input(host, 0, &push[0]), BKS_OK);
    assert_int_equal(bks_match_input(guest, 0, &push[1]), BKS_OK);
    bks_status status_host;
    bks_status status_guest;
    some_play(host, guest, 10000, &status_host, &status_guest);
    assert_int_equal(status_host, BKS_OVER);
    assert_int_equal(status_guest, BKS_OVER);
    assert_true(bks_match_started(host) && bks_match_started(guest));

    bks_tick tick_host;
    bks_tick tick_guest;
    assert_true(some_final_hash(host, &tick_host) == some_final_hash(guest, &tick_guest));
    assert_int_equal(tick_host, host_config->ticks);
    assert_int_equal(tick_guest, host_config->ticks);
    const some_state *state = bks_match_state(host);
    assert_memory_equal(state, bks_match_state(guest), sizeof(some_state));
    assert_int_equal(state->sum[0], 3 * host_config->ticks);
    assert_int_equal(state->sum[1], -2 * host_config->ticks);

    bks_event event;
    assert_true(some_event(host, BKS_EVENT_JOINED, &event));
    assert_true(some_event(host, BKS_EVENT_STARTED, &event));
    assert_true(some_event(host, BKS_EVENT_ENDED, &event));
    assert_false(bks_match_event(host, &event));
    bks_match_close(host);
    bks_match_close(guest);
}

static void two_matches_play_over_ipv4(void **state)
{
    (void)state;
    bks_match_config host = some_config();
    bks_match_config guest = some_config();
    host.ticks = 200;
    play_to_the_end(&host, &guest);
}

static void two_matches_play_over_ipv6(void **state)
{
    (void)state;
    bks_match_config host = some_config();
    bks_match_config guest = some_config();
    host.bind_address = "[::1]:0";
    guest.bind_address = "0"; // goes out over the host's kind of IP
    host.ticks = 200;
    play_to_the_end(&host, &guest);
}

static void two_matches_play_in_lockstep(void **state)
{
    (void)state;
    bks_match_config host = some_config();
    bks_match_config guest = some_config();
    host.tuning.window_ticks = guest.tuning.window_ticks = 0;
    host.tuning.delay_ticks = guest.tuning.delay_ticks = 8;
    host.ticks = 1000; // the hash of the last tick is published besides those of each second
    play_to_the_end(&host, &guest);
}

static void open_wired(some_wire *wire, bks_tick ticks, bks_match *matches[2])
{
    some_wire_init(wire);
    for (uint32_t side = 0; side < 2; side++) {
        bks_match_config config = some_config();
        bks_transport transport = some_wire_end(wire, side);
        config.transport = &transport;
        memset(config.key, 77, sizeof(config.key));
        config.ticks = ticks;
        config.bind_address = NULL;
        if (side == 1) {
            config.host_address = wire->ends[0].address;
        }
        matches[side] = some_open(&config);
        assert_string_equal(bks_match_invitation(matches[side]), "");
    }
}

static void two_matches_play_over_a_custom_transport(void **state)
{
    (void)state;
    static some_wire wire;
    bks_match *matches[2];
    open_wired(&wire, 200, matches);
    bks_status status[2];
    some_play(matches[0], matches[1], 10000, &status[0], &status[1]);
    assert_int_equal(status[0], BKS_OVER);
    assert_int_equal(status[1], BKS_OVER);
    bks_tick tick;
    assert_true(some_final_hash(matches[0], &tick) == some_final_hash(matches[1], &tick));
    assert_int_equal(tick, 200);
    bks_match_close(matches[0]);
    bks_match_close(matches[1]);
}

static void one_machine_plays_alone(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    config.local_players = 2;
    config.ticks = 100;
    bks_match *match = some_open(&config);
    assert_int_equal(bks_match_input(match, 1, &(some_input){.x = 5}), BKS_OK);
    bks_status status;
    bks_status none;
    some_play(match, NULL, 5000, &status, &none);
    assert_int_equal(status, BKS_OVER);
    assert_int_equal(((const some_state *)bks_match_state(match))->sum[1], 500);
    uint64_t start_ns = some_clock_ns();
    bks_match_close(match);
    assert_true(some_clock_ns() - start_ns < 500 * SOME_MS); // no peer to linger for
}

/// Counts up what it gives, so that every call can be seen in the state.
static void count_calls(void *context, const bks_sample *sample, int32_t *values)
{
    int32_t *calls = context;
    assert_int_equal(sample->tick, *calls);
    assert_non_null(sample->state);
    values[0] = 1;
    (*calls)++;
}

static void the_numbers_of_a_match_are_a_line_for_people(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    bks_match *host = some_open(&config);
    char text[128];
    assert_int_equal(bks_match_players(host), 0);
    assert_int_equal(bks_match_numbers(host, text, sizeof(text)), BKS_OK);
    assert_string_equal(text, "waiting for players");
    assert_int_equal(bks_match_numbers(host, text, 8), BKS_ERR_TOO_SMALL);
    assert_string_equal(text, "waiting");
    assert_int_equal(bks_match_numbers(host, text, 0), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_match_numbers(host, NULL, 8), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_match_numbers(NULL, text, 8), BKS_ERR_BAD_ARGUMENT);

    config.invitation = bks_match_invitation(host);
    bks_match *guest = some_open(&config);
    some_start(host, guest);
    assert_int_equal(bks_match_players(guest), 2);
    assert_int_equal(bks_match_numbers(guest, text, sizeof(text)), BKS_OK);
    uint32_t round_trip_ms = 0;
    uint32_t delay_ticks = UINT32_MAX;
    uint64_t rollbacks = UINT64_MAX;
    assert_int_equal(
        sscanf(text, "round trip %" SCNu32 " ms, delay %" SCNu32 " tick%*[s,] %" SCNu64 " rollback",
               &round_trip_ms, &delay_ticks, &rollbacks),
        3);
    bks_stats stats;
    assert_int_equal(bks_session_stats(bks_peer_session(bks_match_peer(guest)), &stats), BKS_OK);
    assert_int_equal(delay_ticks, stats.input_delay);
    bks_match_close(guest);
    bks_match_close(host);

    config = some_config();
    config.local_players = 2;
    bks_match *alone = some_open(&config);
    while (!bks_match_started(alone)) {
        assert_int_equal(bks_match_update(alone), BKS_OK);
    }
    assert_int_equal(bks_match_players(alone), 2);
    assert_int_equal(bks_match_numbers(alone, text, sizeof(text)), BKS_OK);
    assert_string_equal(text, "all players on this machine");
    bks_match_close(alone);
}

static void a_source_is_asked_once_for_every_tick(void **state)
{
    (void)state;
    int32_t calls[2] = {0};
    bks_match_config config = some_config();
    config.players = 2;
    config.local_players = 2;
    config.ticks = 100;
    config.sources[0] = (bks_source){.sample = count_calls, .context = &calls[0]};
    config.sources[1] = (bks_source){.sample = count_calls, .context = &calls[1]};
    bks_match *match = some_open(&config);
    bks_status status;
    bks_status none;
    some_play(match, NULL, 5000, &status, &none);
    assert_int_equal(status, BKS_OVER);
    assert_int_equal(calls[0], 100);
    assert_int_equal(calls[1], 100);
    assert_int_equal(((const some_state *)bks_match_state(match))->sum[1], 100);
    bks_match_close(match);
}

static void a_guest_gives_up_on_a_host_that_does_not_answer(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    config.invitation = "bks://127.0.0.1:9/#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
    config.join_timeout_ms = 120;
    bks_match *guest = some_open(&config);
    uint64_t start_ns = some_clock_ns();
    bks_status status;
    bks_status none;
    some_play(guest, NULL, 5000, &status, &none);
    assert_int_equal(status, BKS_ERR_TIMEOUT);
    uint64_t took_ns = some_clock_ns() - start_ns;
    assert_true(took_ns >= 120 * SOME_MS && took_ns < 1000 * SOME_MS);
    assert_int_equal(bks_match_update(guest), BKS_ERR_TIMEOUT);
    bks_event event;
    assert_true(some_event(guest, BKS_EVENT_WAITING, &event));
    assert_string_equal(event.text,
                        "no answer from the host at 127.0.0.1:9: no program listens on that port");
    bks_match_close(guest);
}

static void a_guest_without_a_timeout_keeps_waiting(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    config.invitation = "bks://127.0.0.1:9/#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
    config.join_timeout_ms = 0;
    bks_match *guest = some_open(&config);
    bks_status status;
    bks_status none;
    some_play(guest, NULL, 200, &status, &none);
    assert_int_equal(status, BKS_OK);
    bks_match_close(guest);
}

static void a_guest_in_the_lobby_waits_for_the_others_for_good(void **state)
{
    (void)state;
    static some_wire wire;
    some_wire_init(&wire);
    bks_match *matches[2];
    bks_game three = some_game;
    three.players_max = 3;
    for (uint32_t side = 0; side < 2; side++) {
        bks_match_config config = some_config();
        bks_transport transport = some_wire_end(&wire, side);
        config.transport = &transport;
        memset(config.key, 77, sizeof(config.key));
        config.game = &three;
        config.players = 3; // one never comes
        config.join_timeout_ms = 100;
        if (side == 1) {
            config.host_address = wire.ends[0].address;
        }
        matches[side] = some_open(&config);
    }
    bks_status status[2];
    some_play(matches[0], matches[1], 400, &status[0], &status[1]);
    assert_int_equal(status[0], BKS_OK);
    assert_int_equal(status[1], BKS_OK);
    assert_false(bks_match_started(matches[1]));
    bks_match_close(matches[0]);
    bks_match_close(matches[1]);
}

static void a_guest_with_another_version_is_refused(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    bks_match *host = some_open(&config);
    config.game = &some_later_game;
    config.invitation = bks_match_invitation(host);
    bks_match *guest = some_open(&config);
    bks_status status_host = BKS_OK;
    bks_status status_guest = BKS_OK;
    for (int i = 0; i < 1000 && status_guest == BKS_OK; i++) {
        status_host = bks_match_update(host);
        status_guest = bks_match_update(guest);
        assert_int_equal(bks_match_wait(guest), BKS_OK);
    }
    assert_int_equal(status_guest, BKS_ERR_REFUSED);
    assert_int_equal(status_host, BKS_OK);
    bks_event event;
    assert_true(some_event(guest, BKS_EVENT_REFUSED, &event));
    assert_non_null(strstr(event.text, "version"));
    assert_true(some_event(host, BKS_EVENT_REFUSED, &event));
    bks_match_close(guest);

    // The host continues: another guest can come.
    config.game = &some_game;
    guest = some_open(&config);
    some_start(host, guest);
    bks_match_close(host);
    bks_match_close(guest);
}

static void a_match_that_is_full_refuses(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    bks_match *host = some_open(&config);
    config.invitation = bks_match_invitation(host);
    bks_match *guest = some_open(&config);
    some_start(host, guest);
    bks_match *third = some_open(&config);
    bks_status status = BKS_OK;
    for (int i = 0; i < 1000 && status == BKS_OK; i++) {
        assert_int_equal(bks_match_update(host), BKS_OK);
        assert_int_equal(bks_match_update(guest), BKS_OK);
        status = bks_match_update(third);
        assert_int_equal(bks_match_wait(host), BKS_OK);
    }
    assert_int_equal(status, BKS_ERR_REFUSED);
    bks_match_close(third);
    bks_match_close(host);
    bks_match_close(guest);
}

static bks_status refuse_to_be_wild(const bks_start *start, size_t *out_state_bytes,
                                    bks_error *error)
{
    (void)error;
    *out_state_bytes = sizeof(some_state);
    return strcmp(bks_start_option(start, "mode"), "wild") == 0 ? BKS_ERR_BAD_CONFIG : BKS_OK;
}

static void a_guest_that_cannot_make_the_hosts_game_says_so(void **state)
{
    (void)state;
    static const bks_option mode = {.name = "mode", .default_value = "calm", .help = "calm, wild"};
    bks_game host_game = some_game;
    host_game.options = &mode;
    host_game.option_count = 1;
    bks_game guest_game = host_game;
    guest_game.state_bytes = 0;
    guest_game.configure = refuse_to_be_wild;
    bks_option_values wild = {.text = {"wild"}};
    bks_match_config config = some_config();
    config.game = &host_game;
    config.options = wild;
    config.has_options = true;
    bks_match *host = some_open(&config);
    config.game = &guest_game;
    config.has_options = false;
    config.invitation = bks_match_invitation(host);
    bks_match *guest = some_open(&config);
    bks_status status = BKS_OK;
    for (int i = 0; i < 1000 && status == BKS_OK; i++) {
        assert_int_equal(bks_match_update(host), BKS_OK);
        status = bks_match_update(guest);
        assert_int_equal(bks_match_wait(guest), BKS_OK);
    }
    assert_int_equal(status, BKS_ERR_BAD_CONFIG);
    bks_match_close(guest);
    bks_match_close(host);
}

static void when_one_leaves_the_other_plays_on_alone(void **state)
{
    (void)state;
    for (int leaver = 0; leaver < 2; leaver++) {
        bks_match_config config = some_config();
        bks_match *matches[2] = {some_open(&config), NULL};
        config.invitation = bks_match_invitation(matches[0]);
        matches[1] = some_open(&config);
        some_start(matches[0], matches[1]);
        bks_match_close(matches[leaver]);

        bks_match *other = matches[1 - leaver];
        bks_status status;
        bks_status none;
        some_play(other, NULL, 500, &status, &none);
        assert_int_equal(status, BKS_OK);
        bks_event event;
        assert_true(some_event(other, BKS_EVENT_LEFT, &event));
        assert_int_equal(event.peer, leaver);
        const bks_session *session = bks_peer_session(bks_match_peer(other));
        assert_true(bks_session_confirmed(session) > event.tick + 100);
        char text[128];
        assert_int_equal(bks_match_numbers(other, text, sizeof(text)), BKS_OK);
        assert_int_equal(strncmp(text, "delay ", 6), 0); // no round trip to one that is not there
        bks_match_close(other);
    }
}

static void a_host_drops_a_guest_and_plays_on_alone(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    bks_match *host = some_open(&config);
    assert_int_equal(bks_match_drop(host, 1), BKS_ERR_BAD_ARGUMENT); // it does not run
    config.invitation = bks_match_invitation(host);
    bks_match *guest = some_open(&config);
    some_start(host, guest);
    assert_int_equal(bks_match_drop(guest, 0), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_match_drop(host, 1), BKS_OK);
    bks_status host_status;
    bks_status guest_status;
    some_play(host, guest, 1000, &host_status, &guest_status);
    assert_int_equal(host_status, BKS_OK);
    assert_int_equal(guest_status, BKS_ERR_PEER_LOST);
    bks_event event;
    assert_true(some_event(host, BKS_EVENT_LEFT, &event));
    assert_true(some_event(guest, BKS_EVENT_DROPPED, &event));
    assert_int_equal(bks_match_drop(host, 1), BKS_ERR_PEER_LOST);
    bks_match_close(guest);
    bks_match_close(host);
}

static void when_one_falls_silent_each_side_plays_on_alone(void **state)
{
    (void)state;
    static some_wire wire;
    bks_match *matches[2];
    open_wired(&wire, 0, matches);
    some_start(matches[0], matches[1]);
    wire.is_cut = true;
    bks_status status;
    bks_status none;
    some_play(matches[1], NULL, 6500, &status, &none); // 5 s is the session's drop_after_ms
    assert_int_equal(status, BKS_OK);
    bks_event event;
    assert_true(some_event(matches[1], BKS_EVENT_SILENT, &event));
    assert_true(some_event(matches[1], BKS_EVENT_LOST, &event));
    assert_int_equal(event.peer, 0);
    assert_true(some_event(matches[1], BKS_EVENT_LEFT, &event));
    uint64_t start_ns = some_clock_ns();
    bks_match_close(matches[1]);
    bks_match_close(matches[0]);
    assert_true(some_clock_ns() - start_ns < 2500 * SOME_MS); // a second each at most
}

static void a_wait_is_short(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    bks_match *host = some_open(&config);
    assert_int_equal(bks_match_update(host), BKS_OK);
    for (int i = 0; i < 5; i++) {
        uint64_t start_ns = some_clock_ns();
        assert_int_equal(bks_match_wait(host), BKS_OK);
        assert_true(some_clock_ns() - start_ns < 500 * SOME_MS); // 50 ms, on a busy machine
    }
    bks_match_close(host);
}

static void nothing_is_allocated_once_the_match_runs(void **state)
{
    (void)state;
    counting_allocator counter;
    bks_match_config config = some_config();
    config.allocator = counting_allocator_hooks(&counter);
    config.ticks = 300;
    bks_match *host = some_open(&config);
    config.invitation = bks_match_invitation(host);
    bks_match *guest = some_open(&config);
    some_start(host, guest);
    uint32_t allocs = counter.allocs;
    uint32_t releases = counter.releases;
    bks_status status[2];
    some_play(host, guest, 10000, &status[0], &status[1]);
    assert_int_equal(status[0], BKS_OVER);
    assert_int_equal(counter.allocs, allocs);
    assert_int_equal(counter.releases, releases);
    bks_match_close(host);
    bks_match_close(guest);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
}

static void a_lack_of_memory_is_reported_wherever_it_comes(void **state)
{
    (void)state;
    counting_allocator counter;
    bks_match_config config = some_config();
    config.allocator = counting_allocator_hooks(&counter);
    for (uint32_t i = 0;; i++) {
        assert_true(i < 1000);
        counter.fail_after = i;
        bks_match *match = NULL;
        bks_error error = {0};
        bks_status status = bks_match_open(&config, &match, &error);
        if (status == BKS_OK) {
            assert_true(i > 1);
            bks_match_close(match);
            break;
        }
        assert_int_equal(status, BKS_ERR_OUT_OF_MEMORY);
        assert_int_equal(error.code, BKS_ERR_OUT_OF_MEMORY);
        assert_null(match);
        assert_int_equal(counter.live_bytes, 0);
    }
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
}

static void every_host_draws_its_own_key_and_seed(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    bks_match *a = some_open(&config);
    bks_match *b = some_open(&config);
    assert_string_not_equal(strchr(bks_match_invitation(a), '#'),
                            strchr(bks_match_invitation(b), '#'));
    bks_match_close(a);
    bks_match_close(b);

    config.local_players = 2; // the roster is complete at once
    a = some_open(&config);
    b = some_open(&config);
    bks_roster roster_a;
    bks_roster roster_b;
    (void)bks_session_roster(bks_peer_session(bks_match_peer(a)), &roster_a);
    (void)bks_session_roster(bks_peer_session(bks_match_peer(b)), &roster_b);
    assert_true(roster_a.seed != roster_b.seed);
    bks_match_close(a);
    bks_match_close(b);

    config.seed = 99;
    a = some_open(&config);
    (void)bks_session_roster(bks_peer_session(bks_match_peer(a)), &roster_a);
    assert_true(roster_a.seed == 99);
    bks_match_close(a);
}

static void a_flood_of_rubbish_does_not_stop_a_match(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    config.ticks = 200;
    bks_match *host = some_open(&config);
    config.invitation = bks_match_invitation(host);
    bks_match *guest = some_open(&config);
    bks_address own;
    bks_address target;
    char address[64];
    bks_udp *stranger = NULL;
    assert_int_equal(bks_udp_open("127.0.0.1:0", &stranger, NULL), BKS_OK);
    assert_int_equal(bks_udp_local_address(stranger, &own), BKS_OK);
    snprintf(address, sizeof(address), "%.*s", (int)strcspn(config.invitation + 6, "/"),
             config.invitation + 6);
    assert_int_equal(bks_udp_address_parse(address, &target, NULL), BKS_OK);

    bks_transport transport = bks_udp_transport(stranger);
    uint64_t random = 1;
    bks_status status[2] = {BKS_OK, BKS_OK};
    uint64_t end_ns = some_clock_ns() + 10000 * SOME_MS;
    while ((status[0] == BKS_OK || status[1] == BKS_OK) && some_clock_ns() < end_ns) {
        uint8_t bytes[64];
        for (size_t i = 0; i < sizeof(bytes); i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[i] = (uint8_t)(random >> 56);
        }
        (void)transport.send(transport.context, &target, bytes, 1 + (random >> 40) % 64);
        status[0] = bks_match_update(host);
        status[1] = bks_match_update(guest);
    }
    assert_int_equal(status[0], BKS_OVER);
    assert_int_equal(status[1], BKS_OVER);
    bks_stats stats;
    assert_int_equal(bks_session_stats(bks_peer_session(bks_match_peer(host)), &stats), BKS_OK);
    assert_true(stats.packets_refused > 0);
    bks_udp_close(stranger);
    bks_match_close(host);
    bks_match_close(guest);
}

/// Push other buttons at every tick, so that every guess is wrong.
static void fidget(void *context, const bks_sample *sample, int32_t *values)
{
    (void)context;
    values[0] = (int32_t)(sample->tick % 16) - 8;
}

static void a_match_rolls_back_once_a_tick_and_waits_for_it(void **state)
{
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        bks_match_config config = some_config();
        config.ticks = 1000;
        config.sources[0] = (bks_source){.sample = fidget};
        bks_match *host = some_open(&config);
        config.invitation = bks_match_invitation(host);
        bks_match *guest = some_open(&config);
        some_start(host, guest);
        const bks_session *session = bks_peer_session(bks_match_peer(host));
        bks_stats stats;
        assert_int_equal(bks_session_stats(session, &stats), BKS_OK);
        uint32_t in_vain = 0;
        uint32_t between_ticks = 0;
        uint64_t end_ns = some_clock_ns() + 20000 * SOME_MS;
        while (bks_session_tick(session) < 1000 && some_clock_ns() < end_ns) {
            bks_tick tick = bks_session_tick(session);
            uint64_t rollbacks = stats.rollbacks;
            assert_int_equal(bks_match_update(host), BKS_OK);
            assert_int_equal(bks_match_update(guest),
                             BKS_OK); // its packet may end the host's sleep
            assert_int_equal(bks_session_stats(session, &stats), BKS_OK);
            bool has_stepped = bks_session_tick(session) > tick;
            in_vain += has_stepped ? 0 : 1;
            between_ticks += !has_stepped && stats.rollbacks > rollbacks ? 1 : 0;
            if (waits == 1) {
                assert_int_equal(bks_match_wait(host), BKS_OK);
            }
        }
        print_message("%u updates in vain, %u rollbacks between ticks of %d\n", in_vain,
                      between_ticks, (int)stats.rollbacks);
        assert_int_equal(bks_session_tick(session), 1000);
        assert_true(stats.rollbacks > 50);
        assert_true(between_ticks < 3); // an update at which only time passed
        assert_true(waits == 0 || in_vain * 10 < stats.packets_received);
        bks_match_close(host);
        bks_match_close(guest);
    }
}

/// Send all of `bytes` from one side to the other, in parts as its buffer has room, and take them
/// there while both play.
static void send_across(bks_match *const sides[2], uint32_t from, const uint8_t *bytes,
                        size_t count)
{
    size_t sent = 0;
    size_t taken = 0;
    bool was_full = false;
    uint8_t part[1000];
    const uint64_t end_ns = some_clock_ns() + 20000 * SOME_MS;
    while (taken < count && some_clock_ns() < end_ns) {
        size_t now = 0;
        assert_int_equal(bks_match_send(sides[from], 1 - from, bytes + sent, count - sent, &now),
                         BKS_OK);
        sent += now;
        was_full |= sent < count;
        assert_int_equal(bks_match_update(sides[0]), BKS_OK);
        assert_int_equal(bks_match_update(sides[1]), BKS_OK);
        assert_int_equal(bks_match_receive(sides[1 - from], from, part, sizeof(part), &now),
                         BKS_OK);
        assert_true(taken + now <= sent);
        assert_memory_equal(part, bytes + taken, now);
        taken += now;
        assert_int_equal(bks_match_wait(sides[0]), BKS_OK);
    }
    assert_int_equal(taken, count);
    assert_true(was_full);
}

static void bytes_go_beside_a_match_both_ways(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    config.tuning.bulk_bytes = 4096;
    bks_match *sides[2] = {some_open(&config), NULL};
    config.invitation = bks_match_invitation(sides[0]);
    sides[1] = some_open(&config);
    size_t count = 1;
    assert_int_equal(bks_match_send(sides[0], 1, "hi", 2, &count), BKS_OK);
    assert_int_equal(count, 0); // the match has not started
    some_start(sides[0], sides[1]);
    static uint8_t map[30000];
    for (size_t i = 0; i < sizeof(map); i++) {
        map[i] = (uint8_t)(i * i / 251 + i);
    }
    send_across(sides, 0, map, sizeof(map));
    send_across(sides, 1, map, sizeof(map));
    count = 1;
    assert_int_equal(bks_match_send(sides[0], 0, "hi", 2, &count), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(count, 0); // to ourselves there is no stream
    assert_int_equal(bks_match_receive(sides[0], BKS_PEERS_MAX, map, 2, &count),
                     BKS_ERR_BAD_ARGUMENT);
    bks_match_close(sides[1]);
    bks_status status = BKS_OK;
    for (int i = 0; i < 1000 && status == BKS_OK; i++) {
        assert_int_equal(bks_match_update(sides[0]), BKS_OK);
        assert_int_equal(bks_match_wait(sides[0]), BKS_OK);
        status = bks_match_send(sides[0], 1, NULL, 0, &count);
    }
    assert_int_equal(status, BKS_ERR_PEER_LOST);
    bks_match_close(sides[0]);
}

static void a_match_without_bulk_bytes_sends_nothing_beside_it(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    bks_match *host = some_open(&config);
    config.invitation = bks_match_invitation(host);
    bks_match *guest = some_open(&config);
    some_start(host, guest);
    size_t count = 1;
    assert_int_equal(bks_match_send(host, 1, "hi", 2, &count), BKS_ERR_UNSUPPORTED);
    assert_int_equal(count, 0);
    char text[2];
    assert_int_equal(bks_match_receive(guest, 0, text, sizeof(text), &count), BKS_ERR_UNSUPPORTED);
    bks_match_close(guest);
    bks_match_close(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_matches_play_over_ipv4),
        cmocka_unit_test(two_matches_play_over_ipv6),
        cmocka_unit_test(two_matches_play_in_lockstep),
        cmocka_unit_test(two_matches_play_over_a_custom_transport),
        cmocka_unit_test(a_match_rolls_back_once_a_tick_and_waits_for_it),
        cmocka_unit_test(one_machine_plays_alone),
        cmocka_unit_test(the_numbers_of_a_match_are_a_line_for_people),
        cmocka_unit_test(a_source_is_asked_once_for_every_tick),
        cmocka_unit_test(a_guest_gives_up_on_a_host_that_does_not_answer),
        cmocka_unit_test(a_guest_without_a_timeout_keeps_waiting),
        cmocka_unit_test(a_guest_in_the_lobby_waits_for_the_others_for_good),
        cmocka_unit_test(a_guest_with_another_version_is_refused),
        cmocka_unit_test(a_match_that_is_full_refuses),
        cmocka_unit_test(a_guest_that_cannot_make_the_hosts_game_says_so),
        cmocka_unit_test(when_one_leaves_the_other_plays_on_alone),
        cmocka_unit_test(a_host_drops_a_guest_and_plays_on_alone),
        cmocka_unit_test(when_one_falls_silent_each_side_plays_on_alone),
        cmocka_unit_test(a_wait_is_short),
        cmocka_unit_test(nothing_is_allocated_once_the_match_runs),
        cmocka_unit_test(a_lack_of_memory_is_reported_wherever_it_comes),
        cmocka_unit_test(every_host_draws_its_own_key_and_seed),
        cmocka_unit_test(a_flood_of_rubbish_does_not_stop_a_match),
        cmocka_unit_test(bytes_go_beside_a_match_both_ways),
        cmocka_unit_test(a_match_without_bulk_bytes_sends_nothing_beside_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
