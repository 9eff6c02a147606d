// SPDX-License-Identifier: MIT

// A peer is silent only when it is known to live by no path: it was not heard, its head does not
// move, and no newer heartbeat of it comes.

#include "session/liveness.h"

#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "session/session_internal.h"

/// Echoes come with every few packets, of 20 a second at least.
#define ECHO_PATIENCE_NS NS_PER_SECOND

/// Between two updates no more than this counts as silence: while we stood still nobody could be
/// heard.
#define AWAKE_GAP_MAX_NS (250 * NS_PER_MS)

void bksi_liveness_start(bks_session *session)
{
    session_liveness *liveness = &session->liveness;
    liveness->updated_ns = session->common.now_ns;
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        session_liveness_peer *peer = &liveness->peers[i];
        peer->heard_ns = session->common.now_ns;
        peer->last_alive_ns = liveness->awake_ns;
        peer->hears_us = true;
        peer->echo_ns = session->common.now_ns;
    }
}

void bksi_liveness_move(session_liveness *liveness, uint32_t to, uint32_t from)
{
    if (from == BKS_PEERS_MAX) {
        memset(&liveness->peers[to], 0, sizeof(liveness->peers[to]));
    } else {
        liveness->peers[to] = liveness->peers[from];
    }
}

void bksi_liveness_greeted(bks_session *session, uint32_t index)
{
    session->liveness.peers[index].heard_ns = session->common.now_ns;
}

void bksi_liveness_alive(bks_session *session, uint32_t index)
{
    session_liveness_peer *peer = &session->liveness.peers[index];
    peer->last_alive_ns = session->liveness.awake_ns;
    peer->is_lost = false;
    if (!peer->is_silent) {
        return;
    }
    peer->is_silent = false;
    (void)bksi_events_raise(&session->common.events, BKS_EVENT_BACK, index,
                            bksi_rollback_front(&session->common.engine));
}

void bksi_liveness_heard(bks_session *session, uint32_t index)
{
    session->liveness.peers[index].heard_ns = session->common.now_ns;
    bksi_liveness_alive(session, index);
}

void bksi_liveness_echo(bks_session *session, uint32_t index, const bksi_input_head *head)
{
    session_liveness_peer *peer = &session->liveness.peers[index];
    if (head->has_echo) {
        peer->hears_us = head->hold != BKSI_HOLD_NONE;
        peer->echo_ns = session->common.now_ns;
    } else if (session->common.now_ns - peer->echo_ns > ECHO_PATIENCE_NS) {
        peer->hears_us = false; // a peer that never heard us has nothing to echo
    }
}

void bksi_liveness_let_go(session_liveness *liveness, uint32_t index)
{
    liveness->peers[index].is_silent = false;
}

uint64_t bksi_liveness_unheard_ns(const bks_session *session, uint32_t index)
{
    return session->common.now_ns - session->liveness.peers[index].heard_ns;
}

/// @return whether it was for drop_after_ms
static bool watch(bks_session *session, uint32_t index)
{
    session_liveness_peer *peer = &session->liveness.peers[index];
    uint64_t silence_ns = session->liveness.awake_ns - peer->last_alive_ns;
    if (!peer->is_silent &&
        silence_ns >= session->common.config.tuning.notify_after_ms * NS_PER_MS) {
        peer->is_silent = true;
        bks_event *event = bksi_events_raise(&session->common.events, BKS_EVENT_SILENT, index,
                                             bksi_rollback_front(&session->common.engine));
        (void)snprintf(event->text, sizeof(event->text), "nothing heard from peer %u for %u ms",
                       index, session->common.config.tuning.notify_after_ms);
    }
    return silence_ns >= session->common.config.tuning.drop_after_ms * NS_PER_MS;
}

uint32_t bksi_liveness_update(bks_session *session, uint32_t awaited)
{
    session_liveness *liveness = &session->liveness;
    uint64_t gap_ns = session->common.now_ns - liveness->updated_ns;
    liveness->awake_ns += gap_ns < AWAKE_GAP_MAX_NS ? gap_ns : AWAKE_GAP_MAX_NS;
    liveness->updated_ns = session->common.now_ns;
    uint32_t given_up = 0;
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        if ((awaited & PEER_BIT(i)) != 0 && watch(session, i)) {
            given_up |= PEER_BIT(i);
        }
    }
    return given_up;
}

uint32_t bksi_liveness_find_lost(bks_session *session, uint32_t peers, uint32_t known)
{
    uint32_t lost = 0;
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        session_liveness_peer *peer = &session->liveness.peers[i];
        uint64_t silence_ns = session->liveness.awake_ns - peer->last_alive_ns;
        if (bksi_mutated(BKSI_MUTANT_EAGER)) {
            silence_ns *= 4;
        }
        if ((peers & PEER_BIT(i)) == 0 ||
            silence_ns < session->common.config.tuning.drop_after_ms * NS_PER_MS) {
            continue;
        }
        lost |= PEER_BIT(i);
        if (peer->is_lost || (known & PEER_BIT(i)) != 0) {
            continue;
        }
        peer->is_lost = true;
        bks_event *event = bksi_events_raise(&session->common.events, BKS_EVENT_LOST, i,
                                             bksi_rollback_front(&session->common.engine));
        (void)snprintf(event->text, sizeof(event->text), "peer %u fell silent at tick %d", i,
                       (int)bksi_heads_of(&session->common, i));
        bksi_log(BKS_LOG_WARNING, "session.lost", "%s", event->text);
    }
    return lost;
}
