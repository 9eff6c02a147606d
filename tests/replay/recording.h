// SPDX-License-Identifier: MIT

/// @file recording.h
/// A small game, what happens in one match of it, and ways to record that match into memory.

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
#define WALK_PAGES        3u ///< of its state
#define WALK_LAG          5  ///< ticks that record_match() leaves unconfirmed

/// State of the game `walk`: more than two pages.
typedef struct walk_state {
    int32_t x[WALK_PLAYERS];
    int32_t y[WALK_PLAYERS];
    uint32_t shots[WALK_PLAYERS];
    _Alignas(8) uint64_t noise; // 4 on 32 bits, and the golden files hold the bytes
    int32_t speed;
    uint8_t trail[9000];
} walk_state;

/// Two players walk about, draw trails and shoot. Deterministic.
extern const bks_game walk_game;

/// What happened: inputs of every tick, the state at its start and its hash, by stepping `walk`.
typedef struct walk_truth {
    int32_t inputs[WALK_TICKS_MAX][WALK_VALUES];
    uint64_t hashes[WALK_TICKS_MAX + 1];
    walk_state states[WALK_TICKS_MAX + 1];
    uint64_t pages[WALK_TICKS_MAX + 1][WALK_PAGES];
} walk_truth;

/// The same on every call.
const walk_truth *walk_what_happened(void);

/// What a peer guessed for a tick when it knew the inputs of player 1 up to `known` only.
void walk_guess(bks_tick tick, bks_tick known, int32_t values[WALK_VALUES]);

/// A file in memory, and every write it got.
typedef struct memory_write {
    uint64_t offset;
    size_t count;
    uint8_t *bytes;
    bks_tick announced; ///< ticks whose inputs had been handed over when it began
} memory_write;

typedef struct memory_file {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
    memory_write *writes; ///< NULL unless keeps_writes
    size_t write_count;
    bool keeps_writes;
    size_t writes_left; ///< writes until it fails; SIZE_MAX: never
    bks_tick announced; ///< set by the recording
} memory_file;

void memory_file_init(memory_file *file);
void memory_file_free(memory_file *file);
bks_sink memory_file_sink(memory_file *file);

/// Do a write as the file system would, or its first `count` bytes.
void memory_file_apply(memory_file *file, const memory_write *write, size_t count);

/// A config for a recording of `walk` that begins with its true state.
bks_replay_config walk_replay_config(bks_sink sink);

/// Record `ticks` of the match: the newest WALK_LAG of them stay unconfirmed until the end.
/// @param finish  whether the recording is completed
void walk_record(memory_file *file, bks_tick ticks, bool finish);

/// What the state of `walk` holds: "x", "noise" and "trail", the first two of them recorded. The
/// game itself does not say so: its oldest golden files did not.
extern const bks_state_range walk_ranges[3];

/// `walk`, saying what its state holds.
bks_game walk_game_with(const bks_state_range *ranges, uint32_t count);

/// The same with more in the file: what `detail` says, keyframes as they are due, an event of each
/// kind at ticks 5, 10, 15 …, and a rollback of three ticks at each of these.
void walk_record_with(memory_file *file, bks_tick ticks, bool finish,
                      const bks_replay_detail *detail);

/// A part of it, from a tick on.
void walk_record_part(memory_file *file, bks_tick first, bks_tick end, bool finish,
                      const bks_replay_detail *detail);

/// The same into any sink, until a call fails.
/// @param announced  receives how many ticks' inputs were handed over, as they are
/// @return BKS_OK, or what the writer said
bks_status walk_record_into(bks_sink sink, volatile bks_tick *announced, bks_tick ticks,
                            bool finish, const bks_replay_detail *detail);

/// Check that the replay says what happened: all confirmed inputs and hashes that are there, behind
/// gaps too, and every keyframe that can be used.
void walk_assert_true(bks_replay *replay);

/// Read a whole file; fails the test when it cannot.
uint8_t *read_whole_file(const char *path, size_t *count);

#endif
