// SPDX-License-Identifier: MIT

#include "record/recording/state_view_walk.h"
#include "base/tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct walk {
    const state_view_request *request;
    state_view_totals *totals;
    bool has_run;
    state_view_run run;
    void (*visit)(void *context, const state_view_run *run);
    void *context;
} walk;

// Whether `name` is `wanted`, or a part of it.
static bool begins_with(const char *name, const char *wanted)
{
    const size_t length = strlen(wanted);
    return strncmp(name, wanted, length) == 0 &&
           (name[length] == '\0' || name[length] == '.' || name[length] == '[');
}

static bool is_asked_for(const walk *w, const bks_map_place *place)
{
    const char *under = w->request->under;
    if (under == NULL) {
        return place->use == BKS_MAP_LIVE;
    }
    return begins_with(place->name, under) ||
           (strcmp(place->object, "root") == 0 && begins_with(place->field, under));
}

// What stands before the first index or dot of an object.
static void add_object(state_view_totals *totals, const char *object)
{
    char name[120];
    const int length = (int)strcspn(object, ".[");
    (void)snprintf(name, sizeof(name), "%.*s", length, object);
    for (const char *at = totals->objects; (at = strstr(at, name)) != NULL; at++) {
        const bool begins = at == totals->objects || at[-1] == ' ';
        if (begins && (at[length] == '\0' || at[length] == ',')) {
            return;
        }
    }
    const size_t used = strlen(totals->objects);
    (void)snprintf(totals->objects + used, sizeof(totals->objects) - used, "%s%s",
                   used > 0 ? ", " : "", name);
}

static void count(walk *w, const bks_map_place *place)
{
    state_view_totals *totals = w->totals;
    const uint64_t size = w->request->state.count;
    const uint64_t end = place->end_bytes < size ? place->end_bytes : size;
    totals->bytes[place->use] += end > place->begin_bytes ? end - place->begin_bytes : 0;
    if (place->use == BKS_MAP_LIVE) {
        add_object(totals, place->object);
    }
    if (w->request->under != NULL && place->use == BKS_MAP_FREE) {
        const char *comma = strchr(place->note, ',');
        const size_t length = comma != NULL ? (size_t)(comma - place->note) : 0;
        totals->is_not_live =
            totals->is_not_live || (length > 0 && length == strlen(w->request->under) &&
                                    strncmp(place->note, w->request->under, length) == 0);
    }
}

// ---- runs ----

static bool are_zero(const uint8_t *bytes, uint64_t begin, uint64_t end)
{
    for (uint64_t at = begin; at < end; at++) {
        if (bytes[at] != 0) {
            return false;
        }
    }
    return true;
}

// Take the last index off a field.
static void split(const char *field, state_view_run *out)
{
    const size_t length = strlen(field);
    const char *bracket = length > 0 && field[length - 1] == ']' ? strrchr(field, '[') : NULL;
    (void)snprintf(out->base, sizeof(out->base), "%s", field);
    if (bracket != NULL) {
        out->base[bracket - field] = '\0';
        out->first = strtoull(bracket + 1, NULL, 10);
        out->count = 1;
    }
}

static bool is_enum(const walk *w, const bks_map_place *place)
{
    const bks_state_map *map = w->request->names->names.map;
    return map != NULL && place->type < map->type_count &&
           map->types[place->type].kind == BKS_MAP_ENUM;
}

static void read_run(const walk *w, const bks_map_place *place, state_view_run *out)
{
    const bks_compared_state *state = &w->request->state;
    const uint64_t bytes = place->end_bytes - place->begin_bytes;
    *out = (state_view_run){.place = *place};
    split(place->field, out);
    const bool is_long = place->type == UINT32_MAX && bytes > 16;
    // A bit-field shares its bytes, and an enumerator has a name.
    out->is_zero = place->bits == 0 && !is_enum(w, place) && place->end_bytes <= state->count &&
                   are_zero(state->bytes, place->begin_bytes, place->end_bytes);
    if (is_long && place->end_bytes <= state->count) {
        (void)snprintf(out->text, sizeof(out->text), "%" PRIu64 " byte%s of no known type", bytes,
                       TOOL_PLURAL(bytes));
        out->is_zero = false;
    } else {
        state_value(w->request->names, state, place, out->text, sizeof(out->text));
    }
}

static void flush(walk *w)
{
    if (w->has_run) {
        w->visit(w->context, &w->run);
    }
    w->has_run = false;
}

// Whether an element stands behind those at hand, and holds the same.
static bool joins(const walk *w, const state_view_run *next)
{
    const state_view_run *run = &w->run;
    return w->has_run && run->count > 0 && next->count > 0 &&
           next->first == run->first + run->count &&
           strcmp(run->place.object, next->place.object) == 0 &&
           strcmp(run->base, next->base) == 0 && strcmp(run->text, next->text) == 0;
}

static bool take(void *context, const bks_map_place *place)
{
    walk *w = context;
    count(w, place);
    if (!is_asked_for(w, place)) {
        return true;
    }
    w->totals->shown++;
    state_view_run next;
    read_run(w, place, &next);
    if (joins(w, &next)) {
        w->run.count++;
        return true;
    }
    flush(w);
    w->run = next;
    w->has_run = true;
    return true;
}

void state_view_walk(const state_view_request *request, state_view_totals *totals,
                     void (*visit)(void *context, const state_view_run *run), void *context)
{
    *totals = (state_view_totals){0};
    walk w = {.request = request, .totals = totals, .visit = visit, .context = context};
    totals->is_whole = bks_state_walk(&request->names->names, request->state.bytes,
                                      request->state.count, take, &w) == BKS_OK;
    flush(&w);
}
