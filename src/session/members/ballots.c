// SPDX-License-Identifier: MIT

// Ballots that remove peers. The host, the lowest peer that stays, proposes the leavers. A member
// agrees unless it hears them. Once it has agreed, it accepts no more inputs of the leavers, and it
// reports up to which tick it has their inputs. Once all that stay agree, and the proposer has all
// inputs of the leavers that any of them has, each leaver ends where its inputs end.
//
// A proposer's newer ballot replaces its older one and may name fewer leavers, or none. A proposer
// never decides a ballot that it withdrew, so peers that come back in time stay. A ballot is
// repeated until all peers know it. Once all peers agree, no leaver is removed from the ballot any
// more, because from that moment the others send us the leavers' inputs, and these may be false.

#include "session/members/ballots.h"

#include <string.h>

#include "base/mutant.h"

// ---- knowledge about the other peers ----

static session_ballot *own_of(session_ballots *ballots, const session_common *common)
{
    return &ballots->newest[common->seats.self];
}

/// Get the other peers that need nothing more of us and did not quit, as bits; they may be gone.
static uint32_t complete_ones(const session_common *common)
{
    return common->goodbyes.done & ~common->goodbyes.quit & ~PEER_BIT(common->seats.self);
}

/// Find the other peers that must be removed, as bits: silent for too long, or left by themselves.
static uint32_t find_lost(session_events *events, const session_common *common,
                          session_liveness *liveness)
{
    return (bksi_liveness_find_lost(liveness, events, common, bksi_common_awaited(common),
                                    common->goodbyes.quit) |
            common->goodbyes.quit) &
           bksi_common_others(common);
}

/// Get the leavers that the newest ballots of `peers` name, as far as we agree to these ballots, as
/// bits. They count even if a proposer is lost, because it may have decided its ballot before.
static uint32_t named_by(const session_ballots *ballots, uint32_t peers)
{
    uint32_t named = 0;
    EACH_PEER (i, peers) {
        named |= ballots->newest[i].leavers;
    }
    return named;
}

/// Find all peers to remove, as bits: peers that are lost, that the host drops, that left our
/// ballot unanswered, or that a lost proposer's ballot names, as it may be decided. The host drops
/// lost peers that break the rules, because others may hear them.
static uint32_t find_suspects(session_ballots *ballots, session_events *events,
                              const session_common *common, session_liveness *liveness)
{
    const uint32_t others = bksi_common_others(common);
    const uint32_t lost = find_lost(events, common, liveness);
    ballots->dropped |= lost != 0 ? bksi_liveness_find_accused(liveness, common, lost) : 0;
    uint32_t suspects = lost | ((ballots->closed | ballots->dropped) & others);
    ballots->mute = suspects != 0 ? ballots->mute : 0;
    suspects |= ballots->mute & others;
    while ((named_by(ballots, suspects) & others & ~suspects) != 0) {
        suspects |= named_by(ballots, suspects) & others;
    }
    return suspects;
}

// ---- our own ballot ----

static uint32_t voters_of(const session_ballots *ballots, const session_common *common)
{
    return bksi_common_others(common) & ~bksi_ballots_proposed(ballots, common) &
           ~complete_ones(common);
}

/// Get the peers that agree to our ballot and have no inputs of the leavers that we lack, as bits.
static uint32_t answered_by(const session_ballots *ballots, const session_common *common)
{
    uint32_t answered = 0;
    EACH_PEER (from, ballots->agreed) {
        bool owes = false;
        EACH_PEER (i, bksi_ballots_proposed(ballots, common)) {
            owes |= ballots->heads[from][i] > bksi_common_head(common, i);
        }
        answered |= owes ? 0 : PEER_BIT(from);
    }
    return answered;
}

bool bksi_ballots_asks(const session_ballots *ballots, const session_common *common, uint32_t index)
{
    const uint32_t proposed = bksi_ballots_proposed(ballots, common);
    const uint32_t done = proposed != 0 ? answered_by(ballots, common) : ballots->known;
    // Ask a mute peer, too: if it answers, it was only out of reach.
    const uint32_t asked =
        (voters_of(ballots, common) & ~done) | (ballots->mute & proposed & ~ballots->closed);
    return ballots->newest[common->seats.self].number > 0 && (asked & PEER_BIT(index)) != 0;
}

static void owe_proposals(const session_ballots *ballots, session_view_queue *queue,
                          const session_common *common)
{
    EACH_PEER (i, common->seats.all) {
        if (bksi_ballots_asks(ballots, common, i)) {
            bksi_view_queue_set(queue, i, VIEW_PROPOSE, true);
            bksi_view_queue_repeat_at(queue, i, common->now_ns + VIEW_REPEAT_NS);
        }
    }
}

uint32_t bksi_ballots_frozen(const session_ballots *ballots, const session_common *common)
{
    return (ballots->closed | named_by(ballots, common->seats.all)) & bksi_common_others(common);
}

/// Replace our ballot by a new one.
/// @param leavers  bits: leavers of the new ballot; none: our ballot is withdrawn
static void propose(session_ballots *ballots, session_view_queue *queue,
                    const session_common *common, uint32_t leavers)
{
    session_ballot *own = own_of(ballots, common);
    own->number++;
    own->leavers = leavers;
    own->dropped = leavers & ballots->dropped;
    ballots->asked_ns = common->awake_ns;
    ballots->was_closed = false;
    ballots->known = 0;
    ballots->agreed = 0;
    owe_proposals(ballots, queue, common);
}

/// Plan the next view if all answers have come.
static bool try_decide(const session_ballots *ballots, const session_common *common,
                       next_view *next)
{
    const uint32_t leavers = bksi_ballots_proposed(ballots, common);
    if (leavers == 0 || (voters_of(ballots, common) & ~answered_by(ballots, common)) != 0) {
        return false;
    }
    bks_tick ends[BKS_PEERS_MAX];
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        ends[i] = (leavers & PEER_BIT(i)) != 0 ? bksi_common_head(common, i) : 0;
    }
    bksi_membership_plan(next, leavers, ends);
    return true;
}

/// Mark the peers to remove because they leave our ballot unanswered for longer than a peer may be
/// silent and than any round trip. Before all agree, such a peer is mute: it is removed unless it
/// answers. A peer that does not agree because it hears the leaver has answered, and stays. Once
/// all agree, a peer that has inputs of a leaver and does not send them for as long is removed for
/// good.
static void mute_unanswering(session_ballots *ballots, const session_common *common,
                             const session_liveness *liveness)
{
    const uint32_t voters = voters_of(ballots, common);
    const bool is_closed = (voters & ~ballots->agreed) == 0;
    if (is_closed && !ballots->was_closed) {
        // Restart the wait, because no peer sends a leaver's inputs before all agree.
        ballots->asked_ns = common->awake_ns;
    }
    ballots->was_closed = is_closed;
    if (bksi_ballots_proposed(ballots, common) == 0) {
        return;
    }
    const uint64_t patience_ns = bksi_liveness_longest_patience_ns(liveness, common);
    if (common->awake_ns - ballots->asked_ns < patience_ns + NS_PER_SECOND) {
        return;
    }
    ballots->closed |= is_closed ? voters & ~answered_by(ballots, common) : 0;
    ballots->mute |= is_closed ? 0 : voters & ~ballots->known;
}

bool bksi_ballots_update(session_ballots *ballots, session_view_queue *queue,
                         session_events *events, const session_common *common,
                         session_inputs *inputs, next_view *next)
{
    uint32_t suspects = find_suspects(ballots, events, common, &inputs->liveness);
    uint32_t able = bksi_common_members(common) & ~suspects & ~complete_ones(common);
    uint32_t host = bksi_mutated(BKSI_MUTANT_HANDOVER) ? bksi_membership_host(&common->membership)
                                                       : bksi_peers_lowest(able);
    uint32_t leavers = host == common->seats.self ? suspects : 0;
    if (leavers != bksi_ballots_proposed(ballots, common)) {
        propose(ballots, queue, common, leavers);
    }
    mute_unanswering(ballots, common, &inputs->liveness);
    return try_decide(ballots, common, next);
}

void bksi_ballots_drop(session_ballots *ballots, uint32_t peer)
{
    ballots->dropped |= PEER_BIT(peer);
}

void bksi_ballots_reset(session_ballots *ballots)
{
    // Keep `dropped`: the new view may have been decided before the host dropped one of these
    // peers.
    const uint32_t dropped = ballots->dropped;
    *ballots = (session_ballots){.dropped = dropped};
}

// ---- ballots of others ----

/// Return true if a ballot of another peer names this peer as a leaver. Ignore the ballots of those
/// of `leavers` that we do not hear.
static bool is_to_leave(const session_ballots *ballots, const session_common *common,
                        const session_inputs *inputs, uint32_t index, uint32_t leavers)
{
    const uint32_t lost = leavers & ~bksi_liveness_here(&inputs->liveness, common, leavers);
    const uint32_t others = common->seats.all & ~lost & ~PEER_BIT(index);
    return ((ballots->closed | named_by(ballots, others)) & PEER_BIT(index)) != 0;
}

/// Get the peers with lower numbers than `from` that are alive and stay, as bits. If there is one,
/// it must propose instead of `from`.
static uint32_t find_lower(const session_common *common, const session_inputs *inputs,
                           uint32_t from, uint32_t leavers)
{
    const uint32_t lower = bksi_common_members(common) & (PEER_BIT(from) - 1) & ~leavers;
    return (lower & PEER_BIT(common->seats.self)) |
           bksi_liveness_here(&inputs->liveness, common, lower & ~complete_ones(common));
}

/// Find the leavers of a ballot that we do not hear either, that the host drops, or whose inputs we
/// already refuse, as bits. There are none if the sender may not propose this ballot.
static uint32_t find_out(const session_ballots *ballots, const session_common *common,
                         const session_inputs *inputs, uint32_t from, const bksi_propose *message)
{
    const uint32_t leavers = message->leavers;
    if ((leavers & PEER_BIT(common->seats.self)) != 0 ||
        is_to_leave(ballots, common, inputs, from, leavers) ||
        find_lower(common, inputs, from, leavers) != 0) {
        return 0;
    }
    const uint32_t let_go = ballots->closed | ballots->newest[from].leavers |
                            named_by(ballots, leavers) | message->dropped;
    return leavers & (let_go | ~bksi_liveness_here(&inputs->liveness, common, leavers));
}

/// Return true if we agree to a ballot. A peer that agrees accepts no more inputs of the leavers.
/// So we agree at once only if two things are true: we hear no leaver, except those that the host
/// drops, and we have agreed to no leaver's ballot that names the proposer. Once the proposer has
/// named leavers that we do not hear for as long as any peer may be silent, we agree even if one of
/// the two is false. A leaver that we still hear may have become mute, or the proposer may have
/// agreed to remove it. A leaver's ballot that names the proposer was not decided in that time,
/// because not all peers agreed to it.
static bool agrees(const session_ballots *ballots, const session_common *common,
                   const session_inputs *inputs, session_ballot *ballot, uint32_t from,
                   const bksi_propose *message)
{
    const uint32_t leavers = message->leavers;
    const uint32_t out = find_out(ballots, common, inputs, from, message);
    if (ballot->out == 0) {
        ballot->out_ns = common->awake_ns;
    }
    ballot->out = out;
    bool is_sure = out == leavers && (named_by(ballots, leavers) & PEER_BIT(from)) == 0;
    const uint64_t patience_ns = bksi_liveness_longest_patience_ns(&inputs->liveness, common);
    return out != 0 && (is_sure || common->awake_ns - ballot->out_ns >= patience_ns);
}

/// Replace the proposer's earlier ballot, even if we do not agree, and the ballots of its leavers
/// that name the proposer.
static void replace(session_ballots *ballots, session_ballot *ballot, uint32_t from,
                    const bksi_propose *message, bool does_agree)
{
    ballot->number = message->number;
    ballot->dropped = does_agree ? message->dropped : 0;
    if (does_agree || !bksi_mutated(BKSI_MUTANT_TAKEBACK)) {
        ballot->leavers = does_agree ? message->leavers : 0;
    }
    EACH_PEER (i, does_agree ? message->leavers : 0) {
        if ((ballots->newest[i].leavers & PEER_BIT(from)) != 0) {
            ballots->newest[i].leavers = 0;
        }
    }
}

static void take_ballot(session_ballots *ballots, session_view_queue *queue,
                        const session_common *common, const session_inputs *inputs, uint32_t from,
                        const bksi_propose *message)
{
    session_ballot *ballot = &ballots->newest[from];
    if (ballot->leavers == message->leavers && ballot->number == message->number) {
        return;
    }
    bool does_agree = agrees(ballots, common, inputs, ballot, from, message);
    replace(ballots, ballot, from, message, does_agree);
    if (does_agree && bksi_ballots_proposed(ballots, common) != 0) {
        propose(ballots, queue, common, 0);
    }
}

bool bksi_ballots_receive_propose(session_ballots *ballots, session_view_queue *queue,
                                  const session_common *common, session_inputs *inputs,
                                  uint32_t from, bksi_bit_reader *reader)
{
    bksi_propose message;
    if (!bksi_propose_read(reader, &message) || (message.leavers & ~common->seats.all) != 0 ||
        (message.leavers & PEER_BIT(from)) != 0) {
        return false;
    }
    if (!bksi_membership_is_ours(&common->membership, &message.base)) {
        if (message.base.view < common->membership.view &&
            bksi_membership_is_behind(&common->membership, from)) {
            bksi_view_queue_set(queue, from, VIEW_COMMIT, true);
        }
        return true;
    }
    const bool is_host = bksi_membership_host(&common->membership) == from;
    if ((message.leavers & ~bksi_common_members(common)) != 0 ||
        (message.dropped != 0 && !is_host)) {
        return false;
    }
    if (message.number >= ballots->newest[from].number) {
        take_ballot(ballots, queue, common, inputs, from, &message);
    }
    EACH_PEER (i, message.leavers) {
        bksi_runs_note_lacking(&inputs->runs, from, i, message.heads[i]);
    }
    bksi_view_queue_set(queue, from, VIEW_ANSWER, true);
    return true;
}

bool bksi_ballots_close(session_ballots *ballots, const session_common *common,
                        const session_inputs *inputs, uint32_t from, uint32_t leavers)
{
    const bool trusts_all = bksi_mutated(BKSI_MUTANT_UNASKED);
    uint32_t proposers = 0;
    EACH_PEER (i, common->seats.all & ~PEER_BIT(common->seats.self)) {
        proposers |= ballots->newest[i].leavers == leavers ? PEER_BIT(i) : 0;
    }
    // A living proposer alone knows whether it withdrew the ballot, so ask it if we can.
    const uint32_t asked =
        proposers != 0 ? bksi_liveness_here(&inputs->liveness, common, proposers)
                       : find_lower(common, inputs, from, leavers | PEER_BIT(common->seats.self));
    if (!trusts_all && (proposers & PEER_BIT(from)) == 0 && asked != 0) {
        return false;
    }
    const bool is_known = trusts_all || proposers != 0;
    EACH_PEER (i, leavers) {
        if (!is_known && !bksi_goodbyes_is_done(&common->goodbyes, i) &&
            bksi_liveness_silence_ns(&inputs->liveness, common, i) <
                bksi_liveness_patience_ns(&inputs->liveness, common, i)) {
            return false;
        }
    }
    ballots->closed |= leavers;
    return true;
}

// ---- answers to our ballot ----

/// Process a voter's answer to our newest ballot.
/// @return false if the inputs are malformed
static bool take_answer(session_ballots *ballots, bksi_rollback *engine,
                        const session_common *common, session_runs *runs, uint32_t from,
                        const bksi_answer *message, bksi_bit_reader *reader)
{
    ballots->agreed |= PEER_BIT(from);
    memcpy(ballots->heads[from], message->heads, sizeof(message->heads));
    if ((voters_of(ballots, common) & ~ballots->agreed) != 0) {
        return true;
    }
    ballots->closed |= message->leavers;
    return bksi_runs_read_of(runs, engine, &common->seats, reader, message->leavers,
                             message->heads);
}

bool bksi_ballots_receive_answer(session_ballots *ballots, session_view_queue *queue,
                                 session_common *common, session_inputs *inputs, uint32_t from,
                                 bksi_bit_reader *reader, next_view *next)
{
    bksi_answer message;
    if (!bksi_answer_read(reader, &message) ||
        !bksi_common_heads_can_be(common, message.frozen, message.heads)) {
        return false;
    }
    EACH_PEER (i, message.frozen & common->seats.all) {
        bksi_runs_note_lacking(&inputs->runs, from, i, message.heads[i]);
    }
    const session_ballot *own = own_of(ballots, common);
    if (!bksi_membership_is_ours(&common->membership, &message.base)) {
        return true;
    }
    if (message.number != own->number || own->number == 0) {
        return true;
    }
    ballots->known |= PEER_BIT(from);
    ballots->mute &= ~PEER_BIT(from);
    if (own->leavers == 0 || message.leavers != own->leavers ||
        (voters_of(ballots, common) & PEER_BIT(from)) == 0) {
        return true;
    }
    // The host may have told other peers at which tick it ends or pauses the match. If the host
    // leaves, take that tick from their answers.
    const bool is_about_host =
        (own->leavers & PEER_BIT(bksi_membership_host(&common->membership))) != 0;
    if (is_about_host && !bksi_decisions_take(common, from, message.stop, &message.speed)) {
        return false;
    }
    if (!take_answer(ballots, &common->engine, common, &inputs->runs, from, &message, reader)) {
        return false;
    }
    if (!try_decide(ballots, common, next) &&
        (voters_of(ballots, common) & ~ballots->agreed) == 0) {
        owe_proposals(ballots, queue, common); // some inputs of the leavers are still missing
    }
    return true;
}

static void gather_heads(const session_common *common, bks_tick *heads)
{
    EACH_PEER (i, common->seats.all) {
        heads[i] = bksi_common_head(common, i);
    }
}

void bksi_ballots_write_propose(const session_ballots *ballots, const session_common *common,
                                bksi_bit_writer *writer)
{
    const session_ballot *own = &ballots->newest[common->seats.self];
    bksi_propose message = {.base =
                                bksi_membership_name(&common->membership, common->membership.view),
                            .number = own->number,
                            .leavers = own->leavers,
                            .dropped = own->dropped};
    gather_heads(common, message.heads);
    bksi_propose_write(writer, &message);
}

void bksi_ballots_write_answer(const session_ballots *ballots, const session_common *common,
                               const session_inputs *inputs, uint32_t to, bksi_bit_writer *writer)
{
    bksi_answer message = {.base =
                               bksi_membership_name(&common->membership, common->membership.view),
                           .number = ballots->newest[to].number,
                           .leavers = ballots->newest[to].leavers,
                           .frozen = common->membership.frozen,
                           .stop = common->ending.tick,
                           .speed = common->game_speed.decision};
    gather_heads(common, message.heads);
    bksi_answer_write(writer, &message);
    bksi_runs_write_lacking(&inputs->runs, common, writer, to, message.leavers, message.heads);
}
