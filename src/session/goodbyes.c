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
    session_goodbyes *goodbyes = &session->goodbyes;
    goodbyes->said |= PEER_BIT(index);
    // A peer that has given up on us says "complete" too: only with all its inputs can we go on
    // alone.
    bool has_all = bksi_heads_of(session, index) >= session->seats.ticks;
    if (bye == BKSI_BYE_COMPLETE && session->seats.ticks > 0 && has_all) {
        news->has_ours = true;
        bksi_goodbyes_complete(goodbyes, complete & ~PEER_BIT(session->seats.self));
        return true;
    }
    if (bye == BKSI_BYE_HEARD) {
        return true;
    }
    goodbyes->owes_heard &= ~PEER_BIT(index);
    goodbyes->owes_heard |= bye == BKSI_BYE_LEAVES ? PEER_BIT(index) : 0;
    bool is_playing = session->phase == BKS_PHASE_GATHERING || session->phase == BKS_PHASE_RUNNING;
    if (is_playing && (goodbyes->quit & PEER_BIT(index)) == 0) {
        goodbyes->quit |= PEER_BIT(index);
        news->ends = session->phase == BKS_PHASE_GATHERING;
    }
    return true;
}

void bksi_goodbyes_write(bks_session *session, uint32_t index, bool is_whole,
                         bksi_byte_writer *writer)
{
    session_goodbyes *goodbyes = &session->goodbyes;
    if ((goodbyes->owes_heard & PEER_BIT(index)) != 0) {
        goodbyes->owes_heard &= ~PEER_BIT(index);
        bksi_bye_write(writer, BKSI_BYE_HEARD, 0);
        return;
    }
    goodbyes->owes_bye &= ~PEER_BIT(index);
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
    session->goodbyes.owes_bye = peers & ~PEER_BIT(session->seats.self);
}

void bksi_goodbyes_set(session_goodbyes *goodbyes, uint32_t index, bool is_owed)
{
    goodbyes->owes_bye &= ~PEER_BIT(index);
    goodbyes->owes_bye |= is_owed ? PEER_BIT(index) : 0;
}

void bksi_goodbyes_repeat(bks_session *session)
{
    session->goodbyes.owes_bye |= bksi_goodbyes_awaited(session);
}

void bksi_goodbyes_give_up(session_goodbyes *goodbyes, uint32_t peers)
{
    goodbyes->said |= peers;
}

void bksi_goodbyes_quit(session_goodbyes *goodbyes, uint32_t peers)
{
    goodbyes->quit |= peers;
}

void bksi_goodbyes_complete(session_goodbyes *goodbyes, uint32_t peers)
{
    goodbyes->complete |= peers;
}

static uint32_t moved(uint32_t mask, uint32_t to, uint32_t from)
{
    uint32_t bit = from == BKS_PEERS_MAX ? 0 : mask >> from & 1;
    return (mask & ~PEER_BIT(to)) | bit << to;
}

void bksi_goodbyes_move(session_goodbyes *goodbyes, uint32_t to, uint32_t from)
{
    goodbyes->said = moved(goodbyes->said, to, from);
    goodbyes->quit = moved(goodbyes->quit, to, from);
    goodbyes->owes_bye = moved(goodbyes->owes_bye, to, from);
    goodbyes->owes_heard = moved(goodbyes->owes_heard, to, from);
}

bool bksi_goodbyes_is_urgent(const bks_session *session)
{
    const session_goodbyes *goodbyes = &session->goodbyes;
    return goodbyes->owes_heard != 0 ||
           (goodbyes->owes_bye != 0 && session->phase == BKS_PHASE_FAILED);
}

bool bksi_goodbyes_are_unheard(const bks_session *session)
{
    const session_goodbyes *goodbyes = &session->goodbyes;
    bool is_enough = goodbyes->has_left && session->now_ns - goodbyes->left_ns >=
                                               session->config.tuning.drop_after_ms * NS_PER_MS;
    return !is_enough && bksi_goodbyes_awaited(session) != 0;
}
