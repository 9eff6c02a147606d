// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "play/menu_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <cmocka.h>

#include "cli.h"

static menu_files found; // large

// So that the order is known.
static void date(const char *name, int age_s)
{
    char path[512];
    struct timeval times[2];
    assert_int_equal(gettimeofday(&times[0], NULL), 0);
    times[0].tv_sec -= age_s;
    times[1] = times[0];
    snprintf(path, sizeof(path), "%s/%s", cli_folder(), name);
    assert_int_equal(utimes(path, times), 0);
}

static void put(const char *name, const void *bytes, size_t count)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", cli_folder(), name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

// The menu's own match is of one game, as is `bks play GAME --watch FILE`.
static void recordings_of_the_game_are_found_newest_first(void **state)
{
    (void)state;
    assert_int_equal(cli("monkey duel --ticks 5 --record old.bks")->status, 0);
    assert_int_equal(cli("monkey duel --ticks 5 --record new.bks")->status, 0);
    assert_int_equal(cli("monkey pad --ticks 5 --record pad.bks")->status, 0);
    date("old.bks", 60);
    date("new.bks", 30);
    menu_files_find(cli_folder(), "duel", &found);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.older, 0);
    assert_string_equal(found.names[0], "new.bks");
    assert_string_equal(found.names[1], "old.bks");
    menu_files_find(cli_folder(), "pad", &found);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.names[0], "pad.bks");
    menu_files_find(cli_folder(), "due", &found);
    assert_int_equal(found.count, 0);
    menu_files_find("/nowhere", "pad", &found);
    assert_int_equal(found.count, 0);
}

static void what_is_no_recording_is_left_out(void **state)
{
    (void)state;
    char begin[64] = "\x89"
                     "BKS\r\n\x1A\n";
    memcpy(begin + 28, "\4tiny", 5);
    put("whole.bks", begin, sizeof(begin));
    put("begun.bks", begin, 33);
    put("cut.bks", begin, 32);
    put("empty.bks", begin, 0);
    begin[0] = 'x';
    put("other.bks", begin, sizeof(begin));
    char path[512];
    snprintf(path, sizeof(path), "%s/folder.bks", cli_folder());
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/pipe.bks", cli_folder());
    assert_int_equal(mkfifo(path, 0600), 0); // and is not waited for
    menu_files_find(cli_folder(), "tiny", &found);
    assert_int_equal(found.count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_of_the_game_are_found_newest_first),
        cmocka_unit_test(what_is_no_recording_is_left_out),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
