// SPDX-License-Identifier: MIT

// A match begins with a state that only its host has: guests get it before the start.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sodium.h>

#include "backstitch/replay.h"
#include "backstitch/session.h"
#include "feed/feed_receiver.h"
#include "match/some_match.h"
#include "match/start_state.h"
#include "peer/awaited_state.h"

#define FIRST 1000
#define TICKS 100

static const some_state begun = {.mixed = 77, .sum = {500, -300}};

static bks_match_config of_host(void)
{
    bks_match_config config = some_config();
    config.start_state = &begun;
    config.start_state_bytes = sizeof(begun);
    config.start_tick = FIRST;
    config.ticks = TICKS;
    config.tuning.drop_after_ms = 20000;
    return config;
}

static bks_match_config of_guest(const bks_match *host)
{
    bks_match_config config = some_config();
    config.invitation = bks_match_invitation(host);
    config.tuning.drop_after_ms = 20000;
    return config;
}

/// Both have the same state at the end, and it continues the one of the host.
static void assert_played(bks_match *host, bks_match *guest, uint64_t limit_ms, bks_tick first)
{
    bks_status status[2];
    some_play(host, guest, limit_ms, &status[0], &status[1]);
    assert_int_equal(status[0], BKS_OVER);
    assert_int_equal(status[1], BKS_OVER);
    bks_tick tick[2];
    const uint64_t hash = some_final_hash(host, &tick[0]);
    assert_true(hash == some_final_hash(guest, &tick[1]));
    assert_int_equal(tick[0], first + TICKS);
    assert_int_equal(tick[1], first + TICKS);
}

static void a_guest_gets_the_state_from_its_host(void **context)
{
    (void)context;
    for (uint32_t i = 0; i < 2; i++) { // no watcher need be allowed
        bks_match_config config = of_host();
        config.watchers = i == 0 ? 8 : 0;
        bks_match *host = some_open(&config);
        config = of_guest(host);
        config.watchers = i == 0 ? 8 : 0;
        config.record = true;
        config.record_path = "start_state.bks";
        bks_match *guest = some_open(&config);
        assert_played(host, guest, 10000, FIRST);
        const some_state *state = bks_match_state(guest);
        assert_int_equal(state->sum[0], 500);
        assert_int_equal(state->sum[1], -300);
        bks_match_close(guest);
        bks_match_close(host);

        bks_match_config again = some_config();
        again.play_path = "start_state.bks";
        again.tick_per_update = true;
        bks_match *played = some_open(&again);
        bks_status status;
        some_play(played, NULL, 10000, &status, &(bks_status){0});
        assert_int_equal(status, BKS_OVER); // every hash is that of the match
        bks_match_close(played);
    }
    (void)remove("start_state.bks");
}

// ---- large states over bad lines ----

#define LARGE_BYTES ((size_t)4 << 20)

typedef struct large_state {
    some_state some;
    uint8_t noise[LARGE_BYTES];
} large_state;

static large_state *make_noise(void)
{
    large_state *state = calloc(1, sizeof(*state));
    assert_non_null(state);
    uint64_t random = 1;
    for (size_t i = 0; i < LARGE_BYTES; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        state->noise[i] = (uint8_t)(random >> 56);
    }
    return state;
}

static bks_game large_game(void)
{
    bks_game game = some_game;
    game.state_bytes = sizeof(large_state);
    game.tick_rate_hz = 60;
    return game;
}

/// Update both in turn until both have started.
static void start_large(bks_match *host, bks_match *guest)
{
    const uint64_t begun_ns = some_clock_ns();
    while (!bks_match_started(host) || !bks_match_started(guest)) {
        assert_true(some_clock_ns() < begun_ns + 60000 * SOME_MS);
        assert_int_equal(bks_match_update(host), BKS_OK);
        assert_int_equal(bks_match_update(guest), BKS_OK);
        assert_int_equal(bks_match_wait(host), BKS_OK);
    }
}

/// Open a match that begins with a large state.
static void open_large(const bks_game *game, const large_state *state, bks_match **host,
                       bks_match **guest)
{
    bks_match_config config = of_host();
    config.game = game;
    config.start_state = state;
    config.start_state_bytes = sizeof(*state);
    *host = some_open(&config);
    config = of_guest(*host);
    config.game = game;
    *guest = some_open(&config);
}

static void a_large_state_comes_over_the_loopback_address(void **context)
{
    (void)context;
    const bks_game game = large_game();
    large_state *state = make_noise();
    bks_match *host = NULL;
    bks_match *guest = NULL;
    open_large(&game, state, &host, &guest);
    start_large(host, guest);
    assert_played(host, guest, 20000, FIRST);
    assert_memory_equal(((const large_state *)bks_match_state(guest))->noise, state->noise,
                        LARGE_BYTES);
    bks_match_close(guest);
    bks_match_close(host);
    free(state);
}

/// Ends of a wire that loses packets.
typedef struct bad_end {
    bks_transport inner;
    uint32_t loss_percent;
    uint32_t random;
    bool is_stateless; ///< also loses all packets of states
} bad_end;

static bks_status bad_send(void *context, const bks_address *to, const void *bytes, size_t count)
{
    bad_end *end = context;
    const uint8_t *packet = bytes;
    end->random = end->random * 1664525 + 1013904223;
    const bool is_lost = end->random / 65536 % 100 < end->loss_percent;
    return is_lost || (end->is_stateless && packet[0] == 0 && packet[1] == 0x11)
               ? BKS_OK
               : end->inner.send(end->inner.context, to, bytes, count);
}

static size_t bad_receive(void *context, bks_address *from, void *bytes, size_t capacity)
{
    bad_end *end = context;
    return end->inner.receive(end->inner.context, from, bytes, capacity);
}

typedef struct bad_line {
    some_wire wire;
    bad_end ends[2];
    bks_transport transports[2];
} bad_line;

static bad_line *make_line(uint32_t loss_percent)
{
    bad_line *line = calloc(1, sizeof(*line));
    assert_non_null(line);
    some_wire_init(&line->wire);
    for (uint32_t i = 0; i < 2; i++) {
        line->ends[i] = (bad_end){
            .inner = some_wire_end(&line->wire, i), .loss_percent = loss_percent, .random = i + 1};
        line->transports[i] =
            (bks_transport){.send = bad_send, .receive = bad_receive, .context = &line->ends[i]};
    }
    return line;
}

static bks_match *open_end(bad_line *line, bks_match_config config, uint32_t side)
{
    config.transport = &line->transports[side];
    config.key[0] = 1;
    if (side == 1) {
        config.host_address = line->wire.ends[0].address;
    }
    return some_open(&config);
}

static void a_state_comes_over_a_line_that_loses_packets(void **context)
{
    (void)context;
    bks_game game = large_game();
    game.state_bytes = 200000;
    large_state *state = make_noise();
    bad_line *line = make_line(10);
    bks_match_config config = of_host();
    config.game = &game;
    config.start_state = state;
    config.start_state_bytes = game.state_bytes;
    bks_match *host = open_end(line, config, 0);
    config = some_config();
    config.game = &game;
    bks_match *guest = open_end(line, config, 1);
    assert_played(host, guest, 60000, FIRST);
    assert_memory_equal(bks_match_state(guest), bks_match_state(host), game.state_bytes);
    bks_match_close(guest);
    bks_match_close(host);
    free(line);
    free(state);
}

static void both_players_see_that_a_state_is_on_its_way(void **context)
{
    (void)context;
    const bks_game game = large_game();
    large_state *state = make_noise();
    bad_line *line = make_line(0);
    bks_match_config config = of_host();
    config.game = &game;
    config.start_state = state;
    config.start_state_bytes = sizeof(*state);
    bks_match *host = open_end(line, config, 0);
    config = some_config();
    config.game = &game;
    bks_match *guest = open_end(line, config, 1);
    bks_status status[2];
    line->ends[0].is_stateless = true;
    some_play(host, guest, 1500, &status[0], &status[1]);
    assert_int_equal(status[0], BKS_OK);
    assert_int_equal(status[1], BKS_OK);
    bks_event event;
    assert_true(some_event(guest, BKS_EVENT_LOADING, &event));
    assert_int_equal(event.peer, 1);
    assert_int_equal(event.tick, FIRST);
    assert_string_equal(event.text,
                        "the state of tick 1000 comes from the host, 0 of 0 kB are here");
    assert_true(some_event(host, BKS_EVENT_LOADING, &event));
    assert_string_equal(event.text, "peer 1 is loading");
    bks_match_close(guest);
    bks_match_close(host);
    free(line);
    free(state);
}

// ---- states that do not come ----

/// The guest has refused the match, and its host waits for another one.
static void assert_refused(bks_match *host, bks_match *guest, bks_status status, const char *why)
{
    char text[sizeof(((bks_event *)0)->text)];
    bks_event event;
    assert_int_equal(bks_match_update(guest), status);
    assert_true(some_event(guest, BKS_EVENT_REFUSED, &event));
    (void)snprintf(text, sizeof(text), "the match cannot be made, %s", why);
    assert_string_equal(event.text, text);
    assert_int_equal(bks_match_update(host), BKS_OK);
    assert_true(some_event(host, BKS_EVENT_REFUSED, &event));
    (void)snprintf(text, sizeof(text), "peer 1 cannot make the match: %s", why);
    assert_string_equal(event.text, text);
    assert_int_equal(bks_session_phase(bks_match_session(host)), BKS_PHASE_GATHERING);
}

/// Play until the guest ends, and a moment longer so that the host hears of it.
static void play_until_refused(bks_match *host, bks_match *guest)
{
    bks_status status[2] = {BKS_OK, BKS_OK};
    for (uint32_t i = 0; i < 100 && status[1] == BKS_OK; i++) {
        some_play(host, guest, 100, &status[0], &status[1]);
    }
    some_play(host, guest, 300, &status[0], &status[1]);
}

/// Wait for a state on a clock of our own.
/// @return seconds until the guest gave up
static uint32_t wait_in_vain(bad_line *line, bks_match *guest)
{
    bksi_start_state start = {0};
    bks_match_config config = some_config();
    bks_peer *peer = bks_match_peer(guest);
    const uint8_t key[BKS_KEY_BYTES] = {1};
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_event event;
    uint32_t seconds = 1;
    assert_int_equal(
        bksi_start_state_open(&start, &config, &line->wire.ends[0].address, key, peer, NULL),
        BKS_OK);
    while (bksi_awaited_state_bytes_max(peer) > 0 && seconds < 1000) {
        (void)bksi_start_state_update(&start, peer, &line->transports[1], packet,
                                      seconds++ * 1000 * SOME_MS, &event);
    }
    bksi_start_state_close(&start);
    return seconds;
}

static void a_state_that_does_not_come_ends_the_guests_wait_alone(void **context)
{
    (void)context;
    bad_line *line = make_line(0);
    bks_match *host = open_end(line, of_host(), 0);
    bks_match *guest = open_end(line, some_config(), 1);
    line->ends[0].is_stateless = true;
    bks_status status[2];
    some_play(host, guest, 500, &status[0], &status[1]);
    assert_in_range(wait_in_vain(line, guest), 120, 125);
    some_play(host, guest, 300, &status[0], &status[1]);
    assert_refused(host, guest, BKS_ERR_REFUSED,
                   "the state of tick 1000 is not handed out by the host's program");
    bks_match_close(guest);

    line->ends[0].is_stateless = false;
    guest = open_end(line, some_config(), 1);
    assert_played(host, guest, 10000, FIRST);
    bks_match_close(guest);
    bks_match_close(host);
    free(line);
}

static void a_state_comes_from_a_host_that_stands_still_while_it_loads(void **context)
{
    (void)context;
    const bks_game game = large_game();
    large_state *state = make_noise();
    bks_match *host = NULL;
    bks_match *guest = NULL;
    open_large(&game, state, &host, &guest);
    bks_status status[2];
    some_play(host, guest, 300, &status[0], &status[1]);
    assert_false(bks_match_started(host));
    some_play(guest, NULL, 6000, &status[1], &status[0]);
    assert_int_equal(status[1], BKS_OK);
    start_large(host, guest);
    bks_match_close(guest);
    bks_match_close(host);
    free(state);
}

static void *counted_alloc(void *context, size_t bytes, size_t alignment)
{
    size_t *most = context;
    *most = bytes > *most ? bytes : *most;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void counted_release(void *context, void *memory, size_t bytes)
{
    (void)context, (void)bytes;
    free(memory);
}

static void a_state_larger_than_the_games_is_refused(void **context)
{
    (void)context;
    size_t most = 0;
    bks_game game = some_game;
    game.state_bytes = sizeof(large_state);
    large_state *state = make_noise();
    // The first is beyond what the guest takes, the second beyond what it unpacks.
    const size_t sizes[] = {sizeof(large_state), sizeof(some_state) + 4096};
    for (uint32_t i = 0; i < 2; i++) {
        bks_match_config config = of_host();
        config.game = &game;
        config.start_state = state;
        config.start_state_bytes = sizes[i];
        game.state_bytes = sizes[i];
        bks_match *host = some_open(&config);
        config = of_guest(host);
        config.allocator =
            (bks_allocator){.alloc = counted_alloc, .release = counted_release, .context = &most};
        bks_match *guest = some_open(&config);
        play_until_refused(host, guest);
        assert_true(most < LARGE_BYTES);
        assert_refused(host, guest, BKS_ERR_DAMAGED,
                       "the state of tick 1000 that the host sent is none of this game");
        bks_match_close(guest);
        bks_match_close(host);
    }
    free(state);
}

static void a_guest_that_leaves_while_its_state_comes_is_followed_by_another(void **context)
{
    (void)context;
    const bks_game game = large_game();
    large_state *state = make_noise();
    bks_match_config config = of_host();
    config.game = &game;
    config.start_state = state;
    config.start_state_bytes = sizeof(*state);
    bks_match *host = some_open(&config);
    config = of_guest(host);
    config.game = &game;
    for (uint32_t i = 0; i < 6; i++) { // more often than there are places
        bks_match *guest = some_open(&config);
        bks_status status[2];
        some_play(host, guest, 300, &status[0], &status[1]);
        assert_false(bks_match_started(host));
        bks_match_close(guest);
        some_play(host, NULL, 20, &status[0], &status[1]);
    }
    bks_match *guest = some_open(&config);
    start_large(host, guest);
    bks_match_close(guest);
    bks_match_close(host);
    free(state);
}

/// Ask a host for its state, with the key of a feed.
/// @return number of packets that came back
static uint32_t ask(bks_match *host, const uint8_t key[BKS_KEY_BYTES])
{
    bksi_feed_receiver_config config = {.identity = {1}, .entropy = {2}, .timeout_ns = 1 << 30};
    bksi_feed_receiver receiver;
    bks_invitation invitation;
    bks_udp *udp = NULL;
    bks_address from;
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    size_t count = 0;
    uint32_t came = 0;
    assert_int_equal(bks_invitation_parse(bks_match_invitation(host), &invitation, NULL), BKS_OK);
    assert_int_equal(bks_udp_address_parse(invitation.address, &config.source, NULL), BKS_OK);
    assert_int_equal(bks_udp_open("127.0.0.1:0", &udp, NULL), BKS_OK);
    memcpy(config.key, key, BKS_KEY_BYTES);
    assert_int_equal(bksi_feed_receiver_create(&receiver, &config), BKS_OK);
    const bks_transport line = bks_udp_transport(udp);
    for (uint32_t i = 0; i < 30; i++) {
        while ((count = bksi_feed_receiver_send(&receiver, &from, packet, some_clock_ns())) > 0) {
            packet[1] = 0x11;
            (void)line.send(line.context, &from, packet, count);
        }
        some_play(host, NULL, 10, &(bks_status){0}, &(bks_status){0});
        while (line.receive(line.context, &from, packet, sizeof(packet)) > 0) {
            came++;
        }
    }
    bksi_feed_receiver_destroy(&receiver);
    bks_udp_close(udp);
    return came;
}

static void a_key_to_watch_gets_no_packet_of_a_state(void **context)
{
    (void)context;
    static const char purpose[] = "backstitch start";
    const bks_match_config config = of_host();
    bks_match *host = some_open(&config);
    bks_invitation invitation;
    uint8_t derived[BKS_KEY_BYTES];
    uint8_t key[BKS_KEY_BYTES];
    assert_int_equal(bks_invitation_parse(bks_match_invitation(host), &invitation, NULL), BKS_OK);
    bksi_feed_key(invitation.key, key);
    assert_int_equal(ask(host, key), 0);
    (void)crypto_generichash(derived, sizeof(derived), (const uint8_t *)purpose,
                             sizeof(purpose) - 1, invitation.key, BKS_KEY_BYTES);
    bksi_feed_key(derived, key);
    assert_true(ask(host, key) > 0);
    bks_match_close(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guest_gets_the_state_from_its_host),
        cmocka_unit_test(a_large_state_comes_over_the_loopback_address),
        cmocka_unit_test(a_state_comes_over_a_line_that_loses_packets),
        cmocka_unit_test(both_players_see_that_a_state_is_on_its_way),
        cmocka_unit_test(a_state_that_does_not_come_ends_the_guests_wait_alone),
        cmocka_unit_test(a_state_comes_from_a_host_that_stands_still_while_it_loads),
        cmocka_unit_test(a_state_larger_than_the_games_is_refused),
        cmocka_unit_test(a_guest_that_leaves_while_its_state_comes_is_followed_by_another),
        cmocka_unit_test(a_key_to_watch_gets_no_packet_of_a_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
