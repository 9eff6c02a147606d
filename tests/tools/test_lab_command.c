// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"
#include "cli.h"

#define BAD_LINK "--link delay=60ms,jitter=30ms,loss=10%,burst=3,dup=5%,reorder=5%,corrupt=3%"

/// Remove the lines that depend on the machine.
static void drop_measured(char *text)
{
    static const char *const measured[] = {
        "\"wall_s\":", "\"p50\":", "\"p99\":", "\"max\":", "\"library_us_per_tick\":"};
    char *to = text;
    for (char *line = text, *end; *line != '\0'; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        bool is_kept = true;
        for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
            const char *found = strstr(line, measured[i]);
            is_kept &= found == NULL || found >= end;
        }
        if (is_kept) {
            memmove(to, line, (size_t)(end - line));
            to += end - line;
        }
    }
    *to = '\0';
}

static void a_match_agrees_and_is_printed_as_json(void **state)
{
    (void)state;
    const cli_run *run = cli("lab pad --peers 3 --ticks 300 " BAD_LINK " --json");
    assert_int_equal(run->status, 0);
    assert_string_equal(run->err, "");
    assert_int_equal(run->out[0], '{');
    cli_expect(run->out, "\"agreed\": true");
    cli_expect(run->out, "\"compared\": 300");
    cli_expect(run->out, "\"mode\": \"rollback\"");
    cli_expect(run->out, "\"desync\": null");
    assert_null(strstr(run->out, "\"loss\": 0,"));
}

static void the_same_seed_prints_the_same_match(void **state)
{
    (void)state;
    static char first[CLI_TEXT_BYTES];
    static char second[CLI_TEXT_BYTES];
    char hash[64];
    char other_hash[64];
    memcpy(first, cli("lab duel --peers 3 --ticks 200 --seed 5 " BAD_LINK " --json")->out,
           sizeof(first));
    memcpy(second, cli("lab duel --peers 3 --ticks 200 --seed 5 " BAD_LINK " --json")->out,
           sizeof(second));
    drop_measured(first);
    drop_measured(second);
    assert_string_equal(first, second);
    assert_null(strstr(first, "wall_s"));
    cli_value(first, "final_hash", hash, sizeof(hash));
    cli_value(cli("lab duel --peers 3 --ticks 200 --seed 6 " BAD_LINK " --json")->out, "final_hash",
              other_hash, sizeof(other_hash));
    assert_string_not_equal(hash, other_hash);
}

static void the_final_hash_is_the_same_however_it_is_played(void **state)
{
    (void)state;
    static const char *const ways[] = {"--peers 3",
                                       "--peers 3 --mode lockstep --delay 5",
                                       "--peers 3 --window 6 --delay 2 --link loss=10%",
                                       "--peers 3 --window 6,30,2 --delay auto,2,0 --link loss=10%",
                                       "--peers 3 --frames 0,40,144 --link delay=40ms",
                                       "--peers 3 --with predict --link delay=40ms,loss=3%",
                                       "--peers 3 --save every --link delay=20ms",
                                       "--peers 3 --save one --link delay=20ms",
                                       "--players-per-peer 2,1",
                                       "--players-per-peer 3 --peers 1",
                                       "--peers 3 --udp --link delay=10ms,jitter=5ms,loss=3%"};
    char wanted[64] = "";
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        char arguments[256];
        (void)snprintf(arguments, sizeof(arguments), "lab pad --ticks 120 --json %s", ways[i]);
        const cli_run *run = cli(arguments);
        if (run->status != 0) {
            fail_msg("%s: %s%s", arguments, run->out, run->err);
        }
        char hash[64];
        cli_value(run->out, "final_hash", hash, sizeof(hash));
        if (i == 0) {
            memcpy(wanted, hash, sizeof(wanted));
        }
        assert_string_equal(hash, wanted);
    }
}

/// A match has a number of ticks: another rate takes another time, and is in its recording.
static void another_tick_rate_plays_the_ticks_in_another_time(void **state)
{
    (void)state;
    static const struct {
        const char *hz, *rate, *seconds;
    } rates[] = {{"250", "\"tick_rate_hz\": 250,", "\"virtual_s\": 4."},
                 {"7", "\"tick_rate_hz\": 7,", "\"virtual_s\": 171."}};
    for (size_t i = 0; i < 2; i++) {
        char line[128];
        snprintf(line, sizeof(line), "lab pad --ticks 1200 --hz %s --record hz-%s --json",
                 rates[i].hz, rates[i].hz);
        const cli_run *run = cli(line);
        assert_int_equal(run->status, 0);
        cli_expect(run->out, "\"agreed\": true");
        cli_expect(run->out, rates[i].rate);
        cli_expect(run->out, rates[i].seconds);
        snprintf(line, sizeof(line), "replay verify hz-%s/peer-1.bks", rates[i].hz);
        assert_int_equal(cli(line)->status, 0);
    }
    const cli_run *run = cli("lab pad --ticks 100 --hz 1001");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "--hz");
    cli_expect(run->err, "from 1 to 1000");
}

static void a_split_that_lasts_is_said_and_ends_with_one(void **state)
{
    (void)state;
    const cli_run *run = cli("lab pad --peers 4 --ticks 600 --fault split=0.1/2.3@2s+100s --json");
    assert_int_equal(run->status, 1);
    cli_expect(run->out, "\"agreed\": true");
    cli_expect(run->out, "\"split\": [\n    [0, 1],\n    [2, 3]\n  ]");
    run = cli("lab pad --peers 4 --ticks 600 --fault split=0.1/2.3@2s+100s --report split.html");
    assert_int_equal(run->status, 1);
    cli_expect(run->out, "split: peers 0 1 | 2 3,");
    cli_expect(run->out, "agreed on each side: all");
    cli_expect(cli_read("split.html"), "split: peers 0 1 | 2 3,");
    run = cli("lab pad --peers 4 --ticks 600 --fault split=0.1/2.3@2s+1s --json");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "\"split\": null");
}

static void a_stream_stands_in_the_text_and_on_the_page(void **state)
{
    (void)state;
    const cli_run *run = cli("lab pad --ticks 300 --link rate=1mbit --bulk '0>1:20KiB@1s' "
                             "--report stream.html");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "stream   0>1: 20480 bytes in ");
    cli_expect(cli_read("stream.html"), "stream 0>1: 20480 bytes in ");
}

static void a_planted_flip_ends_with_one_and_its_tick(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "lab pad --ticks 90 --fault flip=1@60:byte --json",
        "lab pad --ticks 90 --fault flip=1@60:byte --json --udp",
    };
    for (size_t i = 0; i < 2; i++) {
        const cli_run *run = cli(commands[i]);
        assert_int_equal(run->status, 1);
        cli_expect(run->out, "\"agreed\": false");
        cli_expect(run->out, "\"tick\": 60,");
        cli_expect(run->out, "\"peers\": [1]");
        cli_expect(run->out, "\"flip\": 1");
        cli_expect(run->out, "\"reached\": true");
    }
}

static void a_flip_is_named_with_both_values(void **state)
{
    (void)state;
    const cli_run *run = cli("lab duel --ticks 90 --input '*=bot' --fault flip=1@60:byte:105:2");
    assert_int_equal(run->status, 1);
    cli_expect(run->out, "  in root.tick, mark (start): peer 0 has 60, peer 1 has 1084\n");
    cli_expect(run->out, "flip     peer 1, tick 60: byte 105 bit 2, root.tick\n");
    run = cli("lab duel --ticks 90 --input '*=bot' --fault flip=1@60:byte:105:2 --json");
    cli_expect(run->out, "\"name\": \"root.tick\"");
    cli_expect(run->out, "\"object\": \"root\"");
    cli_expect(run->out, "\"field\": \"tick\"");
}

/// Count the occurrences of a text in another.
static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text++) {
        count++;
    }
    return count;
}

static void each_line_of_the_log_says_which_peer_says_it(void **state)
{
    (void)state;
    const cli_run *run = cli("lab duel --peers 4 --ticks 200 --input *=bot --link delay=40ms "
                             "--fault flip=2@100:once --on-desync resync --strict");
    cli_expect_status(run, 0);
    // Log lines of no peer come once, although --strict runs the match three times.
    assert_int_equal(count_of(run->err, "differed since tick 101"), 1);
    assert_int_equal(count_of(run->err, "the state of peer 2 differs from ours first at "), 1);
    assert_int_equal(count_of(run->err, "bks: warning: peer 2: the state of peer "), 3);
    cli_expect(run->err, "bks: warning: peer 2: the state of peer 0 differs from ours first at ");
    cli_expect(run->err, "bks: warning: peer 2: tick 101, ");
    cli_expect(run->err, " of peer 2; peer 2 stands alone\n");
    assert_int_equal(count_of(run->err, "\n"), count_of(run->err, "bks: warning: peer "));
    run = cli("lab pad --ticks 120 --udp --fault flip=1@60:byte");
    cli_expect_status(run, 1);
    cli_expect(run->err, "bks: warning: peer 0: the state of peer 1 differs from ours first at ");
    cli_expect(run->err, "bks: warning: peer 1: the state of peer 0 differs from ours first at ");
}

static void over_udp_a_guest_that_joins_late_keeps_its_number(void **state)
{
    (void)state;
    const cli_run *run = cli("lab pad --ticks 90 --peers 3 --link '0>1:delay=150ms' "
                             "--link '1>0:delay=150ms' --udp --fault flip=1@30:byte");
    cli_expect_status(run, 1);
    cli_expect(run->out, "between peer 1 and the others");
    cli_expect(run->err, "bks: warning: peer 2: the state of peer 1 differs from ours first at ");
    assert_null(strstr(run->err, "peer 1: the state of peer 1 "));
}

static void a_path_of_576_bytes_carries_repairs_and_carried_packets(void **state)
{
    (void)state;
    const cli_run *run =
        cli("lab duel --peers 3 --ticks 600 --seed 3 --input *=bot --link "
            "mtu=576,delay=60ms --fault flip=1@200:byte --on-desync resync --json");
    cli_expect_status(run, 0);
    cli_expect(run->out, "\"mtu\": 0");
    char text[32];
    cli_value(strstr(run->out, "\"repairs\""), "since", text, sizeof(text));
    assert_string_equal(text, "200");
    cli_value(strstr(run->out, "\"repairs\""), "bytes", text, sizeof(text));
    assert_string_equal(text, "64"); // it did not heal by itself
    // Eight peers, of which some reach each other through others alone, and inputs of two seconds.
    cli_expect_status(
        cli("lab pad --peers 8 --players-per-peer 2 --ticks 900 --seed 1 --window 60 "
            "--link mtu=576,delay=150ms,loss=5% --fault cut=1-2@0ms+9s,cut=3-7@0ms+9s,"
            "pause=4@5s+2s,heal@9s --strict"),
        0);
}

static void
one_snapshot_keeps_the_rate_where_stepping_the_window_takes_longer_than_a_tick(void **state)
{
    (void)state;
    const cli_run *run =
        cli("lab pad --save one --step-us 3000 --option state=16777216 --ticks 300 "
            "--link delay=40ms --json");
    char seconds[32];
    cli_expect_status(run, 0);
    cli_value(run->out, "virtual_s", seconds, sizeof(seconds));
    assert_true(atof(seconds) >= 5.0 && atof(seconds) < 5.3); // 300 ticks of 60 Hz
}

static void the_time_of_a_pause_is_no_time_of_play(void **state)
{
    (void)state;
    const char *command = "lab pad --ticks 600 --link delay=40ms --fault pause-game=1@3s+30s";
    char with_json[128], paused[32];
    const cli_run *run = cli(command);
    cli_expect_status(run, 0);
    assert_non_null(strstr(run->out, "10.1 s of play in"));
    assert_non_null(strstr(run->out, " s, 29.7 s paused, connected"));
    snprintf(with_json, sizeof(with_json), "%s --json", command);
    run = cli(with_json);
    cli_expect_status(run, 0);
    cli_value(run->out, "paused_s", paused, sizeof(paused));
    assert_true(atof(paused) > 29.5 && atof(paused) < 30.5);
}

static void wrong_usage_ends_with_two_and_names_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        const char *wanted;
        int status;
    } cases[] = {
        {"pad --link delay=99s", "delay is '99s', must be 0..60s", 2},
        {"pad --link '0>5:loss=1%'", "names peer 5, expected 0..1", 2},
        {"pad --fault flop=1@5s", "is no fault", 2},
        {"pad --fault flip=2@60:byte", "a peer of 0..1", 2},
        {"pad --ticks 90 --fault flip=1@60:byte:99999999", "must be 0..", 2},
        {"pad --ticks 90 --udp --fault flip=1@60:byte:99999999", "must be 0..", 2},
        {"pad --fault flip=1@60:byte:0:8", "a bit of 0..7", 2},
        {"pad --with create --fault flip=1@60:byte", "a game whose state is one region", 2},
        {"pad --save three", "expected every|two|one|auto", 2},
        {"pad --step-us 2000000", "--step-us", 2},
        {"pad --step-us 5 --udp", "--step-us: needs virtual time", 2},
        {"pad --peers 9", "1 to 8", 2},
        {"pad --peers 2 --players-per-peer 1,2,3", "expected one for each of 2 peers", 2},
        {"pad --players-per-peer 1,x", "is '1,x'", 2},
        {"pad --players-per-peer 9", "expected 1..16 in pad", 2},
        {"pad --mode fast", "rollback|lockstep", 2},
        {"pad --window 65", "0 to 64", 2},
        {"pad --window 20,8,9", "has 3 numbers, expected one for each of 2 peers", 2},
        {"pad --delay 3,often", "is '3,often', expected one number from 0 to 255 or auto", 2},
        {"pad --frames 10001", "0 to 10000", 2},
        {"pad --with predict,luck", "--with: has 'luck', expected predict, create, commands", 2},
        {"duel --with create", "expected a game whose state is one region", 2},
        {"pad --frames 60 --udp", "--frames: needs virtual time", 2},
        {"pad --notify-after 99", "100 to 60000", 2},
        {"pad --drop-after 600001", "100 to 600000", 2},
        {"pad --drop-after 999", "--drop-after: is 999 ms, expected at least the 1000", 2},
        {"pad --notify-after 5001", "is 5000 ms, expected at least the 5001 of --notify-after", 2},
        {"pad --input 0=device", "player 0 has a device", 2},
        {"pad --option nope=1", "must be one of", 2},
        {"no-such-game", "no-such-game", 2},
        {"", "GAME", 2},
        {"pad --links /no/such/file", "/no/such/file", 3},
        {"pad --input 0=trace:/no/such/file", "/no/such/file", 3},
        {"pad --record /proc/no/such", "/proc/no", 3},
        {"pad --ticks 10 --report /no/such/folder/a.html", "/no/such/folder/a.html", 3},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char arguments[256];
        (void)snprintf(arguments, sizeof(arguments), "lab %s", cases[i].arguments);
        const cli_run *run = cli(arguments);
        if (run->status != cases[i].status || strstr(run->err, cases[i].wanted) == NULL) {
            fail_msg("bks %s: ended with %d: %s", arguments, run->status, run->err);
        }
        assert_string_equal(run->out, ""); // the error comes before the match
        cli_expect(run->err, "bks: ");
    }
}

static void links_come_from_a_file_line_by_line(void **state)
{
    (void)state;
    cli_write("links", "# a comment\n\n  0>1:loss=50%  \r\n1>0:delay=20ms");
    const cli_run *run = cli("lab pad --ticks 100 --links links --json");
    assert_int_equal(run->status, 0);
    assert_null(strstr(run->out, "\"loss\": 0,"));
    cli_write("links", "0>1:loss=5%\n1>0:delay=20\n");
    run = cli("lab pad --ticks 100 --links links --json");
    assert_int_equal(run->status, 3);
    cli_expect(run->err, "links:2: delay is '20'");
}

/// Return the number of ticks of a recording, which must be complete.
static bks_tick recorded_ticks(const char *name)
{
    static uint8_t bytes[1000000];
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/%s", cli_folder(), name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("%s is missing", path);
    }
    const size_t count = fread(bytes, 1, sizeof(bytes), file);
    assert_int_equal(fclose(file), 0);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(bytes, count, NULL, &replay, NULL), BKS_OK);
    const bks_recording *info = bks_replay_info(replay);
    const bks_tick ticks = info->is_complete ? info->ticks : BKS_TICK_NONE;
    bks_replay_close(replay);
    return ticks;
}

static void every_peer_is_recorded_into_a_folder_that_is_made(void **state)
{
    (void)state;
    assert_int_equal(cli("lab pad --ticks 60 --record a/b")->status, 0);
    assert_int_equal(recorded_ticks("a/b/peer-0.bks"), 60);
    assert_int_equal(recorded_ticks("a/b/peer-1.bks"), 60);
    assert_int_equal(cli("lab pad --ticks 60 --record a/udp --udp")->status, 0);
    assert_int_equal(recorded_ticks("a/udp/peer-0.bks"), 60);
    assert_int_equal(recorded_ticks("a/udp/peer-1.bks"), 60);
}

static void the_page_stands_alone(void **state)
{
    (void)state;
    cli_write("page.html", "an older page");
    const cli_run *run =
        cli("lab pad --ticks 600 " BAD_LINK " --link '0>1:loss=5%' --fault pause=1@2s+500ms "
            "--fault cut=0-1@4s+1s --report page.html");
    assert_int_equal(run->status, 0);
    const char *page = cli_read("page.html");
    assert_ptr_equal(strstr(page, "<!doctype html>"), page);
    cli_expect(page, "<!doctype html>");
    cli_expect(page, "</html>");
    cli_expect(page, "<polyline");
    cli_expect(page, "--link 0&gt;1:loss=5%");
    cli_expect(page, "all 600 hashes the same");
    cli_expect(page, "<title>pause=1@2000ms+500ms</title>");
    cli_expect(page, "<title>cut=0-1@4000ms+1000ms</title>");
    assert_null(strstr(page, "e+0")); // too wide for an axis of the graph
    assert_null(strstr(page, "nan"));
    assert_null(strstr(page, "http"));
    assert_null(strstr(page, "<script"));
}

static void a_peer_that_cannot_be_reached_is_the_reason(void **state)
{
    (void)state;
    const cli_run *run = cli("lab pad --ticks 30 --link loss=100% --json");
    assert_int_equal(run->status, 1);
    cli_expect(run->out, "\"agreed\": false");
    cli_expect(run->out, "\"final_hash\": null");
    cli_expect(run->out, "no first tick after");
}

/// Peer 2 sends different commands to its two peers, so a tick that one of them has breaks the
/// rules at the other.
static void honest_peers_stay_together_after_a_member_that_forges_its_commands(void **state)
{
    (void)state;
    static const char *const matches[] = {
        "5000019", "5000035", "5000095", "6000004 --mode lockstep", "6000055 --mode lockstep",
    };
    for (size_t i = 0; i < sizeof(matches) / sizeof(matches[0]); i++) {
        char line[512];
        (void)snprintf(line, sizeof(line),
                       "lab " BKS_TEST_BINARY_DIR
                       "/tests/games/pad_orders.so --peers 3 --ticks 600 --hz 30 --link "
                       "delay=40ms,loss=2%% --fault forge=2@3s+2s --strict --seed %s",
                       matches[i]);
        const cli_run *run = cli(line);
        if (run->status != 0) {
            fail_msg("%s: %s%s", line, run->out, run->err);
        }
    }
}

/// A forger sends commands that no peer may take. One that takes their tick is found.
static void a_tick_whose_commands_break_the_rules_is_taken_by_no_peer(void **state)
{
    (void)state;
    uint32_t found = 0;
    for (uint32_t seed = 1; seed <= 8; seed++) {
        char line[512];
        (void)snprintf(line, sizeof(line),
                       "lab pad --with commands --peers 3 --ticks 500 --link delay=30ms,loss=2%% "
                       "--fault forge=2@3s+2s --strict --seed %u",
                       seed);
        cli_expect_status(cli(line), TOOL_OK);
        (void)strcat(line, " --plant commands-unchecked");
        const cli_run *run = cli(line);
        found +=
            run->status == TOOL_NO && strstr(run->out, "whose commands break the rules") != NULL;
    }
    assert_in_range(found, 1, 8);
}

static void a_peer_silent_for_longer_than_drop_after_is_dropped(void **state)
{
    (void)state;
    static const struct {
        const char *limits;
        const char *silent;
        const char *dropped;
    } cases[] = {
        {"", "1", "0"},
        {"--drop-after 2000", "1", "1"},
        {"--notify-after 2500 --drop-after 2500", "1", "1"},
        {"--notify-after 4000", "0", "0"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char arguments[256];
        char silent[32];
        char dropped[32];
        (void)snprintf(arguments, sizeof(arguments),
                       "lab pad --peers 3 --ticks 600 --fault pause=2@2s+3s --json %s",
                       cases[i].limits);
        const cli_run *run = cli(arguments);
        cli_value(run->out, "silent", silent, sizeof(silent));
        cli_value(run->out, "dropped", dropped, sizeof(dropped));
        if ((strcmp(silent, "0") == 0) != (strcmp(cases[i].silent, "0") == 0) ||
            (strcmp(dropped, "0") == 0) != (strcmp(cases[i].dropped, "0") == 0)) {
            fail_msg("bks %s: silent %s, dropped %s", arguments, silent, dropped);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_agrees_and_is_printed_as_json),
        cmocka_unit_test(the_same_seed_prints_the_same_match),
        cmocka_unit_test(the_final_hash_is_the_same_however_it_is_played),
        cmocka_unit_test(another_tick_rate_plays_the_ticks_in_another_time),
        cmocka_unit_test(a_split_that_lasts_is_said_and_ends_with_one),
        cmocka_unit_test(a_stream_stands_in_the_text_and_on_the_page),
        cmocka_unit_test(a_planted_flip_ends_with_one_and_its_tick),
        cmocka_unit_test(a_flip_is_named_with_both_values),
        cmocka_unit_test(each_line_of_the_log_says_which_peer_says_it),
        cmocka_unit_test(over_udp_a_guest_that_joins_late_keeps_its_number),
        cmocka_unit_test(a_path_of_576_bytes_carries_repairs_and_carried_packets),
        cmocka_unit_test(
            one_snapshot_keeps_the_rate_where_stepping_the_window_takes_longer_than_a_tick),
        cmocka_unit_test(the_time_of_a_pause_is_no_time_of_play),
        cmocka_unit_test(wrong_usage_ends_with_two_and_names_what_is_wrong),
        cmocka_unit_test(links_come_from_a_file_line_by_line),
        cmocka_unit_test(every_peer_is_recorded_into_a_folder_that_is_made),
        cmocka_unit_test(the_page_stands_alone),
        cmocka_unit_test(a_peer_that_cannot_be_reached_is_the_reason),
        cmocka_unit_test(a_tick_whose_commands_break_the_rules_is_taken_by_no_peer),
        cmocka_unit_test(a_peer_silent_for_longer_than_drop_after_is_dropped),
        cmocka_unit_test(honest_peers_stay_together_after_a_member_that_forges_its_commands),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
