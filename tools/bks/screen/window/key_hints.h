// SPDX-License-Identifier: MIT

/// @file key_hints.h
/// Text beside a game: the keys of those who play at this machine. It is shown while the user is
/// active, and leaves the window to the game at other times.

#ifndef BKS_TOOL_KEY_HINTS_H
#define BKS_TOOL_KEY_HINTS_H

#include "screen/window/window.h"

#define AWAKE_NS UINT64_C(8000000000) ///< this long after the last sign

/// When the user last did something. Start from {0}: not awake.
typedef struct awake {
    uint64_t until_ns;
    bool has_mouse; ///< was looked at before
    float mouse_x;
    float mouse_y;
} awake;

/// Which actions count as a sign, beside the keys F1 to F12.
typedef struct awake_signs {
    bool mouse; ///< the mouse moves or is pressed
    bool keys;  ///< any other key
} awake_signs;

/// Become awake: something happened that the user should see.
void awake_rouse(awake *a, uint64_t now_ns);

/// Become awake if the user gave a sign.
void awake_look(awake *a, const window_wishes *wishes, awake_signs signs, uint64_t now_ns);

/// Return true if the last sign is less than AWAKE_NS old.
bool awake_is(const awake *a, uint64_t now_ns);

/// The keys to describe.
typedef struct key_hints {
    const bks_plugin *plugin; ///< its fields name the buttons; its own text follows the keys
    const key_map *keys;      ///< the keys in use
    uint32_t seats;           ///< players at this machine
    window *window;           ///< knows each player's devices and the labels of keys
} key_hints;

/// Describe the keys, cut where the text is too long. Independent parts stand three spaces apart.
void key_hints_write(const key_hints *line, char *out, size_t capacity);

#endif
