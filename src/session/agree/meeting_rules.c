// SPDX-License-Identifier: MIT

// Rules that all members apply to the same reports. If two members list a repair of the same peer,
// they list the same repair, and no member lists a repair that a single liar made up. This holds
// for two reasons: every member reports its state before any member decides, and a single report
// counts only as far as other reports agree. A member that has left may have sent its report to
// some peers only. The others copy the repairs of such a member from a MEET of stage ENDED, which
// has the sender's repair log.

#include "session/agree/meeting_rules.h"

#include <string.h>

#include "base/bits.h"
#include "base/mutant.h"
#include "session/common/seats.h"

// ---- progress of the members ----

uint32_t bksi_report_number(const bksi_meet_message *report)
{
    return report->tick == BKS_TICK_NONE ? 0 : (uint32_t)report->stage + 1;
}

static bool is_at(const bksi_meet_message *report, bksi_meet_stage stage)
{
    return bksi_report_number(report) == (uint32_t)stage + 1;
}

bool bksi_report_has_majority_state(const bksi_meet_message *report)
{
    return report->stage == BKSI_MEET_DONE || report->stage == BKSI_MEET_ENDED;
}

bool bksi_reports_are_at(const bksi_meet_message *const *reports, uint32_t members,
                         bksi_meet_stage stage)
{
    bool are = true;
    EACH_PEER (i, members) {
        are &= bksi_report_number(reports[i]) > (uint32_t)stage &&
               !is_at(reports[i], BKSI_MEET_FAILED);
    }
    return are;
}

bool bksi_reports_agree(const bksi_meet_message *const *reports, uint32_t members)
{
    bool agree = true;
    uint64_t now = 0;
    bool is_first = true;
    EACH_PEER (i, members) {
        agree &= is_first || reports[i]->now == now;
        now = reports[i]->now;
        is_first = false;
    }
    return agree;
}

bool bksi_reports_have_failure(const bksi_meet_message *const *reports, uint32_t members)
{
    bool has = false;
    EACH_PEER (i, members) {
        has |= is_at(reports[i], BKSI_MEET_FAILED);
    }
    return has;
}

// ---- members with the same state ----

static bool are_alike(const bksi_meet_message *const *reports, uint32_t a, uint32_t b,
                      bool is_before)
{
    return is_before ? reports[a]->before == reports[b]->before
                     : reports[a]->state == reports[b]->state;
}

static uint32_t find(const bksi_meet_message *const *reports, uint32_t members, bool is_before)
{
    uint32_t most = 0;
    EACH_PEER (i, members) {
        uint32_t group = 0;
        EACH_PEER (k, members) {
            group |= are_alike(reports, i, k, is_before) ? PEER_BIT(k) : 0;
        }
        const bool is_larger = bksi_peers_count(group) > bksi_peers_count(most);
        most = is_larger && !(most != 0 && bksi_mutated(BKSI_MUTANT_MEND_AS_HOST)) ? group : most;
    }
    return most;
}

uint32_t bksi_majority_now(const bksi_meet_message *const *reports, uint32_t members)
{
    uint32_t sound = 0;
    EACH_PEER (i, members) {
        sound |= reports[i]->is_refused ? 0 : PEER_BIT(i);
    }
    const bool counts_all = sound == 0 || bksi_mutated(BKSI_MUTANT_MEND_UNSOUND);
    const uint32_t most = find(reports, counts_all ? members : sound, false);
    uint32_t have = 0;
    EACH_PEER (i, members) {
        have |= are_alike(reports, i, bksi_lowest_bit(most), false) ? PEER_BIT(i) : 0;
    }
    return have;
}

uint32_t bksi_majority_repaired(const bksi_meet_message *const *reports, uint32_t members)
{
    return members & ~find(reports, bksi_majority_now(reports, members), true);
}

bool bksi_majority_are_most(uint32_t some, uint32_t members)
{
    const uint32_t count = bksi_peers_count(some);
    const uint32_t rest = bksi_peers_count(members & ~some);
    return count > rest || (count == rest && (some & members & (~members + 1)) != 0);
}

uint32_t bksi_majority_naming(const bksi_meet_message *const *reports, uint32_t members)
{
    uint32_t naming = 0;
    EACH_PEER (i, members) {
        naming += reports[i]->differing != 0 ? 1 : 0;
    }
    return naming;
}

bool bksi_majority_shares_inputs(const bksi_meet_message *const *reports, uint32_t members)
{
    bool shares = true;
    uint64_t inputs = 0;
    bool is_first = true;
    EACH_PEER (i, members) {
        shares &= is_first || reports[i]->inputs == inputs;
        inputs = reports[i]->inputs;
        is_first = false;
    }
    return shares;
}

/// Return true if a report names the hash of its sender's state.
static bool is_statement(const bksi_meet_message *report)
{
    return report->tick != BKS_TICK_NONE &&
           (report->stage == BKSI_MEET_STATED || report->stage == BKSI_MEET_DONE ||
            report->stage == BKSI_MEET_ENDED);
}

void bksi_report_update(bksi_meet_message *report, const bksi_meet_message *next, bks_tick first)
{
    const bksi_meet_message before = *report;
    *report = *next;
    if (is_statement(&before)) {
        report->state = before.state;
        report->inputs = before.inputs;
        report->before = before.before;
        report->is_refused = before.is_refused;
        report->known = before.known;
        memcpy(report->same, before.same, sizeof(before.same));
        report->differing = before.differing;
        memcpy(report->since, before.since, sizeof(before.since));
    }
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        report->same[i] = report->same[i] > first ? report->same[i] : first;
        report->since[i] = report->since[i] > first ? report->since[i] : first;
        bksi_meet_repair *repair = &report->repairs[i];
        repair->since = repair->since > first ? repair->since : first;
    }
}

// ---- the repair of one member ----

static bks_tick least(bks_tick a, bks_tick b)
{
    return a < b ? a : b;
}

/// Get the members whose state is right, as bits: they took part in the decision and were not
/// repaired.
static uint32_t others_of(const bksi_repair_log *log)
{
    return log->decided & ~log->repaired;
}

/// Get the first tick at which a member reports that a peer differs from it; the meeting's tick if
/// it reports no difference.
static bks_tick reported_since(const bksi_repair_log *log, uint32_t member, uint32_t peer)
{
    const bksi_meet_message *report = log->reports[member];
    const bool differs = (report->differing >> peer & 1) != 0;
    return differs ? least(report->since[peer], log->tick) : log->tick;
}

/// Get the newest tick before the meeting's up to which a member reports that a peer equals it; -1:
/// none.
static bks_tick reported_same(const bksi_repair_log *log, uint32_t member, uint32_t peer)
{
    const bksi_meet_message *report = log->reports[member];
    const bool is_known = (report->known >> peer & 1) != 0;
    return is_known ? least(report->same[peer], log->tick - 1) : -1;
}

/// Get the newest tick up to which a member saw that a peer was right: the member equalled the
/// peer, and also some member whose state is right.
static bks_tick known_same(const bksi_repair_log *log, uint32_t member, uint32_t peer)
{
    const uint32_t others = others_of(log);
    bks_tick as_others = (others >> member & 1) != 0 ? log->tick - 1 : -1;
    EACH_PEER (i, others & ~PEER_BIT(member)) {
        const bks_tick same = reported_same(log, member, i);
        as_others = same > as_others ? same : as_others;
    }
    return member == peer ? as_others : least(as_others, reported_same(log, member, peer));
}

/// Find the first tick at which a peer's state may differ: two members have seen that all ticks
/// before it are equal, so a single lying report cannot change the result. If only two members
/// decided the meeting, the report of one is enough.
static bks_tick find_floor(const bksi_repair_log *log, uint32_t peer)
{
    bks_tick most[2] = {log->first - 1, log->first - 1};
    EACH_PEER (i, log->decided) {
        const bks_tick same = known_same(log, i, peer);
        most[1] = same > most[0] ? most[0] : same > most[1] ? same : most[1];
        most[0] = same > most[0] ? same : most[0];
    }
    return most[bksi_peers_count(log->decided) > 2 ? 1 : 0] + 1;
}

bks_tick bksi_repair_log_since(const bksi_repair_log *log, uint32_t peer)
{
    bks_tick since = log->tick;
    bool was_alike = true;
    EACH_PEER (i, others_of(log)) {
        was_alike &= log->reports[i]->before == log->reports[peer]->before;
        since = least(since, reported_since(log, i, peer));
        since = least(since, reported_since(log, peer, i));
    }
    const bks_tick floor = find_floor(log, peer);
    return (since == log->tick && !was_alike) || since < floor ? floor : since;
}

/// Get the first tick at which we saw a difference between a peer and the members whose state is
/// right. If we saw first differences at several ticks, get the latest; if we saw none, get the
/// meeting's tick.
static bks_tick seen_ourselves(const bksi_repair_log *log, uint32_t peer)
{
    const uint32_t others = others_of(log);
    const uint32_t compared = (others >> log->self & 1) != 0 ? PEER_BIT(peer) : 0;
    bks_tick since = -1;
    EACH_PEER (i, log->self == peer ? others : compared) {
        const bks_tick seen = reported_since(log, log->self, i);
        since = seen > since ? seen : since;
    }
    return since >= 0 ? since : log->tick;
}

bks_repair bksi_repair_log_repair(const bksi_repair_log *log, uint32_t peer)
{
    const bksi_meet_message *own = log->reports[peer];
    const uint32_t others = others_of(log);
    const uint32_t lowest = bksi_lowest_bit(others);
    const bks_tick since = bksi_repair_log_since(log, peer);
    bks_repair repair = {.tick = log->tick, .peer = peer, .from = peer};
    repair.since = least(since, seen_ourselves(log, peer));
    if (log->reports[lowest]->state != own->state) {
        repair.from = (others >> own->from & 1) != 0 ? own->from : lowest;
        repair.bytes = own->bytes > 0 ? own->bytes : 1;
    }
    return repair;
}

// ---- the repairs of all members ----

/// Get the members whose repairs we copy from the repair log of another member, as bits. That
/// member is `before`, for which the meeting ended earlier than for us.
static uint32_t taken_over(const bksi_repair_log *log)
{
    uint32_t unheard = 0; // members whose report does not name the source of their bytes yet
    EACH_PEER (i, log->repaired) {
        unheard |= bksi_report_has_majority_state(log->reports[i]) ? 0 : PEER_BIT(i);
    }
    return log->before == BKS_PEERS_MAX ? 0 : log->have_left ? ~0u : ~log->members | unheard;
}

static uint32_t listed_before(const bksi_repair_log *log)
{
    const bool has_ended = log->before < BKS_PEERS_MAX;
    return has_ended ? log->reports[log->before]->repaired & log->all : 0;
}

bool bksi_repair_log_is_certain(const bksi_repair_log *log)
{
    const uint32_t own = log->repaired & log->members & ~taken_over(log);
    return log->before == BKS_PEERS_MAX || own == (listed_before(log) & ~taken_over(log));
}

/// Copy a repair from another member's log, and correct what cannot be true: a peer that healed by
/// itself but has bytes of others, or a peer that was repaired without bytes of others.
static bks_repair as_listed(const bksi_repair_log *log, uint32_t peer)
{
    const bksi_meet_repair *listed = &log->reports[log->before]->repairs[peer];
    const bks_tick floor = find_floor(log, peer);
    const bks_tick since = listed->since > floor ? listed->since : floor;
    const uint32_t sources = log->all & ~PEER_BIT(peer);
    const bool can_be = (sources >> listed->from & 1) != 0;
    const uint32_t most = others_of(log) & sources;
    const uint32_t from = can_be ? listed->from : bksi_lowest_bit(most != 0 ? most : sources);
    return (bks_repair){.tick = log->tick,
                        .since = least(since, seen_ourselves(log, peer)),
                        .peer = peer,
                        .from = listed->bytes > 0 ? from : peer,
                        .bytes = listed->bytes};
}

uint32_t bksi_repair_log_all(const bksi_repair_log *log, bks_repair *out)
{
    const uint32_t taken = taken_over(log);
    const uint32_t own = log->repaired & log->members & ~taken;
    uint32_t count = 0;
    EACH_PEER (i, own | (listed_before(log) & taken)) {
        out[count] = (own >> i & 1) != 0 ? bksi_repair_log_repair(log, i) : as_listed(log, i);
        if (bksi_mutated(BKSI_MUTANT_MEND_LATE) || bksi_mutated(BKSI_MUTANT_MEND_WIDE)) {
            out[count].since =
                bksi_mutated(BKSI_MUTANT_MEND_LATE) ? log->tick : out[count].since - 5;
        }
        count++;
    }
    return count;
}

void bksi_repair_log_note(bksi_meet_message *own, const bks_repair *repairs, uint32_t count)
{
    own->repaired = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bks_repair *repair = &repairs[i];
        own->repaired |= PEER_BIT(repair->peer);
        own->repairs[repair->peer] = (bksi_meet_repair){
            .since = repair->since, .from = repair->from, .bytes = repair->bytes};
    }
}
