// SPDX-License-Identifier: MIT

/// @file feed_text.h
/// One sentence on how a watcher's feed is, or why it has ended.

#ifndef BKSI_FEED_TEXT_H
#define BKSI_FEED_TEXT_H

#include "feed/feed_receiver.h"

/// Describe a feed.
/// @return static text
const char *bksi_feed_text(const bksi_feed_receiver *receiver);

#endif
