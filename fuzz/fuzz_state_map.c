// SPDX-License-Identifier: MIT

// Uses any map that bks_state_map_check() accepts on any state. Look-ups and values stay within the
// map and the state, the bytes of a found name include the byte that was looked up, and a
// comparison names the bytes that differ.
//
// The input: a map of 6 types with 3 members each (8 bytes a type, 6 a member), then changes of the
// state: place (2 bytes) and value (1 byte).

#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "state/region.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { TYPES = 6, MEMBERS = 3, ROOT_BYTES = 96, STATE_BYTES = 2048 };

typedef struct input {
    const uint8_t *bytes;
    size_t count;
} input;

static uint8_t take(input *in)
{
    if (in->count == 0) {
        return 0;
    }
    in->count--;
    return *in->bytes++;
}

/// Draw the kind, size and target of a type. Sizes that kinds really have are more likely.
static bks_map_type take_type(input *in)
{
    static const uint64_t sizes[] = {1, 2, 4, 8, 16, 48, ROOT_BYTES, 3};
    const uint8_t kind = take(in);
    bks_map_type type = {.name = "t", .kind = (bks_map_kind)(kind % 13), .bytes = sizes[kind / 32]};
    type.target = take(in) % (TYPES + 1);
    type.target_count = take(in);
    type.member_count = take(in) % (MEMBERS + 1);
    type.pool = (take(in) & 1) != 0 ? "pool" : NULL;
    return type;
}

static bks_map_member take_member(input *in)
{
    bks_map_member member = {.name = (take(in) & 7) != 0 ? "m" : ""};
    member.type = take(in) % (TYPES + 1);
    member.offset_bytes = take(in);
    member.count[0] = take(in) % 9;
    member.count[1] = take(in) % 3;
    const uint8_t bits = take(in);
    member.bits = bits > 200 ? (uint16_t)(bits - 200) : 0;
    member.bit_offset = bits > 200 ? take(in) : 0;
    return member;
}

/// Make a state with a pool, a block, and references in the root and in an item.
static const bksi_region *make_state(void)
{
    static bksi_region region;
    const bks_allocator none = {0};
    if (region.bytes == NULL) {
        if (bksi_region_create(&region, STATE_BYTES, ROOT_BYTES, &none, NULL) != BKS_OK) {
            abort();
        }
        bks_arena *arena = bks_arena_of(region.bytes, ROOT_BYTES);
        bks_pool *pool = bks_pool_create(arena, "pool", 48, 4);
        void *item = NULL;
        (void)bks_pool_add(pool, &item);
        void *block = bks_arena_alloc(arena, 64, 8);
        bks_ref *root = (bks_ref *)(void *)region.bytes;
        (void)bks_ref_set(&root[0], pool);
        (void)bks_ref_set(&root[1], block);
        (void)bks_ref_set(item, block);
        (void)bks_ref_set(block, root);
    }
    return &region;
}

static void look_up(const bks_state_map *map, const uint8_t *state, size_t count)
{
    for (uint64_t at = 0; at < count + 8; at += 3) {
        bks_map_place place;
        char text[48];
        if (bks_state_map_find(map, state, count, at, (uint32_t)at % 8, &place) != BKS_OK ||
            place.begin_bytes > at || place.end_bytes <= at ||
            (place.end_bytes > count && at < count) ||
            bks_state_map_value(map, state, count, &place, text, sizeof(text)) != BKS_OK) {
            abort();
        }
    }
}

/// Compare a changed state of `count` bytes with the same bytes of the sound state.
static void compare(const bks_state_map *map, const bksi_region *region, const uint8_t *state,
                    size_t count)
{
    const bks_state_names names = {.map = map};
    const bks_state_names none = {0};
    const size_t used = bksi_region_used(region);
    const bks_compared_state a = {region->bytes, used, (uintptr_t)region->bytes};
    const bks_compared_state b = {state, count, (uintptr_t)region->bytes};
    bks_map_place places[8];
    bks_state_comparison found;
    if (bks_state_compare(&names, &a, &b, places, 8, &found) != BKS_OK ||
        bks_state_compare(&none, &b, &a, places, 8, &found) != BKS_OK ||
        (count == used && (found.bytes == 0) != (memcmp(region->bytes, state, used) == 0)) ||
        (found.bytes > 0 && found.count == 0)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    input in = {bytes, count};
    bks_map_type types[TYPES];
    bks_map_member members[TYPES][MEMBERS];
    for (int i = 0; i < TYPES; i++) {
        types[i] = take_type(&in);
        for (int m = 0; m < MEMBERS; m++) {
            members[i][m] = take_member(&in);
        }
        types[i].members = members[i];
    }
    const bks_map_pool pool = {.name = "pool", .type = take(&in) % (TYPES + 1)};
    const bks_map_case one = {.type = take(&in) % TYPES,
                              .by = take(&in) % MEMBERS,
                              .value = take(&in),
                              .member = take(&in) % MEMBERS,
                              .selected = take(&in) % MEMBERS};
    const uint8_t flags = take(&in);
    const bks_state_map map = {.types = types,
                               .type_count = TYPES,
                               .has_arena = (flags & 1) != 0,
                               .pools = &pool,
                               .pool_count = 1,
                               .cases = &one,
                               .case_count = flags >> 1 & 1,
                               .rest_name = (flags & 4) != 0 ? "rest" : NULL,
                               .rest_type = take(&in) % TYPES};
    if (bks_state_map_check(&map, NULL) != BKS_OK) {
        return 0;
    }
    const bksi_region *region = make_state();
    const size_t used = bksi_region_used(region);
    uint8_t *copy = malloc(used);
    if (copy == NULL) {
        return 0;
    }
    memcpy(copy, region->bytes, used);
    while (in.count >= 3) {
        const size_t at = (size_t)take(&in) << 8 | take(&in);
        copy[at % used] = take(&in);
    }
    look_up(&map, copy, used);
    compare(&map, region, copy, used - flags % 32);
    free(copy);
    return 0;
}
