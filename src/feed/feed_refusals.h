// SPDX-License-Identifier: MIT

/// @file feed_refusals.h
/// Watchers that a source must tell why there is no feed for them, or the hash for which they
/// asked. Each waits for its turn once, so that one which asks again and again leaves the others
/// their turn.

#ifndef BKSI_FEED_REFUSALS_H
#define BKSI_FEED_REFUSALS_H

#include "feed/feed_wire.h"
#include "net/guard.h"

/// One for each channel: all watchers can be given up at once.
#define BKSI_FEED_REFUSALS_MAX (BKSI_FEED_WATCHERS_MAX + BKSI_FEED_CHANNELS_MORE)

typedef struct bksi_feed_refusal {
    bksi_channel channel;
    bool is_question; ///< it asked for the hash of `tick`; false: it is refused
    uint8_t reason;   ///< bksi_feed_reason of a refusal
    bks_tick tick;
} bksi_feed_refusal;

typedef struct bksi_feed_refusals {
    uint32_t count;
    bksi_feed_refusal waiting[BKSI_FEED_REFUSALS_MAX]; ///< the first has its turn next
    uint64_t told_ns;                                  ///< time of the newest refusal
} bksi_feed_refusals;

/// Queue a refusal. One for the same channel that waits already keeps its turn and its reason; a
/// question leaves it its turn.
/// @return false if there is no room for it
bool bksi_feed_refusals_add(bksi_feed_refusals *refusals, bksi_channel channel,
                            bksi_feed_reason reason);

/// Queue the answer to a question for the hash of a tick, in the turn of an earlier question. One
/// that is refused gets none.
/// @return false if there is no room for it
bool bksi_feed_refusals_ask(bksi_feed_refusals *refusals, bksi_channel channel, bks_tick tick);

/// Drop what waits on a channel that is given away.
void bksi_feed_refusals_remove(bksi_feed_refusals *refusals, bksi_channel channel);

/// Take the next refusal or answer at once.
/// @return false if none waits
bool bksi_feed_refusals_pop(bksi_feed_refusals *refusals, bksi_feed_refusal *out);

/// Take the next refusal or answer, at most 20 a second.
/// @return false if none is due
bool bksi_feed_refusals_next(bksi_feed_refusals *refusals, uint64_t now_ns, bksi_feed_refusal *out);

#endif
