// SPDX-License-Identifier: MIT

#include "game/map_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool bksi_map_is_aggregate(const bks_map_type *type)
{
    return type->kind == BKS_MAP_STRUCT || type->kind == BKS_MAP_UNION;
}

uint64_t bksi_map_elements(const bks_map_member *member)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < BKS_MAP_DIMENSIONS_MAX && member->count[i] > 0; i++) {
        count *= member->count[i];
    }
    return count;
}

void bksi_map_add(char *name, size_t capacity, const char *format, ...)
{
    const size_t length = strlen(name);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(name + length, capacity - length, format, arguments);
    va_end(arguments);
}

void bksi_map_add_member(char *name, size_t capacity, const bks_map_member *member,
                         uint64_t element)
{
    if (member->name[0] != '\0') {
        bksi_map_add(name, capacity, "%s%s", name[0] != '\0' ? "." : "", member->name);
    }
    uint64_t below = bksi_map_elements(member);
    for (uint32_t i = 0; i < BKS_MAP_DIMENSIONS_MAX && member->count[i] > 0; i++) {
        below /= member->count[i];
        bksi_map_add(name, capacity, "[%llu]",
                     (unsigned long long)(element / below % member->count[i]));
    }
}

uint32_t bksi_map_pool_type(const bks_state_map *map, const bks_pool *pool)
{
    for (uint32_t i = 0; i < map->pool_count; i++) {
        if (strncmp(map->pools[i].name, pool->name, BKSI_POOL_NAME_BYTES - 1) == 0 &&
            map->types[map->pools[i].type].bytes == pool->item_bytes) {
            return map->pools[i].type;
        }
    }
    return UINT32_MAX;
}

uint64_t bksi_map_number(const uint8_t *bytes, uint64_t count)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight = 0;
    switch (count) {
    case 1:
        memcpy(&one, bytes, 1);
        return one;
    case 2:
        memcpy(&two, bytes, 2);
        return two;
    case 4:
        memcpy(&four, bytes, 4);
        return four;
    case 8:
        memcpy(&eight, bytes, 8);
        return eight;
    default:
        return 0;
    }
}

int64_t bksi_map_signed(uint64_t number, uint64_t bits)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    return (int64_t)((number ^ sign) - sign);
}

uint64_t bksi_map_bits(const uint8_t *bytes, const bks_map_place *place)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < place->bits && i < 64; i++) {
        const uint32_t bit = place->bit_offset + i;
        number |= (uint64_t)(bytes[bit / 8] >> (bit % 8) & 1) << i;
    }
    return number;
}
