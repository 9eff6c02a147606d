// SPDX-License-Identifier: MIT
//
// Files that matches leave on the disk.

#define _POSIX_C_SOURCE 200809L // mkdtemp, access

#include "backstitch/match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backstitch/replay.h"
#include "match/some_match.h"
#include "support/folder.h"

static bks_match *open_recording(const char *path, const char *invitation, bks_tick ticks)
{
    bks_match_config config = some_config();
    config.record = true;
    config.record_path = path;
    config.invitation = invitation;
    config.ticks = ticks;
    return some_open(&config);
}

static size_t read_file(const char *path, uint8_t *bytes, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, capacity, file);
    fclose(file);
    assert_true(count < capacity);
    return count;
}

/// Verify a recording from its bytes.
static void assert_verifies(const char *path, bool is_complete, bks_tick ticks_least)
{
    static uint8_t bytes[1 << 20];
    bks_replay *replay = NULL;
    bks_error error = {0};
    size_t count = read_file(path, bytes, sizeof(bytes));
    if (bks_replay_open(bytes, count, NULL, &replay, &error) != BKS_OK) {
        fail_msg("%s: %s", path, error.text);
    }
    const bks_recording *info = bks_replay_info(replay);
    assert_string_equal(info->game, "some");
    assert_int_equal(info->is_complete, is_complete);
    assert_int_equal(info->players, 2);
    assert_true(info->confirmed >= ticks_least);

    bks_verify_result result;
    bks_playback_config config = {.replay = replay, .game = &some_game};
    if (bks_replay_verify(&config, NULL, &result, &error) != BKS_OK) {
        fail_msg("%s: %s", path, error.text);
    }
    assert_true(result.is_same);
    assert_true(result.compared >= ticks_least);
    bks_replay_close(replay);
}

static void both_sides_leave_a_recording_that_verifies(void **state)
{
    (void)state;
    bks_match *host = open_recording(NULL, NULL, 300);
    bks_match *guest = open_recording("guest.bks", bks_match_invitation(host), 0);
    assert_string_equal(bks_match_record_path(guest), "guest.bks");
    char host_path[128];
    snprintf(host_path, sizeof(host_path), "%s", bks_match_record_path(host));
    assert_memory_equal(host_path, "some-20", 7);

    bks_status status[2];
    some_play(host, guest, 10000, &status[0], &status[1]);
    assert_int_equal(status[0], BKS_OVER);
    assert_int_equal(status[1], BKS_OVER);
    bks_match_close(host);
    bks_match_close(guest);
    assert_verifies(host_path, true, 300);
    assert_verifies("guest.bks", true, 300);
    assert_int_equal(unlink(host_path), 0);
    assert_int_equal(unlink("guest.bks"), 0);
}

static void a_recording_verifies_while_the_match_still_runs(void **state)
{
    (void)state;
    bks_match *host = open_recording("host.bks", NULL, 0);
    bks_match *guest = open_recording("guest.bks", bks_match_invitation(host), 0);
    bks_status status[2];
    some_play(host, guest, 700, &status[0], &status[1]);
    assert_int_equal(status[0], BKS_OK);
    assert_true(bks_match_started(host));
    assert_verifies("host.bks", false, 50); // as a crash now would leave it
    bks_match_close(guest);
    bks_match_close(host);
    assert_verifies("host.bks", true, 50);
    assert_verifies("guest.bks", true, 50);
    assert_int_equal(unlink("host.bks"), 0);
    assert_int_equal(unlink("guest.bks"), 0);
}

static void without_a_match_no_file_stays(void **state)
{
    (void)state;
    bks_match *host = open_recording(NULL, NULL, 0);
    char path[128];
    snprintf(path, sizeof(path), "%s", bks_match_record_path(host));
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(bks_match_update(host), BKS_OK);
    bks_match_close(host);
    assert_int_equal(access(path, F_OK), -1);
}

static void no_recording_is_made_when_none_is_wanted(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    config.local_players = 2;
    config.ticks = 20;
    bks_match *match = some_open(&config);
    assert_string_equal(bks_match_record_path(match), "");
    bks_status status;
    bks_status none;
    some_play(match, NULL, 5000, &status, &none);
    assert_int_equal(status, BKS_OVER);
    bks_match_close(match);
}

static void a_place_that_cannot_be_written_is_an_io_error(void **state)
{
    (void)state;
    bks_match_config config = some_config();
    config.record = true;
    config.record_path = "no/such/folder/a.bks";
    bks_match *match = NULL;
    bks_error error = {0};
    assert_int_equal(bks_match_open(&config, &match, &error), BKS_ERR_IO);
    assert_string_equal(error.field, "record_path");
    assert_null(match);
}

static void a_full_disk_does_not_end_a_match(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    bks_match_config config = some_config();
    config.record = true;
    config.record_path = "/dev/full";
    config.local_players = 2;
    config.ticks = 50;
    bks_match *match = some_open(&config);
    bks_status status;
    bks_status none;
    some_play(match, NULL, 5000, &status, &none);
    assert_int_equal(status, BKS_OVER);
    bks_match_close(match);
}

static void options_of_the_host_are_everyones(void **state)
{
    (void)state;
    static const bks_option mode = {.name = "mode", .default_value = "calm", .help = "calm, wild"};
    bks_game game = some_game;
    game.options = &mode;
    game.option_count = 1;
    bks_option_values wild;
    assert_int_equal(bks_option_values_default(&game, &wild), BKS_OK);
    assert_int_equal(bks_option_values_set(&game, &wild, "mode", "wild", NULL), BKS_OK);
    bks_match_config config = some_config();
    config.game = &game;
    config.ticks = 50;
    config.options = wild;
    config.has_options = true;
    config.seed = 5;
    bks_match *host = some_open(&config);
    config.has_options = false;
    config.seed = 0;
    config.record = true;
    config.record_path = "guest.bks";
    config.invitation = bks_match_invitation(host);
    bks_match *guest = some_open(&config);
    bks_status status[2];
    some_play(host, guest, 10000, &status[0], &status[1]);
    assert_int_equal(status[1], BKS_OVER);
    bks_match_close(host);
    bks_match_close(guest);

    static uint8_t bytes[1 << 16];
    bks_replay *replay = NULL;
    size_t count = read_file("guest.bks", bytes, sizeof(bytes));
    assert_int_equal(bks_replay_open(bytes, count, NULL, &replay, NULL), BKS_OK);
    const bks_recording *info = bks_replay_info(replay);
    assert_int_equal(info->option_count, 1);
    assert_string_equal(info->options[0].name, "mode");
    assert_string_equal(info->options[0].value, "wild");
    assert_true(info->seed == 5);
    bks_replay_close(replay);
    assert_int_equal(unlink("guest.bks"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(both_sides_leave_a_recording_that_verifies),
        IN_FOLDER(a_recording_verifies_while_the_match_still_runs),
        IN_FOLDER(without_a_match_no_file_stays),
        IN_FOLDER(no_recording_is_made_when_none_is_wanted),
        IN_FOLDER(a_place_that_cannot_be_written_is_an_io_error),
        IN_FOLDER(a_full_disk_does_not_end_a_match),
        IN_FOLDER(options_of_the_host_are_everyones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
