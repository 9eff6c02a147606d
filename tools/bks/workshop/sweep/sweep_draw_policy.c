// SPDX-License-Identifier: MIT

#include "workshop/sweep/sweep_draw_faults.h"

static bool has_flip(const sweep_case *c, uint32_t peer)
{
    for (uint32_t i = 0; i < c->flip_count; i++) {
        if (c->flips[i].peer == peer) {
            return true;
        }
    }
    return false;
}

static bool has_kind(const sweep_case *c, bks_lab_fault_kind kind)
{
    for (uint32_t i = 0; i < c->fault_count; i++) {
        if (c->faults[i].kind == kind) {
            return true;
        }
    }
    return false;
}

/// Draw flips of several peers, some at about the same time.
static void draw_flips(bks_random *random, sweep_case *out)
{
    const uint32_t wanted = draw_mostly_low(random, 0, SWEEP_FLIPS_MAX);
    const uint32_t near = draw_between(random, 1, 200);
    bks_tick tick = (bks_tick)bks_random_below(random, (uint32_t)out->ticks + 1);
    for (uint32_t i = 0; i < wanted; i++) {
        const uint32_t peer = bks_random_below(random, out->peers);
        const bool is_once = draw_chance(random, 70);
        const bks_tick later = (bks_tick)bks_random_below(random, near);
        const bks_tick other = (bks_tick)bks_random_below(random, (uint32_t)out->ticks + 1);
        if (out->flip_count < SWEEP_FLIPS_MAX && !has_flip(out, peer)) {
            out->flips[out->flip_count++] =
                (sweep_flip){.peer = peer, .tick = tick, .is_once = is_once};
        }
        const bks_tick next = draw_chance(random, 70) ? tick + later : other;
        tick = next < out->ticks ? next : out->ticks;
    }
}

void draw_policy(bks_random *random, const sweep_settings *settings, sweep_case *out)
{
    static const bks_on_desync policies[] = {BKS_ON_DESYNC_REPORT, BKS_ON_DESYNC_STOP,
                                             BKS_ON_DESYNC_STOP,   BKS_ON_DESYNC_RESYNC,
                                             BKS_ON_DESYNC_RESYNC, BKS_ON_DESYNC_RESYNC};
    const bks_on_desync any = policies[bks_random_below(random, ARGS_COUNT(policies))];
    const bks_on_desync drawn = settings->has_policy ? settings->on_desync : any;
    const bool may_be = drawn != BKS_ON_DESYNC_RESYNC || !settings->is_irreparable;
    const bool has_one = draw_chance(random, 25) || settings->has_policy;
    // Skip matches with a forger: it may end the match or have states repaired, so the policy could
    // not be judged.
    if (out->peers < 2 || !has_one || has_kind(out, BKS_LAB_FORGE)) {
        return;
    }
    out->on_desync = may_be ? drawn : BKS_ON_DESYNC_STOP;
    if ((out->variant & GAME_CREATES) == 0) {
        draw_flips(random, out);
    }
}
