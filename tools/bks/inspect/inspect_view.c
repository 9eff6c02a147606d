// SPDX-License-Identifier: MIT

#include "inspect/inspect_view.h"

static const inspect_name match_names[BKS_INSPECT_MATCH_FIGURES] = {
    {"predicted", "predicted", "ticks", 1.0F, 4.0F},
    {"input delay", "input_delay", "ticks", 1.0F, 4.0F},
    {"rollbacks", "rollbacks", "/s", 1.0F, 10.0F},
    {"depth", "depth", "ticks", 1.0F, 4.0F},
    {"resimulated", "resimulated", "/s", 1.0F, 20.0F},
    {"resimulation", "resimulation_ms", "ms", 1.0F, 1.0F},
    {"stalled", "stalled", "/s", 1.0F, 5.0F},
    {"starved", "starved", "/s", 1.0F, 5.0F},
    {"sent", "bytes_sent", "kB/s", 0.001F, 2000.0F},
};

static const inspect_name link_names[BKS_INSPECT_LINK_FIGURES] = {
    {"round trip", "round_trip_ms", "ms", 1.0F, 50.0F},
    {"loss", "loss", "%", 100.0F, 0.1F},
    {"local lag", "local_lag", "ticks", 1.0F, 4.0F},
    {"remote lag", "remote_lag", "ticks", 1.0F, 4.0F},
    {"advantage", "advantage", "ticks", 1.0F, 2.0F},
    {"waited", "waited", "/s", 1.0F, 5.0F},
    {"sent", "bytes_sent", "kB/s", 0.001F, 2000.0F},
    {"received", "bytes_received", "kB/s", 0.001F, 2000.0F},
};

const inspect_name *inspect_name_of(uint32_t peer, uint32_t index)
{
    return peer == BKS_PEERS_MAX ? &match_names[index] : &link_names[index];
}

uint32_t inspect_figure_count(uint32_t peer)
{
    return peer == BKS_PEERS_MAX ? BKS_INSPECT_MATCH_FIGURES : BKS_INSPECT_LINK_FIGURES;
}

bks_figure *inspect_figure_of(bks_figures *f, uint32_t peer, uint32_t index)
{
    if (peer == BKS_PEERS_MAX) {
        bks_figure *const match[BKS_INSPECT_MATCH_FIGURES] = {
            &f->predicted,       &f->input_delay, &f->rollbacks, &f->depth,      &f->resimulated,
            &f->resimulation_ms, &f->stalled,     &f->starved,   &f->bytes_sent,
        };
        return match[index];
    }
    bks_link_figures *l = &f->links[peer];
    bks_figure *const link[BKS_INSPECT_LINK_FIGURES] = {
        &l->round_trip_ms, &l->loss,   &l->local_lag,  &l->remote_lag,
        &l->advantage,     &l->waited, &l->bytes_sent, &l->bytes_received,
    };
    return link[index];
}
