// SPDX-License-Identifier: MIT

/// @file game.h
/// The one description of a game that everything else works from: state, input, `init`, `step`.
///
///     state[t+1] = step(state[t], inputs[t])
///
/// `step` must depend on nothing but the state and the inputs it is given. It cannot learn whether
/// an input is predicted or confirmed, whether this is the first time or a resimulation, what time
/// it is or which peer it runs on; so none of that can leak into the state.
///
///     static void tag_step(void *state, const bks_step *step)
///     {
///         tag_state *tag = state;
///         const tag_input *red = bks_step_input(step, 0);     // int32_t fields, as in the table
///         …
///         bks_mark(step, "movement");
///     }
///
/// Thread rule: the library calls a game from the thread that updates the match.

#ifndef BACKSTITCH_GAME_H
#define BACKSTITCH_GAME_H

#include "backstitch/base.h"
#include "backstitch/det.h"
#include "backstitch/state.h"

#ifdef __cplusplus
extern "C" {
#endif

// Inputs of a player: their fields and their source.
//
// A game names its input fields once, in a table. To the game an input is an array of int32_t, one
// for each field in the table's order, so a struct of int32_t fits over it. On the wire, in the
// timeline and in a replay it is exactly the bits of the table: an input is reduced to them before
// anything sees it, so a local game feels like an online one [INVERSUS, Deterministic Input]. Names
// in brackets are sources, listed in docs/sources.md.
//
//     static const bks_field fields[] = {
//         { .name = "move_x", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_X, .group = 1,
//           .dead_zone = 0.2f },
//         { .name = "move_y", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_Y,
//           .group = 1 },
//         { .name = "fire", .bits = 1, .predictor = BKS_PREDICT_RELEASE },
//     };
//
// Thread rule: plain functions on the caller's memory; call from any thread.

/// Maximum number of fields in an input.
#define BKS_FIELDS_MAX 64

/// Maximum number of bits in an input, all fields together.
#define BKS_INPUT_BITS_MAX 512

/// Kind of a field. It decides how bks_input_quantise() converts a device's value to the field's
/// value.
typedef enum bks_field_kind {
    BKS_FIELD_PLAIN = 0, ///< number or button: the device's value, rounded and clamped
    BKS_FIELD_AXIS = 1,  ///< one axis; the device gives -1..1
    /// X of a stick; the device gives -1..1; the field must be signed, and a BKS_FIELD_STICK_Y
    /// field must follow.
    BKS_FIELD_STICK_X = 2,
    BKS_FIELD_STICK_Y = 3, ///< y of a stick; the device gives -1..1; the field must be signed
    /// Direction of a stick as an angle: 0 up to 2 pi is spread over all values of the field; the
    /// device gives the stick's x here; the field must be unsigned, and a BKS_FIELD_MAGNITUDE field
    /// must follow.
    BKS_FIELD_ANGLE = 4,
    /// Deflection of the stick whose direction the preceding BKS_FIELD_ANGLE field has: 0..1 is
    /// spread over all values of the field; the device gives the stick's y here; the field must be
    /// unsigned.
    BKS_FIELD_MAGNITUDE = 5,
} bks_field_kind;

/// Predictors of a field, for ticks whose input is not known yet.
typedef enum bks_predictor {
    BKS_PREDICT_HOLD = 0,    ///< repeat the last confirmed value
    BKS_PREDICT_RELEASE = 1, ///< return to neutral, for buttons that trigger once
    /// Extrapolate the last two confirmed values in a straight line. For axes, and for sticks and
    /// angle-magnitude pairs, which are guessed as vectors.
    BKS_PREDICT_LINEAR = 2,
    BKS_PREDICT_SPLINE = 3, ///< extrapolate a spline through the last four values [INVERSUS]
    /// Guess the value that most often followed the player's newest values, in this match or in the
    /// game's table of votes; costs a session 1.2 MB.
    BKS_PREDICT_VOTE = 4,
} bks_predictor;

/// One field of the input layout.
typedef struct bks_field {
    /// Name of the field, required, unique in the table, static; 1..31 letters, digits and the
    /// characters "_", "." and "-".
    const char *name;
    /// Width of the field in bits, required, 1..32 (31 for an unsigned field, because values are
    /// int32_t).
    uint32_t bits;
    /// True: values are signed, in two's complement; false (default): unsigned.
    bool is_signed;
    int32_t neutral; ///< value of an untouched device, within the range; default 0
    /// Group number, 0..255: fields with the same number other than 0 must be consecutive in the
    /// table and share one changed-bit on the wire; each field with 0 has a changed-bit of its own.
    uint32_t group;
    bks_field_kind kind; ///< kind of the field, default BKS_FIELD_PLAIN
    /// Dead zone: share of the full deflection that still counts as none, 0..0.95, default 0; for a
    /// stick set it on the x or angle field; it then applies to the length of the deflection.
    float dead_zone;
    /// Value at full deflection of an axis or stick; 0: the largest value that the bits hold.
    int32_t limit;
    /// Predictor of unknown values, default BKS_PREDICT_HOLD; LINEAR and SPLINE must be set on both
    /// fields of a stick or of an angle-magnitude pair.
    bks_predictor predictor;
} bks_field;

/// Check a table of fields.
/// @param fields  may be NULL only when count is 0
/// @param count   1..BKS_FIELDS_MAX
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (error names the field and the range)
BKS_API BKS_NODISCARD bks_status bks_fields_check(const bks_field *fields, uint32_t count,
                                                  bks_error *error);

/// Turn a device's values into an input: apply dead zones, clamp sticks to the circle, round to the
/// field's values. Not for use inside `step`: it computes in floating point, for the one machine
/// that owns the device.
/// @param fields  a table that passes bks_fields_check()
/// @param raw     count numbers; axes and sticks -1..1, plain fields in their own units; a NaN is 0
/// @param values  receives count numbers, each within its field's range
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_input_quantise(const bks_field *fields, uint32_t count, const float *raw,
                                      int32_t *values);

/// Request for a player's input, passed to a source.
typedef struct bks_sample {
    bks_tick tick;        ///< tick that will be stepped with the input; 0, 1, 2, … without a gap
    uint32_t player;      ///< player whose input is asked for, 0..players-1
    const void *state;    ///< the present state of this peer, predictions included, read only
    uint32_t field_count; ///< number of fields in an input, the length of `values`
} bks_sample;

/// Source of a player's inputs. The game writes its own source for a device. The library makes the
/// others: bks_monkey_source(), bks_replay_player_source() for a player of a recording, and
/// bks_bot_source() in toolkit/runner.h.
typedef struct bks_source {
    /// Fill in the input of one tick. Called once for each tick, in order. `values` holds neutral
    /// values on entry; those outside their field's range are clamped on return.
    void (*sample)(void *context, const bks_sample *sample, int32_t *values);
    void *context; ///< passed to `sample` and `command`, may be NULL
    /// Give the player's next command, if there is one. Called after `sample`, repeatedly, until it
    /// returns 0 or the player's queue has no room for a command of the largest size. In the second
    /// case the source is asked for the rest at the next tick. May be NULL.
    /// @param bytes     receives the command
    /// @param capacity  the game's command_bytes_max
    /// @return size of the command, 0: there is none
    size_t (*command)(void *context, const bks_sample *sample, void *bytes, size_t capacity);
} bks_source;

/// A field and a value of it.
typedef struct bks_field_value {
    uint32_t field; ///< index into the table of fields
    int32_t value;  ///< value of the field, within its range
} bks_field_value;

/// Maximum number of values or combinations that one monkey can be forbidden.
#define BKS_MONKEY_FORBIDDEN_MAX 16

/// Maximum number of fields in a forbidden combination.
#define BKS_MONKEY_FORBIDDEN_FIELDS_MAX 8

/// Values that a monkey must not give at the same time.
typedef struct bks_monkey_forbidden {
    uint32_t count; ///< length of `together`
    /// Values of different fields, forbidden at the same time.
    bks_field_value together[BKS_MONKEY_FORBIDDEN_FIELDS_MAX];
} bks_monkey_forbidden;

/// A monkey: random input for soak tests, each field held for a random number of ticks
/// [Back to the Future, Monkeying Around]. The table of fields decides how it draws: a button is
/// tossed like a coin; a number is often neutral or at an end of its range, else any value that the
/// bits hold, however silly. To a game with commands it also gives commands of random bytes: none
/// at most ticks, sometimes several or dozens, some of one byte and some of the largest size. It
/// has its own random generator, separate from any game's: (seed, player) gives the same inputs and
/// commands on every machine. Plain data; copy it to continue from the same point later.
typedef struct bks_monkey {
    /// Table of fields passed to bks_monkey_init(), must outlive the monkey.
    const bks_field *fields;
    uint32_t field_count; ///< length of `fields`
    /// Least ticks for which a field keeps a value.
    uint32_t hold_min_ticks;
    /// Most ticks for which a field keeps a value.
    uint32_t hold_max_ticks;
    /// State of the monkey's random generator.
    uint64_t random[2];
    /// By field: ticks until its value changes.
    uint32_t left_ticks[BKS_FIELDS_MAX];
    int32_t values[BKS_FIELDS_MAX]; ///< by field: present value
    uint32_t forbidden_count;       ///< number of entries in `forbidden`
    /// Values forbidden by bks_monkey_forbid().
    bks_monkey_forbidden forbidden[BKS_MONKEY_FORBIDDEN_MAX];
    uint64_t command_seed;      ///< seed of the commands of all ticks
    uint64_t command_random[2]; ///< state of the random generator of the present tick's commands
    bks_tick command_tick;      ///< present tick; BKS_TICK_NONE: no command was asked for yet
    uint32_t commands_left;     ///< number of commands still to give at the present tick
} bks_monkey;

/// Initialise a monkey.
/// @param monkey          receives the monkey, not NULL
/// @param fields, count   a table that passes bks_fields_check(); must outlive the monkey
/// @param seed            any number
/// @param player          0..BKS_PLAYERS_MAX-1
/// @param hold_min_ticks  1..hold_max_ticks
/// @param hold_max_ticks  at most 100000
/// @param error           may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_monkey_init(bks_monkey *monkey, const bks_field *fields,
                                                 uint32_t count, uint64_t seed, uint32_t player,
                                                 uint32_t hold_min_ticks, uint32_t hold_max_ticks,
                                                 bks_error *error);

/// Forbid a monkey a value, or several values at the same time: a pause button, or a combination
/// that restarts the game. Call it before the monkey first gives an input.
/// @param together  count fields, each once, with values in their ranges; at least one must not be
///                  neutral, so that an untouched device remains possible
/// @param count     1..BKS_MONKEY_FORBIDDEN_FIELDS_MAX
/// @param error     may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (also for more than BKS_MONKEY_FORBIDDEN_MAX)
BKS_API BKS_NODISCARD bks_status bks_monkey_forbid(bks_monkey *monkey,
                                                   const bks_field_value *together, uint32_t count,
                                                   bks_error *error);

/// Make an input source that plays a monkey's inputs. The monkey must outlive it.
BKS_API bks_source bks_monkey_source(bks_monkey *monkey);

/// Maximum number of options of a game.
#define BKS_OPTIONS_MAX 16

/// Size of an option's value in bytes, the terminating zero included.
#define BKS_OPTION_VALUE_BYTES 64

/// An option that changes how a match starts. All peers play with the host's values.
typedef struct bks_option {
    const char *name; ///< name of the option, required, unique, printable ASCII, static
    /// Default value of the option, required, printable ASCII, shorter than BKS_OPTION_VALUE_BYTES,
    /// static.
    const char *default_value;
    /// Description of the option for people, in one line, with the allowed values; static.
    const char *help;
} bks_option;

/// The option values of one match, in the order of the game's table. Plain data.
typedef struct bks_option_values {
    /// Option values as text, padded with zeros to the end.
    char text[BKS_OPTIONS_MAX][BKS_OPTION_VALUE_BYTES];
} bks_option_values;

struct bks_game;
struct bks_workers;
struct bks_state_map;
struct bks_type_entry;

/// Everything that `init` may depend on: the same on every peer.
typedef struct bks_start {
    const struct bks_game *game;      ///< the game whose state `init` makes
    uint64_t seed;                    ///< seed for the game's random numbers
    uint32_t players;                 ///< seats in the match, 1..players_max
    uint32_t tick_rate_hz;            ///< ticks a second
    const bks_option_values *options; ///< option values of the match, never NULL
} bks_start;

/// Get the value of an option.
/// @param start  not NULL
/// @param name   one of the game's options
/// @return the text, "" when the game has no such option (logged)
BKS_API const char *bks_start_option(const bks_start *start, const char *name);

/// Recorder of the marks and notes of a step, which also answers its questions. Opaque: a step
/// cannot see if there is one.
typedef struct bks_listener bks_listener;

/// Maximum size of a command in bytes.
#define BKS_COMMAND_BYTES_MAX 65535

/// Maximum of bks_session_config.command_room_bytes, the room for one player's commands.
#define BKS_COMMAND_ROOM_MAX 67108864

// Commands: bytes of any number and size that a player gives a game beside the fields of its input,
// such as the orders of a strategy game. A game sets bks_game.command_bytes_max, a program calls
// bks_match_command(), and `step` reads the commands of its tick and refuses those that the state
// does not allow:
//
//     bks_command command = {0};
//     while (bks_step_command(step, &command)) {
//         if (!carry_out(game, command.player, command.bytes, command.count)) {
//             bks_refuse(step, &command, NO_SUCH_UNIT);
//         }
//     }
//
// `step` can trust the player, index and count of a command. It must check the bytes, because they
// may hold anything.

/// Commands of one player at one tick, one after another: for each command its length in two bytes,
/// the lower one first, then its bytes. bks_step_command() reads them.
typedef struct bks_commands {
    const uint8_t *bytes; ///< may be NULL when count is 0
    uint32_t count;       ///< size of `bytes`
} bks_commands;

/// Everything that `step` may depend on.
typedef struct bks_step {
    bks_tick tick;         ///< the tick being stepped, from 0
    uint32_t tick_rate_hz; ///< ticks a second
    uint32_t players;      ///< seats in the match
    uint32_t field_count;  ///< number of fields of an input
    /// Inputs of all players: players * field_count values, a copy for this step.
    const int32_t *inputs;
    const bks_listener *listener; ///< receiver of bks_mark(), bks_note(), bks_ask() and bks_cue()
    const bks_commands *commands; ///< commands by player; NULL: no player has any
} bks_step;

/// Get one player's input: field_count int32_t in the order of the game's table.
/// @param player  0..step->players-1
/// @return the input, valid during the step; NULL when player is out of range
static inline const void *bks_step_input(const bks_step *step, uint32_t player)
{
    return player < step->players ? step->inputs + (size_t)player * step->field_count : NULL;
}

/// One command of a player at a tick. Start from {0}.
typedef struct bks_command {
    uint32_t player;      ///< player who gave the command, 0..players-1
    uint32_t index;       ///< number of the command among those of this player and tick, from 0
    const uint8_t *bytes; ///< the command, valid during the step
    uint32_t count;       ///< size of `bytes`, 1..command_bytes_max
} bks_command;

/// Get the next command of a step. Players come in order, and the commands of a player in the order
/// in which they were given.
/// @param command  {0} to get the first command, else the previous command; receives the next one
/// @return false when there are no more commands
static inline bool bks_step_command(const bks_step *step, bks_command *command)
{
    const uint8_t *at = command->bytes != NULL ? command->bytes + command->count : NULL;
    uint32_t index = command->bytes != NULL ? command->index + 1 : 0;
    for (uint32_t player = command->player; step->commands != NULL && player < step->players;
         player++) {
        const bks_commands *all = &step->commands[player];
        at = at != NULL ? at : all->bytes;
        if (all->count > 0 && at < all->bytes + all->count) {
            command->player = player;
            command->index = index;
            command->bytes = at + 2;
            command->count = (uint32_t)at[0] | (uint32_t)at[1] << 8;
            return true;
        }
        at = NULL;
        index = 0;
    }
    return false;
}

/// Refuse a command of this step. When the tick is confirmed, bks_match_cue() reports the refusal
/// as an event with the id BKS_CUE_REFUSED, on the machine of the command's player: once for each
/// call of the step, however often the tick is stepped again. So two calls for one command are two
/// events. The match must collect cues (cues_per_tick).
/// @param command  a command as bks_step_command() gave it in this step, not NULL. Without bytes,
///                 or with a player who is not there, it is logged and not reported
/// @param why      reason, a number that the game defines
BKS_API void bks_refuse(const bks_step *step, const bks_command *command, uint32_t why);

/// Set a mark: name the point that the step has reached, just after one part of the game's logic
/// such as its physics. If a trace is taken, it hashes the state here; a crash report shows the
/// name of the last mark. Without a trace the call costs two branches and a store.
/// @param name  static, such as "physics"
BKS_API void bks_mark(const bks_step *step, const char *name);

/// Progress of a step. (For the place of a byte in a state see bks_state_place.)
typedef struct bks_step_place {
    const char *game;  ///< the game's name
    bks_tick tick;     ///< the tick being stepped
    const char *mark;  ///< name last passed to bks_mark() in this step; NULL: none so far
    const void *state; ///< the state being stepped
} bks_step_place;

/// Find out which step the calling thread is in, for a program's crash handler: a signal handler
/// may call this. A step must not depend on it.
/// @param out  receives the progress; its pointers are valid during that step
/// @return false when this thread is in no step, or `out` is NULL
BKS_API bool bks_stepping(bks_step_place *out);

/// Write free text into the trace. If no trace is taken, nothing is formatted.
/// @param format  as printf; at most 255 bytes of the result are kept
BKS_API void bks_note(const bks_step *step, const char *format, ...) BKS_PRINTF(2, 3);

/// Maximum size in bytes of an answer to bks_ask().
#define BKS_ANSWER_BYTES_MAX 1024

/// Ask for a fact from outside the game: whether a file is loaded, what a service said, what the
/// wall clock shows. It is answered live once, by the `answer` of bks_peer_config or
/// bks_match_config, and recorded; from then on the recorded answer is used, in a replay as in a
/// resimulation. So everything from outside reaches the state through the recording alone. It is
/// answered only if all players are on one machine, because other peers cannot know the answer.
/// @param question  number of the question, chosen by the game; within a tick the same question has
///                  the same answer
/// @param answer    receives the answer; may be NULL when capacity is 0
/// @param capacity  size of `answer` in bytes; a longer answer is cut
/// @return size of the whole answer in bytes, 0..BKS_ANSWER_BYTES_MAX; 0 when there is none
BKS_API size_t bks_ask(const bks_step *step, uint32_t question, void *answer, size_t capacity);

/// Maximum number of cues that a game names.
#define BKS_CUE_TYPES_MAX 256

/// Maximum size in bytes of a cue's payload.
#define BKS_CUE_BYTES_MAX 32

/// `id` of the event of a refused command (bks_refuse()). The event's `key` has the reason in the
/// lower 32 bits and the player in the upper ones. Its payload has the first bytes of the command.
#define BKS_CUE_REFUSED 0x80000000u

/// Default of bks_cue_type.moves_ticks: ticks by which a cue may move and still be the same cue.
#define BKS_CUE_MOVES_TICKS 6

/// Times at which a cue is reported.
typedef enum bks_cue_when {
    /// As soon as a step asks for the cue, even with guessed inputs; for a sound, particles, a
    /// shaking screen.
    BKS_CUE_AT_ONCE = 0,
    /// When the cue's tick is confirmed, in order; for a score, an achievement. With
    /// BKS_ON_DESYNC_RESYNC, once no repair can step the tick again.
    BKS_CUE_CONFIRMED = 1,
    BKS_CUE_SEEN = 2, ///< at once, but only if the newest tick of an update asks for the cue
} bks_cue_when;

/// One thing that steps ask for by bks_cue().
typedef struct bks_cue_type {
    /// Name of the cue, required, unique, 1..31 bytes of printable ASCII, static.
    const char *name;
    bks_cue_when when; ///< time at which the cue is reported
    /// BKS_CUE_AT_ONCE only: if a corrected step asks for the same key up to this many ticks
    /// earlier or later, it is the same cue, neither cancelled nor started again; 1..60, 0
    /// (default): BKS_CUE_MOVES_TICKS.
    uint32_t moves_ticks;
} bks_cue_type;

/// Ask for something that the player is to see or hear once, however often the tick is stepped
/// (present.h). If nobody collects cues, the call costs two branches.
/// @param id       an index of bks_game.cues
/// @param key      distinguishes cues of one id, such as the number of the ship that shot; it must
///                 be the same whenever the tick is stepped. Two cues with the same id and key in
///                 one tick count as two
/// @param payload  data needed to show or play the cue, such as a position; copied; may be NULL
///                 when bytes is 0
/// @param bytes    size of the payload, 0..BKS_CUE_BYTES_MAX
BKS_API void bks_cue(const bks_step *step, uint32_t id, uint64_t key, const void *payload,
                     size_t bytes);

/// Get the workers for the jobs of this step, for bks_jobs_run() (det.h). The program chooses them,
/// in bks_match_config.workers; they are not part of the state, and the results of the jobs are the
/// same with any workers.
/// @return the workers, valid during the step; NULL: bks_jobs_run() then runs jobs on the calling
///         thread
BKS_API const struct bks_workers *bks_step_workers(const bks_step *step);

/// Report that the game failed: it ran out of memory, or one of its scripts threw. The failure
/// counts only when the tick is confirmed; then the match ends for this peer with BKS_ERR_GAME, an
/// event and a log line that give `text`, and the others play on. A failure in a tick stepped with
/// a wrong guess is forgotten. Until the tick is confirmed the game is neither stepped, hashed nor
/// saved again, so the failed step may leave the state incomplete; only `load` and drawing must
/// cope with it.
/// @param text  why the game failed, one sentence; at most 95 bytes of it are copied. Only the
///              first failure of a step counts
BKS_API void bks_fail(const bks_step *step, const char *text);

/// A game, described once. Start from `{0}` with designated initialisers; must outlive its use.
typedef struct bks_game {
    const char *name; ///< name of the game, required, 1..31 bytes of printable ASCII
    /// Version of the game: raise it when old inputs would play differently.
    uint32_t version;
    uint32_t tick_rate_hz; ///< ticks a second, required, 1..1000
    uint32_t players_min;  ///< least number of players; default 0, which means 1
    /// Greatest number of players, required, players_min..BKS_PLAYERS_MAX.
    uint32_t players_max;
    /// The input layout, required. A game that takes commands alone names one field of one bit; its
    /// program need not call bks_match_input().
    const bks_field *fields;
    uint32_t field_count;      ///< length of `fields`, required, 1..BKS_FIELDS_MAX
    const bks_option *options; ///< options of the game, may be NULL
    uint32_t option_count;     ///< length of `options`, 0..BKS_OPTIONS_MAX

    /// Size of the region in bytes, up to 1 GiB; required unless `configure` or `create` is set.
    size_t state_bytes;
    /// Size of the root struct in bytes; above 0: the rest of the region is an arena.
    size_t root_bytes;
    /// Names of the state's bytes, for readers of a recording; for a game without a region, names
    /// of the bytes that `save` writes; may be NULL.
    const bks_state_range *ranges;
    uint32_t range_count; ///< length of `ranges`, 0..BKS_STATE_RANGES_MAX
    /// Details of the state's types that debug information lacks, for `bks games --map`; for a game
    /// without a region, of the bytes that `save` writes; may be NULL.
    const struct bks_type_entry *types;
    uint32_t type_count; ///< length of `types`, 0..BKS_TYPE_ENTRIES_MAX
    /// Types of the state, for a game that is shipped without debug information; may be NULL.
    const struct bks_state_map *map;

    /// Check the options and set the size of the region. If NULL, the size is `state_bytes`.
    /// Fill `error` (field and text) when an option's value is out of its range.
    /// @return BKS_OK or BKS_ERR_BAD_CONFIG
    bks_status (*configure)(const bks_start *start, size_t *out_state_bytes, bks_error *error);

    /// Make the state of tick 0 in the zeroed region. Required.
    void (*init)(void *state, const bks_start *start);

    /// Advance the state by one tick. Required.
    void (*step)(void *state, const bks_step *step);

    /// Hash the state by bks_hash_add(). If NULL, the library hashes the whole region by pages. The
    /// hash must cover everything that later ticks depend on, because states with equal hashes
    /// count as equal.
    void (*hash)(const void *state, bks_hasher *hasher);

    /// The five members from `create` to `load` are for a game that cannot live in a region: it
    /// sets them, and `hash`, instead of `state_bytes`.
    void *(*create)(const bks_start *start); ///< create the game's own object; NULL on failure
    void (*destroy)(void *state);            ///< release the object that `create` made
    size_t save_bytes_max;                   ///< most bytes that `save` writes, 1..1 GiB
    size_t (*save)(const void *state, void *bytes,
                   size_t capacity_bytes); ///< write the state; return bytes written, 0 on failure

    /// Read the bytes of `save`; return false when it cannot. With BKS_ON_DESYNC_RESYNC, `save`
    /// after `load` must write the same bytes that were loaded.
    bool (*load)(void *state, const void *bytes, size_t count_bytes);

    /// Guess the input of a player whose real input has not arrived, from the state. On entry
    /// `guess` holds the guess of the fields' predictors; change it in place. It is clamped to the
    /// ranges. `last` is the player's input of `last_tick`, the newest that is known (neutral and
    /// -1 at first). Guesses need not be the same on every peer. May be NULL.
    void (*predict)(const void *state, uint32_t player, bks_tick tick, bks_tick last_tick,
                    const int32_t *last, int32_t *guess);
    /// Table that bks bench predict --learn wrote, shipped with the game, for fields predicted by
    /// BKS_PREDICT_VOTE; may be NULL.
    const void *votes;
    size_t votes_bytes; ///< size of `votes` in bytes

    /// Play as a bot: fill in one player's input, chosen from the state. `memory` is 64 bytes that
    /// belong to the bot, zero at first. NULL: the game has no bots.
    void (*bot)(const void *state, uint32_t player, bks_tick tick, uint64_t memory[8],
                int32_t *values);

    /// Check that `step` and `draw` can handle this state: every index, size and reference in it
    /// must be valid. Called when a state came from a file or another machine, which may have put
    /// any bytes into it; a state that is refused counts as damaged. Before that the library has
    /// checked arena and pools; bks_ref_get() gives no target outside the region, but only `check`
    /// can tell if a reference leads to the right object (state.h has helpers such as
    /// bks_ref_is_pool()). If the library is built with asserts and BKS_CHECK_STEPS, which is on by
    /// default, `check` is also called after `init` and each step, and its answer is logged. It
    /// reads the state and nothing else. If NULL, every state is accepted.
    /// @return NULL when the state is valid, else a static text that says what is wrong
    const char *(*check)(const void *state);

    /// True if the state holds raw pointers: addresses of the region, of functions, or of anything
    /// else in this process. Needs a region and `hash`. Rollback works as usual, but no state of
    /// such a game leaves its process: recordings hold inputs and hashes and begin with `init`, and
    /// BKS_ON_DESYNC_RESYNC is refused.
    bool pointers;

    /// Size of the largest command of a player in bytes, 1..BKS_COMMAND_BYTES_MAX; 0: the game has
    /// no commands. A large command takes long on its way: see bks_match_command().
    uint32_t command_bytes_max;
    /// Room for a player's commands in bytes; 0: 256 KiB. See
    /// bks_session_config.command_room_bytes.
    uint32_t command_room_bytes;
    /// Respond to a command at once, for example by a flash or a voice line. Called on the machine
    /// of the player who gave the command, when it is accepted and before a step gets it, also for
    /// commands of a source. Must not change the state. May be NULL.
    /// @param state    the present state of this peer, predictions included, read only; before the
    ///                 start as for bks_match_state()
    /// @param command  its player is the seat, 0 or above by the local player alone while the seat
    ///                 is not known; its index is 0
    void (*on_command)(const void *state, const bks_command *command);

    const bks_cue_type *cues; ///< cues that the game's steps may ask for by bks_cue(); may be NULL
    uint32_t cue_count;       ///< length of `cues`, 0..BKS_CUE_TYPES_MAX

    /// Extrapolate a state by a part of a tick, for a picture between ticks. `state` is a copy that
    /// is drawn and then discarded. `step` is as for the next tick, with the newest inputs; its
    /// cues, notes and failures are ignored, its questions get no answer, and its jobs run on the
    /// calling thread. Do less than `step`: move what moves steadily, and let nothing begin or end.
    /// May be NULL. Not called for a game without a region, or with `pointers`.
    /// @param share  part of a tick, above 0, at most 1
    void (*extrapolate)(void *state, const bks_step *step, float share);
} bks_game;

/// Fill in every option's default value.
/// @param game    not NULL
/// @param values  receives the default values, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_option_values_default(const bks_game *game, bks_option_values *values);

/// Set one option's value by name.
/// @param values  not NULL
/// @param name    one of the game's options
/// @param value   under BKS_OPTION_VALUE_BYTES bytes of printable ASCII
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error lists the valid names)
BKS_API BKS_NODISCARD bks_status bks_option_values_set(const bks_game *game,
                                                       bks_option_values *values, const char *name,
                                                       const char *value, bks_error *error);

// Pictures between ticks: what to draw at a moment that is no tick, on a screen of any rate.
// Request them by `pictures` of bks_match_config or bks_peer_config, and get them by
// bks_match_frame() or bks_peer_frame(). Nothing of a picture flows back into the state.
//
//     bks_frame frame;
//     bks_match_frame(match, bks_match_now(), &frame);
//     const tag_state *was = frame.before;
//     const tag_state *is = frame.state;
//     draw_ship(bks_blend(was->x, is->x, frame.share, 100.0f), …);
//
// This code draws every kind of picture: if there is only the newest state, `before` is the same as
// `state`.
//
// Drawing an extrapolated copy of the state is described in [INVERSUS, Variable Frame Rates]
// (docs/sources.md).
//
// Thread rule: as the match.

/// Ways to make pictures between ticks.
typedef enum bks_pictures {
    BKS_PICTURES_NONE = 0, ///< pictures show the newest tick only
    /// Pictures are extrapolated: part of a tick beyond the newest state, by the game's
    /// `extrapolate`. An input shows as soon as its tick is stepped.
    BKS_PICTURES_EXTRAPOLATE = 1,
    /// Pictures are interpolated between the two newest ticks, so they are one tick late; for slow
    /// ticks, and for a game without `extrapolate`.
    BKS_PICTURES_INTERPOLATE = 2,
} bks_pictures;

/// Picture to draw.
typedef struct bks_frame {
    /// The newest state; with BKS_PICTURES_EXTRAPOLATE, a copy extrapolated by `share`. Read only.
    const void *state;
    /// With BKS_PICTURES_INTERPOLATE, the state one tick before `state`; otherwise `state` itself.
    /// Read only.
    const void *before;
    /// Part of a tick, 0..1. BKS_PICTURES_EXTRAPOLATE: time passed since the newest tick;
    /// BKS_PICTURES_INTERPOLATE: position from `before` to `state`. Stays at 1 while no tick can be
    /// stepped.
    float share;
    bks_tick tick; ///< tick at whose start the newest state is
    /// True if ticks were resimulated since the last picture; pass it to bks_smooth_show().
    bool is_corrected;
} bks_frame;

/// Blend two positions. Both, and their difference, must be finite.
/// @param share  0..1; at 1 the result is `now`, whatever `before` is
/// @param most   largest distance to blend: a value that moved by more has jumped and is drawn at
///               `now`; 0: blend any distance
BKS_API float bks_blend(float before, float now, float share, float most);

/// Blend two angles, the shorter way round. Both, and their difference, must be finite.
/// @param share  0..1; at 1 the result is `now`, whatever `before` is
/// @param turn   a whole turn in the unit of the angles, such as 360, above 0
/// @return the angle, not reduced to one turn
BKS_API float bks_blend_angle(float before, float now, float share, float turn);

// Sounds of a game. There are two kinds. Short sounds that must be heard from their beginning are
// cues (present.h): bks_cue_sound says how one sounds. Loops and long sounds that the game changes
// while they play are **voices**: bks_voice lies in the region, is rolled back with it, and the
// game controls it by plain writes:
//
//     void step(void *state, const bks_step *step)
//     {
//         game *g = state;
//         bks_voices_step(&g->hum, 1, step); // first
//         if (begins_to_charge) {
//             g->hum = (bks_voice){.sound = SOUND_HUM, .volume = BKS_VOICE_FULL,
//                                  .is_on = 1, .is_loop = 1};
//         }
//         g->hum.pan = pan_of(g->ship);
//     }
//
// All fields of a voice are integers, so a state with voices is the same on every machine. A voice
// plays nothing itself: a mixer (present.h) plays a copy of it. The two kinds of sound are those of
// [INVERSUS, Audio Segregation] (docs/sources.md).
//
// Thread rule: as game.h.

/// Kinds of event of a cue.
typedef enum bks_cue_event_kind {
    /// The cue happens. Cues of BKS_CUE_CONFIRMED and BKS_CUE_SEEN have no other event.
    BKS_CUE_STARTED = 0,
    BKS_CUE_CHANGED = 1,   ///< a cue that was started now has another tick or payload
    BKS_CUE_CANCELLED = 2, ///< a cue that was started did not happen after all: fade it out
} bks_cue_event_kind;

/// Event of a cue. Plain data.
typedef struct bks_cue_event {
    bks_cue_event_kind kind; ///< kind of event
    uint32_t id;             ///< kind of cue, an index of bks_game.cues
    uint64_t key;            ///< key that the step passed to bks_cue()
    /// Tick whose step asked for the cue; with BKS_CUE_CHANGED the new tick.
    bks_tick tick;
    /// Number of ticks that the cue is late: from `tick` to the newest tick when the cue became
    /// known; 0: the cue belongs to the newest tick.
    uint32_t late_ticks;
    uint64_t serial; ///< number shared by all events of one started cue, never 0
    uint32_t bytes;  ///< size of the payload that the step passed to bks_cue()
    /// Payload that the step passed to bks_cue(), zeros after it.
    uint8_t payload[BKS_CUE_BYTES_MAX];
} bks_cue_event;

/// Frames a second of sounds, of cursors and of a mixer's output.
#define BKS_SOUND_RATE_HZ 48000u

/// Volume of a voice that plays its sound unchanged.
#define BKS_VOICE_FULL 32768u

/// Pan of a voice entirely on the right; the negative of it is entirely on the left.
#define BKS_VOICE_RIGHT 32767

/// A sound: one sample for each frame, played to both ears.
typedef struct bks_sound {
    const float *samples; ///< samples of the sound, `frames` of them, each -1..1
    uint32_t frames;      ///< length of `samples`, 1..BKS_SOUND_FRAMES_MAX
} bks_sound;

/// Length of the longest sound in frames: one hour.
#define BKS_SOUND_FRAMES_MAX (3600u * BKS_SOUND_RATE_HZ)

/// A sound that is part of the state. Plain data without holes; {0} is silent.
typedef struct bks_voice {
    /// Number of frames since the voice began; the cursor counts on through a loop and after the
    /// sound's end.
    uint64_t cursor;
    /// Index of one of the mixer's sounds; a voice whose index has no sound is silent and counted
    /// by bks_mixer_lost().
    uint16_t sound;
    uint16_t volume; ///< volume of the voice, 0..65535; BKS_VOICE_FULL plays the sound unchanged
    int16_t pan;     ///< pan of the voice, -BKS_VOICE_RIGHT..BKS_VOICE_RIGHT, 0: the middle
    uint8_t is_on;   ///< 0: the voice is silent, whatever its other fields say
    /// 0: the voice falls silent at the sound's end, while its cursor counts on; 1: the sound
    /// repeats.
    uint8_t is_loop;
} bks_voice;

/// Advance voices by one tick: move the cursors of voices that are on. Call it first in `step`, so
/// that what the step starts begins at 0. If a tick is not a whole number of frames, a cursor moves
/// by one frame more at some ticks than at others, so that no frame is gained or lost over time.
/// @param voices  not NULL unless count is 0
/// @param step    not NULL, with its tick and its tick_rate_hz, 1..1000
BKS_API void bks_voices_step(bks_voice *voices, uint32_t count, const bks_step *step);

/// Sound of a cue. Start from {0}.
typedef struct bks_cue_sound {
    uint32_t sound; ///< index of one of the mixer's sounds
    float volume;   ///< volume, 0..2; 1 plays the sound unchanged
    float pan;      ///< pan, -1 (left) to 1 (right)
    /// Most ticks that the cue may be late and still be heard; 0 (default): any number.
    uint32_t drop_after_ticks;
    /// True: a late cue begins inside the sound, as far as it is late, with a fade-in; false
    /// (default): a late cue plays the sound from its beginning.
    bool is_inside;
} bks_cue_sound;

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_GAME_H
