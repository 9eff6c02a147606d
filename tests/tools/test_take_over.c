// SPDX-License-Identifier: MIT

// A host plays a recorded match on with guests who have no recording.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/tool.h"
#include "tools/cli.h"

enum { TEXT_BYTES = 128 };

static int record(void **state)
{
    (void)state;
    return cli_setup(state) == 0 &&
                   cli("lab duel --ticks 300 --seed 3 --option mode=arcade "
                       "--record rec --json")
                           ->status == TOOL_OK &&
                   cli("lab pad --ticks 60 --hz 30 --record slow --json")->status == TOOL_OK
               ? 0
               : -1;
}

static void assert_recording_begins_at_250_and_is_true(const char *file, const char *hash)
{
    char line[TEXT_BYTES];
    snprintf(line, sizeof(line), "replay verify --json %s", file);
    const cli_run *run = cli(line);
    cli_expect_status(run, TOOL_OK);
    cli_expect_value(run->out, "complete", "true");
    cli_expect_value(run->out, "final_hash", hash);
    snprintf(line, sizeof(line), "replay info --json %s", file);
    cli_expect_value(cli(line)->out, "first", "250");
}

static void a_guest_plays_on_with_the_host_as_one_alone_would(void **state)
{
    (void)state;
    char invitation[TEXT_BYTES];
    char line[512];
    char hashes[3][TEXT_BYTES];
    const pid_t host =
        cli_start("play duel --take-over rec/peer-0.bks --from 250 --host 127.0.0.1:0 --ticks 340 "
                  "--input '*=monkey:9' --headless --json --watchers 0 --record host.bks",
                  "host");
    cli_invitation("host", invitation, TEXT_BYTES);
    snprintf(line, sizeof(line),
             "play duel --join '%s' --input '*=monkey:9' --headless --json --record guest.bks "
             "--link delay=20ms,loss=10%%",
             invitation);
    const cli_run *guest = cli(line);
    assert_int_equal(cli_wait(host), TOOL_OK);
    cli_expect_status(guest, TOOL_OK);
    cli_expect_value(guest->out, "agreed", "true");
    cli_expect_value(guest->out, "ticks", "340");
    cli_expect_value(guest->out, "compared", "90");
    cli_value(guest->out, "final_hash", hashes[0], TEXT_BYTES);
    cli_value(cli_read("host"), "final_hash", hashes[1], TEXT_BYTES);
    assert_string_equal(hashes[0], hashes[1]);
    assert_recording_begins_at_250_and_is_true("host.bks", hashes[0]);
    assert_recording_begins_at_250_and_is_true("guest.bks", hashes[0]);
    const cli_run *alone = cli("play duel --take-over rec/peer-0.bks --from 250 --ticks 340 "
                               "--input '*=monkey:9' --headless --json --no-record");
    cli_value(alone->out, "final_hash", hashes[2], TEXT_BYTES);
    assert_string_equal(hashes[0], hashes[2]);
}

static void assert_refused(int status, const char *arguments, const char *expected)
{
    char line[256];
    snprintf(line, sizeof(line), "play duel --headless %s", arguments);
    const cli_run *run = cli(line);
    if (run->status != status || strstr(run->err, expected) == NULL) {
        fail_msg("%s: status %d, said %s", line, run->status, run->err);
    }
}

static void what_does_not_go_together_is_misuse(void **state)
{
    (void)state;
    assert_refused(2, "--take-over rec/peer-0.bks", "--take-over: given without --from");
    assert_refused(2, "--from 5", "--from: given without a recording, expected --watch or ");
    assert_refused(2, "--take-over a.bks --from 5 --watch b.bks",
                   "--watch: given with --take-over, expected one of them");
    assert_refused(2, "--take-over a.bks --from 5 --join bks://x:1/#0", "--join: given with --tak");
    assert_refused(2, "--take-over a.bks --from 5 --host 0 --players 2",
                   "--players: given with --take-over, expected none: the recording decides");
    assert_refused(2, "--take-over a.bks --from 5 --host 0 --record a.bks",
                   "--record: names the file of --take-over, expected another one");
    assert_refused(2, "--watch a.bks --record a.bks", "--record: names the file of --watch");
    assert_refused(2, "--take-over bks://x:1/#0 --from 5 --host 0",
                   "--take-over: names no file, expected one with --host");
    assert_refused(2, "--take-over rec/peer-0.bks --from 5 --host 0 --local 3",
                   "--local: is 3, expected at most 2: the recording has no more players");
    assert_refused(2, "--take-over a.bks --from 5 --watchers 2",
                   "--watchers: given with --take-over, expected --host, too");
    assert_refused(2, "--take-over rec/peer-0.bks --from 50 --ticks 50 --host 0",
                   "--ticks: is 50, expected more than --from 50");
    assert_refused(2, "--take-over rec/peer-0.bks --from 301 --host 0",
                   "rec/peer-0.bks: has no tick 301, expected --from 0 to 300");
    assert_refused(3, "--take-over none.bks --from 5 --host 0", "none.bks");
    const cli_run *run = cli("play pad --headless --take-over slow/peer-0.bks --from 50 --host 0");
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->err, "was recorded at 30 ticks a second, expected 60 as the guests have: "
                         "without --host it can be played on");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guest_plays_on_with_the_host_as_one_alone_would),
        cmocka_unit_test(what_does_not_go_together_is_misuse),
    };
    return cmocka_run_group_tests(tests, record, cli_teardown);
}
