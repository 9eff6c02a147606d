// SPDX-License-Identifier: MIT

#include "wire/compare_message.h"

#include "base/assert.h"
#include "wire/carried.h"

enum { WANTS_BYTES = 1, IS_ANSWER = 2 };

/// Kind, tick, shift and count; then by kind, at most.
#define HEAD_BYTES 7u
#define HASHES_BYTES \
    ((sizeof(uint32_t) + BKSI_COMPARE_RUN * sizeof(uint32_t)) * BKSI_COMPARE_RUNS_MAX)
#define BYTES_BYTES ((sizeof(uint32_t) + BKSI_COMPARE_BLOCK_BYTES) * BKSI_COMPARE_BLOCKS_MAX)
_Static_assert(HEAD_BYTES + sizeof(uint64_t) + HASHES_BYTES <= BKSI_MESSAGE_BYTES_MAX, "it fits");
_Static_assert(HEAD_BYTES + sizeof(uint64_t) + BYTES_BYTES <= BKSI_MESSAGE_BYTES_MAX, "it fits");
_Static_assert(BKSI_COMPARE_RUNS_MAX <= BKSI_COMPARE_BLOCKS_MAX, "there is room for both");

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

void bksi_compare_write_question(bksi_byte_writer *writer, const bksi_compare_question *question)
{
    BKS_ASSERT(question->count > 0);
    write_head(writer, question, false);
}

void bksi_compare_write_answer(bksi_byte_writer *writer, const bksi_compare_answer *answer)
{
    const bksi_compare_question *to = &answer->to;
    write_head(writer, to, true);
    if (to->count == 0) {
        bksi_write_u32(writer, (uint32_t)answer->oldest);
        return;
    }
    bksi_write_u64(writer, answer->state_bytes);
    for (uint32_t i = 0; !to->wants_bytes && i < to->count * BKSI_COMPARE_RUN; i++) {
        bksi_write_u32(writer, answer->hashes[i]);
    }
    for (uint32_t i = 0; to->wants_bytes && i < to->count * BKSI_COMPARE_BLOCK_BYTES; i++) {
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

bool bksi_compare_read(bksi_byte_reader *reader, bool *is_answer, bksi_compare_answer *answer)
{
    bksi_compare_question *to = &answer->to;
    if (!read_head(reader, is_answer, to)) {
        return false;
    }
    if (!*is_answer) {
        return bksi_byte_reader_left(reader) == 0;
    }
    answer->oldest = BKS_TICK_NONE;
    answer->state_bytes = 0;
    if (to->count == 0) {
        answer->oldest = (bks_tick)bksi_read_u32(reader);
        return !reader->failed && bksi_byte_reader_left(reader) == 0 &&
               (answer->oldest == BKS_TICK_NONE || answer->oldest > to->tick);
    }
    answer->state_bytes = bksi_read_u64(reader);
    for (uint32_t i = 0; !to->wants_bytes && i < to->count * BKSI_COMPARE_RUN; i++) {
        answer->hashes[i] = bksi_read_u32(reader);
    }
    for (uint32_t i = 0; to->wants_bytes && i < to->count * BKSI_COMPARE_BLOCK_BYTES; i++) {
        answer->bytes[i] = bksi_read_u8(reader);
    }
    return !reader->failed && bksi_byte_reader_left(reader) == 0 && answer->state_bytes > 0;
}
