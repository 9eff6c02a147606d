// SPDX-License-Identifier: MIT

/// @file state_names.h
/// Names for bytes in the states of a loaded game, and the first difference of two states. Names
/// are from the game's map, or else its ranges (bks_game.ranges), or else are those of pools and
/// pages. Also converts elements of ranges to text.

#ifndef BKS_TOOL_STATE_NAMES_H
#define BKS_TOOL_STATE_NAMES_H

#include "backstitch/state.h"
#include "backstitch/toolkit/state_map.h"
#include "base/json.h"
#include "game/loader.h"

enum { STATE_VALUE_BYTES = 160 };

/// Size of a name that state_name_join() writes, in bytes.
enum { STATE_NAME_BYTES = 288 };

/// Names of the states of one game.
typedef struct state_names {
    bks_state_names names;
    /// Reason why there is no map: a phrase to follow the game's name. "": there is a map.
    char why[320];
} state_names;

/// Most values besides the first one that a state_difference holds.
enum { STATE_ALSO_MAX = 7 };

/// A value that differs, with its text in both states.
typedef struct state_pair {
    bks_map_place place;
    char a[STATE_VALUE_BYTES];
    char b[STATE_VALUE_BYTES];
} state_pair;

/// Place where two states differ, and the values of both.
typedef struct state_difference {
    bks_map_place place;
    char a[STATE_VALUE_BYTES];
    char b[STATE_VALUE_BYTES];
    char note[256]; ///< remark to print beside the name; may be empty
    /// Names of the next values that differ, any of which may have been written first; "": none.
    char others[STATE_NAME_BYTES];
    uint32_t also_count;
    state_pair also[STATE_ALSO_MAX]; ///< the next values that differ, in the order of `others`
    bool has_more;                   ///< true if more values differ than `others` can name
} state_difference;

/// Find names for the bytes of a game's states: its ranges, and its map if it has one, else the
/// reason in `why`. They are valid until the program ends, like the loaded game.
void state_names_find(const loaded_game *game, state_names *out);

/// Join the names of an object and a field: "shots[3].x", "score[1]" or "(padding).byte 21".
/// @param object  name of the object, may be empty
/// @param field   name of the field, may be empty
/// @param out     receives the name, cut if it does not fit
void state_name_join(const char *object, const char *field, char *out, size_t capacity);

/// Write the value at a place as text: by its type, or as bytes if the type is not known.
void state_value(const state_names *names, const bks_compared_state *state,
                 const bks_map_place *place, char *out, size_t capacity);

/// Find the first live value that differs, or else the first byte.
/// @return false: the states do not differ
bool state_difference_find(const state_names *names, const bks_compared_state *a,
                           const bks_compared_state *b, state_difference *out);

/// Make one of the values in `also` the value of the difference, and the former one the first in
/// `also`.
void state_difference_choose(state_difference *difference, uint32_t index);

/// Return true if a value is a plain number or letter of at most 8 bytes.
bool state_place_is_number(const state_names *names, const bks_map_place *place);

enum { RANGE_VALUE_BYTES = 32 };

/// Write one element of a range as text. A byte without a type becomes two hexadecimal digits.
/// @param at  bytes of the element, need not be aligned
void range_value_text(bks_state_type type, const uint8_t *at, char out[RANGE_VALUE_BYTES]);

/// Write one element of a range into the open JSON array. Whole numbers become numbers. Floats and
/// bytes become text, because JSON has no infinite numbers.
void range_value_json(json *j, bks_state_type type, const uint8_t *at);

#endif
