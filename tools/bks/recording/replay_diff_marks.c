// SPDX-License-Identifier: MIT

#include "recording/replay_diff_marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"

enum { MARKS_MAX = 256, NONE = MARKS_MAX };

// The states of a tick, by hash.
typedef struct mark_list {
    uint32_t count;
    uint64_t hashes[MARKS_MAX];
    char names[MARKS_MAX][64];
    uint32_t wanted; ///< the one whose bytes are kept
    uint8_t *bytes;  ///< NULL: none
    size_t bytes_count;
} mark_list;

// A comparison under way.
typedef struct comparing {
    replay_diff *d;
    mark_list *sides[2];
} comparing;

static bool see(void *context, const char *mark, const void *state, size_t count)
{
    mark_list *list = context;
    list->hashes[list->count] = bks_hash64(state, count, 0);
    (void)snprintf(list->names[list->count], sizeof(list->names[0]), "%s",
                   mark[0] != '\0' ? mark : "(start)");
    if (list->count == list->wanted) {
        list->bytes = malloc(count);
        list->bytes_count = list->bytes != NULL ? count : 0;
        if (list->bytes != NULL) {
            memcpy(list->bytes, state, count);
        }
    }
    list->count++;
    return list->count < MARKS_MAX;
}

// @return false: one of them does not have the tick
static bool see_tick(const comparing *c, bks_tick tick, uint32_t wanted)
{
    bool are_there = true;
    for (int i = 0; i < 2; i++) {
        mark_list *list = c->sides[i];
        list->count = 0;
        list->wanted = wanted;
        const bks_status status = bks_replay_marks(c->d->files[i]->replay, tick, see, list);
        are_there = are_there && status == BKS_OK;
        tool_log_drop();
    }
    return are_there;
}

// Number of the first state of the tick that differs, NONE: none does.
static uint32_t first_different(const comparing *c)
{
    const mark_list *a = c->sides[0];
    const mark_list *b = c->sides[1];
    for (uint32_t i = 0; i < a->count || i < b->count; i++) {
        if (i >= a->count || i >= b->count || a->hashes[i] != b->hashes[i] ||
            strcmp(a->names[i], b->names[i]) != 0) {
            return i;
        }
    }
    return NONE;
}

static void name_difference(const comparing *c, const state_names *names, bks_tick tick,
                            uint32_t number)
{
    replay_diff_marks *out = &c->d->marks;
    const mark_list *side = c->sides[number < c->sides[0]->count ? 0 : 1];
    out->tick = tick;
    (void)snprintf(out->mark, sizeof(out->mark), "%s", side->names[number]);
    if (see_tick(c, tick, number) && c->sides[0]->bytes != NULL && c->sides[1]->bytes != NULL) {
        const bks_compared_state a = {.bytes = c->sides[0]->bytes,
                                      .count = c->sides[0]->bytes_count};
        const bks_compared_state b = {.bytes = c->sides[1]->bytes,
                                      .count = c->sides[1]->bytes_count};
        replay_diff_name(names, &a, &b, &out->value);
    }
    free(c->sides[0]->bytes);
    free(c->sides[1]->bytes);
}

// Where to begin: the recorded hashes say in which tick it must be at the latest. They may be
// short, so a tick that differs from its start on is not believed to be the first.
static bks_tick find_begin(const comparing *c)
{
    const bks_replay_comparison *found = &c->d->found;
    if (found->hash_tick == BKS_TICK_NONE) {
        return found->first;
    }
    bks_tick tick = found->hash_tick;
    while (tick > found->first) {
        tick--;
        if (!see_tick(c, tick, NONE) || first_different(c) != 0) {
            break;
        }
    }
    return tick;
}

static void compare(const comparing *c, const state_names *names)
{
    const bks_replay_comparison *found = &c->d->found;
    for (bks_tick tick = find_begin(c); tick < found->until; tick++) {
        if (!see_tick(c, tick, NONE)) {
            c->d->marks.lost++;
            continue;
        }
        c->d->marks.compared++;
        const uint32_t number = first_different(c);
        if (number != NONE) {
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
    free(c.sides[0]);
    free(c.sides[1]);
}
