// SPDX-License-Identifier: MIT

// Members of the match, as a log of numbered views outside the timelines. The next view is the
// result of a ballot (ballots.c). Peers that have entered the next view send COMMIT to its other
// members, until all have entered it.
//
// Two peers in one view never confirm different inputs. A view's hash covers the end of each
// leaver, and a leaver's inputs before its end are its own. No peer confirms ticks beyond a
// leaver's end before it enters the view, because every peer that agreed to the view stopped taking
// the leaver's inputs at or before that end.
//
// No two members enter different views. A peer that agrees to a ballot accepts a commit only from
// peers that are not leavers of this ballot. If such a peer has another view, it never agrees to
// the ballot, which is therefore never decided. A proposer never decides a ballot that it withdrew.

#include "session/members/views.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mutant.h"
#include "base/report.h"
#include "wire/carried.h"

/// Shortest time between two GONE to a peer that is out of the view and still sends.
#define GONE_REPLY_NS (250 * NS_PER_MS)

/// Time after its last packet for which a peer counts as being on our side of a split.
#define HEARD_NS (2 * NS_PER_SECOND)

/// Time after its last packet for which a peer counts as in our view, whatever others report.
#define OURS_NS NS_PER_SECOND

/// Shortest time between two copies of an unanswered message, in gaps between two packets.
#define REPEAT_GAPS 3u

/// Silence of the host after which a guest believes other peers that the match began without it.
#define HOST_SILENT_NS (2 * NS_PER_SECOND)

void bksi_views_extend(session_runs *runs, bksi_rollback *engine, const session_common *common)
{
    const uint32_t departed = bksi_common_departed(common);
    if (departed == 0) {
        return;
    }
    uint8_t neutral[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    size_t bytes = common->layout.bytes;
    for (uint32_t i = 0; i < BKS_PLAYERS_MAX; i++) {
        memcpy(neutral + i * bytes, common->layout.neutral, bytes);
    }
    EACH_PEER (i, departed) {
        const session_peer *peer = &common->seats.peers[i];
        for (uint32_t k = 0; bksi_mutated(BKSI_MUTANT_LEAVER) && k < peer->player_count; k++) {
            uint32_t player = peer->first_player + k;
            bks_tick newest = bksi_common_head(common, i) - 1;
            memcpy(neutral + k * bytes, bksi_rollback_known(engine, player, newest), bytes);
        }
        while (bksi_common_head(common, i) < bksi_common_own_head(common)) {
            bksi_runs_append(runs, engine, peer, neutral, NULL);
        }
    }
}

// ---- the next view ----

static void drop_peer(session_views *views, session_events *events, const session_common *common,
                      session_liveness *liveness, uint32_t index, bks_tick end, bool is_dropped)
{
    const bool has_quit = bksi_goodbyes_has_quit(&common->goodbyes, index);
    const char *silent = is_dropped ? "was dropped by the host" : "fell silent and is out";
    const char *how = has_quit ? "left" : silent;
    bks_event *event =
        bksi_events_report(events, BKS_EVENT_LEFT, index, end,
                           "peer %u %s at tick %d, the match continues", index, how, (int)end);
    bksi_log(has_quit ? BKS_LOG_INFO : BKS_LOG_WARNING, "session.left", "%s", event->text);
    bksi_liveness_drop(liveness, index);
    bksi_view_queue_clear(&views->queue, index);
    bksi_view_queue_set(&views->queue, index, VIEW_GONE,
                        !bksi_goodbyes_is_done(&common->goodbyes, index));
    bksi_view_queue_repeat_at(&views->queue, index, common->now_ns + GONE_REPEAT_NS);
}

/// Enter the next view. We have all inputs of its leavers before their ends.
static void adopt(session_views *views, session_common *common, session_inputs *inputs,
                  const next_view *next)
{
    const uint32_t dropped = bksi_ballots_dropped(&views->ballots, common);
    bksi_membership_enter(&common->membership, common->seats.self, next);
    bksi_membership_excuse(&common->membership, next->leavers & (dropped | common->goodbyes.left));
    bksi_ballots_reset(&views->ballots);
    EACH_PEER (i, next->leavers) {
        drop_peer(views, &common->events, common, &inputs->liveness, i, next->ends[i],
                  (dropped & PEER_BIT(i)) != 0);
    }
    EACH_PEER (i, bksi_common_others(common)) {
        bksi_view_queue_set(&views->queue, i, VIEW_COMMIT,
                            bksi_membership_is_behind(&common->membership, i));
    }
    bksi_views_extend(&inputs->runs, &common->engine, common);
}

/// Get the time after which unanswered messages to a peer are sent again. It is longer on a narrow
/// line, whose few packets must also carry other messages, above all INPUT.
static uint64_t repeat_after_ns(const session_common *common, uint32_t index)
{
    const uint64_t gaps_ns = REPEAT_GAPS * bksi_links_gap_ns(&common->links, index);
    return gaps_ns > VIEW_REPEAT_NS ? gaps_ns : VIEW_REPEAT_NS;
}

/// Send the unanswered messages to a peer again.
static void repeat(session_views *views, const session_common *common, uint32_t index)
{
    session_view_queue *queue = &views->queue;
    const bool is_deaf = bksi_goodbyes_is_done(&common->goodbyes, index);
    if (!bksi_common_has(common, index)) {
        bksi_view_queue_set(queue, index, VIEW_GONE, !is_deaf);
        bksi_view_queue_repeat_at(queue, index, common->now_ns + GONE_REPEAT_NS);
    } else if (bksi_phase_is_running(&common->phase)) {
        bksi_view_queue_set(queue, index, VIEW_COMMIT,
                            bksi_membership_is_behind(&common->membership, index) && !is_deaf);
        bksi_view_queue_set(queue, index, VIEW_PROPOSE,
                            bksi_ballots_asks(&views->ballots, common, index));
        bksi_view_queue_repeat_at(queue, index, common->now_ns + repeat_after_ns(common, index));
    }
}

/// Refuse further inputs of the peers that some ballot names, and of no others.
static void refreeze(const session_views *views, session_membership *membership,
                     const session_common *common)
{
    bksi_membership_freeze(membership, bksi_ballots_frozen(&views->ballots, common));
}

bool bksi_views_update(session_views *views, session_common *common, session_inputs *inputs)
{
    next_view next;
    bool is_decided =
        bksi_phase_is_running(&common->phase) &&
        bksi_ballots_update(&views->ballots, &views->queue, &common->events, common, inputs, &next);
    refreeze(views, &common->membership, common);
    if (is_decided) {
        adopt(views, common, inputs, &next);
    }
    EACH_PEER (i, bksi_seats_others(&common->seats)) {
        if (common->now_ns >= views->queue.repeat_ns[i]) {
            repeat(views, common, i);
        }
    }
    return is_decided;
}

// ---- messages about views that arrive ----

/// Process a commit.
/// @param next  receives the next view once all inputs of its leavers have come
static bool receive_commit(session_views *views, session_common *common, session_inputs *inputs,
                           uint32_t from, bksi_bit_reader *reader, next_view *next)
{
    bksi_commit message;
    if (!bksi_commit_read(reader, &message) ||
        !bksi_common_heads_can_be(common, message.leavers, message.ends)) {
        return false;
    }
    if (bksi_membership_has_entered(&common->membership, &message)) {
        bksi_membership_seen(&common->membership, from, message.base.view + 1);
        return true;
    }
    if (!bksi_membership_is_ours(&common->membership, &message.base) ||
        bksi_membership_is_frozen(&common->membership, from) ||
        common->membership.view == UINT16_MAX) {
        return true;
    }
    const uint32_t stayers = PEER_BIT(common->seats.self) | PEER_BIT(from);
    const uint32_t members = bksi_common_members(common);
    if (message.leavers == 0 || (message.leavers & ~members) != 0 ||
        message.members != (members & ~message.leavers) || (message.members & stayers) != stayers) {
        return false;
    }
    EACH_PEER (i, message.leavers) {
        if (bksi_common_head(common, i) > message.ends[i]) {
            return false;
        }
    }
    if (!bksi_ballots_close(&views->ballots, common, inputs, from, message.leavers)) {
        return true;
    }
    refreeze(views, &common->membership, common);
    if (!bksi_decisions_take(common, from, message.stop, &message.speed) ||
        !bksi_runs_read_of(&inputs->runs, &common->engine, &common->seats, reader, message.leavers,
                           message.ends)) {
        return false;
    }
    EACH_PEER (i, message.leavers) {
        if (bksi_common_head(common, i) < message.ends[i]) {
            // Send ANSWER, which tells the peer which inputs of the leavers we lack.
            bksi_view_queue_set(&views->queue, from, VIEW_ANSWER, true);
            return true;
        }
    }
    bksi_membership_plan(next, message.leavers, message.ends);
    return true;
}

// ---- splits: peers that went on without each other ----

static void end_dropped(session_views *views, session_common *common, uint32_t from,
                        uint32_t theirs)
{
    const bool has_begun = bksi_phase_has_start(&common->phase);
    views->is_dropped = true;
    bksi_phase_fail(&common->phase);
    bks_event *event =
        bksi_events_raise(&common->events, BKS_EVENT_DROPPED, from,
                          has_begun ? bksi_rollback_front(&common->engine) : BKS_TICK_NONE);
    const uint32_t more = bksi_peers_count(theirs) - 1;
    char others[40];
    if (more == 0) {
        (void)snprintf(others, sizeof(others), "peer %u plays", from);
    } else {
        (void)snprintf(others, sizeof(others), "peer %u and %u more play", from, more);
    }
    if (has_begun) {
        bksi_event_describe(event, "%s on without us since tick %d", others,
                            (int)bksi_rollback_confirmed(&common->engine));
    } else {
        bksi_event_describe(event, "%s without us: we did not hear of the start", others);
    }
    bksi_log(BKS_LOG_WARNING, "session.dropped", "%s", event->text);
    bksi_goodbyes_owe(&common->goodbyes, common->seats.all & ~PEER_BIT(common->seats.self));
}

/// Find the peers that were heard recently and have not quit, and ourselves, as bits.
static uint32_t find_heard(const session_common *common, const session_inputs *inputs,
                           uint32_t peers)
{
    uint32_t heard = peers & PEER_BIT(common->seats.self);
    EACH_PEER (i, peers & ~heard & ~common->goodbyes.quit) {
        const bool is_there = bksi_liveness_is_there(&inputs->liveness, common, i, HEARD_NS);
        heard |= is_there ? PEER_BIT(i) : 0;
    }
    return heard;
}

/// Return true if one of `peers` is in our view by its own report: it was heard recently, and has
/// sent no log of views without us. Others cannot report for it.
static bool is_one_ours(const session_views *views, const session_common *common,
                        const session_inputs *inputs, uint32_t peers)
{
    EACH_PEER (i, peers & bksi_common_others(common) & ~views->parted) {
        if (bksi_liveness_silence_ns(&inputs->liveness, common, i) < OURS_NS) {
            return true;
        }
    }
    return false;
}

/// Find the peers of `shared`, which the views of both sides of a split list, that belong to our
/// side by their own report, as bits.
static uint32_t find_confirmed(const session_views *views, const session_common *common,
                               uint32_t shared, uint32_t v)
{
    uint32_t confirmed = shared & PEER_BIT(common->seats.self);
    EACH_PEER (i, shared & bksi_common_others(common) & ~views->parted) {
        confirmed |= common->membership.peer_view[i] >= v ? PEER_BIT(i) : 0;
    }
    return confirmed;
}

/// Return true if, after a split, the others stay and we end. Take the first view in which both
/// logs differ: the members of our version are our side, the members of theirs are the other side.
/// The smaller side ends; on a tie the side without the lowest peer ends. Both sides find the same
/// result at any time, because the members of a view never change. A peer that is in both views
/// agreed to both ballots and can only adopt the view of the later ballot, so it counts for the
/// side that has this view.
///
/// If each side has a member that the other lacks, a liar decided both views: a peer in both counts
/// for the side that it reports. If only the ends differ, the side with the lower hash stays.
///
/// If we have not entered the view yet, we could only play on with peers that were dropped with us
/// and that we heard recently. Alone we end even on a tie: our process was probably frozen.
/// @param v  number of the view in which the others play on without us
static bool they_stay(const session_views *views, const session_common *common,
                      const session_inputs *inputs, const bksi_gone *message, uint32_t v)
{
    bool has_moved = v <= common->membership.view;
    uint32_t theirs = bksi_gone_members(message, v);
    uint32_t ours = has_moved ? bksi_membership_find(&common->membership, v)->members
                              : find_heard(common, inputs, bksi_common_members(common) & ~theirs);
    const uint32_t shared = ours & theirs;
    if (has_moved && ours == theirs) {
        return message->hashes[v % BKSI_GONE_VIEWS_MAX] <
               (uint32_t)bksi_membership_find(&common->membership, v)->hash;
    }
    const bool is_apart = shared != ours && shared != theirs;
    const uint32_t confirmed = is_apart ? find_confirmed(views, common, shared, v) : 0;
    ours &= shared != ours ? ~shared | confirmed : ~0u;
    theirs &= shared != theirs ? ~shared | (shared & views->parted & ~confirmed) : ~0u;
    uint32_t their_count = bksi_peers_count(theirs);
    uint32_t our_count = bksi_peers_count(ours);
    if (their_count != our_count) {
        return their_count > our_count;
    }
    return (!has_moved && our_count == 1) || bksi_peers_lowest(theirs) < bksi_peers_lowest(ours);
}

/// Guest: return true if the match has begun without us. The host knows it; other peers are
/// believed only while the host is silent.
static bool has_missed_start(const session_common *common, const session_inputs *inputs,
                             uint32_t from)
{
    return bksi_phase_is_in_lobby(&common->phase) && !bksi_phase_has_start(&common->phase) &&
           !common->config.is_host &&
           (from == 0 || bksi_liveness_silence_ns(&inputs->liveness, common, 0) >= HOST_SILENT_NS);
}

static bool receive_gone(session_views *views, session_common *common, const session_inputs *inputs,
                         uint32_t from, bksi_bit_reader *reader)
{
    bksi_gone message;
    if (!bksi_gone_read(reader, &message) ||
        (bksi_gone_members(&message, message.view) & PEER_BIT(from)) == 0 ||
        (bksi_gone_members(&message, message.view) & PEER_BIT(common->seats.self)) != 0) {
        return false;
    }
    const uint32_t theirs = bksi_gone_members(&message, message.view);
    if (has_missed_start(common, inputs, from)) {
        end_dropped(views, common, from, theirs);
        return true;
    }
    if (!bksi_phase_is_running(&common->phase)) {
        // In the lobby send no goodbye: we begin the match soon, and judge the next GONE then.
        bksi_goodbyes_set(&common->goodbyes, from, !bksi_phase_is_in_lobby(&common->phase));
        if (bksi_common_has_played(common) && !bksi_common_has(common, from)) {
            bksi_views_heard_departed(views, common, from);
        }
        return true;
    }
    const uint32_t v = bksi_membership_parting(&common->membership, &message, common->seats.self);
    if (v > message.view) {
        return false;
    }
    views->parted |= PEER_BIT(from);
    if (is_one_ours(views, common, inputs, bksi_gone_members(&message, v) | theirs)) {
        return true;
    }
    if (they_stay(views, common, inputs, &message, v)) {
        end_dropped(views, common, from, theirs);
        return true;
    }
    bksi_goodbyes_quit(&common->goodbyes, theirs & bksi_common_members(common));
    return true;
}

void bksi_views_heard_departed(session_views *views, const session_common *common, uint32_t index)
{
    session_view_queue *queue = &views->queue;
    const bool is_new = queue->repeat_ns[index] > common->now_ns + GONE_REPEAT_NS - GONE_REPLY_NS;
    if (!is_new && !bksi_goodbyes_is_done(&common->goodbyes, index)) {
        bksi_view_queue_set(queue, index, VIEW_GONE, true);
        bksi_view_queue_repeat_at(queue, index, common->now_ns + GONE_REPEAT_NS);
    }
}

bool bksi_views_receive(session_views *views, session_common *common, session_inputs *inputs,
                        uint32_t from, bksi_bit_reader *reader, bool *has_entered)
{
    *has_entered = false;
    bksi_view_type type;
    if (!bksi_view_type_read(reader, &type)) {
        return false;
    }
    if (type == BKSI_VIEW_GONE) {
        return receive_gone(views, common, inputs, from, reader);
    }
    if (!bksi_phase_is_running(&common->phase)) {
        return true;
    }
    if (type == BKSI_VIEW_PROPOSE) {
        const bool is_sound = bksi_ballots_receive_propose(&views->ballots, &views->queue, common,
                                                           inputs, from, reader);
        refreeze(views, &common->membership, common);
        return is_sound;
    }
    next_view next = {0};
    bool is_sound = type == BKSI_VIEW_ANSWER
                        ? bksi_ballots_receive_answer(&views->ballots, &views->queue, common,
                                                      inputs, from, reader, &next)
                        : receive_commit(views, common, inputs, from, reader, &next);
    *has_entered = next.leavers != 0;
    if (*has_entered) {
        adopt(views, common, inputs, &next);
    }
    return is_sound;
}

// ---- messages about views to send ----

static void write_commit(const session_common *common, const session_inputs *inputs, uint32_t to,
                         bksi_bit_writer *writer)
{
    uint32_t base = common->membership.peer_view[to];
    const session_view *next = bksi_membership_find(&common->membership, base + 1);
    bksi_commit message = {.base = bksi_membership_name(&common->membership, base),
                           .members = next->members,
                           .leavers = next->leavers,
                           .stop = common->ending.tick,
                           .speed = common->game_speed.decision};
    memcpy(message.ends, next->ends, sizeof(message.ends));
    bksi_commit_write(writer, &message);
    bksi_runs_write_lacking(&inputs->runs, common, writer, to, next->leavers, next->ends);
}

static void write_gone(const session_common *common, bksi_bit_writer *writer)
{
    const session_membership *membership = &common->membership;
    const uint32_t oldest = bksi_membership_oldest(membership);
    bksi_gone message = {.view = membership->view, .count = membership->view - oldest + 1};
    for (uint32_t v = oldest; v <= membership->view; v++) {
        const session_view *view = bksi_membership_find(membership, v);
        message.hashes[v % BKSI_GONE_VIEWS_MAX] = (uint32_t)view->hash;
        message.members[v % BKSI_GONE_VIEWS_MAX] = view->members;
    }
    bksi_gone_write(writer, &message);
}

size_t bksi_views_send(session_views *views, const session_common *common,
                       const session_inputs *inputs, uint32_t index, uint8_t *body)
{
    session_view_queue *queue = &views->queue;
    view_message message = bksi_view_queue_first(queue, index);
    if (message != VIEW_GONE && !bksi_phase_is_running(&common->phase)) {
        bksi_view_queue_clear(queue, index);
        return 0;
    }
    bksi_bit_writer writer = bksi_bit_writer_over(body, BKSI_MESSAGE_BYTES_MAX);
    bksi_view_queue_set(queue, index, message, false);
    if (message == VIEW_GONE) {
        if (!bksi_mutated(BKSI_MUTANT_GONE)) {
            write_gone(common, &writer);
        }
    } else if (message == VIEW_ANSWER) {
        bksi_ballots_write_answer(&views->ballots, common, inputs, index, &writer);
    } else if (message == VIEW_PROPOSE) {
        bksi_ballots_write_propose(&views->ballots, common, &writer);
    } else if (common->membership.peer_view[index] < common->membership.view) {
        write_commit(common, inputs, index, &writer);
    } // send nothing: the peer has entered our view by now
    return bksi_bit_writer_bytes(&writer);
}
