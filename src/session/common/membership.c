// SPDX-License-Identifier: MIT

// Log of views. A view begins only when all its members have agreed to it, and a peer agrees to a
// view only while it is in the previous one. So each member is in the newest view or in the view
// before it, and a ring of the newest views is enough.

#include "session/common/membership.h"

#include <string.h>

#include "base/hash.h"
#include "base/mutant.h"
#include "base/report.h"

static session_view *newest(session_membership *membership)
{
    return &membership->views[membership->view % BKSI_GONE_VIEWS_MAX];
}

// ---- questions about views ----

uint32_t bksi_membership_oldest(const session_membership *membership)
{
    const uint32_t all = membership->view - membership->first + 1;
    const uint32_t kept = all < BKSI_GONE_VIEWS_MAX ? all : BKSI_GONE_VIEWS_MAX;
    return membership->view - kept + 1;
}

const session_view *bksi_membership_find(const session_membership *membership, uint32_t view)
{
    const bool is_kept = view >= bksi_membership_oldest(membership) && view <= membership->view;
    return is_kept ? &membership->views[view % BKSI_GONE_VIEWS_MAX] : NULL;
}

uint32_t bksi_membership_host(const session_membership *membership)
{
    return bksi_peers_lowest(bksi_membership_now(membership));
}

uint32_t bksi_membership_speaker(const session_membership *membership)
{
    return bksi_peers_lowest(bksi_membership_now(membership) & ~membership->frozen);
}

bks_tick bksi_membership_end(const session_membership *membership, uint32_t peer)
{
    const bool is_in = (bksi_membership_now(membership) & PEER_BIT(peer)) != 0;
    return is_in ? BKS_TICK_NONE : membership->ends[peer];
}

bool bksi_membership_is_behind(const session_membership *membership, uint32_t peer)
{
    return membership->peer_view[peer] < membership->view && !bksi_mutated(BKSI_MUTANT_COMMIT);
}

bksi_view_name bksi_membership_name(const session_membership *membership, uint32_t view)
{
    const session_view *named = bksi_membership_find(membership, view);
    BKS_ASSERT(named != NULL);
    return (bksi_view_name){view, (uint32_t)named->hash};
}

bool bksi_membership_is_ours(const session_membership *membership, const bksi_view_name *name)
{
    return name->view == membership->view &&
           bksi_membership_knows(membership, name->view, name->hash);
}

bool bksi_membership_knows(const session_membership *membership, uint32_t view, uint32_t hash)
{
    const session_view *known = bksi_membership_find(membership, view);
    return known == NULL || (uint32_t)known->hash == hash;
}

bool bksi_membership_agrees_on(const session_membership *membership, uint32_t view, bks_tick tick)
{
    if (bksi_membership_find(membership, view) == NULL) {
        return false;
    }
    for (uint32_t v = view + 1; v <= membership->view; v++) {
        const session_view *later = bksi_membership_find(membership, v);
        EACH_PEER (i, later->leavers) {
            if (tick > later->ends[i]) {
                return false;
            }
        }
    }
    return true;
}

uint32_t bksi_membership_parting(const session_membership *membership, const bksi_gone *message,
                                 uint32_t self)
{
    const uint32_t oldest = bksi_membership_oldest(membership);
    const uint32_t their_oldest = message->view - message->count + 1;
    uint32_t v = their_oldest > oldest ? their_oldest : oldest;
    while (v <= membership->view && v <= message->view &&
           bksi_membership_knows(membership, v, message->hashes[v % BKSI_GONE_VIEWS_MAX])) {
        v++;
    }
    while (v > membership->view && v <= message->view &&
           (bksi_gone_members(message, v) & PEER_BIT(self)) != 0) {
        v++; // skip views that include us: we have not heard of these views yet
    }
    return v;
}

bool bksi_membership_has_entered(const session_membership *membership, const bksi_commit *commit)
{
    const session_view *base = bksi_membership_find(membership, commit->base.view);
    const session_view *next = bksi_membership_find(membership, commit->base.view + 1);
    bool is_same = base != NULL && next != NULL && (uint32_t)base->hash == commit->base.hash &&
                   next->members == commit->members && next->leavers == commit->leavers;
    EACH_PEER (i, commit->leavers) {
        is_same = is_same && next->ends[i] == commit->ends[i];
    }
    return is_same;
}

bool bksi_membership_is_minority(const session_membership *membership)
{
    const uint32_t ours = bksi_membership_now(membership);
    const uint32_t all = membership->proven & ~membership->excused;
    const uint32_t twice = 2 * bksi_peers_count(ours);
    const bool has_lowest = (ours & all) != 0 && bksi_peers_lowest(all) == bksi_peers_lowest(ours);
    const bool is_less =
        twice < bksi_peers_count(all) || (twice == bksi_peers_count(all) && !has_lowest);
    return is_less && !bksi_mutated(BKSI_MUTANT_HALVES);
}

// ---- changes of the members ----

void bksi_membership_begin(session_membership *membership, uint32_t view, uint64_t hash,
                           uint32_t members)
{
    membership->first = membership->view = view;
    membership->proven = members;
    membership->excused = 0;
    *newest(membership) = (session_view){.members = members, .hash = hash};
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        membership->peer_view[i] = view;
        membership->ends[i] = BKS_TICK_NONE;
    }
}

void bksi_membership_plan(next_view *next, uint32_t leavers, const bks_tick *ends)
{
    next->leavers = leavers;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        next->ends[i] = (leavers & PEER_BIT(i)) != 0 ? ends[i] : 0;
    }
}

/// Return true if each member is known to have entered the newest view.
static bool have_all_entered(const session_membership *membership, uint32_t self)
{
    EACH_PEER (i, bksi_membership_now(membership) & ~PEER_BIT(self)) {
        if (membership->peer_view[i] < membership->view) {
            return false;
        }
    }
    return true;
}

static uint64_t hash_view(uint64_t before, const session_view *view)
{
    uint64_t hash = bksi_hash64_pair(before, view->members);
    EACH_PEER (i, view->leavers) {
        hash = bksi_hash64_pair(hash, (uint64_t)view->ends[i]);
    }
    return hash;
}

void bksi_membership_enter(session_membership *membership, uint32_t self, const next_view *next)
{
    const uint32_t host = bksi_membership_host(membership);
    const session_view before = *newest(membership);
    if (have_all_entered(membership, self) && !bksi_membership_is_minority(membership)) {
        membership->proven = before.members;
    }
    membership->view++;
    session_view *view = newest(membership);
    *view = (session_view){.members = before.members & ~next->leavers, .leavers = next->leavers};
    memcpy(view->ends, next->ends, sizeof(view->ends));
    view->hash = hash_view(before.hash, view);
    EACH_PEER (i, next->leavers) {
        membership->ends[i] = next->ends[i];
    }
    membership->frozen = 0;
    if (bksi_membership_host(membership) == self && host != self) {
        membership->handovers++;
    }
}

void bksi_membership_freeze(session_membership *membership, uint32_t peers)
{
    membership->frozen = peers;
}

void bksi_membership_excuse(session_membership *membership, uint32_t peers)
{
    membership->excused |= peers;
}

void bksi_membership_seen(session_membership *membership, uint32_t peer, uint32_t view)
{
    uint32_t *known = &membership->peer_view[peer];
    *known = view > *known ? view : *known;
}
