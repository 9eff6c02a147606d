// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mutant.h"
#include "base/tool.h"
#include "cli.h"

static void good_seeds_are_counted_in_json(void **state)
{
    (void)state;
    const cli_run *run = cli("sweep pad --seeds 1..8 --jobs 2 --json");
    assert_string_equal(run->err, "");
    assert_int_equal(run->status, TOOL_OK);
    assert_int_equal(run->out[0], '{');
    cli_expect(run->out, "\"seeds\": 8,");
    cli_expect(run->out, "\"failed\": null");
    cli_expect(run->out, "\"peer_hours\": 0.");
    static const char *const keys[] = {"wall_s",  "loss",      "pause",   "crash", "cut",
                                       "split",   "drift",     "clock",   "slow",  "rebind",
                                       "full",    "lie",       "flip",    "heal",  "handover",
                                       "relayed", "early_end", "starved", "back"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        char quoted[32];
        snprintf(quoted, sizeof(quoted), "\"%s\":", keys[i]);
        cli_expect(run->out, quoted);
    }
    assert_null(strstr(run->out, "\"loss\": 0,"));
}

// Copy a report without the times.
static void take_counts(const char *text, char *out, size_t capacity)
{
    const char *faults = strstr(text, "faults");
    assert_non_null(faults);
    snprintf(out, capacity, "%s", faults);
}

static void the_number_of_jobs_changes_nothing(void **state)
{
    (void)state;
    static char one[CLI_TEXT_BYTES];
    static char three[CLI_TEXT_BYTES];
    take_counts(cli("sweep pad --seeds 11..14 --jobs 1 --json")->out, one, sizeof(one));
    take_counts(cli("sweep pad --seeds 11..14 --jobs 3 --json")->out, three, sizeof(three));
    assert_string_equal(one, three);
}

static void each_seed_has_a_line_and_jobs_change_none(void **state)
{
    (void)state;
    static char one[CLI_TEXT_BYTES];
    const cli_run *run = cli("sweep pad --seeds 11..16 --jobs 1 --each");
    assert_string_equal(run->err, "");
    assert_int_equal(run->status, TOOL_OK);
    snprintf(one, sizeof(one), "%s", run->out);
    assert_string_equal(cli("sweep pad --seeds 11..16 --jobs 2 --each")->out, one);
    const char *line = one;
    for (unsigned seed = 11; seed <= 16; seed++) {
        unsigned number = 0;
        char hash[32];
        unsigned long long ticks = 0;
        unsigned long long packets = 0;
        unsigned long long bytes = 0;
        char packet_digest[32];
        char recording_digest[32];
        assert_int_equal(sscanf(line, "%u %31s %llu %llu %llu %31s %31s\n", &number, hash, &ticks,
                                &packets, &bytes, packet_digest, recording_digest),
                         7);
        assert_int_equal(number, seed);
        assert_true(strlen(hash) == 16 || strcmp(hash, "-") == 0);
        assert_int_equal(strlen(packet_digest), 16);
        assert_int_equal(strlen(recording_digest), 16);
        assert_string_not_equal(packet_digest, recording_digest);
        assert_true(ticks > 0 && packets > 0 && bytes > packets);
        line = strchr(line, '\n') + 1;
    }
    assert_int_equal(*line, '\0');
    char digest[64];
    char quoted[80];
    cli_value(cli("sweep pad --seeds 16..16 --each --json")->out, "recording_digest", digest,
              sizeof(digest));
    snprintf(quoted, sizeof(quoted), "\"%.16s\"", strrchr(one, ' ') + 1);
    assert_string_equal(digest, quoted);
}

static void each_ends_with_the_seed_that_failed(void **state)
{
    (void)state;
    const cli_run *run =
        cli("sweep pad --seeds 1..40 --jobs 4 --no-shrink --plant save-too-new --each");
    assert_int_equal(run->status, TOOL_NO);
    const char *failed = strstr(run->out, "\nseed ");
    assert_non_null(failed);
    unsigned seed = 0;
    assert_int_equal(sscanf(failed, "\nseed %u failed: ", &seed), 1);
    unsigned lines = 1;
    for (const char *at = run->out; at < failed; at++) {
        lines += *at == '\n';
    }
    assert_int_equal(lines, seed);
}

/// Count the lines of a text; they must begin with the numbers 1, 2, 3, and so on.
static unsigned count_seeds(const char *text)
{
    unsigned lines = 0;
    for (const char *at = text; *at != '\0'; at = strchr(at, '\n') + 1) {
        unsigned seed = 0;
        assert_int_equal(sscanf(at, "%u ", &seed), 1);
        assert_int_equal(seed, ++lines);
    }
    return lines;
}

static void a_sweep_that_is_stopped_prints_the_seeds_that_are_done(void **state)
{
    (void)state;
    const pid_t sweep =
        cli_start("sweep pad --seeds 1..100000 --ticks 60 --jobs 2 --each", "stopped.txt");
    cli_wait_for_handler(sweep, SIGINT);
    sleep(2);
    assert_int_equal(kill(sweep, SIGINT), 0);
    assert_int_equal(cli_wait(sweep), TOOL_NO);
    const unsigned lines = count_seeds(cli_read("stopped.txt"));
    assert_in_range(lines, 1, 99999);
    char wanted[80];
    snprintf(wanted, sizeof(wanted), "stopped, %u of 100000 seeds were not run", 100000 - lines);
    cli_expect(cli_read("stopped.txt.err"), wanted);
}

static void the_first_failure_is_reported_whichever_process_was_faster(void **state)
{
    (void)state;
    char wanted[64];
    char seed[64];
    cli_value(cli("sweep pad --seeds 1..40 --jobs 1 --no-shrink --plant save-too-new --json")->out,
              "seed", wanted, sizeof(wanted));
    for (int i = 0; i < 2; i++) {
        const cli_run *run =
            cli("sweep pad --seeds 1..40 --jobs 4 --no-shrink --plant save-too-new --json");
        assert_int_equal(run->status, TOOL_NO);
        cli_value(run->out, "seed", seed, sizeof(seed));
        assert_string_equal(seed, wanted);
    }
}

// Copy the command line of a failure, from text or JSON, without "bks ".
static void take_line(const char *text, char *out, size_t capacity)
{
    const char *line = strstr(text, "bks lab ");
    assert_non_null(line);
    line += strlen("bks ");
    snprintf(out, capacity, "%.*s", (int)strcspn(line, "\n\""), line);
}

static void the_line_shows_the_failure_again(void **state)
{
    (void)state;
    static const char *const plants[] = {"late-input-forgotten", "starves-for-good", "hash-early",
                                         "sample-repeated", "not-from-seed"};
    for (size_t i = 0; i < sizeof(plants) / sizeof(plants[0]); i++) {
        char command[128];
        static char line[2048];
        static char why[512];
        snprintf(command, sizeof(command), "sweep pad --seeds 1..200 --plant %s --json", plants[i]);
        const cli_run *run = cli(command);
        assert_int_equal(run->status, TOOL_NO);
        take_line(run->out, line, sizeof(line));
        cli_value(run->out, "why", why, sizeof(why));
        assert_non_null(strstr(line, " --strict --plant "));
        // The match is shrunk: none of its parts is long any more.
        assert_in_range(strlen(line), 20, 400);
        assert_int_equal(cli(line)->status, TOOL_NO);
        char *plant = strstr(line, " --plant");
        *plant = '\0';
        run = cli(line);
        if (run->status != TOOL_OK) {
            fail_msg("%s: fails without the plant too: %s", line, run->out);
        }
    }
}

static void a_failure_printed_raw_fails_as_the_seed_did(void **state)
{
    (void)state;
    static char line[8000];
    char seed[64];
    char wanted[80];
    const cli_run *run =
        cli("sweep pad --seeds 1..60 --no-shrink --plant window-off-by-one --json");
    assert_int_equal(run->status, TOOL_NO);
    cli_value(run->out, "seed", seed, sizeof(seed));
    snprintf(wanted, sizeof(wanted), " --seed %s ", seed);
    take_line(run->out, line, sizeof(line));
    cli_expect(line, wanted);
    run = cli(line);
    assert_int_equal(run->status, TOOL_NO);
    cli_expect(run->out, "ticks ahead of what is confirmed is");
}

static void strict_finds_what_a_lab_does_not(void **state)
{
    (void)state;
    static char line[2048];
    // All peers agree on an input that the monkey did not give.
    const cli_run *run = cli("sweep pad --seeds 1..200 --plant sample-repeated --json");
    assert_int_equal(run->status, TOOL_NO);
    take_line(run->out, line, sizeof(line));
    run = cli(line);
    assert_int_equal(run->status, TOOL_NO);
    cli_expect(run->out, "than the reference");
    char *strict = strstr(line, " --strict");
    assert_non_null(strict);
    memmove(strict, strict + strlen(" --strict"), strlen(strict + strlen(" --strict")) + 1);
    assert_int_equal(cli(line)->status, TOOL_OK);
    cli_expect(cli("lab pad --ticks 300 --fault heal@1s --strict")->out, "agreed");
    cli_expect(cli("lab duel --peers 3 --ticks 300 --input '*=bot' --strict")->out, "agreed");
}

static void strict_is_content_with_a_desync_that_was_planted(void **state)
{
    (void)state;
    const cli_run *run = cli("lab pad --ticks 300 --fault flip=1@100:byte --strict");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect(run->out, "as the faults demand: the states differ from tick 100 on");
    run = cli("lab pad --ticks 300 --fault flip=1@100:byte --strict --json");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect(run->out, "\"agreed\": false");
    cli_expect(run->out, "\"oracle\": \"good\"");
    run = cli("lab pad --ticks 300 --fault flip=1@100:byte --json");
    assert_int_equal(run->status, TOOL_NO);
    cli_expect(run->out, "\"oracle\": null");
}

static void strict_raises_no_false_alarm_and_says_nothing_else(void **state)
{
    (void)state;
    static const char *const lines[] = {
        // A peer that leaves before its first tick has recorded no tick and no hash.
        "lab pad --peers 2 --ticks 300 --fault leave=1@0ms --strict",
        "lab pad --peers 4 --ticks 120 --link delay=100ms --fault leave=3@0ms,leave=2@40ms "
        "--strict",
        // The recordings of these matches have values, page hashes, both or none.
        "lab duel --ticks 60 --seed 1 --strict",
        "lab duel --ticks 60 --seed 2 --strict",
        "lab duel --ticks 60 --seed 3 --strict",
        "lab duel --ticks 60 --seed 4 --strict",
        "lab pad --ticks 60 --seed 1 --strict",
        "lab pad --ticks 60 --seed 2 --strict",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const cli_run *run = cli(lines[i]);
        assert_string_equal(run->err, "");
        assert_int_equal(run->status, TOOL_OK);
    }
}

static void a_sweep_takes_other_inputs_and_lengths(void **state)
{
    (void)state;
    const cli_run *run =
        cli("sweep duel --seeds 3..4 --ticks 120 --input '*=bot' --option mode=arcade");
    assert_string_equal(run->err, "");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect(run->out, "duel: 2 matches");
    cli_expect(run->out, "all good");
}

static void a_wrong_option_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        const char *said;
    } cases[] = {
        {"sweep", "GAME"},
        {"sweep nogame", "nogame"},
        {"sweep pad --seeds 5", "--seeds: is '5', expected A..B"},
        {"sweep pad --seeds 5..4", "expected A..B"},
        {"sweep pad --seeds -1..4", "expected A..B"},
        {"sweep pad --seeds 1..x", "expected A..B"},
        {"sweep pad --plant nothing", "is 'nothing', expected one of window-off-by-one, "},
        {"sweep pad --jobs 0", "--jobs"},
        {"sweep pad --seeds 1..2000000 --each", "--each: has 2000000 seeds, expected at most"},
        {"sweep pad --option nothing=1", "nothing"},
        {"lab pad --plant nothing", "expected one of window-off-by-one"},
        {"lab pad --udp --fault pause=1@1s+1s", "pause needs virtual time"},
        {"lab pad --udp --strict", "--strict: needs virtual time"},
        {"lab pad --fault rejoin=1@5s", "no peer can join a running match yet"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const cli_run *run = cli(cases[i].arguments);
        assert_int_equal(run->status, TOOL_MISUSE);
        cli_expect(run->err, cases[i].said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_seeds_are_counted_in_json),
        cmocka_unit_test(the_number_of_jobs_changes_nothing),
        cmocka_unit_test(each_seed_has_a_line_and_jobs_change_none),
        cmocka_unit_test(each_ends_with_the_seed_that_failed),
        cmocka_unit_test(a_sweep_that_is_stopped_prints_the_seeds_that_are_done),
        cmocka_unit_test(the_first_failure_is_reported_whichever_process_was_faster),
        cmocka_unit_test(the_line_shows_the_failure_again),
        cmocka_unit_test(a_failure_printed_raw_fails_as_the_seed_did),
        cmocka_unit_test(strict_finds_what_a_lab_does_not),
        cmocka_unit_test(strict_is_content_with_a_desync_that_was_planted),
        cmocka_unit_test(strict_raises_no_false_alarm_and_says_nothing_else),
        cmocka_unit_test(a_sweep_takes_other_inputs_and_lengths),
        cmocka_unit_test(a_wrong_option_is_named),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
