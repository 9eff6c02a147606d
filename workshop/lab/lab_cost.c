// SPDX-License-Identifier: MIT

// Modelled costs of operations. They are always reported to the sessions. They take virtual time
// only if the lab's config says how long a step takes, or if a fault makes the peer slow.

#include "lab/lab_internal.h"

#define SECOND_NS UINT64_C(1000000000)

/// Cost of copying or hashing a state: one ns for 20 bytes, and 50 ns for the call.
#define BYTES_PER_NS UINT64_C(20)
#define CALL_NS      UINT64_C(50)

/// A step of a slow peer costs the length of a tick divided by STEP_SHARE, times the factor of the
/// fault.
#define STEP_SHARE 8u

/// Cost of a step if the lab's config sets none.
#define STEP_NS UINT64_C(1000)

static uint64_t step_cost(lab_peer *peer)
{
    bks_lab *lab = peer->lab;
    const uint64_t slowness = bksi_lab_faults_slowness(lab, (uint32_t)(peer - lab->peers));
    const uint64_t own_ns = lab->config.step_ns;
    if (slowness == 0) {
        peer->spent_ns += own_ns;
        return own_ns > 0 ? own_ns : STEP_NS;
    }
    const uint64_t share_ns = SECOND_NS / lab->config.game->tick_rate_hz / STEP_SHARE;
    const uint64_t cost_ns = (own_ns > 0 ? own_ns : share_ns) * slowness / 1000;
    peer->spent_ns += cost_ns;
    return cost_ns;
}

uint64_t bksi_lab_op_cost(void *context, bks_op_kind kind, size_t state_bytes)
{
    lab_peer *peer = context;
    uint64_t cost_ns = 0;
    switch (kind) {
    case BKS_OP_START: // making the first state takes time, but is no cost of any tick: report 0
        peer->spent_ns += bksi_lab_faults_loading(peer->lab, (uint32_t)(peer - peer->lab->peers));
        break;
    case BKS_OP_STEP:
        cost_ns = step_cost(peer);
        break;
    case BKS_OP_SAVE:
    case BKS_OP_LOAD:
    case BKS_OP_HASH:
        cost_ns = CALL_NS + state_bytes / BYTES_PER_NS;
        peer->spent_ns += peer->lab->config.step_ns > 0 ? cost_ns : 0;
        break;
    default:
        break;
    }
    peer->work_ns += cost_ns;
    return cost_ns;
}

void bksi_lab_end_work(lab_peer *peer)
{
    peer->work_ns_sum += peer->work_ns;
    peer->work_ns_max = peer->work_ns > peer->work_ns_max ? peer->work_ns : peer->work_ns_max;
    if (peer->spent_ns > 0) {
        peer->busy_until_ns = peer->lab->now_ns + peer->spent_ns;
    }
    peer->work_ns = peer->spent_ns = 0;
}
