// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/command.h"
#include "base/json.h"
#include "base/system.h"
#include "base/tool.h"
#include "map/state_names.h"
#include "record/recording/replay_file.h"

/// Request to show a state, or a part of it.
typedef struct state_view_request {
    const state_names *names;
    bks_compared_state state;
    const char *under; ///< object or field to show, such as `shots[3]`; NULL: the whole state
} state_view_request;

/// Totals over a whole state.
typedef struct state_view_totals {
    uint64_t bytes[5]; ///< number of bytes of each kind of use (bks_map_use)
    bool is_whole;     ///< false: the search stopped early, because the state is too large
    uint64_t shown;    ///< number of values shown
    bool is_not_live;  ///< true: the request's `under` names an item that is not live
    /// Names of all objects, with commas between: `under` may name any of them.
    char objects[1024];
} state_view_totals;

/// A value, or neighbouring elements of an array with the same value.
typedef struct state_view_run {
    bks_map_place place; ///< place of the first element
    char base[160];      ///< name of the field without its last index
    uint64_t first;      ///< index of the first element in the array
    uint64_t count;      ///< number of elements; 0: the value is no element of an array
    bool is_zero;        ///< true: all bytes of the value are 0
    char text[STATE_VALUE_BYTES];
} state_view_run;

typedef struct walk {
    const state_view_request *request;
    state_view_totals *totals;
    bool has_run;
    state_view_run run;
    void (*visit)(void *context, const state_view_run *run);
    void *context;
} walk;

// Return true if `name` is `wanted` or a part of it.
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

// Add the name of an object, up to its first index or dot, to the list of objects.
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

// ---- runs: array elements with equal values ----

static bool are_zero(const uint8_t *bytes, uint64_t begin, uint64_t end)
{
    for (uint64_t at = begin; at < end; at++) {
        if (bytes[at] != 0) {
            return false;
        }
    }
    return true;
}

// Split a field's name into its base and its last index.
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
    // Do not count bit-fields as zero, because they share their bytes, nor enumerators, because
    // they have names.
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

// Return true if an element follows the present run and has the same value.
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

/// Visit all values that a request asks for.
static void state_view_walk(const state_view_request *request, state_view_totals *totals,
                            void (*visit)(void *context, const state_view_run *run), void *context)
{
    *totals = (state_view_totals){0};
    walk w = {.request = request, .totals = totals, .visit = visit, .context = context};
    totals->is_whole = bks_state_walk(&request->names->names, request->state.bytes,
                                      request->state.count, take, &w) == BKS_OK;
    flush(&w);
}

enum { INDENT = 2, ITEM_BYTES = 512 };

// Lines of text that are filled item by item.
typedef struct flow {
    FILE *out;
    int width;
    int column; ///< column of the next item; 0: the line is empty
} flow;

// Names of values that are zero. Each name is a line.
typedef struct name_list {
    char *text; // names that were added, NULL before the first one
    size_t used;
    size_t room;
} name_list;

// Text of a state. The values of the root's own members come first, in one group, even if structs
// lie between them in memory.
typedef struct view {
    uint64_t root_bytes; ///< size of the root struct; 0: there is no map
    int width;
    FILE *root; ///< text of the root struct, which comes first
    FILE *rest;
    flow root_values;
    flow rest_values;
    name_list zeros[2];    ///< names of the zero values: [0] of the root, [1] of the present object
    bool is_full;          ///< true: text is missing, because memory ran out
    char object[112];      ///< name of the present object, which is not the root
    state_view_run before; ///< run that was printed last; the next run does not repeat its name
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

// Write the name of a run: "x", "memory[3]", or only "[0..5]" if the name before it was printed
// already.
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

// Print the names of the zero values of a group.
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

// Return true if a run is of the same array as the run that was printed last.
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

// ---- writing a state as text ----

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

/// Write the state as text.
/// @param width  columns, at least 40
/// @return false: out of memory
static bool state_view_print(const state_view_request *request, FILE *out, int width,
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

/// Compute the totals of a state without writing any text.
static void state_view_look(const state_view_request *request, state_view_totals *totals)
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

/// Write the values as an array `values` into the open JSON object.
static void state_view_json(const state_view_request *request, json *out, state_view_totals *totals)
{
    json_array(out, "values");
    state_view_walk(request, totals, json_run, out);
    json_close(out);
}

// Command line of `bks replay state`.
typedef struct request {
    const char *game_name; // name of the game as typed; NULL: the name in the recording
    const char *tick;      // tick as typed; NULL: the last confirmed tick
    const char *under;     // object or field to show; NULL: the whole state
    bool is_json;
    args_list files;
} request;

// State that the command shows.
typedef struct shown {
    const replay_file *file;
    const request *request;
    bks_tick tick;
    uint64_t hash;
    state_names names;
    bks_compared_state state;
} shown;

// ---- the command's output as text ----

static void print_totals(const state_view_totals *totals)
{
    printf("not shown: %" PRIu64 " bytes of padding, %" PRIu64 " free, %" PRIu64
           " of the library's bookkeeping",
           totals->bytes[BKS_MAP_PADDING], totals->bytes[BKS_MAP_FREE],
           totals->bytes[BKS_MAP_BOOKKEEPING]);
    if (totals->bytes[BKS_MAP_UNNAMED] > 0) {
        printf(", %" PRIu64 " without a name", totals->bytes[BKS_MAP_UNNAMED]);
    }
    printf("\n");
}

static int print_text(const shown *s, const state_view_request *wanted, state_view_totals *totals)
{
    printf("%s: %s at the start of tick %" PRId32 "%s\n%zu bytes, hash %016" PRIx64 "\n",
           s->file->path, s->file->info->game, s->tick,
           s->tick <= s->file->info->confirmed ? "" : ", which is not confirmed", s->state.count,
           s->hash);
    if (s->names.names.map == NULL) {
        printf("no types are known, so ranges and pools are shown: the game %s\n", s->names.why);
    }
    if (!state_view_print(wanted, stdout, tool_columns(), totals)) {
        tool_complain(s->file->path, "its state does not fit into memory as text");
        return TOOL_NO;
    }
    if (wanted->under == NULL) {
        print_totals(totals);
    }
    return TOOL_OK;
}

// ---- the command's output as JSON ----

static int print_json(const shown *s, const state_view_request *wanted, state_view_totals *totals)
{
    static const char *const uses[] = {"live", "padding", "free", "bookkeeping", "unnamed"};
    json out;
    json_begin(&out, stdout);
    json_text(&out, "file", s->file->path);
    json_text(&out, "game", s->file->info->game);
    json_int(&out, "tick", s->tick);
    json_bool(&out, "confirmed", s->tick <= s->file->info->confirmed);
    json_hash(&out, "hash", s->hash);
    json_uint(&out, "state_bytes", s->state.count);
    json_text(&out, "no_types", s->names.names.map == NULL ? s->names.why : NULL);
    json_text(&out, "under", wanted->under);
    state_view_json(wanted, &out, totals);
    json_object(&out, "bytes");
    for (int i = 0; i < 5; i++) {
        json_uint(&out, uses[i], totals->bytes[i]);
    }
    json_close(&out);
    return json_end(&out) ? TOOL_OK : TOOL_DAMAGED;
}

// ---- the command `bks replay state` ----

// Report that the state does not have what `--under` names.
static int complain_under(const shown *s, const state_view_totals *totals)
{
    if (totals->is_not_live) {
        tool_complain(s->request->under, "is not live at tick %" PRId32, s->tick);
        return TOOL_NO;
    }
    tool_complain("--under",
                  "is '%s', which the state at tick %" PRId32 " does not have, expected %s",
                  s->request->under, s->tick, totals->objects);
    return TOOL_MISUSE;
}

static int show_state(shown *s)
{
    const state_view_request wanted = {
        .names = &s->names, .state = s->state, .under = s->request->under};
    state_view_totals totals;
    if (wanted.under != NULL) {
        state_view_look(&wanted, &totals);
        if (totals.shown == 0) {
            return complain_under(s, &totals);
        }
    }
    const int status =
        s->request->is_json ? print_json(s, &wanted, &totals) : print_text(s, &wanted, &totals);
    if (status == TOOL_OK && !totals.is_whole) {
        tool_complain(s->file->path, "its state has too many references to show what lies behind "
                                     "the last of these values");
    }
    return status;
}

// Export the state as bytes.
// @return false, with an error on stderr
static bool export_state(shown *s, bks_playback *playback, uint8_t **out)
{
    const size_t room = bks_playback_export(playback, NULL, 0);
    *out = room > 0 ? malloc(room) : NULL;
    s->state.bytes = *out;
    s->state.count = *out != NULL ? bks_playback_export(playback, *out, room) : 0;
    tool_log_drop();
    if (s->state.count == 0) {
        tool_complain(s->file->path, "its state cannot be read as bytes: %s",
                      *out == NULL ? "it does not fit into memory"
                                   : "it holds raw pointers, or the game does not save it");
    }
    return s->state.count > 0;
}

static int show_tick(shown *s)
{
    loaded_game game;
    bks_playback *playback = NULL;
    uint8_t *bytes = NULL;
    int status = replay_playback_open(s->file, s->request->game_name, &game, &playback);
    if (status == TOOL_OK) {
        status = replay_playback_seek(s->file, playback, s->tick);
    }
    if (status == TOOL_OK) {
        s->hash = bks_playback_hash(playback);
        const int agrees = replay_playback_compare(s->file, s->tick, s->hash);
        if (agrees != TOOL_OK) {
            loader_compare_builds(s->file->path, s->file->info, &game);
        }
        state_names_find(&game, &s->names);
        const int printed = export_state(s, playback, &bytes) ? show_state(s) : TOOL_NO;
        status = printed > agrees ? printed : agrees;
    }
    free(bytes);
    bks_playback_destroy(playback);
    return status;
}

static int show_file(const request *r)
{
    replay_file file;
    if (replay_file_open(r->files.items[0], &file) != TOOL_OK) {
        return TOOL_DAMAGED;
    }
    shown s = {.file = &file, .request = r, .tick = file.info->confirmed};
    int status = r->tick != NULL ? replay_playback_tick(&file, r->tick, &s.tick) : TOOL_OK;
    if (status == TOOL_OK) {
        status = show_tick(&s);
    }
    status = file.status > status ? file.status : status;
    replay_file_close(&file);
    return status;
}

int cmd_replay_state(int argc, char **argv)
{
    static request r;
    r = (request){0};
    const args_option options[] = {
        ARGS_TEXT("--tick", "N", &r.tick,
                  "the state at the start of tick N (default: the last confirmed one)"),
        ARGS_TEXT("--under", "OBJECT", &r.under,
                  "only an object, or a field of one: 'ships', 'ships[1]', 'ships[1].x', or "
                  "'(arena)', '(free)', '(padding)'"),
        ARGS_RECORDED_GAME(&r.game_name),
        ARGS_JSON(&r.is_json),
    };
    const args_spec spec = {
        .command = "replay state",
        .usage = "[options] FILE",
        .about =
            "Seek to a tick of a recording and print the state by names: floats with their bits,\n"
            "enumerators by name, references by what they lead to; equal elements of an array as\n"
            "one, and zeros by name alone. The names come from the game's debug information "
            "(build\n"
            "it with -g; 'bks games --map GAME' shows them). Exit status 1 if the state is not "
            "the\n"
            "recorded one.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&r.files, 1, 1),
    };
    const int status = args_parse(&spec, argc, argv);
    return status == ARGS_GO ? show_file(&r) : status;
}
