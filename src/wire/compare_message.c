// SPDX-License-Identifier: MIT

#include "wire/compare_message.h"

#include <string.h>

#include "base/bits.h"
#include "base/report.h"
#include "wire/carried.h"

enum { WANTS_BYTES = 1, IS_ANSWER = 2 };

/// Sizes in bytes. HEAD: the fields kind, tick, shift and count together. The others are largest
/// sizes. RUNS: the index of the first part of each run, and which parts of each run differ. HASH:
/// the hash of each part. BLOCK: the index and the bytes of each block.
#define HEAD_BYTES  7u
#define RUNS_BYTES  ((sizeof(uint32_t) + sizeof(uint64_t)) * BKSI_COMPARE_RUNS_MAX)
#define HASH_BYTES  (BKSI_COMPARE_RUN * sizeof(uint32_t) * BKSI_COMPARE_RUNS_MAX)
#define BLOCK_BYTES ((sizeof(uint32_t) + BKSI_COMPARE_BLOCK_BYTES) * BKSI_COMPARE_BLOCKS_MAX)
_Static_assert(HEAD_BYTES + RUNS_BYTES + HASH_BYTES <= BKSI_MESSAGE_BYTES_MAX, "it fits");
_Static_assert(HEAD_BYTES + sizeof(uint64_t) + RUNS_BYTES + BLOCK_BYTES <= BKSI_MESSAGE_BYTES_MAX,
               "it fits");
_Static_assert(BKSI_COMPARE_RUNS_MAX <= BKSI_COMPARE_BLOCKS_MAX, "there is room for both");

uint32_t bksi_compare_differing(const bksi_compare_answer *answer, uint32_t most, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; !answer->to.wants_bytes && i < answer->to.count; i++) {
        for (uint64_t left = answer->differ[i]; left != 0 && count < most; left &= left - 1) {
            out[count++] = answer->to.firsts[i] + bksi_lowest_bit(left);
        }
    }
    return count;
}

uint32_t bksi_compare_blocks(const bksi_compare_answer *answer, uint32_t *out)
{
    const bksi_compare_question *to = &answer->to;
    if (!to->wants_bytes) {
        return to->shift == 0 ? bksi_compare_differing(answer, BKSI_COMPARE_BLOCKS_MAX, out) : 0;
    }
    memcpy(out, to->firsts, to->count * sizeof(out[0]));
    return to->count;
}

bool bksi_compare_answers(const bksi_compare_answer *answer, const bksi_compare_question *asked)
{
    const bksi_compare_question *to = &answer->to;
    bool is_same = to->wants_bytes == asked->wants_bytes && to->tick == asked->tick &&
                   to->shift == asked->shift && (to->count == 0 || to->count == asked->count);
    for (uint32_t i = 0; is_same && i < to->count; i++) {
        is_same = to->firsts[i] == asked->firsts[i];
    }
    return is_same;
}

static void write_head(bksi_byte_writer *writer, const bksi_compare_question *question,
                       bool is_answer)
{
    bksi_write_u8(
        writer, (uint8_t)((question->wants_bytes ? WANTS_BYTES : 0) | (is_answer ? IS_ANSWER : 0)));
    bksi_write_u32(writer, (uint32_t)question->tick);
    bksi_write_u8(writer, (uint8_t)question->shift);
    bksi_write_u8(writer, (uint8_t)question->count);
    for (uint32_t i = 0; i < question->count; i++) {
        bksi_write_u32(writer, question->firsts[i]);
    }
}

/// Write the hashes of a question without the zeros at their end. A zero is the hash of a part past
/// the end of the state.
static void write_hashes(bksi_byte_writer *writer, const bksi_compare_question *question)
{
    uint32_t count = question->count * BKSI_COMPARE_RUN;
    while (count > 0 && question->hashes[count - 1] == 0) {
        count--;
    }
    for (uint32_t i = 0; i < count; i++) {
        bksi_write_u32(writer, question->hashes[i]);
    }
}

void bksi_compare_write_question(bksi_byte_writer *writer, const bksi_compare_question *question)
{
    BKS_ASSERT(question->count > 0);
    write_head(writer, question, false);
    if (!question->wants_bytes) {
        write_hashes(writer, question);
    }
}

void bksi_compare_write_answer(bksi_byte_writer *writer, const bksi_compare_answer *answer)
{
    const bksi_compare_question *to = &answer->to;
    uint32_t blocks[BKSI_COMPARE_BLOCKS_MAX];
    write_head(writer, to, true);
    if (to->count == 0) {
        bksi_write_u32(writer, (uint32_t)answer->oldest);
        return;
    }
    bksi_write_u64(writer, answer->state_bytes);
    for (uint32_t i = 0; !to->wants_bytes && i < to->count; i++) {
        bksi_write_u64(writer, answer->differ[i]);
    }
    const uint32_t count = bksi_compare_blocks(answer, blocks) * BKSI_COMPARE_BLOCK_BYTES;
    for (uint32_t i = 0; i < count; i++) {
        bksi_write_u8(writer, answer->bytes[i]);
    }
}

static bool read_firsts(bksi_byte_reader *reader, bksi_compare_question *question)
{
    for (uint32_t i = 0; i < question->count; i++) {
        const uint32_t first = bksi_read_u32(reader);
        const bool is_run = question->wants_bytes || first % BKSI_COMPARE_RUN == 0;
        if (!is_run || (i > 0 && first <= question->firsts[i - 1])) {
            return false;
        }
        question->firsts[i] = first;
    }
    return !reader->failed;
}

static bool read_head(bksi_byte_reader *reader, bool *is_answer, bksi_compare_question *question)
{
    const uint8_t kind = bksi_read_u8(reader);
    const uint32_t tick = bksi_read_u32(reader);
    question->shift = bksi_read_u8(reader);
    question->count = bksi_read_u8(reader);
    question->wants_bytes = (kind & WANTS_BYTES) != 0;
    *is_answer = (kind & IS_ANSWER) != 0;
    const uint32_t most = question->wants_bytes ? BKSI_COMPARE_BLOCKS_MAX : BKSI_COMPARE_RUNS_MAX;
    const uint32_t shift_most = question->wants_bytes ? 0 : BKSI_COMPARE_SHIFT_MAX;
    if (reader->failed || kind > (WANTS_BYTES | IS_ANSWER) || tick > INT32_MAX ||
        question->shift > shift_most || question->shift % BKSI_COMPARE_RUN_SHIFT != 0 ||
        question->count > most || (question->count == 0 && !*is_answer)) {
        return false;
    }
    question->tick = (bks_tick)tick;
    return read_firsts(reader, question);
}

static bool read_hashes(bksi_byte_reader *reader, bksi_compare_question *question)
{
    const size_t left = bksi_byte_reader_left(reader);
    const size_t count = left / sizeof(uint32_t);
    if (question->wants_bytes) {
        return left == 0;
    }
    if (left % sizeof(uint32_t) != 0 || count > (size_t)question->count * BKSI_COMPARE_RUN) {
        return false;
    }
    for (size_t i = 0; i < BKSI_COMPARE_RUNS_MAX * BKSI_COMPARE_RUN; i++) {
        question->hashes[i] = i < count ? bksi_read_u32(reader) : 0;
    }
    return count == 0 || question->hashes[count - 1] != 0;
}

static bool read_answer(bksi_byte_reader *reader, bksi_compare_answer *answer)
{
    const bksi_compare_question *to = &answer->to;
    uint32_t blocks[BKSI_COMPARE_BLOCKS_MAX];
    answer->state_bytes = bksi_read_u64(reader);
    for (uint32_t i = 0; !to->wants_bytes && i < to->count; i++) {
        answer->differ[i] = bksi_read_u64(reader);
    }
    const uint32_t count = bksi_compare_blocks(answer, blocks) * BKSI_COMPARE_BLOCK_BYTES;
    for (uint32_t i = 0; i < count; i++) {
        answer->bytes[i] = bksi_read_u8(reader);
    }
    return answer->state_bytes > 0;
}

static bool read_lack(bksi_byte_reader *reader, bksi_compare_answer *answer)
{
    answer->oldest = (bks_tick)bksi_read_u32(reader);
    return answer->oldest == BKS_TICK_NONE || answer->oldest > answer->to.tick;
}

bool bksi_compare_read(bksi_byte_reader *reader, bool *is_answer, bksi_compare_answer *answer)
{
    if (!read_head(reader, is_answer, &answer->to)) {
        return false;
    }
    if (!*is_answer) {
        return read_hashes(reader, &answer->to);
    }
    answer->oldest = BKS_TICK_NONE;
    answer->state_bytes = 0;
    const bool is_sound =
        answer->to.count > 0 ? read_answer(reader, answer) : read_lack(reader, answer);
    return is_sound && !reader->failed && bksi_byte_reader_left(reader) == 0;
}
