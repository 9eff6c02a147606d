// SPDX-License-Identifier: MIT

/// @file seat_devices.h
/// What each of the players at a machine plays with: gamepads come and go in the middle of a match,
/// and no one loses a gamepad to another player by that. Knows no window: a gamepad is a number.

#ifndef BKS_TOOL_SEAT_DEVICES_H
#define BKS_TOOL_SEAT_DEVICES_H

#include "backstitch/plugin.h"
#include "screen/window/key_map.h"

enum {
    SEAT_PADS_MAX = 16, ///< gamepads; more are not looked at
    SEAT_NO_PAD = -1,
};

/// What each player plays with. Start from {0}.
typedef struct seat_devices {
    uint32_t seats; ///< 0: not yet shared out
    int32_t pads[BKS_PLAYERS_MAX];
    int32_t spare[SEAT_PADS_MAX]; ///< gamepads without a player, the oldest first
    uint32_t spare_count;
} seat_devices;

/// Share them out anew where the number of players has changed: keyboards go to the first two,
/// gamepads to the last ones. A player alone has both.
void seat_devices_share(seat_devices *d, uint32_t seats);

/// A gamepad was plugged in. It goes to a player who has nothing, else to the last one without a
/// gamepad.
void seat_devices_plug(seat_devices *d, int32_t pad);

/// A gamepad is gone. Its player gets a spare one, else what is left of the keyboard.
void seat_devices_unplug(seat_devices *d, int32_t pad);

/// The gamepad of a player.
/// @return SEAT_NO_PAD when there is none
int32_t seat_devices_pad(const seat_devices *d, uint32_t seat);

/// What of the keyboard a player has.
/// @return KEY_HANDS: nothing
key_hand seat_devices_hand(const seat_devices *d, uint32_t seat);

#endif
