// SPDX-License-Identifier: MIT

// A path that does not work is left at once, one that works for nothing less than a better one that
// was tried beside it for two seconds. A path that failed is not tried again for a second, then
// two, four, so that of many the working ones are found and kept.

#include "net/paths.h"

#include <string.h>

#include "net/path_search.h"

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

/// Echoes come back within two round trips, four times as long as they are apart, at least this
/// long, and this. The first by a path comes at once, but the path may be longer than the one
/// before.
#define ECHO_GAP_MIN_NS (60 * MS)
#define ECHO_NS         (100 * MS)
#define FIRST_ECHO_NS   (150 * MS)

/// A peer that sends often is missed this soon.
#define MISSED_MIN_NS (100 * MS)
#define MISSED_MAX_NS (900 * MS)

/// Heard again: packets without longer gaps.
#define RUN_PACKETS 6u
#define RUN_GAP_NS  (600 * MS)

/// The surest of the ways to a silent peer is tried for this many patiences.
#define SUREST_PATIENCE 4u

#define FAILED_NS     SECOND
#define FAILED_MAX_NS (16 * SECOND)

/// Another path takes over after this number of probes of which none was lost.
#define PROBES         8u
#define PROBE_EVERY_NS (125 * MS)
#define TRY_AGAIN_NS   (250 * MS)
#define STAY_NS        SECOND
/// Where every link loses much, one of the probes may be lost after this many tries in vain.
#define TRIES_FOR_ONE 16u

static bool is_other_member(const bksi_paths *paths, uint32_t peer)
{
    return peer < BKS_PEERS_MAX && peer != paths->self && (paths->members >> peer & 1) != 0;
}

void bksi_paths_init(bksi_paths *paths, uint32_t self, uint32_t members, uint64_t now_ns)
{
    memset(paths, 0, sizeof(*paths));
    paths->self = self;
    bksi_paths_set_members(paths, members, now_ns);
}

void bksi_paths_set_members(bksi_paths *paths, uint32_t members, uint64_t now_ns)
{
    paths->now_ns = now_ns;
    uint32_t came = members & ~paths->members;
    paths->members = members;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if ((came >> i & 1) != 0) {
            memset(&paths->words[i], 0, sizeof(paths->words[i]));
            memset(paths->hints[i], 0, sizeof(paths->hints[i]));
            paths->peers[i] = (bksi_path){.since_ns = paths->now_ns,
                                          .next_id = 1,
                                          .is_heard = true,
                                          .heard_ns = paths->now_ns,
                                          .any_ns = paths->now_ns};
        }
    }
    // Of ourselves: all, until a peer is missed.
    if ((came >> paths->self & 1) != 0) {
        paths->words[paths->self] = (bksi_paths_mask){.is_known = true, .peers = members};
    }
}

void bksi_paths_set_calm(bksi_paths *paths, bool is_calm)
{
    paths->is_calm = is_calm;
}

// ---- what comes ----

/// What is smoothed by 1/8 follows by so much.
static int64_t eighth(uint64_t to, uint64_t from)
{
    return ((int64_t)to - (int64_t)from) / 8;
}

static uint64_t missed_after_ns(const bksi_paths *paths, const bksi_path *path)
{
    if (paths->is_calm) {
        return MISSED_MAX_NS;
    }
    uint64_t missed_ns = 3 * path->gap_ns + 4 * path->gap_spread_ns + MISSED_MIN_NS / 2;
    missed_ns = missed_ns < MISSED_MIN_NS ? MISSED_MIN_NS : missed_ns;
    return missed_ns > MISSED_MAX_NS ? MISSED_MAX_NS : missed_ns;
}

void bksi_paths_heard(bksi_paths *paths, uint32_t peer, bool is_straight, uint64_t now_ns)
{
    paths->now_ns = now_ns;
    if (!is_other_member(paths, peer)) {
        return;
    }
    bksi_path *path = &paths->peers[peer];
    path->any_ns = now_ns;
    if (!is_straight) {
        return;
    }
    uint64_t gap_ns = now_ns - path->heard_ns;
    path->heard_ns = now_ns;
    path->heard_run = gap_ns > RUN_GAP_NS ? 1 : path->heard_run + 1;
    path->is_heard |= path->heard_run >= RUN_PACKETS;
    gap_ns = gap_ns > RUN_GAP_NS ? RUN_GAP_NS : gap_ns;
    uint64_t off_ns = gap_ns > path->gap_ns ? gap_ns - path->gap_ns : path->gap_ns - gap_ns;
    path->gap_ns += (uint64_t)eighth(gap_ns, path->gap_ns);
    path->gap_spread_ns += (uint64_t)eighth(off_ns, path->gap_spread_ns);
}

void bksi_paths_word(bksi_paths *paths, uint32_t reporter, uint32_t about, uint16_t number,
                     uint32_t peers, uint64_t now_ns)
{
    paths->now_ns = now_ns;
    if (!is_other_member(paths, reporter) || !is_other_member(paths, about)) {
        return; // of ourselves we know better
    }
    bksi_paths_mask *mask =
        reporter == about ? &paths->words[about] : &paths->hints[reporter][about];
    if (mask->is_known && (int16_t)(number - mask->number) < 0) {
        return; // overtaken
    }
    paths->masks += !mask->is_known || mask->peers != peers ? 1 : 0;
    *mask =
        (bksi_paths_mask){.is_known = true, .number = number, .peers = peers, .came_ns = now_ns};
}

bool bksi_paths_known(const bksi_paths *paths, uint32_t about, uint16_t *number, uint32_t *peers)
{
    const bksi_paths_mask *known = &paths->words[about];
    const bool is_certain = about == paths->self || bksi_paths_is_fresh(paths, about);
    for (uint32_t reporter = 0; reporter < BKS_PEERS_MAX && !is_certain; reporter++) {
        const bksi_paths_mask *hint = &paths->hints[reporter][about];
        if (hint->is_known && (!known->is_known || (int16_t)(hint->number - known->number) > 0)) {
            known = hint;
        }
    }
    *number = known->number;
    *peers = known->peers;
    return known->is_known;
}

static void forget_failure(bksi_path *path)
{
    for (uint32_t i = 0; i < BKSI_PATHS_FAILED; i++) {
        if (bksi_route_equals(&path->failed[i].route, &path->route)) {
            path->failed[i] = (bksi_paths_failed){0};
        }
    }
}

void bksi_paths_echoed(bksi_paths *paths, uint32_t peer, uint32_t id, uint64_t now_ns)
{
    paths->now_ns = now_ns;
    if (!is_other_member(paths, peer)) {
        return;
    }
    bksi_path *path = &paths->peers[peer];
    if (id == path->id) {
        if (path->echoed_ns == 0) {
            forget_failure(path);
        } else {
            uint64_t gap_ns = now_ns - path->echoed_ns;
            gap_ns = gap_ns > RUN_GAP_NS ? RUN_GAP_NS : gap_ns;
            path->echo_gap_ns += (uint64_t)eighth(gap_ns, path->echo_gap_ns);
        }
        path->echoed_ns = now_ns;
        return;
    }
    bksi_paths_trial *trials[] = {&path->straight, &path->shorter};
    for (uint32_t i = 0; i < 2; i++) {
        if (trials[i]->is_on && trials[i]->id == id && trials[i]->came < trials[i]->sent) {
            trials[i]->came++;
        }
    }
}

// ---- which way ----

/// A number that no packet under way bears.
static uint32_t new_id(bksi_path *path)
{
    uint32_t id;
    do {
        id = path->next_id;
        path->next_id = (path->next_id + 1) % BKSI_PATH_IDS;
    } while (id == path->id || (path->straight.is_on && id == path->straight.id) ||
             (path->shorter.is_on && id == path->shorter.id));
    return id;
}

static void note_failure(bksi_path *path, uint64_t now_ns)
{
    bksi_paths_failed *place = &path->failed[0];
    for (uint32_t i = 0; i < BKSI_PATHS_FAILED; i++) {
        bksi_paths_failed *failed = &path->failed[i];
        if (failed->until_ns > 0 && bksi_route_equals(&failed->route, &path->route)) {
            place = failed;
            break;
        }
        place = failed->until_ns < place->until_ns ? failed : place;
    }
    bool is_same = place->until_ns > 0 && bksi_route_equals(&place->route, &path->route);
    uint64_t span_ns = is_same ? 2 * place->span_ns : FAILED_NS;
    span_ns = span_ns > FAILED_MAX_NS ? FAILED_MAX_NS : span_ns;
    *place =
        (bksi_paths_failed){.route = path->route, .until_ns = now_ns + span_ns, .span_ns = span_ns};
}

static void take_route(bksi_path *path, const bksi_route *route, uint32_t id, uint64_t now_ns)
{
    path->route = *route;
    path->id = id;
    path->since_ns = now_ns;
    path->echoed_ns = 0;
    path->changes++;
    path->straight = (bksi_paths_trial){0};
    path->shorter = (bksi_paths_trial){0};
}

/// One that has not worked yet gives way to one that is known better by now.
static void reconsider(bksi_paths *paths, uint32_t peer)
{
    bksi_path *path = &paths->peers[peer];
    bksi_route route;
    if (path->echoed_ns == 0 && path->seen_masks != paths->masks &&
        bksi_paths_search_surer(paths, peer, &route)) {
        take_route(path, &route, new_id(path), paths->now_ns);
    }
    path->seen_masks = paths->masks;
}

static void leave_route(bksi_paths *paths, uint32_t peer)
{
    bksi_path *path = &paths->peers[peer];
    note_failure(path, paths->now_ns);
    bksi_route route;
    bksi_paths_search(paths, peer, &route);
    if (bksi_route_equals(&route, &path->route)) {
        path->since_ns = paths->now_ns; // there is no other
        return;
    }
    take_route(path, &route, new_id(path), paths->now_ns);
}

/// Of a peer that is not heard at all the way to us may be the one that fails: the surest way to it
/// is kept for longer, so that both sides come to use theirs at one time.
static bool is_kept(const bksi_paths *paths, uint32_t peer, uint64_t patience_ns)
{
    const bksi_path *path = &paths->peers[peer];
    uint64_t alive_ns = path->echoed_ns > path->since_ns ? path->echoed_ns : path->since_ns;
    return !bksi_route_is_direct(&path->route) && paths->now_ns - path->any_ns > patience_ns &&
           paths->now_ns - alive_ns <= SUREST_PATIENCE * patience_ns &&
           !bksi_paths_is_denied(paths, peer, &path->route) && bksi_paths_is_surest(paths, peer);
}

static bool is_dead(const bksi_paths *paths, uint32_t peer, uint64_t patience_ns)
{
    const bksi_path *path = &paths->peers[peer];
    uint64_t alive_ns = path->echoed_ns > path->since_ns ? path->echoed_ns : path->since_ns;
    if (paths->now_ns - alive_ns > patience_ns) {
        return true;
    }
    if (paths->now_ns - path->since_ns <= patience_ns) {
        return false;
    }
    // Without waiting for word: what comes no more by a way most likely does not go by it.
    bool is_missed = paths->now_ns - path->any_ns > missed_after_ns(paths, path);
    return (is_missed && bksi_route_is_direct(&path->route)) ||
           bksi_paths_is_denied(paths, peer, &path->route);
}

// ---- trials ----

static void begin_trial(bksi_path *path, bksi_paths_trial *trial, const bksi_route *route,
                        uint64_t now_ns)
{
    *trial = (bksi_paths_trial){
        .route = *route, .tries = trial->tries, .next_ns = now_ns + TRY_AGAIN_NS};
    trial->id = new_id(path);
    trial->is_on = true;
}

/// Probes whose echo is not to be expected any more.
static uint32_t lost_probes(const bksi_paths *paths, const bksi_paths_trial *trial,
                            uint64_t patience_ns)
{
    uint64_t awaited = 0;
    if (paths->now_ns < trial->next_ns + patience_ns) {
        awaited = (trial->next_ns + patience_ns - paths->now_ns) / PROBE_EVERY_NS;
    }
    uint32_t over = trial->sent > awaited ? trial->sent - (uint32_t)awaited : 0;
    return over > trial->came ? over - trial->came : 0;
}

/// @return whether the trial's way is the one in use now
static bool judge_trial(bksi_paths *paths, bksi_path *path, bksi_paths_trial *trial,
                        uint64_t patience_ns)
{
    if (!trial->is_on) {
        return false;
    }
    uint32_t forgiven = trial->tries / TRIES_FOR_ONE;
    forgiven = forgiven > PROBES / 2 ? PROBES / 2 : forgiven;
    uint32_t lost = lost_probes(paths, trial, patience_ns);
    if (lost > forgiven) {
        trial->is_on = false;
        trial->tries++;
        return false;
    }
    if (trial->came + lost < PROBES || paths->now_ns - path->since_ns < STAY_NS) {
        return false;
    }
    bksi_paths_trial done = *trial;
    take_route(path, &done.route, done.id, paths->now_ns);
    path->echoed_ns = paths->now_ns;
    forget_failure(path);
    return true;
}

static void update_trials(bksi_paths *paths, uint32_t peer, uint64_t patience_ns)
{
    bksi_path *path = &paths->peers[peer];
    if (judge_trial(paths, path, &path->straight, patience_ns) ||
        judge_trial(paths, path, &path->shorter, patience_ns) ||
        bksi_route_is_direct(&path->route)) {
        return;
    }
    if (!path->straight.is_on) {
        begin_trial(path, &path->straight, &(bksi_route){0}, paths->now_ns);
    }
    bksi_route route;
    if (!path->shorter.is_on && bksi_paths_search_shorter(paths, peer, &route)) {
        begin_trial(path, &path->shorter, &route, paths->now_ns);
    }
}

bool bksi_paths_probe(bksi_paths *paths, uint32_t peer, uint64_t now_ns, bksi_route *route,
                      uint32_t *id)
{
    bksi_path *path = &paths->peers[peer];
    bksi_paths_trial *trials[] = {&path->straight, &path->shorter};
    for (uint32_t i = 0; i < 2; i++) {
        bksi_paths_trial *trial = trials[i];
        if (!trial->is_on || trial->sent == PROBES || now_ns < trial->next_ns) {
            continue;
        }
        trial->sent++;
        trial->next_ns = now_ns + PROBE_EVERY_NS;
        *route = trial->route;
        *id = trial->id;
        return true;
    }
    return false;
}

// ---- each update ----

static void miss(bksi_paths *paths, uint32_t peer)
{
    bksi_path *path = &paths->peers[peer];
    if (paths->now_ns - path->heard_ns > missed_after_ns(paths, path)) {
        path->is_heard = false;
        path->heard_run = 0;
    }
}

static void update_own_word(bksi_paths *paths)
{
    uint32_t heard = 1u << paths->self;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if (is_other_member(paths, i)) {
            miss(paths, i);
            heard |= paths->peers[i].is_heard ? 1u << i : 0;
        }
    }
    bksi_paths_mask *word = &paths->words[paths->self];
    word->number = (uint16_t)(word->number + (heard != word->peers));
    word->peers = heard;
    paths->peers[paths->self].any_ns = paths->now_ns;
}

/// How long a path is kept without an echo.
static uint64_t patience_of(const bksi_path *path, uint64_t round_trip_ns)
{
    if (path->echoed_ns == 0) {
        return 3 * round_trip_ns + FIRST_ECHO_NS;
    }
    uint64_t gap_ns = path->echo_gap_ns > ECHO_GAP_MIN_NS ? path->echo_gap_ns : ECHO_GAP_MIN_NS;
    return 2 * round_trip_ns + 4 * gap_ns + ECHO_NS;
}

void bksi_paths_update(bksi_paths *paths, const uint64_t round_trips_ns[BKS_PEERS_MAX],
                       uint64_t now_ns)
{
    paths->now_ns = now_ns;
    update_own_word(paths);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if (!is_other_member(paths, i)) {
            continue;
        }
        uint64_t patience_ns = patience_of(&paths->peers[i], round_trips_ns[i]);
        if (is_dead(paths, i, patience_ns) && !is_kept(paths, i, patience_ns)) {
            leave_route(paths, i);
        } else {
            update_trials(paths, i, patience_ns);
            reconsider(paths, i);
        }
    }
}
