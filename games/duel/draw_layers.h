// SPDX-License-Identifier: MIT

/// @file draw_layers.h
/// The layers of the picture.

#ifndef DUEL_DRAW_LAYERS_H
#define DUEL_DRAW_LAYERS_H

#include "duel/draw_shapes.h"

/// Draw the layers, in the order of these functions.
void duel_draw_board(const duel_view *view);
void duel_draw_pickups(const duel_view *view);
void duel_draw_creatures(const duel_view *view);
void duel_draw_ships(const duel_view *view);
void duel_draw_shots(const duel_view *view);
void duel_draw_blasts(const duel_view *view);
void duel_draw_particles(const duel_view *view);
void duel_draw_hud(const duel_view *view);
void duel_draw_banner(const duel_view *view);

/// Draw a ship's outline, for the strip above the board.
void duel_draw_ship_icon(const duel_view *view, float x, float y, float radius, uint32_t side,
                         float opacity);

#endif
