// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mapped_world.h"
#include "state/arena_layout.h"

static bks_map_place place;

static const char *name_at(const world *w, uint64_t offset, uint32_t bit)
{
    assert_int_equal(bks_state_map_find(&mapped_map, w->region.bytes, w->used, offset, bit, &place),
                     BKS_OK);
    assert_true(place.begin_bytes <= offset && offset < place.end_bytes);
    char joined[sizeof(place.object) + sizeof(place.field) + 1];
    (void)snprintf(joined, sizeof(joined), "%s%s%s", place.object, place.field[0] == '[' ? "" : ".",
                   place.field);
    assert_string_equal(place.name, joined);
    assert_true(place.object[0] != '\0' && place.field[0] != '\0');
    return place.name;
}

static const char *name_of(const world *w, const void *address)
{
    return name_at(w, offset_of(w, address), 0);
}

static const char *value_of(const world *w, const void *address)
{
    static char text[160];
    (void)name_of(w, address);
    assert_int_equal(
        bks_state_map_value(&mapped_map, w->region.bytes, w->used, &place, text, sizeof(text)),
        BKS_OK);
    return text;
}

static void members_of_the_root_are_named(void **state)
{
    const world *w = *state;
    assert_string_equal(name_of(w, &w->root->tick), "root.tick");
    assert_int_equal(place.use, BKS_MAP_LIVE);
    assert_int_equal(place.type, T_U32);
    assert_string_equal(name_of(w, &w->root->score[1]), "score[1]");
    assert_string_equal(place.object, "score");
    assert_string_equal(name_of(w, &w->root->flag.x), "flag.x");
    assert_string_equal(place.object, "flag");
    assert_string_equal(name_of(w, &w->root->flag.grid[1][2]), "flag.grid[1][2]");
    assert_string_equal(name_of(w, &w->root->shapes[1].kind), "shapes[1].kind");
    assert_string_equal(place.object, "shapes[1]");
}

static void bits_of_a_byte_are_named_apart(void **state)
{
    const world *w = *state;
    assert_string_equal(name_at(w, 6, 0), "root.low");
    assert_string_equal(name_at(w, 6, 2), "root.low");
    assert_string_equal(name_at(w, 6, 3), "root.high");
    assert_string_equal(name_at(w, 7, 0), "root.high");
    assert_int_equal(place.bits, 6);
    assert_string_equal(name_at(w, 7, 1), "(padding).byte 7");
    assert_string_equal(place.note, "behind root.high");
}

static void padding_free_and_bookkeeping_are_named_apart(void **state)
{
    const world *w = *state;
    const uint8_t *ship_bytes = (const uint8_t *)w->ships[1];
    char want[64];
    (void)snprintf(want, sizeof(want), "(padding).byte %d",
                   (int)offset_of(w, &ship_bytes[offsetof(ship, kind) + 1]));
    assert_string_equal(name_of(w, &ship_bytes[offsetof(ship, kind) + 1]), want);
    assert_int_equal(place.use, BKS_MAP_PADDING);
    assert_string_equal(place.note, "behind ships[1].kind");
    assert_true(place.end_bytes - place.begin_bytes == 1);

    (void)name_of(w, w->ships[0]);
    assert_string_equal(place.object, "(free)");
    assert_string_equal(place.note, "ships[0], not live");
    (void)name_at(w, w->used + 7, 0);
    assert_string_equal(place.object, "(free)");

    const uint64_t arena = (sizeof(mapped_root) + 15) / 16 * 16;
    (void)name_at(w, arena + 17, 0);
    assert_string_equal(place.object, "(arena)");
    assert_string_equal(place.note, "arena: used_bytes");
    const uint64_t pool = offset_of(w, bks_ref_get(&w->root->ships));
    (void)name_at(w, pool + offsetof(bks_pool, live), 0);
    assert_string_equal(place.note, "pool ships: live");
    (void)name_at(w, pool + sizeof(bks_pool) + 4, 0);
    assert_string_equal(place.note, "pool ships: generation of slot 1");
    (void)name_at(w, pool + sizeof(bks_pool) + 16, 0);
    assert_string_equal(place.note, "pool ships: which items are live");
    assert_int_equal(place.use, BKS_MAP_BOOKKEEPING);
}

/// A block bears the name of the reference that leads to it, also from a pool or another block.
static void blocks_are_named_by_their_references(void **state)
{
    const world *w = *state;
    assert_string_equal(name_of(w, &w->field[3]), "field[3]");
    assert_int_equal(place.type, T_U16);
    assert_string_equal(name_of(w, &w->nodes[0]->value), "list.value");
    assert_string_equal(name_of(w, &w->nodes[1]->value), "list.next.value");
    assert_string_equal(name_of(w, &w->trail[4]), "ships[2].trail[4]");
    (void)name_at(w, offset_of(w, &w->field[5]), 0);
    assert_string_equal(place.object, "(padding)");
    assert_string_equal(place.note, "behind field");
    bks_ref_set(&w->root->field, NULL);
    (void)name_of(w, &w->field[3]);
    assert_string_equal(place.object, "(unnamed)");
    assert_int_equal(place.use, BKS_MAP_UNNAMED);
    bks_ref_set(&w->root->list, w->nodes[1]);
    (void)name_of(w, &w->nodes[0]->value);
    assert_int_equal(place.use, BKS_MAP_UNNAMED);
    assert_true(place.end_bytes == offset_of(w, w->nodes[1]));
}

static void a_case_is_chosen_by_the_number_beside_the_union(void **state)
{
    const world *w = *state;
    shape *one = &w->root->shapes[1];
    assert_string_equal(name_of(w, &one->of.box.height), "shapes[1].of.byte 2");
    one->kind = 1;
    assert_string_equal(name_of(w, &one->of.box.height), "shapes[1].of.radius");
    one->kind = 2;
    assert_string_equal(name_of(w, &one->of.box.height), "shapes[1].of.box.height");
}

static void values_read_as_their_types_do(void **state)
{
    const world *w = *state;
    mapped_root *root = w->root;
    root->flag.x = 0.25;
    root->flag.grid[0][1] = -7;
    root->flag.kind = (uint8_t)MOOD_WILD;
    root->mode = 9;
    root->shapes[0] = (shape){.kind = 1, .of.radius = 1.5F};
    root->is_on = true;
    root->letter = 'q';
    root->captain = w->ids[2];
    root->high = 37;
    assert_string_equal(value_of(w, &root->flag.x), "0.25 (0x3fd0000000000000)");
    assert_string_equal(value_of(w, &root->shapes[0].of.radius), "1.5 (0x3fc00000)");
    assert_string_equal(value_of(w, &root->flag.grid[0][1]), "-7");
    assert_string_equal(value_of(w, &root->flag.kind), "MOOD_WILD (-3)");
    assert_string_equal(value_of(w, &root->mode), "9 (no mood)");
    assert_string_equal(value_of(w, &root->is_on), "true (1)");
    assert_string_equal(value_of(w, &root->letter), "'q' (113)");
    assert_string_equal(value_of(w, &root->ships), "pool ships");
    assert_string_equal(value_of(w, &root->list), "list.value");
    assert_string_equal(value_of(w, &root->field), "field[0]");
    assert_string_equal(value_of(w, &root->flag.trail), "null");
    assert_string_equal(value_of(w, &root->captain), "ships[2], generation 0");
    root->captain = w->ids[0];
    assert_string_equal(value_of(w, &root->captain), "ships[0], generation 0 (stale)");
    root->captain = 4; // of a slot that was never used
    assert_string_equal(value_of(w, &root->captain), "ships[3], generation 0 (stale)");
    assert_string_equal(value_of(w, (uint8_t *)root + 7), "37");
    root->flag.trail.distance_bytes = -400;
    assert_string_equal(value_of(w, &root->flag.trail), "outside the state (distance -400)");
}

/// A table that a person wrote may say what no compiler does.
static void a_case_that_begins_later_has_padding_before_it(void **state)
{
    (void)state;
    const bks_map_member late[] = {{.name = "half", .type = 3, .offset_bytes = 2}};
    const bks_map_member parts[] = {{.name = "kind", .type = 2},
                                    {.name = "of", .type = 1, .offset_bytes = 4}};
    const bks_map_type types[] = {
        {"late_root", BKS_MAP_STRUCT, 8, MEMBERS(parts)},
        {"", BKS_MAP_UNION, 4, MEMBERS(late)},
        {.name = "uint8_t", .kind = BKS_MAP_UINT, .bytes = 1},
        {.name = "uint16_t", .kind = BKS_MAP_UINT, .bytes = 2},
    };
    const bks_map_case only = {.type = 0, .by = 0, .value = 0, .member = 1, .selected = 0};
    const bks_state_map map = {.types = types, .type_count = 4, .cases = &only, .case_count = 1};
    const uint8_t bytes[8] = {0};
    assert_int_equal(bks_state_map_check(&map, NULL), BKS_OK);
    assert_int_equal(bks_state_map_find(&map, bytes, 8, 6, 0, &place), BKS_OK);
    assert_string_equal(place.name, "of.half");
    assert_int_equal(bks_state_map_find(&map, bytes, 8, 5, 0, &place), BKS_OK);
    assert_string_equal(place.name, "(padding).byte 5");
    assert_true(place.begin_bytes == 4 && place.end_bytes == 6);
}

/// An enumerator of a bit-field is the one whose value its bits hold, signed or not.
static void an_enumerator_is_found_in_the_bits_of_a_field(void **state)
{
    (void)state;
    const bks_map_enumerator names[] = {{"FAR", 16}, {"NONE", 0}, {"BACK", -3}, {"HIGH", 9}};
    const bks_map_member fields[] = {
        {.name = "way", .type = 1, .bits = 4},
        {.name = "turn", .type = 1, .bits = 4, .bit_offset = 4},
    };
    const bks_map_type types[] = {
        {"bits_root", BKS_MAP_STRUCT, 1, MEMBERS(fields)},
        {"way", BKS_MAP_ENUM, 1, .enumerators = names, .enumerator_count = 4},
    };
    const bks_state_map map = {.types = types, .type_count = 2};
    static const struct {
        uint8_t byte;
        const char *way, *turn;
    } wanted[] = {{0x00, "NONE (0)", "NONE (0)"},
                  {0x9D, "BACK (-3)", "HIGH (9)"},
                  {0xD1, "1 (no way)", "BACK (-3)"}};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        for (uint32_t bit = 0; bit <= 4; bit += 4) {
            char text[32];
            const uint8_t *byte = &wanted[i].byte;
            assert_int_equal(bks_state_map_find(&map, byte, 1, 0, bit, &place), BKS_OK);
            assert_int_equal(bks_state_map_value(&map, byte, 1, &place, text, sizeof(text)),
                             BKS_OK);
            assert_string_equal(text, bit == 0 ? wanted[i].way : wanted[i].turn);
        }
    }
}

/// Of games without an arena.
static void what_lies_behind_the_root_is_an_array(void **state)
{
    const world *w = *state;
    bks_state_map map = mapped_map;
    map.has_arena = false;
    const uint64_t at = sizeof(mapped_root);
    assert_int_equal(bks_state_map_find(&map, w->region.bytes, 4096, at + 9, 0, &place), BKS_OK);
    assert_int_equal(place.use, BKS_MAP_UNNAMED);
    map.rest_name = "words";
    map.rest_type = T_U32;
    assert_int_equal(bks_state_map_find(&map, w->region.bytes, 4096, at + 9, 0, &place), BKS_OK);
    assert_string_equal(place.name, "words[2]");
}

/// Bytes from a file may say anything; sanitizers see what is read.
static void no_byte_of_a_state_leads_out_of_it(void **state)
{
    const world *w = *state;
    uint8_t *copy = malloc(w->used);
    assert_non_null(copy);
    srand(11);
    for (int round = 0; round < 6000; round++) {
        memcpy(copy, w->region.bytes, w->used);
        for (int i = 0; i < 4; i++) {
            copy[(size_t)rand() % w->used] = (uint8_t)(rand() % 2 == 0 ? rand() : 0xFF);
        }
        const size_t count = round % 3 == 0 ? (size_t)rand() % w->used : w->used;
        const uint64_t offset = (uint64_t)rand() % (w->used + 16);
        char text[64];
        assert_int_equal(
            bks_state_map_find(&mapped_map, copy, count, offset, (uint32_t)rand() % 8, &place),
            BKS_OK);
        assert_true(place.begin_bytes <= offset && offset < place.end_bytes);
        assert_int_equal(bks_state_map_value(&mapped_map, copy, count, &place, text, sizeof(text)),
                         BKS_OK);
    }
    free(copy);
}

/// A list is followed four times; what lies deeper has no name.
static void blocks_have_names_down_to_the_fourth_reference(void **state)
{
    world *w = *state;
    bks_arena *arena = bks_arena_of(w->root, sizeof(mapped_root));
    node *nodes[6];
    for (int i = 0; i < 6; i++) {
        nodes[i] = bks_arena_alloc(arena, sizeof(node), 8);
        bks_ref_set(i == 0 ? &w->root->list : &nodes[i - 1]->next, nodes[i]);
    }
    w->used = bksi_region_used(&w->region);
    assert_string_equal(name_of(w, &nodes[4]->value), "list.next.next.next.next.value");
    (void)name_of(w, &nodes[5]->value);
    assert_string_equal(place.object, "(unnamed)");
}

/// A pool of another size than its type, or with items where no pool has them: what a game of
/// another version wrote, or a liar.
static void a_pool_unlike_its_type_has_bytes(void **state)
{
    const world *w = *state;
    bks_map_pool pools[] = {{"ships", T_NODE}};
    bks_state_map map = mapped_map;
    map.pools = pools;
    const uint64_t ship_at = offset_of(w, w->ships[1]);
    const uint8_t *bytes = w->region.bytes;
    assert_int_equal(bks_state_map_find(&map, bytes, w->used, ship_at + 8, 0, &place), BKS_OK);
    assert_string_equal(place.name, "ships[1].byte 8");
    bks_pool *pool = bks_ref_get(&w->root->ships);
    pool->items_at += 16;
    (void)name_of(w, w->ships[2]);
    assert_string_equal(place.object, "(free)");
}

/// The list of pools ends where it does not go upwards.
static void pools_that_lead_in_a_circle_are_left(void **state)
{
    const world *w = *state;
    bks_pool *pool = bks_ref_get(&w->root->ships);
    w->root->captain = w->ids[1];
    const uint64_t itself = offset_of(w, pool);
    const uint64_t starts[] = {itself, itself - 16, 16};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        pool->next_pool_offset = starts[i];
        assert_string_equal(name_of(w, &w->nodes[1]->value), "list.next.value");
        bks_map_type types[T_COUNT];
        memcpy(types, mapped_types, sizeof(types));
        types[T_ID].pool = "others"; // not found, so all are gone over
        bks_state_map map = mapped_map;
        map.types = types;
        (void)name_of(w, &w->root->captain);
        char text[64];
        assert_int_equal(
            bks_state_map_value(&map, w->region.bytes, w->used, &place, text, sizeof(text)),
            BKS_OK);
        assert_string_equal(text, "slot 1, generation 0");
    }
}

/// A reference leads to the pool, but none is there to be found: it is no block of that name.
static void a_damaged_pool_and_what_lies_behind_it_are_no_blocks(void **state)
{
    const world *w = *state;
    bks_pool *pool = bks_ref_get(&w->root->ships);
    const uint64_t at = offset_of(w, pool);
    pool->magic ^= 1;
    for (uint64_t i = 0; i < sizeof(*pool); i++) {
        (void)name_of(w, w->region.bytes + at + i);
        assert_string_equal(place.object, "(unnamed)");
    }
    (void)name_of(w, &w->nodes[1]->value);
    assert_string_equal(place.object, "(unnamed)");
}

/// Every byte has one name, and the run of bytes that it gives has no other in it.
static void runs_of_bytes_cover_a_state_once(void **state)
{
    const world *w = *state;
    w->root->shapes[0].kind = 2;
    uint32_t by_use[5] = {0};
    for (uint64_t at = 0; at < w->used;) {
        const char *name = name_at(w, at, 7);
        char first[sizeof(place.object)];
        (void)name;
        (void)snprintf(first, sizeof(first), "%s", place.object);
        const bks_map_place run = place;
        assert_true(run.begin_bytes == at || run.bits > 0 || run.use == BKS_MAP_PADDING);
        for (uint64_t in = at; in < run.end_bytes && run.bits == 0; in++) {
            (void)name_at(w, in, 7);
            assert_string_equal(place.object, first);
        }
        by_use[run.use] += (uint32_t)(run.end_bytes - at);
        at = run.end_bytes;
    }
    assert_int_equal(by_use[BKS_MAP_UNNAMED], 0);
    assert_true(by_use[BKS_MAP_FREE] == 2 * ((sizeof(ship) + 15) / 16 * 16));
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    char text[8];
    const uint8_t byte = 0;
    const bks_status bad = BKS_ERR_BAD_ARGUMENT;
    assert_int_equal(bks_state_map_find(NULL, &byte, 1, 0, 0, &place), bad);
    assert_int_equal(bks_state_map_find(&mapped_map, NULL, 1, 0, 0, &place), bad);
    assert_int_equal(bks_state_map_find(&mapped_map, &byte, 1, 0, 0, NULL), bad);
    assert_int_equal(bks_state_map_find(&mapped_map, &byte, 1, 0, 8, &place), bad);
    assert_int_equal(bks_state_map_value(&mapped_map, &byte, 1, &place, text, 0), bad);
    assert_int_equal(bks_state_map_value(&mapped_map, &byte, 1, NULL, text, 8), bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(members_of_the_root_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bits_of_a_byte_are_named_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(padding_free_and_bookkeeping_are_named_apart, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(blocks_are_named_by_their_references, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_case_is_chosen_by_the_number_beside_the_union, set_up,
                                        tear_down),
        cmocka_unit_test(a_case_that_begins_later_has_padding_before_it),
        cmocka_unit_test_setup_teardown(values_read_as_their_types_do, set_up, tear_down),
        cmocka_unit_test(an_enumerator_is_found_in_the_bits_of_a_field),
        cmocka_unit_test_setup_teardown(what_lies_behind_the_root_is_an_array, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_byte_of_a_state_leads_out_of_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blocks_have_names_down_to_the_fourth_reference, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_pool_unlike_its_type_has_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pools_that_lead_in_a_circle_are_left, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_pool_and_what_lies_behind_it_are_no_blocks,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(runs_of_bytes_cover_a_state_once, set_up, tear_down),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
