// SPDX-License-Identifier: MIT

#include "present/figure.h"

#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/inspector.h"
#include "base/report.h"

void bksi_figure_add(bks_figure *figure, bksi_figure_sum *sum, double value, double weight)
{
    const float v = (float)value;
    sum->least = sum->weight > 0.0 && sum->least < v ? sum->least : v;
    sum->most = sum->weight > 0.0 && sum->most > v ? sum->most : v;
    sum->sum += value * weight;
    sum->weight += weight;
    figure->now = v;
}

static void shift(bks_figure *figure, uint32_t points)
{
    bks_figure_point *history = figure->history;
    memmove(history, history + points, (BKS_FIGURE_POINTS - points) * sizeof(*history));
    memset(history + BKS_FIGURE_POINTS - points, 0, points * sizeof(*history));
}

static void sum_up(bks_figure *figure, uint32_t window_points)
{
    bksi_figure_sum all = {0};
    for (uint32_t i = BKS_FIGURE_POINTS - window_points; i < BKS_FIGURE_POINTS; i++) {
        const bks_figure_point *point = &figure->history[i];
        if (point->weight > 0.0f) {
            all.least = all.weight > 0.0 && all.least < point->least ? all.least : point->least;
            all.most = all.weight > 0.0 && all.most > point->most ? all.most : point->most;
            all.sum += (double)point->mean * (double)point->weight;
            all.weight += (double)point->weight;
        }
    }
    figure->least = all.weight > 0.0 ? all.least : figure->now;
    figure->most = all.weight > 0.0 ? all.most : figure->now;
    figure->mean = all.weight > 0.0 ? (float)(all.sum / all.weight) : figure->now;
}

void bksi_figure_close(bks_figure *figure, bksi_figure_sum *sum, uint64_t points,
                       uint32_t window_points)
{
    const uint32_t passed = points < BKS_FIGURE_POINTS ? (uint32_t)points : BKS_FIGURE_POINTS;
    shift(figure, passed);
    if (sum->weight > 0.0 && points <= BKS_FIGURE_POINTS) {
        figure->history[BKS_FIGURE_POINTS - passed] =
            (bks_figure_point){.least = sum->least,
                               .mean = (float)(sum->sum / sum->weight),
                               .most = sum->most,
                               .weight = (float)sum->weight};
    }
    *sum = (bksi_figure_sum){0};
    sum_up(figure, window_points);
}

// ---- as lines of text ----

/// "least-most"; each is cut to what a line has room for.
static double shown(float value)
{
    const double v = (double)value;
    return v > 999999.0 ? 999999.0 : v >= -999999.0 ? v : -999999.0;
}

static int match_line(const bks_figures *f, char *out, size_t capacity)
{
    char depth[32] = "-";
    if (bks_figure_is_measured(&f->depth, f->window_ms)) {
        (void)snprintf(depth, sizeof(depth), "%.1f of %.0f", shown(f->depth.mean),
                       shown(f->depth.most));
    }
    return snprintf(
        out, capacity,
        "tick %d, predicted %.1f of %.0f, delay %.1f, rollbacks %.1f/s, depth %s, "
        "resimulated %.0f/s in %.2f of %.2f ms, stalled %.1f/s, starved %.1f/s, out %.1f kB/s",
        (int)f->tick, shown(f->predicted.mean), shown(f->predicted.most),
        shown(f->input_delay.mean), shown(f->rollbacks.mean), depth, shown(f->resimulated.mean),
        shown(f->resimulation_ms.mean), shown(f->resimulation_ms.most), shown(f->stalled.mean),
        shown(f->starved.mean), shown(f->bytes_sent.mean / 1000.0f));
}

static int link_line(const bks_link_figures *f, uint32_t peer, char *out, size_t capacity)
{
    return snprintf(
        out, capacity,
        "peer %u: round trip %.0f..%.0f..%.0f ms, loss %.1f%%, lag %.1f of %.0f and %.1f of %.0f, "
        "ahead %.2f, waited %.1f/s, out %.1f kB/s, in %.1f kB/s",
        peer, shown(f->round_trip_ms.least), shown(f->round_trip_ms.mean),
        shown(f->round_trip_ms.most), shown(100.0f * f->loss.mean), shown(f->local_lag.mean),
        shown(f->local_lag.most), shown(f->remote_lag.mean), shown(f->remote_lag.most),
        shown(f->advantage.mean), shown(f->waited.mean), shown(f->bytes_sent.mean / 1000.0f),
        shown(f->bytes_received.mean / 1000.0f));
}

size_t bks_figures_line(const bks_figures *figures, uint32_t peer, char *out, size_t capacity)
{
    if (figures == NULL || (out == NULL && capacity > 0)) {
        (void)bksi_fail_null(NULL, "bks_figures_line", figures == NULL ? "figures" : "out");
        return 0;
    }
    if (capacity > 0) {
        out[0] = '\0';
    }
    int length = 0;
    if (peer == BKS_PEERS_MAX) {
        length = match_line(figures, out, capacity);
    } else if (peer < BKS_PEERS_MAX && figures->links[peer].has_peer) {
        length = link_line(&figures->links[peer], peer, out, capacity);
    }
    const size_t whole = length > 0 ? (size_t)length : 0;
    return whole < capacity ? whole : capacity > 0 ? capacity - 1 : 0;
}
