// SPDX-License-Identifier: MIT

/// @file awake.h
/// Whether the user did something of late: what stands beside a game is shown then, and leaves the
/// window to the game at other times.

#ifndef BKS_TOOL_AWAKE_H
#define BKS_TOOL_AWAKE_H

#include "screen/window/window.h"

#define AWAKE_NS UINT64_C(8000000000) ///< this long after the last sign

/// Start from {0}: not awake.
typedef struct awake {
    uint64_t until_ns;
    bool has_mouse; ///< was looked at before
    float mouse_x;
    float mouse_y;
} awake;

/// What counts as a sign, beside the keys F1 to F12.
typedef struct awake_signs {
    bool mouse; ///< it moves, or is pressed
    bool keys;  ///< any other key
} awake_signs;

/// Something happened that the user should see.
void awake_rouse(awake *a, uint64_t now_ns);

/// Look for a sign among what the user did.
void awake_look(awake *a, const window_wishes *wishes, awake_signs signs, uint64_t now_ns);

/// Whether there was one of late.
bool awake_is(const awake *a, uint64_t now_ns);

#endif
