// SPDX-License-Identifier: MIT

/// @file source.h
/// Where the players' inputs come from, by the command line: `--input P=SOURCE`, `*=SOURCE` for
/// all, SOURCE being `device`, `idle`, `monkey[:SEED]`, `bot`, `trace:FILE[:PLAYER]` or
/// `replay:FILE.bks[:PLAYER]`.
///
/// A set holds a source for every seat and is itself one bks_source, which looks at the seat it is
/// asked for; so it also serves a guest who learns its seats only at the start. Nothing is
/// allocated after source_set_open().

#ifndef BKS_TOOL_SOURCE_H
#define BKS_TOOL_SOURCE_H

#include "backstitch/plugin.h"
#include "base/args.h"

/// Ticks for which a monkey holds a field, at least and at most.
enum { SOURCE_MONKEY_HOLD_MIN = 5, SOURCE_MONKEY_HOLD_MAX = 30 };

/// Kinds of sources.
typedef enum source_kind {
    SOURCE_DEVICE,    ///< whatever source_set_device() holds
    SOURCE_IDLE,      ///< neutral
    SOURCE_MONKEY,    ///< random
    SOURCE_BOT,       ///< the game's own
    SOURCE_INPUT_LOG, ///< a table of inputs
    SOURCE_REPLAY,    ///< a recording
} source_kind;

/// Set-up of the sources of a match.
typedef struct source_env {
    const bks_game *game; ///< required, must outlive the set
    uint32_t players;     ///< seats there may be, 1..BKS_PLAYERS_MAX
    uint64_t seed;        ///< seed of monkeys that name none
} source_env;

/// The sources of one match. Opaque.
typedef struct source_set source_set;

/// Read the sources; files are loaded whole. Errors go to stderr.
/// @param given     values of `--input`; a seat's own goes before `*`, a later one before an
/// earlier
/// @param fallback  the SOURCE of seats that are not named, such as "monkey"
/// @param out       receives the set, NULL on failure
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
/// Owned by the caller; release with source_set_close().
int source_set_open(const args_list *given, const char *fallback, const source_env *env,
                    source_set **out);

/// Release a set. NULL is allowed.
void source_set_close(source_set *set);

/// Begin again at tick 0, for another match with the same inputs.
void source_set_rewind(source_set *set);

/// The same as a callback: `context` is the set.
void source_set_rewind_context(void *context);

/// Return true if no source of a seat before `players` reads the state.
bool source_set_is_scripted(const source_set *set, uint32_t players);

/// Check that the files have what these seats will be asked for; errors go to stderr.
/// @param first  first seat, `count` of them
/// @param ticks  length of the match; 0: unknown
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
int source_set_check(const source_set *set, uint32_t first, uint32_t count, bks_tick ticks);

/// The whole set as a source for any seat; the set must outlive it.
bks_source source_set_source(source_set *set);

/// Return the kind of a seat's source.
/// @param player  0..players-1
source_kind source_set_kind(const source_set *set, uint32_t player);

/// Return the values of a seat's device, for the caller to change: field_count values, neutral at
/// first.
/// @param player  0..players-1
int32_t *source_set_device(source_set *set, uint32_t player);

/// A seat was asked for a tick that its file does not have, and got neutral input.
/// @return TOOL_OK, or TOOL_DAMAGED after saying so on stderr, once
int source_set_failed(source_set *set);

#endif
