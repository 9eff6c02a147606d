// SPDX-License-Identifier: MIT

#include "screen/overlay/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MATCH(figure) offsetof(bks_figures, figure)
#define LINK(figure)  offsetof(bks_link_figures, figure)

static const figure_row match_rows[BKS_INSPECT_MATCH_FIGURES] = {
    {"predicted", "predicted", "ticks", 1.0F, 4.0F, true, MATCH(predicted)},
    {"input delay", "input_delay", "ticks", 1.0F, 4.0F, true, MATCH(input_delay)},
    {"rollbacks", "rollbacks", "/s", 1.0F, 10.0F, true, MATCH(rollbacks)},
    {"depth", "depth", "ticks", 1.0F, 4.0F, true, MATCH(depth)},
    {"resimulated", "resimulated", "/s", 1.0F, 20.0F, true, MATCH(resimulated)},
    {"resimulation", "resimulation_ms", "ms", 1.0F, 1.0F, true, MATCH(resimulation_ms)},
    {"stalled", "stalled", "/s", 1.0F, 5.0F, true, MATCH(stalled)},
    {"starved", "starved", "/s", 1.0F, 5.0F, true, MATCH(starved)},
    {"sent", "bytes_sent", "kB/s", 0.001F, 2000.0F, true, MATCH(bytes_sent)},
};

static const figure_row link_rows[BKS_INSPECT_LINK_FIGURES] = {
    {"round trip", "round_trip_ms", "ms", 1.0F, 50.0F, true, LINK(round_trip_ms)},
    {"loss", "loss", "%", 100.0F, 0.1F, true, LINK(loss)},
    {"local lag", "local_lag", "ticks", 1.0F, 4.0F, false, LINK(local_lag)},
    {"remote lag", "remote_lag", "ticks", 1.0F, 4.0F, false, LINK(remote_lag)},
    {"advantage", "advantage", "ticks", 1.0F, 2.0F, true, LINK(advantage)},
    {"waited", "waited", "/s", 1.0F, 5.0F, true, LINK(waited)},
    {"sent", "bytes_sent", "kB/s", 0.001F, 2000.0F, false, LINK(bytes_sent)},
    {"received", "bytes_received", "kB/s", 0.001F, 2000.0F, false, LINK(bytes_received)},
};

uint32_t figure_row_count(uint32_t peer)
{
    return peer == BKS_PEERS_MAX ? BKS_INSPECT_MATCH_FIGURES : BKS_INSPECT_LINK_FIGURES;
}

const figure_row *figure_row_of(uint32_t peer, uint32_t index)
{
    return peer == BKS_PEERS_MAX ? &match_rows[index] : &link_rows[index];
}

const figure_row *figure_row_named(const char *key)
{
    uint32_t i = 0;
    while (strcmp(match_rows[i].key, key) != 0) {
        i++;
    }
    return &match_rows[i];
}

bks_figure *figure_row_place(bks_figures *figures, uint32_t peer, uint32_t index)
{
    void *whole = figures;
    if (peer < BKS_PEERS_MAX) {
        whole = &figures->links[peer];
    }
    return (void *)((char *)whole + figure_row_of(peer, index)->at);
}

const bks_figure *figure_row_figure(const bks_figures *figures, uint32_t peer, uint32_t index)
{
    const void *whole = figures;
    if (peer < BKS_PEERS_MAX) {
        whole = &figures->links[peer];
    }
    return (const void *)((const char *)whole + figure_row_of(peer, index)->at);
}

const figure_word figure_words[] = {
    {"predicted", "ticks stepped with guessed inputs"},
    {"depth", "ticks stepped again by a rollback"},
    {"stalled", "ticks skipped, as we were ahead"},
    {"starved", "ticks held up by missing inputs"},
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
    digits = digits < digits_max || amount < 0.095F ? digits : digits_max; // no 0.0 of something
    const double number = (double)value + 0.0;                             // no minus before a zero
    snprintf(out, 32, amount < 999999.5F ? "%.*f" : "%.*e", digits, number);
}

void figure_write(const figure_row *row, const bks_figure *figure, uint32_t window_ms,
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

void figure_json(json *j, const figure_row *row, const bks_figure *figure, uint32_t window_ms,
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
        if (is_measured) {
            json_number(j, values[i].key, (double)values[i].value, 4);
        } else {
            json_null(j, values[i].key);
        }
    }
    json_row(j, "history");
    for (uint32_t i = 0; i < BKS_FIGURE_POINTS; i++) {
        const bks_figure_point *point = &figure->history[i];
        if (point->weight > 0.0F) {
            json_number(j, NULL, (double)point->mean, 4);
        } else {
            json_null(j, NULL);
        }
    }
    json_close(j);
    json_close(j);
}
