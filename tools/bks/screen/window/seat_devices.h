// SPDX-License-Identifier: MIT

/// @file seat_devices.h
/// Shares out the devices of a machine to its players. Gamepads may come and go during a match, but
/// no player loses one to another player. It does not use a window: a gamepad is a number.

#ifndef BKS_TOOL_SEAT_DEVICES_H
#define BKS_TOOL_SEAT_DEVICES_H

#include "backstitch/plugin.h"
#include "screen/window/key_map.h"

enum {
    SEAT_PADS_MAX = 16, ///< most gamepads; more are ignored
    SEAT_NO_PAD = -1,
};

/// Devices of each player. Start from {0}.
typedef struct seat_devices {
    uint32_t seats; ///< number of players at this machine; 0: no devices are shared out yet
    int32_t pads[BKS_PLAYERS_MAX];
    int32_t spare[SEAT_PADS_MAX]; ///< gamepads without a player, the oldest first
    uint32_t spare_count;
} seat_devices;

/// Share out the devices again if the number of players has changed. Each player gets a gamepad if
/// there are enough. If not, the first player gets the keyboard, or the first two share it, and the
/// players after them get the gamepads. A single player gets both.
void seat_devices_share(seat_devices *d, uint32_t seats);

/// Add a gamepad. A player without a device gets it, else the last player without a gamepad.
void seat_devices_plug(seat_devices *d, int32_t pad);

/// Remove a gamepad. Its player gets a spare gamepad, else a free part of the keyboard.
void seat_devices_unplug(seat_devices *d, int32_t pad);

/// Find the gamepad of a player.
/// @return SEAT_NO_PAD if there is none
int32_t seat_devices_pad(const seat_devices *d, uint32_t seat);

/// Find the part of the keyboard that a player uses.
/// @return KEY_HANDS if the player uses none
key_hand seat_devices_hand(const seat_devices *d, uint32_t seat);

#endif
