// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli.h"
#include "pad/pad.h"
#include "workshop/bench/bench_latency_run.h"
#include "workshop/bench/bench_matches.h"

static int setup(void **state)
{
    (void)unsetenv("BKS_TRACES");
    return cli_setup(state);
}

static void without_a_name_the_benchmarks_are_listed(void **state)
{
    (void)state;
    const cli_run *run = cli("bench");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "  predict ");
    cli_expect(run->out, "  codec ");
    cli_expect(run->out, "  forged ");
    cli_expect(run->out, "  replay ");
    cli_expect(run->out, "  present ");
    run = cli("bench perdict");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "did you mean 'predict'?");
}

/// Write an input log of a player who presses b0 for three ticks of every ten, and turns ax1 by 5 a
/// tick at times.
static void write_input_log(const char *name, int32_t ticks)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fprintf(file, "# game: Some Game (a version)\n# tick_rate_hz: 20\n"
                  "tick,player,buttons,ax1\n");
    for (int32_t t = 0; t < ticks; t++) {
        fprintf(file, "%d,0,%d,%d\n", t, t % 10 < 3 ? 1 : 0, t / 20 % 2 == 0 ? t % 20 * 5 : 0);
    }
    assert_int_equal(fclose(file), 0);
}

/// Return the number of a key behind a place in JSON.
static double number_behind(const char *text, const char *place, const char *key)
{
    const char *at = strstr(text, place);
    assert_non_null(at);
    char value[64];
    cli_value(at, key, value, sizeof(value));
    char *end = value;
    const double number = strtod(value, &end);
    assert_true(end != value); // the key is there
    return number;
}

static void hits_and_rollbacks_are_counted_for_each_predictor(void **state)
{
    (void)state;
    write_input_log("some_1.csv", 4000);
    const cli_run *run = cli("bench predict some_1.csv --json");
    assert_string_equal(run->err, "");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "\"game\": \"Some Game\"");
    cli_expect(run->out, "\"game\": \"scripted\""); // the scripted match is always there
    // In 40 ticks: ax1 changes at ticks 1..20, b0 at 0 and 3 of every ten: 24 ticks, 12 a second.
    const char *some = strstr(run->out, "Some Game");
    assert_non_null(some);
    assert_true(abs((int)(1000 * number_behind(some, "\"hold\"", "misses_per_s")) - 12000) <= 10);
    assert_true(abs((int)(1000 * number_behind(some, "\"hold\"", "hit_rate")) - 400) <= 1);
    assert_true(number_behind(some, "\"linear\"", "misses_per_s") < 6);
    assert_true(number_behind(some, "\"vote\"", "misses_per_s") < 1);
    assert_true(number_behind(some, "\"release\"", "versus_hold") > 0);
    assert_null(strstr(run->out, "vote_learnt")); // no other match to learn from
    run = cli("bench predict some_1.csv");
    cli_expect(run->out, "Some Game, 20 Hz, 1 match, 3 minutes of players");
    cli_expect(run->out, "  linear  ");
}

static void other_matches_of_the_game_teach(void **state)
{
    (void)state;
    write_input_log("some_1.csv", 400);
    write_input_log("some_2.csv", 400);
    const cli_run *run = cli("bench predict some_1.csv some_2.csv --json");
    assert_int_equal(run->status, 0);
    const double alone = number_behind(run->out, "\"vote\"", "misses_per_s");
    const double taught = number_behind(run->out, "\"vote_learnt\"", "misses_per_s");
    assert_true(taught < alone);
    run = cli("bench predict some_1.csv --learn some.votes");
    assert_int_equal(run->status, 0);
    assert_string_equal(run->out, "");
    assert_memory_equal(cli_read("some.votes"), "BKSV", 4);
}

static void a_folder_is_read_and_what_is_no_table_is_skipped(void **state)
{
    (void)state;
    assert_int_equal(system("mkdir -p traces"), 0);
    write_input_log("traces/some_1.csv", 400);
    cli_write("traces/commands_1.csv", "tick,player,nbytes,hexpayload\n0,0,1,ff\n");
    assert_int_equal(setenv("BKS_TRACES", "traces", 1), 0);
    const cli_run *run = cli("bench predict --json");
    (void)unsetenv("BKS_TRACES");
    assert_string_equal(run->err, "");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "\"skipped\": 1");
    cli_expect(run->out, "\"game\": \"Some Game\"");
    run = cli("bench predict traces/commands_1.csv"); // a file that is named must be an input log
    assert_int_equal(run->status, 3);
    cli_expect(run->err, "stream of commands");
    assert_int_equal(cli("bench predict nowhere.csv")->status, 3);
}

/// The number of misses of hold does not depend on the delay of inputs.
static void delay_does_not_change_how_often_hold_misses(void **state)
{
    (void)state;
    static int32_t values[3000 * 22];
    const played_match match = {.tick_rate_hz = 60, .players = 1, .ticks = 3000, .values = values};
    uint32_t random = 1;
    for (uint32_t t = 1; t < 3000; t++) {
        random = random * 1664525u + 1013904223u;
        memcpy(&values[t * 22], &values[(t - 1) * 22], 22 * sizeof(int32_t));
        values[t * 22] = random >> 30 == 0 ? 1 - values[t * 22] : values[t * 22];
    }
    uint64_t misses[3] = {0};
    static const uint32_t delays[3] = {1, 3, 60};
    for (uint32_t i = 0; i < 3; i++) {
        guess_count count = {0};
        assert_int_equal(guess_match(&match, pad_game.fields, pad_game.field_count, delays[i], NULL,
                                     0, &count, NULL),
                         BKS_OK);
        assert_int_equal(count.inputs, 3000);
        misses[i] = count.misses;
    }
    assert_true(misses[0] > 500);
    assert_int_equal(misses[1], misses[0]);
    assert_int_equal(misses[2], misses[0]);
}

/// Check the numbers of docs/benchmarks.md.
static void real_matches_are_guessed_as_the_documents_say(void **state)
{
    (void)state;
    const char *folder = getenv("BKS_REAL_TRACES");
    if (folder == NULL) {
        print_message("skipped: no input logs\n");
        skip();
    }
    assert_int_equal(setenv("BKS_TRACES", folder, 1), 0);
    const cli_run *run = cli("bench predict --json");
    (void)unsetenv("BKS_TRACES");
    assert_int_equal(run->status, 0);
    const char *melee = strstr(run->out, "Super Smash Bros. Melee");
    const char *doom = strstr(run->out, "Doom");
    assert_true(number_behind(melee, "\"vote\"", "versus_hold") < -0.025);
    assert_true(number_behind(melee, "\"vote_learnt\"", "versus_hold") < -0.045);
    assert_true(number_behind(melee, "\"linear\"", "versus_hold") > 0.1);
    assert_true(number_behind(doom, "\"vote\"", "versus_hold") < -0.03);
    assert_true(number_behind(doom, "\"linear\"", "versus_hold") > 0.2);
}

static void bytes_of_every_code_are_counted(void **state)
{
    (void)state;
    write_input_log("some_1.csv", 4000);
    const cli_run *run = cli("bench codec some_1.csv --json");
    assert_string_equal(run->err, "");
    assert_int_equal(run->status, 0);
    const char *some = strstr(run->out, "Some Game");
    assert_non_null(some);
    // In 40 ticks: 24 inputs that changed, 8 in b0's group alone, 20 in ax1's with 16 bits, 4 in
    // both; an input is 64 bits in 7 groups. 200 seconds.
    const double ticks = 4000.0 / 8 / 200;
    assert_true(number_behind(some, "\"bytes_per_s\"", "raw") == 160);
    const double fiedler = (1 + 24.0 / 40 * 64) * ticks;
    const double inversus = (7 + (20.0 * 16 + 8 * 4) / 40) * ticks;
    const double two_level = (1 + 24.0 / 40 * 7 + (20.0 * 16 + 8 * 4) / 40) * ticks;
    const double slack = 0.02 * ticks; // the first tick does not repeat the last
    assert_float_equal(number_behind(some, "\"bytes_per_s\"", "fiedler"), fiedler, 5 * slack);
    assert_float_equal(number_behind(some, "\"bytes_per_s\"", "inversus"), inversus, slack);
    assert_float_equal(number_behind(some, "\"bytes_per_s\"", "two_level"), two_level, slack);
    const double adaptive = number_behind(some, "\"bytes_per_s\"", "adaptive");
    assert_true(adaptive > 0 && adaptive < two_level / 10);
    assert_true(number_behind(some, "\"bytes_per_s\"", "zlib") < two_level);
    assert_true(number_behind(some, "\"bytes_per_s\"", "zstd_19") < two_level);
    assert_true(number_behind(some, "Some", "encode_ns") > 0);
    run = cli("bench codec some_1.csv");
    cli_expect(run->out, "Some Game, 20 Hz, 1 match, 3 minutes of players");
    cli_expect(run->out, "  two-level ");
}

static void without_input_logs_the_scripted_inputs_are_coded(void **state)
{
    (void)state;
    const cli_run *run = cli("bench codec --json");
    assert_int_equal(run->status, 0);
    cli_expect(run->err, "no BKS_TRACES, so only the scripted inputs");
    cli_expect(run->out, "\"game\": \"scripted\"");
    assert_null(strstr(run->out, "adaptive_limit"));
    run = cli("bench codec nowhere.csv");
    assert_int_equal(run->status, 3);
}

static void real_inputs_stay_under_their_limits(void **state)
{
    (void)state;
    const char *folder = getenv("BKS_REAL_TRACES");
    if (folder == NULL) {
        print_message("skipped: no input logs\n");
        skip();
    }
    assert_int_equal(setenv("BKS_TRACES", folder, 1), 0);
    const cli_run *run = cli("bench codec --json");
    (void)unsetenv("BKS_TRACES");
    assert_int_equal(run->status, 0);
    static const char *const games[] = {"Super Smash Bros. Melee", "Doom", "Heretic"};
    for (uint32_t i = 0; i < 3; i++) {
        const char *game = strstr(run->out, games[i]);
        assert_non_null(game);
        const double limit = number_behind(game, "bytes_per_s", "adaptive_limit");
        assert_true(number_behind(game, "bytes_per_s", "adaptive") < 0.8 * limit);
    }
}

static void mathematics_is_timed_beside_the_c_librarys(void **state)
{
    (void)state;
    const cli_run *run = cli("bench det --json");
    assert_int_equal(run->status, 0);
    static const char *const names[] = {"sinf", "powf", "atan2", "pow"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char name[32];
        snprintf(name, sizeof(name), "\"name\": \"%s\"", names[i]);
        assert_true(number_behind(run->out, name, "own_ns") > 0);
        assert_true(number_behind(run->out, name, "libm_ns") > 0);
    }
    run = cli("bench det");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "  sinf ");
    run = cli("bench det 3");
    assert_int_equal(run->status, 2);
}

static void hostile_packets_cost_a_little_and_change_nothing(void **state)
{
    (void)state;
    static const char *const none[] = {"taken", "answered", "allocations", "log_lines"};
    const cli_run *run = cli("bench forged --packets 50000 --json");
    assert_int_equal(run->status, 0);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        char key[32];
        snprintf(key, sizeof(key), "\"%s\"", none[i]);
        assert_true(number_behind(run->out, key, none[i]) == 0);
    }
    assert_true(number_behind(run->out, "\"packets\"", "packets") >= 50000);
    assert_true(number_behind(run->out, "\"ns_mean\"", "ns_mean") > 0);
    cli_expect(run->out, "\"fault\": null");
    run = cli("bench forged --packets 5000 --game duel");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "taken                 0\n");
    run = cli("bench forged --packets 0");
    assert_int_equal(run->status, 2);
}

static void every_way_of_playing_a_recording_is_timed_and_ends_the_same(void **state)
{
    (void)state;
    const cli_run *run = cli("bench replay --minutes 1 --passes 2 --json");
    assert_string_equal(run->err, "");
    assert_int_equal(run->status, 0);
    assert_true(number_behind(run->out, "\"ticks\"", "ticks") == 3600);
    assert_true(number_behind(run->out, "\"players\"", "players") == 2);
    assert_true(number_behind(run->out, "\"bytes\"", "bytes") > 1000);
    static const char *const ways[] = {"bare", "played", "verified", "read", "ahead"};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        assert_true(number_behind(run->out, "\"tick_ns\"", ways[i]) > 0);
        assert_true(number_behind(run->out, "\"ratio\"", ways[i]) > 0);
        assert_true(number_behind(run->out, "\"clock_ratio\"", ways[i]) > 0);
    }
    cli_expect(run->out, "\"same\": true");
    run = cli("bench replay --minutes 1 --passes 1 --game pad --players 3 --input '*=monkey:7'");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "pad, 3 players, 3600 ticks: ");
    run = cli("bench replay --players 9");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "expected 1 to 4 for duel");
}

/// A run that ends in another state did other work, so its time means nothing.
static void a_game_that_plays_differently_each_time_is_no_measure(void **state)
{
    (void)state;
    const cli_run *run = cli("bench replay --minutes 1 --passes 1 --game '" BKS_TEST_BINARY_DIR
                             "/tests/acceptance/games/clock.so'");
    assert_int_equal(run->status, 1);
    cli_expect(run->err, "not every variant ended in the recorded state");
}

// ---- latency ----

static void from_a_key_to_its_picture_it_is_a_tick_and_a_picture_at_most(void **state)
{
    (void)state;
    static const uint32_t rates_hz[] = {30, 60, 75, 144, 240};
    for (uint32_t i = 0; i < 4 * sizeof(rates_hz) / sizeof(rates_hz[0]); i++) {
        const latency_case c = {.pictures_hz = rates_hz[i / 4],
                                .is_synced = i % 2 != 0,
                                .draw_ns = i % 4 < 2 ? 0 : 1500000,
                                .presses = 600};
        latency_found found;
        assert_true(latency_run(&c, &found));
        assert_true(found.mean_ns > 0 && found.worst_ns <= found.promise_ns);
        assert_true(found.seen_ns <= found.worst_ns + found.lead_ns);
        assert_true(!c.is_synced || found.lead_ns <= 2 * c.draw_ns + 1100000);
    }
}

static void devices_read_before_the_wait_are_found_late(void **state)
{
    (void)state;
    const latency_case c = {.pictures_hz = 144, .presses = 600, .samples_early = true};
    latency_found found;
    assert_true(latency_run(&c, &found));
    assert_true(found.worst_ns > found.promise_ns);
}

static void the_latency_of_several_screens_is_printed(void **state)
{
    (void)state;
    const cli_run *run = cli("bench latency --keys 50");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "  144  waits ");
    run = cli("bench latency --keys 50 --json");
    assert_int_equal(run->status, 0);
    assert_true(number_behind(run->out, "screens", "pictures_hz") == 30);
}

static void pictures_are_timed_and_change_nothing(void **state)
{
    (void)state;
    const cli_run *run = cli("bench present --seconds 2 --passes 1 --pictures 75 --json");
    assert_int_equal(run->status, 0);
    assert_true(number_behind(run->out, "bench", "pictures") > 140);
    assert_true(number_behind(run->out, "bench", "played_core_percent") > 0);
    assert_true(number_behind(run->out, "drawn", "picture_us") > 0);
    cli_expect(run->out, "\"same\": true");
    run = cli("bench present --seconds 2 --passes 2");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "  taken  ");
    run = cli("bench present --game pad");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "has no pictures between ticks");
}

static void lockstep_over_tcp_is_measured_or_said_to_be_left_out(void **state)
{
    (void)state;
    const cli_run *run = cli("bench lockstep-transport --seconds 2 --plot lockstep.svg --json");
    cli_expect_status(run, 0);
    char why[256];
    cli_value(run->out, "no_tcp", why, sizeof(why));
    const bool is_measured = strcmp(why, "null") == 0;
    assert_int_equal(strstr(run->out, "\"by\": \"tcp\"") != NULL, is_measured);
    assert_true(number_behind(run->out, "\"delay=100ms,loss=1%\"", "input_ms") > 100.0);
    const char *far = strstr(run->out, "\"delay=2s,loss=25%\"");
    assert_true(number_behind(far, "delay=2s", "delay_ticks") > 100.0);
    cli_value(far, "input_ms", why, sizeof(why));
    assert_string_equal(why, "null"); // the first input comes after the match's end
    FILE *file = cli_open("lockstep.svg", "rb");
    char text[5] = {0};
    assert_int_equal(fread(text, 1, 4, file), 4);
    assert_string_equal(text, "<svg");
    assert_int_equal(fclose(file), 0);
}

static void a_drawing_that_cannot_be_written_is_refused_before_the_matches(void **state)
{
    (void)state;
    const cli_run *run = cli("bench lockstep-transport --seconds 3600 --plot nowhere/x.svg");
    cli_expect_status(run, 3);
    assert_string_equal(run->out, "");
    cli_expect(run->err, "nowhere/x.svg: cannot be written");
}

int main(void)
{
    const char *folder = getenv("BKS_TRACES");
    if (folder != NULL && folder[0] == '/') {
        (void)setenv("BKS_REAL_TRACES", folder, 1);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_a_key_to_its_picture_it_is_a_tick_and_a_picture_at_most),
        cmocka_unit_test(devices_read_before_the_wait_are_found_late),
        cmocka_unit_test(the_latency_of_several_screens_is_printed),
        cmocka_unit_test(pictures_are_timed_and_change_nothing),
        cmocka_unit_test(lockstep_over_tcp_is_measured_or_said_to_be_left_out),
        cmocka_unit_test(a_drawing_that_cannot_be_written_is_refused_before_the_matches),
        cmocka_unit_test(without_a_name_the_benchmarks_are_listed),
        cmocka_unit_test(hits_and_rollbacks_are_counted_for_each_predictor),
        cmocka_unit_test(other_matches_of_the_game_teach),
        cmocka_unit_test(a_folder_is_read_and_what_is_no_table_is_skipped),
        cmocka_unit_test(delay_does_not_change_how_often_hold_misses),
        cmocka_unit_test(bytes_of_every_code_are_counted),
        cmocka_unit_test(without_input_logs_the_scripted_inputs_are_coded),
        cmocka_unit_test(real_inputs_stay_under_their_limits),
        cmocka_unit_test(real_matches_are_guessed_as_the_documents_say),
        cmocka_unit_test(mathematics_is_timed_beside_the_c_librarys),
        cmocka_unit_test(hostile_packets_cost_a_little_and_change_nothing),
        cmocka_unit_test(every_way_of_playing_a_recording_is_timed_and_ends_the_same),
        cmocka_unit_test(a_game_that_plays_differently_each_time_is_no_measure),
    };
    return cmocka_run_group_tests(tests, setup, cli_teardown);
}
