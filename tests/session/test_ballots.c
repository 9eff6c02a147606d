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
#include "session/inside.h"
#include "session/toy_network.h"
#include "wire/input_message.h"
#include "wire/packet.h"
#include "wire/small_messages.h"
#include "wire/view_messages.h"

#define VICTIM 2u

static toy_network network;

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = 0;
}

/// Four peers in the midst of a match; 0 falls silent for good, and only we hear the victim.
static void begin(void)
{
    toy_create(&network, 4, 1, tune);
    network.delay_ns = 10 * TOY_MS;
    toy_run_until(&network, 2000 * TOY_MS);
    network.peers[0].is_frozen = true;
    network.cut[VICTIM] = 15;
    toy_run_until(&network, 2300 * TOY_MS);
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
    bksi_propose message = {.number = number, .leavers = leavers};
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
    bksi_commit message = {.leavers = leavers};
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
            if (packet->from != VICTIM || packet->to != to || packet->serial < from_serial) {
                continue;
            }
            uint8_t body[BKSI_BODY_BYTES_MAX];
            size_t count = 0;
            bksi_view_type type;
            if (inside_read(network.peers[to].session, packet->bytes, packet->count, body,
                            &count) != BKSI_PACKET_VIEW) {
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
    return sent(BKSI_VIEW_ANSWER, to, 5, &reader, copy) && bksi_answer_read(&reader, answer);
}

static bool proposed(uint32_t to, uint32_t ms, bksi_propose *propose)
{
    uint8_t copy[BKS_PACKET_BYTES_MAX];
    bksi_bit_reader reader;
    return sent(BKSI_VIEW_PROPOSE, to, ms, &reader, copy) && bksi_propose_read(&reader, propose);
}

// ---- the rules ----

static void only_rising_ballots_are_answered(void **context)
{
    (void)context;
    begin();
    bksi_answer answer;
    hand_propose(1, 2, 1);
    assert_true(answered(1, &answer));
    assert_int_equal(answer.number, 2);
    assert_int_equal(answer.ballot_peer, 1);
    assert_int_equal(answer.leavers, 1);
    // A lower one learns of the higher; the same one again gets the same again.
    hand_propose(3, 1, 1);
    assert_true(answered(3, &answer));
    assert_int_equal(answer.number, 2);
    assert_int_equal(answer.ballot_peer, 1);
    assert_int_equal(answer.leavers, 0);
    hand_propose(1, 2, 1);
    assert_true(answered(1, &answer));
    assert_int_equal(answer.leavers, 1);
    // Of equal numbers the higher peer's is the higher ballot.
    hand_propose(3, 2, 1);
    assert_true(answered(3, &answer));
    assert_int_equal(answer.ballot_peer, 3);
    hand_propose(1, 2, 1);
    assert_true(answered(1, &answer));
    assert_int_equal(answer.ballot_peer, 3);
    assert_int_equal(answer.leavers, 0);
    toy_destroy(&network);
}

static void an_answer_carries_how_far_the_inputs_go_and_freezes_them(void **context)
{
    (void)context;
    begin();
    network.peers[0].is_frozen = false; // it lives after all: too late
    bksi_answer first;
    hand_propose(1, 1, 1);
    assert_true(answered(1, &first));
    assert_int_equal(first.frozen, 1);
    assert_in_range(first.heads[0], 60, 140);
    toy_run_until(&network, network.now_ns + 200 * TOY_MS);
    bksi_answer later;
    hand_propose(1, 2, 1);
    assert_true(answered(1, &later));
    assert_int_equal(later.heads[0], first.heads[0]);
    // A ballot without it does not thaw it.
    hand_propose(1, 3, 1u << 3);
    assert_true(answered(1, &later));
    assert_int_equal(later.frozen, 9);
    toy_run_until(&network, network.now_ns + 200 * TOY_MS);
    hand_propose(1, 4, 1);
    assert_true(answered(1, &later));
    assert_int_equal(later.heads[0], first.heads[0]);
    toy_destroy(&network);
}

static void a_leaver_neither_proposes_nor_commits(void **context)
{
    (void)context;
    begin();
    bksi_answer answer;
    hand_propose(1, 2, 9); // 0 and 3 are to go
    assert_true(answered(1, &answer));
    hand_propose(3, 9, 1);
    bksi_answer refusal; // says that it must go, and names no ballot of its own
    assert_true(answered(3, &refusal));
    assert_int_equal(refusal.frozen, 9);
    assert_int_equal(refusal.number, 2);
    assert_int_equal(refusal.ballot_peer, 1);
    assert_int_equal(refusal.leavers, 0);
    hand_commit(3, 1, answer.heads[0]);
    assert_int_equal(view_of_victim(), 0);
    // One that is not: whatever it was decided by, no other can come of the ballot answered.
    hand_commit(1, 1, answer.heads[0]);
    assert_int_equal(view_of_victim(), 1);
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

/// The victim becomes the host and begins a ballot, which no peer answers.
static void begin_own_ballot(uint32_t peers, bksi_propose *propose)
{
    toy_create(&network, peers, 1, tune);
    network.delay_ns = 10 * TOY_MS;
    toy_run_until(&network, 2000 * TOY_MS);
    network.peers[0].is_frozen = true;
    network.peers[1].is_frozen = true;
    toy_run_until(&network, 6000 * TOY_MS);
    for (uint32_t i = 3; i < peers; i++) {
        network.peers[i].is_frozen = true;
    }
    for (uint32_t i = 0; !proposed(3, 100, propose) || propose->leavers != 3; i++) {
        assert_true(i < 40);
    }
}

static void a_peer_that_answers_a_higher_ballot_gives_up_its_own(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(4, &propose);
    bksi_answer answer = {.number = propose.number, .ballot_peer = VICTIM, .leavers = 3};
    answer.frozen = 3;
    memcpy(answer.heads, propose.heads, sizeof(answer.heads));
    hand_propose(3, propose.number, 3);
    hand_answer(3, &answer);
    assert_int_equal(view_of_victim(), 0);
    toy_destroy(&network);
}

static void a_ballot_needs_the_answer_of_every_peer_that_stays(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(4, &propose);
    bksi_answer answer = {.base = {1, 0}, .ballot_peer = VICTIM, .leavers = 3, .frozen = 3};
    answer.number = propose.number;
    memcpy(answer.heads, propose.heads, sizeof(answer.heads));
    hand_answer(3, &answer); // of another view
    assert_int_equal(view_of_victim(), 0);
    answer.base = (bksi_view_name){0};
    answer.number--; // of an earlier ballot
    hand_answer(3, &answer);
    assert_int_equal(view_of_victim(), 0);
    answer.number++;
    answer.leavers = 1;
    hand_answer(3, &answer);
    assert_int_equal(view_of_victim(), 0);
    answer.leavers = 3;
    hand_answer(0, &answer); // of a leaver
    assert_int_equal(view_of_victim(), 0);
    hand_answer(3, &answer);
    assert_int_equal(view_of_victim(), 1);
    toy_destroy(&network);
}

static void a_higher_ballot_elsewhere_makes_the_host_begin_again(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(4, &propose);
    bksi_answer answer = {.number = propose.number + 5, .ballot_peer = 1, .frozen = 3};
    hand_answer(3, &answer);
    uint32_t before = propose.number;
    assert_true(proposed(3, 60, &propose));
    assert_int_equal(propose.number, before + 6);
    toy_destroy(&network);
}

static void inputs_that_the_host_lacks_hold_the_commit(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(4, &propose);
    bksi_answer answer = {.ballot_peer = VICTIM, .leavers = 3, .frozen = 3};
    answer.number = propose.number;
    memcpy(answer.heads, propose.heads, sizeof(answer.heads));
    answer.heads[1]++;
    hand_answer(3, &answer);
    assert_int_equal(view_of_victim(), 0);
    // It asks again, and the inputs come.
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

static void one_answer_of_two_is_not_enough(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(5, &propose);
    bksi_answer answer = {.number = propose.number, .ballot_peer = VICTIM, .leavers = 3};
    answer.frozen = 3;
    memcpy(answer.heads, propose.heads, sizeof(answer.heads));
    hand_answer(4, &answer);
    hand_answer(4, &answer);
    assert_int_equal(view_of_victim(), 0);
    hand_answer(3, &answer);
    assert_int_equal(view_of_victim(), 1);
    toy_destroy(&network);
}

static void answers_to_the_ballot_before_do_not_count_in_the_next(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(5, &propose);
    bksi_answer answer = {.number = propose.number, .ballot_peer = VICTIM, .leavers = 3};
    answer.frozen = 3;
    memcpy(answer.heads, propose.heads, sizeof(answer.heads));
    hand_answer(4, &answer);
    bksi_answer higher = {.number = propose.number + 1, .ballot_peer = 3, .frozen = 3};
    hand_answer(3, &higher);
    assert_true(proposed(3, 60, &propose));
    answer.number = propose.number;
    hand_answer(3, &answer);
    assert_int_equal(view_of_victim(), 0);
    hand_answer(4, &answer);
    assert_int_equal(view_of_victim(), 1);
    toy_destroy(&network);
}

static void an_answer_that_has_frozen_more_does_not_decide(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(5, &propose);
    bksi_answer answer = {.number = propose.number, .ballot_peer = VICTIM, .leavers = 3};
    answer.frozen = 3;
    memcpy(answer.heads, propose.heads, sizeof(answer.heads));
    hand_answer(4, &answer);
    answer.frozen = 3 | 1u << 4;
    hand_answer(3, &answer);
    assert_int_equal(view_of_victim(), 0);
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

static void a_peer_whose_inputs_another_no_longer_takes_goes_too(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(5, &propose);
    bksi_answer answer = {.number = propose.number, .ballot_peer = VICTIM, .leavers = 3};
    answer.frozen = 3 | 1u << 4;
    memcpy(answer.heads, propose.heads, sizeof(answer.heads));
    hand_answer(3, &answer);
    assert_true(proposed(3, 60, &propose));
    assert_int_equal(propose.leavers, 19);
    // The answer to the ballot before counts for nothing in this one.
    answer.frozen = 3;
    hand_answer(3, &answer);
    assert_int_equal(view_of_victim(), 0);
    toy_destroy(&network);
}

/// Two sides whose ballots had begun when they met again would wait for each other's answers.
static void a_peer_that_no_longer_takes_our_inputs_is_not_waited_for(void **context)
{
    (void)context;
    bksi_propose propose;
    begin_own_ballot(5, &propose);
    bksi_answer answer = {.number = 1, .ballot_peer = 1, .frozen = 1u << VICTIM};
    hand_answer(3, &answer);
    assert_true(proposed(4, 60, &propose));
    assert_int_equal(propose.leavers, 11);
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_rising_ballots_are_answered),
        cmocka_unit_test(an_answer_carries_how_far_the_inputs_go_and_freezes_them),
        cmocka_unit_test(a_leaver_neither_proposes_nor_commits),
        cmocka_unit_test(a_commit_is_taken_once_all_inputs_before_the_end_are_here),
        cmocka_unit_test(a_peer_that_answers_a_higher_ballot_gives_up_its_own),
        cmocka_unit_test(a_ballot_needs_the_answer_of_every_peer_that_stays),
        cmocka_unit_test(a_higher_ballot_elsewhere_makes_the_host_begin_again),
        cmocka_unit_test(inputs_that_the_host_lacks_hold_the_commit),
        cmocka_unit_test(one_answer_of_two_is_not_enough),
        cmocka_unit_test(answers_to_the_ballot_before_do_not_count_in_the_next),
        cmocka_unit_test(an_answer_that_has_frozen_more_does_not_decide),
        cmocka_unit_test(hashes_of_another_view_are_not_compared_from_its_tick_on),
        cmocka_unit_test(a_peer_whose_inputs_another_no_longer_takes_goes_too),
        cmocka_unit_test(a_peer_that_no_longer_takes_our_inputs_is_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
