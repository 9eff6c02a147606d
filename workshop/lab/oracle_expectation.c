// SPDX-License-Identifier: MIT

#include <stdarg.h>
#include <stdio.h>

#include "base/report.h"
#include "lab/oracle_internal.h"

#define CALL "bks_lab_expect"

/// Share of drop_after_ms, the silence after which a peer is dropped. No peer may be dropped if all
/// faults that silence it are together shorter than this share. The rest is spare, because links
/// and detours lengthen a silence.
#define SILENCE_SHARE 0.7

/// Time in which all peers know the end of a pause, or a speed, beyond the time of two packets. A
/// wish that comes less than a second after another one is answered later.
#define AGREED_NS UINT64_C(1000000000)

/// Least silence, beyond round trips, after which a session drops a peer at low tick rates.
#define SILENCE_MIN_NS UINT64_C(2000000000)

typedef struct given_faults {
    const bks_lab_timed *faults;
    uint32_t count;
    bks_lab_terms terms;
} given_faults;

/// Return the longest delay that a narrowed line adds to a packet, by its queue and by the packet
/// itself.
static uint64_t late_by(const bks_lab_timed *faults, uint32_t count)
{
    uint64_t most_ns = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (faults[i].kind != BKS_LAB_RATE || faults[i].value <= 0) {
            continue;
        }
        const bks_lab_link_spec line = {.rate_bits_per_s = (uint64_t)faults[i].value};
        const uint64_t longest_ns = bks_lab_link_longest_ns(&line);
        most_ns = longest_ns > most_ns ? longest_ns : most_ns;
    }
    return most_ns;
}

static bool is_endless(const given_faults *given, const bks_lab_timed *fault)
{
    return fault->at_ns + fault->span_ns >= given->terms.match_ns;
}

/// Return true if a peer never plays again after a fault. A peer that says goodbye counts as well:
/// it may be cut off from all others, who then drop it for its silence like a crashed peer.
static bool is_for_good(const bks_lab_timed *fault)
{
    return fault->kind == BKS_LAB_CRASH || fault->kind == BKS_LAB_LEAVE ||
           fault->kind == BKS_LAB_FORGE;
}

/// Return true if a cut or split keeps two peers apart at some time.
static bool parts(const bks_lab_timed *fault, uint32_t a, uint32_t b)
{
    if (fault->kind == BKS_LAB_CUT) {
        return (fault->peer == a && fault->other == b) || (fault->peer == b && fault->other == a);
    }
    return fault->kind == BKS_LAB_SPLIT && fault->group[a] != 0 && fault->group[b] != 0 &&
           fault->group[a] != fault->group[b];
}

/// Return true if pauses alone may make peers drop each other. Then any peer may be dropped, or may
/// have to end when the sides of a split meet again.
static bool may_pauses_part(const given_faults *given)
{
    uint64_t silence_ns = 0;
    for (uint32_t i = 0; i < given->count; i++) {
        const bks_lab_timed *fault = &given->faults[i];
        const bool is_one = fault->kind == BKS_LAB_PAUSE || fault->kind == BKS_LAB_FULL;
        silence_ns += is_one ? fault->span_ns : 0;
    }
    return (double)silence_ns > SILENCE_SHARE * (double)given->terms.drop_after_ns;
}

/// Return true if a third peer can always talk to two peers that cannot talk to each other.
static bool is_bridge(const given_faults *given, uint32_t third, uint32_t a, uint32_t b)
{
    if (may_pauses_part(given)) {
        return false;
    }
    for (uint32_t i = 0; i < given->count; i++) {
        const bks_lab_timed *fault = &given->faults[i];
        if (parts(fault, third, a) || parts(fault, third, b) ||
            (is_for_good(fault) && fault->peer == third)) {
            return false;
        }
    }
    return true;
}

static bool has_bridge(const given_faults *given, uint32_t a, uint32_t b)
{
    for (uint32_t third = 0; third < given->terms.peers; third++) {
        if (is_bridge(given, third, a, b)) {
            return true;
        }
    }
    return false;
}

/// Return true if other peers carry all packets that a cut or split stops.
static bool is_carried(const given_faults *given, const bks_lab_timed *fault)
{
    for (uint32_t a = 0; a < given->terms.peers; a++) {
        for (uint32_t b = a + 1; b < given->terms.peers; b++) {
            if (parts(fault, a, b) && !has_bridge(given, a, b)) {
                return false;
            }
        }
    }
    return fault->kind == BKS_LAB_CUT || fault->kind == BKS_LAB_SPLIT;
}

static bool silences(const given_faults *given, const bks_lab_timed *fault)
{
    switch (fault->kind) {
    case BKS_LAB_CUT:
    case BKS_LAB_SPLIT:
        return !is_carried(given, fault);
    case BKS_LAB_PAUSE:
    case BKS_LAB_FULL:
        return true;
    default:
        return false;
    }
}

/// Return the longest silence after which a session drops a peer: drop_after_ms, or what a slow
/// line needs. This is up to two seconds and, if the peer was never heard, two round trips.
static uint64_t dropped_after_ns(const given_faults *given)
{
    const uint64_t needs_ns = SILENCE_MIN_NS + 4 * given->terms.late_ns;
    return given->terms.drop_after_ns > needs_ns ? given->terms.drop_after_ns : needs_ns;
}

/// Return true if the peer of a pause of the match may be gone before its end. Then the others go
/// on once they have not heard it for long, and judge other silent peers anew.
static bool loses_pauser(const given_faults *given, const bks_lab_timed *pause)
{
    for (uint32_t i = 0; i < given->count; i++) {
        const bks_lab_timed *fault = &given->faults[i];
        if (is_for_good(fault) && fault->peer == pause->peer) {
            return true;
        }
    }
    return false;
}

/// Return the time by which the others drop peers that fell silent for good at `at_ns`. The last
/// packet of such a peer may come by a detour. A peer that stands still does not notice a silence,
/// and a pause of the match may excuse it.
static uint64_t dropped_at(const given_faults *given, uint64_t at_ns)
{
    uint64_t over_ns = at_ns + dropped_after_ns(given) +
                       2 * (given->terms.late_ns + late_by(given->faults, given->count));
    for (uint32_t i = 0; i < given->count; i++) {
        const bks_lab_timed *fault = &given->faults[i];
        const bool is_agreed = fault->kind == BKS_LAB_PAUSE_GAME;
        const uint64_t end_ns =
            fault->at_ns + fault->span_ns + (is_agreed ? AGREED_NS + 2 * given->terms.late_ns : 0);
        if ((is_agreed || fault->kind == BKS_LAB_PAUSE) && end_ns > at_ns) {
            over_ns += fault->span_ns;
            over_ns += is_agreed && loses_pauser(given, fault)
                           ? dropped_after_ns(given) + 2 * AGREED_NS
                           : 0;
        }
    }
    return over_ns;
}

/// Return the time at which the others can play at full rate again after a fault. If a peer
/// crashed, left or is cut off for good, the others wait until they have dropped it.
static uint64_t over_at(const given_faults *given, const bks_lab_timed *fault)
{
    if (is_for_good(fault)) {
        return dropped_at(given, fault->at_ns + fault->span_ns);
    }
    if (is_endless(given, fault)) {
        return silences(given, fault) ? dropped_at(given, fault->at_ns) : fault->at_ns;
    }
    const bool is_agreed = fault->kind == BKS_LAB_PAUSE_GAME || fault->kind == BKS_LAB_SPEED;
    const uint64_t agreed_ns = AGREED_NS + 2 * given->terms.late_ns;
    return fault->at_ns + fault->span_ns + (is_agreed ? agreed_ns : 0);
}

/// Return true if a fault keeps one of two peers from sending to the other.
static bool mutes(const bks_lab_timed *fault, uint32_t a, uint32_t b)
{
    return a != b && fault->kind == BKS_LAB_FULL && (fault->peer == a || fault->peer == b);
}

static void note_apart(const given_faults *given, const bks_lab_timed *fault,
                       bks_lab_expectation *out)
{
    for (uint32_t a = 0; a < given->terms.peers; a++) {
        for (uint32_t b = 0; b < given->terms.peers; b++) {
            const bool keeps_apart = parts(fault, a, b) || mutes(fault, a, b);
            out->apart[a] |= is_endless(given, fault) && keeps_apart ? 1u << b : 0;
        }
    }
}

static bks_lab_expectation expect(const given_faults *given)
{
    bks_lab_expectation out = {0};
    uint32_t forgers = 0;
    for (uint32_t i = 0; i < given->count; i++) {
        const bks_lab_timed *fault = &given->faults[i];
        const uint64_t over_ns = over_at(given, fault);
        out.has_heal |= fault->kind == BKS_LAB_HEAL;
        out.may_part |= fault->kind == BKS_LAB_CRASH;
        out.leavers |= is_for_good(fault) && fault->kind != BKS_LAB_CRASH ? 1u << fault->peer : 0;
        forgers |= fault->kind == BKS_LAB_FORGE ? 1u << fault->peer : 0;
        out.over_ns = over_ns > out.over_ns ? over_ns : out.over_ns;
        out.silence_ns += silences(given, fault) ? fault->span_ns : 0;
        note_apart(given, fault, &out);
    }
    out.may_part |= (double)out.silence_ns > SILENCE_SHARE * (double)given->terms.drop_after_ns;
    // A forger may have other peers dropped if some were silent for a while, or have left.
    out.may_part |= forgers != 0 && (out.silence_ns > 0 || out.leavers != forgers);
    return out;
}

static bks_status check(const given_faults *given)
{
    if (given->terms.peers < 1 || given->terms.peers > BKS_PEERS_MAX ||
        given->count > BKS_LAB_TIMED_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, CALL, "peers",
                         "%u peers and a count of %u, must be 1..%d peers and at most %d faults",
                         given->terms.peers, given->count, BKS_PEERS_MAX, BKS_LAB_TIMED_MAX);
    }
    if (given->terms.drop_after_ns == 0) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, CALL, "terms",
                         "terms->drop_after_ns is 0, must be above 0");
    }
    for (uint32_t i = 0; i < given->count; i++) {
        if (given->faults[i].peer >= BKS_PEERS_MAX || given->faults[i].other >= BKS_PEERS_MAX) {
            return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, CALL, "faults",
                             "faults[%u] names peers %u and %u, must be 0..%d", i,
                             given->faults[i].peer, given->faults[i].other, BKS_PEERS_MAX - 1);
        }
    }
    return BKS_OK;
}

bks_status bks_lab_expect(const bks_lab_timed *faults, uint32_t count, const bks_lab_terms *terms,
                          bks_lab_expectation *out)
{
    if (out == NULL || terms == NULL || (faults == NULL && count > 0)) {
        return bksi_fail_null(NULL, CALL, out == NULL ? "out" : terms == NULL ? "terms" : "faults");
    }
    const given_faults given = {faults, count, *terms};
    const bks_status status = check(&given);
    if (status == BKS_OK) {
        *out = expect(&given);
    }
    return status;
}

void bksi_oracle_fail(bks_oracle_verdict *verdict, bks_oracle_kind kind, bks_tick tick,
                      const char *format, ...)
{
    if (kind <= verdict->kind) {
        return;
    }
    verdict->kind = kind;
    verdict->tick = tick;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(verdict->why, sizeof(verdict->why), format, arguments);
    va_end(arguments);
}
