// SPDX-License-Identifier: MIT

/// @file play_view.h
/// How the user sees a match: in a window, in the terminal, as a line of text each second, or
/// without a picture.

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

/// Ways to see a match.
typedef enum play_view_kind {
    PLAY_VIEW_NONE,   ///< not at all
    PLAY_VIEW_LINES,  ///< a line of text each second
    PLAY_VIEW_TERM,   ///< pictures in the terminal
    PLAY_VIEW_WINDOW, ///< a window, with keyboard and gamepads
} play_view_kind;

/// The best way there is here.
play_view_kind play_view_best(void);

/// What a view shows.
typedef struct play_view_config {
    play_view_kind kind;
    window *window; ///< PLAY_VIEW_WINDOW: one that is open and stays so; NULL: one of its own
    user_settings *settings; ///< of the window, NULL: the usual ones. Keys change what is heard,
                             ///< and whether it fills the screen
    const bks_plugin *plugin;
    bool has_overlay; ///< statistics from the start on
    bool lines_to_stderr;
    bool has_devices;     ///< somebody here plays by hand
    const char *remark;   ///< a sentence shown as long as nothing else is, may be NULL
    tuner *tuner;         ///< by keys while the statistics are shown, may be NULL
    ears *heard;          ///< by keys of the window louder or not, may be NULL
    uint32_t pictures_hz; ///< pictures a second in a window, 0: as many as its screen shows
} play_view_config;

/// A picture to take.
typedef struct play_view_shot {
    char path[1024];
    bks_tick tick;
} play_view_shot;

enum { PLAY_VIEW_SHOTS_MAX = 16 };

/// A view. Opaque.
typedef struct play_view play_view;

/// Open a view. Errors go to stderr.
/// @param config  copied
/// @return NULL when it cannot be opened
/// Owned by the caller; release with play_view_close().
play_view *play_view_open(const play_view_config *config);

/// Close a view. NULL is allowed.
void play_view_close(play_view *view);

/// Take in what the user did.
/// @return false once the user wants to end it
bool play_view_poll(play_view *view);

/// Read the devices of `count` seats into the set, the first at seats[0].
void play_view_sample(play_view *view, const uint32_t *seats, uint32_t count, source_set *set);

/// Say a sentence to the user for a few seconds.
void play_view_say(play_view *view, const char *text);

/// How a match must make its pictures for a view, for bks_match_config.pictures.
bks_pictures play_view_between(const play_view_config *config);

/// Whether it shows anything.
/// @param has_stepped  there is another tick than in the last picture
bool play_view_has_picture(const play_view *view, bool has_stepped);

/// From one picture to the next, or to the next line of text.
uint64_t play_view_every_ns(const play_view *view);

/// When the next one is due.
frame_pace *play_view_pace(play_view *view);

/// Draw a match that gathers.
/// @param invitation  "" for a guest
void play_view_gather(play_view *view, const char *invitation);

/// Draw a match that runs.
/// @param figures  of the match
/// @param now_ns   the moment it shows
void play_view_draw(play_view *view, bks_match *match, const overlay_figures *figures,
                    uint64_t now_ns);

/// Show what was drawn.
/// @return whether that waited for the screen
bool play_view_present(play_view *view);

/// Draw the match into a PNG file; errors go to stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int play_view_screenshot(bks_match *match, const bks_plugin *plugin, const overlay_figures *figures,
                         bool has_overlay, const char *path);

/// What of a plug-in's pictures lasts. Start from {0}.
typedef struct view_pictures {
    bks_smooth *smooths; ///< smooth_count of the plug-in
} view_pictures;

/// How pictures between its ticks are made: extrapolated, where the game can be; else interpolated,
/// where it draws that; else there are none.
bks_pictures view_pictures_kind(const bks_plugin *plugin);

/// Whether its pictures can be interpolated, as those of a recording are, where no one waits for
/// them.
bool view_pictures_interpolate(const bks_plugin *plugin);

/// @return false: there is no memory
/// Release with view_pictures_close().
bool view_pictures_open(view_pictures *pictures, const bks_plugin *plugin);

/// Release it. An empty one is allowed.
void view_pictures_close(view_pictures *pictures);

/// The picture of a frame.
/// @param now_ns  when it is seen
bks_picture view_pictures_of(view_pictures *pictures, const bks_frame *frame, uint64_t now_ns);

#endif
