// SPDX-License-Identifier: MIT

// All that list a repair list the same, and none lists what a single liar made up. Both come from
// the words that all state before all decide: those of several bound those of one. A gone one may
// have said its words to some alone; then the list goes along with the word that it has ended.

#include "session/agree/listing.h"

#include "base/bits.h"
#include "base/mutant.h"
#include "session/agree/said.h"
#include "session/common/seats.h"

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
