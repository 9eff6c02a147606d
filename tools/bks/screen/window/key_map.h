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
    KEY_PLACES = 256,    ///< all are below
    KEY_ALTERNATIVES = 2 ///< keys that mean the same
};

/// Those who sit at a keyboard.
typedef enum key_hand {
    KEY_HAND_ALONE,
    KEY_HAND_FIRST,  ///< of two: the left half of the keyboard
    KEY_HAND_SECOND, ///< of two: the right half
    KEY_HANDS,
} key_hand;

/// What a key can mean.
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

/// Which keys mean what.
typedef struct key_map {
    key_place keys[KEY_HANDS][KEY_ACTIONS][KEY_ALTERNATIVES];
} key_map;

/// Fill in the keys that are usual. Two who share a keyboard need no keypad.
void key_map_usual(key_map *out);

/// Let one key mean an action, instead of those before. What it meant until now to the same player,
/// or to the other one at the keyboard, it means no more.
/// @return false: the key cannot be had (key_place_is_free())
bool key_map_bind(key_map *map, key_hand hand, key_action action, key_place key);

/// Let one key mean an action too, beside the first of those before. What it meant until now it
/// means no more, as with key_map_bind().
/// @return false: the key cannot be had
bool key_map_add_key(key_map *map, key_hand hand, key_action action, key_place key);

/// Let some keys mean an action, instead of those before. What they meant they mean no more, as
/// with key_map_bind().
/// @param keys  KEY_ALTERNATIVES of them that can be had, the first ones; 0: none
void key_map_set(key_map *map, key_hand hand, key_action action,
                 const key_place keys[KEY_ALTERNATIVES]);

/// Let no key mean an action.
void key_map_clear(key_map *map, key_hand hand, key_action action);

/// Whom a key would be taken from: the same player, or the other one at the keyboard.
/// @param whose   receives the player
/// @param action  receives what it means
/// @return false: it is free
bool key_map_find(const key_map *map, key_hand hand, key_place key, key_hand *whose,
                  key_action *action);

/// Let one player's keys be the usual ones. Those of the other at the keyboard mean nothing else.
void key_map_reset(key_map *map, key_hand hand);

/// Add what a player's keys say to the controls.
/// @param is_down  whether a key is, by its place, KEY_PLACES of them
/// @param values   a value for each bks_control
void key_map_add(const key_map *map, key_hand hand, const uint8_t *is_down, float *values);

/// The control that an action moves.
bks_control key_action_control(key_action action);

/// What an action is called on the screen and in files, such as "trigger left".
const char *key_action_name(key_action action);

/// What the key at a place is called, after its label on most keyboards, such as "Keypad 8".
/// @return static; NULL for a place that has no name and cannot be bound
const char *key_place_name(key_place key);

/// The key of a name, whatever the case.
/// @return 0: there is none
key_place key_place_named(const char *name, size_t length);

/// Whether it is one of F1 to F12.
bool key_place_is_function(key_place key);

/// Whether a key has a name and the window does not need it for itself.
bool key_place_is_free(key_place key);

#endif
