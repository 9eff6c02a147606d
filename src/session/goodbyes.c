// SPDX-License-Identifier: MIT

#include "session/goodbyes.h"

#include "session/session_internal.h"

bool bksi_goodbyes_receive(bks_session *session, uint32_t index, bksi_byte_reader *reader,
                           session_bye_news *news)
{
    bksi_bye bye;
    uint32_t complete = 0;
    *news = (session_bye_news){0};
    if (!bksi_bye_read(reader, &bye, &complete)) {
        return false;
    }
    // Only a leaving peer gets an answer.
    if (bye == BKSI_BYE_HEARD && session->phase == BKS_PHASE_RUNNING) {
        return false;
    }
    session_goodbyes_peer *peer = &session->goodbyes.peers[index];
    peer->said_bye = true;
    // A peer that has given up on us says "complete" too: only with all its inputs can we go on
    // alone.
    bool has_all = bksi_heads_of(session, index) >= session->seats.ticks;
    if (bye == BKSI_BYE_COMPLETE && session->seats.ticks > 0 && has_all) {
        news->has_ours = true;
        bksi_goodbyes_complete(&session->goodbyes, complete & ~PEER_BIT(session->seats.self));
        return true;
    }
    if (bye == BKSI_BYE_HEARD) {
        return true;
    }
    peer->owes_heard = bye == BKSI_BYE_LEAVES;
    bool is_playing = session->phase == BKS_PHASE_GATHERING || session->phase == BKS_PHASE_RUNNING;
    if (is_playing && !peer->has_quit) {
        peer->has_quit = true;
        news->ends = session->phase == BKS_PHASE_GATHERING;
    }
    return true;
}

void bksi_goodbyes_write(bks_session *session, uint32_t index, bool is_whole,
                         bksi_byte_writer *writer)
{
    session_goodbyes *goodbyes = &session->goodbyes;
    session_goodbyes_peer *peer = &goodbyes->peers[index];
    if (peer->owes_heard) {
        peer->owes_heard = false;
        bksi_bye_write(writer, BKSI_BYE_HEARD, 0);
        return;
    }
    peer->owes_bye = false;
    bool is_complete = is_whole && !goodbyes->has_left && bksi_membership_has(session, index);
    bksi_bye_write(writer, is_complete ? BKSI_BYE_COMPLETE : BKSI_BYE_LEAVES, goodbyes->complete);
}

void bksi_goodbyes_leave(bks_session *session, bool is_repeated)
{
    session->goodbyes.has_left = is_repeated;
    session->goodbyes.left_ns = session->now_ns;
    bksi_goodbyes_owe(session, bksi_membership_now(session));
}

void bksi_goodbyes_owe(bks_session *session, uint32_t peers)
{
    for (uint32_t i = 0; i < session->seats.peer_count; i++) {
        session->goodbyes.peers[i].owes_bye =
            i != session->seats.self && (peers & PEER_BIT(i)) != 0;
    }
}

void bksi_goodbyes_set(session_goodbyes *goodbyes, uint32_t index, bool is_owed)
{
    goodbyes->peers[index].owes_bye = is_owed;
}

void bksi_goodbyes_repeat(bks_session *session)
{
    for (uint32_t i = 0; i < session->seats.peer_count; i++) {
        session->goodbyes.peers[i].owes_bye |= bksi_goodbyes_is_awaited(session, i);
    }
}

void bksi_goodbyes_give_up(session_goodbyes *goodbyes, uint32_t peers)
{
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        goodbyes->peers[i].said_bye |= (peers & PEER_BIT(i)) != 0;
    }
}

void bksi_goodbyes_quit(session_goodbyes *goodbyes, uint32_t peers)
{
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        goodbyes->peers[i].has_quit |= (peers & PEER_BIT(i)) != 0;
    }
}

void bksi_goodbyes_complete(session_goodbyes *goodbyes, uint32_t peers)
{
    goodbyes->complete |= peers;
}

void bksi_goodbyes_move(session_goodbyes *goodbyes, uint32_t to, uint32_t from)
{
    goodbyes->peers[to] =
        from == BKS_PEERS_MAX ? (session_goodbyes_peer){0} : goodbyes->peers[from];
}

bool bksi_goodbyes_is_awaited(const bks_session *session, uint32_t index)
{
    return index != session->seats.self && bksi_membership_has(session, index) &&
           !session->goodbyes.peers[index].said_bye;
}

bool bksi_goodbyes_is_urgent(const bks_session *session)
{
    for (uint32_t i = 0; i < session->seats.peer_count; i++) {
        const session_goodbyes_peer *peer = &session->goodbyes.peers[i];
        if (peer->owes_heard || (peer->owes_bye && session->phase == BKS_PHASE_FAILED)) {
            return true;
        }
    }
    return false;
}

bool bksi_goodbyes_are_unheard(const bks_session *session)
{
    const session_goodbyes *goodbyes = &session->goodbyes;
    bool is_enough = goodbyes->has_left && session->now_ns - goodbyes->left_ns >=
                                               session->config.tuning.drop_after_ms * NS_PER_MS;
    for (uint32_t i = 0; i < session->seats.peer_count && !is_enough; i++) {
        if (bksi_goodbyes_is_awaited(session, i)) {
            return true;
        }
    }
    return false;
}
