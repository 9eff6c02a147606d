// SPDX-License-Identifier: MIT

// That a question or its answer was lost is known a round trip later, and by then a player looks at
// what is wrong. So where a line has room each goes twice, far enough apart that what loses the
// first does not lose the second as well. Where it has none, a question takes its time, and what
// went again before that would only stand in the way of the answer.

#include "session/agree/asking.h"

#define TWIN_AFTER_NS   (30 * NS_PER_MS)
#define LOST_BESIDES_NS (50 * NS_PER_MS) ///< beside a round trip: the peer looks it up

/// The share of what a narrow line carries that questions take: one part in this many.
#define ASKING_SHARE 4u

void bksi_asking_goes(session_asking *asking, const session_common *common, uint32_t peer,
                      size_t bytes)
{
    const session_links *links = &common->links;
    const uint64_t trip_ns = (uint64_t)bksi_links_round_trip_ns(links, peer);
    const uint64_t share_ns = ASKING_SHARE * bksi_links_bytes_ns(links, peer, bytes);
    const bool has_twin = share_ns == 0 && asking->count % 2 == 0;
    asking->count++;
    asking->next_ns =
        common->now_ns + (has_twin ? TWIN_AFTER_NS : trip_ns + LOST_BESIDES_NS + share_ns);
}
