// SPDX-License-Identifier: MIT

// Checks that a host acts on a desync as its policy says. A host sees each difference by itself, so
// it needs no other peer: it calls a meeting as soon as it sees a difference, or stops the match in
// the update after the one in which it reported the difference.

#include "lab/lab_internal.h"

#include "session/inspect.h"

/// Maximum number of updates in a row in which a host may delay what its policy demands: it becomes
/// the host in one update, acts in the next, and reports the act after that.
#define OVERDUE_UPDATES_MAX 2u

/// Ticks from the host's newest input to the end of a match that it stops.
#define ROOM_TICKS ((bks_tick)BKS_WINDOW_MAX + 1)

/// Time after a meeting in which no other is called, because some peers may not know yet that the
/// meeting has ended.
#define MEETING_GAP_NS UINT64_C(4000000000)

/// Number of ticks from the host's newest input to the tick of the meeting that it calls.
#define MEETING_AHEAD_TICKS 3

static bks_on_desync policy_of(const bks_lab *lab)
{
    return lab->config.tuning.on_desync;
}

/// Return a member that differs from a peer, as far as that peer knows; BKS_PEERS_MAX: none.
static uint32_t find_differing(const bks_lab *lab, uint32_t index)
{
    const bks_session *session = lab->peers[index].session;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        if (i != index && bksi_inspect_has(session, i)) {
            const bksi_inspected_difference known = bksi_inspect_difference(session, i);
            if (policy_of(lab) == BKS_ON_DESYNC_STOP ? known.is_reported : known.is_seen) {
                return i;
            }
        }
    }
    return BKS_PEERS_MAX;
}

/// Return true if a host may call a meeting: none is called in a pause, and it must have time
/// before the end.
static bool can_meet(const bks_lab *lab, const bks_session *session)
{
    const bksi_inspected_meeting meeting = bksi_inspect_meeting(session);
    bks_roster roster;
    (void)bks_session_roster(session, &roster);
    const bks_tick ahead = bksi_inspect_own_head(session) + MEETING_AHEAD_TICKS;
    const bks_tick tick = ahead < lab->config.ticks ? ahead : lab->config.ticks;
    if (meeting.is_on || roster.is_paused || bks_session_published(session) >= lab->config.ticks) {
        return false;
    }
    return meeting.tick == BKS_TICK_NONE ||
           (tick > meeting.tick && meeting.since_ns >= MEETING_GAP_NS);
}

/// Return true if a host still has time to stop the match before the end.
static bool can_stop(const bks_lab *lab, const bks_session *session)
{
    return bksi_inspect_own_head(session) + ROOM_TICKS < lab->config.ticks;
}

static bool is_host(const bks_lab *lab, uint32_t index)
{
    const lab_peer *peer = &lab->peers[index];
    return bks_session_phase(peer->session) == BKS_PHASE_RUNNING && !peer->liar.is_forging &&
           bksi_inspect_host(peer->session) == index;
}

void bksi_lab_policy_watch(bks_lab *lab, uint32_t index)
{
    lab_peer *peer = &lab->peers[index];
    const bks_on_desync policy = policy_of(lab);
    if (policy == BKS_ON_DESYNC_REPORT || peer->stop_tick != 0 || !is_host(lab, index)) {
        peer->overdue_updates = 0;
        return;
    }
    const bool can =
        policy == BKS_ON_DESYNC_STOP ? can_stop(lab, peer->session) : can_meet(lab, peer->session);
    const uint32_t other = can ? find_differing(lab, index) : BKS_PEERS_MAX;
    peer->overdue_updates = other < BKS_PEERS_MAX ? peer->overdue_updates + 1 : 0;
    if (peer->overdue_updates > OVERDUE_UPDATES_MAX) {
        bksi_lab_fail(
            lab, "peer %u is the host, knows that peer %u differs from it, and does not %s", index,
            other, policy == BKS_ON_DESYNC_STOP ? "stop the match" : "call a meeting");
    }
}

void bksi_lab_policy_watch_stop(bks_lab *lab, uint32_t index, const bks_event *event)
{
    const bks_session *session = lab->peers[index].session;
    const bks_tick head = bksi_inspect_own_head(session);
    const bool is_early =
        event->tick >= bks_session_tick(session) && event->tick < lab->config.ticks;
    const bool is_own = event->peer == index;
    if (lab->peers[index].liar.is_forging) {
        return;
    }
    if (policy_of(lab) == BKS_ON_DESYNC_REPORT || !is_early ||
        (is_own && (bksi_inspect_host(session) != index || event->tick > head + ROOM_TICKS))) {
        bksi_lab_fail(lab, "peer %u at tick %d: the match may not stop at tick %d", index,
                      bks_session_tick(session), event->tick);
    }
}
