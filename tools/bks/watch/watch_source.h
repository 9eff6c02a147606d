// SPDX-License-Identifier: MIT

/// @file watch_source.h
/// Sources of a recording that may still be growing: a file (watch_feed.c), any server of plain
/// files, by range requests (watch_http.c), or a running match (watch_bks.c). To add a source, fill
/// in a watch_feed and choose it in watch_feed_open(); the viewer needs no change.

#ifndef BKS_TOOL_WATCH_SOURCE_H
#define BKS_TOOL_WATCH_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "backstitch/game.h"
#include "backstitch/toolkit/recording.h"

/// Result of polling a feed.
typedef enum watch_news {
    WATCH_NEWS_NONE,     ///< nothing has changed
    WATCH_NEWS_MORE,     ///< the replay has more ticks now, or has become complete
    WATCH_NEWS_REPLACED, ///< the feed has opened another replay: begin a new playback
} watch_news;

/// A source of a recording. Made by watch_feed_open(), which sets `poll` and `close`.
typedef struct watch_feed {
    bks_replay *replay;      ///< the recording so far; owned by the feed, never NULL
    bool is_growing;         ///< true: more data may come
    int status;              ///< TOOL_DAMAGED if parts of the recording are wrong, else TOOL_OK
    uint64_t received_bytes; ///< bytes received from a server so far, 0 for a file
    uint64_t fetch_ns;       ///< time by which ticks come late because of the way they are fetched
    char why[192];           ///< error or reason why the recording ended; empty if none

    /// Check for new data. It never blocks for long and is called some hundred times a second.
    /// After any news, read the recording's description again. A replay that was replaced is closed
    /// by the next call.
    /// @param now_ns  time of tool_clock_ns()
    watch_news (*poll)(struct watch_feed *feed, uint64_t now_ns);
    /// Close the feed.
    void (*close)(struct watch_feed *feed);
} watch_feed;

/// Time by which ticks of a file come late, since it is looked at only now and then.
#define WATCH_FEED_FETCH_NS UINT64_C(500000000)

/// Time without news after which a recording counts as finished.
#define WATCH_FEED_PATIENCE_NS UINT64_C(10000000000)

/// Open a recording by its name. Errors go to stderr.
/// @param where  file or address as typed, must outlive the feed
/// @param out    receives the feed, NULL on failure
/// @return TOOL_OK, TOOL_DAMAGED
/// Owned by the caller; release with watch_feed_close().
int watch_feed_open(const char *where, watch_feed **out);

/// Release a feed. NULL is allowed.
void watch_feed_close(watch_feed *feed);

/// Return true if `where` is the URL of a server: http:// or https://.
bool watch_http_is_url(const char *where);

/// Open the recording at a URL, as watch_feed_open() does.
int watch_http_open(const char *where, watch_feed **out);

/// Return true if `where` is an invitation: bks://.
bool watch_bks_is_invitation(const char *where);

/// A match to watch. Start from {0}. The texts must outlive the feed.
typedef struct watch_match {
    const char *invitation;
    const char *where;       ///< name of the match in messages
    const char *record_path; ///< file for the recording, NULL: none
    /// Address at which others may watch what comes; NULL: they may not. The invitation for them is
    /// printed to stdout.
    const char *serve_address;
    const bks_game *game; ///< game of the match, for serve_address; must outlive the feed
} watch_match;

/// Watch a running match, as watch_feed_open() does. Waits until the match has started.
/// @return TOOL_OK, TOOL_NO (there is no match to watch, or the address is not free), TOOL_MISUSE
///         (the invitation or the address is wrong), TOOL_DAMAGED
int watch_bks_open(const watch_match *match, watch_feed **out);

#endif
