// SPDX-License-Identifier: MIT

#include "present/figures_line.h"

#include <stdio.h>

#include "backstitch/present.h"
#include "backstitch/toolkit/inspector.h"
#include "base/report.h"

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
