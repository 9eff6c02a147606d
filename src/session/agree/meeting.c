// SPDX-License-Identifier: MIT

// Course of a meeting. No member publishes the meeting's tick before all peers agree. So a repaired
// state was never final, and the match is stepped again from the meeting's tick as after a wrong
// guess.
//
// Only the host calls a meeting. It names a tick after its own head, so that no member has all
// inputs before this tick, and none has published it. Only if MEET is lost for long, a member may
// have published it. This member reports so, and the host names another tick.

#include "session/agree/meeting.h"

#include "base/bits.h"
#include "base/mutant.h"
#include "base/report.h"

/// MEET_EVERY_NS: time between two copies of MEET to a peer that has not confirmed it. On a narrow
/// line at most one packet in MEET_SHARE is MEET.
#define MEET_EVERY_NS (20 * NS_PER_MS)
#define MEET_SHARE    4u

/// Time that a meeting may take once our own state of its tick is final, in addition to the time
/// after which a silent member is dropped. A guest waits twice the sum.
#define PATIENCE_NS (4 * NS_PER_SECOND)

/// Time after which MEET is repeated during a meeting even to a peer that has confirmed it, because
/// that peer may have stopped repeating its own MEET, which it sends again when asked.
#define ASK_AGAIN_NS NS_PER_SECOND

/// Time after a meeting for which MEET is repeated to peers that have not confirmed it. Later only
/// a peer that sends MEET gets one in return.
#define AFTERWARDS_NS (10 * NS_PER_SECOND)

/// Number of failed meetings in a row after which the host stops the match.
#define FAILURES_MAX 3u

/// Maximum number of meetings with repairs within REPAIRS_S seconds. A further one stops the match.
#define REPAIRS_MAX 2u
#define REPAIRS_S   60

static bool is_host(const session_common *common)
{
    return bksi_membership_host(&common->membership) == common->seats.self;
}

// ---- stages and reports of the members ----

/// Enter the next stage and tell every peer.
static void go_on(session_meeting *meeting, bksi_meet_stage stage)
{
    meeting->own.stage = stage;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        meeting->peers[i].next_ns = 0;
    }
}

/// Return true if we have the majority's state, and the meeting has ended for the host, which alone
/// decides. If we are a new host, it suffices that the meeting has ended for any member, as far as
/// we know, because a meeting that has ended for one member must not fail for another.
static bool has_ended_before_us(const session_meeting *meeting, const session_common *common)
{
    return meeting->is_on && bksi_report_has_majority_state(&meeting->own) &&
           bksi_meeting_find_ended(meeting, common) != BKS_PEERS_MAX;
}

/// Return true if we, as a new host, take over a meeting that an earlier host called and that a
/// member reports. This is needed because that member ignores meetings at earlier ticks. It is
/// allowed once in a view, because any member can claim a meeting. While we are DONE with our own
/// meeting it is allowed only if we know that our own meeting has ended: otherwise our own may have
/// ended for another member.
static bool inherits(const session_meeting *meeting, const session_common *common)
{
    const uint32_t view = common->membership.view;
    const bool may_end = meeting->is_on && meeting->own.stage == BKSI_MEET_DONE;
    return is_host(common) && view > common->membership.first && view > meeting->inherited_view &&
           (!may_end || has_ended_before_us(meeting, common));
}

bool bksi_meeting_heard(session_meeting *meeting, const session_common *common, uint32_t peer,
                        const bksi_meet_message *message)
{
    if (common->seats.on_desync != BKS_ON_DESYNC_RESYNC) {
        return false;
    }
    if (message->tick == meeting->own.tick) {
        session_meeting_peer *known = &meeting->peers[peer];
        const bool is_news = bksi_report_number(message) > bksi_report_number(&known->report);
        const uint32_t seen =
            message->seen > known->report.seen ? message->seen : known->report.seen;
        if (is_news) {
            bksi_report_update(&known->report, message, common->seats.first_tick);
        }
        known->report.seen = seen;
        meeting->replies |=
            is_news || seen < bksi_report_number(&meeting->own) ? PEER_BIT(peer) : 0;
        return true;
    }
    const bool is_new = message->tick > meeting->own.tick && message->tick > meeting->announced;
    const bool is_of_host = peer == bksi_membership_host(&common->membership);
    if (!is_new || !(is_of_host || inherits(meeting, common))) {
        return true; // the message is about an older meeting, or its sender may not call one
    }
    if (!bksi_meeting_tick_can_be(common, message->tick)) {
        return false;
    }
    meeting->announced = message->tick;
    meeting->inherited_view = is_of_host ? meeting->inherited_view : common->membership.view;
    return true;
}

// ---- begin of a meeting ----

static void begin(session_meeting *meeting, const session_common *common, bksi_rollback *engine,
                  bks_tick tick)
{
    meeting->own = (bksi_meet_message){.tick = tick, .from = common->seats.self};
    meeting->announced = BKS_TICK_NONE;
    meeting->is_on = true;
    meeting->is_decided = meeting->is_hopeless = false;
    meeting->waiting_ns = 0;
    meeting->first_view = common->membership.view;
    meeting->first_host = bksi_membership_host(&common->membership);
    meeting->majority = meeting->tried = meeting->repaired = 0;
    meeting->replies = bksi_common_others(common);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        meeting->peers[i] = (session_meeting_peer){.report.tick = BKS_TICK_NONE};
    }
    if (tick > bksi_rollback_published(&common->engine)) {
        bksi_rollback_hold(engine, tick);
    } else {
        bksi_rollback_let_go(engine, false);
        go_on(meeting, BKSI_MEET_FAILED); // we have already published the tick
    }
}

/// Host: call a meeting if some peer differs from us.
static void call(session_meeting *meeting, const session_checking *checking,
                 const session_common *common, bksi_rollback *engine)
{
    if (bksi_checking_seen(checking, common) == 0 || bksi_mutated(BKSI_MUTANT_MEET_NEVER)) {
        meeting->failures = 0;
        return;
    }
    const bks_tick tick = bksi_meeting_tick_choose(common);
    if (tick != BKS_TICK_NONE && tick > meeting->own.tick &&
        (common->now_ns >= meeting->ended_ns + PATIENCE_NS ||
         bksi_meeting_all_know(meeting, common))) {
        begin(meeting, common, engine, tick);
    }
}

// ---- our report ----

/// Before all members have reported, begin to fetch the state that we will probably need. Our kept
/// state is changed only after they have reported.
static void fetch_ahead(session_meeting *meeting, session_fetch *fetch,
                        const session_common *common)
{
    const uint32_t members = bksi_common_members(common);
    const uint32_t most = meeting->own.differing & members;
    if (bksi_majority_are_most(most, members) && bksi_rollback_can_restore(&common->engine)) {
        bksi_fetch_begin(fetch, common, meeting->own.tick, bksi_lowest_bit(most));
    }
}

static void state(session_meeting *meeting, session_fetch *fetch,
                  const session_game_check *game_check, const session_checking *checking,
                  const session_common *common)
{
    bksi_meet_message *own = &meeting->own;
    const bksi_tick_hash *waiting = bksi_rollback_waiting(&common->engine);
    if (waiting == NULL || bksi_rollback_is_spoilt(&common->engine, own->tick)) {
        return;
    }
    if (meeting->waiting_ns == 0) {
        meeting->waiting_ns = common->now_ns;
    }
    const uint32_t differing = bksi_checking_seen(checking, common);
    if ((differing & ~bksi_checking_reported(checking, common)) != 0) {
        return; // wait: the first differing tick is not known yet
    }
    own->state = waiting->state;
    own->inputs = waiting->inputs;
    own->before = bksi_rollback_chain(&common->engine);
    own->is_refused = bksi_game_check_refuses(game_check, own->tick);
    own->known = bksi_common_others(common);
    EACH_PEER (i, own->known) {
        own->same[i] = bksi_checking_same(checking, common, i, own->tick);
    }
    own->differing = differing;
    EACH_PEER (i, differing) {
        const bks_tick since = bksi_checking_differs_at(checking, i);
        own->since[i] = since < own->tick ? since : own->tick;
    }
    go_on(meeting, BKSI_MEET_STATED);
    fetch_ahead(meeting, fetch, common);
}

// ---- the decision which state is right ----

/// Return true if the meeting would exceed the limit of repairs, and at least half of the members,
/// rounded down, report a difference.
static bool is_one_too_many(const session_meeting *meeting, const session_common *common)
{
    const int64_t first = meeting->repairs[meeting->repair_count % REPAIRS_MAX];
    const uint32_t members = bksi_common_members(common);
    const bksi_all_reports reports = bksi_meeting_reports(meeting, common);
    return meeting->repair_count >= REPAIRS_MAX && !bksi_mutated(BKSI_MUTANT_MEND_OFTEN) &&
           meeting->own.tick - first < (int64_t)common->config.tick_rate_hz * REPAIRS_S &&
           bksi_majority_naming(reports.by, members) >= bksi_peers_count(members) / 2;
}

/// Fetch the state from the next member of the majority. If a fetch has already begun and its
/// member belongs to the majority, continue with that member.
static void fetch_from_next(session_meeting *meeting, session_fetch *fetch,
                            const session_common *common)
{
    const uint32_t left = meeting->majority & ~meeting->tried & bksi_common_members(common);
    if (left == 0 || !bksi_rollback_can_restore(&common->engine)) {
        bksi_fetch_end(fetch);
        go_on(meeting, BKSI_MEET_FAILED);
        return;
    }
    const bool is_ahead = (left & PEER_BIT(fetch->peer)) != 0 &&
                          bksi_fetch_is_of(fetch, meeting->own.tick, fetch->peer);
    const uint32_t from = is_ahead ? fetch->peer : bksi_lowest_bit(left);
    meeting->tried |= PEER_BIT(from);
    meeting->own.from = from;
    bksi_fetch_take(fetch, common, meeting->own.tick, from);
}

/// Decide which state is right, once all members have reported. Every member makes the same
/// decision.
static void decide(session_meeting *meeting, session_fetch *fetch, const session_common *common)
{
    const uint32_t members = bksi_common_members(common);
    const bksi_all_reports reports = bksi_meeting_reports(meeting, common);
    meeting->is_decided = true;
    if (!bksi_majority_shares_inputs(reports.by, members) || is_one_too_many(meeting, common)) {
        meeting->is_hopeless = true;
        return;
    }
    meeting->decided = members;
    meeting->majority = bksi_majority_now(reports.by, members);
    meeting->repaired = bksi_majority_repaired(reports.by, members);
    if ((meeting->majority & PEER_BIT(common->seats.self)) != 0) {
        bksi_fetch_end(fetch);
        meeting->own.now = meeting->own.state;
        go_on(meeting, BKSI_MEET_DONE);
    } else {
        fetch_from_next(meeting, fetch, common);
    }
}

// ---- fetch of the right state ----

static void watch_fetch(session_meeting *meeting, session_fetch *fetch,
                        const session_common *common, bksi_rollback *engine)
{
    const bksi_tick_hash *waiting = bksi_rollback_waiting(&common->engine);
    const bksi_all_reports reports = bksi_meeting_reports(meeting, common);
    const uint64_t wanted = reports.by[bksi_lowest_bit(meeting->majority)]->state;
    if (waiting != NULL && (waiting->state == wanted || bksi_mutated(BKSI_MUTANT_MEND_NOTHING))) {
        bksi_fetch_end(fetch);
        meeting->own.bytes = fetch->bytes;
        meeting->own.now = wanted;
        go_on(meeting, BKSI_MEET_DONE);
    } else if (fetch->stage == FETCH_HAS_ALL) {
        bksi_fetch_end(fetch);
        bksi_rollback_restore(engine, wanted);
    } else if (fetch->stage == FETCH_FAILED ||
               (fetch->stage == FETCH_RESTS && !bksi_rollback_is_restoring(&common->engine)) ||
               bksi_fetch_is_silent(fetch, common)) {
        fetch_from_next(meeting, fetch, common);
    }
}

// ---- the end of a meeting ----

static void finish(session_meeting *meeting, session_checking *checking, session_common *common)
{
    const bks_tick tick = meeting->own.tick;
    const bksi_all_reports all = bksi_meeting_reports(meeting, common);
    const bksi_repair_log log = bksi_meeting_repair_log(meeting, common, &all);
    bks_repair repairs[BKS_PEERS_MAX];
    const uint32_t count = bksi_repair_log_all(&log, repairs);
    bksi_repair_log_note(&meeting->own, repairs, count);
    for (uint32_t i = 0; i < count; i++) {
        if (repairs[i].peer != common->seats.self && bksi_mutated(BKSI_MUTANT_MEND_UNTOLD)) {
            continue;
        }
        bksi_repairs_add(&common->repairs, &common->events, &repairs[i]);
    }
    if (count > 0) {
        meeting->repairs[meeting->repair_count % REPAIRS_MAX] = tick;
        meeting->repair_count++;
    }
    meeting->is_on = false;
    meeting->ended_ns = common->now_ns;
    meeting->failures = 0;
    go_on(meeting, BKSI_MEET_ENDED);
    bksi_checking_repaired(checking, common, tick, count == 0 && meeting->is_decided);
    bksi_rollback_let_go(&common->engine, true);
}

static void give_up(session_meeting *meeting, session_fetch *fetch, const session_common *common,
                    bksi_rollback *engine)
{
    bksi_fetch_drop(fetch, engine, bksi_report_has_majority_state(&meeting->own));
    go_on(meeting, BKSI_MEET_FAILED);
    meeting->is_on = false;
    meeting->ended_ns = common->now_ns;
    bksi_rollback_let_go(engine, false);
}

static bool are_done(const session_meeting *meeting, const session_common *common)
{
    return meeting->is_decided && bksi_meeting_are_at(meeting, common, BKSI_MEET_DONE);
}

/// Return true if the meeting has ended for us. Once it has ended for the host, a guest waits for
/// missing reports at most until PATIENCE_NS after its own state became final.
static bool has_ended(const session_meeting *meeting, const session_common *common)
{
    const bksi_all_reports reports = bksi_meeting_reports(meeting, common);
    if (is_host(common)) {
        return are_done(meeting, common) &&
               bksi_reports_agree(reports.by, bksi_common_members(common));
    }
    const bksi_repair_log log = bksi_meeting_repair_log(meeting, common, &reports);
    const bool is_certain = are_done(meeting, common) && bksi_repair_log_is_certain(&log);
    return has_ended_before_us(meeting, common) &&
           (is_certain || common->now_ns >= meeting->waiting_ns + PATIENCE_NS);
}

/// Return true if the meeting cannot succeed: the host has given up, or we are the host and some
/// member has given up.
static bool is_in_vain(const session_meeting *meeting, const session_common *common)
{
    const bksi_all_reports reports = bksi_meeting_reports(meeting, common);
    if (meeting->is_hopeless || bksi_meeting_host_is_at(meeting, common, BKSI_MEET_FAILED)) {
        return true;
    }
    // If all members are done but the meeting has not ended, their states differ.
    return is_host(common) && (bksi_reports_have_failure(reports.by, bksi_common_members(common)) ||
                               are_done(meeting, common));
}

/// Return true if the meeting takes too long. A guest that has reported DONE leaves this decision
/// to the host.
static bool takes_too_long(const session_meeting *meeting, const session_common *common,
                           uint64_t silence_ns)
{
    const uint64_t patience_ns = (is_host(common) ? 1 : 2) * (PATIENCE_NS + silence_ns);
    return (is_host(common) || meeting->own.stage != BKSI_MEET_DONE) && meeting->waiting_ns > 0 &&
           common->now_ns >= meeting->waiting_ns + patience_ns;
}

static void attend(session_meeting *meeting, session_fetch *fetch,
                   const session_game_check *game_check, session_checking *checking,
                   session_common *common, uint64_t silence_ns)
{
    if (meeting->own.stage == BKSI_MEET_HEARD) {
        state(meeting, fetch, game_check, checking, common);
    }
    if (!meeting->is_decided && bksi_meeting_are_at(meeting, common, BKSI_MEET_STATED)) {
        decide(meeting, fetch, common);
    }
    if (meeting->is_decided && !meeting->is_hopeless && meeting->own.stage == BKSI_MEET_STATED) {
        watch_fetch(meeting, fetch, common, &common->engine);
    }
    if (has_ended(meeting, common)) {
        finish(meeting, checking, common);
        return;
    }
    const bool is_anew = meeting->view != common->membership.view || common->game_speed.is_paused;
    if (meeting->waiting_ns > 0 && is_anew) {
        meeting->waiting_ns = common->now_ns; // a member has left, or may be silent in a pause
    }
    meeting->view = common->membership.view;
    meeting->is_hopeless |= takes_too_long(meeting, common, silence_ns);
    if (!is_in_vain(meeting, common)) {
        return;
    }
    give_up(meeting, fetch, common, &common->engine);
    // The host calls another meeting later. It stops the match if this one is hopeless, or if
    // FAILURES_MAX have failed in a row.
    meeting->failures += is_host(common) ? 1 : 0;
    if (is_host(common) && (meeting->is_hopeless || meeting->failures == FAILURES_MAX)) {
        bksi_log(BKS_LOG_WARNING, "session.meeting", "the states are not repaired at tick %d",
                 (int)meeting->own.tick);
        bksi_ending_decide(&common->ending, &common->seats, &common->events, &common->engine);
    }
}

void bksi_meeting_update(session_meeting *meeting, session_fetch *fetch,
                         const session_game_check *game_check, session_checking *checking,
                         session_common *common, uint64_t silence_ns)
{
    if (common->seats.on_desync != BKS_ON_DESYNC_RESYNC) {
        return;
    }
    if (common->ending.tick > 0) {
        if (meeting->is_on) {
            give_up(meeting, fetch, common, &common->engine);
        }
        return;
    }
    if (meeting->announced > meeting->own.tick) {
        if (has_ended_before_us(meeting, common)) {
            // Missing reports cannot come any more: others may list repairs that we do not.
            finish(meeting, checking, common);
        }
        bksi_fetch_drop(fetch, &common->engine, bksi_report_has_majority_state(&meeting->own));
        begin(meeting, common, &common->engine, meeting->announced);
    }
    if (meeting->is_on) {
        attend(meeting, fetch, game_check, checking, common, silence_ns);
    } else if (is_host(common) && !common->game_speed.is_paused) {
        call(meeting, checking, common, &common->engine);
    }
}

// ---- messages ----

uint32_t bksi_meeting_peers(const session_meeting *meeting, const session_common *common)
{
    uint32_t owed = 0;
    const bool is_past = !meeting->is_on && common->now_ns >= meeting->ended_ns + AFTERWARDS_NS;
    EACH_PEER (i, meeting->own.tick != BKS_TICK_NONE ? bksi_common_others(common) : 0) {
        const session_meeting_peer *peer = &meeting->peers[i];
        const bool lacks = peer->report.seen < bksi_report_number(&meeting->own);
        const bool is_due = (lacks && !is_past) || (meeting->replies & PEER_BIT(i)) != 0 ||
                            (meeting->is_on && common->now_ns >= peer->next_ns + ASK_AGAIN_NS);
        owed |= is_due && common->now_ns >= peer->next_ns ? PEER_BIT(i) : 0;
    }
    return owed;
}

void bksi_meeting_write(session_meeting *meeting, const session_common *common, uint32_t index,
                        bksi_byte_writer *writer)
{
    session_meeting_peer *peer = &meeting->peers[index];
    const uint64_t gap_ns = MEET_SHARE * bksi_links_gap_ns(&common->links, index);
    peer->next_ns = common->now_ns + (gap_ns > MEET_EVERY_NS ? gap_ns : MEET_EVERY_NS);
    meeting->replies &= ~PEER_BIT(index);
    bksi_meet_message message = meeting->own;
    message.seen = bksi_report_number(&peer->report);
    bksi_meet_write(writer, &message);
}
