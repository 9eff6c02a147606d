// SPDX-License-Identifier: MIT

/// @file insight.h
/// Looking into a match while it plays: its figures (figures.h), and bks inspect.
///
///     const bks_insight insight = {.inspect = "0", .inspect_changes = true};
///     config.insight = &insight;
///     if (bks_match_open(&config, &match, &error) != BKS_OK) …
///     fprintf(stderr, "BKS_INSPECT_TOKEN=%s bks inspect %s\n", bks_match_inspect_token(match),
///             bks_match_inspect_address(match));
///
/// Thread rule: as the match.

#ifndef BACKSTITCH_INSIGHT_H
#define BACKSTITCH_INSIGHT_H

#include "backstitch/figures.h"
#include "backstitch/match.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is measured, and what others may look at. Start from {0}: figures alone.
typedef struct bks_insight {
    uint32_t window_ms;    ///< of the figures, as in bks_meter_config; 0 (default): its default
    uint32_t log_every_ms; ///< likewise; 0 (default): no line
    /// Let bks inspect look at the match (inspector.h), by UDP at "PORT" of the loopback address,
    /// or at "ADDR:PORT" or "[ADDR6]:PORT", which others in the network may reach; port 0: any free
    /// one. Anyone who reaches it sees how the match does. NULL (default): no one can.
    const char *inspect;
    bool inspect_changes; ///< bks_match_inspect_token() allows changes. It goes over the network as
                          ///< it is. Default false: nothing can be changed
    /// As in bks_inspected: the program's emulated link, for changes; both or none. Called within
    /// bks_match_update(). NULL (default): it has none.
    bool (*change_link)(void *context, const char *link);
    const char *(*link)(void *context); ///< the link as it is now
    void *context;                      ///< handed to both
} bks_insight;

/// How the match does, as of the newest bks_match_update().
/// @return valid until the next bks_match_update(); NULL for NULL and without `insight`
BKS_API const bks_figures *bks_match_figures(const bks_match *match);

/// Where bks inspect finds the match, "127.0.0.1:4711". Valid until bks_match_close().
/// @return the text; "" for NULL and without `inspect`
BKS_API const char *bks_match_inspect_address(const bks_match *match);

/// What allows bks inspect to change something, 32 hexadecimal digits, for the program to print.
/// Valid until bks_match_close().
/// @return the text; "" for NULL, and without `inspect` or `inspect_changes`
BKS_API const char *bks_match_inspect_token(const bks_match *match);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_INSIGHT_H
