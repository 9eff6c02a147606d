// SPDX-License-Identifier: MIT

// Who is in the match, as a log of numbered views outside the timelines. The next view comes of a
// ballot (ballots.c), and whoever is in it tells whoever is not, until all members are.
//
// Why two peers in one view never confirm different inputs: a view's hash covers where each leaver
// ends, a leaver's inputs before its end are its own, and nobody confirms beyond the end before it
// is in the view, since all who make it have frozen their heads at or before it.
//
// Why no two members go different ways: whoever answered a ballot takes a commit only from those
// who are not its leavers. If such a one has another view, it will never answer that ballot, which
// therefore never comes to be.

#include "session/session_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/report.h"

static uint32_t everyone(const bks_session *session)
{
    return PEER_BIT(session->peer_count) - 1;
}

uint32_t bksi_views_members(const bks_session *session)
{
    return everyone(session) & ~session->departed;
}

bool bksi_views_has(const bks_session *session, uint32_t peer)
{
    return (bksi_views_members(session) & PEER_BIT(peer)) != 0;
}

void bksi_views_say_goodbye(bks_session *session)
{
    session->has_left = true;
    session->left_ns = session->now_ns;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        session->peers[i].owes_bye = i != session->self && bksi_views_has(session, i);
    }
}

uint32_t bksi_views_lowest(uint32_t peers)
{
    uint32_t lowest = 0;
    while (lowest < BKS_PEERS_MAX && (peers & PEER_BIT(lowest)) == 0) {
        lowest++;
    }
    return lowest;
}

uint32_t bksi_views_host(const bks_session *session)
{
    return bksi_views_lowest(bksi_views_members(session));
}

uint32_t bksi_views_count(uint32_t peers)
{
    uint32_t count = 0;
    for (; peers != 0; peers &= peers - 1) {
        count++;
    }
    return count;
}

bks_tick bksi_views_end(const bks_session *session, uint32_t peer)
{
    for (uint32_t v = 1; v <= session->view; v++) {
        if ((session->views[v].leavers & PEER_BIT(peer)) != 0) {
            return session->views[v].ends[peer];
        }
    }
    return BKS_TICK_NONE;
}

bksi_view_name bksi_views_name(const bks_session *session, uint32_t view)
{
    return (bksi_view_name){view, (uint32_t)session->views[view].hash};
}

bool bksi_views_is_ours(const bks_session *session, const bksi_view_name *name)
{
    return name->view == session->view &&
           name->hash == (uint32_t)session->views[session->view].hash;
}

bool bksi_views_knows(const bks_session *session, uint32_t view, uint32_t hash)
{
    return view > session->view || (uint32_t)session->views[view].hash == hash;
}

bool bksi_views_agree_on(const bks_session *session, uint32_t view, bks_tick tick)
{
    if (view > session->view) {
        return false;
    }
    for (uint32_t v = view + 1; v <= session->view; v++) {
        for (uint32_t i = 0; i < session->peer_count; i++) {
            if ((session->views[v].leavers & PEER_BIT(i)) != 0 &&
                tick > session->views[v].ends[i]) {
                return false;
            }
        }
    }
    return true;
}

void bksi_views_extend(bks_session *session)
{
    if (session->departed == 0) {
        return;
    }
    uint8_t neutral[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    size_t bytes = session->layout.bytes;
    for (uint32_t i = 0; i < BKS_PLAYERS_MAX; i++) {
        memcpy(neutral + i * bytes, session->layout.neutral, bytes);
    }
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if ((session->departed & PEER_BIT(i)) == 0) {
            continue;
        }
        const session_peer *peer = &session->peers[i];
        for (uint32_t k = 0; bksi_mutated(BKSI_MUTANT_LEAVER) && k < peer->player_count; k++) {
            uint32_t player = peer->first_player + k;
            bks_tick newest = bksi_heads_of(session, i) - 1;
            memcpy(neutral + k * bytes, bksi_rollback_known(&session->engine, player, newest),
                   bytes);
        }
        while (bksi_heads_of(session, i) < bksi_heads_own(session)) {
            bksi_exchange_append(session, i, neutral);
        }
    }
}

// ---- the next view ----

static uint64_t hash_view(uint64_t before, const session_view *view)
{
    uint64_t hash = bksi_hash64_pair(before, view->leavers);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if ((view->leavers & PEER_BIT(i)) != 0) {
            hash = bksi_hash64_pair(hash, (uint64_t)view->ends[i]);
        }
    }
    return hash;
}

/// What others told of ticks on which the views no longer agree is not to be compared.
static void forget_hashes(bks_session *session, uint32_t view)
{
    for (uint32_t i = 0; i < session->peer_count; i++) {
        session_peer *peer = &session->peers[i];
        for (uint32_t k = 0; k < REMOTE_HASHES_KEPT; k++) {
            if (!bksi_views_agree_on(session, view, peer->hashes[k].tick)) {
                peer->hashes[k].kind = BKSI_HASH_NONE;
            }
        }
    }
}

static void let_go(bks_session *session, uint32_t index, bks_tick end)
{
    session_peer *peer = &session->peers[index];
    bks_event *event = bksi_session_tell(session, BKS_EVENT_LEFT, index, end);
    (void)snprintf(event->text, sizeof(event->text), "peer %u %s at tick %d, the match goes on",
                   index, peer->has_quit ? "left" : "fell silent and is out", (int)end);
    bksi_log(BKS_LOG_INFO, "session.left", "%s", event->text);
    peer->is_silent = false;
    peer->owes_inputs = 0;
    peer->owes_propose = peer->owes_answer = peer->owes_commit = false;
    peer->owes_gone = !peer->said_bye;
    peer->view_next_ns = session->now_ns + GONE_REPEAT_NS;
}

bool bksi_views_is_behind(const bks_session *session, uint32_t index)
{
    return session->peers[index].view < session->view && !bksi_mutated(BKSI_MUTANT_COMMIT);
}

/// Enter the next view. All inputs of its leavers before their ends are here.
void bksi_views_adopt(bks_session *session, const session_view *next)
{
    uint32_t host = bksi_views_host(session);
    session->view++;
    session->views[session->view] = *next;
    session->views[session->view].hash = hash_view(session->views[session->view - 1].hash, next);
    session->departed |= next->leavers;
    session->frozen = 0;
    session->promised = (session_ballot){0};
    session->leavers = 0;
    session->is_proposing = false;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if ((next->leavers & PEER_BIT(i)) != 0) {
            let_go(session, i, next->ends[i]);
        } else {
            session->peers[i].is_mute = false;
        }
    }
    session->stats.views++;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if (i != session->self && bksi_views_has(session, i)) {
            session->peers[i].owes_commit = bksi_views_is_behind(session, i);
        }
    }
    if (bksi_views_host(session) == session->self && host != session->self) {
        session->stats.handovers++;
    }
    forget_hashes(session, session->view - 1);
    bksi_views_extend(session);
}

void bksi_views_update(bks_session *session)
{
    if (session->phase == BKS_PHASE_RUNNING) {
        bksi_ballots_update(session);
    }
    for (uint32_t i = 0; i < session->peer_count; i++) {
        session_peer *peer = &session->peers[i];
        if (i == session->self || session->now_ns < peer->view_next_ns) {
            continue;
        }
        if (!bksi_views_has(session, i)) {
            peer->owes_gone = !peer->said_bye;
            peer->view_next_ns = session->now_ns + GONE_REPEAT_NS;
        } else if (session->phase == BKS_PHASE_RUNNING) {
            peer->owes_commit = bksi_views_is_behind(session, i) && !peer->said_bye;
            peer->owes_propose =
                session->is_proposing && (bksi_ballots_voters(session) & PEER_BIT(i)) != 0;
            peer->view_next_ns = session->now_ns + VIEW_REPEAT_NS;
        }
    }
}

bool bksi_views_is_urgent(const bks_session *session)
{
    for (uint32_t i = 0; i < session->peer_count; i++) {
        const session_peer *peer = &session->peers[i];
        if (peer->owes_propose || peer->owes_answer || peer->owes_commit || peer->owes_gone) {
            return true;
        }
    }
    return session->relay_count > 0;
}

// ---- messages in ----

/// Take what a message brings of the leavers' inputs, each before its limit.
bool bksi_views_read_runs(bks_session *session, bksi_bit_reader *reader, uint32_t leavers,
                          const bks_tick *limits)
{
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if ((leavers & PEER_BIT(i)) != 0 &&
            !bksi_exchange_read_run(session, reader, i, limits[i])) {
            return false;
        }
    }
    return true;
}

bool bksi_views_are_sane(const bks_session *session, uint32_t leavers, const bks_tick *heads)
{
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if ((leavers & PEER_BIT(i)) != 0 &&
            heads[i] > bksi_heads_own(session) + (bks_tick)session->engine.config.capacity_ticks) {
            return false;
        }
    }
    return true;
}

static bool receive_commit(bks_session *session, uint32_t from, bksi_bit_reader *reader)
{
    bksi_commit message;
    if (!bksi_commit_read(reader, &message) ||
        !bksi_views_are_sane(session, message.leavers, message.ends)) {
        return false;
    }
    if (!bksi_views_is_ours(session, &message.base) || (session->frozen & PEER_BIT(from)) != 0 ||
        session->view + 1 == BKS_PEERS_MAX) {
        return true;
    }
    uint32_t stayers = PEER_BIT(session->self) | PEER_BIT(from);
    if ((message.leavers & ~bksi_views_members(session)) != 0 || (message.leavers & stayers) != 0) {
        return false;
    }
    session_view next = {.leavers = message.leavers};
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if ((message.leavers & PEER_BIT(i)) == 0) {
            continue;
        }
        if (bksi_heads_of(session, i) > message.ends[i]) {
            return false;
        }
        next.ends[i] = message.ends[i];
    }
    session->frozen |= message.leavers;
    if (!bksi_views_read_runs(session, reader, message.leavers, message.ends)) {
        return false;
    }
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if ((message.leavers & PEER_BIT(i)) != 0 && bksi_heads_of(session, i) < message.ends[i]) {
            return true;
        }
    }
    bksi_views_adopt(session, &next);
    return true;
}

// ---- splits ----

/// Who was in a view of ours.
static uint32_t members_in(const bks_session *session, uint32_t view)
{
    uint32_t members = everyone(session);
    for (uint32_t v = 1; v <= view; v++) {
        members &= ~session->views[v].leavers;
    }
    return members;
}

static void end_dropped(bks_session *session, uint32_t from, uint32_t theirs)
{
    session->phase = BKS_PHASE_FAILED;
    bks_event *event = bksi_session_tell(session, BKS_EVENT_DROPPED, from, session->engine.front);
    (void)snprintf(event->text, sizeof(event->text),
                   "peer %u and %u more go on without us since tick %d", from,
                   bksi_views_count(theirs) - 1, (int)bks_session_confirmed(session));
    bksi_log(BKS_LOG_WARNING, "session.dropped", "%s", event->text);
    for (uint32_t i = 0; i < session->peer_count; i++) {
        session->peers[i].owes_bye = i != session->self;
    }
}

/// Where the logs of views part, each side has whom it went on with; of these the smaller side
/// ends, on a tie the one without the lowest peer. Both find the same, whenever they look: what was
/// in a view does not change any more. Who is in both answered both ballots, the lower one of which
/// it had not adopted and from then on could not, so it is of the higher, whose members all are.
///
/// Who has not moved on yet would go on with all whom the others let go with it, at most; being
/// alone it ends even on a tie, as who slept.
/// @param v  the view in which the others went on without us
static bool they_stay(const bks_session *session, const bksi_gone *message, uint32_t v)
{
    bool has_moved = v <= session->view;
    uint32_t theirs = message->members[v];
    uint32_t before = v > session->view + 1 ? message->members[v - 1] : members_in(session, v - 1);
    uint32_t ours = has_moved ? members_in(session, v) : before & ~theirs;
    if ((theirs & ~ours) == 0) {
        ours &= ~theirs;
    } else {
        theirs &= ~ours;
    }
    uint32_t their_count = bksi_views_count(theirs);
    uint32_t our_count = bksi_views_count(ours);
    if (their_count != our_count) {
        return their_count > our_count;
    }
    return (!has_moved && our_count == 1) || bksi_views_lowest(theirs) < bksi_views_lowest(ours);
}

static bool receive_gone(bks_session *session, uint32_t from, bksi_bit_reader *reader)
{
    bksi_gone message;
    if (!bksi_gone_read(reader, &message) || (message.members[1] & ~everyone(session)) != 0 ||
        (message.members[message.view] & PEER_BIT(from)) == 0 ||
        (message.members[message.view] & PEER_BIT(session->self)) != 0) {
        return false;
    }
    if (session->phase != BKS_PHASE_RUNNING) {
        session->peers[from].owes_bye = session->stage == LOBBY_GO;
        return true;
    }
    uint32_t v = 1;
    while (v <= session->view && v <= message.view &&
           message.hashes[v] == (uint32_t)session->views[v].hash) {
        v++;
    }
    while (v > session->view && v <= message.view &&
           (message.members[v] & PEER_BIT(session->self)) != 0) {
        v++; // views with us that we have not heard of
    }
    if (v > message.view) {
        return false;
    }
    uint32_t theirs = message.members[message.view];
    if (they_stay(session, &message, v)) {
        end_dropped(session, from, theirs);
        return true;
    }
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if ((theirs & PEER_BIT(i)) != 0 && bksi_views_has(session, i)) {
            session->peers[i].has_quit = true;
        }
    }
    return true;
}

void bksi_views_heard_departed(bks_session *session, uint32_t index)
{
    session_peer *peer = &session->peers[index];
    if (peer->said_bye || peer->view_next_ns > session->now_ns + GONE_REPEAT_NS - GONE_REPLY_NS) {
        return;
    }
    peer->owes_gone = true;
    peer->view_next_ns = session->now_ns + GONE_REPEAT_NS;
}

bool bksi_views_receive(bks_session *session, uint32_t type, uint32_t from, const uint8_t *body,
                        size_t count)
{
    bksi_bit_reader reader = bksi_bit_reader_over(body, count);
    if (type == BKSI_PACKET_GONE) {
        return receive_gone(session, from, &reader);
    }
    if (session->phase != BKS_PHASE_RUNNING) {
        return true;
    }
    if (type == BKSI_PACKET_PROPOSE) {
        return bksi_ballots_receive_propose(session, from, &reader);
    }
    if (type == BKSI_PACKET_ANSWER) {
        return bksi_ballots_receive_answer(session, from, &reader);
    }
    return receive_commit(session, from, &reader);
}

// ---- messages out ----

void bksi_views_write_runs(bks_session *session, bksi_bit_writer *writer, uint32_t to,
                           uint32_t leavers, const bks_tick *ends)
{
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if ((leavers & PEER_BIT(i)) != 0) {
            bksi_exchange_write_run(session, writer, i, session->peers[to].wishes[i].need, ends[i]);
        }
    }
}

static void write_commit(bks_session *session, uint32_t to, bksi_bit_writer *writer)
{
    uint32_t base = session->peers[to].view;
    const session_view *next = &session->views[base + 1];
    bksi_commit message = {.base = bksi_views_name(session, base), .leavers = next->leavers};
    memcpy(message.ends, next->ends, sizeof(message.ends));
    bksi_commit_write(writer, &message);
    bksi_views_write_runs(session, writer, to, next->leavers, next->ends);
}

static void write_gone(const bks_session *session, bksi_bit_writer *writer)
{
    bksi_gone message = {.view = session->view};
    for (uint32_t v = 1; v <= session->view; v++) {
        message.hashes[v] = (uint32_t)session->views[v].hash;
        message.members[v] = members_in(session, v);
    }
    bksi_gone_write(writer, &message);
}

size_t bksi_views_send(bks_session *session, uint32_t index, uint8_t *body, uint32_t *type)
{
    session_peer *peer = &session->peers[index];
    bksi_bit_writer writer =
        bksi_bit_writer_over(body, BKSI_BODY_BYTES_MAX - BKSI_RELAY_HEAD_BYTES);
    if (peer->owes_gone) {
        peer->owes_gone = false;
        *type = BKSI_PACKET_GONE;
        if (!bksi_mutated(BKSI_MUTANT_GONE)) {
            write_gone(session, &writer);
        }
    } else if (session->phase != BKS_PHASE_RUNNING) {
        peer->owes_propose = peer->owes_answer = peer->owes_commit = false;
    } else if (peer->owes_answer) {
        peer->owes_answer = false;
        *type = BKSI_PACKET_ANSWER;
        bksi_ballots_write_answer(session, index, &writer);
    } else if (peer->owes_propose) {
        peer->owes_propose = false;
        *type = BKSI_PACKET_PROPOSE;
        bksi_ballots_write_propose(session, &writer);
    } else if (peer->owes_commit && peer->view < session->view) {
        peer->owes_commit = false;
        *type = BKSI_PACKET_COMMIT;
        write_commit(session, index, &writer);
    } else {
        peer->owes_commit = false; // it is in our view by now
    }
    return bksi_bit_writer_bytes(&writer);
}
