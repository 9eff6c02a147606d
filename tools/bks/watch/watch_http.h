// SPDX-License-Identifier: MIT

/// @file watch_http.h
/// A recording on a web server, which may still be written meanwhile: a watch_feed by range
/// requests, for which any server of plain files will do.

#ifndef BKS_TOOL_WATCH_HTTP_H
#define BKS_TOOL_WATCH_HTTP_H

#include "watch/watch_source.h"

/// Whether that is an address this feed is for: http:// or https://.
bool watch_http_is_url(const char *where);

/// As watch_feed_open().
int watch_http_open(const char *where, watch_feed **out);

#endif
