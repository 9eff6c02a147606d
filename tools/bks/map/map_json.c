// SPDX-License-Identifier: MIT

#include "map/game_map.h"

static const char *const kinds[] = {"bytes", "struct", "union", "enum", "uint", "int",
                                    "bool",  "char",   "float", "ref",  "id",   "pointer"};

static void json_member(json *j, const bks_state_map *map, const bks_map_member *member)
{
    json_object(j, NULL);
    json_text(j, "name", member->name);
    json_uint(j, "offset", member->offset_bytes);
    json_uint(j, "type", member->type);
    json_text(j, "type_name", map_type_name(&map->types[member->type]));
    json_row(j, "count");
    for (uint32_t i = 0; i < BKS_MAP_DIMENSIONS_MAX && member->count[i] > 0; i++) {
        json_uint(j, NULL, member->count[i]);
    }
    json_close(j);
    if (member->bits > 0) {
        json_uint(j, "bits", member->bits);
        json_uint(j, "bit_offset", member->bit_offset);
    }
    json_close(j);
}

static void json_type(json *j, const bks_state_map *map, const bks_map_type *type)
{
    json_object(j, NULL);
    json_text(j, "name", type->name);
    json_text(j, "kind", kinds[type->kind]);
    json_uint(j, "bytes", type->bytes);
    if (type->kind == BKS_MAP_REF && type->target != 0) {
        json_uint(j, "target", type->target);
        json_uint(j, "target_count", type->target_count);
    }
    if (type->pool != NULL) {
        json_text(j, "pool", type->pool);
    }
    if (type->member_count > 0) {
        json_array(j, "members");
        for (uint32_t i = 0; i < type->member_count; i++) {
            json_member(j, map, &type->members[i]);
        }
        json_close(j);
    }
    if (type->enumerator_count > 0) {
        json_object(j, "enumerators");
        for (uint32_t i = 0; i < type->enumerator_count; i++) {
            json_int(j, type->enumerators[i].name, type->enumerators[i].value);
        }
        json_close(j);
    }
    json_close(j);
}

static void json_cases(json *j, const bks_state_map *map)
{
    json_array(j, "cases");
    for (uint32_t i = 0; i < map->case_count; i++) {
        const bks_map_case *one = &map->cases[i];
        json_object(j, NULL);
        json_uint(j, "type", one->type);
        json_uint(j, "by", one->by);
        json_int(j, "value", one->value);
        json_uint(j, "member", one->member);
        json_uint(j, "selected", one->selected);
        json_close(j);
    }
    json_close(j);
}

void map_print_json(json *j, const game_map *of)
{
    const bks_state_map *map = of->map;
    json_object(j, "map");
    json_text(j, "from", of->types != NULL ? "debug information" : "bks_game.map");
    json_text(j, "root", map->types[0].name);
    json_bool(j, "arena", map->has_arena);
    json_array(j, "types");
    for (uint32_t i = 0; i < map->type_count; i++) {
        json_type(j, map, &map->types[i]);
    }
    json_close(j);
    json_array(j, "pools");
    for (uint32_t i = 0; i < map->pool_count; i++) {
        json_object(j, NULL);
        json_text(j, "name", map->pools[i].name);
        json_uint(j, "type", map->pools[i].type);
        json_close(j);
    }
    json_close(j);
    json_cases(j, map);
    if (map->rest_name != NULL) {
        json_object(j, "rest");
        json_text(j, "name", map->rest_name);
        json_uint(j, "type", map->rest_type);
        json_close(j);
    }
    json_close(j);
}
