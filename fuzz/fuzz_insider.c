// SPDX-License-Identifier: MIT

// Four peers play after a real handshake. One of them, the liar, is hostile: it sends messages of
// all types, well formed and not, changes and withholds its own, and falls asleep. One honest peer
// may crash, others may pause for less than half of the silence that is allowed, and honest pairs
// may be cut. At the end the liar is silenced. 2 s after the liar is dropped the honest peers must
// be in one view and play at full rate. No honest peer may blame another, or hold inputs of another
// honest peer that were not sampled there. The inputs of the liar may differ, as it may equivocate.
//
// The liar may claim that states differ, call meetings, state anything in a meeting, answer the
// questions of a meeting, and announce a stop of the match. The honest peers then stop at one tick
// or play on, unless the liar may be their host. As long as most peers are honest, no honest peer
// takes a byte of the liar's state. If peers sleep for longer and the liar is the lowest peer
// awake, it may have them dropped, and others with them. The honest peers that still play must then
// be in one view. In a fifth of the matches the game has commands; the liar makes up some, too.
//
// The input: one byte of config (who lies, what happens in the network), then records. A record is
// an operation (4 bits) with an argument (4 bits) and its own bytes, see play(). At the end the
// target prints how often runs reached code of ballots, paths and runs of inputs. After many runs
// each counter must be above 0.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "command_claims.h"
#include "known_inputs.h"
#include "session/inside.h"
#include "session/toy_network.h"
#include "wire/small_messages.h"
#include "wire/view_messages.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#define PEERS         4u
#define DROP_MS       1100u
#define UNDER_WAY_MS  1200u
#define RECORDS_MAX   60u
#define TYPES         16u
#define COMMAND_BYTES 500u ///< largest command
#define MANY_RUNS     100u ///< number of runs that must reach everything

static toy_network network;
static bool is_counted; ///< -runs= was given: runs limited by time may be few and alike
static uint32_t liar;
static uint32_t crashed; ///< peer that crashed; PEERS: none
static uint32_t flipped; ///< peer whose state changed by itself; PEERS: none
static uint32_t slept;   ///< honest peers that the liar may have had dropped, as bits
static uint32_t choices; ///< bits of a match's first byte: see tune()
static bks_tick frozen_heads[PEERS][PEERS]; ///< heads at which a peer froze another; 0: not frozen
static const uint8_t *bytes_left;
static size_t count_left;

/// Newest message of each type that the liar's own session sent.
static struct {
    size_t count;
    uint8_t body[BKSI_BODY_BYTES_MAX];
} own[TYPES];

/// Counters of what the runs reached.
static struct {
    uint64_t runs, proposed, agreed, taken_back, closed, refused, entered, crashes, naps;
    uint64_t run_ticks, detours, carried, looks, named, not_named, stopped, stopping, dropped;
    uint64_t meetings, asked, ahead, wishes;
    told_commands told;
    uint64_t types[TYPES];
} reached;

static void must(bool condition, const char *what)
{
    if (!condition) {
        (void)fprintf(stderr, "fuzz_insider: %s\n", what);
        abort();
    }
}

static uint32_t take(void)
{
    if (count_left == 0) {
        return 0;
    }
    count_left--;
    return *bytes_left++;
}

static bks_session *session_of(uint32_t peer)
{
    return network.peers[peer].session;
}

static bool is_honest(uint32_t peer)
{
    return peer != liar && peer != crashed;
}

static bks_tick head_at(uint32_t peer, uint32_t about)
{
    return bksi_common_head(&session_of(peer)->common, about);
}

// ---- messages of the liar ----

static uint32_t take_victim(void)
{
    uint32_t victim = take() % (PEERS - 1);
    return victim >= liar ? victim + 1 : victim;
}

static void say(uint32_t victim, uint32_t type, const uint8_t *body, size_t count)
{
    reached.types[type % TYPES]++;
    inside_say(session_of(victim), network.now_ns, session_of(liar), type, body, count);
}

static bool have_commands(void)
{
    return choices % 5 == 0;
}

/// Return true if the liar may be the host: a host may drop others, and tell each another end.
static bool may_be_host(void)
{
    return liar == 0 || slept != 0;
}

static void say_view(uint32_t kind)
{
    uint32_t victim = take_victim();
    uint8_t body[BKSI_BODY_BYTES_MAX] = {0};
    bksi_bit_writer writer = bksi_bit_writer_over(body, sizeof(body));
    const session_ballots *ballots = &session_of(victim)->views.ballots;
    uint32_t peers = claim_peers(take, PEERS);
    if (kind == BKSI_VIEW_PROPOSE) {
        bksi_propose message = {.base = claim_a_view(session_of(victim), take),
                                .number = claim_a_number(session_of(victim), take, liar)};
        message.leavers = peers;
        message.dropped = take() < 128 || may_be_host() ? 0 : peers & claim_peers(take, PEERS);
        reached.dropped += message.dropped != 0;
        claim_heads(session_of(victim), take, peers, message.heads);
        bksi_propose_write(&writer, &message);
    } else if (kind == BKSI_VIEW_ANSWER) {
        bksi_answer message = {.base = claim_a_view(session_of(victim), take)};
        message.number = ballots->newest[victim].number + (peers > 14 ? 1 : 0);
        message.leavers = take() < 192 ? ballots->newest[victim].leavers : peers;
        message.frozen = message.leavers | (take() < 192 ? 0 : claim_peers(take, PEERS));
        message.stop = claim_a_stop(session_of(victim), take);
        message.speed = claim_a_speed(session_of(victim), take, may_be_host());
        claim_heads(session_of(victim), take, message.frozen, message.heads);
        bksi_answer_write(&writer, &message);
        EACH_PEER (i, message.leavers & (PEER_BIT(PEERS) - 1)) {
            claim_a_run(session_of(victim), take, i, &writer);
        }
    } else if (kind == BKSI_VIEW_COMMIT) {
        bksi_commit message = {.base = claim_a_view(session_of(victim), take), .leavers = peers};
        message.leavers = take() < 128 ? ballots->newest[liar].leavers : peers;
        message.stop = claim_a_stop(session_of(victim), take);
        message.speed = claim_a_speed(session_of(victim), take, may_be_host());
        claim_heads(session_of(victim), take, message.leavers, message.ends);
        bksi_commit_write(&writer, &message);
        EACH_PEER (i, message.leavers & (PEER_BIT(PEERS) - 1)) {
            claim_a_run(session_of(victim), take, i, &writer);
        }
    } else {
        const bksi_gone message = claim_a_log(session_of(victim), take, victim, PEERS);
        bksi_gone_write(&writer, &message);
    }
    say(victim, BKSI_PACKET_VIEW, body, bksi_bit_writer_bytes(&writer));
}

/// Send an INPUT with any claims in its head and inputs of the liar that repeat its last one.
static void say_input(void)
{
    uint32_t victim = take_victim();
    bksi_input_head head = {.head = head_at(victim, liar) + claim_a_distance(take),
                            .need = head_at(victim, victim) - claim_a_distance(take),
                            .hash.tick = BKS_TICK_NONE};
    head.standing.stop = claim_a_stop(session_of(victim), take);
    head.standing.speed = claim_a_speed(session_of(victim), take, may_be_host());
    if (take() < 64) {
        head.standing.wish = claim_a_wish(take);
        reached.wishes++;
    }
    head.standing.view_hash =
        bksi_membership_name(&session_of(victim)->common.membership, head.standing.view).hash;
    head.first = head.head - (bks_tick)(take() % 64);
    head.count = take() % 64;
    if (take() > 128) {
        head.hash.kind = BKSI_HASH_SHORT + take() % 2;
        head.hash.tick = bks_session_published(session_of(victim)) - (bks_tick)(take() % 8);
        head.hash.state = take();
    }
    if (head.head < 0 || head.need < 0 || head.first < 0 || head.hash.tick < BKS_TICK_NONE) {
        return;
    }
    if (head.count > (uint32_t)(head.head - head.first)) {
        head.count = (uint32_t)(head.head - head.first);
    }
    uint8_t body[BKSI_BODY_BYTES_MAX];
    say(victim, BKSI_PACKET_INPUT, body, inside_input(&head, body));
}

static void say_small(uint32_t kind)
{
    uint32_t victim = take_victim();
    uint8_t body[BKSI_BODY_BYTES_MAX] = {0};
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    if (kind == 0) {
        bksi_bye_write(&writer, (bksi_bye)(take() % 3));
        say(victim, BKSI_PACKET_BYE, body, writer.at);
    } else if (kind == 1) {
        bksi_slow_write(&writer, take() * 256 + take());
        say(victim, BKSI_PACKET_SLOW, body, writer.at);
    } else {
        say(victim, BKSI_PACKET_HASHES, body, claim_some_hashes(session_of(victim), take, body));
    }
}

/// Send made-up commands, or bytes of the lane and then ticks that may take them.
static void say_commands(bool is_lane)
{
    tell_made_up_commands(session_of(take_victim()), session_of(liar), take, is_lane,
                          &reached.told);
}

/// Return true if the liar may send GONE: with a dead peer it could claim to be the larger side of
/// a split.
static bool may_say_gone(void)
{
    return crashed == PEERS && slept == 0;
}

/// Send any bytes as a message, or the liar's newest message of a type with some bytes changed.
static void say_raw(uint32_t type, bool is_own)
{
    uint32_t victim = take_victim();
    uint8_t body[BKSI_BODY_BYTES_MAX] = {0};
    size_t count = is_own ? own[type].count : take() % 64;
    if (is_own) {
        memcpy(body, own[type].body, count);
    }
    uint32_t changes = is_own ? take() % 4 : (uint32_t)count;
    for (uint32_t i = 0; i < changes; i++) {
        size_t at = is_own ? take() % (count > 0 ? count : 1) : i;
        body[at] = (uint8_t)take();
    }
    bool is_gone = type == BKSI_PACKET_VIEW && body[0] == BKSI_VIEW_GONE;
    if (type != 0 && (count > 0 || !is_own) && (!is_gone || may_say_gone())) {
        say(victim, type, body, count);
    }
}

// ---- events in the network ----

/// Remember the liar's own messages. Every packet passes here, and none is lost.
static bool overhear(const toy_network *on, uint32_t from, uint32_t to, const uint8_t *bytes,
                     size_t count)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    size_t body_bytes = 0;
    if (from != liar) {
        return false;
    }
    uint32_t type = inside_read(on->peers[to].session, bytes, count, body, &body_bytes);
    if (type != 0) {
        memcpy(own[type].body, body, body_bytes);
        own[type].count = body_bytes;
    }
    return false;
}

/// Count the inputs of frozen peers that one peer received: they come by ballots alone.
static void note_frozen(uint32_t index)
{
    const session_membership *membership = &session_of(index)->common.membership;
    bks_tick *before = frozen_heads[index];
    for (uint32_t i = 0; i < PEERS; i++) {
        const bks_tick end = bksi_membership_end(membership, i);
        const bks_tick head = end != BKS_TICK_NONE ? end : head_at(index, i);
        const bool is_frozen = bksi_membership_is_frozen(membership, i);
        const bool is_back = end == BKS_TICK_NONE && !is_frozen;
        if (before[i] != 0 && !is_back && head > before[i]) {
            reached.run_ticks += (uint64_t)(head - before[i]);
        }
        reached.taken_back += before[i] != 0 && is_back ? 1 : 0;
        before[i] = is_frozen ? head : 0;
    }
}

static void note_what_is_reached(void)
{
    for (uint32_t i = 0; i < PEERS; i++) {
        const bks_session *session = session_of(i);
        const session_ballots *ballots = &session->views.ballots;
        if (!is_honest(i)) {
            continue;
        }
        reached.proposed += ballots->newest[i].leavers != 0;
        reached.agreed += ballots->newest[liar].leavers != 0;
        reached.refused += ballots->newest[liar].number != 0 && ballots->newest[liar].leavers == 0;
        reached.closed += ballots->closed != 0;
        reached.detours += session->routes.detours != 0;
        reached.meetings += session->meeting.is_on;
        reached.asked += session->meeting.is_on && session->fetch.stage == FETCH_ASKS;
        note_frozen(i);
    }
}

static void note_what_was_compared(void)
{
    for (uint32_t i = 0; i < PEERS; i++) {
        bks_difference found;
        const toy_peer *peer = &network.peers[i];
        if (!is_honest(i)) {
            continue;
        }
        reached.looks += peer->look_ops;
        reached.stopping += peer->events[BKS_EVENT_STOPPING];
        if (bks_session_difference(session_of(i), &found) == BKS_OK) {
            reached.named += found.is_named;
            reached.not_named += !found.is_named;
        }
    }
}

static void run_ms(uint32_t ms)
{
    for (uint32_t done = 0; done < ms; done += 50) {
        toy_run_until(&network, network.now_ns + 50 * TOY_MS);
        note_what_is_reached();
    }
}

/// Return the n-th peer that does not lie, modulo their number.
static uint32_t nth_honest(uint32_t n)
{
    uint32_t index = n % (PEERS - 1);
    return index >= liar ? index + 1 : index;
}

/// Return true if the match repairs states that differ.
static bool does_repair(void)
{
    return (choices & 16) != 0 && (choices & 4) != 0;
}

static void say_compare(uint32_t victim,
                        size_t (*claim)(const bks_session *, uint32_t (*)(void), uint8_t *),
                        uint32_t type)
{
    uint8_t body[BKSI_BODY_BYTES_MAX] = {0};
    const size_t count = claim(session_of(victim), take, body);
    if (count > 0) {
        say(victim, type, body, count);
    }
}

/// Let the liar claim a difference, then ask, answer and meet a few times.
static void say_what_differs(void)
{
    const uint32_t victim = take_victim();
    say_compare(victim, claim_a_difference, BKSI_PACKET_HASHES);
    for (uint32_t i = take() % 8; i > 0; i--) {
        run_ms(50);
        const uint32_t what = take();
        if (what < 64 && does_repair()) {
            say_compare(victim, claim_a_meeting, BKSI_PACKET_MEET);
        } else {
            say_compare(victim, what < 192 ? claim_an_answer : claim_a_question,
                        BKSI_PACKET_COMPARE);
        }
    }
}

/// Let the liar meet with all peers at once. The state of one of them may differ.
static void say_meetings(uint32_t how)
{
    if ((how & 8) != 0 && flipped == PEERS && is_honest(nth_honest(how))) {
        flipped = nth_honest(how);
        network.peers[flipped].flip_tick = bks_session_confirmed(session_of(flipped)) + 8;
        run_ms(100 + 50 * (how & 4));
    }
    for (uint32_t i = 0; i <= how % 4; i++) {
        for (uint32_t n = 0; n + 1 < PEERS; n++) {
            say_compare(nth_honest(n), claim_a_meeting, BKSI_PACKET_MEET);
        }
        run_ms(50);
        say_compare(nth_honest(how), claim_an_answer, BKSI_PACKET_COMPARE);
    }
}

static void set_cuts(uint32_t from, uint32_t to, bool is_cut)
{
    network.cut[from] = (network.cut[from] & ~PEER_BIT(to)) | (is_cut ? PEER_BIT(to) : 0);
}

static void mend_pairs(void)
{
    for (uint32_t i = 0; i < PEERS; i++) {
        network.cut[i] &= i == liar ? ~0u : PEER_BIT(liar);
    }
}

/// Cut a pair of honest peers in one or both directions, and mend all other pairs. No pair is cut
/// once another honest peer may be gone, because the third one must reach both.
static void cut_pair(uint32_t how)
{
    const uint32_t one = nth_honest(how);
    const uint32_t other = nth_honest(how + 1);
    mend_pairs();
    if (crashed == PEERS && slept == 0 && how < 12) {
        set_cuts(one, other, how / 3 != 1);
        set_cuts(other, one, how / 3 != 2);
    }
}

/// Return true if an honest peer may crash. It may not if the liar would be the lowest peer left,
/// because the lowest may then have others dropped, as if they did not answer.
static bool may_crash(uint32_t victim)
{
    uint32_t lowest = victim == 0 ? 1 : 0;
    return crashed == PEERS && victim != liar && lowest < liar;
}

static void crash(uint32_t argument)
{
    uint32_t victim = argument % PEERS;
    if (may_crash(victim)) {
        mend_pairs();
        crashed = victim;
        network.peers[victim].is_frozen = true;
        reached.crashes++;
    }
}

/// Let a peer crash while one of the others lacks its last inputs. The liar's session sends no
/// messages about views from then on.
static void crash_unheard(uint32_t how)
{
    const uint32_t victim = how % PEERS;
    const uint32_t deaf = nth_honest(how / PEERS);
    if (!may_crash(victim)) {
        return;
    }
    mend_pairs();
    set_cuts(victim, deaf, deaf != victim);
    run_ms(50);
    crash(victim);
    network.lost_types[liar] |= 1u << BKSI_PACKET_VIEW;
    run_ms(DROP_MS + 50 * (take() % 4));
}

/// Let all peers lower than the liar sleep, or another one if the liar is the lowest. They sleep
/// for so long that the others may drop them, but need not. Meanwhile the liar proposes to drop
/// them.
static void sleep_long(uint32_t how)
{
    uint32_t sleepers = liar > 0 ? PEER_BIT(liar) - 1 : PEER_BIT(1 + how % (PEERS - 1));
    if (crashed != PEERS) {
        return;
    }
    mend_pairs();
    slept |= sleepers;
    reached.naps++;
    EACH_PEER (i, sleepers) {
        network.peers[i].is_frozen = true;
    }
    run_ms(DROP_MS / 2 + 50);
    EACH_PEER (victim, (PEER_BIT(PEERS) - 1) & ~sleepers & ~PEER_BIT(liar)) {
        uint8_t body[BKSI_BODY_BYTES_MAX] = {0};
        const size_t count = claim_that_some_left(session_of(victim), liar, sleepers, body);
        if (count > 0) {
            say(victim, BKSI_PACKET_VIEW, body, count);
        }
    }
    if ((how & 8) != 0) {
        say_view(BKSI_VIEW_COMMIT);
    }
    run_ms(DROP_MS / 4);
    EACH_PEER (i, sleepers) {
        network.peers[i].is_frozen = false;
    }
    run_ms(100);
}

static void pause_one(uint32_t argument)
{
    uint32_t victim = argument % PEERS;
    if (is_honest(victim)) {
        network.peers[victim].is_frozen = true;
        run_ms(50 + 50 * (argument / PEERS));
        network.peers[victim].is_frozen = false;
        run_ms(200);
    }
}

/// Carry out a record that only eventful matches have.
/// @return false: the operation is none of these records
static bool play_more(uint32_t what, uint32_t how)
{
    if (what == 1) {
        cut_pair(how);
    } else if (what == 3) {
        sleep_long(how);
    } else if (what == 5) {
        crash_unheard(how);
    } else if (what == 8) {
        say_what_differs();
    } else if (what == 9 && does_repair()) {
        say_meetings(how);
    }
    return what == 1 || what == 3 || what == 5 || what == 8 || (what == 9 && does_repair());
}

/// Carry out one record: the operation (4 bits) and its argument (4 bits).
static void play(bool is_more)
{
    uint32_t record = take();
    uint32_t how = record >> 4;
    if (is_more && play_more(record & 15, how)) {
        return;
    }
    if (have_commands() && how >= 4 && (record & 14) == 8) {
        say_commands((record & 1) != 0);
        return;
    }
    switch (record & 15) {
    case 0:
    case 1:
        run_ms(50 + how * how * 10);
        break;
    case 2:
    case 3:
        say_view(BKSI_VIEW_PROPOSE);
        break;
    case 4:
    case 5:
        say_view(BKSI_VIEW_ANSWER);
        break;
    case 6:
        say_view(BKSI_VIEW_COMMIT);
        break;
    case 7:
        if (may_say_gone()) {
            say_view(BKSI_VIEW_GONE);
        }
        break;
    case 8:
        say_input();
        break;
    case 9:
        say_small(how % 3);
        break;
    case 10:
        say_raw(how, false);
        break;
    case 11:
        say_raw(how, true);
        break;
    case 12: // the liar's session stops sending a type, or starts again
        network.lost_types[liar] ^= how != 0 ? 1u << how : 0;
        break;
    case 13:
        network.cut[liar] = how;
        break;
    case 14:
        crash(how);
        break;
    default:
        pause_one(how);
        break;
    }
}

// ---- checks ----

/// Return true if two peers have different inputs of a third, or if that is no longer known.
static bool do_differ_about(uint32_t a, uint32_t b, uint32_t about)
{
    const uint32_t player = session_of(a)->common.seats.peers[about].first_player;
    const bks_tick head =
        head_at(a, about) < head_at(b, about) ? head_at(a, about) : head_at(b, about);
    return compare_known_inputs(&session_of(a)->common, &session_of(b)->common, player, head,
                                &reached.ahead) != KNOWN_SAME;
}

/// Return true if one of two honest peers may report that the other differs: its state changed, or
/// they hold different inputs of the liar or of the crashed peer.
static bool may_blame(uint32_t a, uint32_t b)
{
    return a == flipped || b == flipped || do_differ_about(a, b, liar) ||
           (crashed != PEERS && do_differ_about(a, b, crashed));
}

static void check_blame(void)
{
    const bool have_most = !may_be_host() && crashed == PEERS && flipped == PEERS;
    for (uint32_t i = 0; i < PEERS; i++) {
        must(!is_honest(i) || !have_most || network.peers[i].restore_ops == 0,
             "an honest peer took the state of the liar");
        for (uint32_t k = 0; k < PEERS; k++) {
            bool does_blame = (network.peers[i].desynced_from >> k & 1) != 0;
            must(!does_blame || !is_honest(i) || !is_honest(k) || may_blame(i, k),
                 "an honest peer blames another");
        }
    }
}

/// Check that every input a peer holds was sampled by its owner.
static void check_mouths(void)
{
    for (uint32_t i = 0; i < PEERS; i++) {
        for (uint32_t k = 0; k < PEERS; k++) {
            if (i == k || !is_honest(i) || !is_honest(k)) {
                continue;
            }
            const session_common *common = &session_of(i)->common;
            const uint32_t player = session_of(k)->common.seats.peers[k].first_player;
            if (bksi_membership_end(&common->membership, k) != BKS_TICK_NONE) {
                continue;
            }
            must(head_at(i, k) <= head_at(k, k), "a peer has inputs of another from the future");
            must(compare_known_inputs(common, &session_of(k)->common, player, head_at(i, k),
                                      &reached.ahead) != KNOWN_DIFFER,
                 "a peer has inputs of another that this one did not sample");
        }
    }
}

/// Return true if the match stopped for all peers at one tick.
static bool have_stopped(void)
{
    bks_tick end = 0;
    uint32_t still = 0;
    bool is_stopping = false; // an honest peer knows the tick of the stop, about a second early
    for (uint32_t i = 0; i < PEERS; i++) {
        is_stopping |= is_honest(i) && session_of(i)->common.ending.tick > 0;
    }
    run_ms(is_stopping ? 2000 : 0);
    for (uint32_t i = 0; i < PEERS; i++) {
        const bool has_ended = bks_session_phase(session_of(i)) == BKS_PHASE_ENDED;
        if (is_honest(i) && has_ended) {
            end = end == 0 ? bks_session_tick(session_of(i)) : end;
            must(bks_session_tick(session_of(i)) == end, "honest peers stopped at different ticks");
        }
        still += is_honest(i) && !has_ended;
    }
    must(end == 0 || still == 0, "an honest peer stopped, another did not");
    reached.stopped += end > 0;
    return end > 0;
}

/// Return the honest peers that play, as bits. All must, unless the liar may have had peers
/// dropped.
static uint32_t find_playing(void)
{
    uint32_t playing = 0;
    for (uint32_t i = 0; i < PEERS; i++) {
        const bks_phase phase = bks_session_phase(session_of(i));
        playing |= is_honest(i) && phase == BKS_PHASE_RUNNING ? PEER_BIT(i) : 0;
        must(!is_honest(i) || slept != 0 || phase == BKS_PHASE_RUNNING,
             "an honest peer has stopped");
    }
    must(playing != 0, "no honest peer plays");
    return playing;
}

static void check_that_they_play(void)
{
    bks_tick before[PEERS];
    for (uint32_t i = 0; i < PEERS; i++) {
        before[i] = bks_session_confirmed(session_of(i));
    }
    run_ms(1000);
    const uint32_t playing = find_playing();
    EACH_PEER (i, playing) {
        must((playing & ~bksi_common_members(&session_of(i)->common)) == 0,
             "an honest peer is out of another's view");
        must(bks_session_confirmed(session_of(i)) >= before[i] + 54,
             "an honest peer is not at full rate");
        must(!session_of(i)->common.game_speed.decision.is_paused,
             "an honest peer took a pause from a guest");
        reached.entered += session_of(i)->common.membership.view;
    }
    for (uint32_t i = 0; i < PEERS; i++) {
        bks_stats stats;
        bool has_stats = bks_session_stats(session_of(i), &stats) == BKS_OK;
        reached.carried += is_honest(i) && has_stats ? stats.relayed : 0;
    }
}

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = 0;
    config->command_bytes_max = have_commands() ? COMMAND_BYTES : 0;
    config->tuning.notify_after_ms = 200;
    config->tuning.drop_after_ms = DROP_MS;
    config->tuning.guest_pauses = 0;
    config->tuning.keep_ticks = (choices & 32) != 0 ? 2 : 64;
    config->tuning.hash_every_ticks = (choices & 32) != 0 ? 30 : 1;
    config->tuning.on_desync = does_repair()         ? BKS_ON_DESYNC_RESYNC
                               : (choices & 16) != 0 ? BKS_ON_DESYNC_STOP
                                                     : BKS_ON_DESYNC_REPORT;
}

static void print_reached(void)
{
    const struct {
        const char *what;
        uint64_t count;
    } counts[] = {
        {"moments with a ballot", reached.proposed},
        {"with one of the liar's that is agreed to", reached.agreed},
        {"with one of its that is not", reached.refused},
        {"peers taken back", reached.taken_back},
        {"moments with a closed ballot", reached.closed},
        {"inputs by ballots", reached.run_ticks},
        {"views", reached.entered},
        {"crashes", reached.crashes},
        {"long sleeps", reached.naps},
        {"moments with a detour", reached.detours},
        {"packets carried", reached.carried},
        {"looks at states", reached.looks},
        {"differences with a name", reached.named},
        {"without one", reached.not_named},
        {"peers that heard of a stop", reached.stopping},
        {"matches that stopped", reached.stopped},
        {"claims to drop", reached.dropped},
        {"wishes", reached.wishes},
        {"moments in a meeting", reached.meetings},
        {"moments in which a state is fetched", reached.asked},
        {"ticks whose commands travelled ahead", reached.ahead},
        {"ticks with made-up commands", reached.told.ticks},
        {"liars found by their commands", reached.told.found},
        {"made-up bytes of lanes", reached.told.lane_bytes},
        {"bytes of lanes for made-up ticks", reached.told.lane_taken},
    };
    (void)printf("insider: %llu runs", (unsigned long long)reached.runs);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        (void)printf("%s %s %llu", i % 4 == 0 ? "\n " : ",", counts[i].what,
                     (unsigned long long)counts[i].count);
    }
    (void)printf("\nmessages by type:");
    for (uint32_t i = 1; i < TYPES; i++) {
        (void)printf(" %u: %llu", i, (unsigned long long)reached.types[i]);
    }
    (void)printf("\n");
    (void)fflush(stdout);
    const bool are_many = is_counted && reached.runs >= MANY_RUNS;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]) && are_many; i++) {
        must(counts[i].count > 0, counts[i].what);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    for (int i = 1; i < *argc; i++) {
        is_counted |= strncmp((*argv)[i], "-runs=", 6) == 0;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (reached.runs++ == 0) {
        (void)atexit(print_reached);
    }
    bytes_left = bytes;
    count_left = count;
    uint32_t config = take();
    liar = config % PEERS;
    crashed = flipped = PEERS;
    slept = 0;
    choices = config;
    memset(frozen_heads, 0, sizeof(frozen_heads));
    memset(own, 0, sizeof(own));
    toy_create(&network, PEERS, 1 + config, tune);
    network.loses = overhear;
    network.delay_ns = (1 + (config >> 2 & 3) * 15) * TOY_MS;
    toy_run_until(&network, (config & 128) != 0 ? 0 : UNDER_WAY_MS * TOY_MS);
    for (uint32_t i = 0; i < RECORDS_MAX && count_left > 0; i++) {
        give_burst(session_of(i % PEERS), have_commands() ? COMMAND_BYTES : 0);
        play((config & 64) != 0);
    }
    mend_pairs(); // before the liar falls silent: routes through it take about DROP_MS to mend
    run_ms(300);
    network.peers[liar].is_frozen = true;
    run_ms(DROP_MS + 2000);
    check_blame();
    check_mouths();
    note_what_was_compared();
    if ((config & 128) == 0 && !((choices & 16) != 0 && (may_be_host() || have_stopped()))) {
        check_that_they_play();
        check_blame();
    }
    toy_destroy(&network);
    return 0;
}
