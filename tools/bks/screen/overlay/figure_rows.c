// SPDX-License-Identifier: MIT

#include "screen/overlay/figure_rows.h"

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
