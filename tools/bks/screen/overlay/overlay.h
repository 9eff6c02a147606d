// SPDX-License-Identifier: MIT

/// @file overlay.h
/// Drawing over and instead of a game: statistics, messages, and a plain picture for games that
/// draw nothing themselves.

#ifndef BKS_TOOL_OVERLAY_H
#define BKS_TOOL_OVERLAY_H

#include "backstitch/match.h"
#include "backstitch/plugin.h"
#include "backstitch/toolkit/peer.h"
#include "screen/overlay/picture_meter.h"
#include "screen/overlay/tuner.h"

enum { OVERLAY_TEXT_BYTES = 400 };

/// How a match stands, gathered once for each picture.
typedef struct overlay_figures {
    bks_tick tick;
    bks_tick ticks; ///< 0: no end
    bks_tick confirmed;
    bks_tick published; ///< BKS_TICK_NONE: none
    uint64_t hash;      ///< hash of the state at the start of tick `published`
    bks_roster roster;
    bks_stats stats;
    const bks_figures *figures; ///< NULL: they are not measured
    const void *state;          ///< newest
    size_t state_bytes;         ///< 0: it lies in no region
    bks_repair repair;          ///< the newest
    uint32_t repairs;           ///< how many there were
    double seconds;             ///< since the first tick
    uint32_t tick_rate_hz;
    uint32_t window_ticks; ///< as it is tuned now
    size_t root_bytes;     ///< bks_game.root_bytes
    const tuner *tuner;    ///< settings that keys change, NULL: none
    picture_rate pictures; ///< zero: they are not measured
    double pictures_hz;    ///< pictures a second there should be
} overlay_figures;

/// Fill in the match's own figures. The caller fills in seconds, rate, root_bytes, tuner and
/// pictures.
void overlay_gather(bks_match *match, overlay_figures *out);

/// Write three lines of text about a match, without control characters.
/// @param out  receives them, OVERLAY_TEXT_BYTES each
void overlay_lines(const overlay_figures *figures, char out[3][OVERLAY_TEXT_BYTES]);

/// Write one line about a match, for logs.
void overlay_line(const overlay_figures *figures, char out[OVERLAY_TEXT_BYTES]);

/// Draw the statistics over the picture: text, figures with graphs, and the state's memory.
void overlay_draw(const overlay_figures *figures, const bks_canvas *canvas);

/// Return the height of a text along the lower edge; a long text takes several lines.
float overlay_message_height(const bks_canvas *canvas, const char *text);

/// Draw text along the lower edge.
/// @param height  of the band behind it, as overlay_message_height() gave it for the longest text
void overlay_message(const bks_canvas *canvas, float height, const char *text);

/// Draw a page of a headline and lines of text, while there is no game to show.
void overlay_page(const bks_canvas *canvas, const char *headline, const char *const *lines,
                  uint32_t count);

/// Draw what a game without `draw` shows: every player's input.
/// @param inputs  players * field_count values
void overlay_inputs(const bks_canvas *canvas, const bks_game *game, uint32_t players,
                    const int32_t *inputs);

#endif
