// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli.h"
#include "diagnose/doctor/doctor_play.h"
#include "support/seed.h"

enum { TICKS = 8, FULL_BITS = 64 };

static void bad_usage_says_what_is_wrong(void **state)
{
    (void)state;
    const cli_run *run = cli("doctor duel");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "expected GAME A.bks [B.bks]");
    run = cli("doctor duel --here a.bks --json");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "--here FILE.bks goes with GAME alone");
    run = cli("doctor duel nothing.bks");
    assert_int_equal(run->status, 3);
    cli_expect(run->err, "nothing.bks");
}

// Two sides of which only the hashes are known that this machine came to.
static void begin(doctor_case *c, const uint64_t *b)
{
    *c = (doctor_case){.hash_tick = 4, .first = 0, .until = TICKS};
    c->sides[0].event_tick = 4;
    c->sides[0].event_hash = 0xA4;
    c->sides[1].event_tick = BKS_TICK_NONE;
    c->sides[1].here_count = TICKS;
    memcpy(c->sides[1].here, b, TICKS * sizeof(*b));
}

static void hashes_count_from_the_difference_on(void **state)
{
    (void)state;
    static doctor_case c;
    const uint64_t b[TICKS] = {1, 2, 3, 4, 5, 6, 7, 8};
    begin(&c, b);
    const doctor_match match = doctor_compare(&c, 0, b, TICKS);
    assert_true(match.is_same[1]);
    assert_false(match.is_same[0]);
    assert_int_equal(match.bits[1], FULL_BITS);
    assert_int_equal(match.bits[0], 0);
}

static void a_row_that_leaves_a_side_before_the_difference_is_not_its_own(void **state)
{
    (void)state;
    static doctor_case c;
    const uint64_t b[TICKS] = {1, 2, 3, 4, 5, 6, 7, 8};
    const uint64_t row[TICKS] = {1, 2, 0, 4, 5, 6, 7, 8};
    begin(&c, b);
    const doctor_match match = doctor_compare(&c, 0, row, TICKS);
    assert_false(match.is_same[1]);
    assert_int_equal(match.wrong, 4);
}

static void a_row_that_ends_before_the_difference_shows_nothing(void **state)
{
    (void)state;
    static doctor_case c;
    const uint64_t b[TICKS] = {1, 2, 3, 4, 5, 6, 7, 8};
    begin(&c, b);
    const doctor_match match = doctor_compare(&c, 0, b, 4);
    assert_false(match.is_same[0]);
    assert_false(match.is_same[1]);
}

static void evidence_beyond_its_room_is_left_out(void **state)
{
    (void)state;
    static doctor_case c;
    for (uint32_t i = 0; i < 2 * DOCTOR_EVIDENCE_MAX; i++) {
        doctor_note(&c, "step %d", (int)i);
    }
    assert_int_equal(c.evidence_count, DOCTOR_EVIDENCE_MAX);
    assert_string_equal(c.evidence[1].text, "step 1");
}

static void what_came_of_shortening_is_said_however_much_was_tried(void **state)
{
    (void)state;
    (void)cli("lab duel --ticks 200 --input *=bot --fault flip=1@100:once --record open");
    const cli_run *run = cli("doctor duel open/peer-0.bks open/peer-1.bks --shorten part");
    assert_int_equal(run->status, 1);
    cli_expect(run->out, ", not proven: ");
    cli_expect(run->out, " more: --json has all\n"); // evidence that the text has no room for
    cli_expect(run->out,
               "\n  shorten   not shortened: nothing is proven that a shorter part or a C");
    assert_null(strstr(strstr(run->out, "shortened") + 1, "shortened")); // once
    run = cli("doctor duel open/peer-0.bks open/peer-0.bks --shorten part");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "duel: the same\n  shorten   not shortened: nothing is proven");
}

static void of_several_recordings_the_one_that_stands_alone_is_named(void **state)
{
    (void)state;
    (void)cli(
        "lab duel --peers 3 --ticks 200 --input *=bot --fault flip=1@100:byte:128:3 --record v");
    const cli_run *run = cli("doctor duel v/peer-0.bks v/peer-1.bks v/peer-2.bks --json");
    assert_int_equal(run->status, 1);
    cli_expect(run->out,
               "vote: at tick 100, the first that differs, 2 of 3 recordings agree "
               "(v/peer-0.bks, v/peer-2.bks), v/peer-1.bks stands alone: A is v/peer-0.bks, "
               "B is v/peer-1.bks");
    cli_expect(run->out, "\"differ\": [\"v/peer-1.bks\"]");
    cli_expect_value(run->out, "majority", "true");
    cli_expect_value(run->out, "tick", "100");
    run = cli("doctor duel v/peer-1.bks v/peer-0.bks v/peer-1.bks v/peer-2.bks");
    cli_expect(run->out, "vote: no majority at tick 100");
    run = cli("doctor duel v/peer-0.bks v/peer-2.bks v/peer-2.bks");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "duel: the same");
    (void)cli("monkey duel --ticks 5 --seed 3 --record other.bks");
    run = cli("doctor duel v/peer-0.bks v/peer-2.bks other.bks");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "other.bks: is of another match than v/peer-0.bks");
}

static void long_paths_are_named_by_their_ends(void **state)
{
    (void)state;
    static const char folder[] = "a-folder-whose-name-is-longer-than-a-note-has-room";
    char command[256];
    (void)snprintf(command, sizeof(command),
                   "lab duel --peers 3 --ticks 200 --input *=bot --fault flip=1@100:byte:128:3 "
                   "--record %s",
                   folder);
    (void)cli(command);
    (void)snprintf(command, sizeof(command),
                   "doctor duel %s/peer-0.bks %s/peer-1.bks %s/peer-2.bks --json", folder, folder,
                   folder);
    const cli_run *run = cli(command);
    cli_expect(run->out, "/peer-1.bks stands alone: A is ...");
    cli_expect(run->out, "/peer-0.bks, B is ...");
}

static void marks_of_later_ticks_do_not_move_the_first_difference(void **state)
{
    (void)state;
    (void)cli("lab duel --ticks 200 --input *=bot --fault flip=1@100:byte:128:3 "
              "--keep marks@110..115 --record late");
    const cli_run *run = cli("doctor duel late/peer-0.bks late/peer-1.bks --json");
    assert_int_equal(run->status, 1);
    cli_expect_value(run->out, "tick", "100");
    cli_expect_value(run->out, "hash_tick", "100");
    cli_expect(run->out, "in tick 110, at mark (start), with no marks in both before it: ");
    run = cli("replay diff late/peer-0.bks late/peer-1.bks");
    cli_expect(run->out, "duel: different: score[0] differs at tick 100, mark (start)\n");
    run = cli("replay diff --json late/peer-0.bks late/peer-1.bks");
    cli_expect(run->out, "marks: differ first in tick 110, at mark (start), with no marks in both");
}

static void a_long_recording_may_take_longer_to_play(void **state)
{
    (void)state;
    const bks_recording info = {.first = 100, .tick_rate_hz = 50};
    assert_int_equal(doctor_play_patience_ms(&info, 100), 60000);
    assert_int_equal(doctor_play_patience_ms(&info, 100 + 50), 64000);
    const bks_recording longest = {.tick_rate_hz = 1};
    assert_int_equal(doctor_play_patience_ms(&longest, INT32_MAX), INT32_MAX);
}

// What two programs say of one difference.
static void expect_same_place(const char *of_lab, const char *of_doctor)
{
    static const char *const keys[] = {"tick", "mark", "object", "field"};
    char value[2][256];
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        cli_value(of_lab, keys[i], value[0], sizeof(value[0]));
        cli_value(of_doctor, keys[i], value[1], sizeof(value[1]));
        assert_string_equal(value[0], value[1]);
    }
}

static void a_flip_that_comes_once_has_one_name(void **state)
{
    (void)state;
    static char of_lab[CLI_TEXT_BYTES];
    for (uint32_t seed = 1; seed <= seed_rounds(2); seed++) {
        for (int has_marks = 0; has_marks < 2; has_marks++) {
            char line[256];
            (void)snprintf(line, sizeof(line),
                           "lab duel --ticks 200 --input *=bot --fault flip=1@100:once --seed %u "
                           "--link delay=40ms --delay 0 --record once --json%s",
                           seed, has_marks ? " --keep marks" : "");
            const cli_run *run = cli(line);
            assert_int_equal(run->status, 1);
            (void)snprintf(of_lab, sizeof(of_lab), "%s", run->out);
            cli_expect_value(of_lab, "mark", "\"(start)\"");
            run = cli("doctor duel once/peer-0.bks once/peer-1.bks --json");
            assert_int_equal(run->status, 1);
            expect_same_place(of_lab, run->out);
            // Marks show that it came between two steps.
            cli_expect_value(run->out, "proven", has_marks ? "true" : "false");
            if (!has_marks) {
                cli_expect(run->out, ", or record with --keep marks\"");
            }
        }
    }
}

// A value that a step writes from outside the state, and so that nothing here comes to.
static const char hiding[] =
    "#include <backstitch/plugin.h>\n#include <stdio.h>\n"
    "typedef struct hidden { unsigned x, y; } hidden;\n"
    "static void start(void *s, const bks_start *i) { (void)i; ((hidden *)s)->x = 1; }\n"
    "static void step(void *s, const bks_step *i) {\n"
    "    hidden *h = s;\n"
    "    FILE *file = i->tick == 30 ? fopen(HIDDEN, \"r\") : NULL;\n"
    "    if (file != NULL) { h->y = (unsigned)fgetc(file) * 77; fclose(file); }\n"
    "    h->x++; bks_mark(i, \"only\"); }\n"
    "static const bks_game game = { .name = \"hiding\", .tick_rate_hz = 60, .players_max = 1,\n"
    "    .fields = &(bks_field){ .name = \"move\", .bits = 2 }, .field_count = 1,\n"
    "    .state_bytes = sizeof(hidden), .init = start, .step = step };\n"
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = { .abi = BKS_PLUGIN_ABI, .game = &game "
    "};\n";

static void what_recordings_have_is_not_asked_for(void **state)
{
    (void)state;
    cli_write("hiding.c", hiding);
    char line[1024];
    (void)snprintf(line, sizeof(line),
                   "cc -std=gnu17 -g -shared -fPIC -I'" BKS_TEST_SOURCE_DIR "/include' "
                   "'-DHIDDEN=\"%s/hidden.txt\"' -o hiding.so hiding.c "
                   "'" BKS_TEST_BINARY_DIR "/src/libbackstitch.a'",
                   cli_folder());
    if (system(line) != 0) {
        skip(); // no compiler by that name here
    }
    static const struct {
        const char *kept;
        const char *more;
        const char *next;
    } cases[] = {
        {"--keep marks", "",
         "record once more with --keep rollbacks and step B on its own machine (bks doctor --here "
         "B.bks) and give the output by --answer"},
        {"--keep marks@40..50", "--build ./hiding.so",
         "record once more with --keep rollbacks,marks and step B on its own machine (bks doctor "
         "--here B.bks) and give the output by --answer"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (int side = 1; side <= 2; side++) {
            (void)snprintf(line, sizeof(line),
                           "monkey ./hiding.so --ticks 60 %s --record side%d.bks", cases[i].kept,
                           side);
            cli_write("hidden.txt", side == 1 ? "1" : "2");
            assert_int_equal(cli(line)->status, 0);
        }
        cli_write("hidden.txt", "3");
        (void)snprintf(line, sizeof(line), "doctor ./hiding.so side1.bks side2.bks --json %s",
                       cases[i].more);
        const cli_run *run = cli(line);
        cli_expect_value(run->out, "cause", "\"unattributed\"");
        cli_expect(run->out, cases[i].next);
#if defined(BKS_HAVE_LIBDW) && defined(__x86_64__) && defined(__linux__)
        cli_expect(run->out,
                   "see whether the state depends on what a step calls: fopen (hiding.c:7)");
#endif
    }
}

static void free_memory_has_one_name(void **state)
{
    (void)state;
#ifdef BKS_HAVE_LIBDW
    static const char name[] = "(free).byte 20914 (particles[653], not live)";
    cli_expect(cli("lab duel --ticks 200 --fault flip=1@100:byte:20914:4 --record free")->out,
               name);
    cli_expect(cli("doctor duel free/peer-0.bks free/peer-1.bks")->out, name);
    (void)cli("lab duel --ticks 200 --fault flip=1@100:byte:20914:4 --keep marks --record freed");
    cli_expect(cli("replay diff freed/peer-0.bks freed/peer-1.bks")->out, name);
    cli_expect(cli("doctor duel freed/peer-0.bks freed/peer-1.bks")->out, name);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_usage_says_what_is_wrong),
        cmocka_unit_test(hashes_count_from_the_difference_on),
        cmocka_unit_test(a_row_that_leaves_a_side_before_the_difference_is_not_its_own),
        cmocka_unit_test(a_row_that_ends_before_the_difference_shows_nothing),
        cmocka_unit_test(evidence_beyond_its_room_is_left_out),
        cmocka_unit_test(what_came_of_shortening_is_said_however_much_was_tried),
        cmocka_unit_test(of_several_recordings_the_one_that_stands_alone_is_named),
        cmocka_unit_test(long_paths_are_named_by_their_ends),
        cmocka_unit_test(marks_of_later_ticks_do_not_move_the_first_difference),
        cmocka_unit_test(a_long_recording_may_take_longer_to_play),
        cmocka_unit_test(a_flip_that_comes_once_has_one_name),
        cmocka_unit_test(free_memory_has_one_name),
        cmocka_unit_test(what_recordings_have_is_not_asked_for),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
