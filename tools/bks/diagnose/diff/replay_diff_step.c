// SPDX-License-Identifier: MIT

// Two recordings stepped here: where their states part when their inputs or beginnings differ, down
// to the first mark or note; and when they do not, which of them this machine agrees with.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"
#include "diagnose/diff/replay_diff_marks.h"
#include "diagnose/diff/replay_diff_notes.h"
#include "game/loader.h"

// Both files, and the game if it could be had.
typedef struct pair {
    replay_file *files[2];
    bks_playback *playbacks[2];
    bool has_region; ///< its state can be read within a step
    state_names names;
    replay_diff *out;
} pair;

// ---- what steps leave behind ----

// What a step left behind.
typedef struct trace_item {
    bool is_note;
    uint64_t hash;
    char text[REPLAY_DIFF_TEXT_BYTES];
} trace_item;

enum { TRACE_ITEMS_MAX = 4096 };

typedef struct trace_list {
    uint32_t count;
    trace_item *items;
} trace_list;

static void add_item(trace_list *list, bool is_note, const char *text, uint64_t hash)
{
    if (list->count < TRACE_ITEMS_MAX) {
        trace_item *item = &list->items[list->count++];
        *item = (trace_item){.is_note = is_note, .hash = hash};
        snprintf(item->text, sizeof(item->text), "%s", text);
    }
}

static void hear_mark(void *context, bks_tick tick, const char *name, uint64_t hash)
{
    (void)tick;
    add_item(context, false, name, hash);
}

static void hear_note(void *context, bks_tick tick, const char *text)
{
    (void)tick;
    add_item(context, true, text, 0);
}

static const trace_item *find_item(const trace_list *list, bool is_note, uint32_t number)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].is_note == is_note && number-- == 0) {
            return &list->items[i];
        }
    }
    return NULL;
}

// Number of the first mark that differs, UINT32_MAX: none does.
static uint32_t compare_marks(const trace_list *lists, replay_diff_state *out)
{
    for (uint32_t i = 0;; i++) {
        const trace_item *a = find_item(&lists[0], false, i);
        const trace_item *b = find_item(&lists[1], false, i);
        if (a == NULL && b == NULL) {
            return UINT32_MAX;
        }
        if (a == NULL || b == NULL || a->hash != b->hash || strcmp(a->text, b->text) != 0) {
            snprintf(out->mark, sizeof(out->mark), "%s", a != NULL ? a->text : b->text);
            out->mark_a = a != NULL ? a->hash : 0;
            out->mark_b = b != NULL ? b->hash : 0;
            return i;
        }
    }
}

static void compare_notes(const trace_list *lists, replay_diff_state *out)
{
    for (uint32_t i = 0;; i++) {
        const trace_item *a = find_item(&lists[0], true, i);
        const trace_item *b = find_item(&lists[1], true, i);
        if (a == NULL && b == NULL) {
            return;
        }
        if (a == NULL || b == NULL || strcmp(a->text, b->text) != 0) {
            snprintf(out->note_a, sizeof(out->note_a), "%s", a != NULL ? a->text : "");
            snprintf(out->note_b, sizeof(out->note_b), "%s", b != NULL ? b->text : "");
            return;
        }
    }
}

// ---- the value that differs ----

// The state of a playback, at a mark or between two ticks.
typedef struct taken_state {
    bks_playback *playback;
    uint32_t marks_before; ///< in its tick, before the one at which it is taken
    uint8_t *bytes;
    size_t room;
    size_t count; ///< 0: it was not taken
} taken_state;

static void take(taken_state *state)
{
    state->count = bks_playback_export(state->playback, state->bytes, state->room);
}

static void reach(void *context, bks_tick tick, const char *name)
{
    (void)tick;
    (void)name;
    taken_state *state = context;
    if (state->marks_before == 0) {
        take(state);
    }
    state->marks_before--; // wraps behind it
}

static bool begin_states(pair *p, taken_state *states)
{
    for (int i = 0; i < 2; i++) {
        const size_t room = bks_playback_export(p->playbacks[i], NULL, 0);
        states[i] = (taken_state){.playback = p->playbacks[i],
                                  .marks_before = UINT32_MAX,
                                  .bytes = room > 0 ? malloc(room) : NULL,
                                  .room = room};
    }
    return states[0].bytes != NULL && states[1].bytes != NULL;
}

static void name_states(pair *p, const taken_state *states)
{
    const bks_compared_state a = {.bytes = states[0].bytes, .count = states[0].count};
    const bks_compared_state b = {.bytes = states[1].bytes, .count = states[1].count};
    if (a.count > 0 && b.count > 0) {
        replay_diff_name(&p->names, &a, &b, &p->out->state.value);
    }
}

// Name what differs of the states as they are, between two ticks.
static void name_now(pair *p)
{
    taken_state states[2];
    if (begin_states(p, states)) {
        take(&states[0]);
        take(&states[1]);
        name_states(p, states);
    }
    tool_log_drop(); // a state that cannot be saved has no names
    free(states[0].bytes);
    free(states[1].bytes);
}

// Step a tick once more and hear it.
static void step_again(pair *p, int side, bks_tick tick, const bks_playback_listener *listener)
{
    if (bks_playback_seek(p->playbacks[side], tick, NULL) == BKS_OK &&
        bks_playback_listen(p->playbacks[side], listener) == BKS_OK) {
        (void)bks_playback_step(p->playbacks[side]);
        (void)bks_playback_listen(p->playbacks[side], NULL);
    }
}

// Name what differs at a mark of a tick, where the states can be read and it is more than hashes.
static void name_at_mark(pair *p, bks_tick tick, uint32_t number)
{
    taken_state states[2];
    if (p->has_region && begin_states(p, states)) {
        for (int i = 0; i < 2; i++) {
            const bks_playback_listener listener = {.reached = reach, .context = &states[i]};
            states[i].marks_before = number;
            step_again(p, i, tick, &listener);
        }
        name_states(p, states);
        free(states[0].bytes);
        free(states[1].bytes);
    }
    tool_log_drop();
}

// Step the tick again whose end differs, and listen.
static void listen_to(pair *p, bks_tick tick)
{
    replay_diff_state *out = &p->out->state;
    trace_list lists[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        lists[i].items = calloc(TRACE_ITEMS_MAX, sizeof(trace_item));
        const bks_playback_listener listener = {
            .mark = hear_mark, .note = hear_note, .context = &lists[i]};
        if (lists[i].items != NULL) {
            step_again(p, i, tick, &listener);
        }
    }
    snprintf(out->mark, sizeof(out->mark), "(end)");
    out->mark_a = out->a;
    out->mark_b = out->b;
    out->step_tick = tick;
    const uint32_t mark = compare_marks(lists, out);
    compare_notes(lists, out);
    free(lists[0].items);
    free(lists[1].items);
    if (mark != UINT32_MAX) {
        name_at_mark(p, tick, mark);
    }
}

// The states at the start of `tick` are the first that differ: name the mark and the value.
static void name_first(pair *p, bks_tick tick)
{
    replay_diff_state *out = &p->out->state;
    snprintf(out->mark, sizeof(out->mark), "(start)");
    out->mark_a = out->a;
    out->mark_b = out->b;
    out->step_tick = tick;
    name_now(p);
    if (tick > p->out->found.first) {
        listen_to(p, tick - 1);
    }
}

// Step both from a tick where their states are the same, until they are not.
static void compare_states(pair *p, bks_tick from)
{
    replay_diff_state *out = &p->out->state;
    out->is_stepped = true;
    for (int i = 0; i < 2; i++) {
        bks_error error = {0};
        if (bks_playback_seek(p->playbacks[i], from, &error) != BKS_OK) {
            out->is_stepped = false;
            snprintf(out->why, sizeof(out->why), "%s", error.text);
            return;
        }
    }
    for (bks_tick tick = from; tick <= p->out->found.until; tick++) {
        const uint64_t a = bks_playback_hash(p->playbacks[0]);
        const uint64_t b = bks_playback_hash(p->playbacks[1]);
        if (a != b) {
            out->tick = tick;
            out->a = a;
            out->b = b;
            name_first(p, tick);
            return;
        }
        if (bks_playback_step(p->playbacks[0]) != BKS_OK ||
            bks_playback_step(p->playbacks[1]) != BKS_OK) {
            return;
        }
    }
}

// The hashes differ where the inputs do not yet: one machine stepped differently. Which one?
static void find_owner(pair *p)
{
    const bks_tick tick = p->out->found.hash_tick;
    const bks_tick first = p->files[0]->info->first;
    // Not to the tick itself: its keyframe would give what A had, not what this machine comes to.
    if (bks_playback_seek(p->playbacks[0], tick > first ? tick - 1 : first, NULL) != BKS_OK ||
        (tick > first && bks_playback_step(p->playbacks[0]) != BKS_OK)) {
        return;
    }
    const uint64_t here = bks_playback_hash(p->playbacks[0]);
    p->out->whose = bks_replay_hash_agrees(p->files[0]->replay, tick, here)   ? REPLAY_DIFF_A
                    : bks_replay_hash_agrees(p->files[1]->replay, tick, here) ? REPLAY_DIFF_B
                                                                              : REPLAY_DIFF_NEITHER;
}

// The names of the game, or of the recordings alone.
// @param out_loaded  receives whether the game could be loaded
// @return TOOL_OK, TOOL_MISUSE: it is another game
static int find_names(pair *p, const char *game_name, loaded_game *game, bool *out_loaded)
{
    const bks_recording *info = p->files[0]->info;
    p->names = (state_names){.names = {.ranges = info->ranges, .range_count = info->range_count}};
    if (loader_open_recorded(p->files[0]->path, game_name, info, game) != TOOL_OK) {
        return TOOL_OK;
    }
    if (strcmp(game->game->name, info->game) != 0) {
        tool_complain(p->files[0]->path,
                      "is of the game %s, but --game %s is %s, expected a build of %s", info->game,
                      game_name != NULL ? game_name : info->game, game->game->name, info->game);
        return TOOL_MISUSE;
    }
    *out_loaded = true;
    p->has_region = game->game->create == NULL;
    state_names_find(game, &p->names);
    return TOOL_OK;
}

static bool open_playbacks(pair *p, const loaded_game *game)
{
    replay_diff_state *out = &p->out->state;
    for (int i = 0; i < 2; i++) {
        const bks_playback_config config = {.replay = p->files[i]->replay, .game = game->game};
        bks_error error = {0};
        if (bks_playback_create(&config, &p->playbacks[i], &error) != BKS_OK) {
            tool_log_drop();
            snprintf(out->why, sizeof(out->why), "%s", error.text);
            return false;
        }
    }
    return true;
}

// Whether the states at tick 0 may differ already.
static bool starts_differ(const replay_diff *d)
{
    for (uint32_t i = 0; i < d->header_count; i++) {
        if (strcmp(d->headers[i].name, "seed") == 0 ||
            strncmp(d->headers[i].name, "option ", 7) == 0) {
            return true;
        }
    }
    return d->found.state_tick == d->found.first;
}

// Why there is nothing to step; NULL: there is.
static const char *why_not(const replay_diff *d)
{
    const bks_recording *a = d->files[0]->info;
    const bks_recording *b = d->files[1]->info;
    if (strcmp(a->game, b->game) != 0) {
        return "they are of different games";
    }
    if (a->version != b->version) {
        return "they are of different versions of the game";
    }
    if (d->found.until <= d->found.first) {
        return "no tick is confirmed in both";
    }
    if (a->players != b->players) {
        return "the numbers of players differ";
    }
    if (d->found.inputs_compared == 0) {
        return "their inputs cannot be compared";
    }
    return replay_diff_first(d) == BKS_TICK_NONE && !starts_differ(d)
               ? "nothing that they are made of differs"
               : NULL;
}

static void step_pair(pair *p, const loaded_game *game)
{
    replay_diff *d = p->out;
    const bks_replay_comparison *found = &d->found;
    const bool has_hash = found->hash_tick != BKS_TICK_NONE;
    const bool has_input = found->input.tick != BKS_TICK_NONE;
    if (!open_playbacks(p, game)) {
        return;
    }
    if (starts_differ(d)) {
        compare_states(p, found->first);
    } else if (has_input) {
        compare_states(p, found->input.tick);
    } else {
        snprintf(d->state.why, sizeof(d->state.why),
                 "their inputs are the same, so this machine comes to one state for both");
    }
    if (has_hash && !starts_differ(d) && (!has_input || found->hash_tick <= found->input.tick)) {
        find_owner(p);
    }
}

// Whether what they hold of the states can be compared by the names of one game.
static bool has_marks(const replay_diff *d)
{
    const bks_recording *a = d->files[0]->info;
    const bks_recording *b = d->files[1]->info;
    return a->mark_ticks > 0 && b->mark_ticks > 0 && strcmp(a->game, b->game) == 0;
}

int replay_diff_step(replay_file *a, replay_file *b, const char *game_name, replay_diff *d)
{
    pair p = {.files = {a, b}, .out = d};
    const char *why = why_not(d);
    loaded_game game;
    const bool is_wanted = why == NULL || has_marks(d);
    bool is_loaded = false;
    const int status = is_wanted ? find_names(&p, game_name, &game, &is_loaded) : TOOL_OK;
    if (status != TOOL_OK) {
        return status;
    }
    if (is_loaded) {
        replay_diff_name_kept(&p.names, d);
    } else if (why == NULL) {
        why = "the game could not be loaded";
    }
    if (has_marks(d)) {
        replay_diff_marks_compare(&p.names, d);
        replay_diff_notes_compare(d);
    }
    if (why != NULL) {
        snprintf(d->state.why, sizeof(d->state.why), "%s", why);
        return TOOL_OK;
    }
    step_pair(&p, &game);
    bks_playback_destroy(p.playbacks[0]);
    bks_playback_destroy(p.playbacks[1]);
    return TOOL_OK;
}
