// SPDX-License-Identifier: MIT

/// @file stepper.h
/// The game as baseline and variant load and step it. Both processes allocate the same memory in
/// the same order, so that a difference is not due to the check itself.

#ifndef BKS_TOOL_STEPPER_H
#define BKS_TOOL_STEPPER_H

#include "backstitch/toolkit/runner.h"
#include "diagnose/processes/check_options.h"
#include "diagnose/processes/check_tape.h"
#include "game/loader.h"
#include "game/source.h"

/// Snapshots, for variants that go back.
enum { CHECK_SNAPSHOTS = 9 };

/// Quantity that `bks doctor` sets in a process to reproduce a value of another machine.
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
    bool is_refused; ///< the address was in use
} check_set;

/// A loaded game. Start from {0}.
typedef struct check_stepper {
    const check_options *options;
    const char *path; ///< plug-in to load; NULL: that of the options
    loaded_game game;
    bks_runner_config config; ///< config of `runner`, for further copies of the game
    bks_runner *runner;
    source_set *sources;
    uint32_t players;
    size_t state_bytes_max;
    uint8_t stack_pattern; ///< byte that fills the stack below each call of the game
    bool skips_stack;  ///< no filling: a step that traps at each instruction would take too long
    bool leaves_stack; ///< no filling: valgrind would name it as the origin of the bytes
    int64_t clock_ahead_s; ///< how far the game's clocks are ahead of those in other processes
    uint64_t random_seed;  ///< seed of the system's random numbers, 0: as in other processes
    int64_t clock_rate;    ///< factor of the game's clocks, 0: as in other processes
    check_set set;
} check_stepper;

/// Call the game at a fixed depth of the stack below a frame.
/// @param frame  frame of a function that both processes call in the same way
void stepper_stand_below(const void *frame);

/// Load the game and read its sources; errors go to stderr. All paths are read here, before a
/// variant moves the process to another folder.
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
int stepper_load(check_stepper *stepper, const check_options *options);

/// Make the state; errors go to stderr.
/// @param marked  called at every mark of a step
/// @return TOOL_OK, TOOL_MISUSE: the game refused
int stepper_start(check_stepper *stepper,
                  void (*marked)(void *context, bks_tick tick, const char *name), void *context);

void stepper_close(check_stepper *stepper);

/// Sample the inputs of a tick from the sources, clamped to the fields' ranges.
void stepper_sample(const check_stepper *stepper, bks_tick tick, int32_t *inputs);

/// Step with known bytes on the stack and the clock at the tick's time.
/// @param why  receives why the game failed, empty if it did not
void stepper_step(check_stepper *stepper, bks_tick tick, const int32_t *inputs, char why[160]);

/// Save and load a game with a load function before every eighth tick, so that fields that `load`
/// leaves unwritten are used.
void stepper_reload(check_stepper *stepper, bks_tick tick);

/// Return true if states are compared by the game's own hash, not by their bytes.
bool stepper_has_hash(const check_stepper *stepper);

/// Copy the bytes of the state, also at a mark.
/// @return bytes written, 0: the game could not save them
size_t stepper_bytes(const check_stepper *stepper, uint8_t *out, size_t capacity);

/// Return true if a state holds addresses of itself or of the plug-in that the game does not
/// declare.
/// @param bytes  bytes of the state from stepper_bytes()
bool stepper_has_pointers(const check_stepper *stepper, const uint8_t *bytes, size_t count);

/// Return the inputs of the newest step as the step left them. Not known with leaves_stack.
const int32_t *stepper_inputs(void);

/// Return the addresses of the state, the plug-in and the inputs.
check_addresses stepper_addresses(const check_stepper *stepper);

#endif
