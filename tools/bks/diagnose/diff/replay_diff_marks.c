// SPDX-License-Identifier: MIT

#include "diagnose/diff/replay_diff_marks.h"

#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"

bool replay_diff_read_marks(const replay_diff *d, bks_tick tick, uint32_t wanted,
                            mark_list lists[2])
{
    bool has_both = true;
    for (int i = 0; i < 2; i++) {
        mark_list_begin(&lists[i], wanted);
        has_both =
            bks_replay_marks(d->files[i]->replay, tick, mark_list_add, &lists[i]) == BKS_OK &&
            has_both;
        tool_log_drop(); // a second complaint would print the first
    }
    return has_both;
}

// ---- comparison of states at marks ----

// Comparison of the states at marks in two recordings. `lists` holds the marks of the current tick.
typedef struct comparison {
    replay_diff *d;
    mark_list lists[2];
} comparison;

static bool inputs_differ(const replay_diff *d, bks_tick tick)
{
    int32_t values[2][BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    const bks_recording *info = d->files[0]->info;
    for (int i = 0; i < 2; i++) {
        const bool is_read = bks_replay_inputs(d->files[i]->replay, tick, values[i]) == BKS_OK;
        tool_log_drop();
        if (!is_read || d->files[i]->info->players != info->players ||
            d->files[i]->info->field_count != info->field_count) {
            return false;
        }
    }
    return memcmp(values[0], values[1],
                  (size_t)info->players * info->field_count * sizeof(int32_t)) != 0;
}

// If the states already differ at the start of a tick, look at the step before that tick. If the
// inputs of that step differ, report the difference at the end of that step instead. If the inputs
// are equal, keep the tick: the state changed between two steps.
static void find_step(comparison *c)
{
    replay_diff_marks *out = &c->d->marks;
    if (out->number > 0 || out->tick == c->d->found.first || !inputs_differ(c->d, out->tick - 1) ||
        !replay_diff_read_marks(c->d, out->tick - 1, MARK_LIST_NONE, c->lists)) {
        return;
    }
    out->tick--;
    out->number = c->lists[0].count;
    (void)snprintf(out->mark, sizeof(out->mark), "(end)");
}

static void name_difference(comparison *c, const state_names *names, bks_tick tick, uint32_t number)
{
    replay_diff_marks *out = &c->d->marks;
    const mark_list *longer = &c->lists[number < c->lists[0].count ? 0 : 1];
    out->tick = tick;
    out->number = number;
    (void)snprintf(out->mark, sizeof(out->mark), "%s", longer->names[number]);
    if (replay_diff_read_marks(c->d, tick, number, c->lists) && c->lists[0].bytes != NULL &&
        c->lists[1].bytes != NULL) {
        const bks_compared_state a = {.bytes = c->lists[0].bytes, .count = c->lists[0].bytes_count};
        const bks_compared_state b = {.bytes = c->lists[1].bytes, .count = c->lists[1].bytes_count};
        (void)state_difference_find(names, &a, &b, &out->value);
    }
    find_step(c);
    const bks_tick hash_tick = c->d->found.hash_tick;
    out->is_late = hash_tick != BKS_TICK_NONE &&
                   (out->tick > hash_tick || (out->tick == hash_tick && out->number > 0));
}

// Return the tick at which to begin the search. The first difference is at the first tick whose
// hash differs or, because a short hash can miss a difference, before it. So go back from that tick
// to one that starts with equal states. Double the distance each time, because reading one tick may
// unpack the 256 before it.
static bks_tick find_begin(comparison *c)
{
    const bks_replay_comparison *found = &c->d->found;
    if (found->hash_tick == BKS_TICK_NONE) {
        return found->first;
    }
    bks_tick tick = found->hash_tick;
    for (bks_tick back = 1; tick > found->first; back *= 2) {
        tick = tick - found->first > back ? tick - back : found->first;
        if (replay_diff_skips(c->d, tick) ||
            !replay_diff_read_marks(c->d, tick, MARK_LIST_NONE, c->lists) ||
            mark_list_compare(&c->lists[0], &c->lists[1]) != 0) {
            break;
        }
    }
    return tick;
}

static void compare_marks(comparison *c, const state_names *names)
{
    replay_diff_marks *out = &c->d->marks;
    for (bks_tick tick = find_begin(c); tick < c->d->found.until; tick++) {
        if (replay_diff_skips(c->d, tick)) {
            continue;
        }
        if (!replay_diff_read_marks(c->d, tick, MARK_LIST_NONE, c->lists)) {
            out->lost++;
            continue;
        }
        out->compared++;
        const uint32_t number = mark_list_compare(&c->lists[0], &c->lists[1]);
        if (number != MARK_LIST_NONE) {
            name_difference(c, names, tick, number);
            return;
        }
    }
}

// ---- comparison of notes ----

enum { NOTE_LIST_MAX = 4096, NOTE_LIST_NONE = NOTE_LIST_MAX };

/// Hashes of the notes of a tick, and the text of one of them.
typedef struct note_list {
    uint32_t count;
    uint64_t hashes[NOTE_LIST_MAX];
    /// Index of the note whose text is stored, NOTE_LIST_NONE: none.
    uint32_t wanted;
    /// Number of the tick's states that precede the note `wanted`.
    uint32_t states_before;
    char text[REPLAY_DIFF_TEXT_BYTES]; ///< text of the note `wanted`; "" until that note is added
} note_list;

static bool add_note(void *context, uint32_t states_before, const char *text)
{
    note_list *list = context;
    if (list->count == NOTE_LIST_MAX) {
        return false;
    }
    if (list->count == list->wanted) {
        list->states_before = states_before;
        (void)snprintf(list->text, sizeof(list->text), "%s", text);
    }
    list->hashes[list->count++] = bks_hash64(text, strlen(text), states_before);
    return true;
}

static uint32_t compare_lists(const note_list *a, const note_list *b)
{
    for (uint32_t i = 0; i < a->count || i < b->count; i++) {
        if (i >= a->count || i >= b->count || a->hashes[i] != b->hashes[i]) {
            return i;
        }
    }
    return NOTE_LIST_NONE;
}

// Read the notes of a tick from both recordings.
// @param wanted  index of the note whose text is stored
// @return false if one of the recordings lacks the tick
static bool read_notes(const replay_diff *d, bks_tick tick, uint32_t wanted, note_list lists[2])
{
    bool has_both = true;
    for (int i = 0; i < 2; i++) {
        lists[i].count = 0;
        lists[i].wanted = wanted;
        lists[i].text[0] = '\0';
        has_both =
            bks_replay_notes(d->files[i]->replay, tick, add_note, &lists[i]) == BKS_OK && has_both;
    }
    tool_log_drop();
    return has_both;
}

static void name_note(comparison *c, note_list lists[2], bks_tick tick, uint32_t number)
{
    replay_diff_notes *out = &c->d->notes;
    const replay_diff_marks *marks = &c->d->marks;
    (void)read_notes(c->d, tick, number, lists);
    const int side = number >= lists[0].count                          ? 1
                     : number >= lists[1].count                        ? 0
                     : lists[1].states_before < lists[0].states_before ? 1
                                                                       : 0;
    const uint32_t before = lists[side].states_before;
    out->tick = tick;
    for (int i = 0; i < 2; i++) {
        (void)snprintf(out->text[i], sizeof(out->text[i]), "%s", lists[i].text);
    }
    if (replay_diff_read_marks(c->d, tick, MARK_LIST_NONE, c->lists) &&
        before <= c->lists[side].count) {
        (void)snprintf(out->mark, sizeof(out->mark), "%s", c->lists[side].names[before - 1]);
    }
    const bks_tick hash_tick = c->d->found.hash_tick;
    out->is_first = (hash_tick == BKS_TICK_NONE || tick < hash_tick) &&
                    (marks->tick == BKS_TICK_NONE || tick < marks->tick || before <= marks->number);
}

// Compare notes up to the tick with the first mark that differs. Later notes differ only as a
// consequence.
static void compare_notes(comparison *c)
{
    static note_list lists[2];
    const replay_diff *d = c->d;
    const bks_tick until = d->marks.tick != BKS_TICK_NONE ? d->marks.tick + 1 : d->found.until;
    for (bks_tick tick = d->found.first; tick < until; tick++) {
        if (replay_diff_skips(d, tick) || !read_notes(d, tick, NOTE_LIST_NONE, lists)) {
            continue; // skip a tick that a repair corrected, or that one of the files lacks
        }
        c->d->notes.compared++;
        const uint32_t number = compare_lists(&lists[0], &lists[1]);
        if (number != NOTE_LIST_NONE) {
            name_note(c, lists, tick, number);
            return;
        }
    }
}

void replay_diff_marks_compare(const state_names *names, replay_diff *d)
{
    static comparison c;
    if (d->files[0]->info->mark_ticks == 0 || d->files[1]->info->mark_ticks == 0) {
        return;
    }
    c.d = d;
    compare_marks(&c, names);
    compare_notes(&c);
    mark_list_end(&c.lists[0]);
    mark_list_end(&c.lists[1]);
}
