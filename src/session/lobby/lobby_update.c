// SPDX-License-Identifier: MIT

// Before the match guests ask for seats (JOIN) until they are in the host's ROSTER. Once all seats
// are taken, every peer makes the state of the first tick and reaches all others (LINK). Once all
// peers are ready, the host names the time of the first tick. Every message holds the whole
// progress of its sender and is repeated, so a lost packet delays nothing for long.

#include "session/lobby/lobby.h"

#include <string.h>

#include "base/mutant.h"
#include "session/lobby/lobby_messages.h"

/// Shortest time between two guests whose seats the host frees because they say goodbye or join
/// again. Otherwise a guest with the match key could come and go without end, and flood the player
/// with events.
#define GIVE_BACK_GAP_NS (100 * NS_PER_MS)

/// Time before a peer counts as lost in which all messages are repeated often.
#define LAST_CALLS_NS (2 * NS_PER_SECOND)

static void begin_linking(session_lobby *lobby, session_phase *phase, const session_common *common)
{
    bksi_phase_enter(phase, STAGE_LINKING);
    bksi_connectivity_begin(&lobby->connectivity, common);
    bksi_start_wait_for_all(&lobby->start);
    bksi_outbox_say_news(&lobby->outbox, common);
    bksi_outbox_owe_first_links(&lobby->outbox, bksi_seats_others(&common->seats));
}

void bksi_lobby_init(session_lobby *lobby, session_phase *phase, session_membership *membership,
                     const session_common *common, const bks_session_config *config)
{
    if (config->is_host) {
        bksi_start_set_up(&lobby->start, config->setup, config->setup_bytes);
    } else {
        bksi_outbox_owe_join(&lobby->outbox);
    }
    bksi_start_begin_view(&lobby->start, &common->seats, membership);
    if (config->is_host && config->local_players == config->players) {
        begin_linking(lobby, phase, common);
    }
}

// ---- for the host ----

static bool gave_back_lately(const session_lobby *lobby, const session_common *common)
{
    return lobby->gave_back_ns > 0 && common->now_ns - lobby->gave_back_ns < GIVE_BACK_GAP_NS;
}

/// Reset what the lobby knows of a peer's number, because the number passes to another peer.
static void begin_peer(session_lobby *lobby, session_common *common, session_liveness *liveness,
                       uint32_t number)
{
    bksi_connectivity_forget(&lobby->connectivity, number);
    bksi_links_forget(&common->links, number);
    bksi_liveness_forget(liveness, number);
    bksi_liveness_greeted(liveness, common, number);
}

/// Free a guest's seats.
/// @param has_left  true if the guest said goodbye; false: it may come again
static void remove_guest(session_lobby *lobby, session_common *common, uint32_t number,
                         bool has_left)
{
    if (has_left) {
        bksi_guard_unhold(&common->guard, common->seats.peers[number].channel);
        bksi_seats_let_go(&common->seats, number);
    }
    lobby->gave_back_ns = common->now_ns;
    bksi_phase_enter(&common->phase, STAGE_GATHERING);
    bksi_seats_remove(&common->seats, number);
    bksi_outbox_change_roster(&lobby->outbox, 0);
    bksi_start_begin_view(&lobby->start, &common->seats, &common->membership);
}

static void seat_guest(session_lobby *lobby, session_common *common, session_liveness *liveness,
                       bksi_channel from, const bksi_join *join)
{
    session_seats *seats = &common->seats;
    int32_t seat = -1;
    uint32_t reason = bksi_refusal_find(common, join, &seat);
    if (reason != 0) {
        bksi_refusal_of_guest(&lobby->refusal, &common->events, common, &lobby->start, from, join,
                              reason);
        return;
    }
    uint32_t number = bksi_seats_insert(seats, &common->guard, (uint32_t)seat, from, join);
    bksi_start_begin_view(&lobby->start, &common->seats, &common->membership);
    begin_peer(lobby, common, liveness, number);
    bksi_guard_hold(&common->guard, from);
    bksi_outbox_change_roster(&lobby->outbox, PEER_BIT(number));
    (void)bksi_events_raise(&common->events, BKS_EVENT_JOINED, number, BKS_TICK_NONE);
    if (bksi_seats_taken(seats) == seats->players) {
        begin_linking(lobby, &common->phase, common);
    }
}

static void take_join(session_lobby *lobby, session_common *common, session_liveness *liveness,
                      const bksi_guard_message *message, const bksi_join *join)
{
    bksi_channel from = message->channel;
    uint32_t index = bksi_seats_peer(&common->seats, from);
    bool is_too_late = bksi_phase_has_start(&common->phase);
    if (common->phase.outcome == OUTCOME_FAILED && !is_too_late) {
        bksi_refusal_of_guest(&lobby->refusal, &common->events, common, &lobby->start, from, join,
                              bksi_refusal_reason(&lobby->start));
        return;
    }
    // Do not answer a guest that the match has dropped meanwhile, so that this guest does not begin
    // the match.
    const bool is_dropped = index != BKS_PEERS_MAX && !bksi_common_has(common, index);
    if (index != BKS_PEERS_MAX && !message->is_proven) {
        // A ROSTER is no secret, so send it even to a peer that has not proven its identity.
        bksi_outbox_owe_rosters(&lobby->outbox, is_dropped ? 0 : PEER_BIT(index));
        return;
    }
    if (index != BKS_PEERS_MAX && common->seats.peers[index].nonce == join->nonce) {
        bksi_start_heard(&lobby->start, index, join);
        bksi_liveness_greeted(liveness, common, index);
        if (!is_dropped) {
            bksi_outbox_owe_answer(&lobby->outbox, index, common->now_ns);
        }
        return;
    }
    const bool is_over = common->phase.outcome == OUTCOME_ENDED && !is_too_late;
    if (is_over || bksi_seats_has_left(&common->seats, join->nonce) ||
        bksi_guard_identity(&common->guard, from) == NULL) {
        return; // the channel was released, or its handshake is not done: there is no peer to seat
    }
    // A known identity with another nonce is a guest whose process was started again.
    if (index != BKS_PEERS_MAX && !is_too_late) {
        if (gave_back_lately(lobby, common)) {
            return; // the guest repeats its JOIN
        }
        remove_guest(lobby, common, index, false);
    }
    seat_guest(lobby, common, liveness, from, join);
}

bool bksi_lobby_receive_join(session_lobby *lobby, session_common *common,
                             session_liveness *liveness, const bksi_guard_message *message,
                             bksi_byte_reader *reader)
{
    bksi_join join;
    if (!bksi_join_read(reader, &join)) {
        return false;
    }
    take_join(lobby, common, liveness, message, &join);
    return true;
}

/// If every guest is ready and all states are equal, set the time of the first tick, late enough
/// for the farthest guest to hear of it before.
static void try_go(session_lobby *lobby, session_phase *phase, session_events *events,
                   const session_common *common)
{
    bool are_ready = bksi_phase_is_linking(&common->phase);
    EACH_PEER (i, bksi_seats_others(&common->seats)) {
        are_ready &= lobby->start.peers[i].is_ready && common->links.peers[i].link.has_round_trip;
    }
    if (!are_ready) {
        return;
    }
    bool was_unequal = lobby->start.is_unequal;
    bksi_difference difference;
    start_verdict verdict = bksi_start_compare(&lobby->start, common, &difference);
    if (lobby->start.is_unequal && !was_unequal) {
        bksi_outbox_say_news(&lobby->outbox, common);
    }
    if (verdict == START_FAILED) {
        bksi_start_fail(&lobby->start, phase, events, common, &difference);
        bksi_refusal_begin(&lobby->refusal, common->now_ns);
    }
    if (verdict != START_EQUAL) {
        return;
    }
    bksi_phase_enter(phase, STAGE_STARTING);
    bksi_host_clock_begin(&lobby->host_clock,
                          common->now_ns + bksi_connectivity_farthest_ns(common) + WARM_UP_NS);
    bksi_outbox_say_news(&lobby->outbox, common);
}

// ---- for a guest ----

bool bksi_lobby_receive_roster(session_lobby *lobby, session_common *common,
                               session_liveness *liveness, bksi_byte_reader *reader)
{
    bksi_roster_message read;
    const bksi_roster_message *roster = &read;
    if (!bksi_roster_read(reader, &read) ||
        !bksi_lobby_roster_fits(common, &lobby->start, roster)) {
        return false;
    }
    if (bksi_phase_has_start(&common->phase) || roster->change < lobby->outbox.change) {
        return true;
    }
    bksi_outbox_follow_roster(&lobby->outbox, roster->change);
    if (common->seats.players == 0) {
        bksi_events_raise_seated(&common->events, roster->self);
    }
    bksi_start_set_up(&lobby->start, roster->setup, roster->setup_bytes);
    EACH_PEER (i, bksi_seats_find_new(&common->seats, roster)) {
        begin_peer(lobby, common, liveness, i);
    }
    bksi_seats_take(&common->seats, &common->guard, roster);
    const uint64_t before = bksi_membership_roster(&common->membership);
    bksi_start_begin_view(&lobby->start, &common->seats, &common->membership);
    bksi_connectivity_take_roster(&lobby->connectivity, common, roster->change);
    // Send LINK to the other guests, because they wait until we name the new roster.
    if (bksi_membership_roster(&common->membership) != before) {
        lobby->was_ready = false;
        bksi_outbox_begin(&lobby->outbox, common->now_ns);
        bksi_outbox_owe_links(&lobby->outbox, bksi_seats_others(&common->seats) & ~PEER_BIT(0));
    }
    bksi_liveness_greeted(liveness, common, 0);
    if (roster->stage == BKSI_ROSTER_GATHERING) {
        bksi_phase_enter(&common->phase, STAGE_GATHERING);
    } else if (!bksi_phase_has_roster(&common->phase)) {
        begin_linking(lobby, &common->phase, common);
    }
    bksi_start_take_unequal(&lobby->start, roster->stage == BKSI_ROSTER_UNEQUAL);
    if (roster->stage == BKSI_ROSTER_GO && lobby->start.is_made &&
        !bksi_lobby_is_contradicted(lobby, common)) {
        bksi_phase_enter(&common->phase, STAGE_STARTING);
        bksi_outbox_say_news(&lobby->outbox, common);
        bksi_host_clock_begin(&lobby->host_clock, common->now_ns + roster->go_delay_us * 1000ull);
        bksi_host_clock_start(&lobby->host_clock, roster->start_us);
        bksi_host_clock_settle(&lobby->host_clock, common->now_ns);
    }
    return true;
}

void bksi_lobby_go_now(session_lobby *lobby, session_phase *phase, const session_common *common)
{
    if (bksi_phase_is_linking(&common->phase) && bksi_phase_is_in_lobby(&common->phase) &&
        lobby->start.is_made && !common->config.is_host &&
        !bksi_lobby_is_contradicted(lobby, common)) {
        bksi_phase_enter(phase, STAGE_STARTING);
        bksi_host_clock_begin(&lobby->host_clock, common->now_ns);
    }
}

// ---- for the host and for guests ----

static void take_link(session_lobby *lobby, session_links *links, const session_common *common,
                      session_liveness *liveness, uint32_t index, const bksi_link_message *message)
{
    if (!lobby->connectivity.peers[index].heard) {
        // Repeat LINKs soon, because from now on they measure the round trip.
        bksi_outbox_begin(&lobby->outbox, common->now_ns);
    }
    const bool is_late = bksi_freeze_note(&lobby->freeze, common->now_ns) ||
                         bksi_connectivity_is_overtaken(&lobby->connectivity, index, message);
    if (bksi_connectivity_hear(&lobby->connectivity, index, message, is_late, common->now_ns)) {
        bksi_outbox_owe_links(&lobby->outbox, PEER_BIT(index));
    }
    if (lobby->freeze.woke_ns > 0) { // what a freeze cost shows when the next packet arrives
        bksi_links_note_missed(links, index);
    }
    bksi_liveness_greeted(liveness, common, index);
    int32_t trip_us = is_late ? -1 : bksi_connectivity_trip_us(common, index, message);
    if (trip_us >= 0) {
        bksi_links_measured(links, index, trip_us * 1000.0);
    }
    if (trip_us >= 0 && index == 0 &&
        bksi_host_clock_read(&lobby->host_clock, bksi_common_now_us(common), message->stamp_us,
                             trip_us)) {
        bksi_host_clock_settle(&lobby->host_clock, common->now_ns);
    }
}

bool bksi_lobby_receive_refusal(session_lobby *lobby, session_common *common, bksi_channel from,
                                bksi_byte_reader *reader)
{
    bksi_refuse refuse;
    if (!bksi_refuse_read(reader, &refuse)) {
        return false;
    }
    if (!common->config.is_host) {
        bksi_refusal_of_host(&lobby->refusal, &lobby->start, &common->phase, &common->events,
                             common, &refuse);
        return true;
    }
    if (refuse.reason != BKSI_REFUSED_START || bksi_phase_has_start(&common->phase)) {
        return false;
    }
    if (bksi_refusal_by_guest(&lobby->refusal, &common->events, common, &lobby->start, from,
                              gave_back_lately(lobby, common), &refuse)) {
        remove_guest(lobby, common, bksi_seats_peer(&common->seats, from), true);
    }
    return true;
}

void bksi_lobby_goodbye(session_lobby *lobby, session_common *common, bksi_channel from)
{
    const uint32_t sender =
        bksi_mutated(BKSI_MUTANT_FAREWELL) ? BKS_PEERS_MAX : bksi_seats_peer(&common->seats, from);
    if (sender == 0) {
        bksi_phase_end(&common->phase);
        bksi_refusal_left(&common->events, 0, "left");
    } else if (!common->config.is_host) {
        return; // the sender has started, and repeats its goodbye until we have started too
    } else if (sender != BKS_PEERS_MAX) {
        if (gave_back_lately(lobby, common)) {
            return; // the sender repeats its goodbye
        }
        bksi_refusal_left(&common->events, sender, "left");
        remove_guest(lobby, common, sender, true);
    }
    bksi_outbox_owe_heard(&lobby->outbox, from);
}

bool bksi_lobby_receive_link(session_lobby *lobby, session_common *common,
                             session_liveness *liveness, uint32_t sender,
                             const bksi_guard_message *message, const bksi_link_message *received)
{
    bksi_link_message link = *received;
    if (link.has_roster != bksi_seats_are_guests(&common->seats, sender)) {
        return false;
    }
    // A LINK in the first message of a handshake is not proven to be the peer's: its sender only
    // showed the match key. So take such a LINK only while no other LINK of the peer has come.
    const bool counts = message->is_proven || !lobby->connectivity.peers[sender].heard;
    link.has_echo &= message->is_proven;
    link.stamp_us += (uint32_t)(message->age_ns / 1000);
    link.hold_us += (uint32_t)(message->age_ns / 1000);
    if (message->is_proven) {
        bksi_connectivity_hear_standing(&lobby->connectivity, sender, common, &link);
    }
    if (bksi_phase_is_in_lobby(&common->phase) && counts) {
        take_link(lobby, &common->links, common, liveness, sender, &link);
    }
    return true;
}

/// Guest: tell the host at once that we are ready.
static void watch_ready(session_lobby *lobby, const session_common *common)
{
    const bool was_ready = lobby->was_ready;
    lobby->was_ready = bksi_lobby_is_ready(lobby, common);
    if (lobby->was_ready && !was_ready) {
        bksi_outbox_say_news(&lobby->outbox, common);
    }
}

/// Free the seats of guests that fell silent.
static void drop_silent_guests(session_lobby *lobby, session_common *common,
                               const session_liveness *liveness)
{
    EACH_PEER (i, bksi_seats_others(&common->seats)) {
        if (bksi_connectivity_has_lost(&lobby->connectivity, common, liveness, i)) {
            bksi_guard_release(&common->guard, common->seats.peers[i].channel);
            bksi_refusal_left(&common->events, i, "fell silent");
            remove_guest(lobby, common, i, false);
        }
    }
}

/// Report peers that load. Repeat messages soon if a peer is about to count as lost.
static void watch_silence(session_lobby *lobby, session_common *common, session_liveness *liveness)
{
    bksi_connectivity_report_loading(&lobby->connectivity, &common->events, common, liveness);
    EACH_PEER (i, bksi_seats_others(&common->seats)) {
        const bool is_watched = common->config.is_host || i == 0;
        const uint64_t longest_ns =
            bksi_connectivity_patience_ns(&lobby->connectivity, common, liveness, i);
        if (is_watched) {
            bksi_liveness_tell_raised(liveness, common, i);
        }
        if (is_watched &&
            bksi_liveness_silence_ns(liveness, common, i) + LAST_CALLS_NS >= longest_ns) {
            bksi_outbox_hurry(&lobby->outbox, common->now_ns);
        }
    }
}

bool bksi_lobby_update(session_lobby *lobby, session_common *common, session_liveness *liveness)
{
    session_phase *phase = &common->phase;
    if (!bksi_phase_is_in_lobby(phase)) {
        if (bksi_outbox_repeat(&lobby->outbox, common->now_ns)) {
            bksi_refusal_repeat(&lobby->refusal, common, &lobby->start,
                                bksi_liveness_patience_ns(liveness, common, 0));
        }
        return false;
    }
    // Look for a freeze first, because the next line clears the time at which we asked for this
    // update.
    (void)bksi_freeze_note(&lobby->freeze, common->now_ns);
    bksi_freeze_ask(&lobby->freeze, 0);
    bksi_outbox_hold(&lobby->outbox, false);
    const bool has_start = bksi_phase_has_start(phase);
    if (!common->config.is_host) {
        bksi_connectivity_renew(&lobby->connectivity, &common->guard, common, liveness, UINT32_MAX);
        watch_ready(lobby, common);
        if (!has_start && common->seats.players > 0 &&
            bksi_connectivity_has_lost(&lobby->connectivity, common, liveness, 0)) {
            bksi_refusal_of_silent_host(
                &lobby->refusal, phase, &common->goodbyes, &common->events, common,
                bksi_connectivity_patience_ns(&lobby->connectivity, common, liveness, 0));
        } else if (!has_start) {
            bksi_connectivity_report(&lobby->connectivity, &common->events, common);
        }
    } else if (!has_start) {
        drop_silent_guests(lobby, common, liveness);
        try_go(lobby, phase, &common->events, common);
    }
    if (!bksi_phase_is_in_lobby(phase)) {
        return false;
    }
    if (bksi_phase_has_start(phase) && common->now_ns >= lobby->host_clock.begin_ns) {
        return true;
    }
    if (bksi_outbox_repeat(&lobby->outbox, common->now_ns)) {
        bksi_lobby_say_again(lobby, common);
    }
    if (!has_start && common->seats.players > 0) {
        watch_silence(lobby, common, liveness); // after a repeat, which sets its next time
    }
    bksi_freeze_ask(&lobby->freeze, bksi_lobby_next_update_ns(lobby, common));
    return false;
}
