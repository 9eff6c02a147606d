// SPDX-License-Identifier: MIT

/// @file window_sdl_hands.h
/// The keyboard and the gamepads of a window, by SDL.

#ifndef BKS_TOOL_WINDOW_SDL_HANDS_H
#define BKS_TOOL_WINDOW_SDL_HANDS_H

#include <SDL.h>

#include "screen/window/keys.h"
#include "screen/window/seat_devices.h"

/// Start from {0} and key_map_usual().
typedef struct sdl_hands {
    key_map keys;
    seat_devices seats;
    SDL_Window *window; ///< the mouse is in it
    bool can_aim;       ///< the mouse is a second stick
    bool is_aiming;     ///< it was moved since it came, and since a stick was
    float mouse_x;      ///< in the window's units
    float mouse_y;      ///< the same
    char label[48];     ///< of the key that was asked for last
} sdl_hands;

/// Take in an event about a gamepad or the mouse; others are left alone.
/// @param pressed  receives buttons as the keys that do the same in a menu
/// @return 1: a gamepad more, -1: one less, 0: neither
int32_t sdl_hands_take(sdl_hands *hands, const SDL_Event *event, key_list *pressed);

/// Fill in what the devices of a player say, a value for each bks_control, within -1..1.
void sdl_hands_controls(sdl_hands *hands, uint32_t seat, uint32_t seats, float *values);

/// What the keyboard in use has printed on a key, as far as ASCII goes.
/// @return the same memory each time; "none" for no key
const char *sdl_hands_label(sdl_hands *hands, key_place key);

#endif
