// SPDX-License-Identifier: MIT

// Which peers leave. The lowest live peer, the host, proposes it. Each member answers only rising
// ballots, takes no input of the leavers from then on, and reports how far it has them. With all
// answers in, and all inputs that any member has, each leaver ends at the highest head reported. A
// peer that falls silent meanwhile joins the leavers, and the ballot starts again.

#include "session/ballots.h"

#include "base/mutant.h"
#include "session/heads.h"

// ---- who is to go ----

/// Bits of the others who have gone, or will never answer.
static uint32_t quitters(const session_ballots *ballots, const session_common *common)
{
    return (common->goodbyes.quit | ballots->mute) & ~PEER_BIT(common->seats.self);
}

/// Bits of the others who have every tick and may be gone for good.
static uint32_t complete_ones(const session_common *common)
{
    return common->goodbyes.said & ~common->goodbyes.quit & ~PEER_BIT(common->seats.self);
}

static uint32_t find_silent(session_common *common, session_inputs *inputs)
{
    return bksi_liveness_find_lost(&inputs->liveness, common, bksi_common_awaited(common),
                                   common->goodbyes.quit);
}

static uint32_t find_suspects(const session_ballots *ballots, session_common *common,
                              session_inputs *inputs)
{
    uint32_t suspects =
        find_silent(common, inputs) | quitters(ballots, common) | common->membership.frozen;
    return suspects & bksi_common_others(common);
}

uint32_t bksi_ballots_voters(const session_ballots *ballots, const session_common *common)
{
    return bksi_common_others(common) & ~ballots->leavers & ~complete_ones(common);
}

// ---- the ballot ----

static void owe_proposals(const session_ballots *ballots, session_view_queue *queue,
                          const session_common *common)
{
    EACH_PEER (i, common->seats.all) {
        if ((bksi_ballots_voters(ballots, common) & PEER_BIT(i)) == 0) {
            continue;
        }
        bksi_view_queue_set(queue, i, VIEW_PROPOSE, true);
        bksi_view_queue_repeat_at(queue, i, common->now_ns + VIEW_REPEAT_NS);
    }
}

static void begin_ballot(session_ballots *ballots, session_view_queue *queue,
                         session_common *common, const session_inputs *inputs, uint32_t leavers)
{
    ballots->promised = (session_ballot){ballots->promised.number + 1, common->seats.self};
    ballots->is_proposing = true;
    ballots->proposed_ns = bksi_liveness_awake_ns(&inputs->liveness);
    ballots->leavers = leavers;
    bksi_membership_freeze(&common->membership, leavers);
    ballots->answered = 0;
    EACH_PEER (i, common->seats.all) {
        ballots->best[i] = bksi_heads_of(common, i);
    }
    owe_proposals(ballots, queue, common);
}

/// With all answers in, and all inputs up to the highest heads, the next view is there.
static bool try_decide(const session_ballots *ballots, const session_common *common,
                       next_view *next)
{
    if (!ballots->is_proposing ||
        (bksi_ballots_voters(ballots, common) & ~ballots->answered) != 0) {
        return false;
    }
    EACH_PEER (i, common->seats.all) {
        if ((ballots->leavers & PEER_BIT(i)) != 0 && bksi_heads_of(common, i) < ballots->best[i]) {
            return false;
        }
    }
    bksi_membership_plan(next, ballots->leavers, ballots->best);
    return true;
}

/// A peer that leaves a ballot unanswered for longer than a peer may be silent, and longer than any
/// round trip, leaves too.
static void mute_unanswering(session_ballots *ballots, const session_common *common,
                             const session_inputs *inputs)
{
    uint64_t patience_ns = common->config.tuning.drop_after_ms * NS_PER_MS + NS_PER_SECOND;
    if (bksi_liveness_awake_ns(&inputs->liveness) - ballots->proposed_ns < patience_ns) {
        return;
    }
    EACH_PEER (i, common->seats.all) {
        if ((bksi_ballots_voters(ballots, common) & ~ballots->answered & PEER_BIT(i)) != 0) {
            ballots->mute |= PEER_BIT(i);
        }
    }
}

bool bksi_ballots_update(session_ballots *ballots, session_view_queue *queue,
                         session_common *common, session_inputs *inputs, next_view *next)
{
    bksi_membership_freeze(&common->membership,
                           quitters(ballots, common) & bksi_common_members(common));
    uint32_t suspects = find_suspects(ballots, common, inputs);
    if (suspects == 0) {
        return false;
    }
    uint32_t able = bksi_common_members(common) & ~suspects & ~complete_ones(common);
    uint32_t host = bksi_mutated(BKSI_MUTANT_HANDOVER)
                        ? bksi_membership_host(&common->membership, &common->seats)
                        : bksi_peers_lowest(able);
    if (host != common->seats.self) {
        bool is_news = (common->membership.frozen & ~ballots->leavers) != 0;
        if (is_news && common->now_ns >= bksi_view_queue_repeat_ns(queue, host)) {
            bksi_view_queue_set(queue, host, VIEW_ANSWER, true);
        }
        return false;
    }
    if (!ballots->is_proposing || (suspects & ~ballots->leavers) != 0) {
        begin_ballot(ballots, queue, common, inputs, suspects);
    }
    mute_unanswering(ballots, common, inputs);
    return try_decide(ballots, common, next);
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

bool bksi_ballots_receive_propose(session_ballots *ballots, session_view_queue *queue,
                                  session_common *common, session_inputs *inputs, uint32_t from,
                                  bksi_bit_reader *reader)
{
    bksi_propose message;
    if (!bksi_propose_read(reader, &message)) {
        return false;
    }
    if (bksi_membership_is_frozen(&common->membership, from)) {
        bksi_view_queue_set(queue, from, VIEW_ANSWER, true); // it says that we go without it
        return true;
    }
    if ((message.leavers & PEER_BIT(common->seats.self)) != 0) {
        return true; // one of the two will learn that it is out
    }
    if (!bksi_membership_is_ours(&common->membership, &message.base)) {
        if (message.base.view < common->membership.view &&
            bksi_membership_is_behind(&common->membership, from)) {
            bksi_view_queue_set(queue, from, VIEW_COMMIT, true);
        }
        return true;
    }
    if ((message.leavers & ~bksi_common_members(common)) != 0 ||
        (message.leavers & PEER_BIT(from)) != 0) {
        return false;
    }
    if (is_higher(message.number, from, &ballots->promised)) {
        ballots->promised = (session_ballot){message.number, from};
        ballots->leavers = message.leavers;
        bksi_membership_freeze(&common->membership, message.leavers);
        ballots->is_proposing = false;
    }
    EACH_PEER (i, common->seats.all) {
        if ((message.leavers & PEER_BIT(i)) != 0) {
            bksi_forwarding_note_need(&inputs->forwarding, from, i, message.heads[i]);
        }
    }
    bksi_view_queue_set(queue, from, VIEW_ANSWER, true);
    return true;
}

bool bksi_ballots_receive_answer(session_ballots *ballots, session_view_queue *queue,
                                 session_common *common, session_inputs *inputs, uint32_t from,
                                 bksi_bit_reader *reader, next_view *next)
{
    bksi_answer message;
    if (!bksi_answer_read(reader, &message) ||
        (common->seats.all >> message.ballot_peer & 1) == 0 ||
        !bksi_heads_can_be(common, message.leavers, message.heads)) {
        return false;
    }
    if (!bksi_membership_is_ours(&common->membership, &message.base) ||
        bksi_membership_is_frozen(&common->membership, from)) {
        return true;
    }
    if ((message.frozen & PEER_BIT(common->seats.self)) != 0) {
        ballots->mute |= PEER_BIT(from); // it will never answer, nor take our inputs again
        return true;
    }
    bksi_membership_freeze(&common->membership,
                           message.frozen & bksi_common_others(common) & ~PEER_BIT(from));
    if (!ballots->is_proposing || (bksi_ballots_voters(ballots, common) & PEER_BIT(from)) == 0) {
        return true;
    }
    if (is_higher(message.number, message.ballot_peer, &ballots->promised)) {
        ballots->promised.number = message.number;
        begin_ballot(ballots, queue, common, inputs, ballots->leavers);
        return true;
    }
    if (message.ballot_peer != common->seats.self || message.number != ballots->promised.number ||
        message.leavers != ballots->leavers ||
        (common->membership.frozen & ~ballots->leavers) != 0) {
        return true;
    }
    EACH_PEER (i, common->seats.all) {
        if ((message.leavers & PEER_BIT(i)) == 0) {
            continue;
        }
        bksi_forwarding_note_need(&inputs->forwarding, from, i, message.heads[i]);
        if (message.heads[i] > ballots->best[i]) {
            ballots->best[i] = message.heads[i];
        }
    }
    ballots->answered |= PEER_BIT(from);
    if (!bksi_inputs_read_of(inputs, common, reader, message.leavers, message.heads)) {
        return false;
    }
    if (!try_decide(ballots, common, next) && ballots->is_proposing &&
        (bksi_ballots_voters(ballots, common) & ~ballots->answered) == 0) {
        owe_proposals(ballots, queue, common); // inputs are still missing
    }
    return true;
}

static void gather_heads(const session_common *common, bks_tick *heads)
{
    EACH_PEER (i, common->seats.all) {
        heads[i] = bksi_heads_of(common, i);
    }
}

void bksi_ballots_write_propose(const session_ballots *ballots, const session_common *common,
                                bksi_bit_writer *writer)
{
    bksi_propose message = {.base =
                                bksi_membership_name(&common->membership, common->membership.view),
                            .number = ballots->promised.number,
                            .leavers = ballots->leavers};
    gather_heads(common, message.heads);
    bksi_propose_write(writer, &message);
}

void bksi_ballots_write_answer(const session_ballots *ballots, const session_common *common,
                               const session_inputs *inputs, uint32_t to, bksi_bit_writer *writer)
{
    bool is_its_own = ballots->promised.peer == to;
    bksi_answer message = {.base =
                               bksi_membership_name(&common->membership, common->membership.view),
                           .number = ballots->promised.number,
                           .ballot_peer = ballots->promised.peer,
                           .frozen = common->membership.frozen,
                           .leavers = is_its_own ? ballots->leavers : 0};
    gather_heads(common, message.heads);
    bksi_answer_write(writer, &message);
    bksi_forwarding_write_runs(&inputs->forwarding, common, writer, to, message.leavers,
                               message.heads);
}
