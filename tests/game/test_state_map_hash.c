// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "mapped_world.h"
#include "support/says.h"

static uint64_t hash_of(const bks_state_map *map, const void *state, size_t count)
{
    uint64_t hash = 0;
    bks_error error = {0};
    if (bks_state_map_hash(map, state, count, &hash, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return hash;
}

static uint64_t hash_of_world(const world *w)
{
    return hash_of(&mapped_map, w->region.bytes, w->used);
}

/// All of it has a type: the unions have a case.
static world *typed_world(void **state)
{
    world *w = *state;
    w->root->shapes[0].kind = 1;
    w->root->shapes[1].kind = 2;
    return w;
}

static void add_number(bks_hasher *hasher, uint64_t number)
{
    uint8_t bytes[8];
    bksi_put_u64(bytes, number);
    bks_hash_add(hasher, bytes, sizeof(bytes));
}

typedef struct small {
    uint8_t a;
    uint32_t b;
    int16_t c;
    float d;
    uint8_t e[3];
} small;

/// The same fields in another order of the compiler's, with other gaps.
typedef struct wide {
    uint64_t a;
    uint8_t gap[5];
    uint8_t b[4], c[2], d[4], e[3];
} wide;

enum { S_ROOT, S_U8, S_U32, S_I16, S_F32, S_BYTES, S_COUNT };

#define SMALL_TYPES(root, first)                                                      \
    {                                                                                 \
        [S_ROOT] = {#root, BKS_MAP_STRUCT, sizeof(root), MEMBERS(root##_members)},    \
        [S_U8] = {"a", BKS_MAP_UINT, first}, [S_U32] = {"uint32_t", BKS_MAP_UINT, 4}, \
        [S_I16] = {"int16_t", BKS_MAP_INT, 2}, [S_F32] = {"float", BKS_MAP_FLOAT, 4}, \
        [S_BYTES] = {                                                                 \
            "bytes",                                                                  \
            BKS_MAP_BYTES,                                                            \
            3                                                                         \
        }                                                                             \
    }

static const bks_map_member small_members[] = {
    MEMBER(small, a, S_U8, 0),  MEMBER(small, b, S_U32, 0),   MEMBER(small, c, S_I16, 0),
    MEMBER(small, d, S_F32, 0), MEMBER(small, e, S_BYTES, 0),
};
static const bks_map_member wide_members[] = {
    MEMBER(wide, a, S_U8, 0),  MEMBER(wide, b, S_U32, 0),   MEMBER(wide, c, S_I16, 0),
    MEMBER(wide, d, S_F32, 0), MEMBER(wide, e, S_BYTES, 0),
};
static const bks_map_type small_types[S_COUNT] = SMALL_TYPES(small, 1);
static const bks_map_type wide_types[S_COUNT] = SMALL_TYPES(wide, 8);
static const bks_state_map small_map = {.types = small_types, .type_count = S_COUNT};
static const bks_state_map wide_map = {.types = wide_types, .type_count = S_COUNT};

static void values_are_hashed_as_the_specification_says(void **state)
{
    (void)state;
    const small values = {.a = 7, .b = 0x01020304, .c = -2, .d = 1.0f, .e = {1, 2, 3}};
    bks_hasher hasher = bksi_hasher_begin();
    add_number(&hasher, 7);
    add_number(&hasher, 0x01020304);
    add_number(&hasher, UINT64_MAX - 1);
    add_number(&hasher, 0x3F800000);
    bks_hash_add(&hasher, values.e, 3);
    assert_int_equal(bksi_hasher_end(&hasher), UINT64_C(0x112e39f08f34867a));
    assert_int_equal(hash_of(&small_map, &values, sizeof(values)), bksi_hasher_end(&hasher));
}

static void states_of_another_layout_have_the_same_hash(void **state)
{
    (void)state;
    const small values = {.a = 200, .b = 5, .c = -300, .d = 0.1f, .e = {9, 8, 7}};
    wide others = {.a = 200};
    memset(others.gap, 0xAA, sizeof(others.gap));
    memcpy(others.b, &values.b, 4);
    memcpy(others.c, &values.c, 2);
    memcpy(others.d, &values.d, 4);
    memcpy(others.e, values.e, 3);
    assert_int_equal(hash_of(&wide_map, &others, sizeof(others)),
                     hash_of(&small_map, &values, sizeof(values)));
}

/// Change one byte after the other: those of values count, padding and free space do not.
static void bytes_of_values_count_and_no_others(void **state)
{
    world *w = typed_world(state);
    const uint64_t before = hash_of_world(w);
    uint32_t counted = 0;
    uint32_t others = 0;
    for (uint64_t at = 0; at < w->used; at++) {
        bks_map_place place;
        uint64_t hash = 0;
        assert_int_equal(bks_state_map_find(&mapped_map, w->region.bytes, w->used, at, 6, &place),
                         BKS_OK);
        if (place.use == BKS_MAP_BOOKKEEPING) {
            continue;
        }
        w->region.bytes[at] ^= 1u << 6;
        const bks_status status =
            bks_state_map_hash(&mapped_map, w->region.bytes, w->used, &hash, NULL);
        w->region.bytes[at] ^= 1u << 6;
        if (place.use != BKS_MAP_LIVE) {
            others += status == BKS_OK && hash == before ? 1 : 0;
            continue;
        }
        counted++;
        if (status == BKS_OK && hash == before) {
            fail_msg("%s does not count", place.name);
        }
    }
    assert_true(counted > 100);
    assert_true(others > 40);
    assert_int_equal(hash_of_world(w), before);
}

static void what_a_pool_does_next_counts(void **state)
{
    world *w = typed_world(state);
    bks_pool *pool = bks_ref_get(&w->root->ships);
    const uint64_t before = hash_of_world(w);
    (void)bks_pool_remove(pool, bks_pool_add(pool, NULL));
    assert_int_not_equal(hash_of_world(w), before); // the same items, another generation
}

static void what_a_reference_leads_to_counts(void **state)
{
    world *w = typed_world(state);
    w->nodes[1]->value = w->nodes[0]->value = 5;
    bks_ref_set(&w->nodes[1]->next, w->nodes[1]);
    const uint64_t before = hash_of_world(w);
    bks_ref_set(&w->nodes[1]->next, w->nodes[0]);
    assert_int_not_equal(hash_of_world(w), before);
}

static void refuses(const bks_state_map *map, const void *state, size_t count, const char *text)
{
    uint64_t hash = 0;
    bks_error error = {0};
    assert_int_equal(bks_state_map_hash(map, state, count, &hash, &error), BKS_ERR_UNSUPPORTED);
    assert_says(error.text, text);
}

static void what_means_nothing_on_another_machine_is_refused_by_name(void **state)
{
    world *w = typed_world(state);
    w->root->shapes[1].kind = 9;
    refuses(&mapped_map, w->region.bytes, w->used, "shapes[1].of");
    typed_world(state);
    bks_state_map map = mapped_map;
    map.pool_count = 0;
    refuses(&map, w->region.bytes, w->used, "ships[1].byte 0 is of no known type");

    static const bks_map_member members[] = {{.name = "at", .type = 1}};
    bks_map_type types[] = {{.name = "root", .kind = BKS_MAP_STRUCT, .bytes = 16, MEMBERS(members)},
                            {.name = "void *", .kind = BKS_MAP_POINTER, .bytes = 8}};
    const bks_state_map other = {.types = types, .type_count = 2};
    uint64_t bytes[2] = {0};
    (void)hash_of(&other, bytes, sizeof(bytes)); // null leads nowhere on any machine
    bytes[0] = 1;
    refuses(&other, bytes, sizeof(bytes), "root.at is an address");
    types[1] = (bks_map_type){.name = "long double", .kind = BKS_MAP_FLOAT, .bytes = 16};
    refuses(&other, bytes, sizeof(bytes), "root.at is a number of a size");
    types[1] = (bks_map_type){.name = "_Float16", .kind = BKS_MAP_FLOAT, .bytes = 2};
    refuses(&other, bytes, sizeof(bytes), "root.at is a float of a size");
    types[1] = (bks_map_type){.name = "uint64_t", .kind = BKS_MAP_UINT, .bytes = 8};
    uint64_t more[3] = {0};
    refuses(&other, more, sizeof(more), "does not say for what");
}

static void wrong_arguments_are_refused(void **state)
{
    const world *w = *state;
    uint64_t hash = 0;
    assert_int_equal(bks_state_map_hash(NULL, w->region.bytes, w->used, &hash, NULL),
                     BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_state_map_hash(&mapped_map, NULL, w->used, &hash, NULL),
                     BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_state_map_hash(&mapped_map, w->region.bytes, w->used, NULL, NULL),
                     BKS_ERR_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_hashed_as_the_specification_says),
        cmocka_unit_test(states_of_another_layout_have_the_same_hash),
        cmocka_unit_test_setup_teardown(bytes_of_values_count_and_no_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_pool_does_next_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_reference_leads_to_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_means_nothing_on_another_machine_is_refused_by_name,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_arguments_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
