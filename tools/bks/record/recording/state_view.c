// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "record/recording/state_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "record/recording/state_view_walk.h"

enum { INDENT = 2, ITEM_BYTES = 512 };

// Lines that are being filled, word by word.
typedef struct flow {
    FILE *out;
    int width;
    int column; ///< 0: the line is empty
} flow;

// Names of zeros, one a line.
typedef struct name_list {
    char *text; // NULL: none yet
    size_t used;
    size_t room;
} name_list;

// What is printed. Plain members and arrays of the root come first, in one group, though structs
// lie between them.
typedef struct view {
    uint64_t root_bytes; ///< 0: there is no map
    int width;
    FILE *root; ///< text that comes first
    FILE *rest;
    flow root_values;
    flow rest_values;
    name_list zeros[2];    ///< of the root and of the object at hand
    bool is_full;          ///< there was no memory
    char object[112];      ///< at hand, not the root
    state_view_run before; ///< that was printed before; its base is not repeated
    bool has_before;
} view;

static void put(flow *f, const char *text)
{
    const int length = (int)strlen(text);
    if (f->column > 0 && f->column + 2 + length + 1 > f->width) {
        fprintf(f->out, ",\n");
        f->column = 0;
    } else if (f->column > 0) {
        fprintf(f->out, ", ");
        f->column += 2;
    }
    if (f->column == 0) {
        fprintf(f->out, "%*s", INDENT, "");
        f->column = INDENT;
    }
    fprintf(f->out, "%s", text);
    f->column += length;
}

static void end_line(flow *f)
{
    if (f->column > 0) {
        fprintf(f->out, "\n");
        f->column = 0;
    }
}

// "x", "memory[3]", "[0..5]" behind its base.
static void write_name(const state_view_run *run, const char *prefix, bool has_base, char *out)
{
    const char *base = has_base ? run->base : "";
    const char *before = has_base ? prefix : "";
    if (run->count == 0) {
        (void)snprintf(out, ITEM_BYTES, "%s%s", before, run->base);
    } else if (run->count == 1) {
        (void)snprintf(out, ITEM_BYTES, "%s%s[%" PRIu64 "]", before, base, run->first);
    } else {
        (void)snprintf(out, ITEM_BYTES, "%s%s[%" PRIu64 "..%" PRIu64 "]", before, base, run->first,
                       run->first + run->count - 1);
    }
}

static void add_zero(view *v, int of, const char *name)
{
    name_list *list = &v->zeros[of];
    const size_t length = strlen(name) + 1;
    if (list->used + length + 1 > list->room) {
        const size_t room = 2 * list->room + length + 256;
        char *text = realloc(list->text, room);
        if (text == NULL) {
            v->is_full = true;
            return;
        }
        list->text = text;
        list->room = room;
    }
    (void)snprintf(list->text + list->used, list->room - list->used, "%s\n", name);
    list->used += length;
}

// The zeros of a group, by name alone.
static void put_zeros(view *v, int of, flow *f)
{
    name_list *list = &v->zeros[of];
    char item[ITEM_BYTES];
    for (size_t at = 0; at < list->used;) {
        const size_t length = strcspn(list->text + at, "\n");
        (void)snprintf(item, sizeof(item), "%s%.*s", at == 0 ? "zero: " : "", (int)length,
                       list->text + at);
        put(f, item);
        at += length + 1;
    }
    end_line(f);
    list->used = 0;
}

static void end_object(view *v)
{
    if (v->object[0] != '\0') {
        end_line(&v->rest_values);
        put_zeros(v, 1, &v->rest_values);
    }
}

static void begin_object(view *v, const char *object)
{
    if (strcmp(v->object, object) != 0) {
        end_object(v);
        (void)snprintf(v->object, sizeof(v->object), "%s", object);
        fprintf(v->rest, "%s\n", object);
    }
}

static bool is_of_root(const view *v, const state_view_run *run)
{
    const bks_map_place *place = &run->place;
    const bool is_array =
        run->count > 0 && place->field[0] == '[' && strpbrk(place->object, ".[") == NULL;
    return strcmp(place->object, "root") == 0 ||
           (is_array && (v->root_bytes == 0 || place->begin_bytes < v->root_bytes));
}

// Whether the run stands in the same array as the one printed before.
static bool continues(const view *v, const state_view_run *run)
{
    return v->has_before && run->count > 0 && v->before.count > 0 &&
           strcmp(v->before.place.object, run->place.object) == 0 &&
           strcmp(v->before.base, run->base) == 0;
}

static void show(void *context, const state_view_run *run)
{
    view *v = context;
    const bool is_root = is_of_root(v, run);
    const char *prefix = is_root && strcmp(run->place.object, "root") != 0 ? run->place.object : "";
    char name[ITEM_BYTES];
    char item[ITEM_BYTES * 2];
    if (!is_root) {
        begin_object(v, run->place.object);
    }
    flow *f = is_root ? &v->root_values : &v->rest_values;
    const bool is_inside = continues(v, run);
    if (run->is_zero && !is_inside) {
        write_name(run, prefix, true, name);
        add_zero(v, is_root ? 0 : 1, name);
        v->has_before = false;
        return;
    }
    write_name(run, prefix, !is_inside, name);
    (void)snprintf(item, sizeof(item), "%s = %s", name, run->text);
    if (run->place.note[0] != '\0') {
        const size_t used = strlen(item);
        (void)snprintf(item + used, sizeof(item) - used, " (%s)", run->place.note);
    }
    put(f, item);
    v->before = *run;
    v->has_before = true;
}

// ---- all of it ----

static bool open_all(view *v, char *texts[2], size_t counts[2])
{
    v->root = system_memory_open(&texts[0], &counts[0]);
    v->rest = system_memory_open(&texts[1], &counts[1]);
    v->root_values = (flow){.out = v->root, .width = v->width};
    v->rest_values = (flow){.out = v->rest, .width = v->width};
    return v->root != NULL && v->rest != NULL;
}

static bool close_one(FILE *file, char **text, size_t *count)
{
    return file == NULL || system_memory_close(file, text, count);
}

bool state_view_print(const state_view_request *request, FILE *out, int width,
                      state_view_totals *totals)
{
    const bks_state_map *map = request->names->names.map;
    char *texts[2] = {NULL, NULL};
    size_t counts[2] = {0, 0};
    view v = {.root_bytes = map != NULL ? map->types[0].bytes : 0, .width = width};
    bool is_good = open_all(&v, texts, counts);
    if (is_good) {
        state_view_walk(request, totals, show, &v);
        end_object(&v);
        end_line(&v.root_values);
        put_zeros(&v, 0, &v.root_values);
    }
    is_good = close_one(v.root, &texts[0], &counts[0]) && is_good;
    is_good = close_one(v.rest, &texts[1], &counts[1]) && is_good;
    is_good = is_good && !v.is_full;
    if (is_good) {
        fprintf(out, "%s%s%s", counts[0] > 0 ? "root\n" : "", texts[0], texts[1]);
    }
    for (int i = 0; i < 2; i++) {
        free(texts[i]);
        free(v.zeros[i].text);
    }
    return is_good;
}

static void pass_over(void *context, const state_view_run *run)
{
    (void)context;
    (void)run;
}

void state_view_look(const state_view_request *request, state_view_totals *totals)
{
    state_view_walk(request, totals, pass_over, NULL);
}

static void json_run(void *context, const state_view_run *run)
{
    json *j = context;
    json_object(j, NULL);
    json_text(j, "name", run->place.name);
    json_text(j, "object", run->place.object);
    json_text(j, "field", run->place.field);
    json_text(j, "value", run->text);
    json_uint(j, "count", run->count > 0 ? run->count : 1);
    json_uint(j, "offset", run->place.begin_bytes);
    json_uint(j, "bytes", run->place.end_bytes - run->place.begin_bytes);
    json_text(j, "note", run->place.note[0] != '\0' ? run->place.note : NULL);
    json_close(j);
}

void state_view_json(const state_view_request *request, json *out, state_view_totals *totals)
{
    json_array(out, "values");
    state_view_walk(request, totals, json_run, out);
    json_close(out);
}
