// SPDX-License-Identifier: MIT

#include "present/figure.h"

#include <string.h>

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
