// SPDX-License-Identifier: MIT

/// @file play_view.h
/// Shows a match in a window, in the terminal, as a line of text each second, or not at all.

#ifndef BKS_TOOL_PLAY_VIEW_H
#define BKS_TOOL_PLAY_VIEW_H

#include "backstitch/match.h"
#include "backstitch/plugin.h"
#include "backstitch/present.h"
#include "game/source.h"
#include "screen/overlay/overlay.h"
#include "screen/window/frame_pace.h"
#include "screen/window/settings.h"
#include "screen/window/window.h"
#include "sound/ears.h"

/// Kinds of views.
typedef enum play_view_kind {
    PLAY_VIEW_NONE,   ///< show nothing
    PLAY_VIEW_LINES,  ///< write a line of text each second
    PLAY_VIEW_TERM,   ///< show pictures in the terminal
    PLAY_VIEW_WINDOW, ///< show a window, with keyboard and gamepads
} play_view_kind;

/// Return the best kind of view on this machine.
play_view_kind play_view_best(void);

/// Set-up of a view.
typedef struct play_view_config {
    play_view_kind kind;
    /// For PLAY_VIEW_WINDOW: an open window that the view uses and does not close. NULL: the view
    /// opens a window of its own.
    window *window;
    /// Settings that keys of the window change: volume and full screen. NULL: the usual ones.
    user_settings *settings;
    const bks_plugin *plugin;
    bool has_overlay; ///< true: statistics are shown from the start on, in their short form
    bool lines_to_stderr;
    bool has_devices;   ///< true: a player at this machine uses keyboard or gamepad
    const char *remark; ///< sentence shown when there is no message, may be NULL
    /// Tuner by which keys change settings of the match while the statistics are shown, may be
    /// NULL.
    tuner *tuner;
    ears *heard;          ///< sound outputs whose volume the keys change, may be NULL
    uint32_t pictures_hz; ///< pictures a second in a window, 0: as many as the screen shows
} play_view_config;

/// A screenshot to take.
typedef struct play_view_shot {
    char path[1024];
    bks_tick tick;
} play_view_shot;

enum { PLAY_VIEW_SHOTS_MAX = 16 };

/// A view. Opaque.
typedef struct play_view play_view;

/// Open a view. Errors go to stderr.
/// @param config  copied
/// @return NULL if the view cannot be opened
/// Owned by the caller; release with play_view_close().
play_view *play_view_open(const play_view_config *config);

/// Close a view. NULL is allowed.
void play_view_close(play_view *view);

/// Handle the user's input.
/// @return false after the user wants to end the match
bool play_view_poll(play_view *view);

/// Return true if F5, or P in a terminal, was pressed an odd number of times since the last call:
/// the user wants to pause the match, or to end its pause.
bool play_view_takes_pause(play_view *view);

/// Read the devices of `count` players into the set. seats[0] is the seat of the first player.
void play_view_sample(play_view *view, const uint32_t *seats, uint32_t count, source_set *set);

/// Show a sentence to the user for a few seconds.
void play_view_say(play_view *view, const char *text);

/// Return the kind of pictures that the match must make for a view: bks_match_config.pictures.
bks_pictures play_view_between(const play_view_config *config);

/// Return true if the view is visible, and a picture drawn now can differ from the last one.
/// @param has_stepped  a tick was stepped since the last picture
bool play_view_has_picture(const play_view *view, bool has_stepped);

/// Return the time between two pictures, or between two lines of text.
uint64_t play_view_every_ns(const play_view *view);

/// Return the pace of the pictures, which says when the next one is due.
frame_pace *play_view_pace(play_view *view);

/// Draw the waiting page while a match gathers its players.
/// @param invitation  "" for a guest
void play_view_gather(play_view *view, const char *invitation);

/// Draw a running match.
/// @param figures  values of the match
/// @param now_ns   time that the picture shows
void play_view_draw(play_view *view, bks_match *match, const overlay_figures *figures,
                    uint64_t now_ns);

/// Present the picture that was drawn.
/// @return true if presenting waited for the screen
bool play_view_present(play_view *view);

/// Draw the match's newest picture into a PNG file. Errors go to stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int play_view_screenshot(bks_match *match, const bks_plugin *plugin, const overlay_figures *figures,
                         bool has_overlay, const char *path);

/// State that lasts from one picture of a plug-in to the next. Start from {0}.
typedef struct view_pictures {
    bks_smooth *smooths; ///< eased values, plugin->smooth_count of them
} view_pictures;

/// Choose how pictures between a plug-in's ticks are made: extrapolated if the game can, else
/// interpolated if the plug-in draws that, else not at all.
bks_pictures view_pictures_kind(const bks_plugin *plugin);

/// Return true if a plug-in's pictures can be interpolated, as those of a recording are.
bool view_pictures_interpolate(const bks_plugin *plugin);

/// Allocate the state of a plug-in's pictures.
/// @return false if memory ran out
/// Release with view_pictures_close().
bool view_pictures_open(view_pictures *pictures, const bks_plugin *plugin);

/// Release the state of pictures. An empty one is allowed.
void view_pictures_close(view_pictures *pictures);

/// Return the picture that a plug-in draws for a bks_frame.
/// @param now_ns  time at which the picture is seen
bks_picture view_pictures_of(view_pictures *pictures, const bks_frame *frame, uint64_t now_ns);

#endif
