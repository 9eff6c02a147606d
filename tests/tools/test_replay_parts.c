// SPDX-License-Identifier: MIT

// Parts of recordings, and what two of them differ in, through the program.

#define _GNU_SOURCE

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

enum { TEXT_BYTES = 256 };

static int record_matches(void **state)
{
    if (cli_setup(state) != 0) {
        return -1;
    }
    int status =
        cli("lab duel --ticks 1300 --seed 5 --link delay=40ms,loss=3% --record rec --json")->status;
    status |= cli("replay cat rec/peer-0.bks")->status;
    cli_write("same.csv", cli_read("run.out"));
    return status;
}

// ---- cut ----

static void a_part_is_a_recording_of_its_own(void **state)
{
    (void)state;
    const cli_run *run = cli("replay cut --until 700 -o part.bks rec/peer-0.bks");
    cli_expect_status(run, TOOL_OK);
    assert_string_equal(run->err, "");
    run = cli("replay info --json part.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect_value(run->out, "ticks", "700");
    cli_expect_value(run->out, "complete", "true");
    cli_expect_value(run->out, "seed", "5");
    cli_expect_value(run->out, "keyframes", "1");
    char hash[TEXT_BYTES];
    char quoted[TEXT_BYTES];
    cli_value(run->out, "final_hash", hash, sizeof(hash));
    snprintf(quoted, sizeof(quoted), "\"%.16s\"",
             cli("replay hash --tick 700 rec/peer-0.bks")->out);
    assert_string_equal(hash, quoted);
    run = cli("replay verify --json part.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect_value(run->out, "compared", "701");
    static char whole[CLI_TEXT_BYTES];
    snprintf(whole, sizeof(whole), "%s", cli("replay cat --until 700 rec/peer-0.bks")->out);
    assert_string_equal(cli("replay cat part.bks")->out, whole);
}

static void uncut_it_is_the_same(void **state)
{
    (void)state;
    cli_expect_status(cli("replay cut -o whole.bks rec/peer-0.bks"), TOOL_OK);
    const cli_run *run = cli("replay diff --json rec/peer-0.bks whole.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect_value(run->out, "same", "true");
    cli_expect(run->out, "\"hashes: the same, 1301 compared\"");
    static char written[CLI_TEXT_BYTES];
    snprintf(written, sizeof(written), "%s",
             cli("replay export --hashes --events --until 300 rec/peer-0.bks")->out);
    assert_string_equal(cli("replay export --hashes --events --until 300 whole.bks")->out, written);
    cli_expect_status(cli("replay cut -o whole.bks whole.bks"), TOOL_OK); // in its own place
    cli_expect_status(cli("replay diff rec/peer-0.bks whole.bks"), TOOL_OK);
}

static void a_recording_that_is_cut_in_its_place_survives_a_full_disk(void **state)
{
    (void)state;
    struct rlimit before;
    cli_expect_status(cli("replay cut -o place.bks rec/peer-0.bks"), TOOL_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit limit = {.rlim_cur = 4096, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    const int status = cli("replay cut --until 1200 -o place.bks place.bks")->status;
    (void)signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, TOOL_DAMAGED);
    const cli_run *run = cli("replay diff --json rec/peer-0.bks place.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->out, "\"hashes: the same, 1301 compared\"");
    assert_string_equal(cli_read("place.bks.tmp"), "");
}

/// A text that a command prints, kept.
static const char *keep(const char *line)
{
    static char text[CLI_TEXT_BYTES];
    const cli_run *run = cli(line);
    cli_expect_status(run, TOOL_OK);
    snprintf(text, sizeof(text), "%s", run->out);
    return text;
}

static void a_part_may_begin_at_any_tick(void **state)
{
    (void)state;
    static const int begins[] = {1, 599, 600, 601, 1299}; // a keyframe stands at 600
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
        char line[TEXT_BYTES];
        char count[TEXT_BYTES];
        snprintf(line, sizeof(line), "replay cut --from %d -o later.bks rec/peer-0.bks", begins[i]);
        const cli_run *run = cli(line);
        cli_expect_status(run, TOOL_OK);
        assert_string_equal(run->err, "");
        run = cli("replay verify --json later.bks");
        cli_expect_status(run, TOOL_OK);
        snprintf(count, sizeof(count), "%d", 1301 - begins[i]);
        cli_expect_value(run->out, "compared", count);
        run = cli("run later.bks --as-player 1 --json");
        cli_expect_status(run, TOOL_OK);
        cli_expect_value(run->out, "compared", count);
        snprintf(line, sizeof(line), "replay export --hashes --from %d rec/peer-0.bks", begins[i]);
        const char *whole = keep(line);
        assert_string_equal(cli("replay export --hashes later.bks")->out, whole);
    }
}

static void a_later_part_is_played_sought_compared_and_cut_again(void **state)
{
    (void)state;
    cli_expect_status(cli("replay cut --from 100 --until 900 -o later.bks rec/peer-0.bks"),
                      TOOL_OK);
    const char *hash = keep("replay hash --tick 777 rec/peer-0.bks");
    assert_string_equal(cli("replay hash --tick 777 later.bks")->out, hash);
    const cli_run *run = cli("replay hash --tick 99 later.bks");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "expected --tick 100 to 900");
    cli_expect_status(cli("replay verify --from 99 later.bks"), TOOL_MISUSE);
    cli_expect(cli("replay verify --from 500 later.bks")->out, "the same from tick 500 to 900");
    run = cli("run later.bks --until 99");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "expected --until 100 to 900");
    run = cli("play duel --watch later.bks --from 850 --headless --json");
    cli_expect_status(run, TOOL_OK);
    cli_expect_status(cli("play duel --watch later.bks --from 99 --headless"), TOOL_MISUSE);
    run = cli("replay diff rec/peer-0.bks later.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->out, "inputs: the same, 800 ticks\n");
    cli_expect(run->out, "hashes: the same, 801 compared\n");
    cli_expect(run->out, "duel: the same from tick 100 to 900, as far as both confirm\n");
    cli_expect_status(cli("replay cut --from 200 --until 400 -o twice.bks later.bks"), TOOL_OK);
    cli_expect_status(cli("replay cut --from 200 --until 400 -o once.bks rec/peer-0.bks"), TOOL_OK);
    assert_int_equal(system("cmp once.bks twice.bks"), 0);
    run = cli("lab duel --ticks 900 --input *=replay:later.bks");
    cli_expect_status(run, TOOL_DAMAGED);
    cli_expect(run->err, "later.bks: begins at tick 100, expected one from tick 0 on");
    cli_expect_status(cli("replay cut --from 899 --until 900 -o one.bks later.bks"), TOOL_OK);
    run = cli("replay diff one.bks twice.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->out, "inputs: not compared: no tick is confirmed in both\n");
    cli_expect(run->out, "nothing differs, but too little is in both to call them the same\n");
}

static void a_later_part_is_taken_over(void **state)
{
    (void)state;
    cli_expect_status(cli("replay cut --from 100 --until 900 -o later.bks rec/peer-0.bks"),
                      TOOL_OK);
    cli_expect_status(cli("play duel --take-over later.bks --from 300 --input '*=idle' --ticks 330 "
                          "--headless --record on.bks"),
                      TOOL_OK);
    cli_expect(cli("replay verify on.bks")->out, "the same from tick 100 to 330");
    const char *old = keep("replay cat --from 100 --until 300 rec/peer-0.bks");
    assert_string_equal(cli("replay cat --until 300 on.bks")->out, old);
}

static void behind_damage_a_part_begins_at_a_keyframe(void **state)
{
    (void)state;
    // A byte of a chunk before tick 600, where a keyframe stands.
    assert_int_equal(system("cp rec/peer-0.bks damaged.bks && size=$(wc -c <damaged.bks) && "
                            "printf '\\377\\377' | dd of=damaged.bks bs=1 seek=$((size * 11 / 20)) "
                            "conv=notrunc 2>dd.txt"),
                     0);
    const cli_run *run = cli("replay info --json damaged.bks");
    cli_expect_status(run, TOOL_DAMAGED);
    char ticks[TEXT_BYTES];
    const char *lost = strstr(run->out, "\"lost\": [");
    assert_non_null(lost);
    cli_value(lost, "first", ticks, sizeof(ticks));
    const long first = strtol(ticks, NULL, 10);
    assert_in_range(first, 1, 599);
    run = cli("replay cut --from 600 -o behind.bks damaged.bks");
    cli_expect_status(run, TOOL_DAMAGED); // damage is reported, and what is good is written
    run = cli("replay verify --json behind.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect_value(run->out, "compared", "701");
    const char *whole = keep("replay export --hashes --from 600 rec/peer-0.bks");
    assert_string_equal(cli("replay export --hashes behind.bks")->out, whole);
    char line[TEXT_BYTES];
    snprintf(line, sizeof(line), "replay cut --from %ld -o before.bks damaged.bks", first - 20);
    cli_expect_status(cli(line), TOOL_DAMAGED);
    cli_expect_value(cli("replay verify --json before.bks")->out, "compared",
                     "20"); // none at the end
    snprintf(line, sizeof(line), "replay cut --from %ld -o no.bks damaged.bks", first);
    run = cli(line);
    cli_expect(run->err, "where no tick is lost");
    assert_int_not_equal(access("no.bks", F_OK), 0);
}

static void a_part_does_not_begin_with_a_state_that_was_not_recorded(void **state)
{
    (void)state;
    cli_expect_status(cli("lab duel --ticks 200 --seed 2 --fault flip=1@100:byte --record flipped"),
                      TOOL_NO);
    const cli_run *run = cli("replay cut --from 150 -o no.bks flipped/peer-1.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->err, "cannot be cut at tick 150: the state there is not the recorded one");
    assert_int_not_equal(access("no.bks", F_OK), 0);
    cli_expect_status(cli("replay cut --from 90 -o early.bks flipped/peer-1.bks"), TOOL_OK);
    cli_expect_value(cli("replay verify --json early.bks")->out, "first_different", "100");
}

static void a_wrong_recording_stays_wrong_in_a_part(void **state)
{
    (void)state;
    cli_expect_status(cli("lab duel --ticks 200 --seed 2 --fault flip=1@100:byte --record flipped"),
                      TOOL_NO);
    const cli_run *run = cli("replay cut --until 150 -o flipped.bks flipped/peer-1.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->err, "has no whole hash");
    cli_expect(cli("replay export --events flipped.bks")->out, " desync peer 0 own ");
    run = cli("replay verify --json flipped.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect_value(run->out, "first_different", "100");
}

static void recorded_details_are_listed_copied_and_played(void **state)
{
    (void)state;
    const cli_run *run = cli("lab duel --ticks 600 --link delay=60ms,jitter=20ms --seed 4 "
                             "--keep rollbacks,pages,values --record kept --json");
    cli_expect_status(run, TOOL_OK);
    char rollbacks[TEXT_BYTES];
    char steps[TEXT_BYTES];
    cli_value(run->out, "rollbacks", rollbacks, sizeof(rollbacks)); // of the first peer
    assert_true(strtol(rollbacks, NULL, 10) > 5);
    run = cli("replay info --json kept/peer-0.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect_value(run->out, "count", rollbacks);
    cli_expect_value(run->out, "page_rows", "600");
    cli_expect_value(run->out, "first", "0");
    // All bytes are somewhere.
    static const char *const kinds[] = {"state", "inputs",    "hashes", "facts",    "values",
                                        "pages", "rollbacks", "rest",   "keyframes"};
    long sum = 0;
    char bytes[TEXT_BYTES];
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        cli_value(strstr(run->out, "\"bytes_by\": {"), kinds[i], bytes, sizeof(bytes));
        sum += strtol(bytes, NULL, 10);
        assert_int_equal(strtol(bytes, NULL, 10) > 0, strcmp(kinds[i], "facts") != 0);
    }
    cli_value(run->out, "bytes", bytes, sizeof(bytes));
    assert_int_equal(sum, strtol(bytes, NULL, 10));
    run = cli("replay info kept/peer-0.bks");
    cli_expect(run->out, "\n  pages       hashes of ");
    cli_expect(run->out, "\n  names       random*, fx_random, ");
    run = cli("replay export --values --until 3 kept/peer-0.bks");
    cli_expect(run->out, "# value: 2 score 0 0\n");
    cli_expect(cli("replay export --values --json --until 3 kept/peer-0.bks")->out,
               "\"score\": [0, 0],");
    run = cli("run duel kept/peer-0.bks --as-player recorded --json");
    cli_expect_status(run, TOOL_OK);
    cli_expect_value(run->out, "rollbacks", rollbacks);
    cli_expect_value(run->out, "same", "true");
    cli_value(run->out, "steps", steps, sizeof(steps));
    assert_true(strtol(steps, NULL, 10) > 600 + strtol(rollbacks, NULL, 10));
    cli_expect_status(cli("replay cut --from 100 --until 500 -o kept.bks kept/peer-0.bks"),
                      TOOL_OK);
    run = cli("replay info --json kept.bks");
    cli_expect_value(run->out, "page_rows", "400");
    run = cli("run duel kept.bks --as-player recorded --json");
    cli_expect_status(run, TOOL_OK);
    cli_expect_value(run->out, "compared", "401");
    run = cli("run rec/peer-0.bks --as-player recorded");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "has no rollbacks, expected a recording made with --keep rollbacks");
    run = cli("lab duel --ticks 5 --keep rolls");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "--keep: is 'rolls', expected rollbacks, pages, values, marks");
    static const char *const wrong[] = {"marks@",      "marks@5",     "marks@7..6",
                                        "marks@1..2x", "marks@-1..5", "marks@..5",
                                        "marksx",      "marks@1.5",   "marks@0..2147483647"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char line[TEXT_BYTES];
        (void)snprintf(line, sizeof(line), "lab duel --ticks 5 --keep %s", wrong[i]);
        cli_expect_status(cli(line), TOOL_MISUSE);
    }
}

static void a_part_and_gaps_are_shown(void **state)
{
    (void)state;
    cli_expect_status(cli("replay cut --from 100 --until 900 -o later.bks rec/peer-0.bks"),
                      TOOL_OK);
    cli_expect(cli("replay info later.bks")->out,
               "\n  ticks       800, from 100 to 899 (13.3 s at 60 a second), "
               "closed before the match's end: a part of another recording ends here\n");
    const cli_run *run = cli("replay info --json later.bks");
    cli_expect_value(run->out, "first", "100");
    cli_expect_value(run->out, "complete", "true");
    cli_expect(run->out, "\"end\": \"left\"");
    cli_expect(run->out, "\"present\": [\n    [100, 900]\n  ]");
    run = cli("replay info --json damaged.bks"); // of a test before
    const char *lost = strstr(run->out, "\"lost\": [");
    assert_non_null(lost);
    char first[TEXT_BYTES];
    cli_value(lost, "first", first, sizeof(first));
    char present[TEXT_BYTES * 3];
    snprintf(present, sizeof(present), "\"present\": [\n    [0, %s],\n    [600, 1300]\n  ]", first);
    cli_expect(run->out, present);
    cli_expect(cli("replay info damaged.bks")->out, ", ticks 600 to 1299\n");
}

static void cut_refuses_what_is_not_there(void **state)
{
    (void)state;
    const cli_run *run = cli("replay cut --until 1301 -o no.bks rec/peer-0.bks");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "expected --until 1 to 1300");
    run = cli("replay cut --from 1300 -o no.bks rec/peer-0.bks");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "expected --from 0 to 1299");
    run = cli("replay cut --from 700 --until 700 -o no.bks rec/peer-0.bks");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "expected --until 701 to 1300");
    assert_int_equal(system("head -c 2000 rec/peer-0.bks >head.bks"), 0);
    run = cli("replay cut -o no.bks head.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->err, "head.bks: cannot be cut: it has no tick that is confirmed");
    cli_expect(cli("run head.bks")->out, "the recording is not complete: 0 ticks of it");
    run = cli("replay verify --game pad rec/peer-0.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->err, "the replay is of duel, the game is pad");
    assert_null(strstr(run->err, "was recorded with build")); // that is not why
    run = cli("replay cut rec/peer-0.bks");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "-o: is missing");
    cli_expect_status(cli("replay cut -o no.bks missing.bks"), TOOL_DAMAGED);
    assert_int_not_equal(access("no.bks", F_OK), 0);
    cli_expect_status(cli("replay cut -o missing/no.bks rec/peer-0.bks"), TOOL_MISUSE);
}

// ---- diff ----

static void two_peers_of_one_match_are_the_same(void **state)
{
    (void)state;
    const cli_run *run = cli("replay diff rec/peer-0.bks rec/peer-1.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->out, "inputs: the same, 1300 ticks\n");
    cli_expect(run->out, "hashes: the same, 1301 compared\n");
    cli_expect(run->out, "events: the same\n");
    cli_expect(run->out, "duel: the same\n");
}

/// The inputs of the match with one value changed.
static void write_planted(const char *line, const char *planted)
{
    static char text[CLI_TEXT_BYTES];
    snprintf(text, sizeof(text), "%s", cli_read("same.csv"));
    char *at = strstr(text, line);
    assert_non_null(at);
    char *end = strchr(at + 1, '\n');
    static char rest[CLI_TEXT_BYTES];
    snprintf(rest, sizeof(rest), "%s", end);
    snprintf(at, sizeof(text) - (size_t)(at - text), "%s%s", planted, rest);
    cli_write("planted.csv", text);
}

static void an_input_that_differs_is_named_with_the_state_that_it_changes(void **state)
{
    (void)state;
    write_planted("\n640,1,", "\n640,1,5,-9,3");
    cli_expect_status(
        cli("lab duel --ticks 1300 --seed 5 --input *=trace:planted.csv --record planted --json"),
        TOOL_OK);
    const cli_run *run = cli("replay diff --json rec/peer-0.bks planted/peer-0.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect_value(run->out, "same", "false");
    const char *inputs = strstr(run->out, "\"inputs\": {");
    assert_non_null(inputs);
    cli_expect_value(inputs, "tick", "640");
    cli_expect_value(inputs, "player", "1");
    cli_expect_value(run->out, "hash_tick", "641");
    cli_expect(run->out, "hashes: differ first at tick 641, ");
    cli_expect_value(run->out, "tick", "640");
    cli_expect_value(run->out, "cause", "\"inputs\"");
    cli_expect_value(run->out, "proven", "true");
    static const char *const keys[] = {"mark", "object", "field", "a", "b"};
    char values[5][TEXT_BYTES];
    for (int i = 0; i < 5; i++) {
        cli_value(run->out, keys[i], values[i], TEXT_BYTES);
        assert_true(values[i][0] == '"' && values[i][1] != '"');
    }
    assert_string_not_equal(values[3], values[4]);
    run = cli("replay diff rec/peer-0.bks planted/peer-0.bks");
    cli_expect(run->out, "duel: inputs, proven: ");
    cli_expect(run->out, " differs at tick 640, mark ");
}

/// In each tick a mark before the inputs are used, one behind them and a note of them.
static const char marking[] =
    "#include \"backstitch/plugin.h\"\n"
    "static const bks_field fields[] = {{.name = \"x\", .bits = 8}};\n"
    "static void init(void *s, const bks_start *t) { (void)s; (void)t; }\n"
    "static void step(void *s, const bks_step *t)\n"
    "{ const int *in = bks_step_input(t, 0); unsigned *sum = s;\n"
    "  bks_mark(t, \"before\"); bks_note(t, \"always\");\n"
    "  *sum += (unsigned)in[0] + 1; bks_mark(t, \"behind\"); bks_note(t, \"x %d\", in[0]); }\n"
    "static const bks_game game = {.name = \"marking\", .tick_rate_hz = 60, .players_max = 1,\n"
    " .fields = fields, .field_count = 1, .state_bytes = 8, .init = init, .step = step};\n"
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main =\n"
    " {.abi = BKS_PLUGIN_ABI, .game = &game};\n";

/// Its step has no mark behind what it does with the inputs.
static const char unmarked[] =
    "#include \"backstitch/plugin.h\"\n"
    "static const bks_field fields[] = {{.name = \"x\", .bits = 8}};\n"
    "static void init(void *s, const bks_start *t) { (void)s; (void)t; }\n"
    "static void step(void *s, const bks_step *t)\n"
    "{ unsigned *sum = s; bks_mark(t, \"before\");\n"
    "  *sum += (unsigned)*(const int *)bks_step_input(t, 0) + 1; }\n"
    "static const bks_game game = {.name = \"unmarked\", .tick_rate_hz = 60, .players_max = 1,\n"
    " .fields = fields, .field_count = 1, .state_bytes = 8, .init = init, .step = step};\n"
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main =\n"
    " {.abi = BKS_PLUGIN_ABI, .game = &game};\n";

/// Expect that `replay diff --json` names the tick and the mark at which recorded marks first
/// differ.
static void expect_marks_differ(const char *out, const char *tick, const char *mark)
{
    char text[2 * TEXT_BYTES];
    (void)snprintf(text, sizeof(text), "marks: differ first in tick %s, at mark %s: ", tick, mark);
    cli_expect(out, text);
}

static void the_first_mark_and_note_that_differ_are_named(void **state)
{
    (void)state;
    cli_write("marking.c", marking);
    if (system("cc -std=gnu17 -shared -fPIC -I'" BKS_TEST_SOURCE_DIR "/include' -o marking.so "
               "marking.c '" BKS_TEST_BINARY_DIR "/src/libbackstitch.a'") != 0) {
        skip(); // no compiler by that name here
    }
    cli_expect_status(cli("monkey ./marking.so --ticks 60 --hold 1..3 --record a.bks"), TOOL_OK);
    cli_expect_status(cli("play ./marking.so --take-over a.bks --from 30 --input '*=trace:x.csv' "
                          "--headless"),
                      TOOL_DAMAGED);
    cli_expect_status(
        cli("play ./marking.so --take-over a.bks --from 30 --input '*=idle' --ticks 60 "
            "--headless --keep marks@20..49 --record b.bks"),
        TOOL_OK);
    cli_expect(cli("replay info b.bks")->out, "marks       states of ");
    const cli_run *run = cli("replay diff --game ./marking.so --json a.bks b.bks");
    cli_expect_status(run, TOOL_NO);
    char tick[TEXT_BYTES];
    const char *inputs = strstr(run->out, "\"inputs\": {");
    assert_non_null(inputs);
    cli_value(inputs, "tick", tick, sizeof(tick));
    assert_in_range(strtol(tick, NULL, 10), 30, 59);
    cli_expect_value(run->out, "tick", tick);
    cli_expect_value(run->out, "mark", "\"behind\"");
    const char *notes = strstr(run->out, "\"notes\": {");
    assert_non_null(notes);
    cli_expect_value(notes, "tick", tick);
    cli_expect_value(notes, "mark", "\"behind\"");
    cli_expect_value(notes, "b", "\"x 0\"");
    run = cli("replay diff --game ./marking.so a.bks b.bks");
    cli_expect(run->out, "marking: inputs, proven: ");
    cli_expect(run->out, ", mark behind\n");
    // A game that is named and not there ends this command as it ends others.
    cli_expect_status(cli("replay verify --game none b.bks"), TOOL_MISUSE);
    cli_expect_status(cli("replay diff --game none a.bks b.bks"), TOOL_MISUSE);
    cli_expect_status(cli("replay verify --game ./none.so b.bks"), TOOL_DAMAGED);
    cli_expect_status(cli("replay diff --game ./none.so a.bks b.bks"), TOOL_DAMAGED);
}

static void another_seed_is_reported_and_the_states_differ_at_once(void **state)
{
    (void)state;
    cli_expect_status(cli("lab duel --ticks 1300 --seed 6 --input *=trace:same.csv --record seed6"),
                      TOOL_OK);
    const cli_run *run = cli("replay diff rec/peer-0.bks seed6/peer-0.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->out, "seed: 5 in A, 6 in B\n");
#ifdef BKS_HAVE_LIBDW
    cli_expect(run->out,
               "duel: initial-state, proven: random.state differs at tick 0, mark (start)\n  A ");
#endif
    cli_expect(run->out, "inputs: the same, 1300 ticks\n");
}

static void a_machine_that_stepped_differently_is_distinguished(void **state)
{
    (void)state;
    cli_expect_status(cli("lab duel --ticks 200 --fault flip=1@100:byte --record flipped"),
                      TOOL_NO);
    const cli_run *run = cli("replay diff flipped/peer-0.bks flipped/peer-1.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->out, "inputs: the same, 200 ticks\n");
    cli_expect(run->out, "hashes: differ first at tick 100, of ");
    cli_expect(run->out, "stepped here from tick 40 on: the hash of A\n");
    run = cli("replay diff flipped/peer-1.bks flipped/peer-0.bks");
    cli_expect(run->out, "stepped here from tick 40 on: the hash of B\n");
    cli_expect_status(cli("replay cut --strip -o bare.bks flipped/peer-1.bks"), TOOL_OK);
    cli_expect_status(cli("replay cut --strip -o bare0.bks flipped/peer-0.bks"), TOOL_OK);
    run = cli("replay diff bare0.bks bare.bks");
    cli_expect(run->out, "duel: different: the state differs at tick 100, mark (start)\n");
    cli_expect(run->out, "  next      record once more with --keep marks to see what differs; ");
}

static void states_at_marks_name_what_this_machine_steps_the_same(void **state)
{
    (void)state;
    cli_expect_status(cli("lab duel --ticks 200 --input *=bot --fault flip=1@100:byte:128 --keep "
                          "marks --link delay=30ms --record marked"),
                      TOOL_NO);
    const cli_run *run = cli("replay diff --json marked/peer-0.bks marked/peer-1.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect_value(run->out, "mark", "\"(start)\"");
#ifdef BKS_HAVE_LIBDW
    cli_expect_value(run->out, "object", "\"score\"");
    cli_expect_value(run->out, "field", "\"[0]\"");
#endif
    cli_expect_value(run->out, "a", "\"0\"");
    char flipped[TEXT_BYTES];
    cli_value(run->out, "b", flipped, sizeof(flipped));
    assert_true(flipped[0] == '"' && flipped[1] > '0'); // which bit it is depends on the seed
    expect_marks_differ(run->out, "100", "(start)");
    run = cli("replay diff marked/peer-1.bks marked/peer-0.bks");
    cli_expect(run->out, "duel: different: score[0] differs at tick 100, mark (start)\n  A ");
    cli_expect(run->out, "\n  B         0\n");
    run = cli("replay verify --json marked/peer-1.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect_value(run->out, "mark", "\"(start)\"");
    cli_expect_value(run->out, "value_computed", "\"0\"");
    cli_expect_value(run->out, "value_recorded", flipped);
    cli_expect(run->err, "in tick 100 (mark: (start)) score[0] is 0, recorded ");
    cli_expect(cli("replay verify flipped/peer-1.bks")->err, "record with --keep marks\n");
    run = cli("replay info --json marked/peer-0.bks");
    cli_expect_value(run->out, "mark_rows", "200");
    cli_expect_status(cli("replay cut --from 50 -o marked.bks marked/peer-0.bks"), TOOL_OK);
    run = cli("replay diff marked/peer-0.bks marked.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->out, "marks: the same, ");
}

static void one_flip_is_at_the_same_mark_in_a_match_and_in_its_recordings(void **state)
{
    (void)state;
    const cli_run *run = cli("lab duel --ticks 200 --input *=bot --fault flip=1@100:byte:128:4 "
                             "--keep marks --record flip --json");
    cli_expect_status(run, TOOL_NO);
    cli_expect_value(run->out, "tick", "100");
    cli_expect_value(run->out, "mark", "\"(start)\"");
    run = cli("replay diff --json flip/peer-0.bks flip/peer-1.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect_value(run->out, "mark", "\"(start)\"");
    expect_marks_differ(run->out, "100", "(start)");
}

static void marks_of_a_window_name_a_flip_in_it(void **state)
{
    (void)state;
    cli_expect_status(cli("lab duel --ticks 200 --input *=bot --fault flip=1@100:byte:128:4 "
                          "--keep values,marks@95..105 --record window"),
                      TOOL_NO);
    const cli_run *run = cli("replay diff --json window/peer-0.bks window/peer-1.bks");
    expect_marks_differ(run->out, "100", "(start)");
    run = cli("replay diff --json window/peer-0.bks flip/peer-0.bks"); // with marks of all ticks
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->out, "\"marks: the same, 11 ticks\"");
    cli_expect(run->out, "\"marks: not in both in 189 ticks\"");
    cli_expect_value(cli("replay info --json window/peer-0.bks")->out, "mark_rows", "11");
    cli_expect(cli("replay info window/peer-0.bks")->out,
               "marks       states of 11 ticks, the first 95, the last 105\n");
}

static void a_window_without_a_tick_is_said(void **state)
{
    (void)state;
    static const char *const outside[] = {"--ticks 60 --keep marks@100..110",
                                          "--first-tick 50 --ticks 60 --keep marks@0..49"};
    static const char *const inside[] = {"--ticks 60 --keep marks@59..110",
                                         "--first-tick 50 --ticks 60 --keep marks@0..50"};
    char line[TEXT_BYTES];
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(line, sizeof(line), "lab pad %s --record outside", outside[i]);
        const cli_run *run = cli(line);
        cli_expect_status(run, TOOL_OK);
        cli_expect(run->err, "no states at marks are recorded: asked for from tick ");
        cli_expect(run->err, i == 0 ? "from tick 100 to 110, the recording has ticks 0 to 59"
                                    : "from tick 0 to 49, the recording has ticks 50 to 59");
        (void)snprintf(line, sizeof(line), "lab pad %s --record inside", inside[i]);
        assert_string_equal(cli(line)->err, "");
    }
}

static void what_a_step_does_behind_its_last_mark_is_at_its_end(void **state)
{
    (void)state;
    cli_write("unmarked.c", unmarked);
    if (system("cc -std=gnu17 -shared -fPIC -I'" BKS_TEST_SOURCE_DIR "/include' -o unmarked.so "
               "unmarked.c '" BKS_TEST_BINARY_DIR "/src/libbackstitch.a'") != 0) {
        skip(); // no compiler by that name here
    }
    for (int seed = 1; seed <= 2; seed++) {
        char line[TEXT_BYTES];
        (void)snprintf(line, sizeof(line),
                       "monkey ./unmarked.so --ticks 60 --seed %d --keep marks --record end%d.bks",
                       seed, seed);
        cli_expect_status(cli(line), TOOL_OK);
    }
    const cli_run *run = cli("replay diff --game ./unmarked.so --json end1.bks end2.bks");
    cli_expect_status(run, TOOL_NO);
    char tick[TEXT_BYTES];
    const char *inputs = strstr(run->out, "\"inputs\": {");
    assert_non_null(inputs);
    cli_value(inputs, "tick", tick, sizeof(tick));
    expect_marks_differ(run->out, tick, "(end)");
}

/// In both ways: as the step makes it here, and as it was recorded.
static void the_mark_that_is_recorded_is_the_one_that_is_stepped(void **state)
{
    (void)state;
    write_planted("\n640,1,", "\n640,1,5,-9,3");
    cli_expect_status(cli("lab duel --ticks 700 --seed 5 --input *=trace:planted.csv --keep marks "
                          "--record kept1 --json"),
                      TOOL_OK);
    cli_expect_status(cli("lab duel --ticks 700 --seed 5 --input *=trace:same.csv --keep marks "
                          "--record kept2 --json"),
                      TOOL_OK);
    const cli_run *run = cli("replay diff --json kept1/peer-0.bks kept2/peer-1.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect_value(run->out, "proven", "true"); // so the place comes from stepping
    cli_expect_value(run->out, "tick", "640");
    static const char *const keys[] = {"mark", "object", "field", "a", "b"};
    char stepped[5][TEXT_BYTES];
    char text[32 * TEXT_BYTES];
    for (int i = 0; i < 5; i++) {
        cli_value(run->out, keys[i], stepped[i], TEXT_BYTES);
        stepped[i][strlen(stepped[i]) - 1] = '\0'; // drop the closing quote
    }
    (void)snprintf(text, sizeof(text),
                   "marks: differ first in tick 640, at mark %s: %s%s%s: %s in A, %s in B",
                   stepped[0] + 1, stepped[1] + 1, stepped[2][1] == '[' ? "" : ".", stepped[2] + 1,
                   stepped[3] + 1, stepped[4] + 1);
    cli_expect(run->out, text);
}

static void a_shorter_one_is_the_same_as_far_as_it_goes_and_another_game_differs(void **state)
{
    (void)state;
    cli_expect_status(cli("replay cut --until 600 -o short.bks rec/peer-0.bks"), TOOL_OK);
    const cli_run *run = cli("replay diff rec/peer-0.bks short.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->out, "inputs: the same, 600 ticks\n");
    cli_expect(run->out, "the same from tick 0 to 600, as far as both confirm\n");
    cli_expect_status(cli("monkey pad --ticks 50 --record pad.bks"), TOOL_OK);
    run = cli("replay diff rec/peer-0.bks pad.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->out, "game: duel in A, pad in B\n");
    cli_expect_status(cli("replay diff rec/peer-0.bks missing.bks"), TOOL_DAMAGED);
    cli_expect_status(cli("replay diff rec/peer-0.bks"), TOOL_MISUSE);
}

static void an_event_that_one_lacks_is_named(void **state)
{
    (void)state;
    cli_expect_status(cli("lab duel --peers 3 --ticks 300 --fault crash=2@2s --record left"),
                      TOOL_OK);
    cli_expect_status(cli("lab duel --peers 3 --ticks 300 --record stayed"), TOOL_OK);
    const cli_run *run = cli("replay diff left/peer-0.bks stayed/peer-0.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->out, "events: differ first: ");
    cli_expect(run->out, " left peer 2");
}

// ---- export ----

static void an_exported_input_log_plays_the_same(void **state)
{
    (void)state;
    const cli_run *run = cli("replay export --hashes --events rec/peer-0.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->out, "\n# hash: 0 ");
    cli_expect(run->out, "\n# hash: 1300 ");
    cli_expect(run->out, "\n# event: ");
    static char text[CLI_TEXT_BYTES];
    snprintf(text, sizeof(text), "%s", run->out);
    cli_write("exported.csv", text);
    cli_expect_status(
        cli("lab duel --ticks 1300 --seed 5 --input *=trace:exported.csv --record again --json"),
        TOOL_OK);
    cli_expect_status(cli("replay diff rec/peer-0.bks again/peer-0.bks"), TOOL_OK);
    assert_string_equal(cli("replay export rec/peer-0.bks")->out, cli_read("same.csv"));
}

static void exported_json_has_what_was_asked_for(void **state)
{
    (void)state;
    const cli_run *run = cli("replay export --format json --from 1290 rec/peer-0.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect_value(run->out, "tick", "1290");
    assert_null(strstr(run->out, "\"hashes\""));
    assert_null(strstr(run->out, "\"events\""));
    run = cli("replay export --format json --hashes --events --from 1290 rec/peer-0.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->out, "\"hashes\": [");
    cli_expect(run->out, "\"events\": [");
    cli_expect(run->out, "\"kind\": \"delay\"");
    const char *json = keep("replay export --format json --from 1290 rec/peer-0.bks");
    assert_string_equal(cli("replay export --json --from 1290 rec/peer-0.bks")->out, json);
    run = cli("replay export --from 10 --until 5 rec/peer-0.bks");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "begins at tick 10 here, expected --until 10 or more, not 5");
    cli_expect_status(cli("replay export --format xml rec/peer-0.bks"), TOOL_MISUSE);
    cli_expect_status(cli("replay export --from 1301 rec/peer-0.bks"), TOOL_MISUSE);
    cli_expect_status(cli("replay export missing.bks"), TOOL_DAMAGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_a_recording_of_its_own),
        cmocka_unit_test(uncut_it_is_the_same),
        cmocka_unit_test(a_recording_that_is_cut_in_its_place_survives_a_full_disk),
        cmocka_unit_test(a_part_may_begin_at_any_tick),
        cmocka_unit_test(a_later_part_is_played_sought_compared_and_cut_again),
        cmocka_unit_test(a_later_part_is_taken_over),
        cmocka_unit_test(behind_damage_a_part_begins_at_a_keyframe),
        cmocka_unit_test(a_part_does_not_begin_with_a_state_that_was_not_recorded),
        cmocka_unit_test(a_wrong_recording_stays_wrong_in_a_part),
        cmocka_unit_test(recorded_details_are_listed_copied_and_played),
        cmocka_unit_test(a_part_and_gaps_are_shown),
        cmocka_unit_test(cut_refuses_what_is_not_there),
        cmocka_unit_test(two_peers_of_one_match_are_the_same),
        cmocka_unit_test(an_input_that_differs_is_named_with_the_state_that_it_changes),
        cmocka_unit_test(the_first_mark_and_note_that_differ_are_named),
        cmocka_unit_test(another_seed_is_reported_and_the_states_differ_at_once),
        cmocka_unit_test(a_machine_that_stepped_differently_is_distinguished),
        cmocka_unit_test(states_at_marks_name_what_this_machine_steps_the_same),
        cmocka_unit_test(one_flip_is_at_the_same_mark_in_a_match_and_in_its_recordings),
        cmocka_unit_test(marks_of_a_window_name_a_flip_in_it),
        cmocka_unit_test(a_window_without_a_tick_is_said),
        cmocka_unit_test(what_a_step_does_behind_its_last_mark_is_at_its_end),
        cmocka_unit_test(the_mark_that_is_recorded_is_the_one_that_is_stepped),
        cmocka_unit_test(a_shorter_one_is_the_same_as_far_as_it_goes_and_another_game_differs),
        cmocka_unit_test(an_event_that_one_lacks_is_named),
        cmocka_unit_test(an_exported_input_log_plays_the_same),
        cmocka_unit_test(exported_json_has_what_was_asked_for),
    };
    return cmocka_run_group_tests(tests, record_matches, cli_teardown);
}
