// SPDX-License-Identifier: MIT

#include "session/inspect.h"

#include "session/session_internal.h"

void bksi_inspect_equivocate(bks_session *session, const bksi_equivocation *equivocation)
{
    session->common.equivocation = equivocation;
}

void bksi_inspect_reserve(bks_session *session, uint32_t first_player, uint32_t number)
{
    bksi_seats_reserve(&session->common.seats, first_player, number);
}

bks_tick bksi_inspect_own_head(const bks_session *session)
{
    return bksi_common_own_head(&session->common);
}

bks_tick bksi_inspect_head(const bks_session *session, uint32_t peer)
{
    return bksi_common_head(&session->common, peer);
}

uint32_t bksi_inspect_own_player(const bks_session *session)
{
    return session->common.seats.peers[session->common.seats.self].first_player;
}

bool bksi_inspect_has(const bks_session *session, uint32_t peer)
{
    return bksi_common_has(&session->common, peer);
}

bks_tick bksi_inspect_end(const bks_session *session, uint32_t peer)
{
    return bksi_membership_end(&session->common.membership, peer);
}

uint32_t bksi_inspect_host(const bks_session *session)
{
    return bksi_membership_host(&session->common.membership);
}

uint32_t bksi_inspect_view(const bks_session *session)
{
    return session->common.membership.view;
}

bksi_view_name bksi_inspect_view_name(const bks_session *session)
{
    return bksi_membership_name(&session->common.membership, session->common.membership.view);
}

bool bksi_inspect_same_view(const bks_session *a, const bks_session *b)
{
    const session_membership *one = &a->common.membership;
    const session_membership *other = &b->common.membership;
    return one->view == other->view && bksi_membership_find(one, one->view)->hash ==
                                           bksi_membership_find(other, other->view)->hash;
}

bool bksi_inspect_is_voting(const bks_session *session)
{
    return bksi_ballots_stand(&session->views.ballots);
}

uint32_t bksi_inspect_delay(const bks_session *session)
{
    return session->tempo.pace.delay.now;
}

bksi_speed_decision bksi_inspect_speed(const bks_session *session)
{
    return session->common.game_speed.decision;
}

uint64_t bksi_inspect_packets(const bks_session *session, uint32_t from)
{
    return session->common.links.peers[from].packets_received;
}

uint64_t bksi_inspect_inputs_hash(const bks_session *session, bks_tick tick)
{
    const bksi_tick_hash *own = bksi_rollback_hash(&session->common.engine, tick);
    return own != NULL ? own->inputs : 0;
}

/// Return true if a peer sent a hash that differs from our hash of the same tick.
static bool heard_another(const bks_session *session, uint32_t from)
{
    for (uint32_t i = 0; i < REMOTE_HASHES_KEPT; i++) {
        const bksi_input_hash *heard = &session->checking.peers[from].hashes[i];
        const bksi_tick_hash *own = bksi_rollback_hash(&session->common.engine, heard->tick);
        if (heard->kind != BKSI_HASH_NONE && own != NULL &&
            heard->tick >= session->checking.begin && !bksi_checking_is_same(own, heard)) {
            return true;
        }
    }
    return false;
}

bksi_inspected_difference bksi_inspect_difference(const bks_session *session, uint32_t from)
{
    const session_checking_peer *peer = &session->checking.peers[from];
    return (bksi_inspected_difference){
        .is_heard = heard_another(session, from),
        .is_seen = peer->differs,
        .is_reported = peer->is_reported,
        .since_ns = peer->differs ? session->common.now_ns - peer->differs_ns : 0};
}

bksi_inspected_meeting bksi_inspect_meeting(const bks_session *session)
{
    const session_meeting *meeting = &session->meeting;
    return (bksi_inspected_meeting){.is_on = meeting->is_on,
                                    .tick = meeting->own.tick,
                                    .since_ns = session->common.now_ns - meeting->ended_ns};
}

const bksi_layout *bksi_inspect_layout(const bks_session *session)
{
    return &session->common.layout;
}
