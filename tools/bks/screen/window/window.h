// SPDX-License-Identifier: MIT

/// @file window.h
/// A window to play in, with keyboard and gamepads. There are two of it: window_sdl.c, and
/// window_none.c for builds without SDL2, which never opens.
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

/// Whether there is a display to open a window on, and SDL2 to do it.
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

/// What the user asked for since the last call.
typedef struct window_wishes {
    bool quit;            ///< Escape, or the window's own way
    bool overlay;         ///< F1
    bool is_active;       ///< the window got the keyboard, the clipboard holds something else, or
                          ///< Ctrl+V or Shift+Insert was pressed
    key_list pressed;     ///< all other keys and Escape, those held down again and again
    key_place place;      ///< the key that went down last, whatever it is; 0: none did
    key_list pad_pressed; ///< buttons of gamepads, as the keys that do the same in a menu
    int32_t pads;         ///< gamepads plugged in, less those pulled out
    bool is_held;         ///< the mouse's left button is down, or was pressed since …
    float mouse_x;        ///< … here, in the canvas's units
    float mouse_y;        ///< the same
} window_wishes;

/// Take in what happened.
window_wishes window_poll(window *w);

/// Whether the next key is asked for, whatever it is: F11 is then one like others.
void window_ask_key(window *w, bool is_asked);

/// Which keys mean what from now on.
/// @param keys  copied
void window_set_keys(window *w, const key_map *keys);

/// Whether the mouse is the second stick of the one at the keyboard, of two the first one: from the
/// middle of the window to the mouse, its buttons are the triggers. At first it is not.
void window_set_aim(window *w, bool can_aim);

/// What a key has printed on it here.
/// @return the same memory each time; "none" for no key
const char *window_key_label(window *w, key_place key);

/// What the controls of one of the players at this machine say.
/// @param seat    which of them, 0..seats-1
/// @param seats   how many play here; how they share the devices is in seat_devices.h
/// @param values  receives a value for each bks_control
void window_controls(window *w, uint32_t seat, uint32_t seats, float values[WINDOW_CONTROLS]);

/// What one of the players at this machine plays with.
typedef struct window_seat {
    key_hand hand; ///< what of the keyboard, KEY_HANDS: nothing
    bool has_pad;  ///< a gamepad
} window_seat;

/// @param seat, seats  as in window_controls()
window_seat window_seat_of(window *w, uint32_t seat, uint32_t seats);

/// Fill the screen, or show a window again; F11 does the same.
void window_set_full_screen(window *w, bool is_full);

/// Whether it fills the screen.
bool window_is_full_screen(window *w);

/// The canvas to draw the next frame on. It follows the window's size.
bks_canvas window_canvas(window *w);

/// Whether the user closed it, ever: not by Escape but in the window's own way.
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
    bool is_hidden;   ///< the window is not on it, and need not be drawn
} window_screen;

/// What screen it is on now.
window_screen window_screen_of(window *w);

#endif
