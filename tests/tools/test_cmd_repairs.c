// SPDX-License-Identifier: MIT

// What the commands say of recordings of a match whose peer 1 was repaired: one bit of its state
// was flipped, and a record of its repair is put into its file.

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "cli.h"
#include "replay/format/replay_event.h"
#include "replay/format/replay_format.h"

enum { TICKS = 200, SINCE = 101, AT = 120, UNTIL = TICKS + 1, FILE_BYTES = 1 << 20 };

static uint8_t bytes[FILE_BYTES];

static size_t read_file(const char *name)
{
    FILE *file = cli_open(name, "rb");
    const size_t count = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    assert_in_range(count, 1000, sizeof(bytes) / 2);
    return count;
}

static void write_file(const char *name, size_t count)
{
    FILE *file = cli_open(name, "wb");
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

/// A recording with one record more before its end.
static void put_repair(const char *from, const char *to, const bks_replay_repair *repair,
                       const bks_replay_agreed *agreed)
{
    size_t at = read_file(from) - (BKSI_RECORD_EXTRA_BYTES + BKSI_DONE_BYTES);
    uint8_t done[BKSI_DONE_BYTES];
    memcpy(done, bytes + at + BKSI_RECORD_HEAD_BYTES, sizeof(done));
    const size_t count = bksi_repair_write(bytes + at + BKSI_RECORD_HEAD_BYTES, repair, agreed);
    at += bksi_record_finish(bytes + at, BKSI_RECORD_REPAIR, count, at);
    memcpy(bytes + at + BKSI_RECORD_HEAD_BYTES, done, sizeof(done));
    at += bksi_record_finish(bytes + at, BKSI_RECORD_DONE, sizeof(done), at);
    write_file(to, at);
}

static uint64_t hash_at(const char *name, bks_tick tick)
{
    char line[128];
    char text[64];
    snprintf(line, sizeof(line), "replay hash --json --tick %d %s", (int)tick, name);
    cli_value(cli(line)->out, "hash", text, sizeof(text));
    return strtoull(text + 1, NULL, 16);
}

static int record_match(void **state)
{
    if (cli_setup(state) != 0) {
        return -1;
    }
    cli_expect_status(cli("lab duel --ticks 200 --seed 1 --fault flip=1@100:once --record rec "
                          "--keep marks,pages"),
                      1);
    bks_replay_repair repair = {
        .peer = 1, .bytes = 64, .since = SINCE, .tick = AT, .until = UNTIL, .agreed_count = 3};
    bks_replay_agreed agreed[] = {{101, 0}, {119, 0}, {200, 0}};
    for (int i = 0; i < 3; i++) {
        agreed[i].hash = hash_at("rec/peer-0.bks", agreed[i].tick);
    }
    put_repair("rec/peer-1.bks", "repaired.bks", &repair, agreed);
    agreed[1].hash ^= 1;
    put_repair("rec/peer-1.bks", "neither.bks", &repair, agreed);
    repair.until = SINCE;
    repair.agreed_count = 0;
    put_repair("rec/peer-0.bks", "other.bks", &repair, NULL);
    return 0;
}

static void verify_compares_the_span_with_what_was_agreed_and_names_it(void **state)
{
    (void)state;
    cli_expect_status(cli("replay verify rec/peer-1.bks"), 1);
    const cli_run *run = cli("replay verify repaired.bks");
    cli_expect_status(run, 0);
    cli_expect(run->out,
               "repaired.bks: the same, 200 ticks\n"
               "repaired.bks: peer 1 was wrong from tick 101 on and was repaired at tick 120 with "
               "64 bytes of peer 0; recorded before that: up to tick 200; stepped here: as the "
               "others have it, at all 3 hashes known of them\n");
    run = cli("replay verify --json --threads 2 repaired.bks");
    cli_expect_status(run, 0);
    cli_expect_value(run->out, "same", "true");
    cli_expect_value(run->out, "repaired", "3");
    cli_expect_value(run->out, "repeated", "0");
    cli_expect_value(run->out, "since", "101");
    cli_expect_value(run->out, "until", "201");
    cli_expect_value(run->out, "first_different", "null");
    run = cli("replay verify --until 100 repaired.bks");
    cli_expect_status(run, 0);
    assert_null(strstr(run->out, "was wrong"));
}

static void a_hash_that_is_neither_is_a_difference(void **state)
{
    (void)state;
    const cli_run *run = cli("replay verify --json neither.bks");
    cli_expect_status(run, 1);
    cli_expect_value(run->out, "first_different", "119");
    cli_expect(run->err, "was right");
}

static void the_recording_of_another_peer_verifies_without_a_word(void **state)
{
    (void)state;
    const cli_run *run = cli("replay verify other.bks");
    cli_expect_status(run, 0);
    assert_string_equal(run->out, "other.bks: the same, 200 ticks\n");
}

static void info_lists_repairs(void **state)
{
    (void)state;
    const cli_run *run = cli("replay info repaired.bks");
    cli_expect_status(run, 0);
    cli_expect(run->out, "  repairs     peer 1 was wrong from tick 101 on");
    run = cli("replay info --json other.bks");
    cli_expect_status(run, 0);
    cli_expect(run->out, "\"repairs\": [");
    cli_expect_value(run->out, "tick", "120");
    cli_expect_value(run->out, "peer", "1");
    cli_expect_value(run->out, "from", "0");
    cli_expect_value(run->out, "since", "101");
    cli_expect_value(run->out, "until", "101");
    cli_expect(cli("replay info --json rec/peer-0.bks")->out, "\"repairs\": []");
}

static void diff_finds_differences_outside_the_span_alone(void **state)
{
    (void)state;
    cli_expect_status(cli("replay diff rec/peer-0.bks rec/peer-1.bks"), 1);
    const cli_run *run = cli("replay diff other.bks repaired.bks");
    cli_expect_status(run, 0);
    cli_expect(run->out, "duel: the same outside what was repaired\n");
    cli_expect(run->out, " A: peer 1 was wrong from tick 101 on and was repaired at tick 120\n");
    cli_expect(run->out, " B: peer 1 was wrong from tick 101 on");
    run = cli("replay diff --json other.bks repaired.bks");
    cli_expect_value(run->out, "same", "true");
    cli_expect(run->out, "at tick 120 with 64 bytes of peer 0\"");
    run = cli("replay diff --json neither.bks other.bks");
    cli_expect_status(run, 1);
    cli_expect_value(run->out, "tick", "119");
}

static void cut_keeps_the_repair_and_begins_with_the_right_state(void **state)
{
    (void)state;
    cli_expect_status(cli("replay cut --from 110 --until 150 -o part.bks repaired.bks"), 0);
    const cli_run *run = cli("replay verify part.bks");
    cli_expect_status(run, 0);
    cli_expect(run->out, "part.bks: peer 1 was wrong from tick 101 on");
    cli_expect_status(cli("replay cut --from 10 --until 90 -o early.bks repaired.bks"), 0);
    cli_expect(cli("replay info --json early.bks")->out, "\"repairs\": []");
}

static void doctor_explains_what_differed_in_the_span(void **state)
{
    (void)state;
    const char *const commands[] = {"doctor duel --json repaired.bks other.bks",
                                    "doctor duel --json repaired.bks"};
    for (int i = 0; i < 2; i++) {
        const cli_run *run = cli(commands[i]);
        cli_expect_status(run, 1);
        cli_expect_value(run->out, "same", "false");
        cli_expect_value(run->out, "hash_tick", "101");
        cli_expect_value(run->out, "cause", "\"once\"");
        cli_expect_value(run->out, "proven", "true");
        cli_expect(run->out, "peer 1 was wrong from tick 101 on");
    }
}

static void a_state_of_the_span_is_said_to_be_one(void **state)
{
    (void)state;
    static const char begins[] =
        "the state of peer 1 differed from that of the others from tick 101 "
        "until it was repaired, in this recording up to tick 200; at tick ";
    static const struct {
        const char *line;
        const char *ends;
    } cases[] = {
        {"replay state --tick 101 repaired.bks", "101 stepped here it is theirs\n"},
        {"replay hash --tick 200 repaired.bks", "200 stepped here it is theirs\n"},
        {"replay state --tick 110 repaired.bks", "110 stepped here it is not that one\n"},
    };
    char text[256];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const cli_run *run = cli(cases[i].line);
        cli_expect_status(run, 0);
        (void)snprintf(text, sizeof(text), "bks: repaired.bks: %s%s", begins, cases[i].ends);
        assert_string_equal(run->err, text);
    }
    assert_string_equal(cli("replay state --tick 100 repaired.bks")->err, "");
    assert_string_equal(cli("replay state --tick 110 other.bks")->err, ""); // the others' own
}

static void a_fault_that_repeats_shows_the_state_that_differed(void **state)
{
    (void)state;
    // The others' hash is another at tick 150, and what is stepped here is what was recorded.
    const bks_replay_repair repair = {.peer = 0,
                                      .from = 1,
                                      .bytes = 64,
                                      .since = SINCE,
                                      .tick = AT,
                                      .until = UNTIL,
                                      .agreed_count = 1};
    const bks_replay_agreed agreed = {150, 1};
    put_repair("rec/peer-0.bks", "again.bks", &repair, &agreed);
    const cli_run *run = cli("replay state --json --tick 150 again.bks");
    cli_expect_status(run, 0);
    cli_expect(run->err, "the state of peer 0 differed from that of the others from tick 101 ");
    cli_expect(run->err, "; at tick 150 this is the one that differed\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verify_compares_the_span_with_what_was_agreed_and_names_it),
        cmocka_unit_test(a_hash_that_is_neither_is_a_difference),
        cmocka_unit_test(the_recording_of_another_peer_verifies_without_a_word),
        cmocka_unit_test(info_lists_repairs),
        cmocka_unit_test(diff_finds_differences_outside_the_span_alone),
        cmocka_unit_test(cut_keeps_the_repair_and_begins_with_the_right_state),
        cmocka_unit_test(a_state_of_the_span_is_said_to_be_one),
        cmocka_unit_test(a_fault_that_repeats_shows_the_state_that_differed),
        cmocka_unit_test(doctor_explains_what_differed_in_the_span),
    };
    return cmocka_run_group_tests(tests, record_match, cli_teardown);
}
