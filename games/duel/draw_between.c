// SPDX-License-Identifier: MIT

#include "duel/draw_between.h"

#include "backstitch/present.h"

/// Distance in one tick from which on a movement counts as a jump.
#define JUMP ((float)DUEL_TILE)

/// Time in which a wrongly predicted ship slides half of the way to its right place.
#define EASED_MS 40.0f
/// Longest distance that a ship slides. A ship further away jumps.
#define EASED_MOST ((float)(3 * DUEL_TILE))

static float canvas_x(const duel_view *view, float units)
{
    return view->x + units * view->cell / (float)DUEL_TILE;
}

static float canvas_y(const duel_view *view, float units)
{
    return view->y + units * view->cell / (float)DUEL_TILE;
}

static float between(const duel_view *view, int32_t was, int32_t now)
{
    return bks_blend((float)was, (float)now, view->picture->frame.share, JUMP);
}

duel_spot duel_spot_between(const duel_view *view, int32_t was_x, int32_t was_y, int32_t x,
                            int32_t y)
{
    return (duel_spot){canvas_x(view, between(view, was_x, x)),
                       canvas_y(view, between(view, was_y, y))};
}

float duel_length_between(const duel_view *view, int32_t was, int32_t now)
{
    return between(view, was, now) * view->cell / (float)DUEL_TILE;
}

static float eased(const duel_view *view, uint32_t index, float at, int32_t way)
{
    if (view->picture->smooths == NULL) {
        return at;
    }
    bks_smooth *smooth = &view->picture->smooths[index];
    smooth->half_life_ms = EASED_MS;
    smooth->most = EASED_MOST;
    return bks_smooth_show(smooth, at, (float)way * (float)DUEL_TICK_RATE_HZ,
                           view->picture->frame.is_corrected, view->picture->now_ns);
}

duel_spot duel_spot_of_ship(const duel_view *view, const duel_ship *ship)
{
    const duel_ship *was =
        duel_was(view, &view->before->ships, view->before->ship[ship->seat], ship);
    was = was->is_alive ? was : ship;
    const float x = between(view, was->x, ship->x);
    const float y = between(view, was->y, ship->y);
    const uint32_t index = 2u * ship->seat;
    return (duel_spot){canvas_x(view, eased(view, index, x, ship->vx)),
                       canvas_y(view, eased(view, index + 1, y, ship->vy))};
}

void duel_spot_forget_ship(const duel_view *view, uint32_t seat)
{
    if (view->picture->smooths != NULL) {
        view->picture->smooths[2 * seat].is_shown = false;
        view->picture->smooths[2 * seat + 1].is_shown = false;
    }
}

const void *duel_was(const duel_view *view, const bks_ref *pool, bks_id id, const void *item)
{
    if (view->before == view->duel) {
        return item;
    }
    const bks_pool *items = bks_ref_get(pool);
    const void *was = items != NULL ? bks_pool_get(items, id) : NULL;
    return was != NULL ? was : item;
}
