// SPDX-License-Identifier: MIT

#include "screen/overlay/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const bks_figure_row *figure_row_named(const char *key)
{
    uint32_t i = 0;
    while (strcmp(bks_figure_row_of(BKS_PEERS_MAX, i)->key, key) != 0) {
        i++;
    }
    return bks_figure_row_of(BKS_PEERS_MAX, i);
}

bks_figure *figure_row_place(bks_figures *figures, uint32_t peer, uint32_t index)
{
    return (bks_figure *)(uintptr_t)bks_figure_of(figures, peer, index);
}

const figure_term figure_terms[] = {
    {"predicted", "ticks stepped with guessed inputs"},
    {"depth", "ticks stepped again by a rollback"},
    {"stalled", "ticks skipped, as we were ahead"},
    {"starved", "ticks held up by missing inputs"},
    {"hitch", "one or more starved ticks in a row"},
    {"advantage", "ticks that we are ahead of the peer"},
    {"waited", "ticks held up by its inputs"},
    {"local lag", "ticks of its inputs that we lack"},
    {"remote lag", "ticks of our inputs that it lacks"},
    {"grown", "more items than at the start"},
    {NULL, NULL},
};

void figure_number(char out[32], float value, int digits_max)
{
    const float amount = fabsf(value);
    int digits = amount >= 99.95F || amount < 0.0005F ? 0
                 : amount >= 9.995F                   ? 1
                 : amount >= 0.0095F                  ? 2
                                                      : 3;
    // A small amount may get more digits than digits_max, so that it does not become 0.0.
    digits = digits < digits_max || amount < 0.095F ? digits : digits_max;
    const double number = (double)value + 0.0; // adding 0 turns -0 into 0
    snprintf(out, 32, amount < 999999.5F ? "%.*f" : "%.*e", digits, number);
}

void figure_write(const bks_figure_row *row, const bks_figure *figure, uint32_t window_ms,
                  figure_text *out)
{
    *out = (figure_text){.mean = "-"};
    if (!bks_figure_is_measured(figure, window_ms)) {
        return;
    }
    figure_number(out->mean, figure->mean * row->scale, 2);
    if (figure->least != figure->most) {
        char least[32];
        char most[32];
        figure_number(least, figure->least * row->scale, 1);
        figure_number(most, figure->most * row->scale, 1);
        snprintf(out->range, sizeof(out->range), "%s..%s", least, most);
    }
}

void figure_json(json *j, const bks_figure_row *row, const bks_figure *figure, uint32_t window_ms,
                 bool is_old)
{
    const struct {
        const char *key;
        float value;
    } values[] = {{"now", figure->now},
                  {"least", figure->least},
                  {"mean", figure->mean},
                  {"most", figure->most}};
    const bool is_measured = bks_figure_is_measured(figure, window_ms);
    json_object(j, row->key);
    if (is_old) {
        json_bool(j, "old", true);
    }
    for (uint32_t i = 0; i < 4; i++) {
        json_number(j, values[i].key, is_measured ? (double)values[i].value : NAN, 4);
    }
    json_row(j, "history");
    for (uint32_t i = 0; i < BKS_FIGURE_POINTS; i++) {
        const bks_figure_point *point = &figure->history[i];
        json_number(j, NULL, point->weight > 0.0F ? (double)point->mean : NAN, 4);
    }
    json_close(j);
    json_close(j);
}
