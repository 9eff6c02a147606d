// SPDX-License-Identifier: MIT

// A part that differs may hold several values, and which of them differs is not known: so all are
// named, values of the game first. Neighbours in an array are named together.

#include "game/start_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/state_compare.h"
#include "base/hash.h"

enum {
    PIECE_BYTES_MAX = 4096,
    GROUPS_MAX = 16,    // more objects than a sentence holds
    SINGLES_MAX = 3,    // so few values are named one by one
    OBJECT_BYTES = 112, // as in bks_map_place
    NAME_BYTES = 288,   // likewise
};

/// Bytes of the state.
typedef struct extent {
    uint64_t begin;
    uint64_t end;
} extent;

/// A state, cut in parts.
typedef struct parted {
    const bks_game *game;
    const uint8_t *bytes;
    size_t count;         ///< of its bytes in use
    uint64_t piece_bytes; ///< of a game without ranges
} parted;

/// @return false: the state has no bytes to look at
static bool look_at(bksi_runner *runner, parted *out)
{
    const bks_game *game = bksi_runner_start(runner)->game;
    const uint64_t bytes_max = bksi_runner_export_bytes_max(runner);
    *out = (parted){.game = game, .piece_bytes = 1};
    while (out->piece_bytes < PIECE_BYTES_MAX &&
           out->piece_bytes * BKSI_START_PARTS_MAX < bytes_max) {
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

/// Where a part lies within the bytes in use.
static extent extent_of(const parted *state, uint32_t part)
{
    uint64_t begin = part * state->piece_bytes;
    uint64_t bytes = state->piece_bytes;
    if (state->game->range_count > 0) {
        const bks_state_range *range = &state->game->ranges[part];
        begin = range->offset_bytes;
        bytes = (uint64_t)range->count * bks_state_type_bytes(range->type);
    }
    begin = begin < state->count ? begin : state->count;
    bytes = bytes < state->count - begin ? bytes : state->count - begin;
    return (extent){begin, begin + bytes};
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
        const extent e = extent_of(&state, i);
        out[i] = bksi_hash64(state.bytes + e.begin, (size_t)(e.end - e.begin), 0);
    }
    return count;
}

// ---- names ----

/// Values of one object, or of neighbours in an array or a pool.
typedef struct group {
    char stem[OBJECT_BYTES]; ///< the object's name, without its index
    bool has_index;
    unsigned long long first; ///< index
    unsigned long long last;
    uint32_t values;
    char name[NAME_BYTES]; ///< of the first value
    bool is_bytes;         ///< nothing is known of its values
    extent bytes;          ///< all of it in the parts
} group;

typedef struct naming {
    extent extents[BKSI_START_PARTS_MAX]; ///< of the parts that differ
    uint32_t extent_count;
    bool wants_live; ///< values of the game, or all else
    group groups[GROUPS_MAX];
    uint32_t group_count;
    bool has_more;
    group singles[SINGLES_MAX]; ///< the first values of the game, each by itself
    uint32_t values;            ///< of the game
} naming;

/// What of a place lies in the parts.
/// @return false: nothing does
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

/// The object that a place belongs to. Plain members of the root are objects of their own.
static group group_of(const bks_map_place *place, const extent *bytes)
{
    group g = {.values = 1, .bytes = *bytes};
    const char *from = place->object;
    size_t length = strlen(from);
    if (strcmp(from, "root") == 0) {
        from = place->name;
        const size_t root = sizeof("root.") - 1;
        length = strlen(from) > root ? root + strcspn(from + root, ".[") : strlen(from);
    }
    (void)snprintf(g.stem, sizeof(g.stem), "%.*s", (int)length, from);
    (void)snprintf(g.name, sizeof(g.name), "%s", place->name);
    g.is_bytes = strstr(place->field, "byte ") != NULL;
    char *bracket = strrchr(g.stem, '[');
    if (bracket != NULL && !g.is_bytes) {
        g.has_index = true;
        g.first = g.last = strtoull(bracket + 1, NULL, 10);
        *bracket = '\0';
    }
    return g;
}

/// Whether `next` is the group's object, or lies behind the last one of it.
static bool joins(const group *g, const group *next)
{
    return strcmp(g->stem, next->stem) == 0 && g->has_index == next->has_index &&
           next->first >= g->first && next->first <= g->last + 1;
}

static void add_group(naming *n, const group *next)
{
    for (uint32_t i = 0; i < n->group_count; i++) {
        group *g = &n->groups[i];
        if (joins(g, next)) {
            g->last = next->last > g->last ? next->last : g->last;
            g->bytes.end = next->bytes.end;
            g->values++;
            return;
        }
    }
    if (n->group_count < GROUPS_MAX) {
        n->groups[n->group_count++] = *next;
    } else {
        n->has_more = true;
    }
}

static bool visit(void *context, const bks_map_place *place)
{
    naming *n = context;
    extent bytes;
    if ((place->use == BKS_MAP_LIVE) != n->wants_live || !clip(n, place, &bytes)) {
        return true;
    }
    const group next = group_of(place, &bytes);
    add_group(n, &next);
    if (n->wants_live && n->values < SINGLES_MAX) {
        n->singles[n->values] = next;
    }
    n->values += n->wants_live ? 1 : 0;
    return true;
}

/// One object or several, as a sentence names them.
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

/// Values of the game, then padding, free space and bookkeeping.
static void collect(naming *n, const parted *state)
{
    const bks_game *game = state->game;
    const bks_state_names names = {game->map, game->ranges, game->range_count};
    n->wants_live = true;
    bks_status status = bks_state_walk(&names, state->bytes, state->count, visit, n);
    n->has_more = n->has_more || status == BKS_OVER;
    if (n->values <= SINGLES_MAX) {
        memcpy(n->groups, n->singles, n->values * sizeof(group));
        n->group_count = n->values;
    }
    n->wants_live = false;
    (void)bks_state_walk(&names, state->bytes, state->count, visit, n);
}

/// The names that fit.
static size_t write_names(const naming *n, char *out, size_t capacity)
{
    static const char more[] = " and more";
    const bool is_one = n->group_count == 1 && n->groups[0].values == 1 && !n->has_more;
    int length = snprintf(out, capacity, is_one ? "in " : "somewhere in ");
    size_t at = length > 0 ? (size_t)length : 0;
    uint32_t shown = 0;
    for (; shown < n->group_count; shown++) {
        char name[NAME_BYTES];
        write_group(&n->groups[shown], name, sizeof(name));
        const bool is_last = shown + 1 == n->group_count && !n->has_more;
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
    if (shown < n->group_count || n->has_more) {
        at += (size_t)snprintf(out + at, capacity - at, more);
    }
    return at;
}

/// What lies behind the bytes in use, where only the other state has any.
static size_t write_end(const parted *state, char *out, size_t capacity)
{
    const int length = snprintf(out, capacity, "behind its %zu bytes in use", state->count);
    return length > 0 && (size_t)length < capacity ? (size_t)length : 0;
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
    const uint32_t parts = count_parts(&state);
    for (uint32_t i = 0; i < count && i < parts; i++) {
        if ((differ[i / 8] >> (i % 8) & 1) != 0) {
            n.extents[n.extent_count++] = extent_of(&state, i);
        }
    }
    collect(&n, &state);
    return n.group_count > 0 ? write_names(&n, out, capacity) : write_end(&state, out, capacity);
}
