// SPDX-License-Identifier: MIT

// Carries out planted faults while a match runs. A fault that acts at one time is carried out at
// that time, in order. A fault that lasts for a while is looked up whenever it could have an
// effect.
//
// A peer's session runs on the peer's own clock, which may drift. Everything else in the lab runs
// on the lab's clock. The lab also has a wall clock for each peer, which may jump. No session sees
// it: it only measures costs, which are reported and decide nothing.

#include "lab/lab_internal.h"
#include "peer/peer_inspect.h"

#define MILLION INT64_C(1000000)

// ---- clocks of the peers ----

uint64_t bksi_lab_to_peer_time(const lab_peer *peer, uint64_t lab_ns)
{
    if (peer->drift_ppm == 0) {
        return lab_ns;
    }
    const int64_t now = (int64_t)lab_ns;
    const int64_t ahead =
        now / MILLION * peer->drift_ppm + now % MILLION * peer->drift_ppm / MILLION;
    return (uint64_t)(now + ahead);
}

uint64_t bksi_lab_from_peer_time(const lab_peer *peer, uint64_t peer_ns)
{
    if (peer->drift_ppm == 0 || peer_ns == UINT64_MAX) {
        return peer_ns;
    }
    // Start from an estimate that rounding makes wrong by a few ns at most. Then search for the
    // first time at which the peer's clock is late enough.
    const uint64_t rate = (uint64_t)(MILLION + peer->drift_ppm);
    const uint64_t million = (uint64_t)MILLION;
    uint64_t lab_ns = peer_ns / rate * million + peer_ns % rate * million / rate;
    while (bksi_lab_to_peer_time(peer, lab_ns) < peer_ns) {
        lab_ns++;
    }
    while (lab_ns > 0 && bksi_lab_to_peer_time(peer, lab_ns - 1) >= peer_ns) {
        lab_ns--;
    }
    return lab_ns;
}

uint64_t bksi_lab_peer_clock(void *context)
{
    const lab_peer *peer = context;
    const bks_lab_config *config = &peer->lab->config;
    const uint64_t clock_ns =
        config->clock_ns != NULL ? config->clock_ns(config->clock_context) : 0;
    return clock_ns + (uint64_t)peer->wall_jump_ns;
}

// ---- faults that act at one time ----

static bool is_before(const bks_lab_timed *a, const bks_lab_timed *b)
{
    return a->in_lobby != b->in_lobby ? a->in_lobby : a->at_ns < b->at_ns;
}

/// Sort the faults by time, with those of the lobby first. Faults with the same time stay in the
/// order in which they were given.
static void sort_timed(bks_lab_faults *faults)
{
    for (uint32_t i = 1; i < faults->timed_count; i++) {
        const bks_lab_timed moved = faults->timed[i];
        uint32_t at = i;
        while (at > 0 && is_before(&moved, &faults->timed[at - 1])) {
            faults->timed[at] = faults->timed[at - 1];
            at--;
        }
        faults->timed[at] = moved;
    }
}

void bksi_lab_faults_begin(bks_lab *lab)
{
    sort_timed(&lab->faults);
    for (uint32_t i = 0; i < lab->faults.timed_count; i++) {
        bks_lab_timed *fault = &lab->faults.timed[i];
        lab->lobby_faults += fault->in_lobby ? 1 : 0;
        if (fault->kind == BKS_LAB_DRIFT) {
            lab->peers[fault->peer].drift_ppm = fault->value;
            fault->fired += fault->value != 0 ? 1 : 0;
        }
    }
    lab->faults_done = lab->lobby_faults;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        lab->peers[i].resumes_ns = UINT64_MAX;
    }
}

/// Return the time at which a fault begins; UINT64_MAX: not known yet.
static uint64_t begin_of(const bks_lab *lab, const bks_lab_timed *fault)
{
    const uint64_t base_ns = fault->in_lobby ? 0 : lab->first_tick_ns;
    return base_ns == UINT64_MAX ? UINT64_MAX : base_ns + fault->at_ns;
}

/// Return the time at which fault `index` begins, if it is below `end`; else UINT64_MAX.
static uint64_t next_from(const bks_lab *lab, uint32_t index, uint32_t end)
{
    return index < end ? begin_of(lab, &lab->faults.timed[index]) : UINT64_MAX;
}

static uint64_t next_in_lobby(const bks_lab *lab)
{
    return next_from(lab, lab->lobby_done, lab->lobby_faults);
}

static uint64_t next_in_match(const bks_lab *lab)
{
    return next_from(lab, lab->faults_done, lab->faults.timed_count);
}

/// Find the forger that is the first to stop forging, and return the time at which it stops;
/// UINT64_MAX: none forges.
static uint64_t next_end_of_forging(const bks_lab *lab, uint32_t *index)
{
    uint64_t next_ns = UINT64_MAX;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const lab_peer *peer = &lab->peers[i];
        if (peer->liar.is_forging && !peer->is_crashed && peer->forges_until_ns < next_ns) {
            next_ns = peer->forges_until_ns;
            *index = i;
        }
    }
    return next_ns;
}

/// Find the peer that is the first to end a pause, and return the time at which it does;
/// UINT64_MAX: none does.
static uint64_t next_end_of_pause(const bks_lab *lab, uint32_t *index)
{
    uint64_t next_ns = UINT64_MAX;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        if (lab->peers[i].resumes_ns < next_ns) {
            next_ns = lab->peers[i].resumes_ns;
            *index = i;
        }
    }
    return next_ns;
}

uint64_t bksi_lab_longer_ns(const bks_lab *lab)
{
    uint64_t longer_ns = 0;
    uint64_t slowest = 100;
    const uint64_t drop_ns = UINT64_C(1000000) * lab->config.tuning.drop_after_ms;
    for (uint32_t i = 0; i < lab->faults.timed_count; i++) {
        const bks_lab_timed *fault = &lab->faults.timed[i];
        if (fault->kind == BKS_LAB_PAUSE_GAME) {
            // If its peer crashes meanwhile, the others go on once they have not heard it for long.
            longer_ns += fault->span_ns + drop_ns;
        }
        const uint64_t percent = fault->kind == BKS_LAB_SPEED ? (uint64_t)fault->value : 100;
        slowest = percent < slowest ? percent : slowest;
    }
    const uint64_t ticks = (uint64_t)(lab->config.ticks - lab->config.first_tick);
    const uint64_t match_ns = ticks * UINT64_C(1000000000) / lab->config.game->tick_rate_hz;
    return longer_ns + match_ns * 100 / slowest - match_ns;
}

uint64_t bksi_lab_faults_next(const bks_lab *lab)
{
    uint32_t index;
    const uint64_t resumes_ns = next_end_of_pause(lab, &index);
    const uint64_t lobby_ns = next_in_lobby(lab);
    const uint64_t match_ns = next_in_match(lab);
    const uint64_t next_ns = lobby_ns < match_ns ? lobby_ns : match_ns;
    const uint64_t forging_ns = next_end_of_forging(lab, &index);
    const uint64_t end_ns = forging_ns < resumes_ns ? forging_ns : resumes_ns;
    return end_ns < next_ns ? end_ns : next_ns;
}

/// Let a peer lie to the peer with the next number that has not crashed.
static void lie(bks_lab *lab, const bks_lab_timed *fault)
{
    lab_peer *liar = &lab->peers[fault->peer];
    uint32_t to = fault->peer;
    do {
        to = (to + 1) % lab->config.peers;
    } while (lab->peers[to].is_crashed && to != fault->peer);
    if (to != fault->peer && lab->config.game->command_bytes_max > 0) {
        bksi_lab_lie_in_commands(&liar->liar, liar->session, to);
    } else if (to != fault->peer) {
        bksi_lab_lie(&liar->liar, liar->session, bksi_inspect_own_head(liar->session), to);
    }
}

/// Let a peer say goodbye just before its next update, which is the hard case for its session:
/// packets since the last update may have shown that a guess was wrong, and no rollback has
/// corrected it yet. Nothing happens if the match has already ended for the peer.
static void leave(bks_lab *lab, bks_lab_timed *fault)
{
    lab_peer *peer = &lab->peers[fault->peer];
    const bks_phase phase = bks_session_phase(peer->session);
    peer->is_leaving =
        !peer->is_crashed && (phase == BKS_PHASE_GATHERING || phase == BKS_PHASE_RUNNING);
    fault->fired += peer->is_leaving ? 1 : 0;
}

void bksi_lab_say_goodbye(lab_peer *peer)
{
    const bks_phase phase = bks_session_phase(peer->session);
    peer->is_leaving = false;
    if (phase == BKS_PHASE_GATHERING || phase == BKS_PHASE_RUNNING) {
        peer->has_left = true;
        peer->goodbye_ns = peer->lab->now_ns;
        (void)bks_peer_leave(peer->peer);
    }
}

/// Let a peer want a pause or another speed just before its next update, as a player presses a key.
static void want_speed(bks_lab *lab, bks_lab_timed *fault)
{
    lab_peer *peer = &lab->peers[fault->peer];
    if (bksi_lab_is_gone(peer) || bks_session_phase(peer->session) != BKS_PHASE_RUNNING) {
        return;
    }
    if (fault->kind == BKS_LAB_SPEED) {
        peer->wanted_percent = (uint32_t)fault->value;
    } else {
        peer->wants_pause = peer->has_paused = true;
        peer->has_resumed = false;
        peer->resumes_ns = lab->now_ns + fault->span_ns;
    }
    fault->fired++;
}

/// Ignore a refusal: it is no fault, because the limits of pauses and speeds may be reached.
static void ignore(bks_status status)
{
    (void)status;
}

void bksi_lab_call_speed(lab_peer *peer)
{
    if (peer->wants_pause) {
        ignore(bks_session_pause(peer->session, true));
    }
    if (peer->wants_resume) {
        ignore(bks_session_pause(peer->session, false));
    }
    if (peer->wanted_percent > 0) {
        ignore(bks_session_speed(peer->session, peer->wanted_percent));
    }
    peer->wants_pause = peer->wants_resume = false;
    peer->wanted_percent = 0;
}

/// Time between two presses of the key that ends a pause.
#define PRESS_NS UINT64_C(1000000000)

/// Return true if a peer that plays is in a pause of another.
static bool is_in_pause_of(const lab_peer *peer, uint32_t pauser)
{
    if (bksi_lab_is_gone(peer) || bks_session_phase(peer->session) != BKS_PHASE_RUNNING) {
        return false;
    }
    const bksi_speed_decision decision = bksi_inspect_speed(peer->session);
    return decision.is_paused && decision.by == pauser;
}

/// End the pause of a peer. If the peer is gone, or others are still in its pause some time later,
/// for instance after a split, all others want to go on, as players press a key again and again.
static void end_game_pause(bks_lab *lab, uint32_t index)
{
    lab_peer *pauser = &lab->peers[index];
    const bool others_press = bksi_lab_is_gone(pauser) || pauser->has_resumed;
    // A pause that its peer ended, or did not survive, within a few ms reaches others later.
    bool is_over = pauser->has_resumed && !bksi_lab_is_gone(pauser);
    pauser->wants_resume = pauser->has_resumed = true;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        if (i != index && is_in_pause_of(&lab->peers[i], index)) {
            lab->peers[i].wants_resume |= others_press;
            is_over = false;
        }
    }
    pauser->resumes_ns = is_over ? UINT64_MAX : lab->now_ns + PRESS_NS;
}

static void crash(bks_lab *lab, uint32_t index)
{
    lab_peer *peer = &lab->peers[index];
    if (peer->is_crashed) {
        return; // the peer has already crashed, at the end of its forging
    }
    bksi_lab_watch_crash(lab, index);
    peer->is_crashed = true;
    peer->crashed_ns = lab->now_ns;
    peer->wake_ns = UINT64_MAX;
    if (peer->has_paused && peer->resumes_ns == UINT64_MAX) {
        peer->resumes_ns = lab->now_ns + PRESS_NS; // perhaps nobody knows that it wanted to go on
    }
    bksi_peer_close_recording(peer->peer, true);
}

/// Let a peer forge messages for a while and then crash. From then on nothing is expected of it.
static void forge(bks_lab *lab, const bks_lab_timed *fault)
{
    lab_peer *peer = &lab->peers[fault->peer];
    bks_tick from = bks_session_confirmed(peer->session);
    if (lab->is_over || bksi_lab_is_gone(peer)) {
        return;
    }
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const lab_peer *other = &lab->peers[i];
        const bks_tick confirmed = bks_session_confirmed(other->session);
        from = !bksi_lab_is_gone(other) && !other->is_out && confirmed < from ? confirmed : from;
    }
    peer->forges_until_ns = lab->now_ns + fault->span_ns;
    bksi_lab_forge(&peer->liar, peer->session, lab->config.game->command_bytes_max > 0, from,
                   bksi_lab_random(lab->config.seed, LAB_STREAM_FORGE + fault->peer));
}

void bksi_lab_faults_act(bks_lab *lab)
{
    uint32_t forger = 0;
    if (next_end_of_forging(lab, &forger) <= lab->now_ns) {
        crash(lab, forger);
        return;
    }
    uint32_t pauser = 0;
    if (next_end_of_pause(lab, &pauser) <= lab->now_ns) {
        end_game_pause(lab, pauser);
        return;
    }
    const bool is_of_lobby = next_in_lobby(lab) <= next_in_match(lab);
    uint32_t *done = is_of_lobby ? &lab->lobby_done : &lab->faults_done;
    bks_lab_timed *fault = &lab->faults.timed[(*done)++];
    lab_peer *peer = &lab->peers[fault->peer];
    const uint64_t until_ns = lab->now_ns + fault->span_ns;
    switch (fault->kind) {
    case BKS_LAB_PAUSE:
        peer->busy_until_ns = until_ns > peer->busy_until_ns ? until_ns : peer->busy_until_ns;
        fault->fired += peer->is_crashed || fault->span_ns == 0 ? 0 : 1;
        break;
    case BKS_LAB_CRASH:
        crash(lab, fault->peer);
        fault->fired++;
        break;
    case BKS_LAB_LEAVE:
        leave(lab, fault);
        break;
    case BKS_LAB_CLOCK:
        peer->wall_jump_ns += fault->value;
        fault->fired += peer->is_crashed ? 0 : 1;
        break;
    case BKS_LAB_REBIND:
        peer->rebinds++;
        fault->fired += peer->is_crashed ? 0 : 1;
        break;
    case BKS_LAB_LIE:
        lie(lab, fault);
        break;
    case BKS_LAB_FORGE:
        forge(lab, fault);
        break;
    case BKS_LAB_PAUSE_GAME:
    case BKS_LAB_SPEED:
        want_speed(lab, fault);
        break;
    case BKS_LAB_RATE:
    case BKS_LAB_FILL:
        fault->fired += bksi_lab_links_change(lab, fault) ? 1 : 0;
        break;
    case BKS_LAB_HEAL:
        bksi_lab_links_heal(lab);
        fault->fired++;
        break;
    default:
        break; // nothing is done now: a lasting fault is looked up when it matters
    }
}

// ---- faults that last for a while ----

/// Return true if a fault that lasts for a while acts now.
static bool is_on(const bks_lab *lab, const bks_lab_timed *fault)
{
    const uint64_t begin_ns = begin_of(lab, fault);
    return begin_ns != UINT64_MAX && lab->now_ns >= begin_ns &&
           lab->now_ns < begin_ns + fault->span_ns;
}

static bool blocks(const bks_lab_timed *fault, uint32_t from, uint32_t to)
{
    switch (fault->kind) {
    case BKS_LAB_CUT:
        return (fault->other == from && fault->peer == to) ||
               (!fault->is_one_way && fault->peer == from && fault->other == to);
    case BKS_LAB_SPLIT:
        return fault->group[from] != 0 && fault->group[to] != 0 &&
               fault->group[from] != fault->group[to];
    case BKS_LAB_FULL:
        return fault->peer == from;
    default:
        return false;
    }
}

bool bksi_lab_faults_block(bks_lab *lab, uint32_t from, uint32_t to)
{
    bool is_blocked = false;
    for (uint32_t i = 0; i < lab->faults.timed_count; i++) {
        bks_lab_timed *fault = &lab->faults.timed[i];
        if (blocks(fault, from, to) && is_on(lab, fault)) {
            fault->fired++;
            is_blocked = true;
        }
    }
    return is_blocked;
}

bool bksi_lab_faults_silence(const bks_lab *lab, uint32_t peer)
{
    for (uint32_t i = 0; i < lab->faults.timed_count; i++) {
        const bks_lab_timed *fault = &lab->faults.timed[i];
        if (fault->kind == BKS_LAB_FULL && fault->peer == peer && is_on(lab, fault)) {
            return true;
        }
    }
    return false;
}

uint64_t bksi_lab_faults_slowness(bks_lab *lab, uint32_t index)
{
    uint64_t thousandths = 0;
    for (uint32_t i = 0; i < lab->faults.timed_count; i++) {
        bks_lab_timed *fault = &lab->faults.timed[i];
        if (fault->peer == index && fault->kind == BKS_LAB_SLOW && is_on(lab, fault)) {
            thousandths += (uint64_t)fault->value;
            fault->fired++;
        }
    }
    return thousandths;
}

uint64_t bksi_lab_faults_loading(bks_lab *lab, uint32_t index)
{
    uint64_t load_ns = 0;
    for (uint32_t i = 0; i < lab->faults.timed_count; i++) {
        bks_lab_timed *fault = &lab->faults.timed[i];
        if (fault->peer == index && fault->kind == BKS_LAB_LOAD) {
            load_ns += (uint64_t)fault->value;
            fault->fired++;
        }
    }
    return load_ns;
}

uint64_t bksi_lab_faults_fired(const bks_lab *lab, bks_lab_fault_kind kind)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < lab->faults.timed_count; i++) {
        const bks_lab_timed *fault = &lab->faults.timed[i];
        const bool is_lie = kind == BKS_LAB_LIE && bksi_lab_lie_mattered(lab, fault->peer);
        const bool is_forged = kind == BKS_LAB_FORGE && lab->peers[fault->peer].liar.forged > 0;
        count += fault->kind == kind && (fault->fired > 0 || is_lie || is_forged) ? 1 : 0;
    }
    return count;
}
