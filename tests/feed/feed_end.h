// SPDX-License-Identifier: MIT

/// @file feed_end.h
/// One end of a feed that says what a test tells it: a source or a watcher that has the key and
/// lies.

#ifndef TESTS_FEED_END_H
#define TESTS_FEED_END_H

#include "feed/feed_link.h"
#include "feed/feed_receiver.h"
#include "feed/feed_source.h"
#include "feed/feed_wire.h"

typedef struct feed_end {
    bksi_guard guard;
    bksi_channel channel; ///< 0: the other end has not called yet
    bksi_feed_link link;
    bool is_sealed; ///< it can send under the channel's keys
    uint64_t now_ns;
} feed_end;

/// @param calls  true: a watcher, which calls the source
void feed_end_open(feed_end *end, const uint8_t key[BKS_KEY_BYTES], bool calls);
void feed_end_close(feed_end *end);

bks_address feed_end_address(void);

/// Exchange packets with a receiver for some time.
void feed_end_feed(feed_end *end, bksi_feed_receiver *receiver, uint64_t ms);

/// Send a message to a receiver or a source.
void feed_end_say(feed_end *end, bksi_feed_receiver *receiver, bksi_feed_source *source,
                  uint32_t type, const uint8_t *body, size_t count);

/// Call a source, until keys are there.
void feed_end_call(feed_end *end, bksi_feed_source *source);

/// Call a source with a WATCH of these bytes.
void feed_end_call_with(feed_end *end, bksi_feed_source *source, const uint8_t *watch,
                        size_t bytes);

#endif
