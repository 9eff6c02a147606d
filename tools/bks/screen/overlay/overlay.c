// SPDX-License-Identifier: MIT

#include "screen/overlay/overlay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/runner.h"
#include "base/text.h"
#include "base/tool.h"
#include "screen/overlay/overlay_panels.h"
#include "screen/window/canvas.h"

static const bks_colour PAPER = 0x10141CFF;
static const bks_colour INK = 0xE6EAF2FF;
static const bks_colour FAINT = 0x8C96A8FF;
static const bks_colour LIT = 0xFFC66DFF;

void overlay_gather(bks_match *match, overlay_figures *out)
{
    bks_session *session = bks_match_session(match);
    (void)bks_session_roster(session, &out->roster);
    (void)bks_session_stats(session, &out->stats);
    out->tick = bks_session_tick(session);
    out->end = out->roster.ticks > 0 ? out->roster.first_tick + out->roster.ticks : 0;
    out->confirmed = bks_session_confirmed(session);
    out->published = bks_session_published(session);
    if (out->published != BKS_TICK_NONE &&
        bks_session_hash(session, out->published, &out->hash) != BKS_OK) {
        out->published = BKS_TICK_NONE;
    }
    bks_repair repairs[BKS_REPAIRS_MAX];
    out->repairs = bks_session_repairs(session, repairs, BKS_REPAIRS_MAX);
    out->repair = out->repairs > 0 ? repairs[out->repairs - 1] : (bks_repair){0};
    bks_tuning tuning;
    (void)bks_session_tuning(session, &tuning);
    out->window_ticks = tuning.window_ticks;
    out->figures = bks_match_figures(match);
    out->state = bks_match_state(match);
    out->state_bytes = bks_state_bytes(out->state);
}

static double per_second(const overlay_figures *figures, uint64_t count)
{
    // A rate over less than half a second is not meaningful, so return 0.
    return figures->seconds > 0.5 ? (double)count / figures->seconds : 0.0;
}

static double depth_mean(const bks_stats *stats)
{
    return stats->rollbacks > 0 ? (double)stats->rollback_depth_sum / (double)stats->rollbacks
                                : 0.0;
}

// Return the share of ticks that were stepped again, in percent.
static double again_percent(const overlay_figures *figures)
{
    return figures->tick > 0 ? 100.0 * (double)figures->stats.resimulated / figures->tick : 0.0;
}

static void append_tick(char out[OVERLAY_TEXT_BYTES], const overlay_figures *figures)
{
    text_add(out, OVERLAY_TEXT_BYTES, "tick %" PRId32, figures->tick);
    if (figures->end > 0) {
        text_add(out, OVERLAY_TEXT_BYTES, "/%" PRId32, figures->end);
    }
}

static void append_links(char out[OVERLAY_TEXT_BYTES], const overlay_figures *figures,
                         const char *between)
{
    const char *before = "";
    for (uint32_t i = 0; i < figures->stats.link_count && i < BKS_PEERS_MAX; i++) {
        const bks_link_stats *link = &figures->stats.links[i];
        if (link->has_peer) {
            text_add(out, OVERLAY_TEXT_BYTES, "%speer %" PRIu32 " %.0f ms, %.1f%% lost", before, i,
                     link->round_trip_ms, 100.0 * link->loss);
            before = between;
        }
    }
    if (before[0] == '\0') {
        text_add(out, OVERLAY_TEXT_BYTES, "all players on this machine");
    }
}

// Append the time that this peer waited, and the peer that caused most of it.
static void append_waits(char out[OVERLAY_TEXT_BYTES], const bks_stats *stats)
{
    if (stats->starved_ticks == 0) {
        return;
    }
    text_add(out, OVERLAY_TEXT_BYTES, "   waited %" PRIu64 " tick%s", stats->starved_ticks,
             TOOL_PLURAL(stats->starved_ticks));
    uint32_t most = 0;
    for (uint32_t i = 1; i < stats->link_count && i < BKS_PEERS_MAX; i++) {
        most = stats->links[i].waited_ticks > stats->links[most].waited_ticks ? i : most;
    }
    text_add(out, OVERLAY_TEXT_BYTES, ", %" PRIu64 " for peer %" PRIu32,
             stats->links[most].waited_ticks, most);
}

// Append how the match adapts to a slow machine, which may be this one or another: by additional
// input delay and by longer ticks.
static void append_slow(char out[OVERLAY_TEXT_BYTES], const overlay_figures *figures,
                        const char *before)
{
    const uint32_t delay = figures->stats.budget_delay_ticks;
    const double stretch = figures->stats.tick_stretch;
    if (delay > 0 || stretch > 0.0) {
        text_add(out, OVERLAY_TEXT_BYTES, "%sslow:", before);
    }
    if (delay > 0) {
        text_add(out, OVERLAY_TEXT_BYTES, " delay %" PRIu32, delay);
    }
    if (stretch > 0.0) {
        text_add(out, OVERLAY_TEXT_BYTES, " ticks %.0f%% longer", 100.0 * stretch);
    }
}

static void append_link(char out[OVERLAY_TEXT_BYTES], const bks_link_figures *link, uint32_t peer)
{
    text_add(out, OVERLAY_TEXT_BYTES, "peer %" PRIu32 " %.0f..%.0f ms, %.1f%% lost, lag %.1f/%.1f",
             peer, (double)link->round_trip_ms.least, (double)link->round_trip_ms.most,
             100.0 * (double)link->loss.mean, (double)link->local_lag.mean,
             (double)link->remote_lag.mean);
}

// Append the figures of the newest two seconds.
static void append_figures(char out[3][OVERLAY_TEXT_BYTES], const bks_figures *f,
                           const bks_roster *roster)
{
    text_add(out[0], OVERLAY_TEXT_BYTES, "   %.1f rollbacks/s", (double)f->rollbacks.mean);
    if (bks_figure_is_measured(&f->depth, f->window_ms)) {
        text_add(out[0], OVERLAY_TEXT_BYTES, ", %.1f deep, %.0f at most", (double)f->depth.mean,
                 (double)f->depth.most);
    }
    text_add(out[0], OVERLAY_TEXT_BYTES, "   %.0f/s stepped again in %.2f ms   delay %.1f",
             (double)f->resimulated.mean, (double)f->resimulation_ms.mean,
             (double)f->input_delay.mean);
    const char *before = "";
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        const bks_link_figures *link = &f->links[i];
        if (link->has_peer && !overlay_has_left(roster, i)) {
            text_add(out[1], OVERLAY_TEXT_BYTES, "%s", before);
            append_link(out[1], link, i);
            before = "   ";
        }
    }
    text_add(out[1], OVERLAY_TEXT_BYTES, "%s%.1f kB/s out",
             before[0] != '\0' ? before : "all players on this machine   ",
             (double)f->bytes_sent.mean / 1000.0);
}

static void append_totals(char out[3][OVERLAY_TEXT_BYTES], const overlay_figures *figures)
{
    const bks_stats *stats = &figures->stats;
    text_add(out[0], OVERLAY_TEXT_BYTES,
             "   %" PRIu64 " rollback%s, %.1f ticks deep, %" PRIu32
             " at most   %.0f%% stepped again",
             stats->rollbacks, TOOL_PLURAL(stats->rollbacks), depth_mean(stats),
             stats->rollback_depth_max, again_percent(figures));
    text_add(out[0], OVERLAY_TEXT_BYTES, "   delay %.1f", stats->input_delay_mean);
    append_links(out[1], figures, "   ");
    text_add(out[1], OVERLAY_TEXT_BYTES, "   %.1f kB/s out",
             per_second(figures, stats->payload_bytes_sent) / 1000.0);
}

static void append_pictures(char out[OVERLAY_TEXT_BYTES], const overlay_figures *figures)
{
    char line[PICTURE_LINE_BYTES];
    picture_line(&figures->pictures, figures->pictures_hz, line);
    if (line[0] != '\0') {
        text_add(out, OVERLAY_TEXT_BYTES, "   %s", line);
    }
    picture_late_line(&figures->pictures, figures->tick_rate_hz, line);
    if (line[0] != '\0') {
        text_add(out, OVERLAY_TEXT_BYTES, "   %s", line);
    }
}

void overlay_lines(const overlay_figures *figures, char out[3][OVERLAY_TEXT_BYTES])
{
    const bks_stats *stats = &figures->stats;
    memset(out, 0, 3 * (size_t)OVERLAY_TEXT_BYTES);
    append_tick(out[0], figures);
    if (figures->figures != NULL) {
        append_figures(out, figures->figures, &figures->roster);
    } else {
        append_totals(out, figures);
    }
    if (figures->published != BKS_TICK_NONE) {
        text_add(out[2], OVERLAY_TEXT_BYTES, "state %" PRId32 " %016" PRIx64, figures->published,
                 figures->hash);
    } else {
        text_add(out[2], OVERLAY_TEXT_BYTES, "not started");
    }
    append_waits(out[2], stats);
    append_slow(out[2], figures, "   ");
    append_pictures(out[2], figures);
}

void overlay_line(const overlay_figures *figures, char out[OVERLAY_TEXT_BYTES])
{
    const bks_stats *stats = &figures->stats;
    out[0] = '\0';
    append_tick(out, figures);
    text_add(out, OVERLAY_TEXT_BYTES,
             "  rollbacks %" PRIu64 " (mean %.1f, max %" PRIu32 ")  again %.0f%%  lag %.1f",
             stats->rollbacks, depth_mean(stats), stats->rollback_depth_max, again_percent(figures),
             stats->lag_mean);
    append_slow(out, figures, "  ");
    text_add(out, OVERLAY_TEXT_BYTES, "  out %.1f kB/s",
             per_second(figures, stats->payload_bytes_sent) / 1000.0);
    if (figures->published != BKS_TICK_NONE) {
        text_add(out, OVERLAY_TEXT_BYTES, "  state(%" PRId32 ") %016" PRIx64, figures->published,
                 figures->hash);
    }
}

static float text_size(const bks_canvas *canvas)
{
    if (canvas->is_coarse) {
        return 9.0F;
    }
    const float size = canvas->height / 36.0F;
    return size < 14.0F ? 14.0F : size > 40.0F ? 40.0F : size;
}

enum { PANEL_ROWS_MAX = 3 + BKS_PEERS_MAX };

// Write the rows beside the figures: the set-up of the match and totals since its start.
static uint32_t panel_rows(const overlay_figures *figures,
                           char rows[PANEL_ROWS_MAX][OVERLAY_TEXT_BYTES])
{
    const bks_stats *stats = &figures->stats;
    memset(rows, 0, PANEL_ROWS_MAX * (size_t)OVERLAY_TEXT_BYTES);
    append_tick(rows[0], figures);
    text_add(rows[0], OVERLAY_TEXT_BYTES, "  at %" PRIu32 " Hz", figures->tick_rate_hz);
    text_add(rows[1], OVERLAY_TEXT_BYTES,
             "window %" PRIu32 "  delay %" PRIu32 "  a snapshot every ", figures->window_ticks,
             stats->input_delay);
    if (stats->save_spacing == 1) {
        text_add(rows[1], OVERLAY_TEXT_BYTES, "tick");
    } else {
        text_add(rows[1], OVERLAY_TEXT_BYTES, "%" PRIu32 " tick%s", stats->save_spacing,
                 TOOL_PLURAL(stats->save_spacing));
    }
    text_add(rows[2], OVERLAY_TEXT_BYTES, "an update may take %.2f ms", stats->worst_update_ms);
    append_slow(rows[2], figures, "  ");
    text_add(rows[3], OVERLAY_TEXT_BYTES,
             "so far %" PRIu64 " rollback%s, %" PRIu32 " deep, %.0f%% stepped again",
             stats->rollbacks, TOOL_PLURAL(stats->rollbacks), stats->rollback_depth_max,
             again_percent(figures));
    text_add(rows[4], OVERLAY_TEXT_BYTES,
             "so far stalled %" PRIu64 "  starved %" PRIu64 "  %" PRIu64 " hitch%s",
             stats->stalled_ticks, stats->starved_ticks, stats->hitches,
             TOOL_PLURAL_ES(stats->hitches));
    append_waits(rows[4], stats);
    uint32_t count = 5;
    picture_line(&figures->pictures, figures->pictures_hz, rows[count]);
    count += rows[count][0] != '\0' ? 1 : 0;
    picture_late_line(&figures->pictures, figures->tick_rate_hz, rows[count]);
    count += rows[count][0] != '\0' ? 1 : 0;
    if (figures->published != BKS_TICK_NONE) {
        text_add(rows[count++], OVERLAY_TEXT_BYTES, "state %" PRId32 "  %016" PRIx64,
                 figures->published, figures->hash);
    }
    if (figures->repairs > 0) {
        const bks_repair *repair = &figures->repair;
        text_add(rows[count++], OVERLAY_TEXT_BYTES,
                 "repaired at %" PRId32 ": peer %" PRIu32 ", %" PRIu64 " bytes of peer %" PRIu32,
                 repair->tick, repair->peer, repair->bytes, repair->from);
    }
    return count;
}

// Write the rows of the short form: the figures that a player needs first if a match feels wrong.
static uint32_t short_rows(const overlay_figures *figures,
                           char rows[PANEL_ROWS_MAX][OVERLAY_TEXT_BYTES])
{
    const bks_stats *stats = &figures->stats;
    const bks_figures *f = figures->figures;
    memset(rows, 0, PANEL_ROWS_MAX * (size_t)OVERLAY_TEXT_BYTES);
    append_tick(rows[0], figures);
    text_add(rows[0], OVERLAY_TEXT_BYTES, "  (F1: all figures)");
    text_add(rows[1], OVERLAY_TEXT_BYTES, "delay %" PRIu32 "  %" PRIu64 " hitch%s",
             stats->input_delay, stats->hitches, TOOL_PLURAL_ES(stats->hitches));
    if (f != NULL) {
        text_add(rows[1], OVERLAY_TEXT_BYTES, "  %.1f rollbacks/s  %.1f kB/s out",
                 (double)f->rollbacks.mean, (double)f->bytes_sent.mean / 1000.0);
    }
    uint32_t count = 2;
    append_slow(rows[count], figures, "");
    count += rows[count][0] != '\0' ? 1 : 0;
    for (uint32_t i = 0; f != NULL && i < BKS_PEERS_MAX; i++) {
        if (f->links[i].has_peer && !overlay_has_left(&figures->roster, i)) {
            append_link(rows[count++], &f->links[i], i);
        }
    }
    return count;
}

void overlay_draw(const overlay_figures *figures, overlay_form form, const bks_canvas *canvas)
{
    if (canvas->is_coarse || form == OVERLAY_NONE) {
        // Draw no panels on so few dots, because their text is not readable. The lines under the
        // picture have the same numbers.
        return;
    }
    const bool is_short = form == OVERLAY_SHORT;
    char rows[PANEL_ROWS_MAX][OVERLAY_TEXT_BYTES];
    const char *lines[PANEL_ROWS_MAX];
    const uint32_t count = is_short ? short_rows(figures, rows) : panel_rows(figures, rows);
    for (uint32_t i = 0; i < count; i++) {
        lines[i] = rows[i];
    }
    overlay_panels panels = {.lines = lines, .line_count = count};
    if (!is_short) {
        panels.tuner = figures->tuner;
        panels.figures = figures->figures;
        panels.roster = &figures->roster;
        panels.state = figures->state;
        panels.state_bytes = figures->state_bytes;
        panels.root_bytes = figures->root_bytes;
    }
    // The panels end above the line of text at the lower edge.
    overlay_panels_draw(&panels, canvas, canvas->height - 2.0F * text_size(canvas));
}

overlay_form overlay_after(bool is_on, uint32_t presses)
{
    return (overlay_form)(((is_on ? OVERLAY_SHORT : OVERLAY_NONE) + presses) % OVERLAY_FORMS);
}

// Lay out a message: one too long for a line gets smaller letters and more lines.
static text_block message_block(const bks_canvas *canvas, const char *text)
{
    const float size = text_size(canvas);
    text_block block = {.left = size,
                        .width = canvas->width - 2.0F * size,
                        .size = size,
                        .pitch = 1.3F * size,
                        .is_centred = true};
    const float width = canvas->text_width(canvas->context, size, text);
    if (width > block.width) {
        const float least = 0.7F * size;
        block.size = size * block.width / width;
        block.size = block.size > least ? block.size : least;
        block.pitch = 1.3F * block.size;
    }
    return block;
}

float overlay_message_height(const bks_canvas *canvas, const char *text)
{
    if (canvas->is_coarse) {
        return 0.0F;
    }
    const text_block block = message_block(canvas, text);
    const uint32_t rows = text_block_rows(&block, canvas, text);
    return 1.8F * text_size(canvas) + (float)(rows > 1 ? rows - 1 : 0) * block.pitch;
}

void overlay_message(const bks_canvas *canvas, float height, const char *text)
{
    const text_block block = message_block(canvas, text);
    const uint32_t rows = text_block_rows(&block, canvas, text);
    const float needed = block.size + (float)(rows > 1 ? rows - 1 : 0) * block.pitch;
    const float band = needed > height ? needed + block.size : height;
    const float top = canvas->height - band;
    canvas->rectangle(canvas->context, 0.0F, top, canvas->width, band, PAPER);
    (void)text_block_draw(&block, canvas, top + (band - needed) / 2.0F, INK, text);
}

void overlay_page(const bks_canvas *canvas, const char *headline, const char *const *lines,
                  uint32_t count)
{
    canvas->clear(canvas->context, PAPER);
    const float size = text_size(canvas);
    const float large = canvas->is_coarse ? size : 2.2F * size;
    float y = canvas->height / 2.0F - large - (float)count * size * 0.7F;
    y = y > 0.0F ? y : 0.0F;
    const float width = canvas->text_width(canvas->context, large, headline);
    canvas->text(canvas->context, (canvas->width - width) / 2.0F, y, large, LIT, headline);
    y += large * 1.5F;
    const text_block block = {.left = size,
                              .width = canvas->width - 2.0F * size,
                              .size = size,
                              .pitch = 1.2F * size,
                              .is_centred = true};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rows = text_block_draw(&block, canvas, y, INK, lines[i]);
        y += 1.5F * size + (float)(rows > 1 ? rows - 1 : 0) * block.pitch;
    }
}

// Draw a field as a bar from its least to its greatest value, with the neutral value marked.
static void draw_field(const bks_canvas *canvas, const bks_field *field, int32_t value, float x,
                       float y, float width, float height)
{
    int32_t least = 0;
    int32_t greatest = 1;
    (void)bks_field_range(field, &least, &greatest);
    const float span = (float)((int64_t)greatest - least);
    const float zero = x + width * (float)((int64_t)field->neutral - least) / span;
    const float here = x + width * (float)((int64_t)value - least) / span;
    canvas->rectangle(canvas->context, x, y, width, height, 0x1C2330FF);
    canvas->rectangle(canvas->context, here < zero ? here : zero, y,
                      here < zero ? zero - here : here - zero, height, LIT);
    canvas->rectangle(canvas->context, zero - 0.5F, y, 1.0F, height, FAINT);
}

void overlay_inputs(const bks_canvas *canvas, const bks_game *game, uint32_t players,
                    const int32_t *inputs)
{
    canvas->clear(canvas->context, PAPER);
    const float size = text_size(canvas);
    const float top = canvas->is_coarse ? 0.0F : 2.0F * size;
    const float column = canvas->width / (float)(players > 0 ? players : 1);
    const uint32_t rows = game->field_count + 1;
    const float row = (canvas->height - top) / (float)rows;
    for (uint32_t player = 0; player < players; player++) {
        const float x = column * (float)player + column * 0.06F;
        const float width = column * 0.88F;
        char name[64];
        snprintf(name, sizeof(name), "player %" PRIu32, player);
        if (row >= size) {
            canvas->text(canvas->context, x, top + (row - size) / 2.0F, size, INK, name);
        }
        for (uint32_t i = 0; i < game->field_count; i++) {
            const float y = top + row * (float)(i + 1);
            draw_field(canvas, &game->fields[i], inputs[player * game->field_count + i], x,
                       y + row * 0.15F, width, row * 0.7F);
            if (row >= size * 1.4F && !canvas->is_coarse) {
                canvas->text(canvas->context, x + size * 0.4F, y + (row - size) / 2.0F, size, INK,
                             game->fields[i].name);
            }
        }
    }
}
