// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_report.h"

#include <inttypes.h>

#include "backstitch/toolkit/recording.h"
#include "base/html.h"
#include "base/tool.h"

enum {
    WIDTH = 1000,
    HEIGHT = 76,
    LEFT = 8,
    RIGHT = 992,
    BAND = 66,
    BAND_HEIGHT = 8,
    DEPTH_TOP = 12
};
enum { BACKS_MAX = 4000, EVENT_RISE = 2, EVENTS_LISTED = 12, EVENT_BYTES = 128 };

// Return the x coordinate of a tick.
static double x_of(const doctor_case *c, bks_tick tick)
{
    const double ticks = c->until > c->first ? (double)(c->until - c->first) : 1.0;
    return LEFT + (RIGHT - LEFT) * (double)(tick - c->first) / ticks;
}

static bool is_inside(const doctor_case *c, bks_tick tick)
{
    return tick >= c->first && tick <= c->until;
}

static void write_band(FILE *out, const doctor_case *c, const char *class, bks_tick from,
                       bks_tick to, const char *title)
{
    html_rect(out, class, x_of(c, from), BAND, x_of(c, to) - x_of(c, from), BAND_HEIGHT, title);
}

// Find the next rollback of a recording within the compared ticks.
// @param at  index of the rollback to begin with; receives the index after the found one
static bool next_rollback(const doctor_case *c, const replay_file *file, uint32_t *at,
                          bks_replay_rollback *out)
{
    while (*at < file->info->rollback_count) {
        if (bks_replay_rollback_at(file->replay, (*at)++, out) == BKS_OK &&
            is_inside(c, out->present)) {
            return true;
        }
    }
    return false;
}

// Draw a stroke for each rollback, its height in proportion to the ticks rolled back. Write below
// how many rollbacks there are.
static void write_rollbacks(FILE *out, const doctor_case *c, const replay_file *file)
{
    uint32_t count = 0;
    bks_tick deepest = 1;
    bks_replay_rollback r;
    for (uint32_t at = 0; count < BACKS_MAX && next_rollback(c, file, &at, &r); count++) {
        deepest = r.present - r.from > deepest ? r.present - r.from : deepest;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < count && next_rollback(c, file, &at, &r); i++) {
        const double x = x_of(c, r.present);
        const double height = (double)(BAND - 2 - DEPTH_TOP) * (r.present - r.from) / deepest;
        char title[64];
        (void)snprintf(title, sizeof(title), "at tick %" PRId32 " back to %" PRId32, r.present,
                       r.from);
        html_line(out, "back", x, BAND - 2, x, BAND - 2 - height, title);
    }
    html_print(
        out, "</svg><p class=\"ends\"><span>tick %" PRId32 "</span><span>%" PRId32 "</span></p><p>",
        c->first, c->until);
    if (file->info->rollback_count == 0) {
        fputs("No rollbacks are recorded (--keep rollbacks). ", out);
    } else {
        html_print(out, "%" PRIu32 " rollback%s here, the deepest of %" PRId32 " tick%s. ", count,
                   TOOL_PLURAL(count), deepest, TOOL_PLURAL(deepest));
    }
}

// Find the next event of a recording within the compared ticks.
// @param at    index of the event to begin with; receives the index after the found one
// @param text  receives a description of the event
static bool next_event(const doctor_case *c, const replay_file *file, uint32_t *at, bks_tick *tick,
                       char text[EVENT_BYTES])
{
    bks_replay_event event;
    while (*at < file->info->event_count) {
        if (bks_replay_event_at(file->replay, (*at)++, &event) == BKS_OK &&
            is_inside(c, event.tick)) {
            *tick = event.tick;
            (void)snprintf(text, EVENT_BYTES, "tick %" PRId32 ": %s, peer %" PRIu32, event.tick,
                           bks_replay_event_kind_name(event.kind), event.peer);
            return true;
        }
    }
    return false;
}

static void write_events(FILE *out, const doctor_case *c, const replay_file *file)
{
    char text[EVENT_BYTES];
    bks_tick tick = 0;
    for (uint32_t at = 0; next_event(c, file, &at, &tick, text);) {
        html_rect(out, "event", x_of(c, tick), BAND - EVENT_RISE, 3, BAND_HEIGHT + 2 * EVENT_RISE,
                  text);
    }
}

// List the events in words, too, because a thin mark in the picture is hard to point at.
static void list_events(FILE *out, const doctor_case *c, const replay_file *file)
{
    char text[EVENT_BYTES];
    bks_tick tick = 0;
    uint32_t listed = 0;
    for (uint32_t at = 0; listed <= EVENTS_LISTED && next_event(c, file, &at, &tick, text);
         listed++) {
        if (listed == EVENTS_LISTED) {
            fputs(", …", out);
        } else {
            html_print(out, "%s%s", listed == 0 ? "Events: " : "; ", text);
        }
    }
    fputs(listed > 0 ? ".</p>" : "</p>", out);
}

// Return the tick at which a repair ended the difference. If no repair did, return the last
// compared tick.
static bks_tick find_end(const doctor_case *c, bks_tick part)
{
    bks_tick end = c->until;
    bks_replay_repair repair;
    for (int side = 0; side < 2; side++) {
        const bks_replay *replay = c->sides[side].file.replay;
        for (uint32_t i = 0; replay != NULL && bks_replay_is_repaired(replay, part) &&
                             i < c->sides[side].file.info->repair_count;
             i++) {
            if (bks_replay_repair_at(replay, i, &repair) == BKS_OK && repair.since <= part &&
                repair.until > part && repair.until < end) {
                end = repair.until;
            }
        }
    }
    return end;
}

static void write_side(FILE *out, const doctor_case *c, int side)
{
    const replay_file *file = &c->sides[side].file;
    const char *name = side == 0 ? "A" : "B";
    const bool is_flat = file->info->rollback_count == 0;
    const int top = is_flat ? BAND - 2 * EVENT_RISE : 0;
    char class[24];
    char label[32];
    (void)snprintf(class, sizeof(class), "side%d%s", side, is_flat ? " flat" : "");
    (void)snprintf(label, sizeof(label), "timeline of %s", name);
    html_print(out, "<h3>%s</h3>", name);
    html_svg(out, class, top, WIDTH, HEIGHT - top, label, " preserveAspectRatio=\"none\"");
    const bks_tick apart = c->hash_tick != BKS_TICK_NONE ? c->hash_tick : c->until;
    const bks_tick end = find_end(c, apart);
    write_band(out, c, "same", c->first, apart, "the same hashes");
    write_band(out, c, "other", apart, end, "behind the first that differs");
    if (end < c->until) {
        write_band(out, c, "same", end, c->until, "repaired");
    }
    write_events(out, c, file);
    write_rollbacks(out, c, file);
    list_events(out, c, file);
}

void doctor_timeline_write(FILE *out, const doctor_case *c)
{
    html_section(out, "timelines", "Timelines",
                 "Green: the hashes are the same. Red: from the first that differs on, or until it "
                 "was repaired. Strokes: rollbacks, as high as they went back. Notches: events.");
    for (int side = 0; side < 2; side++) {
        if (c->sides[side].file.replay != NULL) {
            write_side(out, c, side);
        }
    }
    fputs("</section>\n", out);
}
