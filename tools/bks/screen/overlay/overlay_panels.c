// SPDX-License-Identifier: MIT

#include "screen/overlay/overlay_panels.h"

#include <inttypes.h>
#include <stdio.h>

#include "backstitch/state.h"
#include "backstitch/toolkit/state_map.h"
#include "screen/overlay/panel.h"

/// Least height to which text shrinks to fit the screen, in the canvas's units.
static const float SIZE_MIN = 10.0F;

/// Least height to which text shrinks while explanations of the figures are shown, in the canvas's
/// units. If they still do not fit, they are left out.
static const float WORDS_SIZE_MIN = 12.0F;

/// Height at the top of the canvas that stays free for a game's names and scores, as a share of the
/// canvas's height.
static const float HUD = 0.125F;

/// PARTS_MAX: most parts of a state's memory that are read. POOLS_SHOWN: most pools that are
/// listed; the bytes of further ones are shown as a sum.
enum { PARTS_MAX = 64, POOLS_SHOWN = 16 };

static void draw_rows(panel *p, const overlay_row *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        panel_figure(p, rows[i].row, rows[i].figure, BKS_FIGURE_WINDOW_MS_MAX);
    }
}

/// Draw the figures of a peer.
/// @param is_short  true: show fewer figures, because many peers share the screen
static void draw_figures(panel *p, const bks_figures *f, uint32_t peer, bool is_short)
{
    for (uint32_t i = 0; bks_figure_row_of(peer, i) != NULL; i++) {
        const bks_figure_row *row = bks_figure_row_of(peer, i);
        if (row->is_urgent || !is_short) {
            panel_figure(p, row, bks_figure_of(f, peer, i), f->window_ms);
        }
    }
}

static void draw_match(panel *p, const bks_figures *f)
{
    char title[80];
    snprintf(title, sizeof(title), "match: mean, range over %.0f s, graph over %d s",
             (double)f->window_ms / 1000.0, BKS_FIGURE_POINTS * BKS_FIGURE_POINT_MS / 1000);
    panel_title(p, title);
    draw_figures(p, f, BKS_PEERS_MAX, false);
}

bool overlay_has_left(const bks_roster *roster, uint32_t peer)
{
    return roster != NULL && roster->player_count[peer] > 0 && !roster->is_in[peer];
}

static void draw_leaver(panel *p, const bks_roster *roster, uint32_t peer)
{
    char text[64];
    snprintf(text, sizeof(text), "peer %" PRIu32, peer);
    panel_title(p, text);
    snprintf(text, sizeof(text), "left, it played until tick %" PRId32, roster->end[peer]);
    panel_line(p, text);
}

static void draw_link(panel *p, const bks_figures *f, uint32_t peer, bool is_short)
{
    char title[32];
    snprintf(title, sizeof(title), "peer %" PRIu32, peer);
    panel_title(p, title);
    draw_figures(p, f, peer, is_short);
}

static void draw_lines(panel *p, const overlay_panels *panels)
{
    for (uint32_t i = 0; i < panels->line_count; i++) {
        if (i == 0) {
            panel_title(p, panels->lines[i]);
        } else {
            panel_line(p, panels->lines[i]);
        }
    }
}

static void draw_tuner(panel *p, const tuner *t)
{
    tuner_row rows[TUNER_ROWS_MAX];
    const uint32_t count = tuner_rows(t, rows);
    panel_title(p, "tune it: F2 next, F3 less, F4 more");
    for (uint32_t i = 0; i < count; i++) {
        panel_pair(p, rows[i].name, rows[i].value, rows[i].is_chosen);
    }
    if (!tuner_has_link(t)) {
        panel_pair(p, "link", "emulated with --link, --inspect", false);
    }
}

static void draw_words(panel *p)
{
    panel_title(p, "what the words mean");
    for (const figure_term *word = figure_terms; word->name != NULL; word++) {
        panel_pair(p, word->name, word->meaning, false);
    }
}

// ---- the memory of the state ----

static void format_bytes(char out[24], uint64_t bytes)
{
    if (bytes < 10000) {
        snprintf(out, 24, "%" PRIu64 " B", bytes);
    } else if (bytes < UINT64_C(10000000)) {
        snprintf(out, 24, "%.1f kB", (double)bytes / 1e3);
    } else {
        snprintf(out, 24, "%.1f MB", (double)bytes / 1e6);
    }
}

static void draw_pool(panel *p, const bks_memory_part *part)
{
    char texts[PANEL_PART_TEXTS][24] = {"", "", ""};
    const char *const shown[] = {texts[0], texts[1], texts[2]};
    const float most = part->capacity > 0 ? (float)part->capacity : 1.0F;
    const float share = (float)part->live / most;
    const float mark = (float)part->high_water / most;
    snprintf(texts[0], sizeof(texts[0]), "%" PRIu32 " of %" PRIu32, part->live, part->capacity);
    snprintf(texts[1], sizeof(texts[1]), "%" PRIu32, part->high_water);
    if (part->leaked > 0) {
        snprintf(texts[2], sizeof(texts[2]), "%" PRIu32, part->leaked);
    }
    const panel_bar bar = {share < 1.0F ? share : 1.0F, mark < 1.0F ? mark : 1.0F};
    panel_part(p, 2, part->name, shown, &bar);
}

static void draw_bytes(panel *p, uint32_t depth, const char *name, uint64_t bytes)
{
    char text[24];
    format_bytes(text, bytes);
    panel_part(p, depth, name, (const char *const[]){text, "", ""}, NULL);
}

static uint64_t sum_of(const bks_memory_part *parts, uint32_t count, bks_memory_kind kind)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += parts[i].kind == kind ? parts[i].bytes : 0;
    }
    return sum;
}

// Draw the row of the whole state, or of the whole arena. The mark of its bar shows the most that
// was ever in use. It lies at the end of the filled part, because memory of an arena is never given
// back.
static void draw_head(panel *p, const char *name, uint32_t depth, uint64_t used, uint64_t all)
{
    char in_use[24];
    char whole[24];
    char text[64];
    format_bytes(in_use, used);
    format_bytes(whole, all);
    snprintf(text, sizeof(text), "%s of %s", in_use, whole);
    const float share = all > 0 ? (float)used / (float)all : 0.0F;
    const panel_bar bar = {share, share};
    panel_part(p, depth, name, (const char *const[]){text, "", ""}, &bar);
}

static void draw_pools(panel *p, const bks_memory_part *parts, uint32_t count, uint32_t there)
{
    uint32_t pools = 0;
    uint64_t more_bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i].kind != BKS_MEMORY_POOL) {
            continue;
        }
        if (pools++ < POOLS_SHOWN) {
            draw_pool(p, &parts[i]);
        } else {
            more_bytes += parts[i].bytes;
        }
    }
    if (more_bytes > 0 || there > count) {
        char name[40];
        snprintf(name, sizeof(name), "%s%" PRIu32 " more", there > count ? "over " : "",
                 pools > POOLS_SHOWN ? pools - POOLS_SHOWN : 0);
        draw_bytes(p, 2, name, more_bytes);
    }
}

/// Draw the memory of a state as a tree: the state, below it root and arena, below the arena
/// blocks and pools.
static void draw_memory(panel *p, const void *state, size_t count, size_t root_bytes)
{
    bks_memory_part parts[PARTS_MAX];
    const uint32_t there = bks_state_memory(state, count, root_bytes, parts, PARTS_MAX);
    const uint32_t known = there < PARTS_MAX ? there : PARTS_MAX;
    uint64_t listed = 0;
    for (uint32_t i = 0; i < known; i++) {
        listed += parts[i].bytes;
    }
    const uint64_t unused = sum_of(parts, known, BKS_MEMORY_FREE);
    const uint64_t root = sum_of(parts, known, BKS_MEMORY_ROOT);
    panel_part_title(p, "memory of the state", (const char *const[]){"", "most", "grown"});
    draw_head(p, "state", 0, count - unused, count);
    draw_bytes(p, 1, "root", root);
    if (there > 1) {
        draw_head(p, "arena", 1, count - unused - root, count - root);
        draw_bytes(p, 2, "blocks",
                   sum_of(parts, known, BKS_MEMORY_BLOCKS) + ((uint64_t)count - listed));
        draw_pools(p, parts, known, there);
    }
}

// ---- all panels ----

static uint32_t count_links(const bks_figures *f)
{
    uint32_t count = 0;
    for (uint32_t i = 0; f != NULL && i < BKS_PEERS_MAX; i++) {
        count += f->links[i].has_peer ? 1 : 0;
    }
    return count;
}

/// Layout of the panels.
typedef struct layout {
    float top;
    float size;
    bool is_short;
    bool has_words;
} layout;

static void draw_all(panel_flow *flow, const overlay_panels *panels, const layout *l)
{
    panel p;
    while (panel_next(flow, &p)) {
        draw_lines(&p, panels);
    }
    while (panels->tuner != NULL && panel_next(flow, &p)) {
        draw_tuner(&p, panels->tuner);
    }
    while (panels->row_count > 0 && panel_next(flow, &p)) {
        panel_title(&p, panels->rows_title);
        draw_rows(&p, panels->rows, panels->row_count);
    }
    const bks_figures *f = panels->figures;
    while (f != NULL && panel_next(flow, &p)) {
        draw_match(&p, f);
    }
    for (uint32_t i = 0; f != NULL && i < BKS_PEERS_MAX; i++) {
        while (f->links[i].has_peer && panel_next(flow, &p)) {
            if (overlay_has_left(panels->roster, i)) {
                draw_leaver(&p, panels->roster, i);
            } else {
                draw_link(&p, f, i, l->is_short);
            }
        }
    }
    while (panels->state != NULL && panels->state_bytes > 0 && panel_next(flow, &p)) {
        draw_memory(&p, panels->state, panels->state_bytes, panels->root_bytes);
    }
    while (l->has_words && panel_next(flow, &p)) {
        draw_words(&p);
    }
}

static bool fits(const overlay_panels *panels, const bks_canvas *canvas, float height,
                 const layout *l)
{
    panel_flow flow = panel_flow_begin(canvas, l->top, height, l->size, false);
    draw_all(&flow, panels, l);
    return flow.fits;
}

static float smaller(float size, float least)
{
    return 0.94F * size > least ? 0.94F * size : least;
}

/// Shrink or leave out the part of the layout that matters least among those that can still shrink.
/// @return false if nothing is left to shrink
static bool tighten(layout *l, const layout *widest)
{
    if (l->has_words && l->size > WORDS_SIZE_MIN) {
        l->size = smaller(l->size, WORDS_SIZE_MIN);
    } else if (l->has_words) {
        *l = *widest;
        l->has_words = false;
    } else if (l->size > SIZE_MIN) {
        l->size = smaller(l->size, SIZE_MIN);
    } else if (l->top > 0.0F) {
        l->top = 0.0F;
    } else if (!l->is_short) {
        l->is_short = true;
    } else {
        return false;
    }
    return true;
}

void overlay_panels_draw(const overlay_panels *panels, const bks_canvas *canvas, float height)
{
    const float size = canvas->height / 48.0F;
    const layout widest = {.top = HUD * canvas->height,
                           .size = size < 13.0F   ? 13.0F
                                   : size > 32.0F ? 32.0F
                                                  : size,
                           .is_short = count_links(panels->figures) > 4,
                           .has_words = panels->figures != NULL};
    layout l = widest;
    while (!fits(panels, canvas, height, &l) && tighten(&l, &widest)) {
    }
    panel_flow flow = panel_flow_begin(canvas, l.top, height, l.size, true);
    draw_all(&flow, panels, &l);
}
