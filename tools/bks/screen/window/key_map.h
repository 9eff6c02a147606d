// SPDX-License-Identifier: MIT

/// @file key_map.h Maps keys of a keyboard to controls, for one player or for two who share the
/// keyboard. It does not use a window: a key is identified by its position on the keyboard, and the
/// caller says which keys are down.

#ifndef BKS_TOOL_KEY_MAP_H
#define BKS_TOOL_KEY_MAP_H

#include <stddef.h>

#include "backstitch/plugin.h"

/// A key by its position on the keyboard, independent of its label: its number in the keyboard page
/// of the USB HID usage tables. SDL's scancodes are the same numbers. 0: none.
typedef uint16_t key_place;

enum {
    KEY_PLACES = 256,    ///< one past the largest key_place
    KEY_ALTERNATIVES = 2 ///< maximum number of keys of one action
};

/// Who uses a keyboard: a player alone, or one of two players with half of it each.
typedef enum key_hand {
    KEY_HAND_ALONE,
    KEY_HAND_FIRST,  ///< first of two players: the left half of the keyboard
    KEY_HAND_SECOND, ///< second of two players: the right half
    KEY_HANDS,
} key_hand;

/// Actions that keys can have.
typedef enum key_action {
    KEY_ACTION_UP, ///< first of four directions of the left stick
    KEY_ACTION_LEFT,
    KEY_ACTION_DOWN,
    KEY_ACTION_RIGHT,
    KEY_ACTION_NORTH, ///< first of the four face buttons
    KEY_ACTION_WEST,
    KEY_ACTION_SOUTH,
    KEY_ACTION_EAST,
    KEY_ACTION_TRIGGER_LEFT,
    KEY_ACTION_TRIGGER_RIGHT,
    KEY_ACTION_START,
    KEY_ACTIONS,
} key_action;

/// Keys of each action of each player.
typedef struct key_map {
    key_place keys[KEY_HANDS][KEY_ACTIONS][KEY_ALTERNATIVES];
} key_map;

/// Fill in the usual keys. Two players who share a keyboard need no keypad for them.
void key_map_usual(key_map *out);

/// Bind an action to one key instead of its present keys. The key loses its other actions, for this
/// player and for the other one at the keyboard.
/// @return false if the key cannot be bound (key_place_is_free())
bool key_map_bind(key_map *map, key_hand hand, key_action action, key_place key);

/// Bind an action to a second key, besides its first one. The key loses its other actions, as with
/// key_map_bind().
/// @return false if the key cannot be bound
bool key_map_add_key(key_map *map, key_hand hand, key_action action, key_place key);

/// Bind an action to several keys instead of its present keys. The keys lose their other actions,
/// as with key_map_bind().
/// @param keys  KEY_ALTERNATIVES keys that can be bound; unused entries are 0 and come last
void key_map_set(key_map *map, key_hand hand, key_action action,
                 const key_place keys[KEY_ALTERNATIVES]);

/// Remove all keys of an action.
void key_map_clear(key_map *map, key_hand hand, key_action action);

/// Find the present action of a key, for this player or the other one at the keyboard.
/// @param whose   receives the player
/// @param action  receives the action
/// @return false if the key has no action
bool key_map_find(const key_map *map, key_hand hand, key_place key, key_hand *whose,
                  key_action *action);

/// Give a player the usual keys. The other player at the keyboard loses these keys.
void key_map_reset(key_map *map, key_hand hand);

/// Add the state of a player's keys to the controls.
/// @param is_down  KEY_PLACES values, nonzero for a key that is down
/// @param values   a value for each bks_control
void key_map_add(const key_map *map, key_hand hand, const uint8_t *is_down, float *values);

/// Return the control that an action moves.
bks_control key_action_control(key_action action);

/// Return the name of an action for the screen and files, such as "left trigger".
const char *key_action_name(key_action action);

/// Return the name of a key by its label on most keyboards, such as "Keypad 8".
/// @return a static text; NULL for a key that has no name and cannot be bound
const char *key_place_name(key_place key);

/// Find a key by its name, in upper or lower case.
/// @return 0 if there is none
key_place key_place_named(const char *name, size_t length);

/// Return true if a key is one of F1 to F12.
bool key_place_is_function(key_place key);

/// Return true if a key has a name and the window does not need it for itself.
bool key_place_is_free(key_place key);

#endif
