// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/state_map.h"
#include "mapped_world.h"
#include "state/arena_layout.h"

enum { PLACES = 16 };

static const bks_state_names mapped_names = {.map = &mapped_map};
static bks_map_place places[PLACES];
static bks_state_comparison found;

/// The world, and a copy of it to change.
typedef struct two {
    const world *w;
    uint8_t copy[8192];
} two;

static two *begin(void **state)
{
    static two t;
    t.w = *state;
    memcpy(t.copy, t.w->region.bytes, t.w->used);
    return &t;
}

/// Where the copy has what lies at an address of the world.
static void *in_copy(two *t, const void *address)
{
    return t->copy + offset_of(t->w, address);
}

static void compare(const two *t, const bks_state_names *names, uint32_t capacity)
{
    const bks_compared_state a = {.bytes = t->w->region.bytes, .count = t->w->used};
    const bks_compared_state b = {.bytes = t->copy, .count = t->w->used};
    memset(places, 0, sizeof(places));
    assert_int_equal(bks_state_compare(names, &a, &b, places, capacity, &found), BKS_OK);
}

static void equal_states_have_no_difference(void **state)
{
    compare(begin(state), &mapped_names, PLACES);
    assert_int_equal(found.count, 0);
    assert_true(found.bytes == 0 && found.is_complete);
}

/// One difference for each value, whatever of its bytes differs.
static void each_value_that_differs_is_named_once(void **state)
{
    two *t = begin(state);
    memset(in_copy(t, &t->w->ships[2]->x), 0x5A, sizeof(double));
    ((uint8_t *)in_copy(t, &t->w->nodes[1]->value))[1] ^= 4;
    ((uint8_t *)in_copy(t, &t->w->nodes[1]->value))[3] ^= 4;
    ((uint8_t *)in_copy(t, &t->w->field[4]))[0] ^= 1;
    compare(t, &mapped_names, PLACES);
    assert_int_equal(found.count, 3);
    assert_int_equal(found.live_count, 3);
    assert_true(found.is_complete);
    assert_true(found.bytes == sizeof(double) + 3);
    assert_string_equal(places[0].name, "field[4]");
    assert_string_equal(places[1].name, "ships[2].x");
    assert_string_equal(places[2].name, "list.next.value");
}

static void bit_fields_of_one_byte_are_apart(void **state)
{
    two *t = begin(state);
    t->copy[6] ^= 0x81; // low and high
    t->copy[7] ^= 0x03; // high and padding
    compare(t, &mapped_names, PLACES);
    assert_int_equal(found.count, 3);
    assert_string_equal(places[0].name, "root.low");
    assert_string_equal(places[1].name, "root.high");
    assert_string_equal(places[2].name, "(padding).byte 7");
}

/// Padding that begins in a value's last byte ends in the first of another.
static void a_value_that_shares_its_byte_with_padding_is_found(void **state)
{
    (void)state;
    static const bks_map_member members[] = {
        {.name = "low", .type = 1, .bits = 3},
        {.name = "high", .type = 1, .bits = 4, .bit_offset = 12},
    };
    static const bks_map_type types[] = {
        {.name = "root", .kind = BKS_MAP_STRUCT, .bytes = 2, .members = members, .member_count = 2},
        {.name = "uint16_t", .kind = BKS_MAP_UINT, .bytes = 2},
    };
    const bks_state_map map = {.types = types, .type_count = 2};
    const bks_state_names names = {.map = &map};
    const bks_compared_state a = {.bytes = "\0\0", .count = 2};
    const bks_compared_state b = {.bytes = "\x08\x15", .count = 2}; // bits 3, 8, 10 and 12
    assert_int_equal(bks_state_compare(&names, &a, &b, places, PLACES, &found), BKS_OK);
    assert_int_equal(found.count, 2);
    assert_string_equal(places[0].name, "root.high");
    assert_string_equal(places[1].name, "(padding).byte 0");
}

/// They come behind the values, which lie behind them here.
static void padding_free_space_and_bookkeeping_come_last(void **state)
{
    two *t = begin(state);
    const uint8_t *ship_bytes = (const uint8_t *)t->w->ships[1];
    *(uint8_t *)in_copy(t, &ship_bytes[offsetof(ship, kind) + 1]) = 9; // padding
    memset(in_copy(t, t->w->ships[0]), 7, sizeof(ship));               // not live
    bks_pool *pool = in_copy(t, bks_ref_get(&t->w->root->ships));
    pool->high_water++;
    *(int32_t *)in_copy(t, &t->w->nodes[0]->value) = 3;
    compare(t, &mapped_names, PLACES);
    assert_int_equal(found.count, 4);
    assert_int_equal(found.live_count, 1);
    assert_string_equal(places[0].name, "list.value");
    assert_string_equal(places[1].object, "(arena)");
    assert_string_equal(places[1].note, "pool ships: high_water");
    assert_string_equal(places[2].object, "(free)");
    assert_string_equal(places[3].object, "(padding)");
}

/// What only one state has is named there: a's items first, then those that b alone has.
static void an_item_that_one_state_lacks_is_named_by_the_other(void **state)
{
    two *t = begin(state);
    bks_pool *pool = in_copy(t, bks_ref_get(&t->w->root->ships));
    uint8_t *live_bits = (uint8_t *)pool + pool->live_bits_at;
    live_bits[0] |= 1; // ships[0]
    ((ship *)in_copy(t, t->w->ships[0]))->x = 2.5;
    compare(t, &mapped_names, PLACES);
    assert_int_equal(found.count, 2);
    assert_string_equal(places[0].name, "ships[0].x");
    assert_string_equal(places[1].note, "pool ships: which items are live");
}

static void no_more_is_named_than_there_is_room_for(void **state)
{
    two *t = begin(state);
    for (int i = 0; i < 5; i++) {
        *(uint16_t *)in_copy(t, &t->w->field[i]) ^= 0x0101;
    }
    compare(t, &mapped_names, 2);
    assert_int_equal(found.count, 2);
    assert_false(found.is_complete);
    assert_true(found.bytes == 10);
    assert_string_equal(places[1].name, "field[1]");
    compare(t, &mapped_names, 5);
    assert_true(found.count == 5 && found.is_complete);
    compare(t, &mapped_names, 0);
    assert_true(found.count == 0 && !found.is_complete);
}

/// Missing bytes are zeros: a region is zero behind the bytes in use.
static void a_longer_state_differs_where_it_is_not_zero(void **state)
{
    static uint8_t bytes[8192];
    two *t = begin(state);
    const world *w = t->w;
    memset(t->copy + w->used, 0xEE, sizeof(t->copy) - w->used); // not of the state
    memset(bytes, 0, sizeof(bytes));
    memcpy(bytes, w->region.bytes, w->used);
    const bks_compared_state a = {.bytes = t->copy, .count = w->used};
    const bks_compared_state b = {.bytes = bytes, .count = sizeof(bytes)};
    assert_int_equal(bks_state_compare(&mapped_names, &a, &b, places, PLACES, &found), BKS_OK);
    assert_true(found.count == 0 && found.is_complete);
    bytes[8000] = 1;
    assert_int_equal(bks_state_compare(&mapped_names, &a, &b, places, PLACES, &found), BKS_OK);
    assert_true(found.count == 1 && found.bytes == 1);
    assert_int_equal(bks_state_compare(&mapped_names, &b, &a, places, PLACES, &found), BKS_OK);
    assert_true(found.count == 1 && found.bytes == 1);
    assert_true(places[0].begin_bytes <= 8000 && places[0].end_bytes > 8000);
}

/// Two regions of one process never lie at one address.
static void raw_pointers_are_compared_by_what_they_lead_to(void **state)
{
    (void)state;
    static const bks_map_member members[] = {{.name = "next", .type = 1, .count = {2}}};
    static const bks_map_type types[] = {
        {.name = "root",
         .kind = BKS_MAP_STRUCT,
         .bytes = 2 * sizeof(void *),
         .members = members,
         .member_count = 1},
        {.name = "", .kind = BKS_MAP_POINTER, .bytes = sizeof(void *)},
    };
    const bks_state_map map = {.types = types, .type_count = 2};
    const bks_state_names names = {.map = &map};
    void *one[2];
    void *other[2];
    one[0] = &one[1];
    one[1] = NULL;
    other[0] = &other[1];
    other[1] = NULL;
    bks_compared_state a = {one, sizeof(one), (uint64_t)(uintptr_t)one};
    bks_compared_state b = {other, sizeof(other), (uint64_t)(uintptr_t)other};
    assert_int_equal(bks_state_compare(&names, &a, &b, places, PLACES, &found), BKS_OK);
    assert_true(found.count == 0 && found.is_complete);
    other[0] = &other[0];
    assert_int_equal(bks_state_compare(&names, &a, &b, places, PLACES, &found), BKS_OK);
    assert_int_equal(found.count, 1);
    assert_string_equal(places[0].name, "next[0]");
    memset(other, 0, sizeof(other));
    other[0] = (void *)(uintptr_t)sizeof(void *); // as far from 0 as the target from a's start
    b.address = 0;
    assert_int_equal(bks_state_compare(&names, &a, &b, places, PLACES, &found), BKS_OK);
    assert_int_equal(found.count, 1);
}

static void without_a_map_ranges_and_pools_name_what_differs(void **state)
{
    static const bks_state_range ranges[] = {BKS_RANGE(mapped_root, tick, false),
                                             BKS_RANGE(mapped_root, score, false)};
    const bks_state_names names = {.ranges = ranges, .range_count = 2};
    two *t = begin(state);
    t->copy[1] ^= 1;
    t->copy[offsetof(mapped_root, score) + 1] ^= 1;
    t->copy[offsetof(mapped_root, mode)] ^= 1;
    ((ship *)in_copy(t, t->w->ships[2]))->x = 2.5;
    compare(t, &names, PLACES);
    assert_int_equal(found.count, 4);
    assert_string_equal(places[0].name, "root.tick");
    assert_string_equal(places[0].object, "root");
    assert_string_equal(places[1].name, "score[1]");
    assert_string_equal(places[1].field, "[1]");
    assert_string_equal(places[2].object, "(root)");
    assert_string_equal(places[3].object, "ships");
}

/// A state may be large and all of it differ: the number of lookups has a limit.
static void much_that_differs_takes_no_longer_than_a_little(void **state)
{
    (void)state;
    enum { BYTES = 4 << 20 };
    uint8_t *one = calloc(BYTES, 1);
    uint8_t *other = malloc(BYTES);
    assert_true(one != NULL && other != NULL);
    memset(other, 0xEE, BYTES);
    bks_state_map map = mapped_map;
    map.has_arena = false;
    map.rest_name = "bytes";
    map.rest_type = T_U8;
    const bks_state_names names = {.map = &map};
    const bks_compared_state a = {one, BYTES, 0};
    const bks_compared_state b = {other, BYTES, 0};
    assert_int_equal(bks_state_compare(&names, &a, &b, places, PLACES, &found), BKS_OK);
    assert_true(found.bytes == BYTES && found.count == PLACES && !found.is_complete);
    free(one);
    free(other);
}

static void bytes_are_named_with_and_without_a_map(void **state)
{
    const world *w = *state;
    const bks_state_names none = {0};
    bks_map_place place;
    assert_int_equal(bks_state_name(&mapped_names, w->region.bytes, w->used, 1, 0, &place), BKS_OK);
    assert_string_equal(place.name, "root.tick");
    assert_int_equal(bks_state_name(&none, w->region.bytes, w->used, 1, 0, &place), BKS_OK);
    assert_string_equal(place.name, "(root).byte 1");
    assert_string_equal(place.field, "byte 1");
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    const bks_status bad = BKS_ERR_BAD_ARGUMENT;
    const bks_compared_state a = {"abcd", 4, 0};
    const bks_compared_state no_bytes = {NULL, 4, 0};
    const bks_state_names no_ranges = {.range_count = 1};
    const bks_state_range range = {.name = "a", .count = 1, .type = BKS_STATE_U8};
    const bks_state_names too_many = {.ranges = &range, .range_count = BKS_STATE_RANGES_MAX + 1};
    const bks_state_names none = {0};
    assert_int_equal(bks_state_compare(NULL, &a, &a, places, 1, &found), bad);
    assert_int_equal(bks_state_compare(&none, NULL, &a, places, 1, &found), bad);
    assert_int_equal(bks_state_compare(&none, &a, NULL, places, 1, &found), bad);
    assert_int_equal(bks_state_compare(&none, &a, &no_bytes, places, 1, &found), bad);
    assert_int_equal(bks_state_compare(&none, &a, &a, NULL, 1, &found), bad);
    assert_int_equal(bks_state_compare(&none, &a, &a, places, 1, NULL), bad);
    assert_int_equal(bks_state_compare(&no_ranges, &a, &a, places, 1, &found), bad);
    assert_int_equal(bks_state_compare(&too_many, &a, &a, places, 1, &found), bad);
    assert_int_equal(bks_state_name(&none, NULL, 1, 0, 0, places), bad);
    assert_int_equal(bks_state_name(&none, "a", 1, 0, 8, places), bad);
    assert_int_equal(bks_state_name(&none, "a", 1, 0, 0, NULL), bad);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(equal_states_have_no_difference),
        TEST(each_value_that_differs_is_named_once),
        TEST(bit_fields_of_one_byte_are_apart),
        cmocka_unit_test(a_value_that_shares_its_byte_with_padding_is_found),
        TEST(padding_free_space_and_bookkeeping_come_last),
        TEST(an_item_that_one_state_lacks_is_named_by_the_other),
        TEST(no_more_is_named_than_there_is_room_for),
        TEST(a_longer_state_differs_where_it_is_not_zero),
        cmocka_unit_test(raw_pointers_are_compared_by_what_they_lead_to),
        TEST(without_a_map_ranges_and_pools_name_what_differs),
        cmocka_unit_test(much_that_differs_takes_no_longer_than_a_little),
        TEST(bytes_are_named_with_and_without_a_map),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
