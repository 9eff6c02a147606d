// SPDX-License-Identifier: MIT

#include "backstitch/game.h"
#include "backstitch/toolkit/runner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "game/some_game.h"
#include "support/catch_log.h"

static void assert_refused(const bks_game *game, const char *field, const char *text)
{
    bks_error error = {0};
    assert_int_equal(bks_game_check(game, &error), BKS_ERR_BAD_CONFIG);
    assert_int_equal(error.code, BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, field);
    if (strstr(error.text, text) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error.text, text);
    }
    assert_int_equal(bks_game_check(game, NULL), BKS_ERR_BAD_CONFIG);
}

static void good_games_pass(void **state)
{
    (void)state;
    bks_error error;
    memset(&error, 0x55, sizeof(error));
    const bks_error before = error;
    assert_int_equal(bks_game_check(&some_game, &error), BKS_OK);
    assert_int_equal(bks_game_check(&own_game, &error), BKS_OK);
    bks_game plain = some_game;
    plain.configure = NULL;
    plain.root_bytes = 0;
    plain.state_bytes = 1;
    assert_int_equal(bks_game_check(&plain, &error), BKS_OK);
    assert_memory_equal(&error, &before, sizeof(error));
}

static void no_game_is_a_bad_argument(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    assert_int_equal(bks_game_check(NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    bks_log_clear_sink();
    assert_string_equal(log.id, "bks_game_check");
    assert_string_equal(log.text, "game is NULL, must not be");
}

static void names_are_short_and_printable(void **state)
{
    (void)state;
    bks_game game = some_game;
    const char *bad[] = {NULL, "", "12345678901234567890123456789012", "a\nb", "caf\xc3\xa9"};
    for (size_t i = 0; i < 5; i++) {
        game.name = bad[i];
        assert_refused(&game, "name", "must be 1..31 bytes");
    }
    game.name = "1234567890123456789012345678901";
    assert_int_equal(bks_game_check(&game, NULL), BKS_OK);
}

static void numbers_have_their_ranges(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.tick_rate_hz = 0;
    assert_refused(&game, "tick_rate_hz", "is 0, must be 1..1000");
    game.tick_rate_hz = 1001;
    assert_refused(&game, "tick_rate_hz", "is 1001, must be 1..1000");
    game = some_game;
    game.players_max = 0;
    assert_refused(&game, "players_max", "is 0, must be 1..16");
    game.players_max = 17;
    assert_refused(&game, "players_max", "is 17, must be 1..16");
    game.players_max = 2;
    game.players_min = 3;
    assert_refused(&game, "players_max", "is 2, must be 3..16");
    game.players_min = 17;
    assert_refused(&game, "players_min", "is 17, must be 0..16");
    game = some_game;
    game.field_count = 0;
    assert_refused(&game, "field_count", "must be 1..64");
}

static void init_and_step_are_required(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.init = NULL;
    assert_refused(&game, "init", "init is NULL, must be set");
    game = some_game;
    game.step = NULL;
    assert_refused(&game, "step", "step is NULL, must be set");
}

static void options_are_named_once_and_have_a_default(void **state)
{
    (void)state;
    bks_game game = some_game;
    bks_option options[2] = {some_options[0], some_options[1]};
    game.options = NULL;
    assert_refused(&game, "options", "options is NULL");
    game.option_count = 17;
    assert_refused(&game, "option_count", "is 17, must be 0..16");
    game.option_count = 2;
    game.options = options;
    options[1].name = "map";
    assert_refused(&game, "options", "options[1].name is \"map\", must be unique");
    options[1].name = NULL;
    assert_refused(&game, "options", "options[1].name is \"\"");
    options[1] = some_options[1];
    options[1].default_value = NULL;
    assert_refused(&game, "options", "options[1] (lives) has the default \"(NULL)\"");
    options[1].default_value = "1234567890123456789012345678901234567890123456789012345678901234";
    assert_refused(&game, "options", "must be 0..63 bytes");
    options[1].default_value = "";
    assert_int_equal(bks_game_check(&game, NULL), BKS_OK);
}

static void a_region_needs_room_for_root_and_arena(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.configure = NULL;
    game.root_bytes = 0;
    assert_refused(&game, "state_bytes", "is 0, must be 1..1073741824");
    game.state_bytes = (size_t)1073741824 + 1;
    assert_refused(&game, "state_bytes", "is 1073741825");
    game.root_bytes = 100;
    game.state_bytes = 112 + 63;
    assert_refused(&game, "state_bytes", "is 175, must be 176..1073741824");
    game.state_bytes = 112 + 64;
    assert_int_equal(bks_game_check(&game, NULL), BKS_OK);
    game.root_bytes = SIZE_MAX;
    assert_refused(&game, "root_bytes", "must be 0..1073741824");
}

static void a_state_of_its_own_needs_all_its_functions(void **state)
{
    (void)state;
    bks_game game = own_game;
    game.create = NULL;
    assert_refused(&game, "create", "go together");
    game = own_game;
    game.destroy = NULL;
    assert_refused(&game, "destroy", "go together");
    game = own_game;
    game.save = NULL;
    assert_refused(&game, "save", "go together");
    game = own_game;
    game.load = NULL;
    assert_refused(&game, "load", "go together");
    game = own_game;
    game.hash = NULL;
    assert_refused(&game, "hash", "go together");
    game = own_game;
    game.save_bytes_max = 0;
    assert_refused(&game, "save_bytes_max", "is 0, must be 1..1073741824");
    game = own_game;
    game.state_bytes = 100;
    assert_refused(&game, "state_bytes", "is 100, must be 0..0");
    game = own_game;
    game.root_bytes = 10;
    assert_refused(&game, "root_bytes", "is 10, must be 0..0");
}

static void hash_pointed(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, 1);
}

static void raw_pointers_need_a_hash_and_a_region(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.pointers = true;
    assert_refused(&game, "hash", "pointers is true");
    game.hash = hash_pointed;
    assert_int_equal(bks_game_check(&game, NULL), BKS_OK);
    game = own_game;
    game.pointers = true;
    assert_refused(&game, "pointers", "pointers is true beside create, must be false");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_games_pass),
        cmocka_unit_test(no_game_is_a_bad_argument),
        cmocka_unit_test(names_are_short_and_printable),
        cmocka_unit_test(numbers_have_their_ranges),
        cmocka_unit_test(init_and_step_are_required),
        cmocka_unit_test(options_are_named_once_and_have_a_default),
        cmocka_unit_test(a_region_needs_room_for_root_and_arena),
        cmocka_unit_test(a_state_of_its_own_needs_all_its_functions),
        cmocka_unit_test(raw_pointers_need_a_hash_and_a_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
