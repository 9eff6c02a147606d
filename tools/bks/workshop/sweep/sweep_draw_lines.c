// SPDX-License-Identifier: MIT

#include "workshop/sweep/sweep_draw_faults.h"

#define MS_NS     UINT64_C(1000000)
#define TENTH_PPM 1000u ///< a tenth of a percent, in ppm

/// NARROW_KBIT: rate of a line through which a match with one player on each machine just fits.
/// PLAYER_KBIT: rate to add for each further player. NARROW_MS: how long the match must go on after
/// the line becomes narrow.
enum { NARROW_KBIT = 14, PLAYER_KBIT = 6, NARROW_MS = 14000 };

/// Draw two different peers.
static void draw_pair(bks_random *random, const sweep_case *c, uint32_t *from, uint32_t *to)
{
    *from = bks_random_below(random, c->peers);
    *to = (*from + 1 + bks_random_below(random, c->peers - 1)) % c->peers;
}

static void add(sweep_case *out, const bks_lab_timed *fault)
{
    if (out->fault_count < SWEEP_FAULTS_MAX - 2) { // keep two entries free for a lie and a heal
        out->faults[out->fault_count++] = *fault;
    }
}

void draw_lines(bks_random *random, sweep_case *out, uint32_t bad_ms)
{
    if (out->peers < 2 || !draw_chance(random, 15)) {
        return;
    }
    bks_lab_timed fault = {.kind = BKS_LAB_RATE,
                           .at_ns = bks_random_below(random, bad_ms) * MS_NS,
                           .value = draw_mostly_low(random, 24, 256) * INT64_C(1000)};
    draw_pair(random, out, &fault.other, &fault.peer);
    fault.is_one_way = draw_chance(random, 50);
    add(out, &fault);
    if (draw_chance(random, 50)) {
        bks_lab_timed fill = fault;
        fill.kind = BKS_LAB_FILL;
        fill.value = draw_between(random, 20, 500) * (int64_t)MS_NS;
        add(out, &fill);
    }
    if (draw_chance(random, 50)) {
        fault.at_ns += draw_between(random, 200, 8000) * MS_NS;
        fault.value = draw_between(random, 1, 10) * INT64_C(1000000);
        add(out, &fault);
    }
}

uint32_t draw_narrow_line(bks_random *random, sweep_case *out)
{
    const uint32_t begin_ms = draw_between(random, 0, 4000);
    const uint32_t kbit = draw_between(random, NARROW_KBIT, 3 * NARROW_KBIT);
    const bool is_full = draw_chance(random, 50);
    bks_lab_timed fault = {.kind = BKS_LAB_RATE, .at_ns = begin_ms * MS_NS};
    fault.is_one_way = draw_chance(random, 30);
    if (out->peers < 2 || !draw_chance(random, 50)) {
        return 0;
    }
    draw_pair(random, out, &fault.other, &fault.peer);
    const uint32_t a = out->players_on[fault.peer];
    const uint32_t b = out->players_on[fault.other];
    const uint32_t more = (a > b ? a : b) - 1;
    fault.value = (kbit + more * PLAYER_KBIT) * INT64_C(1000);
    add(out, &fault);
    if (is_full) {
        fault.kind = BKS_LAB_FILL;
        fault.value = draw_between(random, 20, 500) * (int64_t)MS_NS;
        add(out, &fault);
    }
    return begin_ms + NARROW_MS;
}

/// Return true if there are three peers or more, all of them stay to the end, and no fault is
/// endless. Then any two peers always have a third one, which can carry their packets.
static bool do_all_stay(const sweep_case *c)
{
    for (uint32_t i = 0; i < c->fault_count; i++) {
        const bks_lab_timed *fault = &c->faults[i];
        if (fault->kind == BKS_LAB_CRASH || fault->kind == BKS_LAB_LEAVE ||
            fault->span_ns >= DRAW_ENDLESS_MS * MS_NS) {
            return false;
        }
    }
    return c->peers > 2;
}

void draw_one_sided_cuts(bks_random *random, sweep_case *out, uint32_t bad_ms)
{
    if (out->peers < 2 || !draw_chance(random, 15)) {
        return;
    }
    const uint32_t span_ms = draw_mostly_low(random, 20, 2 * out->drop_after_ms / 5);
    bks_lab_timed fault = {.kind = BKS_LAB_CUT,
                           .is_one_way = true,
                           .at_ns = bks_random_below(random, bad_ms) * MS_NS,
                           .span_ns = span_ms * MS_NS};
    draw_pair(random, out, &fault.other, &fault.peer);
    const bool is_endless = draw_chance(random, 40) && do_all_stay(out);
    fault.span_ns = is_endless ? DRAW_ENDLESS_MS * MS_NS : fault.span_ns;
    add(out, &fault);
}

void draw_late_packets(bks_random *random, sweep_case *out)
{
    if (!draw_chance(random, 10)) {
        return;
    }
    const uint32_t most_ms = draw_between(random, 300, 5000);
    for (uint32_t i = 0; i < out->peers * out->peers; i++) {
        bks_lab_link_spec *link = &out->links[i / out->peers][i % out->peers];
        if (i / out->peers != i % out->peers && draw_chance(random, 60)) {
            link->reorder_ppm = draw_mostly_low(random, 1, 30) * TENTH_PPM;
            link->hold_ns = most_ms * MS_NS;
        }
    }
}

void draw_streams(bks_random *random, sweep_case *out, uint32_t bad_ms)
{
    if (out->peers < 2 || !draw_chance(random, 15)) {
        return;
    }
    const uint32_t wanted = draw_between(random, 1, SWEEP_BULKS_MAX);
    for (uint32_t i = 0; i < wanted; i++) {
        bks_lab_bulk_spec bulk = {.bytes = draw_mostly_low(random, 1, 300000),
                                  .at_ns = bks_random_below(random, bad_ms) * MS_NS};
        draw_pair(random, out, &bulk.from, &bulk.to);
        if (!sweep_case_has_bulk(out, bulk.from, bulk.to)) {
            out->bulk[out->bulk_count++] = bulk;
        }
    }
}

/// Draw a peer of which a fault or a flip befalls the program or the state; any peer if there is
/// none.
static uint32_t draw_troubled(bks_random *random, const sweep_case *c)
{
    uint32_t troubled[SWEEP_FAULTS_MAX + SWEEP_FLIPS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->fault_count; i++) {
        const bks_lab_fault_kind kind = c->faults[i].kind;
        if (kind == BKS_LAB_CRASH || kind == BKS_LAB_LEAVE || kind == BKS_LAB_PAUSE ||
            kind == BKS_LAB_REBIND || kind == BKS_LAB_FORGE) {
            troubled[count++] = c->faults[i].peer;
        }
    }
    for (uint32_t i = 0; i < c->flip_count; i++) {
        troubled[count++] = c->flips[i].peer;
    }
    const uint32_t any = bks_random_below(random, c->peers);
    return count > 0 && draw_chance(random, 50) ? troubled[bks_random_below(random, count)] : any;
}

static bks_lab_link_spec draw_good_line(bks_random *random)
{
    const uint32_t delay_ms = draw_mostly_low(random, 0, 200);
    return (bks_lab_link_spec){
        .delay_ns = delay_ms * MS_NS,
        .jitter_ns = bks_random_below(random, (delay_ms < 100 ? delay_ms : 100) + 1) * MS_NS,
        .loss_ppm = draw_chance(random, 50) ? draw_mostly_low(random, 1, 100) * TENTH_PPM : 0,
        .duplicate_ppm = draw_chance(random, 30) ? draw_mostly_low(random, 1, 100) * TENTH_PPM : 0,
        .reorder_ppm = draw_chance(random, 30) ? draw_mostly_low(random, 1, 50) * TENTH_PPM : 0,
        .corrupt_ppm = draw_chance(random, 30) ? draw_mostly_low(random, 1, 20) * TENTH_PPM : 0,
    };
}

static void make_bad(bks_random *random, bks_lab_link_spec *line)
{
    line->delay_ns = draw_mostly_low(random, 0, 2000) * MS_NS;
    line->loss_ppm = draw_mostly_low(random, 0, 900) * TENTH_PPM;
    line->burst_packets = draw_chance(random, 30) ? draw_between(random, 18, 60) / 2.0 : 0.0;
    line->rate_bits_per_s =
        draw_chance(random, 40) ? draw_mostly_low(random, 4, 256) * UINT64_C(1000) : 0;
    line->mtu_bytes = draw_chance(random, 10) ? draw_between(random, 300, 1228) : 0;
}

void draw_watchers(bks_random *random, const sweep_settings *settings, sweep_case *out,
                   uint32_t match_ms)
{
    out->places = draw_chance(random, 20) ? draw_between(random, 1, 2) : (uint32_t)SWEEP_PLACES;
    const uint32_t wanted = draw_mostly_low(random, 1, SWEEP_WATCHERS_MAX);
    if (!draw_chance(random, 25) && !settings->is_watched) {
        return;
    }
    for (uint32_t i = 0; i < wanted; i++) {
        bks_lab_watch_spec watcher = {.peer = draw_troubled(random, out),
                                      .in_lobby = draw_chance(random, 15),
                                      .line = draw_good_line(random)};
        const uint32_t span_ms = draw_between(random, 100, 10000);
        watcher.at_ns = bks_random_below(random, watcher.in_lobby    ? 500
                                                 : match_ms < 900000 ? match_ms
                                                                     : 900000) *
                        MS_NS;
        watcher.span_ns = draw_chance(random, 30) ? span_ms * MS_NS : 0;
        if (draw_chance(random, 30)) {
            make_bad(random, &watcher.line);
        }
        out->watchers[out->watcher_count++] = watcher;
    }
}
