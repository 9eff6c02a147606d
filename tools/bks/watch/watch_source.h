// SPDX-License-Identifier: MIT

/// @file watch_source.h
/// Where a recording comes from that is watched, which may still be written meanwhile: a file
/// (watch_feed.c) or any server of plain files, by range requests (watch_http.c). Another way fills
/// in a watch_feed of its own and is chosen by watch_feed_open(); the viewer sees no difference.

#ifndef BKS_TOOL_WATCH_SOURCE_H
#define BKS_TOOL_WATCH_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "backstitch/base.h"
#include "backstitch/toolkit/recording.h"

/// Result of polling a feed.
typedef enum watch_news {
    WATCH_NEWS_NONE,     ///< all is as it was
    WATCH_NEWS_MORE,     ///< the same replay has more in it, or will get no more
    WATCH_NEWS_REPLACED, ///< another replay holds what there is: begin a new playback on it
} watch_news;

/// A recording that is watched. Made by watch_feed_open(); the functions are the feed's own.
typedef struct watch_feed {
    bks_replay *replay;      ///< the recording so far; owned by the feed, never NULL
    bool is_growing;         ///< more may come
    int status;              ///< TOOL_OK; TOOL_DAMAGED when parts of it are wrong
    uint64_t received_bytes; ///< from a server so far, 0 for a file
    char why[192];           ///< error or reason for the end; "" when there is none

    /// Look whether more has come. Never blocks for long; called some hundred times a second. Ask
    /// the recording anew after any news. A replay that was replaced is closed by the next call.
    /// @param now_ns  of tool_clock_ns()
    watch_news (*poll)(struct watch_feed *feed, uint64_t now_ns);
    /// Close the feed.
    void (*close)(struct watch_feed *feed);
} watch_feed;

/// Time without news after which a recording counts as finished.
#define WATCH_FEED_PATIENCE_NS UINT64_C(10000000000)

/// Open what the user named; errors go to stderr.
/// @param where  as typed, must outlive the feed
/// @param out    receives the feed, NULL on failure
/// @return TOOL_OK, TOOL_DAMAGED
/// Owned by the caller; release with watch_feed_close().
int watch_feed_open(const char *where, watch_feed **out);

/// Release a feed. NULL is allowed.
void watch_feed_close(watch_feed *feed);

/// Return true for the URL of a server: http:// or https://.
bool watch_http_is_url(const char *where);

/// Open a URL, as watch_feed_open() does.
int watch_http_open(const char *where, watch_feed **out);

#endif
