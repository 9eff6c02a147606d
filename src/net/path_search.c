// SPDX-License-Identifier: MIT

// Search of all routes through up to six carriers: first the routes whose worst hop is surest;
// among these, the shortest route. There are at most 1957 routes to a peer, and a search happens
// only when a path fails.

#include "net/path_state.h"

#include <string.h>

#include "net/units.h"

/// Time for which a peer's own report counts after the peer was last heard, and for which a hint
/// counts. After UNHEARD_NS without a packet of a peer, a newer hint counts more than the peer's
/// own report.
#define REPORT_NS  (3 * SECOND)
#define HINT_NS    (3 * SECOND)
#define UNHEARD_NS (SECOND / 8)

/// Doubt that the receiver of a hop hears its sender, from the least to the greatest.
typedef enum hop_doubt {
    HOP_CERTAIN = 0, ///< the receiver of the hop reports that it hears the sender
    HOP_HINTED = 1,  ///< other peers say that the receiver hears the sender
    /// Nothing recent says if the receiver hears the sender, or hints contradict each other.
    HOP_UNKNOWN = 2,
    /// The newest hint denies that the receiver hears the sender; or there is no recent hint, and
    /// the receiver's own report is old or we do not hear the receiver of our hop.
    HOP_UNLIKELY = 3,
    HOP_DENIED = 4, ///< the receiver of the hop denies that it hears the sender
} hop_doubt;

static bool has_bit(uint32_t bits, uint32_t peer)
{
    return (bits >> peer & 1) != 0;
}

bool bksi_paths_is_fresh(const bksi_paths *paths, uint32_t peer)
{
    const bksi_paths_mask *report = &paths->reports[peer];
    const uint64_t unheard_ns = paths->now_ns - paths->peers[peer].any_ns;
    if (!report->is_known || unheard_ns > REPORT_NS) {
        return false;
    }
    bool is_overtaken = false;
    for (uint32_t reporter = 0; reporter < BKS_PEERS_MAX && unheard_ns > UNHEARD_NS; reporter++) {
        const bksi_paths_mask *hint = &paths->hints[reporter][peer];
        is_overtaken |= hint->is_known && (int16_t)(hint->number - report->number) > 0;
    }
    return !is_overtaken;
}

/// Return the doubt about a hop by hints of other peers. Believe the newest hint; but if it denies
/// the hop and another recent hint confirms it, return HOP_UNKNOWN.
static hop_doubt doubt_by_hints(const bksi_paths *paths, uint32_t from, uint32_t to)
{
    const bksi_paths_mask *newest = NULL;
    bool is_possible = false;
    for (uint32_t reporter = 0; reporter < BKS_PEERS_MAX; reporter++) {
        const bksi_paths_mask *hint = &paths->hints[reporter][to];
        if (!hint->is_known || paths->now_ns - hint->came_ns > HINT_NS) {
            continue;
        }
        is_possible |= has_bit(hint->peers, from);
        if (newest == NULL || (int16_t)(hint->number - newest->number) > 0) {
            newest = hint;
        }
    }
    if (newest == NULL) {
        return HOP_UNKNOWN;
    }
    return has_bit(newest->peers, from) ? HOP_HINTED : is_possible ? HOP_UNKNOWN : HOP_UNLIKELY;
}

static hop_doubt doubt_of(const bksi_paths *paths, uint32_t from, uint32_t to)
{
    const bksi_paths_mask *report = &paths->reports[to];
    if (bksi_paths_is_fresh(paths, to)) {
        return has_bit(report->peers, from) ? HOP_CERTAIN : HOP_DENIED;
    }
    // For hops that start at us, also consider whether we hear the other peer.
    const bool is_deaf = from == paths->self && paths->reports[from].is_known &&
                         !has_bit(paths->reports[from].peers, to);
    const hop_doubt hinted = doubt_by_hints(paths, from, to);
    bool is_doubted = report->is_known || is_deaf;
    return hinted == HOP_UNKNOWN && is_doubted ? HOP_UNLIKELY : hinted;
}

/// Criteria and state of a search.
typedef struct search {
    const bksi_paths *paths;
    uint32_t target;
    uint32_t carriers;     ///< number of carriers of the wanted route
    hop_doubt worst;       ///< largest doubt that a hop of the route may have
    bool with_failed;      ///< the search includes routes that failed lately
    const bksi_route *but; ///< route that the search leaves out
    /// By sender, then by receiver: hop_doubt of the hop from one to the other.
    uint8_t doubts[BKS_PEERS_MAX][BKS_PEERS_MAX];
    bksi_route way;
} search;

static bool has_failed(const bksi_paths *paths, uint32_t target, const bksi_route *route)
{
    const bksi_path *path = &paths->peers[target];
    for (uint32_t i = 0; i < BKSI_PATHS_FAILED; i++) {
        if (path->failed[i].until_ns > paths->now_ns &&
            bksi_route_equals(&path->failed[i].route, route)) {
            return true;
        }
    }
    return false;
}

/// Add carriers to the route until it has the wanted number of them and its last hop to the target
/// is allowed.
static bool extend(search *it, uint32_t from, uint32_t used)
{
    if (it->way.carriers == it->carriers) {
        return it->doubts[from][it->target] <= it->worst &&
               (it->but == NULL || !bksi_route_equals(it->but, &it->way)) &&
               (it->with_failed || !has_failed(it->paths, it->target, &it->way));
    }
    for (uint32_t k = 0; k < BKS_PEERS_MAX; k++) {
        // Each peer starts the search with a different carrier, so that one peer does not carry for
        // all.
        uint32_t peer = (it->paths->self + it->target + k) % BKS_PEERS_MAX;
        if (has_bit(used, peer) || !has_bit(it->paths->members, peer) ||
            it->doubts[from][peer] > it->worst) {
            continue;
        }
        it->way.peers[it->way.carriers++] = (uint8_t)peer;
        if (extend(it, peer, used | 1u << peer)) {
            return true;
        }
        it->way.carriers--;
    }
    return false;
}

static void look_at_hops(search *it, const bksi_paths *paths, uint32_t target)
{
    memset(it, 0, sizeof(*it));
    it->paths = paths;
    it->target = target;
    for (uint32_t from = 0; from < BKS_PEERS_MAX; from++) {
        for (uint32_t to = 0; to < BKS_PEERS_MAX; to++) {
            it->doubts[from][to] = (uint8_t)doubt_of(paths, from, to);
        }
    }
}

static bool find(search *it, uint32_t carriers, hop_doubt worst)
{
    it->carriers = carriers;
    it->worst = worst;
    it->way.carriers = 0;
    return extend(it, it->paths->self, 1u << it->paths->self | 1u << it->target);
}

/// Return true if all carriers of a route are still members.
static bool are_here(const bksi_paths *paths, const bksi_route *route)
{
    for (uint32_t i = 0; i < route->carriers; i++) {
        if (!has_bit(paths->members, route->peers[i])) {
            return false;
        }
    }
    return true;
}

void bksi_paths_search(const bksi_paths *paths, uint32_t target, bksi_route *route)
{
    search it;
    look_at_hops(&it, paths, target);
    for (hop_doubt worst = HOP_CERTAIN; worst < HOP_DENIED; worst++) {
        for (uint32_t carriers = 0; carriers <= BKSI_CARRIERS_MAX; carriers++) {
            if (find(&it, carriers, worst)) {
                *route = it.way;
                return;
            }
        }
    }
    // If all routes failed, try again the one that failed first. If all are denied, keep the route
    // in use: a detour probes the direct route anyway. Before the match there are no probes, so
    // go direct.
    const bksi_path *path = &paths->peers[target];
    uint64_t first_ns = UINT64_MAX;
    *route = !paths->is_calm && are_here(paths, &path->route) ? path->route : (bksi_route){0};
    for (uint32_t i = 0; i < BKSI_PATHS_FAILED; i++) {
        const bksi_paths_failed *failed = &path->failed[i];
        if (failed->until_ns > 0 && failed->until_ns < first_ns &&
            !bksi_paths_is_denied(paths, target, &failed->route)) {
            first_ns = failed->until_ns;
            *route = failed->route;
        }
    }
}

/// Return the largest doubt among the hops of the path in use.
static hop_doubt worst_of(const search *it)
{
    const bksi_route *now = &it->paths->peers[it->target].route;
    hop_doubt worst = HOP_CERTAIN;
    uint32_t from = it->paths->self;
    for (uint32_t i = 0; i <= now->carriers; i++) {
        const uint32_t to = bksi_route_next(now, i, it->target);
        worst = it->doubts[from][to] > worst ? (hop_doubt)it->doubts[from][to] : worst;
        from = to;
    }
    return worst;
}

bool bksi_paths_is_surest(const bksi_paths *paths, uint32_t target)
{
    search it;
    look_at_hops(&it, paths, target);
    it.but = &paths->peers[target].route;
    const hop_doubt worst = worst_of(&it);
    for (uint32_t carriers = 0; carriers <= BKSI_CARRIERS_MAX; carriers++) {
        if (worst == HOP_DENIED || find(&it, carriers, worst)) {
            return false;
        }
    }
    return true;
}

bool bksi_paths_search_surer(const bksi_paths *paths, uint32_t target, bksi_route *route)
{
    search it;
    look_at_hops(&it, paths, target);
    const hop_doubt worst = worst_of(&it);
    for (hop_doubt doubt = HOP_CERTAIN; doubt < worst; doubt++) {
        for (uint32_t carriers = 0; carriers <= BKSI_CARRIERS_MAX; carriers++) {
            if (find(&it, carriers, doubt)) {
                *route = it.way;
                return true;
            }
        }
    }
    return false;
}

bool bksi_paths_search_shorter(const bksi_paths *paths, uint32_t target, bksi_route *route)
{
    search it;
    look_at_hops(&it, paths, target);
    for (uint32_t carriers = 1; carriers < paths->peers[target].route.carriers; carriers++) {
        if (find(&it, carriers, HOP_CERTAIN)) {
            *route = it.way;
            return true;
        }
    }
    return false;
}

bool bksi_paths_is_denied(const bksi_paths *paths, uint32_t target, const bksi_route *route)
{
    uint32_t from = paths->self;
    for (uint32_t i = 0; i <= route->carriers; i++) {
        uint32_t to = bksi_route_next(route, i, target);
        if (!has_bit(paths->members, to) || doubt_of(paths, from, to) == HOP_DENIED) {
            return true;
        }
        from = to;
    }
    return false;
}
