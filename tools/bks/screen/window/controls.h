// SPDX-License-Identifier: MIT

/// @file controls.h
/// From a keyboard or gamepad to a game's input.

#ifndef BKS_TOOL_CONTROLS_H
#define BKS_TOOL_CONTROLS_H

#include "backstitch/plugin.h"

/// Make an input from what the controls say.
/// @param controls  a value for each bks_control
/// @param values    receives field_count values; neutral when no device can play this game
void controls_to_input(const bks_plugin *plugin, const float *controls, int32_t *values);

/// Which controls a game reads.
/// @return a bit for each bks_control
uint32_t controls_used(const bks_plugin *plugin);

/// The field that a control changes, pressed alone; the first of several.
/// @return BKS_FIELDS_MAX: the game does not read it
uint32_t controls_field(const bks_plugin *plugin, bks_control control);

/// Whether a game reads the second stick, so that a mouse may stand for it.
bool controls_can_aim(const bks_plugin *plugin);

/// The second stick that a mouse stands for: from the middle of the picture to the mouse, all the
/// way at a quarter of the shorter side.
/// @param x, y    of the mouse, in the units of width and height
/// @param values  a value for each bks_control; receives those of the stick
void controls_aim(float x, float y, float width, float height, float *values);

#endif
