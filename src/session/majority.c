// SPDX-License-Identifier: MIT

#include "session/majority.h"

#include "session/peers.h"

uint32_t bksi_majority_count(uint32_t peers)
{
    uint32_t count = 0;
    for (; peers != 0; peers &= peers - 1) {
        count++;
    }
    return count;
}

static bool are_alike(const bksi_meet_message *const *said, uint32_t a, uint32_t b, bool is_before)
{
    return is_before ? ((said[a]->differing >> b | said[b]->differing >> a) & 1) == 0
                     : said[a]->state == said[b]->state;
}

static uint32_t find(const bksi_meet_message *const *said, uint32_t members, bool is_before)
{
    uint32_t most = 0;
    EACH_PEER (i, members) {
        uint32_t group = 0;
        EACH_PEER (k, members) {
            group |= are_alike(said, i, k, is_before) ? PEER_BIT(k) : 0;
        }
        most = bksi_majority_count(group) > bksi_majority_count(most) ? group : most;
    }
    return most;
}

uint32_t bksi_majority_now(const bksi_meet_message *const *said, uint32_t members)
{
    return find(said, members, false);
}

uint32_t bksi_majority_before(const bksi_meet_message *const *said, uint32_t members)
{
    return find(said, members, true);
}
