// SPDX-License-Identifier: MIT

#include "screen/window/key_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint8_t down[KEY_PLACES];
static float values[BKS_CONTROL_START + 1];

static key_place place(const char *name)
{
    const key_place key = key_place_named(name, strlen(name));
    assert_int_not_equal(key, 0);
    return key;
}

static void hold(const key_map *map, key_hand hand, const char *name)
{
    memset(down, 0, sizeof(down));
    memset(values, 0, sizeof(values));
    down[place(name)] = 1;
    key_map_add(map, hand, down, values);
}

static bool is_quiet(void)
{
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (values[i] != 0.0F) {
            return false;
        }
    }
    return true;
}

static bool has_key(const key_map *map, key_hand hand, key_place key)
{
    for (int action = 0; action < KEY_ACTIONS; action++) {
        for (int i = 0; i < KEY_ALTERNATIVES; i++) {
            if (map->keys[hand][action][i] == key) {
                return true;
            }
        }
    }
    return false;
}

static void a_player_alone_has_letters_and_arrows(void **state)
{
    (void)state;
    key_map map;
    key_map_usual(&map);
    hold(&map, KEY_HAND_ALONE, "A");
    assert_true(values[BKS_CONTROL_LEFT_X] == -1.0F);
    hold(&map, KEY_HAND_ALONE, "S");
    assert_true(values[BKS_CONTROL_LEFT_Y] == 1.0F);
    hold(&map, KEY_HAND_ALONE, "I");
    assert_true(values[BKS_CONTROL_NORTH] == 1.0F);
    hold(&map, KEY_HAND_ALONE, "Up");
    assert_true(values[BKS_CONTROL_NORTH] == 1.0F);
    hold(&map, KEY_HAND_ALONE, "Return");
    assert_true(values[BKS_CONTROL_START] == 1.0F);
}

static void both_keys_of_an_action_are_one_press(void **state)
{
    (void)state;
    key_map map;
    key_map_usual(&map);
    memset(down, 0, sizeof(down));
    memset(values, 0, sizeof(values));
    down[place("I")] = 1;
    down[place("Up")] = 1;
    key_map_add(&map, KEY_HAND_ALONE, down, values);
    assert_true(values[BKS_CONTROL_NORTH] == 1.0F);
}

static void two_players_share_no_key_and_need_no_keypad(void **state)
{
    (void)state;
    key_map map;
    key_map_usual(&map);
    for (int action = 0; action < KEY_ACTIONS; action++) {
        for (int hand = KEY_HAND_FIRST; hand < KEY_HANDS; hand++) {
            const key_place *keys = map.keys[hand][action];
            assert_int_not_equal(keys[0], 0);
            assert_null(strstr(key_place_name(keys[0]), "Keypad"));
            const key_hand other = hand == KEY_HAND_FIRST ? KEY_HAND_SECOND : KEY_HAND_FIRST;
            assert_false(has_key(&map, other, keys[0]));
            assert_false(keys[1] != 0 && has_key(&map, other, keys[1]));
        }
    }
}

static void every_usual_key_is_free_and_means_one_thing(void **state)
{
    (void)state;
    key_map map;
    key_map_usual(&map);
    for (int hand = 0; hand < KEY_HANDS; hand++) {
        uint32_t times[KEY_PLACES] = {0};
        for (int action = 0; action < KEY_ACTIONS; action++) {
            for (int i = 0; i < KEY_ALTERNATIVES; i++) {
                const key_place key = map.keys[hand][action][i];
                assert_true(key == 0 || key_place_is_free(key));
                assert_true(key == 0 || ++times[key] == 1);
            }
        }
    }
}

static void a_key_that_is_given_away_means_only_that(void **state)
{
    (void)state;
    key_map map;
    key_map_usual(&map);
    assert_true(key_map_bind(&map, KEY_HAND_FIRST, KEY_ACTION_NORTH, place("I")));
    hold(&map, KEY_HAND_FIRST, "I");
    assert_true(values[BKS_CONTROL_NORTH] == 1.0F);
    hold(&map, KEY_HAND_FIRST, "T"); // what it was
    assert_true(is_quiet());
    hold(&map, KEY_HAND_SECOND, "I"); // the other player's, who keeps the keypad's
    assert_true(is_quiet());
    hold(&map, KEY_HAND_SECOND, "Keypad 8");
    assert_true(values[BKS_CONTROL_NORTH] == 1.0F);
    hold(&map, KEY_HAND_ALONE, "I"); // a player alone shares with no one
    assert_true(values[BKS_CONTROL_NORTH] == 1.0F);
    assert_true(key_map_bind(&map, KEY_HAND_FIRST, KEY_ACTION_SOUTH, place("I")));
    assert_int_equal(map.keys[KEY_HAND_FIRST][KEY_ACTION_NORTH][0], 0);
}

static void keys_of_the_window_cannot_be_had(void **state)
{
    (void)state;
    static const char *const names[] = {"Escape", "F1",    "F2",     "F4",         "F11",
                                        "M",      "Minus", "Equals", "Keypad Plus"};
    key_map map;
    key_map usual;
    key_map_usual(&map);
    key_map_usual(&usual);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_false(key_map_bind(&map, KEY_HAND_ALONE, KEY_ACTION_UP, place(names[i])));
    }
    assert_false(key_map_bind(&map, KEY_HAND_ALONE, KEY_ACTION_UP, 0));
    assert_false(key_map_bind(&map, KEY_HAND_ALONE, KEY_ACTION_UP, 200));
    assert_false(key_map_bind(&map, KEY_HAND_ALONE, KEY_ACTION_UP, UINT16_MAX));
    assert_memory_equal(&map, &usual, sizeof(map));
}

static void reset_brings_the_usual_keys_back(void **state)
{
    (void)state;
    key_map map;
    key_map usual;
    key_map_usual(&map);
    key_map_usual(&usual);
    (void)key_map_bind(&map, KEY_HAND_FIRST, KEY_ACTION_NORTH, place("I"));
    (void)key_map_bind(&map, KEY_HAND_SECOND, KEY_ACTION_EAST, place("W"));
    key_map_reset(&map, KEY_HAND_FIRST);
    assert_memory_equal(map.keys[KEY_HAND_FIRST], usual.keys[KEY_HAND_FIRST],
                        sizeof(usual.keys[0]));
    assert_false(has_key(&map, KEY_HAND_SECOND, place("W"))); // it was given away, and is back
}

static void every_name_is_of_one_place(void **state)
{
    (void)state;
    for (key_place key = 0; key < KEY_PLACES; key++) {
        const char *name = key_place_name(key);
        assert_true(name == NULL || key_place_named(name, strlen(name)) == key);
    }
    assert_int_equal(key_place_named("keypad 8", 8), 96);
    assert_int_equal(key_place_named("", 0), 0);
    assert_int_equal(key_place_named("Any", 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_player_alone_has_letters_and_arrows),
        cmocka_unit_test(both_keys_of_an_action_are_one_press),
        cmocka_unit_test(two_players_share_no_key_and_need_no_keypad),
        cmocka_unit_test(every_usual_key_is_free_and_means_one_thing),
        cmocka_unit_test(a_key_that_is_given_away_means_only_that),
        cmocka_unit_test(keys_of_the_window_cannot_be_had),
        cmocka_unit_test(reset_brings_the_usual_keys_back),
        cmocka_unit_test(every_name_is_of_one_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
