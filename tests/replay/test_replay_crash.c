// SPDX-License-Identifier: MIT

// Recordings of processes that end in the middle: killed at random moments, or by the game itself.

#define _GNU_SOURCE

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "game/runner.h"
#include "recording.h"

#define KILLS 50

/// Where the child stands, told to the parent through shared memory.
typedef struct shared {
    volatile bks_tick announced; ///< inputs of so many ticks were handed over
} shared;

static bks_status file_write(void *context, uint64_t offset, const void *bytes, size_t count)
{
    const int descriptor = *(const int *)context;
    for (size_t done = 0; done < count;) {
        const ssize_t wrote =
            pwrite(descriptor, (const uint8_t *)bytes + done, count - done, (off_t)(offset + done));
        if (wrote <= 0) {
            return BKS_ERR_IO;
        }
        done += (size_t)wrote;
    }
    return BKS_OK;
}

/// Play the game for good, recording into a file: what a peer does, with guesses that turn out
/// wrong. Never returns.
static void record_until_killed(const char *path, const bks_game *game, shared *told)
{
    int descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    bks_replay_config config =
        walk_replay_config((bks_sink){.write = file_write, .context = &descriptor});
    bks_replay_writer *writer = NULL;
    config.game = game;
    if (descriptor < 0 || bks_replay_writer_create(&config, &writer, NULL) != BKS_OK) {
        _exit(1);
    }
    const bksi_runner_config runner_config = {
        .game = game,
        .seed = WALK_SEED,
        .players = WALK_PLAYERS,
        .tick_rate_hz = WALK_TICK_RATE_HZ,
        .options = config.options,
    };
    bksi_runner *runner = NULL;
    if (bksi_runner_create(&runner_config, &runner, NULL) != BKS_OK) {
        _exit(1);
    }
    const walk_truth *truth = walk_what_happened();
    bks_tick confirmed = 0;
    for (bks_tick tick = 0;; tick++) {
        int32_t used[8][WALK_VALUES];
        for (bks_tick t = confirmed; t <= tick; t++) {
            walk_guess(t % WALK_TICKS_MAX, confirmed % WALK_TICKS_MAX, used[t - confirmed]);
        }
        if (bks_replay_writer_use(writer, confirmed, (uint32_t)(tick - confirmed + 1), used[0]) !=
            BKS_OK) {
            _exit(1);
        }
        told->announced = tick + 1;
        bksi_runner_step(runner, tick, used[tick - confirmed]);
        if (tick - confirmed >= WALK_LAG) {
            const bks_tick known = confirmed % WALK_TICKS_MAX;
            if (bks_replay_writer_confirm(writer, confirmed, truth->inputs[known],
                                          &truth->hashes[known]) != BKS_OK) {
                _exit(1);
            }
            confirmed++;
        }
    }
}

static shared *share(void)
{
    shared *told =
        mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(told != MAP_FAILED);
    return told;
}

static void pause_us(uint32_t microseconds)
{
    const struct timespec pause = {.tv_nsec = (long)microseconds * 1000};
    nanosleep(&pause, NULL);
}

/// The files are made in the folder the test runs in.
static void make_path(char path[64])
{
    snprintf(path, 64, "test-replay-crash-%ld.bks", (long)getpid());
}

static void killed_process_leaves_a_file_without_the_tick_in_hand_at_most(void **state)
{
    (void)state;
    const uint32_t seed = (uint32_t)time(NULL);
    uint32_t random = seed;
    shared *told = share();
    char path[64];
    make_path(path);
    (void)walk_what_happened();
    for (uint32_t i = 0; i < KILLS; i++) {
        told->announced = 0;
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            record_until_killed(path, &walk_game, told);
        }
        while (told->announced < 32) {
            pause_us(50);
        }
        random = random * 1664525u + 1013904223u;
        pause_us((random >> 8) % 10000);
        assert_int_equal(kill(child, SIGKILL), 0);
        int ended = 0;
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_true(WIFSIGNALED(ended));

        size_t count = 0;
        uint8_t *bytes = read_whole_file(path, &count);
        bks_replay *replay = NULL;
        bks_error error = {0};
        if (bks_replay_open(bytes, count, NULL, &replay, &error) != BKS_OK) {
            print_error("kill %u of seed %u: %s\n", i, seed, error.text);
            fail();
        }
        const bks_replay_info *info = bks_replay_get_info(replay);
        assert_false(info->is_complete);
        assert_true(info->ticks > 30);
        assert_true(info->ticks >= told->announced);
        assert_true(info->ticks <= told->announced + 1);
        assert_true(info->confirmed >= info->ticks - WALK_LAG - 2);
        // The match goes round: hashes are true in its first lap only.
        const bks_playback_config config = {.replay = replay, .game = &walk_game};
        bks_verify_result result;
        if (info->confirmed <= WALK_TICKS_MAX) {
            assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_OK);
            assert_int_equal(result.stepped, info->confirmed);
        }
        bks_replay_close(replay);
        free(bytes);
    }
    unlink(path);
    munmap(told, sizeof(*told));
}

/// Crashes when it steps tick 40 with the input of that tick.
static void crashing_step(void *state, const bks_step *step)
{
    const int32_t *input = bks_step_input(step, 0);
    if (step->tick == 40 && input[2] == walk_what_happened()->inputs[40][2]) {
        (void)raise(SIGKILL); // nobody can catch it, as with the worst of crashes
    }
    walk_game.step(state, step);
}

/// Run `body` in a process of its own.
/// @return the signal that ended it, 0 for none
static int run_apart(void (*body)(const char *path, const bks_game *game, shared *told),
                     const char *path, const bks_game *game, shared *told)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        body(path, game, told);
        _exit(0);
    }
    int ended = 0;
    assert_int_equal(waitpid(child, &ended, 0), child);
    return WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
}

/// Step all that a file holds.
static void play_file(const char *path, const bks_game *game, shared *told)
{
    size_t count = 0;
    uint8_t *bytes = read_whole_file(path, &count);
    bks_playback_config config = {.game = game};
    bks_playback *playback = NULL;
    if (bks_replay_open(bytes, count, NULL, &config.replay, NULL) != BKS_OK ||
        bks_playback_create(&config, &playback, NULL) != BKS_OK) {
        _exit(1);
    }
    do {
        told->announced = bks_playback_tick(playback);
    } while (bks_playback_step(playback) == BKS_OK);
}

static void crash_in_step_is_reached_again(void **state)
{
    (void)state;
    shared *told = share();
    bks_game crashing = walk_game;
    crashing.step = crashing_step;
    char path[64];
    make_path(path);
    (void)walk_what_happened();
    assert_int_equal(run_apart(record_until_killed, path, &crashing, told), SIGKILL);
    size_t count = 0;
    uint8_t *bytes = read_whole_file(path, &count);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(bytes, count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_get_info(replay)->ticks, 41); // the crashing tick is there
    assert_true(bks_replay_get_info(replay)->confirmed < 40);
    bks_replay_close(replay);
    free(bytes);

    told->announced = -1;
    assert_int_equal(run_apart(play_file, path, &crashing, told), SIGKILL);
    assert_int_equal(told->announced, 40);
    // The mended game goes on to the end of what is there.
    assert_int_equal(run_apart(play_file, path, &walk_game, told), 0);
    assert_int_equal(told->announced, 41);
    unlink(path);
    munmap(told, sizeof(*told));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_process_leaves_a_file_without_the_tick_in_hand_at_most),
        cmocka_unit_test(crash_in_step_is_reached_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
