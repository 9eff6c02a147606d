// SPDX-License-Identifier: MIT

// All that list a repair list the same, and none lists what a single liar made up. Both come from
// the words that all state before all decide: those of several bound those of one. A member that
// is gone may have said its words to some alone; then the list goes along with the word that the
// meeting has ended.

#include "session/agree/meeting_rules.h"

#include <string.h>

#include "base/bits.h"
#include "base/mutant.h"
#include "session/common/seats.h"

// ---- how far the members are ----

uint32_t bksi_said_number(const bksi_meet_message *said)
{
    return said->tick == BKS_TICK_NONE ? 0 : (uint32_t)said->stage + 1;
}

static bool is_at(const bksi_meet_message *said, bksi_meet_stage stage)
{
    return bksi_said_number(said) == (uint32_t)stage + 1;
}

bool bksi_said_has_it(const bksi_meet_message *said)
{
    return said->stage == BKSI_MEET_DONE || said->stage == BKSI_MEET_ENDED;
}

bool bksi_said_are_at(const bksi_meet_message *const *said, uint32_t members, bksi_meet_stage stage)
{
    bool are = true;
    EACH_PEER (i, members) {
        are &= bksi_said_number(said[i]) > (uint32_t)stage && !is_at(said[i], BKSI_MEET_FAILED);
    }
    return are;
}

bool bksi_said_agree(const bksi_meet_message *const *said, uint32_t members)
{
    bool agree = true;
    uint64_t now = 0;
    bool is_first = true;
    EACH_PEER (i, members) {
        agree &= is_first || said[i]->now == now;
        now = said[i]->now;
        is_first = false;
    }
    return agree;
}

bool bksi_said_has_failed(const bksi_meet_message *const *said, uint32_t members)
{
    bool has = false;
    EACH_PEER (i, members) {
        has |= is_at(said[i], BKSI_MEET_FAILED);
    }
    return has;
}

// ---- which members have the same state ----

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

// ---- the repairs ----

static bks_tick least(bks_tick a, bks_tick b)
{
    return a < b ? a : b;
}

/// Bits: members that are as they are to be.
static uint32_t others_of(const bksi_listing *listing)
{
    return listing->decided & ~listing->repaired;
}

/// Since when a member says that another differs from it; the tick itself: it does not say so.
static bks_tick said_since(const bksi_listing *listing, uint32_t member, uint32_t peer)
{
    const bksi_meet_message *said = listing->said[member];
    const bool differs = (said->differing >> peer & 1) != 0;
    return differs ? least(said->since[peer], listing->tick) : listing->tick;
}

/// Up to which tick a member says that another was as it is, before the one they meet in.
static bks_tick said_same(const bksi_listing *listing, uint32_t member, uint32_t peer)
{
    const bksi_meet_message *said = listing->said[member];
    const bool is_known = (said->known >> peer & 1) != 0;
    return is_known ? least(said->same[peer], listing->tick - 1) : -1;
}

/// Up to which tick a peer was as the others, as far as a member knows: it was as both were.
static bks_tick known_same(const bksi_listing *listing, uint32_t member, uint32_t peer)
{
    const uint32_t others = others_of(listing);
    bks_tick as_others = (others >> member & 1) != 0 ? listing->tick - 1 : -1;
    EACH_PEER (i, others & ~PEER_BIT(member)) {
        const bks_tick same = said_same(listing, member, i);
        as_others = same > as_others ? same : as_others;
    }
    return member == peer ? as_others : least(as_others, said_same(listing, member, peer));
}

/// The first tick at which a peer can have been another: all before were seen to be the same by two
/// members, so that the word of one that lies bounds nothing. Of two members one may be it anyway.
static bks_tick find_floor(const bksi_listing *listing, uint32_t peer)
{
    bks_tick most[2] = {listing->first - 1, listing->first - 1};
    EACH_PEER (i, listing->decided) {
        const bks_tick same = known_same(listing, i, peer);
        most[1] = same > most[0] ? most[0] : same > most[1] ? same : most[1];
        most[0] = same > most[0] ? same : most[0];
    }
    return most[bksi_peers_count(listing->decided) > 2 ? 1 : 0] + 1;
}

bks_tick bksi_listing_since(const bksi_listing *listing, uint32_t peer)
{
    bks_tick since = listing->tick;
    bool was_alike = true;
    EACH_PEER (i, others_of(listing)) {
        was_alike &= listing->said[i]->before == listing->said[peer]->before;
        since = least(since, said_since(listing, i, peer));
        since = least(since, said_since(listing, peer, i));
    }
    const bks_tick floor = find_floor(listing, peer);
    return (since == listing->tick && !was_alike) || since < floor ? floor : since;
}

/// The latest since when we have seen it ourselves.
static bks_tick seen_ourselves(const bksi_listing *listing, uint32_t peer)
{
    const uint32_t others = others_of(listing);
    const uint32_t compared = (others >> listing->self & 1) != 0 ? PEER_BIT(peer) : 0;
    bks_tick since = -1;
    EACH_PEER (i, listing->self == peer ? others : compared) {
        const bks_tick seen = said_since(listing, listing->self, i);
        since = seen > since ? seen : since;
    }
    return since >= 0 ? since : listing->tick;
}

bks_repair bksi_listing_repair(const bksi_listing *listing, uint32_t peer)
{
    const bksi_meet_message *own = listing->said[peer];
    const uint32_t others = others_of(listing);
    const uint32_t lowest = bksi_lowest_bit(others);
    const bks_tick since = bksi_listing_since(listing, peer);
    bks_repair repair = {.tick = listing->tick, .peer = peer, .from = peer};
    repair.since = least(since, seen_ourselves(listing, peer));
    if (listing->said[lowest]->state != own->state) {
        repair.from = (others >> own->from & 1) != 0 ? own->from : lowest;
        repair.bytes = own->bytes > 0 ? own->bytes : 1;
    }
    return repair;
}

// ---- all of them ----

/// Bits: of which repairs we take what the one lists for which it has ended before us.
static uint32_t taken_over(const bksi_listing *listing)
{
    uint32_t unheard = 0; // not of what they have taken
    EACH_PEER (i, listing->repaired) {
        unheard |= bksi_said_has_it(listing->said[i]) ? 0 : PEER_BIT(i);
    }
    return listing->before == BKS_PEERS_MAX ? 0
           : listing->have_left             ? ~0u
                                            : ~listing->members | unheard;
}

static uint32_t listed_before(const bksi_listing *listing)
{
    const bool has_ended = listing->before < BKS_PEERS_MAX;
    return has_ended ? listing->said[listing->before]->repaired & listing->all : 0;
}

bool bksi_listing_is_certain(const bksi_listing *listing)
{
    const uint32_t own = listing->repaired & listing->members & ~taken_over(listing);
    return listing->before == BKS_PEERS_MAX ||
           own == (listed_before(listing) & ~taken_over(listing));
}

/// As another lists it. It cannot be that the peer has healed with bytes of others, or has taken
/// those of none.
static bks_repair as_listed(const bksi_listing *listing, uint32_t peer)
{
    const bksi_meet_repair *listed = &listing->said[listing->before]->repairs[peer];
    const bks_tick floor = find_floor(listing, peer);
    const bks_tick since = listed->since > floor ? listed->since : floor;
    const uint32_t sources = listing->all & ~PEER_BIT(peer);
    const bool can_be = (sources >> listed->from & 1) != 0;
    const uint32_t most = others_of(listing) & sources;
    const uint32_t from = can_be ? listed->from : bksi_lowest_bit(most != 0 ? most : sources);
    return (bks_repair){.tick = listing->tick,
                        .since = least(since, seen_ourselves(listing, peer)),
                        .peer = peer,
                        .from = listed->bytes > 0 ? from : peer,
                        .bytes = listed->bytes};
}

uint32_t bksi_listing_all(const bksi_listing *listing, bks_repair *out)
{
    const uint32_t taken = taken_over(listing);
    const uint32_t own = listing->repaired & listing->members & ~taken;
    uint32_t count = 0;
    EACH_PEER (i, own | (listed_before(listing) & taken)) {
        out[count] = (own >> i & 1) != 0 ? bksi_listing_repair(listing, i) : as_listed(listing, i);
        if (bksi_mutated(BKSI_MUTANT_MEND_LATE) || bksi_mutated(BKSI_MUTANT_MEND_WIDE)) {
            out[count].since =
                bksi_mutated(BKSI_MUTANT_MEND_LATE) ? listing->tick : out[count].since - 5;
        }
        count++;
    }
    return count;
}

void bksi_listing_note(bksi_meet_message *own, const bks_repair *repairs, uint32_t count)
{
    own->repaired = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bks_repair *repair = &repairs[i];
        own->repaired |= PEER_BIT(repair->peer);
        own->repairs[repair->peer] = (bksi_meet_repair){
            .since = repair->since, .from = repair->from, .bytes = repair->bytes};
    }
}
