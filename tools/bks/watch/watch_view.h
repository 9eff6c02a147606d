// SPDX-License-Identifier: MIT

/// @file watch_view.h
/// How a recording is shown: in a window with a scrubber, in the terminal, as a line of text each
/// second, or without a picture; and what the user wishes.

#ifndef BKS_TOOL_WATCH_VIEW_H
#define BKS_TOOL_WATCH_VIEW_H

#include "backstitch/plugin.h"
#include "screen/overlay/picture_meter.h"
#include "screen/overlay/scrubber.h"
#include "screen/player/play_view.h"
#include "screen/window/window.h"
#include "watch/watch_overlay.h"
#include "watch/watch_player.h"

/// Wishes of the user.
typedef enum watch_wish {
    WATCH_WISH_QUIT,
    WATCH_WISH_PAUSE,  ///< or continue
    WATCH_WISH_STEP,   ///< `amount` ticks on, or back
    WATCH_WISH_SKIP,   ///< `amount` seconds on, or back
    WATCH_WISH_GO,     ///< to the tick `amount`
    WATCH_WISH_GO_END, ///< to the newest there is
    WATCH_WISH_SPEED,  ///< twice as fast `amount` times
    WATCH_WISH_TAKE,   ///< play on from here
} watch_wish;

/// A wish with its amount.
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
    window *window;          ///< as in play_view_config
    user_settings *settings; ///< the same
    uint32_t pictures_hz;    ///< the same
    bool lines_to_stderr;
    bool can_aim; ///< as in window_set_aim(), for players who take over
    ears *heard;  ///< by keys of the window louder or not, may be NULL
} watch_view_config;

/// Open a view. Errors go to stderr.
/// @return NULL when it cannot be opened
/// Owned by the caller; release with watch_view_close().
watch_view *watch_view_open(const watch_view_config *config);

/// Close a view. NULL is allowed.
void watch_view_close(watch_view *view);

/// Read what the user did.
/// @param orders  receives the wishes, WATCH_ORDERS_MAX of them at most
/// @return how many
uint32_t watch_view_poll(watch_view *view, const watch_player *player, watch_order *orders);

/// Read the controls of one of `seats` players at this machine; zero without a window.
void watch_view_controls(watch_view *view, uint32_t seat, uint32_t seats,
                         float values[WINDOW_CONTROLS]);

/// Show a picture, if it is time for one.
void watch_view_show(watch_view *view, const watch_picture *picture);

/// When the next one is due.
uint64_t watch_view_due_ns(const watch_view *view);

/// Draw the picture into a PNG file, scrubber and all; errors go to stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int watch_view_screenshot(const watch_picture *picture, const char *path);

/// Find the order that a key gives.
/// @return whether it gives one
bool watch_view_key(uint8_t key, watch_order *out);

/// Make a scrubber of the recording, without texts.
scrubber watch_view_scrubber(const watch_player *player);

/// Describe the current tick: the newest event shortly before it, damage, or how to go on.
/// @param room  may receive it
/// @return the text, NULL: nothing
const char *watch_view_remark(const watch_picture *picture, char room[OVERLAY_TEXT_BYTES]);

/// Write the state of the player: the line over the scrubber.
void watch_view_status(const watch_picture *picture, char out[OVERLAY_TEXT_BYTES]);

#endif
