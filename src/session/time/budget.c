// SPDX-License-Identifier: MIT

// Costs of operations, as the owner measures them, and the cost of the worst update, which is one
// that finds an old guess wrong. Such an update loads the nearest snapshot, steps from it to the
// present, saves snapshots on the way, and steps the due tick.
//
// An update that takes longer than a tick makes the next update longer still, so no update may
// exceed the budget. With the save policy `auto`, the spacing of the snapshots is chosen so that
// the worst update is cheapest. If this does not suffice, the input delay is raised: we step later,
// when more inputs of the others are here, so rollbacks go back fewer ticks. If a longer delay does
// not suffice either, ticks become longer, here and, by SLOW, on all other peers.

#include "session/time/budget.h"

#include <math.h>

#include "base/mutant.h"
#include "base/report.h"
#include "wire/small_messages.h"

/// LATE_RISE: share of the difference by which the smoothed lateness rises when an input is later.
/// LATE_FALL_NS: time in which the smoothed lateness falls to that of the newest input.
#define LATE_RISE    (1.0 / 2.0)
#define LATE_FALL_NS ((double)NS_PER_SECOND / 2.0)

/// Share of a tick that an update may take unless the config sets a budget.
#define BUDGET_SHARE 0.75

/// Largest input delay that the budget asks for: 8 ticks of 60 Hz.
#define BUDGET_DELAY_NS_MAX ((double)NS_PER_SECOND * 8.0 / 60.0)

/// Step by which ticks become longer, in 1 / BKSI_STRETCH_ONE.
#define STRETCH_STEP (BKSI_STRETCH_ONE / 8)

/// Period at whose end the demand in force is lowered to the largest demand of that period, so a
/// lower demand takes effect after one to two periods. A stretch has a short period, a delay a long
/// one, because every change of the delay is a hitch.
#define EASE_STRETCH_NS (NS_PER_SECOND / 3)
#define EASE_DELAY_NS   (2 * NS_PER_SECOND)

/// REPEAT: time between two copies of SLOW. NO_STRETCH_REPEATS: number of copies of a SLOW that
/// ends a stretch. LASTS: time after a peer's last SLOW for which its stretch stays in force. TURN:
/// shortest time between the beginning and the end of a peer's stretch.
#define STRETCH_REPEAT_NS  (250 * NS_PER_MS)
#define NO_STRETCH_REPEATS 4u
#define STRETCH_LASTS_NS   NS_PER_SECOND
#define STRETCH_TURN_NS    (100 * NS_PER_MS)

/// Time for which a machine that was too slow may make a line look full: the line counts as full
/// for 8 s after the delayed packets.
#define SLOW_SHOWS_NS (10 * NS_PER_SECOND)

// ---- costs ----

void bksi_budget_note(session_budget *budget, bks_op_kind kind, uint64_t cost_ns, uint64_t now_ns)
{
    double cost = (double)cost_ns;
    if (kind == BKS_OP_PREDICT) {
        budget->guess_ns += cost;
    }
    if (kind == BKS_OP_PREDICT || cost_ns == 0) {
        return;
    }
    if (kind == BKS_OP_STEP) {
        cost += budget->guess_ns;
        budget->guess_ns = 0.0;
    }
    bksi_cost_note(&budget->costs[kind], cost, now_ns);
}

/// Update the worst lateness with the ticks by which the oldest missing input is late. The true
/// lateness may be nearly one tick more.
void bksi_budget_note_late(session_budget *budget, const session_pace *pace,
                           const session_common *common, bks_tick front, double interval_ns)
{
    bks_tick ticks =
        front - bksi_rollback_confirmed(&common->engine) + (bks_tick)pace->delay.now - 1;
    double later_ns = ticks * interval_ns - budget->late_ns;
    double fall = (double)(common->now_ns - budget->late_noted_ns) / LATE_FALL_NS;
    budget->late_noted_ns = common->now_ns;
    budget->late_ns += later_ns * (later_ns > 0.0 ? LATE_RISE : fall < 1.0 ? fall : 1.0);
}

/// Get the largest number of ticks that a rollback goes back, 0..window.
static bks_tick worst_depth(const session_budget *budget, const session_common *common,
                            uint32_t delay, double tick_ns)
{
    if (tick_ns <= 0.0) {
        return 0; // the tick rate is not known before the match
    }
    double depth = ceil(budget->late_ns / tick_ns) + 1.0 - delay;
    double window = common->config.tuning.window_ticks;
    return (bks_tick)(depth < 0.0 ? 0.0 : depth > window ? window : depth);
}

// ---- the worst update ----

/// Get the cost in ns of an update that rolls back `depth` ticks and steps one more, with snapshots
/// `spacing` ticks apart.
static double update_ns(const session_budget *budget, const session_common *common, bks_tick depth,
                        bks_tick spacing)
{
    const session_cost *costs = budget->costs;
    double step_ns =
        costs[BKS_OP_STEP].mean_ns + costs[BKS_OP_HASH].mean_ns / common->seats.hash_every;
    // The snapshot that is loaded lies up to `spacing` - 1 ticks before the wrong tick. The first
    // new snapshot is taken at the newest certain tick, the others `spacing` ticks apart.
    bks_tick saves = 1 + depth / spacing;
    return costs[BKS_OP_LOAD].mean_ns + step_ns * (depth + spacing) +
           costs[BKS_OP_SAVE].mean_ns * saves;
}

/// Find the spacing of snapshots with which an update that rolls back `depth` ticks is cheapest;
/// `depth` is at least 1. Of all spacings with the same number of saves only the smallest is tried.
static bks_tick best_spacing(const session_budget *budget, const session_common *common,
                             bks_tick depth)
{
    bks_tick window = (bks_tick)common->config.tuning.window_ticks;
    bks_tick spacing = depth < window ? depth + 1 : window;
    bks_tick best = spacing;
    double best_ns = update_ns(budget, common, depth, best);
    while (spacing > 1) {
        bks_tick further_saves = depth / (spacing - 1);
        spacing = depth / (further_saves + 1) + 1;
        double ns = update_ns(budget, common, depth, spacing);
        if (ns < best_ns) {
            best = spacing;
            best_ns = ns;
        }
    }
    while (bksi_rollback_slots_needed(&common->engine, best) >
           bksi_rollback_slots(&common->engine)) {
        best++;
    }
    return best;
}

/// Get the cost of a new tick, in ns.
static double tick_ns(const session_budget *budget, const session_common *common)
{
    const session_cost *costs = budget->costs;
    return costs[BKS_OP_SAMPLE].mean_ns * common->config.local_players +
           costs[BKS_OP_STEP].mean_ns + costs[BKS_OP_HASH].mean_ns / common->seats.hash_every +
           costs[BKS_OP_SAVE].mean_ns;
}

/// Return true if every update steps again from a single snapshot.
static bool is_one(const session_common *common)
{
    return bksi_rollback_slots(&common->engine) > 0 && common->config.tuning.save == BKS_SAVE_ONE;
}

/// Estimate the time, in ns, of an update that goes back `depth` ticks and steps them again.
static double worst_ns(const session_budget *budget, const session_common *common, bks_tick depth)
{
    const session_cost *costs = budget->costs;
    double sample_ns = costs[BKS_OP_SAMPLE].mean_ns * common->config.local_players;
    if (is_one(common)) {
        return sample_ns + update_ns(budget, common, depth, 1) - costs[BKS_OP_SAVE].mean_ns * depth;
    }
    if (depth == 0 || bksi_rollback_slots(&common->engine) == 0) {
        return tick_ns(budget, common);
    }
    bool is_free = common->config.tuning.save == BKS_SAVE_AUTO;
    bks_tick spacing =
        is_free ? best_spacing(budget, common, depth) : bksi_rollback_spacing(&common->engine);
    return sample_ns + update_ns(budget, common, depth, spacing);
}

// ---- delay and stretch that are needed ----

static double budget_ns(const session_common *common)
{
    if (common->config.tuning.budget_us == BKS_AUTO) {
        return BUDGET_SHARE * bksi_common_tick_ns(common);
    }
    return common->config.tuning.budget_us * 1000.0;
}

static double times_longer(uint32_t stretch)
{
    return 1.0 + (double)stretch / BKSI_STRETCH_ONE;
}

/// Return true if no update takes too long with this delay and this stretch.
static bool fits(const session_budget *budget, const session_common *common, uint32_t delay,
                 uint32_t stretch)
{
    double longer = times_longer(stretch);
    bks_tick depth = worst_depth(budget, common, delay, bksi_common_tick_ns(common) * longer);
    return worst_ns(budget, common, depth) <= budget_ns(common) * longer;
}

static bool is_known(const session_budget *budget)
{
    return budget->costs[BKS_OP_STEP].mean_ns > 0.0;
}

/// Return true if there is a budget, and a known cost to compare with it.
static bool has_budget(const session_budget *budget, const session_common *common)
{
    return common->config.tuning.budget_us > 0 && is_known(budget);
}

/// Find the least delay with which no update takes too long at full rate, or beyond which rollbacks
/// do not become shorter.
/// @return the delay in ticks; 0: the wanted delay suffices
static uint32_t find_delay(const session_budget *budget, const session_pace *pace,
                           const session_common *common)
{
    double tick = bksi_common_tick_ns(common);
    uint32_t most = (uint32_t)(BUDGET_DELAY_NS_MAX / tick + 0.5);
    bks_tick least = worst_depth(budget, common, most, tick);
    uint32_t delay = pace->delay.wanted;
    while (delay < most && worst_depth(budget, common, delay, tick) > least &&
           !fits(budget, common, delay, 0)) {
        delay++;
    }
    return delay > pace->delay.wanted ? delay : 0;
}

/// Find the stretch of ticks that is needed with the current delay, or with the next longer one if
/// a longer delay is asked for.
static uint32_t find_stretch(const session_budget *budget, const session_pace *pace,
                             const session_common *common)
{
    uint32_t delay = pace->delay.now + (pace->delay.now < budget->asks_delay.now ? 1 : 0);
    uint32_t stretch = 0;
    while (stretch < BKSI_STRETCH_MAX && !fits(budget, common, delay, stretch)) {
        stretch += STRETCH_STEP;
    }
    return stretch;
}

/// Raise the demand in force at once. At the end of each period of `ease_ns`, lower it to the
/// largest demand of that period.
static void ask_for(const session_common *common, session_ask *ask, uint32_t need, uint64_t ease_ns)
{
    ask->now = need > ask->now ? need : ask->now;
    ask->most = need > ask->most ? need : ask->most;
    if (common->now_ns - ask->since_ns < ease_ns || bksi_mutated(BKSI_MUTANT_SLOW)) {
        return;
    }
    ask->now = ask->most;
    ask->most = need;
    ask->since_ns = common->now_ns;
}

static void ask(session_budget *budget, const session_pace *pace, const session_common *common)
{
    bool is_free =
        common->config.tuning.delay_ticks == BKS_AUTO && common->config.tuning.window_ticks > 0;
    uint32_t delay = has_budget(budget, common) && is_free ? find_delay(budget, pace, common) : 0;
    ask_for(common, &budget->asks_delay, delay, EASE_DELAY_NS);
    uint32_t stretch = has_budget(budget, common) ? find_stretch(budget, pace, common) : 0;
    ask_for(common, &budget->asks_stretch, stretch, EASE_STRETCH_NS);
}

// ---- events for the player, and SLOW for the other peers ----

static uint32_t percent(uint32_t stretch)
{
    return stretch * 100 / BKSI_STRETCH_ONE;
}

static void report_to_player(session_budget *budget, session_events *events,
                             const session_common *common)
{
    session_measure measure = budget->asks_stretch.now > 0 ? MEASURE_STRETCH
                              : budget->asks_delay.now > 0 ? MEASURE_DELAY
                                                           : MEASURE_NONE;
    if (measure == budget->measure) {
        return;
    }
    budget->measure = measure;
    bks_event_kind kind = measure == MEASURE_NONE ? BKS_EVENT_KEEPS_UP : BKS_EVENT_SLOW;
    bks_event *event =
        bksi_events_raise(events, kind, common->seats.self, bksi_rollback_front(&common->engine));
    if (measure == MEASURE_NONE) {
        bksi_event_describe(event, "this machine keeps up again");
    } else if (measure == MEASURE_DELAY) {
        bksi_event_describe(event, "this machine is slow: the input delay goes to %u tick%s",
                            budget->asks_delay.now, BKSI_PLURAL(budget->asks_delay.now));
    } else {
        bksi_event_describe(event, "this machine is too slow: ticks are %u %% longer",
                            percent(budget->asks_stretch.now));
    }
}

/// Store the stretch that a peer asks for. It stays in force until the peer asks for another one,
/// or sends no SLOW for STRETCH_LASTS_NS.
static void take_stretch(session_budget *budget, session_events *events,
                         const session_common *common, uint32_t index, uint32_t stretch)
{
    session_budget_peer *peer = &budget->peers[index];
    bool was_slow = peer->stretch > 0;
    peer->stretch = stretch;
    peer->stretch_ns = common->now_ns;
    if (was_slow == (stretch > 0)) {
        return;
    }
    bks_event_kind kind = stretch > 0 ? BKS_EVENT_SLOW : BKS_EVENT_KEEPS_UP;
    bks_event *event = bksi_events_raise(events, kind, index, bksi_rollback_front(&common->engine));
    if (stretch > 0) {
        bksi_event_describe(event, "peer %u is too slow: ticks are %u %% longer", index,
                            percent(stretch));
    } else {
        bksi_event_describe(event, "peer %u keeps up again", index);
    }
}

bool bksi_budget_receive(session_budget *budget, session_events *events,
                         const session_common *common, uint32_t peer, bksi_byte_reader *reader)
{
    uint32_t stretch = 0;
    if (!bksi_slow_read(reader, &stretch)) {
        return false;
    }
    // Ignore a change that comes too soon: no honest peer sends one, and every change is an event.
    const session_budget_peer *from = &budget->peers[peer];
    bool is_turn = (stretch > 0) != (from->stretch > 0);
    if (!is_turn || common->now_ns - from->stretch_ns >= STRETCH_TURN_NS) {
        take_stretch(budget, events, common, peer, stretch);
    }
    return true;
}

/// Send our stretch to the others when it changes, and repeat it while it is not 0.
static void send_to_others(session_budget *budget, const session_common *common)
{
    uint32_t stretch = budget->asks_stretch.now;
    if (stretch != budget->sent_stretch) {
        budget->sent_stretch = stretch;
        budget->repeat_ns = common->now_ns;
        budget->repeats_left = NO_STRETCH_REPEATS;
    }
    if (budget->repeats_left == 0 || common->now_ns < budget->repeat_ns) {
        return;
    }
    budget->repeats_left -= stretch > 0 ? 0 : 1;
    budget->repeat_ns = common->now_ns + STRETCH_REPEAT_NS;
    budget->owes_slow = bksi_common_others(common);
}

uint32_t bksi_budget_slow_ends(const session_budget *budget, const session_common *common)
{
    uint32_t slow = 0;
    EACH_PEER (i, common->seats.all) {
        const uint64_t slow_ns = budget->peers[i].slow_ns;
        const bool is_slow = slow_ns != 0 && common->now_ns - slow_ns < SLOW_SHOWS_NS;
        slow |= is_slow ? PEER_BIT(i) : 0;
    }
    return (slow & PEER_BIT(common->seats.self)) != 0 ? common->seats.all : slow;
}

/// Get the largest stretch of all peers, because the slowest machine sets the pace.
static uint32_t most_stretch(session_budget *budget, session_events *events,
                             const session_common *common)
{
    uint32_t most = budget->asks_stretch.now;
    EACH_PEER (i, common->seats.all) {
        session_budget_peer *peer = &budget->peers[i];
        const bool is_slow =
            (i == common->seats.self ? budget->asks_stretch.now : peer->stretch) > 0;
        peer->slow_ns = is_slow ? common->now_ns : peer->slow_ns;
        if (!bksi_common_has(common, i)) {
            peer->stretch = 0;
        } else if (peer->stretch > 0 && common->now_ns - peer->stretch_ns > STRETCH_LASTS_NS) {
            take_stretch(budget, events, common, i, 0);
        }
        most = peer->stretch > most ? peer->stretch : most;
    }
    return most;
}

// ---- the budget as a whole ----

bks_tick bksi_budget_best_spacing(const session_budget *budget, const session_pace *pace,
                                  const session_common *common, double interval_ns)
{
    if (common->config.tuning.save != BKS_SAVE_AUTO || bksi_rollback_slots(&common->engine) == 0 ||
        !is_known(budget)) {
        return bksi_rollback_spacing(&common->engine);
    }
    bks_tick depth = worst_depth(budget, common, pace->delay.now, interval_ns);
    return best_spacing(budget, common, depth > 0 ? depth : 1);
}

/// Get the age, in ticks, that the snapshot of save policy `one` should have: a whole window, so
/// that all updates cost the same. If the budget does not allow that, the age is less, but at least
/// the number of ticks of the longest rollback.
static bks_tick one_age(const session_budget *budget, const session_pace *pace,
                        const session_common *common, double interval_ns)
{
    bks_tick age = (bks_tick)common->config.tuning.window_ticks;
    if (!has_budget(budget, common)) {
        return age;
    }
    const bks_tick least = worst_depth(budget, common, pace->delay.now, interval_ns);
    const double room_ns = budget_ns(common) * times_longer(budget->stretch);
    while (age > least && worst_ns(budget, common, age) > room_ns) {
        age--;
    }
    return age;
}

uint32_t bksi_budget_newer(const session_budget *budget, const session_pace *pace,
                           const session_common *common, double interval_ns)
{
    return is_one(common) ? common->config.tuning.window_ticks -
                                (uint32_t)one_age(budget, pace, common, interval_ns)
                          : 0;
}

uint32_t bksi_budget_update(session_budget *budget, const session_pace *pace,
                            session_events *events, const session_common *common)
{
    ask(budget, pace, common);
    report_to_player(budget, events, common);
    send_to_others(budget, common);
    budget->stretch = most_stretch(budget, events, common);
    return budget->stretch;
}

void bksi_budget_write(session_budget *budget, uint32_t peer, bksi_byte_writer *writer)
{
    budget->owes_slow &= ~PEER_BIT(peer);
    bksi_slow_write(writer, budget->asks_stretch.now);
}

uint32_t bksi_budget_extra(const session_budget *budget, const session_pace *pace,
                           const session_common *common, double interval_ns, uint32_t most)
{
    if (!has_budget(budget, common)) {
        return most;
    }
    double room_ns = budget_ns(common) * times_longer(budget->stretch);
    double ticks = (room_ns - bksi_budget_worst_ns(budget, pace, common, interval_ns)) /
                   tick_ns(budget, common);
    return ticks < 0.0 ? 0 : ticks > most ? most : (uint32_t)ticks;
}

double bksi_budget_worst_ns(const session_budget *budget, const session_pace *pace,
                            const session_common *common, double interval_ns)
{
    const bks_tick depth = is_one(common)
                               ? one_age(budget, pace, common, interval_ns)
                               : worst_depth(budget, common, pace->delay.now, interval_ns);
    return worst_ns(budget, common, depth);
}
