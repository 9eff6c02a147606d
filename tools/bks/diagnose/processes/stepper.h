// SPDX-License-Identifier: MIT

/// @file stepper.h Stepper: the game as baseline and variant load and step it. Both processes
/// allocate the same memory in the same order, so that the check itself causes no difference.

#ifndef BKS_TOOL_STEPPER_H
#define BKS_TOOL_STEPPER_H

#include "backstitch/toolkit/runner.h"
#include "diagnose/processes/check_options.h"
#include "diagnose/processes/check_tape.h"
#include "game/loader.h"
#include "game/source.h"

/// Number of snapshot slots, for variants that roll back.
enum { CHECK_SNAPSHOTS = 9 };

/// Quantity that `bks doctor` sets in a process, to get the same value as another machine.
typedef enum check_set_kind {
    CHECK_SET_NOTHING = 0,
    CHECK_SET_STACK = 1,    ///< word that fills the stack below each call of the game
    CHECK_SET_RANDOM = 2,   ///< number that the system gives for each request of random bytes
    CHECK_SET_STACK_AT = 3, ///< end address of the stack on which the game steps
    CHECK_SET_HEAP_AT = 4,  ///< end address of the C heap's small blocks, from the first state on
    CHECK_SET_CODE_AT = 5,  ///< end address of the plug-in
    CHECK_SET_CLOCK = 6,    ///< time at which all clocks stand still, in µs since 1970
} check_set_kind;

typedef struct check_set {
    check_set_kind kind;
    uint64_t value;
    /// True if `value` is an address (the kinds that end in _AT) at which nothing could be placed,
    /// because other memory lies there.
    bool is_refused;
} check_set;

/// A loaded game with its inputs and its state. Start from {0}.
typedef struct check_stepper {
    const check_options *options;
    const char *path; ///< file of the plug-in; NULL: the game that the options name
    loaded_game game;
    bks_runner_config config; ///< config of `runner`, for making further copies of the game
    bks_runner *runner;
    source_set *sources;
    uint32_t players;
    size_t state_bytes_max;
    uint8_t stack_pattern; ///< byte that fills the stack below each call of the game
    /// True: do not fill the stack, because a step that traps at each instruction would take too
    /// long.
    bool skips_stack;
    /// True: do not fill the stack, because valgrind would name the filling as the bytes' origin.
    bool leaves_stack;
    /// Seconds by which the game's clocks are ahead of those in other processes.
    int64_t clock_ahead_s;
    uint64_t random_seed; ///< seed of the system's random numbers, 0: the seed of other processes
    /// Factor by which the game's clocks run faster than in other processes; 0: equally fast.
    int64_t clock_rate;
    check_set set;
} check_stepper;

/// From now on, call the game at a fixed depth of the stack below a frame.
/// @param frame  frame of a function that both processes reach by the same calls
void stepper_stand_below(const void *frame);

/// Load the game and open the sources of its inputs; errors go to stderr. All paths are read here,
/// before a variant moves the process to another folder.
/// @return TOOL_OK, TOOL_MISUSE or TOOL_DAMAGED
int stepper_load(check_stepper *stepper, const check_options *options);

/// Make the first state of the game; errors go to stderr.
/// @param marked  function to call at every mark of a step
/// @return TOOL_OK, or TOOL_MISUSE if the game refused its options or could not make the state
int stepper_start(check_stepper *stepper,
                  void (*marked)(void *context, bks_tick tick, const char *name), void *context);

void stepper_close(check_stepper *stepper);

/// Sample the inputs of a tick from their sources, clamped to the fields' ranges, and the commands.
/// @param commands  receives the commands by player, valid until the next call
void stepper_sample(const check_stepper *stepper, bks_tick tick, int32_t *inputs,
                    bks_commands commands[BKS_PLAYERS_MAX]);

/// Make a step, with known bytes on the stack and the clocks at the tick's time.
/// @param commands  commands by player
/// @param why       receives the reason if the game failed, else ""
void stepper_step(check_stepper *stepper, bks_tick tick, const int32_t *inputs,
                  const bks_commands *commands, char why[160]);

/// Before every eighth tick, save the state and load it again, if the game has a load function.
/// Then a step shows if `load` forgets a field that it should set.
void stepper_reload(check_stepper *stepper, bks_tick tick);

/// Return true if states are compared by the game's own hash, not byte by byte.
bool stepper_has_hash(const check_stepper *stepper);

/// Copy the bytes of the state. It may be called at a mark, too.
/// @return number of bytes, 0 if the game could not save its state
size_t stepper_bytes(const check_stepper *stepper, uint8_t *out, size_t capacity);

/// Return true if the game does not declare that its state holds pointers, but the state contains
/// addresses of itself or of the plug-in.
/// @param bytes  bytes of the state from stepper_bytes()
bool stepper_has_pointers(const check_stepper *stepper, const uint8_t *bytes, size_t count);

/// Return the inputs of the newest step, as they were after the step. Not known if `leaves_stack`
/// is set.
const int32_t *stepper_inputs(void);

/// Return the addresses of the state, the plug-in and the inputs in this process.
check_addresses stepper_addresses(const check_stepper *stepper);

#endif
