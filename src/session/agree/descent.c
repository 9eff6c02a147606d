// SPDX-License-Identifier: MIT

#include "session/agree/descent.h"

#include <stdio.h>
#include <string.h>

#include "base/report.h"

/// Time in which a peer must answer all questions of a descent.
#define PATIENCE_NS (3 * NS_PER_SECOND)

// ---- the end of a search ----

/// Get how many characters of a value to print. Attempt 0 prints all, attempt 1 all but the bits in
/// parentheses, later attempts at most 20.
static int value_chars(const char *value, uint32_t attempt)
{
    const char *bits = strstr(value, " (");
    const size_t count = attempt > 0 && bits != NULL ? (size_t)(bits - value) : strlen(value);
    return (int)(attempt > 1 && count > 20 ? 20 : count);
}

/// Print a named difference, shortened to fit the text of an event; bks_session_difference() gets
/// the unshortened values.
static void say_named(char *text, size_t capacity, const bks_difference *found, const char *alone)
{
    size_t count = capacity;
    for (uint32_t attempt = 0; attempt < 3 && count >= capacity; attempt++) {
        count = (size_t)snprintf(
            text, capacity, "tick %d, %.60s: ours %.*s, %.*s of peer %u%s", (int)found->tick,
            found->text, value_chars(found->own_value, attempt), found->own_value,
            value_chars(found->peer_value, attempt), found->peer_value, found->peer, alone);
    }
}

static void say(const session_descent *descent, session_events *events)
{
    const bks_difference *found = &descent->found;
    bks_event *event = bksi_events_raise(events, BKS_EVENT_NAMED, found->peer, found->tick);
    char alone[32] = "";
    if (found->alone != BKS_PEERS_MAX) {
        (void)snprintf(alone, sizeof(alone), "; peer %u stands alone", found->alone);
    }
    if (!found->is_named) {
        bksi_event_describe(event, "the difference from peer %u has no name: %.60s%s", found->peer,
                            found->text, alone);
    } else {
        say_named(event->text, sizeof(event->text), found, alone);
    }
    bksi_log(BKS_LOG_WARNING, "session.named", "%s", event->text);
}

/// As soon as it is known, store which single peer differs from all others, because after a repair
/// this can no longer be found out.
static void note_alone(session_descent *descent, const session_checking *checking,
                       const session_common *common)
{
    const uint32_t alone = bksi_checking_alone(checking, common);
    descent->alone = alone != BKS_PEERS_MAX ? alone : descent->alone;
}

static void finish(session_descent *descent, const session_checking *checking,
                   const session_common *common, session_events *events)
{
    bks_difference *found = &descent->found;
    found->peer = descent->peer;
    found->tick = descent->question.tick;
    note_alone(descent, checking, common);
    found->alone = descent->alone;
    descent->has_found = true;
    descent->done |= PEER_BIT(descent->peer);
    descent->stage = DESCENT_RESTS;
    say(descent, events);
}

static void give_up(session_descent *descent, const session_checking *checking,
                    const session_common *common, session_events *events, const char *why)
{
    descent->found = (bks_difference){0};
    (void)snprintf(descent->found.text, sizeof(descent->found.text), "%s", why);
    finish(descent, checking, common, events);
}

static void copy_text(char *to, size_t room, const char *from)
{
    (void)snprintf(to, room, "%s", from != NULL ? from : "");
}

static void name(session_descent *descent, const session_checking *checking,
                 const session_common *common, session_events *events, const bks_op_result *result)
{
    static const bks_op_result nothing = {0};
    result = result != NULL ? result : &nothing;
    bks_difference *found = &descent->found;
    *found = (bks_difference){
        .is_named = true, .offset_bytes = (uint64_t)descent->blocks[0] * BKSI_COMPARE_BLOCK_BYTES};
    if (result->object != NULL && result->field != NULL) {
        found->offset_bytes = result->offset_bytes;
        copy_text(found->object, sizeof(found->object), result->object);
        copy_text(found->field, sizeof(found->field), result->field);
        copy_text(found->own_value, sizeof(found->own_value), result->own_value);
        copy_text(found->peer_value, sizeof(found->peer_value), result->peer_value);
    } else {
        copy_text(found->object, sizeof(found->object), "(unnamed)");
        (void)snprintf(found->field, sizeof(found->field), "byte %llu",
                       (unsigned long long)found->offset_bytes);
    }
    (void)snprintf(found->text, sizeof(found->text), "%s%s%s", found->object,
                   found->field[0] == '[' ? "" : ".", found->field);
    finish(descent, checking, common, events);
}

// ---- from large parts to small ones ----

static void ask(session_descent *descent, const session_common *common)
{
    descent->stage = DESCENT_ASKS;
    bksi_retry_begin(&descent->retry, common);
}

/// Begin to compare a tick's state, from the largest parts down.
static void begin_at(session_descent *descent, bksi_rollback *engine, bks_tick tick)
{
    descent->question = (bksi_compare_question){.tick = tick, .shift = BKSI_COMPARE_SHIFT_MAX};
    descent->stage = DESCENT_MEASURES;
    bksi_rollback_look_at(engine, tick);
}

void bksi_descent_update(session_descent *descent, const session_checking *checking,
                         session_common *common)
{
    if (descent->stage != DESCENT_RESTS) {
        note_alone(descent, checking, common);
        if (!bksi_common_has(common, descent->peer)) {
            give_up(descent, checking, common, &common->events, "it has left");
        } else if (common->now_ns >= descent->until_ns) {
            give_up(descent, checking, common, &common->events, "it does not answer");
        }
        return;
    }
    descent->done &= bksi_checking_reported(checking, common);
    EACH_PEER (i, bksi_checking_differing(checking, common) & ~descent->done) {
        const bks_tick tick =
            bksi_rollback_oldest_kept(&common->engine, bksi_checking_differs_at(checking, i));
        descent->peer = i;
        descent->alone = BKS_PEERS_MAX;
        descent->until_ns = common->now_ns + PATIENCE_NS;
        descent->question = (bksi_compare_question){.tick = bksi_checking_differs_at(checking, i)};
        if (tick == BKS_TICK_NONE) {
            give_up(descent, checking, common, &common->events,
                    "our state of that tick is gone, raise keep_ticks");
        } else {
            begin_at(descent, &common->engine, tick);
        }
        return;
    }
}

/// Choose the smallest part size with which one question can still name all parts.
static void choose_top(session_descent *descent, uint64_t state_bytes)
{
    bksi_compare_question *question = &descent->question;
    uint64_t runs = 0;
    question->shift = 0;
    for (;; question->shift += BKSI_COMPARE_RUN_SHIFT) {
        const uint64_t run_bytes = (uint64_t)BKSI_COMPARE_BLOCK_BYTES
                                   << (question->shift + BKSI_COMPARE_RUN_SHIFT);
        runs = (state_bytes + run_bytes - 1) / run_bytes;
        if (runs <= BKSI_COMPARE_RUNS_MAX || question->shift == BKSI_COMPARE_SHIFT_MAX) {
            break;
        }
    }
    question->count = runs <= BKSI_COMPARE_RUNS_MAX ? (uint32_t)runs : BKSI_COMPARE_RUNS_MAX;
    for (uint32_t i = 0; i < question->count; i++) {
        question->firsts[i] = i * BKSI_COMPARE_RUN;
    }
}

/// Get the look-up by which the owner names the differing bytes in the blocks of the answer.
static bks_look look_at_blocks(session_descent *descent)
{
    return (bks_look){.count = bksi_compare_blocks(&descent->answer, descent->blocks),
                      .firsts = descent->blocks,
                      .bytes = descent->answer.bytes,
                      .state_bytes = descent->answer.state_bytes};
}

bool bksi_descent_next(session_descent *descent, const session_common *common, bks_op *op)
{
    const bksi_compare_question *question = &descent->question;
    const bool is_named = descent->stage == DESCENT_NAMES;
    if (!is_named && descent->stage != DESCENT_MEASURES && descent->stage != DESCENT_HASHES) {
        return false;
    }
    descent->look = is_named ? look_at_blocks(descent)
                             : (bks_look){.shift = question->shift,
                                          .count = question->count,
                                          .firsts = question->firsts};
    *op = (bks_op){.kind = is_named ? BKS_OP_NAME : BKS_OP_PARTS,
                   .tick = question->tick,
                   .player = descent->peer,
                   .keep = bksi_rollback_find_kept(&common->engine, question->tick),
                   .look = &descent->look};
    return true;
}

void bksi_descent_done(session_descent *descent, const session_checking *checking,
                       const session_common *common, session_events *events,
                       const bks_op_result *result)
{
    if (descent->stage == DESCENT_NAMES) {
        if (result != NULL && result->is_same) {
            give_up(descent, checking, common, events, "its bytes of that tick are the same");
        } else {
            name(descent, checking, common, events, result);
        }
        return;
    }
    const bool is_measured = descent->stage == DESCENT_MEASURES;
    if (result == NULL || result->state_bytes == 0 || (!is_measured && result->parts == NULL)) {
        give_up(descent, checking, common, events, "our state cannot be looked at");
    } else if (is_measured) {
        descent->own_bytes = result->state_bytes;
        choose_top(descent, result->state_bytes);
        descent->stage = DESCENT_HASHES;
    } else {
        memcpy(descent->question.hashes, result->parts,
               (size_t)descent->question.count * BKSI_COMPARE_RUN * sizeof(uint32_t));
        ask(descent, common);
    }
}

/// Ask for the block in which the shorter state ends, because all hashed parts are equal but one
/// state is longer.
/// @return false if both states have the same size
static bool go_to_the_end(session_descent *descent)
{
    const uint64_t own = descent->own_bytes;
    const uint64_t peers = descent->answer.state_bytes;
    const uint64_t block = (own < peers ? own : peers) / BKSI_COMPARE_BLOCK_BYTES;
    descent->question = (bksi_compare_question){.wants_bytes = true,
                                                .tick = descent->question.tick,
                                                .count = own != peers && block <= UINT32_MAX,
                                                .firsts = {(uint32_t)block}};
    return descent->question.count > 0;
}

/// Ask for the smaller parts of the parts that differ.
/// @return false if no part differs
static bool go_down(session_descent *descent)
{
    bksi_compare_question *question = &descent->question;
    uint32_t parts[BKSI_COMPARE_RUNS_MAX];
    const uint32_t count = bksi_compare_differing(&descent->answer, BKSI_COMPARE_RUNS_MAX, parts);
    for (uint32_t i = 0; i < count; i++) {
        question->firsts[i] = parts[i] * BKSI_COMPARE_RUN;
    }
    question->count = count;
    question->shift -= count > 0 ? BKSI_COMPARE_RUN_SHIFT : 0;
    return count > 0;
}

/// Choose the tick to ask for next if the peer holds no state of the current tick.
/// @param oldest  first later tick whose state the peer holds; BKS_TICK_NONE: none
/// @return the tick; BKS_TICK_NONE: there is no tick whose state both peers hold
static bks_tick choose_later(const session_common *common, bks_tick oldest)
{
    // Do not choose the peer's oldest state if both peers hold a later one, because the oldest may
    // be gone before the next question arrives.
    const int64_t later = (int64_t)oldest + common->config.tuning.keep_ticks / 2;
    bks_tick tick = BKS_TICK_NONE;
    if (oldest != BKS_TICK_NONE && later <= bksi_rollback_published(&common->engine)) {
        tick = bksi_rollback_oldest_kept(&common->engine, (bks_tick)later);
    }
    if (oldest != BKS_TICK_NONE && tick == BKS_TICK_NONE) {
        tick = bksi_rollback_oldest_kept(&common->engine, oldest);
    }
    return tick;
}

void bksi_descent_heard(session_descent *descent, const session_checking *checking,
                        session_common *common, uint32_t peer, const bksi_compare_answer *answer)
{
    if (descent->stage != DESCENT_ASKS || peer != descent->peer ||
        !bksi_compare_answers(answer, &descent->question)) {
        return; // the answer is late or repeated
    }
    descent->answer = *answer;
    if (answer->to.count == 0) {
        const bks_tick tick = choose_later(common, answer->oldest);
        if (tick != BKS_TICK_NONE) {
            begin_at(descent, &common->engine, tick);
        } else {
            give_up(descent, checking, common, &common->events, "it has no state of such a tick");
        }
    } else if (bksi_compare_blocks(answer, descent->blocks) > 0) {
        descent->stage = DESCENT_NAMES;
    } else if (descent->question.shift > 0 && go_down(descent)) {
        descent->stage = DESCENT_HASHES;
    } else if (go_to_the_end(descent)) {
        ask(descent, common);
    } else if (bksi_rollback_meets_before(&common->engine, descent->question.tick)) {
        descent->stage = DESCENT_RESTS; // the difference has been repaired meanwhile
        descent->done |= PEER_BIT(descent->peer);
    } else {
        give_up(descent, checking, common, &common->events,
                "their states of that tick are the same");
    }
}

void bksi_descent_write(session_descent *descent, const session_common *common,
                        bksi_byte_writer *writer)
{
    bksi_compare_write_question(writer, &descent->question);
    bksi_retry_sent(&descent->retry, common, descent->peer, writer->at);
}
