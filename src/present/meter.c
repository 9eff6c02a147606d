// SPDX-License-Identifier: MIT

// The meter turns counters of a session into figures: values as they are at each update, and rates
// from the rise of a counter in a tenth of a second.

#include "backstitch/present.h"
#include "backstitch/toolkit/inspector.h"

#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/report.h"
#include "present/figure.h"

#define POINT_NS          (UINT64_C(1000000) * BKS_FIGURE_POINT_MS)
#define WINDOW_MS_DEFAULT 2000u

/// Indices of the figures of a link, in the order of bks_link_figures.
enum {
    LINK_ROUND_TRIP,
    LINK_LOSS,
    LINK_LOCAL_LAG,
    LINK_REMOTE_LAG,
    LINK_ADVANTAGE,
    LINK_WAITED,
    LINK_SENT,
    LINK_RECEIVED,
};

/// Indices of the figures of the match, in the order of bks_figures.
enum {
    MATCH_PREDICTED,
    MATCH_DELAY,
    MATCH_ROLLBACKS,
    MATCH_DEPTH,
    MATCH_RESIMULATED,
    MATCH_RESIMULATION,
    MATCH_STALLED,
    MATCH_STARVED,
    MATCH_SENT,
};

struct bks_meter {
    bks_allocator allocator;
    uint32_t window_points;
    uint64_t log_every_ns; ///< time between two log lines with figures, in ns; 0: never
    uint64_t logged_ns;
    bool has_begun;
    uint64_t point_ns; ///< time at which the point being measured began, in ns
    bks_stats stats;   ///< newest statistics of the session
    bks_stats before;  ///< statistics at the start of the point that is being measured
    uint64_t resimulation_ns;
    /// Sums of the point that is being measured, by peer. The last row is for the match.
    bksi_figure_sum sums[BKS_PEERS_MAX + 1][BKS_INSPECT_MATCH_FIGURES];
    bks_figures figures;
};

static bks_status check(const bks_meter_config *config, bks_error *error)
{
    static const char call[] = "bks_meter_create";
    if (config->window_ms != 0 &&
        (config->window_ms < BKS_FIGURE_POINT_MS || config->window_ms > BKS_FIGURE_WINDOW_MS_MAX)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "window_ms",
                         "window_ms is %u, must be 0 or %d..%d", config->window_ms,
                         BKS_FIGURE_POINT_MS, BKS_FIGURE_WINDOW_MS_MAX);
    }
    if (config->log_every_ms != 0 && (config->log_every_ms < BKS_FIGURE_POINT_MS ||
                                      config->log_every_ms > BKS_FIGURE_LOG_MS_MAX)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "log_every_ms",
                         "log_every_ms is %u, must be 0 or %d..%d", config->log_every_ms,
                         BKS_FIGURE_POINT_MS, BKS_FIGURE_LOG_MS_MAX);
    }
    if (!bksi_allocator_ok(&config->allocator)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    return BKS_OK;
}

bks_status bks_meter_create(const bks_meter_config *config, bks_meter **out, bks_error *error)
{
    static const char call[] = "bks_meter_create";
    BKSI_REFUSE_NULL(error, out);
    *out = NULL;
    BKSI_REFUSE_NULL(error, config);
    const bks_status status = check(config, error);
    if (status != BKS_OK) {
        return status;
    }
    bks_meter *meter = bksi_alloc(&config->allocator, sizeof(*meter), _Alignof(bks_meter));
    if (meter == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, "allocator", "no memory for a meter");
    }
    const uint32_t window_ms = config->window_ms != 0 ? config->window_ms : WINDOW_MS_DEFAULT;
    meter->allocator = config->allocator;
    meter->window_points = window_ms / BKS_FIGURE_POINT_MS;
    meter->log_every_ns = config->log_every_ms * UINT64_C(1000000);
    meter->figures.window_ms = meter->window_points * BKS_FIGURE_POINT_MS;
    *out = meter;
    return BKS_OK;
}

void bks_meter_destroy(bks_meter *meter)
{
    if (meter != NULL) {
        const bks_allocator allocator = meter->allocator;
        bksi_free(&allocator, meter, sizeof(*meter));
    }
}

const bks_figures *bks_meter_figures(const bks_meter *meter)
{
    BKSI_REFUSE_NULL_OR(NULL, meter);
    return &meter->figures;
}

// ---- measuring at each update ----

/// Add a value to a figure.
/// @param peer  peer of the link; BKS_PEERS_MAX: the match
static void add(bks_meter *meter, uint32_t peer, uint32_t which, double value, double weight)
{
    bksi_figure_add(bksi_figure_place(&meter->figures, peer, which), &meter->sums[peer][which],
                    value, weight);
}

/// Return the rise of a counter since `before`; 0 if the counter has started again.
static double rise(uint64_t before, uint64_t now)
{
    return now >= before ? (double)(now - before) : 0.0;
}

static void take_match(bks_meter *meter, const bks_stats *last, uint64_t resimulation_ns)
{
    const bks_stats *stats = &meter->stats;
    const bks_figures *figures = &meter->figures;
    const bks_tick ahead = figures->tick - figures->confirmed;
    add(meter, BKS_PEERS_MAX, MATCH_PREDICTED, ahead > 0 ? ahead : 0, 1.0);
    add(meter, BKS_PEERS_MAX, MATCH_DELAY, stats->input_delay, 1.0);
    add(meter, BKS_PEERS_MAX, MATCH_RESIMULATION,
        rise(meter->resimulation_ns, resimulation_ns) / 1e6, 1.0);
    const double rollbacks = rise(last->rollbacks, stats->rollbacks);
    if (rollbacks > 0.0) {
        const double depth = rise(last->rollback_depth_sum, stats->rollback_depth_sum);
        add(meter, BKS_PEERS_MAX, MATCH_DEPTH, depth / rollbacks, rollbacks);
    }
    if (!bksi_mutated(BKSI_MUTANT_METER_TIMES_AGAIN)) {
        meter->resimulation_ns = resimulation_ns;
    }
}

static void take_link(bks_meter *meter, uint32_t peer)
{
    const bks_link_stats *link = &meter->stats.links[peer];
    meter->figures.links[peer].has_peer = link->has_peer;
    if (link->has_peer) {
        add(meter, peer, LINK_ROUND_TRIP, link->round_trip_ms, 1.0);
        add(meter, peer, LINK_LOCAL_LAG, link->local_lag, 1.0);
        add(meter, peer, LINK_REMOTE_LAG, link->remote_lag, 1.0);
        add(meter, peer, LINK_ADVANTAGE, (link->local_lag - link->remote_lag) / 2.0, 1.0);
    }
}

// ---- completing a point ----

/// Add the loss of packets during one point (0.1 s). An overtaken packet counts as lost until it
/// arrives, so the loss of one point may be below 0, but the mean over several points is right.
static void close_loss(bks_meter *meter, uint32_t peer)
{
    const bks_link_stats *now = &meter->stats.links[peer];
    const bks_link_stats *before = &meter->before.links[peer];
    const double due = rise(before->packets_due, now->packets_due);
    const double came = bksi_mutated(BKSI_MUTANT_METER_SEES_NO_LOSS)
                            ? due
                            : rise(before->packets_came, now->packets_came);
    if (due > 0.0) {
        add(meter, peer, LINK_LOSS, came < 2.0 * due ? (due - came) / due : -1.0, due);
    }
}

static void close_link(bks_meter *meter, uint32_t peer, double seconds)
{
    const bks_link_stats *now = &meter->stats.links[peer];
    const bks_link_stats *before = &meter->before.links[peer];
    close_loss(meter, peer);
    add(meter, peer, LINK_WAITED, rise(before->waited_ticks, now->waited_ticks) / seconds, 1.0);
    add(meter, peer, LINK_SENT, rise(before->bytes_sent, now->bytes_sent) / seconds, 1.0);
    add(meter, peer, LINK_RECEIVED, rise(before->bytes_received, now->bytes_received) / seconds,
        1.0);
}

static void close_match(bks_meter *meter, double seconds)
{
    const bks_stats *now = &meter->stats;
    const bks_stats *before = &meter->before;
    const struct {
        uint32_t which;
        uint64_t before, now;
    } counters[] = {
        {MATCH_ROLLBACKS, before->rollbacks, now->rollbacks},
        {MATCH_RESIMULATED, before->resimulated, now->resimulated},
        {MATCH_STALLED, before->stalled_ticks, now->stalled_ticks},
        {MATCH_STARVED, before->starved_ticks, now->starved_ticks},
        {MATCH_SENT, before->payload_bytes_sent, now->payload_bytes_sent},
    };
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
        add(meter, BKS_PEERS_MAX, counters[i].which,
            rise(counters[i].before, counters[i].now) / seconds, 1.0);
    }
}

/// Limit a loss to 0 and more, because an overtaken packet can make it negative.
static void clamp_loss(bks_figure *loss)
{
    loss->now = loss->now > 0.0f ? loss->now : 0.0f;
    loss->least = loss->least > 0.0f ? loss->least : 0.0f;
    loss->mean = loss->mean > 0.0f ? loss->mean : 0.0f;
    loss->most = loss->most > 0.0f ? loss->most : 0.0f;
}

static void close_figures(bks_meter *meter, uint32_t peer, uint64_t points)
{
    for (uint32_t i = 0; bks_figure_row_of(peer, i) != NULL; i++) {
        bksi_figure_close(bksi_figure_place(&meter->figures, peer, i), &meter->sums[peer][i],
                          points, meter->window_points);
    }
}

static void close_points(bks_meter *meter, uint64_t points)
{
    const double seconds = (double)points * BKS_FIGURE_POINT_MS / 1000.0;
    close_match(meter, seconds);
    close_figures(meter, BKS_PEERS_MAX, points);
    for (uint32_t peer = 0; peer < BKS_PEERS_MAX; peer++) {
        if (!meter->figures.links[peer].has_peer) {
            continue;
        }
        close_link(meter, peer, seconds);
        close_figures(meter, peer, points);
        clamp_loss(&meter->figures.links[peer].loss);
    }
    if (!bksi_mutated(BKSI_MUTANT_METER_COUNTS_AGAIN)) {
        meter->before = meter->stats;
    }
    meter->point_ns += points * POINT_NS;
}

/// Return true if a peer has left: its figures are outdated.
static bool has_left(const bks_session *session, uint32_t peer)
{
    bks_roster roster;
    return peer < BKS_PEERS_MAX && bks_session_roster(session, &roster) == BKS_OK &&
           roster.player_count[peer] > 0 && !roster.is_in[peer];
}

static void log_figures(bks_meter *meter, const bks_session *session, uint64_t now_ns)
{
    char line[BKSI_FIGURES_LINE_BYTES];
    meter->logged_ns = now_ns;
    for (uint32_t i = 0; i <= BKS_PEERS_MAX; i++) {
        const uint32_t peer = i > 0 ? i - 1 : BKS_PEERS_MAX; // log the match first, then the peers
        if (!has_left(session, peer) &&
            bks_figures_line(&meter->figures, peer, line, sizeof(line)) > 0) {
            bksi_log(BKS_LOG_INFO, "figures", "%s", line);
        }
    }
}

bks_status bks_meter_take(bks_meter *meter, const bks_session *session, uint64_t now_ns,
                          uint64_t resimulation_ns)
{
    BKSI_REFUSE_NULL(NULL, meter);
    BKSI_REFUSE_NULL(NULL, session);
    if (bks_session_published(session) == BKS_TICK_NONE) {
        return BKS_OK; // nothing to measure: the match has not begun
    }
    bks_stats last = meter->stats;
    (void)bks_session_stats(session, &meter->stats);
    if (!meter->has_begun) {
        meter->has_begun = true;
        last = meter->stats;
        meter->point_ns = meter->logged_ns = now_ns;
        meter->before = meter->stats;
        meter->resimulation_ns = resimulation_ns;
    }
    meter->figures.tick = bks_session_tick(session);
    meter->figures.confirmed = bks_session_confirmed(session);
    meter->figures.link_count = meter->stats.link_count;
    take_match(meter, &last, resimulation_ns);
    for (uint32_t peer = 0; peer < BKS_PEERS_MAX; peer++) {
        take_link(meter, peer);
    }
    if (bksi_mutated(BKSI_MUTANT_METER_COUNTS_LAST)) {
        meter->before = last;
    }
    if (now_ns >= meter->point_ns + POINT_NS) {
        close_points(meter, (now_ns - meter->point_ns) / POINT_NS);
    }
    if (meter->log_every_ns > 0 && now_ns >= meter->logged_ns + meter->log_every_ns) {
        log_figures(meter, session, now_ns);
    }
    return BKS_OK;
}
