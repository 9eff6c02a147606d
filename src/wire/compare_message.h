// SPDX-License-Identifier: MIT

/// @file compare_message.h
/// COMPARE: two peers whose states of a tick differ ask each other where. A state is a tree: blocks
/// of 64 bytes, pages of 64 blocks, and so on. A question gives the asker's hashes of runs of 64
/// parts that have one parent, and the answer says which parts differ; of blocks it gives the bytes
/// of the lowest as well. Of further blocks the bytes are asked for.

#ifndef BKSI_COMPARE_MESSAGE_H
#define BKSI_COMPARE_MESSAGE_H

#include "base/bytes.h"

#define BKSI_COMPARE_BLOCK_BYTES 64u
/// Parts of one parent, and what that is as bits of a size.
#define BKSI_COMPARE_RUN        64u
#define BKSI_COMPARE_RUN_SHIFT  6u
#define BKSI_COMPARE_SHIFT_MAX  24u
#define BKSI_COMPARE_RUNS_MAX   4u
#define BKSI_COMPARE_BLOCKS_MAX 12u

typedef struct bksi_compare_question {
    bool wants_bytes; ///< of blocks; else it compares the parts in runs
    bks_tick tick;
    uint32_t shift; ///< of runs: parts of 64 << shift bytes, a multiple of 6; of bytes 0
    uint32_t count; ///< of `firsts`; in an answer 0 when the state is not there
    uint32_t firsts[BKSI_COMPARE_BLOCKS_MAX]; ///< rising: the first part of a run; a block
    uint32_t hashes[BKSI_COMPARE_RUNS_MAX *
                    BKSI_COMPARE_RUN]; ///< of runs: the asker's, 0 behind the end; not in an answer
} bksi_compare_question;

typedef struct bksi_compare_answer {
    bksi_compare_question to; ///< as asked, but for its count and its hashes
    bks_tick oldest; ///< with count 0: the next tick whose state is there, or BKS_TICK_NONE
    uint64_t state_bytes;
    uint64_t differ[BKSI_COMPARE_RUNS_MAX]; ///< of runs: bits of the parts that differ, by run
    uint8_t bytes[BKSI_COMPARE_BLOCKS_MAX * BKSI_COMPARE_BLOCK_BYTES]; ///< of blocks, likewise
} bksi_compare_answer;

/// The parts that differ by an answer to a question of runs, the lowest first.
/// @param out  room for `most`
/// @return how many there are, at most `most`
uint32_t bksi_compare_differing(const bksi_compare_answer *answer, uint32_t most, uint32_t *out);

/// The blocks whose bytes an answer holds: what was asked for, or the lowest that differ.
/// @param out  room for BKSI_COMPARE_BLOCKS_MAX
/// @return how many
uint32_t bksi_compare_blocks(const bksi_compare_answer *answer, uint32_t *out);

/// Whether an answer is one to this question.
bool bksi_compare_answers(const bksi_compare_answer *answer, const bksi_compare_question *asked);

void bksi_compare_write_question(bksi_byte_writer *writer, const bksi_compare_question *question);
void bksi_compare_write_answer(bksi_byte_writer *writer, const bksi_compare_answer *answer);

/// @param is_answer  receives which it is: else `answer->to` is the question
/// @return false: it is neither
bool bksi_compare_read(bksi_byte_reader *reader, bool *is_answer, bksi_compare_answer *answer);

#endif
