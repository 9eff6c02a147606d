// SPDX-License-Identifier: MIT

// The log of views, and what it answers.

#include "session/membership.h"

#include <string.h>

#include "base/hash.h"
#include "session/session_internal.h"

uint32_t bksi_peers_lowest(uint32_t peers)
{
    uint32_t lowest = 0;
    while (lowest < BKS_PEERS_MAX && (peers & PEER_BIT(lowest)) == 0) {
        lowest++;
    }
    return lowest;
}

uint32_t bksi_peers_count(uint32_t peers)
{
    uint32_t count = 0;
    for (; peers != 0; peers &= peers - 1) {
        count++;
    }
    return count;
}

// ---- what is so ----

uint32_t bksi_membership_in(const bks_session *session, uint32_t view)
{
    uint32_t members = bksi_membership_everyone(session);
    for (uint32_t v = 1; v <= view; v++) {
        members &= ~session->membership.views[v].leavers;
    }
    return members;
}

uint32_t bksi_membership_host(const bks_session *session)
{
    return bksi_peers_lowest(bksi_membership_now(session));
}

bks_tick bksi_membership_end(const bks_session *session, uint32_t peer)
{
    const session_membership *membership = &session->membership;
    for (uint32_t v = 1; v <= membership->view; v++) {
        if ((membership->views[v].leavers & PEER_BIT(peer)) != 0) {
            return membership->views[v].ends[peer];
        }
    }
    return BKS_TICK_NONE;
}

bool bksi_membership_is_behind(const bks_session *session, uint32_t peer)
{
    return session->membership.peer_view[peer] < session->membership.view &&
           !bksi_mutated(BKSI_MUTANT_COMMIT);
}

bksi_view_name bksi_membership_name(const bks_session *session, uint32_t view)
{
    return (bksi_view_name){view, (uint32_t)session->membership.views[view].hash};
}

bool bksi_membership_is_ours(const bks_session *session, const bksi_view_name *name)
{
    const session_membership *membership = &session->membership;
    return name->view == membership->view &&
           name->hash == (uint32_t)membership->views[membership->view].hash;
}

bool bksi_membership_knows(const bks_session *session, uint32_t view, uint32_t hash)
{
    const session_membership *membership = &session->membership;
    return view > membership->view || (uint32_t)membership->views[view].hash == hash;
}

bool bksi_membership_agrees_on(const bks_session *session, uint32_t view, bks_tick tick)
{
    const session_membership *membership = &session->membership;
    if (view > membership->view) {
        return false;
    }
    for (uint32_t v = view + 1; v <= membership->view; v++) {
        for (uint32_t i = 0; i < session->seats.peer_count; i++) {
            if ((membership->views[v].leavers & PEER_BIT(i)) != 0 &&
                tick > membership->views[v].ends[i]) {
                return false;
            }
        }
    }
    return true;
}

// ---- what changes it ----

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

void bksi_membership_enter(bks_session *session, const next_view *next)
{
    session_membership *membership = &session->membership;
    uint32_t host = bksi_membership_host(session);
    uint64_t hash_before = membership->views[membership->view].hash;
    membership->view++;
    session_view *view = &membership->views[membership->view];
    view->leavers = next->leavers;
    memcpy(view->ends, next->ends, sizeof(view->ends));
    view->hash = hash_view(hash_before, next);
    membership->departed |= next->leavers;
    membership->frozen = 0;
    if (bksi_membership_host(session) == session->seats.self && host != session->seats.self) {
        membership->handovers++;
    }
}

void bksi_membership_freeze(bks_session *session, uint32_t peers)
{
    session->membership.frozen |= peers;
}

void bksi_membership_seen(bks_session *session, uint32_t peer, uint32_t view)
{
    uint32_t *known = &session->membership.peer_view[peer];
    *known = view > *known ? view : *known;
}
