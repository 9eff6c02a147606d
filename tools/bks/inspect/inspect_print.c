// SPDX-License-Identifier: MIT

#include "inspect/inspect_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "base/json.h"
#include "base/tool.h"

/// GRAPH_AT: column at which graphs begin. GRAPH_MAX: greatest width of a graph, in columns.
enum { GRAPH_AT = 46, GRAPH_MAX = BKS_FIGURE_POINTS / 2 };

const char *inspect_phase_name(bks_phase phase)
{
    static const char *const names[] = {"gathering", "running", "ended", "failed"};
    return (uint32_t)phase <= BKS_PHASE_FAILED ? names[phase] : "unknown";
}

const char *inspect_pace_name(bks_pace pace)
{
    static const char *const names[] = {"slew", "stall", "none"};
    return (uint32_t)pace <= BKS_PACE_NONE ? names[pace] : "unknown";
}

void inspect_print_delay(uint32_t delay_ticks, char out[16])
{
    if (delay_ticks == BKS_AUTO) {
        snprintf(out, 16, "auto");
    } else {
        snprintf(out, 16, "%" PRIu32, delay_ticks);
    }
}

// ---- printing a view as text ----

/// Print a line, cut to the width of the terminal.
static void line(const inspect_style *style, FILE *out, bool is_head, const char *format, ...)
    BKS_PRINTF(4, 5);

static void line(const inspect_style *style, FILE *out, bool is_head, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    const bool is_lit = is_head && style->has_colour;
    fprintf(out, "%s%.*s%s%s", is_lit ? "\033[1;33m" : "", (int)style->columns, text,
            is_lit ? "\033[0m" : "", style->end);
}

/// Print a graph. Each column shows the greater of two successive points.
static void print_graph(const bks_figure *figure, float least, uint32_t columns, FILE *out)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    float top = least;
    for (uint32_t i = 0; i < BKS_FIGURE_POINTS; i++) {
        const float most = fabsf(figure->history[i].most);
        top = figure->history[i].weight > 0.0F && most > top ? most : top;
    }
    const uint32_t from = BKS_FIGURE_POINTS - 2 * columns;
    for (uint32_t i = from; i + 1 < BKS_FIGURE_POINTS; i += 2) {
        const bks_figure_point *a = &figure->history[i];
        const bks_figure_point *b = &figure->history[i + 1];
        const bool has_value = a->weight > 0.0F || b->weight > 0.0F;
        const float first = a->weight > 0.0F ? fabsf(a->most) : 0.0F;
        const float second = b->weight > 0.0F ? fabsf(b->most) : 0.0F;
        const float share = (first > second ? first : second) / top;
        const int level = has_value ? 1 + (int)(share * 7.0F + 0.5F) : 0;
        fputs(blocks[level < 8 ? level : 8], out);
    }
}

static const char *mark_of(inspect_age age)
{
    return age == INSPECT_OLD ? "? " : "  ";
}

static void print_figure(const bks_figure_row *row, const bks_figure *figure, uint32_t window_ms,
                         inspect_age age, const inspect_style *style, FILE *out)
{
    if (age == INSPECT_MISSING) {
        fprintf(out, "  %-13s %9s %s%s", row->name, "-", row->unit, style->end);
        return;
    }
    figure_text text;
    figure_write(row, figure, window_ms, &text);
    fprintf(out, "%s%-13s %9s %s", mark_of(age), row->name, text.mean, row->unit);
    if (text.range[0] != '\0' || style->has_graphs) {
        fprintf(out, "%*s%.14s", 7 - (int)strlen(row->unit), "", text.range);
    }
    if (style->has_graphs && style->columns > GRAPH_AT + 8) {
        const uint32_t room = style->columns - GRAPH_AT;
        fprintf(out, "%*s", 14 - (int)(strlen(text.range) < 14 ? strlen(text.range) : 14), "");
        print_graph(figure, row->graph_top, room < GRAPH_MAX ? room : GRAPH_MAX, out);
    }
    fputs(style->end, out);
}

static void print_figures(const inspect_view *view, uint32_t peer, const inspect_style *style,
                          FILE *out)
{
    for (uint32_t i = 0; bks_figure_row_of(peer, i) != NULL; i++) {
        print_figure(bks_figure_row_of(peer, i), bks_figure_of(&view->figures, peer, i),
                     view->figures.window_ms, view->figure_ages[peer][i], style, out);
    }
}

static uint32_t count_bits(uint32_t bits)
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

static void print_summary(const bks_inspect_summary *s, const char *address,
                          const inspect_style *style, FILE *out)
{
    char length[16] = "";
    char delay[16];
    if (s->ticks > 0) {
        snprintf(length, sizeof(length), "/%" PRId32, s->ticks);
    }
    inspect_print_delay(s->delay_ticks, delay);
    line(style, out, true, "%s at %s   tick %" PRId32 "%s at %" PRIu32 " Hz   %s",
         s->game[0] != '\0' ? s->game : "a match", address, s->tick, length, s->tick_rate_hz,
         inspect_phase_name(s->phase));
    const uint32_t peers = count_bits(s->peers_in);
    line(style, out, false,
         "seen by peer %" PRIu32 "   the host is peer %" PRIu32 "   %" PRIu32 " peer%s, %" PRIu32
         " player%s",
         s->self, s->host, peers, TOOL_PLURAL(peers), s->players, TOOL_PLURAL(s->players));
    line(style, out, false,
         "window %" PRIu32 " of %" PRIu32 ": ticks that it may run ahead of the inputs",
         s->window_ticks, s->window_max);
    line(style, out, false, "delay %s   pace %s   link %s", delay, inspect_pace_name(s->pace),
         s->has_link ? s->link : "not emulated");
    line(style, out, false,
         "so far %" PRIu64 " rollback%s, %" PRIu64 " tick%s stepped again, %" PRIu64
         " stalled, %" PRIu64 " starved",
         s->rollbacks, TOOL_PLURAL(s->rollbacks), s->resimulated, TOOL_PLURAL(s->resimulated),
         s->stalled_ticks, s->starved_ticks);
    if (s->published != BKS_TICK_NONE) {
        line(style, out, false, "state %" PRId32 " %016" PRIx64, s->published, s->hash);
    }
    if (s->repairs > 0) {
        line(style, out, false,
             "repaired at tick %" PRId32 ": peer %" PRIu32 ", %" PRIu64 " bytes of peer %" PRIu32,
             s->repair.tick, s->repair.peer, s->repair.bytes, s->repair.from);
    }
}

static void print_part(const bks_memory_part *part, inspect_age age, const inspect_style *style,
                       FILE *out)
{
    static const char *const names[] = {"root", "arena's own", "blocks", "", "free"};
    if (age == INSPECT_MISSING) {
        line(style, out, false, "    %-20s %10s bytes", "-", "-");
        return;
    }
    if (part->kind != BKS_MEMORY_POOL) {
        line(style, out, false, "%s%s%-20s %10" PRIu64 " bytes", mark_of(age),
             part->kind == BKS_MEMORY_ROOT || part->kind == BKS_MEMORY_FREE ? "" : "  ",
             names[part->kind], part->bytes);
        return;
    }
    char leaked[32] = "";
    if (part->leaked > 0) {
        snprintf(leaked, sizeof(leaked), ", grown %" PRIu32, part->leaked);
    }
    line(style, out, false,
         "%s  %-20s %10" PRIu64 " bytes   %" PRIu32 " of %" PRIu32 ", most %" PRIu32 "%s",
         mark_of(age), part->name, part->bytes, part->live, part->capacity, part->high_water,
         leaked);
}

void inspect_print_text(const inspect_view *view, const char *address, const inspect_style *style,
                        FILE *out)
{
    const bks_inspect_summary *summary = &view->summary;
    print_summary(summary, address, style, out);
    if (summary->window_ms > 0) {
        line(style, out, true, "match: mean, range over %.0f s%s",
             (double)summary->window_ms / 1000.0, style->has_graphs ? ", graph over 10 s" : "");
        print_figures(view, BKS_PEERS_MAX, style, out);
    }
    for (uint32_t peer = 0; peer < BKS_PEERS_MAX; peer++) {
        if (view->figures.links[peer].has_peer) {
            const bool has_left = inspect_has_left(summary, peer);
            line(style, out, true, "peer %" PRIu32 "%s", peer, has_left ? ": left" : "");
            if (!has_left) {
                print_figures(view, peer, style, out);
            }
        }
    }
    if (view->part_count > 0) {
        line(style, out, true, "memory of the state: %" PRIu64 " bytes", summary->state_bytes);
    }
    for (uint32_t i = 0; i < view->part_count; i++) {
        print_part(&view->parts[i], view->part_ages[i], style, out);
    }
    if (view->unanswered > 0) {
        line(style, out, false, "%" PRIu32 " answer%s did not come: -, or ? what came before",
             view->unanswered, TOOL_PLURAL(view->unanswered));
    }
    if (style->remark != NULL) {
        line(style, out, false, "%s", style->remark);
    }
}

// ---- printing a view as JSON ----

static void json_figures(json *j, const inspect_view *view, uint32_t peer)
{
    for (uint32_t i = 0; bks_figure_row_of(peer, i) != NULL; i++) {
        const bks_figure_row *row = bks_figure_row_of(peer, i);
        const inspect_age age = view->figure_ages[peer][i];
        if (age == INSPECT_MISSING) {
            json_null(j, row->key);
        } else {
            figure_json(j, row, bks_figure_of(&view->figures, peer, i), view->figures.window_ms,
                        age == INSPECT_OLD);
        }
    }
}

static void json_tuning(json *j, const bks_inspect_summary *s)
{
    json_object(j, "tuning");
    json_uint(j, "window", s->window_ticks);
    json_uint(j, "window_max", s->window_max);
    if (s->delay_ticks == BKS_AUTO) {
        json_text(j, "delay", "auto");
    } else {
        json_uint(j, "delay", s->delay_ticks);
    }
    json_text(j, "pace", inspect_pace_name(s->pace));
    json_text(j, "link", s->has_link ? s->link : NULL);
    json_bool(j, "changeable", s->is_changeable);
    json_close(j);
}

static void json_summary(json *j, const bks_inspect_summary *s)
{
    json_text(j, "game", s->game);
    json_text(j, "phase", inspect_phase_name(s->phase));
    json_int(j, "tick", s->tick);
    json_int(j, "confirmed", s->confirmed);
    json_int(j, "ticks", s->ticks);
    json_uint(j, "hz", s->tick_rate_hz);
    json_uint(j, "players", s->players);
    json_uint(j, "peer", s->self);
    json_uint(j, "host", s->host);
    json_tick(j, "published", s->published);
    json_hash(j, "hash", s->hash);
    json_uint(j, "rollbacks", s->rollbacks);
    json_uint(j, "resimulated", s->resimulated);
    json_uint(j, "stalled_ticks", s->stalled_ticks);
    json_uint(j, "starved_ticks", s->starved_ticks);
    json_uint(j, "repairs", s->repairs);
    json_tuning(j, s);
}

static void json_memory(json *j, const inspect_view *view)
{
    static const char *const kinds[] = {"root", "arena", "blocks", "pool", "free"};
    json_array(j, "memory");
    for (uint32_t i = 0; i < view->part_count; i++) {
        const bks_memory_part *part = &view->parts[i];
        if (view->part_ages[i] == INSPECT_MISSING) {
            json_null(j, NULL);
            continue;
        }
        json_object(j, NULL);
        if (view->part_ages[i] == INSPECT_OLD) {
            json_bool(j, "old", true);
        }
        json_text(j, "kind", kinds[part->kind]);
        json_uint(j, "bytes", part->bytes);
        if (part->kind == BKS_MEMORY_POOL) {
            json_text(j, "name", part->name);
            json_uint(j, "live", part->live);
            json_uint(j, "capacity", part->capacity);
            json_uint(j, "high_water", part->high_water);
            json_uint(j, "leaked", part->leaked);
        }
        json_close(j);
    }
    json_close(j);
}

bool inspect_print_json(const inspect_view *view, const char *address, FILE *out)
{
    json j;
    json_begin(&j, out);
    json_text(&j, "address", address);
    json_summary(&j, &view->summary);
    json_uint(&j, "window_ms", view->summary.window_ms);
    if (view->summary.window_ms > 0) {
        json_object(&j, "figures");
        json_figures(&j, view, BKS_PEERS_MAX);
        json_close(&j);
    }
    json_array(&j, "peers");
    for (uint32_t peer = 0; peer < BKS_PEERS_MAX; peer++) {
        if (view->figures.links[peer].has_peer) {
            json_object(&j, NULL);
            json_uint(&j, "id", peer);
            json_bool(&j, "left", inspect_has_left(&view->summary, peer));
            if (!inspect_has_left(&view->summary, peer)) {
                json_figures(&j, view, peer);
            }
            json_close(&j);
        }
    }
    json_close(&j);
    json_memory(&j, view);
    return json_end(&j);
}
