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
enum { BACKS_MAX = 4000, EVENT_RISE = 2, EVENTS_LISTED = 12 };

// Where a tick lies.
static double x_of(const doctor_case *c, bks_tick tick)
{
    const double ticks = c->until > c->first ? (double)(c->until - c->first) : 1.0;
    return LEFT + (RIGHT - LEFT) * (double)(tick - c->first) / ticks;
}

static bool is_inside(const doctor_case *c, bks_tick tick)
{
    return tick >= c->first && tick <= c->until;
}

static void write_band(FILE *out, const char *class, double from, double to, const char *title)
{
    fprintf(out,
            "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>%s</title>"
            "</rect>",
            class, from, BAND, to > from ? to - from : 0.0, BAND_HEIGHT, title);
}

// A stroke for each rollback, as high as it went back.
// @return how many there are, and the deepest
static uint32_t write_rollbacks(FILE *out, const doctor_case *c, const replay_file *file,
                                bks_tick *deepest)
{
    uint32_t count = 0;
    bks_replay_rollback r;
    *deepest = 1;
    for (int pass = 0; pass < 2; pass++) {
        count = 0;
        for (uint32_t i = 0; i < file->info->rollback_count && count < BACKS_MAX; i++) {
            if (bks_replay_rollback_at(file->replay, i, &r) != BKS_OK || !is_inside(c, r.present)) {
                continue;
            }
            const bks_tick depth = r.present - r.from;
            count++;
            *deepest = depth > *deepest ? depth : *deepest;
            if (pass == 1) {
                fprintf(out,
                        "<line class=\"back\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\"><title>"
                        "at tick %" PRId32 " back to %" PRId32 "</title></line>",
                        x_of(c, r.present), x_of(c, r.present), BAND - 2,
                        BAND - 2 - (double)(BAND - 2 - DEPTH_TOP) * depth / *deepest, r.present,
                        r.from);
            }
        }
    }
    return count;
}

static void write_events(FILE *out, const doctor_case *c, const replay_file *file)
{
    bks_replay_event event;
    for (uint32_t i = 0; i < file->info->event_count; i++) {
        if (bks_replay_event_at(file->replay, i, &event) == BKS_OK && is_inside(c, event.tick)) {
            fprintf(
                out,
                "<rect class=\"event\" x=\"%.1f\" y=\"%d\" width=\"3\" height=\"%d\"><title>tick "
                "%" PRId32 ": %s, peer %" PRIu32 "</title></rect>",
                x_of(c, event.tick), BAND - EVENT_RISE, BAND_HEIGHT + 2 * EVENT_RISE, event.tick,
                bks_replay_event_kind_name(event.kind), event.peer);
        }
    }
}

// In words, for who cannot point at a notch.
static void list_events(FILE *out, const doctor_case *c, const replay_file *file)
{
    uint32_t listed = 0;
    bks_replay_event event;
    for (uint32_t i = 0; i < file->info->event_count; i++) {
        if (bks_replay_event_at(file->replay, i, &event) != BKS_OK || !is_inside(c, event.tick)) {
            continue;
        }
        if (listed == EVENTS_LISTED) {
            fputs(", …", out);
            break;
        }
        fprintf(out, "%stick %" PRId32 ": %s, peer %" PRIu32, listed++ == 0 ? "<p>Events: " : "; ",
                event.tick, bks_replay_event_kind_name(event.kind), event.peer);
    }
    fputs(listed > 0 ? ".</p>" : "", out);
}

// Where both are the same again after the first that differs: behind its repair, if it was
// repaired.
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
    bks_tick deepest = 1;
    const bool is_flat = file->info->rollback_count == 0;
    const int top = is_flat ? BAND - 2 * EVENT_RISE : 0;
    fprintf(out,
            "<h3>%s</h3><svg class=\"side%d%s\" viewBox=\"0 %d %d %d\" "
            "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"timeline of %s\">",
            side == 0 ? "A" : "B", side, is_flat ? " flat" : "", top, WIDTH, HEIGHT - top,
            side == 0 ? "A" : "B");
    const bks_tick part = c->hash_tick != BKS_TICK_NONE ? c->hash_tick : c->until;
    write_band(out, "same", x_of(c, c->first), x_of(c, part), "the same hashes");
    const bks_tick end = find_end(c, part);
    write_band(out, "other", x_of(c, part), x_of(c, end), "behind the first that differs");
    if (end < c->until) {
        write_band(out, "same", x_of(c, end), x_of(c, c->until), "repaired");
    }
    const uint32_t count = write_rollbacks(out, c, file, &deepest);
    write_events(out, c, file);
    fprintf(out,
            "</svg><p class=\"ends\"><span>tick %" PRId32 "</span><span>%" PRId32 "</span></p><p>",
            c->first, c->until);
    if (is_flat) {
        fputs("No rollbacks are recorded (--keep rollbacks).</p>", out);
    } else {
        fprintf(out, "%" PRIu32 " rollback%s here, the deepest of %" PRId32 " tick%s.</p>", count,
                TOOL_PLURAL(count), deepest, TOOL_PLURAL(deepest));
    }
    list_events(out, c, file);
}

void doctor_timeline_write(FILE *out, const doctor_case *c)
{
    fputs("<section id=\"timelines\"><h2>Timelines</h2><p>Green: the hashes are the same. Red: "
          "from the first that differs on, or until it was repaired. Strokes: rollbacks, as high "
          "as they went back. Notches: "
          "events.</p>",
          out);
    for (int side = 0; side < 2; side++) {
        if (c->sides[side].file.replay != NULL) {
            write_side(out, c, side);
        }
    }
    fputs("</section>\n", out);
}
