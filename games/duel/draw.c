// SPDX-License-Identifier: MIT

#include "duel/draw_layers.h"
#include "duel/duel.h"

#include "duel/check.h"
#include "duel/motion.h"

static float least(float a, float b)
{
    return a < b ? a : b;
}

// Round a length down to whole dots, if a tile has more than a few dots, so that all tiles look the
// same.
static float whole_dots(const duel_view *view, float length)
{
    return view->cell > 4.0f ? (float)(int32_t)(length < 0.0f ? length - 0.5f : length + 0.5f)
                             : length;
}

// Place the board as large as possible, with the strip above it in the board's width.
static duel_view lay_out(const bks_picture *picture, const bks_canvas *canvas)
{
    const duel_state *duel = picture->frame.state;
    const duel_state *before = picture->frame.before;
    const bool is_between = before != duel && duel_check(before) == NULL;
    duel_view view = {.canvas = canvas,
                      .picture = picture,
                      .duel = duel,
                      .before = is_between ? before : duel,
                      .ticks_on = picture->frame.share - (is_between ? 1.0f : 0.0f),
                      .is_coarse = canvas->is_coarse};
    const float margin = view.is_coarse ? 0.0f : least(canvas->width, canvas->height) * 0.025f;
    view.hud_height = view.is_coarse ? least(10.0f, canvas->height * 0.3f) : canvas->height * 0.11f;
    const float room_x = canvas->width - 2.0f * margin;
    const float room_y = canvas->height - view.hud_height - 2.0f * margin;
    // A damaged state may be 0 tiles wide and high.
    view.cell = least(room_x, least(room_x / (float)duel->width, room_y / (float)duel->height));
    if (view.cell > 4.0f) {
        view.cell = (float)(int32_t)view.cell; // use whole dots, so that all tiles look the same
    }
    const float board_width = view.cell * (float)duel->width;
    const float board_height = view.cell * (float)duel->height;
    const float used = board_height + view.hud_height;
    view.x = (canvas->width - board_width) / 2.0f;
    view.hud_y = (canvas->height - used) / 2.0f - (view.is_coarse ? 0.0f : margin * 0.3f);
    view.y = view.hud_y + view.hud_height;
    if (view.cell > 4.0f) {
        view.x = (float)(int32_t)view.x;
        view.y = (float)(int32_t)view.y;
    }
    view.hud_x = view.is_coarse ? 0.0f : view.x;
    view.hud_width = view.is_coarse ? canvas->width : board_width;
    return view;
}

// Shake the board after a big explosion, with decreasing strength.
static void shake(duel_view *view)
{
    const duel_state *duel = view->duel;
    if (view->is_coarse || duel->shake_ticks == 0) {
        return;
    }
    const duel_vector way = duel_turn(duel->tick * 13u);
    const float size = view->cell * 0.012f * (float)duel->shake_ticks / 256.0f;
    view->x += whole_dots(view, (float)way.x * size);
    view->y += whole_dots(view, (float)way.y * size);
}

void duel_draw(const bks_picture *picture, const bks_canvas *canvas)
{
    const duel_state *duel = picture->frame.state;
    if (duel_check(duel) != NULL) {
        canvas->clear(canvas->context, DUEL_COLOUR_BACK);
        return;
    }
    const duel_view still = lay_out(picture, canvas);
    duel_view view = still;
    shake(&view);
    canvas->clear(canvas->context, DUEL_COLOUR_BACK);
    duel_draw_board(&view);
    duel_draw_pickups(&view);
    duel_draw_creatures(&view);
    duel_draw_ships(&view);
    duel_draw_shots(&view);
    duel_draw_blasts(&view);
    duel_draw_particles(&view);
    duel_draw_hud(&still);
    duel_draw_banner(&still);
}
