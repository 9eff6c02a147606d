// SPDX-License-Identifier: MIT

#include "duel/draw.h"

#include "duel/check.h"
#include "duel/motion.h"

enum {
    SHAPE_POINTS_MAX = 8,
};

static const duel_palette palettes[DUEL_SIDES] = {
    {.tile = 0xEBDFC8FF,
     .tile_low = 0xD8C7A6FF,
     .edge = 0xC9803EFF,
     .ship = 0xC8420BFF,
     .ship_rim = 0x4D1800FF,
     .ship_light = 0xFFC08FFF,
     .name = 0xFFA15CFF},
    {.tile = 0x1B3A5CFF,
     .tile_low = 0x132B47FF,
     .edge = 0x3E8FC0FF,
     .ship = 0x5CCBF7FF,
     .ship_rim = 0x04202FFF,
     .ship_light = 0xF2FCFFFF,
     .name = 0x74D4FAFF},
};

const duel_palette *duel_palette_of(uint32_t side)
{
    return &palettes[side & 1u];
}

bks_colour duel_faded(bks_colour colour, float alpha)
{
    const float share = alpha < 0.0f ? 0.0f : alpha > 1.0f ? 1.0f : alpha;
    return (colour & 0xFFFFFF00u) | (bks_colour)(share * (float)(colour & 0xFFu) + 0.5f);
}

bks_colour duel_mixed(bks_colour from, bks_colour to, float share)
{
    bks_colour mixed = 0xFF;
    for (uint32_t shift = 8; shift < 32; shift += 8) {
        const float a = (float)(from >> shift & 0xFFu);
        const float b = (float)(to >> shift & 0xFFu);
        mixed |= (bks_colour)(a + (b - a) * share + 0.5f) << shift;
    }
    return mixed;
}

float duel_pulse(uint32_t tick, uint32_t period_ticks)
{
    const uint32_t turn = tick % period_ticks * DUEL_TURN / period_ticks;
    return 0.5f + (float)duel_turn(turn).y / 512.0f;
}

void duel_fill(const duel_view *view, float x, float y, float width, float height,
               bks_colour colour)
{
    if (width > 0.0f && height > 0.0f) {
        view->canvas->rectangle(view->canvas->context, x, y, width, height, colour);
    }
}

void duel_disc(const duel_view *view, float x, float y, float radius, bks_colour colour)
{
    if (radius > 0.0f) {
        view->canvas->circle(view->canvas->context, x, y, radius, colour);
    }
}

void duel_ring(const duel_view *view, float x, float y, float radius, float width, float share,
               bks_colour colour)
{
    const uint32_t segments = (uint32_t)(share * (float)DUEL_TURN + 0.5f);
    // From the top: three quarters of a turn past the right.
    for (uint32_t i = 0; i < segments; i++) {
        const duel_vector from = duel_turn(24 + i);
        const duel_vector to = duel_turn(25 + i);
        const float scale = radius / 256.0f;
        view->canvas->line(view->canvas->context, x + (float)from.x * scale,
                           y + (float)from.y * scale, x + (float)to.x * scale,
                           y + (float)to.y * scale, width, colour);
    }
}

void duel_shape(const duel_view *view, float x, float y, float along, float across, float scale,
                const float (*shape)[2], uint32_t count, bks_colour colour)
{
    float points[2 * SHAPE_POINTS_MAX];
    const uint32_t used = count < SHAPE_POINTS_MAX ? count : SHAPE_POINTS_MAX;
    for (uint32_t i = 0; i < used; i++) {
        points[2 * i] = x + scale * (shape[i][0] * along - shape[i][1] * across);
        points[2 * i + 1] = y + scale * (shape[i][0] * across + shape[i][1] * along);
    }
    view->canvas->polygon(view->canvas->context, points, used, colour);
}

void duel_text(const duel_view *view, float x, float y, float size, bks_colour colour,
               const char *text)
{
    view->canvas->text(view->canvas->context, x, y, size, colour, text);
}

void duel_text_middle(const duel_view *view, float x, float y, float size, bks_colour colour,
                      const char *text)
{
    const float width = view->canvas->text_width(view->canvas->context, size, text);
    duel_text(view, x - width / 2.0f, y, size, colour, text);
}

void duel_text_end(const duel_view *view, float x, float y, float size, bks_colour colour,
                   const char *text)
{
    const float width = view->canvas->text_width(view->canvas->context, size, text);
    duel_text(view, x - width, y, size, colour, text);
}

static float least(float a, float b)
{
    return a < b ? a : b;
}

// The board as big as it goes, the strip above it as wide as the board.
static duel_view lay_out(const duel_state *duel, const bks_canvas *canvas)
{
    duel_view view = {.canvas = canvas, .duel = duel, .is_coarse = canvas->is_coarse};
    const float margin = view.is_coarse ? 0.0f : least(canvas->width, canvas->height) * 0.025f;
    view.hud_height = view.is_coarse ? least(10.0f, canvas->height * 0.3f) : canvas->height * 0.11f;
    const float room_x = canvas->width - 2.0f * margin;
    const float room_y = canvas->height - view.hud_height - 2.0f * margin;
    view.cell = least(room_x / (float)duel->width, room_y / (float)duel->height);
    if (view.cell > 4.0f) {
        view.cell = (float)(int32_t)view.cell; // whole dots: every tile the same
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

// Big explosions shake the board, less and less.
static void shake(duel_view *view)
{
    const duel_state *duel = view->duel;
    if (view->is_coarse || duel->shake_ticks == 0) {
        return;
    }
    const duel_vector way = duel_turn(duel->tick * 13u);
    const float size = view->cell * 0.012f * (float)duel->shake_ticks / 256.0f;
    view->x += (float)way.x * size;
    view->y += (float)way.y * size;
}

void duel_draw(const void *state, const bks_canvas *canvas)
{
    const duel_state *duel = state;
    if (duel_check(duel) != NULL) {
        canvas->clear(canvas->context, DUEL_COLOUR_BACK);
        return;
    }
    const duel_view still = lay_out(duel, canvas);
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
