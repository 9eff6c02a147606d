// SPDX-License-Identifier: MIT

/// @file state_names.h
/// What the bytes of a loaded game's states are called, and where two of them differ: by the game's
/// map, else by its ranges (bks_game.ranges), else by pool and page; elements of ranges as text.

#ifndef BKS_TOOL_STATE_NAMES_H
#define BKS_TOOL_STATE_NAMES_H

#include "backstitch/state.h"
#include "backstitch/toolkit/state_map.h"
#include "base/json.h"
#include "game/loader.h"

enum { STATE_VALUE_BYTES = 160 };

/// Room for a name that state_name_join() writes of a verdict or a finding.
enum { STATE_NAME_BYTES = 288 };

/// The names of one game.
typedef struct state_names {
    bks_state_names names;
    char why[320]; ///< without a map: why there is none, a phrase behind the game's name
} state_names;

/// Where two states differ, and what they hold there.
typedef struct state_difference {
    bks_map_place place;
    char a[STATE_VALUE_BYTES];
    char b[STATE_VALUE_BYTES];
    char note[256]; ///< note beside the name; may be empty
} state_difference;

/// Find the names of a game. They stay until the program ends, as long as the game is loaded.
void state_names_find(const loaded_game *game, state_names *out);

/// Write the name of a place as one: "shots[3].x", "score[1]" or "(padding).byte 21".
/// @param field  may be empty, as may be the object
/// @param out    receives it, cut when it does not fit
void state_name_join(const char *object, const char *field, char *out, size_t capacity);

/// Write what lies at a place: as its type reads, or as bytes.
void state_value(const state_names *names, const bks_compared_state *state,
                 const bks_map_place *place, char *out, size_t capacity);

/// Find the first live value that differs, or else the first byte.
/// @return false: nothing differs
bool state_difference_find(const state_names *names, const bks_compared_state *a,
                           const bks_compared_state *b, state_difference *out);

enum { RANGE_VALUE_BYTES = 32 };

/// One element as text; a byte without a type as two hexadecimal digits.
/// @param at  its bytes, need not be aligned
void range_value_text(bks_state_type type, const uint8_t *at, char out[RANGE_VALUE_BYTES]);

/// Write it into the array that is open: whole numbers as such, others (which JSON has no words for
/// when they are infinite) and bytes as text.
void range_value_json(json *j, bks_state_type type, const uint8_t *at);

#endif
