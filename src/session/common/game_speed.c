// SPDX-License-Identifier: MIT

// Pause and speed of the match. A decision is in force from the tick on that is the longest window
// and one tick beyond the host's head. No member has stepped this tick without the decision: a
// member is at most its window beyond the host's inputs that it has, and inputs that the host
// samples after its decision come together with the decision. In a pause nobody is due a tick, so
// the decision to continue needs no tick of its own.
//
// A member that misses decisions is right again with the newest one. No tick is inserted, so the
// steps of a match do not depend on its pauses.
//
// If the host leaves or falls silent in a pause, it cannot decide to continue. Any member
// that may end the pause then tells all that it wants to. Those that do not hear the host either
// excuse it no longer, so they drop it by a ballot, and the next host decides.

#include "session/common/game_speed.h"

#include "base/report.h"

/// Shortest time between two granted wishes of a guest, except for those to continue. It bounds
/// the number of events.
#define GRANT_GAP_NS NS_PER_SECOND

/// Shortest time between two answers to a guest. So 16 bits number the answers of the longest
/// pause, in which a member may hear none of them.
#define ANSWER_GAP_NS (250 * NS_PER_MS)

/// Ticks from our own head to the tick of a decision of the host, at most.
#define AHEAD_MOST (BKSI_AHEAD_TICKS_MAX + (bks_tick)BKS_WINDOW_MAX + 1)

static bool is_host(const session_common *common)
{
    return bksi_membership_host(&common->membership) == common->seats.self;
}

/// Return true if the newest decision is a pause that the match reaches. A match that is to stop
/// does not pause any more, otherwise its last tick would never come.
static bool will_pause(const session_common *common)
{
    const bksi_speed_decision *decision = &common->game_speed.decision;
    const bks_tick end = common->seats.end_tick;
    const bool is_missed = bksi_mutated(BKSI_MUTANT_PAUSE) && decision->by != common->seats.self;
    return decision->is_paused && common->ending.tick == 0 && (end == 0 || decision->tick < end) &&
           !is_missed;
}

/// Get the peers that the pause in force excuses, as bits. Before the tick of a pause there are
/// none: all need the inputs of all up to that tick, so a peer that stays silent must be dropped.
static uint32_t find_excused(const session_common *common)
{
    const session_game_speed *speed = &common->game_speed;
    return speed->is_paused && will_pause(common) ? speed->decision.excused : 0;
}

bool bksi_game_speed_excuses(const session_common *common, uint32_t peer)
{
    return (find_excused(common) & ~common->game_speed.blamed & PEER_BIT(peer)) != 0;
}

/// Return true if a guest may end the pause: its own, or one of a peer that is not heard.
static bool may_continue(const session_common *common, uint32_t peer)
{
    const session_game_speed *speed = &common->game_speed;
    const uint32_t by = speed->decision.by;
    const uint32_t away = speed->unheard | common->goodbyes.quit;
    return !will_pause(common) || by == peer || (away & PEER_BIT(by)) != 0;
}

/// Return true if the host cannot answer a wish, because it is not heard or has left.
static bool is_host_away(const session_common *common)
{
    const uint32_t host = bksi_membership_host(&common->membership);
    return ((common->game_speed.unheard | common->goodbyes.quit) & PEER_BIT(host)) != 0;
}

/// As a guest, excuse the peers that are not heard no longer if the host is away, because a member
/// wants to continue.
static void blame_unheard(session_common *common, uint32_t asker)
{
    session_game_speed *speed = &common->game_speed;
    if (speed->is_paused && is_host_away(common) && may_continue(common, asker)) {
        speed->blamed |= speed->unheard;
    }
}

bks_tick bksi_game_speed_limit(const session_common *common)
{
    return will_pause(common) ? common->game_speed.decision.tick : bksi_common_end(common);
}

// ---- decisions ----

/// Return true if a number is that of a newer decision or wish. Numbers wrap and are never 0.
/// @param span  largest number, plus one
static bool is_newer(uint32_t number, uint32_t than, uint32_t span)
{
    const uint32_t ahead = (number - than) & (span - 1);
    return number != 0 && (than == 0 || (ahead > 0 && ahead < span / 2));
}

static void report_refusal(session_common *common, const bksi_speed_decision *decision)
{
    const bks_event *event =
        bksi_events_report(&common->events, BKS_EVENT_SPEED, common->seats.self, BKS_TICK_NONE,
                           "the host refused: %s", bksi_speed_answer_reason(decision->answer));
    bksi_log(BKS_LOG_WARNING, "session.speed", "%s", event->text);
}

static void adopt(session_common *common, const bksi_speed_decision *decision, uint64_t wait_ns)
{
    session_game_speed *speed = &common->game_speed;
    if (decision->is_paused && !speed->decision.is_paused) {
        speed->members[decision->by].pauses++;
    }
    if (decision->is_paused != speed->decision.is_paused) { // else the wait goes on
        speed->resume_ns = decision->is_paused ? UINT64_MAX : common->now_ns + wait_ns;
    }
    speed->decision = *decision;
    speed->known_head = bksi_common_own_head(common);
    if (speed->wish.number > 0 && decision->asker == common->seats.self &&
        decision->wish == speed->wish.number) {
        speed->wish.number = 0;
        if (decision->answer != BKSI_SPEED_GRANTED) {
            report_refusal(common, decision);
        }
    }
}

static bool take(session_common *common, const bksi_speed_decision *decision)
{
    if (!is_newer(decision->number, common->game_speed.decision.number, 1u << 16)) {
        return true;
    }
    // No honest host chooses a tick that is so far, or pauses at one that a member has stepped.
    const bool is_past =
        decision->is_paused && decision->tick < bksi_rollback_front(&common->engine);
    const bool is_far = (int64_t)decision->tick - bksi_common_own_head(common) > AHEAD_MOST;
    if (is_past || is_far) {
        return false;
    }
    adopt(common, decision, 0);
    return true;
}

bool bksi_decisions_take(session_common *common, uint32_t from, bks_tick stop,
                         const bksi_speed_decision *speed)
{
    return bksi_ending_take(&common->ending, &common->seats, &common->events, &common->engine, from,
                            stop) &&
           take(common, speed);
}

/// Get the tick from which on a new decision is in force.
static int64_t tick_of_next(const session_common *common)
{
    return will_pause(common) ? common->game_speed.decision.tick
                              : (int64_t)bksi_common_own_head(common) + common->seats.window + 1;
}

/// Return what stands against one part of a guest's wish.
static bksi_speed_answer judge_guest(const session_common *common, uint32_t peer,
                                     bksi_speed_wish_kind kind)
{
    const session_speed_member *member = &common->game_speed.members[peer];
    if (kind == BKSI_WISH_RESUME && will_pause(common)) {
        return may_continue(common, peer) ? BKSI_SPEED_GRANTED : BKSI_SPEED_NOT_OWN;
    }
    if (common->seats.guest_pauses == 0) {
        return BKSI_SPEED_FORBIDDEN;
    }
    if (kind == BKSI_WISH_RESUME) {
        return BKSI_SPEED_GRANTED;
    }
    if (kind == BKSI_WISH_PAUSE && !will_pause(common)) {
        if (member->pauses >= common->seats.guest_pauses) {
            return BKSI_SPEED_TOO_MANY;
        }
        if (member->pauses_ns >= BKS_GUEST_PAUSES_MS_MAX * NS_PER_MS) {
            return BKSI_SPEED_TOO_LONG;
        }
    }
    const bool is_soon =
        member->granted_ns > 0 && common->now_ns - member->granted_ns < GRANT_GAP_NS;
    return is_soon ? BKSI_SPEED_TOO_SOON : BKSI_SPEED_GRANTED;
}

/// Return what stands against one part of a wish.
static bksi_speed_answer judge(const session_common *common, uint32_t peer,
                               bksi_speed_wish_kind kind)
{
    const bks_tick end = bksi_common_end(common);
    if (common->ending.tick > 0 || tick_of_next(common) >= (end > 0 ? end : INT32_MAX)) {
        return BKSI_SPEED_TOO_LATE;
    }
    const bool is_of_host = peer == bksi_membership_host(&common->membership);
    return is_of_host ? BKSI_SPEED_GRANTED : judge_guest(common, peer, kind);
}

/// Change a decision as one granted part of a wish demands.
static void change(const session_common *common, uint32_t peer, bksi_speed_wish_kind kind,
                   uint32_t percent, bksi_speed_decision *decision)
{
    const bool is_pausing = will_pause(common);
    if (kind == BKSI_WISH_RESUME && !is_pausing) {
        return; // a speed that is decided keeps its tick
    }
    decision->tick = (bks_tick)tick_of_next(common);
    switch (kind) {
    case BKSI_WISH_PAUSE:
        decision->by = is_pausing ? decision->by : peer;
        decision->excused |= peer == common->seats.self ? common->seats.all : PEER_BIT(peer);
        decision->is_paused = true;
        break;
    case BKSI_WISH_RESUME:
        decision->by = is_pausing ? peer : decision->by;
        decision->excused = 0;
        decision->is_paused = false;
        break;
    case BKSI_WISH_SPEED:
        decision->percent = percent;
        break;
    }
}

/// As the host, make a decision: grant each part of a wish, or refuse it.
static void decide(session_common *common, uint32_t peer, const bksi_speed_wish *wish)
{
    const bksi_speed_answer pause = judge(common, peer, wish->kind);
    const bksi_speed_answer speed = judge(common, peer, BKSI_WISH_SPEED);
    bksi_speed_decision decision = common->game_speed.decision;
    decision.number = decision.number == UINT16_MAX ? 1 : (uint16_t)(decision.number + 1);
    decision.percent = decision.percent > 0 ? decision.percent : 100;
    decision.asker = peer;
    decision.wish = wish->number;
    decision.answer = BKSI_SPEED_GRANTED;
    if (decision.is_paused && !will_pause(common)) { // others have stepped its tick
        decision.is_paused = false;
        decision.excused = 0;
    }
    if (wish->kind != BKSI_WISH_SPEED) {
        decision.answer = pause;
        if (pause == BKSI_SPEED_GRANTED) {
            change(common, peer, wish->kind, 0, &decision);
        }
    }
    if (wish->percent > 0) {
        decision.answer = speed != BKSI_SPEED_GRANTED ? speed : decision.answer;
        if (speed == BKSI_SPEED_GRANTED) {
            change(common, peer, BKSI_WISH_SPEED, wish->percent, &decision);
        }
    }
    if (wish->number == 0) { // nobody asked, so nothing is refused
        decision.answer = BKSI_SPEED_GRANTED;
    }
    const double trip_ns = bksi_links_longest_trip_ns(&common->links, bksi_common_others(common));
    adopt(common, &decision, (uint64_t)(trip_ns / 2.0));
}

/// Return true if a wish would change nothing.
static bool is_so_already(const session_common *common, bksi_speed_wish_kind kind, uint32_t percent)
{
    const session_game_speed *speed = &common->game_speed;
    const bksi_speed_decision *decision = &speed->decision;
    const uint32_t decided = decision->percent > 0 ? decision->percent : 100;
    return kind == BKSI_WISH_SPEED ? decided == percent
           : kind == BKSI_WISH_RESUME
               ? !will_pause(common)
               : will_pause(common) && (decision->excused & PEER_BIT(common->seats.self)) != 0;
}

bksi_speed_answer bksi_game_speed_want(session_common *common, bksi_speed_wish_kind kind,
                                       uint32_t percent)
{
    session_game_speed *speed = &common->game_speed;
    const uint32_t self = common->seats.self;
    if (speed->wish.number == 0 && is_so_already(common, kind, percent)) {
        return BKSI_SPEED_GRANTED;
    }
    bksi_speed_answer answer = judge(common, self, kind);
    if (answer == BKSI_SPEED_NOT_OWN && speed->wish.number > 0 &&
        speed->wish.kind == BKSI_WISH_PAUSE) {
        // Take back our own wish, which the host may get only after another peer's pause has ended.
        answer = BKSI_SPEED_GRANTED;
    }
    if (answer != BKSI_SPEED_GRANTED) {
        return answer;
    }
    bksi_speed_wish wish = {.kind = kind, .percent = percent};
    if (is_host(common)) {
        decide(common, self, &wish);
        return answer;
    }
    if (speed->wish.number > 0) { // keep the other part of a wish that is not answered yet
        wish.kind = kind != BKSI_WISH_SPEED ? kind : speed->wish.kind;
        wish.percent = percent > 0 ? percent : speed->wish.percent;
    }
    speed->wishes = speed->wishes == UINT8_MAX ? 1 : (uint8_t)(speed->wishes + 1);
    wish.number = speed->wishes;
    speed->wish = wish;
    return answer;
}

void bksi_game_speed_heard(session_common *common, uint32_t peer, const bksi_speed_wish *wish)
{
    if (wish->number == 0) {
        return;
    }
    if (!is_host(common)) {
        if (wish->kind == BKSI_WISH_RESUME) {
            blame_unheard(common, peer);
        }
        return;
    }
    session_speed_member *member = &common->game_speed.members[peer];
    const bool is_soon =
        member->answered_ns > 0 && common->now_ns - member->answered_ns < ANSWER_GAP_NS;
    if (is_soon || !is_newer(wish->number, member->wish, 1u << 8)) {
        return;
    }
    member->wish = wish->number;
    member->answered_ns = common->now_ns;
    decide(common, peer, wish);
    if (common->game_speed.decision.answer == BKSI_SPEED_GRANTED &&
        (wish->kind == BKSI_WISH_PAUSE || wish->percent > 0)) {
        member->granted_ns = common->now_ns;
    }
}

void bksi_game_speed_fill(const session_common *common, uint32_t peer, bks_tick first_missing,
                          bksi_input_standing *standing)
{
    const session_game_speed *speed = &common->game_speed;
    if (speed->decision.number > 0 && first_missing <= speed->known_head) {
        standing->speed = speed->decision;
    }
    const bool is_to_all = speed->wish.kind == BKSI_WISH_RESUME && is_host_away(common);
    if (speed->wish.number > 0 &&
        (is_to_all || peer == bksi_membership_host(&common->membership))) {
        standing->wish = speed->wish;
    }
}

// ---- decisions in force ----

/// As the host, end a pause that has lasted too long, or whose peer has left.
static void end_overlong(session_common *common)
{
    const session_game_speed *speed = &common->game_speed;
    const uint32_t by = speed->decision.by;
    if (!is_host(common) || !speed->is_paused || !speed->decision.is_paused) {
        return;
    }
    const uint64_t used_ns = speed->members[by].pauses_ns;
    const uint64_t all_ns = BKS_GUEST_PAUSES_MS_MAX * NS_PER_MS;
    const uint64_t guest_ns = used_ns < all_ns ? all_ns - used_ns : 0;
    const uint64_t most_ns = by == common->seats.self ? BKS_PAUSE_MS_MAX * NS_PER_MS : guest_ns;
    if (common->now_ns - speed->paused_ns >= most_ns || !bksi_common_has(common, by)) {
        const bksi_speed_wish wish = {.kind = BKSI_WISH_RESUME};
        decide(common, common->seats.self, &wish);
    }
}

static void begin_pause(session_common *common)
{
    session_game_speed *speed = &common->game_speed;
    speed->is_paused = true;
    speed->paused_by = speed->decision.by;
    speed->paused_tick = bksi_rollback_front(&common->engine);
    speed->paused_ns = common->now_ns;
    (void)bksi_events_report(&common->events, BKS_EVENT_SPEED, speed->paused_by, speed->paused_tick,
                             "peer %u paused the match at tick %d", speed->paused_by,
                             (int)speed->paused_tick);
}

/// End the pause in force, and return its duration.
static uint64_t end_pause(session_common *common)
{
    session_game_speed *speed = &common->game_speed;
    const uint64_t paused_ns = common->now_ns - speed->paused_ns;
    speed->is_paused = false;
    speed->pauses_ns += paused_ns;
    speed->members[speed->paused_by].pauses_ns += paused_ns;
    const bool is_wanted = !speed->decision.is_paused;
    const uint32_t peer = is_wanted ? speed->decision.by : speed->paused_by;
    bks_event *event =
        bksi_events_raise(&common->events, BKS_EVENT_SPEED, peer, speed->paused_tick);
    // The host also ends a pause that lasts too long, or whose peer has left.
    if (!is_wanted || peer == bksi_membership_host(&common->membership)) {
        bksi_event_describe(event, "the match continues at tick %d%s", (int)speed->paused_tick,
                            is_wanted ? ", as the host decided" : " until it stops");
    } else {
        bksi_event_describe(event, "the match continues at tick %d, as peer %u wanted",
                            (int)speed->paused_tick, peer);
    }
    return paused_ns;
}

/// Put the decided speed in force.
/// @return true if it has changed
static bool change_speed(session_common *common)
{
    session_game_speed *speed = &common->game_speed;
    const bksi_speed_decision *decision = &speed->decision;
    if (decision->number == 0 || bksi_rollback_front(&common->engine) < decision->tick ||
        decision->percent == bksi_game_speed_percent(speed)) {
        return false;
    }
    speed->percent = decision->percent;
    const bks_tick tick = bksi_rollback_front(&common->engine);
    (void)bksi_events_report(&common->events, BKS_EVENT_SPEED, decision->asker, tick,
                             "the match runs at %u %% of its speed from tick %d on, as peer %u "
                             "wanted",
                             speed->percent, (int)tick, decision->asker);
    return true;
}

session_speed_change bksi_game_speed_update(session_common *common, uint32_t unheard)
{
    session_game_speed *speed = &common->game_speed;
    session_speed_change found = {0};
    speed->unheard = unheard;
    speed->blamed &= unheard; // a peer that is heard again is excused again
    if (speed->wish.number > 0 && speed->wish.kind == BKSI_WISH_RESUME) {
        blame_unheard(common, common->seats.self);
    }
    if (speed->wish.number > 0 && is_host(common)) {
        // The host left before it answered, and we are the host now.
        const bksi_speed_wish wish = speed->wish;
        speed->wish.number = 0;
        decide(common, common->seats.self,
               &(bksi_speed_wish){.kind = wish.kind, .percent = wish.percent});
    }
    if (speed->decision.number == 0) {
        return found;
    }
    end_overlong(common);
    const bool is_reached = bksi_rollback_front(&common->engine) >= speed->decision.tick;
    if (!speed->is_paused && is_reached && will_pause(common)) {
        begin_pause(common);
    } else if (speed->is_paused && !will_pause(common) &&
               (common->now_ns >= speed->resume_ns || common->ending.tick > 0)) {
        found.paused_ns = end_pause(common);
        found.has_changed = true;
    }
    found.has_changed |= change_speed(common);
    const uint32_t excused = find_excused(common);
    found.no_excuses = speed->excused & ~excused;
    speed->excused = excused;
    return found;
}
