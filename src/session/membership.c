// SPDX-License-Identifier: MIT

// The log of views, and what it answers.

#include "session/membership.h"

#include <string.h>

#include "base/hash.h"
#include "base/mutant.h"

// ---- what is so ----

uint32_t bksi_membership_in(const session_membership *membership, const session_seats *seats,
                            uint32_t view)
{
    uint32_t members = bksi_seats_everyone(seats);
    for (uint32_t v = 1; v <= view; v++) {
        members &= ~membership->views[v].leavers;
    }
    return members;
}

uint32_t bksi_membership_host(const session_membership *membership, const session_seats *seats)
{
    return bksi_peers_lowest(bksi_membership_now(membership, seats));
}

bks_tick bksi_membership_end(const session_membership *membership, uint32_t peer)
{
    for (uint32_t v = 1; v <= membership->view; v++) {
        if ((membership->views[v].leavers & PEER_BIT(peer)) != 0) {
            return membership->views[v].ends[peer];
        }
    }
    return BKS_TICK_NONE;
}

bool bksi_membership_is_behind(const session_membership *membership, uint32_t peer)
{
    return membership->peer_view[peer] < membership->view && !bksi_mutated(BKSI_MUTANT_COMMIT);
}

bksi_view_name bksi_membership_name(const session_membership *membership, uint32_t view)
{
    return (bksi_view_name){view, (uint32_t)membership->views[view].hash};
}

bool bksi_membership_is_ours(const session_membership *membership, const bksi_view_name *name)
{
    return name->view == membership->view &&
           name->hash == (uint32_t)membership->views[membership->view].hash;
}

bool bksi_membership_knows(const session_membership *membership, uint32_t view, uint32_t hash)
{
    return view > membership->view || (uint32_t)membership->views[view].hash == hash;
}

bool bksi_membership_agrees_on(const session_membership *membership, uint32_t view, bks_tick tick)
{
    if (view > membership->view) {
        return false;
    }
    for (uint32_t v = view + 1; v <= membership->view; v++) {
        for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
            if ((membership->views[v].leavers & PEER_BIT(i)) != 0 &&
                tick > membership->views[v].ends[i]) {
                return false;
            }
        }
    }
    return true;
}

// ---- what changes it ----

void bksi_membership_plan(next_view *next, uint32_t leavers, const bks_tick *ends)
{
    next->leavers = leavers;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        next->ends[i] = (leavers & PEER_BIT(i)) != 0 ? ends[i] : 0;
    }
}

static uint64_t hash_view(uint64_t before, const next_view *view)
{
    uint64_t hash = bksi_hash64_pair(before, view->leavers);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if ((view->leavers & PEER_BIT(i)) != 0) {
            hash = bksi_hash64_pair(hash, (uint64_t)view->ends[i]);
        }
    }
    return hash;
}

void bksi_membership_enter(session_membership *membership, const session_seats *seats,
                           const next_view *next)
{
    uint32_t host = bksi_membership_host(membership, seats);
    uint64_t hash_before = membership->views[membership->view].hash;
    membership->view++;
    session_view *view = &membership->views[membership->view];
    view->leavers = next->leavers;
    memcpy(view->ends, next->ends, sizeof(view->ends));
    view->hash = hash_view(hash_before, next);
    membership->departed |= next->leavers;
    membership->frozen = 0;
    if (bksi_membership_host(membership, seats) == seats->self && host != seats->self) {
        membership->handovers++;
    }
}

void bksi_membership_freeze(session_membership *membership, uint32_t peers)
{
    membership->frozen = peers;
}

void bksi_membership_seen(session_membership *membership, uint32_t peer, uint32_t view)
{
    uint32_t *known = &membership->peer_view[peer];
    *known = view > *known ? view : *known;
}
