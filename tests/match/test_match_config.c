// SPDX-License-Identifier: MIT
//
// A match refuses a bad config or input, and names the field.

#include "match/match_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "match/some_match.h"
#include "support/catch_log.h"
#include "support/counting_allocator.h"

static catch_log logged;

static int listen_to_log(void **state)
{
    (void)state;
    catch_log_begin(&logged);
    return 0;
}

static int stop_listening(void **state)
{
    (void)state;
    bks_log_clear_sink();
    return 0;
}

/// The newest log line: its source and its text.
static void assert_logged(const char *id, const char *text)
{
    if (strcmp(logged.id, id) != 0 || strstr(logged.text, text) == NULL) {
        fail_msg("log line \"%s: %s\" is not \"%s: … %s …\"", logged.id, logged.text, id, text);
    }
    assert_int_equal(logged.level, BKS_LOG_ERROR);
    memset(&logged, 0, sizeof(logged));
}

static void cues_per_tick_is_refused_by_its_own_name(void **state)
{
    (void)state;
    static const bks_cue_type cues[] = {{.name = "bump"}};
    bks_match_config config = some_config();
    bks_match *match = NULL;
    bks_error error = {0};
    config.cues_per_tick = 8;
    assert_int_equal(bks_match_open(&config, &match, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "cues_per_tick");
    assert_string_equal(error.text,
                        "cues_per_tick is 8, must be 0 with some, which has neither cues nor "
                        "commands: bks_game.cues names none, and command_bytes_max is 0");
    bks_game cued = some_game;
    cued.cues = cues;
    cued.cue_count = 1;
    config.game = &cued;
    config.cues_per_tick = 1025;
    assert_int_equal(bks_match_open(&config, &match, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.text, "cues_per_tick is 1025, must be 0..1024");
}

static void cues_that_no_config_asks_for_are_said_once(void **state)
{
    (void)state;
    static const bks_cue_type cues[] = {{.name = "bump"}};
    bks_game cued = some_game;
    cued.cues = cues;
    cued.cue_count = 1;
    for (int named = 0; named < 2; named++) {
        bks_match_config config = some_config();
        bks_match *match = NULL;
        bks_cue_event event;
        config.game = named ? &cued : &some_game;
        assert_int_equal(bks_match_open(&config, &match, NULL), BKS_OK);
        logged.text[0] = '\0';
        assert_false(bks_match_cue(match, &event));
        assert_int_equal(strstr(logged.text, "cues_per_tick of the match's config is 0") != NULL,
                         named);
        logged.text[0] = '\0';
        assert_false(bks_match_cue(match, &event));
        assert_string_equal(logged.text, "");
        bks_match_close(match);
    }
}

/// A match of one player, with a tick in each update.
static bks_match *open_alone(const bks_game *game)
{
    bks_match_config config = some_config();
    config.game = game;
    config.players = 1;
    config.tick_per_update = true;
    return some_open(&config);
}

static void match_without_any_input_is_said_once(void **state)
{
    (void)state;
    for (int given = 0; given < 2; given++) {
        const some_input push = {.x = 1};
        bks_match *match = open_alone(&some_game);
        uint32_t said = 0;
        for (int i = 0; i < 3 * (int)some_game.tick_rate_hz; i++) {
            logged.text[0] = '\0';
            if (given) {
                assert_int_equal(bks_match_input(match, 0, &push), BKS_OK);
            }
            assert_int_equal(bks_match_update(match), BKS_OK);
            said += strstr(logged.text, "bks_match_input() was never called") != NULL ? 1 : 0;
        }
        assert_int_equal(said, 1 - given);
        bks_match_close(match);
    }
}

static void a_write_between_updates_is_said_once(void **state)
{
    (void)state;
    for (int written = 0; written < 2; written++) {
        const some_input push = {.x = 1};
        bks_match *match = open_alone(&some_game);
        uint32_t said = 0;
        for (int i = 0; i < 20; i++) {
            logged.text[0] = '\0';
            assert_int_equal(bks_match_input(match, 0, &push), BKS_OK);
            assert_int_equal(bks_match_update(match), BKS_OK);
            said += strstr(logged.text, "written outside `step`") != NULL ? 1 : 0;
            some_state *drawn = (some_state *)(uintptr_t)bks_match_state(match);
            drawn->sum[0] += written && i > 5 ? 1 : 0;
        }
        assert_int_equal(said, written);
        bks_match_close(match);
    }
}

static void game_with_commands_needs_no_input(void **state)
{
    (void)state;
    bks_game orders = some_game;
    orders.command_bytes_max = 8;
    bks_match *match = open_alone(&orders);
    for (int i = 0; i < 3 * (int)orders.tick_rate_hz; i++) {
        assert_int_equal(bks_match_update(match), BKS_OK);
        assert_null(strstr(logged.text, "bks_match_input() was never called"));
    }
    bks_match_close(match);
}

static void defaults_are_as_documented(void **state)
{
    (void)state;
    bks_match_config config = bks_match_config_default();
    assert_string_equal(config.bind_address, "0");
    assert_int_equal(config.local_players, 1);
    assert_int_equal(config.players, 0);
    assert_int_equal(config.tuning.window_ticks, 20);
    assert_int_equal(config.tuning.delay_ticks, BKS_AUTO);
    assert_int_equal(config.tuning.pace, BKS_PACE_SLEW);
    assert_int_equal(config.tuning.save, BKS_SAVE_AUTO);
    assert_int_equal(config.join_timeout_ms, 10000);
    assert_true(config.record);
    assert_null(config.invitation);
    assert_null(config.record_path);
    assert_null(config.transport);
}

static void the_default_number_of_players_is_two_where_the_game_has_them(void **state)
{
    (void)state;
    bks_game game = some_game;
    for (uint32_t most = 1; most <= 4; most++) {
        game.players_max = most;
        bks_match_config config = some_config();
        config.game = &game;
        bks_peer_config peer = bks_peer_config_default();
        bksi_match_config_to_peer(&config, &peer);
        assert_int_equal(peer.session.players, most < 2 ? most : 2);
        config.players = most;
        bksi_match_config_to_peer(&config, &peer);
        assert_int_equal(peer.session.players, most);
    }
}

static void all_that_a_peer_takes_over_is_handed_on(void **state)
{
    (void)state;
    counting_allocator counter;
    bks_option_values options = {.text = {"1"}};
    bks_match_config config = some_config();
    config.options = options;
    config.has_options = true;
    config.seed = 12;
    config.ticks = 34;
    config.tuning.window_ticks = 5;
    config.tuning.delay_ticks = 6;
    config.tuning.pace = BKS_PACE_STALL;
    config.tuning.save = BKS_SAVE_ONE;
    config.local_players = 2;
    config.invitation = "bks://";
    config.allocator = counting_allocator_hooks(&counter);
    config.sources[1].context = &counter;
    config.sync_test_ticks = 7;
    bks_peer_config peer = bks_peer_config_default();
    bksi_match_config_to_peer(&config, &peer);
    assert_ptr_equal(peer.game, &some_game);
    assert_true(peer.has_options);
    assert_memory_equal(&peer.options, &options, sizeof(options));
    assert_int_equal(peer.session.seed, 12);
    assert_int_equal(peer.session.ticks, 34);
    assert_int_equal(peer.session.tuning.window_ticks, 5);
    assert_int_equal(peer.session.tuning.delay_ticks, 6);
    assert_int_equal(peer.session.tuning.pace, BKS_PACE_STALL);
    assert_int_equal(peer.session.tuning.save, BKS_SAVE_ONE);
    assert_int_equal(peer.session.local_players, 2);
    assert_ptr_equal(peer.session.allocator.context, &counter);
    assert_ptr_equal(peer.sources[1].context, &counter);
    assert_int_equal(peer.sync_test_ticks, 7);
}

static void alone_nothing_is_guessed_and_nothing_comes_late(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    config.local_players = 2;
    bks_peer_config peer = bks_peer_config_default();
    bksi_match_config_to_peer(&config, &peer);
    assert_int_equal(peer.session.tuning.window_ticks, 0);
    assert_int_equal(peer.session.tuning.delay_ticks, 0);
    assert_int_equal(peer.session.tuning.hash_every_ticks, 1);
    config.tuning.delay_ticks = 6; // as asked for
    bksi_match_config_to_peer(&config, &peer);
    assert_int_equal(peer.session.tuning.delay_ticks, 6);
    config.local_players = 1;
    config.tuning.delay_ticks = BKS_AUTO;
    bksi_match_config_to_peer(&config, &peer);
    assert_int_equal(peer.session.tuning.window_ticks, 20);
    assert_int_equal(peer.session.tuning.delay_ticks, BKS_AUTO);
}

static void assert_rejected(const bks_match_config *config, const char *field, const char *says)
{
    bks_match *match = (bks_match *)&logged;
    bks_error error = {0};
    bks_status status = bks_match_open(config, &match, &error);
    if (status != BKS_ERR_BAD_CONFIG || error.field == NULL ||
        strncmp(error.field, field, strlen(field)) != 0 || strstr(error.text, says) == NULL) {
        fail_msg("%s for '%s', \"%s\"; wanted '%s', \"%s\"", bks_status_name(status),
                 error.field != NULL ? error.field : "nothing", error.text, field, says);
    }
    assert_int_equal(error.code, status);
    assert_null(match);
    assert_int_equal(bks_match_open(config, &match, NULL), BKS_ERR_BAD_CONFIG);
}

static void a_config_out_of_its_range_is_rejected_by_field(void **state)
{
    (void)state;
    bks_match_config c;
    c = some_config(), c.cookie = 0;
    assert_rejected(&c, "cookie", "bks_match_config_default()");
    c = some_config(), c.game = NULL;
    assert_rejected(&c, "game", "NULL");
    c = some_config(), c.local_players = 0;
    assert_rejected(&c, "local_players", "local_players is 0, must be 1..2");
    c = some_config(), c.local_players = 3;
    assert_rejected(&c, "local_players", "is 3");
    c = some_config(), c.players = 3;
    assert_rejected(&c, "players", "players is 3, must be 1..2: players_max of");
    c = some_config(), c.players = 1, c.local_players = 2;
    assert_rejected(&c, "players", "players is 1, must be 2..2: local_players is 2");
    c = some_config(), c.ticks = -1;
    assert_rejected(&c, "ticks", "-1");
    c = some_config(), c.tuning.window_ticks = 65;
    assert_rejected(&c, "tuning.window_ticks", "65, must be 0..64");
    c = some_config(), c.tuning.delay_ticks = 256;
    assert_rejected(&c, "tuning.delay_ticks", "256, must be 0..255");
    c = some_config(), c.tuning.pace = (bks_pace)3;
    assert_rejected(&c, "tuning.pace", "3");
    c = some_config(), c.tuning.save = (bks_save_policy)4;
    assert_rejected(&c, "tuning.save", "4");
    c = some_config(), c.record_detail.keyframe_ticks = 1000001;
    assert_rejected(&c, "record_detail.keyframe_ticks", "1000001, must be 0..1000000 or BKS_AUTO");
    c = some_config(), c.host_address.length = 6;
    assert_rejected(&c, "host_address", "must be empty: over UDP the invitation has");
    c = some_config(), c.build = "build\n";
    assert_rejected(&c, "build", "0..63 bytes of printable ASCII");
    c = some_config(), c.start_tick = 1;
    assert_rejected(&c, "start_tick", "is 1, must be 0..0 without start_state");
    c = some_config(), c.start_state_bytes = 8;
    assert_rejected(&c, "start_state_bytes", "is 8, must be 0 without start_state");
    c = some_config(), c.play_path = "none.bks", c.ticks = -1;
    assert_rejected(&c, "ticks", "-1, must be 0..2147483647");
    c = some_config(), c.play_path = "none.bks", c.start_state = "state", c.start_state_bytes = 5;
    assert_rejected(&c, "start_state", "must be NULL with play_path");
    c = some_config(), c.arithmetic = 8;
    assert_rejected(&c, "arithmetic", "is 8, must be 0..7");
    c = some_config(), c.bind_address = NULL;
    assert_rejected(&c, "bind_address", "NULL");
    c = some_config(), c.bind_address = "localhost:0";
    assert_rejected(&c, "bind_address", "no IPv4 address");
    counting_allocator counter;
    c = some_config(), c.allocator = counting_allocator_hooks(&counter), c.allocator.alloc = NULL;
    assert_rejected(&c, "allocator", "both or neither");
    bks_game nameless = some_game;
    nameless.name = "";
    c = some_config(), c.game = &nameless;
    assert_rejected(&c, "name", "");
    char path[5000];
    memset(path, 'a', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    c = some_config(), c.record = true, c.record_path = path;
    assert_rejected(&c, "record_path", "1..4095");
}

static void a_transport_without_its_parts_is_rejected(void **state)
{
    (void)state;
    static some_wire wire;
    some_wire_init(&wire);
    const bks_transport good = some_wire_end(&wire, 0);
    bks_transport bad = good;
    bks_match_config c = some_config();
    c.transport = &bad;
    c.key[31] = 1;
    bad.send = NULL;
    assert_rejected(&c, "transport->send", "NULL");
    bad = good, bad.receive = NULL;
    assert_rejected(&c, "transport->receive", "NULL");
    bad = good, c.invitation = "bks://127.0.0.1:7777/#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
    assert_rejected(&c, "invitation", "must be NULL");
    c.invitation = NULL, c.host_address.length = 32;
    assert_rejected(&c, "host_address", "32, must be 0..31");
}

static void an_invitation_that_leads_nowhere_is_rejected(void **state)
{
    (void)state;
    bks_match_config c = some_config();
    c.invitation = "bks://127.0.0.1:7777/#012345678";
    assert_rejected(&c, "invitation", "at byte 31");
    bks_match *match = NULL;
    bks_error error = {0};
    assert_int_equal(bks_match_open(&c, &match, &error), BKS_ERR_BAD_CONFIG);
    assert_int_equal(error.offset_bytes, 31);

    c.invitation = "bks://127.0.0.300:7777/#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
    assert_rejected(&c, "invitation", "127.0.0.300:7777");
    c.invitation =
        "bks://[::1]:7777/#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"; // bound to 127.0.0.1
    assert_rejected(&c, "bind_address", "is IPv4, must be IPv6");
    c.invitation = "bks://127.0.0.1:7777/#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
    c.bind_address = "[::1]:0";
    assert_rejected(&c, "bind_address", "is IPv6, must be IPv4");
}

static void what_only_a_host_decides_is_not_asked_of_a_guest(void **state)
{
    (void)state;
    bks_match_config c = some_config();
    c.invitation = "bks://127.0.0.1:7777/#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
    c.players = 99;
    c.ticks = -1;
    bks_match_close(some_open(&c));
}

static void an_address_in_use_is_an_io_error(void **state)
{
    (void)state;
    bks_match_config c = some_config();
    c.bind_address = "192.0.2.1:0"; // for documentation, on no machine
    bks_match *match = NULL;
    bks_error error = {0};
    assert_int_equal(bks_match_open(&c, &match, &error), BKS_ERR_IO);
    assert_string_equal(error.field, "bind_address");
    assert_null(match);
}

static void null_arguments_are_named(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    bks_match *match = (bks_match *)&config;
    bks_event event;
    some_input input = {0};
    assert_int_equal(bks_match_open(NULL, &match, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_logged("bks_match_open", "config is NULL");
    assert_null(match);
    assert_int_equal(bks_match_open(&config, NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_logged("bks_match_open", "out is NULL");
    assert_int_equal(bks_match_wait(NULL), BKS_ERR_BAD_ARGUMENT);
    assert_logged("bks_match_wait", "match is NULL");
    assert_int_equal(bks_match_update(NULL), BKS_ERR_BAD_ARGUMENT);
    assert_logged("bks_match_update", "match is NULL");
    assert_int_equal(bks_match_input(NULL, 0, &input), BKS_ERR_BAD_ARGUMENT);
    assert_logged("bks_match_input", "match is NULL");
    assert_string_equal(bks_match_invitation(NULL), "");
    assert_logged("bks_match_invitation", "match is NULL");
    assert_string_equal(bks_match_record_path(NULL), "");
    assert_logged("bks_match_record_path", "match is NULL");
    assert_false(bks_match_started(NULL));
    assert_logged("bks_match_started", "match is NULL");
    assert_null(bks_match_state(NULL));
    assert_logged("bks_match_state", "match is NULL");
    assert_null(bks_match_peer(NULL));
    assert_logged("bks_match_peer", "match is NULL");
    assert_false(bks_match_event(NULL, &event));
    assert_logged("bks_match_event", "match is NULL");
    bks_match_close(NULL);

    match = some_open(&config);
    assert_false(bks_match_event(match, NULL));
    assert_logged("bks_match_event", "event is NULL");
    bks_match_close(match);
}

static void a_bad_input_is_named(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    bks_match *match = some_open(&config);
    some_input input = {.x = 8};
    assert_int_equal(bks_match_input(match, 0, &input), BKS_ERR_BAD_ARGUMENT);
    assert_logged("input.pack", "x is 8, must be -8..7");
    input = (some_input){.y = 2};
    assert_int_equal(bks_match_input(match, 0, &input), BKS_ERR_BAD_ARGUMENT);
    assert_logged("input.pack", "y is 2, must be 0..1");
    input = (some_input){.x = -8, .y = 1};
    assert_int_equal(bks_match_input(match, 0, &input), BKS_OK);
    assert_int_equal(bks_match_input(match, 1, &input), BKS_ERR_BAD_ARGUMENT);
    assert_logged("bks_peer_input", "local_player is 1");
    assert_int_equal(bks_match_input(match, 0, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_logged("bks_peer_input", "input is NULL");
    bks_match_close(match);
}

#define LOGGED(test) cmocka_unit_test_setup_teardown(test, listen_to_log, stop_listening)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cues_per_tick_is_refused_by_its_own_name),
        LOGGED(cues_that_no_config_asks_for_are_said_once),
        LOGGED(match_without_any_input_is_said_once),
        LOGGED(a_write_between_updates_is_said_once),
        LOGGED(game_with_commands_needs_no_input),
        cmocka_unit_test(defaults_are_as_documented),
        cmocka_unit_test(the_default_number_of_players_is_two_where_the_game_has_them),
        cmocka_unit_test(all_that_a_peer_takes_over_is_handed_on),
        cmocka_unit_test(alone_nothing_is_guessed_and_nothing_comes_late),
        LOGGED(a_config_out_of_its_range_is_rejected_by_field),
        LOGGED(a_transport_without_its_parts_is_rejected),
        LOGGED(an_invitation_that_leads_nowhere_is_rejected),
        LOGGED(what_only_a_host_decides_is_not_asked_of_a_guest),
        LOGGED(an_address_in_use_is_an_io_error),
        LOGGED(null_arguments_are_named),
        LOGGED(a_bad_input_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
