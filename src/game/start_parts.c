// SPDX-License-Identifier: MIT

// Names of the values in differing parts. A part may hold several values, and it is unknown which
// of them differ, so all are named, values of the game first. Neighbours in an array are named
// together. The time is limited whatever other peers send: values beyond the limits are named
// "more".

#include "game/start_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "base/hash.h"
#include "game/state_walk.h"

enum {
    LOOKUPS_MAX = 16384, // most lookups of values
    WALKS_MAX = 16,      // most walks over all references
    GROUPS_MAX = 16,     // most groups of values that are collected, more than fit in a sentence
    SINGLES_MAX = 3,     // most values that are named one by one
    OBJECT_BYTES = 112,  // size of bks_map_place.object
    NAME_BYTES = 288,    // size of bks_map_place.name
};

/// Range of bytes of the state.
typedef struct extent {
    uint64_t begin;
    uint64_t end;
} extent;

/// A state, divided into parts.
typedef struct parted {
    const bks_game *game;
    const uint8_t *bytes;
    size_t count;         ///< number of bytes in use
    uint64_t bytes_max;   ///< most bytes that can be in use
    uint64_t piece_bytes; ///< size of a part, for a game without ranges
} parted;

/// Find the bytes of the present state, and divide them into parts.
/// @return false if the state has no accessible bytes
static bool look_at(bksi_runner *runner, parted *out)
{
    const bks_game *game = bksi_runner_start(runner)->game;
    *out =
        (parted){.game = game, .bytes_max = bksi_runner_export_bytes_max(runner), .piece_bytes = 1};
    while (out->piece_bytes * BKSI_START_PARTS_MAX < out->bytes_max) {
        out->piece_bytes *= 2;
    }
    if (game->create == NULL) {
        out->bytes = bksi_runner_state(runner);
        out->count = bksi_runner_used_bytes(runner);
    } else if (bksi_runner_slots(runner) > 0 && bksi_runner_save(runner, 0) > 0) {
        out->bytes = bksi_runner_slot(runner, 0, &out->count);
    }
    return out->bytes != NULL;
}

static uint32_t count_parts(const parted *state)
{
    const uint64_t pieces = (state->count + state->piece_bytes - 1) / state->piece_bytes;
    const uint64_t count = state->game->range_count > 0 ? state->game->range_count : pieces;
    return count < BKSI_START_PARTS_MAX ? (uint32_t)count : BKSI_START_PARTS_MAX;
}

/// Return the bytes of the state that a part covers.
static extent extent_of(const parted *state, uint32_t part)
{
    uint64_t begin = part * state->piece_bytes;
    uint64_t bytes = state->piece_bytes;
    if (state->game->range_count > 0) {
        const bks_state_range *range = &state->game->ranges[part];
        begin = range->offset_bytes;
        bytes = (uint64_t)range->count * bks_state_type_bytes(range->type);
    }
    begin = begin < state->bytes_max ? begin : state->bytes_max;
    bytes = bytes < state->bytes_max - begin ? bytes : state->bytes_max - begin;
    return (extent){begin, begin + bytes};
}

/// Cut a range to the bytes in use. The result may be empty.
static extent used_of(const parted *state, extent e)
{
    e.begin = e.begin < state->count ? e.begin : state->count;
    e.end = e.end < state->count ? e.end : state->count;
    return e;
}

uint32_t bksi_start_parts_hash(bksi_runner *runner, uint64_t *out, uint32_t capacity)
{
    parted state;
    if (!look_at(runner, &state)) {
        return 0;
    }
    const uint32_t parts = count_parts(&state);
    const uint32_t count = parts < capacity ? parts : capacity;
    for (uint32_t i = 0; i < count; i++) {
        const extent e = used_of(&state, extent_of(&state, i));
        out[i] = bksi_hash64(state.bytes + e.begin, (size_t)(e.end - e.begin), 0);
    }
    return count;
}

// ---- names ----

/// Values of one object, or of neighbouring elements of an array or a pool.
typedef struct group {
    char stem[OBJECT_BYTES]; ///< name of the object, without its index
    bool has_index;
    unsigned long long first; ///< index of the first object
    unsigned long long last;
    uint32_t values;
    char name[NAME_BYTES]; ///< name of the group's first value
    bool is_bytes;         ///< true if the types of the group's values are unknown
    extent bytes;          ///< from the group's first to its last byte in differing parts
} group;

/// Groups of values, in the order of their bytes.
typedef struct group_list {
    group items[GROUPS_MAX];
    uint32_t count;
    bool has_more;
} group_list;

typedef struct naming {
    /// Bytes in use of the differing parts, in order and not touching each other.
    extent extents[BKSI_START_PARTS_MAX];
    uint32_t extent_count;
    bool is_behind;             ///< true if differing parts continue beyond the bytes in use
    bool is_cut;                ///< true if a limit was reached before everything was examined
    group_list live;            ///< groups of values of the game
    group_list other;           ///< groups of all other bytes
    group singles[SINGLES_MAX]; ///< first values of the game, each in a group of its own
    uint32_t values;            ///< number of values of the game
} naming;

/// Cut the bytes of a named place to the extents of the differing parts.
/// @return false if nothing is left
static bool clip(const naming *n, const bks_map_place *place, extent *out)
{
    *out = (extent){UINT64_MAX, 0};
    for (uint32_t i = 0; i < n->extent_count; i++) {
        const extent *e = &n->extents[i];
        const uint64_t begin = place->begin_bytes > e->begin ? place->begin_bytes : e->begin;
        const uint64_t end = place->end_bytes < e->end ? place->end_bytes : e->end;
        if (begin < end) {
            out->begin = begin < out->begin ? begin : out->begin;
            out->end = end > out->end ? end : out->end;
        }
    }
    return out->begin < out->end;
}

/// Return a group that holds only the object to which a place belongs. A plain member of the root
/// counts as an object.
static group group_of(const bks_map_place *place, const extent *bytes)
{
    group g = {.values = 1, .bytes = *bytes};
    const char *from = place->object;
    size_t length = strlen(from);
    g.is_bytes = strstr(place->field, "byte ") != NULL;
    const bool has_field = strncmp(place->field, "byte ", strlen("byte ")) != 0;
    if (strcmp(from, "root") == 0 && has_field) {
        from = place->name;
        const size_t root = sizeof("root.") - 1;
        length = strlen(from) > root ? root + strcspn(from + root, ".[") : strlen(from);
    }
    (void)snprintf(g.stem, sizeof(g.stem), "%.*s", (int)length, from);
    (void)snprintf(g.name, sizeof(g.name), "%s", place->name);
    char *bracket = strrchr(g.stem, '[');
    if (bracket != NULL && !g.is_bytes) {
        g.has_index = true;
        g.first = g.last = strtoull(bracket + 1, NULL, 10);
        *bracket = '\0';
    }
    return g;
}

/// Return true if the one object in `next` belongs in the group `g`: it has the same name without
/// the index, and its index is one of the group's or the next one.
static bool joins(const group *g, const group *next)
{
    return strcmp(g->stem, next->stem) == 0 && g->has_index == next->has_index &&
           next->first >= g->first && next->first <= g->last + 1;
}

static void add_group(group_list *list, const group *next)
{
    for (uint32_t i = 0; i < list->count; i++) {
        group *g = &list->items[i];
        if (joins(g, next)) {
            g->last = next->last > g->last ? next->last : g->last;
            g->bytes.end = next->bytes.end;
            g->values++;
            return;
        }
    }
    if (list->count < GROUPS_MAX) {
        list->items[list->count++] = *next;
    } else {
        list->has_more = true;
    }
}

static bool visit(void *context, const bks_map_place *place)
{
    naming *n = context;
    extent bytes;
    if (!clip(n, place, &bytes)) {
        return true;
    }
    const group next = group_of(place, &bytes);
    if (place->use != BKS_MAP_LIVE) {
        add_group(&n->other, &next);
        return true;
    }
    add_group(&n->live, &next);
    if (n->values < SINGLES_MAX) {
        n->singles[n->values] = next;
    }
    n->values++;
    return !n->live.has_more; // stop when there are more groups than a sentence can name
}

/// Write the name of a group, for a sentence: one object, or a range of neighbours.
static void write_group(const group *g, char *out, size_t capacity)
{
    const unsigned long long begin = g->bytes.begin;
    const unsigned long long last = g->bytes.end - 1;
    if (g->is_bytes && begin == last) {
        (void)snprintf(out, capacity, "%s byte %llu", g->stem, begin);
    } else if (g->is_bytes) {
        (void)snprintf(out, capacity, "%s bytes %llu to %llu", g->stem, begin, last);
    } else if (g->values == 1) {
        (void)snprintf(out, capacity, "%s", g->name);
    } else if (!g->has_index) {
        (void)snprintf(out, capacity, "%s", g->stem);
    } else if (g->first == g->last) {
        (void)snprintf(out, capacity, "%s[%llu]", g->stem, g->first);
    } else {
        (void)snprintf(out, capacity, "%s[%llu..%llu]", g->stem, g->first, g->last);
    }
}

/// Collect the objects in the differing parts.
static void collect(naming *n, const parted *state)
{
    const bks_game *game = state->game;
    const bks_state_names names = {game->map, game->ranges, game->range_count};
    bksi_state_walk walk =
        bksi_state_walk_begin(&names, state->bytes, state->count, LOOKUPS_MAX, WALKS_MAX);
    for (uint32_t i = 0; i < n->extent_count && !n->is_cut && !n->live.has_more; i++) {
        n->is_cut = bksi_state_walk_part(&walk, n->extents[i].begin, n->extents[i].end, visit, n) ==
                    BKS_OVER;
    }
}

/// Put together the list to write: values of the game first, then padding, free space and
/// bookkeeping. A few values of the game are named one by one.
static const group_list *put_together(naming *n)
{
    if (n->values <= SINGLES_MAX) {
        memcpy(n->live.items, n->singles, n->values * sizeof(group));
        n->live.count = n->values;
    }
    group_list *all = &n->live;
    for (uint32_t i = 0; i < n->other.count; i++) {
        add_group(all, &n->other.items[i]);
    }
    all->has_more = all->has_more || n->other.has_more || n->is_cut || n->is_behind;
    return all;
}

/// Write the names of groups of values (one value, or neighbouring ones of an array or pool) into a
/// sentence, as many as fit.
static size_t write_names(const group_list *list, char *out, size_t capacity)
{
    static const char more[] = " and more";
    const bool is_one = list->count == 1 && list->items[0].values == 1 && !list->has_more;
    int length = snprintf(out, capacity, is_one ? "in " : "somewhere in ");
    size_t at = length > 0 ? (size_t)length : 0;
    uint32_t shown = 0;
    for (; shown < list->count; shown++) {
        char name[NAME_BYTES];
        write_group(&list->items[shown], name, sizeof(name));
        const bool is_last = shown + 1 == list->count && !list->has_more;
        const size_t behind = is_last ? 1 : sizeof(more);
        if (at + strlen(name) + 2 + behind > capacity) {
            break;
        }
        at += (size_t)snprintf(out + at, capacity - at, "%s%s", shown > 0 ? ", " : "", name);
    }
    if (shown == 0) {
        out[0] = '\0';
        return 0;
    }
    if (shown < list->count || list->has_more) {
        at += (size_t)snprintf(out + at, capacity - at, more);
    }
    return at;
}

/// Write that all differing parts lie beyond the bytes in use, so only the other peer's state has
/// bytes in them.
static size_t write_end(const parted *state, char *out, size_t capacity)
{
    const int length = snprintf(out, capacity, "behind its %zu bytes in use", state->count);
    if (length > 0 && (size_t)length < capacity) {
        return (size_t)length;
    }
    out[0] = '\0';
    return 0;
}

/// Insert an extent in order, and join it with extents that it touches. A game's ranges may have
/// any order and may overlap.
static void add_extent(naming *n, extent e)
{
    uint32_t at = n->extent_count;
    while (at > 0 && n->extents[at - 1].end >= e.begin) {
        at--;
    }
    uint32_t behind = at;
    for (; behind < n->extent_count && n->extents[behind].begin <= e.end; behind++) {
        const extent *old = &n->extents[behind];
        e.begin = old->begin < e.begin ? old->begin : e.begin;
        e.end = old->end > e.end ? old->end : e.end;
    }
    memmove(&n->extents[at + 1], &n->extents[behind],
            (n->extent_count - behind) * sizeof(n->extents[0]));
    n->extents[at] = e;
    n->extent_count = n->extent_count + 1 - (behind - at);
}

static void find_extents(naming *n, const parted *state, const uint8_t *differ, uint32_t count)
{
    const uint32_t parts = count_parts(state);
    for (uint32_t i = 0; i < count && i < BKSI_START_PARTS_MAX; i++) {
        if ((differ[i / 8] >> (i % 8) & 1) == 0) {
            continue;
        }
        const extent whole = i < parts ? extent_of(state, i) : (extent){0, UINT64_MAX};
        const extent used = used_of(state, whole);
        n->is_behind = n->is_behind || whole.end > used.end;
        if (i < parts && used.begin < used.end) {
            add_extent(n, used);
        }
    }
}

size_t bksi_start_parts_name(bksi_runner *runner, const uint8_t *differ, uint32_t count, char *out,
                             size_t capacity)
{
    parted state;
    naming n = {0};
    out[0] = '\0';
    if (!look_at(runner, &state) || (state.game->map == NULL && state.game->range_count > 0)) {
        return 0;
    }
    find_extents(&n, &state, differ, count);
    if (n.extent_count == 0) {
        return n.is_behind ? write_end(&state, out, capacity) : 0;
    }
    collect(&n, &state);
    return write_names(put_together(&n), out, capacity);
}
