// SPDX-License-Identifier: MIT

// Draws the match of a seed. All values are drawn in the units of the command line, so that the
// text of a match describes it completely. Most matches have a bad time of some seconds with
// faults, and then a heal, after which every peer must be at full rate. A quarter of the matches
// never heal, but must still end. A few are steady: lockstep matches without faults, except that
// one peer may freeze, or the match may pause or change its speed.

#include "workshop/sweep/sweep_draw_faults.h"

#define MS_NS     UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)

#define STREAM UINT64_C(1000)

/// Time that no match exceeds. A fault that lasts as long counts as endless.
#define LONGEST_MATCH_NS (DRAW_ENDLESS_MS * MS_NS)

/// PERCENT_PPM, TENTH_PPM: a percent and a tenth of a percent, in ppm. MTU_MIN_BYTES: least MTU,
/// because handshake packets with the keys and addresses of all peers have 400 bytes, and must fit.
enum { PERCENT_PPM = 10000, TENTH_PPM = 1000, MTU_MIN_BYTES = 450 };

/// STEADY_PERCENT: share of steady matches among those of 2 to STEADY_PEERS peers. STEADY_MS:
/// length of a steady match after its freeze, long enough for late ticks to be counted.
/// STEADY_DROP_MS: least drop_after_ms of a steady match, so that no peer is dropped in a freeze.
/// STEADY_JITTER_MS: greatest jitter of its lines. STEADY_LONGER_PERCENT: most ticks of a fast
/// match.
enum {
    STEADY_PERCENT = 12,
    STEADY_PEERS = 4,
    STEADY_MS = 60000,
    STEADY_LONGER_PERCENT = 150,
    STEADY_DROP_MS = 7000,
    STEADY_JITTER_MS = 20
};

/// Return a generator of random numbers for one `stream` of draws. The seed is hashed because
/// neighbouring seeds must not give similar generators.
static bks_random random_of(uint64_t seed, uint64_t stream)
{
    bks_random random;
    bks_random_seed(&random, bks_hash64_pair(seed, stream), stream);
    return random;
}

// ---- drawing peers and session ----

static void draw_peers(bks_random *random, const bks_game *game, sweep_case *out)
{
    const uint32_t seats = game->players_max;
    const uint32_t most = seats < BKS_PEERS_MAX ? seats : BKS_PEERS_MAX;
    out->peers = most < 2 ? 1 : draw_mostly_low(random, 2, most);
    uint32_t left = seats - out->peers;
    const bool has_more = draw_chance(random, 30);
    for (uint32_t i = 0; i < out->peers; i++) {
        uint32_t more = has_more ? draw_mostly_low(random, 0, 3) : 0;
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

/// Make a few matches steady: all peers play lockstep with an automatic delay over lines that do
/// not change, and at most one peer freezes. So their delays and hitches can be judged.
static void draw_crowd(bks_random *random, const bks_game *game, sweep_case *out)
{
    const uint32_t most = game->players_max < BKS_PEERS_MAX ? game->players_max : BKS_PEERS_MAX;
    if (!draw_chance(random, 6) || most < 5) {
        return;
    }
    out->peers = draw_between(random, 5, most);
    for (uint32_t i = 0; i < out->peers; i++) {
        out->players_on[i] = 1;
    }
}

static void draw_session(bks_random *random, sweep_case *out)
{
    static const bks_save_policy saves[] = {BKS_SAVE_AUTO, BKS_SAVE_TWO, BKS_SAVE_EVERY,
                                            BKS_SAVE_ONE};
    static const bks_pace paces[] = {BKS_PACE_SLEW, BKS_PACE_SLEW, BKS_PACE_STALL, BKS_PACE_NONE};
    const bool is_lockstep = draw_chance(random, 15);
    const uint32_t kind = bks_random_below(random, 4);
    const uint32_t window = is_lockstep ? 0
                            : kind == 0 ? draw_between(random, 1, 8)
                            : kind == 1 ? draw_between(random, 9, 40)
                            : kind == 2 ? draw_between(random, 10, BKS_WINDOW_MAX)
                                        : 20;
    const uint32_t delay = draw_chance(random, 60) ? BKS_AUTO : draw_mostly_low(random, 0, 12);
    for (uint32_t i = 0; i < out->peers; i++) {
        out->window_ticks[i] = window;
        out->delay_ticks[i] = delay;
    }
    out->save = saves[bks_random_below(random, 4)];
    out->pace = paces[bks_random_below(random, 4)];
}

/// In some matches draw another tick rate than the game's, mostly a low one that costs little.
static void draw_rate(bks_random *random, sweep_case *out)
{
    static const uint32_t usual_hz[] = {1, 2, 10, 20, 30, 50, 100, 120, 240, 500, 1000};
    const uint32_t how = bks_random_below(random, 20);
    const uint32_t quick_hz = draw_mostly_low(random, 61, 1000);
    const uint32_t slow_hz = draw_mostly_low(random, 1, 59);
    const uint32_t one_hz = usual_hz[bks_random_below(random, ARGS_COUNT(usual_hz))];
    out->rate_hz = how < 14 ? 0 : how < 15 ? quick_hz : how < 18 ? slow_hz : one_hz;
}

/// In some matches draw another first tick than 0. Draw none if the user gave sources of inputs,
/// because their inputs may begin with tick 0.
static void draw_first_tick(bks_random *random, const sweep_settings *settings, sweep_case *out)
{
    const bool is_later = draw_chance(random, 15) && settings->inputs.count == 0;
    const bks_tick tick = (bks_tick)draw_between(random, 1, draw_chance(random, 50) ? 200 : 10000);
    out->first_tick = is_later ? tick : 0;
}

/// In some matches draw a window and a delay for each peer.
static void draw_own_tunings(bks_random *random, sweep_case *out)
{
    const bool has_own = draw_chance(random, 25);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        const uint32_t window = draw_between(random, draw_chance(random, 10) ? 0 : 2, 40);
        const uint32_t delay = draw_mostly_low(random, 0, 12);
        const uint32_t kind = bks_random_below(random, 4);
        if (has_own && i < out->peers && (kind & 1) != 0) {
            out->window_ticks[i] = window;
        }
        if (has_own && i < out->peers && kind >= 2) {
            out->delay_ticks[i] = delay;
        }
    }
}

/// If the tick rate is above 60 Hz, raise windows and fixed delays, which are drawn for 60 Hz, so
/// that they last about as long in seconds.
static void stretch_tunings(sweep_case *out)
{
    for (uint32_t i = 0; out->rate_hz > 60 && i < out->peers; i++) {
        const uint32_t window = out->window_ticks[i] * out->rate_hz / 60;
        out->window_ticks[i] = window < BKS_WINDOW_MAX ? window : BKS_WINDOW_MAX;
        if (out->delay_ticks[i] != BKS_AUTO) {
            const uint32_t delay = (out->delay_ticks[i] + 1) * out->rate_hz / 60;
            out->delay_ticks[i] = delay < BKS_DELAY_MAX ? delay : BKS_DELAY_MAX;
        }
    }
}

/// In some matches let the loops of some peers run at a frame rate of their own. The rate is more
/// than half the tick rate: an update steps four ticks at most, so a peer with less than a quarter
/// of it could not keep up.
static void draw_frames(bks_random *random, const sweep_settings *settings, sweep_case *out)
{
    static const uint32_t usual_hz[] = {30, 50, 60, 75, 120, 144, 240};
    const uint32_t rate_hz = sweep_case_rate_hz(settings, out);
    const bool has_frames = draw_chance(random, 20);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        const uint32_t hz = draw_chance(random, 50)
                                ? usual_hz[bks_random_below(random, ARGS_COUNT(usual_hz))]
                                : draw_between(random, rate_hz / 2 + 1, 3 * rate_hz);
        const bool is_driven = draw_chance(random, 70) && 2 * hz > rate_hz && hz >= 20;
        out->frames_hz[i] = has_frames && i < out->peers && is_driven ? hz : 0;
    }
}

/// In some matches use a variant of the game that has a prediction function of its own, or states
/// of its own that only the game can save.
static void draw_variant(bks_random *random, const bks_game *game, sweep_case *out)
{
    const bool may_create = game->create == NULL && game->root_bytes == 0 && !game->pointers;
    const bool guesses = draw_chance(random, 15);
    const bool creates = draw_chance(random, 15);
    out->variant = (guesses && game->predict == NULL ? (uint32_t)GAME_GUESSES : 0u) |
                   (creates && may_create ? (uint32_t)GAME_CREATES : 0u);
}

/// In a third of the matches give the game commands. A packet has less room for inputs then, so
/// give none to games with inputs of more than 128 bits.
static void draw_orders(bks_random *random, const bks_game *game, sweep_case *out)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < game->field_count; i++) {
        bits += game->fields[i].bits;
    }
    const bool is_drawn = draw_chance(random, 33) && bits <= 128 && game->command_bytes_max == 0;
    out->variant |= is_drawn ? (uint32_t)GAME_ORDERS : 0;
}

static void draw_drop_after(bks_random *random, sweep_case *out)
{
    const uint32_t tenths = draw_mostly_low(random, 15, 150);
    out->drop_after_ms = draw_chance(random, 25) ? tenths * 100 : 5000;
}

// ---- drawing links ----

/// Greatest values of each kind of trouble that the links of a match have.
typedef struct link_trouble {
    uint32_t delay_ms;
    uint32_t jitter_ms;
    uint32_t loss_tenths; ///< greatest loss, in tenths of a percent
    uint32_t burst_halves;
    uint32_t dup_tenths;
    uint32_t reorder_tenths;
    uint32_t corrupt_tenths;
    uint32_t rate_kbit;
    uint32_t mtu_bytes;
} link_trouble;

static link_trouble draw_weather(bks_random *random)
{
    return (link_trouble){
        .delay_ms = draw_chance(random, 10) ? 0 : draw_mostly_low(random, 1, 250),
        .jitter_ms = draw_chance(random, 60) ? draw_mostly_low(random, 1, 80) : 0,
        .loss_tenths = draw_chance(random, 75) ? draw_mostly_low(random, 1, 250) : 0,
        .burst_halves = draw_chance(random, 30) ? draw_between(random, 3, 8) : 0,
        .dup_tenths = draw_chance(random, 40) ? draw_mostly_low(random, 1, 100) : 0,
        .reorder_tenths = draw_chance(random, 40) ? draw_mostly_low(random, 1, 100) : 0,
        .corrupt_tenths = draw_chance(random, 40) ? draw_mostly_low(random, 1, 50) : 0,
        .rate_kbit = draw_chance(random, 15) ? draw_between(random, 24, 256) : 0,
        .mtu_bytes = draw_chance(random, 10) ? draw_between(random, MTU_MIN_BYTES, 1228) : 0,
    };
}

static uint32_t up_to(bks_random *random, uint32_t most)
{
    return most == 0 ? 0 : draw_between(random, most / 2, most);
}

static bks_lab_link_spec draw_link(bks_random *random, const link_trouble *w, uint32_t delay_ms)
{
    const uint32_t delay = delay_ms + up_to(random, delay_ms / 5);
    const uint32_t jitter = up_to(random, w->jitter_ms);
    return (bks_lab_link_spec){
        .delay_ns = delay * MS_NS,
        .jitter_ns = (jitter < delay ? jitter : delay) * MS_NS,
        .loss_ppm = up_to(random, w->loss_tenths) * (PERCENT_PPM / 10),
        .burst_packets = w->burst_halves / 2.0,
        .duplicate_ppm = up_to(random, w->dup_tenths) * (PERCENT_PPM / 10),
        .reorder_ppm = up_to(random, w->reorder_tenths) * (PERCENT_PPM / 10),
        .corrupt_ppm = up_to(random, w->corrupt_tenths) * (PERCENT_PPM / 10),
        .rate_bits_per_s = up_to(random, w->rate_kbit) * UINT64_C(1000),
        .mtu_bytes = w->mtu_bytes,
    };
}

static void draw_links(bks_random *random, sweep_case *out)
{
    const link_trouble w = draw_weather(random);
    const bool is_even = draw_chance(random, 20);
    const bool is_lopsided = draw_chance(random, 30);
    const bks_lab_link_spec all = draw_link(random, &w, w.delay_ms * 5 / 6);
    for (uint32_t a = 0; a < out->peers; a++) {
        for (uint32_t b = a + 1; b < out->peers; b++) {
            // Unless all links are the same, draw the links of both directions separately. Their
            // delays are equal, or independent in a lopsided match.
            const uint32_t delay_ms = bks_random_below(random, w.delay_ms * 5 / 6 + 1);
            const uint32_t other_ms = bks_random_below(random, w.delay_ms * 5 / 6 + 1);
            out->links[a][b] = is_even ? all : draw_link(random, &w, delay_ms);
            out->links[b][a] =
                is_even ? all : draw_link(random, &w, is_lopsided ? other_ms : delay_ms);
        }
    }
}

// ---- drawing the whole match ----

/// Return true if a session may have to wait for inputs at every tick while a link is bad.
static bool is_tight(const sweep_settings *settings, const sweep_case *c)
{
    bool is_tight = false;
    for (uint32_t i = 0; i < c->peers; i++) {
        const bool is_auto = c->delay_ticks[i] == BKS_AUTO;
        const uint32_t ticks = c->window_ticks[i] + (is_auto ? 0 : c->delay_ticks[i]);
        const bool is_short = ticks * 3 < sweep_case_rate_hz(settings, c);
        is_tight |= is_short && !(c->window_ticks[i] == 0 && is_auto);
    }
    return is_tight;
}

static uint64_t longest_way_ns(const sweep_case *c)
{
    uint64_t longest_ns = 0;
    for (uint32_t i = 0; i < c->peers * c->peers; i++) {
        const uint64_t way_ns = bks_lab_link_longest_ns(&c->links[i / c->peers][i % c->peers]);
        longest_ns = way_ns > longest_ns ? way_ns : longest_ns;
    }
    return longest_ns;
}

/// Remove all faults and make links no worse than a match can bear at its full rate.
static void calm(sweep_case *out)
{
    out->fault_count = 0;
    for (uint32_t i = 0; i < out->peers * out->peers; i++) {
        bks_lab_link_spec *link = &out->links[i / out->peers][i % out->peers];
        link->loss_ppm = link->loss_ppm / 5 / TENTH_PPM * TENTH_PPM;
        link->corrupt_ppm = link->corrupt_ppm / 5 / TENTH_PPM * TENTH_PPM;
        link->mtu_bytes = 0;
    }
}

/// Draw goodbyes, cuts, lines, streams and arrivals, each from a stream of random numbers of its
/// own.
static void draw_more_faults(uint64_t seed, sweep_case *out, uint32_t bad_ms)
{
    bks_random goodbyes = random_of(seed, STREAM + 1);
    draw_leaves(&goodbyes, out, bad_ms);
    bks_random more = random_of(seed, STREAM + 12);
    draw_one_sided_cuts(&more, out, bad_ms);
    draw_leaves_in_ballots(&more, out);
    bks_random lines = random_of(seed, STREAM + 10);
    draw_lines(&lines, out, bad_ms);
    bks_random answers = random_of(seed, STREAM + 15);
    draw_late_answers(&answers, out, bad_ms);
    bks_random streams = random_of(seed, STREAM + 11);
    draw_streams(&streams, out, bad_ms);
    bks_random forgers = random_of(seed, STREAM + 14);
    draw_forger(&forgers, out, bad_ms);
    bks_random early = random_of(seed, STREAM + 16);
    draw_early_leave(&early, out);
    bks_random narrow = random_of(seed, STREAM + 20);
    draw_narrow_goodbye(&narrow, out, bad_ms);
    bks_random arrivals = random_of(seed, STREAM + 19);
    draw_arrivals(&arrivals, out);
    // Draw this last: it depends on the silences of all faults drawn before.
    draw_second_rebind(&more, out);
    bks_random pauses = random_of(seed, STREAM + 22);
    draw_pauses(&pauses, out, bad_ms);
    bks_random crashes = random_of(seed, STREAM + 27);
    draw_crash_in_pause(&crashes, out);
}

/// Give the lines only faults that an automatic delay can cover: losses, a little jitter and, in
/// some matches, runs of losses.
static void draw_steady_lines(bks_random *random, sweep_case *out)
{
    const bool has_runs = draw_chance(random, 20);
    for (uint32_t i = 0; i < out->peers * out->peers; i++) {
        bks_lab_link_spec *link = &out->links[i / out->peers][i % out->peers];
        const uint64_t jitter_ns = STEADY_JITTER_MS * MS_NS;
        const uint32_t loss_ppm = draw_between(random, 10, 80) * TENTH_PPM;
        *link = (bks_lab_link_spec){.delay_ns = link->delay_ns,
                                    .jitter_ns =
                                        link->jitter_ns < jitter_ns ? link->jitter_ns : jitter_ns,
                                    .loss_ppm = link->loss_ppm > 0 ? link->loss_ppm : loss_ppm,
                                    .burst_packets = has_runs ? link->burst_packets : 0.0,
                                    .duplicate_ppm = link->duplicate_ppm,
                                    .corrupt_ppm = link->corrupt_ppm};
    }
}

/// Let the match run at another speed from some time on, in some matches for some seconds only.
/// @return length of the match in percent of that at its usual speed
static uint32_t draw_steady_speed(uint32_t peer, uint32_t at_ms, sweep_case *out)
{
    static const uint32_t percents[] = {25, 50, 80, 150, 200, 400};
    bks_random random = random_of(out->seed, STREAM + 26);
    bks_lab_timed fault = {.kind = BKS_LAB_SPEED,
                           .peer = peer,
                           .at_ns = at_ms * MS_NS,
                           .value = percents[bks_random_below(&random, ARGS_COUNT(percents))]};
    const uint32_t percent = (uint32_t)fault.value;
    out->faults[out->fault_count++] = fault;
    if (!draw_chance(&random, 40)) {
        return percent < STEADY_LONGER_PERCENT ? percent : STEADY_LONGER_PERCENT;
    }
    fault.at_ns += draw_between(&random, 2000, 8000) * MS_NS;
    fault.value = 100;
    out->faults[out->fault_count++] = fault;
    return 100;
}

/// In a few matches, let all peers play lockstep with an automatic delay over lines that do not
/// change. Draw at most one fault, a freeze, a cut or a failure to send, or a pause of the match,
/// or another speed. This makes it possible to judge the delay and hitches.
static void draw_steady(bks_random *random, const sweep_settings *settings, sweep_case *out)
{
    static const uint32_t rates_hz[] = {0, 0, 0, 10, 20, 30};
    if (!draw_chance(random, STEADY_PERCENT) || out->peers < 2 || out->peers > STEADY_PEERS ||
        settings->has_policy) {
        return;
    }
    draw_steady_lines(random, out);
    for (uint32_t i = 0; i < out->peers; i++) {
        out->window_ticks[i] = 0;
        out->delay_ticks[i] = BKS_AUTO;
    }
    out->fault_count = out->bulk_count = out->flip_count = 0;
    out->drop_after_ms = out->drop_after_ms > STEADY_DROP_MS ? out->drop_after_ms : STEADY_DROP_MS;
    out->on_desync = BKS_ON_DESYNC_REPORT;
    out->rate_hz = rates_hz[bks_random_below(random, ARGS_COUNT(rates_hz))];
    const uint32_t at_ms = draw_between(random, 3000, 6000);
    const uint32_t span_ms = draw_between(random, 3500, 4500);
    const uint32_t peer = bks_random_below(random, out->peers);
    static const bks_lab_fault_kind kinds[] = {BKS_LAB_PAUSE, BKS_LAB_PAUSE, BKS_LAB_CUT,
                                               BKS_LAB_FULL};
    const bool is_silent = draw_chance(random, 60);
    const uint32_t other = 1 + bks_random_below(random, out->peers - 1);
    if (is_silent) {
        out->faults[out->fault_count++] =
            (bks_lab_timed){.kind = kinds[bks_random_below(random, ARGS_COUNT(kinds))],
                            .peer = peer,
                            .other = (peer + other) % out->peers,
                            .at_ns = at_ms * MS_NS,
                            .span_ns = span_ms * MS_NS};
    }
    bks_random pauses = random_of(out->seed, STREAM + 23);
    if (!is_silent && draw_chance(&pauses, 60)) {
        out->faults[out->fault_count++] = (bks_lab_timed){.kind = BKS_LAB_PAUSE_GAME,
                                                          .peer = peer,
                                                          .at_ns = at_ms * MS_NS,
                                                          .span_ns = span_ms * MS_NS};
    }
    const uint32_t percent = out->fault_count == 0 ? draw_steady_speed(peer, at_ms, out) : 100;
    const uint32_t all_ms = STEADY_MS + (is_silent ? at_ms + span_ms : 0);
    const uint64_t ticks = (uint64_t)all_ms * sweep_case_rate_hz(settings, out) / 1000;
    out->ticks = settings->ticks > 0 ? out->ticks : (bks_tick)(ticks * percent / 100);
}

/// Return the number of ticks that a match plays in its time beyond those at its usual speed.
static bks_tick more_ticks(const sweep_case *c, uint32_t rate_hz)
{
    uint64_t ticks = 0;
    for (uint32_t i = 0; i + 1 < c->fault_count; i++) {
        const bks_lab_timed *from = &c->faults[i];
        const bks_lab_timed *to = &c->faults[i + 1];
        if (from->kind == BKS_LAB_SPEED && to->kind == BKS_LAB_SPEED && from->value > 100) {
            const uint64_t ms = (to->at_ns - from->at_ns) / MS_NS;
            ticks += ms * rate_hz / 1000 * (uint64_t)(from->value - 100) / 100;
        }
    }
    return (bks_tick)ticks;
}

void sweep_case_draw(const sweep_settings *settings, uint64_t seed, sweep_case *out)
{
    bks_random random = random_of(seed, STREAM);
    *out = (sweep_case){.seed = seed};
    draw_peers(&random, settings->game, out);
    bks_random crowd = random_of(seed, STREAM + 18);
    draw_crowd(&crowd, settings->game, out);
    draw_session(&random, out);
    draw_links(&random, out);
    bks_random late = random_of(seed, STREAM + 13);
    draw_late_packets(&late, out);
    bks_random terms = random_of(seed, STREAM + 2);
    draw_rate(&terms, out);
    draw_drop_after(&terms, out);
    bks_random first = random_of(seed, STREAM + 15);
    draw_first_tick(&first, settings, out);
    bks_random own = random_of(seed, STREAM + 3);
    draw_own_tunings(&own, out);
    stretch_tunings(out);
    draw_frames(&own, settings, out);
    draw_variant(&own, settings->game, out);
    bks_random orders = random_of(seed, STREAM + 24);
    draw_orders(&orders, settings->game, out);
    const uint32_t rate = sweep_case_rate_hz(settings, out);
    const bool heals = draw_chance(&random, 60) || is_tight(settings, out);
    const bool is_rough = draw_chance(&random, 25);
    const uint32_t least_ms = is_rough ? 9 * out->drop_after_ms / 5 : 2500;
    uint32_t bad_ms = draw_mostly_low(&random, least_ms, 15000 + out->drop_after_ms);
    draw_faults(&random, out, bad_ms, is_rough);
    bks_random lobby = random_of(seed, STREAM + 4);
    draw_lobby_faults(&lobby, out);
    draw_more_faults(seed, out, bad_ms);
    if (heals) {
        out->faults[out->fault_count++] =
            (bks_lab_timed){.kind = BKS_LAB_HEAL, .at_ns = bad_ms * MS_NS};
    }
    bks_random still = random_of(seed, STREAM + 5);
    if (draw_chance(&still, 10) && !is_tight(settings, out)) {
        calm(out);
        const uint32_t narrow_ms = draw_narrow_line(&still, out);
        bad_ms = narrow_ms > bad_ms ? narrow_ms : bad_ms;
    }
    bks_lab_expectation expected = {0};
    const bks_lab_terms of = {out->peers, LONGEST_MATCH_NS, longest_way_ns(out),
                              out->drop_after_ms * MS_NS};
    (void)bks_lab_expect(out->faults, out->fault_count, &of, &expected);
    const uint64_t over_ms = expected.over_ns / MS_NS;
    const uint64_t all_ms = heals && out->fault_count > 0 ? over_ms + 5500
                            : over_ms > bad_ms            ? over_ms
                                                          : bad_ms;
    out->ticks =
        settings->ticks > 0 ? (bks_tick)settings->ticks : (bks_tick)(all_ms * rate / 1000) + 1;
    out->ticks += settings->ticks > 0 ? 0 : more_ticks(out, rate);
    draw_desync(&random, out, bad_ms);
    out->is_twice = draw_chance(&random, 13);
    bks_random policy = random_of(seed, STREAM + 17);
    draw_policy(&policy, settings, out);
    bks_random steady = random_of(seed, STREAM + 21);
    draw_steady(&steady, settings, out);
    bks_random watchers = random_of(seed, STREAM + 28);
    const uint64_t match_ms = (uint64_t)out->ticks * 1000 / sweep_case_rate_hz(settings, out);
    draw_watchers(&watchers, settings, out, (uint32_t)match_ms + 1);
}
