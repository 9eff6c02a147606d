// SPDX-License-Identifier: MIT

/// @file watch_view.h
/// Shows a recording in a window with a scrubber, in the terminal, as a line of text each second,
/// or without a picture. It also reads the user's wishes.

#ifndef BKS_TOOL_WATCH_VIEW_H
#define BKS_TOOL_WATCH_VIEW_H

#include "backstitch/plugin.h"
#include "screen/overlay/picture_meter.h"
#include "screen/overlay/scrubber.h"
#include "screen/player/play_view.h"
#include "screen/window/window.h"
#include "watch/watch_overlay.h"
#include "watch/watch_player.h"

/// Kinds of orders that the user gives by keys or the mouse.
typedef enum watch_wish {
    WATCH_WISH_QUIT,
    WATCH_WISH_PAUSE,  ///< pause or continue playing
    WATCH_WISH_STEP,   ///< go `amount` ticks forwards or backwards
    WATCH_WISH_SKIP,   ///< go `amount` seconds forwards or backwards
    WATCH_WISH_GO,     ///< go to the tick `amount`
    WATCH_WISH_GO_END, ///< go to the newest tick
    WATCH_WISH_SPEED,  ///< double the speed `amount` times
    WATCH_WISH_TAKE,   ///< play on from the current tick
} watch_wish;

/// An order of the user, with its amount.
typedef struct watch_order {
    watch_wish wish;
    int32_t amount;
} watch_order;

enum { WATCH_ORDERS_MAX = KEYS_MAX };

/// A view. Opaque.
typedef struct watch_view watch_view;

/// Set-up of a view.
typedef struct watch_view_config {
    play_view_kind kind;
    const char *title;
    window *window;          ///< window, as in play_view_config
    user_settings *settings; ///< settings of the window, as in play_view_config
    uint32_t pictures_hz;    ///< pictures a second, as in play_view_config
    bool lines_to_stderr;
    bool can_aim; ///< true: players who take over may aim with the mouse, as in window_set_aim()
    ears *heard;  ///< sound outputs whose volume the keys of the window change, may be NULL
} watch_view_config;

/// Open a view. Errors go to stderr.
/// @return the view; NULL if it cannot be opened
/// Owned by the caller; release with watch_view_close().
watch_view *watch_view_open(const watch_view_config *config);

/// Close a view. NULL is allowed.
void watch_view_close(watch_view *view);

/// Read the user's input.
/// @param orders  receives the orders, at most WATCH_ORDERS_MAX
/// @return the number of orders
uint32_t watch_view_poll(watch_view *view, const watch_player *player, watch_order *orders);

/// Read the controls of one of `seats` players at this machine. They are zero without a window.
void watch_view_controls(watch_view *view, uint32_t seat, uint32_t seats,
                         float values[WINDOW_CONTROLS]);

/// Show a picture if one is due.
void watch_view_show(watch_view *view, const watch_picture *picture);

/// Return the time at which the next picture is due.
uint64_t watch_view_due_ns(const watch_view *view);

/// Draw the picture with its scrubber into a PNG file. Errors go to stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int watch_view_screenshot(const watch_picture *picture, const char *path);

/// Find the order that a key gives.
/// @return false if the key gives none
bool watch_view_key(uint8_t key, watch_order *out);

/// Return a scrubber of the recording, without texts.
scrubber watch_view_scrubber(const watch_player *player);

/// Describe the current tick: the newest event shortly before it, damage, or how to continue.
/// @param room  may receive the text
/// @return the text, NULL if there is nothing to say
const char *watch_view_remark(const watch_picture *picture, char room[OVERLAY_TEXT_BYTES]);

/// Write the line above the scrubber: the state of the player.
void watch_view_status(const watch_picture *picture, char out[OVERLAY_TEXT_BYTES]);

#endif
