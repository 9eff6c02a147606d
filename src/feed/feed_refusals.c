// SPDX-License-Identifier: MIT

#include "feed/feed_refusals.h"

#include <string.h>

/// Shortest time between two refusals.
#define GAP_NS UINT64_C(50000000)

/// Return the index of the one that waits on a channel, `count`: none does.
static uint32_t find(const bksi_feed_refusals *refusals, bksi_channel channel)
{
    uint32_t at = 0;
    while (at < refusals->count && refusals->waiting[at].channel != channel) {
        at++;
    }
    return at;
}

static void remove_at(bksi_feed_refusals *refusals, uint32_t at)
{
    bksi_feed_refusal *waiting = refusals->waiting + at;
    refusals->count--;
    memmove(waiting, waiting + 1, (refusals->count - at) * sizeof(*waiting));
}

static bool add(bksi_feed_refusals *refusals, bksi_feed_refusal refusal)
{
    const uint32_t at = find(refusals, refusal.channel);
    if (at == BKSI_FEED_REFUSALS_MAX) {
        return false;
    }
    if (at == refusals->count) {
        refusals->count++;
    } else if (!refusals->waiting[at].is_question) {
        return true;
    }
    refusals->waiting[at] = refusal;
    return true;
}

bool bksi_feed_refusals_add(bksi_feed_refusals *refusals, bksi_channel channel,
                            bksi_feed_reason reason)
{
    return add(refusals, (bksi_feed_refusal){.channel = channel, .reason = (uint8_t)reason});
}

bool bksi_feed_refusals_ask(bksi_feed_refusals *refusals, bksi_channel channel, bks_tick tick)
{
    return add(refusals,
               (bksi_feed_refusal){.channel = channel, .is_question = true, .tick = tick});
}

void bksi_feed_refusals_remove(bksi_feed_refusals *refusals, bksi_channel channel)
{
    const uint32_t at = find(refusals, channel);
    if (at < refusals->count) {
        remove_at(refusals, at);
    }
}

bool bksi_feed_refusals_pop(bksi_feed_refusals *refusals, bksi_feed_refusal *out)
{
    if (refusals->count == 0) {
        return false;
    }
    *out = refusals->waiting[0];
    remove_at(refusals, 0);
    return true;
}

bool bksi_feed_refusals_next(bksi_feed_refusals *refusals, uint64_t now_ns, bksi_feed_refusal *out)
{
    if (now_ns - refusals->told_ns < GAP_NS || !bksi_feed_refusals_pop(refusals, out)) {
        return false;
    }
    refusals->told_ns = now_ns;
    return true;
}
