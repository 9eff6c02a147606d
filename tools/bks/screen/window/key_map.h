// SPDX-License-Identifier: MIT

/// @file key_map.h
/// Which keys of a keyboard stand for which controls, for one player alone at it or for two who
/// share it. Knows no window: a key is the place it has on a keyboard, and whether it is down the
/// caller says.

#ifndef BKS_TOOL_KEY_MAP_H
#define BKS_TOOL_KEY_MAP_H

#include <stddef.h>

#include "backstitch/plugin.h"

/// A key by its place, whatever is printed on it: its number in the keyboard page of the USB HID
/// usage tables, which SDL's scancodes are, too. 0: none.
typedef uint16_t key_place;

enum {
    KEY_PLACES = 256,    ///< number of places, all below
    KEY_ALTERNATIVES = 2 ///< keys of one action
};

/// Players at a keyboard.
typedef enum key_hand {
    KEY_HAND_ALONE,
    KEY_HAND_FIRST,  ///< first of two players: the left half of the keyboard
    KEY_HAND_SECOND, ///< second of two players: the right half
    KEY_HANDS,
} key_hand;

/// Actions that keys can have.
typedef enum key_action {
    KEY_ACTION_UP, ///< the left stick
    KEY_ACTION_LEFT,
    KEY_ACTION_DOWN,
    KEY_ACTION_RIGHT,
    KEY_ACTION_NORTH, ///< the face buttons
    KEY_ACTION_WEST,
    KEY_ACTION_SOUTH,
    KEY_ACTION_EAST,
    KEY_ACTION_TRIGGER_LEFT,
    KEY_ACTION_TRIGGER_RIGHT,
    KEY_ACTION_START,
    KEY_ACTIONS,
} key_action;

/// Keys of each player and action.
typedef struct key_map {
    key_place keys[KEY_HANDS][KEY_ACTIONS][KEY_ALTERNATIVES];
} key_map;

/// Fill in the usual keys. Two players who share a keyboard need no keypad.
void key_map_usual(key_map *out);

/// Bind an action to one key instead of those before. The key loses its other actions, for this
/// player and for the other one at the keyboard.
/// @return false: the key cannot be had (key_place_is_free())
bool key_map_bind(key_map *map, key_hand hand, key_action action, key_place key);

/// Bind an action to one more key, beside the first of those before. The key loses its other
/// actions, as with key_map_bind().
/// @return false: the key cannot be had
bool key_map_add_key(key_map *map, key_hand hand, key_action action, key_place key);

/// Bind an action to some keys instead of those before. The keys lose their other actions, as
/// with key_map_bind().
/// @param keys  KEY_ALTERNATIVES of them that can be had, the first ones; 0: none
void key_map_set(key_map *map, key_hand hand, key_action action,
                 const key_place keys[KEY_ALTERNATIVES]);

/// Remove all keys of an action.
void key_map_clear(key_map *map, key_hand hand, key_action action);

/// Find the present action of a key, for the same player or the other one at the keyboard.
/// @param whose   receives the player
/// @param action  receives its action
/// @return false: it is free
bool key_map_find(const key_map *map, key_hand hand, key_place key, key_hand *whose,
                  key_action *action);

/// Give one player the usual keys, which the other one at the keyboard loses.
void key_map_reset(key_map *map, key_hand hand);

/// Add the state of a player's keys to the controls.
/// @param is_down  KEY_PLACES values, not 0 for a key that is down
/// @param values   a value for each bks_control
void key_map_add(const key_map *map, key_hand hand, const uint8_t *is_down, float *values);

/// Return the control that an action moves.
bks_control key_action_control(key_action action);

/// Return the name of an action on the screen and in files, such as "left trigger".
const char *key_action_name(key_action action);

/// Return the name of a key after its label on most keyboards, such as "Keypad 8".
/// @return static; NULL for a place that has no name and cannot be bound
const char *key_place_name(key_place key);

/// Find a key by its name, in upper or lower case.
/// @return 0: there is none
key_place key_place_named(const char *name, size_t length);

/// Return true for F1 to F12.
bool key_place_is_function(key_place key);

/// Return true if a key has a name and the window does not need it for itself.
bool key_place_is_free(key_place key);

#endif
