// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "mapped.h"

/// A copy of the map that a test may spoil.
typedef struct copy {
    bks_map_type types[T_COUNT];
    bks_map_member members[8];
    bks_map_case cases[2];
    bool has_no_cases; ///< though it counts some
    bks_state_map map;
} copy;

static copy copy_map(void)
{
    copy c = {.map = mapped_map};
    memcpy(c.types, mapped_types, sizeof(c.types));
    memcpy(c.members, ship_members, sizeof(ship_members));
    memcpy(c.cases, mapped_cases, sizeof(c.cases));
    return c;
}

static bks_status check(copy *c, bks_error *error)
{
    c->types[T_SHIP].members = c->members;
    c->map.types = c->types;
    c->map.cases = c->has_no_cases ? NULL : c->cases;
    return bks_state_map_check(&c->map, error);
}

static void a_sound_map_passes(void **state)
{
    (void)state;
    copy c = copy_map();
    assert_int_equal(bks_state_map_check(&mapped_map, NULL), BKS_OK);
    assert_int_equal(check(&c, NULL), BKS_OK);
}

#define REFUSED(change, words)                                             \
    do {                                                                   \
        copy c = copy_map();                                               \
        bks_error error = {0};                                             \
        change;                                                            \
        assert_int_equal(check(&c, &error), BKS_ERR_BAD_CONFIG);           \
        if (strstr(error.text, words) == NULL) {                           \
            fail_msg("\"%s\" does not mention \"%s\"", error.text, words); \
        }                                                                  \
    } while (0)

static void types_that_no_state_has_are_refused(void **state)
{
    (void)state;
    REFUSED(c.map.type_count = 0, "type_count 0");
    REFUSED(c.types[T_F64].kind = (bks_map_kind)99, "types[13] (double)");
    REFUSED(c.types[T_U8].bytes = 3, "types[7] (uint8_t)");
    REFUSED(c.types[T_U8].bytes = 0, "types[7] (uint8_t)");
    REFUSED(c.types[T_U8].name = NULL, "types[7]");
    REFUSED(c.types[T_ID].bytes = 8, "bks_id");
    REFUSED(c.types[T_MOOD].enumerators = NULL, "enumerators NULL");
    REFUSED(c.types[T_FIELD_REF].target = T_COUNT, "leads to a type");
    REFUSED(c.types[T_U8].member_count = 1, "member_count");
}

static void members_outside_their_struct_are_refused(void **state)
{
    (void)state;
    REFUSED(c.members[1].offset_bytes = sizeof(ship), "(ship.kind) does not lie within");
    REFUSED(c.members[2].count[0] = 100, "(ship.grid) does not lie within");
    REFUSED(c.members[2].count[0] = UINT32_MAX, "(ship.grid) does not lie within");
    REFUSED(c.members[2].count[0] = 0, "(ship.grid) does not lie within");
    REFUSED(c.members[1].type = T_COUNT, "(ship.kind) has a type that is not in the map");
    REFUSED(c.members[1].name = NULL, "name is NULL");
    REFUSED(c.members[1].name = "", "has no name");
    REFUSED(c.members[1].bits = 9, "no bit-field");
}

/// Otherwise a struct could hold itself.
static void a_struct_stands_before_what_it_holds(void **state)
{
    (void)state;
    REFUSED(c.members[0].type = T_SHIP, "is earlier in the map");
    REFUSED(c.members[0].type = T_ROOT, "is earlier in the map");
}

static void pools_cases_and_the_rest_have_types(void **state)
{
    (void)state;
    const bks_map_pool pool = {"ships", T_COUNT};
    REFUSED(c.map.pools = &pool, "pools[0]");
    REFUSED(c.map.pools = NULL, "pools is NULL");
    REFUSED((c.map.pools = NULL, c.map.pool_count = 0, c.has_no_cases = true), "cases is NULL");
    REFUSED(c.cases[1].by = 2, "cases[1]");
    REFUSED(c.cases[1].by = 1, "cases[1]");
    REFUSED(c.cases[0].member = 0, "cases[0]");
    REFUSED(c.cases[0].selected = 2, "cases[0]");
    REFUSED(c.cases[0].type = T_COUNT, "cases[0]");
    REFUSED((c.map.rest_name = "words", c.map.rest_type = T_COUNT), "rest_type");
    assert_int_equal(bks_state_map_check(NULL, NULL), BKS_ERR_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_map_passes),
        cmocka_unit_test(types_that_no_state_has_are_refused),
        cmocka_unit_test(members_outside_their_struct_are_refused),
        cmocka_unit_test(a_struct_stands_before_what_it_holds),
        cmocka_unit_test(pools_cases_and_the_rest_have_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
