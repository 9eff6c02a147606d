// SPDX-License-Identifier: MIT

#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "base/report.h"
#include "game/map_block.h"

static const char call[] = "bks_state_map_check";

#define STATE_BYTES_MAX (UINT64_C(1) << 30)

static bks_status refuse(bks_error *error, const bks_map_type *type, uint32_t number,
                         const char *member, const char *what)
{
    const bool has_name = type->name != NULL;
    return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "types", "types[%u] (%.63s%s%.63s) %s",
                     number, has_name ? type->name : "no name", member[0] != '\0' ? "." : "",
                     member, what);
}

/// Return the bytes of all elements of a member; 0 if the bytes are too many, or if a dimension is
/// missing before another one.
static uint64_t bytes_of(const bks_map_member *member, const bks_map_type *of)
{
    uint64_t bytes = of->bytes;
    bool has_end = false;
    for (uint32_t i = 0; i < BKS_MAP_DIMENSIONS_MAX; i++) {
        if (member->count[i] == 0) {
            has_end = true;
        } else if (has_end || bytes > STATE_BYTES_MAX / member->count[i]) {
            return 0;
        } else {
            bytes *= member->count[i];
        }
    }
    return bytes;
}

static const char *fault_of_member(const bks_state_map *map, uint32_t number,
                                   const bks_map_member *member)
{
    const bks_map_type *type = &map->types[number];
    if (member->type >= map->type_count) {
        return "has a type that is not in the map";
    }
    const bks_map_type *of = &map->types[member->type];
    if (member->name[0] == '\0' && !bksi_map_is_aggregate(of)) {
        return "has no name, which only a struct or a union may lack";
    }
    if (bksi_map_is_aggregate(of) && member->type <= number) {
        return "has a struct or union type that is earlier in the map than its own, must be later";
    }
    const uint64_t bytes = bytes_of(member, of);
    if (bytes == 0 || bytes > type->bytes || member->offset_bytes > type->bytes - bytes) {
        return "does not lie within its type";
    }
    if (member->bits > 0 && (bksi_map_is_aggregate(of) || member->count[0] > 0 || of->bytes > 8 ||
                             member->bits + (uint64_t)member->bit_offset > of->bytes * 8)) {
        return "is no bit-field of its type";
    }
    return NULL;
}

static bks_status check_members(const bks_state_map *map, uint32_t number, bks_error *error)
{
    const bks_map_type *type = &map->types[number];
    if (type->member_count > BKS_MAP_MEMBERS_MAX ||
        (type->member_count > 0 && (type->members == NULL || !bksi_map_is_aggregate(type)))) {
        return refuse(error, type, number, "",
                      "has a member_count without members, above the maximum, or in a type that is "
                      "no struct or union");
    }
    for (uint32_t i = 0; i < type->member_count; i++) {
        if (type->members[i].name == NULL) {
            return refuse(error, type, number, "", "has a member whose name is NULL");
        }
        const char *fault = fault_of_member(map, number, &type->members[i]);
        if (fault != NULL) {
            return refuse(error, type, number, type->members[i].name, fault);
        }
    }
    return BKS_OK;
}

static bool has_number_size(uint64_t bytes)
{
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/// Return true if the size of a type fits its kind.
static bool has_size_of_kind(const bks_map_type *type)
{
    switch (type->kind) {
    case BKS_MAP_ENUM:
    case BKS_MAP_UINT:
    case BKS_MAP_INT:
    case BKS_MAP_BOOL:
    case BKS_MAP_POINTER:
        return has_number_size(type->bytes);
    case BKS_MAP_CHAR:
        return type->bytes == 1;
    case BKS_MAP_REF:
        return type->bytes == sizeof(bks_ref);
    case BKS_MAP_ID:
        return type->bytes == sizeof(bks_id);
    case BKS_MAP_BYTES:
    case BKS_MAP_STRUCT:
    case BKS_MAP_UNION:
    case BKS_MAP_FLOAT:
        return type->bytes >= 1 && type->bytes <= STATE_BYTES_MAX;
    }
    return false;
}

static bks_status check_type(const bks_state_map *map, uint32_t number, bks_error *error)
{
    const bks_map_type *type = &map->types[number];
    if (type->name == NULL) {
        return refuse(error, type, number, "", "must have a name, \"\" for none");
    }
    if (!has_size_of_kind(type)) {
        return refuse(error, type, number, "",
                      "has an unknown kind, or a size that its kind cannot have");
    }
    if (type->enumerator_count > 0 && type->enumerators == NULL) {
        return refuse(error, type, number, "",
                      "has enumerators NULL, must be set because enumerator_count is above 0");
    }
    for (uint32_t i = 0; i < type->enumerator_count; i++) {
        if (type->enumerators[i].name == NULL) {
            return refuse(error, type, number, "", "has an enumerator whose name is NULL");
        }
    }
    if (type->target >= map->type_count) {
        return refuse(error, type, number, "", "leads to a type that is not in the map");
    }
    return BKS_OK;
}

static bool is_case_sound(const bks_state_map *map, const bks_map_case *one)
{
    if (one->type >= map->type_count || one->by >= map->types[one->type].member_count ||
        one->member >= map->types[one->type].member_count) {
        return false;
    }
    const bks_map_type *type = &map->types[one->type];
    const bks_map_type *by = &map->types[type->members[one->by].type];
    const bks_map_type *of = &map->types[type->members[one->member].type];
    return !bksi_map_is_aggregate(by) && by->bytes <= 8 && type->members[one->by].count[0] == 0 &&
           of->kind == BKS_MAP_UNION && one->selected < of->member_count;
}

static bks_status check_tables(const bks_state_map *map, bks_error *error)
{
    const bool lacks_pools = map->pool_count > 0 && map->pools == NULL;
    if (lacks_pools || (map->case_count > 0 && map->cases == NULL)) {
        const char *field = lacks_pools ? "pools" : "cases";
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                         "%s is NULL, must be set: its count is above 0", field);
    }
    for (uint32_t i = 0; i < map->pool_count; i++) {
        if (map->pools[i].name == NULL || map->pools[i].type >= map->type_count) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "pools",
                             "pools[%u] has no name or a type that is not in the map", i);
        }
    }
    for (uint32_t i = 0; i < map->case_count; i++) {
        if (!is_case_sound(map, &map->cases[i])) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "cases",
                             "cases[%u] is wrong: `type` must be a struct, `by` a number in it, "
                             "`member` a union in it, "
                             "`selected` a member of that union",
                             i);
        }
    }
    if (map->rest_name != NULL && map->rest_type >= map->type_count) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "rest_type",
                         "rest_type is %u, must be 0..%u", map->rest_type, map->type_count - 1);
    }
    return BKS_OK;
}

bks_status bks_state_map_check(const bks_state_map *map, bks_error *error)
{
    BKSI_REFUSE_NULL(error, map);
    if (map->types == NULL || map->type_count < 1 || map->type_count > BKS_MAP_TYPES_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "types",
                         "types is %s with type_count %u, must be 1..%d of them",
                         map->types == NULL ? "NULL" : "given", map->type_count, BKS_MAP_TYPES_MAX);
    }
    bks_status status = BKS_OK;
    for (uint32_t i = 0; i < map->type_count && status == BKS_OK; i++) {
        status = check_type(map, i, error);
    }
    for (uint32_t i = 0; i < map->type_count && status == BKS_OK; i++) {
        status = check_members(map, i, error);
    }
    return status == BKS_OK ? check_tables(map, error) : status;
}
