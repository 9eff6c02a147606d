// SPDX-License-Identifier: MIT

#include "diagnose/variants/variants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/// Options, what they become, and what they are then.
static const struct {
    bks_option option;
    const char *value, *other;
} cases[] = {
    {{"fall", "3", "1 to 9"}, "3", "4"},
    {{"last", "3", "1 to 9"}, "9", "8"},
    {{"only", "3", "3 to 3"}, "3", "3"},
    {{"room", "4KiB", "bytes, 1KiB..256MiB"}, "4KiB", "5KiB"},
    {{"map", "plain", "plain, cross or lanes"}, "plain", "cross"},
    {{"sky", "day", "day or night"}, "day", "night"},
    {{"mode", "versus", "versus: Ember against Tide; arcade: all"}, "versus", "arcade"},
    {{"name", "any", "what the map is called"}, "any", "any"},
    {{"none", "", NULL}, "", ""},
};

enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static const char *refused; ///< a value that the game does not take, NULL: none

static bks_status configure(const bks_start *start, size_t *out_state_bytes, bks_error *error)
{
    (void)error;
    *out_state_bytes = 64;
    for (uint32_t i = 0; i < start->game->option_count; i++) {
        if (refused != NULL && strcmp(start->options->text[i], refused) == 0) {
            return BKS_ERR_BAD_CONFIG;
        }
    }
    return BKS_OK;
}

static bks_option options[CASES];

static bks_runner_config config_of(const bks_game *game)
{
    bks_runner_config config = {.game = game, .has_options = true, .players = 2};
    for (uint32_t i = 0; i < CASES; i++) {
        options[i] = cases[i].option;
        (void)snprintf(config.options.text[i], BKS_OPTION_VALUE_BYTES, "%s", cases[i].value);
    }
    return config;
}

static const bks_game game = {.name = "other",
                              .tick_rate_hz = 60,
                              .players_max = 4,
                              .options = options,
                              .option_count = CASES,
                              .configure = configure};

static void values_of_the_help_and_the_next_numbers_are_taken(void **state)
{
    (void)state;
    refused = NULL;
    bks_runner_config config = config_of(&game);
    other_options(&config);
    for (uint32_t i = 0; i < CASES; i++) {
        assert_string_equal(config.options.text[i], cases[i].other);
    }
    assert_int_equal(config.players, 1);
}

static void what_the_game_refuses_is_another(void **state)
{
    (void)state;
    refused = "cross";
    bks_runner_config config = config_of(&game);
    other_options(&config);
    assert_string_equal(config.options.text[4], "lanes");
    refused = "5KiB";
    config = config_of(&game);
    other_options(&config);
    assert_string_equal(config.options.text[3], "3KiB");
}

static void the_number_of_players_stays_within_the_games(void **state)
{
    (void)state;
    refused = NULL;
    bks_game some = game;
    some.players_min = 2;
    bks_runner_config config = config_of(&some);
    other_options(&config);
    assert_int_equal(config.players, 3);
    some.players_max = 2;
    config = config_of(&some);
    other_options(&config);
    assert_int_equal(config.players, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_the_help_and_the_next_numbers_are_taken),
        cmocka_unit_test(what_the_game_refuses_is_another),
        cmocka_unit_test(the_number_of_players_stays_within_the_games),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
