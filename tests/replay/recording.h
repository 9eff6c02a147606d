// SPDX-License-Identifier: MIT

/// @file recording.h
/// A small game, the truth of one match of it, and helpers to record that match into memory.

#ifndef TEST_REPLAY_RECORDING_H
#define TEST_REPLAY_RECORDING_H

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"

#define WALK_PLAYERS      2u
#define WALK_FIELDS       4u
#define WALK_VALUES       (WALK_PLAYERS * WALK_FIELDS)
#define WALK_TICK_RATE_HZ 20u
#define WALK_TICKS_MAX    400
#define WALK_SEED         UINT64_C(0xfeedbeefcafe)
#define WALK_PAGES        3u ///< pages of its state
#define WALK_LAG          5  ///< ticks that record_match() leaves unconfirmed

/// State of the game `walk`, of more than two pages.
typedef struct walk_state {
    int32_t x[WALK_PLAYERS];
    int32_t y[WALK_PLAYERS];
    uint32_t shots[WALK_PLAYERS];
    _Alignas(8) uint64_t noise; // aligned also on 32 bits, because the golden files hold the bytes
    int32_t speed;
    uint8_t trail[9000];
} walk_state;

/// Game in which two players walk about, draw trails and shoot. Deterministic.
extern const bks_game walk_game;

/// Truth of the match: for every tick its inputs, the state at its start and its hash, by stepping
/// `walk`.
typedef struct walk_truth {
    int32_t inputs[WALK_TICKS_MAX][WALK_VALUES];
    uint64_t hashes[WALK_TICKS_MAX + 1];
    walk_state states[WALK_TICKS_MAX + 1];
    uint64_t pages[WALK_TICKS_MAX + 1][WALK_PAGES];
} walk_truth;

/// Return the truth, the same on every call.
const walk_truth *walk_what_happened(void);

/// Fill in the guess of a peer for a tick when it knew the inputs of player 1 up to `known` only.
void walk_guess(bks_tick tick, bks_tick known, int32_t values[WALK_VALUES]);

/// A file in memory, and every write to it.
typedef struct memory_write {
    uint64_t offset;
    size_t count;
    uint8_t *bytes;
    bks_tick announced; ///< ticks whose inputs the writer had when the write began
} memory_write;

typedef struct memory_file {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
    memory_write *writes; ///< NULL unless keeps_writes
    size_t write_count;
    bool keeps_writes;
    size_t writes_left; ///< writes until the file fails; SIZE_MAX: never
    bks_tick announced; ///< number of ticks announced to the writer so far
} memory_file;

void memory_file_init(memory_file *file);
void memory_file_free(memory_file *file);
bks_sink memory_file_sink(memory_file *file);

/// Apply the first `count` bytes of a write, as a file system would.
void memory_file_apply(memory_file *file, const memory_write *write, size_t count);

/// Return a config for a recording of `walk` that begins with its true state.
bks_replay_config walk_replay_config(bks_sink sink);

/// Record `ticks` of the match: the newest WALK_LAG of them stay unconfirmed until the end.
/// @param finish  true: the recording is completed
void walk_record(memory_file *file, bks_tick ticks, bool finish);

/// Values in the state of `walk`: "x", "noise" and "trail", the first two of them recorded. The
/// game itself has none, because its oldest golden files had none.
extern const bks_state_range walk_ranges[3];

/// Return `walk` with these values.
bks_game walk_game_with(const bks_state_range *ranges, uint32_t count);

/// Record the match with details: those of `detail`, keyframes as they are due, an event of each
/// kind at ticks 5, 10, 15 …, and a rollback of three ticks at each of these.
void walk_record_with(memory_file *file, bks_tick ticks, bool finish,
                      const bks_replay_detail *detail);

/// Record a part of the match with details, from a tick on.
void walk_record_part(memory_file *file, bks_tick first, bks_tick end, bool finish,
                      const bks_replay_detail *detail);

/// Record the match into any sink, until a call fails.
/// @param announced  receives the number of ticks whose inputs the writer has, while recording
/// @return BKS_OK, or the writer's error
bks_status walk_record_into(bks_sink sink, volatile bks_tick *announced, bks_tick ticks,
                            bool finish, const bks_replay_detail *detail);

/// Check the replay against the truth: all confirmed inputs and hashes that are there, also after
/// gaps, and every usable keyframe.
void walk_assert_true(bks_replay *replay);

/// Read a whole file. Fails the test if that is not possible.
uint8_t *read_whole_file(const char *path, size_t *count);

#endif
