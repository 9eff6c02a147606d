// SPDX-License-Identifier: MIT

// A meeting. No member publishes its tick before all are of one mind, so what is repaired was never
// said to be final, and the match is stepped again from there as after a wrong guess.
//
// The host alone calls one. It names a tick of which it has not sent the last inputs, so none has
// published it yet, unless MEET gets lost for long: then that member says so, and the host names
// another.

#include "session/meeting.h"

#include "base/assert.h"
#include "base/bits.h"
#include "base/report.h"
#include "session/heads.h"
#include "session/majority.h"

/// From the host's head to the tick: MEET may get lost a few times before it comes too late.
#define AHEAD_TICKS 3

/// How often MEET goes until it is heard; on a narrow line one packet in MEET_SHARE.
#define MEET_EVERY_NS (20 * NS_PER_MS)
#define MEET_SHARE    4u

/// How long a meeting may take once our state of its tick is final, beyond the silence of a member
/// that is let go; how long one may leave us without an answer while we fetch what it has.
#define PATIENCE_NS       (4 * NS_PER_SECOND)
#define FETCH_PATIENCE_NS (700 * NS_PER_MS)

/// How long a meeting that has ended is still spoken of to those who did not say that they heard.
#define AFTERWARDS_NS (10 * NS_PER_SECOND)

/// Meetings in a row that may come to nothing.
#define FAILURES_MAX 3u

/// The third meeting that repairs something within so long stops the match.
#define REPAIRS_MAX 2u
#define REPAIRS_S   60

static bool is_host(const session_common *common)
{
    return bksi_membership_host(&common->membership) == common->seats.self;
}

// ---- what was said ----

/// How far a peer is has a number: 0 is nothing.
static uint32_t number_of(const bksi_meet_message *said)
{
    return said->tick == BKS_TICK_NONE ? 0 : (uint32_t)said->stage + 1;
}

static const bksi_meet_message *said_by(const session_meeting *meeting,
                                        const session_common *common, uint32_t peer)
{
    return peer == common->seats.self ? &meeting->own : &meeting->peers[peer].said;
}

/// We are further: all are to hear of it.
static void go_on(session_meeting *meeting, bksi_meet_stage stage)
{
    meeting->own.stage = stage;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        meeting->peers[i].next_ns = 0;
    }
}

/// Bits of the members that are at one of these stages.
static uint32_t find_at(const session_meeting *meeting, const session_common *common,
                        bksi_meet_stage least, bksi_meet_stage most)
{
    uint32_t found = 0;
    EACH_PEER (i, bksi_common_members(common)) {
        const uint32_t number = number_of(said_by(meeting, common, i));
        found |= number > (uint32_t)least && number <= (uint32_t)most + 1 ? PEER_BIT(i) : 0;
    }
    return found;
}

/// Whether all members are at this stage or done.
static bool are_at(const session_meeting *meeting, const session_common *common,
                   bksi_meet_stage stage)
{
    return find_at(meeting, common, stage, BKSI_MEET_DONE) == bksi_common_members(common);
}

/// Whether the host can call a meeting there: one that never comes would keep every other from
/// being called.
static bool can_be(const session_common *common, bks_tick tick)
{
    const bks_tick most = BKSI_AHEAD_TICKS_MAX + AHEAD_TICKS + (bks_tick)common->seats.hash_every;
    return bksi_rollback_has_hash(&common->engine, tick) && tick >= common->seats.first_tick &&
           tick - bksi_heads_own(common) <= most;
}

/// Whether to take a meeting of a host before us from a member, which takes no earlier one: once in
/// a view, as any can say so, and while none of ours can have ended for another, which needs us
/// DONE.
static bool inherits(const session_meeting *meeting, const session_common *common)
{
    const uint32_t view = common->membership.view;
    return is_host(common) && view > common->membership.first && view > meeting->inherited_view &&
           !(meeting->is_on && meeting->own.stage == BKSI_MEET_DONE);
}

bool bksi_meeting_heard(session_meeting *meeting, const session_common *common, uint32_t peer,
                        const bksi_meet_message *message)
{
    if (common->seats.on_desync != BKS_ON_DESYNC_RESYNC) {
        return false;
    }
    if (message->tick == meeting->own.tick) {
        session_meeting_peer *known = &meeting->peers[peer];
        const bool is_news = number_of(message) > number_of(&known->said);
        const uint32_t seen = message->seen > known->said.seen ? message->seen : known->said.seen;
        if (is_news) {
            bksi_majority_take(&known->said, message, common->seats.first_tick);
        }
        known->said.seen = seen;
        meeting->replies |= is_news || seen < number_of(&meeting->own) ? PEER_BIT(peer) : 0;
        return true;
    }
    const bool is_new = message->tick > meeting->own.tick && message->tick > meeting->announced;
    const bool is_of_host = peer == bksi_membership_host(&common->membership);
    if (!is_new || !(is_of_host || inherits(meeting, common))) {
        return true; // of one that has ended
    }
    if (!can_be(common, message->tick)) {
        return false;
    }
    meeting->announced = message->tick;
    meeting->inherited_view = is_of_host ? meeting->inherited_view : common->membership.view;
    return true;
}

// ---- a meeting begins ----

static void begin(session_meeting *meeting, session_common *common, bks_tick tick)
{
    meeting->own = (bksi_meet_message){.tick = tick, .from = common->seats.self};
    meeting->announced = BKS_TICK_NONE;
    meeting->is_on = true;
    meeting->is_held = tick > bksi_rollback_published(&common->engine);
    meeting->is_decided = meeting->is_hopeless = false;
    meeting->waiting_ns = 0;
    meeting->majority = meeting->tried = meeting->repaired = 0;
    meeting->replies = bksi_common_others(common);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        meeting->peers[i] = (session_meeting_peer){.said.tick = BKS_TICK_NONE};
    }
    if (meeting->is_held) {
        bksi_rollback_hold(&common->engine, tick);
    } else {
        bksi_rollback_let_go(&common->engine, false);
        go_on(meeting, BKSI_MEET_FAILED); // it is too late
    }
}

/// The tick in which all can meet.
/// @return BKS_TICK_NONE: the match ends before
static bks_tick choose_tick(const session_common *common)
{
    const int64_t every = common->seats.hash_every;
    const bks_tick published = bksi_rollback_published(&common->engine);
    const bks_tick end = bksi_common_end(common);
    int64_t tick = (int64_t)bksi_heads_own(common) + AHEAD_TICKS;
    tick = (tick + every - 1) / every * every;
    tick = end > 0 && tick > end ? end : tick;
    return tick > published && tick <= INT32_MAX ? (bks_tick)tick : BKS_TICK_NONE;
}

/// The host calls a meeting where somebody differs from it.
static void call(session_meeting *meeting, const session_checking *checking, session_common *common)
{
    if (bksi_checking_seen(checking, common) == 0) {
        meeting->failures = 0;
        return;
    }
    const bks_tick tick = choose_tick(common);
    if (tick != BKS_TICK_NONE && tick > meeting->own.tick) {
        begin(meeting, common, tick);
    }
}

// ---- what we have there ----

static void state(session_meeting *meeting, const session_checking *checking,
                  session_common *common)
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
        return; // since when is not known yet
    }
    own->state = waiting->state;
    own->inputs = waiting->inputs;
    own->differing = differing;
    EACH_PEER (i, differing) {
        const bks_tick since = bksi_checking_differs_at(checking, i);
        own->since[i] = since < own->tick ? since : own->tick;
    }
    go_on(meeting, BKSI_MEET_STATED);
}

// ---- who is to have whose ----

/// What all have said, by peer.
typedef struct all_said {
    const bksi_meet_message *by[BKS_PEERS_MAX];
} all_said;

static all_said hear_all(const session_meeting *meeting, const session_common *common)
{
    all_said said;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        said.by[i] = said_by(meeting, common, i);
    }
    return said;
}

/// Whether this is one repair too many, and half of the members, rounded down, name a difference.
static bool is_one_too_many(const session_meeting *meeting, const session_common *common)
{
    const int64_t first = meeting->repairs[meeting->repair_count % REPAIRS_MAX];
    const uint32_t members = bksi_common_members(common);
    const all_said said = hear_all(meeting, common);
    return meeting->repair_count >= REPAIRS_MAX &&
           meeting->own.tick - first < (int64_t)common->config.tick_rate_hz * REPAIRS_S &&
           bksi_majority_naming(said.by, members) >= bksi_peers_count(members) / 2;
}

/// Fetch it from the next of the majority.
static void fetch_from_next(session_meeting *meeting, session_fetch *fetch,
                            const session_common *common)
{
    const uint32_t left = meeting->majority & ~meeting->tried & bksi_common_members(common);
    bksi_fetch_end(fetch);
    if (left == 0 || !bksi_rollback_can_restore(&common->engine)) {
        go_on(meeting, BKSI_MEET_FAILED);
        return;
    }
    const uint32_t from = bksi_lowest_bit(left);
    meeting->tried |= PEER_BIT(from);
    meeting->own.from = from;
    bksi_fetch_begin(fetch, common, meeting->own.tick, from);
}

/// All have said what they have. Every member comes to the same.
static void decide(session_meeting *meeting, session_fetch *fetch, const session_common *common)
{
    const uint32_t members = bksi_common_members(common);
    const all_said said = hear_all(meeting, common);
    meeting->is_decided = true;
    if (!bksi_majority_shares_inputs(said.by, members) || is_one_too_many(meeting, common)) {
        meeting->is_hopeless = true;
        return;
    }
    meeting->majority = bksi_majority_now(said.by, members);
    meeting->repaired =
        members & ~(meeting->majority & bksi_majority_before(said.by, members)); // or it has healed
    if ((meeting->majority & PEER_BIT(common->seats.self)) != 0) {
        go_on(meeting, BKSI_MEET_DONE);
    } else {
        fetch_from_next(meeting, fetch, common);
    }
}

// ---- we fetch it ----

static void watch_fetch(session_meeting *meeting, session_fetch *fetch, session_common *common)
{
    const bksi_tick_hash *waiting = bksi_rollback_waiting(&common->engine);
    const uint64_t wanted = said_by(meeting, common, bksi_lowest_bit(meeting->majority))->state;
    if (waiting != NULL && waiting->state == wanted) {
        bksi_fetch_end(fetch);
        meeting->own.bytes = fetch->bytes;
        go_on(meeting, BKSI_MEET_DONE);
    } else if (fetch->stage == FETCH_HAS_ALL) {
        bksi_fetch_end(fetch);
        bksi_rollback_restore(&common->engine, wanted);
    } else if (fetch->stage == FETCH_FAILED ||
               (fetch->stage == FETCH_RESTS && !bksi_rollback_is_restoring(&common->engine)) ||
               common->now_ns >= fetch->heard_ns + FETCH_PATIENCE_NS) {
        fetch_from_next(meeting, fetch, common);
    }
}

// ---- it ends ----

static void finish(session_meeting *meeting, session_checking *checking, session_common *common)
{
    const bks_tick tick = meeting->own.tick;
    const all_said all = hear_all(meeting, common);
    const uint32_t others = bksi_common_members(common) & ~meeting->repaired;
    EACH_PEER (i, meeting->repaired & bksi_common_members(common)) {
        const bksi_meet_message *said = said_by(meeting, common, i);
        const bks_repair repair = {.tick = tick,
                                   .since = bksi_majority_since(all.by, others, i, tick),
                                   .peer = i,
                                   .from = said->bytes > 0 ? said->from : i,
                                   .bytes = said->bytes};
        bksi_repairs_add(&common->repairs, &common->events, &repair);
    }
    if (meeting->repaired != 0) {
        meeting->repairs[meeting->repair_count % REPAIRS_MAX] = tick;
        meeting->repair_count++;
    }
    meeting->is_on = meeting->is_held = false;
    meeting->ended_ns = common->now_ns;
    meeting->failures = 0;
    bksi_checking_repaired(checking, common, tick);
    bksi_rollback_let_go(&common->engine, true);
}

static void give_up(session_meeting *meeting, session_fetch *fetch, session_common *common)
{
    bksi_fetch_end(fetch);
    if (fetch->has_written && fetch->tick == meeting->own.tick &&
        meeting->own.stage != BKSI_MEET_DONE) {
        bksi_rollback_spoil_kept(&common->engine, fetch->tick);
    }
    meeting->is_on = meeting->is_held = false;
    meeting->ended_ns = common->now_ns;
    bksi_rollback_let_go(&common->engine, false);
}

/// Whether we are not to wait any longer: the host has given up, or all come to the same.
static bool is_in_vain(const session_meeting *meeting, const session_common *common)
{
    const uint32_t host = bksi_membership_host(&common->membership);
    return meeting->is_hopeless ||
           number_of(said_by(meeting, common, host)) == BKSI_MEET_FAILED + 1;
}

/// Whether it takes too long: the inputs from its tick on must still be there to step them again.
static bool takes_too_long(const session_meeting *meeting, const session_common *common)
{
    const bks_tick behind = bksi_rollback_front(&common->engine) - meeting->own.tick;
    const uint64_t drop_ns = common->config.tuning.drop_after_ms * NS_PER_MS;
    const uint64_t patience_ns = (is_host(common) ? 1 : 2) * (PATIENCE_NS + drop_ns);
    return behind > bksi_rollback_held_max(&common->engine) ||
           (meeting->waiting_ns > 0 && common->now_ns >= meeting->waiting_ns + patience_ns);
}

/// The host: it comes to nothing. Another one is called, unless it is hopeless.
static void fail(session_meeting *meeting, session_fetch *fetch, session_common *common)
{
    meeting->failures++;
    go_on(meeting, BKSI_MEET_FAILED);
    give_up(meeting, fetch, common);
    if (meeting->is_hopeless || meeting->failures == FAILURES_MAX) {
        bksi_log(BKS_LOG_WARNING, "session.meeting", "the states are not repaired at tick %d",
                 (int)meeting->own.tick);
        bksi_ending_decide(&common->ending, &common->seats, &common->events, &common->engine);
    }
}

static void attend(session_meeting *meeting, session_fetch *fetch, session_checking *checking,
                   session_common *common)
{
    if (meeting->is_held && meeting->own.stage == BKSI_MEET_HEARD) {
        state(meeting, checking, common);
    }
    if (!meeting->is_decided && are_at(meeting, common, BKSI_MEET_STATED)) {
        decide(meeting, fetch, common);
    }
    if (meeting->is_decided && !meeting->is_hopeless && meeting->own.stage == BKSI_MEET_STATED) {
        watch_fetch(meeting, fetch, common);
    }
    if (are_at(meeting, common, BKSI_MEET_DONE) && meeting->is_decided) {
        finish(meeting, checking, common);
        return;
    }
    if (meeting->waiting_ns > 0 && meeting->view != common->membership.view) {
        meeting->waiting_ns = common->now_ns; // one that kept us waiting is gone
    }
    meeting->view = common->membership.view;
    meeting->is_hopeless |= takes_too_long(meeting, common);
    if (is_host(common) && (meeting->is_hopeless ||
                            find_at(meeting, common, BKSI_MEET_FAILED, BKSI_MEET_FAILED) != 0)) {
        fail(meeting, fetch, common);
    } else if (!is_host(common) && is_in_vain(meeting, common)) {
        give_up(meeting, fetch, common);
    }
}

void bksi_meeting_update(session_meeting *meeting, session_fetch *fetch, session_checking *checking,
                         session_common *common)
{
    if (common->seats.on_desync != BKS_ON_DESYNC_RESYNC) {
        return;
    }
    if (common->ending.tick > 0) {
        if (meeting->is_on) {
            give_up(meeting, fetch, common);
        }
        return;
    }
    if (meeting->announced > meeting->own.tick) {
        bksi_fetch_end(fetch);
        begin(meeting, common, meeting->announced);
    }
    if (meeting->is_on) {
        attend(meeting, fetch, checking, common);
    } else if (is_host(common)) {
        call(meeting, checking, common);
    }
}

// ---- what others need of us ----

bool bksi_meeting_lets_fetch(const session_meeting *meeting, uint32_t peer, bks_tick tick)
{
    return meeting->is_on && meeting->is_decided && tick == meeting->own.tick &&
           (meeting->majority & PEER_BIT(peer)) == 0;
}

uint32_t bksi_meeting_peers(const session_meeting *meeting, const session_common *common)
{
    uint32_t owed = 0;
    if (meeting->own.tick == BKS_TICK_NONE ||
        (!meeting->is_on && common->now_ns >= meeting->ended_ns + AFTERWARDS_NS)) {
        return 0;
    }
    EACH_PEER (i, bksi_common_others(common)) {
        const session_meeting_peer *peer = &meeting->peers[i];
        const bool is_due =
            peer->said.seen < number_of(&meeting->own) || (meeting->replies & PEER_BIT(i)) != 0;
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
    message.seen = number_of(&peer->said);
    bksi_meet_write(writer, &message);
}
