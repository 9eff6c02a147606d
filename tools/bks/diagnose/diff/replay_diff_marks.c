// SPDX-License-Identifier: MIT

#include "diagnose/diff/replay_diff_marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"
#include "record/recording/mark_list.h"

// A comparison under way.
typedef struct comparing {
    replay_diff *d;
    mark_list *sides[2];
} comparing;

// @return false: one of them does not have the tick
static bool see_tick(const comparing *c, bks_tick tick, uint32_t wanted)
{
    bool are_there = true;
    for (int i = 0; i < 2; i++) {
        mark_list *list = c->sides[i];
        mark_list_begin(list, wanted);
        const bks_status status =
            bks_replay_marks(c->d->files[i]->replay, tick, mark_list_add, list);
        are_there = are_there && status == BKS_OK;
        tool_log_drop();
    }
    return are_there;
}

static bool inputs_differ(const comparing *c, bks_tick tick)
{
    int32_t values[2][BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    for (int i = 0; i < 2; i++) {
        const bks_recording *info = c->d->files[i]->info;
        const bool is_read = bks_replay_inputs(c->d->files[i]->replay, tick, values[i]) == BKS_OK;
        tool_log_drop();
        if (!is_read || info->players != c->d->files[0]->info->players ||
            info->field_count != c->d->files[0]->info->field_count) {
            return false;
        }
    }
    const bks_recording *info = c->d->files[0]->info;
    return memcmp(values[0], values[1],
                  (size_t)info->players * info->field_count * sizeof(int32_t)) != 0;
}

// The state at the start of a tick is what the step before it left. Steps with the same inputs from
// the same state leave the same, so what differs came in between.
static void find_step(const comparing *c)
{
    replay_diff_marks *out = &c->d->marks;
    if (out->number > 0 || out->tick == c->d->found.first || !inputs_differ(c, out->tick - 1)) {
        return;
    }
    if (!see_tick(c, out->tick - 1, MARK_LIST_NONE)) {
        return; // it may have differed before
    }
    out->tick--;
    out->number = c->sides[0]->count;
    (void)snprintf(out->mark, sizeof(out->mark), "(end)");
}

// Whether the state at the start of a tick no later than that one has another hash in the files.
static bool is_late(const comparing *c)
{
    const bks_tick hash_tick = c->d->found.hash_tick;
    const replay_diff_marks *marks = &c->d->marks;
    return hash_tick != BKS_TICK_NONE &&
           (marks->tick > hash_tick || (marks->tick == hash_tick && marks->number > 0));
}

static void name_difference(const comparing *c, const state_names *names, bks_tick tick,
                            uint32_t number)
{
    replay_diff_marks *out = &c->d->marks;
    const mark_list *side = c->sides[number < c->sides[0]->count ? 0 : 1];
    out->tick = tick;
    out->number = number;
    (void)snprintf(out->mark, sizeof(out->mark), "%s", side->names[number]);
    if (see_tick(c, tick, number) && c->sides[0]->bytes != NULL && c->sides[1]->bytes != NULL) {
        const bks_compared_state a = {.bytes = c->sides[0]->bytes,
                                      .count = c->sides[0]->bytes_count};
        const bks_compared_state b = {.bytes = c->sides[1]->bytes,
                                      .count = c->sides[1]->bytes_count};
        replay_diff_name(names, &a, &b, &out->value);
    }
    find_step(c);
    out->is_late = is_late(c);
}

// Where to begin: the recorded hashes say in which tick it must be at the latest. They may be
// short, so a tick that differs from its start on is not believed to be the first. Going back takes
// twice the steps each time: a tick may be read from 256 before it.
static bks_tick find_begin(const comparing *c)
{
    const bks_replay_comparison *found = &c->d->found;
    if (found->hash_tick == BKS_TICK_NONE) {
        return found->first;
    }
    bks_tick tick = found->hash_tick;
    for (bks_tick back = 1; tick > found->first; back *= 2) {
        tick = tick - found->first > back ? tick - back : found->first;
        if (replay_diff_passes(c->d, tick) || !see_tick(c, tick, MARK_LIST_NONE) ||
            mark_list_compare(c->sides[0], c->sides[1]) != 0) {
            break;
        }
    }
    return tick;
}

static void compare(const comparing *c, const state_names *names)
{
    const bks_replay_comparison *found = &c->d->found;
    for (bks_tick tick = find_begin(c); tick < found->until; tick++) {
        if (replay_diff_passes(c->d, tick)) {
            continue;
        }
        if (!see_tick(c, tick, MARK_LIST_NONE)) {
            c->d->marks.lost++;
            continue;
        }
        c->d->marks.compared++;
        const uint32_t number = mark_list_compare(c->sides[0], c->sides[1]);
        if (number != MARK_LIST_NONE) {
            name_difference(c, names, tick, number);
            return;
        }
    }
}

void replay_diff_marks_compare(const state_names *names, replay_diff *d)
{
    d->marks.tick = BKS_TICK_NONE;
    if (d->files[0]->info->mark_ticks == 0 || d->files[1]->info->mark_ticks == 0) {
        return;
    }
    comparing c = {.d = d, .sides = {calloc(1, sizeof(mark_list)), calloc(1, sizeof(mark_list))}};
    if (c.sides[0] != NULL && c.sides[1] != NULL) {
        compare(&c, names);
    }
    for (int i = 0; i < 2; i++) {
        if (c.sides[i] != NULL) {
            mark_list_end(c.sides[i]);
        }
        free(c.sides[i]);
    }
}
