// SPDX-License-Identifier: MIT

#include "diagnose/diff/replay_diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/state_map.h"
#include "base/tool.h"
#include "game/layout_text.h"
#include "map/state_names.h"
#include "record/recording/replay_print.h"

enum { PAGE_BYTES = 4096, PAGE_NAMES_MAX = 6 };

bool replay_diff_starts_differ(const replay_diff *d)
{
    for (uint32_t i = 0; i < d->header_count; i++) {
        const char *name = d->headers[i].name;
        if (strcmp(name, "seed") == 0 || strcmp(name, "players") == 0 ||
            strncmp(name, "option ", strlen("option ")) == 0) {
            return true;
        }
    }
    return false;
}

bool replay_diff_skips(const replay_diff *d, bks_tick tick)
{
    bool is_wrong = false;
    for (int i = 0; i < 2; i++) {
        const bks_replay *replay = d->files[i]->replay;
        // If a step went wrong in tick `tick`, the state differs only from tick + 1 on, so look for
        // a repair of either tick.
        is_wrong = is_wrong || bks_replay_is_repaired(replay, tick) ||
                   bks_replay_is_repaired(replay, tick + 1);
    }
    return is_wrong && !d->includes_repaired;
}

bks_tick replay_diff_first(const replay_diff *d)
{
    const bks_replay_comparison *found = &d->found;
    const bks_tick ticks[] = {found->input.tick, found->hash_tick,  found->page_tick,
                              found->value_tick, found->state_tick, d->marks.tick,
                              d->notes.tick};
    bks_tick least = BKS_TICK_NONE;
    for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
        if (ticks[i] != BKS_TICK_NONE && (least == BKS_TICK_NONE || ticks[i] < least)) {
            least = ticks[i];
        }
    }
    return least;
}

static bool has_difference(const replay_diff *d)
{
    bool has_one = replay_diff_first(d) != BKS_TICK_NONE || d->has_other_event;
    for (uint32_t i = 0; i < d->header_count; i++) {
        has_one = has_one || d->headers[i].counts;
    }
    return has_one;
}

static bool is_compared(const replay_diff *d)
{
    return d->found.until > d->found.first && d->found.inputs_compared > 0;
}

bool replay_diff_is_same(const replay_diff *d)
{
    return !has_difference(d) && is_compared(d);
}

bool replay_diff_is_undecided(const replay_diff *d)
{
    return !has_difference(d) && !is_compared(d);
}

// ---- comparison of headers ----

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

static void describe_layout(const bks_recording *info, char out[80])
{
    out[0] = '\0';
    for (uint32_t i = 0; i < info->field_count; i++) {
        const size_t used = strlen(out);
        snprintf(out + used, 80 - used, "%s%s:%" PRIu32 "%s", i > 0 ? " " : "",
                 info->fields[i].name, info->fields[i].bits, info->fields[i].is_signed ? "s" : "");
    }
}

// Add the first input field that differs, and the first named range of the state. Ranges are only
// names: what they name may be equal all the same.
static void add_layouts(replay_diff *d, const bks_recording *a, const bks_recording *b)
{
    char texts[2][LAYOUT_TEXT_BYTES];
    if (layout_text_inputs(a->fields, a->field_count, b->fields, b->field_count, texts)) {
        add_text(d, "first input field that differs", texts[0], texts[1], true);
    }
    if (layout_text_ranges(a->ranges, a->range_count, b->ranges, b->range_count, texts)) {
        add_text(d, "layout of the state", texts[0], texts[1], false);
    }
}

void replay_diff_headers(const bks_recording *a, const bks_recording *b, replay_diff *d)
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
    add_layouts(d, a, b);
    add_pairs(d, "option", a->options, a->option_count, b->options, b->option_count, true);
    add_pairs(d, "environment", a->environment, a->environment_count, b->environment,
              b->environment_count, false);
}

// ---- comparison of events ----

// Return true if an event belongs to the match, as joins and leaves do, rather than to one machine.
static bool is_shared(const replay_diff *d, const bks_replay_event *event)
{
    return (event->kind == BKS_REPLAY_JOINED || event->kind == BKS_REPLAY_LEFT) &&
           event->tick >= d->found.first && event->tick < d->found.until;
}

// Return a number that two events have in common if they are the same.
static uint64_t key_of(const bks_replay_event *event)
{
    return (uint64_t)(uint32_t)event->tick << 32 | (uint64_t)event->kind << 16 | event->peer;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a;
    const uint64_t other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

// Sorted keys of the events that both recordings of a match should have.
typedef struct shared_events {
    uint64_t *keys;
    size_t count;
} shared_events;

static bool list_events(const replay_diff *d, const replay_file *file, shared_events *out)
{
    const uint32_t events = file->info->event_count;
    *out = (shared_events){.keys = calloc(events > 0 ? events : 1, sizeof(*out->keys))};
    if (out->keys == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < events; i++) {
        bks_replay_event event;
        if (bks_replay_event_at(file->replay, i, &event) == BKS_OK && is_shared(d, &event)) {
            out->keys[out->count++] = key_of(&event);
        }
    }
    qsort(out->keys, out->count, sizeof(*out->keys), compare_keys);
    return true;
}

static bool is_in(const shared_events *events, const bks_replay_event *wanted)
{
    const uint64_t key = key_of(wanted);
    return events->count > 0 &&
           bsearch(&key, events->keys, events->count, sizeof(*events->keys), compare_keys) != NULL;
}

// Find the earliest join or leave that only one side's recording has, and its first desync event.
static void compare_side(replay_diff *d, int side, const shared_events *others, bks_tick *least)
{
    const replay_file *file = d->files[side];
    bks_replay_event event;
    for (uint32_t i = 0; i < file->info->event_count; i++) {
        if (bks_replay_event_at(file->replay, i, &event) != BKS_OK) {
            continue;
        }
        if (event.kind == BKS_REPLAY_DESYNC && d->desync[side][0] == '\0') {
            replay_print_event(&event, d->desync[side]);
        }
        if (is_shared(d, &event) && event.tick < *least && !is_in(others, &event)) {
            *least = event.tick;
            d->has_other_event = true;
            d->event[1 - side][0] = '\0';
            replay_print_event(&event, d->event[side]);
        }
    }
}

// Find the earliest join or leave that only one recording has, and the first desync event of each
// recording.
// @return false if there is no memory
static bool compare_events(replay_diff *d)
{
    bks_tick least = INT32_MAX;
    bool has_memory = true;
    for (int side = 0; side < 2 && has_memory; side++) {
        shared_events others;
        has_memory = list_events(d, d->files[1 - side], &others);
        if (has_memory) {
            compare_side(d, side, &others, &least);
        }
        free(others.keys);
    }
    return has_memory;
}

// ---- names of values and pages ----

static void name_keyframes(const state_names *names, replay_diff *d)
{
    uint8_t *bytes[2];
    bks_compared_state states[2] = {{0}};
    if (d->found.state_tick == BKS_TICK_NONE) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        bytes[i] = replay_file_state(d->files[i], d->found.state_tick, &states[i].count);
        states[i].bytes = bytes[i];
    }
    if (bytes[0] != NULL && bytes[1] != NULL) {
        (void)state_difference_find(names, &states[0], &states[1], &d->keyframe_value);
    }
    free(bytes[0]);
    free(bytes[1]);
}

static void name_value(replay_diff *d)
{
    static uint8_t values[BKS_VALUES_BYTES_MAX];
    const bks_state_range *range = &d->files[0]->info->ranges[d->found.value_range];
    const uint32_t bytes = bks_state_type_bytes(range->type);
    bks_state_place place;
    (void)bks_state_find(NULL, 0, range, 1,
                         range->offset_bytes + (uint64_t)d->found.value_element * bytes, &place);
    snprintf(d->value.place.name, sizeof(d->value.place.name), "%s", place.name);
    for (int i = 0; i < 2; i++) {
        if (bks_replay_values(d->files[i]->replay, d->found.value_tick, d->found.value_range,
                              values, sizeof(values)) == BKS_OK) {
            range_value_text(range->type, values + (size_t)d->found.value_element * bytes,
                             i == 0 ? d->value.a : d->value.b);
        }
    }
}

// Return the tick of the newest recorded state at or before a tick. Objects seldom move between
// pages, so an older state still tells which objects a page holds.
static bks_tick state_before(const replay_file *file, bks_tick tick)
{
    bks_tick found = file->info->first;
    for (uint32_t i = 0; i < file->info->keyframes; i++) {
        bks_replay_keyframe key;
        if (bks_replay_keyframe_at(file->replay, i, &key) == BKS_OK && key.is_usable &&
            !key.is_wrong && key.tick <= tick && key.tick > found) {
            found = key.tick;
        }
    }
    return found;
}

// In the page that differs, name the first few objects.
static void name_page(replay_diff *d)
{
    const replay_file *file = d->files[0];
    const uint64_t end = ((uint64_t)d->found.page + 1) * PAGE_BYTES;
    size_t count = 0;
    uint8_t *state = replay_file_state(file, state_before(file, d->found.page_tick), &count);
    size_t used = 0;
    uint32_t names = 0;
    bks_state_place place;
    for (uint64_t at = (uint64_t)d->found.page * PAGE_BYTES; at < end; at = place.end_bytes) {
        if (bks_state_find(state, count, file->info->ranges, file->info->range_count, at, &place) !=
                BKS_OK ||
            place.end_bytes <= at) {
            break;
        }
        const bool is_nameless = place.object[0] == '(';
        if (!is_nameless && ++names <= PAGE_NAMES_MAX) {
            used += (size_t)snprintf(d->page + used, sizeof(d->page) - used, "%s%s",
                                     used > 0 ? ", " : "", place.object);
            used = used < sizeof(d->page) ? used : sizeof(d->page) - 1;
        }
    }
    if (names > PAGE_NAMES_MAX) {
        snprintf(d->page + used, sizeof(d->page) - used, " and %" PRIu32 " more",
                 names - PAGE_NAMES_MAX);
    }
    free(state);
}

// ---- the whole comparison ----

/// Name the input that differs: a field, or the commands, which come after the last field.
static void name_input(const replay_diff *d, const bks_input_difference *at, char field[32],
                       diff_command *command)
{
    const bks_recording *info = d->files[0]->info;
    if (at->tick == BKS_TICK_NONE) {
        return;
    }
    const bool is_field = at->field < info->field_count;
    snprintf(field, 32, "%s", is_field ? info->fields[at->field].name : "commands");
    if (!is_field) {
        bks_replay *const replays[2] = {d->files[0]->replay, d->files[1]->replay};
        (void)diff_command_find(replays, at, command);
    }
}

void replay_diff_name_all(const state_names *names, replay_diff *d)
{
    const bks_replay_comparison *found = &d->found;
    name_input(d, &found->input, d->input_field, &d->input_command);
    name_input(d, &found->guess, d->guess_field, &d->guess_command);
    if (found->page_tick != BKS_TICK_NONE) {
        name_page(d);
    }
    if (found->value_tick != BKS_TICK_NONE) {
        name_value(d);
    }
    name_keyframes(names, d);
}

int replay_diff_make(const replay_file *a, const replay_file *b, replay_diff *out)
{
    *out = (replay_diff){.files = {a, b}, .marks.tick = BKS_TICK_NONE, .notes.tick = BKS_TICK_NONE};
    bks_error error = {0};
    if (bks_replay_compare(a->replay, b->replay, &out->found, &error) != BKS_OK) {
        tool_complain_error(a->path, &error);
        return TOOL_DAMAGED;
    }
    replay_diff_headers(a->info, b->info, out);
    if (!compare_events(out)) {
        tool_complain(a->path, "out of memory");
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}
