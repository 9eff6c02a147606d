// SPDX-License-Identifier: MIT

// Due ticks. Times are in ns; ticks are counted from a base time, so that rounding errors do not
// add up. Due ticks beyond DUE_TICKS_MAX, and ticks that came due while we starved, are forgotten.

#include "session/time/clock.h"

#include "base/mutant.h"
#include "wire/small_messages.h"

static uint64_t due_time(const session_clock *clock, uint64_t index)
{
    return clock->base_ns + (uint64_t)((double)index * clock->interval_ns);
}

/// Start a new count at the current time: the next tick is due `index` intervals from now.
static void rebase(session_clock *clock, const session_common *common, uint64_t index)
{
    clock->base_ns = common->now_ns;
    clock->base_index = index;
}

static bool has_ended(const session_common *common)
{
    const bks_tick end = bksi_common_end(common);
    return end > 0 && bksi_rollback_front(&common->engine) >= end;
}

/// Set the length of ticks, from the next one on.
static void set_interval(session_clock *clock, const session_common *common)
{
    double stretch = (double)clock->stretch / BKSI_STRETCH_ONE;
    uint64_t next_ns = due_time(clock, clock->base_index);
    clock->base_ns = next_ns;
    clock->base_index = 0;
    clock->interval_ns = bksi_common_tick_ns(common) * (1.0 + clock->slew + stretch);
}

/// Apply a new slew of the pace, if the pace has chosen one.
static void take_slew(session_clock *clock, session_tempo *tempo, const session_common *common)
{
    if (bksi_pace_take_slew(&tempo->pace, &clock->slew)) {
        set_interval(clock, common);
    }
}

void bksi_clock_stretch(session_clock *clock, const session_common *common, uint32_t stretch)
{
    if (stretch == clock->stretch) {
        return;
    }
    clock->stretch = stretch;
    set_interval(clock, common);
}

void bksi_clock_change_speed(session_clock *clock, session_tempo *tempo,
                             const session_common *common, uint64_t paused_ns)
{
    if (paused_ns > 0) {
        rebase(clock, common, 1);
        bksi_evenness_skip(&clock->evenness);
        // The time of the pause counts for no wait.
        clock->awaited_ns = common->now_ns;
        clock->starving_ns += clock->is_starving ? paused_ns : 0;
    }
    bksi_pace_change_speed(&tempo->pace, common);
    take_slew(clock, tempo, common);
    set_interval(clock, common);
}

void bksi_clock_start(session_clock *clock, session_tempo *tempo, const session_common *common,
                      uint64_t start_ns)
{
    clock->base_ns = start_ns;
    clock->base_index = 0;
    clock->interval_ns = bksi_common_tick_ns(common);
    clock->is_starving = false;
    take_slew(clock, tempo, common);
}

/// Find the peer with the oldest missing input.
static uint32_t awaited_peer(const session_common *common)
{
    uint32_t awaited = common->seats.self;
    EACH_PEER (i, bksi_common_others(common)) {
        if (awaited == common->seats.self ||
            bksi_common_head(common, i) < bksi_common_head(common, awaited)) {
            awaited = i;
        }
    }
    return awaited;
}

/// Find the peers whose inputs the next tick waits for, as bits.
static uint32_t find_awaited(const session_common *common)
{
    const bks_tick window = (bks_tick)bksi_rollback_window(&common->engine);
    uint32_t awaited = 0;
    EACH_PEER (i, bksi_rollback_is_held_up(&common->engine) ? 0 : bksi_common_others(common)) {
        const bks_tick ahead = bksi_rollback_front(&common->engine) - bksi_common_head(common, i);
        awaited |= ahead >= window ? PEER_BIT(i) : 0;
    }
    return awaited;
}

/// Count the time that passed while we starved, for each peer that we waited for.
static void count_wait(session_clock *clock, const session_common *common)
{
    EACH_PEER (i, clock->awaited) {
        clock->waits[i].ns += common->now_ns - clock->awaited_ns;
    }
    clock->awaited = find_awaited(common);
    clock->awaited_ns = common->now_ns;
}

/// Count a starved tick, for us and for each peer that we wait for.
static void count_starved(session_clock *clock)
{
    clock->starved_ticks++;
    EACH_PEER (i, clock->awaited) {
        clock->waits[i].ticks++;
    }
}

bool bksi_clock_is_late(const session_clock *clock, const session_common *common)
{
    return bksi_phase_is_running(&common->phase) && !common->game_speed.is_paused &&
           common->now_ns >= due_time(clock, clock->base_index + DUE_TICKS_MAX);
}

void bksi_clock_starve(session_clock *clock, session_events *events, const session_common *common)
{
    if (!clock->is_starving) {
        clock->awaited = 0;
        count_wait(clock, common);
    }
    count_starved(clock);
    if (clock->is_starving) {
        return;
    }
    clock->is_starving = true;
    clock->starving_ns = common->now_ns;
    bksi_evenness_begin_hitch(&clock->evenness);
    clock->is_held_up = bksi_rollback_is_held_up(&common->engine);
    const uint32_t peer = clock->is_held_up ? common->seats.self : awaited_peer(common);
    clock->starved_for = peer;
    bks_event *event =
        bksi_events_raise(events, BKS_EVENT_STARVED, peer, bksi_rollback_front(&common->engine));
    if (clock->is_held_up) {
        bksi_event_describe(event, "waiting at tick %d until a repair has ended, not for inputs",
                            (int)bksi_rollback_front(&common->engine));
    } else {
        bksi_event_describe(event, "waiting for peer %u at tick %d", peer,
                            (int)bksi_rollback_front(&common->engine));
    }
}

static void resume(const session_clock *clock, session_events *events, const session_common *common)
{
    const uint32_t peer = clock->starved_for;
    bks_event *event =
        bksi_events_raise(events, BKS_EVENT_RESUMED, peer, bksi_rollback_front(&common->engine));
    if (clock->is_held_up) {
        bksi_event_describe(event, "the repair has ended, the match continues at tick %d",
                            (int)event->tick);
    } else if (!bksi_common_has(common, peer)) {
        bksi_event_describe(event, "the match continues without peer %u at tick %d", peer,
                            (int)event->tick);
    }
}

/// Update while we starve. A wanted raise of the delay is made at once, because it costs nothing
/// while no step can be made.
static void update_starving(session_clock *clock, session_tempo *tempo, session_events *events,
                            const session_common *common)
{
    count_wait(clock, common);
    if (!bksi_rollback_is_blocked(&common->engine) && !bksi_mutated(BKSI_MUTANT_STARVE)) {
        clock->is_starving = false;
        const uint64_t starved_ns = common->now_ns - clock->starving_ns;
        bksi_evenness_end_hitch(&clock->evenness, starved_ns);
        const bool is_on_time = bksi_pace_resume(&tempo->pace, common, starved_ns);
        take_slew(clock, tempo, common);
        clock->due = 1;
        clock->tick_passed = true;
        if (!is_on_time || clock->is_held_up) {
            rebase(clock, common, 1);
        }
        resume(clock, events, common);
        return;
    }
    for (uint32_t i = 0; common->now_ns >= due_time(clock, clock->base_index); i++) {
        clock->tick_passed = true;
        clock->base_index++;
        bool is_raised =
            clock->due == 0 && bksi_pace_starve(&tempo->pace, common, tempo->budget.asks_delay.now);
        take_slew(clock, tempo, common);
        if (is_raised) {
            clock->due = 1; // the raised delay allows one more sample, then we starve again
        } else {
            count_starved(clock);
        }
        if (i == DUE_TICKS_MAX) {
            rebase(clock, common, 1);
            break;
        }
    }
}

/// Count the ticks whose time has come, without stalled ones. Ticks beyond the number that an
/// update may step are forgotten.
static void count_due(session_clock *clock, session_tempo *tempo, const session_common *common)
{
    uint32_t passed = 0;
    while (passed < DUE_TICKS_MAX && common->now_ns >= due_time(clock, clock->base_index)) {
        passed++;
        clock->base_index++;
        clock->stretched += clock->stretch;
        bool is_stalled = bksi_pace_tick(&tempo->pace, common, clock->due);
        take_slew(clock, tempo, common);
        if (is_stalled) {
            clock->stalled_ticks++;
            bksi_evenness_stall(&clock->evenness, common);
        } else {
            clock->due++;
        }
    }
    clock->tick_passed = passed > 0;
    uint64_t next_ns = due_time(clock, clock->base_index);
    if (common->now_ns < next_ns) {
        return;
    }
    double missed = (double)(common->now_ns - next_ns) / clock->interval_ns + 1.0;
    // Limit the missed ticks: a clock may jump by years, which no peer could catch up, and the sum
    // must not overflow.
    missed = missed < BKSI_MISSED_TICKS_MAX ? missed : BKSI_MISSED_TICKS_MAX;
    bksi_pace_wake(&tempo->pace, common, (uint32_t)missed);
    rebase(clock, common, 1);
}

/// Change the input delay by a tick if that is wanted.
static void change_delay(session_clock *clock, session_tempo *tempo, const session_common *common)
{
    clock->samples_only = false;
    if (clock->due > 0) {
        uint32_t steps = 0;
        clock->samples_only =
            bksi_pace_change_delay(&tempo->pace, common, tempo->budget.asks_delay.now, &steps);
        clock->due += steps;
    }
}

/// Step additional ticks to catch up, but no more than the budget of an update allows.
static void catch_up(session_clock *clock, session_tempo *tempo, const session_exchange *exchange,
                     const session_common *common)
{
    if (tempo->pace.forgotten_ticks == 0) {
        return;
    }
    uint32_t most = DUE_TICKS_MAX - clock->due;
    uint32_t room =
        bksi_budget_extra(&tempo->budget, &tempo->pace, common, clock->interval_ns, DUE_TICKS_MAX);
    clock->due += bksi_pace_catch_up(&tempo->pace, exchange, common, clock->interval_ns, clock->due,
                                     most < room ? most : room);
    take_slew(clock, tempo, common);
}

void bksi_clock_update(session_clock *clock, session_tempo *tempo, const session_exchange *exchange,
                       session_events *events, const session_common *common)
{
    clock->due = 0;
    clock->tick_passed = false;
    clock->samples_only = false;
    if (!bksi_phase_is_running(&common->phase) || has_ended(common) ||
        common->game_speed.is_paused) {
        return;
    }
    bksi_pace_note_stretch(&tempo->pace, clock->stretch > 0);
    if (clock->is_starving) {
        update_starving(clock, tempo, events, common);
        return;
    }
    count_due(clock, tempo, common);
    if (clock->due > 0) {
        catch_up(clock, tempo, exchange, common);
        change_delay(clock, tempo, common);
    }
    const bks_tick end = bksi_game_speed_limit(common);
    const bks_tick front = bksi_rollback_front(&common->engine);
    if (end > 0 && clock->due > (uint32_t)(end - front)) {
        clock->due = (uint32_t)(end - front);
    }
}

uint64_t bksi_clock_wake(const session_clock *clock, const session_common *common)
{
    if (has_ended(common)) {
        return UINT64_MAX;
    }
    if (common->game_speed.is_paused) {
        return common->game_speed.resume_ns;
    }
    if (clock->is_starving && !bksi_rollback_is_blocked(&common->engine)) {
        return common->now_ns;
    }
    return due_time(clock, clock->base_index);
}

uint64_t bksi_clock_next(const session_clock *clock, double *out_interval_ns)
{
    *out_interval_ns = clock->interval_ns;
    return due_time(clock, clock->base_index);
}
