// SPDX-License-Identifier: MIT

// A path that fails is left at once. A working path is left only for a better one that was tried
// beside it for more than a second. A path that failed is not tried again for one second; each
// further failure doubles this time, up to 16 seconds. So the working paths among many are found
// and kept.

#include "net/paths.h"

#include "net/units.h"

#include <string.h>

#include "net/path_state.h"

/// Patience without an echo: two round trips, four times the gap between echoes (at least
/// ECHO_GAP_MIN_NS), and ECHO_NS. For a first echo: three round trips and FIRST_ECHO_NS, because
/// the new path may be longer than the previous one.
#define ECHO_GAP_MIN_NS (60 * MS)
#define ECHO_NS         (100 * MS)
#define FIRST_ECHO_NS   (150 * MS)

/// Shortest and longest silence after which the direct packets of a peer that sends often count as
/// missing.
#define MISSED_MIN_NS (100 * MS)
#define MISSED_MAX_NS (900 * MS)

/// RARE_RUN: a silence that losses alone would cause with less than this probability has another
/// cause. LOSS_MAX: upper limit of the loss that is used for this calculation.
#define RARE_RUN 1e-7
#define LOSS_MAX 0.6

/// Number of direct packets in a row, without a gap longer than RUN_GAP_NS, after which a peer
/// counts as heard directly again.
#define RUN_PACKETS 6u
#define RUN_GAP_NS  (600 * MS)

/// Factor by which the patience is longer for the surest route to a silent peer.
#define SUREST_PATIENCE 4u

#define FAILED_NS     SECOND
#define FAILED_MAX_NS (16 * SECOND)

/// Number of probes in a row that prove another path, and the time until the first probe. All
/// probes must be echoed, or as many as would be echoed on the path in use, but at least
/// PROBES_LEAST. So a trial takes more than a second, the least time for which a path is kept.
#define PROBES         8u
#define PROBES_LEAST   4u
#define FIRST_PROBE_NS (250 * MS)
/// Number of probes of one shorter path after which another shorter path is searched.
#define PROBES_OF_ROUTE 32u

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
            memset(&paths->reports[i], 0, sizeof(paths->reports[i]));
            memset(paths->hints[i], 0, sizeof(paths->hints[i]));
            // Forget the hints of the previous peer with this number.
            for (uint32_t k = 0; k < BKS_PEERS_MAX; k++) {
                paths->hints[k][i] = (bksi_paths_mask){0};
            }
            paths->peers[i] = (bksi_path){.since_ns = paths->now_ns,
                                          .next_id = 1,
                                          .is_heard = true,
                                          .heard_ns = paths->now_ns,
                                          .any_ns = paths->now_ns};
        }
    }
    // At first we report that we hear every peer.
    if ((came >> paths->self & 1) != 0) {
        paths->reports[paths->self] = (bksi_paths_mask){.is_known = true, .peers = members};
    }
}

void bksi_paths_set_calm(bksi_paths *paths, bool is_calm)
{
    paths->is_calm = is_calm;
}

// ---- packets that arrive ----

/// Return the change of a value that is smoothed by 1/8.
static int64_t eighth(uint64_t to, uint64_t from)
{
    return ((int64_t)to - (int64_t)from) / 8;
}

/// Return the longest silence of a peer that losses alone still explain.
static uint64_t lossy_ns(const bksi_path *path)
{
    const double sent_gap_ns = (double)path->gap_ns * (1.0 - path->loss);
    double run_ns = 0.0;
    for (double chance = 1.0; path->loss > 0.0 && chance > RARE_RUN; chance *= path->loss) {
        run_ns += sent_gap_ns;
    }
    return (uint64_t)run_ns;
}

static uint64_t missed_after_ns(const bksi_paths *paths, const bksi_path *path)
{
    if (paths->is_calm) {
        return MISSED_MAX_NS;
    }
    const uint64_t uneven_ns = 3 * path->gap_ns + 4 * path->gap_spread_ns;
    const uint64_t lossy = lossy_ns(path);
    uint64_t missed_ns = (lossy > uneven_ns ? lossy : uneven_ns) + MISSED_MIN_NS / 2;
    missed_ns = missed_ns < MISSED_MIN_NS ? MISSED_MIN_NS : missed_ns;
    return missed_ns > MISSED_MAX_NS ? MISSED_MAX_NS : missed_ns;
}

/// Return true if a direct packet of a peer is overdue.
static bool is_missed(const bksi_paths *paths, const bksi_path *path)
{
    const uint64_t from_ns = path->heard_ns > path->excused_ns ? path->heard_ns : path->excused_ns;
    return paths->now_ns > from_ns && paths->now_ns - from_ns > missed_after_ns(paths, path);
}

void bksi_paths_woke(bksi_paths *paths, const uint64_t round_trips_ns[BKS_PEERS_MAX],
                     uint64_t now_ns)
{
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if (is_other_member(paths, i)) {
            paths->peers[i].excused_ns = now_ns + round_trips_ns[i];
        }
    }
}

void bksi_paths_set_loss(bksi_paths *paths, uint32_t peer, double loss)
{
    paths->peers[peer].loss = loss < LOSS_MAX ? loss : LOSS_MAX;
}

void bksi_paths_came_by(bksi_paths *paths, uint32_t peer, const bksi_route *route, uint64_t now_ns)
{
    if (!is_other_member(paths, peer)) {
        return;
    }
    bksi_path *path = &paths->peers[peer];
    path->back_ns = now_ns;
    path->back.carriers = route->carriers;
    for (uint32_t i = 0; i < route->carriers; i++) {
        path->back.peers[i] = route->peers[route->carriers - 1 - i];
    }
}

void bksi_paths_report(bksi_paths *paths, uint32_t reporter, uint32_t about, uint16_t number,
                       uint32_t peers, uint64_t now_ns)
{
    paths->now_ns = now_ns;
    if (!is_other_member(paths, reporter) || !is_other_member(paths, about)) {
        return; // ignore reports about whom we hear, because we know that ourselves
    }
    bksi_paths_mask *mask =
        reporter == about ? &paths->reports[about] : &paths->hints[reporter][about];
    if (mask->is_known && (int16_t)(number - mask->number) < 0) {
        return; // a newer report arrived before this one
    }
    paths->masks += !mask->is_known || mask->peers != peers ? 1 : 0;
    *mask =
        (bksi_paths_mask){.is_known = true, .number = number, .peers = peers, .came_ns = now_ns};
}

bool bksi_paths_known(const bksi_paths *paths, uint32_t about, uint16_t *number, uint32_t *peers)
{
    const bksi_paths_mask *known = &paths->reports[about];
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

/// Return the bit in trial->came of the probe that was sent `after` probes before the newest one.
static uint64_t probe_bit(const bksi_paths_trial *trial, uint32_t after)
{
    return UINT64_C(1) << (trial->newest - after) % BKSI_PATH_PROBE_IDS;
}

/// Mark a probe of a trial as echoed.
/// @param first_id  first path number of the trial
static void note_echo(bksi_paths_trial *trial, uint32_t first_id, uint32_t id)
{
    const uint32_t number = id - first_id;
    const uint32_t after = (trial->newest - number) % BKSI_PATH_PROBE_IDS;
    if (trial->is_on && number < BKSI_PATH_PROBE_IDS && after < trial->sent) {
        trial->came |= probe_bit(trial, after);
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
    note_echo(&path->straight, BKSI_PATH_STRAIGHT_IDS, id);
    note_echo(&path->shorter, BKSI_PATH_SHORTER_IDS, id);
}

// ---- choice of the route ----

/// Return a path number that no packet under way carries.
static uint32_t new_id(bksi_path *path)
{
    const uint32_t id = path->next_id;
    path->next_id = (path->next_id + 1) % BKSI_PATH_ROUTE_IDS;
    return id;
}

/// Return the entry for a failure of the route in use: its old entry, or the oldest one.
static bksi_paths_failed *place_of_failure(bksi_path *path)
{
    bksi_paths_failed *place = &path->failed[0];
    for (uint32_t i = 0; i < BKSI_PATHS_FAILED; i++) {
        bksi_paths_failed *failed = &path->failed[i];
        if (failed->until_ns > 0 && bksi_route_equals(&failed->route, &path->route)) {
            return failed;
        }
        place = failed->until_ns < place->until_ns ? failed : place;
    }
    return place;
}

static void note_failure(const bksi_path *path, bksi_paths_failed *place, uint64_t now_ns)
{
    bool is_same = place->until_ns > 0 && bksi_route_equals(&place->route, &path->route);
    uint64_t span_ns = is_same ? 2 * place->span_ns : FAILED_NS;
    span_ns = span_ns > FAILED_MAX_NS ? FAILED_MAX_NS : span_ns;
    *place =
        (bksi_paths_failed){.route = path->route, .until_ns = now_ns + span_ns, .span_ns = span_ns};
}

static void take_route(bksi_path *path, const bksi_route *route, uint64_t now_ns)
{
    path->straight_to_ns = bksi_route_is_direct(&path->route) ? now_ns : path->straight_to_ns;
    path->straight_from_ns = bksi_route_is_direct(route) ? now_ns : path->straight_from_ns;
    path->route = *route;
    path->id = new_id(path);
    path->since_ns = now_ns;
    path->echoed_ns = 0;
    path->changes++;
    path->straight.is_on = false;
    path->shorter.is_on = false;
}

void bksi_paths_echoed_straight(bksi_paths *paths, uint32_t peer, uint64_t sent_ns, uint64_t now_ns)
{
    paths->now_ns = now_ns;
    if (!is_other_member(paths, peer)) {
        return;
    }
    bksi_path *path = &paths->peers[peer];
    const bool was_straight = sent_ns >= path->straight_from_ns && sent_ns < path->straight_to_ns;
    if (was_straight && path->echoed_ns == 0 && !bksi_route_is_direct(&path->route)) {
        take_route(path, &(bksi_route){0}, now_ns);
        path->echoed_ns = now_ns;
        forget_failure(path);
    }
}

/// Take the direct route again if a direct packet comes from a peer that was silent on every route
/// since we left the direct one: the peer itself had stopped, and no route failed.
static void return_straight(bksi_paths *paths, uint32_t peer)
{
    static const bksi_route direct = {0};
    bksi_path *path = &paths->peers[peer];
    if (!bksi_route_is_direct(&path->route) && path->echoed_ns == 0 &&
        path->any_ns < path->straight_to_ns && !bksi_paths_is_denied(paths, peer, &direct)) {
        take_route(path, &direct, paths->now_ns);
        forget_failure(path);
    }
}

void bksi_paths_heard(bksi_paths *paths, uint32_t peer, bool is_straight, uint64_t now_ns)
{
    paths->now_ns = now_ns;
    if (!is_other_member(paths, peer)) {
        return;
    }
    bksi_path *path = &paths->peers[peer];
    if (is_straight) {
        return_straight(paths, peer);
    }
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

/// Replace a route that has not worked yet if new reports show a surer route.
static void reconsider(bksi_paths *paths, uint32_t peer)
{
    bksi_path *path = &paths->peers[peer];
    bksi_route route;
    if (path->echoed_ns == 0 && path->seen_masks != paths->masks &&
        bksi_paths_search_surer(paths, peer, &route)) {
        take_route(path, &route, paths->now_ns);
    }
    path->seen_masks = paths->masks;
}

/// Take the route by which the peer's packets come, because it most likely works in this direction
/// too. An echo needs a working route in each direction at the same time, so two sides that tried
/// different routes at different times might never get one. Only the peer with the higher number
/// follows, otherwise both would swap routes.
static void follow(bksi_paths *paths, uint32_t peer)
{
    bksi_path *path = &paths->peers[peer];
    const bool is_proven = path->echoed_ns > 0 || bksi_route_is_direct(&path->route);
    const bool is_new = path->back_ns > 0 && paths->now_ns - path->back_ns < MISSED_MIN_NS &&
                        !bksi_route_equals(&path->back, &path->route);
    if (paths->self > peer && !is_proven && is_new &&
        !bksi_paths_is_denied(paths, peer, &path->back)) {
        take_route(path, &path->back, paths->now_ns);
    }
}

/// Leave a failed route, unless there is no other. A route is not marked as failed if one of its
/// receivers denies that it hears the sender: the route works again once that peer hears again, and
/// the peer then reports so.
static void leave_route(bksi_paths *paths, uint32_t peer)
{
    bksi_path *path = &paths->peers[peer];
    bksi_paths_failed *place = place_of_failure(path);
    const bksi_paths_failed before = *place;
    if (!bksi_paths_is_denied(paths, peer, &path->route)) {
        note_failure(path, place, paths->now_ns);
    }
    bksi_route route;
    bksi_paths_search(paths, peer, &route);
    if (!bksi_route_equals(&route, &path->route)) {
        take_route(path, &route, paths->now_ns);
        return;
    }
    *place = before;
    path->since_ns = paths->now_ns;
}

/// Return true if a detour is kept although echoes are missing. If the peer is not heard at all,
/// the route back may be the one that fails. The surest route is kept longer than others, so that
/// both peers use their surest routes at the same time.
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
    // Do not wait out the whole patience for an echo: if the peer's direct packets stop arriving,
    // our direct packets most likely fail too. If the peer's packets arrive by another route, wait
    // for half the patience.
    const bool is_silent = paths->now_ns - path->any_ns > missed_after_ns(paths, path) ||
                           paths->now_ns - alive_ns > patience_ns / 2;
    return (bksi_route_is_direct(&path->route) && is_missed(paths, path) && is_silent) ||
           bksi_paths_is_denied(paths, peer, &path->route);
}

// ---- trials ----

static void begin_trial(bksi_paths_trial *trial, const bksi_route *route, uint64_t now_ns)
{
    trial->is_on = true;
    trial->route = *route;
    trial->sent = 0;
    trial->came = 0;
    trial->next_ns = now_ns + FIRST_PROBE_NS;
}

/// Return how many of the PROBES probes must be echoed: as many as would be on the path in use,
/// where a probe or its echo may be lost too.
static uint32_t probes_wanted(const bksi_path *path)
{
    const double kept = 1.0 - path->loss;
    const uint32_t wanted = (uint32_t)(PROBES * kept * kept + 0.5);
    return wanted < PROBES_LEAST ? PROBES_LEAST : wanted;
}

/// Return true if enough probes in a row were echoed.
static bool has_proved(const bksi_paths_trial *trial, uint32_t wanted)
{
    const uint32_t kept = trial->sent < BKSI_PATH_PROBE_IDS ? trial->sent : BKSI_PATH_PROBE_IDS;
    uint32_t came = 0; // number of probes that were echoed among PROBES probes in a row
    for (uint32_t i = 0; i < kept; i++) {
        came += (trial->came & probe_bit(trial, i)) != 0 ? 1 : 0;
        came -= i >= PROBES && (trial->came & probe_bit(trial, i - PROBES)) != 0 ? 1 : 0;
        if (i + 1 >= PROBES && came >= wanted) {
            return true;
        }
    }
    return false;
}

/// Take the route of a trial if its probes have proved it.
/// @return true if the trial's route is now in use
static bool judge_trial(bksi_paths *paths, bksi_path *path, bksi_paths_trial *trial)
{
    if (!trial->is_on || !has_proved(trial, probes_wanted(path))) {
        return false;
    }
    take_route(path, &trial->route, paths->now_ns);
    path->echoed_ns = paths->now_ns;
    forget_failure(path);
    return true;
}

static void update_trials(bksi_paths *paths, uint32_t peer)
{
    bksi_path *path = &paths->peers[peer];
    if (bksi_route_is_direct(&path->route) || judge_trial(paths, path, &path->straight) ||
        judge_trial(paths, path, &path->shorter)) {
        return;
    }
    if (!path->straight.is_on) {
        begin_trial(&path->straight, &(bksi_route){0}, paths->now_ns);
    }
    bksi_paths_trial *shorter = &path->shorter;
    shorter->is_on &= shorter->sent < PROBES_OF_ROUTE;
    bksi_route route;
    if (!shorter->is_on && bksi_paths_search_shorter(paths, peer, &route)) {
        begin_trial(shorter, &route, paths->now_ns);
    }
}

/// Begin the next probe of a trial.
/// @param first_id  first path number of the trial
/// @return true if a probe is due; it counts as sent
static bool send_probe(bksi_paths_trial *trial, uint32_t first_id, uint64_t now_ns,
                       bksi_route *route, uint32_t *id)
{
    if (!trial->is_on || now_ns < trial->next_ns) {
        return false;
    }
    trial->sent++;
    trial->newest = (trial->newest + 1) % BKSI_PATH_PROBE_IDS;
    trial->came &= ~probe_bit(trial, 0);
    trial->next_ns = now_ns + BKSI_PATH_PROBE_GAP_NS;
    *route = trial->route;
    *id = first_id + trial->newest;
    return true;
}

bool bksi_paths_probe(bksi_paths *paths, uint32_t peer, uint64_t now_ns, bksi_route *route,
                      uint32_t *id)
{
    bksi_path *path = &paths->peers[peer];
    return send_probe(&path->straight, BKSI_PATH_STRAIGHT_IDS, now_ns, route, id) ||
           send_probe(&path->shorter, BKSI_PATH_SHORTER_IDS, now_ns, route, id);
}

// ---- each update ----

static void miss(bksi_paths *paths, uint32_t peer)
{
    bksi_path *path = &paths->peers[peer];
    if (is_missed(paths, path)) {
        path->is_heard = false;
        path->heard_run = 0;
    }
}

static void update_own_report(bksi_paths *paths)
{
    uint32_t heard = 1u << paths->self;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if (is_other_member(paths, i)) {
            miss(paths, i);
            heard |= paths->peers[i].is_heard ? 1u << i : 0;
        }
    }
    bksi_paths_mask *report = &paths->reports[paths->self];
    report->number = (uint16_t)(report->number + (heard != report->peers));
    report->peers = heard;
    paths->peers[paths->self].any_ns = paths->now_ns;
}

/// Return how long a path is kept without an echo.
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
    update_own_report(paths);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if (!is_other_member(paths, i)) {
            continue;
        }
        uint64_t patience_ns = patience_of(&paths->peers[i], round_trips_ns[i]);
        if (is_dead(paths, i, patience_ns) && !is_kept(paths, i, patience_ns)) {
            leave_route(paths, i);
        } else {
            update_trials(paths, i);
            reconsider(paths, i);
            follow(paths, i);
        }
    }
}
