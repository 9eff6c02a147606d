// SPDX-License-Identifier: MIT

// Whose block a byte is, when references lead into the blocks of others.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/state_map.h"
#include "state/region.h"

enum { HEALTHS = 16, SPARSE = 12, TARGETS = 6, HEAP_BYTES = 64, STATE_BYTES = 4096 };

typedef struct health {
    int32_t hp;
    uint16_t kind, more;
} health;

typedef struct target {
    bks_ref of; ///< one health, or not said
    float weight, more;
} target;

/// Components in blocks of their own, as of a sparse set.
typedef struct parts_root {
    bks_ref targets, healths, sparse, heap, spare, cursor;
} parts_root;

enum { P_ROOT, P_HEALTH, P_TARGET, P_TO_TARGET, P_TO_HEALTHS, P_TO_SPARSE, P_TO_HEAP, P_SPARE };
enum { P_CURSOR = P_SPARE + 1, P_OF, P_I32, P_U16, P_F32, P_U8, P_COUNT };

#define PART(root, member, of)                            \
    {                                                     \
#member, (of), offsetof(root, member), {0 }, 0, 0 \
    }
#define OF(array) .members = (array), .member_count = sizeof(array) / sizeof((array)[0])

static const bks_map_member root_parts[] = {
    PART(parts_root, targets, P_TO_TARGET), PART(parts_root, healths, P_TO_HEALTHS),
    PART(parts_root, sparse, P_TO_SPARSE),  PART(parts_root, heap, P_TO_HEAP),
    PART(parts_root, spare, P_SPARE),       PART(parts_root, cursor, P_CURSOR)};
static const bks_map_member health_parts[] = {PART(health, hp, P_I32), PART(health, kind, P_U16),
                                              PART(health, more, P_U16)};
static const bks_map_member target_parts[] = {PART(target, of, P_OF), PART(target, weight, P_F32),
                                              PART(target, more, P_F32)};

#define REF(to, many)                                                     \
    {                                                                     \
        "bks_ref", BKS_MAP_REF, 8, .target = (to), .target_count = (many) \
    }

typedef struct parts {
    bksi_region region;
    bks_map_type types[P_COUNT];
    bks_state_map map;
    parts_root *root;
    target *targets;
    health *healths;
    uint16_t *sparse;
    uint8_t *heap;
    size_t used;
} parts;

static parts p;
static bks_map_place place;

static int set_up(void **state)
{
    (void)state;
    const bks_allocator none = {0};
    const bks_map_type types[P_COUNT] = {
        [P_ROOT] = {"parts_root", BKS_MAP_STRUCT, sizeof(parts_root), OF(root_parts)},
        [P_HEALTH] = {"health", BKS_MAP_STRUCT, sizeof(health), OF(health_parts)},
        [P_TARGET] = {"target", BKS_MAP_STRUCT, sizeof(target), OF(target_parts)},
        [P_TO_TARGET] = REF(P_TARGET, TARGETS),
        [P_TO_HEALTHS] = REF(P_HEALTH, HEALTHS),
        [P_TO_SPARSE] = REF(P_U16, SPARSE),
        [P_TO_HEAP] = REF(P_U8, HEAP_BYTES),
        [P_SPARE] = REF(P_HEALTH, 1),
        [P_CURSOR] = REF(P_HEALTH, HEALTHS),
        [P_OF] = REF(P_HEALTH, 1),
        [P_I32] = {"int32_t", BKS_MAP_INT, 4},
        [P_U16] = {"uint16_t", BKS_MAP_UINT, 2},
        [P_F32] = {"float", BKS_MAP_FLOAT, 4},
        [P_U8] = {"uint8_t", BKS_MAP_UINT, 1},
    };
    p = (parts){0};
    memcpy(p.types, types, sizeof(types));
    p.map = (bks_state_map){.types = p.types, .type_count = P_COUNT, .has_arena = true};
    assert_int_equal(bks_state_map_check(&p.map, NULL), BKS_OK);
    if (bksi_region_create(&p.region, STATE_BYTES, sizeof(parts_root), &none, NULL) != BKS_OK) {
        return 1;
    }
    p.root = (parts_root *)(void *)p.region.bytes;
    bks_arena *arena = bks_arena_of(p.root, sizeof(parts_root));
    p.healths = bks_arena_alloc(arena, HEALTHS * sizeof(health), 8);
    p.sparse = bks_arena_alloc(arena, SPARSE * sizeof(uint16_t), 8);
    p.targets = bks_arena_alloc(arena, TARGETS * sizeof(target), 8);
    p.heap = bks_arena_alloc(arena, HEAP_BYTES, 8);
    bks_ref_set(&p.root->healths, p.healths);
    bks_ref_set(&p.root->sparse, p.sparse);
    bks_ref_set(&p.root->targets, p.targets);
    bks_ref_set(&p.root->heap, p.heap);
    p.used = bksi_region_used(&p.region);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    bksi_region_destroy(&p.region);
    return 0;
}

static const char *name_of(const void *address)
{
    const uint64_t offset = (uint64_t)((const uint8_t *)address - p.region.bytes);
    assert_int_equal(bks_state_map_find(&p.map, p.region.bytes, p.used, offset, 0, &place), BKS_OK);
    assert_true(place.begin_bytes <= offset && offset < place.end_bytes);
    return place.name;
}

static void expect_healths(void)
{
    for (int i = 0; i < HEALTHS; i++) {
        char want[64];
        (void)snprintf(want, sizeof(want), "healths[%d].hp", i);
        assert_string_equal(name_of(&p.healths[i].hp), want);
        assert_int_equal(place.type, P_I32);
        (void)snprintf(want, sizeof(want), "healths[%d].more", i);
        assert_string_equal(name_of(&p.healths[i].more), want);
    }
    assert_string_equal(name_of(&p.sparse[SPARSE - 1]), "sparse[11]");
    assert_string_equal(name_of(&p.targets[5].weight), "targets[5].weight");
}

/// Wherever they lead to, also to the block's first element, and to a value in one.
static void references_into_a_block_do_not_take_it(void **state)
{
    (void)state;
    expect_healths();
    bks_ref_set(&p.targets[0].of, &p.healths[10]);
    bks_ref_set(&p.targets[1].of, &p.healths[0]);
    bks_ref_set(&p.targets[2].of, &p.healths[HEALTHS - 1]);
    bks_ref_set(&p.root->spare, &p.healths[3]);
    expect_healths();
    p.types[P_OF].target = P_U16;
    bks_ref_set(&p.targets[0].of, NULL);
    bks_ref_set(&p.targets[2].of, NULL);
    bks_ref_set(&p.targets[3].of, &p.healths[10].kind);
    expect_healths();
}

static void references_of_unknown_type_do_not_take_a_block(void **state)
{
    (void)state;
    p.types[P_OF].target = 0;
    p.types[P_SPARE].target = 0;
    bks_ref_set(&p.targets[0].of, &p.healths[10]);
    bks_ref_set(&p.targets[1].of, &p.healths[0].more);
    bks_ref_set(&p.root->spare, p.healths);
    expect_healths();
    p.types[P_OF].target = P_HEALTH; // and of an unknown number
    p.types[P_OF].target_count = 0;
    expect_healths();
}

/// What a reference says it leads to may reach beyond the block that it leads into.
static void a_cursor_of_a_block_does_not_take_it_or_the_next(void **state)
{
    (void)state;
    bks_ref_set(&p.root->cursor, &p.healths[HEALTHS - 2]);
    expect_healths();
    bks_ref_set(&p.root->cursor, &p.healths[0]);
    expect_healths();
}

/// A greater number than there are: what cannot lie there is a block of its own.
static void a_count_that_is_too_large_leaves_the_next_block_its_name(void **state)
{
    (void)state;
    p.types[P_TO_HEALTHS].target_count = 10 * HEALTHS;
    bks_ref_set(&p.targets[0].of, &p.healths[10]);
    expect_healths();
    assert_string_equal(name_of(&p.sparse[0]), "sparse[0]");
    assert_string_equal(name_of(&p.heap[0]), "heap[0]");
}

static void values_within_a_block_of_bytes_are_named(void **state)
{
    (void)state;
    health *inside = (health *)(void *)(p.heap + 16);
    bks_ref_set(&p.root->spare, inside);
    assert_string_equal(name_of(&inside->kind), "spare.kind");
    assert_string_equal(name_of(p.heap + 15), "heap[15]");
    assert_string_equal(name_of(p.heap + 16 + sizeof(health)), "heap[24]");
    p.types[P_TO_HEAP].target = P_U16; // of which it cuts none, or two
    p.types[P_TO_HEAP].target_count = HEAP_BYTES / 2;
    p.root->spare.distance_bytes++;
    assert_string_equal(name_of(p.heap + 15), "heap[7]");
    (void)name_of(p.heap + 16);
    assert_string_equal(place.object, "(padding)");
    (void)name_of(p.heap + 17 + sizeof(health));
    assert_string_equal(place.object, "(padding)");
    assert_string_equal(name_of(p.heap + 18 + sizeof(health)), "heap[13]");
}

/// The bytes behind a block are those behind it, whatever leads into it.
static void what_lies_behind_a_block_is_not_of_a_reference_into_it(void **state)
{
    (void)state;
    p.root->heap.distance_bytes = 0;
    bks_ref_set(&p.targets[0].of, &p.targets[3]);
    for (uint32_t type = 0; type <= P_HEALTH; type += P_HEALTH) {
        p.types[P_OF].target = type;
        (void)name_of(p.heap);
        assert_string_equal(place.object, "(unnamed)");
        assert_string_equal(place.note, "behind targets");
    }
}

static bool same_as_looked_up(void *context, const bks_map_place *seen)
{
    uint64_t *at = context;
    bks_map_place found;
    if (seen->use == BKS_MAP_PADDING) { // its last byte is looked up by bits
        *at = seen->end_bytes;
        return true;
    }
    assert_int_equal(bks_state_map_find(&p.map, p.region.bytes, p.used, *at, 0, &found), BKS_OK);
    assert_true(found.begin_bytes <= *at && *at < found.end_bytes);
    assert_string_equal(found.name, seen->name);
    assert_true(found.begin_bytes == seen->begin_bytes && found.end_bytes == seen->end_bytes);
    *at = seen->end_bytes;
    return true;
}

/// A walk uses again what it knows; references from a file lead anywhere, of any number.
static void a_walk_names_what_a_lookup_does(void **state)
{
    (void)state;
    const bks_state_names names = {.map = &p.map};
    srand(7);
    for (int round = 0; round < 1000; round++) {
        bks_ref *refs[] = {&p.root->targets, &p.root->healths, &p.root->sparse,
                           &p.root->heap,    &p.root->spare,   &p.root->cursor,
                           &p.targets[0].of, &p.targets[1].of, &p.targets[2].of};
        const int several = rand() % 9;
        for (int i = 0; i < several; i++) {
            refs[rand() % 9]->distance_bytes = rand() % (int)p.used;
        }
        for (int i = P_TO_TARGET; i <= P_OF; i++) {
            p.types[i].target = (uint32_t)(rand() % 8 == 0 ? 0 : 1 + rand() % 2);
            p.types[i].target = rand() % 3 == 0 ? P_U16 : p.types[i].target;
            p.types[i].target_count = (uint32_t)(rand() % 4 == 0 ? rand() : rand() % 40);
        }
        uint64_t at = 0;
        assert_int_equal(bks_state_walk(&names, p.region.bytes, p.used, same_as_looked_up, &at),
                         BKS_OK);
        assert_true(at == p.used);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(references_into_a_block_do_not_take_it),
        TEST(references_of_unknown_type_do_not_take_a_block),
        TEST(a_cursor_of_a_block_does_not_take_it_or_the_next),
        TEST(a_count_that_is_too_large_leaves_the_next_block_its_name),
        TEST(values_within_a_block_of_bytes_are_named),
        TEST(what_lies_behind_a_block_is_not_of_a_reference_into_it),
        TEST(a_walk_names_what_a_lookup_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
