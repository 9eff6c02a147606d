// SPDX-License-Identifier: MIT

/// @file overlay.h
/// Draws over a game: statistics and messages. Also draws a plain picture for games without `draw`.

#ifndef BKS_TOOL_OVERLAY_H
#define BKS_TOOL_OVERLAY_H

#include "backstitch/match.h"
#include "backstitch/plugin.h"
#include "backstitch/toolkit/peer.h"
#include "screen/overlay/picture_meter.h"
#include "screen/overlay/tuner.h"

enum { OVERLAY_TEXT_BYTES = 400 };

/// Values of a match for one picture.
typedef struct overlay_figures {
    bks_tick tick;
    bks_tick end; ///< tick with which the match ends; 0: no end
    bks_tick confirmed;
    bks_tick published; ///< newest tick whose hash is known; BKS_TICK_NONE: none
    uint64_t hash;      ///< hash of the state at the start of tick `published`
    bks_roster roster;
    bks_stats stats;
    const bks_figures *figures; ///< figures of the match; NULL: not measured
    const void *state;          ///< newest state
    size_t state_bytes; ///< size of the newest state in bytes; 0: the state lies in no region
    bks_repair repair;  ///< the newest repair of states
    uint32_t repairs;   ///< number of repairs of states so far
    double seconds;     ///< seconds since the first tick of the match
    uint32_t tick_rate_hz;
    uint32_t window_ticks; ///< present prediction window, which tuning may change
    size_t root_bytes;     ///< size of the state's root object: bks_game.root_bytes
    const tuner *tuner;    ///< settings that keys change; NULL: none
    picture_rate pictures; ///< measured rate of pictures; zero: not measured
    double pictures_hz;    ///< number of pictures a second that the view should show
} overlay_figures;

/// Fill in the values that the match knows. The caller fills in seconds, rate, root_bytes, tuner
/// and pictures.
void overlay_gather(bks_match *match, overlay_figures *out);

/// Write three lines of text about a match, without control characters.
/// @param out  receives the lines, OVERLAY_TEXT_BYTES each
void overlay_lines(const overlay_figures *figures, char out[3][OVERLAY_TEXT_BYTES]);

/// Write one line about a match, for logs.
void overlay_line(const overlay_figures *figures, char out[OVERLAY_TEXT_BYTES]);

/// Forms of the statistics over a picture, in the order in which F1 shows them.
typedef enum overlay_form {
    OVERLAY_NONE,
    OVERLAY_SHORT, ///< a few lines of text: they cover little of the game
    OVERLAY_ALL,   ///< also figures with graphs, settings that keys change, and the state's memory
    OVERLAY_FORMS
} overlay_form;

/// Get the form that is shown after F1 was pressed some times.
/// @param is_on  true: the short form was shown before the first press
overlay_form overlay_after(bool is_on, uint32_t presses);

/// Draw the statistics over the picture.
void overlay_draw(const overlay_figures *figures, overlay_form form, const bks_canvas *canvas);

/// Return the height of a text along the lower edge; a long text takes several lines.
float overlay_message_height(const bks_canvas *canvas, const char *text);

/// Draw text along the lower edge.
/// @param height  height of the band behind the text, from overlay_message_height() for the longest
///                text
void overlay_message(const bks_canvas *canvas, float height, const char *text);

/// Draw a page with a headline and lines of text while there is no game to show.
void overlay_page(const bks_canvas *canvas, const char *headline, const char *const *lines,
                  uint32_t count);

/// Draw the picture of a game without `draw`: every player's input.
/// @param inputs  players * field_count values
void overlay_inputs(const bks_canvas *canvas, const bks_game *game, uint32_t players,
                    const int32_t *inputs);

#endif
