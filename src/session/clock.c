// SPDX-License-Identifier: MIT

// Which ticks are due. Time comes in as nanoseconds; ticks are counted from a base so that no
// rounding adds up. Time owed beyond DUE_TICKS_MAX, and time starved, is forgotten.

#include "session/session_internal.h"

#include <stdio.h>

static uint64_t due_time(const bks_session *session, uint64_t index)
{
    return session->clock.base_ns + (uint64_t)((double)index * session->clock.interval_ns);
}

/// Count anew: the next tick is due `index` intervals after now.
static void rebase(bks_session *session, uint64_t index)
{
    session->clock.base_ns = session->common.now_ns;
    session->clock.base_index = index;
}

static bool has_ended(const bks_session *session)
{
    return session->common.seats.ticks > 0 &&
           bksi_rollback_front(&session->common.engine) >= session->common.seats.ticks;
}

/// From the next tick on.
static void set_interval(bks_session *session)
{
    double stretch = (double)session->clock.stretch / BKSI_STRETCH_ONE;
    uint64_t next_ns = due_time(session, session->clock.base_index);
    session->clock.base_ns = next_ns;
    session->clock.base_index = 0;
    session->clock.interval_ns =
        bksi_common_tick_ns(&session->common) * (1.0 + session->clock.slew + stretch);
}

/// As the pace wants it.
static void take_slew(bks_session *session)
{
    if (bksi_pace_take_slew(&session->pace, &session->clock.slew)) {
        set_interval(session);
    }
}

void bksi_clock_stretch(bks_session *session, uint32_t stretch)
{
    if (stretch == session->clock.stretch) {
        return;
    }
    session->clock.stretch = stretch;
    set_interval(session);
}

void bksi_clock_start(bks_session *session, uint64_t start_ns)
{
    session->clock.base_ns = start_ns;
    session->clock.base_index = 0;
    session->clock.interval_ns = bksi_common_tick_ns(&session->common);
    session->clock.is_starving = false;
    take_slew(session);
}

/// The peer with the oldest missing input.
static uint32_t awaited_peer(const bks_session *session)
{
    uint32_t awaited = session->common.seats.self;
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        if (i != session->common.seats.self &&
            bksi_membership_has(&session->common.membership, i) &&
            (awaited == session->common.seats.self ||
             bksi_heads_of(&session->common, i) < bksi_heads_of(&session->common, awaited))) {
            awaited = i;
        }
    }
    return awaited;
}

bool bksi_clock_is_late(const bks_session *session)
{
    return bksi_phase_is_running(&session->common.phase) &&
           session->common.now_ns >= due_time(session, session->clock.base_index + DUE_TICKS_MAX);
}

void bksi_clock_starve(bks_session *session)
{
    session->clock.starved_ticks++;
    if (session->clock.is_starving) {
        return;
    }
    session->clock.is_starving = true;
    uint32_t peer = awaited_peer(session);
    bks_event *event = bksi_events_raise(&session->common.events, BKS_EVENT_STARVED, peer,
                                         bksi_rollback_front(&session->common.engine));
    (void)snprintf(event->text, sizeof(event->text), "waiting for peer %u at tick %d", peer,
                   (int)bksi_rollback_front(&session->common.engine));
}

/// A delay that is to be raised is raised at once: it costs nothing while no step can be made.
static void update_starving(bks_session *session)
{
    if (!bksi_rollback_is_blocked(&session->common.engine) && !bksi_mutated(BKSI_MUTANT_STARVE)) {
        session->clock.is_starving = false;
        bksi_pace_resume(session, session->clock.interval_ns);
        take_slew(session);
        session->clock.due = 1;
        session->clock.tick_passed = true;
        rebase(session, 1);
        (void)bksi_events_raise(&session->common.events, BKS_EVENT_RESUMED, awaited_peer(session),
                                bksi_rollback_front(&session->common.engine));
        return;
    }
    for (uint32_t i = 0; session->common.now_ns >= due_time(session, session->clock.base_index);
         i++) {
        session->clock.tick_passed = true;
        session->clock.base_index++;
        bool is_raised =
            session->clock.due == 0 && bksi_pace_starve(session, bksi_budget_delay(session));
        take_slew(session);
        if (is_raised) {
            session->clock.due = 1; // sampled, and starved again
        } else {
            session->clock.starved_ticks++;
        }
        if (i == DUE_TICKS_MAX) {
            rebase(session, 1);
            break;
        }
    }
}

/// Ticks whose time has come, less those stalled; what is owed beyond an update's most is
/// forgotten.
static void count_due(bks_session *session)
{
    uint32_t passed = 0;
    while (passed < DUE_TICKS_MAX &&
           session->common.now_ns >= due_time(session, session->clock.base_index)) {
        passed++;
        session->clock.base_index++;
        session->clock.stretched += session->clock.stretch;
        bool is_stalled = bksi_pace_tick(session, session->clock.due);
        take_slew(session);
        if (is_stalled) {
            session->clock.stalled_ticks++;
        } else {
            session->clock.due++;
        }
    }
    session->clock.tick_passed = passed > 0;
    uint64_t next_ns = due_time(session, session->clock.base_index);
    if (session->common.now_ns < next_ns) {
        return;
    }
    double missed = (double)(session->common.now_ns - next_ns) / session->clock.interval_ns + 1.0;
    // A clock may jump by years; nobody catches that up, and the sum must not run over.
    missed = missed < BKSI_MISSED_TICKS_MAX ? missed : BKSI_MISSED_TICKS_MAX;
    bksi_pace_wake(session, (uint32_t)missed);
    rebase(session, 1);
}

/// Raising the delay turns one due tick into a sample without a step; lowering adds a step without
/// a sample.
static void change_delay(bks_session *session)
{
    session->clock.samples_only = false;
    if (session->clock.due == 0) {
        return;
    }
    int32_t change = bksi_pace_change_delay(session, bksi_budget_delay(session));
    if (change > 0) {
        session->clock.samples_only = true;
    } else if (change < 0) {
        session->clock.due++;
    }
}

/// Never more than an update can bear.
static void catch_up(bks_session *session)
{
    if (!bksi_pace_is_behind(&session->pace)) {
        return;
    }
    uint32_t most = DUE_TICKS_MAX - session->clock.due;
    uint32_t room = bksi_budget_extra(session);
    session->clock.due += bksi_pace_catch_up(session, session->clock.interval_ns,
                                             session->clock.due, most < room ? most : room);
    take_slew(session);
}

void bksi_clock_update(bks_session *session)
{
    session->clock.due = 0;
    session->clock.tick_passed = false;
    session->clock.samples_only = false;
    if (!bksi_phase_is_running(&session->common.phase) || has_ended(session)) {
        return;
    }
    if (session->clock.is_starving) {
        update_starving(session);
        return;
    }
    count_due(session);
    if (session->clock.due > 0) {
        catch_up(session);
        change_delay(session);
    }
    if (session->common.seats.ticks > 0 &&
        session->clock.due > (uint32_t)(session->common.seats.ticks -
                                        bksi_rollback_front(&session->common.engine))) {
        session->clock.due =
            (uint32_t)(session->common.seats.ticks - bksi_rollback_front(&session->common.engine));
    }
}

uint64_t bksi_clock_wake(const bks_session *session)
{
    if (has_ended(session)) {
        return UINT64_MAX;
    }
    if (session->clock.is_starving && !bksi_rollback_is_blocked(&session->common.engine)) {
        return session->common.now_ns;
    }
    return due_time(session, session->clock.base_index);
}
