// SPDX-License-Identifier: MIT

// The rules of the ballots, one at a time: one session among four gets packets made here, and its
// answers are read.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/bits.h"
#include "net/route.h"
#include "session/inside.h"
#include "session/toy_network.h"
#include "wire/carried.h"
#include "wire/input_message.h"
#include "wire/packet.h"
#include "wire/small_messages.h"
#include "wire/view_messages.h"

#define VICTIM  2u
#define DROP_MS 5000u

static toy_network network;

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = 0;
    config->tuning.drop_after_ms = DROP_MS;
}

/// Messages that the network loses when a test makes a peer's ballots and answers itself: a VIEW,
/// or the packet that carries it.
#define UNSAID (1u << BKSI_PACKET_VIEW | 1u << BKSI_PACKET_CARRIED)

/// Nothing of it arrives anywhere.
static void silence(uint32_t peer)
{
    network.cut[peer] = 0xFF;
}

static void silence_not(uint32_t peer)
{
    network.cut[peer] = 0;
}

/// Four peers in the midst of a match; 0 has been silent for most of what is allowed, and only we
/// hear the victim.
static void begin(void)
{
    toy_create(&network, 4, 1, tune);
    network.delay_ns = 10 * TOY_MS;
    toy_run_until(&network, 2000 * TOY_MS);
    network.peers[0].is_frozen = true;
    network.cut[VICTIM] = 15;
    network.lost_types[1] = network.lost_types[3] = 1u << BKSI_PACKET_VIEW; // tests make theirs
    toy_run_until(&network, (2000 + DROP_MS * 3 / 4) * TOY_MS);
}

static bks_session *victim(void)
{
    return network.peers[VICTIM].session;
}

static uint32_t view_of_victim(void)
{
    bks_roster roster;
    assert_int_equal(bks_session_roster(victim(), &roster), BKS_OK);
    return roster.view;
}

static bks_tick head_of(uint32_t peer)
{
    return bksi_common_head(&victim()->common, peer);
}

static bksi_view_name base(void)
{
    const session_membership *membership = &victim()->common.membership;
    return bksi_membership_name(membership, membership->view);
}

// ---- packets in ----

static void hand(uint32_t from, const bksi_bit_writer *body)
{
    inside_say(victim(), network.now_ns, network.peers[from].session, BKSI_PACKET_VIEW, body->bytes,
               bksi_bit_writer_bytes(body));
}

static void hand_propose(uint32_t from, uint32_t number, uint32_t leavers)
{
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
    bksi_propose message = {.base = base(), .number = number, .leavers = leavers};
    for (uint32_t i = 0; i < 4; i++) {
        message.heads[i] = 10000; // the proposer lacks nothing
    }
    bksi_propose_write(&writer, &message);
    hand(from, &writer);
}

static void write_empty_runs(bksi_bit_writer *writer, uint32_t leavers)
{
    for (; leavers != 0; leavers &= leavers - 1) {
        bksi_write_bits(writer, 0, 32 + 12 + 14);
    }
}

static void hand_commit(uint32_t from, uint32_t leavers, bks_tick end)
{
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
    bksi_commit message = {.base = base(), .members = 0xf & ~leavers, .leavers = leavers};
    for (uint32_t i = 0; i < 4; i++) {
        message.ends[i] = end;
    }
    bksi_commit_write(&writer, &message);
    write_empty_runs(&writer, leavers);
    hand(from, &writer);
}

static void hand_answer(uint32_t from, const bksi_answer *answer)
{
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
    bksi_answer_write(&writer, answer);
    write_empty_runs(&writer, answer->leavers);
    hand(from, &writer);
}

// ---- packets out ----

/// Return true if a packet holds a VIEW for a peer, which may be carried.
static bool holds_view(const toy_packet *packet, uint32_t to, uint8_t *body, size_t *count)
{
    uint8_t outer[BKSI_BODY_BYTES_MAX];
    size_t outer_count = 0;
    uint32_t type = inside_read(network.peers[packet->to].session, packet->bytes, packet->count,
                                outer, &outer_count);
    bksi_byte_reader reader = bksi_byte_reader_over(outer, outer_count);
    bksi_carried_piece piece = {.is_own = true, .type = type, .bytes = outer, .count = outer_count};
    while (type != BKSI_PACKET_CARRIED || bksi_carried_read(&reader, &piece)) {
        bksi_routed routed;
        if (piece.is_own && piece.type == BKSI_PACKET_VIEW && packet->to == to) {
            memcpy(body, piece.bytes, piece.count);
            *count = piece.count;
            return true;
        }
        if (!piece.is_own && bksi_routed_read(piece.route, 0xFF, &routed) && routed.target == to &&
            inside_read(network.peers[to].session, piece.bytes, piece.count, body, count) ==
                BKSI_PACKET_VIEW) {
            return true;
        }
        if (type != BKSI_PACKET_CARRIED) {
            break;
        }
    }
    return false;
}

/// The newest VIEW of a type that the victim sends within some time to a peer.
static bool sent(bksi_view_type wanted, uint32_t to, uint32_t ms, bksi_bit_reader *reader,
                 uint8_t copy[BKS_PACKET_BYTES_MAX])
{
    uint64_t from_serial = network.serial;
    bool is_found = false;
    for (uint32_t i = 0; i < ms; i++) {
        toy_run_until(&network, network.now_ns + TOY_MS);
        for (size_t k = 0; k < network.packet_count; k++) {
            const toy_packet *packet = &network.packets[k];
            uint8_t body[BKSI_BODY_BYTES_MAX];
            size_t count = 0;
            bksi_view_type type;
            if (packet->from != VICTIM || packet->serial < from_serial ||
                !holds_view(packet, to, body, &count)) {
                continue;
            }
            bksi_bit_reader view = bksi_bit_reader_over(body, count);
            if (!bksi_view_type_read(&view, &type) || type != wanted) {
                continue;
            }
            memcpy(copy, body, count);
            view.bytes = copy;
            *reader = view;
            is_found = true;
        }
    }
    return is_found;
}

static bool answered(uint32_t to, bksi_answer *answer)
{
    uint8_t copy[BKS_PACKET_BYTES_MAX];
    bksi_bit_reader reader;
    return sent(BKSI_VIEW_ANSWER, to, 30, &reader, copy) && bksi_answer_read(&reader, answer);
}

static bool proposed(uint32_t to, uint32_t ms, bksi_propose *propose)
{
    uint8_t copy[BKS_PACKET_BYTES_MAX];
    bksi_bit_reader reader;
    return sent(BKSI_VIEW_PROPOSE, to, ms, &reader, copy) && bksi_propose_read(&reader, propose);
}

// ---- the rules ----

static void a_proposers_newest_ballot_alone_counts(void **context)
{
    (void)context;
    begin();
    bksi_answer answer;
    hand_propose(1, 2, 1);
    assert_true(answered(1, &answer));
    assert_int_equal(answer.number, 2);
    assert_int_equal(answer.leavers, 1);
    hand_propose(1, 1, 1u << 3); // an older ballot that came late
    assert_true(answered(1, &answer));
    assert_int_equal(answer.number, 2);
    assert_int_equal(answer.leavers, 1);
    // Another's has a number of its own.
    hand_propose(3, 1, 1);
    assert_true(answered(3, &answer));
    assert_int_equal(answer.number, 1);
    assert_int_equal(answer.leavers, 0); // this peer may not propose the ballot
    hand_propose(1, 2, 1);
    assert_true(answered(1, &answer));
    assert_int_equal(answer.number, 2);
    toy_destroy(&network);
}

static void an_answer_carries_how_far_the_inputs_go_and_freezes_them(void **context)
{
    (void)context;
    begin();
    network.peers[0].is_frozen = false; // the leaver lives after all, but too late
    bksi_answer first;
    hand_propose(1, 1, 1);
    assert_true(answered(1, &first));
    assert_int_equal(first.frozen, 1);
    assert_in_range(first.heads[0], 60, 200);
    toy_run_until(&network, network.now_ns + 200 * TOY_MS);
    bksi_answer later;
    hand_propose(1, 1, 1);
    assert_true(answered(1, &later));
    assert_int_equal(later.heads[0], first.heads[0]);
    hand_propose(1, 2, 0);
    assert_true(answered(1, &later));
    assert_int_equal(later.number, 2);
    assert_int_equal(later.leavers, 0);
    assert_int_equal(later.frozen, 0);
    toy_run_until(&network, network.now_ns + 200 * TOY_MS);
    assert_true(head_of(0) > first.heads[0]);
    toy_destroy(&network);
}

static void a_peer_that_two_proposed_stays_frozen_until_both_take_it_back(void **context)
{
    (void)context;
    begin();
    network.peers[0].is_frozen = false;
    network.lost_types[0] = 1u << BKSI_PACKET_VIEW;
    silence(3);
    toy_run_until(&network, network.now_ns + DROP_MS * 3 / 4 * TOY_MS);
    bksi_answer answer;
    hand_propose(0, 1, 1u << 3);
    assert_true(answered(0, &answer));
    assert_int_equal(answer.leavers, 1u << 3);
    silence(0);
    toy_run_until(&network, network.now_ns + DROP_MS * 3 / 4 * TOY_MS);
    hand_propose(1, 1, 9);
    assert_true(answered(1, &answer));
    assert_int_equal(answer.frozen, 9);
    hand_propose(1, 2, 0);
    assert_true(answered(1, &answer));
    assert_int_equal(answer.frozen, 1u << 3);
    hand_propose(0, 2, 0);
    assert_true(answered(0, &answer));
    assert_int_equal(answer.frozen, 0);
    toy_destroy(&network);
}

static void a_peer_that_was_heard_a_moment_ago_is_not_let_go(void **context)
{
    (void)context;
    begin();
    bksi_answer answer;
    hand_propose(1, 1, 1 | 1u << 3);
    assert_true(answered(1, &answer));
    assert_int_equal(answer.number, 1); // known, but not agreed to
    assert_int_equal(answer.leavers, 0);
    assert_int_equal(answer.frozen, 0);
    hand_commit(1, 1u << 3, head_of(3));
    assert_int_equal(view_of_victim(), 0);
    toy_destroy(&network);
}

/// A live peer may leave a ballot unanswered, and of that we see nothing.
static void a_ballot_that_stood_for_long_may_name_more(void **context)
{
    (void)context;
    begin();
    bksi_answer answer;
    hand_propose(1, 1, 1);
    toy_run_until(&network, network.now_ns + (DROP_MS + 100) * TOY_MS);
    hand_propose(1, 2, 1 | 1u << 3);
    assert_true(answered(1, &answer));
    assert_int_equal(answer.leavers, 1 | 1u << 3);
    toy_destroy(&network);
}

static void a_leaver_neither_proposes_nor_commits(void **context)
{
    (void)context;
    begin();
    bksi_answer answer;
    silence(3);
    toy_run_until(&network, network.now_ns + DROP_MS * 3 / 4 * TOY_MS);
    hand_propose(1, 2, 9); // 0 and 3 are to go
    assert_true(answered(1, &answer));
    hand_propose(3, 9, 1);
    bksi_answer refusal; // says that it must go, and does not agree
    assert_true(answered(3, &refusal));
    assert_int_equal(refusal.frozen, 9);
    assert_int_equal(refusal.number, 9);
    assert_int_equal(refusal.leavers, 0);
    hand_commit(3, 1, answer.heads[0]);
    assert_int_equal(view_of_victim(), 0);
    hand_commit(1, 9, answer.heads[0] + 100); // the commit is agreed, but its inputs are missing
    assert_int_equal(view_of_victim(), 0);
    toy_destroy(&network);
}

static void a_commit_is_taken_once_all_inputs_before_the_end_are_here(void **context)
{
    (void)context;
    begin();
    bksi_answer answer;
    hand_propose(1, 1, 1);
    assert_true(answered(1, &answer));
    hand_commit(1, 1, answer.heads[0] + 1);
    assert_int_equal(view_of_victim(), 0);
    assert_true(answered(1, &answer)); // the victim reports at once what it lacks
    assert_int_equal(answer.frozen, 1);
    hand_commit(1, 1, answer.heads[0] - 1); // that would take back what is known
    assert_int_equal(view_of_victim(), 0);
    hand_commit(1, 1 | 1u << VICTIM, answer.heads[0]);
    assert_int_equal(view_of_victim(), 0);
    hand_commit(1, 1, answer.heads[0]);
    assert_int_equal(view_of_victim(), 1);
    hand_commit(1, 1, answer.heads[0]); // once more is once too late
    assert_int_equal(view_of_victim(), 1);
    toy_destroy(&network);
}

/// The peer is silent, so all would agree to it; but none was asked.
static void a_commit_counts_for_leavers_that_we_agreed_to_or_lost_ourselves(void **context)
{
    (void)context;
    begin();
    silence(3);
    hand_commit(1, 1u << 3, head_of(3));
    assert_int_equal(view_of_victim(), 0);
    // Peer 1, which hears no other, moves on alone at the same time, and soon says so.
    while (network.peers[VICTIM].last[BKS_EVENT_LOST].peer != 3) {
        toy_run_until(&network, network.now_ns + TOY_MS);
    }
    hand_commit(1, 1u << 3, head_of(3));
    assert_int_equal(view_of_victim(), 1);
    toy_destroy(&network);
}

/// Inputs of it may have come from others.
static void a_leaver_of_a_commit_does_not_come_back(void **context)
{
    (void)context;
    begin();
    bksi_answer answer;
    hand_propose(1, 1, 1);
    assert_true(answered(1, &answer));
    hand_commit(1, 1, answer.heads[0] + 1);
    hand_propose(1, 2, 0);
    assert_true(answered(1, &answer));
    assert_int_equal(answer.leavers, 0);
    assert_int_equal(answer.frozen, 1);
    toy_destroy(&network);
}

/// The victim becomes the host and begins a ballot, which no peer answers.
static void begin_own_ballot(uint32_t peers, bksi_propose *propose)
{
    toy_create(&network, peers, 1, tune);
    network.delay_ns = 10 * TOY_MS;
    toy_run_until(&network, 2000 * TOY_MS);
    network.peers[0].is_frozen = true;
    network.peers[1].is_frozen = true;
    toy_run_until(&network, (2000 + DROP_MS - 200) * TOY_MS);
    for (uint32_t i = 3; i < peers; i++) {
        network.lost_types[i] = UNSAID;
    }
    for (uint32_t i = 0; !proposed(3, 100, propose) || propose->leavers != 3; i++) {
        assert_true(i < 40);
    }
}

/// A peer agrees to the victim's ballot, with nothing new.
static bksi_answer agreement(const bksi_propose *propose)
{
    bksi_answer answer = {.base = propose->base,
                          .number = propose->number,
                          .leavers = propose->leavers,
                          .frozen = propose->leavers};
    memcpy(answer.heads, propose->heads, sizeof(answer.heads));
    return answer;
}

static void a_ballot_needs_the_answer_of_every_peer_that_stays(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(4, &propose);
    bksi_answer answer = agreement(&propose);
    answer.base = (bksi_view_name){1, 0};
    hand_answer(3, &answer); // an answer for another view
    assert_int_equal(view_of_victim(), 0);
    answer.base = base();
    answer.number--; // an answer to an earlier ballot
    hand_answer(3, &answer);
    assert_int_equal(view_of_victim(), 0);
    answer.number++;
    answer.leavers = 1;
    hand_answer(3, &answer);
    assert_int_equal(view_of_victim(), 0);
    answer.leavers = 3;
    hand_answer(0, &answer); // an answer from a leaver
    assert_int_equal(view_of_victim(), 0);
    hand_answer(3, &answer);
    assert_int_equal(view_of_victim(), 1);
    toy_destroy(&network);
}

static void one_answer_of_two_is_not_enough(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(5, &propose);
    bksi_answer answer = agreement(&propose);
    hand_answer(4, &answer);
    hand_answer(4, &answer);
    assert_int_equal(view_of_victim(), 0);
    hand_answer(3, &answer);
    assert_int_equal(view_of_victim(), 1);
    toy_destroy(&network);
}

static void inputs_that_the_host_lacks_hold_the_commit(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(4, &propose);
    bksi_answer answer = agreement(&propose);
    answer.heads[1]++;
    hand_answer(3, &answer);
    assert_int_equal(view_of_victim(), 0);
    // The victim asks again, and the inputs come.
    assert_true(proposed(3, 60, &propose));
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
    bksi_answer_write(&writer, &answer);
    write_empty_runs(&writer, 1);
    bksi_write_bits(&writer, (uint32_t)propose.heads[1], 32);
    bksi_write_bits(&writer, 1, 12);
    bksi_write_bits(&writer, 1, 14);
    bksi_write_bits(&writer, 0, 1); // as the one before
    hand(3, &writer);
    assert_int_equal(view_of_victim(), 1);
    bks_roster roster;
    assert_int_equal(bks_session_roster(victim(), &roster), BKS_OK);
    assert_int_equal(roster.end[0], propose.heads[0]);
    assert_int_equal(roster.end[1], propose.heads[1] + 1);
    toy_destroy(&network);
}

static void a_peer_that_owes_inputs_of_a_leaver_goes_too(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(5, &propose);
    bksi_answer answer = agreement(&propose);
    hand_answer(4, &answer);
    answer.heads[1]++;
    hand_answer(3, &answer);
    toy_run_until(&network, network.now_ns + (DROP_MS + 1000) * TOY_MS);
    assert_true(proposed(4, 100, &propose));
    assert_int_equal(propose.leavers, 11);
    answer = agreement(&propose);
    hand_answer(4, &answer);
    assert_int_equal(view_of_victim(), 1);
    toy_destroy(&network);
}

/// No peer sends inputs of a leaver until the last one agrees.
static void a_peer_may_send_inputs_of_a_leaver_for_a_while_after_all_agreed(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(5, &propose);
    bksi_answer answer = agreement(&propose);
    bksi_answer refusal = answer; // 4 hears a leaver
    refusal.leavers = 0;
    hand_answer(4, &refusal);
    answer.heads[1]++;
    hand_answer(3, &answer);
    toy_run_until(&network, network.now_ns + (DROP_MS + 2000) * TOY_MS);
    answer.heads[1]--;
    hand_answer(4, &answer);
    assert_true(proposed(3, 100, &propose));
    assert_int_equal(propose.leavers, 3); // 3 stays
    toy_run_until(&network, network.now_ns + DROP_MS * TOY_MS);
    assert_int_equal(view_of_victim(), 0);
    assert_true(proposed(3, 60, &propose));
    assert_int_equal(propose.leavers, 3);
    toy_run_until(&network, network.now_ns + 1000 * TOY_MS);
    assert_true(proposed(4, 100, &propose));
    assert_int_equal(propose.leavers, 11); // but not for ever
    toy_destroy(&network);
}

/// Nothing comes of inputs from others while a leaver may come back.
static void inputs_of_a_leaver_are_taken_once_all_agree(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(5, &propose);
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
    bksi_answer answer = agreement(&propose);
    answer.heads[0]++;
    bksi_answer_write(&writer, &answer);
    bksi_write_bits(&writer, (uint32_t)propose.heads[0], 32);
    bksi_write_bits(&writer, 1, 12);
    bksi_write_bits(&writer, 1, 14);
    bksi_write_bits(&writer, 0, 1);
    write_empty_runs(&writer, 2);
    hand(3, &writer);
    assert_int_equal(head_of(0), propose.heads[0]);
    bksi_answer other = agreement(&propose);
    hand_answer(4, &other);
    assert_int_equal(view_of_victim(), 0);
    hand(3, &writer);
    assert_int_equal(view_of_victim(), 1);
    assert_int_equal(bksi_membership_end(&victim()->common.membership, 0), propose.heads[0] + 1);
    toy_destroy(&network);
}

static void a_leaver_that_comes_back_is_taken_back(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(5, &propose);
    bksi_answer late = agreement(&propose);
    uint32_t number = propose.number;
    network.peers[1].is_frozen = false;
    network.lost_types[1] = UNSAID;
    assert_true(proposed(3, 100, &propose));
    assert_int_equal(propose.number, number + 1);
    assert_int_equal(propose.leavers, 0); // the lower one lives, so it is no longer for us to say
    hand_answer(3, &late);
    hand_answer(4, &late);
    assert_int_equal(view_of_victim(), 0);
    // Repeated until each knows it.
    bksi_answer known = {.base = base(), .number = number + 1};
    hand_answer(3, &known);
    bksi_propose again;
    toy_run_until(&network, network.now_ns + 20 * TOY_MS);
    assert_false(proposed(3, 200, &again));
    assert_true(proposed(4, 300, &again));
    toy_destroy(&network);
}

/// All agreed, and more inputs are on their way: those may be others' inventions.
static void what_all_agreed_to_is_not_taken_back(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(4, &propose);
    bksi_answer answer = agreement(&propose);
    answer.heads[1]++;
    hand_answer(3, &answer);
    uint32_t number = propose.number;
    network.peers[1].is_frozen = false;
    network.lost_types[1] = UNSAID;
    assert_true(proposed(3, 200, &propose));
    assert_int_equal(propose.number, number);
    assert_int_equal(propose.leavers, 3);
    toy_destroy(&network);
}

/// Two sides whose ballots had begun when they met again: each waits for the other to take it back.
static void a_peer_that_no_longer_takes_our_inputs_stays(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(5, &propose);
    bksi_answer answer = {.number = propose.number, .frozen = 3 | 1u << VICTIM};
    hand_answer(3, &answer);
    assert_true(proposed(4, 100, &propose));
    assert_int_equal(propose.leavers, 3);
    toy_destroy(&network);
}

static void a_peer_that_agrees_to_a_lower_ones_ballot_takes_its_own_back(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(4, &propose);
    bksi_answer answer = agreement(&propose);
    hand_propose(3, 1, 3); // a higher peer's: ours comes first
    bksi_answer other;
    assert_true(answered(3, &other));
    assert_int_equal(other.leavers, 0);
    hand_answer(3, &answer);
    assert_int_equal(view_of_victim(), 1);
    toy_destroy(&network);
}

static void what_a_lost_peer_had_us_agree_to_goes_with_it(void **context)
{
    (void)context;
    toy_create(&network, 5, 1, tune);
    network.delay_ns = 10 * TOY_MS;
    toy_run_until(&network, 2000 * TOY_MS);
    network.peers[0].is_frozen = true;
    network.peers[1].is_frozen = true;
    silence(4);
    toy_run_until(&network, (2000 + DROP_MS - 400) * TOY_MS);
    hand_propose(1, 1, 1 | 1u << 4); // its last word; it may have decided that
    silence_not(4);
    bksi_propose propose;
    for (uint32_t i = 0; !proposed(3, 100, &propose) || (propose.leavers & 3) != 3; i++) {
        assert_true(i < 100);
    }
    assert_int_equal(propose.leavers, 3 | 1u << 4);
    toy_destroy(&network);
}

/// An INPUT of peer 3 in the first view, with a hash that is not ours.
static void hand_hash(bks_tick tick)
{
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    bks_tick head = bks_session_tick(victim()) + 40;
    bksi_input_head message = {.head = head,
                               .need = tick,
                               .first = head,
                               .hash.kind = BKSI_HASH_SHORT,
                               .hash.tick = tick,
                               .hash.state = 1};
    inside_say(victim(), network.now_ns, network.peers[3].session, BKSI_PACKET_INPUT, bytes,
               inside_input(&message, bytes));
}

static void hashes_of_another_view_are_not_compared_from_its_tick_on(void **context)
{
    (void)context;
    for (uint32_t is_early = 0; is_early < 3; is_early++) {
        begin();
        network.cut[3] = 1u << VICTIM; // its true hashes, and what came of them before
        toy_run_until(&network, network.now_ns + 20 * TOY_MS);
        memset(&victim()->checking.peers[3], 0, sizeof(victim()->checking.peers[3]));
        bksi_answer answer;
        hand_propose(1, 1, 1);
        assert_true(answered(1, &answer));
        bks_tick end = answer.heads[0];
        bks_tick tick = is_early == 2 ? end : end + 3;
        if (is_early > 0) {
            hand_hash(tick);
        }
        hand_commit(1, 1, end);
        if (is_early == 0) {
            hand_hash(tick);
        }
        network.cut[VICTIM] = 0;
        toy_run_until(&network, network.now_ns + 300 * TOY_MS);
        assert_true(bks_session_published(victim()) > end + 3);
        toy_run_until(&network, network.now_ns + 2000 * TOY_MS);
        // On the tick where it ended the views still agree.
        assert_int_equal(network.peers[VICTIM].events[BKS_EVENT_DESYNC], is_early == 2);
        toy_destroy(&network);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_proposers_newest_ballot_alone_counts),
        cmocka_unit_test(an_answer_carries_how_far_the_inputs_go_and_freezes_them),
        cmocka_unit_test(a_peer_that_two_proposed_stays_frozen_until_both_take_it_back),
        cmocka_unit_test(a_peer_that_was_heard_a_moment_ago_is_not_let_go),
        cmocka_unit_test(a_ballot_that_stood_for_long_may_name_more),
        cmocka_unit_test(a_leaver_neither_proposes_nor_commits),
        cmocka_unit_test(a_commit_is_taken_once_all_inputs_before_the_end_are_here),
        cmocka_unit_test(a_commit_counts_for_leavers_that_we_agreed_to_or_lost_ourselves),
        cmocka_unit_test(a_leaver_of_a_commit_does_not_come_back),
        cmocka_unit_test(a_ballot_needs_the_answer_of_every_peer_that_stays),
        cmocka_unit_test(one_answer_of_two_is_not_enough),
        cmocka_unit_test(inputs_that_the_host_lacks_hold_the_commit),
        cmocka_unit_test(a_peer_that_owes_inputs_of_a_leaver_goes_too),
        cmocka_unit_test(a_peer_may_send_inputs_of_a_leaver_for_a_while_after_all_agreed),
        cmocka_unit_test(inputs_of_a_leaver_are_taken_once_all_agree),
        cmocka_unit_test(a_leaver_that_comes_back_is_taken_back),
        cmocka_unit_test(what_all_agreed_to_is_not_taken_back),
        cmocka_unit_test(a_peer_that_no_longer_takes_our_inputs_stays),
        cmocka_unit_test(a_peer_that_agrees_to_a_lower_ones_ballot_takes_its_own_back),
        cmocka_unit_test(what_a_lost_peer_had_us_agree_to_goes_with_it),
        cmocka_unit_test(hashes_of_another_view_are_not_compared_from_its_tick_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
