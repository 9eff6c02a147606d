// SPDX-License-Identifier: MIT

#include "session/agree/answers.h"

#include <string.h>

#include "base/bits.h"
#include "base/report.h"

/// Limits of the answers to one peer: ANSWERS_MAX at once, then one every ANSWER_EVERY_NS. A
/// descent takes up to five answers, each of which may be sent twice.
#define ANSWERS_MAX     64u
#define ANSWER_EVERY_NS (500 * NS_PER_MS)

/// Return true if the limit allows one more answer to a peer, and count that answer.
static bool take_one(session_answers_peer *peer, uint64_t now_ns)
{
    const uint64_t back = (now_ns - peer->spent_ns) / ANSWER_EVERY_NS;
    peer->spent = back >= peer->spent ? 0 : peer->spent - (uint32_t)back;
    peer->spent_ns = peer->spent == 0 ? now_ns : peer->spent_ns + back * ANSWER_EVERY_NS;
    if (peer->spent == ANSWERS_MAX) {
        return false;
    }
    peer->spent++;
    return true;
}

static bool is_same(const bksi_compare_question *a, const bksi_compare_question *b)
{
    const bksi_compare_answer answer = {.to = *a};
    return a->count == b->count && bksi_compare_answers(&answer, b);
}

void bksi_answers_ask(session_answers *answers, const session_common *common, uint32_t index,
                      const bksi_compare_question *question, bool is_let)
{
    BKS_ASSERT(!answers->is_looking_up);
    session_answers_peer *peer = &answers->peers[index];
    for (uint32_t i = 0; i < peer->waiting_count; i++) {
        if (is_same(&peer->waiting[i], question)) {
            return;
        }
    }
    if (peer->waiting_count == ANSWERS_WAITING_MAX ||
        (!is_let && !take_one(peer, common->now_ns))) {
        return;
    }
    peer->waiting[peer->waiting_count++] = *question;
    answers->asked |= PEER_BIT(index);
}

static void finish(session_answers *answers, uint32_t index)
{
    if (answers->peers[index].waiting_count == 0) {
        answers->asked &= ~PEER_BIT(index);
    }
    answers->ready |= PEER_BIT(index);
    answers->is_looking_up = answers->is_reading = false;
}

/// Answer that we do not hold the state that the question is about, or that our owner cannot look
/// it up.
/// @param oldest  first later tick whose state we hold; BKS_TICK_NONE: none
static void lack(session_answers *answers, uint32_t index, bks_tick oldest)
{
    bksi_compare_answer *answer = &answers->peers[index].answer;
    answer->to.count = 0;
    answer->oldest = oldest;
    finish(answers, index);
}

/// Begin to read the bytes of the blocks that an answer names.
/// @return false if the answer names no blocks
static bool read_next(session_answers *answers)
{
    const bksi_compare_answer *answer = &answers->peers[answers->current].answer;
    answers->look = (bks_look){.count = bksi_compare_blocks(answer, answers->blocks),
                               .firsts = answers->blocks};
    answers->is_reading = answers->look.count > 0;
    return answers->is_reading;
}

/// Begin to answer a peer's oldest question: set up the look-up in our kept states.
static void take_question(session_answers *answers, uint32_t index)
{
    session_answers_peer *peer = &answers->peers[index];
    const bksi_compare_question *to = &peer->answer.to;
    peer->answer.to = peer->waiting[0];
    peer->waiting_count--;
    memmove(&peer->waiting[0], &peer->waiting[1], peer->waiting_count * sizeof(peer->waiting[0]));
    answers->current = index;
    if (!to->wants_bytes || !read_next(answers)) {
        answers->look = (bks_look){.shift = to->shift, .count = to->count, .firsts = to->firsts};
    }
}

bool bksi_answers_next(session_answers *answers, const session_common *common, bks_op *op)
{
    while (answers->is_reading || (answers->asked & ~answers->ready) != 0) {
        if (!answers->is_reading) {
            take_question(answers, bksi_lowest_bit(answers->asked & ~answers->ready));
        }
        const uint32_t index = answers->current;
        const bks_tick tick = answers->peers[index].answer.to.tick;
        const uint32_t keep = bksi_rollback_find_kept(&common->engine, tick);
        if (keep == BKS_KEEP_NONE) {
            lack(answers, index, bksi_rollback_oldest_kept(&common->engine, tick));
            continue;
        }
        *op = (bks_op){.kind = answers->is_reading ? BKS_OP_READ : BKS_OP_PARTS,
                       .tick = tick,
                       .keep = keep,
                       .look = &answers->look};
        answers->is_looking_up = true;
        return true;
    }
    return false;
}

/// Find the parts whose hashes differ from those in the peer's question.
static void compare(bksi_compare_answer *answer, const uint32_t *own)
{
    const uint32_t *peers = answer->to.hashes;
    for (uint32_t i = 0; i < answer->to.count; i++) {
        answer->differ[i] = 0;
        for (uint32_t k = 0; k < BKSI_COMPARE_RUN; k++) {
            const uint32_t at = i * BKSI_COMPARE_RUN + k;
            answer->differ[i] |= own[at] != peers[at] ? UINT64_C(1) << k : 0;
        }
    }
}

void bksi_answers_done(session_answers *answers, const bks_op *op, const bks_op_result *result)
{
    const uint32_t index = answers->current;
    bksi_compare_answer *answer = &answers->peers[index].answer;
    const bool is_there = result != NULL && result->state_bytes > 0 &&
                          (op->kind == BKS_OP_READ ? result->bytes != NULL : result->parts != NULL);
    if (!is_there) {
        lack(answers, index, BKS_TICK_NONE);
        return;
    }
    answer->state_bytes = result->state_bytes;
    if (op->kind == BKS_OP_READ) {
        memcpy(answer->bytes, result->bytes, (size_t)op->look->count * BKSI_COMPARE_BLOCK_BYTES);
        finish(answers, index);
        return;
    }
    compare(answer, result->parts);
    answers->is_looking_up = false;
    if (!read_next(answers)) {
        finish(answers, index);
    }
}

void bksi_answers_write(session_answers *answers, uint32_t index, bksi_byte_writer *writer)
{
    answers->ready &= ~PEER_BIT(index);
    bksi_compare_write_answer(writer, &answers->peers[index].answer);
}
