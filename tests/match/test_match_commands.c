// SPDX-License-Identifier: MIT
//
// Commands and pauses of a match whose players are all here: where they have no effect, and where
// they are refused.

#define _POSIX_C_SOURCE 200809L // mkdtemp

#include "backstitch/match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "match/some_match.h"
#include "support/catch_log.h"

enum { TICKS = 60, LONGEST = 8 };

static bks_match *match;
static catch_log logged;
static bks_tick calling_tick; ///< tick whose step calls the match; BKS_TICK_NONE: none
static bool calls_back;       ///< true if on_command gives a command
static bool writes;           ///< true if on_command writes to the state
static uint32_t answered;     ///< number of calls of on_command

/// Make a call of the match that its game may not make, and check that it is refused.
static void refused(bks_status status, const char *call, const char *within)
{
    char said[192];
    assert_int_equal(status, BKS_ERR_BAD_ARGUMENT);
    (void)snprintf(said, sizeof(said),
                   "%s is called within %s of the same match, by its game, a source or its "
                   "transport: call it once that has returned",
                   call, within);
    assert_string_equal(logged.text, said);
    assert_string_equal(logged.id, call);
}

static void call_all(const char *within)
{
    const some_input input = {.x = 1};
    size_t count = 0;
    uint8_t byte = 0;
    refused(bks_match_command(match, 0, "a", 1), "bks_match_command", within);
    refused(bks_match_pause(match, true), "bks_match_pause", within);
    refused(bks_match_speed(match, 200), "bks_match_speed", within);
    refused(bks_match_input(match, 0, &input), "bks_match_input", within);
    refused(bks_match_drop(match, 1), "bks_match_drop", within);
    refused(bks_match_note(match, "note"), "bks_match_note", within);
    refused(bks_match_send(match, 1, &byte, 1, &count), "bks_match_send", within);
    refused(bks_match_receive(match, 1, &byte, 1, &count), "bks_match_receive", within);
    refused(bks_match_update(match), "bks_match_update", within);
}

static void step_with_commands(void *state, const bks_step *step)
{
    some_state *some = state;
    some_game.step(state, step);
    for (bks_command command = {0}; bks_step_command(step, &command);) {
        some->mixed += command.bytes[0];
    }
    if (step->tick == calling_tick) {
        call_all("bks_match_update");
    }
}

static void answer_at_once(const void *state, const bks_command *command)
{
    (void)command;
    answered++;
    if (calls_back) {
        call_all("bks_match_command");
    }
    if (writes) {
        ((some_state *)(uintptr_t)state)->mixed++;
    }
}

static bks_game game;

static bks_match_config alone(void)
{
    game = some_game;
    game.step = step_with_commands;
    game.command_bytes_max = LONGEST;
    game.on_command = answer_at_once;
    bks_match_config config = some_config();
    config.game = &game;
    config.players = 1;
    config.tick_per_update = true;
    config.ticks = TICKS;
    return config;
}

static int begin(void **state)
{
    (void)state;
    calling_tick = BKS_TICK_NONE;
    calls_back = writes = false;
    answered = 0;
    catch_log_begin(&logged);
    return 0;
}

static int end(void **state)
{
    (void)state;
    bks_log_clear_sink();
    return 0;
}

static bks_tick tick_of(void)
{
    return bks_session_tick(bks_match_session(match));
}

static void play_until(bks_tick tick)
{
    while (tick_of() < tick) {
        assert_int_equal(bks_match_update(match), BKS_OK);
    }
}

static bks_status play_out(void)
{
    bks_status status = BKS_OK;
    while (status == BKS_OK) {
        status = bks_match_update(match);
    }
    return status;
}

static void a_command_has_no_effect_in_a_playback(void **state)
{
    (void)state;
    char folder[] = "/tmp/bks-commands-XXXXXX";
    char path[64];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/match.bks", folder);
    bks_match_config config = alone();
    config.record = true;
    config.record_path = path;
    match = some_open(&config);
    play_until(10);
    assert_int_equal(bks_match_command(match, 0, "abc", 3), BKS_OK);
    assert_int_equal(play_out(), BKS_OVER);
    bks_match_close(match);
    assert_int_equal(answered, 1);

    config.record_path = NULL;
    config.play_path = path;
    match = some_open(&config);
    play_until(5);
    assert_int_equal(bks_match_command(match, 0, "x", 1), BKS_OK);
    assert_int_equal(answered, 1);
    assert_int_equal(bks_match_command(match, 1, "x", 1), BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(logged.text, "local_player is 1, must be 0..0");
    assert_int_equal(bks_match_command(match, 0, "123456789", 9), BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(logged.text, "count is 9, must be 1..8");
    assert_int_equal(play_out(), BKS_OVER); // BKS_ERR_DESYNC: the states are not as recorded
    assert_int_equal(answered, 2);          // by the command of the recording
    assert_int_equal(bks_match_command(match, 0, "x", 1), BKS_OVER);
    bks_match_close(match);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static bool hears(const char *text)
{
    bool is_heard = false;
    for (bks_event event; bks_match_event(match, &event);) {
        is_heard |= strstr(event.text, text) != NULL;
    }
    return is_heard;
}

static void a_pause_of_ticks_by_update_lasts_until_it_is_ended(void **state)
{
    (void)state;
    const bks_match_config config = alone();
    match = some_open(&config);
    play_until(5);
    assert_int_equal(bks_match_pause(match, true), BKS_OK);
    for (uint32_t i = 0; i < 20000; i++) { // 1000 s, if each update were a wait
        assert_int_equal(bks_match_update(match), BKS_OK);
    }
    const bks_tick paused = tick_of();
    assert_in_range(paused, 5, 8);
    assert_false(hears("the match continues"));
    assert_int_equal(bks_match_pause(match, false), BKS_OK);
    assert_int_equal(bks_match_update(match), BKS_OK);
    assert_int_equal(tick_of(), paused + 1);
    assert_int_equal(play_out(), BKS_OVER);
    assert_int_equal(tick_of(), TICKS);
    bks_match_close(match);
}

static void calls_within_a_step_are_refused(void **state)
{
    (void)state;
    const bks_match_config config = alone();
    calling_tick = 7;
    match = some_open(&config);
    assert_int_equal(play_out(), BKS_OVER);
    assert_int_equal(answered, 0);
    bks_match_close(match);
}

static void calls_within_on_command_are_refused(void **state)
{
    (void)state;
    const bks_match_config config = alone();
    calls_back = true;
    match = some_open(&config);
    assert_int_equal(bks_match_command(match, 0, "a", 1), BKS_OK);
    assert_int_equal(answered, 1);
    assert_int_equal(bks_match_command(match, 0, "b", 1), BKS_OK);
    assert_int_equal(play_out(), BKS_OVER);
    bks_match_close(match);
}

static void a_write_by_on_command_is_named(void **state)
{
    (void)state;
    const bks_match_config config = alone();
    writes = true;
    match = some_open(&config);
    play_until(3);
    assert_int_equal(bks_match_command(match, 0, "a", 1), BKS_OK);
    assert_int_equal(bks_match_update(match), BKS_OK);
    assert_string_equal(logged.id, "match.state");
    assert_string_equal(logged.text,
                        "the state was written outside `step`, by the program or by `on_command`: "
                        "such a write gets lost, and no other peer makes it; send its cause as an "
                        "input or a command");
    bks_match_close(match);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_command_has_no_effect_in_a_playback, begin, end),
        cmocka_unit_test_setup_teardown(a_pause_of_ticks_by_update_lasts_until_it_is_ended, begin,
                                        end),
        cmocka_unit_test_setup_teardown(calls_within_a_step_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(calls_within_on_command_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_write_by_on_command_is_named, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
