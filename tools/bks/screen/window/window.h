// SPDX-License-Identifier: MIT

/// @file window.h
/// A window to play in, with keyboard and gamepads. window_sdl.c implements it; in builds without
/// SDL2 window_none.c, which never opens one.
///
/// The order of a frame gives the least lag: wait, window_poll(), read the controls, step, draw,
/// window_present(). No frame is queued behind it.

#ifndef BKS_TOOL_WINDOW_H
#define BKS_TOOL_WINDOW_H

#include "backstitch/plugin.h"
#include "screen/window/keys.h"
#include "screen/window/settings.h"

/// Length of an array indexed by bks_control.
enum { WINDOW_CONTROLS = BKS_CONTROL_START + 1 };

/// A window. Opaque.
typedef struct window window;

/// Return true if there is a display, and SDL2 to open a window on it.
bool window_can_open(void);

/// Open a window. Errors go to stderr.
/// @param is_synced  presenting waits for the screen, where it can
/// @param settings   its keys, and whether it fills the screen; NULL: the usual ones
/// @return NULL when it cannot be opened
/// Owned by the caller; release with window_close().
window *window_open(const char *title, int width, int height, bool is_synced,
                    const user_settings *settings);

/// Close a window. NULL is allowed.
void window_close(window *w);

/// Actions of the user since the last call.
typedef struct window_wishes {
    bool quit;            ///< Escape, or the window's own way
    bool overlay;         ///< F1
    bool is_active;       ///< the window got the keyboard, the clipboard holds something else, or
                          ///< Ctrl+V or Shift+Insert was pressed
    key_list pressed;     ///< all other keys and Escape, those held down again and again
    key_place place;      ///< last key that went down, of all keys; 0: none
    key_list pad_pressed; ///< buttons of gamepads, as the keys that do the same in a menu
    int32_t pads;         ///< gamepads plugged in, less those pulled out
    bool is_held;         ///< the mouse's left button is down, or was pressed since …
    float mouse_x;        ///< … here, in the canvas's units
    float mouse_y;        ///< the same
} window_wishes;

/// Handle events and return the user's actions.
window_wishes window_poll(window *w);

/// Report the next key whatever it is: F11 does not switch the screen then.
void window_ask_key(window *w, bool is_asked);

/// Set the keys of all actions.
/// @param keys  copied
void window_set_keys(window *w, const key_map *keys);

/// Let the mouse be the second stick and its buttons the triggers, for the player at the keyboard,
/// the first of two. The stick points from the middle of the window to the mouse. Off at
/// first.
void window_set_aim(window *w, bool can_aim);

/// Return the label of a key on this keyboard.
/// @return the same memory each time; "none" for no key
const char *window_key_label(window *w, key_place key);

/// Read the controls of a player at this machine.
/// @param seat    which of them, 0..seats-1
/// @param seats   how many play here; how they share the devices is in seat_devices.h
/// @param values  receives a value for each bks_control
void window_controls(window *w, uint32_t seat, uint32_t seats, float values[WINDOW_CONTROLS]);

/// Devices of a player at this machine.
typedef struct window_seat {
    key_hand hand; ///< part of the keyboard, KEY_HANDS: none
    bool has_pad;  ///< a gamepad
} window_seat;

/// @param seat, seats  as in window_controls()
window_seat window_seat_of(window *w, uint32_t seat, uint32_t seats);

/// Fill the screen, or show a window again; F11 does the same.
void window_set_full_screen(window *w, bool is_full);

/// Return true if the window fills the screen.
bool window_is_full_screen(window *w);

/// The canvas to draw the next frame on. It follows the window's size.
bks_canvas window_canvas(window *w);

/// Return true if the user has closed the window: by the window's own button, not by Escape.
bool window_is_closed(const window *w);

/// Put a text on the system's clipboard.
/// @return false when it cannot be
bool window_copy(window *w, const char *text);

/// Text from the system's clipboard, which may hold anything.
/// @param out  receives its beginning, as much as fits; "" where there is none
void window_paste(window *w, char *out, size_t capacity);

/// Show the frame.
void window_present(window *w);

/// The screen that a window is on.
typedef struct window_screen {
    uint32_t rate_hz; ///< pictures a second, 0: it does not say
    bool is_synced;   ///< presenting waits for it
    bool is_hidden;   ///< the window is hidden and need not be drawn
} window_screen;

/// Return the screen that the window is on.
window_screen window_screen_of(window *w);

#endif
