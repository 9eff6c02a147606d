// SPDX-License-Identifier: MIT

// Recordings that end in the middle: by a kill in a write, a full disk, or the game itself.

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

#include "backstitch/toolkit/writer.h"
#include "game/runner.h"
#include "recording.h"
#include "replay/format/replay_tail.h"
#include "support/seed.h"

#define KILLS      200
#define FULL_TICKS 100 ///< ticks of the recording that a disk is too small for

/// The child's progress, in memory shared with the parent.
typedef struct shared {
    volatile bks_tick announced; ///< ticks whose inputs the writer had
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

/// Play the game endlessly and record it into a file, as a peer does, with wrong guesses. Never
/// returns.
static void record_until_killed(const char *path, const bks_game *game, shared *progress)
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
        progress->announced = tick + 1;
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
    shared *progress =
        mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(progress != MAP_FAILED);
    return progress;
}

/// Create a file in the folder in which the test runs.
static void make_path(char path[64])
{
    snprintf(path, 64, "test-replay-crash-%ld.bks", (long)getpid());
}

/// Everything that can be in a recording.
static bks_replay_detail everything(uint32_t keyframe_ticks, uint32_t chunk_ticks)
{
    return (bks_replay_detail){.keyframe_ticks = keyframe_ticks,
                               .keyframe_bytes = UINT64_C(1) << 40,
                               .chunk_ticks = chunk_ticks,
                               .page_hashes = true,
                               .rollbacks = true,
                               .values = true};
}

/// Describe in `wrong` the fault of a recording that ended too early; "": it has none.
static void look_at_ended(const char *path, bks_tick announced, char wrong[256])
{
    size_t count = 0;
    uint8_t *bytes = read_whole_file(path, &count);
    bks_replay *replay = NULL;
    bks_error error = {0};
    wrong[0] = '\0';
    if (bks_replay_open(bytes, count, NULL, &replay, &error) != BKS_OK) {
        snprintf(wrong, 256, "%.200s", error.text);
    } else {
        const bks_recording *info = bks_replay_info(replay);
        const bks_playback_config config = {.replay = replay, .game = &walk_game};
        bks_verify_result result;
        if (info->ticks < announced || info->ticks > announced + 1) {
            snprintf(wrong, 256, "it holds %d ticks, %d were announced", info->ticks, announced);
        } else if (!info->is_complete && info->confirmed < info->ticks - WALK_LAG - 2) {
            snprintf(wrong, 256, "%d of %d ticks are confirmed", info->confirmed, info->ticks);
        } else if (bks_replay_verify(&config, NULL, &result, &error) != BKS_OK) {
            snprintf(wrong, 256, "%.200s", error.text);
        } else if (result.stepped != info->confirmed) {
            snprintf(wrong, 256, "%d of %d ticks verify", result.stepped, info->confirmed);
        } else {
            walk_assert_true(replay);
        }
    }
    bks_replay_close(replay);
    free(bytes);
}

/// A sink that ends its process in the middle of a write.
typedef struct fatal_sink {
    int descriptor;
    size_t writes_left; ///< writes before the fatal one
    uint32_t random;    ///< decides how much of that write still happens
} fatal_sink;

static bks_status fatal_write(void *context, uint64_t offset, const void *bytes, size_t count)
{
    fatal_sink *sink = context;
    if (sink->writes_left > 0) {
        sink->writes_left--;
        return file_write(&sink->descriptor, offset, bytes, count);
    }
    // The system cuts writes between pages, so writes over old bytes are cut between two blocks.
    const bool is_tail = count % BKSI_BLOCK_BYTES == 0;
    const size_t unit = is_tail ? BKSI_BLOCK_BYTES : 1;
    (void)file_write(&sink->descriptor, offset, bytes, sink->random % (count / unit + 1) * unit);
    (void)raise(SIGKILL);
    return BKS_ERR_IO;
}

/// Count the writes of a recording.
static size_t count_writes(const bks_replay_detail *detail)
{
    memory_file file;
    memory_file_init(&file);
    walk_record_with(&file, WALK_TICKS_MAX, true, detail);
    const size_t count = file.write_count;
    memory_file_free(&file);
    return count;
}

/// Record a match and be killed in a write.
static void record_until_a_write(const char *path, size_t writes_left, uint32_t random,
                                 const bks_replay_detail *detail, shared *progress)
{
    fatal_sink sink = {.descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600),
                       .writes_left = writes_left,
                       .random = random};
    const bks_sink to = {.write = fatal_write, .context = &sink};
    if (sink.descriptor >= 0) {
        (void)walk_record_into(to, &progress->announced, WALK_TICKS_MAX, true, detail);
    }
    _exit(1);
}

static void killed_process_leaves_a_file_without_the_tick_in_hand_at_most(void **state)
{
    (void)state;
    const uint32_t seed = (uint32_t)time(NULL);
    uint32_t random = seed;
    shared *progress = share();
    char path[64];
    make_path(path);
    (void)walk_what_happened();
    print_message("seed %u\n", seed);
    for (uint32_t i = 0; i < seed_rounds(KILLS); i++) {
        random = random * 1664525u + 1013904223u;
        const uint32_t drawn = random >> 8;
        const bks_replay_detail detail = everything(1 + drawn % 40, 4 + drawn % 61);
        // The first write is the beginning, before which there is nothing to lose.
        const size_t writes_left = 1 + drawn % (count_writes(&detail) - 1);
        progress->announced = 0;
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            record_until_a_write(path, writes_left, drawn, &detail, progress);
        }
        int ended = 0;
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
        char wrong[256];
        look_at_ended(path, progress->announced, wrong);
        if (wrong[0] != '\0') {
            print_error("kill %u of seed %u, in write %zu: %s\n", i, seed, writes_left, wrong);
            fail();
        }
    }
    unlink(path);
    munmap(progress, sizeof(*progress));
}

/// Sink on a disk with little room.
typedef struct small_disk {
    memory_file file;
    size_t bytes_max;
    size_t writes_max;
    size_t writes_behind; ///< writes after it was full
    uint32_t full;        ///< type of the record in the first of those writes
} small_disk;

static bks_status small_write(void *context, uint64_t offset, const void *bytes, size_t count)
{
    small_disk *disk = context;
    const bks_sink sink = memory_file_sink(&disk->file);
    size_t fits = offset >= disk->bytes_max          ? 0
                  : count > disk->bytes_max - offset ? disk->bytes_max - (size_t)offset
                                                     : count;
    if (disk->writes_behind == 0 && fits == count && disk->file.write_count < disk->writes_max) {
        return sink.write(sink.context, offset, bytes, count);
    }
    if (disk->writes_behind++ == 0) {
        fits = fits == count ? count / 2 / BKSI_BLOCK_BYTES * BKSI_BLOCK_BYTES : fits;
        memcpy(&disk->full, bytes, sizeof(disk->full));
        (void)sink.write(sink.context, offset, bytes, fits);
    }
    return BKS_ERR_IO;
}

/// Record on a disk that becomes full, and check the file.
static void fill_disk(small_disk *disk, const bks_replay_detail *detail, char wrong[256])
{
    const bks_sink sink = {.write = small_write, .context = disk};
    memory_file_init(&disk->file);
    disk->writes_behind = 0;
    disk->full = 0;
    wrong[0] = '\0';
    bks_replay *replay = NULL;
    bks_error error = {0};
    bks_verify_result result;
    const bks_status status =
        walk_record_into(sink, &disk->file.announced, FULL_TICKS, true, detail);
    if (status != BKS_ERR_IO || disk->writes_behind != 1) {
        snprintf(wrong, 256, "%s, %zu writes refused", bks_status_name(status),
                 disk->writes_behind);
    } else if (disk->file.write_count == 1 && disk->file.announced == 0) {
        // Nothing was recorded, because the beginning was cut off: the file is no recording, or an
        // empty one.
        const bks_status opened =
            bks_replay_open(disk->file.bytes, disk->file.count, NULL, &replay, &error);
        if (opened != BKS_OK && opened != BKS_ERR_INCOMPLETE) {
            snprintf(wrong, 256, "the beginning: %.200s", error.text);
        }
    } else if (bks_replay_open(disk->file.bytes, disk->file.count, NULL, &replay, &error) !=
               BKS_OK) {
        snprintf(wrong, 256, "%.200s", error.text);
    } else {
        const bks_playback_config config = {.replay = replay, .game = &walk_game};
        const bks_recording *info = bks_replay_info(replay);
        if (info->ticks < disk->file.announced || info->is_complete) {
            snprintf(wrong, 256, "%d ticks of %d", info->ticks, disk->file.announced);
        } else if (bks_replay_verify(&config, NULL, &result, &error) != BKS_OK) {
            snprintf(wrong, 256, "%.200s", error.text);
        } else {
            walk_assert_true(replay);
        }
    }
    bks_replay_close(replay);
    memory_file_free(&disk->file);
}

/// Types of records that must have been written to a full disk at least once.
static const char *const types[] = {"TICK",
                                    "keyf",
                                    "vals",
                                    "pags",
                                    "roll",
                                    "evnt",
                                    "indx",
                                    "DONE",
                                    "\x89"
                                    "BKS"};

static void full_disk_ends_the_recording_with_all_that_came_before(void **state)
{
    (void)state;
    (void)walk_what_happened();
    const bks_replay_detail detail = everything(7, 16);
    memory_file whole;
    memory_file_init(&whole);
    walk_record_with(&whole, FULL_TICKS, true, &detail);
    uint32_t seen = 0;
    uint32_t tails = 0;
    // Fill the disk at every size, then at every write, because writes over old bytes may fail too.
    for (size_t i = 0; i < whole.count + whole.write_count; i++) {
        const bool is_by_size = i < whole.count;
        if (is_by_size && i >= 4096 && i % 3 != 0) {
            continue; // a record is longer than that
        }
        small_disk disk = {.bytes_max = is_by_size ? i : SIZE_MAX,
                           .writes_max = is_by_size ? SIZE_MAX : i - whole.count};
        char wrong[256];
        fill_disk(&disk, &detail, wrong);
        if (wrong[0] != '\0') {
            print_error("full at %s %zu: %s\n", is_by_size ? "byte" : "write",
                        is_by_size ? i : disk.writes_max, wrong);
            fail();
        }
        bool is_record = false;
        for (uint32_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
            if (memcmp(&disk.full, types[k], 4) == 0) {
                seen |= 1u << k;
                is_record = true;
            }
        }
        tails += !is_record;
    }
    assert_int_equal(seen, (1u << sizeof(types) / sizeof(types[0])) - 1);
    assert_true(tails > 50);
    memory_file_free(&whole);
}

/// Crashes when it steps tick 40 with the input of that tick.
static void crashing_step(void *state, const bks_step *step)
{
    const int32_t *input = bks_step_input(step, 0);
    if (step->tick == 40 && input[2] == walk_what_happened()->inputs[40][2]) {
        (void)raise(SIGKILL); // it cannot be caught, like the worst crashes
    }
    walk_game.step(state, step);
}

/// Run `body` in a process of its own.
/// @return the signal that ended it, 0 for none
static int run_apart(void (*body)(const char *path, const bks_game *game, shared *progress),
                     const char *path, const bks_game *game, shared *progress)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        body(path, game, progress);
        _exit(0);
    }
    int ended = 0;
    assert_int_equal(waitpid(child, &ended, 0), child);
    return WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
}

/// Step all that a file holds.
static void play_file(const char *path, const bks_game *game, shared *progress)
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
        progress->announced = bks_playback_tick(playback);
    } while (bks_playback_step(playback) == BKS_OK);
}

static void crash_in_step_is_reached_again(void **state)
{
    (void)state;
    shared *progress = share();
    bks_game crashing = walk_game;
    crashing.step = crashing_step;
    char path[64];
    make_path(path);
    (void)walk_what_happened();
    assert_int_equal(run_apart(record_until_killed, path, &crashing, progress), SIGKILL);
    size_t count = 0;
    uint8_t *bytes = read_whole_file(path, &count);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(bytes, count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_info(replay)->ticks, 41); // the crashing tick is there
    assert_true(bks_replay_info(replay)->confirmed < 40);
    bks_replay_close(replay);
    free(bytes);

    progress->announced = -1;
    assert_int_equal(run_apart(play_file, path, &crashing, progress), SIGKILL);
    assert_int_equal(progress->announced, 40);
    // The corrected game plays to the end of the recording.
    assert_int_equal(run_apart(play_file, path, &walk_game, progress), 0);
    assert_int_equal(progress->announced, 41);
    unlink(path);
    munmap(progress, sizeof(*progress));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_process_leaves_a_file_without_the_tick_in_hand_at_most),
        cmocka_unit_test(full_disk_ends_the_recording_with_all_that_came_before),
        cmocka_unit_test(crash_in_step_is_reached_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
