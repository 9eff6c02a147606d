// SPDX-License-Identifier: MIT

/// @file figures.h
/// How a match does, in numbers by which one tunes a game: each as the newest value, as least, mean
/// and most over a window, and as ten seconds of history for a graph [INVERSUS, Debugging]
/// (docs/sources.md). One struct feeds the overlay of bks play, its terminal, the log and bks
/// inspect; bks_match_figures() has it for a match, a meter of your own for a peer or a session.
///
///     bks_meter *meter = NULL;
///     bks_meter_config config = {.window_ms = 2000};
///     if (bks_meter_create(&config, &meter, &error) != BKS_OK) …
///     …                                              // after each update:
///     bks_meter_take(meter, session, now_ns, costs.resimulation_ns_sum);
///     const bks_figures *figures = bks_meter_figures(meter);
///     printf("%.0f ms\n", (double)figures->links[1].round_trip_ms.mean);
///
/// Nothing is allocated after create, and nothing flows back into the match.
///
/// Thread rule: as the session.

#ifndef BACKSTITCH_FIGURES_H
#define BACKSTITCH_FIGURES_H

#include "backstitch/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Points of a history.
#define BKS_FIGURE_POINTS 100

/// From one point of a history to the next, in milliseconds.
#define BKS_FIGURE_POINT_MS 100

/// Longest window: the whole history.
#define BKS_FIGURE_WINDOW_MS_MAX (BKS_FIGURE_POINTS * BKS_FIGURE_POINT_MS)

/// Longest time from one line in the log to the next, in milliseconds.
#define BKS_FIGURE_LOG_MS_MAX 3600000

/// A tenth of a second of a figure.
typedef struct bks_figure_point {
    float least;  ///< of what was measured in it
    float mean;   ///< likewise
    float most;   ///< likewise
    float weight; ///< how much was measured, such as the number of updates; 0: nothing was
} bks_figure_point;

/// One number over time.
typedef struct bks_figure {
    float now;   ///< newest value; 0 before the first
    float least; ///< over the window; these three are `now` while nothing was measured in it, see
                 ///< bks_figure_is_measured()
    float mean;  ///< likewise
    float most;  ///< likewise
    bks_figure_point history[BKS_FIGURE_POINTS]; ///< the oldest first; the last one is complete
} bks_figure;

/// Whether anything of a figure was measured within the window; if not, its values are older, and
/// are best not shown: the depth of rollbacks while there are none.
/// @param figure     NULL: none
/// @param window_ms  bks_figures.window_ms
static inline bool bks_figure_is_measured(const bks_figure *figure, uint32_t window_ms)
{
    const uint32_t window = figure != NULL ? window_ms / BKS_FIGURE_POINT_MS : 0;
    const uint32_t points = window < BKS_FIGURE_POINTS ? window : BKS_FIGURE_POINTS;
    for (uint32_t i = BKS_FIGURE_POINTS - points; i < BKS_FIGURE_POINTS; i++) {
        if (figure->history[i].weight > 0.0f) {
            return true;
        }
    }
    return false;
}

/// The figures of the link to one peer.
typedef struct bks_link_figures {
    bool has_peer;             ///< there is a peer of this number, and it is not ourselves
    bks_figure round_trip_ms;  ///< as bks_link_stats has it: smoothed
    bks_figure loss;           ///< share of its packets that did not come, 0..1
    bks_figure local_lag;      ///< ticks of its input unknown to us
    bks_figure remote_lag;     ///< ticks of our input unknown to it
    bks_figure advantage;      ///< ticks that we run ahead of it: half of local minus remote lag
    bks_figure waited;         ///< ticks a second that we did not step for want of its inputs
    bks_figure bytes_sent;     ///< a second, UDP payload to it
    bks_figure bytes_received; ///< a second, UDP payload from it
} bks_link_figures;

/// The figures of a match on one peer.
typedef struct bks_figures {
    uint32_t window_ms;         ///< over which least, mean and most are
    bks_tick tick;              ///< the present tick
    bks_tick confirmed;         ///< the first tick that is not confirmed
    bks_figure predicted;       ///< ticks from there to the present
    bks_figure input_delay;     ///< ticks
    bks_figure rollbacks;       ///< a second
    bks_figure depth;           ///< of rollbacks, in ticks
    bks_figure resimulated;     ///< ticks a second that are stepped again
    bks_figure resimulation_ms; ///< that takes, of an update; 0 where it is not measured
    bks_figure stalled;         ///< due ticks a second that are skipped so that others catch up
    bks_figure starved;         ///< due ticks a second that are not stepped for want of input
    bks_figure bytes_sent;      ///< a second, UDP payload to all peers
    uint32_t link_count;        ///< one past the highest number of a peer
    bks_link_figures links[BKS_PEERS_MAX]; ///< by peer; our own is zero
} bks_figures;

/// What a meter needs, copied by bks_meter_create(). Start from {0}.
typedef struct bks_meter_config {
    uint32_t window_ms;      ///< for least, mean and most: 100..10000; 0 (default): 2000
    uint32_t log_every_ms;   ///< send the figures to the log sink (id "figures", one line for the
                             ///< match and one for each link) this often, 100..3600000, at level
                             ///< BKS_LOG_INFO; 0 (default): never
    bks_allocator allocator; ///< default malloc and free
} bks_meter_config;

/// Collects figures. Opaque.
typedef struct bks_meter bks_meter;

/// Create a meter. Nothing is allocated afterwards.
/// @param config  copied
/// @param out     receives it, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with bks_meter_destroy().
BKS_API BKS_NODISCARD bks_status bks_meter_create(const bks_meter_config *config, bks_meter **out,
                                                  bks_error *error);

/// Release a meter. NULL is allowed.
BKS_API void bks_meter_destroy(bks_meter *meter);

/// Take the figures of a session as they are, after each of its updates. Before the first tick
/// nothing is taken.
/// @param now_ns           as of the update
/// @param resimulation_ns  what going back and stepping again took so far, all together:
///                         bks_costs.resimulation_ns_sum (peer.h), or measured by the program; 0:
///                         not measured
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_meter_take(bks_meter *meter, const bks_session *session, uint64_t now_ns,
                                  uint64_t resimulation_ns);

/// The figures as of the newest bks_meter_take().
/// @return valid until the next bks_meter_take() or bks_meter_destroy(); NULL for NULL
BKS_API const bks_figures *bks_meter_figures(const bks_meter *meter);

/// One line of text about the match, or about one link.
/// @param peer      which link; BKS_PEERS_MAX: the match
/// @param out       receives it, printable ASCII and zero-terminated, cut where it is too long; may
///                  be NULL when capacity is 0
/// @param capacity  of `out`; 256 is always enough
/// @return its length; 0 for NULL and for a peer that is not there
BKS_API size_t bks_figures_line(const bks_figures *figures, uint32_t peer, char *out,
                                size_t capacity);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_FIGURES_H
