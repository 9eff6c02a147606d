// SPDX-License-Identifier: MIT

// Draws the strip above the board, and the banners across the board.

#include <stdio.h>

#include "duel/board.h"
#include "duel/draw_layers.h"
#include "duel/rounds.h"

static const char *const side_names[DUEL_SIDES] = {"EMBER", "TIDE"};

// Draw a lamp for each round needed to win the match. Won rounds are lit, from the middle outwards.
static void draw_lamps(const duel_view *view, uint32_t side, float middle_x, float y, float size)
{
    static const float diamond[4][2] = {{1.0f, 0.0f}, {0.0f, 1.0f}, {-1.0f, 0.0f}, {0.0f, -1.0f}};
    const float way = side == DUEL_TILE_EMBER ? -1.0f : 1.0f;
    for (uint32_t i = 0; i < DUEL_ROUNDS_TO_WIN; i++) {
        const float x = middle_x + way * size * (5.2f + 2.3f * (float)i);
        const bool is_lit = i < view->duel->score[side];
        duel_shape(view, x, y, 1.0f, 0.0f, size, diamond, 4,
                   is_lit ? duel_palette_of(side)->name : DUEL_COLOUR_WELL);
    }
}

// Draw a seat: its ship, then a pip for each shot.
static void draw_seat(const duel_view *view, const duel_ship *ship, float x, float y, float size,
                      float way)
{
    const duel_palette *palette = duel_palette_of(ship->side);
    const bool is_away = !ship->is_alive;
    duel_draw_ship_icon(view, x + way * size * 0.5f, y + size * 0.5f, size * 0.42f, ship->side,
                        is_away ? 0.25f : 1.0f);
    for (uint32_t i = 0; i < ship->ammo_max; i++) {
        const bool is_left = i < ship->ammo && !is_away;
        const float at = x + way * size * (1.35f + 0.42f * (float)i);
        duel_fill(view, at - size * 0.13f, y + size * 0.12f, size * 0.26f, size * 0.76f,
                  is_left ? palette->name : DUEL_COLOUR_WELL);
    }
}

static void draw_side(const duel_view *view, uint32_t side)
{
    const bool is_left = side == DUEL_TILE_EMBER;
    const float way = is_left ? 1.0f : -1.0f;
    const float x = is_left ? view->hud_x : view->hud_x + view->hud_width;
    const float size = view->hud_height;
    const duel_palette *palette = duel_palette_of(side);
    const float name = size * 0.4f;
    if (is_left) {
        duel_text(view, x, view->hud_y + size * 0.04f, name, palette->name, side_names[side]);
    } else {
        duel_text_end(view, x, view->hud_y + size * 0.04f, name, palette->name, side_names[side]);
    }
    const float name_width =
        view->canvas->text_width(view->canvas->context, name, side_names[side]);
    for (uint32_t i = 0; i < view->duel->spare[side]; i++) {
        duel_draw_ship_icon(view, x + way * (name_width + size * (0.32f + 0.24f * (float)i)),
                            view->hud_y + size * 0.25f, size * 0.11f, side, 0.8f);
    }
    uint32_t rank = 0;
    for (uint32_t seat = 0; seat < view->duel->ship_count; seat++) {
        const duel_ship *ship = duel_ship_of(view->duel, seat);
        if (ship->side == side) {
            draw_seat(view, ship, x + way * view->hud_width * 0.2f * (float)rank++,
                      view->hud_y + size * 0.52f, size * 0.24f, way);
        }
    }
}

// Draw each side's share of the board.
static void draw_land(const duel_view *view)
{
    const float ember = (float)duel_board_count(view->duel, DUEL_TILE_EMBER);
    const float tide = (float)duel_board_count(view->duel, DUEL_TILE_TIDE);
    const float share = ember + tide > 0.0f ? ember / (ember + tide) : 0.5f;
    const float high = view->hud_height * 0.06f;
    const float y = view->hud_y + view->hud_height * 0.84f - high * 0.5f;
    duel_fill(view, view->hud_x, y, view->hud_width, high, duel_palette_of(1)->edge);
    duel_fill(view, view->hud_x, y, view->hud_width * share, high, duel_palette_of(0)->tile);
    duel_fill(view, view->hud_x + view->hud_width * 0.5f - high * 0.25f, y - high * 0.5f,
              high * 0.5f, high * 2.0f, DUEL_COLOUR_TEXT);
}

static void draw_versus_middle(const duel_view *view)
{
    const duel_state *duel = view->duel;
    const float middle = view->hud_x + view->hud_width * 0.5f;
    const float size = view->hud_height;
    char text[32];
    const uint32_t left = duel_rounds_collapse_in(duel);
    bks_colour colour = DUEL_COLOUR_TEXT;
    if (duel->phase == DUEL_PHASE_READY) {
        snprintf(text, sizeof(text), "%u", DUEL_COLLAPSE_START_TICKS / 60u);
    } else if (left == UINT32_MAX) {
        snprintf(text, sizeof(text), "-");
    } else {
        snprintf(text, sizeof(text), "%u", (unsigned)(left / 60u + 1u));
        colour = duel->rings_gone > 0 || left < 180 ? DUEL_COLOUR_FUSE : DUEL_COLOUR_TEXT;
    }
    duel_text_middle(view, middle, view->hud_y + size * 0.02f, size * 0.5f, colour, text);
    snprintf(text, sizeof(text), "ROUND %u", (unsigned)duel->round);
    const bool is_falling = left != UINT32_MAX && colour == DUEL_COLOUR_FUSE;
    duel_text_middle(view, middle, view->hud_y + size * 0.54f, size * 0.22f, DUEL_COLOUR_FAINT,
                     is_falling ? "THE EDGE FALLS" : text);
    draw_lamps(view, DUEL_TILE_EMBER, middle, view->hud_y + size * 0.28f, size * 0.1f);
    draw_lamps(view, DUEL_TILE_TIDE, middle, view->hud_y + size * 0.28f, size * 0.1f);
}

static void draw_arcade(const duel_view *view)
{
    const duel_state *duel = view->duel;
    const float size = view->hud_height;
    const float end = view->hud_x + view->hud_width;
    const float middle = view->hud_x + view->hud_width * 0.5f;
    char text[48];
    snprintf(text, sizeof(text), "WAVE %u", (unsigned)duel->wave);
    duel_text(view, view->hud_x, view->hud_y + size * 0.04f, size * 0.4f, DUEL_COLOUR_CREATURE,
              text);
    snprintf(text, sizeof(text), "%u", (unsigned)duel->points);
    duel_text_middle(view, middle, view->hud_y + size * 0.02f, size * 0.5f, DUEL_COLOUR_TEXT, text);
    const float points_width = view->canvas->text_width(view->canvas->context, size * 0.5f, text);
    if (duel->combo > 1) {
        snprintf(text, sizeof(text), "x%u", (unsigned)duel->combo);
        duel_text(view, middle + points_width * 0.5f + size * 0.2f, view->hud_y + size * 0.1f,
                  size * 0.34f, DUEL_COLOUR_FUSE, text);
    }
    snprintf(text, sizeof(text), "BEST %u", (unsigned)duel->best_points);
    duel_text_end(view, end, view->hud_y + size * 0.08f, size * 0.26f, DUEL_COLOUR_FAINT, text);
    for (uint32_t i = 0; i < duel->spare[0]; i++) {
        duel_draw_ship_icon(view, end - size * (0.14f + 0.26f * (float)i),
                            view->hud_y + size * 0.62f, size * 0.12f, DUEL_TILE_EMBER, 1.0f);
    }
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        draw_seat(view, duel_ship_of(duel, seat),
                  view->hud_x + view->hud_width * 0.17f * (float)(seat & 1u) +
                      (seat >= 2 ? view->hud_width * 0.17f * 2.0f : 0.0f),
                  view->hud_y + size * 0.52f, size * 0.22f, 1.0f);
    }
}

// Draw one line of text, with as much as fits on a terminal.
static void draw_coarse(const duel_view *view)
{
    const duel_state *duel = view->duel;
    const float size = view->hud_height * 0.9f;
    char text[48];
    if (duel->mode == DUEL_ARCADE) {
        snprintf(text, sizeof(text), "W%u %u +%u", (unsigned)duel->wave, (unsigned)duel->points,
                 (unsigned)duel->spare[0]);
        duel_text(view, 0.0f, view->hud_y, size, DUEL_COLOUR_TEXT, text);
        return;
    }
    snprintf(text, sizeof(text), "%u", (unsigned)duel->score[0]);
    duel_text(view, view->x, view->hud_y, size, duel_palette_of(0)->name, text);
    snprintf(text, sizeof(text), "%u", (unsigned)duel->score[1]);
    duel_text_end(view, view->x + view->cell * (float)duel->width, view->hud_y, size,
                  duel_palette_of(1)->name, text);
    const char *word = duel->phase == DUEL_PHASE_READY ? "ready" : "";
    if (duel->phase == DUEL_PHASE_ROUND_OVER || duel->phase == DUEL_PHASE_MATCH_OVER) {
        word = duel->round_winner < DUEL_SIDES ? side_names[duel->round_winner] : "DRAW";
    }
    duel_text_middle(view, view->x + view->cell * (float)duel->width * 0.5f, view->hud_y, size,
                     DUEL_COLOUR_TEXT, word);
}

void duel_draw_hud(const duel_view *view)
{
    if (view->is_coarse) {
        draw_coarse(view);
    } else if (view->duel->mode == DUEL_ARCADE) {
        draw_arcade(view);
        draw_land(view);
    } else {
        draw_side(view, DUEL_TILE_EMBER);
        draw_side(view, DUEL_TILE_TIDE);
        draw_versus_middle(view);
        draw_land(view);
    }
}

// Texts of a banner; an empty `title` means no banner.
typedef struct banner {
    char title[48];
    char below[64];
    bks_colour colour;
    float shown; ///< share of the banner that has moved in, 0..1
} banner;

static float coming(uint32_t ticks)
{
    return ticks < 10 ? (float)ticks / 10.0f : 1.0f;
}

static void announce_round(const duel_state *duel, banner *out)
{
    const uint32_t left = DUEL_READY_TICKS - duel->phase_ticks;
    snprintf(out->title, sizeof(out->title), "ROUND %u", (unsigned)duel->round);
    snprintf(out->below, sizeof(out->below), "%u : %u   first to %u", (unsigned)duel->score[0],
             (unsigned)duel->score[1], (unsigned)DUEL_ROUNDS_TO_WIN);
    if (duel->mode == DUEL_ARCADE) {
        snprintf(out->title, sizeof(out->title), "HOLD OUT");
        snprintf(out->below, sizeof(out->below), "wave %u is coming", (unsigned)duel->wave);
    }
    out->shown = coming(left < 10 ? left : duel->phase_ticks);
}

static void announce_winner(const duel_state *duel, banner *out)
{
    out->shown = coming(duel->phase_ticks > 20 ? duel->phase_ticks - 20 : 0);
    if (duel->mode == DUEL_ARCADE) {
        snprintf(out->title, sizeof(out->title), "GAME OVER");
        snprintf(out->below, sizeof(out->below), "wave %u   %u points   best %u",
                 (unsigned)duel->wave, (unsigned)duel->points, (unsigned)duel->best_points);
        out->colour = DUEL_COLOUR_CREATURE;
        return;
    }
    if (duel->round_winner >= DUEL_SIDES) {
        snprintf(out->title, sizeof(out->title), "NOBODY'S ROUND");
        return;
    }
    const bool is_match = duel->phase == DUEL_PHASE_MATCH_OVER;
    snprintf(out->title, sizeof(out->title), "%s %s", side_names[duel->round_winner],
             is_match ? "WINS THE MATCH" : "TAKES THE ROUND");
    snprintf(out->below, sizeof(out->below), "%u : %u", (unsigned)duel->score[0],
             (unsigned)duel->score[1]);
    out->colour = duel_palette_of(duel->round_winner)->name;
}

static banner compose(const duel_state *duel)
{
    banner out = {.colour = DUEL_COLOUR_TEXT};
    switch ((duel_phase)duel->phase) {
    case DUEL_PHASE_READY:
        announce_round(duel, &out);
        break;
    case DUEL_PHASE_PLAY:
        if (duel->mode == DUEL_ARCADE && duel->wave_wait_ticks > 20 && duel->phase_ticks > 150) {
            snprintf(out.title, sizeof(out.title), "WAVE %u", (unsigned)duel->wave);
            out.shown = coming(duel->wave_wait_ticks - 20u);
            out.colour = DUEL_COLOUR_CREATURE;
        } else if (duel->phase_ticks < 36) {
            snprintf(out.title, sizeof(out.title), "GO");
            out.shown = coming(36 - duel->phase_ticks);
        }
        break;
    case DUEL_PHASE_ROUND_OVER:
    case DUEL_PHASE_MATCH_OVER:
        announce_winner(duel, &out);
        break;
    }
    return out;
}

void duel_draw_banner(const duel_view *view)
{
    const banner message = compose(view->duel);
    if (view->is_coarse || message.title[0] == '\0' || message.shown <= 0.0f) {
        return;
    }
    const float width = view->cell * (float)view->duel->width;
    const float height = view->cell * (float)view->duel->height;
    const float high = height * 0.26f * message.shown;
    const float middle_x = view->x + width * 0.5f;
    const float middle_y = view->y + height * 0.5f;
    duel_fill(view, view->x, middle_y - high * 0.5f, width, high,
              duel_faded(DUEL_COLOUR_BACK, 0.87f));
    const float rule = height * 0.008f;
    duel_fill(view, view->x, middle_y - high * 0.5f, width, rule, message.colour);
    duel_fill(view, view->x, middle_y + high * 0.5f - rule, width, rule, message.colour);
    float size = height * 0.12f;
    const float title_width = view->canvas->text_width(view->canvas->context, size, message.title);
    if (title_width > width * 0.92f) {
        size *= width * 0.92f / title_width;
    }
    const float top = middle_y - (message.below[0] != '\0' ? size * 0.8f : size * 0.5f);
    duel_text_middle(view, middle_x, top, size, duel_faded(message.colour, message.shown),
                     message.title);
    duel_text_middle(view, middle_x, top + size * 1.08f, size * 0.5f,
                     duel_faded(DUEL_COLOUR_TEXT, message.shown), message.below);
}
