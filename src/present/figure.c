// SPDX-License-Identifier: MIT

#include "present/figure.h"

#include <stddef.h>
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

// ---- labels and units of figures ----

#define MATCH(figure) (uint32_t) offsetof(bks_figures, figure)
#define LINK(figure)  (uint32_t) offsetof(bks_link_figures, figure)

static const bks_figure_row match_rows[BKS_INSPECT_MATCH_FIGURES] = {
    {"predicted", "predicted", "ticks", 1.0f, 4.0f, true, true, MATCH(predicted)},
    {"input delay", "input_delay", "ticks", 1.0f, 4.0f, true, false, MATCH(input_delay)},
    {"rollbacks", "rollbacks", "/s", 1.0f, 10.0f, true, false, MATCH(rollbacks)},
    {"depth", "depth", "ticks", 1.0f, 4.0f, true, true, MATCH(depth)},
    {"resimulated", "resimulated", "/s", 1.0f, 20.0f, true, false, MATCH(resimulated)},
    {"resimulation", "resimulation_ms", "ms", 1.0f, 1.0f, true, true, MATCH(resimulation_ms)},
    {"stalled", "stalled", "/s", 1.0f, 5.0f, true, false, MATCH(stalled)},
    {"starved", "starved", "/s", 1.0f, 5.0f, true, false, MATCH(starved)},
    {"sent", "bytes_sent", "kB/s", 0.001f, 2000.0f, true, false, MATCH(bytes_sent)},
};

static const bks_figure_row link_rows[BKS_INSPECT_LINK_FIGURES] = {
    {"round trip", "round_trip_ms", "ms", 1.0f, 50.0f, true, true, LINK(round_trip_ms)},
    {"loss", "loss", "%", 100.0f, 0.1f, true, false, LINK(loss)},
    {"local lag", "local_lag", "ticks", 1.0f, 4.0f, false, true, LINK(local_lag)},
    {"remote lag", "remote_lag", "ticks", 1.0f, 4.0f, false, true, LINK(remote_lag)},
    {"advantage", "advantage", "ticks", 1.0f, 2.0f, true, false, LINK(advantage)},
    {"waited", "waited", "/s", 1.0f, 5.0f, true, false, LINK(waited)},
    {"sent", "bytes_sent", "kB/s", 0.001f, 2000.0f, false, false, LINK(bytes_sent)},
    {"received", "bytes_received", "kB/s", 0.001f, 2000.0f, false, false, LINK(bytes_received)},
};

const bks_figure_row *bks_figure_row_of(uint32_t peer, uint32_t index)
{
    const bool is_match = peer == BKS_PEERS_MAX;
    const uint32_t count = is_match               ? BKS_INSPECT_MATCH_FIGURES
                           : peer < BKS_PEERS_MAX ? BKS_INSPECT_LINK_FIGURES
                                                  : 0;
    return index < count ? &(is_match ? match_rows : link_rows)[index] : NULL;
}

bks_figure *bksi_figure_place(bks_figures *figures, uint32_t peer, uint32_t index)
{
    const bks_figure_row *row = bks_figure_row_of(peer, index);
    void *whole = figures;
    if (peer < BKS_PEERS_MAX) {
        whole = &figures->links[peer];
    }
    return row != NULL ? (void *)((char *)whole + row->at) : NULL;
}

const bks_figure *bks_figure_of(const bks_figures *figures, uint32_t peer, uint32_t index)
{
    BKSI_REFUSE_NULL_OR(NULL, figures);
    return bksi_figure_place((bks_figures *)(uintptr_t)figures, peer, index);
}

// ---- figures as a line of the log ----

/// Limit a value of a figure to what a log line has room for: 6 digits before the point.
static double shown(const bks_figure_row *row, float value)
{
    const double v = (double)(value * row->scale);
    return v > 999999.0 ? 999999.0 : v >= -999999.0 ? v : -999999.0;
}

/// Write a figure as "predicted 1.2 of 4": its name, its mean, and its largest value if the figure
/// shows one.
static int write_row(const bks_figure_row *row, const bks_figure *figure, uint32_t window_ms,
                     char *out, size_t capacity)
{
    const bool is_in_ticks = strcmp(row->unit, "ticks") == 0;
    const bool is_a_word = row->unit[0] == 'm' || row->unit[0] == 'k';
    char most[16] = "";
    if (!bks_figure_is_measured(figure, window_ms)) {
        return snprintf(out, capacity, "%s -", row->name);
    }
    if (row->has_most) {
        (void)snprintf(most, sizeof(most), " of %.0f", shown(row, figure->most));
    }
    return snprintf(out, capacity, "%s %.1f%s%s%s", row->name, shown(row, figure->mean), most,
                    is_a_word ? " " : "", is_in_ticks ? "" : row->unit);
}

size_t bks_figures_line(const bks_figures *figures, uint32_t peer, char *out, size_t capacity)
{
    if (figures == NULL || (out == NULL && capacity > 0)) {
        (void)bksi_fail_null(NULL, "bks_figures_line", figures == NULL ? "figures" : "out");
        return 0;
    }
    char line[BKSI_FIGURES_LINE_BYTES] = "";
    size_t length = 0;
    if (peer == BKS_PEERS_MAX) {
        length = (size_t)snprintf(line, sizeof(line), "tick %d", (int)figures->tick);
    } else if (peer < BKS_PEERS_MAX && figures->links[peer].has_peer) {
        length = (size_t)snprintf(line, sizeof(line), "peer %u", peer);
    }
    const bks_figure_row *row;
    for (uint32_t i = 0; length > 0 && (row = bks_figure_row_of(peer, i)) != NULL; i++) {
        length += (size_t)snprintf(line + length, sizeof(line) - length, i > 0 ? ", " : ": ");
        length += (size_t)write_row(row, bks_figure_of(figures, peer, i), figures->window_ms,
                                    line + length, sizeof(line) - length);
    }
    if (capacity > 0) {
        length = length < capacity ? length : capacity - 1;
        memcpy(out, line, length);
        out[length] = '\0';
    }
    return capacity > 0 ? length : 0;
}
