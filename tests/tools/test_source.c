// SPDX-License-Identifier: MIT

#include "game/source.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "base/tool.h"
#include "cli.h"

enum { FIELDS = 3, PLAYERS = 4 };

static void nothing_at_start(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void nothing_in_step(void *state, const bks_step *step)
{
    (void)state;
    (void)step;
}

// Its inputs show which seat was asked when, and how often.
static void count_calls(const void *state, uint32_t player, bks_tick tick, uint64_t memory[8],
                        int32_t *values)
{
    (void)state;
    values[0] = (int32_t)player;
    values[1] = tick;
    values[2] = (int32_t)++memory[0];
}

static const bks_field fields[FIELDS] = {
    {.name = "buttons", .bits = 8},
    {.name = "ax1", .bits = 8, .is_signed = true, .neutral = 7},
    {.name = "ax2", .bits = 8, .is_signed = true},
};
static const bks_game with_bots = {.name = "with",
                                   .tick_rate_hz = 60,
                                   .players_max = PLAYERS,
                                   .fields = fields,
                                   .field_count = FIELDS,
                                   .state_bytes = 8,
                                   .init = nothing_at_start,
                                   .step = nothing_in_step,
                                   .bot = count_calls};
static const bks_game without_bots = {.name = "without",
                                      .tick_rate_hz = 60,
                                      .players_max = PLAYERS,
                                      .fields = fields,
                                      .field_count = FIELDS,
                                      .state_bytes = 8,
                                      .init = nothing_at_start,
                                      .step = nothing_in_step};

static int open_set(const args_list *given, uint64_t seed, source_set **set)
{
    const source_env env = {.game = &with_bots, .players = PLAYERS, .seed = seed};
    return source_set_open(given, "idle", &env, set);
}

static source_set *good_set(const char *first, const char *second, uint64_t seed)
{
    const args_list given = {.count = second != NULL ? 2 : 1, .items = {first, second}};
    source_set *set = NULL;
    assert_int_equal(open_set(&given, seed, &set), TOOL_OK);
    return set;
}

static void sample(source_set *set, uint32_t player, bks_tick tick, int32_t values[FIELDS])
{
    const bks_source source = source_set_source(set);
    const bks_sample wanted = {.tick = tick, .player = player, .field_count = FIELDS};
    for (int i = 0; i < FIELDS; i++) {
        values[i] = fields[i].neutral;
    }
    source.sample(source.context, &wanted, values);
}

static void assert_input(source_set *set, uint32_t player, bks_tick tick, int32_t a, int32_t b,
                         int32_t c)
{
    int32_t values[FIELDS];
    sample(set, player, tick, values);
    assert_int_equal(values[0], a);
    assert_int_equal(values[1], b);
    assert_int_equal(values[2], c);
}

static void every_kind_is_recognised_by_its_name(void **state)
{
    (void)state;
    source_set *set = good_set("*=device", "2=monkey:7", 1);
    assert_int_equal(source_set_kind(set, 0), SOURCE_DEVICE);
    assert_int_equal(source_set_kind(set, 2), SOURCE_MONKEY);
    source_set_close(set);
    set = good_set("0=bot", NULL, 1);
    assert_int_equal(source_set_kind(set, 0), SOURCE_BOT);
    assert_int_equal(source_set_kind(set, 1), SOURCE_IDLE); // the fallback
    source_set_close(set);
}

static void a_seats_own_source_goes_before_all(void **state)
{
    (void)state;
    source_set *set = good_set("1=bot", "*=monkey", 1);
    assert_int_equal(source_set_kind(set, 1), SOURCE_BOT);
    assert_int_equal(source_set_kind(set, 3), SOURCE_MONKEY);
    source_set_close(set);
    set = good_set("1=bot", "1=idle", 1);
    assert_int_equal(source_set_kind(set, 1), SOURCE_IDLE);
    source_set_close(set);
}

static void idle_is_neutral_and_a_device_holds_what_it_is_given(void **state)
{
    (void)state;
    source_set *set = good_set("0=device", NULL, 1);
    assert_input(set, 1, 0, 0, 7, 0);
    assert_input(set, 0, 0, 0, 7, 0);
    source_set_device(set, 0)[1] = -3;
    assert_input(set, 0, 1, 0, -3, 0);
    source_set_close(set);
}

static void a_bot_has_a_memory_of_its_own(void **state)
{
    (void)state;
    source_set *set = good_set("*=bot", NULL, 1);
    assert_input(set, 0, 10, 0, 10, 1);
    assert_input(set, 0, 11, 0, 11, 2);
    assert_input(set, 3, 11, 3, 11, 1);
    source_set_close(set);
}

// Inputs of a seat over some ticks, mixed into a number.
static uint64_t digest(source_set *set, uint32_t player)
{
    uint64_t mixed = 1469598103934665603U;
    for (bks_tick tick = 0; tick < 200; tick++) {
        int32_t values[FIELDS];
        sample(set, player, tick, values);
        for (int i = 0; i < FIELDS; i++) {
            mixed = (mixed ^ (uint64_t)(uint32_t)values[i]) * 1099511628211U;
        }
    }
    source_set_close(set);
    return mixed;
}

static void a_monkey_is_made_of_seed_and_player_alone(void **state)
{
    (void)state;
    const uint64_t one = digest(good_set("*=monkey", NULL, 5), 1);
    assert_true(one == digest(good_set("1=monkey:5", NULL, 77), 1));
    assert_true(one != digest(good_set("*=monkey", NULL, 6), 1));
    assert_true(one != digest(good_set("*=monkey", NULL, 5), 2));
}

static void an_input_log_serves_its_players(void **state)
{
    (void)state;
    cli_write("t.csv", "# made here\nframe,player,buttons,stick_x,stick_y\n"
                       "0,0,1,2,3\n0,1,4,5,6\n1,0,7,8,9\n1,1,10,11,12\n");
    source_set *set = good_set("*=trace:t.csv", "2=trace:t.csv:0", 1);
    assert_input(set, 1, 0, 4, 5, 6);
    assert_input(set, 1, 1, 10, 11, 12);
    assert_input(set, 2, 1, 7, 8, 9);
    assert_int_equal(source_set_check(set, 0, 3, 2), TOOL_OK);
    assert_int_equal(source_set_check(set, 0, 3, 3), TOOL_DAMAGED); // no tick 2
    assert_int_equal(source_set_check(set, 3, 1, 1), TOOL_DAMAGED); // no player 3
    source_set_close(set);
}

static void a_tick_that_is_not_in_the_file_fails_the_set(void **state)
{
    (void)state;
    cli_write("t.csv", "tick,player,buttons\n0,0,1\n");
    source_set *set = good_set("0=trace:t.csv", NULL, 1);
    assert_input(set, 0, 0, 1, 7, 0);
    assert_int_equal(source_set_failed(set), TOOL_OK);
    assert_input(set, 0, 1, 0, 7, 0);
    assert_int_equal(source_set_failed(set), TOOL_DAMAGED);
    assert_int_equal(source_set_failed(set), TOOL_DAMAGED);
    source_set_close(set);
}

static void assert_refused(const char *item, int status)
{
    const args_list given = {.count = 1, .items = {item}};
    source_set *set = NULL;
    const int got = open_set(&given, 1, &set);
    if (got != status) {
        fail_msg("'%s' gave %d, expected %d", item, got, status);
    }
    assert_null(set);
}

// ---- commands ----

enum { LARGEST = 8 };

static bks_game with_commands;

static source_set *commanded_set(const char *item, int status)
{
    const args_list given = {.count = 1, .items = {item}};
    with_commands = with_bots;
    with_commands.command_bytes_max = LARGEST;
    const source_env env = {.game = &with_commands, .players = PLAYERS, .seed = 1};
    source_set *set = NULL;
    assert_int_equal(source_set_open(&given, "idle", &env, &set), status);
    return set;
}

// Up to `most` commands of a seat at a tick, in hexadecimal, with spaces between them.
static const char *commands(source_set *set, uint32_t player, bks_tick tick, uint32_t most)
{
    static char text[512];
    const bks_source source = source_set_source(set);
    const bks_sample wanted = {.tick = tick, .player = player, .field_count = FIELDS};
    text[0] = '\0';
    for (uint32_t i = 0; i < most; i++) {
        uint8_t bytes[LARGEST];
        const size_t count = source.command(source.context, &wanted, bytes, LARGEST);
        if (count == 0) {
            break;
        }
        TEXT_ADD(text, "%s", i > 0 ? " " : "");
        for (size_t k = 0; k < count; k++) {
            TEXT_ADD(text, "%02x", bytes[k]);
        }
    }
    return text;
}

#define COMMAND_COLUMNS "# game: made here\ntick,player,nbytes,hexpayload\n"

static void a_command_trace_gives_each_player_its_commands(void **state)
{
    (void)state;
    cli_write("c.csv", COMMAND_COLUMNS "2,1,1,07\n2,0,2,0aff\n5,0,1,01\n5,0,8,0011223344556677\n"
                                       "6,0,1,02\n");
    source_set *set = commanded_set("*=trace:c.csv", TOOL_OK);
    assert_input(set, 0, 0, 0, 7, 0); // its fields are neutral
    for (int round = 0; round < 2; round++) {
        assert_string_equal(commands(set, 0, 0, 9), "");
        assert_string_equal(commands(set, 0, 2, 9), "0aff");
        assert_string_equal(commands(set, 1, 2, 9), "07");
        assert_string_equal(commands(set, 0, 2, 9), "");
        // Commands for which there was no room come at the next tick, before its own.
        assert_string_equal(commands(set, 0, 5, 1), "01");
        assert_string_equal(commands(set, 0, 6, 9), "0011223344556677 02");
        assert_string_equal(commands(set, 0, 100, 9), "");
        assert_string_equal(commands(set, 1, 100, 9), "");
        source_set_rewind(set);
    }
    assert_string_equal(commands(set, 0, 6, 9), "02"); // a reader that begins late
    assert_int_equal(source_set_check(set, 0, 2, 1000), TOOL_OK);
    assert_int_equal(source_set_check(set, 2, 1, 1), TOOL_DAMAGED);
    assert_int_equal(source_set_failed(set), TOOL_OK);
    source_set_close(set);
    cli_write("c.csv", "tick,player,nbytes,hexpayload\r\n\r\n3,2,1,7f\r\n");
    set = commanded_set("0=trace:c.csv:2", TOOL_OK);
    assert_string_equal(commands(set, 0, 3, 9), "7f");
    assert_string_equal(commands(set, 1, 3, 9), "");
    source_set_close(set);
}

static void a_wrong_command_trace_is_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "",
        "x",
        "1,0,1",
        "1,0,1,",
        "1,0,1,f",
        "1,0,1,0g",
        "1,0,1,001",
        "1,0,2,00",
        "1,0,0,",
        "1,16,1,00",
        "-1,0,1,00",
        "1,0,+1,00",
        "1,0,1,0F",
        "1,0,1,00,",
        "1, 0,1,00",
        "2147483647,0,1,00",
        "1,0,65536,00",
        "1,0,9,001122334455667788",
        "99999999999,0,1,00",
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[128];
        (void)snprintf(text, sizeof(text), COMMAND_COLUMNS "%s\n", rows[i]);
        cli_write("c.csv", text);
        assert_null(commanded_set("*=trace:c.csv", TOOL_DAMAGED));
    }
    cli_write("c.csv", COMMAND_COLUMNS "1,0,1,00\n");
    assert_refused("*=trace:c.csv", TOOL_DAMAGED); // the game takes no commands
}

static void a_monkey_of_a_game_with_commands_gives_some(void **state)
{
    (void)state;
    uint32_t given[2] = {0};
    for (uint32_t k = 0; k < 2; k++) {
        source_set *set = commanded_set(k == 0 ? "*=monkey" : "*=bot", TOOL_OK);
        for (bks_tick tick = 0; tick < 100; tick++) {
            given[k] += commands(set, 1, tick, 9)[0] != '\0';
        }
        source_set_close(set);
    }
    assert_in_range(given[0], 10, 70);
    assert_int_equal(given[1], 0); // bots give none
}

static void the_commands_of_real_matches_are_read(void **state)
{
    (void)state;
    const char *folder = getenv("BKS_TRACES");
    if (folder == NULL || folder[0] == '\0') {
        print_message("skipped: no command traces\n");
        skip();
    }
    static const char *const kinds[] = {"faf", "aoe2", "wc3", "openra", "bar"};
    glob_t found = {0};
    uint32_t files = 0;
    for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
        char pattern[4096];
        (void)snprintf(pattern, sizeof(pattern), "%s/%s_*.csv.gz", folder, kinds[kind]);
        (void)glob(pattern, kind > 0 ? GLOB_APPEND : 0, NULL, &found);
    }
    for (; files < found.gl_pathc; files++) {
        char item[4200];
        (void)snprintf(item, sizeof(item), "*=trace:%s", found.gl_pathv[files]);
        const args_list given = {.count = 1, .items = {item}};
        bks_game game = with_bots;
        game.command_bytes_max = BKS_COMMAND_BYTES_MAX;
        const source_env env = {.game = &game, .players = BKS_PLAYERS_MAX, .seed = 1};
        source_set *set = NULL;
        assert_int_equal(source_set_open(&given, "idle", &env, &set), TOOL_OK);
        assert_int_equal(source_set_check(set, 0, 2, 100), TOOL_OK);
        const bks_source source = source_set_source(set);
        static uint8_t bytes[BKS_COMMAND_BYTES_MAX];
        uint32_t count = 0;
        for (bks_tick tick = 0; tick < 130000; tick++) {
            const bks_sample wanted = {.tick = tick, .player = 1, .field_count = FIELDS};
            while (source.command(source.context, &wanted, bytes, sizeof(bytes)) > 0) {
                count++;
            }
        }
        assert_true(count > 100);
        source_set_close(set);
    }
    globfree(&found);
    print_message("%u command traces\n", files);
}

static void a_word_that_is_no_source_is_refused(void **state)
{
    (void)state;
    assert_refused("bot", TOOL_MISUSE);
    assert_refused("=bot", TOOL_MISUSE);
    assert_refused("x=bot", TOOL_MISUSE);
    assert_refused("4=bot", TOOL_MISUSE);
    assert_refused("-1=bot", TOOL_MISUSE);
    assert_refused("0=", TOOL_MISUSE);
    assert_refused("0=robot", TOOL_MISUSE);
    assert_refused("0=botany", TOOL_MISUSE);
    assert_refused("0=monkey:", TOOL_MISUSE);
    assert_refused("0=monkey:x", TOOL_MISUSE);
    assert_refused("0=monkey:-1", TOOL_MISUSE);
    assert_refused("0=trace", TOOL_MISUSE);
    assert_refused("0=trace:", TOOL_MISUSE);
    assert_refused("0=trace:missing.csv", TOOL_DAMAGED);
    assert_refused("0=trace:t.csv:16", TOOL_MISUSE);
    assert_refused("0=replay:missing.bks", TOOL_DAMAGED);
    assert_refused("0=replay:t.csv", TOOL_DAMAGED);
}

static void a_game_without_bots_says_so(void **state)
{
    (void)state;
    const args_list given = {.count = 1, .items = {"*=bot"}};
    const source_env env = {.game = &without_bots, .players = 1, .seed = 1};
    source_set *set = NULL;
    assert_int_equal(source_set_open(&given, "idle", &env, &set), TOOL_MISUSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_recognised_by_its_name),
        cmocka_unit_test(a_seats_own_source_goes_before_all),
        cmocka_unit_test(idle_is_neutral_and_a_device_holds_what_it_is_given),
        cmocka_unit_test(a_bot_has_a_memory_of_its_own),
        cmocka_unit_test(a_monkey_is_made_of_seed_and_player_alone),
        cmocka_unit_test(an_input_log_serves_its_players),
        cmocka_unit_test(a_tick_that_is_not_in_the_file_fails_the_set),
        cmocka_unit_test(a_command_trace_gives_each_player_its_commands),
        cmocka_unit_test(a_wrong_command_trace_is_refused),
        cmocka_unit_test(a_monkey_of_a_game_with_commands_gives_some),
        cmocka_unit_test(the_commands_of_real_matches_are_read),
        cmocka_unit_test(a_word_that_is_no_source_is_refused),
        cmocka_unit_test(a_game_without_bots_says_so),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
