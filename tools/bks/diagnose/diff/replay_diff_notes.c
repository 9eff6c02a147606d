// SPDX-License-Identifier: MIT

#include "diagnose/diff/replay_diff_notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"
#include "record/recording/mark_list.h"

enum { NO_NOTE = UINT32_MAX };

// The notes of a tick, by hash, and one of them in full.
typedef struct note_list {
    uint32_t count;
    uint32_t room;
    uint64_t *hashes;
    uint32_t wanted; // NO_NOTE: none
    uint32_t states_before;
    char text[REPLAY_DIFF_TEXT_BYTES];
    bool is_failed; // no memory
} note_list;

static bool add_note(void *context, uint32_t states_before, const char *text)
{
    note_list *list = context;
    if (list->count == list->room) {
        const uint32_t room = list->room > 0 ? 2 * list->room : 64;
        uint64_t *hashes = realloc(list->hashes, room * sizeof(hashes[0]));
        if (hashes == NULL) {
            list->is_failed = true;
            return false;
        }
        list->hashes = hashes;
        list->room = room;
    }
    if (list->count == list->wanted) {
        list->states_before = states_before;
        snprintf(list->text, sizeof(list->text), "%s", text);
    }
    list->hashes[list->count++] = bks_hash64(text, strlen(text), states_before);
    return true;
}

// @return false: one of them does not have the tick
static bool see_tick(const replay_diff *d, note_list *lists, bks_tick tick, uint32_t wanted)
{
    bool are_there = true;
    for (int i = 0; i < 2; i++) {
        lists[i].count = 0;
        lists[i].wanted = wanted;
        lists[i].text[0] = '\0';
        const bks_status status = bks_replay_notes(d->files[i]->replay, tick, add_note, &lists[i]);
        are_there = are_there && status == BKS_OK && !lists[i].is_failed;
        tool_log_drop();
    }
    return are_there;
}

// Number of the first that differs.
static uint32_t first_different(const note_list *lists)
{
    for (uint32_t i = 0; i < lists[0].count || i < lists[1].count; i++) {
        if (i >= lists[0].count || i >= lists[1].count ||
            lists[0].hashes[i] != lists[1].hashes[i]) {
            return i;
        }
    }
    return NO_NOTE;
}

// The mark that stands before a note.
static void name_mark(const replay_file *file, bks_tick tick, uint32_t states_before, char out[64])
{
    mark_list *list = calloc(1, sizeof(*list));
    if (list != NULL) {
        mark_list_begin(list, MARK_LIST_NONE);
        if (bks_replay_marks(file->replay, tick, mark_list_add, list) == BKS_OK &&
            states_before <= list->count) {
            snprintf(out, 64, "%s", list->names[states_before - 1]);
        }
        tool_log_drop();
        mark_list_end(list);
    }
    free(list);
}

static void name_note(replay_diff *d, note_list *lists, bks_tick tick, uint32_t number)
{
    replay_diff_notes *out = &d->notes;
    (void)see_tick(d, lists, tick, number);
    const int side = number >= lists[0].count                          ? 1
                     : number >= lists[1].count                        ? 0
                     : lists[1].states_before < lists[0].states_before ? 1
                                                                       : 0;
    const uint32_t before = lists[side].states_before;
    const replay_diff_marks *marks = &d->marks;
    out->tick = tick;
    snprintf(out->a, sizeof(out->a), "%s", lists[0].text);
    snprintf(out->b, sizeof(out->b), "%s", lists[1].text);
    name_mark(d->files[side], tick, before, out->mark);
    const bks_tick hash_tick = d->found.hash_tick;
    out->is_first = (hash_tick == BKS_TICK_NONE || tick < hash_tick) &&
                    (marks->tick == BKS_TICK_NONE || tick < marks->tick || before <= marks->number);
}

void replay_diff_notes_compare(replay_diff *d)
{
    const bks_replay_comparison *found = &d->found;
    if (d->files[0]->info->mark_ticks == 0 || d->files[1]->info->mark_ticks == 0) {
        return;
    }
    note_list lists[2] = {{0}};
    const bks_tick until = d->marks.tick != BKS_TICK_NONE ? d->marks.tick + 1 : found->until;
    for (bks_tick tick = found->first; tick < until; tick++) {
        if (replay_diff_passes(d, tick) || !see_tick(d, lists, tick, NO_NOTE)) {
            continue; // as was counted for the marks
        }
        d->notes.compared++;
        const uint32_t number = first_different(lists);
        if (number != NO_NOTE) {
            name_note(d, lists, tick, number);
            break;
        }
    }
    free(lists[0].hashes);
    free(lists[1].hashes);
}
