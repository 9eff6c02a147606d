// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "screen/window/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "backstitch/det.h"
#include "base/tool.h"

static user_settings read_text(const char *text)
{
    user_settings out;
    bks_error error = {0};
    if (settings_read(text, strlen(text), &out, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return out;
}

static void expect_refused(const char *text, size_t bytes, const char *why)
{
    user_settings out;
    user_settings usual;
    settings_usual(&usual);
    bks_error error = {0};
    assert_int_equal(settings_read(text, bytes, &out, &error), BKS_ERR_DAMAGED);
    if (strstr(error.text, why) == NULL) {
        fail_msg("'%s' must say '%s'", error.text, why);
    }
    assert_memory_equal(&out, &usual, sizeof(out));
}

static key_place place(const char *name)
{
    return key_place_named(name, strlen(name));
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    user_settings before;
    settings_usual(&before);
    before.volume = 7;
    before.is_full_screen = true;
    before.has_overlay = true;
    (void)key_map_bind(&before.keys, KEY_HAND_FIRST, KEY_ACTION_NORTH, place("I"));
    (void)key_map_bind(&before.keys, KEY_HAND_FIRST, KEY_ACTION_SOUTH, place("I"));
    char text[SETTINGS_BYTES_MAX];
    const size_t bytes = settings_write(&before, text);
    assert_in_range(bytes, 100, SETTINGS_BYTES_MAX / 2);
    user_settings after;
    assert_int_equal(settings_read(text, bytes, &after, NULL), BKS_OK);
    assert_memory_equal(&after, &before, sizeof(before));
}

static void what_a_file_leaves_out_is_usual(void **state)
{
    (void)state;
    user_settings usual;
    settings_usual(&usual);
    user_settings out = read_text("");
    assert_memory_equal(&out, &usual, sizeof(out));
    out = read_text("# mine\n\n  statistics=yes\r\nalone up = space , keypad 8");
    assert_true(out.has_overlay);
    assert_false(out.is_full_screen);
    assert_int_equal(out.keys.keys[KEY_HAND_ALONE][KEY_ACTION_UP][0], place("Space"));
    assert_int_equal(out.keys.keys[KEY_HAND_ALONE][KEY_ACTION_UP][1], place("Keypad 8"));
    assert_memory_equal(out.keys.keys[KEY_HAND_FIRST], usual.keys.keys[KEY_HAND_FIRST],
                        sizeof(usual.keys.keys[0]));
}

static void a_line_that_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"full screen = perhaps\n",
         "line 1: full screen is 'perhaps', must be yes or no; this does"},
        {"\nstatistics\n", "line 2: statistics is '', must be yes or no"},
        {"\n\nloudness = 3\n", "line 3 is 'loudness = 3', must be a setting such as 'volume'"},
        {"volume = 3\n", "line 1: volume is '3', must be 0, 10, 20"},
        {"volume = 110\n", "volume is '110', must be 0, 10, 20"},
        {"volume =\n", "volume is '', must be 0, 10, 20"},
        {"alone up = Escape\n", "line 1: alone up is 'Escape', must be nothing or up to two keys"},
        {"alone up = A, B, C\n", "must be nothing or up to two keys"},
        {"alone fly = A\n", "a control such as"},
        {"third up = A\n", "a control such as"},
        {"alone = A\n", "a control such as"},
        {"volume = 3\nvolume = 4\n", "; this and 1 more line do not count"},
        {"volume = 3\nvolume = 4\nx\n", "; this and 2 more lines do not count"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        expect_refused(wrong[i].text, strlen(wrong[i].text), wrong[i].why);
    }
    expect_refused("statistics = yes\0\n", 18, "line 1");
}

static void lines_beside_a_wrong_one_count(void **state)
{
    (void)state;
    static const char text[] = "volume = 30\nvolume = 31\nalone up = Z\nalone up = Y, Escape\n"
                               "alone down = \nstatistics = yes\n";
    user_settings out;
    bks_error error = {0};
    assert_int_equal(settings_read(text, strlen(text), &out, &error), BKS_ERR_DAMAGED);
    assert_int_equal(out.volume, 3);
    assert_int_equal(out.keys.keys[KEY_HAND_ALONE][KEY_ACTION_UP][0], place("Z"));
    assert_int_equal(out.keys.keys[KEY_HAND_ALONE][KEY_ACTION_DOWN][0], 0);
    assert_true(out.has_overlay);
}

// Else the two would cancel each other, or one key would move both players.
static void a_key_of_the_file_has_no_other_meaning(void **state)
{
    (void)state;
    static const char text[] = "\xEF\xBB\xBF"
                               "alone up = S\nfirst up = I\n";
    user_settings out;
    bks_error error = {0};
    assert_int_equal(settings_read(text, strlen(text), &out, &error), BKS_OK);
    assert_int_equal(out.keys.keys[KEY_HAND_ALONE][KEY_ACTION_UP][0], place("S"));
    assert_int_equal(out.keys.keys[KEY_HAND_ALONE][KEY_ACTION_DOWN][0], 0);
    assert_int_equal(out.keys.keys[KEY_HAND_FIRST][KEY_ACTION_UP][0], place("I"));
    assert_int_equal(out.keys.keys[KEY_HAND_SECOND][KEY_ACTION_NORTH][0], place("Keypad 8"));
    assert_int_equal(out.keys.keys[KEY_HAND_ALONE][KEY_ACTION_NORTH][0], place("I"));
}

static void two_lines_that_want_one_key_are_refused(void **state)
{
    (void)state;
    static const char text[] =
        "first up = Z\nfirst up = Y, Escape\nsecond up = Z\nfirst up = Z, X\n";
    user_settings out;
    bks_error error = {0};
    assert_int_equal(settings_read(text, strlen(text), &out, &error), BKS_ERR_DAMAGED);
    assert_non_null(strstr(error.text, "line 2"));
    assert_non_null(strstr(error.text, "and 1 more line"));
    assert_int_equal(out.keys.keys[KEY_HAND_FIRST][KEY_ACTION_UP][0], place("Z"));
    assert_int_equal(out.keys.keys[KEY_HAND_FIRST][KEY_ACTION_UP][1], place("X"));
    assert_int_equal(out.keys.keys[KEY_HAND_SECOND][KEY_ACTION_UP][0], place("Up"));
}

// The player reads it whole, however long names, numbers and values are.
static void what_is_wrong_fits_into_its_sentence(void **state)
{
    (void)state;
    static char text[SETTINGS_BYTES_MAX];
    memset(text, '\n', sizeof(text));
    static const char first[] = "second right trigger = Quite a long name of a key that is not";
    memcpy(text + 4000, first, strlen(first));
    for (size_t i = 5000; i < sizeof(text); i += 2) {
        text[i] = 'x';
    }
    static const char end[] = "more lines do not count";
    for (int turn = 0; turn < 2; turn++) {
        user_settings out;
        bks_error error = {0};
        assert_int_equal(settings_read(text, sizeof(text), &out, &error), BKS_ERR_DAMAGED);
        assert_string_equal(error.text + strlen(error.text) - strlen(end), end);
        text[4000] = 'S'; // no setting
    }
}

static void a_file_that_is_too_long_is_refused(void **state)
{
    (void)state;
    static char text[SETTINGS_BYTES_MAX + 1];
    memset(text, '\n', sizeof(text));
    expect_refused(text, sizeof(text), "longer than 8192 bytes");
    user_settings out;
    assert_int_equal(settings_read(text, SETTINGS_BYTES_MAX, &out, NULL), BKS_OK);
}

// Of any bytes come keys that can be had, or the usual ones.
static void any_damage_leaves_settings_that_can_be_used(void **state)
{
    (void)state;
    user_settings usual;
    settings_usual(&usual);
    char text[SETTINGS_BYTES_MAX];
    const size_t bytes = settings_write(&usual, text);
    bks_random random;
    bks_random_seed(&random, 1, 1);
    for (int run = 0; run < 20000; run++) {
        char *changed = malloc(bytes); // so that a sanitizer sees a byte too far
        assert_non_null(changed);
        memcpy(changed, text, bytes);
        const size_t kept = run % 2 == 0 ? bytes : bks_random_below(&random, (uint32_t)bytes);
        for (int i = 0; i < 1 + run % 3; i++) {
            changed[bks_random_below(&random, (uint32_t)bytes)] =
                (char)(run % 5 == 0 ? "=,\n #A"[bks_random_below(&random, 6)]
                                    : (int)bks_random_below(&random, 256));
        }
        user_settings out;
        (void)settings_read(changed, kept, &out, NULL);
        free(changed);
        for (int hand = 0; hand < KEY_HANDS; hand++) {
            for (int action = 0; action < KEY_ACTIONS; action++) {
                for (int i = 0; i < KEY_ALTERNATIVES; i++) {
                    const key_place key = out.keys.keys[hand][action][i];
                    assert_true(key == 0 || key_place_is_free(key));
                }
            }
        }
    }
}

// ---- the file ----

static char folder[] = "/tmp/bks-settings-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL && setenv("XDG_CONFIG_HOME", folder, 1) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

static void settings_are_there_the_next_time(void **state)
{
    (void)state;
    user_settings before;
    user_settings after;
    settings_load(&after); // none yet
    settings_usual(&before);
    assert_memory_equal(&after, &before, sizeof(before));
    before.is_full_screen = true;
    assert_true(settings_save(&before));
    settings_load(&after);
    assert_memory_equal(&after, &before, sizeof(before));
}

static void what_is_no_file_is_refused_and_not_waited_for(void **state)
{
    (void)state;
    char path[256];
    user_settings usual;
    user_settings out;
    settings_usual(&usual);
    snprintf(path, sizeof(path), "%s/bks/settings", folder);
    (void)unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    settings_load(&out);
    assert_memory_equal(&out, &usual, sizeof(out));
    (void)unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    settings_load(&out);
    assert_memory_equal(&out, &usual, sizeof(out));
    assert_false(settings_save(&usual));
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_file(const char *path, const char *text)
{
    char found[256] = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    (void)!fread(found, 1, sizeof(found) - 1, file);
    (void)fclose(file);
    assert_string_equal(found, text);
}

static void a_file_that_is_refused_is_kept_beside_the_new_one(void **state)
{
    (void)state;
    char path[256];
    char aside[300];
    user_settings out;
    snprintf(path, sizeof(path), "%s/bks/settings", folder);
    snprintf(aside, sizeof(aside), "%s.old", path);
    (void)rmdir(path);
    write_file(path, "# mine\nalone up = Z\nsecond start = Keypad Entr\n");
    settings_load(&out);
    assert_true(settings_save(&out));
    assert_file(aside, "# mine\nalone up = Z\nsecond start = Keypad Entr\n");
    assert_true(settings_save(&out)); // nothing more to put aside
    assert_file(aside, "# mine\nalone up = Z\nsecond start = Keypad Entr\n");
}

static void a_link_stays_one_and_what_may_not_be_written_is_not(void **state)
{
    (void)state;
    char path[256];
    char target[256];
    user_settings out;
    struct stat found;
    snprintf(path, sizeof(path), "%s/bks/settings", folder);
    snprintf(target, sizeof(target), "%s/mine", folder);
    (void)unlink(path);
    write_file(target, "full screen = yes\n");
    assert_int_equal(symlink(target, path), 0);
    settings_load(&out);
    assert_true(out.is_full_screen);
    out.is_full_screen = false;
    assert_true(settings_save(&out));
    assert_int_equal(lstat(path, &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    settings_load(&out);
    assert_false(out.is_full_screen);
    assert_int_equal(chmod(target, 0444), 0);
    assert_false(settings_save(&out));
    (void)unlink(path);
    assert_int_equal(symlink("/dev/zero", path), 0);
    assert_false(settings_save(&out));
    assert_int_equal(lstat(path, &found), 0);
    assert_true(S_ISLNK(found.st_mode));
}

// Return true if loading writes a message.
static bool load_complains(user_settings *out)
{
    tool_complaint_forget();
    settings_load(out);
    return tool_complaint()[0] != '\0';
}

static void a_link_that_leads_nowhere_is_left_alone(void **state)
{
    (void)state;
    static const struct {
        const char *to;
        bool is_none; // there is no file, and no harm done
    } links[] = {{"settings", false}, {"gone", true}};
    char path[256];
    user_settings out;
    struct stat found;
    snprintf(path, sizeof(path), "%s/bks/settings", folder);
    for (size_t i = 0; i < 2; i++) {
        (void)unlink(path);
        assert_int_equal(symlink(links[i].to, path), 0);
        assert_int_equal(load_complains(&out), !links[i].is_none);
        assert_false(settings_save(&out));
        assert_int_equal(lstat(path, &found), 0);
        assert_true(S_ISLNK(found.st_mode));
    }
    (void)unlink(path);
}

static void what_we_may_not_read_is_not_thrown_away(void **state)
{
    (void)state;
    enum { SOMEONE = 65534 };
    char path[256];
    char inner[256];
    char aside[300];
    user_settings out;
    snprintf(inner, sizeof(inner), "%s/bks", folder);
    snprintf(path, sizeof(path), "%s/bks/settings", folder);
    snprintf(aside, sizeof(aside), "%s.old", path);
    const bool is_root = geteuid() == 0; // which may read anything
    (void)unlink(path);
    (void)unlink(aside);
    write_file(path, "volume = 30\n");
    assert_true(!is_root ||
                (chown(folder, SOMEONE, SOMEONE) == 0 && chown(inner, SOMEONE, SOMEONE) == 0));
    // Written by another one: we may neither read nor write it.
    assert_int_equal(chmod(path, is_root ? 0600 : 0), 0);
    assert_true(!is_root || seteuid(SOMEONE) == 0);
    assert_true(load_complains(&out));
    assert_int_equal(out.volume, SETTINGS_VOLUME_FULL);
    assert_false(settings_save(&out));
    assert_true(!is_root || (seteuid(0) == 0 && chown(path, SOMEONE, SOMEONE) == 0));
    // Ours, and we may write it alone: it is kept beside the new one.
    assert_int_equal(chmod(path, 0200), 0);
    assert_true(!is_root || seteuid(SOMEONE) == 0);
    assert_true(load_complains(&out));
    assert_true(settings_save(&out));
    assert_int_equal(chmod(aside, 0600), 0);
    assert_file(aside, "volume = 30\n");
    assert_true(!is_root || seteuid(0) == 0);
}

static void a_refused_file_behind_a_link_is_named_as_it_is_put_aside(void **state)
{
    (void)state;
    char path[256];
    char aside[300];
    user_settings out;
    snprintf(path, sizeof(path), "%s/theirs", folder);
    write_file(path, "volume = 3\n");
    snprintf(aside, sizeof(aside), "%s.old", path);
    snprintf(path, sizeof(path), "%s/bks/settings", folder);
    (void)unlink(path);
    assert_int_equal(symlink("../theirs", path), 0);
    settings_load(&out);
    assert_true(settings_save(&out));
    assert_file(aside, "volume = 3\n");
    assert_true(strstr(tool_complaint(), "it is now called theirs.old") != NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_a_file_leaves_out_is_usual),
        cmocka_unit_test(a_line_that_is_wrong_is_named),
        cmocka_unit_test(lines_beside_a_wrong_one_count),
        cmocka_unit_test(a_key_of_the_file_has_no_other_meaning),
        cmocka_unit_test(two_lines_that_want_one_key_are_refused),
        cmocka_unit_test(what_is_wrong_fits_into_its_sentence),
        cmocka_unit_test(a_file_that_is_too_long_is_refused),
        cmocka_unit_test(any_damage_leaves_settings_that_can_be_used),
        cmocka_unit_test(settings_are_there_the_next_time),
        cmocka_unit_test(what_is_no_file_is_refused_and_not_waited_for),
        cmocka_unit_test(a_file_that_is_refused_is_kept_beside_the_new_one),
        cmocka_unit_test(a_link_stays_one_and_what_may_not_be_written_is_not),
        cmocka_unit_test(a_link_that_leads_nowhere_is_left_alone),
        cmocka_unit_test(what_we_may_not_read_is_not_thrown_away),
        cmocka_unit_test(a_refused_file_behind_a_link_is_named_as_it_is_put_aside),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
