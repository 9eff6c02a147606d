// SPDX-License-Identifier: MIT

// That a question or its answer was lost is known a round trip later, and by then a player looks at
// what is wrong. So where a line has room each goes twice, far enough apart that what loses the
// first does not lose the second as well.

#include "session/asking.h"

#define TWIN_AFTER_NS   (30 * NS_PER_MS)
#define LOST_BESIDES_NS (50 * NS_PER_MS) ///< beside a round trip: the peer looks it up

void bksi_asking_goes(session_asking *asking, const session_common *common, uint32_t peer)
{
    const bool has_room = bksi_links_gap_ns(&common->links, peer) == 0;
    const uint64_t trip_ns = (uint64_t)bksi_links_round_trip_ns(&common->links, peer);
    const uint64_t lost_ns = trip_ns + LOST_BESIDES_NS;
    const bool is_first = asking->count % 2 == 0;
    asking->count++;
    asking->next_ns = common->now_ns + (has_room && is_first ? TWIN_AFTER_NS : lost_ns);
}
