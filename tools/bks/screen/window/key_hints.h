// SPDX-License-Identifier: MIT

/// @file key_hints.h
/// Text beside a game that describes the keys of the players at this machine. It is shown while the
/// user is active. At other times the game has the whole window.

#ifndef BKS_TOOL_KEY_HINTS_H
#define BKS_TOOL_KEY_HINTS_H

#include "screen/window/window.h"

/// Time for which the text stays after the user's last action.
#define AWAKE_NS UINT64_C(8000000000)

/// Record of the user's last action: the time until which it keeps the text shown, and the position
/// of the mouse. Start from {0}: no action yet.
typedef struct awake {
    uint64_t until_ns;
    bool has_mouse; ///< true: the position of the mouse is known
    float mouse_x;
    float mouse_y;
} awake;

/// Kinds of actions that keep the text shown. The keys F1 to F12 always do.
typedef struct awake_signs {
    bool mouse; ///< true: moving the mouse or pressing its button keeps the text shown
    bool keys;  ///< true: pressing any key keeps the text shown
} awake_signs;

/// Show the text for AWAKE_NS from now on, as after an action of the user.
void awake_rouse(awake *a, uint64_t now_ns);

/// Record the user's action, if there was one.
void awake_look(awake *a, const window_wishes *wishes, awake_signs signs, uint64_t now_ns);

/// Return true if the last action is less than AWAKE_NS old.
bool awake_is(const awake *a, uint64_t now_ns);

/// Description of the keys.
typedef struct key_hints {
    const bks_plugin *plugin; ///< game whose fields name the buttons; its own text follows the keys
    const key_map *keys;      ///< keys of the players at present
    uint32_t seats;           ///< number of players at this machine
    window *window;           ///< window, which knows each player's devices and the labels of keys
} key_hints;

/// Write the description of the keys, cut if it is too long. Three spaces separate independent
/// parts.
void key_hints_write(const key_hints *line, char *out, size_t capacity);

#endif
