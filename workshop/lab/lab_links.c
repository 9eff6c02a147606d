// SPDX-License-Identifier: MIT

#include "base/hash.h"
#include "base/report.h"
#include "lab/lab_internal.h"

/// Rate in bits per second above that of any stream.
#define STREAM_BITS_PER_S UINT64_C(100000000)

/// Return true if a fault affects packets from one peer to another.
static bool is_between(const bks_lab_timed *fault, uint32_t from, uint32_t to)
{
    return (fault->other == from && fault->peer == to) ||
           (!fault->is_one_way && fault->peer == from && fault->other == to);
}

/// Return the greatest rate that the link may get: from a fault, or from a stream without a limit.
/// 0: neither a fault nor a stream concerns the link.
static uint64_t rate_most(const bks_lab *lab, uint32_t from, uint32_t to)
{
    uint64_t most = bksi_lab_has_bulk(lab, from, to) ? STREAM_BITS_PER_S : 0;
    for (uint32_t i = 0; i < lab->faults.timed_count; i++) {
        const bks_lab_timed *fault = &lab->faults.timed[i];
        if (fault->kind == BKS_LAB_RATE && is_between(fault, from, to) &&
            (uint64_t)fault->value > most) {
            most = (uint64_t)fault->value;
        }
    }
    return most;
}

/// Replace a link by a new link with another spec. Packets under way on the old link are lost.
static bks_status replace(bks_lab *lab, uint32_t from, uint32_t to, const bks_lab_link_spec *spec,
                          bks_error *error)
{
    const uint64_t stream = LAB_STREAM_LINKS + from * BKS_PEERS_MAX + to;
    const uint64_t seed = bksi_hash64_pair(lab->config.seed, stream);
    bksi_lab_link *link = NULL;
    const bks_status status = bksi_lab_link_create(spec, rate_most(lab, from, to), seed, stream,
                                                   &lab->config.allocator, &link, error);
    if (status == BKS_OK) {
        bksi_lab_link_destroy(lab->links[from][to]);
        lab->links[from][to] = link;
    }
    return status;
}

bks_status bksi_lab_links_set(bks_lab *lab, const bks_lab_link_spec *spec, bks_error *error)
{
    bks_status status = BKS_OK;
    for (uint32_t from = 0; from < lab->config.peers; from++) {
        for (uint32_t to = 0; to < lab->config.peers && status == BKS_OK; to++) {
            if (from != to && !lab->is_own_link[from][to]) {
                status = replace(lab, from, to, spec, error);
            }
        }
    }
    return status;
}

bks_status bksi_lab_links_fit(bks_lab *lab, bks_error *error)
{
    bks_status status = BKS_OK;
    for (uint32_t from = 0; from < lab->config.peers; from++) {
        for (uint32_t to = 0; to < lab->config.peers && status == BKS_OK; to++) {
            if (from != to && rate_most(lab, from, to) > 0) {
                const bks_lab_link_spec spec = *bksi_lab_link_get_spec(lab->links[from][to]);
                status = replace(lab, from, to, &spec, error);
            }
        }
    }
    return status;
}

void bksi_lab_links_destroy(bks_lab *lab)
{
    for (uint32_t from = 0; from < BKS_PEERS_MAX; from++) {
        for (uint32_t to = 0; to < BKS_PEERS_MAX; to++) {
            bksi_lab_link_destroy(lab->links[from][to]);
        }
    }
}

void bksi_lab_links_heal(bks_lab *lab)
{
    for (uint32_t from = 0; from < lab->config.peers; from++) {
        for (uint32_t to = 0; to < lab->config.peers; to++) {
            if (from != to) {
                bksi_lab_link_heal(lab->links[from][to]);
            }
        }
    }
}

static bool change(bksi_lab_link *link, uint64_t now_ns, const bks_lab_timed *fault)
{
    return fault->kind == BKS_LAB_RATE ? bksi_lab_link_set_rate(link, (uint64_t)fault->value)
                                       : bksi_lab_link_fill(link, now_ns, (uint64_t)fault->value);
}

bool bksi_lab_links_change(bks_lab *lab, const bks_lab_timed *fault)
{
    bool has_changed = change(lab->links[fault->other][fault->peer], lab->now_ns, fault);
    if (!fault->is_one_way) {
        has_changed |= change(lab->links[fault->peer][fault->other], lab->now_ns, fault);
    }
    return has_changed;
}

bks_status bks_lab_link(bks_lab *lab, const char *spec, bks_error *error)
{
    static const char call[] = "bks_lab_link";
    BKSI_REFUSE_NULL(error, lab);
    BKSI_REFUSE_NULL(error, spec);
    if (lab->has_begun) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "lab",
                         "the match runs already, set links before bks_lab_advance()");
    }
    bks_lab_link_spec link;
    uint32_t from = 0;
    uint32_t to = 0;
    const bks_status status = bks_lab_link_route_parse(spec, &from, &to, &link, error);
    if (status != BKS_OK) {
        return status;
    }
    if (from == BKS_LAB_LINK_ALL) {
        return bksi_lab_links_set(lab, &link, error);
    }
    if (from >= lab->config.peers || to >= lab->config.peers) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "spec",
                         "route '%u>%u' must be between peers of 0..%u", from, to,
                         lab->config.peers - 1);
    }
    lab->is_own_link[from][to] = true;
    return replace(lab, from, to, &link, error);
}
