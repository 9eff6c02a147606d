// SPDX-License-Identifier: MIT

// Writes the report of `bks lab`, one self-contained HTML file. Its graphs are SVG, drawn here.

#define _GNU_SOURCE

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/html.h"
#include "base/tool.h"
#include "workshop/lab/lab_parts.h"

/// Size of a graph, in units of its SVG.
enum {
    GRAPH_WIDTH = 1000,
    GRAPH_HEIGHT = 220,
    PLOT_LEFT = 56,
    PLOT_RIGHT = 992,
    PLOT_TOP = 10,
    PLOT_BOTTOM = 190,
    LINES_ACROSS = 5,
};

/// Colours of the peers, chosen so that colour-blind people can tell them apart. Source: M. Okabe
/// and K. Ito, "Color Universal Design" (2008).
static const char *const colours[BKS_PEERS_MAX] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                                   "#d55e00", "#56b4e9", "#b3a100", "#7f7f7f"};

/// Graph of the report.
typedef struct graph {
    const char *id; ///< id of the graph's section in the HTML page
    const char *title;
    const char *about;
    /// Function that returns the graph's value in a bin; NAN: no value.
    double (*value)(const lab_bin *bin, double seconds);
} graph;

static double ticks_back(const lab_bin *bin, double seconds)
{
    (void)seconds;
    return bin->rollbacks > 0 ? (double)bin->depth_sum / (double)bin->rollbacks : 0.0;
}

static double ticks_ahead(const lab_bin *bin, double seconds)
{
    (void)seconds;
    return bin->samples > 0 ? bin->ahead_sum / bin->samples : NAN;
}

static double rollbacks_per_s(const lab_bin *bin, double seconds)
{
    return (double)bin->rollbacks / seconds;
}

static double bytes_per_s(const lab_bin *bin, double seconds)
{
    return (double)bin->payload_bytes / seconds;
}

static double starved_ticks(const lab_bin *bin, double seconds)
{
    (void)seconds;
    return (double)bin->starved;
}

static const graph graphs[] = {
    {"depth", "Rollback depth", "ticks from the wrong guess to the present, mean", ticks_back},
    {"lag", "Lag", "ticks the game runs ahead of confirmed input, mean", ticks_ahead},
    {"rollbacks", "Rollbacks", "a second", rollbacks_per_s},
    {"traffic", "Traffic", "payload bytes sent a second", bytes_per_s},
    {"starved", "Starved", "ticks not stepped for want of input", starved_ticks},
};

/// Add up neighbouring bins, so that a graph has about 120 points instead of one for each tick.
static lab_bin join_bins(const lab_series *series, uint32_t first, uint32_t count)
{
    lab_bin sum = {0};
    for (uint32_t i = first; i < first + count && i < LAB_SERIES_BINS; i++) {
        lab_bin_add(&sum, &series->bins[i]);
    }
    return sum;
}

/// Scales of a graph's axes.
typedef struct scale {
    uint32_t joined; ///< number of bins joined to one point
    uint32_t points;
    double seconds;       ///< seconds that one point of a graph covers
    double seconds_total; ///< length of the horizontal axis, in seconds
    double greatest;      ///< value at the top of the vertical axis
} scale;

/// Round a number up to one that looks good on an axis.
static double round_up(double value)
{
    static const double steps[] = {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.5};
    double power = 1.0;
    while (power * 10.0 < value) {
        power *= 10.0;
    }
    for (uint32_t i = 0; i < ARGS_COUNT(steps); i++) {
        if (value <= steps[i] * power) {
            return steps[i] * power;
        }
    }
    return 10.0 * power;
}

static scale fit(const lab_outcome *outcome, const graph *g)
{
    enum { POINTS_WANTED = 120 };
    // Use the longest interval that a bin of any peer has: a peer that ended early has merged its
    // bins less often.
    uint64_t width_ns = 1;
    uint32_t used = 1;
    for (uint32_t p = 0; p < outcome->match.peer_count; p++) {
        const lab_series *series = &outcome->series[p];
        width_ns = series->width_ns > width_ns ? series->width_ns : width_ns;
        for (uint32_t i = 0; i < LAB_SERIES_BINS; i++) {
            used = series->bins[i].samples > 0 && i + 1 > used ? i + 1 : used;
        }
    }
    scale s = {.joined = (used + POINTS_WANTED - 1) / POINTS_WANTED};
    s.points = (used + s.joined - 1) / s.joined;
    s.seconds = (double)width_ns * s.joined / 1e9;
    s.seconds_total = s.seconds * s.points;
    for (uint32_t p = 0; p < outcome->match.peer_count; p++) {
        for (uint32_t i = 0; i < s.points; i++) {
            const lab_bin bin = join_bins(&outcome->series[p], i * s.joined, s.joined);
            const double value = g->value(&bin, s.seconds);
            s.greatest = value > s.greatest ? value : s.greatest;
        }
    }
    s.greatest = round_up(s.greatest);
    return s;
}

static double x_of(const scale *s, double seconds)
{
    return PLOT_LEFT + (PLOT_RIGHT - PLOT_LEFT) * seconds / s->seconds_total;
}

static double y_of(const scale *s, double value)
{
    return PLOT_BOTTOM - (PLOT_BOTTOM - PLOT_TOP) * value / s->greatest;
}

/// Write a number in at most five characters, so that it fits left of the plot.
static void format_value(double value, char out[16])
{
    const double size = fabs(value);
    if (size >= 1e6) {
        snprintf(out, 16, "%.3gM", value / 1e6);
    } else if (size >= 1e4) {
        snprintf(out, 16, "%.4gk", value / 1e3);
    } else {
        snprintf(out, 16, "%.4g", value);
    }
}

static void write_axes(FILE *out, const scale *s)
{
    char text[16];
    for (int i = 0; i <= LINES_ACROSS; i++) {
        const double value = s->greatest * i / LINES_ACROSS;
        format_value(value, text);
        html_line(out, "grid", PLOT_LEFT, y_of(s, value), PLOT_RIGHT, y_of(s, value), text);
        html_print(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>", PLOT_LEFT - 8,
                   y_of(s, value) + 4, text);
    }
    const double step = round_up(s->seconds_total / 8);
    for (int i = 0; i * step <= s->seconds_total; i++) {
        html_print(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g s</text>",
                   x_of(s, i * step), PLOT_BOTTOM + 20, i * step);
    }
}

/// Draw a band over the time of a fault. The band shows the fault's spec when the mouse is over it.
/// The names of successive faults lie in different rows, because faults often follow closely.
static void write_fault(FILE *out, const scale *s, double from_s, double span_s, const char *name,
                        const char *spec, uint32_t row)
{
    enum { LEAST_WIDTH = 2, NAME_ROWS = 4, NAME_PITCH = 13 };
    if (from_s > s->seconds_total) {
        return;
    }
    const double x = x_of(s, from_s);
    const double end = x_of(s, fmin(from_s + span_s, s->seconds_total));
    html_rect(out, "fault", x, PLOT_TOP, fmax(end - x, LEAST_WIDTH), PLOT_BOTTOM - PLOT_TOP, spec);
    html_print(out, "<text class=\"faultname\" x=\"%.1f\" y=\"%u\">%s</text>", x + 3,
               PLOT_TOP + 10 + row % NAME_ROWS * NAME_PITCH, name);
}

/// Draw the faults of the command line at their times.
static void write_faults(FILE *out, const lab_setup *setup, const scale *s)
{
    bks_lab_faults faults = {0};
    for (uint32_t i = 0; i < setup->faults.count; i++) {
        bks_error error; // unused, because the command line was checked before the match
        (void)bks_lab_faults_parse(&setup->config, setup->faults.items[i], &faults, &error);
    }
    uint32_t row = 0;
    char spec[128];
    for (uint32_t i = 0; i < faults.timed_count; i++) {
        const bks_lab_timed *fault = &faults.timed[i];
        bks_lab_timed_print(fault, spec, sizeof(spec));
        const bool is_whole = fault->kind == BKS_LAB_DRIFT || fault->kind == BKS_LAB_LOAD;
        const bool is_lasting = fault->kind == BKS_LAB_HEAL || fault->kind == BKS_LAB_CRASH ||
                                fault->kind == BKS_LAB_RATE;
        write_fault(out, s, is_whole ? 0.0 : (double)fault->at_ns / 1e9,
                    is_lasting || is_whole ? s->seconds_total : (double)fault->span_ns / 1e9,
                    bks_lab_fault_name(fault->kind), spec, row++);
    }
    const uint32_t rate_hz = setup->game.game->tick_rate_hz;
    for (uint32_t p = 0; p < setup->config.peers; p++) {
        if (faults.flips[p].is_planted) {
            snprintf(spec, sizeof(spec), "flip=%" PRIu32 "@%" PRId32, p, faults.flips[p].tick);
            write_fault(out, s, (double)faults.flips[p].tick / rate_hz, 0.0, "flip", spec, row++);
        }
    }
}

static void write_graph(FILE *out, const lab_setup *setup, const lab_outcome *outcome,
                        const graph *g)
{
    const scale s = fit(outcome, g);
    char label[64];
    (void)snprintf(label, sizeof(label), "%s over time", g->title);
    html_section(out, g->id, g->title, g->about);
    html_svg(out, "", 0, GRAPH_WIDTH, GRAPH_HEIGHT, label, "");
    write_faults(out, setup, &s);
    write_axes(out, &s);
    for (uint32_t p = 0; p < outcome->match.peer_count; p++) {
        html_print(out, "<polyline class=\"plot\" stroke=\"%s\" points=\"", colours[p]);
        for (uint32_t i = 0; i < s.points; i++) {
            const lab_bin bin = join_bins(&outcome->series[p], i * s.joined, s.joined);
            const double value = g->value(&bin, s.seconds);
            if (isfinite(value)) {
                html_print(out, "%.1f,%.1f ", x_of(&s, (i + 0.5) * s.seconds), y_of(&s, value));
            }
        }
        html_print(out, "\"><title>peer %" PRIu32 "</title></polyline>",
                   outcome->match.peers[p].id);
    }
    html_print(out, "</svg></section>\n");
}

static void write_head(FILE *out, const lab_setup *setup, const lab_outcome *outcome)
{
    const report_match *match = &outcome->match;
    char title[128];
    (void)snprintf(title, sizeof(title), "%.64s in the lab, seed %" PRIu64, match->game,
                   match->seed);
    html_begin(out, title, "");
    html_print(out, "<h1>%s</h1>", match->game);
    html_print(out,
               "<p>%" PRIu32 " peer%s, %s, seed %" PRIu64 ", window %s, delay %s: %" PRId32
               " tick%s, %.1f s in %.2f s, connected in %.0f ms</p>",
               match->peer_count, TOOL_PLURAL(match->peer_count), match->mode, match->seed,
               setup->window, setup->delay, match->ticks, TOOL_PLURAL(match->ticks),
               match->virtual_s, match->wall_s, match->connect_ms);
    for (uint32_t i = 0; i < setup->links.count; i++) {
        html_print(out, "<p><code>--link %s</code></p>", setup->links.items[i]);
    }
    for (uint32_t i = 0; i < setup->faults.count; i++) {
        html_print(out, "<p><code>--fault %s</code></p>", setup->faults.items[i]);
    }
    if (match->is_agreed && report_is_split(match)) {
        html_print(out,
                   "<p class=\"verdict good\">agreed on each side: all %" PRId32
                   " hash%s the same</p>\n",
                   match->compared, TOOL_PLURAL_ES(match->compared));
    } else if (match->is_agreed) {
        html_print(out,
                   "<p class=\"verdict good\">agreed: all %" PRId32
                   " hash%s the same, final <code>%016" PRIx64 "</code></p>\n",
                   match->compared, TOOL_PLURAL_ES(match->compared), match->final_hash);
    } else {
        const bool is_good = report_is_good(match);
        html_print(out, "<p class=\"verdict %s\">%s: %s</p>\n", is_good ? "good" : "bad",
                   is_good ? "as the faults demand" : "not agreed",
                   match->reason != NULL ? match->reason : "the match did not end");
    }
    if (report_is_split(match)) {
        fputs("<p class=\"verdict bad\">split: peers ", out);
        report_print_sides(match, out);
        fputs(", each side plays on without the others</p>\n", out);
    }
    for (uint32_t i = 0; i < match->bulk_count; i++) {
        fputs("<p>stream ", out);
        report_print_stream(&match->bulk[i], out);
        fputs("</p>\n", out);
    }
}

static void write_key(FILE *out, const report_match *match)
{
    fputs("<p>", out);
    for (uint32_t p = 0; p < match->peer_count; p++) {
        html_print(out,
                   "<span class=\"key\"><span class=\"dot\" style=\"background:%s\"></span>"
                   "peer %" PRIu32 "</span>",
                   colours[p], match->peers[p].id);
    }
    fputs("</p>\n", out);
}

static void write_table(FILE *out, const report_match *match)
{
    static const char *const heads[] = {
        "peer", "ticks",     "rollbacks", "most ticks back", "resimulated",    "starved",
        "lag",  "advantage", "packets",   "bytes",           "library us/tick"};
    html_section(out, "peers", "Peers", "Totals of the match.");
    fputs("<table><thead><tr>", out);
    for (size_t i = 0; i < ARGS_COUNT(heads); i++) {
        html_head_cell(out, heads[i]);
    }
    fputs("</tr></thead><tbody>", out);
    for (uint32_t p = 0; p < match->peer_count; p++) {
        const report_peer *peer = &match->peers[p];
        const bks_stats *stats = &peer->stats;
        html_print(out,
                   "<tr><td><span class=\"dot\" style=\"background:%s\"></span>%" PRIu32
                   "</td><td>%" PRId32 "</td><td>%" PRIu64 "</td><td>%" PRIu32 "</td><td>%" PRIu64
                   "</td><td>%" PRIu64 "</td>",
                   colours[p], peer->id, peer->ticks, stats->rollbacks, stats->rollback_depth_max,
                   stats->resimulated, stats->starved_ticks);
        html_print(out,
                   "<td>%.2f</td><td>%.2f</td><td>%" PRIu64 "</td><td>%" PRIu64
                   "</td><td>%.1f</td></tr>",
                   stats->lag_mean, stats->advantage_abs_mean, stats->packets_sent,
                   stats->payload_bytes_sent, report_library_us_per_tick(peer));
    }
    fputs("</tbody></table></section>\n", out);
}

int lab_html_write(const lab_setup *setup, const lab_outcome *outcome)
{
    FILE *out = setup->report;
    bool is_written = ftruncate(fileno(out), 0) == 0;
    write_head(out, setup, outcome);
    write_key(out, &outcome->match);
    for (uint32_t i = 0; i < ARGS_COUNT(graphs); i++) {
        write_graph(out, setup, outcome, &graphs[i]);
    }
    write_table(out, &outcome->match);
    html_end(out);
    is_written = fflush(out) == 0 && ferror(out) == 0 && is_written;
    if (!is_written) {
        tool_complain(setup->report_path, "cannot be written: %s", strerror(errno));
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}
