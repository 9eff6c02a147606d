// SPDX-License-Identifier: MIT

// Shrinks a match that fails. A change is kept if the match still fails in the same way. Big
// changes are tried first. It stops when no change helps or the time is up. Each try has its own
// process.

#define _GNU_SOURCE

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/crash.h"
#include "base/stop.h"
#include "base/tool.h"
#include "workshop/sweep/sweep_case.h"

#define MS_NS UINT64_C(1000000)

/// Seconds of processor time that a try may take while a match that hangs is shrunk.
enum { HUNG_TRY_S = 8 };

/// Result of a try, in memory shared with the process that runs it.
typedef struct try_result {
    int status;
    bks_oracle_verdict verdict;
    char last_error[160]; ///< newest error in the library's log
} try_result;

static void remember_error(void *context, bks_log_level level, const char *id, const char *text)
{
    try_result *out = context;
    if (level == BKS_LOG_ERROR) {
        snprintf(out->last_error, sizeof(out->last_error), "%s: %s", id, text);
    }
}

static void run_try(const sweep_settings *settings, const sweep_case *c, uint32_t limit_s,
                    try_result *out)
{
    const bks_log_sink sink = {.write = remember_error, .context = out};
    (void)bks_log_set_sink(&sink);
    crash_release();
    (void)signal(SIGPROF, SIG_DFL);
    (void)signal(SIGINT, SIG_DFL);
    const struct itimerval limit = {.it_value.tv_sec = (time_t)limit_s};
    (void)setitimer(ITIMER_PROF, &limit, NULL);
    out->status = sweep_case_run(settings, c, &out->verdict);
    _exit(0);
}

int sweep_case_try(const sweep_settings *settings, const sweep_case *c, uint32_t limit_s,
                   bks_oracle_verdict *out)
{
    try_result *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        tool_complain("sweep", "no memory to share: %s", strerror(errno));
        return TOOL_DAMAGED;
    }
    (void)fflush(NULL);
    const pid_t process = fork();
    if (process == 0) {
        run_try(settings, c, limit_s, shared);
    }
    int wait_status = 0;
    while (process > 0 && waitpid(process, &wait_status, 0) < 0 && errno == EINTR) {
    }
    *out = shared->verdict;
    int status = process < 0 ? TOOL_DAMAGED : shared->status;
    if (process > 0 && WIFSIGNALED(wait_status)) {
        out->kind = BKS_ORACLE_KILLED;
        out->tick = BKS_TICK_NONE;
        if (WTERMSIG(wait_status) == SIGPROF) {
            snprintf(out->why, sizeof(out->why), "the match took over %u s of processor time",
                     limit_s);
        } else {
            snprintf(out->why, sizeof(out->why), "ended by signal %d%s%s", WTERMSIG(wait_status),
                     shared->last_error[0] != '\0' ? ": " : "", shared->last_error);
        }
        status = TOOL_OK;
    }
    (void)munmap(shared, sizeof(*shared));
    return status;
}

// ---- changes that make a match smaller ----

/// Remove an item of an array.
/// @return false: there is no item with this index
static bool remove_at(void *items, uint32_t *count, size_t bytes, uint32_t index)
{
    if (index >= *count) {
        return false;
    }
    uint8_t *at = (uint8_t *)items + index * bytes;
    memmove(at, at + bytes, (--*count - index) * bytes);
    return true;
}

static bool remove_fault(sweep_case *c, uint32_t index)
{
    return remove_at(c->faults, &c->fault_count, sizeof(c->faults[0]), index);
}

static bool remove_stream(sweep_case *c, uint32_t index)
{
    return remove_at(c->bulk, &c->bulk_count, sizeof(c->bulk[0]), index);
}

static bool remove_flip(sweep_case *c, uint32_t index)
{
    return remove_at(c->flips, &c->flip_count, sizeof(c->flips[0]), index);
}

static bool remove_watcher(sweep_case *c, uint32_t index)
{
    return remove_at(c->watchers, &c->watcher_count, sizeof(c->watchers[0]), index);
}

static bool remove_watchers(sweep_case *c)
{
    const bool has_any = c->watcher_count > 0;
    c->watcher_count = 0;
    return has_any;
}

static bool concerns(const bks_lab_timed *fault, uint32_t peer)
{
    switch (fault->kind) {
    case BKS_LAB_HEAL:
    case BKS_LAB_SPLIT:
        return false;
    case BKS_LAB_CUT:
    case BKS_LAB_RATE:
    case BKS_LAB_FILL:
        return fault->peer == peer || fault->other == peer;
    default:
        return fault->peer == peer;
    }
}

/// Return true if a split still has two groups.
static bool has_groups(const bks_lab_timed *fault)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        seen |= fault->group[i] != 0 ? 1u << fault->group[i] : 0;
    }
    return (seen & (seen - 1)) != 0;
}

static void remove_peer_of_streams(sweep_case *c, uint32_t peer)
{
    for (uint32_t i = c->bulk_count; i-- > 0;) {
        bks_lab_bulk_spec *bulk = &c->bulk[i];
        if (bulk->from == peer || bulk->to == peer) {
            (void)remove_stream(c, i);
            continue;
        }
        bulk->from -= bulk->from > peer ? 1 : 0;
        bulk->to -= bulk->to > peer ? 1 : 0;
    }
}

static void remove_peer_of_flips(sweep_case *c, uint32_t peer)
{
    for (uint32_t i = c->flip_count; i-- > 0;) {
        if (c->flips[i].peer == peer) {
            (void)remove_flip(c, i);
        } else {
            c->flips[i].peer -= c->flips[i].peer > peer ? 1 : 0;
        }
    }
}

static void remove_peer_of_watchers(sweep_case *c, uint32_t peer)
{
    for (uint32_t i = c->watcher_count; i-- > 0;) {
        if (c->watchers[i].peer == peer) {
            (void)remove_watcher(c, i);
        } else {
            c->watchers[i].peer -= c->watchers[i].peer > peer ? 1 : 0;
        }
    }
}

/// Remove flips beyond the end of the match.
static void remove_late_flips(sweep_case *c)
{
    for (uint32_t i = c->flip_count; i-- > 0;) {
        if (c->flips[i].tick > c->ticks) {
            (void)remove_flip(c, i);
        }
    }
}

static bool remove_flips(sweep_case *c)
{
    const bool has_flip = c->flip_count > 0;
    c->flip_count = 0;
    return has_flip;
}

static bool remove_peer(sweep_case *c, uint32_t peer)
{
    if (c->peers <= 2 || peer >= c->peers) {
        return false;
    }
    for (uint32_t i = c->fault_count; i-- > 0;) {
        bks_lab_timed *fault = &c->faults[i];
        if (concerns(fault, peer)) {
            (void)remove_fault(c, i);
            continue;
        }
        fault->peer -= fault->peer > peer ? 1 : 0;
        fault->other -= fault->other > peer ? 1 : 0;
        for (uint32_t k = peer; k < BKS_PEERS_MAX; k++) {
            fault->group[k] = k + 1 < BKS_PEERS_MAX ? fault->group[k + 1] : 0;
        }
        if (fault->kind == BKS_LAB_SPLIT && !has_groups(fault)) {
            (void)remove_fault(c, i);
        }
    }
    remove_peer_of_streams(c, peer);
    remove_peer_of_flips(c, peer);
    remove_peer_of_watchers(c, peer);
    for (uint32_t i = peer; i + 1 < c->peers; i++) {
        c->players_on[i] = c->players_on[i + 1];
        c->window_ticks[i] = c->window_ticks[i + 1];
        c->delay_ticks[i] = c->delay_ticks[i + 1];
        c->frames_hz[i] = c->frames_hz[i + 1];
        memcpy(c->links[i], c->links[i + 1], sizeof(c->links[i]));
    }
    for (uint32_t from = 0; from + 1 < c->peers; from++) {
        for (uint32_t to = peer; to + 1 < c->peers; to++) {
            c->links[from][to] = c->links[from][to + 1];
        }
    }
    c->peers--;
    return true;
}

/// Parts of a link's spec. A change reduces one part on all links.
enum { DELAY, JITTER, LOSS, BURST, DUP, REORDER, HOLD, CORRUPT, RATE, MTU, LINK_PARTS };

/// Reduce one part of a link's spec, to its half or to nothing.
/// @return true if the spec changed
static bool reduce_part(bks_lab_link_spec *link, uint32_t part, bool to_half)
{
    uint32_t *shares[] = {[LOSS] = &link->loss_ppm,
                          [DUP] = &link->duplicate_ppm,
                          [REORDER] = &link->reorder_ppm,
                          [CORRUPT] = &link->corrupt_ppm};
    const bks_lab_link_spec before = *link;
    switch (part) {
    case DELAY:
        link->delay_ns = to_half ? link->delay_ns / 2 / MS_NS * MS_NS : 0;
        link->jitter_ns = link->jitter_ns < link->delay_ns ? link->jitter_ns : link->delay_ns;
        return link->delay_ns != before.delay_ns;
    case JITTER:
        link->jitter_ns = to_half ? link->jitter_ns / 2 / MS_NS * MS_NS : 0;
        return link->jitter_ns != before.jitter_ns;
    case BURST:
        link->burst_packets = 0.0;
        return before.burst_packets > 0.0;
    case HOLD:
        link->hold_ns = 0;
        return before.hold_ns > 0;
    case RATE:
        link->rate_bits_per_s = 0;
        return before.rate_bits_per_s > 0;
    case MTU:
        link->mtu_bytes = 0;
        return before.mtu_bytes > 0;
    default: {
        const uint32_t old = *shares[part];
        *shares[part] = to_half ? old / 2 / 1000 * 1000 : 0;
        return *shares[part] != old;
    }
    }
}

static bool reduce_links(sweep_case *c, uint32_t part, bool to_half)
{
    bool is_other = false;
    for (uint32_t from = 0; from < c->peers; from++) {
        for (uint32_t to = 0; to < c->peers; to++) {
            if (from != to) {
                is_other |= reduce_part(&c->links[from][to], part, to_half);
            }
        }
    }
    return is_other;
}

static bool is_perfect(const bks_lab_link_spec *link)
{
    return link->delay_ns == 0 && link->jitter_ns == 0 && link->loss_ppm == 0 &&
           link->duplicate_ppm == 0 && link->reorder_ppm == 0 && link->corrupt_ppm == 0 &&
           link->rate_bits_per_s == 0 && link->mtu_bytes == 0;
}

static bool clean_link(sweep_case *c, uint32_t from, uint32_t to)
{
    if (from == to || from >= c->peers || to >= c->peers || is_perfect(&c->links[from][to])) {
        return false;
    }
    c->links[from][to] = (bks_lab_link_spec){0};
    return true;
}

/// Make the lines of a watcher perfect, and let it stay.
static bool clean_line(sweep_case *c, uint32_t index)
{
    bks_lab_watch_spec *watcher = &c->watchers[index];
    if (index >= c->watcher_count || (is_perfect(&watcher->line) && watcher->span_ns == 0)) {
        return false;
    }
    watcher->line = (bks_lab_link_spec){0};
    watcher->span_ns = 0;
    return true;
}

static bool clean_links(sweep_case *c)
{
    bool is_other = false;
    for (uint32_t from = 0; from < c->peers; from++) {
        for (uint32_t to = 0; to < c->peers; to++) {
            is_other |= clean_link(c, from, to);
        }
    }
    return is_other;
}

/// Give all links the spec of the link from peer 0 to peer 1. Do nothing if a link is perfect: this
/// change and the one that makes single links perfect would undo each other forever.
static bool even_links(sweep_case *c)
{
    const bks_lab_link_spec link = c->links[0][1];
    bool is_other = false;
    for (uint32_t from = 0; from < c->peers; from++) {
        for (uint32_t to = 0; to < c->peers; to++) {
            const bks_lab_link_spec before = c->links[from][to];
            if (from != to && is_perfect(&before)) {
                return false;
            }
            is_other |= from != to &&
                        (before.delay_ns != link.delay_ns || before.jitter_ns != link.jitter_ns ||
                         before.loss_ppm != link.loss_ppm);
            c->links[from][to] = link;
        }
    }
    return is_other;
}

static bool one_player_each(sweep_case *c)
{
    bool is_other = false;
    for (uint32_t i = 0; i < c->peers; i++) {
        is_other |= c->players_on[i] != 1;
        c->players_on[i] = 1;
    }
    return is_other;
}

static bool set_ticks(sweep_case *c, bks_tick ticks)
{
    if (ticks < 10 || ticks >= c->ticks) {
        return false;
    }
    c->ticks = ticks;
    remove_late_flips(c);
    return true;
}

/// Divide a time, and round it to whole milliseconds.
static bool reduce_time(uint64_t *ns, uint64_t divisor)
{
    const uint64_t before = *ns;
    *ns = *ns / divisor / MS_NS * MS_NS;
    return *ns != before;
}

/// Set the game's own tick rate, for a match of the same duration.
static bool set_own_rate(const sweep_settings *settings, sweep_case *c)
{
    const uint32_t before_hz = c->rate_hz;
    if (before_hz == 0) {
        return false;
    }
    c->ticks = (bks_tick)((int64_t)c->ticks * settings->game->tick_rate_hz / before_hz);
    remove_late_flips(c);
    c->rate_hz = 0;
    return true;
}

/// Set a number of all peers to `value`.
/// @return true if that changes the match: some peer had neither `value` nor `usual`
static bool set_all(const sweep_case *c, uint32_t *numbers, uint32_t value, uint32_t usual)
{
    bool is_other = false;
    for (uint32_t i = 0; i < c->peers; i++) {
        is_other |= numbers[i] != value && numbers[i] != usual;
        numbers[i] = value;
    }
    return is_other;
}

/// Set one of the session's settings to its default.
static bool set_default(sweep_case *c, uint32_t which)
{
    const sweep_case before = *c;
    switch (which) {
    case 0:
        c->save = BKS_SAVE_AUTO;
        return before.save != c->save;
    case 1:
        c->pace = BKS_PACE_SLEW;
        return before.pace != c->pace;
    case 2:
        return set_all(c, c->delay_ticks, 0, BKS_AUTO);
    case 3:
        return set_all(c, c->delay_ticks, BKS_AUTO, BKS_AUTO);
    case 4:
        return set_all(c, c->window_ticks, 20, 20);
    case 6:
        return set_all(c, c->frames_hz, 0, 0);
    case 7:
        c->variant &= ~(uint32_t)GAME_GUESSES;
        return before.variant != c->variant;
    case 8:
        c->variant &= ~(uint32_t)GAME_CREATES;
        return before.variant != c->variant;
    case 9:
        c->first_tick = 0;
        return before.first_tick != 0;
    case 10:
        c->on_desync = BKS_ON_DESYNC_REPORT;
        return before.on_desync != c->on_desync;
    case 11:
        c->variant &= ~(uint32_t)GAME_ORDERS;
        return before.variant != c->variant;
    case 5:
        c->drop_after_ms = 5000;
        return before.drop_after_ms != 5000;
    case 12:
        c->places = SWEEP_PLACES;
        return before.places != c->places;
    default:
        c->seed = 1;
        return before.seed != 1;
    }
}

enum { DEFAULTS = 14, TIME_PARTS = 4 };

/// Shorten the match in the way `which`: to a little after the tick of the failure, to half its
/// length, to nine tenths, or to a multiple of 100 ticks.
static bool reduce_ticks(sweep_case *c, const bks_oracle_verdict *verdict, uint32_t which)
{
    const bks_tick beyond = BKS_WINDOW_MAX + 30;
    switch (which) {
    case 0:
        return verdict->tick != BKS_TICK_NONE &&
               set_ticks(c, verdict->tick - c->first_tick + beyond);
    case 1:
        return set_ticks(c, c->ticks / 2);
    case 2:
        return set_ticks(c, c->ticks * 9 / 10);
    default:
        return set_ticks(c, c->ticks / 100 * 100);
    }
}

/// Change a fault in the way `which`: make it half as long, let it begin at half its time, or round
/// its length or its time.
static bool reduce_fault(bks_lab_timed *fault, uint32_t which)
{
    const uint64_t round_ns = 100 * MS_NS;
    uint64_t *ns = which % 2 == 0 ? &fault->span_ns : &fault->at_ns;
    if (which < 2) {
        return reduce_time(ns, 2);
    }
    const uint64_t before = *ns;
    *ns = before > round_ns ? before / round_ns * round_ns : before;
    return *ns != before;
}

/// Remove all faults but the heal.
static bool remove_faults(sweep_case *c)
{
    const uint32_t before = c->fault_count;
    for (uint32_t i = c->fault_count; i-- > 0;) {
        if (c->faults[i].kind != BKS_LAB_HEAL) {
            (void)remove_fault(c, i);
        }
    }
    return c->fault_count + 1 < before;
}

/// Let all faults begin earlier, and end the match earlier, both by half the time at which the last
/// fault begins.
static bool advance_faults(const sweep_settings *settings, sweep_case *c)
{
    uint64_t last_ns = 0;
    for (uint32_t i = 0; i < c->fault_count; i++) {
        last_ns = c->faults[i].at_ns > last_ns ? c->faults[i].at_ns : last_ns;
    }
    const uint64_t by_ns = last_ns / 2 / MS_NS * MS_NS;
    const bks_tick by = (bks_tick)(by_ns / MS_NS * sweep_case_rate_hz(settings, c) / 1000);
    for (uint32_t i = 0; i < c->fault_count; i++) {
        bks_lab_timed *fault = &c->faults[i];
        fault->at_ns = fault->at_ns > by_ns ? fault->at_ns - by_ns : 0;
    }
    return by > 0 && set_ticks(c, c->ticks - by);
}

/// Kinds of changes. Kinds that make all later tries shorter come first.
enum {
    ALL,
    PEER,
    FAULT,
    FLIP,
    STREAM,
    WATCHER,
    TICKS,
    ALIKE,
    PART,
    DEFAULT,
    LINK,
    LINE,
    HALF_PART,
    TIME,
    KINDS
};

static const uint32_t change_counts[KINDS] = {
    [ALL] = 7,
    [PEER] = BKS_PEERS_MAX,
    [FAULT] = SWEEP_FAULTS_MAX,
    [FLIP] = SWEEP_FLIPS_MAX,
    [STREAM] = SWEEP_BULKS_MAX,
    [WATCHER] = SWEEP_WATCHERS_MAX,
    [TICKS] = 4,
    [ALIKE] = 2,
    [PART] = LINK_PARTS,
    [DEFAULT] = DEFAULTS,
    [LINK] = BKS_PEERS_MAX * BKS_PEERS_MAX,
    [LINE] = SWEEP_WATCHERS_MAX,
    [HALF_PART] = LINK_PARTS,
    [TIME] = SWEEP_FAULTS_MAX * TIME_PARTS,
};

static bool change_all(const sweep_settings *settings, sweep_case *c,
                       const bks_oracle_verdict *verdict, uint32_t which)
{
    switch (which) {
    case 0:
        return reduce_ticks(c, verdict, 0);
    case 1:
        return remove_faults(c);
    case 2:
        return advance_faults(settings, c);
    case 3:
        return clean_links(c);
    case 4:
        return remove_flips(c);
    case 5:
        return remove_watchers(c);
    default:
        return set_own_rate(settings, c);
    }
}

/// Carry out change number `step`.
/// @return 1: the match changed; 0: it did not; -1: there are no more changes
static int change(const sweep_settings *settings, sweep_case *c, const bks_oracle_verdict *verdict,
                  uint32_t step)
{
    uint32_t kind = ALL;
    while (kind < KINDS && step >= change_counts[kind]) {
        step -= change_counts[kind++];
    }
    switch (kind) {
    case ALL:
        return change_all(settings, c, verdict, step);
    case PEER:
        return remove_peer(c, BKS_PEERS_MAX - 1 - step);
    case FAULT:
        return step < c->fault_count && remove_fault(c, c->fault_count - 1 - step);
    case FLIP:
        return remove_flip(c, SWEEP_FLIPS_MAX - 1 - step);
    case STREAM:
        return remove_stream(c, SWEEP_BULKS_MAX - 1 - step);
    case WATCHER:
        return remove_watcher(c, SWEEP_WATCHERS_MAX - 1 - step);
    case TICKS:
        return reduce_ticks(c, verdict, step);
    case ALIKE:
        return step == 0 ? one_player_each(c) : even_links(c);
    case PART:
        return reduce_links(c, step, false);
    case DEFAULT:
        return set_default(c, step);
    case LINK:
        return clean_link(c, step / BKS_PEERS_MAX, step % BKS_PEERS_MAX);
    case LINE:
        return clean_line(c, step);
    case HALF_PART:
        return reduce_links(c, step, true);
    case TIME:
        return step / TIME_PARTS < c->fault_count &&
               reduce_fault(&c->faults[step / TIME_PARTS], step % TIME_PARTS);
    default:
        return -1;
    }
}

/// Return true if two failures have the same description, apart from numbers.
static bool is_alike(const bks_oracle_verdict *a, const bks_oracle_verdict *b)
{
    static const char digits[] = "0123456789";
    const char *one = a->why;
    const char *other = b->why;
    while (*one != '\0' && *one == *other) {
        one += 1 + strspn(one + 1, digits);
        other += 1 + strspn(other + 1, digits);
    }
    return a->kind == b->kind && *one == *other;
}

static void shrink(const sweep_settings *settings, sweep_case *failed, bks_oracle_verdict *verdict,
                   uint64_t budget_ns)
{
    const uint64_t begun_ns = tool_clock_ns(NULL);
    const uint32_t limit_s = verdict->kind == BKS_ORACLE_KILLED ? HUNG_TRY_S : SWEEP_MATCH_S_MAX;
    failed->is_twice = verdict->kind == BKS_ORACLE_VARIES;
    progress bar;
    progress_begin(&bar, "shrinking", budget_ns);
    uint32_t kept_changes = 0; // number of changes that were kept in this round
    for (uint32_t step = 0;;) {
        const uint64_t spent_ns = tool_clock_ns(NULL) - begun_ns;
        progress_show(&bar, spent_ns);
        sweep_case candidate = *failed;
        const int is_other = change(settings, &candidate, verdict, step);
        if (spent_ns > budget_ns || stop_is_wanted() || (is_other < 0 && kept_changes == 0)) {
            break;
        }
        if (is_other < 0) {
            step = 0;
            kept_changes = 0;
            continue;
        }
        bks_oracle_verdict found;
        if (is_other == 0 || sweep_case_try(settings, &candidate, limit_s, &found) != TOOL_OK ||
            !is_alike(&found, verdict)) {
            step++;
            continue;
        }
        *failed = candidate; // keep the change, and try the same one again
        *verdict = found;
        kept_changes++;
    }
    progress_end(&bar);
}

void sweep_case_shrink(const sweep_settings *settings, sweep_case *failed,
                       bks_oracle_verdict *verdict, uint64_t budget_ns)
{
    const sweep_case drawn = *failed;
    const bks_oracle_verdict first = *verdict;
    shrink(settings, failed, verdict, budget_ns);
    if (first.kind != BKS_ORACLE_KILLED) {
        return;
    }
    // Try the shrunk match with the full time limit, because a match that was ended after
    // HUNG_TRY_S may only be slow.
    const int status = sweep_case_try(settings, failed, SWEEP_MATCH_S_MAX, verdict);
    if (status != TOOL_OK || !is_alike(verdict, &first)) {
        *failed = drawn;
        *verdict = first;
    }
}
