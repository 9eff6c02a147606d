// SPDX-License-Identifier: MIT

/// @file source.h
/// Sources of the players' inputs, as the command line sets them: `--input P=SOURCE`, or
/// `--input *=SOURCE` for all players. SOURCE is `device`, `idle`, `monkey[:SEED]`, `bot`,
/// `trace:FILE[:PLAYER]` (an input log or a command trace) or `replay:FILE.bks[:PLAYER]`. For a
/// game with commands, monkeys, command traces and recordings give commands, too.
///
/// A set holds a source for every seat and is itself a bks_source for any seat, so that a guest can
/// open it before it knows its seats. Nothing is allocated after source_set_open().

#ifndef BKS_TOOL_SOURCE_H
#define BKS_TOOL_SOURCE_H

#include "backstitch/plugin.h"
#include "base/args.h"

/// Least and greatest number of ticks for which a monkey holds the value of a field.
enum { SOURCE_MONKEY_HOLD_MIN = 5, SOURCE_MONKEY_HOLD_MAX = 30 };

/// Kinds of sources that inputs come from.
typedef enum source_kind {
    SOURCE_DEVICE,    ///< source of values that the caller puts into source_set_device()
    SOURCE_IDLE,      ///< source of neutral inputs
    SOURCE_MONKEY,    ///< source of random inputs
    SOURCE_BOT,       ///< source of the inputs that the game's bot chooses
    SOURCE_INPUT_LOG, ///< source of the inputs in an input log
    SOURCE_REPLAY,    ///< source of the inputs in a recording
} source_kind;

/// Set-up of the sources of a match.
typedef struct source_env {
    const bks_game *game; ///< game of the match; required, must outlive the set
    uint32_t players;     ///< number of seats in the match, 1..BKS_PLAYERS_MAX
    uint64_t seed;        ///< seed of a `monkey` without :SEED
} source_env;

/// Set of the sources of one match. Opaque.
typedef struct source_set source_set;

/// Read the sources and load their files whole. Errors go to stderr.
/// @param given     values of `--input`: P=SOURCE overrides *=SOURCE, a later value an earlier one
/// @param fallback  SOURCE of seats that are not named, such as "monkey"
/// @param out       receives the set, NULL on failure
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
/// Owned by the caller; release with source_set_close().
int source_set_open(const args_list *given, const char *fallback, const source_env *env,
                    source_set **out);

/// Release a set of sources. NULL is allowed.
void source_set_close(source_set *set);

/// Restart all sources at tick 0, for another match with the same inputs.
void source_set_rewind(source_set *set);

/// Call source_set_rewind(). A callback whose `context` is the set.
void source_set_rewind_context(void *context);

/// Return true if none of the first `players` seats has a source that reads the state.
bool source_set_is_scripted(const source_set *set, uint32_t players);

/// Check that the files have all inputs of some seats; errors go to stderr.
/// @param first  first of `count` seats
/// @param ticks  length of the match; 0: unknown
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
int source_set_check(const source_set *set, uint32_t first, uint32_t count, bks_tick ticks);

/// Warn of each seat that `--input` names although it is not one of ours, because its source has no
/// effect. `*` names none.
/// @param first  first of our `count` seats
void source_set_warn(const source_set *set, uint32_t first, uint32_t count);

/// Return the set as a source for any seat. The set must outlive the source.
bks_source source_set_source(source_set *set);

/// Return the kind of a seat's source.
/// @param player  0..players-1
source_kind source_set_kind(const source_set *set, uint32_t player);

/// Return the values of a seat's device, which the caller may change. They are neutral at first.
/// @param player  0..players-1
int32_t *source_set_device(source_set *set, uint32_t player);

/// Report on stderr, once, that a file did not have an input and the seat got neutral input.
/// @return TOOL_OK: no input was missing; TOOL_DAMAGED
int source_set_failed(source_set *set);

#endif
