// SPDX-License-Identifier: MIT

// Sound that is written to a file or played by a card.

#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/game.h"
#include "base/tool.h"
#include "cli.h"

enum { HEAD_BYTES = 44, FRAME_BYTES = 4, TICK_FRAMES = 800, FILE_BYTES_MAX = 1 << 23 };

/// Contents of a sound file. Free the bytes with free().
typedef struct wav {
    uint8_t *bytes;
    size_t count;
} wav;

static wav read_wav(const char *name)
{
    FILE *file = cli_open(name, "rb");
    wav w = {.bytes = malloc(FILE_BYTES_MAX)};
    assert_non_null(w.bytes);
    w.count = fread(w.bytes, 1, FILE_BYTES_MAX, file);
    assert_true(w.count >= HEAD_BYTES && w.count < FILE_BYTES_MAX);
    assert_int_equal(fclose(file), 0);
    return w;
}

static uint32_t get(const wav *w, size_t at, uint32_t bytes)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        value |= (uint32_t)w->bytes[at + i] << 8 * i;
    }
    return value;
}

static int32_t loudest(const wav *w)
{
    int32_t most = 0;
    for (size_t at = HEAD_BYTES; at + 2 <= w->count; at += 2) {
        const int32_t sample = (int16_t)get(w, at, 2);
        most = abs(sample) > most ? abs(sample) : most;
    }
    return most;
}

static void expect_same(const char *a, const char *b)
{
    const wav x = read_wav(a);
    const wav y = read_wav(b);
    assert_int_equal(x.count, y.count);
    assert_memory_equal(x.bytes, y.bytes, x.count);
    free(x.bytes);
    free(y.bytes);
}

static void the_lab_writes_a_sound_file_as_long_as_the_match(void **state)
{
    (void)state;
    cli_expect_status(cli("lab duel --ticks 600 --input '*=bot' --link delay=100ms --wav far.wav "
                          "--record far"),
                      TOOL_OK);
    const wav w = read_wav("far.wav");
    assert_memory_equal(w.bytes, "RIFF", 4);
    assert_int_equal(get(&w, 4, 4), w.count - 8);
    assert_memory_equal(w.bytes + 8, "WAVEfmt ", 8);
    assert_int_equal(get(&w, 16, 4), 16);
    assert_int_equal(get(&w, 20, 2), 1);     // PCM
    assert_int_equal(get(&w, 22, 2), 2);     // stereo
    assert_int_equal(get(&w, 24, 4), 48000); // frames a second
    assert_int_equal(get(&w, 28, 4), 48000 * FRAME_BYTES);
    assert_int_equal(get(&w, 32, 2), FRAME_BYTES);
    assert_int_equal(get(&w, 34, 2), 16); // bits
    assert_memory_equal(w.bytes + 36, "data", 4);
    assert_int_equal(get(&w, 40, 4), w.count - HEAD_BYTES);
    assert_int_equal(w.count - HEAD_BYTES, 600 * TICK_FRAMES * FRAME_BYTES);
    assert_true(loudest(&w) > 3000 && loudest(&w) < 32767);
    free(w.bytes);
}

static void four_bots_at_once_stay_below_the_loudest_sample(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 8; seed++) {
        char command[128];
        snprintf(command, sizeof(command),
                 "lab duel --peers 4 --ticks 900 --input '*=bot' --seed %u --wav four.wav", seed);
        cli_expect_status(cli(command), TOOL_OK);
        const wav w = read_wav("four.wav");
        assert_true(loudest(&w) > 3000 && loudest(&w) < 32767);
        free(w.bytes);
    }
}

static void the_same_match_sounds_the_same_again(void **state)
{
    (void)state;
    cli_expect_status(
        cli("lab duel --ticks 600 --input '*=bot' --link delay=100ms --wav again.wav"), TOOL_OK);
    expect_same("far.wav", "again.wav");
}

static void at_100_ms_a_match_is_as_long_as_without_a_network(void **state)
{
    (void)state;
    cli_expect_status(cli("lab duel --peers 1 --players-per-peer 2 --ticks 600 "
                          "--input '*=replay:far/peer-0.bks' --wav near.wav"),
                      TOOL_OK);
    const wav near = read_wav("near.wav");
    const wav far = read_wav("far.wav");
    assert_int_equal(near.count, far.count);
    assert_true(memcmp(near.bytes, far.bytes, near.count) != 0);
    free(near.bytes);
    free(far.bytes);
}

static void a_match_and_its_recording_sound_the_same(void **state)
{
    (void)state;
    cli_expect_status(cli("lab duel --peers 1 --players-per-peer 2 --ticks 90 --input '*=bot' "
                          "--record alone --wav played.wav"),
                      TOOL_OK);
    cli_expect_status(cli("play duel --watch alone/peer-0.bks --headless --wav watched.wav"),
                      TOOL_OK);
    expect_same("played.wav", "watched.wav");
}

/// The length of the file depends on the ticks alone, not on how long an update took or how many
/// ticks it stepped.
static void a_match_in_real_time_is_as_long_in_its_file(void **state)
{
    (void)state;
    cli_expect_status(
        cli("play duel --local 2 --input '*=bot' --ticks 90 --headless --record a.bks "
            "--wav live.wav"),
        TOOL_OK);
    const wav w = read_wav("live.wav");
    assert_int_equal(w.count - HEAD_BYTES, 90 * TICK_FRAMES * FRAME_BYTES);
    free(w.bytes);
}

static void what_is_no_sound_file_is_not_written_over(void **state)
{
    (void)state;
    assert_int_equal(system("cp a.bks kept.bks && cp live.wav kept.wav"), 0);
    const cli_run *run = cli("play duel --watch a.bks --headless --wav a.bks");
    cli_expect_status(run, TOOL_DAMAGED);
    cli_expect(run->err, "a.bks: is there and is no sound file");
    run = cli("play duel --local 2 --headless --ticks 9 --record same --wav same");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "--wav and --record: given with the same path");
    // A command that fails before its match begins leaves all files as they were.
    cli_expect_status(cli("play duel --local 9 --headless --ticks 9 --wav live.wav"), TOOL_MISUSE);
    cli_expect_status(cli("play pad --watch a.bks --headless --wav new.wav"), TOOL_MISUSE);
    assert_int_equal(system("cmp a.bks kept.bks && cmp live.wav kept.wav && ! test -e new.wav"), 0);
}

static void a_recording_that_is_played_on_is_heard_on(void **state)
{
    (void)state;
    cli_expect_status(cli("play duel --take-over a.bks --from 30 --ticks 60 --input '*=bot' "
                          "--headless --no-record --wav taken.wav"),
                      TOOL_OK);
    const wav w = read_wav("taken.wav");
    assert_true(w.count > HEAD_BYTES + 25 * TICK_FRAMES * FRAME_BYTES);
    assert_true(loudest(&w) > 100);
    free(w.bytes);
}

static void hearing_changes_nothing(void **state)
{
    (void)state;
    char hashes[2][64];
    static const char *const commands[] = {
        "lab duel --ticks 300 --input '*=bot' --link delay=60ms --json",
        "lab duel --ticks 300 --input '*=bot' --link delay=60ms --json --wav heard.wav"};
    for (uint32_t i = 0; i < 2; i++) {
        const cli_run *run = cli(commands[i]);
        cli_expect_status(run, TOOL_OK);
        cli_value(run->out, "final_hash", hashes[i], sizeof(hashes[i]));
    }
    assert_true(strlen(hashes[0]) > 8);
    assert_string_equal(hashes[0], hashes[1]);
}

static void what_cannot_be_written_is_refused(void **state)
{
    (void)state;
    const cli_run *run = cli("play pad --headless --ticks 10 --no-record --wav pad.wav");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "pad, which has no sounds");
    run = cli("lab duel --ticks 10 --wav nowhere/x.wav");
    cli_expect_status(run, TOOL_DAMAGED);
    cli_expect(run->err, "nowhere/x.wav: cannot be written");
    run = cli("lab duel --ticks 10 --wav -");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "--wav: given -, expected the path of a file");
    run = cli("lab duel --ticks 10 --udp --wav x.wav");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "--wav: needs virtual time");
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    const cli_run *run = cli("lab duel --ticks 10 --wav /dev/full");
    cli_expect_status(run, TOOL_DAMAGED);
    cli_expect(run->err, "/dev/full: cannot be written to its end");
}

#ifdef BKS_HAVE_SDL2

/// Level that only cues reach. Voices alone stay below half of it.
#define CARD_LOUD 0.3f

static uint32_t count_lines(const char *text)
{
    uint32_t count = 0;
    for (; *text != '\0'; text++) {
        count += *text == '\n' ? 1 : 0;
    }
    return count;
}

static void a_machine_without_a_card_says_so_in_one_sentence(void **state)
{
    (void)state;
    assert_int_equal(setenv("SDL_VIDEODRIVER", "dummy", 1), 0);
    assert_int_equal(setenv("SDL_AUDIODRIVER", "no_such_driver", 1), 0);
    const cli_run *run = cli("play duel --local 2 --input '*=bot' --ticks 60 --no-record");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->err, "sound: cannot be played, no sound card opens");
    assert_int_equal(count_lines(run->err), 1);
    (void)unsetenv("SDL_AUDIODRIVER");
    (void)unsetenv("SDL_VIDEODRIVER");
}

/// Read the file that stands for a card.
/// @return its loudest sample so far; 0: the card is not open yet, or is silent
static float loudest_on_card(const char *name)
{
    float most = 0.0f;
    float sample = 0.0f;
    FILE *file = fopen(name, "rb");
    while (file != NULL && fread(&sample, sizeof(sample), 1, file) == 1) {
        assert_true(sample >= -1.0f && sample <= 1.0f);
        most = sample > most ? sample : most;
    }
    if (file != NULL) {
        assert_int_equal(fclose(file), 0);
    }
    return most;
}

/// SDL's driver `disk` writes what a card would play. The match has no end and is ended once the
/// card was loud, because a busy machine may give the sound's thread no time during a short match.
static void a_card_gets_what_is_heard(void **state)
{
    (void)state;
    assert_int_equal(setenv("SDL_VIDEODRIVER", "dummy", 1), 0);
    assert_int_equal(setenv("SDL_AUDIODRIVER", "disk", 1), 0);
    assert_int_equal(setenv("SDL_DISKAUDIOFILE", "card.raw", 1), 0);
    const pid_t player = cli_start("play duel --local 2 --input '*=bot' --no-record", "endless");
    for (uint32_t i = 0; i < 1200 && loudest_on_card("card.raw") < CARD_LOUD; i++) {
        tool_sleep_ns(UINT64_C(50000000));
    }
    assert_int_equal(kill(player, SIGTERM), 0);
    assert_int_equal(cli_wait(player), TOOL_OK);
    assert_string_equal(cli_read("endless.err"), "");
    assert_true(loudest_on_card("card.raw") >= CARD_LOUD);
    (void)unsetenv("SDL_DISKAUDIOFILE");
    (void)unsetenv("SDL_AUDIODRIVER");
    (void)unsetenv("SDL_VIDEODRIVER");
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lab_writes_a_sound_file_as_long_as_the_match),
        cmocka_unit_test(four_bots_at_once_stay_below_the_loudest_sample),
        cmocka_unit_test(the_same_match_sounds_the_same_again),
        cmocka_unit_test(at_100_ms_a_match_is_as_long_as_without_a_network),
        cmocka_unit_test(a_match_and_its_recording_sound_the_same),
        cmocka_unit_test(a_match_in_real_time_is_as_long_in_its_file),
        cmocka_unit_test(what_is_no_sound_file_is_not_written_over),
        cmocka_unit_test(a_recording_that_is_played_on_is_heard_on),
        cmocka_unit_test(hearing_changes_nothing),
        cmocka_unit_test(what_cannot_be_written_is_refused),
        cmocka_unit_test(a_full_disk_is_reported),
#ifdef BKS_HAVE_SDL2
        cmocka_unit_test(a_machine_without_a_card_says_so_in_one_sentence),
        cmocka_unit_test(a_card_gets_what_is_heard),
#endif
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
