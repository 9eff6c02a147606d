// SPDX-License-Identifier: MIT

// Steps two recordings on this machine. If their inputs or first states differ, finds the first
// state, mark and note that differ. Otherwise finds the recording whose hash this machine gets.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"
#include "diagnose/diff/replay_diff_marks.h"
#include "game/loader.h"

// Playback of one recording, with the marks and notes of the tick stepped last.
typedef struct stepped_side {
    bks_playback *playback;
    mark_list marks;
    note_list notes;
} stepped_side;

// Both recordings, and the names of the game if it could be loaded.
typedef struct pair {
    replay_file *files[2];
    stepped_side sides[2];
    bool has_region; ///< true if the state lies in the region, so that it can be read within a step
    state_names names;
    replay_diff *out;
} pair;

// ---- marks and notes of a step ----

static void keep_state(stepped_side *side)
{
    const size_t room = bks_playback_export(side->playback, NULL, 0);
    side->marks.bytes = room > 0 ? malloc(room) : NULL;
    if (side->marks.bytes != NULL) {
        side->marks.bytes_count = bks_playback_export(side->playback, side->marks.bytes, room);
    }
}

static void add_mark(stepped_side *side, const char *name, uint64_t hash)
{
    mark_list *list = &side->marks;
    if (list->count < MARK_LIST_MAX) {
        snprintf(list->names[list->count], sizeof(list->names[0]), "%s", name);
        list->hashes[list->count++] = hash;
    }
}

static void hear_reached(void *context, bks_tick tick, const char *name)
{
    stepped_side *side = context;
    (void)tick, (void)name;
    if (side->marks.count == side->marks.wanted) {
        keep_state(side);
    }
}

static void hear_mark(void *context, bks_tick tick, const char *name, uint64_t hash)
{
    (void)tick;
    add_mark(context, name, hash);
}

static void hear_note(void *context, bks_tick tick, const char *text)
{
    stepped_side *side = context;
    (void)tick;
    (void)note_list_add(&side->notes, side->marks.count, text);
}

// Step one tick of both recordings again, and list its marks and notes.
// @param mark, note  indices of the mark whose state and the note whose text are stored
static void step_tick(pair *p, bks_tick tick, uint32_t mark, uint32_t note)
{
    for (int i = 0; i < 2; i++) {
        stepped_side *side = &p->sides[i];
        const bks_playback_listener listener = {.reached = p->has_region ? hear_reached : NULL,
                                                .mark = hear_mark,
                                                .note = hear_note,
                                                .context = side};
        mark_list_begin(&side->marks, mark);
        side->notes.count = 0;
        side->notes.wanted = note;
        side->notes.text[0] = '\0';
        if (bks_playback_seek(side->playback, tick, NULL) == BKS_OK &&
            bks_playback_listen(side->playback, &listener) == BKS_OK) {
            add_mark(side, "(start)", bks_playback_hash(side->playback));
            (void)bks_playback_step(side->playback);
            (void)bks_playback_listen(side->playback, NULL);
        }
    }
    tool_log_drop();
}

static void name_value(pair *p)
{
    (void)replay_diff_name_marks(&p->names, &p->sides[0].marks, &p->sides[1].marks,
                                 &p->out->state.value);
}

// Name the first value that differs between the current states of both playbacks.
static void name_now(pair *p)
{
    for (int i = 0; i < 2; i++) {
        mark_list_begin(&p->sides[i].marks, MARK_LIST_NONE);
        keep_state(&p->sides[i]);
    }
    name_value(p);
    tool_log_drop(); // drop the error: if a state cannot be saved, no value is named
}

// Step again the tick after which the states differ first, and find its first mark and first note
// that differ.
static void name_in_step(pair *p, bks_tick tick)
{
    replay_diff_state *out = &p->out->state;
    stepped_side *a = &p->sides[0];
    stepped_side *b = &p->sides[1];
    step_tick(p, tick, MARK_LIST_NONE, NOTE_LIST_NONE);
    const uint32_t mark = mark_list_compare(&a->marks, &b->marks);
    const uint32_t note = note_list_compare(&a->notes, &b->notes);
    snprintf(out->mark, sizeof(out->mark), "(end)");
    out->step_tick = tick;
    if (mark != MARK_LIST_NONE) {
        snprintf(out->mark, sizeof(out->mark), "%s",
                 (mark < a->marks.count ? a : b)->marks.names[mark]);
        out->mark_a = mark < a->marks.count ? a->marks.hashes[mark] : 0;
        out->mark_b = mark < b->marks.count ? b->marks.hashes[mark] : 0;
    }
    step_tick(p, tick, mark, note);
    name_value(p);
    for (int i = 0; i < 2; i++) {
        snprintf(out->note[i], sizeof(out->note[i]), "%s", p->sides[i].notes.text);
    }
}

// Find the first mark and the first value that differ. `tick` is the first tick whose states at its
// start differ.
static void name_first(pair *p, bks_tick tick)
{
    replay_diff_state *out = &p->out->state;
    snprintf(out->mark, sizeof(out->mark), "(start)");
    out->mark_a = out->a;
    out->mark_b = out->b;
    out->step_tick = tick;
    name_now(p);
    if (tick > p->out->found.first) {
        name_in_step(p, tick - 1);
    }
}

// Step both recordings from a given tick until their states differ.
static void compare_states(pair *p, bks_tick from)
{
    replay_diff_state *out = &p->out->state;
    out->is_stepped = true;
    for (int i = 0; i < 2; i++) {
        bks_error error = {0};
        if (bks_playback_seek(p->sides[i].playback, from, &error) != BKS_OK) {
            out->is_stepped = false;
            snprintf(out->why, sizeof(out->why), "%s", error.text);
            return;
        }
    }
    for (bks_tick tick = from; tick <= p->out->found.until; tick++) {
        const uint64_t a = bks_playback_hash(p->sides[0].playback);
        const uint64_t b = bks_playback_hash(p->sides[1].playback);
        if (a != b) {
            out->tick = tick;
            out->a = a;
            out->b = b;
            name_first(p, tick);
            return;
        }
        if (bks_playback_step(p->sides[0].playback) != BKS_OK ||
            bks_playback_step(p->sides[1].playback) != BKS_OK) {
            return;
        }
    }
}

// At the first tick whose hashes differ, find the recording whose hash this machine gets.
static void find_owner(pair *p)
{
    const bks_tick tick = p->out->found.hash_tick;
    const bks_tick first = p->files[0]->info->first;
    // Seek to the tick before and step, because seeking to a keyframe at `tick` itself would give
    // the recorded state, not one that this machine stepped.
    if (bks_playback_seek(p->sides[0].playback, tick > first ? tick - 1 : first, NULL) != BKS_OK ||
        (tick > first && bks_playback_step(p->sides[0].playback) != BKS_OK)) {
        return;
    }
    const uint64_t here = bks_playback_hash(p->sides[0].playback);
    p->out->whose = bks_replay_hash_agrees(p->files[0]->replay, tick, here)   ? "A"
                    : bks_replay_hash_agrees(p->files[1]->replay, tick, here) ? "B"
                                                                              : "neither";
}

// Get the names of values from the game, or from the recordings if the game cannot be loaded.
// @param out_loaded  receives true if the game is loaded
// @return TOOL_OK, or TOOL_MISUSE if the loaded game is not the game of the recordings
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
        if (bks_playback_create(&config, &p->sides[i].playback, &error) != BKS_OK) {
            tool_log_drop();
            snprintf(out->why, sizeof(out->why), "%s", error.text);
            return false;
        }
    }
    return true;
}

// Return true if the states at the first tick of the recordings may differ.
static bool starts_differ(const replay_diff *d)
{
    return replay_diff_starts_differ(d) || d->found.state_tick == d->found.first;
}

// Return the reason not to step the recordings, NULL to step them.
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

int replay_diff_step(replay_file *a, replay_file *b, const char *game_name, replay_diff *d)
{
    static pair p;
    loaded_game game;
    bool is_loaded = false;
    const char *why = why_not(d);
    const bool has_marks = a->info->mark_ticks > 0 && b->info->mark_ticks > 0 &&
                           strcmp(a->info->game, b->info->game) == 0;
    p = (pair){.files = {a, b}, .out = d};
    if (why == NULL || has_marks) {
        const int status = find_names(&p, game_name, &game, &is_loaded);
        if (status != TOOL_OK) {
            return status;
        }
    }
    if (is_loaded) {
        replay_diff_name_keyframes(&p.names, d);
    } else if (why == NULL) {
        why = "the game could not be loaded";
    }
    if (has_marks) {
        replay_diff_marks_compare(&p.names, d);
    }
    if (why == NULL) {
        step_pair(&p, &game);
    } else {
        snprintf(d->state.why, sizeof(d->state.why), "%s", why);
    }
    for (int i = 0; i < 2; i++) {
        mark_list_end(&p.sides[i].marks);
        bks_playback_destroy(p.sides[i].playback);
    }
    return TOOL_OK;
}
