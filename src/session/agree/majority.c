// SPDX-License-Identifier: MIT

#include "session/agree/majority.h"

#include <string.h>

#include "base/bits.h"
#include "base/mutant.h"
#include "session/common/seats.h"

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
    uint32_t sound = 0;
    EACH_PEER (i, members) {
        sound |= said[i]->is_refused ? 0 : PEER_BIT(i);
    }
    const bool counts_all = sound == 0 || bksi_mutated(BKSI_MUTANT_MEND_UNSOUND);
    const uint32_t most = find(said, counts_all ? members : sound, false);
    uint32_t have = 0;
    EACH_PEER (i, members) {
        have |= are_alike(said, i, bksi_lowest_bit(most), false) ? PEER_BIT(i) : 0;
    }
    return have;
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
        said->is_refused = before.is_refused;
        said->known = before.known;
        memcpy(said->same, before.same, sizeof(before.same));
        said->differing = before.differing;
        memcpy(said->since, before.since, sizeof(before.since));
    }
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        said->same[i] = said->same[i] > first ? said->same[i] : first;
        said->since[i] = said->since[i] > first ? said->since[i] : first;
        bksi_meet_repair *repair = &said->repairs[i];
        repair->since = repair->since > first ? repair->since : first;
    }
}
