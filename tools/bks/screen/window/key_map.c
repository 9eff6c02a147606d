// SPDX-License-Identifier: MIT

#include "screen/window/key_map.h"

#include <string.h>
#include <strings.h>

// Numbers of keys in the keyboard page (USB HID Usage Tables 1.12, section 10).
enum {
    KEY_A = 4,
    KEY_D = 7,
    KEY_E,
    KEY_F,
    KEY_G,
    KEY_H,
    KEY_I,
    KEY_J,
    KEY_K,
    KEY_L,
    KEY_M,
    KEY_O = 18,
    KEY_Q = 20,
    KEY_S = 22,
    KEY_T,
    KEY_U,
    KEY_W = 26,
    KEY_1 = 30,
    KEY_RETURN = 40,
    KEY_ESC,
    KEY_TAB = 43,
    KEY_MINUS = 45,
    KEY_EQUALS,
    KEY_F1 = 58,
    KEY_F5 = 62,
    KEY_F11 = 68,
    KEY_F12,
    KEY_TO_RIGHT = 79,
    KEY_TO_LEFT,
    KEY_TO_DOWN,
    KEY_TO_UP,
    KEYPAD_MINUS = 86,
    KEYPAD_PLUS,
    KEYPAD_ENTER,
    KEYPAD_1,
    KEYPAD_4 = KEYPAD_1 + 3,
    KEYPAD_5,
    KEYPAD_6,
    KEYPAD_7,
    KEYPAD_8,
    KEYPAD_9,
};

// Usual keys of each player, in the order of key_action. Keypad keys are only alternatives to other
// keys.
// clang-format off
static const key_map usual = {
    .keys = {
        [KEY_HAND_ALONE] = {
            {KEY_W}, {KEY_A}, {KEY_S}, {KEY_D},
            {KEY_I, KEY_TO_UP}, {KEY_J, KEY_TO_LEFT}, {KEY_K, KEY_TO_DOWN}, {KEY_L, KEY_TO_RIGHT},
            {KEY_Q}, {KEY_E}, {KEY_RETURN},
        },
        [KEY_HAND_FIRST] = {
            {KEY_W}, {KEY_A}, {KEY_S}, {KEY_D},
            {KEY_T}, {KEY_F}, {KEY_G}, {KEY_H},
            {KEY_Q}, {KEY_E}, {KEY_TAB},
        },
        [KEY_HAND_SECOND] = {
            {KEY_TO_UP}, {KEY_TO_LEFT}, {KEY_TO_DOWN}, {KEY_TO_RIGHT},
            {KEY_I, KEYPAD_8}, {KEY_J, KEYPAD_4}, {KEY_K, KEYPAD_5}, {KEY_L, KEYPAD_6},
            {KEY_U, KEYPAD_7}, {KEY_O, KEYPAD_9}, {KEY_RETURN, KEYPAD_ENTER},
        },
    },
};
// clang-format on

// Names of keys, from KEY_A on.
// clang-format off
static const char *const names[] = {
    "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q",
    "R", "S", "T", "U", "V", "W", "X", "Y", "Z", "1", "2", "3", "4", "5", "6", "7", "8",
    "9", "0", "Return", "Escape", "Backspace", "Tab", "Space", "Minus", "Equals",
    "Left Bracket", "Right Bracket", "Backslash", "Hash", "Semicolon", "Apostrophe",
    "Grave", "Comma", "Period", "Slash", "Caps Lock", "F1", "F2", "F3", "F4", "F5", "F6",
    "F7", "F8", "F9", "F10", "F11", "F12", "Print Screen", "Scroll Lock", "Pause", "Insert",
    "Home", "Page Up", "Delete", "End", "Page Down", "Right", "Left", "Down", "Up",
    "Num Lock", "Keypad Slash", "Keypad Star", "Keypad Minus", "Keypad Plus",
    "Keypad Enter", "Keypad 1", "Keypad 2", "Keypad 3", "Keypad 4", "Keypad 5", "Keypad 6",
    "Keypad 7", "Keypad 8", "Keypad 9", "Keypad 0", "Keypad Period", "Angle",
};
// clang-format on
static const char *const modifiers[] = {"Left Ctrl",  "Left Shift",  "Left Alt",  "Left Super",
                                        "Right Ctrl", "Right Shift", "Right Alt", "Right Super"};

enum {
    NAMES = sizeof(names) / sizeof(names[0]),
    MODIFIERS = sizeof(modifiers) / sizeof(modifiers[0]),
    MODIFIERS_FIRST = 224,
};

_Static_assert(KEY_A + NAMES == 101, "one name for each key");

void key_map_usual(key_map *out)
{
    *out = usual;
}

static void forget(key_map *map, key_hand hand, key_place key)
{
    for (int action = 0; action < KEY_ACTIONS; action++) {
        key_place *keys = map->keys[hand][action];
        if (keys[1] == key) {
            keys[1] = 0;
        }
        if (keys[0] == key) {
            keys[0] = keys[1];
            keys[1] = 0;
        }
    }
}

// Return the other player at the same keyboard.
static key_hand other_hand(key_hand hand)
{
    return hand == KEY_HAND_FIRST    ? KEY_HAND_SECOND
           : hand == KEY_HAND_SECOND ? KEY_HAND_FIRST
                                     : KEY_HAND_ALONE;
}

// Remove a key from all actions of both players at a keyboard.
static void forget_both(key_map *map, key_hand hand, key_place key)
{
    forget(map, hand, key);
    forget(map, other_hand(hand), key);
}

bool key_map_find(const key_map *map, key_hand hand, key_place key, key_hand *whose,
                  key_action *action)
{
    const key_hand hands[] = {hand, other_hand(hand)};
    for (int i = 0; i < 2 * KEY_ACTIONS && key != 0; i++) {
        const key_place *keys = map->keys[hands[i / KEY_ACTIONS]][i % KEY_ACTIONS];
        if (keys[0] == key || keys[1] == key) {
            *whose = hands[i / KEY_ACTIONS];
            *action = (key_action)(i % KEY_ACTIONS);
            return true;
        }
    }
    return false;
}

bool key_map_bind(key_map *map, key_hand hand, key_action action, key_place key)
{
    if (!key_place_is_free(key)) {
        return false;
    }
    forget_both(map, hand, key);
    map->keys[hand][action][0] = key;
    map->keys[hand][action][1] = 0;
    return true;
}

bool key_map_add_key(key_map *map, key_hand hand, key_action action, key_place key)
{
    if (!key_place_is_free(key)) {
        return false;
    }
    forget_both(map, hand, key);
    key_place *keys = map->keys[hand][action];
    keys[keys[0] != 0 ? 1 : 0] = key;
    return true;
}

void key_map_set(key_map *map, key_hand hand, key_action action,
                 const key_place keys[KEY_ALTERNATIVES])
{
    for (int i = 0; i < KEY_ALTERNATIVES; i++) {
        if (keys[i] != 0) {
            forget_both(map, hand, keys[i]);
        }
    }
    memcpy(map->keys[hand][action], keys, sizeof(map->keys[hand][action]));
}

void key_map_clear(key_map *map, key_hand hand, key_action action)
{
    memset(map->keys[hand][action], 0, sizeof(map->keys[hand][action]));
}

void key_map_reset(key_map *map, key_hand hand)
{
    for (int action = 0; action < KEY_ACTIONS; action++) {
        for (int i = 0; i < KEY_ALTERNATIVES; i++) {
            if (usual.keys[hand][action][i] != 0) {
                forget_both(map, hand, usual.keys[hand][action][i]);
            }
        }
    }
    memcpy(map->keys[hand], usual.keys[hand], sizeof(map->keys[hand]));
}

static const struct {
    bks_control control;
    float value;
} meanings[KEY_ACTIONS] = {
    [KEY_ACTION_UP] = {BKS_CONTROL_LEFT_Y, -1.0F},
    [KEY_ACTION_LEFT] = {BKS_CONTROL_LEFT_X, -1.0F},
    [KEY_ACTION_DOWN] = {BKS_CONTROL_LEFT_Y, 1.0F},
    [KEY_ACTION_RIGHT] = {BKS_CONTROL_LEFT_X, 1.0F},
    [KEY_ACTION_NORTH] = {BKS_CONTROL_NORTH, 1.0F},
    [KEY_ACTION_WEST] = {BKS_CONTROL_WEST, 1.0F},
    [KEY_ACTION_SOUTH] = {BKS_CONTROL_SOUTH, 1.0F},
    [KEY_ACTION_EAST] = {BKS_CONTROL_EAST, 1.0F},
    [KEY_ACTION_TRIGGER_LEFT] = {BKS_CONTROL_TRIGGER_LEFT, 1.0F},
    [KEY_ACTION_TRIGGER_RIGHT] = {BKS_CONTROL_TRIGGER_RIGHT, 1.0F},
    [KEY_ACTION_START] = {BKS_CONTROL_START, 1.0F},
};

bks_control key_action_control(key_action action)
{
    return meanings[action].control;
}

void key_map_add(const key_map *map, key_hand hand, const uint8_t *is_down, float *values)
{
    for (int action = 0; action < KEY_ACTIONS; action++) {
        const key_place *keys = map->keys[hand][action];
        const bool is_pressed =
            (keys[0] != 0 && is_down[keys[0]] != 0) || (keys[1] != 0 && is_down[keys[1]] != 0);
        values[meanings[action].control] += is_pressed ? meanings[action].value : 0.0F;
    }
}

const char *key_action_name(key_action action)
{
    static const char *const texts[KEY_ACTIONS] = {
        [KEY_ACTION_UP] = "up",
        [KEY_ACTION_LEFT] = "left",
        [KEY_ACTION_DOWN] = "down",
        [KEY_ACTION_RIGHT] = "right",
        [KEY_ACTION_NORTH] = "upper button",
        [KEY_ACTION_WEST] = "left button",
        [KEY_ACTION_SOUTH] = "lower button",
        [KEY_ACTION_EAST] = "right button",
        [KEY_ACTION_TRIGGER_LEFT] = "left trigger",
        [KEY_ACTION_TRIGGER_RIGHT] = "right trigger",
        [KEY_ACTION_START] = "start",
    };
    return texts[action];
}

const char *key_place_name(key_place key)
{
    if (key >= KEY_A && key < KEY_A + NAMES) {
        return names[key - KEY_A];
    }
    if (key >= MODIFIERS_FIRST && key < MODIFIERS_FIRST + MODIFIERS) {
        return modifiers[key - MODIFIERS_FIRST];
    }
    return NULL;
}

key_place key_place_named(const char *name, size_t length)
{
    for (key_place key = 1; key < KEY_PLACES; key++) {
        const char *known = key_place_name(key);
        if (known != NULL && strlen(known) == length && strncasecmp(known, name, length) == 0) {
            return key;
        }
    }
    return 0;
}

bool key_place_is_function(key_place key)
{
    return key >= KEY_F1 && key <= KEY_F12;
}

bool key_place_is_free(key_place key)
{
    static const key_place taken[] = {KEY_ESC,    KEY_F11,      KEY_M,      KEY_MINUS,
                                      KEY_EQUALS, KEYPAD_MINUS, KEYPAD_PLUS};
    if (key >= KEY_F1 && key <= KEY_F5) {
        return false; // F1 to F4 are keys of the overlay, F5 pauses, so no action gets them
    }
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
        if (key == taken[i]) {
            return false;
        }
    }
    return key_place_name(key) != NULL;
}
