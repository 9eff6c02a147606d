// SPDX-License-Identifier: MIT

// What a seed of `bks sweep` becomes. Everything is drawn in the units in which it is written, so
// that the text of a match says all of it. A bad time of some seconds with faults in it is followed
// by a heal, after which everyone must be at full rate; a quarter of the matches never heal and
// must come to their end all the same.

#include "backstitch/det.h"
#include "lab/lab_internal.h"
#include "sweep_case.h"

#define MS_NS     UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)

/// What the session can survive. A peer that crashes or is split off for long is dropped only where
/// there are views; a peer with a new address is followed only where packets are sealed.
#define SURVIVES_DROPS  true
#define SURVIVES_REBIND true

/// All silence that faults may cause together. Whoever is silent for 5 seconds is lost, and the
/// links add to it.
#define SILENCE_MS 2400u

#define STREAM UINT64_C(1000)

enum { PERCENT_PPM = 10000 };

/// low..high, both included.
static uint32_t between(bks_random *random, uint32_t low, uint32_t high)
{
    return low + bks_random_below(random, high - low + 1);
}

/// As between(), but small numbers are more likely.
static uint32_t mostly_low(bks_random *random, uint32_t low, uint32_t high)
{
    const uint32_t once = between(random, low, high);
    const uint32_t again = between(random, low, high);
    return once < again ? once : again;
}

static bool chance(bks_random *random, uint32_t percent)
{
    return bks_random_below(random, 100) < percent;
}

// ---- who ----

static void draw_peers(bks_random *random, const bks_game *game, sweep_case *out)
{
    const uint32_t seats = game->players_max;
    const uint32_t most = seats < BKS_PEERS_MAX ? seats : BKS_PEERS_MAX;
    out->peers = most < 2 ? 1 : mostly_low(random, 2, most);
    uint32_t left = seats - out->peers;
    const bool has_more = chance(random, 30);
    for (uint32_t i = 0; i < out->peers; i++) {
        uint32_t more = has_more ? mostly_low(random, 0, 3) : 0;
        more = more < left ? more : left;
        out->players_on[i] = 1 + more;
        left -= more;
    }
    uint32_t players = 0;
    for (uint32_t i = 0; i < out->peers; i++) {
        players += out->players_on[i];
    }
    if (players < game->players_min) {
        out->players_on[0] += game->players_min - players;
    }
}

static void draw_session(bks_random *random, sweep_case *out)
{
    static const bks_save_policy saves[] = {BKS_SAVE_AUTO, BKS_SAVE_TWO, BKS_SAVE_EVERY,
                                            BKS_SAVE_ONE};
    static const bks_pace paces[] = {BKS_PACE_SLEW, BKS_PACE_SLEW, BKS_PACE_STALL, BKS_PACE_NONE};
    const bool is_lockstep = chance(random, 15);
    const uint32_t kind = bks_random_below(random, 4);
    out->window_ticks = is_lockstep ? 0
                        : kind == 0 ? between(random, 1, 8)
                        : kind == 1 ? between(random, 9, 40)
                        : kind == 2 ? between(random, 10, BKS_WINDOW_MAX)
                                    : 20;
    out->delay_ticks = chance(random, 60) ? BKS_DELAY_AUTO : mostly_low(random, 0, 12);
    out->save = saves[bks_random_below(random, 4)];
    out->pace = paces[bks_random_below(random, 4)];
}

// ---- links ----

/// Which of the things that can be wrong with a link are so in this match, and how much at most.
typedef struct weather {
    uint32_t delay_ms;
    uint32_t jitter_ms;
    uint32_t loss_tenths; ///< of a percent, and so on
    uint32_t burst_halves;
    uint32_t dup_tenths;
    uint32_t reorder_tenths;
    uint32_t corrupt_tenths;
    uint32_t rate_kbit;
} weather;

static weather draw_weather(bks_random *random)
{
    return (weather){
        .delay_ms = chance(random, 10) ? 0 : mostly_low(random, 1, 250),
        .jitter_ms = chance(random, 60) ? mostly_low(random, 1, 80) : 0,
        .loss_tenths = chance(random, 75) ? mostly_low(random, 1, 250) : 0,
        .burst_halves = chance(random, 30) ? between(random, 3, 8) : 0,
        .dup_tenths = chance(random, 40) ? mostly_low(random, 1, 100) : 0,
        .reorder_tenths = chance(random, 40) ? mostly_low(random, 1, 100) : 0,
        .corrupt_tenths = chance(random, 40) ? mostly_low(random, 1, 50) : 0,
        .rate_kbit = chance(random, 15) ? between(random, 24, 256) : 0,
    };
}

static uint32_t up_to(bks_random *random, uint32_t most)
{
    return most == 0 ? 0 : between(random, most / 2, most);
}

static bksi_lab_link_spec draw_link(bks_random *random, const weather *w, uint32_t delay_ms)
{
    const uint32_t delay = delay_ms + up_to(random, delay_ms / 5);
    const uint32_t jitter = up_to(random, w->jitter_ms);
    return (bksi_lab_link_spec){
        .delay_ns = delay * MS_NS,
        .jitter_ns = (jitter < delay ? jitter : delay) * MS_NS,
        .loss_ppm = up_to(random, w->loss_tenths) * (PERCENT_PPM / 10),
        .burst_packets = w->burst_halves / 2.0,
        .duplicate_ppm = up_to(random, w->dup_tenths) * (PERCENT_PPM / 10),
        .reorder_ppm = up_to(random, w->reorder_tenths) * (PERCENT_PPM / 10),
        .corrupt_ppm = up_to(random, w->corrupt_tenths) * (PERCENT_PPM / 10),
        .rate_bits_per_s = up_to(random, w->rate_kbit) * UINT64_C(1000),
    };
}

static void draw_links(bks_random *random, sweep_case *out)
{
    const weather w = draw_weather(random);
    const bool is_even = chance(random, 20);
    const bool is_lopsided = chance(random, 30);
    const bksi_lab_link_spec all = draw_link(random, &w, w.delay_ms * 5 / 6);
    for (uint32_t a = 0; a < out->peers; a++) {
        for (uint32_t b = a + 1; b < out->peers; b++) {
            // Both directions of a pair are alike, but not the same, or not alike at all.
            const uint32_t delay_ms = bks_random_below(random, w.delay_ms * 5 / 6 + 1);
            const uint32_t other_ms = bks_random_below(random, w.delay_ms * 5 / 6 + 1);
            out->links[a][b] = is_even ? all : draw_link(random, &w, delay_ms);
            out->links[b][a] =
                is_even ? all : draw_link(random, &w, is_lopsided ? other_ms : delay_ms);
        }
    }
}

// ---- faults ----

/// What is left to spend.
typedef struct budget {
    uint32_t bad_ms; ///< length of the bad time
    uint32_t silence_ms;
} budget;

static uint32_t other_peer(bks_random *random, const sweep_case *c, uint32_t peer)
{
    return (peer + 1 + bks_random_below(random, c->peers - 1)) % c->peers;
}

static void draw_groups(bks_random *random, const sweep_case *c, bksi_lab_timed *fault)
{
    for (uint32_t i = 0; i < c->peers; i++) {
        fault->group[i] = (uint8_t)(1 + bks_random_below(random, 2));
    }
    fault->group[0] = 1;
    fault->group[1 + bks_random_below(random, c->peers - 1)] = 2;
}

/// Fill in what belongs to the kind. `span_ms` is of those that silence.
static void draw_fault(bks_random *random, const sweep_case *c, uint32_t span_ms,
                       bksi_lab_timed *fault)
{
    const int64_t sign = chance(random, 50) ? 1 : -1;
    switch (fault->kind) {
    case BKSI_LAB_CUT:
        fault->other = other_peer(random, c, fault->peer);
        fault->span_ns = span_ms * MS_NS;
        break;
    case BKSI_LAB_SPLIT:
        draw_groups(random, c, fault);
        fault->span_ns = span_ms * MS_NS;
        break;
    case BKSI_LAB_PAUSE:
    case BKSI_LAB_FULL:
        fault->span_ns = span_ms * MS_NS;
        break;
    case BKSI_LAB_DRIFT:
        fault->value = sign * (int64_t)between(random, 10, 500);
        fault->at_ns = 0;
        break;
    case BKSI_LAB_CLOCK:
        fault->value = sign * (int64_t)(between(random, 1, 20000) * MS_NS);
        break;
    case BKSI_LAB_SLOW:
        fault->span_ns = between(random, 200, 2000) * MS_NS;
        fault->value = between(random, 5, 40) * 100;
        break;
    default:
        break;
    }
}

static bool is_silencing(bksi_lab_fault_kind kind)
{
    return kind == BKSI_LAB_CUT || kind == BKSI_LAB_SPLIT || kind == BKSI_LAB_PAUSE ||
           kind == BKSI_LAB_FULL;
}

/// Whether the session can take this fault, here.
static bool is_allowed(const sweep_case *c, bksi_lab_fault_kind kind, uint32_t peer)
{
    if (c->peers < 2 || (kind == BKSI_LAB_SPLIT && c->peers < 3) ||
        (kind == BKSI_LAB_CRASH && (!SURVIVES_DROPS || c->peers < 3)) ||
        (kind == BKSI_LAB_REBIND && !SURVIVES_REBIND)) {
        return false;
    }
    for (uint32_t i = 0; i < c->fault_count; i++) {
        const bool is_once = kind == BKSI_LAB_CRASH || kind == BKSI_LAB_DRIFT;
        if (is_once && c->faults[i].kind == kind && c->faults[i].peer == peer) {
            return false;
        }
    }
    return true;
}

static void add_fault(bks_random *random, budget *left, sweep_case *out)
{
    static const bksi_lab_fault_kind kinds[] = {
        BKSI_LAB_PAUSE, BKSI_LAB_CRASH, BKSI_LAB_CUT,    BKSI_LAB_SPLIT, BKSI_LAB_DRIFT,
        BKSI_LAB_CLOCK, BKSI_LAB_SLOW,  BKSI_LAB_REBIND, BKSI_LAB_FULL,
    };
    bksi_lab_timed fault = {.kind = kinds[bks_random_below(random, ARGS_COUNT(kinds))],
                            .peer = bks_random_below(random, out->peers)};
    const uint32_t span_ms = mostly_low(random, 20, SILENCE_MS);
    fault.at_ns = bks_random_below(random, left->bad_ms) * MS_NS;
    if (!is_allowed(out, fault.kind, fault.peer)) {
        return;
    }
    if (is_silencing(fault.kind)) {
        if (span_ms > left->silence_ms) {
            return;
        }
        left->silence_ms -= span_ms;
    }
    draw_fault(random, out, span_ms, &fault);
    // What begins in the bad time also ends in it.
    const uint64_t bad_ns = left->bad_ms * MS_NS;
    if (fault.at_ns + fault.span_ns > bad_ns) {
        fault.at_ns = fault.span_ns < bad_ns ? bad_ns - fault.span_ns : 0;
    }
    out->faults[out->fault_count++] = fault;
}

static void draw_faults(bks_random *random, sweep_case *out, uint32_t bad_ms)
{
    budget left = {.bad_ms = bad_ms, .silence_ms = SILENCE_MS};
    const uint32_t wanted = bks_random_below(random, SWEEP_FAULTS_MAX - 2);
    for (uint32_t i = 0; i < wanted; i++) {
        add_fault(random, &left, out);
    }
}

/// A few matches have a desync in them, which must be found.
static void draw_desync(bks_random *random, sweep_case *out, uint32_t bad_ms)
{
    const uint32_t draw = bks_random_below(random, 24);
    const uint32_t at_ms = bks_random_below(random, bad_ms);
    const uint32_t peer = bks_random_below(random, out->peers);
    if (out->peers < 2 || draw > 1) {
        return;
    }
    if (draw == 0) {
        out->faults[out->fault_count++] =
            (bksi_lab_timed){.kind = BKSI_LAB_LIE, .peer = peer, .at_ns = at_ms * MS_NS};
    } else {
        out->has_flip = true;
        out->flip_peer = peer;
        out->flip_tick = (bks_tick)bks_random_below(random, (uint32_t)out->ticks + 1);
    }
}

/// Whether somebody must be dropped first, before the rest can go on.
static bool has_crash(const sweep_case *c)
{
    for (uint32_t i = 0; i < c->fault_count; i++) {
        if (c->faults[i].kind == BKSI_LAB_CRASH) {
            return true;
        }
    }
    return false;
}

/// Whether the session may have to wait for every tick as long as a bad link is bad.
static bool is_tight(const sweep_case *c)
{
    const bool is_auto = c->delay_ticks == BKS_DELAY_AUTO;
    if (c->window_ticks == 0 && is_auto) {
        return false;
    }
    return c->window_ticks + (is_auto ? 0 : c->delay_ticks) < 20;
}

void sweep_case_draw(const sweep_frame *frame, uint64_t seed, sweep_case *out)
{
    bks_random random = bksi_lab_random(seed, STREAM);
    *out = (sweep_case){.seed = seed};
    draw_peers(&random, frame->game, out);
    draw_session(&random, out);
    draw_links(&random, out);
    const uint32_t rate = frame->game->tick_rate_hz;
    const bool heals = chance(&random, 60) || is_tight(out);
    const uint32_t bad_ms = mostly_low(&random, 2500, 20000);
    draw_faults(&random, out, bad_ms);
    const uint32_t all_ms = bad_ms + (heals ? 4500 : 0) + (has_crash(out) ? 5000 : 0);
    out->ticks = frame->ticks > 0 ? (bks_tick)frame->ticks : (bks_tick)(all_ms * rate / 1000);
    draw_desync(&random, out, bad_ms);
    out->is_twice = chance(&random, 13);
    if (heals) {
        out->faults[out->fault_count++] =
            (bksi_lab_timed){.kind = BKSI_LAB_HEAL, .at_ns = bad_ms * MS_NS};
    }
}
