// SPDX-License-Identifier: MIT

/// @file window.h
/// A window to play in, with keyboard and gamepads. window_sdl.c implements it. In builds without
/// SDL2, window_none.c does, which never opens a window.
///
/// This order of calls for a picture gives the least latency: wait, window_poll(), read the
/// controls, step, draw, window_present(). No picture is queued.

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
/// @param is_synced  true: presenting waits for the screen, if the system can
/// @param settings   keys and full screen; NULL: the usual ones
/// @return NULL if the window cannot be opened
/// Owned by the caller; release with window_close().
window *window_open(const char *title, int width, int height, bool is_synced,
                    const user_settings *settings);

/// Close a window. NULL is allowed.
void window_close(window *w);

/// Actions of the user since the last call.
typedef struct window_wishes {
    bool quit;        ///< true: Escape or the window's close button was pressed
    uint32_t overlay; ///< number of times that F1 was pressed
    /// True: the window got the focus, the clipboard changed, or Ctrl+V or Shift+Insert was
    /// pressed.
    bool is_active;
    /// Keys that were pressed, including Escape but not F1. Keys that are held repeat.
    key_list pressed;
    key_place place; ///< last key of any kind that went down; 0: none
    /// Gamepad buttons that were pressed, each as the key with the same effect in a menu.
    key_list pad_pressed;
    int32_t pads; ///< number of gamepads plugged in minus those unplugged
    /// True: the mouse's left button is down, or was pressed since the last call.
    bool is_held;
    float mouse_x; ///< horizontal position of the mouse, in the canvas's units
    float mouse_y; ///< vertical position of the mouse, in the canvas's units
} window_wishes;

/// Handle events and return the user's actions.
window_wishes window_poll(window *w);

/// Report the next key without its usual effect, even if the key is F11.
void window_ask_key(window *w, bool is_asked);

/// Set the keys of all actions.
/// @param keys  copied
void window_set_keys(window *w, const key_map *keys);

/// Use the mouse as the second stick, and its buttons as the triggers, for the player at the
/// keyboard or the first of two. The stick's direction is that from the middle of the window to the
/// mouse. Off at first.
void window_set_aim(window *w, bool can_aim);

/// Return the label of a key on the keyboard in use.
/// @return the label, in memory that the next call overwrites; "none" for no key
const char *window_key_label(window *w, key_place key);

/// Read the controls of a player at this machine.
/// @param seat    index of the player, 0..seats-1
/// @param seats   number of players at this machine; seat_devices.h shares out the devices
/// @param values  receives a value for each bks_control
void window_controls(window *w, uint32_t seat, uint32_t seats, float values[WINDOW_CONTROLS]);

/// Devices of a player at this machine.
typedef struct window_seat {
    key_hand hand; ///< part of the keyboard; KEY_HANDS: none
    bool has_pad;  ///< true: the player has a gamepad
} window_seat;

/// Return the devices of a player at this machine.
/// @param seat, seats  as in window_controls()
window_seat window_seat_of(window *w, uint32_t seat, uint32_t seats);

/// Fill the screen, or return to a window, as F11 does.
void window_set_full_screen(window *w, bool is_full);

/// Return true if the window fills the screen.
bool window_is_full_screen(window *w);

/// Return the canvas of the next picture. It follows the window's size.
bks_canvas window_canvas(window *w);

/// Return true if the user has closed the window by its close button. Escape does not count.
bool window_is_closed(const window *w);

/// Put a text on the system's clipboard.
/// @return false on failure
bool window_copy(window *w, const char *text);

/// Read the text on the system's clipboard. It is untrusted.
/// @param out  receives as much of the text as fits; "" if there is none
void window_paste(window *w, char *out, size_t capacity);

/// Show the picture that was drawn.
void window_present(window *w);

/// Properties of a screen.
typedef struct window_screen {
    uint32_t rate_hz; ///< pictures that the screen shows in a second, 0: not known
    bool is_synced;   ///< true: presenting waits for the screen
    bool is_hidden;   ///< true: the window is hidden and need not be drawn
} window_screen;

/// Return the screen that the window is on.
window_screen window_screen_of(window *w);

#endif
