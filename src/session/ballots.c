// SPDX-License-Identifier: MIT

// Who is to go. The lowest peer that lives, the host, proposes it; each member answers only rising
// ballots, from then on takes no input of the leavers, and tells how far it has them. With all
// answers in, and all inputs that somebody has, each leaver ends at the highest head reported. Who
// falls silent meanwhile joins the leavers, and the ballot starts again.

#include "session/session_internal.h"

#include <stdio.h>

#include "base/report.h"

// ---- who is to go ----

static uint32_t mask_of(const bks_session *session, bool (*test)(const session_peer *peer))
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if (i != session->self && test(&session->peers[i])) {
            mask |= PEER_BIT(i);
        }
    }
    return mask;
}

static bool has_quit(const session_peer *peer)
{
    return peer->has_quit || peer->is_mute;
}

/// It has every tick and may be gone for good.
static bool is_complete(const session_peer *peer)
{
    return peer->said_bye && !peer->has_quit;
}

static uint32_t find_silent(bks_session *session)
{
    uint32_t silent = 0;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        session_peer *peer = &session->peers[i];
        uint64_t silence_ns = session->awake_ns - peer->word_ns;
        if (bksi_mutated(BKSI_MUTANT_EAGER)) {
            silence_ns *= 4;
        }
        if (i == session->self || !bksi_views_has(session, i) || peer->said_bye ||
            silence_ns < session->config.tuning.drop_after_ms * NS_PER_MS) {
            continue;
        }
        silent |= PEER_BIT(i);
        if (peer->is_lost || peer->has_quit) {
            continue;
        }
        peer->is_lost = true;
        bks_event *event = bksi_session_tell(session, BKS_EVENT_LOST, i, session->engine.front);
        (void)snprintf(event->text, sizeof(event->text), "peer %u fell silent at tick %d", i,
                       (int)bksi_heads_of(session, i));
        bksi_log(BKS_LOG_WARNING, "session.lost", "%s", event->text);
    }
    return silent;
}

static uint32_t find_suspects(bks_session *session)
{
    uint32_t suspects = find_silent(session) | mask_of(session, has_quit) | session->frozen;
    return suspects & bksi_views_members(session) & ~PEER_BIT(session->self);
}

/// Whose answers our ballot needs.
uint32_t bksi_ballots_voters(const bks_session *session)
{
    return bksi_views_members(session) & ~session->leavers & ~PEER_BIT(session->self) &
           ~mask_of(session, is_complete);
}

// ---- the ballot ----

static void owe_proposals(bks_session *session)
{
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if ((bksi_ballots_voters(session) & PEER_BIT(i)) == 0) {
            continue;
        }
        session->peers[i].owes_propose = true;
        session->peers[i].view_next_ns = session->now_ns + VIEW_REPEAT_NS;
    }
}

static void begin_ballot(bks_session *session, uint32_t leavers)
{
    session->promised = (session_ballot){session->promised.number + 1, session->self};
    session->is_proposing = true;
    session->proposed_ns = session->awake_ns;
    session->leavers = leavers;
    session->frozen |= leavers;
    session->answered = 0;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        session->best[i] = bksi_heads_of(session, i);
    }
    owe_proposals(session);
}

/// With all answers in, and all inputs up to the highest heads, the next view is there.
static void try_decide(bks_session *session)
{
    if (!session->is_proposing || (bksi_ballots_voters(session) & ~session->answered) != 0) {
        return;
    }
    session_view next = {.leavers = session->leavers};
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if ((next.leavers & PEER_BIT(i)) == 0) {
            continue;
        }
        if (bksi_heads_of(session, i) < session->best[i]) {
            return;
        }
        next.ends[i] = session->best[i];
    }
    bksi_views_adopt(session, &next);
}

/// Who leaves a ballot unanswered for longer than one may be silent, and any round trip, goes too.
static void mute_unanswering(bks_session *session)
{
    uint64_t patience_ns = session->config.tuning.drop_after_ms * NS_PER_MS + NS_PER_SECOND;
    if (session->awake_ns - session->proposed_ns < patience_ns) {
        return;
    }
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if ((bksi_ballots_voters(session) & ~session->answered & PEER_BIT(i)) != 0) {
            session->peers[i].is_mute = true;
        }
    }
}

/// Begin or go on with a ballot if we are the host, or tell the host whose inputs we no longer
/// take.
void bksi_ballots_update(bks_session *session)
{
    session->frozen |= mask_of(session, has_quit) & bksi_views_members(session);
    uint32_t suspects = find_suspects(session);
    if (suspects == 0) {
        return;
    }
    uint32_t able = bksi_views_members(session) & ~suspects & ~mask_of(session, is_complete);
    uint32_t host =
        bksi_mutated(BKSI_MUTANT_HANDOVER) ? bksi_views_host(session) : bksi_views_lowest(able);
    if (host != session->self) {
        session_peer *peer = &session->peers[host];
        bool is_news = (session->frozen & ~session->leavers) != 0;
        peer->owes_answer |= is_news && session->now_ns >= peer->view_next_ns;
        return;
    }
    if (!session->is_proposing || (suspects & ~session->leavers) != 0) {
        begin_ballot(session, suspects);
    }
    mute_unanswering(session);
    try_decide(session);
}

// ---- messages ----

static bool is_higher(uint32_t number, uint32_t peer, const session_ballot *ballot)
{
    return number > ballot->number || (number == ballot->number && peer > ballot->peer);
}

static void note_need(bks_session *session, uint32_t index, uint32_t about, bks_tick head)
{
    peer_wish *wish = &session->peers[index].wishes[about];
    wish->need = head > wish->need ? head : wish->need;
}

bool bksi_ballots_receive_propose(bks_session *session, uint32_t from, bksi_bit_reader *reader)
{
    bksi_propose message;
    if (!bksi_propose_read(reader, &message)) {
        return false;
    }
    session_peer *peer = &session->peers[from];
    if ((session->frozen & PEER_BIT(from)) != 0) {
        peer->owes_answer = true; // which tells it that we go without it
        return true;
    }
    if ((message.leavers & PEER_BIT(session->self)) != 0) {
        return true; // one of the two will be told that it is out
    }
    if (!bksi_views_is_ours(session, &message.base)) {
        peer->owes_commit |=
            message.base.view < session->view && bksi_views_is_behind(session, from);
        return true;
    }
    if ((message.leavers & ~bksi_views_members(session)) != 0 ||
        (message.leavers & PEER_BIT(from)) != 0) {
        return false;
    }
    if (is_higher(message.number, from, &session->promised)) {
        session->promised = (session_ballot){message.number, from};
        session->leavers = message.leavers;
        session->frozen |= message.leavers;
        session->is_proposing = false;
    }
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if ((message.leavers & PEER_BIT(i)) != 0) {
            note_need(session, from, i, message.heads[i]);
        }
    }
    peer->owes_answer = true;
    return true;
}

bool bksi_ballots_receive_answer(bks_session *session, uint32_t from, bksi_bit_reader *reader)
{
    bksi_answer message;
    if (!bksi_answer_read(reader, &message) || message.ballot_peer >= session->peer_count ||
        !bksi_views_are_sane(session, message.leavers, message.heads)) {
        return false;
    }
    if (!bksi_views_is_ours(session, &message.base) || (session->frozen & PEER_BIT(from)) != 0) {
        return true;
    }
    if ((message.frozen & PEER_BIT(session->self)) != 0) {
        session->peers[from].is_mute = true; // it will never answer, nor take our inputs again
        return true;
    }
    session->frozen |=
        message.frozen & bksi_views_members(session) & ~PEER_BIT(session->self) & ~PEER_BIT(from);
    if (!session->is_proposing || (bksi_ballots_voters(session) & PEER_BIT(from)) == 0) {
        return true;
    }
    if (is_higher(message.number, message.ballot_peer, &session->promised)) {
        session->promised.number = message.number;
        begin_ballot(session, session->leavers);
        return true;
    }
    if (message.ballot_peer != session->self || message.number != session->promised.number ||
        message.leavers != session->leavers || (session->frozen & ~session->leavers) != 0) {
        return true;
    }
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if ((message.leavers & PEER_BIT(i)) == 0) {
            continue;
        }
        note_need(session, from, i, message.heads[i]);
        if (message.heads[i] > session->best[i]) {
            session->best[i] = message.heads[i];
        }
    }
    session->answered |= PEER_BIT(from);
    if (!bksi_views_read_runs(session, reader, message.leavers, message.heads)) {
        return false;
    }
    try_decide(session);
    if (session->is_proposing && (bksi_ballots_voters(session) & ~session->answered) == 0) {
        owe_proposals(session); // inputs are still missing
    }
    return true;
}

static void gather_heads(const bks_session *session, bks_tick *heads)
{
    for (uint32_t i = 0; i < session->peer_count; i++) {
        heads[i] = bksi_heads_of(session, i);
    }
}

void bksi_ballots_write_propose(const bks_session *session, bksi_bit_writer *writer)
{
    bksi_propose message = {.base = bksi_views_name(session, session->view),
                            .number = session->promised.number,
                            .leavers = session->leavers};
    gather_heads(session, message.heads);
    bksi_propose_write(writer, &message);
}

void bksi_ballots_write_answer(bks_session *session, uint32_t to, bksi_bit_writer *writer)
{
    bool is_its_own = session->promised.peer == to;
    bksi_answer message = {.base = bksi_views_name(session, session->view),
                           .number = session->promised.number,
                           .ballot_peer = session->promised.peer,
                           .frozen = session->frozen,
                           .leavers = is_its_own ? session->leavers : 0};
    gather_heads(session, message.heads);
    bksi_answer_write(writer, &message);
    bksi_views_write_runs(session, writer, to, message.leavers, message.heads);
}
