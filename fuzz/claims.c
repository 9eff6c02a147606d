// SPDX-License-Identifier: MIT

#include "claims.h"

#include <string.h>

#include "command_claims.h"
#include "wire/meet_message.h"
#include "wire/small_messages.h"

/// Most bytes of a run: those of four leavers fit a message.
#define RUN_BYTES_MAX 250u

size_t claim_a_difference(const bks_session *to, uint32_t (*take)(void), uint8_t *body)
{
    const bks_tick from = bks_session_published(to) - (bks_tick)(take() % 80);
    const bks_tick tick = bksi_rollback_oldest_kept(&to->common.engine, from > 0 ? from : 0);
    const bksi_tick_hash *own = bksi_rollback_hash(&to->common.engine, tick);
    if (own == NULL) {
        return 0;
    }
    const bksi_hashes_message message = {.first = tick,
                                         .step_ticks = 1,
                                         .count = 1,
                                         .state = {own->state + 1},
                                         .inputs = {own->inputs}};
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_hashes_write(&writer, &message);
    return writer.at;
}

size_t claim_some_hashes(const bks_session *to, uint32_t (*take)(void), uint8_t *body)
{
    bksi_hashes_message message = {.step_ticks = 1 + take() % 4};
    message.count = 1 + take() % BKSI_HASHES_MAX;
    message.first = bks_session_published(to) - (bks_tick)(take() % 64);
    message.first = message.first > 0 ? message.first : 0;
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_hashes_write(&writer, &message);
    return writer.at;
}

bksi_view_name claim_a_view(const bks_session *to, uint32_t (*take)(void))
{
    const session_membership *membership = &to->common.membership;
    bksi_view_name name = bksi_membership_name(membership, membership->view);
    const uint32_t more = take();
    name.view += more > 240 ? 1 : 0;
    name.hash += more > 248 ? more : 0;
    return name;
}

bks_tick claim_a_stop(const bks_session *to, uint32_t (*take)(void))
{
    const uint32_t byte = take();
    const bks_tick tick = bks_session_tick(to) + (bks_tick)byte - 192;
    return byte < 160 || tick <= 0 ? 0 : byte > 250 ? INT32_MAX : tick;
}

bksi_gone claim_a_log(const bks_session *to, uint32_t (*take)(void), uint32_t receiver,
                      uint32_t peers)
{
    bksi_gone message = {.view = 1 + take() % 3};
    message.count = message.view;
    uint32_t members = PEER_BIT(peers) - 1;
    for (uint32_t v = 1; v <= message.view; v++) {
        members &= ~(v == 1 && take() < 128 ? PEER_BIT(receiver) : claim_peers(take, peers));
        message.members[v] = members;
        message.hashes[v] = take() < 64 ? (uint32_t)to->common.membership.views[v].hash : take();
    }
    return message;
}

bksi_speed_decision claim_a_speed(const bks_session *to, uint32_t (*take)(void), bool may_decide)
{
    if (may_decide || take() < 128) {
        return (bksi_speed_decision){0};
    }
    const uint32_t known = to->common.game_speed.decision.number;
    bksi_speed_decision decision = {.number = (uint16_t)(1 + (known + take() % 3) % UINT16_MAX)};
    decision.tick = bks_session_tick(to) + (bks_tick)(take() % 64);
    decision.is_paused = take() < 128;
    decision.percent = BKS_SPEED_MIN + take();
    decision.by = take() % BKS_PEERS_MAX;
    decision.excused = take();
    return decision;
}

bksi_speed_wish claim_a_wish(uint32_t (*take)(void))
{
    bksi_speed_wish wish = {.number = (uint8_t)(1 + take() % 255)};
    wish.kind = (bksi_speed_wish_kind)(take() % 3);
    wish.percent = wish.kind == BKSI_WISH_SPEED ? BKS_SPEED_MIN + take() : 0;
    return wish;
}

bks_tick claim_a_distance(uint32_t (*take)(void))
{
    uint32_t byte = take();
    return byte < 64    ? 0
           : byte < 128 ? (bks_tick)(byte - 64)
           : byte < 224 ? 160 - (bks_tick)byte
                        : (bks_tick)(byte - 224) * 64;
}

uint32_t claim_a_number(const bks_session *to, uint32_t (*take)(void), uint32_t of)
{
    uint32_t newest = to->views.ballots.newest[of].number;
    uint32_t more = take();
    return more < 128   ? newest + 1
           : more < 160 ? newest
           : more < 250 ? newest + more
                        : UINT32_MAX - 255 + more;
}

size_t claim_that_some_left(const bks_session *to, uint32_t of, uint32_t leavers, uint8_t *body)
{
    bksi_bit_writer writer = bksi_bit_writer_over(body, BKSI_BODY_BYTES_MAX);
    const session_membership *membership = &to->common.membership;
    const bksi_propose message = {.base = bksi_membership_name(membership, membership->view),
                                  .number = to->views.ballots.newest[of].number + 1,
                                  .leavers = leavers & bksi_membership_now(membership)};
    if (message.leavers == 0) {
        return 0;
    }
    bksi_propose_write(&writer, &message);
    return bksi_bit_writer_bytes(&writer);
}

void claim_heads(const bks_session *to, uint32_t (*take)(void), uint32_t peers, bks_tick *ticks)
{
    EACH_PEER (i, peers & to->common.seats.all) {
        bks_tick tick = bksi_common_head(&to->common, i) + claim_a_distance(take);
        ticks[i] = tick > 0 ? tick : 0;
    }
}

uint32_t claim_peers(uint32_t (*take)(void), uint32_t peers)
{
    const uint32_t byte = take();
    return byte < 192 ? (1u << byte % peers) | (byte % 3 == 0 ? 1u << byte / 4 % peers : 0)
                      : byte % (1u << peers);
}

void claim_a_run(const bks_session *to, uint32_t (*take)(void), uint32_t about,
                 bksi_bit_writer *writer)
{
    uint32_t count = take();
    bks_tick first =
        bksi_common_head(&to->common, about) + (count > 200 ? claim_a_distance(take) : 0);
    count = count < 100 ? 0 : count - 100;
    uint8_t bytes[RUN_BYTES_MAX];
    bksi_bit_writer inputs = bksi_bit_writer_over(bytes, sizeof(bytes));
    for (uint32_t i = 0; i < count; i++) {
        const bksi_bit_writer before = inputs;
        bksi_write_bits(&inputs, 0, 1);
        if (bksi_rollback_has_commands(&to->common.engine)) {
            claim_a_plain_blob(take, &inputs);
        }
        if (inputs.failed) {
            inputs = before;
            count = i;
        }
    }
    bksi_write_bits(writer, (uint32_t)(first > 0 ? first : 0), 32);
    bksi_write_bits(writer, count, 12);
    bksi_write_bits(writer, inputs.at_bits, 14);
    bksi_copy_bits(writer, bytes, inputs.at_bits);
}

/// Draw a tick: mostly one near those whose states are kept.
static bks_tick take_tick(const bks_session *to, uint32_t (*take)(void))
{
    const uint32_t byte = take();
    const bks_tick tick = bks_session_published(to) + 8 - (bks_tick)(byte % 96);
    return byte > 250 ? INT32_MAX : tick > 0 ? tick : 0;
}

static bksi_compare_question take_question(const bks_session *to, uint32_t (*take)(void))
{
    bksi_compare_question question = {.wants_bytes = take() < 96};
    question.tick = take_tick(to, take);
    question.shift = question.wants_bytes ? 0 : take() % 5 * BKSI_COMPARE_RUN_SHIFT;
    question.count =
        1 + take() % (question.wants_bytes ? BKSI_COMPARE_BLOCKS_MAX : BKSI_COMPARE_RUNS_MAX);
    uint32_t first = take() < 192 ? 0 : take() << 23;
    for (uint32_t i = 0; i < question.count; i++) {
        question.firsts[i] = question.wants_bytes ? first : first / 64 * 64;
        first += 64 + take() % 64;
    }
    for (uint32_t i = 0; i < question.count * BKSI_COMPARE_RUN && !question.wants_bytes; i++) {
        question.hashes[i] = (uint32_t)question.tick * i;
    }
    return question;
}

size_t claim_a_question(const bks_session *to, uint32_t (*take)(void), uint8_t *body)
{
    const bksi_compare_question question = take_question(to, take);
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_compare_write_question(&writer, &question);
    return writer.at;
}

/// Draw the hash of a state: one of the newest states of the session, or another.
static uint64_t take_state(const bks_session *to, uint32_t (*take)(void))
{
    const bksi_tick_hash *waiting = bksi_rollback_waiting(&to->common.engine);
    return waiting != NULL && take() < 128 ? waiting->state : take();
}

size_t claim_a_meeting(const bks_session *to, uint32_t (*take)(void), uint8_t *body)
{
    const session_meeting *meeting = &to->meeting;
    const bksi_tick_hash *waiting = bksi_rollback_waiting(&to->common.engine);
    bksi_meet_message message = {.tick = meeting->own.tick, .seen = take() % 6};
    if (meeting->own.tick == BKS_TICK_NONE || take() < 64) {
        message.tick = bks_session_tick(to) + (bks_tick)(take() % 40) - 8;
        message.tick = message.tick > 0 ? message.tick : 0;
    }
    message.stage = (bksi_meet_stage)(take() % 5);
    message.state = take_state(to, take);
    message.inputs = waiting != NULL && take() < 192 ? waiting->inputs : take();
    message.before = take() < 192 ? bksi_rollback_chain(&to->common.engine) : take();
    message.known = take() % 16;
    message.differing = take() % 16;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        message.same[i] = take() % 4 == 0     ? message.tick
                          : message.tick > 32 ? message.tick - 32
                                              : 0;
        const bks_tick before = (bks_tick)(take() % 64);
        message.since[i] = message.tick > before ? message.tick - before : 0;
    }
    message.repaired = take() % 16;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        message.repairs[i] = (bksi_meet_repair){message.since[i], take() % BKS_PEERS_MAX, take()};
    }
    message.from = take() % BKS_PEERS_MAX;
    message.bytes = take();
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_meet_write(&writer, &message);
    return writer.at;
}

/// Return a question that the session asks now: to repair a state, or else to name a difference.
static bksi_compare_question find_question(const bks_session *to)
{
    const session_fetch_slot *slots = to->fetch.slots;
    for (uint32_t i = 0; to->fetch.stage == FETCH_ASKS && i < FETCH_ASKED_MAX; i++) {
        if (slots[i].step == FETCH_IS_ASKED) {
            return slots[i].question;
        }
    }
    return to->descent.question;
}

size_t claim_an_answer(const bks_session *to, uint32_t (*take)(void), uint8_t *body)
{
    bksi_compare_answer answer = {.to = find_question(to), .oldest = BKS_TICK_NONE};
    if (take() > 224 || answer.to.count == 0) {
        answer.to = take_question(to, take);
    }
    const uint32_t size = take();
    answer.state_bytes = size < 192 ? 8 : size < 224 ? size : UINT64_MAX - size;
    if (take() < 32) { // claims not to have the state asked for
        answer.to.count = 0;
        const bks_tick later = (bks_tick)(1 + take() % 8);
        const bool is_none = take() < 128 || answer.to.tick > INT32_MAX - later;
        answer.oldest = is_none ? BKS_TICK_NONE : answer.to.tick + later;
    }
    const uint32_t value = take();
    for (uint32_t i = 0; i < BKSI_COMPARE_RUNS_MAX; i++) {
        answer.differ[i] = value < 64 ? value >> i : UINT64_MAX / (value + i);
    }
    memset(answer.bytes, (int)value, sizeof(answer.bytes));
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_compare_write_answer(&writer, &answer);
    return writer.at;
}
