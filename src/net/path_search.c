// SPDX-License-Identifier: MIT

// All ways through up to six carriers, those of the surest hops first and of these the shortest.
// There are 1957 at most to one peer; a search happens when a path fails.

#include "net/path_search.h"

#include <string.h>

#define SECOND UINT64_C(1000000000)

/// A peer's own word counts this long after anything came from it; a hint as long by itself.
#define WORD_NS (3 * SECOND)
#define HINT_NS (3 * SECOND)

/// How sure it is that one peer hears another.
typedef enum hop_doubt {
    HOP_CERTAIN = 0,  ///< it says so
    HOP_HINTED = 1,   ///< others say so, and it says nothing
    HOP_UNKNOWN = 2,  ///< no peer says anything
    HOP_UNLIKELY = 3, ///< others say that it does not, or it said so long ago
    HOP_DENIED = 4,   ///< it says that it does not
} hop_doubt;

static bool has_bit(uint32_t bits, uint32_t peer)
{
    return (bits >> peer & 1) != 0;
}

static hop_doubt doubt_of(const bksi_paths *paths, uint32_t from, uint32_t to)
{
    const bksi_paths_mask *word = &paths->words[to];
    bool is_fresh = word->is_known && paths->now_ns - paths->peers[to].any_ns <= WORD_NS;
    if (is_fresh) {
        return has_bit(word->peers, from) ? HOP_CERTAIN : HOP_DENIED;
    }
    bool is_doubted = word->is_known;
    for (uint32_t reporter = 0; reporter < BKS_PEERS_MAX; reporter++) {
        const bksi_paths_mask *hint = &paths->hints[reporter][to];
        if (!hint->is_known || paths->now_ns - hint->came_ns > HINT_NS) {
            continue;
        }
        if (has_bit(hint->peers, from)) {
            return HOP_HINTED;
        }
        is_doubted = true;
    }
    return is_doubted ? HOP_UNLIKELY : HOP_UNKNOWN;
}

/// What a search looks for, and where it is.
typedef struct search {
    const bksi_paths *paths;
    uint32_t target;
    uint32_t carriers;                            ///< of the way that is looked for
    hop_doubt worst;                              ///< at most
    bool with_failed;                             ///< those that failed of late, too
    uint8_t doubts[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< from, to
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

/// Extend the way by one carrier, or end it.
/// @param used  bits of the peers on it
static bool extend(search *it, uint32_t from, uint32_t used)
{
    if (it->way.carriers == it->carriers) {
        return it->doubts[from][it->target] <= it->worst &&
               (it->with_failed || !has_failed(it->paths, it->target, &it->way));
    }
    for (uint32_t k = 0; k < BKS_PEERS_MAX; k++) {
        // Different peers begin with different carriers, so that one does not carry for all.
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
    // All failed: the one that did so first comes again.
    const bksi_path *path = &paths->peers[target];
    uint64_t first_ns = UINT64_MAX;
    *route = (bksi_route){0};
    for (uint32_t i = 0; i < BKSI_PATHS_FAILED; i++) {
        const bksi_paths_failed *failed = &path->failed[i];
        if (failed->until_ns > 0 && failed->until_ns < first_ns &&
            !bksi_paths_is_denied(paths, target, &failed->route)) {
            first_ns = failed->until_ns;
            *route = failed->route;
        }
    }
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
