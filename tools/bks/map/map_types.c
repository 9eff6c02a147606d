// SPDX-License-Identifier: MIT

#include "map/map_types.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"

typedef struct kept {
    struct kept *next;
    uint64_t aligned; // makes the compiler align `bytes` to 8 bytes
    uint8_t bytes[];
} kept;

void *map_keep(size_t bytes)
{
    static kept *all;
    kept *one = calloc(1, sizeof(*one) + bytes);
    if (one == NULL) {
        return NULL;
    }
    one->next = all;
    all = one;
    return one->bytes;
}

const char *map_keep_text(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    char *kept_text = map_keep(strlen(text) + 1);
    if (kept_text == NULL) {
        return "";
    }
    memcpy(kept_text, text, strlen(text) + 1);
    return kept_text;
}

uint32_t map_types_fail(map_types *types, const char *format, ...)
{
    if (types->error[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(types->error, sizeof(types->error), format, arguments);
        va_end(arguments);
    }
    return MAP_TYPE_NONE;
}

uint32_t map_types_add(map_types *types, const map_type *type)
{
    if (types->items == NULL) {
        types->items = map_keep(BKS_MAP_TYPES_MAX * sizeof(*types->items));
    }
    if (types->items == NULL || types->count == BKS_MAP_TYPES_MAX) {
        return map_types_fail(types, "has more than %d types", BKS_MAP_TYPES_MAX);
    }
    types->items[types->count] = *type;
    return types->count++;
}

uint32_t map_types_scalar(map_types *types, const char *name, bks_map_kind kind, uint64_t bytes)
{
    for (uint32_t i = 0; i < types->count; i++) {
        const bks_map_type *is = &types->items[i].is;
        if (is->kind == kind && is->bytes == bytes && is->target == 0 && is->pool == NULL &&
            is->enumerator_count == 0 && strcmp(is->name, name) == 0) {
            return i;
        }
    }
    const bool is_pointer = kind == BKS_MAP_POINTER;
    const map_type type = {.is = {.name = map_keep_text("%s", name), .kind = kind, .bytes = bytes},
                           .path = "",
                           .size = map_keep_text("sizeof(%s)", is_pointer ? "void *" : name)};
    return map_types_add(types, &type);
}

bool map_types_add_member(map_types *types, map_type *type, const bks_map_member *member)
{
    const uint32_t count = type->is.member_count;
    if (count == BKS_MAP_MEMBERS_MAX) {
        (void)map_types_fail(types, "has a struct of more than %d members", BKS_MAP_MEMBERS_MAX);
        return false;
    }
    // Double the room whenever the count is a power of two. The old array is not freed, because
    // map_keep() keeps it.
    if (count == 0 || (count >= 8 && (count & (count - 1)) == 0)) {
        bks_map_member *members = map_keep((count == 0 ? 8 : 2 * (size_t)count) * sizeof(*members));
        if (members == NULL) {
            (void)map_types_fail(types, "does not fit into memory");
            return false;
        }
        if (count > 0) {
            memcpy(members, type->members, count * sizeof(*members));
        }
        type->members = members;
    }
    type->members[count] = *member;
    type->is.members = type->members;
    type->is.member_count = count + 1;
    return true;
}

void map_types_retype(map_types *types, uint32_t number, uint32_t member, uint32_t type)
{
    const uint32_t before = types->items[number].members[member].type;
    types->items[number].members[member].type = type;
    // Look only at later types, because a class comes after its base class.
    for (uint32_t i = number + 1; i < types->count; i++) {
        for (const map_base *base = types->items[i].bases; base != NULL; base = base->next) {
            if (base->type == number &&
                types->items[i].members[base->first + member].type == before) {
                map_types_retype(types, i, base->first + member, type);
            }
        }
    }
}

bool map_types_add_case(map_types *types, const bks_map_case *one)
{
    if (types->case_count == BKS_TYPE_ENTRIES_MAX) {
        (void)map_types_fail(types, "has more than %d cases of unions", BKS_TYPE_ENTRIES_MAX);
        return false;
    }
    types->cases[types->case_count++] = *one;
    for (uint32_t i = one->type + 1; i < types->count; i++) {
        for (const map_base *base = types->items[i].bases; base != NULL; base = base->next) {
            bks_map_case of_class = *one;
            of_class.type = i;
            of_class.by += base->first;
            of_class.member += base->first;
            if (base->type == one->type && !map_types_add_case(types, &of_class)) {
                return false;
            }
        }
    }
    return true;
}

const char *map_types_without_tag(const char *name)
{
    static const char *const tags[] = {"struct ", "union ", "enum ", "class "};
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        if (strncmp(name, tags[i], strlen(tags[i])) == 0) {
            return name + strlen(tags[i]);
        }
    }
    return name;
}

bool map_types_same_name(const char *a, const char *b)
{
    return strcmp(map_types_without_tag(a), map_types_without_tag(b)) == 0;
}

static bool is_aggregate(const map_type *type)
{
    return type->is.kind == BKS_MAP_STRUCT || type->is.kind == BKS_MAP_UNION;
}

/// Choose the order of types for a map: the root, the other structs and unions, the rest. Within
/// both groups the order is reversed, so that each struct comes before the types of its members.
/// @return new index of each type; NULL: out of memory
static uint32_t *number_anew(const map_types *types)
{
    uint32_t *numbers = map_keep(types->count * sizeof(*numbers));
    uint32_t next = 1;
    for (int round = 0; round < 2 && numbers != NULL; round++) {
        for (uint32_t i = types->count; i-- > 0;) {
            if (i != types->root && is_aggregate(&types->items[i]) == (round == 0)) {
                numbers[i] = next++;
            }
        }
    }
    return numbers;
}

static void renumber(map_types *types, const uint32_t *numbers, map_type *sorted)
{
    for (uint32_t i = 0; i < types->count; i++) {
        map_type *type = &types->items[i];
        for (uint32_t m = 0; m < type->is.member_count; m++) {
            type->members[m].type = numbers[type->members[m].type];
        }
        type->is.target = type->is.target != 0 ? numbers[type->is.target - 1] : 0;
        sorted[numbers[i]] = *type;
    }
    for (uint32_t i = 0; i < types->pool_count; i++) {
        types->pools[i].type = numbers[types->pools[i].type];
    }
    for (uint32_t i = 0; i < types->case_count; i++) {
        types->cases[i].type = numbers[types->cases[i].type];
    }
    types->rest_type = types->rest_name != NULL ? numbers[types->rest_type] : 0;
    types->items = sorted;
    types->root = 0;
}

bool map_types_finish(map_types *types, bks_state_map *out)
{
    uint32_t *numbers = number_anew(types);
    map_type *sorted = map_keep(types->count * sizeof(*sorted));
    bks_map_type *plain = map_keep(types->count * sizeof(*plain));
    bks_map_pool *pools = map_keep(sizeof(types->pools));
    bks_map_case *cases = map_keep(sizeof(types->cases));
    if (numbers == NULL || sorted == NULL || plain == NULL || pools == NULL || cases == NULL) {
        (void)map_types_fail(types, "does not fit into memory");
        return false;
    }
    renumber(types, numbers, sorted);
    for (uint32_t i = 0; i < types->count; i++) {
        plain[i] = sorted[i].is;
    }
    memcpy(pools, types->pools, types->pool_count * sizeof(*pools));
    memcpy(cases, types->cases, types->case_count * sizeof(*cases));
    *out = (bks_state_map){.types = plain,
                           .type_count = types->count,
                           .has_arena = types->has_arena,
                           .pools = pools,
                           .pool_count = types->pool_count,
                           .cases = cases,
                           .case_count = types->case_count,
                           .rest_name = types->rest_name,
                           .rest_type = types->rest_type};
    bks_error error = {0};
    if (bks_state_map_check(out, &error) != BKS_OK) {
        tool_log_drop();
        (void)map_types_fail(types, "makes no sound map: %.200s", error.text);
        return false;
    }
    return true;
}
