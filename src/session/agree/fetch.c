// SPDX-License-Identifier: MIT

// Walk over the tree of parts. Questions that compare the blocks of pages, and questions for bytes,
// are sent several at once. Larger parts are compared one question after another, because only few
// states are that large.

#include "session/agree/fetch.h"

#include <string.h>

#include "base/bits.h"
#include "base/report.h"

/// Largest number of pages of a state whose blocks are all compared with the first questions. Pages
/// are not compared before, which saves a round trip.
#define FEW_PAGES 16u

/// Time that a peer has for an answer, in addition to PATIENCE_TRIPS round trips.
#define PATIENCE_NS    (700 * NS_PER_MS)
#define PATIENCE_TRIPS 3u

#define PAGE_BYTES ((uint64_t)BKSI_COMPARE_BLOCK_BYTES << BKSI_COMPARE_RUN_SHIFT)

// ---- from large parts to small ones ----

static void forget_parts(session_fetch *fetch)
{
    for (uint32_t i = 0; i < FETCH_ASKED_MAX; i++) {
        fetch->slots[i].step = FETCH_IS_FREE;
    }
    memset(fetch->levels, 0, sizeof(fetch->levels));
    memset(fetch->blocks, 0, sizeof(fetch->blocks));
}

static void ask(session_fetch *fetch, const session_common *common,
                const bksi_compare_question *question)
{
    for (uint32_t i = 0; i < FETCH_ASKED_MAX; i++) {
        session_fetch_slot *slot = &fetch->slots[i];
        if (slot->step == FETCH_IS_FREE) {
            slot->step = question->wants_bytes ? FETCH_IS_ASKED : FETCH_HASHES_OWN;
            slot->question = *question;
            bksi_retry_begin(&slot->retry, common);
            return;
        }
    }
    BKS_ASSERT(false);
}

static uint32_t count_asked(const session_fetch *fetch)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < FETCH_ASKED_MAX; i++) {
        count += fetch->slots[i].step != FETCH_IS_FREE ? 1 : 0;
    }
    return count;
}

/// Remove the lowest differing parts from a level of the tree, to ask about them.
/// @return number of parts, at most BKSI_COMPARE_RUNS_MAX
static uint32_t take_parts(session_fetch_level *level, uint32_t *parts)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < level->count; i++) {
        while (level->differ[i] != 0 && count < BKSI_COMPARE_RUNS_MAX) {
            const uint32_t bit = bksi_lowest_bit(level->differ[i]);
            level->differ[i] &= level->differ[i] - 1;
            parts[count++] = level->firsts[i] + bit;
        }
    }
    return count;
}

/// Ask for the smaller parts of the lowest differing parts of a level of the tree.
/// @return false if no part of that level differs
static bool ask_below(session_fetch *fetch, const session_common *common, uint32_t index)
{
    bksi_compare_question question = {.tick = fetch->tick, .shift = index * BKSI_COMPARE_RUN_SHIFT};
    question.count = take_parts(&fetch->levels[index], question.firsts);
    for (uint32_t i = 0; i < question.count; i++) {
        question.firsts[i] *= BKSI_COMPARE_RUN;
    }
    if (question.count > 0) {
        ask(fetch, common, &question);
    }
    return question.count > 0;
}

/// Get the index of a page in the whole state. `index` counts only the pages of the runs in the
/// level of pages.
static uint32_t page_at(const session_fetch_level *pages, uint32_t index)
{
    return pages->firsts[index / BKSI_COMPARE_RUN] + index % BKSI_COMPARE_RUN;
}

/// Ask for the bytes of the lowest differing blocks.
/// @return false if no block differs
static bool ask_bytes(session_fetch *fetch, const session_common *common)
{
    const session_fetch_level *pages = &fetch->levels[0];
    bksi_compare_question question = {.tick = fetch->tick, .wants_bytes = true};
    for (uint32_t i = 0; i < pages->count * BKSI_COMPARE_RUN; i++) {
        while (fetch->blocks[i] != 0 && question.count < BKSI_COMPARE_BLOCKS_MAX) {
            const uint32_t bit = bksi_lowest_bit(fetch->blocks[i]);
            fetch->blocks[i] &= fetch->blocks[i] - 1;
            question.firsts[question.count++] = page_at(pages, i) * BKSI_COMPARE_RUN + bit;
        }
    }
    if (question.count > 0) {
        ask(fetch, common, &question);
    }
    return question.count > 0;
}

/// Ask until FETCH_ASKED_MAX questions wait for answers, or nothing is left to ask.
static void ask_on(session_fetch *fetch, const session_common *common)
{
    uint32_t asked = count_asked(fetch);
    while (asked < FETCH_ASKED_MAX && (ask_below(fetch, common, 0) || ask_bytes(fetch, common))) {
        asked++;
    }
    for (uint32_t i = 1; asked == 0 && i < FETCH_LEVELS; i++) {
        asked += ask_below(fetch, common, i) ? 1 : 0;
    }
    if (asked == 0) {
        fetch->stage = FETCH_HAS_ALL;
    }
}

/// Ask the first questions. Ask for all blocks of a state of few pages, otherwise for the smallest
/// parts with which one question can name the whole state.
static void ask_from_top(session_fetch *fetch, const session_common *common)
{
    const uint64_t pages = (fetch->state_bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    session_fetch_level *level = &fetch->levels[0];
    forget_parts(fetch);
    fetch->stage = FETCH_ASKS;
    if (pages <= FEW_PAGES) {
        level->count = 1;
        level->differ[0] = (UINT64_C(1) << pages) - 1;
        ask_on(fetch, common);
        return;
    }
    uint64_t runs = (pages + BKSI_COMPARE_RUN - 1) / BKSI_COMPARE_RUN;
    bksi_compare_question question = {.tick = fetch->tick, .shift = BKSI_COMPARE_RUN_SHIFT};
    while (runs > BKSI_COMPARE_RUNS_MAX && question.shift < BKSI_COMPARE_SHIFT_MAX) {
        runs = (runs + BKSI_COMPARE_RUN - 1) / BKSI_COMPARE_RUN;
        question.shift += BKSI_COMPARE_RUN_SHIFT;
    }
    question.count = runs < BKSI_COMPARE_RUNS_MAX ? (uint32_t)runs : BKSI_COMPARE_RUNS_MAX;
    for (uint32_t i = 0; i < question.count; i++) {
        question.firsts[i] = i * BKSI_COMPARE_RUN;
    }
    ask(fetch, common, &question);
}

void bksi_fetch_begin(session_fetch *fetch, const session_common *common, bks_tick tick,
                      uint32_t peer)
{
    const uint64_t bytes = fetch->tick == tick ? fetch->bytes : 0;
    forget_parts(fetch);
    fetch->has_written &= fetch->tick == tick;
    fetch->stage = FETCH_MEASURES;
    fetch->tick = tick;
    fetch->peer = peer;
    fetch->bytes = bytes;
    fetch->is_as_long = fetch->may_write = false;
    fetch->heard_ns = common->now_ns;
}

void bksi_fetch_take(session_fetch *fetch, const session_common *common, bks_tick tick,
                     uint32_t peer)
{
    if (!bksi_fetch_is_of(fetch, tick, peer)) {
        bksi_fetch_begin(fetch, common, tick, peer);
    }
    fetch->may_write = true;
    fetch->heard_ns = common->now_ns;
}

void bksi_fetch_end(session_fetch *fetch)
{
    fetch->stage = FETCH_RESTS;
}

bool bksi_fetch_is_silent(const session_fetch *fetch, const session_common *common)
{
    const double trip_ns = bksi_links_round_trip_ns(&common->links, fetch->peer);
    return common->now_ns >= fetch->heard_ns + PATIENCE_NS + PATIENCE_TRIPS * (uint64_t)trip_ns;
}

void bksi_fetch_drop(session_fetch *fetch, bksi_rollback *engine, bool is_taken)
{
    bksi_fetch_end(fetch);
    bksi_rollback_forget_restore(engine);
    if (fetch->has_written && !is_taken) {
        bksi_rollback_spoil_kept(engine, fetch->tick);
    }
    fetch->has_written = false;
}

// ---- operations that our owner carries out on the kept state ----

static bool next_of(session_fetch *fetch, const session_common *common, bks_op_kind kind,
                    bks_op *op)
{
    fetch->is_working = true;
    fetch->has_written |= kind == BKS_OP_WRITE;
    *op = (bks_op){.kind = kind,
                   .tick = fetch->tick,
                   .player = fetch->peer,
                   .keep = bksi_rollback_find_kept(&common->engine, fetch->tick),
                   .look = &fetch->look};
    return true;
}

/// Get the operation that the question in a slot needs from the owner.
/// @return false if the question needs no operation now
static bool next_of_slot(session_fetch *fetch, const session_common *common, uint32_t index,
                         bks_op *op)
{
    const session_fetch_slot *slot = &fetch->slots[index];
    const bksi_compare_question *to = &slot->question;
    fetch->working = index;
    if (slot->step == FETCH_HASHES_OWN) {
        fetch->look = (bks_look){.shift = to->shift, .count = to->count, .firsts = to->firsts};
        return next_of(fetch, common, BKS_OP_PARTS, op);
    }
    if (slot->step == FETCH_IS_ANSWERED && fetch->may_write) {
        fetch->look = (bks_look){.count = slot->block_count,
                                 .firsts = slot->blocks,
                                 .bytes = slot->answer.bytes,
                                 .state_bytes = fetch->state_bytes};
        return next_of(fetch, common, BKS_OP_WRITE, op);
    }
    return false;
}

bool bksi_fetch_next(session_fetch *fetch, const session_common *common, bks_op *op)
{
    if (fetch->stage == FETCH_MEASURES) {
        fetch->look = (bks_look){0};
        return next_of(fetch, common, BKS_OP_PARTS, op);
    }
    if (fetch->stage == FETCH_RESIZES && fetch->may_write) {
        fetch->look = (bks_look){.state_bytes = fetch->state_bytes};
        return next_of(fetch, common, BKS_OP_WRITE, op);
    }
    bool has_next = false;
    for (uint32_t i = 0; fetch->stage == FETCH_ASKS && i < FETCH_ASKED_MAX && !has_next; i++) {
        has_next = next_of_slot(fetch, common, i, op);
    }
    return has_next;
}

/// Handle the result of the operation that the question in a slot needed.
static void done_slot(session_fetch *fetch, const session_common *common, const bks_op *op,
                      const bks_op_result *result)
{
    session_fetch_slot *slot = &fetch->slots[fetch->working];
    bksi_compare_question *to = &slot->question;
    if (op->kind == BKS_OP_WRITE) {
        fetch->bytes += (uint64_t)slot->block_count * BKSI_COMPARE_BLOCK_BYTES;
        slot->step = FETCH_IS_FREE;
        ask_on(fetch, common);
    } else if (result->parts != NULL) {
        memcpy(to->hashes, result->parts, (size_t)to->count * BKSI_COMPARE_RUN * sizeof(uint32_t));
        slot->step = FETCH_IS_ASKED;
    } else {
        fetch->stage = FETCH_FAILED;
    }
}

void bksi_fetch_done(session_fetch *fetch, const session_common *common, const bks_op *op,
                     const bks_op_result *result)
{
    fetch->is_working = false;
    if (result == NULL || result->state_bytes == 0) {
        fetch->stage = FETCH_FAILED;
    } else if (fetch->stage == FETCH_MEASURES) {
        fetch->state_bytes = result->state_bytes;
        ask_from_top(fetch, common);
    } else if (fetch->stage == FETCH_RESIZES) {
        fetch->bytes += fetch->resized_bytes;
        ask_from_top(fetch, common);
    } else {
        done_slot(fetch, common, op, result);
    }
}

// ---- answers of the peer ----

/// Record the blocks of a page that are still to be fetched.
static void note_blocks(session_fetch *fetch, uint32_t page, uint64_t differ)
{
    const session_fetch_level *pages = &fetch->levels[0];
    for (uint32_t i = 0; i < pages->count; i++) {
        if (page - pages->firsts[i] < BKSI_COMPARE_RUN) {
            fetch->blocks[i * BKSI_COMPARE_RUN + page - pages->firsts[i]] = differ;
        }
    }
}

/// Record the parts that differ according to an answer, to compare their smaller parts later.
static void note_parts(session_fetch *fetch, const bksi_compare_answer *answer)
{
    const bksi_compare_question *to = &answer->to;
    if (to->shift == 0) {
        uint32_t has = 0;
        for (uint32_t i = 0; i < to->count; i++) {
            uint64_t left = answer->differ[i];
            for (; left != 0 && has < BKSI_COMPARE_BLOCKS_MAX; has++) {
                left &= left - 1; // skip this block, because the answer has its bytes
            }
            note_blocks(fetch, to->firsts[i] / BKSI_COMPARE_RUN, left);
        }
        return;
    }
    session_fetch_level *level = &fetch->levels[to->shift / BKSI_COMPARE_RUN_SHIFT - 1];
    level->count = to->count;
    for (uint32_t i = 0; i < to->count; i++) {
        level->firsts[i] = to->firsts[i];
        level->differ[i] = answer->differ[i];
    }
}

/// Resize our state to the size of the peer's, and compare it again.
static void fit(session_fetch *fetch, uint64_t state_bytes)
{
    const uint64_t own = fetch->state_bytes;
    fetch->resized_bytes = state_bytes > own ? state_bytes - own : own - state_bytes;
    fetch->state_bytes = state_bytes;
    fetch->stage = FETCH_RESIZES;
}

/// Find the slot of the question that an answer belongs to.
static session_fetch_slot *find_asked(session_fetch *fetch, const bksi_compare_answer *answer)
{
    session_fetch_slot *slot = NULL;
    for (uint32_t i = 0; i < FETCH_ASKED_MAX; i++) {
        session_fetch_slot *at = &fetch->slots[i];
        if (at->step == FETCH_IS_ASKED && bksi_compare_answers(answer, &at->question)) {
            slot = at;
        }
    }
    return slot;
}

void bksi_fetch_heard(session_fetch *fetch, const session_common *common, uint32_t peer,
                      const bksi_compare_answer *answer)
{
    session_fetch_slot *slot = find_asked(fetch, answer);
    if (fetch->stage != FETCH_ASKS || peer != fetch->peer || slot == NULL) {
        return; // the answer is late or repeated
    }
    fetch->heard_ns = common->now_ns;
    const bool is_other = answer->state_bytes != fetch->state_bytes;
    if (answer->to.count == 0 || (is_other && fetch->is_as_long)) {
        // The peer has no state of the tick, or its answers are about two different states.
        fetch->stage = FETCH_FAILED;
        return;
    }
    fetch->is_as_long = true;
    if (is_other) {
        fit(fetch, answer->state_bytes);
        return;
    }
    if (!slot->question.wants_bytes) {
        note_parts(fetch, answer);
    }
    slot->answer = *answer;
    slot->block_count = bksi_compare_blocks(answer, slot->blocks);
    slot->step = slot->block_count > 0 ? FETCH_IS_ANSWERED : FETCH_IS_FREE;
    ask_on(fetch, common);
}

/// Find the question that must be sent next.
/// @return its slot; FETCH_ASKED_MAX: no question is due
static uint32_t find_due(const session_fetch *fetch, const session_common *common)
{
    for (uint32_t i = 0; fetch->stage == FETCH_ASKS && i < FETCH_ASKED_MAX; i++) {
        const session_fetch_slot *slot = &fetch->slots[i];
        if (slot->step == FETCH_IS_ASKED && bksi_retry_is_due(&slot->retry, common)) {
            return i;
        }
    }
    return FETCH_ASKED_MAX;
}

uint32_t bksi_fetch_peers(const session_fetch *fetch, const session_common *common)
{
    return find_due(fetch, common) < FETCH_ASKED_MAX ? PEER_BIT(fetch->peer) : 0;
}

void bksi_fetch_write(session_fetch *fetch, const session_common *common, bksi_byte_writer *writer)
{
    session_fetch_slot *slot = &fetch->slots[find_due(fetch, common)];
    bksi_compare_write_question(writer, &slot->question);
    bksi_retry_sent(&slot->retry, common, fetch->peer, writer->at);
}
