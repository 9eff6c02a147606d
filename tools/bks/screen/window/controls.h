// SPDX-License-Identifier: MIT

/// @file controls.h
/// A game's input from a keyboard or gamepad.

#ifndef BKS_TOOL_CONTROLS_H
#define BKS_TOOL_CONTROLS_H

#include "backstitch/plugin.h"

/// Convert the values of the controls to an input.
/// @param controls  a value for each bks_control
/// @param values    receives field_count values; they are neutral if no device can play this game
void controls_to_input(const bks_plugin *plugin, const float *controls, int32_t *values);

/// Find the controls that a game reads.
/// @return a bit for each bks_control
uint32_t controls_used(const bks_plugin *plugin);

/// Find the first field that a control changes if it is pressed alone.
/// @return BKS_FIELDS_MAX if the game does not read the control
uint32_t controls_field(const bks_plugin *plugin, bks_control control);

/// Return true if a game reads the second stick, so that a mouse may stand for it.
bool controls_can_aim(const bks_plugin *plugin);

/// Use a mouse as the second stick. The stick's direction is that from the middle of the picture to
/// the mouse. It is at full deflection at a quarter of the shorter side.
/// @param x, y    position of the mouse, in the units of width and height
/// @param values  a value for each bks_control; receives those of the second stick
void controls_aim(float x, float y, float width, float height, float *values);

#endif
