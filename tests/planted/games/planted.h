// SPDX-License-Identifier: MIT

/// @file planted.h
/// What the planted games share: two players who move, and a table of the game that each fills in.
/// Each game but `sound` is wrong in one way, which tests/planted/expected.txt says.

#ifndef BKS_PLANTED_H
#define BKS_PLANTED_H

#include <string.h>

#include "backstitch/plugin.h"
#include "backstitch/toolkit/state_map.h"

/// What draws; a game with a `draw` defines it before PLANTED.
#define PLANTED_DRAW NULL

/// Further members of the plug-in, each with a comma before it; a game that has some defines it
/// before PLANTED.
#define PLANTED_MORE

/// The plug-in's symbol, of a game whose bytes are a ROOT, with these further members.
#define PLANTED(NAME, ROOT, ...)                                                                \
    static const bks_field planted_fields[] = {{.name = "move", .bits = 3, .is_signed = true}}; \
    static const bks_type_entry planted_types[] = {BKS_TYPE_ROOT(ROOT)};                        \
    static const bks_game planted_game = {.name = NAME,                                         \
                                          .tick_rate_hz = 60,                                   \
                                          .players_max = 2,                                     \
                                          .fields = planted_fields,                             \
                                          .field_count = 1,                                     \
                                          .types = planted_types,                               \
                                          .type_count = 1,                                      \
                                          __VA_ARGS__};                                         \
    BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {                                      \
        .abi = BKS_PLUGIN_ABI, .game = &planted_game, .draw = PLANTED_DRAW PLANTED_MORE}

/// First part of every state.
typedef struct planted_base {
    uint32_t ticks;
    int32_t x[2];
} planted_base;

/// A sound part of a step.
static inline void planted_move(planted_base *base, const bks_step *step)
{
    base->ticks++;
    for (uint32_t player = 0; player < step->players; player++) {
        base->x[player] += step->inputs[player];
    }
    bks_mark(step, "move");
}

#endif
