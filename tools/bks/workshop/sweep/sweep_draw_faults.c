// SPDX-License-Identifier: MIT

// Draws faults. They begin at any time, but half of the faults of a match begin near one moment, so
// that they overlap. Two kinds are drawn separately:
// - crashes of one or two peers, which may be hosts. The second crash may follow the first within a
//   round trip, or when the others are about to drop the first peer;
// - pairs that are cut for good while a third peer reaches both.

#include "workshop/sweep/sweep_draw_faults.h"

#define MS_NS     UINT64_C(1000000)
#define TENTH_PPM 1000u ///< a tenth of a percent, in ppm

/// Time after which all other peers know the new address of a peer.
#define KNOWN_NS (500 * MS_NS)

enum {
    /// Largest sum of the silences that are drawn for a match that is not rough, in percent of the
    /// time after which a silent peer is dropped. It stays far below 100, because faults of links
    /// make further silences.
    SILENCE_PERCENT = 48,
    /// Length of the longest fault that ends, in percent of the time until a silent peer is
    /// dropped.
    LONGEST_PERCENT = 180,
    ORDINARY_MAX = 6, ///< most faults that are neither crashes nor endless
};

/// Limits that the faults of a match share.
typedef struct fault_limits {
    /// Time before which all faults begin, and before which all but endless ones end.
    uint32_t bad_ms;
    uint32_t focus_ms; ///< moment near which half of the faults begin
    bool is_rough;
    uint32_t drop_ms;    ///< time for which a peer may be silent before it is dropped
    uint32_t longest_ms; ///< length of the longest fault that ends
    uint32_t silence_most_ms;
    /// Time for which further faults may still silence peers, in a match that is not rough.
    uint32_t silence_ms;
} fault_limits;

/// Short drop_after_ms for matches with late arrivals: the least that a session accepts unless its
/// notify_after_ms is lower.
#define IMPATIENT_MS 1000u

static void add(sweep_case *out, const bks_lab_timed *fault)
{
    if (out->fault_count < SWEEP_FAULTS_MAX - 2) { // keep two entries free for a lie and a heal
        out->faults[out->fault_count++] = *fault;
    }
}

static uint32_t other_peer(bks_random *random, const sweep_case *c, uint32_t peer)
{
    return (peer + 1 + bks_random_below(random, c->peers - 1)) % c->peers;
}

static bool has_crashed(const sweep_case *c, uint32_t peer)
{
    for (uint32_t i = 0; i < c->fault_count; i++) {
        if (c->faults[i].kind == BKS_LAB_CRASH && c->faults[i].peer == peer) {
            return true;
        }
    }
    return false;
}

// ---- crashes ----

/// Return the mean round trip of all pairs.
static uint32_t trip_ms_of(const sweep_case *c)
{
    uint64_t sum_ns = 0;
    for (uint32_t i = 0; i < c->peers * c->peers; i++) {
        sum_ns += c->links[i / c->peers][i % c->peers].delay_ns;
    }
    return (uint32_t)(2 * sum_ns / (c->peers * (c->peers - 1)) / MS_NS);
}

/// Draw the time of a second crash: within a round trip of the first crash, or during the ballot
/// about the crashed peer, or at any time. The ballot begins once the crashed peer was silent for
/// drop_after_ms.
static uint32_t second_crash_ms(bks_random *random, const sweep_case *c, const fault_limits *s,
                                uint32_t first_ms)
{
    const uint32_t trip_ms = trip_ms_of(c);
    const uint32_t how = bks_random_below(random, 5);
    if (how < 2) {
        return first_ms + draw_between(random, 0, trip_ms);
    }
    if (how < 4) {
        return first_ms + s->drop_ms + draw_between(random, trip_ms / 2, 2 * trip_ms + 20);
    }
    return bks_random_below(random, s->bad_ms);
}

static void draw_crashes(bks_random *random, const fault_limits *s, sweep_case *out)
{
    if (!draw_chance(random, 20)) {
        return;
    }
    const uint32_t first = draw_chance(random, 40) ? 0 : bks_random_below(random, out->peers);
    const uint32_t first_ms = bks_random_below(random, s->bad_ms);
    bks_lab_timed fault = {.kind = BKS_LAB_CRASH, .peer = first, .at_ns = first_ms * MS_NS};
    add(out, &fault);
    if (out->peers > 2 && draw_chance(random, 50)) {
        fault.peer = first != 0 && draw_chance(random, 40) ? 0 : other_peer(random, out, first);
        fault.at_ns = second_crash_ms(random, out, s, first_ms) * MS_NS;
        add(out, &fault);
    }
}

// ---- endless cuts ----

/// Draw one or two cuts that never end. One peer is in none of them: it reaches all others, and
/// must not crash or leave.
static void draw_cuts_for_good(bks_random *random, const fault_limits *s, sweep_case *out)
{
    if (out->peers < 3 || !draw_chance(random, 12)) {
        return;
    }
    const uint32_t bridge = bks_random_below(random, out->peers);
    const uint32_t wanted = draw_between(random, 1, 2);
    for (uint32_t i = 0; i < wanted && !has_crashed(out, bridge); i++) {
        bks_lab_timed fault = {.kind = BKS_LAB_CUT, .span_ns = DRAW_ENDLESS_MS * MS_NS};
        fault.peer = other_peer(random, out, bridge);
        fault.other = other_peer(random, out, bridge);
        fault.at_ns = draw_chance(random, 50) ? 0 : bks_random_below(random, s->bad_ms) * MS_NS;
        if (fault.peer != fault.other) {
            add(out, &fault);
        }
    }
}

/// Draw the groups of a split, at least two of which have members.
static void draw_groups(bks_random *random, const sweep_case *c, bks_lab_timed *fault)
{
    const uint32_t groups = c->peers > 3 && draw_chance(random, 20) ? 3 : 2;
    for (uint32_t i = 0; i < c->peers; i++) {
        fault->group[i] = (uint8_t)(1 + bks_random_below(random, groups));
    }
    fault->group[0] = 1;
    fault->group[1 + bks_random_below(random, c->peers - 1)] = 2;
}

// ---- other faults ----

static uint32_t draw_span_ms(bks_random *random, const fault_limits *s)
{
    if (!s->is_rough) {
        return draw_mostly_low(random, 20, s->silence_most_ms);
    }
    const uint32_t how = bks_random_below(random, 10);
    return how < 3   ? draw_mostly_low(random, 20, s->drop_ms)
           : how < 6 ? draw_between(random, s->drop_ms - 600, s->drop_ms + 900)
                     : draw_between(random, s->drop_ms, s->longest_ms);
}

/// Draw the values of a fault by its kind.
/// @param span_ms  duration of a fault that silences a peer
static void draw_details(bks_random *random, const sweep_case *c, uint32_t span_ms,
                         bks_lab_timed *fault)
{
    const int64_t sign = draw_chance(random, 50) ? 1 : -1;
    switch (fault->kind) {
    case BKS_LAB_CUT:
        fault->other = other_peer(random, c, fault->peer);
        fault->span_ns = span_ms * MS_NS;
        break;
    case BKS_LAB_SPLIT:
        draw_groups(random, c, fault);
        fault->span_ns = span_ms * MS_NS;
        break;
    case BKS_LAB_PAUSE:
    case BKS_LAB_FULL:
        fault->span_ns = span_ms * MS_NS;
        break;
    case BKS_LAB_DRIFT:
        fault->value = sign * (int64_t)draw_between(random, 10, 500);
        fault->at_ns = 0;
        break;
    case BKS_LAB_CLOCK:
        fault->value = sign * (int64_t)(draw_between(random, 1, 20000) * MS_NS);
        break;
    case BKS_LAB_SLOW:
        fault->span_ns = draw_between(random, 200, 2000) * MS_NS;
        fault->value = draw_between(random, 5, 40) * 100;
        break;
    default:
        break;
    }
}

static bool is_silencing(bks_lab_fault_kind kind)
{
    return kind == BKS_LAB_CUT || kind == BKS_LAB_SPLIT || kind == BKS_LAB_PAUSE ||
           kind == BKS_LAB_FULL;
}

static bool is_allowed(const sweep_case *c, const bks_lab_timed *wanted)
{
    for (uint32_t i = 0; i < c->fault_count; i++) {
        const bool is_same_kind = wanted->kind == c->faults[i].kind;
        const bool is_same_peer = wanted->peer == c->faults[i].peer;
        // Let only one peer change its address. If two peers changed theirs and neither knew the
        // other's new address, they could never talk again.
        if (is_same_kind && ((wanted->kind == BKS_LAB_DRIFT && is_same_peer) ||
                             (wanted->kind == BKS_LAB_REBIND && !is_same_peer))) {
            return false;
        }
    }
    return wanted->kind != BKS_LAB_SPLIT || c->peers > 2;
}

static void add_ordinary(bks_random *random, fault_limits *s, sweep_case *out)
{
    static const bks_lab_fault_kind kinds[] = {
        BKS_LAB_PAUSE, BKS_LAB_CUT,  BKS_LAB_SPLIT,  BKS_LAB_DRIFT,
        BKS_LAB_CLOCK, BKS_LAB_SLOW, BKS_LAB_REBIND, BKS_LAB_FULL,
    };
    bks_lab_timed fault = {.kind = kinds[bks_random_below(random, ARGS_COUNT(kinds))],
                           .peer = bks_random_below(random, out->peers)};
    const uint32_t span_ms = draw_span_ms(random, s);
    const uint32_t at_ms = draw_chance(random, 50) ? s->focus_ms + draw_mostly_low(random, 0, 1500)
                                                   : bks_random_below(random, s->bad_ms);
    fault.at_ns = at_ms * MS_NS;
    if (!is_allowed(out, &fault)) {
        return;
    }
    if (is_silencing(fault.kind) && !s->is_rough) {
        if (span_ms > s->silence_ms) {
            return;
        }
        s->silence_ms -= span_ms;
    }
    draw_details(random, out, span_ms, &fault);
    // Let a fault that begins in the bad time also end in it.
    const uint64_t bad_ns = s->bad_ms * MS_NS;
    if (fault.at_ns + fault.span_ns > bad_ns) {
        fault.at_ns = fault.span_ns < bad_ns ? bad_ns - fault.span_ns : 0;
    }
    add(out, &fault);
}

void draw_faults(bks_random *random, sweep_case *out, uint32_t bad_ms, bool is_rough)
{
    fault_limits s = {.bad_ms = bad_ms,
                      .focus_ms = bks_random_below(random, bad_ms),
                      .is_rough = is_rough,
                      .drop_ms = out->drop_after_ms,
                      .longest_ms = out->drop_after_ms * LONGEST_PERCENT / 100,
                      .silence_most_ms = out->drop_after_ms * SILENCE_PERCENT / 100};
    s.silence_ms = s.silence_most_ms;
    if (out->peers < 2) {
        return;
    }
    draw_crashes(random, &s, out);
    draw_cuts_for_good(random, &s, out);
    const uint32_t wanted = draw_between(random, is_rough ? 1 : 0, ORDINARY_MAX);
    for (uint32_t i = 0; i < wanted; i++) {
        add_ordinary(random, &s, out);
    }
}

void draw_lobby_faults(bks_random *random, sweep_case *out)
{
    static const bks_lab_fault_kind kinds[] = {BKS_LAB_PAUSE, BKS_LAB_CUT, BKS_LAB_FULL,
                                               BKS_LAB_SLOW};
    const uint32_t wanted = draw_chance(random, 20) ? draw_between(random, 1, 3) : 0;
    for (uint32_t i = 0; i < wanted && out->peers > 1; i++) {
        bks_lab_timed fault = {.kind = kinds[bks_random_below(random, ARGS_COUNT(kinds))],
                               .in_lobby = true,
                               .peer = bks_random_below(random, out->peers),
                               .at_ns = draw_mostly_low(random, 0, 1500) * MS_NS};
        draw_details(random, out, draw_mostly_low(random, 20, 2 * out->drop_after_ms), &fault);
        add(out, &fault);
    }
}

/// Let one peer come so late that the others wait for up to a minute, over lines that lose several
/// packets in a row.
static void draw_long_wait(bks_random *random, sweep_case *out)
{
    for (uint32_t i = 0; i < out->peers * out->peers; i++) {
        bks_lab_link_spec *link = &out->links[i / out->peers][i % out->peers];
        *link = (bks_lab_link_spec){.delay_ns = link->delay_ns,
                                    .jitter_ns = link->jitter_ns,
                                    .loss_ppm = draw_between(random, 2, 10) * UINT32_C(10000),
                                    .burst_packets = draw_between(random, 3, 8) / 2.0};
    }
    add(out, &(bks_lab_timed){.kind = BKS_LAB_PAUSE,
                              .in_lobby = true,
                              .peer = bks_random_below(random, out->peers),
                              .span_ns = draw_between(random, 20, 60) * (1000 * MS_NS)});
}

void draw_arrivals(bks_random *random, sweep_case *out)
{
    const bool are_late = draw_chance(random, out->peers >= 5 ? 40 : 15);
    const bool load = draw_chance(random, out->peers >= 5 ? 40 : 15);
    const bool is_impatient = draw_chance(random, 50);
    for (uint32_t i = 0; i < out->peers && out->peers > 1; i++) {
        const uint64_t late_ns = draw_mostly_low(random, 20, 9000) * MS_NS;
        const int64_t load_ns = (int64_t)(draw_mostly_low(random, 20, 9000) * MS_NS);
        const bool is_late = draw_chance(random, 40);
        const bool loads = draw_chance(random, 50);
        if (are_late && is_late) {
            add(out, &(bks_lab_timed){
                         .kind = BKS_LAB_PAUSE, .in_lobby = true, .peer = i, .span_ns = late_ns});
        }
        if (load && loads) {
            add(out, &(bks_lab_timed){.kind = BKS_LAB_LOAD, .peer = i, .value = load_ns});
        }
    }
    // Keep only faults of the lobby and slow loads: with a short drop_after_ms, other faults would
    // drop peers.
    if ((are_late || load) && is_impatient) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < out->fault_count; i++) {
            if (out->faults[i].in_lobby || out->faults[i].kind == BKS_LAB_LOAD) {
                out->faults[kept++] = out->faults[i];
            }
        }
        out->fault_count = kept;
        out->drop_after_ms = IMPATIENT_MS;
        if (draw_chance(random, 50)) {
            draw_long_wait(random, out);
        }
    }
}

/// Return true if any two peers cannot reach each other directly for the rest of the match. Then a
/// third peer, which reaches both, must stay.
static bool has_cut_for_good(const sweep_case *c)
{
    for (uint32_t i = 0; i < c->fault_count; i++) {
        if (c->faults[i].kind == BKS_LAB_CUT && c->faults[i].span_ns >= DRAW_ENDLESS_MS * MS_NS) {
            return true;
        }
    }
    return false;
}

void draw_leaves(bks_random *random, sweep_case *out, uint32_t bad_ms)
{
    bks_lab_timed fault = {.kind = BKS_LAB_LEAVE,
                           .peer = bks_random_below(random, out->peers),
                           .at_ns = bks_random_below(random, bad_ms) * MS_NS};
    if (out->peers < 2 || has_cut_for_good(out) || !draw_chance(random, 60)) {
        return;
    }
    add(out, &fault);
    // Let further peers leave, some at about the same time.
    for (uint32_t i = 2; i < out->peers && draw_chance(random, 50); i++) {
        fault.peer = (fault.peer + 1) % out->peers;
        fault.at_ns = draw_chance(random, 50) ? fault.at_ns + draw_between(random, 0, 300) * MS_NS
                                              : bks_random_below(random, bad_ms) * MS_NS;
        add(out, &fault);
    }
}

static bool has_fault(const sweep_case *c, bks_lab_fault_kind kind, uint32_t peer)
{
    for (uint32_t i = 0; i < c->fault_count; i++) {
        if (c->faults[i].kind == kind && c->faults[i].peer == peer) {
            return true;
        }
    }
    return false;
}

void draw_leaves_in_ballots(bks_random *random, sweep_case *out)
{
    const uint32_t count = out->fault_count;
    for (uint32_t i = 0; i < count && out->peers > 2 && !has_cut_for_good(out); i++) {
        const bks_lab_timed crash = out->faults[i];
        const uint32_t trip_ms = trip_ms_of(out);
        const uint32_t late_ms = draw_between(random, trip_ms / 2, 2 * trip_ms + 50);
        const uint32_t peer = other_peer(random, out, crash.peer);
        if (crash.kind != BKS_LAB_CRASH || !draw_chance(random, 40) ||
            has_fault(out, BKS_LAB_LEAVE, peer) || has_fault(out, BKS_LAB_CRASH, peer)) {
            continue;
        }
        add(out, &(bks_lab_timed){.kind = BKS_LAB_LEAVE,
                                  .peer = peer,
                                  .at_ns = crash.at_ns + (out->drop_after_ms + late_ms) * MS_NS});
    }
}

void draw_narrow_goodbye(bks_random *random, sweep_case *out, uint32_t bad_ms)
{
    const uint32_t leaver = bks_random_below(random, out->peers);
    if (out->peers < 3 || !draw_chance(random, 6) || has_fault(out, BKS_LAB_LEAVE, leaver) ||
        has_fault(out, BKS_LAB_CRASH, leaver)) {
        return;
    }
    for (uint32_t i = 0; i < out->peers * out->peers; i++) {
        bks_lab_link_spec *link = &out->links[i / out->peers][i % out->peers];
        if (i / out->peers != i % out->peers) {
            link->rate_bits_per_s = draw_between(random, 12, 64) * UINT64_C(1000);
            link->loss_ppm = draw_between(random, 0, 200) * TENTH_PPM;
            link->reorder_ppm = draw_between(random, 0, 50) * TENTH_PPM;
        }
    }
    add(out, &(bks_lab_timed){.kind = BKS_LAB_LEAVE,
                              .peer = leaver,
                              .at_ns = bks_random_below(random, bad_ms) * MS_NS});
}

void draw_late_answers(bks_random *random, sweep_case *out, uint32_t bad_ms)
{
    if (out->peers < 4 || has_cut_for_good(out) || !draw_chance(random, 10)) {
        return;
    }
    static const bks_lab_fault_kind kinds[] = {BKS_LAB_PAUSE, BKS_LAB_FULL};
    const uint32_t drop_ms = out->drop_after_ms;
    const uint32_t at_ms =
        bad_ms > 2 * drop_ms ? bks_random_below(random, bad_ms - 2 * drop_ms) : 0;
    const uint32_t lost_ms = drop_ms + draw_between(random, 100 + trip_ms_of(out), drop_ms / 2);
    const uint32_t late_ms = drop_ms * 9 / 10;
    const uint32_t lost = bks_random_below(random, out->peers);
    add(out, &(bks_lab_timed){.kind = kinds[bks_random_below(random, ARGS_COUNT(kinds))],
                              .peer = lost,
                              .at_ns = at_ms * MS_NS,
                              .span_ns = lost_ms * MS_NS});
    const uint32_t back_ms = at_ms + lost_ms + draw_between(random, 50, 300);
    add(out, &(bks_lab_timed){.kind = kinds[bks_random_below(random, ARGS_COUNT(kinds))],
                              .peer = other_peer(random, out, lost),
                              .at_ns = (back_ms - late_ms) * MS_NS,
                              .span_ns = late_ms * MS_NS});
}

/// Return true if any peer may be unable to send or receive at some time from `from_ns` to `to_ns`.
/// If such a peer misses another peer's new address and then gets a new address itself, the two can
/// never talk again.
static bool is_any_silent(const sweep_case *c, uint64_t from_ns, uint64_t to_ns)
{
    for (uint32_t i = 0; i < c->fault_count; i++) {
        const bks_lab_timed *fault = &c->faults[i];
        if (is_silencing(fault->kind) && fault->at_ns < to_ns &&
            fault->at_ns + fault->span_ns > from_ns) {
            return true;
        }
    }
    return false;
}

void draw_second_rebind(bks_random *random, sweep_case *out)
{
    for (uint32_t i = 0; i < out->fault_count && out->peers > 1; i++) {
        bks_lab_timed fault = out->faults[i];
        if (fault.kind == BKS_LAB_REBIND) {
            fault.peer = other_peer(random, out, fault.peer);
            const uint64_t first_ns = fault.at_ns;
            fault.at_ns += draw_between(random, 2000, 6000) * MS_NS;
            if (draw_chance(random, 50) && !is_any_silent(out, first_ns, fault.at_ns + KNOWN_NS)) {
                add(out, &fault);
            }
            return;
        }
    }
}

/// Draw a speed for some time of a match.
static void draw_speed(bks_random *random, sweep_case *out, uint32_t bad_ms)
{
    static const uint32_t percents[] = {25, 50, 80, 150, 200, 400};
    const uint32_t span_ms = draw_between(random, 200, 3000);
    const uint32_t at_ms = bad_ms > span_ms ? bks_random_below(random, bad_ms - span_ms) : 0;
    bks_lab_timed fault = {.kind = BKS_LAB_SPEED,
                           .peer = bks_random_below(random, out->peers),
                           .at_ns = at_ms * MS_NS,
                           .value = percents[bks_random_below(random, ARGS_COUNT(percents))]};
    add(out, &fault);
    fault.at_ns += span_ms * MS_NS;
    fault.value = 100;
    add(out, &fault);
}

void draw_pauses(bks_random *random, sweep_case *out, uint32_t bad_ms)
{
    if (out->peers < 2 || !draw_chance(random, 30)) {
        return;
    }
    const uint32_t wanted = draw_between(random, 1, 2);
    for (uint32_t i = 0; i < wanted; i++) {
        const uint32_t span_ms = draw_mostly_low(random, 50, 4000);
        const uint32_t at_ms = bad_ms > span_ms ? bks_random_below(random, bad_ms - span_ms) : 0;
        const uint32_t peer = bks_random_below(random, out->peers);
        if (!has_fault(out, BKS_LAB_FORGE, peer)) {
            add(out, &(bks_lab_timed){.kind = BKS_LAB_PAUSE_GAME,
                                      .peer = peer,
                                      .at_ns = at_ms * MS_NS,
                                      .span_ns = span_ms * MS_NS});
        }
    }
    if (draw_chance(random, 30)) {
        draw_speed(random, out, bad_ms);
    }
}

void draw_crash_in_pause(bks_random *random, sweep_case *out)
{
    uint32_t crashes = 0;
    for (uint32_t i = 0; i < out->fault_count; i++) {
        crashes += out->faults[i].kind == BKS_LAB_CRASH ? 1 : 0;
    }
    // One peer must stay.
    const bool is_wanted =
        draw_chance(random, 40) && !has_cut_for_good(out) && crashes + 1 < out->peers;
    for (uint32_t i = 0; is_wanted && i < out->fault_count; i++) {
        const bks_lab_timed pause = out->faults[i];
        if (pause.kind == BKS_LAB_PAUSE_GAME && !has_fault(out, BKS_LAB_LEAVE, pause.peer) &&
            !has_fault(out, BKS_LAB_CRASH, pause.peer)) {
            const uint32_t late_ms = draw_between(random, 0, (uint32_t)(pause.span_ns / MS_NS));
            add(out, &(bks_lab_timed){.kind = BKS_LAB_CRASH,
                                      .peer = pause.peer,
                                      .at_ns = pause.at_ns + late_ms * MS_NS});
            return;
        }
    }
}

void draw_forger(bks_random *random, sweep_case *out, uint32_t bad_ms)
{
    if (out->peers < 3 || has_cut_for_good(out) || !draw_chance(random, 12)) {
        return;
    }
    if (draw_chance(random, 60)) {
        // Remove all other faults, so that a forger has no reason to drop another peer.
        out->fault_count = 0;
    }
    const uint32_t span_ms = draw_mostly_low(random, 100, 3000);
    add(out, &(bks_lab_timed){.kind = BKS_LAB_FORGE,
                              .peer = bks_random_below(random, out->peers),
                              .at_ns = bks_random_below(random, bad_ms) * MS_NS,
                              .span_ns = span_ms * MS_NS});
}

void draw_early_leave(bks_random *random, sweep_case *out)
{
    if (out->peers < 2 || !draw_chance(random, 5)) {
        return;
    }
    if (draw_chance(random, 70)) {
        // Remove all other faults, because the match will most likely not start.
        out->fault_count = 0;
    }
    const uint32_t peer = bks_random_below(random, out->peers);
    if (!has_fault(out, BKS_LAB_LEAVE, peer)) {
        add(out, &(bks_lab_timed){.kind = BKS_LAB_LEAVE,
                                  .in_lobby = true,
                                  .peer = peer,
                                  .at_ns = draw_mostly_low(random, 0, 1000) * MS_NS});
    }
    const uint32_t other = bks_random_below(random, out->peers);
    const bool crashes = draw_chance(random, 30) && out->peers > 2;
    if (crashes && other != peer && !has_fault(out, BKS_LAB_CRASH, other)) {
        add(out, &(bks_lab_timed){.kind = BKS_LAB_CRASH,
                                  .in_lobby = true,
                                  .peer = other,
                                  .at_ns = draw_mostly_low(random, 0, 1000) * MS_NS});
    }
}

void draw_desync(bks_random *random, sweep_case *out, uint32_t bad_ms)
{
    const uint32_t draw = bks_random_below(random, 24);
    const uint32_t at_ms = bks_random_below(random, bad_ms);
    const uint32_t peer = bks_random_below(random, out->peers);
    if (out->peers < 2 || draw > 1) {
        return;
    }
    if (draw == 0) {
        out->faults[out->fault_count++] =
            (bks_lab_timed){.kind = BKS_LAB_LIE, .peer = peer, .at_ns = at_ms * MS_NS};
    } else {
        const bks_tick tick = (bks_tick)bks_random_below(random, (uint32_t)out->ticks + 1);
        // A game with states of its own has no region in which bits could flip.
        if ((out->variant & GAME_CREATES) == 0) {
            out->flips[out->flip_count++] = (sweep_flip){.peer = peer, .tick = tick};
        }
    }
}
