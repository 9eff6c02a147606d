// SPDX-License-Identifier: MIT

// With `stop`, and with `resync` if nothing can be repaired, the match ends for all peers at one
// tick. This tick lies a window after the tick that the host had reached when it decided to stop.
// With `resync` a repaired state is right from the tick of the meeting on. All peers name the same
// repaired peer and the same tick since which its state differed.
//
// Some results cannot be known from outside, so they are checked only under conditions:
// - that a repair succeeds: only if all links are calm and nothing else is wrong. Otherwise a line
//   may be too slow, a peer may be silent, or the game may refuse a flipped state;
// - that a third repair within a minute stops the match: only with at most three members, because
//   otherwise too few members may have named a difference;
// - which state is right: only if two members never flipped;
// - how many bytes a repair wrote: only between members that both heard the number in time.

#include <string.h>

#include "lab/lab_internal.h"
#include "lab/oracle_internal.h"
#include "peer/peer_inspect.h"
#include "session/inspect.h"

/// Minimum number of ticks from the host's newest input to the end of a stopped match: the longest
/// window and a tick.
#define ROOM_TICKS ((bks_tick)BKS_WINDOW_MAX + 1)

/// Seconds within which, over calm links, a difference is found and then either repaired or
/// answered by stopping the match.
#define CALM_S 6

/// Seconds within which a third repair stops the match.
#define MINUTE_S 60

// ---- outcome of the peers ----

/// Outcome of a match as each of its peers sees it.
typedef struct outcome {
    const bks_lab *lab;
    bks_oracle_verdict *verdict;
    /// For each peer: what it confirmed. Empty for a peer that did not stay to the end.
    bks_lab_story stories[BKS_PEERS_MAX];
    bks_lab_comparison all;    ///< comparison of all peers' states
    bks_lab_comparison stayed; ///< comparison of the states of peers that stayed to the end
    uint32_t in;               ///< peers that stayed to the end, one bit for each
    uint32_t repair_counts[BKS_PEERS_MAX];
    bks_repair repairs[BKS_PEERS_MAX][BKS_REPAIRS_MAX]; ///< repairs that each peer lists
} outcome;

static bool is_in(const outcome *of, uint32_t index)
{
    return (of->in >> index & 1u) != 0;
}

/// Return true if two peers stayed to the end and are in one view there.
static bool are_together(const outcome *of, uint32_t a, uint32_t b)
{
    return is_in(of, a) && is_in(of, b) &&
           bksi_lab_same_until(&of->stories[a].roster, &of->stories[b].roster) == INT32_MAX;
}

static void collect_outcome(outcome *of, const bks_lab *lab, bks_oracle_verdict *verdict)
{
    const uint32_t peers = lab->config.peers;
    *of = (outcome){.lab = lab, .verdict = verdict};
    for (uint32_t i = 0; i < peers; i++) {
        of->stories[i] = bksi_lab_story_of(lab, i);
        of->repair_counts[i] =
            bks_session_repairs(lab->peers[i].session, of->repairs[i], BKS_REPAIRS_MAX);
    }
    of->all = bksi_lab_compare_stories(of->stories, peers, lab->config.ticks);
    for (uint32_t i = 0; i < peers; i++) {
        of->in |= bksi_lab_is_in(lab, i) ? 1u << i : 0;
        of->stories[i].count = is_in(of, i) ? of->stories[i].count : 0;
    }
    of->stayed = bksi_lab_compare_stories(of->stories, peers, lab->config.ticks);
}

static bks_tick earlier(bks_tick a, bks_tick b)
{
    return a == BKS_TICK_NONE || (b != BKS_TICK_NONE && b < a) ? b : a;
}

static bks_tick ticks_in(const bks_lab *lab, uint32_t seconds)
{
    return (bks_tick)(seconds * lab->config.game->tick_rate_hz);
}

static bool does_any_forge(const bks_lab *lab)
{
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        if (lab->peers[i].liar.is_forging) {
            return true;
        }
    }
    return false;
}

/// Return the tick of the state in which a bit of the peer flipped; BKS_TICK_NONE: none flipped.
static bks_tick flip_of(const bks_lab *lab, uint32_t index)
{
    const bks_lab_flip *flip = &lab->faults.flips[index];
    const bksi_flipped flipped = bksi_peer_flipped(lab->peers[index].peer);
    return flip->is_planted && flipped.is_there ? flipped.tick : BKS_TICK_NONE;
}

// ---- checks of the end of the match ----

/// Check that all peers that are in one view at the end ended the match at the same tick.
static void judge_ends(const outcome *of)
{
    const bks_lab *lab = of->lab;
    for (uint32_t a = 0; a < lab->config.peers; a++) {
        for (uint32_t b = a + 1; b < lab->config.peers; b++) {
            const bks_tick one = bksi_lab_end_of(lab, a);
            const bks_tick other = bksi_lab_end_of(lab, b);
            if (are_together(of, a, b) && one != other) {
                bksi_oracle_fail(of->verdict, BKS_ORACLE_UNSAFE, one < other ? one : other,
                                 "peer %u ends its match at tick %d and peer %u at tick %d", a, one,
                                 b, other);
            }
        }
    }
}

/// Check that no match stopped without a difference of states, or too early for all peers to know
/// the end.
static void judge_stops(const outcome *of)
{
    const bks_tick first = earlier(of->all.desync_tick, of->all.inputs_tick);
    for (uint32_t i = 0; i < of->lab->config.peers; i++) {
        const bks_tick stop = of->lab->peers[i].stop_tick;
        if (stop != 0 && (first == BKS_TICK_NONE || stop < first + ROOM_TICKS)) {
            bksi_oracle_fail(of->verdict, BKS_ORACLE_UNSAFE, stop,
                             "peer %u ends its match at tick %d, and the first difference is at %d",
                             i, stop, first);
        }
    }
}

/// Return true if a peer knows of a difference at its end. A reported difference no longer counts
/// after a repair, or after a meeting in which all agreed because the only peer that differed had
/// left.
static bool knows_difference(const bks_lab *lab, uint32_t index)
{
    bool is_reported = false;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        is_reported |= bksi_inspect_difference(lab->peers[index].session, i).is_reported;
    }
    return lab->peers[index].has_open_desync && is_reported;
}

/// Check with which status the match ended for each peer.
static void judge_status(const outcome *of)
{
    for (uint32_t i = 0; i < of->lab->config.peers; i++) {
        const lab_peer *peer = &of->lab->peers[i];
        const bool differs = peer->stop_tick != 0 || knows_difference(of->lab, i);
        const bks_status wanted = differs ? BKS_ERR_DESYNC : BKS_OVER;
        const bks_status status = bks_session_status(peer->session);
        if (is_in(of, i) && bks_session_phase(peer->session) == BKS_PHASE_ENDED &&
            status != wanted) {
            bksi_oracle_fail(of->verdict, BKS_ORACLE_UNSAFE, bksi_lab_end_of(of->lab, i),
                             "the match ends for peer %u with %s, must be %s", i,
                             bks_status_name(status), bks_status_name(wanted));
        }
    }
}

// ---- checks of repairs ----

static bool is_same_repair(const bks_repair *a, const bks_repair *b)
{
    // Compare the bytes only if both peers know them: a member that learns the end of a meeting
    // from the host may not know how many bytes were written.
    const bool is_known = a->bytes > 0 && b->bytes > 0;
    return a->tick == b->tick && a->since == b->since && a->peer == b->peer &&
           (!is_known || (a->bytes == b->bytes && a->from == b->from));
}

static void judge_lists(const outcome *of)
{
    for (uint32_t a = 0; a < of->lab->config.peers; a++) {
        for (uint32_t b = a + 1; b < of->lab->config.peers; b++) {
            if (!are_together(of, a, b)) {
                continue;
            }
            const uint32_t count = of->repair_counts[a];
            bool is_same = count == of->repair_counts[b];
            for (uint32_t i = 0; i < count && is_same; i++) {
                is_same = is_same_repair(&of->repairs[a][i], &of->repairs[b][i]);
            }
            if (!is_same) {
                bksi_oracle_fail(of->verdict, BKS_ORACLE_UNSAFE, BKS_TICK_NONE,
                                 "peers %u and %u list different repairs: %u and %u of them", a, b,
                                 count, of->repair_counts[b]);
                return;
            }
        }
    }
}

/// Return true if some peer that stayed has another state at a tick than peer `index`, or if no
/// other peer can be compared.
static bool differs_at(const outcome *of, uint32_t index, bks_tick tick)
{
    const bks_lab_story *own = &of->stories[index];
    bool has_other = false;
    for (uint32_t i = 0; i < of->lab->config.peers; i++) {
        const bks_lab_story *other = &of->stories[i];
        if (i == index || tick >= own->count || tick >= other->count) {
            continue;
        }
        has_other = true;
        if (own->hashes[tick] != other->hashes[tick]) {
            return true;
        }
    }
    return !has_other;
}

static void judge_repair(const outcome *of, uint32_t index, const bks_repair *repair)
{
    const bks_tick first = of->lab->config.first_tick;
    if (repair->since < first || repair->since > repair->tick ||
        repair->tick > of->lab->config.ticks || repair->peer >= of->lab->config.peers) {
        bksi_oracle_fail(of->verdict, BKS_ORACLE_UNSAFE, repair->tick,
                         "peer %u lists an impossible repair: of peer %u, ticks %d to %d", index,
                         repair->peer, repair->since, repair->tick);
    } else if (repair->since < repair->tick && !differs_at(of, repair->peer, repair->since)) {
        bksi_oracle_fail(of->verdict, BKS_ORACLE_UNSAFE, repair->since,
                         "peer %u says that the state of peer %u differs since tick %d, where it "
                         "equals that of all others",
                         index, repair->peer, repair->since);
    }
}

static uint32_t count_flipped(const outcome *of)
{
    uint32_t flipped = 0;
    for (uint32_t i = 0; i < of->lab->config.peers; i++) {
        flipped += of->lab->faults.flips[i].is_planted ? 1 : 0;
    }
    return flipped;
}

/// Count the peers that stayed and never flipped.
static uint32_t count_sound(const outcome *of)
{
    uint32_t sound = 0;
    for (uint32_t i = 0; i < of->lab->config.peers; i++) {
        sound += is_in(of, i) && !of->lab->faults.flips[i].is_planted ? 1 : 0;
    }
    return sound;
}

/// Return true if the peers that stayed and have no planted flip outnumber those with a planted
/// flip. Flipped peers may agree with each other, because a seed flips the same byte in each.
static bool are_most_sound(const outcome *of)
{
    return count_sound(of) > count_flipped(of);
}

static void judge_right(const outcome *of, uint32_t index, const bks_repair *repair)
{
    const bool may_be = of->lab->faults.flips[repair->peer].is_planted || !are_most_sound(of);
    if (!may_be && repair->bytes > 0) {
        bksi_oracle_fail(
            of->verdict, BKS_ORACLE_UNSAFE, repair->tick,
            "peer %u lists a repair of peer %u at tick %d, whose state was that of most peers",
            index, repair->peer, repair->tick);
    }
}

/// Check that at most two meetings within a minute repaired a state.
static void judge_minutes(const outcome *of, uint32_t index)
{
    bks_tick ticks[BKS_REPAIRS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < of->repair_counts[index]; i++) {
        const bks_tick tick = of->repairs[index][i].tick;
        if (count == 0 || ticks[count - 1] != tick) {
            ticks[count++] = tick;
        }
    }
    for (uint32_t i = 2; i < count && of->lab->config.peers <= 3; i++) {
        if (ticks[i] - ticks[i - 2] < ticks_in(of->lab, MINUTE_S)) {
            bksi_oracle_fail(of->verdict, BKS_ORACLE_UNSAFE, ticks[i],
                             "peer %u repaired at ticks %d, %d and %d, the third in a minute",
                             index, ticks[i - 2], ticks[i - 1], ticks[i]);
        }
    }
}

static void judge_repairs(const outcome *of)
{
    judge_lists(of);
    for (uint32_t i = 0; i < of->lab->config.peers; i++) {
        const bool counts = is_in(of, i);
        for (uint32_t k = 0; counts && k < of->repair_counts[i]; k++) {
            judge_repair(of, i, &of->repairs[i][k]);
            judge_right(of, i, &of->repairs[i][k]);
        }
        if (counts) {
            judge_minutes(of, i);
        }
    }
}

// ---- checks of states after a repair ----

/// Return the tick of the newest repair in the lists of all peers that stayed.
static bks_tick newest_repair(const outcome *of)
{
    bks_tick newest = BKS_TICK_NONE;
    for (uint32_t i = 0; i < of->lab->config.peers; i++) {
        const uint32_t count = is_in(of, i) ? of->repair_counts[i] : 0;
        for (uint32_t k = 0; k < count; k++) {
            newest = of->repairs[i][k].tick > newest ? of->repairs[i][k].tick : newest;
        }
    }
    return newest;
}

/// Return true if a bit of some peer's state flipped at this tick.
static bool does_any_flip_at(const bks_lab *lab, bks_tick tick)
{
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        if (flip_of(lab, i) == tick) {
            return true;
        }
    }
    return false;
}

/// Check that a difference that was never repaired begins only after the newest repair.
static void judge_open(const outcome *of)
{
    const bks_tick open = of->stayed.open_tick;
    const bks_tick repaired = newest_repair(of);
    if (open != BKS_TICK_NONE && repaired != BKS_TICK_NONE && open <= repaired &&
        !(open == repaired && does_any_flip_at(of->lab, repaired))) {
        bksi_oracle_fail(of->verdict, BKS_ORACLE_UNSAFE, open,
                         "the states still differ at tick %d, though they were repaired at tick %d",
                         open, repaired);
    }
}

/// Check that a difference was repaired, or the match stopped, within some seconds over calm links.
static void judge_calm(const outcome *of)
{
    const bks_lab *lab = of->lab;
    const bool is_stop = lab->config.tuning.on_desync == BKS_ON_DESYNC_STOP;
    const bks_tick first =
        is_stop ? of->stayed.desync_tick : earlier(of->stayed.open_tick, of->stayed.inputs_tick);
    const bks_tick end = bksi_lab_end(lab);
    const bks_tick late = lab->config.ticks - ticks_in(lab, CALM_S) - BKS_DELAY_MAX - ROOM_TICKS;
    if (!bksi_oracle_is_calm(lab) || !lab->is_over) {
        return;
    }
    if (first != BKS_TICK_NONE && end == lab->config.ticks && first < late) {
        bksi_oracle_fail(of->verdict, BKS_ORACLE_DEAD, first,
                         "the states differ from tick %d on, and %s", first,
                         is_stop ? "the match is not stopped" : "they are not repaired");
    }
    const bool is_one_too_many = newest_repair(of) != BKS_TICK_NONE;
    if (!is_stop && end < lab->config.ticks && of->all.inputs_tick == BKS_TICK_NONE &&
        !is_one_too_many && count_sound(of) > 0) {
        bksi_oracle_fail(of->verdict, BKS_ORACLE_DEAD, end,
                         "the match stops at tick %d, but its states could be repaired", end);
    }
}

void bksi_oracle_judge_policy(const bks_lab *lab, const bks_lab_result *result,
                              bks_oracle_verdict *verdict)
{
    outcome of;
    if (does_any_forge(lab) || !result->is_over) {
        return;
    }
    collect_outcome(&of, lab, verdict);
    judge_ends(&of);
    judge_stops(&of);
    judge_status(&of);
    judge_repairs(&of);
    judge_open(&of);
    if (lab->config.tuning.on_desync != BKS_ON_DESYNC_REPORT) {
        judge_calm(&of);
    }
    if (lab->config.tuning.on_desync != BKS_ON_DESYNC_RESYNC && lab->repair_count > 0) {
        bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, lab->repairs[0].tick,
                         "the state of peer %u is repaired at tick %d, which the policy forbids",
                         lab->repairs[0].peer, lab->repairs[0].tick);
    }
}

bks_tick bksi_oracle_sound_until(const bks_lab *lab, uint32_t index, bks_tick until)
{
    bks_repair repairs[BKS_REPAIRS_MAX];
    const uint32_t count = bks_session_repairs(lab->peers[index].session, repairs, BKS_REPAIRS_MAX);
    const bks_tick flip = flip_of(lab, index);
    until = flip != BKS_TICK_NONE && flip <= until ? flip - 1 : until;
    for (uint32_t i = 0; i < count; i++) {
        const bks_repair *repair = &repairs[i];
        if (repair->peer == index && repair->bytes > 0 && repair->since <= until) {
            until = repair->since - 1;
        }
    }
    return until;
}
