// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "game/state_walk.h"
#include "mapped_world.h"

enum { PLACES = 256, BLOCKS = 2100 };

static const bks_state_names mapped_names = {.map = &mapped_map};

/// Places that a walk visited.
typedef struct visits {
    uint32_t count;
    uint32_t stop_at; ///< UINT32_MAX: never
    bks_map_place places[PLACES];
} visits;

static visits seen;

static bool visit(void *context, const bks_map_place *place)
{
    visits *v = context;
    if (v->count < PLACES) {
        v->places[v->count] = *place;
    }
    v->count++;
    return v->count != v->stop_at;
}

static void walk(const bks_state_names *names, const void *state, size_t count, bks_status status)
{
    seen = (visits){.stop_at = UINT32_MAX};
    assert_int_equal(bks_state_walk(names, state, count, visit, &seen), status);
}

static bool has_seen(const char *name)
{
    for (uint32_t i = 0; i < seen.count && i < PLACES; i++) {
        if (strcmp(seen.places[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void every_byte_is_visited_once_and_in_order(void **state)
{
    const world *w = *state;
    walk(&mapped_names, w->region.bytes, w->used, BKS_OK);
    assert_in_range(seen.count, 20, PLACES);
    uint64_t end = 0;
    for (uint32_t i = 0; i < seen.count; i++) {
        const bks_map_place *place = &seen.places[i];
        const bool shares = i > 0 && (place->bits > 0 || seen.places[i - 1].bits > 0);
        if (shares ? place->begin_bytes + 1 < end : place->begin_bytes != end) {
            fail_msg("%s begins at %llu, the one before ends at %llu", place->name,
                     (unsigned long long)place->begin_bytes, (unsigned long long)end);
        }
        end = place->end_bytes > end ? place->end_bytes : end;
    }
    assert_true(end == w->used);
}

static void values_of_the_root_of_items_and_of_blocks_are_visited(void **state)
{
    const world *w = *state;
    walk(&mapped_names, w->region.bytes, w->used, BKS_OK);
    static const char *const names[] = {"root.tick",       "score[1]",          "root.high",
                                        "flag.grid[1][2]", "ships[1].x",        "ships[2].trail",
                                        "field[4]",        "ships[2].trail[4]", "list.next.value"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!has_seen(names[i])) {
            fail_msg("%s was not visited", names[i]);
        }
    }
    assert_false(has_seen("ships[0].x")); // not live
}

static void without_a_map_ranges_and_pools_are_visited(void **state)
{
    const world *w = *state;
    const bks_state_range ranges[] = {{.name = "tick", .count = 1, .type = BKS_STATE_U32},
                                      {.name = "score",
                                       .offset_bytes = offsetof(mapped_root, score),
                                       .count = 2,
                                       .type = BKS_STATE_U8}};
    const bks_state_names names = {.ranges = ranges, .range_count = 2};
    walk(&names, w->region.bytes, w->used, BKS_OK);
    assert_true(has_seen("root.tick") && has_seen("score[0]") && has_seen("score[1]"));
    assert_string_equal(seen.places[0].name, "root.tick");
    uint64_t end = 0;
    for (uint32_t i = 0; i < seen.count; i++) {
        assert_true(seen.places[i].begin_bytes == end);
        end = seen.places[i].end_bytes;
    }
    assert_true(end == w->used);
}

static void a_visit_may_end_the_walk(void **state)
{
    const world *w = *state;
    seen = (visits){.stop_at = 3};
    assert_int_equal(bks_state_walk(&mapped_names, w->region.bytes, w->used, visit, &seen), BKS_OK);
    assert_int_equal(seen.count, 3);
}

/// Each block is found by following all references, so their number is bounded.
static void too_many_blocks_end_the_walk(void **state)
{
    (void)state;
    static const bks_map_member members[] = {{.name = "to", .type = 1, .count = {BLOCKS}}};
    static const bks_map_type types[] = {{.name = "root",
                                          .kind = BKS_MAP_STRUCT,
                                          .bytes = BLOCKS * sizeof(bks_ref),
                                          .members = members,
                                          .member_count = 1},
                                         {.name = "bks_ref",
                                          .kind = BKS_MAP_REF,
                                          .bytes = sizeof(bks_ref),
                                          .target = 2,
                                          .target_count = 1},
                                         {.name = "number", .kind = BKS_MAP_UINT, .bytes = 8}};
    static const bks_state_map map = {.types = types, .type_count = 3, .has_arena = true};
    const bks_state_names names = {.map = &map};
    const bks_allocator none = {0};
    bksi_region region;
    assert_int_equal(bksi_region_create(&region, 1 << 16, BLOCKS * sizeof(bks_ref), &none, NULL),
                     BKS_OK);
    bks_ref *refs = (bks_ref *)(void *)region.bytes;
    bks_arena *arena = bks_arena_of(refs, BLOCKS * sizeof(bks_ref));
    for (uint32_t i = 0; i < BLOCKS; i++) {
        bks_ref_set(&refs[i], bks_arena_alloc(arena, 8, 8));
    }
    assert_int_equal(bks_state_map_check(&map, NULL), BKS_OK);
    walk(&names, region.bytes, bksi_region_used(&region), BKS_OVER);
    assert_in_range(seen.count, BLOCKS + 2000, BLOCKS + 2100);
    bksi_region_destroy(&region);
}

static void a_part_is_visited_as_far_as_it_goes_and_within_a_budget(void **state)
{
    const world *w = *state;
    const uint64_t begin = offsetof(mapped_root, score);
    seen = (visits){.stop_at = UINT32_MAX};
    bksi_state_walk parts = bksi_state_walk_begin(&mapped_names, w->region.bytes, w->used, 3, 1);
    assert_int_equal(bksi_state_walk_part(&parts, begin, begin + 2, visit, &seen), BKS_OK);
    assert_int_equal(seen.count, 2);
    assert_string_equal(seen.places[0].name, "score[0]");
    assert_int_equal(bksi_state_walk_part(&parts, begin + 1, begin + 2, visit, &seen), BKS_OK);
    assert_int_equal(seen.count, 2); // visited before
    assert_int_equal(bksi_state_walk_part(&parts, begin + 2, w->used, visit, &seen), BKS_OVER);
    assert_int_equal(seen.count, 2);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    const bks_status bad = BKS_ERR_BAD_ARGUMENT;
    const bks_state_names none = {0};
    const bks_state_names no_ranges = {.range_count = 1};
    assert_int_equal(bks_state_walk(NULL, "a", 1, visit, &seen), bad);
    assert_int_equal(bks_state_walk(&none, NULL, 1, visit, &seen), bad);
    assert_int_equal(bks_state_walk(&none, "a", 1, NULL, &seen), bad);
    assert_int_equal(bks_state_walk(&no_ranges, "a", 1, visit, &seen), bad);
    walk(&none, NULL, 0, BKS_OK);
    assert_int_equal(seen.count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_byte_is_visited_once_and_in_order),
        TEST(values_of_the_root_of_items_and_of_blocks_are_visited),
        TEST(without_a_map_ranges_and_pools_are_visited),
        TEST(a_visit_may_end_the_walk),
        cmocka_unit_test(too_many_blocks_end_the_walk),
        TEST(a_part_is_visited_as_far_as_it_goes_and_within_a_budget),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
