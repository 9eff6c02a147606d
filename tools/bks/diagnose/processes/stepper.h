// SPDX-License-Identifier: MIT

/// @file stepper.h
/// One stepper of a check: a process that has the game loaded and steps it. Both sides take the
/// same memory in the same order, so that a difference is not due to the check itself.

#ifndef BKS_TOOL_STEPPER_H
#define BKS_TOOL_STEPPER_H

#include "backstitch/toolkit/runner.h"
#include "diagnose/processes/check_options.h"
#include "diagnose/processes/check_tape.h"
#include "game/loader.h"
#include "game/source.h"

/// Snapshots of a stepper, for variants that go back.
enum { CHECK_SNAPSHOTS = 9 };

/// What a stepper is made to have, so that the game comes to a value that another machine came to.
typedef enum check_set_kind {
    CHECK_SET_NOTHING = 0,
    CHECK_SET_STACK = 1,    ///< words on the stack below each call of the game
    CHECK_SET_RANDOM = 2,   ///< each of the system's random numbers
    CHECK_SET_STACK_AT = 3, ///< end of the stack that the steps run on
    CHECK_SET_HEAP_AT = 4,  ///< end of the C heap's small blocks from the first state on
    CHECK_SET_CODE_AT = 5,  ///< end of the plug-in
} check_set_kind;

typedef struct check_set {
    check_set_kind kind;
    uint64_t value;
    bool is_refused; ///< something lies at that address already
} check_set;

/// One stepper. Start from {0}.
typedef struct check_stepper {
    const check_options *options;
    const char *path; ///< of another game than the options name; NULL: of theirs
    loaded_game game;
    bks_runner_config config; ///< of `runner`, for further copies of the game
    bks_runner *runner;
    source_set *sources;
    uint32_t players;
    size_t state_bytes_max;
    uint8_t stack_pattern; ///< left below each call of the game
    bool skips_stack;  ///< leaves that out, where a step traps at each instruction of the filling
    bool leaves_stack; ///< what lies there stays: valgrind would name us as its origin
    int64_t clock_ahead_s; ///< what the game's clocks show more than in other processes
    uint64_t random_seed;  ///< of the system's random numbers, 0: as in other processes
    int64_t clock_rate;    ///< how many times as fast they go; 0: as in other processes
    check_set set;
} check_stepper;

/// Have the game called at one depth of the stack, below a frame that lies alike in both processes.
/// @param frame  of a function that is called the same way in both
void stepper_stand_below(const void *frame);

/// Load the game and read its sources; errors go to stderr. All paths are read here, before a
/// variant moves the process to another folder.
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
int stepper_load(check_stepper *stepper, const check_options *options);

/// Make its state; errors go to stderr.
/// @param marked   hears every mark of a step
/// @return TOOL_OK, TOOL_MISUSE: the game could not
int stepper_start(check_stepper *stepper,
                  void (*marked)(void *context, bks_tick tick, const char *name), void *context);

void stepper_close(check_stepper *stepper);

/// Sample the inputs of a tick from the sources, within the fields' ranges.
void stepper_sample(const check_stepper *stepper, bks_tick tick, int32_t *inputs);

/// Step with known bytes on the stack below, and the clock at the tick's time.
/// @param why  receives why the game failed; empty: it did not
void stepper_step(check_stepper *stepper, bks_tick tick, const int32_t *inputs, char why[160]);

/// Before every eighth tick save a game without a region and load that again, so that what `load`
/// leaves unwritten is met.
void stepper_reload(check_stepper *stepper, bks_tick tick);

/// Whether states are compared by the game's own hash, not by their bytes.
bool stepper_has_hash(const check_stepper *stepper);

/// The state's bytes, at a mark too.
/// @return bytes written, 0: the game could not save them
size_t stepper_bytes(const check_stepper *stepper, uint8_t *out, size_t capacity);

/// Whether a state holds addresses of itself or of the plug-in, though the game does not say so.
/// @param bytes  of it, as stepper_bytes() gives them
bool stepper_has_pointers(const check_stepper *stepper, const uint8_t *bytes, size_t count);

/// The inputs of the newest step, as it left them. With leaves_stack they are not known.
const int32_t *stepper_handed(void);

/// Where the stepped game lies.
check_addresses stepper_addresses(const check_stepper *stepper);

#endif
