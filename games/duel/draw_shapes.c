// SPDX-License-Identifier: MIT

#include "duel/draw_shapes.h"

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

// Clamp a share to 0..1. A NaN becomes 0.
static float within_0_and_1(float share)
{
    return share > 0.0f ? (share < 1.0f ? share : 1.0f) : 0.0f;
}

float duel_share(uint32_t part, uint32_t whole)
{
    return whole > 0 ? within_0_and_1((float)part / (float)whole) : 0.0f;
}

bks_colour duel_faded(bks_colour colour, float alpha)
{
    const float share = within_0_and_1(alpha);
    return (colour & 0xFFFFFF00u) | (bks_colour)(share * (float)(colour & 0xFFu) + 0.5f);
}

bks_colour duel_mixed(bks_colour from, bks_colour to, float share)
{
    bks_colour mixed = 0xFF;
    share = within_0_and_1(share);
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
    const uint32_t segments = (uint32_t)(within_0_and_1(share) * (float)DUEL_TURN + 0.5f);
    // Start at the top: three quarters of a turn past the right.
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
