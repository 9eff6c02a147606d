// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "game/live_byte.h"
#include "mapped_world.h"

enum { DRAWS = 4000, BITS = 8 };

static uint64_t draw_of(const world *w, uint64_t draw, uint32_t bit)
{
    uint64_t offset = UINT64_MAX;
    assert_true(bksi_live_byte_draw(&mapped_map, w->region.bytes, w->used, draw, bit, &offset));
    return offset;
}

static void what_is_drawn_is_a_value_in_use(void **state)
{
    const world *w = *state;
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        const uint32_t bit = (uint32_t)(draw % BITS);
        bks_map_place place;
        assert_int_equal(bks_state_map_find(&mapped_map, w->region.bytes, w->used,
                                            draw_of(w, draw, bit), bit, &place),
                         BKS_OK);
        if (place.use != BKS_MAP_LIVE) {
            fail_msg("draw %d is %s (%s)", (int)draw, place.name, place.note);
        }
        const bks_map_kind kind =
            place.type < mapped_map.type_count ? mapped_map.types[place.type].kind : BKS_MAP_BYTES;
        assert_true(kind != BKS_MAP_REF && kind != BKS_MAP_POINTER);
        assert_true(kind != BKS_MAP_BOOL || bit == 0);
    }
}

static void every_value_is_as_likely_as_it_is_long(void **state)
{
    const world *w = *state;
    static uint32_t counts[8192];
    memset(counts, 0, sizeof(counts));
    uint32_t bytes = 0;
    do { // one round: the draws go through all bytes in order
        bytes++;
    } while (draw_of(w, bytes, 0) != draw_of(w, 0, 0));
    assert_in_range(bytes, 60, 300);
    for (uint64_t draw = 0; draw < 3 * (uint64_t)bytes; draw++) {
        counts[draw_of(w, draw, 0)]++;
    }
    for (size_t i = 0; i < w->used; i++) {
        assert_true(counts[i] == 0 || counts[i] == 3);
    }
    assert_int_equal(counts[offset_of(w, &w->ships[1]->x) + 7], 3);
    assert_int_equal(counts[offset_of(w, &w->ships[0]->x)], 0); // it was removed
    assert_int_equal(counts[offset_of(w, &w->root->is_on)], 3);
    assert_int_equal(counts[offset_of(w, &w->nodes[1]->value)], 3);
    assert_int_equal(counts[offset_of(w, &w->nodes[1]->next)], 0);
}

static void a_state_without_values_has_none(void **state)
{
    (void)state;
    uint64_t offset = 7;
    assert_false(bksi_live_byte_draw(&mapped_map, NULL, 0, 1, 0, &offset));
    assert_int_equal(offset, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_drawn_is_a_value_in_use, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_value_is_as_likely_as_it_is_long, set_up, tear_down),
        cmocka_unit_test(a_state_without_values_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
