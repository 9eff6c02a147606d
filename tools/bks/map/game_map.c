// SPDX-License-Identifier: MIT

#include "map/game_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool game_map_find(const loaded_game *game, game_map *out, char why[320])
{
    *out = (game_map){.map = game->game->map};
    map_types *types = map_keep(sizeof(*types));
    bks_state_map *map = map_keep(sizeof(*map));
    if (types == NULL || map == NULL) {
        (void)snprintf(why, 320, "does not fit into memory");
        return false;
    }
    map_dwarf *dwarf = map_dwarf_open(game->path, types);
    const bool is_read =
        dwarf != NULL && map_entries_read(dwarf, game->game, types) && map_types_finish(types, map);
    map_dwarf_close(dwarf);
    if (is_read) {
        *out = (game_map){.map = map, .types = types};
    }
    (void)snprintf(why, 320, "%s", types->error);
    return out->map != NULL;
}

const bks_state_map *game_map_of(const loaded_game *game)
{
    game_map found;
    char why[320];
    return game_map_find(game, &found, why) ? found.map : NULL;
}

enum { UNNAMED_DEPTH_MAX = 8 }; // limit for unnamed structs and unions within each other

/// Member that an entry of bks_game.types names, and the struct that has it.
typedef struct named_member {
    const map_type *owner;
    uint32_t number; ///< index in `types` of the type that has the member
    uint32_t at;     ///< index of the member in its type
    const bks_map_member *is;
} named_member;

typedef struct reading {
    map_dwarf *dwarf;
    const bks_game *game;
    map_types *types;
    // For each entry of bks_game.types: index in `types` of the type that the entry names.
    uint32_t of[BKS_TYPE_ENTRIES_MAX];
    // For each entry of bks_game.types: the member that the entry names, if it names one.
    named_member members[BKS_TYPE_ENTRIES_MAX];
} reading;

static bool fail(const reading *r, const bks_type_entry *entry, const char *what)
{
    (void)map_types_fail(r->types, "has types[%u] (%.63s%s%.63s) %s",
                         (unsigned)(entry - r->game->types), entry->owner,
                         entry->member[0] != '\0' ? "." : "", entry->member, what);
    return false;
}

/// Add a type of numbers by its name. No member of the state needs to have this type.
/// @return index of the type, MAP_TYPE_NONE: no type of numbers has this name and size
static uint32_t add_number(map_types *types, const char *name, uint64_t bytes)
{
    static const struct {
        const char *name;
        bks_map_kind kind;
        uint32_t bytes;
    } numbers[] = {
        {"uint8_t", BKS_MAP_UINT, 1},  {"uint16_t", BKS_MAP_UINT, 2}, {"uint32_t", BKS_MAP_UINT, 4},
        {"uint64_t", BKS_MAP_UINT, 8}, {"int8_t", BKS_MAP_INT, 1},    {"int16_t", BKS_MAP_INT, 2},
        {"int32_t", BKS_MAP_INT, 4},   {"int64_t", BKS_MAP_INT, 8},   {"float", BKS_MAP_FLOAT, 4},
        {"double", BKS_MAP_FLOAT, 8},  {"char", BKS_MAP_CHAR, 1},     {"bool", BKS_MAP_BOOL, 1},
        {"bks_ref", BKS_MAP_REF, 8},   {"bks_id", BKS_MAP_ID, 4},
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (strcmp(numbers[i].name, name) == 0 && numbers[i].bytes == bytes) {
            return map_types_scalar(types, name, numbers[i].kind, bytes);
        }
    }
    return MAP_TYPE_NONE;
}

/// Find the type that an entry names, and check that it has the size with which the game was
/// compiled.
static bool find_type(reading *r, const bks_type_entry *entry, uint32_t *out)
{
    *out = add_number(r->types, entry->of, entry->of_bytes);
    if (*out == MAP_TYPE_NONE) {
        *out = map_dwarf_type(r->dwarf, entry->of);
    }
    if (*out == MAP_TYPE_NONE) {
        return false;
    }
    return r->types->items[*out].is.bytes == entry->of_bytes ||
           fail(r, entry, "whose type has another size in the debug information: rebuild the game");
}

static bool names_a_type(const bks_type_entry *entry)
{
    return entry->kind != BKS_TYPE_IS_ID && entry->kind != BKS_TYPE_IS_CASE &&
           entry->kind != BKS_TYPE_IS_ROOT;
}

static bool read_root(reading *r)
{
    const bks_type_entry *entry = NULL;
    for (uint32_t i = 0; i < r->game->type_count; i++) {
        entry = r->game->types[i].kind == BKS_TYPE_IS_ROOT ? &r->game->types[i] : entry;
    }
    if (entry != NULL) {
        return find_type(r, entry, &r->types->root);
    }
    char name[64];
    (void)snprintf(name, sizeof(name), "%s_state", r->game->name);
    if (!map_dwarf_has(r->dwarf, name)) {
        (void)map_types_fail(r->types,
                             "does not say which struct is the root of its state, "
                             "expected BKS_TYPE_ROOT(...) in bks_game.types, or a "
                             "struct %s",
                             name);
        return false;
    }
    r->types->root = map_dwarf_type(r->dwarf, name);
    if (r->types->root == MAP_TYPE_NONE) {
        return false;
    }
    const uint64_t bytes = r->types->items[r->types->root].is.bytes;
    if (r->game->create != NULL && r->game->save_bytes_max != bytes) {
        (void)map_types_fail(r->types,
                             "does not say what its save writes, expected BKS_TYPE_ROOT(...) in "
                             "bks_game.types, or save_bytes_max %" PRIu64 ", the size of struct %s",
                             bytes, name);
        return false;
    }
    return true;
}

/// Find the struct that an entry names: in the map, or else in the debug information, which may
/// know a type of the map by another name.
/// @return NULL: there is none
static map_type *find_owner(const reading *r, const bks_type_entry *entry, uint32_t *out_number)
{
    const uint32_t count = r->types->count;
    for (uint32_t i = 0; i < count; i++) {
        map_type *type = &r->types->items[i];
        if (type->is.member_count > 0 && map_types_same_name(type->is.name, entry->owner)) {
            *out_number = i;
            return type;
        }
    }
    const uint32_t found =
        map_dwarf_has(r->dwarf, entry->owner) ? map_dwarf_type(r->dwarf, entry->owner) : count;
    *out_number = found;
    return found < count ? &r->types->items[found] : NULL;
}

/// Find a member of a type by the part of a name before the first dot.
/// @return NULL: there is none
static bks_map_member *find_member(const map_type *type, const char *name, uint32_t *out_number)
{
    const size_t length = strcspn(name, ".");
    for (uint32_t i = 0; i < type->is.member_count; i++) {
        if (strlen(type->members[i].name) == length &&
            strncmp(type->members[i].name, name, length) == 0) {
            *out_number = i;
            return &type->members[i];
        }
    }
    return NULL;
}

static uint64_t elements_of(const bks_map_member *member)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < BKS_MAP_DIMENSIONS_MAX && member->count[i] > 0; i++) {
        count *= member->count[i];
    }
    return count;
}

/// Give a member a new type of its own, a changed copy of another type.
/// @param from  description of the new type, without its size
static bool retype(reading *r, const bks_type_entry *entry, const named_member *member,
                   const map_type *from)
{
    const map_type *owner = member->owner;
    map_type type = *from;
    type.is.bytes = r->types->items[member->is->type].is.bytes;
    type.id = 0;
    int dimensions = 0;
    while (dimensions < BKS_MAP_DIMENSIONS_MAX && member->is->count[dimensions] > 0) {
        dimensions++;
    }
    type.size = map_keep_text("sizeof(((%s *)0)->%s%s%s%.*s)", owner->owner, owner->path,
                              owner->path[0] != '\0' ? "." : "", entry->member, 3 * dimensions,
                              "[0][0][0]");
    const uint32_t number = map_types_add(r->types, &type);
    if (number != MAP_TYPE_NONE) {
        map_types_retype(r->types, member->number, member->at, number);
    }
    return number != MAP_TYPE_NONE;
}

static bool apply_ref(reading *r, const bks_type_entry *entry, const named_member *member)
{
    map_type ref = r->types->items[member->is->type];
    if (ref.is.kind != BKS_MAP_REF) {
        return fail(r, entry, "whose member is no bks_ref");
    }
    // Plus one, because a target of 0 means that the target is not known.
    ref.is.target = r->of[entry - r->game->types] + 1;
    ref.is.target_count = entry->count;
    return retype(r, entry, member, &ref);
}

static bool apply_id(reading *r, const bks_type_entry *entry, const named_member *member)
{
    map_type id = r->types->items[member->is->type];
    if (id.is.bytes != sizeof(bks_id) || (id.is.kind != BKS_MAP_ID && id.is.kind != BKS_MAP_UINT)) {
        return fail(r, entry, "whose member is no bks_id");
    }
    id.is.kind = BKS_MAP_ID;
    id.is.name = "bks_id";
    id.is.pool = entry->of;
    return retype(r, entry, member, &id);
}

static bool apply_enum(reading *r, const bks_type_entry *entry, const named_member *member)
{
    const map_type *names = &r->types->items[r->of[entry - r->game->types]];
    const bks_map_kind kind = r->types->items[member->is->type].is.kind;
    if (names->is.kind != BKS_MAP_ENUM) {
        return fail(r, entry, "whose type is no enum");
    }
    if (kind != BKS_MAP_UINT && kind != BKS_MAP_INT && kind != BKS_MAP_ENUM &&
        kind != BKS_MAP_CHAR) {
        return fail(r, entry, "whose member is no number");
    }
    return retype(r, entry, member, names);
}

/// Find the member of a union that a name selects: the member of this name, or a member without a
/// name that contains one.
static bool find_selected(const reading *r, const map_type *type, const char *name, int depth,
                          uint32_t *out_number)
{
    if (find_member(type, name, out_number) != NULL) {
        return true;
    }
    for (uint32_t i = 0; i < type->is.member_count && depth < UNNAMED_DEPTH_MAX; i++) {
        uint32_t within = 0;
        if (type->members[i].name[0] == '\0' &&
            find_selected(r, &r->types->items[type->members[i].type], name, depth + 1, &within)) {
            *out_number = i;
            return true;
        }
    }
    return false;
}

/// Find the union and its member that a path names. The path begins with the name of the union, or
/// with that of its member if the union has no name.
/// @param out  receives `member` and `selected`
static bool find_union(const reading *r, const map_type *owner, const char *path, bks_map_case *out)
{
    for (uint32_t i = 0; i < owner->is.member_count; i++) {
        const bks_map_member *member = &owner->members[i];
        const map_type *type = &r->types->items[member->type];
        const size_t length = strlen(member->name);
        const bool is_named =
            length > 0 && strncmp(path, member->name, length) == 0 && path[length] == '.';
        if (type->is.kind == BKS_MAP_UNION && (length == 0 || is_named) &&
            find_selected(r, type, path + (length > 0 ? length + 1 : 0), 0, &out->selected)) {
            out->member = i;
            return true;
        }
    }
    return false;
}

static bool apply_case(reading *r, const bks_type_entry *entry, const map_type *owner,
                       uint32_t number, uint32_t by)
{
    bks_map_case one = {.type = number, .by = by, .value = entry->value};
    if (!find_union(r, owner, entry->of, &one)) {
        return fail(r, entry, "whose case is no member of a union beside it");
    }
    return map_types_add_case(r->types, &one);
}

/// Return true if two entries contradict each other about a pool or member.
static bool contradicts(const reading *r, uint32_t a, uint32_t b)
{
    const bks_type_entry *one = &r->game->types[a];
    const bks_type_entry *other = &r->game->types[b];
    if (one->kind == BKS_TYPE_IS_CASE || other->kind == BKS_TYPE_IS_CASE ||
        (one->kind == other->kind && strcmp(one->of, other->of) == 0 &&
         one->of_bytes == other->of_bytes && one->count == other->count)) {
        return false; // several entries may describe cases of one union
    }
    const named_member *at = &r->members[a];
    const named_member *there = &r->members[b];
    if (one->kind == BKS_TYPE_IS_POOL && other->kind == BKS_TYPE_IS_POOL) {
        return strcmp(one->owner, other->owner) == 0;
    }
    return at->is != NULL && there->is != NULL && at->number == there->number &&
           at->at == there->at;
}

/// Check that an entry does not contradict an earlier one.
/// @param number  index of the entry
static bool check_before(const reading *r, uint32_t number)
{
    for (uint32_t i = 0; i < number; i++) {
        if (contradicts(r, i, number)) {
            char what[200];
            (void)snprintf(what, sizeof(what),
                           "that says otherwise than types[%" PRIu32 "], expected one entry%s", i,
                           r->members[number].is != NULL
                               ? ": where a member is of several types, give it several structs"
                               : "");
            return fail(r, &r->game->types[number], what);
        }
    }
    return true;
}

static bool apply(reading *r, const bks_type_entry *entry)
{
    map_types *types = r->types;
    const uint32_t number = (uint32_t)(entry - r->game->types);
    const uint32_t of = r->of[number];
    if (entry->kind == BKS_TYPE_IS_ROOT) {
        return true;
    }
    if (entry->kind == BKS_TYPE_IS_POOL) {
        if (!check_before(r, number)) {
            return false;
        }
        types->pools[types->pool_count++] = (bks_map_pool){.name = entry->owner, .type = of};
        return true;
    }
    if (entry->kind == BKS_TYPE_IS_REST) {
        types->rest_name = entry->owner;
        types->rest_type = of;
        return true;
    }
    named_member member = {0};
    member.owner = find_owner(r, entry, &member.number);
    member.is = member.owner != NULL ? find_member(member.owner, entry->member, &member.at) : NULL;
    if (member.is == NULL) {
        return fail(r, entry, "that is no member of a struct in the state, its pools or blocks");
    }
    if (member.owner->is.bytes != entry->owner_bytes ||
        elements_of(member.is) * types->items[member.is->type].is.bytes != entry->member_bytes) {
        return fail(r, entry, "that has another size in the debug information: rebuild the game");
    }
    r->members[number] = member;
    if (!check_before(r, number)) {
        return false;
    }
    switch (entry->kind) {
    case BKS_TYPE_IS_REF:
        return apply_ref(r, entry, &member);
    case BKS_TYPE_IS_ID:
        return apply_id(r, entry, &member);
    case BKS_TYPE_IS_ENUM:
        return apply_enum(r, entry, &member);
    default:
        return apply_case(r, entry, member.owner, member.number, member.at);
    }
}

bool map_entries_read(map_dwarf *dwarf, const bks_game *game, map_types *types)
{
    reading *r = map_keep(sizeof(*r));
    if (r == NULL) {
        (void)map_types_fail(types, "does not fit into memory");
        return false;
    }
    *r = (reading){.dwarf = dwarf, .game = game, .types = types};
    types->has_arena = game->root_bytes > 0;
    for (uint32_t i = 0; i < game->type_count; i++) {
        if (names_a_type(&game->types[i]) && !find_type(r, &game->types[i], &r->of[i])) {
            return false;
        }
    }
    if (!read_root(r)) {
        return false;
    }
    for (uint32_t i = 0; i < game->type_count; i++) {
        if (!apply(r, &game->types[i])) {
            return false;
        }
    }
    return true;
}
