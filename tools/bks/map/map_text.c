// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <string.h>

#include "base/tool.h"
#include "map/game_map.h"

enum { NAME_WIDTH = 24 };

const char *map_type_name(const bks_map_type *type)
{
    if (type->name[0] != '\0') {
        return type->name;
    }
    return type->kind == BKS_MAP_UNION  ? "(union)"
           : type->kind == BKS_MAP_ENUM ? "(enum)"
                                        : "(struct)";
}

static bool is_aggregate(const bks_map_type *type)
{
    return type->kind == BKS_MAP_STRUCT || type->kind == BKS_MAP_UNION;
}

static uint64_t bytes_of(const bks_state_map *map, const bks_map_member *member)
{
    uint64_t bytes = map->types[member->type].bytes;
    for (uint32_t i = 0; i < BKS_MAP_DIMENSIONS_MAX && member->count[i] > 0; i++) {
        bytes *= member->count[i];
    }
    return bytes;
}

/// Print the type of a value, and end the line.
static void print_type(FILE *out, const bks_state_map *map, const bks_map_type *type)
{
    fprintf(out, "%s", map_type_name(type));
    if (type->kind == BKS_MAP_REF && type->target != 0) {
        fprintf(out, " to %s", map_type_name(&map->types[type->target]));
        if (type->target_count > 1) {
            fprintf(out, "[%" PRIu32 "]", type->target_count);
        }
    } else if (type->kind == BKS_MAP_ID && type->pool != NULL) {
        fprintf(out, " in pool %s", type->pool);
    }
    fprintf(out, "\n");
}

/// Print the name of a member, or if it has none, the name of the first named member in it.
static void print_selected(FILE *out, const bks_state_map *map, const bks_map_member *member)
{
    const char *before = "";
    while (member->name[0] == '\0' && map->types[member->type].member_count > 0) {
        before = "the part with ";
        member = &map->types[member->type].members[0];
    }
    fprintf(out, "%s%s", before, member->name);
}

static void print_case(FILE *out, const bks_state_map *map, uint32_t type, uint32_t member)
{
    for (uint32_t i = 0; i < map->case_count; i++) {
        const bks_map_case *one = &map->cases[i];
        if (one->type == type && one->member == member) {
            const bks_map_member *members = map->types[type].members;
            fprintf(out, "%17s", "");
            print_selected(out, map, &map->types[members[member].type].members[one->selected]);
            fprintf(out, " while %s is %" PRId64 "\n", members[one->by].name, one->value);
        }
    }
}

static void print_members(FILE *out, const bks_state_map *map, uint32_t number, uint64_t base,
                          int indent);

static void print_member(FILE *out, const bks_state_map *map, const bks_map_member *member,
                         uint64_t base, int indent)
{
    const bks_map_type *type = &map->types[member->type];
    char name[160];
    (void)snprintf(name, sizeof(name), "%s", member->name[0] != '\0' ? member->name : "(no name)");
    for (uint32_t i = 0; i < BKS_MAP_DIMENSIONS_MAX && member->count[i] > 0; i++) {
        const size_t length = strlen(name);
        (void)snprintf(name + length, sizeof(name) - length, "[%" PRIu32 "]", member->count[i]);
    }
    if (member->bits > 0) {
        const size_t length = strlen(name);
        (void)snprintf(name + length, sizeof(name) - length, " bits %u..%u", member->bit_offset,
                       member->bit_offset + member->bits - 1u);
    }
    fprintf(out, "%8" PRIu64 " %7" PRIu64 "  %*s%-*s ", base + member->offset_bytes,
            bytes_of(map, member), indent, "", NAME_WIDTH - indent, name);
    print_type(out, map, type);
    // Print the members of an unnamed type within the table of the type that contains it. Named
    // types get their own tables.
    if (is_aggregate(type) && type->name[0] == '\0') {
        print_members(out, map, member->type, base + member->offset_bytes, indent + 2);
    }
}

static bool is_before(const bks_map_member *a, const bks_map_member *b)
{
    return a->offset_bytes != b->offset_bytes ? a->offset_bytes < b->offset_bytes
                                              : a->bit_offset < b->bit_offset;
}

/// Find the next member in memory, because a compiler may reorder the members of a type.
/// @param before  index of a member, UINT32_MAX: find the first one
/// @return index of the member after it, UINT32_MAX: there is none
static uint32_t next_member(const bks_map_type *type, uint32_t before)
{
    uint32_t next = UINT32_MAX;
    for (uint32_t i = 0; i < type->member_count; i++) {
        const bks_map_member *one = &type->members[i];
        const bks_map_member *last = before != UINT32_MAX ? &type->members[before] : one;
        const bool is_behind =
            before == UINT32_MAX || is_before(last, one) || (!is_before(one, last) && i > before);
        if (is_behind && (next == UINT32_MAX || is_before(one, &type->members[next]))) {
            next = i;
        }
    }
    return next;
}

static void print_members(FILE *out, const bks_state_map *map, uint32_t number, uint64_t base,
                          int indent)
{
    const bks_map_type *type = &map->types[number];
    uint64_t end = 0;
    for (uint32_t i = next_member(type, UINT32_MAX); i != UINT32_MAX; i = next_member(type, i)) {
        const bks_map_member *member = &type->members[i];
        if (member->offset_bytes > end && type->kind == BKS_MAP_STRUCT) {
            fprintf(out, "%8" PRIu64 " %7" PRIu64 "  %*s(padding)\n", base + end,
                    member->offset_bytes - end, indent, "");
        }
        print_member(out, map, member, base, indent);
        print_case(out, map, number, i);
        const uint64_t member_end = member->offset_bytes + bytes_of(map, member);
        end = member_end > end ? member_end : end;
    }
    if (end < type->bytes) {
        fprintf(out, "%8" PRIu64 " %7" PRIu64 "  %*s(padding)\n", base + end, type->bytes - end,
                indent, "");
    }
}

static void print_head(FILE *out, const char *what, const char *name, uint64_t bytes)
{
    fprintf(out, "\n%s %s, %" PRIu64 " bytes\n  offset   bytes  field%*s type\n", what, name, bytes,
            NAME_WIDTH - 5, "");
}

static void print_pool(FILE *out, const bks_state_map *map, const bks_map_pool *pool)
{
    const bks_map_type *type = &map->types[pool->type];
    char what[128];
    (void)snprintf(what, sizeof(what), "pool %s: %s[N] is", pool->name, pool->name);
    print_head(out, what, map_type_name(type), type->bytes);
    print_members(out, map, pool->type, 0, 0);
}

static bool is_of_pool(const bks_state_map *map, uint32_t type)
{
    for (uint32_t i = 0; i < map->pool_count; i++) {
        if (map->pools[i].type == type) {
            return true;
        }
    }
    return false;
}

/// Return true if the enumerators of a type were printed before. Several types share them if an
/// enum names numbers of several sizes.
static bool is_shown(const bks_state_map *map, uint32_t number)
{
    for (uint32_t i = 0; i < number; i++) {
        if (map->types[i].enumerators == map->types[number].enumerators) {
            return true;
        }
    }
    return false;
}

static void print_enum(FILE *out, const bks_map_type *type)
{
    fprintf(out, "\nenum %s\n ", map_type_name(type));
    int column = 1;
    for (uint32_t i = 0; i < type->enumerator_count; i++) {
        char text[192];
        const int width =
            snprintf(text, sizeof(text), " %" PRId64 " %s%s", type->enumerators[i].value,
                     type->enumerators[i].name, i + 1 < type->enumerator_count ? "," : "");
        if (column + width > tool_columns()) {
            fprintf(out, "\n ");
            column = 1;
        }
        fprintf(out, "%s", text);
        column += width;
    }
    fprintf(out, "\n");
}

void map_print_text(FILE *out, const loaded_game *game, const game_map *of)
{
    const bks_state_map *map = of->map;
    fprintf(out, "%s - map of the state, from %s %s\n", game->game->name,
            of->types != NULL ? "the debug information of" : "the table (bks_game.map) in",
            game->path);
    print_head(out, "root", map_type_name(&map->types[0]), map->types[0].bytes);
    print_members(out, map, 0, 0, 0);
    if (map->has_arena) {
        fprintf(out, "\nbehind the root: (arena), and pools and blocks made from it\n");
    } else if (map->rest_name != NULL) {
        fprintf(out, "\nbehind the root: %s[N] is %s\n", map->rest_name,
                map_type_name(&map->types[map->rest_type]));
    }
    for (uint32_t i = 0; i < map->pool_count; i++) {
        print_pool(out, map, &map->pools[i]);
    }
    for (uint32_t i = 1; i < map->type_count; i++) {
        const bks_map_type *type = &map->types[i];
        if (is_aggregate(type) && type->name[0] != '\0' && !is_of_pool(map, i)) {
            print_head(out, type->kind == BKS_MAP_UNION ? "union" : "struct", type->name,
                       type->bytes);
            print_members(out, map, i, 0, 0);
        }
    }
    for (uint32_t i = 0; i < map->type_count; i++) {
        if (map->types[i].enumerator_count > 0 && !is_shown(map, i)) {
            print_enum(out, &map->types[i]);
        }
    }
}
