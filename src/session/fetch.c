// SPDX-License-Identifier: MIT

// A walk over the tree of parts. Where several questions can be on their way at once, they are:
// those for the blocks of pages, and those for bytes. What lies above the pages is asked for one
// after another, as few states are so large.

#include "session/fetch.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"

/// How often a question goes until it is answered, beside the round trip.
#define ASK_EVERY_NS (50 * NS_PER_MS)

/// States of no more pages are not asked for the hashes of those: that saves a round trip.
#define FEW_PAGES 16u

#define PAGE_BYTES ((uint64_t)BKSI_COMPARE_BLOCK_BYTES << BKSI_COMPARE_RUN_SHIFT)

// ---- from above to below ----

static void forget_parts(session_fetch *fetch)
{
    for (uint32_t i = 0; i < FETCH_ASKED_MAX; i++) {
        fetch->slots[i].is_asked = fetch->slots[i].is_answered = false;
    }
    memset(fetch->levels, 0, sizeof(fetch->levels));
    memset(fetch->blocks, 0, sizeof(fetch->blocks));
}

/// A question of a level: the parts in runs become its parts.
static void ask(session_fetch *fetch, const session_common *common,
                const bksi_compare_question *question)
{
    for (uint32_t i = 0; i < FETCH_ASKED_MAX; i++) {
        session_fetch_slot *slot = &fetch->slots[i];
        if (!slot->is_asked) {
            slot->is_asked = true;
            slot->is_answered = false;
            slot->question = *question;
            slot->ask_ns = common->now_ns;
            return;
        }
    }
    BKS_ASSERT(false);
}

static uint32_t count_asked(const session_fetch *fetch)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < FETCH_ASKED_MAX; i++) {
        count += fetch->slots[i].is_asked ? 1 : 0;
    }
    return count;
}

/// Take the lowest parts that differ out of a level.
/// @return how many there were, at most BKSI_COMPARE_RUNS_MAX
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

/// Ask for the parts of the lowest parts that differ in a level.
/// @return false: none does
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

/// The number of a page in the first level.
static uint32_t page_at(const session_fetch_level *pages, uint32_t index)
{
    return pages->firsts[index / BKSI_COMPARE_RUN] + index % BKSI_COMPARE_RUN;
}

/// Ask for the bytes of the lowest blocks that differ.
/// @return false: none does
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

/// Ask for as much as may be on its way at once.
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

/// Begin at the highest parts of which one question can name all.
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
    fetch->is_as_long = false;
    fetch->heard_ns = common->now_ns;
}

void bksi_fetch_end(session_fetch *fetch)
{
    fetch->stage = FETCH_RESTS;
}

// ---- the owner of the state ----

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

bool bksi_fetch_next(session_fetch *fetch, const session_common *common, bks_op *op)
{
    if (fetch->stage == FETCH_MEASURES) {
        fetch->look = (bks_look){0};
        return next_of(fetch, common, BKS_OP_PARTS, op);
    }
    if (fetch->stage == FETCH_RESIZES) {
        fetch->look = (bks_look){.state_bytes = fetch->state_bytes};
        return next_of(fetch, common, BKS_OP_WRITE, op);
    }
    for (uint32_t i = 0; fetch->stage == FETCH_ASKS && i < FETCH_ASKED_MAX; i++) {
        const session_fetch_slot *slot = &fetch->slots[i];
        if (slot->is_asked && slot->is_answered) {
            const bksi_compare_question *to = &slot->question;
            fetch->working = i;
            fetch->look = (bks_look){.shift = to->shift,
                                     .count = to->count,
                                     .firsts = to->firsts,
                                     .bytes = to->wants_bytes ? slot->answer.bytes : NULL,
                                     .state_bytes = to->wants_bytes ? fetch->state_bytes : 0};
            return next_of(fetch, common, to->wants_bytes ? BKS_OP_WRITE : BKS_OP_PARTS, op);
        }
    }
    return false;
}

/// Which parts of a run differ.
static uint64_t compare_run(const uint32_t *own, const uint32_t *other)
{
    uint64_t differ = 0;
    for (uint32_t i = 0; i < BKSI_COMPARE_RUN; i++) {
        differ |= own[i] != other[i] ? UINT64_C(1) << i : 0;
    }
    return differ;
}

/// The blocks of a page that differ.
static void note_blocks(session_fetch *fetch, uint32_t page, uint64_t differ)
{
    const session_fetch_level *pages = &fetch->levels[0];
    for (uint32_t i = 0; i < pages->count; i++) {
        if (page - pages->firsts[i] < BKSI_COMPARE_RUN) {
            fetch->blocks[i * BKSI_COMPARE_RUN + page - pages->firsts[i]] = differ;
        }
    }
}

static void compare_parts(session_fetch *fetch, const session_fetch_slot *slot, const uint32_t *own)
{
    const bksi_compare_question *to = &slot->question;
    session_fetch_level *level =
        to->shift > 0 ? &fetch->levels[to->shift / BKSI_COMPARE_RUN_SHIFT - 1] : NULL;
    for (uint32_t i = 0; i < to->count; i++) {
        const uint64_t differ = compare_run(own + (size_t)i * BKSI_COMPARE_RUN,
                                            slot->answer.hashes + (size_t)i * BKSI_COMPARE_RUN);
        if (level == NULL) {
            note_blocks(fetch, to->firsts[i] / BKSI_COMPARE_RUN, differ);
        } else {
            level->count = to->count;
            level->firsts[i] = to->firsts[i];
            level->differ[i] = differ;
        }
    }
}

/// The parts that an answer names are compared with ours, or its bytes are written.
static void done_slot(session_fetch *fetch, const session_common *common, const bks_op *op,
                      const bks_op_result *result)
{
    session_fetch_slot *slot = &fetch->slots[fetch->working];
    slot->is_asked = false;
    if (op->kind == BKS_OP_WRITE) {
        fetch->bytes += (uint64_t)slot->question.count * BKSI_COMPARE_BLOCK_BYTES;
    } else if (result->parts != NULL) {
        compare_parts(fetch, slot, result->parts);
    } else {
        fetch->stage = FETCH_FAILED;
        return;
    }
    ask_on(fetch, common);
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

// ---- the peer ----

/// Our state becomes as long as the peer's, and is looked at anew.
static void fit(session_fetch *fetch, uint64_t state_bytes)
{
    const uint64_t own = fetch->state_bytes;
    fetch->resized_bytes = state_bytes > own ? state_bytes - own : own - state_bytes;
    fetch->state_bytes = state_bytes;
    fetch->stage = FETCH_RESIZES;
}

void bksi_fetch_heard(session_fetch *fetch, const session_common *common, uint32_t peer,
                      const bksi_compare_answer *answer)
{
    session_fetch_slot *slot = NULL;
    for (uint32_t i = 0; i < FETCH_ASKED_MAX; i++) {
        session_fetch_slot *at = &fetch->slots[i];
        if (at->is_asked && !at->is_answered && bksi_compare_answers(answer, &at->question)) {
            slot = at;
        }
    }
    if (fetch->stage != FETCH_ASKS || peer != fetch->peer || slot == NULL) {
        return; // late, or repeated
    }
    fetch->heard_ns = common->now_ns;
    const bool is_other = answer->state_bytes != fetch->state_bytes;
    if (answer->to.count == 0 || (is_other && fetch->is_as_long)) {
        fetch->stage = FETCH_FAILED; // it has no such state, or two of them
        return;
    }
    fetch->is_as_long = true;
    if (is_other) {
        fit(fetch, answer->state_bytes);
        return;
    }
    slot->answer = *answer;
    slot->is_answered = true;
}

/// The question that is to go next.
/// @return its slot, FETCH_ASKED_MAX: none now
static uint32_t find_due(const session_fetch *fetch, const session_common *common)
{
    for (uint32_t i = 0; fetch->stage == FETCH_ASKS && i < FETCH_ASKED_MAX; i++) {
        const session_fetch_slot *slot = &fetch->slots[i];
        if (slot->is_asked && !slot->is_answered && common->now_ns >= slot->ask_ns) {
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
    const double trip_ns = bksi_links_round_trip_ns(&common->links, fetch->peer);
    slot->ask_ns = common->now_ns + ASK_EVERY_NS + (uint64_t)trip_ns;
    bksi_compare_write_question(writer, &slot->question);
}
