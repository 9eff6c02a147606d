// SPDX-License-Identifier: MIT

// Who is to go. The lowest peer that lives, the host, proposes it; each member answers only rising
// ballots, from then on takes no input of the leavers, and tells how far it has them. With all
// answers in, and all inputs that somebody has, each leaver ends at the highest head reported. Who
// falls silent meanwhile joins the leavers, and the ballot starts again.

#include "session/session_internal.h"

#include <stdio.h>

#include "base/report.h"

// ---- who is to go ----

/// Bits of the others who have gone, or will never answer.
static uint32_t quitters(const bks_session *session)
{
    return (session->common.goodbyes.quit | session->ballots.mute) &
           ~PEER_BIT(session->common.seats.self);
}

/// Bits of the others who have every tick and may be gone for good.
static uint32_t complete_ones(const bks_session *session)
{
    return session->common.goodbyes.said & ~session->common.goodbyes.quit &
           ~PEER_BIT(session->common.seats.self);
}

static uint32_t find_silent(bks_session *session)
{
    return bksi_liveness_find_lost(&session->inputs.liveness, &session->common,
                                   bksi_common_awaited(&session->common),
                                   session->common.goodbyes.quit);
}

static uint32_t find_suspects(bks_session *session)
{
    uint32_t suspects =
        find_silent(session) | quitters(session) | session->common.membership.frozen;
    return suspects & bksi_common_members(&session->common) & ~PEER_BIT(session->common.seats.self);
}

uint32_t bksi_ballots_voters(const bks_session *session)
{
    return bksi_common_members(&session->common) & ~session->ballots.leavers &
           ~PEER_BIT(session->common.seats.self) & ~complete_ones(session);
}

// ---- the ballot ----

static void owe_proposals(bks_session *session)
{
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        if ((bksi_ballots_voters(session) & PEER_BIT(i)) == 0) {
            continue;
        }
        bksi_view_queue_set(&session->view_queue, i, VIEW_PROPOSE, true);
        bksi_view_queue_repeat_at(&session->view_queue, i, session->common.now_ns + VIEW_REPEAT_NS);
    }
}

static void begin_ballot(bks_session *session, uint32_t leavers)
{
    session->ballots.promised =
        (session_ballot){session->ballots.promised.number + 1, session->common.seats.self};
    session->ballots.is_proposing = true;
    session->ballots.proposed_ns = bksi_liveness_awake_ns(&session->inputs.liveness);
    session->ballots.leavers = leavers;
    bksi_membership_freeze(&session->common.membership, leavers);
    session->ballots.answered = 0;
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        session->ballots.best[i] = bksi_heads_of(&session->common, i);
    }
    owe_proposals(session);
}

/// With all answers in, and all inputs up to the highest heads, the next view is there.
static bool try_decide(bks_session *session, next_view *next)
{
    if (!session->ballots.is_proposing ||
        (bksi_ballots_voters(session) & ~session->ballots.answered) != 0) {
        return false;
    }
    *next = (next_view){.leavers = session->ballots.leavers};
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        if ((next->leavers & PEER_BIT(i)) == 0) {
            continue;
        }
        if (bksi_heads_of(&session->common, i) < session->ballots.best[i]) {
            return false;
        }
        next->ends[i] = session->ballots.best[i];
    }
    return true;
}

/// Who leaves a ballot unanswered for longer than one may be silent, and any round trip, goes too.
static void mute_unanswering(bks_session *session)
{
    uint64_t patience_ns = session->common.config.tuning.drop_after_ms * NS_PER_MS + NS_PER_SECOND;
    if (bksi_liveness_awake_ns(&session->inputs.liveness) - session->ballots.proposed_ns <
        patience_ns) {
        return;
    }
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        if ((bksi_ballots_voters(session) & ~session->ballots.answered & PEER_BIT(i)) != 0) {
            session->ballots.mute |= PEER_BIT(i);
        }
    }
}

bool bksi_ballots_update(bks_session *session, next_view *next)
{
    bksi_membership_freeze(&session->common.membership,
                           quitters(session) & bksi_common_members(&session->common));
    uint32_t suspects = find_suspects(session);
    if (suspects == 0) {
        return false;
    }
    uint32_t able = bksi_common_members(&session->common) & ~suspects & ~complete_ones(session);
    uint32_t host = bksi_mutated(BKSI_MUTANT_HANDOVER)
                        ? bksi_membership_host(&session->common.membership, &session->common.seats)
                        : bksi_peers_lowest(able);
    if (host != session->common.seats.self) {
        bool is_news = (session->common.membership.frozen & ~session->ballots.leavers) != 0;
        if (is_news &&
            session->common.now_ns >= bksi_view_queue_repeat_ns(&session->view_queue, host)) {
            bksi_view_queue_set(&session->view_queue, host, VIEW_ANSWER, true);
        }
        return false;
    }
    if (!session->ballots.is_proposing || (suspects & ~session->ballots.leavers) != 0) {
        begin_ballot(session, suspects);
    }
    mute_unanswering(session);
    return try_decide(session, next);
}

void bksi_ballots_reset(session_ballots *ballots, uint32_t leavers)
{
    uint32_t mute = ballots->mute & leavers;
    *ballots = (session_ballots){.mute = mute};
}

// ---- messages ----

static bool is_higher(uint32_t number, uint32_t peer, const session_ballot *ballot)
{
    return number > ballot->number || (number == ballot->number && peer > ballot->peer);
}

bool bksi_ballots_receive_propose(bks_session *session, uint32_t from, bksi_bit_reader *reader)
{
    bksi_propose message;
    if (!bksi_propose_read(reader, &message)) {
        return false;
    }
    session_view_queue *queue = &session->view_queue;
    if (bksi_membership_is_frozen(&session->common.membership, from)) {
        bksi_view_queue_set(queue, from, VIEW_ANSWER, true); // it says that we go without it
        return true;
    }
    if ((message.leavers & PEER_BIT(session->common.seats.self)) != 0) {
        return true; // one of the two will be told that it is out
    }
    if (!bksi_membership_is_ours(&session->common.membership, &message.base)) {
        if (message.base.view < session->common.membership.view &&
            bksi_membership_is_behind(&session->common.membership, from)) {
            bksi_view_queue_set(queue, from, VIEW_COMMIT, true);
        }
        return true;
    }
    if ((message.leavers & ~bksi_common_members(&session->common)) != 0 ||
        (message.leavers & PEER_BIT(from)) != 0) {
        return false;
    }
    if (is_higher(message.number, from, &session->ballots.promised)) {
        session->ballots.promised = (session_ballot){message.number, from};
        session->ballots.leavers = message.leavers;
        bksi_membership_freeze(&session->common.membership, message.leavers);
        session->ballots.is_proposing = false;
    }
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        if ((message.leavers & PEER_BIT(i)) != 0) {
            bksi_forwarding_note_need(&session->inputs.forwarding, from, i, message.heads[i]);
        }
    }
    bksi_view_queue_set(queue, from, VIEW_ANSWER, true);
    return true;
}

bool bksi_ballots_receive_answer(bks_session *session, uint32_t from, bksi_bit_reader *reader,
                                 bool *is_decided, next_view *next)
{
    bksi_answer message;
    if (!bksi_answer_read(reader, &message) ||
        message.ballot_peer >= session->common.seats.peer_count ||
        !bksi_heads_can_be(&session->common, message.leavers, message.heads)) {
        return false;
    }
    if (!bksi_membership_is_ours(&session->common.membership, &message.base) ||
        bksi_membership_is_frozen(&session->common.membership, from)) {
        return true;
    }
    if ((message.frozen & PEER_BIT(session->common.seats.self)) != 0) {
        session->ballots.mute |= PEER_BIT(from); // it will never answer, nor take our inputs again
        return true;
    }
    bksi_membership_freeze(&session->common.membership,
                           message.frozen & bksi_common_members(&session->common) &
                               ~PEER_BIT(session->common.seats.self) & ~PEER_BIT(from));
    if (!session->ballots.is_proposing || (bksi_ballots_voters(session) & PEER_BIT(from)) == 0) {
        return true;
    }
    if (is_higher(message.number, message.ballot_peer, &session->ballots.promised)) {
        session->ballots.promised.number = message.number;
        begin_ballot(session, session->ballots.leavers);
        return true;
    }
    if (message.ballot_peer != session->common.seats.self ||
        message.number != session->ballots.promised.number ||
        message.leavers != session->ballots.leavers ||
        (session->common.membership.frozen & ~session->ballots.leavers) != 0) {
        return true;
    }
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        if ((message.leavers & PEER_BIT(i)) == 0) {
            continue;
        }
        bksi_forwarding_note_need(&session->inputs.forwarding, from, i, message.heads[i]);
        if (message.heads[i] > session->ballots.best[i]) {
            session->ballots.best[i] = message.heads[i];
        }
    }
    session->ballots.answered |= PEER_BIT(from);
    if (!bksi_inputs_read_of(&session->inputs, &session->common, reader, message.leavers,
                             message.heads)) {
        return false;
    }
    *is_decided = try_decide(session, next);
    if (!*is_decided && session->ballots.is_proposing &&
        (bksi_ballots_voters(session) & ~session->ballots.answered) == 0) {
        owe_proposals(session); // inputs are still missing
    }
    return true;
}

static void gather_heads(const bks_session *session, bks_tick *heads)
{
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        heads[i] = bksi_heads_of(&session->common, i);
    }
}

void bksi_ballots_write_propose(const bks_session *session, bksi_bit_writer *writer)
{
    bksi_propose message = {
        .base = bksi_membership_name(&session->common.membership, session->common.membership.view),
        .number = session->ballots.promised.number,
        .leavers = session->ballots.leavers};
    gather_heads(session, message.heads);
    bksi_propose_write(writer, &message);
}

void bksi_ballots_write_answer(bks_session *session, uint32_t to, bksi_bit_writer *writer)
{
    bool is_its_own = session->ballots.promised.peer == to;
    bksi_answer message = {
        .base = bksi_membership_name(&session->common.membership, session->common.membership.view),
        .number = session->ballots.promised.number,
        .ballot_peer = session->ballots.promised.peer,
        .frozen = session->common.membership.frozen,
        .leavers = is_its_own ? session->ballots.leavers : 0};
    gather_heads(session, message.heads);
    bksi_answer_write(writer, &message);
    bksi_forwarding_write_runs(&session->inputs.forwarding, &session->common, writer, to,
                               message.leavers, message.heads);
}
