// SPDX-License-Identifier: MIT

/// @file watch_feed.h
/// Where a recording comes from that is watched, which may still be written meanwhile.
///
/// Another way to follow than through a file fills in a watch_feed of its own and is chosen by
/// watch_feed_open(); the viewer sees no difference.

#ifndef BKS_TOOL_WATCH_FEED_H
#define BKS_TOOL_WATCH_FEED_H

#include "watch/watch_source.h"

/// Open what the user named; errors go to stderr.
/// @param where  as typed, must outlive the feed
/// @param out    receives the feed, NULL on failure
/// @return TOOL_OK, TOOL_DAMAGED
/// Owned by the caller; release with watch_feed_close().
int watch_feed_open(const char *where, watch_feed **out);

/// Release a feed. NULL is allowed.
void watch_feed_close(watch_feed *feed);

#endif
