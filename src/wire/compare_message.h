// SPDX-License-Identifier: MIT

/// @file compare_message.h
/// COMPARE: two peers whose states of a tick differ ask each other for the parts that differ. A
/// state is a tree: blocks of 64 bytes, pages of 64 blocks, and so on. A question has the asker's
/// hashes of runs of 64 parts with the same parent. The answer tells which parts differ; for blocks
/// it also has the bytes of the lowest ones. Another question asks for the bytes of further blocks.

#ifndef BKSI_COMPARE_MESSAGE_H
#define BKSI_COMPARE_MESSAGE_H

#include "base/bytes.h"

#define BKSI_COMPARE_BLOCK_BYTES 64u
/// RUN: number of parts with one parent, and RUN_SHIFT: its binary logarithm. The other three are
/// limits of a question: greatest `shift`, number of runs, and number of blocks.
#define BKSI_COMPARE_RUN        64u
#define BKSI_COMPARE_RUN_SHIFT  6u
#define BKSI_COMPARE_SHIFT_MAX  24u
#define BKSI_COMPARE_RUNS_MAX   1u
#define BKSI_COMPARE_BLOCKS_MAX 7u

typedef struct bksi_compare_question {
    bool wants_bytes; ///< asks for bytes of blocks; otherwise compares runs of parts
    bks_tick tick;
    /// Binary logarithm of a compared part's size in blocks of 64 bytes, a multiple of 6; 0 if
    /// bytes are asked for.
    uint32_t shift;
    /// Number of `firsts`. 0 in an answer: the sender holds no state of this tick.
    uint32_t count;
    /// First part of each run, or the blocks whose bytes are asked for, in rising order.
    uint32_t firsts[BKSI_COMPARE_BLOCKS_MAX];
    /// If runs are compared: the asker's hash of each part, 0 past the end of its state.
    uint32_t hashes[BKSI_COMPARE_RUNS_MAX * BKSI_COMPARE_RUN];
} bksi_compare_question;

typedef struct bksi_compare_answer {
    bksi_compare_question to; ///< question that is answered, without its hashes; its count may be 0
    /// If to.count is 0: first later tick whose state the sender holds; BKS_TICK_NONE: there is
    /// none.
    bks_tick oldest;
    uint64_t state_bytes;
    /// If runs are compared: for each run, bits of the parts that differ.
    uint64_t differ[BKSI_COMPARE_RUNS_MAX];
    /// Bytes of the blocks that bksi_compare_blocks() lists.
    uint8_t bytes[BKSI_COMPARE_BLOCKS_MAX * BKSI_COMPARE_BLOCK_BYTES];
} bksi_compare_answer;

/// List the parts that differ according to an answer about runs, the lowest first.
/// @param out  receives the numbers of the parts, room for `most` numbers
/// @return number of parts, at most `most`
uint32_t bksi_compare_differing(const bksi_compare_answer *answer, uint32_t most, uint32_t *out);

/// List the blocks whose bytes an answer has: the blocks that were asked for, or the lowest blocks
/// that differ.
/// @param out  receives the numbers of the blocks, room for BKSI_COMPARE_BLOCKS_MAX numbers
/// @return number of blocks
uint32_t bksi_compare_blocks(const bksi_compare_answer *answer, uint32_t *out);

/// Return true if an answer is to the question `asked`.
bool bksi_compare_answers(const bksi_compare_answer *answer, const bksi_compare_question *asked);

void bksi_compare_write_question(bksi_byte_writer *writer, const bksi_compare_question *question);
void bksi_compare_write_answer(bksi_byte_writer *writer, const bksi_compare_answer *answer);

/// Read a COMPARE: a question or an answer.
/// @param is_answer  receives true for an answer, false for a question, which is in `answer->to`
/// @return false when the bytes are no COMPARE
bool bksi_compare_read(bksi_byte_reader *reader, bool *is_answer, bksi_compare_answer *answer);

#endif
