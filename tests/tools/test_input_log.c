// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L

#include "game/input_log.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "pad/pad.h"

static uint64_t seed = 20267;

static uint32_t some_below(uint32_t bound)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % bound;
}

static input_log *parse(const char *text)
{
    input_log *table = NULL;
    bks_error error = {0};
    if (input_log_parse(text, strlen(text), &table, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return table;
}

static input_log *parse_for_pad(const char *text)
{
    input_log *table = parse(text);
    bks_error error = {0};
    if (input_log_bind(table, pad_game.fields, pad_game.field_count, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return table;
}

static void assert_says(const bks_error *error, const char *text)
{
    if (strstr(error->text, text) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error->text, text);
    }
}

/// Text that input_log_parse() must refuse.
static void assert_refused(const char *text, bks_status status, uint64_t offset, const char *says)
{
    input_log *table = (input_log *)&table;
    bks_error error = {0};
    assert_int_equal(input_log_parse(text, strlen(text), &table, &error), status);
    assert_null(table);
    assert_int_equal(error.code, status);
    assert_says(&error, says);
    if (error.offset_bytes != offset) {
        fail_msg("\"%s\": offset %llu, wanted %llu", error.text,
                 (unsigned long long)error.offset_bytes, (unsigned long long)offset);
    }
    assert_int_equal(input_log_parse(text, strlen(text), &table, NULL), status);
}

static void columns_feed_the_fields_of_their_names(void **state)
{
    (void)state;
    input_log *table = parse_for_pad("# game: x\n"
                                     "tick,player,buttons,ax1,ax2,ax3,ax4,trig1,trig2\n"
                                     "0,0,4101,-80,80,-128,127,255,3\n");
    pad_input input = {0};
    assert_true(input_log_sample(table, 0, 0, input.button));
    const pad_input wanted = {
        .button = {[0] = 1, [2] = 1, [12] = 1}, .axis = {-80, 80, -128, 127}, .trigger = {255, 3}};
    assert_memory_equal(&input, &wanted, sizeof(input));
    input_log_free(table);
}

static void old_names_mixed_order_and_odd_line_ends_are_understood(void **state)
{
    (void)state;
    input_log *table = parse_for_pad("\xEF\xBB\xBF# made by hand\r\n"
                                     "\r\n"
                                     "stick_y,player,frame,stick_x\r\n"
                                     "5,1,0,-3\r\n"
                                     "# in between\n"
                                     "\n"
                                     "-6,1,1,4");
    pad_input input = {.trigger = {9, 9}};
    assert_true(input_log_sample(table, 1, 0, input.button));
    assert_int_equal(input.axis[0], -3);
    assert_int_equal(input.axis[1], 5);
    assert_true(input_log_sample(table, 1, 1, input.button));
    assert_int_equal(input.axis[0], 4);
    assert_int_equal(input.axis[1], -6);
    assert_int_equal(input.trigger[1], 9); // no column: left as it came in, which is neutral
    input_log_free(table);
}

static void file_without_players_is_player_0s(void **state)
{
    (void)state;
    input_log *table = parse_for_pad("tick,buttons\n0,1\n1,3\n");
    pad_input input = {0};
    assert_true(input_log_sample(table, 0, 1, input.button));
    assert_int_equal(input.button[1], 1);
    assert_false(input_log_sample(table, 1, 1, input.button));
    assert_int_equal(input_log_players(table), 1);
    input_log_free(table);
}

static void column_of_the_very_name_goes_first(void **state)
{
    (void)state;
    const bks_field fields[] = {
        {.name = "buttons", .bits = 12}, {.name = "b1", .bits = 1}, {.name = "fire", .bits = 3}};
    input_log *table = parse("tick,buttons,fire,b1\n0,2048,7,1\n");
    assert_int_equal(input_log_bind(table, fields, 3, NULL), BKS_OK);
    int32_t values[3] = {0};
    assert_true(input_log_sample(table, 0, 0, values));
    assert_int_equal(values[0], 2048);
    assert_int_equal(values[1], 1);
    assert_int_equal(values[2], 7);
    input_log_free(table);
}

static void rows_may_come_in_any_order_and_with_gaps(void **state)
{
    (void)state;
    enum { ROWS = 300 };
    for (int round = 0; round < 20; round++) {
        bool is_there[4][ROWS] = {{false}};
        char text[ROWS * 24] = "tick,player,ax1\n";
        for (int row = 0; row < ROWS; row++) {
            const uint32_t player = some_below(4);
            const uint32_t tick = some_below(ROWS);
            if (is_there[player][tick]) {
                continue;
            }
            is_there[player][tick] = true;
            char line[32];
            (void)snprintf(line, sizeof(line), "%u,%u,%d\n", tick, player,
                           (int)(tick + player) % 100);
            (void)strcat(text, line);
        }
        input_log *table = parse_for_pad(text);
        for (uint32_t player = 0; player < 5; player++) {
            bks_tick gapless = 0;
            for (bks_tick tick = 0; tick < ROWS + 2; tick++) {
                pad_input input = {0};
                const bool wanted = player < 4 && tick < ROWS && is_there[player][tick];
                assert_int_equal(input_log_sample(table, player, tick, input.button), wanted);
                if (wanted) {
                    assert_int_equal(input.axis[0], (tick + (bks_tick)player) % 100);
                }
                gapless += wanted && gapless == tick;
            }
            assert_int_equal(input_log_ticks(table, player), gapless);
        }
        input_log_free(table);
    }
}

static void a_request_for_missing_ticks_lists_the_present_ones(void **state)
{
    (void)state;
    input_log *table = parse_for_pad("tick,player,ax1\n0,1,0\n1,1,0\n2,1,0\n0,4,0\n2,4,0\n7,5,1\n");
    bks_error error = {0};
    assert_int_equal(input_log_players(table), 6);
    assert_int_equal(input_log_check(table, 1, 3, NULL), BKS_OK);
    assert_int_equal(input_log_check(table, 1, 0, NULL), BKS_OK);
    assert_int_equal(input_log_check(table, 1, 4, &error), BKS_ERR_INCOMPLETE);
    assert_string_equal(error.text,
                        "tick 3 of player 1 is not in the file, which has ticks 0 to 2; "
                        "ticks 0 to 3 are needed");
    assert_int_equal(input_log_check(table, 0, 1, &error), BKS_ERR_INCOMPLETE);
    assert_string_equal(error.text, "player 0 is not in the file, which has players 1, 4, 5");
    assert_int_equal(input_log_check(table, 16, 1, &error), BKS_ERR_INCOMPLETE);
    assert_int_equal(input_log_check(table, UINT32_MAX, 1, &error), BKS_ERR_INCOMPLETE);
    assert_int_equal(input_log_check(table, 4, 1, NULL), BKS_OK);
    assert_int_equal(input_log_check(table, 4, 3, &error), BKS_ERR_INCOMPLETE);
    assert_says(&error, "tick 1 of player 4 is not in the file, which has ticks 0 to 2 with gaps");
    assert_int_equal(input_log_check(table, 5, 1, &error), BKS_ERR_INCOMPLETE);
    assert_says(&error, "tick 0 of player 5 is not in the file, which has ticks 7 to 7");
    pad_input input = {0};
    assert_false(input_log_sample(table, 1, -1, input.button));
    assert_false(input_log_sample(table, 99, 0, input.button));
    assert_int_equal(input_log_ticks(table, 99), 0);
    input_log_free(table);
}

static void damaged_text_is_refused_with_its_line(void **state)
{
    (void)state;
    const bks_status damaged = BKS_ERR_DAMAGED;
    assert_refused("player,ax1\n0,0\n", damaged, 0, "line 1: the columns are without tick");
    assert_refused("# x\ntick,player\n0,0\n", damaged, 4,
                   "line 2: the columns are without a value");
    assert_refused("tick,a b\n", damaged, 5, "a column's name is \"a b\", must be 1..31");
    assert_refused("tick,,ax1\n", damaged, 5, "a column's name is \"\"");
    assert_refused("tick,ax1,ax1\n", damaged, 9, "is there twice");
    assert_refused("tick,ax1,stick_x\n", damaged, 9, "is there twice");
    assert_refused("tick,frame,ax1\n", damaged, 5, "is there twice");
    assert_refused("tick,player,player,ax1\n", damaged, 12, "is there twice");
    assert_refused("tick,ax1\n0,0\n1,abc\n2,0\n", damaged, 15,
                   "line 3: ax1 is \"abc\", must be a whole number");
    assert_refused("tick,ax1\n0,\n", damaged, 11, "line 2: ax1 is \"\"");
    assert_refused("tick,ax1\n0,-\n", damaged, 11, "ax1 is \"-\"");
    assert_refused("tick,ax1\n0,1.5\n", damaged, 11, "ax1 is \"1.5\"");
    assert_refused("tick,ax1\n0, 1\n", damaged, 11, "ax1 is \" 1\"");
    assert_refused("tick,ax1\n0,2147483648\n", damaged, 11, "32 bits");
    assert_refused("tick,ax1\n0,-2147483649\n", damaged, 11, "32 bits");
    assert_refused("tick,ax1\n0,999999999999999999999\n", damaged, 11, "32 bits");
    assert_refused("tick,ax1\n-1,0\n", damaged, 9, "tick is \"-1\", must be a whole number from 0");
    assert_refused("tick,ax1\n2147483647,0\n", damaged, 9, "to 2147483646");
    assert_refused("tick,ax1\nx,0\n", damaged, 9, "tick is \"x\"");
    assert_refused("tick,player,ax1\n0,16,0\n", damaged, 18, "player is \"16\", must be");
    assert_refused("tick,player,ax1\n0,-1,0\n", damaged, 18, "from 0 to 15");
    assert_refused("tick,ax1\n0\n1,0\n", damaged, 9, "line 2 has 1 values, must have 2");
    assert_refused("tick,ax1\n0,0,0\n", damaged, 9, "line 2 has at least 3 values, must have 2");
    char long_line[512] = "tick,ax1\n0";
    for (int i = 0; i < 200; i++) {
        (void)strcat(long_line, ",1");
    }
    assert_refused(long_line, damaged, 9, "line 2 has at least 3 values, must have 2");
    assert_refused("tick,ax1\n0,0\n1,0\n0,7\n", damaged, 0,
                   "line 4: tick 0 of player 0 is there twice, first in line 2");
}

static void text_that_ends_early_is_incomplete(void **state)
{
    (void)state;
    assert_refused("", BKS_ERR_INCOMPLETE, 0, "no line names the columns");
    assert_refused("# only\n# header\n", BKS_ERR_INCOMPLETE, 16, "no line names the columns");
    assert_refused("tick,ax1\n", BKS_ERR_INCOMPLETE, 0, "no inputs");
    assert_refused("tick,ax1\n0,0\n1", BKS_ERR_INCOMPLETE, 13, "line 3 has 1 values, must have 2");
}

static void stream_of_commands_is_refused_as_another_kind(void **state)
{
    (void)state;
    assert_refused("tick,player,nbytes,hexpayload\n2,0,2,ff00\n", BKS_ERR_UNSUPPORTED, 12,
                   "line 1: this is a stream of commands (nbytes, hexpayload), expected a table");
}

static void bytes_that_a_terminal_would_act_on_are_not_repeated(void **state)
{
    (void)state;
    assert_refused("tick,ax1\n0,\x1b[2J\xff\n", BKS_ERR_DAMAGED, 11, "ax1 is \"?[2J?\"");
    char text[64] = "tick,ax1\n0,?0\n";
    text[11] = '\0';
    input_log *table = NULL;
    assert_int_equal(input_log_parse(text, 14, &table, NULL), BKS_ERR_DAMAGED);
}

static void more_columns_than_an_input_has_fields_are_refused(void **state)
{
    (void)state;
    char text[2048] = "tick,player";
    for (int i = 0; i < 64; i++) {
        (void)snprintf(text + strlen(text), 16, ",f%d", i);
    }
    char *const end = text + strlen(text);
    (void)strcpy(end, ",f64\n");
    assert_refused(text, BKS_ERR_DAMAGED, (uint64_t)(end + 1 - text), "more than 66 columns");
    (void)strcpy(end, "\n");
    assert_refused(text, BKS_ERR_INCOMPLETE, 0, "no inputs");
}

/// A table that input_log_bind() must refuse for `fields`.
static void assert_unbound(const char *text, const bks_field *fields, uint32_t count,
                           bks_status status, const char *says)
{
    input_log *table = parse(text);
    bks_error error = {0};
    assert_int_equal(input_log_bind(table, fields, count, &error), status);
    assert_int_equal(error.code, status);
    assert_says(&error, says);
    int32_t values[BKS_FIELDS_MAX] = {0};
    (void)input_log_sample(table, 0, 0, values); // nothing is bound, nothing is written
    assert_int_equal(values[0], 0);
    input_log_free(table);
}

static void values_that_do_not_fit_their_field_are_refused_with_the_line(void **state)
{
    (void)state;
    const bks_field *fields = pad_game.fields;
    const uint32_t count = pad_game.field_count;
    assert_unbound("tick,ax1\n0,127\n1,128\n2,500\n", fields, count, BKS_ERR_DAMAGED,
                   "line 4: ax1 is 500, must be -128..127");
    assert_unbound("tick,stick_x\n0,0\n\n1,-129\n", fields, count, BKS_ERR_DAMAGED,
                   "line 4: stick_x is -129, must be -128..127");
    assert_unbound("tick,trig1\n0,-1\n", fields, count, BKS_ERR_DAMAGED,
                   "line 2: trig1 is -1, must be 0..255");
    assert_unbound("tick,buttons\n0,65535\n1,65536\n", fields, count, BKS_ERR_DAMAGED,
                   "line 3: buttons has bit 16 set, and the game has no field b16");
    assert_unbound("tick,buttons\n0,2147483647\n", fields, count, BKS_ERR_DAMAGED, "bit 16");
    assert_unbound("tick,buttons\n0,-1\n", fields, count, BKS_ERR_DAMAGED,
                   "line 2: buttons is -1, must be 0 or more");
    const bks_field one_button = {.name = "b0", .bits = 1};
    assert_unbound("tick,buttons\n0,1\n1,3\n", &one_button, 1, BKS_ERR_DAMAGED,
                   "line 3: buttons has bit 1 set");
    input_log *table = parse("tick,buttons\n0,1\n1,0\n");
    assert_int_equal(input_log_bind(table, &one_button, 1, NULL), BKS_OK);
    input_log_free(table);
}

static void game_of_other_fields_is_refused_with_the_names_of_both(void **state)
{
    (void)state;
    const bks_field other[] = {{.name = "move", .bits = 4}, {.name = "jump", .bits = 1}};
    assert_unbound("tick,player,buttons,ax1\n0,0,0,0\n", other, 2, BKS_ERR_UNSUPPORTED,
                   "columns buttons, ax1; fields move, jump");
    assert_unbound("tick,jump\n0,1\n", NULL, 2, BKS_ERR_BAD_CONFIG, "NULL");
    bks_field many[BKS_FIELDS_MAX];
    char names[BKS_FIELDS_MAX][24];
    for (int i = 0; i < BKS_FIELDS_MAX; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "somewhat%d", i);
        many[i] = (bks_field){.name = names[i], .bits = 1};
    }
    assert_unbound(
        "tick,ax1,column_of_a_really_long_name_12,b,another_long_column_name\n0,0,0,0,0\n", many,
        BKS_FIELDS_MAX, BKS_ERR_UNSUPPORTED, "somewhat0, somewhat1");
    // One field that has a column is enough; the others stay neutral.
    input_log *table = parse("tick,jump,ax1\n0,1,500\n");
    assert_int_equal(input_log_bind(table, other, 2, NULL), BKS_OK);
    int32_t values[2] = {9, 0};
    assert_true(input_log_sample(table, 0, 0, values));
    assert_int_equal(values[0], 9);
    assert_int_equal(values[1], 1);
    input_log_free(table);
}

static const char scripted_path[] = BKS_TEST_SOURCE_DIR "/tests/data/scripted_4p.csv";

static void plain_file_is_loaded_whole(void **state)
{
    (void)state;
    input_log *table = NULL;
    bks_error error = {0};
    if (input_log_load(scripted_path, &table, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(input_log_bind(table, pad_game.fields, pad_game.field_count, NULL), BKS_OK);
    assert_int_equal(input_log_players(table), 4);
    for (uint32_t player = 0; player < 4; player++) {
        assert_int_equal(input_log_check(table, player, 3600, NULL), BKS_OK);
    }
    assert_int_equal(input_log_check(table, 0, 3601, &error), BKS_ERR_INCOMPLETE);
    pad_input input = {0};
    assert_true(input_log_sample(table, 2, 7, input.button)); // 7,2,160,59,-71
    assert_int_equal(input.button[5], 1);
    assert_int_equal(input.button[7], 1);
    assert_int_equal(input.axis[0], 59);
    assert_int_equal(input.axis[1], -71);
    input_log_free(table);
}

/// A scratch file with these bytes; the caller unlinks it.
static void write_file(char path[64], const void *bytes, size_t count)
{
    (void)strcpy(path, "/tmp/bks_input_log_XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, count), count);
    assert_int_equal(close(file), 0);
}

static size_t gzip(const char *text, uint8_t *out, size_t capacity)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)text;
    stream.avail_in = (uInt)strlen(text);
    stream.next_out = out;
    stream.avail_out = (uInt)capacity;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const size_t count = capacity - stream.avail_out;
    assert_int_equal(deflateEnd(&stream), Z_OK);
    return count;
}

static bks_status load_bytes(const void *bytes, size_t count, input_log **table, bks_error *error)
{
    char path[64];
    write_file(path, bytes, count);
    const bks_status status = input_log_load(path, table, error);
    assert_int_equal(unlink(path), 0);
    return status;
}

static void a_gzip_file_is_recognised_by_its_first_bytes(void **state)
{
    (void)state;
    uint8_t bytes[256];
    const size_t count = gzip("tick,ax1\n0,5\n1,-6\n", bytes, sizeof(bytes));
    input_log *table = NULL;
    bks_error error = {0};
    if (load_bytes(bytes, count, &table, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(input_log_ticks(table, 0), 2);
    input_log_free(table);
    assert_int_equal(load_bytes(bytes, count - 9, &table, &error), BKS_ERR_INCOMPLETE);
    assert_says(&error, "gzip data is cut");
    assert_null(table);
    bytes[count - 6] ^= 1; // its checksum
    assert_int_equal(load_bytes(bytes, count, &table, &error), BKS_ERR_DAMAGED);
    assert_says(&error, "gzip data is damaged");
    bytes[11] ^= 0xFF;
    assert_int_equal(load_bytes(bytes, count, &table, &error), BKS_ERR_DAMAGED);
}

static void file_that_cannot_be_read_says_why(void **state)
{
    (void)state;
    input_log *table = NULL;
    bks_error error = {0};
    assert_int_equal(input_log_load("/nonexistent/x.csv", &table, &error), BKS_ERR_IO);
    assert_says(&error, "cannot be opened: No such file");
    assert_null(table);
    assert_int_equal(input_log_load("/tmp", &table, &error), BKS_ERR_IO);
    assert_says(&error, "cannot be read: ");
    assert_int_equal(load_bytes("", 0, &table, &error), BKS_ERR_INCOMPLETE);
    input_log_free(NULL);
}

/// Damage at random must be refused or read, never run out of bounds (under the sanitizers).
static void random_damage_is_refused_or_read(void **state)
{
    (void)state;
    static const char text[] = "# k: v\ntick,player,buttons,ax1,stick_y,trig1\n"
                               "0,0,0,-5,7,0\n0,1,4096,80,-80,140\n1,0,3,0,0,255\n1,1,1,2,3,4\n";
    static const char likely[] = "0123456789,,,\n\n-#\r\0xtick";
    for (int round = 0; round < 20000; round++) {
        char bytes[sizeof(text)];
        memcpy(bytes, text, sizeof(text));
        const size_t count = some_below(4) == 0 ? some_below(sizeof(text)) : sizeof(text) - 1;
        for (uint32_t i = some_below(6); i > 0; i--) {
            bytes[some_below(sizeof(text) - 1)] =
                some_below(4) == 0 ? (char)some_below(256) : likely[some_below(sizeof(likely) - 1)];
        }
        input_log *table = NULL;
        // In memory of its own, so that one byte too far is seen.
        char *copy = malloc(count > 0 ? count : 1);
        assert_non_null(copy);
        memcpy(copy, bytes, count);
        if (input_log_parse(copy, count, &table, NULL) == BKS_OK) {
            const bks_status status = input_log_bind(table, pad_game.fields, 22, NULL);
            for (bks_tick tick = 0; status == BKS_OK && tick < 3; tick++) {
                pad_input input = {0};
                (void)input_log_sample(table, 1, tick, input.button);
                assert_in_range(input.trigger[0], 0, 255);
            }
            input_log_free(table);
        }
        free(copy);
    }
}

/// Compare a file with what a table gives, line by line, in the plainest way there is.
static uint32_t compare_with_text(const char *path, const input_log *table)
{
    gzFile file = gzopen(path, "rb");
    assert_non_null(file);
    char line[256];
    uint32_t rows = 0;
    while (gzgets(file, line, sizeof(line)) != NULL) {
        int n[9];
        if (sscanf(line, "%d,%d,%d,%d,%d,%d,%d,%d,%d", &n[0], &n[1], &n[2], &n[3], &n[4], &n[5],
                   &n[6], &n[7], &n[8]) != 9) {
            continue;
        }
        pad_input input = {0};
        assert_true(input_log_sample(table, (uint32_t)n[1], n[0], input.button));
        int32_t buttons = 0;
        for (int bit = 0; bit < PAD_BUTTONS; bit++) {
            buttons |= input.button[bit] << bit;
        }
        const bool is_same = buttons == n[2] && input.axis[0] == n[3] && input.axis[1] == n[4] &&
                             input.axis[2] == n[5] && input.axis[3] == n[6] &&
                             input.trigger[0] == n[7] && input.trigger[1] == n[8];
        if (!is_same) {
            fail_msg("%s: %s", path, line);
        }
        rows++;
    }
    assert_int_equal(gzclose(file), Z_OK);
    return rows;
}

static void pad_takes_real_matches_bit_for_bit(void **state)
{
    (void)state;
    const char *folder = getenv("BKS_TRACES");
    if (folder == NULL || folder[0] == '\0') {
        print_message("skipped: no input logs\n");
        skip();
    }
    static const char *const kinds[] = {"slippi", "doom", "heretic", "faf",
                                        "aoe2",   "wc3",  "openra",  "bar"};
    uint32_t files = 0;
    for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
        char pattern[4096];
        (void)snprintf(pattern, sizeof(pattern), "%s/%s_*.csv.gz", folder, kinds[kind]);
        glob_t found;
        if (glob(pattern, 0, NULL, &found) != 0) {
            continue;
        }
        for (size_t i = 0; i < found.gl_pathc; i++) {
            input_log *table = NULL;
            bks_error error = {0};
            const bks_status status = input_log_load(found.gl_pathv[i], &table, &error);
            files++;
            if (kind >= 3) {
                assert_int_equal(status, BKS_ERR_UNSUPPORTED);
                assert_says(&error, "stream of commands");
                continue;
            }
            if (status != BKS_OK || input_log_bind(table, pad_game.fields, 22, &error) != BKS_OK) {
                fail_msg("%s: %s", found.gl_pathv[i], error.text);
            }
            const uint32_t rows = compare_with_text(found.gl_pathv[i], table);
            assert_int_equal(rows, input_log_players(table) * (uint32_t)input_log_ticks(table, 0));
            input_log_free(table);
        }
        globfree(&found);
    }
    print_message("%u input logs\n", files);
    assert_true(files > 0);
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : seed;
    printf("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_feed_the_fields_of_their_names),
        cmocka_unit_test(old_names_mixed_order_and_odd_line_ends_are_understood),
        cmocka_unit_test(file_without_players_is_player_0s),
        cmocka_unit_test(column_of_the_very_name_goes_first),
        cmocka_unit_test(rows_may_come_in_any_order_and_with_gaps),
        cmocka_unit_test(a_request_for_missing_ticks_lists_the_present_ones),
        cmocka_unit_test(damaged_text_is_refused_with_its_line),
        cmocka_unit_test(text_that_ends_early_is_incomplete),
        cmocka_unit_test(stream_of_commands_is_refused_as_another_kind),
        cmocka_unit_test(bytes_that_a_terminal_would_act_on_are_not_repeated),
        cmocka_unit_test(more_columns_than_an_input_has_fields_are_refused),
        cmocka_unit_test(values_that_do_not_fit_their_field_are_refused_with_the_line),
        cmocka_unit_test(game_of_other_fields_is_refused_with_the_names_of_both),
        cmocka_unit_test(plain_file_is_loaded_whole),
        cmocka_unit_test(a_gzip_file_is_recognised_by_its_first_bytes),
        cmocka_unit_test(file_that_cannot_be_read_says_why),
        cmocka_unit_test(random_damage_is_refused_or_read),
        cmocka_unit_test(pad_takes_real_matches_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
