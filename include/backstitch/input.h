// SPDX-License-Identifier: MIT

/// @file input.h
/// What one player's input looks like, and where it can come from.
///
/// A game names its input fields once, in a table. To the game an input is an array of int32_t, one
/// for each field in the table's order, so a struct of int32_t fits over it. On the wire, in the
/// timeline and in a replay it is exactly the bits of the table: an input is reduced to them before
/// anything sees it, so a local game feels as an online one [INVERSUS, Deterministic Input]. Names
/// in brackets are sources, listed in docs/sources.md.
///
///     static const bks_field fields[] = {
///         { .name = "move_x", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_X, .group = 1,
///           .dead_zone = 0.2f },
///         { .name = "move_y", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_Y,
///           .group = 1 },
///         { .name = "fire", .bits = 1, .predictor = BKS_PREDICT_RELEASE },
///     };
///
/// Thread rule: plain functions on the caller's memory; call from any thread.

#ifndef BACKSTITCH_INPUT_H
#define BACKSTITCH_INPUT_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most fields in an input.
#define BKS_FIELDS_MAX 64

/// Most bits in an input, all fields together.
#define BKS_INPUT_BITS_MAX 512

/// What a field holds, which says how bks_input_quantise() makes it from a device's value.
typedef enum bks_field_kind {
    BKS_FIELD_PLAIN = 0,     ///< a number or button: the device's value rounded and clamped
    BKS_FIELD_AXIS = 1,      ///< one axis, device -1..1
    BKS_FIELD_STICK_X = 2,   ///< a stick's x, device -1..1; STICK_Y must follow; signed
    BKS_FIELD_STICK_Y = 3,   ///< a stick's y, device -1..1
    BKS_FIELD_ANGLE = 4,     ///< a stick as angle [0, 2 pi) over all values; device gives x here;
                             ///< unsigned; MAGNITUDE must follow
    BKS_FIELD_MAGNITUDE = 5, ///< and its magnitude 0..1 over all values; device gives y here;
                             ///< unsigned
} bks_field_kind;

/// How a field is guessed for ticks not yet heard of.
typedef enum bks_predictor {
    BKS_PREDICT_HOLD = 0,    ///< repeat the last confirmed value
    BKS_PREDICT_RELEASE = 1, ///< go back to neutral: one-shot buttons
    BKS_PREDICT_LINEAR = 2,  ///< continue the line of the last two confirmed values. For axes,
                             ///< sticks and angles with magnitudes, which are guessed as vectors
    BKS_PREDICT_SPLINE = 3,  ///< the same along a spline through the last four [INVERSUS]
    BKS_PREDICT_VOTE = 4, ///< what mostly followed in this match, or before it in the game's table
                          ///< of votes; costs a session 1.2 MB
} bks_predictor;

/// One field of an input.
typedef struct bks_field {
    const char *name; ///< required, unique in the table, static; 1..31 of letters, digits, _ . -
    uint32_t bits;    ///< required, 1..32 (31 for an unsigned field: values are int32_t)
    bool is_signed;   ///< two's complement in `bits`; default false
    int32_t neutral;  ///< value of an untouched device, within the range; default 0
    uint32_t group;   ///< fields with the same number other than 0 stand together in the table and
                      ///< share a changed-bit on the wire; 0 is a group of its own; 0..255
    bks_field_kind kind; ///< default BKS_FIELD_PLAIN
    float dead_zone; ///< share of the deflection read as none, 0..0.95, default 0; on a stick (x or
                     ///< angle field) by its length
    int32_t limit;   ///< value of full deflection for axes and sticks; 0: the largest of the bits
    bks_predictor predictor; ///< default BKS_PREDICT_HOLD; LINEAR and SPLINE: both of a pair
} bks_field;

/// Check a table of fields.
/// @param fields  may be NULL only when count is 0
/// @param count   1..BKS_FIELDS_MAX
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (error names the field and the range)
BKS_API BKS_NODISCARD bks_status bks_fields_check(const bks_field *fields, uint32_t count,
                                                  bks_error *error);

/// Least and greatest value of a field, by its bits and sign. Either out may be NULL.
/// @param field  not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_field_range(const bks_field *field, int32_t *out_least,
                                   int32_t *out_greatest);

/// Make an input from what a device says: dead zone, clamp to the circle, steps. Not for use inside
/// `step`: it computes in floating point and belongs to the one machine that owns the device.
/// @param fields  a table that passes bks_fields_check()
/// @param raw     count numbers; axes and sticks -1..1, plain fields in their own units; a NaN is 0
/// @param values  receives count numbers, each within its field's range
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_input_quantise(const bks_field *fields, uint32_t count, const float *raw,
                                      int32_t *values);

/// What a source is asked for.
typedef struct bks_sample {
    bks_tick tick;        ///< the tick the input will be simulated in; 0, 1, 2, … without a gap
    uint32_t player;      ///< whose input, 0..players-1
    const void *state;    ///< the state as it stands on this peer, predictions included, read only
    uint32_t field_count; ///< length of `values`
} bks_sample;

/// Where a player's inputs come from. A device is a function of the game's own; for the others
/// there are bks_monkey_source(), bks_bot_source() and, for a player of a recording,
/// bks_replay_player_source().
typedef struct bks_source {
    /// Fill in the input of one tick. Called once for each tick, in order. `values` comes in
    /// neutral and goes out within the fields' ranges; what is outside is clamped.
    void (*sample)(void *context, const bks_sample *sample, int32_t *values);
    void *context; ///< handed to sample, may be NULL
} bks_source;

/// One field at one value.
typedef struct bks_field_value {
    uint32_t field; ///< index into the table
    int32_t value;  ///< within the field's range
} bks_field_value;

/// Most things that one monkey can be forbidden.
#define BKS_MONKEY_FORBIDDEN_MAX 16

/// Most fields in one of them.
#define BKS_MONKEY_FORBIDDEN_FIELDS_MAX 8

/// Values that a monkey must not show together.
typedef struct bks_monkey_forbidden {
    uint32_t count;                                            ///< of `together`
    bks_field_value together[BKS_MONKEY_FORBIDDEN_FIELDS_MAX]; ///< all of them at once
} bks_monkey_forbidden;

/// A monkey: random input for soak tests, each field held for a random number of ticks
/// [Back to the Future, Monkeying Around]. What it draws follows from the table: a button is a
/// coin, a number is often at an end of its range or neutral, else anything the bits can hold;
/// nothing is too silly. It has a generator of its own, which no game can reach and which reaches
/// no game: (seed, player) gives the same inputs on every machine. Plain data; copy it to keep a
/// place in its stream.
typedef struct bks_monkey {
    const bks_field *fields;                                  ///< as given, must outlive the monkey
    uint32_t field_count;                                     ///< as given
    uint32_t hold_min_ticks;                                  ///< as given
    uint32_t hold_max_ticks;                                  ///< as given
    uint64_t random[2];                                       ///< the generator
    uint32_t left_ticks[BKS_FIELDS_MAX];                      ///< until the field changes again
    int32_t values[BKS_FIELDS_MAX];                           ///< held now
    uint32_t forbidden_count;                                 ///< by bks_monkey_forbid()
    bks_monkey_forbidden forbidden[BKS_MONKEY_FORBIDDEN_MAX]; ///< the same
} bks_monkey;

/// Make a monkey.
/// @param monkey          receives it, not NULL
/// @param fields, count   a table that passes bks_fields_check(); must outlive the monkey
/// @param seed            any
/// @param player          0..BKS_PLAYERS_MAX-1
/// @param hold_min_ticks  1..hold_max_ticks
/// @param hold_max_ticks  at most 100000
/// @param error           may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_monkey_init(bks_monkey *monkey, const bks_field *fields,
                                                 uint32_t count, uint64_t seed, uint32_t player,
                                                 uint32_t hold_min_ticks, uint32_t hold_max_ticks,
                                                 bks_error *error);

/// Forbid a value, or values at the same time: a pause button, a combination that restarts. To be
/// called before the monkey is first asked for input.
/// @param together  count fields, each once, with values in their ranges; they must not all be at
///                  neutral, for an untouched device must stay possible
/// @param count     1..BKS_MONKEY_FORBIDDEN_FIELDS_MAX
/// @param error     may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (also for more than BKS_MONKEY_FORBIDDEN_MAX)
BKS_API BKS_NODISCARD bks_status bks_monkey_forbid(bks_monkey *monkey,
                                                   const bks_field_value *together, uint32_t count,
                                                   bks_error *error);

/// The monkey as a source. It must outlive the source.
BKS_API bks_source bks_monkey_source(bks_monkey *monkey);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_INPUT_H
