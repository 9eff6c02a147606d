// SPDX-License-Identifier: MIT

#include "replay_diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"
#include "replay_print.h"
#include "tool.h"

// Both files, and the game if it could be had.
typedef struct pair {
    replay_file *files[2];
    bks_playback *playbacks[2];
    replay_diff *out;
} pair;

const char *replay_diff_whose(replay_diff_owner owner)
{
    static const char *const names[] = {"", "A", "B", "neither"};
    return names[owner];
}

bool replay_diff_is_same(const replay_diff *d)
{
    bool is_same = d->input.tick == BKS_TICK_NONE && d->hash.tick == BKS_TICK_NONE &&
                   d->event.index == UINT32_MAX && d->state.tick == BKS_TICK_NONE;
    for (uint32_t i = 0; i < d->header_count; i++) {
        is_same = is_same && !d->headers[i].counts;
    }
    return is_same;
}

// ---- what they say of themselves ----

static void add_text(replay_diff *d, const char *name, const char *a, const char *b, bool counts)
{
    if (strcmp(a, b) == 0 || d->header_count == REPLAY_DIFF_HEADERS_MAX) {
        return;
    }
    replay_diff_header *header = &d->headers[d->header_count++];
    snprintf(header->name, sizeof(header->name), "%s", name);
    snprintf(header->a, sizeof(header->a), "%s", a);
    snprintf(header->b, sizeof(header->b), "%s", b);
    header->counts = counts;
}

static void add_number(replay_diff *d, const char *name, uint64_t a, uint64_t b)
{
    char texts[2][24];
    snprintf(texts[0], sizeof(texts[0]), "%" PRIu64, a);
    snprintf(texts[1], sizeof(texts[1]), "%" PRIu64, b);
    add_text(d, name, texts[0], texts[1], true);
}

static const char *value_of(const bks_replay_pair *pairs, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(pairs[i].name, name) == 0) {
            return pairs[i].value;
        }
    }
    return "";
}

static void add_pairs(replay_diff *d, const char *what, const bks_replay_pair *a, uint32_t a_count,
                      const bks_replay_pair *b, uint32_t b_count, bool counts)
{
    char name[80];
    for (uint32_t i = 0; i < a_count; i++) {
        snprintf(name, sizeof(name), "%s %s", what, a[i].name);
        add_text(d, name, a[i].value, value_of(b, b_count, a[i].name), counts);
    }
    for (uint32_t i = 0; i < b_count; i++) {
        if (value_of(a, a_count, b[i].name)[0] == '\0') {
            snprintf(name, sizeof(name), "%s %s", what, b[i].name);
            add_text(d, name, "", b[i].value, counts);
        }
    }
}

static void describe_layout(const bks_replay_info *info, char out[80])
{
    out[0] = '\0';
    for (uint32_t i = 0; i < info->field_count; i++) {
        const size_t used = strlen(out);
        snprintf(out + used, 80 - used, "%s%s:%" PRIu32 "%s", i > 0 ? " " : "",
                 info->fields[i].name, info->fields[i].bits, info->fields[i].is_signed ? "s" : "");
    }
}

static bool is_same_layout(const bks_replay_info *a, const bks_replay_info *b)
{
    bool is_same = a->players == b->players && a->field_count == b->field_count;
    for (uint32_t i = 0; is_same && i < a->field_count; i++) {
        is_same = strcmp(a->fields[i].name, b->fields[i].name) == 0 &&
                  a->fields[i].bits == b->fields[i].bits &&
                  a->fields[i].is_signed == b->fields[i].is_signed;
    }
    return is_same;
}

static void compare_headers(replay_diff *d, const bks_replay_info *a, const bks_replay_info *b)
{
    char layouts[2][80];
    describe_layout(a, layouts[0]);
    describe_layout(b, layouts[1]);
    add_text(d, "game", a->game, b->game, true);
    add_number(d, "version", a->version, b->version);
    add_text(d, "build", a->build, b->build, false);
    add_number(d, "players", a->players, b->players);
    add_number(d, "tick rate", a->tick_rate_hz, b->tick_rate_hz);
    add_number(d, "seed", a->seed, b->seed);
    add_text(d, "input", layouts[0], layouts[1], true);
    add_pairs(d, "option", a->options, a->option_count, b->options, b->option_count, true);
    add_number(d, "first tick", (uint64_t)a->first, (uint64_t)b->first);
    add_number(d, "ticks", (uint64_t)a->ticks, (uint64_t)b->ticks);
    add_text(d, "complete", a->is_complete ? "yes" : "no", b->is_complete ? "yes" : "no", true);
    add_pairs(d, "environment", a->environment, a->environment_count, b->environment,
              b->environment_count, false);
}

// ---- inputs, hashes, events ----

static void compare_inputs(pair *p)
{
    static int32_t values[2][BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    const bks_replay_info *info = p->files[0]->info;
    const uint32_t count = info->players * info->field_count;
    for (bks_tick tick = p->out->first; tick < p->out->common; tick++) {
        if (bks_replay_inputs(p->files[0]->replay, tick, values[0]) != BKS_OK ||
            bks_replay_inputs(p->files[1]->replay, tick, values[1]) != BKS_OK) {
            continue; // lost
        }
        p->out->inputs_compared++;
        for (uint32_t i = 0; i < count; i++) {
            if (values[0][i] != values[1][i]) {
                p->out->input =
                    (replay_diff_input){.tick = tick,
                                        .player = i / info->field_count,
                                        .field = info->fields[i % info->field_count].name,
                                        .a = values[0][i],
                                        .b = values[1][i]};
                return;
            }
        }
    }
}

static void compare_hashes(pair *p)
{
    replay_diff_hash *out = &p->out->hash;
    for (bks_tick tick = p->out->first; tick <= p->out->common; tick++) {
        uint64_t hashes[2] = {0};
        uint32_t bits[2] = {0};
        for (int i = 0; i < 2; i++) {
            if (bks_replay_hash(p->files[i]->replay, tick, &hashes[i], &bits[i]) != BKS_OK) {
                bits[i] = 0;
            }
        }
        const uint32_t least = bits[0] < bits[1] ? bits[0] : bits[1];
        if (least == 0) {
            continue;
        }
        out->compared++;
        const uint64_t mask = least < 64 ? (UINT64_C(1) << least) - 1 : UINT64_MAX;
        if (((hashes[0] ^ hashes[1]) & mask) != 0) {
            out->tick = tick;
            out->bits = least;
            out->a = hashes[0] & mask;
            out->b = hashes[1] & mask;
            return;
        }
    }
}

// The next event from `*index` on that is the match's and not the recording machine's own, of the
// ticks that both have.
static bool next_event(const pair *p, int i, uint32_t *index, bks_replay_event *out)
{
    const replay_file *file = p->files[i];
    const bool is_equally_long = p->files[0]->info->ticks == p->files[1]->info->ticks;
    while (*index < file->info->event_count) {
        if (bks_replay_get_event(file->replay, (*index)++, out) == BKS_OK &&
            out->kind != BKS_REPLAY_DELAY && out->tick >= p->out->first &&
            (is_equally_long || out->tick < p->out->common)) {
            return true;
        }
    }
    return false;
}

static void compare_events(pair *p)
{
    uint32_t indices[2] = {0};
    for (uint32_t number = 0;; number++) {
        char texts[2][REPLAY_DIFF_TEXT_BYTES] = {{0}};
        bool has_any = false;
        for (int i = 0; i < 2; i++) {
            bks_replay_event event;
            if (next_event(p, i, &indices[i], &event)) {
                has_any = true;
                replay_print_event(&event, texts[i]);
            }
        }
        if (!has_any) {
            return;
        }
        if (strcmp(texts[0], texts[1]) != 0) {
            p->out->event.index = number;
            memcpy(p->out->event.a, texts[0], sizeof(texts[0]));
            memcpy(p->out->event.b, texts[1], sizeof(texts[1]));
            return;
        }
    }
}

// ---- states ----

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

static void compare_marks(const trace_list *lists, replay_diff_state *out)
{
    for (uint32_t i = 0;; i++) {
        const trace_item *a = find_item(&lists[0], false, i);
        const trace_item *b = find_item(&lists[1], false, i);
        if (a == NULL && b == NULL) {
            return;
        }
        if (a == NULL || b == NULL || a->hash != b->hash || strcmp(a->text, b->text) != 0) {
            snprintf(out->mark, sizeof(out->mark), "%s", a != NULL ? a->text : b->text);
            out->mark_a = a != NULL ? a->hash : 0;
            out->mark_b = b != NULL ? b->hash : 0;
            return;
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

// Step the tick again whose end differs, and listen.
static void listen_to(pair *p, bks_tick tick)
{
    trace_list lists[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        lists[i].items = calloc(TRACE_ITEMS_MAX, sizeof(trace_item));
        const bks_playback_listener listener = {
            .mark = hear_mark, .note = hear_note, .context = &lists[i]};
        if (lists[i].items != NULL && bks_playback_seek(p->playbacks[i], tick, NULL) == BKS_OK &&
            bks_playback_listen(p->playbacks[i], &listener) == BKS_OK) {
            (void)bks_playback_step(p->playbacks[i]);
            (void)bks_playback_listen(p->playbacks[i], NULL);
        }
    }
    compare_marks(lists, &p->out->state);
    compare_notes(lists, &p->out->state);
    free(lists[0].items);
    free(lists[1].items);
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
    for (bks_tick tick = from; tick <= p->out->common; tick++) {
        const uint64_t a = bks_playback_hash(p->playbacks[0]);
        const uint64_t b = bks_playback_hash(p->playbacks[1]);
        if (a != b) {
            out->tick = tick;
            out->a = a;
            out->b = b;
            if (tick > p->out->first) {
                listen_to(p, tick - 1);
            }
            return;
        }
        if (bks_playback_step(p->playbacks[0]) != BKS_OK ||
            bks_playback_step(p->playbacks[1]) != BKS_OK) {
            return;
        }
    }
}

// The hashes differ where the inputs do not yet: one machine stepped otherwise. Which one?
static void find_owner(pair *p)
{
    replay_diff_hash *hash = &p->out->hash;
    const bks_tick first = p->files[0]->info->first;
    bks_tick before = hash->tick;
    if (bks_playback_seek(p->playbacks[0], before > first ? before - 1 : first, NULL) != BKS_OK) {
        return;
    }
    if (before > first && bks_playback_step(p->playbacks[0]) != BKS_OK) {
        return;
    }
    const uint64_t here = bks_playback_hash(p->playbacks[0]);
    hash->whose = bks_replay_hash_agrees(p->files[0]->replay, before, here)   ? REPLAY_DIFF_A
                  : bks_replay_hash_agrees(p->files[1]->replay, before, here) ? REPLAY_DIFF_B
                                                                              : REPLAY_DIFF_NEITHER;
}

static bool open_playbacks(pair *p, const char *game_name)
{
    loaded_game game;
    replay_diff_state *out = &p->out->state;
    if (loader_open_recorded(p->files[0]->path, game_name, p->files[0]->info, &game) != TOOL_OK) {
        snprintf(out->why, sizeof(out->why), "the game could not be loaded");
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const bks_playback_config config = {.replay = p->files[i]->replay, .game = game.game};
        bks_error error = {0};
        if (bks_playback_create(&config, &p->playbacks[i], &error) != BKS_OK) {
            tool_complain_error(p->files[i]->path, &error);
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
    return false;
}

static void step_both(pair *p, const char *game_name)
{
    replay_diff *d = p->out;
    const bool has_hash = d->hash.tick != BKS_TICK_NONE;
    const bool has_input = d->input.tick != BKS_TICK_NONE;
    if (!has_hash && !has_input && !starts_differ(d)) {
        snprintf(d->state.why, sizeof(d->state.why), "nothing that they are made of differs");
        return;
    }
    if (!open_playbacks(p, game_name)) {
        return;
    }
    if (starts_differ(d)) {
        compare_states(p, d->first);
    } else if (has_input) {
        compare_states(p, d->input.tick);
    } else {
        snprintf(d->state.why, sizeof(d->state.why), "the inputs are the same");
    }
    if (has_hash && !starts_differ(d) && (!has_input || d->hash.tick <= d->input.tick)) {
        find_owner(p);
    }
}

void replay_diff_make(replay_file *a, replay_file *b, const char *game_name, replay_diff *out)
{
    *out =
        (replay_diff){.common = a->info->ticks < b->info->ticks ? a->info->ticks : b->info->ticks,
                      .input = {.tick = BKS_TICK_NONE},
                      .hash = {.tick = BKS_TICK_NONE},
                      .event = {.index = UINT32_MAX},
                      .state = {.tick = BKS_TICK_NONE}};
    out->first = a->info->first > b->info->first ? a->info->first : b->info->first;
    pair p = {.files = {a, b}, .out = out};
    compare_headers(out, a->info, b->info);
    if (is_same_layout(a->info, b->info)) {
        compare_inputs(&p);
    }
    compare_hashes(&p);
    compare_events(&p);
    if (strcmp(a->info->game, b->info->game) == 0 && is_same_layout(a->info, b->info)) {
        step_both(&p, game_name);
    } else {
        snprintf(out->state.why, sizeof(out->state.why), "they are of different games");
    }
    bks_playback_destroy(p.playbacks[0]);
    bks_playback_destroy(p.playbacks[1]);
}
