// SPDX-License-Identifier: MIT

#include "feed/feed_refusals.h"

#include <string.h>

/// Shortest time between two refusals.
#define GAP_NS UINT64_C(50000000)

static void add(bksi_feed_refusals *refusals, bksi_feed_refusal refusal)
{
    uint32_t at = 0;
    while (at < refusals->count && refusals->waiting[at].channel != refusal.channel) {
        at++;
    }
    if (at == refusals->count && at < BKSI_FEED_REFUSALS_MAX) {
        refusals->waiting[refusals->count++] = refusal;
    }
}

void bksi_feed_refusals_add(bksi_feed_refusals *refusals, bksi_channel channel,
                            bksi_feed_reason reason)
{
    add(refusals, (bksi_feed_refusal){.channel = channel, .reason = (uint8_t)reason});
}

void bksi_feed_refusals_ask(bksi_feed_refusals *refusals, bksi_channel channel, bks_tick tick)
{
    add(refusals, (bksi_feed_refusal){
                      .channel = channel, .reason = (uint8_t)BKSI_FEED_REASONS, .tick = tick});
}

bool bksi_feed_refusals_next(bksi_feed_refusals *refusals, uint64_t now_ns, bksi_feed_refusal *out)
{
    if (refusals->count == 0 || now_ns - refusals->told_ns < GAP_NS) {
        return false;
    }
    *out = refusals->waiting[0];
    refusals->count--;
    memmove(refusals->waiting, refusals->waiting + 1, refusals->count * sizeof(*out));
    refusals->told_ns = now_ns;
    return true;
}
