// SPDX-License-Identifier: MIT

#include "session/majority.h"

#include <string.h>

#include "base/bits.h"
#include "base/mutant.h"
#include "session/peers.h"

static bool are_alike(const bksi_meet_message *const *said, uint32_t a, uint32_t b, bool is_before)
{
    return is_before ? said[a]->before == said[b]->before : said[a]->state == said[b]->state;
}

static uint32_t find(const bksi_meet_message *const *said, uint32_t members, bool is_before)
{
    uint32_t most = 0;
    EACH_PEER (i, members) {
        uint32_t group = 0;
        EACH_PEER (k, members) {
            group |= are_alike(said, i, k, is_before) ? PEER_BIT(k) : 0;
        }
        const bool is_larger = bksi_peers_count(group) > bksi_peers_count(most);
        most = is_larger && !(most != 0 && bksi_mutated(BKSI_MUTANT_MEND_AS_HOST)) ? group : most;
    }
    return most;
}

uint32_t bksi_majority_now(const bksi_meet_message *const *said, uint32_t members)
{
    return find(said, members, false);
}

uint32_t bksi_majority_repaired(const bksi_meet_message *const *said, uint32_t members)
{
    return members & ~find(said, bksi_majority_now(said, members), true);
}

bool bksi_majority_are_most(uint32_t some, uint32_t members)
{
    const uint32_t count = bksi_peers_count(some);
    const uint32_t rest = bksi_peers_count(members & ~some);
    return count > rest || (count == rest && (some & members & (~members + 1)) != 0);
}

uint32_t bksi_majority_naming(const bksi_meet_message *const *said, uint32_t members)
{
    uint32_t naming = 0;
    EACH_PEER (i, members) {
        naming += said[i]->differing != 0 ? 1 : 0;
    }
    return naming;
}

bool bksi_majority_shares_inputs(const bksi_meet_message *const *said, uint32_t members)
{
    bool shares = true;
    uint64_t inputs = 0;
    bool is_first = true;
    EACH_PEER (i, members) {
        shares &= is_first || said[i]->inputs == inputs;
        inputs = said[i]->inputs;
        is_first = false;
    }
    return shares;
}

/// The first tick at which members may have differed without that somebody says so.
static bks_tick find_unknown(const bksi_meet_message *const *said, uint32_t members, bks_tick tick)
{
    bks_tick same = tick - 1;
    EACH_PEER (i, members) {
        same = said[i]->same < same ? said[i]->same : same;
    }
    return same + 1;
}

bks_tick bksi_majority_since(const bksi_meet_message *const *said, uint32_t others, uint32_t peer,
                             bks_tick tick)
{
    bks_tick since = tick;
    bool was_alike = true;
    EACH_PEER (i, others) {
        was_alike &= are_alike(said, i, peer, true);
        const bool says[2] = {(said[i]->differing >> peer & 1) != 0,
                              (said[peer]->differing >> i & 1) != 0};
        since = says[0] && said[i]->since[peer] < since ? said[i]->since[peer] : since;
        since = says[1] && said[peer]->since[i] < since ? said[peer]->since[i] : since;
    }
    if (bksi_mutated(BKSI_MUTANT_MEND_LATE) || bksi_mutated(BKSI_MUTANT_MEND_WIDE)) {
        return bksi_mutated(BKSI_MUTANT_MEND_LATE) ? tick : since - 5;
    }
    return since < tick || was_alike ? since : find_unknown(said, others | PEER_BIT(peer), tick);
}

bks_repair bksi_majority_repair(const bksi_meet_message *const *said, uint32_t others,
                                uint32_t peer, bks_tick tick)
{
    const bksi_meet_message *own = said[peer];
    const bool is_sound = others == 0 || (others >> own->from & 1) != 0;
    const uint32_t from = is_sound ? own->from : bksi_lowest_bit(others);
    return (bks_repair){.tick = tick,
                        .since = bksi_majority_since(said, others, peer, tick),
                        .peer = peer,
                        .from = own->bytes > 0 ? from : peer,
                        .bytes = own->bytes};
}

/// Whether it has said what state it has.
static bool is_statement(const bksi_meet_message *said)
{
    return said->tick != BKS_TICK_NONE &&
           (said->stage == BKSI_MEET_STATED || said->stage == BKSI_MEET_DONE ||
            said->stage == BKSI_MEET_ENDED);
}

void bksi_majority_take(bksi_meet_message *said, const bksi_meet_message *next, bks_tick first)
{
    const bksi_meet_message before = *said;
    *said = *next;
    if (is_statement(&before)) {
        said->state = before.state;
        said->inputs = before.inputs;
        said->before = before.before;
        said->same = before.same;
        said->differing = before.differing;
        memcpy(said->since, before.since, sizeof(before.since));
    }
    said->same = said->same > first ? said->same : first;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        said->since[i] = said->since[i] > first ? said->since[i] : first;
    }
}
