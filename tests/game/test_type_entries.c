// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/game.h"
#include "backstitch/toolkit/runner.h"
#include "mapped.h"
#include "some_game.h"

static const bks_type_entry entries[] = {
    BKS_TYPE_ROOT(mapped_root),
    BKS_TYPE_POOL("ships", ship),
    BKS_TYPE_REF(mapped_root, field, uint16_t, 5),
    BKS_TYPE_ID(mapped_root, captain, "ships"),
    BKS_TYPE_ENUM(mapped_root, mode, mood),
    BKS_TYPE_CASE(shape, kind, 2, of.box),
    BKS_TYPE_REST("words", uint64_t),
};

enum { ENTRIES = sizeof(entries) / sizeof(entries[0]) };

static void macros_write_names_and_sizes(void **state)
{
    (void)state;
    assert_int_equal(bks_type_entries_check(entries, ENTRIES, NULL), BKS_OK);
    assert_int_equal(bks_type_entries_check(NULL, 0, NULL), BKS_OK);
    assert_string_equal(entries[5].of, "of.box");
    assert_int_equal(entries[5].of_bytes, 4);
    assert_int_equal(entries[5].value, 2);
    assert_int_equal(entries[2].owner_bytes, sizeof(mapped_root));
    assert_int_equal(entries[2].member_bytes, sizeof(bks_ref));
    assert_int_equal(entries[2].count, 5);
}

#define REFUSED(number, change, words)                                                      \
    do {                                                                                    \
        bks_type_entry bad[ENTRIES];                                                        \
        memcpy(bad, entries, sizeof(bad));                                                  \
        bks_type_entry *entry = &bad[number];                                               \
        bks_error error = {0};                                                              \
        change;                                                                             \
        assert_int_equal(bks_type_entries_check(bad, ENTRIES, &error), BKS_ERR_BAD_CONFIG); \
        if (strstr(error.text, words) == NULL) {                                            \
            fail_msg("\"%s\" does not mention \"%s\"", error.text, words);                  \
        }                                                                                   \
    } while (0)

static void wrong_entries_are_refused(void **state)
{
    (void)state;
    REFUSED(1, entry->kind = (bks_type_entry_kind)0, "types[1] (ships) is of no kind");
    REFUSED(1, entry->owner = NULL, "types[1] (no name)");
    REFUSED(1, entry->of = "", "must have names");
    REFUSED(1, entry->of_bytes = 0, "type of 0 bytes");
    REFUSED(2, entry->member = "a\n", "must have names");
    REFUSED(2, entry->member_bytes = 4, "no bks_ref");
    REFUSED(2, entry->member_bytes = sizeof(mapped_root) + 8, "larger than its struct");
    REFUSED(3, entry->member_bytes = 6, "no bks_id");
    REFUSED(4, entry->kind = BKS_TYPE_IS_ROOT, "types[4] (mapped_root) is a second root");
    bks_error error = {0};
    assert_int_equal(bks_type_entries_check(entries, BKS_TYPE_ENTRIES_MAX + 1, &error),
                     BKS_ERR_BAD_CONFIG);
    assert_int_equal(bks_type_entries_check(NULL, 1, &error), BKS_ERR_BAD_CONFIG);
}

/// some_game's root is of another size than this map's and these types'.
static void types_and_map_are_those_of_the_game(void **state)
{
    (void)state;
    bks_error error = {0};
    bks_game game = some_game;
    game.root_bytes = sizeof(mapped_root);
    game.types = entries;
    game.type_count = ENTRIES;
    game.map = &mapped_map;
    assert_int_equal(bks_game_check(&game, NULL), BKS_OK);
    game.root_bytes += 8;
    assert_int_equal(bks_game_check(&game, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "types");
    game.type_count = 0;
    assert_int_equal(bks_game_check(&game, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "map");
    bks_state_map map = mapped_map;
    game.map = &map;
    game.root_bytes = sizeof(mapped_root);
    map.has_arena = false;
    assert_int_equal(bks_game_check(&game, &error), BKS_ERR_BAD_CONFIG);
    assert_non_null(strstr(error.text, "map has no arena"));
    map = mapped_map;
    map.type_count = 0;
    assert_int_equal(bks_game_check(&game, &error), BKS_ERR_BAD_CONFIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(macros_write_names_and_sizes),
        cmocka_unit_test(wrong_entries_are_refused),
        cmocka_unit_test(types_and_map_are_those_of_the_game),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
